// zeroing_moves.c - captures, pawn moves and what is no position, as planes
#include "solve/solver_inside.h"

#include "solve/iteration.h"
#include "util/error.h"

// ---- pairs of men ----

struct men_pairs solver_pairs(const struct layout *layout, enum pair_choice choice, int side)
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

int solver_mark_pairs(struct solver *solver, struct plane *plane, enum pair_choice choice, int side)
{
    const struct men_pairs pairs = solver_pairs(solver->layout, choice, side);
    return OPS(solver)->overlaps(solver->backend, plane, &pairs);
}

// ---- moves ----

static int add_pawn_moves(struct solver *solver, struct plane *to, int mover, enum zeroing_bits which,
                          enum zeroing_choice choice)
{
    const struct zeroing *zeroing = solver->zeroing;
    if (zeroing->pawn_moves == NULL)
        return 0;
    return zeroing->pawn_moves(zeroing->context, to, mover, which, choice == ZEROING_CAPTURES);
}

int solver_holding_moves(struct solver *solver, struct plane *to, enum zeroing_bits which, enum zeroing_choice choice)
{
    struct plane *bits = solver->scratch;
    const int attacker = solver->attacker;
    TRY(OPS(solver)->fill(solver->backend, bits, false));
    TRY(solver->zeroing->captured(solver->zeroing->context, bits, attacker, which));
    TRY(combine(solver, bits, PLANE_AND_NOT, solver->illegal[attacker]));
    TRY(OPS(solver)->pred(solver->backend, to, solver->defender, bits, false));
    return add_pawn_moves(solver, to, solver->defender, which, choice);
}

int solver_winning_moves(struct solver *solver, enum zeroing_bits which, enum zeroing_choice choice)
{
    struct plane *bits = solver->scratch;
    const int defender = solver->defender;
    TRY(OPS(solver)->fill(solver->backend, bits, false));
    TRY(solver->zeroing->captured(solver->zeroing->context, bits, defender, which));
    TRY(combine(solver, bits, PLANE_AND_NOT, solver->illegal[defender]));
    TRY(OPS(solver)->pred(solver->backend, solver->extra, solver->attacker, bits, false));
    return add_pawn_moves(solver, solver->extra, solver->attacker, which, choice);
}

int solver_without_moves(struct solver *solver, struct plane *to)
{
    struct plane *refuted = solver->scratch;
    TRY(combine(solver, refuted, PLANE_COPY, solver->illegal[solver->attacker]));
    TRY(solver_mark_pairs(solver, refuted, PAIRS_OF_SIDE, solver->defender));
    TRY(solver_mark_pairs(solver, refuted, PAIRS_ON_KING, solver->defender));
    struct plane *movable = solver->extra;
    TRY(OPS(solver)->pred(solver->backend, movable, solver->defender, refuted, true));
    TRY(add_pawn_moves(solver, movable, solver->defender, BITS_LEGAL, ZEROING_ALL));
    return combine(solver, to, PLANE_COPY_NOT, movable);
}

int solver_find_illegal(struct solver *solver, struct plane *with_attacker_to_move, struct plane *with_defender_to_move)
{
    solver->illegal[solver->attacker] = with_attacker_to_move;
    solver->illegal[solver->defender] = with_defender_to_move;
    for (int side = WHITE; side <= BLACK; side++)
        TRY(OPS(solver)->attacks(solver->backend, solver->illegal[side], side));
    return 0;
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
    const struct men_pairs all = solver_pairs(&backend->layout, PAIRS_ALL, 0);
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
