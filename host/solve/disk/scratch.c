// scratch.c - planes in blocks on disk, and a log beside them, with checkpoints that survive a kill at any moment
#include "solve/disk/scratch.h"

#include "disk/journal.h"
#include "solve/cpu/lane_kernels.h"
#include "util/error.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/saturate.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define NO_UNIT UINT32_MAX

enum {
    RECORD_LOG = 1, // kinds of records in the journal
    RECORD_CHECKPOINT = 4,
    DIRECT_BYTES = 256 << 10, // smaller blocks do better with the page cache
    BLOCK_UNITS = 256,        // of the largest block, unless units would be smaller than a page
    UNIT_LIVE = 1,            // named by a plane
    UNIT_SAVED = 2,           // named by the last checkpoint
    UNIT_OLDER = 4,           // named by the checkpoint before
    UNIT_AHEAD = 8            // not yet written to the file
};

struct block {
    uint32_t unit;   // the first; NO_UNIT: empty
    uint32_t pages;  // of SCRATCH_ALIGN bytes
    uint64_t packed; // the same of its code
    uint64_t hash;   // XXH64 of the code
};

// The head of a checkpoint. The blocks of each plane follow, struct block [blocks], then the owner's state.
struct check {
    struct scratch_shape shape;
    uint64_t planes; // bit p: plane p exists
    uint64_t state_bytes;
};

// A checkpoint found in the journal.
struct found {
    uint64_t offset;
    uint64_t bytes;   // 0: none
    uint64_t end;     // of the journal, including this checkpoint
    uint64_t records; // of the log before it
};

struct scratch {
    struct journal journal;
    char planes_path[PATH_MAX + 16];
    int planes_file;
    char identity[SCRATCH_IDENTITY_MAX];
    struct scratch_shape shape;
    uint32_t blocks;    // of a plane
    size_t block_bytes; // of the largest one
    uint64_t unit_bytes;
    const struct row_kernels *rows;
    struct block *plane[SCRATCH_PLANES_MAX];
    uint8_t *unit; // [units_space] flags, 0: free
    uint64_t units_space;
    uint64_t units;    // all others are free,
    uint64_t next;     // and the search for free ones begins here
    uint64_t row_most; // at most so many units are free in a row
    uint8_t *memory;   // the first units
    uint64_t in_memory;
    struct scratch_record *record; // [records]
    uint64_t records;
    size_t records_space;
    bool saved;                 // there is a checkpoint on disk
    uint8_t *state;             // of the checkpoint that was resumed from
    size_t state_bytes;         //
    int (*stop)(void *context); // struct scratch_options
    void *context;
    struct scratch_traffic traffic;
    pthread_mutex_t lock;     // units and planes
    pthread_mutex_t log_lock; // journal and records
};

// ---- units ----

static uint64_t units_of(const struct scratch *scratch, const struct block *block)
{
    return (block->packed * SCRATCH_ALIGN + scratch->unit_bytes - 1) / scratch->unit_bytes;
}

static int more_units(struct scratch *scratch, uint64_t units)
{
    if (units <= scratch->units_space)
        return 0;
    const uint64_t space = units + units / 2;
    uint8_t *unit = space < NO_UNIT ? realloc(scratch->unit, space) : NULL;
    if (unit == NULL)
        return error_memory(space, "the units of a scratch file");
    memset(unit + scratch->units_space, 0, space - scratch->units_space);
    scratch->unit = unit;
    scratch->units_space = space;
    return 0;
}

// Finds free units in a row. If there are not enough, `*first` is where they begin at the end.
static bool find_run(const struct scratch *scratch, uint64_t from, uint64_t count, uint64_t *first)
{
    uint64_t run = 0;
    for (uint64_t u = from; u < scratch->units; u++) {
        run = scratch->unit[u] == 0 ? run + 1 : 0;
        *first = u + 1 - run;
        if (run == count)
            return true;
    }
    *first = scratch->units - run;
    return false;
}

static void leave_units(struct scratch *scratch, struct block *block)
{
    if (block->unit == NO_UNIT)
        return;
    const int flags = scratch->unit[block->unit] & (UNIT_SAVED | UNIT_OLDER);
    memset(scratch->unit + block->unit, flags, units_of(scratch, block));
    if (flags == 0)
        scratch->row_most = UINT64_MAX;
    block->unit = NO_UNIT;
}

// Gives a block units for so many pages: those that it has, if they are enough and no checkpoint needs their contents.
static int take_units(struct scratch *scratch, struct block *block, uint64_t packed)
{
    const struct block before = *block;
    uint64_t first = before.unit;
    leave_units(scratch, block);
    block->packed = packed;
    const uint64_t count = units_of(scratch, block);
    if (first == NO_UNIT || scratch->unit[first] != 0 || units_of(scratch, &before) < count) {
        first = scratch->units;
        if (count <= scratch->row_most && !find_run(scratch, scratch->next, count, &first) &&
            !find_run(scratch, 0, count, &first))
            scratch->row_most = count - 1;
        TRY(more_units(scratch, first + count));
        scratch->next = first + count;
        scratch->units = u64_larger(scratch->units, scratch->next);
    }
    block->unit = (uint32_t)first;
    memset(scratch->unit + first, first + count <= scratch->in_memory ? UNIT_LIVE | UNIT_AHEAD : UNIT_LIVE, count);
    return 0;
}

// ---- planes ----

int scratch_plane_new(struct scratch *scratch, unsigned *plane)
{
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        if (scratch->plane[p] != NULL)
            continue;
        scratch->plane[p] = malloc(scratch->blocks * sizeof *scratch->plane[p]);
        if (scratch->plane[p] == NULL)
            return error_memory(scratch->blocks * sizeof *scratch->plane[p], "a plane's blocks");
        for (uint32_t i = 0; i < scratch->blocks; i++)
            scratch->plane[p][i] = (struct block){.unit = NO_UNIT};
        *plane = p;
        return 0;
    }
    return error_set(CLTB_E_USAGE, "more than %d planes at a time", SCRATCH_PLANES_MAX);
}

void scratch_plane_free(struct scratch *scratch, unsigned plane)
{
    for (uint32_t i = 0; i < scratch->blocks; i++)
        leave_units(scratch, &scratch->plane[plane][i]);
    free(scratch->plane[plane]);
    scratch->plane[plane] = NULL;
}

bool scratch_plane_exists(const struct scratch *scratch, unsigned plane)
{
    return plane < SCRATCH_PLANES_MAX && scratch->plane[plane] != NULL;
}

bool scratch_empty(const struct scratch *scratch, unsigned plane, uint32_t block)
{
    return scratch->plane[plane][block].unit == NO_UNIT;
}

size_t scratch_block_bytes(const struct scratch *scratch, unsigned plane, uint32_t block)
{
    return (size_t)scratch->plane[plane][block].pages * SCRATCH_ALIGN;
}

size_t scratch_block_most(const struct scratch *scratch)
{
    return scratch->block_bytes;
}

struct scratch_shape scratch_shape(const struct scratch *scratch)
{
    return scratch->shape;
}

// The place of a block's code in memory; NULL: it is only on disk.
static uint8_t *code_memory(const struct scratch *scratch, const struct block *block)
{
    return block->unit + units_of(scratch, block) <= scratch->in_memory
               ? scratch->memory + block->unit * scratch->unit_bytes
               : NULL;
}

// ---- buffers ----

// A buffer has zeros, as the code wants them; the bytes of a block; and their code.
enum { ZEROS = 8 * ROW_BEFORE };

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
}

static uint64_t code_space(uint64_t block_bytes)
{
    return whole_pages(row_code_bound(whole_pages(block_bytes) / 8));
}

uint64_t scratch_buffer_bytes(uint64_t block_bytes)
{
    return ZEROS + whole_pages(block_bytes) + code_space(block_bytes);
}

int scratch_buffer_new(const struct scratch *scratch, void **buffer)
{
    const size_t bytes = scratch_buffer_bytes(scratch->block_bytes);
    *buffer = memory_map(bytes);
    return *buffer == NULL ? error_memory(bytes, "a block") : 0;
}

void scratch_buffer_free(const struct scratch *scratch, void *buffer)
{
    if (buffer != NULL)
        memory_unmap(buffer, scratch_buffer_bytes(scratch->block_bytes));
}

void *scratch_room(void *buffer)
{
    return (uint8_t *)buffer + ZEROS;
}

// ---- blocks ----

// Reads a block's code to code[], and compares its hash.
static int read_code(struct scratch *scratch, unsigned plane, uint32_t block, void *code)
{
    const struct block *at = &scratch->plane[plane][block];
    const size_t count = at->packed * SCRATCH_ALIGN;
    TRY(file_read(scratch->planes_file, scratch->planes_path, code, count, at->unit * scratch->unit_bytes, NULL));
    __atomic_fetch_add(&scratch->traffic.read, count, __ATOMIC_RELAXED);
    if (XXH64(code, count, 0) != at->hash)
        return error_set(CLTB_E_CORRUPT, "%s is damaged (block %u of plane %u)", scratch->planes_path, block, plane);
    return 0;
}

int scratch_read(struct scratch *scratch, unsigned plane, uint32_t block, void *buffer, const void **bytes)
{
    uint8_t *room = scratch_room(buffer);
    uint8_t *code = code_memory(scratch, &scratch->plane[plane][block]);
    *bytes = room;
    if (code == NULL) {
        code = room + scratch->block_bytes;
        TRY(read_code(scratch, plane, block, code));
    }
    scratch->rows->unpack(code, scratch_block_bytes(scratch, plane, block) / 8, scratch_room(buffer));
    return 0;
}

static int write_code(struct scratch *scratch, const struct block *block, const void *code)
{
    const size_t count = block->packed * SCRATCH_ALIGN;
    __atomic_fetch_add(&scratch->traffic.written, count, __ATOMIC_RELAXED);
    return file_write(scratch->planes_file, scratch->planes_path, code, count, block->unit * scratch->unit_bytes);
}

int scratch_write(struct scratch *scratch, unsigned plane, uint32_t block, void *buffer, size_t count)
{
    struct block *at = &scratch->plane[plane][block];
    uint8_t *bytes = scratch_room(buffer);
    uint8_t *code = bytes + scratch->block_bytes;
    const size_t whole = whole_pages(count);
    memset(bytes + count, 0, whole - count);
    const size_t words = whole / 8;
    const size_t used = u64_larger(scratch->rows->pack(scratch_room(buffer), words, code), 8 * row_masks_of(words));
    const size_t packed = whole_pages(used);
    memset(code + used, 0, packed - used);
    pthread_mutex_lock(&scratch->lock);
    const int result = take_units(scratch, at, packed / SCRATCH_ALIGN);
    pthread_mutex_unlock(&scratch->lock);
    TRY(result);
    at->pages = (uint32_t)(whole / SCRATCH_ALIGN);
    at->hash = XXH64(code, packed, 0);
    void *memory = code_memory(scratch, at);
    if (memory == NULL)
        return write_code(scratch, at, code);
    memcpy(memory, code, packed);
    return 0;
}

void scratch_clear(struct scratch *scratch, unsigned plane, uint32_t block)
{
    pthread_mutex_lock(&scratch->lock);
    leave_units(scratch, &scratch->plane[plane][block]);
    pthread_mutex_unlock(&scratch->lock);
}

// ---- the log ----

static int add_record(struct scratch *scratch, const struct scratch_record *record)
{
    TRY(memory_grow(&scratch->record, &scratch->records_space, scratch->records + 1, sizeof *scratch->record,
                    "the log's records"));
    scratch->record[scratch->records++] = *record;
    return 0;
}

int scratch_append(struct scratch *scratch, struct scratch_record *record, const void *bytes)
{
    pthread_mutex_lock(&scratch->log_lock);
    int code = journal_append(&scratch->journal, RECORD_LOG, record, offsetof(struct scratch_record, bytes), bytes,
                              record->bytes);
    record->offset = scratch->journal.end - record->bytes;
    THEN(code, add_record(scratch, record));
    pthread_mutex_unlock(&scratch->log_lock);
    __atomic_fetch_add(&scratch->traffic.written, record->bytes, __ATOMIC_RELAXED);
    return code;
}

struct scratch_record *scratch_records(const struct scratch *scratch, uint64_t *count)
{
    *count = scratch->records;
    return scratch->record;
}

int scratch_log_read(struct scratch *scratch, const struct scratch_record *record, void *bytes)
{
    __atomic_fetch_add(&scratch->traffic.read, record->bytes, __ATOMIC_RELAXED);
    return journal_read(&scratch->journal, record->offset, bytes, record->bytes);
}

// ---- saving a checkpoint ----

// Writes the blocks that are only in memory.
static int write_ahead(struct scratch *scratch)
{
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        for (uint32_t i = 0; scratch->plane[p] != NULL && i < scratch->blocks; i++) {
            const struct block *at = &scratch->plane[p][i];
            if (at->unit != NO_UNIT && scratch->unit[at->unit] & UNIT_AHEAD)
                TRY(write_code(scratch, at, code_memory(scratch, at)));
        }
    }
    return 0;
}

int scratch_save(struct scratch *scratch, const void *state, size_t state_bytes)
{
    TRY(write_ahead(scratch));
    if (os_sync(scratch->planes_file, false) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot sync %s", scratch->planes_path);
    const size_t plane_bytes = scratch->blocks * sizeof(struct block);
    struct check check = {.shape = scratch->shape, .state_bytes = state_bytes};
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++)
        check.planes |= (uint64_t)(scratch->plane[p] != NULL) << p;
    journal_begin(&scratch->journal, 0);
    int code = journal_write(&scratch->journal, &check, sizeof check);
    for (unsigned p = 0; code == 0 && p < SCRATCH_PLANES_MAX; p++) {
        if (scratch->plane[p] != NULL)
            code = journal_write(&scratch->journal, scratch->plane[p], plane_bytes);
    }
    THEN(code, journal_write(&scratch->journal, state, state_bytes));
    TRY(code == 0 ? journal_commit(&scratch->journal, RECORD_CHECKPOINT, NULL)
                  : journal_abandon(&scratch->journal, code));
    TRY(journal_sync(&scratch->journal));
    for (uint64_t u = 0; u < scratch->units; u++) {
        const int live = scratch->unit[u] & UNIT_LIVE ? UNIT_LIVE | UNIT_SAVED : 0;
        const int older = scratch->unit[u] & UNIT_SAVED ? UNIT_OLDER : 0;
        scratch->unit[u] = (uint8_t)(live | older);
    }
    scratch->row_most = UINT64_MAX;
    scratch->saved = true;
    return 0;
}

// ---- resuming from a checkpoint ----

static int check_stop(const struct scratch *scratch)
{
    if (scratch->stop == NULL || scratch->stop(scratch->context) == 0)
        return 0;
    return error_set(CLTB_E_INTERRUPTED, "interrupted while a checkpoint is read");
}

static int set_shape(struct scratch *scratch, const struct scratch_shape *shape)
{
    scratch->shape = *shape;
    scratch->blocks = shape->row_groups * shape->column_groups;
    scratch->block_bytes = whole_pages(shape->slot_bytes);
    scratch->unit_bytes = whole_pages(scratch->block_bytes / BLOCK_UNITS);
    if (scratch->block_bytes < DIRECT_BYTES)
        os_leave_direct(scratch->planes_file);
    return scratch->block_bytes == 0 ? error_set(CLTB_E_USAGE, "blocks of no size") : 0;
}

static int misfit(const struct scratch *scratch)
{
    return error_set(CLTB_E_CORRUPT, "a checkpoint in %s does not fit its planes", scratch->journal.path);
}

// Takes over the tables of all planes, and the flags of the units that they name. All must lie in a file of
// `file_bytes`.
static int take_planes(struct scratch *scratch, const struct check *check, const uint8_t *at, uint64_t file_bytes)
{
    const size_t bytes = scratch->blocks * sizeof(struct block);
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        if (!(check->planes >> p & 1))
            continue;
        struct block *blocks = scratch->plane[p] = malloc(bytes);
        if (blocks == NULL)
            return error_memory(bytes, "a plane's blocks");
        memcpy(blocks, at, bytes);
        at += bytes;
        for (uint32_t i = 0; i < scratch->blocks; i++) {
            const uint64_t packed = u64_product(blocks[i].packed, SCRATCH_ALIGN);
            if (blocks[i].unit == NO_UNIT)
                continue;
            if ((uint64_t)blocks[i].pages * SCRATCH_ALIGN > scratch->block_bytes || packed == 0 ||
                packed > code_space(scratch->block_bytes) || packed > file_bytes ||
                u64_product(blocks[i].unit, scratch->unit_bytes) > file_bytes - packed)
                return misfit(scratch);
            const uint64_t count = units_of(scratch, &blocks[i]);
            TRY(more_units(scratch, blocks[i].unit + count));
            memset(scratch->unit + blocks[i].unit, UNIT_LIVE | UNIT_SAVED, count);
            scratch->units = u64_larger(scratch->units, blocks[i].unit + count);
        }
    }
    scratch->row_most = UINT64_MAX;
    return 0;
}

// Checks the hash of every block.
static int check_planes(struct scratch *scratch, uint64_t file_bytes)
{
    int code = 0;
    const size_t most = u64_smaller(file_bytes + 1, code_space(scratch->block_bytes));
    void *buffer = memory_map(most);
    if (buffer == NULL)
        return error_memory(most, "a block");
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        for (uint32_t i = 0; code == 0 && scratch->plane[p] != NULL && i < scratch->blocks; i++) {
            if (scratch_empty(scratch, p, i))
                continue;
            code = check_stop(scratch);
            THEN(code, read_code(scratch, p, i, buffer));
        }
    }
    memory_unmap(buffer, most);
    return code;
}

int scratch_keep(struct scratch *scratch, uint64_t bytes)
{
    const uint64_t units = bytes / scratch->unit_bytes;
    if (units == 0)
        return 0;
    scratch->memory = memory_map(units * scratch->unit_bytes);
    if (scratch->memory == NULL)
        return error_memory(bytes, "planes");
    scratch->in_memory = units;
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        for (uint32_t i = 0; scratch->plane[p] != NULL && i < scratch->blocks; i++) {
            void *code = scratch_empty(scratch, p, i) ? NULL : code_memory(scratch, &scratch->plane[p][i]);
            if (code != NULL)
                TRY(read_code(scratch, p, i, code));
        }
    }
    return 0;
}

static int take_checkpoint(struct scratch *scratch, const struct found *found)
{
    struct check check;
    struct stat planes;
    if (fstat(scratch->planes_file, &planes) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot read %s", scratch->planes_path);
    if (found->bytes < sizeof check)
        return misfit(scratch);
    scratch->state = malloc(found->bytes);
    if (scratch->state == NULL)
        return error_memory(found->bytes, "a checkpoint");
    TRY(journal_read(&scratch->journal, found->offset, scratch->state, found->bytes));
    memcpy(&check, scratch->state, sizeof check);
    const uint64_t blocks = (uint64_t)check.shape.row_groups * check.shape.column_groups;
    const uint64_t tables = (uint64_t)__builtin_popcountll(check.planes) * blocks * sizeof(struct block);
    if (check.planes == 0 || blocks == 0 || blocks > UINT32_MAX / 1024 || check.shape.slot_bytes == 0 ||
        check.shape.slot_bytes > INT64_MAX / 4 || check.state_bytes > found->bytes ||
        sizeof check + tables + check.state_bytes != found->bytes)
        return misfit(scratch);
    TRY(set_shape(scratch, &check.shape));
    TRY(take_planes(scratch, &check, scratch->state + sizeof check, (uint64_t)planes.st_size));
    TRY(check_planes(scratch, (uint64_t)planes.st_size));
    scratch->state_bytes = check.state_bytes;
    memmove(scratch->state, scratch->state + sizeof check + tables, check.state_bytes);
    scratch->journal.end = found->end;
    scratch->records = found->records;
    scratch->saved = true;
    return journal_cut(&scratch->journal);
}

static void forget_planes(struct scratch *scratch)
{
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        free(scratch->plane[p]);
        scratch->plane[p] = NULL;
    }
    if (scratch->units_space > 0)
        memset(scratch->unit, 0, scratch->units_space);
    scratch->units = 0;
    free(scratch->state);
    scratch->state = NULL;
}

// Reads the whole journal and notes the records of the log and the last two checkpoints.
static int read_journal(struct scratch *scratch, struct found found[2], bool *damaged)
{
    for (;;) {
        struct journal_record record;
        struct scratch_record entry;
        enum journal_next next;
        TRY(check_stop(scratch));
        TRY(journal_next(&scratch->journal, &record, &next));
        *damaged = next == JOURNAL_DAMAGE;
        if (next != JOURNAL_RECORD)
            return 0;
        int code = 0;
        if (record.kind == RECORD_CHECKPOINT) {
            found[1] = found[0];
            found[0] = (struct found){record.data, record.data_bytes, scratch->journal.end, scratch->records};
        } else if (record.kind == RECORD_LOG && record.front_bytes == offsetof(struct scratch_record, bytes)) {
            memcpy(&entry, record.front, record.front_bytes);
            entry.bytes = (uint32_t)record.data_bytes;
            entry.offset = record.data;
            code = add_record(scratch, &entry);
        }
        free(record.front);
        TRY(code);
    }
}

// Resumes from the last checkpoint, or else from the one before. Files that cannot be read are not thrown away: the
// disk may return them another time.
static int resume(struct scratch *scratch, bool older, enum scratch_start *start)
{
    struct found found[2] = {{.bytes = 0}};
    bool damaged = false;
    char unread[512] = "";
    int code = read_journal(scratch, found, &damaged);
    for (int i = older ? 1 : 0; i <= 2; i++) {
        if (code == CLTB_E_IO && unread[0] == '\0')
            snprintf(unread, sizeof unread, "%s", error_text());
        else if (code != 0 && code != CLTB_E_IO && code != CLTB_E_CORRUPT)
            return code;
        damaged |= code != 0;
        if (i == 2 || found[i].bytes == 0)
            break;
        *start = damaged ? SCRATCH_RESUMED_OLDER : SCRATCH_RESUMED;
        code = take_checkpoint(scratch, &found[i]);
        if (code == 0)
            return 0;
        forget_planes(scratch);
    }
    *start = damaged ? SCRATCH_DAMAGED : SCRATCH_NEW;
    return unread[0] == '\0' ? 0 : error_set(CLTB_E_IO, "%s", unread);
}

// ---- opening and closing ----

void scratch_planes_path(char *planes, size_t size, const char *work)
{
    snprintf(planes, size, "%.*s.planes", (int)(strlen(work) - strlen(".work")), work);
}

bool scratch_found(const char *work)
{
    return journal_has(work, RECORD_CHECKPOINT);
}

static int begin(struct scratch *scratch, const struct scratch_options *options, enum journal_found found,
                 enum scratch_start *start)
{
    if (found == JOURNAL_OTHER && scratch_found(options->path))
        return error_set(CLTB_E_USAGE,
                         "%s keeps work on this table with other options: resume it with those (--both-sides, --best, "
                         "--solve-only; mpirun), or remove the file",
                         scratch->journal.path);
    // Bypass the page cache if the file system can: planes are read once a sweep, and would push out what others need.
    TRY(file_open_own(&scratch->planes_file, scratch->planes_path, true));
    *start = found == JOURNAL_DAMAGED ? SCRATCH_DAMAGED : SCRATCH_NEW;
    if (found == JOURNAL_SAME)
        TRY(resume(scratch, options->older, start));
    if (*start == SCRATCH_RESUMED || *start == SCRATCH_RESUMED_OLDER)
        return 0;
    scratch->records = 0;
    if (ftruncate(scratch->planes_file, 0) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot empty %s", scratch->planes_path);
    TRY(journal_restart(&scratch->journal, scratch->identity, sizeof scratch->identity));
    return set_shape(scratch, &options->shape);
}

int scratch_open(struct scratch **result, const struct scratch_options *options, enum scratch_start *start)
{
    enum journal_found found = JOURNAL_SAME;
    *result = NULL;
    struct scratch *scratch;
    TRY(memory_new(&scratch, 1, sizeof *scratch, "a scratch file"));
    scratch->journal.file = scratch->planes_file = -1;
    scratch->rows = lane_kernels_choose(512, NULL)->rows;
    pthread_mutex_init(&scratch->lock, NULL);
    pthread_mutex_init(&scratch->log_lock, NULL);
    scratch_planes_path(scratch->planes_path, sizeof scratch->planes_path, options->path);
    snprintf(scratch->identity, sizeof scratch->identity, "%s", options->identity);
    scratch->stop = options->stop;
    scratch->context = options->context;
    int code = journal_open(&scratch->journal, options->path, scratch->identity, sizeof scratch->identity, &found);
    THEN(code, begin(scratch, options, found, start));
    if (code == 0) {
        *result = scratch;
    } else {
        scratch->saved = found != JOURNAL_EMPTY;
        scratch_close(scratch, true);
    }
    return code;
}

void scratch_close(struct scratch *scratch, bool keep)
{
    if (scratch == NULL)
        return;
    keep &= scratch->saved;
    if (!keep && scratch->planes_file >= 0 && file_is_named(scratch->planes_file, scratch->planes_path) > 0)
        unlink(scratch->planes_path);
    journal_close(&scratch->journal, keep);
    if (scratch->planes_file >= 0)
        close(scratch->planes_file);
    forget_planes(scratch);
    memory_unmap(scratch->memory, scratch->in_memory * scratch->unit_bytes);
    free(scratch->unit);
    free(scratch->record);
    pthread_mutex_destroy(&scratch->lock);
    pthread_mutex_destroy(&scratch->log_lock);
    free(scratch);
}

const void *scratch_saved(const struct scratch *scratch, size_t *bytes)
{
    *bytes = scratch->state_bytes;
    return scratch->state;
}

struct scratch_traffic scratch_traffic(const struct scratch *scratch)
{
    struct scratch_traffic traffic = scratch->traffic;
    traffic.disk = os_disk_bytes(scratch->planes_path) + scratch->journal.end;
    return traffic;
}
