// test_vacant.c - the entries that no legal position has, against all positions of an endgame, in several orders
#include "support/support.h"

#include "chess/position.h"
#include "index/vacant.h"

enum { MARK = 9 };

struct men {
    struct man man[MATERIAL_MEN_MAX];
    int count;
};

static struct men men_of(const struct material *material)
{
    struct men men = {.count = 0};
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = KING; type <= PAWN; type++) {
            for (int i = 0; i < material->count[colour][type]; i++)
                men.man[men.count++] = (struct man){.type = (uint8_t)type, .colour = (uint8_t)colour};
        }
    }
    return men;
}

// Notes the entries of all legal positions with the men from number `next` on anywhere.
static void note_positions(const struct entry_order *order, int side, struct men *men, int next, uint8_t *seen)
{
    if (next < men->count) {
        const bool pawn = men->man[next].type == PAWN;
        for (int square = pawn ? 8 : 0; square < (pawn ? 56 : 64); square++) {
            bool free = true;
            for (int i = 0; i < next; i++)
                free &= men->man[i].square != square;
            men->man[next].square = (uint8_t)square;
            if (free)
                note_positions(order, side, men, next + 1, seen);
        }
        return;
    }
    static struct position position;
    GOOD(position_set(&position, men->man, men->count, side));
    if (position_legal(&position))
        seen[entry_index(order, &position, false)] = 1;
}

// Marks all entries, some at a time, and checks that other bytes stay.
static void mark_all(const struct entry_order *order, int side, uint8_t *mark)
{
    for (uint64_t section = 0; section < order->sections; section++) {
        for (uint64_t first = 0, some; first < order->per_section; first += some) {
            some = 1 + (uint64_t)random_below(3000);
            some = some < order->per_section - first ? some : order->per_section - first;
            entry_mark_vacant(order, side, section, first, some, MARK, mark + section * order->per_section + first);
        }
    }
}

// Scans each section anew, and passes over some of the entries.
static void check_scan(const struct entry_order *order, int side, const uint8_t *mark)
{
    enum { MOST = 3000 };
    for (uint64_t section = 0; section < order->sections; section++) {
        struct vacant_scan scan;
        uint64_t first = (uint64_t)random_below((int)(order->per_section / 2));
        vacant_scan_begin(&scan, &(struct vacant_start){order, side, section, first});
        for (uint64_t some; first < order->per_section; first += some) {
            uint8_t found[MOST] = {0};
            some = 1 + (uint64_t)random_below(random_below(2) == 0 ? 100 : MOST);
            some = some < order->per_section - first ? some : order->per_section - first;
            if (random_below(2) == 0) {
                vacant_scan_next(&scan, some, 0, NULL);
                continue;
            }
            vacant_scan_next(&scan, some, MARK, found);
            assert_memory_equal(found, mark + section * order->per_section + first, some);
        }
    }
}

// The outermost group thinned: its entries are marked like those of the whole order.
static void check_thinned(const struct entry_order *order, int side, const uint8_t *mark)
{
    struct entry_order thin = *order;
    entry_order_thin(&thin, 0, UINT64_C(1) << 9 | UINT64_C(1) << 34 | UINT64_C(1) << 59);
    uint8_t *marks = calloc(thin.per_section, 1);
    assert_non_null(marks);
    for (uint64_t section = 0; section < order->sections; section++) {
        const uint8_t *whole = mark + section * order->per_section;
        memset(marks, 0, thin.per_section);
        entry_mark_vacant(&thin, side, section, 0, thin.per_section, MARK, marks);
        for (uint64_t entry = 0; entry < thin.per_section; entry++) {
            const uint64_t stride = thin.group[0].stride;
            const uint64_t digit = entry_whole_digit(&thin, 0, entry / stride % thin.group[0].size);
            assert_int_equal(marks[entry],
                             whole[entry / thin.per_slice * order->per_slice + digit * stride + entry % stride]);
        }
    }
    free(marks);
}

// No entry of a position may be marked. With pawns all others are; without pawns all but some of those with both kings
// on the diagonal.
static void check(const char *name)
{
    const struct material material = material_named(name);
    struct pawn_slices *slices = NULL;
    if (material_has_pawns(&material))
        GOOD(pawn_slices_open(&slices, material.count[WHITE][PAWN], material.count[BLACK][PAWN]));
    struct entry_order order;
    entry_order_init(&order, &material, slices, NULL);
    const int groups = order.groups;
    for (int innermost = 0; innermost < groups; innermost++) {
        uint8_t choice[ENTRY_GROUPS_MAX] = {0};
        for (int g = 0; g < groups; g++)
            choice[g] = (uint8_t)((innermost + 1 + g) % groups);
        entry_order_init(&order, &material, slices, choice);
        uint8_t *seen = calloc(order.entries, 1);
        uint8_t *mark = calloc(order.entries, 1);
        assert_non_null(seen);
        assert_non_null(mark);
        const int side = innermost % 2;
        struct men men = men_of(&material);
        note_positions(&order, side, &men, 0, seen);
        mark_all(&order, side, mark);
        check_scan(&order, side, mark);
        if (groups > 1)
            check_thinned(&order, side, mark);
        uint64_t missed = 0;
        for (uint64_t i = 0; i < order.entries; i++) {
            assert_true(mark[i] == (mark[i] != 0 ? MARK : 0));
            if (mark[i] != 0 && seen[i] != 0)
                fail_msg("%s: entry %llu is marked, but a position has it", name, (unsigned long long)i);
            missed += mark[i] == 0 && seen[i] == 0;
        }
        assert_true(slices != NULL ? missed == 0 : missed * 30 < order.entries);
        free(seen);
        free(mark);
    }
    pawn_slices_close(slices);
}

TEST(test_pieces)
{
    static const char *const names[] = {"KQvK", "KRvK", "KBvK", "KNvK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check(names[i]);
}

TEST(test_pawns)
{
    check("KPvK");
}

// ---- more men: any positions, and how many there are ----

// Of an endgame, how many entries of a section are marked, and random positions are not.
static void check_some(const char *name, int side)
{
    const struct material material = material_named(name);
    struct pawn_slices *slices = NULL;
    if (material_has_pawns(&material))
        GOOD(pawn_slices_open(&slices, material.count[WHITE][PAWN], material.count[BLACK][PAWN]));
    struct entry_order order;
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    entry_order_init(&order, &material, slices, NULL);
    for (int round = 0; round < 2000; round++) {
        const int shift = random_below(order.groups);
        for (int g = 0; g < order.groups; g++)
            choice[g] = (uint8_t)((shift + g) % order.groups);
        entry_order_init(&order, &material, slices, choice);
        static struct position position;
        struct men men = men_of(&material);
        do {
            uint64_t occupied = 0;
            for (int i = 0; i < men.count; i++) {
                const bool pawn = men.man[i].type == PAWN;
                do
                    men.man[i].square = (uint8_t)(pawn ? 8 + random_below(48) : random_below(64));
                while ((occupied >> men.man[i].square & 1) != 0);
                occupied |= UINT64_C(1) << men.man[i].square;
            }
            GOOD(position_set(&position, men.man, men.count, side));
        } while (!position_legal(&position));
        const uint64_t entry = entry_index(&order, &position, false);
        const uint64_t section = entry / order.per_section;
        const uint64_t first =
            entry % order.per_section - (uint64_t)random_below(1 + (int)(entry % order.per_section % 99));
        uint8_t mark[100] = {0};
        const size_t count = (size_t)(entry % order.per_section - first) + 1;
        entry_mark_vacant(&order, side, section, first, count, MARK, mark);
        assert_int_equal(mark[count - 1], 0);
    }
    pawn_slices_close(slices);
}

TEST(test_more_men)
{
    static const char *const names[] = {"KQRvKR", "KBBvKN", "KNNNvK",  "KRPvKR",
                                        "KPPvKP", "KBBPvK", "KQRBvKR", "KRRvKBB"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        check_some(names[i], WHITE);
        check_some(names[i], BLACK);
    }
}

// The entries that are not marked, each of which stands for two mirror images; with identical men, all of which the
// order has once.
static void check_count(const char *name, int side, uint64_t positions)
{
    const struct material material = material_named(name);
    struct pawn_slices *slices;
    struct entry_order order;
    uint64_t entries = 0;
    GOOD(pawn_slices_open(&slices, material.count[WHITE][PAWN], material.count[BLACK][PAWN]));
    entry_order_init(&order, &material, slices, NULL);
    uint8_t *mark = malloc(order.per_section);
    assert_non_null(mark);
    for (uint64_t section = 0; section < order.sections; section++) {
        memset(mark, 0, order.per_section);
        entry_mark_vacant(&order, side, section, 0, order.per_section, MARK, mark);
        for (uint64_t i = 0; i < order.per_section; i++)
            entries += mark[i] == 0;
    }
    assert_int_equal(2 * entries, positions);
    free(mark);
    pawn_slices_close(slices);
}

// As Syzygy's generator counts them.
TEST(test_counts)
{
    static const char *const names[] = {"KPvK", "KPPvK", "KPvKP", "KRvKP", "KRPvK", "KNvKP"};
    enum { NAMES = sizeof names / sizeof names[0] };
    uint64_t positions[NAMES][COLOURS] = {{0}};
    char path[TEST_PATH_MAX];
    char line[200];
    snprintf(path, sizeof path, "%s/histograms.tsv", getenv("CLTB_TEST_DATA"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char name[20];
        char side;
        const char *count = strrchr(line, '\t'); // a draw has no distance
        if (count == NULL || sscanf(line, "%19s %c", name, &side) != 2)
            continue;
        for (size_t i = 0; i < NAMES; i++)
            positions[i][side == 'w' ? WHITE : BLACK] += strcmp(name, names[i]) == 0 ? strtoull(count, NULL, 10) : 0;
    }
    fclose(file);
    for (size_t i = 0; i < NAMES; i++) {
        check_count(names[i], WHITE, positions[i][WHITE]);
        check_count(names[i], BLACK, positions[i][BLACK]);
    }
}

TESTS(NULL, NULL)
