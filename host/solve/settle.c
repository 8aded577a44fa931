// settle.c - completes the outcomes of a stored endgame
#include "solve/solver_inside.h"

#include "solve/capture_bases.h"
#include "util/error.h"

#include <stdlib.h>

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
    TRY(solver_winning_moves(solver, BITS_LOST, ZEROING_CAPTURES));
    TRY(OPS(solver)->read(solver->backend, solver->extra, 0, layout->tiles, bits));
    settle_words(base->won[attacker], SETTLE_OR, bits, words);
    settle_words(base->cursed_won[attacker], SETTLE_AND_NOT, bits, words);
    settle_words(base->lost[attacker], SETTLE_AND_NOT, bits, words);
    settle_words(base->blessed_lost[attacker], SETTLE_AND_NOT, bits, words);
    TRY(solver_holding_moves(solver, solver->extra, BITS_NOT_WON_EVER, ZEROING_CAPTURES));
    TRY(OPS(solver)->read(solver->backend, solver->extra, 0, layout->tiles, bits));
    settle_words(base->lost[defender], SETTLE_AND_NOT, bits, words);
    settle_words(base->blessed_lost[defender], SETTLE_AND_NOT, bits, words);
    return 0;
}

static int settle(struct solver *solver, struct futurebase *base, uint64_t *bits)
{
    TRY(solver_make_planes(solver));
    solver->scratch = solver->lost_new[1];
    TRY(OPS(solver)->plane_new(solver->backend, &solver->extra));
    solver->defender = solver->attacker ^ 1;
    TRY(solver_find_illegal(solver, solver->closed, solver->lost_new[0]));
    for (int side = WHITE; side <= BLACK; side++) {
        solver->attacker = side;
        solver->defender = side ^ 1;
        TRY(settle_attacker(solver, base, bits));
    }
    return 0;
}

int solver_resolve(struct backend *backend, const struct futurebase_source *source, struct futurebase *base)
{
    struct solution planes = {.backend = backend};
    const struct solver_options options = {.keep_resolved = false};
    struct bases bases;
    struct zeroing zeroing;
    struct solver solver = {
        .solution = &planes, .backend = backend, .layout = &backend->layout, .options = &options, .zeroing = &zeroing};
    const size_t bytes = layout_bits(&backend->layout) / 8;
    uint64_t *bits = malloc(bytes);
    if (bits == NULL)
        return error_memory(bytes, "a futurebase");
    int code = bases_open(&bases, backend, source, &zeroing);
    if (code == 0)
        code = settle(&solver, base, bits);
    bases_close(&bases);
    free(bits);
    solver_free_planes(&solver);
    solution_free(&planes);
    return code;
}
