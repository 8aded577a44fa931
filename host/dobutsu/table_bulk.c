// table_bulk.c - the whole dobutsu table at once: loaded, expanded, checked
//
// A value of a duplicate stands in the mirror image's cell, which may be anywhere in the file. So whole reading first loads all
// values (109 MB) and where each cell's begin (17 MB). Then a cell is expanded from its own values, and its duplicates from
// the values of the one cell that has them: the mirror image's, or itself.
#include "dobutsu/table_read.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BUCKETS = 64 }; // counted at once

struct loading {
    const struct dobutsu_table *table;
    struct dobutsu_bulk *bulk; // NULL: only check
    uint8_t **buffer;          // [threads][block_values] to check
    int stream;                // that is being checked
};

// ---- loading and checking ----

static int count_chunk(void *context, uint64_t chunk, int worker)
{
    const struct loading *loading = context;
    const struct dobutsu_table *table = loading->table;
    const uint64_t end = (chunk + 1) * CHUNK_BUCKETS < table->buckets ? (chunk + 1) * CHUNK_BUCKETS : table->buckets;
    (void)worker;
    for (uint32_t bucket = (uint32_t)chunk * CHUNK_BUCKETS; bucket < end; bucket++) {
        uint32_t start = table->start[bucket];
        for (uint32_t i = 0; i < DOBUTSU_BUCKET_CELLS; i++) {
            struct dobutsu_cell sets;
            const uint32_t cell = bucket * DOBUTSU_BUCKET_CELLS + i;
            dobutsu_cell(cell, &sets);
            if (loading->bulk != NULL)
                loading->bulk->start[cell] = start;
            start += dobutsu_bits(sets.kept);
        }
        if (start != table->start[bucket + 1])
            return dobutsu_faulty(table, "a bucket has the wrong number of values");
    }
    return 0;
}

static int read_block(void *context, uint64_t block, int worker)
{
    const struct loading *loading = context;
    const struct dobutsu_table *table = loading->table;
    const struct container_stream *shape = container_stream(table->container, loading->stream);
    uint8_t *symbols =
        loading->bulk != NULL ? loading->bulk->values + block * shape->block_symbols : loading->buffer[worker];
    TRY(container_read(table->container, loading->stream, block, symbols));
    bool right = true;
    for (uint32_t i = 0; loading->stream == table->value_stream && i < container_block_length(shape, block); i++)
        right &= dobutsu_searched(symbols[i]);
    return right ? 0 : dobutsu_faulty(table, "a value contradicts its code");
}

static int read_blocks(struct loading *loading, int stream, struct thread_pool *pool)
{
    loading->stream = stream;
    return threads_each(pool, container_blocks(container_stream(loading->table->container, stream)), read_block,
                        loading);
}

static int count_cells(struct loading *loading, struct thread_pool *pool)
{
    const uint64_t chunks = (loading->table->buckets + CHUNK_BUCKETS - 1) / CHUNK_BUCKETS;
    return threads_each(pool, chunks, count_chunk, loading);
}

static void free_bulk(const struct dobutsu_table *table, struct dobutsu_bulk *bulk)
{
    if (bulk == NULL)
        return;
    memory_unmap(bulk->values, table->info.kept);
    memory_unmap(bulk->start, ((size_t)table->cells + 1) * sizeof *bulk->start);
    free(bulk);
}

static int load(struct dobutsu_table *table, struct thread_pool *pool)
{
    struct dobutsu_bulk *bulk = calloc(1, sizeof *bulk);
    struct loading loading = {.table = table, .bulk = bulk};
    if (bulk == NULL)
        return error_memory(sizeof *bulk, "a table");
    const size_t starts = ((size_t)table->cells + 1) * sizeof *bulk->start;
    bulk->values = memory_map(table->info.kept);
    bulk->start = memory_map(starts);
    int code = bulk->values == NULL || bulk->start == NULL
                   ? error_memory(table->info.kept + starts, "all values of a dobutsu table")
                   : count_cells(&loading, pool);
    if (code == 0)
        code = read_blocks(&loading, table->value_stream, pool);
    if (code != 0) {
        free_bulk(table, bulk);
        return code;
    }
    bulk->start[table->cells] = (uint32_t)table->info.kept;
    atomic_store_explicit(&table->bulk, bulk, memory_order_release);
    return 0;
}

void dobutsu_bulk_close(struct dobutsu_table *table)
{
    free_bulk(table, atomic_load(&table->bulk));
}

int dobutsu_table_load(struct dobutsu_table *table, struct thread_pool *pool)
{
    int code = 0;
    pthread_mutex_lock(&table->lock);
    if (atomic_load(&table->bulk) == NULL)
        code = load(table, pool);
    pthread_mutex_unlock(&table->lock);
    return dobutsu_say_how_to_mend(code);
}

static int check(struct loading *loading, struct thread_pool *pool)
{
    const struct dobutsu_table *table = loading->table;
    TRY(count_cells(loading, pool));
    TRY(read_blocks(loading, table->bucket_stream, pool));
    return read_blocks(loading, table->value_stream, pool);
}

int dobutsu_table_check(struct dobutsu_table *table, struct thread_pool *pool)
{
    const size_t threads = (size_t)threads_count(pool);
    const size_t buckets = (size_t)container_stream(table->container, table->bucket_stream)->block_symbols * 2;
    const size_t bytes = buckets > table->info.block_values ? buckets : table->info.block_values;
    struct loading loading = {.table = table, .buffer = calloc(threads, sizeof(uint8_t *))};
    if (loading.buffer == NULL)
        return error_memory(threads * sizeof(uint8_t *), "threads");
    int code = 0;
    for (size_t i = 0; code == 0 && i < threads; i++) {
        loading.buffer[i] = malloc(bytes);
        if (loading.buffer[i] == NULL)
            code = error_memory(bytes, "a block");
    }
    if (code == 0)
        code = check(&loading, pool);
    for (size_t i = 0; i < threads; i++)
        free(loading.buffer[i]);
    free(loading.buffer);
    return code;
}

// ---- expanding ----

// Puts the kept values of a cell to their places; the others stay as they are.
static void put_kept(const struct dobutsu_bulk *bulk, uint32_t cell, const struct dobutsu_cell *sets, uint8_t *values)
{
    const uint8_t *kept = bulk->values + bulk->start[cell];
    for (int i = 0; i < 4; i++) {
        for (uint64_t left = sets->kept[i]; left != 0; left &= left - 1)
            values[64 * i + __builtin_ctzll(left)] = *kept++;
    }
}

static void put_duplicates(const struct dobutsu_bulk *bulk, uint32_t cell, const uint64_t duplicates[4],
                           uint8_t *values)
{
    uint8_t other[DOBUTSU_CELL_CODES];
    uint32_t holder = DOBUTSU_CELLS; // the cell of `other`: none yet
    for (uint32_t i = 0; i < 4; i++) {
        for (uint64_t left = duplicates[i]; left != 0; left &= left - 1) {
            const uint32_t op = 64 * i + (uint32_t)__builtin_ctzll(left);
            const uint32_t code = dobutsu_kept_code(cell * DOBUTSU_CELL_CODES + op);
            if (code / DOBUTSU_CELL_CODES != holder) {
                struct dobutsu_cell sets;
                holder = code / DOBUTSU_CELL_CODES;
                dobutsu_cell(holder, &sets);
                put_kept(bulk, holder, &sets, other);
            }
            values[op] = other[code % DOBUTSU_CELL_CODES];
        }
    }
}

static void expand_cell(const struct dobutsu_bulk *bulk, uint32_t cell, uint8_t *values)
{
    struct dobutsu_cell sets;
    uint64_t duplicates[4];
    uint64_t any = 0;
    dobutsu_cell(cell, &sets);
    for (int i = 0; i < 4; i++) {
        duplicates[i] = ~(sets.invalid[i] | sets.won[i] | sets.kept[i]);
        any |= duplicates[i];
        for (int bit = 0; bit < 64; bit++)
            values[64 * i + bit] = (sets.invalid[i] >> bit & 1) != 0 ? DOBUTSU_INVALID : 0;
    }
    put_kept(bulk, cell, &sets, values);
    if (any != 0)
        put_duplicates(bulk, cell, duplicates, values);
}

int dobutsu_table_cells(struct dobutsu_table *table, uint32_t first, uint32_t count, uint8_t *values)
{
    if (first > table->cells || count > table->cells - first)
        return error_set(CLTB_E_USAGE, "a dobutsu table has no cell %lu",
                         (unsigned long)first + (unsigned long)count - 1);
    if (atomic_load_explicit(&table->bulk, memory_order_acquire) == NULL) {
        struct thread_pool *alone;
        TRY(threads_open(&alone, 1));
        int code = dobutsu_table_load(table, alone);
        threads_close(alone);
        TRY(code);
    }
    const struct dobutsu_bulk *bulk = atomic_load_explicit(&table->bulk, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++)
        expand_cell(bulk, first + i, values + (size_t)i * DOBUTSU_CELL_CODES);
    return 0;
}
