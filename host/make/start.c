// start.c - before the work of a build: plan, devices, folder, lease
#include "make/start.h"

#include "make/start_together.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/os.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool exists(const char *dir, const char *name, const char *end)
{
    char path[PATH_MAX];
    return folder_path(path, sizeof path, dir, "%s%s", name, end) == 0 && access(path, F_OK) == 0;
}

// Only the named table is to be made.
static int check_alone(const struct plan *plan)
{
    const struct plan_table *missing = NULL;
    const char *named = "";
    char name[MATERIAL_NAME_MAX];
    char first[MATERIAL_NAME_MAX];
    size_t others = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        if (table->named)
            named = material_name(&table->material, name);
        else if (table->state != PLAN_PRESENT && others++ == 0)
            missing = table;
    }
    if (others == 0)
        return 0;
    return error_set(CLTB_E_MISSING, "%s needs %s%s, which --one does not make (`cltb plan %s` gives their order)",
                     named, material_name(&missing->material, first), others > 1 ? " and others" : "", named);
}

// Takes the lease of the only table of a plan. Waits while another process makes it. The plan is made again whenever
// that may have changed something: there may be nothing left to do.
static int take_lease(struct build_job *job, struct plan **plan, const struct material *material)
{
    const struct build_options *options = job->options;
    const struct timespec moment = {.tv_nsec = 500 * 1000 * 1000};
    struct lease_watch watch = {.since = 0};
    char name[MATERIAL_NAME_MAX];
    char path[PATH_MAX];
    material_name(material, name);
    TRY(folder_path(path, sizeof path, options->dir, "%s.cltb.lease", name));
    while ((*plan)->to_write > 0) {
        TRY(check_alone(*plan));
        const int held = job->lease == NULL ? lease_take(&job->lease, path, options->lease, &watch) : 0;
        if (held < 0)
            return held;
        if (held == 1) {
            job_begin(job, name, 0, false);
            job->event.reason = watch.holder;
            TRY(job_emit(job, BUILD_WAIT));
            nanosleep(&moment, NULL);
        }
        struct plan *before = *plan;
        const int code = plan_make(plan, material, 1, options, before);
        plan_free(before);
        TRY(code);
        if (held == 0)
            return 0;
    }
    return 0;
}

// Plans again when the folder is locked: another run may have made some tables meanwhile.
static int plan_and_lock(struct build_job *job, struct device_list *devices, struct plan **plan,
                         const struct material *materials, size_t count)
{
    const struct build_options *options = job->options;
    if (options->temporary)
        TRY(folder_check_real(options->dir));
    TRY(plan_make(plan, materials, count, options, NULL));
    TRY(plan_check(*plan, options));
    if ((*plan)->to_make > 0) {
        TRY(device_list(devices, options->device));
        job->device = devices->device[0];
    }
    if ((*plan)->to_write == 0 && (*plan)->to_reduce == 0 && (!options->temporary || (*plan)->to_make == 0)) {
        // The folder is locked only if there is anything to clear away besides tables. A run that was killed in a
        // table's last step leaves its work file, a run that was to rebuild a table leaves half of a file, and both
        // leave the lock file. Even tables that are only solved may need files in the scratch folder.
        bool leftovers = exists(options->dir, options->temporary ? "" : ".cltb.lock", "");
        bool scratch = false;
        for (size_t i = 0; i < (*plan)->count; i++) {
            char name[MATERIAL_NAME_MAX];
            const struct plan_table *table = &(*plan)->table[i];
            material_name(&table->material, name);
            if (table->state != PLAN_PRESENT)
                scratch |= table->stream.streamed || (material_has_pawns(&table->material) && options->memory > 0);
            else if (!leftovers)
                leftovers = exists(options->dir, name, ".cltb.lease") || exists(options->dir, name, ".cltb.part") ||
                            exists(options->dir, name, ".cltb.uncounted") ||
                            exists(options->dir, name, ".cltb.uncounted.part") ||
                            exists(options->dir, name, ".cltb.work") || exists(options->dir, name, ".cltb.planes");
        }
        if (leftovers && folder_open(&job->folder, options->dir) != 0)
            job->folder = NULL; // then they are kept
        return scratch ? folder_make_scratch(job_scratch(options)) : 0;
    }
    if (options->scratch != NULL)
        TRY(folder_make_scratch(options->scratch));
    if (options->one) {
        TRY(check_alone(*plan));
        TRY(folder_open_shared(&job->folder, options->dir));
        return take_lease(job, plan, materials);
    }
    TRY(folder_open(&job->folder, options->dir));
    struct plan *before = *plan;
    const int code = plan_make(plan, materials, count, options, before);
    plan_free(before);
    return code;
}

int start_build(struct build_job *job, struct device_list *devices, struct plan **plan,
                const struct material *materials, size_t count)
{
    return (job->options->peers != NULL ? start_together : plan_and_lock)(job, devices, plan, materials, count);
}
