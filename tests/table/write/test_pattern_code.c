// test_pattern_code.c - the codec of distances: against a decoder written from docs/format.md, all patterns,
// don't-cares, lengths, one known block, and damage; with and without given outcomes and marks, in a container too
#include "support/support.h"

#include "table/block_code.h"
#include "table/container.h"
#include "table/pattern_code.h"
#include "table/write/context_encode.h"
#include "table/write/unit_plan.h"

#include <zstd.h>

enum {
    BLOCK = 100000,
    MODEL_BYTES = 1 << 18,
    OUTCOMES = 5,
    MARK = 5,
    NEIGHBOURS = 7,
    FREE = 0xff,
    SPACE = 64 + 5 * BLOCK
};

static bool paired;          // Are outcomes given to the codec?
static uint8_t given[BLOCK]; // what is given with a block

static const uint8_t *given_from(size_t at)
{
    return given + at;
}

static bool is_vacant(size_t i)
{
    return i % 7 == 3 || i / 100 % 10 == 4;
}

static void mark_given(const void *context, uint64_t section, uint64_t first, size_t count, uint8_t *marks)
{
    assert_true(section == 0 && first + count <= BLOCK);
    for (size_t i = 0; i < count; i++)
        marks[i] = is_vacant(first + i) ? MARK : marks[i];
}

// The bytes of a block, or 0 if it cannot be encoded.
static size_t encode(const struct context_model *model, const uint8_t *symbols, size_t count, uint8_t *encoded)
{
    size_t bytes = 0;
    return context_encode(model, symbols, given_from(0), NULL, count, NULL, encoded, &bytes) == 0 ? bytes : 0;
}

// ---- the independent decoder: slow, one symbol after another, from the text of docs/format.md alone ----

// A pattern is written in octal digits, the first neighbour's first: their order is the lexicographic one.
static struct {
    uint8_t raw[MODEL_BYTES]; // the model, decompressed
    size_t bytes;
    unsigned patterns;
    const uint8_t *classes;                      // of last neighbours, for each outcome
    const uint8_t *rows;                         // frequencies of their kinds
    const uint8_t *choices[1 << 3 * NEIGHBOURS]; // [pattern] their frequencies, with the first outcome
    size_t step;                                 // bytes from the frequencies of an outcome to those of the next one
    const uint8_t *news;                         // those of new values
    bool seen[1 << 3 * NEIGHBOURS];              // [pattern]
} reader;

static unsigned two_bytes(const uint8_t *at)
{
    return at[0] + 256U * at[1];
}

// The number of distinct values of a pattern, 0 if these digits are none.
static unsigned distinct_values(unsigned pattern)
{
    unsigned distinct = 0;
    for (unsigned n = reader.raw[1]; n-- > 0;) {
        const unsigned number = pattern >> 3 * n & 7;
        if (number > distinct)
            return 0;
        distinct += number == distinct;
    }
    return distinct;
}

// Reads reader.raw.
static void reader_open(void)
{
    static const unsigned patterns[] = {0, 1, 2, 5, 15, 52, 203, 877};
    assert_in_range(reader.raw[1], 1, NEIGHBOURS);
    const size_t outcomes = paired ? OUTCOMES : 1;
    reader.classes = reader.raw + 20;
    assert_true((reader.raw[19] == 255) == !paired);
    reader.rows = reader.classes + outcomes * reader.raw[0];
    const uint8_t *at = reader.rows + 162;
    reader.patterns = 0;
    for (unsigned pattern = 0; pattern < 1U << 3 * reader.raw[1]; pattern++) {
        const unsigned distinct = distinct_values(pattern);
        reader.choices[pattern] = at;
        reader.seen[pattern] = false;
        reader.patterns += distinct > 0;
        at += distinct > 0 ? 2 * (distinct + 1) : 0;
    }
    assert_int_equal(reader.patterns, patterns[reader.raw[1]]);
    reader.step = (size_t)(at - reader.rows) - 162;
    reader.news = at + (outcomes - 1) * reader.step;
    reader.bytes = (size_t)(reader.news - reader.raw) + 2 * (size_t)reader.raw[18] * reader.raw[0];
}

struct range {
    uint64_t state;
    const uint8_t *at;
    ptrdiff_t left; // bytes
};

static unsigned next_number(struct range *range, const uint8_t *frequency)
{
    const unsigned slot = range->state % 16384;
    unsigned first = 0;
    unsigned result = 0;
    for (; slot >= first + two_bytes(frequency); frequency += 2, result++)
        first += two_bytes(frequency);
    range->state = two_bytes(frequency) * (range->state / 16384) + slot - first;
    if (range->state < 65536 && (range->left -= 2) >= 0) {
        range->state = range->state * 65536 + two_bytes(range->at);
        range->at += 2;
    }
    return result;
}

static unsigned next_symbol(struct range *range, const uint8_t *symbols, size_t outcome, size_t i)
{
    unsigned value[NEIGHBOURS]; // the distinct ones
    unsigned last = 0;
    unsigned distinct = 0;
    unsigned pattern = 0;
    for (size_t n = 0; n < reader.raw[1]; n++) {
        const unsigned distance = two_bytes(reader.raw + 4 + 2 * n);
        unsigned number = 0;
        last = i >= distance ? symbols[i - distance] : 0;
        while (number < distinct && value[number] != last)
            number++;
        if (number == distinct)
            value[distinct++] = last;
        pattern = 8 * pattern + number;
    }
    if (outcome == MARK)
        return last;
    reader.seen[pattern] = true;
    const unsigned choice = next_number(range, reader.choices[pattern] + outcome * reader.step);
    if (choice < distinct)
        return value[choice];
    const size_t class = reader.classes[outcome * reader.raw[0] + last];
    return next_number(range, reader.news + 2 * class * reader.raw[0]);
}

static bool read_unit(const uint8_t *data, size_t bytes, size_t count, const uint8_t *outcomes, uint8_t *symbols)
{
    unsigned kind[128] = {0};
    const size_t copied = two_bytes(reader.raw + 2);
    if (bytes == 1)
        memset(symbols, data[0], count);
    if (bytes < 4)
        return bytes == 1 && data[0] < reader.raw[0];
    struct range range = {two_bytes(data) + 65536ULL * two_bytes(data + 2), data + 4, (ptrdiff_t)bytes - 4};
    for (size_t i = 0; i < count; i++) {
        const size_t row = i / 64;
        if (i % 64 == 0) {
            const size_t context = 9 * (row >= 1 ? kind[row - 1] : 0) + 3 * (row >= 8 ? kind[row - 8] : 0) +
                                   (row >= 64 ? kind[row - 64] : 0);
            kind[row] = next_number(&range, reader.rows + 6 * context);
        }
        if (kind[row] == 0)
            symbols[i] = i > 0 ? symbols[i - 1] : 0;
        else if (kind[row] == 1)
            symbols[i] = i >= copied ? symbols[i - copied] : 0;
        else
            symbols[i] = (uint8_t)next_symbol(&range, symbols, outcomes[i], i);
    }
    return range.state == 65536 && range.left == 0;
}

static bool read_block(const uint8_t *data, size_t bytes, size_t count, uint8_t *symbols)
{
    const size_t units = (count + 8191) / 8192;
    size_t at = 2 * (units - 1);
    if (bytes == 1)
        return read_unit(data, 1, count, given, symbols);
    for (size_t u = 0; u < units; u++) {
        const bool last = u == units - 1;
        const size_t size = at > bytes ? 0 : last ? bytes - at : two_bytes(data + 2 * u);
        if (at + size > bytes ||
            !read_unit(data + at, size, last ? count - 8192 * u : 8192, given + 8192 * u, symbols + 8192 * u))
            return false;
        at += size;
    }
    return true;
}

// ---- streams ----

enum kind { SMOOTH, PARITY, NOISE, LACKING, FEW, CONSTANT, ALL_FREE, ONE, KINDS };

static const unsigned symbols_of[KINDS] = {40, 90, 255, 255, 3, 8, 20, 1};

// The bytes that BLOCK symbols take at most. Units of one symbol take three.
static const size_t bytes_of[KINDS] = {BLOCK / 4, BLOCK / 4, BLOCK + BLOCK / 10, 2 * BLOCK, BLOCK / 16, 37, 1, 1};

static void make_block(enum kind kind, uint8_t *symbols, size_t count, bool sample)
{
    for (size_t i = 0; i < count; i++)
        given[i] = (uint8_t)(!paired ? 0 : i % 50 == 0 ? random_below(OUTCOMES) : given[i - 1]);
    mark_given(NULL, 0, 0, count, given);
    for (size_t i = 0; i < count; i++) {
        const uint64_t random = random_u64();
        const size_t smooth = i % 8 + 2 * (i / 8 % 8) + i / 64 % 64 / 8 + (random % 8 == 0) + (random % 64 < 2);
        const size_t value[KINDS] = {[SMOOTH] = smooth,
                                     [PARITY] = 2 * smooth + (i / 8 + i) % 2,
                                     [NOISE] = random % 255,
                                     [LACKING] = sample ? 3 + random % 10 : random % 255,
                                     [FEW] = random % 16 == 0 ? random / 16 % 3 : i / 512 % 3,
                                     [CONSTANT] = 7,
                                     [ALL_FREE] = FREE};
        const bool free = is_vacant(i) || (kind != NOISE && ((random >> 32) % 3 == 0 || i / 8192 == 2));
        symbols[i] = (uint8_t)(free ? FREE : value[kind]);
    }
}

static struct context_model writer;
static struct context_model model; // the same read out of its bytes, or one that was made here

static void free_models(void)
{
    context_model_free(&writer);
    context_model_free(&model);
}

// Makes the model of a stream: `writer`, `model` and `reader`.
static void make_model(enum kind kind)
{
    enum { BLOCKS = 3, LENGTH = 2 * CONTEXT_UNIT };
    static const uint16_t candidates[] = {1, 8, 2, 7, 9, 16, 64, 512, 63, 65, 72, 4096};
    static uint8_t symbols[BLOCKS * LENGTH];
    struct context_sample sample = {.symbols = symbols,
                                    .block = LENGTH,
                                    .blocks = BLOCKS,
                                    .distances = symbols_of[kind],
                                    .contexts = 1,
                                    .places = 20000,
                                    .symbols_in_all = 1 << 24,
                                    .given = given_from(0),
                                    .marked = true,
                                    .paired = paired,
                                    .outcomes = 3};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        sample.candidate[sample.candidates++] = candidates[i];
    make_block(kind, symbols, sizeof symbols, true);
    uint8_t *data;
    size_t bytes;
    GOOD(context_train(&writer, &sample, NULL, &data, &bytes));
    assert_true(context_model_read(&model, true, data, bytes));
    assert_false(context_model_read(&(struct context_model){0}, false, data, bytes));
    const size_t size = ZSTD_decompress(reader.raw, sizeof reader.raw, data, bytes);
    reader_open();
    assert_int_equal(size, reader.bytes);
    assert_int_equal(reader.raw[0], symbols_of[kind]);
    free(data);
}

// Both decoders find the same symbols in a block, also in each of its units, or both refuse it.
static bool decoders_agree(const uint8_t *data, size_t bytes, size_t count, uint8_t *symbols)
{
    static uint8_t found[BLOCK];
    const unsigned units = context_units(count);
    uint8_t *exact = malloc(bytes + CONTEXT_SLACK); // so that a sanitizer sees any byte too many
    assert_non_null(exact);
    memcpy(exact, data, bytes);
    const bool good =
        context_decode(&model, exact, bytes, count, (struct context_range){0, units, NULL, 0}, given_from(0), found);
    assert_int_equal(good, read_block(exact, bytes, count, symbols));
    if (good)
        assert_memory_equal(found, symbols, count);
    for (unsigned u = 0; good && u < units; u++) {
        const size_t length = u + 1 < units ? CONTEXT_UNIT : count - (size_t)u * CONTEXT_UNIT;
        uint8_t *unit = malloc(length);
        assert_non_null(unit);
        assert_true(context_decode(&model, exact, bytes, count, (struct context_range){u, u + 1, NULL, 0},
                                   given_from((size_t)u * CONTEXT_UNIT), unit));
        assert_memory_equal(unit, symbols + (size_t)u * CONTEXT_UNIT, length);
        free(unit);
    }
    free(exact);
    return good;
}

// Encodes and decodes a block; returns its bytes.
static size_t check_block(const struct context_model *encoding, const uint8_t *wanted, size_t count)
{
    static uint8_t coded[SPACE];
    static uint8_t stored[BLOCK];
    assert_in_range(context_bound(count), 1, sizeof coded);
    const size_t bytes = encode(encoding, wanted, count, coded);
    assert_in_range(bytes, 1, context_bound(count));
    assert_true(decoders_agree(coded, bytes, count, stored));
    for (size_t i = 0; i < count; i++) {
        if (wanted[i] == FREE ? stored[i] >= reader.raw[0] : stored[i] != wanted[i])
            fail_msg("symbol %zu of %zu: %u became %u", i, count, wanted[i], stored[i]);
    }
    return bytes;
}

TEST(test_both_decoders)
{
    static const size_t counts[] = {1, 63, 64, 8191, 8192, 8193, BLOCK};
    static uint8_t wanted[BLOCK];
    static uint8_t coded[SPACE];
    for (enum kind kind = 0; kind < KINDS; kind += paired ? 2 : 1) {
        make_model(kind);
        size_t bytes = 0;
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            make_block(kind, wanted, counts[c], false);
            bytes = check_block(&writer, wanted, counts[c]);
        }
        assert_in_range(bytes, 1, bytes_of[kind]);
        // The writer refuses symbols that the stream does not have, among others and alone, and any at vacant entries.
        wanted[3] = 0;
        assert_int_equal(encode(&writer, wanted, BLOCK, coded), 0);
        wanted[3] = FREE;
        for (unsigned symbol = symbols_of[kind]; symbol < FREE; symbol += 1 + (253 - symbol) / 2) {
            wanted[77777] = (uint8_t)symbol;
            assert_int_equal(encode(&writer, wanted, BLOCK, coded), 0);
            assert_int_equal(encode(&writer, wanted + 77777, 1, coded), 0);
        }
        free_models();
    }
}

// ---- models that are made here ----

static void put_two(uint8_t *at, size_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static uint8_t *put_frequencies(uint8_t *at, int count)
{
    int left = 16384;
    for (; count > 0; count--, at += 2) {
        const int frequency = count == 1 ? left : 1 + random_below(2 * (left - count) / count + 1);
        put_two(at, (size_t)frequency);
        left -= frequency;
    }
    return at;
}

// Random places, classes and frequencies, in reader.raw.
static void make_raw(uint8_t symbols, uint8_t neighbours, uint8_t classes)
{
    uint8_t *raw = reader.raw;
    memset(raw, 0, sizeof reader.raw);
    raw[0] = symbols;
    raw[1] = neighbours;
    raw[18] = classes;
    put_two(raw + 2, 64 + (size_t)random_below(8129));
    for (size_t n = 0; n < neighbours; n++) // all are different
        put_two(raw + 4 + 2 * n, (random_u64() % 4 == 0 ? 200 + 1300 * n : 8 + 16 * n) + (size_t)random_below(16));
    if (random_u64() % 4 != 0 && neighbours > 0)
        put_two(raw + 2 + 2 * (size_t)neighbours, 1 + (size_t)random_below(7));
    uint8_t *at = raw + 19;
    *at++ = paired ? 3 : 255;
    const int outcomes = paired ? OUTCOMES : 1;
    for (int i = 0; i < outcomes * symbols; i++)
        *at++ = (uint8_t)random_below(classes);
    for (int i = 0; i < 27; i++)
        at = put_frequencies(at, 3);
    for (unsigned i = 0; i < (unsigned)outcomes << 3 * neighbours; i++) {
        const unsigned pattern = i % (1U << 3 * neighbours);
        at = put_frequencies(at, distinct_values(pattern) > 0 ? (int)distinct_values(pattern) + 1 : 0);
    }
    for (int i = 0; i < classes; i++)
        at = put_frequencies(at, symbols);
    reader_open();
}

// Compresses and reads the model in reader.raw, of which `bytes` are taken.
static bool read_raw(size_t bytes)
{
    static uint8_t packed[2 * MODEL_BYTES];
    return context_model_read(&model, true, packed, ZSTD_compress(packed, sizeof packed, reader.raw, bytes, 1));
}

// Every number of neighbours, and every pattern of them.
TEST(test_all_patterns)
{
    static uint8_t wanted[BLOCK];
    static bool seen[1 << 3 * NEIGHBOURS];
    const int step = paired ? 3 : 1;
    for (uint8_t neighbours = 1; neighbours <= NEIGHBOURS; neighbours = (uint8_t)(neighbours + step)) {
        memset(seen, 0, sizeof seen);
        for (unsigned round = 0; round < 3; round++) {
            const uint8_t symbols = (uint8_t)(round < 2 ? 255 : 10 + random_below(20));
            make_raw(symbols, neighbours, (uint8_t)(round == 0 ? 1 : round == 1 ? 255 : 1 + random_below(255)));
            for (size_t i = 0; i < BLOCK; i++) // few values here, and many there
                wanted[i] =
                    (uint8_t)(is_vacant(i) ? FREE : random_below(i / 1000 % 10 == 0 ? symbols : (int)(i / 1000 % 10)));
            assert_true(read_raw(reader.bytes));
            check_block(&model, wanted, BLOCK);
            for (unsigned pattern = 0; pattern < 1U << 3 * neighbours; pattern++)
                seen[pattern] |= reader.seen[pattern];
            context_model_free(&model);
        }
        unsigned patterns = 0;
        for (unsigned pattern = 0; pattern < 1U << 3 * neighbours; pattern++)
            patterns += seen[pattern];
        assert_int_equal(patterns, reader.patterns);
    }
}

// Worked out from the document. Symbols are 0..3, the neighbours 8 places and 1 place before. Frequencies, divided by
// 1024, are 4 4 8 of a row's kinds; 8 8 of the choices of the pattern 0 0, and 4 4 8 of 0 1; of new values after 0 and
// 2 (class 0) 4 4 4 4, after 1 and 3 (class 1) 8 4 2 2. After the row's kind 2 the choices are 1 (3 of class 0), 0, 1
// (3 of class 0), 1, 0, 1 (1 of class 0), 2 (2 of class 1), 1, 0, 0.
TEST(test_known_block)
{
    if (paired)
        skip();
    static const uint8_t symbols[] = {3, 0, 3, 3, 0, 1, 2, 2, 3, 0};
    static const uint8_t block[] = {0x2e, 0xf0, 0x3c, 0x04, 0x00, 0xc0};
    static const uint8_t head[] = {4, 2, 64, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 255, 0, 1, 0, 1};
    static const uint8_t of_1024[] = {8, 8, 4, 4, 8, 4, 4, 4, 4, 8, 4, 2, 2};
    static uint8_t coded[200];
    uint8_t found[sizeof symbols];
    memset(reader.raw, 0, sizeof reader.raw);
    memset(given, 0, sizeof given);
    memcpy(reader.raw, head, sizeof head);
    for (size_t i = 0; i < 81 + sizeof of_1024; i++)
        put_two(reader.raw + sizeof head + 2 * i, 1024U * (i >= 81 ? of_1024[i - 81] : i % 3 == 2 ? 8 : 4));
    reader_open();
    assert_true(read_raw(reader.bytes));
    assert_int_equal(encode(&model, symbols, sizeof symbols, coded), sizeof block);
    assert_memory_equal(coded, block, sizeof block);
    assert_true(decoders_agree(block, sizeof block, sizeof symbols, found));
    assert_memory_equal(found, symbols, sizeof symbols);
    context_model_free(&model);
}

// ---- damage ----

TEST(test_damaged_blocks)
{
    enum { COUNT = 5 * CONTEXT_UNIT };
    static uint8_t symbols[COUNT];
    static uint8_t coded[SPACE];
    make_model(PARITY);
    make_block(PARITY, symbols, COUNT, false);
    const size_t bytes = encode(&writer, symbols, COUNT, coded);
    for (int round = 0; round < 100; round++) {
        const int at = random_below(round % 2 == 0 ? 32 : (int)bytes);
        const uint8_t before = coded[at];
        coded[at] ^= (uint8_t)(1 << random_below(8));
        decoders_agree(coded, bytes, COUNT, symbols);
        decoders_agree(coded, (size_t)random_below((int)bytes), COUNT, symbols);
        coded[at] = before;
    }
    for (size_t size = 0; size < bytes; size += 1 + (size > 50 ? bytes / 50 : 0)) // all bytes are read
        assert_true(!decoders_agree(coded, size, COUNT, symbols) || size == 1);
    for (size_t more = 1; more < 5; more++)
        assert_false(decoders_agree(coded, bytes + more, COUNT, symbols));
    assert_int_equal(two_bytes(coded + 4), 1); // of the unit of don't-cares
    uint8_t *unit = coded + 8 + two_bytes(coded) + two_bytes(coded + 2);
    for (unsigned symbol = 0; symbol <= 0xff; symbol++) {
        *unit = (uint8_t)symbol;
        assert_int_equal(decoders_agree(coded, bytes, COUNT, symbols), symbol < reader.raw[0]);
        assert_int_equal(decoders_agree(unit, 1, COUNT, symbols), symbol < reader.raw[0]);
    }
    free_models();
}

// Is the model in reader.raw, of which `bytes` are taken, one?
static bool valid(size_t bytes)
{
    const bool good = read_raw(bytes);
    context_model_free(&model); // which may be empty
    return good;
}

// Is it one with another number in it?
static bool valid_with(size_t offset, size_t value)
{
    uint8_t *at = reader.raw + offset;
    const unsigned before = two_bytes(at);
    put_two(at, value);
    const bool good = valid(reader.bytes);
    put_two(at, before);
    return good;
}

TEST(test_damaged_models)
{
    enum { SYMBOLS = 10, CLASSES = 4 };
    make_raw(SYMBOLS, 3, CLASSES);
    const size_t first_class = (size_t)(reader.classes - reader.raw);
    const size_t first_row = (size_t)(reader.rows - reader.raw);
    const size_t without_choices = first_row + 162 + 2 * SYMBOLS * CLASSES;
    const size_t outcomes = paired ? OUTCOMES : 1;
    for (size_t size = 0; size<reader.bytes + 5; size += size> 500 && size < reader.bytes - 5 ? 2 : 1)
        assert_int_equal(valid(size), size == reader.bytes);
    for (size_t n = 0; n < 4; n++) { // copies, and three neighbours
        const size_t at = 2 + 2 * n;
        const size_t least = n == 0 ? 64 : n == 3 ? 1 : 8;
        assert_true(valid_with(at, least) && valid_with(at, 8192));
        assert_false(valid_with(at, least - 1) || valid_with(at, 0) || valid_with(at, 8193) || valid_with(at, 0xffff));
    }
    for (size_t at = first_class; at < first_row; at++) { // classes; the next byte stays
        const size_t next = 256U * reader.raw[at + 1];
        assert_true(valid_with(at, next + CLASSES - 1));
        assert_false(valid_with(at, next + CLASSES) || valid_with(at, next + 255));
    }
    for (size_t at = first_row; at + 2 < reader.bytes; at += 10) { // three kinds, two to eight choices
        const unsigned frequency = two_bytes(reader.raw + at);
        const unsigned next = two_bytes(reader.raw + at + 2);
        assert_false(valid_with(at, frequency + 1) || valid_with(at, frequency - 1));
        put_two(reader.raw + at + 2, frequency + next); // none is zero, even if the sum is right
        assert_false(valid_with(at, 0));
        put_two(reader.raw + at + 2, next);
    }
    put_two(reader.raw + first_row, 40000);
    put_two(reader.raw + first_row + 2, 40000);
    assert_false(valid_with(first_row + 4, 16384 + 65536 - 80000));
    // The numbers of symbols, neighbours and classes, with the sizes that would follow from them.
    make_raw(0, 3, CLASSES);
    assert_false(valid(reader.bytes));
    make_raw(SYMBOLS, 3, CLASSES);
    assert_false(valid_with(18, 0));
    reader.raw[1] = 0;
    assert_false(valid(reader.bytes) || valid(without_choices) || valid(without_choices + 2 * outcomes));
    reader.raw[1] = 8;
    assert_false(valid(reader.bytes) || valid(without_choices + 2 * 21147 * outcomes));
}

// Appends a list of each outcome, of so many plies, to the model in reader.raw. Returns the model's bytes.
static size_t put_lists(const int count[OUTCOMES])
{
    uint8_t *at = reader.raw + reader.bytes;
    for (int i = 0; i < OUTCOMES; i++) {
        *at++ = (uint8_t)count[i];
        for (int place = 0; place < count[i]; place++, at += 2)
            put_two(at, (size_t)(300 * i + 2 * place));
    }
    return (size_t)(at - reader.raw);
}

TEST(test_lists)
{
    enum { SYMBOLS = 10 };
    static const int counts[OUTCOMES] = {3, 10, 0, 1, 9};
    make_raw(SYMBOLS, 3, 4);
    const size_t first = reader.bytes; // of the lists
    const size_t all = put_lists(counts);
    for (size_t bytes = first; bytes < all + 3; bytes++)
        assert_int_equal(valid(bytes), bytes == first || bytes == all);
    assert_true(read_raw(first) && !model.patterns->listed);
    context_model_free(&model);
    assert_true(read_raw(all) && model.patterns->listed);
    for (int i = 0; i < OUTCOMES; i++) {
        assert_int_equal(model.patterns->lists.count[i], counts[i]);
        for (int place = 0; place < counts[i]; place++)
            assert_int_equal(model.patterns->lists.ply[i][place], 300 * i + 2 * place);
    }
    assert_int_equal(ply_place(&model.patterns->lists, -1, 318), 9);
    assert_int_equal(ply_place(&model.patterns->lists, -1, 300), 0);
    assert_int_equal(ply_place(&model.patterns->lists, 2, 1206), 3);
    context_model_free(&model);
    put_two(reader.raw + first + 3, 0); // not greater than the one before
    assert_false(valid(all));
    for (int most = 8; most <= 12; most++) { // the longest list has all symbols
        const int others[OUTCOMES] = {3, most, 0, 1, 8};
        assert_int_equal(valid(put_lists(others)), most == SYMBOLS);
    }
}

// ---- marks of the encoder ----

// Blocks of KQvKR: the encoder marks the same entries that are vacant, so both ways give the same bytes.
TEST(test_marks_in_coded_rows)
{
    if (paired)
        skip();
    enum { FIRST = 40000, COUNT = 50003, SECTION = 3 };
    static uint8_t symbols[COUNT];
    static uint8_t marks[COUNT];
    static uint8_t coded[2][SPACE];
    const struct material material = material_named("KQvKR");
    struct entry_order order;
    struct context_sample sample = {.symbols = symbols,
                                    .given = marks,
                                    .marked = true,
                                    .block = COUNT,
                                    .blocks = 1,
                                    .distances = 20,
                                    .contexts = 1,
                                    .places = 20000,
                                    .symbols_in_all = 1 << 24,
                                    .candidate = {1, 8, 64},
                                    .candidates = 3};
    entry_order_init(&order, &material, NULL, NULL);
    entry_mark_vacant(&order, BLACK, SECTION, FIRST, COUNT, VACANT, marks);
    for (size_t i = 0; i < COUNT; i++) // some rows are of one symbol
        symbols[i] = (uint8_t)(marks[i] == VACANT || random_below(4) == 0 ? FREE
                               : i / CONTEXT_ROW % 3 == 0                 ? 7
                                                                          : i / 8 % 10 + (size_t)random_below(2));
    uint8_t *data;
    size_t data_bytes;
    size_t bytes[2];
    GOOD(context_train(&writer, &sample, NULL, &data, &data_bytes));
    const struct vacant_start start = {&order, BLACK, SECTION, FIRST};
    GOOD(context_encode(&writer, symbols, marks, NULL, COUNT, NULL, coded[0], &bytes[0]));
    GOOD(context_encode(&writer, symbols, NULL, &start, COUNT, NULL, coded[1], &bytes[1]));
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(coded[0], coded[1], bytes[0]);
    size_t vacant = 0;
    while (marks[vacant] != VACANT || vacant / CONTEXT_ROW % 3 == 0)
        vacant++;
    symbols[vacant] = 11;
    assert_int_equal(context_encode(&writer, symbols, NULL, &start, COUNT, NULL, coded[1], &bytes[1]), CLTB_E_CORRUPT);
    context_model_free(&writer);
    free(data);
}

// ---- in a container ----

// A stream of outcomes and one of distances, as their writer leaves them.
struct pair {
    uint8_t outcomes[BLOCK];
    uint8_t distances[BLOCK];
    uint8_t *model[2];
    size_t model_bytes[2];
    uint8_t coded[2][SPACE];
    size_t bytes[2];
};

// Makes a pair; the model of the distances says that their outcomes are in stream number `outcomes`.
static void make_pair(struct pair *pair, unsigned outcomes)
{
    struct context_model of_outcomes;
    struct context_sample sample = {.symbols = pair->outcomes,
                                    .block = BLOCK,
                                    .blocks = 1,
                                    .contexts = 4096,
                                    .places = 20000,
                                    .symbols_in_all = 1 << 24,
                                    .candidate = {1, 64, 512},
                                    .candidates = 3};
    make_block(SMOOTH, pair->distances, BLOCK, true);
    for (size_t i = 0; i < BLOCK; i++)
        pair->outcomes[i] = given[i] == MARK ? (uint8_t)random_below(OUTCOMES) : given[i];
    GOOD(context_train(&of_outcomes, &sample, NULL, &pair->model[0], &pair->model_bytes[0]));
    GOOD(context_encode(&of_outcomes, pair->outcomes, NULL, NULL, BLOCK, given, pair->coded[0], &pair->bytes[0]));
    assert_memory_equal(given, pair->outcomes, BLOCK); // there are no don't-cares
    context_model_free(&of_outcomes);
    mark_given(NULL, 0, 0, BLOCK, given);
    sample.symbols = pair->distances;
    sample.given = given;
    sample.marked = true;
    sample.paired = true;
    sample.distances = symbols_of[SMOOTH];
    sample.outcomes = outcomes;
    GOOD(context_train(&writer, &sample, NULL, &pair->model[1], &pair->model_bytes[1]));
    pair->bytes[1] = encode(&writer, pair->distances, BLOCK, pair->coded[1]);
    context_model_free(&writer);
}

static void free_pair(struct pair *pair)
{
    free(pair->model[0]);
    free(pair->model[1]);
}

// Writes a container of a pair; `shape` is that of the distances.
static void write_pair(const struct pair *pair, const struct container_stream *shape, const char *path)
{
    struct container_writer *container;
    struct container_stream shapes[2] = {{"outcome-w", 1, 1 << 17, 1, BLOCK, CODEC_CONTEXT, 0}, *shape};
    for (int i = 0; i < 2; i++)
        shapes[i].model_bytes = (uint32_t)pair->model_bytes[i];
    GOOD(container_create(&container, path, shapes, 2, 10));
    for (int i = 0; i < 2; i++) {
        const struct container_piece piece = {pair->coded[i], (uint32_t)pair->bytes[i]};
        const struct container_piece pieces[] = {piece, piece};
        container_put_model(container, i, pair->model[i]);
        for (uint64_t section = 0; section < shapes[i].sections; section++)
            GOOD(container_add(container, i, section, pieces));
    }
    GOOD(container_finish(container, ""));
}

TEST(test_container)
{
    if (!paired)
        skip();
    static struct pair pair;
    static uint8_t found[BLOCK];
    const struct container_stream good = {"distance-w", 1, 1 << 17, 1, BLOCK, CODEC_PATTERN, 0};
    const struct container_stream bad[] = {{"distance-w", 1, 1 << 16, 1, BLOCK, CODEC_PATTERN, 0},
                                           {"distance-w", 1, 1 << 17, 2, BLOCK, CODEC_PATTERN, 0},
                                           {"distance-w", 1, 1 << 17, 1, BLOCK - 1, CODEC_PATTERN, 0},
                                           {"distance-w", 2, 1 << 17, 1, BLOCK, CODEC_PATTERN, 0},
                                           {"distance-w", 1, 1 << 17, 1, BLOCK, 3, 0},
                                           {"distance-w", 1, 1 << 17, 1, BLOCK, 5, 0}};
    char folder[TEST_PATH_MAX];
    char path[TEST_PATH_MAX + 8];
    struct container *container;
    test_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.cltb", folder);
    make_pair(&pair, 0);
    write_pair(&pair, &good, path);
    GOOD(container_open(&container, path));
    FAILS(container_read(container, 1, 0, found), CLTB_E_CORRUPT, "belongs to a chess table");
    container_mark(container, 1, mark_given, NULL);
    GOOD(container_read(container, 1, 0, found));
    for (size_t i = 0; i < BLOCK; i++)
        assert_true(pair.distances[i] == FREE || found[i] == pair.distances[i]);
    const bool wanted[13] = {[2] = true, [3] = true, [12] = true};
    static uint8_t units[BLOCK];
    static uint8_t kept[BLOCK];
    assert_int_equal(container_paired(container, 1), 0);
    GOOD(container_read_units(container, 1, 0, wanted, units, kept));
    for (size_t unit = 0; unit < 13; unit++) {
        const size_t length = unit < 12 ? CONTEXT_UNIT : BLOCK % CONTEXT_UNIT;
        uint8_t one[CONTEXT_UNIT];
        GOOD(container_read_unit(container, 1, 0, (uint32_t)unit, 0, one));
        assert_memory_equal(one, found + unit * CONTEXT_UNIT, length);
        if (!wanted[unit])
            continue;
        assert_memory_equal(units + unit * CONTEXT_UNIT, one, length);
        assert_memory_equal(kept + unit * CONTEXT_UNIT, given + unit * CONTEXT_UNIT, length);
    }
    container_close(container);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_pair(&pair, &bad[i], path);
        FAILS(container_open(&container, path), CLTB_E_CORRUPT, "makes no sense");
    }
    free_pair(&pair);
    for (unsigned outcomes = 1; outcomes < 256; outcomes += 127) { // not an earlier stream
        make_pair(&pair, outcomes);
        write_pair(&pair, &good, path);
        FAILS(container_open(&container, path), CLTB_E_CORRUPT, "makes no sense");
        free_pair(&pair);
    }
    test_folder_remove(folder);
}

int main(void)
{
    const int failed = tests_run(NULL, NULL);
    paired = true;
    return failed + tests_run(NULL, NULL);
}
