// solver.c - the iteration: what each side's next ply wins and loses, until nothing changes
//
// For one attacker, with W the positions that the attacker to move wins and "closed" those of the defender to move that can no
// longer become lost (no position, illegal, without a legal move, with a capture that holds, or lost already):
//
//     Lnew(n) = not closed and every quiet move goes to W(n-1)
//     Wnew(n) = not W and some quiet move goes to Lnew(n-1)            [n = 1: or some capture wins]
//
// W starts as the illegal entries and the overlaps, so a move into check or onto an own man never "avoids loss". See
// docs/solver.md for why each of these is right.
#include "solver/solver.h"

#include "util/error.h"

#include <stdlib.h>
#include <string.h>

enum { FUTUREBASES_MAX = 2 * PIECE_TYPES };

struct base_entry {
    int type;
    int colour;
    bool bare; // two kings are left: all draws
    struct layout layout;
    struct futurebase base;
};

struct solver {
    struct solution *solution;
    struct backend *backend;
    const struct layout *layout;
    const struct solver_options *options;
    int bases;
    struct base_entry base[FUTUREBASES_MAX];
    bool cursed_bases;
    // of the present attacker
    int attacker;
    int defender;
    struct plane *closed;
    struct plane *lost_new[2]; // [ply & 1]
    struct plane *won_new;
    struct plane *extra;    // winning captures, for the next step of the attacker
    struct plane *scratch;  //
    int done_attackers;
};

#define OPS(solver) ((solver)->backend->ops)

void futurebase_free(struct futurebase *base)
{
    for (int side = WHITE; side <= BLACK; side++) {
        free(base->won[side]);
        free(base->lost[side]);
        free(base->cursed_won[side]);
        free(base->blessed_lost[side]);
    }
    *base = (struct futurebase){0};
}

// ---- futurebases ---------------------------------------------------------------------------------------------------------

static int sub_layout(struct layout *sub, const struct layout *layout, int captured)
{
    uint8_t type[LAYOUT_PIECES_MAX];
    uint8_t colour[LAYOUT_PIECES_MAX];
    int pieces = 0;
    for (int i = 0; i < layout->pieces; i++) {
        if (i == captured || (layout->type[i] == BLANK && layout->pieces > 3))
            continue;
        type[pieces] = layout->type[i];
        colour[pieces++] = layout->colour[i];
    }
    return layout_init_pieces(sub, pieces, type, colour);
}

static struct base_entry *base_for(struct solver *solver, int captured)
{
    for (int i = 0; i < solver->bases; i++) {
        struct base_entry *entry = &solver->base[i];
        if (entry->type == solver->layout->type[captured] && entry->colour == solver->layout->colour[captured])
            return entry;
    }
    return NULL;
}

static int load_bases(struct solver *solver, const struct futurebase_source *source)
{
    const struct layout *layout = solver->layout;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->type[i] == KING || layout->type[i] == BLANK || base_for(solver, i) != NULL)
            continue;
        struct base_entry *entry = &solver->base[solver->bases++];
        *entry = (struct base_entry){.type = layout->type[i], .colour = layout->colour[i]};
        entry->bare = material_men(&layout->material) == 3;
        if (entry->bare)
            continue;
        int code = sub_layout(&entry->layout, layout, i);
        if (code == 0)
            code = source->load(source->context, &entry->layout, &entry->base);
        if (code != 0)
            return code;
        for (int side = WHITE; side <= BLACK; side++) {
            if (entry->base.cursed_won[side] != NULL || entry->base.blessed_lost[side] != NULL)
                solver->cursed_bases = true;
        }
    }
    return 0;
}

// Which bits of the futurebases an import takes.
enum base_bits { BITS_LOST, BITS_BLESSED_LOST, BITS_NOT_WON, BITS_NOT_CURSED_WON };

static const uint64_t *base_bits(const struct base_entry *entry, enum base_bits which, int side)
{
    switch (which) {
    case BITS_LOST:
        return entry->base.lost[side];
    case BITS_BLESSED_LOST:
        return entry->base.blessed_lost[side];
    case BITS_NOT_WON:
        return entry->base.won[side];
    default:
        return entry->base.cursed_won[side];
    }
}

// plane |= bits of the futurebases in which a man of `victim`'s colour has just been captured; `side` is then to move.
static int import_all(struct solver *solver, struct plane *plane, int victim, enum base_bits which, int side)
{
    for (int i = 0; i < solver->layout->pieces; i++) {
        if (solver->layout->colour[i] != victim || solver->layout->type[i] == KING || solver->layout->type[i] == BLANK)
            continue;
        const struct base_entry *entry = base_for(solver, i);
        const struct import import = {.captured = i,
                                      .sub = &entry->layout,
                                      .bits = entry->bare ? NULL : base_bits(entry, which, side),
                                      .invert = which == BITS_NOT_WON || which == BITS_NOT_CURSED_WON};
        int code = OPS(solver)->import(solver->backend, plane, &import);
        if (code != 0)
            return code;
    }
    return 0;
}

// ---- pairs of men --------------------------------------------------------------------------------------------------------

static int colour_of(const struct layout *layout, int man)
{
    return man == layout->pieces ? BLACK : layout->colour[man];
}

static bool is_king(const struct layout *layout, int man)
{
    return man == layout->pieces || layout->type[man] == KING;
}

enum pair_choice { PAIRS_ALL, PAIRS_OF_SIDE, PAIRS_ON_KING };

// All pairs; those of two men of `side`; those of a man of `side` with the enemy king.
static struct men_pairs pairs_of(const struct layout *layout, enum pair_choice choice, int side)
{
    struct men_pairs pairs = {{0}};
    for (int p = 0; p <= layout->pieces; p++) {
        for (int q = 0; q <= layout->pieces; q++) {
            const bool own = colour_of(layout, p) == side && colour_of(layout, q) == side;
            const bool on_king = colour_of(layout, p) == side && colour_of(layout, q) != side && is_king(layout, q);
            if (p == q || (choice == PAIRS_OF_SIDE && !own) || (choice == PAIRS_ON_KING && !on_king))
                continue;
            pairs.with[p] |= (uint8_t)(1U << q);
            pairs.with[q] |= (uint8_t)(1U << p);
        }
    }
    return pairs;
}

static int mark_pairs(struct solver *solver, struct plane *plane, enum pair_choice choice, int side)
{
    const struct men_pairs pairs = pairs_of(solver->layout, choice, side);
    return OPS(solver)->overlaps(solver->backend, plane, &pairs);
}

// ---- before the first ply ------------------------------------------------------------------------------------------------

#define TRY(call)                                                                                                               \
    do {                                                                                                                        \
        int try_code = (call);                                                                                                  \
        if (try_code != 0)                                                                                                      \
            return try_code;                                                                                                    \
    } while (0)

static int combine(struct solver *solver, struct plane *to, enum plane_operation operation, const struct plane *from)
{
    return OPS(solver)->combine(solver->backend, to, operation, from);
}

// to = the defender's positions with a capture that the attacker cannot punish by a win (`which`: of what kind).
static int holding_captures(struct solver *solver, struct plane *to, bool cursed_too)
{
    struct plane *bits = solver->scratch;
    const int attacker = solver->attacker;
    TRY(OPS(solver)->fill(solver->backend, bits, false));
    TRY(import_all(solver, bits, attacker, BITS_NOT_WON, attacker));
    if (cursed_too) {
        TRY(OPS(solver)->fill(solver->backend, to, false));
        TRY(import_all(solver, to, attacker, BITS_NOT_CURSED_WON, attacker));
        TRY(combine(solver, bits, PLANE_AND, to));
    }
    TRY(combine(solver, bits, PLANE_AND_NOT, solver->solution->illegal[attacker]));
    return OPS(solver)->pred(solver->backend, to, solver->defender, bits, false);
}

// extra = the attacker's positions with a capture into one of the lost positions `which`.
static int winning_captures(struct solver *solver, enum base_bits which)
{
    struct plane *bits = solver->scratch;
    TRY(OPS(solver)->fill(solver->backend, bits, false));
    TRY(import_all(solver, bits, solver->defender, which, solver->defender));
    TRY(combine(solver, bits, PLANE_AND_NOT, solver->solution->illegal[solver->defender]));
    return OPS(solver)->pred(solver->backend, solver->extra, solver->attacker, bits, false);
}

// to = the defender's entries without a legal move (kings of no position included).
static int without_moves(struct solver *solver, struct plane *to)
{
    struct plane *refuted = solver->scratch;
    TRY(combine(solver, refuted, PLANE_COPY, solver->solution->illegal[solver->attacker]));
    TRY(mark_pairs(solver, refuted, PAIRS_OF_SIDE, solver->defender));
    TRY(mark_pairs(solver, refuted, PAIRS_ON_KING, solver->defender));
    struct plane *movable = solver->extra;
    TRY(OPS(solver)->pred(solver->backend, movable, solver->defender, refuted, true));
    TRY(OPS(solver)->fill(solver->backend, to, false));
    return combine(solver, to, PLANE_OR_NOT, movable);
}

// Sets W(0), closed, Lnew(0) = the mates, and the captures that win at ply 1.
static int begin(struct solver *solver)
{
    struct solution *solution = solver->solution;
    struct plane *won = solution->won[solver->attacker];
    struct plane *mates = solver->lost_new[0];
    struct plane *stuck = solver->closed;
    TRY(without_moves(solver, stuck));
    TRY(OPS(solver)->fill(solver->backend, won, false));
    TRY(mark_pairs(solver, won, PAIRS_ALL, 0));

    TRY(combine(solver, mates, PLANE_COPY, stuck));
    TRY(combine(solver, mates, PLANE_AND, solution->illegal[solver->attacker])); // in check
    TRY(combine(solver, mates, PLANE_AND_NOT, solution->illegal[solver->defender]));
    TRY(combine(solver, mates, PLANE_AND_NOT, won)); // overlaps

    TRY(combine(solver, solver->closed, PLANE_OR, solution->illegal[solver->defender]));
    TRY(combine(solver, solver->closed, PLANE_OR, won));
    TRY(combine(solver, won, PLANE_OR, solution->illegal[solver->attacker]));
    TRY(holding_captures(solver, solver->extra, false));
    TRY(combine(solver, solver->closed, PLANE_OR, solver->extra));
    return winning_captures(solver, BITS_LOST);
}

// ---- distances -----------------------------------------------------------------------------------------------------------

// The n-th code, n >= 1: all codes below 2^6 before those below 2^7 and so on, each time those with few bits first, because
// every bit costs a pass over a plane and most endgames have fewer than 64 plies of one kind.
static unsigned code_number(int n)
{
    unsigned low = 1;
    unsigned high = 64;
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
    const int shown = keep ? ply : ply > SOLVER_PLY_LIMIT ? SOLVER_PLY_LIMIT + 1 : 1;
    const solver_value value = solver_value_make(won, shown);
    int *codes = &solution->codes[side][won];
    unsigned code = 0;
    for (unsigned c = 1; !keep && c < 4; c++) {
        if (solution->value[side][won][c] == value)
            code = c;
    }
    if (code == 0) {
        if (*codes + 1 >= DISTANCE_CODES)
            return error_set(CLTB_E_USAGE, "more than %d different distances", DISTANCE_CODES - 1);
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

// ---- the iteration -------------------------------------------------------------------------------------------------------

static int run_step(struct solver *solver, struct step *step, bool won, int ply)
{
    TRY(assign_code(solver, step->side, won, ply, step));
    TRY(OPS(solver)->step(solver->backend, step));
    if (step->found == 0)
        withdraw_code(solver, step->side, won);
    solver->solution->plies++;
    return 0;
}

// Mates are found already; they still need their distance.
static int record_mates(struct solver *solver)
{
    struct step step = {.side = solver->defender};
    TRY(assign_code(solver, solver->defender, false, 0, &step));
    for (int i = 0; i < step.planes; i++)
        TRY(combine(solver, step.plane[i], PLANE_OR, solver->lost_new[0]));
    return 0;
}

static int report(struct solver *solver, int ply, uint64_t won, uint64_t lost)
{
    const struct solver_options *options = solver->options;
    if (options->progress == NULL)
        return 0;
    const double within = 1.0 - 1.0 / (1.0 + ply / 20.0); // plies to come are not known; the early ones are the dear ones
    const struct solver_ply now = {solver->attacker, ply, won, lost, (solver->done_attackers + within) / 2};
    if (options->progress(options->context, &now) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted at ply %d", ply);
    return 0;
}

// One ply: the defender's losses by W(n-1), then the attacker's wins by Lnew(n-1).
static int one_ply(struct solver *solver, int ply, bool fresh_look, const struct plane *extra, bool *changed)
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
    *changed = lose.found + win.found > 0;
    return report(solver, ply, win.found, lose.found);
}

// From `ply` on, until nothing changes or the last ply of the range; *ply is then the next one.
static int iterate(struct solver *solver, int *ply, int last)
{
    bool changed = true;
    for (; changed && *ply <= last; ++*ply)
        TRY(one_ply(solver, *ply, false, NULL, &changed));
    return 0;
}

// Ply 101: captures into cursed wins no longer save the defender from being lost without the 50-move rule.
static int open_cursed(struct solver *solver)
{
    if (solver->cursed_bases) {
        struct plane *holding = solver->extra;
        TRY(holding_captures(solver, holding, false));
        TRY(combine(solver, solver->won_new, PLANE_COPY, holding));
        TRY(holding_captures(solver, holding, true));
        TRY(combine(solver, solver->won_new, PLANE_AND_NOT, holding));
        TRY(combine(solver, solver->closed, PLANE_AND_NOT, solver->won_new));
        TRY(winning_captures(solver, BITS_BLESSED_LOST));
    }
    bool changed;
    int ply = SOLVER_PLY_LIMIT + 1;
    TRY(one_ply(solver, ply, true, solver->cursed_bases ? solver->extra : NULL, &changed));
    ply++;
    if (changed)
        TRY(iterate(solver, &ply, SOLVER_PLY_MAX));
    if (ply > SOLVER_PLY_MAX)
        return error_set(CLTB_E_USAGE, "no end after %d plies", SOLVER_PLY_MAX);
    return 0;
}

static int clear_plane(struct solver *solver, struct plane *plane)
{
    return OPS(solver)->fill(solver->backend, plane, false);
}

static int solve_attacker(struct solver *solver, int attacker)
{
    solver->attacker = attacker;
    solver->defender = attacker ^ 1;
    TRY(OPS(solver)->plane_new(solver->backend, &solver->solution->won[attacker]));
    TRY(begin(solver));
    TRY(record_mates(solver));
    bool changed;
    TRY(one_ply(solver, 1, true, solver->extra, &changed));
    int ply = 2; // the mates count as a change
    TRY(one_ply(solver, ply++, false, NULL, &changed));
    if (changed)
        TRY(iterate(solver, &ply, SOLVER_PLY_LIMIT));
    const bool far = ply > SOLVER_PLY_LIMIT;
    if (far || solver->cursed_bases) {
        if (!far) { // the planes of the last ply are empty by now, whatever parity ply 101 looks at
            TRY(clear_plane(solver, solver->lost_new[0]));
            TRY(clear_plane(solver, solver->lost_new[1]));
        }
        TRY(open_cursed(solver));
    }
    solver->done_attackers++;
    return 0;
}

static int make_planes(struct solver *solver)
{
    struct plane **planes[] = {&solver->solution->illegal[WHITE],
                               &solver->solution->illegal[BLACK],
                               &solver->closed,
                               &solver->lost_new[0],
                               &solver->lost_new[1],
                               &solver->won_new,
                               &solver->extra,
                               &solver->scratch};
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++)
        TRY(OPS(solver)->plane_new(solver->backend, planes[i]));
    return 0;
}

static void free_planes(struct solver *solver)
{
    struct plane *planes[] = {solver->closed,  solver->lost_new[0], solver->lost_new[1],
                              solver->won_new, solver->extra,       solver->scratch};
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++)
        OPS(solver)->plane_free(solver->backend, planes[i]);
    for (int i = 0; i < solver->bases; i++)
        futurebase_free(&solver->base[i].base);
}

static int solve(struct solver *solver, const struct futurebase_source *source)
{
    TRY(load_bases(solver, source));
    TRY(make_planes(solver));
    for (int side = WHITE; side <= BLACK; side++)
        TRY(OPS(solver)->attacks(solver->backend, solver->solution->illegal[side], side));
    TRY(solve_attacker(solver, WHITE));
    return solve_attacker(solver, BLACK);
}

int solver_solve(struct solution *solution, struct backend *backend, const struct futurebase_source *source,
                 const struct solver_options *options)
{
    *solution = (struct solution){.backend = backend};
    struct solver solver = {
        .solution = solution, .backend = backend, .layout = &backend->layout, .options = options};
    int code = solve(&solver, source);
    free_planes(&solver);
    if (code != 0)
        solution_free(solution);
    return code;
}

void solution_free(struct solution *solution)
{
    if (solution->backend == NULL)
        return;
    const struct backend_ops *ops = solution->backend->ops;
    for (int side = WHITE; side <= BLACK; side++) {
        ops->plane_free(solution->backend, solution->illegal[side]);
        ops->plane_free(solution->backend, solution->won[side]);
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            ops->plane_free(solution->backend, solution->distance[side][bit]);
    }
    solution->backend = NULL;
}
