// slice_store.c - the work file of a table with pawns: opening and closing it, and its bytes
#include "make/slice_store_inside.h"

#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    // To be raised with every change of the file, of the order of planes, slices and entries, or of what the solver finds.
    STORE_VERSION = 1,
    LEVEL = 1,               // planes that are read back once or twice
    WINDOW_BYTES = 32 << 20, // of chunks that are compressed before they are written
};

// ---- the file ----

int slice_store_write(const struct slice_store *store, const void *data, size_t bytes, uint64_t offset)
{
    const char *from = data;
    while (bytes > 0) {
        const ssize_t written = pwrite(store->file, from, bytes, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_errno(CLTB_E_IO, written < 0 ? errno : ENOSPC, "cannot write %s", store->path);
        from += written;
        bytes -= (size_t)written;
        offset += (uint64_t)written;
    }
    return 0;
}

int slice_store_read(const struct slice_store *store, void *data, size_t bytes, uint64_t offset, size_t *got)
{
    char *to = data;
    *got = 0;
    while (*got < bytes) {
        const ssize_t count = pread(store->file, to + *got, bytes - *got, (off_t)(offset + *got));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return error_errno(CLTB_E_IO, errno, "cannot read %s", store->path);
        if (count == 0)
            return 0;
        *got += (size_t)count;
    }
    return 0;
}

// Is the file that was opened still the one of that name? Between opening and locking another process may have finished
// its table and removed the file.
static bool still_named(const struct slice_store *store)
{
    struct stat opened;
    struct stat named;
    return fstat(store->file, &opened) == 0 && stat(store->path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static int cannot_lock(const struct slice_store *store, int errnum)
{
    if (errnum != EWOULDBLOCK)
        return error_errno(CLTB_E_IO, errnum, "cannot lock %s", store->path);
    const char *slash = strrchr(store->path, '/');
    const int length = slash == NULL ? 1 : (int)(slash - store->path);
    return error_set(CLTB_E_IO, "another cltb is building %s in %.*s", store->head.material, length,
                     slash == NULL ? "." : store->path);
}

static int open_file(struct slice_store *store)
{
    for (;;) {
        store->file = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (store->file < 0)
            return error_errno(CLTB_E_IO, errno, "cannot create %s", store->path);
        if (flock(store->file, LOCK_EX | LOCK_NB) != 0) {
            const int code = cannot_lock(store, errno);
            close(store->file);
            store->file = -1;
            return code;
        }
        if (still_named(store))
            return 0;
        close(store->file);
    }
}

// ---- opening and closing ----

static int open_workers(struct slice_store *store)
{
    const int threads = threads_count(store->pool);
    store->worker = calloc((size_t)threads, sizeof *store->worker);
    for (int i = 0; store->worker != NULL && i < threads; i++) {
        struct worker *worker = &store->worker[i];
        worker->compress = ZSTD_createCCtx();
        worker->expand = ZSTD_createDCtx();
        worker->chunk = malloc(ZSTD_compressBound(CHUNK_BYTES));
        if (worker->compress == NULL || worker->expand == NULL || worker->chunk == NULL)
            return error_memory(ZSTD_compressBound(CHUNK_BYTES), "compression");
        ZSTD_CCtx_setParameter(worker->compress, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(worker->compress, ZSTD_c_checksumFlag, 1); // read back long after the scan
    }
    return store->worker != NULL ? 0 : error_memory((size_t)threads * sizeof *store->worker, "compression");
}

static void close_workers(struct slice_store *store)
{
    for (int i = 0; store->worker != NULL && i < threads_count(store->pool); i++) {
        ZSTD_freeCCtx(store->worker[i].compress);
        ZSTD_freeDCtx(store->worker[i].expand);
        free(store->worker[i].chunk);
    }
    free(store->worker);
}

void slice_store_free_raw(struct slice_store *store, struct raw *raw)
{
    memory_give(threads_memory(store->pool), raw->bytes, raw->size);
    *raw = (struct raw){NULL, 0};
}

static void free_store(struct slice_store *store)
{
    if (store->file >= 0)
        close(store->file);
    slice_store_forget_records(store);
    close_workers(store);
    free(store->place);
    slice_store_free_raw(store, &store->raw[WHITE]);
    slice_store_free_raw(store, &store->raw[BLACK]);
    free(store);
}

static void make_head(struct file_head *head, const struct slice_store_options *options)
{
    const struct material *material = options->material;
    const int pieces = material_men(material) - material->count[WHITE][PAWN] - material->count[BLACK][PAWN];
    *head = (struct file_head){.magic = FILE_MAGIC,
                               .version = STORE_VERSION,
                               .value_bytes = sizeof(struct slice_values),
                               .words = UINT64_C(1) << 6 * (pieces - 1),
                               .slices = options->slices};
    material_name(material, head->material);
    head->kept = (uint32_t)options->keep_distance[WHITE] | (uint32_t)options->keep_distance[BLACK] << 1 |
                 (uint32_t)options->keep_resolved << 2;
}

static int open_store(struct slice_store *store, const struct slice_store_options *options)
{
    make_head(&store->head, options);
    store->pool = options->pool;
    const uint64_t least = (uint64_t)threads_count(store->pool) * ZSTD_compressBound(CHUNK_BYTES);
    store->window_bytes = options->window_bytes > 0 ? options->window_bytes : WINDOW_BYTES;
    store->window_bytes = store->window_bytes > least ? store->window_bytes : least;
    store->synced = wall_seconds();
    const int length = snprintf(store->path, sizeof store->path, "%s", options->path);
    if (length < 0 || (size_t)length >= sizeof store->path)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", options->path);
    store->place = calloc(options->slices, sizeof *store->place);
    if (store->place == NULL)
        return error_memory(options->slices * sizeof *store->place, "solved slices");
    TRY(open_workers(store));
    TRY(open_file(store));
    return slice_store_scan(store);
}

// What an opening that failed has made: a full disk has room for a name, but not for a head.
static void remove_empty(const struct slice_store *store)
{
    struct stat status;
    if (store->file >= 0 && fstat(store->file, &status) == 0 && status.st_size == 0 && still_named(store))
        unlink(store->path);
}

int slice_store_open(struct slice_store **result, const struct slice_store_options *options)
{
    *result = NULL;
    struct slice_store *store = calloc(1, sizeof *store);
    if (store == NULL)
        return error_memory(sizeof *store, "solved slices");
    store->file = -1;
    const int code = open_store(store, options);
    if (code != 0) {
        remove_empty(store);
        free_store(store);
        return code;
    }
    *result = store;
    return 0;
}

void slice_store_close(struct slice_store *store)
{
    if (store == NULL)
        return;
    if (store->found == 0) {
        slice_store_remove(store);
        return;
    }
    fdatasync(store->file);
    free_store(store);
}

void slice_store_remove(struct slice_store *store)
{
    if (store == NULL)
        return;
    if (still_named(store)) // under the lock: nobody else's
        unlink(store->path);
    free_store(store);
}

void slice_store_drop(const char *path)
{
    struct slice_store store = {.file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (store.file < 0)
        return;
    snprintf(store.path, sizeof store.path, "%s", path);
    bool foreign = true;
    if (flock(store.file, LOCK_EX | LOCK_NB) == 0 && still_named(&store) &&
        slice_store_is_foreign(&store, &foreign) == 0 && !foreign)
        unlink(path);
    close(store.file);
}

uint64_t slice_store_left(const char *path)
{
    struct slice_store store = {.file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    struct stat status;
    bool foreign = true;
    if (store.file < 0)
        return 0;
    snprintf(store.path, sizeof store.path, "%s", path);
    const bool ours = fstat(store.file, &status) == 0 && slice_store_is_foreign(&store, &foreign) == 0 && !foreign;
    close(store.file);
    return ours ? (uint64_t)status.st_blocks * 512 : 0;
}

uint32_t slice_store_slices(const struct slice_store *store)
{
    return store->found;
}

uint64_t slice_store_bytes(const struct slice_store *store)
{
    return store->end;
}

const char *slice_store_path(const struct slice_store *store)
{
    return store->path;
}
