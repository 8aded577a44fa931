// table_read.c - reads the dobutsu table: one code, or whole cells
//
// The start of each bucket is in memory (1 MB); inside a bucket at most 16 cells are counted. So a probe looks at the
// codes of up to 16 cells and at one block.
//
// The value of a duplicate is stored in the mirror image's cell, which may be anywhere in the file. So to load all
// codes, the stored values are decompressed (109 MB) and put in their places first, and then duplicates are copied.
//
// A raw file takes the place of a table where values are checked or counted.
#include "dobutsu/table.h"

#include "dobutsu/cells.h"
#include "table/block_cache.h"
#include "table/properties.h"
#include "util/error.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dobutsu_table {
    struct container *container; // NULL: a raw file
    struct block_cache *cache;
    struct cached_container *blocks;
    struct dobutsu_table_info info;
    uint32_t cells;
    uint32_t buckets;
    int bucket_stream; // numbers of the container's streams
    int value_stream;
    uint32_t *start; // [buckets + 1]: number of each bucket's first value
    int raw;         // the raw file's descriptor, if it is one
    char *path;      // and its path
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
    table->raw = -1;
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

static int check_raw(const struct dobutsu_table *table)
{
    struct stat status;
    if (table->raw < 0)
        return error_errno(errno == ENOENT ? CLTB_E_MISSING : CLTB_E_IO, errno, "cannot open %s", table->path);
    if (fstat(table->raw, &status) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot read %s", table->path);
    if (!S_ISREG(status.st_mode))
        return error_set(CLTB_E_IO, "%s is not a file", table->path);
    if ((uint64_t)status.st_size != DOBUTSU_CODES)
        return error_set(CLTB_E_CORRUPT, "%s: %" PRIu64 " bytes, but a raw table has %" PRIu32, table->path,
                         (uint64_t)status.st_size, DOBUTSU_CODES);
    return 0;
}

int dobutsu_table_open_raw(struct dobutsu_table **table, const char *path)
{
    TRY(memory_new(table, 1, sizeof **table, "a table"));
    (*table)->path = strdup(path);
    (*table)->raw = os_open(path, O_RDONLY | O_NONBLOCK);
    const int code = (*table)->path == NULL ? error_memory(strlen(path), "a path") : check_raw(*table);
    if (code != 0) {
        dobutsu_table_close(*table);
        *table = NULL;
    }
    return code;
}

void dobutsu_table_close(struct dobutsu_table *table)
{
    if (table == NULL)
        return;
    cached_container_close(table->blocks);
    block_cache_close(table->cache);
    container_close(table->container);
    if (table->raw >= 0)
        close(table->raw);
    free(table->path);
    free(table->start);
    free(table);
}

const struct dobutsu_table_info *dobutsu_table_info(const struct dobutsu_table *table)
{
    return table->container != NULL ? &table->info : NULL;
}

const char *dobutsu_table_path(const struct dobutsu_table *table)
{
    return table->container != NULL ? container_path(table->container) : table->path;
}

// ---- one code ----

static int kept_value(struct dobutsu_table *table, uint32_t code, uint8_t *value)
{
    const uint32_t cell = code / DOBUTSU_CELL_CODES;
    const uint32_t op = code % DOBUTSU_CELL_CODES;
    struct dobutsu_cell sets;
    uint32_t place = table->start[cell / DOBUTSU_BUCKET_CELLS];
    for (uint32_t i = cell - cell % DOBUTSU_BUCKET_CELLS; i < cell; i++) {
        dobutsu_cell(i, &sets);
        place += dobutsu_cell_kept(&sets);
    }
    dobutsu_cell(cell, &sets);
    for (uint32_t i = 0; i < op / 64; i++)
        place += (uint32_t)__builtin_popcountll(sets.kept[i]);
    place += (uint32_t)__builtin_popcountll(sets.kept[op / 64] & ((UINT64_C(1) << op % 64) - 1));
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
    if (table->container == NULL)
        return file_read(table->raw, table->path, value, 1, code, NULL);
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
    uint8_t *kept;   // [kept] those stored; NULL: only check
    uint8_t *values; // [codes] likewise
};

static int read_block(void *context, uint64_t block, int worker)
{
    const struct pass *pass = context;
    const struct dobutsu_table *table = pass->table;
    const struct container_stream *shape = container_stream(table->container, table->value_stream);
    uint8_t *own = pass->kept == NULL ? malloc(shape->block_symbols) : NULL;
    uint8_t *symbols = pass->kept == NULL ? own : pass->kept + block * shape->block_symbols;
    (void)worker;
    if (symbols == NULL)
        return error_memory(shape->block_symbols, "a block");
    int code = container_read(table->container, table->value_stream, block, symbols);
    bool right = true;
    for (uint32_t i = 0; code == 0 && i < container_block_length(shape, block); i++)
        right &= dobutsu_searched(symbols[i]);
    if (!right)
        code = container_invalid(table->container, "a value contradicts its code");
    free(own);
    return code;
}

// The values of a cell's codes, except for duplicates.
static void place_cell(const struct dobutsu_cell *sets, const uint8_t *kept, uint8_t *values)
{
    for (uint32_t op = 0; op < DOBUTSU_CELL_CODES; op++) {
        values[op] = dobutsu_has(sets->invalid, op) ? DOBUTSU_INVALID : 0;
        if (dobutsu_has(sets->kept, op))
            values[op] = *kept++;
    }
}

static int place_bucket(void *context, uint64_t bucket, int worker)
{
    const struct pass *pass = context;
    const uint32_t end = pass->table->start[bucket + 1];
    uint32_t place = pass->table->start[bucket];
    (void)worker;
    for (uint32_t i = 0; i < DOBUTSU_BUCKET_CELLS; i++) {
        const uint32_t cell = (uint32_t)bucket * DOBUTSU_BUCKET_CELLS + i;
        struct dobutsu_cell sets;
        dobutsu_cell(cell, &sets);
        const uint32_t count = dobutsu_cell_kept(&sets);
        if (count > end - place)
            break;
        if (pass->values != NULL)
            place_cell(&sets, pass->kept + place, pass->values + (size_t)cell * DOBUTSU_CELL_CODES);
        place += count;
    }
    return place == end ? 0 : container_invalid(pass->table->container, "a bucket has the wrong number of values");
}

// Copies the values of the codes that are stored under another one.
static int copy_bucket(void *context, uint64_t bucket, int worker)
{
    const struct pass *pass = context;
    (void)worker;
    for (uint32_t i = 0; i < DOBUTSU_BUCKET_CELLS; i++) {
        const uint32_t cell = (uint32_t)bucket * DOBUTSU_BUCKET_CELLS + i;
        struct dobutsu_cell sets;
        dobutsu_cell(cell, &sets);
        for (uint32_t word = 0; word < 4; word++) {
            uint64_t left = ~(sets.invalid[word] | sets.won[word] | sets.kept[word]);
            for (; left != 0; left &= left - 1) {
                const uint32_t code = cell * DOBUTSU_CELL_CODES + 64 * word + (uint32_t)__builtin_ctzll(left);
                pass->values[code] = pass->values[dobutsu_kept_code(code)];
            }
        }
    }
    return 0;
}

int dobutsu_table_check(struct dobutsu_table *table, struct thread_pool *pool)
{
    struct pass pass = {.table = table};
    if (table->container == NULL)
        return 0;
    TRY(threads_each(pool, table->buckets, place_bucket, &pass));
    return threads_each(pool, container_blocks(container_stream(table->container, table->value_stream)), read_block,
                        &pass);
}

int dobutsu_table_load(struct dobutsu_table *table, uint8_t *values, struct thread_pool *pool)
{
    if (table->container == NULL)
        return file_read(table->raw, table->path, values, DOBUTSU_CODES, 0, NULL);
    struct pass pass = {.table = table, .values = values, .kept = memory_map(table->info.kept)};
    if (pass.kept == NULL)
        return error_memory(table->info.kept, "all values of a dobutsu table");
    const struct container_stream *shape = container_stream(table->container, table->value_stream);
    int code = threads_each(pool, container_blocks(shape), read_block, &pass);
    THEN(code, threads_each(pool, table->buckets, place_bucket, &pass));
    THEN(code, threads_each(pool, table->buckets, copy_bucket, &pass));
    memory_unmap(pass.kept, table->info.kept);
    return say_how_to_mend(code);
}
