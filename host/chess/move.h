// move.h - moves packed in 32 bits, their legal generation, make and undo
//
//   bits   0-6    from          7 bits
//          7-13   to            7 bits
//          14-17  captured      piece code, 0 = none (the pawn, for en passant)
//          18     en passant
//          19     pawn start    the double step
//          20-23  promoted      piece code, 0 = none
//          24     castling      from the king's square to that of the rook
//          25     Chess960      castling is written so, not to where the king goes
//
// A packed move is only meaningful in the position that it was generated for. All generated moves are legal.
#ifndef CLTB_CHESS_MOVE_H
#define CLTB_CHESS_MOVE_H

#include "chess/position.h"

enum {
    // No position has more moves: 16 men a side, at most 15 queens with 27 moves each, the king's 8 and two castlings
    // make 415. (A position from a game has at most 218.)
    MOVES_MAX = 416,
    MOVE_LIST_PLIES = 32 // plies that a move list can hold, however many moves each has
};

enum {
    MOVE_TO_SHIFT = 7,
    MOVE_CAPTURED_SHIFT = 14,
    MOVE_PROMOTED_SHIFT = 20,
    MOVE_EN_PASSANT = 1 << 18,
    MOVE_PAWN_START = 1 << 19,
    MOVE_CASTLE = 1 << 24,
    MOVE_CHESS960 = 1 << 25
};

// No move: from and to are the same square.
#define MOVE_NONE UINT32_C(0)

static inline uint32_t move_pack(int from, int to, int captured, int promoted, int flags)
{
    return (uint32_t)(from | to << MOVE_TO_SHIFT | captured << MOVE_CAPTURED_SHIFT | promoted << MOVE_PROMOTED_SHIFT |
                      flags);
}

static inline int move_from(uint32_t move)
{
    return (int)(move & 0x7f);
}

static inline int move_to(uint32_t move)
{
    return (int)(move >> MOVE_TO_SHIFT & 0x7f);
}

// Piece code, or EMPTY.
static inline int move_captured(uint32_t move)
{
    return (int)(move >> MOVE_CAPTURED_SHIFT & 0xf);
}

// Piece code, or EMPTY.
static inline int move_promoted(uint32_t move)
{
    return (int)(move >> MOVE_PROMOTED_SHIFT & 0xf);
}

static inline bool move_is_capture(uint32_t move)
{
    return move_captured(move) != EMPTY;
}

static inline bool move_is_en_passant(uint32_t move)
{
    return (move & MOVE_EN_PASSANT) != 0;
}

static inline bool move_is_pawn_start(uint32_t move)
{
    return (move & MOVE_PAWN_START) != 0;
}

static inline bool move_is_castle(uint32_t move)
{
    return (move & MOVE_CASTLE) != 0;
}

static inline bool move_is_long_castle(uint32_t move)
{
    return move_is_castle(move) && move_to(move) < move_from(move);
}

// Where castling puts the king, and the rook.
static inline int castle_king(uint32_t move)
{
    return (move_from(move) & 56) + (move_is_long_castle(move) ? 2 : 6);
}

static inline int castle_rook(uint32_t move)
{
    return (move_from(move) & 56) + (move_is_long_castle(move) ? 3 : 5);
}

// The second square of the move as it is written.
static inline int move_target(uint32_t move)
{
    return move_is_castle(move) && (move & MOVE_CHESS960) == 0 ? castle_king(move) : move_to(move);
}

// `p`: the position before the move.
static inline bool move_is_pawn(const struct position *p, uint32_t move)
{
    return piece_type(p->board[move_from(move)]) == PAWN;
}

// Does the move reset the half-move clock? (Captures and pawn moves, including promotions.) `p`: the position before
// it.
static inline bool move_is_zeroing(const struct position *p, uint32_t move)
{
    return move_is_capture(move) || move_is_pawn(p, move);
}

// Does the move change the material? (Captures and promotions.)
static inline bool move_is_conversion(uint32_t move)
{
    return move_is_capture(move) || move_promoted(move) != EMPTY;
}

// Writes all legal moves and returns their number (0: checkmate or stalemate). The position should be legal: captures
// of the king are never generated. The order depends only on the piece lists, so it is the same on every machine.
int moves_legal(const struct position *p, uint32_t moves[MOVES_MAX]);

// True if there is a legal move.
bool moves_any(const struct position *p);

// Makes a move that was generated for this position. CLTB_E_USAGE if the history is full (POSITION_PLIES).
int position_make(struct position *p, uint32_t move);

// Takes back the last move exactly: the piece lists have their old order again. CLTB_E_USAGE if there is no move.
int position_undo(struct position *p);

// The moves of several plies consecutively, as a search needs them, all zero at first: those of ply n are
// move[start[n]] to move[start[n + 1] - 1].
struct move_list {
    int start[MOVE_LIST_PLIES + 1];
    uint32_t move[MOVE_LIST_PLIES * MOVES_MAX];
};

// Writes the legal moves of ply `ply` (0 .. MOVE_LIST_PLIES - 1), over any earlier moves of this ply and later ones.
// The plies before it must have been written. Returns their number, or a negative code if the list has no such ply.
int move_list_generate(struct move_list *list, const struct position *p, int ply);

#endif
