// chess.c - full tables of chess, by the names of their material
#include "kind/kind.h"

#include "check/stats_gather.h"
#include "check/stats_kept.h"
#include "check/verify.h"
#include "chess/fen.h"
#include "chess/notation.h"
#include "chess/perft.h"
#include "kind/chess_plan.h"
#include "kind/chess_probe.h"
#include "kind/chess_stats.h"
#include "kind/sums.h"
#include "make/build.h"
#include "make/plan.h"
#include "make/plan_material.h"
#include "probe/tables.h"
#include "show/values.h"
#include "syzygy/checksum.h"
#include "syzygy/shape.h"
#include "table/block_cache.h"
#include "table/path.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- build ----

struct materials {
    struct material *material;
    size_t count;
    size_t space;
    uint8_t metric;
};

static int add_material(void *context, const struct material *material)
{
    struct materials *materials = context;
    TRY(memory_grow(&materials->material, &materials->space, materials->count + 1, sizeof *materials->material,
                    "a list of tables"));
    struct material *added = &materials->material[materials->count++];
    *added = *material;
    if (material->metric == METRIC_DTZ) // otherwise its name gives another metric
        added->metric = materials->metric;
    return 0;
}

// Reads all names before any work is started.
static int read_materials(struct materials *materials, const struct build_request *request)
{
    materials->metric = (uint8_t)(request->metric == NULL ? METRIC_DTZ : metric_of_name(request->metric));
    for (int men = 3; men <= (int)request->men; men++)
        TRY((request->pawnless ? material_each_pawnless : material_each)(men, add_material, materials));
    for (int i = 0; i < request->names; i++) {
        struct material material;
        if (!material_of_file(&material, request->name[i], ".cltb"))
            TRY(material_parse(&material, request->name[i], NULL));
        TRY(add_material(materials, &material));
    }
    return 0;
}

static bool is_listed(const struct materials *materials, const struct material *material)
{
    for (size_t i = 0; i < materials->count; i++)
        if (material_equal(&materials->material[i], material))
            return true;
    return false;
}

// A program that reads Syzygy files needs those of all tables that captures and promotions lead to.
static int add_futurebases(struct materials *materials)
{
    for (size_t i = 0; i < materials->count; i++) {
        struct material bases[PLAN_FUTUREBASES_MAX];
        const struct material material = materials->material[i];
        const int count = material_men(&material) <= SYZYGY_MEN_MAX ? plan_futurebases(&material, bases) : 0;
        for (int j = 0; j < count; j++)
            if (!is_listed(materials, &bases[j]))
                TRY(add_material(materials, &bases[j]));
    }
    return 0;
}

// What an export makes: adds what the named tables need, and leaves out materials whose files are present and intact.
static int choose_exports(struct materials *materials, const struct build_request *request)
{
    const struct build_options *options = &request->options;
    const size_t named = materials->count;
    size_t left = 0;
    if (!options->only && request->men == 0) // `men` has them all
        TRY(add_futurebases(materials));
    for (size_t i = 0; i < materials->count; i++) {
        struct build_event event = {.kind = BUILD_PRESENT};
        char name[MATERIAL_NAME_MAX];
        event.name = material_name(&materials->material[i], name);
        if (materials->material[i].metric != METRIC_DTZ)
            return error_set(CLTB_E_USAGE, "%s: Syzygy files have distances to zeroing", event.name);
        if (material_men(&materials->material[i]) > SYZYGY_MEN_MAX)
            return error_set(CLTB_E_USAGE, "%s: Syzygy files have at most %d men", event.name, SYZYGY_MEN_MAX);
        const int code = (options->force && i < named) || options->disk > 0 // then rows say what has been made
                             ? CLTB_E_MISSING
                             : syzygy_pair_check(options->syzygy, event.name, options->wdl, &event.file_bytes);
        if (code == CLTB_E_MISSING || code == CLTB_E_CORRUPT)
            materials->material[left++] = materials->material[i];
        else if (code != 0)
            return code;
        else if (i < named && options->event != NULL && options->event(options->context, &event) != 0)
            return error_set(CLTB_E_INTERRUPTED, "interrupted");
    }
    materials->count = left;
    return 0;
}

static int build(const struct build_request *request)
{
    struct materials materials = {.count = 0};
    struct build_options options = request->options;
    options.statistics = &stats_gather_ops;
#ifdef CLTB_HAVE_LIBMD
    options.sum = sum_of_file;
#endif
    int code = read_materials(&materials, request);
    if (code == 0 && request->options.syzygy != NULL)
        code = choose_exports(&materials, request);
    THEN(code, build_tables(materials.material, materials.count, &options));
    free(materials.material);
    return code;
}

// ---- plans ----

// Prints a plan even if it cannot be carried out, and then returns the error.
static int print_plan(const struct build_request *asked)
{
    struct materials materials = {.count = 0};
    struct plan *plan = NULL;
    struct build_request request = *asked;
    const struct build_options *options = &request.options;
    request.options.statistics = &stats_gather_ops;
    if (options->threads == 0 && chess_plan_is_jobs(request.format))
        request.options.threads = 1; // as many jobs as processors
    int code = read_materials(&materials, &request);
    if (code == 0 && options->syzygy != NULL)
        code = choose_exports(&materials, &request);
    THEN(code, plan_make(&plan, materials.material, materials.count, options, NULL));
    if (code == 0) {
        code = chess_plan_print(plan, &request);
        const int checked = plan_check(plan, options);
        code = code != 0 ? code : checked;
    }
    plan_free(plan);
    free(materials.material);
    return code;
}

static bool find_work(const struct build_request *request, const char *name, char path[PATH_MAX])
{
    const struct build_options *options = &request->options;
    struct material material;
    struct stat status;
    const char *folder = options->scratch != NULL ? options->scratch : options->dir;
    if (material_parse(&material, name, NULL) != 0)
        return false;
    return table_work_path(path, PATH_MAX, folder, &material) == 0 && lstat(path, &status) == 0 &&
           S_ISREG(status.st_mode) && status.st_size > 0;
}

// ---- stats and verify ----

// Every block of a table is needed, and more than once.
static const cltb_options whole_tables = {.cache_bytes = (size_t)1 << 30};

// Opens the folders for a table by its name or its file; a file's own folder comes first.
static int open_named(cltb_tables **tables, struct material *material, const char *name, const char *search)
{
    char path[PATH_MAX];
    char *folders = NULL;
    if (!kind_is_file(name)) {
        TRY(material_parse(material, name, NULL));
        return cltb_open(tables, search, &whole_tables);
    }
    TRY(kind_find_file(path, name, search));
    if (access(path, F_OK) != 0)
        return error_errno(CLTB_E_MISSING, errno, "cannot open %s", path);
    if (!material_of_file(material, path, ".cltb"))
        return error_set(CLTB_E_USAGE, "%s is not the file of a full table, such as KQvKR.cltb", path);
    folders = folders_with(path, search);
    const int code =
        folders == NULL ? error_memory(strlen(search), "a list of folders") : cltb_open(tables, folders, &whole_tables);
    free(folders);
    return code;
}

static int path_to_keep(char path[PATH_MAX], cltb_tables *tables, const struct material *material)
{
    const struct source *source;
    TRY(tables_find_material(tables, material, &source));
    if (source->table == NULL)
        return error_set(CLTB_E_USAGE, "Syzygy files cannot keep statistics");
    snprintf(path, PATH_MAX, "%s", table_file(source->table));
    return 0;
}

static int stats(const struct stats_request *request)
{
    cltb_tables *tables = NULL;
    struct stats *stats = NULL;
    struct material material = {.metric = METRIC_DTZ};
    TRY(open_named(&tables, &material, request->name, request->folders));
    const bool as_published = strcmp(request->format, "syzygy") == 0;
    char name[MATERIAL_NAME_MAX];
    char path[PATH_MAX];
    int code = request->keep ? path_to_keep(path, tables, &material) : 0;
    if (material.metric != METRIC_DTZ && as_published)
        code = error_set(CLTB_E_USAGE, "--format syzygy is for distances to zeroing, not for %s",
                         material_name(&material, name));
    if (code == 0 && !request->recount)
        code = stats_read(&stats, tables, &material);
    if (code == 0 && stats == NULL && request->kept)
        code = error_set(CLTB_E_MISSING,
                         "counting %s takes too long here, and its file keeps no statistics (cltb "
                         "stats %s --keep)",
                         request->name, request->name);
    const bool counted = code == 0 && stats == NULL;
    if (counted)
        code = stats_count(&stats, tables, &material, request->pool, request->progress);
    if (code == CLTB_E_MISSING && !request->kept)
        chess_name_missing(tables, &material);
    if (code == 0 && as_published && stats_rounded(stats))
        code = error_set(CLTB_E_USAGE, "the Syzygy files of %s round distances, which --format syzygy cannot show",
                         material_name(&material, name));
    if (code != 0)
        goto cleanup;
    if (as_published) {
        stats_write_syzygy(stats, stdout);
    } else if (strcmp(request->format, "tsv") == 0) {
        chess_stats_tsv(stats, request->longest, request->zugzwangs);
    } else if (strcmp(request->format, "json") == 0) {
        const size_t most = request->most > 0 ? request->most : SIZE_MAX;
        chess_stats_json(request->file, stats, request->zugzwangs ? most : 0);
    } else {
        chess_stats_text(stats, request->zugzwangs);
    }
cleanup:
    cltb_close(tables);
    if (code == 0 && request->keep && counted)
        code = stats_keep(stats, path, path);
    stats_free(stats);
    return code;
}

static int check_name(const char *name)
{
    struct material material;
    return kind_is_file(name) ? 0 : material_parse(&material, name, NULL);
}

// Compares with the Syzygy files of --against. Tables that captures and promotions lead to may come from --dir as well.
static int compare(cltb_tables *tables, const struct material *material, const struct verify_request *request,
                   const struct verify_options *options, struct verify_summary *summary, struct verify_result *result)
{
    cltb_tables *others = NULL;
    char file[MATERIAL_NAME_MAX + sizeof ".rtbw"];
    char name[MATERIAL_NAME_MAX];
    char path[PATH_MAX];
    char *folders = NULL;
    if (material->metric != METRIC_DTZ)
        return error_set(CLTB_E_USAGE, "Syzygy files have distances to zeroing");
    snprintf(file, sizeof file, "%s.rtbw", material_name(material, name));
    if (!folders_find(path, sizeof path, request->against, file))
        return error_set(CLTB_E_MISSING, "there is no %s in '%s'", file, request->against);
    if (asprintf(&folders, "%s" OS_LIST "%s", request->against, tables_folders(tables)) < 0)
        return error_memory(strlen(request->against), "a list of folders");
    int code = cltb_open(&others, folders, &whole_tables);
    if (code == 0) {
        tables_prefer_syzygy(others);
        code = verify_against(tables, others, material, options, result);
    }
    cltb_close(others);
    free(folders);
    summary->finding = "as in the Syzygy files";
    if (result->rounded == 0)
        snprintf(summary->parts, sizeof summary->parts, "distances exactly");
    else
        snprintf(summary->parts, sizeof summary->parts, "%" PRIu64 " distances to a ply, as they are rounded",
                 result->rounded);
    return code;
}

static int verify(const struct verify_request *request, struct verify_summary *summary)
{
    enum { ALL_MEN_MAX = 4, SAMPLE_DEFAULT = 1000000 };
    cltb_tables *tables = NULL;
    struct material material = {0};
    struct verify_result result = {0};
    char name[MATERIAL_NAME_MAX];
    TRY(open_named(&tables, &material, request->name, request->folders));
    material_name(&material, name);
    *summary = (struct verify_summary){.unit = "positions", .checksums = true};
    snprintf(summary->name, sizeof summary->name, "%s", name);
    struct verify_options options = {
        .sample = request->sample, .seed = request->seed, .pool = request->pool, .progress = request->progress};
    if (!request->all && options.sample == 0 && material_men(&material) > ALL_MEN_MAX)
        options.sample = SAMPLE_DEFAULT;
    int code = request->against != NULL ? compare(tables, &material, request, &options, summary, &result)
                                        : verify_table(tables, &material, &options, &result);
    if (code == CLTB_E_MISSING && request->against == NULL)
        chess_name_missing(tables, &material);
    cltb_close(tables);
    const char *verdict = request->against != NULL ? " differs" : " is wrong";
    if (code != 0)
        return error_prefix(code, "%s%s", name, code == CLTB_E_MISMATCH ? verdict : "");
    summary->checked = result.positions;
    summary->sampled = options.sample > 0;
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
        json_int(&json, "version", CONTAINER_VERSION);
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
        printf("%s: %s, format version %d, %" PRIu64 " bytes\n", path, name, CONTAINER_VERSION, info->file_bytes);
        for (int side = WHITE; side < sides; side++) {
            printf("%s to move%s\n", colour_word[side], info->symmetric ? " (and black, mirrored)" : "");
            text_outcomes(info->material.metric, info->positions[side], info->longest[side]);
        }
        printf("%" PRIu64 " entries a side, in blocks of %" PRIu32 ", order of the men %s\n", info->entries,
               info->block_entries, info->order);
        for (int side = WHITE; side < sides; side++) {
            printf("    %s to move: outcomes %" PRIu64 " bytes, ", colour_word[side], info->outcome_bytes[side]);
            if (info->distance[side])
                printf("distances %" PRIu64 " bytes\n", info->distance_bytes[side]);
            else
                printf("distances not stored (found by one ply of search)\n");
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
    const int workers = request->threads > 0 ? request->threads : os_processors();
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
    {"--format=text --format=tsv --format=json", NULL, "--dry-run", "this --format belongs to --dry-run"},
    {"--pawnless", NULL, "--men", "--pawnless belongs to --men"},
    {"--lease", NULL, "--one", "--lease belongs to --one"},
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
                                        .probe = chess_probe,
                                        .stats = stats,
                                        .check_name = check_name,
                                        .verify = verify,
                                        .info = info,
                                        .perft = count_leaves};
