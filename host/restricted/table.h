// table.h - the file of a restricted endgame: written, read, probed
//
// Values of a restricted endgame are codes of 16 bits, for the solver, the table and probing:
//
//     0         draw (while solving: undecided)
//     1         draw, where 0 means "no move" (external codes of restricted/make/external.h)
//     0xffff    not a position: two men on one square, or the side not to move is in check
//     else      value_code() of exact DTZ, 0..2047 plies
//
// The file is a container (table/container.h) with the properties `game chess`, `metric dtz`, `restricted 1` and
// counts, followed by the whole spec (spec_write()), and the streams "value-w" and "value-b": 2-byte value codes by
// side to move, one section for each slice in rising order, entries in the order of the index. Entries that are not
// positions are don't-cares. docs/restricted.md gives the bytes.
#ifndef CLTB_RESTRICTED_TABLE_H
#define CLTB_RESTRICTED_TABLE_H

#include "placed/value_file.h"
#include "restricted/index.h"

enum { RESTRICTED_OPEN = 0, RESTRICTED_DRAW = 1, RESTRICTED_ILLEGAL = VALUE_ILLEGAL };

struct restricted_writer;

struct restricted_info {
    uint64_t entries;             // for one side to move, in all slices
    uint64_t slices;              //
    struct value_figures figures; // of entries that are positions; identical pieces count in every order
    uint64_t file_bytes;
    uint64_t value_bytes[COLOURS]; // compressed
};

// ---- writing: under a temporary name, in place when complete ----

// The index must outlive the writer.
int restricted_writer_open(struct restricted_writer **writer, const char *path, const struct restricted_index *index);

// The values of a slice as they stand in the file, by side to move.
struct restricted_blocks {
    uint32_t slice;
    size_t count;                           // of blocks
    struct container_piece *piece[COLOURS]; // [count]
    struct value_figures figures;
};

// The number of blocks.
size_t restricted_slice_blocks(const struct restricted_index *index);

// Compresses the values of a slice on the pool; the bytes do not depend on the number of threads. *blocks is valid
// until the next call. CLTB_E_MISMATCH if a code is not a value.
int restricted_writer_pack(struct restricted_writer *writer, uint32_t slice, uint16_t *const value[COLOURS],
                           struct thread_pool *pool, struct restricted_blocks *blocks);
// Adds them to the file. Slices may come in any order, each once.
int restricted_writer_put(struct restricted_writer *writer, const struct restricted_blocks *blocks);
int restricted_writer_finish(struct restricted_writer *writer); // frees the writer, whatever the result
void restricted_writer_abandon(struct restricted_writer *writer);

// ---- reading: thread-safe ----

struct restricted_table {
    struct value_file file; // value_file_check() checks all of it
    struct restricted_index index;
    struct restricted_info info;
    int stream[COLOURS];
};

// `cache_bytes`: memory for decompressed blocks. CLTB_E_MISSING, CLTB_E_FOREIGN (also for a table that is not
// restricted), CLTB_E_CORRUPT, ...
int restricted_table_open(struct restricted_table **table, const char *path, size_t cache_bytes);
void restricted_table_close(struct restricted_table *table);

// The value's code of a position, whose colours are those of the spec; ignores en passant and castling rights.
// CLTB_E_POSITION if it does not belong to the spec.
int restricted_table_value(struct restricted_table *table, const struct position *position, uint16_t *value);

// The value's code of an entry of a slice: any code if the entry is not a position.
int restricted_table_entry(struct restricted_table *table, uint32_t slice, int side, uint64_t entry, uint16_t *value);

#endif
