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
            pairs.with[p] |= 1U << q;
            pairs.with[q] |= 1U << p;
        }
    }
    return backend->ops->overlaps(backend, plane, &pairs);
}

int zeroing_find(struct backend *backend, const struct zeroing *zeroing, struct plane *to, int mover,
                 enum zeroing_bits which, bool captures_only, struct plane *scratch, const struct plane *illegal)
{
    const struct backend_ops *ops = backend->ops;
    TRY(ops->fill(backend, scratch, false));
    TRY(zeroing->captured(zeroing->context, scratch, mover ^ 1, which));
    if (illegal != NULL)
        TRY(ops->combine(backend, scratch, PLANE_AND_NOT, illegal));
    TRY(ops->pred(backend, to, mover, scratch, false));
    return zeroing->pawn_moves == NULL ? 0 : zeroing->pawn_moves(zeroing->context, to, mover, which, captures_only);
}

// ---- what captures alone say ----

void capture_verdict_free(struct backend *backend, struct plane *verdict[VERDICT_PLANES])
{
    for (int i = 0; i < VERDICT_PLANES; i++) {
        backend->ops->plane_free(backend, verdict[i]);
        verdict[i] = NULL;
    }
}

int capture_verdict_find(struct backend *backend, const struct zeroing *zeroing, int side, const struct plane *illegal,
                         struct plane *verdict[VERDICT_PLANES])
{
    static const enum zeroing_bits which[] = {[VERDICT_WINS] = BITS_LOST,
                                              [VERDICT_HOLDS] = BITS_NOT_WON,
                                              [VERDICT_WINS_EVER] = BITS_LOST_EVER,
                                              [VERDICT_HOLDS_EVER] = BITS_NOT_WON_EVER};
    const struct backend_ops *ops = backend->ops;
    const int planes = zeroing == NULL ? VERDICT_WINS : zeroing->cursed ? VERDICT_PLANES : VERDICT_WINS_EVER;
    struct plane *scratch = NULL;
    for (int i = 0; i < VERDICT_PLANES; i++)
        verdict[i] = NULL;
    int code = ops->plane_new(backend, &scratch);
    for (int i = 0; code == 0 && i < planes; i++)
        code = ops->plane_new(backend, &verdict[i]);
    THEN(code, ops->attacks(backend, verdict[VERDICT_ILLEGAL], side));
    THEN(code, overlaps_mark(backend, verdict[VERDICT_ILLEGAL], PAIRS_ALL, 0));
    for (int i = VERDICT_WINS; code == 0 && i < planes; i++)
        code = zeroing_find(backend, zeroing, verdict[i], side, which[i], true, scratch, illegal);
    ops->plane_free(backend, scratch);
    if (code != 0)
        capture_verdict_free(backend, verdict);
    return code;
}

void outcomes_resolve(const struct outcome_words *outcome, uint64_t *const verdict[VERDICT_PLANES], size_t words)
{
    for (size_t w = 0; w < words; w++) {
        const uint64_t illegal = verdict[VERDICT_ILLEGAL][w];
        const uint64_t won = outcome->won[w];
        const uint64_t lost = outcome->lost[w];
        outcome->won[w] = won | verdict[VERDICT_WINS][w] | illegal;
        outcome->lost[w] = lost & ~verdict[VERDICT_HOLDS][w] & ~illegal;
        if (outcome->illegal != NULL)
            outcome->illegal[w] = illegal;
        if (outcome->won_ever != NULL) {
            outcome->won_ever[w] |= won | verdict[VERDICT_WINS_EVER][w] | illegal;
            outcome->lost_ever[w] = (outcome->lost_ever[w] | lost) & ~verdict[VERDICT_HOLDS_EVER][w] & ~illegal;
        }
    }
}
