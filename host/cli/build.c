// build.c - `cltb build`: makes tables
#include "cli/command.h"
#include "cli/progress.h"

#include "build/build.h"
#include "util/error.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct build_run {
    struct build_options options;
    struct progress progress;
};

// ---- Ctrl-C ----

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = number;
}

// Once: a second Ctrl-C stops the program at once.
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int on_event(void *context, const struct build_event *event)
{
    struct build_run *run = context;
    progress_event(&run->progress, event);
    return interrupted != 0;
}

// ---- tables ----

static int build_one(void *context, const struct material *material)
{
    struct build_run *run = context;
    char name[MATERIAL_NAME_MAX];
    if (interrupted != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted");
    run->progress.wanted = material_name(material, name);
    int code = build_table(material, &run->options);
    run->progress.wanted = NULL;
    return code;
}

// All names are read before any work is begun.
static int check_names(const struct arguments *names)
{
    for (int i = 0; i < names->count; i++) {
        struct material material;
        int code = material_parse(&material, names->word[i], NULL);
        if (code != 0)
            return report("build", code);
        if (material_has_pawns(&material))
            return usage_fault("build", "%s: tables with pawns cannot be made yet", names->word[i]);
    }
    return EXIT_DONE;
}

static int build_names(struct build_run *run, const struct arguments *names)
{
    for (int i = 0; i < names->count; i++) {
        struct material material;
        int code = material_parse(&material, names->word[i], NULL);
        if (code == 0)
            code = build_one(run, &material);
        if (code != 0)
            return code;
    }
    return 0;
}

static int build_men(struct build_run *run, int most)
{
    for (int men = 3; men <= most; men++) {
        int code = material_each_pawnless(men, build_one, run);
        if (code != 0)
            return code;
    }
    return 0;
}

static int finish(struct build_run *run, int code)
{
    progress_clear(&run->progress);
    if (interrupted != 0 && code != 0) {
        fprintf(stderr, "interrupted\n");
        return EXIT_INTERRUPTED;
    }
    if (code != 0)
        return report("build", code);
    progress_end(&run->progress);
    return EXIT_DONE;
}

// The first of several folders: tables are made in one.
static char *first_folder(const char *folders)
{
    return strndup(folders, strcspn(folders, ":"));
}

struct request {
    const char *dir;
    const char *device;
    const char *isa;
    uint64_t threads;
    uint64_t memory;
    uint64_t men; // 0: the tables named
    bool pawnless;
    bool both_sides;
    bool best;
    bool force;
    bool solve_only;
    bool quiet;
    bool verbose;
};

static int check_request(const struct request *request, const struct arguments *names)
{
    if (request->men == 0 && names->count == 0)
        return usage_fault("build", "which tables? Give names such as KQvKR, or --pawnless --men N");
    if (request->men > 0 && names->count > 0)
        return usage_fault("build", "either names or --men, not both");
    if (request->men > 0 && !request->pawnless)
        return usage_fault("build", "--men needs --pawnless: tables with pawns cannot be made yet");
    if (request->pawnless && request->men == 0)
        return usage_fault("build", "--pawnless belongs to --men");
    if (request->quiet && request->verbose)
        return usage_fault("build", "either --quiet or --verbose");
    uint64_t number;
    if (request->device != NULL && strcmp(request->device, "auto") != 0 && strcmp(request->device, "cpu") != 0 &&
        (!parse_number(request->device, &number) || number > 9999))
        return usage_fault("build", "--device takes auto, cpu or a number of `cltb devices`, not '%.40s'",
                           request->device);
    return check_names(names);
}

static int carry_out(const struct request *request, const struct arguments *names)
{
    char *dir = first_folder(tables_dir(request->dir));
    if (dir == NULL)
        return report("build", error_memory(0, "a folder's name"));
    struct build_run run = {.options = {.dir = dir,
                                        .search = tables_dir(request->dir),
                                        .device = request->device,
                                        .isa = request->isa,
                                        .threads = (int)request->threads,
                                        .memory = request->memory,
                                        .force = request->force,
                                        .both_sides = request->both_sides,
                                        .best = request->best,
                                        .solve_only = request->solve_only,
                                        .event = on_event}};
    run.options.context = &run;
    progress_begin(&run.progress, request->quiet, request->verbose);
    run.progress.solve_only = request->solve_only;
    catch_signals();
    int status = finish(&run, request->men > 0 ? build_men(&run, (int)request->men) : build_names(&run, names));
    free(dir);
    return status;
}

static int run(int argc, char **argv)
{
    struct request r = {.dir = NULL};
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_TEXT, .value = &r.dir},
        {.name = "--device", .kind = OPTION_TEXT, .value = &r.device},
        {.name = "--isa", .kind = OPTION_CHOICE, .value = &r.isa, .choices = "avx512|avx2|generic"},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &r.threads, .least = 1, .most = 1024},
        {.name = "--memory", .kind = OPTION_SIZE, .value = &r.memory},
        {.name = "--men", .kind = OPTION_NUMBER, .value = &r.men, .least = 3, .most = MATERIAL_MEN_MAX},
        {.name = "--pawnless", .kind = OPTION_FLAG, .value = &r.pawnless},
        {.name = "--both-sides", .kind = OPTION_FLAG, .value = &r.both_sides},
        {.name = "--best", .kind = OPTION_FLAG, .value = &r.best},
        {.name = "--force", .kind = OPTION_FLAG, .value = &r.force},
        {.name = "--solve-only", .kind = OPTION_FLAG, .value = &r.solve_only},
        {.name = "--quiet", .kind = OPTION_FLAG, .value = &r.quiet},
        {.name = "--verbose", .kind = OPTION_FLAG, .value = &r.verbose},
        {.name = NULL}};
    struct arguments names;
    int status = options_parse(&names, "build", argc, argv, options);
    if (status == EXIT_DONE)
        status = check_request(&r, &names);
    return status != EXIT_DONE ? status : carry_out(&r, &names);
}

const struct command build_command = {
    "build", run, "makes tables",
    "cltb build NAME... [options]\n"
    "cltb build --pawnless --men N [options]\n\n"
    "Makes the named tables (KQvKR; KQKR and KRvKQ mean the same), or all without pawns of up to N men. Smaller "
    "tables\n"
    "that they need and that are not there are made first; tables that are there already stay.\n\n"
    "    --dir DIR       folders of tables, with ':' between them (else $CLTB_PATH, else ./tables): tables are read "
    "from\n"
    "                    all of them and written to the first\n"
    "    --device WHICH  auto: a GPU if there is one, else the processor; cpu; or a number of `cltb devices`\n"
    "    --isa NAME      instruction set of the processor: avx512, avx2 or generic (default: the best)\n"
    "    --threads N     default: one for each processor\n"
    "    --memory SIZE   memory that solving may take, as in 8G (default: all there is)\n"
    "    --both-sides    store distances for both sides to move: larger files, faster probing\n"
    "    --best          smallest files, written more slowly\n"
    "    --force         make the named tables even if they are there\n"
    "    --solve-only    solve the named tables and write nothing of them (for measurements)\n"
    "    --quiet         print nothing but errors\n"
    "    --verbose       a line for every ply\n"};
