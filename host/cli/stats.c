// stats.c - `cltb stats`: how many positions have which outcome and distance
#include "cli/command.h"

#include "build/stats.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const side_name[COLOURS] = {"white", "black"};

// Of a side to move: the number of positions of an outcome, and the largest distance among them.
static uint64_t total(const struct stats *stats, int side, int slot, int *longest)
{
    uint64_t sum = 0;
    *longest = -1;
    for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
        uint64_t count = stats->bin[side][slot][ply].count;
        sum += count;
        if (count > 0)
            *longest = ply;
    }
    return sum;
}

static void print_text(const struct stats *stats)
{
    char name[MATERIAL_NAME_MAX];
    printf("%s\n", material_name(&stats->material, name));
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t all = 0;
        int longest;
        for (int slot = 0; slot < TABLE_OUTCOMES; slot++)
            all += total(stats, side, slot, &longest);
        printf("%s to move: %" PRIu64 " legal positions\n", side_name[side], all);
        for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
            uint64_t n = total(stats, side, slot, &longest);
            if (n == 0)
                continue;
            printf("    %-13s %15" PRIu64 " %6.2f %%", cltb_outcome_name(slot - 2), n, 100 * (double)n / (double)all);
            if (slot != 2)
                printf("   longest %d", longest);
            printf("\n");
        }
    }
    for (int i = 0; i < 4; i++) {
        const struct stats_longest *l = &stats->longest[i / 2][i % 2];
        if (l->plies >= 0)
            printf("longest %swin of %s: %d plies, as in %s\n", i % 2 ? "cursed " : "", side_name[i / 2], l->plies,
                   l->fen);
    }
}

static void print_json_side(const struct stats *stats, int side)
{
    const char *comma = "";
    printf("\"%s\": [", side_name[side]);
    for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
            uint64_t count = stats->bin[side][slot][ply].count;
            if (count == 0)
                continue;
            printf("%s{\"outcome\": \"%s\", \"dtz\": ", comma, cltb_outcome_name(slot - 2));
            if (slot == 2)
                printf("null");
            else
                printf("%d", ply);
            printf(", \"count\": %" PRIu64 "}", count);
            comma = ", ";
        }
    }
    printf("]");
}

static void print_json(const struct stats *stats)
{
    char name[MATERIAL_NAME_MAX];
    printf("{\"material\": \"%s\", ", material_name(&stats->material, name));
    print_json_side(stats, WHITE);
    printf(", ");
    print_json_side(stats, BLACK);
    printf(", \"longest\": [");
    const char *comma = "";
    for (int i = 0; i < 4; i++) {
        const struct stats_longest *l = &stats->longest[i / 2][i % 2];
        if (l->plies < 0)
            continue;
        printf("%s{\"winner\": \"%s\", \"cursed\": %s, \"plies\": %d, \"fen\": \"%s\"}", comma, side_name[i / 2],
               i % 2 ? "true" : "false", l->plies, l->fen);
        comma = ", ";
    }
    printf("]}\n");
}

static void print(const struct stats *stats, const char *format)
{
    if (strcmp(format, "tsv") == 0)
        stats_write_tsv(stats, stdout, true);
    else if (strcmp(format, "syzygy") == 0)
        stats_write_syzygy(stats, stdout);
    else if (strcmp(format, "json") == 0)
        print_json(stats);
    else
        print_text(stats);
}

static int count(const struct material *material, const char *dir, int threads, const char *format)
{
    cltb_tables *tables = NULL;
    struct thread_pool *pool = NULL;
    struct stats *stats = NULL;
    const cltb_options options = {.cache_bytes = (size_t)1 << 30}; // every block of a table is needed, and often
    int code = cltb_open(&tables, dir, &options);
    if (code == 0)
        code = threads_open(&pool, threads);
    if (code == 0)
        code = stats_count(&stats, tables, material, pool);
    if (code == 0)
        print(stats, format);
    stats_free(stats);
    threads_close(pool);
    cltb_close(tables);
    return code != 0 ? report("stats", code) : EXIT_DONE;
}

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const char *format = "text";
    uint64_t threads = 0;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_TEXT, .value = &dir},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|tsv|json|syzygy"},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &threads, .least = 1, .most = 1024},
        {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "stats", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    struct material material;
    if (arguments.count != 1)
        return usage_fault("stats", "takes one table's name, such as KQvKR");
    int code = material_parse(&material, arguments.word[0], NULL);
    if (code != 0)
        return report("stats", code);
    if (material_has_pawns(&material))
        return usage_fault("stats", "%s: tables with pawns cannot be made yet", arguments.word[0]);
    return count(&material, tables_dir(dir), (int)threads, format);
}

const struct command stats_command = {
    "stats", run, "counts positions by outcome and distance",
    "cltb stats NAME [--dir DIR] [--format text|tsv|json|syzygy] [--threads N]\n\n"
    "Probes every legal position of a material and counts them by side to move, outcome and distance.\n\n"
    "    --format text     a summary\n"
    "             tsv      material, stm, outcome, dtz, count: placements on the whole board, like men "
    "interchangeable\n"
    "             json     the same numbers\n"
    "             syzygy   the text published with the Syzygy tables: classes under symmetry, like men told apart\n"
    "    --dir DIR         folders of tables, with ':' between them (else $CLTB_PATH, else ./tables)\n"
    "    --threads N       default: one for each processor\n"};
