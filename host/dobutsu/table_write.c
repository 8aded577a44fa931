// table_write.c - writes the dobutsu table: values are gathered, then compressed
//
// Three passes on all threads:
//
// 1. Count. The codes alone say how many values each bucket keeps, so every bucket's place is known before
// 2. the values are gathered from the source, and
// 3. blocks are compressed, and added to the file in their order.
//
// So the file does not depend on the number of threads. Memory: the values (109 MB), the compressed blocks, and a chunk
// for each thread.
#include "dobutsu/table.h"

#include "dobutsu/cells.h"
#include "table/container.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_VALUES = 1 << 16,  // of "values"
    BLOCK_BUCKETS = 1 << 16, // of "buckets", which are read as a whole
    CHUNK_BUCKETS = 64,      // requested from the source at once: 256 KiB; 4116 chunks
    BATCHES = 50,            // in a pass, each followed by a call of `each`
    TEXT_SPACE = 8 * 1024,   // 256 counts and a few words need 6 KiB at most
    STREAMS = 2              // buckets, values
};

// Shares of the time, with the source of a build and a middle level of zstd.
static const double count_share = 0.02;
static const double gather_share = 0.18;

struct worker {
    struct container_compressor *compressor;
    uint8_t *buffer;                // a chunk of the source's values, or a compressed block
    uint64_t count[DOBUTSU_VALUES]; // codes of each value
};

struct writer {
    const struct dobutsu_writing *to_do;
    struct thread_pool *pool;
    uint32_t buckets;
    uint32_t block_values;
    uint64_t first_item;       // of the batch that is being worked on
    uint32_t *start;           // [buckets + 1]: number of each bucket's first value
    uint8_t *symbols[STREAMS]; // [2 * buckets] numbers of values; [start[buckets]] values
    struct worker *worker;     // [threads]
    struct container_stream stream[STREAMS];
    struct container_piece *pieces[STREAMS]; // [blocks]
    int packing;                             // the stream that is being compressed
};

// Runs threads_each() in batches. `from` and `to` are the shares done before and after the pass.
static int in_batches(struct writer *writer, uint64_t items, int (*work)(void *context, uint64_t item, int worker),
                      double from, double to)
{
    const uint64_t batch = (items + BATCHES - 1) / BATCHES;
    for (writer->first_item = 0; writer->first_item < items; writer->first_item += batch) {
        const uint64_t left = items - writer->first_item;
        const uint64_t count = left < batch ? left : batch;
        TRY(threads_each(writer->pool, count, work, writer));
        const double share = from + (to - from) * (double)(writer->first_item + count) / (double)items;
        if (writer->to_do->each != NULL && writer->to_do->each(writer->to_do->each_context, share) != 0)
            return error_set(CLTB_E_INTERRUPTED, "interrupted while writing");
    }
    return 0;
}

static uint64_t chunks(const struct writer *writer)
{
    return (writer->buckets + CHUNK_BUCKETS - 1) / CHUNK_BUCKETS;
}

static uint32_t chunk_end(const struct writer *writer, uint64_t chunk)
{
    const uint64_t end = (chunk + 1) * CHUNK_BUCKETS;
    return end < writer->buckets ? (uint32_t)end : writer->buckets;
}

// ---- the passes ----

static int count_chunk(void *context, uint64_t item, int worker)
{
    struct writer *writer = context;
    const uint64_t chunk = writer->first_item + item;
    (void)worker;
    for (uint32_t bucket = (uint32_t)chunk * CHUNK_BUCKETS; bucket < chunk_end(writer, chunk); bucket++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < DOBUTSU_BUCKET_CELLS; i++)
            kept += dobutsu_cell_kept(bucket * DOBUTSU_BUCKET_CELLS + i);
        writer->start[bucket + 1] = kept;
        writer->symbols[0][2 * bucket] = (uint8_t)kept;
        writer->symbols[0][2 * bucket + 1] = (uint8_t)(kept >> 8);
    }
    return 0;
}

static int gather_chunk(void *context, uint64_t item, int worker)
{
    struct writer *writer = context;
    struct worker *self = &writer->worker[worker];
    const uint64_t chunk = writer->first_item + item;
    const uint32_t first = (uint32_t)chunk * CHUNK_BUCKETS * DOBUTSU_BUCKET_CELLS;
    const uint32_t end = chunk_end(writer, chunk) * DOBUTSU_BUCKET_CELLS;
    TRY(writer->to_do->source(writer->to_do->context, first, end - first, self->buffer));
    const uint8_t *values = self->buffer;
    uint8_t *kept = writer->symbols[1] + writer->start[chunk * CHUNK_BUCKETS];
    for (uint32_t cell = first; cell < end; cell++, values += DOBUTSU_CELL_CODES) {
        struct dobutsu_cell sets;
        bool right = true;
        dobutsu_cell(cell, &sets);
        for (uint32_t op = 0; op < DOBUTSU_CELL_CODES; op++) {
            const uint8_t value = values[op];
            self->count[value]++;
            if (dobutsu_has(sets.invalid, op))
                right = right && value == DOBUTSU_INVALID;
            else if (dobutsu_has(sets.won, op))
                right = right && value == 0;
            else
                right = right && dobutsu_searched(value);
            if (dobutsu_has(sets.kept, op))
                *kept++ = value;
        }
        if (!right)
            return error_set(CLTB_E_MISMATCH, "a value of the codes %lu to %lu contradicts its code",
                             (unsigned long)cell * DOBUTSU_CELL_CODES,
                             (unsigned long)cell * DOBUTSU_CELL_CODES + DOBUTSU_CELL_CODES - 1);
    }
    return 0;
}

static int pack_block(void *context, uint64_t item, int worker)
{
    struct writer *writer = context;
    struct worker *self = &writer->worker[worker];
    const struct container_stream *stream = &writer->stream[writer->packing];
    const uint64_t block = writer->first_item + item;
    const uint8_t *symbols = writer->symbols[writer->packing];
    size_t bytes;
    TRY(container_compress(self->compressor, symbols + block * stream->block_symbols * stream->symbol_bytes,
                           (size_t)container_block_length(stream, block) * stream->symbol_bytes, self->buffer, &bytes));
    void *copy;
    TRY(memory_new(&copy, bytes, 1, "a compressed block"));
    memcpy(copy, self->buffer, bytes);
    writer->pieces[writer->packing][block] = (struct container_piece){copy, (uint32_t)bytes};
    return 0;
}

// ---- the file ----

// Runs all three passes. The file exists from the second one on.
static int write_file(struct writer *writer, const char *path, struct container_writer **file)
{
    const double gathered = count_share + gather_share;
    char text[TEXT_SPACE];
    TRY(memory_new(&writer->start, writer->buckets + 1, sizeof *writer->start, "the buckets of a dobutsu table"));
    TRY(memory_new(&writer->symbols[0], writer->buckets, 2, "the buckets of a dobutsu table"));
    TRY(in_batches(writer, chunks(writer), count_chunk, 0, count_share));
    for (uint32_t bucket = 0; bucket < writer->buckets; bucket++)
        writer->start[bucket + 1] += writer->start[bucket];
    const uint32_t kept = writer->start[writer->buckets];
    writer->stream[0] = (struct container_stream){.name = DOBUTSU_STREAM_BUCKETS,
                                                  .symbol_bytes = 2,
                                                  .block_symbols = BLOCK_BUCKETS,
                                                  .sections = 1,
                                                  .section_symbols = writer->buckets};
    writer->stream[1] = (struct container_stream){.name = DOBUTSU_STREAM_VALUES,
                                                  .symbol_bytes = 1,
                                                  .block_symbols = writer->block_values,
                                                  .sections = 1,
                                                  .section_symbols = kept};
    TRY(container_create(file, path, writer->stream, STREAMS, sizeof text));
    writer->symbols[1] = memory_map(kept);
    if (writer->symbols[1] == NULL)
        return error_memory(kept, "the values of a dobutsu table");
    TRY(in_batches(writer, chunks(writer), gather_chunk, count_share, gathered));
    for (int i = 0; i < STREAMS; i++) {
        const uint64_t blocks = container_blocks(&writer->stream[i]);
        TRY(memory_new(&writer->pieces[i], blocks + 1, sizeof *writer->pieces[i], "compressed blocks"));
        writer->packing = i;
        TRY(in_batches(writer, blocks, pack_block, gathered, i + 1 < STREAMS ? gathered : 1));
        TRY(container_add(*file, i, 0, writer->pieces[i]));
    }
    size_t at = (size_t)snprintf(text, sizeof text, "game dobutsu\ncells %lu\nomitted " DOBUTSU_OMITTED "\nkept %lu\n",
                                 (unsigned long)writer->buckets * DOBUTSU_BUCKET_CELLS, (unsigned long)kept);
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        unsigned long long codes = 0;
        for (int i = 0; i < threads_count(writer->pool); i++)
            codes += writer->worker[i].count[value];
        if (codes > 0)
            at += (size_t)snprintf(text + at, sizeof text - at, "codes-%d %llu\n", value, codes);
    }
    struct container_writer *whole = *file;
    *file = NULL;
    return container_finish(whole, text);
}

int dobutsu_table_write(const char *path, const struct dobutsu_writing *writing)
{
    const uint32_t cells = writing->cells != 0 ? writing->cells : DOBUTSU_CELLS;
    struct writer writer = {.to_do = writing,
                            .pool = writing->pool,
                            .buckets = cells / DOBUTSU_BUCKET_CELLS,
                            .block_values = writing->block_values != 0 ? writing->block_values : BLOCK_VALUES};
    const int threads = threads_count(writer.pool);
    const size_t chunk = (size_t)CHUNK_BUCKETS * DOBUTSU_BUCKET_CODES;
    const size_t values = container_bound(writer.block_values);
    const size_t buckets = container_bound((size_t)2 * BLOCK_BUCKETS);
    const size_t block = values > buckets ? values : buckets;
    const size_t bytes = block > chunk ? block : chunk;
    struct container_writer *file = NULL;
    int code = 0;
    TRY(memory_new(&writer.worker, (size_t)threads, sizeof *writer.worker, "threads"));
    for (int i = 0; code == 0 && i < threads; i++) {
        code = memory_new(&writer.worker[i].buffer, bytes, 1, "writing a dobutsu table");
        THEN(code, container_compressor_open(&writer.worker[i].compressor, writing->level));
    }
    THEN(code, write_file(&writer, path, &file));
    if (file != NULL)
        container_abandon(file);
    for (int i = 0; i < threads; i++) {
        container_compressor_close(writer.worker[i].compressor);
        free(writer.worker[i].buffer);
    }
    free(writer.worker);
    for (int i = 0; i < STREAMS; i++) {
        for (uint64_t at = 0; writer.pieces[i] != NULL && at < container_blocks(&writer.stream[i]); at++)
            free((void *)(uintptr_t)writer.pieces[i][at].data);
        free(writer.pieces[i]);
    }
    if (writer.symbols[1] != NULL)
        memory_unmap(writer.symbols[1], writer.start[writer.buckets]);
    free(writer.symbols[0]);
    free(writer.start);
    return code;
}
