// scratch_check.c - checkpoints of a scratch: writing one, and going on from it
#include "solve/disk/scratch_inside.h"

#include "util/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = "cltbck02";

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
        open(scratch_path(scratch, END_PART, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0)
        return scratch_fault(scratch, END_PART, "cannot create", errno);
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
    return number == 0 ? 0 : scratch_fault(scratch, END_PART, "cannot write", number);
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
    if (rename(scratch_path(scratch, END_CHECK, from), scratch_path(scratch, END_OLD, to)) != 0 && errno != ENOENT)
        return scratch_fault(scratch, END_OLD, "cannot rename to", errno);
    if (rename(scratch_path(scratch, END_PART, from), scratch_path(scratch, END_CHECK, to)) != 0)
        return scratch_fault(scratch, END_CHECK, "cannot rename to", errno);
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
    TRY(scratch_flush_log(scratch));
    if (fdatasync(scratch->planes_file) != 0)
        return scratch_fault(scratch, END_PLANES, "cannot sync", errno);
    if (fdatasync(scratch->log_file) != 0)
        return scratch_fault(scratch, END_LOG, "cannot sync", errno);
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
    const int file = open(scratch_path(scratch, ending, path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return errno == ENOENT ? CLTB_E_MISSING : scratch_fault(scratch, ending, "cannot open", errno);
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

static int take_planes(struct scratch *scratch, const struct head *head, const uint8_t *bytes)
{
    const uint8_t *at = bytes + sizeof *head;
    if (head->slots > scratch->slots_space)
        TRY(scratch_more_slots(scratch, head->slots));
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

static int go_on(const struct scratch *scratch)
{
    return scratch->stop == NULL || scratch->stop(scratch->context) == 0
               ? 0
               : error_set(CLTB_E_INTERRUPTED, "interrupted while a checkpoint is read");
}

static int check_planes(struct scratch *scratch, void *buffer)
{
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        for (uint32_t i = 0; scratch->plane[p] != NULL && i < scratch->blocks; i++) {
            if (scratch_empty(scratch, p, i))
                continue;
            TRY(go_on(scratch));
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
        TRY(go_on(scratch));
        TRY(scratch_transfer(scratch, END_LOG, false, scratch->log_buffer, part, at));
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
    TRY(scratch_set_shape(scratch, &head.shape));
    TRY(take_planes(scratch, &head, bytes));
    TRY(check_contents(scratch, &head));
    scratch->log_written = head.log_bytes;
    return 0;
}

int scratch_resume(struct scratch *scratch, int ending)
{
    uint8_t *bytes;
    size_t count = 0;
    int code = read_file(scratch, ending, &bytes, &count);
    if (code == 0 && bytes != NULL)
        code = take_up(scratch, bytes, count);
    if (code != 0) {
        scratch_forget_planes(scratch);
        free(bytes);
        return code;
    }
    scratch->saved = true;
    scratch->found = bytes;
    return 0;
}

int scratch_make_last(const struct scratch *scratch)
{
    char from[PATH_MAX + 16];
    char to[PATH_MAX + 16];
    if (rename(scratch_path(scratch, END_OLD, from), scratch_path(scratch, END_CHECK, to)) != 0)
        return scratch_fault(scratch, END_CHECK, "cannot rename to", errno);
    return sync_folder(scratch);
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
