// chess_jobs.c - a plan as jobs for the schedulers that people have: GNU make, GNU parallel, Slurm
//
// Each job is `cltb build NAME --one`, which makes one table and finds its futurebases in place. Jobs that may run at
// the same time are listed by the longest path first, so that tables for which many others wait are begun early.
#include "kind/chess_plan.h"

#include "util/error.h"
#include "util/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {"make", "parallel", "slurm"};

bool chess_plan_is_jobs(const char *format)
{
    for (size_t i = 0; format != NULL && i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(format, formats[i]) == 0)
            return true;
    return false;
}

// ---- the command of a job ----

// Folders are written unchanged into texts of three languages: so no blanks, quotes or '$'.
static int check_word(const char *word)
{
    for (const char *at = word; at != NULL && *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && strchr("/._-+,:=@%", *at) == NULL)
            return error_set(CLTB_E_USAGE, "a plan of jobs cannot name '%s': use only letters, digits and /._-+,:=@%%",
                             word);
    return 0;
}

static void print_word(const char *name, const char *value)
{
    if (value != NULL)
        printf(" %s %s", name, value);
}

static void print_number(const char *name, uint64_t value)
{
    if (value > 0)
        printf(" %s %" PRIu64, name, value);
}

// The options of the build, except the folder of tables and the threads.
static void print_options(const struct build_options *options)
{
    print_word("--device", options->device);
    print_word("--isa", options->isa);
    print_number("--memory", options->memory);
    print_word("--scratch", options->scratch);
    print_number("--block", options->block);
    if (options->checkpoint != 60)
        printf(" --checkpoint %.0f", options->checkpoint);
    if (options->best)
        printf(" --best");
    if (options->both_sides)
        printf(" --both-sides");
    printf(" --quiet");
}

static void print_head(const struct plan_graph *graph)
{
    const struct plan *plan = graph->plan;
    printf("# %zu tables to make, %zu present; about %s of files", plan->to_make, plan->count - plan->to_make,
           unit_bytes(plan->file_bytes).text);
    printf("; %s of work, %.1f s by the longest path,", unit_duration(plan->seconds).text, graph->path);
    printf(" at most %s of memory a job.\n", unit_bytes(plan->memory).text);
}

static const char *name_of(const struct plan_graph *graph, size_t table, char name[MATERIAL_NAME_MAX])
{
    return material_name(&graph->plan->table[table].material, name);
}

// ---- make ----

static void print_make(const struct plan_graph *graph, const struct build_options *options)
{
    const struct plan *plan = graph->plan;
    char name[MATERIAL_NAME_MAX];
    print_head(graph);
    printf("# make -j JOBS -f THIS-FILE [CLTB=/usr/bin/cltb] [THREADS=%d]; several machines may share the folder.\n"
           "CLTB = cltb\nTHREADS = %d\nDIR = %s\nBUILD = $(CLTB) build --one --dir %s --threads $(THREADS)",
           options->threads, options->threads, options->dir, options->search);
    print_options(options);
    printf("\n\n.PHONY: all");
    for (size_t i = 0; i < plan->count; i++) // present, but damaged
        if (plan->table[i].state == PLAN_REPLACE)
            printf(" $(DIR)/%s.cltb", name_of(graph, i, name));
    printf("\nall:");
    for (size_t i = 0; i < plan->to_make; i++)
        printf(" \\\n    $(DIR)/%s.cltb", name_of(graph, graph->order[i], name));
    printf("\n\n");
    for (size_t i = 0; i < plan->to_make; i++) {
        const struct plan_node *node = &graph->node[graph->order[i]];
        printf("$(DIR)/%s.cltb:", name_of(graph, graph->order[i], name));
        const char *bar = " |"; // needed, whatever their dates
        for (size_t j = 0; j < node->bases; j++) {
            if (plan->table[node->base[j]].state == PLAN_PRESENT)
                continue;
            printf("%s $(DIR)/%s.cltb", bar, name_of(graph, node->base[j], name));
            bar = "";
        }
        printf("\n\t$(BUILD) %s\n", name_of(graph, graph->order[i], name));
    }
}

// ---- level by level ----

struct level {
    size_t tables;
    double seconds;  // of the longest job
    uint64_t memory; // of the one that takes most
};

static struct level measure_level(const struct plan_graph *graph, size_t level)
{
    struct level result = {0, 0, 0};
    for (size_t i = 0; i < graph->plan->to_make; i++) {
        const struct plan_table *table = &graph->plan->table[graph->order[i]];
        if (graph->node[graph->order[i]].level != level)
            continue;
        result.tables++;
        result.seconds = table->seconds > result.seconds ? table->seconds : result.seconds;
        result.memory = table->memory > result.memory ? table->memory : result.memory;
    }
    return result;
}

static void print_level(const struct plan_graph *graph, size_t level)
{
    char name[MATERIAL_NAME_MAX];
    for (size_t i = 0; i < graph->plan->to_make; i++)
        if (graph->node[graph->order[i]].level == level)
            printf(" \\\n    %s", name_of(graph, graph->order[i], name));
    printf("\n");
}

static void print_parallel(const struct plan_graph *graph, const struct build_options *options)
{
    printf("#!/bin/sh\n");
    print_head(graph);
    printf("# sh THIS-FILE; $JOBS at a time, by default one for each processor. $PARALLEL holds more options of GNU\n"
           "# parallel, such as --sshloginfile HOSTS, if all hosts share the folder.\n"
           "set -eu\n"
           "level() {\n"
           "    parallel -j \"${JOBS:-100%%}\" --halt soon,fail=1 \"${CLTB:-cltb}\" build {} --one --dir %s"
           " --threads \"${THREADS:-%d}\"",
           options->search, options->threads);
    print_options(options);
    printf(" ::: \"$@\"\n}\n");
    for (size_t level = 0; level < graph->levels; level++) {
        printf("level");
        print_level(graph, level);
    }
}

static void print_slurm(const struct plan_graph *graph, const struct build_options *options)
{
    // Estimates are right within a factor of four, and the program's own memory comes on top.
    enum { MARGIN = 4, LEAST_MINUTES = 5, OWN_MEGABYTES = 64 };
    printf("#!/bin/bash\n");
    print_head(graph);
    printf("# bash THIS-FILE submits an array of jobs for each level; each array waits for the one before. All nodes\n"
           "# must share the folder. $SBATCH_PARTITION, $SBATCH_ACCOUNT and the like are sbatch's own.\n"
           "set -eu\n"
           "cltb=${CLTB:-cltb} threads=${THREADS:-%d} after=\n"
           "level() { # MINUTES MEGABYTES TABLE...\n"
           "    local minutes=$1 megabytes=$2\n"
           "    shift 2\n"
           "    after=$(sbatch --parsable --job-name=cltb ${after:+--dependency=\"afterok:$after\"} "
           "--kill-on-invalid-dep=yes \\\n"
           "        --array=\"0-$(($# - 1))\" --cpus-per-task=\"$threads\" --time=\"$minutes\" --mem=\"${megabytes}M\" "
           "<<END\n"
           "#!/bin/bash\n"
           "tables=($*)\n"
           "exec $cltb build \"\\${tables[SLURM_ARRAY_TASK_ID]}\" --one --dir %s --threads $threads",
           options->threads, options->search);
    print_options(options);
    printf("\nEND\n    )\n    after=${after%%%%;*}\n    echo \"$# tables: job $after\"\n}\n");
    for (size_t i = 0; i < graph->levels; i++) {
        const struct level level = measure_level(graph, i);
        const double minutes = level.seconds * MARGIN / 60;
        printf("level %.0f %" PRIu64, minutes < LEAST_MINUTES ? LEAST_MINUTES : minutes + 1,
               level.memory * 5 / 4 / 1000000 + OWN_MEGABYTES);
        print_level(graph, i);
    }
}

int chess_plan_jobs(const struct plan_graph *graph, const struct build_request *request)
{
    const struct build_options *options = &request->options;
    TRY(check_word(options->search));
    TRY(check_word(options->scratch));
    if (strcmp(request->format, "make") == 0)
        print_make(graph, options);
    else if (strcmp(request->format, "parallel") == 0)
        print_parallel(graph, options);
    else
        print_slurm(graph, options);
    return 0;
}
