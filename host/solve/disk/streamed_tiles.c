// streamed_tiles.c - the tiles of a streamed solution: a window of White's moves at a time, with all its planes
//
// Positions with White to move are logged in windows of White's moves: their distances are put together from the log when a window is
// looked at. Those with Black to move are logged in windows of Black's moves, which hold all squares of the black king; once the
// endgame is solved their planes are made from the log, to be read in the other direction.
#include "solve/disk/streamed_inside.h"

#include "table/packed_bits.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

// ---- the log of one window ----

static int by_window(const void *a, const void *b)
{
    const struct log_entry *x = a;
    const struct log_entry *y = b;
    if (x->record.group != y->record.group)
        return x->record.group < y->record.group ? -1 : 1;
    if (x->record.piece != y->record.piece)
        return x->record.piece < y->record.piece ? -1 : 1;
    return (x->record.offset > y->record.offset) - (x->record.offset < y->record.offset);
}

// Some planes of one window, put together from the log.
struct gathering {
    struct streamed *streamed;
    int side;
    uint32_t group;
    uint64_t tiles; // of the window
    int planes;
    unsigned number[DISTANCE_PLANES_MAX];
    uint64_t *bits[DISTANCE_PLANES_MAX];
    uint64_t first;                     // entries of the window
    uint64_t last;                      //
    struct packed_bits_packer **packer; // [threads]
    void **record;                      // [threads] of record_bytes
    size_t record_bytes;
};

static uint64_t first_entry(const struct streamed *streamed, uint32_t group, uint64_t piece)
{
    uint64_t low = 0;
    uint64_t high = streamed->entries;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const struct stream_record *record = &streamed->entry[middle].record;
        if (record->group < group || (record->group == group && record->piece < piece))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int add_record(const struct gathering *gathering, const struct log_entry *entry, int worker)
{
    const struct streamed *streamed = gathering->streamed;
    const struct logged_step *step = &streamed->step[entry->step];
    const uint64_t piece = stream_piece_tiles(&streamed->grid);
    const uint64_t first = entry->record.piece * piece;
    bool wanted = false;
    for (int p = 0; p < gathering->planes; p++)
        wanted |= step->set >> gathering->number[p] & 1;
    if (step->side != gathering->side || !wanted)
        return 0;
    if (first >= gathering->tiles || entry->record.bytes > gathering->record_bytes)
        return error_set(CLTB_E_CORRUPT, "the log of %s has a record that does not fit", streamed->options.name);
    TRY(scratch_log_read(streamed->scratch, entry->record.offset, gathering->record[worker], entry->record.bytes));
    const uint64_t count = gathering->tiles - first < piece ? gathering->tiles - first : piece;
    const size_t tile_words = streamed->grid.tile_bytes / 8;
    for (int p = 0; p < gathering->planes; p++) {
        if (step->set >> gathering->number[p] & 1)
            TRY(packed_bits_or(gathering->packer[worker], gathering->record[worker], entry->record.bytes,
                               gathering->bits[p] + first * tile_words, count * tile_words));
    }
    return 0;
}

static int gather_piece(void *context, uint64_t piece, int worker)
{
    const struct gathering *gathering = context;
    const struct streamed *streamed = gathering->streamed;
    const uint64_t last = first_entry(streamed, gathering->group, piece + 1);
    for (uint64_t i = first_entry(streamed, gathering->group, piece); i < last; i++)
        TRY(add_record(gathering, &streamed->entry[i], worker));
    return 0;
}

static void gathering_close(struct gathering *gathering, int threads)
{
    for (int i = 0; i < threads; i++) {
        if (gathering->packer != NULL)
            packed_bits_close(gathering->packer[i]);
        if (gathering->record != NULL)
            free(gathering->record[i]);
    }
    free(gathering->packer);
    free(gathering->record);
}

static int gathering_open(struct gathering *gathering, struct streamed *streamed, int threads)
{
    *gathering = (struct gathering){.streamed = streamed, .record_bytes = packed_bits_bound(STREAM_LOG_BYTES / 8)};
    gathering->packer = calloc((size_t)threads, sizeof(void *));
    gathering->record = calloc((size_t)threads, sizeof(void *));
    if (gathering->packer == NULL || gathering->record == NULL) {
        error_memory((size_t)threads * sizeof(void *), "reading the log");
        return CLTB_E_MEMORY;
    }
    int code = 0;
    for (int i = 0; code == 0 && i < threads; i++) {
        gathering->record[i] = malloc(gathering->record_bytes);
        code = gathering->record[i] == NULL ? error_memory(gathering->record_bytes, "a record of the log")
                                            : packed_bits_open(&gathering->packer[i], STREAM_LOG_BYTES / 8);
    }
    if (!streamed->sorted && streamed->entries > 0)
        qsort(streamed->entry, streamed->entries, sizeof *streamed->entry, by_window);
    streamed->sorted = true;
    return code;
}

// The planes listed, for one window; their bits are cleared first.
static int gather(struct gathering *gathering, struct thread_pool *pool, int side, uint32_t group)
{
    const struct stream_grid *grid = &gathering->streamed->grid;
    gathering->side = side;
    gathering->group = group;
    gathering->tiles = stream_count(grid, side, group) * grid->at[side].locals;
    for (int p = 0; p < gathering->planes; p++)
        memset(gathering->bits[p], 0, gathering->tiles * grid->tile_bytes);
    const uint64_t piece = stream_piece_tiles(grid);
    return threads_each(pool, (gathering->tiles + piece - 1) / piece, gather_piece, gathering);
}

// ---- planes out of the log ----

struct settling {
    struct gathering gathering;
    struct thread_pool *pool;
    struct stream_grid *grid;
    uint8_t *active; // [tiles of a window], all 1
    void *block;
};

// One window of Black's moves: the bits of some planes, from the log, into their blocks.
static int settle_window(struct settling *settling, uint32_t group)
{
    struct gathering *gathering = &settling->gathering;
    struct scratch *scratch = gathering->streamed->scratch;
    const struct stream_grid *grid = settling->grid;
    TRY(gather(gathering, settling->pool, BLACK, group));
    for (int p = 0; p < gathering->planes; p++) {
        for (uint32_t other = 0; other < grid->groups[WHITE]; other++) {
            const size_t bytes =
                stream_block_out(grid, BLACK, group, other, settling->block, gathering->bits[p], settling->active);
            if (bytes > 0)
                TRY(scratch_write(scratch, gathering->number[p], stream_block(grid, group, other), settling->block,
                                  bytes));
        }
    }
    return 0;
}

static int settle_planes(struct settling *settling, struct plane *const *planes, int count)
{
    struct gathering *gathering = &settling->gathering;
    gathering->planes = count;
    for (int p = 0; p < count; p++)
        gathering->number[p] = planes[p]->number;
    const struct streamed_options *options = &gathering->streamed->options;
    for (uint32_t group = 0; group < settling->grid->groups[BLACK]; group++) {
        if (options->stop != NULL && options->stop(options->context) != 0)
            return error_set(CLTB_E_INTERRUPTED, "interrupted before the table is written");
        TRY(settle_window(settling, group));
    }
    for (int p = 0; p < count; p++)
        planes[p]->logged = false;
    return 0;
}

enum { SETTLED_AT_ONCE = 4 };

static int settle_all(struct settling *settling, const struct solution *solution)
{
    const size_t bytes = stream_window_tiles(settling->grid) * settling->grid->tile_bytes;
    struct plane *planes[DISTANCE_PLANES_MAX];
    int count = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        struct plane *plane = solution->distance[BLACK][bit];
        if (plane != NULL && plane->logged)
            planes[count++] = plane;
    }
    const int most = count < SETTLED_AT_ONCE ? count : SETTLED_AT_ONCE;
    for (int p = 0; p < most; p++) {
        settling->gathering.bits[p] = memory_map(bytes);
        if (settling->gathering.bits[p] == NULL)
            return error_memory(bytes, "a window");
    }
    for (int p = 0; p < count; p += most)
        TRY(settle_planes(settling, planes + p, count - p < most ? count - p : most));
    return 0;
}

int streamed_settle(const struct solution *solution, struct thread_pool *pool)
{
    struct streamed *streamed = streamed_of(solution->backend);
    struct settling settling = {.pool = pool, .grid = &streamed->grid};
    const size_t tiles = stream_window_tiles(&streamed->grid);
    TRY(streamed_flush(streamed));
    stream_windows_release(streamed->windows);
    int code = gathering_open(&settling.gathering, streamed, threads_count(pool));
    settling.active = malloc(tiles);
    if (settling.active == NULL ||
        posix_memalign(&settling.block, SCRATCH_ALIGN, scratch_slot(streamed->scratch)) != 0) {
        error_memory(tiles + scratch_slot(streamed->scratch), "a block");
        code = CLTB_E_MEMORY;
    }
    if (code == 0) {
        memset(settling.active, 1, tiles);
        memset(settling.block, 0, scratch_slot(streamed->scratch));
        code = settle_all(&settling, solution);
    }
    for (int p = 0; p < DISTANCE_PLANES_MAX; p++) {
        if (settling.gathering.bits[p] != NULL)
            memory_unmap(settling.gathering.bits[p], tiles * streamed->grid.tile_bytes);
    }
    gathering_close(&settling.gathering, threads_count(pool));
    free(settling.active);
    free(settling.block);
    return code;
}

// ---- tiles ----

enum { PLANE_WON, PLANE_DECIDED, PLANES_FIXED, SHOWN_TILES = 16 };

struct showing {
    struct gathering gathering;
    struct streamed *streamed;
    const struct tile_filter *filter;
    tile_visit *visit;
    void *visit_context;
    uint32_t group;
    uint8_t *active;
    void *block;
    uint64_t *number; // [tiles of the window] tiles of the whole table
    uint64_t *fixed[PLANES_FIXED];
    uint64_t *distance[DISTANCE_PLANES_MAX];
};

static int load_plane(struct showing *showing, const struct plane *plane, uint64_t *bits)
{
    const struct stream_grid *grid = &showing->streamed->grid;
    struct scratch *scratch = showing->streamed->scratch;
    for (uint32_t row = 0; row < grid->groups[BLACK]; row++) {
        const uint32_t block = stream_block(grid, row, showing->group);
        if (scratch_empty(scratch, plane->number, block)) {
            stream_block_clear(grid, WHITE, showing->group, row, bits, showing->active, false);
            continue;
        }
        TRY(scratch_read(scratch, plane->number, block, showing->block));
        stream_block_in(grid, WHITE, showing->group, row, showing->block, bits, showing->active, false);
    }
    return 0;
}

static int take_memory(const struct showing *showing, uint64_t **bits)
{
    const size_t bytes = stream_window_tiles(&showing->streamed->grid) * showing->streamed->grid.tile_bytes;
    if (*bits == NULL)
        *bits = memory_map(bytes);
    return *bits == NULL ? error_memory(bytes, "a window") : 0;
}

// All planes of one side to move in a window.
static int load_window(struct showing *showing, const struct solution *solution, int side, struct thread_pool *pool)
{
    struct gathering *gathering = &showing->gathering;
    const struct plane *fixed[PLANES_FIXED] = {solution->won[side], solution->resolved[side]};
    gathering->planes = 0;
    for (int i = 0; i < PLANES_FIXED; i++) {
        TRY(take_memory(showing, &showing->fixed[i]));
        TRY(load_plane(showing, fixed[i], showing->fixed[i]));
    }
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        const struct plane *plane = solution->distance[side][bit];
        if (plane == NULL)
            continue;
        TRY(take_memory(showing, &showing->distance[bit]));
        if (!plane->logged) {
            TRY(load_plane(showing, plane, showing->distance[bit]));
            continue;
        }
        if (plane->side != WHITE)
            return error_set(CLTB_E_USAGE, "a solution that is not settled");
        gathering->number[gathering->planes] = plane->number;
        gathering->bits[gathering->planes++] = showing->distance[bit];
    }
    return gathering->planes == 0 ? 0 : gather(gathering, pool, WHITE, showing->group);
}

static int show_tiles(void *context, uint64_t item, int worker)
{
    const struct showing *showing = context;
    const struct stream_grid *grid = &showing->streamed->grid;
    const uint64_t tiles = stream_count(grid, WHITE, showing->group) * grid->at[WHITE].locals;
    const uint64_t first = item * SHOWN_TILES;
    const size_t words = grid->tile_bytes / 8;
    struct tile_run run = {.count = tiles - first < SHOWN_TILES ? tiles - first : SHOWN_TILES,
                           .number = showing->number + first};
    run.planes.won = showing->fixed[PLANE_WON] + first * words;
    run.planes.resolved = showing->fixed[PLANE_DECIDED] + first * words;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        if (showing->distance[bit] != NULL)
            run.planes.distance[bit] = showing->distance[bit] + first * words;
    }
    return showing->visit(showing->visit_context, &run, worker);
}

static void number_tiles(const struct showing *showing)
{
    const struct side_blocks *at = &showing->streamed->grid.at[WHITE];
    uint64_t *number = showing->number;
    const uint64_t first = stream_first(&showing->streamed->grid, WHITE, showing->group);
    for (uint64_t block = 0; block < stream_count(&showing->streamed->grid, WHITE, showing->group); block++) {
        const uint64_t tile = side_blocks_first(at, first + block, NULL);
        for (uint32_t local = 0; local < at->locals; local++)
            *number++ = tile + at->offset[local];
    }
}

// Is any tile of the window wanted, as far as Black's digits tell?
static bool window_wanted(const struct showing *showing)
{
    const struct stream_grid *grid = &showing->streamed->grid;
    const struct layout *layout = &showing->streamed->base.layout;
    const uint64_t first = stream_first(grid, WHITE, showing->group);
    for (uint64_t block = first; block < first + stream_count(grid, WHITE, showing->group); block++) {
        struct tile_men men = {0};
        bool wanted = true;
        side_blocks_first(&grid->at[WHITE], block, &men);
        for (int i = 0; wanted && i < layout->pieces; i++)
            wanted = layout->colour[i] != BLACK || (showing->filter->u[i] >> men.u[i] & 1);
        if (wanted)
            return true;
    }
    return false;
}

static int show_king(struct showing *showing, const struct solution *solution, int side, unsigned king,
                     struct thread_pool *pool)
{
    const struct stream_grid *grid = &showing->streamed->grid;
    const uint32_t each = grid->groups[WHITE] / TRIANGLE_SQUARES;
    for (uint32_t g = king * each; g < (king + 1) * each; g++) {
        showing->group = g;
        if (showing->filter != NULL && !window_wanted(showing))
            continue;
        TRY(load_window(showing, solution, side, pool));
        number_tiles(showing);
        const uint64_t tiles = stream_count(grid, WHITE, g) * grid->at[WHITE].locals;
        TRY(threads_each(pool, (tiles + SHOWN_TILES - 1) / SHOWN_TILES, show_tiles, showing));
    }
    return 0;
}

static void close_showing(struct showing *showing, int threads)
{
    const size_t bytes = stream_window_tiles(&showing->streamed->grid) * showing->streamed->grid.tile_bytes;
    for (int i = 0; i < PLANES_FIXED; i++)
        if (showing->fixed[i] != NULL)
            memory_unmap(showing->fixed[i], bytes);
    for (int i = 0; i < DISTANCE_PLANES_MAX; i++)
        if (showing->distance[i] != NULL)
            memory_unmap(showing->distance[i], bytes);
    gathering_close(&showing->gathering, threads);
    free(showing->active);
    free(showing->block);
    free(showing->number);
}

static int each_run(void *context, int side, unsigned king, const struct tile_filter *filter, struct thread_pool *pool,
                    tile_visit *visit, void *visit_context)
{
    const struct solution *solution = context;
    struct streamed *streamed = streamed_of(solution->backend);
    struct showing showing = {.streamed = streamed, .filter = filter, .visit = visit, .visit_context = visit_context};
    const size_t tiles = stream_window_tiles(&streamed->grid);
    int code = gathering_open(&showing.gathering, streamed, threads_count(pool));
    showing.active = malloc(tiles);
    showing.number = malloc(tiles * sizeof *showing.number);
    if (code == 0 && (showing.active == NULL || showing.number == NULL ||
                      posix_memalign(&showing.block, SCRATCH_ALIGN, scratch_slot(streamed->scratch)) != 0))
        code = error_memory(tiles * 9, "a window");
    if (code == 0)
        code = show_king(&showing, solution, side, king, pool);
    close_showing(&showing, threads_count(pool));
    return code;
}

struct tile_source streamed_tiles(const struct solution *solution, uint64_t *memory)
{
    const struct streamed *streamed = streamed_of(solution->backend);
    const uint64_t tiles = stream_window_tiles(&streamed->grid);
    *memory = tiles * (streamed->grid.tile_bytes * (PLANES_FIXED + 8) + 9) + scratch_slot(streamed->scratch);
    return (struct tile_source){.layout = &streamed->base.layout,
                                .value = solution->value,
                                .kept = {solution->kept[WHITE], solution->kept[BLACK]},
                                .longest = solution->longest,
                                .context = (void *)(uintptr_t)solution,
                                .each_run = each_run};
}
