// test_stored_slabs.c - slabs from table files, compared with the results of table_outcome() for each placement
//
// The tables are made up: their stored outcomes are a hash of the entry, so that a wrong entry shows (four times out of
// five, at each of thousands of placements). In large tables with pawns only some sections are filled, including those
// with pawns that are their own mirror image.
#include "support/corrupt.h"

#include "futurebase/stored_slabs.h"
#include "index/entry.h"
#include "table/block_cache.h"
#include "table/container.h"
#include "table/table.h"
#include "util/error.h"

enum {
    BLOCK = 1 << 12, // so that a slab without pawns needs some of a section only
    TEXT_SPACE = 1024,
    SMALL_TABLE = 1 << 23, // entries of a table with pawns that is filled everywhere
    RICH_STEP = 32,        // sections of a larger one
    RICH_FIRST = 9,
    SLABS = 6,           // of a call
    SAMPLE = 1500,       // placements of a slab that are compared,
    ALL_PLACEMENTS = 12, // or all of them if the index has so few bits
    CODE_BITS = 7,       // of the distances to mate
    LONGEST = 253,
    PLANES = 4 + CODE_BITS
};

static char folder[TEST_PATH_MAX];

static bool is_rich(const struct entry_order *order, uint64_t section)
{
    if (order->slices == NULL || order->entries <= SMALL_TABLE || section % RICH_STEP == RICH_FIRST)
        return true;
    for (uint64_t i = 0; i < order->slices_per_section; i++) {
        const uint64_t slice = section * order->slices_per_section + i;
        bool mirror;
        bool both = false;
        if (slice < order->slices->slices)
            pawn_slices_find(order->slices, order->slices->square[slice], &mirror, &both);
        if (both)
            return true;
    }
    return false;
}

static uint64_t random_of(int stream, uint64_t section, uint64_t entry)
{
    return mix(((uint64_t)stream << 50) + (section << 35) + entry);
}

// Symbols are 0, step, 2 * step, ... `last`, or all of them are 2. `told`: a stream of outcomes with the step 2 in the
// same order, which these distances tell; or -1.
static void fill_section(struct container_writer *writer, const struct container_stream *shape, int stream,
                         uint64_t section, unsigned last, unsigned step, bool rich, int told)
{
    uint8_t *symbols = malloc(shape->section_symbols);
    assert_non_null(symbols);
    for (uint64_t i = 0; i < shape->section_symbols; i++) {
        symbols[i] = (uint8_t)(rich ? random_of(stream, section, i) % (last / step + 1) * step : 2);
        if (told >= 0 && rich) {
            const uint64_t outcome = random_of(told, section, i) % ((TABLE_OUTCOMES + 1) / 2); // loss, draw or win
            symbols[i] = (uint8_t)(outcome == 1 ? UINT8_MAX : symbols[i] / 2 * 2 + outcome / 2);
        }
    }
    GOOD(container_add_symbols(writer, stream, section, symbols, 3, NULL));
    free(symbols);
}

// The groups from last to first for White, the first one moved behind the others for Black.
static void make_order(struct entry_order *order, const struct material *material, const struct pawn_slices *slices,
                       int side)
{
    entry_order_init(order, material, slices, NULL);
    uint8_t choice[ENTRY_GROUPS_MAX];
    for (int i = 0; i < order->groups; i++)
        choice[i] = (uint8_t)(side == WHITE ? order->groups - 1 - i : (i + 1) % order->groups);
    entry_order_init(order, material, slices, choice);
}

// With distances to mate those of White have the order of his outcomes, those of Black another one unless they tell his
// outcomes.
static void make_table(const char *name, bool cursed, bool tells)
{
    static const char *const keys[] = {"outcome-w", "distance-w", "outcome-b", "distance-b"};
    const struct material material = material_named(name);
    const bool mate = material.metric == METRIC_DTM;
    char plain[MATERIAL_NAME_MAX];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "."), name);
    struct pawn_slices *slices = slices_of(&material);
    struct entry_order order[4];
    for (int i = 0; i < 4; i++)
        make_order(&order[i], &material, slices, i == 3 && !tells ? WHITE : i / 2);
    const int streams = material_symmetric(&material) ? 2 : mate ? 4 : 3;
    struct container_stream shapes[4];
    char text[TEXT_SPACE];
    int at =
        snprintf(text, TEXT_SPACE,
                 "game chess\ndistance-free 1\nmaterial %s\nmetric %s\npositions-w 1 %d 1 %d 1\nlongest-w 1 1 1 1 %d\n"
                 "positions-b 1 0 1 0 1\nlongest-b 1 1 1 1 1\n%s",
                 plain, mate ? "dtm" : "dtz", cursed, cursed, mate ? LONGEST : 1, tells ? TABLE_TELLS " b\n" : "");
    for (int i = 0; i < streams; i++) {
        char words[ENTRY_TEXT_MAX];
        shapes[i] = (struct container_stream){.symbol_bytes = 1,
                                              .block_symbols = BLOCK,
                                              .sections = order[i].sections,
                                              .section_symbols = order[i].per_section};
        snprintf(shapes[i].name, sizeof shapes[i].name, "%s", keys[i]);
        entry_order_write(&order[i], words);
        at += snprintf(text + at, (size_t)(TEXT_SPACE - at), "%s %s\n", keys[i], words);
        assert_true(at < TEXT_SPACE);
    }
    struct container_writer *writer;
    GOOD(container_create(&writer, table_in(folder, name), shapes, streams, TEXT_SPACE));
    for (int i = 0; i < streams; i++) {
        const bool outcomes = i % 2 == 0;
        for (uint64_t section = 0; section < shapes[i].sections; section++)
            fill_section(writer, &shapes[i], i, section, outcomes ? TABLE_OUTCOMES - 1 : LONGEST,
                         outcomes && mate ? 2 : 1, (outcomes || mate) && is_rich(&order[i], section),
                         tells && i == 3 ? 2 : -1);
    }
    GOOD(container_finish(writer, text));
    pawn_slices_close(slices);
}

// As in a FEN: capitals are White's, whatever the colours in the table's name.
static struct slab_shape shape_of(const char *pieces, const char *fixed)
{
    struct slab_shape shape = {0};
    shape.pieces = men_named(pieces, shape.type, shape.colour);
    shape.fixed = men_named(fixed, shape.fixed_type, shape.fixed_colour);
    return shape;
}

// A slice from a section that is filled, half of the time its own mirror image if there are such.
static uint32_t draw_slice(const struct entry_order *order)
{
    const bool want_both = random_below(2) == 0;
    for (int tries = 0;; tries++) {
        const uint32_t slice = (uint32_t)random_below((int)order->slices->slices);
        bool mirror;
        bool both;
        pawn_slices_find(order->slices, order->slices->square[slice], &mirror, &both);
        if (is_rich(order, slice / order->slices_per_section) && (both || !want_both || tries >= 5000))
            return slice;
    }
}

static void place_fixed(const struct slab_shape *shape, const struct pawn_slices *slices, uint8_t *square)
{
    const uint8_t *pawns = NULL;
    int next[COLOURS] = {0};
    struct material standard = slab_material(shape);
    const bool flip = material_normalise(&standard);
    const int turn = (flip ? 56 : 0) ^ (random_below(2) == 0 ? 7 : 0);
    uint64_t occupied = 0;
    if (slices != NULL) {
        struct entry_order order;
        entry_order_init(&order, &standard, slices, NULL);
        pawns = slices->square[draw_slice(&order)];
        next[BLACK] = slices->pawns[WHITE];
        for (int i = 0; i < slices->pawns[WHITE] + slices->pawns[BLACK]; i++)
            occupied |= square_bit(pawns[i] ^ turn);
    }
    for (int i = 0; i < shape->fixed; i++) {
        if (shape->fixed_type[i] == PAWN && pawns != NULL) {
            square[i] = (uint8_t)(pawns[next[shape->fixed_colour[i] ^ (flip ? 1 : 0)]++] ^ turn);
            continue;
        }
        do
            square[i] = (uint8_t)random_below(SQUARES);
        while (occupied & square_bit(square[i]));
        occupied |= square_bit(square[i]);
    }
}

// From an index to the men; false if that is no placement.
static bool placement(const struct slab_shape *shape, const uint8_t *fixed, uint64_t index, struct man *men)
{
    const int n = shape->pieces;
    uint64_t occupied = 0;
    int king[COLOURS] = {0};
    for (int i = 0; i < n + shape->fixed; i++) {
        if (i < n) {
            const int shift = 3 * (n - 1 - i);
            const uint64_t code = (index >> (3 * n + shift) & 7) << 3 | (index >> shift & 7);
            men[i] = (struct man){shape->type[i], shape->colour[i], code_square[code]};
            if (shape->type[i] == KING)
                king[shape->colour[i]] = men[i].square;
        } else {
            men[i] = (struct man){shape->fixed_type[i - n], shape->fixed_colour[i - n], fixed[i - n]};
        }
        if (occupied & square_bit(men[i].square))
            return false;
        occupied |= square_bit(men[i].square);
    }
    return !squares_touch(king[WHITE], king[BLACK]);
}

static void compare_entry(struct table *table, const struct slab_shape *shape, int side, const struct stored_slab *slab,
                          uint64_t index)
{
    static struct position position;
    struct man men[MATERIAL_MEN_MAX];
    if (!placement(shape, slab->square, index, men))
        return;
    int outcome;
    GOOD(position_set(&position, men, shape->pieces + shape->fixed, side));
    GOOD(table_outcome(table, &position, &outcome));
    const int got = bit_at(slab->won, index) * 8 + bit_at(slab->lost, index) * 4 + bit_at(slab->cursed_won, index) * 2 +
                    bit_at(slab->blessed_lost, index);
    static const int expected[TABLE_OUTCOMES] = {4, 1, 0, 2, 8};
    if (got != expected[outcome + 2])
        fail_msg("index %llo: outcome %d, bits %d", (unsigned long long)index, outcome, got);
    int ply;
    int code = 0;
    if (slab->code[0] == NULL || outcome == CLTB_DRAW)
        return;
    GOOD(table_distance(table, &position, outcome, &ply));
    for (int bit = 0; bit < CODE_BITS; bit++)
        code |= bit_at(slab->code[bit], index) << bit;
    if (code != mate_code(ply))
        fail_msg("index %llo: %d plies, code %d", (unsigned long long)index, ply, code);
}

static void load_and_compare(struct slab_source *source, struct table *table, const struct slab_shape *shape, int side)
{
    struct material standard = slab_material(shape);
    material_normalise(&standard);
    struct pawn_slices *slices = slices_of(&standard);
    const uint64_t bits = UINT64_C(1) << 6 * shape->pieces;
    const bool all = 6 * shape->pieces <= ALL_PLACEMENTS;
    const size_t words = bits / 64;
    const size_t count = shape->pieces < 4 ? SLABS : 2; // more than one even of large ones
    uint64_t *memory = host_words(words * count * PLANES);
    struct stored_slab slab[SLABS];
    uint8_t square[SLABS][FIXED_MAX];
    for (size_t i = 0; i < count; i++) {
        uint64_t *planes = memory + i * PLANES * words;
        place_fixed(shape, slices, square[i]);
        slab[i] = (struct stored_slab){.square = square[i],
                                       .won = planes,
                                       .lost = planes + words,
                                       .cursed_won = planes + 2 * words,
                                       .blessed_lost = planes + 3 * words};
        for (int bit = 0; table_info(table)->material.metric == METRIC_DTM && bit < CODE_BITS; bit++)
            slab[i].code[bit] = planes + (size_t)(4 + bit) * words;
    }
    GOOD(source->load(source->context, shape, side, slab, count));
    for (size_t i = 0; i < count; i++) {
        for (uint64_t n = 0; n < (all ? bits : SAMPLE); n++)
            compare_entry(table, shape, side, &slab[i], all ? n : random_u64() & (bits - 1));
    }
    free(memory);
    pawn_slices_close(slices);
}

struct shape_case {
    const char *table;
    const char *pieces;
    const char *fixed;
};

static void compare_case(const struct shape_case *one, size_t cache_bytes)
{
    struct block_cache *cache;
    struct table *table;
    GOOD(block_cache_open(&cache, 64 << 20));
    GOOD(table_open(&table, table_in(folder, one->table), cache));
    struct stored_slabs slabs = {
        .folders = folder, .pool = test_pool, .cache_bytes = cache_bytes, .metric = table_info(table)->material.metric};
    struct slab_source source = stored_slabs_source(&slabs);
    const struct slab_shape shape = shape_of(one->pieces, one->fixed);
    for (int call = 0; call < (shape.pieces < 4 ? 2 : 1); call++) {
        for (int side = WHITE; side <= BLACK; side++)
            load_and_compare(&source, table, &shape, side);
    }
    assert_true(slabs.tables == 1);
    stored_slabs_close(&slabs);
    table_close(table);
    block_cache_close(cache);
}

TEST(test_slabs)
{
    static const struct shape_case cases[] = {
        {"KQvKR", "Kkr", "Q"},     {"KQvKR", "KkQ", "r"},     {"KQvKR", "rkK", "Q"},     {"KQvKR", "KQk", "r"},
        {"KQvKR", "Kk", "rQ"},     {"KQvKR", "kKR", "q"},     {"KQvKR", "KkR", "q"},     {"KQvKR", "KkqR", ""},
        {"KQvKR", "KqkR", ""},     {"KRvKR", "Kkr", "R"},     {"KRvKR", "KkR", "r"},     {"KRvKR", "kK", "rR"},
        {"KRRvK", "KkR", "R"},     {"KRRvK", "kKr", "r"},     {"KRRvK", "Kk", "RR"},     {"KRRvK", "KkRR", ""},
        {"KRRvK", "RkRK", ""},     {"KRRvK", "rKkr", ""},     {"KRRRvK", "KkRR", "R"},   {"KRRRvK", "rKkr", "r"},
        {"KRRRvK", "KkR", "RR"},   {"KPvK", "Kk", "P"},       {"KPvK", "kK", "p"},       {"KPvK", "Kk", "p"},
        {"KQPvK", "KkQ", "P"},     {"KQPvK", "Kk", "QP"},     {"KQPvK", "QKk", "P"},     {"KQPvK", "kK", "pq"},
        {"KQPvK", "Kkq", "p"},     {"KPvKP", "Kk", "Pp"},     {"KPvKP", "kK", "pP"},     {"KPPvK", "Kk", "PP"},
        {"KPPvK", "kK", "PP"},     {"KPPvK", "Kk", "pp"},     {"KQPPvK", "KkQ", "PP"},   {"KQPPvK", "Kk", "PQP"},
        {"KQPPvK", "Kkq", "pp"},   {"KQPPvK", "qkK", "pp"},   {"KQPPvK", "QkK", "PP"},   {"KQPPvK", "kKQ", "PP"},
        {"KQRvKP", "KkR", "Qp"},   {"KQRvKP", "kKrq", "P"},   {"KQvKR.dtm", "Kkr", "Q"}, {"KQvKR.dtm", "KkQ", "r"},
        {"KQvKR.dtm", "rkK", "Q"}, {"KQvKR.dtm", "Kk", "rQ"}, {"KQvKR.dtm", "KkR", "q"}, {"KQvKR.dtm", "KkqR", ""},
        {"KQvKN.dtm", "Kkn", "Q"}, {"KQvKN.dtm", "Kkq", "N"}, {"KQvKN.dtm", "KkqN", ""}, {"KRPvK.dtm", "KkR", "P"},
        {"KRPvK.dtm", "Kkr", "p"}, {"KRPvK.dtm", "kK", "pr"}, {"KPvKP.dtm", "kK", "pP"}, {"KQPvK.dtm", "KkQ", "P"},
        {"KQPvK.dtm", "QKk", "P"}, {"KQPvK.dtm", "Kkq", "p"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compare_case(&cases[i], 0);
        if (i % 3 == 0)
            compare_case(&cases[i], 1); // one section at a time
    }
}

TEST(test_look)
{
    static const struct {
        const char *pieces;
        const char *fixed;
        int code;
        bool cursed;
    } cases[] = {{"Kkq", "R", 0, true}, {"Kkr", "r", 0, false}, {"Kkb", "R", CLTB_E_MISSING, false}};
    struct stored_slabs slabs = {.folders = folder, .pool = test_pool};
    const struct slab_source source = stored_slabs_source(&slabs);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct slab_shape shape = shape_of(cases[i].pieces, cases[i].fixed);
        const struct material material = slab_material(&shape);
        bool cursed = false;
        assert_int_equal(source.look(source.context, &material, &cursed), cases[i].code);
        assert_int_equal(cursed, cases[i].cursed);
    }
    stored_slabs_close(&slabs);
}

// A damaged table is an error, and leaves nothing wrong in the cache.
TEST(test_damaged)
{
    make_table("KNvK", false, false);
    struct bytes bytes = read_file(table_in(folder, "KNvK"));
    bytes.data[bytes.size - 1] ^= 1;
    write_file(table_in(folder, "KNvK"), bytes.data, bytes.size);
    free(bytes.data);
    struct stored_slabs slabs = {.folders = folder, .pool = test_pool};
    const struct slab_source source = stored_slabs_source(&slabs);
    const struct slab_shape shape = shape_of("Kk", "N");
    uint64_t bits[2][64] = {{0}};
    const uint8_t square = 20;
    struct stored_slab slab = {.square = &square, .won = bits[0], .lost = bits[1]};
    GOOD(source.load(source.context, &shape, WHITE, &slab, 1));
    for (int again = 0; again < 2; again++)
        assert_int_equal(source.load(source.context, &shape, BLACK, &slab, 1), CLTB_E_CORRUPT);
    stored_slabs_close(&slabs);
}

static int setup(void **state)
{
    static const char *const names[] = {"KQvKR", "KRvKR",  "KRRvK",  "KRRRvK",    "KPvK",      "KQPvK",    "KPvKP",
                                        "KPPvK", "KQPPvK", "KQRvKP", "KQvKR.dtm", "KPvKP.dtm", "KQPvK.dtm"};
    test_folder_make(folder);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        make_table(names[i], i == 0, false);
    make_table("KQvKN.dtm", false, true);
    make_table("KRPvK.dtm", false, true);
    return pool_setup(state);
}

static int teardown(void **state)
{
    test_folder_remove(folder);
    return pool_teardown(state);
}

TESTS(setup, teardown)
