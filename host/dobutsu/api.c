// api.c - the public functions for dobutsu shogi: text in, plain structs out; probe.c does the work
#include "dobutsu/probe.h"

#include "dobutsu/table.h"
#include "util/error.h"
#include "util/folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CACHE_BYTES = 256 << 20, PATH_BYTES = 4096 };

_Static_assert((int)CLTB_DOBUTSU_MOVES_MAX == (int)DOBUTSU_MOVES_MAX, "as in the rules");
_Static_assert((int)CLTB_DOBUTSU_TEXT_MAX >= (int)DOBUTSU_TEXT_MAX, "room for every position");
_Static_assert((int)CLTB_DOBUTSU_MOVE_MAX >= (int)DOBUTSU_MOVE_MAX, "room for every move");

// An open database is its table.
static struct dobutsu_table *table_of(cltb_dobutsu *database)
{
    return (struct dobutsu_table *)database;
}

// ---- opening ----

int dobutsu_table_find(struct dobutsu_table **table, const char *folders, size_t cache_bytes)
{
    char path[PATH_BYTES];
    *table = NULL;
    if (folders == NULL || folders[strspn(folders, ":")] == '\0')
        return error_set(CLTB_E_USAGE, "no folder of tables given");
    if (!folders_find(path, sizeof path, folders, DOBUTSU_FILE))
        return error_set(CLTB_E_MISSING,
                         "no table " DOBUTSU_FILE " in '%s'; make it with: cltb build dobutsu --dir FOLDER", folders);
    return dobutsu_table_open(table, path, cache_bytes > 0 ? cache_bytes : (size_t)CACHE_BYTES);
}

int cltb_dobutsu_open(cltb_dobutsu **result, const char *folders, const cltb_options *options)
{
    struct dobutsu_table *table;
    const int code = dobutsu_table_find(&table, folders, options != NULL ? options->cache_bytes : 0);
    *result = code == 0 ? (cltb_dobutsu *)table : NULL;
    return code;
}

void cltb_dobutsu_close(cltb_dobutsu *table)
{
    if (table != NULL)
        dobutsu_table_close(table_of(table));
}

// ---- probing ----

int cltb_dobutsu_probe(cltb_dobutsu *table, const char *position, cltb_dobutsu_value *value)
{
    struct dobutsu p;
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
    TRY(rank_text(table, position, &p, &ranking));
    TRY(dobutsu_best_line(table_of(table), &p, &ranking, CLTB_DOBUTSU_LINE_MAX, &best));
    for (int i = 0; i < best.plies; i++)
        memcpy(line[i], best.move[i], sizeof best.move[i]);
    return best.plies;
}
