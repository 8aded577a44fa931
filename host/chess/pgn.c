// pgn.c - a reader of PGN, character by character
//
// What follows a move up to the next token that matters, its NAGs and comments, is read together with the move but held
// back from the copy, so that pgn_mark() can put something between them.
#include "chess/pgn.h"

#include "util/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n\f\v";
static const char digits[] = "0123456789";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// ---- characters ----

static bool is_in(int c, const char *set)
{
    return c > 0 && strchr(set, c) != NULL;
}

static int peek_at(struct pgn *pgn, int n)
{
    for (; pgn->aheads <= n; pgn->aheads++)
        pgn->ahead[pgn->aheads] = getc(pgn->in);
    return pgn->ahead[n];
}

static int peek(struct pgn *pgn)
{
    return peek_at(pgn, 0);
}

// Copies what was held back.
static void release(struct pgn *pgn)
{
    if (pgn->held_length > 0)
        fwrite(pgn->held, 1, pgn->held_length, pgn->copy);
    pgn->held_length = 0;
    pgn->holding = false;
}

static void put(struct pgn *pgn, int c)
{
    if (pgn->holding && pgn->held_length == pgn->held_size) {
        const size_t size = 2 * pgn->held_size + 256;
        char *held = realloc(pgn->held, size);
        pgn->starved = held == NULL;
        if (held == NULL) {
            release(pgn);
        } else {
            pgn->held = held;
            pgn->held_size = size;
        }
    }
    if (pgn->holding)
        pgn->held[pgn->held_length++] = (char)c;
    else
        putc(c, pgn->copy);
}

static int take(struct pgn *pgn)
{
    const int c = peek(pgn);
    if (c == EOF)
        return EOF;
    pgn->aheads--;
    memmove(pgn->ahead, pgn->ahead + 1, (size_t)pgn->aheads * sizeof pgn->ahead[0]);
    put(pgn, c);
    pgn->behind_line_end = c == '\n' || (c == '\r' && peek(pgn) != '\n');
    pgn->here += pgn->behind_line_end;
    return c;
}

// Takes a character of UTF-8; a byte that does not belong to one is a character of Latin-1.
static int take_character(struct pgn *pgn)
{
    const int c = take(pgn);
    int code = c & (c >= 0xe0 ? 0x0f : 0x1f);
    if (c < 0xc2 || (peek(pgn) & 0xc0) != 0x80)
        return c;
    for (int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1; more > 0 && (peek(pgn) & 0xc0) == 0x80; more--)
        code = code << 6 | (take(pgn) & 0x3f);
    return code;
}

// The ASCII for a character: "" if it has no width, " " for a blank, "~" for any other sign.
static const char *ascii(int code)
{
    static const char *const men[] = {"K", "Q", "R", "B", "N", "P"};
    static const struct {
        int first, last;
        const char *text;
    } ranges[] = {
        {0x85, 0x85, "."},     {0x96, 0x97, "-"},     {0xa0, 0xa0, " "},     {0xbd, 0xbd, "1/2"},
        {0xd7, 0xd7, "x"},     {0x39f, 0x39f, "O"},   {0x41e, 0x41e, "O"},   {0x2000, 0x200a, " "},
        {0x200b, 0x200f, ""},  {0x2010, 0x2015, "-"}, {0x2020, 0x2021, "+"}, {0x2026, 0x2026, "."},
        {0x202f, 0x202f, " "}, {0x2060, 0x2060, ""},  {0x2212, 0x2212, "-"}, {0x3000, 0x3000, " "},
        {0xfe00, 0xfe0f, ""},  {0xfeff, 0xfeff, ""},
    };
    if (code >= 0x2654 && code <= 0x265f)
        return men[(code - 0x2654) % 6];
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return ranges[i].text;
    return "~";
}

void pgn_begin(struct pgn *pgn, FILE *in, FILE *copy)
{
    *pgn = (struct pgn){.in = in, .copy = copy, .line = 1, .here = 1};
    if (peek(pgn) == 0xef && peek_at(pgn, 1) == 0xbb && peek_at(pgn, 2) == 0xbf) // a byte-order mark
        take_character(pgn);
    pgn->behind_line_end = true;
}

bool pgn_is_utf16(struct pgn *pgn)
{
    return (peek(pgn) == 0xff && peek_at(pgn, 1) == 0xfe) || (peek(pgn) == 0xfe && peek_at(pgn, 1) == 0xff);
}

void pgn_end(struct pgn *pgn)
{
    release(pgn);
    free(pgn->held);
}

// ---- what is only copied ----

static void take_blanks(struct pgn *pgn)
{
    const long line = pgn->here - pgn->behind_line_end;
    while (is_in(peek(pgn), blanks))
        take(pgn);
    pgn->gap |= pgn->here - line >= 2;
}

static void take_line(struct pgn *pgn)
{
    while (take(pgn) != EOF && !pgn->behind_line_end)
        continue;
}

// Takes a comment, a command such as "[%clk 1:00]" outside of one, a NAG, a mark such as "!?" that stands alone, or a
// line that starts with %; false if there is none.
static bool take_aside(struct pgn *pgn)
{
    const int c = peek(pgn);
    const long line = pgn->here;
    if (c == ';' || (c == '%' && pgn->behind_line_end)) {
        take_line(pgn);
    } else if (c == '{') {
        while (peek(pgn) != EOF && take(pgn) != '}')
            if (peek(pgn) == EOF)
                pgn->unended = line;
    } else if (c == '<' || (c == '[' && peek_at(pgn, 1) == '%')) {
        while (take(pgn) != (c == '<' ? '>' : ']') && peek(pgn) != EOF && !pgn->behind_line_end)
            continue;
    } else if (c == '$' || is_in(c, "!?")) {
        const char *more = c == '$' ? digits : "!?";
        for (take(pgn); is_in(peek(pgn), more);)
            take(pgn);
    } else {
        return false;
    }
    return true;
}

static void take_asides(struct pgn *pgn)
{
    do
        take_blanks(pgn);
    while (take_aside(pgn));
}

// ---- what is behind a move ----

// The end of what take_aside() took as one thing, or of one blank.
static size_t aside_end(const char *text, size_t length, size_t at)
{
    const char c = text[at++];
    const char *const ends = c == '{'               ? "}"
                             : c == '<'             ? ">\r\n"
                             : c == '['             ? "]\r\n"
                             : c == ';' || c == '%' ? "\r\n"
                                                    : NULL;
    if (ends != NULL)
        while (at < length && !is_in(text[at++], ends))
            continue;
    else if (!is_in(c, blanks))
        while (at < length && is_in(text[at], c == '$' ? digits : "!?"))
            at++;
    return at;
}

void pgn_mark(struct pgn *pgn, const char *nag, bool (*ours)(const char *comment, size_t length))
{
    char *text = pgn->held;
    size_t place = 0;
    bool commented = false;
    bool has_nag = nag == NULL;
    size_t blank = 0; // the end of the last blank
    for (size_t at = 0, end; at < pgn->held_length; at = end) {
        end = aside_end(text, pgn->held_length, at);
        if (text[at] == '{' && end - at >= 2 && ours(text + at + 1, end - at - 2)) {
            at -= at > 0 && blank == at;
            memmove(text + at, text + end, pgn->held_length - end);
            pgn->held_length -= end - at;
            end = at;
        } else if (is_in(text[at], blanks)) {
            blank = end;
        } else if (!is_in(text[at], "$!?")) {
            commented = true;
        } else {
            has_nag |= !has_nag && strlen(nag) == end - at && memcmp(nag, text + at, end - at) == 0;
            if (!commented)
                place = end;
        }
    }
    if (place > 0)
        fwrite(text, 1, place, pgn->copy);
    if (!has_nag)
        fprintf(pgn->copy, " %s", nag);
    pgn->held_length -= place;
    if (pgn->held_length > 0)
        memmove(text, text + place, pgn->held_length);
}

// ---- tokens ----

static int fault(const char *what)
{
    return error_set(CLTB_E_POSITION, "%s", what);
}

// Reads what follows '[': name "text", with \" and \\ for these two characters, and ']'. A quote that no ']' follows
// belongs to the text.
static int take_tag(struct pgn *pgn)
{
    size_t length = 0;
    pgn->name[0] = '\0';
    take_blanks(pgn);
    for (; is_in(peek(pgn), letters) || is_in(peek(pgn), digits) || is_in(peek(pgn), "_+#=:-/"); length++)
        pgn->name[length < PGN_TEXT_MAX - 1 ? length : PGN_TEXT_MAX - 1] = (char)take(pgn);
    pgn->name[length < PGN_TEXT_MAX - 1 ? length : PGN_TEXT_MAX - 1] = '\0';
    take_blanks(pgn);
    if (length == 0 || take(pgn) != '"')
        return fault("a tag is a name and a text in quotes");
    length = 0;
    for (bool quoted = false;;) {
        int c = take(pgn);
        if (c == EOF || c == '\0' || is_in(c, "\r\n"))
            return fault(quoted ? "a tag does not end with ]" : "the text of a tag does not end");
        if (c == '"') {
            quoted = true;
            while (is_in(peek(pgn), " \t"))
                take(pgn);
            if (peek(pgn) == ']')
                break;
        }
        if (c == '\\' && is_in(peek(pgn), "\"\\"))
            c = take(pgn);
        if (length < PGN_TEXT_MAX - 1) // only the names of players and events are longer
            pgn->text[length++] = (char)c;
    }
    pgn->text[length] = '\0';
    take(pgn);
    return 0;
}

static bool is_one_of(const char *text, size_t length, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strlen(*list) == length && strncmp(text, *list, length) == 0)
            return true;
    return false;
}

// What is this word? PGN_END: only a sign.
static enum pgn_token classify(char *text)
{
    static const char *const results[] = {"1-0", "0-1", "1/2-1/2", "1/2", "1:0", "0:1", "1/2:1/2", "0.5-0.5", NULL};
    static const char *const nulls[] = {PGN_NULL_MOVE, "Z0", "@@@@", "0000", "null", "NULL", "pass", "PASS", NULL};
    static const char *const signs[] = {"N",  "D",  "TN",   "RR", "e.p.", "e.p",       "ep.",
                                        "ep", "EP", "E.P.", "ch", "mate", "checkmate", NULL};
    const size_t length = strcspn(text, "!?+#="); // without marks
    if (is_one_of(text, strlen(text), results))
        return PGN_RESULT;
    if (is_one_of(text, length, nulls)) {
        memcpy(text, PGN_NULL_MOVE, sizeof PGN_NULL_MOVE); // no null move is shorter
        return PGN_MOVE;
    }
    const bool move = strpbrk(text, letters) != NULL || strncmp(text, "0-0", 3) == 0;
    return move && !is_one_of(text, length, signs) ? PGN_MOVE : PGN_END;
}

// Reads a word into `text`, as ASCII; a number in front of a move, with its dots, is left out.
static int take_word(struct pgn *pgn)
{
    char *text = pgn->text;
    size_t length = 0;
    bool marked = false; // "e4!Nf6": the next letter begins another word
    for (int c = peek(pgn); c > 0 && !is_in(c, blanks) && !is_in(c, "{}()[];$<*"); c = peek(pgn)) {
        const bool sign = !is_in(c, letters) && !is_in(c, digits);
        if (marked && !sign)
            break;
        const int code = take_character(pgn);
        const char *add = code < 0x80 ? (char[]){(char)code, '\0'} : ascii(code);
        if (*add == ' ')
            break;
        if (length + strlen(add) >= PGN_TEXT_MAX) {
            length = PGN_TEXT_MAX;
            continue;
        }
        memcpy(text + length, add, strlen(add) + 1);
        const size_t number = strspn(text, digits);
        marked = is_in(c, "!?+#") && strpbrk(text, letters) != NULL;
        length += strlen(add);
        if (*add != '.' || number + 1 != length || strcmp(text, "0.") == 0)
            continue;
        pgn->restarts = pgn->gap && strcmp(text, "1.") == 0 && peek(pgn) != '.';
        length = 0;
    }
    text[length < PGN_TEXT_MAX ? length : 0] = '\0';
    return length < PGN_TEXT_MAX ? 0 : fault("a word is too long");
}

// "d8(Q)": the rest of a move that is written so.
static void take_promotion(struct pgn *pgn)
{
    const size_t length = strlen(pgn->text);
    if (length == 0 || length > PGN_TEXT_MAX - 2 || !is_in(pgn->text[length - 1], "18=") || peek(pgn) != '(' ||
        !is_in(peek_at(pgn, 1), "QRBNqrbn") || peek_at(pgn, 2) != ')')
        return;
    take(pgn);
    pgn->text[length] = (char)take(pgn);
    pgn->text[length + 1] = '\0';
    take(pgn);
    while (is_in(peek(pgn), "+#="))
        take(pgn);
}

static int next_token(struct pgn *pgn, enum pgn_token *token)
{
    pgn->restarts = false;
    for (;;) {
        take_asides(pgn);
        const int c = peek(pgn);
        pgn->line = pgn->here;
        switch (c) {
        case EOF:
            *token = PGN_END;
            if (ferror(pgn->in))
                return error_errno(CLTB_E_IO, errno, "cannot read the games");
            if (pgn->unended == 0)
                return 0;
            pgn->line = pgn->unended;
            pgn->unended = 0;
            return fault("a comment does not end");
        case '[':
            *token = PGN_TAG;
            take(pgn);
            const int code = take_tag(pgn);
            if (code != 0 && !pgn->behind_line_end)
                take_line(pgn);
            return code;
        case '(':
        case ')':
            *token = c == '(' ? PGN_OPEN : PGN_CLOSE;
            take(pgn);
            return 0;
        case '*':
            *token = PGN_RESULT;
            take(pgn);
            return 0;
        case ']':
        case '}':
        case '\0':
            take(pgn);
            continue;
        default:
            *token = PGN_MOVE;
            TRY(take_word(pgn));
            take_promotion(pgn);
            if ((*token = classify(pgn->text)) != PGN_END)
                return 0;
        }
    }
}

int pgn_next(struct pgn *pgn, enum pgn_token *token)
{
    release(pgn);
    const int code = next_token(pgn, token);
    pgn->gap = false;
    if (code == 0 && *token == PGN_MOVE) {
        pgn->holding = true;
        take_asides(pgn);
        pgn->holding = false;
    }
    return pgn->starved ? error_memory(pgn->held_size, "a comment") : code;
}
