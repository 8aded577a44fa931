// test_entry.c - the file's numbering of positions, against its definition
//
// The file's index is compared with a direct implementation of the rules in entry.h, without pawns and with pawns, and
// shown to be one-to-one between classes of symmetric placements and entries.
#include "support/support.h"

#include "index/entry.h"
#include "index/material.h"
#include "index/pawns.h"
#include "index/square.h"

// ---- men on squares ----

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
        for (int type = QUEEN; type <= PAWN; type++)
            for (int i = 0; i < material->count[colour][type]; i++)
                men.man[men.count++] = (struct man){.type = (uint8_t)type, .colour = (uint8_t)colour};
    }
    return men;
}

static void place_randomly(struct men *men)
{
    uint64_t occupied = 0;
    for (int i = 0; i < men->count; i++) {
        const bool pawn = men->man[i].type == PAWN;
        do
            men->man[i].square = (uint8_t)(pawn ? 8 + random_below(48) : random_below(64));
        while (occupied >> men->man[i].square & 1);
        occupied |= UINT64_C(1) << men->man[i].square;
    }
}

static uint64_t entry_of(const struct entry_order *order, const struct men *men, bool flip)
{
    static struct position position;
    GOOD(position_set(&position, men->man, men->count, random_below(2)));
    return entry_index(order, &position, flip);
}

static struct men symmetric_men(const struct men *men, int g)
{
    struct men moved = *men;
    for (int i = 0; i < men->count; i++)
        moved.man[i].square = (uint8_t)square_apply(g, men->man[i].square);
    return moved;
}

static void swap_men(struct man *a, struct man *b)
{
    const struct man man = *a;
    *a = *b;
    *b = man;
}

// ---- digits and orders, by their definition ----

static uint64_t binomial(unsigned n, unsigned k)
{
    uint64_t result = 1;
    if (k > n)
        return 0;
    for (unsigned i = 1; i <= k; i++)
        result = result * (n - k + i) / i;
    return result;
}

// The sum of C(s_i, i) over the squares, of which s_i is the i-th smallest.
static uint64_t reference_digit(const uint8_t *squares, unsigned count)
{
    uint64_t digit = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned place = 1;
        for (unsigned k = 0; k < count; k++)
            place += squares[k] < squares[i];
        digit += binomial(squares[i], place);
    }
    return digit;
}

static struct entry_order random_order(const struct material *material, const struct pawn_slices *slices)
{
    struct entry_order order;
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    entry_order_init(&order, material, slices, NULL);
    for (int i = 0; i < order.groups; i++) {
        const int other = random_below(i + 1);
        choice[i] = choice[other];
        choice[other] = (uint8_t)i;
    }
    entry_order_init(&order, material, slices, choice);
    return order;
}

// ---- entries, by the rules of entry.h ----

// The index of men in the file's image, whose first digit is `first`, by the definition of the digits.
static uint64_t index_of_image(const struct entry_order *order, uint64_t first, const struct men *men)
{
    uint64_t index = first;
    for (int g = 0; g < order->groups; g++) {
        uint8_t squares[MATERIAL_MEN_MAX] = {0};
        unsigned count = 0;
        for (int i = order->slices == NULL ? 1 : 0; i < men->count; i++)
            if (men->man[i].type == order->group[g].type && men->man[i].colour == order->group[g].colour)
                squares[count++] = men->man[i].square;
        assert_int_equal(count, order->group[g].count);
        index = index * binomial(64, count) + reference_digit(squares, count);
    }
    return index;
}

// The three rules of entry.h, read directly.
static uint64_t reference_pawnless_entry(const struct entry_order *order, const struct men *men)
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
        const uint64_t index = index_of_image(order, (uint64_t)square_triangle[black], &seen);
        entry = index < entry ? index : entry;
    }
    return entry;
}

// Do the pawns stand on these squares of each colour?
static bool pawns_on(const struct men *men, const uint64_t squares[COLOURS])
{
    uint64_t found[COLOURS] = {0, 0};
    for (int i = 0; i < men->count; i++)
        if (men->man[i].type == PAWN)
            found[men->man[i].colour] |= square_bit(men->man[i].square);
    return found[WHITE] == squares[WHITE] && found[BLACK] == squares[BLACK];
}

// The rules of entry.h for pawns, read directly. (test_pawns.c shows which of two mirror images is a slice.)
static uint64_t reference_pawn_entry(const struct entry_order *order, const struct men *men)
{
    const struct pawn_slices *slices = order->slices;
    const struct men mirrored = symmetric_men(men, 1);
    for (uint32_t slice = 0; slice < slices->slices; slice++) {
        uint64_t squares[COLOURS] = {0, 0};
        for (int i = 0; i < slices->pawns[WHITE] + slices->pawns[BLACK]; i++)
            squares[i < slices->pawns[WHITE] ? WHITE : BLACK] |= square_bit(slices->square[slice][i]);
        const bool keep = pawns_on(men, squares);
        const bool mirror = pawns_on(&mirrored, squares);
        if (keep || mirror)
            return index_of_image(order, slice, keep && (!mirror || men->man[1].square % 8 < 4) ? men : &mirrored);
    }
    fail_msg("no slice has these pawns");
    return 0;
}

static void check_entries(const char *name)
{
    const struct material material = material_named(name);
    struct pawn_slices *slices = slices_of(&material);
    struct men men = men_of(&material);
    const int last = men.count - 1;
    for (int n = 0; n < (slices == NULL ? 1500 : 400); n++) {
        const struct entry_order order = random_order(&material, slices);
        // Every fourth time both kings stand on the diagonal a1-h8, or where a symmetry puts it; or the last two men,
        // pawns of one colour perhaps, are mirror images of each other.
        bool special;
        do {
            place_randomly(&men);
            special = slices != NULL ? men.man[last].square == (men.man[last - 1].square ^ 7)
                                     : square_on_diagonal(men.man[0].square) && square_on_diagonal(men.man[1].square);
        } while (n % 4 == 0 && !special);
        const uint64_t expected =
            slices != NULL ? reference_pawn_entry(&order, &men) : reference_pawnless_entry(&order, &men);
        assert_true(expected < order.entries);
        for (int g = 0; g < (slices != NULL ? 2 : SYMMETRIES); g++) {
            // The men in any order of the list: identical pieces exchange their squares, too.
            struct men image = symmetric_men(&men, g);
            for (int i = image.count - 1; i > 1; i--)
                swap_men(&image.man[i], &image.man[2 + random_below(i - 1)]);
            const uint64_t entry = entry_of(&order, &image, false);
            if (entry != expected)
                fail_msg("%s, symmetry %d: entry %llu, should be %llu", name, g, (unsigned long long)entry,
                         (unsigned long long)expected);
            // With the colours flipped, pawns go the other way.
            image = symmetric_men(&image, slices != NULL ? 2 : 0);
            for (int i = 0; i < image.count; i++)
                image.man[i].colour ^= 1;
            assert_true(entry_of(&order, &image, true) == expected);
        }
    }
    pawn_slices_close(slices);
}

TEST(test_images)
{
    static const char *const names[] = {
        "KQvK",    "KRvKR",    "KRRvK",    "KQvKR",    "KBBvKN",    "KRRRvK",    "KQRvKR",    "KNNvKBB", "KQRvKRB",
        "KNNNvKN", "KBBBBBvK", "KQRBNvKQ", "KQQRRvKR", "KQRBNvKQR", "KBBBvKNNN", "KQQQQQQvK", "KPvK",    "KPvKP",
        "KQvKP",   "KPPvK",    "KRPvKR",   "KPPvKP",   "KRRvKP",    "KQvKPP",    "KPPPvK",    "KNPvKP",  "KPPvKBB"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_entries(names[i]);
}

TEST(test_digits)
{
    static uint8_t seen[635376];
    uint64_t count = 0;
    for (uint8_t a = 0; a < 64; a++) {
        assert_true(entry_digit(&a, 1) == a);
        for (uint8_t b = 0; b < a; b++) {
            const uint8_t two[] = {a, b};
            const uint8_t swapped[] = {b, a};
            assert_true(entry_digit(two, 2) == entry_digit(swapped, 2));
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

TEST(test_sizes)
{
    static const struct {
        const char *name;
        uint64_t per_slice;
        uint64_t slices_per_section;
        uint64_t sections;
    } facts[] = {
        {"KQvK", 4096, 1, 10},
        {"KRRvK", 64 * 2016, 1, 10},
        {"KQvKR", 64 * 64 * 64, 1, 10},
        {"KBBvKN", 64 * 2016 * 64, 1, 10},
        {"KRRRvK", 64 * 41664, 1, 10},
        {"KQRBvKQRB", UINT64_C(4398046511104), 1, 10},
        {"KPvK", 4096, 64, 1},
        {"KRRRRRRvK", UINT64_C(4798359552), 1, 10},
        {"KPvKP", 4096, 64, 18},
        {"KPPPvK", 4096, 64, 136},
        {"KRvKP", 262144, 1, 24},
        {"KRPvKR", 16777216, 1, 24},
        {"KPPvKR", 262144, 1, 576},
        {"KBBPvK", 4096 * 2016, 1, 24},
        {"KPPvKP", 4096, 64, 406},
        {"KPPPPPvK", 4096, 64, 13378},
        {"KRPPPPvKP", 262144, 1, 4280760},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct material material = material_named(facts[i].name);
        struct pawn_slices *slices = slices_of(&material);
        const struct entry_order order = random_order(&material, slices);
        assert_true(order.per_slice == facts[i].per_slice);
        assert_true(order.slices_per_section == facts[i].slices_per_section);
        assert_true(order.per_section == facts[i].per_slice * facts[i].slices_per_section);
        assert_true(order.sections == facts[i].sections);
        assert_true(order.entries == order.sections * order.per_section);
        pawn_slices_close(slices);
    }
}

// ---- one-to-one ----
//
// Without pawns every class of symmetric placements is visited once, by its smallest image, and must find an entry that
// no other class has. With pawns a class is a placement and its mirror image: no two classes share an entry if no entry
// has more than two placements. That all images of a class have the same entry is shown above.

struct walk {
    const struct entry_order *order;
    struct men men;
    uint8_t *seen; // [entries] classes, or placements, with this entry
    uint64_t count;
};

// The squares as one number, identical pieces sorted: men_of() puts identical pieces next to each other.
static uint64_t placement_number(struct men men)
{
    uint64_t number = 0;
    for (int i = 1; i < men.count; i++)
        for (struct man *man = &men.man[i]; man > men.man; man--)
            if (man->type == man[-1].type && man->colour == man[-1].colour && man->square < man[-1].square)
                swap_men(man, man - 1);
    for (int i = 0; i < men.count; i++)
        number = number * 64 + men.man[i].square;
    return number;
}

static void visit_placement(void *context)
{
    struct walk *walk = context;
    // Without pawns only the smallest image counts.
    const uint64_t number = placement_number(walk->men);
    for (int g = 1; walk->order->slices == NULL && g < SYMMETRIES; g++) {
        const struct men image = symmetric_men(&walk->men, g);
        if (image.man[0].square <= walk->men.man[0].square && placement_number(image) < number)
            return;
    }
    const uint64_t entry = entry_of(walk->order, &walk->men, false);
    assert_true(entry < walk->order->entries);
    walk->seen[entry]++;
    walk->count++;
}

enum { ANYWHERE = -1 };

// Classes by Burnside: placements fixed by the identity and by the two diagonal reflections, over 8. (A rotation or a
// mirror of files or ranks fixes no square, so no lone king.) On each diagonal the lone men stand on its 8 squares;
// identical pieces may also exchange places. For five men with given kings all placements of the others have different
// entries, but for mirror images if both kings stand on the diagonal.
TEST(test_one_to_one)
{
    static const struct {
        const char *name;
        uint64_t kings; // squares of the black king; with pawns mirror images among them
        int white;      // square of the white king, or ANYWHERE
        uint64_t count;
    } facts[] = {
        // The smallest image has the smallest king square of its orbit, which lies in the triangle.
        {"KQvK", 0x80c0e0f, ANYWHERE, (UINT64_C(64) * 63 * 62 + 2 * 8 * 7 * 6) / 8},
        {"KQvKR", 0x80c0e0f, ANYWHERE, (UINT64_C(64) * 63 * 62 * 61 + 2 * 8 * 7 * 6 * 5) / 8},
        // Two identical pieces: both on the diagonal (6 * 5 / 2 ways), or mirror images of each other (28 ways).
        {"KRRvK", 0x80c0e0f, ANYWHERE, (UINT64_C(64) * 63 * 62 * 61 / 2 + 2 * 8 * 7 * (15 + 28)) / 8},
        {"KBBvKN", UINT64_C(1) << 1, 40, UINT64_C(62) * 61 / 2 * 60},
        {"KRRRvK", UINT64_C(1) << 0, 20, UINT64_C(62) * 61 * 60 / 6},
        // Both kings on the diagonal: two images of each placement, but for those that are their own image.
        {"KRRRvK", UINT64_C(1) << 0, 63, (UINT64_C(62) * 61 * 60 / 6 + 20 + 6 * 28) / 2},
        {"KBBvKN", UINT64_C(1) << 9, 36, (UINT64_C(62) * 61 / 2 * 60 + UINT64_C(6) * 10 + 6 * 28) / 2},
        {"KPvK", UINT64_MAX, ANYWHERE, UINT64_C(48) * 63 * 62},
        {"KPPvK", UINT64_C(0xff00000000), ANYWHERE, UINT64_C(8) * (47 * 46 / 2 * 61)},
        {"KPvKP", UINT64_C(0x81), ANYWHERE, UINT64_C(2) * 48 * 47 * 61},
        {"KPvKN", UINT64_C(0x2400), ANYWHERE, UINT64_C(2) * 47 * 62 * 61},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct material material = material_named(facts[i].name);
        struct pawn_slices *slices = slices_of(&material);
        const struct entry_order order = random_order(&material, slices);
        struct walk walk = {.order = &order, .men = men_of(&material), .seen = calloc(order.entries, 1)};
        assert_non_null(walk.seen);
        for (int king = 0; king < 64; king++) {
            if (!(facts[i].kings >> king & 1))
                continue;
            walk.men.man[0].square = (uint8_t)king;
            walk.men.man[1].square = (uint8_t)facts[i].white;
            each_placement(walk.men.man, facts[i].white == ANYWHERE ? 1 : 2, walk.men.count, visit_placement, &walk);
        }
        assert_int_equal(walk.count, facts[i].count);
        for (uint64_t entry = 0; entry < order.entries; entry++) {
            if (walk.seen[entry] != 0 && walk.seen[entry] != (slices != NULL ? 2 : 1))
                fail_msg("%s: entry %llu has %d placements", facts[i].name, (unsigned long long)entry,
                         walk.seen[entry]);
            assert_true(walk.seen[entry] == 0 || slices == NULL || entry < slices->slices * order.per_slice);
        }
        free(walk.seen);
        pawn_slices_close(slices);
    }
}

// ---- seven and eight men: from an entry to its position and back ----

// Puts the men on the squares of an entry. False if no position has it: two men stand on one square, or another entry
// may stand for the position.
static bool place_entry(const struct entry_order *order, uint64_t entry, struct men *men)
{
    const struct pawn_slices *slices = order->slices;
    const uint64_t slice = entry / order->per_slice;
    uint64_t rest = entry % order->per_slice;
    uint64_t occupied = 0;
    uint8_t square[COLOURS][PIECE_TYPES][MATERIAL_MEN_MAX] = {{{0}}};
    int used[COLOURS][PIECE_TYPES] = {{0}};
    const uint8_t *pawn = slices == NULL ? NULL : slices->square[slice];
    for (int colour = WHITE; slices != NULL && colour <= BLACK; pawn += slices->pawns[colour], colour++)
        memcpy(square[colour][PAWN], pawn, (size_t)slices->pawns[colour]);
    if (slices == NULL)
        square[BLACK][KING][0] = triangle_square[slice];
    for (int g = 0; g < order->groups; g++) {
        const struct entry_group *group = &order->group[g];
        entry_digit_squares(rest / group->stride, group->count, square[group->colour][group->type]);
        rest %= group->stride;
    }
    for (int i = 0; i < men->count; i++) {
        struct man *man = &men->man[i];
        man->square = square[man->colour][man->type][used[man->colour][man->type]++];
        if (occupied >> man->square & 1)
            return false;
        occupied |= UINT64_C(1) << man->square;
    }
    if (slices == NULL && square_on_diagonal(men->man[0].square))
        return square_rank(men->man[1].square) < square_file(men->man[1].square);
    bool mirror;
    bool both = false;
    if (slices != NULL)
        pawn_slices_find(slices, slices->square[slice], &mirror, &both);
    return !both || square_file(men->man[1].square) < 4;
}

// The numbers of entries are those of docs/index.md, and the entries are too many for anything but a sample.
TEST(test_back)
{
    static const struct {
        const char *name;
        uint64_t entries; // without those after the last slice
    } facts[] = {
        {"KNNNNNvK", UINT64_C(10) * 64 * 7624512},
        {"KQQQvKQQ", UINT64_C(10) * 64 * 41664 * 2016},
        {"KQRBvKRN", UINT64_C(10) << 36},
        {"KQQQQQQvK", UINT64_C(10) * 64 * 74974368},
        {"KQRBNvKRN", UINT64_C(10) << 42},
        {"KRRRPvKB", UINT64_C(24) * 4096 * 41664 * 64},
        {"KQRRPvKP", UINT64_C(1128) * 4096 * 64 * 2016},
        {"KPPPPPvK", UINT64_C(856152) * 4096},
        {"KPPPPvKP", UINT64_C(4280760) * 4096},
        {"KRPPPPPvK", UINT64_C(856152) * 4096 * 64},
        {"KPPPPPPvK", UINT64_C(6136768) * 4096},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct material material = material_named(facts[i].name);
        if (sanitized() && material.count[WHITE][PAWN] > 3)
            continue;
        struct pawn_slices *slices = slices_of(&material);
        struct men men = men_of(&material);
        const uint64_t first = slices == NULL ? TRIANGLE_SQUARES : slices->slices;
        for (int n = 0, found = 0; found < 5000; n++) {
            const struct entry_order order = random_order(&material, slices);
            const uint64_t entry = n < 64 ? facts[i].entries - 1 - (uint64_t)n : random_u64() % facts[i].entries;
            assert_true(order.per_slice * first == facts[i].entries);
            if (!place_entry(&order, entry, &men))
                continue;
            found++;
            assert_true(entry_of(&order, &men, false) == entry);
        }
        pawn_slices_close(slices);
    }
}

// ---- texts ----

TEST(test_texts)
{
    static const struct {
        const char *name;
        const char *natural;
        uint8_t choice[ENTRY_GROUPS_MAX];
        const char *chosen;
    } facts[] = {
        {"KQvKR", "k K Q r", {2, 0, 1}, "k r K Q"},
        {"KRRvKNN", "k K RR nn", {0, 1, 2}, "k K RR nn"},
        {"KQRBNvKQR", "k K Q R B N q r", {0, 1, 2, 3, 4, 5, 6}, "k K Q R B N q r"},
        {"KRPvKR", "K R k r", {2, 3, 1, 0}, "k r R K"},
    };
    struct entry_order order;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        char text[ENTRY_TEXT_MAX];
        const struct material material = material_named(facts[i].name);
        struct pawn_slices *slices = slices_of(&material);
        entry_order_init(&order, &material, slices, NULL);
        entry_order_write(&order, text);
        assert_string_equal(text, facts[i].natural);
        entry_order_init(&order, &material, slices, facts[i].choice);
        entry_order_write(&order, text);
        assert_string_equal(text, facts[i].chosen);
        pawn_slices_close(slices);
        if (i == 0)
            assert_true(order.group[0].stride == 4096 && order.group[1].stride == 64 && order.group[2].stride == 1);
    }
}

static int visit_order(void *context, const struct material *material)
{
    const int pawns = material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
    for (int n = 0; pawns < 4 && n < (pawns == 0 ? 3 : 1); n++) {
        struct pawn_slices *slices = slices_of(material);
        const struct entry_order order = random_order(material, slices);
        struct entry_order again;
        char text[ENTRY_TEXT_MAX];
        char written[ENTRY_TEXT_MAX];
        memset(text, 'x', sizeof text);
        entry_order_write(&order, text);
        assert_non_null(memchr(text, '\0', sizeof text));
        GOOD(entry_order_read(&again, material, slices, text));
        assert_true(material_equal(&again.material, &order.material));
        entry_order_write(&again, written);
        assert_string_equal(written, text);
        assert_int_equal(again.groups, order.groups);
        assert_true(again.per_section == order.per_section && again.entries == order.entries);
        for (int i = 0; i < order.groups; i++)
            assert_true(again.group[i].size == order.group[i].size && again.group[i].stride == order.group[i].stride);
        pawn_slices_close(slices);
    }
    return 0;
}

TEST(test_round_trip)
{
    for (int men = 3; men <= 8; men++)
        assert_int_equal(material_each_pawnless(men, visit_order, NULL), 0);
    for (int men = 3; men <= 6; men++)
        assert_int_equal(material_each(men, visit_order, NULL), 0);
}

TEST(test_bad_texts)
{
    static const struct {
        const char *name;
        const char *bad[40];
    } facts[] = {
        {"KQvKR", {"",          "k",         "K Q r",     "K k Q r", "k K Q",    "k K r",      "k Q r",
                   "k K Q r r", "k K Q Q r", "k K Q r K", "k K Q q", "k K Q R",  "k K K r",    "k K Q r ",
                   "k  K Q r",  " k K Q r",  "k K QQ r",  "k KQ r",  "kKQr",     "k K Q r\n",  "k,K,Q,r",
                   "k K Q x",   "k K Q rr",  "k K Q r k", "k k Q r", "k K Q rk", "k K Q \xff", "kk K Q r",
                   "k K Q r x", "q K Q r",   "k K Q p",   "k Q q r", "k K Q r B"}},
        {"KQvKR", {"k K QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ r", "k Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q"}},
        {"KRRvKN", {"k K R R n", "k K R n", "k K RRR n", "k K R n R", "k K Rr n", "k K NN r", "k K n"}},
        {"KRPvKR",
         {"", "k", "K R k", "k K R r P", "K R k r P", "p K R k r", " K R k r", "K R k r ", "K R k rr", "KRkr",
          "K R k k", "K R  k r", "K R k r r", "P K R k r", "k K R k r", "K R k n"}},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const struct material material = material_named(facts[i].name);
        struct pawn_slices *slices = slices_of(&material);
        for (size_t n = 0; n < 40 && facts[i].bad[n] != NULL; n++) {
            struct entry_order order;
            if (entry_order_read(&order, &material, slices, facts[i].bad[n]) != CLTB_E_CORRUPT)
                fail_msg("%s: '%s' is accepted", facts[i].name, facts[i].bad[n]);
        }
        pawn_slices_close(slices);
    }
}

TESTS(NULL, NULL)
