// table.c - reading the table of a restricted endgame
//
// The index is worked out anew from the spec that the file keeps, so nothing about the order of entries is stored.
#include "restricted/table.h"

#include "restricted/table_text.h"
#include "table/block_cache.h"
#include "table/container.h"
#include "table/properties.h"
#include "util/error.h"
#include "util/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct restricted_table {
    struct container *container;
    struct block_cache *cache;
    struct cached_container *blocks;
    struct restricted_index index;
    struct restricted_info info;
    uint32_t *section; // [slices]
    int stream[COLOURS];
};

static int faulty(const struct restricted_table *table, const char *what)
{
    return container_invalid(table->container, what);
}

// ---- opening ----

static int check_kind(const struct restricted_table *table, const char *text)
{
    const char *path = container_path(table->container);
    char value[64];
    uint64_t version;
    TRY(property_check_game(text, "chess", path));
    if (!property_text(text, "restricted", value, sizeof value))
        return property_text(text, "material", value, sizeof value)
                   ? error_set(CLTB_E_FOREIGN, "%s is a full table, of %s, not a restricted one", path, value)
                   : faulty(table, "it does not say of which endgame");
    if (!property_number(text, "restricted", &version) || version != RESTRICTED_VERSION)
        return error_set(CLTB_E_FOREIGN, "%s is a restricted table of another version, %s", path, value);
    if (!property_text(text, "metric", value, sizeof value) || strcmp(value, "dtz") != 0)
        return faulty(table, "its distances are not DTZ");
    return 0;
}

// As a fault of the file, unless memory is short.
static int unusable(const struct restricted_table *table, int code)
{
    return code == CLTB_E_MEMORY
               ? code
               : error_prefix(CLTB_E_CORRUPT, "%s is not a valid table: its spec", container_path(table->container));
}

static int parse_spec(struct restricted_table *table, const char *text)
{
    const char *line = strstr(text, RESTRICTED_SPEC_LINE);
    if (line == NULL)
        return faulty(table, "it has no spec");
    struct spec *spec = calloc(1, sizeof *spec);
    if (spec == NULL)
        return error_memory(sizeof *spec, "a spec");
    int code = spec_parse(spec, line + strlen(RESTRICTED_SPEC_LINE));
    // A slice is kept or the image of one: a file cannot make us look for more than it has room for.
    const uint64_t sections = container_stream(table->container, table->stream[WHITE])->sections;
    if (code == 0)
        code = restricted_index_open_within(
            &table->index, spec, sections < UINT32_MAX / 2 ? 2 * (uint32_t)sections : UINT32_MAX, UINT64_MAX);
    free(spec);
    return code != 0 ? unusable(table, code) : 0;
}

static int find_streams(struct restricted_table *table)
{
    for (int side = WHITE; side <= BLACK; side++) {
        table->stream[side] = container_find(table->container, restricted_stream_name(side));
        if (table->stream[side] < 0)
            return faulty(table, "a stream is missing");
    }
    return 0;
}

static int check_streams(struct restricted_table *table, uint32_t kept)
{
    for (int side = WHITE; side <= BLACK; side++) {
        const int number = table->stream[side];
        const struct container_stream *stream = container_stream(table->container, number);
        if (stream->symbol_bytes != 2 || stream->sections != kept ||
            stream->section_symbols != table->index.slice_entries)
            return faulty(table, "a stream has the wrong length");
        table->info.value_bytes[side] = container_stream_bytes(table->container, number);
    }
    table->info.slices = kept;
    table->info.entries = kept * table->index.slice_entries;
    table->info.file_bytes = container_file_bytes(table->container);
    return 0;
}

static int open_all(struct restricted_table *table, const char *path, size_t cache_bytes)
{
    uint32_t kept;
    TRY(container_open(&table->container, path));
    const char *text = container_text(table->container);
    TRY(check_kind(table, text));
    TRY(properties_figures(text, table->container, table->info.positions, table->info.longest));
    TRY(find_streams(table));
    TRY(parse_spec(table, text));
    table->section = restricted_sections(&table->index, &kept);
    if (table->section == NULL)
        return CLTB_E_MEMORY;
    TRY(check_streams(table, kept));
    TRY(block_cache_open(&table->cache, cache_bytes));
    return cached_container_open(&table->blocks, table->cache, table->container);
}

int restricted_table_open(struct restricted_table **result, const char *path, size_t cache_bytes)
{
    *result = NULL;
    struct restricted_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return error_memory(sizeof *table, "a table");
    const int code = open_all(table, path, cache_bytes);
    if (code != 0) {
        restricted_table_close(table);
        return code;
    }
    *result = table;
    return 0;
}

void restricted_table_close(struct restricted_table *table)
{
    if (table == NULL)
        return;
    cached_container_close(table->blocks);
    block_cache_close(table->cache);
    container_close(table->container);
    restricted_index_close(&table->index);
    free(table->section);
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

const char *restricted_table_path(const struct restricted_table *table)
{
    return container_path(table->container);
}

// ---- values ----

int restricted_table_entry(struct restricted_table *table, uint32_t slice, int side, uint64_t entry, uint16_t *value)
{
    unsigned symbol;
    TRY(cached_symbol(table->blocks, table->stream[side], table->section[slice], entry, &symbol));
    if (!restricted_storable(symbol))
        return faulty(table, "a value is out of range");
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

// One block as numbers [container_block_length].
static int read_block(const struct restricted_table *table, int side, uint64_t block, uint16_t *values)
{
    const int stream = table->stream[side];
    const uint32_t count = container_block_length(container_stream(table->container, stream), block);
    TRY(container_read(table->container, stream, block, values));
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[2];
        memcpy(bytes, &values[i], 2);
        values[i] = (uint16_t)(bytes[0] | bytes[1] << 8);
        if (!restricted_storable(values[i]))
            return faulty(table, "a value is out of range");
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
        TRY(read_block(table, side, table->section[slice] * blocks + i, values + i * stream->block_symbols));
    return 0;
}

// ---- all blocks ----

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
