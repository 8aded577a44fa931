// build.c - the arguments of `cltb build` for a restricted endgame
#include "restricted/cli/build.h"

#include "restricted/make/spec_file.h"
#include "util/error.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool is_restricted(const char *word)
{
    return strchr(word, '[') != NULL || strstr(word, " v ") != NULL;
}

// One of "COLOUR TYPE PATTERN".
static int add_rule(struct spec *spec, const char *text)
{
    char colour[8];
    char type[8];
    char pattern[SPEC_PATTERN_MAX];
    char rest;
    if (sscanf(text, " %7s %7s %31s %c", colour, type, pattern, &rest) != 3 ||
        (strcmp(colour, "white") != 0 && strcmp(colour, "black") != 0) ||
        (strcmp(type, "discard") != 0 && strcmp(type, "concede") != 0))
        return error_set(
            CLTB_E_USAGE,
            "prune rule '%.60s' is not of the form COLOUR discard|concede PATTERN, as in: white discard P=R", text);
    return spec_add_rule(spec, strcmp(colour, "white") == 0 ? WHITE : BLACK,
                         strcmp(type, "discard") == 0 ? SPEC_DISCARD : SPEC_CONCEDE, pattern);
}

static int add_futurebase(struct spec *spec, const char *text)
{
    char file[PATH_MAX];
    const char *colon = strrchr(text, ':');
    const bool invert = colon != NULL && strcmp(colon, ":invert") == 0;
    snprintf(file, sizeof file, "%.*s", invert ? (int)(colon - text) : (int)strlen(text), text);
    return spec_add_futurebase(spec, file, invert);
}

// Calls add() for each part of a text between separators.
static int each_part(struct spec *spec, const char *text, const char *separator,
                     int (*add)(struct spec *spec, const char *part))
{
    char *copy = text == NULL ? NULL : strdup(text);
    char *rest = copy;
    int code = 0;
    if (text != NULL && copy == NULL)
        return error_memory(strlen(text), "arguments");
    for (char *part; code == 0 && (part = strsep(&rest, separator)) != NULL;) {
        if (part[strspn(part, " ")] != '\0')
            code = add(spec, part);
    }
    free(copy);
    return code;
}

static int read_all(struct spec *spec, const struct restricted_request *request, const struct arguments *names)
{
    if (request->file != NULL)
        TRY(spec_read_file(spec, request->file));
    else
        TRY(spec_read(spec, names->word[0]));
    TRY(each_part(spec, request->prune, ";", add_rule));
    TRY(each_part(spec, request->futurebases, ",", add_futurebase));
    return spec_finish(spec);
}

int read_restricted(struct spec *spec, const struct restricted_request *request, const struct arguments *names)
{
    if (request->file != NULL && names->count > 0)
        return usage_fault("build", "either --spec or men and names, not both");
    if (request->file == NULL && names->count != 1)
        return usage_fault("build", "one restricted endgame at a time");
    const int code = read_all(spec, request, names);
    if (code != 0)
        return report("build", code);
    if (spec->note[0] != '\0')
        fprintf(stderr, "cltb build: note: %s\n", spec->note);
    return EXIT_DONE;
}

void warn_idle_rules(const struct spec *spec, uint64_t idle)
{
    for (int i = 0; i < spec->rules; i++) {
        const struct spec_rule *rule = &spec->rule[i];
        if ((idle >> i & 1) != 0 && !rule->pattern.stalemate)
            fprintf(stderr,
                    "cltb build: warning: the rule '%s %s %s' decides no move that leaves the endgame: it matches "
                    "none, or an earlier rule does\n",
                    rule->colour == WHITE ? "white" : "black", rule->prune == SPEC_DISCARD ? "discard" : "concede",
                    rule->text);
    }
}
