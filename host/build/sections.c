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

enum {
    VALUE_COUNTS = 2 * (SOLVER_PLY_MAX + 2),
    MIRROR = 4 // the symmetry that exchanges files and ranks
};

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
    uint64_t *upper[2];        // [lanes of the upper pieces]
    uint64_t lower[2][64];     //
    uint64_t *mirror_upper[2]; // of the mirror images
    uint64_t mirror_lower[2][64];
    uint64_t counts[VALUE_COUNTS];
    uint64_t sum[TABLE_OUTCOMES]; // and of scatter_words(), by outcome + 2
};

// What is stored of a position, by a key: its code, then its won bit, then its decided bit.
enum { BITS_FEW = 6, BITS_MANY = 8, KEYS_MAX = 4 << BITS_MANY };

struct symbols {
    unsigned bits; // of a code
    uint8_t outcome[KEYS_MAX];
    uint16_t distance[KEYS_MAX];
    solver_value value[KEYS_MAX];
    bool cursed; // is any value?
};

struct scatter {
    const struct tile_source *source;
    const struct section_request *request;
    const struct layout *layout;
    unsigned king;
    struct order_view view[2];     // outcome, distance
    bool by_words;                 // word by word, see scatter_words()
    bool mirrored;                 // with the parts of mirror images
    struct symbols few;            // for codes of BITS_FEW bits,
    struct symbols many;           // and of BITS_MANY
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

static unsigned outcome_symbol(solver_value value, bool decided)
{
    if (decided && value == 0)
        return FREE_TO_DRAW;
    return decided && solver_value_won(value) ? FREE_ANY : (unsigned)outcome_of(value);
}

static unsigned distance_symbol(solver_value value, bool decided)
{
    return value == 0 || (decided && solver_value_won(value)) ? FREE_DISTANCE : (unsigned)solver_value_ply(value);
}

static void put_symbol(const struct section_target *target, uint64_t entry, unsigned symbol)
{
    const uint64_t place = place_of(target, entry);
    if (place == NO_PLACE)
        return;
    if (target->bytes == 1)
        ((uint8_t *)target->symbols)[place] = (uint8_t)symbol;
    else
        ((uint16_t *)target->symbols)[place] = (uint16_t)symbol;
}

static void put_outcome(const struct section_target *target, uint64_t entry, solver_value value, bool decided)
{
    put_symbol(target, entry, outcome_symbol(value, decided));
}

static void put_distance(const struct section_target *target, uint64_t entry, solver_value value, bool decided)
{
    const unsigned symbol = distance_symbol(value, decided);
    if (symbol != FREE_DISTANCE)
        put_symbol(target, entry, symbol);
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
        if (compare && entry > part_of(tile, view, lane, 0, pieces, MIRROR))
            continue;
        if (i == 0)
            put_outcome(&scatter->request->outcome, entry, value, decided);
        else
            put_distance(&scatter->request->distance, entry, value, decided);
    }
}

// Are all groups of one man each? Then a part is a sum of squares times strides.
static bool all_single(const struct order_view *view)
{
    for (int g = 0; g < view->order->groups; g++) {
        if (view->order->group[g].count != 1)
            return false;
    }
    return view->order->squares == SQUARES;
}

static bool single_or_none(const struct order_view *view)
{
    return view->order == NULL || all_single(view);
}

// The parts of pieces first..last-1, for all their lanes in rising order.
static void sum_parts(const struct tile_view *tile, const struct order_view *view, int first, int last, int symmetry,
                      uint64_t *part)
{
    uint64_t lanes = 1;
    part[0] = 0;
    for (int i = last - 1; i >= first; i--, lanes *= 8) {
        const uint64_t stride = view->group_of[i] < 0 ? 0 : view->order->group[view->group_of[i]].stride;
        for (uint64_t l = 8; l-- > 0;) {
            const uint64_t square = (uint64_t)square_apply(symmetry, tile->square[i][l]);
            for (uint64_t lane = 0; lane < lanes; lane++)
                part[l * lanes + lane] = part[lane] + square * stride;
        }
    }
}

static void make_parts(struct worker_memory *memory, const struct tile_view *tile, const struct order_view *view,
                       int which)
{
    const struct layout *layout = tile->layout;
    const int upper = upper_pieces(layout);
    const uint64_t lower_lanes = UINT64_C(1) << 3 * (layout->pieces - upper);
    if (all_single(view)) {
        sum_parts(tile, view, 0, upper, 0, memory->upper[which]);
        sum_parts(tile, view, upper, layout->pieces, 0, memory->lower[which]);
        return;
    }
    for (uint64_t i = 0; i < layout->tile_lanes / lower_lanes; i++)
        memory->upper[which][i] = part_of(tile, view, i * lower_lanes, 0, upper, 0);
    for (uint64_t i = 0; i < lower_lanes; i++)
        memory->lower[which][i] = part_of(tile, view, i, upper, layout->pieces, 0);
}

// Only where all groups are of one man.
static void make_mirrored_parts(struct worker_memory *memory, const struct tile_view *tile,
                                const struct order_view *view, int which)
{
    const int upper = upper_pieces(tile->layout);
    sum_parts(tile, view, 0, upper, MIRROR, memory->mirror_upper[which]);
    sum_parts(tile, view, upper, tile->layout->pieces, MIRROR, memory->mirror_lower[which]);
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
static uint64_t weight_of(const struct scatter *scatter, const struct tile_view *tile)
{
    const uint64_t weight = square_on_diagonal(triangle_square[scatter->king]) ? 4 : 8;
    return scatter->layout->pair && tile->u[0] != tile->u[1] ? 2 * weight : weight;
}

// ---- one tile, word by word ----
//
// With two lower pieces a word has all their squares, with the upper ones on one square each: its 64 entries are one sum
// each. Lanes that are no position may be written as well, as free: their entries are nobody else's, but for those of like
// men on one square, whose whole word is illegal, and for images that the file does not keep.

static void list_symbols(struct symbols *symbols, unsigned bits, const solver_value value[COLOURS][DISTANCE_CODES])
{
    symbols->bits = bits;
    symbols->cursed = false;
    for (unsigned key = 0; key < 4U << bits; key++) {
        const unsigned code = key & ((1U << bits) - 1);
        const bool won = key >> bits & 1;
        const bool decided = key >> bits & 2;
        const bool legal = code != 0 || !won;
        const solver_value v = legal ? value[won][code] : 0;
        symbols->value[key] = v;
        symbols->outcome[key] = (uint8_t)(legal ? outcome_symbol(v, decided) : FREE_ANY);
        symbols->distance[key] = (uint16_t)(legal ? distance_symbol(v, decided) : FREE_DISTANCE);
        symbols->cursed |= v != 0 && solver_value_ply(v) > SOLVER_PLY_LIMIT;
    }
}

// Those for codes of as many bits as there are planes; NULL: too many.
static const struct symbols *symbols_for(const struct scatter *scatter, const struct slice_side *planes)
{
    int bits = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
        bits = planes->distance[bit] != NULL ? bit + 1 : bits;
    return bits <= BITS_FEW ? &scatter->few : bits <= BITS_MANY ? &scatter->many : NULL;
}

static bool whole_board(const struct section_target *target)
{
    return target->order == NULL || target->order->squares == SQUARES;
}

static bool can_scatter_words(const struct scatter *scatter)
{
    const struct layout *layout = scatter->layout;
    return layout->pieces - upper_pieces(layout) == 2 && layout->type[0] != BLANK && !has_more_like(layout) &&
           !scatter->view[0].split && !scatter->view[1].split && whole_board(&scatter->request->outcome) &&
           whole_board(&scatter->request->distance);
}

// Of the 64 lanes of a word.
static void list_keys(const struct symbols *symbols, const struct slice_side *planes, size_t w, uint16_t key[64])
{
    uint64_t row[BITS_MANY + 2];
    for (unsigned bit = 0; bit < symbols->bits; bit++)
        row[bit] = planes->distance[bit] != NULL ? planes->distance[bit][w] : 0;
    row[symbols->bits] = planes->won[w];
    row[symbols->bits + 1] = planes->decided[w];
    for (unsigned byte = 0; byte < 8; byte++) {
        uint64_t low = 0;
        for (unsigned bit = 0; bit < 8; bit++)
            low |= (row[bit] >> 8 * byte & 0xff) << 8 * bit;
        low = transpose8(low);
        for (unsigned i = 0; i < 8; i++)
            key[8 * byte + i] = (uint8_t)(low >> 8 * i);
        if (symbols->bits == BITS_FEW)
            continue;
        const uint64_t high = transpose8((row[8] >> 8 * byte & 0xff) | (row[9] >> 8 * byte & 0xff) << 8);
        for (unsigned i = 0; i < 8; i++)
            key[8 * byte + i] |= (uint16_t)((high >> 8 * i & 3) << 8);
    }
}

// The lanes whose image the file keeps, and those that must be compared with their mirror image, of a word.
struct images {
    uint64_t kept;
    uint64_t compared;
};

static struct images find_images(const struct tile_view *tile, uint64_t word)
{
    struct images images = {0};
    for (unsigned bit = 0; bit < 64; bit++) {
        const int image = diagonal_image(tile, 64 * word + bit);
        images.kept |= (uint64_t)(image > 0) << bit;
        images.compared |= (uint64_t)(image < 0) << bit;
    }
    return images;
}

static void count_word(const struct symbols *symbols, uint64_t won, uint64_t any, const uint16_t key[64],
                       uint64_t weight, uint64_t *sum)
{
    sum[CLTB_DRAW + 2] += weight * (uint64_t)__builtin_popcountll(~won & ~any);
    if (!symbols->cursed) {
        sum[CLTB_WIN + 2] += weight * (uint64_t)__builtin_popcountll(won & any);
        sum[CLTB_LOSS + 2] += weight * (uint64_t)__builtin_popcountll(~won & any);
        return;
    }
    for (; any != 0; any &= any - 1)
        sum[outcome_of(symbols->value[key[__builtin_ctzll(any)]])] += weight;
}

// All lanes of a word.
static void put_word(const struct scatter *scatter, const struct symbols *symbols, const struct worker_memory *memory,
                     uint64_t up, const uint16_t key[64])
{
    const struct section_target *outcome = &scatter->request->outcome;
    const struct section_target *distance = &scatter->request->distance;
    if (outcome->order != NULL && outcome->slot == NULL) {
        uint8_t *to = (uint8_t *)outcome->symbols + memory->upper[0][up];
        for (unsigned i = 0; i < 64; i++)
            to[memory->lower[0][i]] = symbols->outcome[key[i]];
    } else if (outcome->order != NULL) {
        for (unsigned i = 0; i < 64; i++)
            put_symbol(outcome, memory->upper[0][up] + memory->lower[0][i], symbols->outcome[key[i]]);
    }
    if (distance->order != NULL && distance->slot == NULL && distance->bytes == 1) {
        uint8_t *to = (uint8_t *)distance->symbols + memory->upper[1][up];
        for (unsigned i = 0; i < 64; i++)
            to[memory->lower[1][i]] = (uint8_t)symbols->distance[key[i]];
    } else if (distance->order != NULL) {
        for (unsigned i = 0; i < 64; i++)
            put_symbol(distance, memory->upper[1][up] + memory->lower[1][i], symbols->distance[key[i]]);
    }
}

static void put_lane(const struct scatter *scatter, const struct symbols *symbols, const struct worker_memory *memory,
                     uint64_t lane, unsigned key)
{
    const uint64_t up = lane >> 6;
    const uint64_t low = lane & 63;
    if (scatter->request->outcome.order != NULL)
        put_symbol(&scatter->request->outcome, memory->upper[0][up] + memory->lower[0][low], symbols->outcome[key]);
    if (scatter->request->distance.order != NULL)
        put_symbol(&scatter->request->distance, memory->upper[1][up] + memory->lower[1][low], symbols->distance[key]);
}

// Of two mirror images the file keeps the one with the lower index in its order.
static void compare_lane(const struct scatter *scatter, const struct symbols *symbols, const struct tile_view *tile,
                         const struct worker_memory *memory, uint64_t lane, unsigned key)
{
    const uint64_t up = lane >> 6;
    const uint64_t low = lane & 63;
    if (!scatter->mirrored) {
        put_slowly(scatter, tile, lane, symbols->value[key], key >> symbols->bits >= 2, true);
        return;
    }
    for (int i = 0; i < 2; i++) {
        const uint64_t entry = memory->upper[i][up] + memory->lower[i][low];
        if (scatter->view[i].order == NULL || entry > memory->mirror_upper[i][up] + memory->mirror_lower[i][low])
            continue;
        put_symbol(i == 0 ? &scatter->request->outcome : &scatter->request->distance, entry,
                   i == 0 ? symbols->outcome[key] : symbols->distance[key]);
    }
}

static void scatter_images(const struct scatter *scatter, const struct symbols *symbols, const struct tile_view *tile,
                           const struct worker_memory *memory, uint64_t word, uint64_t legal,
                           const struct images *images, const uint16_t key[64])
{
    for (uint64_t lanes = images->kept & legal; lanes != 0; lanes &= lanes - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(lanes);
        put_lane(scatter, symbols, memory, 64 * word + bit, key[bit]);
    }
    for (uint64_t lanes = images->compared & legal; lanes != 0; lanes &= lanes - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(lanes);
        compare_lane(scatter, symbols, tile, memory, 64 * word + bit, key[bit]);
    }
}

// `first`: the tile's first word in the planes. With the black king on the diagonal the white king's square tells which image
// a lane is; if he is a lower piece that is the same in all words, else in all lanes of a word.
static void scatter_words(const struct scatter *scatter, const struct symbols *symbols, const struct tile_view *tile,
                          struct worker_memory *memory, const struct slice_side *planes, size_t first, bool counted)
{
    const struct layout *layout = tile->layout;
    const bool diagonal = square_on_diagonal(triangle_square[scatter->king]);
    const bool upper_king = layout_lane_shift(layout, layout->white_king) >= 6;
    struct images images = {.kept = UINT64_MAX};
    const uint64_t weight = weight_of(scatter, tile);
    for (int which = 0; which < 2; which++) {
        if (scatter->view[which].order == NULL)
            continue;
        make_parts(memory, tile, &scatter->view[which], which);
        if (scatter->mirrored)
            make_mirrored_parts(memory, tile, &scatter->view[which], which);
    }
    if (diagonal && !upper_king)
        images = find_images(tile, 0);
    for (uint64_t word = 0; word < layout->tile_lanes / 64; word++) {
        const uint64_t any = planes_any_code(planes, first + word);
        const uint64_t legal = ~(planes->won[first + word] & ~any);
        uint16_t key[64];
        if (legal == 0)
            continue;
        list_keys(symbols, planes, first + word, key);
        if (counted)
            count_word(symbols, planes->won[first + word], any, key, weight, memory->sum);
        if (diagonal && upper_king) {
            const int image = diagonal_image(tile, 64 * word);
            images = (struct images){image > 0 ? UINT64_MAX : 0, image < 0 ? UINT64_MAX : 0};
        }
        if (images.kept == UINT64_MAX)
            put_word(scatter, symbols, memory, word, key);
        else
            scatter_images(scatter, symbols, tile, memory, word, legal, &images, key);
    }
}

// ---- counts ----

static void count_tile(const struct scatter *scatter, const struct tile_view *tile, const struct tile_values *values,
                       uint64_t *counts)
{
    const struct layout *layout = scatter->layout;
    const uint64_t weight = weight_of(scatter, tile);
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
    free(memory->mirror_upper[0]);
    free(memory->mirror_upper[1]);
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
        memory->mirror_upper[0] = calloc(upper, sizeof *memory->mirror_upper[0]);
        memory->mirror_upper[1] = calloc(upper, sizeof *memory->mirror_upper[1]);
    }
    *result = memory;
    if (memory == NULL || memory->value == NULL || memory->illegal == NULL || memory->upper[0] == NULL ||
        memory->upper[1] == NULL || memory->mirror_upper[0] == NULL || memory->mirror_upper[1] == NULL)
        return error_memory(lanes * sizeof *memory->value, "writing a table");
    return 0;
}

uint64_t sections_worker_bytes(const struct layout *layout)
{
    const uint64_t upper = layout->tile_lanes >> 3 * (layout->pieces - upper_pieces(layout));
    return sizeof(struct worker_memory) + layout->tile_lanes * sizeof(solver_value) + layout->tile_lanes / 8 +
           4 * upper * sizeof(uint64_t);
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
    const struct symbols *symbols = scatter->by_words ? symbols_for(scatter, &run->planes) : NULL;
    for (uint64_t i = 0; i < run->count; i++) {
        struct tile_view tile;
        look_at_tile(&tile, layout, run->number != NULL ? run->number[i] : run->first + i);
        if (!tile_wanted(request->filter, layout, tile.u) || (layout->type[0] == BLANK && tile.u[0] != 0))
            continue;
        if (symbols != NULL) {
            scatter_words(scatter, symbols, &tile, memory, &run->planes, i * words, is_counted(scatter, &tile));
            continue;
        }
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
        for (int i = 0; memory != NULL && i < TABLE_OUTCOMES; i++)
            sum[i] += memory->sum[i];
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
    scatter.by_words = can_scatter_words(&scatter);
    scatter.mirrored = square_on_diagonal(triangle_square[king]) && single_or_none(&scatter.view[0]) &&
                       single_or_none(&scatter.view[1]);
    list_symbols(&scatter.few, BITS_FEW, source->value[request->side]);
    list_symbols(&scatter.many, BITS_MANY, source->value[request->side]);
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
