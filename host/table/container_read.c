// container_read.c - reads containers that may be cut short, altered or hostile
//
// Every number of the head is checked against the file's size before it is used, and the whole head against its hash; a
// block is checked against its own hash before it is decompressed.
#include "table/block_code.h"
#include "table/container_format.h"
#include "table/pattern_code.h"

#include "util/error.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/threads.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

enum { SPARE_CONTEXTS = 16 };

// No codec can make more of so many bytes.
#define BLOCK_BOUND(bytes) (3 * (bytes) + 512)

struct container {
    char *path;
    int file;
    int count;
    struct container_stream stream[CONTAINER_STREAMS_MAX];
    struct head_parts parts;
    uint8_t *head;
    uint64_t hash; // of the head
    uint64_t file_bytes;
    struct context_model model[CONTAINER_STREAMS_MAX]; // of streams that have one
    container_marker *marker[CONTAINER_STREAMS_MAX];   //
    const void *marker_context[CONTAINER_STREAMS_MAX]; //
    uint64_t *offset[CONTAINER_STREAMS_MAX];           // [blocks + 1 in each section]: where each block begins
    pthread_mutex_t lock;
    ZSTD_DCtx *spare[SPARE_CONTEXTS];
    int spares;
};

static int damaged(const struct container *container, const char *what)
{
    return error_set(CLTB_E_CORRUPT, "%s is damaged: %s", container->path, what);
}

int container_invalid(const struct container *container, const char *what)
{
    return error_set(CLTB_E_CORRUPT, "%s is not a valid table: %s", container->path, what);
}

static int read_all(const struct container *container, void *data, size_t bytes, uint64_t offset)
{
    size_t got;
    TRY(file_read(container->file, container->path, data, bytes, offset, &got));
    return got == bytes ? 0 : damaged(container, "it is cut short");
}

// Opens the file, reads and checks the part of the head with a fixed length, and compares the hash of the whole head.
static int read_head(struct container *container)
{
    struct stat status;
    container->file = os_open(container->path, O_RDONLY | O_NONBLOCK);
    if (container->file < 0 && errno != ENXIO)
        return error_errno(errno == ENOENT ? CLTB_E_MISSING : CLTB_E_IO, errno, "cannot open %s", container->path);
    if (container->file >= 0 && fstat(container->file, &status) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot read %s", container->path);
    if (container->file < 0 || !S_ISREG(status.st_mode)) // a socket cannot be opened
        return error_set(CLTB_E_FOREIGN, "%s is not a table: it is not a file", container->path);
    const uint64_t file_bytes = container->file_bytes = (uint64_t)status.st_size;
    uint8_t head[HEAD_FIXED];
    TRY(read_all(container, head, file_bytes < sizeof head ? file_bytes : sizeof head, 0));
    if (memcmp(head, CONTAINER_MAGIC, file_bytes < HEAD_VERSION ? file_bytes : HEAD_VERSION) != 0)
        return error_set(CLTB_E_FOREIGN, "%s is not a table of this program", container->path);
    if (file_bytes < HEAD_FIXED)
        return error_set(CLTB_E_CORRUPT, "%s is not a table: it has %llu bytes", container->path,
                         (unsigned long long)file_bytes);
    const uint64_t version = get_number(head + HEAD_VERSION, 4);
    if (version != CONTAINER_VERSION)
        return error_set(CLTB_E_FOREIGN,
                         "%s has format version %llu, and this program reads version %d: rebuild the table",
                         container->path, (unsigned long long)version, CONTAINER_VERSION);
    if (get_number(head + HEAD_FILE_BYTES, 8) != file_bytes)
        return error_set(CLTB_E_CORRUPT, "%s is damaged: it should have %llu bytes and has %llu", container->path,
                         (unsigned long long)get_number(head + HEAD_FILE_BYTES, 8), (unsigned long long)file_bytes);
    const uint64_t streams = get_number(head + HEAD_STREAMS, 4);
    const uint64_t head_bytes = get_number(head + HEAD_BYTES, 8);
    if (streams == 0 || streams > CONTAINER_STREAMS_MAX || head_bytes > file_bytes ||
        head_bytes <= HEAD_FIXED + streams * STREAM_RECORD || get_number(head + HEAD_TEXT_BYTES, 8) > head_bytes)
        return damaged(container, "its head makes no sense");
    // A few bytes on disk may claim to be a head of gigabytes.
    const off_t hole = lseek(container->file, 0, SEEK_HOLE);
    if (hole >= 0 && (uint64_t)hole < head_bytes)
        return damaged(container, "its head has a hole");
    container->count = (int)streams;
    TRY(memory_new(&container->head, head_bytes, 1, "a table's head"));
    TRY(read_all(container, container->head, head_bytes, 0));
    container->hash = get_number(container->head + HEAD_HASH, 8);
    put_number(container->head + HEAD_HASH, 8, 0);
    if (XXH64(container->head, head_bytes, 0) != container->hash)
        return damaged(container, "its head does not match its checksum");
    return 0;
}

static const uint8_t *block_record(const struct container *container, int stream, uint64_t block)
{
    return container->head + container->parts.blocks[stream] + block * BLOCK_RECORD;
}

static size_t block_bytes(const struct container *container, int stream, uint64_t block)
{
    return get_number(block_record(container, stream, block), 4);
}

static bool read_model(struct container *container, int number)
{
    const struct container_stream *stream = &container->stream[number];
    struct context_model *model = &container->model[number];
    if (!context_model_read(model, stream->codec == CODEC_PATTERN, container->head + container->parts.models[number],
                            stream->model_bytes))
        return false;
    if (model->patterns == NULL || !model->patterns->paired)
        return true;
    if (model->patterns->outcomes >= (unsigned)number)
        return false;
    const struct container_stream *outcomes = &container->stream[model->patterns->outcomes];
    return outcomes->codec == CODEC_CONTEXT && outcomes->block_symbols == stream->block_symbols &&
           outcomes->sections == stream->sections && outcomes->section_symbols == stream->section_symbols;
}

// Reads the streams from a head with the right hash, and adds up the sizes of their blocks to offsets.
static int parse_head(struct container *container)
{
    const uint8_t *head = container->head;
    const uint64_t head_bytes = get_number(head + HEAD_BYTES, 8);
    for (int i = 0; i < container->count; i++) {
        const uint8_t *at = head + HEAD_FIXED + (uint64_t)i * STREAM_RECORD;
        struct container_stream *stream = &container->stream[i];
        memcpy(stream->name, at, CONTAINER_NAME_MAX);
        stream->symbol_bytes = (uint32_t)get_number(at + 16, 4);
        stream->block_symbols = (uint32_t)get_number(at + 20, 4);
        stream->sections = get_number(at + 24, 8);
        stream->section_symbols = get_number(at + 32, 8);
        stream->codec = (uint32_t)get_number(at + 40, 4);
        stream->model_bytes = (uint32_t)get_number(at + 44, 4);
        const bool coded = stream->codec == CODEC_CONTEXT || stream->codec == CODEC_PATTERN;
        // Do the numbers of this stream fit the head? If so, no sum or product of them overflows.
        if (memchr(stream->name, '\0', sizeof stream->name) == NULL || stream->name[0] == '\0' ||
            (stream->symbol_bytes != 1 && stream->symbol_bytes != 2) || stream->block_symbols == 0 ||
            stream->block_symbols > BLOCK_SYMBOLS_MAX || stream->section_symbols == 0 ||
            stream->section_symbols > UINT64_MAX / 4 - BLOCK_SYMBOLS_MAX || stream->sections == 0 ||
            stream->sections > head_bytes / SECTION_RECORD ||
            container_section_blocks(stream) > head_bytes / BLOCK_RECORD / stream->sections ||
            stream->model_bytes > head_bytes ||
            (coded ? stream->symbol_bytes != 1 || stream->block_symbols > CONTEXT_BLOCK_MAX
                   : stream->codec != CODEC_ZSTD || stream->model_bytes > 0))
            return damaged(container, "a stream makes no sense");
    }
    container->parts = head_parts(container->stream, container->count, get_number(head + HEAD_TEXT_BYTES, 8));
    if (container->parts.bytes != head_bytes || container->parts.text >= head_bytes || head[head_bytes - 1] != '\0')
        return damaged(container, "its head makes no sense");
    for (const char *at = container_text(container); *at != '\0'; at++)
        if (((unsigned char)*at < ' ' && *at != '\n') || *at == 0x7f)
            return damaged(container, "its text has control characters");
    for (int i = 0; i < container->count; i++) {
        const struct container_stream *stream = &container->stream[i];
        const uint64_t blocks = container_section_blocks(stream);
        errno = 0;
        if (stream->codec != CODEC_ZSTD && !read_model(container, i))
            return errno == ENOMEM ? error_memory(stream->model_bytes, "the model of a stream")
                                   : damaged(container, "the model of a stream makes no sense");
        TRY(memory_new(&container->offset[i], container_blocks(stream), sizeof(uint64_t), "a table's block index"));
        for (uint64_t section = 0; section < stream->sections; section++) {
            uint64_t at = get_number(head + container->parts.sections[i] + section * SECTION_RECORD, 8);
            if (at > container->file_bytes)
                return damaged(container, "a section lies outside");
            for (uint64_t block = section * blocks; block < (section + 1) * blocks; block++) {
                container->offset[i][block] = at;
                at += block_bytes(container, i, block);
            }
            if (at > container->file_bytes)
                return damaged(container, "a block lies outside");
        }
    }
    return 0;
}

int container_open(struct container **result, const char *path)
{
    *result = NULL;
    struct container *container;
    TRY(memory_new(&container, 1, sizeof *container, "a table"));
    pthread_mutex_init(&container->lock, NULL);
    container->file = -1;
    container->path = strdup(path);
    int code = container->path == NULL ? error_memory(strlen(path) + 1, "a path") : read_head(container);
    THEN(code, parse_head(container));
    if (code != 0) {
        container_close(container);
        return code;
    }
    *result = container;
    return 0;
}

void container_close(struct container *container)
{
    if (container == NULL)
        return;
    if (container->file >= 0)
        close(container->file);
    for (int i = 0; i < CONTAINER_STREAMS_MAX; i++)
        free(container->offset[i]);
    for (int i = 0; i < CONTAINER_STREAMS_MAX; i++)
        context_model_free(&container->model[i]);
    while (container->spares > 0)
        ZSTD_freeDCtx(container->spare[--container->spares]);
    pthread_mutex_destroy(&container->lock);
    free(container->head);
    free(container->path);
    free(container);
}

const char *container_path(const struct container *container)
{
    return container->path;
}

uint64_t container_hash(const struct container *container)
{
    return container->hash;
}

const char *container_text(const struct container *container)
{
    return (const char *)container->head + container->parts.text;
}

int container_stream_count(const struct container *container)
{
    return container->count;
}

const struct container_stream *container_stream(const struct container *container, int stream)
{
    return &container->stream[stream];
}

uint64_t container_stream_bytes(const struct container *container, int stream)
{
    uint64_t bytes = 0;
    for (uint64_t block = 0; block < container_blocks(&container->stream[stream]); block++)
        bytes += block_bytes(container, stream, block);
    return bytes;
}

uint64_t container_file_bytes(const struct container *container)
{
    return container->file_bytes;
}

int container_find(const struct container *container, const char *name)
{
    for (int i = 0; i < container->count; i++) {
        if (strcmp(container->stream[i].name, name) == 0)
            return i;
    }
    return -1;
}

// Contexts are kept for the next reader, because making one takes longer than decompressing a block. Only the pool of
// contexts changes, under its lock.
static int decompress(const struct container *container, const void *data, size_t bytes, void *symbols, size_t expected)
{
    struct container *shared = (struct container *)(uintptr_t)container;
    ZSTD_DCtx *context = NULL;
    pthread_mutex_lock(&shared->lock);
    if (shared->spares > 0)
        context = shared->spare[--shared->spares];
    pthread_mutex_unlock(&shared->lock);
    if (context == NULL)
        context = ZSTD_createDCtx();
    if (context == NULL)
        return error_set(CLTB_E_MEMORY, "out of memory: reading %s", container->path);
    const size_t got = ZSTD_decompressDCtx(context, symbols, expected, data, bytes);
    pthread_mutex_lock(&shared->lock);
    if (shared->spares < SPARE_CONTEXTS) {
        shared->spare[shared->spares++] = context;
        context = NULL;
    }
    pthread_mutex_unlock(&shared->lock);
    ZSTD_freeDCtx(context);
    if (ZSTD_isError(got) || got != expected)
        return damaged(container, "a block does not decompress");
    return 0;
}

static int check_block(const struct container *container, int stream, uint64_t block, const uint8_t *data)
{
    const uint64_t hash = get_number(block_record(container, stream, block) + 4, 8);
    return XXH64(data, block_bytes(container, stream, block), 0) == hash
               ? 0
               : damaged(container, "a block does not match its checksum");
}

// Reads a block, which is to be freed, and checks it.
static int read_checked(const struct container *container, int stream, uint64_t block, uint8_t **data)
{
    const size_t size = block_bytes(container, stream, block);
    const size_t symbol_bytes = container->stream[stream].symbol_bytes;
    *data = NULL;
    if (size > BLOCK_BOUND(container_block_length(&container->stream[stream], block) * symbol_bytes))
        return damaged(container, "a block is too large");
    *data = malloc(size + CONTEXT_SLACK);
    if (*data == NULL)
        return error_memory(size, "a block");
    int code = container_copy_block(container, stream, block, *data);
    if (code != 0) {
        free(*data);
        *data = NULL;
    }
    return code;
}

void container_mark(struct container *container, int stream, container_marker *marker, const void *context)
{
    container->marker[stream] = marker;
    container->marker_context[stream] = context;
}

// Decodes units of a block that zstd has not coded.
static int decode_with(const struct container *container, int stream, uint64_t block, const uint8_t *data,
                       struct context_range range, const uint8_t *given, uint8_t *symbols)
{
    const size_t count = container_block_length(&container->stream[stream], block);
    if (!context_decode(&container->model[stream], data, block_bytes(container, stream, block), count, range, given,
                        symbols))
        return damaged(container, "a block does not decompress");
    return 0;
}

// Marks the vacant entries of the units that are wanted.
static void mark_vacant(const struct container *container, int stream, uint64_t block, struct context_range range,
                        uint8_t *given)
{
    const struct container_stream *shape = &container->stream[stream];
    const uint64_t blocks = container_section_blocks(shape);
    const size_t count = container_block_length(shape, block);
    for (unsigned first = range.first, end; first < range.last; first = end + 1) {
        for (end = first; end < range.last && (range.wanted == NULL || range.wanted[end - range.first]); end++)
            ;
        const size_t from = (size_t)first * CONTEXT_UNIT;
        const size_t to = (size_t)end * CONTEXT_UNIT < count ? (size_t)end * CONTEXT_UNIT : count;
        if (end > first)
            container->marker[stream](container->marker_context[stream], block / blocks,
                                      block % blocks * shape->block_symbols + from, to - from,
                                      given + (from - (size_t)range.first * CONTEXT_UNIT));
    }
}

// Makes what is given to the decoder of units of a block.
static int make_given(const struct container *container, int stream, uint64_t block, struct context_range range,
                      uint8_t *given)
{
    const struct pattern_model *model = container->model[stream].patterns;
    if (model->paired) {
        uint8_t *data;
        TRY(read_checked(container, (int)model->outcomes, block, &data));
        const int code = decode_with(container, (int)model->outcomes, block, data, range, NULL, given);
        free(data);
        TRY(code);
    } else {
        memset(given, 0, (size_t)(range.last - range.first) * CONTEXT_UNIT);
    }
    mark_vacant(container, stream, block, range, given);
    return 0;
}

// Decodes units of a block; of a zstd frame, all of it. `kept`: for what is given, or NULL.
static int decode_units(const struct container *container, int stream, uint64_t block, const uint8_t *data,
                        struct context_range range, uint8_t *symbols, uint8_t *kept)
{
    const struct container_stream *shape = &container->stream[stream];
    const struct pattern_model *model = container->model[stream].patterns;
    const size_t count = container_block_length(shape, block);
    const size_t room = (size_t)(range.last - range.first) * CONTEXT_UNIT;
    if (shape->codec == CODEC_ZSTD)
        return decompress(container, data, block_bytes(container, stream, block), symbols, count * shape->symbol_bytes);
    if (model == NULL)
        return decode_with(container, stream, block, data, range, NULL, symbols);
    if (container->marker[stream] == NULL)
        return container_invalid(container, "it says of a stream that it belongs to a chess table");
    uint8_t *made = kept != NULL && model->paired ? NULL : malloc(room);
    uint8_t *given = made != NULL ? made : kept;
    if (given == NULL)
        return error_memory(room, "a block");
    int code = make_given(container, stream, block, range, given);
    THEN(code, decode_with(container, stream, block, data, range, given, symbols));
    free(made);
    return code;
}

// ---- runs of blocks ----

// Reads and checks blocks first..last-1 of a stream, and decompresses them to `symbols` unless that is NULL. Blocks
// that are consecutive in the file are read in runs of at most RUN_BYTES, or of one block.
static int read_runs(const struct container *container, int stream, uint64_t first, uint64_t last, uint8_t *symbols)
{
    enum { RUN_BYTES = 256 << 10 }; // stays in the processor's caches while it is hashed
    const uint64_t *offset = container->offset[stream];
    const struct container_stream *shape = &container->stream[stream];
    uint8_t *data = NULL;
    size_t room = 0;
    size_t done = 0; // bytes of symbols
    int code = 0;
    for (uint64_t block = first, end; code == 0 && block < last; block = end) {
        size_t bytes = block_bytes(container, stream, block);
        for (end = block + 1; end < last && offset[end] == offset[block] + bytes; end++) {
            const size_t more = block_bytes(container, stream, end);
            if (more > RUN_BYTES || bytes > RUN_BYTES - more)
                break;
            bytes += more;
        }
        if (data == NULL || bytes > room) {
            free(data);
            room = bytes;
            data = malloc(bytes + CONTEXT_SLACK);
            if (data == NULL)
                return error_memory(bytes, "a block");
        }
        code = read_all(container, data, bytes, offset[block]);
        const uint8_t *at = data;
        for (uint64_t b = block; code == 0 && b < end; b++) {
            const size_t length = container_block_length(shape, b);
            const struct context_range whole = {0, context_units(length), NULL, 0};
            code = check_block(container, stream, b, at);
            if (symbols != NULL)
                THEN(code, decode_units(container, stream, b, at, whole, symbols + done, NULL));
            at += block_bytes(container, stream, b);
            done += length * shape->symbol_bytes;
        }
    }
    free(data);
    return code;
}

int container_read_blocks(const struct container *container, int stream, uint64_t first, uint64_t count, void *symbols)
{
    const struct container_stream *shape = &container->stream[stream];
    for (uint64_t block = first; block < first + count; block++) {
        const size_t expected = (size_t)container_block_length(shape, block) * shape->symbol_bytes;
        if (block_bytes(container, stream, block) > BLOCK_BOUND(expected))
            return damaged(container, "a block is too large");
    }
    return read_runs(container, stream, first, first + count, symbols);
}

uint32_t container_unit_symbols(const struct container *container, int stream)
{
    const struct container_stream *shape = &container->stream[stream];
    return shape->codec != CODEC_ZSTD && shape->block_symbols > CONTEXT_UNIT ? CONTEXT_UNIT : shape->block_symbols;
}

unsigned container_symbol_set(const struct container *container, int stream)
{
    const struct context_model *model = &container->model[stream];
    unsigned set = 0;
    for (unsigned i = 0; i < model->symbols; i++)
        set |= 1U << model->symbol[i];
    return set;
}

int container_read(const struct container *container, int stream, uint64_t block, void *symbols)
{
    return container_read_blocks(container, stream, block, 1, symbols);
}

// Reads a block and decodes units of it.
static int read_range(const struct container *container, int stream, uint64_t block, struct context_range range,
                      void *symbols, uint8_t *given)
{
    uint8_t *data;
    if (container->stream[stream].codec == CODEC_ZSTD)
        return container_read(container, stream, block, symbols);
    TRY(read_checked(container, stream, block, &data));
    const int code = decode_units(container, stream, block, data, range, symbols, given);
    free(data);
    return code;
}

int container_read_unit(const struct container *container, int stream, uint64_t block, uint32_t unit, size_t enough,
                        void *symbols)
{
    const struct context_range range = {unit, unit + 1, NULL, enough};
    return read_range(container, stream, block, range, symbols, NULL);
}

const struct ply_lists *container_lists(const struct container *container, int stream)
{
    const struct pattern_model *model = container->model[stream].patterns;
    return model != NULL && model->listed ? &model->lists : NULL;
}

int container_paired(const struct container *container, int stream)
{
    const struct pattern_model *model = container->model[stream].patterns;
    return model != NULL && model->paired ? (int)model->outcomes : -1;
}

int container_read_units(const struct container *container, int stream, uint64_t block, const bool *wanted,
                         void *symbols, uint8_t *given)
{
    const size_t length = container_block_length(&container->stream[stream], block);
    const struct context_range range = {0, context_units(length), wanted, 0};
    return read_range(container, stream, block, range, symbols, given);
}

// ---- blocks as they are ----

uint64_t container_block_place(const struct container *container, int stream, uint64_t block, uint32_t *bytes)
{
    *bytes = (uint32_t)block_bytes(container, stream, block);
    return container->offset[stream][block];
}

int container_copy_block(const struct container *container, int stream, uint64_t block, void *to)
{
    const size_t bytes = block_bytes(container, stream, block);
    TRY(read_all(container, to, bytes, container->offset[stream][block]));
    return check_block(container, stream, block, to);
}

const void *container_model(const struct container *container, int stream)
{
    return container->head + container->parts.models[stream];
}

uint64_t container_text_space(const struct container *container)
{
    return container->parts.bytes - container->parts.text;
}

// ---- all blocks ----

enum { HASHED_BLOCKS = 512 }; // an item of container_check_hashes()

struct hashing {
    const struct container *container;
    int stream;
};

static int hash_blocks(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct hashing *hashing = context;
    const uint64_t blocks = container_blocks(&hashing->container->stream[hashing->stream]);
    const uint64_t first = item * HASHED_BLOCKS;
    const uint64_t last = blocks - first < HASHED_BLOCKS ? blocks : first + HASHED_BLOCKS;
    return read_runs(hashing->container, hashing->stream, first, last, NULL);
}

int container_check_hashes(const struct container *container, struct thread_pool *pool)
{
    for (int i = 0; i < container->count; i++) {
        struct hashing hashing = {container, i};
        const uint64_t blocks = container_blocks(&container->stream[i]);
        TRY(threads_each(pool, (blocks + HASHED_BLOCKS - 1) / HASHED_BLOCKS, hash_blocks, &hashing));
    }
    return 0;
}

int container_check(const struct container *container)
{
    int code = 0;
    for (int i = 0; code == 0 && i < container->count; i++) {
        const struct container_stream *shape = &container->stream[i];
        void *symbols;
        TRY(memory_new(&symbols, shape->block_symbols, shape->symbol_bytes, "a block"));
        for (uint64_t block = 0; code == 0 && block < container_blocks(shape); block++)
            code = container_read(container, i, block, symbols);
        free(symbols);
    }
    return code;
}
