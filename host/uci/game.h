// game.h - a position, its history as far as it counts for repetitions, and its moves ranked with it
#ifndef CLTB_UCI_GAME_H
#define CLTB_UCI_GAME_H

#include "probe/choose.h"

enum { GAME_WHY_MAX = 512 };

struct game {
    struct position position;
    int past;                     // positions since the last zeroing move, without the current one:
    uint64_t key[POSITION_PLIES]; // their keys, without an en passant square that allows no capture
};

struct game_move {
    struct ranked_move ranked;
    int to_mate; // plies to mate, if both sides play for that; -1: unknown, or drawn
};

// Sets up a FEN of a game, which may be one of Chess960. CLTB_E_POSITION as for fen_read_lenient(); the game is then
// unchanged.
int game_set(struct game *game, const char *fen, bool chess960);

static inline bool is_decided(int outcome)
{
    return outcome == CLTB_WIN || outcome == CLTB_LOSS;
}

// Makes a move. Positions before a zeroing move are forgotten.
int game_make(struct game *game, uint32_t move);

// Ranks all legal moves, best first, as probe_moves() does, and returns their number or a negative code. Beyond that:
//   1. A move to a position that has occurred twice is a draw, and so is a won move that lets the opponent reach one.
//   2. Without the 50-move rule the clock is taken as 0, and cursed wins and blessed losses are wins and losses.
//   3. Moves whose table is missing or fails come before losses, but after draws.
//   4. If there are tables of distances to mate, these order the moves that win in spite of the clock, and losses. The
//      distance gets shorter with each move as long as the clock allows the best one.
//   5. game_choose() puts the move to be played first.
// `why` says why some moves are not known; "" if all are. Too many men, or castling rights with a table missing, are no
// error: no move is known.
int game_moves(struct game *game, cltb_tables *tables, bool fifty_moves, int nodes,
               struct game_move moves[CLTB_MOVES_MAX], char why[GAME_WHY_MAX]);

// Puts the move that choose_move() takes first; if it proves mate, to_mate says when.
void game_choose(struct game *game, cltb_tables *tables, int nodes, struct game_move *moves, int count);

#endif
