// bench.c - `cltb bench`: kernels, building, probing and the gap code, measured
#include "cli/bench_gap.h"
#include "cli/command.h"
#include "show/json.h"
#include "util/units.h"

#include "check/bench.h"
#include "make/build.h"
#include "util/error.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 32, PATH_LENGTH_MAX = 4096, PROBE_POSITIONS = 20000, DESCRIBE_MAX = 200 };

struct bench {
    const char *device;
    const char *isa;
    const char *dir;
    const char *table;
    uint64_t threads;
    uint64_t milliseconds; // of a measurement
    uint64_t repeat;       // of a build
    struct json *json;     // NULL: text
    int count;             // names
    const char *name[NAMES_MAX];
    double copy_rate; // bytes per second
};

// ---- kernels ----

static int print_kernel(void *context, const struct bench_kernel *k)
{
    struct bench *b = context;
    double rate = k->bytes / k->seconds;
    if (b->copy_rate == 0)
        b->copy_rate = rate;
    if (b->json != NULL) {
        json_open(b->json, NULL, '{');
        json_text(b->json, "name", k->name);
        json_real(b->json, "seconds", 9, k->seconds);
        json_real(b->json, "bytes_per_second", 0, rate);
        json_real(b->json, "positions_per_second", 0, k->positions / k->seconds);
        json_real(b->json, "of_copy_rate", 4, rate / b->copy_rate);
        json_close(b->json);
    } else {
        printf("%-32s %10.1f GB/s  %5.2f of copying", k->name, 1e-9 * rate, rate / b->copy_rate);
        if (k->positions > 0)
            printf("  %s positions/s  %.3f us", unit_count(k->positions / k->seconds).text, 1e6 * k->seconds);
        printf("\n");
    }
    return 0;
}

static int run_kernels(struct bench *b, const char *name, const char *dir)
{
    (void)dir;
    char describe[DESCRIBE_MAX] = "";
    struct bench_kernel_options options = {
        .device = b->device, .isa = b->isa, .threads = (int)b->threads, .seconds = 1e-3 * (double)b->milliseconds};
    int code = material_parse(&options.material, name, NULL);
    if (code == 0)
        code = bench_kernels(&options, print_kernel, b, describe, sizeof describe);
    if (code == 0 && b->json == NULL)
        printf("(%s; planes of %s)\n", describe, name);
    return code;
}

// ---- building ----

static int note_times(void *context, const struct build_event *event)
{
    struct build_event *last = context;
    if (event->kind == BUILD_SOLVED || event->kind == BUILD_DONE)
        *last = *event;
    return 0;
}

// Once in full, then as often as asked without writing.
static int build_one(struct bench *b, const char *name, const char *dir)
{
    struct build_event event = {.name = name};
    struct build_options options = {.dir = dir,
                                    .device = b->device,
                                    .isa = b->isa,
                                    .threads = (int)b->threads,
                                    .force = true,
                                    .event = note_times,
                                    .context = &event};
    struct material material;
    int code = material_parse(&material, name, NULL);
    if (code == 0)
        code = build_table(&material, &options);
    struct build_event full = event;
    double best = full.solve_seconds;
    options.solve_only = true;
    for (uint64_t i = 1; code == 0 && i < b->repeat; i++) {
        code = build_table(&material, &options);
        if (event.solve_seconds < best)
            best = event.solve_seconds;
    }
    if (code != 0)
        return code;
    if (b->json != NULL) {
        json_open(b->json, NULL, '{');
        json_text(b->json, "name", name);
        json_count(b->json, "positions", full.positions);
        json_real(b->json, "solve_seconds", 6, full.solve_seconds);
        json_real(b->json, "solve_seconds_best", 6, best);
        json_real(b->json, "solve_cpu_seconds", 6, full.solve_cpu_seconds);
        json_real(b->json, "write_seconds", 6, full.write_seconds);
        json_real(b->json, "write_cpu_seconds", 6, full.write_cpu_seconds);
        json_count(b->json, "bytes", full.file_bytes);
        json_count(b->json, "peak_memory", full.peak_memory);
        json_close(b->json);
        return 0;
    }
    printf("%-10s solve %8.3f s (best %.3f, cpu %.3f), %s positions/s; write %8.3f s (cpu %.3f), %s; peak memory %s\n",
           name, full.solve_seconds, best, full.solve_cpu_seconds, unit_count((double)full.positions / best).text,
           full.write_seconds, full.write_cpu_seconds, unit_bytes(full.file_bytes).text,
           unit_bytes(full.peak_memory).text);
    return 0;
}

// ---- probing ----

static int probe_one(struct bench *b, const char *name, const char *dir)
{
    struct material material;
    struct bench_probe rates;
    struct bench_probe_options options = {.folders = dir,
                                          .threads = b->threads > 0 ? (int)b->threads : 1,
                                          .seconds = 1e-3 * (double)b->milliseconds,
                                          .positions = PROBE_POSITIONS};
    int code = material_parse(&material, name, NULL);
    if (code == 0)
        code = bench_probing(&rates, &material, &options);
    if (code != 0)
        return code;
    if (b->json != NULL) {
        json_open(b->json, NULL, '{');
        json_text(b->json, "name", name);
        json_int(b->json, "threads", options.threads);
        json_real(b->json, "cold_per_second", 0, rates.cold);
        json_real(b->json, "outcome_per_second", 0, rates.outcome);
        json_real(b->json, "value_per_second", 0, rates.value);
        json_real(b->json, "fen_per_second", 0, rates.fen);
        json_real(b->json, "root_per_second", 0, rates.root);
        json_close(b->json);
    } else {
        printf("%-10s %d thread%s, per second: cold %s, outcome %s, outcome and distance %s, from FEN %s, all moves "
               "ranked %s\n",
               name, options.threads, options.threads == 1 ? "" : "s", unit_count(rates.cold).text,
               unit_count(rates.outcome).text, unit_count(rates.value).text, unit_count(rates.fen).text,
               unit_count(rates.root).text);
    }
    return 0;
}

// ---- the gap code ----

static int gap_one(struct bench *b, const char *name, const char *dir)
{
    if (b->json == NULL && name != b->name[0])
        printf("\n");
    return bench_gap_print(name, dir, (int)b->threads, b->json);
}

// ---- the command ----

static const struct part {
    const char *name;
    int (*run)(struct bench *b, const char *table, const char *dir);
    bool by_itself; // only if it is asked for
} parts[] = {
    {"kernels", run_kernels, false}, {"build", build_one, false}, {"probe", probe_one, false}, {"gap", gap_one, true}};

enum { PARTS = sizeof parts / sizeof parts[0] };

// One part, or all but those by themselves; tables that are built lie in the folder `temporary`.
static int run_parts(struct bench *b, const struct part *only, const char *temporary)
{
    int code = 0;
    if (b->json != NULL)
        json_open(b->json, NULL, '{');
    for (const struct part *part = parts; part < parts + PARTS && code == 0; part++) {
        if (only != NULL ? only != part : part->by_itself)
            continue;
        const char *dir = only == NULL || part->run == build_one ? temporary : tables_dir(b->dir);
        if (b->json != NULL)
            json_open(b->json, part->name, '[');
        if (part->run == run_kernels) // of one table
            code = part->run(b, only != NULL ? b->name[0] : "KQRvKR", dir);
        else
            for (int j = 0; j < b->count && code == 0; j++)
                code = part->run(b, b->name[j], dir);
        if (b->json != NULL)
            json_close(b->json);
    }
    if (b->json != NULL)
        json_close(b->json);
    return code;
}

static int take_name(struct bench *b, const char *name)
{
    struct material material;
    int code = material_parse(&material, name, NULL);
    if (code != 0)
        return report("bench", code);
    if (b->count == NAMES_MAX)
        return usage_fault("bench", "at most %d names", NAMES_MAX);
    b->name[b->count++] = name;
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    const char *format = "text";
    const struct part *only = NULL;
    struct json json = {.depth = 0};
    struct bench b = {.milliseconds = 300, .repeat = 3};
    const struct option options[] = {
        {.name = "--device", .kind = OPTION_TEXT, .value = &b.device},
        {.name = "--isa", .kind = OPTION_CHOICE, .value = &b.isa, .choices = "avx512|avx2|generic"},
        {.name = "--dir", .kind = OPTION_TEXT, .value = &b.dir},
        {.name = "--table", .kind = OPTION_TEXT, .value = &b.table},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &b.threads, .least = 1, .most = 1024},
        {.name = "--milliseconds", .kind = OPTION_NUMBER, .value = &b.milliseconds, .least = 1, .most = 1000000},
        {.name = "--repeat", .kind = OPTION_NUMBER, .value = &b.repeat, .least = 1, .most = 1000},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|json"},
        {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "bench", argc, argv, options);
    for (int i = 0; i < PARTS && arguments.count > 0; i++)
        if (strcmp(arguments.word[0], parts[i].name) == 0)
            only = &parts[i];
    if (status == EXIT_DONE && b.table != NULL)
        status = take_name(&b, b.table);
    for (int i = only != NULL ? 1 : 0; i < arguments.count && status == EXIT_DONE; i++)
        status = take_name(&b, arguments.word[i]);
    if (status != EXIT_DONE)
        return status;
    if (b.count == 0)
        b.name[b.count++] = only == &parts[0] ? "KQRvKR" : "KQvKR";
    b.json = strcmp(format, "json") == 0 ? &json : NULL;
    // Tables that are built lie in a temporary folder.
    char temporary[PATH_LENGTH_MAX] = "";
    const bool builds = only == NULL || only->run == build_one;
    if (builds) {
        const char *base = getenv("TMPDIR");
        snprintf(temporary, sizeof temporary, "%s/cltb-bench-XXXXXX", base != NULL && *base != '\0' ? base : "/tmp");
        if (mkdtemp(temporary) == NULL)
            return report("bench", error_set(CLTB_E_IO, "cannot make the folder %s", temporary));
    }
    const int code = run_parts(&b, only, temporary);
    if (builds) {
        DIR *folder = opendir(temporary);
        const struct dirent *entry;
        while (folder != NULL && (entry = readdir(folder)) != NULL)
            if (entry->d_name[0] != '.')
                unlinkat(dirfd(folder), entry->d_name, 0);
        if (folder != NULL)
            closedir(folder);
        rmdir(temporary);
    }
    return code != 0 ? report("bench", code) : EXIT_DONE;
}

const struct command bench_command = {"bench", run, "measures kernels, building, probing and the gap code"};
