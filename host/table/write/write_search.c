// write_search.c - the order of the men in a stream
//
// A sample of blocks is compressed in each order of the groups (the black king or the slice stays outermost), and the
// smallest wins, in rounds of fewer orders and larger samples. The sample comes from two squares of the black king, or
// from slices all over the table.
//
// Small sections are sampled whole. For larger ones (six men and more) the sample has only the entries in which all men
// stand on a smaller board, the first ranks: the digits of the groups are cut off at the end. An order compresses
// better than another if values more often stay the same from one square of a man to the next, and half of a board
// shows that as well. Measured on eight tables of five men, with ranks 1-4 instead of whole sections: files of -1.1 to
// +2.8 %, one of +5.4 %, +0.8 % on average. The sample does not depend on the memory limit.
#include "table/write/write_search.h"

#include "table/write/block_symbols.h"
#include "table/write/context_encode.h"
#include "table/write/write_together.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

// One near a corner and one in the middle, both off the diagonal, where no entry is the mirror image of another.
static const unsigned sample_king[] = {1 /* b1 */, 8 /* d3 */};

enum {
    SAMPLE_KINGS = 2,         // squares of the black king from which samples come
    WHOLE_SYMBOLS = 1 << 24,  // larger sections are sampled on a smaller board
    BOARD_SYMBOLS = 1 << 25,  // of which a section has at most so many entries
    SAMPLE_SYMBOLS = 1 << 26, // with pawns, as many sections as have so many symbols,
    SAMPLES_MIN = 2,          // but at least so many
    SAMPLES_MAX = 16,         // and at most so many
    FEW_ORDERS = 120,         // if there are more (seven men), the first round has fewer blocks of each,
    BLOCKS_LEAST = 8,         // but at least so many
    ORDERS_MAX = 5040,
    // Models are made from as many units as these, all over the sample, but not from more than a part of the stream.
    MODEL_UNITS = 512,
    DISTANCE_UNITS = 256,
    BEST_UNITS = 2048, // with --best
    TRIAL_UNITS = 256, // to compare orders
    MODEL_PART = 3,
    TRIAL_PART = 8,
    BEST_TRIAL_UNITS = 1024,
    BEST_TRIAL_PART = 2,
    TRIALS_MAX = 12,       // orders
    MODEL_PLACES = 200000, // symbols by which contexts are chosen
    TRIAL_PLACES = 50000,
    BEST_PLACES = 1000000,
    MODEL_CONTEXTS = 4096, // contexts, at most
    BEST_CONTEXTS = CONTEXTS_MAX,
    COMPARED_BLOCKS = 16 // by which codecs are compared
};

// Orders that are clearly worse are dropped early, when many small blocks tell more than few large ones. For 15 streams
// of five tables, the best of all orders was among the best three of 256 blocks of 2^12, or within 0.4 % on average.
// The last round is only for streams that zstd codes; for others it is try_models().
static const struct {
    uint64_t blocks; // of each order
    size_t block;    // symbols in a block
    int keep;        // orders that reach the next round
    int keep_best;   // the same with --best
} rounds[] = {{96, 1 << 12, 6, TRIALS_MAX}, {256, 1 << 12, 4, TRIALS_MAX}, {256, 1 << 14, 1, 1}};

// The sections that samples come from.
struct sample {
    struct entry_order natural; // the order of groups in which samples are made, on the smaller board
    int sections;
    uint64_t section[SAMPLES_MAX];
};

struct search {
    struct writer *writer;
    const struct stream *stream;
    const struct sample *sample;
    uint8_t *symbols; // [held * per_section] in the natural order
    int held;         // sections in memory at a time
    int first;        // the first of them, or -1
    uint64_t sampled; // blocks from each section
    size_t block;     // symbols
    int orders;
    uint8_t choice[ORDERS_MAX][ENTRY_GROUPS_MAX];
    uint64_t bytes[ORDERS_MAX];
    struct context_sample trial[TRIALS_MAX]; // of the orders that reach the last round
};

// ---- sampled sections ----

// The largest board with few enough entries.
static void choose_board(struct entry_order *order)
{
    enum { RANK = 8 };
    if (order->per_section <= WHOLE_SYMBOLS)
        return;
    for (unsigned squares = SQUARES - RANK; squares >= RANK; squares -= RANK) {
        entry_order_shrink(order, squares);
        if (order->per_section <= BOARD_SYMBOLS)
            return;
    }
}

static uint64_t sections_with_pawns(const struct entry_order *board)
{
    const uint64_t sections = SAMPLE_SYMBOLS / board->per_section;
    return sections < SAMPLES_MIN ? SAMPLES_MIN : sections > SAMPLES_MAX ? SAMPLES_MAX : sections;
}

// Fills `count` sections of the sample from number `first` on; one of the streams may be NULL.
static int fill_sample(struct writer *writer, int side, const struct sample *sample, int first, int count,
                       uint8_t *outcomes, uint8_t *distances)
{
    const struct content *content = &writer->content;
    const struct entry_order *natural = &sample->natural;
    const struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
    const struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    for (int i = 0; i < count; i++) {
        const uint64_t at = (uint64_t)i * natural->per_section;
        if (writer->together != NULL) { // one stream at a time
            const struct stream *stream = outcomes != NULL ? outcome : distance;
            TRY(together_fetch_sample(writer->together, stream, first + i,
                                      (outcomes != NULL ? outcomes : distances) + at * stream->symbol_bytes,
                                      natural->per_section * stream->symbol_bytes));
            continue;
        }
        struct section_request request = {.side = side, .first_free = true};
        if (outcomes != NULL)
            request.outcome = stream_target(outcome, natural, outcomes + at);
        if (distances != NULL)
            request.distance = stream_target(distance, natural, distances + at * distance->symbol_bytes);
        TRY(content->fill(content->context, &request, sample->section[first + i], 1, writer->pool));
    }
    return 0;
}

// Fills the sections of the search from number `first` on, unless they are there.
static int hold_sections(struct search *search, int first)
{
    const bool outcome = search->stream->kind == TABLE_OUTCOME;
    if (search->first != first)
        TRY(fill_sample(search->writer, search->stream->side, search->sample, first, search->held,
                        outcome ? search->symbols : NULL, outcome ? NULL : search->symbols));
    search->first = first;
    return 0;
}

// ---- orders ----

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

static struct entry_digits section_digits(const struct entry_order *order, const struct entry_order *natural,
                                          const uint8_t *choice)
{
    struct entry_digits digits = {.count = order->groups + 1,
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

// A pseudo-random number from 0 to 2^32 - 1.
static uint64_t scatter(uint64_t number)
{
    uint64_t x = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (x ^ x >> 32) >> 32;
}

// One of `blocks` blocks of a section, from somewhere in part `number` of `parts` equal ones.
static uint64_t somewhere(uint64_t number, uint64_t blocks, uint64_t parts, uint64_t section)
{
    const uint64_t start = number * blocks / parts;
    const uint64_t part = (number + 1) * blocks / parts - start;
    return start + scatter(number * SAMPLES_MAX + section) % part;
}

// Adds the bytes that one order takes for the sections in memory.
static int try_order(void *context, uint64_t item, int worker)
{
    struct search *search = context;
    const unsigned width = search->stream->symbol_bytes;
    const struct content *content = &search->writer->content;
    struct entry_order order;
    entry_order_init(&order, content->material, content->slices, search->choice[item]);
    if (search->sample->natural.squares != order.squares)
        entry_order_shrink(&order, search->sample->natural.squares);
    const struct entry_digits digits = section_digits(&order, &search->sample->natural, search->choice[item]);
    const size_t block = order.per_section < search->block ? order.per_section : search->block;
    const uint64_t blocks = order.per_section / block;
    const uint64_t sampled = blocks < search->sampled ? blocks : search->sampled;
    const uint64_t sections = (uint64_t)search->held;
    uint8_t *symbols = malloc(block * width);
    uint8_t *compressed = malloc(container_bound(block * width));
    int code = symbols == NULL || compressed == NULL ? error_memory(2 * block * width, "a sample") : 0;
    for (uint64_t i = 0; code == 0 && i < sampled * sections; i++) {
        // The choice does not depend on how many sections are in memory.
        const uint64_t number = i / sections;
        const uint64_t section = (uint64_t)search->first + i % sections;
        const uint64_t first = somewhere(number, blocks, sampled, section) * block;
        size_t bytes;
        gather_block(&digits, search->symbols + i % sections * order.per_section * width, width, first, block, symbols);
        dont_care_fill(search->stream->kind, width, symbols, block);
        code = container_compress(search->writer->compressor[worker], symbols, block * width, compressed, &bytes);
        search->bytes[item] += code == 0 ? bytes : 0;
    }
    free(symbols);
    free(compressed);
    return code;
}

// Moves the `most` smallest orders to the front and drops the others.
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

// ---- models ----

// A distance of places is a candidate if it is within reach and new.
static void add_candidate(struct context_sample *sample, uint64_t sampled, uint64_t stored)
{
    bool known = sampled > CONTEXT_UNIT || stored > CONTEXT_UNIT || sample->candidates == CONTEXT_CANDIDATES;
    for (unsigned i = 0; i < sample->candidates; i++)
        known |= sample->candidate[i].sampled == sampled || sample->candidate[i].stored == stored;
    if (!known)
        sample->candidate[sample->candidates++] = (struct context_candidate){(uint32_t)sampled, (uint32_t)stored};
}

// Candidates are the same man some squares away, and this combined with the men of the next two groups a file or a rank
// away.
static void add_candidates(struct context_sample *sample, const struct entry_order *sampled,
                           const struct entry_order *stored)
{
    static const uint8_t near[] = {1, 8, 2, 7, 9, 16, 3, CONTEXT_ROW};
    static const struct {
        uint8_t times;
        int8_t more;
    } far[] = {{1, 0}, {8, 0}, {1, 1}, {1, 8}, {1, -1}, {1, -8}, {2, 0}, {7, 0}, {9, 0}, {16, 0}};
    for (size_t i = 0; i < sizeof near; i++)
        add_candidate(sample, near[i], near[i]);
    for (int g = sampled->groups - 2; g >= 0 && g >= sampled->groups - 3; g--) {
        for (size_t i = 0; i < sizeof far / sizeof far[0]; i++)
            add_candidate(sample, far[i].times * sampled->group[g].stride + (uint64_t)(int64_t)far[i].more,
                          far[i].times * stored->group[g].stride + (uint64_t)(int64_t)far[i].more);
    }
}

// Copies the blocks of the sample in an order, the same number from each section.
static int gather_model_blocks(struct search *search, const struct entry_order *order, const uint8_t *choice,
                               const struct context_sample *sample, uint8_t *to)
{
    const int sections = search->sample->sections;
    const struct entry_digits digits = section_digits(order, &search->sample->natural, choice);
    const uint64_t blocks = order->per_section / sample->block;
    const uint64_t each = sample->blocks / (uint64_t)sections;
    for (int section = 0; section < sections; section++) {
        const int first = section - section % search->held;
        TRY(hold_sections(search, first));
        for (uint64_t i = 0; i < each; i++, to += sample->block)
            gather_block(&digits, search->symbols + (uint64_t)(section - first) * order->per_section, 1,
                         somewhere(i, blocks, each, (uint64_t)section) * sample->block, sample->block, to);
    }
    return 0;
}

static uint64_t units_of_model(bool best, enum table_kind kind)
{
    return best ? BEST_UNITS : kind == TABLE_DISTANCE ? DISTANCE_UNITS : MODEL_UNITS;
}

// The size of a sample of so many blocks, or of a part of the stream if that is less. `distances`: their number, or 0
// for outcomes.
static struct context_sample model_sample(const struct entry_order *sampled, const struct entry_order *stored,
                                          uint64_t sections, uint64_t block, uint64_t blocks, unsigned part, bool best,
                                          unsigned distances)
{
    struct context_sample sample = {.block = sampled->per_section < block ? sampled->per_section : block,
                                    .distances = distances,
                                    .contexts = distances > 0 ? 1
                                                : best        ? BEST_CONTEXTS
                                                              : MODEL_CONTEXTS,
                                    .places = best ? BEST_PLACES : MODEL_PLACES,
                                    .symbols_in_all = stored->sections * stored->per_section};
    const uint64_t enough = sample.symbols_in_all / part / sample.block;
    const uint64_t wanted = blocks < enough ? blocks : enough;
    const uint64_t each = wanted > sections ? wanted / sections : 1;
    const uint64_t all = sampled->per_section / sample.block;
    sample.blocks = sections * (all < each ? all : each);
    return sample;
}

// A sample of so many blocks, and at most a part of the stream, in an order of the search; its symbols are malloc'ed.
static int take_sample(struct search *search, const uint8_t *choice, uint64_t block, uint64_t blocks, unsigned part,
                       struct context_sample *sample)
{
    const struct content *content = &search->writer->content;
    const struct stream *stream = search->stream;
    struct entry_order stored;
    entry_order_init(&stored, content->material, content->slices, choice);
    struct entry_order order = stored;
    if (search->sample->natural.squares != order.squares)
        entry_order_shrink(&order, search->sample->natural.squares);
    const int longest = content->longest_kept[stream->side];
    const unsigned distances = stream->kind == TABLE_OUTCOME ? 0 : longest < 0 ? 1 : (unsigned)longest + 1;
    *sample = model_sample(&order, &stored, (uint64_t)search->sample->sections, block, blocks, part,
                           search->writer->options->best, distances);
    add_candidates(sample, &order, &stored);
    sample->occurs[CLTB_LOSS + 2] = sample->occurs[CLTB_DRAW + 2] = true;
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        sample->occurs[i] |= content->longest[stream->side][i] >= 0;
    uint8_t *symbols;
    TRY(memory_new(&symbols, sample->blocks, sample->block, "a sample of the table"));
    sample->symbols = symbols;
    return gather_model_blocks(search, &order, choice, sample, symbols);
}

static void free_sample(struct context_sample *sample)
{
    free((void *)(uintptr_t)sample->symbols);
    sample->symbols = NULL;
}

// The bytes of a sample and its part of the model. The sample's don't-cares remain.
static int sample_bytes(const struct context_model *model, size_t model_bytes, const struct context_sample *sample,
                        uint64_t *bytes)
{
    uint8_t *coded;
    TRY(memory_new(&coded, context_bound(sample->block), 1, "a sample of the table"));
    *bytes = model_bytes * sample->block * sample->blocks / sample->symbols_in_all;
    int code = 0;
    for (uint64_t i = 0; code == 0 && i < sample->blocks; i++) {
        size_t more = 0;
        code = context_encode(model, sample->symbols + i * sample->block, sample->block, coded, &more);
        *bytes += more;
    }
    free(coded);
    return code;
}

// Drops the model of a stream if zstd makes fewer bytes of the sample: where identical men have numbers in place of
// squares, it finds more that repeats.
static int compare_codecs(struct search *search, struct stream *stream, const struct context_sample *sample)
{
    struct container_compressor *compressor = search->writer->compressor[0];
    uint8_t *copy;
    uint64_t with_zstd = 0;
    uint64_t with_model;
    TRY(sample_bytes(&stream->model, stream->model_bytes, sample, &with_model));
    TRY(memory_new(&copy, sample->block + container_bound(sample->block), 1, "a sample of the table"));
    container_compressor_level(compressor, stream->level);
    int code = 0;
    for (uint64_t i = 0; code == 0 && i < sample->blocks; i++) {
        size_t bytes;
        memcpy(copy, sample->symbols + i * sample->block, sample->block);
        dont_care_fill(stream->kind, 1, copy, sample->block);
        code = container_compress(compressor, copy, sample->block, copy + sample->block, &bytes);
        with_zstd += code == 0 ? bytes : 0;
    }
    container_compressor_level(compressor, WRITE_SAMPLE_LEVEL);
    free(copy);
    if (code == 0 && with_zstd < with_model)
        stream_drop_model(stream);
    return code;
}

// Makes the model for the best order.
static int make_model(struct search *search, struct stream *stream)
{
    const bool best = search->writer->options->best;
    struct context_sample sample = {0};
    int code =
        take_sample(search, search->choice[0], CONTEXT_UNIT, units_of_model(best, stream->kind), MODEL_PART, &sample);
    if (code == 0)
        code = context_train(&stream->model, &sample, &stream->model_data, &stream->model_bytes);
    free_sample(&sample);
    if (code != 0 || stream->kind == TABLE_OUTCOME)
        return code;
    const unsigned bits = best ? BEST_BLOCK_BITS : BLOCK_BITS;
    code = take_sample(search, search->choice[0], UINT64_C(1) << bits, COMPARED_BLOCKS, MODEL_PART, &sample);
    if (code == 0)
        code = compare_codecs(search, stream, &sample);
    free_sample(&sample);
    return code;
}

// Makes a model for an order from every other unit of a small sample, and the bytes of the other ones with it.
static int try_model(void *context, uint64_t item, int worker)
{
    struct search *search = context;
    const struct context_sample *sample = &search->trial[item];
    struct context_sample half = *sample;
    struct context_model model;
    uint8_t *symbols;
    uint8_t *data = NULL;
    size_t bytes;
    (void)worker;
    half.blocks = (sample->blocks + 1) / 2;
    half.places = TRIAL_PLACES;
    TRY(memory_new(&symbols, half.blocks, half.block, "a sample of the table"));
    half.symbols = symbols;
    for (size_t i = 0; i < half.blocks; i++)
        memcpy(symbols + i * half.block, sample->symbols + 2 * i * half.block, half.block);
    int code = context_train(&model, &half, &data, &bytes);
    for (size_t i = 0; i < half.blocks; i++) {
        const size_t other = 2 * i + 1 < sample->blocks ? 2 * i + 1 : 2 * i;
        memcpy(symbols + i * half.block, sample->symbols + other * half.block, half.block);
    }
    if (code == 0)
        code = sample_bytes(&model, bytes, &half, &search->bytes[item]);
    context_model_free(&model);
    free(symbols);
    free(data);
    return code;
}

static int try_models(struct search *search)
{
    const bool best = search->writer->options->best;
    int code = 0;
    for (int i = 0; code == 0 && i < search->orders; i++)
        code = take_sample(search, search->choice[i], CONTEXT_UNIT, best ? BEST_TRIAL_UNITS : TRIAL_UNITS,
                           best ? BEST_TRIAL_PART : TRIAL_PART, &search->trial[i]);
    if (code == 0)
        code = threads_each(search->writer->pool, (uint64_t)search->orders, try_model, search);
    for (int i = 0; i < search->orders; i++)
        free_sample(&search->trial[i]);
    keep_best(search, 1);
    return code;
}

// ---- the search ----

// Does one round: `blocks` blocks from all sections together.
static int try_orders(struct search *search, uint64_t blocks, size_t block)
{
    const int sections = search->sample->sections;
    // On a smaller board, take smaller blocks and more of them, so that a block has the same share of the places of the
    // two innermost men.
    for (unsigned squares = search->sample->natural.squares; squares < SQUARES; squares *= 2) {
        blocks *= 4;
        block /= 4;
    }
    search->sampled = (blocks + (uint64_t)sections - 1) / (uint64_t)sections;
    search->block = block;
    memset(search->bytes, 0, sizeof search->bytes);
    for (int first = 0; first < sections; first += search->held) {
        TRY(hold_sections(search, first));
        TRY(threads_each(search->writer->pool, (uint64_t)search->orders, try_order, search));
    }
    return 0;
}

// False for distances that the other side's, already searched, make superfluous.
static bool may_be_kept(const struct writer *writer, const struct stream *stream)
{
    const struct stream *white = &writer->stream[(int)TABLE_DISTANCE * COLOURS + WHITE];
    return stream->kind == TABLE_OUTCOME || stream->side == WHITE || writer->together != NULL || !white->wanted ||
           writer->options->both_sides || stream->sample_bytes < white->sample_bytes;
}

// `filled`: all symbols of the sample; or NULL: they are made here, one section at a time if necessary.
static int search_order(struct writer *writer, struct stream *stream, const struct sample *sample, uint8_t *filled)
{
    const struct content *content = &writer->content;
    const uint64_t section = sample->natural.per_section * stream->symbol_bytes;
    const bool all = filled != NULL || section * (uint64_t)sample->sections <= writer->room;
    const int held = all && sample->sections > 1 ? sample->sections : 1;
    struct search *search = calloc(1, sizeof *search);
    int code = search == NULL ? error_memory(sizeof *search, "a sample of the table") : 0;
    if (code == 0 && filled == NULL)
        code = writer_reserve(writer, section * (uint64_t)held);
    if (code != 0)
        goto cleanup;
    search->writer = writer;
    search->stream = stream;
    search->sample = sample;
    search->symbols = filled != NULL ? filled : writer->symbols;
    search->held = held;
    search->first = filled != NULL ? 0 : -1;
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    list_orders(search, choice, 0, 0, sample->natural.groups); // there is at least one
    const size_t rounds_all = sizeof rounds / sizeof rounds[0];
    for (size_t i = 0; code == 0 && i < rounds_all - (stream->symbol_bytes == 1); i++) {
        const uint64_t fewer = rounds[i].blocks * FEW_ORDERS / (uint64_t)(search->orders > 0 ? search->orders : 1);
        const uint64_t blocks = fewer < BLOCKS_LEAST ? BLOCKS_LEAST : fewer;
        code = try_orders(search, blocks < rounds[i].blocks ? blocks : rounds[i].blocks, rounds[i].block);
        keep_best(search, writer->options->best ? rounds[i].keep_best : rounds[i].keep);
    }
    if (code == 0 && stream->symbol_bytes == 1)
        code = try_models(search);
    memcpy(stream->choice, search->choice[0], sizeof stream->choice);
    entry_order_init(&stream->order, content->material, content->slices, stream->choice);
    stream->sample_bytes = search->bytes[0];
    if (code == 0 && stream->symbol_bytes == 1 && may_be_kept(writer, stream))
        code = make_model(search, stream);
cleanup:
    free(search);
    return code;
}

// Two squares of the black king, or slices from all parts of the table.
static struct sample choose_sample(const struct content *content)
{
    struct sample sample = {.sections = SAMPLE_KINGS, .section = {sample_king[0], sample_king[1]}};
    entry_order_init(&sample.natural, content->material, content->slices, NULL);
    choose_board(&sample.natural);
    if (content->slices == NULL)
        return sample;
    const uint64_t all = sample.natural.sections;
    const uint64_t wanted = sections_with_pawns(&sample.natural);
    const uint64_t sections = wanted < all ? wanted : all;
    sample.sections = (int)sections;
    for (uint64_t i = 0; i < sections; i++)
        sample.section[i] = (2 * i + 1) * all / (2 * sections);
    return sample;
}

static int search_side(struct writer *writer, int side, const struct sample *sample)
{
    struct stream *outcome = stream_of(writer, TABLE_OUTCOME, side);
    struct stream *distance = stream_of(writer, TABLE_DISTANCE, side);
    // The samples of both streams are made at the same time if they fit, and if this process searches both.
    const uint64_t symbols = sample->natural.per_section * (uint64_t)sample->sections;
    const uint64_t bytes = symbols * (outcome->symbol_bytes + (distance->wanted ? distance->symbol_bytes : 0));
    uint8_t *outcomes = NULL;
    uint8_t *distances = NULL;
    int code = 0;
    if (bytes <= writer->room && writer->together == NULL) {
        TRY(writer_reserve(writer, bytes));
        outcomes = writer->symbols;
        distances = distance->wanted ? writer->symbols + symbols : NULL;
        code = fill_sample(writer, side, sample, 0, sample->sections, outcomes, distances);
    }
    if (code == 0 && together_searches(writer->together, outcome))
        code = search_order(writer, outcome, sample, outcomes);
    if (code == 0 && distance->wanted && together_searches(writer->together, distance))
        code = search_order(writer, distance, sample, distances);
    return code;
}

// ---- with other processes ----

// Makes one section of the sample for the processes that search the orders; both streams at once if they fit.
static int post_section(struct writer *writer, const struct sample *sample, int side, int number)
{
    const uint64_t symbols = sample->natural.per_section;
    const struct stream *const stream[] = {stream_of(writer, TABLE_OUTCOME, side),
                                           stream_of(writer, TABLE_DISTANCE, side)};
    const int streams = stream[1]->wanted ? 2 : 1;
    const uint64_t bytes[] = {symbols * stream[0]->symbol_bytes, symbols * stream[1]->symbol_bytes};
    const bool at_once = streams == 1 || bytes[0] + bytes[1] <= writer->room;
    TRY(writer_reserve(writer, at_once               ? bytes[0] + (streams == 2 ? bytes[1] : 0)
                               : bytes[0] > bytes[1] ? bytes[0]
                                                     : bytes[1]));
    for (int i = 0; i < (at_once ? 1 : streams); i++) {
        struct section_request request = {.side = side, .first_free = true};
        uint8_t *const to[] = {writer->symbols, writer->symbols + (at_once ? bytes[0] : 0)};
        if (at_once || i == 0)
            request.outcome = stream_target(stream[0], &sample->natural, to[0]);
        if (streams == 2 && (at_once || i == 1))
            request.distance = stream_target(stream[1], &sample->natural, to[1]);
        TRY(writer->content.fill(writer->content.context, &request, sample->section[number], 1, writer->pool));
        for (int s = 0; s < streams; s++) {
            if (at_once || i == s)
                TRY(together_post_sample(writer->together, stream[s], number, to[s], bytes[s]));
        }
    }
    return 0;
}

// Each process makes its sections of the sample, one at a time.
static int share_samples(struct writer *writer, const struct sample *sample)
{
    const int all = (writer->last_side + 1) * sample->sections;
    int next = 0;
    for (uint64_t left = 1; left > 0;) {
        for (bool posted = false; next < all; next++) {
            const int side = next / sample->sections;
            const int number = next % sample->sections;
            if (!together_makes(writer->together, side, sample->section[number]))
                continue;
            if (posted)
                break;
            TRY(post_section(writer, sample, side, number));
            posted = true;
        }
        left = (uint64_t)(all - next);
        TRY(together_exchange_samples(writer->together, sample->sections, sample->natural.per_section, &left));
    }
    return 0;
}

int write_search(struct writer *writer)
{
    const struct sample sample = choose_sample(&writer->content);
    if (sample.natural.per_section == 0 || sample.sections == 0)
        return error_set(CLTB_E_USAGE, "a table without entries");
    if (writer->together != NULL)
        TRY(share_samples(writer, &sample));
    for (int side = WHITE; side <= writer->last_side; side++) {
        TRY(search_side(writer, side, &sample));
        TRY(writer_report(writer));
    }
    return together_share_orders(writer->together);
}

void write_search_bytes(const struct entry_order *order, unsigned distance_bytes, bool best, uint64_t *least,
                        uint64_t *most)
{
    struct entry_order board = *order;
    choose_board(&board);
    const uint64_t sections = material_has_pawns(&order->material) ? sections_with_pawns(&board) : SAMPLE_KINGS;
    const struct context_sample sample =
        model_sample(&board, order, sections, CONTEXT_UNIT, units_of_model(best, TABLE_OUTCOME), MODEL_PART, best, 0);
    const uint64_t model = sample.blocks * sample.block + context_train_bytes(&sample);
    const uint64_t with_model = board.per_section + model;
    const uint64_t distances = board.per_section * distance_bytes;
    *least = (distances > with_model ? distances : with_model) + sizeof(struct search);
    *most = board.per_section * sections * (1 + distance_bytes) + model + sizeof(struct search);
}
