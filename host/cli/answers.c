// answers.c - what `cltb probe` shares between games: input, formats, faults
#include "cli/answers.h"

#include "cli/json.h"
#include "cli/line_reader.h"
#include "cli/options.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool format_is(const struct answers *answers, const char *format)
{
    return strcmp(answers->format, format) == 0;
}

// ---- output ----

void print_tsv_text(const char *text)
{
    for (; *text != '\0'; text++)
        putchar(*text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text);
}

static void print_fault(const struct answers *answers, const char *text)
{
    if (format_is(answers, "json")) {
        printf("{\"%s\": ", answers->key);
        json_string(text);
        printf(", \"error\": ");
        json_string(error_text());
        printf("}");
    } else if (format_is(answers, "tsv")) {
        print_tsv_text(text);
        printf("\terror: ");
        print_tsv_text(error_text());
        for (int i = 2; i < answers->columns; i++)
            putchar('\t');
        printf("\n");
    }
}

static void answer_one(struct answers *answers, const char *text)
{
    if (format_is(answers, "json"))
        printf("%s", answers->number > 0 ? ",\n " : "[");
    int code = answers->work_out(answers->context, text);
    if (code != 0) {
        fault_line("cltb probe: '%.127s': %s", text, error_text());
        print_fault(answers, text);
    } else if ((code = answers->print(answers->context, text)) != 0) {
        fault_line("cltb probe: best line of '%.127s': %s", text, error_text());
    }
    answers->faults += code != 0;
    answers->number++;
}

// ---- input ----

// Empty lines are passed over, but not in tsv, where every line has its answer.
static void answer_input(struct answers *answers)
{
    for (char *line; (line = line_plain()) != NULL; free(line))
        if (line[strspn(line, " \t")] != '\0' || format_is(answers, "tsv"))
            answer_one(answers, line);
    if (ferror(stdin)) {
        fprintf(stderr, "cltb probe: cannot read standard input\n");
        answers->faults++;
    }
}

int answers_give(struct answers *answers, const struct arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++)
        answer_one(answers, arguments->word[i]);
    if (arguments->count == 0)
        answer_input(answers);
    if (format_is(answers, "json"))
        printf("%s]\n", answers->number == 0 ? "[" : "");
    return answers->faults > 0 ? EXIT_FAILED : EXIT_DONE;
}
