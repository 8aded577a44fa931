// stats.c - how many positions of a material have which outcome and distance, its longest lines and mutual zugzwangs
//
// The values come from probing every position, or from slabs (stats_slabs.c), which give the same.
#include "check/stats.h"

#include "check/placements.h"
#include "check/stats_slabs.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

struct count {
    cltb_tables *tables;
    struct tally_men men;
    struct tally *tally; // [workers]
};

// ---- by probing ----

static void squares_of(const struct tally_men *men, const struct position *p, uint8_t *square)
{
    for (int i = 0; i < men->count;) {
        const struct man *man = &men->man[i];
        for (int k = 0; k < p->count[man->colour][man->type]; k++)
            square[i++] = p->list[man->colour][man->type][k];
    }
}

static int count_value(struct count *count, const struct placement *placement, struct tally *tally,
                       struct cltb_value value)
{
    struct position *p = placement->position;
    if (value.dtz < 0 || value.dtz > TABLE_PLY_MAX)
        return error_set(CLTB_E_CORRUPT, "a distance of %d plies", value.dtz);
    struct stats_bin *bin = &tally->bin[p->side][value.outcome + 2][value.dtz];
    bin->count += placement->weight;
    bin->diagonal += placement->on_diagonal;
    if (!tally_wants(tally, p->side, value))
        return 0;
    uint8_t square[MATERIAL_MEN_MAX];
    squares_of(&count->men, p, square);
    return tally_note(tally, &count->men, count->tables, p, square, value);
}

// `outcome` is NO_OUTCOME if the side to move could take the king.
enum { NO_OUTCOME = CLTB_WIN + 1 };

static int count_side(struct count *count, const struct placement *placement, struct tally *tally, int *outcome)
{
    struct position *p = placement->position;
    *outcome = NO_OUTCOME;
    if (!position_legal(p))
        return 0;
    // Of like sides White's figures are Black's.
    if (count->men.paired && p->side == BLACK)
        return probe_outcome(count->tables, p, outcome);
    struct cltb_value value;
    TRY(probe_value(count->tables, p, &value));
    *outcome = value.outcome;
    return count_value(count, placement, tally, value);
}

static int visit(void *context, const struct placement *placement, int worker)
{
    struct count *count = context;
    struct tally *tally = &count->tally[worker];
    int white;
    int black;
    TRY(count_side(count, placement, tally, &white));
    placement_turn(placement->position);
    int code = count_side(count, placement, tally, &black);
    placement_turn(placement->position);
    if (code != 0 || white == NO_OUTCOME || black == NO_OUTCOME || !tally_is_zugzwang(white, black))
        return code;
    uint8_t square[MATERIAL_MEN_MAX];
    squares_of(&count->men, placement->position, square);
    return tally_zugzwang(tally, &count->men, square, white, black, placement->weight);
}

// ---- all together ----

static void finish(const struct tally_men *men, struct tally *sum, struct stats *stats)
{
    memcpy(stats->bin, sum->bin, sizeof stats->bin);
    if (men->paired)
        memcpy(stats->bin[BLACK], stats->bin[WHITE], sizeof stats->bin[BLACK]);
    for (int side = WHITE; side <= BLACK; side++) {
        for (int slot = 0; slot < TABLE_OUTCOMES; slot++) {
            const struct tally_longest *longest = &sum->longest[side][slot];
            struct stats_longest *to = &stats->longest[side][slot];
            *to = (struct stats_longest){.plies = longest->plies, .zeroing = longest->zeroing};
            if (longest->plies < 0)
                continue;
            to->file = men->pawns > 0 ? (int)(longest->key >> 6 * men->count) : 0;
            tally_fen(men, longest->key, side, to->fen);
        }
    }
    memcpy(stats->zugzwangs, sum->zugzwangs, sizeof stats->zugzwangs);
    tally_sort(sum);
    stats->zugzwang = sum->zugzwang;
    stats->zugzwang_count = sum->found;
    sum->zugzwang = NULL;
}

static int collect(struct count *count, const struct material *material, enum stats_method method,
                   struct thread_pool *pool, struct stats *stats)
{
    const int workers = threads_count(pool);
    for (int i = 0; i <= workers; i++)
        tally_init(&count->tally[i]);
    struct tally *sum = &count->tally[workers];
    if (method == STATS_AUTO)
        method = stats_slabs_fit(material) ? STATS_BY_SLABS : STATS_BY_PROBING;
    int code = method == STATS_BY_SLABS ? stats_by_slabs(count->tables, material, &count->men, count->tally, pool)
                                        : placements_each(material, pool, visit, count);
    for (int i = 0; i < workers && code == 0; i++)
        code = tally_add(sum, &count->tally[i]);
    if (code == 0)
        finish(&count->men, sum, stats);
    for (int i = 0; i <= workers; i++)
        tally_free(&count->tally[i]);
    return code;
}

int stats_count(struct stats **result, cltb_tables *tables, const struct material *material, enum stats_method method,
                struct thread_pool *pool)
{
    struct count count = {.tables = tables};
    struct table *table;
    *result = NULL;
    TRY(tables_find_material(tables, material, &table)); // before any work
    const size_t bytes = ((size_t)threads_count(pool) + 1) * sizeof *count.tally;
    struct stats *stats = calloc(1, sizeof *stats);
    int code = CLTB_E_MEMORY;
    count.tally = calloc(1, bytes);
    if (stats == NULL || count.tally == NULL) {
        error_memory(bytes, "statistics");
    } else {
        stats->material = *material;
        tally_men_init(&count.men, material);
        code = collect(&count, material, method, pool, stats);
    }
    free(count.tally);
    if (code != 0)
        stats_free(stats);
    else
        *result = stats;
    return code;
}

void stats_free(struct stats *stats)
{
    if (stats != NULL)
        free(stats->zugzwang);
    free(stats);
}

uint64_t stats_classes(const struct stats *stats, const struct stats_bin *bin)
{
    // count = (8 G - 4 D) / P without pawns, 2 G / P with pawns (golden/README.md of the reference data); D with like
    // men told apart, too.
    const uint64_t p = material_arrangements(&stats->material);
    return material_has_pawns(&stats->material) ? p * bin->count / 2 : p * (bin->count + 4 * bin->diagonal) / 8;
}

void stats_zugzwang_fen(const struct stats *stats, size_t number, char fen[STATS_FEN_MAX])
{
    struct tally_men men;
    tally_men_init(&men, &stats->material);
    tally_fen(&men, stats->zugzwang[number].key, WHITE, fen);
}
