// label_binpack.c - reads the .binpack files of Stockfish's trainer: chains of positions, each a move after the last
//
//     file       chunks: "BINP", the number of bytes that follow (4, little-endian), chains
//     chain      a position (24), its move (2), its score (2), bits 0 to 13 the ply, then the result (2), the half-move
//                clock (2), the number of later positions (2), all big-endian; then, in bits from the highest of a byte
//                down, filled up to a byte, for each later position its move and its score
//     position   set of squares (8); for each of them, from a1 up, half a byte (16 bytes, the low half first): 0 white
//                pawn, 1 black pawn, 2 and 3 knights, 4 and 5 bishops, 6 and 7 rooks, 8 and 9 queens, 10 and 11 kings;
//                12 a pawn after its double step, 13 and 14 rooks that may castle, 15 black king, Black to move
//     move       2 bits kind (2: castling), 6 from, 6 to (of castling: the rook's square), 2 promoted (knight first)
//     later move the number of its man among those of the side to move, from a1 up; the number of its target:
//                    squares that the man attacks without own men on them, from a1 up; a pawn's are those that it can
//                    go to, each four times if it promotes; castling comes last, long before short
//                each with just as many bits as the greatest such number needs
//     later score  of the side to move, less the negative one before: 4 bits at a time, the lowest first, each after
//                a bit that says whether there are more
//
// Scores, their differences and the result (1 won, -1 lost) have their sign in the lowest bit; -1 is 1, -2 is 3.
#include "cli/label.h"

#include "chess/attacks.h"
#include "chess/fen.h"
#include "probe/probe.h"
#include "util/error.h"
#include "util/memory.h"

#include <string.h>

enum { MEN_MAX = 2 * MEN_PER_SIDE_MAX, SCORE_BITS = 4, HEADER_BYTES = 8 };

struct reader {
    FILE *in;
    uint64_t *left; // bytes of the chunk
    bool ended;     // there were fewer
    unsigned byte;
    unsigned bits; // of it that are left
};

static unsigned read_bits(struct reader *r, unsigned count)
{
    unsigned value = 0;
    for (; count > 0; count--) {
        if (r->bits == 0) {
            const int byte = *r->left > 0 ? getc(r->in) : EOF;
            r->ended |= byte == EOF;
            r->byte = byte == EOF ? 0 : (unsigned)byte;
            r->bits = 8;
            *r->left -= *r->left > 0;
        }
        value = value << 1 | (r->byte >> --r->bits & 1);
    }
    return value;
}

// Reads a number that is less than `count`.
static unsigned read_number(struct reader *r, unsigned count)
{
    unsigned bits = 0;
    while (count > 1U << bits)
        bits++;
    return read_bits(r, bits);
}

static int to_signed(unsigned value)
{
    return value & 1 ? -1 - (int)(value >> 1) : (int)(value >> 1);
}

static int read_score(struct reader *r)
{
    unsigned value = 0;
    for (unsigned shift = 0, more = 1; more != 0 && shift < 16; shift += SCORE_BITS) {
        more = read_bits(r, 1);
        value |= read_bits(r, SCORE_BITS) << shift;
    }
    return to_signed(value & 0xffff);
}

static int broken(const char *what)
{
    return error_set(CLTB_E_CORRUPT, "%s", what);
}

static int read_position(struct reader *r, struct position *p)
{
    struct man man[MEN_MAX];
    unsigned pair[MEN_MAX / 2];
    unsigned count = 0;
    int side = WHITE;
    int castling = 0;
    int slot = NO_SQUARE;
    uint64_t set = (uint64_t)read_bits(r, 32) << 32;
    set |= read_bits(r, 32);
    for (int i = 0; i < MEN_MAX / 2; i++)
        pair[i] = read_bits(r, 8);
    for (; set != 0; count++) {
        const int square = set_pop(&set);
        if (count == MEN_MAX)
            return broken("a position has more than 32 men");
        static const uint8_t types[] = {PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING};
        const unsigned code = pair[count / 2] >> 4 * (count % 2) & 15;
        unsigned plain = code;
        if (code == 12) {
            plain = square_rank(square) == 3 ? 0 : 1;
            slot = square ^ 8;
        } else if (code == 13 || code == 14) {
            plain = code - 7;
            castling |= castling_right(square);
            if (castling_right(square) == 0)
                return broken("a rook may castle that stands on no back rank");
        } else if (code == 15) {
            plain = 11;
            side = BLACK;
        }
        man[count] = (struct man){types[plain / 2], (uint8_t)(plain % 2), (uint8_t)square};
    }
    TRY(position_set(p, man, (int)count, side));
    TRY(position_set_castling(p, castling));
    TRY(position_set_en_passant(p, slot));
    return position_require_legal(p);
}

// Where a pawn can go if its king does not matter.
static uint64_t pawn_targets(const struct position *p, int from)
{
    const uint64_t empty = ~position_occupied(p);
    const uint64_t one = (p->side == WHITE ? square_bit(from) << 8 : square_bit(from) >> 8) & empty;
    const uint64_t home = p->side == WHITE ? RANK_1 << 16 : RANK_8 >> 16;
    const uint64_t two = (p->side == WHITE ? (one & home) << 8 : (one & home) >> 8) & empty;
    uint64_t taken = p->men[p->side ^ 1];
    if (p->en_passant != NO_SQUARE && position_en_passant_legal(p))
        taken |= square_bit(p->en_passant);
    return one | two | (pawn_attacks(p->side, from) & taken);
}

static int nth_square(uint64_t set, unsigned n)
{
    while (n-- > 0)
        set &= set - 1;
    return set == 0 ? NO_SQUARE : __builtin_ctzll(set);
}

struct step {
    int from;
    int to;
    int promoted; // type, if it promotes
};

static const int promotions[] = {KNIGHT, BISHOP, ROOK, QUEEN};

static int make(struct position *p, struct step step)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        const int becomes = move_promoted(moves[i]);
        if (move_from(moves[i]) != step.from || move_to(moves[i]) != step.to ||
            (becomes != EMPTY && piece_type(becomes) != step.promoted))
            continue;
        TRY(position_make(p, moves[i]));
        position_forget(p);
        return 0;
    }
    return broken("a move is illegal");
}

static struct step first_step(unsigned move)
{
    const int from = move >> 8 & 63;
    const int to = move >> 2 & 63;
    return (struct step){from, to, promotions[move & 3]};
}

static int later_step(struct reader *r, const struct position *p, struct step *step)
{
    const uint64_t ours = p->men[p->side];
    const int from = nth_square(ours, read_number(r, (unsigned)position_side_men(p, p->side)));
    if (from == NO_SQUARE)
        return broken("a man moves that is not there");
    const int type = piece_type(p->board[from]);
    const bool promotes = type == PAWN && square_rank(from) == (p->side == WHITE ? 6 : 1);
    uint64_t rooks = type == KING ? castling_rooks(castling_of(p->castling, p->side)) : 0;
    const uint64_t targets =
        type == PAWN ? pawn_targets(p, from) : piece_attacks(type, p->side, from, position_occupied(p)) & ~ours;
    const unsigned squares = (unsigned)__builtin_popcountll(targets);
    unsigned count = promotes ? 4 * squares : squares;
    count += (unsigned)__builtin_popcountll(rooks);
    const unsigned n = read_number(r, count);
    if (n >= count)
        return broken("a man moves to no square");
    const bool castles = type == KING && n >= squares;
    const int to = castles ? nth_square(rooks, n - squares) : nth_square(targets, promotes ? n / 4 : n);
    *step = (struct step){from, to, promotions[n % 4]};
    return 0;
}

// Adds a record; score and result are of the side to move.
static int put(struct label_batch *batch, const struct position *p, int score, int result, bool bullet)
{
    static const char *const results[] = {"0.0", "0.5", "1.0"};
    enum { MOST = FEN_MAX + sizeof " | -32768 | 0.5\n" };
    cltb_position position;
    TRY(memory_grow(&batch->bytes, &batch->room, batch->size + MOST, 1, "records"));
    char *to = batch->bytes + batch->size;
    if (bullet) {
        position_to_public(p, &position);
        label_make_bullet(&position, score, result + 1, to);
        batch->size += BULLET_BYTES;
        return 0;
    }
    const int sign = p->side == WHITE ? 1 : -1;
    fen_write(p, to);
    const size_t length = strlen(to);
    batch->size +=
        length + (size_t)snprintf(to + length, MOST - length, " | %d | %s\n", sign * score, results[sign * result + 1]);
    return 0;
}

static int read_chain(struct reader *r, struct label_batch *batch, size_t *records, bool bullet)
{
    struct position p;
    TRY(read_position(r, &p));
    struct step step = first_step(read_bits(r, 16));
    int score = to_signed(read_bits(r, 16));
    const unsigned ply = read_bits(r, 16);
    int result = to_signed(ply >> 14);
    const unsigned fifty = read_bits(r, 16);
    const unsigned later = read_bits(r, 16);
    if (r->ended || fifty > COUNTER_MAX || result < -1)
        return broken(r->ended ? "it ends within a chain" : "a chain has an impossible clock or result");
    TRY(position_set_counters(&p, (int)fifty, (int)(ply & 0x3fff) / 2 + 1));
    for (unsigned i = 0;; i++) {
        TRY(put(batch, &p, score, result, bullet));
        ++*records;
        if (i == later)
            return 0;
        TRY(make(&p, step));
        const int code = later_step(r, &p, &step);
        score = (int16_t)(read_score(r) - score);
        result = -result;
        if (code != 0 || r->ended)
            return r->ended ? broken("it ends within a chain") : code;
    }
}

int label_read_binpack(struct label_batch *batch, FILE *in, uint64_t *left, size_t most, bool bullet)
{
    size_t records = 0;
    batch->size = 0;
    while (records < most) {
        struct reader r = {.in = in, .left = left};
        char header[HEADER_BYTES];
        if (*left > 0) {
            TRY(read_chain(&r, batch, &records, bullet));
            continue;
        }
        const size_t count = fread(header, 1, sizeof header, in);
        if (count == 0)
            return LABEL_NO_MORE;
        if (count < sizeof header || memcmp(header, "BINP", 4) != 0)
            return broken("a chunk does not begin with BINP");
        for (int i = 7; i >= 4; i--)
            *left = *left << 8 | (uint8_t)header[i];
    }
    return 0;
}
