// journal.c - a file of records that keeps finished work when a run is killed at any moment
#include "disk/journal.h"

#include "util/error.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define FILE_MAGIC   UINT64_C(0x6b726f772d6c6263) // "cbl-work"
#define RECORD_MAGIC UINT64_C(0x64726f6365722d3e) // ">-record"

enum {
    JOURNAL_VERSION = 2,      // version 1 had slices only
    ABOUT_MAX = 4096,         //
    CHECKED_AT_ONCE = 1 << 20 // bytes of data
};

struct file_head {
    uint64_t magic;
    uint32_t version;
    uint32_t about_bytes;
    uint64_t about_hash; // XXH64
};

struct record_head {
    uint64_t magic;
    uint64_t hash; // XXH64 of this head, with this field zero, and the front
    uint64_t data_bytes;
    uint64_t data_hash; // XXH64, unless the owner has hashes of its own
    uint32_t kind;
    uint32_t front_bytes;
};

_Static_assert(sizeof(struct file_head) == 24 && sizeof(struct record_head) == 40, "no padding in the file");

// ---- opening and closing ----

// Does the file begin with anything but a journal? An empty file does not.
static int is_foreign(int file, const char *path, bool *foreign)
{
    const uint64_t magic = FILE_MAGIC;
    uint64_t begin = 0;
    size_t got;
    TRY(file_read(file, path, &begin, sizeof begin, 0, &got));
    *foreign = begin != 0 && memcmp(&begin, &magic, got) != 0;
    return 0;
}

static int read_head(struct journal *journal, const void *about, size_t about_bytes, enum journal_found *found)
{
    struct file_head head = {.magic = 0};
    uint8_t text[ABOUT_MAX];
    size_t got;
    bool foreign;
    TRY(is_foreign(journal->file, journal->path, &foreign));
    if (foreign)
        return error_set(CLTB_E_FOREIGN, "%s is not a work file of cltb and is not overwritten", journal->path);
    TRY(file_read(journal->file, journal->path, &head, sizeof head, 0, &got));
    *found = head.magic == 0 ? JOURNAL_EMPTY : got < sizeof head ? JOURNAL_DAMAGED : JOURNAL_OTHER;
    if (*found != JOURNAL_OTHER || head.version != JOURNAL_VERSION)
        return 0;
    *found = JOURNAL_DAMAGED;
    if (head.about_bytes > ABOUT_MAX)
        return 0;
    TRY(file_read(journal->file, journal->path, text, head.about_bytes, sizeof head, &got));
    if (got < head.about_bytes || XXH64(text, got, 0) != head.about_hash)
        return 0;
    *found = got == about_bytes && memcmp(text, about, got) == 0 ? JOURNAL_SAME : JOURNAL_OTHER;
    return 0;
}

int journal_open(struct journal *journal, const char *path, const void *about, size_t about_bytes,
                 enum journal_found *found)
{
    *journal = (struct journal){.file = -1, .end = sizeof(struct file_head) + about_bytes};
    if ((size_t)snprintf(journal->path, sizeof journal->path, "%s", path) >= sizeof journal->path)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", path);
    journal->hash = XXH64_createState();
    if (journal->hash == NULL)
        return error_memory(sizeof *journal, "a work file");
    int code = file_open_locked(&journal->file, journal->path, false, NULL);
    THEN(code, read_head(journal, about, about_bytes, found));
    if (code != 0)
        journal_close(journal, true);
    return code;
}

void journal_close(struct journal *journal, bool keep)
{
    if (journal->file >= 0) {
        if (!keep && file_is_named(journal->file, journal->path) > 0) // under the lock, so the file is no one else's
            unlink(journal->path);
        close(journal->file);
    }
    journal->file = -1;
    XXH64_freeState(journal->hash);
    journal->hash = NULL;
}

int journal_restart(struct journal *journal, const void *about, size_t about_bytes)
{
    const struct file_head head = {FILE_MAGIC, JOURNAL_VERSION, (uint32_t)about_bytes, XXH64(about, about_bytes, 0)};
    journal->end = 0;
    TRY(journal_cut(journal));
    int code = file_write(journal->file, journal->path, &head, sizeof head, 0);
    THEN(code, file_write(journal->file, journal->path, about, about_bytes, sizeof head));
    if (code != 0)
        return journal_abandon(journal, code);
    journal->end = sizeof head + about_bytes;
    return 0;
}

// ---- reading ----

int journal_cut(const struct journal *journal)
{
    struct stat status;
    // ext4 writes a file that was cut to nothing to the disk when it is closed, even if it is removed then.
    if (fstat(journal->file, &status) == 0 && (uint64_t)status.st_size == journal->end)
        return 0;
    if (ftruncate(journal->file, (off_t)journal->end) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write %s", journal->path);
    return 0;
}

int journal_read(const struct journal *journal, uint64_t offset, void *bytes, size_t count)
{
    return file_read(journal->file, journal->path, bytes, count, offset, NULL);
}

// Checks the record with this head. Its head and front are copied to `memory`; its data are read once.
static int check_record(const struct journal *journal, const struct record_head *head, uint8_t *memory,
                        struct journal_record *record, bool *good)
{
    const size_t bytes = sizeof *head + head->front_bytes;
    struct record_head cleared = *head;
    cleared.hash = 0;
    TRY(file_read(journal->file, journal->path, memory, bytes, journal->end, NULL));
    memcpy(memory, &cleared, sizeof cleared);
    if (XXH64(memory, bytes, 0) != head->hash)
        return 0;
    *record = (struct journal_record){head->kind, head->front_bytes, NULL, journal->end + bytes, head->data_bytes};
    *good = journal->own_hashes;
    if (*good)
        return 0;
    const size_t count = record->data_bytes < CHECKED_AT_ONCE ? (size_t)record->data_bytes : CHECKED_AT_ONCE;
    uint8_t *buffer;
    int code = 0;
    TRY(memory_new(&buffer, count, 1, "a work file"));
    uint64_t done = 0;
    XXH64_reset(journal->hash, 0);
    for (size_t got = count; code == 0 && got > 0 && done < record->data_bytes; done += got) {
        const uint64_t left = record->data_bytes - done;
        got = 0;
        code = file_read(journal->file, journal->path, buffer, left < count ? (size_t)left : count, record->data + done,
                         &got);
        XXH64_update(journal->hash, buffer, got);
    }
    free(buffer);
    *good = done == record->data_bytes && XXH64_digest(journal->hash) == head->data_hash;
    return code;
}

int journal_next(struct journal *journal, struct journal_record *record, enum journal_next *next)
{
    static const struct record_head zero;
    struct record_head head = zero;
    struct stat status;
    size_t got;
    if (fstat(journal->file, &status) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot read %s", journal->path);
    TRY(file_read(journal->file, journal->path, &head, sizeof head, journal->end, &got));
    *next = memcmp(&head, &zero, sizeof head) == 0 ? JOURNAL_END : JOURNAL_DAMAGE;
    const uint64_t left = (uint64_t)status.st_size - journal->end;
    if (got < sizeof head || head.magic != RECORD_MAGIC || head.data_bytes > left ||
        sizeof head + head.front_bytes + head.data_bytes > left)
        return 0;
    uint8_t *memory;
    TRY(memory_new(&memory, sizeof head + head.front_bytes, 1, "a work file"));
    bool good = false;
    const int code = check_record(journal, &head, memory, record, &good);
    if (code != 0 || !good) {
        free(memory);
        return code == CLTB_E_CORRUPT ? 0 : code;
    }
    memmove(memory, memory + sizeof head, head.front_bytes);
    record->front = memory;
    journal->end = record->data + record->data_bytes;
    *next = JOURNAL_RECORD;
    return 0;
}

// ---- writing ----

void journal_begin(struct journal *journal, uint32_t front_bytes)
{
    journal->front_bytes = front_bytes;
    journal->data_bytes = 0;
    XXH64_reset(journal->hash, 0);
}

int journal_write_part(struct journal *journal, const void *part, size_t bytes, uint64_t *place)
{
    *place = atomic_fetch_add(&journal->data_bytes, bytes);
    return file_write(journal->file, journal->path, part, bytes,
                      journal->end + sizeof(struct record_head) + journal->front_bytes + *place);
}

int journal_write(struct journal *journal, const void *data, size_t bytes)
{
    uint64_t place;
    XXH64_update(journal->hash, data, bytes);
    return journal_write_part(journal, data, bytes, &place);
}

int journal_commit(struct journal *journal, uint32_t kind, const void *front)
{
    struct record_head head = {.magic = RECORD_MAGIC,
                               .data_bytes = journal->data_bytes,
                               .data_hash = XXH64_digest(journal->hash),
                               .kind = kind,
                               .front_bytes = (uint32_t)journal->front_bytes};
    const size_t bytes = sizeof head + journal->front_bytes;
    uint8_t *memory = malloc(bytes);
    if (memory == NULL)
        return journal_abandon(journal, error_memory(bytes, "a work file"));
    memcpy(memory, &head, sizeof head);
    if (journal->front_bytes > 0)
        memcpy(memory + sizeof head, front, journal->front_bytes);
    head.hash = XXH64(memory, bytes, 0);
    memcpy(memory, &head, sizeof head);
    const int code = file_write(journal->file, journal->path, memory, bytes, journal->end);
    free(memory);
    if (code != 0)
        return journal_abandon(journal, code);
    journal->end += bytes + journal->data_bytes;
    return 0;
}

int journal_abandon(struct journal *journal, int code)
{
    if (ftruncate(journal->file, (off_t)journal->end) != 0)
        return error_prefix(code, "%s is left damaged at its end", journal->path);
    return code;
}

int journal_append(struct journal *journal, uint32_t kind, const void *front, uint32_t front_bytes, const void *data,
                   size_t data_bytes)
{
    journal_begin(journal, front_bytes);
    const int code = journal_write(journal, data, data_bytes);
    return code == 0 ? journal_commit(journal, kind, front) : journal_abandon(journal, code);
}

int journal_lay(const struct journal *journal, const void *record, size_t bytes)
{
    return file_write(journal->file, journal->path, record, bytes, journal->end);
}

int journal_sync(const struct journal *journal)
{
    if (os_sync(journal->file, false) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write %s", journal->path);
    return 0;
}

// ---- journals that no run has open ----

static int open_ours(const char *path, int flags)
{
    bool foreign = true;
    const int file = os_open(path, flags | O_NOFOLLOW | O_NONBLOCK);
    if (file >= 0 && is_foreign(file, path, &foreign) == 0 && !foreign)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

uint64_t journal_left(const char *path)
{
    const int file = open_ours(path, O_RDONLY);
    if (file < 0)
        return 0;
    close(file);
    return os_disk_bytes(path);
}

bool journal_has(const char *path, uint32_t kind)
{
    struct file_head first = {.magic = 0};
    struct record_head head = {.kind = ~kind};
    const int file = open_ours(path, O_RDONLY);
    if (file < 0)
        return false;
    bool found = false;
    size_t got;
    struct stat status;
    int code = fstat(file, &status) != 0 ? CLTB_E_IO : file_read(file, path, &first, sizeof first, 0, NULL);
    for (uint64_t at = sizeof first + first.about_bytes; code == 0 && !found;) {
        code = file_read(file, path, &head, sizeof head, at, &got);
        if (code != 0 || got < sizeof head || head.magic != RECORD_MAGIC || head.data_bytes > (uint64_t)status.st_size)
            break;
        found = head.kind == kind;
        at += sizeof head + head.front_bytes + head.data_bytes;
    }
    close(file);
    return found;
}

void journal_drop(const char *path, const char *also)
{
    const int file = open_ours(path, O_RDWR);
    if (file < 0)
        return;
    if (os_lock(file) == 0 && file_is_named(file, path) > 0) {
        if (also != NULL)
            unlink(also);
        unlink(path);
    }
    close(file);
}
