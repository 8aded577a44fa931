// test_restricted_check.c - checks of restricted tables: valid tables pass, and every wrong value is found; entries
// stand for each position of the set exactly once
//
// Tables are built, read back, corrupted in one place and written again. The positions of a set are found
// independently: all ways to put the men on squares of their sets, as boards, each board once.
#include "restricted/support_restricted.h"

#include "restricted/check/verify.h"
#include "util/threads.h"

// Two identical rooks in a box, the black king in another one: nothing leaves.
#define BOXES "K[a1-b3] R[a1-d4] R[a1-d4] v K[d4-f8]"
// Symmetric in both diagonals; both kings may be anywhere.
#define QUEEN "K Q v K"

static struct restricted_table *open_table(const char *name)
{
    struct restricted_table *table;
    GOOD(restricted_table_open(&table, file_in_tables(name), 1 << 24));
    return table;
}

static int verify(const char *name, uint64_t sample, uint64_t *positions)
{
    const struct placed_verify_options options = {.sample = sample, .seed = 3, .pool = test_pool};
    struct restricted_table *table = open_table(name);
    struct restricted_bases *bases;
    GOOD(restricted_bases_open(&bases, &table->index.spec, tables_folder, true));
    const int code = restricted_verify(table, bases, &options, positions);
    restricted_bases_close(bases);
    restricted_table_close(table);
    return code;
}

static int setup(void **state)
{
    const struct spec queen = spec_of(QUEEN, "");
    const struct spec boxes = spec_of(BOXES, "white discard *\nblack discard *");
    folder_make(state);
    build_restricted(&queen, "queen.cltb");
    build_restricted(&boxes, "boxes.cltb");
    return pool_setup(state);
}

static int teardown(void **state)
{
    pool_teardown(state);
    return folder_remove(state);
}

// ---- valid tables ----

static uint64_t stored_positions(const char *name)
{
    struct restricted_table *table = open_table(name);
    uint64_t sum = 0;
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        sum += table->info.figures.positions[WHITE][i] + table->info.figures.positions[BLACK][i];
    restricted_table_close(table);
    return sum;
}

TEST(test_valid_tables)
{
    uint64_t positions;
    GOOD(verify("queen.cltb", 0, &positions));
    assert_int_equal(positions, stored_positions("queen.cltb"));
    GOOD(verify("boxes.cltb", 0, &positions));
    assert_int_equal(positions, stored_positions("boxes.cltb"));
    assert_true(positions > 10000);
    GOOD(verify("boxes.cltb", 1000, &positions));
    assert_int_equal(positions, 1000);
}

static uint64_t total(const struct outcome_counts *counts, int side, int outcome)
{
    uint64_t all = 0;
    for (int ply = 0; ply <= TABLE_PLY_MAX; ply++)
        all += counts->count[side][outcome + 2][ply];
    return all;
}

// Restricting nothing gives the full table: all of KQvK, as in tests/data/histograms-34.tsv.
TEST(test_counts)
{
    static struct outcome_counts counts;
    struct restricted_table *table = open_table("queen.cltb");
    GOOD(restricted_count(&counts, table, test_pool));
    restricted_table_close(table);
    assert_int_equal(total(&counts, WHITE, CLTB_WIN), 144508);
    assert_int_equal(total(&counts, BLACK, CLTB_LOSS), 200896);
    assert_int_equal(total(&counts, BLACK, CLTB_DRAW), 23048);
    assert_int_equal(counts.longest[WHITE][CLTB_WIN + 2].plies, 19);
    assert_int_equal(counts.longest[BLACK][CLTB_LOSS + 2].plies, 20);
    assert_int_equal(counts.longest[BLACK][CLTB_WIN + 2].plies, -1);
}

// ---- wrong ones ----

// One entry's other value.
struct corruption {
    uint64_t entry;
    int side;
    uint16_t value;
};

static struct restricted_table *copied_table;
static const struct corruption *copied_corruption; // NULL: none

static uint16_t copied_value(uint32_t slice, int side, uint64_t entry)
{
    const struct corruption *c = copied_corruption;
    const struct restricted_index *index = &copied_table->index;
    static struct position p;
    uint16_t value;
    GOOD(restricted_table_entry(copied_table, slice, side, entry, &value));
    if (!restricted_position(index, slice, entry, side, &p))
        value = RESTRICTED_ILLEGAL;
    if (c == NULL || c->side != side || c->entry != entry)
        return value;
    assert_int_not_equal(value, c->value);
    assert_int_not_equal(value, RESTRICTED_ILLEGAL);
    return c->value;
}

// Writes a copy of a table of one slice.
static void copy_corrupted(const char *from, const char *to, const struct corruption *corruption)
{
    copied_table = open_table(from);
    copied_corruption = corruption;
    assert_int_equal(copied_table->index.slices, 1);
    write_formula(file_in_tables(to), &copied_table->index.spec, copied_value, test_pool);
    restricted_table_close(copied_table);
}

TEST(test_copies_are_valid)
{
    uint64_t positions;
    copy_corrupted("boxes.cltb", "copy.cltb", NULL);
    GOOD(verify("copy.cltb", 0, &positions));
    copy_corrupted("queen.cltb", "copy.cltb", NULL);
    GOOD(verify("copy.cltb", 0, &positions));
}

static uint64_t entry_of(struct restricted_table *table, const char *fen, uint16_t *value)
{
    static struct position p;
    uint32_t slice;
    uint64_t entry;
    GOOD(fen_read(&p, fen));
    assert_true(restricted_find(&table->index, &p, &slice, &entry));
    GOOD(restricted_table_value(table, &p, value));
    return entry;
}

static void check_corrupted(const char *from, struct corruption corruption)
{
    uint64_t positions;
    copy_corrupted(from, "corrupted.cltb", &corruption);
    FAILS(verify("corrupted.cltb", 0, &positions), CLTB_E_MISMATCH, "the table says");
}

// Each part of the value of a few positions, for both sides.
TEST(test_wrong_values)
{
    static const char *const fens[] = {"8/8/8/8/8/2k5/8/K5Q1 w - - 0 1", "7k/8/8/8/8/8/5K2/3Q4 b - - 0 1",
                                       "8/8/8/3k4/8/8/1Q6/K7 b - - 0 1", "k7/8/1QK5/8/8/8/8/8 w - - 0 1",
                                       "k7/8/1QK5/8/8/8/8/8 b - - 0 1" /* stalemate */};
    for (size_t i = 0; i < sizeof fens / sizeof fens[0]; i++) {
        struct restricted_table *table = open_table("queen.cltb");
        struct corruption corruption = {.side = strstr(fens[i], " w ") != NULL ? WHITE : BLACK};
        uint16_t right;
        corruption.entry = entry_of(table, fens[i], &right);
        restricted_table_close(table);
        assert_true(i != 4 || right == RESTRICTED_OPEN);
        const uint16_t wrong[] = {right == 0 ? (uint16_t)2 : RESTRICTED_OPEN,
                                  right == 0 ? (uint16_t)3 : (uint16_t)(right ^ 1), (uint16_t)(right + 4),
                                  value_code(right & 1, 150)};
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            corruption.value = wrong[k];
            check_corrupted("queen.cltb", corruption);
        }
    }
}

// One of two entries for the same position, with identical rooks exchanged, is wrong: the one that probes use, or the
// other one.
TEST(test_wrong_duplicates)
{
    struct restricted_table *table = open_table("boxes.cltb");
    const struct restricted_index *index = &table->index;
    uint8_t where[SPEC_MEN_MAX];
    uint16_t value;
    uint32_t slice;
    uint64_t other;
    const uint64_t entry = entry_of(table, "5k2/8/8/8/3R4/2R5/8/K7 w - - 0 1", &value);
    assert_true(restricted_squares(index, 0, entry, where));
    assert_true(index->spec.man[2].type == ROOK && index->spec.man[3].type == ROOK);
    const uint8_t square = where[2];
    where[2] = where[3];
    where[3] = square;
    assert_true(restricted_place(index, where, &slice, &other));
    assert_int_not_equal(other, entry);
    restricted_table_close(table);
    const uint16_t wrong = value == RESTRICTED_OPEN ? value_code(true, 7) : RESTRICTED_OPEN;
    check_corrupted("boxes.cltb", (struct corruption){entry, WHITE, wrong});
    check_corrupted("boxes.cltb", (struct corruption){other, WHITE, wrong});
}

static uint16_t draw(uint32_t slice, int side, uint64_t entry)
{
    return RESTRICTED_OPEN;
}

// A sample of a table that is wrong everywhere: in a table of draws, checkmates and mates in one suffice to find it.
TEST(test_sample_finds)
{
    const struct spec spec = spec_of(QUEEN, "");
    uint64_t positions;
    write_formula(file_in_tables("draws.cltb"), &spec, draw, test_pool);
    FAILS(verify("draws.cltb", 5000, &positions), CLTB_E_MISMATCH, "the table says draw");
}

// ---- positions of the set ----

// Boards as numbers: the men in the order of the spec, 6 bits each, those of one colour and type by rising square.
struct boards {
    uint64_t *key;
    size_t count;
    size_t room;
};

static void add(struct boards *boards, uint64_t key)
{
    if (boards->count == boards->room) {
        boards->room = boards->room == 0 ? 1024 : 2 * boards->room;
        boards->key = realloc(boards->key, boards->room * sizeof *boards->key);
        assert_non_null(boards->key);
    }
    boards->key[boards->count++] = key;
}

static uint64_t key_of(const struct spec *spec, const uint8_t *where)
{
    uint8_t sorted[SPEC_MEN_MAX];
    uint64_t key = 0;
    memcpy(sorted, where, sizeof sorted);
    for (int i = 0; i < spec->men; i++) {
        const struct spec_man *man = &spec->man[i];
        for (int j = i + 1; j < spec->men; j++) {
            const uint8_t square = sorted[i];
            if (man->colour != spec->man[j].colour || man->type != spec->man[j].type || square <= sorted[j])
                continue;
            sorted[i] = sorted[j];
            sorted[j] = square;
        }
        key = key << 6 | sorted[i];
    }
    return key;
}

// Every way to place the men from number `i` on. As deep as there are men.
static void place(const struct spec *spec, int i, uint64_t occupied, uint8_t *where, struct boards *boards)
{
    if (i == spec->men) {
        add(boards, key_of(spec, where));
        return;
    }
    for (uint64_t left = spec->man[i].squares & ~occupied; left != 0; left &= left - 1) {
        where[i] = (uint8_t)__builtin_ctzll(left);
        place(spec, i + 1, occupied | square_bit(where[i]), where, boards);
    }
}

// Adds the boards that an entry stands for. Returns whether its weight is their number.
static bool add_images(struct boards *boards, const struct restricted_index *index, const uint8_t *where)
{
    const unsigned weight = restricted_weight(index, where);
    struct boards images = {0};
    for (int g = 0; weight > 0 && g < index->symmetries; g++) {
        uint8_t image[SPEC_MEN_MAX];
        restricted_mirror(index, g, where, image);
        add(&images, key_of(&index->spec, image));
    }
    images.count = sort_once(images.key, images.count);
    const bool right = images.count == weight;
    for (size_t i = 0; i < images.count; i++)
        add(boards, images.key[i]);
    free(images.key);
    return right;
}

TEST(test_each_position_once)
{
    static const char *const names[] = {
        "K Q v K",                                          // eight symmetries
        "K N[c3,f3,c6,f6] N[c3,f3,c6,f6] v K[d4,d5,e4,e5]", // the same, and identical pieces
        "K[a-d] Q[1-2] v K",                                // none
        "K[a1,h1] Q[a-d] Q[e-h] v K[a8,h8]",                // men that change places
        "K[a1] R[a-d] R[b-e] v K[e8,d8]",                   // sets that overlap
        "K[h1] R[a1-b2] R[b1-c2] R[a2-c3] v K[h8]",         // three that can go round
        "K[h1] R[a1-c2] R[a1-c2] R[b1-c3] B[a-h] v K[h8]",
        "K[a1,h8] R[a1-h8] v K[a8,h1] R", // mirrored at the diagonals
        "K P v K",                        // pawns
        "K P[a4,h4] P[a4,h4] v K[8]",     // that are their own mirror image
        "K[1] P[a-d] v K[8] P[c5+,f5+]",
        "K[e1] P[a4+] P[a2-b4] P[a3-c3] v K[e8]"};
    for (size_t name = 0; name < sizeof names / sizeof names[0]; name++) {
        struct restricted_index index = index_of(names[name]);
        struct boards all = {0};
        uint8_t where[SPEC_MEN_MAX];
        place(&index.spec, 0, 0, where, &all);
        all.count = sort_once(all.key, all.count);
        struct boards seen = {0};
        uint64_t wrong = 0; // weights that are not the number of images
        for (uint64_t i = 0; i < index.slices * index.slice_entries; i++)
            if (restricted_squares(&index, (uint32_t)(i / index.slice_entries), i % index.slice_entries, where))
                wrong += !add_images(&seen, &index, where);
        const size_t counted = seen.count;
        seen.count = sort_once(seen.key, seen.count);
        assert_true(all.count > 0 && counted > 0);
        if (wrong > 0 || counted != all.count || seen.count != all.count ||
            memcmp(seen.key, all.key, all.count * sizeof *all.key) != 0)
            fail_msg("%s: %zu boards, %zu counted, %zu different ones, %llu weights wrong", names[name], all.count,
                     counted, seen.count, (unsigned long long)wrong);
        free(all.key);
        free(seen.key);
        restricted_index_close(&index);
    }
}

TEST(test_exchange)
{
    struct restricted_index index = index_of("K[e1] R[a-c] R[b-d] v K[e8] R");
    const int left = 2; // of White's rooks the one that may stand on a1
    const int right = 3;
    uint8_t where[SPEC_MEN_MAX] = {[2] = 1, [3] = 2}; // b1, c1
    assert_true((index.spec.man[left].squares & 1) != 0 && index.spec.man[right].colour == WHITE);
    assert_true(restricted_exchange(&index, left, right, where));
    assert_int_equal(where[left], 2);
    assert_int_equal(where[right], 1);
    where[right] = 3; // the other one may not stand on d1
    assert_false(restricted_exchange(&index, left, right, where));
    assert_int_equal(where[right], 3);
    assert_false(restricted_exchange(&index, 0, 1, where)); // kings
    restricted_index_close(&index);
}

TESTS(setup, teardown)
