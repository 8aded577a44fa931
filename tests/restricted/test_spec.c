// test_spec.c - restricted endgames as text and as XML: what is read, the sentences for errors, matching of men,
// patterns of moves
#include "chess/fen.h"
#include "chess/notation.h"
#include "restricted/make/spec_file.h"
#include "restricted/spec.h"
#include "util/error.h"

#include "support/support.h"
#include <fnmatch.h>

static struct spec read_good(const char *text)
{
    struct spec spec;
    GOOD(spec_read(&spec, text));
    return spec;
}

static struct position position_of(const char *fen)
{
    struct position p;
    GOOD(fen_read(&p, fen));
    return p;
}

// ---- text ----

TEST(test_spec_names)
{
    static const char *const pairs[][2] = {
        {"K v K", "K v K"},
        {"K P[f7+] P[g7+] v K", "K P[f7] P[g7] v K"},
        {"  KP[ g7+ ]P[f7]vK\t", "K P[f7] P[g7] v K"},
        {"K P[a2+] v K P[a7+] P[b4+]", "K P[a] v K P[b4+] P[a]"},
        {"K P[f5+] v K", "K P[f5+] v K"},
        {"K P[f5,f6,f7] v K P[c4,c3,c2]", "K P[f5+] v K P[c4+]"},
        {"P[2-7] K v B K N", "K P v K B N"},
        {"K[a1-h8] Q[a1-d8] Q[e-h] v K", "K Q[a-d] Q[e-h] v K"},
        {"K Q[h8-e1,d,c] v K", "K Q[c-h] v K"},
        {"K[d4-a1] R[1,2-4] v K[e4 e5,b7]", "K[a1-d4] R[1-4] v K[e4-e5,b7]"},
        {"K N[a1,c1,b2,a3,c3] v K", "K N[a1,c1,b2,a3,c3] v K"},
        {"K N[a1-c1,b2-b3] v K", "K N[a1-c1,b2-b3] v K"},
        {"K P[a1-d8] P[2] v K", "K P[2] P[a-d] v K"},
        {"K N[b] N[a] R Q v K B P", "K Q R N[a] N[b] v K B P"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char name[SPEC_NAME_MAX];
        struct spec spec = read_good(pairs[i][0]);
        spec_name(&spec, name);
        assert_string_equal(name, pairs[i][1]);
        struct spec again = read_good(name);
        assert_memory_equal(&again, &spec, sizeof spec);
    }
}

TEST(test_spec_squares)
{
    static const uint64_t squares[] = {UINT64_MAX,
                                       UINT64_MAX,
                                       UINT64_C(3) << 8 | UINT64_C(3) << 16,
                                       UINT64_C(1) << 53,
                                       UINT64_C(1) << 28 | UINT64_C(1) << 20 | UINT64_C(1) << 12,
                                       UINT64_C(1) << 50 | UINT64_C(1) << 43};
    const struct spec spec = read_good("K P[f7+] P[b2-a3] v K P[e4+] P[c7,d6]");
    assert_int_equal(spec.men, 6);
    assert_int_equal(spec.man[0].type, KING);
    assert_int_equal(spec.man[1].colour, BLACK);
    for (int i = 0; i < 6; i++)
        assert_true(spec.man[i].squares == squares[i]);
}

// The name of the longest possible sets fits.
TEST(test_long_name)
{
    static const uint64_t rows[] = {0x5b, 0xb6, 0x6d, 0xdb}; // runs that make the longest text
    struct spec spec = {0};
    for (int i = 0; i < SPEC_MEN_MAX; i++) {
        uint64_t squares = 0;
        for (int rank = 0; rank < 8; rank++)
            squares |= rows[(i + rank) % 4] << 8 * rank;
        GOOD(spec_add_man(&spec, i & 1, i < 2 ? KING : QUEEN, squares));
    }
    GOOD(spec_finish(&spec));
    char name[SPEC_NAME_MAX];
    spec_name(&spec, name);
    assert_true(strlen(name) > 1500 && strlen(name) < SPEC_NAME_MAX - 1);
    struct spec again = read_good(name);
    assert_memory_equal(&again, &spec, sizeof spec);
}

#define SUCH " is not a set of squares (examples: e4, a1-d8, a-d, 1-4; for pawns also e4+)"

static int add_pattern(struct spec *spec, const char *pattern)
{
    *spec = read_good("K v K");
    return spec_add_rule(spec, WHITE, SPEC_DISCARD, pattern);
}

#define MEN(text, fault)                                                                                               \
    {                                                                                                                  \
        spec_read, text, "'" text "' is not a restricted endgame: " fault                                              \
    }
#define PATTERN(text, fault)                                                                                           \
    {                                                                                                                  \
        add_pattern, text, "pattern '" text "': " fault                                                                \
    }
#define UNREAD "no move reads like that (moves read Ke4, KxP, P=Q, PxR=Q)"

static const struct {
    int (*read)(struct spec *spec, const char *text);
    const char *text;
    const char *sentence;
} faults[] = {
    MEN("", "character 1: the 'v' and Black's men are missing"),
    MEN("K Q K", "character 6: the 'v' and Black's men are missing"),
    MEN("K v K v Q", "character 7: there is a second 'v'"),
    MEN("K q v K", "character 3: 'q' is not one of K Q R B N P"),
    MEN("K P[a4 v K", "character 8: 'v'" SUCH),
    MEN("K v K P[a4", "character 11: a ']' is missing"),
    MEN("K v K P[]", "character 9: a set of squares is missing"),
    MEN("K v K P[a4,]", "character 12: a set of squares is missing"),
    MEN("K P[e1] v K", "character 5: a pawn cannot stand on e1"),
    MEN("K P[d4,e8+] v K", "character 8: a pawn cannot stand on e8"),
    MEN("K P[8] v K", "character 5: '8': a pawn cannot stand on ranks 1 and 8"),
    MEN("K Q[d4+] v K", "character 5: 'd4+': only pawns can have a '+'"),
    MEN("K Q[d9] v K", "character 5: 'd9'" SUCH),
    MEN("K Q[d-4] v K", "character 5: 'd-4'" SUCH),
    MEN("K Q[a1-d8-e4] v K", "character 5: 'a1-d8-e4'" SUCH),
    MEN("K] v K", "character 2: ']' is not one of K Q R B N P"),
    MEN("KQQQQQQQv KQQQQQQQQ", "character 19: more than 16 men"),
    MEN("Q v K", "White has no king"),
    MEN("K v R", "Black has no king"),
    MEN("K v K K", "Black has more than one king"),
    MEN("KPPPPPPPPP v K", "White has more than 8 pawns"),
    MEN("K P[a4] v K B[a4]", "two men can only stand on a4"),
    MEN("K P[a4] v K B[a4-a5] N[a5,a4]", "the men cannot all have a square of their own"),
    MEN("K[a1] v K[a2-b2]", "the kings can only stand side by side"),
    {spec_parse, "", "White has no king"},
    {spec_parse, "men K v\n", "Black has no king"},
    {spec_parse, "men K x v K", "line 1 of the spec: 'x' is not one of K Q R B N P"},
    {spec_parse, "men K v K\nmen K v K\n", "line 2 of the spec: the men are given twice"},
    {spec_parse, "men K v K\n\nprune", "line 2 of the spec: '' is not a line of a spec"},
    {spec_parse, "men K v K\nprune white forget K*", "line 2 of the spec: 'white forget K*' is not a prune rule"},
    {spec_parse, "men K v K\nprune white discard K[\n", "line 2 of the spec: pattern 'K[': a ']' is missing"},
    {spec_parse, "futurebase \n", "line 1 of the spec: the file name of a futurebase is empty"},
    {spec_parse, "output a\tb\n", "line 1 of the spec: the output's file name has control characters"},
    {spec_parse, "output a\noutput b\n", "line 2 of the spec: there is a second output"},
    {spec_parse, "note a\nnote b\n", "line 2 of the spec: there is a second note"},
    {spec_parse, "sort men", "line 1 of the spec: 'sort men' is not a line of a spec"},
    PATTERN("", "it must have 1 to 31 characters"),
    PATTERN("********************************", "it must have 1 to 31 characters"),
    PATTERN("P=[RNB", "a ']' is missing"),
    PATTERN("P=RNB]", "a ']' without '['"),
    PATTERN("P=[]", "there is nothing between [ and ]"),
    PATTERN("K[^]4", "there is nothing between [ and ]"),
    PATTERN("K[a[b]4", "a '[' within [ and ]"),
    PATTERN("K[d-a]4", "'d-a' is not a range"),
    PATTERN("Kxe4", UNREAD),
    PATTERN("e4", UNREAD),
    PATTERN("K", UNREAD),
    PATTERN("P=K", UNREAD),
    PATTERN("Pe8", UNREAD),
    PATTERN("Pe8=Q", UNREAD),
    PATTERN("QxK", UNREAD),
    PATTERN("PxP=Q", UNREAD),
    PATTERN("Stalemate", UNREAD),
    PATTERN("O-O", UNREAD),
    PATTERN("Ke4 ", UNREAD),
    {add_pattern, "K\n4", "character 2 of a pattern cannot stand in a move"},
};

TEST(test_text_faults)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct spec spec;
        if (faults[i].read(&spec, faults[i].text) != CLTB_E_USAGE)
            fail_msg("%s is read", faults[i].text);
        assert_string_equal(error_text(), faults[i].sentence);
        assert_true(faults[i].read != add_pattern || spec.rules == 0);
    }
}

TEST(test_write_lines)
{
    static const char expected[] = "men K P[f7] P[g7] v K R\n"
                                   "prune white discard P=[RNB]\n"
                                   "prune black concede K[a-d]4\n"
                                   "prune black discard stalemate\n"
                                   "futurebase folder with blanks/KQPvK.cltb\n"
                                   "inverted KRvKP.cltb\n"
                                   "output two.cltb\n"
                                   "note a line\n";
    struct spec spec = read_good("K P[f7+] P[g7+] v K R");
    GOOD(spec_add_rule(&spec, WHITE, SPEC_DISCARD, "P=[RNB]"));
    GOOD(spec_add_rule(&spec, BLACK, SPEC_CONCEDE, "K[a-d]4"));
    GOOD(spec_add_rule(&spec, BLACK, SPEC_DISCARD, "stalemate"));
    GOOD(spec_add_futurebase(&spec, "folder with blanks/KQPvK.cltb", false));
    GOOD(spec_add_futurebase(&spec, "KRvKP.cltb", true));
    GOOD(spec_set_output(&spec, "two.cltb"));
    snprintf(spec.note, sizeof spec.note, "a line");
    char text[SPEC_TEXT_MAX];
    assert_int_equal(spec_write(&spec, NULL, 0), sizeof expected - 1);
    assert_int_equal(spec_write(&spec, text, 20), sizeof expected - 1);
    assert_int_equal(strlen(text), 19);
    assert_int_equal(spec_write(&spec, text, sizeof text), sizeof expected - 1);
    assert_string_equal(text, expected);
    struct spec again;
    GOOD(spec_parse(&again, text));
    assert_memory_equal(&again, &spec, sizeof spec);
}

TEST(test_text_limits)
{
    struct spec spec = read_good("K v K");
    char name[sizeof spec.futurebase[0].file + 1];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_int_equal(spec_add_futurebase(&spec, name, false), CLTB_E_USAGE);
    assert_string_equal(error_text(), "the file name of a futurebase has more than 255 bytes");
    for (int i = 0; i < SPEC_FUTUREBASES_MAX; i++)
        GOOD(spec_add_futurebase(&spec, name + 1, i & 1));
    assert_int_equal(spec_add_futurebase(&spec, name + 1, false), CLTB_E_USAGE);
    assert_string_equal(error_text(), "more than 64 futurebases");
    for (int i = 0; i < SPEC_RULES_MAX; i++)
        GOOD(spec_add_rule(&spec, WHITE, SPEC_DISCARD, "*[abcdefgh][12345678]*********"));
    assert_int_equal(spec_add_rule(&spec, WHITE, SPEC_DISCARD, "K*"), CLTB_E_USAGE);
    assert_string_equal(error_text(), "more than 64 prune rules");
    char text[SPEC_TEXT_MAX];
    assert_true(spec_write(&spec, text, sizeof text) < sizeof text);
    struct spec again;
    GOOD(spec_parse(&again, text));
    assert_memory_equal(&again, &spec, sizeof spec);
}

// ---- matching ----

static const struct {
    const char *men;
    const char *fen;
    bool belongs;
} matches[] = {
    {"K v K", "8/8/8/8/8/2k5/8/2K5 b - -", true},
    {"K Q v K", "8/8/8/8/8/2k5/8/2K5 b - -", false},
    {"K v K", "8/8/8/8/8/2k5/8/2K3Q1 b - -", false},
    {"K v K Q", "8/8/8/8/8/2k5/8/2K3Q1 b - -", false},
    {"K Q[g1] v K", "8/8/8/8/8/2k5/8/2K3Q1 b - -", true},
    {"K Q[g2] v K", "8/8/8/8/8/2k5/8/2K3Q1 b - -", false},
    {"K[c1] Q v K[c3]", "8/8/8/8/8/2k5/8/2K3Q1 b - -", true},
    {"K[c3] Q v K[c1]", "8/8/8/8/8/2k5/8/2K3Q1 b - -", false},
    // identical pieces in any order
    {"K Q[a-d] Q[e-h] v K", "8/8/8/8/8/2k5/8/Q2K3Q b - -", true},
    {"K Q[a-d] Q[e-h] v K", "8/8/8/8/8/2k5/8/QQ1K4 b - -", false},
    {"K Q[a-d] Q[a-d] v K", "8/8/8/8/8/2k5/8/QQ1K4 b - -", true},
    {"K Q[a-d] Q[b] v K", "8/8/8/8/8/2k5/8/QQ1K4 b - -", true},
    {"K Q[b] Q[b-c] Q[a-b] v K", "8/8/8/8/8/2k5/8/QQQ1K3 b - -", true},
    {"K Q[b] Q[b-c] Q[a-b] v K", "8/8/8/8/8/7k/QQ6/QK6 b - -", false},
    {"K Q[a1-a3] Q[a1] Q[a1-a2] v K", "8/8/8/8/8/Q6k/Q7/QK6 b - -", true},
    // pawns on their way
    {"K P[f5+] v K", "8/5P2/8/8/8/2k5/8/2K5 w - -", true},
    {"K P[f5+] v K", "8/8/8/8/5P2/2k5/8/2K5 w - -", false},
    {"K v K P[f5+]", "8/8/8/8/5p2/2k5/8/2K5 w - -", true},
    // pawns that face each other do not get past each other
    {"K P[a2-a6] v K P[a3-a7]", "8/8/8/p7/P7/2k5/8/2K5 w - -", true},
    {"K P[a2-a6] v K P[a3-a7]", "8/8/8/P7/p7/2k5/8/2K5 w - -", false},
    {"K P[a2-a6] v K P[a3-a7]", "8/8/P7/8/8/p1k5/8/2K5 w - -", false},
    {"K P[a] v K P[a]", "8/8/8/P7/p7/2k5/8/2K5 w - -", true},
    {"K P[a5] v K P[a4]", "8/8/8/P7/p7/2k5/8/2K5 w - -", true},
    {"K P[a2-a6] P v K P[a3-a7]", "8/8/8/P7/p7/2k5/P7/2K5 w - -", true},
    {"K P[a2-a4] P[a3-a5] v K P[a4-a7]", "8/8/p7/P7/P7/2k5/8/2K5 w - -", true},
    {"K P[a2-a4] P[a3-a5] v K P[a4-a7]", "8/8/8/P7/p7/P1k5/8/2K5 w - -", false},
};

TEST(test_match_facts)
{
    for (size_t i = 0; i < sizeof matches / sizeof matches[0]; i++) {
        struct spec spec = read_good(matches[i].men);
        struct position p = position_of(matches[i].fen);
        uint8_t where[SPEC_MEN_MAX];
        if (spec_match(&spec, &p, where) != matches[i].belongs)
            fail_msg("%s: %s", matches[i].men, matches[i].fen);
        for (int man = 0; matches[i].belongs && man < spec.men; man++) {
            assert_true((spec.man[man].squares & square_bit(where[man])) != 0);
            assert_int_equal(p.board[where[man]], piece_code(spec.man[man].colour, spec.man[man].type));
        }
    }
}

// Every order of the knights is tried.
static bool some_order_fits(const struct spec *spec, const uint8_t *squares, int count, int done, unsigned used)
{
    if (done == count)
        return true;
    for (int i = 0; i < count; i++) {
        if ((used >> i & 1) == 0 && (spec->man[2 + done].squares & square_bit(squares[i])) != 0 &&
            some_order_fits(spec, squares, count, done + 1, used | 1U << i))
            return true;
    }
    return false;
}

// Five knights with random sets among eight squares.
TEST(test_match_overlaps)
{
    int fits = 0;
    for (int round = 0; round < 20000; round++) {
        struct spec spec = {0};
        struct man men[7] = {{KING, WHITE, 0}, {KING, BLACK, 63}};
        uint8_t squares[8];
        uint64_t taken = 0;
        spec_add_man(&spec, WHITE, KING, UINT64_MAX);
        spec_add_man(&spec, BLACK, KING, UINT64_MAX);
        for (int i = 0; i < 5; i++) {
            spec_add_man(&spec, WHITE, KNIGHT, (1 + random_u64() % 255) << 24);
            do
                squares[i] = (uint8_t)(24 + random_u64() % 8);
            while ((taken & square_bit(squares[i])) != 0);
            taken |= square_bit(squares[i]);
            men[2 + i] = (struct man){KNIGHT, WHITE, squares[i]};
        }
        if (spec_finish(&spec) != 0)
            continue; // no room for all
        struct position p;
        uint8_t where[SPEC_MEN_MAX];
        assert_int_equal(position_set(&p, men, 7, WHITE), 0);
        const bool belongs = spec_match(&spec, &p, where);
        assert_int_equal(belongs, some_order_fits(&spec, squares, 5, 0, 0));
        uint64_t given = 0;
        for (int i = 2; belongs && i < 7; i++) {
            assert_true((spec.man[i].squares & square_bit(where[i])) != 0);
            given |= square_bit(where[i]);
        }
        assert_true(!belongs || given == taken);
        fits += belongs;
    }
    assert_true(fits > 2000 && fits < 18000);
}

// ---- patterns ----

static const char *const positions[] = {
    FEN_START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "1n1q1b1r/P1P1P1P1/8/1K6/6k1/8/p1p1p1p1/1N1Q1B1R w - - 0 1",
    "1n1q1b1r/P1P1P1P1/8/1K6/6k1/8/p1p1p1p1/1N1Q1B1R b - - 0 1",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
};

static const char *const patterns[] = {
    "P=[RNB]", "P=?",     "P*=?", "P*=*",   "P*",          "P[^x]*",  "PxP",   "PxR=Q",  "PxQ*",         "?xQ",
    "*xQ",     "*x*",     "KxP",  "Q*",     "K*",          "K[a-d]4", "Ke4",   "K?4",    "K[^x]*",       "[KQ]*",
    "*",       "*[e-h]*", "*=Q",  "[!P]*",  "Px[QR]=[NB]", "p=q",     "kX[p]", "*b*",    "*[a-d][5-8]*", "?[g]?",
    "P[a-]*",  "N??",     "K?3",  "Pe[34]", "[A-Z]x?",     "Px?",     "Px?=?", "*[0-9]", "*4",           "**x**?",
};

// A move's text as Hoffman's program has it.
static void move_text(const struct position *p, uint32_t move, char text[8])
{
    const char piece = "KQRBNP"[piece_type(p->board[move_from(move)])];
    if (move_is_capture(move))
        snprintf(text, 8, "%cx%c", piece, "KQRBNP"[piece_type(move_captured(move))]);
    else if (move_promoted(move) != EMPTY)
        snprintf(text, 8, "%c", piece);
    else
        snprintf(text, 8, "%c%s", piece, square_name(move_to(move)));
    if (move_promoted(move) != EMPTY) {
        const size_t length = strlen(text);
        snprintf(text + length, 8 - length, "=%c", "KQRBNP"[piece_type(move_promoted(move))]);
    }
}

// The C library's matcher, which knows nothing of chess, agrees on all legal moves.
TEST(test_all_patterns)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct spec spec = read_good("K v K");
        GOOD(spec_add_rule(&spec, WHITE, SPEC_DISCARD, patterns[i]));
        GOOD(spec_add_rule(&spec, BLACK, SPEC_CONCEDE, patterns[i]));
        for (size_t j = 0; j < sizeof positions / sizeof positions[0]; j++) {
            struct position p = position_of(positions[j]);
            uint32_t moves[MOVES_MAX];
            const int count = moves_legal(&p, moves);
            for (int k = 0; k < count; k++) {
                char text[8];
                move_text(&p, moves[k], text);
                const int expected = fnmatch(patterns[i], text, FNM_CASEFOLD) == 0 ? p.side : -1;
                if (spec_rule_of(&spec, &p, moves[k]) != expected)
                    fail_msg("%s in %s: %s", text, positions[j], patterns[i]);
            }
        }
    }
}

static const struct {
    const char *fen;
    const char *pattern;
    int count;
    const char *moves; // with a blank before and after each
} facts[] = {
    {"1n2k3/P1P5/8/8/8/8/8/4K3 w - -", "P=?", 8, " a8=B a8=N a8=Q a8=R c8=B c8=N c8=Q+ c8=R+ "},
    {"1n2k3/P1P5/8/8/8/8/8/4K3 w - -", "P*=Q", 4, " a8=Q axb8=Q+ c8=Q+ cxb8=Q+ "},
    {"1n2k3/P1P5/8/8/8/8/8/4K3 w - -", "PxN=[RB]", 4, " axb8=B axb8=R+ cxb8=B cxb8=R+ "},
    {"4k3/8/8/8/2p5/4K3/8/8 w - -", "K[a-d]4", 1, " Kd4 "},
    {"4k3/8/8/8/2p5/3K4/8/8 w - -", "KxP", 1, " Kxc4 "},
    {"4k3/8/8/8/2p5/3K4/8/8 w - -", "K[^x]*", 7, " Kc2 Kc3 Kd2 Kd4 Ke2 Ke3 Ke4 "},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d6", "PxP", 1, " exd6 "},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d6", "Pd6", 0, ""},
    {"3qk3/8/8/8/8/8/3Q4/4K3 w - -", "?xQ", 1, " Qxd8+ "},
};

TEST(test_pattern_facts)
{
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct spec spec = read_good("K v K");
        struct position p = position_of(facts[i].fen);
        GOOD(spec_add_rule(&spec, BLACK, SPEC_CONCEDE, "*"));
        GOOD(spec_add_rule(&spec, WHITE, SPEC_CONCEDE, facts[i].pattern));
        GOOD(spec_add_rule(&spec, WHITE, SPEC_DISCARD, "*"));
        uint32_t moves[MOVES_MAX];
        int found = 0;
        const int count = moves_legal(&p, moves);
        for (int k = 0; k < count; k++) {
            char san[SAN_MAX];
            char blank[SAN_MAX + 2];
            san_write(&p, moves[k], san);
            snprintf(blank, sizeof blank, " %s ", san);
            const bool listed = strstr(facts[i].moves, blank) != NULL;
            assert_int_equal(spec_rule_of(&spec, &p, moves[k]), listed ? 1 : 2); // the first that matches
            found += listed;
        }
        assert_int_equal(found, facts[i].count);
    }
}

TEST(test_stalemate)
{
    struct spec spec = read_good("K P v K");
    assert_int_equal(spec_stalemate_rule(&spec, WHITE), -1);
    GOOD(spec_add_rule(&spec, BLACK, SPEC_CONCEDE, "*"));
    GOOD(spec_add_rule(&spec, BLACK, SPEC_DISCARD, "stalemate"));
    assert_int_equal(spec_stalemate_rule(&spec, BLACK), 1);
    assert_int_equal(spec_stalemate_rule(&spec, WHITE), -1);
    struct position p = position_of("8/8/8/8/8/2k5/2P5/2K5 b - -");
    uint32_t moves[MOVES_MAX];
    assert_true(moves_legal(&p, moves) > 0);
    assert_int_equal(spec_rule_of(&spec, &p, moves[0]), 0);
}

TEST(test_word_any)
{
    struct spec spec = read_good("K P v K");
    GOOD(spec_add_rule(&spec, WHITE, SPEC_DISCARD, "P=any"));
    GOOD(spec_add_rule(&spec, WHITE, SPEC_DISCARD, "P=*"));
    const struct spec_pattern *any = &spec.rule[0].pattern;
    assert_memory_equal(any, &spec.rule[1].pattern, sizeof *any);
    assert_int_equal(any->promotions, 1 << QUEEN | 1 << ROOK | 1 << BISHOP | 1 << KNIGHT);
    assert_int_equal(any->captures[PAWN], 0);
}

// ---- XML ----

#define QUEENS(men, file)                                                                                              \
    "men K " men " v K\nprune white discard Q*\nfuturebase KQvK.cltb\noutput queens-" file ".cltb\n"

static const struct {
    const char *file;
    const char *text; // spec_write()
} files[] = {
    {"two-pawns", "men K P[f7] P[g7] v K\n"
                  "prune white discard P=[RNB]\n"
                  "futurebase KQPvK.cltb\n"
                  "futurebase KPvK.cltb\n"
                  "output two-pawns.cltb\n"},
    {"queens-both", QUEENS("Q[a-d] Q[e-h]", "both")},
    {"queens-left", QUEENS("Q[a-d] Q[a-d]", "left")},
    {"queens-right", QUEENS("Q[e-h] Q[e-h]", "right")},
    {"queen-pawn", "men K Q P v K\n"
                   "prune white discard P=[RNB]\n"
                   "futurebase KQvK.cltb\n"
                   "futurebase KPvK.cltb\n"
                   "futurebase queens-both.cltb\n"
                   "futurebase queens-left.cltb\n"
                   "futurebase queens-right.cltb\n"
                   "output queen-pawn.cltb\n"},
    {"lasker-reichhelm", "men K P[a4] P[d4] P[f4] P[d5] v K P[a5] P[f5] P[d6]\n"
                         "prune white concede KxP\n"
                         "prune black concede KxP\n"
                         "output lasker-reichhelm.cltb\n"
                         "note the table is built as DTZ with an index of its own: dtm not followed\n"},
};

TEST(test_xml_files)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char name[64], text[SPEC_TEXT_MAX];
        struct spec spec;
        snprintf(name, sizeof name, "restricted/%s.xml", files[i].file);
        GOOD(spec_read_file(&spec, data_path(name)));
        spec_write(&spec, text, sizeof text);
        assert_string_equal(text, files[i].text);
    }
    struct spec spec;
    assert_int_equal(spec_read_file(&spec, "no such file.xml"), CLTB_E_IO);
    assert_string_equal(error_text(), "no such file.xml: No such file or directory");
}

#define ENABLE(colour, type)      "<prune-enable color='" colour "' type='" type "'/>"
#define PRUNE(colour, move, type) "<prune color='" colour "' move='" move "' type='" type "'/>"
#define NOTE                      "note the table is built as DTZ with an index of its own: "
#define KINGS                     "<piece color='white' type='king'/><piece color='black' type='king'/>"
#define WHITE_PAWN(l)             "<piece color='white' type='pawn' location='" l "'/>"
#define BLACK_PAWN(l)             "<piece color='black' type='pawn' location='" l "'/>"

static const struct {
    const char *inside; // of <tablebase>
    const char *text;
} documents[] = {
    {KINGS, "men K v K\n"},
    {KINGS "<piece color='black' type='knight' location=' a4  b5 '/>", "men K v K N[a4,b5]\n"},
    // how far pawns get
    {KINGS WHITE_PAWN("a2+") BLACK_PAWN("a7+"), "men K P[a2-a6] v K P[a3-a7]\n"},
    {KINGS WHITE_PAWN("a2+") WHITE_PAWN("a4+"), "men K P[a2-a6] P[a4+] v K\n"},
    {KINGS WHITE_PAWN("a2+") BLACK_PAWN("a7+") WHITE_PAWN("a3+"), "men K P[a2-a5] P[a3-a6] v K P[a4-a7]\n"},
    {KINGS WHITE_PAWN("a2+") BLACK_PAWN("a5"), "men K P[a2-a4] v K P[a5]\n"},
    {KINGS WHITE_PAWN("a2+") BLACK_PAWN("a6 a5"), "men K P[a2-a5] v K P[a5-a6]\n"},
    {KINGS WHITE_PAWN("a2+") BLACK_PAWN("a6 b5"), "men K P[a] v K P[b5,a6]\n"},
    {KINGS WHITE_PAWN("a4+") BLACK_PAWN("a3+"), "men K P[a4+] v K P[a3+]\n"},
    {KINGS WHITE_PAWN("a4+") "<piece color='black' type='rook' location='a6'/>", "men K P[a4-a5] v K R[a6]\n"},
    {KINGS "<pawngen white-pawn-locations='b3 c2 d3' black-pawn-locations='b5  c7' white-pawns-required='3' "
           "black-pawns-required='2' white-queens-required='0'/>",
     "men K P[b3-b4] P[c2-c6] P[d3+] v K P[b4-b5] P[c3-c7]\n"},
    {KINGS "<pawngen white-pawn-locations='b3' black-pawn-locations=''/>", "men K P[b3+] v K\n"},
    // A pawn that may have captured is blocked by no man once it has changed files, and blocks none for good.
    {KINGS "<pawngen white-pawn-locations='b5' black-pawn-locations='b6 h3' white-captures-allowed='1'/>",
     "men K P[b5,a6-a7,c6-c7] v K P[h3+] P[b6+]\noutput x-1-2.cltb\n"},
    {KINGS "<pawngen white-pawn-locations='' black-pawn-locations='a4' black-captures-allowed='2'/>"
           "<output filename='mine.htb'/>",
     "men K v K P[a2-c2,a3-b3,a4]\noutput mine.cltb\nnote .htb is read as .cltb\n"},
    {KINGS "<futurebase filename='a-?-*.htb'/>", "men K v K\nfuturebase a-?-*.cltb\nnote .htb is read as .cltb\n"},
    // files
    {KINGS "<futurebase filename='kqkr.htb'/><futurebase filename='krkq.htb' colors='invert'/>"
           "<futurebase filename='krkq.htb'/><futurebase filename='kk.htb'/><futurebase filename='my.htb'/>"
           "<futurebase filename='x/KQvK.cltb'/><output filename='kqk.htb'/>",
     "men K v K\nfuturebase KQvKR.cltb\nfuturebase KQvKR.cltb\ninverted KQvKR.cltb\nfuturebase my.cltb\n"
     "futurebase x/KQvK.cltb\noutput kqk.cltb\nnote .htb is read as .cltb\n"},
    {KINGS "<futurebase filename='KQvK.rtbw'/><futurebase filename='x/KRvK.rtbz' colors='invert'/>"
           "<futurebase filename='my.rtbw'/>",
     "men K v K\nfuturebase KQvK.cltb\ninverted x/KRvK.cltb\nfuturebase my.rtbw\n"},
    // rules
    {KINGS PRUNE("white", "stalemate", "concede") ENABLE("white", "concede"),
     "men K v K\nprune white concede stalemate\nprune black discard stalemate\n"},
    {"<move-restriction color='black' type='discard'/>" KINGS PRUNE("black", "K[a-d]4", "discard"),
     "men K v K\nprune black discard K[a-d]4\n"},
    // contradictory only for moves that these men do not have
    {ENABLE("white", "discard") ENABLE("white", "concede") KINGS PRUNE("white", "*xQ", "discard")
         PRUNE("white", "K*", "concede"),
     "men K v K\nprune white discard *xQ\nprune white concede K*\n"},
    // what is not followed
    {KINGS "<variant name='normal'/><format><dtc bits='8'/></format><index type='compact' symmetry='1'/>"
           "<generation-controls><enable-proptables MB='1'/></generation-controls>",
     "men K v K\n" NOTE "dtc, index, enable-proptables not followed\n"},
    {KINGS "<flag type='white-wins'/>", "men K v K\n" NOTE "flag not followed\n"},
    {KINGS "<basic/><!-- all positions -->", "men K v K\n" NOTE "basic not followed\n"},
};

static int read_document(struct spec *spec, const char *before, const char *inside)
{
    char text[4096];
    snprintf(text, sizeof text, "%s\n<tablebase offset='0x0fe4'>\n%s\n</tablebase>\n", before, inside);
    return spec_read_xml(spec, "x.xml", text, strlen(text));
}

TEST(test_xml_documents)
{
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        struct spec spec;
        char text[SPEC_TEXT_MAX];
        if (read_document(&spec, "<?xml version='1.0'?><!DOCTYPE tablebase SYSTEM 'http://x.invalid/tablebase.dtd'>",
                          documents[i].inside) != 0)
            fail_msg("%s: %s", documents[i].text, error_text());
        spec_write(&spec, text, sizeof text);
        assert_string_equal(text, documents[i].text);
    }
}

// Line 3 is the first of the elements.
static const struct {
    const char *inside;
    int line;
    const char *sentence;
} bad_documents[] = {
    {KINGS "\n<piece color='white' type='rok'/>", 4, "type=\"rok\" of <piece> is unknown"},
    {KINGS "\n<piece color='red' type='rook'/>", 4, "color=\"red\" of <piece> is unknown"},
    {KINGS "\n<piece color='white'/>", 4, "<piece> has no attribute type"},
    {KINGS "\n<piece color='white' type='rook' index-ordering='reverse'/>", 4,
     "<piece> with the attribute index-ordering is not supported"},
    {KINGS "\n<piece color='white' type='rook' location='a4 i5'/>", 4, "'i5'" SUCH},
    {KINGS "\n" WHITE_PAWN("e1"), 4, "a pawn cannot stand on e1"},
    {KINGS "\n" WHITE_PAWN("e8+"), 4, "a pawn cannot stand on e8"},
    {KINGS "\n" WHITE_PAWN("e4+ f4"), 4, "location=\"e4+ f4\": a pawn on its way (+) starts on one square"},
    {KINGS "\n<piece color='white' type='rook' location='a4+'/>", 4, "'a4+': only pawns can have a '+'"},
    {KINGS "\n\n<queen/>", 5, "the element <queen> is unknown"},
    {KINGS "\n<tablebase/>", 4, "<tablebase> cannot stand in tablebase"},
    {KINGS "\n<format><index type='x'/></format>", 4, "<index> cannot stand in format"},
    {KINGS "\nand so on", 4, "text between elements"},
    {"<piece color='white' type='king'/>", 2, "Black has no king"},
    {KINGS WHITE_PAWN("e4") "\n" BLACK_PAWN("e4"), 2, "two men can only stand on e4"},
    {KINGS "<variant name='suicide'/>", 3, "variant \"suicide\": only normal chess is supported"},
    {KINGS "<dtm/>\n<dtc/>", 4, "<dtc> after <dtm>: a table has one format"},
    {KINGS "<output filename='a'/>\n<output filename='b'/>", 4, "there is a second output"},
    {KINGS "<output filename=''/>", 3, "the output's file name is empty"},
    {KINGS "<output url='http://x.invalid'/>", 3, "<output> with the attribute url is not supported"},
    {KINGS "<futurebase filename='a-[12].htb'/>", 3, "filename=\"a-[12].htb\": the wildcards are * and ?"},
    {KINGS "<output filename='a-*.htb'/>", 3, "filename=\"a-*.htb\": an output has no wildcards"},
    {KINGS "<futurebase filename='a' colors='turn'/>", 3, "colors=\"turn\" of <futurebase> is unknown"},
    {KINGS "<futurebase/>", 3, "<futurebase> has no attribute filename"},
    {KINGS "\n<pawngen white-pawn-locations='b3 c2' black-pawn-locations='' white-pawns-required='1'/>", 4,
     "white-pawns-required=\"1\" is not the number of pawns, 2: after captures and promotions other pawns are "
     "left, which need a file of their own with piece elements"},
    {KINGS "\n<pawngen white-pawn-locations='b3+' black-pawn-locations=''/>", 4,
     "'b3+' is no list of the squares of pawns"},
    {KINGS "<pawngen white-pawn-locations='b3' black-pawn-locations='' white-queens-required='1'/>", 3,
     "white-queens-required=\"1\": which pawns are left depends on which ones have queened, so these are many tables; "
     "`cltb solve` solves the position from which they come"},
    {KINGS "<pawngen white-pawn-locations='b3' black-pawn-locations='' white-captures-allowed='two'/>", 3,
     "white-captures-allowed=\"two\" is not a number from 0 to 15"},
    {KINGS "<pawngen white-pawn-locations='b3' black-pawn-locations='' black-captures-allowed='16'/>", 3,
     "black-captures-allowed=\"16\" is not a number from 0 to 15"},
    {KINGS "<pawngen white-pawn-locations='b3' black-pawn-locations='' start='1'/>", 3,
     "<pawngen> with the attribute start is not supported"},
    {KINGS "\n" PRUNE("white", "K*", "discard"), 4,
     "<prune-enable color=\"white\" type=\"discard\"/> is missing for this rule"},
    {KINGS ENABLE("black", "discard") ENABLE("white", "concede") "\n" PRUNE("white", "K*", "discard"), 4,
     "<prune-enable color=\"white\" type=\"discard\"/> is missing for this rule"},
    {KINGS ENABLE("black", "discard") "\n" PRUNE("white", "stalemate", "concede"), 4,
     "<prune-enable color=\"white\" type=\"concede\"/> is missing for this rule"},
    {KINGS ENABLE("white", "discard") "\n" PRUNE("white", "stalemate", "discard"), 4,
     "stalemate can only be conceded, to the colour that is to win by it"},
    {KINGS PRUNE("white", "stalemate", "concede") "\n" PRUNE("black", "stalemate", "concede"), 4,
     "there is a second rule for stalemate"},
    {KINGS "\n" PRUNE("white", "K[", "discard"), 4, "pattern 'K[': a ']' is missing"},
    {KINGS "\n" PRUNE("white", "K*", "forget"), 4, "type=\"forget\" of <prune> is unknown"},
    {KINGS "\n<prune color='white' move='K*' type='discard' pawngen-condition='x'/>", 4,
     "<prune> with the attribute pawngen-condition is not supported"},
    {ENABLE("white", "discard") ENABLE("white", "concede") KINGS
     "<piece color='black' type='rook'/>" PRUNE("white", "KxR", "discard") "\n" PRUNE("white", "*x*", "concede"),
     4, "\"*x*\" says concede and \"KxR\" of line 3 discard, for some moves both"},
    {KINGS "\n<piece color='white' type='king'/>", 2, "White has more than one king"},
    {KINGS "\n<piece color='white' type='rook' location='&where;'/>", 4, "Entity 'where' not defined"},
    {KINGS "\n<piece color='white'", 5, NULL},
};

TEST(test_bad_xml)
{
    for (size_t i = 0; i < sizeof bad_documents / sizeof bad_documents[0]; i++) {
        struct spec spec;
        char start[16];
        if (read_document(&spec, "<?xml version='1.0'?>", bad_documents[i].inside) != CLTB_E_USAGE)
            fail_msg("%s", bad_documents[i].inside);
        const int length = snprintf(start, sizeof start, "x.xml:%d: ", bad_documents[i].line);
        assert_memory_equal(error_text(), start, (size_t)length);
        if (bad_documents[i].sentence != NULL) // libxml2's own sentences are its business
            assert_string_equal(error_text() + length, bad_documents[i].sentence);
    }
}

// Nothing is fetched or expanded.
TEST(test_hostile_xml)
{
    static const char *const heads[] = {
        "<!DOCTYPE tablebase [\n<!ENTITY where 'a4'>]>",
        "<!DOCTYPE tablebase [\n<!ENTITY where SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE tablebase [\n<!ENTITY % where SYSTEM 'http://x.invalid/a.dtd'> %where;]>",
        "<!DOCTYPE tablebase [\n<!ENTITY a 'aaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]>",
    };
    struct spec spec;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        assert_int_equal(read_document(&spec, heads[i], KINGS), CLTB_E_USAGE);
        assert_string_equal(error_text(), "x.xml:2: declarations of entities are not accepted");
    }
    static const char empty[] = "";
    assert_int_equal(spec_read_xml(&spec, "x.xml", empty, 0), CLTB_E_USAGE);
    assert_int_equal(strncmp(error_text(), "x.xml:1: ", 9), 0);
    char *large = calloc(1, (1 << 20) + 1);
    assert_non_null(large);
    assert_int_equal(spec_read_xml(&spec, "x.xml", large, (1 << 20) + 1), CLTB_E_USAGE);
    assert_string_equal(error_text(), "x.xml: more than 1048576 bytes");
    free(large);
}

TESTS(NULL, NULL)
