// block_cache.c - decompressed blocks of many tables and pieces of files, within a bound of memory
//
// Every container has an array with a place for each of its blocks, which points to the block if it is cached. A file
// has such an array for pieces of equal size, which have nothing to do with blocks. Pieces are small, because a missing
// one is read whole. Files are not mapped, because truncating a mapped file while it is in use would kill the process.
//
// 1. A reader takes no lock. It remembers the contents of the place, reads the symbol, and compares: a place that lost
//    its block in the meantime has another version. Memory of blocks is reused for blocks of the same size class but
//    not freed before the cache is closed, so the reader may see a wrong symbol but never a wild address. It then reads
//    the symbol again as if the block were missing.
// 2. A missing block is decompressed without any lock and put in its place under one.
// 3. When room is needed, a clock hand passes over the blocks of a size class: it spares each block that was used since
//    it last passed, and the next block gives its memory to the new one. Each class has a hand of its own: one that
//    looks for a block of a rare class among all blocks would pass over most of the others each time.
#include "table/block_cache.h"

#include "util/error.h"
#include "util/file.h"
#include "util/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZE_CLASSES = 40,
    CHUNK_BYTES = 4 << 20,
    PIECE_BYTES = 102 * CACHED_NOTE_BYTES, // with their notes just under 4 KiB
    PIECE_NOTES = PIECE_BYTES / CACHED_NOTE_BYTES
};

_Static_assert(PIECE_BYTES + PIECE_NOTES * sizeof(uint64_t) <= 4096, "no room wasted");

// Blocks are cut from large pieces of memory on huge pages. Otherwise random probes would spend half their time on
// address translation.
struct chunk {
    struct chunk *next;
    char *start;
    size_t bytes;
    size_t taken;
};

struct block {
    int class; // its data have 2^class bytes
    struct places *owner;
    uint64_t number; // in the owner's array
    struct block *next_free;
    uint8_t *data;
};

// All blocks of a class.
struct ring {
    struct block **block;
    size_t count;
    size_t room;
    size_t hand;
    struct block *free_blocks;
};

struct block_cache {
    pthread_mutex_t lock;
    size_t bound;
    size_t allocated; // bytes of all blocks, including unused ones
    struct ring ring[SIZE_CLASSES];
    struct chunk *chunks; // the first one may have room
};

struct places {
    struct block_cache *cache;
    struct place {
        _Atomic(uint8_t *) data;  // NULL: not cached
        _Atomic uint32_t version; // how many blocks it has lost
        _Atomic bool used;        // since the clock hand last passed
    } * place;
};

struct cached_container {
    struct places places;
    const struct container *container;
    // For each stream: places are numbered by stream, block and unit.
    struct cached_stream {
        uint64_t first;        // of the first unit
        uint64_t blocks;       // in a section
        uint32_t units;        // in a block
        uint32_t unit_symbols; //
        uint32_t block_symbols;
        unsigned symbol_bytes;
        // Two outcomes share a byte, because a cold probe spends nearly as much time on the first touch of the cache's
        // memory as on decoding: the bytes of a unit, which is the distance of these two. Other symbols: 0.
        uint32_t half;
    } stream[CONTAINER_STREAMS_MAX];
};

struct cached_file {
    struct places places;
    const char *path;
    int file;
    uint64_t bytes;
};

int block_cache_open(struct block_cache **result, size_t bytes)
{
    struct block_cache *cache = calloc(1, sizeof *cache);
    *result = cache;
    if (cache == NULL)
        return error_memory(sizeof *cache, "a block cache");
    cache->bound = bytes;
    pthread_mutex_init(&cache->lock, NULL);
    return 0;
}

void block_cache_close(struct block_cache *cache)
{
    if (cache == NULL)
        return;
    for (int class = 0; class < SIZE_CLASSES; class ++) {
        for (size_t i = 0; i < cache->ring[class].count; i++)
            free(cache->ring[class].block[i]);
        free(cache->ring[class].block);
    }
    while (cache->chunks != NULL) {
        struct chunk *next = cache->chunks->next;
        memory_unmap(cache->chunks->start, cache->chunks->bytes);
        free(cache->chunks);
        cache->chunks = next;
    }
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static int places_open(struct places *places, struct block_cache *cache, uint64_t count)
{
    places->cache = cache;
    places->place = calloc(count + 1, sizeof *places->place);
    return places->place != NULL ? 0 : error_memory(count * sizeof *places->place, "a table's blocks");
}

// Called under the lock: takes a block out of its place and keeps its memory for another one.
static void take_away(struct block_cache *cache, struct block *block)
{
    struct place *place = &block->owner->place[block->number];
    struct ring *ring = &cache->ring[block->class];
    atomic_fetch_add(&place->version, 1);
    atomic_store(&place->data, NULL);
    block->owner = NULL;
    block->next_free = ring->free_blocks;
    ring->free_blocks = block;
}

static void places_close(struct places *places)
{
    struct block_cache *cache = places->cache;
    pthread_mutex_lock(&cache->lock);
    for (int class = 0; class < SIZE_CLASSES; class ++) {
        const struct ring *ring = &cache->ring[class];
        for (size_t i = 0; i < ring->count; i++) {
            if (ring->block[i]->owner == places)
                take_away(cache, ring->block[i]);
        }
    }
    pthread_mutex_unlock(&cache->lock);
    free(places->place);
}

static struct block *new_block(struct block_cache *cache, int class)
{
    struct ring *ring = &cache->ring[class];
    if (ring->count == ring->room) {
        const size_t room = ring->room == 0 ? 64 : 2 * ring->room;
        struct block **larger = realloc(ring->block, room * sizeof *larger);
        if (larger == NULL)
            return NULL;
        ring->block = larger;
        ring->room = room;
    }
    const size_t bytes = (size_t)1 << class;
    struct chunk *chunk = cache->chunks;
    if (chunk == NULL || chunk->bytes - chunk->taken < bytes) {
        if ((chunk = calloc(1, sizeof *chunk)) == NULL)
            return NULL;
        // Small caches take small chunks.
        chunk->bytes = cache->bound < 4 * (size_t)CHUNK_BYTES || bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk->start = memory_map(chunk->bytes);
        if (chunk->start == NULL) {
            free(chunk);
            return NULL;
        }
        chunk->next = cache->chunks;
        cache->chunks = chunk;
    }
    struct block *block = calloc(1, sizeof *block);
    if (block == NULL)
        return NULL;
    block->class = class;
    block->data = (uint8_t *)chunk->start + chunk->taken;
    chunk->taken += bytes;
    ring->block[ring->count++] = block;
    cache->allocated += bytes;
    return block;
}

// Puts a copy of the symbols in their place, followed by zero bytes up to `room`. Without memory the block is not
// cached.
static void keep(struct places *places, uint64_t number, const uint8_t *symbols, size_t bytes, size_t room)
{
    struct block_cache *cache = places->cache;
    struct place *place = &places->place[number];
    int class = 6;
    while (((size_t)1 << class) < room)
        class ++;
    pthread_mutex_lock(&cache->lock);
    struct block *block = NULL;
    if (atomic_load(&place->data) == NULL) {
        // Make room: only a block of the same class can be replaced; without one, this block exceeds the bound.
        struct ring *ring = &cache->ring[class];
        const bool full = cache->allocated + ((size_t)1 << class) > cache->bound;
        for (size_t i = full ? 2 * ring->count : 0; i > 0 && ring->free_blocks == NULL; i--) {
            struct block *old = ring->block[ring->hand];
            ring->hand = (ring->hand + 1) % ring->count;
            if (old->owner != NULL && !atomic_exchange(&old->owner->place[old->number].used, false))
                take_away(cache, old);
        }
        block = ring->free_blocks;
        if (block != NULL)
            ring->free_blocks = block->next_free;
        else
            block = new_block(cache, class);
    }
    if (block != NULL) {
        atomic_thread_fence(memory_order_release); // who sees one of these bytes also sees that the old place lost them
        for (size_t i = 0; i < room; i += sizeof(uint64_t)) {
            uint64_t word = 0;
            if (i + sizeof word <= bytes)
                memcpy(&word, symbols + i, sizeof word);
            else if (i < bytes)
                memcpy(&word, symbols + i, bytes - i);
            __atomic_store_n((uint64_t *)(void *)(block->data + i), word, __ATOMIC_RELAXED);
        }
        block->owner = places;
        block->number = number;
        atomic_store(&place->used, true);
        atomic_store(&place->data, block->data);
    }
    pthread_mutex_unlock(&cache->lock);
}

// What a place had at some moment.
struct glance {
    struct place *place;
    const uint8_t *data; // NULL: nothing
    uint32_t version;
};

static struct glance look(const struct places *places, uint64_t number)
{
    struct place *place = &places->place[number];
    const uint32_t version = atomic_load_explicit(&place->version, memory_order_acquire);
    return (struct glance){place, atomic_load_explicit(&place->data, memory_order_acquire), version};
}

// Called after reading: is the block still there? If so, marks it as used.
static bool confirm(const struct glance *glance)
{
    struct place *place = glance->place;
    if (!atomic_load_explicit(&place->used, memory_order_relaxed))
        atomic_store_explicit(&place->used, true, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&place->version, memory_order_relaxed) == glance->version &&
           atomic_load_explicit(&place->data, memory_order_relaxed) == glance->data;
}

// ---- blocks of a container ----

// Numbers the units of a stream from `first` on; returns the number after its last one.
static uint64_t stream_units(struct cached_stream *stream, const struct container *container, int number,
                             uint64_t first)
{
    const struct container_stream *shape = container_stream(container, number);
    const uint32_t unit = container_unit_symbols(container, number);
    *stream = (struct cached_stream){.first = first,
                                     .blocks = container_section_blocks(shape),
                                     .units = (shape->block_symbols + unit - 1) / unit,
                                     .unit_symbols = unit,
                                     .block_symbols = shape->block_symbols,
                                     .symbol_bytes = shape->symbol_bytes,
                                     .half = shape->codec == CODEC_CONTEXT ? (unit + 15) / 16 * 8 : 0};
    return first + container_blocks(shape) * stream->units;
}

int cached_container_open(struct cached_container **result, struct block_cache *cache,
                          const struct container *container)
{
    struct cached_container *cached = calloc(1, sizeof *cached);
    uint64_t units = 0;
    *result = NULL;
    if (cached == NULL)
        return error_memory(sizeof *cached, "a table");
    cached->container = container;
    for (int i = 0; i < container_stream_count(container); i++)
        units = stream_units(&cached->stream[i], container, i, units);
    const int code = places_open(&cached->places, cache, units);
    if (code != 0)
        free(cached);
    else
        *result = cached;
    return code;
}

void cached_container_close(struct cached_container *cached)
{
    if (cached != NULL)
        places_close(&cached->places);
    free(cached);
}

// The symbol `at` of a unit in the cache.
static inline unsigned symbol_of(const struct cached_stream *stream, const uint8_t *data, uint32_t at)
{
    if (at < stream->half)
        return __atomic_load_n(&data[at], __ATOMIC_RELAXED) & 15;
    if (stream->half > 0)
        return __atomic_load_n(&data[at - stream->half], __ATOMIC_RELAXED) >> 4;
    if (stream->symbol_bytes == 1)
        return __atomic_load_n(&data[at], __ATOMIC_RELAXED);
    return __atomic_load_n(&data[2 * at], __ATOMIC_RELAXED) |
           (unsigned)__atomic_load_n(&data[2 * at + 1], __ATOMIC_RELAXED) << 8;
}

// Puts two symbols in each of the first `half` bytes.
static void halve(uint8_t *symbols, size_t half)
{
    for (size_t i = 0; i < half; i += sizeof(uint64_t)) {
        uint64_t low;
        uint64_t high;
        memcpy(&low, symbols + i, sizeof low);
        memcpy(&high, symbols + half + i, sizeof high);
        low |= high << 4;
        memcpy(symbols + i, &low, sizeof low);
    }
}

static int read_missing(struct cached_container *cached, int number, uint64_t block, uint32_t symbol, unsigned *value)
{
    const struct cached_stream *stream = &cached->stream[number];
    const uint32_t unit = symbol / stream->unit_symbols;
    const uint32_t left =
        container_block_length(container_stream(cached->container, number), block) - unit * stream->unit_symbols;
    const size_t count = left < stream->unit_symbols ? left : stream->unit_symbols;
    const size_t room = stream->half > 0 ? 2 * (size_t)stream->half : count * stream->symbol_bytes;
    uint8_t *symbols = malloc(room);
    if (symbols == NULL)
        return error_memory(room, "a block");
    const int code = container_read_unit(cached->container, number, block, unit, symbols);
    if (code == 0) {
        size_t bytes = room;
        if (stream->half > 0) {
            memset(symbols + count, 0, room - count);
            halve(symbols, stream->half);
            bytes = count < stream->half ? count : stream->half;
        }
        *value = symbol_of(stream, symbols, symbol % stream->unit_symbols);
        keep(&cached->places, stream->first + block * stream->units + unit, symbols, bytes, bytes);
    }
    free(symbols);
    return code;
}

int cached_symbol(struct cached_container *cached, int number, uint64_t section, uint64_t symbol, unsigned *value)
{
    const struct cached_stream *stream = &cached->stream[number];
    const uint64_t block = section * stream->blocks + symbol / stream->block_symbols;
    const uint32_t inside = (uint32_t)(symbol % stream->block_symbols);
    const struct glance glance =
        look(&cached->places, stream->first + block * stream->units + inside / stream->unit_symbols);
    if (glance.data == NULL)
        return read_missing(cached, number, block, inside, value);
    *value = symbol_of(stream, glance.data, inside % stream->unit_symbols);
    return confirm(&glance) ? 0 : read_missing(cached, number, block, inside, value);
}

// ---- pieces of a file ----

int cached_file_open(struct cached_file **result, struct block_cache *cache, int file, const char *path, uint64_t bytes)
{
    struct cached_file *cached = calloc(1, sizeof *cached);
    *result = NULL;
    if (cached == NULL)
        return error_memory(sizeof *cached, "a file");
    cached->path = path;
    cached->file = file;
    cached->bytes = bytes;
    const int code = places_open(&cached->places, cache, bytes / PIECE_BYTES + 1);
    if (code != 0)
        free(cached);
    else
        *result = cached;
    return code;
}

void cached_file_close(struct cached_file *cached)
{
    if (cached != NULL)
        places_close(&cached->places);
    free(cached);
}

static int read_piece(struct cached_file *cached, uint64_t number, size_t at, size_t count, uint8_t *to)
{
    uint8_t piece[PIECE_BYTES];
    const uint64_t left = cached->bytes - number * PIECE_BYTES;
    const size_t bytes = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
    TRY(file_read(cached->file, cached->path, piece, bytes, number * PIECE_BYTES, NULL));
    memcpy(to, piece + at, count);
    keep(&cached->places, number, piece, bytes, PIECE_BYTES + PIECE_NOTES * sizeof(uint64_t));
    return 0;
}

static const uint64_t *words_at(const uint8_t *data)
{
    return (const uint64_t *)(const void *)data;
}

static const uint64_t *note_at(const uint8_t *piece, size_t at)
{
    return words_at(piece + PIECE_BYTES) + at / CACHED_NOTE_BYTES;
}

// Reads a part of a piece, and its notes unless `note` is NULL.
static int read_part(struct cached_file *cached, uint64_t number, size_t at, size_t count, uint8_t *to, uint64_t *note)
{
    const struct glance glance = look(&cached->places, number);
    const size_t notes = note == NULL ? 0 : count / CACHED_NOTE_BYTES;
    for (size_t i = 0; glance.data != NULL && i < count; i++)
        to[i] = __atomic_load_n(&glance.data[at + i], __ATOMIC_RELAXED);
    for (size_t i = 0; glance.data != NULL && i < notes; i++)
        note[i] = __atomic_load_n(note_at(glance.data, at) + i, __ATOMIC_RELAXED);
    if (glance.data != NULL && confirm(&glance))
        return 0;
    for (size_t i = 0; i < notes; i++)
        note[i] = 0;
    return read_piece(cached, number, at, count, to);
}

int cached_bytes(struct cached_file *cached, uint64_t offset, size_t count, uint64_t *room, const uint8_t **bytes,
                 uint64_t *note)
{
    const size_t at = offset % PIECE_BYTES;
    const size_t skipped = at % sizeof *room;
    const size_t notes = note == NULL ? 0 : count / CACHED_NOTE_BYTES;
    const struct glance glance = look(&cached->places, offset / PIECE_BYTES);
    if (glance.data != NULL && count <= PIECE_BYTES - at) {
        // Read complete words, which another thread may be changing.
        const uint64_t *word = words_at(glance.data + (at - skipped));
        for (size_t i = 0; i < notes; i++)
            note[i] = __atomic_load_n(note_at(glance.data, at) + i, __ATOMIC_RELAXED);
        // The number of words does not depend on where the first byte is, so no branch on that is mispredicted; with
        // notes the bytes begin at a word.
        const size_t words = (count + sizeof *room - 1) / sizeof *room + (note == NULL);
        for (size_t i = 0; i < words; i++)
            room[i] = __atomic_load_n(&word[i], __ATOMIC_RELAXED);
        *bytes = (const uint8_t *)room + skipped;
        if (confirm(&glance))
            return 0;
    }
    uint8_t *to = (uint8_t *)room;
    *bytes = to;
    for (size_t part; count > 0; count -= part, offset += part, to += part) {
        const size_t from = offset % PIECE_BYTES;
        part = count < PIECE_BYTES - from ? count : PIECE_BYTES - from;
        TRY(read_part(cached, offset / PIECE_BYTES, from, part, to, note));
        note += note == NULL ? 0 : part / CACHED_NOTE_BYTES;
    }
    return 0;
}

void cached_prefetch(const struct cached_file *cached, uint64_t offset, size_t count)
{
    const uint8_t *piece = look(&cached->places, offset / PIECE_BYTES).data;
    if (piece == NULL)
        return;
    const size_t at = offset % PIECE_BYTES;
    const size_t before = at < CACHED_NOTE_BYTES ? at : CACHED_NOTE_BYTES;
    for (size_t i = 0; i < count + 2 * (size_t)CACHED_NOTE_BYTES; i += CACHED_NOTE_BYTES)
        __builtin_prefetch(piece + at - before + i);
    __builtin_prefetch(note_at(piece, at));
}

void cached_note(struct cached_file *cached, uint64_t offset, size_t count, const uint64_t *note)
{
    struct block_cache *cache = cached->places.cache;
    pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < count / CACHED_NOTE_BYTES; i++, offset += CACHED_NOTE_BYTES) {
        uint8_t *piece = atomic_load(&cached->places.place[offset / PIECE_BYTES].data);
        if (piece != NULL)
            __atomic_store_n((uint64_t *)(uintptr_t)note_at(piece, offset % PIECE_BYTES), note[i], __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&cache->lock);
}
