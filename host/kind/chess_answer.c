// chess_answer.c - what `cltb probe` prints about a chess position, in a full or in a restricted table
#include "kind/chess_answer.h"

#include "chess/epd.h"
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
    memset(chess->answer.has_other, 0, sizeof chess->answer.has_other);
    chess->answer.missing[0] = '\0';
    TRY(epd_read(&chess->answer.position, fen, &chess->answer.rest));
    return chess->look_up(chess, prober->all_moves);
}

// ---- the best line ----

bool answer_best_known(const struct answer *answer)
{
    return answer->moves > 0 && answer->move[0].kind != MOVE_DISCARDED &&
           (answer->missing[0] == '\0' || value_compare(answer->move[0].ranked.value, answer->value) == 0);
}

static bool has_line(const struct answer *answer)
{
    return answer_best_known(answer) && answer->value.outcome != CLTB_DRAW;
}

int answer_chosen(struct chess_prober *chess, struct position *position, const struct answer_move *move, int count)
{
    return chess->choose == NULL || count == 0 ? 0 : chess->choose(chess, position, move, count);
}

// The word for a move that ends a line, depending on what distances count; NULL if it does not end it.
static const char *end_of_line(const struct chess_prober *chess, const struct ranked_move *best)
{
    if (best->mate) // its "#" tells
        return NULL;
    if (chess->metric == METRIC_DTZ && best->zeroing)
        return "zeroing";
    return chess->metric == METRIC_DTC && move_is_conversion(best->move) && best->value.outcome == CLTB_WIN
               ? "conversion"
               : NULL;
}

// Follows best moves as far as the tables go: up to mate, the move that distances count to, a move that leaves the set,
// or LINE_PLIES_MAX plies. Prints each move: as JSON, or as text if `json` is NULL, with "?" where a missing table ends
// the line.
static int print_line(struct chess_prober *chess, struct json *json)
{
    struct position *p = &chess->answer.position;
    struct answer_move moves[MOVES_MAX];
    int count = chess->answer.moves;
    int plies = 0;
    int code = 0;
    memcpy(moves, chess->answer.move, (size_t)count * sizeof moves[0]);
    while (count > 0 && moves[0].kind != MOVE_DISCARDED && plies < LINE_PLIES_MAX) {
        const struct answer_move best = moves[answer_chosen(chess, p, moves, count)];
        const char *end = end_of_line(chess, &best.ranked);
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
            else if (end != NULL)
                printf(" (%s)", end);
        }
        if ((code = position_make(p, best.ranked.move)) != 0)
            break;
        plies++;
        if (end != NULL || best.ranked.mate || best.kind != MOVE_IN_TABLE)
            break;
        count = chess->rank(chess, p, moves);
        if (count < 0)
            code = count;
    }
    for (; plies > 0; plies--)
        position_undo(p);
    if (code != CLTB_E_MISSING)
        return code;
    if (json == NULL)
        printf(" ?");
    if (chess->answer.missing[0] == '\0')
        snprintf(chess->answer.missing, sizeof chess->answer.missing, "%s", error_text());
    return 0;
}

int answer_best_line(struct chess_prober *chess)
{
    printf("best line:");
    const int code = print_line(chess, NULL);
    printf("\n");
    return code;
}

// ---- formats ----

// What could not be read is told after what is known.
static int told_fault(const struct answer *answer)
{
    return answer->fault != 0 ? error_set(answer->fault, "%s", answer->fault_text) : 0;
}

static int print_tsv(struct prober *prober)
{
    const struct cltb_value value = answer_of(prober)->value;
    printf("\t%s\t", cltb_outcome_name(value.outcome));
    text_dtz(stdout, "", value, "-");
    printf("\n");
    return 0;
}

static bool is_over(const struct answer *answer, bool checkmate)
{
    return answer->moves == 0 && position_in_check(&answer->position) == checkmate;
}

// The value by this metric; NULL if it is unknown or has no distance.
static const struct cltb_value *value_by(const struct chess_prober *chess, enum metric metric)
{
    const struct answer *answer = &chess->answer;
    const bool its_own = metric == chess->metric;
    const struct cltb_value *value = its_own ? &answer->value : &answer->other[metric];
    return (its_own || answer->has_other[metric]) && has_dtz(*value) ? value : NULL;
}

static const enum metric printing_order[METRICS] = {METRIC_DTM, METRIC_DTC, METRIC_DTZ};

void answer_print_value(const struct chess_prober *chess)
{
    text_outcome(stdout, chess->answer.value.outcome);
    for (int i = 0; i < METRICS; i++) {
        const struct cltb_value *value = value_by(chess, printing_order[i]);
        if (value != NULL)
            text_distance(stdout, ", ", printing_order[i], *value);
    }
}

static void print_value(const struct chess_prober *chess)
{
    const struct answer *answer = &chess->answer;
    const int fifty = answer->position.fifty;
    answer_print_value(chess);
    const int outcome = answer->value.outcome;
    const bool cursed = outcome_is_cursed(outcome);
    if (chess->metric == METRIC_DTZ && !has_dtz(answer->value) && !cursed && outcome != CLTB_DRAW && fifty > 0)
        printf(" (if the half-move clock of %d allows it)", fifty);
    if (chess->metric == METRIC_DTZ && has_dtz(answer->value) && cursed && answer->value.dtz <= PLY_LIMIT)
        printf(" (%d + %d > %d)", fifty, answer->value.dtz, PLY_LIMIT);
    if (answer->moves == 0)
        printf(" (%s)", is_over(answer, true) ? "checkmate" : "stalemate");
    else if (answer->move[0].kind == MOVE_DISCARDED)
        printf(" (every move is discarded)");
    printf("\n");
}

void answer_move_note(const struct answer_move *move)
{
    static const char *const notes[] = {
        [MOVE_LEAVES_TABLE] = ", leaves", [MOVE_CONCEDED] = ", conceded", [MOVE_DISCARDED] = "discarded"};
    if (move->kind != MOVE_IN_TABLE)
        printf("%s", notes[move->kind]);
    if (move->rule != NULL)
        printf(" (%s)", move->rule);
}

static int print_text(struct prober *prober)
{
    struct chess_prober *chess = prober->context;
    const struct answer *answer = &chess->answer;
    if (chess->board)
        text_board(&answer->position, WHITE);
    print_value(chess);
    for (int i = 0; i < answer->moves; i++) {
        const struct answer_move *m = &answer->move[i];
        char san[SAN_MAX];
        char uci[UCI_MAX];
        san_write(&answer->position, m->ranked.move, san);
        uci_write(m->ranked.move, uci);
        printf("    %-8s %-6s ", san, uci);
        if (m->kind != MOVE_DISCARDED)
            text_value(stdout, chess->metric, m->ranked.value);
        answer_move_note(m);
        printf("\n");
    }
    int code = 0;
    if (has_line(answer))
        code = answer_best_line(chess);
    if (answer->missing[0] != '\0')
        printf("?: %s\n", answer->missing);
    return code != 0 ? code : told_fault(answer);
}

static int print_json(struct prober *prober, struct json *json)
{
    static const char *const kinds[] = {"within", "leaves", "conceded", "discarded"};
    struct chess_prober *chess = prober->context;
    const struct answer *answer = &chess->answer;
    const char *metric = metric_names[chess->metric];
    json_value(json, metric, answer->value);
    for (int i = 0; i < METRICS; i++)
        if (answer->has_other[i])
            json_distance(json, metric_names[i], answer->other[i]);
    json_bool(json, "checkmate", is_over(answer, true));
    json_bool(json, "stalemate", is_over(answer, false));
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
            json_null(json, metric);
        } else {
            json_value(json, metric, m->ranked.value);
        }
        json_bool(json, "zeroing", m->ranked.zeroing);
        json_bool(json, "mate", m->ranked.mate);
        if (chess->restricted)
            json_text(json, "kind", kinds[m->kind]);
        if (m->rule != NULL)
            json_text(json, "rule", m->rule);
        json_close(json);
    }
    json_close(json);
    json_open(json, "line", '[');
    const int code = has_line(answer) ? print_line(chess, json) : 0;
    json_close(json);
    if (answer->missing[0] != '\0')
        json_text(json, "missing", answer->missing);
    if (answer->fault != 0)
        json_text(json, "error", answer->fault_text);
    return code != 0 ? code : told_fault(answer);
}

static void print_direct_mate(int *moves)
{
    printf(" dm %d;", *moves);
    *moves = 0;
}

// Does an operation of the line give what is now known anew? If the table is missing, what an earlier run said stays.
static bool is_replaced(const struct chess_prober *chess, const struct epd_operation *operation)
{
    static const char *const names[METRICS] = {[METRIC_DTZ] = "Dtz", [METRIC_DTM] = "Dtm", [METRIC_DTC] = "Dtc"};
    for (int i = 0; i < METRICS; i++)
        if ((enum metric)i == chess->metric || chess->answer.has_other[i])
            if (epd_is(operation, names[i]) || (i == METRIC_DTM && epd_is(operation, "dm")))
                return true;
    return epd_is(operation, "Outcome");
}

// Prints the four fields and the operations in the order of the standard: first ours, which begin with capitals as the
// standard leaves to single programs, then those of the line, except ours of an earlier run. The counters of a FEN
// become operations, its comment becomes c0. The standard's dm, the number of moves to mate of a win, comes in its
// place among those of the line.
static int print_epd(struct prober *prober)
{
    const struct chess_prober *chess = prober->context;
    const struct answer *answer = answer_of(prober);
    const struct position *p = &answer->position;
    const char *rest = answer->rest;
    struct epd_operation operation;
    bool clock = p->fifty > 0;
    bool number = p->move_number > 1;
    char fen[FEN_MAX];
    fen_write(p, fen);
    int fields = 0;
    for (const char *at = fen; fields < 4; at++)
        if (*at == ' ' && ++fields == 4)
            printf("%.*s", (int)(at - fen), fen);
    const struct cltb_value *conversion = value_by(chess, METRIC_DTC);
    const struct cltb_value *mate = value_by(chess, METRIC_DTM);
    const struct cltb_value *zeroing = value_by(chess, METRIC_DTZ);
    int moves = mate != NULL && mate->outcome == CLTB_WIN ? (mate->dtz + 1) / 2 : 0; // still to be printed
    if (conversion != NULL)
        printf(" Dtc %d;", conversion->dtz);
    if (mate != NULL)
        printf(" Dtm %d;", mate->dtz);
    if (zeroing != NULL) {
        printf(" Dtz");
        text_dtz(stdout, " ", *zeroing, " ");
        printf(";");
    }
    printf(" Outcome \"%s\";", cltb_outcome_name(answer->value.outcome));
    while (epd_next(&rest, &operation)) {
        if (is_replaced(chess, &operation))
            continue;
        if (moves > 0 && strncmp(operation.text, "dm", 2) > 0)
            print_direct_mate(&moves);
        printf(" %.*s;", operation.length, operation.text);
        clock &= !epd_is(&operation, "hmvc");
        number &= !epd_is(&operation, "fmvn");
    }
    if (*rest == ';' && rest[1 + strspn(rest + 1, " ;\t")] != '\0') {
        printf(" c0 \"");
        for (rest += 1 + strspn(rest + 1, " ;\t"); *rest != '\0'; rest++)
            printf(*rest == '"' || *rest == '\\' ? "\\%c" : "%c", *rest);
        printf("\";");
    }
    if (moves > 0)
        print_direct_mate(&moves);
    if (number)
        printf(" fmvn %u;", (unsigned)p->move_number);
    if (clock)
        printf(" hmvc %d;", (int)p->fifty);
    printf("\n");
    return told_fault(answer);
}

void chess_prober_set(struct prober *prober, struct chess_prober *chess, const struct probe_request *request)
{
    chess->board = request->board;
    chess->others = strcmp(request->format, "tsv") != 0;
    *prober = (struct prober){.key = "fen",
                              .columns = 3,
                              .all_moves = strcmp(request->format, "text") == 0 || strcmp(request->format, "json") == 0,
                              .context = chess,
                              .work_out = work_out,
                              .print_text = print_text,
                              .print_tsv = print_tsv,
                              .print_json = print_json,
                              .print_epd = print_epd};
}
