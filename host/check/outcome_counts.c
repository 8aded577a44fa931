// outcome_counts.c - how many positions have which outcome and distance
#include "check/outcome_counts.h"

#include <stdio.h>
#include <string.h>

void counts_clear(struct outcome_counts *counts)
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

void counts_add(struct outcome_counts *counts, const struct position *position, int outcome, int dtz, uint64_t weight)
{
    const int side = position->side;
    struct longest_count *longest = &counts->longest[side][outcome + 2];
    char fen[FEN_MAX];
    counts->count[side][outcome + 2][dtz] += weight;
    if (outcome == CLTB_DRAW || dtz < longest->plies)
        return;
    fen_write(position, fen);
    note_longest(longest, dtz, fen);
}

void counts_join(struct outcome_counts *to, const struct outcome_counts *from)
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
}
