// dobutsu.h - probing the complete table of dobutsu shogi ("animal shogi", 3x4 board)
//
// The table has every position of the game. Open its folder once, then probe from any number of threads.
//
//     cltb_dobutsu *table;
//     if (cltb_dobutsu_open(&table, "tables", NULL) != CLTB_OK) { puts(cltb_error()); ... }
//     cltb_dobutsu_value value;
//     if (cltb_dobutsu_probe(table, CLTB_DOBUTSU_START, &value) == CLTB_OK)
//         printf("%s in %d\n", cltb_outcome_name(value.outcome), value.plies);     // loss in 78
//     cltb_dobutsu_close(table);
//
// A position is text: T/a1b1c1/a2b2c2/a3b3c3/a4b4c4/HAND. T is S or G, the side to move; Sente, with capital letters,
// plays up the board to rank 1, Gote, with small letters, down to rank 4. C is a chick, G a giraffe, E an elephant, L a
// lion, R a rooster (a promoted chick), '-' an empty square. HAND names the men in hand in any order, or is '-'.
//
// A move is also text: letter, from, '-' or 'x', to, and '+' if a chick is promoted: "Gc4-c3", "Cb3xb2", "Cb2-b1+"; a
// drop is "G*a3".
//
// As in cltb.h, no function prints, exits or changes global state, and cltb_error() explains a negative result.
#ifndef CLTB_DOBUTSU_H
#define CLTB_DOBUTSU_H

#include <cltb/cltb.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLTB_DOBUTSU_START "S/gle/-c-/-C-/ELG/-"

enum {
    CLTB_DOBUTSU_MOVES_MAX = 96,
    CLTB_DOBUTSU_LINE_MAX = 200, // more plies than any best line has
    CLTB_DOBUTSU_TEXT_MAX = 32,  // a position with its NUL
    CLTB_DOBUTSU_MOVE_MAX = 8,   // a move with its NUL
    CLTB_DOBUTSU_UNKNOWN = 127,  // an outcome that is not known, see cltb_dobutsu_moves()
    CLTB_DOBUTSU_NO_BYTE = -1
};

typedef struct cltb_dobutsu cltb_dobutsu;

// Opens dobutsu.cltb in the first of `folders` that has it; the list is as for cltb_open(). `options` may be NULL.
// CLTB_E_MISSING if no folder has it, CLTB_E_CORRUPT or CLTB_E_FOREIGN if the file is damaged or of another kind.
int cltb_dobutsu_open(cltb_dobutsu **table, const char *folders, const cltb_options *options);

// Closes the table. No other thread may still be using it. NULL is allowed.
void cltb_dobutsu_close(cltb_dobutsu *table);

// ---- probing ----

// The value of a position for the side to move with best play by both sides.
//
// plies is the number of plies to the end of the game, including the winning move (which takes the lion or ascends): 1
// is a win with the next move, the initial position is a loss in 78. It is 0 for a draw, and if the game is over. A
// player who has no move at all has lost; the table counts this like a mate, as a loss in 2, although no move follows.
//
// byte is the table's number: plies without the winning move, so plies - 1 (even: a win, odd: a loss), and 254 for a
// draw. CLTB_DOBUTSU_NO_BYTE if the game is over or the outcome is unknown.
typedef struct cltb_dobutsu_value {
    int outcome; // CLTB_WIN, CLTB_DRAW, CLTB_LOSS; CLTB_DOBUTSU_UNKNOWN only of moves
    int plies;
    int byte;
} cltb_dobutsu_value;

// The table has no entry for positions in which the lions are adjacent or one of them is on its far rank (where a lion
// that is not attacked has won). Their values follow from the first of these rules that applies:
//
//     the side to move can take the lion        win in 1
//     the opponent's lion is on its far rank    it has ascended: the game is over, a loss in 0
//     the side to move can ascend               win in 1 (a lion on the far rank may move there to a safe square)
//     its own lion is on its far rank           it got there unsafely and was not taken. Such games continue outside
//                                               the table: the value is that of its moves if they determine it (no
//                                               move, or every move loses the lion: a loss; a win in 3), else
//                                               CLTB_E_POSITION
//
// Also CLTB_E_POSITION if the text is not a position: bad notation, a missing lion, a man too many or too few. Errors
// in reading the table are CLTB_E_CORRUPT and CLTB_E_IO.
int cltb_dobutsu_probe(cltb_dobutsu *table, const char *position, cltb_dobutsu_value *value);

// A possible move and the value of the position if it is played and both sides play perfectly from then on. So the best
// move's value is the position's own.
typedef struct cltb_dobutsu_move {
    char move[CLTB_DOBUTSU_MOVE_MAX];
    char after[CLTB_DOBUTSU_TEXT_MAX]; // the position after it; empty if it wins
    uint8_t wins;                      // 1: takes the lion, or ascends
    cltb_dobutsu_value value;
} cltb_dobutsu_move;

// Writes all possible moves, best first: wins, the shorter the better; draws; losses, the longer the better; equal
// moves alphabetically (as the mover sees the move, Gote with the board rotated). Returns their number, 0 if there is
// none or the game is over. This includes moves that lose the lion. The outcome CLTB_DOBUTSU_UNKNOWN, between draws and
// losses, occurs only if there is a win in 1 or 3: the move leaves a lion on its far rank, neither taken nor ascended.
// Errors as of cltb_dobutsu_probe().
int cltb_dobutsu_moves(cltb_dobutsu *table, const char *position, cltb_dobutsu_move moves[CLTB_DOBUTSU_MOVES_MAX]);

// Writes a best line, the first of cltb_dobutsu_moves() each time, up to the winning move. Returns its number of plies,
// 0 for a draw and if there is no move. Errors as of cltb_dobutsu_probe().
int cltb_dobutsu_line(cltb_dobutsu *table, const char *position,
                      char line[CLTB_DOBUTSU_LINE_MAX][CLTB_DOBUTSU_MOVE_MAX]);

#ifdef __cplusplus
}
#endif

#endif
