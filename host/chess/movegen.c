// movegen.c - legal moves from the piece lists
//
// A move's legality is determined before it is written, not by making it:
//
// 1. The squares that every enemy man attacks, seen through our king, are those that the king may not enter.
// 2. The men that attack the king are the checkers: with one, every other man must capture it or step between; with
//    two, only the king moves.
// 3. A man that stands alone between our king and an enemy slider stays on that line.
// 4. En passant takes two men off a rank at once, so it alone is tested on the board as it will be.
#include "chess/move.h"

#include "chess/attacks.h"

struct generation {
    const struct position *p;
    uint32_t *out;     // the next move
    uint64_t occupied; //
    uint64_t own;      //
    uint64_t closed;   // squares that no man of ours may enter: our own, and the enemy king's
    uint64_t danger;   // squares that the enemy would attack if our king were off the board
    uint64_t checkers; //
    uint64_t targets;  // squares where men other than the king may go: all, or those that end a check
    uint64_t pinned;   //
    int king;          // our king's square
    int us;            // the side to move
};

// Does steps 1 to 3 above.
static void survey(struct generation *g)
{
    const struct position *p = g->p;
    int them = g->us ^ 1;
    uint64_t king = square_bit(g->king);
    for (int type = KING; type <= PAWN; type++) {
        for (int i = 0; i < p->count[them][type]; i++) {
            int square = p->list[them][type][i];
            uint64_t attacks = piece_attacks(type, them, square, g->occupied ^ king);
            g->danger |= attacks;
            if (attacks & king)
                g->checkers |= square_bit(square);
            uint64_t lines = 0;
            if (type == ROOK || type == QUEEN)
                lines |= file_line(square) | rank_line(square);
            if (type == BISHOP || type == QUEEN)
                lines |= diagonal_line(square) | antidiagonal_line(square);
            if (!(lines & king))
                continue;
            const uint64_t between = squares_between(square, g->king) & g->occupied;
            if (between != 0 && (between & (between - 1)) == 0)
                g->pinned |= between & g->own;
        }
    }
    g->targets = ~g->closed;
    if (g->checkers != 0) {
        bool two = (g->checkers & (g->checkers - 1)) != 0;
        g->targets = two ? 0 : g->checkers | squares_between(g->king, __builtin_ctzll(g->checkers));
    }
}

// The squares that the man on `square` may enter without exposing our king.
static uint64_t allowed(const struct generation *g, int square)
{
    return g->pinned & square_bit(square) ? g->targets & line_through(g->king, square) : g->targets;
}

static void add(struct generation *g, int from, uint64_t to_set)
{
    while (to_set != 0) {
        int to = set_pop(&to_set);
        *g->out++ = move_pack(from, to, g->p->board[to], EMPTY, 0);
    }
}

static void add_pawn(struct generation *g, int from, int to, int flags)
{
    int captured = g->p->board[to];
    if (square_rank(to) != 0 && square_rank(to) != 7) {
        *g->out++ = move_pack(from, to, captured, EMPTY, flags);
        return;
    }
    for (int type = QUEEN; type <= KNIGHT; type++)
        *g->out++ = move_pack(from, to, captured, piece_code(g->us, type), flags);
}

static void add_pawn_moves(struct generation *g, int from)
{
    uint64_t may = allowed(g, from);
    int forward = g->us == WHITE ? 8 : -8;
    int step = from + forward;
    if (!(g->occupied & square_bit(step))) {
        if (may & square_bit(step))
            add_pawn(g, from, step, 0);
        bool home = square_rank(from) == (g->us == WHITE ? 1 : 6);
        if (home && !(g->occupied & square_bit(step + forward)) && (may & square_bit(step + forward)))
            add_pawn(g, from, step + forward, MOVE_PAWN_START);
    }
    uint64_t attacks = pawn_attacks(g->us, from);
    uint64_t captures = attacks & may & g->p->men[g->us ^ 1];
    while (captures != 0)
        add_pawn(g, from, set_pop(&captures), 0);
    int slot = g->p->en_passant;
    if (slot != NO_SQUARE && (attacks & square_bit(slot)) && position_en_passant_safe(g->p, from))
        *g->out++ = move_pack(from, slot, piece_code(g->us ^ 1, PAWN), EMPTY, MOVE_EN_PASSANT);
}

// All squares that a man crosses, the last one included.
static uint64_t way_to(int from, int to)
{
    return squares_between(from, to) | square_bit(to);
}

// On the ways of king and rook there must be no other man, and on the king's no attack. A rook that is pinned would
// leave its king in check.
static void add_castling(struct generation *g)
{
    const struct position *p = g->p;
    for (uint64_t rooks = castling_rooks(castling_of(p->castling, g->us)) & ~g->pinned; rooks != 0;) {
        const int rook = 63 - __builtin_clzll(rooks); // short castling first
        const uint32_t move = move_pack(g->king, rook, EMPTY, EMPTY, MOVE_CASTLE | (p->chess960 ? MOVE_CHESS960 : 0));
        const uint64_t both = square_bit(g->king) | square_bit(rook);
        const uint64_t way = way_to(g->king, castle_king(move));
        rooks &= ~square_bit(rook);
        if (!((way | way_to(rook, castle_rook(move))) & g->occupied & ~both) && !(way & g->danger))
            *g->out++ = move;
    }
}

int moves_legal(const struct position *p, uint32_t moves[MOVES_MAX])
{
    int us = p->side;
    struct generation g = {.p = p,
                           .out = moves,
                           .occupied = position_occupied(p),
                           .own = p->men[us],
                           .king = position_king(p, us),
                           .us = us};
    g.closed = g.own | square_bit(position_king(p, us ^ 1));
    survey(&g);
    add(&g, g.king, king_attacks(g.king) & ~g.closed & ~g.danger);
    if (g.checkers == 0 && p->castling != 0)
        add_castling(&g);
    if (g.targets == 0) // two checkers; no en passant capture ends both checks
        return (int)(g.out - moves);
    for (int type = QUEEN; type <= KNIGHT; type++) {
        for (int i = 0; i < p->count[us][type]; i++) {
            int from = p->list[us][type][i];
            add(&g, from, piece_attacks(type, us, from, g.occupied) & allowed(&g, from));
        }
    }
    for (int i = 0; i < p->count[us][PAWN]; i++)
        add_pawn_moves(&g, p->list[us][PAWN][i]);
    return (int)(g.out - moves);
}
