// tile_source.c - the tiles of a solution in a backend's planes
#include "solve/tile_source.h"

#include "util/error.h"

#include <stdlib.h>

enum {
    TILES_AT_ONCE = 16, // of one read
    RUNS_PER_ITEM = 8   // reads of a work item
};

struct walk {
    const struct solution *solution;
    int side;
    const struct tile_filter *filter;
    tile_visit *visit;
    void *visit_context;
    uint64_t first; // tile of the king's square
    uint64_t tiles; //
};

// The tiles of an item, those that are wanted in runs as long as possible.
static int walk_item(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    const struct layout *layout = &walk->solution->backend->layout;
    const uint64_t each = TILES_AT_ONCE * RUNS_PER_ITEM;
    const uint64_t last = walk->first + (walk->tiles < (item + 1) * each ? walk->tiles : (item + 1) * each);
    const size_t bytes = (DISTANCE_PLANES_MAX + 2) * TILES_AT_ONCE * layout->tile_lanes / 8;
    uint64_t *memory = malloc(bytes);
    if (memory == NULL)
        return error_memory(bytes, "reading a solution");
    int code = 0;
    for (uint64_t first = walk->first + item * each; code == 0 && first < last;) {
        uint64_t count = 0;
        for (; count < TILES_AT_ONCE && first + count < last; count++) {
            unsigned king;
            uint8_t u[LAYOUT_PIECES_MAX];
            layout_digits(layout, first + count, &king, u);
            if (!tile_wanted(walk->filter, layout, u))
                break;
        }
        struct tile_run run = {.count = count, .first = first};
        first += count > 0 ? count : 1;
        if (count == 0)
            continue;
        code = solution_planes(walk->solution, walk->side, run.first, count, memory, &run.planes);
        if (code == 0)
            code = walk->visit(walk->visit_context, &run, worker);
    }
    free(memory);
    return code;
}

static int each_run(void *context, int side, unsigned king, const struct tile_filter *filter, struct thread_pool *pool,
                    tile_visit *visit, void *visit_context)
{
    const struct solution *solution = context;
    const uint64_t tiles = solution->backend->layout.king_stride;
    struct walk walk = {solution, side, filter, visit, visit_context, king * tiles, tiles};
    const uint64_t each = TILES_AT_ONCE * RUNS_PER_ITEM;
    return threads_each(pool, (tiles + each - 1) / each, walk_item, &walk);
}

struct tile_source solution_tiles(const struct solution *solution)
{
    return (struct tile_source){.layout = &solution->backend->layout,
                                .value = solution->value,
                                .kept = {solution->kept[WHITE], solution->kept[BLACK]},
                                .longest = solution->longest,
                                .context = (void *)(uintptr_t)solution,
                                .each_run = each_run};
}
