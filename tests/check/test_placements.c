// test_placements.c - every placement occurs once up to symmetry: against an enumeration of all placements, and pinned
// counts
#include "support/support.h"

#include "check/placements.h"
#include "index/square.h"

enum { THREADS = 2, CODES_MAX = 1 << 24 }; // threads of test_pool

struct seen {
    uint8_t *times; // [64^men] of both threads, each its own half
    uint64_t weight[THREADS];
};

// A placement as a number: the board's codes would be too many, so the men by colour, type and rising square.
static uint64_t number(const struct position *p, int g)
{
    uint64_t code = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = KING; type <= PAWN; type++) {
            uint64_t set = 0;
            for (int i = 0; i < p->count[colour][type]; i++)
                set |= square_bit(square_apply(g, p->list[colour][type][i]));
            for (; set != 0; set &= set - 1)
                code = code << 6 | (uint64_t)__builtin_ctzll(set);
        }
    }
    return code;
}

static int mark(void *context, const struct placement *placement, int worker)
{
    struct seen *seen = context;
    assert_int_equal(placement->position->side, WHITE);
    uint8_t *times = seen->times + (uint64_t)worker * CODES_MAX;
    times[number(placement->position, 0)]++;
    seen->weight[worker] += placement->weight;
    return 0;
}

// Every placement on the whole board (kings not touching) is the image of exactly one that was seen, or of the two
// mirror images of one with both kings on the diagonal; `weight` adds up to their number.
struct census {
    const struct seen *seen;
    struct man man[MATERIAL_MEN_MAX];
    int men;
    int symmetries;
    uint64_t found;
};

static void check_one(void *context)
{
    struct census *census = context;
    struct position p;
    if (position_set(&p, census->man, census->men, WHITE) != 0 ||
        squares_touch(position_king(&p, WHITE), position_king(&p, BLACK)))
        return;
    int images = 0;
    uint64_t known[SYMMETRIES];
    int count = 0;
    for (int g = 0; g < census->symmetries; g++) {
        const uint64_t code = number(&p, g);
        bool new = true;
        for (int i = 0; i < count; i++)
            new &= known[i] != code;
        if (!new)
            continue;
        known[count++] = code;
        for (int worker = 0; worker < THREADS; worker++)
            images += census->seen->times[(uint64_t)worker * CODES_MAX + code];
    }
    const bool two = census->symmetries == SYMMETRIES && count > 4 && images == 2;
    if (images != 1 && !two)
        fail_msg("a placement was seen %d times", images);
    census->found++;
}

static void check_material(const char *name, int symmetries)
{
    const struct material material = material_named(name);
    struct seen seen = {.times = calloc(THREADS, CODES_MAX)};
    struct census census = {.seen = &seen, .symmetries = symmetries};
    assert_non_null(seen.times);
    assert_true(material_men(&material) <= 4);
    assert_int_equal(placements_each(&material, test_pool, mark, &seen), 0);
    census.men = placement_men(&material, census.man);
    assert_int_equal(census.men, material_men(&material));
    each_placement(census.man, 0, census.men, check_one, &census);
    assert_int_equal(census.found, seen.weight[0] + seen.weight[1]);
    free(seen.times);
}

static void test_each_once(void **state)
{
    check_material("KQvK", SYMMETRIES);
    check_material("KPvK", 2);
    check_material("KPPvK", 2);
}

static int count_legal(void *context, const struct placement *placement, int worker)
{
    uint64_t(*count)[COLOURS] = context;
    struct position *p = placement->position;
    for (int side = WHITE; side <= BLACK; side++) {
        if (position_legal(p))
            count[worker][side] += placement->weight;
        placement_turn(p);
    }
    // If all men stand on the diagonal, so do both kings: such a placement has weight 4.
    return placement->on_diagonal && placement->weight != 4 ? CLTB_E_MISMATCH : 0;
}

static void test_counts(void **state)
{
    static const struct {
        const char *name;
        uint64_t legal[COLOURS];
    } facts[] = {
        {"KPvK", {163328, 168024}},     {"KPPvK", {3613342, 3824744}}, {"KPvKP", {7436088, 7436088}},
        {"KRPvK", {7877172, 10249464}}, {"KNvKP", {9408532, 9963008}}, {"KQvKR", {8952608, 10780728}},
        {"KRRvK", {4162592, 6830292}},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct material material = material_named(facts[i].name);
        uint64_t count[THREADS][COLOURS] = {{0}};
        assert_int_equal(placements_each(&material, test_pool, count_legal, count), 0);
        for (int side = WHITE; side <= BLACK; side++)
            assert_int_equal(count[0][side] + count[1][side], facts[i].legal[side]);
    }
}

static int stop_at_third(void *context, const struct placement *placement, int worker)
{
    int *calls = context;
    return ++*calls == 3 ? -77 : 0;
}

// A non-zero result of the visitor ends the walk.
static void test_stops(void **state)
{
    struct thread_pool *one;
    const struct material material = material_named("KPvKP");
    int calls = 0;
    assert_int_equal(threads_open(&one, 1), 0);
    assert_int_equal(placements_each(&material, one, stop_at_third, &calls), -77);
    assert_int_equal(calls, 3);
    threads_close(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_once), cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_stops)};
    return cmocka_run_group_tests_name("placements", tests, pool_setup, pool_teardown);
}
