// probe.c - `cltb probe --table FILE`: what positions of a restricted table are worth
#include "restricted/cli/probe.h"

#include "kind/chess_answer.h"
#include "restricted/probe.h"
#include "restricted/table.h"
#include "restricted/value.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file_prober {
    struct chess_prober chess;
    struct restricted_table *table;
    const struct spec *spec;
    struct restricted_bases *bases; // NULL: not needed yet
    char *folders;
};

char *restricted_folders(const char *path, const char *folders)
{
    const char *slash = strrchr(path, '/');
    const int length = slash == NULL || slash == path ? 1 : (int)(slash - path);
    char *all;
    return asprintf(&all, "%.*s:%s", length, slash == NULL ? "." : path, folders) < 0 ? NULL : all;
}

// ---- values of moves ----

static int table_value(void *context, const struct position *position, uint16_t *value)
{
    return restricted_table_value(context, position, value);
}

static int quiet_value(struct file_prober *r, struct position *p, uint32_t move, uint16_t *value)
{
    uint16_t after = RESTRICTED_OPEN;
    TRY(position_make(p, move));
    const int code = restricted_table_value(r->table, p, &after);
    position_undo(p);
    *value = after == RESTRICTED_OPEN ? RESTRICTED_DRAW : restricted_code(after % 2 == 0, after / 2); // a ply farther
    return code;
}

static bool gives_mate(struct position *p, uint32_t move)
{
    if (position_make(p, move) != 0)
        return false;
    const bool mate = position_in_check(p) && !moves_any(p);
    position_undo(p);
    return mate;
}

static int judge(struct file_prober *r, struct position *p, uint32_t move, struct answer_move *answer)
{
    static const enum answer_kind kinds[] = {[MOVE_QUIET] = MOVE_IN_TABLE,
                                             [MOVE_WITHIN] = MOVE_IN_TABLE,
                                             [MOVE_LEAVES] = MOVE_LEAVES_TABLE,
                                             [MOVE_DISCARD] = MOVE_DISCARDED,
                                             [MOVE_CONCEDE] = MOVE_CONCEDED};
    const struct restricted_values values = {table_value, r->table};
    uint16_t code = RESTRICTED_OPEN;
    enum restricted_kind kind;
    int rule;
    TRY(restricted_classify(r->bases, r->spec, p, move, &kind, &rule));
    if (kind == MOVE_QUIET)
        TRY(quiet_value(r, p, move, &code));
    else if (kind != MOVE_DISCARD)
        TRY(restricted_move_value(r->bases, r->spec, &values, p, move, kind, &code));
    *answer = (struct answer_move){.ranked = {.move = move,
                                              .zeroing = move_is_zeroing(p, move),
                                              .mate = gives_mate(p, move),
                                              .value = value_with_clock(restricted_value_of(code), p->fifty)},
                                   .kind = kinds[kind],
                                   .rule = rule >= 0 ? r->spec->rule[rule].text : NULL};
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct answer_move *a = left;
    const struct answer_move *b = right;
    if ((a->kind == MOVE_DISCARDED) != (b->kind == MOVE_DISCARDED))
        return a->kind == MOVE_DISCARDED ? 1 : -1;
    return ranked_move_compare(&a->ranked, &b->ranked);
}

static int rank(struct chess_prober *chess, struct position *p, struct answer_move answers[CLTB_MOVES_MAX])
{
    struct file_prober *r = (struct file_prober *)chess;
    uint32_t moves[MOVES_MAX];
    if (r->bases == NULL)
        TRY(restricted_bases_open(&r->bases, r->spec, r->folders));
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++)
        TRY(judge(r, p, moves[i], &answers[i]));
    qsort(answers, (size_t)count, sizeof answers[0], compare);
    return count;
}

// ---- positions ----

// A table does not know of a right to capture en passant: then the moves tell the value.
static int look_up(struct chess_prober *chess, bool all_moves)
{
    struct file_prober *r = (struct file_prober *)chess;
    struct answer *answer = &chess->answer;
    struct position *p = &answer->position;
    uint16_t code;
    if (p->castling != 0)
        return error_set(CLTB_E_POSITION, "castling is still possible: tables hold no such positions");
    const int found = restricted_table_value(r->table, p, &code);
    if (found == CLTB_E_POSITION) { // is it only that the colours are the other way round?
        struct position *flipped = malloc(sizeof *flipped);
        uint8_t where[SPEC_MEN_MAX];
        if (flipped != NULL && restricted_flip(flipped, p) == 0 && spec_match(r->spec, flipped, where))
            error_append(found, "; with the colours flipped it belongs to it");
        free(flipped);
    }
    TRY(found);
    answer->value = value_with_clock(restricted_value_of(code), p->fifty);
    const bool en_passant = position_en_passant_legal(p);
    if (!all_moves && !en_passant)
        return 0;
    const int count = rank(chess, p, answer->move);
    if (count < 0)
        return count;
    answer->moves = count;
    if (en_passant)
        answer->value =
            answer->move[0].kind == MOVE_DISCARDED ? (struct cltb_value){CLTB_LOSS, 0} : answer->move[0].ranked.value;
    return 0;
}

static void close_prober(struct prober *prober)
{
    struct file_prober *r = prober->context;
    restricted_bases_close(r->bases);
    restricted_table_close(r->table);
    free(r->folders);
    free(r);
}

int restricted_probe(struct prober *prober, const struct probe_request *request)
{
    enum { CACHE_BYTES = 64 << 20 };
    struct file_prober *r = calloc(1, sizeof *r);
    if (r == NULL)
        return error_memory(sizeof *r, "probing");
    r->chess.restricted = true;
    r->chess.look_up = look_up;
    r->chess.rank = rank;
    chess_prober_set(prober, &r->chess, request->format);
    prober->close = close_prober;
    int code = restricted_table_open(&r->table, request->table, CACHE_BYTES);
    if (code == 0) {
        r->spec = restricted_table_spec(r->table);
        r->folders = restricted_folders(request->table, request->folders);
        code = r->folders == NULL ? error_memory(strlen(request->folders), "a list of folders") : 0;
    }
    if (code != 0)
        close_prober(prober);
    return code;
}
