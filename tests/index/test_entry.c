// test_entry.c - the file's numbering of positions without pawns, against its written definition
//
// The file's index is compared with a direct reading of its three rules, and shown to be one-to-one between classes of
// symmetric placements and entries.
#include "index/index_reference.h"

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

static struct entry_order random_order(const struct material *material)
{
    return random_pawn_order(material, NULL);
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
            exchange_identical(&image);
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

// The squares as one number, identical pieces sorted: men_of() puts identical pieces next to each other.
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

// Places the men from number `next` on, identical pieces in rising order.
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
// files or ranks fixes no square, so no lone king.) On each diagonal the lone men stand on its 8 squares; identical
// pieces may also exchange places.
static void test_entries_are_one_to_one(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t classes;
    } facts[] = {
        {"KQvK", (UINT64_C(64) * 63 * 62 + 2 * 8 * 7 * 6) / 8},
        {"KQvKR", (UINT64_C(64) * 63 * 62 * 61 + 2 * 8 * 7 * 6 * 5) / 8},
        // Two identical pieces: both on the diagonal (6 * 5 / 2 ways), or mirror images of each other (28 ways).
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entry_is_the_same_for_all_images),
        cmocka_unit_test(test_entry_digit),
        cmocka_unit_test(test_entry_sizes),
        cmocka_unit_test(test_entries_are_one_to_one),
        cmocka_unit_test(test_entries_of_five_men_differ),
        cmocka_unit_test(test_entry_order_text),
        cmocka_unit_test(test_entry_order_text_round_trip),
        cmocka_unit_test(test_bad_entry_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
