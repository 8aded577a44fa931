// write_table.c - from a solution to a table file
//
// A table has up to four streams, outcomes and distances for each side to move. For each side:
//
//     1. The order of the men is searched for both streams (write_search.c). The one of the two streams of distances
//        that takes fewer bytes in the search is kept, unless both are asked for.
//     2. The file is made section by section, small sections many at a time. The values of the sections are put into
//        the orders of both streams at once (king_sections.c, slice_sections.c).
//     3. The sections are cut into blocks. In each block don't-cares take the symbol before them (block_symbols.c), and
//        it is compressed, on all threads. If a device makes the values, blocks are compressed as they arrive, and a
//        device may code blocks itself (device_symbols.h).
//     4. The finished blocks are added to the file in its order, while the next sections are made, and finally the text
//        of the table. Then others may read it and add a stream, and the file gets its name.
//
// If there is not enough memory for step 2, the streams are made one after another and fewer sections at a time; a
// section that does not fit by itself is made in passes, each with some of its blocks (write_passes.h). Blocks of
// passes become ready in another order than they have in the file, so they wait for each other, in memory or in a file
// (disk/overflow.h). Several processes share out the searches and the sections (write_together.h). None of this changes
// a byte of the file.
//
// For example, KQvKR has 10 sections, one for each square of the black king, of 64^3 = 262,144 symbols, which are four
// blocks of 2^16. Its outcomes take 262,144 bytes while a section is made, and its distances as many.
#include "table/write/write_table.h"

#include "solve/backend_bulk.h"
#include "table/write/block_symbols.h"
#include "table/write/context_encode.h"
#include "table/write/device_symbols.h"
#include "table/write/search.h"
#include "table/write/write_together.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/saturate.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVEL = 9,
    BEST_LEVEL = 19,
    QUICK_LEVEL = 1,
    REDUCED_LEVEL = 3,       // for distances that will be removed: 5 to 7 times as fast as 9, 12 to 20 % larger
    GROUP_SYMBOLS = 1 << 24, // up to this size sections are made together, so that small ones keep all threads busy
    RANK_BLOCK_BITS = 15,
    TEXT_SPACE = 2048
};

int writer_report(const struct writer *writer)
{
    const struct write_options *options = writer->options;
    const double share = writer->total > 0 ? writer->done / writer->total : 0;
    if (options->progress != NULL && options->progress(options->context, share) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted while writing");
    return 0;
}

static unsigned block_bits(const struct entry_order *order, const struct write_options *options)
{
    return options->best || order->per_section > LARGE_SYMBOLS ? LARGE_BLOCK_BITS : BLOCK_BITS;
}

// A block of distances that will be removed has half as many symbols: the eight squares of a rank, of the third man
// from inside, on which a pawn promotes.
static unsigned stream_block_bits(const struct writer *writer, const struct stream *stream)
{
    return stream->tells                                          ? RANK_BLOCK_BITS
           : stream->model_data == NULL && !writer->options->best ? BLOCK_BITS
                                                                  : block_bits(&stream->order, writer->options);
}

static struct container_stream stream_shape(const struct writer *writer, const struct stream *stream)
{
    struct container_stream shape = {.symbol_bytes = stream->symbol_bytes,
                                     .block_symbols = 1U << stream_block_bits(writer, stream),
                                     .sections = stream->order.sections,
                                     .section_symbols = stream->order.per_section,
                                     .codec = stream->model_data == NULL      ? CODEC_ZSTD
                                              : stream->kind == TABLE_OUTCOME ? CODEC_CONTEXT
                                                                              : CODEC_PATTERN,
                                     .model_bytes = (uint32_t)stream->model_bytes};
    snprintf(shape.name, sizeof shape.name, "%s", table_stream_name(stream->kind, stream->side));
    return shape;
}

uint64_t stream_blocks(const struct writer *writer, const struct stream *stream)
{
    const struct container_stream shape = stream_shape(writer, stream);
    return container_section_blocks(&shape);
}

void stream_drop_model(struct stream *stream)
{
    context_model_free(&stream->model);
    free(stream->model_data);
    stream->model_data = NULL;
    stream->model_bytes = 0;
}

// Makes the lists of a side's distances; false if one is too long. Distances to mate have all of their parity in the
// list, so that a place is the code minus 1.
static bool make_lists(const struct content *content, int side, struct ply_lists *lists)
{
    const bool mate = content->material->metric != METRIC_DTZ;
    for (int outcome = CLTB_LOSS; outcome <= CLTB_WIN; outcome++) {
        const int longest = content->longest[side][outcome + 2];
        const bool late = !mate && outcome_is_cursed(outcome);
        unsigned *count = &lists->count[outcome + 2];
        *count = 0;
        for (int ply = outcome > 0; ply <= (outcome == CLTB_LOSS && longest < 0 ? 0 : longest); ply++) {
            if (outcome == CLTB_DRAW || late != (!mate && ply > PLY_LIMIT) || (mate && ply % 2 != (outcome > 0)) ||
                (content->occurs != NULL && !mate && !content->occurs(content->context, side, outcome, ply)))
                continue;
            if (*count == NEW_SYMBOLS_MAX)
                return false;
            lists->ply[outcome + 2][(*count)++] = (uint16_t)ply;
        }
    }
    return true;
}

// Chooses orders, and the side whose distances take fewer bytes. With outcomes alone the first order is kept.
static int plan_streams(struct writer *writer)
{
    const struct content *content = &writer->content;
    for (int side = WHITE; side <= writer->last_side; side++) {
        struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
        struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
        *outcome = (struct stream){.kind = TABLE_OUTCOME, .side = side, .symbol_bytes = 1, .wanted = true};
        *distance = (struct stream){.kind = TABLE_DISTANCE, .side = side, .wanted = content->kept[side]};
        const bool wide = content->longest_kept[side] >= NEW_SYMBOLS_MAX || writer->options->listed;
        distance->listed = wide && make_lists(content, side, &writer->lists[side]);
        distance->symbol_bytes = wide && !distance->listed ? 2 : 1;
        outcome->level = distance->level = writer->options->outcomes ? QUICK_LEVEL
                                           : writer->options->best   ? BEST_LEVEL
                                                                     : LEVEL;
        entry_order_init(&outcome->order, content->material, content->slices, NULL);
        distance->wanted &= !writer->options->outcomes;
    }
    if (!writer->options->outcomes)
        TRY(write_search(writer));
    struct stream *white = stream_of(writer, TABLE_DISTANCE, WHITE);
    struct stream *black = stream_of(writer, TABLE_DISTANCE, BLACK);
    struct stream *larger = white->sample_bytes <= black->sample_bytes ? black : white;
    if (writer->last_side == BLACK && white->wanted && black->wanted && !writer->options->both_sides)
        larger->wanted = false;
    if (writer->options->reduced) { // the solver reads them together with the outcomes
        const struct stream *outcome = stream_of(writer, TABLE_OUTCOME, larger->side);
        larger->level = REDUCED_LEVEL;
        larger->order = outcome->order;
        memcpy(larger->choice, outcome->choice, sizeof larger->choice);
        stream_drop_model(larger);
        larger->symbol_bytes = larger->listed ? 2 : larger->symbol_bytes; // lists are a part of the model
        larger->listed = false;
        larger->tells = larger->symbol_bytes == 1;
    }
    if (!white->wanted && !black->wanted && !writer->options->outcomes)
        return error_set(CLTB_E_USAGE, "a table needs the distances of one side to move at least");
    return writer->options->outcomes
               ? 0
               : write_pair(writer, !white->wanted || (black->wanted && larger == white) ? BLACK : WHITE);
}

// ---- blocks ----

// The work on one stream: some whole sections, or one section in passes.
struct work {
    struct writer *writer;
    const struct stream *stream;
    struct container_stream shape;
    uint64_t first;                    // the first section
    uint64_t count;                    //
    uint64_t blocks;                   // in a section
    uint8_t *symbols;                  // of all sections, of the blocks of a pass, or of those from block `from` on
    uint64_t from;                     //
    bool taken;                        // Have all blocks been compressed as a device has made them?
    const uint8_t *given;              // of paired distances: the outcomes as they are stored
    bool keep_stored;                  // of outcomes: the symbols are to become what is stored
    const struct write_passes *passes; // NULL: whole sections
    uint32_t *slot;                    // [blocks] with passes: the place of a block among those of the pass
    const uint32_t *part;              // with passes: the blocks of this pass
    struct waiting_block *waiting;     // [count * blocks]
};

// Codes the symbols of a block, `first` and those after it, into `compressed`, choosing don't-cares.
static int code_symbols(const struct work *work, struct container_compressor *compressor, uint64_t block,
                        uint64_t first, size_t count, void *compressed, size_t *bytes)
{
    const struct stream *stream = work->stream;
    uint8_t *symbols = work->symbols + first * stream->symbol_bytes;
    const struct vacant_start marks = {&stream->order, stream->side, work->first + block / work->blocks,
                                       block % work->blocks * work->shape.block_symbols};
    if (stream->model_data != NULL && stream->kind == TABLE_DISTANCE)
        return context_encode(&stream->model, symbols, work->given != NULL ? work->given + first : NULL, &marks, count,
                              NULL, compressed, bytes);
    if (stream->model_data != NULL)
        return context_encode(&stream->model, symbols, NULL, NULL, count, work->keep_stored ? symbols : NULL,
                              compressed, bytes);
    if (!stream->tells)
        dont_care_fill(stream->kind, stream->symbol_bytes, symbols, count);
    container_compressor_level(compressor, stream->level);
    return container_compress(compressor, symbols, count * stream->symbol_bytes, compressed, bytes);
}

// The compressed block, which belongs to the work from now on, waits in memory, or in the overflow if there is no room.
static int keep_block(const struct work *work, uint64_t number, void *compressed, size_t bytes)
{
    struct writer *writer = work->writer;
    struct waiting_block *block = &work->waiting[number];
    if (atomic_fetch_add(&writer->waiting, bytes) + bytes <= writer->room_waiting) {
        void *kept = realloc(compressed, bytes);
        *block = (struct waiting_block){.data = kept != NULL ? kept : compressed, .bytes = (uint32_t)bytes};
        return 0;
    }
    atomic_fetch_sub(&writer->waiting, bytes);
    const int code = overflow_put(writer->overflow, compressed, bytes, &block->offset);
    block->bytes = code == 0 ? (uint32_t)bytes : 0;
    free(compressed);
    return code;
}

static int compress_block(void *context, uint64_t item, int worker)
{
    struct work *work = context;
    const uint64_t number = work->part != NULL ? work->part[item] : work->from + item;
    const size_t count = container_block_length(&work->shape, number);
    uint64_t first = item * work->shape.block_symbols;
    if (work->part == NULL)
        first = item / work->blocks * work->shape.section_symbols + item % work->blocks * work->shape.block_symbols;
    const size_t bound =
        work->stream->model_data != NULL ? context_bound(count) : container_bound(count * work->stream->symbol_bytes);
    void *compressed = malloc(bound);
    if (compressed == NULL)
        return error_memory(bound, "a compressed block");
    size_t bytes;
    int code = code_symbols(work, work->writer->compressor[worker], number, first, count, compressed, &bytes);
    if (code != 0) {
        free(compressed);
        return code;
    }
    return keep_block(work, number, compressed, bytes);
}

int writer_get_block(const struct writer *writer, const struct waiting_block *block, void *to)
{
    if (block->data == NULL)
        return overflow_get(writer->overflow, block->offset, to, block->bytes);
    memcpy(to, block->data, block->bytes);
    return 0;
}

// `context` is the work; the block belongs to its first section.
static int fetch_block(void *context, uint64_t block, uint32_t bytes, void *to)
{
    const struct work *work = context;
    (void)bytes;
    return writer_get_block(work->writer, &work->waiting[block], to);
}

void writer_drop_block(struct writer *writer, struct waiting_block *block)
{
    if (block->data != NULL)
        atomic_fetch_sub(&writer->waiting, block->bytes);
    else if (block->bytes > 0)
        overflow_drop(writer->overflow, block->offset, block->bytes);
    free(block->data);
    *block = (struct waiting_block){0};
}

static void drop_blocks(struct work *work)
{
    for (uint64_t i = 0; work->waiting != NULL && i < work->count * work->blocks; i++)
        writer_drop_block(work->writer, &work->waiting[i]);
}

static int put_sections(struct work *work)
{
    struct container_piece *pieces;
    TRY(memory_new(&pieces, work->blocks, sizeof *pieces, "a section's blocks"));
    int code = 0;
    for (uint64_t i = 0; code == 0 && i < work->count; i++) {
        struct work rest = *work;
        rest.waiting += i * work->blocks;
        for (uint64_t block = 0; block < work->blocks; block++)
            pieces[block] = (struct container_piece){rest.waiting[block].data, rest.waiting[block].bytes};
        code = container_add_fetched(work->writer->container, work->stream->number, work->first + i, pieces,
                                     fetch_block, &rest);
    }
    free(pieces);
    drop_blocks(work);
    return code;
}

// Sections of one or two streams on their way into the file.
struct putting {
    struct work work[2];
    int streams;
};

static int put_behind(void *context)
{
    struct putting *putting = context;
    int code = 0;
    for (int i = 0; i < putting->streams; i++) {
        THEN(code, put_sections(&putting->work[i]));
        drop_blocks(&putting->work[i]);
        free(putting->work[i].waiting);
    }
    free(putting);
    return code;
}

// Puts the sections of all streams into the file; a thread does it while the next ones are made, or a device would wait
// for the file.
static int put_later(struct writer *writer, struct work *work, int streams)
{
    struct putting *putting;
    TRY(behind_wait(&writer->behind));
    TRY(memory_new(&putting, 1, sizeof *putting, "sections of the table"));
    putting->streams = streams;
    for (int i = 0; i < streams; i++) {
        putting->work[i] = work[i];
        work[i].waiting = NULL;
    }
    if (!threads_begin_beside(writer->pool))
        return put_behind(putting);
    behind_begin(&writer->behind, put_behind, putting);
    return 0;
}

// ---- sections ----

// With a memory limit the array was allocated outside the pool, so that the pool's limit does not count it.
static void drop_symbols(struct writer *writer)
{
    if (writer->options->memory > 0)
        memory_unmap(writer->symbols, writer->symbol_room);
    else
        memory_give(threads_memory(writer->pool), writer->symbols, writer->symbol_room);
    writer->symbol_room = 0;
}

int writer_reserve(struct writer *writer, uint64_t bytes)
{
    if (bytes <= writer->symbol_room)
        return 0;
    drop_symbols(writer);
    writer->symbols =
        writer->options->memory > 0 ? memory_map(bytes) : memory_take(threads_memory(writer->pool), bytes, NULL);
    if (writer->symbols == NULL)
        return error_memory(bytes, "sections of the table");
    writer->symbol_room = bytes;
    return 0;
}

// Compresses blocks of a section that a device makes some at a time.
static int take_blocks(void *context, uint64_t first, uint64_t count, void *symbols, struct thread_pool *pool)
{
    struct work *work = context;
    const uint64_t block = work->shape.block_symbols;
    struct work some = *work;
    some.symbols = symbols;
    some.from = first / block;
    work->taken = first + count == work->shape.section_symbols;
    return threads_each(pool, (count + block - 1) / block, compress_block, &some);
}

// Blocks that a device has coded.
struct coded_blocks {
    const struct work *work;
    uint64_t first; // block
    const struct coded_unit *unit;
    const uint32_t *place;
    const uint8_t *bytes;
};

static int join_block(void *context, uint64_t item, int worker)
{
    const struct coded_blocks *blocks = context;
    const struct work *work = blocks->work;
    const uint64_t number = blocks->first + item;
    const size_t first = (size_t)item * (work->shape.block_symbols / CONTEXT_UNIT);
    const struct coded_unit *unit = blocks->unit + first;
    const size_t count = container_block_length(&work->shape, number);
    const size_t bound = coder_bound(unit, count);
    uint8_t *joined = malloc(bound);
    size_t bytes;
    (void)worker;
    if (joined == NULL)
        return error_memory(bound, "a compressed block");
    const int code = coder_join(unit, blocks->place + first, blocks->bytes, count, joined, &bytes);
    if (code == 0)
        return keep_block(work, number, joined, bytes);
    free(joined);
    return code;
}

static int take_coded(void *context, uint64_t first, uint64_t count, const struct coded_unit *unit,
                      const uint32_t *place, const uint8_t *bytes, struct thread_pool *pool)
{
    struct work *work = context;
    const uint64_t block = work->shape.block_symbols;
    struct coded_blocks blocks = {work, first / block, unit, place, bytes};
    work->taken = first + count == work->count * work->shape.section_symbols;
    return threads_each(pool, (count + block - 1) / block, join_block, &blocks);
}

// Lets a device code the blocks of whole sections whose symbols the processor has made, if it can.
static int code_elsewhere(struct work *work)
{
    const struct stream *stream = work->stream;
    struct backend *device = work->writer->options->coder;
    struct symbols_coder coder;
    bool made;
    if (device == NULL || work->taken || work->passes != NULL || stream->model_data == NULL || work->keep_stored ||
        work->given != NULL)
        return 0;
    TRY(coder_make(&coder, &stream->model));
    coder.side = stream->side;
    coder.take = take_coded;
    coder.take_context = work;
    const struct code_request request = {.coder = &coder,
                                         .order = &stream->order,
                                         .section = work->first,
                                         .symbols = work->symbols,
                                         .count = work->count * work->shape.section_symbols,
                                         .unit = work->shape.block_symbols};
    const int code = device->bulk->code(device, &request, &made);
    coder_free(&coder);
    return code;
}

// The part of a stream that a pass makes.
static struct section_target pass_target(struct work *work, size_t pass)
{
    struct section_target target = stream_target(work->writer, work->stream, &work->stream->order, work->symbols);
    if (work->passes == NULL) {
        target.block_bits = stream_block_bits(work->writer, work->stream);
        target.take = work->count == 1 && !work->keep_stored && work->given == NULL ? take_blocks : NULL;
        target.take_context = work;
        target.model = target.take != NULL && work->stream->model_data != NULL ? &work->stream->model : NULL;
        target.take_coded = take_coded;
        return target;
    }
    const struct write_pass *now = &work->passes->pass[pass];
    work->part = work->passes->block + now->first;
    memset(work->slot, 0xff, work->blocks * sizeof *work->slot);
    for (uint32_t i = 0; i < now->count; i++)
        work->slot[work->part[i]] = i;
    target.slot = work->slot;
    target.slots = (uint32_t)now->count;
    target.block_bits = stream_block_bits(work->writer, work->stream);
    return target;
}

// Does steps 2 to 4 for one pass, or for whole sections.
static int make_pass(struct writer *writer, struct work *work, int streams, size_t pass)
{
    const struct write_passes *passes = work[0].passes;
    const bool last = passes == NULL || pass == passes->count - 1;
    const bool later = writer->together == NULL && writer->options->memory == 0; // there is room for both streams
    struct section_request request = {.first_free = true, .filter = passes != NULL ? &passes->pass[pass].filter : NULL};
    for (int i = 0; i < streams; i++) {
        request.side = work[i].stream->side;
        if (work[i].stream->kind == TABLE_DISTANCE) {
            request.distance = pass_target(&work[i], pass);
        } else {
            request.outcome = pass_target(&work[i], pass);
            request.counts = writer->counts[request.side];
        }
    }
    TRY(writer->content.fill(writer->content.context, &request, work[0].first, work[0].count, writer->pool));
    for (int i = 0; i < streams; i++) {
        const uint64_t blocks = passes != NULL ? work[i].passes->pass[pass].count : work[i].count * work[i].blocks;
        TRY(code_elsewhere(&work[i]));
        if (!work[i].taken)
            TRY(threads_each(writer->pool, blocks, compress_block, &work[i]));
        if (last && !later) // with other processes, the sections go into the file later
            TRY(writer->together == NULL
                    ? put_sections(&work[i])
                    : together_keep(writer->together, work[i].stream, work[i].first, work[i].count, work[i].waiting));
        writer->done += (double)blocks / (double)work[i].blocks;
        TRY(writer_report(writer));
    }
    return last && later ? put_later(writer, work, streams) : 0;
}

// Makes one or two streams of a side at once. `passes`: NULL, or those of each stream, which agree; then `count` is 1.
static int make_sections(struct writer *writer, const struct stream *const *stream, const struct write_passes *passes,
                         int streams, uint64_t first, uint64_t count)
{
    struct work works[2] = {{0}};
    uint64_t bytes[2] = {0, 0};
    int code = 0;
    for (int i = 0; code == 0 && i < streams; i++) {
        struct work *work = &works[i];
        *work = (struct work){.writer = writer,
                              .stream = stream[i],
                              .shape = stream_shape(writer, stream[i]),
                              .first = first,
                              .count = count,
                              .passes = passes != NULL ? &passes[i] : NULL};
        work->blocks = stream_blocks(writer, stream[i]);
        const uint64_t symbols = passes != NULL ? passes[i].most << stream_block_bits(writer, stream[i])
                                                : count * stream[i]->order.per_section;
        bytes[i] = symbols * stream[i]->symbol_bytes;
        code = memory_new(&work->waiting, count * work->blocks, sizeof *work->waiting, "sections of the table");
        if (code == 0 && passes != NULL)
            code = memory_new(&work->slot, work->blocks, sizeof *work->slot, "sections of the table");
    }
    THEN(code, writer_reserve(writer, bytes[0] + bytes[1]));
    for (int i = 0; code == 0 && i < streams; i++)
        works[i].symbols = writer->symbols + (i == 0 ? 0 : bytes[0]);
    if (streams == 2 && stream[1]->paired) {
        works[0].keep_stored = true;
        works[1].given = works[0].symbols;
    }
    for (size_t pass = 0; code == 0 && pass < (passes != NULL ? passes->count : 1); pass++)
        code = make_pass(writer, works, streams, pass);
    for (int i = 0; i < streams; i++) {
        drop_blocks(&works[i]);
        free(works[i].waiting);
        free(works[i].slot);
    }
    return code;
}

// Makes one section in passes that use `room` bytes. Two streams share the passes if their orders allow it, so that
// each tile is looked at once, or if they are paired, and so have the same order; otherwise nothing is done and `*made`
// is false.
static int make_in_passes(struct writer *writer, const struct stream *const *stream, int streams, uint64_t section,
                          bool *made)
{
    struct write_passes passes[2] = {{0}};
    unsigned bytes = 0;
    int code = 0;
    for (int i = 0; i < streams; i++)
        bytes += stream[i]->symbol_bytes;
    for (int i = 0; code == 0 && i < streams; i++) {
        const unsigned bits = stream_block_bits(writer, stream[i]);
        const uint64_t most = writer->room / bytes >> bits;
        code = write_passes_plan(&passes[i], &stream[i]->order, &writer->content.pieces, bits, most > 0 ? most : 1);
    }
    *made = code == 0 && (streams == 1 || stream[1]->paired || write_passes_agree(&passes[0], &passes[1]));
    if (*made)
        code = make_sections(writer, stream, passes, streams, section, 1);
    write_passes_free(&passes[0]);
    write_passes_free(&passes[1]);
    return code;
}

// Makes some sections of one or two streams of a side, as many at a time as fit.
static int make_group(struct writer *writer, const struct stream *const *stream, int streams, uint64_t first,
                      uint64_t count)
{
    const uint64_t bytes = stream[0]->symbol_bytes + (streams == 2 ? stream[1]->symbol_bytes : 0);
    bool made = false;
    if (count * stream[0]->order.per_section * bytes <= writer->room)
        return make_sections(writer, stream, NULL, streams, first, count);
    if (count == 1 && streams == 2)
        TRY(make_in_passes(writer, stream, 2, first, &made));
    const int together = streams == 2 && stream[1]->paired ? 2 : 1;
    for (int i = 0; !made && i < streams; i += together) {
        const unsigned symbol_bytes = together == 2 ? 2 : stream[i]->symbol_bytes;
        const uint64_t fit = writer->room / (stream[i]->order.per_section * symbol_bytes);
        for (uint64_t done = 0, some; done < count; done += some) {
            bool alone = true;
            some = fit == 0 ? 1 : count - done < fit ? count - done : fit;
            if (fit > 0)
                TRY(make_sections(writer, &stream[i], NULL, together, first + done, some));
            else
                TRY(make_in_passes(writer, &stream[i], together, first + done, &alone));
            if (!alone)
                return error_set(CLTB_E_USAGE, "paired streams are made together");
        }
    }
    return 0;
}

uint64_t sections_at_once(const struct entry_order *order)
{
    const uint64_t most = GROUP_SYMBOLS / order->per_section;
    if (!material_has_pawns(&order->material) || most < 1)
        return 1;
    return most < order->sections ? most : order->sections;
}

// ---- the whole ----

static void write_text(const struct writer *writer, char text[TEXT_SPACE])
{
    char name[MATERIAL_NAME_MAX];
    struct material men = *writer->content.material;
    const enum metric metric = (enum metric)men.metric;
    men.metric = METRIC_DTZ;
    size_t at = (size_t)snprintf(text, TEXT_SPACE, "game chess\nmaterial %s\nmetric %s\n%s", material_name(&men, name),
                                 metric_names[metric], metric == METRIC_DTZ ? "distance-free 1\n" : "");
    for (int i = 0; i < STREAMS_MAX; i++) {
        const struct stream *stream = &writer->stream[i];
        if (!stream->wanted)
            continue;
        char order[ENTRY_TEXT_MAX];
        entry_order_write(&stream->order, order);
        at += (size_t)snprintf(text + at, TEXT_SPACE - at, "%s %s\n", table_stream_name(stream->kind, stream->side),
                               order);
    }
    const struct stream *white = &writer->stream[(int)TABLE_DISTANCE * COLOURS + WHITE];
    if (metric != METRIC_DTZ && writer->last_side == BLACK)
        at += (size_t)snprintf(text + at, TEXT_SPACE - at, TABLE_REDUCES_TO " %c\n",
                               white->sample_bytes <= white[1].sample_bytes ? 'w' : 'b');
    for (int side = WHITE; side <= BLACK; side++) {
        if (white[side].tells)
            at += (size_t)snprintf(text + at, TEXT_SPACE - at, TABLE_TELLS " %c\n", side == WHITE ? 'w' : 'b');
    }
    struct material pieces = *writer->content.material;
    pieces.count[WHITE][PAWN] = pieces.count[BLACK][PAWN] = 0;
    for (int side = WHITE; side <= BLACK; side++) {
        const int source = writer->last_side == WHITE ? WHITE : side; // symmetric: both sides to move are the same
        unsigned long long positions[TABLE_OUTCOMES];
        int longest[TABLE_OUTCOMES];
        for (int i = 0; i < TABLE_OUTCOMES; i++)
            positions[i] = writer->counts[source][i] / material_arrangements(&pieces);
        memcpy(longest, writer->content.longest[source], sizeof longest);
        if (longest[0] < 0 && positions[0] > 0)
            longest[0] = 0; // only checkmates
        const char mark = side == WHITE ? 'w' : 'b';
        at += (size_t)snprintf(text + at, TEXT_SPACE - at,
                               "positions-%c %llu %llu %llu %llu %llu\nlongest-%c %d %d %d %d %d\n", mark, positions[0],
                               positions[1], positions[2], positions[3], positions[4], mark, longest[0], longest[1],
                               longest[2], longest[3], longest[4]);
    }
}

static int write_streams(struct writer *writer, const char *path)
{
    struct container_stream shapes[STREAMS_MAX];
    int count = 0;
    for (int i = 0; i < STREAMS_MAX; i++) {
        struct stream *stream = &writer->stream[i];
        if (!stream->wanted)
            continue;
        shapes[count] = stream_shape(writer, stream);
        stream->number = count++;
        for (uint64_t section = 0; section < stream->order.sections; section++)
            writer->total += together_makes(writer->together, stream->side, section);
    }
    if (peers_rank(writer->options->peers) == 0)
        TRY(container_create(&writer->container, path, shapes, count, TEXT_SPACE));
    if (writer->container != NULL && writer->options->complete != NULL)
        TRY(container_expect(writer->container, 1));
    for (int i = 0; i < STREAMS_MAX; i++) {
        const struct stream *stream = &writer->stream[i];
        if (stream->wanted && stream->model_data != NULL && writer->container != NULL)
            container_put_model(writer->container, stream->number, stream->model_data);
    }
    for (int side = WHITE; side <= writer->last_side; side++) {
        const struct stream *const stream[2] = {stream_of(writer, TABLE_OUTCOME, side),
                                                stream_of(writer, TABLE_DISTANCE, side)};
        const struct entry_order *order = &stream[0]->order;
        const uint64_t each = sections_at_once(order);
        for (uint64_t first = 0; first < order->sections; first += each) {
            const uint64_t left = order->sections - first;
            if (together_makes(writer->together, side, first))
                TRY(make_group(writer, stream, stream[1]->wanted ? 2 : 1, first, left < each ? left : each));
        }
    }
    TRY(behind_wait(&writer->behind));
    TRY(together_gather(writer->together));
    if (writer->container == NULL)
        return 0;
    char text[TEXT_SPACE];
    write_text(writer, text);
    return container_show(writer->container, text);
}

// Replaces the compressors; level 0: by none.
static int set_level(struct writer *writer, int level)
{
    int code = 0;
    for (int i = 0; writer->compressor != NULL && i < threads_count(writer->pool); i++) {
        container_compressor_close(writer->compressor[i]);
        writer->compressor[i] = NULL;
        if (level > 0 && code == 0)
            code = container_compressor_open(&writer->compressor[i], level);
    }
    return code;
}

// ---- memory ----

// The memory that the writer needs whatever the size of its arrays: the file's head, notes about each block of a
// section, and for each thread a compressor, a block, and scratch memory for tiles.
static uint64_t fixed_bytes(const struct entry_order *order, uint64_t distance_bytes,
                            const struct write_options *options, int threads)
{
    enum { COMPRESSOR = 1 << 20, PER_SYMBOL = 4, BEST_PER_SYMBOL = 20, EACH_BLOCK = 64 };
    const unsigned bits = block_bits(order, options);
    const uint64_t block = (distance_bytes << bits) * (options->best ? BEST_PER_SYMBOL : PER_SYMBOL);
    const uint64_t blocks = (order->per_section >> bits) + 1;
    const struct container_stream shape = {.symbol_bytes = 1,
                                           .block_symbols = 1U << bits,
                                           .sections = order->sections,
                                           .section_symbols = order->per_section};
    struct container_stream shapes[STREAMS_MAX] = {shape, shape, shape, shape};
    const uint64_t lanes = UINT64_C(1) << 3 * (material_men(&order->material) - 1);
    const uint64_t each = u64_sum(COMPRESSOR + block, u64_product(lanes, 24));
    return u64_sum(u64_sum(container_writer_bytes(shapes, STREAMS_MAX, TEXT_SPACE), u64_product(blocks, EACH_BLOCK)),
                   u64_product(each, (uint64_t)threads));
}

struct memory_need write_need(const struct material *material, uint64_t slices, const struct write_options *options,
                              int threads)
{
    enum { SMALL_MEN = 5, PARTS = 8 };
    struct entry_order order;
    entry_order_init(&order, material, NULL, NULL);
    uint64_t group = order.per_slice;
    if (material_has_pawns(material)) {
        const uint64_t each = (SECTION_ENTRIES_MIN + order.per_slice - 1) / order.per_slice;
        order.per_section = order.per_slice * each;
        order.sections = (slices + each - 1) / each;
        group = order.per_section * sections_at_once(&order);
    }
    // With five men or fewer, every distance fits into a byte.
    const unsigned distance_bytes = material_men(material) <= SMALL_MEN ? 1 : 2;
    const uint64_t fixed = fixed_bytes(&order, distance_bytes, options, threads);
    const uint64_t arrays = u64_product(group, 1 + distance_bytes);
    struct memory_need need = {(uint64_t)(1 + distance_bytes) << block_bits(&order, options),
                               u64_sum(arrays, arrays / PARTS)};
    need = need_larger(need, write_search_need(&order, distance_bytes, options->best, threads));
    need_add(&need, fixed, fixed);
    return need;
}

// Divides the memory that there is: a part is for compressed blocks that wait.
static void set_room(struct writer *writer)
{
    enum { WAITING_PART = 8, ROOM_TOGETHER = 64 << 20 };
    const struct write_options *options = writer->options;
    writer->room = UINT64_MAX;
    writer->room_waiting = writer->together != NULL ? ROOM_TOGETHER : UINT64_MAX;
    if (options->memory == 0)
        return;
    struct entry_order order;
    entry_order_init(&order, writer->content.material, writer->content.slices, NULL);
    const unsigned distance_bytes =
        writer->content.longest_kept[WHITE] < 255 && writer->content.longest_kept[BLACK] < 255 ? 1 : 2;
    const uint64_t fixed = fixed_bytes(&order, distance_bytes, options, threads_count(writer->pool));
    const uint64_t left = options->memory > fixed ? options->memory - fixed : 0;
    writer->room_waiting = left / WAITING_PART;
    writer->room = left - writer->room_waiting;
}

static int write_file(struct writer *writer, const char *path)
{
    const struct write_options *options = writer->options;
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    TRY(memory_new(&writer->compressor, (size_t)threads_count(writer->pool), sizeof *writer->compressor,
                   "compression"));
    TRY(together_open(&writer->together, writer, options->peers));
    set_room(writer);
    TRY(overflow_open(&writer->overflow, options->scratch != NULL ? options->scratch : dirname(folder)));
    TRY(set_level(writer, WRITE_SAMPLE_LEVEL));
    TRY(plan_streams(writer));
    return write_streams(writer, path);
}

int write_content(const struct content *content, const char *path, struct thread_pool *pool,
                  const struct write_options *options, uint64_t *bytes)
{
    struct writer *writer;
    TRY(memory_new(&writer, 1, sizeof *writer, "a table writer"));
    writer->content = *content;
    writer->options = options;
    writer->pool = writer->behind.pool = pool;
    writer->last_side = material_symmetric(content->material) ? WHITE : BLACK;
    int code = write_file(writer, path);
    behind_wait(&writer->behind);
    struct container_writer *container = writer->container;
    set_level(writer, 0);
    together_close(writer->together);
    overflow_close(writer->overflow);
    drop_symbols(writer);
    for (int i = 0; i < STREAMS_MAX; i++)
        stream_drop_model(&writer->stream[i]);
    free(writer->compressor);
    free(writer);
    if (container != NULL && options->complete != NULL)
        THEN(code, options->complete(options->complete_context, container));
    if (container != NULL && code == 0)
        code = container_finish(container, NULL);
    else
        container_abandon(container);
    *bytes = 0;
    return code != 0 || peers_rank(options->peers) > 0 ? code : container_size(path, bytes);
}

static bool tiles_occurs(const void *context, int side, int outcome, int ply)
{
    const struct tile_source *source = context;
    const bool late = source->layout->material.metric == METRIC_DTZ && ply > PLY_LIMIT;
    const bool won = outcome > 0;
    for (int code = 1; late == outcome_is_cursed(outcome) && code < DISTANCE_CODES; code++) {
        const solver_value value = source->value[side][won][code];
        if (value != 0 && solver_value_ply(value) == ply)
            return true;
    }
    return false;
}

struct content tiles_content(const struct tile_source *source)
{
    const struct layout *layout = source->layout;
    struct content content = {.material = &layout->material,
                              .pieces = {layout->pieces, layout->type, layout->colour},
                              .longest = source->longest,
                              .fill = king_sections_fill,
                              .occurs = tiles_occurs,
                              .context = source};
    for (int side = WHITE; side <= BLACK; side++) {
        content.kept[side] = source->kept[side];
        for (int i = 1; i < 2 * DISTANCE_CODES; i++) {
            const solver_value value = source->value[side][i / DISTANCE_CODES][i % DISTANCE_CODES];
            if (i != DISTANCE_CODES && value != 0 && solver_value_ply(value) > content.longest_kept[side])
                content.longest_kept[side] = solver_value_ply(value);
        }
    }
    return content;
}

struct content slices_content(const struct slices_source *source)
{
    struct content content = {.material = &source->material,
                              .slices = source->slices,
                              .pieces = {source->shape->pieces, source->shape->type, source->shape->colour},
                              .longest = source->longest,
                              .fill = slice_sections_fill,
                              .context = source};
    for (int side = WHITE; side <= BLACK; side++) {
        content.kept[side] = source->kept[side];
        for (int i = 0; i < TABLE_OUTCOMES; i++) {
            if (source->longest[side][i] > content.longest_kept[side])
                content.longest_kept[side] = source->longest[side][i];
        }
    }
    return content;
}
