// room.c - a build with a limit of disk: room for the next table, a row for each that is made, files that go
#include "make/room.h"

#include "disk/overflow.h"
#include "make/disk_order.h"
#include "make/ledger.h"
#include "make/share.h"
#include "syzygy/checksum.h"
#include "table/path.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/units.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct room_table {
    uint64_t bytes; // in the folder
    bool stands;    // in any folder
    bool may_go;
    bool checked; // this run has made the file, or has read it and found the sum of its row
    bool needed;  // of the last call of find_needed()
    bool again;   // likewise: it will be made again before it is needed
};

struct room {
    const struct plan *plan;
    const struct build_options *options;
    pthread_mutex_t lock; // of all fields below
    struct ledger ledger;
    struct disk_reads reads;
    struct room_table *table; // [plan->count], by first place
    uint64_t standing;        // bytes of all tables in the folder
    unsigned in_work;
    double looked;       // when the work files were measured, wall time
    char removed[256];   // tables, since the last report
    uint64_t removed_of; // bytes of them
    bool alone;          // one table at a time
    bool was_short;
    size_t made;
};

// ---- rows ----

static int begun_path(char path[PATH_MAX], const char *dir, const struct material *material)
{
    char name[MATERIAL_NAME_MAX];
    return folder_path(path, PATH_MAX, dir, "%s.cltb.begun", material_name(material, name));
}

static int put_aside(const char *path, const struct build_options *options)
{
    char aside[PATH_MAX + 16];
    snprintf(aside, sizeof aside, "%s.differs", path);
    if (os_rename(path, aside) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot rename %s, which is not what its row in %s says", path,
                           ledger_name(options));
    return error_set(CLTB_E_MISMATCH,
                     "%s is not the file that its row in %s describes: it was made with other options or by another "
                     "version, or one of both is wrong; it is now %s",
                     path, ledger_name(options), aside);
}

// Compares a file with its row. Without one, fills in `row` from the file.
static int describe(struct ledger_row *row, const struct ledger_row *known, const char *path,
                    const struct build_options *options)
{
    struct table *table;
    TRY(options->sum(path, row->sum));
    if (known != NULL) {
        const bool same = strcmp(row->sum, known->sum) == 0;
        *row = *known;
        return same ? 0 : put_aside(path, options);
    }
    TRY(table_open_material(&table, path, &row->material));
    const struct table_info *info = table_info(table);
    row->bytes = info->file_bytes;
    memcpy(row->positions, info->positions, sizeof row->positions);
    memcpy(row->longest, info->longest, sizeof row->longest);
    table_close(table);
    return 0;
}

struct recovery {
    const struct build_options *options;
    struct ledger ledger;
    struct thread_pool *pool;
};

static int recover(void *context, const char *path, const char *name)
{
    struct recovery *recovery = context;
    const char *dir = recovery->options->dir;
    struct ledger_row row = {.seconds = -1};
    char file[PATH_MAX];
    struct table *table = NULL;
    if (!material_of_file(&row.material, name, ".cltb.begun"))
        return 0;
    TRY(table_path(file, sizeof file, dir, &row.material));
    int code = table_open_material(&table, file, &row.material);
    THEN(code, table_check_hashes(table, recovery->pool));
    table_close(table);
    uint64_t bytes;
    char material[MATERIAL_NAME_MAX];
    if (recovery->options->syzygy != NULL) // without its Syzygy files it is made again
        THEN(code, syzygy_pair_check(recovery->options->syzygy, material_name(&row.material, material), false, &bytes));
    if (code == 0) {
        const struct ledger_row *known = ledger_find(&recovery->ledger, &row.material);
        TRY(describe(&row, known, file, recovery->options));
        TRY(known == NULL ? ledger_add(&recovery->ledger, &row) : 0);
    }
    if (code != 0 && code != CLTB_E_MISSING && code != CLTB_E_CORRUPT)
        return code;
    return unlink(path) == 0 ? 0 : error_errno(CLTB_E_IO, errno, "cannot remove %s", path);
}

int room_recover(const struct build_options *options)
{
    struct recovery recovery = {.options = options};
    if (options->sum == NULL)
        return error_set(CLTB_E_IO, "this cltb was built without libmd, which makes the SHA-256 sums of tables.tsv");
    TRY(threads_open(&recovery.pool, options->threads));
    int code = ledger_read(&recovery.ledger, options);
    THEN(code, folders_each(options->dir, ".cltb.begun", recover, &recovery));
    ledger_free(&recovery.ledger);
    threads_close(recovery.pool);
    return code;
}

// ---- shipping ----

// Runs the command for a file. A failure is reported, and is no error: the table stays.
static int ship_file(const struct build_options *options, const char *path, struct build_job *job, bool *shipped)
{
    char safe[PATH_MAX + 2];
    char text[80];
    char reason[256];
    // An argument that begins with '-' would be an option.
    snprintf(safe, sizeof safe, "%s%s", path[0] == '-' ? "./" : "", path);
    const int status = os_run(options->ship, safe);
    *shipped = status == 0;
    if (status == 0)
        return 0;
    if (status < 0)
        snprintf(reason, sizeof reason, "--ship cannot be run: %s", os_error(errno, text, sizeof text));
    else
        snprintf(reason, sizeof reason, "--ship failed with exit status %d", status);
    const char *before = job->event.reason;
    job->event.reason = reason;
    const int code = job_emit(job, BUILD_UNSHIPPED);
    job->event.reason = before;
    return code;
}

// Ships what a row is about: a table, or its Syzygy files, which then go.
static int ship(const struct build_options *options, const struct material *material, struct build_job *job,
                bool *shipped)
{
    static const char *const ends[] = {"rtbw", "rtbz"};
    char path[PATH_MAX];
    char name[MATERIAL_NAME_MAX];
    if (options->syzygy == NULL) {
        TRY(table_path(path, sizeof path, options->dir, material));
        return ship_file(options, path, job, shipped);
    }
    material_name(material, name);
    *shipped = true;
    for (int i = 0; i < 2 && *shipped; i++) {
        TRY(folder_path(path, sizeof path, options->syzygy, "%s.%s", name, ends[i]));
        if (access(path, F_OK) != 0) // shipped before the other one failed
            continue;
        TRY(ship_file(options, path, job, shipped));
        if (*shipped && unlink(path) != 0 && errno != ENOENT) // the command may have moved it
            return error_errno(CLTB_E_IO, errno, "cannot remove %s", path);
    }
    return 0;
}

// Ships the tables that have a row which says that they were not. `*left`: how many could not be.
static int ship_rest(struct room *room, struct build_job *job, size_t *left)
{
    *left = 0;
    for (size_t i = 0; room->options->ship != NULL && i < room->plan->count; i++) {
        const struct ledger_row *known = ledger_find(&room->ledger, &room->plan->table[i].material);
        char name[MATERIAL_NAME_MAX];
        if (room->reads.place[i] != i || known == NULL || known->shipped ||
            (room->options->syzygy == NULL && known->bytes != room->table[i].bytes))
            continue;
        struct ledger_row row = *known;
        job_begin(job, material_name(&row.material, name), 0, false);
        TRY(ship(room->options, &row.material, job, &row.shipped));
        TRY(row.shipped ? ledger_add(&room->ledger, &row) : 0);
        *left += !row.shipped;
    }
    return 0;
}

// ---- removing ----

// What is not made yet needs a table, unless that is made again before. `state`: NULL if all are made.
static void find_needed(struct room *room, const uint8_t *state)
{
    const struct disk_reads *reads = &room->reads;
    for (size_t i = 0; i < room->plan->count; i++)
        room->table[i].needed = room->table[i].again = false;
    for (size_t i = 0; i < room->plan->count; i++) {
        const size_t place = reads->place[i];
        if (state == NULL || state[i] == SHARE_MADE)
            continue;
        for (size_t j = reads->from[place]; j < reads->from[place + 1]; j++) {
            struct room_table *base = &room->table[reads->read[j]];
            base->needed |= state[i] == SHARE_IN_WORK || !base->again;
        }
        room->table[place].needed |= state[i] == SHARE_IN_WORK;
        room->table[place].again |= state[i] == SHARE_WAITS;
    }
}

static bool is_shipped(const struct room *room, size_t place)
{
    const struct ledger_row *row = ledger_find(&room->ledger, &room->plan->table[place].material);
    return room->options->ship == NULL || (row != NULL && row->shipped);
}

// Is it the file that its row describes?
static int check_sum(struct room *room, size_t place, const char *path)
{
    char sum[BUILD_SUM_TEXT];
    const struct ledger_row *row = ledger_find(&room->ledger, &room->plan->table[place].material);
    if (!room->table[place].checked) {
        TRY(room->options->sum(path, sum));
        room->table[place].checked = row != NULL && strcmp(sum, row->sum) == 0;
    }
    room->table[place].may_go = room->table[place].checked;
    return 0;
}

// Removes the largest file that is not needed. 1; 0: there is none; or an error.
static int remove_one(struct room *room)
{
    for (;;) {
        const size_t count = room->plan->count;
        size_t best = count;
        char path[PATH_MAX];
        char name[MATERIAL_NAME_MAX];
        for (size_t i = 0; i < count; i++) {
            const struct room_table *table = &room->table[i];
            if (table->stands && table->may_go && !table->needed && table->bytes > 0 && is_shipped(room, i) &&
                (best == count || table->bytes > room->table[best].bytes))
                best = i;
        }
        if (best == count)
            return 0;
        struct room_table *table = &room->table[best];
        TRY(table_path(path, sizeof path, room->options->dir, &room->plan->table[best].material));
        TRY(check_sum(room, best, path));
        if (!table->may_go)
            continue;
        if (unlink(path) != 0)
            return error_errno(CLTB_E_IO, errno, "cannot remove %s", path);
        const size_t length = strlen(room->removed);
        snprintf(room->removed + length, sizeof room->removed - length, "%s%s", length > 0 ? " " : "",
                 material_name(&room->plan->table[best].material, name));
        room->removed_of += table->bytes;
        room->standing -= table->bytes;
        table->stands = false;
        table->bytes = 0;
        return 1;
    }
}

// 1: the tables and so many bytes are below the limit, now; 0: they are not; or an error. As long as there are files
// that are not needed, a little more is left free: files grow between two looks.
static int make_room(struct room *room, const uint8_t *state, uint64_t bytes)
{
    enum { FREE_PART = 128 };
    const uint64_t limit = room->options->disk;
    const uint64_t aim = limit - limit / FREE_PART;
    int code = 1;
    if (room->standing + bytes > aim)
        find_needed(room, state);
    while (code > 0 && room->standing + bytes > aim)
        code = remove_one(room);
    return code == 0 ? room->standing + bytes <= limit : code;
}

static int too_small(struct room *room, size_t place, uint64_t bytes)
{
    char name[MATERIAL_NAME_MAX];
    uint64_t least = room->standing + bytes;
    size_t unshipped = 0;
    for (size_t i = 0; i < room->plan->count; i++)
        unshipped += room->table[i].stands && room->table[i].may_go && !room->table[i].needed && !is_shipped(room, i);
    material_name(&room->plan->table[place].material, name);
    if (unshipped > 0)
        return error_set(CLTB_E_IO, "%s: there is no room below --disk, because --ship failed for %zu tables", name,
                         unshipped);
    room->was_short = true;
    return error_set(CLTB_E_IO,
                     "%s: there is no room below --disk, as tables are larger than forecast; --disk %s may do", name,
                     disk_size(&least).text);
}

// ---- before a table ----

static uint64_t work_bytes(const struct room *room)
{
    const struct build_options *options = room->options;
    uint64_t bytes = folder_bytes(options->dir, false) + overflow_bytes();
    if (options->scratch != NULL && strcmp(options->scratch, options->dir) != 0)
        bytes += folder_bytes(options->scratch, false);
    return bytes;
}

static const double look_interval = 0.1; // seconds

// Looks at what is in work, now and then. If removing tables does not help, work goes that an earlier run has left of
// tables that are not in work now.
static int hold_limit(struct room *room, const uint8_t *state)
{
    const struct plan *plan = room->plan;
    const double now = wall_seconds();
    size_t place = 0;
    if (now - room->looked < look_interval)
        return 1;
    room->looked = now;
    int code = make_room(room, state, work_bytes(room));
    for (size_t i = 0; code == 0 && i < plan->count; i++)
        if (state[i] == SHARE_WAITS && plan->table[i].begun)
            folder_drop_work(job_scratch(room->options), &plan->table[i].material);
    if (code == 0)
        code = make_room(room, state, work_bytes(room));
    while (place + 1 < plan->count && state[place] != SHARE_IN_WORK)
        place++;
    return code != 0 ? code : too_small(room, place, work_bytes(room));
}

// A table may be begun before others only if there is room for all of these, too, without removing anything: then they
// can still be made.
static int may_begin(struct room *room, const uint8_t *state, size_t place)
{
    const struct disk_reads *reads = &room->reads;
    const size_t table = reads->place[place];
    uint64_t bytes = 0;
    bool before = false; // are others to be made before it,
    bool first = true;   // or are being made?
    for (size_t i = 0; i < room->plan->count; i++) {
        const struct plan_table *other = &room->plan->table[i];
        if ((state[i] == SHARE_IN_WORK || (state[i] == SHARE_WAITS && i <= place)) &&
            !room->table[reads->place[i]].stands)
            bytes += other->file_bytes + other->work_bytes;
        before |= state[i] == SHARE_WAITS && i < place;
        first &= state[i] != SHARE_IN_WORK;
    }
    if (room->alone && !first)
        return 0;
    first &= !before;
    for (size_t j = reads->from[table]; j < reads->from[table + 1]; j++) {
        const size_t base = reads->read[j];
        char name[MATERIAL_NAME_MAX];
        if (!room->table[base].stands)
            return !first ? 0
                          : error_set(CLTB_E_MISSING, "%s.cltb is needed and gone",
                                      material_name(&room->plan->table[base].material, name));
    }
    if (before)
        return !room->alone && room->standing + bytes <= room->options->disk;
    const int code = make_room(room, state, bytes);
    return code != 0 || !first ? code : too_small(room, place, bytes);
}

int room_for(void *context, const uint8_t *state, size_t place)
{
    struct room *room = context;
    pthread_mutex_lock(&room->lock);
    const int code = place == room->plan->count ? hold_limit(room, state) : may_begin(room, state, place);
    pthread_mutex_unlock(&room->lock);
    return code;
}

bool room_stands(struct room *room, const struct plan_table *table)
{
    pthread_mutex_lock(&room->lock);
    const bool stands = room->table[room->reads.place[table - room->plan->table]].stands;
    pthread_mutex_unlock(&room->lock);
    return stands;
}

int room_begin(struct room *room, const struct plan_table *table, struct build_job *job)
{
    char path[PATH_MAX];
    char name[MATERIAL_NAME_MAX];
    char removed[sizeof room->removed];
    pthread_mutex_lock(&room->lock);
    if (room->in_work++ == 0)
        os_forget_peak_memory();
    memcpy(removed, room->removed, sizeof removed);
    const uint64_t bytes = room->removed_of;
    room->removed[0] = '\0';
    room->removed_of = 0;
    pthread_mutex_unlock(&room->lock);
    TRY(begun_path(path, room->options->dir, &table->material));
    // A file that is to be replaced would look like the new one.
    const int file = table->state == PLAN_MAKE ? os_open(path, O_WRONLY | O_CREAT | O_NOFOLLOW) : -1;
    if (file < 0 && table->state == PLAN_MAKE)
        return error_errno(CLTB_E_IO, errno, "cannot create %s", path);
    if (file >= 0)
        close(file);
    if (removed[0] == '\0')
        return 0;
    job_begin(job, material_name(&table->material, name), 0, false);
    job->event.reason = removed;
    job->event.left_bytes = bytes;
    const int code = job_emit(job, BUILD_REMOVED);
    job->event.reason = NULL;
    job->event.name = NULL;
    return code;
}

// ---- after it ----

static int record(struct room *room, const struct plan_table *table, struct build_job *job)
{
    const struct ledger_row *known;
    const size_t place = room->reads.place[table - room->plan->table];
    struct ledger_row row = {.material = table->material};
    struct ledger_row before;
    char path[PATH_MAX];
    TRY(table_path(path, sizeof path, room->options->dir, &table->material));
    pthread_mutex_lock(&room->lock);
    known = ledger_find(&room->ledger, &table->material);
    const bool again = known != NULL;
    before = again ? *known : row;
    pthread_mutex_unlock(&room->lock);
    row.seconds = job->event.solve_seconds + job->event.write_seconds;
    row.memory = job->event.peak_memory;
    TRY(describe(&row, again ? &before : NULL, path, room->options));
    if (room->options->ship != NULL && !row.shipped)
        TRY(ship(room->options, &row.material, job, &row.shipped));
    pthread_mutex_lock(&room->lock);
    const int code = again && row.shipped == before.shipped ? 0 : ledger_add(&room->ledger, &row);
    struct room_table *of = &room->table[place];
    room->standing += row.bytes - of->bytes;
    of->bytes = row.bytes;
    of->stands = of->checked = true;
    room->made++;
    pthread_mutex_unlock(&room->lock);
    return code;
}

int room_made(struct room *room, const struct plan_table *table, struct build_job *job, int code)
{
    char path[PATH_MAX];
    char begun[PATH_MAX];
    THEN(code, record(room, table, job));
    pthread_mutex_lock(&room->lock);
    room->in_work--;
    pthread_mutex_unlock(&room->lock);
    // A file without a row keeps its mark.
    if (begun_path(begun, room->options->dir, &table->material) == 0 &&
        table_path(path, sizeof path, room->options->dir, &table->material) == 0 &&
        (code == 0 || access(path, F_OK) != 0))
        unlink(begun);
    return code;
}

int room_end(struct room *room, struct build_job *job)
{
    size_t left;
    TRY(ship_rest(room, job, &left));
    const int code = make_room(room, NULL, 0);
    if (code < 0)
        return code;
    if (left > 0)
        return error_set(CLTB_E_IO, "--ship failed for %zu table%s, which are kept; the same command tries again", left,
                         left == 1 ? "" : "s");
    return 0;
}

bool room_was_short(const struct room *room)
{
    return room->was_short && (room->made > 0 || !room->alone);
}

// ---- opening and closing ----

static int take_stock(struct room *room)
{
    for (size_t i = 0; i < room->plan->count; i++) {
        const struct plan_table *table = &room->plan->table[i];
        struct room_table *of = &room->table[i];
        char path[PATH_MAX];
        struct stat status;
        if (room->reads.place[i] != i)
            continue;
        TRY(table_path(path, sizeof path, room->options->dir, &table->material));
        of->bytes = stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
        of->stands = table->state == PLAN_PRESENT && !table->gone;
        of->may_go = table->may_go;
    }
    return 0;
}

int room_open(struct room **result, const struct plan *plan, struct build_job *job, bool alone)
{
    struct room *room;
    char reason[160];
    size_t left;
    TRY(memory_new(&room, 1, sizeof *room, "a plan"));
    *result = room;
    *room = (struct room){.plan = plan, .options = job->options, .standing = plan->disk_bytes, .alone = alone};
    pthread_mutex_init(&room->lock, NULL);
    TRY(ledger_read(&room->ledger, job->options));
    TRY(disk_reads_open(&room->reads, plan));
    TRY(memory_new(&room->table, plan->count + 1, sizeof *room->table, "a plan"));
    TRY(take_stock(room));
    if (room->ledger.faults > 0) {
        job_begin(job, ledger_name(job->options), 0, false);
        snprintf(reason, sizeof reason, "%zu row%s damaged and not believed (line %zu)", room->ledger.faults,
                 room->ledger.faults == 1 ? " is" : "s are", room->ledger.first_fault);
        job->event.reason = reason;
        TRY(job_emit(job, BUILD_DAMAGED));
    }
    return ship_rest(room, job, &left);
}

void room_close(struct room *room)
{
    if (room == NULL)
        return;
    ledger_free(&room->ledger);
    disk_reads_close(&room->reads);
    pthread_mutex_destroy(&room->lock);
    free(room->table);
    free(room);
}
