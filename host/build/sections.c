// sections.c - a pawnless solution's values in the order of a file
//
// A tile's values are scattered: an entry's index is a sum of parts, one of the upper pieces (all but the last two) and
// one of the lower pieces, so that most entries take one addition. Entries of the file that no tile writes stay free:
// overlaps, illegal positions, and one of each two mirror images of a black king on the diagonal.
#include "build/sections.h"

#include "util/error.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TILES_AT_ONCE = 16, PARTS_MAX = 8 * 8 * 8 * 8 * 8 }; // five upper pieces: eight men

enum { VALUE_COUNTS = 2 * (SOLVER_PLY_MAX + 2) };

struct scatter {
    const struct solution *solution;
    const struct section_request *request;
    const struct layout *layout;
    unsigned king;
    uint64_t tiles; // of the king's square
    pthread_mutex_t lock;
    uint64_t counts[TABLE_OUTCOMES]; // with like men told apart
};

// How one order sees the tiles of a layout.
struct order_view {
    const struct entry_order *order;
    int group_of[LAYOUT_PIECES_MAX];
    bool split; // like men on both sides of the cut: no sum of two parts
};

static int upper_pieces(const struct layout *layout)
{
    return layout->pieces - (layout->pieces >= 4 ? 2 : 1);
}

static void view_order(struct order_view *view, const struct entry_order *order, const struct layout *layout)
{
    *view = (struct order_view){.order = order};
    bool above[ENTRY_GROUPS_MAX] = {false};
    bool below[ENTRY_GROUPS_MAX] = {false};
    for (int i = 0; i < layout->pieces; i++) {
        view->group_of[i] = -1;
        for (int g = 0; g < order->groups; g++) {
            if (order->group[g].type == layout->type[i] && order->group[g].colour == layout->colour[i])
                view->group_of[i] = g;
        }
        if (view->group_of[i] >= 0)
            (i < upper_pieces(layout) ? above : below)[view->group_of[i]] = true;
    }
    for (int g = 0; g < order->groups; g++)
        view->split |= above[g] && below[g];
}

struct tile_view {
    const struct layout *layout;
    uint8_t u[LAYOUT_PIECES_MAX];
    uint8_t square[LAYOUT_PIECES_MAX][8];
};

static unsigned digit_of(const struct layout *layout, uint64_t lane, int piece)
{
    return lane >> layout_lane_shift(layout, piece) & 7;
}

// The part of an entry's index (without the king's) that pieces first..last-1 give, for one lane. Squares after
// `symmetry`.
static uint64_t part_of(const struct tile_view *tile, const struct order_view *view, uint64_t lane, int first, int last,
                        int symmetry)
{
    uint64_t part = 0;
    for (int g = 0; g < view->order->groups; g++) {
        uint8_t squares[MATERIAL_MEN_MAX];
        int count = 0;
        for (int i = first; i < last; i++) {
            if (view->group_of[i] == g)
                squares[count++] = (uint8_t)square_apply(symmetry, tile->square[i][digit_of(tile->layout, lane, i)]);
        }
        if (count > 0)
            part += entry_digit(squares, count) * view->order->group[g].stride;
    }
    return part;
}

// Like men in any order are one entry, which the lane with rising squares writes. Like pieces 0 and 1 of a pair tile
// come in one order of u only, so for these two any order will do.
static bool like_men_rise(const struct tile_view *tile, uint64_t lane)
{
    const struct layout *layout = tile->layout;
    for (int i = 1; i < layout->pieces; i++) {
        for (int j = layout->pair && i == 1 ? 1 : 0; j < i; j++) {
            if (layout->type[i] != layout->type[j] || layout->colour[i] != layout->colour[j] ||
                layout->type[i] == BLANK)
                continue;
            if (tile->square[i][digit_of(layout, lane, i)] <= tile->square[j][digit_of(layout, lane, j)])
                return false;
        }
    }
    return true;
}

// Are there like men other than the two of a pair?
static bool has_more_like(const struct layout *layout)
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= KNIGHT; type++) {
            const bool pair = layout->pair && layout->colour[0] == colour && layout->type[0] == type;
            if (layout->material.count[colour][type] > (pair ? 2 : 1))
                return true;
        }
    }
    return false;
}

// With the black king on the diagonal: is this lane the image that the file keeps? 1 yes, 0 no, -1: compare the
// indices.
static int diagonal_image(const struct tile_view *tile, uint64_t lane)
{
    const int king = tile->layout->white_king;
    const int square = tile->square[king][digit_of(tile->layout, lane, king)];
    if (square_on_diagonal(square))
        return -1;
    return square_rank(square) < square_file(square);
}

// ---- one tile ----

struct tile_values {
    const solver_value *value; // [lanes]
    const uint64_t *illegal;   // [lanes / 64]
    const uint64_t *decided;   // [lanes / 64]
};

static int outcome_of(solver_value value)
{
    if (value == 0)
        return CLTB_DRAW + 2;
    const bool cursed = solver_value_ply(value) > SOLVER_PLY_LIMIT;
    if (solver_value_won(value))
        return (cursed ? CLTB_CURSED_WIN : CLTB_WIN) + 2;
    return (cursed ? CLTB_BLESSED_LOSS : CLTB_LOSS) + 2;
}

static void put(const struct section_request *request, uint64_t outcome_entry, uint64_t distance_entry,
                solver_value value, bool decided)
{
    const bool capture_wins = decided && value != 0 && solver_value_won(value);
    if (request->outcome_order != NULL) {
        unsigned symbol = (unsigned)outcome_of(value);
        if (capture_wins)
            symbol = FREE_ANY;
        else if (decided && value == 0)
            symbol = FREE_TO_DRAW;
        request->outcomes[outcome_entry] = (uint8_t)symbol;
    }
    if (request->distance_order == NULL || value == 0 || capture_wins)
        return;
    if (request->distance_bytes == 1)
        ((uint8_t *)request->distances)[distance_entry] = (uint8_t)solver_value_ply(value);
    else
        ((uint16_t *)request->distances)[distance_entry] = (uint16_t)solver_value_ply(value);
}

// Any lane, at any cost: every group worked out, both images compared.
static void put_slowly(const struct scatter *scatter, const struct tile_view *tile, const struct order_view *outcome,
                       const struct order_view *distance, uint64_t lane, solver_value value, bool decided, bool compare)
{
    const int pieces = scatter->layout->pieces;
    uint64_t entry[2] = {0, 0};
    bool kept[2] = {false, false};
    const struct order_view *view[2] = {outcome, distance};
    for (int i = 0; i < 2; i++) {
        if (view[i]->order == NULL)
            continue;
        entry[i] = part_of(tile, view[i], lane, 0, pieces, 0);
        kept[i] = !compare || entry[i] <= part_of(tile, view[i], lane, 0, pieces, 4);
    }
    struct section_request one = *scatter->request;
    if (!kept[0])
        one.outcome_order = NULL;
    if (!kept[1])
        one.distance_order = NULL;
    put(&one, entry[0], entry[1], value, decided);
}

// Scratch of one worker.
struct parts {
    uint64_t upper[2][PARTS_MAX];
    uint64_t lower[2][64];
};

static void make_parts(struct parts *parts, const struct tile_view *tile, const struct order_view *view, int which)
{
    const struct layout *layout = tile->layout;
    const int upper = upper_pieces(layout);
    const uint64_t lower_lanes = UINT64_C(1) << 3 * (layout->pieces - upper);
    for (uint64_t i = 0; i < layout->tile_lanes / lower_lanes; i++)
        parts->upper[which][i] = part_of(tile, view, i * lower_lanes, 0, upper, 0);
    for (uint64_t i = 0; i < lower_lanes; i++)
        parts->lower[which][i] = part_of(tile, view, i, upper, layout->pieces, 0);
}

static void scatter_tile(const struct scatter *scatter, const struct tile_view *tile, const struct order_view view[2],
                         struct parts *parts, const struct tile_values *values)
{
    const struct layout *layout = scatter->layout;
    const int lower = 3 * (layout->pieces - upper_pieces(layout));
    const bool diagonal = square_on_diagonal(triangle_square[scatter->king]);
    const bool more_like = has_more_like(layout);
    const bool slow = (view[0].order != NULL && view[0].split) || (view[1].order != NULL && view[1].split);
    for (int which = 0; which < 2 && !slow; which++) {
        if (view[which].order != NULL)
            make_parts(parts, tile, &view[which], which);
    }
    // A blank piece's other digits repeat the same positions.
    const uint64_t lanes = layout->type[0] == BLANK ? layout->tile_lanes / 8 : layout->tile_lanes;
    for (uint64_t word = 0; word < lanes / 64; word++) {
        for (uint64_t legal = ~values->illegal[word]; legal != 0; legal &= legal - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(legal);
            const uint64_t lane = 64 * word + bit;
            const int image = diagonal ? diagonal_image(tile, lane) : 1;
            if (image == 0 || (more_like && !like_men_rise(tile, lane)))
                continue;
            const bool decided = values->decided[word] >> bit & 1;
            if (slow || image < 0) {
                put_slowly(scatter, tile, &view[0], &view[1], lane, values->value[lane], decided, image < 0);
                continue;
            }
            const uint64_t up = lane >> lower;
            const uint64_t low = lane & ((UINT64_C(1) << lower) - 1);
            put(scatter->request, parts->upper[0][up] + parts->lower[0][low],
                parts->upper[1][up] + parts->lower[1][low], values->value[lane], decided);
        }
    }
}

// Every placement counts: the king's square stands for 8 or 4, a pair's tile with different u digits for both orders.
static void count_tile(const struct scatter *scatter, const struct tile_view *tile, const struct tile_values *values,
                       uint64_t *counts)
{
    const struct layout *layout = scatter->layout;
    uint64_t weight = square_on_diagonal(triangle_square[scatter->king]) ? 4 : 8;
    if (layout->pair && tile->u[0] != tile->u[1])
        weight *= 2;
    const uint64_t lanes = layout->type[0] == BLANK ? layout->tile_lanes / 8 : layout->tile_lanes;
    for (uint64_t word = 0; word < lanes / 64; word++) {
        for (uint64_t legal = ~values->illegal[word]; legal != 0; legal &= legal - 1)
            counts[values->value[64 * word + (unsigned)__builtin_ctzll(legal)]] += weight;
    }
}

struct worker_memory {
    solver_value *value;
    uint64_t *illegal;
    uint64_t *decided;
    struct parts *parts;
    uint64_t *counts;
};

static int worker_open(struct worker_memory *memory, const struct layout *layout)
{
    const size_t lanes = TILES_AT_ONCE * layout->tile_lanes;
    memory->value = malloc(lanes * sizeof *memory->value);
    memory->illegal = malloc(lanes / 8);
    memory->decided = malloc(lanes / 8);
    memory->parts = calloc(1, sizeof *memory->parts);
    memory->counts = calloc(VALUE_COUNTS, sizeof *memory->counts);
    if (memory->value == NULL || memory->illegal == NULL || memory->decided == NULL || memory->parts == NULL ||
        memory->counts == NULL)
        return error_memory(lanes * 3, "writing a table");
    return 0;
}

static void worker_close(struct worker_memory *memory)
{
    free(memory->value);
    free(memory->illegal);
    free(memory->decided);
    free(memory->parts);
    free(memory->counts);
}

static void add_counts(struct scatter *scatter, const uint64_t *counts)
{
    if (scatter->request->counts == NULL)
        return;
    pthread_mutex_lock(&scatter->lock);
    for (int i = 0; i < VALUE_COUNTS; i++)
        scatter->counts[outcome_of((solver_value)i)] += counts[i];
    pthread_mutex_unlock(&scatter->lock);
}

static void look_at_tile(struct tile_view *tile, const struct layout *layout, uint64_t number)
{
    unsigned king;
    tile->layout = layout;
    layout_digits(layout, number, &king, tile->u);
    for (int i = 0; i < layout->pieces; i++) {
        for (unsigned l = 0; l < 8; l++)
            tile->square[i][l] = code_square[8U * tile->u[i] + l];
    }
}

// The tiles of one work item, read in runs.
static int scatter_run(struct scatter *scatter, struct worker_memory *memory, uint64_t first, uint64_t count)
{
    const struct section_request *request = scatter->request;
    const struct layout *layout = scatter->layout;
    struct order_view view[2] = {{.order = NULL}, {.order = NULL}};
    if (request->outcome_order != NULL)
        view_order(&view[0], request->outcome_order, layout);
    if (request->distance_order != NULL)
        view_order(&view[1], request->distance_order, layout);
    int code = solution_read(scatter->solution, request->side, first, count, memory->value);
    if (code == 0)
        code = solution_read_illegal(scatter->solution, request->side, first, count, memory->illegal);
    if (code == 0)
        code = solution_read_decided(scatter->solution, request->side, first, count, memory->decided);
    for (uint64_t i = 0; code == 0 && i < count; i++) {
        struct tile_view tile;
        look_at_tile(&tile, layout, first + i);
        if (layout->type[0] == BLANK && tile.u[0] != 0)
            continue;
        const uint64_t lanes = layout->tile_lanes;
        const struct tile_values values = {memory->value + i * lanes, memory->illegal + i * lanes / 64,
                                           memory->decided + i * lanes / 64};
        scatter_tile(scatter, &tile, view, memory->parts, &values);
        if (request->counts != NULL)
            count_tile(scatter, &tile, &values, memory->counts);
    }
    return code;
}

enum { RUNS_PER_ITEM = 8 };

static int scatter_item(void *context, uint64_t item, int worker)
{
    (void)worker;
    struct scatter *scatter = context;
    struct worker_memory memory = {0};
    int code = worker_open(&memory, scatter->layout);
    const uint64_t start = item * TILES_AT_ONCE * RUNS_PER_ITEM;
    for (uint64_t at = start; code == 0 && at < start + TILES_AT_ONCE * RUNS_PER_ITEM && at < scatter->tiles;
         at += TILES_AT_ONCE) {
        const uint64_t left = scatter->tiles - at;
        code = scatter_run(scatter, &memory, scatter->king * scatter->tiles + at,
                           left < TILES_AT_ONCE ? left : TILES_AT_ONCE);
    }
    if (code == 0)
        add_counts(scatter, memory.counts);
    worker_close(&memory);
    return code;
}

static int fill_king(const struct solution *solution, const struct section_request *request, unsigned king,
                     struct thread_pool *pool)
{
    struct scatter scatter = {
        .solution = solution, .request = request, .layout = &solution->backend->layout, .king = king};
    scatter.tiles = scatter.layout->king_stride;
    if (request->outcome_order != NULL)
        memset(request->outcomes, FREE_ANY, request->outcome_order->per_section);
    if (request->distance_order != NULL)
        memset(request->distances, 0xff, request->distance_order->per_section * request->distance_bytes);
    pthread_mutex_init(&scatter.lock, NULL);
    const uint64_t each = TILES_AT_ONCE * RUNS_PER_ITEM;
    int code = threads_each(pool, (scatter.tiles + each - 1) / each, scatter_item, &scatter);
    pthread_mutex_destroy(&scatter.lock);
    for (int i = 0; request->counts != NULL && i < TABLE_OUTCOMES; i++)
        request->counts[i] += scatter.counts[i] / material_arrangements(&scatter.layout->material);
    return code;
}

int king_sections_fill(const void *context, const struct section_request *request, uint64_t first, uint64_t count,
                       struct thread_pool *pool)
{
    for (uint64_t i = 0; i < count; i++) {
        struct section_request one = *request;
        if (one.outcome_order != NULL)
            one.outcomes += i * one.outcome_order->per_section;
        if (one.distance_order != NULL)
            one.distances = (uint8_t *)one.distances + i * one.distance_order->per_section * one.distance_bytes;
        TRY(fill_king(context, &one, (unsigned)(first + i), pool));
    }
    return 0;
}
