// test_dobutsu_text.c - positions and moves of dobutsu shogi as text: what is read, and what is refused in which words
#include "support/dobutsu_golden.h"

// Read, and written in the usual form.
static void test_lenient(void **state)
{
    static const char *const pairs[][2] = {
        {"S/---/---/l--/--L/egecgc", "S/---/---/l--/--L/ccggee"},
        {"G/--l/---/-L-/---/eEgGcC", "G/--l/---/-L-/---/CGEcge"},
        {" \tS/gle/-c-/-C-/ELG/- \t\r\n", DOBUTSU_START},
        {"S/gle/-c-/-C-/ELG/-\n", DOBUTSU_START},
        {"S/l-L/---/---/---/CCGGEE", "S/l-L/---/---/---/CCGGEE"},
        {"S/-lL/---/---/---/CCGGEE", "S/-lL/---/---/---/CCGGEE"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct dobutsu p = position_of(pairs[i][0]);
        char text[DOBUTSU_TEXT_MAX];
        dobutsu_write(&p, text);
        assert_string_equal(text, pairs[i][1]);
    }
}

static const struct {
    const char *text;
    const char *sentence;
} faults[] = {
    {"", "it is empty"},
    {" \t\n", "it is empty"},
    // side to move
    {"W/gle/-c-/-C-/ELG/-", "it begins with the side to move, S or G, not with 'W'"},
    {"s/gle/-c-/-C-/ELG/-", "it begins with the side to move, S or G, not with 's'"},
    {"\xe9/gle/-c-/-C-/ELG/-", "it begins with the side to move, S or G, not with byte 0xe9"},
    {"SG/gle/-c-/-C-/ELG/-", "'G' after the side to move"},
    {"S /gle/-c-/-C-/ELG/-", "' ' after the side to move"},
    // ranks
    {"S", "it has 0 slashes, not 5: side to move / four ranks / men in hand"},
    {"S/", "it has 1 slash, not 5: side to move / four ranks / men in hand"},
    {"S/gle/-c-/ELG/CC", "it has 4 slashes, not 5: side to move / four ranks / men in hand"},
    {"S/gle/-c-/-C-/ELG", "it has 4 slashes, not 5: side to move / four ranks / men in hand"},
    {"S/gle/-c-/---/-C-/ELG/-", "it has 6 slashes, not 5: side to move / four ranks / men in hand"},
    {"S/gle/-c-/-C-/ELG/-/", "it has 6 slashes, not 5: side to move / four ranks / men in hand"},
    {"S/gle/-c/-C-/ELG/-", "rank 2 has 2 squares, not 3"},
    {"S//gle/-C-/ELG/-", "rank 1 has 0 squares, not 3"},
    {"S/gle/-c-/-C-/E/LG-", "rank 4 has 1 square, not 3"},
    {"S/gle/-c--/-C-/ELG/-", "rank 2 has more than 3 squares"},
    {"S/gle/-c-/-C-/ELG-/-", "rank 4 has more than 3 squares"},
    {"S/gle/1c1/-C-/ELG/-", "'1' in rank 2 is neither a man (CGERLcgerl) nor '-'"},
    {"S/gle/-c-/-C-/EKG/-", "'K' in rank 4 is neither a man (CGERLcgerl) nor '-'"},
    {"S/gle/-c-/-\x01-/ELG/-", "byte 0x01 in rank 3 is neither a man (CGERLcgerl) nor '-'"},
    // lions
    {"S/g-e/-c-/-C-/E-G/-", "both lions are missing (L and l)"},
    {"S/gle/-c-/-C-/E-G/-", "Sente has no lion (L)"},
    {"S/g-e/-c-/-C-/ELG/-", "Gote has no lion (l)"},
    {"S/gLe/-c-/-C-/ELG/-", "Sente has two lions (L)"},
    {"S/gle/-c-/lC-/ELG/-", "Gote has two lions (l)"},
    {"S/gle/-c-/-C-/E-G/L", "a lion (L) is in hand"},
    {"S/g-e/-c-/-C-/ELG/l", "a lion (l) is in hand"},
    // men
    {"S/gle/-c-/-C-/ELG/c", "more than two chicks and roosters"},
    {"S/gle/Rc-/-C-/ELG/-", "more than two chicks and roosters"},
    {"S/gle/-c-/-C-/ELG/G", "more than two giraffes"},
    {"S/gle/-ce/-C-/ELG/-", "more than two elephants"},
    {"S/gle/---/---/ELG/-", "no chick or rooster: there are always two, on the board or in hand"},
    {"S/gle/-r-/---/ELG/-", "only one chick or rooster: there are always two, on the board or in hand"},
    {"S/gle/-c-/-C-/EL-/-", "only one giraffe: there are always two, on the board or in hand"},
    {"S/gl-/-c-/-C-/-LG/-", "no elephant: there are always two, on the board or in hand"},
    // men in hand
    {"S/gle/-c-/---/ELG/", "nothing after the last '/': men in hand, or '-' if there are none"},
    {"S/gle/-c-/---/ELG/ C", "nothing after the last '/': men in hand, or '-' if there are none"},
    {"S/gle/-c-/---/ELG/R", "a rooster (R) is in hand: when captured it becomes a chick"},
    {"S/gle/-c-/---/ELG/r", "a rooster (r) is in hand: when captured it becomes a chick"},
    {"S/gle/-c-/---/ELG/P", "'P' in hand is not a man (CGEcge)"},
    {"S/gle/-c-/---/ELG/C-", "'-' in hand is not a man (CGEcge)"},
    // behind the end
    {"S/gle/-c-/-C-/ELG/-C", "'C' after the men in hand"},
    {"S/gle/-c-/-C-/ELG/- 1", "'1' after the men in hand"},
    {"S/gle/-c-/-C-/ELG/-\n\n", "byte 0x0a after the men in hand"},
    {"S/gle/-c-/-C-/ELG/-            ", NULL},
    {"S/gle/-c-/-C-/ELG/-             ", "it is longer than 31 characters"},
};

static void test_faults(void **state)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct dobutsu p;
        struct dobutsu before;
        memset(&p, 0x5a, sizeof p);
        p.turned = false;
        before = p;
        int code = dobutsu_read(&p, faults[i].text);
        if (faults[i].sentence == NULL) {
            assert_int_equal(code, 0);
            continue;
        }
        char sentence[200];
        snprintf(sentence, sizeof sentence, "dobutsu position: %s", faults[i].sentence);
        assert_int_equal(code, CLTB_E_POSITION);
        assert_string_equal(error_text(), sentence);
        assert_memory_equal(&p, &before, sizeof p);
    }
}

// ---- moves as text ----

#define NOT_A_MOVE " is not written as a move: Cb3xb2, Cb2-b1+, or G*a3 for a drop"

static void test_moves(void **state)
{
    static const char promoting[] = "S/---/-C-/l--/ELG/Cge";
    static const struct {
        const char *position;
        const char *text;
        const char *name;     // as it is written
        const char *sentence; // else: what is said after the first 20 letters of the text
    } cases[] = {
        {DOBUTSU_START, "Cb3xb2", "Cb3xb2", NULL},
        {DOBUTSU_START, "cb3xb2", "Cb3xb2", NULL},
        {DOBUTSU_START, "Cb3-b2", "Cb3xb2", NULL},
        {DOBUTSU_START, "cB3B2", "Cb3xb2", NULL},
        {DOBUTSU_START, "CB3XB2", "Cb3xb2", NULL},
        {DOBUTSU_START, "Gc4-c3", "Gc4-c3", NULL},
        {DOBUTSU_START, "gc4c3", "Gc4-c3", NULL},
        {DOBUTSU_START, "Gc4xc3", "Gc4-c3", NULL},
        {"G/gle/-c-/-C-/ELG/-", "cb2b3", "Cb2xb3", NULL},
        {"G/gl-/---/-c-/ELG/Ce", "e*c1", "E*c1", NULL},
        {"G/gl-/---/-c-/ELG/Ce", "Cb3xb4+", "Cb3xb4+", NULL},
        {"G/gl-/---/-c-/ELG/Ce", "cb3b4+", "Cb3xb4+", NULL},
        {"S/---/-r-/l-R/G-L/gEe", "rc3b3", "Rc3-b3", NULL},
        {DOBUTSU_START, "", NULL, NOT_A_MOVE},
        {DOBUTSU_START, "b3b2", NULL, NOT_A_MOVE},
        {DOBUTSU_START, "Cb3", NULL, NOT_A_MOVE},
        {DOBUTSU_START, "Cb3xb5", NULL, NOT_A_MOVE},
        {DOBUTSU_START, "Cd3xb2", NULL, NOT_A_MOVE},
        {DOBUTSU_START, "Cb3xxb2", NULL, NOT_A_MOVE},
        {DOBUTSU_START, "Cb3xb2 ", NULL, NOT_A_MOVE},
        {DOBUTSU_START, "Cb3xb2++", NULL, NOT_A_MOVE},
        {DOBUTSU_START, "Ga3", NULL, NOT_A_MOVE},
        {DOBUTSU_START, "Gc4-c3 and a very long story", NULL, NOT_A_MOVE},
        {DOBUTSU_START, "Cb3xb2+", NULL, ": the man does not promote by this move ('+')"},
        {DOBUTSU_START, "Gb3xb2", NULL, " is not a possible move here"},
        {DOBUTSU_START, "Cb3-b1", NULL, " is not a possible move here"},
        {DOBUTSU_START, "G*a3", NULL, " is not a possible move here"},
        {DOBUTSU_START, "R*a3", NULL, " is not a possible move here"},
        {DOBUTSU_START, "Lb1-a2", NULL, " is not a possible move here"},
        {promoting, "Cb2-b1", NULL, ": the man promotes by this move: write '+'"},
        {promoting, "C*b1+", NULL, ": the man does not promote by this move ('+')"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct dobutsu p = position_of(cases[i].position);
        struct dobutsu_move move;
        char said[200];
        const int code = dobutsu_move_read(&p, cases[i].text, &move);
        if (cases[i].name != NULL) {
            assert_int_equal(code, 0);
            dobutsu_move_write(&p, &move, said);
            assert_string_equal(said, cases[i].name);
        } else {
            snprintf(said, sizeof said, "'%.20s'%s", cases[i].text, cases[i].sentence);
            assert_int_equal(code, CLTB_E_POSITION);
            assert_string_equal(error_text(), said);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lenient), cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_moves)};
    return cmocka_run_group_tests_name("dobutsu text", tests, NULL, NULL);
}
