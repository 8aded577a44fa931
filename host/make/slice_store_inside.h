// slice_store_inside.h - what the work file's parts share: its format, and where its slices lie
//
//     head      what the file is about; one with another head is discarded
//     record    head, slices, bytes of the chunks, values (a zstd frame), chunks (a zstd frame each)
//     record    ...
//
// The planes of a slice for one side to move are laid end to end and cut into chunks, so that a single slice can be
// read back and all threads work on a large one. A record's head comes last to the disk and has the hash of everything
// before the chunks, with the hash of the chunks in it.
#ifndef CLTB_MAKE_SLICE_STORE_INSIDE_H
#define CLTB_MAKE_SLICE_STORE_INSIDE_H

#include "make/slice_store.h"

#include <limits.h>
#include <xxhash.h>
#include <zstd.h>

#define FILE_MAGIC   UINT64_C(0x6b726f772d6c6263) // "cbl-work"
#define RECORD_MAGIC UINT64_C(0x736563696c732d3e) // ">-slices"

enum { CHUNK_BYTES = 1 << 20 };

struct file_head {
    uint64_t magic;
    uint32_t version;
    uint32_t value_bytes; // of struct slice_values
    char material[MATERIAL_NAME_MAX];
    uint64_t words;  // of a plane
    uint32_t slices; //
    uint32_t kept;   // bits: distances White, distances Black, resolved
};

struct record_head {
    uint64_t magic;
    uint64_t bytes;     // of the record
    uint64_t data_hash; // XXH64 of the chunks
    uint64_t hash;      // XXH64 of what comes before the chunks, with this field zero
    uint32_t count;     // slices
    uint32_t chunks;    //
    uint64_t value_bytes;
};

struct slice_entry {
    uint32_t slice;
    uint16_t planes[COLOURS]; // bits: which planes there are
};

_Static_assert(sizeof(struct file_head) == 56 && sizeof(struct record_head) == 48 && sizeof(struct slice_entry) == 8,
               "no padding in the file");

// Where a slice lies.
struct place {
    const struct slice_values *values; // NULL: it is not there
    uint16_t planes[COLOURS];
    uint64_t offset[COLOURS];             // of the first chunk
    const uint32_t *chunk_bytes[COLOURS]; // of each chunk
};

// What stays in memory of a record.
struct record {
    struct record *next;
    struct slice_values values;
    uint32_t chunk_bytes[];
};

struct worker {
    ZSTD_CCtx *compress;
    ZSTD_DCtx *expand;
    uint8_t *chunk; // [ZSTD_compressBound(CHUNK_BYTES)]
};

struct raw {
    uint8_t *bytes;
    size_t size;
};

struct slice_store {
    struct file_head head;
    char path[PATH_MAX];
    int file;
    uint64_t end; // of the last good record
    uint32_t found;
    struct place *place; // [head.slices]
    struct record *records;
    struct thread_pool *pool;
    uint64_t window_bytes;
    struct worker *worker;   // [threads]
    struct raw raw[COLOURS]; // planes that were read back
    double synced;           // seconds
};

static inline size_t plane_bytes(const struct slice_store *store)
{
    return store->head.words * sizeof(uint64_t);
}

static inline uint64_t side_bytes(const struct slice_store *store, unsigned planes)
{
    return (uint64_t)__builtin_popcount(planes) * plane_bytes(store);
}

static inline uint64_t side_chunks(const struct slice_store *store, unsigned planes)
{
    return (side_bytes(store, planes) + CHUNK_BYTES - 1) / CHUNK_BYTES;
}

static inline size_t chunk_length(const struct slice_store *store, unsigned planes, uint64_t chunk)
{
    const uint64_t left = side_bytes(store, planes) - chunk * CHUNK_BYTES;
    return left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
}

// A record as it is read or written: everything before the chunks.
struct front {
    struct record_head *head;
    struct slice_entry *entry; // [count]
    uint32_t *chunk_bytes;     // [chunks]
    uint8_t *values;           // [value_bytes]
};

static inline uint64_t front_bytes(const struct record_head *head)
{
    return sizeof *head + (uint64_t)head->count * sizeof(struct slice_entry) +
           (uint64_t)head->chunks * sizeof(uint32_t) + head->value_bytes;
}

static inline struct front front_at(void *memory)
{
    struct front front = {.head = memory};
    front.entry = (struct slice_entry *)(front.head + 1);
    front.chunk_bytes = (uint32_t *)(front.entry + front.head->count);
    front.values = (uint8_t *)(front.chunk_bytes + front.head->chunks);
    return front;
}

static inline uint64_t front_hash(const struct front *front)
{
    const uint64_t hash = front->head->hash;
    front->head->hash = 0;
    const uint64_t result = XXH64(front->head, front_bytes(front->head), 0);
    front->head->hash = hash;
    return result;
}

// slice_store.c
int slice_store_write(const struct slice_store *store, const void *data, size_t bytes, uint64_t offset);
// `*got` may be less than `bytes` at the end of the file.
int slice_store_read(const struct slice_store *store, void *data, size_t bytes, uint64_t offset, size_t *got);
void slice_store_free_raw(struct slice_store *store, struct raw *raw);

// slice_store_records.c
// Finds the good records and cuts off the rest.
int slice_store_scan(struct slice_store *store);
// Does the file begin with something else than a work file does? (An empty one does not.)
int slice_store_is_foreign(const struct slice_store *store, bool *foreign);
// Notes where the slices of a record lie.
int slice_store_add_record(struct slice_store *store, const struct front *front, uint64_t start,
                           const struct slice_values *values);
void slice_store_forget_records(struct slice_store *store);

#endif
