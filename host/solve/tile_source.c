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

static int read_run(const struct walk *walk, uint64_t first, uint64_t count, uint64_t *memory, struct tile_run *run)
{
    const struct solution *solution = walk->solution;
    const struct backend *backend = solution->backend;
    const size_t words = count * backend->layout.tile_lanes / 64;
    *run = (struct tile_run){.count = count, .first = first};
    run->planes.won = memory;
    TRY(backend->ops->read(solution->backend, solution->won[walk->side], first, count, memory));
    memory += words;
    run->planes.resolved = memory;
    TRY(backend->ops->read(solution->backend, solution->resolved[walk->side], first, count, memory));
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        const struct plane *plane = solution->distance[walk->side][bit];
        if (plane == NULL)
            continue;
        memory += words;
        run->planes.distance[bit] = memory;
        TRY(backend->ops->read(solution->backend, plane, first, count, memory));
    }
    return 0;
}

static bool is_wanted(const struct walk *walk, uint64_t tile)
{
    const struct layout *layout = &walk->solution->backend->layout;
    unsigned king;
    uint8_t u[LAYOUT_PIECES_MAX];
    if (walk->filter == NULL)
        return true;
    layout_digits(layout, tile, &king, u);
    return tile_wanted(walk->filter, layout, u);
}

// Tiles first..last-1, those that are wanted in runs as long as possible.
static int walk_tiles(const struct walk *walk, uint64_t first, uint64_t last, uint64_t *memory, int worker)
{
    while (first < last) {
        uint64_t count = 0;
        while (count < TILES_AT_ONCE && first + count < last && is_wanted(walk, first + count))
            count++;
        if (count == 0) {
            first++;
            continue;
        }
        struct tile_run run;
        TRY(read_run(walk, first, count, memory, &run));
        TRY(walk->visit(walk->visit_context, &run, worker));
        first += count;
    }
    return 0;
}

static int walk_item(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    const uint64_t each = TILES_AT_ONCE * RUNS_PER_ITEM;
    const uint64_t last = walk->tiles < (item + 1) * each ? walk->tiles : (item + 1) * each;
    const size_t bytes = (DISTANCE_PLANES_MAX + 2) * TILES_AT_ONCE * walk->solution->backend->layout.tile_lanes / 8;
    uint64_t *memory = malloc(bytes);
    if (memory == NULL)
        return error_memory(bytes, "reading a solution");
    const int code = walk_tiles(walk, walk->first + item * each, walk->first + last, memory, worker);
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
