// test_index.c - squares, materials, and the two numberings of positions, against their written definitions
//
// Squares are compared with the printed table of docs/index.md and with symmetries worked out from files and ranks.
// Materials are a table of facts. The solver's index is put together again from its digits and walked to and fro; the
// file's index is compared with a direct reading of its three rules, and shown to be one-to-one between classes of
// symmetric placements and entries.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index/entry.h"
#include "index/layout.h"
#include "index/material.h"
#include "index/pawns.h"
#include "index/square.h"
#include "util/error.h"

#define GOOD(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != 0)                                                                                               \
            fail_msg("%s: %s", #call, error_text());                                                                   \
    } while (0)

// ---- a fixed pseudo-random sequence ----

static uint64_t sequence = 1;

static uint64_t next_random(void)
{
    sequence += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = sequence;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static unsigned below(unsigned n)
{
    return (unsigned)((next_random() >> 32) * n >> 32);
}

static struct material material_from(const char *name)
{
    struct material material;
    GOOD(material_parse(&material, name, NULL));
    return material;
}

// ---- squares ----

// The table of docs/index.md, rank 8 first, in octal.
static const uint8_t printed[8][8] = {
    {072, 002, 012, 022, 023, 013, 003, 073}, {006, 062, 032, 042, 043, 033, 063, 007},
    {016, 036, 066, 052, 053, 067, 037, 017}, {026, 046, 056, 076, 077, 057, 047, 027},
    {024, 044, 054, 074, 075, 055, 045, 025}, {014, 034, 064, 050, 051, 065, 035, 015},
    {004, 060, 030, 040, 041, 031, 061, 005}, {070, 000, 010, 020, 021, 011, 001, 071},
};

// A symmetry by files and ranks: the diagonal first, then the mirrors.
static int symmetric_square(int g, int square)
{
    int file = square % 8;
    int rank = square / 8;
    if (g & 4) {
        const int swap = file;
        file = rank;
        rank = swap;
    }
    if (g & 2)
        rank = 7 - rank;
    if (g & 1)
        file = 7 - file;
    return 8 * rank + file;
}

// The digit rule as docs/index.md words it.
static unsigned symmetric_digit(int g, unsigned u, unsigned l)
{
    static const unsigned swapped[8] = {0, 2, 1, 3, 4, 6, 5, 7};
    if (g & 4) {
        l = swapped[l];
        if (u <= 5)
            l ^= 4;
    }
    if (g & 2)
        l ^= 2;
    if (g & 1)
        l ^= 1;
    return l;
}

static void test_codes_are_the_printed_table(void **state)
{
    (void)state;
    bool used[64] = {false};
    for (int square = 0; square < 64; square++) {
        const unsigned code = square_code[square];
        assert_int_equal(code, printed[7 - square / 8][square % 8]);
        assert_true(code < 64);
        assert_false(used[code]);
        used[code] = true;
        assert_int_equal(code_square[code], square);
    }
    assert_int_equal(square_code[5 * 8 + 6], 037); // g6, misprinted in the seed
    assert_int_equal(square_code[2 * 8 + 6], 035); // g3, too
}

static void test_symmetries_keep_u_and_permute_l(void **state)
{
    (void)state;
    for (int g = 0; g < SYMMETRIES; g++) {
        for (int square = 0; square < 64; square++) {
            const int moved = square_apply(g, square);
            const unsigned u = square_code[square] >> 3;
            const unsigned l = square_code[square] & 7;
            assert_int_equal(moved, symmetric_square(g, square));
            assert_int_equal(square_code[moved] >> 3, u);
            assert_int_equal(square_code[moved] & 7, symmetric_digit(g, u, l));
            assert_int_equal(digit_apply(g, u, l), symmetric_digit(g, u, l));
            assert_int_equal(square_apply(symmetry_inverse(g), moved), square);
        }
    }
}

static void test_symmetries_are_the_eight_of_the_board(void **state)
{
    (void)state;
    const int asymmetric[2] = {1, 10}; // b1 and c2 together have no symmetry but g = 0
    unsigned images = 0;
    for (int g = 0; g < SYMMETRIES; g++) {
        assert_true(symmetry_inverse(g) >= 0 && symmetry_inverse(g) < SYMMETRIES);
        for (int other = 0; other < g; other++)
            images += square_apply(g, asymmetric[0]) == square_apply(other, asymmetric[0]) &&
                      square_apply(g, asymmetric[1]) == square_apply(other, asymmetric[1]);
    }
    assert_int_equal(images, 0);
}

static void test_triangle(void **state)
{
    (void)state;
    static const char *const names[TRIANGLE_SQUARES] = {"a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4"};
    int inside = 0;
    for (int i = 0; i < TRIANGLE_SQUARES; i++) {
        assert_int_equal(triangle_square[i], names[i][0] - 'a' + 8 * (names[i][1] - '1'));
        assert_int_equal(square_triangle[triangle_square[i]], i);
    }
    for (int square = 0; square < 64; square++) {
        inside += square_triangle[square] >= 0;
        assert_int_equal(square_on_diagonal(square), square % 8 == square / 8);
        const int g = symmetry_to_triangle(square);
        assert_in_range(g, 0, SYMMETRIES - 1);
        const int seen = square_apply(g, square);
        assert_in_range(square_triangle[seen], 0, TRIANGLE_SQUARES - 1);
        if (square_on_diagonal(seen))
            assert_true(g < 4); // both do: the one without the diagonal
    }
    assert_int_equal(inside, TRIANGLE_SQUARES);
}

static void test_touching(void **state)
{
    (void)state;
    for (int a = 0; a < 64; a++) {
        for (int b = 0; b < 64; b++)
            assert_int_equal(squares_touch(a, b), abs(a % 8 - b % 8) <= 1 && abs(a / 8 - b / 8) <= 1);
    }
}

// ---- materials ----

static void test_material_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *standard;
        bool flipped;
        int men;
        bool symmetric;
        bool pawns;
        unsigned arrangements;
    } facts[] = {
        {"KQvKR", "KQvKR", false, 4, false, false, 1},
        {"KQKR", "KQvKR", false, 4, false, false, 1},
        {"KRvKQ", "KQvKR", true, 4, false, false, 1},
        {"KRKQ", "KQvKR", true, 4, false, false, 1},
        {"KRvKR", "KRvKR", false, 4, true, false, 1},
        {"KNNvKQ", "KNNvKQ", false, 5, false, false, 2},
        {"KQvKNN", "KNNvKQ", true, 5, false, false, 2},
        {"KQvK", "KQvK", false, 3, false, false, 1},
        {"KKQ", "KQvK", true, 3, false, false, 1},
        {"KvKN", "KNvK", true, 3, false, false, 1},
        {"KBNvKBB", "KBBvKBN", true, 6, false, false, 2},
        {"KBBvKBN", "KBBvKBN", false, 6, false, false, 2},
        {"KBNvKBN", "KBNvKBN", false, 6, true, false, 1},
        {"KNNvKBN", "KBNvKNN", true, 6, false, false, 2},
        {"KRPvKR", "KRPvKR", false, 5, false, true, 1},
        {"KPvK", "KPvK", false, 3, false, true, 1},
        {"KPvKN", "KNvKP", true, 4, false, true, 1},
        {"KQQQQQQvK", "KQQQQQQvK", false, 8, false, false, 720},
        {"KRRRvKNNN", "KRRRvKNNN", false, 8, false, false, 36},
        {"KQRBNvKQR", "KQRBNvKQR", false, 8, false, false, 1},
        {"KQRvKQRBN", "KQRBNvKQR", true, 8, false, false, 1},
        {"KKQRBNQR", "KQQRRBNvK", true, 8, false, false, 4},
        {"KPPPPPvKP", "KPPPPPvKP", false, 8, false, true, 120},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct material material;
        char name[MATERIAL_NAME_MAX];
        bool flipped = !facts[i].flipped;
        GOOD(material_parse(&material, facts[i].name, &flipped));
        assert_string_equal(material_name(&material, name), facts[i].standard);
        assert_int_equal(flipped, facts[i].flipped);
        assert_int_equal(material_men(&material), facts[i].men);
        assert_int_equal(material_symmetric(&material), facts[i].symmetric);
        assert_int_equal(material_has_pawns(&material), facts[i].pawns);
        assert_int_equal(material_arrangements(&material), facts[i].arrangements);
        struct material again = material;
        assert_false(material_normalise(&again));
        assert_true(material_equal(&again, &material));
        GOOD(material_parse(&again, facts[i].standard, NULL));
        assert_true(material_equal(&again, &material));
    }
}

static void test_bad_material_names(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "K",
        "KK",
        "KvK",
        "v",
        "vK",
        "KQ",
        "KQv",
        "QvK",
        "KQvQ",
        "KQvR",
        "QKvK",
        "KQvKvK",
        "KQvvK",
        "KvQvK",
        "KKvK",
        "KQvKK",
        "KQKKR",
        "KQKRK",
        "KXvK",
        "KQvKX",
        "kqvk",
        "KQvk",
        "Kq",
        "KQ-KR",
        "KQ vK",
        " KQvK",
        "KQvK ",
        "KQvK\n",
        "KQVK",
        "KQRBNvKQRB",
        "KQQQQQQQvK",
        "K1vK",
        "KQvK?",
        "KQvKR\t",
        "KRPvKRPPPP",
        "KQvKRv",
        "\xff\xfe",
        "KQvK\xff",
        "KQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQvK",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct material material;
        error_set(0, "nothing yet");
        const int code = material_parse(&material, bad[i], NULL);
        if (code != CLTB_E_USAGE)
            fail_msg("'%s' gives %d", bad[i], code);
        assert_string_not_equal(error_text(), "nothing yet");
    }
}

static void test_material_of_a_position(void **state)
{
    (void)state;
    const struct man men[] = {
        {KING, WHITE, 0}, {KING, BLACK, 63}, {ROOK, BLACK, 20}, {ROOK, BLACK, 21}, {PAWN, WHITE, 30}};
    static struct position position;
    GOOD(position_set(&position, men, 5, WHITE));
    struct material material = material_of(&position);
    char name[MATERIAL_NAME_MAX];
    assert_string_equal(material_name(&material, name), "KPvKRR");
    struct material standard = material;
    assert_true(material_normalise(&standard));
    assert_string_equal(material_name(&standard, name), "KRRvKP");
    assert_false(material_equal(&material, &standard));
}

struct walk {
    struct material seen[1000];
    int count;
    int men;
    bool pawns;
    int stop_at; // the visit whose result is 77; 0: none
};

static int visit(void *context, const struct material *material)
{
    struct walk *walk = context;
    char name[MATERIAL_NAME_MAX];
    struct material again;
    bool flipped;
    assert_int_equal(material_men(material), walk->men);
    assert_true(walk->pawns || !material_has_pawns(material));
    GOOD(material_parse(&again, material_name(material, name), &flipped));
    assert_true(material_equal(&again, material) && !flipped);
    for (int i = 0; i < walk->count; i++)
        assert_false(material_equal(&walk->seen[i], material));
    assert_true(walk->count < 1000);
    walk->seen[walk->count++] = *material;
    return walk->count == walk->stop_at ? 77 : 0;
}

// With p(n) = C(n + 3, 3) ways to choose n men of four types: p(a) p(b) for a > b men, p(a) (p(a) + 1) / 2 for equal
// sides.
static void test_each_pawnless(void **state)
{
    (void)state;
    static const int counts[] = {0, 0, 0, 4, 10 + 10, 20 + 40, 35 + 80 + 55, 56 + 140 + 200, 84 + 224 + 350 + 210};
    for (int men = 3; men <= 8; men++) {
        static struct walk walk;
        static struct walk second;
        walk = (struct walk){.men = men};
        assert_int_equal(material_each_pawnless(men, visit, &walk), 0);
        assert_int_equal(walk.count, counts[men]);
        second = (struct walk){.men = men, .stop_at = 3};
        assert_int_equal(material_each_pawnless(men, visit, &second), 77);
        assert_int_equal(second.count, 3);
        assert_memory_equal(second.seen, walk.seen, 3 * sizeof walk.seen[0]);
    }
}

// The same with C(n + 4, 4) ways.
static void test_each_material(void **state)
{
    (void)state;
    static const int counts[] = {0, 0, 0, 5, 15 + 15, 35 + 75};
    for (int men = 3; men <= 5; men++) {
        static struct walk walk;
        static struct walk pawnless;
        walk = (struct walk){.men = men, .pawns = true};
        assert_int_equal(material_each(men, visit, &walk), 0);
        assert_int_equal(walk.count, counts[men]);
        pawnless = (struct walk){.men = men};
        assert_int_equal(material_each_pawnless(men, visit, &pawnless), 0);
        for (int i = 0; i < pawnless.count; i++) {
            bool found = false;
            for (int k = 0; k < walk.count; k++)
                found |= material_equal(&walk.seen[k], &pawnless.seen[i]);
            assert_true(found);
        }
    }
}

// ---- the solver's index ----

static void layout_open(struct layout *layout, const char *name, unsigned flags)
{
    const struct material material = material_from(name);
    GOOD(layout_init(layout, &material, flags));
}

// The index put together digit by digit, for men whose black king stands in the triangle and whose pair is in order.
static uint64_t index_of_digits(const struct layout *layout, unsigned king, const uint8_t *code)
{
    uint64_t index = king;
    int first = 0;
    if (layout->pair) {
        const unsigned low = code[0] >> 3;
        const unsigned high = code[1] >> 3;
        assert_true(low <= high);
        index = index * 36 + high * (high + 1) / 2 + low;
        first = 2;
    }
    for (int i = first; i < layout->pieces; i++)
        index = index * 8 + (code[i] >> 3);
    for (int i = 0; i < layout->pieces; i++)
        index = index * 8 + (code[i] & 7);
    return index;
}

// One index there and back. A blank's digits are lost: the index with zeros comes back.
static void check_round_trip(const struct layout *layout, uint64_t index)
{
    int king = -1;
    uint8_t squares[LAYOUT_PIECES_MAX] = {0};
    uint8_t code[LAYOUT_PIECES_MAX] = {0};
    layout_placement(layout, index, &king, squares);
    if (king < 0 || king > 63 || square_triangle[king] < 0)
        fail_msg("index %llu: the black king on square %d", (unsigned long long)index, king);
    for (int i = 0; i < layout->pieces; i++)
        code[i] = square_code[squares[i]];
    const uint64_t digits = index_of_digits(layout, (unsigned)square_triangle[king], code);
    if (digits != index)
        fail_msg("index %llu: its digits give %llu", (unsigned long long)index, (unsigned long long)digits);
    uint64_t expected = index;
    if (layout->type[0] == BLANK) {
        code[0] = 0;
        expected = index_of_digits(layout, (unsigned)square_triangle[king], code);
    }
    const uint64_t back = layout_index(layout, king, squares);
    if (back != expected)
        fail_msg("index %llu comes back as %llu", (unsigned long long)index, (unsigned long long)back);
}

static void check_random_indices(const struct layout *layout, int times)
{
    const uint64_t bits = layout_bits(layout);
    check_round_trip(layout, 0);
    check_round_trip(layout, bits - 1);
    for (int i = 0; i < times; i++)
        check_round_trip(layout, next_random() % bits);
}

static void test_layout_of_three_and_four_men(void **state)
{
    (void)state;
    static const char *const names[] = {"KQvK", "KNvK", "KQvKR", "KBBvK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct layout layout;
        layout_open(&layout, names[i], LAYOUT_PAIR); // no pair below five men
        assert_false(layout.pair);
        assert_int_equal(layout.pieces, 3);
        for (uint64_t index = 0; index < layout_bits(&layout); index++)
            check_round_trip(&layout, index);
    }
}

static void test_layout_with_a_pair(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int type;
        int colour;
    } facts[] = {
        {"KRRvKB", ROOK, WHITE},   {"KNNvKQ", KNIGHT, WHITE},  {"KBBBvK", BISHOP, WHITE},   {"KQRvKNN", KNIGHT, BLACK},
        {"KQRBvKRR", ROOK, BLACK}, {"KQRBBvK", BISHOP, WHITE}, {"KQQQvKNNN", QUEEN, WHITE},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct layout layout;
        const struct material material = material_from(facts[i].name);
        GOOD(layout_init(&layout, &material, LAYOUT_PAIR));
        assert_true(layout.pair);
        assert_int_equal(layout.type[0], facts[i].type);
        assert_int_equal(layout.type[1], facts[i].type);
        assert_int_equal(layout.colour[0], facts[i].colour);
        assert_int_equal(layout.colour[1], layout.colour[0]);
        check_random_indices(&layout, 20000);
        for (int n = 0; n < 4 && layout.tile_lanes <= 32768; n++) {
            const uint64_t tile = next_random() % layout.tiles;
            for (uint64_t lane = 0; lane < layout.tile_lanes; lane++)
                check_round_trip(&layout, tile * layout.tile_lanes + lane);
        }
    }
}

static void test_layout_of_many_men(void **state)
{
    (void)state;
    static const char *const names[] = {"KQRvKR",   "KRRvKB",    "KQRBvKN",   "KBBNvKRR",
                                        "KQRBNvKQ", "KNNNvKBBB", "KQRBNvKQR", "KRRRRRRvK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct layout layout;
        layout_open(&layout, names[i], 0);
        assert_false(layout.pair);
        check_random_indices(&layout, 20000);
    }
}

static void test_layout_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned flags;
        uint64_t bits;
        uint64_t lanes;
    } facts[] = {
        {"KQvK", 0, UINT64_C(2621440), 512}, // padded
        {"KQvKR", 0, UINT64_C(2621440), 512},
        {"KRRvK", LAYOUT_PAIR, UINT64_C(2621440), 512},
        {"KQRvKR", 0, UINT64_C(167772160), 4096},
        {"KQRvKR", LAYOUT_PAIR, UINT64_C(167772160), 4096}, // has none
        {"KRRvKB", 0, UINT64_C(167772160), 4096},
        {"KRRvKB", LAYOUT_PAIR, UINT64_C(94371840), 4096}, // * 36 / 64
        {"KQRvKRB", 0, UINT64_C(10737418240), 32768},
        {"KQRBvKRB", 0, UINT64_C(687194767360), 262144},
        {"KQRBvKQRB", 0, UINT64_C(43980465111040), 2097152},
        {"KRRRRRRvK", LAYOUT_PAIR, UINT64_C(24739011624960), 2097152},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct layout layout;
        layout_open(&layout, facts[i].name, facts[i].flags);
        assert_true(layout_bits(&layout) == facts[i].bits);
        assert_true(layout.tile_lanes == facts[i].lanes);
        assert_true(layout.tiles == facts[i].bits / facts[i].lanes);
        assert_true(layout.king_stride * TRIANGLE_SQUARES == layout.tiles);
    }
}

// Every man but the black king is there once; White and Black take turns while both have some; the blank comes first.
static void test_layout_order_of_pieces(void **state)
{
    (void)state;
    static const char *const names[] = {"KQvK",     "KvKR",      "KQvKR",  "KQRvKR",
                                        "KQRBvKRB", "KQRBNvKRB", "KQvKRB", "KQRBNvKQR"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct layout layout;
        layout_open(&layout, names[i], 0);
        struct material found = {{{0}, {0}}};
        found.count[BLACK][KING] = 1;
        const int blanks = layout.type[0] == BLANK;
        assert_int_equal(blanks, material_men(&layout.material) == 3);
        for (int p = blanks; p < layout.pieces; p++) {
            assert_in_range(layout.type[p], KING, KNIGHT);
            found.count[layout.colour[p]][layout.type[p]]++;
        }
        assert_true(material_equal(&found, &layout.material));
        assert_int_equal(layout.type[layout.white_king], KING);
        assert_int_equal(layout.colour[layout.white_king], WHITE);
        int black = -1;
        for (int type = KING; type <= KNIGHT; type++)
            black += layout.material.count[BLACK][type];
        for (int p = 0; p < 2 * black; p++)
            assert_int_equal(layout.colour[blanks + p], p % 2 == 0 ? WHITE : BLACK);
        for (int p = 0; p < layout.pieces; p++)
            assert_int_equal(layout_lane_shift(&layout, p), 3 * (layout.pieces - 1 - p));
    }
}

static void check_tile(const struct layout *layout, uint64_t tile)
{
    unsigned king = 99;
    uint8_t u[LAYOUT_PIECES_MAX] = {0};
    layout_digits(layout, tile, &king, u);
    assert_true(king < TRIANGLE_SQUARES);
    for (int i = 0; i < layout->pieces; i++)
        assert_true(u[i] < 8);
    if (layout->pair)
        assert_true(u[0] <= u[1]);
    if (layout_tile(layout, king, u) != tile)
        fail_msg("tile %llu comes back as %llu", (unsigned long long)tile,
                 (unsigned long long)layout_tile(layout, king, u));
    // One digit up is one stride on.
    for (int i = layout->pair ? 2 : 0; i < layout->pieces; i++) {
        if (u[i] == 7)
            continue;
        u[i]++;
        assert_true(layout_tile(layout, king, u) == tile + layout->stride[i]);
        u[i]--;
    }
    if (king + 1 < TRIANGLE_SQUARES)
        assert_true(layout_tile(layout, king + 1, u) == tile + layout->king_stride);
}

static void test_layout_digits(void **state)
{
    (void)state;
    static const char *const names[] = {"KQvK", "KQvKR", "KRRvKB", "KQRvKR", "KBBNvKRR", "KNNNvKBBB", "KQRBNvKQR"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (unsigned flags = 0; flags <= LAYOUT_PAIR; flags++) {
            struct layout layout;
            layout_open(&layout, names[i], flags);
            for (uint64_t tile = 0; layout.tiles < 50000 && tile < layout.tiles; tile++)
                check_tile(&layout, tile);
            for (int n = 0; layout.tiles >= 50000 && n < 20000; n++)
                check_tile(&layout, next_random() % layout.tiles);
            check_tile(&layout, layout.tiles - 1);
        }
    }
}

// All indices that the header allows for the placement: two mirror images for a king on the diagonal, times two orders
// of a pair in one tile.
static bool allowed_image(const struct layout *layout, int king, const uint8_t *squares, uint64_t index)
{
    const int g = symmetry_to_triangle(king);
    for (int image = 0; image < 4; image++) {
        uint8_t moved[LAYOUT_PIECES_MAX] = {0};
        const int seen_king = square_apply(g, king);
        if (image & 1 && !square_on_diagonal(seen_king))
            continue;
        uint8_t code[LAYOUT_PIECES_MAX] = {0};
        for (int i = 0; i < layout->pieces; i++) {
            moved[i] = (uint8_t)square_apply(g, squares[i]);
            if (image & 1)
                moved[i] = (uint8_t)symmetric_square(4, moved[i]);
            code[i] = layout->type[i] == BLANK ? 0 : square_code[moved[i]];
        }
        if (layout->pair) {
            const bool one_tile = code[0] >> 3 == code[1] >> 3;
            if (image & 2 ? !one_tile && code[0] < code[1] : code[0] >> 3 > code[1] >> 3)
                continue;
            if (image & 2) {
                const uint8_t swap = code[0];
                code[0] = code[1];
                code[1] = swap;
            }
        } else if (image & 2) {
            continue;
        }
        if (index_of_digits(layout, (unsigned)square_triangle[seen_king], code) == index)
            return true;
    }
    return false;
}

static void check_symmetric_images(const struct layout *layout)
{
    uint8_t squares[LAYOUT_PIECES_MAX] = {0};
    const int king = (int)below(64);
    for (int i = 0; i < layout->pieces; i++)
        squares[i] = (uint8_t)below(64);
    uint64_t found[2 * SYMMETRIES];
    int count = 0;
    for (int g = 0; g < SYMMETRIES; g++) {
        for (int exchanged = 0; exchanged <= (layout->pair ? 1 : 0); exchanged++) {
            uint8_t moved[LAYOUT_PIECES_MAX] = {0};
            for (int i = 0; i < layout->pieces; i++)
                moved[i] = (uint8_t)symmetric_square(g, squares[exchanged && i < 2 ? 1 - i : i]);
            const uint64_t index = layout_index(layout, symmetric_square(g, king), moved);
            assert_true(index < layout_bits(layout));
            if (!allowed_image(layout, king, squares, index))
                fail_msg("symmetry %d gives an index that is no image of the placement", g);
            found[count++] = index;
        }
    }
    const int seen = square_apply(symmetry_to_triangle(king), king);
    const bool one_tile = layout->pair && square_code[squares[0]] >> 3 == square_code[squares[1]] >> 3;
    for (int i = 1; i < count && !square_on_diagonal(seen) && !one_tile; i++)
        assert_true(found[i] == found[0]);
}

static void test_layout_symmetry(void **state)
{
    (void)state;
    static const char *const names[] = {"KQvK",    "KQvKR",    "KRRvKB",    "KQRvKR",
                                        "KQRvKNN", "KBBNvKRR", "KNNNvKBBB", "KQRBNvKQR"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (unsigned flags = 0; flags <= LAYOUT_PAIR; flags++) {
            struct layout layout;
            layout_open(&layout, names[i], flags);
            for (int n = 0; n < 3000; n++)
                check_symmetric_images(&layout);
        }
    }
}

static void test_layout_of_given_pieces(void **state)
{
    (void)state;
    static const uint8_t type[] = {QUEEN, ROOK, KING, BISHOP};
    static const uint8_t colour[] = {WHITE, BLACK, WHITE, WHITE};
    struct layout layout;
    GOOD(layout_init_pieces(&layout, 4, type, colour));
    assert_int_equal(layout.pieces, 4);
    assert_memory_equal(layout.type, type, 4);
    assert_memory_equal(layout.colour, colour, 4);
    assert_int_equal(layout.white_king, 2);
    assert_false(layout.pair);
    assert_true(layout_bits(&layout) == 10 * UINT64_C(64) * 64 * 64 * 64);
    char name[MATERIAL_NAME_MAX];
    assert_string_equal(material_name(&layout.material, name), "KQBvKR");
    check_random_indices(&layout, 5000);

    // Like pieces are no pair here, and two pieces get a blank in front.
    static const uint8_t bishops[] = {BISHOP, BISHOP, KING, KNIGHT};
    static const uint8_t white[] = {WHITE, WHITE, WHITE, BLACK};
    GOOD(layout_init_pieces(&layout, 4, bishops, white));
    assert_false(layout.pair);
    GOOD(layout_init_pieces(&layout, 2, bishops + 2, white + 2));
    assert_int_equal(layout.pieces, 3);
    assert_int_equal(layout.type[0], BLANK);
    assert_int_equal(layout.type[1], KING);
    assert_int_equal(layout.type[2], KNIGHT);
    assert_int_equal(layout.white_king, 1);
    check_random_indices(&layout, 5000);
}

static void test_layout_refuses(void **state)
{
    (void)state;
    struct layout layout;
    struct material bare = {{{1}, {1}}};
    assert_int_equal(layout_init(&layout, &bare, 0), CLTB_E_USAGE);
    struct material nine = {{{1, 7}, {1}}};
    assert_int_equal(layout_init(&layout, &nine, 0), CLTB_E_USAGE);
    const struct material pawns = material_from("KRPvKR");
    assert_int_equal(layout_init(&layout, &pawns, LAYOUT_PAIR), CLTB_E_USAGE);
}

// ---- the file's index ----

static uint64_t binomial(unsigned n, unsigned k)
{
    uint64_t result = 1;
    if (k > n)
        return 0;
    for (unsigned i = 1; i <= k; i++)
        result = result * (n - k + i) / i;
    return result;
}

static int by_value(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

// The sum of C(s_i, i) over the sorted squares.
static uint64_t reference_digit(const uint8_t *squares, unsigned count)
{
    uint8_t sorted[MATERIAL_MEN_MAX] = {0};
    uint64_t digit = 0;
    for (unsigned i = 0; i < count && i < MATERIAL_MEN_MAX; i++)
        sorted[i] = squares[i];
    qsort(sorted, count, 1, by_value);
    for (unsigned i = 0; i < count; i++)
        digit += binomial(sorted[i], i + 1);
    return digit;
}

struct men {
    struct man man[MATERIAL_MEN_MAX];
    int count;
};

// The men of a material on squares still to be chosen; both kings first.
static struct men men_of(const struct material *material)
{
    struct men men = {.count = 2};
    men.man[0] = (struct man){.type = KING, .colour = BLACK};
    men.man[1] = (struct man){.type = KING, .colour = WHITE};
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = QUEEN; type <= PAWN; type++) {
            for (int i = 0; i < material->count[colour][type]; i++)
                men.man[men.count++] = (struct man){.type = (uint8_t)type, .colour = (uint8_t)colour};
        }
    }
    return men;
}

static void place_randomly(struct men *men)
{
    uint64_t occupied = 0;
    for (int i = 0; i < men->count; i++) {
        const bool pawn = men->man[i].type == PAWN;
        do
            men->man[i].square = (uint8_t)(pawn ? 8 + below(48) : below(64));
        while (occupied >> men->man[i].square & 1);
        occupied |= UINT64_C(1) << men->man[i].square;
    }
}

static uint64_t entry_of(const struct entry_order *order, const struct men *men, bool flip)
{
    static struct position position;
    GOOD(position_set(&position, men->man, men->count, (int)below(2)));
    return entry_index(order, &position, flip);
}

static struct men symmetric_men(const struct men *men, int g)
{
    struct men moved = *men;
    for (int i = 0; i < men->count; i++)
        moved.man[i].square = (uint8_t)symmetric_square(g, men->man[i].square);
    return moved;
}

// The index of men whose black king is in the triangle, by the definition of the digits.
static uint64_t index_of_image(const struct entry_order *order, const struct men *men)
{
    uint64_t index = (uint64_t)square_triangle[men->man[0].square];
    for (int g = 0; g < order->groups; g++) {
        uint8_t squares[MATERIAL_MEN_MAX] = {0};
        unsigned count = 0;
        for (int i = 1; i < men->count; i++) {
            if (men->man[i].type == order->group[g].type && men->man[i].colour == order->group[g].colour)
                squares[count++] = men->man[i].square;
        }
        assert_int_equal(count, order->group[g].count);
        index = index * binomial(64, count) + reference_digit(squares, count);
    }
    return index;
}

// The three rules of entry.h, read directly.
static uint64_t reference_entry(const struct entry_order *order, const struct men *men)
{
    uint64_t entry = UINT64_MAX;
    for (int g = 0; g < SYMMETRIES; g++) {
        const struct men seen = symmetric_men(men, g);
        const int black = seen.man[0].square;
        const int white = seen.man[1].square;
        if (square_triangle[black] < 0)
            continue;
        if (black % 8 == black / 8 && white % 8 < white / 8)
            continue;
        const uint64_t index = index_of_image(order, &seen);
        entry = index < entry ? index : entry;
    }
    return entry;
}

static void shuffle(uint8_t *choice, int count)
{
    for (int i = 0; i < count; i++)
        choice[i] = (uint8_t)i;
    for (int i = count - 1; i > 0; i--) {
        const unsigned other = below((unsigned)i + 1);
        const uint8_t swap = choice[i];
        choice[i] = choice[other];
        choice[other] = swap;
    }
}

static struct entry_order random_pawn_order(const struct material *material, const struct pawn_slices *slices)
{
    struct entry_order order;
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    entry_order_init(&order, material, slices, NULL);
    shuffle(choice, order.groups);
    entry_order_init(&order, material, slices, choice);
    return order;
}

static struct entry_order random_order(const struct material *material)
{
    return random_pawn_order(material, NULL);
}

// Exchanges the squares of two random like men, if there are any.
static void exchange_like_men(struct men *men)
{
    for (int i = 2; i < men->count; i++) {
        const int other = 2 + (int)below((unsigned)men->count - 2);
        if (men->man[i].type != men->man[other].type || men->man[i].colour != men->man[other].colour)
            continue;
        const uint8_t swap = men->man[i].square;
        men->man[i].square = men->man[other].square;
        men->man[other].square = swap;
    }
}

// The men in any order of the list.
static void shuffle_men(struct men *men)
{
    for (int i = men->count - 1; i > 1; i--) {
        const int other = 2 + (int)below((unsigned)i - 1);
        const struct man swap = men->man[i];
        men->man[i] = men->man[other];
        men->man[other] = swap;
    }
}

static void check_entries(const struct material *material, int times)
{
    struct men men = men_of(material);
    for (int n = 0; n < times; n++) {
        const struct entry_order order = random_order(material);
        place_randomly(&men);
        // Every fourth time both kings stand on the diagonal a1-h8, or where a symmetry puts it.
        while (n % 4 == 0 && !(square_on_diagonal(men.man[0].square) && square_on_diagonal(men.man[1].square)))
            place_randomly(&men);
        const uint64_t expected = reference_entry(&order, &men);
        assert_true(expected < order.entries);
        for (int g = 0; g < SYMMETRIES; g++) {
            struct men image = symmetric_men(&men, g);
            exchange_like_men(&image);
            shuffle_men(&image);
            const uint64_t entry = entry_of(&order, &image, false);
            if (entry != expected)
                fail_msg("symmetry %d: entry %llu, should be %llu", g, (unsigned long long)entry,
                         (unsigned long long)expected);
            for (int i = 0; i < image.count; i++)
                image.man[i].colour ^= 1;
            assert_true(entry_of(&order, &image, true) == expected);
        }
    }
}

static void test_entry_is_the_same_for_all_images(void **state)
{
    (void)state;
    static const char *const names[] = {"KQvK",     "KRvKR",     "KRRvK",     "KQvKR",    "KBBvKN",   "KRRRvK",
                                        "KQRvKR",   "KNNvKBB",   "KQRvKRB",   "KNNNvKN",  "KBBBBBvK", "KQRBNvKQ",
                                        "KQQRRvKR", "KQRBNvKQR", "KBBBvKNNN", "KQQQQQQvK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct material material = material_from(names[i]);
        check_entries(&material, 1500);
    }
}

static void test_entry_digit(void **state)
{
    (void)state;
    static uint8_t seen[635376];
    uint64_t count = 0;
    for (uint8_t a = 0; a < 64; a++) {
        assert_true(entry_digit(&a, 1) == a);
        for (uint8_t b = 0; b < a; b++) {
            const uint8_t two[] = {a, b};
            const uint8_t turned[] = {b, a};
            assert_true(entry_digit(two, 2) == entry_digit(turned, 2));
            assert_true(entry_digit(two, 2) == reference_digit(two, 2));
            for (uint8_t c = 0; c < b; c++) {
                const uint8_t three[] = {b, a, c};
                assert_true(entry_digit(three, 3) == reference_digit(three, 3));
                for (uint8_t d = 0; d < c; d++) {
                    const uint8_t four[] = {b, d, a, c};
                    const uint64_t digit = entry_digit(four, 4);
                    assert_true(digit < sizeof seen && !seen[digit]);
                    seen[digit] = 1;
                    count++;
                }
            }
        }
    }
    assert_int_equal(count, sizeof seen);
    static const uint8_t last[] = {58, 59, 60, 61, 62, 63};
    assert_true(entry_digit(last, 6) == binomial(64, 6) - 1);
}

static void test_entry_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t entries;
    } facts[] = {
        {"KQvK", 40960},
        {"KRRvK", UINT64_C(10) * 64 * 2016},
        {"KQvKR", UINT64_C(10) * 64 * 64 * 64},
        {"KBBvKN", UINT64_C(10) * 64 * 2016 * 64},
        {"KRRRvK", UINT64_C(10) * 64 * 41664},
        {"KQRBvKQRB", UINT64_C(43980465111040)},
        {"KRRRRRRvK", UINT64_C(47983595520)},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct material material = material_from(facts[i].name);
        const struct entry_order order = random_order(&material);
        assert_true(order.entries == facts[i].entries);
        assert_true(order.per_section == facts[i].entries / 10);
    }
}

// One-to-one: every class of symmetric placements is visited once (by its smallest image) and must find an entry that
// no other class has. That all images of a class have the same entry is shown above; here again for each class.
struct classes {
    const struct entry_order *order;
    struct men men;
    uint8_t *seen; // [entries / 8]
    uint64_t count;
};

// The squares as one number, like men sorted: men_of() puts like men next to each other.
static uint64_t placement_number(const struct men *men)
{
    uint64_t number = 0;
    for (int i = 0; i < men->count; i++) {
        uint8_t group[MATERIAL_MEN_MAX] = {0};
        size_t n = 0;
        do
            group[n++] = men->man[i].square;
        while (++i < men->count && men->man[i].type == men->man[i - 1].type &&
               men->man[i].colour == men->man[i - 1].colour);
        i--;
        if (n > 1)
            qsort(group, n, 1, by_value);
        for (size_t k = 0; k < n; k++)
            number = number * 64 + group[k];
    }
    return number;
}

static bool smallest_image(const struct men *men, uint64_t number)
{
    for (int g = 1; g < SYMMETRIES; g++) {
        const struct men image = symmetric_men(men, g);
        if (image.man[0].square <= men->man[0].square && placement_number(&image) < number)
            return false;
    }
    return true;
}

static void visit_class(struct classes *classes)
{
    const uint64_t number = placement_number(&classes->men);
    if (!smallest_image(&classes->men, number))
        return;
    const uint64_t entry = entry_of(classes->order, &classes->men, false);
    assert_true(entry < classes->order->entries);
    if (classes->seen[entry / 8] >> (entry % 8) & 1)
        fail_msg("placement %llo: another class has entry %llu, too", (unsigned long long)number,
                 (unsigned long long)entry);
    classes->seen[entry / 8] |= (uint8_t)(1U << entry % 8);
    classes->count++;
}

// Places the men from number `next` on, like men in rising order.
static void walk_classes(struct classes *classes, int next, uint64_t occupied)
{
    struct man *man = &classes->men.man[next];
    if (next == classes->men.count) {
        visit_class(classes);
        return;
    }
    const bool like = next > 2 && man->type == man[-1].type && man->colour == man[-1].colour;
    for (int square = like ? man[-1].square + 1 : 0; square < 64; square++) {
        if (occupied >> square & 1)
            continue;
        man->square = (uint8_t)square;
        walk_classes(classes, next + 1, occupied | UINT64_C(1) << square);
    }
}

// By Burnside: placements fixed by the identity and by the two diagonal reflections, over 8. (A rotation or a mirror of
// files or ranks fixes no square, so no lone king.) On each diagonal the lone men stand on its 8 squares; like men may
// also exchange places.
static void test_entries_are_one_to_one(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t classes;
    } facts[] = {
        {"KQvK", (UINT64_C(64) * 63 * 62 + 2 * 8 * 7 * 6) / 8},
        {"KQvKR", (UINT64_C(64) * 63 * 62 * 61 + 2 * 8 * 7 * 6 * 5) / 8},
        // Two like men: both on the diagonal (6 * 5 / 2 ways), or mirror images of each other (28 ways).
        {"KRRvK", (UINT64_C(64) * 63 * 62 * 61 / 2 + 2 * 8 * 7 * (15 + 28)) / 8},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct material material = material_from(facts[i].name);
        const struct entry_order order = random_order(&material);
        struct classes classes = {.order = &order, .men = men_of(&material)};
        classes.seen = calloc(order.entries / 8 + 1, 1);
        assert_non_null(classes.seen);
        for (int king = 0; king < 64; king++) {
            // The smallest image has the smallest king square of its orbit, which lies in the triangle.
            if (square_triangle[king] < 0)
                continue;
            classes.men.man[0].square = (uint8_t)king;
            walk_classes(&classes, 1, UINT64_C(1) << king);
        }
        free(classes.seen);
        assert_int_equal(classes.count, facts[i].classes);
    }
}

// For five men, with given kings: all placements of the others have different entries, but for mirror images.
static void test_entries_of_five_men_differ(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint8_t black;
        uint8_t white;
        uint64_t classes;
    } facts[] = {
        {"KBBvKN", 1, 40, UINT64_C(62) * 61 / 2 * 60},
        {"KRRRvK", 0, 20, UINT64_C(62) * 61 * 60 / 6},
        // Both kings on the diagonal: two images of each placement, but for those that are their own image.
        {"KRRRvK", 0, 63, (UINT64_C(62) * 61 * 60 / 6 + 20 + 6 * 28) / 2},
        {"KBBvKN", 9, 36, (UINT64_C(62) * 61 / 2 * 60 + UINT64_C(6) * 10 + 6 * 28) / 2},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct material material = material_from(facts[i].name);
        const struct entry_order order = random_order(&material);
        struct classes classes = {.order = &order, .men = men_of(&material)};
        classes.seen = calloc(order.entries / 8 + 1, 1);
        assert_non_null(classes.seen);
        classes.men.man[0].square = facts[i].black;
        classes.men.man[1].square = facts[i].white;
        walk_classes(&classes, 2, UINT64_C(1) << facts[i].black | UINT64_C(1) << facts[i].white);
        free(classes.seen);
        assert_int_equal(classes.count, facts[i].classes);
    }
}

static void test_entry_order_text(void **state)
{
    (void)state;
    static const uint8_t turned[] = {2, 0, 1};
    struct entry_order order;
    char text[ENTRY_TEXT_MAX];
    struct material material = material_from("KQvKR");
    entry_order_init(&order, &material, NULL, NULL);
    entry_order_write(&order, text);
    assert_string_equal(text, "k K Q r");
    entry_order_init(&order, &material, NULL, turned);
    entry_order_write(&order, text);
    assert_string_equal(text, "k r K Q");
    assert_true(order.group[0].stride == 4096 && order.group[1].stride == 64 && order.group[2].stride == 1);
    material = material_from("KRRvKNN");
    entry_order_init(&order, &material, NULL, NULL);
    entry_order_write(&order, text);
    assert_string_equal(text, "k K RR nn");
    material = material_from("KQRBNvKQR");
    entry_order_init(&order, &material, NULL, NULL);
    entry_order_write(&order, text);
    assert_string_equal(text, "k K Q R B N q r");
}

static void check_order_round_trip(const struct material *material, const struct pawn_slices *slices)
{
    const struct entry_order order = random_pawn_order(material, slices);
    struct entry_order again;
    char text[ENTRY_TEXT_MAX];
    memset(text, 'x', sizeof text);
    entry_order_write(&order, text);
    assert_non_null(memchr(text, '\0', sizeof text));
    GOOD(entry_order_read(&again, material, slices, text));
    assert_true(material_equal(&again.material, &order.material));
    assert_int_equal(again.groups, order.groups);
    assert_true(again.per_section == order.per_section && again.entries == order.entries);
    for (int i = 0; i < order.groups; i++) {
        assert_int_equal(again.group[i].colour, order.group[i].colour);
        assert_int_equal(again.group[i].type, order.group[i].type);
        assert_int_equal(again.group[i].count, order.group[i].count);
        assert_true(again.group[i].size == order.group[i].size && again.group[i].stride == order.group[i].stride);
    }
}

static int visit_order(void *context, const struct material *material)
{
    (void)context;
    for (int i = 0; i < 3; i++)
        check_order_round_trip(material, NULL);
    return 0;
}

static void test_entry_order_text_round_trip(void **state)
{
    (void)state;
    for (int men = 3; men <= 8; men++)
        assert_int_equal(material_each_pawnless(men, visit_order, NULL), 0);
}

static void test_bad_entry_orders(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "k",
        "K Q r",
        "K k Q r",
        "k K Q",
        "k K r",
        "k Q r",
        "k K Q r r",
        "k K Q Q r",
        "k K Q r K",
        "k K Q q",
        "k K Q R",
        "k K K r",
        "k K Q r ",
        "k  K Q r",
        " k K Q r",
        "k K QQ r",
        "k KQ r",
        "kKQr",
        "k K Q r\n",
        "k,K,Q,r",
        "k K Q x",
        "k K Q rr",
        "k K Q r k",
        "k k Q r",
        "k K Q rk",
        "k K Q \xff",
        "kk K Q r",
        "k K Q r x",
        "q K Q r",
        "k K Q p",
        "k Q q r",
        "k K Q r B",
        "k K QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ r",
        "k Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q",
    };
    const struct material material = material_from("KQvKR");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct entry_order order;
        if (entry_order_read(&order, &material, NULL, bad[i]) != CLTB_E_CORRUPT)
            fail_msg("'%s' is accepted", bad[i]);
    }
    static const char *const bad_pair[] = {"k K R R n", "k K R n",  "k K RRR n", "k K R n R",
                                           "k K Rr n",  "k K NN r", "k K n"};
    const struct material pair = material_from("KRRvKN");
    for (size_t i = 0; i < sizeof bad_pair / sizeof bad_pair[0]; i++) {
        struct entry_order order;
        if (entry_order_read(&order, &pair, NULL, bad_pair[i]) != CLTB_E_CORRUPT)
            fail_msg("'%s' is accepted", bad_pair[i]);
    }
}

// ---- the file's index with pawns ----

static struct pawn_slices *slices_of(const struct material *material)
{
    struct pawn_slices *slices;
    GOOD(pawn_slices_open(&slices, material->count[WHITE][PAWN], material->count[BLACK][PAWN]));
    return slices;
}

// The numbers of the pawns in the order of a slice, by the definition.
static void slice_numbers(const struct men *men, uint8_t numbers[PAWNS_MAX])
{
    static const uint8_t file[] = {7, 6, 5, 4, 0, 1, 2, 3};
    int count = 0;
    memset(numbers, 0, PAWNS_MAX);
    for (int colour = WHITE; colour <= BLACK; colour++) {
        const int first = count;
        for (int i = 0; i < men->count; i++) {
            const int square = men->man[i].square;
            if (men->man[i].type != PAWN || men->man[i].colour != colour)
                continue;
            numbers[count] = (uint8_t)(8 * (colour == WHITE ? square / 8 - 1 : 6 - square / 8) + file[square % 8]);
            for (int k = count++; k > first && numbers[k] > numbers[k - 1]; k--) {
                const uint8_t swap = numbers[k];
                numbers[k] = numbers[k - 1];
                numbers[k - 1] = swap;
            }
        }
    }
}

static int32_t slice_with(const struct pawn_slices *slices, const uint8_t *numbers)
{
    for (uint32_t slice = 0; slice < slices->slices; slice++) {
        bool same = true;
        for (int i = 0; i < slices->pawns[WHITE] + slices->pawns[BLACK]; i++) {
            const int colour = i < slices->pawns[WHITE] ? WHITE : BLACK;
            same &= pawn_number(colour, slices->square[slice][i]) == numbers[i];
        }
        if (same)
            return (int32_t)slice;
    }
    return -1;
}

// The rules of entry.h for pawns, read directly.
static uint64_t reference_pawn_entry(const struct entry_order *order, const struct men *men)
{
    struct men image = symmetric_men(men, 1);
    uint8_t numbers[PAWNS_MAX];
    uint8_t mirrored[PAWNS_MAX];
    slice_numbers(men, numbers);
    slice_numbers(&image, mirrored);
    const int compared = memcmp(numbers, mirrored, PAWNS_MAX);
    const bool keep = compared > 0 || (compared == 0 && men->man[1].square % 8 < 4);
    if (keep)
        image = *men;
    const int32_t slice = slice_with(order->slices, keep ? numbers : mirrored);
    assert_true(slice >= 0);
    uint64_t index = (uint64_t)slice;
    for (int g = 0; g < order->groups; g++) {
        uint8_t squares[MATERIAL_MEN_MAX] = {0};
        unsigned count = 0;
        for (int i = 0; i < image.count; i++) {
            if (image.man[i].type == order->group[g].type && image.man[i].colour == order->group[g].colour)
                squares[count++] = image.man[i].square;
        }
        assert_int_equal(count, order->group[g].count);
        index = index * binomial(64, count) + reference_digit(squares, count);
    }
    return index;
}

static void check_pawn_entries(const struct material *material, int times)
{
    struct pawn_slices *slices = slices_of(material);
    struct men men = men_of(material);
    for (int n = 0; n < times; n++) {
        const struct entry_order order = random_pawn_order(material, slices);
        place_randomly(&men);
        // Every fourth time the last two men, pawns of one colour perhaps, are mirror images of each other.
        const int last = men.count - 1;
        while (n % 4 == 0 && men.man[last].square != (men.man[last - 1].square ^ 7))
            place_randomly(&men);
        const uint64_t expected = reference_pawn_entry(&order, &men);
        assert_true(expected < order.entries);
        for (int g = 0; g < 2; g++) {
            struct men image = symmetric_men(&men, g);
            exchange_like_men(&image);
            shuffle_men(&image);
            assert_true(entry_of(&order, &image, false) == expected);
            // Colours exchanged: the board is turned upside down.
            image = symmetric_men(&image, 2);
            for (int i = 0; i < image.count; i++)
                image.man[i].colour ^= 1;
            assert_true(entry_of(&order, &image, true) == expected);
        }
    }
    pawn_slices_close(slices);
}

static void test_pawn_entry_is_the_same_for_all_images(void **state)
{
    (void)state;
    static const char *const names[] = {"KPvK",   "KPvKP",  "KQvKP",  "KPPvK",  "KRPvKR", "KPPvKP",
                                        "KRRvKP", "KQvKPP", "KPPPvK", "KNPvKP", "KPPvKBB"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct material material = material_from(names[i]);
        check_pawn_entries(&material, 400);
    }
}

// All placements of a material, like men in one order: `kings` limits the black king's squares.
struct census {
    const struct entry_order *order;
    struct men men;
    uint64_t kings;
    uint8_t *seen; // [entries] placements with this entry
    uint64_t placements;
};

static void count_placements(struct census *census, int next, uint64_t occupied)
{
    struct man *man = &census->men.man[next];
    if (next == census->men.count) {
        const uint64_t entry = entry_of(census->order, &census->men, false);
        assert_true(entry < census->order->entries);
        census->seen[entry]++;
        census->placements++;
        return;
    }
    const bool like = next > 2 && man->type == man[-1].type && man->colour == man[-1].colour;
    const int end = man->type == PAWN ? 56 : 64;
    for (int square = like ? man[-1].square + 1 : man->type == PAWN ? 8 : 0; square < end; square++) {
        if ((occupied >> square & 1) || (next == 0 && !(census->kings >> square & 1)))
            continue;
        man->square = (uint8_t)square;
        count_placements(census, next + 1, occupied | UINT64_C(1) << square);
    }
}

// A class of placements is one and its mirror image. That these two have the same entry is shown above: so no two
// classes share one if no entry has more than two placements. All of them are counted where the order says they are.
static void test_pawn_entries_are_one_to_one(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t kings; // mirror images among them
        uint64_t placements;
    } facts[] = {
        {"KPvK", UINT64_MAX, UINT64_C(48) * 63 * 62},
        {"KPPvK", UINT64_C(0xff00000000), UINT64_C(8) * (47 * 46 / 2 * 61)},
        {"KPvKP", UINT64_C(0x81), UINT64_C(2) * 48 * 47 * 61},
        {"KPvKN", UINT64_C(0x2400), UINT64_C(2) * 47 * 62 * 61},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct material material = material_from(facts[i].name);
        struct pawn_slices *slices = slices_of(&material);
        const struct entry_order order = random_pawn_order(&material, slices);
        struct census census = {.order = &order, .men = men_of(&material), .kings = facts[i].kings};
        census.seen = calloc(order.entries, 1);
        assert_non_null(census.seen);
        count_placements(&census, 0, 0);
        assert_int_equal(census.placements, facts[i].placements);
        for (uint64_t entry = 0; entry < order.entries; entry++) {
            assert_true(census.seen[entry] == 0 || census.seen[entry] == 2);
            assert_true(census.seen[entry] == 0 || entry < slices->slices * order.per_slice);
        }
        free(census.seen);
        pawn_slices_close(slices);
    }
}

static void test_pawn_entry_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t per_slice;
        uint64_t slices_per_section;
        uint64_t sections;
    } facts[] = {
        {"KPvK", 4096, 64, 1},          {"KPvKP", 4096, 64, 18},     {"KPPPvK", 4096, 64, 136},
        {"KRvKP", 262144, 1, 24},       {"KRPvKR", 16777216, 1, 24}, {"KPPvKR", 262144, 1, 576},
        {"KBBPvK", 4096 * 2016, 1, 24}, {"KPPvKP", 4096, 64, 406},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct material material = material_from(facts[i].name);
        struct pawn_slices *slices = slices_of(&material);
        const struct entry_order order = random_pawn_order(&material, slices);
        assert_int_equal(order.per_slice, facts[i].per_slice);
        assert_int_equal(order.slices_per_section, facts[i].slices_per_section);
        assert_int_equal(order.per_section, facts[i].per_slice * facts[i].slices_per_section);
        assert_int_equal(order.sections, facts[i].sections);
        assert_int_equal(order.entries, order.sections * order.per_section);
        pawn_slices_close(slices);
    }
}

static int visit_pawn_order(void *context, const struct material *material)
{
    (void)context;
    const int pawns = material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
    if (pawns == 0 || pawns >= PAWNS_MAX)
        return 0;
    struct pawn_slices *slices = slices_of(material);
    check_order_round_trip(material, slices);
    pawn_slices_close(slices);
    return 0;
}

static void test_pawn_order_text(void **state)
{
    (void)state;
    static const uint8_t turned[] = {2, 3, 1, 0};
    static const char *const bad[] = {"",          "k",         "K R k",     "k K R r P", "K R k r P", "p K R k r",
                                      " K R k r",  "K R k r ",  "K R k rr",  "KRkr",      "K R k k",   "K R  k r",
                                      "K R k r r", "P K R k r", "k K R k r", "K R k n"};
    const struct material material = material_from("KRPvKR");
    struct pawn_slices *slices = slices_of(&material);
    struct entry_order order;
    char text[ENTRY_TEXT_MAX];
    entry_order_init(&order, &material, slices, NULL);
    entry_order_write(&order, text);
    assert_string_equal(text, "K R k r");
    entry_order_init(&order, &material, slices, turned);
    entry_order_write(&order, text);
    assert_string_equal(text, "k r R K");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (entry_order_read(&order, &material, slices, bad[i]) != CLTB_E_CORRUPT)
            fail_msg("'%s' is accepted", bad[i]);
    }
    pawn_slices_close(slices);
    for (int men = 3; men <= 6; men++)
        assert_int_equal(material_each(men, visit_pawn_order, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_are_the_printed_table),
        cmocka_unit_test(test_symmetries_keep_u_and_permute_l),
        cmocka_unit_test(test_symmetries_are_the_eight_of_the_board),
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_touching),
        cmocka_unit_test(test_material_names),
        cmocka_unit_test(test_bad_material_names),
        cmocka_unit_test(test_material_of_a_position),
        cmocka_unit_test(test_each_pawnless),
        cmocka_unit_test(test_each_material),
        cmocka_unit_test(test_layout_of_three_and_four_men),
        cmocka_unit_test(test_layout_with_a_pair),
        cmocka_unit_test(test_layout_of_many_men),
        cmocka_unit_test(test_layout_sizes),
        cmocka_unit_test(test_layout_order_of_pieces),
        cmocka_unit_test(test_layout_digits),
        cmocka_unit_test(test_layout_symmetry),
        cmocka_unit_test(test_layout_of_given_pieces),
        cmocka_unit_test(test_layout_refuses),
        cmocka_unit_test(test_entry_is_the_same_for_all_images),
        cmocka_unit_test(test_entry_digit),
        cmocka_unit_test(test_entry_sizes),
        cmocka_unit_test(test_entries_are_one_to_one),
        cmocka_unit_test(test_entries_of_five_men_differ),
        cmocka_unit_test(test_entry_order_text),
        cmocka_unit_test(test_entry_order_text_round_trip),
        cmocka_unit_test(test_bad_entry_orders),
        cmocka_unit_test(test_pawn_entry_is_the_same_for_all_images),
        cmocka_unit_test(test_pawn_entries_are_one_to_one),
        cmocka_unit_test(test_pawn_entry_sizes),
        cmocka_unit_test(test_pawn_order_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
