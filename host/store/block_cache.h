// block_cache.h - uncompressed blocks of many tables, within a bound of memory
#ifndef CLTB_STORE_BLOCK_CACHE_H
#define CLTB_STORE_BLOCK_CACHE_H

#include "store/container.h"
#include "store/table.h"

// A number for a container's blocks in this cache.
uint32_t block_cache_owner(struct block_cache *cache);

// Forgets an owner's blocks.
void block_cache_drop(struct block_cache *cache, uint32_t owner);

// Symbol number `symbol` of a stream's section.
int block_cache_symbol(struct block_cache *cache, uint32_t owner, const struct container *container, int stream,
                       uint64_t section, uint64_t symbol, unsigned *value);

#endif
