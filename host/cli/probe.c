// probe.c - `cltb probe`: the values of positions
//
// Positions come from the arguments or, one per line, from standard input and from files that are named. Each gets its
// answer in its place, in one of four formats:
//
//     text   the answers only
//     tsv    a line for every line of input; empty columns for those without a position: blank ones and "# comments"
//     json   a list with one object per position
//     epd    a line for every line of input; those without a position as they are
//
// For an invalid position there is one line on standard error and, in tsv and json, an entry that says so; epd repeats
// the line.
#include "cli/command.h"
#include "cli/line_reader.h"
#include "util/os.h"

#include "kind/kind.h"
#include "show/json.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answers {
    struct prober prober;
    bool tsv;
    bool epd;
    struct json *json; // NULL: another format
    int faults;
};

// Prints a column of tsv: tabs and line ends, which would break the columns, become blanks.
static void print_column(const char *text)
{
    while (*text != '\0') {
        const size_t plain = strcspn(text, "\t\n\r");
        text_print(stdout, text, (int)plain);
        text += plain;
        if (*text != '\0')
            putchar(' ');
        text += *text != '\0';
    }
}

static void answer_one(struct answers *answers, const char *text, const char *hint)
{
    struct prober *prober = &answers->prober;
    int code = prober->work_out(prober, text);
    const bool known = code == 0;
    if (!known)
        fault_line("cltb probe: '%.127s': %s%s", text, error_text(), hint);
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
    } else if (answers->epd) {
        if (known)
            code = prober->print_epd(prober);
        else
            printf("%s\n", text);
    } else if (known) {
        text_print(stdout, text, INT_MAX);
        putchar('\n');
        code = prober->print_text(prober);
    }
    if (known && code != 0)
        fault_line("cltb probe: '%.127s': %s", text, error_text());
    answers->faults += code != 0;
}

// Answers a line of input.
static void answer_line(struct answers *answers, const char *line)
{
    const char first = line[strspn(line, " \t")];
    if (first != '\0' && first != '#') {
        answer_one(answers, line, "");
    } else if (answers->tsv) {
        print_column(line);
        printf("%.*s\n", answers->prober.columns - 1, "\t\t\t\t");
    } else if (answers->epd) {
        printf("%s\n", line);
    }
}

static void answer_input(struct answers *answers, FILE *in, const char *name)
{
    static const char mark[] = "\xef\xbb\xbf"; // a byte-order mark in UTF-8
    bool first = true;
    if (in == stdin && isatty(STDIN_FILENO))
        fprintf(stderr, "cltb probe: reading positions from standard input, one a line, up to Ctrl-D\n");
    for (char *line; (line = line_of(in)) != NULL; free(line)) {
        answer_line(answers, first && strncmp(line, mark, strlen(mark)) == 0 ? line + strlen(mark) : line);
        first = false;
    }
    if (!feof(in)) {
        fault_line("cltb probe: cannot read %s", name);
        answers->faults++;
    }
}

// Answers an argument: a position, '-', or the name of a file. (A folder is none, and no position is the path of one.)
static void answer_argument(struct answers *answers, const char *word)
{
    FILE *in = strcmp(word, "-") == 0 ? stdin : os_is_folder(word, false) ? NULL : os_read_stream(word);
    if (in == NULL)
        answer_one(answers, word, strpbrk(word, " \t") == NULL ? ", and there is no such file" : "");
    else
        answer_input(answers, in, in == stdin ? "standard input" : word);
    if (in != NULL && in != stdin)
        fclose(in);
}

// A FEN that the shell has split into words gives one error, not six.
static int check_quotes(const struct arguments *arguments)
{
    for (int i = 1; i < arguments->count; i++)
        if (strcmp(arguments->word[i], "w") == 0 || strcmp(arguments->word[i], "b") == 0)
            return usage_fault("probe", "a FEN goes in quotes: '%.100s %s ...'", arguments->word[i - 1],
                               arguments->word[i]);
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct probe_request r = {.format = "text"};
    const char *game = "chess";
    const char *dir = NULL;
    const char *syzygy = NULL;
    bool epd = false;
    const struct option options[] = {
        {.name = "--game", .kind = OPTION_CHOICE, .value = &game, .choices = "chess|dobutsu"},
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
        {.name = "--syzygy", .kind = OPTION_FOLDER, .value = &syzygy},
        {.name = "--table", .kind = OPTION_FILE, .value = &r.table},
        {.name = "--format", .kind = OPTION_CHOICE, .value = &r.format, .choices = "text|tsv|json"},
        {.name = "--metric", .kind = OPTION_CHOICE, .value = &r.metric, .choices = "dtz|dtm|dtc"},
        {.name = "--epd", .kind = OPTION_FLAG, .value = &epd},
        {.name = "--board", .kind = OPTION_FLAG, .value = &r.board},
        {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "probe", argc, argv, options));
    const struct endgame_kind *kind = kind_of_table(options_kind(&arguments), r.table);
    static const struct option_rule rules[] = {
        {"--epd", "--format --board", "", "--epd is a format of its own, without --format and --board"},
        {"--board", "--format=tsv --format=json", "", "--board belongs to --format text"},
        {NULL}};
    TRY(options_check(&arguments, rules));
    TRY(options_check(&arguments, kind->probe_rules));
    TRY(check_quotes(&arguments));
    if (epd)
        r.format = "epd";
    struct answers answers = {.tsv = strcmp(r.format, "tsv") == 0, .epd = epd};
    struct json json = {.depth = 0};
    char *folders;
    int code = folders_given(&folders, dir, syzygy);
    r.folders = folders;
    THEN(code, kind->probe(&answers.prober, &r));
    free(folders);
    if (code != 0)
        return report("probe", code);
    if (strcmp(r.format, "json") == 0) {
        answers.json = &json;
        json_open(&json, NULL, '[');
    }
    for (int i = 0; i < arguments.count; i++)
        answer_argument(&answers, arguments.word[i]);
    if (arguments.count == 0)
        answer_argument(&answers, "-");
    if (answers.json != NULL)
        json_close(&json);
    answers.prober.close(&answers.prober);
    return answers.faults > 0 ? EXIT_FAILED : EXIT_DONE;
}

const struct command probe_command = {"probe", run, "tells what positions are worth"};
