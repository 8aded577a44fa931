// position_check.c - everything that a position keeps, computed again from its board
#include "oracle/position_check.h"

#include "util/error.h"

#include <stddef.h>
#include <string.h>

bool position_same(const struct position *a, const struct position *b)
{
    return a->key == b->key && a->side == b->side && a->castling == b->castling && a->en_passant == b->en_passant &&
           memcmp(a->board, b->board, sizeof a->board) == 0;
}

int position_check(const struct position *p)
{
    if (p->side > BLACK)
        return error_set(CLTB_E_POSITION, "side to move is %d", p->side);
    uint64_t men[COLOURS] = {0, 0};
    int on_board[16] = {0}; // by piece code
    for (int square = 0; square < SQUARES; square++) {
        const int code = p->board[square];
        if (code == EMPTY)
            continue;
        if (piece_type(code) < KING || piece_type(code) > PAWN || piece_colour(code) > BLACK)
            return error_set(CLTB_E_POSITION, "board: %s holds %d, which is not a piece", square_name(square), code);
        if (piece_type(code) == PAWN && (square < 8 || square >= 56))
            return error_set(CLTB_E_POSITION, "board: pawn on %s", square_name(square));
        men[piece_colour(code)] |= square_bit(square);
        on_board[code]++;
    }
    for (int colour = WHITE; colour <= BLACK; colour++) {
        if (p->men[colour] != men[colour])
            return error_set(CLTB_E_POSITION, "bit set of %s is %016llx, the board says %016llx", colour_name(colour),
                             (unsigned long long)p->men[colour], (unsigned long long)men[colour]);
        if (__builtin_popcountll(men[colour]) > MEN_PER_SIDE_MAX)
            return error_set(CLTB_E_POSITION, "%s has more than %d men", colour_name(colour), MEN_PER_SIDE_MAX);
    }
    for (int i = 0; i < COLOURS * PIECE_TYPES; i++) {
        const int code = piece_code(i / PIECE_TYPES, i % PIECE_TYPES);
        const int count = p->count[i / PIECE_TYPES][i % PIECE_TYPES];
        if (count != on_board[code])
            return error_set(CLTB_E_POSITION, "list of %c holds %d men, the board %d", piece_letter(code), count,
                             on_board[code]);
        for (int n = 0; n < count; n++) {
            const int square = p->list[i / PIECE_TYPES][i % PIECE_TYPES][n];
            if (square >= SQUARES || p->board[square] != code)
                return error_set(CLTB_E_POSITION, "list of %c: no such man on its square %s", piece_letter(code),
                                 square_name(square));
            if (p->index[square] != n)
                return error_set(CLTB_E_POSITION, "list of %c: %s is entry %d, its index says %d", piece_letter(code),
                                 square_name(square), n, p->index[square]);
        }
    }
    for (int colour = WHITE; colour <= BLACK; colour++)
        if (p->count[colour][KING] != 1)
            return error_set(CLTB_E_POSITION, "%s has %d kings", colour_name(colour), p->count[colour][KING]);
    struct position copy; // to test whether the rights, and the slot after the last move, are possible
    memcpy(&copy, p, offsetof(struct position, history));
    TRY(position_set_castling(&copy, p->castling));
    TRY(position_set_en_passant(&copy, p->en_passant));
    if (p->ply > POSITION_PLIES)
        return error_set(CLTB_E_POSITION, "history of %d plies, more than %d", p->ply, POSITION_PLIES);
    if (p->key != position_key(p))
        return error_set(CLTB_E_POSITION, "key is %016llx, recomputed %016llx", (unsigned long long)p->key,
                         (unsigned long long)position_key(p));
    return 0;
}
