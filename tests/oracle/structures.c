// structures.c - all positions that can be reached from one, by brute force
//
// 1. Positions are found by legal moves from the first one on. After a promotion, moves are followed only as far as
//    captures can remove the promoted man.
// 2. They are sorted by men, then by how far the pawns have advanced: zeroing moves lead to earlier ones.
// 3. For n = 0, 1, 2, ... each position of a group that has no value yet is looked at: is it won or lost in n?
#include "oracle/structures.h"

#include "chess/move.h"

#include <stdlib.h>
#include <string.h>

enum { MEN_MAX = 8, CURSED = 101, PLIES = 240, UNKNOWN = 99 };

struct node {
    uint64_t key;
    uint16_t group; // men, then what the pawns have still to go
    uint8_t count;
    uint8_t side;
    uint8_t en_passant;
    int8_t outcome; // UNKNOWN: none yet
    int16_t dtz;
    struct man men[MEN_MAX];
};

struct oracle_structures {
    struct node *node;
    size_t count;
    size_t room;
    uint32_t *bucket; // numbers + 1
    size_t buckets;
    int winner;
    struct oracle_small small;
};

static bool is_bounded(const struct position *p)
{
    return position_men(p) - 2 != p->count[WHITE][PAWN] + p->count[BLACK][PAWN];
}

static size_t bucket_of(const struct oracle_structures *oracle, uint64_t key)
{
    size_t at = key & (oracle->buckets - 1);
    while (oracle->bucket[at] != 0 && oracle->node[oracle->bucket[at] - 1].key != key)
        at = (at + 1) & (oracle->buckets - 1);
    return at;
}

static struct node node_of(const struct position *p)
{
    struct node node = {.key = p->key, .side = p->side, .en_passant = p->en_passant, .outcome = UNKNOWN};
    int left = 0;
    for (int square = 0; square < 64; square++) {
        if (p->board[square] == EMPTY)
            continue;
        const int type = piece_type(p->board[square]);
        const int colour = piece_colour(p->board[square]);
        node.men[node.count++] = (struct man){(uint8_t)type, (uint8_t)colour, (uint8_t)square};
        left += type != PAWN ? 0 : colour == WHITE ? 8 - square / 8 : 1 + square / 8;
    }
    node.group = (uint16_t)(node.count * 100 + left);
    return node;
}

static void set(struct position *p, const struct node *node)
{
    position_set(p, node->men, node->count, node->side);
    if (node->en_passant != NO_SQUARE)
        position_set_en_passant(p, node->en_passant);
}

static int add(struct oracle_structures *oracle, const struct position *p)
{
    if (oracle->bucket[bucket_of(oracle, p->key)] != 0)
        return 0;
    if (oracle->count == oracle->room) {
        const size_t room = 2 * oracle->room;
        struct node *larger = realloc(oracle->node, room * sizeof *larger);
        if (larger == NULL)
            return -1;
        oracle->node = larger;
        oracle->room = room;
    }
    oracle->node[oracle->count] = node_of(p);
    oracle->bucket[bucket_of(oracle, p->key)] = (uint32_t)++oracle->count;
    if (2 * oracle->count < oracle->buckets)
        return 0;
    free(oracle->bucket);
    oracle->buckets *= 4;
    oracle->bucket = calloc(oracle->buckets, sizeof *oracle->bucket);
    for (size_t i = 0; oracle->bucket != NULL && i < oracle->count; i++)
        oracle->bucket[bucket_of(oracle, oracle->node[i].key)] = (uint32_t)i + 1;
    return oracle->bucket == NULL ? -1 : 0;
}

// Step 1, from one position on.
static int expand(struct oracle_structures *oracle, struct position *p)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    int code = 0;
    for (int i = 0; code == 0 && i < count; i++) {
        if (is_bounded(p) && !move_is_capture(moves[i]))
            continue;
        position_make(p, moves[i]);
        code = is_bounded(p) ? expand(oracle, p) : add(oracle, p);
        position_undo(p);
    }
    return code;
}

static int compare(const void *left, const void *right)
{
    const struct node *a = left;
    const struct node *b = right;
    return a->group != b->group ? a->group - b->group : (a->key > b->key) - (a->key < b->key);
}

// ---- step 3 ----

// Better outcomes are larger; wins are better sooner, losses later.
static int rank(struct cltb_value value)
{
    return value.outcome * 1000 + (value.outcome > 0 ? -value.dtz : value.dtz);
}

// By a zeroing move to a position of that value.
static struct cltb_value zeroing(struct cltb_value after)
{
    const int outcome = -after.outcome;
    return (struct cltb_value){outcome, outcome == 0 ? 0 : abs(outcome) == 2 ? 1 : CURSED, 0};
}

static struct cltb_value known(const struct oracle_structures *oracle, struct position *p);

static struct cltb_value bound(const struct oracle_structures *oracle, struct position *p)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    const bool bare = __builtin_popcountll(p->men[oracle->winner]) == 1;
    const int outcome = bare ? 0 : p->side == oracle->winner ? CLTB_WIN : CLTB_LOSS;
    struct cltb_value best = {outcome, outcome == 0 ? 0 : 1, 0};
    for (int i = 0; i < count; i++) {
        const int type = piece_type(p->board[move_from(moves[i])]);
        if (!move_is_capture(moves[i]) || (type != KING && type != PAWN))
            continue;
        position_make(p, moves[i]);
        const struct cltb_value value = zeroing(known(oracle, p));
        position_undo(p);
        if (rank(value) > rank(best))
            best = value;
    }
    return best;
}

static struct cltb_value known(const struct oracle_structures *oracle, struct position *p)
{
    if (is_bounded(p) && position_men(p) <= 4 && p->count[WHITE][PAWN] + p->count[BLACK][PAWN] == 0)
        return oracle->small.value(oracle->small.context, p);
    if (is_bounded(p))
        return bound(oracle, p);
    const struct node *node = &oracle->node[oracle->bucket[bucket_of(oracle, p->key)] - 1];
    return (struct cltb_value){node->outcome, node->dtz, 0};
}

// Is the position won or lost in n?
static bool decide(const struct oracle_structures *oracle, struct position *p, int n, struct node *node)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(p, moves);
    const int win = n > 100 ? CLTB_CURSED_WIN : CLTB_WIN;
    int longest = 0;
    bool lost = count > 0 || position_in_check(p);
    for (int i = 0; i < count; i++) {
        const bool zeroes = move_is_zeroing(p, moves[i]);
        position_make(p, moves[i]);
        struct cltb_value value = known(oracle, p);
        position_undo(p);
        if (value.outcome == UNKNOWN) {
            lost = false;
            continue;
        }
        value = zeroes ? zeroing(value) : (struct cltb_value){-value.outcome, value.dtz + 1, 0};
        if (value.outcome > 0 && value.dtz == n) {
            node->outcome = (int8_t)win;
            node->dtz = (int16_t)n;
            return true;
        }
        lost &= value.outcome < 0;
        longest = value.dtz > longest ? value.dtz : longest;
    }
    if (!lost || longest != n)
        return false;
    node->outcome = (int8_t)-win;
    node->dtz = (int16_t)n;
    return true;
}

static void solve_group(struct oracle_structures *oracle, size_t first, size_t end)
{
    struct position p;
    int quiet = 0; // plies without a new value
    for (int n = 0; n <= PLIES; n++) {
        bool changed = false;
        if (quiet > 2 && n < CURSED)
            n = CURSED;
        else if (quiet > 2 && n > CURSED + 3)
            break;
        for (size_t i = first; i < end; i++) {
            if (oracle->node[i].outcome != UNKNOWN)
                continue;
            set(&p, &oracle->node[i]);
            changed |= decide(oracle, &p, n, &oracle->node[i]);
        }
        quiet = changed ? 0 : quiet + 1;
    }
    for (size_t i = first; i < end; i++) {
        if (oracle->node[i].outcome == UNKNOWN)
            oracle->node[i].outcome = CLTB_DRAW;
    }
}

struct oracle_structures *oracle_structures_solve(const struct position *root, int winner, struct oracle_small small)
{
    struct position p;
    struct oracle_structures *oracle = position_men(root) > MEN_MAX ? NULL : calloc(1, sizeof *oracle);
    if (oracle == NULL)
        return NULL;
    *oracle = (struct oracle_structures){.room = 1024, .buckets = 4096, .winner = winner, .small = small};
    oracle->node = malloc(oracle->room * sizeof *oracle->node);
    oracle->bucket = calloc(oracle->buckets, sizeof *oracle->bucket);
    int code = oracle->node == NULL || oracle->bucket == NULL ? -1 : add(oracle, root);
    for (size_t i = 0; code == 0 && i < oracle->count; i++) {
        set(&p, &oracle->node[i]);
        code = expand(oracle, &p);
    }
    if (code != 0) {
        oracle_structures_free(oracle);
        return NULL;
    }
    qsort(oracle->node, oracle->count, sizeof *oracle->node, compare);
    memset(oracle->bucket, 0, oracle->buckets * sizeof *oracle->bucket);
    for (size_t i = 0; i < oracle->count; i++)
        oracle->bucket[bucket_of(oracle, oracle->node[i].key)] = (uint32_t)i + 1;
    for (size_t i = 0, end; i < oracle->count; i = end) {
        for (end = i; end < oracle->count && oracle->node[end].group == oracle->node[i].group; end++)
            ;
        solve_group(oracle, i, end);
    }
    return oracle;
}

void oracle_structures_free(struct oracle_structures *oracle)
{
    if (oracle == NULL)
        return;
    free(oracle->node);
    free(oracle->bucket);
    free(oracle);
}

void oracle_structures_each(const struct oracle_structures *oracle,
                            void (*visit)(void *context, struct position *p, struct cltb_value value), void *context)
{
    struct position p;
    for (size_t i = 0; i < oracle->count; i++) {
        set(&p, &oracle->node[i]);
        visit(context, &p, (struct cltb_value){oracle->node[i].outcome, oracle->node[i].dtz, 0});
    }
}
