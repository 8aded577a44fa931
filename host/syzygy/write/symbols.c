// symbols.c - the values of a sub-table as symbols, before pairs are looked for
//
//     1. Count the values. Those that occur are the leaves.
//     2. Fill runs of free values: from a neighbour that fits, and if both do, from the one whose value is more
//        frequent or, of outcomes, the one in a run; else a short run of outcomes stays open, others take the most
//        frequent value, as long runs of distances may always do (packed.h).
//     3. Cut runs of a leaf into powers of two, the largest first: what pairing would make of them in many rounds. A
//        power that is rare is left to pairing.
//     4. Write the symbols down.
//
// Each step goes through all slices at once. Compressed slices are filled again for step 4.
#include "syzygy/write/symbols.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODES = 1 << 8,    // different values
    WDL_OPEN_RUN = 5,  // runs of up to so many free values may stay open
    DTZ_LONG_RUN = 32, // shorter runs are filled from a neighbour
    TOP = 8,           // runs of 1, 2, .. 2^TOP
    POWERS = TOP + 1,
    WORD = 64, // values
    EIGHT = 8,
    TALLIES = 4
};

struct work {
    struct symbols *symbols;
    const struct syzygy_values *values;
    uint8_t *space;             // for each worker, if the values are compressed: those of a slice
    uint16_t fallback[CLASSES]; // the most frequent value that each class admits
    uint16_t id[CODES];         // the leaf or class of each value
    _Atomic uint64_t count[CODES];
    uint32_t *pieces;        // [slices][leaves][POWERS] runs of a slice, cut
    uint8_t *top;            // [leaves] the largest power that becomes a symbol
    uint16_t (*run)[POWERS]; // [leaves] the symbols of the powers
};

// Which of 64 values differ from the one before (the first value of all does not count). Eight are compared at a time.
struct borders {
    uint64_t first; // a multiple of 64; UINT64_MAX: none yet
    uint64_t mask;
};

static uint64_t find_borders(const uint8_t *values, uint64_t count, uint64_t first)
{
    const uint8_t *value = values + first;
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t differ[WORD / EIGHT];
    uint64_t any = 0;
    uint64_t mask = 0;
    if (first == 0 || count - first < WORD) {
        for (uint64_t i = first == 0; i < WORD && i < count - first; i++)
            mask |= (uint64_t)(value[i] != value[(int64_t)i - 1]) << i;
        return mask;
    }
    for (int i = 0; i < WORD / EIGHT; i++) {
        uint64_t before;
        memcpy(&before, value + (ptrdiff_t)EIGHT * i - 1, EIGHT);
        memcpy(&differ[i], value + (ptrdiff_t)EIGHT * i, EIGHT);
        differ[i] ^= before;
        any |= differ[i];
    }
    // The top bit of each byte that is not zero; then these bits are put side by side.
    for (int i = 0; i < WORD / EIGHT && any != 0; i++) {
        const uint64_t tops = ((differ[i] & low) + low) | differ[i];
        mask |= (tops >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56 << EIGHT * i;
    }
    return mask;
}

// The values of a slice, while they are there.
struct opened {
    uint8_t *value;
    uint64_t values;
};

static int open_slice(const struct work *w, uint64_t number, int worker, struct opened *slice)
{
    const struct syzygy_values *values = w->values;
    slice->values = w->symbols->slice[number].values;
    slice->value =
        values->slices == NULL ? values->values + number * SLICE_VALUES : w->space + (size_t)worker * SLICE_VALUES;
    return values->slices == NULL ? 0 : value_slice_get(values->slices, number, slice->value);
}

// The end of the run of equal values that begins at `i`. If the same `borders` served for the previous run, the values
// from `i` on must not have changed since.
static inline __attribute__((always_inline)) uint64_t run_end(const struct opened *slice, struct borders *borders,
                                                              uint64_t i)
{
    const uint64_t end = slice->values;
    uint64_t first = i / WORD * WORD;
    if (borders->first != first)
        borders->mask = find_borders(slice->value, end, first);
    uint64_t left = borders->mask & UINT64_MAX << i % WORD << 1;
    while (left == 0 && first + WORD < end) {
        first += WORD;
        left = borders->mask = find_borders(slice->value, end, first);
    }
    borders->first = first;
    const uint64_t next = left == 0 ? end : first + (uint64_t)__builtin_ctzll(left);
    return next < end ? next : end;
}

static inline bool admits(const struct work *w, unsigned class, unsigned value)
{
    return !w->values->wdl || value <= class + 1;
}

// ---- 1. leaves ----

// Adjacent values are often equal: they are counted in separate tallies, so that no addition waits for another.
void symbols_count(const uint8_t *value, uint64_t values, uint32_t *count)
{
    uint32_t tally[TALLIES][256] = {{0}};
    uint64_t i = 0;
    for (; i + EIGHT <= values; i += EIGHT) {
        uint64_t eight;
        memcpy(&eight, value + i, EIGHT);
        if (eight == (eight << 8 | eight >> 56)) {
            tally[0][value[i]] += EIGHT;
            continue;
        }
        for (unsigned k = 0; k < EIGHT; k++)
            tally[k % TALLIES][eight >> 8 * k & 0xff]++;
    }
    for (; i < values; i++)
        tally[0][value[i]]++;
    for (unsigned v = 0; v < 256; v++)
        for (unsigned k = 0; k < TALLIES; k++)
            count[v] += tally[k][v];
}

static int count_values(void *context, uint64_t item, int worker)
{
    struct work *w = context;
    struct opened slice;
    uint32_t count[CODES] = {0};
    TRY(open_slice(w, item, worker, &slice));
    symbols_count(slice.value, slice.values, count);
    for (size_t v = 0; v < CODES; v++)
        if (count[v] > 0)
            atomic_fetch_add_explicit(&w->count[v], count[v], memory_order_relaxed);
    return 0;
}

static void find_leaves(struct work *w)
{
    struct symbols *s = w->symbols;
    for (unsigned class = 0; class < CLASSES; class ++) {
        uint64_t most = 0;
        for (unsigned v = 0; v < SYZYGY_FREE_MIN; v++)
            if (w->count[v] > most && admits(w, class, v)) {
                most = w->count[v];
                w->fallback[class] = (uint16_t)v;
            }
        if (most == 0 && w->count[SYZYGY_FREE_MIN + class] > 0)
            w->count[0] = 1; // so that the class admits a leaf
    }
    for (unsigned v = 0; v < SYZYGY_FREE_MIN; v++) {
        if (w->count[v] == 0)
            continue;
        for (unsigned class = 0; class < CLASSES; class ++)
            if (admits(w, class, v))
                s->admits[class] = (uint16_t)(s->leaves + 1);
        s->value[s->leaves] = (uint16_t)v;
        s->span[s->leaves] = 1;
        w->id[v] = (uint16_t)s->leaves++;
    }
    for (unsigned class = 0; class < CLASSES; class ++) {
        w->id[SYZYGY_FREE_MIN + class] = (uint16_t)(s->leaves + class);
        s->span[s->leaves + class] = 1;
    }
    s->pairs = s->ids = s->leaves + CLASSES;
    s->single = s->leaves == 1 && (w->values->wdl || s->value[0] == 0);
}

// ---- 2. free values ----

// A neighbour of a run of free values.
struct neighbour {
    unsigned value;
    bool fits;
    bool goes_on; // the value after it is the same, or may be
};

// The neighbour before `run`, which is filled already.
static struct neighbour before_run(const struct work *w, const struct opened *slice, uint64_t run, unsigned class)
{
    struct neighbour left = {.fits = run > 0};
    if (left.fits) {
        left.value = slice->value[run - 1];
        left.fits = admits(w, class, left.value);
        left.goes_on = run > 1 && slice->value[run - 2] == left.value;
    }
    return left;
}

// The neighbour at `end`, which is not free.
static struct neighbour after_run(const struct work *w, const struct opened *slice, uint64_t end, unsigned class)
{
    struct neighbour right = {.fits = end < slice->values};
    if (right.fits) {
        const unsigned next = end + 1 < slice->values ? slice->value[end + 1] : CODES;
        right.value = slice->value[end];
        right.fits = admits(w, class, right.value);
        right.goes_on = next == right.value ||
                        (next >= SYZYGY_FREE_MIN && next < CODES && admits(w, next - SYZYGY_FREE_MIN, right.value));
    }
    return right;
}

// What the free values run..end-1 of a slice become; `class` is the strictest of their classes, and the values around
// them are not free. -1: they stay open.
static int filler(const struct work *w, const struct opened *slice, uint64_t run, uint64_t end, unsigned class)
{
    const bool wdl = w->values->wdl;
    const bool longer = end - run > WDL_OPEN_RUN;
    if (!wdl && !w->values->go_on && end - run >= DTZ_LONG_RUN)
        return w->fallback[class];
    const struct neighbour left = before_run(w, slice, run, class);
    const struct neighbour right = after_run(w, slice, end, class);
    if (!left.fits && !right.fits)
        return !wdl || longer ? (int)w->fallback[class] : -1;
    if (!left.fits || !right.fits)
        return (int)(left.fits ? left.value : right.value);
    if (wdl && w->values->go_on)
        return (int)(!left.goes_on && right.goes_on ? right.value : left.value);
    return (int)(w->count[right.value] > w->count[left.value] ? right.value : left.value);
}

static void cut(uint32_t *piece, uint64_t run)
{
    piece[TOP] += (uint32_t)(run >> TOP);
    for (unsigned rest = run & ((1 << TOP) - 1); rest != 0; rest &= rest - 1)
        piece[__builtin_ctz(rest)]++;
}

// Fills a slice and cuts its runs. Returns the number of values that stay open.
static uint32_t fill_and_cut(const struct work *w, struct opened *slice, uint32_t *pieces)
{
    struct borders borders = {UINT64_MAX, 0};
    uint32_t open = 0;
    uint64_t cut_at = 0; // the start of the current run of equal values
    int last = -1;       // its value; -1: it stays open
    for (uint64_t i = 0; i < slice->values;) {
        const uint64_t run = i;
        int value = slice->value[i];
        i = run_end(slice, &borders, i);
        if (value >= SYZYGY_FREE_MIN) {
            int class = value - SYZYGY_FREE_MIN;
            for (; i < slice->values && slice->value[i] >= SYZYGY_FREE_MIN; i = run_end(slice, &borders, i))
                class = slice->value[i] - SYZYGY_FREE_MIN < class ? slice->value[i] - SYZYGY_FREE_MIN : class;
            value = filler(w, slice, run, i, (unsigned)class);
            if (value >= 0)
                memset(slice->value + run, value, i - run);
            else
                open += (uint32_t)(i - run);
        }
        if (value == last && value >= 0)
            continue;
        if (last >= 0)
            cut(pieces + (size_t)w->id[last] * POWERS, run - cut_at);
        cut_at = run;
        last = value;
    }
    if (last >= 0)
        cut(pieces + (size_t)w->id[last] * POWERS, slice->values - cut_at);
    return open;
}

// Does steps 2 and 3 for a slice.
static int prepare_slice(void *context, uint64_t item, int worker)
{
    const struct work *w = context;
    struct opened slice;
    TRY(open_slice(w, item, worker, &slice));
    w->symbols->slice[item].length = fill_and_cut(w, &slice, w->pieces + item * w->symbols->leaves * POWERS);
    return 0;
}

// ---- 3. runs ----

unsigned symbols_pair(struct symbols *s, unsigned left, unsigned right)
{
    const unsigned id = s->ids++;
    s->left[id] = (uint16_t)left;
    s->right[id] = (uint16_t)right;
    s->span[id] = (uint16_t)(s->span[left] + s->span[right]);
    s->height[id] = (uint8_t)(1 + (s->height[left] > s->height[right] ? s->height[left] : s->height[right]));
    return id;
}

// Chooses the powers of a leaf that become symbols, and adds their pieces to the lengths of slices.
static void make_runs(struct work *w, unsigned leaf, uint64_t frequent)
{
    struct symbols *s = w->symbols;
    const size_t stride = (size_t)s->leaves * POWERS;
    uint64_t units = 0; // pieces of 2^power if that were the largest one
    unsigned top = TOP;
    for (;; top--) {
        units *= 2;
        for (size_t i = 0; i < s->slices; i++)
            units += w->pieces[i * stride + leaf * POWERS + top];
        if (top == 0 || units >= frequent)
            break;
    }
    w->run[leaf][0] = (uint16_t)leaf;
    unsigned made = 0;
    while (made < top && s->ids < IDS_MAX / 2) {
        w->run[leaf][made + 1] = (uint16_t)symbols_pair(s, w->run[leaf][made], w->run[leaf][made]);
        made++;
    }
    w->top[leaf] = (uint8_t)made;
    for (size_t i = 0; i < s->slices; i++)
        for (unsigned power = 0; power <= TOP; power++) {
            const uint32_t pieces = w->pieces[i * stride + leaf * POWERS + power];
            s->slice[i].length += power > made ? pieces << (power - made) : pieces;
        }
}

// ---- 4. symbols ----

static int write_symbols(void *context, uint64_t item, int worker)
{
    const struct work *w = context;
    struct opened slice;
    struct borders borders = {UINT64_MAX, 0};
    uint16_t *out = w->symbols->slice[item].symbol;
    TRY(open_slice(w, item, worker, &slice));
    if (w->values->slices != NULL) {
        uint32_t unused[CODES * POWERS] = {0};
        fill_and_cut(w, &slice, unused);
        value_slice_drop(w->values->slices, item);
    }
    for (uint64_t i = 0; i < slice.values;) {
        const unsigned id = w->id[slice.value[i]];
        if (id >= w->symbols->leaves) {
            *out++ = (uint16_t)id;
            i++;
            continue;
        }
        const uint64_t next = run_end(&slice, &borders, i);
        const unsigned top = w->top[id];
        for (uint64_t run = next - i; run > 0;) {
            const unsigned whole = 63U - (unsigned)__builtin_clzll(run);
            const unsigned power = whole < top ? whole : top;
            *out++ = w->run[id][power];
            run -= UINT64_C(1) << power;
        }
        i = next;
    }
    return 0;
}

static int make_symbols(struct work *w, uint64_t frequent, struct thread_pool *pool)
{
    struct symbols *s = w->symbols;
    TRY(memory_new(&w->pieces, s->slices * s->leaves, POWERS * sizeof *w->pieces, "runs of values"));
    TRY(memory_new(&w->top, s->leaves, sizeof *w->top, "runs of values"));
    TRY(memory_new(&w->run, s->leaves, sizeof *w->run, "runs of values"));
    TRY(threads_each(pool, s->slices, prepare_slice, w));
    for (unsigned leaf = 0; leaf < s->leaves; leaf++)
        make_runs(w, leaf, frequent);
    uint64_t length = 0;
    for (size_t i = 0; i < s->slices; i++)
        length += s->slice[i].length;
    const size_t bytes = (length * sizeof *s->stream + 63) / 64 * 64;
    s->stream = s->spare = w->values->scratch;
    s->spare_bytes = w->values->scratch_bytes;
    if (s->spare_bytes < bytes) {
        memory_drop(w->values->scratch, w->values->scratch_bytes);
        s->stream = memory_map(bytes);
        s->stream_bytes = bytes;
    } else {
        s->spare = (uint8_t *)s->spare + bytes;
        s->spare_bytes -= bytes;
    }
    if (s->stream == NULL)
        return error_memory(bytes, "symbols");
    length = 0;
    for (size_t i = 0; i < s->slices; i++) {
        s->slice[i].symbol = s->stream + length;
        length += s->slice[i].length;
    }
    return threads_each(pool, s->slices, write_symbols, w);
}

int symbols_open(struct symbols *s, const struct syzygy_values *values, uint64_t frequent, struct thread_pool *pool)
{
    memset(s, 0, sizeof *s);
    struct work w = {.symbols = s, .values = values};
    s->slices = (values->count + SLICE_VALUES - 1) / SLICE_VALUES;
    TRY(memory_new(&s->slice, s->slices, sizeof *s->slice, "slices of values"));
    for (size_t i = 0; i < s->slices; i++) {
        const uint64_t rest = values->count - i * SLICE_VALUES;
        s->slice[i].values = rest < SLICE_VALUES ? rest : SLICE_VALUES;
    }
    int code = 0;
    if (values->slices != NULL)
        code = memory_new(&w.space, (size_t)threads_count(pool), SLICE_VALUES, "slices of values");
    THEN(code, threads_each(pool, s->slices, count_values, &w));
    if (code == 0)
        find_leaves(&w);
    if (code == 0 && !s->single)
        code = make_symbols(&w, frequent, pool);
    free(w.pieces);
    free(w.top);
    free(w.run);
    free(w.space);
    return code;
}

void symbols_close(struct symbols *s)
{
    free(s->slice);
    if (s->stream_bytes > 0)
        memory_unmap(s->stream, s->stream_bytes);
    *s = (struct symbols){.slice = NULL};
}
