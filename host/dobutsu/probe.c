// probe.c - the value of a dobutsu position and its moves in order
//
// A byte says how many plies come before the winning move. One ply earlier it is one more, whoever wins: so the value
// of a move is that of the position after it, plus one.
#include "dobutsu/probe.h"

#include "dobutsu/code.h"
#include "dobutsu/table.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

enum { WIN_IN_1 = 0, LOSS_IN_2 = 1, WIN_IN_3 = 2 }; // bytes

// ---- values ----

static const struct cltb_dobutsu_value unknown = {CLTB_DOBUTSU_UNKNOWN, 0, CLTB_DOBUTSU_NO_BYTE};

static struct cltb_dobutsu_value value_of_byte(int byte)
{
    if (byte == DOBUTSU_DRAW)
        return (struct cltb_dobutsu_value){CLTB_DRAW, 0, byte};
    return (struct cltb_dobutsu_value){byte % 2 == 0 ? CLTB_WIN : CLTB_LOSS, byte + 1, byte};
}

static bool is_decided(struct cltb_dobutsu_value value)
{
    return value.outcome == CLTB_WIN || value.outcome == CLTB_LOSS;
}

bool dobutsu_is_over(const struct dobutsu *p)
{
    return p->gote_lion <= 2 && !dobutsu_can_take_lion(p);
}

// For the side to move, if its opponent has not ascended with the last move. Does not look at moves: unknown if a lion
// is on its far rank and nobody can win at once.
static int static_value(struct dobutsu_table *table, const struct dobutsu *p, struct cltb_dobutsu_value *value)
{
    const bool far = p->sente_lion >= 9 || p->gote_lion <= 2;
    uint32_t code;
    uint8_t byte;
    *value = unknown;
    if (dobutsu_can_take_lion(p) || (far && dobutsu_can_ascend(p)))
        *value = value_of_byte(WIN_IN_1);
    else if (!far) {
        if (!dobutsu_encode(p, &code))
            return error_set(CLTB_E_POSITION, "the database does not have this position");
        TRY(dobutsu_table_value(table, code, &byte));
        if (byte == DOBUTSU_INVALID)
            return error_set(CLTB_E_CORRUPT, "code %u has no value in the table, but it is valid", (unsigned)code);
        *value = value_of_byte(byte);
    }
    return 0;
}

int dobutsu_value(struct dobutsu_table *table, const struct dobutsu *p, struct cltb_dobutsu_value *value)
{
    if (dobutsu_is_over(p)) {
        *value = (struct cltb_dobutsu_value){CLTB_LOSS, 0, CLTB_DOBUTSU_NO_BYTE};
        return 0;
    }
    TRY(static_value(table, p, value));
    if (value->outcome != CLTB_DOBUTSU_UNKNOWN)
        return 0;
    struct dobutsu_ranking ranking;
    TRY(dobutsu_rank(table, p, &ranking));
    // What the moves decide where nobody can win at once.
    *value = ranking.count == 0 ? value_of_byte(LOSS_IN_2) : ranking.best[0].value;
    if (value->byte == WIN_IN_3) // no other move can be faster
        return 0;
    for (int i = 0; i < ranking.count; i++)
        if (ranking.best[i].value.outcome == CLTB_DOBUTSU_UNKNOWN)
            *value = unknown;
    return 0;
}

int dobutsu_known_value(struct dobutsu_table *table, const struct dobutsu *p, struct cltb_dobutsu_value *value)
{
    TRY(dobutsu_value(table, p, value));
    if (value->outcome != CLTB_DOBUTSU_UNKNOWN)
        return 0;
    return error_set(CLTB_E_POSITION, "%s's lion stands on its far rank already, and the database has no such games",
                     p->turned ? "Gote" : "Sente");
}

// ---- moves in order ----

// Higher is better.
static int grade(int outcome)
{
    return outcome == CLTB_WIN ? 3 : outcome == CLTB_DRAW ? 2 : outcome == CLTB_LOSS ? 0 : 1;
}

static int compare(const void *left, const void *right)
{
    const struct dobutsu_ranked *a = left;
    const struct dobutsu_ranked *b = right;
    if (a->value.outcome != b->value.outcome)
        return grade(b->value.outcome) - grade(a->value.outcome);
    if (a->value.plies != b->value.plies)
        return a->value.outcome == CLTB_WIN ? a->value.plies - b->value.plies : b->value.plies - a->value.plies;
    return strcmp(a->name, b->name);
}

int dobutsu_rank(struct dobutsu_table *table, const struct dobutsu *p, struct dobutsu_ranking *ranking)
{
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    struct dobutsu seen = *p;
    seen.turned = false;
    ranking->count = dobutsu_moves(p, moves);
    for (int i = 0; i < ranking->count; i++) {
        struct dobutsu_ranked *ranked = &ranking->best[i];
        ranked->move = moves[i];
        dobutsu_move_write(&seen, &moves[i], ranked->name);
        ranked->value = value_of_byte(WIN_IN_1);
        if (moves[i].wins)
            continue;
        struct dobutsu after;
        struct cltb_dobutsu_value value;
        dobutsu_make(p, &moves[i], &after);
        TRY(static_value(table, &after, &value));
        ranked->value = is_decided(value) ? value_of_byte(value.byte + 1) : value;
    }
    qsort(ranking->best, (size_t)ranking->count, sizeof ranking->best[0], compare);
    return 0;
}

int dobutsu_best_line(struct dobutsu_table *table, const struct dobutsu *p, const struct dobutsu_ranking *ranking,
                      int most, struct dobutsu_line *line)
{
    struct dobutsu_ranking here = *ranking;
    struct dobutsu at = *p;
    line->plies = 0;
    line->wins = false;
    while (line->plies < most && here.count > 0 && is_decided(here.best[0].value)) {
        const struct dobutsu before = at;
        const struct dobutsu_move move = here.best[0].move;
        dobutsu_move_write(&before, &move, line->move[line->plies++]);
        line->wins = move.wins;
        if (move.wins || line->plies == most)
            break;
        dobutsu_make(&before, &move, &at);
        TRY(dobutsu_rank(table, &at, &here));
    }
    return 0;
}
