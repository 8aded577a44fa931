// test_dobutsu_code.c - the number of a dobutsu position: the definitions, the golden files, and round trips
#include "support/dobutsu_golden.h"

// "4,7,0,11,2,9,10,1,51": the men, Gote's lion, Sente's lion, op in hex.
static void write_structure(const struct dobutsu *p, char text[64])
{
    snprintf(text, 64, "%u,%u,%u,%u,%u,%u,%u,%u,%02x", p->square[0], p->square[1], p->square[2], p->square[3],
             p->square[4], p->square[5], p->gote_lion, p->sente_lion, p->op);
}

static uint32_t code_of(const char *text)
{
    const struct dobutsu p = position_of(text);
    uint32_t code;
    if (!dobutsu_encode(&p, &code))
        fail_msg("%s has no code", text);
    return code;
}

// ---- definitions ----

static bool side_by_side(int a, int b)
{
    return abs(a / 3 - b / 3) <= 1 && abs(a % 3 - b % 3) <= 1;
}

static void test_lion_pairs(void **context)
{
    (void)context;
    static const int sente_squares[] = {0, 1, 3, 4, 6};
    int pairs = 0;
    for (int i = 0; i < 5; i++) {
        for (int gote = 0; gote < DOBUTSU_SQUARES; gote++) {
            int sente = sente_squares[i];
            if (gote < 3 || side_by_side(sente, gote)) {
                assert_int_equal(dobutsu_lion_pair(sente, gote), -1);
                continue;
            }
            int read_sente;
            int read_gote;
            assert_int_equal(dobutsu_lion_pair(sente, gote), pairs);
            dobutsu_lions(pairs, &read_sente, &read_gote);
            assert_int_equal(read_sente, sente);
            assert_int_equal(read_gote, gote);
            pairs++;
        }
    }
    assert_int_equal(pairs, DOBUTSU_LION_PAIRS);
    for (int gote = 0; gote < DOBUTSU_SQUARES; gote++)
        assert_int_equal(dobutsu_lion_pair(9, gote), -1);
    assert_int_equal(dobutsu_lion_pair(2, 11), -1);
}

static void test_pairs(void **context)
{
    (void)context;
    int number = 0;
    int low;
    int high;
    assert_int_equal(dobutsu_pair(10, 10), 0);
    dobutsu_unpair(0, &low, &high);
    assert_true(low == 10 && high == 10);
    for (int h = 10; h > 0; h--) {
        for (int w = h - 1; w >= 0; w--) {
            number++;
            assert_int_equal(dobutsu_pair(h, w), number);
            assert_int_equal(dobutsu_pair(w, h), number);
            dobutsu_unpair(number, &low, &high);
            assert_int_equal(low, w);
            assert_int_equal(high, h);
        }
    }
    assert_int_equal(number, DOBUTSU_PAIRS - 1);
    for (int square = 0; square < DOBUTSU_REDUCED; square++)
        assert_int_equal(dobutsu_pair(square, square), 255);
}

static void test_examples(void **context)
{
    (void)context;
    static const struct {
        uint32_t code;
        const char *text;
        const char *structure;
    } examples[] = {
        {719600465, "S/gle/-c-/-C-/ELG/-", "4,7,0,11,2,9,10,1,51"},
        {893614067, "S/lEG/EGL/-CC/---/-", "3,4,7,9,8,10,11,6,f3"},
        {896421363, "S/-EG/EGL/lCC/---/-", "3,4,7,9,8,10,5,6,f3"},
        {0, "S/---/---/l--/--L/ccggee", "12,12,12,12,12,12,5,0,00"},
        {1078984703, NULL, "0,1,0,1,0,1,11,6,ff"},
    };
    assert_int_equal(DOBUTSU_CODES, (uint64_t)DOBUTSU_CELLS * DOBUTSU_CELL_CODES);
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct dobutsu p;
        char structure[64];
        dobutsu_decode(examples[i].code, &p);
        write_structure(&p, structure);
        assert_string_equal(structure, examples[i].structure);
        assert_int_equal(dobutsu_overlaps(&p), examples[i].text == NULL);
        if (examples[i].text != NULL)
            assert_int_equal(code_of(examples[i].text), examples[i].code);
    }
}

// Lions side by side or on a far rank: no code.
static void test_no_code(void **context)
{
    (void)context;
    struct dobutsu p = {.square = {12, 12, 12, 12, 12, 12}};
    for (int sente = 0; sente < DOBUTSU_SQUARES; sente++) {
        for (int gote = 0; gote < DOBUTSU_SQUARES; gote++) {
            uint32_t code = 0;
            p.sente_lion = (uint8_t)sente;
            p.gote_lion = (uint8_t)gote;
            bool has_code = sente < 9 && gote > 2 && !side_by_side(sente, gote);
            assert_int_equal(dobutsu_encode(&p, &code), has_code);
            if (!has_code)
                continue;
            struct dobutsu read;
            dobutsu_decode(code, &read);
            if (sente % 3 == 2)
                dobutsu_mirror(&read);
            assert_int_equal(read.sente_lion, sente);
            assert_int_equal(read.gote_lion, gote);
        }
    }
}

// ---- golden files ----

static void compare_successor(const struct dobutsu *p, const struct golden_move *golden)
{
    const struct dobutsu_move move = move_of(p, golden->name);
    struct dobutsu after;
    uint32_t code = 0;
    assert_int_equal(move.wins, golden->wins);
    if (move.wins)
        return;
    dobutsu_make(p, &move, &after);
    assert_int_equal(dobutsu_encode(&after, &code), golden->has_code);
    if (golden->has_code)
        assert_int_equal(dobutsu_canonical(code), golden->code);
    else
        assert_true(golden->byte == 0 && dobutsu_can_take_lion(&after));
}

static void test_golden_positions(void **context)
{
    (void)context;
    struct golden g;
    struct golden_move golden[DOBUTSU_MOVES_MAX];
    int rows = 0;
    int moves = 0;
    golden_open(&g, "dobutsu-positions.tsv");
    for (; golden_next(&g); rows++) {
        struct dobutsu p;
        char text[64];
        uint32_t code = golden_number(&g, GOLDEN_CODE);
        dobutsu_decode(code, &p);
        write_structure(&p, text);
        assert_string_equal(text, g.field[GOLDEN_SQUARES]);
        bool decided = strchr(g.field[GOLDEN_CLASS], ':') != NULL;
        assert_string_equal(class_of(&p), decided ? g.field[GOLDEN_CLASS] : "");
        if (strcmp(g.field[GOLDEN_CANONICAL], "-") == 0)
            continue;
        uint32_t again;
        assert_true(dobutsu_encode(&p, &again));
        assert_int_equal(again, code);
        assert_int_equal(dobutsu_canonical(code), golden_number(&g, GOLDEN_CANONICAL));
        assert_int_equal(code_of(g.field[GOLDEN_TEXT]), golden_number(&g, GOLDEN_CANONICAL));
        dobutsu_write(&p, text);
        assert_string_equal(text, g.field[GOLDEN_TEXT]);
        const int count = golden_moves(&g, golden);
        for (int i = 0; i < count; i++, moves++)
            compare_successor(&p, &golden[i]);
    }
    assert_int_equal(rows, 2000);
    assert_true(moves > 3000);
}

static void test_golden_line(void **context)
{
    (void)context;
    struct golden g;
    int rows = 0;
    golden_open(&g, "dobutsu-line.tsv");
    while (golden_next(&g)) {
        if (strcmp(g.field[3], "-") == 0)
            continue;
        assert_int_equal(code_of(g.field[2]), golden_number(&g, 3));
        rows++;
    }
    assert_int_equal(rows, 78);
}

// ---- all codes ----

// A prime, so all factors of the code are met in many combinations.
enum { STRIDE = 401 };

static void test_round_trips(void **context)
{
    (void)context;
    unsigned valid = 0;
    unsigned mirrored = 0;
    for (uint32_t code = 5; code < DOBUTSU_CODES; code += STRIDE) {
        struct dobutsu p;
        uint32_t again;
        dobutsu_decode(code, &p);
        if (dobutsu_overlaps(&p) || dobutsu_rooster_in_hand(&p))
            continue;
        if (!dobutsu_encode(&p, &again) || again != code)
            fail_msg("code %u is encoded as %u", code, again);
        // The mirror image has the same code unless Sente's lion is on file b.
        dobutsu_mirror(&p);
        if (!dobutsu_encode(&p, &again) || (again != code && p.sente_lion % 3 != 1))
            fail_msg("the mirror image of code %u is encoded as %u", code, again);
        mirrored += again != code;
        struct dobutsu back;
        dobutsu_decode(again, &back);
        dobutsu_mirror(&back);
        if (!dobutsu_encode(&back, &again) || again != code)
            fail_msg("the mirror image of the mirror image of code %u is %u", code, again);
        valid++;
    }
    // 291749376 and 109372887 of all 1078984704 codes.
    assert_in_range(valid, 0.99 * 291749376 / STRIDE, 1.01 * 291749376 / STRIDE);
    assert_in_range(mirrored, 0.99 * 109372887 / STRIDE, 1.01 * 109372887 / STRIDE);
}

// Men exchanged within their pairs and the order of the text do not matter; the canonical code is the smaller one.
static void test_canonical(void **context)
{
    (void)context;
    unsigned changed = 0;
    for (uint32_t code = 3; code < DOBUTSU_CODES; code += 20 * STRIDE) {
        struct dobutsu p;
        uint32_t sorted;
        dobutsu_decode(code, &p);
        if (dobutsu_overlaps(&p) || dobutsu_rooster_in_hand(&p))
            continue;
        dobutsu_sort(&p);
        assert_true(dobutsu_encode(&p, &sorted));
        assert_int_equal(dobutsu_canonical(code), sorted);
        assert_true(sorted <= code);
        changed += sorted != code;
        char text[DOBUTSU_TEXT_MAX];
        dobutsu_write(&p, text);
        assert_int_equal(code_of(text), sorted);
    }
    assert_true(changed > 0);
}

// Invalid codes, exactly: squares follow from the cell, and only the rooster bits matter besides.
static void test_invalid_codes(void **context)
{
    (void)context;
    uint64_t overlap = 0;
    uint64_t rooster = 0;
    uint64_t both = 0;
    for (uint32_t cell = 0; cell < DOBUTSU_CELLS; cell++) {
        struct dobutsu p;
        dobutsu_decode(cell * DOBUTSU_CELL_CODES, &p);
        bool overlaps = dobutsu_overlaps(&p);
        for (unsigned roosters = 0; roosters < 4; roosters++) {
            p.op = (uint8_t)(4 * roosters);
            bool in_hand = dobutsu_rooster_in_hand(&p);
            overlap += overlaps && !in_hand ? 64 : 0;
            rooster += in_hand && !overlaps ? 64 : 0;
            both += in_hand && overlaps ? 64 : 0;
        }
    }
    assert_int_equal(overlap, 676446720);
    assert_int_equal(rooster, 53764608);
    assert_int_equal(both, 57024000);
}

// Of every valid code that Sente cannot win at once: no move wins, and every successor has a code, unless the lion went
// next to the other one or to the far rank. Then it can be taken.
static void test_successors(void **context)
{
    (void)context;
    for (uint32_t code = 1; code < DOBUTSU_CODES; code += STRIDE) {
        struct dobutsu p;
        dobutsu_decode(code, &p);
        if (class_of(&p)[0] != '\0')
            continue;
        struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
        int count = dobutsu_moves(&p, moves);
        assert_in_range(count, 1, 38);
        for (int i = 0; i < count; i++) {
            struct dobutsu after;
            uint32_t next;
            dobutsu_make(&p, &moves[i], &after);
            assert_false(moves[i].wins);
            assert_false(dobutsu_overlaps(&after));
            assert_false(dobutsu_rooster_in_hand(&after));
            if (!dobutsu_encode(&after, &next) && (moves[i].man != DOBUTSU_MAN_LION || !dobutsu_can_take_lion(&after)))
                fail_msg("code %u: a successor without a code", code);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lion_pairs),       cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_examples),         cmocka_unit_test(test_no_code),
        cmocka_unit_test(test_golden_line),      cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_golden_positions), cmocka_unit_test(test_canonical),
        cmocka_unit_test(test_invalid_codes),    cmocka_unit_test(test_successors),
    };
    return cmocka_run_group_tests_name("dobutsu code", tests, NULL, NULL);
}
