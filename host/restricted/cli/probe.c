// probe.c - `cltb probe --table FILE`: what positions of a restricted table are worth
#include "cli/answers.h"
#include "cli/json.h"
#include "cli/values.h"
#include "restricted/cli/tables.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "probe/probe.h"
#include "restricted/probe.h"
#include "restricted/table.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_PLIES_MAX = 200, CACHE_BYTES = 64 << 20 };

// A legal move.
struct choice {
    struct ranked_move ranked; // no value if the move is discarded
    enum restricted_kind kind;
    int rule; // of the spec, or -1
};

struct choices {
    int count;
    struct choice choice[MOVES_MAX]; // best first, discarded ones last
};

struct request {
    struct restricted_table *table;
    const struct spec *spec;
    struct restricted_bases *bases; // NULL: not needed yet
    char *folders;
    bool all_moves; // text and json
    struct position position;
    struct cltb_value value;
    struct choices choices;
};

// ---- values of moves ----

static int table_value(void *context, const struct position *position, uint16_t *value)
{
    return restricted_table_value(context, position, value);
}

static int quiet_value(struct request *r, struct position *p, uint32_t move, uint16_t *value)
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

static int judge(struct request *r, struct position *p, uint32_t move, struct choice *choice)
{
    const struct restricted_values values = {table_value, r->table};
    uint16_t code = RESTRICTED_OPEN;
    choice->ranked =
        (struct ranked_move){.move = move, .zeroing = move_is_zeroing(p, move), .mate = gives_mate(p, move)};
    TRY(restricted_classify(r->bases, r->spec, p, move, &choice->kind, &choice->rule));
    if (choice->kind == MOVE_QUIET)
        TRY(quiet_value(r, p, move, &code));
    else if (choice->kind != MOVE_DISCARD)
        TRY(restricted_move_value(r->bases, r->spec, &values, p, move, choice->kind, &code));
    choice->ranked.value = value_with_clock(restricted_value_of(code), p->fifty);
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct choice *a = left;
    const struct choice *b = right;
    if ((a->kind == MOVE_DISCARD) != (b->kind == MOVE_DISCARD))
        return a->kind == MOVE_DISCARD ? 1 : -1;
    return ranked_move_compare(&a->ranked, &b->ranked);
}

static int judge_all(struct request *r, struct position *p, struct choices *choices)
{
    uint32_t moves[MOVES_MAX];
    if (r->bases == NULL)
        TRY(restricted_bases_open(&r->bases, r->spec, r->folders));
    choices->count = moves_legal(p, moves);
    for (int i = 0; i < choices->count; i++)
        TRY(judge(r, p, moves[i], &choices->choice[i]));
    qsort(choices->choice, (size_t)choices->count, sizeof choices->choice[0], compare);
    return 0;
}

// Are there moves, and all of them discarded?
static bool all_discarded(const struct choices *choices)
{
    return choices->count > 0 && choices->choice[0].kind == MOVE_DISCARD;
}

// ---- the best line ----

// Follows best moves as far as the table goes: up to mate, a zeroing move or one that leaves the set. Calls each() for every
// move, before it is made.
static int best_line(struct request *r, void (*each)(const struct position *p, const struct choice *choice, int ply))
{
    struct position *p = &r->position;
    struct choices choices = r->choices;
    int plies = 0;
    int code = 0;
    while (code == 0 && choices.count > 0 && !all_discarded(&choices) && plies < LINE_PLIES_MAX) {
        const struct choice best = choices.choice[0];
        each(p, &best, plies);
        if ((code = position_make(p, best.ranked.move)) != 0)
            break;
        plies++;
        if (best.ranked.mate || best.kind != MOVE_QUIET)
            break;
        code = judge_all(r, p, &choices);
    }
    for (; plies > 0; plies--)
        position_undo(p);
    return code;
}

static void text_line_move(const struct position *p, const struct choice *choice, int ply)
{
    char san[SAN_MAX];
    san_write(p, choice->ranked.move, san);
    if (p->side == WHITE || ply == 0)
        printf(" %u%s", (unsigned)p->move_number, p->side == WHITE ? "." : "...");
    printf(" %s", san);
    if (choice->kind == MOVE_CONCEDE)
        printf(" (conceded)");
    else if (choice->kind == MOVE_LEAVES)
        printf(choice->ranked.zeroing ? " (zeroing, leaves)" : " (leaves)");
    else if (choice->ranked.zeroing)
        printf(" (zeroing)");
}

static void json_line_move(const struct position *p, const struct choice *choice, int ply)
{
    char uci[UCI_MAX];
    (void)p;
    uci_write(choice->ranked.move, uci);
    printf("%s\"%s\"", ply > 0 ? ", " : "", uci);
}

// ---- formats ----

static int print_tsv(void *context, const char *fen)
{
    const struct request *r = context;
    print_tsv_text(fen);
    printf("\t%s\t", cltb_outcome_name(r->value.outcome));
    if (has_dtz(r->value))
        printf("%d", r->value.dtz);
    printf("\n");
    return 0;
}

static void print_choice(const struct request *r, const struct choice *choice)
{
    char san[SAN_MAX];
    char uci[UCI_MAX];
    san_write(&r->position, choice->ranked.move, san);
    uci_write(choice->ranked.move, uci);
    printf("    %-8s %-6s ", san, uci);
    if (choice->kind == MOVE_DISCARD) {
        printf("discarded");
    } else {
        printf("%s", cltb_outcome_name(choice->ranked.value.outcome));
        if (has_dtz(choice->ranked.value))
            printf(" %d", choice->ranked.value.dtz);
        printf("%s", choice->kind == MOVE_CONCEDE ? ", conceded" : choice->kind == MOVE_LEAVES ? ", leaves" : "");
    }
    if (choice->rule >= 0)
        printf(" (%s)", r->spec->rule[choice->rule].text);
    printf("\n");
}

static int print_text(void *context, const char *fen)
{
    struct request *r = context;
    const struct choices *choices = &r->choices;
    printf("%s\n%s", fen, cltb_outcome_name(r->value.outcome));
    if (has_dtz(r->value))
        printf(", dtz %d", r->value.dtz);
    if (choices->count == 0)
        printf(" (%s)", position_in_check(&r->position) ? "checkmate" : "stalemate");
    else if (all_discarded(choices))
        printf(" (every move is discarded)");
    printf("\n");
    for (int i = 0; i < choices->count; i++)
        print_choice(r, &choices->choice[i]);
    if (choices->count == 0 || all_discarded(choices) || !has_dtz(r->value))
        return 0;
    printf("best line:");
    const int code = best_line(r, text_line_move);
    printf("\n");
    return code;
}

static void json_choice(const struct request *r, const struct choice *choice)
{
    static const char *const kinds[] = {[MOVE_QUIET] = "within",
                                        [MOVE_WITHIN] = "within",
                                        [MOVE_LEAVES] = "leaves",
                                        [MOVE_DISCARD] = "discarded",
                                        [MOVE_CONCEDE] = "conceded"};
    char san[SAN_MAX];
    char uci[UCI_MAX];
    san_write(&r->position, choice->ranked.move, san);
    uci_write(choice->ranked.move, uci);
    printf("{\"uci\": \"%s\", \"san\": \"%s\", ", uci, san);
    if (choice->kind == MOVE_DISCARD)
        printf("\"outcome\": null, \"dtz\": null");
    else
        json_value(choice->ranked.value);
    printf(", \"zeroing\": %s, \"kind\": \"%s\"", choice->ranked.zeroing ? "true" : "false", kinds[choice->kind]);
    if (choice->rule >= 0) {
        printf(", \"rule\": ");
        json_string(r->spec->rule[choice->rule].text);
    }
    printf("}");
}

static int print_json(void *context, const char *fen)
{
    struct request *r = context;
    printf("{\"fen\": ");
    json_string(fen);
    printf(", ");
    json_value(r->value);
    printf(", \"moves\": [");
    for (int i = 0; i < r->choices.count; i++) {
        printf("%s", i > 0 ? ", " : "");
        json_choice(r, &r->choices.choice[i]);
    }
    printf("], \"line\": [");
    const int code = has_dtz(r->value) ? best_line(r, json_line_move) : 0;
    printf("]}");
    return code;
}

// ---- the command ----

// The table knows nothing of a right to capture en passant: then the moves tell.
static int with_en_passant(struct request *r)
{
    const struct choice *best = &r->choices.choice[0];
    if (all_discarded(&r->choices))
        r->value = (struct cltb_value){CLTB_LOSS, 0};
    else
        r->value = best->ranked.value;
    return 0;
}

// Says if only the colours are the other way round.
static int outside(const struct request *r, int code)
{
    struct position *turned = malloc(sizeof *turned);
    uint8_t where[SPEC_MEN_MAX];
    if (code == CLTB_E_POSITION && turned != NULL && restricted_flip(turned, &r->position) == 0 &&
        spec_match(r->spec, turned, where))
        error_append(code, "; with White's men Black's and the board turned round it belongs to it");
    free(turned);
    return code;
}

static int work_out(void *context, const char *fen)
{
    struct request *r = context;
    struct position *p = &r->position;
    uint16_t code;
    r->choices.count = 0;
    TRY(fen_read(p, fen));
    if (p->castling != 0)
        return error_set(CLTB_E_POSITION, "castling is still possible: tables hold no such positions");
    const int found = restricted_table_value(r->table, p, &code);
    if (found != 0)
        return outside(r, found);
    r->value = value_with_clock(restricted_value_of(code), p->fifty);
    const bool en_passant = position_en_passant_legal(p);
    if (r->all_moves || en_passant)
        TRY(judge_all(r, p, &r->choices));
    return en_passant ? with_en_passant(r) : 0;
}

static int give_answers(struct request *r, const char *format, const struct arguments *arguments)
{
    struct answers answers = {
        .format = format, .key = "fen", .columns = 3, .context = r, .work_out = work_out, .print = print_text};
    if (strcmp(format, "tsv") == 0)
        answers.print = print_tsv;
    else if (strcmp(format, "json") == 0)
        answers.print = print_json;
    return answers_give(&answers, arguments);
}

static int open_request(struct request *r, const char *path, const char *folders, const char *format)
{
    TRY(restricted_table_open(&r->table, path, CACHE_BYTES));
    r->spec = restricted_table_spec(r->table);
    r->all_moves = strcmp(format, "tsv") != 0;
    r->folders = restricted_folders(path, folders);
    return r->folders == NULL ? CLTB_E_MEMORY : 0;
}

int restricted_file_probe(const char *path, const char *folders, const char *format, const struct arguments *arguments)
{
    struct request *r = calloc(1, sizeof *r);
    if (r == NULL)
        return report("probe", error_memory(sizeof *r, "probing"));
    const int code = open_request(r, path, folders, format);
    const int status = code != 0 ? report("probe", code) : give_answers(r, format, arguments);
    if (r->bases != NULL)
        restricted_bases_close(r->bases);
    restricted_table_close(r->table);
    free(r->folders);
    free(r);
    return status;
}
