// epd.c - reading EPD: where the fields end, the FEN reader for them, then the operations
#include "chess/epd.h"

#include "chess/fen.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// "d3", and what should be such a square: "D3", "d9".
static bool is_like_square(const char *word, size_t length)
{
    return length == 2 && strchr("abcdefghABCDEFGH", word[0]) != NULL && word[1] >= '0' && word[1] <= '9' &&
           strncmp(word, "c0", 2) != 0 && strncmp(word, "c9", 2) != 0; // these are opcodes
}

// Which field of a FEN from `next` on is this word: 2 castling rights, 3 a square, 4 and 5 counters, 6 none of them? A
// string behind it makes it an opcode ("c3"). A faulty field is no opcode, so that it is not passed over.
static int field_of(const char *word, size_t length, int next)
{
    static const char rights[] = "KQkqABCDEFGHabcdefgh";
    const char *const behind = word + length + strspn(word + length, blanks);
    const size_t more = strcspn(behind, " \t\r\n;");
    const bool dash = more == 1 && *behind == '-';
    if (length == 1 && *word == '-')
        return next <= 3 ? next : 6;
    if (strspn(word, "0123456789") >= length)
        return next > 4 ? next : 4;
    if (next == 2 && (strspn(word, "KQkq") >= length || (dash && length <= 4) ||
                      (is_like_square(behind, more) && strspn(word, rights) >= length)))
        return 2;
    return next <= 3 && *behind != '"' && (length == 1 || is_like_square(word, length)) ? 3 : 6;
}

// Where the operations or the comment begin. Without a semicolon there is at most one operation, behind four fields;
// whatever else there is belongs to the fields, and is a fault.
static const char *fields_end(const char *line)
{
    const char *at = line;
    int next = 0;
    for (;;) {
        const char *word = at + strspn(at, blanks);
        const size_t length = strcspn(word, " \t\r\n;");
        const int field = length == 0 ? 6 : next < 2 ? next : field_of(word, length, next);
        if (field > 5) {
            const size_t operand = length + strspn(word + length, blanks);
            const bool operation = next >= 4 && length > 1 && is_letter(*word) && word[operand] != '\0';
            return operation || strchr(line, ';') != NULL ? at : line + strlen(line);
        }
        next = field + 1;
        at = word + length;
    }
}

// The end of an operation, behind which a semicolon or nothing stands; NULL if a string in it does not end. In strings
// a semicolon is none and, with `escapes`, a quote behind a backslash neither.
static const char *operation_end(const char *at, bool escapes)
{
    bool quoted = false;
    for (; *at != '\0' && (quoted || *at != ';'); at++) {
        if (escapes && quoted && *at == '\\' && at[1] != '\0')
            at++;
        else
            quoted ^= *at == '"';
    }
    return quoted ? NULL : at;
}

bool epd_next(const char **rest, struct epd_operation *operation)
{
    const char *at = *rest + strspn(*rest, blanks);
    if (*at == ';' || *at == '\0')
        return false;
    operation->text = at;
    operation->opcode = (int)strcspn(at, " \t\r\n;");
    const char *end = operation_end(operation->text, true);
    if (end == NULL)
        end = operation_end(operation->text, false);
    at = end != NULL ? end : operation->text + strlen(operation->text);
    *rest = at + strspn(at, "; \t\r\n");
    // The semicolon behind a string without an end may be our own.
    while (at > operation->text && strchr(end == NULL ? "; \t\r\n" : blanks, at[-1]) != NULL)
        at--;
    operation->length = (int)(at - operation->text);
    return true;
}

bool epd_is(const struct epd_operation *operation, const char *opcode)
{
    return (int)strlen(opcode) == operation->opcode && strncmp(opcode, operation->text, (size_t)operation->opcode) == 0;
}

// The number in "hmvc 12".
static int read_number(const struct epd_operation *operation, int *number)
{
    const char *text = operation->text + operation->opcode;
    char *end;
    const long n = strtol(text, &end, 10);
    if (end == text || end != operation->text + operation->length || n < 0 || n > COUNTER_MAX)
        return error_set(CLTB_E_POSITION, "EPD: '%.*s' takes a number from 0 to %d", operation->opcode, operation->text,
                         COUNTER_MAX);
    *number = (int)n;
    return 0;
}

int epd_read(struct position *p, const char *line, const char **rest)
{
    char fields[FEN_MAX + 1];
    struct epd_operation operation;
    const char *at = fields_end(line);
    const size_t length = (size_t)(at - line) < FEN_MAX ? (size_t)(at - line) : FEN_MAX;
    memcpy(fields, line, length);
    fields[length] = '\0';
    TRY(fen_read(p, fields));
    int fifty = p->fifty;
    int number = (int)p->move_number;
    at += strspn(at, blanks);
    *rest = at;
    while (epd_next(&at, &operation)) {
        if (!is_letter(operation.text[0]))
            return error_set(CLTB_E_POSITION, "EPD: an operation begins with a letter, not with %s",
                             show(operation.text[0]).text);
        if (epd_is(&operation, "hmvc"))
            TRY(read_number(&operation, &fifty));
        else if (epd_is(&operation, "fmvn"))
            TRY(read_number(&operation, &number));
    }
    return position_set_counters(p, fifty, number > 0 ? number : 1);
}
