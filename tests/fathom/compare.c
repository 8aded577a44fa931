// compare.c - two libraries with Fathom's interface, asked about the same positions
//
//     compare [--positions N] [--seed N] THEIRS.so OURS.so THEIR_FOLDERS OUR_FOLDERS NAME...
//
// Loads both, and asks about N (100000) random legal positions, in turn of the materials NAME, with random clocks (half
// of them 0) and, where a pawn could have made a double step, often with the right to capture en passant:
//
//     1. tb_probe_wdl: equal;
//     2. tb_probe_root: the same moves. Each has their distance, or one more ("rounded": their file stores moves, not
//        plies), and their outcome, unless that ply decides about the 50-move rule ("on the edge");
//     3. the move that we suggest has the outcome of the one that they suggest, or is better on the edge;
//     4. tb_probe_root_dtz: no two moves whose ranks are in the opposite order, and equal ranks and scores where the
//        distances are equal, except for the surest wins ("sure": a rounded distance of 100 is no sure win), and scores
//        that an operator in one of their macros makes too large ("scores": 497 instead of 48 for a cursed win);
//     5. tb_probe_root_wdl: equal ranks and scores.
//
// Says how many there are of each kind. Exit status 1 if there are other differences; the first ones are reported.
#include <cltb-fathom/tbprobe.h>

#include "check/placements.h"
#include "chess/attacks.h"
#include "chess/fen.h"
#include "util/error.h"
#include "util/random.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIFFERENCES_TOLD = 10, CLOCK = 100 };

struct library {
    unsigned *largest;
    __typeof__(tb_init) *init;
    __typeof__(tb_probe_wdl_impl) *wdl;
    __typeof__(tb_probe_root_impl) *root;
    __typeof__(tb_probe_root_dtz) *root_dtz;
    __typeof__(tb_probe_root_wdl) *root_wdl;
};

// A position as both take it.
struct boards {
    uint64_t white, black, kings, queens, rooks, bishops, knights, pawns;
    unsigned clock, en_passant;
    bool turn;
};

#define SETS(b) (b)->white, (b)->black, (b)->kings, (b)->queens, (b)->rooks, (b)->bishops, (b)->knights, (b)->pawns

enum kind { EQUAL, ROUNDED, EDGE, SURE, SCORE, KINDS };

struct judge {
    struct library theirs, ours;
    const struct position *p; // for reports
    unsigned clock;
    uint64_t positions, en_passant, outcome[TB_WIN + 1], moves[KINDS], ranks[KINDS], differences;
};

static bool load(struct library *library, const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        fprintf(stderr, "compare: %s\n", dlerror());
        return false;
    }
    *(void **)&library->largest = dlsym(handle, "TB_LARGEST");
    *(void **)&library->init = dlsym(handle, "tb_init");
    *(void **)&library->wdl = dlsym(handle, "tb_probe_wdl_impl");
    *(void **)&library->root = dlsym(handle, "tb_probe_root_impl");
    *(void **)&library->root_dtz = dlsym(handle, "tb_probe_root_dtz");
    *(void **)&library->root_wdl = dlsym(handle, "tb_probe_root_wdl");
    return library->root_wdl != NULL;
}

static void differ(struct judge *judge, const char *what, long long theirs, long long ours)
{
    char fen[FEN_MAX];
    fen_write(judge->p, fen);
    if (judge->differences++ < DIFFERENCES_TOLD)
        printf("%s, clock %u: %s is %lld, ours %lld\n", fen, judge->clock, what, theirs, ours);
}

// ---- positions ----

// A slot that a double step may just have passed over, beside a pawn that could capture; or NO_SQUARE.
static int find_slot(const struct position *p)
{
    const int us = p->side;
    const int back = us == WHITE ? 8 : -8;
    for (int i = 0; i < p->count[us ^ 1][PAWN]; i++) {
        const int slot = en_passant_victim(p->list[us ^ 1][PAWN][i]);
        if (square_rank(slot) != (us == WHITE ? 5 : 2) || p->board[slot] != EMPTY || p->board[slot + back] != EMPTY)
            continue;
        for (int k = 0; k < p->count[us][PAWN]; k++)
            if (pawn_attacks(us, p->list[us][PAWN][k]) >> slot & 1)
                return slot;
    }
    return NO_SQUARE;
}

static bool random_position(const struct material *material, uint64_t bits, struct position *p)
{
    struct man men[MATERIAL_MEN_MAX];
    const int count = placement_men(material, men);
    for (int i = 0; i < count; i++)
        men[i].square = (uint8_t)(bits >> 6 * i & 63);
    // Often all pawns stand where double steps end.
    for (int i = 0; i < count && (bits >> 58 & 3) == 0; i++)
        if (men[i].type == PAWN)
            men[i].square = (uint8_t)((men[i].square & 7) | (bits >> 63 ? 3 : 4) << 3);
    if (position_set(p, men, count, (int)(bits >> 63)) != 0 || !position_legal(p))
        return false;
    const int slot = find_slot(p);
    return slot == NO_SQUARE || (bits >> 60 & 3) == 0 || position_set_en_passant(p, slot) == 0;
}

static struct boards boards_of(const struct position *p, unsigned clock)
{
    struct boards b = {.clock = clock, .turn = p->side == WHITE, .white = p->men[WHITE], .black = p->men[BLACK]};
    uint64_t *const kinds[] = {&b.kings, &b.queens, &b.rooks, &b.bishops, &b.knights, &b.pawns};
    for (uint64_t men = position_occupied(p); men != 0;) {
        const int square = set_pop(&men);
        *kinds[piece_type(p->board[square])] |= square_bit(square);
    }
    b.en_passant = p->en_passant == NO_SQUARE ? 0 : p->en_passant;
    return b;
}

// ---- moves ----

// Orders results by move, as compare_moves() does.
static int compare_results(const void *left, const void *right)
{
    const unsigned moves = TB_RESULT_FROM_MASK | TB_RESULT_TO_MASK | TB_RESULT_PROMOTES_MASK;
    const unsigned a = *(const unsigned *)left & moves;
    const unsigned b = *(const unsigned *)right & moves;
    return (a > b) - (a < b);
}

static int compare_moves(const void *left, const void *right)
{
    return ((const struct TbRootMove *)left)->move - ((const struct TbRootMove *)right)->move;
}

static unsigned sort_results(unsigned *results)
{
    unsigned count = 0;
    while (results[count] != TB_RESULT_FAILED)
        count++;
    qsort(results, count, sizeof *results, compare_results);
    return count;
}

static enum kind compare_values(struct judge *judge, const char *what, unsigned theirs, unsigned ours)
{
    const unsigned dtz = TB_GET_DTZ(theirs);
    const unsigned more = TB_GET_DTZ(ours) - dtz;
    const bool edge = more == 1 && dtz + judge->clock == CLOCK && TB_GET_WDL(theirs) != TB_GET_WDL(ours) &&
                      (TB_GET_WDL(theirs) == TB_WIN ? TB_GET_WDL(ours) == TB_CURSED_WIN
                                                    : TB_GET_WDL(theirs) == TB_LOSS && TB_GET_WDL(ours) == 1);
    if (edge)
        return EDGE;
    if (TB_GET_WDL(theirs) != TB_GET_WDL(ours) || more > 1 || (more == 1 && dtz == 0))
        differ(judge, what, theirs, ours);
    return more == 1 ? ROUNDED : EQUAL;
}

// The kind of each move, in the order of moves; their number, or -1 if they are not even the same moves.
static int compare_root(struct judge *judge, const struct boards *b, enum kind kinds[TB_MAX_MOVES])
{
    unsigned theirs[TB_MAX_MOVES] = {TB_RESULT_FAILED};
    unsigned ours[TB_MAX_MOVES] = {TB_RESULT_FAILED};
    const unsigned their_best = judge->theirs.root(SETS(b), b->clock, b->en_passant, b->turn, theirs);
    const unsigned our_best = judge->ours.root(SETS(b), b->clock, b->en_passant, b->turn, ours);
    const unsigned count = sort_results(ours);
    bool same = sort_results(theirs) == count;
    for (unsigned i = 0; i < count && same; i++) {
        same = compare_results(&theirs[i], &ours[i]) == 0 && TB_GET_EP(theirs[i]) == TB_GET_EP(ours[i]);
        if (same)
            judge->moves[kinds[i] = compare_values(judge, "a move's result", theirs[i], ours[i])]++;
    }
    if (!same || (count == 0 && their_best != our_best)) {
        differ(judge, "the root's result", their_best, our_best);
        return -1;
    }
    if (count == 0)
        return 0;
    compare_values(judge, "the best move's result", their_best, our_best);
    return (int)count;
}

// ---- ranks ----

// The score of a cursed win or blessed loss with such a rank, as that macro makes it.
static int slipped_score(int rank)
{
    const int size = abs(rank) < 803 ? 3 : abs(rank) - 400;
    return rank < 0 ? -size : size;
}

static void compare_ranks(struct judge *judge, const struct boards *b, int count, const enum kind kinds[TB_MAX_MOVES],
                          bool repeated, bool use_rule50)
{
    static struct TbRootMoves theirs, ours;
    if (!judge->theirs.root_dtz(SETS(b), b->clock, 0, b->en_passant, b->turn, repeated, use_rule50, &theirs) ||
        !judge->ours.root_dtz(SETS(b), b->clock, 0, b->en_passant, b->turn, repeated, use_rule50, &ours) ||
        theirs.size != (unsigned)count || ours.size != theirs.size) {
        differ(judge, "the number of moves with ranks", theirs.size, ours.size);
        return;
    }
    for (int i = 1; i < count; i++)
        if (ours.moves[i].tbRank > ours.moves[i - 1].tbRank)
            differ(judge, "the order", i, ours.moves[i].tbRank);
    qsort(theirs.moves, theirs.size, sizeof *theirs.moves, compare_moves);
    qsort(ours.moves, ours.size, sizeof *ours.moves, compare_moves);
    for (int i = 0; i < count; i++) {
        const struct TbRootMove *x = &theirs.moves[i];
        const struct TbRootMove *y = &ours.moves[i];
        const bool sure = x->tbRank == 900 && y->tbRank == 1000; // 100 plies, and none more
        enum kind kind = kinds[i];
        if (x->move != y->move)
            differ(judge, "a ranked move", x->move, y->move);
        if (x->tbRank == y->tbRank)
            kind = x->tbScore == y->tbScore ? EQUAL : SCORE;
        else if (kind == EQUAL && sure)
            kind = SURE;
        else if (kind == EQUAL)
            differ(judge, "a rank", x->tbRank, y->tbRank);
        if (kind == SCORE && x->tbScore != slipped_score(x->tbRank))
            differ(judge, "a score", x->tbScore, y->tbScore);
        judge->ranks[kind]++;
        for (int k = 0; k < i; k++)
            if ((x->tbRank > theirs.moves[k].tbRank && y->tbRank < ours.moves[k].tbRank) ||
                (x->tbRank < theirs.moves[k].tbRank && y->tbRank > ours.moves[k].tbRank))
                differ(judge, "the order of two moves", x->move, theirs.moves[k].move);
    }
}

static void compare_outcome_ranks(struct judge *judge, const struct boards *b, bool use_rule50)
{
    static struct TbRootMoves theirs, ours;
    const int good = judge->theirs.root_wdl(SETS(b), b->clock, 0, b->en_passant, b->turn, use_rule50, &theirs);
    if (!judge->ours.root_wdl(SETS(b), b->clock, 0, b->en_passant, b->turn, use_rule50, &ours) || !good ||
        theirs.size != ours.size) {
        differ(judge, "the number of moves with outcomes", theirs.size, ours.size);
        return;
    }
    qsort(theirs.moves, theirs.size, sizeof *theirs.moves, compare_moves);
    qsort(ours.moves, ours.size, sizeof *ours.moves, compare_moves);
    for (unsigned i = 0; i < ours.size; i++)
        if (theirs.moves[i].move != ours.moves[i].move || theirs.moves[i].tbRank != ours.moves[i].tbRank ||
            theirs.moves[i].tbScore != ours.moves[i].tbScore)
            differ(judge, "a rank by outcome", theirs.moves[i].tbRank, ours.moves[i].tbRank);
}

static void compare(struct judge *judge, const struct position *p, uint64_t bits)
{
    enum kind kinds[TB_MAX_MOVES];
    judge->p = p;
    judge->clock = bits & 1 ? 0 : (unsigned)(bits >> 1 & 0xff) % (CLOCK + 1);
    const struct boards b = boards_of(p, judge->clock);
    const unsigned theirs = judge->theirs.wdl(SETS(&b), b.en_passant, b.turn);
    const unsigned ours = judge->ours.wdl(SETS(&b), b.en_passant, b.turn);
    if (theirs != ours || ours > TB_WIN) {
        differ(judge, "the outcome", theirs, ours);
        return;
    }
    judge->positions++;
    judge->en_passant += b.en_passant != 0;
    judge->outcome[ours]++;
    const int count = compare_root(judge, &b, kinds);
    if (count >= 0)
        compare_ranks(judge, &b, count, kinds, bits >> 10 & 1, bits >> 11 & 1);
    compare_outcome_ranks(judge, &b, bits >> 11 & 1);
}

// ---- the command line ----

static int compare_all(struct judge *judge, char *const *names, int count, uint64_t positions, uint64_t seed)
{
    static struct position p;
    for (uint64_t i = 0; i < positions; i++) {
        struct material material;
        TRY(material_parse(&material, names[i % (unsigned)count], NULL));
        while (!random_position(&material, random_next(&seed), &p))
            ;
        compare(judge, &p, random_next(&seed));
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct judge judge = {.positions = 0};
    uint64_t positions = 100000;
    uint64_t seed = 0;
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
        *(strcmp(argv[i], "--seed") == 0 ? &seed : &positions) = strtoull(argv[i + 1], NULL, 10);
    if (argc - i < 5) {
        fprintf(stderr,
                "usage: compare [--positions N] [--seed N] THEIRS.so OURS.so THEIR_FOLDERS OUR_FOLDERS NAME...\n");
        return 2;
    }
    if (!load(&judge.theirs, argv[i]) || !load(&judge.ours, argv[i + 1]) || !judge.theirs.init(argv[i + 2]) ||
        !judge.ours.init(argv[i + 3]))
        return 2;
    if (compare_all(&judge, argv + i + 4, argc - i - 4, positions, seed) != 0) {
        fprintf(stderr, "compare: %s\n", error_text());
        return 2;
    }
    printf("%" PRIu64 " positions (%" PRIu64 " en passant): %" PRIu64 " lost, %" PRIu64 " blessed, %" PRIu64
           " drawn, %" PRIu64 " cursed, %" PRIu64 " won; up to %u and %u men\n",
           judge.positions, judge.en_passant, judge.outcome[0], judge.outcome[1], judge.outcome[2], judge.outcome[3],
           judge.outcome[4], *judge.theirs.largest, *judge.ours.largest);
    printf("moves: %" PRIu64 " equal, %" PRIu64 " rounded, %" PRIu64 " on the edge\n", judge.moves[EQUAL],
           judge.moves[ROUNDED], judge.moves[EDGE]);
    printf("ranks: %" PRIu64 " equal, %" PRIu64 " rounded, %" PRIu64 " on the edge, %" PRIu64 " sure, %" PRIu64
           " scores\n",
           judge.ranks[EQUAL], judge.ranks[ROUNDED], judge.ranks[EDGE], judge.ranks[SURE], judge.ranks[SCORE]);
    printf("other differences: %" PRIu64 "\n", judge.differences);
    return judge.differences != 0;
}
