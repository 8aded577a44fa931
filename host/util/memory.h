// memory.h - allocating: arrays that fail with a sentence, large arrays on huge pages, arrays that come and go
#ifndef CLTB_UTIL_MEMORY_H
#define CLTB_UTIL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// Sets the pointer at `pointer` to a zeroed array from malloc(), or to NULL and returns CLTB_E_MEMORY, with the number
// of bytes and their purpose.
int memory_new(void *pointer, size_t count, size_t size, const char *what);

// Makes room for `needed` elements of `size` bytes in the array at `pointer`, from malloc() or NULL, which has room for
// `*room`: if that is too little, it at least doubles. CLTB_E_MEMORY as above; then nothing changes.
int memory_grow(void *pointer, size_t *room, size_t needed, size_t size, const char *what);

// Zeroed memory, aligned to 2 MiB where huge pages are worthwhile (otherwise to 4096 B); NULL if there is no memory.
// Pages are allocated when first written.
void *memory_map(size_t bytes);
void memory_unmap(void *start, size_t bytes);

// Gives the pages in a part of such memory back to the system: their contents are lost, and they are allocated again
// when next written.
void memory_drop(void *start, size_t bytes);

// Arrays that are reused: an array that is given back is kept for the next one of about its size, because pages already
// in use cost less than new ones. Thread-safe.
struct memory_pool;

struct memory_pool *memory_pool_open(void); // NULL if there is no memory
void memory_pool_close(struct memory_pool *pool);

// As memory_map(), but the contents are arbitrary unless *zeroed (which may be NULL) is set, and small arrays are
// aligned to 64 bytes only.
void *memory_take(struct memory_pool *pool, size_t bytes, bool *zeroed);
void memory_give(struct memory_pool *pool, void *start, size_t bytes);

// Tries to limit the arrays of the pool, including those kept for reuse, to `bytes`: first by unmapping kept ones, then
// by relief(context, bytes), which gives arrays of about that size back to the pool if it can, and which the taker of
// an array calls. 0: no limit. `relief` may be NULL.
void memory_pool_limit(struct memory_pool *pool, size_t bytes, void (*relief)(void *context, size_t bytes),
                       void *context);

// Unmaps arrays kept for reuse until they and those in use take at most `bytes`, if they can.
void memory_pool_shrink(struct memory_pool *pool, size_t bytes);

// Counts memory from elsewhere as if it were arrays of the pool.
void memory_claim(struct memory_pool *pool, size_t bytes);
void memory_unclaim(struct memory_pool *pool, size_t bytes);

// Returns as much as possible of the memory that malloc() holds in reserve to the system.
void memory_trim(void);

#endif
