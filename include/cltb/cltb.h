// cltb.h - probing exact chess endgame tables
//
// A table gives the outcome of every position of one material for the side to move, and the exact distance to zeroing
// (DTZ) in plies. Open a set of folders once, then probe from any number of threads. Folders may also hold Syzygy
// files.
//
//     cltb_tables *tables;
//     if (cltb_open(&tables, "tables", NULL) != CLTB_OK) { puts(cltb_error()); ... }
//     cltb_value value;
//     if (cltb_probe_fen(tables, "8/8/8/8/8/2k5/8/2K2Q2 w - - 0 1", &value) == CLTB_OK)
//         printf("%s %d\n", cltb_outcome_name(value.outcome), value.dtz);
//     cltb_close(tables);
//
// No function prints, exits or changes global state. A function that fails returns a negative `enum cltb_status`, and
// cltb_error() then returns a sentence about the error. On success it returns CLTB_OK or, where stated, a number. An
// argument may be NULL only where stated; elsewhere NULL is CLTB_E_USAGE.
#ifndef CLTB_CLTB_H
#define CLTB_CLTB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cltb_status {
    CLTB_OK = 0,
    CLTB_E_USAGE = -1,       // an argument is invalid
    CLTB_E_MEMORY = -2,      // out of memory
    CLTB_E_IO = -3,          // the operating system failed to open, read, write or rename a file
    CLTB_E_CORRUPT = -4,     // a table is damaged or cut short
    CLTB_E_MISSING = -5,     // no table for this material in the folders given
    CLTB_E_DEVICE = -6,      // no such device, or it failed
    CLTB_E_POSITION = -7,    // bad FEN, illegal position, or one that no table can hold (castling rights, too many men)
    CLTB_E_INTERRUPTED = -8, // stopped by the user
    CLTB_E_MISMATCH = -9,    // verification found a wrong entry
    CLTB_E_FOREIGN = -10     // a file of another kind, endgame or version than its name says, or not a table
};

// Outcomes for the side to move, from worst to best.
enum cltb_outcome {
    CLTB_UNKNOWN = -3, // of moves only: a table is missing
    CLTB_LOSS = -2,
    CLTB_BLESSED_LOSS = -1, // lost, but the 50-move rule draws it
    CLTB_DRAW = 0,
    CLTB_CURSED_WIN = 1, // won, but the 50-move rule draws it
    CLTB_WIN = 2
};

// The last error of this thread, one sentence without a newline; never NULL. Valid until the thread's next error.
const char *cltb_error(void);

// The name of an outcome: "win", "cursed-win", "draw", "blessed-loss" or "loss"; "?" for any other number.
const char *cltb_outcome_name(int outcome);

// The version of the library, for example "0.9.0".
const char *cltb_version(void);

// ---- a set of tables ----

typedef struct cltb_tables cltb_tables;

typedef struct cltb_options {
    size_t cache_bytes; // memory for decompressed blocks, allocated as needed; 0: 256 MiB
} cltb_options;

// `folders` is a list of folders separated by ':' (';' on Windows). They are searched in this order, first for a table
// NAME.cltb and then for Syzygy files NAME.rtbw and NAME.rtbz (without NAME.rtbz there are only outcomes). `options`
// may be NULL. Tables are opened when first needed, so this function only remembers the folders. The set also remembers
// which tables are missing: to see tables that were built later, open a new set. CLTB_E_USAGE if the list has no
// folder.
int cltb_open(cltb_tables **tables, const char *folders, const cltb_options *options);

// Closes the set and its tables. No other thread may still be using it. NULL is allowed.
void cltb_close(cltb_tables *tables);

// Is there a table of this material, a name such as "KQvKR" in any spelling that `cltb build` takes? 1: there is, and
// it can be opened; 0: there is none. CLTB_E_USAGE: not a material of 3 to 8 men; CLTB_E_CORRUPT, CLTB_E_FOREIGN: there
// is a file, but it cannot be used. The tables that captures and promotions lead to are not checked.
int cltb_has_table(cltb_tables *tables, const char *material);

// The largest N such that every table of up to N men is present: any position of N men, or fewer, can be probed. 2 if a
// table of 3 men is missing (bare kings need none). A table that cannot be used counts as missing. Opens and closes
// each file (145 for 5 men), so call it once and keep the number. CLTB_E_IO, CLTB_E_MEMORY.
int cltb_complete_men(cltb_tables *tables);

// ---- positions ----

// Sets of squares: a1 = bit 0, b1 = bit 1, h1 = bit 7, a2 = bit 8, h8 = bit 63. Every man is in the set of its colour
// and in the set of its type.
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
    uint8_t castling;   // nonzero: a side may still castle; only FENs say with which rooks, see cltb_probe_fen()
    uint8_t en_passant; // the square that a pawn's double step has just passed over; 0: none
    uint16_t fifty;     // half-move clock: plies since the last capture or pawn move
} cltb_position;

// Reads a FEN. Fields after the side to move may be missing: they are taken as "-", "-", 0 and 1. CLTB_E_POSITION if it
// is not a FEN or the position is illegal.
int cltb_position_from_fen(cltb_position *position, const char *fen);

// ---- probing ----

// The value of a position with best play by both sides.
//
// dtz is the exact number of plies to the next zeroing move (capture or pawn move) or mate with the half-move clock at
// 0, if the winner hurries and the loser delays. It is 0 for the checkmated side and for a draw, 1 for a win by an
// immediate mate or zeroing move, and greater than 100 for cursed wins and blessed losses only. A zeroing move into a
// position that is itself a cursed win or blessed loss counts as ply 101.
//
// outcome respects the position's half-move clock: a win or loss with fifty + dtz > 100 comes too late and is a cursed
// win or blessed loss.
//
// Distances from Syzygy files are exact if the file counts plies. Most files count moves, so two distances are
// possible: then `rounded` is 1, and the distance is dtz or dtz + 1. If fifty + dtz is 100, the outcome may be cursed
// or blessed.
typedef struct cltb_value {
    int outcome; // enum cltb_outcome, for the side to move
    int dtz;     // plies
    int rounded; // 1: or one ply more
} cltb_value;

// CLTB_E_POSITION: illegal, or no table can hold it; CLTB_E_MISSING, CLTB_E_CORRUPT, CLTB_E_FOREIGN: the table of this
// material, or of one that a capture or promotion leads to, is missing or cannot be used.
int cltb_probe(cltb_tables *tables, const cltb_position *position, cltb_value *value);

// The same of a FEN, also if a side may still castle and there are at most five men. No table holds such positions:
// they are worked out exactly from tables, and kept, which takes milliseconds for four men, and for five a second or,
// with pawns that may promote, half a minute. CLTB_E_MISSING also if tables of Syzygy are rounded.
int cltb_probe_fen(cltb_tables *tables, const char *fen, cltb_value *value);

// The outcome alone, with the half-move clock taken as 0: several times faster than cltb_probe(), with the same errors.
int cltb_probe_outcome(cltb_tables *tables, const cltb_position *position, int *outcome);

// The outcomes of many positions, as cltb_probe() gives them, each table and each of its blocks being read for all of
// them in turn: several times faster than one by one, and with blocks that are not in the cache much faster still.
// outcomes[i] of positions[i] is an enum cltb_outcome or, less than that, why there is none: CLTB_E_POSITION,
// CLTB_E_MISSING, CLTB_E_CORRUPT or CLTB_E_FOREIGN, as of cltb_probe(). `dtz`: NULL, or dtz[i] is the distance in plies
// as in cltb_value (the shorter one if it is rounded; -1: unknown; 0 if there is no outcome); this is several times
// slower, and so are half-move clocks that may matter. It takes up to 170 MB for 2^21 positions, and no more for more.
// Threads may share out an array. CLTB_E_MEMORY or CLTB_E_IO: nothing is known then.
int cltb_probe_many(cltb_tables *tables, const cltb_position *positions, size_t count, int8_t *outcomes, int16_t *dtz);

// The outcome without the 50-move rule, whatever the half-move clock, and in value->dtz the distance to mate in plies
// (0 for draws); value->rounded is 0. From NAME.dtm.cltb; if that table lacks the distances of the position's side to
// move, also from the tables that captures and promotions lead to. Errors as of cltb_probe().
int cltb_probe_mate(cltb_tables *tables, const cltb_position *position, cltb_value *value);

// The same with the distance to conversion, the plies to the winner's next capture or promotion or to mate. From
// NAME.dtc.cltb.
int cltb_probe_conversion(cltb_tables *tables, const cltb_position *position, cltb_value *value);

// A legal move and the value of the position before it, for the side that makes it, if this move is played and both
// sides play perfectly from then on. So the best move's value is the position's own. For a quiet move, dtz is one more
// than that of the position after it (0 if that is a draw); for a zeroing move it is 1 for a win or loss and 101 for a
// cursed win or blessed loss. It is -1 for a quiet move if only the outcome after it is known (Syzygy files without
// .rtbz); such a win comes after those with a distance, such a loss before them.
typedef struct cltb_move {
    char uci[6];     // "e2e4", "e7e8q"
    char san[10];    // "Nbd7", "exd8=Q+"
    uint8_t zeroing; // 1: a capture or pawn move
    uint8_t mate;    // 1: gives checkmate
    cltb_value value;
} cltb_move;

enum { CLTB_MOVES_MAX = 256 }; // more than any position has that a table can hold

// Writes all legal moves, best first: by outcome; shorter wins and longer losses first; then mates before zeroing moves
// before others. Returns their number, 0 in checkmate or stalemate. Errors as of cltb_probe(). If a table is missing,
// moves that need it come last with the outcome CLTB_UNKNOWN, provided that the first move is the best in any case;
// otherwise the result is CLTB_E_MISSING.
int cltb_root_moves(cltb_tables *tables, const cltb_position *position, cltb_move moves[CLTB_MOVES_MAX]);

// The same of a FEN, also if a side may still castle: see cltb_probe_fen(). Then a missing table is an error. Castling
// is "e1g1"; as in a game of Chess960, "e1h1", if the FEN gives the files of rooks (HAha) or its squares are not those
// of chess.
int cltb_root_moves_fen(cltb_tables *tables, const char *fen, cltb_move moves[CLTB_MOVES_MAX]);

#ifdef __cplusplus
}
#endif

#endif
