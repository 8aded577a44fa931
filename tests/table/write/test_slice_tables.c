// test_slice_tables.c - solved slices on their way from the solver or a work file into a table file
//
// The tables are written from a made-up endgame whose values are a hash of the placement. What the table says about
// random positions, in both colours and both mirror images, must be that value.
#include "table/support_made_up.h"

#include "chess/position.h"
#include "make/slice_store.h"
#include "support/writing.h"
#include "table/block_cache.h"
#include "table/container_format.h"
#include "table/pattern_code.h"
#include "table/table.h"

#include <unistd.h>

// Men on squares, pawns first, then the pieces of the shape.
static int list_men(const struct made_up *made, const uint8_t *square, struct man *men)
{
    int count = 0;
    for (; count < made->pawns; count++)
        men[count] = (struct man){PAWN, count < made->slices->pawns[WHITE] ? WHITE : BLACK, square[count]};
    for (int i = 0; i < made->shape.pieces; i++, count++)
        men[count] = (struct man){made->shape.type[i], made->shape.colour[i], square[count]};
    return count;
}

// What the made-up endgame says about a placement of distinct squares.
static struct truth look_up(const struct made_up *made, int side, const uint8_t *square)
{
    uint8_t seen[LAYOUT_PIECES_MAX];
    bool mirror;
    bool both;
    const uint32_t slice = pawn_slices_find(made->slices, square, &mirror, &both);
    for (int i = 0; i < made->shape.pieces; i++)
        seen[i] = square[made->pawns + i] ^ (mirror ? 7 : 0);
    return truth_of(made, slice, both, side, seen);
}

static void random_squares(const struct made_up *made, uint8_t *square)
{
    uint64_t taken = 0;
    for (int i = 0; i < made->pawns + made->shape.pieces; i++) {
        do
            square[i] = (uint8_t)(i < made->pawns ? 8 + random_u64() % 48 : random_u64() % 64);
        while (taken & square_bit(square[i]));
        taken |= square_bit(square[i]);
    }
    // Now and then the second pawn is the first one's mirror image.
    if (made->slices->pawns[WHITE] == 2 && random_u64() % 4 == 0 && !(taken & square_bit(square[0] ^ 7)))
        square[1] = square[0] ^ 7;
}

static void check_position(struct table *table, const struct position *position, struct truth truth)
{
    int outcome;
    int ply;
    GOOD(table_outcome(table, position, &outcome));
    if (truth.resolved && truth.outcome > 0)
        return; // anything may be stored
    if (truth.resolved && truth.outcome == CLTB_DRAW)
        assert_in_range(outcome + 2, CLTB_LOSS + 2, CLTB_DRAW + 2);
    else
        assert_int_equal(outcome, truth.outcome);
    if (truth.outcome == CLTB_DRAW || !table_has_distance(table, position))
        return;
    GOOD(table_distance(table, position, truth.outcome, &ply));
    if (truth.outcome != CLTB_WIN || truth.ply > 1) // else anything may be stored
        assert_int_equal(ply, truth.ply);
}

// All images of random placements: files mirrored, colours exchanged with the board turned over.
static void check_table(const struct made_up *made, struct table *table, int placements)
{
    const bool symmetric = table_info(table)->symmetric;
    for (int n = 0; n < placements; n++) {
        uint8_t square[LAYOUT_PIECES_MAX + PAWNS_MAX] = {0};
        random_squares(made, square);
        const int side = symmetric ? WHITE : (int)(random_u64() & 1);
        const struct truth truth = look_up(made, side, square);
        if (truth.outcome == ILLEGAL)
            continue;
        for (int image = 0; image < 4; image++) {
            struct man men[MATERIAL_MEN_MAX];
            struct position position;
            const int count = list_men(made, square, men);
            for (int i = 0; i < count; i++) {
                men[i].square ^= (uint8_t)((image & 1 ? 7 : 0) | (image & 2 ? 56 : 0));
                men[i].colour ^= (uint8_t)(image >> 1);
            }
            GOOD(position_set(&position, men, count, side ^ image >> 1));
            check_position(table, &position, truth);
        }
    }
}

// Every placement of the board, identical pieces in one order.
static void count_from(const struct made_up *made, int depth, uint64_t taken, uint8_t *square,
                       uint64_t counts[COLOURS][5])
{
    if (depth == made->pawns + made->shape.pieces) {
        for (int side = WHITE; side <= BLACK; side++) {
            const struct truth truth = look_up(made, side, square);
            if (truth.outcome != ILLEGAL)
                counts[side][truth.outcome + 2]++;
        }
        return;
    }
    const bool pawn = depth < made->pawns;
    const bool like = pawn && depth > 0 && depth != made->slices->pawns[WHITE];
    for (int s = pawn ? 8 : 0; s < (pawn ? 56 : 64); s++) {
        if (taken & square_bit(s) || (like && s < square[depth - 1]))
            continue;
        square[depth] = (uint8_t)s;
        count_from(made, depth + 1, taken | square_bit(s), square, counts);
    }
}

// Puts all slices in a work file.
static struct slice_store *store_slices(struct made_up *made)
{
    const struct slice_store_options options = {.path = tmp_path("slices.cltb.work"),
                                                .material = &made->source.material,
                                                .slices = made->slices->slices,
                                                .pool = test_pool};
    struct slice_store *store;
    struct slice_values values = {0};
    GOOD(slice_store_open(&store, &options));
    memcpy(values.value[WHITE], made->value, sizeof made->value);
    memcpy(values.value[BLACK], made->value, sizeof made->value);
    const struct slice_sink sink = slice_store_sink(store);
    for (uint32_t slice = made->slices->slices; slice-- > 0;) {
        struct slice_view view[COLOURS];
        GOOD(made_up_load(made, WHITE, &slice, 1, &view[WHITE]));
        uint64_t *kept = made->planes;
        made->planes = NULL;
        GOOD(made_up_load(made, BLACK, &slice, 1, &view[BLACK]));
        const struct slice_record record = {slice, {view[WHITE].planes, view[BLACK].planes}};
        GOOD(sink.put(sink.context, &values, &record, 1));
        free(kept);
    }
    return store;
}

// Do distances have the symbols that these codes need?
static void check_symbols(const char *path, const struct codes *codes)
{
    struct container *container;
    GOOD(container_open(&container, path));
    const int stream = container_find(container, "distance-w");
    assert_int_equal(container_stream(container, stream)->symbol_bytes, codes == &far_codes ? 2 : 1);
    const struct ply_lists *lists = container_lists(container, stream);
    assert_int_equal(lists != NULL, codes == &long_codes);
    for (int i = 0; lists != NULL && i < TABLE_OUTCOMES; i++)
        assert_int_equal(lists->count[i], i == 2 ? 0 : i % 2 == 1 ? 200 : i == 0 ? 101 : 100);
    container_close(container);
}

TEST(test_tables)
{
    static const struct {
        const char *name;
        const char *pieces;
        const struct codes *codes;
        bool both; // sides' distances
        bool work; // by way of a work file
    } cases[] = {
        {"KPvK", "Kk", &few_codes, false, false}, {"KPvK", "kK", &many_codes, true, true},
        {"KPvK", "Kk", &far_codes, true, false},  {"KPvK", "Kk", &long_codes, true, true},
        {"KPPvK", "kK", &few_codes, true, true},  {"KPvKP", "Kk", &few_codes, true, false},
    };
    const size_t count = sizeof cases / sizeof cases[0] - (sanitized() ? 1 : 0);
    for (size_t i = 0; i < count; i++) {
        const struct write_options options = {.both_sides = cases[i].both};
        const char *path = tmp_path("slices.cltb");
        struct made_up made;
        struct block_cache *cache;
        struct table *table;
        struct slice_store *store = NULL;
        uint64_t bytes;
        make_up(&made, cases[i].name, cases[i].pieces, cases[i].codes);
        struct slices_source source = made.source;
        source.kept[BLACK] = cases[i].both;
        if (cases[i].work) {
            store = store_slices(&made);
            source.context = store;
            source.load = slice_store_load;
        }
        GOOD(write_slices_table(&source, path, test_pool, &options, &bytes));
        GOOD(block_cache_open(&cache, 1 << 24));
        GOOD(table_open(&table, path, cache));
        GOOD(table_check(table));
        check_symbols(path, cases[i].codes);
        const struct table_info *info = table_info(table);
        assert_int_equal(bytes, info->file_bytes);
        assert_true(info->distance[WHITE]);
        assert_int_equal(info->distance[BLACK], cases[i].both && !info->symmetric);
        check_table(&made, table, sanitized() ? 4000 : 20000);
        uint64_t counts[COLOURS][5] = {{0}};
        uint8_t square[LAYOUT_PIECES_MAX + PAWNS_MAX] = {0};
        count_from(&made, 0, 0, square, counts);
        if (info->symmetric)
            memcpy(counts[BLACK], counts[WHITE], sizeof counts[BLACK]);
        assert_memory_equal(info->positions, counts, sizeof counts);
        assert_memory_equal(info->longest, made.longest, sizeof made.longest);
        table_close(table);
        block_cache_close(cache);
        if (store != NULL)
            slice_store_close(store, false);
        unlink(path);
        forget(&made);
    }
}

// May anything be stored as the outcome?
static bool is_free(struct truth truth)
{
    return truth.outcome == ILLEGAL || (truth.resolved && truth.outcome > 0);
}

// Entries of a slice that are free in the outcomes, worked out placement by placement. For unlike pieces, and pawns
// that are their own mirror image.
static uint64_t count_free(const struct made_up *made, uint32_t slice)
{
    const int pieces = made->shape.pieces;
    uint64_t free = 0;
    for (uint64_t placement = 0; placement < UINT64_C(1) << 6 * pieces; placement++) {
        uint8_t square[LAYOUT_PIECES_MAX];
        bool image = false;
        for (int i = 0; i < pieces; i++) {
            square[i] = placement >> 6 * i & 63;
            image |= made->shape.type[i] == KING && made->shape.colour[i] == WHITE && square_file(square[i]) > 3;
        }
        free += image || is_free(truth_of(made, slice, true, WHITE, square));
    }
    return free;
}

// Random entries of a section by way of their positions. `self` looks at a slice that is its own mirror image.
static void check_section(const char *name, const char *pieces, const struct codes *codes, bool self)
{
    struct made_up made;
    make_up(&made, name, pieces, codes);
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    struct entry_order order[2];
    entry_order_init(&order[0], &made.source.material, made.slices, NULL);
    for (int g = 0; g < order[0].groups; g++)
        choice[g] = (uint8_t)((g + 2) % order[0].groups);
    entry_order_init(&order[1], &made.source.material, made.slices, choice);
    const uint64_t per_section = order[0].per_section;
    const bool wide = codes == &far_codes;
    const unsigned width = wide ? 2 : 1;
    uint8_t *outcomes = malloc(per_section);
    uint8_t *distances = malloc(per_section * width);
    assert_true(outcomes != NULL && distances != NULL);
    uint32_t slice = (uint32_t)(random_u64() % made.slices->slices);
    bool both = false;
    for (bool mirror; self && !both;) {
        slice = (slice + 1) % made.slices->slices;
        pawn_slices_find(made.slices, made.slices->square[slice], &mirror, &both);
    }
    const struct section_request request = {.side = WHITE,
                                            .outcome = {.order = &order[0], .bytes = 1, .symbols = outcomes},
                                            .distance = {.order = &order[1], .bytes = width, .symbols = distances}};
    const uint64_t section = slice / order[0].slices_per_section;
    GOOD(slice_sections_fill(&made.source, &request, section, 1, test_pool));
    for (int n = 0; n < 20000; n++) {
        uint8_t square[LAYOUT_PIECES_MAX + PAWNS_MAX] = {0};
        struct man men[MATERIAL_MEN_MAX];
        struct position position;
        random_squares(&made, square);
        memcpy(square, made.slices->square[slice], (size_t)made.pawns);
        if (position_set(&position, men, list_men(&made, square, men), WHITE) != 0)
            continue;
        const struct truth truth = look_up(&made, WHITE, square);
        const uint64_t entry[2] = {entry_index(&order[0], &position, false) - section * per_section,
                                   entry_index(&order[1], &position, false) - section * per_section};
        assert_true(entry[0] < per_section && entry[1] < per_section);
        int symbol = truth.outcome + 2;
        if (is_free(truth))
            symbol = ANY_OUTCOME;
        else if (truth.resolved && truth.outcome == CLTB_DRAW)
            symbol = DRAW_OR_WORSE;
        assert_int_equal(outcomes[entry[0]], symbol);
        const int ply = is_free(truth) || truth.outcome == CLTB_DRAW ? ANY_DISTANCE : truth.ply;
        assert_int_equal(get_number(distances + entry[1] * width, (int)width), wide ? ply : ply & 0xff);
    }
    uint64_t free_entries = 0;
    for (uint64_t i = 0; i < order[0].per_slice; i++)
        free_entries += outcomes[i] == ANY_OUTCOME;
    if (self)
        assert_int_equal(free_entries, count_free(&made, slice));
    // After the last slice.
    const uint64_t used = (made.slices->slices - section * order[0].slices_per_section) * order[0].per_slice;
    for (uint64_t i = used; i < per_section; i++)
        assert_true(outcomes[i] == ANY_OUTCOME &&
                    get_number(distances + i * width, (int)width) == (wide ? 0xffff : 0xff));
    free(outcomes);
    free(distances);
    forget(&made);
}

TEST(test_sections)
{
    check_section("KPvK", "Kk", &far_codes, false);      // 24 slices in a section for 64
    check_section("KRRPvK", "KRkR", &many_codes, false); // identical pieces on both sides of the cut
    check_section("KPPvKP", "kK", &few_codes, false);
    check_section("KPPvKB", "bkK", &far_codes, true);
    check_section("KPPvKB", "Kbk", &few_codes, true);
    check_section("KPPPvK", "Kk", &many_codes, false);
}

TESTS(pool_setup, pool_teardown)
