// sections.c - a pawnless solution's values in the order of a file
//
// A tile's values are scattered: an entry's index is a sum of parts, one of the upper pieces (all but the last two) and
// one of the lower pieces, so that most entries take one addition. Entries of the file that no tile writes stay free:
// overlaps, illegal positions, and one of each two mirror images of a black king on the diagonal.
#include "build/sections.h"

#include "solver/decode.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_COUNTS = 2 * (SOLVER_PLY_MAX + 2) };

// More than any entry, also if two of them are added: men who do not stand on the board of the order.
#define OFF_BOARD (UINT64_C(1) << 62)

// How one order sees the tiles of a layout.
struct order_view {
    const struct entry_order *order; // NULL: not wanted
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
    if (order == NULL)
        return;
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

// Scratch of one worker.
struct worker_memory {
    solver_value *value; // [lanes]
    uint64_t *illegal;   // [lanes / 64]
    // Parts of entries, by which order.
    uint64_t *upper[2];    // [lanes of the upper pieces]
    uint64_t lower[2][64]; //
    uint64_t counts[VALUE_COUNTS];
};

struct scatter {
    const struct tile_source *source;
    const struct section_request *request;
    const struct layout *layout;
    unsigned king;
    struct order_view view[2];     // outcome, distance
    struct worker_memory **memory; // [threads], those that had work
};

struct tile_view {
    const struct layout *layout;
    uint8_t u[LAYOUT_PIECES_MAX];
    uint8_t square[LAYOUT_PIECES_MAX][8];
};

static unsigned digit_of(const struct layout *layout, uint64_t lane, int piece)
{
    return lane >> (layout_lane_shift(layout, piece) & 63U) & 7;
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
            if (view->group_of[i] != g)
                continue;
            squares[count] = (uint8_t)square_apply(symmetry, tile->square[i][digit_of(tile->layout, lane, i)]);
            if (squares[count++] >= view->order->squares)
                return OFF_BOARD;
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

static uint64_t place_of(const struct section_target *target, uint64_t entry)
{
    return target->order == NULL || entry >= target->order->per_section ? NO_PLACE : section_place(target, entry);
}

static void put_outcome(const struct section_target *target, uint64_t entry, solver_value value, bool decided)
{
    const uint64_t place = place_of(target, entry);
    if (place == NO_PLACE)
        return;
    unsigned symbol = (unsigned)outcome_of(value);
    if (decided && value == 0)
        symbol = FREE_TO_DRAW;
    else if (decided && solver_value_won(value))
        symbol = FREE_ANY;
    ((uint8_t *)target->symbols)[place] = (uint8_t)symbol;
}

static void put_distance(const struct section_target *target, uint64_t entry, solver_value value, bool decided)
{
    if (value == 0 || (decided && solver_value_won(value)))
        return;
    const uint64_t place = place_of(target, entry);
    if (place == NO_PLACE)
        return;
    if (target->bytes == 1)
        ((uint8_t *)target->symbols)[place] = (uint8_t)solver_value_ply(value);
    else
        ((uint16_t *)target->symbols)[place] = (uint16_t)solver_value_ply(value);
}

// Any lane, at any cost: every group worked out, both images compared.
static void put_slowly(const struct scatter *scatter, const struct tile_view *tile, uint64_t lane, solver_value value,
                       bool decided, bool compare)
{
    const int pieces = scatter->layout->pieces;
    for (int i = 0; i < 2; i++) {
        const struct order_view *view = &scatter->view[i];
        if (view->order == NULL)
            continue;
        const uint64_t entry = part_of(tile, view, lane, 0, pieces, 0);
        if (compare && entry > part_of(tile, view, lane, 0, pieces, 4))
            continue;
        if (i == 0)
            put_outcome(&scatter->request->outcome, entry, value, decided);
        else
            put_distance(&scatter->request->distance, entry, value, decided);
    }
}

static void make_parts(struct worker_memory *memory, const struct tile_view *tile, const struct order_view *view,
                       int which)
{
    const struct layout *layout = tile->layout;
    const int upper = upper_pieces(layout);
    const uint64_t lower_lanes = UINT64_C(1) << 3 * (layout->pieces - upper);
    for (uint64_t i = 0; i < layout->tile_lanes / lower_lanes; i++)
        memory->upper[which][i] = part_of(tile, view, i * lower_lanes, 0, upper, 0);
    for (uint64_t i = 0; i < lower_lanes; i++)
        memory->lower[which][i] = part_of(tile, view, i, upper, layout->pieces, 0);
}

static void scatter_tile(const struct scatter *scatter, const struct tile_view *tile, struct worker_memory *memory,
                         const struct tile_values *values)
{
    const struct layout *layout = scatter->layout;
    const int lower = 3 * (layout->pieces - upper_pieces(layout));
    const bool diagonal = square_on_diagonal(triangle_square[scatter->king]);
    const bool more_like = has_more_like(layout);
    const bool slow = scatter->view[0].split || scatter->view[1].split;
    for (int which = 0; which < 2 && !slow; which++) {
        if (scatter->view[which].order != NULL)
            make_parts(memory, tile, &scatter->view[which], which);
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
            const solver_value value = values->value[lane];
            const bool decided = values->decided[word] >> bit & 1;
            if (slow || image < 0) {
                put_slowly(scatter, tile, lane, value, decided, image < 0);
                continue;
            }
            const uint64_t up = lane >> lower;
            const uint64_t low = lane & ((UINT64_C(1) << lower) - 1);
            put_outcome(&scatter->request->outcome, memory->upper[0][up] + memory->lower[0][low], value, decided);
            put_distance(&scatter->request->distance, memory->upper[1][up] + memory->lower[1][low], value, decided);
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

// Where blocks of a section have slots, some tiles are looked at more than once. A tile is counted where the block of one
// of its entries has a slot, always the same entry: the one with the l digits 0, 1, 2, ..., in which no men share a
// square.
static bool is_counted(const struct scatter *scatter, const struct tile_view *tile)
{
    const struct layout *layout = scatter->layout;
    const struct section_target *target = &scatter->request->outcome;
    uint64_t lane = 0;
    if (scatter->request->counts == NULL)
        return false;
    for (int i = 0; i < layout->pieces; i++)
        lane |= (uint64_t)i << layout_lane_shift(layout, i);
    return target->slot == NULL ||
           place_of(target, part_of(tile, &scatter->view[0], lane, 0, layout->pieces, 0)) != NO_PLACE;
}

// ---- workers ----

static void close_memory(struct worker_memory *memory)
{
    if (memory == NULL)
        return;
    free(memory->value);
    free(memory->illegal);
    free(memory->upper[0]);
    free(memory->upper[1]);
    free(memory);
}

static int open_memory(struct worker_memory **result, const struct layout *layout)
{
    const size_t lanes = layout->tile_lanes;
    const size_t upper = lanes >> 3 * (layout->pieces - upper_pieces(layout));
    struct worker_memory *memory = calloc(1, sizeof *memory);
    if (memory != NULL) {
        memory->value = malloc(lanes * sizeof *memory->value);
        memory->illegal = malloc(lanes / 8);
        memory->upper[0] = calloc(upper, sizeof *memory->upper[0]);
        memory->upper[1] = calloc(upper, sizeof *memory->upper[1]);
    }
    *result = memory;
    if (memory == NULL || memory->value == NULL || memory->illegal == NULL || memory->upper[0] == NULL ||
        memory->upper[1] == NULL)
        return error_memory(lanes * sizeof *memory->value, "writing a table");
    return 0;
}

uint64_t sections_worker_bytes(const struct layout *layout)
{
    const uint64_t upper = layout->tile_lanes >> 3 * (layout->pieces - upper_pieces(layout));
    return sizeof(struct worker_memory) + layout->tile_lanes * sizeof(solver_value) + layout->tile_lanes / 8 +
           2 * upper * sizeof(uint64_t);
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

static int visit_run(void *context, const struct tile_run *run, int worker)
{
    struct scatter *scatter = context;
    const struct layout *layout = scatter->layout;
    const struct section_request *request = scatter->request;
    const size_t words = layout->tile_lanes / 64;
    if (scatter->memory[worker] == NULL)
        TRY(open_memory(&scatter->memory[worker], layout));
    struct worker_memory *memory = scatter->memory[worker];
    for (uint64_t i = 0; i < run->count; i++) {
        struct tile_view tile;
        look_at_tile(&tile, layout, run->number != NULL ? run->number[i] : run->first + i);
        if (!tile_wanted(request->filter, layout, tile.u) || (layout->type[0] == BLANK && tile.u[0] != 0))
            continue;
        planes_values(&run->planes, scatter->source->value[request->side], i * words, words, memory->value);
        planes_illegal(&run->planes, i * words, words, memory->illegal);
        const struct tile_values values = {memory->value, memory->illegal, run->planes.decided + i * words};
        scatter_tile(scatter, &tile, memory, &values);
        if (is_counted(scatter, &tile))
            count_tile(scatter, &tile, &values, memory->counts);
    }
    return 0;
}

// ---- a request ----

void section_clear(const struct section_target *target, uint64_t sections)
{
    if (target->order == NULL)
        return;
    const uint64_t symbols =
        target->slot == NULL ? sections * target->order->per_section : (uint64_t)target->slots << target->block_bits;
    memset(target->symbols, 0xff, symbols * target->bytes);
}

static void add_counts(const struct scatter *scatter, int threads, uint64_t *counts)
{
    uint64_t sum[TABLE_OUTCOMES] = {0}; // with like men told apart
    for (int worker = 0; worker < threads; worker++) {
        const struct worker_memory *memory = scatter->memory[worker];
        for (int i = 0; memory != NULL && i < VALUE_COUNTS; i++)
            sum[outcome_of((solver_value)i)] += memory->counts[i];
    }
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        counts[i] += sum[i];
}

static int fill_king(const struct tile_source *source, const struct section_request *request, unsigned king,
                     struct thread_pool *pool)
{
    struct scatter scatter = {.source = source, .request = request, .layout = source->layout, .king = king};
    const int threads = threads_count(pool);
    scatter.memory = calloc((size_t)threads, sizeof(struct worker_memory *));
    if (scatter.memory == NULL)
        return error_memory((size_t)threads * sizeof(struct worker_memory *), "writing a table");
    view_order(&scatter.view[0], request->outcome.order, source->layout);
    view_order(&scatter.view[1], request->distance.order, source->layout);
    int code = source->each_run(source->context, request->side, king, request->filter, pool, visit_run, &scatter);
    if (code == 0 && request->counts != NULL)
        add_counts(&scatter, threads, request->counts);
    for (int i = 0; i < threads; i++)
        close_memory(scatter.memory[i]);
    free(scatter.memory);
    return code;
}

static struct section_target behind(struct section_target target, uint64_t sections)
{
    if (target.order != NULL)
        target.symbols = (uint8_t *)target.symbols + sections * target.order->per_section * target.bytes;
    return target;
}

int king_sections_fill(const void *context, const struct section_request *request, uint64_t first, uint64_t count,
                       struct thread_pool *pool)
{
    section_clear(&request->outcome, count);
    section_clear(&request->distance, count);
    for (uint64_t i = 0; i < count; i++) {
        struct section_request one = *request;
        one.outcome = behind(request->outcome, i);
        one.distance = behind(request->distance, i);
        TRY(fill_king(context, &one, (unsigned)(first + i), pool));
    }
    return 0;
}
