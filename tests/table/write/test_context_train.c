// test_context_train.c - models that get their frequencies from a larger sample than their neighbours
#include "support/support.h"

#include "table/block_code.h"
#include "table/write/context_encode.h"
#include "table/write/word_symbols.h"

enum { BLOCK = 2 * CONTEXT_UNIT, BLOCKS = 6, SPACE = 4 * BLOCK };

struct trained {
    struct context_model model;
    uint8_t *data;
    size_t bytes;
};

static void free_trained(struct trained *trained)
{
    context_model_free(&trained->model);
    free(trained->data);
}

// Areas with noise, and don't-cares; `distances`: their number, or 0 for outcomes.
static void make_symbols(unsigned distances, uint8_t *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t random = random_u64();
        const unsigned smooth = (unsigned)(i % 8 + 2 * (i / 8 % 8) + i / 64 % 64 / 8 + (random % 8 == 0));
        const unsigned outcome = smooth > 20 ? 4 : i / 64 % 3 == 0 && random % 4 < 3 ? 2 : 0;
        symbols[i] = (uint8_t)(distances > 0 ? smooth % distances : outcome);
        if ((random >> 32) % 3 == 0)
            symbols[i] = (uint8_t)(distances > 0 ? ANY_DISTANCE : ANY_OUTCOME);
    }
}

// In the stream, rows are eight times as far apart as in the sample.
static struct context_sample make_sample(unsigned distances, const uint8_t *symbols, size_t blocks, bool trial)
{
    return (struct context_sample){.symbols = symbols,
                                   .block = BLOCK,
                                   .blocks = blocks,
                                   .distances = distances,
                                   .occurs = {true, false, true, false, true},
                                   .candidate = {{1, 1}, {2, 2}, {8, 64}, {64, 512}, {72, 576}, {512, 4096}},
                                   .candidates = 6,
                                   .contexts = distances > 0 ? 1 : 512,
                                   .places = 20000,
                                   .trial = trial,
                                   .symbols_in_all = 1 << 24};
}

static void train(const struct context_sample *sample, struct trained *trained)
{
    GOOD(context_train(&trained->model, sample, NULL, &trained->data, &trained->bytes));
}

// The trial's bytes are replaced.
static void train_again(const struct context_sample *sample, struct trained *trained)
{
    free(trained->data);
    GOOD(context_train_again(&trained->model, sample, NULL, &trained->data, &trained->bytes));
}

// A trial and the training of the same sample again are one training.
static void check_same_sample(unsigned distances)
{
    static uint8_t symbols[(size_t)BLOCKS * BLOCK];
    struct trained once;
    struct trained twice;
    make_symbols(distances, symbols, sizeof symbols);
    const struct context_sample whole = make_sample(distances, symbols, BLOCKS, false);
    const struct context_sample trial = make_sample(distances, symbols, BLOCKS, true);
    train(&whole, &once);
    train(&trial, &twice);
    train_again(&whole, &twice);
    assert_int_equal(once.bytes, twice.bytes);
    assert_memory_equal(once.data, twice.data, once.bytes);
    free_trained(&once);
    free_trained(&twice);
}

// The neighbours of a trial remain, frequencies do not, and the model that is read from the bytes decodes what was
// encoded with the one that was made.
static void check_larger_sample(unsigned distances)
{
    static uint8_t symbols[(size_t)BLOCKS * BLOCK];
    static uint8_t stored[BLOCK];
    static uint8_t found[BLOCK];
    static uint8_t given[BLOCK]; // zeros
    static uint8_t coded[SPACE];
    struct trained trained;
    make_symbols(distances, symbols, sizeof symbols);
    const struct context_sample trial = make_sample(distances, symbols, 1, true);
    const struct context_sample whole = make_sample(distances, symbols, BLOCKS, false);
    train(&trial, &trained);
    const struct context_model before = trained.model;
    const struct context_slots rows = before.row[0];
    assert_in_range(before.neighbours, 2, 7);
    train_again(&whole, &trained);
    assert_int_equal(trained.model.copied, before.copied);
    assert_int_equal(trained.model.neighbours, before.neighbours);
    assert_memory_equal(trained.model.distance, before.distance, sizeof before.distance);
    assert_memory_not_equal(&trained.model.row[0], &rows, sizeof rows);
    struct context_model reread;
    assert_true(context_model_read(&reread, distances > 0, trained.data, trained.bytes));
    size_t bytes;
    GOOD(context_encode(&trained.model, symbols + BLOCK, NULL, NULL, BLOCK, stored, coded, &bytes));
    const struct context_range all = {0, context_units(BLOCK), NULL, 0};
    assert_true(context_decode(&reread, coded, bytes, BLOCK, all, distances > 0 ? given : NULL, found));
    assert_memory_equal(found, stored, BLOCK);
    for (size_t i = 0; i < BLOCK; i++) {
        if (symbols[BLOCK + i] < 0x80)
            assert_int_equal(found[i], symbols[BLOCK + i]);
    }
    context_model_free(&reread);
    free_trained(&trained);
}

static void test_outcomes(void **state)
{
    check_same_sample(0);
    check_larger_sample(0);
}

static void test_distances(void **state)
{
    check_same_sample(40);
    check_larger_sample(40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_outcomes), cmocka_unit_test(test_distances)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
