// plan_hosts.c - the cost of a table that several hosts make together, and the traffic between them
#include "make/plan_hosts.h"

#include "make/plan_material.h"

// Without pawns, times (1 - 1/N): means of four tables of five men, and of two for what is written.
static const double ply_planes = 0.7;    // in the ply that sends most
static const double section_planes = 1;  // to those that make sections
static const double pair_messages = 145; // from each process to every other one

// With pawns, from each process to every other one: bytes for each entry of the index, packed as in the work file.
static const double slice_bytes = 0.2;
static const double level_messages = 3;

// The number of levels, one for each sum of the pawns' ranks, which are 0 to 5.
static double levels_of(const struct material *material)
{
    const int pawns = material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
    return 5 * pawns + 1;
}

static void count_pawnless(struct plan_hosts *hosts, const struct plan_table *table, double n)
{
    const double plane = (double)table->entries / 2 / 8;
    hosts->ply_bytes = ply_planes * plane * (1 - 1 / n);
    hosts->solve_bytes = plan_packed_plies(&table->material) * plane * (1 - 1 / n);
    hosts->section_bytes = section_planes * plane * (1 - 1 / n);
    hosts->messages = pair_messages * n * (n - 1);
    hosts->scratch_bytes = plan_share(table->stream.scratch_bytes, &table->material, (int)n);
}

static void count_pawns(struct plan_hosts *hosts, const struct plan_table *table, double n)
{
    const double levels = levels_of(&table->material);
    hosts->solve_bytes = slice_bytes * (double)table->entries * (n - 1);
    hosts->ply_bytes = hosts->solve_bytes / levels;
    hosts->messages = level_messages * levels * n * (n - 1);
    hosts->scratch_bytes = table->work_bytes;
}

void plan_hosts(struct plan_hosts *hosts, const struct plan_table *table, const struct plan_network *network)
{
    const double n = network->hosts;
    const double write_seconds = table->seconds - table->solve_seconds;
    const bool pawns = material_has_pawns(&table->material);
    *hosts = (struct plan_hosts){.write_seconds = write_seconds, .solve_seconds = table->solve_seconds};
    if (pawns || table->stream.streamed) { // otherwise the first process makes it alone
        hosts->solve_seconds /= n;
        hosts->file_bytes = plan_file_bytes(&table->material) * (1 - 1 / n);
        hosts->write_seconds = pawns
                                   ? write_seconds / n
                                   : write_seconds * (double)plan_share(1 << 20, &table->material, (int)n) / (1 << 20);
    }
    if (pawns)
        count_pawns(hosts, table, n);
    else if (table->stream.streamed)
        count_pawnless(hosts, table, n);
    hosts->network_seconds = hosts->messages / n * network->latency + hosts->solve_bytes / n / network->rate;
    hosts->gather_seconds = (hosts->section_bytes / n + hosts->file_bytes) / network->rate;
    hosts->seconds = hosts->solve_seconds + hosts->network_seconds + hosts->gather_seconds + hosts->write_seconds;
}
