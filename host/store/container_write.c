// container_write.c - containers appear whole or not at all
//
// Blocks go to PATH.part behind the space of the head; the head is written last, then the file is synced and renamed.
// The part file is locked, so two writers of one table keep apart, and what a killed one left behind is written over.
#include "store/container_format.h"

#include "util/error.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

struct container_writer {
    char path[PATH_MAX];
    char part[PATH_MAX];
    int file;
    int count;
    struct container_stream stream[CONTAINER_STREAMS_MAX];
    uint64_t text_bytes;
    struct head_parts parts;
    uint8_t *head;
    uint64_t end; // of what is written
    pthread_mutex_t lock;
};

struct container_compressor {
    ZSTD_CCtx *context;
};

static int write_all(int file, const void *data, size_t bytes, uint64_t offset, const char *path)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t written = pwrite(file, from, bytes, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_errno(CLTB_E_IO, written < 0 ? errno : ENOSPC, "cannot write %s", path);
        from += written;
        bytes -= (size_t)written;
        offset += (uint64_t)written;
    }
    return 0;
}

// Is the file that was opened still the one of that name? Between opening and locking another writer may have renamed it into its
// place: it is a finished table now, and nobody's to write.
static bool still_named(int file, const char *path)
{
    struct stat opened;
    struct stat named;
    return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static int open_part(struct container_writer *writer)
{
    for (;;) {
        writer->file = open(writer->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (writer->file < 0)
            return error_errno(CLTB_E_IO, errno, "cannot create %s", writer->part);
        if (flock(writer->file, LOCK_EX | LOCK_NB) != 0) {
            int code = errno == EWOULDBLOCK
                           ? error_set(CLTB_E_IO, "%s is being written by another process", writer->path)
                           : error_errno(CLTB_E_IO, errno, "cannot lock %s", writer->part);
            close(writer->file);
            writer->file = -1;
            return code;
        }
        if (still_named(writer->file, writer->part))
            break;
        close(writer->file);
    }
    if (ftruncate(writer->file, 0) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write %s", writer->part);
    return 0;
}

static void put_streams(struct container_writer *writer)
{
    for (int i = 0; i < writer->count; i++) {
        const struct container_stream *stream = &writer->stream[i];
        uint8_t *at = writer->head + HEAD_FIXED + i * STREAM_RECORD;
        memcpy(at, stream->name, CONTAINER_NAME_MAX);
        put_number(at + 16, 4, stream->symbol_bytes);
        put_number(at + 20, 4, stream->block_symbols);
        put_number(at + 24, 8, stream->sections);
        put_number(at + 32, 8, stream->section_symbols);
    }
}

int container_create(struct container_writer **result, const char *path, const struct container_stream *streams,
                     int count, size_t text_space)
{
    *result = NULL;
    struct container_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return error_memory(sizeof *writer, "a table writer");
    writer->file = -1;
    writer->count = count;
    writer->text_bytes = text_space;
    memcpy(writer->stream, streams, (size_t)count * sizeof *streams);
    pthread_mutex_init(&writer->lock, NULL);
    int length = snprintf(writer->path, sizeof writer->path, "%s", path);
    int code = 0;
    if (length < 0 || (size_t)snprintf(writer->part, sizeof writer->part, "%s.part", path) >= sizeof writer->part)
        code = error_set(CLTB_E_IO, "the path %.60s... is too long", path);
    writer->parts = head_parts(writer->stream, count, text_space);
    writer->end = writer->parts.bytes;
    writer->head = calloc(1, writer->parts.bytes);
    if (code == 0 && writer->head == NULL)
        code = error_memory(writer->parts.bytes, "a table's head");
    if (code == 0)
        code = open_part(writer);
    if (code != 0) {
        container_abandon(writer);
        return code;
    }
    put_streams(writer);
    *result = writer;
    return 0;
}

int container_add(struct container_writer *writer, int stream, uint64_t section, const struct container_piece *pieces)
{
    const uint64_t blocks = container_section_blocks(&writer->stream[stream]);
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < blocks; i++)
        bytes += pieces[i].bytes;
    pthread_mutex_lock(&writer->lock);
    uint64_t at = writer->end;
    writer->end += bytes;
    pthread_mutex_unlock(&writer->lock);
    put_number(writer->head + writer->parts.sections[stream] + section * SECTION_RECORD, 8, at);
    uint8_t *record = writer->head + writer->parts.blocks[stream] + section * blocks * BLOCK_RECORD;
    for (uint64_t i = 0; i < blocks; i++, record += BLOCK_RECORD) {
        put_number(record, 4, pieces[i].bytes);
        put_number(record + 4, 8, XXH64(pieces[i].data, pieces[i].bytes, 0));
        int code = write_all(writer->file, pieces[i].data, pieces[i].bytes, at, writer->part);
        if (code != 0)
            return code;
        at += pieces[i].bytes;
    }
    return 0;
}

uint64_t container_written(const struct container_writer *writer)
{
    return writer->end;
}

static void put_head(struct container_writer *writer, const char *text)
{
    memcpy(writer->head, CONTAINER_MAGIC, 8);
    put_number(writer->head + HEAD_VERSION, 4, CONTAINER_VERSION);
    put_number(writer->head + HEAD_STREAMS, 4, (uint64_t)writer->count);
    put_number(writer->head + HEAD_BYTES, 8, writer->parts.bytes);
    put_number(writer->head + HEAD_FILE_BYTES, 8, writer->end);
    put_number(writer->head + HEAD_TEXT_BYTES, 8, writer->text_bytes);
    memcpy(writer->head + writer->parts.text, text, strlen(text));
    put_number(writer->head + HEAD_HASH, 8, XXH64(writer->head, writer->parts.bytes, 0));
}

// Makes the new name itself durable.
static int sync_folder(const char *path)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return 0; // a folder that may be written but not read: the rename stands all the same
    fsync(folder);
    close(folder);
    return 0;
}

int container_finish(struct container_writer *writer, const char *text)
{
    int code = 0;
    if (strlen(text) >= writer->text_bytes)
        code = error_set(CLTB_E_USAGE, "%s: the properties do not fit", writer->path);
    if (code == 0) {
        put_head(writer, text);
        code = write_all(writer->file, writer->head, writer->parts.bytes, 0, writer->part);
    }
    if (code == 0 && fsync(writer->file) != 0)
        code = error_errno(CLTB_E_IO, errno, "cannot write %s", writer->part);
    if (code == 0 && rename(writer->part, writer->path) != 0)
        code = error_errno(CLTB_E_IO, errno, "cannot rename %s", writer->part);
    if (code == 0) {
        writer->part[0] = '\0';
        code = sync_folder(writer->path);
    }
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
    if (writer->file >= 0) {
        if (writer->part[0] != '\0')
            unlink(writer->part);
        close(writer->file);
    }
    pthread_mutex_destroy(&writer->lock);
    free(writer->head);
    free(writer);
}

int container_compressor_open(struct container_compressor **result, int level)
{
    *result = calloc(1, sizeof **result);
    if (*result == NULL)
        return error_memory(sizeof **result, "compression");
    (*result)->context = ZSTD_createCCtx();
    if ((*result)->context == NULL) {
        container_compressor_close(*result);
        *result = NULL;
        return error_set(CLTB_E_MEMORY, "out of memory: compression");
    }
    ZSTD_CCtx_setParameter((*result)->context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter((*result)->context, ZSTD_c_contentSizeFlag, 0); // the length is known, the hash is outside
    return 0;
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
