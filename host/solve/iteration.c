// iteration.c - both sides' wins, ply by ply, until nothing changes
//
// Each side in turn is the attacker, whose wins are looked for; the other is the defender. Let
//
//     W(n)     be the positions with the attacker to move that he wins in at most n plies,
//     Lnew(n)  those with the defender to move that he loses in exactly n plies,
//     closed   those with the defender to move that cannot become lost any more: illegal ones, stalemates, those with a
//              zeroing move that holds, and those that are lost already.
//
// For each attacker:
//
// 1. Begin: find the illegal entries, the mates (Lnew(0)) and the stalemates. Zeroing moves lead to endgames that are
//    solved, so they count once and for all: the defender's positions with one that holds are closed, the attacker's
//    positions with one that wins are `extra`, wins in 1. W(0) is the illegal and overlap entries, so that a move into
//    check or onto an own man never avoids a loss.
// 2. Ply n = 1, 2, ..., 100 is a step of each side:
//
//        Lnew(n) = what is not closed and has only quiet moves to W(n-1)
//        Wnew(n) = what is not in W and has a quiet move to Lnew(n-1)      [n = 1: or is in extra]
//
//    A step puts what it finds into its set and into the planes of the ply's code (solution.h). The iteration ends when
//    neither step finds anything.
// 3. If futurebases have cursed wins or blessed losses, zeroing moves have another worth without the 50-move rule:
//    positions in which each move that holds leads to a cursed win are taken out of `closed`, and `extra` becomes the
//    zeroing moves to blessed losses.
// 4. Plies from 101 on are steps as in 2, until nothing changes.
//
// Distances to mate know no 50-move rule, and a capture counts as many plies as the position that it leads to. So steps
// 1 to 4 differ:
//
// 1. `closed` and W(0) are as above, without zeroing moves. `refuted` is W except the overlap entries of the defender's
//    legal captures.
// 2. Odd plies n: the overlap entries of the attacker's captures that lead to a loss in exactly n - 1 join Lnew(n-1);
//    then a step of the attacker.
// 3. Even plies: the defender's captures that lead to a win in exactly n - 1 join Wnew(n-1), which joins `refuted`;
//    then a step of the defender, who avoids `refuted`.
//    Pawn moves have planes of their own (slice_mates.c). The attacker's pawn moves to a loss in exactly n - 1 are
//    `extra`. The defender's positions with a pawn move are closed until the ply at which the last of these moves leads
//    to a win in n - 1 for the attacker; then they are looked at even if no move leads to a new win.
// 4. A ply that finds nothing does not end the iteration while the futurebases have greater distances.
//
// At the end, step 5 marks the positions that a capture resolves. docs/solver.md shows why each of these is right.
//
// Example, KQvK with White as attacker, White's king on b6:
//
//     Qb7, black Ka8, Black to move    mate, so in Lnew(0)
//     Qh7, black Ka8, White to move    Qb7 leads to Lnew(0), so it is in Wnew(1)
//     Qh7, black Kb8, Black to move    Ka8 leads to W(1), and so does Kc8, after which Qc7 mates; Ka7, Kb7 and Kc7 are
//                                      next to a white man who guards them, so they lead to W(0): in Lnew(2)
//     Qc7, black Ka8, Black to move    has no move and is not in check: closed
//
// Restricted endgames have more (struct zeroing_rules): iteration_rules.c.
//
// A step is a pass over the planes for each man of its side. Five planes are in use beside W and the distances.
#include "solve/iteration.h"

#include "solve/iteration_state.h"
#include "util/error.h"

#include <limits.h>
#include <string.h>

static int outcome_of(const struct iteration *it, bool won, int ply)
{
    return outcome_at(won, it->mate ? 0 : ply);
}

// ---- distances ----

// The n-th code, n >= 1: all codes below 2^5 come before those below 2^6 and so on, and among these those with few bits
// come first, because every bit costs a pass over a plane and many endgames have fewer than 32 plies of one kind.
static unsigned code_number(int n)
{
    unsigned low = 1;
    unsigned high = 32;
    while (n > (int)(high - low)) {
        n -= (int)(high - low);
        low = high;
        high *= 2;
    }
    for (int bits = 1;; bits++) {
        for (unsigned code = low; code < high; code++) {
            if (__builtin_popcount(code) == bits && --n == 0)
                return code;
        }
    }
}

// Gives the step the planes for the code of a ply: wins of the attacker or losses of the defender.
static int assign_code(struct iteration *it, bool won, int ply, struct step *step)
{
    struct solution *solution = it->solution;
    const int side = step->side;
    const bool keep = it->options->keep_distance[side];
    const solver_value value = value_code(won, keep ? ply : zeroing_ply(outcome_of(it, won, ply)));
    int *codes = &solution->codes[side][won];
    unsigned code = 0;
    for (unsigned c = 1; !keep && c < 4; c++) {
        if (solution->value[side][won][c] == value)
            code = c;
    }
    if (keep && it->mate) {
        code = (unsigned)mate_code(ply);
        solution->value[side][won][code] = value;
    } else if (code == 0) {
        if (*codes + 2 >= DISTANCE_CODES) // the last code has all bits set: there is no plane left for the step
            return error_set(CLTB_E_USAGE, "more than %d different distances", DISTANCE_CODES - 2);
        code = code_number(++*codes);
        solution->value[side][won][code] = value;
    }
    step->planes = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        if (!(code >> bit & 1))
            continue;
        struct plane **plane = &solution->distance[side][bit];
        // Plane 0 of a side without distances has most of its positions: packed ply by ply they take more memory.
        const bool packs = it->ops->log_new != NULL && (keep || bit > 0);
        if (*plane == NULL)
            TRY((packs ? it->ops->log_new : it->ops->plane_new)(it->backend, plane));
        step->plane[step->planes++] = *plane;
    }
    return 0;
}

int iteration_record(struct iteration *it, int side, bool won, int ply, const struct plane *entries)
{
    struct step step = {.side = side};
    TRY(assign_code(it, won, ply, &step));
    if (it->ops->record != NULL)
        return it->ops->record(it->backend, side, step.plane, step.planes, entries);
    for (int i = 0; i < step.planes; i++)
        TRY(combine(it, step.plane[i], PLANE_OR, entries));
    return 0;
}

// `also`: a further plane that gets what the step finds, or NULL.
static int run_step(struct iteration *it, bool won, int ply, struct plane *also, struct step *step)
{
    TRY(assign_code(it, won, ply, step));
    if (also != NULL)
        step->plane[step->planes++] = also;
    step->ply = ply;
    return it->ops->step(it->backend, step);
}

// Called after a step, when step->found is known.
static void end_step(struct iteration *it, bool won, int ply, const struct step *step)
{
    struct solution *solution = it->solution;
    solution->plies++;
    solution->weight[step->side][won][ply] += step->weight;
    if (step->found > 0) { // plies come in rising order
        iteration_note_longest(it, step->side, ply);
        solution->longest[step->side][outcome_of(it, won, ply) + 2] = ply;
    } else if (it->options->keep_distance[step->side] && it->mate) {
        solution->value[step->side][won][mate_code(ply)] = 0;
    } else if (it->options->keep_distance[step->side]) { // the code is free again
        int *codes = &solution->codes[step->side][won];
        solution->value[step->side][won][code_number(*codes)] = 0;
        --*codes;
    }
}

// ---- what happens outside the quiet moves ----

int iteration_illegal(struct iteration *it, int side, struct plane *plane)
{
    const struct zeroing *zeroing = it->zeroing;
    it->illegal[side] = plane;
    TRY(it->ops->attacks(it->backend, plane, side));
    return zeroing->rules == NULL ? 0 : zeroing->rules->attacks(zeroing->context, plane, side);
}

int iteration_outside(struct iteration *it, struct plane *plane)
{
    const struct zeroing *zeroing = it->zeroing;
    TRY(overlaps_mark(it->backend, plane, PAIRS_ALL, 0));
    return zeroing->rules == NULL ? 0 : zeroing->rules->outside(zeroing->context, plane);
}

int iteration_zeroing(struct iteration *it, struct plane *to, int mover, enum zeroing_bits which, bool captures_only)
{
    return zeroing_find(it->backend, it->zeroing, to, mover, which, captures_only, it->lost_new[1],
                        it->illegal[mover ^ 1]);
}

// Step 1. Planes that are not yet in use hold intermediate results: W itself has the illegal entries with the attacker
// to move, the new wins have those with the defender to move.
static int begin(struct iteration *it)
{
    struct solution *solution = it->solution;
    struct plane **stalemate = &solution->stalemate[it->defender];
    struct plane *mates = it->lost_new[0];
    struct plane *illegal = it->won_new;
    struct plane *refuted = it->lost_new[1];
    TRY(it->ops->plane_new(it->backend, &solution->won[it->attacker]));
    TRY(it->ops->plane_new(it->backend, &it->extra));
    struct plane *won = solution->won[it->attacker];
    TRY(iteration_illegal(it, it->attacker, won));
    TRY(iteration_illegal(it, it->defender, illegal));
    // closed = the defender's entries without a legal move, including illegal ones: each of their moves leads to
    // `refuted`, where the attacker could take the king, or two of the defender's men or a man and the enemy king share
    // a square.
    TRY(combine(it, refuted, PLANE_COPY, won));
    TRY(overlaps_mark(it->backend, refuted, PAIRS_OF_SIDE, it->defender));
    TRY(overlaps_mark(it->backend, refuted, PAIRS_ON_KING, it->defender));
    TRY(it->ops->pred(it->backend, it->extra, it->defender, refuted, true));
    if (it->zeroing->pawn_moves != NULL)
        TRY(it->zeroing->pawn_moves(it->zeroing->context, it->extra, it->defender, BITS_LEGAL, false));
    TRY(combine(it, it->closed, PLANE_COPY_NOT, it->extra));
    TRY(combine(it, mates, PLANE_COPY, it->closed));
    TRY(combine(it, mates, PLANE_AND, won)); // the king is in check
    if (it->options->keep_slabs) {
        TRY(it->ops->plane_new(it->backend, stalemate));
        TRY(combine(it, *stalemate, PLANE_COPY, it->closed));
        TRY(combine(it, *stalemate, PLANE_AND_NOT, won));
    }
    if (it->mate) {
        TRY(it->ops->fill(it->backend, it->extra, false));
        TRY(it->zeroing->captured(it->zeroing->context, it->extra, it->attacker, BITS_LEGAL));
        TRY(combine(it, it->extra, PLANE_AND_NOT, won));
        TRY(it->ops->plane_new(it->backend, &it->own_illegal));
        TRY(combine(it, it->own_illegal, PLANE_COPY, illegal));
    } else {
        TRY(iteration_zeroing(it, it->extra, it->defender, BITS_NOT_WON, false));
        TRY(combine(it, it->closed, PLANE_OR, it->extra));
        TRY(iteration_zeroing(it, it->extra, it->attacker, BITS_LOST, false));
    }
    TRY(overlaps_mark(it->backend, won, PAIRS_ALL, 0));
    TRY(overlaps_mark(it->backend, illegal, PAIRS_ALL, 0));
    if (it->mate) {
        TRY(combine(it, refuted, PLANE_COPY, won));
        TRY(combine(it, refuted, PLANE_AND_NOT, it->extra));
    }
    if (it->options->keep_slabs)
        TRY(combine(it, *stalemate, PLANE_AND_NOT, illegal));
    TRY(combine(it, it->closed, PLANE_OR, illegal));
    TRY(combine(it, mates, PLANE_AND_NOT, illegal));
    if (it->zeroing->begin_mates != NULL) {
        const struct mate_begin known = {illegal, it->own_illegal, won, refuted};
        TRY(it->zeroing->begin_mates(it->zeroing->context, it->attacker, &known));
        free_plane(it, &it->own_illegal);
        TRY(it->ops->fill(it->backend, it->extra, false));
        TRY(it->zeroing->pawn_moves(it->zeroing->context, it->extra, it->defender, BITS_LEGAL, false));
        TRY(combine(it, it->closed, PLANE_OR, it->extra));
    }
    return iteration_record(it, it->defender, false, 0, mates);
}

// Copies what holds under the 50-move rule before the iteration goes beyond it.
static int keep_early(struct iteration *it)
{
    struct solution *solution = it->solution;
    const int side = it->defender;
    struct plane **won = &solution->won_early[it->attacker];
    struct plane **lost = &solution->lost_early[side];
    TRY(it->ops->plane_new(it->backend, won));
    TRY(combine(it, *won, PLANE_COPY, solution->won[it->attacker]));
    // Entries that have a code and are not won are lost. If the defender's own wins are not found yet, all codes are
    // losses.
    TRY(it->ops->plane_new(it->backend, lost));
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        if (solution->distance[side][bit] != NULL)
            TRY(combine(it, *lost, PLANE_OR, solution->distance[side][bit]));
    }
    return solution->won[side] == NULL ? 0 : combine(it, *lost, PLANE_AND_NOT, solution->won[side]);
}

// Step 3. One plane at a time has the illegal entries: that of the losses of ply 100, which are none unless the
// iteration has come as `far`. Then they are packed meanwhile, or the illegal entries get a plane of their own. Memory
// peaks here.
static int relax_zeroing(struct iteration *it, bool far)
{
    const struct backend_ops *ops = it->ops;
    const bool packs = far && ops->pack != NULL;
    struct plane *opened = it->won_new;
    struct plane *illegal = it->lost_new[PLY_LIMIT & 1];
    it->extra = it->longest; // what it had has been given
    it->longest = NULL;
    if (it->extra == NULL)
        TRY(ops->plane_new(it->backend, &it->extra));
    if (far)
        TRY((packs ? ops->log_new : ops->plane_new)(it->backend, &it->own_illegal));
    if (packs)
        TRY(ops->record(it->backend, it->defender, &it->own_illegal, 1, illegal));
    else if (far)
        illegal = it->own_illegal;
    TRY(iteration_illegal(it, it->attacker, illegal));
    TRY(iteration_zeroing(it, it->extra, it->defender, BITS_NOT_WON, false));
    TRY(combine(it, opened, PLANE_COPY, it->extra));
    TRY(iteration_zeroing(it, it->extra, it->defender, BITS_NOT_WON_EVER, false));
    TRY(combine(it, opened, PLANE_AND_NOT, it->extra));
    TRY(iteration_illegal(it, it->defender, illegal));
    TRY(iteration_zeroing(it, it->extra, it->attacker, BITS_LOST_EVER, false));
    // Illegal entries stay closed, whatever their moves seem to be.
    TRY(iteration_outside(it, illegal));
    TRY(combine(it, opened, PLANE_AND_NOT, illegal));
    TRY(combine(it, it->closed, PLANE_AND_NOT, opened));
    if (packs)
        TRY(combine(it, illegal, PLANE_COPY, it->own_illegal));
    free_plane(it, &it->own_illegal);
    return 0;
}

// Packs a finished plane, if that saves memory.
static int pack(struct iteration *it, struct plane *plane)
{
    return plane == NULL || it->ops->pack == NULL ? 0 : it->ops->pack(it->backend, plane);
}

// Step 5: marks wins with a capture that wins, and draws with a capture that draws. With distances to mate it marks
// none, because every value is stored.
static int mark_resolved(struct iteration *it)
{
    struct solution *solution = it->solution;
    for (int side = WHITE; it->mate && side <= BLACK; side++)
        TRY(it->ops->plane_new(it->backend, &solution->resolved[side]));
    if (it->mate)
        return 0;
    free_plane(it, &it->won_new);
    free_plane(it, &it->lost_new[0]);
    TRY(it->ops->plane_new(it->backend, &it->extra));
    for (int side = WHITE; side <= BLACK; side++) {
        struct plane **resolved = &solution->resolved[side];
        struct plane *won = solution->won[side];
        TRY(iteration_illegal(it, side ^ 1, it->closed));
        TRY(it->ops->plane_new(it->backend, resolved));
        TRY(iteration_zeroing(it, *resolved, side, BITS_NOT_WON_EVER, true));
        if (it->ops->pack != NULL) { // then `won` is packed
            TRY(combine(it, it->extra, PLANE_COPY, won));
            won = it->extra;
        }
        TRY(combine(it, *resolved, PLANE_AND_NOT, won));
        TRY(iteration_zeroing(it, it->extra, side, BITS_LOST, true));
        TRY(combine(it, *resolved, PLANE_OR, it->extra));
        TRY(pack(it, *resolved));
    }
    return 0;
}

// ---- the plies ----

static int report(struct iteration *it, int ply, uint64_t won, uint64_t lost)
{
    if (it->options->progress == NULL)
        return 0;
    const double within = 1.0 - 1.0 / (1.0 + ply / 20.0); // later plies are unknown; early plies cost most
    const struct solver_ply now = {it->attacker, ply, won, lost, (it->progress.done_attackers + within) / 2};
    return it->options->progress(it->options->context, &now) == 0
               ? 0
               : error_set(CLTB_E_INTERRUPTED, "interrupted at ply %d", ply);
}

// Reports a ply and saves the planes if it is time, or if the report stops the work.
static int end_ply(struct iteration *it, int ply, uint64_t won, uint64_t lost)
{
    TRY(iteration_save(it, false));
    const int code = report(it, ply, won, lost);
    if (code != 0)
        TRY(iteration_save(it, true));
    return code;
}

// One ply: the defender's losses by W(n-1), then the attacker's wins by Lnew(n-1). `fresh_look`: positions may be lost
// although no move leads to a new win. If the iteration is stopped here, nothing is lost, except in a ply with `extra`,
// which is not saved.
static int next_ply(struct iteration *it, bool fresh_look)
{
    const int ply = it->progress.ply;
    struct plane *won = it->solution->won[it->attacker];
    TRY(iteration_keep_longest(it, it->defender, ply, &it->lost_new[ply & 1]));
    struct step lose = {.side = it->defender,
                        .invert = true,
                        .later = true,
                        .in = won,
                        .only = fresh_look ? NULL : it->won_new,
                        .closed = it->closed,
                        .fresh = it->lost_new[ply & 1]};
    TRY(iteration_keep_longest(it, it->attacker, ply, &it->won_new));
    struct step win = {.side = it->attacker,
                       .in = it->lost_new[(ply - 1) & 1],
                       .extra = it->extra,
                       .closed = won,
                       .fresh = it->won_new};
    TRY(iteration_before_loss(it, ply, &lose));
    TRY(run_step(it, false, ply, NULL, &lose));
    TRY(iteration_after_loss(it, &lose));
    TRY(iteration_before_win(it, ply, &win));
    TRY(run_step(it, true, ply, NULL, &win));
    end_step(it, false, ply, &lose);
    end_step(it, true, ply, &win);
    it->progress.changed = win.found + lose.found > 0;
    it->progress.ply++;
    TRY(iteration_keep_quiet(it, &win));
    const bool saves = it->extra == NULL;
    free_plane(it, &it->extra); // memory peaks later, with all distance planes in use
    return saves ? end_ply(it, ply, win.found, lose.found) : report(it, ply, win.found, lose.found);
}

// One ply of distances to mate. The planes of new losses are Lnew and `refuted`.
static int next_mate_ply(struct iteration *it)
{
    const int ply = it->progress.ply++;
    const bool wins = ply % 2 == 1;
    const struct zeroing *zeroing = it->zeroing;
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
    const bool lists = zeroing->begin_mates != NULL; // then new wins are written to `refuted` as they are found
    struct plane *before = wins ? it->lost_new[0] : it->won_new; // found in the last ply; captures lead there, too
    bool any = false;
    if (zeroing->pawn_moves_at != NULL)
        TRY(zeroing->pawn_moves_at(zeroing->context, step->side, !wins, ply - 1, &step->extra));
    if (lose.extra != NULL)
        TRY(combine(it, it->closed, PLANE_AND_NOT, lose.extra));
    TRY(zeroing->captured_at(zeroing->context, before, step->side ^ 1, !wins, ply - 1, &any));
    if (any && !lists)
        TRY(combine(it, before, PLANE_AND_NOT, wins ? it->own_illegal : refuted));
    if (!wins && lists)
        TRY(zeroing->captured_at(zeroing->context, refuted, step->side ^ 1, true, ply - 1, &any));
    else if (!wins)
        TRY(combine(it, refuted, PLANE_OR, it->won_new));
    TRY(run_step(it, wins, ply, wins && lists ? refuted : NULL, step));
    end_step(it, wins, ply, step);
    it->progress.changed = step->found > 0;
    return end_ply(it, ply, win.found, lose.found);
}

static int solve_mates(struct iteration *it)
{
    struct progress *progress = &it->progress;
    if (progress->stage == STAGE_BEGIN) {
        TRY(begin(it));
        free_plane(it, &it->extra);
        progress->ply = 1;
        progress->changed = true;
        progress->stage = STAGE_EARLY;
    }
    while ((progress->changed || progress->ply <= it->zeroing->longest + 1) && progress->ply <= SOLVER_PLY_MAX)
        TRY(next_mate_ply(it));
    free_plane(it, &it->own_illegal);
    return it->progress.ply <= SOLVER_PLY_MAX ? 0 : error_set(CLTB_E_USAGE, "no end after %d plies", SOLVER_PLY_MAX);
}

// Is there another ply? If nothing is new, the next one is that in which a move of external() counts.
static bool goes_on(struct iteration *it)
{
    struct progress *progress = &it->progress;
    const int next = progress->changed ? progress->ply : iteration_next_external(it, progress->ply);
    if (next == INT_MAX)
        return false;
    progress->ply = next;
    return true;
}

// Steps 1 to 4 for the current attacker, from the stage at which an earlier run stopped.
static int solve_attacker(struct iteration *it)
{
    struct progress *progress = &it->progress;
    if (progress->stage == STAGE_BEGIN) {
        TRY(it->zeroing->rules != NULL ? iteration_begin_rules(it) : begin(it));
        iteration_note_longest(it, it->defender, 0);
        progress->ply = 1;
        TRY(next_ply(it, true));
        progress->stage = STAGE_EARLY;
        TRY(next_ply(it, false)); // the mates count as a change
    }
    if (progress->stage == STAGE_EARLY) {
        while (goes_on(it) && progress->ply <= PLY_LIMIT)
            TRY(next_ply(it, false));
        const bool far = progress->ply > PLY_LIMIT;
        TRY(iteration_give_longest(it));
        if (!far && !it->zeroing->cursed)
            return 0;
        if (it->options->keep_slabs)
            TRY(keep_early(it));
        if (it->zeroing->cursed)
            TRY(relax_zeroing(it, far));
        for (int i = 0; !far && i < 2; i++) // they are empty now, whichever parity ply 101 looks at
            TRY(it->ops->fill(it->backend, it->lost_new[i], false));
        progress->stage = STAGE_LATE; // from here on this must not be repeated
        progress->ply = CURSED_PLY;
        TRY(next_ply(it, true));
        TRY(iteration_save(it, false));
    }
    while (goes_on(it) && progress->ply <= SOLVER_PLY_MAX)
        TRY(next_ply(it, false));
    if (progress->ply > SOLVER_PLY_MAX)
        return error_set(CLTB_E_USAGE, "no end after %d plies", SOLVER_PLY_MAX);
    return iteration_give_longest(it);
}

static void free_planes(struct iteration *it)
{
    struct plane **planes[] = {&it->closed,      &it->lost_new[0], &it->lost_new[1], &it->won_new, &it->extra,
                               &it->own_illegal, &it->held,        &it->avoiding,    &it->longest, &it->quiet};
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++)
        free_plane(it, planes[i]);
}

static int solve(struct iteration *it)
{
    struct progress *progress = &it->progress;
    struct plane **planes[] = {&it->closed, &it->lost_new[0], &it->lost_new[1], &it->won_new};
    const int last = it->options->last_attacker;
    TRY(iteration_restore(it));
    for (int i = 0; i < 4 && progress->stage == STAGE_BEGIN; i++)
        TRY(it->ops->plane_new(it->backend, planes[i]));
    while (progress->stage < STAGE_SOLVED && progress->done_attackers < COLOURS) {
        if (progress->stage == STAGE_BEGIN)
            iteration_set_attacker(it, progress->done_attackers == 0 ? last ^ 1 : last);
        TRY(it->mate ? solve_mates(it) : solve_attacker(it));
        TRY(pack(it, it->solution->won[it->attacker]));
        free_plane(it, &it->held);
        free_plane(it, &it->avoiding);
        free_plane(it, &it->longest);
        progress->done_attackers++;
        progress->stage = STAGE_BEGIN;
    }
    if (progress->stage < STAGE_SOLVED) {
        progress->stage = STAGE_SOLVED;
        TRY(iteration_save(it, true));
    }
    if (progress->stage == STAGE_RESOLVED)
        return 0;
    for (int i = 0; i < COLOURS * DISTANCE_PLANES_MAX; i++)
        TRY(pack(it, it->solution->distance[i % COLOURS][i / COLOURS]));
    if (it->options->keep_resolved)
        TRY(mark_resolved(it));
    free_planes(it); // otherwise they would be kept, too
    progress->stage = STAGE_RESOLVED;
    return iteration_save(it, true);
}

int iteration_run(struct solution *solution, struct backend *backend, const struct zeroing *zeroing,
                  const struct solver_options *options)
{
    *solution = (struct solution){.backend = backend};
    memcpy(solution->kept, options->keep_distance, sizeof solution->kept);
    memset(solution->longest, 0xff, sizeof solution->longest);
    struct iteration it = {
        .solution = solution, .backend = backend, .ops = backend->ops, .options = options, .zeroing = zeroing};
    iteration_forget_longest(&it);
    it.mate = backend->layout.material.metric != METRIC_DTZ;
    const int code = solve(&it);
    free_planes(&it);
    if (code != 0)
        solution_free(solution);
    return code;
}
