// rules.c - the board of dobutsu shogi: attacks, moves, make, turn, mirror
//
// Nothing slides, so where a man can go follows from its type, its owner and its square alone: one table of 12-bit sets.
#include "dobutsu/rules.h"

#include <string.h>

enum { ALL_OWNERS = 0xf3, FAR_RANK = 7 << 9, BOARD = 0xfff };

// ---- steps ----

// The square some ranks forward and some files to the left as a bit, 0 if it lies off the board.
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

// As enum dobutsu_kind, and roosters behind.
enum { TYPE_LION = DOBUTSU_LION, TYPE_ROOSTER, TYPES };

static const uint16_t steps[2][TYPES][16] = {
    {SQUARES_OF(DOWN), SQUARES_OF(ORTHOGONAL), SQUARES_OF(DIAGONAL), SQUARES_OF(AROUND), SQUARES_OF(DOWN_ROOSTER)},
    {SQUARES_OF(UP), SQUARES_OF(ORTHOGONAL), SQUARES_OF(DIAGONAL), SQUARES_OF(AROUND), SQUARES_OF(UP_ROOSTER)}};

// ---- men ----

static const uint8_t owner_bits[DOBUTSU_MEN] = {0x01, 0x02, 0x40, 0x80, 0x10, 0x20};
static const uint8_t rooster_bits[DOBUTSU_MEN] = {0x04, 0x08, 0, 0, 0, 0};

uint8_t dobutsu_owner_bit(int man)
{
    return owner_bits[man];
}

uint8_t dobutsu_rooster_bit(int man)
{
    return rooster_bits[man];
}

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
    return p->op & rooster_bits[man] ? TYPE_ROOSTER : man / 2;
}

static int lowest(unsigned set)
{
    return __builtin_ctz(set);
}

// The squares of a set of men; bit 12: somebody is in hand.
static unsigned squares_of(const struct dobutsu *p, unsigned men)
{
    unsigned set = 0;
    for (; men != 0; men &= men - 1)
        set |= 1u << p->square[lowest(men)];
    return set;
}

// ---- the board ----

void dobutsu_start(struct dobutsu *p)
{
    *p = (struct dobutsu){.square = {4, 7, 0, 11, 2, 9}, .gote_lion = 10, .sente_lion = 1, .op = 0x51};
}

_Static_assert(offsetof(struct dobutsu, gote_lion) == 6 && offsetof(struct dobutsu, sente_lion) == 7,
               "dobutsu_turn() takes the squares of the men and lions as 8 bytes");

#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

void dobutsu_turn(struct dobutsu *p)
{
    // s -> 11 - s in every byte at once. With 0x80 on top nothing is borrowed, and that bit is lost just where s was 12
    // (0x8b - 12 = 0x7f), which has to stay 12.
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

// Exchanges the bits of a pair that stand side by side: those of `pair` (a mask of two bits).
static uint8_t exchange_bits(uint8_t op, unsigned pair)
{
    unsigned exchanged = (op & 0x55u) << 1 | (op & 0xaau) >> 1;
    return (uint8_t)((op & ~pair) | (exchanged & pair));
}

void dobutsu_sort(struct dobutsu *p)
{
    for (int first = 0; first < DOBUTSU_MEN; first += 2) {
        int second = first + 1;
        uint8_t a = p->square[first];
        uint8_t b = p->square[second];
        bool in_hand = a == DOBUTSU_HAND && b == DOBUTSU_HAND;
        bool gote_first = (p->op & owner_bits[first]) == 0 && (p->op & owner_bits[second]) != 0;
        if (b >= a && !(in_hand && gote_first))
            continue;
        p->square[first] = b;
        p->square[second] = a;
        p->op = exchange_bits(
            p->op, (unsigned)(owner_bits[first] | owner_bits[second] | rooster_bits[first] | rooster_bits[second]));
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
    return (p->square[0] == DOBUTSU_HAND && (p->op & rooster_bits[0]) != 0) ||
           (p->square[1] == DOBUTSU_HAND && (p->op & rooster_bits[1]) != 0);
}

// ---- attacks ----

uint16_t dobutsu_attacks(const struct dobutsu *p, bool sente)
{
    unsigned men = sente ? sente_men(p->op) : gote_men(p->op);
    unsigned attacked = steps[sente][TYPE_LION][sente ? p->sente_lion : p->gote_lion];
    for (; men != 0; men &= men - 1) {
        int man = lowest(men);
        attacked |= steps[sente][man_type(p, man)][p->square[man]];
    }
    return (uint16_t)attacked;
}

bool dobutsu_can_take_lion(const struct dobutsu *p)
{
    return dobutsu_attacks(p, true) >> p->gote_lion & 1;
}

bool dobutsu_can_ascend(const struct dobutsu *p)
{
    unsigned targets = steps[1][TYPE_LION][p->sente_lion] & FAR_RANK;
    if (targets == 0)
        return false;
    return (targets & ~squares_of(p, sente_men(p->op)) & ~(unsigned)dobutsu_attacks(p, false)) != 0;
}

// ---- moves ----

// What the moves of all men have in common.
struct board {
    unsigned own;       // squares with Sente's men
    unsigned empty;     //
    uint8_t man_at[16]; // only of Gote's, and DOBUTSU_MAN_LION
};

static void set_up(const struct dobutsu *p, struct board *b)
{
    memset(b->man_at, DOBUTSU_MAN_NONE, sizeof b->man_at);
    b->own = 1u << p->sente_lion | squares_of(p, sente_men(p->op));
    unsigned enemies = 1u << p->gote_lion;
    for (unsigned men = gote_men(p->op); men != 0; men &= men - 1) {
        int man = lowest(men);
        enemies |= 1u << p->square[man];
        b->man_at[p->square[man]] = (uint8_t)man;
    }
    b->man_at[p->gote_lion] = DOBUTSU_MAN_LION;
    b->empty = BOARD & ~(b->own | enemies);
}

static struct dobutsu_move *put_drops(const struct board *b, int man, struct dobutsu_move *move)
{
    for (unsigned to = b->empty; to != 0; to &= to - 1)
        *move++ = (struct dobutsu_move){
            .man = (uint8_t)man, .from = DOBUTSU_HAND, .to = (uint8_t)lowest(to), .captured = DOBUTSU_MAN_NONE};
    return move;
}

static struct dobutsu_move *put_steps(const struct dobutsu *p, const struct board *b, int man,
                                      struct dobutsu_move *move)
{
    int type = man_type(p, man);
    uint8_t from = p->square[man];
    for (unsigned to = steps[1][type][from] & ~b->own; to != 0; to &= to - 1) {
        uint8_t square = (uint8_t)lowest(to);
        uint8_t captured = b->man_at[square];
        *move++ = (struct dobutsu_move){.man = (uint8_t)man,
                                        .from = from,
                                        .to = square,
                                        .captured = captured,
                                        .promotes = type == DOBUTSU_CHICK && (FAR_RANK >> square & 1) != 0,
                                        .wins = captured == DOBUTSU_MAN_LION};
    }
    return move;
}

static struct dobutsu_move *put_lion_steps(const struct dobutsu *p, const struct board *b, struct dobutsu_move *move)
{
    unsigned targets = steps[1][TYPE_LION][p->sente_lion] & ~b->own;
    unsigned wins = targets & FAR_RANK;
    if (wins != 0)
        wins &= ~(unsigned)dobutsu_attacks(p, false);
    wins |= targets & 1u << p->gote_lion;
    for (unsigned to = targets; to != 0; to &= to - 1) {
        uint8_t square = (uint8_t)lowest(to);
        *move++ = (struct dobutsu_move){.man = DOBUTSU_MAN_LION,
                                        .from = p->sente_lion,
                                        .to = square,
                                        .captured = b->man_at[square],
                                        .wins = (wins >> square & 1) != 0};
    }
    return move;
}

int dobutsu_moves(const struct dobutsu *p, struct dobutsu_move *moves)
{
    struct board b;
    set_up(p, &b);
    struct dobutsu_move *end = moves;
    unsigned own = sente_men(p->op);
    for (unsigned men = own; men != 0; men &= men - 1) {
        int man = lowest(men);
        if (p->square[man] != DOBUTSU_HAND)
            end = put_steps(p, &b, man, end);
        else if (man % 2 == 0 || p->square[man - 1] != DOBUTSU_HAND || (own >> (man - 1) & 1) == 0)
            end = put_drops(&b, man, end);
    }
    end = put_lion_steps(p, &b, end);
    return (int)(end - moves);
}

// Turned first: as 8 bytes that were just written one by one the squares would be slow to read again.
void dobutsu_make(const struct dobutsu *p, const struct dobutsu_move *move, struct dobutsu *after)
{
    *after = *p;
    dobutsu_turn(after);
    uint8_t to = (uint8_t)(DOBUTSU_SQUARES - 1 - move->to);
    if (move->captured < DOBUTSU_MEN) {
        after->square[move->captured] = DOBUTSU_HAND;
        after->op &= (uint8_t) ~(owner_bits[move->captured] | rooster_bits[move->captured]);
    }
    if (move->man == DOBUTSU_MAN_LION) {
        after->gote_lion = to;
    } else {
        after->square[move->man] = to;
        if (move->promotes)
            after->op |= rooster_bits[move->man];
    }
}
