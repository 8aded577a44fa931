// streamed_table.c - builds a pawnless table whose planes do not fit in memory
#include "make/streamed_table.h"

#include "make/folder.h"
#include "table/path.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/os.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

int streamed_table_room(const char *dir, const struct material *material, uint64_t needed, const struct peers *peers)
{
    char name[MATERIAL_NAME_MAX];
    char work[PATH_MAX];
    TRY(table_rank_work_path(work, sizeof work, dir, material, peers_rank(peers)));
    if (peers != NULL)
        needed = plan_share(needed, material, peers->ranks);
    if (scratch_found(work)) // the files of an earlier run already have their space
        return 0;
    // Find the free bytes where the folder is, or will be.
    char path[PATH_MAX];
    uint64_t bytes;
    snprintf(path, sizeof path, "%s", dir);
    while (os_free_bytes(path, &bytes) != 0) {
        char *slash = strrchr(path, '/');
        if (errno != ENOENT)
            return error_errno(CLTB_E_IO, errno, "cannot use %s for scratch files", dir);
        if (slash == NULL)
            snprintf(path, sizeof path, ".");
        else
            slash[slash == path ? 1 : 0] = '\0';
    }
    bytes += folder_work_bytes(dir, material); // these files will be emptied, because they have no checkpoint
    if (bytes >= needed)
        return 0;
    return error_set(CLTB_E_IO, "%s needs about %.3f GB of scratch files in %s, where %.3f GB are free (see --scratch)",
                     material_name(material, name), (double)needed / 1e9, dir, (double)bytes / 1e9);
}

// Prepares the solution to be written, and counts it.
static int settle_and_count(const struct streamed_table_job *job, const struct solution *solution)
{
    const struct statistics_ops *counts = job->counts;
    const int other = longest_side(job->material, job->solver.last_attacker);
    if (job->statistics == NULL)
        return streamed_settle(solution, job->pool, NULL, NULL);
    counts->begin(job->statistics, solution, peers_rank(job->peers) == 0);
    if (other >= 0)
        TRY(streamed_longest(solution, other, job->pool, counts->longest_tiles, job->statistics));
    TRY(streamed_settle(solution, job->pool, counts->pair, job->statistics));
    return job->peers == NULL ? 0 : counts->join(job->statistics, job->peers);
}

static int solve_and_write(struct streamed_table_job *job, struct backend *backend, enum scratch_start start)
{
    struct solution solution;
    TRY(job->begun(job->context, backend->ops->describe(backend), start));
    TRY(solver_solve(&solution, backend, job->source, &job->solver));
    int code = streamed_flush(backend);
    if (code == 0 && job->peers != NULL && job->peers->drop != NULL) // futurebases
        code = job->peers->drop(job->peers->context);
    if (code == 0)
        code = job->solved(job->context);
    if (code == 0 && (job->write || job->syzygy != NULL)) {
        uint64_t memory;
        const struct tile_source source = streamed_tiles(&solution, &memory);
        struct content content = tiles_content(&source);
        job->writer.memory = job->plan->write_memory;
        job->writer.scratch = job->scratch;
        job->writer.peers = job->peers;
        code = settle_and_count(job, &solution);
        if (code == 0 && job->syzygy != NULL) {
            code = syzygy_write(&content, job->syzygy, job->pool);
            memcpy(content.kept, job->kept, sizeof content.kept);
        }
        if (code == 0 && job->write)
            code = write_content(&content, job->path, job->pool, &job->writer, &job->file_bytes);
        if (code == 0 && job->statistics != NULL)
            code = job->counted(job->context, true);
    }
    solution_free(&solution);
    return code;
}

struct scratch_traffic streamed_table_traffic(const struct streamed_table_job *job)
{
    return job->backend == NULL ? job->traffic : streamed_traffic(job->backend);
}

int streamed_table_make(struct streamed_table_job *job)
{
    char identity[SCRATCH_IDENTITY_MAX];
    char name[MATERIAL_NAME_MAX];
    char work[PATH_MAX];
    struct layout layout;
    struct backend *backend;
    enum scratch_start start;
    TRY(layout_init(&layout, job->material, LAYOUT_PAIR));
    TRY(streamed_table_room(job->scratch, job->material, job->plan->scratch_bytes, job->peers));
    // What earlier work must have in common with this run; memory and device may differ.
    snprintf(identity, sizeof identity, "%s dtz 2 distances %d%d last %d resolved %d%s",
             material_name(job->material, name), job->solver.keep_distance[WHITE], job->solver.keep_distance[BLACK],
             job->solver.last_attacker, job->solver.keep_resolved, job->peers != NULL ? " together" : "");
    TRY(table_rank_work_path(work, sizeof work, job->scratch, job->material, peers_rank(job->peers)));
    const struct streamed_options options = {.path = work,
                                             .folder = job->scratch,
                                             .identity = identity,
                                             .shape = job->plan->shape,
                                             .memory = job->plan->window_memory,
                                             .kept = job->plan->kept_memory,
                                             .beside = job->plan->base_memory,
                                             .block = job->plan->block_least,
                                             .interval = job->interval,
                                             .peers = job->peers,
                                             .stop = job->stop,
                                             .context = job->context,
                                             .open = job->open};
    TRY(backend_streamed_open(&backend, &layout, &options, &start));
    job->backend = backend;
    int code = solve_and_write(job, backend, start);
    uint64_t nothing = 0;
    if (code == 0 && job->peers != NULL) // all processes keep their work until the table is in place
        code = job->peers->sum(job->peers->context, &nothing, 1);
    job->traffic = streamed_traffic(backend);
    job->backend = NULL;
    if (code == 0)
        streamed_finished(backend);
    backend->ops->close(backend);
    if (code == 0) // and those left by an earlier job with more processes
        folder_drop_work(job->scratch, job->material);
    return code;
}
