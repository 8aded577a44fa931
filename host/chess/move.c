// move.c - make and undo, and the list of moves by ply
#include "chess/move.h"

#include "util/error.h"

struct lifted {
    uint8_t code;
    uint8_t index;
};

// Takes a man off the board, but not out of its list.
static struct lifted lift(struct position *p, int from)
{
    const uint8_t code = p->board[from];
    p->board[from] = EMPTY;
    p->men[piece_colour(code)] ^= square_bit(from);
    p->key ^= position_key_man(code, from);
    return (struct lifted){code, p->index[from]};
}

static void drop(struct position *p, struct lifted man, int to)
{
    const int colour = piece_colour(man.code);
    p->list[colour][piece_type(man.code)][man.index] = (uint8_t)to;
    p->index[to] = man.index;
    p->board[to] = man.code;
    p->men[colour] ^= square_bit(to);
    p->key ^= position_key_man(man.code, to);
}

// Moves a man to an empty square; it keeps its place in its list.
static void shift(struct position *p, int from, int to)
{
    drop(p, lift(p, from), to);
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

// Moves king and rook, each of which may go to where the other stands.
static void castle(struct position *p, int king, int rook, int king_to, int rook_to)
{
    const struct lifted lifted_king = lift(p, king);
    const struct lifted lifted_rook = lift(p, rook);
    drop(p, lifted_king, king_to);
    drop(p, lifted_rook, rook_to);
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
    const int given_up = piece_type(p->board[from]) == KING ? castling_of(p->castling, p->side) : 0;
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
    } else if (move_is_castle(move)) {
        castle(p, from, to, castle_king(move), castle_rook(move));
    } else {
        shift(p, from, to);
    }
    if (p->castling != 0) {
        const int castling = p->castling & ~(castling_right(from) | castling_right(to) | given_up);
        p->key ^= position_key_castling(p->castling) ^ position_key_castling(castling);
        p->castling = (uint16_t)castling;
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
    if (move_promoted(h->move) != EMPTY) {
        position_take(p, to);
        restore(p, piece_code(p->side, PAWN), from, h->moved_index);
    } else if (move_is_castle(h->move)) {
        castle(p, castle_king(h->move), castle_rook(h->move), from, to);
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
