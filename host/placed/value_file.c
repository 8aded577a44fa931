// value_file.c - files of values: their blocks are packed, found, read and checked
#include "placed/value_file.h"

#include "table/properties.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "codes are stored as they stand in memory");

enum { CODES_BYTES = 2 * VALUE_BLOCK };

bool value_code_fits(unsigned code)
{
    return code == 0 || (code >= 2 && code <= 2 * (TABLE_PLY_MAX + 1) + 1);
}

// ---- figures ----

void value_figures_clear(struct value_figures *figures)
{
    memset(figures->positions, 0, sizeof figures->positions);
    memset(figures->longest, -1, sizeof figures->longest);
}

void value_figures_add(struct value_figures *figures, int side, struct cltb_value value)
{
    int *longest = &figures->longest[side][value.outcome + 2];
    figures->positions[side][value.outcome + 2]++;
    if (value.outcome != CLTB_DRAW && value.dtz > *longest)
        *longest = value.dtz;
}

void value_figures_join(struct value_figures *figures, const struct value_figures *more)
{
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++) {
        int *longest = &figures->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        const int farther = more->longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        figures->positions[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES] +=
            more->positions[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES];
        *longest = farther > *longest ? farther : *longest;
    }
}

// ---- writing ----

void value_stream_set(struct container_stream *stream, const char *name, uint64_t sections, uint64_t entries)
{
    *stream = (struct container_stream){
        .symbol_bytes = 2, .block_symbols = VALUE_BLOCK, .sections = sections, .section_symbols = entries};
    snprintf(stream->name, sizeof stream->name, "%s", name);
}

int value_packer_open(struct value_packer *packer, const struct thread_pool *pool, int level)
{
    const int workers = threads_count(pool);
    if (workers > packer->workers) {
        struct value_worker *more = realloc(packer->worker, (size_t)workers * sizeof *more);
        if (more == NULL)
            return error_memory((size_t)workers * sizeof *more, "threads");
        packer->worker = more;
    }
    while (packer->workers < workers) {
        struct value_worker *worker = &packer->worker[packer->workers++];
        *worker = (struct value_worker){.code = malloc(CODES_BYTES), .packed = malloc(container_bound(CODES_BYTES))};
        if (worker->code == NULL || worker->packed == NULL)
            return error_memory(CODES_BYTES + container_bound(CODES_BYTES), "compressing a block");
        TRY(container_compressor_open(&worker->compressor, level));
    }
    for (int i = 0; i < packer->workers; i++)
        value_figures_clear(&packer->worker[i].figures);
    return 0;
}

void value_packer_close(struct value_packer *packer)
{
    for (int i = 0; i < packer->workers; i++) {
        container_compressor_close(packer->worker[i].compressor);
        free(packer->worker[i].code);
        free(packer->worker[i].packed);
    }
    free(packer->worker);
    *packer = (struct value_packer){0, NULL};
}

struct packing {
    const struct value_packer *packer;
    struct container_piece *piece;
    value_fill *fill;
    void *context;
};

// What is no position repeats the code before it, and at the beginning the first code after it.
static int pack_block(void *context, uint64_t item, int worker)
{
    const struct packing *packing = context;
    const struct value_worker *own = &packing->packer->worker[worker];
    uint16_t *code = own->code;
    uint32_t count = 0;
    uint32_t first = 0;
    size_t bytes;
    TRY(packing->fill(packing->context, item, worker, code, &count));
    while (first < count && code[first] == VALUE_ILLEGAL)
        first++;
    uint16_t last = first < count ? code[first] : 0;
    for (uint32_t i = 0; i < count; i++)
        last = code[i] = code[i] == VALUE_ILLEGAL ? last : code[i];
    TRY(container_compress(own->compressor, code, 2 * (size_t)count, own->packed, &bytes));
    void *copy = malloc(bytes);
    if (copy == NULL)
        return error_memory(bytes, "a compressed block");
    memcpy(copy, own->packed, bytes);
    packing->piece[item] = (struct container_piece){copy, (uint32_t)bytes};
    return 0;
}

int value_packer_pack(const struct value_packer *packer, struct thread_pool *pool, uint64_t blocks,
                      struct container_piece *piece, value_fill *fill, void *context)
{
    struct packing packing = {packer, piece, fill, context};
    return threads_each(pool, blocks, pack_block, &packing);
}

void value_pieces_free(struct container_piece *piece, uint64_t blocks)
{
    for (uint64_t i = 0; piece != NULL && i < blocks; i++) {
        free((void *)(uintptr_t)piece[i].data);
        piece[i] = (struct container_piece){0};
    }
}

// ---- opening ----

int value_file_open(struct value_file *file, const char *path, size_t cache_bytes)
{
    TRY(container_open(&file->container, path));
    TRY(property_check_game(container_text(file->container), "chess", path));
    TRY(block_cache_open(&file->cache, cache_bytes));
    return cached_container_open(&file->blocks, file->cache, file->container);
}

void value_file_close(struct value_file *file)
{
    cached_container_close(file->blocks);
    block_cache_close(file->cache);
    container_close(file->container);
}

int value_file_version(const struct value_file *file, const char *kind, uint64_t version, const char *says)
{
    const char *text = container_text(file->container);
    char value[64];
    uint64_t number;
    if (!property_number(text, kind, &number) || number != version)
        return error_set(CLTB_E_FOREIGN, "%s %s of another version, %s", container_path(file->container), says,
                         property_text(text, kind, value, sizeof value) ? value : "unknown");
    return property_text(text, "metric", value, sizeof value) && strcmp(value, "dtz") == 0
               ? 0
               : container_invalid(file->container, "its distances are not DTZ");
}

int value_file_stream(struct value_file *file, const char *name, uint64_t sections, uint64_t entries, int *stream)
{
    *stream = container_find(file->container, name);
    if (*stream < 0)
        return container_invalid(file->container, "a stream is missing");
    file->stream[file->streams++] = *stream;
    const struct container_stream *shape = container_stream(file->container, *stream);
    return shape->symbol_bytes == 2 && shape->sections == sections && shape->section_symbols == entries
               ? 0
               : container_invalid(file->container, "a stream has the wrong length");
}

// ---- reading ----

int value_file_code(const struct value_file *file, int stream, uint64_t section, uint64_t entry, uint16_t *code)
{
    unsigned symbol;
    TRY(cached_symbol(file->blocks, stream, section, entry, &symbol));
    *code = (uint16_t)symbol;
    return value_code_fits(symbol) ? 0 : container_invalid(file->container, "a value is out of range");
}

static uint64_t blocks_of(const struct value_file *file, int i)
{
    return container_blocks(container_stream(file->container, file->stream[i]));
}

static int check_block(void *context, uint64_t item, int worker)
{
    const struct value_file *file = context;
    int i = 0;
    (void)worker;
    for (; item >= blocks_of(file, i); i++)
        item -= blocks_of(file, i);
    const struct container_stream *shape = container_stream(file->container, file->stream[i]);
    uint16_t *codes;
    TRY(memory_new(&codes, shape->block_symbols, sizeof *codes, "a block"));
    int code = container_read(file->container, file->stream[i], item, codes);
    for (uint32_t n = 0; code == 0 && n < container_block_length(shape, item); n++) {
        if (!value_code_fits(codes[n]))
            code = container_invalid(file->container, "a value is out of range");
    }
    free(codes);
    return code;
}

int value_file_check(struct value_file *file, struct thread_pool *pool)
{
    uint64_t blocks = 0;
    for (int i = 0; i < file->streams; i++)
        blocks += blocks_of(file, i);
    return threads_each(pool, blocks, check_block, file);
}
