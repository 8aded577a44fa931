// search.c - the order of the men in a sub-table
#include "syzygy/write/search.h"

#include "syzygy/write/symbols.h"
#include "util/error.h"
#include "util/log2.h"
#include "util/memory.h"
#include "util/random.h"

#include <stdlib.h>
#include <string.h>

enum {
    CODES = 256, // different values
    KINDS_MAX = SYZYGY_MEN_MAX,
    SEGMENTS_MAX = 1600,
    SEGMENTS_MIN = 25, // of complete rows, however long these are
    BEAM = 6,          // beginnings of permutations that are continued
    TRIALS_MAX = 256,  // 42 + BEAM * (5 + 4 + 3 + 2) for seven kinds, and larger samples of the best ones
    FINALISTS = sizeof((struct search_memory){0}.kind) / sizeof((struct search_memory){0}.kind[0]),
    FINALISTS_OF_DISTANCES = 6, // their samples tell less: among more, the best one may be that of a bad order
    WINNERS = 3,                // of the finalists, if they are close
    OTHER_FILES = 4,            // finalists for pawns on files other than the first
    REFILLED = 3,               // orders whose free values are filled in both ways
    REFILLED_FEW = 2,           // the same for other files
    SCRATCH = 1 << 21,          // bytes for counts of pairs
    COUNTED_PART = 1 << 30,     // values that are counted at a time
    BYTES_MATTER = 1 << 19      // in a sub-table; smaller ones are not worth the largest sample
};

// A sample has this many segments with this many values, each from its own share of the sub-table.
struct sample {
    uint64_t segments;
    uint64_t values;
};

static const struct sample ROUGH = {400, 1 << 10};
static const struct sample GOOD = {SEGMENTS_MAX, 1 << 10};
static const struct sample BEST = {SEGMENTS_MAX, 1 << 11};
static const struct sample OF_RUNS = {400, 1 << 14}; // most symbols of distances stand for long runs

struct kind {
    uint8_t man;
    uint8_t count;
};

struct trial {
    uint8_t kind[KINDS_MAX]; // the permutation, fastest first
    struct syzygy_shape shape;
    bool go_on; // as in struct syzygy_values
    uint64_t bytes;
};

struct search {
    const struct natural *natural;
    const struct gather_tables *tables;
    const struct syzygy_values *from;
    double weight[CODES]; // of a value
    double weights;       // of the whole sub-table
    int file;
    int kinds;
    struct kind kind[KINDS_MAX];
    int lead;                      // the kind of the leading pawns, or -1
    int other;                     // the kind of the other pawns, or -1
    struct sample sample;          // in use
    uint32_t offset[SEGMENTS_MAX]; // of segments in their shares, in units of 2^-32
    uint8_t *space;                // for each worker: a sample, and scratch memory for packing
    uint64_t worker_bytes;         //
    uint64_t scratch_bytes;        //
    int done;                      // trials with this sample that were made earlier
    int trials;
    struct trial trial[TRIALS_MAX];
};

static void list_kinds(struct search *search)
{
    const struct material *material = search->natural->content->material;
    const int lead = natural_leads(material);
    search->lead = search->other = -1;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = KING; type <= PAWN; type++) {
            const int count = material->count[colour][type];
            if (count == 0)
                continue;
            if (type == PAWN)
                *(colour == lead ? &search->lead : &search->other) = search->kinds;
            search->kind[search->kinds++] = (struct kind){syzygy_man(colour, type), (uint8_t)count};
        }
    }
}

static int add_men(const struct search *search, int kind, uint8_t *list, int men)
{
    for (int i = 0; i < search->kind[kind].count; i++)
        list[men++] = search->kind[kind].man;
    return men;
}

// Makes the shape of a permutation; false if it has none.
static bool make_shape(const struct search *search, const uint8_t *kind, struct syzygy_shape *shape)
{
    uint8_t list[SYZYGY_MEN_MAX];
    int men = 0;
    int order = 0;
    int order2 = SYZYGY_NO_GROUP;
    int last = -1; // the last of the kinds in group 0
    int unique = 0;
    int lead_kinds = 0;
    if (search->lead >= 0) {
        men = add_men(search, search->lead, list, men);
        if (search->other >= 0)
            men = add_men(search, search->other, list, men);
        for (int i = 0; i < search->kinds; i++) {
            if (kind[i] == search->lead)
                order = i;
            if (kind[i] == search->other)
                order2 = i;
        }
    } else {
        for (int i = 0; i < search->kinds; i++)
            unique += search->kind[i].count == 1;
        lead_kinds = unique >= 3 ? 3 : 2;
        for (int i = 0; i + lead_kinds <= search->kinds; i++) {
            bool all = true;
            for (int k = i; k < i + lead_kinds; k++)
                all &= search->kind[kind[k]].count == 1;
            last = all ? i + lead_kinds - 1 : last;
        }
        order = last - lead_kinds + 1;
        if (last < 0)
            return false;
        for (int k = last; k >= order; k--)
            men = add_men(search, kind[k], list, men);
    }
    for (int i = 0; i < search->kinds; i++) {
        const bool done =
            search->lead >= 0 ? kind[i] == search->lead || kind[i] == search->other : i >= order && i <= last;
        if (!done)
            men = add_men(search, kind[i], list, men);
    }
    return syzygy_shape_init(shape, list, men, search->file, order, order2) == 0;
}

// The segments of a sample for one shape.
struct segments {
    uint64_t count;
    uint64_t values; // values in each
    uint64_t align;  // they begin at multiples of this
};

// Is the whole sub-table looked at? It is if it hardly has more values than a sample.
static bool is_whole(const struct sample *sample, const struct syzygy_shape *shape)
{
    return shape->values <= sample->segments * sample->values / 4 * 5;
}

// Makes segments of whole blocks if these are not too long.
static struct segments make_segments(const struct sample *sample, const struct syzygy_shape *shape)
{
    struct segments segments = {.align = gather_block_values(shape)};
    if (segments.align > 4 * sample->values)
        segments.align = gather_unit(shape);
    const uint64_t units = sample->values / segments.align;
    segments.values = (units > 0 ? units : 1) * segments.align;
    segments.count = sample->segments * sample->values / segments.values;
    if (segments.count > sample->segments)
        segments.count = sample->segments;
    if (segments.count < SEGMENTS_MIN)
        segments.count = SEGMENTS_MIN;
    if (is_whole(sample, shape) || segments.count * segments.values >= shape->values)
        segments = (struct segments){1, shape->values, shape->values};
    return segments;
}

// Takes the sample in the order of a shape; returns its number of values.
static uint64_t take_sample(const struct search *search, const struct syzygy_shape *shape, uint8_t *to)
{
    const struct segments segments = make_segments(&search->sample, shape);
    const uint64_t steps = (shape->values - segments.values) / segments.align;
    const double starts = (double)steps + 1;
    for (uint64_t i = 0; i < segments.count; i++) {
        const double share = (double)i + (double)search->offset[i] / 4294967296.0;
        const uint64_t first = (uint64_t)(starts / (double)segments.count * share) * segments.align;
        gather_values(search->tables, shape, search->from->values, first, segments.values, to);
        to += segments.values;
    }
    return segments.count * segments.values;
}

// A free value has a small weight, any other one somewhat more than the information in its frequency.
static void set_weights(struct search *search)
{
    const double little = 0.05;
    const struct syzygy_values *from = search->from;
    const struct natural *natural = search->natural;
    uint64_t all[CODES] = {[SYZYGY_ANY] = natural->slices * natural->per_slice - from->count}; // that have no entry
    uint64_t fixed = 0;
    for (uint64_t first = 0; first < from->count; first += COUNTED_PART) {
        const uint64_t left = from->count - first;
        uint32_t times[CODES] = {0};
        symbols_count(from->values + first, left < COUNTED_PART ? left : COUNTED_PART, times);
        for (unsigned i = 0; i < CODES; i++)
            all[i] += times[i];
    }
    for (unsigned i = 0; i < SYZYGY_FREE_MIN; i++)
        fixed += all[i];
    for (unsigned i = 0; i < CODES; i++) {
        search->weight[i] = little;
        if (i < SYZYGY_FREE_MIN && all[i] > 0)
            search->weight[i] += (double)(log2_fixed(fixed) - log2_fixed(all[i])) / (1 << LOG2_BITS);
        search->weights += search->weight[i] * (double)all[i];
    }
}

static int try_order(void *context, uint64_t item, int worker)
{
    struct search *search = context;
    struct trial *trial = &search->trial[search->done + (int)item];
    uint8_t *values = search->space + (uint64_t)worker * search->worker_bytes;
    struct syzygy_values sample = *search->from;
    sample.go_on = trial->go_on;
    sample.values = values;
    sample.scratch = values + search->worker_bytes - search->scratch_bytes;
    sample.scratch_bytes = search->scratch_bytes;
    sample.count = take_sample(search, &trial->shape, values);
    // Segments of different orders have different shares of the values that take bytes.
    uint32_t times[CODES] = {0};
    double weight = 0;
    symbols_count(values, sample.count, times);
    for (unsigned code = 0; code < CODES; code++)
        weight += search->weight[code] * times[code];
    TRY(syzygy_estimate(&sample, &trial->bytes));
    trial->bytes = (uint64_t)((double)trial->bytes * search->weights / weight);
    return 0;
}

static bool next_permutation(uint8_t *item, int items)
{
    int i = items - 2;
    while (i >= 0 && item[i] >= item[i + 1])
        i--;
    if (i < 0)
        return false;
    int k = items - 1;
    while (item[k] <= item[i])
        k--;
    const uint8_t swap = item[i];
    item[i] = item[k];
    item[k] = swap;
    for (int low = i + 1, high = items - 1; low < high; low++, high--) {
        const uint8_t other = item[low];
        item[low] = item[high];
        item[high] = other;
    }
    return true;
}

// Adds the permutation that begins with these kinds and continues with the others in lexical order, or the next one
// that has a shape, unless it has been added before.
static void add_trial(struct search *search, const uint8_t *begin, int fixed, bool go_on)
{
    struct trial *trial = &search->trial[search->trials];
    int count = fixed;
    unsigned used = 0;
    *trial = (struct trial){.go_on = go_on};
    for (int i = 0; i < fixed; i++) {
        trial->kind[i] = begin[i];
        used |= 1u << begin[i];
    }
    for (int i = 0; i < search->kinds; i++)
        if (!(used >> i & 1))
            trial->kind[count++] = (uint8_t)i;
    while (!make_shape(search, trial->kind, &trial->shape))
        if (!next_permutation(trial->kind + fixed, count - fixed))
            return;
    for (int i = 0; i < search->trials; i++)
        if (search->trial[i].go_on == go_on && memcmp(search->trial[i].kind, trial->kind, sizeof trial->kind) == 0)
            return;
    search->trials++;
}

static int fewer_bytes(const void *a, const void *b)
{
    const struct trial *x = a;
    const struct trial *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return memcmp(x->kind, y->kind, sizeof x->kind);
}

// Runs the new trials and sorts all trials.
static int run_trials(struct search *search)
{
    const uint64_t threads = (uint64_t)threads_count(search->natural->pool);
    uint64_t most = 0;
    for (int i = search->done; i < search->trials; i++) {
        const struct segments segments = make_segments(&search->sample, &search->trial[i].shape);
        const uint64_t values = segments.count * segments.values;
        most = values > most ? values : most;
    }
    // Samples shrink when they become symbols, and counts of pairs need some room.
    search->scratch_bytes = (most + SCRATCH + 63) / 64 * 64;
    search->worker_bytes = (most + 63) / 64 * 64 + search->scratch_bytes;
    search->space = memory_map(threads * search->worker_bytes);
    if (search->space == NULL)
        return error_memory(threads * search->worker_bytes, "samples of a Syzygy file");
    const int code = threads_each(search->natural->pool, (uint64_t)(search->trials - search->done), try_order, search);
    memory_unmap(search->space, threads * search->worker_bytes);
    qsort(search->trial, (size_t)search->trials, sizeof *search->trial, fewer_bytes);
    search->done = search->trials;
    return code;
}

// Runs the best `count` trials again with a larger sample.
static int run_better(struct search *search, int count, struct sample sample)
{
    search->sample = sample;
    search->done = 0;
    search->trials = search->trials < count ? search->trials : count;
    return run_trials(search);
}

// Adds the best beginnings of this length, continued with each of the other kinds.
static void continue_best(struct search *search, int fixed)
{
    uint8_t begin[BEAM][KINDS_MAX];
    int begins = 0;
    for (int i = 0; i < search->trials && begins < BEAM; i++) {
        bool known = false;
        for (int k = 0; k < begins; k++)
            known |= memcmp(begin[k], search->trial[i].kind, (size_t)fixed) == 0;
        if (!known)
            memcpy(begin[begins++], search->trial[i].kind, KINDS_MAX);
    }
    for (int i = 0; i < begins; i++)
        for (int next = fixed; next < search->kinds; next++) {
            uint8_t kind[KINDS_MAX];
            memcpy(kind, begin[i], (size_t)fixed);
            kind[fixed] = begin[i][next];
            add_trial(search, kind, fixed + 1, false);
        }
}

static int search_all(struct search *search)
{
    search->sample = ROUGH;
    for (int a = 0; a < search->kinds; a++)
        for (int b = 0; b < search->kinds; b++)
            if (a != b)
                add_trial(search, (const uint8_t[]){(uint8_t)a, (uint8_t)b}, 2, false);
    TRY(run_trials(search));
    for (int fixed = 2; fixed + 1 < search->kinds; fixed++) {
        continue_best(search, fixed);
        TRY(run_trials(search));
    }
    return 0;
}

// Remembers the best `count` permutations.
static void remember(const struct search *search, int count, struct search_memory *memory)
{
    memory->count = search->trials < count ? search->trials : count;
    for (int i = 0; i < memory->count; i++) {
        memcpy(memory->kind[i], search->trial[i].kind, KINDS_MAX);
        memory->go_on[i] = search->trial[i].go_on;
    }
}

// Also tries the best orders with their free values filled in the other way.
static int fill_otherwise(struct search *search, int orders)
{
    const int count = search->trials < orders ? search->trials : orders;
    if (!search->from->wdl) {
        search->sample = OF_RUNS;
        search->done = 0;
        search->trials = count;
    }
    for (int i = 0; i < count; i++)
        add_trial(search, search->trial[i].kind, search->kinds, !search->trial[i].go_on);
    return run_trials(search);
}

// Puts the best trial first. After a whole search on another file, only its best few orders are tried again.
static int choose(struct search *search, bool guess, struct search_memory *memory)
{
    const struct trial *best = search->trial;
    const bool known = memory->count > 0;
    const bool few = memory->whole;
    const int finalists = search->from->wdl ? FINALISTS : FINALISTS_OF_DISTANCES;
    if (!known) {
        TRY(search_all(search));
        remember(search, finalists, memory);
    }
    if (guess && !known)
        return 0;
    search->trials = 0;
    for (int i = 0; i < memory->count; i++)
        add_trial(search, memory->kind[i], search->kinds, memory->go_on[i]);
    TRY(run_better(search, finalists, guess ? ROUGH : GOOD));
    if (guess)
        return 0;
    if (few)
        return fill_otherwise(search, REFILLED_FEW);
    remember(search, OTHER_FILES, memory);
    memory->whole = true;
    int close = 1;
    while (close < WINNERS && close < search->trials && best[close].bytes / 100 * 97 < best->bytes)
        close++;
    if (!is_whole(&GOOD, &best->shape) && best->bytes >= BYTES_MATTER && close >= 2)
        TRY(run_better(search, close, BEST));
    return fill_otherwise(search, REFILLED);
}

int search_order(const struct natural *natural, const struct gather_tables *tables, int file,
                 const struct syzygy_values *from, bool guess, struct search_memory *memory, struct syzygy_part *part,
                 uint64_t *bytes)
{
    struct search *search;
    TRY(memory_new(&search, 1, sizeof *search, "the order of a Syzygy file"));
    *search = (struct search){.natural = natural, .tables = tables, .from = from, .file = file};
    list_kinds(search);
    uint64_t state = 1;
    for (int i = 0; i < SEGMENTS_MAX; i++)
        search->offset[i] = (uint32_t)(random_next(&state) >> 32);
    set_weights(search);
    const int code = choose(search, guess, memory);
    part->shape = search->trial[0].shape;
    part->go_on = search->trial[0].go_on;
    *bytes = search->trial[0].bytes;
    free(search);
    return code;
}

uint64_t search_bytes(uint64_t values, int threads)
{
    // A trial takes the sample and its symbols, which large groups enlarge, and counts of their pairs.
    enum { SAMPLE = 7 << 20, EACH = 2, COUNTS = 16 << 20, TRIALS_AT_ONCE = 16 };
    const uint64_t trial = EACH * (values < SAMPLE ? values : SAMPLE) + COUNTS;
    return trial * (uint64_t)(threads < TRIALS_AT_ONCE ? threads : TRIALS_AT_ONCE);
}
