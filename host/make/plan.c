// plan.c - the tables that a build has to make, their order, and the resources that they take
#include "make/plan.h"

#include "make/device.h"
#include "make/disk_order.h"
#include "make/folder.h"
#include "make/job.h"
#include "make/pawn_memory.h"
#include "make/plan_material.h"
#include "table/path.h"
#include "table/table.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/threads.h"
#include "util/units.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const plan_state_name[] = {[PLAN_MAKE] = "make", [PLAN_REPLACE] = "replace", [PLAN_PRESENT] = "present"};

// ---- estimates ----

// Rates of one thread of a Zen 5 with AVX-512 (docs/performance.md), from the sums over all tables of five men, [0]
// without and [1] with pawns. Single tables take 0.4 to 2.8 times as long; of six men KQRvKRB 1.0 to 1.2 times, and
// with a slower packing of planes KBBvKBB 0.7 and KQQvKQQ 1.9 times.
static const double solve_rate[2] = {3.6e8, 2.8e8}; // entries of the solver's index (both sides to move) a second
static const double write_rate[2] = {1.8e8, 2.8e8}; // entries a second
// For both Syzygy files: entries of the solver's index a second, and in addition bytes a second. 17 tables each took
// between 0.6 and 2.4 times as long, those of four men up to 4 times.
static const double syzygy_rate = 4e7;
static const double syzygy_byte_rate = 3.3e6;
static const double syzygy_wdl = 0.4;      // part of both files' bytes that .rtbw has, over all tables of five men
static const double write_outcomes = 0.15; // part of the time for writing that outcomes alone take
static const double write_best = 6;        // how many times longer writing takes with --best
static const double table_seconds = 0.02;  // of every table: files opened and synced
// How many times longer tables of distances to mate take.
static const double mate_solve[2] = {1.7, 2.4};
static const double mate_write[2] = {2.3, 2.7};
static const double mate_both = 3;         // how many times larger they are with the distances of both sides
static const double mate_work = 3;         // how many times larger their work files are
static const double more_processors = 0.9; // what each processor after the first adds, compared with the first
static const double disk_rate = 1.2e9;     // bytes a second of the scratch files' disk
// Dense plies that move as many bytes as a whole table does (planes on disk), for KQRvKRB. KQRvKR, with smaller
// requests, takes 26 and is slower at each.
static const double disk_plies = 40;
// The work file of a table with pawns has so many bits for each entry of the index, and in addition so many bytes for
// each byte of the table's file. Ten tables of four and five men had 0.54 to 1.27 times as much.
static const double work_bits = 1.5;
static const double work_files = 13;

static uint64_t work_bytes(const struct plan_table *table)
{
    const double bytes = (double)table->entries * work_bits / 8 + work_files * plan_file_bytes(&table->material);
    return (uint64_t)((table->material.metric != METRIC_DTZ ? mate_work : 1) * bytes);
}

static void estimate(struct plan_table *table, const struct build_options *options)
{
    const struct material *material = &table->material;
    const int pawns = material_has_pawns(material) ? 1 : 0;
    const int threads = options->threads > 0 ? options->threads : os_processors();
    const double stored = plan_file_entries(material);
    const double processors = 1 + more_processors * (threads - 1);
    const bool mate = material->metric != METRIC_DTZ;
    double cpu = (mate ? mate_solve[pawns] : 1) * (double)table->entries / solve_rate[pawns];
    table->solve_seconds = cpu / processors;
    if (table->write) {
        // The writer also visits entries that the file omits, because it has each set of identical pieces once.
        const double visited = pawns || (double)table->entries < stored ? stored : (double)table->entries;
        cpu += (mate ? mate_write[pawns] : 1) * visited / write_rate[pawns] *
               (options->temporary ? write_outcomes
                : options->best    ? write_best
                                   : 1);
        const bool both = mate && !table->reduce && !material_symmetric(material);
        table->file_bytes = (uint64_t)(plan_file_bytes(material) * (both ? mate_both : 1));
        table->work_bytes = pawns ? work_bytes(table) : 0;
    }
    if (table->syzygy) {
        const double bytes = plan_syzygy_bytes(material) * (options->wdl ? syzygy_wdl : 1);
        cpu += (double)table->entries / syzygy_rate + bytes / syzygy_byte_rate;
        table->syzygy_bytes = (uint64_t)bytes;
        table->work_bytes = pawns ? work_bytes(table) : 0;
    }
    table->seconds = cpu / processors + table_seconds;
    if (table->stream.streamed) {
        const double disk = disk_plies * (double)table->stream.ply_bytes / disk_rate;
        table->work_bytes = table->stream.scratch_bytes;
        table->solve_seconds += disk;
        table->seconds += disk;
    }
}

// ---- memory ----

uint64_t plan_memory(const struct build_options *options)
{
    const uint64_t physical = os_memory();
    return options->memory > 0 ? options->memory : physical - physical / 16;
}

int plan_on_device(size_t tables, int men, int threads, uint64_t memory)
{
    enum { MEN = 5, LEAST = 2 };
    const uint64_t fit = memory / PLAN_DEVICE_TABLE;
    const uint64_t wanted = threads > LEAST ? (uint64_t)threads : LEAST;
    const uint64_t most = wanted < DEVICES_MAX ? wanted : DEVICES_MAX;
    const uint64_t count = most < fit ? most : fit;
    return men > MEN || count < 1 ? 1 : (int)(count < tables ? count : tables);
}

// Small tables and many steps of large ones do not divide evenly among threads, so several are made at a time; also on
// a GPU, which would wait for the processor to write them. Where times are measured it is one. `device`: the memory of
// the only device, or 0.
static void set_at_once(struct plan *plan, const struct build_options *options, const struct device_list *devices,
                        uint64_t device)
{
    const int threads = options->threads > 0 ? options->threads : os_processors();
    size_t tables = 0;
    int men = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        const int more = material_men(&table->material);
        tables += table->state != PLAN_PRESENT;
        men = table->state != PLAN_PRESENT && more > men ? more : men;
    }
    plan->at_once = 1;
    if (devices->count > 1) {
        plan->at_once = devices->count;
    } else if (devices->count == 1 && options->peers == NULL && !options->solve_only && tables > 1) {
        const int most = devices->device[0].number >= 0 ? plan_on_device(tables, men, threads, device)
                         : tables < DEVICES_MAX         ? (int)tables
                                                        : DEVICES_MAX;
        plan->at_once = most < threads ? most : threads;
    }
    // A single table may take nearly all memory.
    plan->at_once_memory = options->memory > 0 ? options->memory : os_memory() / 2;
}

static int check_memory(const struct plan_table *table, const struct build_options *options, uint64_t limit)
{
    char name[MATERIAL_NAME_MAX];
    const struct plan_stream *stream = &table->stream;
    const struct plan_distances distances = plan_distances(&table->material, options, false);
    material_name(&table->material, name);
    if (stream->device_too_small)
        return error_set(CLTB_E_MEMORY,
                         "%s: the device has too little memory even for the smallest windows of its planes "
                         "(--device cpu uses the memory of the machine)",
                         name);
    if (options->block > 0 && stream->block_memory == PLAN_NO_MEMORY)
        return error_set(CLTB_E_MEMORY, "%s: the device is too small for blocks of the requested size (see --block)",
                         name);
    if (table->memory > limit)
        return error_set(CLTB_E_MEMORY, "%s%s needs about %s of memory, %s are allowed", name,
                         table->syzygy                                    ? " as Syzygy files"
                         : distances.keep[WHITE] && distances.keep[BLACK] ? " with the distances of both sides"
                                                                          : "",
                         unit_bytes(table->memory).text, unit_bytes(limit).text);
    if (options->block > 0 && stream->block_memory > 0)
        return error_set(
            CLTB_E_MEMORY,
            "%s: blocks on disk of the requested size take about %s of memory, %s are allowed (see --block)", name,
            unit_bytes(stream->block_memory).text, unit_bytes(limit).text);
    return 0;
}

int plan_check(const struct plan *plan, const struct build_options *options)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_table *table = &plan->table[i];
        char name[MATERIAL_NAME_MAX];
        if (table->state != PLAN_PRESENT && table->material.metric != METRIC_DTZ && options->peers != NULL)
            return error_set(CLTB_E_USAGE, "%s: distances to mate or conversion are found only by one process",
                             material_name(&table->material, name));
    }
    // If there is too little memory for several tables, the one that needs most says how much all of them need.
    const struct plan_table *largest = NULL;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->table[i].state != PLAN_PRESENT && (largest == NULL || plan->table[i].memory > largest->memory))
            largest = &plan->table[i];
    if (largest != NULL)
        TRY(check_memory(largest, options, plan_memory(options)));
    for (size_t i = 0; i < plan->count; i++)
        if (plan->table[i].state != PLAN_PRESENT)
            TRY(check_memory(&plan->table[i], options, plan_memory(options)));
    for (size_t i = 0; i < plan->count; i++)
        if (plan->table[i].state != PLAN_PRESENT && plan->table[i].stream.streamed)
            TRY(plan_scratch_room(job_scratch(options), &plan->table[i].material, plan->table[i].stream.scratch_bytes,
                                  options->peers));
    if (plan->disk_least > 0) {
        uint64_t least = plan->disk_least;
        char name[MATERIAL_NAME_MAX];
        return error_set(
            CLTB_E_IO, "--disk is too little for the tables, of which %s must stand at once for %s; --disk %s would do",
            unit_bytes(plan->disk_most).text, material_name(&plan->disk_at, name), disk_size(&least).text);
    }
    return 0;
}

// ---- the order of tables ----

static struct plan_table *find_table(const struct plan *plan, const struct material *material)
{
    for (size_t i = plan->count; i-- > 0;) {
        if (material_equal(&plan->table[i].material, material))
            return &plan->table[i];
    }
    return NULL;
}

// The futurebases, then the table itself. Recurses no deeper than there are men and pawns.
static int add_table(struct plan *plan, const struct material *material)
{
    if (find_table(plan, material) != NULL)
        return 0;
    struct material futurebases[PLAN_FUTUREBASES_MAX];
    const int count = plan_futurebases(material, futurebases);
    for (int i = 0; i < count; i++)
        TRY(add_table(plan, &futurebases[i]));
    TRY(memory_grow(&plan->table, &plan->room, plan->count + 1, sizeof *plan->table, "a plan"));
    plan->table[plan->count++] = (struct plan_table){.material = *material};
    return 0;
}

// ---- existing tables ----

static int open_present(struct table **bulk, const struct plan_table *table, const struct build_options *options)
{
    char path[PATH_MAX];
    *bulk = NULL;
    TRY(table_locate(path, sizeof path, job_search(options), &table->material));
    return (options->temporary ? table_open_outcomes : table_open_material)(bulk, path, &table->material);
}

// The reason is the current error sentence.
static int replace(struct plan_table *table)
{
    table->state = PLAN_REPLACE;
    table->one_side = false;
    table->file_bytes = 0;
    table->reason = strdup(error_text());
    return table->reason == NULL ? error_memory(0, "a plan") : 0;
}

// With '*' for any characters and '?' for one.
static bool matches(const char *pattern, const char *text)
{
    for (; *pattern != '*'; pattern++, text++)
        if (*text == '\0' || (*pattern != '?' && *pattern != *text))
            return *text == *pattern;
    do {
        if (matches(pattern + 1, text))
            return true;
    } while (*text++ != '\0');
    return false;
}

static bool is_kept(const struct material *material, const struct build_options *options)
{
    char name[MATERIAL_NAME_MAX];
    char file[MATERIAL_NAME_MAX + 5];
    snprintf(file, sizeof file, "%s.cltb", material_name(material, name));
    for (const char *const *keep = options->keep; *keep != NULL; keep++)
        if (matches(*keep, name) || matches(*keep, file))
            return true;
    return false;
}

// A table whose file is gone counts as present. Only files that a row describes may be removed. If Syzygy files are
// made, too, only a row says that they have been.
static int look_up(struct plan_table *table, const struct ledger *ledger, const struct build_options *options)
{
    char path[PATH_MAX];
    struct stat status;
    const struct ledger_row *row = ledger_find(ledger, &table->material);
    const bool present = table->state == PLAN_PRESENT;
    table->again = row != NULL;
    table->gone = row != NULL && table->state == PLAN_MAKE;
    if (table->gone) {
        table->state = PLAN_PRESENT;
        table->file_bytes = row->bytes;
    }
    table->begun = folder_work_bytes(job_scratch(options), &table->material) > 0;
    const bool recorded = present && row != NULL &&
                          table_path(path, sizeof path, options->dir, &table->material) == 0 &&
                          stat(path, &status) == 0 && (uint64_t)status.st_size == row->bytes;
    const bool own = present && table_path(path, sizeof path, options->dir, &table->material) == 0 &&
                     stat(path, &status) == 0; // not in another folder
    table->may_go = (!present || recorded || (options->syzygy != NULL && !own)) && !is_kept(&table->material, options);
    if (!present || options->syzygy == NULL || row != NULL)
        return 0;
    error_set(CLTB_E_MISSING, "%s has no row of it, so its Syzygy files are made", ledger_name(options));
    TRY(own ? replace(table) : 0);
    table->state = own ? PLAN_REPLACE : PLAN_MAKE;
    return 0;
}

// Is there a table with an intact head in one of the folders? A damaged one gets a `reason` and is rebuilt; a file that
// is not a table of this program must not be overwritten.
static int look_for(struct plan_table *table, const struct build_options *options)
{
    struct table *bulk;
    const bool forced = table->named && options->force && options->syzygy == NULL;
    const int code = open_present(&bulk, table, options);
    if (code == 0 && !forced) {
        table->state = PLAN_PRESENT;
        table->file_bytes = table_info(bulk)->file_bytes;
        table->one_side = table->material.metric != METRIC_DTZ && !table_has_all_distances(bulk);
    }
    table_close(bulk);
    if (code == CLTB_E_FOREIGN)
        return error_append(code, "; move it away, or use another folder");
    if (forced)
        return 0;
    if (code == CLTB_E_CORRUPT)
        return replace(table);
    return code == CLTB_E_MISSING ? 0 : code;
}

// Is it to be reduced to one side's distances, whether it is made or already present?
static bool reduces(const struct plan_table *table, const struct build_options *options)
{
    char path[PATH_MAX];
    if (table->material.metric == METRIC_DTZ || material_symmetric(&table->material) || table->one_side ||
        options->disk > 0 || options->both_sides || options->one || options->solve_only || options->peers != NULL)
        return false;
    return table->state != PLAN_PRESENT ||
           (table_path(path, sizeof path, options->dir, &table->material) == 0 && access(path, W_OK) == 0);
}

// Is it solved even if it is present, and written only if another table needs it? With a limit of disk every table is
// written, because it is the file that has a row.
static bool is_apart(const struct plan_table *table, const struct build_options *options)
{
    return table->named && (options->solve_only || (options->syzygy != NULL && options->disk == 0));
}

static bool to_make(const struct plan_table *table, const struct build_options *options)
{
    return table->state != PLAN_PRESENT || is_apart(table, options);
}

// Solving a table reads its futurebases, and reading a table needs those that its captures lead to. Goes from the last
// table to the first: only later tables read a table, so all its readers are known when it is reached. A damaged one is
// then made, and needs its own futurebases.
static int mark_needed(const struct plan *plan, const struct build_options *options, struct thread_pool *pool)
{
    for (size_t i = plan->count; i-- > 0;) {
        struct plan_table *table = &plan->table[i];
        struct material futurebases[PLAN_CAPTURE_BASES_MAX];
        if (table->gone && table->needed)
            table->state = PLAN_MAKE;
        if (table->state == PLAN_PRESENT && !table->gone && !table->checked &&
            (table->needed || (table->named && !is_apart(table, options) && (options->disk == 0 || !table->may_go)))) {
            struct table *bulk;
            int code = open_present(&bulk, table, options);
            THEN(code, table_check_hashes(bulk, pool));
            table_close(bulk);
            table->checked = code == 0;
            TRY(code == CLTB_E_CORRUPT ? replace(table) : code);
        }
        // Tables of distances to mate are made from those of both sides to move.
        if (table->state == PLAN_PRESENT && table->source && table->one_side) {
            error_set(CLTB_E_CORRUPT, "it has the distances of one side to move, and those of both are needed");
            TRY(replace(table));
        }
        if (!table->needed && !to_make(table, options))
            continue;
        const bool made = to_make(table, options);
        const int count = made || table->one_side ? plan_futurebases(&table->material, futurebases)
                                                  : plan_capture_bases(&table->material, futurebases);
        for (int j = 0; j < count; j++) {
            struct plan_table *base = find_table(plan, &futurebases[j]);
            base->needed = true;
            base->source |= made && table->material.metric != METRIC_DTZ;
        }
    }
    return 0;
}

static void add_up(struct plan *plan, const struct build_options *options)
{
    uint64_t temporary = 0; // bytes of tables that are removed in the end
    for (size_t i = 0; i < plan->count; i++) {
        struct plan_table *table = &plan->table[i];
        if (table->state == PLAN_PRESENT) {
            table->write = false;
            table->work_bytes = 0;
            table->seconds = table->solve_seconds = 0;
            plan->present_bytes += table->gone ? 0 : table->file_bytes;
            plan->to_reduce += table->reduce;
            continue;
        }
        plan->to_make++;
        plan->to_write += table->write ? 1 : 0;
        plan->memory = table->memory > plan->memory ? table->memory : plan->memory;
        plan->work_bytes = table->work_bytes > plan->work_bytes ? table->work_bytes : plan->work_bytes;
        temporary += table->write && options->temporary ? table->file_bytes : 0;
        plan->file_bytes += (table->write && !options->temporary ? table->file_bytes : 0) + table->syzygy_bytes;
        plan->seconds += table->seconds;
    }
    plan->work_bytes += temporary;
}

static int fill_in(struct plan *plan, const struct build_options *options, const struct plan *before)
{
    for (size_t i = 0; i < plan->count; i++)
        TRY(look_for(&plan->table[i], options));
    if (options->disk > 0) {
        TRY(ledger_read(&plan->ledger, options));
        plan->disk_bytes = folder_bytes(options->dir, true);
    }
    for (size_t i = 0; options->disk > 0 && i < plan->count; i++)
        TRY(look_up(&plan->table[i], &plan->ledger, options));
    // What an earlier plan found intact is not read again.
    for (size_t i = 0; before != NULL && i < plan->count; i++) {
        struct plan_table *table = &plan->table[i];
        const struct plan_table *same = find_table(before, &table->material);
        table->checked =
            same != NULL && same->checked && table->state == PLAN_PRESENT && table->file_bytes == same->file_bytes;
    }
    struct thread_pool *pool;
    TRY(threads_open(&pool, options->threads));
    const int code = mark_needed(plan, options, pool);
    threads_close(pool);
    TRY(code);
    struct device_list devices = {.count = 0};
    struct device_limits limits = {0};
    if (device_list(&devices, options->device) == 0)
        limits = device_limits(&devices);
    set_at_once(plan, options, &devices, limits.memory);
    if (devices.count == 1)
        limits.memory /= (uint64_t)plan->at_once;
    if (options->memory > 0 && limits.memory > options->memory) // the limit applies to the device, too
        limits.memory = options->memory;
    for (size_t i = 0; i < plan->count; i++) {
        struct plan_table *table = &plan->table[i];
        // A table that is only to be solved is solved even if it is present; it is written if it is missing and another
        // one needs it.
        const bool solve_only = is_apart(table, options);
        // With a limit of disk one that is present may go, and be made again.
        const uint64_t known = table->again ? table->file_bytes : 0;
        const bool makes = table->state != PLAN_PRESENT || (options->disk > 0 && (table->gone || table->may_go));
        table->write = makes && (!solve_only || table->needed);
        if (solve_only && table->state == PLAN_PRESENT)
            table->state = PLAN_MAKE;
        table->syzygy = table->named && options->syzygy != NULL && !table->again;
        table->reduce = reduces(table, options);
        const unsigned files = (table->write ? PLAN_TABLE : 0U) | (table->syzygy ? PLAN_SYZYGY : 0U);
        if (material_has_pawns(&table->material)) {
            struct pawn_memory memory;
            pawn_memory(&memory, &table->material, options, files);
            table->memory = memory.taken;
        } else { // plan_check() refuses tables that do not fit
            (void)plan_stream(&table->stream, &table->material, options, files, plan_memory(options), &limits);
            table->memory = table->stream.memory;
        }
        table->entries = plan_index_entries(&table->material, table->stream.layout);
        if (makes || table->state != PLAN_PRESENT)
            estimate(table, options);
        table->file_bytes = known > 0 ? known : table->file_bytes;
    }
    if (options->disk > 0)
        TRY(disk_order(plan, options->disk));
    add_up(plan, options);
    return 0;
}

int plan_make(struct plan **result, const struct material *materials, size_t count, const struct build_options *options,
              const struct plan *before)
{
    struct plan *plan;
    *result = NULL;
    TRY(memory_new(&plan, 1, sizeof *plan, "a plan"));
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        code = add_table(plan, &materials[i]);
    for (size_t i = 0; i < count && code == 0; i++)
        find_table(plan, &materials[i])->named = true;
    THEN(code, fill_in(plan, options, before));
    if (code != 0) {
        plan_free(plan);
        return code;
    }
    *result = plan;
    return 0;
}

void plan_free(struct plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->count; i++)
        free(plan->table[i].reason);
    free(plan->table);
    ledger_free(&plan->ledger);
    free(plan);
}
