// stats_rows.c - ranks and counts the rows of a part of a material
#include "check/stats_rows.h"

#include "chess/attacks.h"
#include "chess/fen.h"
#include "probe/probe.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

enum { MEN = MATERIAL_MEN_MAX, NOT_LEGAL = CLTB_WIN + 1 };

_Static_assert((int)TABLE_PLY_MAX<(int)RANK_DRAW && RANK_WIN - (int)TABLE_PLY_MAX>(int) RANK_DRAW,
               "ranks do not overlap");

// The current row.
struct row {
    const struct stats_parts *count;
    const struct stats_part *part;
    struct tally *tally;
    struct stats_seat *seat;
    uint8_t square[MEN];
    uint8_t code[LAYOUT_PIECES_MAX]; // of the pieces of the shape
    uint64_t number;
    uint64_t others;   // occupied squares, without the last man's
    uint64_t base;     // the entry without the last man's part
    uint64_t diagonal; // codes of the last man for which all men stand on one long diagonal
    // For the current placement:
    uint64_t occupied;
    uint64_t at;
};

// The ranks of a row.
static int16_t *ranks_of(const struct row *row, int side)
{
    return row->part->rank[side] + row->number * SQUARES;
}

// ---- planes ----

// The 64 bits of a row, ordered by the square code of the last man.
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

// For one side to move: the entries with each outcome + 2.
struct outcomes {
    uint64_t of[TABLE_OUTCOMES];
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
                             .by_capture = row_bits(row, plane[SLAB_BY_CAPTURE]) & won_ever};
}

// Finds the squares of all men but the last free one; false if two share a square.
static bool set_up(struct row *row, uint64_t number)
{
    const struct stats_parts *count = row->count;
    row->number = number;
    row->others = row->base = 0;
    for (int i = count->men->count - 1; i >= 0; i--) {
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
    row->diagonal = count->slices == NULL && (row->others & ~DIAGONAL_A1H8) == 0 ? count->diagonal : 0;
    return true;
}

// Puts the last free man on a square.
static void place_last(struct row *row, int code)
{
    const struct stats_parts *count = row->count;
    const int last = count->free - 1;
    row->code[count->blanks + last] = (uint8_t)code;
    row->square[last] = code_square[code];
    row->occupied = row->others | square_bit(row->square[last]);
    row->at = row->base + count->add[last][code];
}

// ---- step 2: ranks of side A ----

// The symmetries that may carry a placement to the image kept in the file: one, or two, of which the smaller entry
// counts.
static int symmetries_of(const struct row *row, int symmetry[2])
{
    const struct stats_parts *count = row->count;
    const int white = row->square[count->king[WHITE]];
    const int black = row->square[count->king[BLACK]];
    symmetry[0] = row->part->both && square_file(white) > 3 ? 1 : 0;
    if (count->slices != NULL)
        return 1;
    const int g = symmetry_to_triangle(black);
    const int mirrored = 4 | (g & 1) << 1 | (g >> 1 & 1); // then the diagonal, which exchanges the mirrors
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
    struct stats_seat *seat = row->seat;
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

// The part of the entry of the first `pieces` pieces under one symmetry.
static uint64_t entry_under(const struct row *row, int side, int symmetry, int pieces)
{
    const struct stats_parts *count = row->count;
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

// ---- wins in 1 of side A, where any distance may be stored for them ----

static void set_position(const struct row *row, int side, struct position *p)
{
    const struct stats_parts *count = row->count;
    struct man men[MEN];
    for (int i = 0; i < count->men->count; i++)
        men[i] = (struct man){count->man[i].type, count->man[i].colour, row->square[i]};
    position_set(p, men, count->men->count, side); // it is legal
}

// The entries of a row from which a pawn move gives this outcome, not counting pawn moves that must be probed.
static uint64_t push_bits(const struct row *row, int side, int outcome)
{
    uint64_t found = 0;
    for (int i = 0; i < row->part->pushes; i++) {
        const struct pawn_push *push = &row->part->push[i];
        uint64_t free = UINT64_MAX;
        if (push->probe || row->count->man[push->pawn].colour != side || row->others & push->path)
            continue;
        for (uint64_t path = push->path; path != 0;)
            free &= ~(UINT64_C(1) << square_code[set_pop(&path)]);
        for (int k = 0; k < push->moves; k++) {
            const uint64_t *plane[SLAB_PLANES];
            slab_planes(push->slab[k], plane); // illegal entries are never lost
            if (outcome == CLTB_WIN)
                found |= row_bits(row, plane[SLAB_LOST]) & free;
            else if (plane[SLAB_LOST_EVER] != plane[SLAB_LOST])
                found |= row_bits(row, plane[SLAB_LOST_EVER]) & ~row_bits(row, plane[SLAB_LOST]) & free;
        }
    }
    return found;
}

// Does a double step that may be answered en passant give this outcome?
static int probe_pushes(const struct row *row, int side, int outcome, bool *gives)
{
    *gives = false;
    for (int i = 0; i < row->part->pushes && !*gives && row->part->probes[side]; i++) {
        const struct pawn_push *push = &row->part->push[i];
        struct position p;
        uint32_t moves[MOVES_MAX];
        if (!push->probe || row->count->man[push->pawn].colour != side || row->occupied & push->path)
            continue;
        set_position(row, side, &p);
        const int count = moves_legal(&p, moves);
        for (int k = 0; k < count; k++) {
            int after;
            if (move_from(moves[k]) != row->square[push->pawn] || move_to(moves[k]) != push->to)
                continue;
            TRY(position_make(&p, moves[k]));
            TRY(probe_outcome(row->count->tables, &p, &after));
            *gives = after == -outcome;
            position_undo(&p);
        }
    }
    return 0;
}

// Does the king of `side`, a free man, have a legal quiet move?
static bool king_escapes(const struct row *row, int side)
{
    const int king = row->count->king[side];
    const uint64_t *add = row->count->add[king];
    const uint64_t *illegal = row->part->plane[side ^ 1][SLAB_ILLEGAL];
    const uint64_t at = row->at - add[square_code[row->square[king]]];
    uint64_t to = king_attacks(row->square[king]) & ~row->occupied;
    bool escapes = false;
    while (to != 0 && !escapes) {
        const uint64_t entry = at + add[square_code[set_pop(&to)]];
        escapes = !(illegal[entry / 64] >> entry % 64 & 1);
    }
    return escapes;
}

// Marks the positions of `side` from which a quiet move of a free man leads to a mate in this row: writes the rank of a
// win in 1 into arrays of zeros.
static void mark_mates(struct row *row, int side)
{
    const struct stats_parts *count = row->count;
    const struct outcomes outcomes = row_outcomes(row, side ^ 1);
    uint64_t checks = outcomes.of[CLTB_LOSS + 2] & row_bits(row, row->part->plane[side][SLAB_ILLEGAL]);
    while (checks != 0) {
        struct position p;
        place_last(row, set_pop(&checks));
        if (king_escapes(row, side ^ 1))
            continue;
        set_position(row, side ^ 1, &p);
        if (moves_any(&p))
            continue;
        for (int i = 0; i < count->free; i++) {
            if (count->man[i].colour != side)
                continue;
            const uint64_t step = count->step[i];
            int16_t *rank = ranks_of(row, side) + row->code[count->blanks + count->free - 1];
            rank -= square_code[row->square[i]] * step;
            uint64_t from = piece_attacks(count->man[i].type, side, row->square[i], row->occupied) & ~row->occupied;
            while (from != 0)
                __atomic_store_n(&rank[square_code[set_pop(&from)] * step], RANK_WIN - 1, __ATOMIC_RELAXED);
        }
    }
}

// The marked positions of a row.
static uint64_t marked_mates(const struct row *row, int side)
{
    const int16_t *rank = ranks_of(row, side);
    uint64_t marked = 0;
    for (int code = 0; code < SQUARES; code++)
        marked |= (uint64_t)(rank[code] == RANK_WIN - 1) << code;
    return marked;
}

// Would a man of `side` attack the other king if the man's own king were not in the way?
static bool king_covers(const struct row *row, int side, int king, int other)
{
    const struct stats_parts *count = row->count;
    bool covers = false;
    for (int i = 0; i < count->free && !covers; i++)
        covers = count->man[i].colour == side &&
                 piece_attacks(count->man[i].type, side, row->square[i], row->occupied & ~square_bit(king)) &
                     square_bit(other);
    return covers;
}

// Does the king, which is not a free man, give mate by discovering a check?
static bool king_mates(const struct row *row, int side)
{
    const struct stats_parts *count = row->count;
    const int king = row->square[count->king[side]];
    const int other = row->square[count->king[side ^ 1]];
    struct position p;
    uint32_t moves[MOVES_MAX];
    bool mates = false;
    if (count->king[side] < count->free || !(piece_attacks(QUEEN, side, other, row->occupied) & square_bit(king)) ||
        !king_covers(row, side, king, other))
        return false;
    set_position(row, side, &p);
    const int number = moves_legal(&p, moves);
    for (int i = 0; i < number && !mates; i++) {
        if (move_from(moves[i]) != king || move_is_capture(moves[i]) || position_make(&p, moves[i]) != 0)
            continue;
        mates = position_in_check(&p) && !moves_any(&p);
        position_undo(&p);
    }
    return mates;
}

// Sets the distance of a win to 1 if that is reached by a move that push_bits() and marked_mates() leave out.
static int first_by_moves(const struct row *row, int side, unsigned *dtz)
{
    bool first = king_mates(row, side);
    if (!first)
        TRY(probe_pushes(row, side, CLTB_WIN, &first));
    *dtz = first ? 1 : *dtz;
    return 0;
}

// ---- step 2, row by row ----

// The rank of a win or loss.
static int16_t rank_of(int outcome, unsigned dtz)
{
    return (int16_t)(outcome > CLTB_DRAW ? RANK_WIN - (int)dtz : (int)dtz);
}

static int rank_row(struct row *row, int side)
{
    const struct stats_parts *count = row->count;
    const int last = count->shape.pieces - 1;
    const struct outcomes outcomes = row_outcomes(row, side);
    const uint16_t *plies = count->plies[side];
    int16_t *rank = ranks_of(row, side);
    const uint64_t *parts = NULL; // the last man's parts, if all its squares have the same symmetry
    uint64_t scratch[SQUARES];
    uint64_t base = 0;
    int symmetry[2];
    const bool first_free = table_info(count->table)->material.metric == METRIC_DTZ;
    uint64_t found = 0; // wins in 1
    if (first_free && outcomes.of[CLTB_WIN + 2] != 0)
        found = marked_mates(row, side) | push_bits(row, side, CLTB_WIN);
    for (int code = 0; code < SQUARES; code++)
        rank[code] = RANK_NONE;
    for (uint64_t draws = outcomes.of[CLTB_DRAW + 2]; draws != 0;)
        rank[set_pop(&draws)] = RANK_DRAW;
    const bool king_last = count->king[WHITE] == count->free - 1 || count->king[BLACK] == count->free - 1;
    if ((!king_last || (count->slices != NULL && !row->part->both)) && symmetries_of(row, symmetry) == 1) {
        base = entry_under(row, side, symmetry[0], last);
        parts = order_row(&count->map[side], parts_under(row, side, symmetry[0]), last, row->code, scratch);
    }
    for (int outcome = CLTB_LOSS; outcome <= CLTB_WIN; outcome++) {
        const uint64_t all = outcome == CLTB_DRAW ? 0 : outcomes.of[outcome + 2];
        const uint64_t first = outcomes.by_capture | (outcome == CLTB_WIN ? found : 0);
        for (uint64_t left = all & first; left != 0;)
            rank[set_pop(&left)] = rank_of(outcome, (unsigned)zeroing_ply(outcome));
        // Other moves may win at once: those of the fixed king, and pawn moves that must be probed.
        const bool moves = first_free && outcome == CLTB_WIN && (count->slices == NULL || row->part->probes[side]);
        for (uint64_t left = all & ~first; left != 0;) {
            const int code = set_pop(&left);
            if (parts == NULL || moves)
                place_last(row, code);
            const uint64_t entry = parts != NULL ? base + parts[code] : entry_of(row, side);
            unsigned dtz = plies[entry - count->plies_first[side]];
            if (moves && dtz != 1)
                TRY(first_by_moves(row, side, &dtz));
            if (!table_distance_fits(outcome, dtz))
                return table_invalid(count->table, "a distance does not fit its outcome");
            rank[code] = rank_of(outcome, dtz);
        }
    }
    return 0;
}

// ---- side B: one ply of search, whose quiet moves are there already (stats_replies.c) ----

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

// The distance of a win or cursed win: the best after its quiet moves and pawn moves. `pushed`: some pawn moves give
// this outcome.
static int search_win(struct row *row, int side, int outcome, int code, bool pushed, int *dtz)
{
    const int first = zeroing_ply(outcome);
    const int last = outcome == CLTB_WIN ? PLY_LIMIT : TABLE_PLY_MAX;
    const int least = ranks_of(row, side)[code];
    const bool quiet = least < last;
    *dtz = least + 1;
    if ((!quiet || *dtz > first) && !pushed && row->part->probes[side]) {
        place_last(row, code);
        TRY(probe_pushes(row, side, outcome, &pushed));
    }
    if (quiet ? *dtz < first : !pushed) {
        place_last(row, code);
        return contradiction(row, side);
    }
    *dtz = pushed ? first : *dtz;
    return 0;
}

// The distance of a loss or blessed loss: the longest after its quiet moves.
static int search_loss(struct row *row, int side, int outcome, int code, int *dtz)
{
    const int least = ranks_of(row, side)[code];
    const int longest = RANK_WIN - least + 1;
    *dtz = zeroing_ply(outcome);
    if (least == RANK_NONE) {
        struct position p;
        place_last(row, code);
        set_position(row, side, &p);
        if (outcome == CLTB_LOSS && !moves_any(&p))
            *dtz = 0;
        return 0;
    }
    if (least <= RANK_DRAW || (outcome == CLTB_LOSS && longest > PLY_LIMIT)) {
        place_last(row, code);
        return contradiction(row, side);
    }
    *dtz = longest > *dtz ? longest : *dtz;
    return 0;
}

// ---- step 3: counting ----

static void tally_squares(const struct row *row, uint8_t *square)
{
    for (int i = 0; i < row->count->men->count; i++)
        square[i] = row->square[row->count->from[i]];
}

// The codes of the last man by the placements that each stands for: `full` for those of the whole board, `half` for
// half as many. Other codes are mirror images, or have identical pieces that are not in rising order.
struct weights {
    uint64_t full;
    uint64_t half;
};

static struct weights row_weights(const struct row *row)
{
    const struct stats_parts *count = row->count;
    const int last = count->free - 1;
    struct weights weights = {UINT64_MAX, 0};
    for (int i = 0; i < last; i++) {
        if (count->like[i] >= 0 && row->square[i] < row->square[count->like[i]])
            return (struct weights){0, 0};
    }
    if (count->like[last] >= 0)
        weights.full = count->above[row->square[count->like[last]]];
    // The king's square decides between two images.
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

// Notes the positions, among some with the same value, that are as long as the longest so far.
static int note(struct row *row, int side, struct cltb_value value, uint64_t codes)
{
    const struct stats_parts *count = row->count;
    while (codes != 0 && tally_wants(row->tally, side, value)) {
        struct position p;
        uint8_t square[MEN];
        place_last(row, set_pop(&codes));
        tally_squares(row, square);
        set_position(row, side, &p);
        TRY(tally_note(row->tally, count->men, count->tables, &p, square, value));
    }
    return 0;
}

// Counts positions with the same value.
static int count_value(struct row *row, int side, struct cltb_value value, uint64_t codes,
                       const struct weights *weights)
{
    const unsigned full = row->count->slices != NULL ? 2 : 8;
    struct stats_bin *bin = &row->tally->bin[side][value.outcome + 2][value.dtz];
    bin->count += full * (uint64_t)__builtin_popcountll(codes & weights->full) +
                  full / 2 * (uint64_t)__builtin_popcountll(codes & weights->half);
    if (row->diagonal != 0)
        bin->diagonal += (uint64_t)__builtin_popcountll(codes & row->diagonal);
    return note(row, side, value, codes);
}

// Counts the positions of one outcome that are not draws.
static int count_outcome(struct row *row, int side, int outcome, uint64_t codes, const struct outcomes *outcomes,
                         const struct weights *weights)
{
    const struct stats_parts *count = row->count;
    const int16_t *rank = ranks_of(row, side);
    struct stats_bin *bin = row->tally->bin[side][outcome + 2];
    const int *longest = &row->tally->longest[side][outcome + 2].plies;
    const unsigned full = count->slices != NULL ? 2 : 8;
    const bool won = outcome > CLTB_DRAW;
    struct cltb_value value = {.outcome = outcome, .dtz = zeroing_ply(outcome)};
    uint64_t pushed = 0;
    if (!count->stored[side]) {
        TRY(count_value(row, side, value, codes & outcomes->by_capture, weights));
        codes &= ~outcomes->by_capture;
        if (won && codes != 0)
            pushed = push_bits(row, side, outcome);
    }
    while (codes != 0) {
        const uint64_t bit = codes & -codes;
        const int code = set_pop(&codes);
        if (count->stored[side])
            value.dtz = won ? RANK_WIN - rank[code] : rank[code];
        else
            TRY(won ? search_win(row, side, outcome, code, pushed & bit, &value.dtz)
                    : search_loss(row, side, outcome, code, &value.dtz));
        bin[value.dtz].count += weights->half & bit ? full / 2 : full;
        bin[value.dtz].diagonal += (row->diagonal & bit) != 0;
        if (value.dtz >= *longest)
            TRY(note(row, side, value, bit));
    }
    return 0;
}

static int count_zugzwangs(struct row *row, const struct outcomes outcomes[COLOURS], const struct weights *weights)
{
    const unsigned full = row->count->slices != NULL ? 2 : 8;
    for (int i = 0; i < TABLE_OUTCOMES * TABLE_OUTCOMES; i++) {
        const int white = i / TABLE_OUTCOMES - 2;
        const int black = i % TABLE_OUTCOMES - 2;
        uint64_t left = outcomes[WHITE].of[white + 2] & outcomes[BLACK].of[black + 2] & (weights->full | weights->half);
        while (left != 0 && tally_is_zugzwang(white, black)) {
            const int code = set_pop(&left);
            uint8_t square[MEN];
            place_last(row, code);
            tally_squares(row, square);
            TRY(tally_zugzwang(row->tally, row->count->men, square, white, black,
                               weights->half >> code & 1 ? full / 2 : full));
        }
    }
    return 0;
}

static int count_row(struct row *row)
{
    const struct weights weights = row_weights(row);
    const uint64_t counted = weights.full | weights.half;
    if (counted == 0)
        return 0;
    const struct outcomes outcomes[COLOURS] = {row_outcomes(row, WHITE), row_outcomes(row, BLACK)};
    for (int side = WHITE; side <= (row->count->men->paired ? WHITE : BLACK); side++) {
        const uint64_t *of = outcomes[side].of;
        const struct cltb_value draw = {.outcome = CLTB_DRAW};
        TRY(count_value(row, side, draw, of[CLTB_DRAW + 2] & counted, &weights));
        for (int outcome = CLTB_LOSS; outcome <= CLTB_WIN; outcome++)
            if (outcome != CLTB_DRAW && (of[outcome + 2] & counted) != 0)
                TRY(count_outcome(row, side, outcome, of[outcome + 2] & counted, &outcomes[side], &weights));
    }
    return count_zugzwangs(row, outcomes, &weights);
}

int stats_rows(const struct stats_parts *parts, size_t part, uint64_t first, uint64_t count, int worker)
{
    struct row row = {.count = parts, .part = &parts->part[part], .tally = &parts->tally[worker]};
    row.seat = &parts->seat[worker];
    for (uint64_t number = first; number < first + count; number++) {
        if (!set_up(&row, number))
            continue;
        if (parts->task == STATS_MATES)
            mark_mates(&row, parts->ranked);
        else
            TRY(parts->task == STATS_COUNT ? count_row(&row) : rank_row(&row, parts->ranked));
    }
    return 0;
}
