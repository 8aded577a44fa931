// verify.c - `cltb verify`: proves tables right
#include "cli/command.h"
#include "cli/progress.h"

#include "kind/kind.h"
#include "util/clock.h"
#include "util/error.h"

#include <inttypes.h>
#include <stdio.h>

static int run(int argc, char **argv)
{
    struct verify_request r = {.seed = 1};
    const char *dir = NULL;
    uint64_t threads = 0;
    bool quiet = false;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--against", .kind = OPTION_FOLDER, .value = &r.against},
        {.name = "--sample", .kind = OPTION_NUMBER, .value = &r.sample, .least = 1, .most = UINT64_C(1000000000000)},
        {.name = "--seed", .kind = OPTION_NUMBER, .value = &r.seed, .most = UINT64_MAX},
        {.name = "--all", .kind = OPTION_FLAG, .value = &r.all},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &threads, .least = 1, .most = 1024},
        {.name = "--quiet", .kind = OPTION_FLAG, .value = &quiet},
        {.name = "", .kind = OPTION_FILE},
        {.name = NULL}};
    struct arguments names;
    int status = options_parse(&names, "verify", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    if (names.count == 0)
        return usage_fault("verify", "which tables? Give names such as KQvKR, or files");
    if (r.all && r.sample > 0)
        return usage_fault("verify", "either --all or --sample");
    int code = 0;
    for (int i = 0; i < names.count && code == 0; i++) {
        const struct endgame_kind *kind = kind_of_name(names.word[i]);
        if (r.against != NULL && kind != endgame_kinds[0])
            return usage_fault("verify", "--against is for full tables of chess, not '%.40s'", names.word[i]);
        code = kind->check_name != NULL ? kind->check_name(names.word[i]) : 0;
    }
    if (code == 0)
        code = threads_open(&r.pool, (int)threads);
    if (code != 0)
        return report("verify", code);
    r.folders = tables_dir(dir);
    r.progress = quiet ? NULL : progress_share();
    for (int i = 0; i < names.count; i++) {
        struct verify_summary summary;
        const double start = wall_seconds();
        r.name = names.word[i];
        code = kind_of_name(r.name)->verify(&r, &summary);
        threads_watch(r.pool, NULL, NULL);
        progress_share_end();
        if (code != 0)
            status = report("verify", code);
        if (code != 0 || quiet)
            continue;
        printf("%s: %s%" PRIu64 " %s %s", summary.name[0] != '\0' ? summary.name : r.name,
               summary.sampled ? "a sample of " : "all ", summary.checked, summary.unit,
               summary.finding != NULL ? summary.finding : "right");
        if (summary.parts[0] != '\0')
            printf(" (%s)", summary.parts);
        printf("%s, %.2f s\n", summary.checksums ? ", checksums right" : "", wall_seconds() - start);
        fflush(stdout);
    }
    threads_close(r.pool);
    return status;
}

const struct command verify_command = {"verify", run, "proves tables right"};
