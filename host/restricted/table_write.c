// table_write.c - writes the table of a restricted endgame slice by slice
//
// Blocks of a slice are filled and compressed on all threads. Each depends on its own values alone, so the blocks are the same
// whatever the number of threads.
#include "restricted/table_text.h"
#include "table/container.h"
#include "util/error.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVEL = 9,        // of zstd, as for other tables
    FIGURES_MAX = 640 // bytes of all properties but the spec
};

struct worker {
    struct container_compressor *compressor;
    uint8_t *symbols;    // a block
    uint8_t *compressed; // container_bound()
    uint64_t positions[COLOURS][TABLE_OUTCOMES];
    int longest[COLOURS][TABLE_OUTCOMES];
};

struct restricted_writer {
    struct container_writer *file;
    struct container_stream stream[COLOURS];
    char *text;        // of the spec
    uint32_t *section; // [slices]
    uint8_t *written;  // [sections]
    uint32_t sections; //
    uint32_t slices;   //
    int workers;       //
    struct worker *worker;
    struct container_piece *pieces[COLOURS]; // [blocks of a section]
};

uint32_t *restricted_sections(const struct restricted_index *index, uint32_t *kept)
{
    uint32_t *section = malloc(index->slices * sizeof *section);
    *kept = 0;
    if (section == NULL) {
        error_memory(index->slices * sizeof *section, "the slices of a restricted table");
        return NULL;
    }
    for (uint32_t i = 0; i < index->slices; i++) {
        section[i] = *kept;
        *kept += index->kept[i] != 0;
    }
    return section;
}

// ---- opening ----

static int write_spec(struct restricted_writer *writer, const struct spec *spec)
{
    const size_t length = spec_write(spec, NULL, 0);
    writer->text = malloc(length + 1);
    if (writer->text == NULL)
        return error_memory(length + 1, "the text of a spec");
    spec_write(spec, writer->text, length + 1);
    return 0;
}

static int open_file(struct restricted_writer *writer, const char *path, const struct restricted_index *index)
{
    TRY(write_spec(writer, &index->spec));
    writer->slices = index->slices;
    writer->section = restricted_sections(index, &writer->sections);
    if (writer->section == NULL)
        return CLTB_E_MEMORY;
    writer->written = calloc((size_t)writer->sections + 1, 1);
    if (writer->written == NULL)
        return error_memory(writer->sections, "the slices of a restricted table");
    for (int side = WHITE; side <= BLACK; side++) {
        struct container_stream *stream = &writer->stream[side];
        *stream = (struct container_stream){.symbol_bytes = 2,
                                            .block_symbols = RESTRICTED_BLOCK_SYMBOLS,
                                            .sections = writer->sections,
                                            .section_symbols = index->slice_entries};
        snprintf(stream->name, sizeof stream->name, "%s", restricted_stream_name(side));
        const uint64_t blocks = container_section_blocks(stream);
        writer->pieces[side] = calloc(blocks + 1, sizeof *writer->pieces[side]);
        if (writer->pieces[side] == NULL)
            return error_memory(blocks * sizeof *writer->pieces[side], "compressed blocks");
    }
    return container_create(&writer->file, path, writer->stream, COLOURS, FIGURES_MAX + strlen(writer->text) + 1);
}

int restricted_writer_open(struct restricted_writer **result, const char *path, const struct restricted_index *index)
{
    *result = NULL;
    struct restricted_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return error_memory(sizeof *writer, "a table writer");
    const int code = open_file(writer, path, index);
    if (code != 0) {
        restricted_writer_abandon(writer);
        return code;
    }
    *result = writer;
    return 0;
}

static void drop_pieces(struct restricted_writer *writer)
{
    for (int side = WHITE; side <= BLACK; side++) {
        const uint64_t blocks = container_section_blocks(&writer->stream[side]);
        for (uint64_t i = 0; writer->pieces[side] != NULL && i < blocks; i++) {
            free((void *)(uintptr_t)writer->pieces[side][i].data);
            writer->pieces[side][i] = (struct container_piece){0};
        }
    }
}

void restricted_writer_abandon(struct restricted_writer *writer)
{
    if (writer == NULL)
        return;
    container_abandon(writer->file);
    for (int i = 0; i < writer->workers; i++) {
        container_compressor_close(writer->worker[i].compressor);
        free(writer->worker[i].symbols);
        free(writer->worker[i].compressed);
    }
    free(writer->worker);
    for (int side = WHITE; side <= BLACK; side++)
        free(writer->pieces[side]);
    free(writer->written);
    free(writer->section);
    free(writer->text);
    free(writer);
}

// ---- slices ----

static int open_worker(struct worker *worker)
{
    const size_t bytes = (size_t)2 * RESTRICTED_BLOCK_SYMBOLS;
    for (int side = WHITE; side <= BLACK; side++)
        for (int i = 0; i < TABLE_OUTCOMES; i++)
            worker->longest[side][i] = -1;
    worker->symbols = malloc(bytes);
    worker->compressed = malloc(container_bound(bytes));
    if (worker->symbols == NULL || worker->compressed == NULL)
        return error_memory(bytes + container_bound(bytes), "compressing a block");
    return container_compressor_open(&worker->compressor, LEVEL);
}

static int open_workers(struct restricted_writer *writer, int threads)
{
    if (threads <= writer->workers)
        return 0;
    struct worker *more = realloc(writer->worker, (size_t)threads * sizeof *more);
    if (more == NULL)
        return error_memory((size_t)threads * sizeof *more, "threads");
    writer->worker = more;
    while (writer->workers < threads) {
        struct worker *worker = &writer->worker[writer->workers++];
        memset(worker, 0, sizeof *worker);
        TRY(open_worker(worker));
    }
    return 0;
}

struct slice {
    struct restricted_writer *writer;
    uint16_t *const *value; // [COLOURS]
};

static void count_value(struct worker *worker, int side, uint16_t code)
{
    const struct cltb_value value = restricted_value_of(code);
    const int slot = value.outcome + 2;
    worker->positions[side][slot]++;
    if (value.outcome != CLTB_DRAW && value.dtz > worker->longest[side][slot])
        worker->longest[side][slot] = value.dtz;
}

// The values as symbols. What is no position gets the value before it, the first ones that of the first position.
static int fill_block(struct worker *worker, int side, const uint16_t *value, uint32_t count)
{
    uint32_t first = 0;
    while (first < count && value[first] == RESTRICTED_ILLEGAL)
        first++;
    uint16_t last = first < count ? value[first] : RESTRICTED_OPEN;
    for (uint32_t i = 0; i < count; i++) {
        if (value[i] != RESTRICTED_ILLEGAL) {
            last = value[i];
            if (!restricted_storable(last))
                return error_set(CLTB_E_MISMATCH, "%u is no value of a restricted table", (unsigned)last);
            count_value(worker, side, last);
        }
        worker->symbols[2 * i] = (uint8_t)last;
        worker->symbols[2 * i + 1] = (uint8_t)(last >> 8);
    }
    return 0;
}

static int pack_block(void *context, uint64_t item, int number)
{
    const struct slice *slice = context;
    struct restricted_writer *writer = slice->writer;
    struct worker *worker = &writer->worker[number];
    const int side = (int)(item % COLOURS);
    const uint64_t block = item / COLOURS;
    const uint32_t count = container_block_length(&writer->stream[side], block);
    size_t bytes;
    TRY(fill_block(worker, side, slice->value[side] + block * RESTRICTED_BLOCK_SYMBOLS, count));
    TRY(container_compress(worker->compressor, worker->symbols, (size_t)2 * count, worker->compressed, &bytes));
    void *copy = malloc(bytes);
    if (copy == NULL)
        return error_memory(bytes, "a compressed block");
    memcpy(copy, worker->compressed, bytes);
    writer->pieces[side][block] = (struct container_piece){copy, (uint32_t)bytes};
    return 0;
}

int restricted_writer_add(struct restricted_writer *writer, uint32_t number, uint16_t *const value[COLOURS],
                          struct thread_pool *pool)
{
    struct slice slice = {writer, value};
    if (number >= writer->slices || writer->written[writer->section[number]])
        return error_set(CLTB_E_USAGE, "slice %lu is none of this table's, or was written before",
                         (unsigned long)number);
    const uint32_t section = writer->section[number];
    TRY(open_workers(writer, threads_count(pool)));
    int code = threads_each(pool, COLOURS * container_section_blocks(&writer->stream[WHITE]), pack_block, &slice);
    for (int side = WHITE; code == 0 && side <= BLACK; side++)
        code = container_add(writer->file, side, section, writer->pieces[side]);
    drop_pieces(writer);
    writer->written[section] = code == 0;
    return code;
}

// ---- the end ----

static struct restricted_info sum_up(const struct restricted_writer *writer)
{
    struct restricted_info info = {0};
    for (int side = WHITE; side <= BLACK; side++) {
        for (int i = 0; i < TABLE_OUTCOMES; i++) {
            info.longest[side][i] = -1;
            for (int w = 0; w < writer->workers; w++) {
                const int longest = writer->worker[w].longest[side][i];
                info.positions[side][i] += writer->worker[w].positions[side][i];
                info.longest[side][i] = longest > info.longest[side][i] ? longest : info.longest[side][i];
            }
        }
    }
    return info;
}

static void put_text(const struct restricted_writer *writer, char *text, size_t size)
{
    const struct restricted_info info = sum_up(writer);
    size_t at = (size_t)snprintf(text, size, "game chess\nmetric dtz\nrestricted %d\nslices %lu\nentries %" PRIu64,
                                 RESTRICTED_VERSION, (unsigned long)writer->sections,
                                 writer->sections * writer->stream[WHITE].section_symbols);
    for (int side = WHITE; side <= BLACK; side++) {
        const uint64_t *n = info.positions[side];
        const int *ply = info.longest[side];
        const char letter = side == WHITE ? 'w' : 'b';
        at += (size_t)snprintf(text + at, size - at,
                               "\npositions-%c %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                               "\nlongest-%c %d %d %d %d %d",
                               letter, n[0], n[1], n[2], n[3], n[4], letter, ply[0], ply[1], ply[2], ply[3], ply[4]);
    }
    snprintf(text + at, size - at, RESTRICTED_SPEC_LINE "%s", writer->text);
}

static int finish(struct restricted_writer *writer)
{
    for (uint32_t i = 0; i < writer->sections; i++) {
        if (!writer->written[i])
            return error_set(CLTB_E_USAGE, "a slice of the table has not been written");
    }
    const size_t size = FIGURES_MAX + strlen(writer->text) + 1;
    char *text = malloc(size);
    if (text == NULL)
        return error_memory(size, "the text of a table");
    put_text(writer, text, size);
    const int code = container_finish(writer->file, text);
    writer->file = NULL;
    free(text);
    return code;
}

int restricted_writer_finish(struct restricted_writer *writer)
{
    const int code = finish(writer);
    restricted_writer_abandon(writer);
    return code;
}
