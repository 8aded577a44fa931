// rules.c - the iteration in endgames with rules of their own
//
// Differences to chess (iteration.c):
//
// 1. Begin. Legal moves decide which positions are stalemates; moves that exist decide which are lost in 0. W(0) and
//    `closed` include all entries outside: a quiet move out of the endgame avoids nothing. The worth of such a move
//    comes with the zeroing moves, or is external.
// 2. A step looks at moves of pieces. Moves of fixed men, `hops`, are added: the attacker's to Lnew(n-1) as further
//    wins; the defender's that avoid W(n-1) close their entries for this ply.
// 3. An external move of the attacker wins in its ply. An external move of the defender holds its entry, for good or up
//    to the ply in which it loses.
#include "solve/rules/rules.h"

#include <limits.h>

// it->extra = the entries of `side` with a move that is legal, or one that exists. `check`: the entries in which its
// king is attacked; `scratch` becomes the entries that no move can lead to.
static int find_moves(const struct rules *rules, struct iteration *it, int side, const struct plane *check,
                      enum zeroing_bits which, struct plane *scratch)
{
    const struct zeroing *zeroing = it->zeroing;
    TRY(combine(it, scratch, PLANE_COPY, check));
    TRY(overlaps_mark(it->backend, scratch, PAIRS_OF_SIDE, side));
    TRY(overlaps_mark(it->backend, scratch, PAIRS_ON_KING, side));
    if (which == BITS_EXIST)
        TRY(rules->absent(zeroing->context, scratch, side));
    TRY(it->ops->pred(it->backend, it->extra, side, scratch, true));
    TRY(zeroing->pawn_moves(zeroing->context, it->extra, side, which, false));
    if (rules->hops != NULL)
        TRY(rules->hops(zeroing->context, it->extra, side, scratch, true));
    return which == BITS_EXIST && rules->external != NULL
               ? rules->external(zeroing->context, it->extra, side, false, -1)
               : 0;
}

// to = the legal entries in which a side is stalemated. `check`: those in which its king is attacked; `illegal`: those
// in which the other king is.
static int find_stalemates(const struct rules *rules, struct iteration *it, int side, const struct plane *check,
                           const struct plane *illegal, struct plane *scratch, struct plane *to)
{
    TRY(find_moves(rules, it, side, check, BITS_LEGAL, scratch));
    TRY(combine(it, to, PLANE_COPY_NOT, it->extra));
    TRY(combine(it, to, PLANE_AND_NOT, check));
    return combine(it, to, PLANE_AND_NOT, illegal);
}

static int begin(struct iteration_guest *guest, struct iteration *it)
{
    struct rules *rules = (struct rules *)guest;
    struct solution *solution = it->solution;
    struct plane **stalemate = &solution->stalemate[it->defender];
    struct plane *mates = it->lost_new[0];
    struct plane *illegal = it->won_new;
    struct plane *scratch = it->lost_new[1];
    struct plane *rescued = NULL; // the attacker's stalemates that win
    TRY(it->ops->plane_new(it->backend, &solution->won[it->attacker]));
    TRY(it->ops->plane_new(it->backend, &it->extra));
    TRY(it->ops->plane_new(it->backend, stalemate));
    struct plane *won = solution->won[it->attacker];
    TRY(iteration_illegal(it, it->attacker, won));
    TRY(iteration_illegal(it, it->defender, illegal));
    if (rules->stalemate_wins[it->attacker]) {
        TRY(it->ops->plane_new(it->backend, &it->own_illegal));
        rescued = it->own_illegal;
        TRY(find_stalemates(rules, it, it->attacker, illegal, won, scratch, rescued));
    }
    TRY(find_stalemates(rules, it, it->defender, won, illegal, scratch, *stalemate));
    TRY(find_moves(rules, it, it->defender, won, BITS_EXIST, scratch));
    TRY(combine(it, it->closed, PLANE_COPY_NOT, it->extra));
    TRY(combine(it, mates, PLANE_COPY, it->closed));
    if (!rules->stalemate_loses[it->defender])
        TRY(combine(it, mates, PLANE_AND_NOT, *stalemate));
    TRY(iteration_zeroing(it, it->extra, it->defender, BITS_NOT_WON, false));
    TRY(combine(it, it->closed, PLANE_OR, it->extra));
    if (rules->external != NULL) {
        TRY(it->ops->plane_new(it->backend, &rules->held));
        TRY(rules->external(it->zeroing->context, rules->held, it->defender, false, -1));
    }
    if (rules->external != NULL || rules->hops != NULL)
        TRY(it->ops->plane_new(it->backend, &rules->avoiding));
    TRY(iteration_zeroing(it, it->extra, it->attacker, BITS_LOST, false));
    TRY(iteration_outside(it, won));
    TRY(iteration_outside(it, illegal));
    TRY(combine(it, it->closed, PLANE_OR, illegal));
    TRY(combine(it, mates, PLANE_AND_NOT, illegal));
    if (rescued != NULL) {
        TRY(combine(it, rescued, PLANE_AND_NOT, won));
        TRY(combine(it, won, PLANE_OR, rescued));
        TRY(iteration_record(it, it->attacker, true, 0, rescued));
        free_plane(it, &it->own_illegal);
    }
    return iteration_record(it, it->defender, false, 0, mates);
}

// ---- the plies ----

static int next(struct iteration_guest *guest, const struct iteration *it, int ply)
{
    const struct rules *rules = (const struct rules *)guest;
    if (rules->external == NULL)
        return INT_MAX;
    const int win = rules->next_external(it->zeroing->context, it->attacker, true, ply);
    const int loss = rules->next_external(it->zeroing->context, it->defender, false, ply);
    return win < loss ? win : loss;
}

static int before_loss(struct rules *rules, struct iteration *it, struct step *lose)
{
    void *context = it->zeroing->context;
    if (rules->held != NULL && rules->next_external(context, it->defender, false, lose->ply) == lose->ply) {
        TRY(it->ops->fill(it->backend, rules->avoiding, false));
        TRY(rules->external(context, rules->avoiding, it->defender, false, lose->ply));
        TRY(combine(it, rules->held, PLANE_AND_NOT, rules->avoiding));
        lose->only = NULL; // entries that are no longer held need not have a move to a new win
    }
    TRY(combine(it, rules->avoiding, PLANE_COPY, it->closed));
    if (rules->held != NULL)
        TRY(combine(it, rules->avoiding, PLANE_OR, rules->held));
    if (rules->hops != NULL) {
        TRY(rules->hops(context, rules->avoiding, it->defender, lose->in, true));
        lose->only = NULL;
    }
    lose->closed = rules->avoiding;
    return 0;
}

static int before_win(struct rules *rules, struct iteration *it, struct step *win)
{
    void *context = it->zeroing->context;
    if (it->extra == NULL)
        TRY(it->ops->plane_new(it->backend, &it->extra));
    if (rules->external != NULL && rules->next_external(context, it->attacker, true, win->ply) == win->ply)
        TRY(rules->external(context, it->extra, it->attacker, true, win->ply));
    if (rules->hops != NULL)
        TRY(rules->hops(context, it->extra, it->attacker, win->in, false));
    win->extra = it->extra;
    return 0;
}

static int before(struct iteration_guest *guest, struct iteration *it, struct step *step)
{
    struct rules *rules = (struct rules *)guest;
    if (rules->avoiding == NULL)
        return 0;
    return (step->side == it->defender ? before_loss : before_win)(rules, it, step);
}

static int after(struct iteration_guest *guest, struct iteration *it, const struct step *step)
{
    const struct rules *rules = (const struct rules *)guest;
    return rules->avoiding == NULL || step->side != it->defender ? 0 : combine(it, it->closed, PLANE_OR, step->fresh);
}

static void leave(struct iteration_guest *guest, struct iteration *it)
{
    struct rules *rules = (struct rules *)guest;
    free_plane(it, &rules->held);
    free_plane(it, &rules->avoiding);
}

void rules_open(struct rules *rules)
{
    rules->guest.begin = begin;
    rules->guest.before = before;
    rules->guest.after = after;
    rules->guest.next = next;
    rules->guest.leave = leave;
}
