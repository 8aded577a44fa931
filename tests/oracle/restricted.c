// restricted.c - retrograde analysis of a restricted endgame in its plainest form
//
// Index of a position: the numbers of the men's squares among those of their sets, pawns first, then the side to move.
// Of all ways to give a position's men to the spec's men only the first one found has a value.
//
// 1. All moves other than quiet ones within the spec are looked at once; the best of them gives an entry's "external"
//    value.
// 2. Values are filled in order of their distance n, as in naive.c. Slices with the same advance of the pawns (a level)
//    are filled together, the farthest advanced first.
#include "oracle/restricted.h"

#include "chess/attacks.h"
#include "chess/move.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// Values: 0 draw or undecided; n + 1 a win of n; -1 - n a loss of n.
enum { UNDECIDED = 0, ILLEGAL = INT16_MIN, NO_MOVE = INT16_MIN + 1 };

enum { LIMIT = 100, LEVELS = 6 * SPEC_MEN_MAX, NOWHERE = -1 };

// Where the men of each kind stand: sets of squares.
struct men_sets {
    uint64_t set[COLOURS][PIECE_TYPES];
};

struct naive_restricted {
    struct spec spec;
    naive_leave *leave;
    void *context;
    int squares[SPEC_MEN_MAX];             // of a man's set
    uint8_t square[SPEC_MEN_MAX][SQUARES]; // [man][digit]
    uint8_t digit[SPEC_MEN_MAX][SQUARES];  // [man][square]
    uint64_t stride[SPEC_MEN_MAX];         // [man]
    uint64_t slice;                        // entries of one placement of the pawns
    uint64_t size;                         // entries
    int16_t *value;                        // [size]
    int16_t *external;                     // [size]; only while solving
    int *level; // [size / slice] sum of the ranks that pawns have advanced; only while solving
};

static int16_t win_in(int n)
{
    return (int16_t)(n + 1);
}

static int16_t loss_in(int n)
{
    return (int16_t)(-1 - n);
}

static int ply_of(int value)
{
    return value > 0 ? value - 1 : -1 - value;
}

// A win before a draw before a loss before no move; short wins, long losses.
static void raise_to(int *best, int value)
{
    const bool same = (value > 0) == (*best > 0) && (value < 0) == (*best < 0);
    if (value != NO_MOVE && (*best == NO_MOVE || (same ? value < *best : value > *best)))
        *best = value;
}

// ---- the index ----

static int open_index(struct naive_restricted *o)
{
    o->size = 2;
    for (int pawns = 0; pawns <= 1; pawns++) {
        for (int man = o->spec.men - 1; man >= 0; man--) {
            if ((o->spec.man[man].type == PAWN) != pawns)
                continue;
            for (uint64_t set = o->spec.man[man].squares; set != 0;) {
                const int square = set_pop(&set);
                o->digit[man][square] = (uint8_t)o->squares[man];
                o->square[man][o->squares[man]++] = (uint8_t)square;
            }
            o->stride[man] = o->size;
            o->size *= (uint64_t)o->squares[man];
            if (o->size > UINT64_C(1) << 32)
                return error_set(CLTB_E_USAGE, "naive oracle: too many placements");
        }
        o->slice = pawns ? o->slice : o->size;
    }
    return 0;
}

// Gives the men from number `man` on, of one kind, the squares that are left.
static int64_t give(const struct naive_restricted *o, int man, uint64_t left)
{
    const struct spec_man *first = &o->spec.man[man];
    const bool last = man + 1 == o->spec.men || o->spec.man[man + 1].colour != first->colour ||
                      o->spec.man[man + 1].type != first->type;
    for (uint64_t set = left & first->squares; set != 0;) {
        const int square = set_pop(&set);
        const uint64_t rest = left & ~square_bit(square);
        const int64_t others = !last ? give(o, man + 1, rest) : rest == 0 ? 0 : NOWHERE;
        if (others != NOWHERE)
            return others + (int64_t)(o->digit[man][square] * o->stride[man]);
    }
    return NOWHERE;
}

// Has a pawn got past one that it faces (spec.h)?
static bool past(const struct naive_restricted *o, const struct men_sets *men)
{
    for (uint64_t white = men->set[WHITE][PAWN]; white != 0;) {
        const int w = set_pop(&white);
        for (uint64_t black = men->set[BLACK][PAWN]; black != 0;) {
            const int b = set_pop(&black);
            if (square_file(w) == square_file(b) && w > b && (o->spec.facing >> square_file(w) & 1) != 0)
                return true;
        }
    }
    return false;
}

// The entry, or NOWHERE if the position does not belong to the spec. It must have as many men as the spec.
static int64_t find(const struct naive_restricted *o, const struct men_sets *men, int side)
{
    int64_t index = side;
    for (int man = 0; man < o->spec.men; man++) {
        const struct spec_man *m = &o->spec.man[man];
        if (man > 0 && o->spec.man[man - 1].colour == m->colour && o->spec.man[man - 1].type == m->type)
            continue; // the kind has been given its squares
        const int64_t part = give(o, man, men->set[m->colour][m->type]);
        if (part == NOWHERE)
            return NOWHERE;
        index += part;
    }
    return o->spec.facing != 0 && past(o, men) ? NOWHERE : index;
}

static struct men_sets sets_of(const struct position *p)
{
    struct men_sets men = {{{0}}};
    for (int square = 0; square < SQUARES; square++) {
        const int code = p->board[square];
        if (code != EMPTY)
            men.set[piece_colour(code)][piece_type(code)] |= square_bit(square);
    }
    return men;
}

// The entry after a move; NOWHERE if it captures, promotes or leaves.
static int64_t child_of(const struct naive_restricted *o, const struct position *p, const struct men_sets *men,
                        uint32_t move)
{
    struct men_sets after = *men;
    const int type = piece_type(p->board[move_from(move)]);
    after.set[p->side][type] ^= square_bit(move_from(move)) | square_bit(move_to(move));
    return move_is_capture(move) || move_promoted(move) != EMPTY ? NOWHERE : find(o, &after, p->side ^ 1);
}

static int square_of(const struct naive_restricted *o, uint64_t index, int man)
{
    return o->square[man][index / o->stride[man] % (uint64_t)o->squares[man]];
}

// False if two men share a square, if the side not to move is in check, or if another index has the position's value.
static bool set_up(const struct naive_restricted *o, uint64_t index, struct position *p)
{
    struct man men[SPEC_MEN_MAX];
    uint64_t occupied = 0;
    for (int man = 0; man < o->spec.men; man++) {
        const int square = square_of(o, index, man);
        if (occupied & square_bit(square))
            return false;
        occupied |= square_bit(square);
        men[man] = (struct man){o->spec.man[man].type, o->spec.man[man].colour, (uint8_t)square};
    }
    if (position_set(p, men, o->spec.men, (int)(index & 1)) != 0 || !position_legal(p))
        return false;
    const struct men_sets sets = sets_of(p);
    return find(o, &sets, p->side) == (int64_t)index;
}

// ---- one ply ----

static struct naive_value unpack(int value)
{
    if (value == UNDECIDED)
        return (struct naive_value){CLTB_DRAW, 0};
    const int n = ply_of(value);
    const int win = n > LIMIT ? CLTB_CURSED_WIN : CLTB_WIN;
    return (struct naive_value){value > 0 ? win : -win, n};
}

// Before a move to a position of this value.
static int before(int after, bool zeroing)
{
    if (after == UNDECIDED)
        return UNDECIDED;
    int n = ply_of(after) + 1;
    if (zeroing)
        n = n > LIMIT + 1 ? LIMIT + 1 : 1;
    return after > 0 ? loss_in(n) : win_in(n);
}

static int ask(const struct naive_restricted *o, struct position *p, uint32_t move, bool own, int *worth)
{
    struct naive_value after;
    const bool zeroing = move_is_zeroing(p, move);
    TRY(position_make(p, move));
    const int code = o->leave(o->context, p, own, &after);
    position_undo(p);
    if (code != 0)
        return code;
    const int decided = (int)after.outcome > 0 ? win_in(after.dtz) : loss_in(after.dtz);
    *worth = before(after.outcome == CLTB_DRAW ? UNDECIDED : decided, zeroing);
    return 0;
}

// What a move that leaves is worth to the side that makes it; NO_MOVE if it is discarded.
static int leaving_worth(const struct naive_restricted *o, struct position *p, uint32_t move, int *worth)
{
    const int code = ask(o, p, move, true, worth);
    const int rule = spec_rule_of(&o->spec, p, move);
    if (code != CLTB_E_MISSING || rule < 0)
        return code != CLTB_E_MISSING ? code : ask(o, p, move, false, worth);
    *worth = o->spec.rule[rule].prune == SPEC_CONCEDE ? win_in(1) : NO_MOVE;
    return 0;
}

// The value of a position at an entry, its en passant slot included.
static int value_at(const struct naive_restricted *o, struct position *p, int64_t index, int *value)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    int captures = 0;
    int best = NO_MOVE;
    *value = o->value[index];
    for (int i = 0; i < count; i++) {
        int worth;
        if (!move_is_en_passant(moves[i]))
            continue;
        TRY(leaving_worth(o, p, moves[i], &worth));
        raise_to(&best, worth);
        captures++;
    }
    if (captures == 0)
        return 0;
    if (captures < count)
        raise_to(&best, *value);
    *value = best == NO_MOVE ? loss_in(0) : best;
    return 0;
}

// The best of all moves, or of those other than quiet ones within the spec (NO_MOVE: there are none).
static int best_move(const struct naive_restricted *o, struct position *p, bool all, int *best)
{
    uint32_t moves[MOVES_MAX];
    const struct men_sets men = sets_of(p);
    const int count = moves_legal(p, moves);
    bool quiet = false;
    *best = NO_MOVE;
    if (count == 0 && !position_in_check(p)) {
        *best = UNDECIDED;
        for (int i = o->spec.rules - 1; i >= 0; i--) { // the first rule that matches counts
            const struct spec_rule *rule = &o->spec.rule[i];
            if (rule->pattern.stalemate && rule->colour == p->side)
                *best = rule->prune == SPEC_CONCEDE ? win_in(0) : loss_in(0);
        }
    }
    for (int i = 0; i < count; i++) {
        const int64_t child = child_of(o, p, &men, moves[i]);
        int worth = NO_MOVE;
        if (child == NOWHERE) {
            TRY(leaving_worth(o, p, moves[i], &worth));
        } else if (move_is_pawn(p, moves[i])) {
            int after = UNDECIDED;
            TRY(position_make(p, moves[i]));
            const int code = value_at(o, p, child, &after);
            position_undo(p);
            TRY(code);
            worth = before(after, true);
        } else if (all) {
            worth = before(o->value[child], false);
        } else {
            quiet = true;
        }
        raise_to(best, worth);
    }
    if (*best == NO_MOVE && !quiet)
        *best = loss_in(0); // checkmate, or all discarded
    return 0;
}

// ---- filling ----

// Is a position lost in n if its quiet moves lead to wins of the other side that are known so far?
static bool is_lost(const struct naive_restricted *o, uint64_t index, int n)
{
    struct position p;
    uint32_t moves[MOVES_MAX];
    const int external = o->external[index];
    if (external != NO_MOVE && (external >= 0 || ply_of(external) > n))
        return false;
    set_up(o, index, &p);
    const struct men_sets men = sets_of(&p);
    const int count = moves_legal(&p, moves);
    for (int i = 0; i < count; i++) {
        const int64_t child = move_is_pawn(&p, moves[i]) ? NOWHERE : child_of(o, &p, &men, moves[i]);
        if (child != NOWHERE && o->value[child] <= UNDECIDED)
            return false;
    }
    return true;
}

static bool decide(struct naive_restricted *o, uint64_t index, int n, bool win)
{
    if (o->value[index] != UNDECIDED || (!win && !is_lost(o, index, n)))
        return false;
    o->value[index] = win ? win_in(n) : loss_in(n);
    return true;
}

// Positions with a quiet move to this one: won in n if it is lost, lost in n if it is won and they have nothing better.
static bool decide_predecessors(struct naive_restricted *o, uint64_t index, int n, bool win)
{
    struct men_sets men = {{{0}}};
    uint64_t occupied = 0;
    const int mover = (int)(index & 1) ^ 1;
    bool any = false;
    for (int man = 0; man < o->spec.men; man++)
        men.set[o->spec.man[man].colour][o->spec.man[man].type] |= square_bit(square_of(o, index, man));
    for (int i = 0; i < COLOURS * PIECE_TYPES; i++)
        occupied |= men.set[i / PIECE_TYPES][i % PIECE_TYPES];
    for (int type = KING; type < PAWN; type++) {
        for (uint64_t left = men.set[mover][type]; left != 0;) {
            const int to = set_pop(&left);
            for (uint64_t set = piece_attacks(type, mover, to, occupied) & ~occupied; set != 0;) {
                struct men_sets earlier = men;
                earlier.set[mover][type] ^= square_bit(to) | square_bit(set_pop(&set));
                const int64_t found = find(o, &earlier, mover);
                any |= found != NOWHERE && decide(o, (uint64_t)found, n, win);
            }
        }
    }
    return any;
}

// Decides what has distance n on a level: wins or losses.
static bool decide_all(struct naive_restricted *o, int level, int n, bool win)
{
    const int16_t external = win ? win_in(n) : loss_in(n);
    const int16_t after = win ? loss_in(n - 1) : win_in(n - 1);
    bool any = false;
    for (uint64_t slice = 0; slice < o->size / o->slice; slice++) {
        const uint64_t end = o->level[slice] == level ? (slice + 1) * o->slice : 0;
        for (uint64_t index = slice * o->slice; index < end; index++) {
            if (o->external[index] == external && o->value[index] == UNDECIDED)
                any |= decide(o, index, n, win);
            if (n > 0 && o->value[index] == after)
                any |= decide_predecessors(o, index, n, win);
        }
    }
    return any;
}

// Fills the slices of a level.
static int fill(struct naive_restricted *o, int level)
{
    struct position p;
    int last = -1; // the largest distance of an external value
    bool any = false;
    for (uint64_t slice = 0; slice < o->size / o->slice; slice++) {
        const uint64_t end = o->level[slice] == level ? (slice + 1) * o->slice : 0;
        for (uint64_t index = slice * o->slice; index < end; index++) {
            int best;
            any = true;
            if (!set_up(o, index, &p)) {
                o->value[index] = ILLEGAL;
                continue;
            }
            TRY(best_move(o, &p, false, &best));
            o->external[index] = (int16_t)best;
            if (best != NO_MOVE && best != UNDECIDED && ply_of(best) > last)
                last = ply_of(best);
        }
    }
    // Losses of n look only at wins below n, so all of them come before the first win of n.
    for (int n = 0; any || n <= last + 1; n++) {
        any = decide_all(o, level, n, false);
        any |= decide_all(o, level, n, true);
    }
    return 0;
}

int naive_restricted_solve(struct naive_restricted **oracle, const struct spec *spec, naive_leave *leave, void *context)
{
    *oracle = NULL;
    struct naive_restricted *o = calloc(1, sizeof *o);
    if (o == NULL)
        return error_memory(sizeof *o, "the naive oracle");
    o->spec = *spec;
    o->leave = leave;
    o->context = context;
    int code = open_index(o);
    if (code != 0)
        goto cleanup;
    o->value = calloc(o->size, sizeof *o->value);
    o->external = calloc(o->size, sizeof *o->external);
    o->level = calloc(o->size / o->slice, sizeof *o->level);
    if (o->value == NULL || o->external == NULL || o->level == NULL)
        code = error_memory(o->size * 2 * sizeof *o->value, "the naive oracle");
    for (uint64_t slice = 0; code == 0 && slice < o->size / o->slice; slice++) {
        for (int man = 0; man < o->spec.men; man++) {
            const int rank = square_rank(square_of(o, slice * o->slice, man));
            if (o->spec.man[man].type == PAWN)
                o->level[slice] += o->spec.man[man].colour == WHITE ? rank - 1 : 6 - rank;
        }
    }
    for (int level = LEVELS - 1; code == 0 && level >= 0; level--)
        code = fill(o, level);
cleanup:
    free(o->external);
    free(o->level);
    o->external = NULL;
    o->level = NULL;
    if (code != 0)
        naive_restricted_free(o);
    else
        *oracle = o;
    return code;
}

void naive_restricted_free(struct naive_restricted *oracle)
{
    if (oracle == NULL)
        return;
    free(oracle->value);
    free(oracle);
}

// ---- questions ----

int naive_restricted_query(const struct naive_restricted *oracle, const struct position *p, struct naive_value *value)
{
    struct position copy;
    int found;
    const struct men_sets men = sets_of(p);
    const int64_t index = position_men(p) == oracle->spec.men ? find(oracle, &men, p->side) : NOWHERE;
    if (index == NOWHERE || oracle->value[index] == ILLEGAL)
        return error_set(CLTB_E_POSITION, "naive oracle: the position is illegal or does not belong to the spec");
    position_copy(&copy, p);
    TRY(value_at(oracle, &copy, index, &found));
    *value = unpack(found);
    return 0;
}

int naive_restricted_each(const struct naive_restricted *oracle, naive_visit *visit, void *context)
{
    struct position p;
    for (uint64_t index = 0; index < oracle->size; index++) {
        if (oracle->value[index] == ILLEGAL || !set_up(oracle, index, &p))
            continue;
        const struct naive_value value = unpack(oracle->value[index]);
        TRY(visit(context, &p, &value));
    }
    return 0;
}

uint64_t naive_restricted_inconsistent(const struct naive_restricted *oracle)
{
    struct position p;
    uint64_t wrong = 0;
    for (uint64_t index = 0; index < oracle->size; index++) {
        int best;
        if (oracle->value[index] == ILLEGAL)
            continue;
        wrong += !set_up(oracle, index, &p) || best_move(oracle, &p, true, &best) != 0 || best != oracle->value[index];
    }
    return wrong;
}
