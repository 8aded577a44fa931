// rules.h - dobutsu shogi ("animal shogi", 3x4 board): a position, its moves, its text
//
// A position is always seen by the side to move, called Sente, who plays up the board; after every move the board is
// turned: rotated, and the owners of all men flipped. Squares are 0..11 from Sente's right-hand corner, 12 is "in hand"
// (of either side):
//
//     BA9      a1 b1 c1      square = 3 * row from Sente's side + 2 - column from the left
//     876      a2 b2 c2      forward +3, right -1, left +1
//     543      a3 b3 c3      turned: s -> 11 - s; 12 stays
//     210      a4 b4 c4
//
// The six men besides the lions are three pairs of identical pieces. Each man has an owner bit, and a chick a rooster
// bit:
//
//     man                  0 chick   1 chick   2 giraffe 3 giraffe 4 elephant 5 elephant
//     owner bit (Sente's)  0x01      0x02      0x40      0x80      0x10       0x20
//     rooster bit          0x04      0x08
//
// The far rank (squares 9, 10, 11) is where chicks promote and where a lion that is not attacked wins. The rules in
// full are in docs/dobutsu.md: there is no rule about check, drops may go anywhere, repetition is a draw (and not seen
// here), a player without a move has lost.
#ifndef CLTB_DOBUTSU_RULES_H
#define CLTB_DOBUTSU_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DOBUTSU_SQUARES = 12,
    DOBUTSU_HAND = 12,
    DOBUTSU_MEN = 6,        // besides the lions
    DOBUTSU_MOVES_MAX = 96, // room; no position has more than 38 without unsafe lion moves
    DOBUTSU_TEXT_MAX = 32,  // "S/gle/-c-/-C-/ELG/-" with all six men in hand has 24 characters
    DOBUTSU_MOVE_MAX = 8    // "Cb2xb1+" and the NUL
};

#define DOBUTSU_START "S/gle/-c-/-C-/ELG/-"

enum dobutsu_kind { DOBUTSU_CHICK, DOBUTSU_GIRAFFE, DOBUTSU_ELEPHANT, DOBUTSU_LION, DOBUTSU_ROOSTER };

// No padding: memcmp() compares the whole struct.
struct dobutsu {
    uint8_t square[DOBUTSU_MEN]; // chicks, giraffes, elephants: 0..11, or 12 in hand
    uint8_t gote_lion;           // 0..11
    uint8_t sente_lion;          // 0..11
    uint8_t op;                  // owner and rooster bits
    bool turned;                 // Gote of the outside world is to move, and texts show the board turned
};

enum { DOBUTSU_MAN_LION = DOBUTSU_MEN, DOBUTSU_MAN_NONE = 255 };

struct dobutsu_move {
    uint8_t man;      // 0..5, or DOBUTSU_MAN_LION
    uint8_t from;     // 0..11; 12: a drop
    uint8_t to;       // 0..11
    uint8_t captured; // the man taken: 0..5, DOBUTSU_MAN_LION, or DOBUTSU_MAN_NONE
    bool promotes;    // a chick becomes a rooster
    bool wins;        // takes the lion, or ascends to a square that is not attacked
};

// The owner bit and the rooster bit (0 for giraffes and elephants) of a man.
static inline uint8_t dobutsu_owner_bit(int man)
{
    static const uint8_t bits[DOBUTSU_MEN] = {0x01, 0x02, 0x40, 0x80, 0x10, 0x20};
    return bits[man];
}

static inline uint8_t dobutsu_rooster_bit(int man)
{
    return (uint8_t)(man < 2 ? 0x04 << man : 0);
}

static inline enum dobutsu_kind dobutsu_kind(int man)
{
    return (enum dobutsu_kind)(man / 2);
}

// The bits of both men of a pair are adjacent. Exchanges those of the pairs in `bits`, which combines these masks:
enum { DOBUTSU_CHICK_BITS = 0x0f, DOBUTSU_GIRAFFE_BITS = 0xc0, DOBUTSU_ELEPHANT_BITS = 0x30 };
static inline unsigned dobutsu_exchange(unsigned op, unsigned bits)
{
    const unsigned neighbours = (op & 0x55u) << 1 | (op & 0xaau) >> 1;
    return (op & ~bits) | (neighbours & bits);
}

// ---- text: T/BA9/876/543/210/H, as in DOBUTSU_START (text.c) ----

// Reads a position, either side to move. The men come in canonical order (dobutsu_sort()). CLTB_E_POSITION with a
// sentence that says what is wrong: bad notation, a lion missing, a man too many or too few, a rooster in hand. Lions
// side by side are allowed.
int dobutsu_read(struct dobutsu *p, const char *text);
void dobutsu_write(const struct dobutsu *p, char text[DOBUTSU_TEXT_MAX]);

// In outside coordinates: "Cb3xb2", "Cb2-b1+", "G*a3".
void dobutsu_move_write(const struct dobutsu *p, const struct dobutsu_move *move, char text[DOBUTSU_MOVE_MAX]);

// Accepts what dobutsu_move_write() writes, with letters of either case, and with '-' and 'x' left out or exchanged.
// CLTB_E_POSITION if it is not a possible move.
int dobutsu_move_read(const struct dobutsu *p, const char *text, struct dobutsu_move *move);

// ---- the board ----

// Seen from the other side: the other player is Sente (and to move). Men keep their numbers; `turned` changes.
void dobutsu_turn(struct dobutsu *p);

// Exchanges left and right.
void dobutsu_mirror(struct dobutsu *p);

// Canonical order: in each pair the man on the lower square first (in hand is the highest), and with both in hand
// Sente's before Gote's.
void dobutsu_sort(struct dobutsu *p);

// The squares (bit s) to which a man on a square of the board can go, whatever stands there; none from the hand.
uint16_t dobutsu_steps(enum dobutsu_kind type, bool sente, int square);

// Can Sente win at once?
bool dobutsu_can_take_lion(const struct dobutsu *p); // also by the lion
bool dobutsu_can_ascend(const struct dobutsu *p);

// What makes a position invalid: two men on one square; a chick in hand with its rooster bit set.
bool dobutsu_overlaps(const struct dobutsu *p);
bool dobutsu_rooster_in_hand(const struct dobutsu *p);

// ---- moves ----

// All possible moves of Sente, including those that lose the lion. Of identical pieces in the same hand only one is
// dropped. `moves` has room for DOBUTSU_MOVES_MAX; returns the number of moves.
int dobutsu_moves(const struct dobutsu *p, struct dobutsu_move *moves);

// Makes a move and turns the board, so that the opponent is Sente. Does not sort pairs. Not for a move that takes the
// lion.
void dobutsu_make(const struct dobutsu *p, const struct dobutsu_move *move, struct dobutsu *after);

// ---- perft: sequences of exactly `depth` plies ----

struct dobutsu_perft {
    uint64_t sequences;
    uint64_t last_move_wins; // sequences whose last move takes the lion or ascends safely
};

// A winning move ends its sequence. `stop`: no move is played from a position in which the side to move could win at
// once.
void dobutsu_perft(const struct dobutsu *p, int depth, bool stop, struct dobutsu_perft *result);

// The same, but calls `each` (may be NULL) for every move with the count of the sequences that begin with it. A nonzero
// result of `each` ends the count and is returned.
typedef int dobutsu_perft_visit(void *context, const struct dobutsu *p, const struct dobutsu_move *move,
                                const struct dobutsu_perft *behind);
int dobutsu_perft_divide(const struct dobutsu *p, int depth, bool stop, dobutsu_perft_visit *each, void *context,
                         struct dobutsu_perft *result);

#endif
