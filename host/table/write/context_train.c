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

#include "table/block_code.h"
#include "table/write/context_training.h"
#include "table/write/unit_plan.h"
#include "table/write/word_symbols.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { MODEL_LEVEL = 19 };

// ---- frequencies ----

void training_slots(uint16_t *start, unsigned size, unsigned symbols, const uint64_t *weight)
{
    const uint64_t all = (UINT64_C(1) << CONTEXT_SCALE_BITS) - symbols;
    uint64_t sum = 0;
    uint64_t used = 0;
    unsigned largest = 0;
    for (unsigned s = 0; s < symbols; s++) {
        sum += weight[s];
        largest = weight[s] > weight[largest] ? s : largest;
    }
    for (unsigned s = 0; s < symbols; s++)
        used += 1 + (sum > 0 ? weight[s] * all / sum : 0);
    const uint64_t rest = (UINT64_C(1) << CONTEXT_SCALE_BITS) - used; // goes to the most frequent symbol
    uint64_t at = 0;
    for (unsigned s = 0; s < size; s++) {
        start[s] = (uint16_t)at;
        if (s < symbols)
            at += 1 + (sum > 0 ? weight[s] * all / sum : 0) + (s == largest ? rest : 0);
    }
}

static void set_slots(struct context_slots *slots, unsigned symbols, const uint64_t *weight)
{
    training_slots(slots->start, CONTEXT_SYMBOLS_MAX + 1, symbols, weight);
}

static void set_row_frequencies(struct training *training)
{
    for (unsigned c = 0; c < ROW_CONTEXTS; c++) {
        uint64_t counts[ROW_KINDS];
        for (unsigned k = 0; k < ROW_KINDS; k++)
            counts[k] = 16 * (uint64_t)training->row_count[c][k] + 1;
        set_slots(&training->model->row[c], ROW_KINDS, counts);
    }
}

// Computes the frequencies of all contexts from `count`. Those of k neighbours are based on those of k - 1, which have
// the same digits without the highest one.
static int set_frequencies(struct training *training)
{
    struct context_model *model = training->model;
    const unsigned symbols = model->symbols;
    uint64_t *weight = calloc((size_t)model->contexts * symbols, 2 * sizeof *weight); // shares of FULL_SHARE
    uint64_t *longer = weight + (size_t)model->contexts * symbols;
    if (weight == NULL)
        return error_memory((size_t)model->contexts * symbols * 2 * sizeof *weight, "a model");
    for (unsigned s = 0; s < symbols; s++)
        weight[s] = FULL_SHARE / symbols;
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
                longer[c * symbols + s] =
                    (counts[s] * FULL_SHARE + PRIOR * weight[c % shorter * symbols + s]) / (sum + PRIOR);
        }
        memcpy(weight, longer, (size_t)contexts * symbols * sizeof *weight);
    }
    for (unsigned c = 0; c < model->contexts; c++)
        set_slots(&model->slots[c], symbols, weight + (size_t)c * symbols);
    free(weight);
    return 0;
}

// ---- planning the sample ----

size_t training_unit(const struct training *training, size_t unit)
{
    const struct context_sample *sample = training->sample;
    const unsigned units = context_units(sample->block);
    return unit / units * sample->block + unit % units * CONTEXT_UNIT;
}

static size_t unit_of(const struct training *training, struct context_unit *unit, size_t number)
{
    const struct context_sample *sample = training->sample;
    const size_t at = training_unit(training, number);
    const size_t left = sample->block - at % sample->block;
    const size_t length = left < CONTEXT_UNIT ? left : CONTEXT_UNIT;
    context_unit_load(training->model, unit, sample->symbols + at, training_given(training, number), length);
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
        const uint8_t *given = training_given(training, u);
        for (size_t row = 0; row * CONTEXT_ROW < training->length[u]; row++) {
            if (training->kind[u][row] != ROW_CODED || row_number++ % step != 0)
                continue;
            const size_t end = (row + 1) * CONTEXT_ROW;
            for (size_t i = row * CONTEXT_ROW; i < training->length[u] && i < end && training->places < most; i++) {
                if (given == NULL || given[i] != VACANT)
                    training->place[training->places++] = (uint32_t)(u * PIECE + CONTEXT_UNIT + i);
            }
        }
    }
    training->coded = training->sample->marked ? step * training->places : coded_rows * CONTEXT_ROW;
}

// ---- neighbours ----

uint64_t training_model_cost(const struct training *training, uint64_t bits)
{
    const struct context_sample *sample = training->sample;
    const uint64_t sampled = sample->block * sample->blocks;
    const uint64_t share = (training->coded << 8) / (training->places + 1) * (sample->symbols_in_all / sampled + 1);
    return (bits << (LOG2_BITS + 8)) / (share + 1);
}

// The bits, times 2^LOG2_BITS, that the listed symbols take with one more neighbour at `distance` (0: none), plus the
// bits of the model in proportion to the list.
static uint64_t cost_with(const struct training *training, unsigned distance)
{
    const struct context_model *model = training->model;
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
    return cost + training_model_cost(training, seen * (symbols - 1) * MODEL_BITS);
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
}

// One neighbour, the symbol before, which is likely to repeat.
static void simplest_model(struct training *training)
{
    struct context_model *model = training->model;
    choose_symbols(training);
    model->neighbours = 1;
    model->distance[0] = 1;
    model->contexts = model->symbols;
    for (unsigned c = 0; c < model->symbols; c++) {
        uint64_t weight[CONTEXT_SYMBOLS_MAX] = {1, 1, 1, 1, 1};
        weight[c] = 100;
        set_slots(&model->slots[c], model->symbols, weight);
    }
}

static uint16_t stored_distance(const struct context_sample *sample, unsigned sampled)
{
    unsigned i = 0;
    while (sample->candidate[i].sampled != sampled)
        i++;
    return (uint16_t)sample->candidate[i].stored;
}

// Counts the symbols of the planned sample and makes the frequencies of the model.
static int count_and_set(struct training *training)
{
    if (training->model->patterns != NULL) {
        pattern_count(training);
        TRY(pattern_set_frequencies(training));
    } else {
        count_symbols(training);
        TRY(set_frequencies(training));
    }
    set_row_frequencies(training);
    context_model_prepare(training->model);
    return 0;
}

static int train(struct training *training)
{
    struct context_model *model = training->model;
    const struct context_sample *sample = training->sample;
    size_t rows;
    size_t least = SIZE_MAX;
    unsigned copied = 0;
    if (sample->distances > 0)
        TRY(pattern_simplest_model(training));
    else
        simplest_model(training);
    set_row_frequencies(training); // all alike
    context_model_prepare(model);
    for (unsigned i = 0; i < sample->candidates; i++) {
        const struct context_candidate *candidate = &sample->candidate[i];
        if (candidate->sampled < CONTEXT_ROW || candidate->stored < CONTEXT_ROW)
            continue;
        model->copied = (uint16_t)candidate->sampled;
        plan(training, model->patterns != NULL ? 16 : 4, &rows);
        if (rows < least) {
            least = rows;
            copied = i;
        }
    }
    model->copied = (uint16_t)sample->candidate[copied].sampled;
    plan(training, 1, &rows);
    list_places(training, rows);
    if (model->patterns != NULL)
        TRY(pattern_choose_neighbours(training));
    else
        choose_neighbours(training);
    TRY(count_and_set(training));
    plan(training, 1, &rows);
    TRY(count_and_set(training));
    model->copied = stored_distance(sample, model->copied);
    for (unsigned n = 0; n < model->neighbours; n++)
        model->distance[n] = stored_distance(sample, model->distance[n]);
    if (model->patterns != NULL && !pattern_model_place(model))
        return error_set(CLTB_E_USAGE, "a neighbour is too near");
    context_model_prepare(model);
    return 0;
}

void training_put(uint8_t **at, const uint16_t *start, unsigned symbols)
{
    for (unsigned s = 0; s < symbols; s++, *at += 2) {
        const unsigned count = (unsigned)(start[s + 1] - start[s]);
        (*at)[0] = (uint8_t)count;
        (*at)[1] = (uint8_t)(count >> 8);
    }
}

// Writes a model of outcomes; returns its size.
static size_t write_raw(const struct context_model *model, uint8_t *raw)
{
    memset(raw, 0, CONTEXT_HEADER);
    raw[0] = (uint8_t)model->symbols;
    raw[1] = (uint8_t)model->neighbours;
    memcpy(raw + 2, model->symbol, sizeof model->symbol);
    uint8_t *at = raw + 2 + CONTEXT_SYMBOLS_MAX;
    for (unsigned n = 0; n <= model->neighbours; n++, at += 2) {
        const unsigned distance = n == 0 ? model->copied : model->distance[n - 1];
        at[0] = (uint8_t)distance;
        at[1] = (uint8_t)(distance >> 8);
    }
    at = raw + CONTEXT_HEADER;
    for (unsigned c = 0; c < ROW_CONTEXTS; c++)
        training_put(&at, model->row[c].start, ROW_KINDS);
    for (unsigned c = 0; c < model->contexts; c++)
        training_put(&at, model->slots[c].start, model->symbols);
    return (size_t)(at - raw);
}

static int write_model(const struct context_model *model, uint8_t **data, size_t *bytes)
{
    uint8_t *raw;
    const size_t most =
        model->patterns != NULL
            ? PATTERN_MODEL_MAX
            : CONTEXT_HEADER + 2 * (ROW_CONTEXTS * ROW_KINDS + (size_t)model->contexts * model->symbols);
    TRY(memory_new(&raw, most, 1, "a model"));
    const size_t size = model->patterns != NULL ? pattern_write_model(model, raw) : write_raw(model, raw);
    int code = memory_new(data, ZSTD_compressBound(size), 1, "a model");
    if (code == 0) {
        *bytes = ZSTD_compress(*data, ZSTD_compressBound(size), raw, size, MODEL_LEVEL);
        code = ZSTD_isError(*bytes) ? error_set(CLTB_E_MEMORY, "compression failed: a model") : 0;
    }
    free(raw);
    return code;
}

static size_t counts_of(const struct context_sample *sample)
{
    return sample->distances > 0 ? (size_t)(sample->paired ? GIVEN_MAX : 1) * PATTERN_COUNTS
                                 : (size_t)sample->contexts * CONTEXT_SYMBOLS_MAX;
}

size_t context_train_bytes(const struct context_sample *sample)
{
    return sample->blocks * context_units(sample->block) * (PIECE + CONTEXT_UNIT / CONTEXT_ROW + sizeof(size_t)) +
           2 * (size_t)sample->places * sizeof(uint32_t) +
           counts_of(sample) * (sizeof(uint32_t) + 2 * sizeof(uint64_t));
}

int context_train(struct context_model *model, const struct context_sample *sample, uint8_t **data, size_t *bytes)
{
    struct training training = {.sample = sample, .model = model};
    *model = (struct context_model){.slots = NULL};
    *data = NULL;
    training.units = sample->blocks * context_units(sample->block);
    model->slots = malloc((size_t)sample->contexts * sizeof *model->slots);
    training.space = malloc(training.units * PIECE);
    training.kind = malloc(training.units * sizeof *training.kind);
    training.length = malloc(training.units * sizeof *training.length);
    training.place = malloc(sample->places * sizeof *training.place);
    training.context = malloc(sample->places * sizeof *training.context);
    training.count = malloc(counts_of(sample) * sizeof *training.count);
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
