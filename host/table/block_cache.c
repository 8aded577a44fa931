// block_cache.c - decompressed blocks of many tables and pieces of files, within a bound of memory
//
// Every container has an array with a place for each of its blocks, which points to the block if it is cached. A file
// has such an array for pieces of equal size, which have nothing to do with blocks. Pieces are small, because a missing
// one is read whole. Files are not mapped, because truncating a mapped file while it is in use would kill the process.
//
// 1. A reader takes no lock. It remembers the contents of the place, reads the symbol, and compares: a place that lost
//    its block in the meantime has another version. Memory of blocks is reused for other blocks but not freed before
//    the cache is closed, so the reader may see a wrong symbol but never a wild address. It then reads the symbol again
//    as if the block were missing.
// 2. A missing block is decompressed without any lock and put in its place under one.
// 3. Blocks lie one after another in segments. When room is needed, a clock hand passes over the segments: it keeps
//    each block of a segment that was used since it last passed, closes the gaps that the others leave, and what is
//    then free at the segment's end is for new blocks.
#include "table/block_cache.h"

#include "table/outcome_rows.h"
#include "util/error.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/os.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 64, // of the processor's caches
    CHUNK_BYTES = 4 << 20,
    SEGMENT_BYTES = 256 << 10,
    SEGMENT_BYTES_MIN = 4 << 10,
    CHUNK_SLACK = OUTCOME_KEPT_MAX * sizeof(uint64_t),
    PIECE_BYTES = 102 * CACHED_NOTE_BYTES, // with their notes about 4 KiB
    PIECE_NOTES = PIECE_BYTES / CACHED_NOTE_BYTES
};

// A block's data follow.
struct block {
    struct places *owner; // NULL: none any more
    uint64_t number;      // in the owner's array
    uint64_t bytes;       // up to the next block
};

_Static_assert(sizeof(struct block) % sizeof(uint64_t) == 0, "what follows is words");

struct segment {
    char *start;
    size_t bytes;
    size_t taken; // by blocks, from the start on
};

// Segments are cut from large pieces of memory on huge pages. Otherwise random probes would spend half their time on
// address translation. After a chunk come CHUNK_SLACK bytes that readers of changing outcomes may look at.
struct chunk {
    struct chunk *next;
    char *start;
    size_t bytes;
    size_t taken;
};

struct block_cache {
    pthread_mutex_t lock;
    size_t bound;
    size_t allocated; // bytes of all segments
    struct segment *segment;
    size_t segments;
    size_t room;         // for segments
    size_t hand;         // the segment that new blocks are put in
    size_t empty;        // how many segments have no blocks
    struct chunk *chunk; // the first one may have room
};

struct places {
    struct block_cache *cache;
    struct place {
        _Atomic(uint8_t *) data;  // NULL: not cached
        _Atomic uint32_t info;    // of outcomes (outcome_rows.h)
        _Atomic uint16_t version; // how many blocks it has lost
        _Atomic bool used;        // since the clock hand last passed
    } * place;
};

// The data of units of outcomes of which no row is kept. If all outcomes of a unit are the same, they begin at the word
// of this number, otherwise at NO_ROWS. A reader with the kinds of another unit may look at the words that follow.
enum { NO_ROWS = OUTCOME_VALUES_MAX };
static const uint64_t no_rows[NO_ROWS + OUTCOME_KEPT_MAX];

struct cached_container {
    struct places places;
    const struct container *container;
    // Outcomes are packed: a cold probe would spend nearly as much time on the first touch of the cache's memory as on
    // decoding, a warm one nearly all of it on waiting for memory. The kinds of rows are apart from their places, so
    // that a reader need not wait for a place to find out where they are, and that places stay in the processor's
    // caches: warm outcomes of KQRvKR come 2.3 to 2.5 times as fast as libfathom's, with kinds beside places 2.15.
    struct kinds {
        _Alignas(LINE_BYTES / 2) uint64_t word[OUTCOME_KINDS];
    } * kinds;
    // For each stream: places and kinds are in the order of streams, blocks and units.
    struct cached_stream {
        uint64_t first;         // the first unit's place
        uint64_t kinds;         // the number of its kinds, if the stream is packed
        uint64_t section_units; //
        uint32_t units;         // in a block
        uint32_t unit_symbols;  //
        uint32_t block_symbols; //
        int shift;              // if a block is made of whole units of 2^shift symbols; otherwise -1
        unsigned symbol_bytes;
        bool packed;         // Are these outcomes?
        unsigned symbol_set; // which
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
    TRY(memory_new(result, 1, sizeof **result, "a block cache"));
    struct block_cache *cache = *result;
    cache->bound = bytes;
    pthread_mutex_init(&cache->lock, NULL);
    return 0;
}

void block_cache_close(struct block_cache *cache)
{
    if (cache == NULL)
        return;
    while (cache->chunk != NULL) {
        struct chunk *next = cache->chunk->next;
        memory_unmap(cache->chunk->start, cache->chunk->bytes + CHUNK_SLACK);
        free(cache->chunk);
        cache->chunk = next;
    }
    free(cache->segment);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

void block_cache_empty(struct block_cache *cache)
{
    for (size_t i = 0; i < cache->segments; i++)
        cache->segment[i].taken = 0;
    cache->empty = cache->segments;
}

static int places_open(struct places *places, struct block_cache *cache, uint64_t count)
{
    places->cache = cache;
    return memory_new(&places->place, count, sizeof *places->place, "a table's blocks");
}

static struct block *block_at(const struct segment *segment, size_t offset)
{
    return (struct block *)(void *)(segment->start + offset);
}

static uint64_t *data_of(struct block *block)
{
    return (uint64_t *)(void *)(block + 1);
}

// Called under the lock: takes a block out of its place.
static void take_away(struct place *place)
{
    atomic_fetch_add(&place->version, 1);
    atomic_store(&place->data, NULL);
    atomic_thread_fence(memory_order_release); // who sees what is put there next also sees that the place lost this
}

// Memory that readers of another block may be looking at is written by words.
static void set_word(uint64_t *to, uint64_t word)
{
    __atomic_store_n(to, word, __ATOMIC_RELAXED);
}

static void set_block(struct block *to, const struct block *block)
{
    uint64_t word[sizeof *block / sizeof(uint64_t)];
    memcpy(word, block, sizeof word);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        set_word((uint64_t *)(void *)to + i, word[i]);
}

static void disown(struct block *block)
{
    __atomic_store_n(&block->owner, NULL, __ATOMIC_RELAXED);
}

static void places_close(struct places *places)
{
    struct block_cache *cache = places->cache;
    pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < cache->segments; i++) {
        struct segment *segment = &cache->segment[i];
        bool owned = false;
        for (size_t at = 0; at < segment->taken; at += block_at(segment, at)->bytes) {
            struct block *block = block_at(segment, at);
            if (block->owner == places)
                disown(block);
            owned |= block->owner != NULL;
        }
        cache->empty += !owned && segment->taken > 0;
        segment->taken = owned ? segment->taken : 0;
    }
    pthread_mutex_unlock(&cache->lock);
    free(places->place);
}

// Removes the blocks of a segment that nobody has used since the last time, and closes the gaps.
static void sweep(struct segment *segment)
{
    size_t kept = 0;
    for (size_t at = 0, bytes; at < segment->taken; at += bytes) {
        struct block *from = block_at(segment, at);
        struct block *to = block_at(segment, kept);
        struct place *place = from->owner == NULL ? NULL : &from->owner->place[from->number];
        bytes = from->bytes;
        if (place == NULL)
            continue;
        const bool used = atomic_exchange(&place->used, false);
        if (!used || to != from)
            take_away(place);
        if (!used)
            continue;
        if (to != from) {
            uint64_t *data = data_of(from);
            set_block(to, from);
            for (size_t i = 0; i < (bytes - sizeof *to) / sizeof *data; i++)
                set_word(data_of(to) + i, data[i]);
            atomic_store(&place->data, (uint8_t *)data_of(to));
        }
        kept += bytes;
    }
    segment->taken = kept;
}

static bool add_segment(struct block_cache *cache, size_t bytes)
{
    if (memory_grow(&cache->segment, &cache->room, cache->segments + 1, sizeof *cache->segment, "a block cache") != 0)
        return false;
    struct chunk *chunk = cache->chunk;
    if (chunk == NULL || chunk->bytes - chunk->taken < bytes) {
        if ((chunk = calloc(1, sizeof *chunk)) == NULL)
            return false;
        // Small caches take small chunks.
        chunk->bytes = cache->bound < 4 * (size_t)CHUNK_BYTES || bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk->start = memory_map(chunk->bytes + CHUNK_SLACK);
        if (chunk->start == NULL) {
            free(chunk);
            return false;
        }
        chunk->next = cache->chunk;
        cache->chunk = chunk;
    }
    cache->segment[cache->segments++] = (struct segment){chunk->start + chunk->taken, bytes, 0};
    chunk->taken += bytes;
    cache->allocated += bytes;
    cache->empty++;
    return true;
}

static bool fits(const struct segment *segment, size_t bytes)
{
    return segment->bytes - segment->taken >= bytes;
}

// Moves the hand on to a segment with room for a block of so many bytes. If all segments together are too small for it,
// the cache exceeds its bound. False without memory.
static bool find_segment(struct block_cache *cache, size_t bytes)
{
    for (size_t i = 0; i < cache->segments && cache->empty > 0; i++) {
        if (cache->segment[i].taken == 0 && fits(&cache->segment[i], bytes)) {
            cache->hand = i;
            return true;
        }
    }
    size_t new_bytes = cache->bound / 16 / LINE_BYTES * LINE_BYTES;
    new_bytes = new_bytes < SEGMENT_BYTES_MIN ? SEGMENT_BYTES_MIN
                : new_bytes < SEGMENT_BYTES   ? new_bytes
                                              : SEGMENT_BYTES;
    new_bytes = bytes < new_bytes ? new_bytes : bytes;
    const bool full = new_bytes > cache->bound || cache->allocated > cache->bound - new_bytes;
    for (size_t i = full ? 2 * cache->segments : 0; i > 0; i--) {
        cache->hand = (cache->hand + 1) % cache->segments;
        struct segment *segment = &cache->segment[cache->hand];
        if (segment->bytes < bytes)
            continue;
        const bool empty = segment->taken == 0;
        sweep(segment);
        cache->empty += segment->taken == 0 && !empty;
        if (fits(segment, bytes))
            return true;
    }
    if (!add_segment(cache, new_bytes))
        return false;
    cache->hand = cache->segments - 1;
    return true;
}

// Makes a block with room for `bytes` of data; NULL without memory.
static struct block *new_block(struct places *owner, uint64_t number, size_t bytes)
{
    struct block_cache *cache = owner->cache;
    bytes += sizeof(struct block);
    bytes = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    if ((cache->segments == 0 || !fits(&cache->segment[cache->hand], bytes)) && !find_segment(cache, bytes))
        return NULL;
    struct segment *segment = &cache->segment[cache->hand];
    struct block *block = block_at(segment, segment->taken);
    cache->empty -= segment->taken == 0;
    segment->taken += bytes;
    set_block(block, &(struct block){owner, number, bytes});
    return block;
}

// Called under the lock: puts `bytes` of data in a place, followed by zero bytes up to `room`. Without memory the block
// is not cached.
static void put(struct places *places, uint64_t number, const void *data, size_t bytes, size_t room)
{
    struct place *place = &places->place[number];
    struct block *block = new_block(places, number, room);
    if (block == NULL)
        return;
    for (size_t i = 0; i < room; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        if (i < bytes)
            memcpy(&word, (const uint8_t *)data + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        set_word(data_of(block) + i / sizeof word, word);
    }
    atomic_store(&place->used, true);
    atomic_store(&place->data, (uint8_t *)data_of(block));
}

// The same for a block that is not in its place yet.
static void keep(struct places *places, uint64_t number, const void *data, size_t bytes, size_t room)
{
    pthread_mutex_lock(&places->cache->lock);
    if (atomic_load(&places->place[number].data) == NULL)
        put(places, number, data, bytes, room);
    pthread_mutex_unlock(&places->cache->lock);
}

// The outcome that all of a unit are; NO_ROWS if they differ, but no row is kept; more otherwise.
static inline uintptr_t equal_outcomes(const uint8_t *data)
{
    return ((uintptr_t)data - (uintptr_t)no_rows) / sizeof *no_rows;
}

// Puts a unit of outcomes in its place, which may have a part of it.
static void keep_outcomes(struct places *places, uint64_t number, struct kinds *kinds, const struct outcome_rows *unit)
{
    struct place *place = &places->place[number];
    pthread_mutex_lock(&places->cache->lock);
    uint8_t *old = atomic_load(&place->data);
    if (old != NULL && outcome_rows_last(atomic_load(&place->info)) >= outcome_rows_last(unit->info)) {
        pthread_mutex_unlock(&places->cache->lock);
        return;
    }
    if (old != NULL && equal_outcomes(old) > NO_ROWS)
        disown((struct block *)(void *)old - 1);
    take_away(place);
    atomic_store_explicit(&place->info, unit->info, memory_order_relaxed);
    for (int i = 0; i < OUTCOME_KINDS; i++)
        set_word(&kinds->word[i], unit->kinds[i]);
    if (unit->words > 0)
        put(places, number, unit->kept, unit->words * sizeof(uint64_t), unit->words * sizeof(uint64_t));
    else
        atomic_store(&place->data, (uint8_t *)(uintptr_t)&no_rows[unit->equal]);
    pthread_mutex_unlock(&places->cache->lock);
}

static const uint64_t *words_at(const uint8_t *data)
{
    return (const uint64_t *)(const void *)data;
}

// What a place had at some moment.
struct glance {
    struct place *place;
    const uint8_t *data; // NULL: nothing
    uint16_t version;
};

static struct glance look(const struct places *places, uint64_t number)
{
    struct place *place = &places->place[number];
    const uint16_t version = atomic_load_explicit(&place->version, memory_order_acquire);
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

// Gives places to the units of a stream from `first` on; returns the place after its last one.
static uint64_t stream_places(struct cached_stream *stream, const struct container *container, int number,
                              uint64_t first)
{
    const struct container_stream *shape = container_stream(container, number);
    const uint32_t unit = container_unit_symbols(container, number);
    const bool packed = shape->codec == CODEC_CONTEXT;
    const uint32_t units = (shape->block_symbols + unit - 1) / unit;
    const bool even = (unit & (unit - 1)) == 0 && shape->block_symbols == units * unit;
    *stream = (struct cached_stream){.first = first,
                                     .section_units = container_section_blocks(shape) * units,
                                     .units = units,
                                     .shift = even ? __builtin_ctz(unit) : -1,
                                     .unit_symbols = unit,
                                     .block_symbols = shape->block_symbols,
                                     .symbol_bytes = shape->symbol_bytes,
                                     .packed = packed,
                                     .symbol_set = packed ? container_symbol_set(container, number) : 0};
    return first + shape->sections * stream->section_units;
}

int cached_container_open(struct cached_container **result, struct block_cache *cache,
                          const struct container *container)
{
    struct cached_container *cached;
    uint64_t places = 0;
    uint64_t kinds = 0;
    *result = NULL;
    TRY(memory_new(&cached, 1, sizeof *cached, "a table"));
    cached->container = container;
    for (int i = 0; i < container_stream_count(container); i++) {
        struct cached_stream *stream = &cached->stream[i];
        const uint64_t first = places;
        places = stream_places(stream, container, i, first);
        stream->kinds = kinds;
        kinds += stream->packed ? places - first : 0;
    }
    int code = places_open(&cached->places, cache, places);
    if (code == 0 && kinds > 0 && (cached->kinds = os_aligned(LINE_BYTES, (kinds + 1) / 2 * LINE_BYTES)) == NULL) {
        places_close(&cached->places);
        code = error_memory(kinds * sizeof *cached->kinds, "a table's blocks");
    }
    if (code != 0)
        free(cached);
    else
        *result = cached;
    return code;
}

void cached_container_close(struct cached_container *cached)
{
    if (cached == NULL)
        return;
    places_close(&cached->places);
    os_aligned_free(cached->kinds);
    free(cached);
}

// The symbol `at` of a unit that is not packed.
static inline unsigned symbol_of(const struct cached_stream *stream, const uint8_t *data, uint32_t at)
{
    if (stream->symbol_bytes == 1)
        return __atomic_load_n(&data[at], __ATOMIC_RELAXED);
    return __atomic_load_n(&data[2 * at], __ATOMIC_RELAXED) |
           (unsigned)__atomic_load_n(&data[2 * at + 1], __ATOMIC_RELAXED) << 8;
}

static struct kinds *kinds_of(const struct cached_container *cached, const struct cached_spot *spot)
{
    return &cached->kinds[cached->stream[spot->stream].kinds + spot->unit];
}

// Decodes a unit of outcomes up to the row of one of them, or all of it if most of it is needed or the unit has been
// asked for before.
static int read_outcomes(struct cached_container *cached, const struct cached_spot *spot, size_t count, unsigned *value)
{
    const struct cached_stream *stream = &cached->stream[spot->stream];
    uint8_t outcomes[OUTCOME_UNIT + OUTCOME_ROW];
    struct outcome_rows packed;
    const uint64_t place = stream->first + spot->unit;
    size_t enough = (size_t)(spot->at / OUTCOME_ROW + 1) * OUTCOME_ROW;
    if (atomic_load_explicit(&cached->places.place[place].data, memory_order_relaxed) != NULL || enough > count / 4 * 3)
        enough = count;
    TRY(container_read_unit(cached->container, spot->stream, spot->unit / stream->units,
                            (uint32_t)(spot->unit % stream->units), enough, outcomes));
    memset(outcomes + enough, outcomes[enough - 1], OUTCOME_ROW);
    *value = outcomes[spot->at];
    outcome_rows_pack(&packed, outcomes, enough, stream->symbol_set);
    if (enough < count)
        packed.equal = NO_ROWS; // perhaps not the others
    keep_outcomes(&cached->places, place, kinds_of(cached, spot), &packed);
    return 0;
}

static int read_missing(struct cached_container *cached, const struct cached_spot *spot, unsigned *value)
{
    const struct cached_stream *stream = &cached->stream[spot->stream];
    const uint64_t block = spot->unit / stream->units;
    const uint32_t unit = (uint32_t)(spot->unit % stream->units);
    const uint32_t left =
        container_block_length(container_stream(cached->container, spot->stream), block) - unit * stream->unit_symbols;
    const size_t count = left < stream->unit_symbols ? left : stream->unit_symbols;
    if (stream->packed)
        return read_outcomes(cached, spot, count, value);
    const size_t bytes = count * stream->symbol_bytes;
    uint8_t *symbols = malloc(bytes);
    if (symbols == NULL)
        return error_memory(bytes, "a block");
    const int code = container_read_unit(cached->container, spot->stream, block, unit, 0, symbols);
    if (code == 0) {
        *value = symbol_of(stream, symbols, spot->at);
        keep(&cached->places, stream->first + spot->unit, symbols, bytes, bytes);
    }
    free(symbols);
    return code;
}

static inline struct cached_spot spot_of(const struct cached_container *cached, int number, uint64_t section,
                                         uint64_t symbol)
{
    const struct cached_stream *stream = &cached->stream[number];
    const uint64_t before = section * stream->section_units;
    if (stream->shift >= 0)
        return (struct cached_spot){number, (uint32_t)(symbol & (stream->unit_symbols - 1)),
                                    before + (symbol >> stream->shift)};
    const uint32_t inside = (uint32_t)(symbol % stream->block_symbols);
    return (struct cached_spot){number, inside % stream->unit_symbols,
                                before + symbol / stream->block_symbols * stream->units +
                                    inside / stream->unit_symbols};
}

static inline int read_symbol(struct cached_container *cached, const struct cached_spot *spot, unsigned *value)
{
    const struct cached_stream *stream = &cached->stream[spot->stream];
    const struct glance glance = look(&cached->places, stream->first + spot->unit);
    if (glance.data == NULL)
        return read_missing(cached, spot, value);
    const uintptr_t equal = equal_outcomes(glance.data);
    if (equal < NO_ROWS)
        *value = (unsigned)equal;
    else if (stream->packed)
        *value = outcome_rows_read(atomic_load_explicit(&glance.place->info, memory_order_relaxed),
                                   kinds_of(cached, spot)->word, words_at(glance.data), spot->at);
    else
        *value = symbol_of(stream, glance.data, spot->at);
    if (confirm(&glance) && (!stream->packed || *value != OUTCOME_UNKNOWN))
        return 0;
    return read_missing(cached, spot, value);
}

int cached_symbol(struct cached_container *cached, int number, uint64_t section, uint64_t symbol, unsigned *value)
{
    const struct cached_spot spot = spot_of(cached, number, section, symbol);
    return read_symbol(cached, &spot, value);
}

struct cached_spot cached_locate(const struct cached_container *cached, int number, uint64_t section, uint64_t symbol)
{
    return spot_of(cached, number, section, symbol);
}

void cached_hint(const struct cached_container *cached, const struct cached_spot *spot, bool data)
{
    const struct cached_stream *stream = &cached->stream[spot->stream];
    const struct place *place = &cached->places.place[stream->first + spot->unit];
    if (!data) {
        __builtin_prefetch(place);
        if (stream->packed)
            __builtin_prefetch(kinds_of(cached, spot));
        return;
    }
    const uint8_t *unit = atomic_load_explicit(&place->data, memory_order_relaxed);
    if (unit == NULL || equal_outcomes(unit) < NO_ROWS)
        return;
    size_t word = spot->at / sizeof(uint64_t);
    if (stream->packed)
        word = outcome_rows_word_of(atomic_load_explicit(&place->info, memory_order_relaxed),
                                    kinds_of(cached, spot)->word, spot->at);
    __builtin_prefetch(words_at(unit) + word);
}

int cached_read(struct cached_container *cached, const struct cached_spot *spot, unsigned *value)
{
    return read_symbol(cached, spot, value);
}

// ---- pieces of a file ----

int cached_file_open(struct cached_file **result, struct block_cache *cache, int file, const char *path, uint64_t bytes)
{
    struct cached_file *cached;
    *result = NULL;
    TRY(memory_new(&cached, 1, sizeof *cached, "a file"));
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
