// file.h - the bytes of a Syzygy file, from compressed sub-tables
#ifndef CLTB_SYZYGY_WRITE_FILE_H
#define CLTB_SYZYGY_WRITE_FILE_H

#include "disk/overflow.h"
#include "syzygy/write/natural.h"
#include "syzygy/write/packed.h"

// A sub-table.
struct syzygy_part {
    struct syzygy_shape shape;
    bool go_on; // how its free values are filled (packed.h)
    struct syzygy_packed packed;
    int side;              // to move
    struct syzygy_map map; // of distances
};

struct syzygy_parts {
    const struct material *material;
    bool wdl;
    int files; // of the leading pawn, or 1
    int sides; // 2: both sides to move, White first
    struct syzygy_part part[SYZYGY_FILES][COLOURS];
    const struct overflow *overflow; // has the data that are away
};

// Writes the file atomically and sets `*bytes` to its size.
int syzygy_file_write(const struct syzygy_parts *file, const char *path, struct thread_pool *pool, uint64_t *bytes);

#endif
