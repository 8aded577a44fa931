// test_solver.c - endgames of three and four men solved in memory, and what the solver says about them
//
// The futurebases are solved here as well, in the layout and colours that the solver asks for, so no table files are
// needed. The values are counted and compared with data/histograms-34.tsv, for every instruction set of this processor;
// three men are compared with the naive oracle value by value, and so are the captures behind the bits of `resolved`.
#include "support/by_solving.h"
#include "support/support.h"

#include "chess/move.h"
#include "index/square.h"
#include "oracle/naive.h"
#include "solve/cpu/cpu.h"
#include "solve/solver.h"
#include "util/error.h"
#include "util/threads.h"

enum { PLIES = SOLVER_PLY_MAX + 1 };

struct solved {
    struct backend *backend;
    struct solution solution;
};

static const struct solver_options keep_all = {.keep_distance = {true, true}, .keep_resolved = true};

static void solve(struct solved *solved, const char *name, const char *isa, const struct solver_options *options)
{
    const struct material material = material_named(name);
    struct layout layout;
    GOOD(layout_init(&layout, &material, LAYOUT_PAIR));
    GOOD(backend_cpu_open(&solved->backend, &layout, test_pool, isa));
    GOOD(solver_solve(&solved->solution, solved->backend, &by_solving, options));
}

static void unsolve(struct solved *solved)
{
    solution_free(&solved->solution);
    solved->backend->ops->close(solved->backend);
}

// ---- positions of an index -----------------------------------------------------------------------------------------

// False for overlaps, and for all but one of a blank's values.
static bool position_at(const struct layout *layout, uint64_t index, int side, struct position *position)
{
    uint8_t squares[LAYOUT_PIECES_MAX];
    struct man men[LAYOUT_PIECES_MAX + 1];
    int king;
    int count = 0;
    layout_placement(layout, index, &king, squares);
    men[count++] = (struct man){KING, BLACK, (uint8_t)king};
    uint64_t occupied = square_bit(king);
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->type[i] == BLANK && square_code[squares[i]] != 0)
            return false;
        if (layout->type[i] == BLANK)
            continue;
        if (occupied & square_bit(squares[i]))
            return false;
        occupied |= square_bit(squares[i]);
        men[count++] = (struct man){layout->type[i], layout->colour[i], squares[i]};
    }
    GOOD(position_set(position, men, count, side));
    return true;
}

// Does the plane of illegal entries have the index of every legal position, and of no other? Of a blank's values only
// the first one counts.
static void check_legality(const struct solved *solved, int side)
{
    const struct layout *layout = &solved->backend->layout;
    const bool blank = layout->type[0] == BLANK;
    uint64_t *illegal = host_words(layout_bits(layout) / 64);
    GOOD(solution_read_illegal(&solved->solution, side, 0, layout->tiles, illegal));
    static struct position position;
    for (uint64_t index = 0; index < layout_bits(layout); index += blank ? 1 : 7) {
        uint8_t squares[LAYOUT_PIECES_MAX];
        int king;
        layout_placement(layout, index, &king, squares);
        if (blank && square_code[squares[0]] != 0)
            continue;
        const bool legal = position_at(layout, index, side, &position) && position_legal(&position);
        if (bit_at(illegal, index) == legal)
            fail_msg("index %llu, side %d: illegal %d", (unsigned long long)index, side, !legal);
    }
    free(illegal);
}

// ---- histograms ----------------------------------------------------------------------------------------------------

struct histogram {
    uint64_t count[COLOURS][5][PLIES + 1]; // [side to move][outcome + 2][dtz; 0 for draws]
};

// Placements of the whole board that an index stands for, times the ways to tell identical pieces apart: a king's orbit
// has 8 squares, or 4 on the diagonals, where both mirror images are stored; a pair's one order stands for two, but for
// equal digits.
static unsigned weight_of(const struct layout *layout, uint64_t index)
{
    unsigned king;
    uint8_t u[LAYOUT_PIECES_MAX];
    layout_digits(layout, index / layout->tile_lanes, &king, u);
    const uint64_t lane = index % layout->tile_lanes;
    if (layout->type[0] == BLANK && (u[0] != 0 || lane >> layout_lane_shift(layout, 0) != 0))
        return 0;
    const unsigned orders = layout->pair && u[0] != u[1] ? 2 : 1;
    return (square_on_diagonal(triangle_square[king]) ? 4 : 8) * orders;
}

static void count_values(const struct solved *solved, struct histogram *histogram)
{
    const struct layout *layout = &solved->backend->layout;
    const unsigned arrangements = material_arrangements(&layout->material);
    uint64_t *illegal = host_words(layout_bits(layout) / 64);
    memset(histogram, 0, sizeof *histogram);
    for (int side = WHITE; side <= BLACK; side++) {
        solver_value *values = read_values(&solved->solution, side);
        GOOD(solution_read_illegal(&solved->solution, side, 0, layout->tiles, illegal));
        for (uint64_t index = 0; index < layout_bits(layout); index++) {
            const unsigned weight = weight_of(layout, index);
            if (bit_at(illegal, index)) {
                assert_int_equal(values[index], 0);
                continue;
            }
            const int ply = values[index] == 0 ? 0 : solver_value_ply(values[index]);
            assert_in_range(ply, 0, PLIES);
            histogram->count[side][solver_value_outcome(values[index]) + 2][ply] += weight;
        }
        free(values);
    }
    free(illegal);
    uint64_t *bins = &histogram->count[0][0][0];
    for (size_t i = 0; i < sizeof histogram->count / sizeof *bins; i++) {
        assert_int_equal(bins[i] % arrangements, 0);
        bins[i] /= arrangements;
    }
}

static void read_histogram(const char *name, struct histogram *histogram)
{
    char line[200];
    FILE *file = fopen(data_path("histograms-34.tsv"), "r");
    assert_non_null(file);
    memset(histogram, 0, sizeof *histogram);
    int lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *field[5];
        char *rest = line;
        for (int i = 0; i < 5; i++) {
            field[i] = strsep(&rest, "\t\n");
            assert_non_null(field[i]);
        }
        if (strcmp(field[0], name) != 0)
            continue;
        int outcome = CLTB_LOSS;
        while (outcome < CLTB_WIN && strcmp(cltb_outcome_name(outcome), field[2]) != 0)
            outcome++;
        const long ply = strtol(field[3], NULL, 10);
        assert_in_range(ply, 0, PLIES);
        histogram->count[field[1][0] == 'w' ? WHITE : BLACK][outcome + 2][ply] = strtoull(field[4], NULL, 10);
        lines++;
    }
    fclose(file);
    assert_true(lines > 0);
}

static void check_histogram(const struct solved *solved, const char *name)
{
    static struct histogram found;
    static struct histogram expected;
    const uint64_t *is = &found.count[0][0][0];
    const uint64_t *should_be = &expected.count[0][0][0];
    read_histogram(name, &expected);
    count_values(solved, &found);
    for (int i = 0; i < COLOURS * 5 * (PLIES + 1); i++) {
        if (is[i] != should_be[i])
            fail_msg("%s, side %d, outcome %d in %d: %llu instead of %llu", name, i / (5 * (PLIES + 1)),
                     i / (PLIES + 1) % 5 - 2, i % (PLIES + 1), (unsigned long long)is[i],
                     (unsigned long long)should_be[i]);
    }
}

// With each instruction set of this processor, or with the best.
static void check_histograms(const char *const *names, size_t count, bool each_set)
{
    static const char *const sets[] = {"generic", "avx2", "avx512"};
    for (int i = 0; i < (each_set ? 3 : 1); i++) {
        const char *isa = each_set ? sets[i] : NULL;
        if (each_set && lane_kernels_choose(64, isa) == NULL) {
            assert_true(i > 0); // the generic one is everywhere
            continue;
        }
        for (size_t n = 0; n < count; n++) {
            struct solved solved;
            solve(&solved, names[n], isa, &keep_all);
            check_histogram(&solved, names[n]);
            unsolve(&solved);
        }
    }
}

static void test_histograms_on_all_instruction_sets(void **state)
{
    static const char *const names[] = {"KQvK", "KNvK", "KQvKR", "KNNvK"};
    check_histograms(names, sizeof names / sizeof names[0], true);
}

static void test_more_histograms(void **state)
{
    static const char *const names[] = {"KRvK", "KBvK", "KRvKB", "KQvKQ", "KBNvK", "KBBvK", "KNvKN"};
    check_histograms(names, sizeof names / sizeof names[0], false);
}

// ---- against the oracle --------------------------------------------------------------------------------------------

static struct naive *oracle_of(int type, int colour)
{
    const struct man men[] = {{KING, WHITE, 0}, {KING, BLACK, 0}, {(uint8_t)type, (uint8_t)colour, 0}};
    struct naive *oracle = NULL;
    GOOD(naive_solve(&oracle, men, 3));
    return oracle;
}

static void check_three_men(const char *name, int type)
{
    struct solved solved;
    struct naive *oracle = oracle_of(type, WHITE);
    static struct position position;
    solve(&solved, name, NULL, &keep_all);
    const struct layout *layout = &solved.backend->layout;
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t legal = 0;
        solver_value *values = read_values(&solved.solution, side);
        for (uint64_t index = 0; index < layout_bits(layout); index++) {
            struct naive_value truth;
            if (!position_at(layout, index, side, &position) || !position_legal(&position))
                continue;
            GOOD(naive_query(oracle, &position, &truth));
            const solver_value expected =
                truth.outcome == CLTB_DRAW ? 0 : solver_value_make(truth.outcome > CLTB_DRAW, truth.dtz);
            if (values[index] != expected)
                fail_msg("%s index %llu: %u instead of %u", name, (unsigned long long)index, values[index], expected);
            legal++;
        }
        assert_in_range(legal, 20000, 40960);
        free(values);
        check_legality(&solved, side);
    }
    naive_free(oracle);
    unsolve(&solved);
}

static void test_three_men_agree_with_the_oracle(void **state)
{
    check_three_men("KQvK", QUEEN);
    check_three_men("KRvK", ROOK);
    check_three_men("KNvK", KNIGHT);
}

// The best that a capture leads to, by the oracles of three men; CLTB_LOSS - 1 without any.
static int best_capture(struct position *position, struct naive *queen, struct naive *rook)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    int best = CLTB_LOSS - 1;
    for (int i = 0; i < count; i++) {
        struct naive_value after = {CLTB_DRAW, 0};
        if (!move_is_capture(moves[i]))
            continue;
        GOOD(position_make(position, moves[i]));
        GOOD(naive_query(position->count[WHITE][QUEEN] > 0 ? queen : rook, position, &after));
        position_undo(position);
        best = -(int)after.outcome > best ? -(int)after.outcome : best;
    }
    return best;
}

static void test_resolved(void **state)
{
    struct solved solved;
    struct naive *queen = oracle_of(QUEEN, WHITE);
    struct naive *rook = oracle_of(ROOK, BLACK);
    static struct position position;
    solve(&solved, "KQvKR", NULL, &keep_all);
    const struct layout *layout = &solved.backend->layout;
    uint64_t *resolved = host_words(layout_bits(layout) / 64);
    for (int side = WHITE; side <= BLACK; side++) {
        int wins = 0;
        int draws = 0;
        solver_value *values = read_values(&solved.solution, side);
        GOOD(solution_read_resolved(&solved.solution, side, 0, layout->tiles, resolved));
        check_legality(&solved, side);
        for (uint64_t index = 0; index < layout_bits(layout); index += 11) {
            const int outcome = solver_value_outcome(values[index]);
            if (outcome < CLTB_DRAW || !position_at(layout, index, side, &position) || !position_legal(&position))
                continue;
            const bool expected = best_capture(&position, queen, rook) == (int)outcome;
            const bool found = bit_at(resolved, index);
            if (found != expected)
                fail_msg("index %llu, side %d, outcome %d: resolved %d", (unsigned long long)index, side, (int)outcome,
                         found);
            wins += found && outcome == CLTB_WIN;
            draws += found && outcome == CLTB_DRAW;
        }
        free(values);
        assert_true(wins > 100 && draws > 10);
    }
    free(resolved);
    naive_free(queen);
    naive_free(rook);
    unsolve(&solved);
}

// ---- options, resolving, failing ------------------------------------------------------------------------------------

// Where distances are not kept, a win or loss has ply 1, a cursed or blessed one ply 101.
static void test_distances_that_are_not_kept(void **state)
{
    static const bool keep[3][COLOURS] = {{true, false}, {false, true}, {false, false}};
    struct solved full;
    solve(&full, "KRvKN", NULL, &keep_all);
    assert_true(full.solution.kept[WHITE] && full.solution.kept[BLACK]);
    for (int i = 0; i < 3; i++) {
        struct solved solved;
        const struct solver_options options = {.keep_distance = {keep[i][WHITE], keep[i][BLACK]}};
        solve(&solved, "KRvKN", NULL, &options);
        for (int side = WHITE; side <= BLACK; side++) {
            solver_value *expected = read_values(&full.solution, side);
            solver_value *found = read_values(&solved.solution, side);
            assert_int_equal(solved.solution.kept[side], keep[i][side]);
            for (uint64_t index = 0; index < layout_bits(&full.backend->layout); index++) {
                solver_value value = expected[index];
                if (value != 0 && !keep[i][side])
                    value = solver_value_make(solver_value_won(value), solver_value_ply(value) > 100 ? 101 : 1);
                if (found[index] != value)
                    fail_msg("index %llu: %u instead of %u", (unsigned long long)index, found[index], value);
            }
            free(expected);
            free(found);
        }
        unsolve(&solved);
    }
    unsolve(&full);
}

// What a table may store instead of the truth: a win by capture as anything, a draw by capture as a loss.
static void test_resolving(void **state)
{
    struct solved solved;
    struct futurebase truth = {0};
    struct futurebase stored = {0};
    solve(&solved, "KQvKR", NULL, &keep_all);
    const struct layout *layout = &solved.backend->layout;
    const uint64_t words = layout_bits(layout) / 64;
    uint64_t *resolved = host_words(layout_bits(layout) / 64);
    uint64_t *legal = host_words(layout_bits(layout) / 64);
    uint64_t spoiled = 0;
    fill_base(&solved.solution, &truth);
    fill_base(&solved.solution, &stored);
    for (int side = WHITE; side <= BLACK; side++) {
        GOOD(solution_read_resolved(&solved.solution, side, 0, layout->tiles, resolved));
        GOOD(solution_read_illegal(&solved.solution, side, 0, layout->tiles, legal));
        for (uint64_t w = 0; w < words; w++) {
            const uint64_t won = truth.won[side][w] & resolved[w];
            const uint64_t drawn = ~(truth.won[side][w] | truth.lost[side][w]) & resolved[w] & ~legal[w];
            const uint64_t worse = won & (UINT64_C(0x3333333333333333) << w % 3);
            stored.won[side][w] &= ~won | ~(worse | UINT64_C(0x00ff00ff00ff00ff));
            stored.lost[side][w] |= (worse & ~stored.won[side][w]) | (drawn & UINT64_C(0xf0f0f0f0f0f0f0f0));
            spoiled += (uint64_t)__builtin_popcountll((stored.won[side][w] ^ truth.won[side][w]) |
                                                      (stored.lost[side][w] ^ truth.lost[side][w]));
        }
    }
    assert_true(spoiled > 100000);
    GOOD(solver_resolve(solved.backend, &by_solving, &stored));
    for (int side = WHITE; side <= BLACK; side++) {
        GOOD(solution_read_illegal(&solved.solution, side, 0, layout->tiles, legal));
        for (uint64_t w = 0; w < words; w++) {
            const uint64_t wrong =
                ((stored.won[side][w] ^ truth.won[side][w]) | (stored.lost[side][w] ^ truth.lost[side][w]) |
                 (stored.won_ever[side][w] ^ truth.won[side][w]) | (stored.lost_ever[side][w] ^ truth.lost[side][w])) &
                ~legal[w];
            if (wrong != 0)
                fail_msg("side %d, word %llu: %016llx", side, (unsigned long long)w, (unsigned long long)wrong);
        }
    }
    futurebase_free(&truth);
    futurebase_free(&stored);
    free(resolved);
    free(legal);
    unsolve(&solved);
}

struct progress {
    int calls;
    int stop_at; // the call that returns 1; 0: none
    struct solver_ply last;
};

static int note_ply(void *context, const struct solver_ply *ply)
{
    struct progress *progress = context;
    assert_true(ply->share >= 0 && ply->share <= 1);
    assert_in_range(ply->attacker, WHITE, BLACK);
    progress->last = *ply;
    return ++progress->calls == progress->stop_at;
}

static void test_interrupting(void **state)
{
    const struct material material = material_named("KQvKR");
    struct layout layout;
    struct backend *backend;
    struct progress progress = {0};
    struct solver_options options = keep_all;
    options.progress = note_ply;
    options.context = &progress;
    GOOD(layout_init(&layout, &material, 0));
    GOOD(backend_cpu_open(&backend, &layout, test_pool, NULL));
    struct solved solved = {.backend = backend};
    GOOD(solver_solve(&solved.solution, backend, &by_solving, &options));
    const int calls = progress.calls;
    assert_true(calls > 60); // KQvKR takes 61 plies
    solution_free(&solved.solution);
    static const int stops[] = {1, 2, 7, 40, 62, 63, 64, 0};
    for (size_t i = 0; i <= sizeof stops / sizeof stops[0]; i++) {
        const int stop = i == sizeof stops / sizeof stops[0] ? calls : stops[i];
        if (stop == 0 || stop > calls)
            continue;
        progress = (struct progress){.stop_at = stop};
        assert_int_equal(solver_solve(&solved.solution, backend, &by_solving, &options), CLTB_E_INTERRUPTED);
        assert_int_equal(progress.calls, stop);
    }
    // The backend is as good as new.
    progress = (struct progress){0};
    GOOD(solver_solve(&solved.solution, backend, &by_solving, &options));
    assert_int_equal(progress.calls, calls);
    check_histogram(&solved, "KQvKR");
    unsolve(&solved);
}

struct failing {
    int calls;
    int fail_at;
};

static int load_or_fail(void *context, const struct layout *sub, struct futurebase *base)
{
    struct failing *failing = context;
    if (++failing->calls == failing->fail_at) {
        // The solver must free the arrays that exist already, whatever the code.
        base->won[WHITE] = host_words(layout_bits(sub) / 64);
        return error_set(CLTB_E_MISSING, "no such futurebase");
    }
    return by_solving.load(NULL, sub, base);
}

static void test_a_futurebase_that_fails(void **state)
{
    const struct material material = material_named("KQvKR");
    struct layout layout;
    GOOD(layout_init(&layout, &material, 0));
    for (int fail_at = 1; fail_at <= 2; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        const struct futurebase_source source = {&failing, load_or_fail};
        struct backend *backend;
        struct solution solution;
        GOOD(backend_cpu_open(&backend, &layout, test_pool, NULL));
        assert_int_equal(solver_solve(&solution, backend, &source, &keep_all), CLTB_E_MISSING);
        assert_non_null(strstr(error_text(), "no such futurebase"));
        backend->ops->close(backend);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histograms_on_all_instruction_sets),
        cmocka_unit_test(test_more_histograms),
        cmocka_unit_test(test_three_men_agree_with_the_oracle),
        cmocka_unit_test(test_resolved),
        cmocka_unit_test(test_distances_that_are_not_kept),
        cmocka_unit_test(test_resolving),
        cmocka_unit_test(test_interrupting),
        cmocka_unit_test(test_a_futurebase_that_fails),
    };
    return cmocka_run_group_tests(tests, pool_setup, pool_teardown);
}
