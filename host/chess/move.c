// move.c - make and undo, and the list of moves by ply
#include "chess/move.h"

#include "util/error.h"

// Moves a man to an empty square; it keeps its place in its list.
static void shift(struct position *p, int from, int to)
{
    uint8_t code = p->board[from];
    int colour = piece_colour(code);
    uint8_t index = p->index[from];
    p->list[colour][piece_type(code)][index] = (uint8_t)to;
    p->index[to] = index;
    p->board[from] = EMPTY;
    p->board[to] = code;
    p->men[colour] ^= square_bit(from) | square_bit(to);
    p->key ^= position_key_man(code, from) ^ position_key_man(code, to);
}

// The opposite of position_take(): puts the man back into its old place in the list, and the man that took this place
// back to the end. Leaves the key alone.
static void restore(struct position *p, int code, int square, uint8_t index)
{
    int colour = piece_colour(code);
    uint8_t *list = p->list[colour][piece_type(code)];
    uint8_t last = p->count[colour][piece_type(code)]++;
    if (index != last) { // otherwise list[index] is a leftover square of some other man
        list[last] = list[index];
        p->index[list[last]] = last;
    }
    list[index] = (uint8_t)square;
    p->index[square] = index;
    p->board[square] = (uint8_t)code;
    p->men[colour] |= square_bit(square);
}

// The castling rights that a move from or to this square removes: the king's own, or those with this rook.
static const uint8_t castling_lost[SQUARES] = {
    [0] = CASTLE_WQ,  [4] = CASTLE_WK | CASTLE_WQ,  [7] = CASTLE_WK,
    [56] = CASTLE_BQ, [60] = CASTLE_BK | CASTLE_BQ, [63] = CASTLE_BK,
};

// Where the rook of a castling move starts and ends.
static int rook_from(uint32_t move)
{
    return move_to(move) > move_from(move) ? move_from(move) + 3 : move_from(move) - 4;
}

static int rook_to(uint32_t move)
{
    return (move_from(move) + move_to(move)) / 2;
}

static int captured_square(uint32_t move)
{
    return move_is_en_passant(move) ? en_passant_victim(move_to(move)) : move_to(move);
}

int position_make(struct position *p, uint32_t move)
{
    if (p->ply >= POSITION_PLIES)
        return error_set(CLTB_E_USAGE, "the history of the position is full (%d moves)", POSITION_PLIES);
    int from = move_from(move);
    int to = move_to(move);
    bool zeroing = move_is_zeroing(p, move);
    struct history *h = &p->history[p->ply++];
    *h = (struct history){.key = p->key,
                          .move = move,
                          .fifty = p->fifty,
                          .en_passant = p->en_passant,
                          .castling = p->castling,
                          .moved_index = p->index[from]};
    if (move_is_capture(move)) {
        h->captured_index = p->index[captured_square(move)];
        position_take(p, captured_square(move));
    }
    if (move_promoted(move) != EMPTY) {
        position_take(p, from);
        position_put(p, move_promoted(move), to);
    } else {
        shift(p, from, to);
    }
    if (move_is_castle(move))
        shift(p, rook_from(move), rook_to(move));
    if (p->castling != 0) {
        const int castling = p->castling & ~(castling_lost[from] | castling_lost[to]);
        p->key ^= position_key_castling(p->castling) ^ position_key_castling(castling);
        p->castling = (uint8_t)castling;
    }
    const int slot = move_is_pawn_start(move) ? (from + to) / 2 : NO_SQUARE;
    p->key ^= position_key_en_passant(p->en_passant) ^ position_key_en_passant(slot);
    p->en_passant = (uint8_t)slot;
    if (zeroing)
        p->fifty = 0;
    else if (p->fifty < UINT16_MAX)
        p->fifty++;
    p->move_number += p->side == BLACK;
    p->side ^= 1;
    p->key ^= position_key_side();
    return 0;
}

int position_undo(struct position *p)
{
    if (p->ply == 0)
        return error_set(CLTB_E_USAGE, "the position has no move to undo");
    const struct history *h = &p->history[--p->ply];
    int from = move_from(h->move);
    int to = move_to(h->move);
    p->side ^= 1;
    p->move_number -= p->side == BLACK;
    if (move_is_castle(h->move))
        shift(p, rook_to(h->move), rook_from(h->move));
    if (move_promoted(h->move) != EMPTY) {
        position_take(p, to);
        restore(p, piece_code(p->side, PAWN), from, h->moved_index);
    } else {
        shift(p, to, from);
    }
    if (move_is_capture(h->move))
        restore(p, move_captured(h->move), captured_square(h->move), h->captured_index);
    p->castling = h->castling;
    p->en_passant = h->en_passant;
    p->fifty = h->fifty;
    p->key = h->key;
    return 0;
}

bool moves_any(const struct position *p)
{
    uint32_t moves[MOVES_MAX];
    return moves_legal(p, moves) > 0;
}

int move_list_generate(struct move_list *list, const struct position *p, int ply)
{
    if (ply < 0 || ply >= MOVE_LIST_PLIES)
        return error_set(CLTB_E_USAGE, "move list: ply %d is not in 0..%d", ply, MOVE_LIST_PLIES - 1);
    int count = moves_legal(p, &list->move[list->start[ply]]);
    list->start[ply + 1] = list->start[ply] + count;
    return count;
}
