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

// Is this word, after the side to move, a field of a FEN: castling rights, a square, '-' or a number?
static bool is_field(const char *word, size_t length)
{
    const bool square = length == 2 && word[0] >= 'a' && word[0] <= 'h' && word[1] >= '1' && word[1] <= '8';
    return square || strspn(word, "KQkq-") >= length || strspn(word, "0123456789") >= length;
}

// Where the operations or the comment begin; the end of a line that has neither, because it has no semicolon.
static const char *fields_end(const char *line)
{
    const char *at = line;
    if (strchr(line, ';') == NULL)
        return line + strlen(line);
    for (int field = 0; field < 6; field++) {
        const char *word = at + strspn(at, blanks);
        const size_t length = strcspn(word, " \t\r\n;");
        if (length == 0 || (field >= 2 && !is_field(word, length)))
            break;
        at = word + length;
    }
    return at;
}

bool epd_next(const char **rest, struct epd_operation *operation)
{
    const char *at = *rest + strspn(*rest, blanks);
    bool quoted = false;
    if (*at == ';' || *at == '\0')
        return false;
    operation->text = at;
    operation->opcode = (int)strcspn(at, " \t\r\n;");
    for (; *at != '\0' && (quoted || *at != ';'); at++)
        quoted ^= *at == '"';
    *rest = at + strspn(at, "; \t\r\n");
    while (at > operation->text && strchr(blanks, at[-1]) != NULL)
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
