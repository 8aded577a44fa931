// tile_source.c - the tiles of a solution in a backend's planes
//
// From planes in the host's memory each thread reads a few tiles at a time, which stay in its cache. From a device a
// chunk of the wanted tiles is read at once, of all planes, while all threads visit the tiles of the chunk before:
//
//     half 0:  read chunk 0 | visit chunk 0 | read chunk 2 | ...
//     half 1:               | read chunk 1  | visit chunk 1 | ...
#include "solve/tile_source.h"

#include "util/error.h"

#include <stdlib.h>

enum {
    RUN_BYTES = 64 << 10, // of a plane, in one read
    ITEM_TILES = 128,     // in a work item, which makes one or more reads
    BULK_TILES = 16,      // in a work item of a bulk read, at most
    GAP_BYTES = 64 << 10, // between wanted tiles: these are read as well, which is faster than another command
    ITEMS_PER_THREAD = 4
};

struct walk {
    const struct solution *solution;
    int side;
    const struct tile_filter *filter;
    tile_visit *visit;
    void *visit_context;
    uint64_t first; // the first tile with the king's square
    uint64_t tiles; //
};

// Reads the tiles of an item; those that are wanted come in runs as long as possible.
static int walk_item(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    const struct layout *layout = &walk->solution->backend->layout;
    const uint64_t each = ITEM_TILES;
    const uint64_t tile_bytes = layout->tile_lanes / 8;
    const uint64_t fit = RUN_BYTES / tile_bytes;
    const uint64_t at_once = fit == 0 ? 1 : fit < each ? fit : each;
    const uint64_t last = walk->first + (walk->tiles < (item + 1) * each ? walk->tiles : (item + 1) * each);
    const size_t bytes = SOLUTION_PLANES * at_once * tile_bytes;
    uint64_t *memory = malloc(bytes);
    if (memory == NULL)
        return error_memory(bytes, "reading a solution");
    int code = 0;
    for (uint64_t first = walk->first + item * each; code == 0 && first < last;) {
        uint64_t count = 0;
        for (; count < at_once && first + count < last; count++) {
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

// ---- bulk reads ----

struct chunk {
    uint64_t *number; // [room] tiles, in rising order
    uint64_t tiles;
};

struct bulk_walk {
    struct walk walk;
    uint64_t room;       // tiles in a chunk
    uint64_t item_tiles; //
    uint64_t next;       // the first tile of the next chunk
    uint64_t *half[2];
    struct chunk chunk[2];
    struct plane_piece *piece; // [room * SOLUTION_PLANES]
    int visited;               // the number of the chunk
};

// Begins to read the next wanted tiles; if the chunk gets none, there are no more.
static int begin_chunk(struct bulk_walk *bulk, int half)
{
    const struct walk *walk = &bulk->walk;
    const struct solution *solution = walk->solution;
    struct backend *backend = solution->backend;
    const size_t words = (size_t)(backend->layout.tile_lanes / 64);
    const uint64_t gap = GAP_BYTES / (words * sizeof(uint64_t));
    struct chunk *chunk = &bulk->chunk[half];
    size_t pieces = 0;
    chunk->tiles = 0;
    for (; bulk->next < walk->first + walk->tiles && chunk->tiles < bulk->room; bulk->next++) {
        unsigned king;
        uint8_t u[LAYOUT_PIECES_MAX];
        layout_digits(&backend->layout, bulk->next, &king, u);
        if (!tile_wanted(walk->filter, &backend->layout, u))
            continue;
        uint64_t from = chunk->tiles > 0 ? chunk->number[chunk->tiles - 1] + 1 : bulk->next;
        if (bulk->next - from > gap || bulk->next - from >= bulk->room - chunk->tiles)
            from = bulk->next;
        while (from <= bulk->next)
            chunk->number[chunk->tiles++] = from++;
    }
    for (int i = 0, n = 0; i < SOLUTION_PLANES; i++) {
        const struct plane *plane = solution_plane(solution, walk->side, i);
        uint64_t *to = bulk->half[half] + (size_t)n * bulk->room * words;
        n += plane != NULL;
        for (uint64_t at = 0, count; plane != NULL && at < chunk->tiles; at += count) {
            for (count = 1; at + count < chunk->tiles && chunk->number[at + count] == chunk->number[at] + count;)
                count++;
            bulk->piece[pieces++] = (struct plane_piece){plane, chunk->number[at], count, to + at * words};
        }
    }
    return backend->bulk->begin(backend, half, bulk->piece, pieces);
}

static int visit_chunk(void *context, uint64_t item, int worker)
{
    const struct bulk_walk *bulk = context;
    const struct chunk *chunk = &bulk->chunk[bulk->visited];
    const uint64_t first = item * bulk->item_tiles;
    const uint64_t left = chunk->tiles - first;
    const struct solution *solution = bulk->walk.solution;
    const size_t words = (size_t)(solution->backend->layout.tile_lanes / 64);
    struct tile_run run = {.count = left < bulk->item_tiles ? left : bulk->item_tiles, .number = chunk->number + first};
    for (int i = 0, n = 0; i < SOLUTION_PLANES; i++) {
        if (solution_plane(solution, bulk->walk.side, i) != NULL)
            *slice_side_plane(&run.planes, i) =
                bulk->half[bulk->visited] + ((uint64_t)n++ * bulk->room + first) * words;
    }
    return bulk->walk.visit(bulk->walk.visit_context, &run, worker);
}

static int each_run_in_bulk(const struct walk *walk, struct thread_pool *pool)
{
    struct backend *backend = walk->solution->backend;
    const struct backend_bulk *ops = backend->bulk;
    struct bulk_walk bulk = {.walk = *walk, .next = walk->first};
    uint64_t planes = 0;
    for (int i = 0; i < SOLUTION_PLANES; i++)
        planes += solution_plane(walk->solution, walk->side, i) != NULL;
    bulk.room = walk->tiles;
    TRY(ops->halves(backend, (size_t)(planes * backend->layout.tile_lanes / 8), &bulk.room, bulk.half));
    bulk.item_tiles = bulk.room / (uint64_t)(ITEMS_PER_THREAD * threads_count(pool));
    bulk.item_tiles = bulk.item_tiles == 0 ? 1 : bulk.item_tiles > BULK_TILES ? BULK_TILES : bulk.item_tiles;
    bulk.chunk[0].number = malloc(2 * bulk.room * sizeof *bulk.chunk[0].number);
    bulk.piece = malloc(bulk.room * SOLUTION_PLANES * sizeof *bulk.piece);
    int code = 0;
    if (bulk.chunk[0].number == NULL || bulk.piece == NULL)
        code = error_memory(bulk.room * SOLUTION_PLANES * sizeof *bulk.piece, "reading a solution");
    if (code == 0) {
        bulk.chunk[1].number = bulk.chunk[0].number + bulk.room;
        code = begin_chunk(&bulk, 0);
    }
    while (code == 0 && bulk.chunk[bulk.visited].tiles > 0) {
        const uint64_t tiles = bulk.chunk[bulk.visited].tiles;
        code = begin_chunk(&bulk, 1 - bulk.visited);
        if (code == 0)
            code = ops->wait(backend, bulk.visited);
        if (code == 0)
            code = threads_each(pool, (tiles + bulk.item_tiles - 1) / bulk.item_tiles, visit_chunk, &bulk);
        bulk.visited = 1 - bulk.visited;
    }
    for (int half = 0; half < 2 && code != 0; half++)
        ops->wait(backend, half);
    free(bulk.chunk[0].number);
    free(bulk.piece);
    return code;
}

// ---- the source ----

static int each_run(void *context, int side, unsigned king, const struct tile_filter *filter, struct thread_pool *pool,
                    tile_visit *visit, void *visit_context)
{
    const struct solution *solution = context;
    const uint64_t tiles = solution->backend->layout.king_stride;
    struct walk walk = {solution, side, filter, visit, visit_context, king * tiles, tiles};
    const uint64_t each = ITEM_TILES;
    if (solution->backend->bulk != NULL)
        return each_run_in_bulk(&walk, pool);
    return threads_each(pool, (tiles + each - 1) / each, walk_item, &walk);
}

_Static_assert((int)BACKEND_CODE_BITS == (int)SOLUTION_PLANES, "a code has a bit of each plane");

static int make_symbols(void *context, int side, struct symbols_request *request, struct thread_pool *pool, bool *made)
{
    const struct solution *solution = context;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
        request->plane[bit] = solution->distance[side][bit];
    request->plane[DISTANCE_PLANES_MAX] = solution->won[side];
    request->plane[DISTANCE_PLANES_MAX + 1] = solution->resolved[side];
    return solution->backend->bulk->symbols(solution->backend, request, pool, made);
}

struct tile_source solution_tiles(const struct solution *solution)
{
    return (struct tile_source){.layout = &solution->backend->layout,
                                .value = solution->value,
                                .kept = {solution->kept[WHITE], solution->kept[BLACK]},
                                .longest = solution->longest,
                                .context = (void *)(uintptr_t)solution,
                                .each_run = each_run,
                                .symbols = solution->backend->bulk != NULL ? make_symbols : NULL};
}
