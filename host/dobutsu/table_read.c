// table_read.c - reading the dobutsu table: from a code to the place of its value
//
// Where each bucket begins is in memory (1 MB); inside a bucket at most 16 cells are counted. So a probe looks at the codes
// of up to 16 cells and at one block.
#include "dobutsu/table_read.h"

#include "table/properties.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int dobutsu_faulty(const struct dobutsu_table *table, const char *what)
{
    return container_invalid(table->container, what);
}

int dobutsu_say_how_to_mend(int code)
{
    return code == CLTB_E_CORRUPT ? error_append(code, "; cltb build dobutsu makes it anew") : code;
}

// ---- opening ----

static int parse_text(struct dobutsu_table *table, uint32_t cells)
{
    const char *text = container_text(table->container);
    char value[64];
    uint64_t number;
    uint64_t codes = 0;
    TRY(property_check_game(text, "dobutsu", container_path(table->container)));
    if (!property_text(text, "omitted", value, sizeof value) || strcmp(value, DOBUTSU_OMITTED) != 0)
        return dobutsu_faulty(table, "it leaves out other codes than this program knows");
    if (!property_number(text, "cells", &number) || number != cells)
        return dobutsu_faulty(table, "it has not all codes");
    if (!property_number(text, "kept", &table->info.kept) || table->info.kept > (uint64_t)cells * DOBUTSU_CELL_CODES)
        return dobutsu_faulty(table, "the number of its values is missing or wrong");
    for (int i = 0; i < DOBUTSU_VALUES; i++) {
        char key[16];
        snprintf(key, sizeof key, "codes-%d", i);
        if (property_number(text, key, &table->info.count[i]))
            codes += table->info.count[i];
    }
    if (codes != (uint64_t)cells * DOBUTSU_CELL_CODES)
        return dobutsu_faulty(table, "its counts are missing or wrong");
    return 0;
}

static bool right_shape(const struct dobutsu_table *table, int stream, uint32_t symbol_bytes, uint64_t symbols)
{
    if (stream < 0)
        return false;
    const struct container_stream *shape = container_stream(table->container, stream);
    return shape->symbol_bytes == symbol_bytes && shape->sections == 1 && shape->section_symbols == symbols;
}

static int find_streams(struct dobutsu_table *table)
{
    table->bucket_stream = container_find(table->container, DOBUTSU_STREAM_BUCKETS);
    table->value_stream = container_find(table->container, DOBUTSU_STREAM_VALUES);
    if (!right_shape(table, table->bucket_stream, 2, table->buckets) ||
        !right_shape(table, table->value_stream, 1, table->info.kept))
        return dobutsu_faulty(table, "a stream is missing or has the wrong length");
    table->info.file_bytes = container_file_bytes(table->container);
    table->info.bucket_bytes = container_stream_bytes(table->container, table->bucket_stream);
    table->info.value_bytes = container_stream_bytes(table->container, table->value_stream);
    table->info.block_values = container_stream(table->container, table->value_stream)->block_symbols;
    return 0;
}

static int sum_buckets(struct dobutsu_table *table, const uint8_t *counts)
{
    for (uint32_t i = 0; i < table->buckets; i++) {
        const uint32_t count = counts[2 * i] | (uint32_t)counts[2 * i + 1] << 8;
        if (count > DOBUTSU_BUCKET_CODES)
            return dobutsu_faulty(table, "a bucket has too many values");
        table->start[i + 1] = table->start[i] + count;
    }
    return table->start[table->buckets] == table->info.kept
               ? 0
               : dobutsu_faulty(table, "its buckets do not have as many values as it keeps");
}

static int read_buckets(struct dobutsu_table *table)
{
    const struct container_stream *shape = container_stream(table->container, table->bucket_stream);
    table->start = calloc((size_t)table->buckets + 1, sizeof *table->start);
    uint8_t *counts = calloc(table->buckets, 2);
    int code = 0;
    if (table->start == NULL || counts == NULL)
        code = error_memory((size_t)table->buckets * 6, "the buckets of a dobutsu table");
    for (uint64_t block = 0; code == 0 && block < container_blocks(shape); block++)
        code = container_read(table->container, table->bucket_stream, block, counts + 2 * block * shape->block_symbols);
    if (code == 0)
        code = sum_buckets(table, counts);
    free(counts);
    return code;
}

static int open_container(struct dobutsu_table *table, const char *path, uint32_t cells)
{
    TRY(container_open(&table->container, path));
    TRY(parse_text(table, cells));
    TRY(find_streams(table));
    return read_buckets(table);
}

int dobutsu_open_cells(struct dobutsu_table **result, const char *path, uint32_t cells, size_t cache_bytes)
{
    *result = NULL;
    struct dobutsu_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return error_memory(sizeof *table, "a table");
    pthread_mutex_init(&table->lock, NULL);
    table->cells = cells;
    table->buckets = cells / DOBUTSU_BUCKET_CELLS;
    int code = open_container(table, path, cells);
    if (code == 0)
        code = block_cache_open(&table->cache, cache_bytes);
    if (code == 0)
        code = cached_container_open(&table->blocks, table->cache, table->container);
    if (code != 0) {
        dobutsu_table_close(table);
        return code;
    }
    *result = table;
    return 0;
}

int dobutsu_table_open(struct dobutsu_table **table, const char *path, size_t cache_bytes)
{
    return dobutsu_open_cells(table, path, DOBUTSU_CELLS, cache_bytes);
}

void dobutsu_table_close(struct dobutsu_table *table)
{
    if (table == NULL)
        return;
    dobutsu_bulk_close(table);
    cached_container_close(table->blocks);
    block_cache_close(table->cache);
    container_close(table->container);
    pthread_mutex_destroy(&table->lock);
    free(table->start);
    free(table);
}

const struct dobutsu_table_info *dobutsu_table_info(const struct dobutsu_table *table)
{
    return &table->info;
}

// ---- probing ----

// The members of a set before `op`.
static uint32_t rank(const uint64_t set[4], uint32_t op)
{
    uint32_t bits = (uint32_t)__builtin_popcountll(set[op / 64] & ((UINT64_C(1) << op % 64) - 1));
    for (uint32_t i = 0; i < op / 64; i++)
        bits += (uint32_t)__builtin_popcountll(set[i]);
    return bits;
}

// The number of the first value of a cell.
static uint32_t cell_start(const struct dobutsu_table *table, const struct dobutsu_bulk *bulk, uint32_t cell)
{
    if (bulk != NULL)
        return bulk->start[cell];
    uint32_t start = table->start[cell / DOBUTSU_BUCKET_CELLS];
    for (uint32_t i = cell - cell % DOBUTSU_BUCKET_CELLS; i < cell; i++) {
        struct dobutsu_cell sets;
        dobutsu_cell(i, &sets);
        start += dobutsu_bits(sets.kept);
    }
    return start;
}

static int kept_value(struct dobutsu_table *table, uint32_t code, uint8_t *value)
{
    const struct dobutsu_bulk *bulk = atomic_load_explicit(&table->bulk, memory_order_acquire);
    const uint32_t cell = code / DOBUTSU_CELL_CODES;
    struct dobutsu_cell sets;
    dobutsu_cell(cell, &sets);
    const uint32_t place = cell_start(table, bulk, cell) + rank(sets.kept, code % DOBUTSU_CELL_CODES);
    if (bulk != NULL) {
        *value = bulk->values[place];
        return 0;
    }
    if (place >= table->start[cell / DOBUTSU_BUCKET_CELLS + 1])
        return dobutsu_faulty(table, "a bucket has the wrong number of values");
    unsigned symbol;
    TRY(cached_symbol(table->blocks, table->value_stream, 0, place, &symbol));
    if (!dobutsu_searched((uint8_t)symbol))
        return dobutsu_faulty(table, "a value contradicts its code");
    *value = (uint8_t)symbol;
    return 0;
}

int dobutsu_table_value(struct dobutsu_table *table, uint32_t code, uint8_t *value)
{
    const uint32_t cell = code / DOBUTSU_CELL_CODES;
    const uint32_t op = code % DOBUTSU_CELL_CODES;
    struct dobutsu_cell sets;
    if (cell >= table->cells)
        return error_set(CLTB_E_USAGE, "%lu is no code of a dobutsu position", (unsigned long)code);
    dobutsu_cell(cell, &sets);
    *value = dobutsu_has(sets.invalid, op) ? DOBUTSU_INVALID : 0;
    if (dobutsu_has(sets.invalid, op) || dobutsu_has(sets.won, op))
        return 0;
    return dobutsu_say_how_to_mend(
        kept_value(table, dobutsu_has(sets.kept, op) ? code : dobutsu_kept_code(code), value));
}
