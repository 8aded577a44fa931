// start_together.c - the start of a build by several processes
//
// 1. Each makes the plan and checks whether it can do its part.
// 2. The first one tells the others what it is going to make, and with what; each compares that with its own plan.
// 3. The first one locks the folder and puts a file into it, which the others must see.
//
// After 2 and 3 all learn of the errors of all, so no process works if one cannot.
#include "make/start_together.h"

#include "util/error.h"
#include "util/folders.h"
#include "util/os.h"
#include "util/peers.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
        code = folder_open(&job->folder, dir);
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

int start_together(struct build_job *job, struct device_list *devices, struct plan **plan,
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
