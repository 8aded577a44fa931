// pgn.c - a reader of PGN, character by character
#include "chess/pgn.h"

#include "util/error.h"

#include <errno.h>
#include <string.h>

static int peek(struct pgn *pgn)
{
    const int c = getc(pgn->in);
    ungetc(c, pgn->in);
    return c;
}

static int take(struct pgn *pgn)
{
    const int c = getc(pgn->in);
    if (c == EOF)
        return EOF;
    putc(c, pgn->copy);
    pgn->behind_line_end = c == '\n';
    pgn->here += pgn->behind_line_end;
    return c;
}

void pgn_begin(struct pgn *pgn, FILE *in, FILE *copy)
{
    *pgn = (struct pgn){.in = in, .copy = copy, .line = 1, .here = 1};
    if (peek(pgn) == 0xef) // a byte-order mark
        for (int i = 0; i < 3 && strchr("\xef\xbb\xbf", peek(pgn)) != NULL; i++)
            take(pgn);
    pgn->behind_line_end = true;
}

void pgn_skip_game(struct pgn *pgn)
{
    for (int c = peek(pgn); c != EOF && !(c == '[' && pgn->behind_line_end); c = peek(pgn))
        take(pgn);
}

static int fault(const struct pgn *pgn, const char *what)
{
    return error_set(CLTB_E_POSITION, "line %ld: %s", pgn->line, what);
}

// Copies up to and including `end`. If that is a line ending, the text may also end first.
static int skip(struct pgn *pgn, int end, const char *unended)
{
    for (int c; (c = take(pgn)) != end;)
        if (c == EOF)
            return end == '\n' ? 0 : fault(pgn, unended);
    return 0;
}

// Can this character stand in a move, a number or a result?
static bool is_symbol(int c)
{
    return c > 0 && c < 0x80 && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+#=:-/!?*_", c);
}

// Reads symbol characters into text[PGN_TEXT_MAX].
static int take_symbol(struct pgn *pgn, char *text)
{
    size_t length = 0;
    while (is_symbol(peek(pgn))) {
        if (length == PGN_TEXT_MAX - 1)
            return fault(pgn, "a word is too long");
        text[length++] = (char)take(pgn);
    }
    text[length] = '\0';
    return 0;
}

static void take_blanks(struct pgn *pgn)
{
    for (int c = peek(pgn); c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = peek(pgn))
        take(pgn);
}

// Reads what follows '[': name "text", with \" and \\ for these two characters, and ']'.
static int take_tag(struct pgn *pgn)
{
    size_t length = 0;
    take_blanks(pgn);
    TRY(take_symbol(pgn, pgn->name));
    take_blanks(pgn);
    if (pgn->name[0] == '\0' || take(pgn) != '"')
        return fault(pgn, "a tag is a name and a text in quotes");
    for (int c; (c = take(pgn)) != '"';) {
        if (c == '\\' && (peek(pgn) == '"' || peek(pgn) == '\\'))
            c = take(pgn);
        if (c == EOF || c == '\n' || c == '\0')
            return fault(pgn, "the text of a tag does not end");
        if (length < PGN_TEXT_MAX - 1) // only the names of players and events are longer
            pgn->text[length++] = (char)c;
    }
    pgn->text[length] = '\0';
    take_blanks(pgn);
    return take(pgn) == ']' ? 0 : fault(pgn, "a tag does not end with ]");
}

static bool is_result(const char *text)
{
    static const char *const results[] = {"1-0", "0-1", "1/2-1/2", "*"};
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        if (strcmp(text, results[i]) == 0)
            return true;
    return false;
}

// Is this a move number, or a mark such as "!?" that stands alone?
static bool is_decoration(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0' || text[strspn(text, "!?")] == '\0';
}

int pgn_next(struct pgn *pgn, enum pgn_token *token)
{
    for (;;) {
        take_blanks(pgn);
        const bool line_begins = pgn->behind_line_end;
        const int c = peek(pgn);
        pgn->line = pgn->here;
        if (is_symbol(c)) {
            TRY(take_symbol(pgn, pgn->text));
            if (is_decoration(pgn->text))
                continue;
            *token = is_result(pgn->text) ? PGN_RESULT : PGN_MOVE;
            return 0;
        }
        take(pgn);
        switch (c) {
        case EOF:
            *token = PGN_END;
            return ferror(pgn->in) ? error_errno(CLTB_E_IO, errno, "cannot read the games") : 0;
        case '[':
            *token = PGN_TAG;
            return take_tag(pgn);
        case '(':
            *token = PGN_OPEN;
            return 0;
        case ')':
            *token = PGN_CLOSE;
            return 0;
        case '.':
            break;
        case '$':
            TRY(take_symbol(pgn, pgn->text));
            break;
        case '{':
            TRY(skip(pgn, '}', "a comment does not end"));
            break;
        case '<':
            TRY(skip(pgn, '>', "what begins with < does not end"));
            break;
        case ';':
            TRY(skip(pgn, '\n', NULL));
            break;
        case '%':
            if (!line_begins)
                return fault(pgn, "% stands at the beginning of a line only");
            TRY(skip(pgn, '\n', NULL));
            break;
        default:
            return fault(pgn, "there is a character that is no PGN");
        }
    }
}
