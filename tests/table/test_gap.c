// test_gap.c - the gap code against a coder that works bit by bit, and bytes that are not a code
#include "support/support.h"

#include <cltb/gap.h>

enum { BITS_MAX = 20000, WORDS_MAX = BITS_MAX / 64 + 1, GUARD = 0xa5 };

struct plane {
    uint64_t bits;
    uint64_t word[WORDS_MAX];
};

static void set(struct plane *plane, uint64_t bit)
{
    plane->word[bit / 64] |= UINT64_C(1) << bit % 64;
}

// About one bit in `one_in` is set.
static struct plane random_plane(uint64_t bits, uint64_t one_in)
{
    struct plane plane = {.bits = bits};
    for (uint64_t bit = 0; bit < bits; bit++)
        plane.word[bit / 64] |= (uint64_t)(random_u64() % one_in == 0) << bit % 64;
    return plane;
}

struct code {
    size_t bytes;
    uint8_t byte[BITS_MAX];
};

static struct code naive_code(const struct plane *plane)
{
    struct code code = {.bytes = 0};
    size_t end = 0; // of the code of the last one
    unsigned gap = 0;
    for (uint64_t bit = 0; bit < plane->bits; bit++) {
        if (bit_at(plane->word, bit)) {
            code.byte[code.bytes++] = (uint8_t)gap;
            end = code.bytes;
            gap = 0;
        } else if (++gap == 255) {
            code.byte[code.bytes++] = 255;
            gap = 0;
        }
    }
    code.bytes = end;
    return code;
}

static uint64_t naive_ones(const struct plane *plane)
{
    uint64_t ones = 0;
    for (uint64_t bit = 0; bit < plane->bits; bit++)
        ones += bit_at(plane->word, bit);
    return ones;
}

// Encoding with just enough room, with too little, and with junk after the plane's last bit.
static void check_encode(const struct plane *plane, const struct code *expected)
{
    uint8_t *code = malloc(expected->bytes + 1);
    struct plane junk = *plane;
    size_t bytes;
    assert_non_null(code);
    if (plane->bits % 64 != 0)
        junk.word[plane->bits / 64] |= ~UINT64_C(0) << plane->bits % 64;
    code[expected->bytes] = GUARD;
    GOOD(cltb_gap_encode(junk.word, plane->bits, code, expected->bytes, &bytes));
    assert_int_equal(bytes, expected->bytes);
    assert_memory_equal(code, expected->byte, bytes);
    assert_int_equal(code[expected->bytes], GUARD);
    assert_int_equal(cltb_gap_size(junk.word, plane->bits), expected->bytes);
    assert_int_equal(cltb_gap_ones(junk.word, plane->bits), naive_ones(plane));
    for (size_t less = 1; less <= expected->bytes && less <= 70; less++) {
        code[expected->bytes - less] = GUARD;
        assert_int_equal(cltb_gap_encode(plane->word, plane->bits, code, expected->bytes - less, &bytes), CLTB_E_USAGE);
        assert_int_equal(code[expected->bytes - less], GUARD);
    }
    free(code);
}

// Decoding over other bits and into other bits; the last word has bits after the plane's end.
static void check_decode(const struct plane *plane, const struct code *code, uint64_t right_ones)
{
    const size_t words = (plane->bits + 63) / 64;
    const uint64_t behind = plane->bits % 64 != 0 ? random_u64() << plane->bits % 64 : 0;
    uint64_t ones = 0;
    GOOD(cltb_gap_check(code->byte, code->bytes, plane->bits, &ones));
    assert_int_equal(ones, right_ones);
    for (int both = 0; both < 2; both++) {
        struct plane other = random_plane(plane->bits, 3);
        if (words > 0)
            other.word[words - 1] |= behind;
        struct plane right = both ? other : (struct plane){.bits = plane->bits};
        if (words > 0)
            right.word[words - 1] |= behind;
        for (size_t w = 0; w < words; w++)
            right.word[w] |= plane->word[w];
        ones = 0;
        GOOD((both ? cltb_gap_decode_or : cltb_gap_decode)(code->byte, code->bytes, other.word, plane->bits, &ones));
        assert_int_equal(ones, right_ones);
        assert_memory_equal(&other, &right, sizeof other);
    }
}

static void check_plane(const struct plane *plane)
{
    const struct code code = naive_code(plane);
    const uint64_t ones = naive_ones(plane);
    check_encode(plane, &code);
    check_decode(plane, &code, ones);
    assert_true(255 * (code.bytes - ones) <= plane->bits - ones);
    assert_true(code.bytes <= cltb_gap_bound(plane->bits, ones));
    assert_true(cltb_gap_bound(plane->bits, ones) <= cltb_gap_bound(plane->bits, plane->bits));
    assert_int_equal(cltb_gap_bound(plane->bits, UINT64_MAX), plane->bits);
}

// The code of a | b from their codes, with just enough room and too little.
static void check_or(const struct plane *a, const struct plane *b)
{
    const struct code x = naive_code(a);
    const struct code y = naive_code(b);
    struct plane either = *a;
    for (size_t w = 0; w < WORDS_MAX; w++)
        either.word[w] |= b->word[w];
    const struct code expected = naive_code(&either);
    uint8_t *made = malloc(expected.bytes + 1);
    size_t bytes;
    assert_non_null(made);
    assert_true(expected.bytes <= x.bytes + y.bytes);
    GOOD(cltb_gap_or(x.byte, x.bytes, y.byte, y.bytes, a->bits, made, expected.bytes, &bytes));
    assert_int_equal(bytes, expected.bytes);
    assert_memory_equal(made, expected.byte, bytes);
    if (expected.bytes > 0) {
        const size_t less = expected.bytes - 1;
        made[less] = GUARD;
        assert_int_equal(cltb_gap_or(x.byte, x.bytes, y.byte, y.bytes, a->bits, made, less, &bytes), CLTB_E_USAGE);
        assert_int_equal(made[less], GUARD);
    }
    free(made);
}

TEST(test_example)
{
    const uint64_t plane = 1 << 2 | 1 << 3 | 1 << 5;
    uint8_t code[8];
    size_t bytes;
    GOOD(cltb_gap_encode(&plane, 8, code, sizeof code, &bytes));
    assert_int_equal(bytes, 3);
    assert_memory_equal(code, "\x02\x00\x01", 3);
}

static const uint64_t lengths[] = {0,   1,   2,   63,  64,  65,  127, 128,  129,  254,  255,  256,  257,
                                   509, 510, 511, 512, 513, 575, 576, 1000, 4096, 5000, 9999, 16384};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

TEST(test_lengths_and_densities)
{
    static const uint64_t one_in[] = {1, 2, 3, 8, 17, 60, 250, 1000, 5000, UINT64_MAX};
    for (size_t i = 0; i < LENGTHS; i++) {
        for (size_t d = 0; d < sizeof one_in / sizeof one_in[0]; d++) {
            const struct plane plane = random_plane(lengths[i], one_in[d]);
            const struct plane other = random_plane(lengths[i], one_in[random_u64() % 9]);
            check_plane(&plane);
            check_or(&plane, &other);
            check_or(&other, &plane);
        }
    }
}

// Short and long stretches of ones and zeros in turn.
TEST(test_stretches)
{
    for (int round = 0; round < 200; round++) {
        struct plane plane = {.bits = random_u64() % BITS_MAX};
        const struct plane other = random_plane(plane.bits, 1 + random_u64() % 300);
        for (uint64_t bit = 0; bit < plane.bits;) {
            bit += random_u64() % 3 == 0 ? random_u64() % 1500 : random_u64() % 70;
            for (uint64_t end = bit + random_u64() % 100; bit < end && bit < plane.bits; bit++)
                set(&plane, bit);
        }
        check_plane(&plane);
        check_or(&plane, &other);
    }
}

TEST(test_single_bits)
{
    for (size_t i = 1; i < LENGTHS; i++) {
        const uint64_t at[] = {0, lengths[i] - 1, lengths[i] / 2};
        struct plane all = {.bits = lengths[i]};
        for (size_t k = 0; k < 3; k++) {
            struct plane plane = {.bits = lengths[i]};
            set(&plane, at[k]);
            set(&all, at[k]);
            check_plane(&plane);
            check_or(&plane, &all);
        }
        check_plane(&all);
    }
}

// Gaps of a length, at the beginning, in the middle and (not coded) at the end, from every bit of a word.
TEST(test_gaps)
{
    static const uint64_t gaps[] = {0, 1, 62, 63, 64, 65, 253, 254, 255, 256, 257, 509, 510, 511, 764, 765, 766};
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        for (uint64_t start = 0; start < 66; start++) {
            struct plane plane = {.bits = start + 2 * gaps[i] + 2};
            set(&plane, start);
            set(&plane, start + gaps[i] + 1);
            check_plane(&plane);
            plane.bits -= gaps[i];
            check_plane(&plane);
        }
        struct plane first = {.bits = gaps[i] + 1};
        set(&first, gaps[i]);
        const struct code code = naive_code(&first);
        assert_int_equal(code.bytes, gaps[i] / 255 + 1);
        check_plane(&first);
    }
}

// Every function refuses them and changes nothing.
static void refuse(const uint8_t *code, size_t bytes, uint64_t bits)
{
    struct plane plane = random_plane(bits, 2);
    const struct plane before = plane;
    uint8_t made[600];
    size_t made_bytes;
    uint64_t ones;
    FAILS(cltb_gap_check(code, bytes, bits, &ones), CLTB_E_CORRUPT, "gap code");
    assert_int_equal(cltb_gap_decode(code, bytes, plane.word, bits, &ones), CLTB_E_CORRUPT);
    assert_int_equal(cltb_gap_decode_or(code, bytes, plane.word, bits, &ones), CLTB_E_CORRUPT);
    assert_memory_equal(&plane, &before, sizeof plane);
    assert_int_equal(cltb_gap_or(code, bytes, NULL, 0, bits, made, sizeof made, &made_bytes), CLTB_E_CORRUPT);
    assert_int_equal(cltb_gap_or(NULL, 0, code, bytes, bits, made, sizeof made, &made_bytes), CLTB_E_CORRUPT);
}

TEST(test_refused)
{
    static const uint8_t all_zero[300] = {0};
    static const struct {
        uint8_t code[2];
        size_t bytes;
        uint64_t bits; // the least that a plane must have
    } codes[] = {{{0}, 1, 1}, {{0}, 2, 2}, {{255, 3}, 2, 259}, {{254}, 1, 255}};
    uint8_t all_long[300];
    memset(all_long, 255, sizeof all_long);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        refuse(codes[i].code, codes[i].bytes, codes[i].bits - 1);
        GOOD(cltb_gap_check(codes[i].code, codes[i].bytes, codes[i].bits, NULL));
    }
    refuse(all_zero, 65, 64);
    refuse(all_zero, 300, 299);
    GOOD(cltb_gap_check(all_zero, 300, 300, NULL));
    for (size_t bytes = 1; bytes < sizeof all_long; bytes++)
        refuse(all_long, bytes, BITS_MAX); // zeros at the end are not coded
}

// Any cut of a code gives a plane with fewer ones, or is refused; codes of other lengths of plane likewise.
TEST(test_cuts)
{
    const struct plane plane = random_plane(16000, 300);
    const struct code code = naive_code(&plane);
    const uint64_t all = naive_ones(&plane);
    assert_true(code.bytes > 20);
    for (size_t bytes = 0; bytes < code.bytes; bytes++) {
        uint64_t ones = 0;
        if (bytes > 0 && code.byte[bytes - 1] == 255) {
            refuse(code.byte, bytes, plane.bits);
            continue;
        }
        GOOD(cltb_gap_check(code.byte, bytes, plane.bits, &ones));
        assert_true(ones < all);
    }
    uint64_t last = plane.bits - 1;
    while (!bit_at(plane.word, last))
        last--;
    GOOD(cltb_gap_check(code.byte, code.bytes, last + 1, NULL));
    refuse(code.byte, code.bytes, last);
}

TESTS(NULL, NULL)
