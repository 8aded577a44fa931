// writing.h - tables from what tests solve (table/write/write_table.h)
#ifndef CLTB_TESTS_SUPPORT_WRITING_H
#define CLTB_TESTS_SUPPORT_WRITING_H

#include "table/write/write_table.h"

static inline int write_tiles_table(const struct tile_source *source, const char *path, struct thread_pool *pool,
                                    const struct write_options *options, uint64_t *bytes)
{
    const struct content content = tiles_content(source);
    return write_content(&content, path, pool, options, bytes);
}

static inline int write_table(const struct solution *solution, const char *path, struct thread_pool *pool,
                              const struct write_options *options, uint64_t *bytes)
{
    const struct tile_source source = solution_tiles(solution);
    return write_tiles_table(&source, path, pool, options, bytes);
}

static inline int write_slices_table(const struct slices_source *source, const char *path, struct thread_pool *pool,
                                     const struct write_options *options, uint64_t *bytes)
{
    const struct content content = slices_content(source);
    return write_content(&content, path, pool, options, bytes);
}

#endif
