// stats.c - `cltb stats FILE`: how many positions of a restricted table have which outcome and distance
#include "cli/json.h"
#include "cli/values.h"
#include "restricted/cli/tables.h"

#include "restricted/check/stats.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_BYTES = 64 << 20 }; // blocks are read one after the other

// ---- text ----

static uint64_t positions(const struct restricted_stats *stats, int side)
{
    uint64_t all = 0;
    for (int slot = 0; slot < TABLE_OUTCOMES; slot++)
        all += stats->total[side][slot];
    return all;
}

static void print_side(const struct restricted_stats *stats, int side)
{
    const uint64_t all = positions(stats, side);
    int longest[TABLE_OUTCOMES];
    for (int slot = 0; slot < TABLE_OUTCOMES; slot++)
        longest[slot] = stats->longest[side][slot].plies;
    printf("%s to move: %" PRIu64 " legal positions\n", colour_name[side], all);
    text_shares(stats->total[side], longest, all);
}

static void print_text(const struct restricted_stats *stats, const char *name)
{
    printf("%s\n", name);
    for (int side = WHITE; side <= BLACK; side++)
        print_side(stats, side);
    for (int side = WHITE; side <= BLACK; side++) {
        for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
            const struct restricted_longest *longest = &stats->longest[side][slot];
            if (longest->plies >= 0)
                printf("longest %s with %s to move: %d plies, as in %s\n", cltb_outcome_name(slot - 2),
                       colour_name[side], longest->plies, longest->fen);
        }
    }
}

// ---- json ----

static void json_side(const struct restricted_stats *stats, int side)
{
    const char *comma = "";
    printf("\"%s\": [", colour_name[side]);
    for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
            if (stats->count[side][slot][ply] > 0)
                json_count(&comma, slot, ply, stats->count[side][slot][ply]);
        }
    }
    printf("]");
}

static void json_all_longest(const struct restricted_stats *stats)
{
    const char *comma = "";
    printf(", \"longest_by_side\": [");
    for (int side = WHITE; side <= BLACK; side++) {
        for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
            const struct restricted_longest *longest = &stats->longest[side][slot];
            if (longest->plies >= 0)
                json_longest(&comma, side, slot, longest->plies, longest->fen);
        }
    }
    printf("]");
}

static void print_json(const struct restricted_stats *stats, const char *name)
{
    printf("{\"material\": ");
    json_string(name);
    printf(", ");
    json_side(stats, WHITE);
    printf(", ");
    json_side(stats, BLACK);
    json_all_longest(stats);
    printf("}\n");
}

// ---- the command ----

static void print(const struct restricted_stats *stats, const struct spec *spec, const char *format, bool longest)
{
    char name[SPEC_NAME_MAX];
    spec_name(spec, name);
    if (strcmp(format, "json") == 0)
        print_json(stats, name);
    else if (strcmp(format, "tsv") != 0)
        print_text(stats, name);
    else
        (longest ? restricted_stats_write_longest_tsv : restricted_stats_write_tsv)(stats, name, stdout);
}

static int count(const char *path, struct thread_pool *pool, const char *format, bool longest)
{
    struct restricted_table *table;
    TRY(restricted_table_open(&table, path, CACHE_BYTES));
    struct restricted_stats *stats = malloc(sizeof *stats);
    int code = CLTB_E_MEMORY;
    if (stats == NULL)
        error_memory(sizeof *stats, "statistics");
    else if ((code = restricted_stats_count(stats, table, pool)) == 0)
        print(stats, restricted_table_spec(table), format, longest);
    free(stats);
    restricted_table_close(table);
    return code;
}

int restricted_file_stats(const char *path, const char *format, bool longest, uint64_t threads)
{
    struct thread_pool *pool;
    int code = threads_open(&pool, (int)threads);
    if (code == 0) {
        code = count(path, pool, format, longest);
        threads_close(pool);
    }
    return code != 0 ? report("stats", code) : EXIT_DONE;
}
