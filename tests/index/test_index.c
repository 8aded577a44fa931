// test_index.c - squares, materials, and the solver's numbering of positions, against their definitions
//
// Squares are compared with the printed table of docs/index.md and with symmetries computed from files and ranks.
// Materials are a table of facts. The solver's index is put together again from its digits and followed in both
// directions. The file's index is tested in test_entry.c.
#include "support/support.h"

#include "index/layout.h"
#include "index/material.h"
#include "index/square.h"

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

TEST(test_codes)
{
    for (int square = 0; square < 64; square++) {
        const unsigned code = square_code[square];
        assert_int_equal(code, printed[7 - square / 8][square % 8]);
        assert_true(code < 64);
        assert_int_equal(code_square[code], square); // so no code is used twice
    }
    assert_int_equal(square_code[5 * 8 + 6], 037); // g6
    assert_int_equal(square_code[2 * 8 + 6], 035); // g3
}

// They keep u of a code and permute l, and no two are the same.
TEST(test_symmetries)
{
    for (int g = 0; g < SYMMETRIES; g++) {
        for (int square = 0; square < 64; square++) {
            const int moved = square_apply(g, square);
            const unsigned u = square_code[square] >> 3;
            const unsigned l = square_code[square] & 7;
            assert_int_equal(moved, symmetric_square(g, square));
            assert_int_equal(square_code[moved] >> 3, u);
            assert_int_equal(square_code[moved] & 7, symmetric_digit(g, u, l));
            assert_int_equal(digit_apply(g, u, l), symmetric_digit(g, u, l));
        }
        // No two symmetries map both b1 and c2 to the same squares.
        for (int other = 0; other < g; other++)
            assert_false(square_apply(g, 1) == square_apply(other, 1) &&
                         square_apply(g, 10) == square_apply(other, 10));
    }
}

TEST(test_triangle)
{
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
            assert_true(g < 4); // of the two that lead there, the one without the diagonal
    }
    assert_int_equal(inside, TRIANGLE_SQUARES);
}

TEST(test_touching)
{
    for (int a = 0; a < 64; a++)
        for (int b = 0; b < 64; b++)
            assert_int_equal(squares_touch(a, b), abs(a % 8 - b % 8) <= 1 && abs(a / 8 - b / 8) <= 1);
}

// ---- materials ----

TEST(test_names)
{
    static const struct {
        const char *name;
        const char *standard;
        bool flipped;
        bool symmetric;
        unsigned arrangements;
    } facts[] = {
        {"KQvKR", "KQvKR", false, false, 1},   {"KBNvKBB", "KBBvKBN", true, false, 2},
        {"KQKR", "KQvKR", false, false, 1},    {"KBBvKBN", "KBBvKBN", false, false, 2},
        {"KRvKQ", "KQvKR", true, false, 1},    {"KBNvKBN", "KBNvKBN", false, true, 1},
        {"KRKQ", "KQvKR", true, false, 1},     {"KNNvKBN", "KBNvKNN", true, false, 2},
        {"KRvKR", "KRvKR", false, true, 1},    {"KQQQQQQvK", "KQQQQQQvK", false, false, 720},
        {"KNNvKQ", "KNNvKQ", false, false, 2}, {"KRRRvKNNN", "KRRRvKNNN", false, false, 36},
        {"KQvKNN", "KNNvKQ", true, false, 2},  {"KQRBNvKQR", "KQRBNvKQR", false, false, 1},
        {"KQvK", "KQvK", false, false, 1},     {"KQRvKQRBN", "KQRBNvKQR", true, false, 1},
        {"KKQ", "KQvK", true, false, 1},       {"KKQRBNQR", "KQQRRBNvK", true, false, 4},
        {"KvKN", "KNvK", true, false, 1},      {"KPPPPPvKP", "KPPPPPvKP", false, false, 120},
        {"KRPvKR", "KRPvKR", false, false, 1}, {"KPvK", "KPvK", false, false, 1},
        {"KPvKN", "KNvKP", true, false, 1},    {"kqkr", "KQvKR", false, false, 1},
        {"KbVkPn", "KNPvKB", true, false, 1},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct material material;
        char name[MATERIAL_NAME_MAX];
        bool flipped = !facts[i].flipped;
        GOOD(material_parse(&material, facts[i].name, &flipped));
        assert_string_equal(material_name(&material, name), facts[i].standard);
        assert_int_equal(flipped, facts[i].flipped);
        assert_int_equal(material_men(&material), strlen(facts[i].standard) - 1);
        assert_int_equal(material_symmetric(&material), facts[i].symmetric);
        assert_int_equal(material_has_pawns(&material), strchr(facts[i].standard, 'P') != NULL);
        assert_int_equal(material_arrangements(&material), facts[i].arrangements);
        struct material again = material;
        assert_false(material_normalise(&again));
        assert_true(material_equal(&again, &material));
        GOOD(material_parse(&again, facts[i].standard, NULL));
        assert_true(material_equal(&again, &material));
    }
}

TEST(test_bad_names)
{
    static const char *const bad[] = {"",           "K",      "KK",         "KvK",        "v",     "vK",     "KQ",
                                      "KQv",        "QvK",    "KQvQ",       "KQvR",       "QKvK",  "KQvKvK", "KQvvK",
                                      "KvQvK",      "KKvK",   "KQvKK",      "KQKKR",      "KQKRK", "KXvK",   "KQvKX",
                                      "qvk",        "KQvkk",  "Kq",         "KQ-KR",      "KQ vK", " KQvK",  "KQvK ",
                                      "KQvK\n",     "KQVVK",  "KQRBNvKQRB", "KQQQQQQQvK", "K1vK",  "KQvK?",  "KQvKR\t",
                                      "KRPvKRPPPP", "KQvKRv", "\xff\xfe",   "KQvK\xff"};
    static const char too_long[] =
        "KQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQvK";
    for (size_t i = 0; i <= sizeof bad / sizeof bad[0]; i++) {
        const char *name = i < sizeof bad / sizeof bad[0] ? bad[i] : too_long;
        struct material material;
        error_set(0, "nothing yet");
        const int code = material_parse(&material, name, NULL);
        if (code != CLTB_E_USAGE)
            fail_msg("'%s' gives %d", name, code);
        assert_string_not_equal(error_text(), "nothing yet");
    }
}

TEST(test_guesses_and_files)
{
    static const char *const files[] = {"KQvKR.cltb", "./KQvKR.cltb", "/a.b/KQvKR.cltb"};
    static const char *const others[] = {
        "kqkr.cltb", "KQvKR", "KQvKR.cltb.work", ".cltb", "", "KQvKR.cltb/x", "KQQQQQQQQQQQQQQQQQQQQQQQQQQvK.cltb"};
    struct material material;
    FAILS(material_parse(&material, "KR-KQ", NULL), CLTB_E_USAGE, "did you mean KQvKR?");
    FAILS(material_parse(&material, "KQvsKR", NULL), CLTB_E_USAGE, "did you mean KQvKR?");
    FAILS(material_parse(&material, "KXvKQ", NULL), CLTB_E_USAGE, "did you mean KQvK?");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        assert_true(material_of_file(&material, files[i], ".cltb"));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(material_of_file(&material, others[i], ".cltb"));
}

TEST(test_material_of)
{
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

static int each(bool pawns, struct walk *walk, int men, int stop_at)
{
    *walk = (struct walk){.men = men, .pawns = pawns, .stop_at = stop_at};
    return pawns ? material_each(men, visit, walk) : material_each_pawnless(men, visit, walk);
}

// Without pawns there are p(n) = C(n + 3, 3) ways to choose n men of four types, and p(a) p(b) materials for a > b men,
// p(a) (p(a) + 1) / 2 for equal sides. With pawns the same with p(n) = C(n + 4, 4).
TEST(test_each_material)
{
    static const int counts[2][9] = {
        {0, 0, 0, 4, 10 + 10, 20 + 40, 35 + 80 + 55, 56 + 140 + 200, 84 + 224 + 350 + 210},
        {0, 0, 0, 5, 15 + 15, 35 + 75},
    };
    for (int pawns = 0; pawns <= 1; pawns++) {
        for (int men = 3; men <= 8 && counts[pawns][men] > 0; men++) {
            static struct walk walk;
            static struct walk other;
            assert_int_equal(each(pawns, &walk, men, 0), 0);
            assert_int_equal(walk.count, counts[pawns][men]);
            assert_int_equal(each(pawns, &other, men, 3), 77);
            assert_int_equal(other.count, 3);
            assert_memory_equal(other.seen, walk.seen, 3 * sizeof walk.seen[0]);
            // Those without pawns are all there.
            assert_int_equal(each(false, &other, men, 0), 0);
            for (int i = 0; i < other.count; i++) {
                bool found = false;
                for (int k = 0; k < walk.count; k++)
                    found |= material_equal(&walk.seen[k], &other.seen[i]);
                assert_true(found);
            }
        }
    }
}

// ---- the solver's index ----

// The sorted rows of so many digits below `values`.
static unsigned sorted_rows(int digits, unsigned values)
{
    if (digits == 0 || values == 0)
        return digits == 0 ? 1 : 0;
    return sorted_rows(digits - 1, values) + sorted_rows(digits, values - 1);
}

// The index put together digit by digit, for men whose black king stands in the triangle and whose groups are in order.
static uint64_t index_of_digits(const struct layout *layout, unsigned king, const uint8_t *code)
{
    uint64_t index = king;
    int first = 0;
    for (int g = 0; g < layout->groups; g++) {
        const int count = layout->group[g].count;
        unsigned number = 0;
        assert_int_equal(layout->group[g].first, first);
        for (int i = 0; i < count; i++) {
            assert_true(i == 0 || code[first + i - 1] >> 3 <= code[first + i] >> 3);
            number +=
                sorted_rows(i + 1, code[first + i] >> 3); // those whose digit i is lower, and higher ones the same
        }
        index = index * sorted_rows(count, 8) + number;
        first += count;
    }
    for (int i = first; i < layout->pieces; i++)
        index = index * 8 + (code[i] >> 3);
    for (int i = 0; i < layout->pieces; i++)
        index = index * 8 + (code[i] & 7);
    return index;
}

// An index to a placement and back. The digits of a blank are lost: the index with zeros comes back.
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
        check_round_trip(layout, random_u64() % bits);
}

static void check_index(const struct layout *layout)
{
    check_random_indices(layout, 20000);
    for (uint64_t index = 0; layout->pieces == 3 && index < layout_bits(layout); index++)
        check_round_trip(layout, index);
    for (int n = 0; n < 4 && layout->groups > 0 && layout->tile_lanes <= 32768; n++) {
        const uint64_t tile = random_u64() % layout->tiles;
        for (uint64_t lane = 0; lane < layout->tile_lanes; lane++)
            check_round_trip(layout, tile * layout->tile_lanes + lane);
    }
}

static void check_size(const struct layout *layout)
{
    // By pieces: all men but the black king, and a blank if these are two.
    static const uint64_t bits[LAYOUT_PIECES_MAX + 1] = {
        [3] = UINT64_C(2621440),      [4] = UINT64_C(167772160),      [5] = UINT64_C(10737418240),
        [6] = UINT64_C(687194767360), [7] = UINT64_C(43980465111040),
    };
    const int men = material_men(&layout->material);
    assert_int_equal(layout->pieces, men == 3 ? 3 : men - 1);
    uint64_t expected = bits[layout->pieces];
    for (int g = 0; g < layout->groups; g++)
        expected = (expected >> 3 * layout->group[g].count) * sorted_rows(layout->group[g].count, 8);
    assert_true(layout_bits(layout) == expected);
    assert_true(layout->tile_lanes == UINT64_C(1) << 3 * layout->pieces);
    assert_true(layout->tiles == layout_bits(layout) / layout->tile_lanes);
    assert_true(layout->king_stride * TRIANGLE_SQUARES == layout->tiles);
}

// Every man but the black king is there once; without groups White and Black take turns while both have some; the blank
// comes first.
static void check_order(const struct layout *layout)
{
    struct material found = {.metric = METRIC_DTZ};
    const int blanks = layout->type[0] == BLANK;
    int black = -1;
    found.count[BLACK][KING] = 1;
    assert_int_equal(blanks, material_men(&layout->material) == 3);
    for (int p = blanks; p < layout->pieces; p++) {
        assert_in_range(layout->type[p], KING, KNIGHT);
        found.count[layout->colour[p]][layout->type[p]]++;
    }
    assert_true(material_equal(&found, &layout->material));
    assert_int_equal(layout->type[layout->white_king], KING);
    assert_int_equal(layout->colour[layout->white_king], WHITE);
    for (int type = KING; type <= KNIGHT; type++)
        black += layout->material.count[BLACK][type];
    for (int p = 0; p < 2 * black && layout->groups == 0; p++)
        assert_int_equal(layout->colour[blanks + p], p % 2 == 0 ? WHITE : BLACK);
    for (int p = 0; p < layout->pieces; p++)
        assert_int_equal(layout_lane_shift(layout, p), 3 * (layout->pieces - 1 - p));
}

static void check_tile(const struct layout *layout, uint64_t tile)
{
    unsigned king = 99;
    uint8_t u[LAYOUT_PIECES_MAX] = {0};
    layout_digits(layout, tile, &king, u);
    assert_true(king < TRIANGLE_SQUARES);
    for (int i = 0; i < layout->pieces; i++)
        assert_true(u[i] < 8);
    unsigned orders = 1;
    for (int g = 0; g < layout->groups; g++) {
        const uint8_t *digit = u + layout->group[g].first;
        for (int i = 0, equal; i < layout->group[g].count; i++) {
            assert_true(i == 0 || digit[i - 1] <= digit[i]);
            for (equal = 1; i - equal >= 0 && digit[i - equal] == digit[i];)
                equal++;
            orders = orders * (unsigned)(i + 1) / (unsigned)equal;
        }
    }
    assert_int_equal(layout_orders(layout, u), orders);
    assert_int_equal(layout_tile_weight(layout, tile), square_on_diagonal(triangle_square[king]) ? orders : 2 * orders);
    if (layout_tile(layout, king, u) != tile)
        fail_msg("tile %llu comes back as %llu", (unsigned long long)tile,
                 (unsigned long long)layout_tile(layout, king, u));
    // One digit up is one stride on.
    for (int i = layout_grouped(layout); i < layout->pieces; i++) {
        if (u[i] == 7)
            continue;
        u[i]++;
        assert_true(layout_tile(layout, king, u) == tile + layout->stride[i]);
        u[i]--;
    }
    if (king + 1 < TRIANGLE_SQUARES)
        assert_true(layout_tile(layout, king + 1, u) == tile + layout->king_stride);
}

static void check_digits(const struct layout *layout)
{
    const bool all = layout->tiles < 50000;
    for (uint64_t n = 0; n < (all ? layout->tiles : 20000); n++)
        check_tile(layout, all ? n : random_u64() % layout->tiles);
    check_tile(layout, layout->tiles - 1);
}

static void sort_groups(const struct layout *layout, uint8_t *code)
{
    for (int g = 0; g < layout->groups; g++) {
        uint8_t *of_group = code + layout->group[g].first;
        for (int i = 1; i < layout->group[g].count; i++) {
            for (int j = i; j > 0 && of_group[j - 1] > of_group[j]; j--) {
                const uint8_t swap = of_group[j];
                of_group[j] = of_group[j - 1];
                of_group[j - 1] = swap;
            }
        }
    }
}

// Is this an index that the header allows for the placement? That is one of two mirror images for a king on the
// diagonal, and any order of a group's tied pieces.
static bool allowed_image(const struct layout *layout, int king, const uint8_t *squares, uint64_t index)
{
    const int seen_king = square_apply(symmetry_to_triangle(king), king);
    uint8_t stored[LAYOUT_PIECES_MAX] = {0};
    int stored_king;
    layout_placement(layout, index, &stored_king, stored);
    for (int i = 0; i < layout->pieces; i++)
        stored[i] = layout->type[i] == BLANK ? 0 : square_code[stored[i]];
    sort_groups(layout, stored);
    for (int image = 0; image < (square_on_diagonal(seen_king) ? 2 : 1); image++) {
        uint8_t code[LAYOUT_PIECES_MAX] = {0};
        for (int i = 0; i < layout->pieces; i++) {
            const int moved = square_apply(symmetry_to_triangle(king), squares[i]);
            code[i] = layout->type[i] == BLANK ? 0 : square_code[image == 1 ? symmetric_square(4, moved) : moved];
        }
        sort_groups(layout, code);
        if (stored_king == seen_king && memcmp(code, stored, sizeof code) == 0)
            return true;
    }
    return false;
}

static bool any_tied(const struct layout *layout, const uint8_t *squares)
{
    bool tied = false;
    for (int g = 0; g < layout->groups; g++) {
        const uint8_t *of_group = squares + layout->group[g].first;
        for (int i = 0; i < layout->group[g].count; i++) {
            for (int j = 0; j < i; j++)
                tied |= square_code[of_group[i]] >> 3 == square_code[of_group[j]] >> 3;
        }
    }
    return tied;
}

// All symmetries and, with each, another order of each group.
static void check_symmetric_images(const struct layout *layout)
{
    uint8_t squares[LAYOUT_PIECES_MAX] = {0};
    const int king = random_below(64);
    for (int i = 0; i < layout->pieces; i++)
        squares[i] = (uint8_t)random_below(64);
    uint64_t found[LIKE_MAX * SYMMETRIES];
    int count = 0;
    for (int g = 0; g < SYMMETRIES; g++) {
        for (int turn = 0; turn < (layout->groups > 0 ? layout->group[0].count : 1); turn++) {
            uint8_t moved[LAYOUT_PIECES_MAX] = {0};
            for (int i = 0; i < layout->pieces; i++)
                moved[i] = (uint8_t)symmetric_square(g, squares[i]);
            for (int group = 0; group < layout->groups; group++) {
                const struct like_pieces *like = &layout->group[group];
                for (int i = 0; i < like->count; i++)
                    moved[like->first + i] =
                        (uint8_t)symmetric_square(g, squares[like->first + (i + turn) % like->count]);
            }
            const uint64_t index = layout_index(layout, symmetric_square(g, king), moved);
            assert_true(index < layout_bits(layout));
            if (!allowed_image(layout, king, squares, index))
                fail_msg("symmetry %d gives an index that is no image of the placement", g);
            found[count++] = index;
        }
    }
    const int seen = square_apply(symmetry_to_triangle(king), king);
    for (int i = 1; i < count && !square_on_diagonal(seen) && !any_tied(layout, squares); i++)
        assert_true(found[i] == found[0]);
}

// ---- pairs of kings ----

TEST(test_king_pairs)
{
    unsigned seen[KING_PAIRS] = {0};
    for (int white = 0; white < SQUARES; white++) {
        for (int black = 0; black < SQUARES; black++) {
            int g = -1;
            if (abs(white % 8 - black % 8) <= 1 && abs(white / 8 - black / 8) <= 1)
                continue;
            const unsigned pair = pair_find(white, black, &g);
            assert_true(pair < KING_PAIRS);
            assert_int_equal(symmetric_square(g, white), pair_white[pair]);
            assert_int_equal(symmetric_square(g, black), triangle_square[pair_black(pair)]);
            for (int image = 0; image < SYMMETRIES; image++) {
                int other;
                assert_int_equal(pair_find(symmetric_square(image, white), symmetric_square(image, black), &other),
                                 pair);
            }
            seen[pair]++;
        }
    }
    for (unsigned pair = 0; pair < KING_PAIRS; pair++) {
        assert_int_equal(seen[pair], pair_on_diagonal(pair) ? 4 : 8);
        assert_int_equal(pair_number(pair_black(pair), pair_white[pair]), pair);
        assert_true(pair_squares[pair_black(pair)] >> pair_white[pair] & 1);
    }
}

// The kings' index of random placements, their mirror images, and the same in the shown form.
static void check_kings(const char *name)
{
    const struct material material = material_named(name);
    struct layout layout;
    struct layout shown;
    GOOD(layout_init(&layout, &material, LAYOUT_ALIKE | LAYOUT_KINGS));
    layout_init_shown(&shown, &layout);
    assert_true(layout.kings && !shown.kings);
    assert_int_equal(layout.tiles, KING_PAIRS * layout.king_stride);
    assert_int_equal(shown.tiles, 8 * TRIANGLE_SQUARES * layout.king_stride);
    for (int i = 0; i < 20000; i++) {
        const uint64_t index = random_u64() % layout_bits(&layout);
        const uint64_t tile = index / layout.tile_lanes;
        uint8_t square[LAYOUT_PIECES_MAX] = {0};
        uint8_t in_shown[LAYOUT_PIECES_MAX] = {0};
        uint8_t u[LAYOUT_PIECES_MAX];
        int king;
        unsigned pair;
        layout_digits(&layout, tile, &pair, u);
        layout_placement(&layout, index, &king, square);
        assert_false(squares_touch(square[layout.white_king], king));
        assert_true(layout_index(&layout, king, square) == index);
        in_shown[0] = square[layout.white_king];
        memcpy(in_shown + 1, square, (size_t)layout.pieces);
        const unsigned code = square_code[square[layout.white_king]];
        const uint64_t rest = tile % layout.king_stride;
        const uint64_t shown_tile = (8 * pair_black(pair) + code / 8) * layout.king_stride + rest;
        assert_true(layout_index(&shown, king, in_shown) ==
                    shown_tile * shown.tile_lanes + code % 8 * layout.tile_lanes + index % layout.tile_lanes);
        for (int g = 0; g < SYMMETRIES && !pair_on_diagonal(pair) && !any_tied(&layout, square); g++) {
            uint8_t moved[LAYOUT_PIECES_MAX];
            for (int man = 0; man < layout.black_king; man++)
                moved[man] = (uint8_t)symmetric_square(g, square[man]);
            assert_true(layout_index(&layout, symmetric_square(g, king), moved) == index);
        }
    }
    uint64_t placements = 0;
    for (uint64_t tile = 0; tile < layout.tiles && layout.pieces <= 4; tile++)
        placements += LAYOUT_WEIGHT * layout_tile_weight(&layout, tile) * layout.tile_lanes;
    if (layout.pieces <= 4)
        assert_true(placements == (uint64_t)3612 << 6 * layout.pieces);
}

TEST(test_kings)
{
    static const char *const names[] = {"KQRvKB",  "KBBvKN",   "KQQQvK",   "KBBvKNN",
                                        "KQQvKRB", "KQRBvKNN", "KQQQQQvK", "KQRBNvKQR"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_kings(names[i]);
    const struct material small = material_named("KQvKR"); // too few men
    struct layout layout;
    struct layout shown;
    GOOD(layout_init(&layout, &small, LAYOUT_KINGS));
    assert_false(layout.kings);
    layout_init_shown(&shown, &layout);
    assert_memory_equal(&shown, &layout, sizeof shown);
}

TEST(test_layouts)
{
    static const char letters[] = "KQRBN-kqrbn";
    static const struct {
        const char *name;
        char pair;         // that LAYOUT_PAIR makes; '-': there is none, as always below five men
        const char *alike; // the pieces that LAYOUT_ALIKE makes groups of
    } facts[] = {
        {"KQvK", '-', ""},
        {"KNvK", '-', ""},
        {"KvKR", '-', ""},
        {"KQvKR", '-', ""},
        {"KBBvK", '-', ""},
        {"KRRvK", '-', ""},
        {"KQRvKR", '-', ""},
        {"KQvKRB", '-', ""},
        {"KRRvKB", 'R', "RR"},
        {"KNNvKQ", 'N', "NN"},
        {"KBBBvK", 'B', "BBB"},
        {"KQRvKRB", '-', ""},
        {"KQRBvKN", '-', ""},
        {"KQRvKNN", 'n', "nn"},
        {"KQRBBvK", 'B', "BB"},
        {"KQRBvKRB", '-', ""},
        {"KQRBvKRR", 'r', "rr"},
        {"KBBNvKRR", 'B', "BBrr"},
        {"KQRBNvKQ", '-', ""},
        {"KQRBvKQRB", '-', ""},
        {"KQRBNvKRB", '-', ""},
        {"KQRBNvKQR", '-', ""},
        {"KQQQvKNNN", 'Q', "QQQnnn"},
        {"KBBBvKNNN", 'B', "BBBnnn"},
        {"KRRRRRRvK", 'R', "RRRRRR"},
        {"KBBvKNN", 'B', "BBnn"},
        {"KQQQQvK", 'Q', "QQQQ"},
        {"KQQQQQvK", 'Q', "QQQQQ"},
        {"KNNNvKBB", 'N', "NNNbb"},
        {"KRRNNvKBB", 'R', "RRNNbb"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        for (unsigned flags = 0; flags <= LAYOUT_ALIKE; flags++) {
            struct layout layout;
            const struct material material = material_named(facts[i].name);
            GOOD(layout_init(&layout, &material, flags));
            const char pair[] = {facts[i].pair, facts[i].pair, '\0'};
            const char *like = flags == LAYOUT_ALIKE ? facts[i].alike : flags == 0 || *pair == '-' ? "" : pair;
            assert_int_equal(layout_grouped(&layout), strlen(like));
            assert_int_equal(layout.pair, strlen(like) == 2);
            for (int p = 0; p < layout_grouped(&layout); p++)
                assert_int_equal(letters[6 * layout.colour[p] + layout.type[p]], like[p]);
            check_index(&layout);
            check_size(&layout);
            check_order(&layout);
            check_digits(&layout);
            for (int n = 0; n < 3000; n++)
                check_symmetric_images(&layout);
        }
    }
}

TEST(test_given_pieces)
{
    static const uint8_t type[] = {QUEEN, ROOK, KING, BISHOP};
    static const uint8_t colour[] = {WHITE, BLACK, WHITE, WHITE};
    struct layout layout;
    GOOD(layout_init_pieces(&layout, 4, type, colour));
    assert_int_equal(layout.pieces, 4);
    assert_memory_equal(layout.type, type, 4);
    assert_memory_equal(layout.colour, colour, 4);
    assert_int_equal(layout.white_king, 2);
    assert_int_equal(layout.groups, 0);
    assert_true(layout_bits(&layout) == 10 * UINT64_C(64) * 64 * 64 * 64);
    char name[MATERIAL_NAME_MAX];
    assert_string_equal(material_name(&layout.material, name), "KQBvKR");
    check_random_indices(&layout, 5000);

    // Identical pieces are no group here, and two pieces get a blank in front.
    static const uint8_t bishops[] = {BISHOP, BISHOP, KING, KNIGHT};
    static const uint8_t white[] = {WHITE, WHITE, WHITE, BLACK};
    GOOD(layout_init_pieces(&layout, 4, bishops, white));
    assert_int_equal(layout.groups, 0);
    GOOD(layout_init_pieces(&layout, 2, bishops + 2, white + 2));
    assert_int_equal(layout.pieces, 3);
    assert_memory_equal(layout.type, ((uint8_t[]){BLANK, KING, KNIGHT}), 3);
    assert_int_equal(layout.white_king, 1);
    check_random_indices(&layout, 5000);
}

TEST(test_refusals)
{
    struct layout layout;
    struct material bare = {.count = {{1}, {1}}};
    assert_int_equal(layout_init(&layout, &bare, 0), CLTB_E_USAGE);
    struct material nine = {.count = {{1, 7}, {1}}};
    assert_int_equal(layout_init(&layout, &nine, 0), CLTB_E_USAGE);
    const struct material pawns = material_named("KRPvKR");
    assert_int_equal(layout_init(&layout, &pawns, LAYOUT_PAIR), CLTB_E_USAGE);
}

TESTS(NULL, NULL)
