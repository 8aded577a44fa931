// set.c - every position of a set of placements, or some of them
#include "placed/check/set.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/random.h"

#include <stdlib.h>

enum {
    RUN = 4096,       // entries that a thread takes at a time,
    SAMPLE_RUN = 256, // or so many positions drawn at random;
    TRIES = 100000    // for each so many entries are tried
};

struct walk {
    const struct placed_set *set;
    uint64_t *run;             // [sections + 1] the first run of each
    struct position *position; // [workers]
    placed_visit *visit;
    void *context;
    uint64_t sample;
    uint64_t seed;
};

static int visit_run(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    const struct placed_set *set = walk->set;
    uint64_t low = 0;
    for (uint64_t high = set->sections; high - low > 1;) { // run[low] <= item < run[high]
        const uint64_t middle = low + (high - low) / 2;
        if (walk->run[middle] <= item)
            low = middle;
        else
            high = middle;
    }
    const uint64_t first = (item - walk->run[low]) * RUN;
    const uint64_t left = set->entries(set->context, low) - first;
    for (uint64_t entry = first; entry < first + (left < RUN ? left : RUN); entry++) {
        for (int side = WHITE; side <= BLACK; side++) {
            const struct placed_entry at = {low, entry, &walk->position[worker], worker};
            if (set->place(set->context, low, entry, side, at.position))
                TRY(walk->visit(walk->context, &at));
        }
    }
    return 0;
}

static int sample_run(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    const struct placed_set *set = walk->set;
    uint64_t state = walk->seed ^ (item + 1) * UINT64_C(0xd1342543de82ef95);
    for (uint64_t i = item * SAMPLE_RUN; i < (item + 1) * SAMPLE_RUN && i < walk->sample; i++) {
        struct placed_entry at = {0, 0, &walk->position[worker], worker};
        bool legal = false;
        for (int tries = 0; !legal && tries < TRIES; tries++) {
            at.section = random_next(&state) % set->sections;
            at.entry = random_next(&state) % set->entries(set->context, at.section);
            legal = set->place(set->context, at.section, at.entry, (int)(random_next(&state) & 1), at.position);
        }
        if (legal)
            TRY(walk->visit(walk->context, &at));
    }
    return 0;
}

int placed_each(const struct placed_set *set, struct thread_pool *pool, placed_visit *visit, void *context)
{
    struct walk walk = {.set = set, .visit = visit, .context = context};
    int code = memory_new(&walk.run, set->sections + 1, sizeof *walk.run, "sections");
    THEN(code, memory_new(&walk.position, (size_t)threads_count(pool), sizeof *walk.position, "positions"));
    for (uint64_t i = 0; code == 0 && i < set->sections; i++)
        walk.run[i + 1] = walk.run[i] + (set->entries(set->context, i) + RUN - 1) / RUN;
    THEN(code, threads_each(pool, walk.run[set->sections], visit_run, &walk));
    free(walk.run);
    free(walk.position);
    return code;
}

int placed_sample(const struct placed_set *set, uint64_t sample, uint64_t seed, struct thread_pool *pool,
                  placed_visit *visit, void *context)
{
    struct walk walk = {.set = set, .visit = visit, .context = context, .sample = sample, .seed = seed};
    TRY(memory_new(&walk.position, (size_t)threads_count(pool), sizeof *walk.position, "positions"));
    const int code = threads_each(pool, (sample + SAMPLE_RUN - 1) / SAMPLE_RUN, sample_run, &walk);
    free(walk.position);
    return code;
}
