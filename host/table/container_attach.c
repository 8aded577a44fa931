// container_attach.c - puts a stream into a finished file, or takes one out
//
// The head grows or shrinks by the records of the stream, so everything behind it moves: the file is rewritten, under a
// temporary name, and takes the place of the old one when it is complete. Sections keep their order.
#include "table/container.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXTRA_RATIO = 256 }; // no such stream is compressed that well: what claims to be is not given the memory

// A section of the old file.
struct old_section {
    uint64_t offset;
    uint64_t section;
    int stream; // in the old file
    int number; // in the new file
};

static int by_offset(const void *left, const void *right)
{
    const struct old_section *a = left;
    const struct old_section *b = right;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

// Copies all sections except those of stream `left_out`, and the models.
static int copy_sections(struct container_writer *writer, const struct container *container, int left_out)
{
    uint64_t count = 0;
    for (int i = 0; i < container_stream_count(container); i++)
        count += container_stream(container, i)->sections;
    struct old_section *sections;
    TRY(memory_new(&sections, count + 1, sizeof *sections, "a table's sections"));
    count = 0;
    for (int i = 0, number = 0; i < container_stream_count(container); i++) {
        const struct container_stream *stream = container_stream(container, i);
        if (i == left_out)
            continue;
        if (stream->model_bytes > 0)
            container_put_model(writer, number, container_model(container, i));
        for (uint64_t section = 0; section < stream->sections; section++) {
            uint32_t bytes;
            const uint64_t block = section * container_section_blocks(stream);
            sections[count++] =
                (struct old_section){container_block_place(container, i, block, &bytes), section, i, number};
        }
        number++;
    }
    qsort(sections, count, sizeof *sections, by_offset);
    int code = 0;
    for (uint64_t i = 0; code == 0 && i < count; i++)
        code = container_add_copy(writer, sections[i].number, sections[i].section, container, sections[i].stream);
    free(sections);
    return code;
}

// A stream to be added.
struct extra {
    const char *name;
    const void *data;
    size_t bytes;
};

// Writes the file again as `to`, without stream `left_out` (-1: with all) and with stream `extra` (NULL: none). `text`:
// NULL for the old one.
static int rewrite(const struct container *container, const char *to, int left_out, const struct extra *extra,
                   const char *text)
{
    struct container_stream streams[CONTAINER_STREAMS_MAX];
    struct container_writer *writer = NULL;
    int count = 0;
    for (int i = 0; i < container_stream_count(container); i++) {
        if (i != left_out)
            streams[count++] = *container_stream(container, i);
    }
    int code = container_create(&writer, to, streams, count, container_text_space(container));
    if (extra != NULL)
        THEN(code, container_expect(writer, extra->bytes));
    THEN(code, copy_sections(writer, container, left_out));
    if (extra != NULL)
        THEN(code, container_extend(writer, extra->name, extra->data, extra->bytes));
    if (code == 0)
        return container_finish(writer, text != NULL ? text : container_text(container));
    container_abandon(writer);
    return code;
}

int container_attach(const char *from, const char *to, const char *name, const void *data, size_t bytes)
{
    struct container *container;
    TRY(container_open(&container, from));
    const struct extra extra = {name, data, bytes};
    const int code = rewrite(container, to, container_find(container, name), &extra, NULL);
    container_close(container);
    return code;
}

int container_detach(const char *path, int left_out, const char *text)
{
    struct container *container;
    TRY(container_open(&container, path));
    const int code = rewrite(container, path, left_out, NULL, text);
    container_close(container);
    return code;
}

int container_extra(const struct container *container, const char *name, uint8_t **data, size_t *bytes)
{
    const int number = container_find(container, name);
    *data = NULL;
    *bytes = 0;
    if (number < 0)
        return 0;
    const struct container_stream *stream = container_stream(container, number);
    if (stream->symbol_bytes != 1 || stream->sections != 1 || stream->section_symbols > CONTAINER_EXTRA_MAX ||
        stream->section_symbols / EXTRA_RATIO > container_stream_bytes(container, number))
        return container_invalid(container, "a stream has the wrong length");
    TRY(memory_new(data, stream->section_symbols, 1, "a stream"));
    *bytes = stream->section_symbols;
    const int code = container_read_blocks(container, number, 0, container_blocks(stream), *data);
    if (code != 0) {
        free(*data);
        *data = NULL;
    }
    return code;
}
