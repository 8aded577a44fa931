// scratch.c - planes in blocks on disk, and a log beside them, with checkpoints that survive a kill at any moment
#include "solve/disk/scratch.h"

#include "disk/journal.h"
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

#define NO_SLOT UINT32_MAX

enum {
    RECORD_LOG = 1, // kinds of records in the journal
    RECORD_CHECKPOINT = 3,
    DIRECT_BYTES = 256 << 10, // smaller slots do better with the page cache
    SLOT_LIVE = 1,            // named by a plane
    SLOT_SAVED = 2,           // named by the last checkpoint
    SLOT_OLDER = 4,           // named by the checkpoint before
    SLOT_AHEAD = 8            // not yet written to the file
};

struct block {
    uint32_t slot;  // NO_SLOT: empty
    uint32_t pages; // of SCRATCH_ALIGN bytes in use
    uint64_t hash;  // XXH64 of these; unknown while the slot is ahead of the file
};

// The head of a checkpoint. The blocks of each plane follow, struct block [blocks], then the owner's state.
struct check {
    struct scratch_shape shape;
    uint64_t planes; // bit p: plane p exists
    uint64_t slots;
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
    uint32_t blocks; // of a plane
    size_t slot_bytes;
    struct block *plane[SCRATCH_PLANES_MAX];
    uint8_t *slot; // [slots_space] flags
    uint64_t slots;
    uint64_t slots_space;
    uint32_t *free_slot; // stack, [slots_space]
    uint64_t free_slots;
    uint8_t *memory; // the first slots
    uint64_t memory_slots;
    struct scratch_record *record; // [records]
    uint64_t records;
    size_t records_space;
    bool saved;                 // there is a checkpoint on disk
    uint8_t *state;             // of the checkpoint that was resumed from
    size_t state_bytes;         //
    int (*stop)(void *context); // struct scratch_options
    void *context;
    struct scratch_traffic traffic;
    pthread_mutex_t lock;     // slots and planes
    pthread_mutex_t log_lock; // journal and records
};

// ---- slots ----

static int more_slots(struct scratch *scratch, uint64_t space)
{
    uint8_t *slot = realloc(scratch->slot, space);
    if (slot != NULL)
        scratch->slot = slot;
    uint32_t *free_slot = realloc(scratch->free_slot, space * sizeof *free_slot);
    if (free_slot != NULL)
        scratch->free_slot = free_slot;
    if (slot == NULL || free_slot == NULL)
        return error_memory(space * 5, "the slots of a scratch file");
    memset(slot + scratch->slots_space, 0, space - scratch->slots_space);
    scratch->slots_space = space;
    return 0;
}

static int take_slot(struct scratch *scratch, uint32_t *slot)
{
    if (scratch->free_slots > 0) {
        *slot = scratch->free_slot[--scratch->free_slots];
    } else {
        if (scratch->slots == scratch->slots_space)
            TRY(more_slots(scratch, 2 * scratch->slots_space + 64));
        *slot = (uint32_t)scratch->slots++;
    }
    scratch->slot[*slot] = SLOT_LIVE;
    return 0;
}

// Sets a slot's flags; a slot with none is free.
static void set_flags(struct scratch *scratch, uint32_t slot, int flags)
{
    if (scratch->slot[slot] != 0 && flags == 0)
        scratch->free_slot[scratch->free_slots++] = slot;
    scratch->slot[slot] = (uint8_t)flags;
}

static void leave_slot(struct scratch *scratch, struct block *block)
{
    if (block->slot != NO_SLOT)
        set_flags(scratch, block->slot, scratch->slot[block->slot] & ~(SLOT_LIVE | SLOT_AHEAD));
    block->slot = NO_SLOT;
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
            scratch->plane[p][i] = (struct block){.slot = NO_SLOT};
        *plane = p;
        return 0;
    }
    return error_set(CLTB_E_USAGE, "more than %d planes at a time", SCRATCH_PLANES_MAX);
}

void scratch_plane_free(struct scratch *scratch, unsigned plane)
{
    for (uint32_t i = 0; i < scratch->blocks; i++)
        leave_slot(scratch, &scratch->plane[plane][i]);
    free(scratch->plane[plane]);
    scratch->plane[plane] = NULL;
}

bool scratch_plane_exists(const struct scratch *scratch, unsigned plane)
{
    return plane < SCRATCH_PLANES_MAX && scratch->plane[plane] != NULL;
}

bool scratch_empty(const struct scratch *scratch, unsigned plane, uint32_t block)
{
    return scratch->plane[plane][block].slot == NO_SLOT;
}

size_t scratch_block_bytes(const struct scratch *scratch, unsigned plane, uint32_t block)
{
    return (size_t)scratch->plane[plane][block].pages * SCRATCH_ALIGN;
}

size_t scratch_slot(const struct scratch *scratch)
{
    return scratch->slot_bytes;
}

struct scratch_shape scratch_shape(const struct scratch *scratch)
{
    return scratch->shape;
}

// The place of a slot in memory; NULL: it is only on disk.
static void *slot_memory(const struct scratch *scratch, uint32_t slot)
{
    return slot < scratch->memory_slots ? scratch->memory + slot * scratch->slot_bytes : NULL;
}

static int read_block(struct scratch *scratch, unsigned plane, uint32_t block, void *bytes)
{
    const struct block *at = &scratch->plane[plane][block];
    const size_t count = scratch_block_bytes(scratch, plane, block);
    const uint64_t offset = at->slot * (uint64_t)scratch->slot_bytes;
    TRY(file_read(scratch->planes_file, scratch->planes_path, bytes, count, offset, NULL));
    __atomic_fetch_add(&scratch->traffic.read, count, __ATOMIC_RELAXED);
    if (XXH64(bytes, count, 0) != at->hash)
        return error_set(CLTB_E_CORRUPT, "%s is damaged (block %u of plane %u)", scratch->planes_path, block, plane);
    return 0;
}

// Writes a block to its slot and sets its hash.
static int write_block(struct scratch *scratch, struct block *at, const void *bytes)
{
    const size_t count = (size_t)at->pages * SCRATCH_ALIGN;
    at->hash = XXH64(bytes, count, 0);
    __atomic_fetch_add(&scratch->traffic.written, count, __ATOMIC_RELAXED);
    return file_write(scratch->planes_file, scratch->planes_path, bytes, count,
                      at->slot * (uint64_t)scratch->slot_bytes);
}

int scratch_view(struct scratch *scratch, unsigned plane, uint32_t block, void *buffer, const void **bytes)
{
    *bytes = slot_memory(scratch, scratch->plane[plane][block].slot);
    if (*bytes != NULL)
        return 0;
    *bytes = buffer;
    return read_block(scratch, plane, block, buffer);
}

int scratch_room(struct scratch *scratch, unsigned plane, uint32_t block, void *buffer, void **room)
{
    struct block *at = &scratch->plane[plane][block];
    int code = 0;
    *room = NULL;
    pthread_mutex_lock(&scratch->lock);
    // Keep the slot if no checkpoint needs its contents.
    if (at->slot == NO_SLOT || (scratch->slot[at->slot] & ~SLOT_AHEAD) != SLOT_LIVE) {
        leave_slot(scratch, at);
        code = take_slot(scratch, &at->slot);
    }
    if (code == 0)
        *room = slot_memory(scratch, at->slot);
    if (*room != NULL)
        scratch->slot[at->slot] |= SLOT_AHEAD;
    else
        *room = buffer;
    pthread_mutex_unlock(&scratch->lock);
    return code;
}

int scratch_write(struct scratch *scratch, unsigned plane, uint32_t block, const void *room, size_t count)
{
    struct block *at = &scratch->plane[plane][block];
    at->pages = (uint32_t)((count + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN);
    return room == slot_memory(scratch, at->slot) ? 0 : write_block(scratch, at, room);
}

void scratch_clear(struct scratch *scratch, unsigned plane, uint32_t block)
{
    pthread_mutex_lock(&scratch->lock);
    leave_slot(scratch, &scratch->plane[plane][block]);
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
            struct block *at = &scratch->plane[p][i];
            if (at->slot != NO_SLOT && scratch->slot[at->slot] & SLOT_AHEAD)
                TRY(write_block(scratch, at, slot_memory(scratch, at->slot)));
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
    struct check check = {.shape = scratch->shape, .slots = scratch->slots, .state_bytes = state_bytes};
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
    for (uint64_t s = 0; s < scratch->slots; s++) {
        const int live = scratch->slot[s] & SLOT_LIVE ? SLOT_LIVE | SLOT_SAVED : 0;
        const int older = scratch->slot[s] & SLOT_SAVED ? SLOT_OLDER : 0;
        set_flags(scratch, (uint32_t)s, live | older);
    }
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
    scratch->slot_bytes = (shape->slot_bytes + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
    if (scratch->slot_bytes < DIRECT_BYTES)
        os_leave_direct(scratch->planes_file);
    return scratch->slot_bytes == 0 ? error_set(CLTB_E_USAGE, "blocks of no size") : 0;
}

static int misfit(const struct scratch *scratch)
{
    return error_set(CLTB_E_CORRUPT, "a checkpoint in %s does not fit its planes", scratch->journal.path);
}

// Takes over the tables of all planes, and the flags of the slots that they name. All slots must lie in a file of
// `file_bytes`.
static int take_planes(struct scratch *scratch, const struct check *check, const uint8_t *at, uint64_t file_bytes)
{
    const size_t bytes = scratch->blocks * sizeof(struct block);
    if (check->slots > scratch->slots_space)
        TRY(more_slots(scratch, check->slots));
    scratch->slots = check->slots;
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        if (!(check->planes >> p & 1))
            continue;
        struct block *blocks = scratch->plane[p] = malloc(bytes);
        if (blocks == NULL)
            return error_memory(bytes, "a plane's blocks");
        memcpy(blocks, at, bytes);
        at += bytes;
        for (uint32_t i = 0; i < scratch->blocks; i++) {
            const uint64_t used = (uint64_t)blocks[i].pages * SCRATCH_ALIGN;
            if (blocks[i].slot == NO_SLOT)
                continue;
            if (blocks[i].slot >= check->slots || used > scratch->slot_bytes || used > file_bytes ||
                blocks[i].slot > (file_bytes - used) / scratch->slot_bytes)
                return misfit(scratch);
            scratch->slot[blocks[i].slot] = SLOT_LIVE | SLOT_SAVED;
        }
    }
    for (uint64_t s = scratch->slots; s-- > 0;) {
        if (scratch->slot[s] == 0)
            scratch->free_slot[scratch->free_slots++] = (uint32_t)s;
    }
    return 0;
}

// Checks the hash of every block.
static int check_planes(struct scratch *scratch, uint64_t file_bytes)
{
    int code = 0;
    const size_t most = file_bytes < scratch->slot_bytes ? file_bytes + 1 : scratch->slot_bytes;
    void *buffer = memory_map(most);
    if (buffer == NULL)
        return error_memory(most, "a block");
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        for (uint32_t i = 0; code == 0 && scratch->plane[p] != NULL && i < scratch->blocks; i++) {
            if (scratch_empty(scratch, p, i))
                continue;
            code = check_stop(scratch);
            THEN(code, read_block(scratch, p, i, buffer));
        }
    }
    memory_unmap(buffer, most);
    return code;
}

int scratch_keep(struct scratch *scratch, uint64_t bytes)
{
    scratch->memory = memory_map(bytes / scratch->slot_bytes * scratch->slot_bytes);
    if (scratch->memory == NULL)
        return bytes < scratch->slot_bytes ? 0 : error_memory(bytes, "planes");
    scratch->memory_slots = bytes / scratch->slot_bytes;
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        for (uint32_t i = 0; scratch->plane[p] != NULL && i < scratch->blocks; i++) {
            void *memory = slot_memory(scratch, scratch->plane[p][i].slot);
            if (memory != NULL)
                TRY(read_block(scratch, p, i, memory));
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
    // A block of each plane takes at most three slots: one now, one in the last checkpoint and one in the checkpoint
    // before.
    if (check.planes == 0 || blocks == 0 || blocks > UINT32_MAX / 1024 ||
        check.slots > 3 * SCRATCH_PLANES_MAX * blocks || check.shape.slot_bytes == 0 ||
        check.shape.slot_bytes > INT64_MAX || check.state_bytes > found->bytes ||
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
    if (scratch->slots_space > 0)
        memset(scratch->slot, 0, scratch->slots_space);
    scratch->slots = scratch->free_slots = 0;
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
    memory_unmap(scratch->memory, scratch->memory_slots * scratch->slot_bytes);
    free(scratch->slot);
    free(scratch->free_slot);
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
    const uint64_t absent = scratch->saved ? 0 : u64_smaller(scratch->slots, scratch->memory_slots);
    traffic.disk = (scratch->slots - absent) * scratch->slot_bytes + scratch->journal.end;
    return traffic;
}
