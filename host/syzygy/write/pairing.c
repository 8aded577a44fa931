// pairing.c - symbols that often stand side by side become pairs
//
// Counts of all pairs of neighbours are kept in a square array while symbols come and go.
//
//     1. Look for all pairs that gain enough. A pair that occurs n times, of symbols that occur a and b times among N,
//        takes log2(N/n) bits instead of log2(N/a) + log2(N/b) each time: frequent symbols that meet by chance gain
//        nothing. An open class of free values counts as each leaf that it admits. A row keeps an upper bound of the
//        counts that a look at it would find.
//     2. Accept them in falling order. A pair waits for the next round if its left symbol is the right one of a pair
//        accepted before, or the reverse, or if others took so much of its open classes that it gains too little.
//     3. Replace the accepted pairs in all slices, from left to right, and update the counts: for A x y B with xy = n
//        the pairs A x, x y and y B are one less, A n and n B one more. B may then become part of a pair itself.
//     4. Lower the threshold: a count, of which a pair must have half, and gain GAIN bits for each. Waiting pairs are
//        tried again with those that reach the lower one. At the lowest, go on until nothing is accepted.
//
// A round costs a pass over what is left of the slices, and little else. Several threads write the changes down by the
// accepted pair and its neighbour, and add them up after the round.
#include "syzygy/write/pairing.h"

#include "util/error.h"
#include "util/log2.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROUND_MAX = 512,          // pairs replaced in a round, where an open class and a leaf count as different
    CANDIDATES_MAX = 1 << 14, // found in a round; if there are more, the others wait
    PART_SYMBOLS = 1 << 21,   // symbols that make a thread worthwhile
    COLUMNS = 64,             // of a row, processed together
    GAIN = 4,                 // bits that a pair must gain for each time that the threshold counts
    PARTS_MAX = 8,            // more threads would cost more for their notes than they save
    STRIDE_MAX = (IDS_MAX + COLUMNS - 1) / COLUMNS * COLUMNS
};

struct candidate {
    uint64_t gain;
    uint16_t left;
    uint16_t right;
};

struct match {
    uint16_t left; // a leaf, a pair or a class
    uint16_t right;
    uint16_t pair;
};

// The work of one thread in a round.
struct part {
    size_t first; // its slices
    size_t end;
    uint32_t *left;  // [ids][pitch] left neighbours of each match
    uint32_t *right; // [ROUND_MAX][ids]
    uint32_t replaced[ROUND_MAX];
};

struct pairing {
    struct symbols *symbols;
    const struct pairing_limits *limits;
    struct thread_pool *pool;
    size_t stride;              // of the arrays below: at least limits->ids
    uint32_t *count;            // [stride][stride] numbers of pairs of neighbours
    size_t count_bytes;         //
    uint32_t *own_count;        // NULL if `count` is spare memory of the symbols
    uint32_t bound[STRIDE_MAX]; // [ids] no pair with this symbol on the left is more frequent
    uint32_t row[STRIDE_MAX];   // [stride] counts with open classes
    uint64_t uses[STRIDE_MAX];  // [ids] occurrences of each symbol
    uint64_t total;             // of all symbols
    int64_t bits[STRIDE_MAX];   // [ids] log2(total / uses), where open classes count as uses, too
    bool is_left[STRIDE_MAX];   // [ids] in an accepted pair
    bool is_right[STRIDE_MAX];  //
    uint16_t line[STRIDE_MAX];  // [ids] its line of `matches`
    uint16_t *matches;          // [ROUND_MAX + 1][stride] match + 1, or 0; line 0 is empty
    unsigned lines;             //
    struct match match[ROUND_MAX];
    unsigned accepted; // number of matches
    size_t pitch;      // size of a line, in cache lines
    struct candidate candidate[CANDIDATES_MAX];
    size_t candidates;
    struct part part[PARTS_MAX];
    size_t parts;
};

static inline bool admits(const struct symbols *s, unsigned class, unsigned id)
{
    return id < s->admits[class];
}

static inline uint32_t *row_of(const struct pairing *p, unsigned id)
{
    return p->count + id * p->stride;
}

// ---- 1. looking for pairs ----

// Sums the counts of pairs with `id` on the left, columns start..end-1, including those with classes that may be `id`.
static void sum_rows(struct pairing *p, unsigned id, unsigned start, unsigned end)
{
    const struct symbols *s = p->symbols;
    memcpy(p->row + start, row_of(p, id) + start, (end - start) * sizeof *p->row);
    for (unsigned class = 0; class < CLASSES && id < s->leaves; class ++) {
        const uint32_t *other = row_of(p, s->leaves + class);
        if (admits(s, class, id))
            for (unsigned i = start; i < end; i++)
                p->row[i] += other[i];
    }
}

// Makes all of p->row[]: open classes on the right count as leaves.
static void gather_row(struct pairing *p, unsigned id)
{
    const struct symbols *s = p->symbols;
    sum_rows(p, id, 0, s->ids);
    for (unsigned class = 0; class < CLASSES; class ++) {
        const uint32_t open = p->row[s->leaves + class];
        p->row[s->leaves + class] = 0;
        for (unsigned leaf = 0; leaf < s->admits[class] && open > 0; leaf++)
            p->row[leaf] += open;
    }
    const unsigned end = (s->ids + COLUMNS - 1) / COLUMNS * COLUMNS;
    memset(p->row + s->ids, 0, (end - s->ids) * sizeof *p->row);
}

// The gain in bits, times 2^LOG2_BITS.
static uint64_t gain(const struct pairing *p, unsigned left, unsigned right, uint64_t count)
{
    const int64_t each = p->bits[left] + p->bits[right] - (int64_t)(log2_fixed(p->total) - log2_fixed(count));
    return each <= p->limits->toll ? 0 : count * (uint64_t)(each - p->limits->toll);
}

static uint64_t least_gain(uint32_t threshold)
{
    return (uint64_t)threshold * GAIN << LOG2_BITS;
}

static void look_at_row(struct pairing *p, unsigned id, uint32_t threshold)
{
    gather_row(p, id);
    uint32_t most = 0;
    const uint32_t least = (threshold + 1) / 2;
    for (unsigned column = 0; column < p->symbols->ids; column += COLUMNS) {
        uint32_t here = 0;
        for (unsigned i = column; i < column + COLUMNS; i++)
            here = p->row[i] > here ? p->row[i] : here;
        if (here <= most && here < least)
            continue;
        for (unsigned i = column; i < column + COLUMNS && i < p->symbols->ids; i++) {
            const uint32_t count = p->row[i];
            if ((count <= most && count < least) || count == 0 || !symbols_fit(p->symbols, id, i))
                continue;
            most = count > most ? count : most;
            if (count < least || p->candidates == CANDIDATES_MAX)
                continue;
            const uint64_t gained = gain(p, id, i, count);
            if (gained >= least_gain(threshold))
                p->candidate[p->candidates++] =
                    (struct candidate){.gain = gained, .left = (uint16_t)id, .right = (uint16_t)i};
        }
    }
    p->bound[id] = most;
}

// Returns the count of the most frequent pair.
static uint32_t look_for_pairs(struct pairing *p, uint32_t threshold)
{
    const struct symbols *s = p->symbols;
    for (unsigned id = 0; id < s->ids; id++) {
        uint64_t uses = p->uses[id];
        for (unsigned class = 0; class < CLASSES && id < s->leaves; class ++)
            uses += admits(s, class, id) ? p->uses[s->leaves + class] : 0;
        p->bits[id] = (int64_t)(log2_fixed(p->total) - log2_fixed(uses));
    }
    p->candidates = 0;
    uint32_t most = 0;
    for (unsigned id = 0; id < p->symbols->ids; id++) {
        if (id >= p->symbols->leaves && id < p->symbols->pairs) // a class of leaves, not a symbol
            continue;
        if (p->bound[id] >= (threshold + 1) / 2)
            look_at_row(p, id, threshold);
        if (p->bound[id] > most)
            most = p->bound[id];
    }
    return most;
}

static int falling(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    if (x->left != y->left)
        return x->left < y->left ? -1 : 1;
    return x->right < y->right ? -1 : x->right > y->right;
}

// ---- 2. accepting pairs ----

// The symbols that can stand for `id`: itself and, for a leaf, classes. Returns their number.
static unsigned variants(const struct symbols *s, unsigned id, unsigned variant[1 + CLASSES])
{
    unsigned count = 0;
    variant[count++] = id;
    for (unsigned class = 0; class < CLASSES && id < s->leaves; class ++)
        if (admits(s, class, id))
            variant[count++] = s->leaves + class;
    return count;
}

static inline unsigned match_of(const struct pairing *p, unsigned left, unsigned right)
{
    return p->matches[p->line[left] * p->stride + right];
}

static void accept(struct pairing *p, const struct candidate *candidate, uint32_t threshold)
{
    struct symbols *s = p->symbols;
    unsigned left[1 + CLASSES];
    unsigned right[1 + CLASSES];
    const unsigned lefts = variants(s, candidate->left, left);
    const unsigned rights = variants(s, candidate->right, right);
    uint64_t count = 0;
    for (unsigned i = 0; i < lefts; i++)
        for (unsigned j = 0; j < rights; j++)
            if (match_of(p, left[i], right[j]) == 0)
                count += row_of(p, left[i])[right[j]];
    if (gain(p, candidate->left, candidate->right, count) < least_gain(threshold) ||
        p->accepted + lefts * rights > ROUND_MAX || p->lines + lefts > ROUND_MAX)
        return;
    const unsigned pair = symbols_pair(s, candidate->left, candidate->right);
    p->is_left[candidate->left] = p->is_right[candidate->right] = true;
    for (unsigned i = 0; i < lefts; i++)
        for (unsigned j = 0; j < rights; j++) {
            if (match_of(p, left[i], right[j]) != 0 || row_of(p, left[i])[right[j]] == 0)
                continue;
            if (p->line[left[i]] == 0)
                p->line[left[i]] = (uint16_t)++p->lines;
            struct match *match = &p->match[p->accepted++];
            *match = (struct match){.left = (uint16_t)left[i], .right = (uint16_t)right[j], .pair = (uint16_t)pair};
            p->matches[p->line[left[i]] * p->stride + right[j]] = (uint16_t)p->accepted;
        }
}

static void forget_matches(struct pairing *p)
{
    for (unsigned i = 0; i < p->accepted; i++)
        p->matches[p->line[p->match[i].left] * p->stride + p->match[i].right] = 0;
    for (unsigned i = 0; i < p->accepted; i++)
        p->line[p->match[i].left] = 0;
    memset(p->is_left, 0, sizeof p->is_left);
    memset(p->is_right, 0, sizeof p->is_right);
    p->accepted = 0;
    p->lines = 0;
}

// ---- 3. replacing pairs ----

// Replaces pairs in one slice. Changes of neighbours' counts are noted in `part`, or made at once if it is the only
// part.
static void replace(const struct pairing *p, struct slice *slice, struct part *part)
{
    uint16_t *out = slice->symbol;
    const uint16_t *in = slice->symbol;
    const uint16_t *const end = in + slice->length;
    while (in + 1 < end) {
        const unsigned m = match_of(p, in[0], in[1]);
        if (m == 0) {
            *out++ = *in++;
            continue;
        }
        const struct match *match = &p->match[m - 1];
        const bool has_before = out > slice->symbol;
        const bool has_after = in + 2 < end;
        part->replaced[m - 1]++;
        if (p->parts == 1) {
            if (has_before) {
                uint32_t *before = row_of(p, out[-1]);
                before[match->left]--;
                before[match->pair]++;
            }
            if (has_after) {
                row_of(p, match->right)[in[2]]--;
                row_of(p, match->pair)[in[2]]++;
            }
        } else {
            if (has_before)
                part->left[out[-1] * p->pitch + m - 1]++;
            if (has_after)
                part->right[(m - 1) * p->stride + in[2]]++;
        }
        *out++ = match->pair;
        in += 2;
    }
    if (in < end)
        *out++ = *in;
    slice->length = (uint32_t)(out - slice->symbol);
}

static int replace_part(void *context, uint64_t item, int worker)
{
    struct pairing *p = context;
    struct part *part = &p->part[item];
    for (size_t i = part->first; i < part->end; i++) {
        TRY(threads_check(p->pool, worker));
        replace(p, &p->symbols->slice[i], part);
    }
    return 0;
}

// Adds and clears the changes that parts have noted for left neighbours COLUMNS * item ...
static int add_left(void *context, uint64_t item, int worker)
{
    (void)worker;
    struct pairing *p = context;
    const unsigned start = (unsigned)item * COLUMNS;
    for (unsigned id = start; id < start + COLUMNS && id < p->symbols->ids; id++)
        for (size_t i = 0; i < p->parts; i++) {
            uint32_t *change = p->part[i].left + id * p->pitch;
            uint32_t *row = row_of(p, id);
            for (unsigned m = 0; m < p->accepted; m++) {
                row[p->match[m].left] -= change[m];
                row[p->match[m].pair] += change[m];
            }
            memset(change, 0, p->accepted * sizeof *change);
        }
    return 0;
}

// The same for right neighbours.
static int add_right(void *context, uint64_t item, int worker)
{
    (void)worker;
    struct pairing *p = context;
    const unsigned start = (unsigned)item * COLUMNS;
    const unsigned end = start + COLUMNS < p->stride ? start + COLUMNS : (unsigned)p->stride;
    for (unsigned m = 0; m < p->accepted; m++)
        for (size_t i = 0; i < p->parts; i++) {
            uint32_t *change = p->part[i].right + m * p->stride;
            uint32_t *old = row_of(p, p->match[m].right);
            uint32_t *new = row_of(p, p->match[m].pair);
            for (unsigned id = start; id < end; id++) {
                old[id] -= change[id];
                new[id] += change[id];
                change[id] = 0;
            }
        }
    return 0;
}

static int replace_pairs(struct pairing *p, unsigned first_new)
{
    p->pitch = (p->accepted + 15) / 16 * 16;
    TRY(threads_each(p->pool, p->parts, replace_part, p));
    const struct symbols *s = p->symbols;
    if (p->parts > 1) {
        const unsigned blocks = (s->ids + COLUMNS - 1) / COLUMNS;
        TRY(threads_each(p->pool, blocks, add_left, p));
        TRY(threads_each(p->pool, blocks, add_right, p));
    }
    for (unsigned m = 0; m < p->accepted; m++)
        for (size_t i = 0; i < p->parts; i++) {
            const struct match *match = &p->match[m];
            const uint32_t replaced = p->part[i].replaced[m];
            row_of(p, match->left)[match->right] -= replaced;
            p->uses[match->left] -= replaced;
            p->uses[match->right] -= replaced;
            p->uses[match->pair] += replaced;
            p->total -= replaced;
            p->part[i].replaced[m] = 0;
        }
    for (unsigned id = 0; id < s->ids; id++) {
        if (id >= first_new)
            p->bound[id] = UINT32_MAX;
        else
            sum_rows(p, id, first_new, s->ids);
        for (unsigned i = first_new; i < s->ids && id < first_new; i++)
            if (p->row[i] > p->bound[id])
                p->bound[id] = p->row[i];
    }
    return 0;
}

// ---- rounds ----

static int rounds(struct pairing *p)
{
    struct symbols *s = p->symbols;
    uint32_t most = look_for_pairs(p, UINT32_MAX);
    uint32_t threshold = most;
    while (s->ids < p->limits->ids) {
        most = look_for_pairs(p, threshold);
        const unsigned first_new = s->ids;
        qsort(p->candidate, p->candidates, sizeof *p->candidate, falling);
        for (size_t i = 0; i < p->candidates && s->ids < p->limits->ids; i++) {
            const struct candidate *candidate = &p->candidate[i];
            if (!p->is_right[candidate->left] && !p->is_left[candidate->right])
                accept(p, candidate, threshold);
        }
        if (s->ids > first_new) {
            TRY(replace_pairs(p, first_new));
            forget_matches(p);
        } else if (threshold <= p->limits->frequency)
            break;
        const uint64_t lower = (uint64_t)(most < threshold ? most : threshold) * p->limits->step / 100;
        threshold = lower < p->limits->frequency ? p->limits->frequency : (uint32_t)lower;
    }
    return 0;
}

static int count_pairs(struct pairing *p)
{
    for (size_t i = 0; i < p->symbols->slices; i++) {
        TRY(threads_check(p->pool, 0));
        const struct slice *slice = &p->symbols->slice[i];
        p->total += slice->length;
        for (uint32_t j = 0; j < slice->length; j++)
            p->uses[slice->symbol[j]]++;
        for (uint32_t j = 1; j < slice->length; j++)
            row_of(p, slice->symbol[j - 1])[slice->symbol[j]]++;
    }
    return 0;
}

static uint64_t part_bytes(size_t stride)
{
    return (uint64_t)2 * stride * ROUND_MAX * sizeof(uint32_t);
}

// Makes parts of about the same length, at most one for each thread.
static int make_parts(struct pairing *p)
{
    const struct symbols *s = p->symbols;
    uint64_t length = 0;
    for (size_t i = 0; i < s->slices; i++)
        length += s->slice[i].length;
    p->parts = p->pool == NULL ? 1 : (size_t)threads_count(p->pool);
    if (p->parts > length / PART_SYMBOLS + 1)
        p->parts = length / PART_SYMBOLS + 1;
    if (p->parts > PARTS_MAX)
        p->parts = PARTS_MAX;
    if (p->limits->room > 0 && p->parts * part_bytes(p->stride) > p->limits->room)
        p->parts = p->limits->room / part_bytes(p->stride);
    if (p->parts == 0)
        p->parts = 1;
    size_t slice = 0;
    uint64_t done = 0;
    for (size_t i = 0; i < p->parts; i++) {
        struct part *part = &p->part[i];
        part->first = slice;
        while (slice < s->slices && (i + 1 == p->parts || done < length * (i + 1) / p->parts))
            done += s->slice[slice++].length;
        part->end = slice;
        if (p->parts == 1)
            break;
        TRY(memory_new(&part->left, p->stride, ROUND_MAX * sizeof *part->left, "pairs of symbols"));
        TRY(memory_new(&part->right, p->stride, ROUND_MAX * sizeof *part->right, "pairs of symbols"));
    }
    return 0;
}

static int open_pairing(struct pairing *p)
{
    p->stride = (p->limits->ids + COLUMNS - 1) / COLUMNS * COLUMNS;
    p->count_bytes = p->stride * p->stride * sizeof *p->count;
    if (p->symbols->spare_bytes >= p->count_bytes)
        p->count = memset(p->symbols->spare, 0, p->count_bytes);
    else
        p->count = p->own_count = memory_map(p->count_bytes);
    if (p->count == NULL)
        return error_memory(p->count_bytes, "pairs of symbols");
    memset(p->bound, 0xff, sizeof p->bound); // unknown
    TRY(memory_new(&p->matches, ROUND_MAX + 1, p->stride * sizeof *p->matches, "pairs of symbols"));
    return make_parts(p);
}

int pairing_run(struct symbols *symbols, const struct pairing_limits *limits, struct thread_pool *pool)
{
    struct pairing *p;
    TRY(memory_new(&p, 1, sizeof *p, "pairs of symbols"));
    p->symbols = symbols;
    p->limits = limits;
    p->pool = pool;
    int code = open_pairing(p);
    THEN(code, count_pairs(p));
    THEN(code, rounds(p));
    memory_unmap(p->own_count, p->count_bytes);
    free(p->matches);
    for (int i = 0; i < PARTS_MAX; i++) {
        free(p->part[i].left);
        free(p->part[i].right);
    }
    free(p);
    return code;
}

struct memory_need pairing_need(int threads)
{
    const uint64_t counts = (uint64_t)STRIDE_MAX * STRIDE_MAX * sizeof(uint32_t);
    const uint64_t matches = (uint64_t)(ROUND_MAX + 1) * STRIDE_MAX * sizeof(uint16_t);
    const int parts = threads < PARTS_MAX ? threads : PARTS_MAX;
    const uint64_t least = counts + matches + CANDIDATES_MAX * sizeof(struct candidate);
    return (struct memory_need){least, least + (parts > 1 ? (uint64_t)parts * part_bytes(STRIDE_MAX) : 0)};
}
