// table_parts.h - what the writer and the reader of the dobutsu table share (docs/format.md)
//
// A file has the values of the first `cells` cells, whole buckets. The public functions (dobutsu_table.h) only know files of
// all DOBUTSU_CELLS; shorter ones are for tests and measurements. They are complete in themselves: of all codes of a
// position the smallest one is kept.
#ifndef CLTB_DOBUTSU_TABLE_PARTS_H
#define CLTB_DOBUTSU_TABLE_PARTS_H

#include "dobutsu/cells.h"
#include "dobutsu/table.h"

#define DOBUTSU_STREAM_BUCKETS "buckets"
#define DOBUTSU_STREAM_VALUES  "values"
#define DOBUTSU_OMITTED        "invalid won duplicate" // the classes of codes that have no place in "values"

enum {
    DOBUTSU_BUCKET_CELLS = DOBUTSU_BUCKET_CODES / DOBUTSU_CELL_CODES,
    DOBUTSU_BLOCK_VALUES = 1 << 16, // of "values"
    DOBUTSU_BLOCK_BUCKETS = 1 << 16 // of "buckets", which are read as a whole
};

_Static_assert(DOBUTSU_BUCKETS *DOBUTSU_BUCKET_CELLS == DOBUTSU_CELLS, "buckets are whole");

static inline uint32_t dobutsu_bits(const uint64_t set[4])
{
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++)
        bits += (uint32_t)__builtin_popcountll(set[i]);
    return bits;
}

// A value that search gives: neither won at once nor invalid.
static inline bool dobutsu_searched(uint8_t value)
{
    return value != 0 && value != DOBUTSU_INVALID;
}

struct dobutsu_shape {
    uint32_t cells;        // a multiple of DOBUTSU_BUCKET_CELLS
    uint32_t block_values; //
};

// As the functions of dobutsu_table.h, for files of any shape.
int dobutsu_write_shape(const char *path, const struct dobutsu_shape *shape, dobutsu_source *source, void *context,
                        int level, struct thread_pool *pool, int (*each)(void *each_context, double share),
                        void *each_context);
int dobutsu_open_cells(struct dobutsu_table **table, const char *path, uint32_t cells, size_t cache_bytes);

#endif
