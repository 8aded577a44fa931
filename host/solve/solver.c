// solver.c - the iteration: what each side's next ply wins and loses, until nothing changes
//
// For one attacker, with W the positions that the attacker to move wins and "closed" those of the defender to move that
// can no longer become lost (no position, illegal, without a legal move, with a capture that holds, or lost already):
//
//     Lnew(n) = not closed and every quiet move goes to W(n-1)
//     Wnew(n) = not W and some quiet move goes to Lnew(n-1)            [n = 1: or some capture wins]
//
// W starts as the illegal entries and the overlaps, so a move into check or onto an own man never "avoids loss". See
// docs/solver.md for why each of these is right.
#include "solve/solver.h"

#include "solve/capture_bases.h"
#include "solve/iteration.h"
#include "solve/solver_inside.h"
#include "util/error.h"

#include <string.h>

// ---- before the first ply ----

// A new plane with the contents of another.
static int keep_copy(struct solver *solver, struct plane **copy, const struct plane *plane)
{
    TRY(OPS(solver)->plane_new(solver->backend, copy));
    return combine(solver, *copy, PLANE_COPY, plane);
}

// Sets W(0), closed, Lnew(0) = the mates, and the zeroing moves that win at ply 1. Planes that are not in use yet hold what
// is needed on the way: W itself the illegal entries of the attacker, the new wins those of the defender.
static int begin(struct solver *solver)
{
    struct solution *solution = solver->solution;
    struct plane *won = solution->won[solver->attacker];
    struct plane *mates = solver->lost_new[0];
    struct plane *illegal = solver->won_new;
    struct plane **stalemate = &solution->stalemate[solver->defender];
    TRY(solver_find_illegal(solver, won, illegal));
    TRY(solver_without_moves(solver, solver->closed));
    TRY(combine(solver, mates, PLANE_COPY, solver->closed));
    TRY(combine(solver, mates, PLANE_AND, won)); // in check
    if (solver->options->keep_slabs) {
        TRY(keep_copy(solver, stalemate, solver->closed));
        TRY(combine(solver, *stalemate, PLANE_AND_NOT, won));
    }
    TRY(solver_holding_moves(solver, solver->extra, BITS_NOT_WON, ZEROING_ALL));
    TRY(combine(solver, solver->closed, PLANE_OR, solver->extra));
    TRY(solver_winning_moves(solver, BITS_LOST, ZEROING_ALL));
    TRY(solver_mark_pairs(solver, won, PAIRS_ALL, 0));
    TRY(solver_mark_pairs(solver, illegal, PAIRS_ALL, 0));
    if (solver->options->keep_slabs)
        TRY(combine(solver, *stalemate, PLANE_AND_NOT, illegal));
    TRY(combine(solver, solver->closed, PLANE_OR, illegal));
    return combine(solver, mates, PLANE_AND_NOT, illegal);
}

// ---- distances ----

// The n-th code, n >= 1: all codes below 2^5 before those below 2^6 and so on, each time those with few bits first,
// because every bit costs a pass over a plane and many endgames have fewer than 32 plies of one kind.
static unsigned code_number(int n)
{
    unsigned low = 1;
    unsigned high = 32;
    for (;;) {
        if (n <= (int)(high - low))
            break;
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

// The code of a ply for `side` to move, with the planes of its bits put into the step.
static int assign_code(struct solver *solver, int side, bool won, int ply, struct step *step)
{
    struct solution *solution = solver->solution;
    const bool keep = solver->options->keep_distance[side];
    const int shown = keep ? ply : ply > PLY_LIMIT ? PLY_LIMIT + 1 : 1;
    const solver_value value = solver_value_make(won, shown);
    int *codes = &solution->codes[side][won];
    unsigned code = 0;
    for (unsigned c = 1; !keep && c < 4; c++) {
        if (solution->value[side][won][c] == value)
            code = c;
    }
    if (code == 0) {
        if (*codes + 2 >= DISTANCE_CODES) // the last code has all bits: no place for one more plane of the step
            return error_set(CLTB_E_USAGE, "more than %d different distances", DISTANCE_CODES - 2);
        code = code_number(++*codes);
        solution->value[side][won][code] = value;
    }
    step->planes = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        if (!(code >> bit & 1))
            continue;
        struct plane **plane = &solution->distance[side][bit];
        if (*plane == NULL)
            TRY(OPS(solver)->plane_new(solver->backend, plane));
        step->plane[step->planes++] = *plane;
    }
    return 0;
}

// A ply without new positions gives its code back.
static void withdraw_code(struct solver *solver, int side, bool won)
{
    struct solution *solution = solver->solution;
    if (!solver->options->keep_distance[side])
        return;
    int *codes = &solution->codes[side][won];
    solution->value[side][won][code_number(*codes)] = 0;
    --*codes;
}

// ---- the iteration ----

// Plies come in rising order.
static void note_longest(struct solver *solver, int side, bool won, int ply)
{
    const bool cursed = ply > PLY_LIMIT;
    const int outcome = won ? (cursed ? CLTB_CURSED_WIN : CLTB_WIN) : (cursed ? CLTB_BLESSED_LOSS : CLTB_LOSS);
    solver->solution->longest[side][outcome + 2] = ply;
}

static int run_step(struct solver *solver, struct step *step, bool won, int ply)
{
    TRY(assign_code(solver, step->side, won, ply, step));
    TRY(OPS(solver)->step(solver->backend, step));
    if (step->found == 0)
        withdraw_code(solver, step->side, won);
    else
        note_longest(solver, step->side, won, ply);
    solver->solution->plies++;
    return 0;
}

// Mates are found already; they still need their distance.
static int record_mates(struct solver *solver)
{
    struct step step = {.side = solver->defender};
    TRY(assign_code(solver, solver->defender, false, 0, &step));
    if (OPS(solver)->record != NULL)
        return OPS(solver)->record(solver->backend, step.side, step.plane, step.planes, solver->lost_new[0]);
    for (int i = 0; i < step.planes; i++)
        TRY(combine(solver, step.plane[i], PLANE_OR, solver->lost_new[0]));
    return 0;
}

static int report(struct solver *solver, int ply, uint64_t won, uint64_t lost)
{
    const struct solver_options *options = solver->options;
    if (options->progress == NULL)
        return 0;
    const double within =
        1.0 - 1.0 / (1.0 + ply / 20.0); // plies to come are not known; the early ones are the dear ones
    const struct solver_ply now = {solver->attacker, ply, won, lost, (solver->done_attackers + within) / 2};
    if (options->progress(options->context, &now) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted at ply %d", ply);
    return 0;
}

// One ply: the defender's losses by W(n-1), then the attacker's wins by Lnew(n-1).
static int one_ply(struct solver *solver, int ply, bool fresh_look, const struct plane *extra, uint64_t found[2])
{
    struct step lose = {.side = solver->defender,
                        .invert = true,
                        .in = solver->solution->won[solver->attacker],
                        .only = fresh_look ? NULL : solver->won_new,
                        .closed = solver->closed,
                        .fresh = solver->lost_new[ply & 1]};
    TRY(run_step(solver, &lose, false, ply));
    struct step win = {.side = solver->attacker,
                       .in = solver->lost_new[(ply - 1) & 1],
                       .extra = extra,
                       .closed = solver->solution->won[solver->attacker],
                       .fresh = solver->won_new};
    TRY(run_step(solver, &win, true, ply));
    found[0] = win.found;
    found[1] = lose.found;
    return 0;
}

// ---- plies ----

static int save_at(struct solver *solver, enum solver_stage stage, bool now)
{
    solver->stage = stage;
    return solver_save(solver, now);
}

// One ply, told and saved. Who stops the solver here loses nothing.
static int next_ply(struct solver *solver, bool fresh_look, const struct plane *extra)
{
    uint64_t found[2]; // won, lost
    const int ply = solver->ply;
    TRY(one_ply(solver, ply, fresh_look, extra, found));
    solver->changed = found[0] + found[1] > 0;
    solver->ply++;
    if (extra == NULL) // what such a ply needs is not kept
        TRY(solver_save(solver, false));
    const int code = report(solver, ply, found[0], found[1]);
    if (code == CLTB_E_INTERRUPTED && extra == NULL)
        TRY(solver_save(solver, true));
    return code;
}

// Until nothing changes or the last ply of the range; solver->ply is then the next one.
static int iterate(struct solver *solver, int last)
{
    while (solver->changed && solver->ply <= last)
        TRY(next_ply(solver, false, NULL));
    return 0;
}

// Takes the zeroing moves that hold only by the 50-move rule out of `closed`, and finds those that win but for that rule.
static int relax_zeroing(struct solver *solver)
{
    struct plane *illegal[COLOURS] = {NULL, NULL};
    int code = OPS(solver)->plane_new(solver->backend, &solver->extra);
    for (int i = 0; code == 0 && i < COLOURS; i++)
        code = OPS(solver)->plane_new(solver->backend, &illegal[i]);
    if (code == 0)
        code = solver_find_illegal(solver, illegal[0], illegal[1]);
    if (code == 0)
        code = solver_holding_moves(solver, solver->extra, BITS_NOT_WON, ZEROING_ALL);
    if (code == 0)
        code = combine(solver, solver->won_new, PLANE_COPY, solver->extra);
    if (code == 0)
        code = solver_holding_moves(solver, solver->extra, BITS_NOT_WON_EVER, ZEROING_ALL);
    if (code == 0)
        code = combine(solver, solver->won_new, PLANE_AND_NOT, solver->extra);
    if (code == 0)
        code = solver_winning_moves(solver, BITS_LOST_EVER, ZEROING_ALL);
    // What is no position stays closed, whatever its moves may seem to be.
    if (code == 0)
        code = solver_mark_pairs(solver, illegal[1], PAIRS_ALL, 0);
    if (code == 0)
        code = combine(solver, solver->won_new, PLANE_AND_NOT, illegal[1]);
    if (code == 0)
        code = combine(solver, solver->closed, PLANE_AND_NOT, solver->won_new);
    free_plane(solver, &illegal[0]);
    free_plane(solver, &illegal[1]);
    return code;
}

static int to_the_end(struct solver *solver)
{
    TRY(iterate(solver, SOLVER_PLY_MAX));
    if (solver->ply > SOLVER_PLY_MAX)
        return error_set(CLTB_E_USAGE, "no end after %d plies", SOLVER_PLY_MAX);
    return 0;
}

// Ply 101: zeroing moves into cursed wins no longer save the defender from being lost without the 50-move rule.
static int open_cursed(struct solver *solver)
{
    if (solver->zeroing->cursed)
        TRY(relax_zeroing(solver));
    solver->stage = STAGE_LATE; // from here on this must not be done again
    solver->ply = PLY_LIMIT + 1;
    TRY(next_ply(solver, true, solver->extra));
    free_plane(solver, &solver->extra);
    TRY(solver_save(solver, false));
    return to_the_end(solver);
}

// What holds under the 50-move rule, before the iteration goes on without it.
static int keep_early(struct solver *solver)
{
    struct solution *solution = solver->solution;
    if (!solver->options->keep_slabs)
        return 0;
    const int side = solver->defender;
    struct plane **lost = &solution->lost_early[side];
    TRY(keep_copy(solver, &solution->won_early[solver->attacker], solution->won[solver->attacker]));
    // Lost is what has a code and is not won. If the defender's own wins are not found yet, all codes are losses.
    TRY(OPS(solver)->plane_new(solver->backend, lost));
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        if (solution->distance[side][bit] != NULL)
            TRY(combine(solver, *lost, PLANE_OR, solution->distance[side][bit]));
    }
    return solution->won[side] == NULL ? 0 : combine(solver, *lost, PLANE_AND_NOT, solution->won[side]);
}

static int clear_plane(struct solver *solver, struct plane *plane)
{
    return OPS(solver)->fill(solver->backend, plane, false);
}

// The first two plies; the mates count as a change.
static int first_plies(struct solver *solver, int attacker)
{
    solver->attacker = attacker;
    solver->defender = attacker ^ 1;
    solver->stage = STAGE_BEGIN;
    TRY(OPS(solver)->plane_new(solver->backend, &solver->solution->won[attacker]));
    TRY(OPS(solver)->plane_new(solver->backend, &solver->extra));
    TRY(begin(solver));
    TRY(record_mates(solver));
    solver->ply = 1;
    TRY(next_ply(solver, true, solver->extra));
    free_plane(solver, &solver->extra); // memory peaks later, with all distance planes in use
    solver->stage = STAGE_EARLY;
    return next_ply(solver, false, NULL);
}

// Plies up to the 50-move rule's, and what is behind them where there is anything.
static int later_plies(struct solver *solver)
{
    TRY(iterate(solver, PLY_LIMIT));
    const bool far = solver->ply > PLY_LIMIT;
    if (!far && !solver->zeroing->cursed)
        return 0;
    TRY(keep_early(solver));
    if (!far) { // the planes of the last ply are empty by now, whatever parity ply 101 looks at
        TRY(clear_plane(solver, solver->lost_new[0]));
        TRY(clear_plane(solver, solver->lost_new[1]));
    }
    return open_cursed(solver);
}

// From wherever the present attacker is.
static int finish_attacker(struct solver *solver)
{
    TRY(solver->stage == STAGE_LATE ? to_the_end(solver) : later_plies(solver));
    solver->done_attackers++;
    return 0;
}

int solver_make_planes(struct solver *solver)
{
    struct plane **planes[] = {&solver->closed, &solver->lost_new[0], &solver->lost_new[1], &solver->won_new};
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++)
        TRY(OPS(solver)->plane_new(solver->backend, planes[i]));
    return 0;
}

void solver_free_planes(struct solver *solver)
{
    free_plane(solver, &solver->closed);
    free_plane(solver, &solver->lost_new[0]);
    free_plane(solver, &solver->lost_new[1]);
    free_plane(solver, &solver->won_new);
    free_plane(solver, &solver->extra);
}

// The positions whose outcome a capture gives: capture wins, and draws in which a capture draws.
static int mark_resolved(struct solver *solver)
{
    TRY(OPS(solver)->plane_new(solver->backend, &solver->extra));
    solver->defender = solver->attacker ^ 1;
    TRY(solver_find_illegal(solver, solver->closed, solver->lost_new[0]));
    free_plane(solver, &solver->won_new);
    for (int side = WHITE; side <= BLACK; side++) {
        struct plane **resolved = &solver->solution->resolved[side];
        TRY(OPS(solver)->plane_new(solver->backend, resolved));
        solver->attacker = side ^ 1;
        solver->defender = side;
        TRY(solver_holding_moves(solver, *resolved, BITS_NOT_WON_EVER, ZEROING_CAPTURES));
        TRY(combine(solver, *resolved, PLANE_AND_NOT, solver->solution->won[side]));
        solver->attacker = side;
        solver->defender = side ^ 1;
        TRY(solver_winning_moves(solver, BITS_LOST, ZEROING_CAPTURES));
        TRY(combine(solver, *resolved, PLANE_OR, solver->extra));
    }
    return 0;
}

static int solve_attackers(struct solver *solver)
{
    const int last = solver->options->last_attacker;
    if (solver->stage == STAGE_BEGIN)
        TRY(solver_make_planes(solver));
    solver->scratch = solver->lost_new[1];
    if (solver->stage == STAGE_EARLY || solver->stage == STAGE_LATE)
        TRY(finish_attacker(solver));
    while (solver->done_attackers < COLOURS) {
        TRY(first_plies(solver, solver->done_attackers == 0 ? last ^ 1 : last));
        TRY(finish_attacker(solver));
    }
    return 0;
}

static int solve(struct solver *solver)
{
    TRY(solver_take_up(solver));
    if (solver->stage < STAGE_SOLVED) {
        TRY(solve_attackers(solver));
        TRY(save_at(solver, STAGE_SOLVED, true));
    }
    solver->scratch = solver->lost_new[1];
    if (solver->stage == STAGE_RESOLVED)
        return 0;
    if (solver->options->keep_resolved)
        TRY(mark_resolved(solver));
    if (solver->backend->keeper == NULL)
        return 0;
    solver_free_planes(solver); // or its planes would be kept, too
    return save_at(solver, STAGE_RESOLVED, true);
}

int iteration_run(struct solution *solution, struct backend *backend, const struct zeroing *zeroing,
                  const struct solver_options *options)
{
    *solution = (struct solution){.backend = backend};
    memcpy(solution->kept, options->keep_distance, sizeof solution->kept);
    for (int i = 0; i < 5; i++)
        solution->longest[WHITE][i] = solution->longest[BLACK][i] = -1;
    struct solver solver = {
        .solution = solution, .backend = backend, .layout = &backend->layout, .options = options, .zeroing = zeroing};
    int code = solve(&solver);
    solver_free_planes(&solver);
    if (code != 0)
        solution_free(solution);
    return code;
}

int solver_solve(struct solution *solution, struct backend *backend, const struct futurebase_source *source,
                 const struct solver_options *options)
{
    struct bases bases;
    struct zeroing zeroing;
    *solution = (struct solution){.backend = NULL};
    int code = bases_open(&bases, backend, source, &zeroing);
    if (code == 0)
        code = iteration_run(solution, backend, &zeroing, options);
    bases_close(&bases);
    return code;
}
