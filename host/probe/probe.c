// probe.c - the value of a position, from what its table stores and a look at its moves
//
// 1. Outcome. An entry may be a don't-care where a capture resolves the position, so
//
//        outcome = max(stored, best over the legal captures of -outcome(position after the capture))
//
//    where the stored outcome never exceeds the true one. The search goes down capture by capture into smaller tables,
//    and asks each only as much as matters: lookup(p, enough) may stop at any lower bound that is at least `enough`
//    (the beta of an alpha-beta search). Example: in KQvKR, Black to move can take the queen. Any outcome may be
//    stored; the capture leads to KRvK, where the side to move has lost, so the outcome is a win.
//
// 2. Distance to zeroing. A win by a capture has distance 1, a cursed win by a capture 101: nothing can be shorter. A
//    win by a pawn move or by mate also has distance 1, and its entry is a don't-care (except in older tables), so the
//    search looks at the moves first. Otherwise the distance is stored for one side to move or for both; where it is
//    not, one ply of quiet moves leads to positions that have it:
//
//        win            least d + 1 over the quiet moves into a loss of d
//        cursed win     101 if a quiet move leads to a loss (of 100: otherwise it would be a win),
//                       else least d + 1 over the quiet moves into blessed losses of d
//        loss           0 in checkmate; 1 if there are only captures;
//                       else the largest d + 1 over the quiet moves, all into wins of d
//        blessed loss   the largest of d + 1 over the quiet moves into cursed wins of d, and 101: if there are none, it
//                       has a capture into a cursed win or a quiet move into a win of 100
//
//    A winning pawn move counts like a winning capture, and a pawn move into a cursed win or a blessed loss like a
//    capture into one. In a lost position, a quiet move into a win is searched only if the stored distance of that win
//    exceeds the longest so far: the true distance is at most the stored one. In Syzygy files mates in one are not
//    don't-cares.
//
//    Where Syzygy files count moves, a distance is known as d or d + 1. The search takes the least or the largest of
//    both ends, so its result is again d or d + 1, or exact. The legal moves settle a distance of 1.
//
// 3. En passant. The tables do not know the right to capture en passant: stored values are valid without it. The
//    capture is one more move, tried with the other captures. If it is the only legal move, the position has the value
//    that the capture leads to, in 1 or 101 plies, although a stalemate or a mate is stored. If it turns a loss into a
//    blessed loss, the distance is 101, because no other move does.
//
// Cost: an outcome takes at most one lookup, and one for each capture that may matter; a distance that is not stored
// takes as many for every quiet move.
#include "probe/probe.h"

#include "chess/attacks.h"
#include "probe/tables.h"
#include "util/error.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static int lookup(cltb_tables *tables, struct position *p, int enough, int *outcome);

// ---- captures ----

// Does any pawn attack a man, or a square for capturing en passant?
static bool pawns_capture(const struct position *p)
{
    const int us = p->side;
    uint64_t attacked = 0;
    for (int i = 0; i < p->count[us][PAWN]; i++)
        attacked |= piece_attacks(PAWN, us, p->list[us][PAWN][i], 0);
    return (attacked & p->men[us ^ 1]) != 0 || (p->en_passant != NO_SQUARE && attacked >> p->en_passant & 1);
}

// Adds the captures of all men of a type. Always inlined, so that the type is a constant.
static inline __attribute__((always_inline)) uint32_t *add_captures(const struct position *p, int type,
                                                                    uint64_t occupied, uint32_t *moves)
{
    const int us = p->side;
    for (int i = 0; i < p->count[us][type]; i++) {
        const int from = p->list[us][type][i];
        uint64_t targets = piece_attacks(type, us, from, occupied) & p->men[us ^ 1];
        while (targets != 0) {
            const int to = set_pop(&targets);
            *moves++ = move_pack(from, to, p->board[to], EMPTY, 0);
        }
    }
    return moves;
}

int probe_captures(const struct position *p, uint32_t moves[MOVES_MAX])
{
    if (pawns_capture(p)) {
        const int all = moves_legal(p, moves);
        int count = 0;
        for (int i = 0; i < all; i++)
            if (move_is_capture(moves[i]))
                moves[count++] = moves[i];
        return count;
    }
    const uint64_t occupied = position_occupied(p);
    uint32_t *next = add_captures(p, KING, occupied, moves);
    next = add_captures(p, QUEEN, occupied, next);
    next = add_captures(p, ROOK, occupied, next);
    next = add_captures(p, BISHOP, occupied, next);
    next = add_captures(p, KNIGHT, occupied, next);
    return (int)(next - moves);
}

// Raises *best to the best outcome that a legal capture leads to; stops when it is at least `enough`.
static int raise_by_captures(cltb_tables *tables, struct position *p, int enough, int *best)
{
    uint32_t moves[MOVES_MAX];
    int count = probe_captures(p, moves);
    int code = 0;
    for (int i = 0; i < count && *best < enough && code == 0; i++) {
        int reply = CLTB_WIN;
        if ((code = position_make(p, moves[i])) != 0)
            break;
        if (position_legal(p))
            code = lookup(tables, p, -*best, &reply);
        position_undo(p);
        if (-reply > *best)
            *best = -reply;
    }
    return code;
}

// ---- outcomes ----

bool probe_only_en_passant(const struct position *p)
{
    uint32_t moves[MOVES_MAX];
    if (!position_en_passant_legal(p))
        return false;
    int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++)
        if (!move_is_en_passant(moves[i]))
            return false;
    return true;
}

// What a stored outcome means for this position; captures may raise it.
static int with_en_passant(const struct position *p, int stored)
{
    return p->en_passant != NO_SQUARE && probe_only_en_passant(p) ? CLTB_LOSS : stored; // neither stalemate nor mate
}

static int stored_in(const struct source *source, const struct position *p, int *outcome)
{
    TRY(source_outcome(source, p, outcome));
    *outcome = with_en_passant(p, *outcome);
    return 0;
}

static int stored_outcome(cltb_tables *tables, const struct position *p, const struct source **source, int *outcome)
{
    TRY(tables_find(tables, p, source));
    return stored_in(*source, p, outcome);
}

// The exact outcome if it is less than `enough`, otherwise a lower bound that is at least `enough`.
static int lookup_in(cltb_tables *tables, const struct source *source, struct position *p, int enough, int *outcome)
{
    TRY(stored_in(source, p, outcome));
    return *outcome >= enough ? 0 : raise_by_captures(tables, p, enough, outcome);
}

// The same, with the source that the position has.
static int lookup(cltb_tables *tables, struct position *p, int enough, int *outcome)
{
    const struct source *source;
    *outcome = CLTB_DRAW;
    if (only_kings(p))
        return 0;
    TRY(tables_find(tables, p, &source));
    return lookup_in(tables, source, p, enough, outcome);
}

// In a large table captures come first: they lead to smaller tables, most of which are in the processor's caches, while
// the stored outcome is on its way. KRPvKR gains: 2.6 to 2.9 times libfathom's speed instead of 2.2 to 2.4. Where the
// outcomes stay in the caches it would cost time: KRRvKB 6.6 million outcomes a second instead of 7.9. If one of the
// captures fails, a stored win is still a win.
int probe_outcome(cltb_tables *tables, struct position *p, int *outcome)
{
    const struct source *source;
    int best = CLTB_LOSS;
    *outcome = CLTB_DRAW;
    if (only_kings(p))
        return 0;
    TRY(tables_find(tables, p, &source));
    if (!source->large)
        return lookup_in(tables, source, p, CLTB_WIN, outcome);
    const struct cached_spot spot = table_find_outcome(source->table, p);
    const int code = raise_by_captures(tables, p, CLTB_WIN, &best);
    *outcome = best;
    if (best == CLTB_WIN)
        return 0;
    TRY(table_read_outcome(source->table, &spot, outcome));
    *outcome = with_en_passant(p, *outcome);
    *outcome = best > *outcome ? best : *outcome;
    // The processor continues with the next probe before it knows the outcome, so nothing may branch on it.
    return code == 0 || *outcome == CLTB_WIN ? 0 : code;
}

// A position's outcome and the best outcome that one of its captures gives, as far as it matters for the distance.
struct survey {
    const struct source *source; // NULL for bare kings
    int outcome;
    bool by_capture; // won or cursed-won by a capture
    bool apart;      // lost or blessed only because of an en passant capture, so no distance is stored
};

static int survey(cltb_tables *tables, struct position *p, struct survey *s)
{
    *s = (struct survey){NULL, CLTB_DRAW, false, false};
    if (only_kings(p))
        return 0;
    TRY(stored_outcome(tables, p, &s->source, &s->outcome));
    // A stored win may also be a win by a capture, so look for captures that are as good.
    int best = s->outcome > CLTB_DRAW ? s->outcome - 1 : s->outcome;
    const int code = raise_by_captures(tables, p, CLTB_WIN, &best);
    s->by_capture = best > CLTB_DRAW && best >= s->outcome;
    const bool raised = best > s->outcome;
    if (raised)
        s->outcome = best;
    if (s->outcome < CLTB_DRAW && p->en_passant != NO_SQUARE)
        s->apart = raised || probe_only_en_passant(p);
    return code;
}

// ---- distances ----

static int inconsistent(const struct position *p, const char *what)
{
    char name[MATERIAL_NAME_MAX];
    struct material material = material_of(p);
    material_normalise(&material);
    return error_set(CLTB_E_CORRUPT, "table %s %s", material_name(&material, name), what);
}

// Does a pawn move that is not a capture keep this win or cursed win?
static int pawn_move_keeps(cltb_tables *tables, struct position *p, int outcome, const uint32_t *moves, int count,
                           bool *keeps)
{
    for (int i = 0; i < count && !*keeps; i++) {
        int after = CLTB_DRAW;
        if (move_is_capture(moves[i]) || !move_is_zeroing(p, moves[i]))
            continue;
        TRY(position_make(p, moves[i]));
        const int code = lookup(tables, p, 1 - outcome, &after);
        position_undo(p);
        TRY(code);
        *keeps = after == -outcome;
    }
    return 0;
}

// Does a quiet move mate?
static int quiet_move_mates(struct position *p, const uint32_t *moves, int count, bool *mates)
{
    const int king = position_king(p, p->side ^ 1);
    const uint64_t occupied = position_occupied(p);
    const uint64_t behind =
        piece_attacks(QUEEN, p->side, king, occupied) & p->men[p->side]; // may give a discovered check
    for (int i = 0; i < count && !*mates; i++) {
        const int from = move_from(moves[i]);
        if (move_is_zeroing(p, moves[i]))
            continue;
        // The man attacks the king exactly from those squares that he would attack from the king's square.
        const uint64_t near = piece_attacks(piece_type(p->board[from]), p->side, king, occupied ^ square_bit(from));
        if (!((near >> move_to(moves[i]) | behind >> from) & 1))
            continue;
        TRY(position_make(p, moves[i]));
        *mates = position_in_check(p) && !moves_any(p);
        position_undo(p);
    }
    return 0;
}

// Do the moves other than captures show that a win or cursed win has the least possible distance? Looks only at moves
// that make an entry of this source a don't-care.
static int moves_tell(cltb_tables *tables, struct position *p, const struct survey *s, bool *tell)
{
    uint32_t moves[MOVES_MAX];
    const struct table *table = s->source->table;
    const bool pawns = p->count[p->side][PAWN] > 0;
    *tell = false;
    if (s->outcome < CLTB_DRAW || (table == NULL && !pawns))
        return 0;
    if (table != NULL && s->outcome != CLTB_WIN)
        return 0;
    const int count = moves_legal(p, moves);
    if (table != NULL)
        TRY(quiet_move_mates(p, moves, count, tell));
    return pawns ? pawn_move_keeps(tables, p, s->outcome, moves, count, tell) : 0;
}

// Decides by the moves what a distance of 1 in a Syzygy file means if no zeroing move wins.
static int settle_first(struct position *p, int outcome, struct distance *distance)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    bool quiet = false;
    bool mates = false;
    for (int i = 0; i < count; i++) {
        if (move_is_zeroing(p, moves[i]))
            continue;
        quiet = true;
        TRY(position_make(p, moves[i]));
        mates |= outcome == CLTB_WIN && position_in_check(p) && !moves_any(p);
        position_undo(p);
    }
    if (count == 0)
        distance->ply = 0;
    else if (distance->rounded && quiet && !mates)
        distance->ply = 2;
    distance->rounded = false;
    return 0;
}

// The distance as far as it needs no search; its ply is -1 if it is not stored. A distance of at most `enough` plies
// may be replaced by any number up to that.
static int stored_distance(cltb_tables *tables, struct position *p, const struct survey *s, int enough,
                           struct distance *distance)
{
    bool tell = false;
    *distance = (struct distance){s->outcome == CLTB_DRAW ? 0 : zeroing_ply(s->outcome), false};
    if (s->outcome == CLTB_DRAW || s->by_capture || s->apart)
        return 0;
    if (!source_has_distance(s->source, p)) {
        distance->ply = -1;
        return 0;
    }
    const int least = distance->ply;
    if (s->source->table != NULL) {
        TRY(source_distance(s->source, p, s->outcome, distance));
        if (distance->ply > least && distance->ply > enough)
            TRY(moves_tell(tables, p, s, &tell));
        if (tell)
            distance->ply = least;
        return 0;
    }
    TRY(moves_tell(tables, p, s, &tell));
    if (tell)
        return 0;
    TRY(source_distance(s->source, p, s->outcome, distance));
    return distance->ply == 1 ? settle_first(p, s->outcome, distance) : 0;
}

// The distance of a position after a quiet move from one with `outcome`, if it affects the distance of the position
// before; otherwise its ply is -1, and no value is computed. `enough` as for stored_distance().
static int reply_distance(cltb_tables *tables, struct position *p, int outcome, int enough, struct distance *distance)
{
    struct survey s = {NULL, CLTB_DRAW, false, false};
    *distance = (struct distance){-1, false};
    int code = stored_outcome(tables, p, &s.source, &s.outcome);
    if (code != 0 || (outcome > CLTB_DRAW && s.outcome > -CLTB_CURSED_WIN))
        return code; // not lost, whatever the captures
    if (outcome == CLTB_LOSS) {
        s.outcome = CLTB_WIN; // they all are
        int best = CLTB_CURSED_WIN;
        code = raise_by_captures(tables, p, CLTB_WIN, &best);
        s.by_capture = best == CLTB_WIN;
    } else {
        code = survey(tables, p, &s);
    }
    TRY(code);
    if (outcome == CLTB_CURSED_WIN && s.outcome == CLTB_LOSS)
        distance->ply = PLY_LIMIT;
    if (s.outcome != -outcome)
        return 0;
    TRY(stored_distance(tables, p, &s, enough, distance));
    return distance->ply >= 0 ? 0 : inconsistent(p, "has distances for neither side to move");
}

static int search_distance(cltb_tables *tables, struct position *p, const struct survey *s, struct distance *distance)
{
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(p, moves);
    const bool won = s->outcome > CLTB_DRAW;
    int least; // the least possible distance
    int most;  // and the largest one
    if (won)
        least = INT_MAX;
    else if (s->outcome == CLTB_LOSS && count == 0 && position_in_check(p))
        least = 0;
    else
        least = zeroing_ply(s->outcome); // if no quiet move counts
    most = least;
    for (int i = 0; i < count; i++) {
        struct distance reply = {-1, false}; // this position's if the move is played; ply -1: it does not count
        const bool zeroing = move_is_zeroing(p, moves[i]);
        if (move_is_capture(moves[i]) || (zeroing && !won))
            continue; // already accounted for
        TRY(position_make(p, moves[i]));
        int code;
        if (zeroing) {
            int after = CLTB_DRAW;
            code = lookup(tables, p, CLTB_WIN, &after);
            if (after == -s->outcome)
                reply.ply = zeroing_ply(s->outcome);
        } else {
            code = reply_distance(tables, p, s->outcome, won ? 0 : least - 1, &reply);
            reply.ply += reply.ply >= 0;
        }
        position_undo(p);
        TRY(code);
        const int end = reply.ply + reply.rounded;
        if (reply.ply >= 0 && (won ? reply.ply < least : reply.ply > least))
            least = reply.ply;
        if (reply.ply >= 0 && (won ? end < most : end > most))
            most = end;
    }
    *distance = (struct distance){least, most > least};
    return least < INT_MAX ? 0 : inconsistent(p, "contradicts itself: a win without a winning move");
}

// With the clock at 0. If the source has no distances, the distance is DTZ_UNKNOWN, and error_text() says so.
static int outcome_and_distance(cltb_tables *tables, struct position *p, struct cltb_value *value)
{
    struct survey s;
    struct distance distance = {0, false};
    TRY(survey(tables, p, &s));
    int code = stored_distance(tables, p, &s, 0, &distance);
    if (code == 0 && distance.ply < 0)
        code = search_distance(tables, p, &s, &distance);
    if (code == CLTB_E_MISSING && s.source != NULL && source_has_outcomes_only(s.source)) {
        distance = (struct distance){DTZ_UNKNOWN, false};
        code = 0;
    }
    *value = (struct cltb_value){s.outcome, distance.ply, distance.rounded};
    return code;
}

int probe_value(cltb_tables *tables, struct position *p, struct cltb_value *value)
{
    TRY(outcome_and_distance(tables, p, value));
    return value->dtz == DTZ_UNKNOWN ? CLTB_E_MISSING : 0;
}

// ---- without the 50-move rule: distances to mate or to conversion ----

// The value before a move, from the value after it.
static struct cltb_value before_exact(enum metric metric, uint32_t move, struct cltb_value after)
{
    const bool ends = metric == METRIC_DTC && after.outcome == CLTB_LOSS && move_is_conversion(move);
    const int plies = after.outcome == CLTB_DRAW ? 0 : ends ? 1 : after.dtz + 1;
    return (struct cltb_value){.outcome = -after.outcome, .dtz = plies};
}

// What is wanted, and what is already known.
struct exact_wanted {
    enum metric metric;
    bool any;            // the distance, whatever the outcome is
    int outcome;         // otherwise: the distance if this is the outcome
    bool sure;           // this is the outcome, unless captures en passant change it
    struct table *table; // of the position; NULL: not known yet
};

static int find_exact(cltb_tables *tables, struct position *p, struct exact_wanted wanted, struct cltb_value *value);

// The distance of a win or loss from the values after its moves, without captures en passant. In a loss all moves lose.
static int search_exact(cltb_tables *tables, enum metric metric, struct table *table, struct position *p,
                        struct cltb_value *value)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    const bool won = value->outcome == CLTB_WIN;
    value->dtz = won ? INT_MAX : 0;
    for (int i = 0; i < count; i++) {
        struct cltb_value after;
        if (move_is_en_passant(moves[i]))
            continue;
        const struct exact_wanted wanted = {.metric = metric,
                                            .outcome = -value->outcome,
                                            .sure = !won,
                                            .table = move_is_conversion(moves[i]) ? NULL : table};
        TRY(position_make(p, moves[i]));
        const int code = find_exact(tables, p, wanted, &after);
        position_undo(p);
        TRY(code);
        if (after.outcome != -value->outcome)
            continue;
        const int plies = before_exact(metric, moves[i], after).dtz;
        if (won ? plies < value->dtz : plies > value->dtz)
            value->dtz = plies;
    }
    return value->dtz < INT_MAX ? 0 : inconsistent(p, "contradicts itself: a win without a winning move");
}

// The value without the right to capture en passant.
static int stored_exact(cltb_tables *tables, struct position *p, struct exact_wanted wanted, struct cltb_value *value)
{
    struct table *table = wanted.table;
    *value = (struct cltb_value){.outcome = CLTB_DRAW};
    if (only_kings(p))
        return 0;
    if (table == NULL) {
        struct material material = material_of(p);
        material.metric = (uint8_t)wanted.metric;
        TRY(tables_find_table(tables, &material, &table));
    }
    if (wanted.sure)
        value->outcome = wanted.outcome;
    else
        TRY(table_outcome(table, p, &value->outcome));
    if (outcome_is_cursed(value->outcome))
        return inconsistent(p, "has cursed wins or blessed losses, though its distances know no 50-move rule");
    if (value->outcome == CLTB_DRAW || (!wanted.any && value->outcome != wanted.outcome))
        return 0;
    return table_has_distance(table, p) ? table_distance(table, p, value->outcome, &value->dtz)
                                        : search_exact(tables, wanted.metric, table, p, value);
}

// The stored value, or one found by a search, then raised by captures en passant.
static int find_exact(cltb_tables *tables, struct position *p, struct exact_wanted wanted, struct cltb_value *value)
{
    uint32_t moves[MOVES_MAX];
    const bool en_passant = p->en_passant != NO_SQUARE && position_en_passant_legal(p);
    wanted.sure &= !en_passant;
    TRY(stored_exact(tables, p, wanted, value));
    if (!en_passant)
        return 0;
    wanted.outcome = -wanted.outcome;
    wanted.table = NULL;
    bool replace = probe_only_en_passant(p); // it is neither stalemate nor mate
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        struct cltb_value after;
        if (!move_is_en_passant(moves[i]))
            continue;
        TRY(position_make(p, moves[i]));
        const int code = stored_exact(tables, p, wanted, &after);
        position_undo(p);
        TRY(code);
        after = before_exact(wanted.metric, moves[i], after);
        if (replace || value_compare(after, *value) < 0)
            *value = after;
        replace = false;
    }
    return 0;
}

int probe_exact(cltb_tables *tables, struct position *p, enum metric metric, struct cltb_value *value)
{
    TRY(probe_possible(p));
    return find_exact(tables, p, (struct exact_wanted){.metric = metric, .any = true}, value);
}

int probe_exact_moves(cltb_tables *tables, struct position *p, enum metric metric,
                      struct ranked_move ranked[CLTB_MOVES_MAX])
{
    uint32_t moves[MOVES_MAX];
    TRY(probe_possible(p));
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        struct cltb_value after;
        const bool zeroing = move_is_zeroing(p, moves[i]);
        TRY(position_make(p, moves[i]));
        const int code = probe_exact(tables, p, metric, &after);
        position_undo(p);
        TRY(code);
        ranked[i] = (struct ranked_move){.move = moves[i],
                                         .zeroing = zeroing,
                                         .mate = after.outcome == CLTB_LOSS && after.dtz == 0,
                                         .value = before_exact(metric, moves[i], after)};
    }
    qsort(ranked, (size_t)count, sizeof ranked[0], ranked_move_compare);
    return count;
}

// ---- with the half-move clock ----

int probe_possible(const struct position *p)
{
    int men = position_men(p);
    if (men > MATERIAL_MEN_MAX)
        return error_set(CLTB_E_POSITION, "%d men: tables hold at most %d", men, MATERIAL_MEN_MAX);
    if (p->castling != 0)
        return error_set(CLTB_E_POSITION, "castling is still possible: tables hold no such positions");
    return 0;
}

int probe_position(cltb_tables *tables, struct position *p, struct cltb_value *value)
{
    TRY(probe_possible(p));
    TRY(probe_value(tables, p, value));
    *value = value_with_clock(*value, p->fifty);
    return 0;
}

int probe_known(cltb_tables *tables, struct position *p, struct cltb_value *value)
{
    TRY(probe_possible(p));
    TRY(outcome_and_distance(tables, p, value));
    *value = value_with_clock(*value, p->fifty);
    return 0;
}

// ---- all moves, best first ----

int ranked_move_compare(const void *left, const void *right)
{
    const struct ranked_move *a = left;
    const struct ranked_move *b = right;
    const int order = value_compare(a->value, b->value);
    if (order != 0)
        return order;
    if (a->mate != b->mate)
        return b->mate - a->mate;
    if (a->zeroing != b->zeroing)
        return b->zeroing - a->zeroing;
    // Sorting must not depend on the C library, so order by squares, then by the promoted piece.
    if (move_from(a->move) != move_from(b->move))
        return move_from(a->move) - move_from(b->move);
    if (move_to(a->move) != move_to(b->move))
        return move_to(a->move) - move_to(b->move);
    return move_promoted(a->move) - move_promoted(b->move);
}

int probe_moves(cltb_tables *tables, struct position *p, bool tolerant, struct ranked_move ranked[CLTB_MOVES_MAX])
{
    uint32_t moves[MOVES_MAX];
    char why[512] = "";
    TRY(probe_possible(p));
    int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        const bool zeroing = move_is_zeroing(p, moves[i]);
        struct cltb_value after = {.outcome = CLTB_LOSS};
        TRY(position_make(p, moves[i]));
        const bool mate = position_in_check(p) && !moves_any(p); // mate needs no table
        const int code = mate      ? 0
                         : zeroing ? probe_outcome(tables, p, &after.outcome) // tells the distance before the move
                                   : outcome_and_distance(tables, p, &after);
        position_undo(p);
        if (code != CLTB_E_MISSING && !tolerant)
            TRY(code);
        if (code != 0 && why[0] == '\0')
            snprintf(why, sizeof why, "%s", error_text());
        ranked[i] = (struct ranked_move){.move = moves[i], .zeroing = zeroing, .mate = mate};
        ranked[i].value = code == 0 ? value_with_clock(value_before(after, zeroing), p->fifty)
                                    : (struct cltb_value){.outcome = CLTB_UNKNOWN};
    }
    qsort(ranked, (size_t)count, sizeof ranked[0], ranked_move_compare);
    if (why[0] != '\0')
        error_set(CLTB_E_MISSING, "%s", why);
    return count;
}

int probe_best_known(cltb_tables *tables, struct position *p, const struct ranked_move *ranked, int count)
{
    struct cltb_value value;
    if (count == 0 || ranked[count - 1].value.outcome != CLTB_UNKNOWN)
        return 0;
    TRY(probe_known(tables, p, &value));
    if (value_compare(ranked[0].value, value) == 0)
        return 0;
    TRY(position_make(p, ranked[count - 1].move));
    const int code = probe_value(tables, p, &value); // for the sentence
    position_undo(p);
    return code;
}
