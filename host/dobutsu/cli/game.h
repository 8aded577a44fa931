// game.h - a game of dobutsu shogi as it is played: positions, moves, how it ended
#ifndef CLTB_DOBUTSU_CLI_GAME_H
#define CLTB_DOBUTSU_CLI_GAME_H

#include "dobutsu/rules.h"

enum game_end {
    GAME_ON,
    GAME_LION_TAKEN, // by the side that moved last
    GAME_ASCENDED,   // the lion of the side that moved last
    GAME_NO_MOVE,    // the side to move has lost
    GAME_REPETITION  // a draw: the position stands for the third time
};

struct game {
    struct game_ply {
        struct dobutsu position;  // with the mover as Sente and its men in canonical order
        struct dobutsu_move move; // none yet in the last position
    } * ply;                      // [plies + 1]
    int plies;
    size_t room; // for positions
    enum game_end end;
};

// A new game from a position; it may already be over. The array of an earlier game is used again: zero a new struct
// first.
int game_begin(struct game *game, const struct dobutsu *start);
void game_free(struct game *game);

// Plays a possible move of a game that is not over.
int game_play(struct game *game, const struct dobutsu_move *move);

// Takes back the last move; there must be one.
void game_undo(struct game *game);

static inline const struct dobutsu *game_position(const struct game *game)
{
    return &game->ply[game->plies].position;
}

// ---- on standard output ----

// The board with ranks and files, men in hand at the sides, and who is to move.
void game_print_board(const struct game *game);

// All moves so far, numbered, or "no moves".
void game_print_moves(const struct game *game);

// How the game ended, in one line.
void game_print_end(const struct game *game);

// "Sente" or "Gote", the side to move.
const char *side_name(const struct dobutsu *p);

#endif
