// test_write_passes.c - passes of a section: every block once, and no more tiles than necessary; test_write_table.c
// makes sections in passes, which shows whether their tiles suffice
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

static void check_plan(const struct plan *plan, uint64_t most)
{
    const struct write_passes *passes = &plan->passes;
    bool *seen = calloc(passes->blocks, sizeof *seen);
    assert_non_null(seen);
    uint64_t next = 0;
    for (size_t i = 0; i < passes->count; i++) {
        const struct write_pass *pass = &passes->pass[i];
        assert_int_equal(pass->first, next);
        assert_true(pass->count > 0 && pass->count <= most && pass->count <= passes->most);
        for (uint64_t b = next; b < next + pass->count; b++) {
            assert_true(passes->block[b] < passes->blocks);
            assert_false(seen[passes->block[b]]);
            seen[passes->block[b]] = true;
        }
        next += pass->count;
    }
    assert_int_equal(next, passes->blocks);
    free(seen);
}

TEST(test_plans)
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

TESTS(NULL, NULL)
