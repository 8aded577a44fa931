// test_syzygy_huffman.c - lengths of codes: known ones, complete codes, and the best codes under a limit
#include "support/support.h"

#include "syzygy/write/blocks.h"

enum { SYMBOLS_MOST = 64 };

static uint64_t cost(const uint64_t *frequency, const uint8_t *length, unsigned count)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += frequency[i] * length[i];
    return sum;
}

// Is every string of bits the beginning of codes of these lengths, or the reverse?
static bool is_complete(const uint8_t *length, unsigned count, unsigned limit)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        if (length[i] > limit)
            return false;
        if (length[i] > 0)
            sum += UINT64_C(1) << (limit - length[i]);
    }
    return sum == UINT64_C(1) << limit;
}

TEST(test_known)
{
    uint8_t length[6];
    // The example of textbooks: a 45, b 13, c 12, d 16, e 9, f 5
    static const uint64_t textbook[] = {45, 13, 12, 16, 9, 5};
    static const uint8_t expected[] = {1, 3, 3, 3, 4, 4};
    GOOD(huffman_lengths(textbook, 6, CODE_BITS_MAX, length));
    assert_memory_equal(length, expected, 6);
    static const uint64_t one[] = {0, 7, 0};
    static const uint8_t one_length[] = {0, 1, 0};
    GOOD(huffman_lengths(one, 3, CODE_BITS_MAX, length));
    assert_memory_equal(length, one_length, 3);
    static const uint64_t two[] = {1000000, 0, 1};
    static const uint8_t two_lengths[] = {1, 0, 1};
    GOOD(huffman_lengths(two, 3, CODE_BITS_MAX, length));
    assert_memory_equal(length, two_lengths, 3);
    static const uint64_t none[] = {0, 0};
    GOOD(huffman_lengths(none, 2, CODE_BITS_MAX, length));
    assert_int_equal(length[0] + length[1], 0);
}

// Frequencies that are Fibonacci numbers make the deepest tree: n - 1 bits.
TEST(test_long_codes)
{
    uint64_t frequency[SYMBOLS_MOST] = {1, 1};
    uint8_t length[SYMBOLS_MOST];
    for (unsigned i = 2; i < SYMBOLS_MOST; i++)
        frequency[i] = frequency[i - 1] + frequency[i - 2];
    GOOD(huffman_lengths(frequency, 33, CODE_BITS_MAX, length));
    for (unsigned i = 0; i < 33; i++)
        assert_int_equal(length[i], i == 0 ? 32 : 33 - i);
    GOOD(huffman_lengths(frequency, SYMBOLS_MOST, CODE_BITS_MAX, length));
    assert_true(is_complete(length, SYMBOLS_MOST, CODE_BITS_MAX));
    assert_int_equal(length[0], CODE_BITS_MAX);
}

// The least cost of all codes of at most `limit` bits. A code's lengths rise as frequencies fall; `room` in 2^-limit.
static uint64_t least_cost(const uint64_t *falling, unsigned count, unsigned limit, unsigned shortest, unsigned room)
{
    if (count == 0)
        return 0;
    uint64_t least = UINT64_MAX / 2;
    for (unsigned bits = shortest; bits <= limit; bits++) {
        const unsigned takes = 1u << (limit - bits);
        if (takes > room)
            continue;
        const uint64_t sum = falling[0] * bits + least_cost(falling + 1, count - 1, limit, bits, room - takes);
        least = sum < least ? sum : least;
    }
    return least;
}

TEST(test_best)
{
    for (int round = 0; round < 3000; round++) {
        const unsigned limit = 2 + (unsigned)(random_u64() % 5);
        const unsigned most = limit < 4 ? 1u << limit : 9;
        const unsigned count = 2 + (unsigned)(random_u64() % (most - 1));
        uint64_t frequency[9];
        uint8_t length[9];
        uint64_t next = 1;
        for (unsigned i = count; i-- > 0;) { // falling, some steep and some flat
            frequency[i] = next;
            next += random_u64() % (round % 2 == 0 ? 3 : next + 1);
        }
        GOOD(huffman_lengths(frequency, count, limit, length));
        assert_true(is_complete(length, count, limit));
        assert_int_equal(cost(frequency, length, count), least_cost(frequency, count, limit, 1, 1u << limit));
    }
}

TESTS(NULL, NULL)
