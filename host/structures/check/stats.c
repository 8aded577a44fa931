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
    stats->bounds[side] += value[WHITE].dtz != value[BLACK].dtz;
    counts_add(&stats->counts, at->position, value[WHITE].outcome,
               value[WHITE].dtz < value[BLACK].dtz ? value[WHITE].dtz : value[BLACK].dtz, 1);
    return 0;
}

int structure_stats_count(struct structure_stats *stats, struct structure_file *file, struct thread_pool *pool)
{
    const int workers = threads_count(pool);
    struct counting counting = {.file = file};
    TRY(memory_new(&counting.of, (size_t)workers, sizeof *counting.of, "counting"));
    memset(stats, 0, sizeof *stats);
    counts_clear(&stats->counts);
    for (int i = 0; i < workers; i++)
        counts_clear(&counting.of[i].counts);
    const int code = structure_positions_each(file, pool, count_one, &counting);
    for (int i = 0; i < workers; i++) {
        counts_join(&stats->counts, &counting.of[i].counts);
        for (int side = WHITE; side <= BLACK; side++) {
            stats->undecided[side] += counting.of[i].undecided[side];
            stats->bounds[side] += counting.of[i].bounds[side];
        }
    }
    free(counting.of);
    return code;
}
