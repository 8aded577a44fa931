// test_slice_tables.c - solved slices on their way: from the solver or a work file into a table file
//
// The tables are written from a made-up endgame, whose values are a hash of the placement: what the table says about
// random positions, in both colours and both mirror images, must be that value.
#include "support/support.h"

#include "chess/position.h"
#include "index/square.h"
#include "make/slice_store.h"
#include "table/block_cache.h"
#include "table/table.h"
#include "table/write/write_table.h"

#include <unistd.h>

// ---- a made-up endgame ----

enum { CODES_FEW, CODES_MANY, CODES_FAR }; // at most 100 plies; 200, cursed ones among them; 700

struct made_up {
    struct material material;
    struct pawn_slices *slices;
    struct slab_shape shape;
    int codes;
    int longest[COLOURS][5];
    solver_value value[COLOURS][DISTANCE_CODES]; // [won][code]
    // What load() gave last.
    uint64_t *planes;
};

enum { ILLEGAL = -3 };

struct truth {
    int outcome; // ILLEGAL, or enum cltb_outcome
    int ply;
    bool resolved;
};

static int last_ply(const struct made_up *made)
{
    return made->codes == CODES_FEW ? 100 : made->codes == CODES_MANY ? 200 : 700;
}

// The code of a ply, losses other than wins.
static unsigned code_of(const struct made_up *made, bool won, int ply)
{
    const unsigned all = made->codes == CODES_FEW ? 127 : made->codes == CODES_MANY ? 255 : 1023;
    return won ? (unsigned)ply + 1 : all - (unsigned)ply;
}

// square[] in the order of the shape, pawns on the slice's squares.
static struct truth truth_of(const struct made_up *made, uint32_t slice, bool both, int side, const uint8_t *square)
{
    const struct slab_shape *shape = &made->shape;
    uint8_t seen[LAYOUT_PIECES_MAX];
    int mirror = 0;
    uint64_t taken = 0;
    for (int i = 0; i < made->slices->pawns[WHITE] + made->slices->pawns[BLACK]; i++)
        taken |= square_bit(made->slices->square[slice][i]);
    for (int i = 0; i < shape->pieces; i++) {
        if (taken & square_bit(square[i]))
            return (struct truth){.outcome = ILLEGAL};
        taken |= square_bit(square[i]);
        if (both && shape->type[i] == KING && shape->colour[i] == WHITE && square_file(square[i]) > 3)
            mirror = 7;
    }
    uint64_t hash = slice * 2 + (uint64_t)side;
    // Identical pieces are alike: each adds the same in any order.
    for (int i = 0; i < shape->pieces; i++) {
        seen[i] = square[i] ^ (uint8_t)mirror;
        hash += mix(mix((uint64_t)seen[i] * 16 + shape->type[i] * 2U + shape->colour[i] + 1));
    }
    hash = mix(hash);
    const int kind = (int)(hash % 10);
    hash = mix(hash);
    const int ply = (int)(hash % (uint64_t)last_ply(made)) + 1;
    struct truth truth = {.ply = ply, .resolved = hash >> 60 == 0};
    const bool cursed = ply > PLY_LIMIT;
    if (kind == 0)
        truth.outcome = ILLEGAL;
    else if (kind < 4)
        truth.outcome = cursed ? CLTB_CURSED_WIN : CLTB_WIN;
    else if (kind < 7)
        truth.outcome = cursed ? CLTB_BLESSED_LOSS : CLTB_LOSS;
    else
        truth.outcome = CLTB_DRAW;
    return truth;
}

// The planes of one slice: won, resolved, distance.
static void fill_planes(const struct made_up *made, uint32_t slice, int side, uint64_t *planes)
{
    const int pieces = made->shape.pieces;
    const size_t words = (size_t)1 << 6 * (pieces - 1);
    bool mirror;
    bool both;
    pawn_slices_find(made->slices, made->slices->square[slice], &mirror, &both);
    memset(planes, 0, (2 + DISTANCE_PLANES_MAX) * words * sizeof *planes);
    for (uint64_t entry = 0; entry < 64 * words; entry++) {
        uint8_t square[LAYOUT_PIECES_MAX];
        for (int i = 0; i < pieces; i++) {
            const unsigned l = entry >> 3 * (pieces - 1 - i) & 7;
            const unsigned u = entry >> 3 * (2 * pieces - 1 - i) & 7;
            square[i] = code_square[8 * u + l];
        }
        const struct truth truth = truth_of(made, slice, both, side, square);
        const uint64_t bit = UINT64_C(1) << entry % 64;
        uint64_t *at = planes + entry / 64;
        const bool won = truth.outcome > 0;
        if (won || truth.outcome == ILLEGAL)
            at[0] |= bit;
        if (truth.resolved)
            at[words] |= bit;
        if (truth.outcome == ILLEGAL || truth.outcome == CLTB_DRAW)
            continue;
        const unsigned code = code_of(made, won, truth.ply);
        for (unsigned i = 0; i < DISTANCE_PLANES_MAX; i++)
            at[(2 + i) * words] |= code >> i & 1 ? bit : 0;
    }
}

static int made_up_load(void *context, int side, const uint32_t *slices, size_t count, struct slice_view *views)
{
    struct made_up *made = context;
    const size_t words = (size_t)1 << 6 * (made->shape.pieces - 1);
    const size_t each = (2 + DISTANCE_PLANES_MAX) * words;
    free(made->planes);
    made->planes = malloc(count * each * sizeof *made->planes);
    if (made->planes == NULL)
        return error_memory(count * each, "planes");
    for (size_t s = 0; s < count; s++) {
        uint64_t *planes = made->planes + s * each;
        fill_planes(made, slices[s], side, planes);
        views[s] = (struct slice_view){{.won = planes, .resolved = planes + words}, made->value};
        const unsigned used = made->codes == CODES_FEW ? 7 : made->codes == CODES_MANY ? 8 : 10;
        for (unsigned i = 0; i < used; i++)
            views[s].planes.distance[i] = planes + (2 + i) * words;
    }
    return 0;
}

// `pieces`: "KkRr", the order of the slabs.
static void make_up(struct made_up *made, const char *name, const char *pieces, int codes)
{
    static const char letters[] = "KQRBNP";
    *made = (struct made_up){.material = material_named(name), .codes = codes};
    GOOD(pawn_slices_open(&made->slices, made->material.count[WHITE][PAWN], made->material.count[BLACK][PAWN]));
    for (const char *p = pieces; *p != '\0'; p++) {
        const bool black = *p >= 'a';
        const char letter = (char)(black ? *p - 'a' + 'A' : *p);
        made->shape.type[made->shape.pieces] = (uint8_t)(strchr(letters, letter) - letters);
        made->shape.colour[made->shape.pieces++] = black ? BLACK : WHITE;
    }
    for (int side = WHITE; side <= BLACK; side++) {
        for (int i = 0; i < 5; i++)
            made->longest[side][i] = -1;
        made->longest[side][0] = made->longest[side][4] = 100;
        if (codes != CODES_FEW)
            made->longest[side][1] = made->longest[side][3] = last_ply(made);
    }
    for (int ply = 1; ply <= last_ply(made); ply++) {
        made->value[0][code_of(made, false, ply)] = solver_value_make(false, ply);
        made->value[1][code_of(made, true, ply)] = solver_value_make(true, ply);
    }
}

static void forget(struct made_up *made)
{
    pawn_slices_close(made->slices);
    free(made->planes);
}

// ---- positions of it ----

// Men on squares, pawns first, then the pieces of the shape.
static int list_men(const struct made_up *made, const uint8_t *square, struct man *men)
{
    int count = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int i = 0; i < made->slices->pawns[colour]; i++, count++)
            men[count] = (struct man){PAWN, (uint8_t)colour, square[count]};
    }
    for (int i = 0; i < made->shape.pieces; i++, count++)
        men[count] = (struct man){made->shape.type[i], made->shape.colour[i], square[count]};
    return count;
}

// What the made-up endgame says about a placement of distinct squares.
static struct truth look_up(const struct made_up *made, int side, const uint8_t *square)
{
    const int pawns = made->slices->pawns[WHITE] + made->slices->pawns[BLACK];
    uint8_t seen[LAYOUT_PIECES_MAX];
    bool mirror;
    bool both;
    const uint32_t slice = pawn_slices_find(made->slices, square, &mirror, &both);
    for (int i = 0; i < made->shape.pieces; i++)
        seen[i] = square[pawns + i] ^ (mirror ? 7 : 0);
    return truth_of(made, slice, both, side, seen);
}

static void random_squares(const struct made_up *made, uint8_t *square)
{
    const int pawns = made->slices->pawns[WHITE] + made->slices->pawns[BLACK];
    uint64_t taken = 0;
    for (int i = 0; i < pawns + made->shape.pieces; i++) {
        do
            square[i] = (uint8_t)(i < pawns ? 8 + random_u64() % 48 : random_u64() % 64);
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
    assert_int_equal(ply, truth.ply);
}

// All images of random placements: files mirrored, colours exchanged with the board turned over.
static void check_table(const struct made_up *made, struct table *table, int placements)
{
    const bool symmetric = material_symmetric(&made->material);
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
    const int white = made->slices->pawns[WHITE];
    const int pawns = white + made->slices->pawns[BLACK];
    if (depth == pawns + made->shape.pieces) {
        for (int side = WHITE; side <= BLACK; side++) {
            const struct truth truth = look_up(made, side, square);
            if (truth.outcome != ILLEGAL)
                counts[side][truth.outcome + 2]++;
        }
        return;
    }
    const bool pawn = depth < pawns;
    const bool like = pawn && depth > 0 && depth != white;
    for (int s = pawn ? 8 : 0; s < (pawn ? 56 : 64); s++) {
        if (taken & square_bit(s) || (like && s < square[depth - 1]))
            continue;
        square[depth] = (uint8_t)s;
        count_from(made, depth + 1, taken | square_bit(s), square, counts);
    }
}

// ---- tables of it ----

// `work`: by way of a work file.
static void write_and_check(const char *name, const char *pieces, int codes, bool both, bool work)
{
    struct made_up made;
    struct block_cache *cache;
    struct table *table;
    struct slice_store *store = NULL;
    make_up(&made, name, pieces, codes);
    struct slices_source source = {.material = made.material,
                                   .slices = made.slices,
                                   .shape = &made.shape,
                                   .kept = {true, both},
                                   .longest = made.longest,
                                   .context = &made,
                                   .load = made_up_load};
    if (work) {
        const struct slice_store_options options = {.path = tmp_path("slices.cltb.work"),
                                                    .material = &made.material,
                                                    .slices = made.slices->slices,
                                                    .pool = test_pool};
        GOOD(slice_store_open(&store, &options));
        struct slice_values values = {0};
        memcpy(values.value[WHITE], made.value, sizeof made.value);
        memcpy(values.value[BLACK], made.value, sizeof made.value);
        const struct slice_sink sink = slice_store_sink(store);
        for (uint32_t slice = made.slices->slices; slice-- > 0;) {
            struct slice_view view[COLOURS];
            GOOD(made_up_load(&made, WHITE, &slice, 1, &view[WHITE]));
            uint64_t *kept = made.planes;
            made.planes = NULL;
            GOOD(made_up_load(&made, BLACK, &slice, 1, &view[BLACK]));
            const struct slice_record record = {slice, {view[WHITE].planes, view[BLACK].planes}};
            GOOD(sink.put(sink.context, &values, &record, 1));
            free(kept);
        }
        source.context = store;
        source.load = slice_store_load;
    }
    const struct write_options options = {.both_sides = both};
    uint64_t bytes;
    GOOD(write_slices_table(&source, tmp_path("slices.cltb"), test_pool, &options, &bytes));
    const struct bytes file = read_file(tmp_path("slices.cltb"));
    assert_int_equal(bytes, file.size);
    free(file.data);
    GOOD(block_cache_open(&cache, 1 << 24));
    GOOD(table_open(&table, tmp_path("slices.cltb"), cache));
    GOOD(table_check(table));
    const struct table_info *info = table_info(table);
    assert_true(info->distance[WHITE]);
    assert_int_equal(info->distance[BLACK], both && !info->symmetric);
    check_table(&made, table, 20000);
    uint64_t counts[COLOURS][5] = {{0}};
    uint8_t square[LAYOUT_PIECES_MAX + PAWNS_MAX] = {0};
    count_from(&made, 0, 0, square, counts);
    if (info->symmetric)
        memcpy(counts[BLACK], counts[WHITE], sizeof counts[BLACK]);
    assert_memory_equal(info->positions, counts, sizeof counts);
    assert_memory_equal(info->longest, made.longest, sizeof made.longest);
    table_close(table);
    block_cache_close(cache);
    if (work)
        slice_store_close(store, false);
    unlink(tmp_path("slices.cltb"));
    forget(&made);
}

static void test_tables(void **state)
{
    write_and_check("KPvK", "Kk", CODES_FEW, false, false);
    write_and_check("KPvK", "kK", CODES_MANY, true, true);
    write_and_check("KPvK", "Kk", CODES_FAR, true, false);
    write_and_check("KPPvK", "Kk", CODES_MANY, false, false);
    write_and_check("KPPvK", "kK", CODES_FEW, true, true);
    write_and_check("KPvKP", "Kk", CODES_FEW, true, false);
    write_and_check("KRPvK", "KkR", CODES_MANY, false, false);
}

// ---- one section of a large table ----

// Entries of a slice that are free in the outcomes, worked out placement by placement. For unlike pieces.
static uint64_t count_free(const struct made_up *made, uint32_t slice, bool both)
{
    const int pieces = made->shape.pieces;
    uint64_t free = 0;
    for (uint64_t placement = 0; placement < UINT64_C(1) << 6 * pieces; placement++) {
        uint8_t square[LAYOUT_PIECES_MAX];
        bool image = false;
        for (int i = 0; i < pieces; i++) {
            square[i] = placement >> 6 * i & 63;
            image |=
                both && made->shape.type[i] == KING && made->shape.colour[i] == WHITE && square_file(square[i]) > 3;
        }
        const struct truth truth = truth_of(made, slice, both, WHITE, square);
        free += image || truth.outcome == ILLEGAL || (truth.resolved && truth.outcome > 0);
    }
    return free;
}

static uint64_t bytes_equal(const uint8_t *bytes, uint64_t count, uint8_t byte)
{
    uint64_t equal = 0;
    for (uint64_t i = 0; i < count; i++)
        equal += bytes[i] == byte;
    return equal;
}

// Random entries of a section by way of their positions. `self` looks at a slice that is its own mirror image.
static void check_section(const char *name, const char *pieces, int codes, bool self)
{
    struct made_up made;
    make_up(&made, name, pieces, codes);
    const struct slices_source source = {
        .material = made.material, .slices = made.slices, .shape = &made.shape, .context = &made, .load = made_up_load};
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    struct entry_order order[2];
    entry_order_init(&order[0], &made.material, made.slices, NULL);
    const int groups = order[0].groups;
    for (int g = 0; g < groups; g++)
        choice[g] = (uint8_t)((g + 2) % groups);
    entry_order_init(&order[1], &made.material, made.slices, choice);
    const uint64_t per_section = order[0].per_section;
    const unsigned width = codes == CODES_FAR ? 2 : 1;
    uint8_t *outcomes = calloc(per_section, 1);
    uint8_t *distances = calloc(per_section, width);
    if (outcomes == NULL || distances == NULL) {
        free(outcomes);
        free(distances);
        fail_msg("no memory");
        return;
    }
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
    GOOD(slice_sections_fill(&source, &request, section, 1, test_pool));
    for (int n = 0; n < 200000; n++) {
        uint8_t square[LAYOUT_PIECES_MAX + PAWNS_MAX] = {0};
        struct man men[MATERIAL_MEN_MAX];
        struct position position;
        random_squares(&made, square);
        const int pawns = made.slices->pawns[WHITE] + made.slices->pawns[BLACK];
        memcpy(square, made.slices->square[slice], (size_t)pawns);
        if (position_set(&position, men, list_men(&made, square, men), WHITE) != 0)
            continue;
        const struct truth truth = look_up(&made, WHITE, square);
        const uint64_t entry[2] = {entry_index(&order[0], &position, false) - section * per_section,
                                   entry_index(&order[1], &position, false) - section * per_section};
        assert_true(entry[0] < per_section && entry[1] < per_section);
        const bool free_win = truth.resolved && truth.outcome > 0;
        const int symbol = truth.outcome == ILLEGAL || free_win           ? ANY_OUTCOME
                           : truth.resolved && truth.outcome == CLTB_DRAW ? DRAW_OR_WORSE
                                                                          : truth.outcome + 2;
        assert_int_equal(outcomes[entry[0]], symbol);
        const bool no_distance = truth.outcome == ILLEGAL || truth.outcome == CLTB_DRAW || free_win;
        const int ply = no_distance ? ANY_DISTANCE : truth.ply;
        if (width == 2)
            assert_int_equal(((uint16_t *)(void *)distances)[entry[1]], ply);
        else
            assert_int_equal(distances[entry[1]], ply & 0xff);
    }
    if (self)
        assert_int_equal(bytes_equal(outcomes, order[0].per_slice, ANY_OUTCOME), count_free(&made, slice, true));
    // Behind the last slice.
    if (section + 1 == order[0].sections) {
        const uint64_t used = (made.slices->slices - section * order[0].slices_per_section) * order[0].per_slice;
        assert_int_equal(bytes_equal(outcomes + used, per_section - used, ANY_OUTCOME), per_section - used);
        assert_int_equal(bytes_equal(distances + used * width, (per_section - used) * width, 0xff),
                         (per_section - used) * width);
    }
    free(outcomes);
    free(distances);
    forget(&made);
}

static void test_sections(void **state)
{
    check_section("KPvK", "Kk", CODES_FAR, false);      // 24 slices in a section for 64
    check_section("KRRPvK", "KRkR", CODES_MANY, false); // identical pieces on both sides of the cut
    check_section("KRRPvK", "RRkK", CODES_FAR, false);
    check_section("KPPvKP", "kK", CODES_FEW, false);
    check_section("KPPvKB", "bkK", CODES_FAR, true);
    check_section("KPPvKB", "Kbk", CODES_FEW, true);
    check_section("KPPPvK", "Kk", CODES_MANY, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_sections),
    };
    return cmocka_run_group_tests(tests, pool_setup, pool_teardown);
}
