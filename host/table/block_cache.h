// block_cache.h - decompressed blocks of many tables and pieces of files, within a bound of memory
#ifndef CLTB_TABLE_BLOCK_CACHE_H
#define CLTB_TABLE_BLOCK_CACHE_H

#include "table/container.h"

// Holds at most `bytes` of blocks and pieces, but always has room for one block per probing thread.
struct block_cache;
int block_cache_open(struct block_cache **cache, size_t bytes);
void block_cache_close(struct block_cache *cache);

// The blocks of one container in a cache.
struct cached_container;

// Cache and container must outlive it.
int cached_container_open(struct cached_container **result, struct block_cache *cache,
                          const struct container *container);

// Forgets its blocks. No other thread may still be reading them.
void cached_container_close(struct cached_container *cached);

// Symbol number `symbol` of a stream's section. Thread-safe; takes no lock if the block is cached.
int cached_symbol(struct cached_container *cached, int stream, uint64_t section, uint64_t symbol, unsigned *value);

// The bytes of an open file.
struct cached_file;

// `path` is how messages name it. Cache, file and path must outlive it.
int cached_file_open(struct cached_file **result, struct block_cache *cache, int file, const char *path,
                     uint64_t bytes);
void cached_file_close(struct cached_file *cached);

// A reader may leave a note of 64 bits with every CACHED_NOTE_BYTES bytes of a file, for later readers.
enum { CACHED_NOTE_BYTES = 32 };

// Reads bytes that the file had when it was opened. `*bytes` points to them: to the beginning of `room` if the offset
// is a multiple of 8. `room` must have 16 bytes more. Thread-safe; no lock and no system call if they are cached.
// `note`: NULL, or room for the notes of these bytes, which then begin and end at multiples of CACHED_NOTE_BYTES. A
// note of 0: there is none, or none any longer.
int cached_bytes(struct cached_file *cached, uint64_t offset, size_t count, uint64_t *room, const uint8_t **bytes,
                 uint64_t *note);

// Hints that these bytes and their notes, or some near them, may be read soon.
void cached_prefetch(const struct cached_file *cached, uint64_t offset, size_t count);

// Leaves notes with `count` bytes, for as long as the cache keeps these. `offset` and `count` are multiples of
// CACHED_NOTE_BYTES.
void cached_note(struct cached_file *cached, uint64_t offset, size_t count, const uint64_t *note);

#endif
