// symbols.c - the values of a sub-table as symbols, before pairs are looked for
//
//     1. Count the values. Those that occur are the leaves.
//     2. Fill runs of free values: from a neighbour that fits, the one whose value is more frequent; else a short run
//        of outcomes stays open, and others take the most frequent value, as long runs of distances always do.
//     3. Cut runs of a leaf into powers of two, the largest first: what pairing would make of them in many rounds. A
//        power that is rare is left to pairing.
//     4. Write the symbols down.
//
// Each step goes through all slices at once.
#include "syzygy/write/symbols.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODES = 1 << 16,   // values of either width
    WDL_OPEN_RUN = 5,  // runs of free values up to this may stay open
    DTZ_LONG_RUN = 32, // shorter ones are filled from a neighbour
    TOP = 8,           // runs of 1, 2, .. 2^TOP
    POWERS = TOP + 1,
    BYTES_RISE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ // of a loaded word
};

struct work {
    struct symbols *symbols;
    const struct syzygy_values *values;
    unsigned free_min;          // the first class among the values
    uint16_t fallback[CLASSES]; // the most frequent value that a class admits
    uint16_t *id;               // [CODES] of a value: its leaf or class
    _Atomic uint64_t *count;    // [CODES] of a value
    uint32_t *pieces;           // [slices][leaves][POWERS] runs of a slice, cut
    uint8_t *top;               // [leaves] the largest power made
    uint16_t (*run)[POWERS];    // [leaves] their symbols
};

int each(struct thread_pool *pool, uint64_t count, int (*work)(void *context, uint64_t item, int worker), void *context)
{
    if (pool != NULL)
        return threads_each(pool, count, work, context);
    int code = 0;
    for (uint64_t i = 0; i < count && code == 0; i++)
        code = work(context, i, 0);
    return code;
}

// `width` is a constant where these are called, for the sake of speed.
#define INLINE static inline __attribute__((always_inline))

INLINE unsigned get(const struct work *w, uint64_t i, unsigned width)
{
    return width == 1 ? ((const uint8_t *)w->values->values)[i] : ((const uint16_t *)w->values->values)[i];
}

// The end of the run of equal values that begins at `i`.
INLINE uint64_t run_end(const struct work *w, uint64_t i, uint64_t end, unsigned width)
{
    const unsigned value = get(w, i++, width);
    if (width == 1) {
        for (uint64_t eight; i + 8 <= end; i += 8) {
            memcpy(&eight, (const uint8_t *)w->values->values + i, 8);
            eight ^= value * UINT64_C(0x0101010101010101);
            if (eight != 0 && BYTES_RISE)
                return i + (uint64_t)__builtin_ctzll(eight) / 8;
            if (eight != 0)
                break;
        }
    }
    while (i < end && get(w, i, width) == value)
        i++;
    return i;
}

INLINE void put(const struct work *w, uint64_t start, uint64_t end, unsigned value, unsigned width)
{
    if (width == 1)
        memset((uint8_t *)w->values->values + start, (int)value, end - start);
    for (uint64_t i = start; i < end && width == 2; i++)
        ((uint16_t *)w->values->values)[i] = (uint16_t)value;
}

static inline bool admits(const struct work *w, unsigned class, unsigned value)
{
    return !w->values->wdl || value <= class + 1;
}

// ---- 1. leaves ----

INLINE void count_slice(const struct work *w, uint64_t i, uint64_t end, uint32_t *count, unsigned width)
{
    while (i < end) {
        const uint64_t run = i;
        i = run_end(w, i, end, width);
        count[get(w, run, width)] += (uint32_t)(i - run);
    }
}

static int count_values(void *context, uint64_t item, int worker)
{
    (void)worker;
    struct work *w = context;
    const size_t codes = w->values->width == 1 ? 256 : CODES;
    uint32_t *count;
    TRY(memory_new(&count, codes, sizeof *count, "counts of values"));
    const uint64_t start = item * SLICE_VALUES;
    const uint64_t end = start + w->symbols->slice[item].values;
    if (w->values->width == 1)
        count_slice(w, start, end, count, 1);
    else
        count_slice(w, start, end, count, 2);
    for (size_t v = 0; v < codes; v++)
        if (count[v] > 0)
            atomic_fetch_add_explicit(&w->count[v], count[v], memory_order_relaxed);
    free(count);
    return 0;
}

static void find_leaves(struct work *w)
{
    struct symbols *s = w->symbols;
    for (unsigned class = 0; class < CLASSES; class ++) {
        uint64_t most = 0;
        for (unsigned v = 0; v < w->free_min; v++)
            if (w->count[v] > most && admits(w, class, v)) {
                most = w->count[v];
                w->fallback[class] = (uint16_t)v;
            }
        if (most == 0 && w->count[w->free_min + class] > 0)
            w->count[0] = 1; // no leaf would do
    }
    for (unsigned v = 0; v < w->free_min; v++) {
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
        w->id[w->free_min + class] = (uint16_t)(s->leaves + class);
        s->span[s->leaves + class] = 1;
    }
    s->pairs = s->ids = s->leaves + CLASSES;
    s->single = s->leaves == 1 && (w->values->wdl || s->value[0] == 0);
}

// ---- 2. free values ----

// What the free values run..end-1 of a slice become, of which `class` is the strictest class; those around them are not
// free. -1: they stay open.
INLINE int filler(const struct work *w, uint64_t run, uint64_t end, unsigned class, uint64_t start, uint64_t slice_end,
                  unsigned width)
{
    const bool wdl = w->values->wdl;
    unsigned value = w->fallback[class];
    uint64_t most = 0;
    for (int side = 0; side < 2 && (wdl || end - run < DTZ_LONG_RUN); side++) {
        if (side == 0 ? run == start : end == slice_end)
            continue;
        const unsigned neighbour = get(w, side == 0 ? run - 1 : end, width);
        if (admits(w, class, neighbour) && w->count[neighbour] > most) {
            most = w->count[neighbour];
            value = neighbour;
        }
    }
    return !wdl || most > 0 || end - run > WDL_OPEN_RUN ? (int)value : -1;
}

static void cut(uint32_t *piece, uint64_t run)
{
    piece[TOP] += (uint32_t)(run >> TOP);
    for (unsigned rest = run & ((1 << TOP) - 1); rest != 0; rest &= rest - 1)
        piece[__builtin_ctz(rest)]++;
}

// Steps 2 and 3 of a slice.
INLINE void fill_and_cut(const struct work *w, uint64_t item, unsigned width)
{
    struct slice *slice = &w->symbols->slice[item];
    const uint64_t start = item * SLICE_VALUES;
    const uint64_t end = start + slice->values;
    uint32_t *pieces = w->pieces + item * w->symbols->leaves * POWERS;
    uint64_t cut_at = start; // the start of the run of equal values in hand
    int last = -1;           // its value; -1: it stays open
    for (uint64_t i = start; i < end;) {
        const uint64_t run = i;
        int value = (int)get(w, i, width);
        i = run_end(w, i, end, width);
        if ((unsigned)value >= w->free_min) {
            unsigned class = (unsigned)value - w->free_min;
            while (i < end && get(w, i, width) >= w->free_min) {
                class = get(w, i, width) - w->free_min < class ? get(w, i, width) - w->free_min : class;
                i = run_end(w, i, end, width);
            }
            value = filler(w, run, i, class, start, end, width);
            if (value >= 0)
                put(w, run, i, (unsigned)value, width);
            else
                slice->length += (uint32_t)(i - run);
        }
        if (value == last && value >= 0)
            continue;
        if (last >= 0)
            cut(pieces + (size_t)w->id[last] * POWERS, run - cut_at);
        cut_at = run;
        last = value;
    }
    if (last >= 0)
        cut(pieces + (size_t)w->id[last] * POWERS, end - cut_at);
}

static int fill_and_cut_slice(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct work *w = context;
    if (w->values->width == 1)
        fill_and_cut(w, item, 1);
    else
        fill_and_cut(w, item, 2);
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

// Chooses the powers of a leaf that become symbols, and adds to the lengths of slices.
static void make_runs(struct work *w, unsigned leaf, uint64_t frequent)
{
    struct symbols *s = w->symbols;
    const size_t stride = (size_t)s->leaves * POWERS;
    uint64_t units = 0; // pieces of 2^power if that were the largest
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

INLINE void write_slice(const struct work *w, uint64_t item, unsigned width)
{
    const struct slice *slice = &w->symbols->slice[item];
    uint16_t *out = slice->symbol;
    const uint64_t end = item * SLICE_VALUES + slice->values;
    for (uint64_t i = item * SLICE_VALUES; i < end;) {
        const unsigned id = w->id[get(w, i, width)];
        if (id >= w->symbols->leaves) {
            *out++ = (uint16_t)id;
            i++;
            continue;
        }
        const uint64_t next = run_end(w, i, end, width);
        uint64_t run = next - i;
        for (unsigned power = w->top[id]; run > 0; power--)
            for (; run >> power != 0; run -= 1u << power)
                *out++ = w->run[id][power];
        i = next;
    }
}

static int write_symbols(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct work *w = context;
    if (w->values->width == 1)
        write_slice(w, item, 1);
    else
        write_slice(w, item, 2);
    if (w->values->drop && w->symbols->spare_bytes < COUNTS_BYTES)
        memory_drop((uint8_t *)w->values->values + item * SLICE_VALUES * w->values->width,
                    w->symbols->slice[item].values * w->values->width);
    return 0;
}

static int make_symbols(struct work *w, uint64_t frequent, struct thread_pool *pool)
{
    struct symbols *s = w->symbols;
    TRY(memory_new(&w->pieces, s->slices * s->leaves, POWERS * sizeof *w->pieces, "runs of values"));
    TRY(memory_new(&w->top, s->leaves, sizeof *w->top, "runs of values"));
    TRY(memory_new(&w->run, s->leaves, sizeof *w->run, "runs of values"));
    TRY(each(pool, s->slices, fill_and_cut_slice, w));
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
    return each(pool, s->slices, write_symbols, w);
}

int symbols_open(struct symbols *s, const struct syzygy_values *values, uint64_t frequent, struct thread_pool *pool)
{
    memset(s, 0, sizeof *s);
    struct work w = {.symbols = s, .values = values, .free_min = values->width == 1 ? SYZYGY_FREE_MIN : 0xfffc};
    s->slices = (values->count + SLICE_VALUES - 1) / SLICE_VALUES;
    TRY(memory_new(&s->slice, s->slices, sizeof *s->slice, "slices of values"));
    for (size_t i = 0; i < s->slices; i++) {
        const uint64_t rest = values->count - i * SLICE_VALUES;
        s->slice[i].values = rest < SLICE_VALUES ? rest : SLICE_VALUES;
    }
    int code = memory_new(&w.count, CODES, sizeof *w.count, "counts of values");
    if (code == 0)
        code = memory_new(&w.id, CODES, sizeof *w.id, "counts of values");
    if (code == 0)
        code = each(pool, s->slices, count_values, &w);
    if (code == 0)
        find_leaves(&w);
    if (code == 0 && !s->single)
        code = make_symbols(&w, frequent, pool);
    free(w.count);
    free(w.id);
    free(w.pieces);
    free(w.top);
    free(w.run);
    return code;
}

void symbols_close(struct symbols *s)
{
    free(s->slice);
    if (s->stream_bytes > 0)
        memory_unmap(s->stream, s->stream_bytes);
    *s = (struct symbols){.slice = NULL};
}
