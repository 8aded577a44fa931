// table.h - the complete database of dobutsu shogi as a file: written, read, probed
//
// The value of a code (dobutsu/code.h) is one byte:
//
//     0xff  invalid          0xfe  draw
//     even  Sente, to move, wins: the number of plies before the winning move
//     odd   Sente loses: the number of plies before Gote's winning move
//
// A file has two levels (docs/dobutsu.md gives the bytes):
//
// 1. The codes are in buckets of 4096 (16 cells). Of each bucket only the values that the code itself does not give are
//    kept, in rising order: dobutsu_cell() leaves out invalid codes, those won at once (0) and duplicates (mirror
//    images, pairs in hand with their owners exchanged). The stream "buckets" has the number of values of each bucket
//    (2 bytes), the stream "values" the values of all buckets one after another (1 byte).
// 2. Both streams are in blocks of zstd with checksums (table/container.h).
//
// A probe of a code
//
// 1. gives what the code says by itself: 0xff or 0;
// 2. goes from a duplicate to the code that is kept, the smallest of the position's;
// 3. adds up: the values of all buckets before (in memory), the kept codes of the bucket's cells before this one (at
//    most 15), the kept codes of its cell before it. That is the place of the value;
// 4. reads the block of that place.
//
// Example: the initial position is code 719600465 = 175683 * 4096 + 11 * 256 + 81. It has a mirror image with a higher
// code, so it is kept itself. Its place is the values of buckets 0..175682, plus those kept of cells 0..10 of bucket
// 175683, plus those of cell 11 with an op below 81.
#ifndef CLTB_DOBUTSU_TABLE_H
#define CLTB_DOBUTSU_TABLE_H

#include "dobutsu/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DOBUTSU_INVALID = 0xff,
    DOBUTSU_DRAW = 0xfe,
    DOBUTSU_VALUES = 256,
    DOBUTSU_BUCKET_CODES = 4096,
    DOBUTSU_BUCKETS = 263424,
    DOBUTSU_BUCKET_CELLS = DOBUTSU_BUCKET_CODES / DOBUTSU_CELL_CODES
};

_Static_assert(DOBUTSU_BUCKETS *DOBUTSU_BUCKET_CELLS == DOBUTSU_CELLS, "buckets are whole");

#define DOBUTSU_FILE           "dobutsu.cltb"
#define DOBUTSU_STREAM_BUCKETS "buckets"
#define DOBUTSU_STREAM_VALUES  "values"
#define DOBUTSU_OMITTED        "invalid won duplicate" // the classes of codes that have no place in "values"

struct thread_pool;
struct dobutsu_table;

// A value that only a search can give: not won at once, not invalid.
static inline bool dobutsu_searched(uint8_t value)
{
    return value != 0 && value != DOBUTSU_INVALID;
}

// ---- writing (table_write.c) ----

// Gives the values of cells `first` to first + count - 1: all count * 256 bytes, with 0xff for invalid codes and 0 for
// codes won at once; the values of duplicates are used for the counts only. Called from several threads, for whole
// buckets, at most 64 at a time.
typedef int dobutsu_source(void *context, uint32_t first, uint32_t count, uint8_t *values);

struct dobutsu_writing {
    dobutsu_source *source;
    void *context;            // of the source
    int level;                // zstd's
    struct thread_pool *pool; //
    // Called with the share done, 0..1, from the calling thread; a nonzero result stops. May be NULL.
    int (*each)(void *each_context, double share);
    void *each_context;
    // Writes a file of the first cells only, for tests and measurements. The smallest code of a position is the one
    // kept, so such a file is complete in itself.
    uint32_t cells;        // a multiple of DOBUTSU_BUCKET_CELLS; 0: DOBUTSU_CELLS
    uint32_t block_values; // in a block; 0: 65536
};

// Writes the table to `path` under a temporary name first; the file does not depend on the number of threads.
// CLTB_E_INTERRUPTED after `each` has stopped it, with no file left behind; CLTB_E_MISMATCH if a value contradicts its
// code. Memory: the kept values (109 MB) and the compressed file.
int dobutsu_table_write(const char *path, const struct dobutsu_writing *writing);

// ---- reading: thread-safe (table_read.c) ----

struct dobutsu_table_info {
    uint64_t kept;                  // values stored
    uint64_t file_bytes;            //
    uint64_t bucket_bytes;          // compressed
    uint64_t value_bytes;           // compressed
    uint32_t block_values;          // of a block, decompressed
    uint64_t count[DOBUTSU_VALUES]; // codes of each value over all DOBUTSU_CODES, including duplicates and invalid ones
};

// `cache_bytes`: memory for decompressed blocks. CLTB_E_MISSING if there is no such file, CLTB_E_FOREIGN if it is not a
// dobutsu table, CLTB_E_CORRUPT if it is damaged.
int dobutsu_table_open(struct dobutsu_table **table, const char *path, size_t cache_bytes);
void dobutsu_table_close(struct dobutsu_table *table);
const struct dobutsu_table_info *dobutsu_table_info(const struct dobutsu_table *table); // NULL: a raw file
const char *dobutsu_table_path(const struct dobutsu_table *table);

// A raw file is the byte of code k at offset k, without checksums. CLTB_E_CORRUPT if it has the wrong size.
int dobutsu_table_open_raw(struct dobutsu_table **table, const char *path);

// Is this the dobutsu table ("dobutsu" in any case, or a path of its file), or a raw file (any path that ends in
// ".raw")?
bool dobutsu_table_named(const char *name);

// Opens what such a name stands for; the table is searched for in `folders`, separated by ':'. `cache_bytes`: 0 for the
// usual number. CLTB_E_USAGE, CLTB_E_MISSING, and as above (table_find.c).
int dobutsu_table_find(struct dobutsu_table **table, const char *name, const char *folders, size_t cache_bytes);

// The same for a file of `cells` cells.
int dobutsu_table_open_cells(struct dobutsu_table **table, const char *path, uint32_t cells, size_t cache_bytes);

// The byte of a code.
int dobutsu_table_value(struct dobutsu_table *table, uint32_t code, uint8_t *value);

// Fills in the bytes of all codes, as in the raw table, and checks what dobutsu_table_check() checks. Takes another 109
// MB while it works.
int dobutsu_table_load(struct dobutsu_table *table, uint8_t *values, struct thread_pool *pool);

// Checks every block of the file: its checksum, that it decompresses, that each bucket has as many values as its codes
// keep, and that no value contradicts its code. (dobutsu_table_open() has checked the head and the buckets' stream.)
// Holds a block for each thread.
int dobutsu_table_check(struct dobutsu_table *table, struct thread_pool *pool);

#endif
