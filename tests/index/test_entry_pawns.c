// test_entry_pawns.c - the file's numbering of positions with pawns, against its written definition
//
// As test_entry.c does it without pawns: a direct reading of the rules, and a count of the placements of each entry.
#include "index/index_reference.h"

#include "index/pawns.h"

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
            exchange_identical(&image);
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

// All placements of a material, identical pieces in one order: `kings` limits the black king's squares.
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
        cmocka_unit_test(test_pawn_entry_is_the_same_for_all_images),
        cmocka_unit_test(test_pawn_entries_are_one_to_one),
        cmocka_unit_test(test_pawn_entry_sizes),
        cmocka_unit_test(test_pawn_order_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
