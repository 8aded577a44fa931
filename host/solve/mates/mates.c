// mates.c - the iteration with distances to mate or to conversion
//
// The steps are those of iteration.c without the 50-move rule, except that captures and pawn moves enter in the ply
// that their distance says:
//
// 1. `closed` and W(0) are as there, without zeroing moves. `refuted` is W except the overlap entries of the defender's
//    legal captures.
// 2. Odd plies n: the overlap entries of the attacker's captures that lead to a loss in exactly n - 1 join Lnew(n-1);
//    then a step of the attacker.
// 3. Even plies: the defender's captures that lead to a win in exactly n - 1 join Wnew(n-1), which joins `refuted`;
//    then a step of the defender, who avoids `refuted`.
//    Pawn moves have planes of their own (slice_mates.c). The attacker's pawn moves to a loss in exactly n - 1 are
//    `extra`. The defender's positions with a pawn move are closed until the ply at which the last of these moves leads
//    to a win in n - 1 for the attacker; then they are looked at even if no move leads to a new win.
// 4. A ply that finds nothing does not end the iteration while moves lead to greater distances.
#include "solve/mates/mates.h"

static int begin(struct mate_moves *moves, struct iteration *it)
{
    struct plane *illegal = it->won_new;
    struct plane *refuted = it->lost_new[1];
    TRY(iteration_find_ends(it));
    struct plane *won = it->solution->won[it->attacker];
    TRY(it->ops->fill(it->backend, it->extra, false));
    TRY(it->zeroing->captured(it->zeroing->context, it->extra, it->attacker, BITS_LEGAL));
    TRY(combine(it, it->extra, PLANE_AND_NOT, won));
    TRY(it->ops->plane_new(it->backend, &it->own_illegal));
    TRY(combine(it, it->own_illegal, PLANE_COPY, illegal));
    TRY(iteration_close_illegal(it));
    TRY(combine(it, refuted, PLANE_COPY, won));
    TRY(combine(it, refuted, PLANE_AND_NOT, it->extra));
    if (moves->begin != NULL) {
        const struct mate_begin known = {illegal, it->own_illegal, won, refuted};
        TRY(moves->begin(moves, it->attacker, &known));
        free_plane(it, &it->own_illegal);
        TRY(it->ops->fill(it->backend, it->extra, false));
        TRY(it->zeroing->pawn_moves(it->zeroing->context, it->extra, it->defender, BITS_LEGAL, false));
        TRY(combine(it, it->closed, PLANE_OR, it->extra));
    }
    free_plane(it, &it->extra);
    return 0;
}

// The planes of new losses are Lnew and `refuted`.
static int next_ply(struct mate_moves *moves, struct iteration *it)
{
    const int ply = it->progress.ply++;
    const bool wins = ply % 2 == 1;
    struct plane *refuted = it->lost_new[1];
    struct step win = {
        .side = it->attacker, .in = it->lost_new[0], .closed = it->solution->won[it->attacker], .fresh = it->won_new};
    struct step lose = {.side = it->defender,
                        .invert = true,
                        .in = refuted,
                        .only = it->won_new,
                        .closed = it->closed,
                        .fresh = it->lost_new[0]};
    struct step *step = wins ? &win : &lose;
    // With lists, new wins are written to `refuted` as they are found: the pass that added them took 2.3 % of solving.
    const bool lists = moves->begin != NULL;
    struct plane *before = wins ? it->lost_new[0] : it->won_new; // found in the last ply; captures lead there, too
    bool any = false;
    if (moves->pawn_moves_at != NULL)
        TRY(moves->pawn_moves_at(moves, step->side, !wins, ply - 1, &step->extra));
    if (lose.extra != NULL)
        TRY(combine(it, it->closed, PLANE_AND_NOT, lose.extra));
    TRY(moves->captured_at(moves, before, step->side ^ 1, !wins, ply - 1, &any));
    if (any && !lists)
        TRY(combine(it, before, PLANE_AND_NOT, wins ? it->own_illegal : refuted));
    if (!wins && lists)
        TRY(moves->captured_at(moves, refuted, step->side ^ 1, true, ply - 1, &any));
    else if (!wins)
        TRY(combine(it, refuted, PLANE_OR, it->won_new));
    TRY(iteration_step(it, wins, ply, wins && lists ? refuted : NULL, step));
    TRY(iteration_count(it, wins, ply, step));
    it->progress.changed = step->found > 0;
    return iteration_end_ply(it, ply, win.found, lose.found);
}

int mates_solve(struct iteration_guest *guest, struct iteration *it)
{
    struct mate_moves *moves = (struct mate_moves *)guest;
    struct progress *progress = &it->progress;
    if (progress->stage == STAGE_BEGIN) {
        TRY(begin(moves, it));
        progress->ply = 1;
        progress->changed = true;
        progress->stage = STAGE_EARLY;
    }
    while ((progress->changed || progress->ply <= moves->longest + 1) && progress->ply <= MATE_PLY_MAX)
        TRY(next_ply(moves, it));
    free_plane(it, &it->own_illegal);
    return it->progress.ply <= MATE_PLY_MAX ? 0 : error_set(CLTB_E_USAGE, "no end after %d plies", MATE_PLY_MAX);
}

const struct iteration_metric mates_metric = {.batch = slice_mates_add, .bases = base_mates_add};
