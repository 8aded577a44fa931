// probe.c - `cltb probe`: what positions are worth
#include "cli/command.h"
#include "cli/json.h"

#include "probe/probe.h"
#include "rules/fen.h"
#include "rules/notation.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { LINE_PLIES_MAX = 200 };

// One position and all that is to be said about it.
struct answer {
    struct position position;
    struct cltb_value value;
    int moves;
    struct ranked_move move[CLTB_MOVES_MAX];
};

struct output {
    cltb_tables *tables;
    bool all_moves; // text and json
    int (*print)(cltb_tables *tables, const char *fen, struct answer *answer);
    void (*print_fault)(const char *fen, int number);
    int number; // of positions so far
    int faults;
};

// ---- the best line ----

// Follows best moves up to mate, the first zeroing move or LINE_PLIES_MAX plies. Calls each() for every move, before it
// is made.
static int best_line(cltb_tables *tables, struct answer *answer,
                     void (*each)(const struct position *p, uint32_t move, int ply))
{
    struct position *p = &answer->position;
    int plies = 0;
    int code = 0;
    int count = answer->moves;
    struct ranked_move moves[CLTB_MOVES_MAX];
    memcpy(moves, answer->move, (size_t)count * sizeof moves[0]);
    while (count > 0 && plies < LINE_PLIES_MAX) {
        each(p, moves[0].move, plies);
        bool last = moves[0].zeroing || moves[0].mate;
        if ((code = position_make(p, moves[0].move)) != 0)
            break;
        plies++;
        count = last ? 0 : probe_moves(tables, p, moves);
        if (count < 0)
            code = count;
    }
    for (; plies > 0; plies--)
        position_undo(p);
    return code;
}

static void text_line_move(const struct position *p, uint32_t move, int ply)
{
    char san[SAN_MAX];
    san_write(p, move, san);
    if (p->side == WHITE || ply == 0)
        printf(" %u%s", (unsigned)p->move_number, p->side == WHITE ? "." : "...");
    printf(" %s", san);
    if (move_is_zeroing(p, move))
        printf(" (zeroing)");
}

static void json_line_move(const struct position *p, uint32_t move, int ply)
{
    char uci[UCI_MAX];
    (void)p;
    uci_write(move, uci);
    printf("%s\"%s\"", ply > 0 ? ", " : "", uci);
}

// ---- formats ----

static bool has_dtz(struct cltb_value value)
{
    return value.outcome != CLTB_DRAW;
}

// Tabs and line ends would break the columns.
static void print_tsv_text(const char *text)
{
    for (; *text != '\0'; text++)
        putchar(*text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text);
}

static int print_tsv(cltb_tables *tables, const char *fen, struct answer *answer)
{
    (void)tables;
    print_tsv_text(fen);
    printf("\t%s\t", cltb_outcome_name(answer->value.outcome));
    if (has_dtz(answer->value))
        printf("%d", answer->value.dtz);
    printf("\n");
    return 0;
}

static void print_tsv_fault(const char *fen, int number)
{
    (void)number;
    print_tsv_text(fen);
    printf("\terror: ");
    print_tsv_text(error_text());
    printf("\t\n");
}

static void print_moves_text(const struct answer *answer)
{
    for (int i = 0; i < answer->moves; i++) {
        const struct ranked_move *m = &answer->move[i];
        char san[SAN_MAX];
        char uci[UCI_MAX];
        san_write(&answer->position, m->move, san);
        uci_write(m->move, uci);
        printf("    %-8s %-6s %s", san, uci, cltb_outcome_name(m->value.outcome));
        if (has_dtz(m->value))
            printf(" %d", m->value.dtz);
        printf("\n");
    }
}

static int print_text(cltb_tables *tables, const char *fen, struct answer *answer)
{
    struct position *p = &answer->position;
    printf("%s\n%s", fen, cltb_outcome_name(answer->value.outcome));
    if (has_dtz(answer->value))
        printf(", dtz %d", answer->value.dtz);
    if (answer->moves == 0)
        printf(" (%s)", position_in_check(p) ? "checkmate" : "stalemate");
    printf("\n");
    print_moves_text(answer);
    if (answer->moves == 0 || !has_dtz(answer->value))
        return 0;
    printf("best line:");
    int code = best_line(tables, answer, text_line_move);
    printf("\n");
    return code;
}

static void print_text_fault(const char *fen, int number)
{
    (void)fen;
    (void)number;
}

static void json_value(struct cltb_value value)
{
    printf("\"outcome\": \"%s\", \"dtz\": ", cltb_outcome_name(value.outcome));
    if (has_dtz(value))
        printf("%d", value.dtz);
    else
        printf("null");
}

// A list of objects, one a line.
static int print_json(cltb_tables *tables, const char *fen, struct answer *answer)
{
    printf("{\"fen\": ");
    json_string(fen);
    printf(", ");
    json_value(answer->value);
    printf(", \"moves\": [");
    for (int i = 0; i < answer->moves; i++) {
        const struct ranked_move *m = &answer->move[i];
        char san[SAN_MAX];
        char uci[UCI_MAX];
        san_write(&answer->position, m->move, san);
        uci_write(m->move, uci);
        printf("%s{\"uci\": \"%s\", \"san\": \"%s\", ", i > 0 ? ", " : "", uci, san);
        json_value(m->value);
        printf(", \"zeroing\": %s}", m->zeroing ? "true" : "false");
    }
    printf("], \"line\": [");
    int code = has_dtz(answer->value) ? best_line(tables, answer, json_line_move) : 0;
    printf("]}");
    return code;
}

static void print_json_fault(const char *fen, int number)
{
    (void)number;
    printf("{\"fen\": ");
    json_string(fen);
    printf(", \"error\": ");
    json_string(error_text());
    printf("}");
}

// ---- input ----

static int work_out(const struct output *out, const char *fen, struct answer *answer)
{
    int code = fen_read(&answer->position, fen);
    if (code == 0)
        code = probe_position(out->tables, &answer->position, &answer->value);
    if (code == 0 && out->all_moves) {
        answer->moves = probe_moves(out->tables, &answer->position, answer->move);
        code = answer->moves < 0 ? answer->moves : 0;
    }
    return code;
}

static void probe_one(struct output *out, const char *fen, bool json)
{
    struct answer answer = {.moves = 0};
    if (json)
        printf("%s", out->number > 0 ? ",\n " : "[");
    int code = work_out(out, fen, &answer);
    if (code != 0) {
        fprintf(stderr, "cltb probe: '%.127s': %s\n", fen, error_text());
        out->print_fault(fen, out->number);
    } else if ((code = out->print(out->tables, fen, &answer)) != 0) {
        fprintf(stderr, "cltb probe: best line of '%.127s': %s\n", fen, error_text());
    }
    out->faults += code != 0;
    out->number++;
}

// A NUL byte would hide what follows it in its line.
static void show_nul_bytes(char *line, size_t length)
{
    for (char *nul = line; (nul = memchr(nul, '\0', length - (size_t)(nul - line))) != NULL;)
        *nul = '?';
}

// One FEN a line. Empty lines are passed over, but not in tsv, where every line has its answer.
static void probe_input(struct output *out, bool json)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while ((length = getline(&line, &size, stdin)) >= 0) {
        show_nul_bytes(line, (size_t)length);
        line[strcspn(line, "\r\n")] = '\0';
        if (line[strspn(line, " \t")] != '\0' || !out->all_moves)
            probe_one(out, line, json);
    }
    if (ferror(stdin)) {
        fprintf(stderr, "cltb probe: cannot read standard input\n");
        out->faults++;
    }
    free(line);
}

static void choose_format(struct output *out, const char *format)
{
    out->all_moves = strcmp(format, "tsv") != 0;
    out->print = print_text;
    out->print_fault = print_text_fault;
    if (strcmp(format, "tsv") == 0) {
        out->print = print_tsv;
        out->print_fault = print_tsv_fault;
    } else if (strcmp(format, "json") == 0) {
        out->print = print_json;
        out->print_fault = print_json_fault;
    }
}

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const char *format = "text";
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_TEXT, .value = &dir},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &format, .choices = "text|tsv|json"},
        {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "probe", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    struct output out = {.number = 0};
    bool json = strcmp(format, "json") == 0;
    choose_format(&out, format);
    int code = cltb_open(&out.tables, tables_dir(dir), NULL);
    if (code != 0)
        return report("probe", code);
    for (int i = 0; i < arguments.count; i++)
        probe_one(&out, arguments.word[i], json);
    if (arguments.count == 0)
        probe_input(&out, json);
    if (json)
        printf("%s]\n", out.number == 0 ? "[" : "");
    cltb_close(out.tables);
    return out.faults > 0 ? EXIT_FAILED : EXIT_DONE;
}

const struct command probe_command = {
    "probe", run, "tells what positions are worth",
    "cltb probe [--dir DIR] [--format text|tsv|json] FEN...\n\n"
    "Outcome and distance to zeroing (DTZ, plies to the next capture, pawn move or mate) of each position, for the\n"
    "side to move. Without a FEN: one per line on standard input. The outcome honours the FEN's half-move clock,\n"
    "the distance does not depend on it.\n\n"
    "    --dir DIR       folders of tables, with ':' between them (else $CLTB_PATH, else ./tables)\n"
    "    --format text   also all legal moves, best first, and a best line up to the zeroing move or mate\n"
    "             tsv    fen<TAB>outcome<TAB>dtz, one line per position (dtz empty for a draw)\n"
    "             json   a list with one object per position\n"};
