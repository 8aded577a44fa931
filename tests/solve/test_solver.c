// test_solver.c - endgames of three and four men solved in memory, and the solver's figures about them
//
// The futurebases are solved here as well, in the layout and colours that the solver asks for, so no table files are
// needed. The values are counted and compared with data/histograms-34.tsv, for every instruction set of this processor;
// three men are compared with the naive oracle value by value, and so are the captures behind the bits of `resolved`.
#include "support/compare_tables.h"
#include "support/solving.h"

#include "chess/move.h"
#include "index/square.h"

// 1: a legal position; 0: an illegal one or an overlap; -1: nothing, as all of a blank's values but the first.
static int legal_at(const struct layout *layout, uint64_t index, int side, struct position *position)
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
            return -1;
        if (layout->type[i] == BLANK)
            continue;
        if (occupied & square_bit(squares[i]))
            return 0;
        occupied |= square_bit(squares[i]);
        men[count++] = (struct man){layout->type[i], layout->colour[i], squares[i]};
    }
    GOOD(position_set(position, men, count, side));
    return position_legal(position);
}

// The illegal entries are exactly those without a legal position.
static void check_legality(const struct layout *layout, int side, const uint64_t *illegal)
{
    static struct position position;
    for (uint64_t index = 0; index < layout_bits(layout); index += layout->type[0] == BLANK ? 1 : 7) {
        const int legal = legal_at(layout, index, side, &position);
        if (bit_at(illegal, index) == legal)
            fail_msg("index %llu, side %d: illegal %d", (unsigned long long)index, side, !legal);
    }
}

static void read_resolved(const struct solved *solved, int side, uint64_t *bits)
{
    struct backend *backend = solved->backend;
    GOOD(backend->ops->read(backend, solved->solution.resolved[side], 0, backend->layout.tiles, bits));
}

// What another program has counted, identical pieces not told apart.
static void read_histogram(const char *name, uint64_t count[COLOURS][VALUES])
{
    char line[200];
    int lines = 0;
    FILE *file = fopen(data_path("histograms-34.tsv"), "r");
    assert_non_null(file);
    memset(count, 0, COLOURS * sizeof count[0]);
    while (fgets(line, sizeof line, file) != NULL) {
        char *field[5]; // material, side to move, outcome, ply (none for a draw), positions
        char *rest = line;
        for (int i = 0; i < 5; i++) {
            field[i] = strsep(&rest, "\t\n");
            assert_non_null(field[i]);
        }
        if (strcmp(field[0], name) != 0)
            continue;
        const bool won = strcmp(field[2], "win") == 0;
        const unsigned value = field[3][0] == '\0' ? 0 : value_code(won, atoi(field[3]));
        assert_in_range(value, 0, VALUES - 1);
        assert_string_equal(cltb_outcome_name(solver_value_outcome((solver_value)value)), field[2]);
        count[field[1][0] == 'w' ? WHITE : BLACK][value] = strtoull(field[4], NULL, 10);
        lines++;
    }
    fclose(file);
    assert_true(lines > 0);
}

static void check_histogram(const struct solved *solved, const char *name)
{
    static uint64_t found[COLOURS][VALUES];
    static uint64_t expected[COLOURS][VALUES];
    const unsigned arrangements = material_arrangements(&solved->backend->layout.material);
    read_histogram(name, expected);
    count_positions(&solved->solution, found);
    for (int i = 0; i < COLOURS * VALUES; i++) {
        const int side = i / VALUES;
        const int value = i % VALUES;
        if (found[side][value] != expected[side][value] * arrangements)
            fail_msg("%s, side %d, value %d: %llu instead of %u times %llu", name, side, value,
                     (unsigned long long)found[side][value], arrangements, (unsigned long long)expected[side][value]);
    }
}

static void check_solved_histogram(const char *name, const char *isa)
{
    struct solved solved;
    solve(&solved, name, LAYOUT_PAIR, isa, &keep_all);
    check_histogram(&solved, name);
    unsolve(&solved);
}

// With a blank and without by all instruction sets; cli/golden.sh compares the tables of all endgames of four men.
TEST(test_histograms)
{
    for (const char *const *isa = isas_here(64); *isa != NULL; isa++) {
        check_solved_histogram("KQvK", *isa);
        if (!sanitized())
            check_solved_histogram("KNNvK", *isa);
    }
    check_solved_histogram("KQvKQ", NULL);
    check_solved_histogram("KBBvK", NULL);
}

static void check_three_men(const char *name)
{
    static struct position position;
    struct solved solved;
    struct naive *oracle = NULL;
    oracle_solve(&oracle, name);
    solve(&solved, name, LAYOUT_PAIR, NULL, &keep_all);
    const struct layout *layout = &solved.backend->layout;
    uint64_t *illegal = host_words(layout_bits(layout) / 64);
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t legal = 0;
        solver_value *values = read_values(&solved.solution, side, illegal);
        for (uint64_t index = 0; index < layout_bits(layout); index++) {
            struct naive_value truth;
            if (legal_at(layout, index, side, &position) != 1)
                continue;
            GOOD(naive_query(oracle, &position, &truth));
            const solver_value expected =
                truth.outcome == CLTB_DRAW ? 0 : value_code(truth.outcome > CLTB_DRAW, truth.dtz);
            if (values[index] != expected)
                fail_msg("%s index %llu: %u instead of %u", name, (unsigned long long)index, values[index], expected);
            legal++;
        }
        assert_in_range(legal, 20000, 40960);
        free(values);
        check_legality(layout, side, illegal);
    }
    free(illegal);
    naive_free(oracle);
    unsolve(&solved);
}

TEST(test_three_men_agree_with_the_oracle)
{
    check_three_men("KQvK");
    if (sanitized())
        return;
    check_three_men("KRvK");
    check_three_men("KNvK");
}

// The best that a capture leads to; CLTB_LOSS - 1 without any.
static int best_capture(struct position *position, const struct naive *oracle)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    int best = CLTB_LOSS - 1;
    for (int i = 0; i < count; i++) {
        struct naive_value after = {CLTB_DRAW, 0};
        if (!move_is_capture(moves[i]))
            continue;
        GOOD(position_make(position, moves[i]));
        GOOD(naive_query(oracle, position, &after));
        position_undo(position);
        best = -(int)after.outcome > best ? -(int)after.outcome : best;
    }
    return best;
}

TEST(test_resolved)
{
    struct solved solved;
    struct naive *oracle = NULL;
    static struct position position;
    oracle_solve(&oracle, "KQvK");
    oracle_solve(&oracle, "KRvK");
    solve(&solved, "KQvKR", LAYOUT_PAIR, NULL, &keep_all);
    const struct layout *layout = &solved.backend->layout;
    uint64_t *resolved = host_words(layout_bits(layout) / 64);
    uint64_t *illegal = host_words(layout_bits(layout) / 64);
    for (int side = WHITE; side <= BLACK; side++) {
        int wins = 0;
        int draws = 0;
        solver_value *values = read_values(&solved.solution, side, illegal);
        read_resolved(&solved, side, resolved);
        check_legality(layout, side, illegal);
        for (uint64_t index = 0; index < layout_bits(layout); index += 11) {
            const int outcome = solver_value_outcome(values[index]);
            if (outcome < CLTB_DRAW || legal_at(layout, index, side, &position) != 1)
                continue;
            const bool expected = best_capture(&position, oracle) == outcome;
            const bool found = bit_at(resolved, index);
            if (found != expected)
                fail_msg("index %llu, side %d, outcome %d: resolved %d", (unsigned long long)index, side, outcome,
                         found);
            wins += found && outcome == CLTB_WIN;
            draws += found && outcome == CLTB_DRAW;
        }
        free(values);
        assert_true(wins > 100 && draws > 10);
    }
    free(resolved);
    free(illegal);
    naive_free(oracle);
    unsolve(&solved);
}

// Where distances are not kept, a win or loss has ply 1, a cursed or blessed one ply 101.
TEST(test_distances_that_are_not_kept)
{
    static const bool keep[3][COLOURS] = {{true, false}, {false, true}, {false, false}};
    struct solved full;
    solve(&full, "KRvKN", LAYOUT_PAIR, NULL, &keep_all);
    assert_true(full.solution.kept[WHITE] && full.solution.kept[BLACK]);
    for (int i = 0; i < (sanitized() ? 1 : 3); i++) {
        struct solved solved;
        const struct solver_options options = {.keep_distance = {keep[i][WHITE], keep[i][BLACK]}};
        solve(&solved, "KRvKN", LAYOUT_PAIR, NULL, &options);
        for (int side = WHITE; side <= BLACK; side++) {
            solver_value *expected = read_values(&full.solution, side, NULL);
            solver_value *found = read_values(&solved.solution, side, NULL);
            assert_int_equal(solved.solution.kept[side], keep[i][side]);
            for (uint64_t index = 0; index < layout_bits(&full.backend->layout); index++) {
                solver_value value = expected[index];
                if (value != 0 && !keep[i][side])
                    value = value_code(solver_value_won(value), solver_value_ply(value) > 100 ? 101 : 1);
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

// The bits of word w in which the outcomes differ.
static uint64_t difference(uint64_t *const won[COLOURS], uint64_t *const lost[COLOURS], const struct futurebase *truth,
                           int side, uint64_t w)
{
    return (won[side][w] ^ truth->won[side][w]) | (lost[side][w] ^ truth->lost[side][w]);
}

// What a table may store instead of the truth: a win by capture as anything, a draw by capture as a loss.
TEST(test_resolving)
{
    struct solved solved;
    struct futurebase truth = {0};
    struct futurebase stored = {0};
    solve(&solved, "KQvKR", LAYOUT_PAIR, NULL, &keep_all);
    const struct layout *layout = &solved.backend->layout;
    const uint64_t words = layout_bits(layout) / 64;
    uint64_t *resolved = host_words(words);
    uint64_t *illegal[COLOURS];
    uint64_t spoiled = 0;
    fill_base(&solved.solution, &truth);
    fill_base(&solved.solution, &stored);
    for (int side = WHITE; side <= BLACK; side++) {
        illegal[side] = host_words(words);
        read_resolved(&solved, side, resolved);
        free(read_values(&solved.solution, side, illegal[side]));
        for (uint64_t w = 0; w < words; w++) {
            const uint64_t won = truth.won[side][w] & resolved[w];
            const uint64_t drawn = ~(truth.won[side][w] | truth.lost[side][w]) & resolved[w] & ~illegal[side][w];
            const uint64_t worse = won & (UINT64_C(0x3333333333333333) << w % 3);
            stored.won[side][w] &= ~won | ~(worse | UINT64_C(0x00ff00ff00ff00ff));
            stored.lost[side][w] |= (worse & ~stored.won[side][w]) | (drawn & UINT64_C(0xf0f0f0f0f0f0f0f0));
            spoiled += (uint64_t)__builtin_popcountll(difference(stored.won, stored.lost, &truth, side, w));
        }
    }
    assert_true(spoiled > 100000);
    GOOD(solver_resolve(solved.backend, &by_solving, &stored, NULL));
    for (int side = WHITE; side <= BLACK; side++) {
        for (uint64_t w = 0; w < words; w++) {
            const uint64_t wrong = (difference(stored.won, stored.lost, &truth, side, w) |
                                    difference(stored.won_ever, stored.lost_ever, &truth, side, w)) &
                                   ~illegal[side][w];
            if (wrong != 0)
                fail_msg("side %d, word %llu: %016llx", side, (unsigned long long)w, (unsigned long long)wrong);
        }
        free(illegal[side]);
    }
    futurebase_free(&truth);
    futurebase_free(&stored);
    free(resolved);
    unsolve(&solved);
}

struct calls {
    int count;
    int stop_at; // the one that says no; 0: none
};

static int note_ply(void *context, const struct solver_ply *ply)
{
    struct calls *calls = context;
    assert_true(ply->share >= 0 && ply->share <= 1);
    assert_in_range(ply->attacker, WHITE, BLACK);
    return ++calls->count == calls->stop_at;
}

TEST(test_interrupting)
{
    struct solved solved;
    struct calls noted = {0};
    struct solver_options options = keep_all;
    options.progress = note_ply;
    options.context = &noted;
    solve(&solved, "KQvKR", 0, NULL, &options);
    solution_free(&solved.solution);
    const int calls = noted.count;
    assert_true(calls > 60); // KQvKR takes 61 plies
    const int stops[] = {1, 40, 63, calls};
    for (size_t i = sanitized() ? 2 : 0; i < sizeof stops / sizeof stops[0]; i++) {
        if (stops[i] > calls)
            continue;
        noted = (struct calls){.stop_at = stops[i]};
        assert_int_equal(solver_solve(&solved.solution, solved.backend, &by_solving, &options), CLTB_E_INTERRUPTED);
        assert_int_equal(noted.count, stops[i]);
    }
    // The backend can be used again.
    noted = (struct calls){0};
    GOOD(solver_solve(&solved.solution, solved.backend, &by_solving, &options));
    assert_int_equal(noted.count, calls);
    check_histogram(&solved, "KQvKR");
    unsolve(&solved);
}

static int load_or_fail(void *context, const struct layout *sub, struct futurebase *base)
{
    struct calls *calls = context;
    if (++calls->count == calls->stop_at) {
        // The solver must free the arrays that exist already, whatever the code.
        base->won[WHITE] = host_words(layout_bits(sub) / 64);
        return error_set(CLTB_E_MISSING, "no such futurebase");
    }
    return by_solving.load(NULL, sub, base);
}

TEST(test_a_futurebase_that_fails)
{
    const struct layout layout = layout_named("KQvKR");
    for (int fail_at = 1; fail_at <= 2; fail_at++) {
        struct calls loads = {.stop_at = fail_at};
        const struct futurebase_source source = {&loads, load_or_fail};
        struct backend *backend;
        struct solution solution;
        GOOD(backend_cpu_open(&backend, &layout, test_pool, NULL));
        FAILS(solver_solve(&solution, backend, &source, &keep_all), CLTB_E_MISSING, "no such futurebase");
        backend->ops->close(backend);
    }
}

TESTS(pool_setup, pool_teardown)
