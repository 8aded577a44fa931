// test_slow_solver.c - five men: the wide kernels of every instruction set give the same values, with and without
// groups of identical pieces, and so do pairs of kings
//
// With four pieces or more, the CPU backend uses lane words of 512 bits, so smaller endgames never use these kernels.
// KBBvKN has a pair of identical pieces, all kinds of moves except straight ones, losing captures, and cursed wins far
// beyond ply 100; KRRvKQ has the straight ones, KBBBvK three identical pieces. One solution, without groups and with
// the best instruction set, is the reference; the others must have as many positions of each value, and the same values
// in a sample of tiles. Known facts about these endgames are checked, too.
#include "support/solving.h"

#include "util/threads.h"

enum { SAMPLE_TILES = 800 };

// One solution and its positions by value.
struct measured {
    struct solved solved;
    uint64_t count[COLOURS][VALUES];
};

static void measure(struct measured *measured, const char *name, unsigned flags, const char *isa)
{
    static const struct solver_options options = {.keep_distance = {true, true}};
    solve(&measured->solved, name, flags, isa, &options);
    assert_int_equal(measured->solved.backend->layout.groups, (flags & (LAYOUT_PAIR | LAYOUT_ALIKE)) == 0 ? 0 : 1);
    count_positions(&measured->solved.solution, measured->count);
}

// The men of `from`'s index in the order of `to`: for each piece of `to` the piece of `from`. Identical pieces in
// order.
static void match_pieces(const struct layout *to, const struct layout *from, int match[LAYOUT_PIECES_MAX])
{
    unsigned taken = 0;
    for (int i = 0; i < to->pieces; i++) {
        match[i] = 0;
        while (taken >> match[i] & 1 || to->type[i] != layout_type_of(from, match[i]) ||
               to->colour[i] != layout_colour_of(from, match[i]))
            match[i]++;
        assert_true(match[i] < from->black_king);
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
    read_tiles(&solved->solution, side, tile, 1, values, NULL);
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
            read_tiles(&measure->solution, side, other_tile, 1, expected, NULL);
        }
        if (values[lane] != expected[index % other->tile_lanes])
            fail_msg("%s: tile %llu lane %llu, side %d: %u instead of %u",
                     solved->backend->ops->describe(solved->backend), (unsigned long long)tile,
                     (unsigned long long)lane, side, values[lane], expected[index % other->tile_lanes]);
    }
}

// Solves once more and compares everything with the measure.
static void compare(const struct measured *truth, const char *name, unsigned flags, const char *isa)
{
    static struct measured measured;
    int match[LAYOUT_PIECES_MAX];
    measure(&measured, name, flags, isa);
    struct backend *backend = measured.solved.backend;
    const struct layout *layout = &backend->layout;
    match_pieces(&truth->solved.backend->layout, layout, match);
    solver_value *values = malloc((layout->tile_lanes + truth->solved.backend->layout.tile_lanes) * sizeof *values);
    assert_non_null(values);
    for (int side = WHITE; side <= BLACK; side++) {
        for (int value = 0; value < VALUES; value++) {
            if (measured.count[side][value] != truth->count[side][value])
                fail_msg("%s: side %d, value %d: %llu positions instead of %llu", backend->ops->describe(backend), side,
                         value, (unsigned long long)measured.count[side][value],
                         (unsigned long long)truth->count[side][value]);
        }
        for (uint64_t i = 0; i < SAMPLE_TILES; i++)
            compare_tile(&measured.solved, &truth->solved, match, side,
                         (i * 2654435761U + (uint64_t)side) % layout->tiles, values);
    }
    free(values);
    unsolve(&measured.solved);
}

// The longest distances as published with the Syzygy tables.
static const struct endgame {
    const char *name;
    int longest[COLOURS][2]; // [side to move][0: loss, 1: win]
} endgames[] = {
    {"KBBvKN", {{0, 131}, {132, 1}}},
    {"KRRvKQ", {{40, 30}, {29, 39}}},
    {"KBBBvK", {{-1, 20}, {21, -1}}},
};

static void test_endgame(void **state)
{
    static struct measured truth;
    const struct endgame *endgame = *state;
    measure(&truth, endgame->name, 0, NULL);
    for (int i = 0; i < 4; i++) {
        int ply = SOLVER_PLY_MAX;
        while (ply >= 0 && truth.count[i / 2][value_code(i % 2, ply)] == 0)
            ply--;
        assert_int_equal(ply, endgame->longest[i / 2][i % 2]);
    }
    for (const char *const *isa = isas_here(512); *isa != NULL; isa++)
        compare(&truth, endgame->name, LAYOUT_ALIKE, *isa);
    compare(&truth, endgame->name, LAYOUT_KINGS, NULL);
    compare(&truth, endgame->name, LAYOUT_KINGS | LAYOUT_ALIKE, "generic");
    compare(&truth, endgame->name, 0, "generic");
    if (truth.solved.backend->layout.material.count[WHITE][BISHOP] == 3)
        compare(&truth, endgame->name, LAYOUT_PAIR, NULL);
    unsolve(&truth.solved);
}

static int all_threads(void **state)
{
    return threads_open(&test_pool, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"cursed wins and bishops", test_endgame, NULL, NULL, (void *)&endgames[0]},
        {"rooks and a queen", test_endgame, NULL, NULL, (void *)&endgames[1]},
        {"three bishops", test_endgame, NULL, NULL, (void *)&endgames[2]},
    };
    return cmocka_run_group_tests(tests, all_threads, pool_teardown);
}
