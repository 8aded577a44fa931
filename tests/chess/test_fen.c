// test_fen.c - what the FEN reader accepts, and its sentence for every kind of error
#include "chess/fen.h"

#include "oracle/position_check.h"
#include "support/support.h"

// A FEN, and how it is written if that is different.
TEST(test_accepted)
{
    static const char *const fens[][2] = {
        {FEN_START, NULL},
        // python-chess, shakmaty: missing fields and any white space
        {"8/8/8/8/8/2k5/8/2K3Q1 w -  -", "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"},
        {"8/8/8/8/8/2k5/8/2K3Q1\tw\t-\t-\t3\t4", "8/8/8/8/8/2k5/8/2K3Q1 w - - 3 4"},
        {"8/8/8/8/8/2k5/8/2K3Q1 b - - 3", "8/8/8/8/8/2k5/8/2K3Q1 b - - 3 1"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w - - 00 01", "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1\r", "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"},
        // X-FEN: the square after a double step that nobody can take; the standard: it is always given
        {"4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", NULL},
        {"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", NULL},
        {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", NULL},
        {"rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3", NULL},
        {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1", NULL},
        {"8/8/8/8/8/2k5/8/2K3Q1 b - - 9999 9999", NULL},
        {"4k2r/8/8/8/8/8/8/R3K3 b Qk - 12 34", NULL},
        {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", NULL},
        {"k7/8/8/8/8/8/8/7K w - - 0 1", NULL},
        {"8/8/8/8/8/2k5/8/2K3Q1 w - -", "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w", "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w -\n", "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w - 7 9", "8/8/8/8/8/2k5/8/2K3Q1 w - - 7 9"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w 7 9", "8/8/8/8/8/2k5/8/2K3Q1 w - - 7 9"},
        {"4k3/8/8/3pP3/8/8/8/4K3 w d6", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w - - 7", "8/8/8/8/8/2k5/8/2K3Q1 w - - 7 1"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 0", "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"},
        {"  8/8/8/8/8/2k5/8/2K3Q1   w\t-  - 0  1 \r\n", "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"},
        {"8/8/8/8/8/2k5/8/2K3Q1 w - - 007 0001\n", "8/8/8/8/8/2k5/8/2K3Q1 w - - 7 1"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"},
        {"r3k2r/8/8/8/8/8/8/R3K2R w ahAH - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"},
        {"1rk3rr/8/8/8/8/8/8/RR1K1RR1 w KQkq - 0 1", "1rk3rr/8/8/8/8/8/8/RR1K1RR1 w GAhb - 0 1"},
        {"1rk3rr/8/8/8/8/8/8/RR1K1RR1 w FBgb - 0 1", NULL},
        {"4k1r1/8/8/8/8/8/8/1R2K2R w KQk - 0 1", "4k1r1/8/8/8/8/8/8/1R2K2R w HBg - 0 1"},
        {"4k1r1/8/8/8/8/8/8/1R2K2R w B", "4k1r1/8/8/8/8/8/8/1R2K2R w B - 0 1"},
    };
    for (size_t i = 0; i < sizeof fens / sizeof fens[0]; i++) {
        struct position p;
        char text[FEN_MAX];
        GOOD(fen_read(&p, fens[i][0]));
        GOOD(position_check(&p));
        fen_write(&p, text);
        assert_string_equal(text, fens[i][fens[i][1] != NULL]);
    }
}

TEST(test_fields)
{
    struct position p;
    assert_int_equal(fen_read(&p, "r3k2r/8/8/8/3pP3/8/8/R3K2R b KQkq e3 0 42"), 0);
    const uint32_t numbers[] = {p.side, p.castling, p.en_passant, p.fifty, p.move_number, p.ply};
    const int men[] = {p.board[0], p.board[27], p.board[63]};
    assert_memory_equal(numbers, ((uint32_t[]){BLACK, 0x8181, 20, 0, 42, 0}), sizeof numbers);
    assert_memory_equal(men, ((int[]){piece_code(WHITE, ROOK), piece_code(BLACK, PAWN), piece_code(BLACK, ROOK)}),
                        sizeof men);
}

static const struct {
    const char *fen;
    const char *sentence;
} faults[] = {
    // placement
    {"", "it ends before the placement"},
    {" \t ", "it ends before the placement"},
    {"8/8/8/8/8/2k5/2K3Q1 w - - 0 1", "the placement has 7 ranks, not 8"},
    {"4k3", "the placement has 1 rank, not 8"},
    {"8/8/8/8/8/2k5/8/2K3Q1/8 w - - 0 1", "the placement has more than 8 ranks"},
    {"8/8/8/8/8/2k5/8/2K3Q w - - 0 1", "rank 1 has 7 files, not 8"},
    {"8/8/8/8/8/2k4/8/2K3Q1 w - - 0 1", "rank 3 has 7 files, not 8"},
    {"8/8/8/8/8/2k6/8/2K3Q1 w - - 0 1", "rank 3 has more than 8 files"},
    {"8/8/8/8/8/2k5q/8/2K3Q1 w - - 0 1", "rank 3 has more than 8 files"},
    {"8/8/8/8//2k5/8/2K3Q1 w - - 0 1", "rank 4 has 0 files, not 8"},
    {"8/8/8/44/8/2k5/8/2K3Q1 w - - 0 1", "two numbers in a row in rank 5"},
    {"8/8/8/9/8/2k5/8/2K3Q1 w - - 0 1", "'9' in rank 5: empty squares are counted 1 to 8"},
    {"8/8/8/08/8/2k5/8/2K3Q1 w - - 0 1", "'0' in rank 5: empty squares are counted 1 to 8"},
    {"8/8/8/8/8/2x5/8/2K3Q1 w - - 0 1", "'x' in rank 3 is not a piece letter (KQRBNPkqrbnp)"},
    {"8/8/8/8/8/2\0015/8/2K3Q1 w - - 0 1", "byte 0x01 in rank 3 is not a piece letter (KQRBNPkqrbnp)"},
    {"8/8/8/8/8/2\3515/8/2K3Q1 w - - 0 1", "byte 0xe9 in rank 3 is not a piece letter (KQRBNPkqrbnp)"},
    // the men
    {"8/8/8/8/8/2k5/8/4Q3 w - - 0 1", "White has no king"},
    {"8/8/8/8/8/8/8/2K3Q1 w - - 0 1", "Black has no king"},
    {"8/8/8/8/8/2k5/8/2K1K3 w - - 0 1", "White has more than one king (on c1 and e1)"},
    {"k6k/8/8/8/8/8/8/4K3 w - - 0 1", "Black has more than one king (on a8 and h8)"},
    {"P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "White has a pawn on a8: pawns stand on ranks 2 to 7"},
    {"4k3/8/8/8/8/8/8/p3K3 w - - 0 1", "Black has a pawn on a1: pawns stand on ranks 2 to 7"},
    {"4k3/8/P7/8/8/8/PPPPPPPP/4K3 w - - 0 1", "White has more than 8 pawns"},
    {"4k3/8/8/8/8/N7/NNNNNNNN/NNNNKNNN w - - 0 1", "White has more than 16 men"},
    {"8/8/8/8/8/2k5/2K5/8 w - - 0 1", "the kings on c2 and c3 are adjacent"},
    {"4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "Black is in check, but White is to move"},
    {"4k3/8/8/8/8/8/5p2/4K3 b - - 0 1", "White is in check, but Black is to move"},
    // side
    {"8/8/8/8/8/2k5/8/2K3Q1", "it ends before the side to move"},
    {"8/8/8/8/8/2k5/8/2K3Q1 x - - 0 1", "the side to move must be 'w' or 'b', not 'x'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 W - - 0 1", "the side to move must be 'w' or 'b', not 'W'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 white - - 0 1", "the side to move must be 'w' or 'b', not 'white'"},
    // castling
    {"4k3/8/8/8/8/8/8/R3K2R w KX - 0 1", "castling rights are letters of KQkq, files of rooks or '-', not 'X'"},
    {"4k3/8/8/8/8/8/8/R3K2R w KK - 0 1", "castling right K is given twice"},
    {"4k3/8/8/8/8/8/8/R3K2R w -K - 0 1", "'K' after the castling rights '-'"},
    {"4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "castling rights need White's king on b1 to g1 and a rook on h1"},
    {"4k3/8/8/8/8/8/8/4K2R w Q - 0 1", "castling rights need White's king on b1 to g1 and a rook on a1"},
    {"3k3r/8/8/8/8/8/4K3/R7 w Q - 0 1", "castling rights need White's king on b1 to g1 and a rook on a1"},
    {"r6k/8/8/8/8/8/8/4K3 w q - 0 1", "castling rights need Black's king on b8 to g8 and a rook on a8"},
    {"R3k3/8/8/8/8/8/8/4K3 b q - 0 1", "castling rights need Black's king on b8 to g8 and a rook on a8"},
    {"4k3/8/8/8/8/8/8/1R3K2 w F - 0 1", "castling rights need White's king on b1 to g1 and a rook on f1"},
    {"4k3/8/8/8/8/8/8/RR3K2 w AB - 0 1", "castling rights: White has them with two rooks on one side of the king"},
    {"3k2rr/8/8/8/8/8/8/4K3 b kg - 0 1", "castling rights: Black has them with two rooks on one side of the king"},
    {"4k3/8/8/8/8/8/8/1R3K1R w KQH - 0 1", "castling right H is given twice"},
    // en passant
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d9 0 1",
     "the en passant square must be a square such as e3, or '-'; it begins with 'd'"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - x 0 1",
     "the en passant square must be a square such as e3, or '-'; it begins with 'x'"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d", "the en passant square must be a square such as e3, or '-'; it begins with 'd'"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d66 0 1", "'6' after the en passant square"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - -d 0 1", "'d' after the en passant square"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d3 0 1", "en passant square d3: with White to move it must lie on rank 6"},
    {"4k3/8/8/3pP3/8/8/8/4K3 b - d6 0 1", "en passant square d6: with Black to move it must lie on rank 3"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - e6 0 1", "en passant square e6: no black pawn on e5 that could have passed it"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - a6 0 1", "en passant square a6: no black pawn on a5 that could have passed it"},
    {"4k3/8/8/8/3pP3/8/8/4K3 b - d3 0 1", "en passant square d3: no white pawn on d4 that could have passed it"},
    {"4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1", "en passant square d6 is occupied"},
    {"4k3/3n4/8/3pP3/8/8/8/4K3 w - d6 0 1",
     "en passant square d6: the pawn cannot have come from d7, which is occupied"},
    // counters and the end
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - x 1", "the half-move clock is not a number: 'x'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - - 1", "the half-move clock is not a number: '-'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 1.5 1", "the half-move clock is not a number: '.'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - +1 1", "the half-move clock is not a number: '+'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - -1 1", "the half-move clock is negative"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 10000 1", "the half-move clock is larger than 9999"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 99999999999999999999999 1", "the half-move clock is larger than 9999"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 one", "the full-move number is not a number: 'o'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 -3", "the full-move number is negative"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 10000", "the full-move number is larger than 9999"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1 x", "'x' after the last field"},
    // as other programs and people write them
    {"\"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1\"", "'\"' in rank 8 is not a piece letter (KQRBNPkqrbnp)"},
    {"[8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1]", "'[' in rank 8 is not a piece letter (KQRBNPkqrbnp)"},
    {"position fen 8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1", "'o' in rank 8 is not a piece letter (KQRBNPkqrbnp)"},
    {"fen: 8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1", "'f' in rank 8 is not a piece letter (KQRBNPkqrbnp)"},
    {"startpos", "'s' in rank 8 is not a piece letter (KQRBNPkqrbnp)"},
    {"8/8/8/8/8/2k5/8/2K3Q1_w_-_-_0_1", "rank 1 has more than 8 files"},
    {"8\\8\\8\\8\\8\\2k5\\8\\2K3Q1 w - - 0 1", "rank 8 has more than 8 files"},
    {"8/8/8/8/8/2k5/8/2K3Q~1 w - - 0 1", "'~' in rank 1 is not a piece letter (KQRBNPkqrbnp)"},
    {"8/8/8/8/8/2k5/8/2K3Q1[] w - - 0 1", "rank 1 has more than 8 files"},
    {"8/8/8/8/8/2k5/8/2K3Q1/ w - - 0 1", "the placement has more than 8 ranks"},
    {"/8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1", "rank 8 has 0 files, not 8"},
    {"8/8/8/8/8/2k11111/8/2K3Q1 w - - 0 1", "two numbers in a row in rank 3"},
    {"8/8/8/8/8/2\342\231\2325/8/2K3Q1 w - - 0 1", "byte 0xe2 in rank 3 is not a piece letter (KQRBNPkqrbnp)"},
    {"8/8/8/8/8/2k5/8/2D3K1 w - - 0 1", "'D' in rank 1 is not a piece letter (KQRBNPkqrbnp)"},
    {"8/8/8/8/8/2k5/8/2K3Q1 B - - 0 1", "the side to move must be 'w' or 'b', not 'B'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 - - - 0 1", "the side to move must be 'w' or 'b', not '-'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 0 1", "the side to move must be 'w' or 'b', not '0'"},
    {"4k3/8/8/8/8/8/8/R3K2R w KQ-- - 0 1", "castling rights are letters of KQkq, files of rooks or '-', not '-'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w -- 0 1", "'-' after the castling rights '-'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w KQkq - 0 1", "castling rights need White's king on b1 to g1 and a rook on h1"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - D6 0 1",
     "the en passant square must be a square such as e3, or '-'; it begins with 'D'"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d 6 0 1",
     "the en passant square must be a square such as e3, or '-'; it begins with 'd'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - - -", "the half-move clock is not a number: '-'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 -", "the full-move number is not a number: '-'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0,1", "the half-move clock is not a number: ','"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0x1 1", "the half-move clock is not a number: 'x'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1 +0+0", "'+' after the last field"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1;", "the full-move number is not a number: ';'"},
    {"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1\n8/8", "'8' after the last field"},
};

// After an error the position keeps its old contents.
TEST(test_faults)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct position p;
        struct position start;
        position_start(&p);
        position_start(&start);
        if (fen_read(&p, faults[i].fen) != CLTB_E_POSITION)
            fail_msg("\"%s\" is accepted", faults[i].fen);
        if (strncmp(error_text(), "FEN: ", 5) != 0 || strcmp(error_text() + 5, faults[i].sentence) != 0)
            fail_msg("\"%s\"\n  says     %s\n  expected FEN: %s", faults[i].fen, error_text(), faults[i].sentence);
        assert_true(position_same(&p, &start));
    }
}

TEST(test_too_long)
{
    struct position p;
    char text[1000];
    memset(text, ' ', sizeof text);
    memcpy(text, FEN_START, strlen(FEN_START));
    text[FEN_MAX - 1] = '\0';
    GOOD(fen_read(&p, text));
    text[FEN_MAX - 1] = ' ';
    text[FEN_MAX] = '\0';
    FAILS(fen_read(&p, text), CLTB_E_POSITION, "FEN: it is longer than 127 characters");
    text[FEN_MAX] = ' ';
    text[sizeof text - 1] = '\0';
    assert_int_equal(fen_read(&p, text), CLTB_E_POSITION);
}

// No prefix and no single change of a FEN may do harm; what is accepted passes the self-check.
TEST(test_small_changes)
{
    static const char fen[] = "r3k2r/p1p2p2/8/3pP3/8/8/P4PPP/R3K2R w KQkq d6 0 1";
    int accepted = 0;
    for (size_t at = 0; at < sizeof fen; at++) {
        for (int c = 0; c < 256; c++) {
            struct position p;
            char text[sizeof fen];
            memcpy(text, fen, sizeof fen);
            text[at] = (char)c;
            text[sizeof fen - 1] = '\0';
            if (fen_read(&p, text) != 0)
                continue;
            accepted++;
            if (position_check(&p) != 0)
                fail_msg("\"%s\": %s", text, error_text());
        }
    }
    assert_in_range(accepted, 300, 2000);
}

// Only what the men cannot have is dropped, each part by itself. The strict reader refuses all of these.
TEST(test_lenient)
{
    static const char *const fens[][2] = {
        {"8/8/8/8/2pP4/2K5/4k3/8 b k d3 0 1", "8/8/8/8/2pP4/2K5/4k3/8 b - d3 0 1"},
        {"8/8/8/3kPp2/8/8/3K4/8 w KQkq f6 0 1", "8/8/8/3kPp2/8/8/3K4/8 w - f6 0 1"},
        {"4k2r/8/8/3pP3/8/8/8/R3K3 w KQkq e6 0 1", "4k2r/8/8/3pP3/8/8/8/R3K3 w Qk - 0 1"},
        {"4k2r/8/8/3pP3/8/8/8/R3K3 w HAha d6 0 1", "4k2r/8/8/3pP3/8/8/8/R3K3 w Ah d6 0 1"},
        {"4k2r/8/8/3pP3/8/8/8/R3K3 w QkQbG d6 0 1", "4k2r/8/8/3pP3/8/8/8/R3K3 w Qk d6 0 1"},
        {"1k5r/8/8/8/8/8/8/R2K1R2 w KQFkh e6 0 1", "1k5r/8/8/8/8/8/8/R2K1R2 w Fh - 0 1"},
        {"8/8/8/8/2pP4/2K5/4k3/8 w - d3 0 1", "8/8/8/8/2pP4/2K5/4k3/8 w - - 0 1"},
        {"8/8/8/8/2pP4/2K5/4k3/8 b - d8", "8/8/8/8/2pP4/2K5/4k3/8 b - - 0 1"},
        {"8/8/8/8/2pP4/2K5/4k3/8", "8/8/8/8/2pP4/2K5/4k3/8 w - - 0 1"},
        {"8/8/8/8/8/2K5/4k3/Q~7 b - - 99999999999 99999", "8/8/8/8/8/2K5/4k3/Q7 b - - 9999 9999"},
    };
    static const char *const refused[] = {"8/8/8/8/8/2K5/4k3/Q7 w x - 0 1",   "8/8/8/8/8/2K5/4k3/Q7 w - z9 0 1",
                                          "8/8/8/8/8/2K5/4k3/Q7 x - - 0 1",   "8/8/8/8/8/2K5/4k3/~Q7 w - - 0 1",
                                          "8/8/8/8/8/2K5/4k3/Q7 w - - 0 1 2", ""};
    struct position p;
    char text[FEN_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof fens / sizeof fens[0]; i++) {
        assert_int_equal(fen_read(&p, fens[i][0]), CLTB_E_POSITION);
        GOOD(fen_read_lenient(&p, fens[i][0], false));
        GOOD(position_check(&p));
        fen_write(&p, text);
        assert_string_equal(text, fens[i][1]);
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_int_equal(fen_read_lenient(&p, refused[i], true), CLTB_E_POSITION);
}

TESTS(NULL, NULL)
