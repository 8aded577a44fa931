// test_slow_solver.c - five men: the wide kernels of every instruction set, with and without the pair, give the same
// values
//
// From four pieces on the CPU works with lane words of 512 bits, so smaller endgames never see those kernels. KBBvKN
// has a pair of identical pieces, all kinds of moves but the straight ones, losing captures, and cursed wins far beyond
// ply 100; KRRvKQ the straight ones. One solution without the pair, by the best instruction set, is the measure; the
// others must have as many positions of each value, and the same values in a sample of tiles. What is known of these
// endgames is checked, too.
#include "support/by_solving.h"
#include "support/support.h"

#include "futurebase/futurebases.h"
#include "index/square.h"
#include "make/build.h"
#include "solve/cpu/cpu.h"
#include "solve/solver.h"
#include "util/error.h"
#include "util/threads.h"

enum { SAMPLE_TILES = 800, TILES_AT_ONCE = 512, VALUES = 2 * (SOLVER_PLY_MAX + 2) };

static struct thread_pool *pool; // all threads of this machine
static char folder[TEST_PATH_MAX];

struct solved {
    struct backend *backend;
    struct solution solution;
    uint64_t count[COLOURS][VALUES]; // positions of the whole board by value, identical pieces told apart
};

// ---- solving -------------------------------------------------------------------------------------------------------

static void make_futurebases(const struct material *material)
{
    const struct build_options options = {.dir = folder, .device = "cpu", .threads = 2};
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= KNIGHT; type++) {
            struct material sub = *material;
            if (sub.count[colour][type] == 0)
                continue;
            sub.count[colour][type]--;
            material_normalise(&sub);
            GOOD(build_table(&sub, &options));
        }
    }
}

// Placements of the whole board for a tile, times the orders of a pair that it stands for.
static unsigned tile_weight(const struct layout *layout, uint64_t tile)
{
    unsigned king;
    uint8_t u[LAYOUT_PIECES_MAX];
    layout_digits(layout, tile, &king, u);
    const unsigned orders = layout->pair && u[0] != u[1] ? 2 : 1;
    return (square_on_diagonal(triangle_square[king]) ? 4 : 8) * orders;
}

static void count_values(struct solved *solved)
{
    const struct layout *layout = &solved->backend->layout;
    const uint64_t lanes = layout->tile_lanes;
    solver_value *values = malloc(TILES_AT_ONCE * lanes * sizeof *values);
    uint64_t *illegal = malloc(TILES_AT_ONCE * lanes / 8);
    assert_true(values != NULL && illegal != NULL);
    memset(solved->count, 0, sizeof solved->count);
    for (int side = WHITE; side <= BLACK; side++) {
        for (uint64_t first = 0; first < layout->tiles; first += TILES_AT_ONCE) {
            const uint64_t left = layout->tiles - first;
            const uint64_t tiles = left < TILES_AT_ONCE ? left : TILES_AT_ONCE;
            GOOD(solution_read(&solved->solution, side, first, tiles, values));
            GOOD(solution_read_illegal(&solved->solution, side, first, tiles, illegal));
            for (uint64_t tile = 0; tile < tiles; tile++) {
                const unsigned weight = tile_weight(layout, first + tile);
                for (uint64_t at = tile * lanes; at < (tile + 1) * lanes; at++) {
                    if (!bit_at(illegal, at))
                        solved->count[side][values[at]] += weight;
                }
            }
        }
    }
    free(values);
    free(illegal);
}

static void solve(struct solved *solved, const struct material *material, unsigned flags, const char *isa)
{
    static const struct solver_options options = {.keep_distance = {true, true}};
    struct stored_tables tables = {folder, pool, isa};
    const struct futurebase_source source = stored_source(&tables);
    struct layout layout;
    GOOD(layout_init(&layout, material, flags));
    assert_int_equal(layout.pair, flags == LAYOUT_PAIR);
    GOOD(backend_cpu_open(&solved->backend, &layout, pool, isa));
    GOOD(solver_solve(&solved->solution, solved->backend, &source, &options));
    count_values(solved);
}

static void unsolve(struct solved *solved)
{
    solution_free(&solved->solution);
    solved->backend->ops->close(solved->backend);
}

// ---- comparing -----------------------------------------------------------------------------------------------------

// The men of `from`'s index in the order of `to`: for each piece of `to` the piece of `from`. Identical pieces in
// order.
static void match_pieces(const struct layout *to, const struct layout *from, int match[LAYOUT_PIECES_MAX])
{
    unsigned taken = 0;
    assert_int_equal(to->pieces, from->pieces);
    for (int i = 0; i < to->pieces; i++) {
        match[i] = 0;
        while (taken >> match[i] & 1 || to->type[i] != from->type[match[i]] || to->colour[i] != from->colour[match[i]])
            match[i]++;
        assert_true(match[i] < from->pieces);
        taken |= 1U << match[i];
    }
}

// One tile of `solved` against the measure, where its placements are scattered over a few tiles.
static void compare_tile(const struct solved *solved, const struct solved *measure, const int *match, int side,
                         uint64_t tile, solver_value *values)
{
    const struct layout *layout = &solved->backend->layout;
    const struct layout *other = &measure->backend->layout;
    solver_value *expected = values + layout->tile_lanes;
    uint64_t other_tile = UINT64_MAX;
    GOOD(solution_read(&solved->solution, side, tile, 1, values));
    for (uint64_t lane = 0; lane < layout->tile_lanes; lane++) {
        uint8_t squares[LAYOUT_PIECES_MAX];
        uint8_t matched[LAYOUT_PIECES_MAX];
        int king;
        layout_placement(layout, tile * layout->tile_lanes + lane, &king, squares);
        for (int i = 0; i < other->pieces; i++)
            matched[i] = squares[match[i]];
        const uint64_t index = layout_index(other, king, matched);
        if (index / other->tile_lanes != other_tile) {
            other_tile = index / other->tile_lanes;
            GOOD(solution_read(&measure->solution, side, other_tile, 1, expected));
        }
        if (values[lane] != expected[index % other->tile_lanes])
            fail_msg("%s: tile %llu lane %llu, side %d: %u instead of %u",
                     solved->backend->ops->describe(solved->backend), (unsigned long long)tile,
                     (unsigned long long)lane, side, values[lane], expected[index % other->tile_lanes]);
    }
}

static void compare(const struct solved *solved, const struct solved *measure)
{
    const struct layout *layout = &solved->backend->layout;
    int match[LAYOUT_PIECES_MAX];
    match_pieces(&measure->backend->layout, layout, match);
    solver_value *values = malloc(2 * layout->tile_lanes * sizeof *values);
    assert_non_null(values);
    for (int side = WHITE; side <= BLACK; side++) {
        for (int value = 0; value < VALUES; value++) {
            if (solved->count[side][value] != measure->count[side][value])
                fail_msg("%s: side %d, value %d: %llu positions instead of %llu",
                         solved->backend->ops->describe(solved->backend), side, value,
                         (unsigned long long)solved->count[side][value],
                         (unsigned long long)measure->count[side][value]);
        }
        for (uint64_t i = 0; i < SAMPLE_TILES; i++)
            compare_tile(solved, measure, match, side, (i * 2654435761U + (uint64_t)side) % layout->tiles, values);
    }
    free(values);
}

// The longest win or loss of a side to move; -1: there is none.
static int longest(const struct solved *solved, int side, bool won)
{
    for (int ply = SOLVER_PLY_MAX; ply >= 0; ply--) {
        if (solved->count[side][solver_value_make(won, ply)] > 0)
            return ply;
    }
    return -1;
}

// `known`: the longest distances as published with the Syzygy tables: [side to move][0: loss, 1: win].
static void check_endgame(const char *name, const int known[COLOURS][2])
{
    static const char *const instruction_sets[] = {"generic", "avx2", "avx512"};
    const struct material material = material_named(name);
    static struct solved measure;
    static struct solved solved;
    make_futurebases(&material);
    solve(&measure, &material, 0, NULL);
    for (int side = WHITE; side <= BLACK; side++) {
        for (int won = 0; won <= 1; won++)
            assert_int_equal(longest(&measure, side, won != 0), known[side][won]);
    }
    for (size_t i = 0; i < sizeof instruction_sets / sizeof instruction_sets[0]; i++) {
        if (lane_kernels_choose(512, instruction_sets[i]) == NULL)
            continue;
        solve(&solved, &material, LAYOUT_PAIR, instruction_sets[i]);
        compare(&solved, &measure);
        unsolve(&solved);
    }
    solve(&solved, &material, 0, "generic");
    compare(&solved, &measure);
    unsolve(&solved);
    unsolve(&measure);
}

static void test_cursed_wins_and_bishops(void **state)
{
    static const int known[COLOURS][2] = {{0, 131}, {132, 1}};
    check_endgame("KBBvKN", known);
}

static void test_rooks_and_queen(void **state)
{
    static const int known[COLOURS][2] = {{40, 30}, {29, 39}};
    check_endgame("KRRvKQ", known);
}

static int setup(void **state)
{
    test_folder_make(folder);
    return threads_open(&pool, 0);
}

static int teardown(void **state)
{
    threads_close(pool);
    test_folder_remove(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cursed_wins_and_bishops),
        cmocka_unit_test(test_rooks_and_queen),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
