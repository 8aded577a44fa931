// notation.c - SAN and UCI moves, read by comparing with the legal moves
#include "chess/notation.h"

#include "util/error.h"

#include <string.h>

// What a SAN text says about its move; -1 where it says nothing.
struct wish {
    int type; // -1: any
    int from_file;
    int from_rank;
    int to;
    int promoted; // piece type
};

static bool is_file(char c)
{
    return c >= 'a' && c <= 'h';
}

static bool is_rank(char c)
{
    return c >= '1' && c <= '8';
}

// The type of a piece letter of SAN other than the pawn's, or -1.
static int letter_type(char c)
{
    static const char types[] = "KQRBN";
    const char *at = c == '\0' ? NULL : strchr(types, c);
    return at == NULL ? -1 : (int)(at - types);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static char *put_square(char *at, int square)
{
    memcpy(at, square_name(square), 2);
    return at + 2;
}

// Writes file, rank or both, as far as another man of the same kind could go to the same square.
static char *put_origin(const struct position *p, uint32_t move, char *at)
{
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(p, moves);
    int from = move_from(move);
    bool other = false;
    bool same_file = false;
    bool same_rank = false;
    for (int i = 0; i < count; i++) {
        int square = move_from(moves[i]);
        if (square == from || move_to(moves[i]) != move_to(move) || p->board[square] != p->board[from])
            continue;
        other = true;
        same_file |= square_file(square) == square_file(from);
        same_rank |= square_rank(square) == square_rank(from);
    }
    if (other && (!same_file || same_rank))
        *at++ = square_name(from)[0];
    if (same_file)
        *at++ = square_name(from)[1];
    return at;
}

void san_write(const struct position *p, uint32_t move, char text[SAN_MAX])
{
    char *at = text;
    int type = piece_type(p->board[move_from(move)]);
    if (move_is_castle(move)) {
        const char *castle = move_is_long_castle(move) ? "O-O-O" : "O-O";
        at = text + strlen(castle);
        memcpy(text, castle, strlen(castle));
    } else {
        if (type != PAWN) {
            *at++ = "KQRBN"[type];
            at = put_origin(p, move, at);
        } else if (move_is_capture(move)) {
            *at++ = square_name(move_from(move))[0];
        }
        if (move_is_capture(move))
            *at++ = 'x';
        at = put_square(at, move_to(move));
        if (move_promoted(move) != EMPTY) {
            *at++ = '=';
            *at++ = "KQRBN"[piece_type(move_promoted(move))];
        }
    }
    struct position next;
    position_copy(&next, p);
    position_forget(&next);
    if (position_make(&next, move) == 0 && position_in_check(&next))
        *at++ = moves_any(&next) ? '+' : '#';
    *at = '\0';
}

// Reads the piece and its origin from the front, the promotion and the square from the back. Both must meet. Only 'b'
// is not a piece in lower case. Without a piece but with its square, the move may be any man's.
static bool parse_wish(const char *text, size_t length, struct wish *w)
{
    const char *at = text;
    const char *end = text + length;
    *w = (struct wish){.type = PAWN, .from_file = -1, .from_rank = -1, .to = -1, .promoted = -1};
    const bool named = at < end && *at != 'b' && (letter_type(upper(*at)) >= 0 || upper(*at) == 'P');
    if (named && upper(*at) != 'P')
        w->type = letter_type(upper(*at));
    at += named;
    if (w->type == PAWN && end > at && letter_type(upper(end[-1])) > KING) {
        w->promoted = letter_type(upper(*--end));
        while (end > at && strchr("=/(", end[-1]) != NULL)
            end--;
    }
    if (end - at < 2 || !is_file(end[-2]) || !is_rank(end[-1]))
        return false;
    w->to = 8 * (end[-1] - '1') + (end[-2] - 'a');
    end -= 2;
    if (end > at && strchr("x:-", end[-1]) != NULL)
        end--;
    if (at < end && is_file(*at))
        w->from_file = *at++ - 'a';
    if (at < end && is_rank(*at))
        w->from_rank = *at++ - '1';
    if (!named && w->from_file >= 0 && w->from_rank >= 0)
        w->type = -1;
    return at == end;
}

static bool fits(const struct position *p, uint32_t move, const struct wish *w)
{
    int from = move_from(move);
    int promoted = move_promoted(move) == EMPTY ? -1 : piece_type(move_promoted(move));
    return (w->type < 0 || piece_type(p->board[from]) == w->type) && move_target(move) == w->to &&
           promoted == w->promoted && (w->from_file < 0 || w->from_file == square_file(from)) &&
           (w->from_rank < 0 || w->from_rank == square_rank(from));
}

// The length without what stands behind the move: signs in any encoding, and "e.p.".
static size_t core_length(const char *text, size_t length)
{
    for (;;) {
        while (length > 0 && !is_letter(text[length - 1]) && (text[length - 1] < '0' || text[length - 1] > '9'))
            length--;
        const size_t tail = length > 3 && strncmp(text + length - 3, "e.p", 3) == 0  ? 3
                            : length > 2 && strncmp(text + length - 2, "ep", 2) == 0 ? 2
                                                                                     : 0;
        if (tail == 0)
            return length;
        length -= tail;
    }
}

int san_read(const struct position *p, const char *text, uint32_t *move)
{
    char core[12]; // the text without marks at its end
    struct wish w = {0};
    int castle = 0; // the number of O in "O-O-O"
    size_t length = strnlen(text, 32);
    bool shape = length < 32 && (length = core_length(text, length)) < sizeof core;
    if (shape) {
        size_t letters = 0; // "O-O", "0-0" and "o-o" are "OO"
        for (size_t i = 0; i < length; i++)
            if (text[i] != '-')
                core[letters++] = strchr("0o", text[i]) != NULL ? 'O' : text[i];
        core[letters] = '\0';
        if (strcmp(core, "OO") == 0 || strcmp(core, "OOO") == 0)
            castle = (int)letters;
        else
            shape = parse_wish(text, length, &w);
    }
    if (!shape)
        return error_set(CLTB_E_POSITION, "\"%.20s\" is not a move in SAN", text);
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(p, moves);
    int found = 0;
    for (int i = 0; i < count; i++) {
        if (castle > 0 ? move_is_castle(moves[i]) && move_is_long_castle(moves[i]) == (castle > 2)
                       : fits(p, moves[i], &w)) {
            *move = moves[i];
            found++;
        }
    }
    if (found == 0)
        return error_set(CLTB_E_POSITION, "\"%s\" is not legal in this position", text);
    if (found > 1)
        return error_set(CLTB_E_POSITION, "\"%s\" is ambiguous: %d legal moves fit", text, found);
    return 0;
}

void uci_write(uint32_t move, char text[UCI_MAX])
{
    if (move == MOVE_NONE) {
        memcpy(text, "0000", 5);
        return;
    }
    char *at = put_square(put_square(text, move_from(move)), move_target(move));
    if (move_promoted(move) != EMPTY)
        *at++ = "kqrbn"[piece_type(move_promoted(move))];
    *at = '\0';
}

int uci_read(const struct position *p, const char *text, uint32_t *move)
{
    bool shape = is_file(text[0]) && is_rank(text[1]) && is_file(text[2]) && is_rank(text[3]) &&
                 (text[4] == '\0' || (strchr("qrbn", text[4]) != NULL && text[5] == '\0'));
    if (!shape)
        return error_set(CLTB_E_POSITION, "\"%.20s\" is not a move such as e2e4 or e7e8q", text);
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        char name[UCI_MAX];
        uci_write(moves[i], name);
        if (strcmp(name, text) == 0) {
            *move = moves[i];
            return 0;
        }
    }
    return error_set(CLTB_E_POSITION, "\"%s\" is not legal in this position", text);
}
