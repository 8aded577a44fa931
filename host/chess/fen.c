// fen.c - reading and writing FEN
#include "chess/fen.h"

#include "util/error.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// The rest of the text, and the men found so far.
struct reader {
    const char *at;
    bool lenient; // as fen_read_lenient()
    const char *rights;
    int men;
    struct man man[SQUARES];
};

static bool is_end(char c)
{
    return c == '\0' || c == '\n' || c == '\r';
}

static bool is_field_end(char c)
{
    return c == ' ' || c == '\t' || is_end(c);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
}

// Goes to the next field, which must be there.
static int next_field(struct reader *r, const char *name)
{
    skip_blanks(r);
    return is_end(*r->at) ? error_set(CLTB_E_POSITION, "it ends before the %s", name) : 0;
}

// Reads the ranks, with a slash between them; the files of each must add up to 8.
static int read_placement(struct reader *r)
{
    // By letter, 1 + type + PIECE_TYPES * colour; faster than a search
    static const uint8_t letters[UCHAR_MAX + 1] = {['K'] = 1, ['Q'] = 2, ['R'] = 3, ['B'] = 4,  ['N'] = 5,  ['P'] = 6,
                                                   ['k'] = 7, ['q'] = 8, ['r'] = 9, ['b'] = 10, ['n'] = 11, ['p'] = 12};
    TRY(next_field(r, "placement"));
    for (int rank = 7; rank >= 0; rank--) {
        int file = 0;
        bool after_digit = false;
        for (; *r->at != '/' && !is_field_end(*r->at); r->at++) {
            bool digit = is_digit(*r->at);
            int files = digit ? *r->at - '0' : 1;
            if (digit && (files == 0 || files == 9))
                return error_set(CLTB_E_POSITION, "'%c' in rank %d: empty squares are counted 1 to 8", *r->at,
                                 rank + 1);
            if (digit && after_digit)
                return error_set(CLTB_E_POSITION, "two numbers in a row in rank %d", rank + 1);
            if (file + files > 8)
                return error_set(CLTB_E_POSITION, "rank %d has more than 8 files", rank + 1);
            const unsigned letter = letters[(unsigned char)*r->at];
            if (!digit && letter == 0)
                return error_set(CLTB_E_POSITION, "%s in rank %d is not a piece letter (KQRBNPkqrbnp)",
                                 show(*r->at).text, rank + 1);
            if (!digit)
                r->man[r->men++] = (struct man){.type = (uint8_t)((letter - 1) % PIECE_TYPES),
                                                .colour = (uint8_t)((letter - 1) / PIECE_TYPES),
                                                .square = (uint8_t)(8 * rank + file)};
            if (r->lenient && !digit && r->at[1] == '~')
                r->at++; // a promoted man
            file += files;
            after_digit = digit;
        }
        if (file < 8)
            return error_set(CLTB_E_POSITION, "rank %d has %d file%s, not 8", rank + 1, file, file == 1 ? "" : "s");
        if (rank > 0 && *r->at != '/')
            return error_set(CLTB_E_POSITION, "the placement has %d rank%s, not 8", 8 - rank, rank == 7 ? "" : "s");
        if (rank == 0 && *r->at == '/')
            return error_set(CLTB_E_POSITION, "the placement has more than 8 ranks");
        if (rank > 0)
            r->at++;
    }
    return 0;
}

// Programs that write endgames may leave out castling rights: then an en passant square, a counter or the end follows.
static int read_castling(struct reader *r)
{
    skip_blanks(r);
    if (is_end(*r->at) || is_digit(*r->at) || (*r->at >= 'a' && *r->at <= 'h' && is_digit(r->at[1])))
        return 0;
    if (*r->at == '-') {
        r->at++;
        return is_field_end(*r->at) ? 0
                                    : error_set(CLTB_E_POSITION, "%s after the castling rights '-'", show(*r->at).text);
    }
    r->rights = r->at;
    for (; !is_field_end(*r->at); r->at++)
        if (strchr("KQkqABCDEFGHabcdefgh", *r->at) == NULL)
            return error_set(CLTB_E_POSITION, "castling rights are letters of KQkq, files of rooks or '-', not %s",
                             show(*r->at).text);
    return 0;
}

// A square, '-', or nothing, which leaves *slot as it is.
static int read_en_passant(struct reader *r, int *slot)
{
    skip_blanks(r);
    if (is_end(*r->at) || is_digit(*r->at))
        return 0;
    if (r->at[0] != '-' && (r->at[0] < 'a' || r->at[0] > 'h' || r->at[1] < '1' || r->at[1] > '8'))
        return error_set(CLTB_E_POSITION,
                         "the en passant square must be a square such as e3, or '-'; it begins with %s",
                         show(r->at[0]).text);
    if (*r->at != '-')
        *slot = 8 * (r->at[1] - '1') + (r->at[0] - 'a');
    r->at += *r->at == '-' ? 1 : 2;
    return is_field_end(*r->at) ? 0 : error_set(CLTB_E_POSITION, "%s after the en passant square", show(*r->at).text);
}

// A counter that may be missing, which leaves *value as it is.
static int read_counter(struct reader *r, const char *name, int *value)
{
    skip_blanks(r);
    if (is_end(*r->at))
        return 0;
    if (*r->at == '-' && is_digit(r->at[1]))
        return error_set(CLTB_E_POSITION, "the %s is negative", name);
    int n = 0;
    for (; !is_field_end(*r->at); r->at++) {
        if (!is_digit(*r->at))
            return error_set(CLTB_E_POSITION, "the %s is not a number: %s", name, show(*r->at).text);
        n = 10 * n + (*r->at - '0');
        if (n > COUNTER_MAX && !r->lenient)
            return error_set(CLTB_E_POSITION, "the %s is larger than %d", name, COUNTER_MAX);
        n = n < COUNTER_MAX ? n : COUNTER_MAX;
    }
    *value = n;
    return 0;
}

static int read_side(struct reader *r, int *side)
{
    *side = WHITE;
    skip_blanks(r);
    if (r->lenient && is_end(*r->at))
        return 0;
    TRY(next_field(r, "side to move"));
    if ((*r->at != 'w' && *r->at != 'b') || !is_field_end(r->at[1]))
        return error_set(CLTB_E_POSITION, "the side to move must be 'w' or 'b', not '%.*s'",
                         (int)strcspn(r->at, " \t\r\n"), r->at);
    *side = *r->at++ == 'w' ? WHITE : BLACK;
    return 0;
}

// The square of the rook that a right names, by its file or as the outermost one on the king's or the queen's side. Out
// of Chess960 KQkq are those in the corners, with the king at home; otherwise NO_SQUARE.
static int castling_rook(const struct position *p, char right, bool chess960)
{
    const int colour = right <= 'Z' ? WHITE : BLACK;
    const int home = 56 * colour;
    const int file = right - (colour == WHITE ? 'A' : 'a');
    const int step = file == 'K' - 'A' ? -1 : 1;
    const int corner = step < 0 ? home + 7 : home;
    const int king = position_king(p, colour);
    if (file < 8)
        return home + file;
    for (int square = corner; chess960 && square >= home && square < home + 8 && square != king; square += step)
        if (p->board[square] == piece_code(colour, ROOK))
            return square;
    return chess960 || king == home + 4 ? corner : NO_SQUARE;
}

// A lenient reader drops the rights that the men cannot have.
static int set_castling(const struct reader *r, struct position *p, bool chess960)
{
    int castling = 0;
    p->chess960 = r->lenient && chess960;
    for (const char *right = r->rights; !is_field_end(*right); right++) {
        const int rook = castling_rook(p, *right, chess960);
        const int with = rook == NO_SQUARE ? castling : castling | castling_right(rook);
        if (with == castling && !r->lenient)
            return error_set(CLTB_E_POSITION, "castling right %c is given twice", *right);
        if (position_set_castling(p, with) == 0) {
            p->chess960 |= strchr("KQkq", *right) == NULL;
            castling = with;
        } else if (!r->lenient) {
            return CLTB_E_POSITION;
        }
    }
    return position_set_castling(p, castling);
}

static int read_fields(struct position *read, const char *fen, bool lenient, bool chess960)
{
    struct reader r = {.at = fen, .lenient = lenient, .rights = ""};
    int side;
    int slot = NO_SQUARE;
    int fifty = 0;
    int move_number = 1;
    if (strnlen(fen, FEN_MAX) == FEN_MAX)
        return error_set(CLTB_E_POSITION, "it is longer than %d characters", FEN_MAX - 1);
    TRY(read_placement(&r));
    TRY(read_side(&r, &side));
    TRY(read_castling(&r));
    TRY(read_en_passant(&r, &slot));
    TRY(read_counter(&r, "half-move clock", &fifty));
    TRY(read_counter(&r, "full-move number", &move_number));
    // Only blanks and one line ending may follow.
    skip_blanks(&r);
    r.at += *r.at == '\r';
    r.at += *r.at == '\n';
    if (*r.at != '\0')
        return error_set(CLTB_E_POSITION, "%s after the last field", show(*r.at).text);
    TRY(position_set(read, r.man, r.men, side));
    TRY(set_castling(&r, read, chess960));
    const int code = position_set_en_passant(read, slot);
    if (!lenient)
        TRY(code);
    TRY(position_require_legal(read));
    return position_set_counters(read, fifty, move_number > 0 ? move_number : 1);
}

static int read_fen(struct position *p, const char *fen, bool lenient, bool chess960)
{
    struct position read;
    const int code = read_fields(&read, fen, lenient, chess960);
    if (code != 0)
        return error_prefix(code, "FEN");
    position_copy(p, &read);
    return 0;
}

int fen_read(struct position *p, const char *fen)
{
    return read_fen(p, fen, false, true);
}

int fen_read_lenient(struct position *p, const char *fen, bool chess960)
{
    return read_fen(p, fen, true, chess960);
}

void fen_write(const struct position *p, char fen[FEN_MAX])
{
    char *at = fen;
    for (int rank = 7; rank >= 0; rank--) {
        int empty = 0;
        for (int file = 0; file < 8; file++) {
            int code = p->board[8 * rank + file];
            if (code == EMPTY) {
                empty++;
                continue;
            }
            if (empty > 0)
                *at++ = (char)('0' + empty);
            empty = 0;
            *at++ = piece_letter(code);
        }
        if (empty > 0)
            *at++ = (char)('0' + empty);
        *at++ = rank > 0 ? '/' : ' ';
    }
    *at++ = p->side == WHITE ? 'w' : 'b';
    *at++ = ' ';
    for (int colour = WHITE; colour <= BLACK; colour++)
        for (int file = 7; file >= 0; file--)
            if (castling_of(p->castling, colour) & castling_right(56 * colour + file))
                *at++ = (char)((p->chess960 ? 'A' + file : file == 7 ? 'K' : 'Q') + (colour == WHITE ? 0 : 'a' - 'A'));
    if (p->castling == 0)
        *at++ = '-';
    snprintf(at, (size_t)(fen + FEN_MAX - at), " %s %u %u", square_name(p->en_passant), (unsigned)p->fifty,
             (unsigned)p->move_number);
}
