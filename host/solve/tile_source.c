// tile_source.c - the tiles of a solution in a backend's planes
//
// From planes in the host's memory each thread reads a few tiles at a time, which stay in its cache. From a device a
// chunk of the wanted tiles is read at once, of all planes, while all threads visit the tiles of the chunk before:
//
//     half 0:  read chunk 0 | visit chunk 0 | read chunk 2 | ...
//     half 1:               | read chunk 1  | visit chunk 1 | ...
//
// Pairs, the tiles of both sides to move together, are read in the same way, in one walk over the whole table.
//
// A layout of pairs of kings is read in its shown form, except in pairs: the eight l digits of the white king are eight
// tiles of different heads. Where the white king touches the black one, the entries are made illegal. Where it stands
// above the diagonal and the black king on it, they are copies of those with its mirror image: the same positions, each
// at another entry of the tile, so that counts are right, and nobody looks at a single one.
#include "solve/tile_source.h"

#include "solve/backend_bulk.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    RUN_BYTES = 64 << 10,  // of a plane, in one read
    PAIR_BYTES = 32 << 10, // the same of both sides
    ITEM_TILES = 128,      // in a work item, which makes one or more reads
    BULK_TILES = 16,       // in a work item of a bulk read, at most
    GAP_BYTES = 64 << 10,  // between wanted tiles: these are read as well, which is faster than another command
    ITEMS_PER_THREAD = 4,
    U_DIGITS = 8,
    ACROSS_MOST = 16
};

struct walk {
    const struct solution *solution;
    int side; // to move, or the first of them
    const struct tile_filter *filter;
    tile_visit *visit;
    void *visit_context;
    uint64_t first;              // the first tile with the king's square
    uint64_t stride;             // tiles from one u digit to the next of the piece whose digits come together, or 0
    uint64_t tiles;              //
    tile_pair_visit *visit_pair; // in place of `visit`: tiles of both sides are wanted
};

// The head with the kings on these squares, or on the white king's mirror image; KING_PAIRS: there is none.
static unsigned shown_head(unsigned black, int white)
{
    const int seen = pair_squares[black] >> white & 1 ? white : square_apply(symmetry_then_diagonal(0), white);
    return pair_squares[black] >> seen & 1 && (seen == white || square_on_diagonal(triangle_square[black]))
               ? pair_number(black, seen)
               : KING_PAIRS;
}

// Reads `count` shown tiles that differ neither in the black king's square nor in the white king's u digit. `parts` has
// room for as many tiles of a head.
static int read_shown(const struct walk *walk, uint64_t first, uint64_t count, uint64_t *parts,
                      const struct slice_side *to)
{
    enum { WHITE_KING = 0 };
    const struct solution *solution = walk->solution;
    const struct layout *shown = &solution->shown;
    const struct layout *layout = &solution->backend->layout;
    const size_t words = layout->tile_lanes / 64;
    const unsigned black = (unsigned)(first / shown->king_stride);
    const uint64_t u = first % shown->king_stride / shown->stride[WHITE_KING];
    const uint64_t rest = first % shown->stride[WHITE_KING];
    struct slice_side mutable = *to;
    for (unsigned l = 0; l < 8; l++) {
        const unsigned head = shown_head(black, code_square[8 * u + l]);
        struct slice_side from;
        if (head < KING_PAIRS)
            TRY(solution_planes(solution, walk->side, head * layout->king_stride + rest, count, count, parts, &from));
        for (int i = 0; i < SOLUTION_PLANES; i++) {
            uint64_t *plane = (uint64_t *)(uintptr_t)*slice_side_plane(&mutable, i) + l * words;
            for (uint64_t tile = 0; *slice_side_plane(&mutable, i) != NULL && tile < count; tile++) {
                if (head < KING_PAIRS)
                    memcpy(plane + 8 * words * tile, *slice_side_plane(&from, i) + words * tile, words * 8);
                else
                    memset(plane + 8 * words * tile, i == 0 ? 0xff : 0, words * 8);
            }
        }
    }
    return 0;
}

// Reads shown tiles as solution_planes() does, with room for an eighth more.
static int shown_planes(const struct walk *walk, uint64_t first, uint64_t count, uint64_t room, uint64_t *memory,
                        struct slice_side *planes)
{
    const struct solution *solution = walk->solution;
    const struct layout *shown = &solution->shown;
    const size_t words = shown->tile_lanes / 64;
    if (!solution->backend->layout.kings)
        return solution_planes(solution, walk->side, first, count, room, memory, planes);
    *planes = (struct slice_side){.won = NULL};
    for (int i = 0; i < SOLUTION_PLANES; i++) {
        if (solution_plane(solution, walk->side, i) == NULL)
            continue;
        *slice_side_plane(planes, i) = memory;
        memory += room * words;
    }
    for (uint64_t done = 0, some; done < count; done += some) {
        const uint64_t left = shown->stride[0] - (first + done) % shown->stride[0];
        struct slice_side to = *planes;
        some = count - done < left ? count - done : left;
        for (int i = 0; i < SOLUTION_PLANES; i++) {
            if (*slice_side_plane(&to, i) != NULL)
                *slice_side_plane(&to, i) += done * words;
        }
        TRY(read_shown(walk, first + done, some, memory, &to));
    }
    return 0;
}

// What shown_planes() needs for `room` tiles.
static size_t shown_bytes(const struct layout *shown, uint64_t room)
{
    return SOLUTION_PLANES * room * shown->tile_lanes / 8 * 9 / 8;
}

// Reads the tiles of an item; those that are wanted come in runs as long as possible.
static int walk_item(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    const struct layout *layout = &walk->solution->shown;
    const uint64_t each = ITEM_TILES;
    const uint64_t tile_bytes = layout->tile_lanes / 8;
    const uint64_t fit = RUN_BYTES / tile_bytes;
    const uint64_t at_once = fit == 0 ? 1 : fit < each ? fit : each;
    const uint64_t last = walk->first + (walk->tiles < (item + 1) * each ? walk->tiles : (item + 1) * each);
    const size_t bytes = shown_bytes(layout, at_once);
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
        struct tile_run run = {.count = count, .first = first, .across = walk->stride};
        first += count > 0 ? count : 1;
        if (count == 0)
            continue;
        code = shown_planes(walk, run.first, count, count, memory, &run.planes);
        THEN(code, walk->visit(walk->visit_context, &run, worker));
    }
    free(memory);
    return code;
}

// How many tiles with consecutive numbers are read for each u digit of the piece whose digits come together. A tile of
// a pair of kings is smaller, and a short read may take as long as one of so many.
static uint64_t square_across(const struct walk *walk)
{
    return walk->solution->backend->layout.kings ? ACROSS_MOST : U_DIGITS;
}

static uint64_t square_rows(const struct walk *walk)
{
    return (walk->stride + square_across(walk) - 1) / square_across(walk);
}

// Reads the tiles with all these u digits and some consecutive numbers.
static int walk_square(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    const struct layout *layout = &walk->solution->shown;
    const size_t words = (size_t)(layout->tile_lanes / 64);
    const uint64_t rows = square_rows(walk);
    const uint64_t low = item % rows * square_across(walk);
    const uint64_t left = walk->stride - low;
    const uint64_t across = left < square_across(walk) ? left : square_across(walk);
    const uint64_t first = walk->first + item / rows * U_DIGITS * walk->stride + low;
    const size_t bytes = shown_bytes(layout, U_DIGITS * across);
    uint64_t number[U_DIGITS * ACROSS_MOST];
    struct tile_run run = {.count = U_DIGITS * across, .number = number, .across = across};
    uint64_t *memory = malloc(bytes);
    if (memory == NULL)
        return error_memory(bytes, "reading a solution");
    int code = 0;
    for (uint64_t u = U_DIGITS; code == 0 && u-- > 0;) {
        for (uint64_t i = 0; i < across; i++)
            number[across * u + i] = first + u * walk->stride + i;
        code =
            shown_planes(walk, number[across * u], across, U_DIGITS * across, memory + across * u * words, &run.planes);
    }
    THEN(code, walk->visit(walk->visit_context, &run, worker));
    free(memory);
    return code;
}

// Tiles of both sides in one read from memory.
static uint64_t pair_tiles(const struct layout *layout)
{
    const uint64_t fit = PAIR_BYTES / (layout->tile_lanes / 8);
    return fit == 0 ? 1 : fit;
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
    struct plane_piece *piece; // [room * planes]
    int planes;                //
    int visited;               // the number of the chunk
};

// Plane `number` of those that a walk reads, counted over its sides; NULL: all zero.
static const struct plane *walk_plane(const struct walk *walk, int number)
{
    return solution_plane(walk->solution, walk->side + number / SOLUTION_PLANES, number % SOLUTION_PLANES);
}

static int walk_planes(const struct walk *walk)
{
    return walk->visit_pair != NULL ? COLOURS * SOLUTION_PLANES : SOLUTION_PLANES;
}

// Begins to read the next wanted tiles; if the chunk gets none, there are no more.
static int begin_chunk(struct bulk_walk *bulk, int half)
{
    const struct walk *walk = &bulk->walk;
    struct backend *backend = walk->solution->backend;
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
    for (int i = 0, n = 0; i < walk_planes(walk); i++) {
        const struct plane *plane = walk_plane(walk, i);
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
    const struct walk *walk = &bulk->walk;
    const struct chunk *chunk = &bulk->chunk[bulk->visited];
    const uint64_t first = item * bulk->item_tiles;
    const uint64_t left = chunk->tiles - first;
    const uint64_t count = left < bulk->item_tiles ? left : bulk->item_tiles;
    const size_t words = (size_t)(walk->solution->backend->layout.tile_lanes / 64);
    struct tile_pair pair = {.count = count, .number = chunk->number + first};
    for (int i = 0, n = 0; i < walk_planes(walk); i++) {
        if (walk_plane(walk, i) != NULL)
            *slice_side_plane(&pair.side[i / SOLUTION_PLANES], i % SOLUTION_PLANES) =
                bulk->half[bulk->visited] + ((uint64_t)n++ * bulk->room + first) * words;
    }
    if (walk->visit_pair != NULL)
        return walk->visit_pair(walk->visit_context, &pair, worker);
    const struct tile_run run = {.count = count, .number = pair.number, .planes = pair.side[0]};
    return walk->visit(walk->visit_context, &run, worker);
}

static int walk_in_bulk(const struct walk *walk, struct thread_pool *pool)
{
    struct backend *backend = walk->solution->backend;
    const struct backend_bulk *ops = backend->bulk;
    struct bulk_walk bulk = {.walk = *walk, .next = walk->first};
    for (int i = 0; i < walk_planes(walk); i++)
        bulk.planes += walk_plane(walk, i) != NULL;
    bulk.room = walk->tiles;
    TRY(ops->halves(backend, (size_t)bulk.planes * backend->layout.tile_lanes / 8, &bulk.room, bulk.half));
    bulk.item_tiles = bulk.room / (uint64_t)(ITEMS_PER_THREAD * threads_count(pool));
    bulk.item_tiles = bulk.item_tiles == 0 ? 1 : bulk.item_tiles > BULK_TILES ? BULK_TILES : bulk.item_tiles;
    bulk.chunk[0].number = malloc(2 * bulk.room * sizeof *bulk.chunk[0].number);
    bulk.piece = malloc(bulk.room * (size_t)bulk.planes * sizeof *bulk.piece);
    int code = 0;
    if (bulk.chunk[0].number == NULL || bulk.piece == NULL)
        code = error_memory(bulk.room * (size_t)bulk.planes * sizeof *bulk.piece, "reading a solution");
    if (code == 0) {
        bulk.chunk[1].number = bulk.chunk[0].number + bulk.room;
        code = begin_chunk(&bulk, 0);
    }
    while (code == 0 && bulk.chunk[bulk.visited].tiles > 0) {
        const uint64_t tiles = bulk.chunk[bulk.visited].tiles;
        code = begin_chunk(&bulk, 1 - bulk.visited);
        THEN(code, ops->wait(backend, bulk.visited));
        THEN(code, threads_each(pool, (tiles + bulk.item_tiles - 1) / bulk.item_tiles, visit_chunk, &bulk));
        bulk.visited = 1 - bulk.visited;
    }
    for (int half = 0; half < 2 && code != 0; half++)
        ops->wait(backend, half);
    free(bulk.chunk[0].number);
    free(bulk.piece);
    return code;
}

// ---- the source ----

static int each_run(void *context, int side, unsigned king, const struct tile_filter *filter, int together,
                    struct thread_pool *pool, tile_visit *visit, void *visit_context)
{
    const struct solution *solution = context;
    const struct layout *layout = &solution->shown;
    const uint64_t tiles = layout->king_stride;
    struct walk walk = {.solution = solution,
                        .side = side,
                        .filter = filter,
                        .visit = visit,
                        .visit_context = visit_context,
                        .first = king * tiles,
                        .tiles = tiles};
    const uint64_t each = ITEM_TILES;
    if (solution->backend->bulk != NULL)
        return walk_in_bulk(&walk, pool);
    // Only runs of whole rows are wanted.
    if (together >= 0 && filter == NULL && layout_is_single(layout, together))
        walk.stride = layout->stride[together];
    if (walk.stride == 1 && RUN_BYTES / (layout->tile_lanes / 8) < U_DIGITS)
        walk.stride = 0;
    if (walk.stride > 1)
        return threads_each(pool, tiles / (U_DIGITS * walk.stride) * square_rows(&walk), walk_square, &walk);
    return threads_each(pool, (tiles + each - 1) / each, walk_item, &walk);
}

// ---- both sides ----

static int read_pair(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    const struct layout *layout = &walk->solution->backend->layout;
    const uint64_t each = pair_tiles(layout);
    const uint64_t first = item * each;
    const uint64_t count = layout->tiles - first < each ? layout->tiles - first : each;
    const size_t size = SOLUTION_PLANES * each * (layout->tile_lanes / 64);
    const size_t all = COLOURS * size + each;
    uint64_t *memory = malloc(all * sizeof *memory);
    if (memory == NULL)
        return error_memory(all * sizeof *memory, "reading a solution");
    uint64_t *number = memory + COLOURS * size;
    struct tile_pair pair = {.count = count, .number = number};
    int code = 0;
    for (uint64_t tile = 0; tile < count; tile++)
        number[tile] = first + tile;
    for (int side = WHITE; code == 0 && side <= BLACK; side++)
        code =
            solution_planes(walk->solution, side, first, count, count, memory + (size_t)side * size, &pair.side[side]);
    THEN(code, walk->visit_pair(walk->visit_context, &pair, worker));
    free(memory);
    return code;
}

int solution_each_pair(const struct solution *solution, struct thread_pool *pool, tile_pair_visit *visit, void *context)
{
    const struct layout *layout = &solution->backend->layout;
    struct walk walk = {
        .solution = solution, .side = WHITE, .visit_context = context, .tiles = layout->tiles, .visit_pair = visit};
    const uint64_t each = pair_tiles(layout);
    if (solution->backend->bulk != NULL)
        return walk_in_bulk(&walk, pool);
    return threads_each(pool, (layout->tiles + each - 1) / each, read_pair, &walk);
}

_Static_assert((int)BACKEND_CODE_BITS == (int)SOLUTION_PLANES, "a code has a bit of each plane");

static int make_symbols(void *context, int side, struct symbols_request *request, struct thread_pool *pool, bool *made)
{
    const struct solution *solution = context;
    solution_code_planes(solution, side, request->plane);
    return solution->backend->bulk->symbols(solution->backend, request, pool, made);
}

struct tile_source solution_tiles(const struct solution *solution)
{
    return (struct tile_source){.layout = &solution->shown,
                                .value = solution->value,
                                .kept = {solution->kept[WHITE], solution->kept[BLACK]},
                                .longest = solution->longest,
                                .together = solution->backend->bulk == NULL,
                                .context = (void *)(uintptr_t)solution,
                                .each_run = each_run,
                                .symbols = solution->backend->bulk != NULL ? make_symbols : NULL};
}
