// annotate.c - `cltb annotate`: marks the moves of games that changed the outcome
//
// 1. The games are copied token by token (chess/pgn.h), and the moves are made on a board; a variation starts from the
//    position before the move that it replaces, so a stack keeps both positions of each level.
// 2. Before each move that the tables cover, cltb_root_moves_fen() gives the value of every move. The first of them is
//    the position's own value; if the move that was played has another outcome, a mark is written after it.
// 3. The first position of a game or variation that is covered gets its value, too. Marks of an earlier run are
//    replaced.
// 4. After a fault the rest of its variation, or of the game, is copied without marks.
#include "cli/command.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "chess/pgn.h"
#include "show/values.h"
#include "util/error.h"
#include "util/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 64 }; // depth of nested variations

struct level {
    struct position before; // before the last move
    struct position now;
    bool told; // the value of the first position that tables cover is printed
    bool lost; // the moves from here on cannot be followed
};

struct annotator {
    struct pgn pgn;
    cltb_tables *tables;
    struct level *level; // [DEPTH_MAX]
    int depth;
    int too_deep;   // further variations that are open
    bool any_event; // the current game has this tag,
    bool any_text;  // something behind its tags,
    bool any_moves; // and moves
    struct tag {
        char text[PGN_TEXT_MAX]; // "": none
        long line;
    } fen, variant;
    const char *named; // the name of the file in errors
    unsigned long games, covered, marked, faults;
};

// ---- one move ----

// All moves of a position with their values. Returns their number, 0 if no table covers the position, or a negative
// code.
static int rank(const struct annotator *a, const struct position *p, cltb_move moves[CLTB_MOVES_MAX])
{
    char fen[FEN_MAX];
    fen_write(p, fen);
    const int count = cltb_root_moves_fen(a->tables, fen, moves);
    return count == CLTB_E_POSITION || count == CLTB_E_MISSING ? 0 : count;
}

// The score of an outcome if the game ended so: 2 for a win, 0 for a loss, otherwise 1.
static int score(int outcome)
{
    return outcome == CLTB_WIN ? 2 : outcome == CLTB_LOSS ? 0 : 1;
}

static bool is_word(const char **text, const char *word)
{
    const bool is = strncmp(*text, word, strlen(word)) == 0;
    *text += is ? strlen(word) : 0;
    return is;
}

// Goes behind the name of an outcome, if there is one.
static bool is_outcome(const char **text)
{
    return is_word(text, "win") || is_word(text, "cursed win") || is_word(text, "draw") ||
           is_word(text, "blessed loss") || is_word(text, "loss");
}

// Is this comment one that mark() writes?
static bool is_ours(const char *comment, size_t length)
{
    char text[128];
    const char *at = text;
    if (length >= sizeof text)
        return false;
    for (size_t i = 0; i < length; i++) // programs that write games break lines
        text[i] = comment[i] == '\n' || comment[i] == '\r' ? ' ' : comment[i];
    text[length] = '\0';
    if (is_word(&at, "tables: "))
        return is_outcome(&at) && strstr(at, " before this move") != NULL;
    const char *now = strstr(text, " now ");
    return is_outcome(&at) && strstr(at, " with ") != NULL && now != NULL && is_word(&now, " now ") && is_outcome(&now);
}

// Writes what the tables say about the last move, if that is worth saying.
static int mark(struct annotator *a, struct level *level, const char *uci)
{
    cltb_move moves[CLTB_MOVES_MAX] = {0};
    const int count = rank(a, &level->before, moves);
    if (count <= 0)
        return count;
    FILE *copy = a->pgn.copy;
    int played = 0;
    while (played < count - 1 && strcmp(moves[played].uci, uci) != 0)
        played++;
    const cltb_value best = moves[0].value;
    const cltb_value got = moves[played].value;
    if (got.outcome == CLTB_UNKNOWN)
        return 0;
    a->covered++;
    if (got.outcome != best.outcome) {
        a->marked++;
        // $4 is a very poor move, $6 a questionable one: only the 50-move rule hides the difference.
        pgn_mark(&a->pgn, score(got.outcome) != score(best.outcome) ? "$4" : "$6", is_ours);
        fprintf(copy, " {");
        text_value(copy, METRIC_DTZ, best);
        fprintf(copy, ", with %s; now ", moves[0].san);
        text_value(copy, METRIC_DTZ, got);
        fprintf(copy, "}");
    } else {
        pgn_mark(&a->pgn, NULL, is_ours);
        if (!level->told) {
            fprintf(copy, " {tables: ");
            text_value(copy, METRIC_DTZ, best);
            fprintf(copy, " before this move}");
        }
    }
    level->told = true;
    return 0;
}

// Makes the null move of analyses.
static int pass(struct position *p)
{
    if (position_in_check(p))
        return error_set(CLTB_E_POSITION, "a null move in check");
    p->en_passant = NO_SQUARE;
    if (p->fifty < UINT16_MAX)
        p->fifty++;
    p->move_number += p->side == BLACK;
    p->side ^= 1;
    p->key = position_key(p);
    return 0;
}

static int make_move(struct annotator *a, struct level *level)
{
    uint32_t move;
    char uci[UCI_MAX];
    const bool null = strcmp(a->pgn.text, PGN_NULL_MOVE) == 0;
    if (!null)
        TRY(san_read(&level->now, a->pgn.text, &move));
    position_copy(&level->before, &level->now);
    if (null)
        return pass(&level->now);
    uci_write(move, uci);
    TRY(position_make(&level->now, move));
    position_forget(&level->now); // games may be longer than a position's history
    return mark(a, level, uci);
}

// ---- games ----

static void game_begin(struct annotator *a)
{
    a->depth = a->too_deep = 0;
    a->any_event = a->any_text = a->any_moves = false;
    a->fen.text[0] = a->variant.text[0] = '\0';
    a->level[0].told = a->level[0].lost = false;
    position_start(&a->level[0].now);
    position_copy(&a->level[0].before, &a->level[0].now);
}

// Where the tag that was just read is kept; NULL if it does not matter.
static struct tag *tag_of(struct annotator *a)
{
    return strcasecmp(a->pgn.name, "FEN") == 0 ? &a->fen : strcasecmp(a->pgn.name, "Variant") == 0 ? &a->variant : NULL;
}

// The tags may come in any order, so they are heeded when all have been read.
static void game_tag(struct annotator *a)
{
    const bool event = strcasecmp(a->pgn.name, "Event") == 0;
    struct tag *tag = tag_of(a);
    if (a->any_text || (event && a->any_event)) // the previous game has no result
        game_begin(a);
    a->any_event |= event;
    if (tag == NULL)
        return;
    tag->line = a->pgn.line;
    memcpy(tag->text, a->pgn.text, sizeof tag->text);
}

// Is the name of a variant, without regard to case, blanks and signs, one of these words?
static bool is_variant(const char *variant, const char *words)
{
    char name[PGN_TEXT_MAX + 2] = " ";
    size_t length = 1;
    for (; *variant != '\0'; variant++)
        if (strchr(" -_/?.", *variant) == NULL)
            name[length++] = *variant >= 'A' && *variant <= 'Z' ? (char)(*variant - 'A' + 'a') : *variant;
    name[length] = ' ';
    return length == 1 || strstr(words, name) != NULL;
}

static void complain(const struct annotator *a, long line)
{
    fault_line("cltb annotate: %s, line %ld: %s", a->named, line, error_text());
}

// Heeds the tags: sets up the position, or says why the game will have no marks.
static void game_start(struct annotator *a)
{
    static const char names[] =
        " standard standardchess chess normal regular classic classical classicchess orthodox orthodoxchess orthochess"
        " western fide international position fromposition setup setupposition customposition odds handicap thematic"
        " nocastle nocastling rated unrated ";
    // Rooks and king may begin elsewhere.
    static const char shuffles[] =
        " 960 chess960 chess9lx fischerandom fischerrandom fischerandomchess fischerrandomchess frc dfrc shuffle"
        " doublefischerandom doublechess960 freestyle freestylechess shufflechess wild wildfr wild0 wild1 wild2 wild3"
        " wild4 wild5 wild6 wild7 wild8 wild8a ";
    struct level *level = &a->level[0];
    a->any_text = true;
    if (level->lost)
        return;
    level->lost = true;
    const bool chess = is_variant(a->variant.text, names);
    const bool shuffled = !chess && is_variant(a->variant.text, shuffles);
    if (!chess && !shuffled) {
        error_set(CLTB_E_POSITION, "the variant \"%s\" is not chess: the game stays unmarked", a->variant.text);
        complain(a, a->variant.line);
        return;
    }
    // Rights that the men cannot have are common in games, and dropped.
    if (a->fen.text[strspn(a->fen.text, " ?")] != '\0' && fen_read_lenient(&level->now, a->fen.text, shuffled) != 0) {
        a->faults++;
        complain(a, a->fen.line);
        return;
    }
    level->lost = false;
    position_copy(&level->before, &level->now);
}

static int game_open(struct annotator *a)
{
    struct level *level = &a->level[a->depth];
    if (a->depth == DEPTH_MAX - 1) {
        const bool lost = level->lost;
        a->too_deep++;
        level->lost = true;
        return lost ? 0 : error_set(CLTB_E_POSITION, "more than %d variations in each other", DEPTH_MAX - 1);
    }
    position_copy(&level[1].now, &level->before);
    position_copy(&level[1].before, &level->before);
    level[1].told = level->told;
    level[1].lost = level->lost || !a->any_moves;
    a->depth++;
    return a->any_moves || level->lost ? 0 : error_set(CLTB_E_POSITION, "a variation stands before the first move");
}

static int game_step(struct annotator *a, enum pgn_token token)
{
    if (token == PGN_TAG) {
        game_tag(a);
        return 0;
    }
    if (token == PGN_MOVE && a->pgn.restarts && a->any_moves && a->depth == 0)
        game_begin(a);
    if (!a->any_text)
        game_start(a);
    switch (token) {
    case PGN_MOVE:
        a->games += !a->any_moves;
        a->any_moves = true;
        return a->level[a->depth].lost ? 0 : make_move(a, &a->level[a->depth]);
    case PGN_OPEN:
        return game_open(a);
    case PGN_CLOSE:
        if (a->depth == 0)
            return error_set(CLTB_E_POSITION, "there is a ) without its (");
        if (a->too_deep > 0)
            a->too_deep--;
        else
            a->depth--;
        return 0;
    default:
        if (a->depth == 0) // variations quote results of other games
            game_begin(a);
        return 0;
    }
}

// Annotates all games of a file. What cannot be followed is copied, and reported.
static int annotate(struct annotator *a)
{
    game_begin(a);
    for (enum pgn_token token = PGN_TAG;;) {
        int code = pgn_next(&a->pgn, &token);
        bool *lost = &a->level[a->depth].lost;
        if (code == 0 && token == PGN_END)
            return 0;
        const bool heard = !*lost;
        THEN(code, game_step(a, token));
        if (code == 0)
            continue;
        if (code != CLTB_E_POSITION)
            return code;
        if (heard) {
            a->faults++;
            complain(a, a->pgn.line);
        }
        *lost |= token == PGN_MOVE || (token == PGN_TAG && tag_of(a) != NULL);
    }
}

static int annotate_file(struct annotator *a, const char *path)
{
    FILE *in = strcmp(path, "-") == 0 ? stdin : os_read_stream(path);
    if (in == NULL)
        return error_errno(CLTB_E_IO, errno, "cannot open %s", path);
    a->named = in == stdin ? "standard input" : path;
    pgn_begin(&a->pgn, in, stdout);
    const int code =
        pgn_is_utf16(&a->pgn) ? error_set(CLTB_E_POSITION, "%s is in UTF-16: save it as UTF-8", a->named) : annotate(a);
    pgn_end(&a->pgn);
    if (in != stdin)
        fclose(in);
    return code;
}

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const struct option options[] = {
        {.name = "--dir", .kind = OPTION_FOLDER, .value = &dir}, {.name = "", .kind = OPTION_FILE}, {.name = NULL}};
    struct arguments arguments;
    TRY(options_parse(&arguments, "annotate", argc, argv, options));
    if (arguments.count == 0)
        return usage_fault("annotate", "needs a PGN file, or - for standard input");
    struct annotator a = {.level = malloc(DEPTH_MAX * sizeof(struct level))};
    int code = a.level == NULL ? error_memory(DEPTH_MAX * sizeof(struct level), "variations") : 0;
    THEN(code, cltb_open(&a.tables, tables_dir(dir), NULL));
    for (int i = 0; i < arguments.count && code == 0; i++)
        code = annotate_file(&a, arguments.word[i]);
    cltb_close(a.tables);
    free(a.level);
    if (code != 0)
        return report("annotate", code);
    fprintf(stderr, "%lu game%s: tables cover %lu move%s, of which %lu changed the outcome\n", a.games,
            a.games == 1 ? "" : "s", a.covered, a.covered == 1 ? "" : "s", a.marked);
    return a.faults > 0 ? EXIT_FAILED : EXIT_DONE;
}

const struct command annotate_command = {"annotate", run, "marks the moves of PGN games that changed the outcome"};
