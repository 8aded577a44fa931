// test_restricted_moves.c - the kinds of moves in restricted endgames, and their values
//
// Full futurebases of three men are made here, and checked against the naive oracle by other tests. A restricted
// futurebase with made-up values, some of them cursed, shows how a futurebase's value becomes a move's.
#include "restricted/support_restricted.h"

#include "chess/notation.h"
#include "restricted/probe.h"
#include "util/threads.h"

// Codes of restricted/value.h.
#define WIN(ply)  (2 * (ply) + 3)
#define LOSS(ply) (2 * (ply) + 2)

// ---- moves by FEN and text ----

struct context {
    struct spec spec;
    struct restricted_bases *bases;
};

static struct context context_open(const struct spec *spec, const char *folders)
{
    struct context c = {.spec = *spec};
    GOOD(restricted_bases_open(&c.bases, spec, folders, true));
    return c;
}

static uint32_t move_of(struct position *p, const char *fen, const char *uci)
{
    uint32_t move;
    GOOD(fen_read(p, fen));
    GOOD(uci_read(p, uci, &move));
    return move;
}

// For moves within: what the position after it is worth if nobody may capture en passant.
static int given_value(void *context, const struct position *position, uint16_t *value)
{
    *value = *(const uint16_t *)context;
    return 0;
}

// A move of a position, and what is true of it.
struct fact {
    const char *fen;
    const char *uci;
    enum restricted_kind kind;
    int rule;
    uint16_t value;  // of moves that leave or are within; 0: not asked for
    uint16_t stored; // of the position after a move within
};

// Facts about an endgame, until one without a FEN.
struct endgame {
    const char *spec; // as spec_parse() reads it
    struct fact facts[9];
};

static uint16_t value_of(const struct context *c, const struct fact *fact)
{
    struct position p;
    enum restricted_kind kind;
    uint8_t where[SPEC_MEN_MAX];
    uint16_t value = 0;
    int rule;
    uint16_t stored = fact->stored;
    const struct restricted_values values = {.value = given_value, .context = &stored};
    const uint32_t move = move_of(&p, fact->fen, fact->uci);
    assert_true(spec_match(&c->spec, &p, where));
    GOOD(restricted_classify(c->bases, &c->spec, &p, move, &kind, &rule));
    if (kind != fact->kind || rule != fact->rule)
        fail_msg("%s %s: kind %d, rule %d", fact->fen, fact->uci, (int)kind, rule);
    if (kind != MOVE_QUIET && kind != MOVE_DISCARD)
        GOOD(restricted_move_value(c->bases, &c->spec, &values, &p, move, kind, &value));
    return value;
}

static void check_facts(const struct spec *spec, const char *folders, const struct fact *facts)
{
    const struct context c = context_open(spec, folders);
    for (const struct fact *fact = facts; fact->fen != NULL; fact++) {
        const uint16_t value = value_of(&c, fact);
        if (fact->value != 0 && value != fact->value)
            fail_msg("%s %s (%u): %u, not %u", fact->fen, fact->uci, fact->stored, value, fact->value);
    }
    restricted_bases_close(c.bases);
}

static void check_endgames(const struct endgame *endgame, size_t count)
{
    struct spec spec;
    for (; count > 0; count--, endgame++) {
        GOOD(spec_parse(&spec, endgame->spec));
        check_facts(&spec, tables_folder, endgame->facts);
    }
}

static void assert_uncovered(const struct spec *spec, const char *folders, const char *fen, const char *uci,
                             const char *says)
{
    struct position p;
    enum restricted_kind kind;
    int rule;
    const struct context c = context_open(spec, folders);
    const uint32_t move = move_of(&p, fen, uci);
    assert_int_equal(restricted_classify(c.bases, spec, &p, move, &kind, &rule), CLTB_E_MISSING);
    if (strstr(error_text(), says) == NULL)
        fail_msg("'%s' does not say '%s'", error_text(), says);
    restricted_bases_close(c.bases);
}

// ---- codes ----

TEST(test_better)
{
    // From the worst to the best.
    const uint16_t codes[] = {RESTRICTED_OPEN, LOSS(0),  LOSS(1),  LOSS(101), LOSS(300),
                              RESTRICTED_DRAW, WIN(300), WIN(101), WIN(1),    WIN(0)};
    const size_t count = sizeof codes / sizeof codes[0];
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            assert_int_equal(restricted_better(codes[i], codes[j]), codes[i > j ? i : j]);
}

// ---- kinds ----

#define SEVENTH "8/5P2/8/8/8/1k6/8/1K6 w - - 0 1"
#define CORNER  "6r1/5P2/8/8/8/1k6/8/1K6 w - - 0 1"

static const struct endgame endgames[] = {
    {"men K P[f7+] v K\nprune white discard P=[RB]\nprune black concede KxP",
     {{SEVENTH, "b1c1", MOVE_QUIET, -1, 0, 0},
      {SEVENTH, "f7f8q", MOVE_LEAVES, -1, WIN(1), 0},
      {SEVENTH, "f7f8r", MOVE_DISCARD, 0, 0, 0},
      {SEVENTH, "f7f8b", MOVE_DISCARD, 0, 0, 0},
      {SEVENTH, "f7f8n", MOVE_LEAVES, -1, RESTRICTED_DRAW, 0},
      // the new queen is lost, or stalemates
      {"8/4kP2/8/8/8/8/8/1K6 w - - 0 1", "f7f8q", MOVE_LEAVES, -1, RESTRICTED_DRAW, 0},
      {"8/5P1k/8/5K2/8/8/8/8 w - - 0 1", "f7f8q", MOVE_LEAVES, -1, RESTRICTED_DRAW, 0},
      // the pawn is taken: conceded
      {"8/4kP2/8/8/8/8/8/1K6 b - - 0 1", "e7f7", MOVE_CONCEDE, 1, WIN(1), 0}}},
    {"men K P[f7] v K R[g8,h8]\nprune white discard P=?\nprune white discard PxR=N\nprune black discard R*",
     {{CORNER, "f7g8q", MOVE_LEAVES, -1, WIN(1), 0},
      {CORNER, "f7g8b", MOVE_LEAVES, -1, RESTRICTED_DRAW, 0},
      {CORNER, "f7g8n", MOVE_DISCARD, 1, 0, 0},
      {CORNER, "f7f8q", MOVE_DISCARD, 0, 0, 0},
      // a rook's own moves: to h8 within, along the rank out, and the pawn's loss leaves KvKR
      {"6r1/5P2/8/8/8/1k6/8/1K6 b - - 0 1", "g8h8", MOVE_QUIET, -1, 0, 0},
      {"6r1/5P2/8/8/8/1k6/8/1K6 b - - 0 1", "g8g1", MOVE_DISCARD, 2, 0, 0},
      {"6r1/5Pk1/8/8/8/8/8/1K6 b - - 0 1", "g7f7", MOVE_LEAVES, -1, WIN(1), 0}}},
    // two rooks whose sets overlap: what matters is whether both can be given a man of the spec
    {"men K R[a-e] R[d-h] v K\nprune white discard R*",
     {{"8/8/8/3R4/4R3/8/8/K6k w - - 0 1", "d5h5", MOVE_QUIET, -1, 0, 0}, // e4 is the first one's then
      {"8/8/8/3R4/4R3/8/8/K6k w - - 0 1", "e4a4", MOVE_QUIET, -1, 0, 0},
      {"8/8/8/2R5/4R3/8/8/K6k w - - 0 1", "e4a4", MOVE_DISCARD, 0, 0, 0}, // a4 and c5
      {"8/8/8/2R5/4R3/8/8/K6k w - - 0 1", "c5f5", MOVE_QUIET, -1, 0, 0},
      {"8/8/8/2R5/5R2/8/8/K6k w - - 0 1", "c5g5", MOVE_DISCARD, 0, 0, 0},
      {"8/8/8/2R5/5Rk1/8/8/K7 b - - 0 1", "g4f4", MOVE_LEAVES, -1, 0, 0}}}, // KRvK
    {"men K P[f7+] P[g7+] v K\nprune white discard P=[RBN]",
     {{"8/4kPP1/8/8/8/8/8/1K6 b - - 0 1", "e7f7", MOVE_LEAVES, -1, 0, 0}}}, // KPvK
    // a futurebase of the spec comes before its rules, a full table at hand after them
    {"men K P[f7] v K\nprune white discard P=[QR]", {{SEVENTH, "f7f8q", MOVE_DISCARD, 0, 0, 0}}},
    {"men K P[f7] v K\nprune white discard P=[QR]\nfuturebase KQvK.cltb",
     {{SEVENTH, "f7f8q", MOVE_LEAVES, -1, WIN(1), 0}, {SEVENTH, "f7f8r", MOVE_DISCARD, 0, 0, 0}}},
};

TEST(test_kinds)
{
    check_endgames(endgames, sizeof endgames / sizeof endgames[0]);
}

TEST(test_bare_kings)
{
    static const struct fact facts[] = {
        {"8/8/8/8/3Nk3/8/8/K7 b - - 0 1", "e4d4", MOVE_LEAVES, -1, RESTRICTED_DRAW, 0},
        {"8/8/8/8/3Nk3/8/8/K7 w - - 0 1", "d4c6", MOVE_LEAVES, -1, RESTRICTED_DRAW, 0}, // KNvK
        {.fen = NULL}};
    const struct spec spec = spec_of("K N[a1-h4] v K", "");
    check_facts(&spec, NULL, facts); // no table at all
}

TEST(test_uncovered)
{
    static const char fen[] = "8/5PP1/8/8/8/1k6/8/1K6 w - - 0 1";
    static const char *const says[] = {"White's move f8=Q leaves the endgame", fen, "KQPvK.cltb"};
    const struct spec spec = spec_of("K P[f7+] P[g7+] v K", "white discard P=[RBN]");
    for (int i = 0; i < 3; i++)
        assert_uncovered(&spec, tables_folder, fen, "f7f8q", says[i]);
}

// ---- values of leaving moves ----

static uint16_t made_up(uint32_t slice, int side, uint64_t entry)
{
    const uint64_t n = mix(entry * 2 + (uint64_t)side);
    assert_int_equal(slice, 0);
    if (n % 4 == 0)
        return RESTRICTED_OPEN;
    return value_code(n % 4 == 1, (int)((n >> 8) % 4 == 0 ? 98 + (n >> 16) % 6 : (n >> 16) % 200));
}

// What a move to a position with this value is worth.
static uint16_t before(uint16_t after, bool zeroing)
{
    const int ply = after / 2 - 1;
    if (after == RESTRICTED_OPEN)
        return RESTRICTED_DRAW;
    return value_code(after % 2 == 0, !zeroing ? ply + 1 : ply <= 100 ? 1 : 101);
}

struct leaving {
    struct context c;
    const struct restricted_index *made_up; // of a futurebase with made-up values; NULL: all values are those of chess
    bool invert;
    uint64_t moves;
    bool seen[2][4]; // by zeroing; won, cursed-won, lost, blessed-lost
};

// The value that a full or a made-up table has for a position. False: a made-up one does not have it.
static bool right_value(const struct leaving *run, const struct position *after, uint16_t *code)
{
    struct naive_value full = {CLTB_DRAW, 0};
    struct position flipped;
    uint64_t entry;
    uint32_t slice;
    if (run->made_up == NULL) {
        if (position_men(after) > 2)
            GOOD(naive_query(full_oracle, after, &full));
        *code = full.outcome == CLTB_DRAW ? RESTRICTED_OPEN : value_code((int)full.outcome > 0, full.dtz);
        return true;
    }
    if (run->invert)
        flipped_position(after, &flipped);
    if (!restricted_find(run->made_up, run->invert ? &flipped : after, &slice, &entry))
        return false;
    *code = made_up(slice, after->side ^ (run->invert ? 1 : 0), entry);
    return true;
}

static int check_leaving(void *context, const struct position *position, const struct naive_value *value)
{
    struct leaving *run = context;
    uint32_t moves[MOVES_MAX];
    struct position p;
    position_copy(&p, position);
    const int count = moves_legal(&p, moves);
    for (int i = 0; i < count; i++) {
        const bool zeroing = move_is_zeroing(&p, moves[i]);
        enum restricted_kind kind;
        uint16_t code, after;
        int rule;
        GOOD(restricted_classify(run->c.bases, &run->c.spec, &p, moves[i], &kind, &rule));
        if (kind != MOVE_LEAVES && run->made_up == NULL)
            continue;
        GOOD(position_make(&p, moves[i]));
        const bool known = right_value(run, &p, &after);
        position_undo(&p);
        if (!known)
            continue;
        assert_int_equal(kind, MOVE_LEAVES);
        GOOD(restricted_move_value(run->c.bases, &run->c.spec, NULL, &p, moves[i], kind, &code));
        assert_int_equal(code, before(after, zeroing));
        run->moves++;
        if (code != RESTRICTED_DRAW)
            run->seen[zeroing][(code % 2 == 1 ? 0 : 2) + (code / 2 - 1 > 100)] = true;
    }
    return 0;
}

// Every leaving move of every position has the right value.
static struct leaving check_values(const char *men, const char *futurebase, bool invert,
                                   const struct restricted_index *index)
{
    struct naive_restricted *positions;
    struct spec spec = spec_of(men, "");
    if (futurebase != NULL)
        GOOD(spec_add_futurebase(&spec, futurebase, invert));
    struct leaving run = {.c = context_open(&spec, tables_folder), .made_up = index, .invert = invert};
    GOOD(naive_restricted_solve(&positions, &spec, naive_bases_leave, NULL));
    assert_int_equal(naive_restricted_inconsistent(positions), 0);
    GOOD(naive_restricted_each(positions, check_leaving, &run));
    naive_restricted_free(positions);
    restricted_bases_close(run.c.bases);
    return run;
}

// Moves that leave into full tables, or into restricted ones whose rules forbid nothing, have the values of the full
// tables.
TEST(test_known_values)
{
    const struct spec left = spec_of("K R[a-d] v K", "");
    if (!sanitized()) {
        check_values("K R[e-h] v K", NULL, false, NULL);
        check_values("K P[b2-b7] v K", NULL, false, NULL);
        check_values("K v K P[c6-c2]", NULL, false, NULL);
        check_values("K P[b7] v K", "KQvK.cltb", false, NULL);
    }
    build_and_check(&left, "left.cltb", NULL);
    if (!sanitized()) {
        check_values("K R[e-h] v K", "left.cltb", false, NULL);
        check_values("K v K R[e-h]", "left.cltb", true, NULL);
    }
    check_values("K v K P[b7-b2]", "left.cltb", true, NULL);
}

// Values of K R[a-d] v K that are not those of chess.
TEST(test_made_up_values)
{
    static const char *const men[] = {"K R[e-h] v K", "K v K R[e-h]", "K P[b7] v K", "K v K P[b2]"};
    const struct spec spec = spec_of("K R[a-d] v K", "white discard R*");
    struct restricted_index index = index_of("K R[a-d] v K");
    struct thread_pool *pool;
    GOOD(threads_open(&pool, 1));
    write_formula(file_in_tables("made-up.cltb"), &spec, made_up, pool);
    threads_close(pool);
    for (int i = sanitized() ? 2 : 0; i < 4; i++) {
        const struct leaving run = check_values(men[i], "made-up.cltb", i % 2 == 1, &index);
        assert_true(run.moves > 1000);
        for (int outcome = 0; outcome < 4; outcome++)
            assert_true(run.seen[i / 2][outcome]);
    }
    restricted_index_close(&index);
}

// ---- en passant ----

// The double step e2e4 in `fen`.
#define STEP(fen, stored, value)                                                                                       \
    {                                                                                                                  \
        fen, "e2e4", MOVE_WITHIN, -1, value, stored                                                                    \
    }

#define WINS     "K7/8/8/8/3p4/8/k3P3/8 w - - 0 1"    // dxe3 wins for Black (KvKP), whatever e4 is worth otherwise
#define DRAWS    "8/8/8/8/3p4/8/4P3/k5K1 w - - 0 1"   // dxe3 draws
#define PINNED   "8/8/8/8/k2p3Q/8/4P3/6K1 w - - 0 1"  // no capture: e4 has its own value
#define ONLY     "k7/8/1Q6/8/3p4/3K4/4P3/8 w - - 0 1" // the only legal move: the stored value is that of a stalemate
#define KING_TOO "k7/8/8/1Q6/3p4/3K4/4P3/8 w - - 0 1"

static const struct endgame double_steps[] = {
    {"men K P[e2,e4] v K P[d4]\nprune white discard Pe3\nprune black discard Pd3",
     {STEP(WINS, RESTRICTED_OPEN, LOSS(1)), STEP(WINS, LOSS(30), LOSS(1)), STEP(WINS, WIN(120), LOSS(1)),
      STEP(DRAWS, RESTRICTED_OPEN, RESTRICTED_DRAW), STEP(DRAWS, LOSS(30), RESTRICTED_DRAW),
      STEP(DRAWS, LOSS(130), RESTRICTED_DRAW), STEP(DRAWS, WIN(30), LOSS(1)), STEP(DRAWS, WIN(101), LOSS(101))}},
    {"men K Q P[e2,e4] v K P[d4]\nprune white discard Pe3\nprune black discard Pd3",
     {STEP(PINNED, LOSS(7), WIN(1)), STEP(PINNED, LOSS(107), WIN(101)),
      STEP(PINNED, RESTRICTED_OPEN, RESTRICTED_DRAW)}},
    {"men K Q P[e2,e4] v K P[d4]\nprune black concede PxP\nprune white discard Pe3",
     {STEP(ONLY, RESTRICTED_OPEN, LOSS(1)), STEP(KING_TOO, LOSS(9), LOSS(1))}},
    {"men K Q P[e2,e4] v K P[d4]\nprune black discard PxP\nprune white discard Pe3",
     {STEP(ONLY, RESTRICTED_OPEN, WIN(1)), // Black has lost
      STEP(KING_TOO, LOSS(9), WIN(1)), STEP(KING_TOO, RESTRICTED_OPEN, RESTRICTED_DRAW)}},
};

TEST(test_en_passant)
{
    static const char uncovered[] = "8/8/8/8/3p3Q/8/k3P3/6K1 w - - 0 1";
    const struct spec spec = spec_of("K Q P[e2,e4] v K P[d4]", "white discard Pe3\nblack discard Pd3");
    check_endgames(double_steps, sizeof double_steps / sizeof double_steps[0]);
    assert_uncovered(&spec, tables_folder, uncovered, "e2e4", "Black's move dxe3 leaves the endgame");
    assert_uncovered(&spec, tables_folder, uncovered, "e2e4", "8/8/8/8/3pP2Q/8/k7/6K1 b - e3 0 1");
}

// A double step into a restricted futurebase, with colours flipped or not: its futurebases and rules apply to the
// capture.
TEST(test_en_passant_in_futurebase)
{
    static const char *const rules[] = {"", "black discard PxP\n", "black concede PxP\n"};
    for (int i = sanitized() ? 4 : 0; i < 6; i += i == 0 ? 4 : 1) {
        const bool listed = i >= 3;
        struct naive_bases full = {.full_is_own = listed};
        char text[200];
        char file[32];
        snprintf(text, sizeof text, "%swhite discard P*\nblack discard Pd3", rules[i % 3]);
        struct spec base = spec_of("K P[e4] v K P[d4]", text);
        if (listed)
            GOOD(spec_add_futurebase(&base, "KPvK.cltb", false));
        snprintf(file, sizeof file, "en-passant-%d.cltb", i);
        struct naive_restricted *after = build_and_compare(&base, file, &full);
        for (int invert = 0; invert <= 1; invert++) {
            struct naive_bases naive = {.restricted = {after}, .invert = {invert != 0}, .full_is_own = true};
            struct spec spec =
                spec_of(invert ? "K P[d5] v K P[e7]" : "K P[e2] v K P[d4]",
                        invert ? "black discard Pe6\nwhite discard Pd6" : "white discard Pe3\nblack discard Pd3");
            GOOD(spec_add_futurebase(&spec, file, invert != 0));
            GOOD(spec_add_futurebase(&spec, "KPvK.cltb", false));
            snprintf(text, sizeof text, "before-%d-%d.cltb", i, invert);
            build_and_check(&spec, text, &naive);
        }
        naive_restricted_free(after);
    }
}

// ---- files that cannot serve ----

static void assert_refused(const struct spec *spec, int code, const char *says)
{
    struct restricted_bases *bases;
    const int found = restricted_bases_open(&bases, spec, tables_folder, true);
    if (found != code || strstr(error_text(), says) == NULL)
        fail_msg("%d, not %d: '%s' does not say '%s'", found, code, error_text(), says);
    assert_null(bases);
    assert_null(strchr(error_text(), '\n'));
}

// `bytes` < 0: all of them; `changed_byte` < 0: none is changed.
static void copy_file(const char *from, const char *to, long bytes, long changed_byte)
{
    const struct bytes file = read_file(file_in_tables(from));
    if (changed_byte >= 0)
        file.data[changed_byte] ^= 1;
    write_file(file_in_tables(to), file.data, bytes < 0 ? file.size : (size_t)bytes);
    free(file.data);
}

TEST(test_refused_files)
{
    struct spec spec = spec_of("K R[e-h] v K", "");
    const struct spec left = spec_of("K R[a-d] v K", "");
    const struct spec narrow = spec_of("K P[c6] v K", "white discard P*");
    const struct spec black = spec_of("K v K R[a-d]", "");
    build_restricted(&left, "left.cltb");
    build_restricted(&narrow, "narrow.cltb");
    build_restricted(&black, "black.cltb");
    copy_file("left.cltb", "short.cltb", 100, -1);
    copy_file("left.cltb", "changed.cltb", -1, 40);
    copy_file("KRvK.cltb", "renamed.cltb", -1, -1);
    copy_file("KRvK.cltb", "empty.cltb", 0, -1);
    static const struct {
        const char *file;
        bool invert;
        int code;
        const char *says;
    } cases[] = {
        {"none.cltb", false, CLTB_E_MISSING, "futurebase none.cltb: there is no such file"},
        {"short.cltb", false, CLTB_E_CORRUPT, "futurebase: "},
        {"changed.cltb", false, CLTB_E_CORRUPT, "futurebase: "},
        {"empty.cltb", false, CLTB_E_CORRUPT, "empty.cltb"},
        {"renamed.cltb", false, CLTB_E_USAGE, "is the full table KRvK under another name; call it KRvK.cltb"},
        {"narrow.cltb", false, CLTB_E_USAGE, "has KPvK, which no move out of K R[e-h] v K leads to"},
        {"black.cltb", false, CLTB_E_USAGE, "it would with flipped colours (colors=\"invert\")"},
        {"left.cltb", true, CLTB_E_USAGE, "it would without flipped colours"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spec.futurebases = 0;
        GOOD(spec_add_futurebase(&spec, cases[i].file, cases[i].invert));
        assert_refused(&spec, cases[i].code, cases[i].says);
    }
    spec.futurebases = 0;
    GOOD(spec_add_futurebase(&spec, "KQvK.cltb", false)); // which no move leads to
    GOOD(spec_add_futurebase(&spec, "KRvK.cltb", false));
    struct restricted_bases *two;
    GOOD(restricted_bases_open(&two, &spec, tables_folder, true));
    assert_int_equal(two->idle, 1);
    restricted_bases_close(two);
    spec.futurebases = 0;
    GOOD(spec_add_futurebase(&spec, "black.cltb", true));
    GOOD(spec_add_futurebase(&spec, "left.cltb", false));
    struct restricted_bases *bases;
    GOOD(restricted_bases_open(&bases, &spec, tables_folder, true));
    restricted_bases_close(bases);
    struct spec itself = left;
    GOOD(spec_add_futurebase(&itself, "left.cltb", false));
    assert_refused(&itself, CLTB_E_USAGE, "itself");
}

// The first futurebase that has a position counts, and one that does not have it is passed over.
TEST(test_order)
{
    static const char *const files[] = {"corner.cltb", "wide.cltb"};
    const char *fen = "8/8/8/8/4R3/8/8/K6k w - - 0 1";
    const struct fact facts[] = {{fen, "e4a4", MOVE_LEAVES, -1, 0, 0}, {fen, "e4c4", MOVE_LEAVES, -1, 0, 0}};
    const struct spec specs[] = {spec_of("K R[a4,b4] v K", "black discard KxR\nwhite discard R*\nblack discard K*"),
                                 spec_of("K R[a-d] v K", "white discard R*")};
    for (int i = 0; i < 2; i++)
        build_restricted(&specs[i], files[i]);
    uint16_t value[2][2];
    for (int i = 0; i < 2; i++) {
        struct spec spec = spec_of("K R[e-h] v K", "");
        GOOD(spec_add_futurebase(&spec, files[i], false));
        GOOD(spec_add_futurebase(&spec, files[1 - i], false));
        GOOD(spec_add_futurebase(&spec, "KRvK.cltb", false));
        const struct context c = context_open(&spec, tables_folder);
        value[i][0] = value_of(&c, &facts[0]);
        value[i][1] = value_of(&c, &facts[1]);
        restricted_bases_close(c.bases);
    }
    assert_int_equal(value[0][0], RESTRICTED_DRAW); // two squares are not enough to win
    assert_true(value[1][0] > RESTRICTED_DRAW);
    assert_true(value[0][1] > RESTRICTED_DRAW);
    assert_int_equal(value[0][1], value[1][1]);
}

// A full table given by its path, outside of the folders, is used, and so are those beside it.
TEST(test_path)
{
    static const struct fact queen[2] = {{SEVENTH, "f7f8q", MOVE_LEAVES, -1, WIN(1), 0}};
    const char *path = file_in_tables("KQvK.cltb");
    struct spec spec = spec_of("K P[f7] v K", "");
    assert_uncovered(&spec, "", SEVENTH, "f7f8q", "");
    if (strlen(path) >= sizeof spec.futurebase[0].file)
        return; // the path of the test's folder is too long
    GOOD(spec_add_futurebase(&spec, path, false));
    check_facts(&spec, "", queen);
}

static int setup(void **state)
{
    folder_make(state);
    make_full("KPvK");
    make_full("KQvK");
    make_full("KRvK");
    return 0;
}

TESTS(setup, full_teardown)
