// cltb.h - probing exact chess endgame tables
//
// A table gives, for every position of one material, the outcome for the side to move and the distance to zeroing (DTZ)
// in plies, exact. Open a set of folders once, then probe from any number of threads.
//
//     cltb_tables *tables;
//     if (cltb_open(&tables, "tables", NULL) != CLTB_OK) { puts(cltb_error()); ... }
//     cltb_value value;
//     if (cltb_probe_fen(tables, "8/8/8/8/8/2k5/8/2K2Q2 w - - 0 1", &value) == CLTB_OK)
//         printf("%s %d\n", cltb_outcome_name(value.outcome), value.dtz);
//     cltb_close(tables);
//
// No function prints, exits or keeps global state. Functions that can fail return a negative `enum cltb_status`, and
// cltb_error() is then this thread's sentence about it; else CLTB_OK or, where it says so, a number.
#ifndef CLTB_CLTB_H
#define CLTB_CLTB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cltb_status {
    CLTB_OK = 0,
    CLTB_E_USAGE = -1,       // an argument makes no sense
    CLTB_E_MEMORY = -2,      // out of memory
    CLTB_E_IO = -3,          // the operating system refused a read, write, open, rename
    CLTB_E_CORRUPT = -4,     // a table is damaged or cut short
    CLTB_E_MISSING = -5,     // no table for this material in the folders given
    CLTB_E_DEVICE = -6,      // no such device, or it failed
    CLTB_E_POSITION = -7,    // bad FEN, illegal position, or one that no table can hold (castling rights, too many men)
    CLTB_E_INTERRUPTED = -8, // stopped by the user
    CLTB_E_MISMATCH = -9,    // verification found a wrong entry
    CLTB_E_FOREIGN = -10     // another endgame than its name says, another version, or no table at all
};

// Outcomes for the side to move, from worst to best.
enum cltb_outcome {
    CLTB_LOSS = -2,
    CLTB_BLESSED_LOSS = -1, // lost, but the 50-move rule draws it
    CLTB_DRAW = 0,
    CLTB_CURSED_WIN = 1, // won, but the 50-move rule draws it
    CLTB_WIN = 2
};

// The last error of this thread, one sentence without a newline; never NULL.
const char *cltb_error(void);

// "win", "cursed-win", "draw", "blessed-loss", "loss"; "?" for anything else.
const char *cltb_outcome_name(int outcome);

// The library's version, as in "0.1.0".
const char *cltb_version(void);

// ---- a set of tables ----

typedef struct cltb_tables cltb_tables;

typedef struct cltb_options {
    size_t cache_bytes; // memory for decompressed blocks; 0: 256 MiB. Not taken before it is needed
} cltb_options;

// `folders` are searched in this order, with ':' between them. `options` may be NULL. Tables are opened when first
// needed, so this does no more than remember the folders. What is found is remembered, and so is what is not: to see
// tables that are made later, open a new set.
int cltb_open(cltb_tables **tables, const char *folders, const cltb_options *options);

// No other thread may still be using the set. NULL is allowed.
void cltb_close(cltb_tables *tables);

// ---- positions ----

// Squares are bits: a1 = bit 0, b1 = bit 1, h1 = bit 7, a2 = bit 8, h8 = bit 63. Every man is in the set of its colour
// and in that of its kind.
typedef struct cltb_position {
    uint64_t white;
    uint64_t black;
    uint64_t kings;
    uint64_t queens;
    uint64_t rooks;
    uint64_t bishops;
    uint64_t knights;
    uint64_t pawns;
    uint8_t side;       // to move: 0 White, 1 Black
    uint8_t castling;   // nonzero: somebody may still castle (no table holds such positions)
    uint8_t en_passant; // the square that the last move, a double step, jumped over; 0: none
    uint16_t fifty;     // half-move clock: plies since the last zeroing move
} cltb_position;

// Reads a FEN. Missing counters are 0 and 1. CLTB_E_POSITION if it is no FEN or the position is illegal.
int cltb_position_from_fen(cltb_position *position, const char *fen);

// ---- probing ----

// What a position is worth with best play by both sides.
//
// dtz is exact to the ply, and takes the half-move clock as 0: plies to the next zeroing move (capture or pawn move) or
// mate, the winner hurrying and the loser delaying. It is 0 for the checkmated side (and, without meaning, for a draw),
// 1 for a win by an immediate mate or zeroing move, and more than 100 just where the 50-move rule spares the loser. A
// zeroing move into a position that is itself a cursed win or blessed loss counts as ply 101.
//
// outcome honours the position's half-move clock: a win or loss with fifty + dtz > 100 comes too late and is a cursed
// win or blessed loss.
typedef struct cltb_value {
    int outcome; // enum cltb_outcome, for the side to move
    int dtz;     // plies
} cltb_value;

int cltb_probe(cltb_tables *tables, const cltb_position *position, cltb_value *value);
int cltb_probe_fen(cltb_tables *tables, const char *fen, cltb_value *value);

// The outcome alone, with the half-move clock taken as 0: several times faster than cltb_probe().
int cltb_probe_outcome(cltb_tables *tables, const cltb_position *position, int *outcome);

// A legal move and what the position is worth to the side to move if it plays this move and both sides play well from
// then on: the value of the position before the move, in the sense of cltb_value. So the best move's value is the
// position's own. For a quiet move dtz is one more than that of the position after it (0 if that is a draw); for a
// zeroing move it is 1 for a win or loss and 101 for a cursed win or blessed loss.
typedef struct cltb_move {
    char uci[6];     // "e2e4", "e7e8q"
    char san[10];    // "Nbd7", "exd8=Q+"
    uint8_t zeroing; // 1: a capture or pawn move
    uint8_t mate;    // 1: gives checkmate
    cltb_value value;
} cltb_move;

enum { CLTB_MOVES_MAX = 256 }; // no position that a table can hold has as many

// Writes all legal moves, best first: the better outcome; of wins the shorter, of losses the longer; then mates before
// zeroing moves before others. Returns their number; 0 if there is none (checkmate or stalemate).
int cltb_root_moves(cltb_tables *tables, const cltb_position *position, cltb_move moves[CLTB_MOVES_MAX]);

#ifdef __cplusplus
}
#endif

#endif
