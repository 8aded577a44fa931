// uci.c - `cltb uci`: an engine for chess programs that plays from tables
//
// A search is one look at the moves of a position, done before `go` returns. So limits of time and nodes do not matter,
// and no thread is needed: with `infinite` or `ponder` the best move is held back until `stop` or `ponderhit`.
//
// One `info string` reports each fault of a line; the engine then stays as it was.
#include "cli/command.h"
#include "cli/line_reader.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "uci/game.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    CACHE_MIB = 256,
    CACHE_MIB_MAX = 1 << 20,
    LINES_MAX = 256,
    CHOOSE_NODES_PV = 300, // for each move of a line
    // Plies of a line: of the best move's, and of the others'. A ply takes as many probes as there are moves.
    PLIES_FIRST = 100,
    PLIES_OTHER = 10,
    SCORE_WIN = 20000, // less the distance in plies: the scale of Stockfish for wins by tables
    SCORE_CURSED = 1
};

struct uci {
    char *folders;
    uint64_t cache_mib;
    uint64_t lines; // MultiPV
    bool fifty_moves;
    bool show_wdl;
    bool chess960;
    cltb_tables *tables;
    struct game game;
    struct game next; // the game along a line
    struct game_move move[CLTB_MOVES_MAX];
    struct game_move reply[CLTB_MOVES_MAX];
    char why[GAME_WHY_MAX]; // some moves are not known
    bool held;              // `best` must not be sent before `stop`
    char best[UCI_MAX + 2]; // or "(none)"
    char reply_text[16];    // " ponder MOVE", or ""
    bool refused;           // the last `position` was
    uint64_t probes;        // of the current `go`
    double start;           // its start
};

// ---- words: any white space may part them ----

#define SPACE " \t\r\n\v\f"

static char *next_word(char *text)
{
    text += strcspn(text, SPACE);
    return text + strspn(text, SPACE);
}

// The first word that is `word`, or NULL. The text begins with a word.
static char *find_word(char *text, const char *word)
{
    for (; *text != '\0'; text = next_word(text))
        if (strcspn(text, SPACE) == strlen(word) && strncmp(text, word, strlen(word)) == 0)
            return text;
    return NULL;
}

// Ends the text before this word of it, and the white space before that.
static void end_before(char *text, char *word)
{
    while (word > text && strchr(SPACE, word[-1]) != NULL)
        word--;
    *word = '\0';
}

// ---- options ----

enum option_id { CLTB_PATH, SYZYGY_PATH, FIFTY_MOVES, SHOW_WDL, CHESS960, LINES, HASH, IGNORED };

static const struct engine_option {
    const char *name;
    const char *type; // as `uci` prints it, except for the path's value
    enum option_id id;
} engine_options[] = {
    {"CltbPath", "string", CLTB_PATH},
    {"SyzygyPath", "string default <empty>", SYZYGY_PATH},
    {"Syzygy50MoveRule", "check default true", FIFTY_MOVES},
    {"UCI_ShowWDL", "check default false", SHOW_WDL},
    {"UCI_Chess960", "check default false", CHESS960},
    {"MultiPV", "spin default 1 min 1 max 256", LINES},
    {"Hash", "spin default 256 min 1 max 1048576", HASH},
    {"Threads", "spin default 1 min 1 max 1024", IGNORED},
    {"SyzygyProbeDepth", "spin default 1 min 1 max 100", IGNORED},
    {"Ponder", "check default false", IGNORED},
};

enum { ENGINE_OPTIONS = sizeof engine_options / sizeof engine_options[0] };

static void print_options(const struct uci *uci)
{
    printf("id name cltb %s\nid author the cltb authors\n", CLTB_VERSION);
    for (int i = 0; i < ENGINE_OPTIONS; i++) {
        const struct engine_option *option = &engine_options[i];
        printf("option name %s type %s", option->name, option->type);
        if (option->id == CLTB_PATH)
            printf(" default %s", uci->folders);
        printf("\n");
    }
    printf("uciok\n");
}

// Opens the tables again, with other folders or to see new files.
static int open_tables(struct uci *uci, const char *folders, uint64_t cache_mib)
{
    const cltb_options options = {.cache_bytes = (size_t)cache_mib << 20};
    cltb_tables *tables;
    TRY(cltb_open(&tables, folders, &options));
    char *copy = strdup(folders);
    if (copy == NULL) {
        cltb_close(tables);
        return error_memory(strlen(folders), "the names of folders");
    }
    cltb_close(uci->tables);
    free(uci->folders);
    uci->tables = tables;
    uci->folders = copy;
    uci->cache_mib = cache_mib;
    return 0;
}

static int read_check(const char *name, const char *value, bool *check)
{
    const bool on = strcasecmp(value, "true") == 0;
    if (!on && strcasecmp(value, "false") != 0)
        return error_set(CLTB_E_USAGE, "option %s takes true or false", name);
    *check = on;
    return 0;
}

static int read_spin(const char *name, const char *value, uint64_t most, uint64_t *number)
{
    char *end;
    const long long n = strtoll(value, &end, 10);
    if (end == value || *end != '\0' || n < 1 || (uint64_t)n > most)
        return error_set(CLTB_E_USAGE, "option %s takes a number from 1 to %" PRIu64, name, most);
    *number = (uint64_t)n;
    return 0;
}

// Carries out: setoption name NAME value VALUE
static int set_option(struct uci *uci, char *rest)
{
    char *value = find_word(rest, "value");
    const char *name = find_word(rest, "name");
    uint64_t mib = 0;
    if (value != NULL)
        end_before(rest, value);
    if (value != NULL)
        value = next_word(value);
    name = name == rest ? next_word(rest) : rest;
    if (*name == '\0')
        return error_set(CLTB_E_USAGE, "'setoption' takes name NAME value VALUE");
    const struct engine_option *option = engine_options;
    while (option < engine_options + ENGINE_OPTIONS && strcasecmp(option->name, name) != 0)
        option++;
    if (option == engine_options + ENGINE_OPTIONS)
        return error_set(CLTB_E_USAGE, "there is no option %.40s", name);
    if (value == NULL || *value == '\0')
        return error_set(CLTB_E_USAGE, "option %s needs a value", option->name);
    switch (option->id) {
    case SYZYGY_PATH: // programs send it although it is not set: that says nothing about CltbPath
        if (strcmp(value, "<empty>") == 0)
            return 0;
        __attribute__((fallthrough));
    case CLTB_PATH:
        return open_tables(uci, value, uci->cache_mib);
    case FIFTY_MOVES:
        return read_check(option->name, value, &uci->fifty_moves);
    case SHOW_WDL:
        return read_check(option->name, value, &uci->show_wdl);
    case CHESS960:
        return read_check(option->name, value, &uci->chess960);
    case LINES:
        return read_spin(option->name, value, LINES_MAX, &uci->lines);
    case HASH:
        TRY(read_spin(option->name, value, CACHE_MIB_MAX, &mib));
        return open_tables(uci, uci->folders, mib);
    default:
        return 0;
    }
}

// ---- positions ----

// Carries out: position startpos|fen FEN [moves MOVE...]
static int set_position(struct uci *uci, char *rest)
{
    struct game *game = &uci->next;
    char *moves = find_word(rest, "moves");
    char *state;
    uint32_t move;
    uci->refused = true;
    if (moves != NULL) {
        end_before(rest, moves);
        moves = next_word(moves);
    }
    if (find_word(rest, "startpos") == rest)
        TRY(game_set(game, FEN_START, uci->chess960));
    else if (find_word(rest, "fen") == rest)
        TRY(game_set(game, next_word(rest), uci->chess960));
    else
        return error_set(CLTB_E_USAGE, "'position' takes startpos or fen");
    for (char *word = moves == NULL ? NULL : strtok_r(moves, SPACE, &state); word != NULL;
         word = strtok_r(NULL, SPACE, &state)) {
        TRY(uci_read(&game->position, word, &move));
        TRY(game_make(game, move));
    }
    uci->game = *game;
    uci->refused = false;
    return 0;
}

// ---- what a move is worth ----

// Plies to mate after this move, if the clock does not interfere; -1: unknown.
static int plies_to_mate(const struct uci *uci, const struct game_move *move)
{
    const struct position *p = &uci->game.position;
    const struct cltb_value value = move->ranked.value;
    if (value.outcome == CLTB_UNKNOWN)
        return move->to_mate; // by the search, if at all
    if (move->ranked.mate)
        return 1;
    if (!is_decided(value.outcome))
        return -1;
    if (!value.rounded && value.dtz != DTZ_UNKNOWN &&
        distance_is_mate(p, value.outcome == CLTB_WIN ? p->side : p->side ^ 1))
        return value.dtz;
    return !uci->fifty_moves || p->fifty + move->to_mate <= PLY_LIMIT ? move->to_mate : -1;
}

static void print_score(const struct uci *uci, const struct game_move *move)
{
    const struct cltb_value value = move->ranked.value;
    const int mate = plies_to_mate(uci, move);
    const bool won = value.outcome > CLTB_DRAW || (value.outcome == CLTB_UNKNOWN && mate % 2 == 1);
    const bool decided = is_decided(value.outcome);
    const int plies = value.dtz == DTZ_UNKNOWN ? PLY_LIMIT : value.dtz;
    const int score = decided ? SCORE_WIN - plies : SCORE_CURSED;
    if (value.outcome == CLTB_DRAW)
        printf(" score cp 0");
    else if (value.outcome == CLTB_UNKNOWN && mate < 0)
        return; // nobody knows
    else if (mate >= 0)
        printf(" score mate %d", won ? (mate + 1) / 2 : -(mate / 2));
    else
        printf(" score cp %d", won ? score : -score);
    if (uci->show_wdl && value.outcome != CLTB_UNKNOWN)
        printf(" wdl %s", !decided ? "0 1000 0" : won ? "1000 0 0" : "0 0 1000");
}

// Prints the best line after a move, as far as it is known, up to mate, a draw or a number of plies.
static void print_line(struct uci *uci, const struct ranked_move *ranked, bool first)
{
    struct game *next = &uci->next;
    char text[UCI_MAX];
    char why[GAME_WHY_MAX];
    uci_write(ranked->move, text);
    printf(" pv %s", text);
    *next = uci->game;
    int code = game_make(next, ranked->move);
    bool drawn = ranked->value.outcome == CLTB_DRAW || ranked->value.outcome == CLTB_UNKNOWN;
    // The opponent's best reply, which he may ponder on, is told in any case.
    const int plies = drawn ? 2 : first ? PLIES_FIRST : PLIES_OTHER;
    for (int ply = 1; ply < plies && code == 0; ply++) {
        const int count = game_moves(next, uci->tables, uci->fifty_moves, CHOOSE_NODES_PV, uci->reply, why);
        if (count <= 0 || (!drawn && uci->reply[0].ranked.value.outcome == CLTB_DRAW) ||
            uci->reply[count - 1].ranked.value.outcome == CLTB_UNKNOWN)
            return;
        uci->probes += (uint64_t)count;
        uci_write(uci->reply[0].ranked.move, text);
        printf(" %s", text);
        if (ply == 1 && first)
            snprintf(uci->reply_text, sizeof uci->reply_text, " ponder %s", text);
        code = game_make(next, uci->reply[0].ranked.move);
    }
}

static void print_move(struct uci *uci, int line, const struct game_move *move)
{
    const struct ranked_move *ranked = &move->ranked;
    const char *name = ranked->value.outcome == CLTB_UNKNOWN ? "unknown" : cltb_outcome_name(ranked->value.outcome);
    const uint64_t ms = (uint64_t)(1000 * (wall_seconds() - uci->start));
    printf("info depth 1 seldepth 1 multipv %d", line);
    print_score(uci, move);
    printf(" time %" PRIu64 " nodes %" PRIu64 " nps %" PRIu64 " tbhits %" PRIu64, ms, uci->probes,
           uci->probes * 1000 / (ms + 1), uci->probes);
    print_line(uci, ranked, line == 1);
    printf("\n");
    if (line != 1)
        return;
    printf("info string category=%s", name);
    if (ranked->value.outcome != CLTB_UNKNOWN && ranked->value.dtz != DTZ_UNKNOWN)
        printf(" dtz=%d", ranked->value.outcome > 0 ? ranked->value.dtz : -ranked->value.dtz);
    printf("\n");
}

// ---- go ----

// Keeps only the moves of `searchmoves`, which ends the line, if there are any.
static int keep_wanted(char *rest, struct game_move *moves, int count)
{
    char *wanted = find_word(rest, "searchmoves");
    int kept = 0;
    for (int i = 0; wanted != NULL && i < count; i++) {
        char text[UCI_MAX];
        uci_write(moves[i].ranked.move, text);
        if (find_word(wanted, text) != NULL)
            moves[kept++] = moves[i];
    }
    return kept > 0 ? kept : count;
}

static void tell_best(struct uci *uci)
{
    uci->held = false;
    printf("bestmove %s%s\n", uci->best, uci->reply_text);
}

static void go(struct uci *uci, char *rest)
{
    struct position *p = &uci->game.position;
    uint32_t legal[MOVES_MAX];
    uci->start = wall_seconds();
    const int all = moves_legal(p, legal);
    int count = all == 0 ? 0 : game_moves(&uci->game, uci->tables, uci->fifty_moves, CHOOSE_NODES, uci->move, uci->why);
    uci->probes = count > 0 ? (uint64_t)count : 0;
    uci->reply_text[0] = '\0';
    if (uci->refused) {
        printf("info string the last position was refused, so there is no best move\n");
        snprintf(uci->best, sizeof uci->best, "(none)");
    } else if (all == 0) {
        printf("info depth 0 score %s\n", position_in_check(p) ? "mate 0" : "cp 0");
        snprintf(uci->best, sizeof uci->best, "(none)");
    } else if (count < 0) {
        printf("info string %s\n", error_text());
        uci_write(legal[0], uci->best);
    } else {
        const int kept = keep_wanted(rest, uci->move, count);
        if (kept < count)
            game_choose(&uci->game, uci->tables, CHOOSE_NODES, uci->move, kept);
        count = kept;
        if (uci->why[0] != '\0')
            printf("info string %s moves are not known: %s\n",
                   uci->move[0].ranked.value.outcome == CLTB_UNKNOWN ? "the" : "some", uci->why);
        for (int i = 0; i < count && (uint64_t)i < uci->lines; i++)
            print_move(uci, i + 1, &uci->move[i]);
        uci_write(uci->move[0].ranked.move, uci->best);
    }
    uci->held = find_word(rest, "infinite") != NULL || find_word(rest, "ponder") != NULL;
    if (!uci->held)
        tell_best(uci);
}

// ---- lines ----

// Not of the protocol, but what other engines have: the board and the FEN.
static void print_position(const struct uci *uci)
{
    const struct position *p = &uci->game.position;
    char fen[FEN_MAX];
    for (int square = 56; square >= 0; square = square % 8 == 7 ? square - 15 : square + 1) {
        const int code = p->board[square];
        printf("%c%c", code == EMPTY ? '.' : piece_letter(code), square % 8 == 7 ? '\n' : ' ');
    }
    fen_write(p, fen);
    printf("Fen: %s%s\n", fen, uci->refused ? " (a later position was refused)" : "");
}

// Carries out a line, which it modifies. False: the line was `quit`.
static bool carry_out(struct uci *uci, char *line)
{
    line += strspn(line, SPACE);
    end_before(line, line + strlen(line));
    char *rest = next_word(line);
    bool going_on = true;
    int code = 0;
    line[strcspn(line, SPACE)] = '\0';
    if (strcmp(line, "quit") == 0)
        going_on = false;
    else if (strcmp(line, "uci") == 0)
        print_options(uci);
    else if (strcmp(line, "isready") == 0)
        printf("readyok\n");
    else if (strcmp(line, "stop") == 0 || strcmp(line, "ponderhit") == 0) {
        if (uci->held)
            tell_best(uci);
    } else if (strcmp(line, "setoption") == 0)
        code = set_option(uci, rest);
    else if (strcmp(line, "position") == 0)
        code = set_position(uci, rest);
    else if (strcmp(line, "go") == 0 && uci->held)
        code = error_set(CLTB_E_USAGE, "the last 'go' waits for 'stop'");
    else if (strcmp(line, "go") == 0)
        go(uci, rest);
    else if (strcmp(line, "d") == 0)
        print_position(uci);
    else if (strcmp(line, "ucinewgame") == 0)
        code = set_position(uci, (char[]){"startpos"});
    else if (*line != '\0' && strcmp(line, "debug") != 0 && strcmp(line, "register") != 0)
        code = error_set(CLTB_E_USAGE, "unknown command '%.40s'", line);
    if (code != 0)
        printf("info string %s\n", error_text());
    fflush(stdout);
    return going_on;
}

static void uci_close(struct uci *uci)
{
    if (uci == NULL)
        return;
    cltb_close(uci->tables);
    free(uci->folders);
    free(uci);
}

static int uci_open(struct uci **result, const char *folders)
{
    struct uci *uci;
    *result = NULL;
    TRY(memory_new(&uci, 1, sizeof *uci, "an engine"));
    uci->lines = 1;
    uci->fifty_moves = true;
    int code = open_tables(uci, folders, CACHE_MIB);
    THEN(code, game_set(&uci->game, FEN_START, false));
    if (code == 0)
        *result = uci;
    else
        uci_close(uci);
    return code;
}

// ---- the command ----

static int run(int argc, char **argv)
{
    const char *dir = NULL;
    const char *syzygy = NULL;
    const struct option options[] = {{.name = "--dir", .kind = OPTION_FOLDER, .value = &dir},
                                     {.name = "--syzygy", .kind = OPTION_FOLDER, .value = &syzygy},
                                     {.name = NULL}};
    struct arguments arguments;
    struct uci *uci = NULL;
    char *folders;
    char *line = NULL;
    TRY(options_parse(&arguments, "uci", argc, argv, options));
    if (arguments.count > 0)
        return usage_fault("uci", "takes no arguments: folders are given by --dir, positions by standard input");
    int code = folders_given(&folders, dir, syzygy);
    THEN(code, uci_open(&uci, folders));
    free(folders);
    if (code != 0)
        return report("uci", code);
    while ((line = line_of(stdin)) != NULL && carry_out(uci, line))
        free(line);
    const bool ended = line != NULL || feof(stdin);
    free(line);
    uci_close(uci);
    return ended ? EXIT_DONE : report("uci", error_set(CLTB_E_IO, "standard input could not be read to its end"));
}

const struct command uci_command = {"uci", run, "a UCI engine that plays from tables"};
