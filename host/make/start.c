// start.c - before the work of a build: plan, devices, folder, lease
//
// If several processes build together,
//
//     1. Each makes the plan and checks whether it can do its part.
//     2. The first one tells the others what it is going to make, and with what; each compares that with its own plan.
//     3. The first one locks the folder and puts a file into it, which the others must see.
//
// After 2 and 3 all learn of the errors of all, so no process works if one cannot.
#include "make/start.h"

#include "make/room.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/os.h"
#include "util/peers.h"

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
    if (options->disk == 0 && (*plan)->to_write == 0 && (*plan)->to_reduce == 0 &&
        (!options->temporary || (*plan)->to_make == 0)) {
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
        if (leftovers && folder_open(&job->folder, options->dir, false) != 0)
            job->folder = NULL; // then they are kept
        return scratch ? folder_make_scratch(job_scratch(options)) : 0;
    }
    if (options->scratch != NULL)
        TRY(folder_make_scratch(options->scratch));
    if (options->one) {
        TRY(check_alone(*plan));
        TRY(folder_open(&job->folder, options->dir, true));
        return take_lease(job, plan, materials);
    }
    TRY(folder_open(&job->folder, options->dir, false));
    if (options->disk > 0)
        TRY(room_recover(options));
    struct plan *before = *plan;
    int code = plan_make(plan, materials, count, options, before);
    plan_free(before);
    THEN(code, options->disk > 0 ? plan_check(*plan, options) : 0);
    return code;
}

// ---- several processes ----

struct facts {
    char version[32]; // it comes first, so that it is found whatever follows
    uint64_t options;
    uint64_t tables; // as many struct table_facts follow
};

struct table_facts {
    struct material material;
    int32_t named;
    int32_t state;
    uint32_t row_groups;    // 0: not streamed
    uint32_t column_groups; //
};

static struct facts facts_of(const struct plan *plan, const struct build_options *options)
{
    struct facts facts = {.options = options->both_sides + 2U * options->best + 4U * options->solve_only,
                          .tables = plan->count};
    snprintf(facts.version, sizeof facts.version, "%s", cltb_version());
    return facts;
}

static struct table_facts table_facts_of(const struct plan_table *table)
{
    const struct scratch_shape none = {.row_groups = 0};
    const struct scratch_shape *shape = table->stream.streamed ? &table->stream.shape : &none;
    return (struct table_facts){.material = table->material,
                                .named = table->named,
                                .state = (int32_t)table->state,
                                .row_groups = shape->row_groups,
                                .column_groups = shape->column_groups};
}

static int compare_table(const struct table_facts *own, const struct table_facts *first, const char *search)
{
    char name[MATERIAL_NAME_MAX];
    if (!material_equal(&own->material, &first->material) || own->named != first->named)
        return error_set(CLTB_E_USAGE, "the tables are not those of process 0");
    material_name(&own->material, name);
    if (own->state != first->state && first->state == PLAN_PRESENT)
        return error_set(CLTB_E_MISSING, "%s.cltb in %s is %s, but process 0 has it", name, search,
                         own->state == PLAN_MAKE ? "missing" : "damaged");
    if (own->state != first->state)
        return error_set(CLTB_E_MISSING, "process 0 finds %s.cltb in %s in another state", name, search);
    if (own->row_groups != first->row_groups || own->column_groups != first->column_groups)
        return error_set(
            CLTB_E_USAGE,
            "%s would be cut in another way than in process 0: all processes need the same --memory and --block", name);
    return 0;
}

// `first`: the facts of process 0, or nothing if that has failed.
static int compare(const struct plan *plan, const struct build_options *options, const struct peer_bytes *first)
{
    struct facts theirs;
    const struct facts own = facts_of(plan, options);
    if (first->count < sizeof theirs)
        return 0;
    memcpy(&theirs, first->bytes, sizeof theirs);
    if (strncmp(own.version, theirs.version, sizeof own.version) != 0)
        return error_set(CLTB_E_USAGE, "version %s, but process 0 has version %.31s", own.version, theirs.version);
    if (own.options != theirs.options)
        return error_set(CLTB_E_USAGE, "the options --best, --both-sides and --solve-only are not those of process 0");
    if (own.tables != theirs.tables || first->count != sizeof own + plan->count * sizeof(struct table_facts))
        return error_set(CLTB_E_USAGE, "the tables are not those of process 0");
    for (size_t i = 0; i < plan->count; i++) {
        struct table_facts table;
        const struct table_facts mine = table_facts_of(&plan->table[i]);
        memcpy(&table, (const char *)first->bytes + sizeof own + i * sizeof table, sizeof table);
        TRY(compare_table(&mine, &table, job_search(options)));
    }
    return 0;
}

static int compare_all(const struct plan *plan, const struct build_options *options, int code)
{
    struct peer_mail mail;
    const struct peers *peers = options->peers;
    int sent = peer_mail_open(&mail, peers);
    for (int r = 1; sent == 0 && code == 0 && peers->rank == 0 && r < peers->ranks; r++) {
        const struct facts facts = facts_of(plan, options);
        sent = peer_mail_put(&mail, r, &facts, sizeof facts);
        for (size_t i = 0; sent == 0 && i < plan->count; i++) {
            const struct table_facts table = table_facts_of(&plan->table[i]);
            sent = peer_mail_put(&mail, r, &table, sizeof table);
        }
    }
    if (sent == 0)
        sent = peer_mail_exchange(&mail);
    if (sent == 0 && code == 0)
        code = compare(plan, options, &mail.take[0]);
    peer_mail_close(&mail);
    return sent != 0 ? sent : peers_agree(peers, code);
}

static int prepare(struct build_job *job, struct device_list *devices, struct plan **plan,
                   const struct material *materials, size_t count)
{
    const struct build_options *options = job->options;
    TRY(plan_make(plan, materials, count, options, NULL));
    TRY(plan_check(*plan, options));
    TRY(device_list(devices, options->device));
    job->device = devices->device[0];
    return (*plan)->to_make > 0 ? folder_make_scratch(job_scratch(options)) : 0;
}

// All processes must see a file of process 0, `mark`, in the folder of tables.
static int check_shared(struct build_job *job, char mark[PATH_MAX])
{
    const char *dir = job->options->dir;
    const struct peers *peers = job->options->peers;
    struct peer_mail mail;
    char name[OS_MACHINE_MAX + 32];
    int code = 0;
    mark[0] = '\0';
    if (peers->rank == 0) {
        os_machine(name);
        name[strcspn(name, " ")] = '\0';
        snprintf(name + strlen(name), 32, ".%ld.shared", (long)getpid());
        code = folder_open(&job->folder, dir, false);
        THEN(code, folder_path(mark, PATH_MAX, dir, ".cltb.%s", name));
        const int file = code == 0 ? os_open(mark, O_WRONLY | O_CREAT | O_NOFOLLOW) : -1;
        if (code == 0 && file < 0)
            code = error_set(CLTB_E_IO, "cannot write to %s", dir);
        if (file >= 0)
            close(file);
    }
    int sent = peer_mail_open(&mail, peers);
    for (int r = 1; sent == 0 && code == 0 && peers->rank == 0 && r < peers->ranks; r++)
        sent = peer_mail_put(&mail, r, name, sizeof name);
    if (sent == 0)
        sent = peer_mail_exchange(&mail);
    if (sent == 0 && mail.take[0].count == sizeof name) {
        memcpy(name, mail.take[0].bytes, sizeof name);
        char path[PATH_MAX];
        code = folder_path(path, sizeof path, dir, ".cltb.%s", name);
        if (code == 0 && access(path, F_OK) != 0)
            code = error_set(CLTB_E_IO, "the folder %s is not the folder of process 0", dir);
    }
    peer_mail_close(&mail);
    return sent != 0 ? sent : peers_agree(peers, code);
}

static int start_together(struct build_job *job, struct device_list *devices, struct plan **plan,
                          const struct material *materials, size_t count)
{
    char mark[PATH_MAX];
    const int prepared = prepare(job, devices, plan, materials, count);
    TRY(compare_all(*plan, job->options, prepared));
    if ((*plan)->to_write == 0)
        return 0;
    const int code = check_shared(job, mark);
    if (mark[0] != '\0')
        (void)unlink(mark);
    return code;
}

int start_build(struct build_job *job, struct device_list *devices, struct plan **plan,
                const struct material *materials, size_t count)
{
    return (job->options->peers != NULL ? start_together : plan_and_lock)(job, devices, plan, materials, count);
}
