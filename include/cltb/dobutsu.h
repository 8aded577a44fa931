// dobutsu.h - probing the complete database of dobutsu shogi ("animal shogi", 3x4 board)
//
// The database knows every position of the game. Open its folder once, then probe from any number of threads.
//
//     cltb_dobutsu *table;
//     if (cltb_dobutsu_open(&table, "tables", NULL) != CLTB_OK) { puts(cltb_error()); ... }
//     cltb_dobutsu_value value;
//     if (cltb_dobutsu_probe(table, CLTB_DOBUTSU_START, &value) == CLTB_OK)
//         printf("%s in %d\n", cltb_outcome_name(value.outcome), value.plies);     // loss in 78
//     cltb_dobutsu_close(table);
//
// A position is text: T/a1b1c1/a2b2c2/a3b3c3/a4b4c4/HAND. T is S or G, the side to move; Sente, with capital letters,
// plays up the board to rank 1, Gote, with small ones, down to rank 4. C chick, G giraffe, E elephant, L lion, R rooster
// (a promoted chick), '-' an empty square. HAND names the men in hand in any order, or is '-'.
//
// A move is text, too: letter, from, '-' or 'x', to, and '+' if a chick is promoted: "Gc4-c3", "Cb3xb2", "Cb2-b1+"; a drop
// is "G*a3".
//
// As in cltb.h no function prints, exits or keeps global state, and a negative result has a sentence in cltb_error().
#ifndef CLTB_DOBUTSU_H
#define CLTB_DOBUTSU_H

#include <cltb/cltb.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLTB_DOBUTSU_START "S/gle/-c-/-C-/ELG/-"

enum {
    CLTB_DOBUTSU_MOVES_MAX = 96,
    CLTB_DOBUTSU_LINE_MAX = 200, // no best line is as long
    CLTB_DOBUTSU_TEXT_MAX = 32,  // a position with its NUL
    CLTB_DOBUTSU_MOVE_MAX = 8,   // a move with its NUL
    CLTB_DOBUTSU_UNKNOWN = 127,  // an outcome that the database does not tell, see cltb_dobutsu_moves()
    CLTB_DOBUTSU_NO_BYTE = -1
};

typedef struct cltb_dobutsu cltb_dobutsu;

// Looks for dobutsu.cltb in `folders`, in this order, with ':' between them. `options` may be NULL. CLTB_E_MISSING if it is in
// none of them, CLTB_E_CORRUPT or CLTB_E_FOREIGN if what is there is damaged or something else.
int cltb_dobutsu_open(cltb_dobutsu **table, const char *folders, const cltb_options *options);

// No other thread may still be using it. NULL is allowed.
void cltb_dobutsu_close(cltb_dobutsu *table);

// ---- probing ----

// What a position is worth to the side to move with best play by both sides.
//
// plies is the number of plies to the end of the game, the winning move (the lion is taken, or ascends) counted: 1 is a win with
// the next move, the initial position is a loss in 78. It is 0 for a draw, and for a game that is over. A player who has no
// move at all has lost; the database counts that like a mate, as a loss in 2, although no move follows.
//
// byte is what the database holds: the same number without the winning move, so plies - 1 (even: a win, odd: a loss), and 254
// for a draw. CLTB_DOBUTSU_NO_BYTE if the game is over or the outcome unknown.
typedef struct cltb_dobutsu_value {
    int outcome; // CLTB_WIN, CLTB_DRAW, CLTB_LOSS; CLTB_DOBUTSU_UNKNOWN only of moves
    int plies;
    int byte;
} cltb_dobutsu_value;

// The database has no entry for positions in which the lions stand side by side or one of them on its far rank, where a lion
// that nobody attacks has won. They are answered all the same, by the first of these that holds:
//
//     the side to move can take the lion           win in 1
//     the opponent's lion stands on its far rank   it has ascended: the game is over, a loss in 0
//     the side to move can ascend                  win in 1 (its lion on the far rank may move there to a safe square)
//     its own lion stands on its far rank          it came there unsafely and was not taken. Such games go on outside the
//                                                  database: what its moves lead to if that decides it (no move or all lose
//                                                  the lion: a loss; a win in 3), else CLTB_E_POSITION
//
// CLTB_E_POSITION, too, if the text is no position: bad notation, a lion missing, a man too many or too few.
int cltb_dobutsu_probe(cltb_dobutsu *table, const char *position, cltb_dobutsu_value *value);

// A possible move and what the position is worth if it is played and both sides play well from then on. So the best move's value
// is the position's own.
typedef struct cltb_dobutsu_move {
    char move[CLTB_DOBUTSU_MOVE_MAX];
    char after[CLTB_DOBUTSU_TEXT_MAX]; // the position after it; empty if it wins
    uint8_t wins;                      // 1: takes the lion, or ascends
    cltb_dobutsu_value value;
} cltb_dobutsu_move;

// Writes all possible moves, best first: wins, the shorter the better; draws; losses, the longer the better; among equals by
// the alphabet (of the move as the mover sees it, Gote with the board turned). Returns their number; 0 if there is none or the
// game is over. Moves that lose the lion are possible, too. CLTB_DOBUTSU_UNKNOWN, between draws and losses, stands only where
// there is a win in 1 or 3: the move leaves a lion on its far rank, not taken and not ascended. Errors as of
// cltb_dobutsu_probe().
int cltb_dobutsu_moves(cltb_dobutsu *table, const char *position, cltb_dobutsu_move moves[CLTB_DOBUTSU_MOVES_MAX]);

// Writes a best line, the first of cltb_dobutsu_moves() each time, up to the winning move. Returns its plies; 0 for a draw and
// where there is no move. Errors as of cltb_dobutsu_probe().
int cltb_dobutsu_line(cltb_dobutsu *table, const char *position,
                      char line[CLTB_DOBUTSU_LINE_MAX][CLTB_DOBUTSU_MOVE_MAX]);

#ifdef __cplusplus
}
#endif

#endif
