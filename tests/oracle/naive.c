// naive.c - retrograde analysis in its plainest form
//
// Values are filled in order of their distance n:
//
//     loss n: a position with a quiet move into a win of n - 1, all of whose quiet moves lead to wins of at most n - 1
//             and whose zeroing moves all lose;
//     win n:  a position with a quiet move into a loss of n - 1.
//
// Zeroing moves contribute the known values of the positions they lead to: as wins or losses of 1, or of 101 if the
// 50-move rule spares the loser there. So positions with further advanced pawns are solved first, and those with the
// same advance of the pawns together. Every quiet move is a piece's, which can take it back, so predecessors are easy
// to find.
//
// Distances to mate are found in the same way, but zeroing moves contribute at any n, one more than that of the
// position they lead to. The same is true of distances to conversion, but a capture or promotion into a loss is a win
// of 1.
#include "oracle/naive.h"

#include "chess/attacks.h"
#include "chess/move.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// Stored values: 0 draw or not known yet; n > 0 a win of n; -1 - n a loss of n.
enum { UNKNOWN = 0, ILLEGAL = INT16_MIN };

// What the best zeroing move is worth to the side to move, as a value. Stalemate counts as a draw: it is not lost.
enum { NO_ZEROING = INT16_MIN };

enum {
    CURSED = 101,
    OUTCOMES = 5,
    TABLES_MAX = 36,         // materials of 2 to 4 men whose stronger side is White
    LEADING_MAX = 2,         // pawns beside two kings
    LEVELS = 6 * LEADING_MAX // sums of the pawns' advances, 0..5 each, and one more
};

struct table {
    uint64_t signature;            // numbers of men, see signature_of()
    int count;                     // men
    struct man man[NAIVE_MEN_MAX]; // type and colour of each; squares are those of the index
    int leading;                   // the last of them that a slice fixes: the pawns, or the black king if there is none
    bool pawns;                    //
    int images;                    // of a placement: 2 with pawns, 8 without
    uint32_t slice;                // entries of one placement of the leading men
    uint32_t size;                 // entries
    int16_t *value;                // [size]; 0 outside of the region
    int16_t *zeroing;              // [size]
    uint8_t to_region[SQUARES];    // images that bring the last man, standing there, to its least square
    uint64_t positions[COLOURS][OUTCOMES][NAIVE_DTZ_MAX + 1];
};

struct naive {
    enum metric metric;
    struct table *table[TABLES_MAX];
    int tables;
    const struct table *main;
    int flipped; // 1: the main material's colours are not the table's
};

// Slices that are filled together.
struct batch {
    uint32_t slice[1 << 6 * LEADING_MAX];
    int count;
};

static int16_t loss_in(int n)
{
    return (int16_t)(-1 - n);
}

// Is value a better than b? A win before a draw before a loss; short wins, long losses.
static bool better(int a, int b)
{
    if ((a > 0) != (b > 0) || (a < 0) != (b < 0))
        return a > b;
    return a < b;
}

// ---- materials ----

// Four bits for each colour and type. The higher one of a material and its colour flip has the stronger side White.
static uint64_t signature_of(const uint8_t count[COLOURS][PIECE_TYPES], int flip)
{
    uint64_t signature = 0;
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int type = KING; type <= PAWN; type++)
            signature = signature << 4 | count[colour ^ flip][type];
    return signature;
}

// 1 if a position of this material is looked up with its colours flipped.
static int flip_of(const uint8_t count[COLOURS][PIECE_TYPES], uint64_t *signature)
{
    const uint64_t either[] = {signature_of(count, 0), signature_of(count, 1)};
    const int flip = either[0] < either[1];
    *signature = either[flip];
    return flip;
}

static const struct table *find(const struct naive *o, uint64_t signature)
{
    for (int i = 0; i < o->tables; i++)
        if (o->table[i]->signature == signature)
            return o->table[i];
    return NULL;
}

// ---- the index ----

static uint32_t replace(uint32_t index, int man, int from, int to)
{
    return index + ((uint32_t)to << (6 * man + 1)) - ((uint32_t)from << (6 * man + 1));
}

static int square_of(uint32_t index, int man)
{
    return (int)(index >> (6 * man + 1) & 63);
}

static int side_of(uint32_t index)
{
    return (int)(index & 1);
}

// Bit 0 mirrors the files, bit 1 the ranks, bit 2 exchanges both first.
static int image_of(int square, int image)
{
    if (image & 4)
        square = square >> 3 | (square & 7) << 3;
    return square ^ (image & 1 ? 7 : 0) ^ (image & 2 ? 56 : 0);
}

static void set_region(struct table *t)
{
    for (int square = 0; square < SQUARES; square++) {
        int least = square;
        for (int i = 0; i < t->images; i++)
            if (image_of(square, i) < least)
                least = image_of(square, i);
        for (int i = 0; i < t->images; i++)
            t->to_region[square] |= (uint8_t)((image_of(square, i) == least) << i);
    }
}

// The least index of all images.
static uint32_t canonical(const struct table *t, uint32_t index)
{
    uint32_t least = UINT32_MAX;
    uint64_t candidates = t->to_region[square_of(index, t->count - 1)];
    if (candidates == 1)
        return index;
    while (candidates != 0) {
        int image = set_pop(&candidates);
        uint32_t other = index & 1;
        for (int i = 0; i < t->count; i++)
            other = replace(other, i, 0, image_of(square_of(index, i), image));
        if (other < least)
            least = other;
    }
    return least;
}

// False if two men share a square or the side not to move is in check.
static bool set_up(const struct table *t, uint32_t index, struct position *p)
{
    struct man men[NAIVE_MEN_MAX];
    uint64_t occupied = 0;
    for (int i = 0; i < t->count; i++) {
        men[i] = t->man[i];
        men[i].square = (uint8_t)square_of(index, i);
        occupied |= square_bit(men[i].square);
    }
    return __builtin_popcountll(occupied) == t->count && position_set(p, men, t->count, side_of(index)) == 0 &&
           position_legal(p);
}

static uint32_t index_of(const struct table *t, const struct position *p, int flip)
{
    uint32_t index = (uint32_t)(p->side ^ flip);
    int used[COLOURS][PIECE_TYPES] = {{0}};
    for (int i = 0; i < t->count; i++) {
        int colour = t->man[i].colour ^ flip;
        int type = t->man[i].type;
        int square = p->list[colour][type][used[colour][type]++];
        index = replace(index, i, 0, square ^ (flip ? 56 : 0));
    }
    return canonical(t, index);
}

// The stored value without the en passant slot; ILLEGAL also where there is no table.
static int look_up(const struct naive *o, const struct position *p)
{
    uint64_t signature;
    int flip = flip_of(p->count, &signature);
    const struct table *t = find(o, signature);
    return t == NULL ? ILLEGAL : t->value[index_of(t, p, flip)];
}

// ---- one ply ----

// Do distances continue across zeroing moves, without the 50-move rule?
static bool is_to_the_end(const struct naive *o)
{
    return o->metric != METRIC_DTZ;
}

// A loss of n is stored as -1 - n, so -child is n + 1.
static int after_quiet(int child)
{
    return child > 0 ? loss_in(child + 1) : -child;
}

static int after_zeroing(const struct naive *o, uint32_t move, int child)
{
    if (o->metric == METRIC_DTC && child < UNKNOWN && (move_is_capture(move) || move_promoted(move) != EMPTY))
        return 1;
    if (is_to_the_end(o) || child == UNKNOWN)
        return after_quiet(child);
    if (child > 0)
        return child >= CURSED ? loss_in(CURSED) : loss_in(1);
    return child <= loss_in(CURSED) ? CURSED : 1;
}

// The value of a position, its en passant slot included. A capture may be the only legal move, so what is stored counts
// only if there is another.
static int value_of(const struct naive *o, struct position *p)
{
    int stored = look_up(o, p);
    if (p->en_passant == NO_SQUARE || stored == ILLEGAL)
        return stored;
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(p, moves);
    int captures = 0;
    int best = 0;
    for (int i = 0; i < count; i++) {
        if (!move_is_en_passant(moves[i]))
            continue;
        position_make(p, moves[i]); // leaves no slot
        int worth = after_zeroing(o, moves[i], look_up(o, p));
        position_undo(p);
        if (captures++ == 0 || better(worth, best))
            best = worth;
    }
    return captures == 0 || (captures < count && better(stored, best)) ? stored : best;
}

// What a move is worth to the side that makes it, as a value.
static int move_worth(const struct naive *o, struct position *p, uint32_t move)
{
    bool zeroing = move_is_zeroing(p, move);
    position_make(p, move);
    int child = value_of(o, p);
    position_undo(p);
    return zeroing ? after_zeroing(o, move, child) : after_quiet(child);
}

static int one_ply(const struct naive *o, struct position *p)
{
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(p, moves);
    int best = position_in_check(p) ? loss_in(0) : UNKNOWN;
    for (int i = 0; i < count; i++) {
        int worth = move_worth(o, p, moves[i]);
        if (i == 0 || better(worth, best))
            best = worth;
    }
    return best;
}

// ---- filling a table ----

// The entry after a quiet move: the man's square changes, the other side is to move.
static uint32_t quiet_child(const struct table *t, uint32_t index, uint32_t move)
{
    int man = 0;
    while (square_of(index, man) != move_from(move))
        man++;
    return canonical(t, replace(index, man, move_from(move), move_to(move)) ^ 1);
}

// Sets one entry's zeroing moves, and its value if it is illegal, checkmate, or lost by zeroing moves alone.
static void begin(const struct naive *o, struct table *t, uint32_t index)
{
    struct position p;
    if (canonical(t, index) != index || !set_up(t, index, &p)) {
        t->value[index] = ILLEGAL;
        return;
    }
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(&p, moves);
    int zeroing = 0;
    int best = NO_ZEROING;
    for (int i = 0; i < count; i++) {
        if (!move_is_zeroing(&p, moves[i]))
            continue;
        int worth = move_worth(o, &p, moves[i]);
        if (zeroing++ == 0 || better(worth, best))
            best = worth;
    }
    if (count == 0 && position_in_check(&p))
        t->value[index] = loss_in(0);
    else if (count == 0)
        best = UNKNOWN;
    else if (zeroing == count && (best == loss_in(1) || (is_to_the_end(o) && best < UNKNOWN)))
        t->value[index] = (int16_t)best;
    t->zeroing[index] = (int16_t)best;
}

// Do all quiet moves lead to wins of the other side that are known so far?
static bool quiet_moves_lose(const struct table *t, uint32_t index)
{
    struct position p;
    uint32_t moves[MOVES_MAX];
    set_up(t, index, &p);
    int count = moves_legal(&p, moves);
    for (int i = 0; i < count; i++)
        if (!move_is_zeroing(&p, moves[i]) && t->value[quiet_child(t, index, moves[i])] <= UNKNOWN)
            return false;
    return true;
}

static bool zeroing_moves_lose(const struct naive *o, const struct table *t, uint32_t index, int n)
{
    int worth = t->zeroing[index];
    if (is_to_the_end(o))
        return worth == NO_ZEROING || (worth < UNKNOWN && worth >= loss_in(n));
    return worth == NO_ZEROING || worth == loss_in(1) || (worth == loss_in(CURSED) && n >= CURSED);
}

// Gives the unknown predecessors (by quiet moves) of an entry the distance n: if the entry is lost, all of them win; if
// it is won, those lose that have nothing better.
static bool fill_predecessors(const struct naive *o, struct table *t, uint32_t index, int n, bool entry_lost)
{
    bool any = false;
    uint64_t occupied = 0;
    for (int i = 0; i < t->count; i++)
        occupied |= square_bit(square_of(index, i));
    for (int i = 0; i < t->count; i++) {
        if (t->man[i].colour == side_of(index) || t->man[i].type == PAWN)
            continue;
        int to = square_of(index, i);
        uint64_t from = piece_attacks(t->man[i].type, t->man[i].colour, to, occupied) & ~occupied;
        while (from != 0) {
            uint32_t before = canonical(t, replace(index, i, to, set_pop(&from)) ^ 1);
            if (t->value[before] != UNKNOWN)
                continue;
            if (!entry_lost && !(zeroing_moves_lose(o, t, before, n) && quiet_moves_lose(t, before)))
                continue;
            t->value[before] = entry_lost ? (int16_t)n : loss_in(n);
            any = true;
        }
    }
    return any;
}

// By quiet moves: fills the predecessors of all entries with this value, which have the distance n - 1. By zeroing
// moves: fills the unknown entries whose best zeroing move has this value; a loss only if all quiet moves lose.
static bool fill_batch(const struct naive *o, struct table *t, const struct batch *batch, int n, int16_t value,
                       bool zeroing)
{
    bool any = false;
    for (int i = 0; i < batch->count; i++) {
        uint32_t first = batch->slice[i] * t->slice;
        for (uint32_t index = first; index < first + t->slice; index++) {
            if (!zeroing) {
                any |= t->value[index] == value && fill_predecessors(o, t, index, n, value < 0);
            } else if (t->value[index] == UNKNOWN && t->zeroing[index] == value &&
                       (value > 0 || quiet_moves_lose(t, index))) {
                t->value[index] = value;
                any = true;
            }
        }
    }
    return any;
}

// The largest n at which a zeroing move can enter.
static int longest_zeroing(const struct table *t, const struct batch *batch)
{
    int longest = 0;
    for (int i = 0; i < batch->count; i++) {
        for (uint32_t k = 0; k < t->slice; k++) {
            const int worth = t->zeroing[batch->slice[i] * t->slice + k];
            const int n = worth >= 0 ? worth : -1 - worth;
            longest = worth != NO_ZEROING && n > longest ? n : longest;
        }
    }
    return longest;
}

// Losses of n look only at wins below n, so all of them come before the first win of n.
static void iterate(const struct naive *o, struct table *t, const struct batch *batch)
{
    const int last = is_to_the_end(o) ? longest_zeroing(t, batch) : CURSED;
    for (int n = 1;; n++) {
        bool any = n > 1 && fill_batch(o, t, batch, n, (int16_t)(n - 1), false);
        if (is_to_the_end(o) || n == CURSED)
            any |= fill_batch(o, t, batch, n, loss_in(n), true);
        any |= fill_batch(o, t, batch, n, loss_in(n - 1), false);
        if (is_to_the_end(o) || n == 1 || n == CURSED)
            any |= fill_batch(o, t, batch, n, (int16_t)n, true);
        if (!any && n >= last)
            return;
        if (!any && n > 1 && !is_to_the_end(o))
            n = CURSED - 1; // nothing changes until zeroing moves into cursed wins count
    }
}

// The sum of the pawns' advances in a slice, or -1 if it has no positions or only images.
static int level_of(const struct table *t, uint32_t slice)
{
    int sum = 0;
    for (int i = 0; i < t->leading; i++) {
        int square = (int)(slice >> 6 * i & 63);
        if (t->pawns && (square < 8 || square >= 56))
            return -1;
        if (i == t->leading - 1 && !(t->to_region[square] & 1))
            return -1;
        const bool white = t->man[t->count - t->leading + i].colour == WHITE;
        if (t->pawns)
            sum += white ? square_rank(square) - 1 : 6 - square_rank(square);
    }
    return sum;
}

static void fill(const struct naive *o, struct table *t)
{
    for (int level = LEVELS - 1; level >= 0; level--) {
        struct batch batch = {.count = 0};
        for (uint32_t slice = 0; slice < t->size / t->slice; slice++)
            if (level_of(t, slice) == level)
                batch.slice[batch.count++] = slice;
        for (int i = 0; i < batch.count; i++)
            for (uint32_t k = 0; k < t->slice; k++)
                begin(o, t, batch.slice[i] * t->slice + k);
        iterate(o, t, &batch);
    }
}

// ---- the results ----

static struct naive_value unpack(const struct naive *o, int stored)
{
    if (stored == UNKNOWN)
        return (struct naive_value){CLTB_DRAW, 0};
    const int n = stored > 0 ? stored : -1 - stored;
    const bool cursed = n >= CURSED && !is_to_the_end(o);
    if (stored > 0)
        return (struct naive_value){cursed ? CLTB_CURSED_WIN : CLTB_WIN, n};
    return (struct naive_value){cursed ? CLTB_BLESSED_LOSS : CLTB_LOSS, n};
}

// In how many orders the identical pieces of a placement appear in the index.
static uint64_t orders(const struct table *t)
{
    uint64_t product = 1;
    int used[COLOURS][PIECE_TYPES] = {{0}};
    for (int i = 0; i < t->count; i++)
        product *= (uint64_t)++used[t->man[i].colour][t->man[i].type];
    return product;
}

// The number of different images of a placement.
static unsigned weight(const struct table *t, uint32_t index)
{
    unsigned same = 1; // the identity
    for (int image = 1; image < t->images; image++) {
        bool all = true;
        for (int i = 0; i < t->count; i++)
            all &= image_of(square_of(index, i), image) == square_of(index, i);
        same += all;
    }
    return (unsigned)t->images / same;
}

// The first entry from *index on that is a position; false if there is none.
static bool find_entry(const struct table *t, uint32_t *index)
{
    while (*index < t->size) {
        if (*index % t->slice == 0 && level_of(t, *index / t->slice) < 0)
            *index += t->slice;
        else if (t->value[*index] == ILLEGAL)
            ++*index;
        else
            return true;
    }
    return false;
}

// ---- solving ----

static void table_free(struct table *t)
{
    free(t->value);
    free(t->zeroing);
    free(t);
}

// Pawns or, without any, the black king go after the others.
static void order_men(struct table *t, const struct man *men, int flip)
{
    for (int i = 0; i < t->count; i++)
        t->pawns |= men[i].type == PAWN;
    for (int last = 0; last <= 1; last++) {
        for (int i = 0, k = last ? t->count - t->leading : 0; i < t->count; i++) {
            struct man man = {men[i].type, (uint8_t)(men[i].colour ^ flip), 0};
            bool leads = t->pawns ? man.type == PAWN : man.type == KING && man.colour == BLACK;
            if (leads == last)
                t->man[k++] = man;
            t->leading += leads && !last;
        }
    }
}

static int table_new(struct table **out, const struct man *men, int count, int flip, uint64_t signature)
{
    struct table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return error_memory(sizeof *t, "the naive oracle");
    t->count = count;
    t->signature = signature;
    order_men(t, men, flip);
    t->images = t->pawns ? 2 : 8;
    set_region(t);
    t->size = UINT32_C(2) << 6 * count;
    t->slice = UINT32_C(2) << 6 * (count - t->leading);
    t->value = calloc(t->size, sizeof *t->value);
    t->zeroing = calloc(t->size, sizeof *t->zeroing);
    *out = t;
    if (t->value != NULL && t->zeroing != NULL)
        return 0;
    const size_t bytes = 2 * t->size * sizeof *t->value;
    table_free(t);
    return error_memory(bytes, "the naive oracle");
}

static uint64_t signature_of_men(const struct man *men, int count, int *flip)
{
    uint8_t number[COLOURS][PIECE_TYPES] = {{0}};
    uint64_t signature;
    for (int i = 0; i < count; i++)
        number[men[i].colour][men[i].type]++;
    *flip = flip_of(number, &signature);
    return signature;
}

// Solves what captures and promotions lead to, then the material. (A promotion that captures comes after both.)
static int solve(struct naive *o, const struct man *men, int count)
{
    int flip;
    struct table *t = NULL;
    uint64_t signature = signature_of_men(men, count, &flip);
    if (find(o, signature) != NULL)
        return 0;
    for (int i = 0; i < count; i++) {
        struct man other[NAIVE_MEN_MAX];
        memcpy(other, men, (size_t)count * sizeof *men);
        for (int type = QUEEN; type <= KNIGHT && men[i].type == PAWN; type++) {
            other[i].type = (uint8_t)type;
            TRY(solve(o, other, count));
        }
        other[i] = men[count - 1];
        if (men[i].type != KING)
            TRY(solve(o, other, count - 1));
    }
    TRY(table_new(&t, men, count, flip, signature));
    o->table[o->tables++] = t;
    fill(o, t);
    free(t->zeroing);
    t->zeroing = NULL;
    for (uint32_t index = 0; find_entry(t, &index); index++) {
        const struct naive_value v = unpack(o, t->value[index]);
        if (v.dtz > NAIVE_DTZ_MAX)
            return error_set(CLTB_E_USAGE, "naive oracle: a distance of %d plies is too much", v.dtz);
        t->positions[side_of(index)][v.outcome - CLTB_LOSS][v.dtz] += weight(t, index);
    }
    return 0;
}

int naive_solve_metric(struct naive **oracle, const struct man *men, int count, enum metric metric)
{
    int kings[COLOURS] = {0, 0};
    for (int i = 0; i < count; i++)
        kings[men[i].colour] += men[i].type == KING;
    if (count > NAIVE_MEN_MAX || kings[WHITE] != 1 || kings[BLACK] != 1)
        return error_set(CLTB_E_USAGE, "naive oracle: not at most %d men with a king a side", NAIVE_MEN_MAX);
    struct naive *o = *oracle != NULL ? *oracle : calloc(1, sizeof *o);
    if (o == NULL)
        return error_memory(sizeof *o, "the naive oracle");
    o->metric = metric;
    const int status = solve(o, men, count);
    if (status == 0) {
        o->main = find(o, signature_of_men(men, count, &o->flipped));
        *oracle = o;
    } else if (*oracle == NULL) {
        naive_free(o);
    }
    return status;
}

int naive_solve(struct naive **oracle, const struct man *men, int count)
{
    return naive_solve_metric(oracle, men, count, METRIC_DTZ);
}

void naive_free(struct naive *oracle)
{
    if (oracle == NULL)
        return;
    for (int i = 0; i < oracle->tables; i++)
        table_free(oracle->table[i]);
    free(oracle);
}

// ---- questions ----

int naive_query(const struct naive *oracle, const struct position *p, struct naive_value *value)
{
    struct position copy;
    position_copy(&copy, p);
    int stored = value_of(oracle, &copy);
    if (stored == ILLEGAL)
        return error_set(CLTB_E_POSITION, "naive oracle: the position is illegal or of another material");
    *value = unpack(oracle, stored);
    return 0;
}

uint64_t naive_count(const struct naive *oracle, int side, enum cltb_outcome outcome, int dtz)
{
    const struct table *t = oracle->main;
    return t->positions[side ^ oracle->flipped][outcome - CLTB_LOSS][dtz] / orders(t);
}

int naive_each(const struct naive *oracle, naive_visit *visit, void *context)
{
    const struct table *t = oracle->main;
    const int flipped = oracle->flipped;
    for (uint32_t index = 0; find_entry(t, &index); index++) {
        const struct naive_value value = unpack(oracle, t->value[index]);
        struct man men[NAIVE_MEN_MAX];
        struct position p;
        for (int i = 0; i < t->count; i++)
            men[i] = (struct man){t->man[i].type, (uint8_t)(t->man[i].colour ^ flipped),
                                  (uint8_t)(square_of(index, i) ^ (flipped ? 56 : 0))};
        TRY(position_set(&p, men, t->count, side_of(index) ^ flipped));
        TRY(visit(context, &p, &value));
    }
    return 0;
}

uint64_t naive_inconsistent(const struct naive *oracle)
{
    const struct table *t = oracle->main;
    uint64_t wrong = 0;
    for (uint32_t index = 0; find_entry(t, &index); index++) {
        struct position p;
        wrong += !set_up(t, index, &p) || one_ply(oracle, &p) != t->value[index];
    }
    return wrong;
}
