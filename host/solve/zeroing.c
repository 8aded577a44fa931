// zeroing.c - captures and pawn moves, as planes
#include "solve/zeroing.h"

#include "util/error.h"

int overlaps_mark(struct backend *backend, struct plane *plane, enum pair_choice choice, int side)
{
    const struct layout *layout = &backend->layout;
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
    return backend->ops->overlaps(backend, plane, &pairs);
}

int zeroing_find(struct backend *backend, const struct zeroing *zeroing, const struct zeroing_moves *moves,
                 struct plane *to)
{
    const struct backend_ops *ops = backend->ops;
    TRY(ops->fill(backend, moves->scratch, false));
    TRY(zeroing->captured(zeroing->context, moves->scratch, moves->mover ^ 1, moves->which));
    if (moves->illegal != NULL)
        TRY(ops->combine(backend, moves->scratch, PLANE_AND_NOT, moves->illegal));
    TRY(ops->pred(backend, to, moves->mover, moves->scratch, false));
    if (zeroing->pawn_moves == NULL)
        return 0;
    return zeroing->pawn_moves(zeroing->context, to, moves->mover, moves->which, moves->captures_only);
}

// ---- what captures alone say ----

void capture_verdict_free(struct backend *backend, struct capture_verdict *verdict)
{
    backend->ops->plane_free(backend, verdict->illegal);
    for (int late = 0; late < 2; late++) {
        backend->ops->plane_free(backend, verdict->wins[late]);
        backend->ops->plane_free(backend, verdict->holds[late]);
    }
    *verdict = (struct capture_verdict){NULL};
}

int capture_verdict_find(struct backend *backend, const struct zeroing *zeroing, int side, const struct plane *illegal,
                         struct capture_verdict *verdict)
{
    const struct {
        enum zeroing_bits which;
        struct plane **plane;
    } wanted[] = {{BITS_LOST, &verdict->wins[0]},
                  {BITS_NOT_WON, &verdict->holds[0]},
                  {BITS_LOST_EVER, &verdict->wins[1]},
                  {BITS_NOT_WON_EVER, &verdict->holds[1]}};
    const struct backend_ops *ops = backend->ops;
    struct plane *scratch = NULL;
    *verdict = (struct capture_verdict){NULL};
    TRY(ops->plane_new(backend, &scratch));
    int code = ops->plane_new(backend, &verdict->illegal);
    if (code == 0)
        code = ops->attacks(backend, verdict->illegal, side);
    if (code == 0)
        code = overlaps_mark(backend, verdict->illegal, PAIRS_ALL, 0);
    for (int i = 0; code == 0 && i < (zeroing->cursed ? 4 : 2); i++) {
        const struct zeroing_moves moves = {side, wanted[i].which, true, scratch, illegal};
        code = ops->plane_new(backend, wanted[i].plane);
        if (code == 0)
            code = zeroing_find(backend, zeroing, &moves, *wanted[i].plane);
    }
    ops->plane_free(backend, scratch);
    if (code != 0)
        capture_verdict_free(backend, verdict);
    return code;
}

void outcomes_resolve(const struct outcome_words *outcome, const struct verdict_words *verdict, size_t words)
{
    for (size_t w = 0; w < words; w++) {
        const uint64_t illegal = verdict->illegal[w];
        const uint64_t won = outcome->won[w];
        const uint64_t lost = outcome->lost[w];
        const uint64_t now_won = won | verdict->wins[0][w] | illegal;
        outcome->won[w] = now_won;
        outcome->lost[w] = lost & ~verdict->holds[0][w] & ~illegal;
        if (outcome->illegal != NULL)
            outcome->illegal[w] = illegal;
        if (outcome->by_capture != NULL)
            outcome->by_capture[w] = verdict->wins[0][w] | (verdict->wins[1][w] & ~now_won);
        if (outcome->won_ever != NULL) {
            outcome->won_ever[w] |= won | verdict->wins[1][w] | illegal;
            outcome->lost_ever[w] = (outcome->lost_ever[w] | lost) & ~verdict->holds[1][w] & ~illegal;
        }
    }
}
