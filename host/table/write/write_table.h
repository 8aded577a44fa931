// write_table.h - from a solution to a table file
#ifndef CLTB_TABLE_WRITE_WRITE_TABLE_H
#define CLTB_TABLE_WRITE_WRITE_TABLE_H

#include "solve/solver.h"
#include "solve/tile_source.h"
#include "table/write/content.h"
#include "util/saturate.h"
#include "util/threads.h"

// What a writer needs besides the solution's planes, an estimate. `slices`: of an endgame with pawns.
struct memory_need write_need(const struct material *material, uint64_t slices, const struct write_options *options,
                              int threads);

// Writes the table to `path` atomically. The solution must have kept its resolved planes and the distances of the sides
// to be written. `*bytes` is the size of the file.
int write_content(const struct content *content, const char *path, struct thread_pool *pool,
                  const struct write_options *options, uint64_t *bytes);

#endif
