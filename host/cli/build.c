// build.c - `cltb build`: makes tables
#include "cli/command.h"
#include "cli/guess.h"
#include "cli/progress.h"

#include "index/material.h"
#include "kind/kind.h"
#include "make/device.h"
#include "util/error.h"
#include "util/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct build_run {
    const char *command;
    struct build_request request;
    const struct endgame_kind *kind;
    struct progress progress;
    struct {
        char name[2560];
        bool done;
    } table[DEVICES_MAX]; // in progress, or finished if no other one has taken its place
    int tables;
};

static void note_table(struct build_run *run, const struct build_event *event)
{
    int i = 0;
    while (i < run->tables && strcmp(run->table[i].name, event->name) != 0)
        i++;
    for (int j = 0; i == run->tables && j < run->tables; j++)
        if (run->table[j].done)
            i = j;
    if (i == run->tables && i < DEVICES_MAX)
        run->tables++;
    if (i == DEVICES_MAX)
        return;
    snprintf(run->table[i].name, sizeof run->table[i].name, "%s", event->name);
    run->table[i].done = event->kind == BUILD_DONE || event->kind == BUILD_PRESENT;
}

static int on_event(void *context, const struct build_event *event)
{
    struct build_run *run = context;
    if (event->kind < BUILD_LEFT) // the others are about finished tables
        note_table(run, event);
    progress_event(&run->progress, event);
    return interrupted != 0;
}

// "t/KPvK.cltb.work keeps the finished parts of KPvK, t/KPvKP.cltb.work those of KPvKP"; NULL if nothing is kept.
static char *kept_work(const struct build_run *run)
{
    char *text = NULL;
    for (int i = 0; i < run->tables && run->kind->find_work != NULL; i++) {
        char path[PATH_MAX];
        const char *name = run->table[i].name;
        if (!run->kind->find_work(&run->request, name, path))
            continue;
        char *before = text;
        if (asprintf(&text, "%s%s%s %s of %s", before != NULL ? before : "", before != NULL ? ", " : "", path,
                     before != NULL ? "those" : "keeps the finished parts", name) < 0)
            text = NULL;
        free(before);
    }
    return text;
}

static int finish_early(const struct build_run *run, int code)
{
    char *kept = interrupted != 0 || code == CLTB_E_IO ? kept_work(run) : NULL;
    if (interrupted != 0 && peers_rank(command_peers) > 0 && *command_peers->agreed) {
        free(kept); // only the first process says it
        return EXIT_INTERRUPTED;
    }
    if (interrupted != 0) {
        if (kept != NULL)
            fprintf(stderr, "interrupted; %s: run the same command again to resume\n", kept);
        else if (run->kind->resumes)
            fprintf(stderr, "interrupted; finished tables are kept: run the same command again to resume\n");
        else if (run->tables == 0)
            fprintf(stderr, "interrupted before any work\n");
        else
            fprintf(stderr, "interrupted; nothing is kept of %s\n", run->table[0].name);
        free(kept);
        return EXIT_INTERRUPTED;
    }
    if (kept != NULL) // after a full disk, for example
        error_append(code, "; %s: the same command resumes from there", kept);
    else if (code == CLTB_E_IO && run->progress.made > 0)
        error_append(code, "; finished tables are kept: the same command resumes");
    free(kept);
    return report(run->command, code);
}

static int finish(struct build_run *run, int code)
{
    progress_clear(&run->progress);
    if (run->progress.events)
        progress_events_end(&run->progress,
                            code == 0          ? "done"
                            : interrupted != 0 ? "interrupted"
                                               : "failed",
                            code == 0 || interrupted != 0 ? NULL : error_text());
    if (code != 0)
        return finish_early(run, code);
    progress_end(&run->progress);
    return EXIT_DONE;
}

// ---- the command ----

static const struct option_rule rules[] = {
    {"--quiet", "--verbose", "", "either --quiet or --verbose"},
    {"--wdl", "--exact", "", "--exact is for distances, which --wdl leaves out"},
    {"--events", "--dry-run", "", "--events belongs to a build, not to --dry-run"},
    {"--keep --ship", NULL, "--disk", "--keep and --ship belong to --disk"},
    {"--disk", "--force --one --solve-only --only --exact --wdl --format=make --format=parallel --format=slurm", "",
     "--disk does not go with --force, --one, --solve-only, --only, --exact, --wdl and jobs"},
    {NULL}};

// The kind selected by an option or by any of the names.
static const struct endgame_kind *kind_of(const struct arguments *names)
{
    const struct endgame_kind *kind = options_kind(names);
    for (int i = 1; endgame_kinds[i] != NULL && kind == endgame_kinds[0]; i++)
        for (int j = 0; j < names->count; j++)
            if (endgame_kinds[i]->makes(names->word[j]))
                kind = endgame_kinds[i];
    return kind;
}

// Checks --device, a list of words.
static int check_devices(const struct build_run *run)
{
    const char *rest = run->request.options.device;
    const bool several = rest != NULL && strchr(rest, ',') != NULL;
    if (several && (run->kind != endgame_kinds[0] || command_peers != NULL))
        return usage_fault(run->command, "several devices share tables of chess only, and within one process");
    for (bool more = rest != NULL; more;) {
        char word[64];
        uint64_t number;
        const size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, rest);
        if (strcmp(word, "auto") != 0 && strcmp(word, "gpu") != 0 && strcmp(word, "cpu") != 0 &&
            (!parse_number(word, &number) || number > 9999))
            return usage_fault(run->command, "--device takes auto, gpu, cpu or a number of `cltb devices`, not '%.40s'",
                               word);
        more = rest[length] == ',';
        rest += length + 1;
    }
    return EXIT_DONE;
}

static int check_request(const struct build_run *run, const struct arguments *names)
{
    const struct build_request *request = &run->request;
    const bool plan = strcmp(run->command, "plan") == 0;
    if (plan && run->kind != endgame_kinds[0])
        return usage_fault(run->command, "only tables of chess are planned, by their names");
    if (!plan)
        TRY(options_check(names, run->kind->build_rules));
    TRY(options_check(names, rules));
    const bool syzygy = request->format != NULL && strcmp(request->format, "syzygy") == 0;
    if (!syzygy &&
        (request->options.syzygy != NULL || request->options.exact || request->options.only || request->options.wdl))
        return usage_fault(run->command, "--to, --exact, --only and --wdl belong to --format syzygy");
    if (syzygy && run->kind != endgame_kinds[0])
        return usage_fault(run->command, "--format syzygy is for the names of tables of chess");
    if (syzygy && (request->options.solve_only || request->options.both_sides || request->options.best))
        return usage_fault(run->command, "--solve-only, --both-sides and --best do not go with --format syzygy");
    if (command_peers != NULL && (run->kind != endgame_kinds[0] || syzygy || request->options.one))
        return usage_fault(run->command, "processes together make tables of chess only, without --one");
    if (request->options.disk > 0 && (run->kind != endgame_kinds[0] || command_peers != NULL))
        return usage_fault(run->command, "--disk is for full tables of chess that one process makes");
    if (request->options.one && (run->kind != endgame_kinds[0] || names->count != 1 || request->men > 0 || syzygy ||
                                 request->options.solve_only))
        return usage_fault(run->command, "--one makes one table of chess, which is named");
    if (request->men == 0 && names->count == 0 && request->spec == NULL)
        return usage_fault(run->command, "which tables? Give names such as KQvKR, or --men N");
    for (int i = 0; i < names->count && run->kind == endgame_kinds[0]; i++) {
        struct guess guess = {NULL, 0};
        guess_try(&guess, names->word[i], "dobutsu");
        if (guess.word != NULL)
            return usage_fault(run->command, "'%.40s' is not an endgame%s", names->word[i], guess_text(&guess).text);
    }
    if (request->men > 0 && names->count > 0)
        return usage_fault(run->command, "either names or --men, not both");
    return check_devices(run);
}

// Tables that the Syzygy files need and the folders lack are built in a temporary folder, which is removed in the end.
static int use_temporary_folder(struct build_run *run, char **dir, char **search)
{
    struct build_options *o = &run->request.options;
    const char *within = o->scratch != NULL ? o->scratch : o->syzygy;
    if (strpbrk(within, OS_LIST) != NULL)
        return usage_fault(run->command, "'%.40s': a folder without '%s' in its name is needed (see --scratch)", within,
                           OS_LIST);
    if (asprintf(dir, "%s/.cltb-futurebases", within) < 0 || asprintf(search, "%s" OS_LIST "%s", *dir, o->search) < 0)
        return report(run->command, error_memory(0, "a folder's name"));
    o->dir = *dir;
    o->search = *search;
    o->temporary = true;
    return EXIT_DONE;
}

// Options outside of the request.
struct given {
    const char *dir;
    uint64_t threads;
    uint64_t checkpoint;
    uint64_t lease;
    const char *events;
    bool dry_run;
    bool quiet;
    bool verbose;
};

static int read_options(struct build_run *run, struct given *given, struct arguments *names, int argc, char **argv)
{
    const bool export = strcmp(run->command, "export") == 0;
    const bool plan = strcmp(run->command, "plan") == 0;
    struct build_request *r = &run->request;
    struct build_options *o = &r->options;
    // `plan` takes part of these options, `export` fewer of the first ones.
    enum { BUILD_ONLY = 9, TABLES_ONLY = 14, PLANNED = 25 };
    struct option options[] = {
        {.name = "--ship", .kind = OPTION_TEXT, .value = &o->ship},
        {.name = "--solve-only", .kind = OPTION_FLAG, .value = &o->solve_only},
        {.name = "--spec", .kind = OPTION_FILE, .value = &r->spec},
        {.name = "--prune", .kind = OPTION_TEXT, .value = &r->prune},
        {.name = "--futurebases", .kind = OPTION_FILE, .value = &r->futurebases},
        {.name = "--output", .kind = OPTION_FILE, .value = &r->output},
        {.name = "", .kind = OPTION_TEXT, .choices = "dobutsu"},
        {.name = "--one", .kind = OPTION_FLAG, .value = &o->one},
        {.name = "--lease", .kind = OPTION_NUMBER, .value = &given->lease, .least = 1, .most = 1000000},
        {.name = "--metric", .kind = OPTION_CHOICE, .value = &r->metric, .choices = "dtz|dtm|dtc"},
        {.name = "--both-sides", .kind = OPTION_FLAG, .value = &o->both_sides},
        {.name = "--best", .kind = OPTION_FLAG, .value = &o->best},
        {.name = "--disk", .kind = OPTION_SIZE, .value = &o->disk, .least = 1},
        {.name = "--keep", .kind = OPTION_LIST, .value = o->keep, .most = BUILD_KEEP_MAX},
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &given->dir},
        {.name = "--device", .kind = OPTION_TEXT, .value = &o->device, .choices = "auto|gpu|cpu"},
        {.name = "--isa", .kind = OPTION_CHOICE, .value = &o->isa, .choices = "avx512|avx2|generic"},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &given->threads, .least = 1, .most = 1024},
        {.name = "--memory", .kind = OPTION_SIZE, .value = &o->memory, .least = 1},
        {.name = "--scratch", .kind = OPTION_FOLDER, .value = &o->scratch},
        {.name = "--block", .kind = OPTION_SIZE, .value = &o->block, .least = 1},
        {.name = "--checkpoint", .kind = OPTION_NUMBER, .value = &given->checkpoint, .least = 0, .most = 1000000},
        {.name = "--men", .kind = OPTION_NUMBER, .value = &r->men, .least = 3, .most = MATERIAL_MEN_MAX},
        {.name = "--pawnless", .kind = OPTION_FLAG, .value = &r->pawnless},
        {.name = "--format",
         .kind = OPTION_CHOICE,
         .value = &r->format,
         .choices = export ? "syzygy"
                    : plan ? "text|tsv|json|dot|make|parallel|slurm"
                           : "text|tsv|json|raw|syzygy"},
        {.name = "--force", .kind = OPTION_FLAG, .value = &o->force},
        {.name = "--to", .kind = OPTION_FOLDER, .value = &o->syzygy},
        {.name = "--exact", .kind = OPTION_FLAG, .value = &o->exact},
        {.name = "--only", .kind = OPTION_FLAG, .value = &o->only},
        {.name = "--wdl", .kind = OPTION_FLAG, .value = &o->wdl},
        {.name = "--dry-run", .letter = 'n', .kind = OPTION_FLAG, .value = &given->dry_run},
        {.name = "--quiet", .kind = OPTION_FLAG, .value = &given->quiet},
        {.name = "--verbose", .kind = OPTION_FLAG, .value = &given->verbose},
        {.name = "--events", .kind = OPTION_CHOICE, .value = &given->events, .choices = "json"},
        {.name = NULL}};
    if (plan)
        options[PLANNED].name = NULL;
    TRY(options_parse(names, run->command, argc, argv, options + (export ? TABLES_ONLY : plan ? BUILD_ONLY : 0)));
    if (export)
        r->format = "syzygy";
    run->kind = kind_of(names);
    return check_request(run, names);
}

// `command`: build, export or plan.
static int run(const char *command, int argc, char **argv)
{
    struct build_run run = {.command = command, .progress = {.quiet = false}};
    struct build_request *r = &run.request;
    struct build_options *o = &r->options;
    struct given given = {.checkpoint = 60, .lease = 150};
    struct arguments names;
    TRY(read_options(&run, &given, &names, argc, argv));
    // Tables are read from all folders and written to the first.
    o->search = tables_dir(given.dir);
    const char *first = o->search + strspn(o->search, OS_LIST);
    if (*first == '\0')
        return usage_fault(command, "no folder of tables given");
    char *folder;
    if (asprintf(&folder, "%.*s", (int)strcspn(first, OS_LIST), first) < 0)
        return report(command, error_memory(0, "a folder's name"));
    o->dir = folder;
    const bool syzygy = r->format != NULL && strcmp(r->format, "syzygy") == 0;
    char *temporary = NULL;
    char *search = NULL;
    int status = EXIT_DONE;
    if (syzygy && o->syzygy == NULL)
        o->syzygy = folder;
    if (syzygy && o->disk == 0)
        status = use_temporary_folder(&run, &temporary, &search);
    o->threads = (int)given.threads;
    o->checkpoint = (double)given.checkpoint;
    r->name = (const char *const *)names.word;
    r->names = names.count;
    o->lease = (double)given.lease;
    o->peers = command_peers;
    if (status == EXIT_DONE && (given.dry_run || strcmp(command, "plan") == 0)) {
        const int code = run.kind->plan(r);
        status = code != 0 ? report(run.command, code) : EXIT_DONE;
    } else if (status == EXIT_DONE) {
        o->event = on_event;
        o->context = &run;
        const bool other = o->peers != NULL && o->peers->rank > 0;
        progress_begin(&run.progress, given.quiet || given.events != NULL || other, given.verbose);
        run.progress.events = given.events != NULL && !other;
        run.progress.many = r->men > 0;
        run.progress.other_kind = o->both_sides || o->best;
        interrupts_catch();
        status = finish(&run, peers_finish(o->peers, run.kind->build(r)));
    }
    free(search);
    free(temporary);
    free(folder);
    return status;
}

static int run_build(int argc, char **argv)
{
    return run("build", argc, argv);
}

static int run_plan(int argc, char **argv)
{
    return run("plan", argc, argv);
}

static int run_export(int argc, char **argv)
{
    return run("export", argc, argv);
}

const struct command build_command = {"build", run_build, "makes tables"};
const struct command plan_command = {"plan", run_plan, "prints what a build would do, or as jobs for many machines"};
const struct command export_command = {"export", run_export, "makes Syzygy files of tables"};
