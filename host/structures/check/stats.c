// stats.c - how many positions of a file of structures have which outcome and distance
#include "structures/check/stats.h"

#include "structures/check/walk.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

struct counting {
    struct structure_file *file;
    struct structure_stats *of; // [workers]
};

static int count_one(void *context, const struct structure_place *at, int worker)
{
    const struct counting *counting = context;
    struct structure_stats *stats = &counting->of[worker];
    const int side = at->position->side;
    struct cltb_value value[STRUCTURE_RUNS];
    if (!at->first)
        return 0;
    for (int winner = WHITE; winner <= BLACK; winner++)
        TRY(structure_file_stored(counting->file, at->number, winner, at->position, &value[winner]));
    if (value[WHITE].outcome != value[BLACK].outcome) {
        stats->undecided[side]++;
        return 0;
    }
    const int dtz = value[WHITE].dtz < value[BLACK].dtz ? value[WHITE].dtz : value[BLACK].dtz;
    const int slot = value[WHITE].outcome + 2;
    struct structure_longest *longest = &stats->longest[side][slot];
    stats->bounds[side] += value[WHITE].dtz != value[BLACK].dtz;
    stats->count[side][slot][dtz]++;
    if (value[WHITE].outcome != CLTB_DRAW && dtz + 1 > longest->plies) {
        longest->plies = dtz + 1; // 0: none yet
        fen_write(at->position, longest->fen);
    } else if (value[WHITE].outcome != CLTB_DRAW && dtz + 1 == longest->plies) {
        char fen[FEN_MAX];
        fen_write(at->position, fen);
        if (strcmp(fen, longest->fen) < 0)
            memcpy(longest->fen, fen, sizeof fen);
    }
    return 0;
}

static void add(struct structure_stats *to, const struct structure_stats *from)
{
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const int slot = i % TABLE_OUTCOMES;
        const struct structure_longest *longest = &from->longest[side][slot];
        struct structure_longest *best = &to->longest[side][slot];
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++)
            to->count[side][slot][ply] += from->count[side][slot][ply];
        if (longest->plies > best->plies ||
            (longest->plies == best->plies && longest->plies > 0 && strcmp(longest->fen, best->fen) < 0))
            *best = *longest;
    }
    for (int side = WHITE; side <= BLACK; side++) {
        to->undecided[side] += from->undecided[side];
        to->bounds[side] += from->bounds[side];
    }
}

int structure_stats_count(struct structure_stats *stats, struct structure_file *file, struct thread_pool *pool)
{
    const int workers = threads_count(pool);
    struct counting counting = {.file = file};
    memset(stats, 0, sizeof *stats);
    TRY(memory_new(&counting.of, (size_t)workers, sizeof *counting.of, "counting"));
    const int code = structure_positions_each(file, pool, count_one, &counting);
    for (int i = 0; i < workers; i++)
        add(stats, &counting.of[i]);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++)
        stats->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES].plies--;
    free(counting.of);
    return code;
}
