// stats.c - how many positions of a material have which outcome and distance, its longest lines and mutual zugzwangs
//
// The values come from probing every position, or from slabs (stats_slabs.c), which give the same.
#include "check/stats.h"

#include "check/load.h"
#include "check/placements.h"
#include "check/stats_slabs.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "util/error.h"

#include <inttypes.h>
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

// The value of `outcome` if the side to move could take the king.
enum { NO_OUTCOME = CLTB_WIN + 1 };

static int value_of(const struct count *count, struct position *p, struct cltb_value *value)
{
    const enum metric metric = count->men.metric;
    return metric == METRIC_DTZ ? probe_value(count->tables, p, value) : probe_exact(count->tables, p, metric, value);
}

static int count_side(struct count *count, const struct placement *placement, struct tally *tally, int *outcome)
{
    struct position *p = placement->position;
    *outcome = NO_OUTCOME;
    if (!position_legal(p))
        return 0;
    // If both sides have the same men, White's figures are also Black's.
    const bool counted = !(count->men.paired && p->side == BLACK);
    if (!counted && count->men.metric == METRIC_DTZ)
        return probe_outcome(count->tables, p, outcome);
    struct cltb_value value;
    TRY(value_of(count, p, &value));
    *outcome = value.outcome;
    if (!counted)
        return 0;
    if (value.dtz < 0 || value.dtz > TABLE_PLY_MAX)
        return error_set(CLTB_E_CORRUPT, "a distance of %d plies", value.dtz);
    struct stats_bin *bin = &tally->bin[p->side][value.outcome + 2][value.dtz];
    bin->count += placement->weight;
    bin->diagonal += placement->on_diagonal;
    bin->rounded += value.rounded ? placement->weight : 0;
    if (!tally_wants(tally, p->side, value))
        return 0;
    uint8_t square[MATERIAL_MEN_MAX];
    squares_of(&count->men, p, square);
    return tally_note(tally, &count->men, count->tables, p, square, value);
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

int stats_count(struct stats **result, cltb_tables *tables, const struct material *material, enum stats_method method,
                struct thread_pool *pool, int (*progress)(void *pool))
{
    struct count count = {.tables = tables};
    const int workers = threads_count(pool);
    const size_t bytes = ((size_t)workers + 1) * sizeof *count.tally;
    const struct source *source;
    *result = NULL;
    TRY(tables_find_material(tables, material, &source)); // before any work
    if (source->table == NULL) {
        method = STATS_BY_PROBING;
        TRY(source_check(source));
        TRY(load_syzygy(tables, material, pool));
    }
    if (method == STATS_AUTO)
        method = material->metric == METRIC_DTZ && stats_slabs_fit(material) ? STATS_BY_SLABS : STATS_BY_PROBING;
    if (method == STATS_BY_PROBING && progress != NULL)
        threads_watch(pool, progress, pool);
    struct stats *stats = calloc(1, sizeof *stats);
    count.tally = calloc(1, bytes);
    int code = stats == NULL || count.tally == NULL ? error_memory(bytes, "statistics") : 0;
    if (code != 0)
        goto cleanup;
    stats->material = *material;
    tally_men_init(&count.men, material);
    for (int i = 0; i <= workers; i++)
        tally_init(&count.tally[i]);
    code = method == STATS_BY_SLABS ? stats_by_slabs(tables, material, &count.men, count.tally, pool)
                                    : placements_each(material, pool, visit, &count);
    struct tally *sum = &count.tally[workers];
    for (int i = 0; i < workers && code == 0; i++)
        code = tally_add(sum, &count.tally[i]);
    if (code == 0) {
        memcpy(stats->bin, sum->bin, sizeof stats->bin);
        if (count.men.paired)
            memcpy(stats->bin[BLACK], stats->bin[WHITE], sizeof stats->bin[BLACK]);
        memcpy(stats->zugzwangs, sum->zugzwangs, sizeof stats->zugzwangs);
        tally_sort(sum);
        stats->zugzwang = sum->zugzwang;
        stats->zugzwang_count = sum->found;
        sum->zugzwang = NULL;
    }
    for (int i = 0; code == 0 && i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const struct tally_longest *longest = &sum->longest[side][i % TABLE_OUTCOMES];
        struct stats_longest *to = &stats->longest[side][i % TABLE_OUTCOMES];
        *to = (struct stats_longest){.plies = longest->plies, .zeroing = longest->zeroing, .key = longest->key};
        stats_place(to, &count.men, side);
    }
    for (int i = 0; i <= workers; i++)
        tally_free(&count.tally[i]);
cleanup:
    free(count.tally);
    if (code != 0)
        stats_free(stats);
    else
        *result = stats;
    return code;
}

void stats_place(struct stats_longest *longest, const struct tally_men *men, int side)
{
    if (longest->plies < 0)
        return;
    longest->file = men->pawns > 0 ? (int)(longest->key >> 6 * men->count) : 0;
    tally_fen(men, longest->key, side, longest->fen);
}

void stats_free(struct stats *stats)
{
    if (stats != NULL)
        free(stats->zugzwang);
    free(stats);
}

bool stats_rounded(const struct stats *stats)
{
    const struct stats_bin *bin = &stats->bin[0][0][0];
    for (size_t i = 0; i < sizeof stats->bin / sizeof *bin; i++)
        if (bin[i].rounded > 0)
            return true;
    return false;
}

uint64_t stats_classes(const struct stats *stats, const struct stats_bin *bin)
{
    // count = (8 G - 4 D) / P without pawns, 2 G / P with pawns (golden/README.md of the reference data); D also tells
    // identical men apart.
    const uint64_t p = material_arrangements(&stats->material);
    return material_has_pawns(&stats->material) ? p * bin->count / 2 : p * (bin->count + 4 * bin->diagonal) / 8;
}

void stats_zugzwang_fen(const struct stats *stats, size_t number, char fen[STATS_FEN_MAX])
{
    struct tally_men men;
    tally_men_init(&men, &stats->material);
    tally_fen(&men, stats->zugzwang[number].key, WHITE, fen);
}

// ---- output ----

void stats_write_zugzwangs_tsv(const struct stats *stats, FILE *file)
{
    char name[MATERIAL_NAME_MAX];
    material_name(&stats->material, name);
    fprintf(file, "material\twhite\tblack\tfen\n");
    for (size_t i = 0; i < stats->zugzwang_count; i++) {
        const struct stats_zugzwang *zugzwang = &stats->zugzwang[i];
        char fen[STATS_FEN_MAX];
        stats_zugzwang_fen(stats, i, fen);
        fprintf(file, "%s\t%s\t%s\t%s\n", name, cltb_outcome_name(zugzwang->outcome[WHITE]),
                cltb_outcome_name(zugzwang->outcome[BLACK]), fen);
    }
}

// ---- as the Syzygy generator writes ----

// Writes the wins (or losses) of every distance, including cursed ones. Writes nothing for an empty list.
static void write_plies(const struct stats *stats, FILE *file, int side, bool won)
{
    for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
        bool cursed = ply >= CURSED_PLY;
        int slot = (won ? (cursed ? CLTB_CURSED_WIN : CLTB_WIN) : (cursed ? CLTB_BLESSED_LOSS : CLTB_LOSS)) + 2;
        uint64_t classes = stats_classes(stats, &stats->bin[side][slot][ply]);
        if (classes > 0)
            fprintf(file, "%" PRIu64 " positions %s in %d ply.\n", classes, won ? "win" : "lose", ply);
    }
}

// Which of two lines the generator shows. It visits the files of the first pawn in turn, and on each file first the
// positions with White to move, and takes what is longer than anything before. It ignores wins by a capture or a pawn
// move.
static const struct stats_longest *shown(const struct stats *stats, int winner, bool cursed)
{
    const struct stats_longest *won = &stats->longest[winner][(cursed ? CLTB_CURSED_WIN : CLTB_WIN) + 2];
    const struct stats_longest *lost = &stats->longest[winner ^ 1][(cursed ? CLTB_BLESSED_LOSS : CLTB_LOSS) + 2];
    if (won->plies < 0 || won->zeroing)
        return lost;
    if (lost->plies != won->plies)
        return lost->plies > won->plies ? lost : won;
    if (lost->file != won->file)
        return lost->file < won->file ? lost : won;
    return winner == WHITE ? won : lost;
}

void stats_write_syzygy(const struct stats *stats, FILE *file)
{
    static const char *const names[TABLE_OUTCOMES] = {"losses", "cursed losses", "draws", "cursed wins", "wins"};
    char name[MATERIAL_NAME_MAX];
    fprintf(file, "########## %s ##########\n\n", material_name(&stats->material, name));
    for (int side = WHITE; side <= BLACK; side++) {
        fprintf(file, "%s to move:\n\n", side == WHITE ? "White" : "Black");
        write_plies(stats, file, side, true);
        fprintf(file, "\n");
        for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
            uint64_t total = 0;
            for (int ply = 0; ply <= TABLE_PLY_MAX; ply++)
                total += stats_classes(stats, &stats->bin[side][slot][ply]);
            if (total > 0 || slot % 2 == 0)
                fprintf(file, "%" PRIu64 " positions are %s.\n", total, names[slot]);
        }
        fprintf(file, "\n");
        write_plies(stats, file, side, false);
        fprintf(file, "\n");
    }
    for (int i = 0; i < 4; i++) { // White's, White's cursed, Black's cursed, Black's
        const bool cursed = i == 1 || i == 2;
        const struct stats_longest *longest = shown(stats, i / 2, cursed);
        if (longest->plies >= 0)
            fprintf(file, "Longest %swin for %s: %d ply; %s\n", cursed ? "cursed " : "", i < 2 ? "white" : "black",
                    longest->plies, longest->fen);
    }
    fprintf(file, "\n");
}
