// test_write_passes.c - passes of a section: every block once, every tile that it needs, and no more tiles than
// necessary
#include "support/support.h"

#include "index/layout.h"
#include "table/write/write_passes.h"

struct plan {
    struct layout layout;
    struct entry_order order;
    unsigned bits;
    struct write_passes passes;
    double visits; // how often a tile is wanted, on average
};

static void make_plan(struct plan *plan, const char *name, const char *order, unsigned bits, uint64_t most)
{
    const struct material material = material_named(name);
    GOOD(layout_init(&plan->layout, &material, LAYOUT_PAIR));
    GOOD(entry_order_read(&plan->order, &material, NULL, order));
    plan->bits = bits;
    const struct write_pieces pieces = {plan->layout.pieces, plan->layout.type, plan->layout.colour};
    GOOD(write_passes_plan(&plan->passes, &plan->order, &pieces, bits, most));
    plan->visits = 0;
    for (size_t i = 0; i < plan->passes.count; i++) {
        double share = 1;
        for (int piece = 0; piece < plan->layout.pieces; piece++)
            share *= __builtin_popcount(plan->passes.pass[i].filter.u[piece]) / 8.0;
        plan->visits += share;
    }
}

// A placement of all men but the black king, and the entry that it has.
static uint64_t random_entry(const struct plan *plan, uint8_t *u)
{
    uint8_t square[LAYOUT_PIECES_MAX];
    uint64_t entry = 0;
    uint64_t taken = 0;
    for (int i = 0; i < plan->layout.pieces; i++) {
        do
            square[i] = (uint8_t)(random_u64() % 64);
        while (taken & square_bit(square[i]));
        taken |= square_bit(square[i]);
        u[i] = square_code[square[i]] >> 3;
    }
    for (int g = 0; g < plan->order.groups; g++) {
        uint8_t men[MATERIAL_MEN_MAX];
        int count = 0;
        for (int i = 0; i < plan->layout.pieces; i++) {
            if (plan->layout.type[i] == plan->order.group[g].type &&
                plan->layout.colour[i] == plan->order.group[g].colour)
                men[count++] = square[i];
        }
        assert_int_equal(count, plan->order.group[g].count);
        entry += entry_digit(men, count) * plan->order.group[g].stride;
    }
    return entry;
}

static void check_plan(struct plan *plan, uint64_t most)
{
    const struct write_passes *passes = &plan->passes;
    size_t *pass_of = malloc(passes->blocks * sizeof *pass_of);
    assert_non_null(pass_of);
    memset(pass_of, 0xff, passes->blocks * sizeof *pass_of);
    uint64_t next = 0;
    for (size_t i = 0; i < passes->count; i++) {
        const struct write_pass *pass = &passes->pass[i];
        assert_int_equal(pass->first, next);
        assert_true(pass->count > 0 && pass->count <= most && pass->count <= passes->most);
        for (uint64_t b = next; b < next + pass->count; b++) {
            assert_true(passes->block[b] < passes->blocks);
            assert_true(pass_of[passes->block[b]] == SIZE_MAX);
            pass_of[passes->block[b]] = i;
        }
        next += pass->count;
    }
    assert_int_equal(next, passes->blocks);
    for (int i = 0; i < 20000; i++) {
        uint8_t u[LAYOUT_PIECES_MAX];
        const uint64_t entry = random_entry(plan, u);
        assert_true(entry < plan->order.per_section);
        const struct write_pass *pass = &passes->pass[pass_of[entry >> plan->bits]];
        assert_true(tile_wanted(&pass->filter, &plan->layout, u));
    }
    free(pass_of);
}

static void test_plans(void **state)
{
    static const struct {
        const char *name;
        const char *order;
        unsigned bits;
        uint64_t most; // blocks
        size_t passes;
        double visits; // of a tile, at most
    } cases[] = {
        {"KQRvKR", "k r Q R K", 16, 256, 1, 1},  // all blocks
        {"KQRvKR", "k r Q R K", 16, 255, 2, 1},  // the smallest power of two
        {"KQRvKR", "k r Q R K", 16, 100, 4, 1},  //
        {"KQRvKR", "k r Q R K", 16, 32, 8, 1},   // an orbit each
        {"KQRvKR", "k r Q R K", 16, 31, 16, 2},  // half of one
        {"KQRvKR", "k r Q R K", 16, 1, 256, 32}, // a quarter of a square each: half of the next man's orbits
        {"KQRvKR", "k r Q R K", 18, 8, 8, 1},    //
        {"KQRvKRB", "k b r Q R K", 16, 16384, 1, 1},
        {"KQRvKRB", "k b r Q R K", 16, 2048, 8, 1},
        {"KQRvKRB", "k b r Q R K", 16, 2047, 16, 1},
        {"KQRvKRB", "k b r Q R K", 16, 256, 64, 1},
        {"KQRvKRB", "k b r Q R K", 16, 128, 128, 2},
        {"KBBvKN", "k n BB K", 16, 63, 2, 2}, // blocks that reach over to the next square
        {"KBBvKN", "k n BB K", 16, 16, 8, 8},
        {"KBBvKN", "k BB n K", 16, 16, 8, 8},
        {"KBBvKN", "k n K BB", 16, 16, 8, 8},
        {"KNNNvK", "k NNN K", 16, 10, 5, 5},
        {"KQvKR", "k r Q K", 12, 8, 8, 1},
        {"KRvK", "k R K", 9, 1, 8, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plan plan;
        make_plan(&plan, cases[i].name, cases[i].order, cases[i].bits, cases[i].most);
        check_plan(&plan, cases[i].most);
        if (plan.passes.count != cases[i].passes || plan.visits > cases[i].visits)
            fail_msg("%s %s, at most %u blocks: %zu passes, %.2f visits", cases[i].name, cases[i].order,
                     (unsigned)cases[i].most, plan.passes.count, plan.visits);
        write_passes_free(&plan.passes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
