// test_syzygy_pack.c - packed values of sub-tables, unpacked by a decoder that knows only the format
#include "support/support.h"

#include "syzygy/write/packed.h"
#include "syzygy/write/slices.h"
#include "util/threads.h"

enum { LEAF = 0xfff, SYMBOLS_MOST = 4095, HEIGHT_MOST = 16 };

static void *new_array(uint64_t count, size_t size)
{
    void *array = calloc(count, size);
    if (array == NULL)
        abort();
    return array;
}

// ---- the decoder ----

struct unpacked {
    uint32_t span[SYMBOLS_MOST];
    uint8_t height[SYMBOLS_MOST];
    uint64_t base[34];
    uint16_t *value; // [values]
    uint64_t at;
    uint64_t end; // of the block
};

static unsigned left_of(const struct syzygy_packed *p, unsigned symbol)
{
    return p->symbol[3 * symbol] | (p->symbol[3 * symbol + 1] & 15u) << 8;
}

static unsigned right_of(const struct syzygy_packed *p, unsigned symbol)
{
    return p->symbol[3 * symbol + 1] >> 4 | (unsigned)p->symbol[3 * symbol + 2] << 4;
}

static void measure(struct unpacked *u, const struct syzygy_packed *p, unsigned symbol, int depth)
{
    assert_true(depth <= HEIGHT_MOST);
    assert_true(symbol < p->symbols);
    if (right_of(p, symbol) == LEAF) {
        u->span[symbol] = 1;
        return;
    }
    const unsigned half[2] = {left_of(p, symbol), right_of(p, symbol)};
    u->span[symbol] = 0;
    for (int i = 0; i < 2; i++) {
        if (half[i] >= p->symbols || u->span[half[i]] == 0)
            measure(u, p, half[i], depth + 1);
        u->span[symbol] += u->span[half[i]];
        if (u->height[half[i]] >= u->height[symbol])
            u->height[symbol] = (uint8_t)(u->height[half[i]] + 1);
    }
    assert_true(u->span[symbol] <= 256);
    assert_true(u->height[symbol] <= HEIGHT_MOST);
}

static void expand(struct unpacked *u, const struct syzygy_packed *p, unsigned symbol)
{
    if (u->at == u->end) // the rest of a block's last code
        return;
    if (right_of(p, symbol) == LEAF) {
        u->value[u->at++] = (uint16_t)left_of(p, symbol);
        return;
    }
    expand(u, p, left_of(p, symbol));
    expand(u, p, right_of(p, symbol));
}

static uint64_t bits_at(const uint8_t *data, uint64_t bit, unsigned count)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < count; i++)
        bits = bits << 1 | (data[(bit + i) / 8] >> (7 - (bit + i) % 8) & 1);
    return bits;
}

static void decode_block(struct unpacked *u, const struct syzygy_packed *p, uint32_t block)
{
    const uint8_t *data = p->data + ((size_t)block << p->block_bits);
    const uint64_t size = UINT64_C(8) << p->block_bits;
    uint64_t bit = 0;
    u->end = u->at + p->length[block] + 1;
    assert_true(u->end <= p->values);
    while (u->at < u->end) {
        unsigned length = p->code_min;
        while (length < p->code_max && bit + length <= size && bits_at(data, bit, length) < u->base[length])
            length++;
        assert_true(bit + length <= size);
        const uint64_t symbol = p->first[length - p->code_min] + bits_at(data, bit, length) - u->base[length];
        assert_true(symbol < p->symbols);
        expand(u, p, (unsigned)symbol);
        bit += length;
    }
    for (; bit < size; bit++)
        assert_int_equal(bits_at(data, bit, 1), 0);
}

// The middle of span k is value `offset` of `block`.
static void check_sparse(const struct syzygy_packed *p)
{
    const unsigned bits = p->span_bits;
    assert_in_range(bits, 1, 30);
    const uint64_t half = UINT64_C(1) << ((bits - 1) & 31);
    assert_int_equal(p->spans, ((p->values - 1) >> bits) + 1);
    uint64_t start = 0;
    uint32_t block = 0;
    for (uint64_t k = 0; k < p->spans; k++) {
        const uint8_t *entry = p->sparse + 6 * k;
        const uint32_t wanted =
            entry[0] | (uint32_t)entry[1] << 8 | (uint32_t)entry[2] << 16 | (uint32_t)entry[3] << 24;
        const unsigned offset = entry[4] | (unsigned)entry[5] << 8;
        assert_true(wanted < p->blocks + p->padding);
        for (; block < wanted; block++)
            start += p->length[block] + UINT64_C(1);
        assert_true(offset <= p->length[block]);
        assert_true(start + offset == (k << bits) + half);
    }
    assert_true(p->padding == 0 || block + 1 == p->blocks + p->padding);
    for (unsigned i = 0; i < p->padding; i++)
        assert_int_equal(p->length[p->blocks + i], 65535);
}

// All values; free() them.
static uint16_t *unpack(const struct syzygy_packed *p)
{
    struct unpacked *u = new_array(1, sizeof *u);
    u->value = new_array(p->values, sizeof *u->value);
    for (; p->single && u->at < p->values; u->at++)
        u->value[u->at] = p->value;
    if (!p->single) {
        assert_true(p->symbols <= SYMBOLS_MOST);
        assert_true(p->code_min >= 1 && p->code_max <= 32);
        assert_true(p->block_bits >= 5 && p->block_bits <= 10);
        assert_int_equal(p->first[p->code_max - p->code_min], 0);
        for (unsigned symbol = 0; symbol < p->symbols; symbol++)
            measure(u, p, symbol, 0);
        for (unsigned length = p->code_max; length-- > p->code_min;) {
            const unsigned i = length - p->code_min;
            assert_true(p->first[i] >= p->first[i + 1]);
            const uint64_t sum = u->base[length + 1] + p->first[i] - p->first[i + 1];
            assert_int_equal(sum % 2, 0);
            u->base[length] = sum / 2;
        }
        for (uint32_t block = 0; block < p->blocks; block++)
            decode_block(u, p, block);
        assert_true(u->at == p->values);
        check_sparse(p);
    }
    uint16_t *values = u->value;
    free(u);
    return values;
}

// ---- round trips ----

static bool may_be(unsigned wanted, unsigned got, bool wdl)
{
    switch (wanted) {
    case SYZYGY_TO_BLESSED:
        return got <= 1;
    case SYZYGY_TO_DRAW:
        return got <= 2;
    case SYZYGY_TO_CURSED:
        return got <= 3;
    case SYZYGY_ANY:
        return !wdl || got <= 4;
    default:
        return got == wanted;
    }
}

// Packs a copy; the result must unpack to the same. syzygy_packed_free() it.
static struct syzygy_packed packed_of(const struct syzygy_values *values, struct thread_pool *pool)
{
    struct syzygy_values copy = *values;
    copy.values = new_array(values->count, 1);
    memcpy(copy.values, values->values, values->count);
    struct syzygy_packed packed;
    GOOD(syzygy_pack(&packed, &copy, pool));
    free(copy.values);
    assert_true(packed.values == values->count);
    uint16_t *got = unpack(&packed);
    for (uint64_t i = 0; i < values->count; i++)
        if (!may_be(values->values[i], got[i], values->wdl))
            fail_msg("value %llu of %llu is %u, not %#x", (unsigned long long)i, (unsigned long long)values->count,
                     got[i], values->values[i]);
    free(got);
    return packed;
}

// Values in runs, some in repeated phrases, the rarer the larger; a share of them free.
static void make_values(uint8_t *value, uint64_t count, unsigned leaves, unsigned free_percent, bool wdl)
{
    uint64_t i = 0;
    while (i < count) {
        const uint64_t choice = random_u64() % 100;
        uint64_t length = 1 + random_u64() % (choice < 10 ? 600 : choice < 40 ? 40 : 5);
        const uint64_t back = 1 + random_u64() % 3000;
        const unsigned leaf = (unsigned)(random_u64() % leaves * (random_u64() % leaves + 1) / leaves);
        const bool is_free = random_u64() % 100 < free_percent;
        for (; length > 0 && i < count; length--, i++)
            if (is_free)
                value[i] = (uint8_t)(wdl ? SYZYGY_FREE_MIN + random_u64() % 4 : SYZYGY_ANY);
            else
                value[i] = choice % 2 == 0 && back <= i ? value[i - back] : (uint8_t)leaf;
    }
}

TEST(test_round_trips)
{
    enum { MOST = 2500000 };
    uint8_t *value = new_array(MOST, 1);
    bool odd = false;
    bool padded = false;
    for (int round = 0; round < 300; round++) {
        const bool wdl = round % 2 == 0;
        const unsigned leaves = wdl ? 5 : 1 + (unsigned)(random_u64() % 200);
        uint64_t count = 1 + random_u64() % (round < 100 ? 50 : round < 280 ? 6000 : 300000);
        if (round == 299)
            count = MOST;
        make_values(value, count, leaves, (unsigned)round % 5 * 20, wdl);
        const struct syzygy_values values = {.values = value, .count = count, .wdl = wdl, .go_on = round % 4 < 2};
        struct syzygy_packed packed = packed_of(&values, NULL);
        odd |= packed.symbols % 2 == 1;
        padded |= packed.padding > 0;
        syzygy_packed_free(&packed);
    }
    assert_true(odd);
    assert_true(padded);
    free(value);
}

// What becomes of free outcomes between two neighbours, in both ways; 2 is the most frequent value.
TEST(test_free_values)
{
    enum { ANY = SYZYGY_ANY, DRAW = SYZYGY_TO_DRAW };
    static const uint8_t given[] = {0, 0,   ANY, 2, 1, 0,    ANY, 2, 2, 1, 0,    ANY, ANY, 2, ANY, 1, 4,
                                    4, ANY, 2,   4, 4, DRAW, 2,   0, 4, 4, DRAW, ANY, 1,   0, 2,   2, 2};
    static const uint8_t frequent[] = {0, 0, 2, 2, 1, 0, 2, 2, 2, 1, 0, 2, 2, 2, 2, 1, 4,
                                       4, 2, 2, 4, 4, 2, 2, 0, 4, 4, 1, 1, 1, 0, 2, 2, 2};
    static const uint8_t going_on[] = {0, 0, 0, 2, 1, 0, 2, 2, 2, 1, 0, 2, 2, 2, 2, 1, 4,
                                       4, 4, 2, 4, 4, 2, 2, 0, 4, 4, 1, 1, 1, 0, 2, 2, 2};
    uint8_t value[sizeof given];
    (void)state;
    for (int go_on = 0; go_on < 2; go_on++) {
        const uint8_t *wanted = go_on ? going_on : frequent;
        memcpy(value, given, sizeof given);
        const struct syzygy_values values = {.values = value, .count = sizeof given, .wdl = true, .go_on = go_on};
        struct syzygy_packed packed = packed_of(&values, NULL);
        uint16_t *got = unpack(&packed);
        for (size_t i = 0; i < sizeof given; i++)
            if (got[i] != wanted[i])
                fail_msg("go_on %d: value %zu becomes %u, not %u", go_on, i, got[i], wanted[i]);
        free(got);
        syzygy_packed_free(&packed);
    }
}

// A long run of free distances between 3 and 5, where 5 is more frequent than 3 and 7 than both.
TEST(test_long_runs)
{
    enum { SHORT = 31, LONG = 32 };
    (void)state;
    for (int run = SHORT; run <= LONG; run++) {
        for (int go_on = 0; go_on < 2; go_on++) {
            uint8_t value[200];
            memset(value, 7, sizeof value);
            memset(value + 50, 5, 3);
            value[99] = 3;
            memset(value + 100, SYZYGY_ANY, (size_t)run);
            value[100 + run] = 5;
            const struct syzygy_values values = {.values = value, .count = sizeof value, .go_on = go_on};
            struct syzygy_packed packed = packed_of(&values, NULL);
            uint16_t *got = unpack(&packed);
            for (int i = 100; i < 100 + run; i++)
                assert_int_equal(got[i], run == LONG && !go_on ? 7 : 5);
            free(got);
            syzygy_packed_free(&packed);
        }
    }
}

TEST(test_single)
{
    static const struct {
        const char *text; // of values: digits, b d c * for the classes
        bool wdl;
        bool single;
        uint16_t value;
    } facts[] = {
        {"4", true, true, 4},       {"444*4", true, true, 4}, {"***", true, true, 0},     {"d*b", true, true, 0},
        {"222d*c", true, true, 2},  {"444c", true, false, 0}, {"00*0", false, true, 0},   {"***", false, true, 0},
        {"55*5", false, false, 0},  {"0", true, true, 0},     {"3", false, false, 0},     {"01", false, false, 0},
        {"4444b4", true, false, 0}, {"1b1b", true, true, 1},  {"01****", true, false, 0},
    };
    for (size_t f = 0; f < sizeof facts / sizeof facts[0]; f++) {
        uint8_t value[16];
        const size_t count = strlen(facts[f].text);
        for (size_t i = 0; i < count; i++) {
            static const char classes[] = "bdc*";
            const char *class = strchr(classes, facts[f].text[i]);
            value[i] = (uint8_t)(class != NULL ? SYZYGY_FREE_MIN + (class - classes) : facts[f].text[i] - '0');
        }
        const struct syzygy_values values = {.values = value, .count = count, .wdl = facts[f].wdl};
        struct syzygy_packed packed = packed_of(&values, NULL);
        assert_int_equal(packed.single, facts[f].single);
        if (packed.single) {
            assert_int_equal(packed.value, facts[f].value);
            assert_true(packed.single);
        }
        syzygy_packed_free(&packed);
    }
}

// One leaf that a file of distances cannot have as its single value: all codes are one bit, blocks are full of values.
TEST(test_one_leaf)
{
    enum { COUNT = 300000 };
    uint8_t *value = new_array(COUNT, 1);
    memset(value, 7, COUNT);
    const struct syzygy_values values = {.values = value, .count = COUNT, .wdl = false};
    struct syzygy_packed packed = packed_of(&values, NULL);
    assert_false(packed.single);
    assert_int_equal(packed.length[0], 65535);
    assert_int_equal(packed.code_min, 1);
    syzygy_packed_free(&packed);
    // A few others among them
    for (int i = 1; i < 10; i++)
        value[COUNT - i * i] = 3;
    packed = packed_of(&values, NULL);
    assert_int_equal(packed.length[0], 65535);
    syzygy_packed_free(&packed);
    free(value);
}

// More pairs that gain something than there are numbers for symbols; and values that follow one another by chance, of
// which no pair gains anything, however often they meet: there are leaves and runs of two, which need not gain.
TEST(test_all_symbols)
{
    enum { COUNT = 400000, LEAVES = 100, FOLLOWERS = 4 };
    for (unsigned followers = FOLLOWERS; followers <= LEAVES; followers += LEAVES - FOLLOWERS) {
        uint8_t *value = new_array(COUNT, 1);
        for (int i = 1; i < COUNT; i++)
            value[i] = (uint8_t)((7 * value[i - 1] + random_u64() % followers) % LEAVES);
        const struct syzygy_values values = {.values = value, .count = COUNT, .wdl = false};
        struct syzygy_packed packed = packed_of(&values, NULL);
        // By chance a run of two may be too rare for a symbol.
        assert_in_range(packed.symbols, followers == LEAVES ? 2 * LEAVES - 3 : SYMBOLS_MOST,
                        followers == LEAVES ? 2 * LEAVES : SYMBOLS_MOST);
        assert_true(((uint64_t)packed.blocks << packed.block_bits) <
                    (followers == LEAVES ? COUNT * 15 / 16 : COUNT / 2));
        syzygy_packed_free(&packed);
        free(value);
    }
}

static void assert_same(const struct syzygy_packed *a, const struct syzygy_packed *b)
{
    assert_int_equal(a->symbols, b->symbols);
    assert_memory_equal(a->symbol, b->symbol, 3 * (size_t)a->symbols);
    assert_int_equal(a->blocks, b->blocks);
    assert_int_equal(a->block_bits, b->block_bits);
    assert_memory_equal(a->data, b->data, (size_t)a->blocks << a->block_bits);
    assert_memory_equal(a->length, b->length, (a->blocks + (size_t)a->padding) * sizeof *a->length);
    assert_true(a->spans == b->spans);
    assert_memory_equal(a->sparse, b->sparse, 6 * a->spans);
}

// The same values in compressed slices; they are dropped.
static struct syzygy_packed packed_from_slices(const struct syzygy_values *values, struct thread_pool *pool)
{
    struct value_slices slices;
    struct syzygy_values compressed = *values;
    struct syzygy_packed packed;
    compressed.values = NULL;
    compressed.slices = &slices;
    GOOD(value_slices_open(&slices, values->count));
    for (uint64_t i = 0; i < slices.slices; i++) {
        const uint64_t left = values->count - i * SLICE_VALUES;
        const size_t count = left < SLICE_VALUES ? left : SLICE_VALUES;
        GOOD(value_slice_put(&slices, i, values->values + i * SLICE_VALUES, count));
    }
    GOOD(syzygy_pack(&packed, &compressed, pool));
    value_slices_close(&slices);
    return packed;
}

TEST(test_threads)
{
    enum { COUNT = 6500000 };
    uint8_t *value = new_array(COUNT, 1);
    uint64_t next = 0;
    for (int i = 0; i < COUNT; i++) { // few runs, so that there is work for three threads
        next = i % 5 == 0 ? random_u64() : next >> 3;
        value[i] = (uint8_t)(next % 8 < 5 ? next % 8 : SYZYGY_FREE_MIN - 1 + next % 8 % 5);
    }
    const struct syzygy_values values = {.values = value, .count = COUNT, .wdl = true};
    struct syzygy_packed alone = packed_of(&values, NULL);
    for (int threads = 1; threads <= 3; threads++) {
        struct thread_pool *pool;
        GOOD(threads_open(&pool, threads));
        struct syzygy_packed packed = packed_of(&values, pool);
        assert_same(&packed, &alone);
        syzygy_packed_free(&packed);
        packed = packed_from_slices(&values, pool);
        assert_same(&packed, &alone);
        syzygy_packed_free(&packed);
        threads_close(pool);
    }
    syzygy_packed_free(&alone);
    free(value);
}

// An estimate tells good orders of values from bad ones, and is not far from what packing takes.
TEST(test_estimate)
{
    enum { COUNT = 200000 };
    uint8_t *value = new_array(COUNT, 1);
    uint64_t bytes[3];
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < COUNT; i++)
            value[i] = (uint8_t)(kind == 0 ? 4 : kind == 1 ? i / 64 % 5 : (int)(random_u64() % 5));
        const struct syzygy_values values = {.values = value, .count = COUNT, .wdl = true};
        struct syzygy_packed packed = packed_of(&values, NULL);
        GOOD(syzygy_estimate(&values, &bytes[kind]));
        const uint64_t real = ((uint64_t)packed.blocks << packed.block_bits) + 2 * packed.blocks + 6 * packed.spans;
        assert_true(kind < 2 || (bytes[kind] > real * 3 / 4 && bytes[kind] < real * 3 / 2));
        syzygy_packed_free(&packed);
    }
    assert_true(bytes[0] < bytes[1] && bytes[1] < bytes[2]);
    free(value);
}

TESTS(NULL, NULL)
