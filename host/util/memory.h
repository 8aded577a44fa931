// memory.h - large arrays on huge pages
#ifndef CLTB_UTIL_MEMORY_H
#define CLTB_UTIL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// Zeroed, aligned to 2 MiB where the size makes huge pages worth while (else to 4096 B); NULL if there is no memory.
// The pages are taken when first written.
void *memory_map(size_t bytes);
void memory_unmap(void *start, size_t bytes);

// Arrays that come and go: what is given back is kept for the next one of about its size, because pages that are in use
// already cost less than new ones. Thread-safe.
struct memory_pool;

struct memory_pool *memory_pool_open(void); // NULL if there is no memory
void memory_pool_close(struct memory_pool *pool);

// As memory_map(), but with any contents unless *zeroed (which may be NULL); small arrays are aligned to 64 bytes only.
void *memory_take(struct memory_pool *pool, size_t bytes, bool *zeroed);
void memory_give(struct memory_pool *pool, void *start, size_t bytes);

// From now on arrays of the pool and those that it keeps take no more than `bytes` together as long as that can be had: by
// giving back kept ones, then by relief(context, bytes), which gives arrays of about so many bytes to the pool if it can. It is
// called by whoever takes an array. 0: no limit. `relief` may be NULL.
void memory_pool_limit(struct memory_pool *pool, size_t bytes, void (*relief)(void *context, size_t bytes),
                       void *context);

// Memory from elsewhere that counts as arrays of the pool do.
void memory_claim(struct memory_pool *pool, size_t bytes);
void memory_unclaim(struct memory_pool *pool, size_t bytes);

// Gives memory that malloc() holds for later back to the system, as far as it can.
void memory_trim(void);

// The most memory that this process has held, in bytes.
size_t memory_peak(void);

// The memory of this machine in bytes; SIZE_MAX: not known.
size_t memory_physical(void);

#endif
