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
#include "solver/solver.h"

#include "solver/iteration.h"
#include "solver/zeroing.h"
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

// The futurebases of a pawnless endgame.
struct bases {
    struct backend *backend;
    const struct layout *layout;
    int count;
    struct base_entry entry[FUTUREBASES_MAX];
};

// How far the present attacker is, where work can be gone on with.
enum solver_stage {
    STAGE_BEGIN,  // nothing is done
    STAGE_EARLY,  // in the plies of the 50-move rule
    STAGE_LATE,   // in those behind them
    STAGE_SOLVED, // both attackers are done
    STAGE_DECIDED // and the decided planes
};

struct solver {
    struct solution *solution;
    struct backend *backend;
    const struct layout *layout;
    const struct solver_options *options;
    const struct zeroing *zeroing;
    // of the present attacker
    int attacker;
    int defender;
    struct plane *closed;
    struct plane *lost_new[2]; // [ply & 1]
    struct plane *won_new;
    struct plane *extra;            // winning zeroing moves, for the next step of the attacker; NULL most of the time
    struct plane *scratch;          // lost_new[1], before a step writes it
    struct plane *illegal[COLOURS]; // by side to move, while captures are looked at: the other king is en prise
    int done_attackers;
    int ply;      // the next one
    bool changed; // the last one has found anything
    enum solver_stage stage;
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

// ---- futurebases ----

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

// The entry for capturing that piece, or NULL. Two like men share one only if the men that stay behind are in the same order: with
// three like men the first may leave another order than the last.
static struct base_entry *base_for(struct bases *bases, int captured)
{
    const struct layout *layout = bases->layout;
    struct layout sub = {0};
    for (int i = 0; i < bases->count; i++) {
        struct base_entry *entry = &bases->entry[i];
        if (entry->type != layout->type[captured] || entry->colour != layout->colour[captured])
            continue;
        if (entry->bare)
            return entry;
        if (sub_layout(&sub, layout, captured) == 0 && memcmp(sub.type, entry->layout.type, sizeof sub.type) == 0 &&
            memcmp(sub.colour, entry->layout.colour, sizeof sub.colour) == 0)
            return entry;
    }
    return NULL;
}

// From here on "cursed won" means won whatever the 50-move rule says, and "blessed lost" likewise.
static void accumulate(struct base_entry *entry)
{
    const uint64_t words = layout_bits(&entry->layout) / 64;
    for (int side = WHITE; side <= BLACK; side++) {
        for (uint64_t w = 0; entry->base.cursed_won[side] != NULL && w < words; w++)
            entry->base.cursed_won[side][w] |= entry->base.won[side][w];
        for (uint64_t w = 0; entry->base.blessed_lost[side] != NULL && w < words; w++)
            entry->base.blessed_lost[side][w] |= entry->base.lost[side][w];
    }
}

static int load_bases(struct bases *bases, const struct futurebase_source *source, struct zeroing *zeroing)
{
    const struct layout *layout = bases->layout;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->type[i] == KING || layout->type[i] == BLANK || base_for(bases, i) != NULL)
            continue;
        struct base_entry *entry = &bases->entry[bases->count++];
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
                zeroing->cursed = true;
        }
        accumulate(entry);
    }
    return 0;
}

static const uint64_t *base_bits(const struct base_entry *entry, enum zeroing_bits which, int side)
{
    const struct futurebase *base = &entry->base;
    switch (which) {
    case BITS_LOST:
        return base->lost[side];
    case BITS_LOST_EVER:
        return base->blessed_lost[side] != NULL ? base->blessed_lost[side] : base->lost[side];
    case BITS_NOT_WON_EVER:
        return base->cursed_won[side] != NULL ? base->cursed_won[side] : base->won[side];
    default:
        return base->won[side];
    }
}

static int bases_captured(void *context, struct plane *plane, int victim, enum zeroing_bits which)
{
    struct bases *bases = context;
    const struct layout *layout = bases->layout;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->colour[i] != victim || layout->type[i] == KING || layout->type[i] == BLANK)
            continue;
        const struct base_entry *entry = base_for(bases, i);
        const struct import import = {.captured = i,
                                      .sub = &entry->layout,
                                      .bits = entry->bare ? NULL : base_bits(entry, which, victim),
                                      .invert = which == BITS_NOT_WON || which == BITS_NOT_WON_EVER};
        int code = bases->backend->ops->import(bases->backend, plane, &import);
        if (code != 0)
            return code;
    }
    return 0;
}

static int bases_open(struct bases *bases, struct backend *backend, const struct futurebase_source *source,
                      struct zeroing *zeroing)
{
    *bases = (struct bases){.backend = backend, .layout = &backend->layout};
    *zeroing = (struct zeroing){.context = bases, .captured = bases_captured};
    return load_bases(bases, source, zeroing);
}

static void bases_close(struct bases *bases)
{
    for (int i = 0; i < bases->count; i++)
        futurebase_free(&bases->entry[i].base);
}

static void free_plane(struct solver *solver, struct plane **plane)
{
    OPS(solver)->plane_free(solver->backend, *plane);
    *plane = NULL;
}

// ---- pairs of men ----

enum pair_choice { PAIRS_ALL, PAIRS_OF_SIDE, PAIRS_ON_KING };

// All pairs; those of two men of `side`; those of a man of `side` with the enemy king.
static struct men_pairs pairs_of(const struct layout *layout, enum pair_choice choice, int side)
{
    struct men_pairs pairs = {{0}};
    const int men = layout_men(layout);
    for (int p = 0; p < men; p++) {
        for (int q = 0; q < men; q++) {
            const bool own = layout_colour_of(layout, p) == side && layout_colour_of(layout, q) == side;
            const bool on_king = layout_colour_of(layout, p) == side && q == layout_king(layout, side ^ 1);
            if (p == q || (choice == PAIRS_OF_SIDE && !own) || (choice == PAIRS_ON_KING && !on_king))
                continue;
            pairs.with[p] |= (uint16_t)(1U << q);
            pairs.with[q] |= (uint16_t)(1U << p);
        }
    }
    return pairs;
}

static int mark_pairs(struct solver *solver, struct plane *plane, enum pair_choice choice, int side)
{
    const struct men_pairs pairs = pairs_of(solver->layout, choice, side);
    return OPS(solver)->overlaps(solver->backend, plane, &pairs);
}

// ---- before the first ply ----

static int combine(struct solver *solver, struct plane *to, enum plane_operation operation, const struct plane *from)
{
    return OPS(solver)->combine(solver->backend, to, operation, from);
}

enum zeroing_choice { ZEROING_ALL, ZEROING_CAPTURES };

static int add_pawn_moves(struct solver *solver, struct plane *to, int mover, enum zeroing_bits which,
                          enum zeroing_choice choice)
{
    const struct zeroing *zeroing = solver->zeroing;
    if (zeroing->pawn_moves == NULL)
        return 0;
    return zeroing->pawn_moves(zeroing->context, to, mover, which, choice == ZEROING_CAPTURES);
}

// to = the defender's positions with a zeroing move that the attacker cannot punish by a win (`which`: of what kind).
static int holding_moves(struct solver *solver, struct plane *to, enum zeroing_bits which, enum zeroing_choice choice)
{
    struct plane *bits = solver->scratch;
    const int attacker = solver->attacker;
    TRY(OPS(solver)->fill(solver->backend, bits, false));
    TRY(solver->zeroing->captured(solver->zeroing->context, bits, attacker, which));
    TRY(combine(solver, bits, PLANE_AND_NOT, solver->illegal[attacker]));
    TRY(OPS(solver)->pred(solver->backend, to, solver->defender, bits, false));
    return add_pawn_moves(solver, to, solver->defender, which, choice);
}

// extra = the attacker's positions with a zeroing move into one of the lost positions `which`.
static int winning_moves(struct solver *solver, enum zeroing_bits which, enum zeroing_choice choice)
{
    struct plane *bits = solver->scratch;
    const int defender = solver->defender;
    TRY(OPS(solver)->fill(solver->backend, bits, false));
    TRY(solver->zeroing->captured(solver->zeroing->context, bits, defender, which));
    TRY(combine(solver, bits, PLANE_AND_NOT, solver->illegal[defender]));
    TRY(OPS(solver)->pred(solver->backend, solver->extra, solver->attacker, bits, false));
    return add_pawn_moves(solver, solver->extra, solver->attacker, which, choice);
}

// to = the defender's entries without a legal move (kings of no position included).
static int without_moves(struct solver *solver, struct plane *to)
{
    struct plane *refuted = solver->scratch;
    TRY(combine(solver, refuted, PLANE_COPY, solver->illegal[solver->attacker]));
    TRY(mark_pairs(solver, refuted, PAIRS_OF_SIDE, solver->defender));
    TRY(mark_pairs(solver, refuted, PAIRS_ON_KING, solver->defender));
    struct plane *movable = solver->extra;
    TRY(OPS(solver)->pred(solver->backend, movable, solver->defender, refuted, true));
    TRY(add_pawn_moves(solver, movable, solver->defender, BITS_LEGAL, ZEROING_ALL));
    return combine(solver, to, PLANE_COPY_NOT, movable);
}

static int find_illegal(struct solver *solver, struct plane *with_attacker_to_move, struct plane *with_defender_to_move)
{
    solver->illegal[solver->attacker] = with_attacker_to_move;
    solver->illegal[solver->defender] = with_defender_to_move;
    for (int side = WHITE; side <= BLACK; side++)
        TRY(OPS(solver)->attacks(solver->backend, solver->illegal[side], side));
    return 0;
}

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
    TRY(find_illegal(solver, won, illegal));
    TRY(without_moves(solver, solver->closed));
    TRY(combine(solver, mates, PLANE_COPY, solver->closed));
    TRY(combine(solver, mates, PLANE_AND, won)); // in check
    if (solver->options->keep_slabs) {
        TRY(keep_copy(solver, stalemate, solver->closed));
        TRY(combine(solver, *stalemate, PLANE_AND_NOT, won));
    }
    TRY(holding_moves(solver, solver->extra, BITS_NOT_WON, ZEROING_ALL));
    TRY(combine(solver, solver->closed, PLANE_OR, solver->extra));
    TRY(winning_moves(solver, BITS_LOST, ZEROING_ALL));
    TRY(mark_pairs(solver, won, PAIRS_ALL, 0));
    TRY(mark_pairs(solver, illegal, PAIRS_ALL, 0));
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
    const int shown = keep ? ply : ply > SOLVER_PLY_LIMIT ? SOLVER_PLY_LIMIT + 1 : 1;
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
    const bool cursed = ply > SOLVER_PLY_LIMIT;
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

// ---- going on after a kill ----

enum { NO_PLANE = 0xff };

// What is saved beside the planes; only read by the program that wrote it (see `size` and `version`).
struct saved {
    uint32_t size;
    uint32_t version;
    uint8_t kept[COLOURS];
    uint8_t keep_decided;
    uint8_t keep_slabs;
    int32_t last_attacker;
    int32_t done_attackers;
    int32_t attacker;
    int32_t ply;
    int32_t changed;
    int32_t stage;
    uint8_t closed;
    uint8_t lost_new[2];
    uint8_t won_new;
    uint8_t won[COLOURS];
    uint8_t decided[COLOURS];
    uint8_t distance[COLOURS][DISTANCE_PLANES_MAX];
    int32_t codes[COLOURS][COLOURS];
    int32_t longest[COLOURS][5];
    uint64_t plies;
    solver_value value[COLOURS][COLOURS][DISTANCE_CODES];
};

enum { SAVED_VERSION = 1 };

static uint8_t number_of(const struct solver *solver, const struct plane *plane)
{
    return plane == NULL ? NO_PLANE : (uint8_t)solver->backend->keeper->number(plane);
}

static void describe_work(const struct solver *solver, struct saved *saved)
{
    const struct solution *solution = solver->solution;
    const struct solver_options *options = solver->options;
    memset(saved, 0, sizeof *saved);
    saved->size = sizeof *saved;
    saved->version = SAVED_VERSION;
    saved->keep_decided = options->keep_decided;
    saved->keep_slabs = options->keep_slabs;
    saved->last_attacker = options->last_attacker;
    saved->done_attackers = solver->done_attackers;
    saved->attacker = solver->attacker;
    saved->ply = solver->ply;
    saved->changed = solver->changed;
    saved->stage = (int32_t)solver->stage;
    saved->closed = number_of(solver, solver->closed);
    saved->won_new = number_of(solver, solver->won_new);
    for (int i = 0; i < 2; i++) {
        saved->kept[i] = options->keep_distance[i];
        saved->lost_new[i] = number_of(solver, solver->lost_new[i]);
        saved->won[i] = number_of(solver, solution->won[i]);
        saved->decided[i] = number_of(solver, solution->decided[i]);
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            saved->distance[i][bit] = number_of(solver, solution->distance[i][bit]);
    }
    memcpy(saved->codes, solution->codes, sizeof saved->codes);
    memcpy(saved->longest, solution->longest, sizeof saved->longest);
    memcpy(saved->value, solution->value, sizeof saved->value);
    saved->plies = solution->plies;
}

// Between two plies, where the backend can keep its planes.
static int save_work(const struct solver *solver, bool now)
{
    const struct backend_keeper *keeper = solver->backend->keeper;
    struct saved saved;
    if (keeper == NULL)
        return 0;
    describe_work(solver, &saved);
    return keeper->save(solver->backend, &saved, sizeof saved, now);
}

static int save_at(struct solver *solver, enum solver_stage stage, bool now)
{
    solver->stage = stage;
    return save_work(solver, now);
}

static struct plane *plane_numbered(const struct solver *solver, uint8_t number)
{
    return number == NO_PLANE ? NULL : solver->backend->keeper->plane(solver->backend, number);
}

static bool same_work(const struct solver *solver, const struct saved *saved)
{
    const struct solver_options *options = solver->options;
    return saved->version == SAVED_VERSION && saved->kept[WHITE] == options->keep_distance[WHITE] &&
           saved->kept[BLACK] == options->keep_distance[BLACK] && saved->keep_decided == options->keep_decided &&
           saved->keep_slabs == options->keep_slabs && saved->last_attacker == options->last_attacker &&
           saved->done_attackers >= 0 && saved->done_attackers <= COLOURS && saved->stage > STAGE_BEGIN &&
           saved->stage <= STAGE_DECIDED && saved->ply >= 0 && saved->ply <= SOLVER_PLY_MAX + 1;
}

// Takes up what an earlier run has saved; without that, nothing changes.
static int take_up(struct solver *solver)
{
    const struct backend_keeper *keeper = solver->backend->keeper;
    struct solution *solution = solver->solution;
    struct saved saved;
    size_t bytes = 0;
    const void *found = keeper == NULL ? NULL : keeper->saved(solver->backend, &bytes);
    if (found == NULL)
        return 0;
    if (bytes == sizeof saved)
        memcpy(&saved, found, sizeof saved);
    if (bytes != sizeof saved || saved.size != sizeof saved || !same_work(solver, &saved))
        return error_set(CLTB_E_CORRUPT, "the work of an earlier run is of another kind: remove its files");
    solver->done_attackers = saved.done_attackers;
    solver->attacker = saved.attacker & 1;
    solver->defender = solver->attacker ^ 1;
    solver->ply = saved.ply;
    solver->changed = saved.changed != 0;
    solver->stage = (enum solver_stage)saved.stage;
    solver->closed = plane_numbered(solver, saved.closed);
    solver->won_new = plane_numbered(solver, saved.won_new);
    for (int i = 0; i < 2; i++) {
        solver->lost_new[i] = plane_numbered(solver, saved.lost_new[i]);
        solution->won[i] = plane_numbered(solver, saved.won[i]);
        solution->decided[i] = plane_numbered(solver, saved.decided[i]);
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            solution->distance[i][bit] = plane_numbered(solver, saved.distance[i][bit]);
    }
    memcpy(solution->codes, saved.codes, sizeof saved.codes);
    memcpy(solution->longest, saved.longest, sizeof saved.longest);
    memcpy(solution->value, saved.value, sizeof saved.value);
    solution->plies = saved.plies;
    if (solver->stage < STAGE_DECIDED &&
        (solver->closed == NULL || solver->won_new == NULL || solver->lost_new[0] == NULL ||
         solver->lost_new[1] == NULL || solution->won[solver->attacker] == NULL))
        return error_set(CLTB_E_CORRUPT, "the work of an earlier run lacks planes: remove its files");
    return 0;
}

// ---- plies ----

// One ply, told and saved. Who stops the solver here loses nothing.
static int next_ply(struct solver *solver, bool fresh_look, const struct plane *extra)
{
    uint64_t found[2]; // won, lost
    const int ply = solver->ply;
    TRY(one_ply(solver, ply, fresh_look, extra, found));
    solver->changed = found[0] + found[1] > 0;
    solver->ply++;
    if (extra == NULL) // what such a ply needs is not kept
        TRY(save_work(solver, false));
    const int code = report(solver, ply, found[0], found[1]);
    if (code == CLTB_E_INTERRUPTED && extra == NULL)
        TRY(save_work(solver, true));
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
        code = find_illegal(solver, illegal[0], illegal[1]);
    if (code == 0)
        code = holding_moves(solver, solver->extra, BITS_NOT_WON, ZEROING_ALL);
    if (code == 0)
        code = combine(solver, solver->won_new, PLANE_COPY, solver->extra);
    if (code == 0)
        code = holding_moves(solver, solver->extra, BITS_NOT_WON_EVER, ZEROING_ALL);
    if (code == 0)
        code = combine(solver, solver->won_new, PLANE_AND_NOT, solver->extra);
    if (code == 0)
        code = winning_moves(solver, BITS_LOST_EVER, ZEROING_ALL);
    // What is no position stays closed, whatever its moves may seem to be.
    if (code == 0)
        code = mark_pairs(solver, illegal[1], PAIRS_ALL, 0);
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
    solver->ply = SOLVER_PLY_LIMIT + 1;
    TRY(next_ply(solver, true, solver->extra));
    free_plane(solver, &solver->extra);
    TRY(save_work(solver, false));
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
    TRY(iterate(solver, SOLVER_PLY_LIMIT));
    const bool far = solver->ply > SOLVER_PLY_LIMIT;
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

static int make_planes(struct solver *solver)
{
    struct plane **planes[] = {&solver->closed, &solver->lost_new[0], &solver->lost_new[1], &solver->won_new};
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++)
        TRY(OPS(solver)->plane_new(solver->backend, planes[i]));
    return 0;
}

static void free_iteration(struct solver *solver)
{
    free_plane(solver, &solver->closed);
    free_plane(solver, &solver->lost_new[0]);
    free_plane(solver, &solver->lost_new[1]);
    free_plane(solver, &solver->won_new);
    free_plane(solver, &solver->extra);
}

// The positions whose outcome a capture gives: capture wins, and draws in which a capture draws.
static int mark_decided(struct solver *solver)
{
    TRY(OPS(solver)->plane_new(solver->backend, &solver->extra));
    solver->defender = solver->attacker ^ 1;
    TRY(find_illegal(solver, solver->closed, solver->lost_new[0]));
    free_plane(solver, &solver->won_new);
    for (int side = WHITE; side <= BLACK; side++) {
        struct plane **decided = &solver->solution->decided[side];
        TRY(OPS(solver)->plane_new(solver->backend, decided));
        solver->attacker = side ^ 1;
        solver->defender = side;
        TRY(holding_moves(solver, *decided, BITS_NOT_WON_EVER, ZEROING_CAPTURES));
        TRY(combine(solver, *decided, PLANE_AND_NOT, solver->solution->won[side]));
        solver->attacker = side;
        solver->defender = side ^ 1;
        TRY(winning_moves(solver, BITS_LOST, ZEROING_CAPTURES));
        TRY(combine(solver, *decided, PLANE_OR, solver->extra));
    }
    return 0;
}

static int solve_attackers(struct solver *solver)
{
    const int last = solver->options->last_attacker;
    if (solver->stage == STAGE_BEGIN)
        TRY(make_planes(solver));
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
    TRY(take_up(solver));
    if (solver->stage < STAGE_SOLVED) {
        TRY(solve_attackers(solver));
        TRY(save_at(solver, STAGE_SOLVED, true));
    }
    solver->scratch = solver->lost_new[1];
    if (solver->stage == STAGE_DECIDED)
        return 0;
    if (solver->options->keep_decided)
        TRY(mark_decided(solver));
    if (solver->backend->keeper == NULL)
        return 0;
    free_iteration(solver); // or its planes would be kept, too
    return save_at(solver, STAGE_DECIDED, true);
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
    free_iteration(&solver);
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

// ---- what captures alone say ----

void capture_verdict_free(struct backend *backend, struct capture_verdict *verdict)
{
    backend->ops->plane_free(backend, verdict->illegal);
    for (int i = 0; i < 2; i++) {
        backend->ops->plane_free(backend, verdict->wins[i]);
        backend->ops->plane_free(backend, verdict->holds[i]);
    }
    *verdict = (struct capture_verdict){NULL};
}

// to = the positions of `side` with a capture into a position with that bit.
static int capture_moves(struct backend *backend, const struct zeroing *zeroing, int side, enum zeroing_bits which,
                         struct plane *bits, struct plane **to)
{
    TRY(backend->ops->plane_new(backend, to));
    TRY(backend->ops->fill(backend, bits, false));
    TRY(zeroing->captured(zeroing->context, bits, side ^ 1, which));
    TRY(backend->ops->pred(backend, *to, side, bits, false));
    return zeroing->pawn_moves == NULL ? 0 : zeroing->pawn_moves(zeroing->context, *to, side, which, true);
}

static int find_verdict(struct backend *backend, const struct zeroing *zeroing, int side, struct plane *bits,
                        struct capture_verdict *verdict)
{
    const struct men_pairs all = pairs_of(&backend->layout, PAIRS_ALL, 0);
    TRY(backend->ops->plane_new(backend, &verdict->illegal));
    TRY(backend->ops->attacks(backend, verdict->illegal, side));
    TRY(backend->ops->overlaps(backend, verdict->illegal, &all));
    TRY(capture_moves(backend, zeroing, side, BITS_LOST, bits, &verdict->wins[0]));
    TRY(capture_moves(backend, zeroing, side, BITS_NOT_WON, bits, &verdict->holds[0]));
    if (!zeroing->cursed)
        return 0;
    TRY(capture_moves(backend, zeroing, side, BITS_LOST_EVER, bits, &verdict->wins[1]));
    return capture_moves(backend, zeroing, side, BITS_NOT_WON_EVER, bits, &verdict->holds[1]);
}

int iteration_captures(struct backend *backend, const struct zeroing *zeroing, int side,
                       struct capture_verdict *verdict)
{
    struct plane *bits = NULL;
    *verdict = (struct capture_verdict){NULL};
    int code = backend->ops->plane_new(backend, &bits);
    if (code == 0)
        code = find_verdict(backend, zeroing, side, bits, verdict);
    backend->ops->plane_free(backend, bits);
    if (code != 0)
        capture_verdict_free(backend, verdict);
    return code;
}

// ---- outcomes of a stored endgame ----

enum settle_operation { SETTLE_OR, SETTLE_AND_NOT };

static void settle_words(uint64_t *to, enum settle_operation operation, const uint64_t *from, size_t words)
{
    for (size_t w = 0; to != NULL && w < words; w++)
        to[w] = operation == SETTLE_OR ? to[w] | from[w] : to[w] & ~from[w];
}

// One attacker: its winning captures are wins, and captures that hold make no loss of the defender's positions.
static int settle_attacker(struct solver *solver, struct futurebase *base, uint64_t *bits)
{
    const struct layout *layout = solver->layout;
    const size_t words = layout_bits(layout) / 64;
    const int attacker = solver->attacker;
    const int defender = solver->defender;
    TRY(winning_moves(solver, BITS_LOST, ZEROING_CAPTURES));
    TRY(OPS(solver)->read(solver->backend, solver->extra, 0, layout->tiles, bits));
    settle_words(base->won[attacker], SETTLE_OR, bits, words);
    settle_words(base->cursed_won[attacker], SETTLE_AND_NOT, bits, words);
    settle_words(base->lost[attacker], SETTLE_AND_NOT, bits, words);
    settle_words(base->blessed_lost[attacker], SETTLE_AND_NOT, bits, words);
    TRY(holding_moves(solver, solver->extra, BITS_NOT_WON_EVER, ZEROING_CAPTURES));
    TRY(OPS(solver)->read(solver->backend, solver->extra, 0, layout->tiles, bits));
    settle_words(base->lost[defender], SETTLE_AND_NOT, bits, words);
    settle_words(base->blessed_lost[defender], SETTLE_AND_NOT, bits, words);
    return 0;
}

static int settle(struct solver *solver, struct futurebase *base, uint64_t *bits)
{
    TRY(make_planes(solver));
    solver->scratch = solver->lost_new[1];
    TRY(OPS(solver)->plane_new(solver->backend, &solver->extra));
    solver->defender = solver->attacker ^ 1;
    TRY(find_illegal(solver, solver->closed, solver->lost_new[0]));
    for (int side = WHITE; side <= BLACK; side++) {
        solver->attacker = side;
        solver->defender = side ^ 1;
        TRY(settle_attacker(solver, base, bits));
    }
    return 0;
}

int solver_settle(struct backend *backend, const struct futurebase_source *source, struct futurebase *base)
{
    struct solution planes = {.backend = backend};
    const struct solver_options options = {.keep_decided = false};
    struct bases bases;
    struct zeroing zeroing;
    struct solver solver = {
        .solution = &planes, .backend = backend, .layout = &backend->layout, .options = &options, .zeroing = &zeroing};
    const size_t bytes = layout_bits(&backend->layout) / 8;
    uint64_t *bits = malloc(bytes);
    int code = bits == NULL ? error_memory(bytes, "a futurebase") : bases_open(&bases, backend, source, &zeroing);
    if (code == 0)
        code = settle(&solver, base, bits);
    if (bits != NULL)
        bases_close(&bases);
    free(bits);
    free_iteration(&solver);
    solution_free(&planes);
    return code;
}

void solution_free(struct solution *solution)
{
    if (solution->backend == NULL)
        return;
    const struct backend_ops *ops = solution->backend->ops;
    for (int side = WHITE; side <= BLACK; side++) {
        ops->plane_free(solution->backend, solution->won[side]);
        ops->plane_free(solution->backend, solution->decided[side]);
        ops->plane_free(solution->backend, solution->won_early[side]);
        ops->plane_free(solution->backend, solution->lost_early[side]);
        ops->plane_free(solution->backend, solution->stalemate[side]);
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            ops->plane_free(solution->backend, solution->distance[side][bit]);
    }
    solution->backend = NULL;
}
