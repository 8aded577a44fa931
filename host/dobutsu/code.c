// code.c - dobutsu positions and their numbers
//
// The verifier numbers more than a billion positions. So computing a code has no branch that depends on the position:
// it uses two small tables, which the compiler derives from the definitions in code.h.
#include "dobutsu/code.h"

// ---- lions ----

// By number: first those that have codes.
// clang-format off
#define EACH_LION_PAIR(DO)                                                                                             \
    DO(0, 5) DO(0, 6) DO(0, 7) DO(0, 8) DO(0, 9) DO(0, 10) DO(0, 11)                                                   \
    DO(1, 6) DO(1, 7) DO(1, 8) DO(1, 9) DO(1, 10) DO(1, 11)                                                            \
    DO(3, 5) DO(3, 8) DO(3, 9) DO(3, 10) DO(3, 11)                                                                     \
    DO(4, 9) DO(4, 10) DO(4, 11)                                                                                       \
    DO(6, 5) DO(6, 8) DO(6, 11)                                                                                        \
    DO(0, 1) DO(0, 2) DO(0, 3) DO(0, 4)                                                                                \
    DO(1, 0) DO(1, 2) DO(1, 3) DO(1, 4) DO(1, 5)                                                                       \
    DO(3, 0) DO(3, 1) DO(3, 2) DO(3, 4) DO(3, 6) DO(3, 7)                                                              \
    DO(4, 0) DO(4, 1) DO(4, 2) DO(4, 3) DO(4, 5) DO(4, 6) DO(4, 7) DO(4, 8)                                            \
    DO(6, 0) DO(6, 1) DO(6, 2) DO(6, 3) DO(6, 4) DO(6, 7) DO(6, 9) DO(6, 10)                                           \
    DO(7, 0) DO(7, 1) DO(7, 2) DO(7, 3) DO(7, 4) DO(7, 5) DO(7, 6) DO(7, 8) DO(7, 9) DO(7, 10) DO(7, 11)
// clang-format on
#define SQUARES_OF_LIONS(L, l) {L, l},

enum { NO = 255, ALL_LION_PAIRS = 66, OTHER_LION_PAIRS = ALL_LION_PAIRS - DOBUTSU_LION_PAIRS };

static const uint8_t lions[ALL_LION_PAIRS][2] = {EACH_LION_PAIR(SQUARES_OF_LIONS)};

// [Sente's lion][Gote's lion]: the number of the pair, or NO; with Sente's lion on file c (2, 5, 8), that of the mirror
// image.
static const uint8_t lion_pairs[DOBUTSU_SQUARES][DOBUTSU_SQUARES] = {
    {NO, 24, 25, 26, 27, 0, 1, 2, 3, 4, 5, 6},        {28, NO, 29, 30, 31, 32, 7, 8, 9, 10, 11, 12},
    {25, 24, NO, 0, 27, 26, 3, 2, 1, 6, 5, 4},        {33, 34, 35, NO, 36, 13, 37, 38, 14, 15, 16, 17},
    {39, 40, 41, 42, NO, 43, 44, 45, 46, 18, 19, 20}, {35, 34, 33, 13, 36, NO, 14, 38, 37, 17, 16, 15},
    {47, 48, 49, 50, 51, 21, NO, 52, 22, 53, 54, 23}, {55, 56, 57, 58, 59, 60, 61, NO, 62, 63, 64, 65},
    {49, 48, 47, 21, 51, 50, 22, 52, NO, 23, 54, 53}, {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO},
    {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO}, {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO}};

void dobutsu_lions(int pair, int *sente_lion, int *gote_lion)
{
    *sente_lion = lions[pair][0];
    *gote_lion = lions[pair][1];
}

int dobutsu_lion_pair(int sente_lion, int gote_lion)
{
    int pair = lion_pairs[sente_lion][gote_lion];
    return pair < DOBUTSU_LION_PAIRS && lions[pair][0] == sente_lion ? pair : -1;
}

// ---- pairs of men ----

// {low, high} of each number: high falls from 10 to 1, and for each high, low from high - 1 to 0; number 0 is both in
// hand.
static const uint8_t unpaired[DOBUTSU_PAIRS][2] = {
    {10, 10}, {9, 10}, {8, 10}, {7, 10}, {6, 10}, {5, 10}, {4, 10}, {3, 10}, {2, 10}, {1, 10}, {0, 10}, {8, 9},
    {7, 9},   {6, 9},  {5, 9},  {4, 9},  {3, 9},  {2, 9},  {1, 9},  {0, 9},  {7, 8},  {6, 8},  {5, 8},  {4, 8},
    {3, 8},   {2, 8},  {1, 8},  {0, 8},  {6, 7},  {5, 7},  {4, 7},  {3, 7},  {2, 7},  {1, 7},  {0, 7},  {5, 6},
    {4, 6},   {3, 6},  {2, 6},  {1, 6},  {0, 6},  {4, 5},  {3, 5},  {2, 5},  {1, 5},  {0, 5},  {3, 4},  {2, 4},
    {1, 4},   {0, 4},  {2, 3},  {1, 3},  {0, 3},  {1, 2},  {0, 2},  {0, 1}};

// For high >= low: 10, 10 gives 0.
#define PAIR_NUMBER(high, low) (55 - (high) * ((high)-1) / 2 - (low))

void dobutsu_unpair(int pair, int *low, int *high)
{
    *low = unpaired[pair][0];
    *high = unpaired[pair][1];
}

// ---- positions ----

// Reduced squares of the squares 0..12, for each pair of lions; the second half is for Sente's lion on file c,
// mirrored.
#define REDUCED(s, L, l)            ((s) - ((s) > (L)) - ((s) > (l)))
#define REDUCED_RANK(s, t, u, L, l) REDUCED(s, L, l), REDUCED(t, L, l), REDUCED(u, L, l)
#define REDUCED_BOARD(L, l)                                                                                            \
    {REDUCED_RANK(0, 1, 2, L, l), REDUCED_RANK(3, 4, 5, L, l), REDUCED_RANK(6, 7, 8, L, l),                            \
     REDUCED_RANK(9, 10, 11, L, l), DOBUTSU_REDUCED},
#define MIRRORED_BOARD(L, l)                                                                                           \
    {REDUCED_RANK(2, 1, 0, L, l), REDUCED_RANK(5, 4, 3, L, l), REDUCED_RANK(8, 7, 6, L, l),                            \
     REDUCED_RANK(11, 10, 9, L, l), DOBUTSU_REDUCED},

static const uint8_t reduced[2][ALL_LION_PAIRS][16] = {{EACH_LION_PAIR(REDUCED_BOARD)},
                                                       {EACH_LION_PAIR(MIRRORED_BOARD)}};

// Reduced squares of the first and the second man -> pair number, and EXCHANGED if they have to change places.
enum { EXCHANGED = 0x80 };

#define ORDERED(a, b) ((b) < (a) ? PAIR_NUMBER(a, b) | EXCHANGED : PAIR_NUMBER(b, a))
#define ORDERED_ROW(a)                                                                                                 \
    {                                                                                                                  \
        ORDERED(a, 0), ORDERED(a, 1), ORDERED(a, 2), ORDERED(a, 3), ORDERED(a, 4), ORDERED(a, 5), ORDERED(a, 6),       \
            ORDERED(a, 7), ORDERED(a, 8), ORDERED(a, 9), ORDERED(a, 10)                                                \
    }

static const uint8_t ordered[DOBUTSU_REDUCED + 1][16] = {ORDERED_ROW(0), ORDERED_ROW(1), ORDERED_ROW(2), ORDERED_ROW(3),
                                                         ORDERED_ROW(4), ORDERED_ROW(5), ORDERED_ROW(6), ORDERED_ROW(7),
                                                         ORDERED_ROW(8), ORDERED_ROW(9), ORDERED_ROW(10)};

// The number of the pairs of men, and owners and roosters in their order.
static inline uint32_t number_men(const struct dobutsu *p, unsigned lion_pair, unsigned *op)
{
    bool mirror = p->sente_lion != lions[lion_pair][0];
    const uint8_t *map = reduced[mirror][lion_pair];
    const uint8_t *man = p->square;
    unsigned chicks = ordered[map[man[0]]][map[man[1]]];
    unsigned giraffes = ordered[map[man[2]]][map[man[3]]];
    unsigned elephants = ordered[map[man[4]]][map[man[5]]];
    unsigned exchanged = chicks / EXCHANGED * DOBUTSU_CHICK_BITS | giraffes / EXCHANGED * DOBUTSU_GIRAFFE_BITS |
                         elephants / EXCHANGED * DOBUTSU_ELEPHANT_BITS;
    *op = dobutsu_exchange(p->op, exchanged);
    return (chicks % EXCHANGED * DOBUTSU_PAIRS + giraffes % EXCHANGED) * DOBUTSU_PAIRS + elephants % EXCHANGED;
}

bool dobutsu_encode(const struct dobutsu *p, uint32_t *code)
{
    unsigned op;
    const unsigned lion_pair = lion_pairs[p->sente_lion][p->gote_lion];
    if (lion_pair >= DOBUTSU_LION_PAIRS)
        return false;
    const uint32_t men = number_men(p, lion_pair, &op);
    *code = (men * DOBUTSU_LION_PAIRS + lion_pair) * DOBUTSU_CELL_CODES + op;
    return true;
}

uint32_t dobutsu_place(const struct dobutsu *p)
{
    unsigned op;
    const unsigned lion_pair = lion_pairs[p->sente_lion][p->gote_lion];
    const uint32_t men = number_men(p, lion_pair, &op);
    const uint32_t cell = lion_pair < DOBUTSU_LION_PAIRS
                              ? men * DOBUTSU_LION_PAIRS + lion_pair
                              : DOBUTSU_CELLS + men * OTHER_LION_PAIRS + lion_pair - DOBUTSU_LION_PAIRS;
    return cell * DOBUTSU_CELL_CODES + op;
}

// The two squares of a pair number, given the lower and the higher square of the lions.
static void decode_pair(uint32_t pair, uint32_t lower, uint32_t higher, uint8_t square[2])
{
    for (int i = 0; i < 2; i++) {
        uint32_t s = unpaired[pair][i];
        s += s >= lower;
        s += s >= higher;
        square[i] = (uint8_t)s;
    }
}

void dobutsu_decode(uint32_t code, struct dobutsu *p)
{
    uint32_t cell = code / DOBUTSU_CELL_CODES;
    uint32_t lion_pair = cell % DOBUTSU_LION_PAIRS;
    uint32_t pairs = cell / DOBUTSU_LION_PAIRS;
    uint8_t sente_lion = lions[lion_pair][0];
    uint8_t gote_lion = lions[lion_pair][1];
    uint32_t lower = sente_lion < gote_lion ? sente_lion : gote_lion;
    uint32_t higher = sente_lion < gote_lion ? gote_lion : sente_lion;
    p->sente_lion = sente_lion;
    p->gote_lion = gote_lion;
    p->op = (uint8_t)(code % DOBUTSU_CELL_CODES);
    p->turned = false;
    decode_pair(pairs / (DOBUTSU_PAIRS * DOBUTSU_PAIRS), lower, higher, &p->square[0]);
    decode_pair(pairs / DOBUTSU_PAIRS % DOBUTSU_PAIRS, lower, higher, &p->square[2]);
    decode_pair(pairs % DOBUTSU_PAIRS, lower, higher, &p->square[4]);
}

uint32_t dobutsu_canonical(uint32_t code)
{
    static const uint8_t first[3] = {0x01, 0x40, 0x10}; // owner bits of the first chick, giraffe, elephant
    uint32_t pairs = code / (DOBUTSU_CELL_CODES * DOBUTSU_LION_PAIRS);
    uint32_t number[3] = {pairs / (DOBUTSU_PAIRS * DOBUTSU_PAIRS), pairs / DOBUTSU_PAIRS % DOBUTSU_PAIRS,
                          pairs % DOBUTSU_PAIRS};
    for (int kind = 0; kind < 3; kind++) {
        uint32_t owners = first[kind] * 3u;
        if (number[kind] == 0 && (code & owners) == first[kind] * 2u)
            code ^= owners;
    }
    return code;
}
