// test_structures.c - the graph of structures against a separate enumeration, and the values of positions
#include "structures/support_verdict.h"

#include "chess/notation.h"

// ---- an enumeration that shares no code with the graph ----

// A structure as text: 64 characters P, p or '.', and the pieces behind them, sorted.
enum { TEXT_MAX = 64 + 32, SET_MAX = 20000 };

static char (*set)[TEXT_MAX];
static size_t set_count;

static int compare_letters(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

static void note(const char *structure)
{
    char text[TEXT_MAX] = {0};
    strcpy(text, structure);
    qsort(text + 64, strlen(text + 64), 1, compare_letters);
    for (size_t i = 0; i < set_count; i++)
        if (strcmp(set[i], text) == 0)
            return;
    assert_true(set_count < SET_MAX);
    memcpy(set[set_count++], text, sizeof text);
}

static void note_without(const char *structure, size_t at)
{
    char text[TEXT_MAX];
    strcpy(text, structure);
    if (at < 64)
        text[at] = '.';
    else
        memmove(text + at, text + at + 1, strlen(text + at));
    note(text);
}

// A pawn, which is no longer there, arrives on a square whose man (if any) is no longer there.
static void note_arrival(const char *without, char pawn, int file, int rank)
{
    char text[TEXT_MAX];
    const char *become = pawn == 'P' ? "QRBN" : "qrbn";
    strcpy(text, without);
    if (rank > 0 && rank < 7) {
        text[8 * rank + file] = pawn;
        note(text);
        return;
    }
    for (; *become != '\0'; become++) {
        snprintf(text, sizeof text, "%s%c", without, *become);
        note(text);
    }
}

static void note_pawn(const char *from, int file, int rank)
{
    const char pawn = from[8 * rank + file];
    const char other = pawn == 'P' ? 'p' : 'P';
    const int step = pawn == 'P' ? 1 : -1;
    const char *pieces = pawn == 'P' ? "qrbn" : "QRBN";
    char text[TEXT_MAX];
    strcpy(text, from);
    text[8 * rank + file] = '.';
    if (from[8 * (rank + step) + file] == '.') {
        note_arrival(text, pawn, file, rank + step);
        if (rank == (pawn == 'P' ? 1 : 6) && from[8 * (rank + 2 * step) + file] == '.') {
            note_arrival(text, pawn, file, rank + 2 * step);
            for (int side = -1; side <= 1; side += 2) { // en passant
                char taken[TEXT_MAX];
                if (file + side < 0 || file + side > 7 || from[8 * (rank + 2 * step) + file + side] != other)
                    continue;
                strcpy(taken, text);
                taken[8 * (rank + 2 * step) + file + side] = '.';
                note_arrival(taken, other, file, rank + step);
            }
        }
    }
    for (int side = -1; side <= 1; side += 2) {
        const int to = 8 * (rank + step) + file + side;
        if (file + side < 0 || file + side > 7 || from[to] == pawn)
            continue;
        for (size_t i = 64; from[to] == '.' && i < strlen(from); i++) {
            char taken[TEXT_MAX];
            if (strchr(pieces, from[i]) == NULL)
                continue;
            strcpy(taken, text);
            memmove(taken + i, taken + i + 1, strlen(taken + i));
            note_arrival(taken, pawn, file + side, rank + step);
        }
        if (from[to] == other) {
            char taken[TEXT_MAX];
            strcpy(taken, text);
            taken[to] = '.';
            note_arrival(taken, pawn, file + side, rank + step);
        }
    }
}

static size_t enumerate(const struct position *p)
{
    char root[TEXT_MAX] = {0};
    size_t length = 64;
    for (int square = 0; square < 64; square++) {
        const int type = p->board[square] == EMPTY ? KING : piece_type(p->board[square]);
        root[square] = '.';
        if (type == PAWN)
            root[square] = piece_letter(p->board[square]);
        else if (type != KING)
            root[length++] = piece_letter(p->board[square]);
    }
    set = calloc(SET_MAX, sizeof *set);
    set_count = 0;
    note(root);
    for (size_t i = 0; i < set_count; i++) {
        char from[TEXT_MAX];
        memcpy(from, set[i], sizeof from);
        for (int square = 0; square < 64; square++)
            if (from[square] != '.')
                note_pawn(from, square % 8, square / 8);
        for (size_t at = 0; at < strlen(from); at++)
            if (from[at] != '.')
                note_without(from, at);
    }
    free(set);
    return set_count;
}

static bool no_table(void *context, const struct material *material)
{
    return false;
}

TEST(test_graph)
{
    static const struct {
        const char *fen;
        size_t known; // 0: not counted by hand
    } positions[] = {{"8/8/4k3/8/8/4K3/8/8 w - - 0 1", 1},      {"8/8/4k3/8/8/4K3/8/R7 w - - 0 1", 2},
                     {"8/4P3/4k3/8/8/4K3/8/8 w - - 0 1", 6},  // the pawn, four pieces, kings
                     {"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", 11}, // six squares, four pieces, kings
                     {"8/8/3k4/p7/P7/3K4/8/8 w - - 0 1", 0},  // a ram
                     {"8/8/3k4/8/1p6/3K4/P7/8 w - - 0 1", 0}, // en passant
                     {"8/P7/3k4/8/8/3K4/8/1r6 w - - 0 1", 0}, // promotion with capture
                     {"8/8/p2k4/P7/1p6/1P1K4/8/8 w - - 0 1", 0}};
    const struct structure_limits limits = {
        .tables_men = 2, .has_table = no_table, .promoted = 8, .structures = 1000000};
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++) {
        const struct position p = position_named(positions[i].fen);
        struct structure_graph graph;
        GOOD(structure_graph_make(&graph, &p, &limits));
        assert_int_equal(graph.bounded, 0);
        assert_int_equal(graph.structures, enumerate(&p));
        if (positions[i].known > 0)
            assert_int_equal(graph.structures, positions[i].known);
        structure_graph_free(&graph);
    }
}

TEST(test_refused)
{
    const struct structure_limits limits = {.tables_men = 2, .has_table = no_table, .promoted = 8, .structures = 100};
    struct structure_graph graph;
    struct position p = position_named("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    FAILS(structure_graph_make(&graph, &p, &limits), CLTB_E_POSITION, "castling is still possible");
    p = position_named("4k3/8/8/8/8/8/8/RNBQKBNR w - - 0 1");
    FAILS(structure_graph_make(&graph, &p, &limits), CLTB_E_POSITION, "7 kings and pieces, not 9");
    p = position_named("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1");
    FAILS(structure_graph_make(&graph, &p, &limits), CLTB_E_MEMORY, "more than 100 structures");
}

// ---- values ----

// What is known of a position without tables: its outcome, its DTZ, its best move, and whether that is the only one.
static void check(const struct verdict *verdict, const char *fen, int outcome, int dtz, const char *best, int only)
{
    char san[SAN_MAX] = "";
    assert_true(verdict_certain(&verdict->answer.value, true));
    if (verdict->answer.moves > 0)
        san_write(&verdict->answer.position, verdict->answer.move[0].move, san);
    if (verdict->answer.value.low.outcome != outcome || verdict->answer.value.low.dtz != dtz ||
        (best != NULL && strcmp(san, best) != 0) || (only >= 0 && structure_only_move(&verdict->answer) != only))
        fail_msg("%s: %s %d by %s (only: %d)", fen, cltb_outcome_name(verdict->answer.value.low.outcome),
                 verdict->answer.value.low.dtz, san, structure_only_move(&verdict->answer));
}

static void expect(const char *fen, int effort, int outcome, int dtz, const char *best, int only)
{
    struct verdict *verdict = verdict_of(fen, 0, effort);
    check(verdict, fen, outcome, dtz, best, only);
    verdict_done(verdict);
}

TEST(test_stalemate)
{
    expect("8/8/8/8/8/5k2/5p2/5K2 w - - 0 1", 12, CLTB_DRAW, 0, "", -1);  // stalemate
    expect("8/8/8/8/8/5k2/5p2/5K2 b - - 0 1", 12, CLTB_WIN, 5, "Ke3", 0); // not with the other side to move
    expect("8/8/8/8/8/k7/8/KQ6 b - - 0 1", 12, CLTB_LOSS, 8, "Ka4", 1);   // the only move there is
}

TEST(test_promotion_with_check)
{
    expect("k7/2P5/K7/8/8/8/8/8 w - - 0 1", 12, CLTB_WIN, 1, "c8=Q#", 0);  // and mate
    expect("k7/8/1K6/8/8/8/6pP/8 b - - 0 1", 12, CLTB_WIN, 1, "g1=Q+", 0); // out of which White cannot mate
}

// A queen stalemates: Saavedra.
TEST(test_underpromotion)
{
    const char *fen = "8/2P5/8/8/3r4/8/2K5/k7 w - - 0 1";
    struct verdict *verdict = verdict_of(fen, 0, 12);
    check(verdict, fen, CLTB_WIN, 1, "c8=R", 0);
    for (int i = 0; i < verdict->answer.moves; i++) {
        char san[SAN_MAX];
        san_write(&verdict->answer.position, verdict->answer.move[i].move, san);
        if (strcmp(san, "c8=Q") == 0)
            assert_int_equal(verdict->answer.move[i].value.high.outcome, CLTB_DRAW);
    }
    verdict_done(verdict);
}

TEST(test_capture_promotion)
{
    expect("1r6/P7/8/8/8/1k6/8/K7 w - - 0 1", 12, CLTB_WIN, 1, "axb8=Q+", 0);
    if (!sanitized())
        expect("1r6/P7/8/8/8/1k6/8/K7 b - - 0 1", 12, CLTB_WIN, 3, "Ra8", 0); // Black prevents it
}

// b4xc3 takes the pawn that has just come to c4, and unlocks b3 and the taker itself.
TEST(test_en_passant_unlocks)
{
    expect("8/8/8/k7/1pP5/1P6/8/K7 b - c3 0 1", 12, CLTB_DRAW, 0, "bxc3", 1);
    if (!sanitized())
        expect("8/8/8/k7/1pP5/1P6/8/K7 b - - 0 1", 12, CLTB_LOSS, 16, "Kb6", -1);
}

// A double step is worth what it is with the right to take en passant.
TEST(test_en_passant)
{
    expect("8/8/8/8/Pp6/8/8/1K5k b - a3 0 1", 12, CLTB_DRAW, 0, "bxa3", 1);
    struct verdict *verdict = verdict_of("8/8/8/8/Pp6/8/8/1K5k b - - 0 1", 0, 12);
    assert_int_equal(verdict->answer.value.low.outcome, CLTB_LOSS);
    assert_int_equal(verdict->answer.value.high.outcome, CLTB_LOSS);
    verdict_done(verdict);
    verdict = verdict_of("8/8/8/8/1p6/8/P7/1K5k w - - 0 1", 0, 12);
    for (int i = 0; i < verdict->answer.moves; i++) {
        char san[SAN_MAX];
        san_write(&verdict->answer.position, verdict->answer.move[i].move, san);
        if (strcmp(san, "a4") == 0)
            assert_int_equal(verdict->answer.move[i].value.high.outcome, CLTB_DRAW);
    }
    verdict_done(verdict);
}

TEST(test_by_force)
{
    compare_by_force("8/8/2k5/p7/P7/2K5/8/8 w - - 0 1", WHITE); // a ram
}

TESTS(NULL, NULL)
