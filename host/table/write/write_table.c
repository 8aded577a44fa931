// write_table.c - from a solution to a table file
//
// For every stream the order of the men is searched (write_search.c). Then the file is made section by section, small
// sections many at a time: values are scattered into the stream's order (sections.c, slice_sections.c), free entries take
// the value before them, and the blocks are compressed on all threads.
//
// Where there is not enough memory for that, the streams are made one after the other and fewer sections at a time, and a
// section that does not fit by itself is made in passes (write_passes.c). Its blocks then become ready in another order
// than they have in the file, so they wait for each other, in memory or in a file (disk/overflow.h). None of this changes a byte of the file.
#include "table/write/write_table.h"

#include "table/write/dont_care.h"
#include "table/write/king_sections.h"
#include "table/write/write_search.h"
#include "util/error.h"
#include "util/saturate.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVEL = 9,
    BEST_LEVEL = 19,
    SAMPLE_LEVEL = 5,
    GROUP_SYMBOLS = 1 << 24, // sections are made together up to this size, so that small ones keep all threads busy
    TEXT_SPACE = 2048
};

static int report(const struct writer *writer)
{
    const struct write_options *options = writer->options;
    const double share = writer->total > 0 ? writer->done / writer->total : 0;
    if (options->progress != NULL && options->progress(options->context, share) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted while writing");
    return 0;
}

static unsigned block_bits(const struct write_options *options)
{
    return options->best ? BEST_BLOCK_BITS : BLOCK_BITS;
}

static struct container_stream stream_shape(const struct writer *writer, const struct stream *stream)
{
    struct container_stream shape = {.symbol_bytes = stream->symbol_bytes,
                                     .block_symbols = 1U << block_bits(writer->options),
                                     .sections = stream->order.sections,
                                     .section_symbols = stream->order.per_section};
    snprintf(shape.name, sizeof shape.name, "%s", table_stream_name(stream->kind, stream->side));
    return shape;
}

// Chooses orders, and the side whose distances are cheaper.
static int plan_streams(struct writer *writer)
{
    const struct content *content = &writer->content;
    for (int side = WHITE; side <= writer->last_side; side++) {
        struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
        struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
        *outcome = (struct stream){.kind = TABLE_OUTCOME, .side = side, .symbol_bytes = 1, .wanted = true};
        *distance = (struct stream){.kind = TABLE_DISTANCE, .side = side, .wanted = content->kept[side]};
        distance->symbol_bytes = content->longest_kept[side] < 255 ? 1 : 2;
        TRY(write_search_side(writer, side));
        TRY(report(writer));
    }
    struct stream *white = stream_of(writer, TABLE_DISTANCE, WHITE);
    struct stream *black = stream_of(writer, TABLE_DISTANCE, BLACK);
    if (writer->last_side == BLACK && white->wanted && black->wanted && !writer->options->both_sides)
        (white->sample_bytes <= black->sample_bytes ? black : white)->wanted = false;
    if (!white->wanted && !black->wanted)
        return error_set(CLTB_E_USAGE, "a table needs the distances of one side to move at least");
    return 0;
}

// ---- blocks ----

// A compressed block: in memory, or (no data) in the overflow.
struct waiting_block {
    void *data; // malloc'ed
    uint32_t bytes;
    uint64_t offset;
};

// Some sections of one stream, or a part of one section.
struct section_work {
    struct writer *writer;
    const struct stream *stream;
    struct container_stream shape;
    uint64_t blocks;               // of a section
    uint8_t *symbols;              //
    const uint32_t *part;          // the blocks that are there, NULL: all, of some sections
    struct waiting_block *waiting; // [sections * blocks]
};

// Takes a malloc'ed array. Blocks beyond the memory for them go to the overflow.
static int keep_block(struct writer *writer, void *compressed, size_t bytes, struct waiting_block *block)
{
    if (atomic_fetch_add(&writer->waiting, bytes) + bytes <= writer->room_waiting) {
        *block = (struct waiting_block){.data = compressed, .bytes = (uint32_t)bytes};
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
    struct section_work *work = context;
    const unsigned width = work->stream->symbol_bytes;
    const uint64_t number = work->part != NULL ? work->part[item] : item;
    const size_t count = container_block_length(&work->shape, number);
    uint64_t first = item * work->shape.block_symbols;
    if (work->part == NULL)
        first = item / work->blocks * work->shape.section_symbols + item % work->blocks * work->shape.block_symbols;
    uint8_t *symbols = work->symbols + first * width;
    dont_care_fill(work->stream->kind, width, symbols, count);
    void *compressed = malloc(container_bound(count * width));
    if (compressed == NULL)
        return error_memory(container_bound(count * width), "a compressed block");
    size_t bytes;
    const int code = container_compress(work->writer->compressor[worker], symbols, count * width, compressed, &bytes);
    if (code != 0) {
        free(compressed);
        return code;
    }
    void *kept = realloc(compressed, bytes);
    return keep_block(work->writer, kept != NULL ? kept : compressed, bytes, &work->waiting[number]);
}

struct fetch {
    const struct overflow *overflow;
    const struct waiting_block *waiting; // [blocks of a section]
};

static int fetch_block(void *context, uint64_t block, uint32_t bytes, void *to)
{
    const struct fetch *fetch = context;
    return overflow_get(fetch->overflow, fetch->waiting[block].offset, to, bytes);
}

// Puts `count` sections, whose blocks are all ready, into the file.
static int add_sections(struct section_work *work, uint64_t first, uint64_t count)
{
    struct writer *writer = work->writer;
    struct container_piece *pieces = malloc(work->blocks * sizeof *pieces);
    if (pieces == NULL)
        return error_memory(work->blocks * sizeof *pieces, "a section's blocks");
    int code = 0;
    for (uint64_t i = 0; code == 0 && i < count; i++) {
        struct fetch fetch = {writer->overflow, work->waiting + i * work->blocks};
        for (uint64_t block = 0; block < work->blocks; block++)
            pieces[block] = (struct container_piece){fetch.waiting[block].data, fetch.waiting[block].bytes};
        code = container_add_fetched(writer->container, work->stream->number, first + i, pieces, fetch_block, &fetch);
    }
    free(pieces);
    return code;
}

static int open_work(struct section_work *work, struct writer *writer, const struct stream *stream, uint64_t sections)
{
    *work = (struct section_work){.writer = writer, .stream = stream, .shape = stream_shape(writer, stream)};
    work->blocks = container_section_blocks(&work->shape);
    work->waiting = calloc(sections * work->blocks, sizeof *work->waiting);
    return work->waiting == NULL ? error_memory(sections * work->blocks * sizeof *work->waiting, "a section's blocks")
                                 : 0;
}

static void close_work(struct section_work *work, uint64_t sections)
{
    struct writer *writer = work->writer;
    for (uint64_t i = 0; work->waiting != NULL && i < sections * work->blocks; i++) {
        const struct waiting_block *block = &work->waiting[i];
        if (block->data != NULL)
            atomic_fetch_sub(&writer->waiting, block->bytes);
        else if (block->bytes > 0)
            overflow_drop(writer->overflow, block->offset, block->bytes);
        free(block->data);
    }
    free(work->waiting);
}

// ---- whole sections ----

static int write_sections(struct writer *writer, const struct stream *stream, uint64_t first, uint64_t count,
                          void *symbols)
{
    struct section_work work;
    TRY(open_work(&work, writer, stream, count));
    work.symbols = symbols;
    int code = threads_each(writer->pool, count * work.blocks, compress_block, &work);
    if (code == 0)
        code = add_sections(&work, first, count);
    close_work(&work, count);
    if (code != 0)
        return code;
    writer->done += (double)count;
    return report(writer);
}

// The outcomes of one side, its distances, or both (else NULL) of some sections.
static int make_sections(struct writer *writer, const struct stream *outcome, const struct stream *distance,
                         uint64_t first, uint64_t count)
{
    const struct content *content = &writer->content;
    const struct stream *either = outcome != NULL ? outcome : distance;
    const uint64_t symbols = count * either->order.per_section;
    uint8_t *outcomes = outcome != NULL ? malloc(symbols) : NULL;
    uint8_t *distances = distance != NULL ? malloc(symbols * distance->symbol_bytes) : NULL;
    struct section_request request = {.side = either->side};
    if (outcome != NULL) {
        request.outcome = stream_target(outcome, &outcome->order, outcomes);
        request.counts = writer->counts[either->side];
    }
    if (distance != NULL)
        request.distance = stream_target(distance, &distance->order, distances);
    int code = 0;
    if ((outcome != NULL && outcomes == NULL) || (distance != NULL && distances == NULL))
        code = error_memory(symbols, "sections of the table");
    if (code == 0)
        code = content->fill(content->context, &request, first, count, writer->pool);
    if (code == 0 && outcome != NULL)
        code = write_sections(writer, outcome, first, count, outcomes);
    if (code == 0 && distance != NULL)
        code = write_sections(writer, distance, first, count, distances);
    free(outcomes);
    free(distances);
    return code;
}

// ---- a section in passes ----

// One stream of the section.
struct pass_stream {
    struct section_work work;
    struct write_passes passes;
    uint32_t *slot; // [blocks]
};

struct pass_work {
    uint64_t section;
    int count;
    struct pass_stream stream[2];
};

static int plan_passes(const struct writer *writer, const struct stream *stream, uint64_t room,
                       struct write_passes *passes)
{
    const unsigned bits = block_bits(writer->options);
    const uint64_t most = room / stream->symbol_bytes >> bits;
    return write_passes_plan(passes, &stream->order, &writer->content.pieces, bits, most > 0 ? most : 1);
}

// What a pass makes of a stream.
static struct section_target pass_target(struct pass_stream *one, size_t pass)
{
    const struct write_pass *now = &one->passes.pass[pass];
    struct section_target target = stream_target(one->work.stream, &one->work.stream->order, one->work.symbols);
    one->work.part = one->passes.block + now->first;
    memset(one->slot, 0xff, one->work.blocks * sizeof *one->slot);
    for (uint32_t i = 0; i < now->count; i++)
        one->slot[one->work.part[i]] = i;
    target.slot = one->slot;
    target.slots = (uint32_t)now->count;
    target.block_bits = block_bits(one->work.writer->options);
    return target;
}

static int make_pass(struct writer *writer, struct pass_work *work, size_t pass)
{
    const int side = work->stream[0].work.stream->side;
    struct section_request request = {.side = side, .filter = &work->stream[0].passes.pass[pass].filter};
    for (int i = 0; i < work->count; i++) {
        struct pass_stream *one = &work->stream[i];
        if (one->work.stream->kind == TABLE_DISTANCE) {
            request.distance = pass_target(one, pass);
            continue;
        }
        request.outcome = pass_target(one, pass);
        request.counts = writer->counts[side];
    }
    TRY(writer->content.fill(writer->content.context, &request, work->section, 1, writer->pool));
    for (int i = 0; i < work->count; i++) {
        struct pass_stream *one = &work->stream[i];
        const uint64_t blocks = one->passes.pass[pass].count;
        TRY(threads_each(writer->pool, blocks, compress_block, &one->work));
        writer->done += (double)blocks / (double)one->work.blocks;
    }
    return report(writer);
}

static int make_all_passes(struct writer *writer, struct pass_work *work)
{
    for (int i = 0; i < work->count; i++) {
        struct pass_stream *one = &work->stream[i];
        const size_t bytes = (one->passes.most << block_bits(writer->options)) * one->work.stream->symbol_bytes;
        one->work.symbols = malloc(bytes);
        one->slot = malloc(one->work.blocks * sizeof *one->slot);
        if (one->work.symbols == NULL || one->slot == NULL)
            return error_memory(bytes, "a part of a table's section");
    }
    for (size_t i = 0; i < work->stream[0].passes.count; i++)
        TRY(make_pass(writer, work, i));
    for (int i = 0; i < work->count; i++)
        TRY(add_sections(&work->stream[i].work, work->section, 1));
    return 0;
}

// `passes` are those of each of the streams, one or two of the same side; all agree.
static int make_in_passes(struct writer *writer, const struct stream *const *streams, const struct write_passes *passes,
                          int count, uint64_t section)
{
    struct pass_work work = {.section = section};
    int code = 0;
    for (int i = 0; code == 0 && i < count; i++) {
        work.stream[i].passes = passes[i];
        code = open_work(&work.stream[i].work, writer, streams[i], 1);
        work.count += code == 0;
    }
    if (code == 0)
        code = make_all_passes(writer, &work);
    for (int i = 0; i < work.count; i++) {
        free(work.stream[i].work.symbols);
        free(work.stream[i].slot);
        close_work(&work.stream[i].work, 1);
    }
    return code;
}

static int make_section_in_passes(struct writer *writer, const struct stream *stream, uint64_t section)
{
    struct write_passes passes;
    TRY(plan_passes(writer, stream, writer->room, &passes));
    const int code = make_in_passes(writer, &stream, &passes, 1, section);
    write_passes_free(&passes);
    return code;
}

// Both streams of a section in the same passes, so that each tile is looked at once, if their orders allow that.
static int make_in_shared_passes(struct writer *writer, const struct stream *outcome, const struct stream *distance,
                                 uint64_t section, bool *made)
{
    const struct stream *const streams[2] = {outcome, distance};
    const uint64_t part = writer->room / (outcome->symbol_bytes + distance->symbol_bytes);
    struct write_passes passes[2] = {{0}};
    int code = plan_passes(writer, outcome, part * outcome->symbol_bytes, &passes[0]);
    if (code == 0)
        code = plan_passes(writer, distance, part * distance->symbol_bytes, &passes[1]);
    *made = code == 0 && write_passes_agree(&passes[0], &passes[1]);
    if (*made)
        code = make_in_passes(writer, streams, passes, 2, section);
    write_passes_free(&passes[0]);
    write_passes_free(&passes[1]);
    return code;
}

// ---- a side ----

// One stream of some sections, as many at a time as fit.
static int make_alone(struct writer *writer, const struct stream *stream, uint64_t first, uint64_t count)
{
    const uint64_t fit = writer->room / (stream->order.per_section * stream->symbol_bytes);
    const bool outcome = stream->kind == TABLE_OUTCOME;
    for (uint64_t done = 0; done < count;) {
        const uint64_t left = count - done;
        const uint64_t some = fit == 0 ? 1 : left < fit ? left : fit;
        if (fit == 0)
            TRY(make_section_in_passes(writer, stream, first + done));
        else
            TRY(make_sections(writer, outcome ? stream : NULL, outcome ? NULL : stream, first + done, some));
        done += some;
    }
    return 0;
}

static int make_group(struct writer *writer, const struct stream *outcome, const struct stream *distance,
                      uint64_t first, uint64_t count)
{
    const uint64_t bytes = outcome->symbol_bytes + (distance != NULL ? distance->symbol_bytes : 0);
    bool made = false;
    if (count * outcome->order.per_section * bytes <= writer->room)
        return make_sections(writer, outcome, distance, first, count);
    if (count == 1 && distance != NULL)
        TRY(make_in_shared_passes(writer, outcome, distance, first, &made));
    if (made)
        return 0;
    TRY(make_alone(writer, outcome, first, count));
    return distance != NULL ? make_alone(writer, distance, first, count) : 0;
}

// Sections whose blocks are put into the file together, the outcomes of all of them before the distances.
static uint64_t sections_at_once(const struct entry_order *order)
{
    const uint64_t most = GROUP_SYMBOLS / order->per_section;
    if (!material_has_pawns(&order->material) || most < 1)
        return 1;
    return most < order->sections ? most : order->sections;
}

static int write_side(struct writer *writer, int side)
{
    const struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
    const struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    const struct entry_order *order = &outcome->order;
    const uint64_t each = sections_at_once(order);
    for (uint64_t first = 0; first < order->sections; first += each) {
        const uint64_t left = order->sections - first;
        TRY(make_group(writer, outcome, distance->wanted ? distance : NULL, first, left < each ? left : each));
    }
    return 0;
}

// ---- the whole ----

static size_t write_counts(char *text, size_t size, const struct writer *writer, int side)
{
    const int source = writer->last_side == WHITE ? WHITE : side; // symmetric: both sides to move are the same
    struct material pieces = *writer->content.material;
    pieces.count[WHITE][PAWN] = pieces.count[BLACK][PAWN] = 0;
    uint64_t positions[TABLE_OUTCOMES];
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        positions[i] = writer->counts[source][i] / material_arrangements(&pieces);
    int longest[TABLE_OUTCOMES];
    memcpy(longest, writer->content.longest[source], sizeof longest);
    if (longest[0] < 0 && positions[0] > 0)
        longest[0] = 0; // only checkmates
    const char mark = side == WHITE ? 'w' : 'b';
    int n =
        snprintf(text, size, "positions-%c %llu %llu %llu %llu %llu\nlongest-%c %d %d %d %d %d\n", mark,
                 (unsigned long long)positions[0], (unsigned long long)positions[1], (unsigned long long)positions[2],
                 (unsigned long long)positions[3], (unsigned long long)positions[4], mark, longest[0], longest[1],
                 longest[2], longest[3], longest[4]);
    return n > 0 ? (size_t)n : 0;
}

static void write_text(const struct writer *writer, char text[TEXT_SPACE])
{
    char name[MATERIAL_NAME_MAX];
    size_t at = (size_t)snprintf(text, TEXT_SPACE, "game chess\nmaterial %s\nmetric dtz\n",
                                 material_name(writer->content.material, name));
    for (int i = 0; i < STREAMS_MAX; i++) {
        const struct stream *stream = &writer->stream[i];
        if (!stream->wanted)
            continue;
        char order[ENTRY_TEXT_MAX];
        entry_order_write(&stream->order, order);
        at += (size_t)snprintf(text + at, TEXT_SPACE - at, "%s %s\n", table_stream_name(stream->kind, stream->side),
                               order);
    }
    for (int side = WHITE; side <= BLACK; side++)
        at += write_counts(text + at, TEXT_SPACE - at, writer, side);
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
        writer->total += (double)stream->order.sections;
    }
    TRY(container_create(&writer->container, path, shapes, count, TEXT_SPACE));
    for (int side = WHITE; side <= writer->last_side; side++)
        TRY(write_side(writer, side));
    char text[TEXT_SPACE];
    write_text(writer, text);
    struct container_writer *container = writer->container;
    writer->container = NULL;
    return container_finish(container, text);
}

static void close_compressors(struct writer *writer)
{
    for (int i = 0; writer->compressor != NULL && i < threads_count(writer->pool); i++) {
        container_compressor_close(writer->compressor[i]);
        writer->compressor[i] = NULL;
    }
}

static int open_compressors(struct writer *writer, int level)
{
    close_compressors(writer);
    for (int i = 0; i < threads_count(writer->pool); i++)
        TRY(container_compressor_open(&writer->compressor[i], level));
    return 0;
}

static int write_all(struct writer *writer, const char *path)
{
    TRY(open_compressors(writer, SAMPLE_LEVEL));
    TRY(plan_streams(writer));
    TRY(open_compressors(writer, writer->options->best ? BEST_LEVEL : LEVEL));
    return write_streams(writer, path);
}

// ---- memory ----

// What the writer needs whatever its arrays are: the file's head, what is noted of each block of a section, and for each
// thread a compressor, a block, and scratch for tiles.
static uint64_t fixed_bytes(const struct entry_order *order, uint64_t sections, uint64_t distance_bytes, bool best,
                            int threads)
{
    enum { COMPRESSOR = 1 << 20, PER_SYMBOL = 4, BEST_PER_SYMBOL = 20, EACH_BLOCK = 64 };
    const uint64_t block = distance_bytes << (best ? BEST_BLOCK_BITS : BLOCK_BITS);
    const uint64_t blocks = (order->per_section >> (best ? BEST_BLOCK_BITS : BLOCK_BITS)) + 1;
    const struct container_stream shape = {.symbol_bytes = 1,
                                           .block_symbols = 1U << (best ? BEST_BLOCK_BITS : BLOCK_BITS),
                                           .sections = sections,
                                           .section_symbols = order->per_section};
    struct container_stream shapes[STREAMS_MAX] = {shape, shape, shape, shape};
    const uint64_t lanes = UINT64_C(1) << 3 * (material_men(&order->material) - 1);
    const uint64_t each = u64_sum(COMPRESSOR + block * (best ? BEST_PER_SYMBOL : PER_SYMBOL), u64_product(lanes, 24));
    return u64_sum(u64_sum(container_writer_bytes(shapes, STREAMS_MAX, TEXT_SPACE), u64_product(blocks, EACH_BLOCK)),
                   u64_product(each, (uint64_t)threads));
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void write_memory_bytes(const struct material *material, uint64_t slices, const struct write_options *options,
                        int threads, uint64_t *least, uint64_t *most)
{
    enum { SMALL_MEN = 5, PARTS = 8 };
    struct entry_order order;
    entry_order_init(&order, material, NULL, NULL);
    uint64_t group = order.per_slice;
    uint64_t sections = order.sections;
    if (material_has_pawns(material)) {
        const uint64_t each = (SECTION_ENTRIES_MIN + order.per_slice - 1) / order.per_slice;
        order.per_section = order.per_slice * each;
        sections = (slices + each - 1) / each;
        order.sections = sections;
        group = order.per_section * sections_at_once(&order);
    }
    // No endgame of five men has a distance that a byte does not hold.
    const unsigned distance_bytes = material_men(material) <= SMALL_MEN ? 1 : 2;
    const uint64_t fixed = fixed_bytes(&order, sections, distance_bytes, options->best, threads);
    uint64_t sample_least;
    uint64_t sample_most;
    write_search_bytes(&order, distance_bytes, &sample_least, &sample_most);
    *least = u64_sum(fixed, larger(sample_least, (uint64_t)distance_bytes << block_bits(options)));
    const uint64_t arrays = u64_product(group, 1 + distance_bytes);
    *most = u64_sum(fixed, larger(sample_most, u64_sum(arrays, arrays / PARTS)));
}

// Divides what there is: a part for compressed blocks that wait.
static void set_room(struct writer *writer)
{
    enum { WAITING_PART = 8 };
    const struct write_options *options = writer->options;
    writer->room = writer->room_waiting = UINT64_MAX;
    if (options->memory == 0)
        return;
    struct entry_order order;
    entry_order_init(&order, writer->content.material, writer->content.slices, NULL);
    const unsigned distance_bytes =
        writer->content.longest_kept[WHITE] < 255 && writer->content.longest_kept[BLACK] < 255 ? 1 : 2;
    const uint64_t fixed =
        fixed_bytes(&order, order.sections, distance_bytes, options->best, threads_count(writer->pool));
    const uint64_t left = options->memory > fixed ? options->memory - fixed : 0;
    writer->room_waiting = left / WAITING_PART;
    writer->room = left - writer->room_waiting;
}

static int open_writer(struct writer *writer, const char *path, char folder[PATH_MAX])
{
    const size_t threads = (size_t)threads_count(writer->pool);
    set_room(writer);
    if (writer->options->scratch == NULL)
        snprintf(folder, PATH_MAX, "%s", path);
    writer->compressor = calloc(threads, sizeof *writer->compressor);
    if (writer->compressor == NULL)
        return error_memory(threads * sizeof *writer->compressor, "compression");
    return overflow_open(&writer->overflow,
                         writer->options->scratch != NULL ? writer->options->scratch : dirname(folder));
}

static int write_content(const struct content *content, const char *path, struct thread_pool *pool,
                         const struct write_options *options, uint64_t *bytes)
{
    char folder[PATH_MAX];
    struct writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return error_memory(sizeof *writer, "a table writer");
    writer->content = *content;
    writer->options = options;
    writer->pool = pool;
    writer->last_side = material_symmetric(content->material) ? WHITE : BLACK;
    int code = open_writer(writer, path, folder);
    if (code == 0)
        code = write_all(writer, path);
    close_compressors(writer);
    overflow_close(writer->overflow);
    container_abandon(writer->container);
    free(writer->compressor);
    free(writer);
    if (code == 0)
        code = container_size(path, bytes);
    return code;
}

static int longest_value(const solver_value (*value)[DISTANCE_CODES])
{
    int longest = 0;
    for (int won = 0; won < 2; won++) {
        for (int code = 1; code < DISTANCE_CODES; code++) {
            if (value[won][code] != 0 && solver_value_ply(value[won][code]) > longest)
                longest = solver_value_ply(value[won][code]);
        }
    }
    return longest;
}

int write_tiles_table(const struct tile_source *source, const char *path, struct thread_pool *pool,
                      const struct write_options *options, uint64_t *bytes)
{
    const struct layout *layout = source->layout;
    struct content content = {.material = &layout->material,
                              .pieces = {layout->pieces, layout->type, layout->colour},
                              .longest = source->longest,
                              .fill = king_sections_fill,
                              .context = source};
    for (int side = WHITE; side <= BLACK; side++) {
        content.kept[side] = source->kept[side];
        content.longest_kept[side] = longest_value(source->value[side]);
    }
    return write_content(&content, path, pool, options, bytes);
}

int write_table(const struct solution *solution, const char *path, struct thread_pool *pool,
                const struct write_options *options, uint64_t *bytes)
{
    const struct tile_source source = solution_tiles(solution);
    return write_tiles_table(&source, path, pool, options, bytes);
}

int write_slices_table(const struct slices_source *source, const char *path, struct thread_pool *pool,
                       const struct write_options *options, uint64_t *bytes)
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
    return write_content(&content, path, pool, options, bytes);
}
