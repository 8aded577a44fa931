// test_epd.c - lines of EPD: positions, operations, comments, and lines that are not EPD
#include "chess/epd.h"
#include "chess/fen.h"

#include "support/support.h"

#define FIELDS "8/8/8/8/8/2k5/8/2K3Q1 w - -"

static const struct {
    const char *line;
    const char *fen;
    const char *operations; // each with '|' in front and a '/' behind its opcode; "" and what remains: "; comment"
} lines[] = {
    {FIELDS, FIELDS " 0 1", ""},
    {FIELDS " 7 9", FIELDS " 7 9", ""},
    {"8/8/8/8/8/2k5/8/2K3Q1 w", FIELDS " 0 1", ""},
    {FIELDS " bm Qg4; id 1", FIELDS " 0 1", "|bm/ Qg4|id/ 1"},
    {FIELDS " bm Qg4 Qg5 ; id \"a; b\";\r\n", FIELDS " 0 1", "|bm/ Qg4 Qg5|id/ \"a; b\""},
    {FIELDS " 7 9 draw_offer;id \"open", FIELDS " 7 9", "|draw_offer/|id/ \"open"},
    {FIELDS " hmvc 12; fmvn 0;", FIELDS " 12 1", "|hmvc/ 12|fmvn/ 0"},
    {FIELDS " 7 9 hmvc 8;;", FIELDS " 8 9", "|hmvc/ 8"},
    {FIELDS "; Lucena", FIELDS " 0 1", "; Lucena"},
    {FIELDS " 7 9 ;bm Qg4;", FIELDS " 7 9", ";bm Qg4;"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w d6 c0 \"x\";", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "|c0/ \"x\""},
    {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - c0 \"x\";", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "|c0/ \"x\""},
    {"r3k1r1/8/8/8/8/8/8/R3K2R w HAga - bm O-O;", "r3k1r1/8/8/8/8/8/8/R3K2R w HAga - 0 1", "|bm/ O-O"},
    // opcodes that look like squares
    {FIELDS " c1 \"x\"; id \"a\";", FIELDS " 0 1", "|c1/ \"x\"|id/ \"a\""},
    {FIELDS " c3 \"x\";", FIELDS " 0 1", "|c3/ \"x\""},
    {FIELDS " c6\t\"x\"; c8 y", FIELDS " 0 1", "|c6/\t\"x\"|c8/ y"},
    {FIELDS " 7 9 c8 \"x\"", FIELDS " 7 9", "|c8/ \"x\""},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - c3 \"x\";", FIELDS " 0 1", "|c3/ \"x\""},
    {"8/8/8/8/8/2k5/8/2K3Q1 w c6 \"x\";", FIELDS " 0 1", "|c6/ \"x\""},
    {FIELDS " v0 1; e4;", FIELDS " 0 1", "|v0/ 1|e4/"},
    // one operation without a semicolon
    {FIELDS " bm Qg4", FIELDS " 0 1", "|bm/ Qg4"},
    {FIELDS " 7 9 bm c1d2", FIELDS " 7 9", "|bm/ c1d2"},
    {FIELDS " 7 bm Qg4 Qg5", FIELDS " 7 1", "|bm/ Qg4 Qg5"},
    {FIELDS " 0 1 id \"a b\"\r\n", FIELDS " 0 1", "|id/ \"a b\""},
    {FIELDS " hmvc 12", FIELDS " 12 1", "|hmvc/ 12"},
    // quotes and backslashes in strings
    {FIELDS " id \"a \\\"b; c\\\" d\"; bm Qg4;", FIELDS " 0 1", "|id/ \"a \\\"b; c\\\" d\"|bm/ Qg4"},
    {FIELDS " id \"C:\\\"; bm Qg4;", FIELDS " 0 1", "|id/ \"C:\\\"|bm/ Qg4"},
    {FIELDS " id \"C:\\\\\"; bm Qg4;", FIELDS " 0 1", "|id/ \"C:\\\\\"|bm/ Qg4"},
    {FIELDS " id \"a\" \"b;c\"; bm Qg4;", FIELDS " 0 1", "|id/ \"a\" \"b;c\"|bm/ Qg4"},
    {FIELDS " id \"it's\"; c1 \"\";", FIELDS " 0 1", "|id/ \"it's\"|c1/ \"\""},
    {FIELDS " id \"open;", FIELDS " 0 1", "|id/ \"open"},
    {FIELDS " id \"open ; ;\n", FIELDS " 0 1", "|id/ \"open"},
    // fields that are missing
    {"8/8/8/8/8/2k5/8/2K3Q1 w ce -34; acd 2;", FIELDS " 0 1", "|ce/ -34|acd/ 2"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w bm e4;", FIELDS " 0 1", "|bm/ e4"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - c9 x; c0 y;", FIELDS " 0 1", "|c9/ x|c0/ y"},
};

TEST(test_accepted)
{
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct position p;
        struct epd_operation operation;
        const char *rest;
        char fen[FEN_MAX];
        char operations[200] = "";
        GOOD(epd_read(&p, lines[i].line, &rest));
        fen_write(&p, fen);
        assert_string_equal(fen, lines[i].fen);
        while (epd_next(&rest, &operation)) {
            const size_t length = strlen(operations);
            snprintf(operations + length, sizeof operations - length, "|%.*s/%.*s", operation.opcode, operation.text,
                     operation.length - operation.opcode, operation.text + operation.opcode);
        }
        strcat(operations, rest);
        assert_string_equal(operations, lines[i].operations);
    }
}

TEST(test_faults)
{
    static const char *const faults[][2] = {
        {"", "FEN: it ends before the placement"},
        {FIELDS " more", "FEN: the half-move clock is not a number: 'm'"},
        {FIELDS " 0 1 more", "FEN: 'm' after the last field"},
        {FIELDS " x 1", "FEN: the half-move clock is not a number: 'x'"},
        {FIELDS " 0 1 2", "FEN: '2' after the last field"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w - x9 0 1",
         "FEN: the en passant square must be a square such as e3, or '-'; it begins with 'x'"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w KQkx - 0 1",
         "FEN: castling rights are letters of KQkq, files of rooks or '-', not 'x'"},
        // faulty fields are no operations
        {"4k3/8/8/8/8/8/8/4K1R1 w H - bm O-O;", "FEN: castling rights need White's king on b1 to g1 and a rook on h1"},
        {"4k3/8/8/8/8/8/8/R3K3 w HA - 0 1; id \"x\";",
         "FEN: castling rights need White's king on b1 to g1 and a rook on h1"},
        {"r3k3/8/8/8/8/8/8/4K3 b a e3 bm O-O-O;",
         "FEN: en passant square e3: no white pawn on e4 that could have passed it"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w KQkx - bm Qd4;",
         "FEN: castling rights are letters of KQkq, files of rooks or '-', not 'x'"},
        {"8/8/8/8/2pP4/2K5/4k3/8 b X d3 bm cxd3;",
         "FEN: castling rights are letters of KQkq, files of rooks or '-', not 'X'"},
        {"8/8/8/8/2pP4/2K5/4k3/8 b - D3 bm cxd3;",
         "FEN: the en passant square must be a square such as e3, or '-'; it begins with 'D'"},
        {"8/8/8/8/2pP4/2K5/4k3/8 b - d9 bm cxd3;",
         "FEN: the en passant square must be a square such as e3, or '-'; it begins with 'd'"},
        {"8/8/8/8/2pP4/2K5/4k3/8 b - d bm cxd3;",
         "FEN: the en passant square must be a square such as e3, or '-'; it begins with 'd'"},
        {FIELDS " 0 1 2;", "EPD: an operation begins with a letter, not with '2'"},
        {FIELDS " bm Qg4; +;", "EPD: an operation begins with a letter, not with '+'"},
        {FIELDS " hmvc;", "EPD: 'hmvc' takes a number from 0 to 9999"},
        {FIELDS " hmvc -1;", "EPD: 'hmvc' takes a number from 0 to 9999"},
        {FIELDS " hmvc 1 2;", "EPD: 'hmvc' takes a number from 0 to 9999"},
        {FIELDS " fmvn 99999999999999999999;", "EPD: 'fmvn' takes a number from 0 to 9999"},
        {"8/8/8/8/8/2k5/8/2K3Q1; x", "FEN: it ends before the side to move"},
        {"bm Qg4; id 1;", "FEN: 'm' in rank 8 is not a piece letter (KQRBNPkqrbnp)"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct position p;
        const char *rest;
        assert_int_equal(epd_read(&p, faults[i][0], &rest), CLTB_E_POSITION);
        assert_string_equal(error_text(), faults[i][1]);
    }
}

TESTS(NULL, NULL)
