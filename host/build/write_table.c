// write_table.c - from a solution to a table file
//
// For every stream the order of the men is searched: a sample of its blocks is compressed in each order (the black king
// stays outermost), and the smallest wins. Then the file is made square by square of the black king: values are
// scattered into the stream's order (sections.c), free entries take the value before them, and the blocks are
// compressed on all threads.
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
    SAMPLE_KINGS = 2, // squares of the black king that samples come from
    FIRST_BLOCK =
        1 << 14,        // symbols of a sampled block in the first round: many small ones tell more than few large ones
    FIRST_SAMPLE = 64,  // blocks of every order in it, a king's square
    SECOND_SAMPLE = 40, // blocks of full size of the best orders in the second round
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

struct writer {
    const struct solution *solution;
    const struct write_options *options;
    struct thread_pool *pool;
    struct container_writer *container;
    struct container_compressor **compressor; // [threads]
    struct stream stream[STREAMS_MAX];        // [kind * 2 + side]
    int last_side;
    uint64_t counts[COLOURS][VALUE_COUNTS];
    double done;  // sections
    double total; //
};

static struct stream *stream_of(struct writer *writer, enum table_kind kind, int side)
{
    return &writer->stream[(int)kind * COLOURS + side];
}

static int longest_ply(const struct solution *solution, int side)
{
    int longest = 0;
    for (int won = 0; won < 2; won++) {
        for (int code = 1; code < DISTANCE_CODES; code++) {
            const solver_value value = solution->value[side][won][code];
            if (value != 0 && solver_value_ply(value) > longest)
                longest = solver_value_ply(value);
        }
    }
    return longest;
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

struct search {
    struct writer *writer;
    const struct stream *stream;
    uint8_t *const *symbols; // [SAMPLE_KINGS] in the natural order
    uint64_t sampled;        // blocks
    size_t block;            // symbols
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

// Copies `count` symbols from entry `first` of `order` out of an array in the order `natural`.
static void gather(const struct entry_order *order, const uint64_t *natural_stride, const uint8_t *symbols,
                   unsigned width, uint64_t first, size_t count, uint8_t *to)
{
    uint64_t digit[ENTRY_GROUPS_MAX];
    uint64_t at = 0;
    for (int g = 0; g < order->groups; g++) {
        digit[g] = first / order->group[g].stride % order->group[g].size;
        at += digit[g] * natural_stride[g];
    }
    const int last = order->groups - 1;
    for (size_t i = 0; i < count;) {
        // A run of the innermost group.
        size_t run = (size_t)(order->group[last].size - digit[last]);
        run = run < count - i ? run : count - i;
        if (width == 1) {
            for (size_t j = 0; j < run; j++)
                to[i + j] = symbols[at + j * natural_stride[last]];
        } else {
            for (size_t j = 0; j < run; j++)
                memcpy(to + 2 * (i + j), symbols + 2 * (at + j * natural_stride[last]), 2);
        }
        i += run;
        at -= digit[last] * natural_stride[last];
        digit[last] = 0;
        for (int g = last - 1; g >= 0; g--) {
            at += natural_stride[g];
            if (++digit[g] < order->group[g].size)
                break;
            at -= order->group[g].size * natural_stride[g];
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
    const struct material *material = &search->writer->solution->backend->layout.material;
    const unsigned width = search->stream->symbol_bytes;
    struct entry_order natural;
    struct entry_order order;
    uint64_t stride[ENTRY_GROUPS_MAX];
    entry_order_init(&natural, material, NULL);
    entry_order_init(&order, material, search->choice[item]);
    for (int g = 0; g < order.groups; g++)
        stride[g] = natural.group[search->choice[item][g]].stride;
    const size_t block = order.per_king < search->block ? order.per_king : search->block;
    const uint64_t blocks = order.per_king / block;
    const uint64_t sampled = blocks < search->sampled ? blocks : search->sampled;
    uint8_t *symbols = malloc(block * width);
    uint8_t *compressed = malloc(container_bound(block * width));
    int code = symbols == NULL || compressed == NULL ? error_memory(2 * block * width, "a sample") : 0;
    search->bytes[item] = 0;
    for (uint64_t i = 0; code == 0 && i < sampled * SAMPLE_KINGS; i++) {
        size_t bytes;
        const uint64_t first = sample_block(i / SAMPLE_KINGS, sampled, blocks) * block;
        gather(&order, stride, search->symbols[i % SAMPLE_KINGS], width, first, block, symbols);
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

static int search_order(struct writer *writer, struct stream *stream, uint8_t *const *symbols)
{
    const struct material *material = &writer->solution->backend->layout.material;
    struct search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return error_memory(sizeof *search, "the search for an order");
    search->writer = writer;
    search->stream = stream;
    search->symbols = symbols;
    struct entry_order natural;
    entry_order_init(&natural, material, NULL);
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    list_orders(search, choice, 0, 0, natural.groups);
    search->sampled = FIRST_SAMPLE;
    search->block = FIRST_BLOCK;
    int code = threads_each(writer->pool, (uint64_t)search->orders, try_order, search);
    if (code == 0) {
        keep_best(search, SECOND_ROUND);
        search->sampled = SECOND_SAMPLE;
        search->block = BLOCK_SYMBOLS;
        code = threads_each(writer->pool, (uint64_t)search->orders, try_order, search);
        keep_best(search, 1);
    }
    entry_order_init(&stream->order, material, search->choice[0]);
    stream->sample_bytes = search->bytes[0];
    free(search);
    return code;
}

static int sample_side(struct writer *writer, int side, uint8_t *const *outcomes, uint8_t *const *distances)
{
    const struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    struct entry_order natural;
    entry_order_init(&natural, &writer->solution->backend->layout.material, NULL);
    for (int i = 0; i < SAMPLE_KINGS; i++) {
        if (outcomes[i] == NULL || distances[i] == NULL)
            return error_memory(2 * natural.per_king, "a sample of the table");
        const struct section_request request = {.solution = writer->solution,
                                                .side = side,
                                                .outcome_order = &natural,
                                                .outcomes = outcomes[i],
                                                .distance_order = distance->wanted ? &natural : NULL,
                                                .distance_bytes = distance->symbol_bytes,
                                                .distances = distances[i]};
        TRY(section_fill(&request, sample_king[i], writer->pool));
    }
    return 0;
}

static int search_side(struct writer *writer, int side)
{
    struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
    struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    struct entry_order natural;
    entry_order_init(&natural, &writer->solution->backend->layout.material, NULL);
    uint8_t *outcomes[SAMPLE_KINGS];
    uint8_t *distances[SAMPLE_KINGS];
    for (int i = 0; i < SAMPLE_KINGS; i++) {
        outcomes[i] = malloc(natural.per_king);
        distances[i] = malloc(natural.per_king * distance->symbol_bytes);
    }
    int code = sample_side(writer, side, outcomes, distances);
    if (code == 0)
        code = search_order(writer, outcome, outcomes);
    if (code == 0 && distance->wanted)
        code = search_order(writer, distance, distances);
    for (int i = 0; i < SAMPLE_KINGS; i++) {
        free(outcomes[i]);
        free(distances[i]);
    }
    return code;
}

// Chooses orders, and the side whose distances are cheaper.
static int plan_streams(struct writer *writer)
{
    const struct solution *solution = writer->solution;
    for (int side = WHITE; side <= writer->last_side; side++) {
        struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
        struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
        *outcome = (struct stream){.kind = TABLE_OUTCOME, .side = side, .symbol_bytes = 1, .wanted = true};
        *distance = (struct stream){.kind = TABLE_DISTANCE, .side = side, .wanted = solution->kept[side]};
        distance->symbol_bytes = longest_ply(solution, side) < 255 ? 1 : 2;
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
    uint8_t *symbols = work->symbols + item * work->shape->block_symbols * width;
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

static int write_section(struct writer *writer, const struct stream *stream, const struct container_stream *shape,
                         unsigned king, uint8_t *symbols)
{
    const uint64_t blocks = container_section_blocks(shape);
    struct section_work work = {writer, stream, shape, symbols, calloc(blocks, sizeof *work.piece)};
    if (work.piece == NULL)
        return error_memory(blocks * sizeof *work.piece, "a section's blocks");
    int code = threads_each(writer->pool, blocks, compress_block, &work);
    if (code == 0)
        code = container_add(writer->container, stream->number, king, work.piece);
    for (uint64_t i = 0; i < blocks; i++)
        free((void *)(uintptr_t)work.piece[i].data);
    free(work.piece);
    if (code != 0)
        return code;
    writer->done++;
    return report(writer);
}

static int write_side(struct writer *writer, int side, const struct container_stream *shapes)
{
    const struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
    const struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    const uint64_t per_king = outcome->order.per_king;
    uint8_t *outcomes = malloc(per_king);
    uint8_t *distances = distance->wanted ? malloc(per_king * distance->symbol_bytes) : NULL;
    struct section_request request = {.solution = writer->solution,
                                      .side = side,
                                      .outcome_order = &outcome->order,
                                      .outcomes = outcomes,
                                      .distance_order = distance->wanted ? &distance->order : NULL,
                                      .distance_bytes = distance->symbol_bytes,
                                      .distances = distances,
                                      .counts = writer->counts[side]};
    int code = 0;
    if (outcomes == NULL || (distance->wanted && distances == NULL))
        code = error_memory(per_king * (1 + distance->symbol_bytes), "a section of the table");
    for (unsigned king = 0; code == 0 && king < TRIANGLE_SQUARES; king++) {
        code = section_fill(&request, king, writer->pool);
        if (code == 0)
            code = write_section(writer, outcome, &shapes[outcome->number], king, outcomes);
        if (code == 0 && distance->wanted)
            code = write_section(writer, distance, &shapes[distance->number], king, distances);
    }
    free(outcomes);
    free(distances);
    return code;
}

// ---- the whole ----

static size_t write_counts(char *text, size_t size, const struct writer *writer, int side)
{
    const struct material *material = &writer->solution->backend->layout.material;
    const int source = writer->last_side == WHITE ? WHITE : side; // symmetric: both sides to move are the same
    uint64_t positions[5] = {0};
    for (int i = 0; i < VALUE_COUNTS; i++) {
        const solver_value value = (solver_value)i;
        const bool cursed = value != 0 && solver_value_ply(value) > SOLVER_PLY_LIMIT;
        int outcome = CLTB_DRAW + 2;
        if (value != 0)
            outcome = solver_value_won(value) ? (cursed ? 3 : 4) : (cursed ? 1 : 0);
        positions[outcome] += writer->counts[source][i] / material_arrangements(material);
    }
    int longest[5];
    memcpy(longest, writer->solution->longest[source], sizeof longest);
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
                                 material_name(&writer->solution->backend->layout.material, name));
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
        shape->sections = TRIANGLE_SQUARES;
        shape->section_symbols = stream->order.per_king;
        stream->number = count++;
        writer->total += TRIANGLE_SQUARES;
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

int write_table(const struct solution *solution, const char *path, struct thread_pool *pool,
                const struct write_options *options, uint64_t *bytes)
{
    struct writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return error_memory(sizeof *writer, "a table writer");
    writer->solution = solution;
    writer->options = options;
    writer->pool = pool;
    writer->last_side = material_symmetric(&solution->backend->layout.material) ? WHITE : BLACK;
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
