// context_train.c - the model of a stream, from a sample of its blocks
//
//     1. Don't-cares become the symbol before them. The distance of copied rows is the candidate from which most of the
//        rows that would have to be coded can be copied.
//     2. Neighbours are added as long as that pays: each time the candidate with which the symbols of coded rows have
//        the least entropy, the bytes of the larger model included.
//     3. With these frequencies the sample is planned again, as the encoder will do it, and counted again. A trial is
//        content with the first frequencies; its model can get others by this step alone, from a larger sample.
//
// A frequency is that of the context in the sample and, where the sample has few of it, of the context with one
// neighbour less. All of it is integer arithmetic, so that every machine makes the same model.
#include "table/write/context_encode.h"

#include "table/block_code.h"
#include "table/write/context_training.h"
#include "table/write/unit_plan.h"
#include "table/write/word_symbols.h"
#include "util/cloned.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { MODEL_LEVEL = 19, TRIAL_LEVEL = 3 };

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

// Plans a unit with a model; returns its length.
static size_t plan_unit(const struct training *training, const struct context_model *model, size_t number,
                        struct context_unit *unit)
{
    const struct context_sample *sample = training->sample;
    const size_t at = training_unit(training, number);
    const size_t left = sample->block - at % sample->block;
    const size_t length = left < CONTEXT_UNIT ? left : CONTEXT_UNIT;
    context_unit_load(model, unit, sample->symbols + at, training_given(training, number), NULL, length);
    (void)context_unit_plan(model, unit, length);
    return length;
}

static CLONED int keep_unit(void *context, uint64_t item, int worker)
{
    struct training *training = context;
    struct context_unit unit;
    (void)worker;
    training->length[item] = plan_unit(training, training->model, item, &unit);
    memcpy(training->space + item * PIECE, unit.space, PIECE);
    memcpy(training->kind[item], unit.kind, sizeof unit.kind);
    return 0;
}

// Plans all units with the current model; `*coded` is the number of coded rows.
static int plan(struct training *training, size_t *coded)
{
    TRY(threads_each(training->pool, training->units, keep_unit, training));
    *coded = 0;
    memset(training->row_count, 0, sizeof training->row_count);
    for (size_t u = 0; u < training->units; u++) {
        const uint8_t *kind = training->kind[u];
        for (unsigned row = 0; row * (size_t)CONTEXT_ROW < training->length[u]; row++) {
            training->row_count[context_of_row(kind, row)][kind[row]]++;
            *coded += kind[row] == ROW_CODED;
        }
    }
    return 0;
}

// Counts the coded rows of a unit that could be copied, by candidate.
static CLONED int count_copies(void *context, uint64_t item, int worker)
{
    struct training *training = context;
    const struct context_sample *sample = training->sample;
    struct context_unit unit;
    const size_t length = plan_unit(training, training->model, item, &unit);
    (void)worker;
    memset(training->copies[item], 0, sizeof training->copies[item]);
    for (size_t at = 0; at < length; at += CONTEXT_ROW) {
        if (unit.kind[at / CONTEXT_ROW] != ROW_CODED)
            continue;
        for (unsigned i = 0; i < sample->candidates; i++) {
            const unsigned distance = sample->candidate[i];
            if (distance >= CONTEXT_ROW && context_row_copies(training->model, &unit, at, distance))
                training->copies[item][i]++;
        }
    }
    return 0;
}

// Meanwhile only the zeros before a unit are copied.
static int choose_copied(struct training *training)
{
    const struct context_sample *sample = training->sample;
    uint64_t copies[CONTEXT_CANDIDATES] = {0};
    unsigned best = 0;
    training->model->copied = CONTEXT_UNIT;
    TRY(threads_each(training->pool, training->units, count_copies, training));
    for (size_t u = 0; u < training->units; u++) {
        for (unsigned i = 0; i < sample->candidates; i++)
            copies[i] += training->copies[u][i];
    }
    for (unsigned i = 1; i < sample->candidates; i++) {
        if (sample->candidate[i] >= CONTEXT_ROW && (sample->candidate[best] < CONTEXT_ROW || copies[i] > copies[best]))
            best = i;
    }
    training->model->copied = sample->candidate[best];
    return 0;
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

struct choice {
    struct training *training;
    int (*work)(void *context, uint64_t item, int worker);
    const uint8_t *candidate; // [items]
};

static int try_candidate(void *context, uint64_t item, int worker)
{
    const struct choice *choice = context;
    return choice->work(choice->training, choice->candidate[item], worker);
}

int training_choose(struct training *training, int (*work)(void *context, uint64_t item, int worker), bool all,
                    uint64_t *least, const uint16_t **best)
{
    enum { AT_ONCE = 4, PART = 8 };
    const unsigned candidates = training->sample->candidates;
    const unsigned at_once = all ? candidates : AT_ONCE;
    const uint64_t before = *least;
    uint8_t sorted[CONTEXT_CANDIDATES];
    if (all)
        memset(training->gain, 0xff, sizeof training->gain);
    for (unsigned i = 0; i < candidates; i++) { // sorts them by what they saved, the most first
        unsigned place = i;
        for (; place > 0 && training->gain[sorted[place - 1]] < training->gain[i]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = (uint8_t)i;
    }
    *best = NULL;
    for (unsigned first = 0; first < candidates && training->gain[sorted[first]] > (before - *least) / PART;
         first += at_once) {
        const struct choice choice = {training, work, sorted + first};
        const unsigned count = candidates - first < at_once ? candidates - first : at_once;
        TRY(threads_each(training->pool, count, try_candidate, (void *)&choice));
        for (unsigned i = first; i < first + count; i++) {
            const uint64_t cost = training->cost[sorted[i]];
            training->gain[sorted[i]] = cost < before ? before - cost : 0;
            if (cost < *least) {
                *least = cost;
                *best = &training->sample->candidate[sorted[i]];
            }
        }
    }
    return 0;
}

// The bits, times 2^LOG2_BITS, that the listed symbols take with one more neighbour at `distance` (0: none), plus the
// bits of the model in proportion to the list.
static CLONED uint64_t cost_with(const struct training *training, unsigned distance, uint32_t *count)
{
    const struct context_model *model = training->model;
    const unsigned symbols = model->symbols;
    const size_t contexts = (size_t)model->contexts * (distance > 0 ? symbols : 1);
    const size_t cells = contexts * symbols;
    const unsigned times = distance > 0 ? model->contexts * symbols : 0; // the neighbour's share of a cell
    const size_t apart = 2 * cells <= training->counts ? cells : 0;      // of two arrays, as in pattern_train.c
    memset(count, 0, (cells + apart) * sizeof *count);
    for (size_t i = 0; i < training->places;) {
        const uint32_t *cell = training->cell + i;
        const uint32_t *place = training->place + i;
        const uint8_t *at = training->space + place[0] - distance;
        if (training->places - i < CONTEXT_ROW || place[CONTEXT_ROW - 1] - place[0] != CONTEXT_ROW - 1) {
            count[cell[0] + at[0] * times]++;
            i++;
            continue;
        }
        uint32_t row[CONTEXT_ROW];
        for (unsigned n = 0; n < CONTEXT_ROW; n++)
            row[n] = cell[n] + at[n] * times;
        for (unsigned n = 0; n < CONTEXT_ROW; n += 2) {
            count[row[n]]++;
            count[row[n + 1] + apart]++;
        }
        i += CONTEXT_ROW;
    }
    uint64_t cost = 0;
    uint64_t seen = 0;
    for (size_t c = 0; c < cells; c += symbols) {
        uint64_t sum = 0;
        for (unsigned s = 0; s < symbols; s++) {
            const uint64_t n = count[c + s] + (apart > 0 ? count[c + s + apart] : 0);
            sum += n;
            cost -= n * log2_fixed(n);
        }
        cost += sum * log2_fixed(sum);
        seen += sum > 0;
    }
    return cost + training_model_cost(training, seen * (symbols - 1) * MODEL_BITS);
}

static CLONED int try_neighbour(void *context, uint64_t item, int worker)
{
    struct training *training = context;
    training->cost[item] = cost_with(training, training->sample->candidate[item], training_counts(training, worker));
    return 0;
}

static int choose_neighbours(struct training *training)
{
    struct context_model *model = training->model;
    const struct context_sample *sample = training->sample;
    model->neighbours = 0;
    model->contexts = 1;
    for (size_t i = 0; i < training->places; i++)
        training->cell[i] = training->space[training->place[i]];
    uint64_t least = cost_with(training, 0, training->count);
    while (model->neighbours < CONTEXT_NEIGHBOURS_MAX && model->contexts * model->symbols <= sample->contexts) {
        const uint16_t *best;
        TRY(training_choose(training, try_neighbour, model->neighbours < LEVELS_OF_ALL, &least, &best));
        if (best == NULL)
            return 0;
        for (size_t i = 0; i < training->places; i++)
            training->cell[i] += training->space[training->place[i] - *best] * model->contexts * model->symbols;
        model->distance[model->neighbours++] = *best;
        model->contexts *= model->symbols;
    }
    return 0;
}

// Counts the symbols of a unit's coded rows.
static CLONED void count_unit(const struct training *training, size_t number, uint32_t *count)
{
    const struct context_model *model = training->model;
    const uint8_t *index = training->space + number * PIECE + CONTEXT_UNIT;
    struct context_neighbour neighbour[CONTEXT_NEIGHBOURS_MAX];
    unsigned weight = 1;
    for (unsigned n = 0; n < model->neighbours; n++, weight *= model->symbols)
        neighbour[n] = (struct context_neighbour){model->distance[n], (uint16_t)weight};
    for (size_t at = 0; at < training->length[number]; at += CONTEXT_ROW) {
        uint16_t context[CONTEXT_ROW] = {0};
        if (training->kind[number][at / CONTEXT_ROW] != ROW_CODED)
            continue;
        context_add(neighbour, model->neighbours, index + at, context);
        for (size_t i = 0; i < CONTEXT_ROW && at + i < training->length[number]; i++)
            count[context[i] * model->symbols + index[at + i]]++;
    }
}

// Each worker counts its units.
static int count_units(void *context, uint64_t item, int worker)
{
    const struct training *training = context;
    uint32_t *count = training_counts(training, worker);
    if (training->model->patterns != NULL)
        pattern_count(training, item, count);
    else
        count_unit(training, item, count);
    return 0;
}

// Counts the symbols of all coded rows of the sample.
static int count_symbols(struct training *training)
{
    const int workers = threads_count(training->pool);
    memset(training->count, 0, training->counts * (size_t)workers * sizeof *training->count);
    TRY(threads_each(training->pool, training->units, count_units, training));
    for (int worker = 1; worker < workers; worker++) {
        const uint32_t *more = training_counts(training, worker);
        for (size_t i = 0; i < training->counts; i++)
            training->count[i] += more[i];
    }
    return 0;
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

// Counts the symbols of the planned sample and makes the frequencies of the model.
static int count_and_set(struct training *training)
{
    TRY(count_symbols(training));
    TRY(training->model->patterns != NULL ? pattern_set_frequencies(training) : set_frequencies(training));
    set_row_frequencies(training);
    context_model_prepare(training->model);
    return 0;
}

static int plan_and_count(struct training *training)
{
    size_t rows;
    TRY(plan(training, &rows));
    return count_and_set(training);
}

static int train(struct training *training)
{
    struct context_model *model = training->model;
    const struct context_sample *sample = training->sample;
    size_t rows;
    if (sample->distances > 0)
        TRY(pattern_simplest_model(training));
    else
        simplest_model(training);
    set_row_frequencies(training); // all alike
    context_model_prepare(model);
    TRY(choose_copied(training));
    TRY(plan(training, &rows));
    list_places(training, rows);
    TRY(model->patterns != NULL ? pattern_choose_neighbours(training) : choose_neighbours(training));
    TRY(count_and_set(training));
    if (!sample->trial)
        TRY(plan_and_count(training));
    return 0;
}

static int train_again(struct training *training)
{
    context_model_prepare(training->model);
    return plan_and_count(training);
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

static int write_model(const struct context_model *model, int level, uint8_t **data, size_t *bytes)
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
        *bytes = ZSTD_compress(*data, ZSTD_compressBound(size), raw, size, level);
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

size_t context_train_bytes(const struct context_sample *sample, int threads)
{
    return sample->blocks * context_units(sample->block) *
               (PIECE + CONTEXT_UNIT / CONTEXT_ROW + CONTEXT_CANDIDATES + sizeof(size_t)) +
           2 * (size_t)sample->places * sizeof(uint32_t) +
           counts_of(sample) * ((size_t)threads * sizeof(uint32_t) + 2 * sizeof(uint64_t));
}

// Does the work with the memory that it needs, and writes the model.
static int make(int (*work)(struct training *training), struct context_model *model,
                const struct context_sample *sample, struct thread_pool *pool, uint8_t **data, size_t *bytes)
{
    struct training training = {.sample = sample, .model = model, .pool = pool, .counts = counts_of(sample)};
    *data = NULL;
    training.units = sample->blocks * context_units(sample->block);
    const size_t bytes_needed = context_train_bytes(sample, threads_count(pool));
    uint8_t *memory = malloc(bytes_needed);
    int code = CLTB_E_MEMORY;
    if (model->slots == NULL || memory == NULL) {
        error_memory(bytes_needed, "a sample of the table");
    } else { // in the order of their alignment
        training.length = (size_t *)(void *)memory;
        training.place = (uint32_t *)(training.length + training.units);
        training.cell = training.place + sample->places;
        training.count = training.cell + sample->places;
        training.space = (uint8_t *)(training.count + training.counts * (size_t)threads_count(pool));
        training.kind = (uint8_t(*)[CONTEXT_UNIT / CONTEXT_ROW])(training.space + training.units * PIECE);
        training.copies = (uint8_t(*)[CONTEXT_CANDIDATES])(training.kind + training.units);
        code = work(&training);
    }
    THEN(code, write_model(model, sample->trial ? TRIAL_LEVEL : MODEL_LEVEL, data, bytes));
    free(memory);
    if (code != 0) {
        context_model_free(model);
        free(*data);
        *data = NULL;
    }
    return code;
}

int context_train(struct context_model *model, const struct context_sample *sample, struct thread_pool *pool,
                  uint8_t **data, size_t *bytes)
{
    *model = (struct context_model){.slots = malloc((size_t)sample->contexts * sizeof *model->slots)};
    return make(train, model, sample, pool, data, bytes);
}

int context_train_again(struct context_model *model, const struct context_sample *sample, struct thread_pool *pool,
                        uint8_t **data, size_t *bytes)
{
    return make(train_again, model, sample, pool, data, bytes);
}
