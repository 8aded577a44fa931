// test_restricted_sets.c - restrictions of all kinds against naive solvers, position by position; with CLTB_TEST_LONG
// forty times as many, and larger ones
//
// Sets that restrict nothing; random sets, where most leaving moves are pruned and the others lead to full tables of
// three men or to another random table; parts of KRPvKR.
#include "restricted/support_restricted.h"

#include "chess/attacks.h"
#include "util/random.h"

#include <unistd.h>

static bool is_long(void)
{
    return getenv("CLTB_TEST_LONG") != NULL;
}

static int draws(void)
{
    return is_long() ? 120 : 3;
}

TEST(test_whole)
{
    if (!is_long())
        skip();
    static const char *const names[][2] = {
        {"KPvK", "K P v K"},
        {"KRvKR", "K R v K R"},
        {"KPvKR", "K P v K R"}, // the full table is KRvKP
        {"KPvKP", "K P v K P"}, // en passant
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct spec spec = spec_of(names[i][1], "");
        compare_whole(names[i][0], &spec);
    }
}

// 0..n - 1
static int draw(int n)
{
    static uint64_t state = 2026;
    return (int)(random_next(&state) % (uint64_t)n);
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
        const uint64_t passing =
            FILE_A << (file + 1 - black_first) & (draw(2) ? UINT64_MAX : RANK_1 << 8 | RANK_1 << 24);
        const uint64_t other = draw(2) ? passed : RANK_1 << 24 & passed;
        const uint64_t white = passing & ~(RANK_1 | RANK_8);
        const bool flipped = draw(2) == 0;
        GOOD(spec_add_man(spec, WHITE, PAWN, flipped ? __builtin_bswap64(other) : white));
        GOOD(spec_add_man(spec, BLACK, PAWN, flipped ? __builtin_bswap64(white) : other));
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

TEST(test_random)
{
    struct spec spec;
    make_full("KPvK");
    for (int i = 0; i < draws(); i++) {
        char file[32];
        draw_spec(&spec);
        draw_rules(&spec);
        snprintf(file, sizeof file, "random%d.cltb", i);
        build_and_check(&spec, file, NULL);
    }
    assert_true(restricted_far > (is_long() ? 50000 : 100));
}

static void flip_colours(struct spec *spec)
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

// The same endgame, except that one piece stands where the other spec does not let it stand. Every second time colours
// are flipped. All else is pruned.
static void check_pair(int number)
{
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
    for (int colour = WHITE; colour <= BLACK; colour++) {
        add_some_rule(&outside, colour, "*");
        add_some_rule(&inside, colour, "*x*");
        add_some_rule(&inside, colour, "*=*");
        add_some_rule(&inside, colour, "?[a-h]?"); // the futurebase comes first
    }
    const bool invert = number % 2 != 0;
    if (invert)
        flip_colours(&outside);
    char file[2][32];
    snprintf(file[0], sizeof file[0], "outside%d.cltb", number);
    snprintf(file[1], sizeof file[1], "inside%d.cltb", number);
    struct naive_restricted *out = build_and_compare(&outside, file[0], NULL);
    struct naive_bases naive = {.restricted = {out}, .invert = {invert}};
    GOOD(spec_add_futurebase(&inside, file[0], invert));
    build_and_check(&inside, file[1], &naive);
    naive_restricted_free(out);
}

TEST(test_random_futurebases)
{
    restricted_far = 0;
    for (int i = 0; i < draws(); i++)
        check_pair(i);
    assert_true(restricted_far > (is_long() ? 50000 : 100));
}

// Parts of KRPvKR: captures lead to full tables, promotions are conceded.
TEST(test_krpvkr)
{
    if (!is_long())
        skip();
    static const char *const men[] = {
        "K[e5-f7] R[a-b] P[e5+] v K[d7-f8] R[1-2]",
        "K[g1-h2] R[h] P[a5+] v K[b6-c8] R[a]",
        "K[c4-d6] R[c1-f1] P[d2-d7] v K[d6-e8] R[h]",
    };
    make_full("KRvKR");
    make_full("KPvKR");
    make_full("KRPvK");
    for (size_t i = 0; i < sizeof men / sizeof men[0]; i++) {
        const struct spec spec =
            spec_of(men[i], "white concede P*=*\nwhite discard [KRP][a-h]?\nblack discard [KR][a-h]?");
        naive_restricted_free(build_and_compare(&spec, "krpvkr.cltb", NULL));
        unlink(file_in_tables("krpvkr.cltb"));
    }
}

TESTS(folder_make, full_teardown)
