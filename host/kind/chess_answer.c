// chess_answer.c - what `cltb probe` says of a chess position, in a full or in a restricted table
#include "kind/chess_answer.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "show/values.h"
#include "util/error.h"

#include <stdio.h>
#include <string.h>

enum { LINE_PLIES_MAX = 200 };

static const struct answer *answer_of(const struct prober *prober)
{
    return &((const struct chess_prober *)prober->context)->answer;
}

static int work_out(struct prober *prober, const char *fen)
{
    struct chess_prober *chess = prober->context;
    chess->answer.moves = 0;
    TRY(fen_read(&chess->answer.position, fen));
    return chess->look_up(chess, prober->all_moves);
}

// ---- the best line ----

// Follows best moves as far as the table goes: up to mate, a zeroing move, one that leaves it, or LINE_PLIES_MAX plies.
// Prints each move: as JSON, or as text if that is NULL.
static int print_line(struct chess_prober *chess, struct json *json)
{
    struct position *p = &chess->answer.position;
    struct answer_move moves[CLTB_MOVES_MAX];
    int count = chess->answer.moves;
    int plies = 0;
    int code = 0;
    memcpy(moves, chess->answer.move, (size_t)count * sizeof moves[0]);
    while (count > 0 && moves[0].kind != MOVE_DISCARDED && plies < LINE_PLIES_MAX) {
        const struct answer_move best = moves[0];
        char san[SAN_MAX];
        char uci[UCI_MAX];
        if (json != NULL) {
            uci_write(best.ranked.move, uci);
            json_text(json, NULL, uci);
        } else {
            san_write(p, best.ranked.move, san);
            if (p->side == WHITE || plies == 0)
                printf(" %u%s", (unsigned)p->move_number, p->side == WHITE ? "." : "...");
            printf(" %s", san);
            if (best.kind == MOVE_CONCEDED)
                printf(" (conceded)");
            else if (best.kind == MOVE_LEAVES_TABLE)
                printf(best.ranked.zeroing ? " (zeroing, leaves)" : " (leaves)");
            else if (best.ranked.zeroing)
                printf(" (zeroing)");
        }
        if ((code = position_make(p, best.ranked.move)) != 0)
            break;
        plies++;
        if (best.ranked.zeroing || best.ranked.mate || best.kind != MOVE_IN_TABLE)
            break;
        count = chess->rank(chess, p, moves);
        if (count < 0)
            code = count;
    }
    for (; plies > 0; plies--)
        position_undo(p);
    return code;
}

// ---- formats ----

static int print_tsv(struct prober *prober)
{
    const struct cltb_value value = answer_of(prober)->value;
    printf("\t%s\t", cltb_outcome_name(value.outcome));
    if (has_dtz(value))
        printf("%d", value.dtz);
    printf("\n");
    return 0;
}

static int print_text(struct prober *prober)
{
    const struct answer *answer = answer_of(prober);
    const bool all_discarded = answer->moves > 0 && answer->move[0].kind == MOVE_DISCARDED;
    printf("%s", cltb_outcome_name(answer->value.outcome));
    if (has_dtz(answer->value))
        printf(", dtz %d", answer->value.dtz);
    if (answer->moves == 0)
        printf(" (%s)", position_in_check(&answer->position) ? "checkmate" : "stalemate");
    else if (all_discarded)
        printf(" (every move is discarded)");
    printf("\n");
    for (int i = 0; i < answer->moves; i++) {
        const struct answer_move *m = &answer->move[i];
        char san[SAN_MAX];
        char uci[UCI_MAX];
        san_write(&answer->position, m->ranked.move, san);
        uci_write(m->ranked.move, uci);
        printf("    %-8s %-6s ", san, uci);
        if (m->kind == MOVE_DISCARDED) {
            printf("discarded");
        } else {
            printf("%s", cltb_outcome_name(m->ranked.value.outcome));
            if (has_dtz(m->ranked.value))
                printf(" %d", m->ranked.value.dtz);
            printf("%s", m->kind == MOVE_CONCEDED ? ", conceded" : m->kind == MOVE_LEAVES_TABLE ? ", leaves" : "");
        }
        if (m->rule != NULL)
            printf(" (%s)", m->rule);
        printf("\n");
    }
    if (answer->moves == 0 || all_discarded || !has_dtz(answer->value))
        return 0;
    printf("best line:");
    const int code = print_line(prober->context, NULL);
    printf("\n");
    return code;
}

static int print_json(struct prober *prober, struct json *json)
{
    static const char *const kinds[] = {"within", "leaves", "conceded", "discarded"};
    struct chess_prober *chess = prober->context;
    const struct answer *answer = &chess->answer;
    json_value(json, answer->value);
    json_open(json, "moves", '[');
    for (int i = 0; i < answer->moves; i++) {
        const struct answer_move *m = &answer->move[i];
        char san[SAN_MAX];
        char uci[UCI_MAX];
        san_write(&answer->position, m->ranked.move, san);
        uci_write(m->ranked.move, uci);
        json_open(json, NULL, '{');
        json_text(json, "uci", uci);
        json_text(json, "san", san);
        if (m->kind == MOVE_DISCARDED) {
            json_null(json, "outcome");
            json_null(json, "dtz");
        } else {
            json_value(json, m->ranked.value);
        }
        json_bool(json, "zeroing", m->ranked.zeroing);
        if (chess->restricted)
            json_text(json, "kind", kinds[m->kind]);
        if (m->rule != NULL)
            json_text(json, "rule", m->rule);
        json_close(json);
    }
    json_close(json);
    json_open(json, "line", '[');
    const int code = has_dtz(answer->value) ? print_line(chess, json) : 0;
    json_close(json);
    return code;
}

void chess_prober_set(struct prober *prober, struct chess_prober *chess, const char *format)
{
    *prober = (struct prober){.key = "fen",
                              .columns = 3,
                              .all_moves = strcmp(format, "tsv") != 0,
                              .context = chess,
                              .work_out = work_out,
                              .print_text = print_text,
                              .print_tsv = print_tsv,
                              .print_json = print_json};
}
