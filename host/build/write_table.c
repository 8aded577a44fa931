// write_table.c - from a solution to a table file
//
// For every stream the order of the men is searched: a sample of its blocks is compressed in each order (the black king
// or the slice stays outermost), and the smallest wins. Then the file is made section by section, small sections many
// at a time: values are scattered into the stream's order (sections.c, slice_sections.c), free entries take the value
// before them, and the blocks are compressed on all threads.
#include "build/write_table.h"

#include "build/sections.h"
#include "store/container.h"
#include "store/table_text.h"
#include "util/error.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Near a corner and in the middle, both off the diagonal, where no entry is the mirror image of another.
static const unsigned sample_king[] = {1 /* b1 */, 8 /* d3 */};

enum {
    BLOCK_SYMBOLS = 1 << 16,      // a cold probe uncompresses one: about 40 microseconds
    BEST_BLOCK_SYMBOLS = 1 << 18, // 0.5 to 12 % smaller streams
    LEVEL = 9,
    BEST_LEVEL = 19,
    GROUP_SYMBOLS = 1 << 24,  // sections are made together up to this size, so that small ones keep all threads busy
    SAMPLE_KINGS = 2,         // squares of the black king that samples come from
    SAMPLE_SYMBOLS = 1 << 26, // with pawns as many sections as have so many symbols,
    SAMPLES_MIN = 2,          // but so many at least
    SAMPLES_MAX = 16,         // and at most
    FIRST_BLOCK =
        1 << 14,        // symbols of a sampled block in the first round: many small ones tell more than few large ones
    FIRST_SAMPLE = 128, // blocks of every order in it
    SECOND_SAMPLE = 80, // blocks of full size of the best orders in the second round
    SECOND_ROUND = 4,   // orders in it
    SAMPLE_LEVEL = 5,
    STREAMS_MAX = TABLE_KINDS * COLOURS,
    ORDERS_MAX = 5040
};

struct stream {
    enum table_kind kind;
    int side;
    unsigned symbol_bytes;
    struct entry_order order;
    uint64_t sample_bytes; // of the best order
    bool wanted;
    int number; // in the file
};

// What is written, whatever the method that solved it.
struct content {
    const struct material *material;
    const struct pawn_slices *slices; // NULL: no pawns
    bool kept[COLOURS];               // distances, by side to move
    int longest_kept[COLOURS];        // the longest of them
    const int (*longest)[TABLE_OUTCOMES];
    section_fill *fill;
    const void *context; // for fill()
};

struct writer {
    struct content content;
    const struct write_options *options;
    struct thread_pool *pool;
    struct container_writer *container;
    struct container_compressor **compressor; // [threads]
    struct stream stream[STREAMS_MAX];        // [kind * 2 + side]
    int last_side;
    uint64_t counts[COLOURS][TABLE_OUTCOMES];
    double done;  // sections
    double total; //
};

static struct stream *stream_of(struct writer *writer, enum table_kind kind, int side)
{
    return &writer->stream[(int)kind * COLOURS + side];
}

// The order of the groups in which samples are taken.
static struct entry_order natural_order(const struct content *content)
{
    struct entry_order order;
    entry_order_init(&order, content->material, content->slices, NULL);
    return order;
}

static int report(const struct writer *writer)
{
    const struct write_options *options = writer->options;
    const double share = writer->total > 0 ? writer->done / writer->total : 0;
    if (options->progress != NULL && options->progress(options->context, share) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted while writing");
    return 0;
}

// ---- free entries ----

static void fill_outcomes(uint8_t *symbols, size_t count)
{
    uint8_t before = CLTB_DRAW + 2;
    for (size_t i = 0; i < count; i++) {
        if (symbols[i] == FREE_ANY)
            symbols[i] = before;
        else if (symbols[i] == FREE_TO_DRAW)
            symbols[i] = before < CLTB_DRAW + 2 ? before : CLTB_DRAW + 2;
        before = symbols[i];
    }
}

static void fill_distances1(uint8_t *symbols, size_t count)
{
    uint8_t before = 0;
    for (size_t i = 0; i < count; i++) {
        if (symbols[i] == (uint8_t)FREE_DISTANCE)
            symbols[i] = before;
        before = symbols[i];
    }
}

static void fill_distances2(uint16_t *symbols, size_t count)
{
    uint16_t before = 0;
    for (size_t i = 0; i < count; i++) {
        if (symbols[i] == FREE_DISTANCE)
            symbols[i] = before;
        before = symbols[i];
    }
}

static void fill_free(const struct stream *stream, void *symbols, size_t count)
{
    if (stream->kind == TABLE_OUTCOME)
        fill_outcomes(symbols, count);
    else if (stream->symbol_bytes == 1)
        fill_distances1(symbols, count);
    else
        fill_distances2(symbols, count);
}

// ---- the order of the men ----

// The sections that samples come from.
struct sample {
    int sections;
    uint64_t section[SAMPLES_MAX];
};

struct search {
    struct writer *writer;
    const struct stream *stream;
    const struct sample *sample;
    const uint8_t *symbols; // [samples * per_section] in the natural order
    uint64_t sampled;       // blocks of each section
    size_t block;           // symbols
    int orders;
    uint8_t choice[ORDERS_MAX][ENTRY_GROUPS_MAX];
    uint64_t bytes[ORDERS_MAX];
};

static void list_orders(struct search *search, uint8_t *choice, int depth, unsigned used, int groups)
{
    if (depth == groups) {
        if (search->orders < ORDERS_MAX)
            memcpy(search->choice[search->orders++], choice, ENTRY_GROUPS_MAX);
        return;
    }
    for (int g = 0; g < groups; g++) {
        if (used >> g & 1)
            continue;
        choice[depth] = (uint8_t)g;
        list_orders(search, choice, depth + 1, used | 1U << g, groups);
    }
}

// The digits of a section's entries, outermost first: the place among the section's slices, then the groups.
struct digits {
    int count;
    uint64_t size[ENTRY_GROUPS_MAX + 1];
    uint64_t stride[ENTRY_GROUPS_MAX + 1];  // entries
    uint64_t natural[ENTRY_GROUPS_MAX + 1]; // the same in the natural order
};

static struct digits section_digits(const struct entry_order *order, const struct entry_order *natural,
                                    const uint8_t *choice)
{
    struct digits digits = {.count = order->groups + 1,
                            .size = {order->slices_per_section},
                            .stride = {order->per_slice},
                            .natural = {order->per_slice}};
    for (int g = 0; g < order->groups; g++) {
        digits.size[g + 1] = order->group[g].size;
        digits.stride[g + 1] = order->group[g].stride;
        digits.natural[g + 1] = natural->group[choice[g]].stride;
    }
    return digits;
}

// Copies `count` symbols from entry `first` of a section out of an array in the natural order.
static void gather(const struct digits *digits, const uint8_t *symbols, unsigned width, uint64_t first, size_t count,
                   uint8_t *to)
{
    uint64_t digit[ENTRY_GROUPS_MAX + 1];
    uint64_t at = 0;
    for (int g = 0; g < digits->count; g++) {
        digit[g] = first / digits->stride[g] % digits->size[g];
        at += digit[g] * digits->natural[g];
    }
    const int last = digits->count - 1;
    const uint64_t stride = digits->natural[last];
    for (size_t i = 0; i < count;) {
        // A run of the innermost group.
        size_t run = (size_t)(digits->size[last] - digit[last]);
        run = run < count - i ? run : count - i;
        if (width == 1) {
            for (size_t j = 0; j < run; j++)
                to[i + j] = symbols[at + j * stride];
        } else {
            for (size_t j = 0; j < run; j++)
                memcpy(to + 2 * (i + j), symbols + 2 * (at + j * stride), 2);
        }
        i += run;
        at -= digit[last] * stride;
        digit[last] = 0;
        for (int g = last - 1; g >= 0; g--) {
            at += digits->natural[g];
            if (++digit[g] < digits->size[g])
                break;
            at -= digits->size[g] * digits->natural[g];
            digit[g] = 0;
        }
    }
}

// The i-th block of a sample: one in each of equal parts, but not at equal distances, which would meet the same files
// or ranks of the outermost man again and again.
static uint64_t sample_block(uint64_t i, uint64_t sampled, uint64_t blocks)
{
    const uint64_t first = i * blocks / sampled;
    const uint64_t part = (i + 1) * blocks / sampled - first;
    return first + i * UINT64_C(0x9e3779b97f4a7c15) % part;
}

static int try_order(void *context, uint64_t item, int worker)
{
    struct search *search = context;
    const struct content *content = &search->writer->content;
    const unsigned width = search->stream->symbol_bytes;
    const struct entry_order natural = natural_order(content);
    struct entry_order order;
    entry_order_init(&order, content->material, content->slices, search->choice[item]);
    const struct digits digits = section_digits(&order, &natural, search->choice[item]);
    const size_t block = order.per_section < search->block ? order.per_section : search->block;
    const uint64_t blocks = order.per_section / block;
    const uint64_t sampled = blocks < search->sampled ? blocks : search->sampled;
    const uint64_t sections = (uint64_t)search->sample->sections;
    uint8_t *symbols = malloc(block * width);
    uint8_t *compressed = malloc(container_bound(block * width));
    int code = symbols == NULL || compressed == NULL ? error_memory(2 * block * width, "a sample") : 0;
    search->bytes[item] = 0;
    for (uint64_t i = 0; code == 0 && i < sampled * sections; i++) {
        size_t bytes;
        const uint64_t first = sample_block(i / sections, sampled, blocks) * block;
        gather(&digits, search->symbols + i % sections * order.per_section * width, width, first, block, symbols);
        fill_free(search->stream, symbols, block);
        code = container_compress(search->writer->compressor[worker], symbols, block * width, compressed, &bytes);
        search->bytes[item] += code == 0 ? bytes : 0;
    }
    free(symbols);
    free(compressed);
    return code;
}

// Moves the `most` smallest orders to the front and forgets the others.
static void keep_best(struct search *search, int most)
{
    for (int place = 0; place < most && place < search->orders; place++) {
        int best = place;
        for (int i = place + 1; i < search->orders; i++) {
            if (search->bytes[i] < search->bytes[best])
                best = i;
        }
        uint8_t choice[ENTRY_GROUPS_MAX];
        const uint64_t bytes = search->bytes[best];
        memcpy(choice, search->choice[best], sizeof choice);
        memcpy(search->choice[best], search->choice[place], sizeof choice);
        search->bytes[best] = search->bytes[place];
        memcpy(search->choice[place], choice, sizeof choice);
        search->bytes[place] = bytes;
    }
    if (search->orders > most)
        search->orders = most;
}

static uint64_t blocks_each(uint64_t blocks, const struct sample *sample)
{
    return (blocks + (uint64_t)sample->sections - 1) / (uint64_t)sample->sections;
}

static int search_order(struct writer *writer, struct stream *stream, const struct sample *sample,
                        const uint8_t *symbols)
{
    const struct content *content = &writer->content;
    struct search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return error_memory(sizeof *search, "the search for an order");
    search->writer = writer;
    search->stream = stream;
    search->sample = sample;
    search->symbols = symbols;
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    list_orders(search, choice, 0, 0, natural_order(content).groups);
    search->sampled = blocks_each(FIRST_SAMPLE, sample);
    search->block = FIRST_BLOCK;
    int code = threads_each(writer->pool, (uint64_t)search->orders, try_order, search);
    if (code == 0) {
        keep_best(search, SECOND_ROUND);
        search->sampled = blocks_each(SECOND_SAMPLE, sample);
        search->block = BLOCK_SYMBOLS;
        code = threads_each(writer->pool, (uint64_t)search->orders, try_order, search);
        keep_best(search, 1);
    }
    entry_order_init(&stream->order, content->material, content->slices, search->choice[0]);
    stream->sample_bytes = search->bytes[0];
    free(search);
    return code;
}

// Two squares of the black king, or slices from all over the table.
static struct sample choose_sample(const struct content *content)
{
    struct sample sample = {SAMPLE_KINGS, {sample_king[0], sample_king[1]}};
    if (content->slices == NULL)
        return sample;
    const struct entry_order order = natural_order(content);
    uint64_t sections = SAMPLE_SYMBOLS / order.per_section;
    sections = sections < SAMPLES_MIN ? SAMPLES_MIN : sections > SAMPLES_MAX ? SAMPLES_MAX : sections;
    sections = sections < order.sections ? sections : order.sections;
    sample.sections = (int)sections;
    for (uint64_t i = 0; i < sections; i++)
        sample.section[i] = (2 * i + 1) * order.sections / (2 * sections);
    return sample;
}

static int sample_side(struct writer *writer, int side, const struct sample *sample, uint8_t *outcomes,
                       uint8_t *distances)
{
    const struct content *content = &writer->content;
    const struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    const struct entry_order natural = natural_order(content);
    for (int i = 0; i < sample->sections; i++) {
        const uint64_t at = (uint64_t)i * natural.per_section;
        const struct section_request request = {.side = side,
                                                .outcome_order = &natural,
                                                .outcomes = outcomes + at,
                                                .distance_order = distance->wanted ? &natural : NULL,
                                                .distance_bytes = distance->symbol_bytes,
                                                .distances = distances + at * distance->symbol_bytes};
        TRY(content->fill(content->context, &request, sample->section[i], 1, writer->pool));
    }
    return 0;
}

static int search_side(struct writer *writer, int side)
{
    struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
    struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    const struct sample sample = choose_sample(&writer->content);
    const uint64_t symbols = natural_order(&writer->content).per_section * (uint64_t)sample.sections;
    uint8_t *outcomes = malloc(symbols);
    uint8_t *distances = malloc(symbols * distance->symbol_bytes);
    int code = outcomes == NULL || distances == NULL ? error_memory(2 * symbols, "a sample of the table") : 0;
    if (code == 0)
        code = sample_side(writer, side, &sample, outcomes, distances);
    if (code == 0)
        code = search_order(writer, outcome, &sample, outcomes);
    if (code == 0 && distance->wanted)
        code = search_order(writer, distance, &sample, distances);
    free(outcomes);
    free(distances);
    return code;
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
        TRY(search_side(writer, side));
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

// ---- sections ----

// Some sections of one stream.
struct section_work {
    struct writer *writer;
    const struct stream *stream;
    const struct container_stream *shape;
    uint8_t *symbols;
    struct container_piece *piece;
};

static int compress_block(void *context, uint64_t item, int worker)
{
    struct section_work *work = context;
    const unsigned width = work->stream->symbol_bytes;
    const uint32_t count = container_block_length(work->shape, item);
    const uint64_t blocks = container_section_blocks(work->shape);
    const uint64_t first = item / blocks * work->shape->section_symbols + item % blocks * work->shape->block_symbols;
    uint8_t *symbols = work->symbols + first * width;
    fill_free(work->stream, symbols, count);
    const size_t bound = container_bound((size_t)count * width);
    void *compressed = malloc(bound);
    if (compressed == NULL)
        return error_memory(bound, "a compressed block");
    size_t bytes;
    int code = container_compress(work->writer->compressor[worker], symbols, (size_t)count * width, compressed, &bytes);
    void *kept = code == 0 ? realloc(compressed, bytes) : NULL;
    work->piece[item].data = kept != NULL ? kept : compressed;
    work->piece[item].bytes = code == 0 ? (uint32_t)bytes : 0;
    return code;
}

static int write_sections(struct writer *writer, const struct stream *stream, const struct container_stream *shape,
                          uint64_t first, uint64_t count, uint8_t *symbols)
{
    const uint64_t blocks = container_section_blocks(shape);
    struct section_work work = {writer, stream, shape, symbols, calloc(count * blocks, sizeof *work.piece)};
    if (work.piece == NULL)
        return error_memory(count * blocks * sizeof *work.piece, "a section's blocks");
    int code = threads_each(writer->pool, count * blocks, compress_block, &work);
    for (uint64_t i = 0; code == 0 && i < count; i++)
        code = container_add(writer->container, stream->number, first + i, work.piece + i * blocks);
    for (uint64_t i = 0; i < count * blocks; i++)
        free((void *)(uintptr_t)work.piece[i].data);
    free(work.piece);
    if (code != 0)
        return code;
    writer->done += (double)count;
    return report(writer);
}

// Sections that are made together.
static uint64_t sections_at_once(const struct entry_order *order)
{
    const uint64_t most = GROUP_SYMBOLS / order->per_section;
    if (order->slices == NULL || most < 1)
        return 1;
    return most < order->sections ? most : order->sections;
}

static int write_side(struct writer *writer, int side, const struct container_stream *shapes)
{
    const struct content *content = &writer->content;
    const struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
    const struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    const uint64_t sections = outcome->order.sections;
    const uint64_t each = sections_at_once(&outcome->order);
    const uint64_t symbols = each * outcome->order.per_section;
    uint8_t *outcomes = malloc(symbols);
    uint8_t *distances = distance->wanted ? malloc(symbols * distance->symbol_bytes) : NULL;
    const struct section_request request = {.side = side,
                                            .outcome_order = &outcome->order,
                                            .outcomes = outcomes,
                                            .distance_order = distance->wanted ? &distance->order : NULL,
                                            .distance_bytes = distance->symbol_bytes,
                                            .distances = distances,
                                            .counts = writer->counts[side]};
    int code = 0;
    if (outcomes == NULL || (distance->wanted && distances == NULL))
        code = error_memory(symbols * (1 + distance->symbol_bytes), "sections of the table");
    for (uint64_t first = 0; code == 0 && first < sections; first += each) {
        const uint64_t count = sections - first < each ? sections - first : each;
        code = content->fill(content->context, &request, first, count, writer->pool);
        if (code == 0)
            code = write_sections(writer, outcome, &shapes[outcome->number], first, count, outcomes);
        if (code == 0 && distance->wanted)
            code = write_sections(writer, distance, &shapes[distance->number], first, count, distances);
    }
    free(outcomes);
    free(distances);
    return code;
}

// ---- the whole ----

static size_t write_counts(char *text, size_t size, const struct writer *writer, int side)
{
    const int source = writer->last_side == WHITE ? WHITE : side; // symmetric: both sides to move are the same
    const uint64_t *positions = writer->counts[source];
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

enum { TEXT_SPACE = 2048 };

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
    memset(shapes, 0, sizeof shapes);
    for (int i = 0; i < STREAMS_MAX; i++) {
        struct stream *stream = &writer->stream[i];
        if (!stream->wanted)
            continue;
        struct container_stream *shape = &shapes[count];
        snprintf(shape->name, sizeof shape->name, "%s", table_stream_name(stream->kind, stream->side));
        shape->symbol_bytes = stream->symbol_bytes;
        shape->block_symbols = writer->options->best ? BEST_BLOCK_SYMBOLS : BLOCK_SYMBOLS;
        shape->sections = stream->order.sections;
        shape->section_symbols = stream->order.per_section;
        stream->number = count++;
        writer->total += (double)shape->sections;
    }
    TRY(container_create(&writer->container, path, shapes, count, TEXT_SPACE));
    for (int side = WHITE; side <= writer->last_side; side++)
        TRY(write_side(writer, side, shapes));
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

static int write_content(const struct content *content, const char *path, struct thread_pool *pool,
                         const struct write_options *options, uint64_t *bytes)
{
    struct writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return error_memory(sizeof *writer, "a table writer");
    writer->content = *content;
    writer->options = options;
    writer->pool = pool;
    writer->last_side = material_symmetric(content->material) ? WHITE : BLACK;
    const size_t threads = (size_t)threads_count(pool);
    writer->compressor = calloc(threads, sizeof *writer->compressor);
    int code = writer->compressor == NULL ? error_memory(threads * sizeof *writer->compressor, "compression") : 0;
    if (code == 0)
        code = write_all(writer, path);
    close_compressors(writer);
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

int write_table(const struct solution *solution, const char *path, struct thread_pool *pool,
                const struct write_options *options, uint64_t *bytes)
{
    struct content content = {.material = &solution->backend->layout.material,
                              .longest = solution->longest,
                              .fill = king_sections_fill,
                              .context = solution};
    for (int side = WHITE; side <= BLACK; side++) {
        content.kept[side] = solution->kept[side];
        content.longest_kept[side] = longest_value(solution->value[side]);
    }
    return write_content(&content, path, pool, options, bytes);
}

int write_slices_table(const struct slices_source *source, const char *path, struct thread_pool *pool,
                       const struct write_options *options, uint64_t *bytes)
{
    struct content content = {.material = &source->material,
                              .slices = source->slices,
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
