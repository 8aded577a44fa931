// chess_stats.c - what `cltb stats` prints about a full table, as text, JSON and TSV
#include "kind/chess_stats.h"

#include "check/stats_kept.h"
#include "probe/tables.h"
#include "show/values.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>

enum { KINDS = TABLE_OUTCOMES * TABLE_OUTCOMES, EXAMPLES = 3 };

static uint64_t count_of(const void *stats, int side, int slot, int ply)
{
    return ((const struct stats *)stats)->bin[side][slot][ply].count;
}

static int longest_of(const void *stats, int side, int slot, const char **fen)
{
    const struct stats_longest *longest = &((const struct stats *)stats)->longest[side][slot];
    *fen = longest->fen;
    return longest->plies;
}

static bool rounded_of(const void *stats, int side, int slot, int ply)
{
    return ((const struct stats *)stats)->bin[side][slot][ply].rounded > 0;
}

static struct counts counts_of(const struct stats *stats)
{
    return (struct counts){stats, count_of, longest_of, rounded_of, (enum metric)stats->material.metric};
}

// ---- zugzwangs, by kind: White's outcome * 5 + Black's ----

static bool is_kind(const struct stats_zugzwang *zugzwang, int kind)
{
    return (zugzwang->outcome[WHITE] + 2) * TABLE_OUTCOMES + zugzwang->outcome[BLACK] + 2 == kind;
}

static size_t classes(const struct stats *stats, int kind)
{
    size_t n = 0;
    for (size_t i = 0; i < stats->zugzwang_count; i++)
        n += is_kind(&stats->zugzwang[i], kind);
    return n;
}

void chess_stats_text(const struct stats *stats, bool all)
{
    const struct counts counts = counts_of(stats);
    char name[MATERIAL_NAME_MAX];
    text_counts(material_name(&stats->material, name), &counts);
    if (stats_rounded(stats))
        printf("(the Syzygy files round distances: \"27 or 28\")\n");
    const uint64_t examples = all ? UINT64_MAX : EXAMPLES;
    uint64_t sum = 0;
    for (int kind = 0; kind < KINDS; kind++)
        sum += stats->zugzwangs[kind / TABLE_OUTCOMES][kind % TABLE_OUTCOMES];
    printf("mutual zugzwangs: %" PRIu64 "; up to symmetry %zu\n", sum, stats->zugzwang_count);
    for (int kind = 0; kind < KINDS; kind++) {
        const int white = kind / TABLE_OUTCOMES;
        const int black = kind % TABLE_OUTCOMES;
        uint64_t shown = 0;
        if (stats->zugzwangs[white][black] == 0)
            continue;
        printf("    White to move: %s, Black to move: %s: %" PRIu64 "; up to symmetry %zu%s\n",
               cltb_outcome_name(white - 2), cltb_outcome_name(black - 2), stats->zugzwangs[white][black],
               classes(stats, kind), white < 2 && black < 2 ? " (full-point)" : "");
        for (size_t i = 0; i < stats->zugzwang_count && shown < examples; i++) {
            char fen[STATS_FEN_MAX];
            if (!is_kind(&stats->zugzwang[i], kind))
                continue;
            stats_zugzwang_fen(stats, i, fen);
            printf("        %s\n", fen);
            shown++;
        }
    }
}

static void json_zugzwangs(struct json *json, const struct stats *stats, size_t most)
{
    json_open(json, "zugzwangs", '[');
    for (int kind = 0; kind < KINDS; kind++) {
        const uint64_t count = stats->zugzwangs[kind / TABLE_OUTCOMES][kind % TABLE_OUTCOMES];
        if (count == 0)
            continue;
        json_open(json, NULL, '{');
        json_text(json, "white_to_move", cltb_outcome_name(kind / TABLE_OUTCOMES - 2));
        json_text(json, "black_to_move", cltb_outcome_name(kind % TABLE_OUTCOMES - 2));
        json_count(json, "count", count);
        json_count(json, "classes", classes(stats, kind));
        if (most > 0) {
            size_t left = most;
            json_open(json, "fens", '[');
            for (size_t i = 0; i < stats->zugzwang_count && left > 0; i++) {
                char fen[STATS_FEN_MAX];
                if (!is_kind(&stats->zugzwang[i], kind))
                    continue;
                stats_zugzwang_fen(stats, i, fen);
                json_text(json, NULL, fen);
                left--;
            }
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
}

// The longest win of each winner, whichever side is to move.
static void json_longest(struct json *json, const struct stats *stats)
{
    json_open(json, "longest", '[');
    for (int i = 0; i < 4; i++) {
        const int win = i % 2 == 0 ? CLTB_WIN : CLTB_CURSED_WIN;
        const struct stats_longest *won = &stats->longest[i / 2][win + 2];
        const struct stats_longest *lost = &stats->longest[i / 2 ^ 1][2 - win];
        const bool by_loser = lost->plies > won->plies;
        const struct stats_longest *longest = by_loser ? lost : won;
        if (longest->plies < 0)
            continue;
        json_open(json, NULL, '{');
        json_text(json, "winner", colour_word[i / 2]);
        json_bool(json, "cursed", i % 2 != 0);
        json_int(json, "plies", longest->plies);
        if (longest->plies >= 0 &&
            rounded_of(stats, by_loser ? i / 2 ^ 1 : i / 2, 2 + (by_loser ? -win : win), longest->plies))
            json_int(json, "plies_max", longest->plies + 1);
        json_text(json, "fen", longest->fen);
        json_close(json);
    }
    json_close(json);
}

void chess_stats_json(FILE *file, const struct stats *stats, size_t most)
{
    const struct counts counts = counts_of(stats);
    struct json json = {.file = file};
    char name[MATERIAL_NAME_MAX];
    json_open(&json, NULL, '{');
    json_text(&json, "material", material_name(&stats->material, name));
    json_text(&json, "metric", metric_names[counts.metric]);
    json_counts(&json, &counts);
    json_longest(&json, stats);
    json_longest_by_side(&json, &counts);
    json_zugzwangs(&json, stats, most);
    json_close(&json);
}

int chess_stats_summary(struct json *json, cltb_tables *tables, const struct material *material)
{
    struct stats *stats;
    struct table *table;
    TRY(tables_find_table(tables, material, &table));
    for (int side = WHITE; side <= BLACK; side++) {
        json_open(json, colour_word[side], '{');
        json_outcomes(json, "positions", table_info(table)->positions[side], table_info(table)->longest[side]);
        json_close(json);
    }
    TRY(stats_read(&stats, tables, material));
    if (stats != NULL)
        json_longest(json, stats);
    stats_free(stats);
    return 0;
}

void chess_stats_tsv(const struct stats *stats, bool longest, bool zugzwangs)
{
    const struct counts counts = counts_of(stats);
    char name[MATERIAL_NAME_MAX];
    material_name(&stats->material, name);
    if (!longest && !zugzwangs)
        tsv_counts(name, &counts);
    if (longest)
        tsv_longest(name, &counts);
    if (zugzwangs)
        stats_write_zugzwangs_tsv(stats, stdout);
}
