// test_context_code.c - the codec of outcomes: against a decoder written from docs/format.md, don't-cares, lengths, one
// known block, and damage
#include "support/support.h"

#include "table/block_code.h"
#include "table/write/context_encode.h"
#include "table/write/unit_plan.h"
#include "table/write/word_symbols.h"
#include "util/error.h"

#include <zstd.h>

enum { BLOCK = 65536, MODEL_BYTES = 1 << 20 };

// The bytes of a block, or 0 if it cannot be encoded.
static size_t encode(const struct context_model *model, const uint8_t *symbols, size_t count, uint8_t *encoded)
{
    size_t bytes = 0;
    return context_encode(model, symbols, NULL, NULL, count, NULL, encoded, &bytes) == 0 ? bytes : 0;
}

// ---- the independent decoder: slow, one symbol after another, from the text of docs/format.md alone ----

struct reader {
    uint8_t raw[MODEL_BYTES]; // the model, decompressed
    unsigned symbols;
    unsigned neighbours;
    unsigned copied;
    unsigned contexts;
};

static unsigned two_bytes(const uint8_t *at)
{
    return at[0] + 256U * at[1];
}

static void reader_open(struct reader *reader, const uint8_t *model, size_t bytes)
{
    const size_t got = ZSTD_decompress(reader->raw, sizeof reader->raw, model, bytes);
    assert_false(ZSTD_isError(got));
    reader->symbols = reader->raw[0];
    reader->neighbours = reader->raw[1];
    reader->copied = two_bytes(reader->raw + 7);
    reader->contexts = 1;
    for (unsigned n = 0; n < reader->neighbours; n++)
        reader->contexts *= reader->symbols;
    assert_int_equal(got, 25 + 27 * 3 * 2 + 2 * reader->contexts * reader->symbols);
}

struct range {
    uint64_t state;
    const uint8_t *at;
};

static unsigned next_symbol(struct range *range, const uint8_t *frequencies)
{
    const unsigned slot = range->state % 16384;
    unsigned first = 0;
    unsigned symbol = 0;
    while (slot >= first + two_bytes(frequencies + 2 * (size_t)symbol))
        first += two_bytes(frequencies + 2 * (size_t)symbol++);
    range->state = two_bytes(frequencies + 2 * (size_t)symbol) * (range->state / 16384) + slot - first;
    if (range->state < 65536) {
        range->state = range->state * 65536 + two_bytes(range->at);
        range->at += 2;
    }
    return symbol;
}

static void read_unit(const struct reader *reader, const uint8_t *data, size_t bytes, size_t count, uint8_t *symbols)
{
    uint8_t index[8192] = {0};
    unsigned kind[128] = {0};
    struct range range = {bytes >= 4 ? two_bytes(data) + 65536ULL * two_bytes(data + 2) : 0, data + 4};
    for (size_t i = 0; i < count; i++) {
        const size_t row = i / 64;
        if (bytes == 1) {
            index[i] = data[0];
        } else {
            if (i % 64 == 0) {
                const unsigned context = 9 * (row >= 1 ? kind[row - 1] : 0) + 3 * (row >= 8 ? kind[row - 8] : 0) +
                                         (row >= 64 ? kind[row - 64] : 0);
                kind[row] = next_symbol(&range, reader->raw + 25 + 6 * (size_t)context);
            }
            unsigned context = 0;
            for (unsigned n = reader->neighbours; n-- > 0;) {
                const unsigned distance = two_bytes(reader->raw + 9 + 2 * (size_t)n);
                context = context * reader->symbols + (i >= distance ? index[i - distance] : 0);
            }
            if (kind[row] == 0)
                index[i] = i > 0 ? index[i - 1] : 0;
            else if (kind[row] == 1)
                index[i] = i >= reader->copied ? index[i - reader->copied] : 0;
            else
                index[i] = (uint8_t)next_symbol(&range, reader->raw + 25 + 162 + 2 * (size_t)context * reader->symbols);
        }
        symbols[i] = reader->raw[2 + index[i]];
    }
    if (bytes != 1) {
        assert_int_equal(range.state, 65536);
        assert_ptr_equal(range.at, data + bytes);
    }
}

static void read_block(const struct reader *reader, const uint8_t *data, size_t bytes, size_t count, uint8_t *symbols)
{
    const size_t units = (count + 8191) / 8192;
    const uint8_t *at = data + 2 * (units - 1);
    for (size_t u = 0; u < units; u++) {
        const size_t length = u + 1 < units ? 8192 : count - 8192 * u;
        const size_t size = u + 1 < units ? two_bytes(data + 2 * u) : (size_t)(data + bytes - at);
        if (bytes == 1)
            read_unit(reader, data, 1, length, symbols + 8192 * u);
        else
            read_unit(reader, at, size, length, symbols + 8192 * u);
        at += size;
    }
}

// ---- blocks ----

// Values in the manner of a table: areas, borders with noise, don't-cares of both kinds.
static void make_block(uint8_t *symbols, size_t count, unsigned number)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned x = i % 64 % 8;
        const unsigned y = i % 64 / 8;
        const unsigned z = (unsigned)(i / 64) % 64 + number;
        const uint64_t random = random_u64();
        symbols[i] = (uint8_t)(x + 2 * y > z / 4 + 5 ? 4 : z % 32 < 4 && x > y ? 0 : 2);
        if (random % 256 == 0)
            symbols[i] = (uint8_t)(random >> 8 & 4);
        if (random >> 16 & 1)
            symbols[i] = random >> 17 & 1 ? ANY_OUTCOME : symbols[i] == 2 ? DRAW_OR_WORSE : symbols[i];
        if (i / 8192 == 2)
            symbols[i] = number % 3 == 0 ? ANY_OUTCOME : 2;
    }
}

struct made {
    struct context_model model;  // of the writer
    struct context_model reread; // the same out of its bytes
    uint8_t *data;
    size_t bytes;
    uint8_t *sample;
};

static void make_model(struct made *made)
{
    enum { BLOCKS = 4 };
    made->sample = malloc((size_t)BLOCKS * BLOCK);
    assert_non_null(made->sample);
    for (unsigned i = 0; i < BLOCKS; i++)
        make_block(made->sample + (size_t)i * BLOCK, BLOCK, 7 * i);
    const struct context_sample sample = {.symbols = made->sample,
                                          .block = BLOCK,
                                          .blocks = BLOCKS,
                                          .occurs = {true, false, true, false, true},
                                          .candidate = {1, 8, 64, 512},
                                          .candidates = 4,
                                          .contexts = 4096,
                                          .places = 50000,
                                          .symbols_in_all = 1 << 24};
    GOOD(context_train(&made->model, &sample, NULL, &made->data, &made->bytes));
    assert_true(context_model_read(&made->reread, false, made->data, made->bytes));
}

static void free_model(struct made *made)
{
    context_model_free(&made->model);
    context_model_free(&made->reread);
    free(made->data);
    free(made->sample);
}

static void check_stored(const uint8_t *wanted, const uint8_t *stored, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (wanted[i] == ANY_OUTCOME     ? stored[i] > 4
            : wanted[i] == DRAW_OR_WORSE ? stored[i] > 2
                                         : stored[i] != wanted[i])
            fail_msg("symbol %zu: %u became %u", i, wanted[i], stored[i]);
    }
}

TEST(test_both_decoders)
{
    static const size_t counts[] = {1, 63, 64, 65, 4096, 8191, 8192, 8193, 3 * 8192, 63000, BLOCK};
    static struct reader reader;
    static uint8_t wanted[BLOCK];
    static uint8_t stored[BLOCK];
    static uint8_t found[BLOCK];
    struct made made;
    make_model(&made);
    reader_open(&reader, made.data, made.bytes);
    assert_in_range(made.model.neighbours, 2, 4);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const size_t count = counts[c];
        uint8_t *coded = malloc(context_bound(count));
        assert_non_null(coded);
        make_block(wanted, count, (unsigned)c);
        const size_t bytes = encode(&made.model, wanted, count, coded);
        assert_in_range(bytes, 1, context_bound(count));
        read_block(&reader, coded, bytes, count, stored);
        check_stored(wanted, stored, count);
        memset(found, 0x5a, count);
        const unsigned units = context_units(count);
        assert_true(
            context_decode(&made.reread, coded, bytes, count, (struct context_range){0, units, NULL, 0}, NULL, found));
        assert_memory_equal(found, stored, count);
        for (unsigned u = 0; u < units; u++) {
            const size_t length = u + 1 < units ? CONTEXT_UNIT : count - (size_t)u * CONTEXT_UNIT;
            uint8_t *unit = malloc(length); // exactly as large, so that a sanitizer sees any byte too many
            assert_non_null(unit);
            assert_true(context_decode(&made.reread, coded, bytes, count, (struct context_range){u, u + 1, NULL, 0},
                                       NULL, unit));
            assert_memory_equal(unit, stored + (size_t)u * CONTEXT_UNIT, length);
            free(unit);
        }
        free(coded);
    }
    free_model(&made);
}

// It compresses: the noise alone has an entropy, and areas take next to nothing.
TEST(test_size)
{
    static uint8_t symbols[BLOCK];
    static uint8_t coded[4 * BLOCK];
    struct made made;
    make_model(&made);
    memset(symbols, ANY_OUTCOME, sizeof symbols);
    assert_int_equal(encode(&made.model, symbols, BLOCK, coded), 1);
    memset(symbols, 4, sizeof symbols);
    assert_int_equal(encode(&made.model, symbols, BLOCK, coded), 1);
    make_block(symbols, BLOCK, 3);
    assert_in_range(encode(&made.model, symbols, BLOCK, coded), 100, BLOCK / 16);
    symbols[100] = 3; // which the model does not have
    assert_int_equal(encode(&made.model, symbols, BLOCK, coded), 0);
    free_model(&made);
}

// A known model and block, worked out by hand: symbols 2 and 4 without neighbours, both half of the slots; the only row
// is coded, which has half of the slots of its context; eight symbols 2 4 4 2 2 2 4 2. From the last to the first the
// state 65536 becomes 2 * 65536 + 0 for a 2 and 2 * 65536 + 8192 for a 4 and so on.
TEST(test_known_block)
{
    static const uint8_t block[] = {0x00, 0xa0, 0x11, 0x02};
    uint8_t raw[25 + 27 * 6 + 2 * 2] = {2, 0, 2, 4, 0, 0, 0, 64, 0};
    uint8_t found[8];
    uint8_t data[1000];
    for (size_t c = 0; c < 27; c++) {
        const uint8_t frequencies[] = {0, 16, 0, 16, 0, 32};
        memcpy(raw + 25 + 6 * c, frequencies, sizeof frequencies);
    }
    raw[25 + 162 + 1] = raw[25 + 162 + 3] = 32;
    const size_t bytes = ZSTD_compress(data, sizeof data, raw, sizeof raw, 1);
    struct context_model model;
    assert_true(context_model_read(&model, false, data, bytes));
    context_model_prepare(&model);
    uint8_t symbols[] = {2, 4, 4, 2, 2, 2, 4, 2};
    uint8_t coded[100];
    assert_int_equal(encode(&model, symbols, 8, coded), sizeof block);
    assert_memory_equal(coded, block, sizeof block);
    assert_true(context_decode(&model, block, sizeof block, 8, (struct context_range){0, 1, NULL, 0}, NULL, found));
    assert_memory_equal(found, symbols, 8);
    context_model_free(&model);
}

// ---- damage ----

TEST(test_damaged_blocks)
{
    static uint8_t symbols[BLOCK];
    static uint8_t found[BLOCK];
    struct made made;
    make_model(&made);
    make_block(symbols, BLOCK, 1);
    uint8_t *coded = malloc(context_bound(BLOCK));
    assert_non_null(coded);
    const size_t bytes = encode(&made.model, symbols, BLOCK, coded);
    for (int round = 0; round < 300; round++) {
        const uint64_t random = random_u64();
        const size_t size = random % 4 == 0 ? random % bytes : bytes;
        uint8_t *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, coded, size);
        if (size > 0)
            copy[random % (random % 8 < 4 && size > 32 ? 32 : size)] ^= (uint8_t)(1U << (random >> 40 & 7));
        if (context_decode(&made.reread, copy, size, BLOCK, (struct context_range){0, 8, NULL, 0}, NULL, found)) {
            for (size_t i = 0; i < BLOCK; i++)
                assert_in_range(found[i], 0, 4);
        }
        free(copy);
    }
    for (size_t size = 0; size < bytes; size += 1 + bytes / 50) // all bytes are read, so a shorter block is none
        assert_true(size == 1 || !context_decode(&made.reread, coded, size, BLOCK,
                                                 (struct context_range){0, 8, NULL, 0}, NULL, found));
    free(coded);
    free_model(&made);
}

TEST(test_damaged_models)
{
    static uint8_t raw[MODEL_BYTES];
    static uint8_t packed[2 * MODEL_BYTES];
    struct made made;
    make_model(&made);
    const size_t size = ZSTD_decompress(raw, sizeof raw, made.data, made.bytes);
    for (size_t at = 0; at < size + 2; at++) {
        const size_t cut = at >= size ? size - 1 + 2 * (at - size) : size; // one byte less, or one more
        if (at < size && at > 200 && at % 7 != 0)
            continue;
        raw[at < size ? at : 0] ^= at < size ? 0x41 : 0;
        struct context_model model;
        const size_t bytes = ZSTD_compress(packed, sizeof packed, raw, cut, 1);
        const bool read = context_model_read(&model, false, packed, bytes);
        const bool places = at >= 7 && at < 25; // distances may be others
        const bool values = at >= 2 && at < 7;  // so may values that are not used
        if (read && !places && !values)
            fail_msg("a model with another byte %zu", at);
        if (read)
            context_model_free(&model);
        raw[at < size ? at : 0] ^= at < size ? 0x41 : 0;
    }
    struct context_model model;
    assert_false(context_model_read(&model, false, raw, 0));
    assert_false(context_model_read(&model, false, made.data, made.bytes - 1));
    free_model(&made);
}

TESTS(NULL, NULL)
