// container.h - a file of independently compressed blocks
//
// A container holds a text of properties and a few streams. A stream is an array of symbols (1 or 2 bytes each), cut
// into sections of equal length, and these into blocks; every block is coded by itself and has an XXH64 of its bytes.
// Nothing here knows what the symbols mean. docs/format.md gives the bytes.
#ifndef CLTB_TABLE_CONTAINER_H
#define CLTB_TABLE_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONTAINER_VERSION = 3, CONTAINER_STREAMS_MAX = 8, CONTAINER_NAME_MAX = 16, CONTAINER_TEXT_MAX = 64 * 1024 };

// The coding of a stream's blocks.
enum container_codec {
    CODEC_ZSTD,       // a frame of zstd
    CODEC_CONTEXT,    // context_code.h; symbols of one byte, 0..4
    CODEC_PATTERN = 4 // pattern_code.h; symbols of one byte, 0..254; vacant entries take no bits (container_mark())
};

struct container_stream {
    char name[CONTAINER_NAME_MAX]; // zero-terminated
    uint32_t symbol_bytes;         // 1 or 2
    uint32_t block_symbols;        // in a full block; the last one of a section may be shorter
    uint64_t sections;             //
    uint64_t section_symbols;      //
    uint32_t codec;                // enum container_codec
    uint32_t model_bytes;          // of the model that all blocks share; zstd has none
};

static inline uint64_t container_section_blocks(const struct container_stream *stream)
{
    return (stream->section_symbols + stream->block_symbols - 1) / stream->block_symbols;
}

static inline uint64_t container_blocks(const struct container_stream *stream)
{
    return stream->sections * container_section_blocks(stream);
}

// The number of symbols in a block.
static inline uint32_t container_block_length(const struct container_stream *stream, uint64_t block)
{
    const uint64_t first = block % container_section_blocks(stream) * stream->block_symbols;
    const uint64_t left = stream->section_symbols - first;
    return left < stream->block_symbols ? (uint32_t)left : stream->block_symbols;
}

// ---- writing: under a temporary name, renamed when complete ----

struct container_writer;

// Creates PATH.part with room for `text_space` bytes of properties, which are passed to container_finish(). CLTB_E_IO
// if another process is writing it.
int container_create(struct container_writer **writer, const char *path, const struct container_stream *streams,
                     int count, size_t text_space);

// One compressed block.
struct container_piece {
    const void *data;
    uint32_t bytes;
};

// Adds the blocks of a section, pieces[container_section_blocks()]. Sections and streams may come in any order, each
// once. Thread-safe.
int container_add(struct container_writer *writer, int stream, uint64_t section, const struct container_piece *pieces);

// The same for a section with blocks that are stored elsewhere: for a piece without data, fetch() copies the bytes to
// `to` [bytes]; if its result is not 0, it is returned.
int container_add_fetched(struct container_writer *writer, int stream, uint64_t section,
                          const struct container_piece *pieces,
                          int (*fetch)(void *context, uint64_t block, uint32_t bytes, void *to), void *context);

// Compresses and adds a section whose symbols are in memory, on all threads of the pool (NULL: on this one). `level`:
// zstd's.
struct thread_pool;
int container_add_symbols(struct container_writer *writer, int stream, uint64_t section, const void *symbols, int level,
                          struct thread_pool *pool);

// The same for a section of another container's stream with the same shape. CLTB_E_CORRUPT if a block is damaged.
struct container;
int container_add_copy(struct container_writer *writer, int stream, uint64_t section, const struct container *from,
                       int from_stream);

// The bytes of memory that a writer of such a container takes.
uint64_t container_writer_bytes(const struct container_stream *streams, int count, size_t text_space);

// Sets the model shared by the blocks of a stream: model[model_bytes]. Must be called before container_finish().
void container_put_model(struct container_writer *writer, int stream, const void *model);

// Keeps room in the head for a stream of about so many bytes, which container_extend() may add. To be called before
// anything is added. CLTB_E_USAGE if it has no room.
int container_expect(struct container_writer *writer, size_t bytes);

// Writes a head, so that what has been added can be read in the file container_shown(), until the writer continues.
int container_show(struct container_writer *writer, const char *text);
const char *container_shown(const struct container_writer *writer);

// Writes the head, syncs, and renames the file to its name. Frees the writer, whatever the result. A failure leaves no
// file behind. `text`: NULL for the one that has been shown.
int container_finish(struct container_writer *writer, const char *text);

// The size of a file in bytes.
int container_size(const char *path, uint64_t *bytes);

// Gives up and removes the temporary file. NULL is allowed.
void container_abandon(struct container_writer *writer);

// Compresses one block; `compressed` has container_bound(bytes) bytes. Each thread needs a compressor of its own.
struct container_compressor;
int container_compressor_open(struct container_compressor **compressor, int level);
void container_compressor_level(struct container_compressor *compressor, int level);
void container_compressor_close(struct container_compressor *compressor);
size_t container_bound(size_t bytes);
int container_compress(struct container_compressor *compressor, const void *data, size_t bytes, void *compressed,
                       size_t *compressed_bytes);

// ---- reading ----

// CLTB_E_MISSING: there is no such file; CLTB_E_FOREIGN: it is not a container, or has a version that this program does
// not know; CLTB_E_CORRUPT: it is damaged or empty.
int container_open(struct container **container, const char *path);
void container_close(struct container *container);
const char *container_path(const struct container *container);

// Sets given[i] to VACANT (pattern_code.h) if symbol `first` + i of a section is vacant.
typedef void container_marker(const void *context, uint64_t section, uint64_t first, size_t count, uint8_t *given);

// A stream of CODEC_PATTERN can be decoded when it is known which symbols are vacant; `context` must outlive the
// container. Not thread-safe.
void container_mark(struct container *container, int stream, container_marker *marker, const void *context);

uint64_t container_hash(const struct container *container); // of its head, which has the hashes of all blocks

// CLTB_E_CORRUPT with a sentence: "PATH is not a valid table: WHAT". For callers that find meaningless contents.
int container_invalid(const struct container *container, const char *what);

// The properties of the table (properties.h), the streams, and bytes of the file, all as the head says.
const char *container_text(const struct container *container);
int container_stream_count(const struct container *container);
const struct container_stream *container_stream(const struct container *container, int stream);
uint64_t container_stream_bytes(const struct container *container, int stream); // compressed
uint64_t container_file_bytes(const struct container *container);

// The stream with that name, or -1.
int container_find(const struct container *container, const char *name);

// Reads, checks and decompresses a block into `symbols` [container_block_length * symbol_bytes].
int container_read(const struct container *container, int stream, uint64_t block, void *symbols);

// The symbols of a unit: the part of a block that can be decoded by itself; a block's last unit may be shorter.
uint32_t container_unit_symbols(const struct container *container, int stream);

// The symbols that a stream with CODEC_CONTEXT may have, as a set: bit i for symbol i.
unsigned container_symbol_set(const struct container *container, int stream);

// As container_read(), for one unit of a block. `enough`: only so many of its symbols are needed, or 0.
int container_read_unit(const struct container *container, int stream, uint64_t block, uint32_t unit, size_t enough,
                        void *symbols);

// The stream of outcomes with which the distances of a stream are paired, or -1.
int container_paired(const struct container *container, int stream);

// The lists in which a stream's symbols are places (pattern_code.h), or NULL.
struct ply_lists;
const struct ply_lists *container_lists(const struct container *container, int stream);

// As container_read(), for the units that are set in wanted[units of the block], or for all if that is NULL; may also
// write other units. `given`: for these outcomes, with other values at vacant entries, and not written for other
// streams; or NULL.
int container_read_units(const struct container *container, int stream, uint64_t block, const bool *wanted,
                         void *symbols, uint8_t *given);

// As container_read(), for consecutive blocks of one section; reads them with few calls.
int container_read_blocks(const struct container *container, int stream, uint64_t first, uint64_t count, void *symbols);

// The place of a block in the file, and its compressed bytes.
uint64_t container_block_place(const struct container *container, int stream, uint64_t block, uint32_t *bytes);

// Copies the compressed bytes of a block and compares their hash.
int container_copy_block(const struct container *container, int stream, uint64_t block, void *to);

// The model of a stream: [model_bytes].
const void *container_model(const struct container *container, int stream);

// The bytes reserved for the text.
uint64_t container_text_space(const struct container *container);

// Rewrites a file without one of its streams and with another text, which must not be longer than the old one; all
// other blocks remain unchanged. CLTB_E_CORRUPT if a block is damaged; the file is then unchanged.
int container_detach(const char *path, int stream, const char *text);

// ---- streams that belong to no entry ----

// Such a stream holds bytes about the whole table; readers that do not know its name ignore it.
enum { CONTAINER_EXTRA_MAX = 1 << 26 };

// Adds one to a container to which everything else has been added. CLTB_E_USAGE if it has no room.
int container_extend(struct container_writer *writer, const char *name, const void *data, size_t bytes);

// Writes the file `from` with this stream, which replaces one with the same name, to `to`, which may be the same path;
// all other blocks remain unchanged.  CLTB_E_CORRUPT if a block is damaged; then
// `to` is unchanged.
int container_attach(const char *from, const char *to, const char *name, const void *data, size_t bytes);

// Sets `*data` to the stream's bytes, malloc'ed, or to NULL if the file has no such stream.
int container_extra(const struct container *container, const char *name, uint8_t **data, size_t *bytes);

// Checks the hash of every block without decompressing it.
struct thread_pool;
int container_check_hashes(const struct container *container, struct thread_pool *pool);

// Checks and decompresses every block.
int container_check(const struct container *container);

#endif
