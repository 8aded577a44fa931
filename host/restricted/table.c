// table.c - writes the table of a restricted endgame slice by slice, and reads it
//
// The file keeps the spec, from which the reader works out the index; so nothing about the order of entries is stored.
#include "restricted/table.h"

#include "table/properties.h"
#include "util/error.h"
#include "util/memory.h"

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

struct restricted_writer {
    const struct restricted_index *index;
    struct container_writer *file;
    struct container_stream stream[COLOURS];
    size_t text_space; // for the properties
    uint8_t *written;  // [slices]
    struct value_packer packer;
    struct value_figures all;      // of the slices in the file
    struct container_piece *piece; // [COLOURS][blocks of a section]
    uint16_t *const *value;        // of the slice being packed
};

size_t restricted_slice_blocks(const struct restricted_index *index)
{
    return (index->slice_entries + VALUE_BLOCK - 1) / VALUE_BLOCK;
}

int restricted_writer_open(struct restricted_writer **result, const char *path, const struct restricted_index *index)
{
    *result = NULL;
    struct restricted_writer *writer;
    TRY(memory_new(&writer, 1, sizeof *writer, "a table writer"));
    writer->index = index;
    value_figures_clear(&writer->all);
    writer->text_space = FIGURES_MAX + spec_write(&index->spec, NULL, 0) + 1;
    for (int side = WHITE; side <= BLACK; side++)
        value_stream_set(&writer->stream[side], stream_name[side], index->slices, index->slice_entries);
    int code = memory_new(&writer->written, index->slices, 1, "the slices of a restricted table");
    THEN(code, memory_new(&writer->piece, COLOURS * restricted_slice_blocks(index), sizeof *writer->piece,
                          "compressed blocks"));
    THEN(code, container_create(&writer->file, path, writer->stream, COLOURS, writer->text_space));
    if (code != 0)
        restricted_writer_abandon(writer);
    else
        *result = writer;
    return code;
}

void restricted_writer_abandon(struct restricted_writer *writer)
{
    if (writer == NULL)
        return;
    container_abandon(writer->file);
    value_pieces_free(writer->piece, COLOURS * restricted_slice_blocks(writer->index));
    value_packer_close(&writer->packer);
    free(writer->piece);
    free(writer->written);
    free(writer);
}

static int fill_block(void *context, uint64_t item, int worker, uint16_t *code, uint32_t *count)
{
    struct restricted_writer *writer = context;
    const size_t blocks = restricted_slice_blocks(writer->index);
    const int side = (int)(item / blocks);
    const uint64_t block = item % blocks;
    const uint16_t *value = writer->value[side] + block * VALUE_BLOCK;
    *count = container_block_length(&writer->stream[side], block);
    for (uint32_t i = 0; i < *count; i++) {
        if (value[i] == VALUE_ILLEGAL)
            continue;
        if (!value_code_fits(value[i]))
            return error_set(CLTB_E_MISMATCH, "%u is not a value of a restricted table", (unsigned)value[i]);
        value_figures_add(&writer->packer.worker[worker].figures, side, value_of_code(value[i]));
    }
    memcpy(code, value, *count * sizeof *code);
    return 0;
}

int restricted_writer_pack(struct restricted_writer *writer, uint32_t slice, uint16_t *const value[COLOURS],
                           struct thread_pool *pool, struct restricted_blocks *blocks)
{
    const size_t count = restricted_slice_blocks(writer->index);
    value_pieces_free(writer->piece, COLOURS * count);
    TRY(value_packer_open(&writer->packer, pool, LEVEL));
    writer->value = value;
    *blocks =
        (struct restricted_blocks){.slice = slice, .count = count, .piece = {writer->piece, writer->piece + count}};
    value_figures_clear(&blocks->figures);
    TRY(value_packer_pack(&writer->packer, pool, COLOURS * count, writer->piece, fill_block, writer));
    for (int i = 0; i < writer->packer.workers; i++)
        value_figures_join(&blocks->figures, &writer->packer.worker[i].figures);
    return 0;
}

int restricted_writer_put(struct restricted_writer *writer, const struct restricted_blocks *blocks)
{
    const struct restricted_index *index = writer->index;
    if (blocks->slice >= index->slices || writer->written[blocks->slice])
        return error_set(CLTB_E_USAGE, "slice %lu does not belong to this table, or was written before",
                         (unsigned long)blocks->slice);
    for (int side = WHITE; side <= BLACK; side++)
        TRY(container_add(writer->file, side, blocks->slice, blocks->piece[side]));
    value_figures_join(&writer->all, &blocks->figures);
    writer->written[blocks->slice] = 1;
    return 0;
}

int restricted_writer_finish(struct restricted_writer *writer)
{
    const struct restricted_index *index = writer->index;
    const size_t size = writer->text_space;
    char *text = malloc(size);
    int code = text == NULL ? error_memory(size, "the text of a table") : 0;
    if (memchr(writer->written, 0, index->slices) != NULL)
        code = error_set(CLTB_E_USAGE, "a slice of the table has not been written");
    if (code != 0)
        goto cleanup;
    size_t at = (size_t)snprintf(text, size, "game chess\nmetric dtz\nrestricted %d\nslices %lu\nentries %" PRIu64,
                                 VERSION, (unsigned long)index->slices, index->slices * index->slice_entries);
    for (int side = WHITE; side <= BLACK; side++) {
        const uint64_t *n = writer->all.positions[side];
        const int *ply = writer->all.longest[side];
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

static int invalid(const struct restricted_table *table, const char *what)
{
    return container_invalid(table->file.container, what);
}

static int parse_spec(struct restricted_table *table, const char *text)
{
    const char *line = strstr(text, spec_line);
    const int white = container_find(table->file.container, stream_name[WHITE]);
    if (line == NULL)
        return invalid(table, "it has no spec");
    if (white < 0)
        return invalid(table, "a stream is missing");
    struct spec *spec;
    TRY(memory_new(&spec, 1, sizeof *spec, "a spec"));
    int code = spec_parse(spec, line + strlen(spec_line));
    // With mirror images there are at most twice as many slices as the file has sections.
    const uint64_t sections = container_stream(table->file.container, white)->sections;
    const uint32_t most = sections < UINT32_MAX / 2 ? 2 * (uint32_t)sections : UINT32_MAX;
    THEN(code, restricted_index_open(&table->index, spec, most, UINT64_MAX));
    free(spec);
    return code == 0 || code == CLTB_E_MEMORY ? code
                                              : error_prefix(CLTB_E_CORRUPT, "%s is not a valid table: its spec",
                                                             container_path(table->file.container));
}

static int open_table(struct restricted_table *table, const char *path, size_t cache_bytes)
{
    struct value_file *file = &table->file;
    struct restricted_info *info = &table->info;
    char value[64];
    TRY(value_file_open(file, path, cache_bytes));
    const char *text = container_text(file->container);
    if (!property_text(text, "restricted", value, sizeof value))
        return property_text(text, "material", value, sizeof value)
                   ? error_set(CLTB_E_FOREIGN,
                               "%s is a full table, of %s, not a restricted one (it is found as %s.cltb)",
                               container_path(file->container), value, value)
                   : invalid(table, "it does not say of which endgame");
    TRY(value_file_version(file, "restricted", VERSION, "is a restricted table"));
    TRY(properties_figures(text, file->container, info->figures.positions, info->figures.longest));
    TRY(parse_spec(table, text));
    for (int side = WHITE; side <= BLACK; side++) {
        TRY(value_file_stream(file, stream_name[side], table->index.slices, table->index.slice_entries,
                              &table->stream[side]));
        info->value_bytes[side] = container_stream_bytes(file->container, table->stream[side]);
    }
    info->slices = table->index.slices;
    info->entries = table->index.slices * table->index.slice_entries;
    info->file_bytes = container_file_bytes(file->container);
    return 0;
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
    value_file_close(&table->file);
    restricted_index_close(&table->index);
    free(table);
}

// ---- reading ----

int restricted_table_entry(struct restricted_table *table, uint32_t slice, int side, uint64_t entry, uint16_t *value)
{
    return value_file_code(&table->file, table->stream[side], slice, entry, value);
}

int restricted_table_value(struct restricted_table *table, const struct position *position, uint16_t *value)
{
    uint32_t slice;
    uint64_t entry;
    if (!restricted_find(&table->index, position, &slice, &entry)) {
        char name[SPEC_NAME_MAX];
        spec_name(&table->index.spec, name);
        return error_set(CLTB_E_POSITION, "the position is outside the set of %s: %s",
                         container_path(table->file.container), name);
    }
    return restricted_table_entry(table, slice, position->side, entry, value);
}
