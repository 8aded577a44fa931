// options.c - the options of a command as a table of names and places
#include "cli/options.h"

#include "cli/guess.h"
#include "util/error.h"
#include "util/os.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fault_line(const char *fmt, ...)
{
    va_list args;
    char line[2048];
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    fprintf(stderr, "%s\n", text_clean(line));
}

volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = number;
}

void interrupts_catch(void)
{
    os_catch(on_signal);
}

const struct peers *command_peers;

int usage_fault(const char *command, const char *fmt, ...)
{
    char sentence[1024];
    va_list args;
    if (peers_rank(command_peers) > 0) // the first process prints the same
        return EXIT_USAGE;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    fault_line("cltb %s: %s (see: cltb help %s)", command, sentence, command);
    return EXIT_USAGE;
}

int report(const char *command, int code)
{
    if (peers_rank(command_peers) == 0 || !*command_peers->agreed)
        fault_line("cltb %s: %s", command, error_text());
    if (code == CLTB_E_INTERRUPTED)
        return EXIT_INTERRUPTED;
    return code == CLTB_E_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

const char *tables_dir(const char *option)
{
    if (option != NULL)
        return option;
    const char *path = getenv("CLTB_PATH");
    return path != NULL && *path != '\0' ? path : "tables";
}

int folders_given(char **folders, const char *dir, const char *syzygy)
{
    const char *first = dir != NULL || syzygy == NULL ? tables_dir(dir) : syzygy;
    const char *second = dir != NULL && syzygy != NULL ? syzygy : "";
    if (asprintf(folders, "%s%s%s", first, *second != '\0' ? OS_LIST : "", second) >= 0)
        return 0;
    *folders = NULL;
    return error_memory(strlen(first), "the names of folders");
}

static bool parse_digits(const char *text, size_t length, uint64_t *number)
{
    uint64_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || n > (UINT64_MAX - 9) / 10)
            return false;
        n = 10 * n + (uint64_t)(text[i] - '0');
    }
    *number = n;
    return length > 0;
}

bool parse_number(const char *text, uint64_t *number)
{
    return parse_digits(text, strlen(text), number);
}

// Sizes such as "512M" and "1.5G".
static bool parse_size(const char *text, uint64_t *bytes)
{
    enum { DECIMALS_MAX = 6 };
    static const char units[] = "KMGT";
    const size_t length = strspn(text, "0123456789");
    const size_t decimals = text[length] == '.' ? strspn(text + length + 1, "0123456789") : 0;
    const char *unit = text + length + (decimals > 0 ? decimals + 1 : 0);
    uint64_t decimal = 0;
    uint64_t scale = 1;
    unsigned shift = 0;
    if (*unit != '\0') {
        const char *at = strchr(units, *unit >= 'a' ? *unit - 'a' + 'A' : *unit);
        const bool end = unit[1] == '\0' || strcmp(unit + 1, "B") == 0 || strcmp(unit + 1, "iB") == 0;
        if (at == NULL || !end)
            return false;
        shift = 10 * (unsigned)(at - units + 1);
    }
    if (!parse_digits(text, length, bytes) || *bytes >= UINT64_MAX >> shift || decimals > DECIMALS_MAX ||
        (decimals > 0 && !parse_digits(text + length + 1, decimals, &decimal)))
        return false;
    for (size_t i = 0; i < decimals; i++)
        scale *= 10;
    *bytes = (*bytes << shift) + (uint64_t)((double)decimal / (double)scale * (double)(UINT64_C(1) << shift));
    return true;
}

static bool is_choice(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    for (const char *word = choices; *word != '\0'; word += strspn(word, "|")) {
        const size_t end = strcspn(word, "|");
        if (end == length && strncmp(word, text, length) == 0)
            return true;
        word += end;
    }
    return false;
}

static int set_value(const char *command, const struct option *option, const char *text)
{
    uint64_t number;
    switch (option->kind) {
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_FOLDER:
        if (*text == '\0')
            return usage_fault(command, "%s is given an empty value", option->name);
        *(const char **)option->value = text;
        return EXIT_DONE;
    case OPTION_LIST:
        number = 0;
        while (((const char **)option->value)[number] != NULL)
            number++;
        if (*text == '\0' || number == option->most)
            return usage_fault(command, *text == '\0' ? "%s is given an empty value" : "too many times %s",
                               option->name);
        ((const char **)option->value)[number] = text;
        return EXIT_DONE;
    case OPTION_CHOICE:
        if (!is_choice(option->choices, text))
            return usage_fault(command, "%s takes %s, not '%.40s'", option->name, option->choices, text);
        *(const char **)option->value = text;
        return EXIT_DONE;
    case OPTION_SIZE:
        if (!parse_size(text, &number) || number < option->least)
            return usage_fault(command, "%s takes a size such as 512M or 1.5G, not '%.40s'", option->name, text);
        *(uint64_t *)option->value = number;
        return EXIT_DONE;
    default:
        if (!parse_number(text, &number) || number < option->least || number > option->most)
            return usage_fault(command, "%s takes a number from %llu to %llu, not '%.40s'", option->name,
                               (unsigned long long)option->least, (unsigned long long)option->most, text);
        *(uint64_t *)option->value = number;
        return EXIT_DONE;
    }
}

static const struct option *find_option(const struct option *options, const char *text, size_t length)
{
    for (; options->name != NULL; options++)
        if ((strlen(options->name) == length && strncmp(options->name, text, length) == 0) ||
            (length == 2 && options->letter != '\0' && options->letter == text[1]))
            return options;
    return NULL;
}

// Takes the option at argv[*i] and its value.
static int take_option(struct arguments *arguments, int argc, char **argv, int *i)
{
    const char *command = arguments->command;
    const char *text = argv[*i];
    const struct option *format = find_option(arguments->options, "--format", strlen("--format"));
    if (strcmp(text, "--json") == 0 && format != NULL && is_choice(format->choices, "json"))
        text = "--format=json";
    size_t length = strcspn(text, "=");
    const struct option *option = find_option(arguments->options, text, length);
    if (option == NULL) {
        struct guess guess = {NULL, 0};
        char given[64];
        snprintf(given, sizeof given, "%.*s", length < sizeof given ? (int)length : 0, text);
        for (option = arguments->options; option->name != NULL; option++)
            guess_try(&guess, given, option->name);
        return usage_fault(command, "unknown option '%.60s'%s", text, guess_text(&guess).text);
    }
    arguments->given |= UINT64_C(1) << (option - arguments->options);
    const char *value = text[length] == '=' ? text + length + 1 : NULL;
    if (option->kind == OPTION_FLAG) {
        if (value != NULL)
            return usage_fault(command, "%s takes no value", option->name);
        *(bool *)option->value = true;
        return EXIT_DONE;
    }
    if (value == NULL) {
        if (*i + 1 == argc)
            return usage_fault(command, "%s needs a value", option->name);
        value = argv[++*i];
    }
    return set_value(command, option, value);
}

// Who gets the next table of options, instead of its being used for parsing.
static struct {
    void (*visit)(void *context, const struct option *options);
    void *context;
} visitor;

void options_visit(int (*run)(int argc, char **argv), void (*visit)(void *context, const struct option *options),
                   void *context)
{
    visitor.visit = visit;
    visitor.context = context;
    run(0, NULL);
    visitor.visit = NULL;
}

int options_parse(struct arguments *arguments, const char *command, int argc, char **argv, const struct option *options)
{
    bool ended = false;
    *arguments = (struct arguments){.command = command, .word = argv, .options = options};
    if (visitor.visit != NULL) {
        visitor.visit(visitor.context, options);
        return EXIT_USAGE; // the command ends here
    }
    for (int i = 0; i < argc; i++) {
        if (ended || argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[arguments->count++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            ended = true;
        } else {
            TRY(take_option(arguments, argc, argv, &i));
        }
    }
    return EXIT_DONE;
}

// Is one of these options given (those such as "--format=raw" with that value)?
static bool any_given(const struct arguments *arguments, const char *list)
{
    for (const char *word = list + strspn(list, " "); *word != '\0'; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        const size_t name = strcspn(word, " =");
        const struct option *option = find_option(arguments->options, word, name);
        if (option != NULL && (arguments->given >> (option - arguments->options) & 1) != 0) {
            const char *value = name < length ? *(const char **)option->value : NULL;
            if (name >= length ||
                (strlen(value) == length - name - 1 && strncmp(value, word + name + 1, strlen(value)) == 0))
                return true;
        }
        word += length;
    }
    return false;
}

int options_check(const struct arguments *arguments, const struct option_rule *rules)
{
    for (; rules != NULL && rules->sentence != NULL; rules++)
        if (any_given(arguments, rules->given) && (rules->with == NULL || any_given(arguments, rules->with)) &&
            !any_given(arguments, rules->without))
            return usage_fault(arguments->command, "%s", rules->sentence);
    return EXIT_DONE;
}

const struct endgame_kind *options_kind(const struct arguments *arguments)
{
    const struct endgame_kind *kind = endgame_kinds[0];
    for (int i = 1; endgame_kinds[i] != NULL; i++)
        if (any_given(arguments, endgame_kinds[i]->options))
            kind = endgame_kinds[i];
    return kind;
}
