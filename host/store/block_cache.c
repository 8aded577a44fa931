// block_cache.c - uncompressed blocks of many tables, within a bound of memory
//
// The cache is cut into shards by the block's key, each with its own lock, its share of the memory, a hash of chains
// and a clock hand: a block that was used since the hand last passed is spared once. A symbol is read under the shard's
// lock, so a block can never be taken away under a reader. A missing block is uncompressed without any lock; if two
// threads do so at once, the second one's copy is dropped.
#include "store/block_cache.h"

#include "util/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SHARDS = 64, BUCKETS = 1024, NO_ENTRY = -1 };

struct entry {
    uint64_t key;
    uint8_t *symbols; // NULL: the entry is free
    size_t bytes;
    int next; // in its chain
    bool used;
};

struct shard {
    pthread_mutex_t lock;
    size_t bytes; // held
    struct entry *entry;
    int count;
    int room;
    int hand;
    int bucket[BUCKETS];
};

struct block_cache {
    size_t shard_bytes; // bound of one shard
    _Atomic uint32_t owners;
    struct shard shard[SHARDS];
};

int block_cache_open(struct block_cache **result, size_t bytes)
{
    struct block_cache *cache = calloc(1, sizeof *cache);
    *result = cache;
    if (cache == NULL)
        return error_memory(sizeof *cache, "a block cache");
    cache->shard_bytes = bytes / SHARDS;
    for (int i = 0; i < SHARDS; i++) {
        pthread_mutex_init(&cache->shard[i].lock, NULL);
        for (int b = 0; b < BUCKETS; b++)
            cache->shard[i].bucket[b] = NO_ENTRY;
    }
    return 0;
}

void block_cache_close(struct block_cache *cache)
{
    if (cache == NULL)
        return;
    for (int i = 0; i < SHARDS; i++) {
        struct shard *shard = &cache->shard[i];
        for (int e = 0; e < shard->count; e++)
            free(shard->entry[e].symbols);
        free(shard->entry);
        pthread_mutex_destroy(&shard->lock);
    }
    free(cache);
}

uint32_t block_cache_owner(struct block_cache *cache)
{
    return atomic_fetch_add(&cache->owners, 1);
}

// owner < 2^20, stream < 8, block < 2^40: far beyond any table.
static uint64_t make_key(uint32_t owner, int stream, uint64_t block)
{
    return (uint64_t)owner << 43 | (uint64_t)stream << 40 | block;
}

static uint64_t scramble(uint64_t key)
{
    key ^= key >> 31;
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}

static int find(const struct shard *shard, uint64_t key, uint64_t hash)
{
    int e = shard->bucket[hash / SHARDS % BUCKETS];
    while (e != NO_ENTRY && shard->entry[e].key != key)
        e = shard->entry[e].next;
    return e;
}

static void unlink_entry(struct shard *shard, int e)
{
    int *link = &shard->bucket[scramble(shard->entry[e].key) / SHARDS % BUCKETS];
    while (*link != e)
        link = &shard->entry[*link].next;
    *link = shard->entry[e].next;
    free(shard->entry[e].symbols);
    shard->bytes -= shard->entry[e].bytes;
    shard->entry[e].symbols = NULL;
}

// Frees blocks until `bytes` more fit, but never forbids the new one.
static void make_room(struct shard *shard, size_t bytes, size_t bound)
{
    for (int passes = 2 * shard->count; passes > 0 && shard->bytes > 0 && shard->bytes + bytes > bound; passes--) {
        struct entry *entry = &shard->entry[shard->hand];
        if (entry->symbols != NULL && entry->used)
            entry->used = false;
        else if (entry->symbols != NULL)
            unlink_entry(shard, shard->hand);
        shard->hand = (shard->hand + 1) % shard->count;
    }
}

// A free entry, or NO_ENTRY without memory.
static int free_entry(struct shard *shard)
{
    for (int i = 0; i < shard->count && shard->count == shard->room; i++) {
        if (shard->entry[i].symbols == NULL)
            return i;
    }
    if (shard->count == shard->room) {
        int room = shard->room == 0 ? 64 : 2 * shard->room;
        struct entry *more = realloc(shard->entry, (size_t)room * sizeof *more);
        if (more == NULL)
            return NO_ENTRY;
        shard->entry = more;
        shard->room = room;
    }
    return shard->count++;
}

// Takes `symbols` over.
static void insert(struct block_cache *cache, struct shard *shard, uint64_t key, uint64_t hash, uint8_t *symbols,
                   size_t bytes)
{
    int e = NO_ENTRY;
    if (find(shard, key, hash) == NO_ENTRY) {
        make_room(shard, bytes, cache->shard_bytes);
        e = free_entry(shard);
    }
    if (e == NO_ENTRY) {
        free(symbols);
        return;
    }
    int *bucket = &shard->bucket[hash / SHARDS % BUCKETS];
    shard->entry[e] = (struct entry){key, symbols, bytes, *bucket, true};
    shard->bytes += bytes;
    *bucket = e;
}

static unsigned symbol_at(const uint8_t *symbols, uint32_t width, uint64_t at)
{
    return width == 1 ? symbols[at] : symbols[2 * at] | (unsigned)symbols[2 * at + 1] << 8;
}

int block_cache_symbol(struct block_cache *cache, uint32_t owner, const struct container *container, int stream,
                       uint64_t section, uint64_t symbol, unsigned *value)
{
    const struct container_stream *shape = container_stream(container, stream);
    const uint64_t block = section * container_section_blocks(shape) + symbol / shape->block_symbols;
    const uint64_t at = symbol % shape->block_symbols;
    const uint64_t key = make_key(owner, stream, block);
    const uint64_t hash = scramble(key);
    struct shard *shard = &cache->shard[hash % SHARDS];
    pthread_mutex_lock(&shard->lock);
    int e = find(shard, key, hash);
    if (e != NO_ENTRY) {
        shard->entry[e].used = true;
        *value = symbol_at(shard->entry[e].symbols, shape->symbol_bytes, at);
    }
    pthread_mutex_unlock(&shard->lock);
    if (e != NO_ENTRY)
        return 0;
    const size_t bytes = (size_t)container_block_length(shape, block) * shape->symbol_bytes;
    uint8_t *symbols = malloc(bytes);
    if (symbols == NULL)
        return error_memory(bytes, "a block");
    int code = container_read(container, stream, block, symbols);
    if (code != 0) {
        free(symbols);
        return code;
    }
    *value = symbol_at(symbols, shape->symbol_bytes, at);
    pthread_mutex_lock(&shard->lock);
    insert(cache, shard, key, hash, symbols, bytes);
    pthread_mutex_unlock(&shard->lock);
    return 0;
}

void block_cache_drop(struct block_cache *cache, uint32_t owner)
{
    for (int i = 0; i < SHARDS; i++) {
        struct shard *shard = &cache->shard[i];
        pthread_mutex_lock(&shard->lock);
        for (int e = 0; e < shard->count; e++) {
            if (shard->entry[e].symbols != NULL && shard->entry[e].key >> 43 == owner)
                unlink_entry(shard, e);
        }
        pthread_mutex_unlock(&shard->lock);
    }
}
