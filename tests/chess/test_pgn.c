// test_pgn.c - the forms in which people and programs write games: tests/data/pgn-forms.tsv, and that marks stand where
// strict readers take them
#include "chess/fen.h"
#include "chess/notation.h"
#include "chess/pgn.h"

#include "support/support.h"

#include <stdlib.h>

// Undoes \n, \r, \t, \\ and \xHH; returns the length.
static size_t unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at != '\\') {
            *to++ = *at;
        } else if (*++at == 'x') {
            *to++ = (char)strtol((char[]){at[1], at[2], '\0'}, NULL, 16);
            at += 2;
        } else {
            *to++ = (char)(*at == 'n' ? '\n' : *at == 'r' ? '\r' : *at == 't' ? '\t' : *at);
        }
    }
    return (size_t)(to - text);
}

enum { DEPTH_MAX = 8, SAID_MAX = 1024 };

struct follower {
    struct pgn pgn;
    struct position first;
    struct position level[DEPTH_MAX][2]; // now, and before the last move
    int depth;
    bool moved;
    char said[SAID_MAX];
};

static void say(struct follower *f, const char *what)
{
    const size_t length = strlen(f->said);
    snprintf(f->said + length, SAID_MAX - length, "%s%s", length > 0 ? " " : "", what);
}

static void begin(struct follower *f)
{
    position_copy(&f->level[0][0], &f->first);
    position_copy(&f->level[0][1], &f->first);
    f->moved = false;
}

static int follow_move(struct follower *f, struct position *now)
{
    uint32_t move;
    char uci[UCI_MAX] = "--";
    if (f->pgn.restarts && f->moved) {
        say(f, "new");
        begin(f);
    }
    f->moved = true;
    position_copy(&now[1], now);
    if (strcmp(f->pgn.text, PGN_NULL_MOVE) == 0) {
        now->side ^= 1;
        now->en_passant = NO_SQUARE;
    } else {
        TRY(san_read(now, f->pgn.text, &move));
        uci_write(move, uci);
        TRY(position_make(now, move));
    }
    say(f, uci);
    return 0;
}

static int follow(struct follower *f, enum pgn_token token)
{
    struct position *now = f->level[f->depth];
    switch (token) {
    case PGN_TAG:
        say(f, f->pgn.name);
        if (f->moved)
            begin(f);
        return strcmp(f->pgn.name, "FEN") == 0 ? fen_read(now, f->pgn.text) : 0;
    case PGN_OPEN:
        f->depth++;
        position_copy(&now[2], &now[1]);
        position_copy(&now[3], &now[1]);
        say(f, "(");
        return 0;
    case PGN_CLOSE:
        say(f, ")");
        return f->depth-- > 0 ? 0 : CLTB_E_POSITION;
    case PGN_MOVE:
        return follow_move(f, now);
    default:
        say(f, "result");
        if (f->depth == 0)
            begin(f);
        return 0;
    }
}

// Says the moves as UCI, "(" and ")", "--" for null moves, "result", the names of tags, "new" where the next game
// begins without one, and "fault" at the end if the text cannot be followed.
static void read_games(struct follower *f, const char *fen, const char *text, size_t length)
{
    enum pgn_token token = PGN_TAG;
    char *copied = NULL;
    size_t bytes = 0;
    FILE *in = fmemopen((void *)(uintptr_t)text, length, "rb");
    FILE *copy = open_memstream(&copied, &bytes);
    assert_true(in != NULL && copy != NULL);
    f->said[0] = '\0';
    f->depth = 0;
    GOOD(fen_read(&f->first, strcmp(fen, "-") == 0 ? FEN_START : fen));
    begin(f);
    pgn_begin(&f->pgn, in, copy);
    int code;
    while ((code = pgn_next(&f->pgn, &token)) == 0 && token != PGN_END)
        if ((code = follow(f, token)) != 0)
            break;
    if (code != 0)
        say(f, "fault");
    else
        assert_int_equal(f->depth, 0);
    pgn_end(&f->pgn);
    fclose(in);
    fclose(copy);
    if (code == 0 && (bytes != length || memcmp(copied, text, length) != 0))
        fail_msg("%s: the copy differs", text);
    free(copied);
}

TEST(test_forms)
{
    char *line = NULL;
    size_t size = 0;
    int rows = 0;
    FILE *file = fopen(data_path("pgn-forms.tsv"), "rb");
    assert_non_null(file);
    while (getline(&line, &size, file) > 0) {
        static struct follower f;
        char *at = line;
        line[strcspn(line, "\n")] = '\0';
        if (*line == '#')
            continue;
        const char *source = strsep(&at, "\t");
        const char *fen = strsep(&at, "\t");
        char *text = strsep(&at, "\t");
        assert_non_null(at);
        const size_t length = unescape(text);
        read_games(&f, fen, text, length);
        if (getenv("CLTB_PRINT_FORMS") != NULL)
            printf("%d\t%s\n", rows, f.said);
        else if (strcmp(f.said, at) != 0)
            fail_msg("%s: %s\n  is read as %s\n  expected   %s", source, text, f.said, at);
        rows++;
    }
    free(line);
    fclose(file);
    assert_in_range(rows, 200, 1000);
}

// ---- marks ----

static bool is_old(const char *comment, size_t length)
{
    return length == 3 && memcmp(comment, "old", 3) == 0;
}

// Each first move gets the NAG $4 and {new}.
TEST(test_marks)
{
    static const char *const texts[][2] = {
        {"1. e4 e5", "1. e4 $4 {new} e5"},
        {"1. e4", "1. e4 $4 {new}"},
        {"1.e4!$1 $14{c} e5", "1.e4!$1 $14 $4 {new}{c} e5"},
        {"1. e4 $6 $14 {a comment} e5", "1. e4 $6 $14 $4 {new} {a comment} e5"},
        {"1. e4 $4 $14 {c} e5", "1. e4 $4 $14 {new} {c} e5"},
        {"1. e4 {c} $4 e5", "1. e4 {new} {c} $4 e5"},
        {"1. e4 $4 {old} e5", "1. e4 $4 {new} e5"},
        {"1. e4 $4 {old} $6 {c} {old} e5", "1. e4 $4 $6 {new} {c} e5"},
        {"1. e4\n{old}\n e5", "1. e4 $4 {new}\n e5"},
        {"1. e4{old}e5", "1. e4 $4 {new}e5"},
        {"1. e4 ; {old}\n e5", "1. e4 $4 {new} ; {old}\n e5"},
        {"1. e4 $44 {older} e5", "1. e4 $44 $4 {new} {older} e5"},
        {"1. e4 !? (1. d4)", "1. e4 !? $4 {new} (1. d4)"},
        {"1. e4 {", "1. e4 $4 {new} {"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct pgn pgn;
        enum pgn_token token;
        char *copied = NULL;
        size_t bytes = 0;
        FILE *in = fmemopen((void *)(uintptr_t)texts[i][0], strlen(texts[i][0]), "rb");
        FILE *copy = open_memstream(&copied, &bytes);
        pgn_begin(&pgn, in, copy);
        GOOD(pgn_next(&pgn, &token));
        assert_int_equal(token, PGN_MOVE);
        pgn_mark(&pgn, "$4", is_old);
        fprintf(copy, " {new}");
        while (pgn_next(&pgn, &token) != 0 || token != PGN_END)
            continue;
        pgn_end(&pgn);
        fclose(in);
        fclose(copy);
        assert_string_equal(copied, texts[i][1]);
        free(copied);
    }
}

TESTS(NULL, NULL)
