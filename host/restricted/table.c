// table.c - writes the table of a restricted endgame slice by slice, and reads it
//
// The file keeps the spec, from which the reader works out the index; so nothing about the order of entries is stored.
#include "restricted/table.h"

#include "table/block_cache.h"
#include "table/properties.h"
#include "table/value_blocks.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 1,      // of the property `restricted`
    LEVEL = 6,        // of zstd: with 9 files are a tenth smaller, and take half of all time
    FIGURES_MAX = 640 // bytes of all properties except the spec
};

static const char spec_line[] = "\nspec\n"; // the text of spec_write() follows
static const char *const stream_name[COLOURS] = {"value-w", "value-b"};

// ---- writing ----

// What a worker has packed of a slice.
struct figures {
    uint64_t positions[COLOURS][TABLE_OUTCOMES];
    int longest[COLOURS][TABLE_OUTCOMES];
};

struct restricted_writer {
    const struct restricted_index *index;
    struct container_writer *file;
    struct container_stream stream[COLOURS];
    size_t text_space; // for the properties
    uint8_t *written;  // [sections]
    struct value_packer packer;
    struct figures *figures;                     // [workers]
    uint64_t positions[COLOURS][TABLE_OUTCOMES]; // of the slices in the file
    int longest[COLOURS][TABLE_OUTCOMES];        //
    struct container_piece *pieces[COLOURS];     // [blocks of a section]
    uint16_t *const *value;                      // of the slice being packed
};

size_t restricted_slice_blocks(const struct restricted_index *index)
{
    return (index->slice_entries + VALUE_BLOCK - 1) / VALUE_BLOCK;
}

int restricted_writer_open(struct restricted_writer **result, const char *path, const struct restricted_index *index)
{
    int code = 0;
    *result = NULL;
    struct restricted_writer *writer;
    TRY(memory_new(&writer, 1, sizeof *writer, "a table writer"));
    writer->index = index;
    memset(writer->longest, -1, sizeof writer->longest);
    writer->text_space = FIGURES_MAX + spec_write(&index->spec, NULL, 0) + 1;
    writer->written = calloc((size_t)index->sections + 1, 1);
    if (writer->written == NULL)
        code = error_memory(index->sections, "the slices of a restricted table");
    for (int side = WHITE; code == 0 && side <= BLACK; side++) {
        struct container_stream *stream = &writer->stream[side];
        *stream = (struct container_stream){.symbol_bytes = 2,
                                            .block_symbols = VALUE_BLOCK,
                                            .sections = index->sections,
                                            .section_symbols = index->slice_entries};
        snprintf(stream->name, sizeof stream->name, "%s", stream_name[side]);
        const uint64_t blocks = container_section_blocks(stream);
        writer->pieces[side] = calloc(blocks + 1, sizeof *writer->pieces[side]);
        if (writer->pieces[side] == NULL)
            code = error_memory(blocks * sizeof *writer->pieces[side], "compressed blocks");
    }
    THEN(code, container_create(&writer->file, path, writer->stream, COLOURS, writer->text_space));
    if (code != 0)
        restricted_writer_abandon(writer);
    else
        *result = writer;
    return code;
}

static void free_pieces(struct restricted_writer *writer)
{
    const size_t blocks = restricted_slice_blocks(writer->index); // the streams may not have been described yet
    for (int side = WHITE; side <= BLACK; side++) {
        for (size_t i = 0; writer->pieces[side] != NULL && i < blocks; i++) {
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
    free_pieces(writer);
    value_packer_close(&writer->packer);
    free(writer->figures);
    free(writer->pieces[WHITE]);
    free(writer->pieces[BLACK]);
    free(writer->written);
    free(writer);
}

static int pack_block(void *context, uint64_t item, int worker)
{
    struct restricted_writer *writer = context;
    struct figures *figures = &writer->figures[worker];
    const int side = (int)(item % COLOURS);
    const uint64_t block = item / COLOURS;
    const uint16_t *value = writer->value[side] + block * VALUE_BLOCK;
    const uint32_t count = container_block_length(&writer->stream[side], block);
    for (uint32_t i = 0; i < count; i++) {
        if (value[i] == VALUE_ILLEGAL)
            continue;
        if (!value_code_fits(value[i]))
            return error_set(CLTB_E_MISMATCH, "%u is not a value of a restricted table", (unsigned)value[i]);
        const struct cltb_value found = value_of_code(value[i]);
        int *longest = &figures->longest[side][found.outcome + 2];
        figures->positions[side][found.outcome + 2]++;
        if (found.outcome != CLTB_DRAW && found.dtz > *longest)
            *longest = found.dtz;
    }
    memcpy(writer->packer.worker[worker].code, value, 2 * (size_t)count);
    return value_packer_pack(&writer->packer, worker, count, &writer->pieces[side][block]);
}

static void add_figures(uint64_t positions[COLOURS][TABLE_OUTCOMES], int longest[COLOURS][TABLE_OUTCOMES],
                        const uint64_t more[COLOURS][TABLE_OUTCOMES], const int farther[COLOURS][TABLE_OUTCOMES])
{
    for (int side = WHITE; side <= BLACK; side++) {
        for (int i = 0; i < TABLE_OUTCOMES; i++) {
            positions[side][i] += more[side][i];
            if (farther[side][i] > longest[side][i])
                longest[side][i] = farther[side][i];
        }
    }
}

int restricted_writer_pack(struct restricted_writer *writer, uint32_t slice, uint16_t *const value[COLOURS],
                           struct thread_pool *pool, struct restricted_blocks *blocks)
{
    free_pieces(writer);
    TRY(value_packer_open(&writer->packer, threads_count(pool), LEVEL));
    free(writer->figures);
    TRY(memory_new(&writer->figures, (size_t)writer->packer.workers, sizeof *writer->figures, "threads"));
    for (int i = 0; i < writer->packer.workers; i++)
        memset(writer->figures[i].longest, -1, sizeof writer->figures[i].longest);
    writer->value = value;
    *blocks = (struct restricted_blocks){.slice = slice,
                                         .count = restricted_slice_blocks(writer->index),
                                         .piece = {writer->pieces[WHITE], writer->pieces[BLACK]}};
    memset(blocks->longest, -1, sizeof blocks->longest);
    TRY(threads_each(pool, COLOURS * blocks->count, pack_block, writer));
    for (int i = 0; i < writer->packer.workers; i++)
        add_figures(blocks->positions, blocks->longest, writer->figures[i].positions, writer->figures[i].longest);
    return 0;
}

int restricted_writer_put(struct restricted_writer *writer, const struct restricted_blocks *blocks)
{
    const struct restricted_index *index = writer->index;
    if (blocks->slice >= index->slices || writer->written[index->section[blocks->slice]])
        return error_set(CLTB_E_USAGE, "slice %lu does not belong to this table, or was written before",
                         (unsigned long)blocks->slice);
    for (int side = WHITE; side <= BLACK; side++)
        TRY(container_add(writer->file, side, index->section[blocks->slice], blocks->piece[side]));
    add_figures(writer->positions, writer->longest, blocks->positions, blocks->longest);
    writer->written[index->section[blocks->slice]] = 1;
    return 0;
}

int restricted_writer_add(struct restricted_writer *writer, uint32_t slice, uint16_t *const value[COLOURS],
                          struct thread_pool *pool)
{
    struct restricted_blocks blocks;
    TRY(restricted_writer_pack(writer, slice, value, pool, &blocks));
    return restricted_writer_put(writer, &blocks);
}

int restricted_writer_finish(struct restricted_writer *writer)
{
    const struct restricted_index *index = writer->index;
    const size_t size = writer->text_space;
    char *text = malloc(size);
    int code = text == NULL ? error_memory(size, "the text of a table") : 0;
    if (memchr(writer->written, 0, index->sections) != NULL)
        code = error_set(CLTB_E_USAGE, "a slice of the table has not been written");
    if (code != 0)
        goto cleanup;
    size_t at = (size_t)snprintf(text, size, "game chess\nmetric dtz\nrestricted %d\nslices %lu\nentries %" PRIu64,
                                 VERSION, (unsigned long)index->sections, index->sections * index->slice_entries);
    for (int side = WHITE; side <= BLACK; side++) {
        const uint64_t *n = writer->positions[side];
        const int *ply = writer->longest[side];
        const char letter = side == WHITE ? 'w' : 'b';
        at += (size_t)snprintf(text + at, size - at,
                               "\npositions-%c %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                               "\nlongest-%c %d %d %d %d %d",
                               letter, n[0], n[1], n[2], n[3], n[4], letter, ply[0], ply[1], ply[2], ply[3], ply[4]);
    }
    at += (size_t)snprintf(text + at, size - at, "%s", spec_line);
    spec_write(&index->spec, text + at, size - at);
    code = container_finish(writer->file, text);
    writer->file = NULL;
cleanup:
    free(text);
    restricted_writer_abandon(writer);
    return code;
}

// ---- opening ----

struct restricted_table {
    struct container *container;
    struct block_cache *cache;
    struct cached_container *blocks;
    struct restricted_index index;
    struct restricted_info info;
    int stream[COLOURS];
};

static int invalid(const struct restricted_table *table, const char *what)
{
    return container_invalid(table->container, what);
}

static int parse_spec(struct restricted_table *table, const char *text)
{
    const char *line = strstr(text, spec_line);
    if (line == NULL)
        return invalid(table, "it has no spec");
    struct spec *spec;
    TRY(memory_new(&spec, 1, sizeof *spec, "a spec"));
    int code = spec_parse(spec, line + strlen(spec_line));
    // A slice is either kept or the image of a kept one, so there are at most twice as many as the file has sections.
    const uint64_t sections = container_stream(table->container, table->stream[WHITE])->sections;
    const uint32_t most = sections < UINT32_MAX / 2 ? 2 * (uint32_t)sections : UINT32_MAX;
    THEN(code, restricted_index_open(&table->index, spec, most, UINT64_MAX));
    free(spec);
    return code == 0 || code == CLTB_E_MEMORY
               ? code
               : error_prefix(CLTB_E_CORRUPT, "%s is not a valid table: its spec", container_path(table->container));
}

static int open_table(struct restricted_table *table, const char *path, size_t cache_bytes)
{
    char value[64];
    uint64_t version;
    TRY(container_open(&table->container, path));
    const char *text = container_text(table->container);
    path = container_path(table->container);
    TRY(property_check_game(text, "chess", path));
    if (!property_text(text, "restricted", value, sizeof value))
        return property_text(text, "material", value, sizeof value)
                   ? error_set(CLTB_E_FOREIGN,
                               "%s is a full table, of %s, not a restricted one (it is found as %s.cltb)", path, value,
                               value)
                   : invalid(table, "it does not say of which endgame");
    if (!property_number(text, "restricted", &version) || version != VERSION)
        return error_set(CLTB_E_FOREIGN, "%s is a restricted table of another version, %s", path, value);
    if (!property_text(text, "metric", value, sizeof value) || strcmp(value, "dtz") != 0)
        return invalid(table, "its distances are not DTZ");
    TRY(properties_figures(text, table->container, table->info.positions, table->info.longest));
    for (int side = WHITE; side <= BLACK; side++) {
        table->stream[side] = container_find(table->container, stream_name[side]);
        if (table->stream[side] < 0)
            return invalid(table, "a stream is missing");
    }
    TRY(parse_spec(table, text));
    for (int side = WHITE; side <= BLACK; side++) {
        const struct container_stream *stream = container_stream(table->container, table->stream[side]);
        if (stream->symbol_bytes != 2 || stream->sections != table->index.sections ||
            stream->section_symbols != table->index.slice_entries)
            return invalid(table, "a stream has the wrong length");
        table->info.value_bytes[side] = container_stream_bytes(table->container, table->stream[side]);
    }
    table->info.slices = table->index.sections;
    table->info.entries = table->index.sections * table->index.slice_entries;
    table->info.file_bytes = container_file_bytes(table->container);
    TRY(block_cache_open(&table->cache, cache_bytes));
    return cached_container_open(&table->blocks, table->cache, table->container);
}

int restricted_table_open(struct restricted_table **result, const char *path, size_t cache_bytes)
{
    *result = NULL;
    struct restricted_table *table;
    TRY(memory_new(&table, 1, sizeof *table, "a table"));
    const int code = open_table(table, path, cache_bytes);
    if (code != 0)
        restricted_table_close(table);
    else
        *result = table;
    return code;
}

void restricted_table_close(struct restricted_table *table)
{
    if (table == NULL)
        return;
    cached_container_close(table->blocks);
    block_cache_close(table->cache);
    container_close(table->container);
    restricted_index_close(&table->index);
    free(table);
}

const struct spec *restricted_table_spec(const struct restricted_table *table)
{
    return &table->index.spec;
}

const struct restricted_index *restricted_table_index(const struct restricted_table *table)
{
    return &table->index;
}

const struct restricted_info *restricted_table_info(const struct restricted_table *table)
{
    return &table->info;
}

uint64_t restricted_table_hash(const struct restricted_table *table)
{
    return container_hash(table->container);
}

// ---- reading ----

int restricted_table_entry(struct restricted_table *table, uint32_t slice, int side, uint64_t entry, uint16_t *value)
{
    unsigned symbol;
    TRY(cached_symbol(table->blocks, table->stream[side], table->index.section[slice], entry, &symbol));
    if (!value_code_fits(symbol))
        return invalid(table, "a value is out of range");
    *value = (uint16_t)symbol;
    return 0;
}

int restricted_table_value(struct restricted_table *table, const struct position *position, uint16_t *value)
{
    uint32_t slice;
    uint64_t entry;
    if (!restricted_find(&table->index, position, &slice, &entry)) {
        char name[SPEC_NAME_MAX];
        spec_name(&table->index.spec, name);
        return error_set(CLTB_E_POSITION, "the position is outside the set of %s: %s", container_path(table->container),
                         name);
    }
    return restricted_table_entry(table, slice, position->side, entry, value);
}

// Reads one block as numbers [container_block_length].
static int read_block(const struct restricted_table *table, int side, uint64_t block, uint16_t *values)
{
    const int stream = table->stream[side];
    const uint32_t count = container_block_length(container_stream(table->container, stream), block);
    TRY(container_read(table->container, stream, block, values));
    for (uint32_t i = 0; i < count; i++) {
        if (!value_code_fits(values[i]))
            return invalid(table, "a value is out of range");
    }
    return 0;
}

int restricted_table_slice(struct restricted_table *table, uint32_t slice, int side, uint16_t *values)
{
    const struct container_stream *stream = container_stream(table->container, table->stream[side]);
    const uint64_t blocks = container_section_blocks(stream);
    if (slice >= table->index.slices || !table->index.kept[slice])
        return error_set(CLTB_E_USAGE, "%s does not store slice %lu", container_path(table->container),
                         (unsigned long)slice);
    for (uint64_t i = 0; i < blocks; i++)
        TRY(read_block(table, side, table->index.section[slice] * blocks + i, values + i * stream->block_symbols));
    return 0;
}

static int check_block(void *context, uint64_t item, int worker)
{
    const struct restricted_table *table = context;
    const uint64_t white = container_blocks(container_stream(table->container, table->stream[WHITE]));
    const int side = item < white ? WHITE : BLACK;
    const size_t bytes = 2 * (size_t)container_stream(table->container, table->stream[side])->block_symbols;
    (void)worker;
    uint16_t *values = malloc(bytes);
    if (values == NULL)
        return error_memory(bytes, "a block");
    const int code = read_block(table, side, side == WHITE ? item : item - white, values);
    free(values);
    return code;
}

int restricted_table_check(struct restricted_table *table, struct thread_pool *pool)
{
    uint64_t blocks = 0;
    for (int side = WHITE; side <= BLACK; side++)
        blocks += container_blocks(container_stream(table->container, table->stream[side]));
    return threads_each(pool, blocks, check_block, table);
}
