// test_dobutsu_rules.c - positions, moves and codes of dobutsu shogi: against the definitions and the golden files
#include "support/dobutsu_golden.h"

// ---- the board ----

static void check_mirror(const char *text)
{
    char mirrored[DOBUTSU_TEXT_MAX];
    const struct dobutsu p = position_of(text);
    struct dobutsu q = p;
    dobutsu_mirror(&q);
    dobutsu_write(&q, mirrored);
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 3; column++)
            assert_int_equal(mirrored[2 + 4 * row + column], text[4 + 4 * row - column]);
    assert_string_equal(mirrored + 17, text + 17);
    dobutsu_mirror(&q);
    assert_memory_equal(&p, &q, sizeof p);
}

// Any order of the men in each pair is brought to the same one.
static void check_sort(const char *text)
{
    const struct dobutsu p = position_of(text);
    struct dobutsu q = p;
    const int exchanges = random_below(8);
    for (int first = 0; first < DOBUTSU_MEN; first += 2) {
        if ((exchanges >> first / 2 & 1) == 0)
            continue;
        q.square[first] = p.square[first + 1];
        q.square[first + 1] = p.square[first];
        for (int rooster = 0; rooster < 2; rooster++) {
            uint8_t low = rooster ? dobutsu_rooster_bit(first) : dobutsu_owner_bit(first);
            uint8_t high = rooster ? dobutsu_rooster_bit(first + 1) : dobutsu_owner_bit(first + 1);
            q.op = (uint8_t)((q.op & ~(low | high)) | (p.op & low ? high : 0) | (p.op & high ? low : 0));
        }
    }
    dobutsu_sort(&q);
    assert_memory_equal(&p, &q, sizeof p);
    for (int first = 0; first < DOBUTSU_MEN; first += 2)
        assert_true(q.square[first] < q.square[first + 1] || q.square[first] == DOBUTSU_HAND);
}

TEST(test_men)
{
    static const uint8_t owners[DOBUTSU_MEN] = {0x01, 0x02, 0x40, 0x80, 0x10, 0x20};
    static const uint8_t roosters[DOBUTSU_MEN] = {0x04, 0x08, 0, 0, 0, 0};
    for (int man = 0; man < DOBUTSU_MEN; man++) {
        assert_int_equal(dobutsu_owner_bit(man), owners[man]);
        assert_int_equal(dobutsu_rooster_bit(man), roosters[man]);
    }
    struct dobutsu start = position_of(DOBUTSU_START);
    struct dobutsu p[3] = {start, start, start}; // two men, a man and a lion, two lions on a square
    p[0].square[4] = start.square[0];
    p[1].square[2] = start.sente_lion;
    p[2].gote_lion = start.sente_lion;
    for (int i = 0; i < 3; i++)
        assert_true(dobutsu_overlaps(&p[i]));
    start.op |= 0x08;
    assert_false(dobutsu_rooster_in_hand(&start));
    start.square[1] = DOBUTSU_HAND;
    assert_true(dobutsu_rooster_in_hand(&start));
}

// ---- perft ----

TEST(test_golden_perft)
{
    struct golden g;
    struct dobutsu p;
    struct dobutsu_perft result;
    int rows = 0;
    p = position_of(DOBUTSU_START);
    golden_open(&g, "dobutsu-perft.tsv");
    while (golden_next(&g)) {
        const bool stop = strcmp(g.field[0], "stop") == 0;
        const int depth = (int)golden_number(&g, 1);
        if (depth > (stop ? 8 : 7))
            continue;
        dobutsu_perft(&p, depth, stop, &result);
        assert_int_equal(result.sequences, golden_number(&g, 2));
        assert_int_equal(result.last_move_wins, golden_number(&g, 3));
        rows++;
    }
    assert_int_equal(rows, 15);
}

// To two sums: moves, sequences.
static int add_move(void *context, const struct dobutsu *p, const struct dobutsu_move *move,
                    const struct dobutsu_perft *behind)
{
    uint64_t *sum = context;
    char name[DOBUTSU_MOVE_MAX];
    dobutsu_move_write(p, move, name);
    sum[0]++;
    sum[1] += behind->sequences;
    return strcmp(name, "La4-a3") == 0 ? 7 : 0;
}

TEST(test_perft)
{
    static const struct {
        const char *position;
        int depth;
        bool stop;
        struct dobutsu_perft right; // sequences, those that the last move wins
    } cases[] = {
        {DOBUTSU_START, 0, false, {1, 0}},
        // A winning move ends the sequence; a position that can be won at once is not played from with `stop`.
        {"S/---/L-l/---/---/CCGGEE", 1, false, {30 + 5, 1}},
        {"S/---/L-l/---/---/CCGGEE", 1, true, {0, 0}},
        {"S/---/L-l/---/---/CCGGEE", 0, true, {1, 0}},
        {"S/lEG/EGL/-CC/---/-", 1, false, {0, 0}}, // no move at all
    };
    struct dobutsu_perft result;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct dobutsu p = position_of(cases[i].position);
        dobutsu_perft(&p, cases[i].depth, cases[i].stop, &result);
        assert_memory_equal(&result, &cases[i].right, sizeof result);
    }
    uint64_t sum[2] = {0};
    struct dobutsu p = position_of(DOBUTSU_START);
    assert_int_equal(dobutsu_perft_divide(&p, 4, false, add_move, sum, &result), 0);
    assert_int_equal(sum[0], 4);
    assert_int_equal(sum[1], 976);
    // The count ends when `each` says so.
    p = position_of("S/---/--l/---/L--/ccggee");
    assert_int_equal(dobutsu_perft_divide(&p, 1, false, add_move, sum, &result), 7);
}

// ---- codes ----

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

// Is a code invalid by the rules, or which way does Sente win at once: the column GOLDEN_CLASS; "" for none of these.
static const char *class_of(const struct dobutsu *p)
{
    if (dobutsu_overlaps(p))
        return dobutsu_rooster_in_hand(p) ? "invalid:overlap+rooster-in-hand" : "invalid:overlap";
    if (dobutsu_rooster_in_hand(p))
        return "invalid:rooster-in-hand";
    if (dobutsu_can_take_lion(p))
        return dobutsu_can_ascend(p) ? "win-now:capture+ascend" : "win-now:capture";
    return dobutsu_can_ascend(p) ? "win-now:ascend" : "";
}

static bool side_by_side(int a, int b)
{
    return abs(a / 3 - b / 3) <= 1 && abs(a % 3 - b % 3) <= 1;
}

// Lions side by side or on a far rank have no code, but different places; pairs with Sente's lion on file a or b have
// numbers, in order.
TEST(test_lions)
{
    enum { OTHER_LIONS = 42 };
    struct dobutsu p = {.square = {12, 12, 12, 12, 12, 12}};
    bool seen[OTHER_LIONS] = {false};
    int pairs = 0;
    for (int sente = 0; sente < DOBUTSU_SQUARES; sente++) {
        for (int gote = 0; gote < DOBUTSU_SQUARES; gote++) {
            uint32_t code = 0;
            p.sente_lion = (uint8_t)sente;
            p.gote_lion = (uint8_t)gote;
            const bool has_code = sente < 9 && gote > 2 && !side_by_side(sente, gote);
            const bool numbered = has_code && sente % 3 != 2;
            assert_int_equal(dobutsu_encode(&p, &code), has_code);
            assert_int_equal(dobutsu_lion_pair(sente, gote), numbered ? pairs : -1);
            if (numbered) {
                int read_sente;
                int read_gote;
                dobutsu_lions(pairs++, &read_sente, &read_gote);
                assert_int_equal(read_sente, sente);
                assert_int_equal(read_gote, gote);
            }
            if (sente < 9 && sente != gote) {
                const uint32_t place = dobutsu_place(&p) / DOBUTSU_CELL_CODES; // with all men in hand
                dobutsu_mirror(&p);
                const uint32_t image = dobutsu_place(&p) / DOBUTSU_CELL_CODES;
                dobutsu_mirror(&p);
                assert_true(has_code ? place == code / DOBUTSU_CELL_CODES
                                     : place >= DOBUTSU_CELLS && place < DOBUTSU_CELLS + OTHER_LIONS);
                assert_true(sente % 3 == 1 || place == image);
                assert_true(sente % 3 == 2 || has_code || !seen[place - DOBUTSU_CELLS]);
                if (!has_code)
                    seen[place - DOBUTSU_CELLS] = true;
            }
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
    assert_int_equal(pairs, DOBUTSU_LION_PAIRS);
}

TEST(test_pairs)
{
    int number = 0;
    int low;
    int high;
    dobutsu_unpair(0, &low, &high);
    assert_true(low == 10 && high == 10);
    for (int h = 10; h > 0; h--) {
        for (int w = h - 1; w >= 0; w--) {
            dobutsu_unpair(++number, &low, &high);
            assert_true(low == w && high == h);
        }
    }
    assert_int_equal(number, DOBUTSU_PAIRS - 1);
}

TEST(test_examples)
{
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

// A prime, so all factors of the code are met in many combinations.
enum { STRIDE = 401 };

TEST(test_round_trips)
{
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
TEST(test_canonical)
{
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
TEST(test_invalid_codes)
{
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
TEST(test_successors)
{
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

// ---- golden files ----

TEST(test_golden_positions)
{
    struct golden g;
    struct golden_move golden[DOBUTSU_MOVES_MAX];
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    int rows = 0;
    int positions = 0;
    int with_moves = 0;
    golden_open(&g, "dobutsu-positions.tsv");
    for (; golden_next(&g); rows++) {
        struct dobutsu p;
        char text[64];
        const uint32_t code = golden_number(&g, GOLDEN_CODE);
        dobutsu_decode(code, &p);
        write_structure(&p, text);
        assert_string_equal(text, g.field[GOLDEN_SQUARES]);
        const bool decided = strchr(g.field[GOLDEN_CLASS], ':') != NULL;
        assert_string_equal(class_of(&p), decided ? g.field[GOLDEN_CLASS] : "");
        if (strcmp(g.field[GOLDEN_TEXT], "-") == 0)
            continue;
        positions++;
        uint32_t again;
        assert_true(dobutsu_encode(&p, &again));
        assert_int_equal(again, code);
        assert_int_equal(dobutsu_canonical(code), golden_number(&g, GOLDEN_CANONICAL));
        assert_int_equal(code_of(g.field[GOLDEN_TEXT]), golden_number(&g, GOLDEN_CANONICAL));
        dobutsu_write(&p, text);
        assert_string_equal(text, g.field[GOLDEN_TEXT]);
        check_mirror(text);
        check_sort(text);
        const int count = golden_moves(&g, golden);
        if (count < 0)
            continue;
        with_moves++;
        assert_int_equal(dobutsu_moves(&p, moves), count);
        for (int i = 0; i < count; i++) {
            const struct dobutsu_move move = move_of(&p, golden[i].name);
            struct dobutsu after;
            assert_int_equal(move.wins, golden[i].wins);
            if (move.wins)
                continue;
            dobutsu_make(&p, &move, &after);
            assert_int_equal(dobutsu_encode(&after, &again), golden[i].has_code);
            if (golden[i].has_code)
                assert_int_equal(dobutsu_canonical(again), golden[i].code);
            else
                assert_true(golden[i].byte == 0 && dobutsu_can_take_lion(&after));
        }
    }
    assert_int_equal(rows, 2000);
    assert_int_equal(positions, 1561);
    assert_int_equal(with_moves, 300);
}

// Every other position has Gote to move.
TEST(test_golden_line)
{
    struct golden g;
    struct dobutsu p;
    struct dobutsu after;
    char text[DOBUTSU_TEXT_MAX];
    int ply = 0;
    golden_open(&g, "dobutsu-line.tsv");
    p = position_of(DOBUTSU_START);
    for (; golden_next(&g); ply++) {
        if (ply > 0) {
            char name[DOBUTSU_MOVE_MAX];
            const struct dobutsu_move move = move_of(&p, g.field[1]);
            dobutsu_move_write(&p, &move, name);
            assert_string_equal(name, g.field[1]);
            assert_int_equal(move.wins, ply == 78);
            if (move.wins)
                break;
            dobutsu_make(&p, &move, &after);
            p = after;
        }
        dobutsu_write(&p, text);
        assert_string_equal(text, g.field[2]);
        assert_int_equal(code_of(text), golden_number(&g, 3));
    }
    fclose(g.file);
    assert_int_equal(ply, 78);
}

TESTS(NULL, NULL)
