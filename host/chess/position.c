// position.c - setting up, comparing and checking positions
#include "chess/position.h"

#include "chess/attacks.h"
#include "util/error.h"
#include "util/random.h"

#include <string.h>

const char *square_name(int square)
{
    static const char names[SQUARES + 1][3] = {
        "a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "a2", "b2", "c2", "d2", "e2", "f2", "g2", "h2", "a3",
        "b3", "c3", "d3", "e3", "f3", "g3", "h3", "a4", "b4", "c4", "d4", "e4", "f4", "g4", "h4", "a5", "b5",
        "c5", "d5", "e5", "f5", "g5", "h5", "a6", "b6", "c6", "d6", "e6", "f6", "g6", "h6", "a7", "b7", "c7",
        "d7", "e7", "f7", "g7", "h7", "a8", "b8", "c8", "d8", "e8", "f8", "g8", "h8", "-",
    };
    return square >= 0 && square < SQUARES ? names[square] : names[NO_SQUARE];
}

char piece_letter(int code)
{
    return ".KQRBNP..kqrbnp."[code & 15];
}

// Zobrist numbers are values of a mixing function, which needs no table.
static uint64_t mix(uint64_t n)
{
    n *= UINT64_C(0x9e3779b97f4a7c15);
    return random_next(&n);
}

enum { KEY_MAN = 0, KEY_SIDE = 16 * SQUARES, KEY_CASTLING = KEY_SIDE + 1, KEY_EN_PASSANT = KEY_CASTLING + (1 << 16) };

uint64_t position_key_man(int code, int square)
{
    return mix((unsigned)(KEY_MAN + code * SQUARES + square));
}

uint64_t position_key_side(void)
{
    return mix(KEY_SIDE);
}

uint64_t position_key_castling(int castling)
{
    return castling == 0 ? 0 : mix((unsigned)(KEY_CASTLING + castling));
}

uint64_t position_key_en_passant(int square)
{
    return square == NO_SQUARE ? 0 : mix((unsigned)(KEY_EN_PASSANT + square));
}

uint64_t position_key(const struct position *p)
{
    uint64_t key = p->side == BLACK ? position_key_side() : 0;
    for (int square = 0; square < SQUARES; square++)
        if (p->board[square] != EMPTY)
            key ^= position_key_man(p->board[square], square);
    return key ^ position_key_castling(p->castling) ^ position_key_en_passant(p->en_passant);
}

// Does not update the key.
static inline __attribute__((always_inline)) void put(struct position *p, int code, int square)
{
    int colour = piece_colour(code);
    int type = piece_type(code);
    uint8_t last = p->count[colour][type]++;
    p->list[colour][type][last] = (uint8_t)square;
    p->index[square] = last;
    p->board[square] = (uint8_t)code;
    p->men[colour] |= square_bit(square);
}

void position_put(struct position *p, int code, int square)
{
    put(p, code, square);
    p->key ^= position_key_man(code, square);
}

void position_take(struct position *p, int square)
{
    int code = p->board[square];
    int colour = piece_colour(code);
    int type = piece_type(code);
    uint8_t *list = p->list[colour][type];
    uint8_t last = --p->count[colour][type];
    list[p->index[square]] = list[last];
    p->index[list[last]] = p->index[square];
    p->board[square] = EMPTY;
    p->men[colour] &= ~square_bit(square);
    p->key ^= position_key_man(code, square);
}

static void clear(struct position *p)
{
    // Lists and indices have a meaning only where there is a man, so they are not cleared.
    p->key = 0;
    p->men[WHITE] = p->men[BLACK] = 0;
    memset(p->board, EMPTY, sizeof p->board);
    memset(p->count, 0, offsetof(struct position, history) - offsetof(struct position, count));
    p->en_passant = NO_SQUARE;
    p->move_number = 1;
}

// Can this man stand on its square, beside those already there?
static int man_check(const struct position *p, const struct man *man)
{
    if (man->type >= PIECE_TYPES || man->colour >= COLOURS || man->square >= SQUARES)
        return error_set(CLTB_E_POSITION, "no such man: type %d, colour %d, square %d", man->type, man->colour,
                         man->square);
    const char *side = colour_name(man->colour);
    const char *where = square_name(man->square);
    if (p->board[man->square] != EMPTY)
        return error_set(CLTB_E_POSITION, "two men on %s", where);
    if (man->type == PAWN && (man->square < 8 || man->square >= 56))
        return error_set(CLTB_E_POSITION, "%s has a pawn on %s: pawns stand on ranks 2 to 7", side, where);
    if (man->type == PAWN && p->count[man->colour][PAWN] == PAWNS_PER_SIDE_MAX)
        return error_set(CLTB_E_POSITION, "%s has more than %d pawns", side, PAWNS_PER_SIDE_MAX);
    if (man->type == KING && p->count[man->colour][KING] > 0)
        return error_set(CLTB_E_POSITION, "%s has more than one king (on %s and %s)", side,
                         square_name(position_king(p, man->colour)), where);
    if (position_side_men(p, man->colour) == MEN_PER_SIDE_MAX)
        return error_set(CLTB_E_POSITION, "%s has more than %d men", side, MEN_PER_SIDE_MAX);
    return 0;
}

int position_set(struct position *p, const struct man *men, int count, int side)
{
    clear(p);
    if (side != WHITE && side != BLACK)
        return error_set(CLTB_E_POSITION, "side to move is %d, neither White (0) nor Black (1)", side);
    int status = 0;
    for (int i = 0; status == 0 && i < count; i++) {
        status = man_check(p, &men[i]);
        if (status == 0)
            position_put(p, piece_code(men[i].colour, men[i].type), men[i].square);
    }
    for (int colour = WHITE; status == 0 && colour <= BLACK; colour++)
        if (p->count[colour][KING] == 0)
            status = error_set(CLTB_E_POSITION, "%s has no king", colour_name(colour));
    if (status != 0)
        clear(p);
    else if (side == BLACK) {
        p->side = BLACK;
        p->key ^= position_key_side();
    }
    return status;
}

bool position_set_sets(struct position *p, const uint64_t men[COLOURS], const uint64_t kind[PIECE_TYPES], int side)
{
    const uint64_t white = men[WHITE] & kind[KING];
    const uint64_t black = men[BLACK] & kind[KING];
    if (white == 0 || black == 0 || ((white & (white - 1)) | (black & (black - 1))) != 0 ||
        (kind[PAWN] & (RANK_1 | RANK_8)) != 0 || (side != WHITE && side != BLACK))
        return false;
    int room = PAWNS_PER_SIDE_MAX; // in all, so that neither colour can have too many of any type
    clear(p);
    for (int type = KING; type <= PAWN; type++)
        for (uint64_t set = kind[type]; set != 0;) {
            if (room-- == 0)
                return false;
            const int square = set_pop(&set);
            put(p, piece_code((int)(men[BLACK] >> square & 1), type), square);
        }
    p->side = (uint8_t)side;
    return true;
}

int position_set_en_passant(struct position *p, int square)
{
    if (square != NO_SQUARE) {
        int rank = p->side == WHITE ? 5 : 2;
        const char *name = square_name(square);
        if (square < 0 || square >= SQUARES)
            return error_set(CLTB_E_POSITION, "en passant square %d: squares are 0 (a1) to %d (h8)", square,
                             SQUARES - 1);
        if (square_rank(square) != rank)
            return error_set(CLTB_E_POSITION, "en passant square %s: with %s to move it must lie on rank %d", name,
                             colour_name(p->side), rank + 1);
        int victim = en_passant_victim(square);
        int home = 2 * square - victim;
        if (p->board[square] != EMPTY)
            return error_set(CLTB_E_POSITION, "en passant square %s is occupied", name);
        if (p->board[victim] != piece_code(p->side ^ 1, PAWN))
            return error_set(CLTB_E_POSITION, "en passant square %s: no %s pawn on %s that could have passed it", name,
                             p->side == WHITE ? "black" : "white", square_name(victim));
        if (p->board[home] != EMPTY)
            return error_set(CLTB_E_POSITION,
                             "en passant square %s: the pawn cannot have come from %s, which is occupied", name,
                             square_name(home));
    }
    p->key ^= position_key_en_passant(p->en_passant) ^ position_key_en_passant(square);
    p->en_passant = (uint8_t)square;
    return 0;
}

static int castling_check(const struct position *p, int castling, int colour)
{
    const int king = position_king(p, colour);
    const int home = 56 * colour;
    bool taken[2] = {false, false};
    for (uint64_t rooks = castling_rooks(castling_of(castling, colour)); rooks != 0;) {
        const int rook = set_pop(&rooks);
        if (king <= home || king >= home + 7 || p->board[rook] != piece_code(colour, ROOK))
            return error_set(CLTB_E_POSITION, "castling rights need %s's king on %s to %s and a rook on %s",
                             colour_name(colour), square_name(home + 1), square_name(home + 6), square_name(rook));
        if (taken[rook > king])
            return error_set(CLTB_E_POSITION, "castling rights: %s has them with two rooks on one side of the king",
                             colour_name(colour));
        taken[rook > king] = true;
    }
    return 0;
}

int position_set_castling(struct position *p, int castling)
{
    if (castling < 0 || castling > (CASTLING_WHITE | CASTLING_BLACK))
        return error_set(CLTB_E_POSITION, "castling rights %d are not in 0..%d", castling,
                         CASTLING_WHITE | CASTLING_BLACK);
    TRY(castling_check(p, castling, WHITE));
    TRY(castling_check(p, castling, BLACK));
    for (int colour = WHITE; colour <= BLACK; colour++)
        if (castling_of(castling, colour) != 0 && square_file(position_king(p, colour)) != 4)
            p->chess960 = true;
    p->chess960 |= (castling & ~CASTLING_START) != 0;
    p->key ^= position_key_castling(p->castling) ^ position_key_castling(castling);
    p->castling = (uint16_t)castling;
    return 0;
}

int position_set_counters(struct position *p, int fifty, int move_number)
{
    if (fifty < 0 || fifty > COUNTER_MAX)
        return error_set(CLTB_E_POSITION, "half-move clock %d is not in 0..%d", fifty, COUNTER_MAX);
    if (move_number < 1 || move_number > COUNTER_MAX)
        return error_set(CLTB_E_POSITION, "full-move number %d is not in 1..%d", move_number, COUNTER_MAX);
    p->fifty = (uint16_t)fifty;
    p->move_number = (uint32_t)move_number;
    return 0;
}

void position_start(struct position *p)
{
    static const uint8_t back_rank[8] = {ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK};
    clear(p);
    for (int file = 0; file < 8; file++) {
        position_put(p, piece_code(WHITE, back_rank[file]), file);
        position_put(p, piece_code(WHITE, PAWN), 8 + file);
        position_put(p, piece_code(BLACK, PAWN), 48 + file);
        position_put(p, piece_code(BLACK, back_rank[file]), 56 + file);
    }
    p->castling = CASTLING_START;
    p->key ^= position_key_castling(p->castling);
}

void position_copy(struct position *to, const struct position *from)
{
    if (to != from)
        memcpy(to, from, offsetof(struct position, history) + from->ply * sizeof from->history[0]);
}

void position_forget(struct position *p)
{
    p->ply = 0;
}

// Does a man of this list stand in `set`?
static bool list_meets(const struct position *p, int colour, int type, uint64_t set)
{
    for (int i = 0; i < p->count[colour][type]; i++)
        if (set & square_bit(p->list[colour][type][i]))
            return true;
    return false;
}

// Would a man of colour `by` attack `square` if exactly the squares of `occupied` were occupied? Men of `by` outside
// that set are off the board: this tells what happens after an en passant capture without making it.
static bool attacked_with(const struct position *p, int square, int by, uint64_t occupied)
{
    const uint8_t *count = p->count[by];
    if (count[ROOK] + count[QUEEN] > 0) {
        uint64_t set = rook_attacks(square, occupied) & occupied;
        if (list_meets(p, by, ROOK, set) || list_meets(p, by, QUEEN, set))
            return true;
    }
    if (count[BISHOP] + count[QUEEN] > 0) {
        uint64_t set = bishop_attacks(square, occupied) & occupied;
        if (list_meets(p, by, BISHOP, set) || list_meets(p, by, QUEEN, set))
            return true;
    }
    return list_meets(p, by, KING, king_attacks(square)) ||
           list_meets(p, by, KNIGHT, knight_attacks(square) & occupied) ||
           list_meets(p, by, PAWN, pawn_attacks(by ^ 1, square) & occupied);
}

bool position_attacked(const struct position *p, int square, int by)
{
    return attacked_with(p, square, by, position_occupied(p));
}

bool position_en_passant_safe(const struct position *p, int from)
{
    int slot = p->en_passant;
    uint64_t occupied = position_occupied(p) & ~square_bit(from) & ~square_bit(en_passant_victim(slot));
    return !attacked_with(p, position_king(p, p->side), p->side ^ 1, occupied | square_bit(slot));
}

bool position_in_check(const struct position *p)
{
    return position_attacked(p, position_king(p, p->side), p->side ^ 1);
}

// Adjacent kings attack each other, so they need no test of their own.
bool position_legal(const struct position *p)
{
    return !position_attacked(p, position_king(p, p->side ^ 1), p->side);
}

int position_require_legal(const struct position *p)
{
    int white = position_king(p, WHITE);
    int black = position_king(p, BLACK);
    if (king_attacks(white) & square_bit(black))
        return error_set(CLTB_E_POSITION, "the kings on %s and %s are adjacent", square_name(white),
                         square_name(black));
    if (!position_legal(p))
        return error_set(CLTB_E_POSITION, "%s is in check, but %s is to move", colour_name(p->side ^ 1),
                         colour_name(p->side));
    return 0;
}

bool position_en_passant_legal(const struct position *p)
{
    if (p->en_passant == NO_SQUARE)
        return false;
    uint64_t from = pawn_attacks(p->side ^ 1, p->en_passant);
    for (int i = 0; i < p->count[p->side][PAWN]; i++) {
        int square = p->list[p->side][PAWN][i];
        if ((from & square_bit(square)) && position_en_passant_safe(p, square))
            return true;
    }
    return false;
}
