// table_read.c - reads the dobutsu table: one code, or whole cells
//
// The start of each bucket is in memory (1 MB); inside a bucket at most 16 cells are counted. So a probe looks at the
// codes of up to 16 cells and at one block.
//
// The value of a duplicate is stored in the mirror image's cell, which may be anywhere in the file. So reading whole
// cells first loads all values (109 MB) and where each cell's begin (17 MB). Then a cell is expanded from its own
// values, and its duplicates from the values of the one cell that has them: the mirror image's, or itself.
#include "dobutsu/table.h"

#include "dobutsu/cells.h"
#include "table/block_cache.h"
#include "table/properties.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BUCKETS = 64 }; // counted together

struct dobutsu_table {
    struct container *container;
    struct block_cache *cache;
    struct cached_container *blocks;
    struct dobutsu_table_info info;
    uint32_t cells;
    uint32_t buckets;
    int bucket_stream; // numbers of the container's streams
    int value_stream;
    uint32_t *start;      // [buckets + 1]: number of each bucket's first value
    pthread_mutex_t lock; // held while loading
    atomic_bool loaded;   // if so, there are:
    uint8_t *values;      // [kept] all values, and
    uint32_t *cell_start; // [cells + 1] the number of each cell's first value
};

// Appends how to get an intact table to the sentence about a damaged one; returns `code`.
static int say_how_to_mend(int code)
{
    return code == CLTB_E_CORRUPT ? error_append(code, "; cltb build dobutsu makes a new one") : code;
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
        return container_invalid(table->container, "it leaves out other codes than this program knows");
    if (!property_number(text, "cells", &number) || number != cells)
        return container_invalid(table->container, "it does not have all codes");
    if (!property_number(text, "kept", &table->info.kept) || table->info.kept > (uint64_t)cells * DOBUTSU_CELL_CODES)
        return container_invalid(table->container, "the number of its values is missing or wrong");
    for (int i = 0; i < DOBUTSU_VALUES; i++) {
        char key[16];
        snprintf(key, sizeof key, "codes-%d", i);
        if (property_number(text, key, &table->info.count[i]))
            codes += table->info.count[i];
    }
    if (codes != (uint64_t)cells * DOBUTSU_CELL_CODES)
        return container_invalid(table->container, "its counts are missing or wrong");
    return 0;
}

static bool right_shape(const struct dobutsu_table *table, int stream, uint32_t symbol_bytes, uint64_t symbols)
{
    if (stream < 0)
        return false;
    const struct container_stream *shape = container_stream(table->container, stream);
    return shape->symbol_bytes == symbol_bytes && shape->sections == 1 && shape->section_symbols == symbols;
}

// Checks the shapes of the streams and reads where the buckets begin.
static int read_buckets(struct dobutsu_table *table)
{
    table->bucket_stream = container_find(table->container, DOBUTSU_STREAM_BUCKETS);
    table->value_stream = container_find(table->container, DOBUTSU_STREAM_VALUES);
    if (!right_shape(table, table->bucket_stream, 2, table->buckets) ||
        !right_shape(table, table->value_stream, 1, table->info.kept))
        return container_invalid(table->container, "a stream is missing or has the wrong length");
    table->info.file_bytes = container_file_bytes(table->container);
    table->info.bucket_bytes = container_stream_bytes(table->container, table->bucket_stream);
    table->info.value_bytes = container_stream_bytes(table->container, table->value_stream);
    table->info.block_values = container_stream(table->container, table->value_stream)->block_symbols;
    const struct container_stream *shape = container_stream(table->container, table->bucket_stream);
    uint8_t *counts;
    TRY(memory_new(&table->start, (size_t)table->buckets + 1, sizeof *table->start, "the buckets of a dobutsu table"));
    int code = memory_new(&counts, table->buckets, 2, "the buckets of a dobutsu table");
    for (uint64_t block = 0; code == 0 && block < container_blocks(shape); block++)
        code = container_read(table->container, table->bucket_stream, block, counts + 2 * block * shape->block_symbols);
    for (uint32_t i = 0; code == 0 && i < table->buckets; i++) {
        const uint32_t count = counts[2 * i] | (uint32_t)counts[2 * i + 1] << 8;
        table->start[i + 1] = table->start[i] + count;
        if (count > DOBUTSU_BUCKET_CODES)
            code = container_invalid(table->container, "a bucket has too many values");
    }
    if (code == 0 && table->start[table->buckets] != table->info.kept)
        code = container_invalid(table->container, "its buckets do not have as many values as it keeps");
    free(counts);
    return code;
}

int dobutsu_table_open_cells(struct dobutsu_table **result, const char *path, uint32_t cells, size_t cache_bytes)
{
    *result = NULL;
    struct dobutsu_table *table;
    TRY(memory_new(&table, 1, sizeof *table, "a table"));
    pthread_mutex_init(&table->lock, NULL);
    table->cells = cells;
    table->buckets = cells / DOBUTSU_BUCKET_CELLS;
    int code = container_open(&table->container, path);
    THEN(code, parse_text(table, cells));
    THEN(code, read_buckets(table));
    THEN(code, block_cache_open(&table->cache, cache_bytes));
    THEN(code, cached_container_open(&table->blocks, table->cache, table->container));
    if (code == 0)
        *result = table;
    else
        dobutsu_table_close(table);
    return code;
}

int dobutsu_table_open(struct dobutsu_table **table, const char *path, size_t cache_bytes)
{
    return dobutsu_table_open_cells(table, path, DOBUTSU_CELLS, cache_bytes);
}

static void unload(struct dobutsu_table *table)
{
    memory_unmap(table->values, table->info.kept);
    memory_unmap(table->cell_start, ((size_t)table->cells + 1) * sizeof *table->cell_start);
    table->values = NULL;
    table->cell_start = NULL;
}

void dobutsu_table_close(struct dobutsu_table *table)
{
    if (table == NULL)
        return;
    unload(table);
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

// ---- one code ----

static int kept_value(struct dobutsu_table *table, uint32_t code, uint8_t *value)
{
    const bool loaded = atomic_load_explicit(&table->loaded, memory_order_acquire);
    const uint32_t cell = code / DOBUTSU_CELL_CODES;
    const uint32_t op = code % DOBUTSU_CELL_CODES;
    struct dobutsu_cell sets;
    dobutsu_cell(cell, &sets);
    uint32_t place = loaded ? table->cell_start[cell] : table->start[cell / DOBUTSU_BUCKET_CELLS];
    for (uint32_t i = cell - cell % DOBUTSU_BUCKET_CELLS; !loaded && i < cell; i++)
        place += dobutsu_cell_kept(i);
    for (uint32_t i = 0; i < op / 64; i++)
        place += (uint32_t)__builtin_popcountll(sets.kept[i]);
    place += (uint32_t)__builtin_popcountll(sets.kept[op / 64] & ((UINT64_C(1) << op % 64) - 1));
    if (loaded) {
        *value = table->values[place];
        return 0;
    }
    if (place >= table->start[cell / DOBUTSU_BUCKET_CELLS + 1])
        return container_invalid(table->container, "a bucket has the wrong number of values");
    unsigned symbol;
    TRY(cached_symbol(table->blocks, table->value_stream, 0, place, &symbol));
    if (!dobutsu_searched((uint8_t)symbol))
        return container_invalid(table->container, "a value contradicts its code");
    *value = (uint8_t)symbol;
    return 0;
}

int dobutsu_table_value(struct dobutsu_table *table, uint32_t code, uint8_t *value)
{
    const uint32_t cell = code / DOBUTSU_CELL_CODES;
    const uint32_t op = code % DOBUTSU_CELL_CODES;
    struct dobutsu_cell sets;
    if (cell >= table->cells)
        return error_set(CLTB_E_USAGE, "%lu is not a code of a dobutsu position", (unsigned long)code);
    dobutsu_cell(cell, &sets);
    *value = dobutsu_has(sets.invalid, op) ? DOBUTSU_INVALID : 0;
    if (dobutsu_has(sets.invalid, op) || dobutsu_has(sets.won, op))
        return 0;
    return say_how_to_mend(kept_value(table, dobutsu_has(sets.kept, op) ? code : dobutsu_kept_code(code), value));
}

// ---- all values: loaded, or only checked ----

struct pass {
    const struct dobutsu_table *table;
    int stream;
    uint8_t *values;      // NULL: only check
    uint32_t *cell_start; // likewise
};

static int count_chunk(void *context, uint64_t chunk, int worker)
{
    const struct pass *pass = context;
    const struct dobutsu_table *table = pass->table;
    const uint64_t end = (chunk + 1) * CHUNK_BUCKETS < table->buckets ? (chunk + 1) * CHUNK_BUCKETS : table->buckets;
    (void)worker;
    for (uint32_t bucket = (uint32_t)chunk * CHUNK_BUCKETS; bucket < end; bucket++) {
        uint32_t start = table->start[bucket];
        for (uint32_t i = 0; i < DOBUTSU_BUCKET_CELLS; i++) {
            const uint32_t cell = bucket * DOBUTSU_BUCKET_CELLS + i;
            if (pass->cell_start != NULL)
                pass->cell_start[cell] = start;
            start += dobutsu_cell_kept(cell);
        }
        if (start != table->start[bucket + 1])
            return container_invalid(table->container, "a bucket has the wrong number of values");
    }
    return 0;
}

static int count_cells(struct pass *pass, struct thread_pool *pool)
{
    return threads_each(pool, (pass->table->buckets + CHUNK_BUCKETS - 1) / CHUNK_BUCKETS, count_chunk, pass);
}

static int read_block(void *context, uint64_t block, int worker)
{
    const struct pass *pass = context;
    const struct dobutsu_table *table = pass->table;
    const struct container_stream *shape = container_stream(table->container, pass->stream);
    const size_t bytes = (size_t)shape->block_symbols * shape->symbol_bytes;
    uint8_t *own = pass->values == NULL ? malloc(bytes) : NULL;
    uint8_t *symbols = pass->values == NULL ? own : pass->values + block * bytes;
    (void)worker;
    if (symbols == NULL)
        return error_memory(bytes, "a block");
    int code = container_read(table->container, pass->stream, block, symbols);
    bool right = true;
    if (code == 0 && pass->stream == table->value_stream) {
        for (uint32_t i = 0; i < container_block_length(shape, block); i++)
            right &= dobutsu_searched(symbols[i]);
    }
    if (!right)
        code = container_invalid(table->container, "a value contradicts its code");
    free(own);
    return code;
}

static int read_stream(struct pass *pass, int stream, struct thread_pool *pool)
{
    pass->stream = stream;
    return threads_each(pool, container_blocks(container_stream(pass->table->container, stream)), read_block, pass);
}

int dobutsu_table_load(struct dobutsu_table *table, struct thread_pool *pool)
{
    const size_t starts = ((size_t)table->cells + 1) * sizeof *table->cell_start;
    int code = 0;
    pthread_mutex_lock(&table->lock);
    if (atomic_load(&table->loaded))
        goto unlock;
    table->values = memory_map(table->info.kept);
    table->cell_start = memory_map(starts);
    struct pass pass = {.table = table, .values = table->values, .cell_start = table->cell_start};
    if (table->values == NULL || table->cell_start == NULL)
        code = error_memory(table->info.kept + starts, "all values of a dobutsu table");
    THEN(code, count_cells(&pass, pool));
    THEN(code, read_stream(&pass, table->value_stream, pool));
    if (code != 0) {
        unload(table);
        goto unlock;
    }
    table->cell_start[table->cells] = (uint32_t)table->info.kept;
    atomic_store_explicit(&table->loaded, true, memory_order_release);
unlock:
    pthread_mutex_unlock(&table->lock);
    return say_how_to_mend(code);
}

int dobutsu_table_check(struct dobutsu_table *table, struct thread_pool *pool)
{
    struct pass pass = {.table = table};
    TRY(count_cells(&pass, pool));
    TRY(read_stream(&pass, table->bucket_stream, pool));
    return read_stream(&pass, table->value_stream, pool);
}

// ---- whole cells ----

// Puts the kept values of a cell in their places and leaves the others as they are.
static void put_kept(const struct dobutsu_table *table, uint32_t cell, const struct dobutsu_cell *sets, uint8_t *values)
{
    const uint8_t *kept = table->values + table->cell_start[cell];
    for (int i = 0; i < 4; i++) {
        for (uint64_t left = sets->kept[i]; left != 0; left &= left - 1)
            values[64 * i + __builtin_ctzll(left)] = *kept++;
    }
}

static void expand_cell(const struct dobutsu_table *table, uint32_t cell, uint8_t *values)
{
    struct dobutsu_cell sets;
    struct dobutsu_cell other_sets;
    uint8_t other[DOBUTSU_CELL_CODES];
    uint32_t holder = DOBUTSU_CELLS; // the cell of `other`: none yet
    dobutsu_cell(cell, &sets);
    for (int i = 0; i < 4; i++) {
        for (int bit = 0; bit < 64; bit++)
            values[64 * i + bit] = (sets.invalid[i] >> bit & 1) != 0 ? DOBUTSU_INVALID : 0;
    }
    put_kept(table, cell, &sets, values);
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t duplicates = ~(sets.invalid[i] | sets.won[i] | sets.kept[i]);
        for (uint64_t left = duplicates; left != 0; left &= left - 1) {
            const uint32_t op = 64 * i + (uint32_t)__builtin_ctzll(left);
            const uint32_t code = dobutsu_kept_code(cell * DOBUTSU_CELL_CODES + op);
            if (code / DOBUTSU_CELL_CODES != holder) {
                holder = code / DOBUTSU_CELL_CODES;
                dobutsu_cell(holder, &other_sets);
                put_kept(table, holder, &other_sets, other);
            }
            values[op] = other[code % DOBUTSU_CELL_CODES];
        }
    }
}

int dobutsu_table_cells(struct dobutsu_table *table, uint32_t first, uint32_t count, uint8_t *values)
{
    if (first > table->cells || count > table->cells - first)
        return error_set(CLTB_E_USAGE, "a dobutsu table has no cell %lu",
                         (unsigned long)first + (unsigned long)count - 1);
    if (!atomic_load_explicit(&table->loaded, memory_order_acquire)) {
        struct thread_pool *alone;
        TRY(threads_open(&alone, 1));
        const int code = dobutsu_table_load(table, alone);
        threads_close(alone);
        TRY(code);
    }
    for (uint32_t i = 0; i < count; i++)
        expand_cell(table, first + i, values + (size_t)i * DOBUTSU_CELL_CODES);
    return 0;
}
