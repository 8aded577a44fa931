// streamed_tiles.c - the tiles of a streamed solution: a window of White's moves at a time, with all its planes
#include "solve/disk/streamed.h"

#include "solve/disk/streamed_state.h"
#include "table/packed_bits.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PLANE_WON, PLANE_RESOLVED, PLANE_DISTANCE, PLANES_MAX = SOLUTION_PLANES }; // as in solution_plane()

// Some planes of one window, loaded from blocks or put together from the log.
struct window {
    struct streamed *streamed;
    struct thread_pool *pool;
    int side;
    uint32_t group;
    uint64_t tiles;
    uint64_t *bits[COLOURS][PLANES_MAX]; // by side to move; allocated on first use, for the largest window
    // The planes that are put together from the log.
    int logged;
    unsigned number[DISTANCE_PLANES_MAX]; // in the scratch
    uint64_t *to[DISTANCE_PLANES_MAX];    // one of `bits`
    // Workspaces.
    struct packed_bits_packer **packer; // [threads]
    void **record;                      // [threads] of packed_bits_bound(STREAM_LOG_BYTES / 8)
    uint8_t *active;                    // [tiles of the largest window], all 1
    void *block;
};

static void window_close(struct window *window)
{
    const struct stream_grid *grid = &window->streamed->grid;
    for (int p = 0; p < COLOURS * PLANES_MAX; p++)
        if (window->bits[p / PLANES_MAX][p % PLANES_MAX] != NULL)
            memory_unmap(window->bits[p / PLANES_MAX][p % PLANES_MAX], stream_window_tiles(grid) * grid->tile_bytes);
    for (int i = 0; i < threads_count(window->pool); i++) {
        if (window->packer != NULL)
            packed_bits_close(window->packer[i]);
        if (window->record != NULL)
            free(window->record[i]);
    }
    free(window->packer);
    free(window->record);
    free(window->active);
    scratch_buffer_free(window->streamed->scratch, window->block);
}

// Must be closed, whatever the result.
static int window_open(struct window *window, struct streamed *streamed, struct thread_pool *pool)
{
    const size_t tiles = stream_window_tiles(&streamed->grid);
    const size_t threads = (size_t)threads_count(pool);
    const size_t record_bytes = packed_bits_bound(STREAM_LOG_BYTES / 8);
    *window = (struct window){.streamed = streamed, .pool = pool};
    window->packer = calloc(threads, sizeof(void *));
    window->record = calloc(threads, sizeof(void *));
    window->active = malloc(tiles);
    if (window->packer == NULL || window->record == NULL || window->active == NULL)
        return error_memory(tiles, "a window");
    TRY(scratch_buffer_new(streamed->scratch, &window->block));
    memset(window->active, 1, tiles);
    for (size_t i = 0; i < threads; i++) {
        window->record[i] = malloc(record_bytes);
        if (window->record[i] == NULL)
            return error_memory(record_bytes, "a record of the log");
        TRY(packed_bits_open(&window->packer[i], STREAM_LOG_BYTES / 8));
    }
    return 0;
}

static void window_move(struct window *window, int side, uint32_t group)
{
    const struct stream_grid *grid = &window->streamed->grid;
    window->side = side;
    window->group = group;
    window->tiles = stream_count(grid, side, group) * grid->at[side].locals;
}

static int need_bits(struct window *window, int side, int plane)
{
    const struct stream_grid *grid = &window->streamed->grid;
    const size_t bytes = stream_window_tiles(grid) * grid->tile_bytes;
    uint64_t **bits = &window->bits[side][plane];
    if (*bits == NULL)
        *bits = memory_map(bytes);
    return *bits == NULL ? error_memory(bytes, "a window") : 0;
}

// ---- planes out of the log ----

static int compare_records(const struct scratch_record *x, uint32_t group, uint64_t piece)
{
    if (x->group != group)
        return x->group < group ? -1 : 1;
    return (x->piece > piece) - (x->piece < piece);
}

static int by_window(const void *a, const void *b)
{
    const struct scratch_record *x = a;
    const struct scratch_record *y = b;
    const int order = compare_records(x, y->group, y->piece);
    return order != 0 ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

// The first of the sorted records that is not before this piece of the window.
static uint64_t first_record(const struct streamed *streamed, uint32_t group, uint64_t piece)
{
    uint64_t low = 0;
    uint64_t high;
    const struct scratch_record *records = scratch_records(streamed->scratch, &high);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (compare_records(&records[middle], group, piece) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int gather_piece(void *context, uint64_t piece, int worker)
{
    const struct window *window = context;
    const struct streamed *streamed = window->streamed;
    const uint64_t most = stream_piece_tiles(&streamed->grid);
    const uint64_t first = piece * most;
    const uint64_t count = window->tiles - first < most ? window->tiles - first : most;
    const size_t tile_words = streamed->grid.tile_bytes / 8;
    uint64_t records;
    const struct scratch_record *all = scratch_records(streamed->scratch, &records);
    const uint64_t last = first_record(streamed, window->group, piece + 1);
    for (uint64_t i = first_record(streamed, window->group, piece); i < last; i++) {
        const struct scratch_record *record = &all[i];
        const struct logged_step *step = &streamed->step[record->step];
        bool wanted = false;
        for (int p = 0; p < window->logged; p++)
            wanted |= step->set >> window->number[p] & 1;
        if (step->side != window->side || !wanted)
            continue;
        if (record->bytes > packed_bits_bound(STREAM_LOG_BYTES / 8))
            return error_set(CLTB_E_CORRUPT, "the log of a streamed table has a record that does not fit");
        TRY(scratch_log_read(streamed->scratch, record, window->record[worker]));
        uint64_t *to[DISTANCE_PLANES_MAX];
        int planes = 0;
        for (int p = 0; p < window->logged; p++) {
            if (step->set >> window->number[p] & 1)
                to[planes++] = window->to[p] + first * tile_words;
        }
        TRY(packed_bits_or_each(window->packer[worker], window->record[worker], record->bytes, to, planes,
                                count * tile_words));
    }
    return 0;
}

// Puts the logged planes of a window together.
static int gather(struct window *window)
{
    const struct stream_grid *grid = &window->streamed->grid;
    const uint64_t piece = stream_piece_tiles(grid);
    for (int p = 0; p < window->logged; p++)
        memset(window->to[p], 0, window->tiles * grid->tile_bytes);
    if (window->logged == 0)
        return 0;
    return threads_each(window->pool, (window->tiles + piece - 1) / piece, gather_piece, window);
}

// Makes the blocks of some planes from the log.
static int settle_planes(struct window *window, struct plane *const *planes, int count)
{
    struct streamed *streamed = window->streamed;
    const struct stream_grid *grid = &streamed->grid;
    window->logged = count;
    for (int p = 0; p < count; p++) {
        window->number[p] = planes[p]->number;
        window->to[p] = window->bits[BLACK][PLANE_DISTANCE + p];
    }
    for (uint32_t group = 0; group < grid->groups[BLACK]; group++) {
        if (streamed->peers != NULL &&
            peers_owner(streamed->peers, grid->groups[BLACK], group) != streamed->peers->rank)
            continue;
        if (streamed->stop != NULL && streamed->stop(streamed->context) != 0)
            return error_set(CLTB_E_INTERRUPTED, "interrupted before the table is written");
        window_move(window, BLACK, group);
        TRY(gather(window));
        for (int p = 0; p < count; p++) {
            for (uint32_t other = 0; other < grid->groups[WHITE]; other++) {
                const uint32_t block = stream_block(grid, group, other);
                const size_t bytes = stream_block_out(grid, BLACK, group, other, scratch_room(window->block),
                                                      window->to[p], window->active);
                if (bytes > 0)
                    TRY(scratch_write(streamed->scratch, window->number[p], block, window->block, bytes));
                else
                    scratch_clear(streamed->scratch, window->number[p], block);
            }
        }
    }
    for (int p = 0; p < count; p++) {
        planes[p]->logged = false;
        planes[p]->lies = BLACK;
    }
    return 0;
}

static int settle(struct streamed *streamed, const struct solution *solution, struct thread_pool *pool, bool both)
{
    enum { AT_ONCE = 4 };
    struct plane *planes[DISTANCE_PLANES_MAX];
    struct window window;
    int count = 0;
    const bool needed = both || streamed->peers == NULL || streamed_sides(streamed) == COLOURS;
    for (int bit = 0; needed && bit < DISTANCE_PLANES_MAX; bit++) {
        struct plane *plane = solution->distance[BLACK][bit];
        if (plane != NULL && plane->logged)
            planes[count++] = plane;
    }
    const int most = count < AT_ONCE ? count : AT_ONCE;
    int code = window_open(&window, streamed, pool);
    for (int p = 0; code == 0 && p < most; p++)
        code = need_bits(&window, BLACK, PLANE_DISTANCE + p);
    for (int p = 0; code == 0 && p < count; p += most)
        code = settle_planes(&window, planes + p, count - p < most ? count - p : most);
    window_close(&window);
    return code;
}

// ---- tiles ----

enum { SHOWN_TILES = 16 };

struct showing {
    struct window window;
    const struct solution *solution;
    int side;
    const struct tile_filter *filter;
    tile_visit *visit;
    tile_pair_visit *visit_pair;
    void *visit_context;
    bool shown[COLOURS][PLANES_MAX];
    uint64_t *number; // [tiles of the window]: their numbers in the whole table
};

static int load_plane(struct window *window, const struct plane *plane, uint64_t *bits)
{
    struct streamed *streamed = window->streamed;
    const struct stream_grid *grid = &streamed->grid;
    for (uint32_t row = 0; row < grid->groups[BLACK]; row++) {
        const uint32_t block = stream_block(grid, row, window->group);
        const void *from = NULL;
        if (!scratch_empty(streamed->scratch, plane->number, block))
            TRY(scratch_read(streamed->scratch, plane->number, block, window->block, &from));
        stream_block_in(grid, WHITE, window->group, row, from, bits, window->active, false);
    }
    return 0;
}

// Loads all planes of one side to move in a window, `resolved` only on demand.
static int load_window(struct showing *showing, int side, bool resolved)
{
    struct window *window = &showing->window;
    window->logged = 0;
    for (int p = 0; p < PLANES_MAX; p++) {
        const struct plane *plane = solution_plane(showing->solution, side, p);
        bool *shown = &showing->shown[side][p];
        *shown = plane != NULL && (p != PLANE_RESOLVED || resolved);
        if (!*shown)
            continue;
        TRY(need_bits(window, side, p));
        if (!plane->logged) {
            TRY(load_plane(window, plane, window->bits[side][p]));
            continue;
        }
        if (plane->side != WHITE || p < PLANE_DISTANCE)
            return error_set(CLTB_E_USAGE, "a solution that is not settled");
        window->number[window->logged] = plane->number;
        window->to[window->logged++] = window->bits[side][p];
    }
    return gather(window);
}

// The planes of one side to move from some tile of the window on.
static struct slice_side side_at(const struct showing *showing, int side, uint64_t first)
{
    const struct window *window = &showing->window;
    const size_t skip = first * (window->streamed->grid.tile_bytes / 8);
    struct slice_side planes = {.won = NULL};
    for (int p = 0; p < PLANES_MAX; p++) {
        if (showing->shown[side][p])
            *slice_side_plane(&planes, p) = window->bits[side][p] + skip;
    }
    return planes;
}

static int show_tiles(void *context, uint64_t item, int worker)
{
    const struct showing *showing = context;
    const uint64_t first = item * SHOWN_TILES;
    const uint64_t left = showing->window.tiles - first;
    const struct tile_run run = {.count = left < SHOWN_TILES ? left : SHOWN_TILES,
                                 .number = showing->number + first,
                                 .planes = side_at(showing, showing->side, first)};
    return showing->visit(showing->visit_context, &run, worker);
}

static int show_pairs(void *context, uint64_t item, int worker)
{
    const struct showing *showing = context;
    const uint64_t first = item * SHOWN_TILES;
    const uint64_t left = showing->window.tiles - first;
    const struct tile_pair pair = {.count = left < SHOWN_TILES ? left : SHOWN_TILES,
                                   .number = showing->number + first,
                                   .side = {side_at(showing, WHITE, first), side_at(showing, BLACK, first)}};
    return showing->visit_pair(showing->visit_context, &pair, worker);
}

// May any tile of the window be wanted, judging by Black's digits?
static bool window_wanted(const struct showing *showing)
{
    const struct streamed *streamed = showing->window.streamed;
    const struct layout *layout = &streamed->base.layout;
    const uint64_t first = stream_first(&streamed->grid, WHITE, showing->window.group);
    const uint64_t count = stream_count(&streamed->grid, WHITE, showing->window.group);
    if (showing->filter == NULL)
        return true;
    for (uint64_t block = first; block < first + count; block++) {
        struct tile_men men = {0};
        bool wanted = true;
        side_blocks_first(&streamed->grid.at[WHITE], block, &men);
        for (int i = 0; wanted && i < layout->pieces; i++)
            wanted = layout->colour[i] != BLACK || (showing->filter->u[i] >> men.u[i] & 1);
        if (wanted)
            return true;
    }
    return false;
}

// The numbers of the window's tiles in the whole table.
static void number_tiles(struct showing *showing)
{
    const struct window *window = &showing->window;
    const struct stream_grid *grid = &window->streamed->grid;
    const struct side_blocks *at = &grid->at[WHITE];
    uint64_t *number = showing->number;
    for (uint64_t block = 0; block < stream_count(grid, WHITE, window->group); block++) {
        const uint64_t tile = side_blocks_first(at, stream_first(grid, WHITE, window->group) + block, NULL);
        for (uint32_t local = 0; local < at->locals; local++)
            *number++ = tile + at->offset[local];
    }
}

static int show_window(struct showing *showing, uint32_t group)
{
    struct window *window = &showing->window;
    window_move(window, WHITE, group);
    if (!window_wanted(showing))
        return 0;
    if (showing->visit_pair != NULL) {
        for (int side = WHITE; side <= BLACK; side++)
            TRY(load_window(showing, side, showing->solution->longest[side][CLTB_WIN + 2] == 1));
    } else {
        TRY(load_window(showing, showing->side, true));
    }
    number_tiles(showing);
    return threads_each(window->pool, (window->tiles + SHOWN_TILES - 1) / SHOWN_TILES,
                        showing->visit_pair != NULL ? show_pairs : show_tiles, showing);
}

// Must be closed, whatever the result.
static int showing_open(struct showing *showing, struct thread_pool *pool)
{
    struct streamed *streamed = streamed_of(showing->solution->backend);
    const uint64_t tiles = stream_window_tiles(&streamed->grid);
    TRY(window_open(&showing->window, streamed, pool));
    showing->number = malloc(tiles * sizeof *showing->number);
    return showing->number == NULL ? error_memory(tiles * sizeof *showing->number, "a window") : 0;
}

static void showing_close(struct showing *showing)
{
    window_close(&showing->window);
    free(showing->number);
}

static int each_run(void *context, int side, unsigned king, const struct tile_filter *filter, int together,
                    struct thread_pool *pool, tile_visit *visit, void *visit_context)
{
    (void)together;
    const struct solution *solution = context;
    struct showing showing = {
        .solution = solution, .side = side, .filter = filter, .visit = visit, .visit_context = visit_context};
    const uint32_t each = streamed_of(solution->backend)->grid.groups[WHITE] / TRIANGLE_SQUARES;
    int code = showing_open(&showing, pool);
    for (uint32_t g = king * each; code == 0 && g < (king + 1) * each; g++)
        code = show_window(&showing, g);
    showing_close(&showing);
    return code;
}

static int each_pair(const struct solution *solution, struct thread_pool *pool, tile_pair_visit *visit, void *context)
{
    const struct streamed *streamed = streamed_of(solution->backend);
    struct showing showing = {.solution = solution, .visit_pair = visit, .visit_context = context};
    int code = showing_open(&showing, pool);
    for (uint32_t g = 0; code == 0 && g < streamed->grid.groups[WHITE]; g++) {
        if (streamed_pairs_here(streamed, g))
            code = show_window(&showing, g);
    }
    showing_close(&showing);
    return code;
}

int streamed_settle(const struct solution *solution, struct thread_pool *pool, tile_pair_visit *visit, void *context)
{
    struct streamed *streamed = streamed_of(solution->backend);
    const bool pairs = visit != NULL;
    uint64_t records;
    TRY(streamed_flush(solution->backend));
    stream_windows_release(streamed->windows);
    TRY(streamed_share_records(streamed, solution, pairs));
    struct scratch_record *record = scratch_records(streamed->scratch, &records);
    if (records > 0)
        qsort(record, records, sizeof *record, by_window);
    TRY(settle(streamed, solution, pool, pairs));
    if (pairs) {
        TRY(streamed_share_sections(streamed, solution, true, false));
        TRY(each_pair(solution, pool, visit, context));
    }
    return streamed_share_sections(streamed, solution, false, pairs);
}

struct tile_source streamed_tiles(const struct solution *solution, uint64_t *memory)
{
    const struct streamed *streamed = streamed_of(solution->backend);
    const uint64_t tiles = stream_window_tiles(&streamed->grid);
    *memory = tiles * (streamed->grid.tile_bytes * (PLANE_DISTANCE + 8) + 9) +
              scratch_buffer_bytes(scratch_block_most(streamed->scratch));
    struct tile_source source = solution_tiles(solution);
    source.together = false;
    source.each_run = each_run;
    return source;
}

// ---- the longest lines ----

static int show_record(struct window *window, const struct scratch_record *record, struct longest_tiles *tiles,
                       uint64_t *number, uint64_t *bits, longest_visit *visit, void *context)
{
    struct streamed *streamed = window->streamed;
    const struct stream_grid *grid = &streamed->grid;
    const struct side_blocks *at = &grid->at[window->side];
    const uint64_t most = stream_piece_tiles(grid);
    window_move(window, window->side, record->group);
    const uint64_t first = record->piece * most;
    if (record->bytes > packed_bits_bound(STREAM_LOG_BYTES / 8) || first >= window->tiles)
        return error_set(CLTB_E_CORRUPT, "the log of a streamed table has a record that does not fit");
    tiles->count = window->tiles - first < most ? window->tiles - first : most;
    tiles->number = number;
    tiles->bits = bits;
    for (uint64_t i = 0; i < tiles->count; i++) {
        const uint64_t block = stream_first(grid, window->side, record->group) + (first + i) / at->locals;
        number[i] = side_blocks_first(at, block, NULL) + at->offset[(first + i) % at->locals];
    }
    memset(bits, 0, tiles->count * grid->tile_bytes);
    TRY(scratch_log_read(streamed->scratch, record, window->record[0]));
    TRY(packed_bits_or(window->packer[0], window->record[0], record->bytes, bits, tiles->count * grid->tile_bytes / 8));
    return visit(context, tiles);
}

int streamed_longest(const struct solution *solution, int side, struct thread_pool *pool, longest_visit *visit,
                     void *context)
{
    struct streamed *streamed = streamed_of(solution->backend);
    struct window window;
    uint64_t records;
    TRY(streamed_flush(solution->backend));
    stream_windows_release(streamed->windows);
    const struct scratch_record *record = scratch_records(streamed->scratch, &records);
    uint64_t *number = malloc(stream_piece_tiles(&streamed->grid) * sizeof *number);
    uint64_t *bits = malloc(STREAM_LOG_BYTES);
    int code = window_open(&window, streamed, pool);
    if (code == 0 && (number == NULL || bits == NULL))
        code = error_memory(STREAM_LOG_BYTES, "a record of the log");
    window.side = side;
    for (uint64_t i = 0; code == 0 && i < records; i++) {
        const struct logged_step *step = &streamed->step[record[i].step];
        struct longest_tiles tiles = {.won = step->won != 0, .ply = step->ply};
        const int longest = solution->longest[side][outcome_at(tiles.won, tiles.ply) + 2];
        if (step->side == side && tiles.ply == (longest < 0 ? 0 : longest)) // mates alone do not count there
            code = show_record(&window, &record[i], &tiles, number, bits, visit, context);
    }
    window_close(&window);
    free(bits);
    free(number);
    return code;
}
