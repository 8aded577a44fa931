// spec_text.c - a spec as text: the men ("K P[f7+] P[g7+] v K"), and all of it as lines
#include "restricted/spec.h"

#include "chess/attacks.h"
#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char letters[] = "KQRBNP";
const char *const spec_colour_word[COLOURS] = {"white", "black"};
const char *const spec_prune_word[] = {[SPEC_DISCARD] = "discard", [SPEC_CONCEDE] = "concede"};

static uint64_t squares_of_type(int type)
{
    return type == PAWN ? ~(RANK_1 | RANK_8) : UINT64_MAX;
}

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t");
}

// ---- sets, read ----

// The squares of files f0..f1 and ranks r0..r1, each pair in either order.
static uint64_t rectangle(int f0, int r0, int f1, int r1)
{
    uint64_t squares = 0;
    for (int square = 0; square < SQUARES; square++) {
        const int file = square_file(square);
        const int rank = square_rank(square);
        if ((file - f0) * (file - f1) <= 0 && (rank - r0) * (rank - r1) <= 0)
            squares |= square_bit(square);
    }
    return squares;
}

static uint64_t way_of_pawn(int colour, int file, int rank)
{
    return rectangle(file, rank, file, colour == WHITE ? 6 : 1);
}

// Reads one end of an element: "e4", "e" or "4", and moves *at past it. False: none of these. What is not given is -1.
static bool read_corner(const char **at, int *file, int *rank)
{
    *file = *rank = -1;
    if (**at >= 'a' && **at <= 'h')
        *file = *(*at)++ - 'a';
    if (**at >= '1' && **at <= '8')
        *rank = *(*at)++ - '1';
    return *file >= 0 || *rank >= 0;
}

// Reads an element such as "e4", "a1-d8" or "e4+" and adds its squares. *text moves past it, but not after an error.
static int read_element(uint64_t *squares, int colour, int type, const char **text)
{
    const char *at = *text;
    const size_t length = strcspn(at, ", \t]");
    const int shown = length < 20 ? (int)length : 20;
    int file[2]; // of the corners
    int rank[2]; //
    bool good = read_corner(&at, &file[0], &rank[0]);
    const bool lines = file[0] < 0 || rank[0] < 0; // files or ranks, no single square
    const bool way = good && *at == '+' && !lines;
    file[1] = file[0];
    rank[1] = rank[0];
    if (way) {
        at++;
    } else if (good && *at == '-') {
        at++;
        good = read_corner(&at, &file[1], &rank[1]) && (file[0] < 0) == (file[1] < 0) && (rank[0] < 0) == (rank[1] < 0);
    }
    if (!good || at != *text + length)
        return error_set(CLTB_E_USAGE,
                         "'%.*s' is not a set of squares (examples: e4, a1-d8, a-d, 1-4; for pawns also e4+)", shown,
                         *text);
    if (file[0] < 0) {
        file[0] = 0;
        file[1] = 7;
    }
    if (rank[0] < 0) {
        rank[0] = 0;
        rank[1] = 7;
    }
    const uint64_t all = rectangle(file[0], rank[0], file[1], rank[1]);
    const uint64_t set = way ? way_of_pawn(colour, file[0], rank[0]) : all & squares_of_type(type);
    if (way && type != PAWN)
        return error_set(CLTB_E_USAGE, "'%.*s': only pawns can have a '+'", shown, *text);
    if (!lines && (all & (all - 1)) == 0 && (all & ~squares_of_type(type)) != 0)
        return error_set(CLTB_E_USAGE, "a pawn cannot stand on %s", square_name(__builtin_ctzll(all)));
    if (set == 0)
        return error_set(CLTB_E_USAGE, "'%.*s': a pawn cannot stand on ranks 1 and 8", shown, *text);
    *squares |= set;
    *text += length;
    return 0;
}

// Reads up to the end of the text or ']', where *text is left; after an error it points at the error.
static int read_set(uint64_t *squares, int colour, int type, const char **text)
{
    bool wanted = true; // an element must follow: at the start and after a comma
    *squares = 0;
    for (;;) {
        skip_blanks(text);
        if (**text == '\0' || **text == ']')
            return wanted ? error_set(CLTB_E_USAGE, "a set of squares is missing") : 0;
        if (**text == ',' && !wanted) {
            ++*text;
            wanted = true;
            continue;
        }
        TRY(read_element(squares, colour, type, text));
        wanted = false;
    }
}

int spec_read_set(uint64_t *squares, int colour, int type, const char *text)
{
    skip_blanks(&text);
    if (*text == '\0') {
        *squares = squares_of_type(type);
        return 0;
    }
    TRY(read_set(squares, colour, type, &text));
    return *text == '\0' ? 0 : error_set(CLTB_E_USAGE, "']' cannot stand in a set of squares");
}

// ---- men, read ----

// Reads all men of both sides, each with its set; after an error *at points at it.
static int read_men(struct spec *spec, const char **at)
{
    for (int colour = WHITE;; ++*at) {
        for (skip_blanks(at); **at != '\0' && **at != 'v'; skip_blanks(at)) {
            const char *letter = strchr(letters, **at);
            if (letter == NULL)
                return error_set(CLTB_E_USAGE, "'%c' is not one of K Q R B N P",
                                 **at >= ' ' && **at <= '~' ? **at : '?');
            const int type = (int)(letter - letters);
            uint64_t squares = squares_of_type(type);
            const char *next = *at + 1;
            skip_blanks(&next);
            if (*next == '[') {
                *at = next + 1;
                TRY(read_set(&squares, colour, type, at));
                if (**at != ']')
                    return error_set(CLTB_E_USAGE, "a ']' is missing");
                next = *at + 1;
            }
            TRY(spec_add_man(spec, colour, type, squares));
            *at = next;
        }
        if (**at == '\0')
            return colour == BLACK ? 0 : error_set(CLTB_E_USAGE, "the 'v' and Black's men are missing");
        if (colour == BLACK)
            return error_set(CLTB_E_USAGE, "there is a second 'v'");
        colour = BLACK;
        *at += (*at)[1] == 's'; // "vs"
    }
}

int spec_read(struct spec *spec, const char *text)
{
    memset(spec, 0, sizeof *spec);
    const char *at = text;
    int code = read_men(spec, &at);
    if (code != 0)
        return error_prefix(code, "'%.80s' is not a restricted endgame: character %td", text, at - text + 1);
    code = spec_finish(spec);
    return code != 0 ? error_prefix(code, "'%.80s' is not a restricted endgame", text) : 0;
}

// ---- writing ----

// The destination of text; the length is counted even if there is no more room.
struct output {
    char *text;
    size_t size;
    size_t length;
};

static CLTB_PRINTF(2, 3) void put(struct output *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const bool room = out->length < out->size;
    const int n = vsnprintf(room ? out->text + out->length : NULL, room ? out->size - out->length : 0, fmt, args);
    va_end(args);
    if (n > 0)
        out->length += (size_t)n;
}

// If a set consists of whole lines (files, which are `step` = 1 apart, or ranks, 8 apart), writes it as runs "a-c,f".
static bool put_lines(struct output *out, uint64_t set, int type, uint64_t line, int step, char name)
{
    unsigned lines = 0;
    uint64_t covered = 0;
    for (int i = 0; i < 8; i++) {
        const uint64_t squares = line << step * i & squares_of_type(type);
        if (squares != 0 && (set & squares) == squares) {
            lines |= 1U << i;
            covered |= squares;
        }
    }
    if (covered != set)
        return false;
    const char *comma = "";
    for (int i = 0; i < 8; i++) {
        const int first = i;
        if ((lines >> i & 1) == 0)
            continue;
        while (lines >> (i + 1) & 1)
            i++;
        put(out, "%s%c", comma, name + first);
        if (i > first)
            put(out, "-%c", name + i);
        comma = ",";
    }
    return true;
}

// Each rectangle is the longest run of squares to the right of the lowest square left, and as many equal runs on the
// ranks above it.
static void put_rectangles(struct output *out, uint64_t set)
{
    const char *comma = "";
    while (set != 0) {
        const int low = __builtin_ctzll(set);
        int high = low;
        while (square_file(high) < 7 && (set >> (high + 1) & 1) != 0)
            high++;
        const uint64_t run = rectangle(square_file(low), square_rank(low), square_file(high), square_rank(low));
        const uint64_t beside = ((run & ~FILE_A) >> 1 | (run & ~FILE_H) << 1) & ~run;
        uint64_t all = run;
        for (int up = 8; square_rank(high) < 7 && (set & (run | beside) << up) == run << up; up += 8) {
            all |= run << up;
            high += 8;
        }
        set &= ~all;
        put(out, "%s%s", comma, square_name(low));
        if (high != low)
            put(out, "-%s", square_name(high));
        comma = ",";
    }
}

static void put_man(struct output *out, const struct spec_man *man)
{
    const uint64_t set = man->squares;
    put(out, "%c", letters[man->type]);
    if (set == squares_of_type(man->type))
        return;
    put(out, "[");
    if (!put_lines(out, set, man->type, FILE_A, 1, 'a') && !put_lines(out, set, man->type, RANK_1, 8, '1')) {
        const int first = man->colour == WHITE ? __builtin_ctzll(set) : 63 - __builtin_clzll(set);
        if (man->type == PAWN && (set & (set - 1)) != 0 &&
            set == way_of_pawn(man->colour, square_file(first), square_rank(first)))
            put(out, "%s+", square_name(first));
        else
            put_rectangles(out, set);
    }
    put(out, "]");
}

static void put_men(struct output *out, const struct spec *spec)
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        if (colour == BLACK)
            put(out, " v ");
        const char *blank = "";
        for (int i = 0; i < spec->men; i++) {
            if (spec->man[i].colour != colour)
                continue;
            put(out, "%s", blank);
            put_man(out, &spec->man[i]);
            blank = " ";
        }
    }
}

void spec_name(const struct spec *spec, char text[SPEC_NAME_MAX])
{
    struct output out = {text, SPEC_NAME_MAX, 0};
    text[0] = '\0';
    put_men(&out, spec);
}

size_t spec_write(const struct spec *spec, char *text, size_t size)
{
    struct output out = {text, size, 0};
    put(&out, "men ");
    put_men(&out, spec);
    put(&out, "\n");
    for (int i = 0; i < spec->rules; i++) {
        const struct spec_rule *rule = &spec->rule[i];
        put(&out, "prune %s %s %s\n", spec_colour_word[rule->colour], spec_prune_word[rule->prune], rule->text);
    }
    for (int i = 0; i < spec->futurebases; i++)
        put(&out, "%s %s\n", spec->futurebase[i].invert ? "inverted" : "futurebase", spec->futurebase[i].file);
    if (spec->output[0] != '\0')
        put(&out, "output %s\n", spec->output);
    if (spec->note[0] != '\0')
        put(&out, "note %s\n", spec->note);
    return out.length;
}

// ---- lines, read ----

// Copies one line of text into `to` [size].
static int take_line(char *to, size_t size, const char *from, const char *what)
{
    const size_t length = strlen(from);
    if (length == 0)
        return error_set(CLTB_E_USAGE, "the %s is empty", what);
    if (length >= size)
        return error_set(CLTB_E_USAGE, "the %s has more than %zu bytes", what, size - 1);
    for (const char *c = from; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return error_set(CLTB_E_USAGE, "the %s has control characters", what);
    }
    memcpy(to, from, length + 1);
    return 0;
}

int spec_add_futurebase(struct spec *spec, const char *file, bool invert)
{
    if (spec->futurebases == SPEC_FUTUREBASES_MAX)
        return error_set(CLTB_E_USAGE, "more than %d futurebases", SPEC_FUTUREBASES_MAX);
    struct spec_futurebase *base = &spec->futurebase[spec->futurebases];
    TRY(take_line(base->file, sizeof base->file, file, "file name of a futurebase"));
    base->invert = invert;
    spec->futurebases++;
    return 0;
}

int spec_set_output(struct spec *spec, const char *file)
{
    if (spec->output[0] != '\0')
        return error_set(CLTB_E_USAGE, "there is a second output");
    return take_line(spec->output, sizeof spec->output, file, "output's file name");
}

// The text after a word and a blank, or NULL.
static const char *behind(const char *line, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static int parse_line(struct spec *spec, const char *line)
{
    const char *rest;
    if ((rest = behind(line, "men")) != NULL)
        return spec->men > 0 ? error_set(CLTB_E_USAGE, "the men are given twice") : read_men(spec, &rest);
    if ((rest = behind(line, "prune")) != NULL) { // such as "white discard P=?"
        for (int i = 0; i < 4; i++) {
            const char *pattern = behind(rest, spec_colour_word[i / 2]);
            pattern = pattern != NULL ? behind(pattern, spec_prune_word[i % 2]) : NULL;
            if (pattern != NULL)
                return spec_add_rule(spec, i / 2, (enum spec_prune)(i % 2), pattern);
        }
        return error_set(CLTB_E_USAGE, "'%.60s' is not a prune rule", rest);
    }
    if ((rest = behind(line, "futurebase")) != NULL)
        return spec_add_futurebase(spec, rest, false);
    if ((rest = behind(line, "inverted")) != NULL)
        return spec_add_futurebase(spec, rest, true);
    if ((rest = behind(line, "output")) != NULL)
        return spec_set_output(spec, rest);
    if ((rest = behind(line, "note")) != NULL)
        return spec->note[0] != '\0' ? error_set(CLTB_E_USAGE, "there is a second note")
                                     : take_line(spec->note, sizeof spec->note, rest, "note");
    return error_set(CLTB_E_USAGE, "'%.60s' is not a line of a spec", line);
}

int spec_parse(struct spec *spec, const char *text)
{
    memset(spec, 0, sizeof *spec);
    for (int number = 1; *text != '\0'; number++) {
        char line[SPEC_NAME_MAX + 8];
        const size_t length = strcspn(text, "\n");
        if (length >= sizeof line)
            return error_set(CLTB_E_USAGE, "line %d of the spec is too long", number);
        memcpy(line, text, length);
        line[length] = '\0';
        text += length + (text[length] == '\n');
        const int code = parse_line(spec, line);
        if (code != 0)
            return error_prefix(code, "line %d of the spec", number);
    }
    return spec_finish(spec);
}
