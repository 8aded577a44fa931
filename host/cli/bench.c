// bench.c - `cltb bench`: kernels, building and probing, measured
#include "cli/command.h"
#include "show/json.h"
#include "util/units.h"

#include "check/bench.h"
#include "chess/value.h"
#include "make/build.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 32, PATH_LENGTH_MAX = 4096, PROBE_POSITIONS = 20000, DESCRIBE_MAX = 200 };

struct bench_table {
    const char *name;
    struct material material;
};

struct bench {
    const char *device;
    const char *isa;
    const char *dir;
    uint64_t threads;
    uint64_t milliseconds; // of one measurement
    uint64_t repeat;       // repetitions of a build
    struct json *json;     // NULL: text
    int count;             // tables
    struct bench_table table[NAMES_MAX];
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

static int run_kernels(struct bench *b, const struct bench_table *table, const char *dir)
{
    (void)dir;
    char describe[DESCRIBE_MAX] = "";
    const struct bench_kernel_options options = {.device = b->device,
                                                 .isa = b->isa,
                                                 .threads = (int)b->threads,
                                                 .seconds = 1e-3 * (double)b->milliseconds,
                                                 .material = table->material};
    TRY(bench_kernels(&options, print_kernel, b, describe, sizeof describe));
    if (b->json == NULL)
        printf("(%s; planes of %s)\n", describe, table->name);
    return 0;
}

// ---- building ----

static int note_times(void *context, const struct build_event *event)
{
    struct build_event *last = context;
    if (event->kind == BUILD_SOLVED || event->kind == BUILD_DONE)
        *last = *event;
    return 0;
}

// Builds the table once completely, then several times without writing it.
static int build_one(struct bench *b, const struct bench_table *table, const char *dir)
{
    struct build_event event = {.name = table->name};
    struct build_options options = {.dir = dir,
                                    .device = b->device,
                                    .isa = b->isa,
                                    .threads = (int)b->threads,
                                    .force = true,
                                    .event = note_times,
                                    .context = &event};
    TRY(build_table(&table->material, &options));
    const struct build_event full = event;
    double best = full.solve_seconds;
    options.solve_only = true;
    for (uint64_t i = 1; i < b->repeat; i++) {
        TRY(build_table(&table->material, &options));
        if (event.solve_seconds < best)
            best = event.solve_seconds;
    }
    if (b->json != NULL) {
        json_open(b->json, NULL, '{');
        json_text(b->json, "name", table->name);
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
           table->name, full.solve_seconds, best, full.solve_cpu_seconds,
           unit_count((double)full.positions / best).text, full.write_seconds, full.write_cpu_seconds,
           unit_bytes(full.file_bytes).text, unit_bytes(full.peak_memory).text);
    return 0;
}

// ---- probing ----

static int probe_one(struct bench *b, const struct bench_table *table, const char *dir)
{
    struct bench_probe rates;
    struct bench_probe_options options = {.folders = dir,
                                          .threads = b->threads > 0 ? (int)b->threads : 1,
                                          .seconds = 1e-3 * (double)b->milliseconds,
                                          .positions = PROBE_POSITIONS};
    TRY(bench_probing(&rates, &table->material, &options));
    if (b->json != NULL) {
        json_open(b->json, NULL, '{');
        json_text(b->json, "name", table->name);
        json_int(b->json, "threads", options.threads);
        json_real(b->json, "cold_outcome_per_second", 0, rates.cold);
        json_real(b->json, "cold_value_per_second", 0, rates.distant);
        json_real(b->json, "outcome_per_second", 0, rates.outcome);
        json_real(b->json, "many_per_second", 0, rates.many);
        json_real(b->json, "value_per_second", 0, rates.value);
        json_real(b->json, "fen_per_second", 0, rates.fen);
        json_real(b->json, "root_per_second", 0, rates.root);
        json_close(b->json);
    } else {
        printf("%-10s %d thread%s, per second: cold: outcome %s, then outcome and distance %s; warm: outcome %s, "
               "of many at once %s, outcome and distance %s, from FEN %s, all moves ranked %s\n",
               table->name, options.threads, options.threads == 1 ? "" : "s", unit_count(rates.cold).text,
               unit_count(rates.distant).text, unit_count(rates.outcome).text, unit_count(rates.many).text,
               unit_count(rates.value).text, unit_count(rates.fen).text, unit_count(rates.root).text);
    }
    return 0;
}

// ---- the command ----

static const struct part {
    const char *name;
    int (*run)(struct bench *b, const struct bench_table *table, const char *dir);
} parts[] = {{"kernels", run_kernels}, {"build", build_one}, {"probe", probe_one}};

enum { PARTS = sizeof parts / sizeof parts[0] };

// Runs one part, or all; tables are built in the folder `temporary`.
static int run_parts(struct bench *b, const struct part *only, const char *temporary)
{
    struct bench_table usual = {.name = "KQRvKR"}; // the kernels work on its planes, unless they are the only part
    int code = material_parse(&usual.material, usual.name, NULL);
    if (b->json != NULL)
        json_open(b->json, NULL, '{');
    for (const struct part *part = parts; part < parts + PARTS && code == 0; part++) {
        if (only != NULL && only != part)
            continue;
        const char *dir = only == NULL || part->run == build_one ? temporary : tables_dir(b->dir);
        if (b->json != NULL)
            json_open(b->json, part->name, '[');
        const int count = part->run == run_kernels ? 1 : b->count;
        for (int j = 0; j < count && code == 0; j++)
            code = part->run(b, part->run == run_kernels && only == NULL ? &usual : &b->table[j], dir);
        if (b->json != NULL)
            json_close(b->json);
    }
    if (b->json != NULL)
        json_close(b->json);
    return code;
}

static int take_name(struct bench *b, const char *name)
{
    struct bench_table table = {.name = name};
    const int code = material_parse(&table.material, name, NULL);
    if (code != 0)
        return report("bench", code);
    if (b->count == NAMES_MAX)
        return usage_fault("bench", "at most %d names", NAMES_MAX);
    b->table[b->count++] = table;
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    const char *format = "text";
    const char *table = NULL;
    const struct part *only = NULL;
    struct json json = {.depth = 0};
    struct bench b = {.milliseconds = 300, .repeat = 3};
    const struct option options[] = {
        {.name = "--device", .kind = OPTION_TEXT, .value = &b.device, .choices = "auto|gpu|cpu"},
        {.name = "--isa", .kind = OPTION_CHOICE, .value = &b.isa, .choices = "avx512|avx2|generic"},
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &b.dir},
        {.name = "--table", .kind = OPTION_TEXT, .value = &table},
        {.name = "--threads", .kind = OPTION_NUMBER, .value = &b.threads, .least = 1, .most = 1024},
        {.name = "--milliseconds", .kind = OPTION_NUMBER, .value = &b.milliseconds, .least = 1, .most = 1000000},
        {.name = "--repeat", .kind = OPTION_NUMBER, .value = &b.repeat, .least = 1, .most = 1000},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|json"},
        {.name = "", .kind = OPTION_TEXT, .choices = "kernels|build|probe"},
        {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "bench", argc, argv, options);
    for (int i = 0; i < PARTS && arguments.count > 0; i++)
        if (strcmp(arguments.word[0], parts[i].name) == 0)
            only = &parts[i];
    if (status == EXIT_DONE && table != NULL)
        status = take_name(&b, table);
    for (int i = only != NULL ? 1 : 0; i < arguments.count && status == EXIT_DONE; i++)
        status = take_name(&b, arguments.word[i]);
    if (status == EXIT_DONE && b.count == 0)
        status = take_name(&b, only == &parts[0] ? "KQRvKR" : "KQvKR");
    if (status != EXIT_DONE)
        return status;
    b.json = strcmp(format, "json") == 0 ? &json : NULL;
    // Tables are built in a temporary folder.
    char temporary[PATH_LENGTH_MAX] = "";
    const bool builds = only == NULL || only->run == build_one;
    int code = builds ? folders_temporary(temporary, sizeof temporary, "cltb-bench") : 0;
    if (code != 0)
        return report("bench", code);
    code = run_parts(&b, only, temporary);
    if (builds)
        folders_remove(temporary);
    return code != 0 ? report("bench", code) : EXIT_DONE;
}

const struct command bench_command = {"bench", run, "measures kernels, building and probing"};
