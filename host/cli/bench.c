// bench.c - `cltb bench`: kernels, building, probing and the gap code, measured
#include "cli/bench_gap.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/units.h"

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
    bool json;
    const char *comma; // before the next object of the present list
    int count;         // names
    const char *name[NAMES_MAX];
    double copy_rate; // bytes per second
};

static void begin_list(struct bench *b, const char *name, bool first)
{
    if (b->json)
        printf("%s\"%s\": [", first ? "{" : ", ", name);
    b->comma = "";
}

static void end_list(const struct bench *b)
{
    if (b->json)
        printf("]");
}

// ---- kernels ----

static int print_kernel(void *context, const struct bench_kernel *k)
{
    struct bench *b = context;
    double rate = k->bytes / k->seconds;
    if (b->copy_rate == 0)
        b->copy_rate = rate;
    if (b->json) {
        printf("%s{\"name\": ", b->comma);
        json_string(k->name);
        printf(
            ", \"seconds\": %.9f, \"bytes_per_second\": %.0f, \"positions_per_second\": %.0f, \"of_copy_rate\": %.4f}",
            k->seconds, rate, k->positions / k->seconds, rate / b->copy_rate);
        b->comma = ", ";
    } else {
        printf("%-32s %10.1f GB/s  %5.2f of copying", k->name, 1e-9 * rate, rate / b->copy_rate);
        if (k->positions > 0)
            printf("  %s positions/s  %.3f us", unit_count(k->positions / k->seconds).text, 1e6 * k->seconds);
        printf("\n");
    }
    return 0;
}

static int run_kernels(struct bench *b, const char *name)
{
    char describe[DESCRIBE_MAX] = "";
    struct bench_kernel_options options = {
        .device = b->device, .isa = b->isa, .threads = (int)b->threads, .seconds = 1e-3 * (double)b->milliseconds};
    int code = material_parse(&options.material, name, NULL);
    if (code == 0)
        code = bench_kernels(&options, print_kernel, b, describe, sizeof describe);
    if (code == 0 && !b->json)
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

static void print_build(struct bench *b, const char *name, const struct build_event *e, double solve_best)
{
    if (b->json) {
        printf("%s{\"name\": \"%s\", \"positions\": %llu, \"solve_seconds\": %.6f, \"solve_seconds_best\": %.6f, "
               "\"solve_cpu_seconds\": %.6f, \"write_seconds\": %.6f, \"write_cpu_seconds\": %.6f, \"bytes\": %llu, "
               "\"peak_memory\": %zu}",
               b->comma, name, (unsigned long long)e->positions, e->solve_seconds, solve_best, e->solve_cpu_seconds,
               e->write_seconds, e->write_cpu_seconds, (unsigned long long)e->file_bytes, e->peak_memory);
        b->comma = ", ";
        return;
    }
    printf("%-10s solve %8.3f s (best %.3f, cpu %.3f), %s positions/s; write %8.3f s (cpu %.3f), %s; peak memory %s\n",
           name, e->solve_seconds, solve_best, e->solve_cpu_seconds, unit_count((double)e->positions / solve_best).text,
           e->write_seconds, e->write_cpu_seconds, unit_bytes(e->file_bytes).text, unit_bytes(e->peak_memory).text);
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
    if (code == 0)
        print_build(b, name, &full, best);
    return code;
}

static int run_builds(struct bench *b, const char *dir)
{
    int code = 0;
    for (int i = 0; i < b->count && code == 0; i++)
        code = build_one(b, b->name[i], dir);
    return code;
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
    if (b->json)
        printf("%s{\"name\": \"%s\", \"threads\": %d, \"cold_per_second\": %.0f, \"outcome_per_second\": %.0f, "
               "\"value_per_second\": %.0f, \"fen_per_second\": %.0f, \"root_per_second\": %.0f}",
               b->comma, name, options.threads, rates.cold, rates.outcome, rates.value, rates.fen, rates.root);
    else
        printf("%-10s %d thread%s, per second: cold %s, outcome %s, outcome and distance %s, from FEN %s, all moves "
               "ranked %s\n",
               name, options.threads, options.threads == 1 ? "" : "s", unit_count(rates.cold).text,
               unit_count(rates.outcome).text, unit_count(rates.value).text, unit_count(rates.fen).text,
               unit_count(rates.root).text);
    b->comma = ", ";
    return 0;
}

static int run_probes(struct bench *b, const char *dir)
{
    int code = 0;
    for (int i = 0; i < b->count && code == 0; i++)
        code = probe_one(b, b->name[i], dir);
    return code;
}

// ---- the gap code ----

static int run_gap(struct bench *b)
{
    int code = 0;
    for (int i = 0; i < b->count && code == 0; i++) {
        printf("%s", b->comma);
        code = bench_gap_print(b->name[i], tables_dir(b->dir), (int)b->threads, b->json);
        b->comma = b->json ? ", " : "\n";
    }
    return code;
}

// ---- a temporary folder ----

static int make_folder(char path[PATH_LENGTH_MAX])
{
    const char *base = getenv("TMPDIR");
    snprintf(path, PATH_LENGTH_MAX, "%s/cltb-bench-XXXXXX", base != NULL && *base != '\0' ? base : "/tmp");
    if (mkdtemp(path) == NULL)
        return error_set(CLTB_E_IO, "cannot make the folder %s", path);
    return 0;
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder != NULL)
        closedir(folder);
    rmdir(path);
}

// ---- the command ----

static bool wants(const char *part, const char *name)
{
    return part == NULL || strcmp(part, name) == 0;
}

static int run_parts(struct bench *b, const char *part, const char *temporary)
{
    int code = 0;
    if (wants(part, "kernels")) {
        begin_list(b, "kernels", true);
        code = run_kernels(b, part != NULL ? b->name[0] : "KQRvKR");
        end_list(b);
    }
    if (code == 0 && wants(part, "build")) {
        begin_list(b, "build", part != NULL);
        code = run_builds(b, temporary);
        end_list(b);
    }
    if (code == 0 && wants(part, "probe")) {
        begin_list(b, "probe", part != NULL);
        code = run_probes(b, part != NULL ? tables_dir(b->dir) : temporary);
        end_list(b);
    }
    if (part != NULL && strcmp(part, "gap") == 0) {
        begin_list(b, "gap", true);
        code = run_gap(b);
        end_list(b);
    }
    if (b->json)
        printf("}\n");
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

static int take_names(struct bench *b, const struct arguments *arguments, const char **part)
{
    static const char *const parts[] = {"kernels", "build", "probe", "gap"};
    *part = NULL;
    for (int i = 0; i < 4 && arguments->count > 0; i++)
        if (strcmp(arguments->word[0], parts[i]) == 0)
            *part = parts[i];
    int status = b->table != NULL ? take_name(b, b->table) : EXIT_DONE;
    for (int i = *part != NULL ? 1 : 0; i < arguments->count && status == EXIT_DONE; i++)
        status = take_name(b, arguments->word[i]);
    if (b->count == 0)
        b->name[b->count++] = *part != NULL && strcmp(*part, "kernels") == 0 ? "KQRvKR" : "KQvKR";
    return status;
}

static int run(int argc, char **argv)
{
    const char *format = "text";
    const char *part;
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
    if (status == EXIT_DONE)
        status = take_names(&b, &arguments, &part);
    if (status != EXIT_DONE)
        return status;
    char temporary[PATH_LENGTH_MAX] = "";
    b.json = strcmp(format, "json") == 0;
    int code = wants(part, "build") ? make_folder(temporary) : 0;
    if (code == 0)
        code = run_parts(&b, part, temporary);
    if (temporary[0] != '\0')
        remove_folder(temporary);
    return code != 0 ? report("bench", code) : EXIT_DONE;
}

const struct command bench_command = {"bench", run, "measures kernels, building, probing and the gap code"};
