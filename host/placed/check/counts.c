// counts.c - how many positions of a set of placements have which outcome and distance
#include "placed/check/counts.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counting {
    const struct placed_set *set;
    struct outcome_counts *of; // [workers]
};

static void clear(struct outcome_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++)
        counts->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES].plies = -1;
}

static void note_longest(struct longest_count *longest, int plies, const char *fen)
{
    if (plies < longest->plies || (plies == longest->plies && strcmp(fen, longest->fen) >= 0))
        return;
    longest->plies = plies;
    snprintf(longest->fen, sizeof longest->fen, "%s", fen);
}

static int count_one(void *context, const struct placed_entry *at)
{
    const struct counting *counting = context;
    const struct placed_set *set = counting->set;
    struct outcome_counts *counts = &counting->of[at->worker];
    const int side = at->position->side;
    const unsigned weight = set->weight(set->context, at);
    struct cltb_value value[2];
    char fen[FEN_MAX];
    if (weight == 0)
        return 0;
    TRY(set->value(set->context, at, 0, &value[0]));
    value[1] = value[0];
    if (set->runs > 1)
        TRY(set->value(set->context, at, 1, &value[1]));
    if (value[0].outcome != value[1].outcome) {
        counts->undecided[side] += weight;
        return 0;
    }
    const int dtz = value[0].dtz < value[1].dtz ? value[0].dtz : value[1].dtz;
    struct longest_count *longest = &counts->longest[side][value[0].outcome + 2];
    counts->bounds[side] += value[0].dtz != value[1].dtz ? weight : 0;
    counts->count[side][value[0].outcome + 2][dtz] += weight;
    if (value[0].outcome == CLTB_DRAW || dtz < longest->plies)
        return 0;
    fen_write(at->position, fen);
    note_longest(longest, dtz, fen);
    return 0;
}

// The sum does not depend on the order.
static void join(struct outcome_counts *to, const struct outcome_counts *from)
{
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const int slot = i % TABLE_OUTCOMES;
        const struct longest_count *longest = &from->longest[side][slot];
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++)
            to->count[side][slot][ply] += from->count[side][slot][ply];
        if (longest->plies >= 0)
            note_longest(&to->longest[side][slot], longest->plies, longest->fen);
    }
    for (int side = WHITE; side <= BLACK; side++) {
        to->undecided[side] += from->undecided[side];
        to->bounds[side] += from->bounds[side];
    }
}

int placed_count(struct outcome_counts *counts, const struct placed_set *set, struct thread_pool *pool)
{
    const int workers = threads_count(pool);
    struct counting counting = {.set = set};
    TRY(memory_new(&counting.of, (size_t)workers, sizeof *counting.of, "counting"));
    clear(counts);
    for (int i = 0; i < workers; i++)
        clear(&counting.of[i]);
    const int code = placed_each(set, pool, count_one, &counting);
    for (int i = 0; i < workers; i++)
        join(counts, &counting.of[i]);
    free(counting.of);
    return code;
}
