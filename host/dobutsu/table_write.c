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

enum {
    BLOCK_VALUES = 1 << 16,  // of "values"
    BLOCK_BUCKETS = 1 << 16, // of "buckets", which are read as a whole
    CHUNK_BUCKETS = 64,      // requested from the source at once: 256 KiB; 4116 chunks
    TEXT_SPACE = 8 * 1024    // 256 counts and a few words need 6 KiB at most
};

// Shares of the time, with the source of a build and a middle level of zstd.
static const double count_share = 0.02;
static const double gather_share = 0.18;

struct worker {
    uint8_t buffer[CHUNK_BUCKETS * DOBUTSU_BUCKET_CODES]; // of the source's values
    uint64_t count[DOBUTSU_VALUES];                       // codes of each value
};

struct writer {
    const struct dobutsu_writing *to_do;
    uint32_t buckets;
    uint32_t *start;       // [buckets + 1]: number of each bucket's first value
    uint8_t *counts;       // [2 * buckets] numbers of values
    uint8_t *values;       // [start[buckets]]
    struct worker *worker; // [threads]
    double from;           // shares done before and after the pass
    double to;             //
    bool begun;            // the pass
};

// ---- progress ----

// A pool asks once before a job, when its share is still that of the one before.
static int watch(void *context)
{
    struct writer *writer = context;
    const struct dobutsu_writing *to_do = writer->to_do;
    const double share = writer->begun ? threads_share(to_do->pool) : 0;
    writer->begun = true;
    if (to_do->each == NULL ||
        to_do->each(to_do->each_context, writer->from + (writer->to - writer->from) * share) == 0)
        return 0;
    return error_set(CLTB_E_INTERRUPTED, "interrupted while writing");
}

static void begin(struct writer *writer, double from, double to)
{
    writer->from = from;
    writer->to = to;
    writer->begun = false;
}

// ---- the passes ----

static uint32_t chunk_end(const struct writer *writer, uint64_t chunk)
{
    const uint64_t end = (chunk + 1) * CHUNK_BUCKETS;
    return end < writer->buckets ? (uint32_t)end : writer->buckets;
}

static int count_chunk(void *context, uint64_t chunk, int worker)
{
    const struct writer *writer = context;
    (void)worker;
    for (uint32_t bucket = (uint32_t)chunk * CHUNK_BUCKETS; bucket < chunk_end(writer, chunk); bucket++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < DOBUTSU_BUCKET_CELLS; i++) {
            struct dobutsu_cell sets;
            dobutsu_cell(bucket * DOBUTSU_BUCKET_CELLS + i, &sets);
            kept += dobutsu_cell_kept(&sets);
        }
        writer->start[bucket + 1] = kept;
        writer->counts[2 * bucket] = (uint8_t)kept;
        writer->counts[2 * bucket + 1] = (uint8_t)(kept >> 8);
    }
    return 0;
}

static int gather_chunk(void *context, uint64_t chunk, int worker)
{
    const struct writer *writer = context;
    struct worker *self = &writer->worker[worker];
    const uint32_t first = (uint32_t)chunk * CHUNK_BUCKETS * DOBUTSU_BUCKET_CELLS;
    const uint32_t end = chunk_end(writer, chunk) * DOBUTSU_BUCKET_CELLS;
    TRY(writer->to_do->source(writer->to_do->context, first, end - first, self->buffer));
    const uint8_t *values = self->buffer;
    uint8_t *kept = writer->values + writer->start[chunk * CHUNK_BUCKETS];
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

// ---- the file ----

static void write_text(const struct writer *writer, char text[TEXT_SPACE])
{
    size_t at = (size_t)snprintf(text, TEXT_SPACE, "game dobutsu\ncells %lu\nomitted " DOBUTSU_OMITTED "\nkept %lu\n",
                                 (unsigned long)writer->buckets * DOBUTSU_BUCKET_CELLS,
                                 (unsigned long)writer->start[writer->buckets]);
    for (int value = 0; value < DOBUTSU_VALUES; value++) {
        unsigned long long codes = 0;
        for (int i = 0; i < threads_count(writer->to_do->pool); i++)
            codes += writer->worker[i].count[value];
        if (codes > 0)
            at += (size_t)snprintf(text + at, TEXT_SPACE - at, "codes-%d %llu\n", value, codes);
    }
}

// Runs all three passes. The file exists from the second one on.
static int write_file(struct writer *writer, const char *path, struct container_writer **file)
{
    const struct dobutsu_writing *to_do = writer->to_do;
    const uint64_t chunks = (writer->buckets + CHUNK_BUCKETS - 1) / CHUNK_BUCKETS;
    char text[TEXT_SPACE];
    begin(writer, 0, count_share);
    TRY(threads_each(to_do->pool, chunks, count_chunk, writer));
    for (uint32_t bucket = 0; bucket < writer->buckets; bucket++)
        writer->start[bucket + 1] += writer->start[bucket];
    const uint32_t kept = writer->start[writer->buckets];
    const struct container_stream streams[] = {
        {.name = DOBUTSU_STREAM_BUCKETS,
         .symbol_bytes = 2,
         .block_symbols = BLOCK_BUCKETS,
         .sections = 1,
         .section_symbols = writer->buckets},
        {.name = DOBUTSU_STREAM_VALUES,
         .symbol_bytes = 1,
         .block_symbols = to_do->block_values != 0 ? to_do->block_values : BLOCK_VALUES,
         .sections = 1,
         .section_symbols = kept}};
    TRY(container_create(file, path, streams, sizeof streams / sizeof streams[0], sizeof text));
    writer->values = memory_map(kept);
    if (writer->values == NULL)
        return error_memory(kept, "the values of a dobutsu table");
    begin(writer, count_share, count_share + gather_share);
    TRY(threads_each(to_do->pool, chunks, gather_chunk, writer));
    begin(writer, count_share + gather_share, count_share + gather_share);
    TRY(container_add_symbols(*file, 0, 0, writer->counts, to_do->level, to_do->pool));
    begin(writer, count_share + gather_share, 1);
    TRY(container_add_symbols(*file, 1, 0, writer->values, to_do->level, to_do->pool));
    begin(writer, 1, 1);
    TRY(watch(writer));
    write_text(writer, text);
    struct container_writer *whole = *file;
    *file = NULL;
    return container_finish(whole, text);
}

int dobutsu_table_write(const char *path, const struct dobutsu_writing *writing)
{
    const uint32_t cells = writing->cells != 0 ? writing->cells : DOBUTSU_CELLS;
    struct writer writer = {.to_do = writing, .buckets = cells / DOBUTSU_BUCKET_CELLS};
    struct container_writer *file = NULL;
    const char what[] = "writing a dobutsu table";
    int code = memory_new(&writer.worker, (size_t)threads_count(writing->pool), sizeof *writer.worker, what);
    THEN(code, memory_new(&writer.start, writer.buckets + 1, sizeof *writer.start, what));
    THEN(code, memory_new(&writer.counts, writer.buckets, 2, what));
    threads_watch(writing->pool, watch, &writer);
    THEN(code, write_file(&writer, path, &file));
    threads_watch(writing->pool, NULL, NULL);
    if (file != NULL)
        container_abandon(file);
    if (writer.values != NULL)
        memory_unmap(writer.values, writer.start[writer.buckets]);
    free(writer.counts);
    free(writer.start);
    free(writer.worker);
    return code;
}
