// support_streamed.h - comparing solutions, and solving on disk
#ifndef CLTB_TESTS_SUPPORT_STREAMED_H
#define CLTB_TESTS_SUPPORT_STREAMED_H

#include "support/solving.h"

#include "solve/disk/streamed.h"

// By side to move and entry: the value, and the resolved bit above it.
struct answers {
    struct layout layout;
    uint32_t *entry[COLOURS];
    int longest[COLOURS][5];
    uint64_t weight[COLOURS][COLOURS][SOLVER_PLY_MAX + 1];
};

struct answers answers_collect(const struct tile_source *source, const struct solution *solution);
void answers_free(struct answers *answers);
void answers_same(const struct answers *a, const struct answers *b); // asserts it

// Those of a solution in memory, kept until the next endgame is asked for.
const struct answers *answers_true(const char *name);

// An inner backend for windows, on the processor.
int streamed_open_cpu(void *context, const struct layout *layout, uint64_t tiles, struct backend **inner);

// As many groups as there are rows or columns, at most.
struct scratch_shape streamed_shape(const struct layout *layout, uint64_t rows, uint64_t columns);

#endif
