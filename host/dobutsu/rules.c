// rules.c - the board of dobutsu shogi: attacks, moves, make, turn, mirror, perft
//
// Nothing slides, so where a man can go follows from its type, its owner and its square alone: one table of 12-bit
// sets.
#include "dobutsu/rules.h"

#include "util/error.h"

#include <string.h>

enum { ALL_OWNERS = 0xf3, FAR_RANK = 7 << 9, BOARD = 0xfff };

// ---- steps ----

// The square some ranks forward and some files to the left, as a bit; 0 if it is off the board.
#define ON_BOARD(s, forward, left)                                                                                     \
    ((s) / 3 + (forward) >= 0 && (s) / 3 + (forward) < 4 && (s) % 3 + (left) >= 0 && (s) % 3 + (left) < 3)
#define STEP(s, forward, left)                                                                                         \
    (ON_BOARD(s, forward, left) ? 1 << (ON_BOARD(s, forward, left) ? (s) + 3 * (forward) + (left) : 0) : 0)

#define SIDEWAYS(s)      (STEP(s, 0, 1) | STEP(s, 0, -1))
#define ORTHOGONAL(s)    (STEP(s, 1, 0) | STEP(s, -1, 0) | SIDEWAYS(s))
#define UP_DIAGONAL(s)   (STEP(s, 1, 1) | STEP(s, 1, -1))
#define DOWN_DIAGONAL(s) (STEP(s, -1, 1) | STEP(s, -1, -1))
#define DIAGONAL(s)      (UP_DIAGONAL(s) | DOWN_DIAGONAL(s))
#define AROUND(s)        (ORTHOGONAL(s) | DIAGONAL(s))
#define UP(s)            STEP(s, 1, 0)
#define DOWN(s)          STEP(s, -1, 0)
#define UP_ROOSTER(s)    (ORTHOGONAL(s) | UP_DIAGONAL(s))
#define DOWN_ROOSTER(s)  (ORTHOGONAL(s) | DOWN_DIAGONAL(s))

// A man in hand (square 12) attacks nothing. Rows have 16 squares so that an index is a shift.
#define SQUARES_OF(to)                                                                                                 \
    {                                                                                                                  \
        to(0), to(1), to(2), to(3), to(4), to(5), to(6), to(7), to(8), to(9), to(10), to(11)                           \
    }

static const uint16_t steps[2][DOBUTSU_ROOSTER + 1][16] = {
    {SQUARES_OF(DOWN), SQUARES_OF(ORTHOGONAL), SQUARES_OF(DIAGONAL), SQUARES_OF(AROUND), SQUARES_OF(DOWN_ROOSTER)},
    {SQUARES_OF(UP), SQUARES_OF(ORTHOGONAL), SQUARES_OF(DIAGONAL), SQUARES_OF(AROUND), SQUARES_OF(UP_ROOSTER)}};

uint16_t dobutsu_steps(enum dobutsu_kind type, bool sente, int square)
{
    return steps[sente][type][square];
}

// ---- men ----

// Sente's men as a set: bit = man.
static unsigned sente_men(uint8_t op)
{
    return (op & 0x03u) | (op >> 4 & 0x0cu) | (op & 0x30u);
}

static unsigned gote_men(uint8_t op)
{
    return sente_men((uint8_t)~op);
}

static int man_type(const struct dobutsu *p, int man)
{
    return p->op & dobutsu_rooster_bit(man) ? DOBUTSU_ROOSTER : man / 2;
}

static int lowest(unsigned set)
{
    return __builtin_ctz(set);
}

// The squares of a set of men; bit 12: one of them is in hand.
static unsigned squares_of(const struct dobutsu *p, unsigned men)
{
    unsigned set = 0;
    for (; men != 0; men &= men - 1)
        set |= 1u << p->square[lowest(men)];
    return set;
}

// ---- the board ----

_Static_assert(offsetof(struct dobutsu, gote_lion) == 6 && offsetof(struct dobutsu, sente_lion) == 7,
               "dobutsu_turn() takes the squares of the men and lions as 8 bytes");

#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

void dobutsu_turn(struct dobutsu *p)
{
    // Computes s -> 11 - s in all bytes at once. The added 0x80 prevents borrowing. That bit is lost exactly where s
    // was 12 (0x8b - 12 = 0x7f): such a byte must stay 12.
    uint64_t squares;
    memcpy(&squares, p, sizeof squares);
    uint64_t turned = EACH_BYTE(0x8b) - squares;
    uint64_t in_hand = (~turned & EACH_BYTE(0x80)) >> 7;
    squares = (turned & EACH_BYTE(0x7f)) - in_hand * (0x7f - DOBUTSU_HAND);
    memcpy(p, &squares, sizeof squares);
    uint8_t lion = p->gote_lion;
    p->gote_lion = p->sente_lion;
    p->sente_lion = lion;
    p->op ^= ALL_OWNERS;
    p->turned = !p->turned;
}

void dobutsu_mirror(struct dobutsu *p)
{
    static const uint8_t mirrored[DOBUTSU_SQUARES + 1] = {2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 12};
    for (int man = 0; man < DOBUTSU_MEN; man++)
        p->square[man] = mirrored[p->square[man]];
    p->gote_lion = mirrored[p->gote_lion];
    p->sente_lion = mirrored[p->sente_lion];
}

void dobutsu_sort(struct dobutsu *p)
{
    static const uint8_t pair_bits[3] = {DOBUTSU_CHICK_BITS, DOBUTSU_GIRAFFE_BITS, DOBUTSU_ELEPHANT_BITS};
    for (int first = 0; first < DOBUTSU_MEN; first += 2) {
        int second = first + 1;
        uint8_t a = p->square[first];
        uint8_t b = p->square[second];
        bool in_hand = a == DOBUTSU_HAND && b == DOBUTSU_HAND;
        bool gote_first = (p->op & dobutsu_owner_bit(first)) == 0 && (p->op & dobutsu_owner_bit(second)) != 0;
        if (b >= a && !(in_hand && gote_first))
            continue;
        p->square[first] = b;
        p->square[second] = a;
        p->op = (uint8_t)dobutsu_exchange(p->op, pair_bits[first / 2]);
    }
}

bool dobutsu_overlaps(const struct dobutsu *p)
{
    unsigned seen = 1u << p->gote_lion;
    unsigned twice = seen & 1u << p->sente_lion;
    seen |= 1u << p->sente_lion;
    for (int man = 0; man < DOBUTSU_MEN; man++) {
        twice |= seen & 1u << p->square[man];
        seen |= 1u << p->square[man];
    }
    return (twice & BOARD) != 0;
}

bool dobutsu_rooster_in_hand(const struct dobutsu *p)
{
    return (p->square[0] == DOBUTSU_HAND && (p->op & dobutsu_rooster_bit(0)) != 0) ||
           (p->square[1] == DOBUTSU_HAND && (p->op & dobutsu_rooster_bit(1)) != 0);
}

// ---- attacks ----

// The squares that a side's men on the board attack (bit s), including its lion's. A chick on its far rank attacks
// nothing.
static uint16_t attacks(const struct dobutsu *p, bool sente)
{
    unsigned men = sente ? sente_men(p->op) : gote_men(p->op);
    unsigned attacked = steps[sente][DOBUTSU_LION][sente ? p->sente_lion : p->gote_lion];
    for (; men != 0; men &= men - 1) {
        int man = lowest(men);
        attacked |= steps[sente][man_type(p, man)][p->square[man]];
    }
    return (uint16_t)attacked;
}

bool dobutsu_can_take_lion(const struct dobutsu *p)
{
    return attacks(p, true) >> p->gote_lion & 1;
}

bool dobutsu_can_ascend(const struct dobutsu *p)
{
    unsigned targets = steps[1][DOBUTSU_LION][p->sente_lion] & FAR_RANK;
    if (targets == 0)
        return false;
    return (targets & ~squares_of(p, sente_men(p->op)) & ~(unsigned)attacks(p, false)) != 0;
}

// ---- moves ----

// What the moves of all men have in common.
struct board {
    unsigned own;       // squares of Sente's men
    uint8_t man_at[16]; // only for Gote's men and DOBUTSU_MAN_LION
};

// The steps of one man from a square; `wins`: squares on which one wins.
static inline struct dobutsu_move *put_steps(const struct board *b, int man, int type, uint8_t from, unsigned wins,
                                             struct dobutsu_move *move)
{
    for (unsigned to = steps[1][type][from] & ~b->own; to != 0; to &= to - 1) {
        const uint8_t square = (uint8_t)lowest(to);
        *move++ = (struct dobutsu_move){.man = (uint8_t)man,
                                        .from = from,
                                        .to = square,
                                        .captured = b->man_at[square],
                                        .promotes = type == DOBUTSU_CHICK && (FAR_RANK >> square & 1) != 0,
                                        .wins = (wins >> square & 1) != 0};
    }
    return move;
}

int dobutsu_moves(const struct dobutsu *p, struct dobutsu_move *moves)
{
    const unsigned own = sente_men(p->op);
    struct board b = {.own = 1u << p->sente_lion | squares_of(p, own)};
    unsigned enemies = 1u << p->gote_lion;
    memset(b.man_at, DOBUTSU_MAN_NONE, sizeof b.man_at);
    for (unsigned men = gote_men(p->op); men != 0; men &= men - 1) {
        int man = lowest(men);
        enemies |= 1u << p->square[man];
        b.man_at[p->square[man]] = (uint8_t)man;
    }
    b.man_at[p->gote_lion] = DOBUTSU_MAN_LION;
    const unsigned empty = BOARD & ~(b.own | enemies);
    struct dobutsu_move *end = moves;
    unsigned wins = 1u << p->gote_lion;
    for (unsigned men = own; men != 0; men &= men - 1) {
        int man = lowest(men);
        if (p->square[man] != DOBUTSU_HAND) {
            end = put_steps(&b, man, man_type(p, man), p->square[man], wins, end);
            continue;
        }
        if (man % 2 == 1 && p->square[man - 1] == DOBUTSU_HAND && (own >> (man - 1) & 1) != 0)
            continue; // the other man of the pair is dropped instead
        for (unsigned to = empty; to != 0; to &= to - 1)
            *end++ = (struct dobutsu_move){
                .man = (uint8_t)man, .from = DOBUTSU_HAND, .to = (uint8_t)lowest(to), .captured = DOBUTSU_MAN_NONE};
    }
    const unsigned far = steps[1][DOBUTSU_LION][p->sente_lion] & FAR_RANK & ~b.own;
    if (far != 0)
        wins |= far & ~(unsigned)attacks(p, false);
    end = put_steps(&b, DOBUTSU_MAN_LION, DOBUTSU_LION, p->sente_lion, wins, end);
    return (int)(end - moves);
}

// Turns the board before it makes the move: dobutsu_turn() reads the squares as 8 bytes, which is slow just after one
// of them was written.
void dobutsu_make(const struct dobutsu *p, const struct dobutsu_move *move, struct dobutsu *after)
{
    *after = *p;
    dobutsu_turn(after);
    uint8_t to = (uint8_t)(DOBUTSU_SQUARES - 1 - move->to);
    if (move->captured < DOBUTSU_MEN) {
        after->square[move->captured] = DOBUTSU_HAND;
        after->op &= (uint8_t) ~(dobutsu_owner_bit(move->captured) | dobutsu_rooster_bit(move->captured));
    }
    if (move->man == DOBUTSU_MAN_LION) {
        after->gote_lion = to;
    } else {
        after->square[move->man] = to;
        if (move->promotes)
            after->op |= dobutsu_rooster_bit(move->man);
    }
}

// ---- perft ----

int dobutsu_perft_divide(const struct dobutsu *p, int depth, bool stop, dobutsu_perft_visit *each, void *context,
                         struct dobutsu_perft *result)
{
    *result = (struct dobutsu_perft){.sequences = depth == 0};
    if (depth == 0 || (stop && (dobutsu_can_take_lion(p) || dobutsu_can_ascend(p))))
        return 0;
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    int n = dobutsu_moves(p, moves);
    if (depth == 1 && each == NULL) {
        result->sequences = (uint64_t)n;
        for (int i = 0; i < n; i++)
            result->last_move_wins += moves[i].wins;
        return 0;
    }
    for (int i = 0; i < n; i++) {
        struct dobutsu_perft behind = {0};
        if (depth == 1) {
            behind = (struct dobutsu_perft){.sequences = 1, .last_move_wins = moves[i].wins};
        } else if (!moves[i].wins) {
            struct dobutsu after;
            dobutsu_make(p, &moves[i], &after);
            dobutsu_perft(&after, depth - 1, stop, &behind);
        }
        result->sequences += behind.sequences;
        result->last_move_wins += behind.last_move_wins;
        if (each != NULL)
            TRY(each(context, p, &moves[i], &behind));
    }
    return 0;
}

void dobutsu_perft(const struct dobutsu *p, int depth, bool stop, struct dobutsu_perft *result)
{
    dobutsu_perft_divide(p, depth, stop, NULL, NULL, result);
}
