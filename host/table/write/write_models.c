// write_models.c - models for the orders of a stream (search.h)
//
// Of the orders that are left in the end, each gets a model from half of a sample, and the smallest other half wins.
// Its model keeps the neighbours and gets its frequencies from a larger sample; with --best that makes a new model. One
// thread makes the frequencies of outcomes, much of which cannot be shared out, while the others search the next order.
//
// Outcomes and distances of one side to move are a pair if they have the same order: what is stored as the outcome of
// a position then divides the contexts of its distance. That pays for distances to mate, of which few are don't-cares;
// for the others it is tried in large tables and with `--best`.
#include "table/write/search.h"

#include "index/vacant.h"
#include "table/pattern_code.h"
#include "table/write/block_symbols.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/saturate.h"

#include <stdlib.h>
#include <string.h>

enum {
    // Models are made from as many units as these, all over the sample, but not from more than a part of the stream.
    MODEL_UNITS = 512,
    DISTANCE_UNITS = 256,
    MATE_UNITS = 1024, // of distances to mate or to conversion
    BEST_UNITS = 2048, // with --best
    LARGE_TIMES = 2,   // as many units for a large table
    MODEL_PART = 3,
    MODEL_PLACES = 100000, // symbols by which contexts are chosen
    BEST_PLACES = 1000000,
    MODEL_CONTEXTS = 4096,        // contexts, at most
    MORE_CONTEXTS = CONTEXTS_MAX, // of large tables, and with --best
    COMPARED_BLOCKS = 16,         // by which codecs and pairs are compared
    PAIR_PART = 16                // of a large table's streams: pairs must save so much
};

// The samples by which orders are compared.
static const struct trial {
    unsigned units; // of each order, but not more than a part of the stream
    unsigned part;
    uint32_t places;
} trials[EFFORTS] = {{192, 8, 25000}, {576, 8, 50000}, {1024, 2, 50000}};

// A distance of places is a candidate if it is within reach and new.
static void add_candidate(struct context_sample *sample, uint64_t distance)
{
    bool known = distance > CONTEXT_UNIT || sample->candidates == CONTEXT_CANDIDATES;
    for (unsigned i = 0; i < sample->candidates; i++)
        known |= sample->candidate[i] == distance;
    if (!known)
        sample->candidate[sample->candidates++] = (uint16_t)distance;
}

// Candidates are the same man some squares away, and this combined with the men of the next two groups a file or a rank
// away.
static void add_candidates(struct context_sample *sample, const struct entry_order *order)
{
    static const uint8_t near[] = {1, 8, 2, 7, 9, 16, 3, CONTEXT_ROW};
    static const struct {
        uint8_t times;
        int8_t more;
    } far[] = {{1, 0}, {8, 0}, {1, 1}, {1, 8}, {1, -1}, {1, -8}, {2, 0}, {7, 0}, {9, 0}, {16, 0}};
    for (size_t i = 0; i < sizeof near; i++)
        add_candidate(sample, near[i]);
    for (int g = order->groups - 2; g >= 0 && g >= order->groups - 3; g--) {
        for (size_t i = 0; i < sizeof far / sizeof far[0]; i++)
            add_candidate(sample, far[i].times * order->group[g].stride + (uint64_t)(int64_t)far[i].more);
    }
}

// The copying of a sample's blocks in an order, the same number from each piece.
struct gathering {
    struct search *search;
    const struct context_sample *sample;
    struct entry_order order; // of the section
    struct entry_digits digits;
    uint64_t section; // of the sample
    const uint8_t *symbols;
    uint64_t each;  // blocks of a piece
    uint8_t *to;    // for the symbols of these blocks
    uint8_t *given; // for the marks of their vacant entries, or NULL
};

static int gather_one(void *context, uint64_t item, int worker)
{
    const struct gathering *gathering = context;
    const struct search *search = gathering->search;
    const size_t block = gathering->sample->block;
    const uint64_t blocks = gathering->order.per_section / block;
    const uint64_t at = somewhere(item, blocks, gathering->each, gathering->section) * block;
    const size_t place = item * block;
    (void)worker;
    gather_block(&gathering->digits, gathering->symbols, 1, at, block, gathering->to + place);
    if (gathering->given != NULL)
        entry_mark_vacant(&gathering->order, search->stream->side, search->sample->section[gathering->section], at,
                          block, VACANT, gathering->given + place);
    return 0;
}

static int gather_model_blocks(struct search *search, const uint8_t *choice, const struct context_sample *sample,
                               uint8_t *to, uint8_t *given)
{
    int piece[ENTRY_GROUPS_MAX * SAMPLES_MAX];
    const int pieces = pieces_of_order(search, choice, piece);
    struct gathering gathering = {
        .search = search, .sample = sample, .each = sample->blocks / (uint64_t)pieces, .to = to, .given = given};
    for (int i = 0; i < pieces; i++) {
        gathering.section = (uint64_t)(piece[i] % search->sample->sections);
        gathering.order = sampled_order(search, choice, piece[i]);
        gathering.digits = section_digits(&gathering.order, &search->sample->natural[piece[i]], choice);
        TRY(hold_piece(search, piece[i], &gathering.symbols));
        TRY(threads_each(search->pool, gathering.each, gather_one, &gathering));
        gathering.to += gathering.each * sample->block;
        gathering.given += given == NULL ? 0 : gathering.each * sample->block;
    }
    return 0;
}

static uint64_t compared_symbols(enum effort effort)
{
    return UINT64_C(1) << (effort == EFFORT_USUAL ? BLOCK_BITS : LARGE_BLOCK_BITS);
}

static uint64_t units_of_model(enum effort effort, enum table_kind kind, int metric)
{
    const uint64_t units = kind == TABLE_OUTCOME ? MODEL_UNITS : metric == METRIC_DTZ ? DISTANCE_UNITS : MATE_UNITS;
    return effort == EFFORT_BEST ? BEST_UNITS : effort == EFFORT_LARGE ? LARGE_TIMES * units : units;
}

static unsigned contexts_of_model(enum effort effort)
{
    return effort == EFFORT_USUAL ? MODEL_CONTEXTS : MORE_CONTEXTS;
}

// The size of a sample of so many blocks of some pieces, whose order is `sampled`, or of a part of the stream's
// `entries` if that is less. `distances`: their number, or 0 for outcomes.
static struct context_sample model_sample(const struct entry_order *sampled, uint64_t entries, uint64_t pieces,
                                          uint64_t block, uint64_t blocks, unsigned part, enum effort effort,
                                          unsigned distances)
{
    const bool best = effort == EFFORT_BEST;
    struct context_sample sample = {.block = sampled->per_section < block ? sampled->per_section : block,
                                    .distances = distances,
                                    .contexts = distances > 0 ? 1 : contexts_of_model(effort),
                                    .places = best ? BEST_PLACES : MODEL_PLACES,
                                    .symbols_in_all = entries};
    const uint64_t enough = sample.symbols_in_all / part / sample.block;
    const uint64_t wanted = blocks < enough ? blocks : enough;
    const uint64_t each = wanted > pieces ? wanted / pieces : 1;
    const uint64_t all = sampled->per_section / sample.block;
    sample.blocks = pieces * (all < each ? all : each);
    return sample;
}

// A sample of so many blocks, and at most a part of the stream, in an order of the search; its symbols are malloc'ed.
static int take_sample(struct search *search, const uint8_t *choice, uint64_t block, uint64_t blocks, unsigned part,
                       struct context_sample *sample)
{
    const struct content *content = &search->writer->content;
    const struct stream *stream = search->stream;
    int piece[ENTRY_GROUPS_MAX * SAMPLES_MAX];
    const int pieces = pieces_of_order(search, choice, piece);
    const struct entry_order order = sampled_order(search, choice, piece[0]);
    const struct ply_lists *lists = stream->listed ? &search->writer->lists[stream->side] : NULL;
    const int longest = content->longest_kept[stream->side];
    unsigned distances = stream->kind == TABLE_OUTCOME ? 0 : longest < 0 || lists != NULL ? 1 : (unsigned)longest + 1;
    for (int i = 0; lists != NULL && i < TABLE_OUTCOMES; i++)
        distances = lists->count[i] > distances ? lists->count[i] : distances;
    *sample = model_sample(&order, search->entries, (uint64_t)pieces, block, blocks, part, search->effort, distances);
    sample->lists = lists;
    add_candidates(sample, &order);
    sample->occurs[CLTB_LOSS + 2] = sample->occurs[CLTB_DRAW + 2] = true;
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        sample->occurs[i] |= content->longest[stream->side][i] >= 0;
    uint8_t *symbols;
    uint8_t *given = NULL;
    TRY(memory_new(&symbols, sample->blocks, sample->block, "a sample of the table"));
    sample->symbols = symbols;
    if (stream->kind == TABLE_DISTANCE) {
        TRY(memory_new(&given, sample->blocks, sample->block, "a sample of the table"));
        memset(given, 0, sample->blocks * sample->block);
        sample->given = given;
        sample->marked = true;
    }
    return gather_model_blocks(search, choice, sample, symbols, given);
}

static void free_sample(struct context_sample *sample)
{
    free((void *)(uintptr_t)sample->symbols);
    free((void *)(uintptr_t)sample->given);
    sample->symbols = sample->given = NULL;
}

struct coding {
    const struct search *search;
    const struct stream *stream;       // of zstd's blocks
    const struct context_model *model; // NULL: by zstd
    const struct context_sample *sample;
    uint8_t *stored; // or NULL
    _Atomic uint64_t bytes;
};

static int code_block(void *context, uint64_t item, int worker)
{
    struct coding *coding = context;
    const struct context_sample *sample = coding->sample;
    const size_t block = sample->block;
    const size_t at = item * block;
    size_t bytes = 0;
    uint8_t *coded;
    int code;
    TRY(memory_new(&coded, coding->model != NULL ? context_bound(block) : block + container_bound(block), 1,
                   "a sample of the table"));
    if (coding->model != NULL) {
        code = context_encode(coding->model, sample->symbols + at, sample->given != NULL ? sample->given + at : NULL,
                              NULL, block, coding->stored != NULL ? coding->stored + at : NULL, coded, &bytes);
    } else {
        struct container_compressor *compressor = coding->search->writer->compressor[worker];
        memcpy(coded, sample->symbols + at, block);
        dont_care_fill(coding->stream->kind, 1, coded, block);
        container_compressor_level(compressor, coding->stream->level);
        code = container_compress(compressor, coded, block, coded + block, &bytes);
        container_compressor_level(compressor, WRITE_SAMPLE_LEVEL);
    }
    free(coded);
    atomic_fetch_add(&coding->bytes, bytes);
    return code;
}

// The bytes of a sample and its part of the model. The sample's don't-cares remain, unless `store`: then it becomes
// what is stored.
static int sample_bytes(const struct search *search, const struct context_model *model, size_t model_bytes,
                        const struct context_sample *sample, bool store, uint64_t *bytes)
{
    struct coding coding = {
        .model = model, .sample = sample, .stored = store ? (uint8_t *)(uintptr_t)sample->symbols : NULL};
    const int code = threads_each(search->pool, sample->blocks, code_block, &coding);
    *bytes = model_bytes * sample->block * sample->blocks / sample->symbols_in_all + atomic_load(&coding.bytes);
    return code;
}

// Drops the model of a stream if zstd makes fewer bytes of the sample: where identical men have numbers in place of
// squares, it finds more that repeats.
static int compare_codecs(struct search *search, struct stream *stream, const struct context_sample *sample)
{
    struct coding by_zstd = {.search = search, .stream = stream, .sample = sample};
    uint64_t with_model;
    TRY(sample_bytes(search, &stream->model, stream->model_bytes, sample, false, &with_model));
    TRY(threads_each(search->pool, sample->blocks, code_block, &by_zstd));
    if (atomic_load(&by_zstd.bytes) < with_model)
        stream_drop_model(stream);
    return 0;
}

static int make_frequencies(void *context)
{
    struct model_work *work = context;
    struct stream *stream = work->stream;
    const int code =
        context_train_again(&stream->model, &work->sample, work->pool, &stream->model_data, &stream->model_bytes);
    free_sample(&work->sample);
    return code;
}

// Makes the model for the best order.
int make_model(struct search *search, struct stream *stream, struct model_work *work)
{
    const bool best = search->effort == EFFORT_BEST;
    struct context_sample sample = {0};
    int code = take_sample(search, search->choice[0], CONTEXT_UNIT,
                           units_of_model(search->effort, stream->kind, search->writer->content.material->metric),
                           MODEL_PART, &sample);
    if (code == 0 && best) {
        code = context_train(&stream->model, &sample, search->pool, &stream->model_data, &stream->model_bytes);
    } else if (code == 0) {
        stream->model = search->trial[0];
        search->trial[0] = (struct context_model){.slots = NULL};
        work->pool = search->pool;
        work->stream = stream;
        work->sample = sample;
        sample = (struct context_sample){0};
        // With a limit there may be no memory for more than one sample at a time.
        if (stream->kind == TABLE_OUTCOME && threads_count(search->pool) > 1 && search->writer->options->memory == 0 &&
            threads_begin_beside(search->pool)) {
            work->pool = NULL;
            behind_begin(&work->behind, make_frequencies, work);
        } else {
            code = make_frequencies(work);
        }
    }
    free_sample(&sample);
    if (code != 0 || stream->kind == TABLE_OUTCOME || stream->listed) // zstd would take two bytes a symbol
        return code;
    code =
        take_sample(search, search->choice[0], compared_symbols(search->effort), COMPARED_BLOCKS, MODEL_PART, &sample);
    THEN(code, compare_codecs(search, stream, &sample));
    free_sample(&sample);
    return code;
}

// Copies every other block of a sample, from number `first` on, and after them what is given with each.
static void copy_half(const struct context_sample *sample, size_t first, uint8_t *to)
{
    const size_t half = (sample->blocks + 1) / 2 * sample->block;
    for (size_t i = 0; i < sample->blocks; i += 2, to += sample->block) {
        const size_t from = (i + first < sample->blocks ? i + first : i) * sample->block;
        memcpy(to, sample->symbols + from, sample->block);
        if (sample->given != NULL)
            memcpy(to + half, sample->given + from, sample->block);
    }
}

// Makes a model for an order from every other unit of a small sample, and finds the bytes of the other ones with it.
static int try_model(struct search *search, int order, const struct context_sample *sample, uint32_t places)
{
    struct context_model *model = &search->trial[order];
    struct context_sample half = *sample;
    uint8_t *symbols;
    uint8_t *data = NULL;
    size_t bytes;
    uint64_t sum = 0;
    half.blocks = (sample->blocks + 1) / 2;
    half.places = places;
    half.trial = true;
    TRY(memory_new(&symbols, 2 * half.blocks, half.block, "a sample of the table"));
    half.symbols = symbols;
    if (sample->given != NULL)
        half.given = symbols + half.blocks * half.block;
    copy_half(sample, 0, symbols);
    int code = context_train(model, &half, search->pool, &data, &bytes);
    copy_half(sample, 1, symbols);
    count_symbols(search, order, symbols, half.blocks * half.block);
    THEN(code, sample_bytes(search, model, bytes, &half, false, &sum));
    search->bytes[order] = sum;
    if (order == 0)                                              // it is the same for all, and other threads try these
        search->least = half.blocks * context_units(half.block); // a byte each
    free(symbols);
    free(data);
    return code;
}

static uint64_t sample_memory(const struct context_sample *sample)
{
    return (uint64_t)sample->blocks * sample->block * (sample->marked ? 2 : 1);
}

// What the trial of one order takes.
static uint64_t trial_bytes(const struct entry_order *sampled, uint64_t entries, uint64_t sections, enum effort effort,
                            int threads)
{
    const struct trial *trial = &trials[effort];
    struct context_sample sample =
        model_sample(sampled, entries, sections, CONTEXT_UNIT, trial->units, trial->part, effort, 1);
    sample.marked = true;
    const uint64_t whole = sample_memory(&sample);
    sample.blocks = (sample.blocks + 1) / 2;
    sample.places = trial->places;
    return whole + sample_memory(&sample) + context_train_bytes(&sample, threads);
}

static int try_order(void *context, uint64_t order, int worker)
{
    struct search *search = context;
    const struct trial *trial = &trials[search->effort];
    struct context_sample sample = {0};
    (void)worker;
    int code = take_sample(search, search->choice[order], CONTEXT_UNIT, trial->units, trial->part, &sample);
    THEN(code, try_model(search, (int)order, &sample, trial->places));
    free_sample(&sample);
    return code;
}

// Can each thread try an order by itself?
static bool tries_apart(const struct search *search)
{
    const struct writer *writer = search->writer;
    const int threads = threads_count(writer->pool);
    if (threads > search->orders || !search->all)
        return false;
    const uint64_t bytes =
        trial_bytes(search->sample->natural, search->entries, (uint64_t)search->sample->sections, search->effort, 1);
    return u64_sum(writer->symbol_room, (uint64_t)threads * bytes) <= u64_sum(writer->room, writer->room_waiting);
}

// A few threads try one order each, since the training of a model has many short jobs. Many threads, and those without
// memory for so many samples, try one order after another together.
int try_models(struct search *search)
{
    struct thread_pool *pool = search->writer->pool;
    const bool apart = tries_apart(search);
    const int orders = search->orders;
    TRY(memory_new(&search->trial, (size_t)orders, sizeof *search->trial, "a model"));
    memset(search->trial, 0, (size_t)orders * sizeof *search->trial);
    search->trials = orders;
    if (apart) {
        const uint8_t *unused; // the sample is made before the threads
        TRY(hold_piece(search, 0, &unused));
        search->pool = NULL;
    }
    const int code = threads_each(apart ? pool : NULL, (uint64_t)search->orders, try_order, search);
    search->pool = pool;
    keep_best(search, 1);
    return code;
}

// ---- pairs ----

// Are pairs tried?
static bool tries_pairs(enum effort effort, int metric)
{
    return effort != EFFORT_USUAL || metric != METRIC_DTZ;
}

bool pair_possible(const struct writer *writer, const struct stream *outcome, const struct stream *distance)
{
    return tries_pairs(effort_of(&distance->order, writer->options->best), writer->content.material->metric) &&
           outcome->model_data != NULL && distance->model_data != NULL;
}

// The samples of one stream: for its model, for the model of the distances, and to compare.
struct samples {
    struct context_sample own;
    struct context_sample model;
    struct context_sample compared;
};

static void free_samples(struct samples *samples)
{
    free_sample(&samples->own);
    free_sample(&samples->model);
    free_sample(&samples->compared);
}

// Adds the bytes of the compared sample with the stream as it is, in its own order.
static int add_bytes_alone(struct search *search, const struct stream *stream, uint64_t block, uint64_t *bytes)
{
    struct context_sample sample = {0};
    uint64_t more = 0;
    int code = take_sample(search, stream->choice, block, COMPARED_BLOCKS, MODEL_PART, &sample);
    THEN(code, sample_bytes(search, &stream->model, stream->model_bytes, &sample, false, &more));
    *bytes += more;
    free_sample(&sample);
    return code;
}

// Makes the outcomes in an order, and notes how they are stored.
static int pair_outcomes(struct search *search, const uint8_t *choice, uint64_t block, struct stream *made,
                         struct samples *samples, uint64_t *bytes)
{
    const int metric = search->writer->content.material->metric;
    uint64_t unused;
    TRY(take_sample(search, choice, CONTEXT_UNIT, units_of_model(search->effort, TABLE_OUTCOME, metric), MODEL_PART,
                    &samples->own));
    TRY(context_train(&made->model, &samples->own, search->pool, &made->model_data, &made->model_bytes));
    TRY(take_sample(search, choice, CONTEXT_UNIT, units_of_model(search->effort, TABLE_DISTANCE, metric), MODEL_PART,
                    &samples->model));
    TRY(take_sample(search, choice, block, COMPARED_BLOCKS, MODEL_PART, &samples->compared));
    TRY(sample_bytes(search, &made->model, made->model_bytes, &samples->model, true, &unused));
    return sample_bytes(search, &made->model, made->model_bytes, &samples->compared, true, bytes);
}

// Adds the outcomes to what is given with a sample of distances.
static void give_outcomes(struct context_sample *sample, const struct context_sample *outcomes)
{
    uint8_t *given = (uint8_t *)(uintptr_t)sample->given;
    for (size_t i = 0; i < sample->blocks * sample->block; i++)
        given[i] = given[i] == VACANT ? VACANT : outcomes->symbols[i];
    sample->paired = true;
}

// Makes the distances in an order, with the outcomes of `given`.
static int pair_distances(struct search *search, const uint8_t *choice, uint64_t block, const struct samples *given,
                          struct stream *made, struct samples *samples, uint64_t *bytes)
{
    const int metric = search->writer->content.material->metric;
    uint64_t with_outcomes;
    TRY(take_sample(search, choice, CONTEXT_UNIT, units_of_model(search->effort, TABLE_DISTANCE, metric), MODEL_PART,
                    &samples->model));
    TRY(take_sample(search, choice, block, COMPARED_BLOCKS, MODEL_PART, &samples->compared));
    give_outcomes(&samples->model, &given->model);
    give_outcomes(&samples->compared, &given->compared);
    samples->model.outcomes = (unsigned)made->side;
    TRY(context_train(&made->model, &samples->model, search->pool, &made->model_data, &made->model_bytes));
    TRY(sample_bytes(search, &made->model, made->model_bytes, &samples->compared, false, &with_outcomes));
    *bytes += with_outcomes;
    return 0;
}

int make_pair(struct search *of_outcomes, struct search *of_distances, struct stream *outcome, struct stream *distance)
{
    const enum effort effort = of_distances->effort;
    const uint64_t block = compared_symbols(effort);
    const uint8_t *choice = distance->choice;
    struct samples outcomes = {.own = {0}};
    struct samples distances = {.own = {0}};
    struct stream new_outcome = *outcome;
    struct stream new_distance = *distance;
    uint64_t alone = 0;
    uint64_t paired = 0;
    new_outcome.model_data = new_distance.model_data = NULL;
    new_outcome.model = new_distance.model = (struct context_model){.slots = NULL};
    new_distance.paired = true;
    memcpy(new_outcome.choice, choice, sizeof new_outcome.choice);
    new_outcome.order = distance->order;
    int code = add_bytes_alone(of_outcomes, outcome, block, &alone);
    THEN(code, pair_outcomes(of_outcomes, choice, block, &new_outcome, &outcomes, &paired));
    THEN(code, add_bytes_alone(of_distances, distance, block, &alone));
    THEN(code, pair_distances(of_distances, choice, block, &outcomes, &new_distance, &distances, &paired));
    // A probe of the distance then decodes two units: the pair has to be worth it.
    const bool mate = of_distances->writer->content.material->metric != METRIC_DTZ;
    const uint64_t least = effort == EFFORT_LARGE && !mate ? alone / PAIR_PART : 0;
    const bool good = code == 0 && paired < alone - least;
    stream_drop_model(good ? outcome : &new_outcome);
    stream_drop_model(good ? distance : &new_distance);
    if (good) {
        *outcome = new_outcome;
        *distance = new_distance;
    }
    free_samples(&outcomes);
    free_samples(&distances);
    return code;
}

// ---- memory ----

struct memory_need models_need(const struct sample *sample, const struct entry_order *order, bool best, int threads,
                               int trials_at_once, uint64_t *kept)
{
    const struct entry_order *sampled = sample->natural; // the one with the largest pieces
    const uint64_t entries = order->sections * order->per_section;
    const uint64_t sections = (uint64_t)sample->sections;
    for (int i = 0; i < sample_pieces(sample); i++)
        sampled = sample->natural[i].per_section > sampled->per_section ? &sample->natural[i] : sampled;
    const enum effort effort = effort_of(order, best);
    const uint64_t block = compared_symbols(effort);
    const int metric = order->material.metric;
    const struct context_sample outcomes = model_sample(
        sampled, entries, sections, CONTEXT_UNIT, units_of_model(effort, TABLE_OUTCOME, metric), MODEL_PART, effort, 0);
    struct context_sample distances =
        model_sample(sampled, entries, sections, CONTEXT_UNIT, units_of_model(effort, TABLE_DISTANCE, metric),
                     MODEL_PART, effort, 1);
    struct context_sample compared =
        model_sample(sampled, entries, sections, block, COMPARED_BLOCKS, MODEL_PART, effort, 1);
    const uint64_t of_outcomes = sample_memory(&outcomes) + sample_memory(&distances) + sample_memory(&compared);
    distances.marked = compared.marked = true;
    uint64_t bytes = u64_larger(trial_bytes(sampled, entries, sections, effort, threads),
                                sample_memory(&outcomes) + context_train_bytes(&outcomes, threads));
    distances.paired = true;
    if (tries_pairs(effort, metric))
        bytes = u64_larger(bytes, of_outcomes + sample_memory(&distances) + sample_memory(&compared) +
                                      context_train_bytes(&distances, threads));
    const uint64_t slots = contexts_of_model(effort) * sizeof(struct context_slots);
    *kept = (uint64_t)trials_at_once * (sizeof(struct context_model) + u64_larger(slots, sizeof(struct pattern_model)));
    const bool apart = threads <= trials_at_once;
    return (struct memory_need){
        bytes, u64_larger(apart ? (uint64_t)threads * trial_bytes(sampled, entries, sections, effort, 1) : 0, bytes)};
}
