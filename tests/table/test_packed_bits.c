// test_packed_bits.c - records of packed bits: every kind comes out as it went in, and no damage goes unnoticed
//
// There are two kinds of damage: any byte changed and any cut, which the checksum must detect; and hostile heads and
// payloads, whose checksum is made right again, so that only the reader's own checks are left.
#include "support/support.h"

#include "table/container_format.h"
#include "table/packed_bits.h"

#include <xxhash.h>
#include <zstd.h>

enum { WORDS_MAX = 4096, AT_KIND = 7, AT_WORDS = 8, AT_ONES = 16, AT_CODE = 24, AT_PAYLOAD = 32, AT_HASH = 40 };

static struct packed_bits_packer *packer; // for WORDS_MAX words
static uint64_t bits[WORDS_MAX];          // of the case at hand

// About one bit in `one_in`; 0: none.
static void fill(uint64_t *to, size_t words, uint64_t one_in)
{
    memset(to, 0, words * sizeof *to);
    for (uint64_t bit = 0; one_in > 0 && bit < 64 * (uint64_t)words; bit++)
        to[bit / 64] |= (uint64_t)(random_u64() % one_in == 0) << bit % 64;
}

static uint64_t count(size_t words)
{
    uint64_t ones = 0;
    for (uint64_t bit = 0; bit < 64 * (uint64_t)words; bit++)
        ones += bit_at(bits, bit);
    return ones;
}

static int setup(void **state)
{
    GOOD(packed_bits_open(&packer, WORDS_MAX));
    assert_true(packed_bits_allocated(packer) <= packed_bits_memory(WORDS_MAX));
    return 0;
}

static int teardown(void **state)
{
    packed_bits_close(packer);
    return 0;
}

// A record of its own.
struct record {
    size_t words;
    size_t bytes;
    uint8_t *data;
};

static struct record pack(size_t words)
{
    struct record record = {.words = words};
    const void *data;
    GOOD(packed_bits_pack(packer, bits, words, &data, &record.bytes));
    assert_true(record.bytes <= packed_bits_bound(words));
    record.data = malloc(record.bytes);
    assert_non_null(record.data);
    memcpy(record.data, data, record.bytes);
    return record;
}

static void check_round_trip(size_t words, char kind)
{
    static uint64_t other[WORDS_MAX + 1];
    static uint64_t either[WORDS_MAX + 1];
    struct record record = pack(words);
    assert_int_equal(packed_bits_set(record.data), count(words));
    assert_int_equal(record.data[AT_KIND], kind);
    fill(other, words, 4);
    for (size_t w = 0; w < words; w++)
        either[w] = other[w] | bits[w];
    other[words] = either[words] = 99;
    GOOD(packed_bits_or(packer, record.data, record.bytes, other, words));
    assert_memory_equal(other, either, (words + 1) * sizeof *other);
    assert_true(packed_bits_allocated(packer) <= packed_bits_memory(WORDS_MAX));
    free(record.data);
}

// (300 words are too short for zstd to learn from.)
TEST(test_kinds)
{
    static const struct {
        size_t words;
        uint64_t one_in;
        char kind;
    } cases[] = {{0, 1, 'e'},          {1, 0, 'e'},     {WORDS_MAX, 0, 'e'},    {1, 40, 'g'},
                 {50, 200, 'g'},       {300, 90, 'g'},  {WORDS_MAX, 9999, 'G'}, {WORDS_MAX, 500, 'G'},
                 {WORDS_MAX, 40, 'G'}, {4095, 20, 'G'}, {WORDS_MAX, 12, 'w'},   {WORDS_MAX, 2, 'w'},
                 {WORDS_MAX, 1, 'w'},  {1, 1, 'w'}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        do
            fill(bits, cases[i].words, cases[i].one_in);
        while (cases[i].one_in > 0 && cases[i].words > 0 && count(cases[i].words) == 0);
        check_round_trip(cases[i].words, cases[i].kind);
    }
}

// The kind follows from the number of ones alone: the last one with a gap code, and the next.
TEST(test_change_of_kind)
{
    for (size_t w = 0; w < WORDS_MAX; w++)
        bits[w] = UINT64_C(0x0100010001000100); // one bit in 16
    check_round_trip(WORDS_MAX, 'G');
    bits[17] |= 1;
    check_round_trip(WORDS_MAX, 'w');
}

TEST(test_sizes)
{
    struct packed_bits_packer *small;
    fill(bits, WORDS_MAX, 0);
    GOOD(packed_bits_open(&small, 64));
    assert_true(packed_bits_allocated(small) <= packed_bits_memory(64));
    const void *record;
    size_t bytes;
    assert_int_equal(packed_bits_pack(small, bits, 65, &record, &bytes), CLTB_E_USAGE);
    GOOD(packed_bits_pack(small, bits, 64, &record, &bytes));
    assert_int_equal(bytes, PACKED_BITS_HEAD);
    assert_int_equal(packed_bits_or(small, record, bytes, bits, 65), CLTB_E_USAGE);
    FAILS(packed_bits_or(small, record, bytes, bits, 63), CLTB_E_CORRUPT, "64 words instead of 63");
    packed_bits_close(small);
    packed_bits_close(NULL);
    assert_int_equal(packed_bits_open(&small, SIZE_MAX / 8), CLTB_E_USAGE);
    assert_null(small);
}

// Refused, and the bits are as they were.
static void refuse(const uint8_t *data, size_t bytes, size_t words)
{
    static uint64_t before[WORDS_MAX];
    uint8_t *copy = malloc(bytes + (bytes == 0)); // of just that size, so that reading behind it shows
    assert_non_null(copy);
    memcpy(copy, data, bytes);
    for (size_t w = 0; w < words; w++)
        before[w] = bits[w] = random_u64();
    FAILS(packed_bits_or(packer, copy, bytes, bits, words), CLTB_E_CORRUPT, "packed bits");
    assert_memory_equal(bits, before, words * sizeof *bits);
    free(copy);
}

// A record of each kind.
static const struct {
    char kind;
    size_t words;
    uint64_t one_in;
} samples[] = {{'e', 5, 0}, {'g', 50, 100}, {'G', 300, 20}, {'w', 60, 3}};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static struct record sample(size_t i)
{
    fill(bits, samples[i].words, samples[i].one_in);
    struct record record = pack(samples[i].words);
    assert_int_equal(record.data[AT_KIND], samples[i].kind);
    return record;
}

TEST(test_every_byte_and_cut)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        struct record record = sample(i);
        for (size_t at = 0; at < record.bytes; at++) {
            const uint8_t byte = record.data[at];
            for (int bit = 0; bit < 8; bit++) {
                record.data[at] = (uint8_t)(byte ^ 1 << bit);
                refuse(record.data, record.bytes, record.words);
            }
            record.data[at] = byte;
            refuse(record.data, at, record.words);
        }
        record.data = realloc(record.data, record.bytes + 1);
        assert_non_null(record.data);
        record.data[record.bytes] = 0;
        refuse(record.data, record.bytes + 1, record.words);
        free(record.data);
    }
}

static void seal(struct record *record)
{
    const uint64_t head = XXH64(record->data, AT_HASH, 0);
    put_number(record->data + AT_HASH, 8,
               XXH64(record->data + PACKED_BITS_HEAD, record->bytes - PACKED_BITS_HEAD, head));
}

// A number of the head, unless it is what it was.
static void refuse_number(struct record *record, size_t at, int width, uint64_t number)
{
    const uint64_t old = get_number(record->data + at, width);
    if (number == old)
        return;
    put_number(record->data + at, width, number);
    seal(record);
    refuse(record->data, record->bytes, record->words);
    put_number(record->data + at, width, old);
}

TEST(test_hostile_heads)
{
    static const uint64_t numbers[] = {0, 1, 49, 51, 4096, 1 << 20, UINT64_MAX / 64, UINT64_C(1) << 58, UINT64_MAX};
    static const char kinds[] = "egGwx\0\xff";
    for (size_t i = 0; i < SAMPLES; i++) {
        struct record record = sample(i);
        for (size_t field = AT_WORDS; field < AT_HASH; field += 8)
            for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
                refuse_number(&record, field, 8, numbers[k]);
        for (size_t k = 0; k < sizeof kinds - 1; k++)
            refuse_number(&record, AT_KIND, 1, (uint8_t)kinds[k]);
        free(record.data);
    }
}

TEST(test_hostile_payloads)
{
    for (size_t i = 1; i < SAMPLES; i++) {
        struct record record = sample(i);
        for (size_t at = PACKED_BITS_HEAD; at < record.bytes; at++) {
            const uint8_t byte = record.data[at];
            record.data[at] = (uint8_t)(byte ^ (1 + random_u64() % 255));
            seal(&record);
            memset(bits, 0, sizeof bits);
            // May be a record of other bits; then its number of ones is right.
            if (packed_bits_or(packer, record.data, record.bytes, bits, record.words) == 0)
                assert_int_equal(count(record.words), packed_bits_set(record.data));
            else
                refuse(record.data, record.bytes, record.words);
            record.data[at] = byte;
        }
        free(record.data);
    }
}

// A sound zstd frame of so many bytes, with one bit set, for the 480 bytes of 60 words.
static struct record framed(size_t length)
{
    struct record record = sample(3);
    uint8_t *plain = calloc(1, length + 1);
    const size_t space = ZSTD_compressBound(length);
    record.data = realloc(record.data, PACKED_BITS_HEAD + space);
    assert_non_null(plain);
    assert_non_null(record.data);
    plain[0] = 1;
    const size_t bytes = ZSTD_compress(record.data + PACKED_BITS_HEAD, space, plain, length, 1);
    assert_false(ZSTD_isError(bytes));
    record.bytes = PACKED_BITS_HEAD + bytes;
    put_number(record.data + AT_PAYLOAD, 8, bytes);
    put_number(record.data + AT_ONES, 8, 1);
    seal(&record);
    free(plain);
    return record;
}

// The right length comes first: what it leaves in the packer is what a shorter frame lacks.
TEST(test_other_lengths)
{
    static const size_t lengths[] = {0, 1, 479, 481, 1 << 20};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        uint64_t unpacked[60] = {0};
        struct record record = framed(lengths[i]);
        struct record right = framed(sizeof unpacked);
        GOOD(packed_bits_or(packer, right.data, right.bytes, unpacked, right.words));
        assert_int_equal(unpacked[0], 1);
        refuse(record.data, record.bytes, record.words);
        free(right.data);
        free(record.data);
    }
}

TESTS(setup, teardown)
