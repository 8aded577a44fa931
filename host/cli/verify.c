// verify.c - `cltb verify`: proves tables right
#include "cli/command.h"
#include "cli/progress.h"

#include "index/material.h"
#include "kind/kind.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

// The names of all tables of up to some number of men that the folders have.
struct found {
    const char *folders;
    char (*name)[MATERIAL_NAME_MAX];
    char **word; // [count], the same as words
    size_t count;
    size_t space;
    unsigned missing;
};

static int find_table(void *context, const struct material *material)
{
    struct found *found = context;
    char path[PATH_MAX];
    TRY(memory_grow(&found->name, &found->space, found->count + 1, sizeof *found->name, "a list of tables"));
    const int code = kind_find_file(path, material_name(material, found->name[found->count]), found->folders);
    if (code == 0)
        found->count++;
    else if (code == CLTB_E_MISSING)
        found->missing++;
    else
        return code;
    return 0;
}

static int find_tables(struct found *found, uint64_t men)
{
    for (int i = 3; i <= (int)men; i++)
        TRY(material_each(i, find_table, found));
    if (found->count == 0)
        return error_set(CLTB_E_MISSING, "no tables of up to %d men in '%s'", (int)men, found->folders);
    TRY(memory_new(&found->word, found->count, sizeof *found->word, "a list of tables"));
    for (size_t i = 0; i < found->count; i++)
        found->word[i] = found->name[i];
    return 0;
}

static int verify_names(struct verify_request *r, const struct arguments *names, bool quiet)
{
    int status = EXIT_DONE;
    for (int i = 0; i < names->count; i++) {
        struct verify_summary summary;
        const double start = wall_seconds();
        r->name = names->word[i];
        const int code = kind_of_name(r->name)->verify(r, &summary);
        threads_watch(r->pool, NULL, NULL);
        progress_share_end();
        if (code != 0)
            status = report("verify", code);
        if (code != 0 || quiet)
            continue;
        printf("%s: %s%" PRIu64 " %s %s", summary.name[0] != '\0' ? summary.name : r->name,
               summary.sampled ? "a sample of " : "all ", summary.checked, summary.unit,
               summary.finding != NULL ? summary.finding : "right");
        if (summary.parts[0] != '\0')
            printf(" (%s)", summary.parts);
        printf("%s, %.2f s\n", summary.checksums ? ", checksums right" : "", wall_seconds() - start);
        fflush(stdout);
    }
    return status;
}

static int run(int argc, char **argv)
{
    struct verify_request r = {.seed = 1};
    const char *dir = NULL;
    uint64_t threads = 0;
    uint64_t men = 0;
    struct found found = {.folders = NULL};
    bool quiet = false;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--against", .kind = OPTION_FOLDER, .value = &r.against},
        {.name = "--men", .kind = OPTION_NUMBER, .value = &men, .least = 3, .most = MATERIAL_MEN_MAX},
        {.name = "--sample", .kind = OPTION_NUMBER, .value = &r.sample, .least = 1, .most = UINT64_C(1000000000000)},
        {.name = "--seed", .kind = OPTION_NUMBER, .value = &r.seed, .most = UINT64_MAX},
        {.name = "--all", .kind = OPTION_FLAG, .value = &r.all},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &threads, .least = 1, .most = 1024},
        {.name = "--quiet", .kind = OPTION_FLAG, .value = &quiet},
        {.name = "", .kind = OPTION_FILE},
        {.name = NULL}};
    struct arguments names;
    TRY(options_parse(&names, "verify", argc, argv, options));
    if (names.count == 0 && men == 0)
        return usage_fault("verify", "which tables? Give names such as KQvKR, files, or --men N");
    if (names.count > 0 && men > 0)
        return usage_fault("verify", "either names or --men, not both");
    if (r.all && r.sample > 0)
        return usage_fault("verify", "either --all or --sample");
    r.folders = tables_dir(dir);
    found.folders = r.folders;
    int code = men > 0 ? find_tables(&found, men) : 0;
    if (men > 0 && code == 0) {
        names.word = found.word;
        names.count = (int)found.count;
    }
    for (int i = 0; i < names.count && code == 0; i++) {
        const struct endgame_kind *kind = kind_of_name(names.word[i]);
        if (r.against != NULL && kind != endgame_kinds[0])
            return usage_fault("verify", "--against is for full tables of chess, not '%.40s'", names.word[i]);
        code = kind->check_name != NULL ? kind->check_name(names.word[i]) : 0;
    }
    THEN(code, threads_open(&r.pool, (int)threads));
    if (code != 0) {
        free(found.word);
        free(found.name);
        return report("verify", code);
    }
    r.progress = quiet ? NULL : progress_share();
    const int status = verify_names(&r, &names, quiet);
    if (men > 0 && !quiet)
        printf("%zu tables of up to %d men verified%s; %u are not there\n", found.count, (int)men,
               status == EXIT_DONE ? ", all right" : ", not all are right", found.missing);
    threads_close(r.pool);
    free(found.word);
    free(found.name);
    return status;
}

const struct command verify_command = {"verify", run, "proves tables right"};
