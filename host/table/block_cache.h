// block_cache.h - decompressed blocks of many tables and pieces of files, within a bound of memory
#ifndef CLTB_TABLE_BLOCK_CACHE_H
#define CLTB_TABLE_BLOCK_CACHE_H

#include "table/container.h"

// Holds at most `bytes` of blocks and pieces, but always has room for one of any size. The index of a container takes
// more: 16 bytes for each unit (container.h), 48 for one of outcomes.
struct block_cache;
int block_cache_open(struct block_cache **cache, size_t bytes);
void block_cache_close(struct block_cache *cache);

// Drops all blocks. After this, and before block_cache_close(), nothing may be read, only closed: which then is fast.
void block_cache_empty(struct block_cache *cache);

// The blocks of one container in a cache.
struct cached_container;

// The cache and the container must outlive it.
int cached_container_open(struct cached_container **result, struct block_cache *cache,
                          const struct container *container);

// Forgets its blocks. No other thread may be reading them.
void cached_container_close(struct cached_container *cached);

// Symbol number `symbol` of a stream's section. Thread-safe; takes no lock if the block is cached.
int cached_symbol(struct cached_container *cached, int stream, uint64_t section, uint64_t symbol, unsigned *value);

// Where a symbol is. A hint says that it may be read soon, so that a reader can do other work before it does: one
// without `data` fetches where its unit is, one with `data`, a little later, the unit's bytes.
struct cached_spot {
    int stream;
    uint32_t at; // in the unit
    uint64_t unit;
};
struct cached_spot cached_locate(const struct cached_container *cached, int stream, uint64_t section, uint64_t symbol);
void cached_hint(const struct cached_container *cached, const struct cached_spot *spot, bool data);
int cached_read(struct cached_container *cached, const struct cached_spot *spot, unsigned *value);

// The bytes of an open file.
struct cached_file;

// `path` is its name in messages. The cache, the file and the path must outlive it.
int cached_file_open(struct cached_file **result, struct block_cache *cache, int file, const char *path,
                     uint64_t bytes);
void cached_file_close(struct cached_file *cached);

// A reader may leave a note of 64 bits with every CACHED_NOTE_BYTES bytes of a file, for later readers.
enum { CACHED_NOTE_BYTES = 32 };

// Reads bytes that the file had when it was opened. `*bytes` points to them; if the offset is a multiple of 8, to the
// beginning of `room`. `room` must have 16 more bytes. Thread-safe; takes no lock and makes no system call if the bytes
// are cached. `note`: NULL, or room for the notes of these bytes, which then begin and end at multiples of
// CACHED_NOTE_BYTES. A note of 0 means that there is none (any more).
int cached_bytes(struct cached_file *cached, uint64_t offset, size_t count, uint64_t *room, const uint8_t **bytes,
                 uint64_t *note);

// Hints that these bytes and their notes, or others near them, may be read soon.
void cached_prefetch(const struct cached_file *cached, uint64_t offset, size_t count);

// Leaves notes for `count` bytes, as long as the cache keeps these. `offset` and `count` are multiples of
// CACHED_NOTE_BYTES.
void cached_note(struct cached_file *cached, uint64_t offset, size_t count, const uint64_t *note);

#endif
