// scratch.c - planes in blocks on disk, and a log beside them, with checkpoints that survive a kill at any moment
#include "stream/scratch.h"

#include "util/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define NO_SLOT UINT32_MAX

enum {
    LOG_BUFFER = 4 << 20,
    DIRECT_BYTES = 256 << 10, // smaller slots are better off with the page cache
    SLOT_LIVE = 1,            // named by a plane
    SLOT_SAVED = 2,           // by the last checkpoint
    SLOT_OLDER = 4            // by the one before
};

static const char magic[8] = "cltbck02";

struct block {
    uint32_t slot;  // NO_SLOT: empty
    uint32_t pages; // of SCRATCH_ALIGN bytes that are used
    uint64_t hash;  // XXH64 of those
};

// Where a checkpoint begins; all numbers as in memory: it never leaves the machine.
struct head {
    char magic[8];
    uint64_t bytes; // of the file
    uint64_t hash;  // XXH64 of the file with this field zero
    char identity[SCRATCH_IDENTITY_MAX];
    struct scratch_shape shape;
    uint64_t planes; // bit p: there is a plane p
    uint64_t slots;
    uint64_t log_bytes;
    uint64_t log_hash; // XXH64 of them
    uint64_t state_bytes;
};
// Then struct block [blocks] for each plane that is there, and the state.

struct scratch {
    char path[PATH_MAX]; // DIR/NAME.cltb
    char folder[PATH_MAX];
    char identity[SCRATCH_IDENTITY_MAX];
    struct scratch_shape shape;
    uint32_t blocks; // of a plane
    size_t slot_bytes;
    int planes_file;
    int log_file;
    struct block *plane[SCRATCH_PLANES_MAX];
    uint8_t *slot; // [slots_space] flags
    uint64_t slots;
    uint64_t slots_space;
    uint32_t *free_slot; // stack, [slots_space]
    uint64_t free_slots;
    uint8_t *log_buffer; // what is not written of the log yet
    size_t log_buffered;
    uint64_t log_written;    // bytes
    XXH64_state_t *log_hash; // of these
    bool opened;             // all went well
    bool saved;              // there is a checkpoint
    uint8_t *found;          // the checkpoint that was found
    struct scratch_traffic traffic;
    pthread_mutex_t lock;     // slots and planes
    pthread_mutex_t log_lock; //
};

static const char *const endings[] = {".planes", ".log", ".check", ".check.old", ".check.part"};
enum { END_PLANES, END_LOG, END_CHECK, END_OLD, END_PART, ENDINGS };

static const char *file_path(const struct scratch *scratch, int ending, char path[PATH_MAX + 16])
{
    snprintf(path, PATH_MAX + 16, "%s%s", scratch->path, endings[ending]);
    return path;
}

static int io_fault(const struct scratch *scratch, int ending, const char *what, int number)
{
    char path[PATH_MAX + 16];
    return error_errno(CLTB_E_IO, number, "%s %s", what, file_path(scratch, ending, path));
}

// ---- files ----

// The whole of it, or an error. 0 bytes read: the end of the file.
static int transfer(const struct scratch *scratch, int ending, bool write, void *bytes, size_t count, uint64_t offset)
{
    const int file = ending == END_PLANES ? scratch->planes_file : scratch->log_file;
    uint8_t *at = bytes;
    while (count > 0) {
        const ssize_t n = write ? pwrite(file, at, count, (off_t)offset) : pread(file, at, count, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return io_fault(scratch, ending, write ? "cannot write" : "cannot read", errno);
        if (n == 0 && !write)
            return error_set(CLTB_E_CORRUPT, "%s%s is cut short", scratch->path, endings[ending]);
        if (n == 0)
            return io_fault(scratch, ending, "cannot write", ENOSPC);
        at += n;
        offset += (uint64_t)n;
        count -= (size_t)n;
    }
    return 0;
}

// Past the page cache if the file system can: planes are read once a sweep, and the cache would only push out what others need.
static int open_unbuffered(const char *path, int flags)
{
    const int file = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_DIRECT, 0666);
    return file < 0 && errno == EINVAL ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0666) : file;
}

// Is the file that is open still the one of that name? Another run may have removed it before it was locked.
static bool still_there(int file, const char *path)
{
    struct stat here;
    struct stat there;
    return fstat(file, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

static int open_planes(struct scratch *scratch)
{
    char path[PATH_MAX + 16];
    file_path(scratch, END_PLANES, path);
    for (;;) {
        scratch->planes_file = open_unbuffered(path, O_RDWR | O_CREAT);
        if (scratch->planes_file < 0)
            return io_fault(scratch, END_PLANES, "cannot create", errno);
        if (flock(scratch->planes_file, LOCK_EX | LOCK_NB) != 0)
            return errno == EWOULDBLOCK ? error_set(CLTB_E_IO, "another run uses %s", path)
                                        : io_fault(scratch, END_PLANES, "cannot lock", errno);
        if (still_there(scratch->planes_file, path))
            return 0;
        close(scratch->planes_file);
    }
}

static int open_log(struct scratch *scratch)
{
    char path[PATH_MAX + 16];
    scratch->log_file = open(file_path(scratch, END_LOG, path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return scratch->log_file < 0 ? io_fault(scratch, END_LOG, "cannot create", errno) : 0;
}

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

static void drop_slot(struct scratch *scratch, uint32_t slot, uint8_t flag)
{
    if (slot == NO_SLOT || !(scratch->slot[slot] & flag))
        return;
    scratch->slot[slot] = (uint8_t)(scratch->slot[slot] & ~flag);
    if (scratch->slot[slot] == 0)
        scratch->free_slot[scratch->free_slots++] = slot;
}

// ---- planes ----

static void empty_blocks(struct block *blocks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        blocks[i] = (struct block){.slot = NO_SLOT};
}

int scratch_plane_new(struct scratch *scratch, unsigned *plane)
{
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        if (scratch->plane[p] != NULL)
            continue;
        scratch->plane[p] = malloc(scratch->blocks * sizeof *scratch->plane[p]);
        if (scratch->plane[p] == NULL)
            return error_memory(scratch->blocks * sizeof *scratch->plane[p], "a plane's blocks");
        empty_blocks(scratch->plane[p], scratch->blocks);
        *plane = p;
        return 0;
    }
    return error_set(CLTB_E_USAGE, "more than %d planes at a time", SCRATCH_PLANES_MAX);
}

void scratch_plane_free(struct scratch *scratch, unsigned plane)
{
    for (uint32_t i = 0; i < scratch->blocks; i++)
        drop_slot(scratch, scratch->plane[plane][i].slot, SLOT_LIVE);
    free(scratch->plane[plane]);
    scratch->plane[plane] = NULL;
}

bool scratch_plane_there(const struct scratch *scratch, unsigned plane)
{
    return plane < SCRATCH_PLANES_MAX && scratch->plane[plane] != NULL;
}

bool scratch_empty(const struct scratch *scratch, unsigned plane, uint32_t block)
{
    return scratch->plane[plane][block].slot == NO_SLOT;
}

size_t scratch_slot(const struct scratch *scratch)
{
    return scratch->slot_bytes;
}

struct scratch_shape scratch_shape(const struct scratch *scratch)
{
    return scratch->shape;
}

int scratch_read(struct scratch *scratch, unsigned plane, uint32_t block, void *bytes)
{
    const struct block *at = &scratch->plane[plane][block];
    const size_t count = (size_t)at->pages * SCRATCH_ALIGN;
    TRY(transfer(scratch, END_PLANES, false, bytes, count, at->slot * (uint64_t)scratch->slot_bytes));
    __atomic_fetch_add(&scratch->traffic.read, count, __ATOMIC_RELAXED);
    if (XXH64(bytes, count, 0) != at->hash)
        return error_set(CLTB_E_CORRUPT, "%s.planes is damaged (block %u of plane %u)", scratch->path, block, plane);
    return 0;
}

int scratch_write(struct scratch *scratch, unsigned plane, uint32_t block, const void *bytes, size_t count)
{
    struct block *at = &scratch->plane[plane][block];
    pthread_mutex_lock(&scratch->lock);
    int code = 0;
    if (at->slot == NO_SLOT || scratch->slot[at->slot] != SLOT_LIVE) { // else nobody else needs what is there
        drop_slot(scratch, at->slot, SLOT_LIVE);
        at->slot = NO_SLOT;
        code = take_slot(scratch, &at->slot);
    }
    pthread_mutex_unlock(&scratch->lock);
    TRY(code);
    at->pages = (uint32_t)((count + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN);
    count = (size_t)at->pages * SCRATCH_ALIGN;
    at->hash = XXH64(bytes, count, 0);
    __atomic_fetch_add(&scratch->traffic.written, count, __ATOMIC_RELAXED);
    return transfer(scratch, END_PLANES, true, (void *)(uintptr_t)bytes, count,
                    at->slot * (uint64_t)scratch->slot_bytes);
}

void scratch_clear(struct scratch *scratch, unsigned plane, uint32_t block)
{
    struct block *at = &scratch->plane[plane][block];
    if (at->slot == NO_SLOT)
        return;
    pthread_mutex_lock(&scratch->lock);
    drop_slot(scratch, at->slot, SLOT_LIVE);
    pthread_mutex_unlock(&scratch->lock);
    at->slot = NO_SLOT;
}

// ---- the log ----

static int flush_log(struct scratch *scratch)
{
    TRY(transfer(scratch, END_LOG, true, scratch->log_buffer, scratch->log_buffered, scratch->log_written));
    XXH64_update(scratch->log_hash, scratch->log_buffer, scratch->log_buffered);
    scratch->log_written += scratch->log_buffered;
    __atomic_fetch_add(&scratch->traffic.written, scratch->log_buffered, __ATOMIC_RELAXED);
    scratch->log_buffered = 0;
    return 0;
}

static int append(struct scratch *scratch, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        size_t part = LOG_BUFFER - scratch->log_buffered;
        part = part < count ? part : count;
        memcpy(scratch->log_buffer + scratch->log_buffered, bytes, part);
        scratch->log_buffered += part;
        bytes += part;
        count -= part;
        if (scratch->log_buffered == LOG_BUFFER)
            TRY(flush_log(scratch));
    }
    return 0;
}

int scratch_append(struct scratch *scratch, const void *bytes, size_t count, uint64_t *offset)
{
    pthread_mutex_lock(&scratch->log_lock);
    *offset = scratch->log_written + scratch->log_buffered;
    const int code = append(scratch, bytes, count);
    pthread_mutex_unlock(&scratch->log_lock);
    return code;
}

int scratch_log_read(struct scratch *scratch, uint64_t offset, void *bytes, size_t count)
{
    pthread_mutex_lock(&scratch->log_lock);
    const int code = offset + count > scratch->log_written ? flush_log(scratch) : 0;
    pthread_mutex_unlock(&scratch->log_lock);
    TRY(code);
    __atomic_fetch_add(&scratch->traffic.read, count, __ATOMIC_RELAXED);
    return transfer(scratch, END_LOG, false, bytes, count, offset);
}

// ---- writing a checkpoint ----

static size_t check_bytes(const struct scratch *scratch, size_t state_bytes)
{
    size_t bytes = sizeof(struct head) + state_bytes;
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++)
        bytes += scratch->plane[p] == NULL ? 0 : scratch->blocks * sizeof(struct block);
    return bytes;
}

static void write_check(const struct scratch *scratch, const void *state, size_t state_bytes, uint8_t *to, size_t bytes)
{
    struct head head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, magic, sizeof magic);
    head.bytes = bytes;
    memcpy(head.identity, scratch->identity, sizeof head.identity);
    head.shape = scratch->shape;
    head.slots = scratch->slots;
    head.log_bytes = scratch->log_written;
    head.log_hash = XXH64_digest(scratch->log_hash);
    head.state_bytes = state_bytes;
    uint8_t *at = to + sizeof head;
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        if (scratch->plane[p] == NULL)
            continue;
        head.planes |= UINT64_C(1) << p;
        memcpy(at, scratch->plane[p], scratch->blocks * sizeof(struct block));
        at += scratch->blocks * sizeof(struct block);
    }
    memcpy(at, state, state_bytes);
    memcpy(to, &head, sizeof head);
    head.hash = XXH64(to, bytes, 0);
    memcpy(to, &head, sizeof head);
}

static int write_file(const struct scratch *scratch, const void *bytes, size_t count)
{
    char path[PATH_MAX + 16];
    const int file =
        open(file_path(scratch, END_PART, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0)
        return io_fault(scratch, END_PART, "cannot create", errno);
    const uint8_t *at = bytes;
    int number = 0;
    while (count > 0 && number == 0) {
        const ssize_t n = write(file, at, count);
        if (n < 0 && errno != EINTR)
            number = errno;
        if (n > 0) {
            at += n;
            count -= (size_t)n;
        }
    }
    if (number == 0 && fsync(file) != 0)
        number = errno;
    close(file);
    if (number != 0)
        unlink(path);
    return number == 0 ? 0 : io_fault(scratch, END_PART, "cannot write", number);
}

static int sync_folder(const struct scratch *scratch)
{
    const int folder = open(scratch->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool bad = folder < 0 || fsync(folder) != 0;
    const int number = errno;
    if (folder >= 0)
        close(folder);
    return bad ? error_errno(CLTB_E_IO, number, "cannot sync %s", scratch->folder) : 0;
}

// The new one takes the old one's place, which takes that of the one before.
static int put_in_place(const struct scratch *scratch)
{
    char from[PATH_MAX + 16];
    char to[PATH_MAX + 16];
    if (rename(file_path(scratch, END_CHECK, from), file_path(scratch, END_OLD, to)) != 0 && errno != ENOENT)
        return io_fault(scratch, END_OLD, "cannot rename to", errno);
    if (rename(file_path(scratch, END_PART, from), file_path(scratch, END_CHECK, to)) != 0)
        return io_fault(scratch, END_CHECK, "cannot rename to", errno);
    return sync_folder(scratch);
}

// The slots' flags after a checkpoint.
static void age_slots(struct scratch *scratch)
{
    for (uint64_t s = 0; s < scratch->slots; s++) {
        const uint8_t before = scratch->slot[s];
        const bool live = before & SLOT_LIVE;
        const bool saved = before & SLOT_SAVED;
        scratch->slot[s] = (uint8_t)((live ? SLOT_LIVE | SLOT_SAVED : 0) | (saved ? SLOT_OLDER : 0));
        if (before != 0 && scratch->slot[s] == 0)
            scratch->free_slot[scratch->free_slots++] = (uint32_t)s;
    }
}

int scratch_save(struct scratch *scratch, const void *state, size_t state_bytes)
{
    TRY(flush_log(scratch));
    if (fdatasync(scratch->planes_file) != 0)
        return io_fault(scratch, END_PLANES, "cannot sync", errno);
    if (fdatasync(scratch->log_file) != 0)
        return io_fault(scratch, END_LOG, "cannot sync", errno);
    const size_t bytes = check_bytes(scratch, state_bytes);
    uint8_t *check = malloc(bytes);
    if (check == NULL)
        return error_memory(bytes, "a checkpoint");
    write_check(scratch, state, state_bytes, check, bytes);
    int code = write_file(scratch, check, bytes);
    free(check);
    if (code == 0)
        code = put_in_place(scratch);
    if (code != 0)
        return code;
    age_slots(scratch);
    scratch->saved = true;
    scratch->traffic.saves++;
    return 0;
}

// ---- reading a checkpoint ----

// CLTB_E_MISSING: there is no such file. CLTB_E_CORRUPT: it cannot be a checkpoint.
static int read_file(const struct scratch *scratch, int ending, uint8_t **bytes, size_t *count)
{
    char path[PATH_MAX + 16];
    struct stat status;
    *bytes = NULL;
    const int file = open(file_path(scratch, ending, path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return errno == ENOENT ? CLTB_E_MISSING : io_fault(scratch, ending, "cannot open", errno);
    int code = CLTB_E_CORRUPT;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= (off_t)sizeof(struct head)) {
        *count = (size_t)status.st_size;
        *bytes = malloc(*count);
        if (*bytes == NULL) {
            error_memory(*count, "a checkpoint");
            code = CLTB_E_MEMORY;
        } else if (pread(file, *bytes, *count, 0) == (ssize_t)*count) {
            code = 0;
        }
    }
    close(file);
    return code;
}

// Is it whole? The plane tables must have the sizes that the head says.
static bool good_check(uint8_t *bytes, size_t count)
{
    struct head head;
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.bytes != count)
        return false;
    const uint64_t hash = head.hash;
    head.hash = 0;
    memcpy(bytes, &head, sizeof head);
    if (XXH64(bytes, count, 0) != hash)
        return false;
    const uint64_t blocks = (uint64_t)head.shape.row_groups * head.shape.column_groups;
    const uint64_t planes = (uint64_t)__builtin_popcountll(head.planes);
    return head.shape.row_groups > 0 && head.shape.column_groups > 0 && blocks < UINT32_MAX / 1024 &&
           count == sizeof head + planes * blocks * sizeof(struct block) + head.state_bytes;
}

static int set_shape(struct scratch *scratch, const struct scratch_shape *shape)
{
    scratch->shape = *shape;
    scratch->blocks = shape->row_groups * shape->column_groups;
    scratch->slot_bytes = (shape->slot_bytes + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
    const int flags = fcntl(scratch->planes_file, F_GETFL);
    if (flags >= 0 && scratch->slot_bytes < DIRECT_BYTES)
        (void)fcntl(scratch->planes_file, F_SETFL, flags & ~O_DIRECT);
    return scratch->slot_bytes == 0 ? error_set(CLTB_E_USAGE, "blocks of no size") : 0;
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
}

static int take_planes(struct scratch *scratch, const struct head *head, const uint8_t *bytes)
{
    const uint8_t *at = bytes + sizeof *head;
    if (head->slots > scratch->slots_space)
        TRY(more_slots(scratch, head->slots));
    scratch->slots = head->slots;
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        if (!(head->planes >> p & 1))
            continue;
        scratch->plane[p] = malloc(scratch->blocks * sizeof(struct block));
        if (scratch->plane[p] == NULL)
            return error_memory(scratch->blocks * sizeof(struct block), "a plane's blocks");
        memcpy(scratch->plane[p], at, scratch->blocks * sizeof(struct block));
        at += scratch->blocks * sizeof(struct block);
        for (uint32_t i = 0; i < scratch->blocks; i++) {
            const uint32_t slot = scratch->plane[p][i].slot;
            if (slot != NO_SLOT &&
                (slot >= head->slots || (uint64_t)scratch->plane[p][i].pages * SCRATCH_ALIGN > scratch->slot_bytes))
                return error_set(CLTB_E_CORRUPT, "%s.check names slots that are not there", scratch->path);
            if (slot != NO_SLOT)
                scratch->slot[slot] = SLOT_LIVE | SLOT_SAVED;
        }
    }
    for (uint64_t s = scratch->slots; s-- > 0;) {
        if (scratch->slot[s] == 0)
            scratch->free_slot[scratch->free_slots++] = (uint32_t)s;
    }
    return 0;
}

static int check_planes(struct scratch *scratch, void *buffer)
{
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        for (uint32_t i = 0; scratch->plane[p] != NULL && i < scratch->blocks; i++) {
            if (!scratch_empty(scratch, p, i))
                TRY(scratch_read(scratch, p, i, buffer));
        }
    }
    return 0;
}

// The log has its bytes; its hash is gone on with.
static int check_log(struct scratch *scratch, const struct head *head)
{
    XXH64_reset(scratch->log_hash, 0);
    for (uint64_t at = 0; at < head->log_bytes;) {
        const uint64_t left = head->log_bytes - at;
        const size_t part = left < LOG_BUFFER ? (size_t)left : LOG_BUFFER;
        TRY(transfer(scratch, END_LOG, false, scratch->log_buffer, part, at));
        XXH64_update(scratch->log_hash, scratch->log_buffer, part);
        at += part;
    }
    if (XXH64_digest(scratch->log_hash) != head->log_hash)
        return error_set(CLTB_E_CORRUPT, "%s.log is damaged", scratch->path);
    return 0;
}

// Everything that a checkpoint names is there.
static int check_contents(struct scratch *scratch, const struct head *head)
{
    TRY(check_log(scratch, head));
    void *buffer = NULL;
    if (posix_memalign(&buffer, SCRATCH_ALIGN, scratch->slot_bytes) != 0)
        return error_memory(scratch->slot_bytes, "a block");
    const int code = check_planes(scratch, buffer);
    free(buffer);
    return code;
}

// Work of another kind is not thrown away unasked.
static int check_identity(const struct scratch *scratch, const struct head *head)
{
    if (memcmp(head->identity, scratch->identity, sizeof head->identity) == 0)
        return 0;
    return error_set(CLTB_E_USAGE,
                     "%s.check and the files beside it keep work on this table with other options: go on with those "
                     "(--both-sides, --best, --solve-only), or remove the files",
                     scratch->path);
}

static int take_up(struct scratch *scratch, uint8_t *bytes, size_t count)
{
    struct head head;
    if (!good_check(bytes, count))
        return error_set(CLTB_E_CORRUPT, "%s.check is damaged", scratch->path);
    memcpy(&head, bytes, sizeof head);
    TRY(check_identity(scratch, &head));
    TRY(set_shape(scratch, &head.shape));
    TRY(take_planes(scratch, &head, bytes));
    TRY(check_contents(scratch, &head));
    scratch->log_written = head.log_bytes;
    return 0;
}

// Goes on from a checkpoint. CLTB_E_MISSING: there is none; CLTB_E_CORRUPT: it, or what it names, is damaged.
static int resume_from(struct scratch *scratch, int ending)
{
    uint8_t *bytes;
    size_t count = 0;
    int code = read_file(scratch, ending, &bytes, &count);
    if (code == 0 && bytes != NULL)
        code = take_up(scratch, bytes, count);
    if (code != 0) {
        forget_planes(scratch);
        free(bytes);
        return code;
    }
    scratch->saved = true;
    scratch->found = bytes;
    return 0;
}

const void *scratch_saved(const struct scratch *scratch, size_t *bytes)
{
    struct head head;
    if (scratch->found == NULL)
        return NULL;
    memcpy(&head, scratch->found, sizeof head);
    *bytes = head.state_bytes;
    return scratch->found + head.bytes - head.state_bytes;
}

// ---- opening ----

static void remove_files(const struct scratch *scratch, int first)
{
    char path[PATH_MAX + 16];
    for (int ending = ENDINGS - 1; ending >= first; ending--) // the planes last: they carry the lock
        unlink(file_path(scratch, ending, path));
}

static int start_anew(struct scratch *scratch, const struct scratch_options *options)
{
    remove_files(scratch, END_CHECK);
    if (ftruncate(scratch->planes_file, 0) != 0)
        return io_fault(scratch, END_PLANES, "cannot empty", errno);
    if (ftruncate(scratch->log_file, 0) != 0)
        return io_fault(scratch, END_LOG, "cannot empty", errno);
    XXH64_reset(scratch->log_hash, 0);
    return set_shape(scratch, &options->shape);
}

// An older checkpoint that was gone on with becomes the last one.
static int make_last(const struct scratch *scratch)
{
    char from[PATH_MAX + 16];
    char to[PATH_MAX + 16];
    if (rename(file_path(scratch, END_OLD, from), file_path(scratch, END_CHECK, to)) != 0)
        return io_fault(scratch, END_CHECK, "cannot rename to", errno);
    return sync_folder(scratch);
}

static bool no_use(int code)
{
    return code == CLTB_E_MISSING || code == CLTB_E_CORRUPT;
}

static int start(struct scratch *scratch, const struct scratch_options *options, enum scratch_start *how)
{
    char path[PATH_MAX + 16];
    TRY(open_planes(scratch));
    TRY(open_log(scratch));
    scratch->log_buffer = malloc(LOG_BUFFER);
    scratch->log_hash = XXH64_createState();
    if (scratch->log_buffer == NULL || scratch->log_hash == NULL)
        return error_memory(LOG_BUFFER, "the log of a scratch file");
    int code = resume_from(scratch, END_CHECK);
    *how = SCRATCH_RESUMED;
    if (code == 0) {
        // What only the checkpoint before names is free again.
        unlink(file_path(scratch, END_OLD, path));
        return 0;
    }
    if (!no_use(code))
        return code;
    // A kill between two renames leaves the older one only.
    *how = code == CLTB_E_CORRUPT ? SCRATCH_RESUMED_OLDER : SCRATCH_RESUMED;
    const bool damaged = code == CLTB_E_CORRUPT;
    code = resume_from(scratch, END_OLD);
    if (code == 0)
        return make_last(scratch);
    if (!no_use(code))
        return code;
    *how = damaged || code == CLTB_E_CORRUPT ? SCRATCH_DAMAGED : SCRATCH_NEW;
    return start_anew(scratch, options);
}

static int name_files(struct scratch *scratch, const char *dir, const char *name)
{
    const int length = snprintf(scratch->path, sizeof scratch->path, "%s/%s.cltb", dir, name);
    if (length < 0 || (size_t)length >= sizeof scratch->path)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", dir);
    snprintf(scratch->folder, sizeof scratch->folder, "%s", dir);
    return 0;
}

int scratch_open(struct scratch **result, const struct scratch_options *options, enum scratch_start *how)
{
    *result = NULL;
    struct scratch *scratch = calloc(1, sizeof *scratch);
    if (scratch == NULL)
        return error_memory(sizeof *scratch, "a scratch file");
    scratch->planes_file = scratch->log_file = -1;
    pthread_mutex_init(&scratch->lock, NULL);
    pthread_mutex_init(&scratch->log_lock, NULL);
    snprintf(scratch->identity, sizeof scratch->identity, "%s", options->identity);
    int code = name_files(scratch, options->dir, options->name);
    if (code == 0)
        code = start(scratch, options, how);
    if (code != 0) {
        scratch_close(scratch, true);
        return code;
    }
    scratch->opened = true;
    *result = scratch;
    return 0;
}

void scratch_close(struct scratch *scratch, bool keep)
{
    if (scratch == NULL)
        return;
    if (scratch->opened && (!keep || !scratch->saved))
        remove_files(scratch, END_PLANES);
    forget_planes(scratch);
    if (scratch->planes_file >= 0)
        close(scratch->planes_file);
    if (scratch->log_file >= 0)
        close(scratch->log_file);
    free(scratch->slot);
    free(scratch->free_slot);
    free(scratch->log_buffer);
    XXH64_freeState(scratch->log_hash);
    free(scratch->found);
    pthread_mutex_destroy(&scratch->lock);
    pthread_mutex_destroy(&scratch->log_lock);
    free(scratch);
}

void scratch_remove(const char *dir, const char *name)
{
    char path[PATH_MAX + 16];
    struct scratch scratch = {.planes_file = -1, .log_file = -1};
    if (name_files(&scratch, dir, name) != 0 || access(file_path(&scratch, END_PLANES, path), F_OK) != 0)
        return;
    scratch.planes_file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (scratch.planes_file < 0)
        return;
    if (flock(scratch.planes_file, LOCK_EX | LOCK_NB) == 0)
        remove_files(&scratch, END_PLANES);
    close(scratch.planes_file);
}

uint64_t scratch_left(const char *dir, const char *name)
{
    char path[PATH_MAX + 16];
    uint64_t bytes = 0;
    struct scratch scratch = {.planes_file = -1, .log_file = -1};
    for (int ending = 0; name_files(&scratch, dir, name) == 0 && ending < ENDINGS; ending++) {
        struct stat status;
        if (lstat(file_path(&scratch, ending, path), &status) == 0)
            bytes += (uint64_t)status.st_blocks * 512;
    }
    return bytes;
}

bool scratch_found(const char *dir, const char *name)
{
    char path[PATH_MAX + 16];
    struct scratch scratch = {.planes_file = -1, .log_file = -1};
    return name_files(&scratch, dir, name) == 0 && (access(file_path(&scratch, END_CHECK, path), F_OK) == 0 ||
                                                    access(file_path(&scratch, END_OLD, path), F_OK) == 0);
}

struct scratch_traffic scratch_traffic(const struct scratch *scratch)
{
    struct scratch_traffic traffic = scratch->traffic;
    traffic.log = scratch->log_written + scratch->log_buffered;
    traffic.disk = scratch->slots * scratch->slot_bytes + traffic.log;
    return traffic;
}
