// test_proof.c - proofs of what a search has found: written, derived again, and refused if anything in them is untrue
//
//     1. Positions of three to five men, searched without tables: their proofs are right, and say what the search says.
//     2. The same with tables, and for more men: both sides' wins, draws, taking en passant. Four men are searched with
//        tables of three, read for whole structures.
//     3. A claim that is changed to its contrary is refused, each of a whole proof and all at once; so are wins in
//        fewer plies than follow.
//     4. Damaged files and files with other contents are refused.
#include "support/compare_tables.h"
#include "support/corrupt.h"

#include "chess/move.h"
#include "structures/check/prove.h"
#include "table/path.h"

#include <unistd.h>

enum { WORK = 4000 }; // blocks

static cltb_tables *tables;
static size_t tabled; // structures for which tables were read
static const char ram[] = "8/8/2k5/p7/P7/2K5/8/8 w - - 0 1";

static int setup(void **state)
{
    folder_make(state);
    for (int i = 0; i < 5; i++)
        make_table((const char *[]){"KQvK", "KRvK", "KBvK", "KNvK", "KPvK"}[i], false);
    GOOD(cltb_open(&tables, tables_folder, NULL));
    return pool_setup(state);
}

static int teardown(void **state)
{
    cltb_close(tables);
    folder_remove(state);
    return pool_teardown(state);
}

static bool never(void *context)
{
    (void)context;
    return false;
}

static bool has_table(void *context, const struct material *material)
{
    char path[PATH_MAX];
    (void)context;
    return table_locate(path, sizeof path, tables_folder, material) == 0 && access(path, R_OK) == 0;
}

// Searches and writes a proof, if there is anything to prove. Returns what the search knows.
static struct search_bounds prove(const char *path, const char *fen, uint64_t work, bool with_tables)
{
    const struct search_request request = {.tables = with_tables ? tables : NULL,
                                           .tables_men = with_tables ? 3 : 0,
                                           .has_table = has_table,
                                           .memory = UINT64_C(1) << 29,
                                           .pool = test_pool,
                                           .stopped = never};
    struct search *search;
    struct search_bounds bounds;
    struct position position;
    GOOD(fen_read(&position, fen));
    GOOD(search_open(&search, &position, &request));
    GOOD(search_decide(search, &position, work));
    GOOD(search_bounds(search, &position, &bounds));
    for (int side = WHITE; side <= BLACK; side++) {
        for (size_t i = 1; i < search_nodes(search, side)->count; i++)
            tabled += search_nodes(search, side)->node[i].tabled;
    }
    if (bounds.least > CLTB_LOSS || bounds.greatest < CLTB_WIN) {
        const int code = proof_write(path, search, &position, UINT64_C(1) << 28, test_pool);
        if (code == CLTB_E_MEMORY) // of queens on both sides
            bounds = (struct search_bounds){CLTB_LOSS, CLTB_WIN, 0};
        else if (code != 0)
            fail_msg("%s: %s", fen, error_text());
    }
    search_close(search);
    return bounds;
}

static struct proof *proof_of(const char *fen, uint64_t work, bool with_tables)
{
    struct proof *proof;
    (void)prove(tmp_path("proof.cltb"), fen, work, with_tables);
    GOOD(proof_open(&proof, tmp_path("proof.cltb"), tables_folder));
    return proof;
}

// Are the claims right, and is the outcome White's, from `least` to `greatest`?
static void is_right(const char *fen, const char *path, int least, int greatest)
{
    struct proof *proof;
    int found[2];
    GOOD(proof_open(&proof, path, tables_folder));
    if (proof_verify(proof, test_pool, &found[0], &found[1]) != 0)
        fail_msg("%s: %s", fen, error_text());
    if (found[0] != least || found[1] != greatest)
        fail_msg("%s: proved are %d to %d, not %d to %d", fen, found[0], found[1], least, greatest);
    proof_close(proof);
}

// Every `step`-th row with at least so many men. Returns the number of proofs.
static int proved_rows(const char *name, int step, int men, uint64_t work, bool with_tables)
{
    FILE *file = fopen(data_path(name), "r");
    char line[256];
    int proved = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (int row = 0; fgets(line, sizeof line, file) != NULL; row++) {
        char fen[128];
        struct position position;
        if (row % step != 0)
            continue;
        assert_int_equal(sscanf(line, "%*[^\t]\t%127[^\t]", fen), 1);
        GOOD(fen_read(&position, fen));
        if (position_men(&position) < men ||
            position_men(&position) - position.count[WHITE][PAWN] - position.count[BLACK][PAWN] > 4)
            continue;
        const struct search_bounds bounds = prove(tmp_path("row.cltb"), fen, work, with_tables);
        if (bounds.least == CLTB_LOSS && bounds.greatest == CLTB_WIN)
            continue;
        is_right(fen, tmp_path("row.cltb"), bounds.least, bounds.greatest);
        proved++;
    }
    fclose(file);
    print_message("%s: %d proofs\n", name, proved);
    return proved;
}

TEST(test_few_men)
{
    const int step = sanitized() ? 8 : 1;
    assert_true(proved_rows("structures-5.tsv", 64 * step, 3, WORK, false) >= 8 / step);
    assert_true(proved_rows("positions-ep.tsv", 16 * step, 3, WORK, false) >= 8 / step);
    assert_int_equal(tabled, 0);
}

TEST(test_whole_tables)
{
    const int step = sanitized() ? 4 : 1;
    assert_true(proved_rows("positions.tsv", 80 * step, 4, 4 * WORK, true) >= 8 / step);
    assert_true(tabled > 0);
}

TEST(test_studies)
{
    static const struct {
        const char *fen;
        int white;
        bool tables;
    } study[] = {
        {"8/8/8/1p6/pPp5/P1P5/2K1k3/8 w - - 0 1", CLTB_LOSS, true}, // tests/data/games.tsv, as the next one
        {"8/8/2k5/p1P4p/PpK4P/8/8/8 w - - 0 1", CLTB_DRAW, true},
        {"8/8/2k5/p1P4p/PpK4P/8/8/8 w - - 0 1", CLTB_DRAW, false},
        {"8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3", CLTB_DRAW, false}, // taking en passant at once
        {"k7/8/1KP5/8/8/8/8/8 w - - 0 1", CLTB_WIN, false},
        {"8/8/2pk3p/P6P/p3K3/2P5/8/8 w - - 0 1", CLTB_DRAW, false}, // searches by moves in structures solved later
    };
    for (size_t i = 0; i < sizeof study / sizeof study[0]; i++) {
        const struct search_bounds bounds = prove(tmp_path("study.cltb"), study[i].fen, 400000, study[i].tables);
        assert_int_equal(bounds.least, study[i].white);
        assert_int_equal(bounds.greatest, study[i].white);
        is_right(study[i].fen, tmp_path("study.cltb"), study[i].white, study[i].white);
    }
}

// A win counts only if the half-move clock lets it.
TEST(test_clock)
{
    struct proof *proof = proof_of("k7/8/1KP5/8/8/8/8/8 w - - 0 1", WORK, false);
    const int plies = proof_claimed(proof, WHITE, &proof->position);
    int outcome[2];
    assert_in_range(plies, 2, 99);
    proof->position.fifty = (uint16_t)(100 - plies);
    GOOD(proof_verify(proof, test_pool, &outcome[0], &outcome[1]));
    assert_int_equal(outcome[0], CLTB_WIN);
    proof->position.fifty++;
    GOOD(proof_verify(proof, test_pool, &outcome[0], &outcome[1]));
    assert_int_equal(outcome[0], CLTB_DRAW); // so much is known by the proof that Black does not win
    proof_close(proof);
}

// ---- untrue claims ----

static void is_refused(struct proof *proof, const char *saying)
{
    int outcome[2];
    FAILS(proof_verify(proof, NULL, &outcome[0], &outcome[1]), CLTB_E_MISMATCH, saying);
}

static void contraries_are_refused(const char *fen, bool with_tables, size_t *wins, size_t *others)
{
    struct proof *proof = proof_of(fen, 400000, with_tables);
    const size_t step = proof->claims / (sanitized() ? 20 : 300) + 1;
    size_t won = 0;
    size_t all = 0;
    for (size_t i = 0; i < proof->claims; i += step) {
        const uint64_t claim = proof->claim[i];
        const bool win = (claim & 0xff) > 0;
        static const uint8_t plies[] = {100, 2, 1};
        won += win;
        all++;
        for (int k = 0; k < (win ? 1 : 3); k++) {
            proof->claim[i] = (claim & ~UINT64_C(0xff)) | (win ? 0 : plies[k]);
            is_refused(proof, "does not follow");
        }
        proof->claim[i] = claim;
    }
    // All claims of no win become wins, with any plies: the loops among them do not prove each other.
    uint64_t *right = malloc(proof->claims * sizeof *right);
    assert_non_null(right);
    memcpy(right, proof->claim, proof->claims * sizeof *right);
    for (int k = 0; won < all && k < 3; k++) {
        for (size_t i = 0; i < proof->claims; i++) {
            if ((right[i] & 0xff) == 0)
                proof->claim[i] = right[i] | (k == 0 ? 100 : (uint64_t)random_below(100) + 1);
        }
        is_refused(proof, "does not follow");
    }
    // All wins take one ply: not all of them do.
    for (size_t i = 0; i < proof->claims; i++)
        proof->claim[i] = (right[i] & ~UINT64_C(0xff)) | ((right[i] & 0xff) > 0 ? 1 : 0);
    if (won > 0)
        is_refused(proof, "wins in 1 plies");
    free(right);
    proof_close(proof);
    *wins += won;
    *others += all - won;
}

TEST(test_contraries)
{
    size_t wins = 0;
    size_t others = 0;
    contraries_are_refused("k7/8/1KP5/8/8/8/8/8 w - - 0 1", false, &wins, &others);
    contraries_are_refused("8/8/8/1p6/pPp5/P1P5/2K1k3/8 w - - 0 1", true, &wins, &others);
    contraries_are_refused(ram, true, &wins, &others);
    const size_t least = sanitized() ? 5 : 20; // of which fewer are tried
    assert_true(wins > least && others > least);
}

// ---- wrong files ----

static int check(const char *path)
{
    struct proof *proof;
    int outcome[2];
    TRY(proof_open(&proof, path, tables_folder));
    const int code = proof_verify(proof, NULL, &outcome[0], &outcome[1]);
    proof_close(proof);
    return code == CLTB_E_MISMATCH || code == CLTB_E_MISSING ? error_prefix(code, "%s", path) : code;
}

TEST(test_damage)
{
    (void)prove(tmp_path("small.cltb"), "8/8/8/8/8/p1k5/8/K7 w - - 0 1", WORK, false);
    damage_is_noticed(tmp_path("small.cltb"), sanitized() ? 97 : 11, check);
}

TEST(test_corruptions)
{
    struct proof *proof = proof_of(ram, 400000, true);
    const struct container_stream *stream = container_stream(proof->container, 1);
    const uint32_t last = (uint32_t)stream->section_symbols - 2 * PROOF_CLAIM_BYTES; // the plies of the last claim
    const uint64_t plies = proof->claim[proof->claims - 1] & 0xff;
    const struct corruption cases[] = {
        {.key = "tables", .accepted = true, .line = "comment made by a test\ntables KPvK"},
        {.key = "game", .line = "game dobutsu", .code = CLTB_E_FOREIGN},
        {.key = "structures", .line = "structures 1", .code = CLTB_E_FOREIGN, .saying = "not a proof"},
        {.key = "structures", .code = CLTB_E_FOREIGN},
        {.key = "metric", .line = "metric dtm"},
        {.key = "fen", .saying = "what it proves"},
        {.key = "fen", .line = "fen 8/8/8/8/8/8/8/8 w - - 0 1", .saying = "what it proves"},
        {.key = "fen",
         .line = "fen 8/8/2k5/p7/P7/2K4P/8/8 w - - 0 1",
         .code = CLTB_E_MISMATCH,
         .saying = "nothing is claimed"},
        {.key = "tables"},
        {.key = "tables", .line = "tables -", .code = CLTB_E_MISMATCH, .saying = "does not follow"},
        {.key = "tables", .line = "tables KPvK KPvKP", .code = CLTB_E_MISSING},
        {.drop = "claims", .saying = "no claims"},
        {.drop = "structures", .saying = "no list"},
        {.stream = "claims", .symbol_bytes = 2, .saying = "no claims"},
        {.stream = "claims", .more_symbols = 1, .saying = "no claims"},
        {.stream = "claims", .more_symbols = PROOF_CLAIM_BYTES, .saying = "more claims than structures"},
        {.stream = "claims", .more_sections = 1, .saying = "no claims"},
        {.stream = "structures", .more_symbols = 1, .saying = "no list"},
        {.stream = "structures", .more_symbols = PROOF_ID_BYTES, .saying = "not in order"},
        {.stream = "structures", .symbol = 0, .add = 1, .saying = "pawns where none can be"},
        {.stream = "structures", .symbol = 3, .add = 1}, // another pawn
        {.stream = "structures", .symbol = 16, .add = 9, .saying = "too many pieces"},
        {.stream = "structures", .symbol = 24, .add = 2, .saying = "no such attacker"},
        {.stream = "structures", .fill = true, .symbol = 0, .saying = "not in order"},
        {.stream = "claims", .symbol = last, .add = 200, .saying = "out of range"},
        {.stream = "claims",
         .symbol = last,
         .add = plies > 0 ? -(int)plies : 100,
         .code = CLTB_E_MISMATCH,
         .saying = "does not follow"},
        {.stream = "claims", .symbol = last + 1, .add = 1, .code = CLTB_E_MISMATCH}, // another position
        {.stream = "claims", .symbol = last + 6, .add = 1, .saying = "out of range"},
        {.stream = "claims", .symbol = last + 8, .add = 1, .saying = "out of range"}, // no end
        {.stream = "claims", .symbol = last + 9, .add = 1, .saying = "cut short"},    // one more claim
        {.stream = "claims", .fill = true, .symbol = 0, .saying = "out of range"},
        {.stream = "claims", .fill = true, .symbol = 1, .saying = "out of range"},
        {.stream = "claims", .fill = true, .symbol = 255, .saying = "out of range"},
    };
    corruptions_are_refused(tmp_path("proof.cltb"), cases, sizeof cases / sizeof cases[0], check);
    proof_close(proof);
}

TESTS(setup, teardown)
