// stats.c - `cltb stats`: how many positions have which outcome and distance
#include "cli/command.h"
#include "cli/values.h"
#include "dobutsu/cli/tables.h"
#include "restricted/cli/tables.h"

#include "check/stats.h"
#include "dobutsu/make/values.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = TABLE_OUTCOMES * TABLE_OUTCOMES, EXAMPLES = 3 };

struct request {
    const char *dir;
    const char *format;
    uint64_t threads;
    bool longest;
    bool zugzwangs;
    bool reachable; // dobutsu
    bool stop;      // dobutsu
    bool plies;     // dobutsu
};

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

static void print_longest(const struct stats *stats)
{
    for (int side = WHITE; side <= BLACK; side++) {
        for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
            const struct stats_longest *longest = &stats->longest[side][slot];
            if (longest->plies >= 0)
                printf("longest %s with %s to move: %d plies, as in %s\n", cltb_outcome_name(slot - 2),
                       colour_name[side], longest->plies, longest->fen);
        }
    }
}

static bool is_kind(const struct stats_zugzwang *zugzwang, int kind)
{
    return (zugzwang->outcome[WHITE] + 2) * TABLE_OUTCOMES + zugzwang->outcome[BLACK] + 2 == kind;
}

// Classes of a kind of zugzwang: White's outcome * 5 + Black's.
static size_t classes(const struct stats *stats, int kind)
{
    size_t n = 0;
    for (size_t i = 0; i < stats->zugzwang_count; i++)
        n += is_kind(&stats->zugzwang[i], kind);
    return n;
}

// With up to `limit` examples of every kind.
static void print_zugzwangs(const struct stats *stats, uint64_t limit)
{
    uint64_t all = 0;
    for (int kind = 0; kind < KINDS; kind++)
        all += stats->zugzwangs[kind / TABLE_OUTCOMES][kind % TABLE_OUTCOMES];
    printf("mutual zugzwangs: %" PRIu64 "; up to symmetry %zu\n", all, stats->zugzwang_count);
    for (int kind = 0; kind < KINDS; kind++) {
        const int white = kind / TABLE_OUTCOMES;
        const int black = kind % TABLE_OUTCOMES;
        uint64_t shown = 0;
        if (stats->zugzwangs[white][black] == 0)
            continue;
        printf("    White to move: %s, Black to move: %s: %" PRIu64 "; up to symmetry %zu%s\n",
               cltb_outcome_name(white - 2), cltb_outcome_name(black - 2), stats->zugzwangs[white][black],
               classes(stats, kind), white < 2 && black < 2 ? " (full-point)" : "");
        for (size_t i = 0; i < stats->zugzwang_count && shown < limit; i++) {
            if (!is_kind(&stats->zugzwang[i], kind))
                continue;
            char fen[STATS_FEN_MAX];
            stats_zugzwang_fen(stats, i, fen);
            printf("        %s\n", fen);
            shown++;
        }
    }
}

static void print_text(const struct stats *stats, uint64_t limit)
{
    char name[MATERIAL_NAME_MAX];
    printf("%s\n", material_name(&stats->material, name));
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t positions[TABLE_OUTCOMES];
        int longest[TABLE_OUTCOMES];
        uint64_t all = 0;
        for (int slot = 0; slot < TABLE_OUTCOMES; slot++)
            all += positions[slot] = total(stats, side, slot, &longest[slot]);
        printf("%s to move: %" PRIu64 " legal positions\n", colour_name[side], all);
        text_shares(positions, longest, all);
    }
    print_longest(stats);
    print_zugzwangs(stats, limit);
}

static void print_json_side(const struct stats *stats, int side)
{
    const char *comma = "";
    printf("\"%s\": [", colour_name[side]);
    for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
        for (int ply = 0; ply <= TABLE_PLY_MAX; ply++) {
            if (stats->bin[side][slot][ply].count > 0)
                json_count(&comma, slot, ply, stats->bin[side][slot][ply].count);
        }
    }
    printf("]");
}

// Of each winner the longest win, whoever is to move.
static void print_json_winners(const struct stats *stats)
{
    const char *comma = "";
    printf(", \"longest\": [");
    for (int i = 0; i < 4; i++) {
        const int win = i % 2 == 0 ? CLTB_WIN : CLTB_CURSED_WIN;
        const struct stats_longest *won = &stats->longest[i / 2][win + 2];
        const struct stats_longest *lost = &stats->longest[i / 2 ^ 1][2 - win];
        const struct stats_longest *longest = lost->plies > won->plies ? lost : won;
        if (longest->plies < 0)
            continue;
        printf("%s{\"winner\": \"%s\", \"cursed\": %s, \"plies\": %d, \"fen\": \"%s\"}", comma, colour_name[i / 2],
               i % 2 ? "true" : "false", longest->plies, longest->fen);
        comma = ", ";
    }
    printf("]");
}

static void print_json_longest(const struct stats *stats)
{
    const char *comma = "";
    printf(", \"longest_by_side\": [");
    for (int side = WHITE; side <= BLACK; side++) {
        for (int slot = TABLE_OUTCOMES - 1; slot >= 0; slot--) {
            const struct stats_longest *longest = &stats->longest[side][slot];
            if (longest->plies >= 0)
                json_longest(&comma, side, slot, longest->plies, longest->fen);
        }
    }
    printf("]");
}

static void print_json_fens(const struct stats *stats, int kind)
{
    const char *comma = "";
    printf(", \"fens\": [");
    for (size_t i = 0; i < stats->zugzwang_count; i++) {
        char fen[STATS_FEN_MAX];
        if (!is_kind(&stats->zugzwang[i], kind))
            continue;
        stats_zugzwang_fen(stats, i, fen);
        printf("%s\"%s\"", comma, fen);
        comma = ", ";
    }
    printf("]");
}

// `all`: with their positions.
static void print_json_zugzwangs(const struct stats *stats, bool all)
{
    const char *comma = "";
    printf(", \"zugzwangs\": [");
    for (int kind = 0; kind < KINDS; kind++) {
        const uint64_t count = stats->zugzwangs[kind / TABLE_OUTCOMES][kind % TABLE_OUTCOMES];
        if (count == 0)
            continue;
        printf("%s{\"white_to_move\": \"%s\", \"black_to_move\": \"%s\", \"count\": %" PRIu64 ", \"classes\": %zu",
               comma, cltb_outcome_name(kind / TABLE_OUTCOMES - 2), cltb_outcome_name(kind % TABLE_OUTCOMES - 2), count,
               classes(stats, kind));
        if (all)
            print_json_fens(stats, kind);
        printf("}");
        comma = ", ";
    }
    printf("]");
}

static void print_json(const struct stats *stats, bool zugzwangs)
{
    char name[MATERIAL_NAME_MAX];
    printf("{\"material\": \"%s\", ", material_name(&stats->material, name));
    print_json_side(stats, WHITE);
    printf(", ");
    print_json_side(stats, BLACK);
    print_json_winners(stats);
    print_json_longest(stats);
    print_json_zugzwangs(stats, zugzwangs);
    printf("}\n");
}

static void print_tsv(const struct stats *stats, const struct request *request)
{
    if (!request->longest && !request->zugzwangs)
        stats_write_tsv(stats, stdout, true);
    if (request->longest)
        stats_write_longest_tsv(stats, stdout);
    if (request->zugzwangs)
        stats_write_zugzwangs_tsv(stats, stdout);
}

static void print(const struct stats *stats, const struct request *request)
{
    if (strcmp(request->format, "tsv") == 0)
        print_tsv(stats, request);
    else if (strcmp(request->format, "syzygy") == 0)
        stats_write_syzygy(stats, stdout);
    else if (strcmp(request->format, "json") == 0)
        print_json(stats, request->zugzwangs);
    else
        print_text(stats, request->zugzwangs ? UINT64_MAX : EXAMPLES);
}

static int count(const struct material *material, const struct request *request)
{
    cltb_tables *tables = NULL;
    struct thread_pool *pool = NULL;
    struct stats *stats = NULL;
    const cltb_options options = {.cache_bytes = (size_t)1 << 30}; // every block of a table is needed, and often
    int code = cltb_open(&tables, tables_dir(request->dir), &options);
    if (code == 0)
        code = threads_open(&pool, (int)request->threads);
    if (code == 0)
        code = stats_count(&stats, tables, material, STATS_AUTO, pool);
    if (code == 0)
        print(stats, request);
    stats_free(stats);
    threads_close(pool);
    cltb_close(tables);
    return code != 0 ? report("stats", code) : EXIT_DONE;
}

// ---- the command ----

static int run_dobutsu(const struct request *r, const char *name)
{
    const struct dobutsu_stats_request request = {.name = name,
                                                  .folders = tables_dir(r->dir),
                                                  .format = r->format,
                                                  .threads = r->threads,
                                                  .reachable = r->reachable,
                                                  .stop = r->stop,
                                                  .plies = r->plies};
    if (strcmp(r->format, "syzygy") == 0 || r->longest || r->zugzwangs)
        return usage_fault("stats", "--format syzygy, --longest and --zugzwangs belong to chess");
    if (!r->reachable && (r->stop || r->plies))
        return usage_fault("stats", "--stop and --plies belong to --reachable");
    if (r->plies && strcmp(r->format, "tsv") != 0)
        return usage_fault("stats", "--plies belongs to --format tsv");
    return dobutsu_stats_name(&request);
}

static int run_restricted(const struct request *r, const char *name)
{
    if (strcmp(r->format, "syzygy") == 0 || r->zugzwangs || r->reachable || r->stop || r->plies)
        return usage_fault("stats", "of a restricted table there are --format text, tsv and json, and --longest");
    if (r->longest && strcmp(r->format, "tsv") != 0)
        return usage_fault("stats", "--longest belongs to --format tsv: text and json have the longest anyway");
    return restricted_file_stats(name, r->format, r->longest, r->threads);
}

static int run_chess(const struct request *r, const char *name)
{
    struct material material;
    if (r->longest && strcmp(r->format, "tsv") != 0)
        return usage_fault("stats", "--longest belongs to --format tsv: text and json have the longest anyway");
    if (r->zugzwangs && strcmp(r->format, "syzygy") == 0)
        return usage_fault("stats", "--zugzwangs does nothing with --format syzygy");
    if (r->reachable || r->stop || r->plies)
        return usage_fault("stats", "--reachable, --stop and --plies belong to dobutsu");
    int code = material_parse(&material, name, NULL);
    if (code != 0)
        return report("stats", code);
    return count(&material, r);
}

static int run(int argc, char **argv)
{
    struct request r = {.format = "text"};
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_TEXT, .value = &r.dir},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &r.format, .choices = "text|tsv|json|syzygy"},
        {.name = "--longest", .kind = OPTION_FLAG, .value = &r.longest},
        {.name = "--zugzwangs", .kind = OPTION_FLAG, .value = &r.zugzwangs},
        {.name = "--reachable", .kind = OPTION_FLAG, .value = &r.reachable},
        {.name = "--stop", .kind = OPTION_FLAG, .value = &r.stop},
        {.name = "--plies", .kind = OPTION_FLAG, .value = &r.plies},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &r.threads, .least = 1, .most = 1024},
        {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "stats", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    if (arguments.count != 1)
        return usage_fault("stats", "takes one table's name, such as KQvKR");
    const char *name = arguments.word[0];
    if (dobutsu_values_named(name))
        return run_dobutsu(&r, name);
    return (restricted_named(name) ? run_restricted : run_chess)(&r, name);
}

const struct command stats_command = {"stats", run, "counts positions by outcome and distance"};
