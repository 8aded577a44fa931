// test_dobutsu_text.c - positions and moves of dobutsu shogi as text: what is read, and what is refused with which
// message
#include "support/dobutsu_golden.h"

// Read, and written in the usual form.
TEST(test_lenient)
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
    // after the end
    {"S/gle/-c-/-C-/ELG/-C", "'C' after the men in hand"},
    {"S/gle/-c-/-C-/ELG/- 1", "'1' after the men in hand"},
    {"S/gle/-c-/-C-/ELG/-\n\n", "byte 0x0a after the men in hand"},
    {"S/gle/-c-/-C-/ELG/-            ", NULL},
    {"S/gle/-c-/-C-/ELG/-             ", "it is longer than 31 characters"},
};

TEST(test_faults)
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

TEST(test_moves)
{
    static const struct {
        const char *position;
        const char *name;     // as these texts are written, or
        const char *sentence; // what follows the text's first 20 letters in the error sentence
        const char *texts[12];
    } cases[] = {
        {DOBUTSU_START, "Cb3xb2", NULL, {"Cb3xb2", "cb3xb2", "Cb3-b2", "cB3B2", "CB3XB2"}},
        {DOBUTSU_START, "Gc4-c3", NULL, {"Gc4-c3", "gc4c3", "Gc4xc3"}},
        {"G/gle/-c-/-C-/ELG/-", "Cb2xb3", NULL, {"cb2b3"}},
        {"G/gl-/---/-c-/ELG/Ce", "E*c1", NULL, {"e*c1"}},
        {"G/gl-/---/-c-/ELG/Ce", "Cb3xb4+", NULL, {"Cb3xb4+", "cb3b4+"}},
        {"S/---/-r-/l-R/G-L/gEe", "Rc3-b3", NULL, {"rc3b3"}},
        {DOBUTSU_START,
         NULL,
         " is not written as a move: Cb3xb2, Cb2-b1+, or G*a3 for a drop",
         {"", "b3b2", "Cb3", "Cb3xb5", "Cd3xb2", "Cb3xxb2", "Cb3xb2 ", "Cb3xb2++", "Ga3",
          "Gc4-c3 and a very long story"}},
        {DOBUTSU_START, NULL, ": the man does not promote by this move ('+')", {"Cb3xb2+"}},
        {DOBUTSU_START, NULL, " is not a possible move here", {"Gb3xb2", "Cb3-b1", "G*a3", "R*a3", "Lb1-a2"}},
        {"S/---/-C-/l--/ELG/Cge", NULL, ": the man promotes by this move: write '+'", {"Cb2-b1"}},
        {"S/---/-C-/l--/ELG/Cge", NULL, ": the man does not promote by this move ('+')", {"C*b1+"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct dobutsu p = position_of(cases[i].position);
        for (const char *const *text = cases[i].texts; *text != NULL; text++) {
            struct dobutsu_move move;
            char said[200];
            const int code = dobutsu_move_read(&p, *text, &move);
            if (cases[i].name != NULL) {
                assert_int_equal(code, 0);
                dobutsu_move_write(&p, &move, said);
                assert_string_equal(said, cases[i].name);
            } else {
                snprintf(said, sizeof said, "'%.20s'%s", *text, cases[i].sentence);
                assert_int_equal(code, CLTB_E_POSITION);
                assert_string_equal(error_text(), said);
            }
        }
    }
}

TESTS(NULL, NULL)
