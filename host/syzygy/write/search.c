// search.c - the order of the men in a sub-table
#include "syzygy/write/search.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/random.h"

#include <stdlib.h>
#include <string.h>

enum {
    KINDS_MAX = SYZYGY_MEN_MAX,
    SEGMENTS = 100,   // of the values make a sample,
    FIRST = 1 << 12,  // so many each while orders are compared roughly
    SECOND = 1 << 14, // and so many each for the best ones
    TRIALS_MAX = KINDS_MAX * KINDS_MAX,
    SCRATCH = 1 << 21, // bytes for counts of pairs
    GOOD_ONES = sizeof((struct search_memory){0}.kind) / sizeof((struct search_memory){0}.kind[0])
};

struct kind {
    uint8_t man;
    uint8_t count;
};

struct trial {
    uint8_t kind[KINDS_MAX]; // the permutation, fastest first
    struct syzygy_shape shape;
    uint64_t bytes;
};

struct search {
    const struct natural *natural;
    const struct gather_tables *tables;
    const struct syzygy_values *from;
    int file;
    int kinds;
    struct kind kind[KINDS_MAX];
    int lead;                 // the kind of the leading pawns, or -1
    int other;                // and of the other pawns
    uint64_t segment;         // values of a segment
    uint64_t start[SEGMENTS]; // of segments, in 2^-32 of the sub-table
    uint8_t *space;           // for each worker: a sample, and scratch memory for packing
    uint64_t worker_bytes;    //
    uint64_t scratch_bytes;   //
    int trials;
    struct trial trial[TRIALS_MAX];
    struct trial best;
    int good; // the best ones, rising bytes
    struct trial goods[GOOD_ONES];
};

static void list_kinds(struct search *search)
{
    const struct material *material = search->natural->content->material;
    const int white = material->count[WHITE][PAWN];
    const int black = material->count[BLACK][PAWN];
    const int lead = white == 0 || (black > 0 && black < white) ? BLACK : WHITE;
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

// The shape of a permutation; false if it has none.
static bool make_shape(const struct search *search, const uint8_t *kind, struct syzygy_shape *shape)
{
    uint8_t list[SYZYGY_MEN_MAX];
    int men = 0;
    int order = 0;
    int order2 = SYZYGY_NO_GROUP;
    int last = -1; // of the kinds in group 0
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

// A sub-table that hardly has more values than a sample is looked at as a whole.
static uint64_t whole_values(const struct search *search)
{
    return SEGMENTS * search->segment / 4 * 5;
}

// Values of a segment of a shape: whole units.
static uint64_t segment_values(const struct search *search, const struct syzygy_shape *shape)
{
    const uint64_t unit = gather_unit(shape);
    return search->segment / unit > 0 ? search->segment / unit * unit : unit;
}

// The sample in the order of a shape; its number of values.
static uint64_t take_sample(const struct search *search, const struct syzygy_shape *shape, uint8_t *to)
{
    if (shape->values <= whole_values(search)) {
        gather_values(search->tables, shape, search->from->values, 0, shape->values, to);
        return shape->values;
    }
    const uint64_t unit = gather_unit(shape);
    const uint64_t each = segment_values(search, shape);
    for (int i = 0; i < SEGMENTS; i++) {
        const double first = (double)((shape->values - each) / unit) * (double)search->start[i] / 4294967296.0;
        gather_values(search->tables, shape, search->from->values, (uint64_t)first * unit, each, to);
        to += each;
    }
    return SEGMENTS * each;
}

// Values of a sample, at most.
static uint64_t sample_values(const struct search *search, const struct syzygy_shape *shape)
{
    return shape->values <= whole_values(search) ? shape->values : SEGMENTS * segment_values(search, shape);
}

static int try_order(void *context, uint64_t item, int worker)
{
    struct search *search = context;
    struct trial *trial = &search->trial[item];
    uint8_t *values = search->space + (uint64_t)worker * search->worker_bytes;
    struct syzygy_values sample = *search->from;
    sample.values = values;
    sample.scratch = values + search->worker_bytes - search->scratch_bytes;
    sample.scratch_bytes = search->scratch_bytes;
    sample.count = take_sample(search, &trial->shape, values);
    const int code = syzygy_estimate(&sample, &trial->bytes);
    trial->bytes = (uint64_t)((double)trial->bytes * (double)trial->shape.values / (double)sample.count);
    return code;
}

// Adds the permutation that begins with `fixed` kinds of the best one, then kinds `a` and `b`, then the others in a way
// that has a shape.
static void add_trial(struct search *search, int fixed, int a, int b)
{
    struct trial *trial = &search->trial[search->trials];
    uint8_t rest[KINDS_MAX];
    int left = 0;
    uint64_t used = UINT64_C(1) << a | UINT64_C(1) << b;
    for (int i = 0; i < fixed; i++)
        used |= UINT64_C(1) << search->best.kind[i];
    for (int i = 0; i < search->kinds; i++) {
        if (!(used >> i & 1))
            rest[left++] = (uint8_t)i;
    }
    memcpy(trial->kind, search->best.kind, (size_t)fixed);
    trial->kind[fixed] = (uint8_t)a;
    trial->kind[fixed + 1] = (uint8_t)b;
    // The permutations of the rest in lexical order, until one has a shape.
    for (;;) {
        memcpy(trial->kind + fixed + 2, rest, (size_t)left);
        if (make_shape(search, trial->kind, &trial->shape)) {
            search->trials++;
            return;
        }
        int i = left - 2;
        while (i >= 0 && rest[i] >= rest[i + 1])
            i--;
        if (i < 0)
            return;
        int k = left - 1;
        while (rest[k] <= rest[i])
            k--;
        const uint8_t swap = rest[i];
        rest[i] = rest[k];
        rest[k] = swap;
        for (int low = i + 1, high = left - 1; low < high; low++, high--) {
            const uint8_t other = rest[low];
            rest[low] = rest[high];
            rest[high] = other;
        }
    }
}

static int run_trials(struct search *search)
{
    const uint64_t threads = (uint64_t)threads_count(search->natural->pool);
    uint64_t most = 0;
    for (int i = 0; i < search->trials; i++) {
        const uint64_t values = sample_values(search, &search->trial[i].shape);
        most = values > most ? values : most;
    }
    // Samples shrink when they become symbols, and counts of pairs need some room.
    search->scratch_bytes = (most + SCRATCH + 63) / 64 * 64;
    search->worker_bytes = (most + 63) / 64 * 64 + search->scratch_bytes;
    search->space = memory_map(threads * search->worker_bytes);
    if (search->space == NULL)
        return error_memory(threads * search->worker_bytes, "samples of a Syzygy file");
    const int code = threads_each(search->natural->pool, (uint64_t)search->trials, try_order, search);
    memory_unmap(search->space, threads * search->worker_bytes);
    if (code != 0)
        return code;
    for (int i = 0; i < search->trials; i++) {
        const struct trial *trial = &search->trial[i];
        if (trial->bytes < search->best.bytes)
            search->best = *trial;
        // The best ones of all rounds, each once.
        int at = search->good;
        for (int k = 0; k < search->good; k++) {
            if (memcmp(search->goods[k].kind, trial->kind, sizeof trial->kind) == 0)
                at = -1;
        }
        while (at > 0 && search->goods[at - 1].bytes > trial->bytes) {
            if (at < GOOD_ONES)
                search->goods[at] = search->goods[at - 1];
            at--;
        }
        if (at >= 0 && at < GOOD_ONES)
            search->goods[at] = *trial;
        search->good += at >= 0 && search->good < GOOD_ONES;
    }
    return 0;
}

static int search_all(struct search *search)
{
    for (int fixed = 0; fixed + 2 <= search->kinds; fixed++) {
        search->trials = 0;
        for (int a = 0; a < search->kinds; a++) {
            bool taken = false;
            for (int i = 0; i < fixed; i++)
                taken |= search->best.kind[i] == a;
            for (int b = 0; b < search->kinds && !taken; b++) {
                bool free = b != a;
                for (int i = 0; i < fixed; i++)
                    free &= search->best.kind[i] != b;
                if (free)
                    add_trial(search, fixed, a, b);
            }
        }
        TRY(run_trials(search));
    }
    return 0;
}

int search_order(const struct natural *natural, const struct gather_tables *tables, int file,
                 const struct syzygy_values *from, struct search_memory *memory, struct syzygy_shape *shape,
                 uint64_t *bytes)
{
    struct search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return error_memory(sizeof *search, "the order of a Syzygy file");
    *search = (struct search){.natural = natural, .tables = tables, .from = from, .file = file};
    list_kinds(search);
    uint64_t state = 1;
    for (int i = 0; i < SEGMENTS; i++)
        search->start[i] = random_next(&state) >> 32;
    search->best.bytes = UINT64_MAX;
    int code = 0;
    if (memory->count == 0) {
        search->segment = FIRST;
        code = search_all(search);
        for (; memory->count < search->good; memory->count++)
            memcpy(memory->kind[memory->count], search->goods[memory->count].kind, sizeof memory->kind[0]);
    }
    search->segment = SECOND;
    search->best.bytes = UINT64_MAX;
    for (search->trials = 0; search->trials < memory->count; search->trials++) {
        struct trial *trial = &search->trial[search->trials];
        memcpy(trial->kind, memory->kind[search->trials], sizeof trial->kind);
        make_shape(search, trial->kind, &trial->shape);
    }
    if (code == 0)
        code = run_trials(search);
    *shape = search->best.shape;
    *bytes = search->best.bytes;
    free(search);
    return code;
}

uint64_t search_bytes(uint64_t values, int threads)
{
    // Of a trial: the sample and its symbols, of which large groups make it larger, and counts of their pairs.
    enum { SAMPLE = 4 << 20, EACH = 3, COUNTS = 4 << 20, TRIALS_AT_ONCE = 16 };
    const uint64_t trial = EACH * (values < SAMPLE ? values : SAMPLE) + COUNTS;
    return trial * (uint64_t)(threads < TRIALS_AT_ONCE ? threads : TRIALS_AT_ONCE);
}
