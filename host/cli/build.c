// build.c - `cltb build`: makes tables
#include "restricted/cli/build.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/show_plan.h"

#include "dobutsu/make/build.h"
#include "make/build.h"
#include "make/plan.h"
#include "make/streamed_table.h"
#include "restricted/make/build.h"
#include "table/path.h"
#include "util/error.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct build_run {
    struct build_options options;
    struct progress progress;
    char name[SPEC_NAME_MAX]; // of the table in work
    bool goes_on;             // work files keep what is done of a table
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
    if (event->kind != BUILD_LEFT) // of a table that is done
        snprintf(run->name, sizeof run->name, "%s", event->name);
    progress_event(&run->progress, event);
    return interrupted != 0;
}

// The file that keeps what is done of the table in work, if there is one.
static bool find_work(const struct build_run *run, char path[PATH_MAX])
{
    struct material material;
    struct stat status;
    const char *folder = run->options.scratch != NULL ? run->options.scratch : run->options.dir;
    if (!run->goes_on || run->name[0] == '\0' || material_parse(&material, run->name, NULL) != 0)
        return false;
    if (streamed_table_found(folder, &material))
        return snprintf(path, PATH_MAX, "%s/%s.cltb.check", folder, run->name) < PATH_MAX;
    return table_work_path(path, PATH_MAX, folder, &material) == 0 && lstat(path, &status) == 0 &&
           S_ISREG(status.st_mode) && status.st_size > 0;
}

// What is left to go on from.
static void say_interrupted(const struct build_run *run)
{
    char path[PATH_MAX];
    if (find_work(run, path))
        fprintf(stderr, "interrupted; %s keeps what is done of %s: run the same command again to go on\n", path,
                run->name);
    else if (run->goes_on)
        fprintf(stderr, "interrupted; tables that are done stay: run the same command again to go on\n");
    else if (run->name[0] == '\0')
        fprintf(stderr, "interrupted before any work\n");
    else
        fprintf(stderr, "interrupted; nothing is kept of %s\n", run->name);
}

// As on a full disk.
static void say_what_stays(const struct build_run *run, int code)
{
    char path[PATH_MAX];
    if (find_work(run, path))
        error_append(code, "; %s keeps what is done of %s: the same command goes on from there", path, run->name);
    else if (run->progress.made > 0)
        error_append(code, "; tables that are done stay: the same command goes on");
}

static int finish(struct build_run *run, int code)
{
    progress_clear(&run->progress);
    if (interrupted != 0 && code != 0) {
        say_interrupted(run);
        return EXIT_INTERRUPTED;
    }
    if (code == CLTB_E_IO)
        say_what_stays(run, code);
    if (code != 0)
        return report("build", code);
    progress_end(&run->progress);
    return EXIT_DONE;
}

// ---- tables ----

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

// All names are read before any work is begun.
static int add_names(struct materials *materials, const struct arguments *names)
{
    for (int i = 0; i < names->count; i++) {
        struct material material;
        TRY(material_parse(&material, names->word[i], NULL));
        TRY(add_material(materials, &material));
    }
    return 0;
}

static int add_men(struct materials *materials, int most, bool pawnless)
{
    for (int men = 3; men <= most; men++)
        TRY((pawnless ? material_each_pawnless : material_each)(men, add_material, materials));
    return 0;
}

// The first of several folders: tables are made in one.
static char *first_folder(const char *folders)
{
    folders += strspn(folders, ":");
    return strndup(folders, strcspn(folders, ":"));
}

struct request {
    const char *dir;
    const char *device;
    const char *isa;
    uint64_t threads;
    uint64_t memory;
    const char *scratch;
    uint64_t block;
    uint64_t checkpoint; // seconds
    uint64_t men;        // 0: the tables named
    const char *format;
    struct restricted_request restricted;
    const struct spec *spec; // of a restricted endgame, or NULL
    bool dobutsu;
    bool pawnless;
    bool dry_run;
    bool both_sides;
    bool best;
    bool force;
    bool solve_only;
    bool quiet;
    bool verbose;
};

static int check_request(const struct request *request, const struct arguments *names)
{
    const bool restricted = request->spec != NULL;
    if (restricted &&
        (request->men > 0 || request->dry_run || request->both_sides || request->best || request->format != NULL))
        return usage_fault("build",
                           "a restricted endgame is built without --men, --dry-run, --format, --both-sides and --best");
    if (!restricted && (request->restricted.prune != NULL || request->restricted.futurebases != NULL ||
                        request->restricted.output != NULL))
        return usage_fault("build", "--prune, --futurebases and --output are for restricted endgames");
    if (request->men == 0 && names->count == 0 && !restricted)
        return usage_fault("build", "which tables? Give names such as KQvKR, or --men N");
    if (request->men > 0 && names->count > 0)
        return usage_fault("build", "either names or --men, not both");
    if (request->pawnless && request->men == 0)
        return usage_fault("build", "--pawnless belongs to --men");
    const bool raw = request->format != NULL && strcmp(request->format, "raw") == 0;
    if (raw && !request->dobutsu)
        return usage_fault("build", "--format raw is for dobutsu");
    if (request->format != NULL && !raw && !request->dry_run)
        return usage_fault("build", "--format belongs to --dry-run");
    if (raw && (request->best || request->solve_only))
        return usage_fault("build", "--format raw goes without --best and --solve-only");
    if (request->dobutsu && (names->count != 1 || request->dry_run || request->both_sides))
        return usage_fault("build", "dobutsu is built alone, without other names, --dry-run and --both-sides");
    if (request->quiet && request->verbose)
        return usage_fault("build", "either --quiet or --verbose");
    uint64_t number;
    if (request->device != NULL && strcmp(request->device, "auto") != 0 && strcmp(request->device, "cpu") != 0 &&
        (!parse_number(request->device, &number) || number > 9999))
        return usage_fault("build", "--device takes auto, cpu or a number of `cltb devices`, not '%.40s'",
                           request->device);
    return EXIT_DONE;
}

// What cannot be made is an error all the same, behind the plan.
static int dry_run(const struct materials *materials, const struct build_options *options, const char *format)
{
    struct plan *plan;
    int code = plan_make(&plan, materials->material, materials->count, options);
    if (code != 0)
        return report("build", code);
    show_plan(plan, format != NULL ? format : "text");
    code = plan_check(plan, options);
    plan_free(plan);
    return code != 0 ? report("build", code) : EXIT_DONE;
}

static int build(const struct materials *materials, const struct request *request, const struct build_options *options)
{
    struct build_run run = {.options = *options};
    run.options.event = on_event;
    run.options.context = &run;
    progress_begin(&run.progress, request->quiet, request->verbose);
    run.progress.many = request->men > 0;
    run.progress.other_kind = request->both_sides || request->best;
    run.goes_on = !request->dobutsu && request->spec == NULL;
    catch_signals();
    if (request->dobutsu)
        return finish(&run, dobutsu_build(&run.options, request->format != NULL));
    if (request->spec != NULL) {
        uint64_t idle;
        const int code = restricted_build(request->spec, &run.options, request->restricted.output, &idle);
        progress_clear(&run.progress);
        if (code == 0)
            warn_idle_rules(request->spec, idle);
        return finish(&run, code);
    }
    return finish(&run, build_tables(materials->material, materials->count, &run.options));
}

static int carry_out(const struct request *request, const struct materials *materials)
{
    const char *folders = tables_dir(request->dir);
    if (folders[strspn(folders, ":")] == '\0')
        return usage_fault("build", "no folder of tables given");
    char *dir = first_folder(folders);
    if (dir == NULL)
        return report("build", error_memory(0, "a folder's name"));
    const struct build_options options = {.dir = dir,
                                          .search = folders,
                                          .device = request->device,
                                          .isa = request->isa,
                                          .threads = (int)request->threads,
                                          .memory = request->memory,
                                          .scratch = request->scratch,
                                          .block = request->block,
                                          .checkpoint = (double)request->checkpoint,
                                          .force = request->force,
                                          .both_sides = request->both_sides,
                                          .best = request->best,
                                          .solve_only = request->solve_only};
    int status = request->dry_run ? dry_run(materials, &options, request->format) : build(materials, request, &options);
    free(dir);
    return status;
}

static int run(int argc, char **argv)
{
    struct request r = {.checkpoint = 60};
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_TEXT, .value = &r.dir},
        {.name = "--device", .kind = OPTION_TEXT, .value = &r.device},
        {.name = "--isa", .kind = OPTION_CHOICE, .value = &r.isa, .choices = "avx512|avx2|generic"},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &r.threads, .least = 1, .most = 1024},
        {.name = "--memory", .kind = OPTION_SIZE, .value = &r.memory, .least = 1},
        {.name = "--scratch", .kind = OPTION_TEXT, .value = &r.scratch},
        {.name = "--block", .kind = OPTION_SIZE, .value = &r.block, .least = 1},
        {.name = "--checkpoint", .kind = OPTION_NUMBER, .value = &r.checkpoint, .least = 0, .most = 1000000},
        {.name = "--men", .kind = OPTION_NUMBER, .value = &r.men, .least = 3, .most = MATERIAL_MEN_MAX},
        {.name = "--pawnless", .kind = OPTION_FLAG, .value = &r.pawnless},
        {.name = "--dry-run", .kind = OPTION_FLAG, .value = &r.dry_run},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &r.format, .choices = "text|tsv|json|raw"},
        {.name = "--spec", .kind = OPTION_TEXT, .value = &r.restricted.file},
        {.name = "--prune", .kind = OPTION_TEXT, .value = &r.restricted.prune},
        {.name = "--futurebases", .kind = OPTION_TEXT, .value = &r.restricted.futurebases},
        {.name = "--output", .kind = OPTION_TEXT, .value = &r.restricted.output},
        {.name = "--both-sides", .kind = OPTION_FLAG, .value = &r.both_sides},
        {.name = "--best", .kind = OPTION_FLAG, .value = &r.best},
        {.name = "--force", .kind = OPTION_FLAG, .value = &r.force},
        {.name = "--solve-only", .kind = OPTION_FLAG, .value = &r.solve_only},
        {.name = "--quiet", .kind = OPTION_FLAG, .value = &r.quiet},
        {.name = "--verbose", .kind = OPTION_FLAG, .value = &r.verbose},
        {.name = NULL}};
    struct arguments names;
    int status = options_parse(&names, "build", argc, argv, options);
    bool restricted = r.restricted.file != NULL;
    for (int i = 0; status == EXIT_DONE && i < names.count; i++) {
        r.dobutsu |= strcasecmp(names.word[i], DOBUTSU_NAME) == 0;
        restricted |= is_restricted(names.word[i]);
    }
    struct spec *spec = restricted ? calloc(1, sizeof *spec) : NULL;
    if (status == EXIT_DONE && restricted)
        status = spec == NULL ? report("build", error_memory(sizeof *spec, "a restricted endgame"))
                              : read_restricted(spec, &r.restricted, &names);
    r.spec = spec;
    if (status == EXIT_DONE)
        status = check_request(&r, &names);
    if (status != EXIT_DONE) {
        free(spec);
        return status;
    }
    struct materials materials = {.count = 0};
    int code = 0;
    if (!r.dobutsu && spec == NULL)
        code = r.men > 0 ? add_men(&materials, (int)r.men, r.pawnless) : add_names(&materials, &names);
    status = code != 0 ? report("build", code) : carry_out(&r, &materials);
    free(materials.material);
    free(spec);
    return status;
}

const struct command build_command = {"build", run, "makes tables"};
