// probe.c - the value of a dobutsu position and its moves in order, and the public functions that give them
//
// A byte is the number of plies before the winning move. One ply earlier that number is one more, whoever wins. So the
// value of a move is that of the position after it, plus one.
#include "dobutsu/probe.h"

#include "dobutsu/code.h"
#include "dobutsu/table.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

enum { WIN_IN_1 = 0, LOSS_IN_2 = 1, WIN_IN_3 = 2 }; // bytes

_Static_assert((int)CLTB_DOBUTSU_MOVES_MAX == (int)DOBUTSU_MOVES_MAX, "as in the rules");
_Static_assert((int)CLTB_DOBUTSU_TEXT_MAX >= (int)DOBUTSU_TEXT_MAX, "room for every position");
_Static_assert((int)CLTB_DOBUTSU_MOVE_MAX >= (int)DOBUTSU_MOVE_MAX, "room for every move");

// ---- values ----

static const struct cltb_dobutsu_value unknown = {CLTB_DOBUTSU_UNKNOWN, 0, CLTB_DOBUTSU_NO_BYTE};

static struct cltb_dobutsu_value value_of_byte(int byte)
{
    if (byte == DOBUTSU_DRAW)
        return (struct cltb_dobutsu_value){CLTB_DRAW, 0, byte};
    return (struct cltb_dobutsu_value){byte % 2 == 0 ? CLTB_WIN : CLTB_LOSS, byte + 1, byte};
}

bool dobutsu_is_over(const struct dobutsu *p)
{
    return p->gote_lion <= 2 && !dobutsu_can_take_lion(p);
}

// The value for the side to move, if its opponent has not just ascended. Looks at no moves: the value is unknown if a
// lion is on its far rank and nobody can win at once.
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

int dobutsu_known_value(struct dobutsu_table *table, const struct dobutsu *p, struct cltb_dobutsu_value *value)
{
    struct dobutsu_ranking ranking;
    if (dobutsu_is_over(p)) {
        *value = (struct cltb_dobutsu_value){CLTB_LOSS, 0, CLTB_DOBUTSU_NO_BYTE};
        return 0;
    }
    TRY(static_value(table, p, value));
    if (value->outcome != CLTB_DOBUTSU_UNKNOWN)
        return 0;
    // Nobody can win at once, so the moves decide; no other move is faster than a win in 3.
    TRY(dobutsu_rank(table, p, &ranking));
    *value = ranking.count == 0 ? value_of_byte(LOSS_IN_2) : ranking.best[0].value;
    for (int i = 0; i < ranking.count && value->byte != WIN_IN_3; i++)
        if (ranking.best[i].value.outcome == CLTB_DOBUTSU_UNKNOWN)
            return error_set(CLTB_E_POSITION,
                             "%s's lion stands on its far rank already, and the database has no such games",
                             p->turned ? "Gote" : "Sente");
    return 0;
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
        ranked->value = dobutsu_is_decided(value) ? value_of_byte(value.byte + 1) : value;
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
    while (line->plies < most && here.count > 0 && dobutsu_is_decided(here.best[0].value)) {
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

// An open database is just its table.
static struct dobutsu_table *table_of(cltb_dobutsu *database)
{
    return (struct dobutsu_table *)database;
}

// ---- the public functions: opening ----

int cltb_dobutsu_open(cltb_dobutsu **result, const char *folders, const cltb_options *options)
{
    struct dobutsu_table *table;
    TRY(error_null(result, folders, folders));
    const int code = dobutsu_table_find(&table, "dobutsu", folders, options != NULL ? options->cache_bytes : 0);
    *result = code == 0 ? (cltb_dobutsu *)table : NULL;
    return code;
}

void cltb_dobutsu_close(cltb_dobutsu *table)
{
    if (table != NULL)
        dobutsu_table_close(table_of(table));
}

// ---- the public functions: text in, plain structs out ----

int cltb_dobutsu_probe(cltb_dobutsu *table, const char *position, cltb_dobutsu_value *value)
{
    struct dobutsu p;
    TRY(error_null(table, position, value));
    TRY(dobutsu_read(&p, position));
    return dobutsu_known_value(table_of(table), &p, value);
}

// As dobutsu_rank(), from text; no moves if the game is over.
static int rank_text(cltb_dobutsu *table, const char *text, struct dobutsu *p, struct dobutsu_ranking *ranking)
{
    struct cltb_dobutsu_value value;
    ranking->count = 0;
    TRY(dobutsu_read(p, text));
    TRY(dobutsu_known_value(table_of(table), p, &value));
    return dobutsu_is_over(p) ? 0 : dobutsu_rank(table_of(table), p, ranking);
}

int cltb_dobutsu_moves(cltb_dobutsu *table, const char *position, cltb_dobutsu_move moves[CLTB_DOBUTSU_MOVES_MAX])
{
    struct dobutsu p;
    struct dobutsu_ranking ranking;
    TRY(error_null(table, position, moves));
    TRY(rank_text(table, position, &p, &ranking));
    for (int i = 0; i < ranking.count; i++) {
        const struct dobutsu_ranked *ranked = &ranking.best[i];
        moves[i] = (cltb_dobutsu_move){.wins = ranked->move.wins, .value = ranked->value};
        dobutsu_move_write(&p, &ranked->move, moves[i].move);
        if (ranked->move.wins)
            continue;
        struct dobutsu after;
        dobutsu_make(&p, &ranked->move, &after);
        dobutsu_write(&after, moves[i].after);
    }
    return ranking.count;
}

int cltb_dobutsu_line(cltb_dobutsu *table, const char *position,
                      char line[CLTB_DOBUTSU_LINE_MAX][CLTB_DOBUTSU_MOVE_MAX])
{
    struct dobutsu p;
    struct dobutsu_ranking ranking;
    struct dobutsu_line best;
    TRY(error_null(table, position, line));
    TRY(rank_text(table, position, &p, &ranking));
    TRY(dobutsu_best_line(table_of(table), &p, &ranking, CLTB_DOBUTSU_LINE_MAX, &best));
    for (int i = 0; i < best.plies; i++)
        memcpy(line[i], best.move[i], sizeof best.move[i]);
    return best.plies;
}
