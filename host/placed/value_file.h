// value_file.h - files of values: a restricted table, or structures
//
// A container (table/container.h) with the properties `game chess`, `metric dtz` and one that gives the kind of the
// file and its version. Streams of values have symbols of 2 bytes in blocks of VALUE_BLOCK: value_code(), 0 for a draw.
// docs/restricted.md and docs/structures.md have the bytes.
#ifndef CLTB_PLACED_VALUE_FILE_H
#define CLTB_PLACED_VALUE_FILE_H

#include "chess/value.h"
#include "table/block_cache.h"
#include "table/table.h"
#include "util/threads.h"

enum {
    VALUE_BLOCK = 32 * 1024, // symbols of a block
    VALUE_ILLEGAL = 0xffff   // the code of what is not a position
};

// Can this code stand in a file?
bool value_code_fits(unsigned code);

// By side to move and outcome + 2.
struct value_figures {
    uint64_t positions[COLOURS][TABLE_OUTCOMES];
    int longest[COLOURS][TABLE_OUTCOMES]; // plies, -1: none
};

void value_figures_clear(struct value_figures *figures);
void value_figures_add(struct value_figures *figures, int side, struct cltb_value value);
void value_figures_join(struct value_figures *figures, const struct value_figures *more);

// ---- writing ----

struct value_worker {
    struct container_compressor *compressor;
    uint16_t *code;               // [VALUE_BLOCK] of the block to be packed
    uint8_t *packed;              // [container_bound()]
    struct value_figures figures; // of the values in its blocks, if fill() adds them
};

struct value_packer {
    int workers;
    struct value_worker *worker; // [workers]
};

// Describes a stream.
void value_stream_set(struct container_stream *stream, const char *name, uint64_t sections, uint64_t entries);

// Makes a worker for each thread, unless they are there already, with clear figures. `level`: of zstd.
// value_packer_close() must follow, also after an error.
int value_packer_open(struct value_packer *packer, const struct thread_pool *pool, int level);
void value_packer_close(struct value_packer *packer);

// Gives the codes of a block, VALUE_ILLEGAL for what is not a position, and their number.
typedef int value_fill(void *context, uint64_t block, int worker, uint16_t *code, uint32_t *count);

// Compresses blocks on the pool; the bytes do not depend on the number of threads. Entries that are not positions
// become what compresses best. The data of piece[blocks], which is all zeros at first, must be freed, also after an
// error.
int value_packer_pack(const struct value_packer *packer, struct thread_pool *pool, uint64_t blocks,
                      struct container_piece *piece, value_fill *fill, void *context);
void value_pieces_free(struct container_piece *piece, uint64_t blocks);

// ---- reading: thread-safe once it is open ----

struct value_file {
    struct container *container;
    struct block_cache *cache;
    struct cached_container *blocks;
    int stream[CONTAINER_STREAMS_MAX]; // [streams] of values, as value_file_stream() has found them
    int streams;
};

// `cache_bytes`: memory for decompressed blocks. CLTB_E_MISSING, CLTB_E_FOREIGN for another game, CLTB_E_CORRUPT, ...
// value_file_close() must follow, also after an error.
int value_file_open(struct value_file *file, const char *path, size_t cache_bytes);
void value_file_close(struct value_file *file);

// CLTB_E_FOREIGN unless the property `kind` is `version`, CLTB_E_CORRUPT unless distances are DTZ. `says`: "is a
// restricted table".
int value_file_version(const struct value_file *file, const char *kind, uint64_t version, const char *says);

// Finds a stream of values. CLTB_E_CORRUPT if it is missing or has another shape.
int value_file_stream(struct value_file *file, const char *name, uint64_t sections, uint64_t entries, int *stream);

int value_file_code(const struct value_file *file, int stream, uint64_t section, uint64_t entry, uint16_t *code);

// Checks every block of the streams of values: its checksum, that it decompresses, and that it holds values.
int value_file_check(struct value_file *file, struct thread_pool *pool);

#endif
