// spill.c - compressed blocks that wait for the others of their section
#include "table/write/spill.h"

#include "util/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct spill {
    const char *folder;
    uint64_t limit;
    _Atomic uint64_t in_memory;
    _Atomic uint64_t in_file;
    _Atomic uint64_t end; // of the file
    pthread_mutex_t lock; // while it is opened
    _Atomic int file;     // -1: not open
};

int spill_open(struct spill **result, const char *folder, uint64_t limit)
{
    struct spill *spill = calloc(1, sizeof *spill);
    *result = spill;
    if (spill == NULL)
        return error_memory(sizeof *spill, "blocks of a table");
    spill->folder = folder;
    spill->limit = limit;
    atomic_init(&spill->file, -1);
    pthread_mutex_init(&spill->lock, NULL);
    return 0;
}

void spill_close(struct spill *spill)
{
    if (spill == NULL)
        return;
    if (atomic_load(&spill->file) >= 0)
        close(atomic_load(&spill->file));
    pthread_mutex_destroy(&spill->lock);
    free(spill);
}

static int failed(const struct spill *spill, int errnum)
{
    return error_errno(CLTB_E_IO, errnum, "cannot write temporary data in %s", spill->folder);
}

static int create(struct spill *spill)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/.cltb-blocks-XXXXXX", spill->folder);
    if (length < 0 || (size_t)length >= sizeof path)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", spill->folder);
    const int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return failed(spill, errno);
    unlink(path);
    atomic_store(&spill->file, file);
    return 0;
}

static int have_file(struct spill *spill)
{
    if (atomic_load(&spill->file) >= 0)
        return 0;
    pthread_mutex_lock(&spill->lock);
    const int code = atomic_load(&spill->file) >= 0 ? 0 : create(spill);
    pthread_mutex_unlock(&spill->lock);
    return code;
}

static int write_block(struct spill *spill, const void *data, uint32_t bytes, uint64_t at)
{
    const char *from = data;
    while (bytes > 0) {
        const ssize_t written = pwrite(atomic_load(&spill->file), from, bytes, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return failed(spill, written < 0 ? errno : ENOSPC);
        from += written;
        bytes -= (uint32_t)written;
        at += (uint64_t)written;
    }
    return 0;
}

int spill_put(struct spill *spill, void *data, uint32_t bytes, struct spilled *block)
{
    *block = (struct spilled){0};
    if (atomic_fetch_add(&spill->in_memory, bytes) + bytes <= spill->limit) {
        *block = (struct spilled){.data = data, .bytes = bytes};
        return 0;
    }
    atomic_fetch_sub(&spill->in_memory, bytes);
    int code = have_file(spill);
    if (code == 0) {
        *block = (struct spilled){.bytes = bytes, .at = atomic_fetch_add(&spill->end, bytes)};
        atomic_fetch_add(&spill->in_file, bytes);
        code = write_block(spill, data, bytes, block->at);
    }
    free(data);
    return code;
}

int spill_get(const struct spill *spill, const struct spilled *block, void *to)
{
    char *at = to;
    for (uint32_t done = 0; done < block->bytes;) {
        const ssize_t got = pread(atomic_load(&spill->file), at + done, block->bytes - done, (off_t)(block->at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return error_errno(CLTB_E_IO, got < 0 ? errno : EIO, "cannot read temporary data in %s", spill->folder);
        done += (uint32_t)got;
    }
    return 0;
}

void spill_clear(struct spill *spill, struct spilled *blocks, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        atomic_fetch_sub(blocks[i].data != NULL ? &spill->in_memory : &spill->in_file, blocks[i].bytes);
        free(blocks[i].data);
        blocks[i] = (struct spilled){0};
    }
    if (atomic_load(&spill->in_file) == 0)
        atomic_store(&spill->end, 0);
}
