// choose.c - the move that a good player makes, among those that the tables call equally good
//
// The search is a plain alpha-beta search, deepened ply by ply up to a number of nodes; the last complete depth counts.
// At its leaves the outcome comes from the tables, so it never takes a drawn position for a won one. Scores add up:
// mate outweighs outcomes, these the men, these the distance to zeroing at the root, and this the place of the kings.
#include "probe/choose.h"

#include "util/error.h"

#include <stdlib.h>

enum {
    SCORE_MATE = 1 << 28, // less the plies to it
    SCORE_SURE = SCORE_MATE - 1000,
    SCORE_OUTCOME = 1 << 22, // for each step from a loss (-2) to a win (2)
    SCORE_AGAIN = 1 << 19,   // against moves to positions that have occurred: more than all men
    SCORE_PLY = 40,          // for a ply of distance to zeroing: 100 of them are less than a pawn
    SCORE_RANK = 60,         // for a pawn's rank
    SCORE_EDGE = 10,         // for a step of the weaker king to the edge
    SCORE_NEAR = 4,          // for a step between the kings
    DEPTH_MAX = 16,
    PLIES_MAX = 64, // with captures
    REACH_MAX = PLY_LIMIT
};

static const int man_score[PIECE_TYPES] = {
    [QUEEN] = 90000, [ROOK] = 50000, [BISHOP] = 33000, [KNIGHT] = 32000, [PAWN] = 10000};

struct search {
    cltb_tables *tables; // NULL: they hold no such positions
    int nodes;           // left; negative: given up
    uint32_t killer[PLIES_MAX];
};

bool distance_is_mate(const struct position *p, int winner)
{
    const uint8_t *count = p->count[winner];
    const int major = count[QUEEN] + count[ROOK];
    const int pieces = position_side_men(p, winner) - 1;
    return count[PAWN] == 0 && position_side_men(p, winner ^ 1) == 1 && (pieces == 1 || (pieces == 2 && major == 0));
}

// ---- positions without their outcome ----

static int steps(int a, int b) // of a king
{
    const int files = abs(a % 8 - b % 8);
    const int ranks = abs(a / 8 - b / 8);
    return files > ranks ? files : ranks;
}

static int side_score(const struct position *p, int side)
{
    int score = 0;
    for (int type = QUEEN; type <= PAWN; type++)
        score += p->count[side][type] * man_score[type];
    for (int i = 0; i < p->count[side][PAWN]; i++) {
        const int rank = p->list[side][PAWN][i] / 8;
        score += SCORE_RANK * (side == WHITE ? rank : 7 - rank);
    }
    return score;
}

// How far the weaker king is from the middle; against bishop and knight, how near to a corner that the bishop commands.
static int edge_score(const struct position *p, int strong, int king)
{
    const uint8_t *count = p->count[strong];
    if (count[BISHOP] == 1 && count[KNIGHT] == 1 && position_side_men(p, strong) == 3) {
        const int bishop = p->list[strong][BISHOP][0];
        const bool dark = (bishop % 8 + bishop / 8) % 2 == 0;
        const int a = steps(king, dark ? 0 : 7);
        const int b = steps(king, dark ? 63 : 56);
        return 2 * (7 - (a < b ? a : b));
    }
    const int file = king % 8;
    const int rank = king / 8;
    return (file < 4 ? 3 - file : file - 4) + (rank < 4 ? 3 - rank : rank - 4);
}

// For the side to move.
static int evaluate(const struct position *p)
{
    const int balance = side_score(p, WHITE) - side_score(p, BLACK);
    int place = 0;
    if (balance != 0) {
        const int strong = balance > 0 ? WHITE : BLACK;
        const int king = position_king(p, strong ^ 1);
        place = SCORE_EDGE * edge_score(p, strong, king) - SCORE_NEAR * steps(king, position_king(p, strong));
        place = strong == WHITE ? place : -place;
    }
    return p->side == WHITE ? balance + place : -balance - place;
}

// ---- the search ----

static bool occurred(const struct position *p, const uint64_t *past, int past_count)
{
    for (int i = 0; i < past_count; i++)
        if (past[i] == p->key)
            return true;
    for (int i = 2; i <= p->fifty && i <= p->ply; i += 2)
        if (p->history[p->ply - i].key == p->key)
            return true;
    return false;
}

// Puts captures and promotions first, and the killer before other moves.
static void order(struct search *s, uint32_t *moves, int count, int ply)
{
    int first = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = first; i < count; i++) {
            if (pass == 0 ? !move_is_conversion(moves[i]) : moves[i] != s->killer[ply])
                continue;
            const uint32_t move = moves[i];
            moves[i] = moves[first];
            moves[first++] = move;
        }
    }
}

// At depth 0 only captures are tried.
static int search(struct search *s, struct position *p, int depth, int alpha, int beta, int ply)
{
    uint32_t moves[MOVES_MAX];
    const bool quiet = depth <= 0 || ply >= PLIES_MAX;
    int best = -2 * SCORE_MATE;
    if (--s->nodes < 0)
        return 0;
    if (occurred(p, NULL, 0))
        return 0;
    const int count = moves_legal(p, moves);
    if (count == 0)
        return position_in_check(p) ? ply - SCORE_MATE : 0;
    if (quiet) {
        int outcome = CLTB_DRAW;
        if (s->tables != NULL && probe_outcome(s->tables, p, &outcome) != 0)
            outcome = CLTB_DRAW;
        best = SCORE_OUTCOME * outcome + evaluate(p);
        if (ply >= PLIES_MAX)
            return best;
    }
    order(s, moves, count, ply);
    for (int i = 0; i < count && best < beta; i++) {
        if (quiet && !move_is_capture(moves[i]))
            continue;
        alpha = best > alpha ? best : alpha;
        if (position_make(p, moves[i]) != 0)
            break;
        const int score = -search(s, p, depth - 1, -beta, -alpha, ply + 1);
        position_undo(p);
        best = score > best ? score : best;
        if (score >= beta && !move_is_conversion(moves[i]))
            s->killer[ply] = moves[i];
    }
    return best;
}

// What a move is worth besides the result of the search.
static int bonus(struct position *p, const struct ranked_move *move, const uint64_t *past, int past_count)
{
    const struct cltb_value value = move->value;
    const int dtz = value.dtz == DTZ_UNKNOWN || value.dtz > REACH_MAX ? REACH_MAX : value.dtz;
    // Against a bare king the distance is that to mate or to the loss of a man, which is no aim.
    const int loser = value.outcome > CLTB_DRAW ? p->side ^ 1 : p->side;
    const bool aim = position_side_men(p, loser) > 1 || p->count[loser ^ 1][PAWN] > 0;
    int score = value.outcome == CLTB_DRAW || value.outcome == CLTB_UNKNOWN || !aim ? 0
                : value.outcome > CLTB_DRAW                                         ? -SCORE_PLY * dtz
                                                                                    : SCORE_PLY * dtz;
    if (position_make(p, move->move) != 0)
        return 0;
    if (occurred(p, past, past_count) && value.outcome != CLTB_DRAW)
        score += value.outcome > CLTB_DRAW ? -SCORE_AGAIN : SCORE_AGAIN;
    position_undo(p);
    return score;
}

// The best of the first `count` moves by a search.
static struct choice search_move(cltb_tables *tables, struct position *p, const struct ranked_move *ranked, int count,
                                 const int *bonuses, int nodes)
{
    struct search s = {.tables = probe_possible(p) == 0 ? tables : NULL, .nodes = nodes};
    struct choice choice = {0, -1};
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        int best = -2 * SCORE_MATE;
        int first = choice.index;
        for (int k = 0; k < count && s.nodes >= 0; k++) {
            const int i = k == 0 ? choice.index : k <= choice.index ? k - 1 : k; // the best so far comes first
            if (position_make(p, ranked[i].move) != 0)
                break;
            int score = -search(&s, p, depth, -2 * SCORE_MATE, bonuses[i] - best, 1);
            position_undo(p);
            score += abs(score) > SCORE_SURE ? 0 : bonuses[i]; // which must not hide a mate
            if (s.nodes >= 0 && score > best) {
                best = score;
                first = i;
            }
        }
        if (s.nodes < 0)
            break;
        choice.index = first;
        choice.to_mate = abs(best) > SCORE_SURE ? SCORE_MATE - abs(best) : -1;
        if (best > SCORE_SURE)
            break;
    }
    return choice;
}

// The move with the best distance to mate; -1 if there are no such tables.
static int by_mate(cltb_tables *tables, struct position *p, const struct ranked_move *ranked, int count, int *to_mate)
{
    struct ranked_move mates[CLTB_MOVES_MAX];
    const int known = probe_exact_moves(tables, p, METRIC_DTM, mates);
    for (int i = 0; i < known; i++) {
        *to_mate = mates[i].value.dtz;
        for (int k = 0; k < count; k++)
            if (mates[i].move == ranked[k].move)
                return k;
    }
    return -1;
}

struct choice choose_move(cltb_tables *tables, struct position *p, const struct ranked_move *ranked, int count,
                          const uint64_t *past, int past_count, int nodes)
{
    int bonuses[CLTB_MOVES_MAX];
    const struct cltb_value best = ranked[0].value;
    const bool decided = best.outcome == CLTB_WIN || best.outcome == CLTB_LOSS;
    // Where no clock presses on, only the shortest way is sure to make progress.
    const bool strict = best.outcome == CLTB_CURSED_WIN || (best.outcome == CLTB_WIN && best.dtz > PLY_LIMIT);
    int same = 0;
    int to_mate = -1;
    while (same < count && ranked[same].value.outcome == best.outcome &&
           (!strict || ranked[same].value.dtz == best.dtz))
        same++;
    // A rounded distance may come too late by a ply.
    for (int i = same; i > 1 && best.outcome == CLTB_WIN; i--)
        if (ranked[i - 1].value.rounded && ranked[i - 1].value.dtz + p->fifty >= PLY_LIMIT)
            same = i - 1;
    if (decided && best.dtz != DTZ_UNKNOWN && !best.rounded &&
        distance_is_mate(p, best.outcome == CLTB_WIN ? p->side : p->side ^ 1))
        return (struct choice){0, best.dtz};
    const int index = decided && probe_possible(p) == 0 ? by_mate(tables, p, ranked, same, &to_mate) : -1;
    if (index >= 0)
        return (struct choice){index, to_mate};
    for (int i = 0; i < same; i++)
        bonuses[i] = bonus(p, &ranked[i], past, past_count);
    return search_move(tables, p, ranked, same, bonuses, nodes);
}
