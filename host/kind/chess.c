// chess.c - full tables of chess, by the names of their material
#include "kind/kind.h"

#include "check/verify.h"
#include "chess/fen.h"
#include "chess/notation.h"
#include "chess/perft.h"
#include "kind/chess_answer.h"
#include "kind/chess_stats.h"
#include "kind/show_plan.h"
#include "make/build.h"
#include "make/streamed_table.h"
#include "show/values.h"
#include "table/block_cache.h"
#include "table/path.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- build ----

struct materials {
    struct material *material;
    size_t count;
    size_t space;
};

static int add_material(void *context, const struct material *material)
{
    struct materials *materials = context;
    if (materials->count == materials->space) {
        const size_t space = 2 * materials->space + 64;
        struct material *more = realloc(materials->material, space * sizeof *more);
        if (more == NULL)
            return error_memory(space * sizeof *more, "a list of tables");
        materials->material = more;
        materials->space = space;
    }
    materials->material[materials->count++] = *material;
    return 0;
}

// All names are read before any work is started.
static int read_materials(struct materials *materials, const struct build_request *request)
{
    for (int men = 3; men <= (int)request->men; men++)
        TRY((request->pawnless ? material_each_pawnless : material_each)(men, add_material, materials));
    for (int i = 0; i < request->names; i++) {
        struct material material;
        TRY(material_parse(&material, request->name[i], NULL));
        TRY(add_material(materials, &material));
    }
    return 0;
}

static int build(const struct build_request *request)
{
    struct materials materials = {.count = 0};
    int code = read_materials(&materials, request);
    if (code == 0)
        code = build_tables(materials.material, materials.count, &request->options);
    free(materials.material);
    return code;
}

// A plan that cannot be carried out is printed as well, before the error.
static int print_plan(const struct build_request *request)
{
    struct materials materials = {.count = 0};
    struct plan *plan = NULL;
    int code = read_materials(&materials, request);
    if (code == 0)
        code = plan_make(&plan, materials.material, materials.count, &request->options, NULL);
    if (code == 0) {
        show_plan(plan, request->format != NULL ? request->format : "text");
        code = plan_check(plan, &request->options);
    }
    plan_free(plan);
    free(materials.material);
    return code;
}

static bool find_work(const struct build_options *options, const char *name, char path[PATH_MAX])
{
    struct material material;
    struct stat status;
    const char *folder = options->scratch != NULL ? options->scratch : options->dir;
    if (material_parse(&material, name, NULL) != 0)
        return false;
    return table_work_path(path, PATH_MAX, folder, &material) == 0 && lstat(path, &status) == 0 &&
           S_ISREG(status.st_mode) && status.st_size > 0;
}

// ---- probe ----

struct table_prober {
    struct chess_prober chess;
    cltb_tables *tables;
};

static int rank(struct chess_prober *chess, struct position *position, struct answer_move move[CLTB_MOVES_MAX])
{
    struct ranked_move ranked[CLTB_MOVES_MAX];
    const int count = probe_moves(((struct table_prober *)chess)->tables, position, ranked);
    for (int i = 0; i < count; i++)
        move[i] = (struct answer_move){.ranked = ranked[i]};
    return count;
}

static int look_up(struct chess_prober *chess, bool all_moves)
{
    struct answer *answer = &chess->answer;
    TRY(probe_position(((struct table_prober *)chess)->tables, &answer->position, &answer->value));
    if (!all_moves)
        return 0;
    const int count = rank(chess, &answer->position, answer->move);
    answer->moves = count < 0 ? 0 : count;
    return count < 0 ? count : 0;
}

static void close_prober(struct prober *prober)
{
    struct table_prober *mine = prober->context;
    cltb_close(mine->tables);
    free(mine);
}

static int probe(struct prober *prober, const struct probe_request *request)
{
    struct table_prober *mine = calloc(1, sizeof *mine);
    if (mine == NULL)
        return error_memory(sizeof *mine, "probing");
    mine->chess.look_up = look_up;
    mine->chess.rank = rank;
    chess_prober_set(prober, &mine->chess, request->format);
    prober->close = close_prober;
    const int code = cltb_open(&mine->tables, request->folders, NULL);
    if (code != 0)
        free(mine);
    return code;
}

// ---- stats and verify ----

// Every block of a table is needed, and often.
static const cltb_options whole_tables = {.cache_bytes = (size_t)1 << 30};

static int stats(const struct stats_request *request)
{
    cltb_tables *tables = NULL;
    struct stats *stats = NULL;
    struct material material;
    TRY(material_parse(&material, request->name, NULL));
    TRY(cltb_open(&tables, request->folders, &whole_tables));
    const int code = stats_count(&stats, tables, &material, STATS_AUTO, request->pool);
    if (code != 0)
        goto cleanup;
    if (strcmp(request->format, "syzygy") == 0) {
        stats_write_syzygy(stats, stdout);
    } else if (strcmp(request->format, "tsv") == 0) {
        chess_stats_tsv(stats, request->longest, request->zugzwangs);
    } else {
        (strcmp(request->format, "json") == 0 ? chess_stats_json : chess_stats_text)(stats, request->zugzwangs);
    }
cleanup:
    stats_free(stats);
    cltb_close(tables);
    return code;
}

static int check_name(const char *name)
{
    struct material material;
    return material_parse(&material, name, NULL);
}

static int verify(const struct verify_request *request, struct verify_summary *summary)
{
    enum { ALL_MEN_MAX = 4, SAMPLE_DEFAULT = 1000000 };
    cltb_tables *tables = NULL;
    struct material material;
    struct verify_result result;
    char name[MATERIAL_NAME_MAX];
    TRY(material_parse(&material, request->name, NULL));
    material_name(&material, name);
    struct verify_options options = {.sample = request->sample, .seed = request->seed, .pool = request->pool};
    if (!request->all && options.sample == 0 && material_men(&material) > ALL_MEN_MAX)
        options.sample = SAMPLE_DEFAULT;
    TRY(cltb_open(&tables, request->folders, &whole_tables));
    const int code = verify_table(tables, &material, &options, &result);
    cltb_close(tables);
    if (code != 0)
        return error_prefix(code, "%s%s", name, code == CLTB_E_MISMATCH ? " is wrong" : "");
    *summary = (struct verify_summary){
        .checked = result.positions, .unit = "positions", .sampled = options.sample > 0, .checksums = true};
    snprintf(summary->name, sizeof summary->name, "%s", name);
    return 0;
}

// ---- info ----

static int info(const char *path, bool as_json)
{
    struct block_cache *cache = NULL;
    struct table *table = NULL;
    struct json json = {.depth = 0};
    char name[MATERIAL_NAME_MAX];
    TRY(block_cache_open(&cache, 1 << 20));
    const int code = table_open(&table, path, cache);
    if (code != 0) {
        block_cache_close(cache);
        return code;
    }
    const struct table_info *info = table_info(table);
    const int sides = info->symmetric ? 1 : COLOURS;
    material_name(&info->material, name);
    if (as_json) {
        json_open(&json, NULL, '{');
        json_text(&json, "file", path);
        json_text(&json, "material", name);
        json_int(&json, "version", info->version);
        json_count(&json, "bytes", info->file_bytes);
        json_count(&json, "entries", info->entries);
        json_count(&json, "block_entries", info->block_entries);
        json_text(&json, "order", info->order);
        json_bool(&json, "symmetric", info->symmetric);
        for (int side = WHITE; side < sides; side++) {
            json_open(&json, colour_word[side], '{');
            json_count(&json, "outcome_bytes", info->outcome_bytes[side]);
            json_bool(&json, "distance", info->distance[side]);
            json_count(&json, "distance_bytes", info->distance_bytes[side]);
            json_outcomes(&json, "positions", info->positions[side], info->longest[side]);
            json_close(&json);
        }
        json_close(&json);
    } else {
        printf("%s: %s, format version %d, %" PRIu64 " bytes\n", path, name, info->version, info->file_bytes);
        printf("%" PRIu64 " entries a side, in blocks of %" PRIu32 ", order of the men %s\n", info->entries,
               info->block_entries, info->order);
        for (int side = WHITE; side < sides; side++) {
            printf("%s to move%s: outcomes %" PRIu64 " bytes, ", colour_word[side],
                   info->symmetric ? " (and black, mirrored)" : "", info->outcome_bytes[side]);
            if (info->distance[side])
                printf("distances %" PRIu64 " bytes\n", info->distance_bytes[side]);
            else
                printf("distances not stored (found by one ply of search)\n");
            text_outcomes(info->positions[side], info->longest[side]);
        }
    }
    table_close(table);
    block_cache_close(cache);
    return 0;
}

// ---- perft ----

static int print_move(void *context, const struct position *p, uint32_t move, uint64_t leaves)
{
    char name[UCI_MAX];
    (void)context;
    (void)p;
    uci_write(move, name);
    printf("%s: %" PRIu64 "\n", name, leaves);
    return 0;
}

static int count_leaves(const struct perft_request *request, struct perft_result *result)
{
    struct position p;
    TRY(fen_read(&p, request->position != NULL ? request->position : FEN_START));
    const int workers = request->threads > 0 ? request->threads : threads_processors();
    return perft_divide(&p, request->depth, workers, request->divide ? print_move : NULL, NULL, &result->leaves);
}

// ---- the kind ----

static bool is_default(const char *word)
{
    (void)word;
    return true;
}

static const struct option_rule build_rules[] = {
    {"--prune --futurebases --output", NULL, "", "--prune, --futurebases and --output are for restricted endgames"},
    {"--format=raw", NULL, "", "--format raw is for dobutsu"},
    {"--format", NULL, "--dry-run", "--format belongs to --dry-run"},
    {"--pawnless", NULL, "--men", "--pawnless belongs to --men"},
    {NULL}};

static const struct option_rule stats_rules[] = {
    {"--longest", NULL, "--format=tsv", "--longest belongs to --format tsv: text and json have the longest anyway"},
    {"--zugzwangs", "--format=syzygy", "", "--zugzwangs does nothing with --format syzygy"},
    {"--reachable --stop --plies", NULL, "", "--reachable, --stop and --plies belong to dobutsu"},
    {NULL}};

static const struct option_rule perft_rules[] = {{"--rules", NULL, "", "--rules belongs to --game dobutsu"}, {NULL}};

const struct endgame_kind kind_chess = {.options = "",
                                        .makes = is_default,
                                        .names = is_default,
                                        .resumes = true,
                                        .build_rules = build_rules,
                                        .stats_rules = stats_rules,
                                        .perft_rules = perft_rules,
                                        .build = build,
                                        .plan = print_plan,
                                        .find_work = find_work,
                                        .probe = probe,
                                        .stats = stats,
                                        .check_name = check_name,
                                        .verify = verify,
                                        .info = info,
                                        .perft = count_leaves};
