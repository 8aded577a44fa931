// text.c - positions and moves of dobutsu shogi as text
//
// A position is read as the text shows it, Gote at the top, and turned at the end if Gote is to move. The characters of
// a position come in this order; the first that does not fit is named in the error:
//
//     1. blanks, the side to move (S or G), exactly five slashes in all
//     2. four ranks of three squares, rank 1 first, each after a slash
//     3. after the last slash the men in hand, or '-'; then only blanks and one line ending
//     4. both lions, and two chicks (or roosters), giraffes and elephants, on the board or in hand
#include "dobutsu/rules.h"

#include "util/error.h"

#include <string.h>

enum { RANKS = 4, FILES = 3 };

static const char kind_letters[] = "CGEL"; // enum dobutsu_kind
static const char *const kind_names[] = {"chick", "giraffe", "elephant", "lion"};

// ---- letters ----

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_sente(char c)
{
    return c >= 'A' && c <= 'Z';
}

// The kind of a letter of either case, a chick for a rooster's; -1 if no man has this letter.
static int letter_kind(char c)
{
    char letter = upper(c) == 'R' ? 'C' : upper(c);
    const char *at = letter == '\0' ? NULL : strchr(kind_letters, letter);
    return at == NULL ? -1 : (int)(at - kind_letters);
}

static char man_letter(const struct dobutsu *p, int man)
{
    return p->op & dobutsu_rooster_bit(man) ? 'R' : kind_letters[dobutsu_kind(man)];
}

// ---- reading a position ----

enum { NOWHERE = 255 };

// The rest of the text, and the men found so far.
struct reader {
    const char *at;
    struct dobutsu p;
    int men[DOBUTSU_LION]; // of each kind
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_end(char c)
{
    return c == '\0' || c == '\n' || c == '\r';
}

static int read_man(struct reader *r, char letter, int kind, int square)
{
    if (kind == DOBUTSU_LION) {
        uint8_t *lion = is_sente(letter) ? &r->p.sente_lion : &r->p.gote_lion;
        if (*lion != NOWHERE)
            return error_set(CLTB_E_POSITION, "%s has two lions (%c)", is_sente(letter) ? "Sente" : "Gote", letter);
        *lion = (uint8_t)square;
        return 0;
    }
    if (r->men[kind] == 2)
        return error_set(CLTB_E_POSITION, "more than two %ss%s", kind_names[kind],
                         kind == DOBUTSU_CHICK ? " and roosters" : "");
    int man = 2 * kind + r->men[kind]++;
    r->p.square[man] = (uint8_t)square;
    if (is_sente(letter))
        r->p.op |= dobutsu_owner_bit(man);
    if (upper(letter) == 'R')
        r->p.op |= dobutsu_rooster_bit(man);
    return 0;
}

// Reads the slash after rank `rank`, or after the side to move if that is 0.
static int read_slash(struct reader *r, int rank)
{
    if (*r->at == '/') {
        r->at++;
        return 0;
    }
    return rank == 0 ? error_set(CLTB_E_POSITION, "%s after the side to move", show(*r->at).text)
                     : error_set(CLTB_E_POSITION, "rank %d has more than 3 squares", rank);
}

static int read_rank(struct reader *r, int rank)
{
    TRY(read_slash(r, rank - 1));
    for (int file = 0; file < FILES; file++) {
        char c = *r->at;
        if (c == '/' || is_end(c))
            return error_set(CLTB_E_POSITION, "rank %d has %d square%s, not 3", rank, file, file == 1 ? "" : "s");
        r->at++;
        if (c == '-')
            continue;
        int kind = letter_kind(c);
        if (kind < 0)
            return error_set(CLTB_E_POSITION, "%s in rank %d is neither a man (CGERLcgerl) nor '-'", show(c).text,
                             rank);
        TRY(read_man(r, c, kind, FILES * (RANKS - rank) + FILES - 1 - file));
    }
    return 0;
}

static int read_hand(struct reader *r)
{
    TRY(read_slash(r, RANKS));
    if (is_end(*r->at) || is_blank(*r->at))
        return error_set(CLTB_E_POSITION, "nothing after the last '/': men in hand, or '-' if there are none");
    bool none = *r->at == '-';
    r->at += none;
    for (; !none && !is_end(*r->at) && !is_blank(*r->at); r->at++) {
        char c = *r->at;
        int kind = letter_kind(c);
        if (kind < 0)
            return error_set(CLTB_E_POSITION, "%s in hand is not a man (CGEcge)", show(c).text);
        if (kind == DOBUTSU_LION)
            return error_set(CLTB_E_POSITION, "a lion (%c) is in hand", c);
        if (upper(c) == 'R')
            return error_set(CLTB_E_POSITION, "a rooster (%c) is in hand: when captured it becomes a chick", c);
        TRY(read_man(r, c, kind, DOBUTSU_HAND));
    }
    while (is_blank(*r->at))
        r->at++;
    r->at += *r->at == '\r';
    r->at += *r->at == '\n';
    return *r->at == '\0' ? 0 : error_set(CLTB_E_POSITION, "%s after the men in hand", show(*r->at).text);
}

static int read_position(struct reader *r)
{
    int slashes = 0;
    if (memchr(r->at, '\0', DOBUTSU_TEXT_MAX) == NULL)
        return error_set(CLTB_E_POSITION, "it is longer than %d characters", DOBUTSU_TEXT_MAX - 1);
    for (const char *c = r->at; *c != '\0'; c++)
        slashes += *c == '/';
    while (is_blank(*r->at))
        r->at++;
    if (is_end(*r->at))
        return error_set(CLTB_E_POSITION, "it is empty");
    if (*r->at != 'S' && *r->at != 'G')
        return error_set(CLTB_E_POSITION, "it begins with the side to move, S or G, not with %s", show(*r->at).text);
    const bool gote = *r->at++ == 'G';
    if (slashes != RANKS + 1)
        return error_set(CLTB_E_POSITION, "it has %d slash%s, not 5: side to move / four ranks / men in hand", slashes,
                         slashes == 1 ? "" : "es");
    for (int rank = 1; rank <= RANKS; rank++)
        TRY(read_rank(r, rank));
    TRY(read_hand(r));
    if (r->p.sente_lion == NOWHERE && r->p.gote_lion == NOWHERE)
        return error_set(CLTB_E_POSITION, "both lions are missing (L and l)");
    if (r->p.sente_lion == NOWHERE)
        return error_set(CLTB_E_POSITION, "Sente has no lion (L)");
    if (r->p.gote_lion == NOWHERE)
        return error_set(CLTB_E_POSITION, "Gote has no lion (l)");
    for (int kind = 0; kind < DOBUTSU_LION; kind++)
        if (r->men[kind] < 2)
            return error_set(CLTB_E_POSITION, "%s %s%s: there are always two, on the board or in hand",
                             r->men[kind] == 0 ? "no" : "only one", kind_names[kind],
                             kind == DOBUTSU_CHICK ? " or rooster" : "");
    if (gote)
        dobutsu_turn(&r->p);
    dobutsu_sort(&r->p);
    return 0;
}

int dobutsu_read(struct dobutsu *p, const char *text)
{
    struct reader r = {.at = text, .p = {.gote_lion = NOWHERE, .sente_lion = NOWHERE}};
    const int code = read_position(&r);
    if (code != 0)
        return error_prefix(code, "dobutsu position");
    *p = r.p;
    return 0;
}

// ---- writing a position ----

// The letter of a man, in the case of its owner.
static char owned_letter(const struct dobutsu *p, int man)
{
    char letter = man_letter(p, man);
    return p->op & dobutsu_owner_bit(man) ? letter : lower(letter);
}

void dobutsu_write(const struct dobutsu *p, char text[DOBUTSU_TEXT_MAX])
{
    struct dobutsu shown = *p;
    if (shown.turned)
        dobutsu_turn(&shown);
    char board[DOBUTSU_SQUARES + 1];
    memset(board, '-', sizeof board);
    // A lion that has been taken lies under the lion or the man that took it, so the side that has just moved is drawn
    // last.
    board[shown.sente_lion] = 'L';
    board[shown.gote_lion] = shown.gote_lion == shown.sente_lion && p->turned ? 'L' : 'l';
    for (int man = 0; man < DOBUTSU_MEN; man++)
        board[shown.square[man]] = owned_letter(&shown, man);
    char *at = text;
    *at++ = p->turned ? 'G' : 'S';
    for (int square = DOBUTSU_SQUARES - 1; square >= 0; square--) {
        if (square % FILES == FILES - 1)
            *at++ = '/';
        *at++ = board[square];
    }
    *at++ = '/';
    char *hand = at; // Sente's men first, each side in the order of the men
    for (int sente = 1; sente >= 0; sente--)
        for (int man = 0; man < DOBUTSU_MEN; man++)
            if (shown.square[man] == DOBUTSU_HAND && ((shown.op & dobutsu_owner_bit(man)) != 0) == sente)
                *at++ = owned_letter(&shown, man);
    if (at == hand)
        *at++ = '-';
    *at = '\0';
}

// ---- moves ----

static char *write_square(const struct dobutsu *p, int square, char *at)
{
    int shown = p->turned ? DOBUTSU_SQUARES - 1 - square : square;
    *at++ = (char)('c' - shown % FILES);
    *at++ = (char)('4' - shown / FILES);
    return at;
}

void dobutsu_move_write(const struct dobutsu *p, const struct dobutsu_move *move, char text[DOBUTSU_MOVE_MAX])
{
    char *at = text;
    *at++ = move->man == DOBUTSU_MAN_LION ? 'L' : man_letter(p, move->man);
    if (move->from == DOBUTSU_HAND) {
        *at++ = '*';
    } else {
        at = write_square(p, move->from, at);
        *at++ = move->captured == DOBUTSU_MAN_NONE ? '-' : 'x';
    }
    at = write_square(p, move->to, at);
    if (move->promotes)
        *at++ = '+';
    *at = '\0';
}

// Brings the text of a move into the form that dobutsu_move_write() gives it, but without '-' and 'x'. False: not a
// move.
static bool read_form(const char *text, char form[DOBUTSU_MOVE_MAX])
{
    const char *at = text;
    if (letter_kind(*at) < 0)
        return false;
    *form++ = upper(*at++);
    for (int end = 0; end < 2; end++) {
        if (end == 0 && *at == '*') {
            *form++ = *at++;
            continue;
        }
        if (lower(at[0]) < 'a' || lower(at[0]) > 'c' || at[1] < '1' || at[1] > '4')
            return false;
        *form++ = lower(*at++);
        *form++ = *at++;
        at += end == 0 && (*at == '-' || lower(*at) == 'x');
    }
    if (*at == '+')
        *form++ = *at++;
    *form = '\0';
    return *at == '\0';
}

int dobutsu_move_read(const struct dobutsu *p, const char *text, struct dobutsu_move *move)
{
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    char wanted[DOBUTSU_MOVE_MAX];
    if (!read_form(text, wanted))
        return error_set(CLTB_E_POSITION, "'%.20s' is not written as a move: Cb3xb2, Cb2-b1+, or G*a3 for a drop",
                         text);
    const size_t length = strcspn(wanted, "+");
    const bool promotes = wanted[length] == '+';
    const int count = dobutsu_moves(p, moves);
    for (int i = 0; i < count; i++) {
        char name[DOBUTSU_MOVE_MAX];
        char form[DOBUTSU_MOVE_MAX];
        dobutsu_move_write(p, &moves[i], name);
        if (!read_form(name, form) || strncmp(form, wanted, length) != 0)
            continue;
        if (moves[i].promotes != promotes)
            return error_set(CLTB_E_POSITION, "'%s': the man %s", text,
                             promotes ? "does not promote by this move ('+')" : "promotes by this move: write '+'");
        *move = moves[i];
        return 0;
    }
    return error_set(CLTB_E_POSITION, "'%s' is not a possible move here", text);
}
