// paged.c - arrays that leave memory for a scratch file when there is too little of it
//
// Arrays that could leave are in a list, the one that was closed last at its end. Small ones are malloc's and never leave:
// they are claimed from the pool.
#include "util/paged.h"

#include "util/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAVES_MIN = 64 << 10, // smaller arrays never leave
    POOLED_MIN = 1 << 20,  // without a limit: arrays of this size are the pool's
    WRITE_BYTES = 4 << 20, // that leave together, so that they lie together
    NOT_THERE = -1
};

struct paged_array {
    struct paged *paged;
    void *start;    // NULL: not in memory
    size_t bytes;   //
    int64_t offset; // in the file, or NOT_THERE
    uint32_t opened;
    struct paged_array *before; // in the list
    struct paged_array *after;
};

// A part of the file that is free.
struct hole {
    int64_t offset;
    size_t bytes;
};

struct paged {
    struct memory_pool *pool;
    const char *dir;
    pthread_mutex_t lock; // of the list and of what arrays in it hold: relief may come to any thread
    struct paged_array *first;
    struct paged_array *last;
    size_t limit; // 0: none
    size_t open_bytes;
    int file; // < 0: not made yet
    int64_t end;
    struct hole *hole; // [holes]
    size_t holes;
    size_t hole_room;
    int code; // of the first array that could not leave,
    char sentence[512];
};

// ---- the file ----

static int make_file(struct paged *paged)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/.cltb.scratch.XXXXXX", paged->dir);
    if (length < 0 || (size_t)length >= sizeof path)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", paged->dir);
    paged->file = mkostemp(path, O_CLOEXEC);
    if (paged->file < 0)
        return error_errno(CLTB_E_IO, errno, "cannot create a scratch file in %s", paged->dir);
    unlink(path);
    return 0;
}

static int write_array(const struct paged *paged, const struct paged_array *array, int64_t offset)
{
    for (size_t done = 0; done < array->bytes;) {
        const ssize_t written = pwrite(paged->file, (const char *)array->start + done, array->bytes - done,
                                       (off_t)(offset + (int64_t)done));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_errno(CLTB_E_IO, written < 0 ? errno : ENOSPC, "cannot write a scratch file in %s",
                               paged->dir);
        done += (size_t)written;
    }
    return 0;
}

static int read_array(const struct paged *paged, const struct paged_array *array, void *start)
{
    for (size_t done = 0; done < array->bytes;) {
        const ssize_t got =
            pread(paged->file, (char *)start + done, array->bytes - done, (off_t)(array->offset + (int64_t)done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_errno(CLTB_E_IO, errno, "cannot read a scratch file in %s", paged->dir);
        if (got == 0)
            return error_set(CLTB_E_IO, "a scratch file in %s was cut off", paged->dir);
        done += (size_t)got;
    }
    return 0;
}

static int64_t find_place(struct paged *paged, size_t bytes)
{
    for (size_t i = paged->holes; i-- > 0;) {
        if (paged->hole[i].bytes != bytes)
            continue;
        const int64_t offset = paged->hole[i].offset;
        paged->hole[i] = paged->hole[--paged->holes];
        return offset;
    }
    const int64_t offset = paged->end;
    paged->end += (int64_t)bytes;
    return offset;
}

// A hole that cannot be noted is lost.
static void leave_hole(struct paged *paged, int64_t offset, size_t bytes)
{
    if (paged->holes == paged->hole_room) {
        const size_t room = 2 * paged->hole_room + 64;
        struct hole *more = realloc(paged->hole, room * sizeof *more);
        if (more == NULL)
            return;
        paged->hole = more;
        paged->hole_room = room;
    }
    paged->hole[paged->holes++] = (struct hole){offset, bytes};
}

// ---- leaving ----

static void take_out(struct paged *paged, struct paged_array *array)
{
    *(array->before != NULL ? &array->before->after : &paged->first) = array->after;
    *(array->after != NULL ? &array->after->before : &paged->last) = array->before;
    array->before = array->after = NULL;
}

static void put_in(struct paged *paged, struct paged_array *array)
{
    array->before = paged->last;
    *(paged->last != NULL ? &paged->last->after : &paged->first) = array;
    paged->last = array;
}

// What may leave is the pool's, because malloc() would not give it back.
static bool is_pooled(const struct paged *paged, size_t bytes)
{
    return bytes >= (paged->limit > 0 ? LEAVES_MIN : POOLED_MIN);
}

// Of malloc's memory. Without a limit nobody counts.
static void claim(const struct paged *paged, size_t bytes, bool more)
{
    if (paged->limit > 0)
        (more ? memory_claim : memory_unclaim)(paged->pool, bytes + sizeof(struct paged_array));
}

static void release(const struct paged *paged, struct paged_array *array)
{
    if (array->start != NULL && is_pooled(paged, array->bytes)) {
        memory_give(paged->pool, array->start, array->bytes);
    } else if (array->start != NULL) {
        free(array->start);
        claim(paged, array->bytes, false);
    }
    array->start = NULL;
}

static int move_out(struct paged *paged, struct paged_array *array)
{
    if (paged->file < 0)
        TRY(make_file(paged));
    if (array->offset == NOT_THERE) {
        const int64_t offset = find_place(paged, array->bytes);
        const int code = write_array(paged, array, offset);
        if (code != 0) {
            leave_hole(paged, offset, array->bytes);
            return code;
        }
        array->offset = offset;
    }
    release(paged, array);
    return 0;
}

// What the pool calls.
static void relieve(void *context, size_t bytes)
{
    struct paged *paged = context;
    const size_t wanted = bytes > WRITE_BYTES ? bytes : WRITE_BYTES;
    size_t gone = 0;
    pthread_mutex_lock(&paged->lock);
    while (paged->first != NULL && gone < wanted && paged->code == 0) {
        struct paged_array *array = paged->first;
        paged->code = move_out(paged, array);
        if (paged->code == 0) {
            gone += array->bytes;
            take_out(paged, array);
        } else {
            snprintf(paged->sentence, sizeof paged->sentence, "%s", error_text());
        }
    }
    pthread_mutex_unlock(&paged->lock);
}

static int check(struct paged *paged)
{
    pthread_mutex_lock(&paged->lock);
    const int code = paged->code;
    pthread_mutex_unlock(&paged->lock);
    return code == 0 ? 0 : error_set(code, "%s", paged->sentence);
}

// ---- opening and closing ----

int paged_open(struct paged **result, struct memory_pool *pool, size_t limit, const char *dir)
{
    struct paged *paged = calloc(1, sizeof *paged);
    *result = paged;
    if (paged == NULL)
        return error_memory(sizeof *paged, "arrays in a file");
    paged->pool = pool;
    paged->dir = dir;
    paged->file = -1;
    paged->limit = limit;
    pthread_mutex_init(&paged->lock, NULL);
    memory_pool_limit(pool, limit, relieve, paged);
    return 0;
}

void paged_close(struct paged *paged)
{
    if (paged == NULL)
        return;
    memory_pool_limit(paged->pool, 0, NULL, NULL);
    if (paged->file >= 0)
        close(paged->file);
    pthread_mutex_destroy(&paged->lock);
    free(paged->hole);
    free(paged);
}

size_t paged_open_bytes(const struct paged *paged)
{
    return paged->open_bytes;
}

size_t paged_limit(const struct paged *paged)
{
    return paged->limit;
}

// ---- arrays ----

static void *take(const struct paged *paged, size_t bytes, bool zero)
{
    bool zeroed = zero;
    void *start;
    if (is_pooled(paged, bytes)) {
        start = memory_take(paged->pool, bytes, &zeroed);
    } else {
        claim(paged, bytes, true);
        start = zero ? calloc(1, bytes) : malloc(bytes);
        if (start == NULL)
            claim(paged, bytes, false);
    }
    if (start == NULL)
        error_memory(bytes, "slabs");
    else if (zero && !zeroed)
        memset(start, 0, bytes);
    return start;
}

int paged_new(struct paged *paged, size_t bytes, bool zero, struct paged_array **result, void **start)
{
    *result = NULL;
    struct paged_array *array = calloc(1, sizeof *array);
    if (array == NULL)
        return error_memory(sizeof *array, "slabs");
    *array = (struct paged_array){.paged = paged, .bytes = bytes, .offset = NOT_THERE, .opened = 1};
    array->start = take(paged, bytes, zero);
    if (array->start == NULL) {
        free(array);
        return CLTB_E_MEMORY;
    }
    paged->open_bytes += bytes;
    *result = array;
    *start = array->start;
    return check(paged);
}

static bool can_leave(const struct paged_array *array)
{
    return array->paged->limit > 0 && array->bytes >= LEAVES_MIN;
}

static int come_back(struct paged_array *array)
{
    struct paged *paged = array->paged;
    void *start = take(paged, array->bytes, false);
    if (start == NULL)
        return CLTB_E_MEMORY;
    const int code = read_array(paged, array, start);
    array->start = start;
    if (code != 0)
        release(paged, array);
    return code;
}

int paged_get(struct paged_array *array, const void **start)
{
    struct paged *paged = array->paged;
    if (can_leave(array) && array->opened == 0) {
        TRY(check(paged));
        pthread_mutex_lock(&paged->lock);
        if (array->start != NULL)
            take_out(paged, array);
        pthread_mutex_unlock(&paged->lock);
        if (array->start == NULL)
            TRY(come_back(array));
    }
    paged->open_bytes += array->opened++ == 0 ? array->bytes : 0;
    *start = array->start;
    return 0;
}

void *paged_start(const struct paged_array *array)
{
    return array->start;
}

void paged_put(struct paged_array *array)
{
    struct paged *paged = array->paged;
    if (--array->opened > 0)
        return;
    paged->open_bytes -= array->bytes;
    if (!can_leave(array))
        return;
    pthread_mutex_lock(&paged->lock);
    put_in(paged, array);
    pthread_mutex_unlock(&paged->lock);
}

void paged_free(struct paged_array *array)
{
    if (array == NULL)
        return;
    struct paged *paged = array->paged;
    if (array->opened > 0)
        paged->open_bytes -= array->bytes;
    if (can_leave(array)) {
        pthread_mutex_lock(&paged->lock);
        if (array->opened == 0 && array->start != NULL)
            take_out(paged, array);
        if (array->offset != NOT_THERE)
            leave_hole(paged, array->offset, array->bytes);
        pthread_mutex_unlock(&paged->lock);
    }
    release(paged, array);
    free(array);
}
