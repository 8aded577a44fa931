// api.c - the public functions for dobutsu shogi: text in, plain structs out, the work in dobutsu.c
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

struct cltb_dobutsu {
    struct dobutsu_table *table;
};

// ---- opening ----

int cltb_dobutsu_open(cltb_dobutsu **result, const char *folders, const cltb_options *options)
{
    char path[PATH_BYTES];
    *result = NULL;
    if (folders == NULL || folders[strspn(folders, ":")] == '\0')
        return error_set(CLTB_E_USAGE, "no folder of tables given");
    if (!folders_find(path, sizeof path, folders, DOBUTSU_FILE))
        return error_set(CLTB_E_MISSING,
                         "no table " DOBUTSU_FILE " in '%s'; make it with: cltb build dobutsu --dir FOLDER", folders);
    cltb_dobutsu *table = calloc(1, sizeof *table);
    if (table == NULL)
        return error_memory(sizeof *table, "a table");
    size_t bytes = options != NULL && options->cache_bytes > 0 ? options->cache_bytes : (size_t)CACHE_BYTES;
    int code = dobutsu_table_open(&table->table, path, bytes);
    if (code != 0) {
        free(table);
        return code;
    }
    *result = table;
    return 0;
}

void cltb_dobutsu_close(cltb_dobutsu *table)
{
    if (table == NULL)
        return;
    dobutsu_table_close(table->table);
    free(table);
}

static int table_byte(void *context, uint32_t code, uint8_t *byte)
{
    return dobutsu_table_value(context, code, byte);
}

struct dobutsu_bytes dobutsu_bytes_of(cltb_dobutsu *table)
{
    return (struct dobutsu_bytes){table_byte, table->table};
}

// ---- probing ----

static int read_position(const struct dobutsu_bytes *bytes, const char *text, struct dobutsu *p,
                         struct cltb_dobutsu_value *value)
{
    TRY(dobutsu_read(p, text));
    return dobutsu_known_value(bytes, p, value);
}

int cltb_dobutsu_probe(cltb_dobutsu *table, const char *position, cltb_dobutsu_value *value)
{
    struct dobutsu p;
    const struct dobutsu_bytes bytes = dobutsu_bytes_of(table);
    return read_position(&bytes, position, &p, value);
}

// As dobutsu_rank(), from text; no moves if the game is over.
static int rank_text(const struct dobutsu_bytes *bytes, const char *text, struct dobutsu *p,
                     struct dobutsu_ranking *ranking)
{
    struct cltb_dobutsu_value value;
    ranking->count = 0;
    TRY(read_position(bytes, text, p, &value));
    return dobutsu_is_over(p) ? 0 : dobutsu_rank(bytes, p, ranking);
}

int cltb_dobutsu_moves(cltb_dobutsu *table, const char *position, cltb_dobutsu_move moves[CLTB_DOBUTSU_MOVES_MAX])
{
    struct dobutsu p;
    struct dobutsu_ranking ranking;
    const struct dobutsu_bytes bytes = dobutsu_bytes_of(table);
    TRY(rank_text(&bytes, position, &p, &ranking));
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
    const struct dobutsu_bytes bytes = dobutsu_bytes_of(table);
    TRY(rank_text(&bytes, position, &p, &ranking));
    TRY(dobutsu_best_line(&bytes, &p, &ranking, CLTB_DOBUTSU_LINE_MAX, &best));
    for (int i = 0; i < best.plies; i++) {
        const struct dobutsu before = p;
        dobutsu_move_write(&before, &best.move[i], line[i]);
        if (!best.move[i].wins)
            dobutsu_make(&before, &best.move[i], &p);
    }
    return best.plies;
}
