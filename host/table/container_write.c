// container_write.c - writes containers atomically
//
// Blocks follow the space that is kept for the head; the head is written last. A stream that is added in the end makes
// the head longer: if that was expected, space has been kept for it, otherwise the blocks are moved within the file.
#include "table/container_format.h"
#include "table/part_file.h"
#include "util/os.h"

#include "util/error.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

enum {
    COPY_BYTES = 4 << 20, // at a time
    RUN_BYTES = 256 << 10,
    EXTRA_BLOCK = 1 << 20,
    EXTRA_LEVEL = 9
};

struct container_writer {
    struct part_file file;
    int count;
    struct container_stream stream[CONTAINER_STREAMS_MAX];
    uint64_t text_bytes;
    struct head_parts parts;
    uint8_t *head;
    uint64_t start; // of the blocks: the bytes kept for the head
    uint64_t end;   // bytes written, including the head
    pthread_mutex_t lock;
};

struct container_compressor {
    ZSTD_CCtx *context;
};

static void put_stream(struct container_writer *writer, int number)
{
    const struct container_stream *stream = &writer->stream[number];
    uint8_t *at = writer->head + HEAD_FIXED + number * STREAM_RECORD;
    memcpy(at, stream->name, CONTAINER_NAME_MAX);
    put_number(at + 16, 4, stream->symbol_bytes);
    put_number(at + 20, 4, stream->block_symbols);
    put_number(at + 24, 8, stream->sections);
    put_number(at + 32, 8, stream->section_symbols);
    put_number(at + 40, 4, stream->codec);
    put_number(at + 44, 4, stream->model_bytes);
}

int container_create(struct container_writer **result, const char *path, const struct container_stream *streams,
                     int count, size_t text_space)
{
    *result = NULL;
    struct container_writer *writer;
    TRY(memory_new(&writer, 1, sizeof *writer, "a table writer"));
    writer->file.file = -1;
    writer->count = count;
    writer->text_bytes = text_space;
    memcpy(writer->stream, streams, (size_t)count * sizeof *streams);
    pthread_mutex_init(&writer->lock, NULL);
    writer->parts = head_parts(writer->stream, count, text_space);
    writer->start = writer->end = writer->parts.bytes;
    int code = memory_new(&writer->head, 1, writer->parts.bytes, "a table's head");
    THEN(code, part_file_open(&writer->file, path));
    if (code != 0) {
        container_abandon(writer);
        return code;
    }
    for (int i = 0; i < count; i++)
        put_stream(writer, i);
    *result = writer;
    return 0;
}

// Reserves room for the blocks of a section.
static uint64_t place_section(struct container_writer *writer, int stream, uint64_t section, uint64_t bytes)
{
    pthread_mutex_lock(&writer->lock);
    const uint64_t at = writer->end;
    writer->end += bytes;
    pthread_mutex_unlock(&writer->lock);
    put_number(writer->head + writer->parts.sections[stream] + section * SECTION_RECORD, 8, at);
    return at;
}

static void put_block(struct container_writer *writer, int stream, uint64_t block, const void *data, uint32_t bytes)
{
    uint8_t *record = writer->head + writer->parts.blocks[stream] + block * BLOCK_RECORD;
    put_number(record, 4, bytes);
    put_number(record + 4, 8, XXH64(data, bytes, 0));
}

// The blocks of a table have a few hundred bytes each, so they are collected: a call of the system for each one takes
// several times as long.
int container_add_fetched(struct container_writer *writer, int stream, uint64_t section,
                          const struct container_piece *pieces,
                          int (*fetch)(void *context, uint64_t block, uint32_t bytes, void *to), void *context)
{
    const uint64_t blocks = container_section_blocks(&writer->stream[stream]);
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < blocks; i++)
        bytes += pieces[i].bytes;
    size_t room = bytes > 0 && bytes < RUN_BYTES ? (size_t)bytes : RUN_BYTES;
    for (uint64_t i = 0; i < blocks; i++)
        room = pieces[i].data == NULL && pieces[i].bytes > room ? pieces[i].bytes : room;
    uint8_t *buffer;
    TRY(memory_new(&buffer, room, 1, "compressed blocks"));
    uint64_t at = place_section(writer, stream, section, bytes);
    size_t run = 0; // bytes collected
    int code = 0;
    for (uint64_t i = 0; code == 0 && i < blocks; i++) {
        const struct container_piece *piece = &pieces[i];
        if (run + piece->bytes > room) {
            code = part_file_write(&writer->file, buffer, run, at);
            at += run;
            run = 0;
        }
        const bool large = piece->bytes > room;
        const void *data = large ? piece->data : buffer + run;
        if (!large && piece->data != NULL)
            memcpy(buffer + run, piece->data, piece->bytes);
        else if (!large && fetch != NULL) // otherwise it is empty
            THEN(code, fetch(context, i, piece->bytes, buffer + run));
        put_block(writer, stream, section * blocks + i, data, piece->bytes);
        if (large) {
            THEN(code, part_file_write(&writer->file, data, piece->bytes, at));
            at += piece->bytes;
        } else {
            run += piece->bytes;
        }
    }
    THEN(code, part_file_write(&writer->file, buffer, run, at));
    free(buffer);
    return code;
}

int container_add(struct container_writer *writer, int stream, uint64_t section, const struct container_piece *pieces)
{
    return container_add_fetched(writer, stream, section, pieces, NULL, NULL);
}

// A section of another container.
struct copied_section {
    const struct container *from;
    int stream;
    uint64_t first; // block
};

static int fetch_copy(void *context, uint64_t block, uint32_t bytes, void *to)
{
    const struct copied_section *copied = context;
    (void)bytes;
    return container_copy_block(copied->from, copied->stream, copied->first + block, to);
}

int container_add_copy(struct container_writer *writer, int stream, uint64_t section, const struct container *from,
                       int from_stream)
{
    const uint64_t blocks = container_section_blocks(&writer->stream[stream]);
    struct copied_section copied = {from, from_stream, section * blocks};
    struct container_piece *pieces;
    TRY(memory_new(&pieces, blocks, sizeof *pieces, "compressed blocks"));
    for (uint64_t i = 0; i < blocks; i++)
        container_block_place(from, from_stream, copied.first + i, &pieces[i].bytes);
    const int code = container_add_fetched(writer, stream, section, pieces, fetch_copy, &copied);
    free(pieces);
    return code;
}

uint64_t container_writer_bytes(const struct container_stream *streams, int count, size_t text_space)
{
    return sizeof(struct container_writer) + head_parts(streams, count, text_space).bytes;
}

void container_put_model(struct container_writer *writer, int stream, const void *model)
{
    memcpy(writer->head + writer->parts.models[stream], model, writer->stream[stream].model_bytes);
}

// ---- a stream that is added in the end ----

static struct container_stream extra_stream(const char *name, size_t bytes)
{
    struct container_stream stream = {.block_symbols = bytes < EXTRA_BLOCK ? (uint32_t)bytes : EXTRA_BLOCK,
                                      .symbol_bytes = 1,
                                      .sections = 1,
                                      .section_symbols = bytes};
    snprintf(stream.name, sizeof stream.name, "%s", name);
    return stream;
}

static int check_extra(const struct container_writer *writer, size_t bytes)
{
    if (bytes > 0 && bytes <= CONTAINER_EXTRA_MAX && writer->count < CONTAINER_STREAMS_MAX)
        return 0;
    return error_set(CLTB_E_USAGE, "%s has no room for a stream of %zu bytes", writer->file.path, bytes);
}

int container_expect(struct container_writer *writer, size_t bytes)
{
    TRY(check_extra(writer, bytes));
    writer->stream[writer->count] = extra_stream("", bytes);
    const uint64_t start = head_parts(writer->stream, writer->count + 1, writer->text_bytes).bytes;
    uint8_t *head = realloc(writer->head, start);
    if (head == NULL)
        return error_memory(start, "a table's head");
    memset(head + writer->parts.bytes, 0, start - writer->parts.bytes);
    writer->head = head;
    writer->start = writer->end = start;
    return 0;
}

int container_extend(struct container_writer *writer, const char *name, const void *data, size_t bytes)
{
    const int number = writer->count;
    const struct head_parts old = writer->parts;
    const uint8_t *from = writer->head;
    uint8_t *head;
    TRY(check_extra(writer, bytes));
    writer->stream[number] = extra_stream(name, bytes);
    const struct head_parts parts = head_parts(writer->stream, number + 1, writer->text_bytes);
    TRY(memory_new(&head, 1, parts.bytes, "a table's head"));
    memcpy(head, from, old.sections[0]);
    memcpy(head + parts.sections[0], from + old.sections[0], old.blocks[0] - old.sections[0]);
    memcpy(head + parts.blocks[0], from + old.blocks[0], old.models[0] - old.blocks[0]);
    memcpy(head + parts.models[0], from + old.models[0], old.text - old.models[0]);
    memcpy(head + parts.text, from + old.text, writer->text_bytes);
    free(writer->head);
    writer->head = head;
    writer->parts = parts;
    writer->count++;
    put_stream(writer, number);
    return container_add_symbols(writer, number, 0, data, EXTRA_LEVEL, NULL);
}

// Moves the blocks to the end of the head, if it has another length than expected.
static int move_blocks(struct container_writer *writer)
{
    const uint64_t from = writer->start;
    const uint64_t to = writer->parts.bytes;
    const uint64_t bytes = writer->end - from;
    uint64_t piece;
    uint8_t *buffer;
    if (from == to)
        return 0;
    TRY(memory_new(&buffer, COPY_BYTES, 1, "compressed blocks"));
    int code = 0;
    for (uint64_t done = 0; code == 0 && done < bytes; done += piece) {
        piece = bytes - done < COPY_BYTES ? bytes - done : COPY_BYTES;
        const uint64_t at = to > from ? bytes - done - piece : done;
        code = file_read(writer->file.file, writer->file.part, buffer, piece, from + at, NULL);
        THEN(code, part_file_write(&writer->file, buffer, piece, to + at));
    }
    free(buffer);
    for (uint64_t at = writer->parts.sections[0]; at < writer->parts.blocks[0]; at += SECTION_RECORD)
        put_number(writer->head + at, 8, get_number(writer->head + at, 8) + to - from);
    writer->start = to;
    writer->end = to + bytes;
    if (code == 0 && to < from && ftruncate(writer->file.file, (off_t)writer->end) != 0)
        code = error_errno(CLTB_E_IO, errno, "cannot write %s", writer->file.part);
    return code;
}

// ---- the end ----

static int put_text(struct container_writer *writer, const char *text)
{
    if (strlen(text) >= writer->text_bytes)
        return error_set(CLTB_E_USAGE, "%s: the properties do not fit", writer->file.path);
    memcpy(writer->head + writer->parts.text, text, strlen(text));
    return 0;
}

// `text_bytes`: the length of the text, with which the head reaches to the blocks.
static int write_head(struct container_writer *writer, uint64_t text_bytes)
{
    uint8_t *head = writer->head;
    const uint64_t bytes = writer->parts.text + text_bytes;
    memcpy(head, CONTAINER_MAGIC, 8);
    put_number(head + HEAD_VERSION, 4, CONTAINER_VERSION);
    put_number(head + HEAD_STREAMS, 4, (uint64_t)writer->count);
    put_number(head + HEAD_BYTES, 8, bytes);
    put_number(head + HEAD_FILE_BYTES, 8, writer->end);
    put_number(head + HEAD_TEXT_BYTES, 8, text_bytes);
    put_number(head + HEAD_HASH, 8, 0);
    put_number(head + HEAD_HASH, 8, XXH64(head, bytes, 0));
    return part_file_write(&writer->file, head, bytes, 0);
}

int container_show(struct container_writer *writer, const char *text)
{
    TRY(put_text(writer, text));
    return write_head(writer, writer->start - writer->parts.text);
}

const char *container_shown(const struct container_writer *writer)
{
    return writer->file.part;
}

int container_finish(struct container_writer *writer, const char *text)
{
    int code = text != NULL ? put_text(writer, text) : 0;
    THEN(code, move_blocks(writer));
    THEN(code, write_head(writer, writer->text_bytes));
    THEN(code, part_file_finish(&writer->file));
    container_abandon(writer);
    return code;
}

int container_size(const char *path, uint64_t *bytes)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot read %s", path);
    *bytes = (uint64_t)status.st_size;
    return 0;
}

void container_abandon(struct container_writer *writer)
{
    if (writer == NULL)
        return;
    part_file_close(&writer->file);
    pthread_mutex_destroy(&writer->lock);
    free(writer->head);
    free(writer);
}

int container_compressor_open(struct container_compressor **result, int level)
{
    TRY(memory_new(result, 1, sizeof **result, "compression"));
    (*result)->context = ZSTD_createCCtx();
    if ((*result)->context == NULL) {
        container_compressor_close(*result);
        *result = NULL;
        error_set(CLTB_E_MEMORY, "out of memory: compression");
        return CLTB_E_MEMORY;
    }
    container_compressor_level(*result, level);
    ZSTD_CCtx_setParameter((*result)->context, ZSTD_c_contentSizeFlag, 0); // the length is known, the hash is outside
    return 0;
}

void container_compressor_level(struct container_compressor *compressor, int level)
{
    ZSTD_CCtx_setParameter(compressor->context, ZSTD_c_compressionLevel, level);
}

void container_compressor_close(struct container_compressor *compressor)
{
    if (compressor == NULL)
        return;
    ZSTD_freeCCtx(compressor->context);
    free(compressor);
}

size_t container_bound(size_t bytes)
{
    return ZSTD_compressBound(bytes);
}

int container_compress(struct container_compressor *compressor, const void *data, size_t bytes, void *compressed,
                       size_t *compressed_bytes)
{
    *compressed_bytes = ZSTD_compress2(compressor->context, compressed, container_bound(bytes), data, bytes);
    if (ZSTD_isError(*compressed_bytes))
        return error_set(CLTB_E_MEMORY, "compression failed: %s", ZSTD_getErrorName(*compressed_bytes));
    return 0;
}

// ---- symbols in memory ----

struct packing {
    const struct container_stream *stream;
    const uint8_t *symbols;
    struct container_compressor **compressor; // [threads]
    uint8_t *compressed;                      // [blocks][bound]
    size_t bound;
    struct container_piece *pieces; // [blocks]
};

static int pack_block(void *context, uint64_t block, int worker)
{
    const struct packing *packing = context;
    const struct container_stream *stream = packing->stream;
    uint8_t *to = packing->compressed + block * packing->bound;
    size_t bytes;
    TRY(container_compress(packing->compressor[worker],
                           packing->symbols + block * stream->block_symbols * stream->symbol_bytes,
                           (size_t)container_block_length(stream, block) * stream->symbol_bytes, to, &bytes));
    packing->pieces[block] = (struct container_piece){to, (uint32_t)bytes};
    return 0;
}

int container_add_symbols(struct container_writer *writer, int number, uint64_t section, const void *symbols, int level,
                          struct thread_pool *pool)
{
    const struct container_stream *stream = &writer->stream[number];
    const uint64_t blocks = container_section_blocks(stream);
    const size_t bound = container_bound((size_t)stream->block_symbols * stream->symbol_bytes);
    const int threads = threads_count(pool);
    struct packing packing = {.stream = stream, .symbols = symbols, .bound = bound};
    int code = memory_new(&packing.compressor, (size_t)threads, sizeof *packing.compressor, "a stream");
    THEN(code, memory_new(&packing.pieces, blocks, sizeof *packing.pieces, "a stream"));
    THEN(code, memory_new(&packing.compressed, blocks, bound, "a stream"));
    for (int i = 0; code == 0 && i < threads; i++)
        code = container_compressor_open(&packing.compressor[i], level);
    THEN(code, threads_each(pool, blocks, pack_block, &packing));
    THEN(code, container_add(writer, number, section, packing.pieces));
    for (int i = 0; packing.compressor != NULL && i < threads; i++)
        container_compressor_close(packing.compressor[i]);
    free(packing.compressor);
    free(packing.pieces);
    free(packing.compressed);
    return code;
}
