// stats.c - how many positions of a restricted endgame have which outcome and distance
#include "restricted/check/stats.h"

#include "check/placements.h"
#include "restricted/check/walk.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// The first entry with the largest distance.
struct farthest {
    int plies; // -1: none
    struct restricted_entry at;
};

// What one thread counts.
struct tally {
    uint64_t count[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1];
    struct farthest farthest[COLOURS][TABLE_OUTCOMES];
    struct position position;
};

struct count {
    struct restricted_table *table;
    const struct restricted_index *index;
    struct tally *tally; // [workers]
};

// Should this entry be shown rather than `than`?
static bool farther(int plies, const struct restricted_entry *at, const struct farthest *than)
{
    if (plies != than->plies)
        return plies > than->plies;
    return at->slice != than->at.slice ? at->slice < than->at.slice : at->entry < than->at.entry;
}

static int count_entry(void *context, const struct restricted_entry *at, int worker)
{
    const struct count *count = context;
    struct tally *tally = &count->tally[worker];
    struct position *p = &tally->position;
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
        struct farthest *farthest = &tally->farthest[side][value.outcome + 2];
        tally->count[side][value.outcome + 2][value.dtz] += weight;
        if (value.outcome != CLTB_DRAW && farther(value.dtz, at, farthest))
            *farthest = (struct farthest){value.dtz, *at};
    }
    return 0;
}

int restricted_stats_count(struct restricted_stats *stats, struct restricted_table *table, struct thread_pool *pool)
{
    const int workers = threads_count(pool);
    struct count count = {table, restricted_table_index(table), calloc((size_t)workers, sizeof *count.tally)};
    if (count.tally == NULL)
        return error_memory((size_t)workers * sizeof *count.tally, "counting");
    for (int i = 0; i < workers; i++) {
        for (int slot = 0; slot < TABLE_OUTCOMES; slot++)
            count.tally[i].farthest[WHITE][slot].plies = count.tally[i].farthest[BLACK][slot].plies = -1;
    }
    memset(stats, 0, sizeof *stats);
    int code = restricted_each(count.index, pool, count_entry, &count);
    for (int i = 0; code == 0 && i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const int slot = i % TABLE_OUTCOMES;
        struct farthest best = {.plies = -1};
        for (const struct tally *tally = count.tally; tally < count.tally + workers; tally++) {
            const struct farthest *farthest = &tally->farthest[side][slot];
            for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
                stats->count[side][slot][ply] += tally->count[side][slot][ply];
                stats->total[side][slot] += tally->count[side][slot][ply];
            }
            if (farthest->plies >= 0 && farther(farthest->plies, &farthest->at, &best))
                best = *farthest;
        }
        stats->longest[side][slot].plies = best.plies;
        struct position *p = &count.tally[0].position;
        if (best.plies >= 0 && (code = restricted_set(count.index, best.at.where, side, p)) == 0)
            fen_write(p, stats->longest[side][slot].fen);
    }
    free(count.tally);
    return code;
}
