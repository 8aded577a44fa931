// stats.c - how many positions of a restricted endgame have which outcome and distance
#include "restricted/check/stats.h"

#include "check/placements.h"
#include "restricted/check/walk.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>

struct worker {
    struct outcome_counts counts;
    struct position position;
};

struct count {
    struct restricted_table *table;
    const struct restricted_index *index;
    struct worker *worker; // [workers]
};

static int count_entry(void *context, const struct restricted_entry *at, int worker)
{
    const struct count *count = context;
    struct position *p = &count->worker[worker].position;
    const unsigned weight = restricted_weight(count->index, at);
    if (weight == 0)
        return 0;
    TRY(restricted_set(count->index, at->where, WHITE, p));
    for (int side = WHITE; side <= BLACK; side++, placement_turn(p)) {
        uint16_t code;
        if (!position_legal(p))
            continue;
        TRY(restricted_table_entry(count->table, at->slice, side, at->entry, &code));
        const struct cltb_value value = value_of_code(code);
        counts_add(&count->worker[worker].counts, p, value.outcome, value.dtz, weight);
    }
    return 0;
}

int restricted_count(struct outcome_counts *counts, struct restricted_table *table, struct thread_pool *pool)
{
    const int workers = threads_count(pool);
    struct count count = {.table = table, .index = restricted_table_index(table)};
    TRY(memory_new(&count.worker, (size_t)workers, sizeof *count.worker, "counting"));
    counts_clear(counts);
    for (int i = 0; i < workers; i++)
        counts_clear(&count.worker[i].counts);
    const int code = restricted_each(count.index, pool, count_entry, &count);
    for (int i = 0; i < workers; i++)
        counts_join(counts, &count.worker[i].counts);
    free(count.worker);
    return code;
}
