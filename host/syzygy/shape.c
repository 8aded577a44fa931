// shape.c - how a sub-table of a Syzygy file numbers placements
//
// Group 0 without pawns: its first man goes to the triangle a1-d1-d4, and the first of its men that is off the diagonal
// a1-h8 goes below it. If all of them stand on the diagonal, mirroring at it changes nothing in group 0, and a position
// and its mirror image have two indices. Numbers of the triangle: 0..5 for b1 c1 d1 c2 d2 d3, 6..9 for a1 b2 c3 d4.
//
// With pawns only files can be mirrored. The leading pawn is the one on the file nearest to the edge, then on the
// lowest rank; it goes to the files a..d. In numbers: its weight is the largest, and weights count down from 47 over
// a2 h2 a3 h3 .. a7 h7, b2 g2 .. b7 g7, c2 f2 .., d2 e2 .. d7 e7.
//
// A combination p0 < p1 < .. of numbers has the rank C(p0, 1) + C(p1, 2) + ..
#include "syzygy/shape.h"

#include "index/square.h"
#include "util/error.h"

#include <pthread.h>
#include <string.h>

enum {
    PAWN_SQUARES = 48,
    LEAD_MAX = SYZYGY_MEN_MAX - 2, // leading pawns
    THREE = 31332,                 // placements of three men of different kinds
    THREE_ONE_ON = 23436,          // from here on the first one stands on the diagonal,
    THREE_TWO_ON = 30380,          // the second one, too,
    THREE_ALL_ON = 31164,          // and all three
    KINGS = 462,
    KINGS_ON = 441 // from here on both stand on the diagonal
};

#define EVERY UINT64_C(0x0101010101010101) // 1 in every byte

// ---- tables ----

static uint32_t binomial[SYZYGY_MEN_MAX + 1][SQUARES + 1]; // [k][n]: C(n, k)
static uint8_t triangle_number[SQUARES];                   // number of a square in the triangle
static uint8_t below_number[SQUARES];                      // number of a square below the diagonal, 0..27
static uint8_t three_squares[THREE][3];
static uint16_t kings_number[TRIANGLE_SQUARES][SQUARES];
static uint8_t kings_squares[KINGS][2];
static uint8_t pawn_weight[SQUARES];
static uint8_t weight_square[PAWN_SQUARES];
static uint32_t pawns_base[LEAD_MAX + 1][SYZYGY_FILES][8]; // [pawns][file][rank] the first digit; rank 7: all digits

static const uint8_t triangle[TRIANGLE_SQUARES] = {1, 2, 3, 10, 11, 19, 0, 9, 18, 27};

// Is the square above the diagonal?
static bool above(int square)
{
    return square_rank(square) > square_file(square);
}

static uint32_t three_digit(const uint8_t *s)
{
    const uint32_t i = s[1] > s[0];
    const uint32_t j = (uint32_t)(s[2] > s[0]) + (s[2] > s[1]);
    const uint32_t rank = s[0] >> 3;
    if (!square_on_diagonal(s[0]))
        return (triangle_number[s[0]] * 63U + s[1] - i) * 62 + s[2] - j;
    if (!square_on_diagonal(s[1]))
        return THREE_ONE_ON + (rank * 28 + below_number[s[1]]) * 62 + s[2] - j;
    const uint32_t pair = rank * 7 + (s[1] >> 3) - i;
    if (!square_on_diagonal(s[2]))
        return THREE_TWO_ON + pair * 28 + below_number[s[2]];
    return THREE_ALL_ON + pair * 6 + (s[2] >> 3) - j;
}

static void make_three(void)
{
    for (int n = 0; n < TRIANGLE_SQUARES; n++)
        for (int s1 = 0; s1 < SQUARES; s1++)
            for (int s2 = 0; s2 < SQUARES; s2++) {
                const uint8_t s[3] = {triangle[n], (uint8_t)s1, (uint8_t)s2};
                const int off = square_on_diagonal(s[0]) ? square_on_diagonal(s1) ? s2 : s1 : s[0];
                if (s1 != s[0] && s2 != s[0] && s2 != s1 && !above(off))
                    memcpy(three_squares[three_digit(s)], s, sizeof s);
            }
}

static void make_kings(void)
{
    int number = 0;
    for (int both_on = 0; both_on < 2; both_on++)
        for (int n = 0; n < TRIANGLE_SQUARES; n++)
            for (int second = 0; second < SQUARES; second++) {
                const int first = triangle[n];
                const bool on = square_on_diagonal(first);
                if (squares_touch(first, second) || (on && above(second)) ||
                    (on && square_on_diagonal(second)) != both_on)
                    continue;
                kings_number[n][second] = (uint16_t)number;
                kings_squares[number][0] = (uint8_t)first;
                kings_squares[number++][1] = (uint8_t)second;
            }
}

static void make_pawns(void)
{
    int weight = PAWN_SQUARES;
    for (int file = 0; file < SYZYGY_FILES; file++)
        for (int rank = 1; rank < 7; rank++)
            for (int mirror = 0; mirror < 8; mirror += 7) {
                const int square = (8 * rank + file) ^ mirror;
                pawn_weight[square] = (uint8_t)--weight;
                weight_square[weight] = (uint8_t)square;
            }
    for (int pawns = 1; pawns <= LEAD_MAX; pawns++)
        for (int file = 0; file < SYZYGY_FILES; file++)
            for (int rank = 1; rank < 7; rank++)
                pawns_base[pawns][file][rank + 1] =
                    pawns_base[pawns][file][rank] + binomial[pawns - 1][pawn_weight[8 * rank + file]];
}

static void make_tables(void)
{
    for (int n = 0; n <= SQUARES; n++) {
        binomial[0][n] = 1;
        for (int k = 1; k <= SYZYGY_MEN_MAX && n > 0; k++)
            binomial[k][n] = binomial[k - 1][n - 1] + binomial[k][n - 1];
    }
    for (int n = 0; n < TRIANGLE_SQUARES; n++)
        triangle_number[triangle[n]] = (uint8_t)n;
    int below = 0;
    for (int square = 0; square < SQUARES; square++)
        if (square_file(square) > square_rank(square))
            below_number[square] = (uint8_t)below++;
    make_three();
    make_kings();
    make_pawns();
}

// ---- shapes ----

// The number of men of this kind in the list.
static int kind_count(const uint8_t *list, int men, int man)
{
    int count = 0;
    for (int i = 0; i < men; i++)
        count += list[i] == man;
    return count;
}

static int check_men(const uint8_t *list, int men)
{
    if (men < 3 || men > SYZYGY_MEN_MAX)
        return error_set(CLTB_E_CORRUPT, "%d men", men);
    for (int i = 0; i < men; i++) {
        if (list[i] > 14 || (list[i] & 7) < 1 || (list[i] & 7) > 6)
            return error_set(CLTB_E_CORRUPT, "the code %d of a man", list[i]);
        if (i > 0 && list[i] != list[i - 1] && kind_count(list, i, list[i]) > 0)
            return error_set(CLTB_E_CORRUPT, "men of a kind that are not listed together");
    }
    for (int colour = WHITE; colour <= BLACK; colour++)
        if (kind_count(list, men, syzygy_man(colour, KING)) != 1)
            return error_set(CLTB_E_CORRUPT, "not one king of each colour");
    return 0;
}

// Returns the number of men in group 0, or CLTB_E_CORRUPT. Sets `pawns` and `other_pawns`.
static int lead_group(struct syzygy_shape *shape)
{
    const uint8_t *list = shape->list;
    const int pawns[COLOURS] = {kind_count(list, shape->men, syzygy_man(WHITE, PAWN)),
                                kind_count(list, shape->men, syzygy_man(BLACK, PAWN))};
    shape->pawns = pawns[WHITE] + pawns[BLACK] > 0;
    shape->other_pawns = pawns[WHITE] > 0 && pawns[BLACK] > 0;
    if (shape->pawns) {
        const int lead = pawns[WHITE] == 0 || (shape->other_pawns && pawns[BLACK] < pawns[WHITE]) ? BLACK : WHITE;
        if (list[0] != syzygy_man(lead, PAWN) ||
            (shape->other_pawns && list[pawns[lead]] != syzygy_man(lead ^ 1, PAWN)))
            return error_set(CLTB_E_CORRUPT, "pawns that do not lead the list of men");
        return pawns[lead];
    }
    int unique = 0;
    for (int i = 0; i < shape->men; i++)
        unique += kind_count(list, shape->men, list[i]) == 1;
    const int lead = unique > 2 ? 3 : 2;
    for (int i = 0; i < lead; i++)
        if (kind_count(list, shape->men, list[i]) != 1)
            return error_set(CLTB_E_CORRUPT, "men of one kind among the first of the list");
    return lead;
}

static int place_groups(struct syzygy_shape *shape)
{
    if (shape->order < 0 || shape->order >= shape->groups)
        return error_set(CLTB_E_CORRUPT, "the order %d of %d groups", shape->order, shape->groups);
    if (!shape->other_pawns)
        shape->order2 = SYZYGY_NO_GROUP;
    else if (shape->order2 < 0 || shape->order2 >= shape->groups || shape->order2 == shape->order)
        return error_set(CLTB_E_CORRUPT, "the orders %d and %d of %d groups", shape->order, shape->order2,
                         shape->groups);
    int next = 1 + shape->other_pawns;
    shape->values = 1;
    for (int place = 0; place < shape->groups; place++) {
        const int taken = place == shape->order ? 0 : place == shape->order2 ? 1 : next++;
        shape->group[taken].factor = shape->values;
        shape->values *= shape->group[taken].size;
        if (place == 0)
            shape->fastest = taken;
    }
    return 0;
}

int syzygy_shape_init(struct syzygy_shape *shape, const uint8_t *list, int men, int file, int order, int order2)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_tables);
    *shape = (struct syzygy_shape){.men = men, .order = order, .order2 = order2};
    TRY(check_men(list, men));
    memcpy(shape->list, list, (size_t)men);
    const int lead = lead_group(shape);
    TRY(lead < 0 ? lead : 0);
    shape->file = shape->pawns ? file : 0;
    for (int first = 0; first < men;) {
        struct syzygy_group *group = &shape->group[shape->groups];
        group->first = (uint8_t)first;
        group->count = (uint8_t)(first == 0 ? lead : kind_count(list, men, list[first]));
        if (first > 0)
            group->size =
                binomial[group->count][(shape->groups == shape->other_pawns ? PAWN_SQUARES : SQUARES) - first];
        else
            group->size = shape->pawns ? pawns_base[lead][file][7] : lead == 3 ? (uint64_t)THREE : (uint64_t)KINGS;
        first += group->count;
        shape->groups++;
    }
    return place_groups(shape);
}

// ---- squares to digits ----

static uint64_t combination_rank(const uint8_t *sorted, int count)
{
    uint64_t rank = 0;
    for (int i = 0; i < count; i++)
        rank += binomial[i + 1][sorted[i]];
    return rank;
}

static void insert_sorted(uint8_t *sorted, int count, uint8_t value)
{
    for (; count > 0 && sorted[count - 1] > value; count--)
        sorted[count] = sorted[count - 1];
    sorted[count] = value;
}

static int square_of(uint64_t squares, int man)
{
    return (int)(squares >> 8 * man & 63);
}

static uint64_t lead_digit(const struct syzygy_shape *shape, uint64_t squares)
{
    const int count = shape->group[0].count;
    if (!shape->pawns) {
        const uint8_t s[] = {(uint8_t)square_of(squares, 0), (uint8_t)square_of(squares, 1),
                             (uint8_t)square_of(squares, 2)};
        return count == 3 ? three_digit(s) : kings_number[triangle_number[s[0]]][s[1]];
    }
    uint8_t weight[SYZYGY_MEN_MAX];
    for (int i = 1; i < count; i++)
        insert_sorted(weight, i - 1, pawn_weight[square_of(squares, i)]);
    return pawns_base[count][shape->file][square_rank(square_of(squares, 0))] + combination_rank(weight, count - 1);
}

static uint64_t group_digit(const struct syzygy_shape *shape, int group, uint64_t squares)
{
    const int first = shape->group[group].first;
    const int count = shape->group[group].count;
    const uint64_t before = (EVERY << 7) & ((UINT64_C(1) << 8 * first) - 1); // the highest bit of each man before
    const int skipped = group == shape->other_pawns ? 8 : 0;
    uint8_t number[SYZYGY_MEN_MAX];
    for (int i = 0; i < count; i++) {
        const int own = square_of(squares, first + i);
        const uint64_t below = ((EVERY * (uint64_t)(128 + own)) - squares) & before; // 128 + own - square: no borrow
        const int digit = own - skipped - (int)((below >> 7) * EVERY >> 56);
        if (count == 1)
            return (uint64_t)digit;
        insert_sorted(number, i, (uint8_t)digit);
    }
    return combination_rank(number, count);
}

int syzygy_leading_file(const uint8_t *square, int count)
{
    int least = SYZYGY_FILES;
    for (int i = 0; i < count; i++) {
        const int file = square_file(square[i]);
        const int edge = file < SYZYGY_FILES ? file : file ^ 7;
        least = edge < least ? edge : least;
    }
    return least;
}

// The squares, reordered so that the leading pawn is first.
static uint64_t leading_pawn_first(uint64_t squares, int count)
{
    int lead = 0;
    for (int i = 1; i < count; i++)
        if (pawn_weight[square_of(squares, i)] > pawn_weight[square_of(squares, lead)])
            lead = i;
    const uint64_t differ = (uint64_t)(square_of(squares, 0) ^ square_of(squares, lead));
    return squares ^ differ ^ differ << 8 * lead;
}

// Rotates and mirrors the board into the image that is numbered. Has no branches where they would be unpredictable.
static uint64_t normalise(const struct syzygy_shape *shape, uint64_t squares)
{
    const int lead = shape->group[0].count;
    if (shape->pawns) {
        squares = leading_pawn_first(squares, lead);
        return squares ^ EVERY * (squares >> 2 & 1) * 7;
    }
    squares ^= EVERY * ((squares >> 2 & 1) * 7 + (squares >> 5 & 1) * 56);
    int off = 0; // the first man that is not on the diagonal
    while (off < lead && square_on_diagonal(square_of(squares, off)))
        off++;
    const uint64_t flip = off < lead && above(square_of(squares, off)) ? UINT64_MAX : 0;
    const uint64_t flipped = (squares >> 3 & EVERY * 7) | (squares & EVERY * 7) << 3;
    return squares ^ ((squares ^ flipped) & flip);
}

uint64_t syzygy_index(const struct syzygy_shape *shape, uint64_t squares)
{
    squares = normalise(shape, squares);
    uint64_t index = lead_digit(shape, squares) * shape->group[0].factor;
    for (int group = 1; group < shape->groups; group++)
        index += group_digit(shape, group, squares) * shape->group[group].factor;
    return index;
}

// ---- digits to squares ----

// The largest n < `end` with C(n, k) <= rank.
static int combination_last(int k, uint64_t rank, int end)
{
    int low = k - 1; // C(k - 1, k) = 0
    while (end - low > 1) {
        const int middle = (low + end) / 2;
        if (binomial[k][middle] <= rank)
            low = middle;
        else
            end = middle;
    }
    return low;
}

// Finds the combination with a rank, of numbers less than `end`.
static void combination(uint64_t rank, int count, int end, uint8_t *sorted)
{
    for (int k = count; k > 1; k--) {
        end = combination_last(k, rank, end);
        rank -= binomial[k][end];
        sorted[k - 1] = (uint8_t)end;
    }
    if (count > 0)
        sorted[0] = (uint8_t)rank;
}

void syzygy_lead_squares(const struct syzygy_shape *shape, uint64_t digit, uint8_t *square)
{
    const int count = shape->group[0].count;
    if (!shape->pawns) {
        const uint8_t *from = count == 3 ? three_squares[digit] : kings_squares[digit];
        for (int i = 0; i < count; i++)
            square[i] = from[i];
        return;
    }
    const uint32_t *base = pawns_base[count][shape->file];
    int rank = 1;
    while (base[rank + 1] <= digit)
        rank++;
    square[0] = (uint8_t)(8 * rank + shape->file);
    combination(digit - base[rank], count - 1, pawn_weight[square[0]], square + 1);
    for (int i = 1; i < count; i++)
        square[i] = weight_square[square[i]];
}

void syzygy_group_squares(const struct syzygy_shape *shape, int group, uint64_t digit, uint64_t used, uint8_t *square)
{
    const struct syzygy_group *g = &shape->group[group];
    const bool pawns = group == shape->other_pawns;
    combination(digit, g->count, (pawns ? PAWN_SQUARES : SQUARES) - g->first, square);
    if (pawns)
        for (int i = 0; i < g->count; i++)
            square[i] = (uint8_t)(square[i] + 8);
    // Turn the number among the free squares into a square: each used square below raises it by one.
    while (used != 0) {
        const int taken = set_pop(&used);
        for (int i = 0; i < g->count; i++)
            square[i] = (uint8_t)(square[i] + (square[i] >= taken));
    }
}
