// plan_hosts.c - what a table takes that several hosts make together, and what travels between them
#include "make/plan_hosts.h"

#include "make/plan_material.h"

// Without pawns, times (1 - 1/N): means of four tables of five men.
static const double solve_files = 27;    // estimated bytes of the file
static const double ply_planes = 0.7;    // the ply that sends most
static const double gather_planes = 2.8; //
static const double pair_messages = 145; // from each process to each other one

// With pawns, from each process to each other one: bytes for each entry of the index, packed as in the work file.
static const double slice_bytes = 0.2;
static const double level_messages = 3;

// A pawn or several on five ranks, one more each time.
static double levels_of(const struct material *material)
{
    const int pawns = material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
    return 5 * pawns + 1;
}

static void count_pawnless(struct plan_hosts *hosts, const struct plan_table *table, double n)
{
    const double plane = (double)table->entries / 2 / 8;
    hosts->ply_bytes = ply_planes * plane * (1 - 1 / n);
    hosts->solve_bytes = solve_files * plan_file_bytes(&table->material) * (1 - 1 / n);
    hosts->gather_bytes = gather_planes * plane * (1 - 1 / n);
    hosts->messages = pair_messages * n * (n - 1);
    hosts->scratch_bytes = (uint64_t)((double)table->stream.scratch_bytes / n);
    hosts->first_scratch = table->stream.scratch_bytes;
}

static void count_pawns(struct plan_hosts *hosts, const struct plan_table *table, double n)
{
    const double levels = levels_of(&table->material);
    hosts->solve_bytes = slice_bytes * (double)table->entries * (n - 1);
    hosts->ply_bytes = hosts->solve_bytes / levels;
    hosts->messages = level_messages * levels * n * (n - 1);
    hosts->scratch_bytes = hosts->first_scratch = table->work_bytes;
}

void plan_hosts(struct plan_hosts *hosts, const struct plan_table *table, const struct plan_network *network)
{
    const double n = network->hosts;
    *hosts = (struct plan_hosts){.write_seconds = table->seconds - table->solve_seconds,
                                 .solve_seconds = table->solve_seconds / n};
    if (material_has_pawns(&table->material))
        count_pawns(hosts, table, n);
    else if (table->stream.streamed)
        count_pawnless(hosts, table, n);
    else // the first process makes it alone
        hosts->solve_seconds = table->solve_seconds;
    hosts->network_seconds = hosts->messages / n * network->latency + hosts->solve_bytes / n / network->rate;
    hosts->gather_seconds = hosts->gather_bytes / network->rate;
    hosts->seconds = hosts->solve_seconds + hosts->network_seconds + hosts->gather_seconds + hosts->write_seconds;
}
