// probe.c - `cltb probe`: what positions are worth
//
// Positions come from the arguments or, one per line, from standard input. Each gets its answer in its place, in one of
// three formats:
//
//     text   the answers only; empty lines of input are ignored
//     tsv    a line for every line of input, even if it is empty
//     json   a list with one object per position
//
// For a position at fault there is one line on standard error and, in tsv and json, an entry that says so.
#include "cli/command.h"
#include "cli/line_reader.h"

#include "kind/kind.h"
#include "show/json.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answers {
    struct prober prober;
    bool tsv;
    struct json *json; // NULL: another format
    int faults;
};

// A column of tsv: tabs and line ends, which would break the columns, become blanks.
static void print_column(const char *text)
{
    for (; *text != '\0'; text++)
        putchar(*text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text);
}

static void answer_one(struct answers *answers, const char *text)
{
    struct prober *prober = &answers->prober;
    int code = prober->work_out(prober, text);
    const bool known = code == 0;
    if (!known)
        fault_line("cltb probe: '%.127s': %s", text, error_text());
    if (answers->json != NULL) {
        json_open(answers->json, NULL, '{');
        json_text(answers->json, prober->key, text);
        if (known)
            code = prober->print_json(prober, answers->json);
        else
            json_text(answers->json, "error", error_text());
        json_close(answers->json);
    } else if (answers->tsv) {
        print_column(text);
        if (known) {
            code = prober->print_tsv(prober);
        } else {
            printf("\terror: ");
            print_column(error_text());
            printf("%.*s\n", prober->columns - 2, "\t\t\t\t");
        }
    } else if (known) {
        printf("%s\n", text);
        code = prober->print_text(prober);
    }
    if (known && code != 0)
        fault_line("cltb probe: best line of '%.127s': %s", text, error_text());
    answers->faults += code != 0;
}

static int run(int argc, char **argv)
{
    struct probe_request r = {.format = "text"};
    const char *game = "chess";
    const char *dir = NULL;
    const struct option options[] = {
        {.name = "--game", .kind = OPTION_CHOICE, .value = &game, .choices = "chess|dobutsu"},
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--table", .kind = OPTION_FILE, .value = &r.table},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &r.format, .choices = "text|tsv|json"},
        {.name = NULL}};
    struct arguments arguments;
    int status = options_parse(&arguments, "probe", argc, argv, options);
    if (status != EXIT_DONE)
        return status;
    const struct endgame_kind *kind = options_kind(&arguments);
    status = options_check(&arguments, kind->probe_rules);
    if (status != EXIT_DONE)
        return status;
    struct answers answers = {.tsv = strcmp(r.format, "tsv") == 0};
    struct json json = {.depth = 0};
    r.folders = tables_dir(dir);
    const int code = kind->probe(&answers.prober, &r);
    if (code != 0)
        return report("probe", code);
    if (strcmp(r.format, "json") == 0) {
        answers.json = &json;
        json_open(&json, NULL, '[');
    }
    for (int i = 0; i < arguments.count; i++)
        answer_one(&answers, arguments.word[i]);
    if (arguments.count == 0) {
        for (char *line; (line = line_plain()) != NULL; free(line))
            if (line[strspn(line, " \t")] != '\0' || answers.tsv)
                answer_one(&answers, line);
        if (ferror(stdin)) {
            fprintf(stderr, "cltb probe: cannot read standard input\n");
            answers.faults++;
        }
    }
    if (answers.json != NULL)
        json_close(&json);
    answers.prober.close(&answers.prober);
    return answers.faults > 0 ? EXIT_FAILED : EXIT_DONE;
}

const struct command probe_command = {"probe", run, "tells what positions are worth"};
