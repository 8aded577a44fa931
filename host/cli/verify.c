// verify.c - `cltb verify`: proves tables right
#include "cli/command.h"
#include "dobutsu/cli/tables.h"
#include "restricted/cli/tables.h"
#include "util/clock.h"

#include "check/verify.h"
#include "dobutsu/check/verify.h"
#include "restricted/check/verify.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>

enum { ALL_MEN_MAX = 4, SAMPLE_DEFAULT = 1000000 };

struct request {
    const char *dir;
    uint64_t sample; // 0: not given
    uint64_t seed;
    uint64_t threads;
    bool all;
    bool quiet;
};

// 0: every position.
static uint64_t sample_size(const struct request *request, const struct material *material)
{
    if (request->all)
        return 0;
    if (request->sample > 0)
        return request->sample;
    return material_men(material) <= ALL_MEN_MAX ? 0 : SAMPLE_DEFAULT;
}

static int verify_one(const struct request *request, const struct material *material, cltb_tables *tables,
                      struct thread_pool *pool)
{
    struct verify_options options = {.sample = sample_size(request, material), .seed = request->seed, .pool = pool};
    struct verify_result result;
    char name[MATERIAL_NAME_MAX];
    double start = wall_seconds();
    material_name(material, name);
    int code = verify_table(tables, material, &options, &result);
    if (code != 0) {
        if (code == CLTB_E_MISMATCH)
            error_prefix(code, "%s is wrong", name);
        else
            error_prefix(code, "%s", name);
        return report("verify", code);
    }
    if (!request->quiet)
        printf("%s: %s%" PRIu64 " positions right, checksums right, %.2f s\n", name,
               options.sample > 0 ? "a sample of " : "all ", result.positions, wall_seconds() - start);
    return EXIT_DONE;
}

static int verify_dobutsu(const struct request *request, const char *name, struct thread_pool *pool)
{
    const struct dobutsu_verify_options options = {.sample = request->sample, .seed = request->seed, .pool = pool};
    return dobutsu_verify_name(name, tables_dir(request->dir), &options, request->quiet);
}

static int verify_restricted(const struct request *request, const char *name, struct thread_pool *pool)
{
    const struct restricted_verify_options options = {.sample = request->sample, .seed = request->seed, .pool = pool};
    return restricted_file_verify(name, tables_dir(request->dir), &options, request->quiet);
}

static int verify_name(const struct request *request, const char *name, cltb_tables *tables, struct thread_pool *pool)
{
    struct material material;
    if (dobutsu_values_named(name))
        return verify_dobutsu(request, name, pool);
    if (restricted_named(name))
        return verify_restricted(request, name, pool);
    if (material_parse(&material, name, NULL) != 0) // it was read before
        return EXIT_USAGE;
    return verify_one(request, &material, tables, pool);
}

static int verify_names(const struct request *request, const struct arguments *names)
{
    cltb_tables *tables = NULL;
    struct thread_pool *pool = NULL;
    const cltb_options options = {.cache_bytes = (size_t)1 << 30};
    int status = EXIT_DONE;
    int code = cltb_open(&tables, tables_dir(request->dir), &options);
    if (code == 0)
        code = threads_open(&pool, (int)request->threads);
    if (code != 0)
        status = report("verify", code);
    for (int i = 0; code == 0 && i < names->count; i++) {
        const int one = verify_name(request, names->word[i], tables, pool);
        fflush(stdout);
        status = one != EXIT_DONE ? one : status;
    }
    threads_close(pool);
    cltb_close(tables);
    return status;
}

static int run(int argc, char **argv)
{
    struct request r = {.seed = 1};
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_TEXT, .value = &r.dir},
        {.name = "--sample", .kind = OPTION_NUMBER, .value = &r.sample, .least = 1, .most = UINT64_C(1000000000000)},
        {.name = "--seed", .kind = OPTION_NUMBER, .value = &r.seed, .most = UINT64_MAX},
        {.name = "--all", .kind = OPTION_FLAG, .value = &r.all},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &r.threads, .least = 1, .most = 1024},
        {.name = "--quiet", .kind = OPTION_FLAG, .value = &r.quiet},
        {.name = NULL}};
    struct arguments names;
    int status = options_parse(&names, "verify", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    if (names.count == 0)
        return usage_fault("verify", "which tables? Give names such as KQvKR");
    if (r.all && r.sample > 0)
        return usage_fault("verify", "either --all or --sample");
    for (int i = 0; i < names.count; i++) {
        struct material material;
        const bool other = dobutsu_values_named(names.word[i]) || restricted_named(names.word[i]);
        int code = other ? 0 : material_parse(&material, names.word[i], NULL);
        if (code != 0)
            return report("verify", code);
    }
    return verify_names(&r, &names);
}

const struct command verify_command = {"verify", run, "proves tables right"};
