// verify.c - compares the values of a set of placements with what follows from the legal moves
#include "placed/check/verify.h"

#include "chess/fen.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>

struct verify {
    const struct placed_set *set;
    uint64_t *checked; // [workers]
};

int placed_contradiction(const struct position *position, struct cltb_value value, struct cltb_value other,
                         const char *says)
{
    const struct cltb_value values[2] = {value, other};
    char fen[FEN_MAX];
    char text[2][32] = {"draw", "draw"};
    fen_write(position, fen);
    for (int i = 0; i < 2; i++) {
        if (values[i].outcome != CLTB_DRAW)
            snprintf(text[i], sizeof text[i], "%s %d", cltb_outcome_name(values[i].outcome), values[i].dtz);
    }
    return error_set(CLTB_E_MISMATCH, "%s: the table says %s, %s %s", fen, text[0], says, text[1]);
}

static int check(void *context, const struct placed_entry *at)
{
    const struct verify *verify = context;
    const struct placed_set *set = verify->set;
    struct cltb_value value = {.outcome = CLTB_DRAW};
    for (int run = 0; run < set->runs; run++) {
        struct cltb_value right = {.outcome = CLTB_DRAW};
        TRY(set->value(set->context, at, run, &value));
        TRY(set->derive(set->context, at->position, run, &right));
        if (value.outcome != right.outcome || value.dtz != right.dtz)
            return placed_contradiction(at->position, value, right,
                                        set->runs == 1 ? "the legal moves say"
                                        : run == WHITE ? "the legal moves, where White wins what is bounded, say"
                                                       : "the legal moves, where Black wins what is bounded, say");
    }
    verify->checked[at->worker]++;
    return set->also != NULL ? set->also(set->context, at, value) : 0;
}

int placed_verify(const struct placed_set *set, const struct placed_verify_options *options, uint64_t *positions)
{
    const size_t workers = (size_t)threads_count(options->pool);
    struct verify verify = {.set = set};
    *positions = 0;
    TRY(memory_new(&verify.checked, workers, sizeof *verify.checked, "verifying"));
    const int code = options->sample > 0
                         ? placed_sample(set, options->sample, options->seed, options->pool, check, &verify)
                         : placed_each(set, options->pool, check, &verify);
    for (size_t i = 0; code == 0 && i < workers; i++)
        *positions += verify.checked[i];
    free(verify.checked);
    return code;
}
