// context_train.c - the model of a stream, from a sample of its blocks
//
//     1. Don't-cares become the symbol before them. The distance of copied rows is the candidate that leaves the fewest
//        rows to be coded.
//     2. Neighbours are added as long as that pays: each time the candidate with which the symbols of coded rows have
//        the least entropy, the bytes of the larger model included.
//     3. With these frequencies the sample is planned again, as the encoder will do it, and counted again.
//
// A frequency is that of the context in the sample and, where the sample has few of it, of the context with one
// neighbour less. All of it is integer arithmetic, so that every machine makes the same model.
#include "table/write/context_encode.h"

#include "table/write/context_unit.h"
#include "table/write/word_symbols.h"
#include "util/error.h"
#include "util/log2.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
    MODEL_BITS = 12, // that a context takes in the file for each symbol except one
    PRIOR = 2,       // the shorter context counts for so many symbols of a context
    PIECE = 2 * CONTEXT_UNIT,
    MODEL_LEVEL = 19
};

struct training {
    const struct context_sample *sample;
    struct context_model *model;
    uint8_t allowed_by[256];
    size_t units;
    uint8_t *space;                              // [units * PIECE] of each unit
    uint8_t (*kind)[CONTEXT_UNIT / CONTEXT_ROW]; // [units]
    size_t *length;                              // [units]
    uint32_t *place;                             // [places] symbols in coded rows: their places in `space`
    size_t places;                               //
    size_t coded;                                // symbols in coded rows of the sample
    uint32_t *context;                           // [places]
    uint32_t *count;                             // [contexts * symbols]
    uint32_t row_count[ROW_CONTEXTS][ROW_KINDS];
};

// ---- frequencies ----

// Shares of 2^CONTEXT_SCALE_BITS, none of them zero.
static void set_slots(struct context_slots *slots, unsigned symbols, const uint64_t *weight)
{
    const uint64_t all = (UINT64_C(1) << CONTEXT_SCALE_BITS) - symbols;
    uint64_t sum = 0;
    uint64_t used = 0;
    uint64_t share[CONTEXT_SYMBOLS_MAX];
    unsigned largest = 0;
    for (unsigned s = 0; s < symbols; s++) {
        sum += weight[s];
        largest = weight[s] > weight[largest] ? s : largest;
    }
    for (unsigned s = 0; s < symbols; s++) {
        share[s] = 1 + (sum > 0 ? weight[s] * all / sum : 0);
        used += share[s];
    }
    share[largest] += (UINT64_C(1) << CONTEXT_SCALE_BITS) - used;
    uint64_t start = 0;
    for (unsigned s = 0; s < CONTEXT_SYMBOLS_MAX + 1; s++) {
        slots->start[s] = (uint16_t)start;
        start += s < symbols ? share[s] : 0;
    }
}

// Computes the frequencies of all contexts from `count`. Those of k neighbours are based on those of k - 1, which have
// the same digits without the highest one.
static int set_frequencies(struct training *training)
{
    struct context_model *model = training->model;
    const unsigned symbols = model->symbols;
    enum { ONE = 1 << 16 };
    uint64_t *weight = calloc((size_t)model->contexts * symbols, 2 * sizeof *weight); // shares of ONE
    uint64_t *longer = weight + (size_t)model->contexts * symbols;
    if (weight == NULL)
        return error_memory((size_t)model->contexts * symbols * 2 * sizeof *weight, "a model");
    for (unsigned s = 0; s < symbols; s++)
        weight[s] = ONE / symbols;
    unsigned contexts = 1;
    for (unsigned n = 0; n <= model->neighbours; n++, contexts *= symbols) {
        const unsigned shorter = n == 0 ? 1 : contexts / symbols;
        for (unsigned c = 0; c < contexts; c++) {
            uint64_t counts[CONTEXT_SYMBOLS_MAX] = {0};
            uint64_t sum = 0;
            for (unsigned more = c; more < model->contexts; more += contexts) {
                for (unsigned s = 0; s < symbols; s++)
                    counts[s] += training->count[more * symbols + s];
            }
            for (unsigned s = 0; s < symbols; s++)
                sum += counts[s];
            for (unsigned s = 0; s < symbols; s++)
                longer[c * symbols + s] = (counts[s] * ONE + PRIOR * weight[c % shorter * symbols + s]) / (sum + PRIOR);
        }
        memcpy(weight, longer, (size_t)contexts * symbols * sizeof *weight);
    }
    for (unsigned c = 0; c < model->contexts; c++)
        set_slots(&model->slots[c], symbols, weight + (size_t)c * symbols);
    free(weight);
    for (unsigned c = 0; c < ROW_CONTEXTS; c++) {
        uint64_t counts[ROW_KINDS];
        for (unsigned k = 0; k < ROW_KINDS; k++)
            counts[k] = 16 * (uint64_t)training->row_count[c][k] + 1;
        set_slots(&model->row[c], ROW_KINDS, counts);
    }
    context_model_prepare(model);
    return 0;
}

// ---- planning the sample ----

static size_t unit_of(const struct training *training, struct context_unit *unit, size_t number)
{
    const struct context_sample *sample = training->sample;
    const unsigned units = context_units(sample->block);
    const size_t at = number % units * CONTEXT_UNIT;
    const size_t left = sample->block - at;
    const size_t length = left < CONTEXT_UNIT ? left : CONTEXT_UNIT;
    context_unit_load(unit, training->allowed_by, sample->symbols + number / units * sample->block + at, length);
    return length;
}

// Plans every `step`-th unit with the current model; `*coded` is the number of coded rows.
static void plan(struct training *training, size_t step, size_t *coded)
{
    struct context_unit unit;
    *coded = 0;
    memset(training->row_count, 0, sizeof training->row_count);
    for (size_t u = 0; u < training->units; u += step) {
        const size_t count = training->length[u] = unit_of(training, &unit, u);
        context_unit_plan(training->model, &unit, count);
        memcpy(training->space + u * PIECE, unit.space, PIECE);
        memcpy(training->kind[u], unit.kind, sizeof unit.kind);
        for (unsigned row = 0; row * (size_t)CONTEXT_ROW < count; row++) {
            training->row_count[context_of_row(unit.kind, row)][unit.kind[row]]++;
            *coded += unit.kind[row] == ROW_CODED;
        }
    }
}

// Lists symbols of coded rows, at most sample->places.
static void list_places(struct training *training, size_t coded_rows)
{
    const size_t most = training->sample->places;
    const size_t step = coded_rows * CONTEXT_ROW / most + 1; // takes one row in so many
    size_t row_number = 0;
    training->places = 0;
    for (size_t u = 0; u < training->units; u++) {
        for (size_t row = 0; row * CONTEXT_ROW < training->length[u]; row++) {
            if (training->kind[u][row] != ROW_CODED || row_number++ % step != 0)
                continue;
            const size_t left = training->length[u] - row * CONTEXT_ROW;
            for (size_t i = 0; i < (left < CONTEXT_ROW ? left : CONTEXT_ROW) && training->places < most; i++)
                training->place[training->places++] = (uint32_t)(u * PIECE + CONTEXT_UNIT + row * CONTEXT_ROW + i);
        }
    }
    training->coded = coded_rows * CONTEXT_ROW;
}

// ---- neighbours ----

// The bits, times 2^LOG2_BITS, that the listed symbols take with one more neighbour at `distance` (0: none), plus the
// bits of the model in proportion to the list.
static uint64_t cost_with(const struct training *training, unsigned distance)
{
    const struct context_model *model = training->model;
    const struct context_sample *sample = training->sample;
    const unsigned symbols = model->symbols;
    const size_t contexts = (size_t)model->contexts * (distance > 0 ? symbols : 1);
    uint32_t *count = training->count;
    memset(count, 0, contexts * symbols * sizeof *count);
    for (size_t i = 0; i < training->places; i++) {
        const uint8_t *at = training->space + training->place[i];
        const unsigned more = distance > 0 ? at[-(ptrdiff_t)distance] * model->contexts : 0;
        count[(training->context[i] + more) * symbols + at[0]]++;
    }
    uint64_t cost = 0;
    uint64_t seen = 0;
    for (size_t c = 0; c < contexts; c++) {
        uint64_t sum = 0;
        for (unsigned s = 0; s < symbols; s++) {
            const uint64_t n = count[c * symbols + s];
            sum += n;
            cost -= n * log2_fixed(n);
        }
        cost += sum * log2_fixed(sum);
        seen += sum > 0;
    }
    // The list stands for so many symbols of the whole stream.
    const uint64_t sampled = sample->block * sample->blocks;
    const uint64_t share = (training->coded << 8) / (training->places + 1) * (sample->symbols_in_all / sampled + 1);
    return cost + (seen * (symbols - 1) * MODEL_BITS << (LOG2_BITS + 8)) / (share + 1);
}

static void choose_neighbours(struct training *training)
{
    struct context_model *model = training->model;
    const struct context_sample *sample = training->sample;
    model->neighbours = 0;
    model->contexts = 1;
    memset(training->context, 0, training->places * sizeof *training->context);
    uint64_t least = cost_with(training, 0);
    while (model->neighbours < CONTEXT_NEIGHBOURS_MAX && model->contexts * model->symbols <= sample->contexts) {
        unsigned best = 0;
        for (unsigned i = 0; i < sample->candidates; i++) {
            const uint64_t cost = cost_with(training, sample->candidate[i].sampled);
            if (cost < least) {
                least = cost;
                best = sample->candidate[i].sampled;
            }
        }
        if (best == 0)
            return;
        for (size_t i = 0; i < training->places; i++)
            training->context[i] += training->space[training->place[i] - best] * model->contexts;
        model->distance[model->neighbours++] = (uint16_t)best;
        model->contexts *= model->symbols;
    }
}

// Counts the symbols of all coded rows of the sample.
static void count_symbols(struct training *training)
{
    const struct context_model *model = training->model;
    memset(training->count, 0, (size_t)model->contexts * model->symbols * sizeof *training->count);
    for (size_t u = 0; u < training->units; u++) {
        const uint8_t *index = training->space + u * PIECE + CONTEXT_UNIT;
        for (size_t i = 0; i < training->length[u]; i++) {
            if (training->kind[u][i / CONTEXT_ROW] == ROW_CODED)
                training->count[context_of_symbol(model, index + i) * model->symbols + index[i]]++;
        }
    }
}

// ---- the whole ----

// Chooses the symbols of the stream, the most frequent one of the sample first.
static void choose_symbols(struct training *training)
{
    const struct context_sample *sample = training->sample;
    struct context_model *model = training->model;
    uint64_t count[256] = {0};
    for (size_t i = 0; i < sample->block * sample->blocks; i++)
        count[sample->symbols[i]]++;
    for (unsigned s = 0; s < CONTEXT_SYMBOLS_MAX; s++) {
        if (!sample->occurs[s] && count[s] == 0)
            continue;
        unsigned place = model->symbols++;
        for (; place > 0 && count[model->symbol[place - 1]] < count[s]; place--)
            model->symbol[place] = model->symbol[place - 1];
        model->symbol[place] = (uint8_t)s;
    }
    context_sets(model, training->allowed_by);
}

// One neighbour, the symbol before, which is likely to repeat; all kinds of rows are treated alike.
static void simplest_model(struct context_model *model)
{
    model->neighbours = 1;
    model->distance[0] = 1;
    model->contexts = model->symbols;
    for (unsigned c = 0; c < model->symbols; c++) {
        uint64_t weight[CONTEXT_SYMBOLS_MAX] = {1, 1, 1, 1, 1};
        weight[c] = 100;
        set_slots(&model->slots[c], model->symbols, weight);
    }
    for (unsigned c = 0; c < ROW_CONTEXTS; c++)
        set_slots(&model->row[c], ROW_KINDS, (const uint64_t[]){1, 1, 1});
    context_model_prepare(model);
}

static uint16_t stored_distance(const struct context_sample *sample, unsigned sampled)
{
    unsigned i = 0;
    while (sample->candidate[i].sampled != sampled)
        i++;
    return (uint16_t)sample->candidate[i].stored;
}

static int train(struct training *training)
{
    struct context_model *model = training->model;
    const struct context_sample *sample = training->sample;
    size_t rows;
    size_t least = SIZE_MAX;
    unsigned copied = 0;
    choose_symbols(training);
    simplest_model(model);
    for (unsigned i = 0; i < sample->candidates; i++) {
        const struct context_candidate *candidate = &sample->candidate[i];
        if (candidate->sampled < CONTEXT_ROW || candidate->stored < CONTEXT_ROW)
            continue;
        model->copied = (uint16_t)candidate->sampled;
        plan(training, 4, &rows);
        if (rows < least) {
            least = rows;
            copied = i;
        }
    }
    model->copied = (uint16_t)sample->candidate[copied].sampled;
    plan(training, 1, &rows);
    list_places(training, rows);
    choose_neighbours(training);
    count_symbols(training);
    TRY(set_frequencies(training));
    plan(training, 1, &rows);
    count_symbols(training);
    TRY(set_frequencies(training));
    model->copied = stored_distance(sample, model->copied);
    for (unsigned n = 0; n < model->neighbours; n++)
        model->distance[n] = stored_distance(sample, model->distance[n]);
    context_model_prepare(model);
    return 0;
}

static void put_slots(uint8_t **at, const struct context_slots *slots, unsigned symbols)
{
    for (unsigned s = 0; s < symbols; s++, *at += 2) {
        const unsigned count = (unsigned)(slots->start[s + 1] - slots->start[s]);
        (*at)[0] = (uint8_t)count;
        (*at)[1] = (uint8_t)(count >> 8);
    }
}

static int write_model(const struct context_model *model, uint8_t **data, size_t *bytes)
{
    uint8_t raw[CONTEXT_HEADER] = {(uint8_t)model->symbols, (uint8_t)model->neighbours};
    const size_t size = sizeof raw + 2 * (ROW_CONTEXTS * ROW_KINDS + (size_t)model->contexts * model->symbols);
    uint8_t *all = malloc(size);
    *data = malloc(ZSTD_compressBound(size));
    int code = all == NULL || *data == NULL ? error_memory(2 * size, "a model") : 0;
    if (code == 0) {
        memcpy(raw + 2, model->symbol, sizeof model->symbol);
        uint8_t *at = raw + 2 + CONTEXT_SYMBOLS_MAX;
        for (unsigned n = 0; n <= model->neighbours; n++, at += 2) {
            const unsigned distance = n == 0 ? model->copied : model->distance[n - 1];
            at[0] = (uint8_t)distance;
            at[1] = (uint8_t)(distance >> 8);
        }
        memcpy(all, raw, sizeof raw);
        at = all + sizeof raw;
        for (unsigned c = 0; c < ROW_CONTEXTS; c++)
            put_slots(&at, &model->row[c], ROW_KINDS);
        for (unsigned c = 0; c < model->contexts; c++)
            put_slots(&at, &model->slots[c], model->symbols);
        *bytes = ZSTD_compress(*data, ZSTD_compressBound(size), all, size, MODEL_LEVEL);
        code = ZSTD_isError(*bytes) ? error_set(CLTB_E_MEMORY, "compression failed: a model") : 0;
    }
    free(all);
    return code;
}

size_t context_train_bytes(const struct context_sample *sample)
{
    return sample->blocks * context_units(sample->block) * (PIECE + CONTEXT_UNIT / CONTEXT_ROW + sizeof(size_t)) +
           2 * (size_t)sample->places * sizeof(uint32_t) +
           (size_t)sample->contexts * CONTEXT_SYMBOLS_MAX * (sizeof(uint32_t) + 2 * sizeof(uint64_t));
}

int context_train(struct context_model *model, const struct context_sample *sample, uint8_t **data, size_t *bytes)
{
    struct training training = {.sample = sample, .model = model};
    *model = (struct context_model){.slots = NULL};
    *data = NULL;
    training.units = sample->blocks * context_units(sample->block);
    const size_t contexts = (size_t)sample->contexts;
    model->slots = malloc(contexts * sizeof *model->slots);
    training.space = malloc(training.units * PIECE);
    training.kind = malloc(training.units * sizeof *training.kind);
    training.length = malloc(training.units * sizeof *training.length);
    training.place = malloc(sample->places * sizeof *training.place);
    training.context = malloc(sample->places * sizeof *training.context);
    training.count = malloc(contexts * CONTEXT_SYMBOLS_MAX * sizeof *training.count);
    int code = CLTB_E_MEMORY;
    if (model->slots == NULL || training.space == NULL || training.kind == NULL || training.length == NULL ||
        training.place == NULL || training.context == NULL || training.count == NULL)
        error_memory(training.units * PIECE, "a sample of the table");
    else
        code = train(&training);
    if (code == 0)
        code = write_model(model, data, bytes);
    free(training.space);
    free(training.kind);
    free(training.length);
    free(training.place);
    free(training.context);
    free(training.count);
    if (code != 0) {
        context_model_free(model);
        free(*data);
        *data = NULL;
    }
    return code;
}
