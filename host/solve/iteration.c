// iteration.c - both sides' wins, ply by ply, until nothing changes
//
// Each side in turn is the attacker, whose wins are looked for; the other is the defender. Let
//
//     W(n)     be the positions with the attacker to move that he wins in at most n plies,
//     Lnew(n)  those with the defender to move that he loses in exactly n plies,
//     closed   those with the defender to move that cannot become lost any more: illegal ones, stalemate, those with a
//              zeroing move that holds, and those that are lost already.
//
// For each attacker:
//
// 1. Begin: find the illegal entries, checkmate (Lnew(0)) and stalemate. Zeroing moves lead to endgames that are
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
// At the end, step 5 marks the positions that a capture resolves. docs/solver.md shows why each of these is right.
//
// Example, KQvK with White as attacker, White's king on b6:
//
//     Qb7, black Ka8, Black to move    mate, so in Lnew(0)
//     Qh7, black Ka8, White to move    Qb7 leads to Lnew(0), so it is in Wnew(1)
//     Qh7, black Kb8, Black to move    Ka8 leads to W(1), and so does Kc8, because of Qc7 mate; Ka7, Kb7 and Kc7 are
//                                      next to a white man who guards them, so they lead to W(0): in Lnew(2)
//     Qc7, black Ka8, Black to move    has no move and is not in check: closed
//
// Other metrics, other rules, the longest lines and checkpoints take part as guests (iteration_state.h).
//
// A step is a pass over the planes for each man of its side. Five planes are in use beside W and the distances.
#include "solve/iteration.h"

#include "solve/iteration_state.h"
#include "util/error.h"

#include <limits.h>
#include <string.h>

static int outcome_of(const struct iteration *it, bool won, int ply)
{
    return outcome_at(won, it->clock ? ply : 0);
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

static int new_log(struct backend *backend, struct plane **plane)
{
    const bool logs = backend->log != NULL && backend->log->log_new != NULL;
    return (logs ? backend->log->log_new : backend->ops->plane_new)(backend, plane);
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
    if (keep && !it->clock) {
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
        // Plane 0 of a side without distances has most of its positions: logged ply by ply they take more memory.
        if (*plane == NULL)
            TRY((keep || bit > 0 ? new_log : it->ops->plane_new)(it->backend, plane));
        step->plane[step->planes++] = *plane;
    }
    return 0;
}

int iteration_record(struct iteration *it, int side, bool won, int ply, const struct plane *entries)
{
    struct step step = {.side = side};
    TRY(assign_code(it, won, ply, &step));
    if (it->backend->log != NULL)
        return it->backend->log->record(it->backend, side, step.plane, step.planes, entries);
    for (int i = 0; i < step.planes; i++)
        TRY(combine(it, step.plane[i], PLANE_OR, entries));
    return 0;
}

int iteration_step(struct iteration *it, bool won, int ply, struct plane *also, struct step *step)
{
    TRY(assign_code(it, won, ply, step));
    if (also != NULL)
        step->plane[step->planes++] = also;
    step->ply = ply;
    return it->ops->step(it->backend, step);
}

int iteration_count(struct iteration *it, bool won, int ply, const struct step *step)
{
    struct solution *solution = it->solution;
    const bool keep = it->options->keep_distance[step->side];
    solution->plies++;
    solution->weight[step->side][won][ply] += step->weight;
    if (step->found > 0) { // plies come in rising order
        solution->longest[step->side][outcome_of(it, won, ply) + 2] = ply;
        EACH_GUEST(it, counted, (guest, it, step));
    } else if (keep && !it->clock) {
        solution->value[step->side][won][mate_code(ply)] = 0;
    } else if (keep) { // the code is free again
        int *codes = &solution->codes[step->side][won];
        solution->value[step->side][won][code_number(*codes)] = 0;
        --*codes;
    }
    return 0;
}

// ---- what happens outside the quiet moves ----

int iteration_illegal(struct iteration *it, int side, struct plane *plane)
{
    const struct zeroing *zeroing = it->zeroing;
    it->illegal[side] = plane;
    TRY(it->ops->attacks(it->backend, plane, side));
    return zeroing->attacks == NULL ? 0 : zeroing->attacks(zeroing->context, plane, side);
}

int iteration_outside(struct iteration *it, struct plane *plane)
{
    const struct zeroing *zeroing = it->zeroing;
    TRY(overlaps_mark(it->backend, plane, PAIRS_ALL, 0));
    return zeroing->outside == NULL ? 0 : zeroing->outside(zeroing->context, plane);
}

int iteration_zeroing(struct iteration *it, struct plane *to, int mover, enum zeroing_bits which, bool captures_only)
{
    return zeroing_find(it->backend, it->zeroing, to, mover, which, captures_only, it->lost_new[1],
                        it->illegal[mover ^ 1]);
}

int iteration_find_ends(struct iteration *it)
{
    struct solution *solution = it->solution;
    struct plane **stalemate = &solution->stalemate[it->defender];
    struct plane *refuted = it->lost_new[1];
    TRY(it->ops->plane_new(it->backend, &solution->won[it->attacker]));
    TRY(it->ops->plane_new(it->backend, &it->extra));
    struct plane *won = solution->won[it->attacker];
    TRY(iteration_illegal(it, it->attacker, won));
    TRY(iteration_illegal(it, it->defender, it->won_new));
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
    TRY(combine(it, it->lost_new[0], PLANE_COPY, it->closed));
    TRY(combine(it, it->lost_new[0], PLANE_AND, won)); // the king is in check
    if (!it->options->keep_slabs)
        return 0;
    TRY(it->ops->plane_new(it->backend, stalemate));
    TRY(combine(it, *stalemate, PLANE_COPY, it->closed));
    return combine(it, *stalemate, PLANE_AND_NOT, won);
}

int iteration_close_illegal(struct iteration *it)
{
    struct plane *illegal = it->won_new;
    TRY(overlaps_mark(it->backend, it->solution->won[it->attacker], PAIRS_ALL, 0));
    TRY(overlaps_mark(it->backend, illegal, PAIRS_ALL, 0));
    if (it->options->keep_slabs)
        TRY(combine(it, it->solution->stalemate[it->defender], PLANE_AND_NOT, illegal));
    TRY(combine(it, it->closed, PLANE_OR, illegal));
    TRY(combine(it, it->lost_new[0], PLANE_AND_NOT, illegal));
    return iteration_record(it, it->defender, false, 0, it->lost_new[0]);
}

// Step 1. Planes that are not yet in use hold intermediate results.
static int begin(struct iteration *it)
{
    EACH_GUEST(it, begin, (guest, it));
    if (it->solution->won[it->attacker] != NULL) // a guest has done it
        return 0;
    TRY(iteration_find_ends(it));
    TRY(iteration_zeroing(it, it->extra, it->defender, BITS_NOT_WON, false));
    TRY(combine(it, it->closed, PLANE_OR, it->extra));
    TRY(iteration_zeroing(it, it->extra, it->attacker, BITS_LOST, false));
    return iteration_close_illegal(it);
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
// iteration has come as `far`. Then they are logged meanwhile, or the illegal entries get a plane of their own. Memory
// peaks here.
static int relax_zeroing(struct iteration *it, bool far)
{
    const struct backend_log *log = it->backend->log;
    const bool logs = far && log != NULL && log->log_new != NULL;
    struct plane *opened = it->won_new;
    struct plane *illegal = it->lost_new[PLY_LIMIT & 1];
    TRY(it->ops->plane_new(it->backend, &it->extra));
    if (far)
        TRY(new_log(it->backend, &it->own_illegal));
    if (logs)
        TRY(log->record(it->backend, it->defender, &it->own_illegal, 1, illegal));
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
    if (logs)
        TRY(combine(it, illegal, PLANE_COPY, it->own_illegal));
    free_plane(it, &it->own_illegal);
    return 0;
}

static bool packs(const struct iteration *it)
{
    return it->backend->log != NULL && it->backend->log->pack != NULL;
}

// Packs a finished plane, if that saves memory.
static int pack(struct iteration *it, struct plane *plane)
{
    return plane == NULL || !packs(it) ? 0 : it->backend->log->pack(it->backend, plane);
}

// Step 5: marks wins with a capture that wins, and draws with a capture that draws. Without the clock it marks none,
// because every value is stored.
static int mark_resolved(struct iteration *it)
{
    struct solution *solution = it->solution;
    for (int side = WHITE; !it->clock && side <= BLACK; side++)
        TRY(it->ops->plane_new(it->backend, &solution->resolved[side]));
    if (!it->clock)
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
        if (packs(it)) { // then this is done with `won`
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

int iteration_end_ply(struct iteration *it, int ply, uint64_t won, uint64_t lost)
{
    EACH_GUEST(it, save, (guest, it, false));
    const int code = report(it, ply, won, lost);
    if (code != 0)
        EACH_GUEST(it, save, (guest, it, true));
    return code;
}

// One ply: the defender's losses by W(n-1), then the attacker's wins by Lnew(n-1). `fresh_look`: positions may be lost
// although no move leads to a new win. If the iteration is stopped here, nothing is lost, except in a ply with `extra`,
// which is not saved.
static int next_ply(struct iteration *it, bool fresh_look)
{
    const int ply = it->progress.ply;
    struct plane *won = it->solution->won[it->attacker];
    struct step lose = {.side = it->defender,
                        .invert = true,
                        .later = true,
                        .ply = ply,
                        .in = won,
                        .only = fresh_look ? NULL : it->won_new,
                        .closed = it->closed,
                        .fresh = it->lost_new[ply & 1]};
    EACH_GUEST(it, before, (guest, it, &lose));
    TRY(iteration_step(it, false, ply, NULL, &lose));
    EACH_GUEST(it, after, (guest, it, &lose));
    struct step win = {.side = it->attacker,
                       .ply = ply,
                       .in = it->lost_new[(ply - 1) & 1],
                       .extra = it->extra,
                       .closed = won,
                       .fresh = it->won_new};
    EACH_GUEST(it, before, (guest, it, &win));
    TRY(iteration_step(it, true, ply, NULL, &win));
    TRY(iteration_count(it, false, ply, &lose));
    TRY(iteration_count(it, true, ply, &win));
    it->progress.changed = win.found + lose.found > 0;
    it->progress.ply++;
    const bool saves = it->extra == NULL;
    free_plane(it, &it->extra); // memory peaks later, with all distance planes in use
    return saves ? iteration_end_ply(it, ply, win.found, lose.found) : report(it, ply, win.found, lose.found);
}

// Is there another ply? If nothing is new, the next one is that in which a guest expects something.
static bool goes_on(struct iteration *it)
{
    struct progress *progress = &it->progress;
    int next = progress->changed ? progress->ply : INT_MAX;
    for (int i = 0; !progress->changed && i < ITERATION_GUESTS; i++) {
        struct iteration_guest *guest = it->guest[i];
        const int ply = guest == NULL || guest->next == NULL ? INT_MAX : guest->next(guest, it, progress->ply);
        next = ply < next ? ply : next;
    }
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
        TRY(begin(it));
        const struct step ends = {.side = it->defender, .fresh = it->lost_new[0], .found = 1};
        EACH_GUEST(it, counted, (guest, it, &ends));
        progress->ply = 1;
        TRY(next_ply(it, true));
        progress->stage = STAGE_EARLY;
        TRY(next_ply(it, false)); // a checkmate counts as a change
    }
    if (progress->stage == STAGE_EARLY) {
        while (goes_on(it) && progress->ply <= PLY_LIMIT)
            TRY(next_ply(it, false));
        const bool far = progress->ply > PLY_LIMIT;
        EACH_GUEST(it, decided, (guest, it));
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
        EACH_GUEST(it, save, (guest, it, false));
    }
    while (goes_on(it) && progress->ply <= SOLVER_PLY_MAX)
        TRY(next_ply(it, false));
    if (progress->ply > SOLVER_PLY_MAX)
        return error_set(CLTB_E_USAGE, "no end after %d plies", SOLVER_PLY_MAX);
    EACH_GUEST(it, decided, (guest, it));
    return 0;
}

static void leave(struct iteration *it)
{
    for (int i = 0; i < ITERATION_GUESTS; i++) {
        if (it->guest[i] != NULL && it->guest[i]->leave != NULL)
            it->guest[i]->leave(it->guest[i], it);
    }
}

static void free_planes(struct iteration *it)
{
    struct plane **planes[] = {&it->closed,  &it->lost_new[0], &it->lost_new[1],
                               &it->won_new, &it->extra,       &it->own_illegal};
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++)
        free_plane(it, planes[i]);
}

// All steps for the current attacker, by a guest or here.
static int solve_for(struct iteration *it)
{
    for (int i = 0; i < ITERATION_GUESTS; i++) {
        if (it->guest[i] != NULL && it->guest[i]->solve != NULL)
            return it->guest[i]->solve(it->guest[i], it);
    }
    return solve_attacker(it);
}

static int solve(struct iteration *it)
{
    struct progress *progress = &it->progress;
    struct plane **planes[] = {&it->closed, &it->lost_new[0], &it->lost_new[1], &it->won_new};
    const int last = it->options->last_attacker;
    EACH_GUEST(it, restore, (guest, it));
    for (int i = 0; i < 4 && progress->stage == STAGE_BEGIN; i++)
        TRY(it->ops->plane_new(it->backend, planes[i]));
    while (progress->stage < STAGE_SOLVED && progress->done_attackers < COLOURS) {
        if (progress->stage == STAGE_BEGIN)
            iteration_set_attacker(it, progress->done_attackers == 0 ? last ^ 1 : last);
        TRY(solve_for(it));
        TRY(pack(it, it->solution->won[it->attacker]));
        leave(it);
        progress->done_attackers++;
        progress->stage = STAGE_BEGIN;
    }
    if (progress->stage < STAGE_SOLVED) {
        progress->stage = STAGE_SOLVED;
        EACH_GUEST(it, save, (guest, it, true));
    }
    if (progress->stage == STAGE_RESOLVED)
        return 0;
    for (int i = 0; i < COLOURS * DISTANCE_PLANES_MAX; i++)
        TRY(pack(it, it->solution->distance[i % COLOURS][i / COLOURS]));
    if (it->options->keep_resolved)
        TRY(mark_resolved(it));
    free_planes(it); // otherwise they would be kept, too
    progress->stage = STAGE_RESOLVED;
    EACH_GUEST(it, save, (guest, it, true));
    return 0;
}

int iteration_run(struct solution *solution, struct backend *backend, const struct zeroing *zeroing,
                  const struct solver_options *options)
{
    *solution = (struct solution){.backend = backend};
    layout_init_shown(&solution->shown, &backend->layout);
    memcpy(solution->kept, options->keep_distance, sizeof solution->kept);
    memset(solution->longest, 0xff, sizeof solution->longest);
    struct iteration it = {.solution = solution,
                           .backend = backend,
                           .ops = backend->ops,
                           .options = options,
                           .zeroing = zeroing,
                           .guest = {zeroing->guest, options->guest, backend->guest},
                           .clock = backend->layout.material.metric == METRIC_DTZ};
    const int code = it.clock == (options->metric == NULL)
                         ? solve(&it)
                         : error_set(CLTB_E_USAGE, "the solver is asked for another metric than the layout's");
    leave(&it);
    for (int i = 0; i < ITERATION_GUESTS; i++) {
        if (it.guest[i] != NULL && it.guest[i]->close != NULL)
            it.guest[i]->close(it.guest[i]);
    }
    free_planes(&it);
    if (code != 0)
        solution_free(solution);
    return code;
}
