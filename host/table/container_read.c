// container_read.c - reads containers that may be cut short, altered or hostile
//
// Every number of the head is checked against the file's size before it is used, and the whole head against its hash; a
// block is checked against its own hash before it is decompressed.
#include "table/container_format.h"

#include "util/error.h"
#include "util/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum { SPARE_CONTEXTS = 16 };

struct container {
    char *path;
    int file;
    int count;
    struct container_stream stream[CONTAINER_STREAMS_MAX];
    struct head_parts parts;
    uint8_t *head;
    uint64_t file_bytes;
    uint64_t *offset[CONTAINER_STREAMS_MAX]; // [blocks + 1 a section]: where each block begins
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
    char *to = data;
    while (bytes > 0) {
        ssize_t got = pread(container->file, to, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_errno(CLTB_E_IO, errno, "cannot read %s", container->path);
        if (got == 0)
            return damaged(container, "it is cut short");
        to += got;
        bytes -= (size_t)got;
        offset += (uint64_t)got;
    }
    return 0;
}

static bool sane_stream(const struct container_stream *stream, uint64_t head_bytes)
{
    if (memchr(stream->name, '\0', sizeof stream->name) == NULL || stream->name[0] == '\0')
        return false;
    if ((stream->symbol_bytes != 1 && stream->symbol_bytes != 2) || stream->block_symbols == 0 ||
        stream->block_symbols > BLOCK_SYMBOLS_MAX)
        return false;
    if (stream->sections == 0 || stream->section_symbols == 0 || stream->sections > head_bytes / SECTION_RECORD ||
        stream->section_symbols > UINT64_MAX / 4 - BLOCK_SYMBOLS_MAX)
        return false;
    return container_section_blocks(stream) <= head_bytes / BLOCK_RECORD / stream->sections;
}

static int parse_streams(struct container *container, uint64_t head_bytes)
{
    for (int i = 0; i < container->count; i++) {
        const uint8_t *at = container->head + HEAD_FIXED + i * STREAM_RECORD;
        struct container_stream *stream = &container->stream[i];
        memcpy(stream->name, at, CONTAINER_NAME_MAX);
        stream->symbol_bytes = (uint32_t)get_number(at + 16, 4);
        stream->block_symbols = (uint32_t)get_number(at + 20, 4);
        stream->sections = get_number(at + 24, 8);
        stream->section_symbols = get_number(at + 32, 8);
        if (!sane_stream(stream, head_bytes))
            return damaged(container, "a stream makes no sense");
    }
    container->parts =
        head_parts(container->stream, container->count, get_number(container->head + HEAD_TEXT_BYTES, 8));
    if (container->parts.bytes != head_bytes || container->parts.text >= head_bytes ||
        container->head[head_bytes - 1] != '\0')
        return damaged(container, "its head makes no sense");
    return 0;
}

// What begins otherwise is somebody else's, and no damaged table.
static int check_magic(const struct container *container)
{
    uint8_t magic[8];
    const size_t bytes = container->file_bytes < sizeof magic ? (size_t)container->file_bytes : sizeof magic;
    TRY(read_all(container, magic, bytes, 0));
    if (memcmp(magic, CONTAINER_MAGIC, bytes) != 0)
        return error_set(CLTB_E_FOREIGN, "%s is not a table of this program", container->path);
    return 0;
}

static int read_head(struct container *container)
{
    uint8_t fixed[HEAD_FIXED];
    TRY(check_magic(container));
    if (container->file_bytes < HEAD_FIXED)
        return error_set(CLTB_E_CORRUPT, "%s is not a table: it has %llu bytes", container->path,
                         (unsigned long long)container->file_bytes);
    int code = read_all(container, fixed, sizeof fixed, 0);
    if (code != 0)
        return code;
    const uint64_t version = get_number(fixed + HEAD_VERSION, 4);
    if (version != CONTAINER_VERSION)
        return error_set(CLTB_E_FOREIGN, "%s has format version %llu; this program reads version %d", container->path,
                         (unsigned long long)version, CONTAINER_VERSION);
    const uint64_t streams = get_number(fixed + HEAD_STREAMS, 4);
    const uint64_t head_bytes = get_number(fixed + HEAD_BYTES, 8);
    const uint64_t file_bytes = get_number(fixed + HEAD_FILE_BYTES, 8);
    if (file_bytes != container->file_bytes)
        return error_set(CLTB_E_CORRUPT, "%s is damaged: it should have %llu bytes and has %llu", container->path,
                         (unsigned long long)file_bytes, (unsigned long long)container->file_bytes);
    if (streams == 0 || streams > CONTAINER_STREAMS_MAX || head_bytes > file_bytes ||
        head_bytes <= HEAD_FIXED + streams * STREAM_RECORD || get_number(fixed + HEAD_TEXT_BYTES, 8) > head_bytes)
        return damaged(container, "its head makes no sense");
    container->count = (int)streams;
    container->head = malloc(head_bytes);
    if (container->head == NULL)
        return error_memory(head_bytes, "a table's head");
    if ((code = read_all(container, container->head, head_bytes, 0)) != 0)
        return code;
    const uint64_t hash = get_number(container->head + HEAD_HASH, 8);
    put_number(container->head + HEAD_HASH, 8, 0);
    if (XXH64(container->head, head_bytes, 0) != hash)
        return damaged(container, "its head does not match its checksum");
    return parse_streams(container, head_bytes);
}

static const uint8_t *block_record(const struct container *container, int stream, uint64_t block)
{
    return container->head + container->parts.blocks[stream] + block * BLOCK_RECORD;
}

// Sums the sizes up into offsets.
static int index_blocks(struct container *container)
{
    for (int i = 0; i < container->count; i++) {
        const struct container_stream *stream = &container->stream[i];
        const uint64_t blocks = container_section_blocks(stream);
        container->offset[i] = malloc(container_blocks(stream) * sizeof(uint64_t));
        if (container->offset[i] == NULL)
            return error_memory(container_blocks(stream) * sizeof(uint64_t), "a table's block index");
        for (uint64_t section = 0; section < stream->sections; section++) {
            uint64_t at = get_number(container->head + container->parts.sections[i] + section * SECTION_RECORD, 8);
            if (at > container->file_bytes)
                return damaged(container, "a section lies outside");
            for (uint64_t block = section * blocks; block < (section + 1) * blocks; block++) {
                container->offset[i][block] = at;
                at += get_number(block_record(container, i, block), 4);
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
    struct container *container = calloc(1, sizeof *container);
    if (container == NULL)
        return error_memory(sizeof *container, "a table");
    pthread_mutex_init(&container->lock, NULL);
    container->path = strdup(path);
    container->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int code = 0;
    struct stat status;
    if (container->path == NULL)
        code = error_memory(strlen(path) + 1, "a path");
    else if (container->file < 0)
        code = error_errno(errno == ENOENT ? CLTB_E_MISSING : CLTB_E_IO, errno, "cannot open %s", path);
    else if (fstat(container->file, &status) != 0)
        code = error_errno(CLTB_E_IO, errno, "cannot read %s", path);
    else if (!S_ISREG(status.st_mode))
        code = error_set(CLTB_E_FOREIGN, "%s is not a table: it is not a file", path);
    else
        container->file_bytes = (uint64_t)status.st_size;
    if (code == 0)
        code = read_head(container);
    if (code == 0)
        code = index_blocks(container);
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
        bytes += get_number(block_record(container, stream, block), 4);
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

// Contexts are kept for the next reader: making one costs more than decompressing a block.
static ZSTD_DCtx *take_context(struct container *container)
{
    ZSTD_DCtx *context = NULL;
    pthread_mutex_lock(&container->lock);
    if (container->spares > 0)
        context = container->spare[--container->spares];
    pthread_mutex_unlock(&container->lock);
    return context != NULL ? context : ZSTD_createDCtx();
}

static void give_context(struct container *container, ZSTD_DCtx *context)
{
    pthread_mutex_lock(&container->lock);
    if (container->spares < SPARE_CONTEXTS) {
        container->spare[container->spares++] = context;
        context = NULL;
    }
    pthread_mutex_unlock(&container->lock);
    ZSTD_freeDCtx(context);
}

static int decompress(const struct container *container, const void *data, size_t bytes, void *symbols, size_t expected)
{
    struct container *shared =
        (struct container *)(uintptr_t)container; // only the pool of contexts changes, under its lock
    ZSTD_DCtx *context = take_context(shared);
    if (context == NULL)
        return error_set(CLTB_E_MEMORY, "out of memory: reading %s", container->path);
    const size_t got = ZSTD_decompressDCtx(context, symbols, expected, data, bytes);
    give_context(shared, context);
    if (ZSTD_isError(got) || got != expected)
        return damaged(container, "a block does not decompress");
    return 0;
}

// ---- runs of blocks ----

enum { RUN_BYTES = 256 << 10 }; // read at a time: it stays near the processor while it is hashed

static size_t block_bytes(const struct container *container, int stream, uint64_t block)
{
    return get_number(block_record(container, stream, block), 4);
}

// How many blocks from this one on lie one behind the other and have RUN_BYTES at most (or are one); *bytes: of them.
static uint64_t run_length(const struct container *container, int stream, uint64_t block, uint64_t end, size_t *bytes)
{
    const uint64_t *offset = container->offset[stream];
    uint64_t count = 1;
    *bytes = block_bytes(container, stream, block);
    for (; block + count < end && offset[block + count] == offset[block] + *bytes; count++) {
        const size_t more = block_bytes(container, stream, block + count);
        if (more > RUN_BYTES || *bytes > RUN_BYTES - more)
            break;
        *bytes += more;
    }
    return count;
}

// Memory for the compressed bytes of runs, as large as the largest one so far.
struct run_buffer {
    uint8_t *data;
    size_t bytes;
};

static int read_run(const struct container *container, struct run_buffer *buffer, uint64_t offset, size_t bytes)
{
    if (buffer->data == NULL || bytes > buffer->bytes) {
        free(buffer->data);
        buffer->bytes = bytes;
        buffer->data = malloc(bytes + 1);
        if (buffer->data == NULL)
            return error_memory(bytes, "a block");
    }
    return read_all(container, buffer->data, bytes, offset);
}

static int check_hash(const struct container *container, int stream, uint64_t block, const uint8_t *data)
{
    const uint8_t *record = block_record(container, stream, block);
    if (XXH64(data, get_number(record, 4), 0) != get_number(record + 4, 8))
        return damaged(container, "a block does not match its checksum");
    return 0;
}

static int check_sizes(const struct container *container, int stream, uint64_t first, uint64_t end)
{
    const struct container_stream *shape = &container->stream[stream];
    for (uint64_t block = first; block < end; block++) {
        const size_t expected = (size_t)container_block_length(shape, block) * shape->symbol_bytes;
        if (block_bytes(container, stream, block) > ZSTD_compressBound(expected))
            return damaged(container, "a block is too large");
    }
    return 0;
}

// The blocks of a run that has been read.
static int decompress_run(const struct container *container, int stream, uint64_t first, uint64_t end,
                          const uint8_t *data, uint8_t **symbols)
{
    const struct container_stream *shape = &container->stream[stream];
    for (uint64_t block = first; block < end; block++) {
        const size_t bytes = block_bytes(container, stream, block);
        const size_t expected = (size_t)container_block_length(shape, block) * shape->symbol_bytes;
        TRY(check_hash(container, stream, block, data));
        TRY(decompress(container, data, bytes, *symbols, expected));
        data += bytes;
        *symbols += expected;
    }
    return 0;
}

int container_read_blocks(const struct container *container, int stream, uint64_t first, uint64_t count, void *symbols)
{
    const uint64_t end = first + count;
    struct run_buffer buffer = {NULL, 0};
    uint8_t *to = symbols;
    int code = check_sizes(container, stream, first, end);
    for (uint64_t block = first, blocks; code == 0 && block < end; block += blocks) {
        size_t bytes;
        blocks = run_length(container, stream, block, end, &bytes);
        code = read_run(container, &buffer, container->offset[stream][block], bytes);
        if (code == 0)
            code = decompress_run(container, stream, block, block + blocks, buffer.data, &to);
    }
    free(buffer.data);
    return code;
}

int container_read(const struct container *container, int stream, uint64_t block, void *symbols)
{
    return container_read_blocks(container, stream, block, 1, symbols);
}

// ---- all blocks ----

struct hashing {
    const struct container *container;
    int stream;
};

enum { HASHED_BLOCKS = 512 }; // by one thread

static int hash_blocks(void *context, uint64_t item, int worker)
{
    const struct hashing *hashing = context;
    const struct container *container = hashing->container;
    const int stream = hashing->stream;
    const uint64_t blocks = container_blocks(&container->stream[stream]);
    const uint64_t end = blocks - item * HASHED_BLOCKS < HASHED_BLOCKS ? blocks : (item + 1) * HASHED_BLOCKS;
    (void)worker;
    struct run_buffer buffer = {NULL, 0};
    int code = 0;
    for (uint64_t block = item * HASHED_BLOCKS, count; code == 0 && block < end; block += count) {
        size_t bytes;
        count = run_length(container, stream, block, end, &bytes);
        code = read_run(container, &buffer, container->offset[stream][block], bytes);
        const uint8_t *data = buffer.data;
        for (uint64_t i = block; code == 0 && i < block + count; i++) {
            code = check_hash(container, stream, i, data);
            data += block_bytes(container, stream, i);
        }
    }
    free(buffer.data);
    return code;
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
        void *symbols = malloc((size_t)shape->block_symbols * shape->symbol_bytes);
        if (symbols == NULL)
            return error_memory((size_t)shape->block_symbols * shape->symbol_bytes, "a block");
        for (uint64_t block = 0; code == 0 && block < container_blocks(shape); block++)
            code = container_read(container, i, block, symbols);
        free(symbols);
    }
    return code;
}
