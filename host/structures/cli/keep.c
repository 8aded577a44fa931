// keep.c - the men that `cltb solve --keep` keeps to squares
#include "structures/cli/keep.h"

#include "restricted/spec.h"
#include "util/error.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { PART_MAX = 256, NOTHING = -1 };

// Gives the next word of *text, which moves past it.
static size_t next_word(const char **text, const char **word)
{
    *word = *text + strspn(*text, " \t");
    const size_t length = strcspn(*word, " \t");
    *text = *word + length;
    return length;
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && strncasecmp(word, wanted, length) == 0;
}

static int colour_named(const char *word, size_t length)
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        if (is_word(word, length, spec_colour_word[colour]))
            return colour;
    }
    return NOTHING;
}

static int type_named(const char *word, size_t length)
{
    static const char *const names[PIECE_TYPES][3] = {{"king", "kings", "K"},     {"queen", "queens", "Q"},
                                                      {"rook", "rooks", "R"},     {"bishop", "bishops", "B"},
                                                      {"knight", "knights", "N"}, {"pawn", "pawns", "P"}};
    for (int type = KING; type <= PAWN; type++) {
        for (int i = 0; i < 3; i++) {
            if (is_word(word, length, names[type][i]))
                return type;
        }
    }
    return NOTHING;
}

static int read_part(struct structure_sets *sets, const char *text, const struct position *position)
{
    const char *rest = text;
    const char *word;
    size_t length = next_word(&rest, &word);
    int colour = colour_named(word, length);
    if (colour != NOTHING)
        length = next_word(&rest, &word);
    const int type = type_named(word, length);
    if (type == NOTHING)
        return error_set(CLTB_E_USAGE, "'%.60s' does not begin with a man, as in: white rook a1-h3", text);
    const bool has[COLOURS] = {position->count[WHITE][type] > 0, position->count[BLACK][type] > 0};
    if (colour == NOTHING && has[WHITE] && has[BLACK])
        return error_set(CLTB_E_USAGE, "'%.60s': white or black?", text);
    if (colour == NOTHING ? !has[WHITE] && !has[BLACK] : !has[colour])
        return error_set(CLTB_E_USAGE, "'%.60s': the position has no such man", text);
    colour = colour != NOTHING ? colour : has[WHITE] ? WHITE : BLACK;
    if (sets->squares[colour][type] != 0)
        return error_set(CLTB_E_USAGE, "'%.60s': these men are kept to squares already", text);
    return spec_read_set(&sets->squares[colour][type], colour, type, rest);
}

int keep_read(struct structure_sets *sets, const char *text, const struct position *position)
{
    *sets = (struct structure_sets){.squares = {{0}}};
    for (const char *at = text;; at++) {
        char part[PART_MAX];
        const size_t length = strcspn(at, ";");
        if (length >= sizeof part)
            return error_set(CLTB_E_USAGE, "'%.60s' is too long", at);
        memcpy(part, at, length);
        part[length] = '\0';
        TRY(read_part(sets, part, position));
        at += length;
        if (*at == '\0')
            return 0;
    }
}

static bool can_move(const struct position *position, int colour, int square)
{
    const uint8_t ahead = position->board[square + (colour == WHITE ? 8 : -8)];
    return ahead == EMPTY || piece_type(ahead) != PAWN;
}

static void write_pawns(const struct position *position, int colour, int stays, char text[KEEP_TEXT_MAX])
{
    int at = snprintf(text, KEEP_TEXT_MAX, "%s pawns", spec_colour_word[colour]);
    for (int i = 0; i < position->count[colour][PAWN]; i++) {
        const int square = position->list[colour][PAWN][i];
        at += snprintf(text + at, (size_t)(KEEP_TEXT_MAX - at), " %s%s", square_name(square),
                       stays == NO_SQUARE || stays == square ? "" : "+");
    }
}

bool keep_suggestion(const struct position *position, int i, char text[KEEP_TEXT_MAX])
{
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int n = 0; n < position->count[colour][PAWN]; n++) {
            const int square = position->list[colour][PAWN][n];
            if (position->count[colour][PAWN] == 1 || !can_move(position, colour, square) || i-- > 0)
                continue;
            write_pawns(position, colour, square, text);
            return true;
        }
    }
    for (int colour = WHITE; colour <= BLACK; colour++) {
        if (position->count[colour][PAWN] == 0 || i-- > 0)
            continue;
        write_pawns(position, colour, NO_SQUARE, text);
        return true;
    }
    return false;
}
