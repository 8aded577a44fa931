// test_row_kernels.c - the code of bitsets: every instruction set makes the same, and what was packed comes back, as a
// whole, or in parts for several planes
#include "support/support.h"

#include "solve/cpu/lane_kernels.h"

enum { WORDS = 4096, PLANES = 3 };

static const char *const isas[] = {"generic", "avx2", "avx512"};

struct buffers {
    uint64_t before[ROW_BEFORE];
    uint64_t bits[WORDS];
    uint64_t space_before[ROW_BEFORE];
    uint64_t space[WORDS];
    uint64_t to[PLANES][WORDS];
};

// Bits that planes have before others are added.
static uint64_t old_bits(int plane, size_t word)
{
    return (uint64_t)(plane + 1) << word % 60;
}

static void check_add(struct buffers *b, const struct row_kernels *rows, const uint8_t *code, size_t words,
                      size_t first, size_t count)
{
    uint64_t *to[PLANES];
    for (int p = 0; p < PLANES; p++) {
        to[p] = b->to[p];
        for (size_t i = 0; i < WORDS; i++)
            to[p][i] = old_bits(p, i);
    }
    rows->add(code, words, b->space, first, count, to, PLANES);
    for (int p = 0; p < PLANES; p++) {
        for (size_t i = 0; i < WORDS; i++)
            assert_true(to[p][i] == (old_bits(p, i) | (i < count ? b->bits[first + i] : 0)));
    }
    for (size_t i = 0; i < WORDS; i++)
        assert_true(b->space[i] == 0);
}

static void check_unpack(struct buffers *b, const struct row_kernels *rows, const uint8_t *code, size_t words)
{
    memset(b->space, 0xa5, 8 * ROW_WORDS * rows_of(words));
    rows->unpack(code, words, b->space);
    assert_memory_equal(b->space, b->bits, 8 * words);
    for (size_t i = words; i < WORDS; i++)
        assert_true(b->space[i] == 0);
    memset(b->space, 0, sizeof b->space);
}

// Packs `words` words, unpacks them, and adds some of them to planes that have other bits already.
static size_t check(struct buffers *b, size_t words, size_t first, size_t count)
{
    size_t bytes = 0;
    uint8_t *reference = NULL;
    for (size_t isa = 0; isa < sizeof isas / sizeof isas[0]; isa++) {
        const struct lane_kernels *kernels = lane_kernels_choose(512, isas[isa]);
        if (kernels == NULL)
            continue;
        uint8_t *code = malloc(row_code_bound(words)); // to its very end, for the sanitizer
        assert_non_null(code);
        bytes = kernels->rows->pack(b->bits, words, code);
        assert_true(bytes + ROW_SLACK <= row_code_bound(words));
        if (reference != NULL)
            assert_memory_equal(code, reference, bytes);
        check_unpack(b, kernels->rows, code, words);
        if (bytes > 0)
            check_add(b, kernels->rows, code, words, first, count);
        free(reference);
        reference = code;
    }
    free(reference);
    return bytes;
}

static struct buffers *buffers_new(void)
{
    struct buffers *b = calloc(1, sizeof *b);
    assert_non_null(b);
    return b;
}

// All densities, from none to all bits, and every length of the last row.
TEST(test_random)
{
    struct buffers *b = buffers_new();
    (void)state;
    for (unsigned sparse = 0; sparse <= 14; sparse++) {
        for (size_t words = WORDS - 8; words <= WORDS; words++) {
            memset(b->bits, 0, sizeof b->bits);
            for (size_t i = 0; i < words; i++) {
                const bool some = sparse < 8 || random_u64() % (1U << (sparse - 7)) == 0;
                b->bits[i] = some ? UINT64_MAX : 0;
                for (unsigned n = 0; n < sparse && n < 8; n++)
                    b->bits[i] &= random_u64();
            }
            const size_t first = random_u64() % words;
            check(b, words, 0, words);
            check(b, words, first, random_u64() % (words - first + 1));
        }
    }
    free(b);
}

// Rows that are equal to, or nearly so, those some words before: each distance makes the code small.
TEST(test_repeated)
{
    static const size_t distances[] = {1, 8, 16, 64, 128, 512, 1024};
    struct buffers *b = buffers_new();
    (void)state;
    for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
        for (size_t i = 0; i < WORDS; i++)
            b->bits[i] = i < distances[d] ? random_u64() : b->bits[i - distances[d]];
        assert_true(check(b, WORDS, 0, WORDS) < WORDS / 8 + WORDS / 8 + 9 * distances[d] + 80);
        for (size_t i = 0; i < WORDS; i += 29)
            b->bits[i] ^= UINT64_C(1) << i % 64;
        check(b, WORDS, 0, WORDS);
        check(b, WORDS, 1000, 2001);
    }
    free(b);
}

TEST(test_empty_and_full)
{
    struct buffers *b = buffers_new();
    (void)state;
    assert_int_equal(check(b, WORDS, 0, WORDS), 0);
    assert_int_equal(check(b, 1, 0, 1), 0);
    b->bits[0] = 1;
    assert_int_equal(check(b, 1, 0, 1), 8 + 3);
    memset(b->bits, 0xff, sizeof b->bits);
    check(b, WORDS, 0, WORDS);
    check(b, WORDS, WORDS - 1, 1);
    free(b);
}

TESTS(NULL, NULL)
