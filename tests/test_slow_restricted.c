// test_slow_restricted.c - restricted endgames against naive solvers, position by position
//
// Seed 000's two test cases; restrictions that restrict nothing; random ones, most of whose leaving moves are pruned.
#include "compare_restricted.h"

#include "rules/attacks.h"

static struct naive *oracle; // of full endgames

// The full table and the naive oracle's solution.
static void make_full(const char *name)
{
    struct man men[NAIVE_MEN_MAX];
    make_table(name);
    GOOD(naive_solve(&oracle, men, men_of_name(name, men)));
}

// ---- nothing is restricted ----

static void tables_remove(const char *file)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", tables_folder, file);
    assert_int_equal(unlink(path), 0);
}

// A spec that has the values of a full endgame.
static void compare_whole(const char *name, const struct spec *spec)
{
    struct restricted_comparison c = {0};
    char path[PATH_MAX];
    make_full(name);
    build_restricted(spec, "whole.cltb");
    snprintf(path, sizeof path, "%s/whole.cltb", tables_folder);
    GOOD(restricted_table_open(&c.table, path, 64 << 20));
    GOOD(naive_each(oracle, compare_restricted_visit, &c));
    restricted_table_close(c.table);
    tables_remove("whole.cltb");
    assert_true(c.probed > 1000);
    assert_int_equal(c.wrong, 0);
}

static void check_whole(const char *name, const char *men)
{
    const struct spec spec = spec_of(men, "");
    compare_whole(name, &spec);
}

static void test_whole(void **state)
{
    (void)state;
    check_whole("KPvK", "K P v K");
    check_whole("KRvKR", "K R v K R");
    check_whole("KPvKR", "K P v K R"); // the full table is KRvKP
}

static void test_whole_en_passant(void **state)
{
    (void)state;
    check_whole("KPvKP", "K P v K P");
}

// ---- seed 000 ----

// One foreign group (the queens of KQPvK and the pawns are told apart there) spans several local ones.
static void test_case_1(void **state)
{
    (void)state;
    struct naive_bases naive = {0};
    make_full("KQPvK");
    naive.full = oracle;
    struct spec spec = spec_of("K P[f7+] P[g7+] v K", "white discard P=[RBN]");
    GOOD(spec_add_futurebase(&spec, "KQPvK.cltb", false));
    GOOD(spec_add_futurebase(&spec, "KPvK.cltb", false));
    struct naive_restricted *solved = build_and_compare(&spec, "case1.cltb", &naive);
    assert_int_equal(naive_restricted_inconsistent(solved), 0);
    naive_restricted_free(solved);
}

struct difference {
    const struct naive_restricted *other;
    uint64_t positions;
    uint64_t from_full;      // other distances than in the full endgame
    uint64_t better;         // better values for White than there
    uint64_t other_outcomes; //
    uint64_t from_other;     // values that differ from those of `other`
};

static bool same_value(const struct naive_value *a, const struct naive_value *b)
{
    return a->outcome == b->outcome && a->dtz == b->dtz;
}

static int count_difference(void *context, const struct position *p, const struct naive_value *value)
{
    struct difference *d = context;
    struct naive_value full;
    struct naive_value other;
    GOOD(naive_query(oracle, p, &full));
    GOOD(naive_restricted_query(d->other, p, &other));
    d->positions++;
    d->from_full += !same_value(value, &full);
    d->other_outcomes += value->outcome != full.outcome;
    d->better += value->dtz < full.dtz;
    d->from_other += !same_value(value, &other);
    return 0;
}

// Several foreign groups (the queens on files a-d and e-h) span a local one. Queens that may not leave their half win all the same, and
// as the count ends at the promotion, nothing is lost by the split. What is lost is lost by promoting to queens only: where a queen
// stalemates, or a rook or knight gives mate at once, White takes longer.
static void test_case_2(void **state)
{
    (void)state;
    static const char *const men[] = {"K Q[a-d] Q[e-h] v K", "K Q[a-d] Q[a-d] v K", "K Q[e-h] Q[e-h] v K"};
    struct naive_bases full;
    struct naive_bases split = {0};
    struct naive_restricted *half[3];
    struct naive_restricted *solved;
    struct naive_restricted *whole; // through unrestricted queens
    struct difference d = {0};
    make_full("KQPvK");
    full = (struct naive_bases){.full = oracle};
    struct spec spec = spec_of("K Q P v K", "white discard P=[RBN]");
    for (int i = 0; i < 3; i++) {
        char file[32];
        struct spec queens = spec_of(men[i], "white discard Q*");
        snprintf(file, sizeof file, "half%d.cltb", i);
        GOOD(spec_add_futurebase(&queens, "KQvK.cltb", false));
        half[i] = build_and_compare(&queens, file, &full);
        split.restricted[i] = half[i];
        GOOD(spec_add_futurebase(&spec, file, false));
    }
    GOOD(spec_add_futurebase(&spec, "KQvK.cltb", false));
    GOOD(spec_add_futurebase(&spec, "KPvK.cltb", false));
    split.full = oracle;
    solved = build_and_compare(&spec, "case2.cltb", &split);
    GOOD(naive_restricted_solve(&whole, &spec, naive_bases_leave, &full));
    d.other = whole;
    GOOD(naive_restricted_each(solved, count_difference, &d));
    assert_int_equal(d.positions, 16796858);
    assert_int_equal(d.from_other, 0);
    assert_int_equal(d.from_full, 83084);
    assert_int_equal(d.other_outcomes, 0);
    assert_int_equal(d.better, 0);
    naive_restricted_free(whole);
    naive_restricted_free(solved);
    for (int i = 0; i < 3; i++)
        naive_restricted_free(half[i]);
}

// With all promotions (to rook, bishop and knight through full tables) the split queens give the full endgame.
static void test_case_2_all_promotions(void **state)
{
    (void)state;
    struct spec spec = spec_of("K Q P v K", "");
    for (int i = 0; i < 3; i++) {
        char file[32];
        snprintf(file, sizeof file, "half%d.cltb", i);
        GOOD(spec_add_futurebase(&spec, file, false));
    }
    compare_whole("KQPvK", &spec);
}

// ---- random restrictions ----

static uint64_t random_state = 2026;

// 0..n - 1
static int draw(int n)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random_state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (int)((z ^ z >> 31) % (uint64_t)n);
}

static uint64_t draw_rectangle(int longest)
{
    const int width = 1 + draw(longest);
    const int height = 1 + draw(longest);
    const int file = draw(9 - width);
    const int rank = draw(9 - height);
    uint64_t set = 0;
    for (int i = 0; i < width * height; i++)
        set |= square_bit((rank + i / width) * 8 + file + i % width);
    return set;
}

// Pawns mostly on their way along one file.
static uint64_t draw_pawn_squares(int colour)
{
    const uint64_t home = colour == WHITE ? RANK_1 << 8 : RANK_8 >> 8;
    uint64_t set = draw_rectangle(5) | (draw(2) ? home : 0);
    set &= ~(RANK_1 | RANK_8);
    if (draw(3) > 0)
        set &= FILE_A << draw(8);
    return set;
}

static uint64_t draw_squares(int colour, int type)
{
    uint64_t set = type == PAWN ? draw_pawn_squares(colour) : draw_rectangle(type == KING ? 4 : 8);
    if (type != KING && type != PAWN && draw(4) == 0)
        set |= draw_rectangle(4);
    return set;
}

enum { RANDOM_ENTRIES = 150000 };

static void draw_men(struct spec *spec)
{
    static const uint8_t types[] = {QUEEN, ROOK, BISHOP, KNIGHT, PAWN, PAWN, PAWN, ROOK};
    const int men = 3 + draw(4);
    *spec = (struct spec){0};
    GOOD(spec_add_man(spec, WHITE, KING, draw_squares(WHITE, KING)));
    GOOD(spec_add_man(spec, BLACK, KING, draw_squares(BLACK, KING)));
    if (men > 4 && draw(2) == 0) { // pawns that may capture each other en passant
        const int file = draw(7);
        const int black_first = draw(2);
        const uint64_t passed = FILE_A << (file + black_first) & ~(RANK_1 | RANK_8);
        const uint64_t passing = FILE_A << (file + 1 - black_first) & (draw(2) ? UINT64_MAX : RANK_1 << 8 | RANK_1 << 24);
        const uint64_t other = draw(2) ? passed : RANK_1 << 24 & passed;
        const uint64_t white = passing & ~(RANK_1 | RANK_8);
        const bool turned = draw(2) == 0;
        GOOD(spec_add_man(spec, WHITE, PAWN, turned ? __builtin_bswap64(other) : white));
        GOOD(spec_add_man(spec, BLACK, PAWN, turned ? __builtin_bswap64(white) : other));
    }
    while (spec->men < men) {
        const int colour = draw(2);
        const int type = types[draw(8)];
        const uint64_t squares = draw_squares(colour, type);
        GOOD(spec_add_man(spec, colour, type, squares));
        if (spec->men < men && draw(4) == 0) // one of its kind, with a set that may overlap
            GOOD(spec_add_man(spec, colour, type, draw(2) ? squares : draw_squares(colour, type)));
    }
}

// At most RANDOM_ENTRIES placements.
static bool is_small(const struct spec *spec)
{
    uint64_t product = 1;
    for (int i = 0; i < spec->men; i++)
        product *= (uint64_t)__builtin_popcountll(spec->man[i].squares);
    return product <= RANDOM_ENTRIES;
}

static void add_some_rule(struct spec *spec, int colour, const char *pattern)
{
    GOOD(spec_add_rule(spec, colour, draw(3) == 0 ? SPEC_CONCEDE : SPEC_DISCARD, pattern));
}

// A few rules, and in the end one for what is left: all, or only what does not lead to full tables of three men.
static void draw_rules(struct spec *spec)
{
    static const char *const patterns[] = {"KxP", "Kx*", "P=Q", "P=[QR]", "Px*", "PxP",      "?[a-d]*",
                                           "*x*", "K*",  "R*",  "P*",     "*=*", "stalemate"};
    const bool to_full = spec->men <= 4 && draw(2) == 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int i = draw(3); i > 0; i--)
            add_some_rule(spec, colour, patterns[draw((int)(sizeof patterns / sizeof patterns[0]))]);
        if (spec->men == 3 && to_full)
            continue;
        add_some_rule(spec, colour, to_full ? "*=*" : "*");
        if (to_full)
            add_some_rule(spec, colour, "?[a-h]?");
    }
}

static void draw_spec(struct spec *spec)
{
    do
        draw_men(spec);
    while (!is_small(spec) || spec_finish(spec) != 0);
}

static void test_random(void **state)
{
    (void)state;
    struct naive_bases naive = {0};
    struct spec spec;
    make_full("KPvK");
    naive.full = oracle;
    for (int i = 0; i < 60; i++) {
        char file[32];
        draw_spec(&spec);
        draw_rules(&spec);
        snprintf(file, sizeof file, "random%d.cltb", i);
        struct naive_restricted *solved = build_and_compare(&spec, file, &naive);
        assert_int_equal(naive_restricted_inconsistent(solved), 0);
        naive_restricted_free(solved);
    }
}

// ---- random futurebases ----

static void exchange_colours(struct spec *spec)
{
    for (int i = 0; i < spec->men; i++) {
        spec->man[i].colour ^= 1;
        spec->man[i].squares = __builtin_bswap64(spec->man[i].squares);
    }
    for (int i = 0; i < spec->rules; i++)
        spec->rule[i].colour ^= 1;
    GOOD(spec_finish(spec));
}

// A piece that is the only one of its kind and may step out of its set, or -1.
static int single_piece(const struct spec *spec)
{
    for (int i = 0; i < spec->men; i++) {
        int like = 0;
        for (int j = 0; j < spec->men; j++)
            like += spec->man[j].colour == spec->man[i].colour && spec->man[j].type == spec->man[i].type;
        if (spec->man[i].type != PAWN && spec->man[i].squares != UINT64_MAX && like == 1 && draw(2) == 0)
            return i;
    }
    return -1;
}

// The same endgame, but for one piece that stands where it may not stand in the other one; by turns with colours exchanged. All else is pruned.
static void check_pair(int number)
{
    static const char letters[] = "KQRBN";
    struct spec inside;
    int man;
    do {
        draw_spec(&inside);
        man = single_piece(&inside);
    } while (man < 0);
    struct spec outside = inside;
    outside.man[man].squares = ~inside.man[man].squares;
    if (!is_small(&outside) || spec_finish(&outside) != 0)
        return;
    char pattern[] = "[^K][a-h]?";
    pattern[2] = letters[inside.man[man].type];
    for (int colour = WHITE; colour <= BLACK; colour++) {
        add_some_rule(&outside, colour, "*");
        add_some_rule(&inside, colour, "*x*");
        add_some_rule(&inside, colour, "*=*");
        add_some_rule(&inside, colour, colour == inside.man[man].colour ? pattern : "?[a-h]?");
    }
    const bool invert = number % 2 != 0;
    if (invert)
        exchange_colours(&outside);
    char file[2][32];
    snprintf(file[0], sizeof file[0], "outside%d.cltb", number);
    snprintf(file[1], sizeof file[1], "inside%d.cltb", number);
    struct naive_bases none = {0};
    struct naive_restricted *out = build_and_compare(&outside, file[0], &none);
    struct naive_bases naive = {.restricted = {out}, .invert = {invert}};
    GOOD(spec_add_futurebase(&inside, file[0], invert));
    struct naive_restricted *in = build_and_compare(&inside, file[1], &naive);
    assert_int_equal(naive_restricted_inconsistent(in), 0);
    naive_restricted_free(in);
    naive_restricted_free(out);
}

static void test_random_futurebases(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++)
        check_pair(i);
}

// ---- five men ----

// Parts of KRPvKR: captures lead to full tables, promotions are conceded.
static void test_krpvkr(void **state)
{
    (void)state;
    static const char *const men[] = {
        "K[e5-f7] R[a-b] P[e5+] v K[d7-f8] R[1-2]",
        "K[g1-h2] R[h] P[a5+] v K[b6-c8] R[a]",
        "K[c4-d6] R[c1-f1] P[d2-d7] v K[d6-e8] R[h]",
    };
    struct naive_bases naive = {0};
    make_full("KRvKR");
    make_full("KPvKR");
    make_full("KRPvK");
    naive.full = oracle;
    for (size_t i = 0; i < sizeof men / sizeof men[0]; i++) {
        const struct spec spec =
            spec_of(men[i], "white concede P*=*\nwhite discard [KRP][a-h]?\nblack discard [KR][a-h]?");
        naive_restricted_free(build_and_compare(&spec, "krpvkr.cltb", &naive));
        tables_remove("krpvkr.cltb");
    }
}

static int teardown(void **state)
{
    naive_free(oracle);
    return folder_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_1),
        cmocka_unit_test(test_case_2),
        cmocka_unit_test(test_case_2_all_promotions),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_random_futurebases),
        cmocka_unit_test(test_krpvkr),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_whole_en_passant),
    };
    return cmocka_run_group_tests_name("restricted endgames", tests, folder_make, teardown);
}
