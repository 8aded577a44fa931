// stats.c - how many positions of a material have which outcome and distance, its longest lines and mutual zugzwangs
#include "check/stats.h"

#include "make/plan_material.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "util/error.h"
#include "util/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct stats_counter {
    cltb_tables *tables;
    struct material material;
    struct tally_men men;
    int workers;
    struct tally *tally; // [workers + 1]; the last one is for their sum
};

// ---- counting values ----

int stats_counter_open(struct stats_counter **result, cltb_tables *tables, const struct material *material, int workers)
{
    struct stats_counter *counter;
    TRY(memory_new(&counter, 1, sizeof *counter, "statistics"));
    *counter = (struct stats_counter){.tables = tables, .material = *material, .workers = workers};
    const int code = memory_new(&counter->tally, (size_t)workers + 1, sizeof *counter->tally, "statistics");
    tally_men_init(&counter->men, material);
    for (int i = 0; code == 0 && i <= workers; i++)
        tally_init(&counter->tally[i]);
    if (code != 0)
        free(counter);
    else
        *result = counter;
    return code;
}

static void squares_of(const struct tally_men *men, const struct position *p, uint8_t *square)
{
    for (int i = 0; i < men->count;) {
        const struct man *man = &men->man[i];
        for (int k = 0; k < p->count[man->colour][man->type]; k++)
            square[i++] = p->list[man->colour][man->type][k];
    }
}

static int count_side(struct stats_counter *counter, const struct placement *placement, struct tally *tally, int side,
                      struct cltb_value value)
{
    struct position *p = placement->position;
    uint8_t square[MATERIAL_MEN_MAX];
    if (value.dtz < 0 || value.dtz > TABLE_PLY_MAX)
        return error_set(CLTB_E_CORRUPT, "a distance of %d plies", value.dtz);
    struct stats_bin *bin = &tally->bin[side][value.outcome + 2][value.dtz];
    bin->count += placement->weight;
    bin->diagonal += placement->on_diagonal;
    bin->rounded += value.rounded ? placement->weight : 0;
    if (!tally_wants(tally, side, value))
        return 0;
    squares_of(&counter->men, p, square);
    if (side == BLACK)
        placement_turn(p);
    const int code = tally_note(tally, &counter->men, counter->tables, p, square, value);
    if (side == BLACK)
        placement_turn(p);
    return code;
}

int stats_counter_add(struct stats_counter *counter, const struct placement *placement,
                      const struct cltb_value value[COLOURS], int worker)
{
    struct tally *tally = &counter->tally[worker];
    const int white = value[WHITE].outcome;
    const int black = value[BLACK].outcome;
    // If both sides have the same men, White's figures are also Black's.
    for (int side = WHITE; side <= (counter->men.paired ? WHITE : BLACK); side++)
        if (value[side].outcome != STATS_ILLEGAL)
            TRY(count_side(counter, placement, tally, side, value[side]));
    if (white == STATS_ILLEGAL || black == STATS_ILLEGAL || !tally_is_zugzwang(white, black))
        return 0;
    uint8_t square[MATERIAL_MEN_MAX];
    squares_of(&counter->men, placement->position, square);
    return tally_zugzwang(tally, &counter->men, square, white, black, placement->weight);
}

static void finish(struct stats *stats, const struct tally_men *men, struct tally *sum)
{
    memcpy(stats->bin, sum->bin, sizeof stats->bin);
    if (men->paired)
        memcpy(stats->bin[BLACK], stats->bin[WHITE], sizeof stats->bin[BLACK]);
    memcpy(stats->zugzwangs, sum->zugzwangs, sizeof stats->zugzwangs);
    tally_sort(sum);
    stats->zugzwang = sum->zugzwang;
    stats->zugzwang_count = sum->found;
    sum->zugzwang = NULL;
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        const int side = i / TABLE_OUTCOMES;
        const struct tally_longest *longest = &sum->longest[side][i % TABLE_OUTCOMES];
        struct stats_longest *to = &stats->longest[side][i % TABLE_OUTCOMES];
        *to = (struct stats_longest){.plies = longest->plies, .zeroing = longest->zeroing, .key = longest->key};
        stats_place(to, men, side);
    }
}

int stats_counter_close(struct stats_counter *counter, int code, struct stats **result)
{
    struct tally *sum = &counter->tally[counter->workers];
    for (int i = 0; i < counter->workers && code == 0; i++)
        code = tally_add(sum, &counter->tally[i]);
    THEN(code, memory_new(result, 1, sizeof **result, "statistics"));
    if (code == 0) {
        (*result)->material = counter->material;
        finish(*result, &counter->men, sum);
    }
    for (int i = 0; i <= counter->workers; i++)
        tally_free(&counter->tally[i]);
    free(counter->tally);
    free(counter);
    return code;
}

// ---- by probing ----

static int probe_side(const struct stats_counter *counter, struct position *p, struct cltb_value *value)
{
    const enum metric metric = counter->men.metric;
    if (metric != METRIC_DTZ)
        return probe_exact(counter->tables, p, metric, value);
    return counter->men.paired && p->side == BLACK ? probe_outcome(counter->tables, p, &value->outcome)
                                                   : probe_value(counter->tables, p, value);
}

static int visit(void *context, const struct placement *placement, int worker)
{
    struct stats_counter *counter = context;
    struct position *p = placement->position;
    struct cltb_value value[COLOURS];
    int code = 0;
    for (int side = WHITE; side <= BLACK; side++) {
        value[side] = (struct cltb_value){.outcome = STATS_ILLEGAL};
        if (code == 0 && position_legal(p))
            code = probe_side(counter, p, &value[side]);
        placement_turn(p);
    }
    return code != 0 ? code : stats_counter_add(counter, placement, value, worker);
}

int load_syzygy(cltb_tables *tables, const struct material *material, struct thread_pool *pool)
{
    struct material needed[PLAN_FUTUREBASES_MAX + 1];
    const int count = plan_futurebases(material, needed);
    needed[count] = *material;
    for (int i = 0; i <= count; i++) {
        const struct source *source;
        const int code = tables_find_material(tables, &needed[i], &source);
        if (code != CLTB_E_MISSING)
            TRY(code != 0 ? code : source_load(source, pool));
    }
    return 0;
}

int stats_count(struct stats **result, cltb_tables *tables, const struct material *material, struct thread_pool *pool,
                int (*progress)(void *pool))
{
    struct stats_counter *counter;
    const struct source *source;
    *result = NULL;
    TRY(tables_find_material(tables, material, &source)); // before any work
    if (source->table == NULL) {
        TRY(source_check(source));
        TRY(load_syzygy(tables, material, pool));
    }
    if (progress != NULL)
        threads_watch(pool, progress, pool);
    TRY(stats_counter_open(&counter, tables, material, threads_count(pool)));
    return stats_counter_close(counter, placements_each(material, pool, visit, counter), result);
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

// A bin's number as the generator counts: classes under the board's symmetries (8, with pawns 2), with identical pieces
// distinguished.
static uint64_t classes_of(const struct stats *stats, const struct stats_bin *bin)
{
    // count = (8 G - 4 D) / P without pawns, 2 G / P with pawns (golden/README.md of the reference data); D also tells
    // identical men apart.
    const uint64_t p = material_arrangements(&stats->material);
    return material_has_pawns(&stats->material) ? p * bin->count / 2 : p * (bin->count + 4 * bin->diagonal) / 8;
}

// Writes the wins (or losses) of every distance, including cursed ones. Writes nothing for an empty list.
static void write_plies(const struct stats *stats, FILE *file, int side, bool won)
{
    for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
        bool cursed = ply >= CURSED_PLY;
        int slot = (won ? (cursed ? CLTB_CURSED_WIN : CLTB_WIN) : (cursed ? CLTB_BLESSED_LOSS : CLTB_LOSS)) + 2;
        uint64_t classes = classes_of(stats, &stats->bin[side][slot][ply]);
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
                total += classes_of(stats, &stats->bin[side][slot][ply]);
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
