// lane_template.h - the lane kernels for one word width and instruction set
//
// The includer defines WORD_BITS (64 or 512) and KERNELS (the name of the table), and is compiled once per instruction
// set. With 512 bits and AVX-512 the digits are exchanged by wide shuffles, otherwise by shifts and masks.
#include "solve/cpu/lane_kernels.h"
#include "solve/cpu/wide_shuffles.h"

#include <string.h>

#if WORD_BITS == 64
typedef uint64_t lane_t;
#define WORD_DIGITS 2
#else
typedef uint64_t lane_t __attribute__((vector_size(64), may_alias));
#define WORD_DIGITS 3
#endif

#define QWORDS (WORD_BITS / 64)

#include "kernels/sweep.h"

#define WIDE_LANES (WORD_BITS == 512 && WIDE_SHUFFLES)

static inline lane_t lane_fill(uint64_t value)
{
#if WORD_BITS == 64
    return value;
#else
    return (lane_t){value, value, value, value, value, value, value, value};
#endif
}

static inline bool lane_any(lane_t value)
{
#if WORD_BITS == 64
    return value != 0;
#elif WIDE_LANES
    return _mm512_test_epi64_mask((__m512i)value, (__m512i)value) != 0;
#else
    return (value[0] | value[1] | value[2] | value[3] | value[4] | value[5] | value[6] | value[7]) != 0;
#endif
}

#if !WIDE_LANES
static inline unsigned lane_count(lane_t value)
{
#if WORD_BITS == 64
    return (unsigned)__builtin_popcountll(value);
#else
    unsigned sum = 0;
    for (int i = 0; i < QWORDS; i++)
        sum += (unsigned)__builtin_popcountll(value[i]);
    return sum;
#endif
}
#endif

// The lanes in which word digit `digit` is l. A table, because a mask computed on the spot would go through memory and
// stall the next load.
#define ALL UINT64_MAX
#define EIGHT(value)                                                                                                   \
    {                                                                                                                  \
        value, value, value, value, value, value, value, value                                                         \
    }
#define DIGIT0(l) EIGHT(UINT64_C(0x0101010101010101) << (l))
#define DIGIT1(l) EIGHT(UINT64_C(0xff) << 8 * (l))

// clang-format off
static const uint64_t digit_masks[WORD_DIGITS_MAX][8][8] __attribute__((aligned(64))) = {
    {DIGIT0(0), DIGIT0(1), DIGIT0(2), DIGIT0(3), DIGIT0(4), DIGIT0(5), DIGIT0(6), DIGIT0(7)},
    {DIGIT1(0), DIGIT1(1), DIGIT1(2), DIGIT1(3), DIGIT1(4), DIGIT1(5), DIGIT1(6), DIGIT1(7)},
    {{[0] = ALL}, {[1] = ALL}, {[2] = ALL}, {[3] = ALL}, {[4] = ALL}, {[5] = ALL}, {[6] = ALL}, {[7] = ALL}},
};
// clang-format on

static inline lane_t lane_digit_mask(int digit, unsigned l)
{
    return *(const lane_t *)(const void *)digit_masks[digit][l];
}

// ---- exchanging a word digit with the number of the word, in 8 words ----

// Exchanges bit `1 << n` of a shift within 64 bits with bit `step` of the word number.
static inline void exchange_bit(lane_t w[8], int step, int shift, uint64_t low)
{
    const lane_t mask = lane_fill(low);
    for (int i = 0; i < 8; i++) {
        if (i & step)
            continue;
        const lane_t a = w[i];
        const lane_t b = w[i + step];
        w[i] = (a & mask) | (b & mask) << shift;
        w[i + step] = (a >> shift & mask) | (b & ~mask);
    }
}

#if WIDE_LANES

static inline void exchange_digit2(lane_t w[8])
{
    __m512i a[8];
    __m512i b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm512_unpacklo_epi64((__m512i)w[i], (__m512i)w[i + 1]);
        a[i + 1] = _mm512_unpackhi_epi64((__m512i)w[i], (__m512i)w[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int j = 0; j < 2; j++) {
            b[i + j] = _mm512_shuffle_i64x2(a[i + j], a[i + j + 2], 0x88);
            b[i + j + 2] = _mm512_shuffle_i64x2(a[i + j], a[i + j + 2], 0xdd);
        }
    }
    for (int j = 0; j < 4; j++) {
        w[j] = (lane_t)_mm512_shuffle_i64x2(b[j], b[j + 4], 0x88);
        w[j + 4] = (lane_t)_mm512_shuffle_i64x2(b[j], b[j + 4], 0xdd);
    }
}

// Moves word digit t out into the word number. The digit that was there becomes word digit 2, and those above t move
// down by one.
static inline void digit_out(lane_t w[8], int t)
{
    if (t == 0) {
        for (int i = 0; i < 8; i++)
            w[i] = (lane_t)swap_digits12(swap_digits01((__m512i)w[i]));
    } else if (t == 1) {
        for (int i = 0; i < 8; i++)
            w[i] = (lane_t)swap_digits12((__m512i)w[i]);
    }
    exchange_digit2(w);
}

static inline void digit_in(lane_t w[8], int t)
{
    exchange_digit2(w);
    if (t == 0) {
        for (int i = 0; i < 8; i++)
            w[i] = (lane_t)swap_digits01(swap_digits12((__m512i)w[i]));
    } else if (t == 1) {
        for (int i = 0; i < 8; i++)
            w[i] = (lane_t)swap_digits12((__m512i)w[i]);
    }
}

#else

#if WORD_BITS == 512
static inline void exchange_digit2(lane_t w[8])
{
    uint64_t from[8][8];
    uint64_t to[8][8];
    memcpy(from, w, sizeof from);
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++)
            to[j][i] = from[i][j];
    }
    memcpy(w, to, sizeof to);
}
#endif

// Exchanges word digit t with the word number; the other digits keep their places.
static inline void digit_out(lane_t w[8], int t)
{
    if (t == 0) {
        exchange_bit(w, 1, 1, UINT64_C(0x5555555555555555));
        exchange_bit(w, 2, 2, UINT64_C(0x3333333333333333));
        exchange_bit(w, 4, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    } else if (t == 1) {
        exchange_bit(w, 1, 8, UINT64_C(0x00ff00ff00ff00ff));
        exchange_bit(w, 2, 16, UINT64_C(0x0000ffff0000ffff));
        exchange_bit(w, 4, 32, UINT64_C(0x00000000ffffffff));
    }
#if WORD_BITS == 512
    if (t == 2)
        exchange_digit2(w);
#endif
}

static inline void digit_in(lane_t w[8], int t)
{
    digit_out(w, t);
}

#endif

// The last digit that moves with a call's piece at t. If it is one of several identical pieces, the digits above it in
// the word move by one; with wide shuffles they do so anyway.
static inline int last_moved(const struct sweep_call *call, int t)
{
    return WIDE_LANES || call->places == 1 ? t : WORD_DIGITS - 1;
}

static inline void place_out(lane_t w[8], const struct sweep_call *call, int t)
{
    for (int d = last_moved(call, t); d >= t; d--)
        digit_out(w, d);
}

static inline void place_in(lane_t w[8], const struct sweep_call *call, int t)
{
    for (int d = t; d <= last_moved(call, t); d++)
        digit_in(w, d);
}

// ---- groups ----

static inline void load_group(lane_t *in, const struct sweep_call *call)
{
    const lane_t inverted = lane_fill(call->invert ? UINT64_MAX : 0);
    for (int u = 0; u < 8; u++) {
        const lane_t *tile = call->in[u];
        lane_t *square = in + 8 * u;
        if (tile == NULL) {
            for (int l = 0; l < 8; l++)
                square[l] = lane_fill(0);
            continue;
        }
        const struct sweep_place *place = &call->place[call->first[u]];
        tile += place->offset;
        for (int l = 0; l < 8; l++)
            square[l] = tile[(size_t)l * place->stride] ^ inverted;
        if (place->digit != NOT_IN_WORD)
            place_out(square, call, place->digit);
    }
}

static inline void or_into(lane_t *tile, size_t stride, const lane_t square[8])
{
    for (int l = 0; l < 8; l++)
        tile[(size_t)l * stride] |= square[l];
}

static inline unsigned store_group(const lane_t *out, const struct sweep_call *call)
{
    unsigned touched = 0;
    for (int u = 0; u < 8; u++) {
        lane_t *tile = call->out[u];
        if (tile == NULL)
            continue;
        const lane_t *square = out + 8 * u;
        if (!lane_any(square[0] | square[1] | square[2] | square[3] | square[4] | square[5] | square[6] | square[7]))
            continue;
        touched |= 1U << u;
        for (int p = call->first[u]; p <= call->last[u]; p++) {
            const struct sweep_place *place = &call->place[p];
            lane_t moved[8];
            memcpy(moved, square, sizeof moved);
            if (place->digit != NOT_IN_WORD)
                place_in(moved, call, place->digit);
            or_into(tile + place->offset, place->stride, moved);
        }
    }
    return touched;
}

// A table of masks, not masks made where a ray needs them: then each load waited for a store, and a rook's sweep of a
// group took 344 ns instead of 176, a queen's 534 instead of 252.
static inline void set_blockers(lane_t *empty, const struct sweep_call *call)
{
    for (int s = 0; s < 64; s++)
        empty[s] = lane_fill(UINT64_MAX);
    for (int i = 0; i < call->blockers; i++) {
        const struct blocker *b = &call->blocker[i];
        if (b->digit == NOT_IN_WORD) {
            empty[b->code] = lane_fill(0);
            continue;
        }
        if (b->fixed) {
            empty[b->code] &= ~lane_digit_mask(b->digit, b->l);
            continue;
        }
        for (unsigned l = 0; l < 8; l++)
            empty[b->code + l] &= ~lane_digit_mask(b->digit, l);
    }
}

static inline void sweep_squares(lane_t *out, const lane_t *in, const struct sweep_call *call)
{
    lane_t empty[64];
    if (call->type == KING) {
        sweep_king(out, in);
        return;
    }
    if (call->type == KNIGHT) {
        sweep_knight(out, in);
        return;
    }
    set_blockers(empty, call);
    if (call->type == QUEEN)
        sweep_queen(out, in, empty);
    else if (call->type == ROOK)
        sweep_rook(out, in, empty);
    else
        sweep_bishop(out, in, empty);
}

static unsigned kernel_sweep(const struct sweep_call *call)
{
    lane_t in[64];
    lane_t out[64];
    load_group(in, call);
    sweep_squares(out, in, call);
    return store_group(out, call);
}

static void kernel_attack(const struct sweep_call *call, struct blocker king)
{
    lane_t in[64];
    lane_t out[64];
    for (int s = 0; s < 64; s++)
        in[s] = lane_fill(0);
    if (king.digit == NOT_IN_WORD) {
        in[king.code] = lane_fill(UINT64_MAX);
    } else {
        for (unsigned l = 0; l < 8; l++)
            in[king.code + l] = lane_digit_mask(king.digit, l);
    }
    sweep_squares(out, in, call);
    store_group(out, call);
}

// ---- symmetries ----

#if WIDE_LANES

// to[v] |= the permuted from[map[v]] ^ inverted.
static void permute_words(lane_t *to, const lane_t *from, size_t words, const uint16_t *map,
                          const struct lane_permutation *lanes, lane_t inverted)
{
    const __m512i which = _mm512_loadu_si512(lanes->bytes);
    const __m512i bits = _mm512_set1_epi64((long long)lanes->matrix);
    for (size_t v = 0; v < words; v++) {
        const __m512i moved = _mm512_permutexvar_epi8(which, (__m512i)(from[map[v]] ^ inverted));
        to[v] |= (lane_t)_mm512_gf2p8affine_epi64_epi8(moved, bits, 0);
    }
}

#else

static inline lane_t delta_swap(lane_t x, int shift, uint64_t low)
{
    const lane_t mask = lane_fill(low);
    const lane_t t = ((x >> shift) ^ x) & mask;
    return x ^ t ^ (t << shift);
}

// Permutes a digit of 8 units of `unit` bits within 64: XOR with `reversal`, then exchange of its two low bits.
static inline lane_t permute_digit(lane_t x, int unit, bool diagonal, unsigned reversal)
{
    static const uint64_t low[2][4] = {
        {UINT64_C(0x2222222222222222), UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
         UINT64_C(0x0f0f0f0f0f0f0f0f)},
        {UINT64_C(0x0000ff000000ff00), UINT64_C(0x00ff00ff00ff00ff), UINT64_C(0x0000ffff0000ffff),
         UINT64_C(0x00000000ffffffff)},
    };
    const uint64_t *mask = low[unit == 8];
    if (reversal & 1)
        x = delta_swap(x, unit, mask[1]);
    if (reversal & 2)
        x = delta_swap(x, 2 * unit, mask[2]);
    if (reversal & 4)
        x = delta_swap(x, 4 * unit, mask[3]);
    if (diagonal)
        x = delta_swap(x, unit, mask[0]);
    return x;
}

// The same. map[l] = exchanged(l) ^ map[0]; here bits move in the opposite direction, so the reversal comes first.
static void permute_words(lane_t *to, const lane_t *from, size_t words, const uint16_t *map,
                          const struct lane_permutation *lanes, lane_t inverted)
{
    bool diagonal[2];
    for (int d = 0; d < 2; d++)
        diagonal[d] = (lanes->map[d][1] ^ lanes->map[d][0]) == 2;
    for (size_t v = 0; v < words; v++) {
        lane_t x = from[map[v]] ^ inverted;
        x = permute_digit(x, 1, diagonal[0], lanes->map[0][0]);
        x = permute_digit(x, 8, diagonal[1], lanes->map[1][0]);
#if WORD_BITS == 512
        lane_t y;
        for (int i = 0; i < 8; i++)
            y[i] = x[lanes->map[2][i]];
        x = y;
#endif
        to[v] |= x;
    }
}

#endif

static void kernel_permute(void *out, const void *in, size_t words, const uint16_t *map,
                           const struct lane_permutation *lanes, bool invert)
{
    lane_t *to = out;
    const lane_t *from = in;
    const lane_t inverted = lane_fill(invert ? UINT64_MAX : 0);
    if (lanes != NULL) {
        permute_words(to, from, words, map, lanes, inverted);
        return;
    }
    for (size_t v = 0; v < words; v++)
        to[v] |= from[v] ^ inverted;
}

// ---- new wins and losses ----

static bool kernel_any_new(const struct finish_call *call)
{
    const lane_t *moves = call->moves;
    const lane_t *closed = call->closed;
    const lane_t inverted = lane_fill(call->invert ? UINT64_MAX : 0);
    lane_t any = lane_fill(0);
    for (size_t v = 0; v < call->words; v++)
        any |= (moves[v] ^ inverted) & ~closed[v];
    return lane_any(any);
}

// Often few words have new bits; the others are not touched in the planes.
static uint64_t kernel_finish(const struct finish_call *call)
{
    const lane_t *moves = call->moves;
    lane_t *closed = call->closed;
    lane_t *fresh = call->fresh;
    const lane_t inverted = lane_fill(call->invert ? UINT64_MAX : 0);
    uint64_t count = 0;
#if WIDE_LANES
    __m512i counts = _mm512_setzero_si512();
#endif
    for (size_t v = 0; v < call->words; v++) {
        const lane_t new = (moves[v] ^ inverted) & ~closed[v];
        if (fresh != NULL)
            fresh[v] = new;
        if (!lane_any(new))
            continue;
#if WIDE_LANES
        counts = _mm512_add_epi64(counts, _mm512_popcnt_epi64((__m512i) new));
#else
        count += lane_count(new);
#endif
        closed[v] |= new;
        for (int i = 0; i < call->planes; i++) {
            lane_t *plane = call->plane[i];
            plane[v] |= new;
        }
    }
#if WIDE_LANES
    count = (uint64_t)_mm512_reduce_add_epi64(counts);
#endif
    return count;
}

#define KERNEL_TEXT_(x)    #x
#define KERNEL_TEXT(x)     KERNEL_TEXT_(x)
#define KERNEL_JOIN_(a, b) a##b
#define KERNEL_JOIN(a, b)  KERNEL_JOIN_(a, b)

extern const struct row_kernels KERNEL_JOIN(row_kernels_, CLTB_ISA);

const struct lane_kernels KERNELS = {
    .name = KERNEL_TEXT(CLTB_ISA),
    .word_bits = WORD_BITS,
    .word_digits = WORD_DIGITS,
#if WIDE_LANES
    .place = {{0, 0, 1}, {0, 0, 1}, {0, 1, 0}},
    .taken = {2, 2, 2},
#else
    .place = {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}},
    .taken = {0, 1, 2},
#endif
    .rows = &KERNEL_JOIN(row_kernels_, CLTB_ISA),
    .sweep = kernel_sweep,
    .attack = kernel_attack,
    .permute = kernel_permute,
    .any_new = kernel_any_new,
    .finish = kernel_finish,
};
