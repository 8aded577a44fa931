// memory.c - allocating: arrays that fail with a sentence, large arrays on huge pages, arrays that come and go
#include "util/memory.h"

#include "util/error.h"
#include "util/os.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

int memory_new(void *pointer, size_t count, size_t size, const char *what)
{
    void *array = calloc(count > 0 ? count : 1, size);
    memcpy(pointer, &array, sizeof array);
    return array != NULL ? 0 : error_memory(count * size, what);
}

int memory_grow(void *pointer, size_t *room, size_t needed, size_t size, const char *what)
{
    enum { FIRST = 64 };
    void *array;
    if (needed <= *room)
        return 0;
    size_t larger = *room < FIRST / 2 ? FIRST : 2 * *room;
    if (larger < needed)
        larger = needed;
    memcpy(&array, pointer, sizeof array);
    void *grown = larger <= SIZE_MAX / size ? realloc(array, larger * size) : NULL;
    if (grown == NULL)
        return error_memory(larger * size, what);
    memcpy(pointer, &grown, sizeof grown);
    *room = larger;
    return 0;
}

void *memory_map(size_t bytes)
{
    return bytes > 0 ? os_map(bytes) : NULL;
}

void memory_unmap(void *start, size_t bytes)
{
    if (start != NULL)
        os_unmap(start, bytes);
}

void memory_drop(void *start, size_t bytes)
{
    enum { PAGE = 4096 };
    const uintptr_t first = ((uintptr_t)start + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = ((uintptr_t)start + bytes) / PAGE * PAGE;
    if (start != NULL && first < end)
        os_drop((void *)first, end - first);
}

// ---- a pool ----

// To touch new memory costs more than most work on it: on a virtual machine up to 2.3 CPU seconds a GB. A pool of
// this size clears new pages in 4.6 % of the time of solving ten tables with pawns (dtm), one of 512 MB in 8.7 %.
enum {
    POOL_SLOTS = 1024,
    POOL_BLOCK_MIN = 32 << 10,  // smaller arrays come from malloc()
    POOL_BLOCK_MAX = 256 << 20, // larger arrays are unmapped: what comes next needs their memory
    POOL_BYTES_MAX = 1024 << 20
};

struct memory_pool {
    pthread_mutex_t lock;
    size_t limit; // bytes; 0: none
    void (*relief)(void *context, size_t bytes);
    void *context;
    size_t taken; // bytes of arrays in use
    int count;
    size_t bytes; // bytes of blocks kept for reuse
    struct {
        void *start;
        size_t bytes;
    } block[POOL_SLOTS]; // the one that was returned first comes first
};

struct memory_pool *memory_pool_open(void)
{
    struct memory_pool *pool = calloc(1, sizeof *pool);
    if (pool != NULL)
        pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

void memory_pool_close(struct memory_pool *pool)
{
    if (pool == NULL)
        return;
    for (int i = 0; i < pool->count; i++)
        memory_unmap(pool->block[i].start, pool->block[i].bytes);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

// Sizes come in steps, so that arrays of about the same size can replace each other: powers of 2, later quarters of
// them. Arrays too large to be kept have their own size.
static size_t pool_size(size_t bytes)
{
    if (bytes > POOL_BLOCK_MAX)
        return bytes;
    size_t step = 4096;
    while (step * (step < (size_t)2 << 20 ? 1 : 8) < bytes)
        step *= 2;
    return (bytes + step - 1) / step * step;
}

// Call the following functions with the lock held.
static void *take_out(struct memory_pool *pool, int i)
{
    void *start = pool->block[i].start;
    pool->bytes -= pool->block[i].bytes;
    pool->count--;
    memmove(&pool->block[i], &pool->block[i + 1], (size_t)(pool->count - i) * sizeof pool->block[0]);
    return start;
}

// A full pool drops its oldest array rather than refuse a new one: all 145 tables clear 5 GB of new pages, not 20.
static void drop_oldest(struct memory_pool *pool)
{
    const size_t bytes = pool->block[0].bytes;
    memory_unmap(take_out(pool, 0), bytes);
}

static bool exceeds(const struct memory_pool *pool, size_t bytes, size_t more)
{
    return pool->taken > bytes || more + pool->bytes > bytes - pool->taken;
}

static bool is_over(const struct memory_pool *pool, size_t more)
{
    return pool->limit > 0 && exceeds(pool, pool->limit, more);
}

static void drop_kept(struct memory_pool *pool, size_t more)
{
    while (pool->count > 0 && is_over(pool, more))
        drop_oldest(pool);
}

// Asks for relief if `more` bytes exceed the limit even without the kept blocks.
static void make_room(struct memory_pool *pool, size_t more)
{
    pthread_mutex_lock(&pool->lock);
    const size_t needed = pool->taken + more;
    const size_t missing = pool->limit > 0 && needed > pool->limit ? needed - pool->limit : 0;
    void (*relief)(void *, size_t) = pool->relief;
    void *context = pool->context;
    pthread_mutex_unlock(&pool->lock);
    if (missing > 0 && relief != NULL)
        relief(context, missing);
}

void *memory_take(struct memory_pool *pool, size_t bytes, bool *zeroed)
{
    if (bytes < POOL_BLOCK_MIN) {
        if (zeroed != NULL)
            *zeroed = false;
        return os_aligned(64, (bytes + 63) / 64 * 64);
    }
    const size_t size = pool_size(bytes);
    void *start = NULL;
    make_room(pool, size);
    pthread_mutex_lock(&pool->lock);
    for (int i = pool->count - 1; size <= POOL_BLOCK_MAX && start == NULL && i >= 0; i--) {
        if (pool->block[i].bytes == size)
            start = take_out(pool, i);
    }
    if (start == NULL)
        drop_kept(pool, size);
    pool->taken += size;
    pthread_mutex_unlock(&pool->lock);
    if (zeroed != NULL)
        *zeroed = start == NULL;
    if (start == NULL)
        start = memory_map(size);
    if (start == NULL)
        memory_unclaim(pool, size);
    return start;
}

void memory_give(struct memory_pool *pool, void *start, size_t bytes)
{
    const size_t size = pool_size(bytes);
    bool kept = false;
    if (start == NULL)
        return;
    if (bytes < POOL_BLOCK_MIN) {
        os_aligned_free(start);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->taken -= size;
    if (bytes <= POOL_BLOCK_MAX && !is_over(pool, size)) {
        while (pool->count == POOL_SLOTS || pool->bytes + size > POOL_BYTES_MAX)
            drop_oldest(pool);
        pool->block[pool->count].start = start;
        pool->block[pool->count++].bytes = size;
        pool->bytes += size;
        kept = true;
    }
    pthread_mutex_unlock(&pool->lock);
    if (!kept)
        memory_unmap(start, size);
}

void memory_pool_limit(struct memory_pool *pool, size_t bytes, void (*relief)(void *context, size_t bytes),
                       void *context)
{
    pthread_mutex_lock(&pool->lock);
    pool->limit = bytes;
    pool->relief = relief;
    pool->context = context;
    drop_kept(pool, 0);
    pthread_mutex_unlock(&pool->lock);
}

void memory_pool_shrink(struct memory_pool *pool, size_t bytes)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->count > 0 && exceeds(pool, bytes, 0))
        drop_oldest(pool);
    pthread_mutex_unlock(&pool->lock);
}

void memory_claim(struct memory_pool *pool, size_t bytes)
{
    make_room(pool, bytes);
    pthread_mutex_lock(&pool->lock);
    drop_kept(pool, bytes);
    pool->taken += bytes;
    pthread_mutex_unlock(&pool->lock);
}

void memory_unclaim(struct memory_pool *pool, size_t bytes)
{
    pthread_mutex_lock(&pool->lock);
    pool->taken -= bytes;
    pthread_mutex_unlock(&pool->lock);
}

void memory_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
