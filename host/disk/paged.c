// paged.c - arrays that leave memory for a file when there is too little of it
//
// Arrays that may leave are in a list, the one that was closed last at its end. Small ones come from malloc() and never
// leave; the pool only counts them.
#include "disk/paged.h"

#include "disk/overflow.h"

#include "util/error.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    POOLED_MIN = 1 << 20, // without a limit: arrays of at least this size come from the pool
    WRITE_BYTES = 4 << 20 // that leave together, so that they are adjacent in the file
};

struct paged_array {
    struct paged *paged;
    void *start; // NULL: not in memory
    size_t bytes;
    bool written;    // it is also in the file, at
    uint64_t offset; // this offset
    uint32_t opened;
    struct paged_array *before; // in the list
    struct paged_array *after;
};

struct paged {
    struct memory_pool *pool;
    struct overflow *file;
    pthread_mutex_t lock; // of the list and its arrays: any thread may ask for relief
    struct paged_array *first;
    struct paged_array *last;
    size_t limit; // 0: none
    size_t open_bytes;
    int code;           // of the first array that could not leave,
    char sentence[512]; // and its sentence
};

// ---- leaving ----

static void take_out(struct paged *paged, struct paged_array *array)
{
    *(array->before != NULL ? &array->before->after : &paged->first) = array->after;
    *(array->after != NULL ? &array->after->before : &paged->last) = array->before;
    array->before = array->after = NULL;
}

// Arrays that may leave come from the pool, because malloc() would not give their memory back.
static bool is_pooled(const struct paged *paged, size_t bytes)
{
    return bytes >= (paged->limit > 0 ? PAGED_LEAVES_MIN : POOLED_MIN);
}

// Counts malloc's memory in the pool.
static void claim(const struct paged *paged, size_t bytes, bool more)
{
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

// Relief for the pool: writes arrays to the file, unless they are there already, and releases them.
static void relieve(void *context, size_t bytes)
{
    struct paged *paged = context;
    const size_t wanted = bytes > WRITE_BYTES ? bytes : WRITE_BYTES;
    pthread_mutex_lock(&paged->lock);
    for (size_t gone = 0; paged->first != NULL && gone < wanted && paged->code == 0;) {
        struct paged_array *array = paged->first;
        if (!array->written)
            paged->code = overflow_put(paged->file, array->start, array->bytes, &array->offset);
        if (paged->code != 0) {
            snprintf(paged->sentence, sizeof paged->sentence, "%s", error_text());
            break;
        }
        array->written = true;
        release(paged, array);
        take_out(paged, array);
        gone += array->bytes;
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
    TRY(memory_new(result, 1, sizeof **result, "arrays in a file"));
    struct paged *paged = *result;
    if (overflow_open(&paged->file, dir) != 0) {
        free(paged);
        *result = NULL;
        return CLTB_E_MEMORY;
    }
    paged->pool = pool;
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
    overflow_close(paged->file);
    pthread_mutex_destroy(&paged->lock);
    free(paged);
}

size_t paged_open_bytes(const struct paged *paged)
{
    return paged->open_bytes;
}

void paged_allow(struct paged *paged, size_t limit)
{
    if (paged->limit == 0 || limit == 0)
        return;
    paged->limit = limit;
    memory_pool_limit(paged->pool, limit, relieve, paged);
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
    struct paged_array *array;
    *result = NULL;
    TRY(memory_new(&array, 1, sizeof *array, "slabs"));
    *array = (struct paged_array){.paged = paged, .bytes = bytes, .opened = 1};
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
    return array->paged->limit > 0 && array->bytes >= PAGED_LEAVES_MIN;
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
        if (array->start == NULL) {
            array->start = take(paged, array->bytes, false);
            if (array->start == NULL)
                return CLTB_E_MEMORY;
            const int code = overflow_get(paged->file, array->offset, array->start, array->bytes);
            if (code != 0) {
                release(paged, array);
                return code;
            }
        }
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
    array->before = paged->last;
    *(paged->last != NULL ? &paged->last->after : &paged->first) = array;
    paged->last = array;
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
        pthread_mutex_unlock(&paged->lock);
        if (array->written)
            overflow_drop(paged->file, array->offset, array->bytes);
    }
    release(paged, array);
    free(array);
}
