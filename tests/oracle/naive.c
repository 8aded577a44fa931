// naive.c - retrograde analysis in its plainest form
//
// Values are filled in order of their distance n:
//   loss n: a position with a quiet move into a win of n - 1, all of whose quiet moves lead to wins of at most n - 1
//   and
//           whose captures all lose;
//   win n:  a position with a quiet move into a loss of n - 1.
// Captures enter by what the smaller tables say: as wins or losses of 1, or of 101 if the 50-move rule spares the loser
// there. Without pawns every quiet move can be taken back by the same piece's move, so predecessors are easy to find.
#include "oracle/naive.h"

#include "rules/attacks.h"
#include "rules/move.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// Stored values: 0 draw or not decided yet; n > 0 a win of n; -1 - n a loss of n.
enum { UNDECIDED = 0, ILLEGAL = INT16_MIN };

// What the captures of a position are worth to the side to move. Stalemate counts as DRAWS: it is not lost.
enum capture_value { NO_CAPTURE, LOSES_1, LOSES_101, DRAWS, WINS_101, WINS_1 };

enum { CURSED = 101 };

struct naive {
    int count;                        // men
    struct man man[NAIVE_MEN_MAX];    // type and colour of each; squares are those of the index
    uint32_t size;                    // entries
    int16_t *value;                   // [size]
    uint8_t *captures;                // [size] enum capture_value
    struct naive *sub[NAIVE_MEN_MAX]; // without man i; NULL for kings
};

static int16_t loss_in(int n)
{
    return (int16_t)(-1 - n);
}

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

// False if two men share a square or the side not to move is in check.
static bool set_up(const struct naive *t, uint32_t index, struct position *p)
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

static int man_on(const struct naive *t, uint32_t index, int square)
{
    for (int i = 0; i < t->count; i++)
        if (square_of(index, i) == square)
            return i;
    return -1;
}

// The entry after a quiet move: the man's square changes, the other side is to move.
static uint32_t quiet_child(const struct naive *t, uint32_t index, uint32_t move)
{
    return replace(index, man_on(t, index, move_from(move)), move_from(move), move_to(move)) ^ 1;
}

// The smaller table's value after a capture, for the side to move there.
static int capture_child(const struct naive *t, uint32_t index, uint32_t move)
{
    int victim = man_on(t, index, move_to(move));
    uint32_t moved = quiet_child(t, index, move);
    uint32_t child = moved & 1;
    for (int i = 0, j = 0; i < t->count; i++)
        if (i != victim)
            child = replace(child, j++, 0, square_of(moved, i));
    return t->sub[victim]->value[child];
}

static enum capture_value capture_worth(int child)
{
    if (child == UNDECIDED)
        return DRAWS;
    if (child > 0)
        return child >= CURSED ? LOSES_101 : LOSES_1;
    return child <= loss_in(CURSED) ? WINS_101 : WINS_1;
}

// Sets one entry's captures, and its value if it is illegal, checkmate, or lost by captures alone (no quiet move).
static void begin(struct naive *t, uint32_t index)
{
    struct position p;
    if (!set_up(t, index, &p)) {
        t->value[index] = ILLEGAL;
        return;
    }
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(&p, moves);
    int quiet = 0;
    uint8_t best = NO_CAPTURE;
    for (int i = 0; i < count; i++) {
        if (!move_is_capture(moves[i])) {
            quiet++;
            continue;
        }
        enum capture_value worth = capture_worth(capture_child(t, index, moves[i]));
        if (worth > best)
            best = (uint8_t)worth;
    }
    if (count == 0 && position_in_check(&p))
        t->value[index] = loss_in(0);
    else if (count == 0)
        best = DRAWS;
    else if (quiet == 0 && best == LOSES_1)
        t->value[index] = loss_in(1);
    t->captures[index] = best;
}

// Do all quiet moves lead to wins of the other side that are known so far?
static bool quiet_moves_lose(const struct naive *t, uint32_t index)
{
    struct position p;
    uint32_t moves[MOVES_MAX];
    set_up(t, index, &p);
    int count = moves_legal(&p, moves);
    for (int i = 0; i < count; i++)
        if (!move_is_capture(moves[i]) && t->value[quiet_child(t, index, moves[i])] <= UNDECIDED)
            return false;
    return true;
}

static bool captures_lose(const struct naive *t, uint32_t index, int n)
{
    int worth = t->captures[index];
    return worth == NO_CAPTURE || worth == LOSES_1 || (worth == LOSES_101 && n >= CURSED);
}

// Gives the undecided predecessors (by quiet moves) of an entry their value of n: all of them win if the entry is lost;
// if it is won, those lose that have nothing better.
static bool decide_predecessors(struct naive *t, uint32_t index, int n, bool entry_lost)
{
    bool any = false;
    uint64_t occupied = 0;
    for (int i = 0; i < t->count; i++)
        occupied |= square_bit(square_of(index, i));
    for (int i = 0; i < t->count; i++) {
        if (t->man[i].colour == side_of(index))
            continue;
        int to = square_of(index, i);
        uint64_t from = piece_attacks(t->man[i].type, t->man[i].colour, to, occupied) & ~occupied;
        while (from != 0) {
            uint32_t before = replace(index, i, to, set_pop(&from)) ^ 1;
            if (t->value[before] != UNDECIDED)
                continue;
            if (!entry_lost && !(captures_lose(t, before, n) && quiet_moves_lose(t, before)))
                continue;
            t->value[before] = entry_lost ? (int16_t)n : loss_in(n);
            any = true;
        }
    }
    return any;
}

// Predecessors of all entries with this value.
static bool decide_by_quiet_moves(struct naive *t, int n, int16_t value)
{
    bool any = false;
    for (uint32_t index = 0; index < t->size; index++)
        if (t->value[index] == value)
            any |= decide_predecessors(t, index, n, value < 0);
    return any;
}

// At n = 1 and n = 101: positions with a capture that wins.
static bool decide_winning_captures(struct naive *t, int n)
{
    bool any = false;
    for (uint32_t index = 0; index < t->size; index++) {
        if (t->value[index] == UNDECIDED && t->captures[index] == (n == 1 ? WINS_1 : WINS_101)) {
            t->value[index] = (int16_t)n;
            any = true;
        }
    }
    return any;
}

// At n = 101: positions that only a capture into a cursed win has kept from being lost so far.
static bool decide_losing_captures(struct naive *t)
{
    bool any = false;
    for (uint32_t index = 0; index < t->size; index++) {
        if (t->value[index] == UNDECIDED && t->captures[index] == LOSES_101 && quiet_moves_lose(t, index)) {
            t->value[index] = loss_in(CURSED);
            any = true;
        }
    }
    return any;
}

// Losses of n look only at wins below n, so all of them come before the first win of n.
static void iterate(struct naive *t)
{
    for (int n = 1;; n++) {
        bool any = n > 1 && decide_by_quiet_moves(t, n, (int16_t)(n - 1));
        if (n == CURSED)
            any |= decide_losing_captures(t);
        any |= decide_by_quiet_moves(t, n, loss_in(n - 1));
        if (n == 1 || n == CURSED)
            any |= decide_winning_captures(t, n);
        if (!any && n >= CURSED)
            return;
        if (!any && n > 1)
            n = CURSED - 1; // nothing happens before captures into cursed wins come in
    }
}

static int allocate(struct naive **out, const struct man *men, int count)
{
    struct naive *t = calloc(1, sizeof *t);
    if (t == NULL)
        return error_memory(sizeof *t, "the naive oracle");
    *out = t;
    t->count = count;
    memcpy(t->man, men, (size_t)count * sizeof *men);
    t->size = UINT32_C(2) << 6 * count;
    t->value = calloc(t->size, sizeof *t->value);
    t->captures = calloc(t->size, 1);
    if (t->value == NULL || t->captures == NULL)
        return error_memory(t->size * 3, "the naive oracle");
    return 0;
}

static int solve_subs(struct naive *t)
{
    for (int i = 0; i < t->count; i++) {
        if (t->man[i].type == KING)
            continue;
        struct man rest[NAIVE_MEN_MAX];
        for (int k = 0, j = 0; k < t->count; k++)
            if (k != i)
                rest[j++] = t->man[k];
        int status = naive_solve(&t->sub[i], rest, t->count - 1);
        if (status != 0)
            return status;
    }
    return 0;
}

static int check_men(const struct man *men, int count)
{
    int kings[COLOURS] = {0, 0};
    if (count < 2 || count > NAIVE_MEN_MAX)
        return error_set(CLTB_E_USAGE, "naive oracle: %d men are not 2 to %d", count, NAIVE_MEN_MAX);
    for (int i = 0; i < count; i++) {
        if (men[i].type >= PAWN || men[i].colour >= COLOURS)
            return error_set(CLTB_E_USAGE, "naive oracle: man %d is a pawn or unknown", i);
        kings[men[i].colour] += men[i].type == KING;
    }
    if (kings[WHITE] != 1 || kings[BLACK] != 1)
        return error_set(CLTB_E_USAGE, "naive oracle: each side needs one king");
    return 0;
}

int naive_solve(struct naive **oracle, const struct man *men, int count)
{
    struct naive *t = NULL;
    int status = check_men(men, count);
    if (status == 0)
        status = allocate(&t, men, count);
    if (status == 0)
        status = solve_subs(t);
    if (status != 0) {
        naive_free(t);
        return status;
    }
    for (uint32_t index = 0; index < t->size; index++)
        begin(t, index);
    iterate(t);
    *oracle = t;
    return 0;
}

void naive_free(struct naive *oracle)
{
    if (oracle == NULL)
        return;
    for (int i = 0; i < NAIVE_MEN_MAX; i++)
        naive_free(oracle->sub[i]);
    free(oracle->value);
    free(oracle->captures);
    free(oracle);
}

static struct naive_value unpack(int stored)
{
    if (stored == UNDECIDED)
        return (struct naive_value){CLTB_DRAW, 0};
    if (stored > 0)
        return (struct naive_value){stored >= CURSED ? CLTB_CURSED_WIN : CLTB_WIN, stored};
    int n = -1 - stored;
    return (struct naive_value){n >= CURSED ? CLTB_BLESSED_LOSS : CLTB_LOSS, n};
}

int naive_query(const struct naive *oracle, const struct position *p, struct naive_value *value)
{
    uint32_t index = p->side;
    int used[COLOURS][PIECE_TYPES] = {{0}};
    for (int i = 0; i < oracle->count; i++) {
        const struct man *man = &oracle->man[i];
        int k = used[man->colour][man->type]++;
        if (k >= p->count[man->colour][man->type])
            return error_set(CLTB_E_POSITION, "naive oracle: the position lacks a man of its material");
        index = replace(index, i, 0, p->list[man->colour][man->type][k]);
    }
    if (position_men(p) != oracle->count)
        return error_set(CLTB_E_POSITION, "naive oracle: the position has more men than its material");
    if (oracle->value[index] == ILLEGAL)
        return error_set(CLTB_E_POSITION, "naive oracle: the position is illegal");
    *value = unpack(oracle->value[index]);
    return 0;
}

// In how many orders the like men of a placement appear in the index.
static uint64_t orders(const struct naive *t)
{
    uint64_t product = 1;
    int used[COLOURS][PIECE_TYPES] = {{0}};
    for (int i = 0; i < t->count; i++)
        product *= (uint64_t)++used[t->man[i].colour][t->man[i].type];
    return product;
}

uint64_t naive_count(const struct naive *oracle, int side, enum cltb_outcome outcome, int dtz)
{
    uint64_t count = 0;
    for (uint32_t index = (uint32_t)side; index < oracle->size; index += 2) {
        if (oracle->value[index] == ILLEGAL)
            continue;
        struct naive_value v = unpack(oracle->value[index]);
        count += v.outcome == outcome && v.dtz == dtz;
    }
    return count / orders(oracle);
}

// What a move is worth to the side that makes it, as a stored value.
static int move_worth(const struct naive *t, uint32_t index, uint32_t move)
{
    if (move_is_capture(move)) {
        static const int16_t worth[] = {
            [LOSES_1] = -1 - 1, [LOSES_101] = -1 - CURSED, [WINS_101] = CURSED, [WINS_1] = 1};
        return worth[capture_worth(capture_child(t, index, move))];
    }
    int child = t->value[quiet_child(t, index, move)];
    if (child == UNDECIDED)
        return UNDECIDED;
    return child > 0 ? loss_in(child + 1) : -child; // a loss of n is stored as -1 - n, so -child is n + 1
}

// Is stored value a better than b? A win before a draw before a loss; short wins, long losses.
static bool better(int a, int b)
{
    if ((a > 0) != (b > 0) || (a < 0) != (b < 0))
        return a > b;
    return a < b;
}

static int one_ply(const struct naive *t, uint32_t index)
{
    struct position p;
    uint32_t moves[MOVES_MAX];
    if (!set_up(t, index, &p))
        return ILLEGAL;
    int count = moves_legal(&p, moves);
    if (count == 0)
        return position_in_check(&p) ? loss_in(0) : UNDECIDED;
    int best = move_worth(t, index, moves[0]);
    for (int i = 1; i < count; i++) {
        int worth = move_worth(t, index, moves[i]);
        if (better(worth, best))
            best = worth;
    }
    return best;
}

uint64_t naive_inconsistent(const struct naive *oracle)
{
    uint64_t wrong = 0;
    for (uint32_t index = 0; index < oracle->size; index++)
        wrong += one_ply(oracle, index) != oracle->value[index];
    return wrong;
}
