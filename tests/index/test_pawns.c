// test_pawns.c - pawn placements as slices, against their definition
//
// Numbers are compared with the printed table of pawns.h. Slices must be in falling order, each the greater one of its
// mirror images, and as many as combinatorics says: so they are all. All placements of up to three pawns, and random
// ones of more, must be found, by every order of their pawns, in the slice of this placement or its mirror image.
#include "support/support.h"

#include "index/pawns.h"

// By the definition: the rank from its own side and the file's code, two octal digits.
static int number_of(int colour, int square)
{
    static const int file[] = {7, 6, 5, 4, 0, 1, 2, 3};
    return 8 * (colour == WHITE ? square / 8 - 1 : 6 - square / 8) + file[square % 8];
}

TEST(test_numbers)
{
    static const struct {
        const char *square;
        int colour;
        int number;
    } facts[] = {
        {"a2", WHITE, 007}, {"e2", WHITE, 000}, {"h2", WHITE, 003}, {"d2", WHITE, 004}, {"a7", WHITE, 057},
        {"g5", WHITE, 032}, {"a7", BLACK, 007}, {"e7", BLACK, 000}, {"b2", BLACK, 056}, {"h4", BLACK, 033},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const int square = 8 * (facts[i].square[1] - '1') + facts[i].square[0] - 'a';
        assert_int_equal(pawn_number(facts[i].colour, square), facts[i].number);
    }
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int square = 8; square < 56; square++) {
            const int number = pawn_number(colour, square);
            assert_int_equal(number, number_of(colour, square));
            assert_int_equal(pawn_square(colour, number), square);
            assert_int_equal(pawn_number(colour, square ^ 7), number ^ 4);
            assert_int_equal(pawn_number(colour ^ 1, square ^ 56), number);
            // Pushes and captures alike raise it.
            const int to = square + (colour == WHITE ? 8 : -8);
            for (int side = -1; side <= 1 && to >= 8 && to < 56; side++)
                if (square % 8 + side >= 0 && square % 8 + side < 8)
                    assert_true(pawn_number(colour, to + side) > number);
        }
    }
}

struct walk {
    const struct pawn_slices *slices;
    int pawns[COLOURS];
    int count;
    struct man man[PAWNS_MAX];
    uint8_t *seen; // [slices]; NULL: not counted
    uint64_t placements;
    uint64_t own_images;
};

static int compare_numbers(const void *a, const void *b)
{
    return *(const uint8_t *)b - *(const uint8_t *)a;
}

// The numbers of a placement in the order of a slice; its file mirror's with `mirror` = 7.
static void numbers_of(const struct walk *walk, const uint8_t *squares, int mirror, uint8_t numbers[PAWNS_MAX])
{
    memset(numbers, 0, PAWNS_MAX);
    for (int i = 0; i < walk->count; i++)
        numbers[i] = (uint8_t)number_of(i < walk->pawns[WHITE] ? WHITE : BLACK, squares[i] ^ mirror);
    qsort(numbers, (size_t)walk->pawns[WHITE], 1, compare_numbers);
    qsort(numbers + walk->pawns[WHITE], (size_t)walk->pawns[BLACK], 1, compare_numbers);
}

// Looks the pawns up with those of each colour turned round by some places.
static void check_find(const struct walk *walk, int mirror, int turn, uint32_t slice, bool mirrored, bool both)
{
    uint8_t squares[PAWNS_MAX];
    bool seen_mirror;
    bool seen_both;
    for (int i = 0; i < walk->count; i++) {
        const int first = i < walk->pawns[WHITE] ? 0 : walk->pawns[WHITE];
        const int like = first == 0 && walk->pawns[WHITE] > 0 ? walk->pawns[WHITE] : walk->pawns[BLACK];
        squares[i] = walk->man[first + (i - first + turn) % like].square ^ (uint8_t)mirror;
    }
    assert_int_equal(pawn_slices_find(walk->slices, squares, &seen_mirror, &seen_both), slice);
    assert_int_equal(seen_mirror, mirrored);
    assert_int_equal(seen_both, both);
}

static void check_placement(void *context)
{
    struct walk *walk = context;
    uint8_t squares[PAWNS_MAX];
    uint8_t numbers[PAWNS_MAX];
    uint8_t mirrored[PAWNS_MAX];
    for (int i = 0; i < walk->count; i++)
        squares[i] = walk->man[i].square;
    numbers_of(walk, squares, 0, numbers);
    numbers_of(walk, squares, 7, mirrored);
    const int order = memcmp(numbers, mirrored, PAWNS_MAX);
    bool mirror;
    bool both;
    const uint32_t slice = pawn_slices_find(walk->slices, squares, &mirror, &both);
    assert_true(slice < walk->slices->slices);
    const uint8_t *kept = order < 0 ? mirrored : numbers;
    for (int i = 0; i < walk->count; i++) {
        const int colour = i < walk->pawns[WHITE] ? WHITE : BLACK;
        assert_int_equal(number_of(colour, walk->slices->square[slice][i]), kept[i]);
    }
    for (int turn = 0; turn < 3; turn++) {
        check_find(walk, 0, turn, slice, order < 0, order == 0);
        check_find(walk, 7, turn, slice, order > 0, order == 0);
    }
    if (walk->seen == NULL)
        return;
    walk->seen[slice]++;
    walk->placements++;
    walk->own_images += order == 0;
}

// All placements: one in a slice if it is its own mirror image, else two.
static void check_placements(struct walk *walk)
{
    const struct pawn_slices *slices = walk->slices;
    uint64_t once = 0;
    walk->seen = calloc(slices->slices, 1);
    assert_non_null(walk->seen);
    each_placement(walk->man, 0, walk->count, check_placement, walk);
    assert_int_equal(slices->slices, (walk->placements + walk->own_images) / 2);
    for (uint32_t slice = 0; slice < slices->slices; slice++) {
        assert_true(walk->seen[slice] == 1 || walk->seen[slice] == 2);
        once += walk->seen[slice] == 1;
    }
    assert_int_equal(once, walk->own_images);
    free(walk->seen);
}

static void check_random_placements(struct walk *walk)
{
    walk->seen = NULL;
    for (int n = 0; n < 20000; n++) {
        uint64_t occupied = 0;
        for (int i = 0; i < walk->count; i++) {
            // The second pawn often stands on the mirror image of the first one, so that later pawns decide.
            do
                walk->man[i].square = (uint8_t)(i == 1 && n % 2 != 0 ? walk->man[0].square ^ 7 : 8 + random_below(48));
            while (occupied >> walk->man[i].square & 1);
            occupied |= UINT64_C(1) << walk->man[i].square;
        }
        check_placement(walk);
    }
}

static void check_order(const struct walk *walk)
{
    const struct pawn_slices *slices = walk->slices;
    uint8_t before[PAWNS_MAX];
    for (uint32_t slice = 0; slice < slices->slices; slice++) {
        uint8_t numbers[PAWNS_MAX];
        uint8_t mirrored[PAWNS_MAX];
        int advance = 0;
        bool mirror;
        bool both;
        numbers_of(walk, slices->square[slice], 0, numbers);
        numbers_of(walk, slices->square[slice], 7, mirrored);
        assert_true(slice == 0 || memcmp(numbers, before, PAWNS_MAX) < 0);
        assert_true(memcmp(numbers, mirrored, PAWNS_MAX) >= 0);
        assert_true(pawn_slices_find(slices, slices->square[slice], &mirror, &both) == slice && !mirror);
        assert_true(slices->square[slice][0] % 8 < 4);
        for (int i = 0; i < walk->count; i++)
            advance += numbers[i] / 8;
        assert_int_equal(slices->advance[slice], advance);
        memcpy(before, numbers, sizeof before);
    }
}

// A step leads to a slice of a smaller number.
static void check_steps(const struct walk *walk)
{
    const struct pawn_slices *slices = walk->slices;
    for (uint32_t slice = 0; slice < slices->slices; slice++) {
        for (int i = 0; i < walk->count; i++) {
            uint8_t squares[PAWNS_MAX];
            bool mirror;
            bool both;
            memcpy(squares, slices->square[slice], sizeof squares);
            squares[i] = (uint8_t)(squares[i] + (i < walk->pawns[WHITE] ? 8 : -8));
            bool possible = squares[i] >= 8 && squares[i] < 56;
            for (int other = 0; other < walk->count; other++)
                possible &= other == i || squares[other] != squares[i];
            if (!possible)
                continue;
            const uint32_t to = pawn_slices_find(slices, squares, &mirror, &both);
            assert_true(to < slice);
            assert_int_equal(slices->advance[to], slices->advance[slice] + 1);
        }
    }
}

TEST(test_slices)
{
    static const struct {
        int pawns[COLOURS];
        uint32_t slices;
    } facts[] = {
        // Half of the placements, and half of those that are their own mirror image.
        {{1, 0}, 24},
        {{0, 1}, 24},
        {{1, 1}, 48 * 47 / 2},
        {{2, 0}, (48 * 47 / 2 + 24) / 2},
        {{2, 1}, 48 * 47 / 2 * 46 / 2},
        {{1, 2}, 48 * 47 / 2 * 46 / 2},
        {{3, 0}, 48 * 47 / 2 * 46 / 3 / 2},
        {{4, 0}, (48 * 47 / 2 * 46 / 3 * 45 / 4 + 24 * 23 / 2) / 2},
        {{2, 2}, (48 * 47 / 2 * 46 * 45 / 2 + 24 * 23) / 2},
        {{0, 5}, 48 * 47 / 2 * 46 / 3 * 45 / 4 * 44 / 5 / 2},
        {{4, 1}, 48 * 47 / 2 * 46 / 3 * 45 / 4 * 44 / 2},
        {{6, 0}, (48 * 47 / 2 * 46 / 3 * 45 / 4 * 44 / 5 * 43 / 6 + 24 * 23 / 2 * 22 / 3) / 2},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        if (sanitized() && facts[i].slices > 1000000)
            continue;
        const int *pawns = facts[i].pawns;
        struct pawn_slices *slices;
        GOOD(pawn_slices_open(&slices, pawns[WHITE], pawns[BLACK]));
        assert_int_equal(slices->slices, facts[i].slices);
        struct walk walk = {
            .slices = slices, .pawns = {pawns[WHITE], pawns[BLACK]}, .count = pawns[WHITE] + pawns[BLACK]};
        for (int pawn = 0; pawn < walk.count; pawn++)
            walk.man[pawn] = (struct man){PAWN, pawn < pawns[WHITE] ? WHITE : BLACK, 0};
        check_order(&walk);
        if (walk.count < 4)
            check_placements(&walk);
        else
            check_random_placements(&walk);
        check_steps(&walk);
        pawn_slices_close(slices);
    }
}

TEST(test_refusals)
{
    static const int bad[][2] = {{0, 0}, {7, 0}, {0, 7}, {3, 4}, {-1, 2}, {2, -1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct pawn_slices *slices;
        assert_int_equal(pawn_slices_open(&slices, bad[i][0], bad[i][1]), CLTB_E_USAGE);
        assert_null(slices);
    }
    pawn_slices_close(NULL);
}

TESTS(NULL, NULL)
