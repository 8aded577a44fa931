// writer.h - the state of a table writer
#ifndef CLTB_TABLE_WRITE_WRITER_H
#define CLTB_TABLE_WRITE_WRITER_H

#include "disk/overflow.h"
#include "table/block_code.h"
#include "table/container.h"
#include "table/pattern_code.h"
#include "table/table.h"
#include "table/write/content.h"
#include "table/write/write_passes.h"
#include "util/behind.h"

#include <stdatomic.h>

enum {
    BLOCK_BITS = 16,       // 2^16 symbols: a cold probe decompresses one, which takes about 40 microseconds
    LARGE_BLOCK_BITS = 18, // 0.5 to 12 % smaller streams; for large tables, unless zstd codes a stream, and with --best
    LARGE_SYMBOLS = 1 << 24, // in a section of a large table, at least: of six men
    WRITE_SAMPLE_LEVEL = 5,  // of zstd, for samples
    STREAMS_MAX = TABLE_KINDS * COLOURS
};

struct stream {
    enum table_kind kind;
    int side;
    unsigned symbol_bytes;
    struct entry_order order;
    uint8_t choice[ENTRY_GROUPS_MAX]; // from which the order was made
    uint64_t sample_bytes;            // with the best order
    struct context_model model;
    uint8_t *model_data; // malloc'ed; NULL: blocks are coded by zstd
    size_t model_bytes;
    bool wanted;
    bool paired; // distances: the outcomes have the same order, and their symbols are given to the coder
    bool tells;  // distances: don't-cares stay what they are (TABLE_TELLS)
    bool listed; // distances: symbols are places in the writer's lists
    int level;   // of zstd
    int number;  // in the file
};

// A compressed block: in memory, or without data in the overflow.
struct waiting_block {
    void *data; // malloc'ed
    uint32_t bytes;
    uint64_t offset;
};

struct writer {
    struct content content;
    const struct write_options *options;
    struct thread_pool *pool;
    struct container_writer *container;       // only in process 0
    struct together *together;                // with other processes; NULL: alone
    struct container_compressor **compressor; // [threads]
    struct stream stream[STREAMS_MAX];        // [kind * 2 + side]
    int last_side;
    struct ply_lists lists[COLOURS];          // for streams that are listed
    uint64_t counts[COLOURS][TABLE_OUTCOMES]; // with identical pieces, but not pawns, told apart
    uint64_t room;                            // bytes for arrays of symbols
    uint64_t room_waiting;                    // for compressed blocks that wait for the rest of their section
    _Atomic uint64_t waiting;                 // used part of it
    struct overflow *overflow;                // for the other waiting blocks
    struct behind behind;                     // puts sections into the file
    uint8_t *symbols;                         // [symbol_room] for samples, later for sections
    uint64_t symbol_room;                     //
    double done;                              // sections
    double total;                             //
};

static inline struct stream *stream_of(struct writer *writer, enum table_kind kind, int side)
{
    return &writer->stream[(int)kind * COLOURS + side];
}

static inline int stream_number(const struct stream *stream)
{
    return (int)stream->kind * COLOURS + stream->side;
}

// Has the blocks of a stream coded by zstd.
void stream_drop_model(struct stream *stream);

// Reports how much is done. CLTB_E_INTERRUPTED: the writer must stop.
int writer_report(const struct writer *writer);

// The number of blocks in a section.
uint64_t stream_blocks(const struct writer *writer, const struct stream *stream);

// The number of sections whose blocks are put into the file together, all their outcomes before their distances.
uint64_t sections_at_once(const struct entry_order *order);

// Copies a block's bytes; thread-safe.
int writer_get_block(const struct writer *writer, const struct waiting_block *block, void *to);
void writer_drop_block(struct writer *writer, struct waiting_block *block);

// Makes room for so many bytes of symbols; the old contents are lost. One array serves all sections, because new pages
// cost more than filling them.
int writer_reserve(struct writer *writer, uint64_t bytes);

// A stream as a target of section_fill(), with whole sections.
static inline struct section_target stream_target(const struct writer *writer, const struct stream *stream,
                                                  const struct entry_order *order, void *symbols)
{
    return (struct section_target){.order = order,
                                   .bytes = stream->symbol_bytes,
                                   .lists = stream->listed ? &writer->lists[stream->side] : NULL,
                                   .symbols = symbols};
}

#endif
