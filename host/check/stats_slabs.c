// stats_slabs.c - counts all positions of a material from slabs
//
// Probing works out one position at a time and spends most of that on finding its way. Here a material is a number of
// parts: with pawns the slices, without pawns the ten squares of one king in the triangle. The other men of a part are
// free. Side A is a side whose distances are stored, side B one whose distances are not.
//
// 1. The outcomes of a part are bit planes of 64^n entries in the order [u digits] [l digits] (layout.h), completed by
//    captures as the solver does it: with pawns two slabs (solve/slabs.h), without pawns what a futurebase
//    (solve/futurebase.h) has at one square of the king.
// 2. For side A every entry gets a rank, which orders all values. The stored distance is found by order_map.h.
// 3. Every entry is counted. Draws are counted by words. For side B the least rank that a quiet move leads to gives the
//    distance: so a row costs a word operation for each plane, and a loss or a win of B one ply of search. Pawn moves
//    matter only for wins: they lead to further slabs.
//
// Without pawns it is A's king that stands in the triangle, so no move of B leaves the part.
//
// A row is all squares of the last free man: 64 entries, bit = square code. For example, in KPvK, a part has the pawn
// on one square, the white king chooses the row, and the black king the bit in it.
#include "check/stats_slabs.h"

#include "chess/attacks.h"
#include "chess/fen.h"
#include "futurebase/futurebases.h"
#include "futurebase/stored_slabs.h"
#include "index/order_map.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "solve/slab_make.h"
#include "solve/slices.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    MEN = MATERIAL_MEN_MAX,
    FREE_MAX = 4, // free men: 64^4 entries of a part
    PROMOTIONS = 4,
    PUSHES_MAX = 2 * PAWNS_MAX,
    BATCH_ENTRIES = 1 << 25, // of parts that are counted together
    SLABS_BYTES = 256 << 20, // kept for later batches
    ROWS_PER_ITEM = 64,
    NOT_LEGAL = CLTB_WIN + 1
};

// Better values of the side to move have higher ranks: losses their distance, wins this number less theirs.
enum { RANK_DRAW = 2000, RANK_WIN = 4000, RANK_NONE = 0xffff };

_Static_assert((int)TABLE_PLY_MAX<(int)RANK_DRAW && RANK_WIN - (int)TABLE_PLY_MAX>(int) RANK_DRAW,
               "ranks do not overlap");

// A pawn move of B.
struct push {
    int pawn;
    int to;
    uint64_t path;                       // squares that must be empty
    bool probe;                          // the answer may be en passant
    int moves;                           // 1, or the promotions
    const struct slab *slab[PROMOTIONS]; // with A to move
};

struct part {
    uint8_t fixed[FIXED_MAX];                    // squares of the fixed men
    bool both;                                   // the slice is its own mirror image
    uint64_t first;                              // entry of the stored distances
    const struct slab *slab[COLOURS];            // by side to move, with pawns
    const uint64_t *plane[COLOURS][SLAB_PLANES]; // by side to move
    uint16_t *rank[COLOURS];                     // by side to move, where stored
    int pushes;
    struct push push[PUSHES_MAX];
};

// What one thread keeps: the order maps' parts for one part and side A, by symmetry.
struct seat {
    struct order_parts *parts[SYMMETRIES];
    bool made[SYMMETRIES];
    const struct part *part;
    int side;
};

struct count {
    cltb_tables *tables;
    struct table *table;
    const struct tally_men *men;
    struct tally *tally; // [threads]
    struct seat *seat;   // [threads]
    struct thread_pool *pool;
    struct pawn_slices *slices; // NULL: no pawns
    bool stored[COLOURS];       // distances, by side to move
    struct order_map map[COLOURS];
    // The men: those that are free, in the order of their digits, then those that are fixed.
    struct slab_shape shape; // pieces: the free men, and without pawns perhaps a blank before them
    int blanks;
    int free;
    struct man man[MEN];
    int like[MEN];                   // the identical free man before this one, or -1
    int king[COLOURS];               // numbers of men
    uint8_t from[MEN];               // tally's man number i is ours number from[i]
    uint64_t add[FREE_MAX][SQUARES]; // what a square code of a free man adds to an entry
    uint64_t entries;                // of a part
    uint64_t above[SQUARES];         // codes of squares above this square
    uint64_t diagonal;               // codes of squares on a1-h8
    // Where outcomes come from.
    struct slabs *slabs;
    struct futurebase base;
    int flip; // of the base's colours
    // The parts of a batch.
    struct part *part;
    size_t parts;
    int ranked; // side that is being ranked, or -1: parts are being counted
};

// The present row.
struct row {
    const struct count *count;
    const struct part *part;
    struct tally *tally;
    struct seat *seat;
    uint8_t square[MEN];
    uint8_t code[LAYOUT_PIECES_MAX]; // of the pieces of the shape
    uint64_t others;                 // occupied, without the last man
    uint64_t base;                   // entry without the last man
    // of the present placement
    uint64_t occupied;
    uint64_t at;
    unsigned weight;
};

// ---- planes ----

// The 64 bits of a row, by square code of the last man.
static uint64_t row_bits(const struct row *row, const uint64_t *plane)
{
    const unsigned tile_shift = 3 * (unsigned)row->count->shape.pieces;
    uint64_t bits = 0;
    for (unsigned u = 0; u < 8; u++) {
        const uint64_t at = row->base + ((uint64_t)u << tile_shift);
        bits |= (plane[at / 64] >> at % 64 & 0xff) << 8 * u;
    }
    return bits;
}

static bool bit_of(const uint64_t *plane, uint64_t at)
{
    return plane[at / 64] >> at % 64 & 1;
}

// Of one side to move: the entries of each outcome + 2.
struct outcomes {
    uint64_t of[TABLE_OUTCOMES];
    uint64_t legal;
    uint64_t by_capture;
};

static struct outcomes row_outcomes(const struct row *row, int side)
{
    const uint64_t *const *plane = row->part->plane[side];
    const uint64_t legal = ~row_bits(row, plane[SLAB_ILLEGAL]);
    const uint64_t won = row_bits(row, plane[SLAB_WON]) & legal;
    const uint64_t lost = row_bits(row, plane[SLAB_LOST]) & legal;
    uint64_t won_ever = won;
    uint64_t lost_ever = lost;
    if (plane[SLAB_WON_EVER] != plane[SLAB_WON]) {
        won_ever = row_bits(row, plane[SLAB_WON_EVER]) & legal;
        lost_ever = row_bits(row, plane[SLAB_LOST_EVER]) & legal;
    }
    return (struct outcomes){.of = {lost, lost_ever & ~lost, legal & ~won_ever & ~lost_ever, won_ever & ~won, won},
                             .legal = legal,
                             .by_capture = row_bits(row, plane[SLAB_BY_CAPTURE]) & won_ever};
}

// Squares of all men but the last free one; false if two share one.
static bool set_up(struct row *row, uint64_t number)
{
    const struct count *count = row->count;
    row->others = row->base = 0;
    for (int i = 0; i < count->men->count; i++) {
        if (i == count->free - 1)
            continue;
        if (i < count->free) {
            const uint8_t code = (uint8_t)(number % SQUARES);
            row->code[count->blanks + i] = code;
            row->square[i] = code_square[code];
            row->base += count->add[i][code];
            number /= SQUARES;
        } else {
            row->square[i] = row->part->fixed[i - count->free];
        }
        if (row->others & square_bit(row->square[i]))
            return false;
        row->others |= square_bit(row->square[i]);
    }
    return true;
}

// Puts the last free man on a square.
static void place_last(struct row *row, int code)
{
    const struct count *count = row->count;
    const int last = count->free - 1;
    row->code[count->blanks + last] = (uint8_t)code;
    row->square[last] = code_square[code];
    row->occupied = row->others | square_bit(row->square[last]);
    row->at = row->base + count->add[last][code];
}

// ---- step 2: ranks of side A ----

static uint16_t rank_of(int outcome, int dtz)
{
    if (outcome == CLTB_DRAW)
        return RANK_DRAW;
    return (uint16_t)(outcome > CLTB_DRAW ? RANK_WIN - dtz : dtz);
}

static int dtz_of(uint16_t rank)
{
    return rank > RANK_DRAW ? RANK_WIN - rank : rank == RANK_DRAW ? 0 : rank;
}

// The symmetries that may carry a placement to the image that the file keeps: one, or two of which the smaller entry
// counts.
static int symmetries_of(const struct row *row, int symmetry[2])
{
    const struct count *count = row->count;
    const int white = row->square[count->king[WHITE]];
    const int black = row->square[count->king[BLACK]];
    symmetry[0] = row->part->both && square_file(white) > 3 ? 1 : 0;
    if (count->slices != NULL)
        return 1;
    const int g = symmetry_to_triangle(black);
    const int mirrored = 4 | (g & 1) << 1 | (g >> 1 & 1); // then the diagonal: the mirrors change places with it
    const int seen = square_apply(g, white);
    symmetry[0] = g;
    symmetry[1] = mirrored;
    if (!square_on_diagonal(square_apply(g, black)) || square_rank(seen) < square_file(seen))
        return 1;
    if (square_on_diagonal(seen))
        return 2;
    symmetry[0] = mirrored;
    return 1;
}

static const struct order_parts *parts_under(const struct row *row, int side, int symmetry)
{
    struct seat *seat = row->seat;
    if (seat->part != row->part || seat->side != side) {
        memset(seat->made, 0, sizeof seat->made);
        seat->part = row->part;
        seat->side = side;
    }
    if (!seat->made[symmetry])
        order_parts_make(seat->parts[symmetry], &row->count->map[side], symmetry, row->part->fixed);
    seat->made[symmetry] = true;
    return seat->parts[symmetry];
}

// The entry of the first `pieces` pieces under one symmetry.
static uint64_t entry_under(const struct row *row, int side, int symmetry, int pieces)
{
    const struct count *count = row->count;
    const struct order_map *map = &count->map[side];
    const struct order_parts *parts = parts_under(row, side, symmetry);
    uint64_t first = row->part->first;
    if (count->slices == NULL) {
        const int black = square_apply(symmetry, row->square[count->king[BLACK]]);
        first = (uint64_t)square_triangle[black] * map->order->per_slice;
    }
    return first + parts->fixed + order_sum(map, parts, 0, pieces, row->code);
}

static uint64_t entry_of(const struct row *row, int side)
{
    int symmetry[2];
    const int images = symmetries_of(row, symmetry);
    const uint64_t one = entry_under(row, side, symmetry[0], row->count->shape.pieces);
    if (images == 1)
        return one;
    const uint64_t two = entry_under(row, side, symmetry[1], row->count->shape.pieces);
    return one < two ? one : two;
}

static int rank_row(struct row *row, int side)
{
    const struct count *count = row->count;
    const int last = count->shape.pieces - 1;
    const struct outcomes outcomes = row_outcomes(row, side);
    const uint64_t *add = count->add[count->free - 1];
    uint16_t *rank = row->part->rank[side] + row->base;
    const uint64_t *parts = NULL; // of the last man, if all squares have the same symmetry
    uint64_t scratch[SQUARES];
    uint64_t base = 0;
    int symmetry[2];
    for (int code = 0; code < SQUARES; code++)
        rank[add[code]] = RANK_NONE;
    for (uint64_t draws = outcomes.of[CLTB_DRAW + 2]; draws != 0;)
        rank[add[set_pop(&draws)]] = RANK_DRAW;
    if (count->king[WHITE] != count->free - 1 && count->king[BLACK] != count->free - 1 &&
        symmetries_of(row, symmetry) == 1) {
        base = entry_under(row, side, symmetry[0], last);
        parts = order_row(&count->map[side], parts_under(row, side, symmetry[0]), last, row->code, scratch);
    }
    for (int outcome = CLTB_LOSS; outcome <= CLTB_WIN; outcome++) {
        const uint64_t all = outcome == CLTB_DRAW ? 0 : outcomes.of[outcome + 2];
        for (uint64_t left = all & outcomes.by_capture; left != 0;)
            rank[add[set_pop(&left)]] = rank_of(outcome, zeroing_ply(outcome));
        for (uint64_t left = all & ~outcomes.by_capture; left != 0;) {
            const int code = set_pop(&left);
            unsigned dtz = 0;
            place_last(row, code);
            TRY(table_symbol(count->table, TABLE_DISTANCE, side,
                             parts != NULL ? base + parts[code] : entry_of(row, side), &dtz));
            if (!table_distance_fits(outcome, dtz))
                return table_invalid(count->table, "a distance does not fit its outcome");
            rank[add[code]] = rank_of(outcome, (int)dtz);
        }
    }
    return 0;
}

// ---- side B: one ply of search ----

static void set_position(const struct row *row, int side, struct position *p)
{
    const struct count *count = row->count;
    struct man men[MEN];
    for (int i = 0; i < count->men->count; i++)
        men[i] = (struct man){count->man[i].type, count->man[i].colour, row->square[i]};
    position_set(p, men, count->men->count, side); // it is legal
}

// The least rank for A that a quiet move of `side` leads to.
static unsigned least_reply(const struct row *row, int side)
{
    const struct count *count = row->count;
    unsigned least = RANK_NONE;
    for (int i = 0; i < count->free; i++) {
        const struct man *man = &count->man[i];
        if (man->colour != side)
            continue;
        const int from = row->square[i];
        const uint64_t *add = count->add[i];
        const uint16_t *rank = row->part->rank[side ^ 1] + (row->at - add[square_code[from]]);
        uint64_t targets = piece_attacks(man->type, side, from, row->occupied) & ~row->occupied;
        while (targets != 0) {
            const unsigned reply = rank[add[square_code[set_pop(&targets)]]];
            least = reply < least ? reply : least;
        }
    }
    return least;
}

// A double step that may be answered en passant: by probing.
static int probe_push(const struct row *row, const struct push *push, int side, int *outcome)
{
    struct position p;
    uint32_t moves[MOVES_MAX];
    set_position(row, side, &p);
    const int count = moves_legal(&p, moves);
    for (int i = 0; i < count; i++) {
        if (move_from(moves[i]) != row->square[push->pawn] || move_to(moves[i]) != push->to)
            continue;
        TRY(position_make(&p, moves[i]));
        TRY(probe_outcome(row->count->tables, &p, outcome));
        *outcome = -*outcome;
    }
    return 0;
}

// The outcome of one entry of a slab.
static int slab_outcome(const struct slab *slab, uint64_t at)
{
    const uint64_t *plane[SLAB_PLANES];
    slab_planes(slab, plane);
    if (bit_of(plane[SLAB_ILLEGAL], at))
        return NOT_LEGAL;
    if (bit_of(plane[SLAB_WON_EVER], at))
        return bit_of(plane[SLAB_WON], at) ? CLTB_WIN : CLTB_CURSED_WIN;
    if (bit_of(plane[SLAB_LOST_EVER], at))
        return bit_of(plane[SLAB_LOST], at) ? CLTB_LOSS : CLTB_BLESSED_LOSS;
    return CLTB_DRAW;
}

// Does a pawn move give this outcome?
static int push_gives(const struct row *row, int side, int outcome, bool *gives)
{
    *gives = false;
    for (int i = 0; i < row->part->pushes && !*gives; i++) {
        const struct push *push = &row->part->push[i];
        if (row->occupied & push->path)
            continue;
        if (push->probe) {
            int after = NOT_LEGAL;
            TRY(probe_push(row, push, side, &after));
            *gives = after == outcome;
        }
        for (int k = 0; k < push->moves && !push->probe; k++)
            *gives |= slab_outcome(push->slab[k], row->at) == -outcome;
    }
    return 0;
}

static int contradiction(const struct row *row, int side)
{
    struct position p;
    char fen[FEN_MAX];
    char name[MATERIAL_NAME_MAX];
    set_position(row, side, &p);
    fen_write(&p, fen);
    return error_set(CLTB_E_CORRUPT, "table %s contradicts itself: no move gives the outcome of %s",
                     material_name(&table_info(row->count->table)->material, name), fen);
}

// The best that quiet moves and pawn moves make of a win (`first`: 1) or cursed win (`first`: 101).
static int search_win(const struct row *row, int side, int outcome, int *dtz)
{
    const int first = zeroing_ply(outcome);
    const unsigned least = least_reply(row, side);
    const int last = outcome == CLTB_WIN ? PLY_LIMIT : TABLE_PLY_MAX;
    const bool quiet = (int)least < last;
    *dtz = (int)least + 1;
    if (quiet && *dtz < first)
        return contradiction(row, side);
    if (quiet && *dtz == first)
        return 0;
    bool pushed;
    TRY(push_gives(row, side, outcome, &pushed));
    if (pushed)
        *dtz = first;
    return pushed || quiet ? 0 : contradiction(row, side);
}

static int search_loss(const struct row *row, int side, int outcome, int *dtz)
{
    const unsigned least = least_reply(row, side);
    *dtz = zeroing_ply(outcome);
    if (least != RANK_NONE && least <= RANK_DRAW)
        return contradiction(row, side);
    if (least != RANK_NONE) {
        const int longest = RANK_WIN - (int)least + 1;
        if (outcome == CLTB_LOSS && longest > PLY_LIMIT)
            return contradiction(row, side);
        *dtz = longest > *dtz ? longest : *dtz;
    } else if (outcome == CLTB_LOSS) {
        struct position p;
        set_position(row, side, &p);
        *dtz = moves_any(&p) ? 1 : 0;
    }
    return 0;
}

// ---- step 3: counting ----

static void tally_squares(const struct row *row, uint8_t *square)
{
    for (int i = 0; i < row->count->men->count; i++)
        square[i] = row->square[row->count->from[i]];
}

// A position that is not a draw.
static int count_position(struct row *row, int side, int outcome, bool by_capture)
{
    const struct count *count = row->count;
    struct cltb_value value = {outcome, zeroing_ply(outcome)};
    if (count->stored[side])
        value.dtz = dtz_of(row->part->rank[side][row->at]);
    else if (!by_capture)
        TRY(outcome > CLTB_DRAW ? search_win(row, side, outcome, &value.dtz)
                                : search_loss(row, side, outcome, &value.dtz));
    struct stats_bin *bin = &row->tally->bin[side][outcome + 2][value.dtz];
    bin->count += row->weight;
    bin->diagonal += count->slices == NULL && (row->occupied & ~DIAGONAL_A1H8) == 0;
    if (!tally_wants(row->tally, side, value))
        return 0;
    struct position p;
    uint8_t square[MEN];
    tally_squares(row, square);
    set_position(row, side, &p);
    return tally_note(row->tally, count->men, count->tables, &p, square, value);
}

// The codes of the last man by what a placement stands for: `full` of the whole board, or `half` of that. The others
// are images, or identical pieces are not in rising order.
struct weights {
    uint64_t full;
    uint64_t half;
};

static struct weights row_weights(const struct row *row)
{
    const struct count *count = row->count;
    const int last = count->free - 1;
    struct weights weights = {UINT64_MAX, 0};
    for (int i = 0; i < last; i++) {
        if (count->like[i] >= 0 && row->square[i] < row->square[count->like[i]])
            return (struct weights){0, 0};
    }
    if (count->like[last] >= 0)
        weights.full = count->above[row->square[count->like[last]]];
    // The king that chooses between two images.
    const int king = count->king[count->slices != NULL ? WHITE : count->shape.fixed_colour[0] ^ 1];
    if (count->slices != NULL ? !row->part->both : !square_on_diagonal(row->part->fixed[0]))
        return weights;
    const uint64_t all = weights.full;
    weights.full = 0;
    for (int code = 0; code < SQUARES; code++) {
        const int square = king == last ? code_square[code] : row->square[king];
        const uint64_t bit = all & UINT64_C(1) << code;
        if (count->slices != NULL ? square_file(square) <= 3 : square_rank(square) < square_file(square))
            weights.full |= bit;
        else if (count->slices == NULL && square_on_diagonal(square))
            weights.half |= bit;
    }
    return weights;
}

static int count_row(struct row *row)
{
    const struct count *count = row->count;
    const unsigned full = count->slices != NULL ? 2 : 8;
    const struct weights weights = row_weights(row);
    const uint64_t counted = weights.full | weights.half;
    const bool diagonal = count->slices == NULL && (row->others & ~DIAGONAL_A1H8) == 0;
    if (counted == 0)
        return 0;
    const struct outcomes outcomes[COLOURS] = {row_outcomes(row, WHITE), row_outcomes(row, BLACK)};
    for (int side = WHITE; side <= (count->men->paired ? WHITE : BLACK); side++) {
        const uint64_t draws = outcomes[side].of[CLTB_DRAW + 2] & counted;
        struct stats_bin *bin = &row->tally->bin[side][CLTB_DRAW + 2][0];
        bin->count += full * (uint64_t)__builtin_popcountll(draws & weights.full) +
                      full / 2 * (uint64_t)__builtin_popcountll(draws & weights.half);
        bin->diagonal += diagonal ? (uint64_t)__builtin_popcountll(draws & count->diagonal) : 0;
        for (int outcome = CLTB_LOSS; outcome <= CLTB_WIN; outcome++) {
            uint64_t left = outcome == CLTB_DRAW ? 0 : outcomes[side].of[outcome + 2] & counted;
            while (left != 0) {
                const int code = set_pop(&left);
                place_last(row, code);
                row->weight = weights.half >> code & 1 ? full / 2 : full;
                TRY(count_position(row, side, outcome, outcomes[side].by_capture >> code & 1));
            }
        }
    }
    for (int white = CLTB_LOSS; white <= CLTB_WIN; white++) {
        for (int black = CLTB_LOSS; black <= CLTB_WIN; black++) {
            uint64_t left = tally_is_zugzwang(white, black)
                                ? outcomes[WHITE].of[white + 2] & outcomes[BLACK].of[black + 2] & counted
                                : 0;
            while (left != 0) {
                const int code = set_pop(&left);
                uint8_t square[MEN];
                place_last(row, code);
                tally_squares(row, square);
                TRY(tally_zugzwang(row->tally, count->men, square, white, black,
                                   weights.half >> code & 1 ? full / 2 : full));
            }
        }
    }
    return 0;
}

// ---- parts ----

static uint64_t rows_of(const struct count *count)
{
    return UINT64_C(1) << 6 * (count->free - 1);
}

static int work(void *context, uint64_t item, int worker)
{
    const struct count *count = context;
    const uint64_t rows = rows_of(count);
    const uint64_t items = (rows + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM; // of a part
    const uint64_t first = item % items * ROWS_PER_ITEM;
    struct row row = {.count = count,
                      .part = &count->part[item / items],
                      .tally = &count->tally[worker],
                      .seat = &count->seat[worker]};
    for (uint64_t number = first; number < first + ROWS_PER_ITEM && number < rows; number++) {
        const bool possible = set_up(&row, number);
        if (possible)
            TRY(count->ranked < 0 ? count_row(&row) : rank_row(&row, count->ranked));
    }
    return 0;
}

static int add_push(struct count *count, struct part *part, int fixed, int to, int over, bool probe)
{
    const int side = count->shape.fixed_colour[fixed];
    struct push *push = &part->push[part->pushes++];
    *push = (struct push){.pawn = count->free + fixed, .to = to, .path = square_bit(to), .probe = probe, .moves = 1};
    if (over != NO_SQUARE)
        push->path |= square_bit(over);
    if (square_rank(to) == 0 || square_rank(to) == 7)
        push->moves = PROMOTIONS;
    for (int i = 0; i < push->moves && !probe; i++) {
        struct slab_shape shape = count->shape;
        uint8_t square[FIXED_MAX];
        memcpy(square, part->fixed, sizeof square);
        square[fixed] = (uint8_t)to;
        shape.fixed_type[fixed] = push->moves > 1 ? (uint8_t)(QUEEN + i) : PAWN;
        TRY(slabs_want(count->slabs, &shape, square, side ^ 1, &push->slab[i]));
    }
    return 0;
}

// The pawn moves of a side, captures apart.
static int list_pushes(struct count *count, struct part *part, int side)
{
    const struct slab_shape *shape = &count->shape;
    const int forward = side == WHITE ? 8 : -8;
    uint64_t pawns[COLOURS] = {0, 0};
    for (int i = 0; i < shape->fixed; i++)
        pawns[shape->fixed_colour[i]] |= square_bit(part->fixed[i]);
    for (int i = 0; i < shape->fixed; i++) {
        const int one = part->fixed[i] + forward;
        const int two = one + forward;
        if (shape->fixed_colour[i] != side || ((pawns[WHITE] | pawns[BLACK]) & square_bit(one)))
            continue;
        TRY(add_push(count, part, i, one, NO_SQUARE, false));
        if (square_rank(part->fixed[i]) == (side == WHITE ? 1 : 6) &&
            !((pawns[WHITE] | pawns[BLACK]) & square_bit(two)))
            TRY(add_push(count, part, i, two, one, (pawn_attacks(side, one) & pawns[side ^ 1]) != 0));
    }
    return 0;
}

static int open_slice(struct count *count, struct part *part, uint64_t number)
{
    const struct table_info *info = table_info(count->table);
    bool mirror;
    memcpy(part->fixed, count->slices->square[number], PAWNS_MAX);
    pawn_slices_find(count->slices, part->fixed, &mirror, &part->both);
    for (int side = WHITE; side <= BLACK; side++) {
        const uint64_t *positions = info->positions[side];
        TRY(slabs_want(count->slabs, &count->shape, part->fixed, side, &part->slab[side]));
        if (count->stored[side])
            part->first = number * count->map[side].order->per_slice;
        else if (!count->men->paired && positions[CLTB_WIN + 2] + positions[CLTB_CURSED_WIN + 2] > 0)
            TRY(list_pushes(count, part, side));
    }
    return 0;
}

static void open_king_square(const struct count *count, struct part *part, uint64_t number)
{
    const size_t at = number * (count->entries / 64);
    const struct futurebase *base = &count->base;
    part->fixed[0] = triangle_square[number];
    for (int side = WHITE; side <= BLACK; side++) {
        const int from = side ^ count->flip;
        const uint64_t **plane = part->plane[side];
        plane[SLAB_ILLEGAL] = base->illegal[from] + at;
        plane[SLAB_BY_CAPTURE] = base->by_capture[from] + at;
        plane[SLAB_WON] = base->won[from] + at;
        plane[SLAB_LOST] = base->lost[from] + at;
        plane[SLAB_WON_EVER] = base->won_ever[from] != NULL ? base->won_ever[from] + at : plane[SLAB_WON];
        plane[SLAB_LOST_EVER] = base->lost_ever[from] != NULL ? base->lost_ever[from] + at : plane[SLAB_LOST];
    }
}

// Parts first..first+count->parts-1. `rank` has room for the ranks of both sides.
static int count_batch(struct count *count, uint64_t first, uint16_t *rank)
{
    const uint64_t items = (rows_of(count) + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM;
    for (int i = 0; i < threads_count(count->pool); i++)
        count->seat[i].part = NULL;
    for (size_t i = 0; i < count->parts; i++) {
        struct part *part = &count->part[i];
        *part = (struct part){.pushes = 0};
        for (int side = WHITE; side <= BLACK; side++) {
            part->rank[side] = rank;
            rank += count->stored[side] ? count->entries : 0;
        }
        if (count->slices != NULL)
            TRY(open_slice(count, part, first + i));
        else
            open_king_square(count, part, first + i);
    }
    if (count->slices != NULL) {
        TRY(slabs_make(count->slabs));
        for (size_t i = 0; i < count->parts; i++) {
            for (int side = WHITE; side <= BLACK; side++)
                slab_planes(count->part[i].slab[side], count->part[i].plane[side]);
        }
    }
    for (count->ranked = WHITE; count->ranked <= BLACK; count->ranked++) {
        if (count->stored[count->ranked])
            TRY(threads_each(count->pool, count->parts * items, work, count));
    }
    count->ranked = -1;
    TRY(threads_each(count->pool, count->parts * items, work, count));
    if (count->slices != NULL)
        slabs_trim(count->slabs, SLABS_BYTES);
    return 0;
}

static int count_batches(struct count *count, uint64_t parts)
{
    const uint64_t most = BATCH_ENTRIES / count->entries > 0 ? BATCH_ENTRIES / count->entries : 1;
    const uint64_t each = most < parts ? most : parts;
    const size_t bytes = each * count->entries * sizeof(uint16_t) *
                         (size_t)((count->stored[WHITE] ? 1 : 0) + (count->stored[BLACK] ? 1 : 0));
    uint16_t *rank = memory_map(bytes);
    count->part = calloc(each, sizeof *count->part);
    int code = rank == NULL || count->part == NULL ? error_memory(bytes, "the values of all positions") : 0;
    for (uint64_t first = 0; first < parts && code == 0; first += each) {
        count->parts = parts - first < each ? parts - first : each;
        code = count_batch(count, first, rank);
    }
    free(count->part);
    if (rank != NULL)
        memory_unmap(rank, bytes);
    return code;
}

// ---- all parts ----

// The shape of all parts, and what follows from it. `layout`: without pawns.
static void set_shape(struct count *count, const struct material *material, const struct layout *layout)
{
    struct slab_shape *shape = &count->shape;
    if (layout == NULL) {
        slices_shape(material, shape);
    } else {
        shape->pieces = layout->pieces;
        memcpy(shape->type, layout->type, sizeof shape->type);
        for (int i = 0; i < layout->pieces; i++) {
            shape->colour[i] = layout->colour[i] ^ (uint8_t)count->flip;
            count->blanks += layout->type[i] == BLANK;
        }
        shape->fixed = 1;
        shape->fixed_type[0] = KING;
        shape->fixed_colour[0] = BLACK ^ (uint8_t)count->flip;
    }
    count->free = shape->pieces - count->blanks;
    count->entries = UINT64_C(1) << 6 * shape->pieces;
    for (int i = 0; i < count->men->count; i++) {
        const int piece = count->blanks + i;
        const int fixed = i - count->free;
        count->man[i] = i < count->free ? (struct man){shape->type[piece], shape->colour[piece], 0}
                                        : (struct man){shape->fixed_type[fixed], shape->fixed_colour[fixed], 0};
        count->like[i] = -1;
        for (int j = 0; j < i; j++) {
            if (count->man[j].type == count->man[i].type && count->man[j].colour == count->man[i].colour)
                count->like[i] = j;
        }
        if (count->man[i].type == KING)
            count->king[count->man[i].colour] = i;
        const int l_shift = 3 * (shape->pieces - 1 - piece);
        for (unsigned code = 0; code < SQUARES && i < count->free; code++)
            count->add[i][code] = (uint64_t)(code >> 3) << (l_shift + 3 * shape->pieces) | (code & 7) << l_shift;
    }
    bool taken[MEN] = {false};
    for (int i = 0; i < count->men->count; i++) {
        const struct man *man = &count->men->man[i];
        int k = 0;
        while (taken[k] || count->man[k].type != man->type || count->man[k].colour != man->colour)
            k++;
        taken[k] = true;
        count->from[i] = (uint8_t)k;
    }
    for (int code = 0; code < SQUARES; code++) {
        count->diagonal |= square_on_diagonal(code_square[code]) ? UINT64_C(1) << code : 0;
        for (int square = 0; square < code_square[code]; square++)
            count->above[square] |= UINT64_C(1) << code;
    }
}

static int open_seats(struct count *count)
{
    const struct slab_shape *shape = &count->shape;
    const struct order_men men = {shape->pieces, shape->type,       shape->colour,
                                  shape->fixed,  shape->fixed_type, shape->fixed_colour};
    const size_t threads = (size_t)threads_count(count->pool);
    for (int side = WHITE; side <= BLACK; side++) {
        if (count->stored[side])
            order_map_init(&count->map[side], table_order(count->table, TABLE_DISTANCE, side), false, &men);
    }
    count->seat = calloc(threads, sizeof *count->seat);
    if (count->seat == NULL)
        return error_memory(threads * sizeof *count->seat, "threads");
    for (size_t i = 0; i < threads * SYMMETRIES; i++) {
        struct order_parts **parts = &count->seat[i / SYMMETRIES].parts[i % SYMMETRIES];
        *parts = malloc(sizeof **parts);
        if (*parts == NULL)
            return error_memory(sizeof **parts, "threads");
    }
    return 0;
}

static int count_slices(struct count *count, const struct material *material)
{
    struct stored_slabs stored = {.folders = tables_folders(count->tables), .pool = count->pool};
    const struct slab_source source = stored_slabs_source(&stored);
    struct paged *paged = NULL;
    TRY(pawn_slices_open(&count->slices, material->count[WHITE][PAWN], material->count[BLACK][PAWN]));
    set_shape(count, material, NULL);
    int code = open_seats(count);
    if (code == 0)
        code = paged_open(&paged, threads_memory(count->pool), 0, NULL);
    if (code == 0)
        code = slabs_open(&count->slabs, &source, paged, count->pool, NULL);
    if (code == 0) {
        count->slabs->by_capture = true;
        code = count_batches(count, count->slices->slices);
    }
    slabs_close(count->slabs);
    paged_close(paged);
    stored_slabs_close(&stored);
    pawn_slices_close(count->slices);
    return code;
}

static int count_king_squares(struct count *count, const struct material *material)
{
    struct stored_tables stored = {.folders = tables_folders(count->tables), .pool = count->pool};
    const struct futurebase_source source = stored_source(&stored);
    struct material seen = *material;
    struct layout layout;
    count->flip = count->stored[BLACK] ? 0 : 1; // the layout has the black king in the triangle
    if (count->flip) {
        memcpy(seen.count[WHITE], material->count[BLACK], sizeof seen.count[WHITE]);
        memcpy(seen.count[BLACK], material->count[WHITE], sizeof seen.count[BLACK]);
    }
    TRY(layout_init(&layout, &seen, 0));
    set_shape(count, material, &layout);
    int code = open_seats(count);
    for (int side = WHITE; side <= BLACK && code == 0; side++) {
        const size_t words = layout_bits(&layout) / 64;
        count->base.illegal[side] = calloc(words, sizeof(uint64_t));
        count->base.by_capture[side] = calloc(words, sizeof(uint64_t));
        if (count->base.illegal[side] == NULL || count->base.by_capture[side] == NULL)
            code = error_memory(words * sizeof(uint64_t), "a futurebase");
    }
    if (code == 0)
        code = source.load(source.context, &layout, &count->base);
    if (code == 0)
        code = count_batches(count, TRIANGLE_SQUARES);
    futurebase_free(&count->base);
    return code;
}

static int free_men(const struct material *material)
{
    const int pawns = material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
    return material_men(material) - (pawns > 0 ? pawns : 1);
}

bool stats_slabs_fit(const struct material *material)
{
    const int pawns = material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
    return pawns <= PAWNS_MAX && free_men(material) <= FREE_MAX;
}

int stats_by_slabs(cltb_tables *tables, const struct material *material, const struct tally_men *men,
                   struct tally *tally, struct thread_pool *pool)
{
    struct count *count = calloc(1, sizeof *count);
    if (count == NULL)
        return error_memory(sizeof *count, "statistics");
    *count = (struct count){.tables = tables, .men = men, .tally = tally, .pool = pool};
    int code = tables_find_material(tables, material, &count->table);
    if (code == 0) {
        memcpy(count->stored, table_info(count->table)->distance, sizeof count->stored);
        code = men->pawns > 0 ? count_slices(count, material) : count_king_squares(count, material);
    }
    for (int i = 0; count->seat != NULL && i < threads_count(pool) * SYMMETRIES; i++)
        free(count->seat[i / SYMMETRIES].parts[i % SYMMETRIES]);
    free(count->seat);
    free(count);
    return code;
}
