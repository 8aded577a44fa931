// position.h - a chess position: board, piece lists and Zobrist key, kept in step move by move
//
// The men of each type and colour are in a list, so that moves are generated from a few men and not from 64 squares; a
// man leaves its list by swapping places with the last one.
//
// En passant follows the slot square: after every double step `en_passant` is the square that was jumped over, after
// any other move NO_SQUARE. It matters only if an enemy pawn attacks the slot and the capture is legal; the slot is
// part of the key and of the FEN in any case.
//
// A position is plain memory: no pointers, nothing to free. Use position_copy() rather than `=`: it leaves out the
// unused part of the history. Different threads may work on different positions; there is no mutable global state.
//
// Functions return 0 or a negative cltb_status with a sentence in error_text(), unless they say otherwise.
#ifndef CLTB_CHESS_POSITION_H
#define CLTB_CHESS_POSITION_H

#include "chess/man.h"

// Rights to castle are a set of the files of rooks: bit 0 is White's on a1, bit 7 on h1, bit 8 Black's on a8. A rook on
// the king's right castles short, one on its left long, as in Chess960.
enum { CASTLING_START = 0x8181, CASTLING_WHITE = 0xff, CASTLING_BLACK = 0xff00 };

enum {
    MEN_PER_SIDE_MAX = 16, // more are refused, so no piece list can overflow
    PAWNS_PER_SIDE_MAX = 8,
    POSITION_PLIES = 1024, // moves that a position can remember for undo; position_make() refuses any more
    COUNTER_MAX = 9999     // the largest half-move clock and full-move number that can be set
};

// What cannot be worked out backwards about a move.
struct history {
    uint64_t key;           // before the move
    uint32_t move;          //
    uint16_t fifty;         // before the move
    uint16_t castling;      // before the move
    uint8_t en_passant;     // before the move
    uint8_t captured_index; // where in its list the captured man stood
    uint8_t moved_index;    // where in its list the moving man stood
};

struct position {
    uint64_t key;                                         // Zobrist key, kept incrementally
    uint64_t men[COLOURS];                                // bit = square with a man of that colour
    uint8_t board[SQUARES];                               // piece codes
    uint8_t index[SQUARES];                               // the man's place in its list (meaningless where empty)
    uint8_t list[COLOURS][PIECE_TYPES][MEN_PER_SIDE_MAX]; // squares
    uint8_t count[COLOURS][PIECE_TYPES];                  // men in each list
    uint8_t side;                                         // to move
    bool chess960;                                        // castling is written as the king's capture of its rook
    uint8_t en_passant;                                   // the square jumped over by the last move, or NO_SQUARE
    uint16_t castling;                                    // rights
    uint16_t fifty;                                       // half-move clock: plies since the last zeroing move
    uint32_t move_number;                                 // full-move number, from 1
    uint16_t ply;                                         // moves in the history
    struct history history[POSITION_PLIES];               // [ply]
};

// All men, both colours.
static inline uint64_t position_occupied(const struct position *p)
{
    return p->men[WHITE] | p->men[BLACK];
}

// The number of men of a colour, the king included. (Counting the bits of `men` would be slower, because not every
// processor has an instruction for it.)
static inline int position_side_men(const struct position *p, int colour)
{
    const uint8_t *count = p->count[colour];
    return count[KING] + count[QUEEN] + count[ROOK] + count[BISHOP] + count[KNIGHT] + count[PAWN];
}

// The number of men, both kings included.
static inline int position_men(const struct position *p)
{
    return position_side_men(p, WHITE) + position_side_men(p, BLACK);
}

// Requires the king on the board, where it is in every position that was set.
static inline int position_king(const struct position *p, int colour)
{
    return p->list[colour][KING][0];
}

// Sets the position of these men with `side` to move: no castling rights, no en passant, counters 0 and 1, empty
// history. Cheap enough to be called millions of times. Refuses a bad type, colour, side or square, two men on a
// square, any number of kings other than one a side, more than 16 men or 8 pawns a side, and a pawn on rank 1 or 8.
// Legality is left to position_legal(). If the function fails, the position has no men and must be set again.
int position_set(struct position *p, const struct man *men, int count, int side);

// The same for at most 8 men, given as sets of squares: each man is in one of `men` and in one of `kind`. False if the
// men or the side are refused, or there are more men; position_set() says what is wrong. Faster, partly because the key
// is left at 0: only for positions that are probed.
bool position_set_sets(struct position *p, const uint64_t men[COLOURS], const uint64_t kind[PIECE_TYPES], int side);

// Gives a position that was just set its en passant slot (NO_SQUARE: none). The slot must be an empty square on the
// sixth rank of the side to move. The enemy pawn that has just passed over it must stand in front of it, and the square
// it came from must be empty.
int position_set_en_passant(struct position *p, int square);

static inline int castling_of(int castling, int colour)
{
    return castling & (colour == WHITE ? CASTLING_WHITE : CASTLING_BLACK);
}

// The right to castle with a rook on this square; none if it is on no back rank.
static inline int castling_right(int square)
{
    return square < 8 ? 1 << square : square < 56 ? 0 : 1 << (square - 48);
}

// The squares of the rooks.
static inline uint64_t castling_rooks(int castling)
{
    return (uint64_t)(castling & CASTLING_WHITE) | (uint64_t)(castling & CASTLING_BLACK) << 48;
}

// CLTB_E_POSITION unless the rook of each right is there, and its king between the files b and g of the back rank, with
// no other such rook on the same side of it. Other squares than e1, e8 and the corners set `chess960`.
int position_set_castling(struct position *p, int castling);

// Both are at most COUNTER_MAX; `fifty` counts from 0, the full-move number from 1.
int position_set_counters(struct position *p, int fifty, int move_number);

// The starting position of a game.
void position_start(struct position *p);

// Copies only the part of the history that is in use: most of a struct position is room for it.
void position_copy(struct position *to, const struct position *from);

// Drops the history, so that a long game can go on; earlier moves can no longer be undone.
void position_forget(struct position *p);

// Is `square` attacked by a man of colour `by`? (A man never attacks the square that it stands on.)
bool position_attacked(const struct position *p, int square, int by);

// The square of the pawn captured en passant by a move to `slot`: one rank behind it, from the capturer's view.
static inline int en_passant_victim(int slot)
{
    return slot ^ 8;
}

// May the pawn on `from`, which attacks the slot, capture en passant? Tests only the king's safety: both pawns leave
// their squares at once, which may expose it to a rook on the fifth rank.
bool position_en_passant_safe(const struct position *p, int from);

// Is the king of the side to move attacked?
bool position_in_check(const struct position *p);

// True if the kings are not adjacent and the side that is not to move is not in check.
bool position_legal(const struct position *p);

// As position_legal(), with a sentence about what is wrong.
int position_require_legal(const struct position *p);

// Is there a legal en passant capture? (See move.h for the capture itself.)
bool position_en_passant_legal(const struct position *p);

// The key, computed from scratch.
uint64_t position_key(const struct position *p);

// The key's parts (pure functions of their arguments).
uint64_t position_key_man(int code, int square);
uint64_t position_key_side(void);
uint64_t position_key_castling(int castling);
uint64_t position_key_en_passant(int square);

// For make and undo: put a man on an empty square, or take one off. Both keep board, lists, bit sets and key
// consistent.
void position_put(struct position *p, int code, int square);
void position_take(struct position *p, int square);

#endif
