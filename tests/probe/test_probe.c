// test_probe.c - probing against invented tables, whose right answers follow from the conventions alone
//
// This file replaces table/table.c: a table's entries are a hash of the position, so every mixture of stored outcomes,
// captures and distances occurs, including cursed and blessed ones, which real tables of few men lack. For a side to
// move whose distances are "stored", any outcome and distance will do; for the other side both are computed from the
// moves, in the plainest way. Don't-cares (positions resolved by a capture, draws, and in some tables wins by a pawn
// move or by mate) have arbitrary values.
#include "oracle/position_check.h"
#include "support/support.h"

#include <cltb/cltb.h>

#include "chess/fen.h"
#include "chess/notation.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "table/table.h"
#include "util/threads.h"

// ---- invented tables ----

enum stored_sides { STORED_WHITE, STORED_BLACK, STORED_BOTH, STORED_KINDS };

struct table {
    struct table_info info;
};

static uint64_t scramble(uint64_t n)
{
    return mix(n - UINT64_C(0x9e3779b97f4a7c15));
}

// The tests count rare cases: another sequence might lack some.
static uint64_t next_random(uint64_t *seed)
{
    return *seed = mix(*seed);
}

// The right to capture en passant makes no difference here.
static uint64_t position_hash(const struct position *p, unsigned what)
{
    const uint64_t key = position_key(p) ^ position_key_en_passant(p->en_passant) ^ position_key_en_passant(NO_SQUARE);
    return scramble(key + what * UINT64_C(0x9e3779b97f4a7c15));
}

// Which sides' distances a material stores; as a number of its own, by the stronger side.
static enum stored_sides stored_sides(const struct material *material)
{
    uint64_t hash = 0;
    for (int i = 0; i < COLOURS * PIECE_TYPES; i++)
        hash = scramble(hash + material->count[i / PIECE_TYPES][i % PIECE_TYPES] + 1);
    return (enum stored_sides)(hash % STORED_KINDS);
}

static bool side_is_stored(const struct position *p)
{
    struct material material = material_of(p);
    bool flipped = material_normalise(&material);
    enum stored_sides sides = stored_sides(&material);
    int side = p->side ^ (flipped ? 1 : 0);
    return sides == STORED_BOTH || material_symmetric(&material) || (int)sides == side;
}

// A hashed distance that goes with an outcome.
static int some_distance(const struct position *p, int outcome)
{
    int n = (int)(position_hash(p, 1) % 100);
    if (outcome == CLTB_WIN)
        return n + 1;
    if (outcome == CLTB_LOSS)
        return n % 8 == 0 ? 100 : n; // often the one that makes a cursed win
    return 101 + n;
}

// The conventions in the plainest way: a value's rank is by outcome, then short wins and long losses.
static bool is_better(cltb_value a, cltb_value b)
{
    if (a.outcome != b.outcome)
        return a.outcome > b.outcome;
    return a.outcome > 0 ? a.dtz < b.dtz : a.dtz > b.dtz;
}

static cltb_value truth(struct position *p);

// Of the position before the move, if the move is played.
static cltb_value truth_by_move(struct position *p, uint32_t move)
{
    bool zeroing = move_is_zeroing(p, move);
    GOOD(position_make(p, move));
    cltb_value after = truth(p);
    position_undo(p);
    cltb_value before = {-after.outcome, after.dtz + 1, 0};
    if (before.outcome == CLTB_DRAW)
        return (cltb_value){.outcome = CLTB_DRAW};
    if (zeroing)
        before.dtz = before.outcome == CLTB_WIN || before.outcome == CLTB_LOSS ? 1 : 101;
    else if (before.outcome == CLTB_WIN && before.dtz > 100)
        before.outcome = CLTB_CURSED_WIN;
    else if (before.outcome == CLTB_LOSS && before.dtz > 100)
        before.outcome = CLTB_BLESSED_LOSS;
    return before;
}

// The best by the moves that count (NULL: all). False if there is none.
static bool best_move_value(struct position *p, bool (*counts)(uint32_t move), cltb_value *best)
{
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(p, moves);
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (counts != NULL && !counts(moves[i]))
            continue;
        cltb_value value = truth_by_move(p, moves[i]);
        if (!any || is_better(value, *best))
            *best = value;
        any = true;
    }
    return any;
}

// Is there any move but en passant captures?
static bool has_other_moves(const struct position *p)
{
    uint32_t moves[MOVES_MAX];
    bool any = false;
    for (int i = moves_legal(p, moves) - 1; i >= 0; i--)
        any |= !move_is_en_passant(moves[i]);
    return any;
}

static void drop_en_passant(struct position *p)
{
    position_forget(p);
    GOOD(position_set_en_passant(p, NO_SQUARE));
}

static _Thread_local bool outcomes_only; // so that truth() does not look at pawn move after pawn move
static _Thread_local int first_wins;     // found by wins_at_once()

// Is there a pawn move, captures apart, to a lost position, or a quiet move that mates?
static bool wins_at_once(struct position *p)
{
    uint32_t moves[MOVES_MAX];
    bool wins = false;
    if (outcomes_only)
        return false;
    outcomes_only = true;
    for (int i = moves_legal(p, moves) - 1; i >= 0; i--) {
        const bool zeroing = move_is_zeroing(p, moves[i]);
        if (move_is_capture(moves[i]))
            continue;
        GOOD(position_make(p, moves[i]));
        wins |= zeroing ? truth(p).outcome == CLTB_LOSS : position_in_check(p) && !moves_any(p);
        position_undo(p);
    }
    outcomes_only = false;
    first_wins += wins;
    return wins;
}

static cltb_value truth(struct position *p)
{
    cltb_value best = {.outcome = CLTB_DRAW};
    if (position_en_passant_legal(p)) { // one more move than without the right to it
        struct position without;
        best_move_value(p, move_is_en_passant, &best);
        if (!has_other_moves(p))
            return best;
        position_copy(&without, p);
        drop_en_passant(&without);
        const cltb_value value = truth(&without);
        return is_better(value, best) ? value : best;
    }
    if (position_men(p) == 2)
        return best;
    if (!side_is_stored(p)) {
        if (!best_move_value(p, NULL, &best) && position_in_check(p))
            best.outcome = CLTB_LOSS;
        return best;
    }
    const bool capture = best_move_value(p, move_is_capture, &best);
    int outcome = (int)(position_hash(p, 2) % 5) - 2;
    if (capture && best.outcome >= outcome && best.outcome > CLTB_DRAW)
        return best; // 1 or 101
    if (capture && best.outcome > outcome)
        outcome = best.outcome;
    if (outcome == CLTB_WIN && wins_at_once(p))
        return (cltb_value){CLTB_WIN, 1, 0};
    return (cltb_value){outcome, outcome == CLTB_DRAW ? 0 : some_distance(p, outcome), 0};
}

int table_open(struct table **table, const char *path, struct block_cache *cache)
{
    assert_non_null(cache);
    char name[MATERIAL_NAME_MAX];
    struct bytes bytes = read_file(path);
    snprintf(name, sizeof name, "%.*s", (int)bytes.size, (char *)bytes.data);
    const bool bad = strcmp(name, "bad") == 0;
    free(bytes.data);
    if (bad)
        return error_set(CLTB_E_CORRUPT, "%s: bad", path);
    *table = calloc(1, sizeof **table);
    assert_non_null(*table);
    (*table)->info.material = material_named(name);
    for (int i = 0; i < COLOURS * TABLE_OUTCOMES; i++)
        (*table)->info.longest[i / TABLE_OUTCOMES][i % TABLE_OUTCOMES] = 100;
    (*table)->info.outcome_bytes[BLACK] = material_men(&(*table)->info.material) >= 5 ? 1 << 20 : 0;
    return 0;
}

void table_close(struct table *table)
{
    free(table);
}

const struct table_info *table_info(const struct table *table)
{
    return &table->info;
}

// The number in the unit is the outcome + 2.
struct cached_spot table_find_outcome(const struct table *table, const struct position *position)
{
    struct position p;
    cltb_value by_capture;
    position_copy(&p, position);
    drop_en_passant(&p);
    int outcome = truth(&p).outcome;
    if (outcome >= CLTB_DRAW && best_move_value(&p, move_is_capture, &by_capture) && by_capture.outcome == outcome)
        outcome -= (int)(position_hash(&p, 3) % (unsigned)(outcome + 3)); // a don't-care: anything that is no better
    return (struct cached_spot){.at = (uint32_t)(outcome + 2)};
}

// Sorted by unit, the entries of a table come in some other order.
struct cached_spot table_locate_outcome(const struct table *table, const struct position *position)
{
    struct cached_spot spot = table_find_outcome(table, position);
    spot.unit = position_hash(position, 4) % 1000;
    return spot;
}

void table_hint_outcome(const struct table *table, const struct cached_spot *spot, bool data)
{
}

int table_read_outcome(struct table *table, const struct cached_spot *spot, int *outcome)
{
    *outcome = (int)spot->at - 2;
    return 0;
}

int table_outcome(struct table *table, const struct position *position, int *outcome)
{
    const struct cached_spot spot = table_find_outcome(table, position);
    return table_read_outcome(table, &spot, outcome);
}

bool table_has_distance(const struct table *table, const struct position *position)
{
    return side_is_stored(position);
}

int table_distance(struct table *table, const struct position *position, int outcome, int *ply)
{
    assert_true(side_is_stored(position));
    assert_int_not_equal(outcome, CLTB_DRAW);
    *ply = some_distance(position, outcome);
    return 0;
}

int table_check(struct table *table)
{
    return 0;
}

// ---- a folder with the files that are looked for ----

static char folder[TEST_PATH_MAX];

// The text of a file is the name of the table in it.
static void write_table(const char *name, const char *text)
{
    write_file(table_in(folder, name), text, strlen(text));
}

static int touch_material(void *context, const struct material *material)
{
    char name[MATERIAL_NAME_MAX];
    material_name(material, name);
    write_table(name, name);
    return 0;
}

static cltb_tables *tables; // for all tests that do not need a set of their own

static cltb_tables *open_tables(void)
{
    cltb_tables *opened;
    GOOD(cltb_open(&opened, folder, NULL));
    return opened;
}

static int set_up(void **state)
{
    test_folder_make(folder);
    for (int men = 3; men <= 5; men++)
        material_each(men, touch_material, NULL);
    tables = open_tables();
    return 0;
}

static int tear_down(void **state)
{
    cltb_close(tables);
    test_folder_remove(folder);
    return 0;
}

// ---- values ----

static void random_position(struct position *p, const struct material *material, uint64_t *seed)
{
    struct man men[MATERIAL_MEN_MAX];
    for (;;) {
        int count = 0;
        for (int i = 0; i < COLOURS * PIECE_TYPES; i++) {
            for (int k = 0; k < material->count[i / PIECE_TYPES][i % PIECE_TYPES]; k++) {
                const uint64_t r = next_random(seed);
                men[count++] =
                    (struct man){(uint8_t)(i % PIECE_TYPES), (uint8_t)(i / PIECE_TYPES), (uint8_t)(r >> 20 & 63)};
            }
        }
        if (position_set(p, men, count, (int)(*seed >> 40 & 1)) == 0 && position_legal(p))
            return;
    }
}

static void compare(struct position *p, int seen[5][2])
{
    cltb_value value = {.outcome = CLTB_DRAW};
    int outcome = CLTB_DRAW;
    char fen[FEN_MAX];
    cltb_value right = truth(p);
    fen_write(p, fen);
    if (probe_value(tables, p, &value) != 0 || probe_outcome(tables, p, &outcome) != 0)
        fail_msg("%s: %s", fen, error_text());
    if (value.outcome != right.outcome || value.dtz != right.dtz || outcome != right.outcome)
        fail_msg("%s: %s %d (outcome alone: %s), should be %s %d", fen, cltb_outcome_name(value.outcome), value.dtz,
                 cltb_outcome_name(outcome), cltb_outcome_name(right.outcome), right.dtz);
    if (position_check(p) != 0)
        fail_msg("%s: %s", fen, error_text());
    seen[value.outcome + 2][side_is_stored(p)]++;
}

// Random positions of materials without and with pawns; every outcome must occur, stored and searched.
TEST(test_values)
{
    static const struct {
        const char *names[10];
        int count; // of positions with less than five men,
        int more;  // and with five
    } groups[] = {
        {{"KQvK", "KRvKN", "KQvKR", "KNNvK", "KQvKQ", "KRBvKR", "KQRvKB", "KNNvKQ", "KBNvKR", "KQQvKN"}, 20000, 2000},
        {{"KPvK", "KPvKP", "KQvKP", "KPvKN", "KRPvKP", "KNPvKB"}, 2000, 300}};
    for (size_t g = 0; g < 2; g++) {
        int seen[5][2] = {{0}};
        uint64_t seed = g + 1;
        first_wins = 0;
        for (size_t n = 0; n < 10 && groups[g].names[n] != NULL; n++) {
            const struct material material = material_named(groups[g].names[n]);
            for (int i = 0; i < (material_men(&material) < 5 ? groups[g].count : groups[g].more); i++) {
                struct position p;
                random_position(&p, &material, &seed);
                compare(&p, seen);
            }
        }
        for (int i = 0; i < 10; i++)
            assert_int_not_equal(seen[i / 2][i % 2], 0);
        assert_true(first_wins > 100);
    }
}

// A random position in which a pawn may be captured en passant: `extra` men beside kings and these two pawns. The
// captured pawn's side is often close to its goal: the other one's king in a corner, and checks are likely.
static void random_en_passant(struct position *p, int extra, uint64_t *seed)
{
    for (;;) {
        struct man men[MATERIAL_MEN_MAX];
        const uint64_t r = next_random(seed);
        const int us = (int)(r & 1);
        const int rank = us == WHITE ? 4 : 3;
        const int file = (int)(r >> 1 & 7);
        const int victim = file + (r >> 4 & 1 ? 1 : -1);
        const int king = r >> 5 & 1 ? (int)(r >> 6 & 3) * 21 : (int)(r >> 6 & 63);
        if (victim < 0 || victim > 7)
            continue;
        men[0] = (struct man){KING, (uint8_t)us, (uint8_t)king};
        men[1] = (struct man){KING, (uint8_t)(us ^ 1), (uint8_t)(r >> 12 & 63)};
        men[2] = (struct man){PAWN, (uint8_t)us, (uint8_t)(8 * rank + file)};
        men[3] = (struct man){PAWN, (uint8_t)(us ^ 1), (uint8_t)(8 * rank + victim)};
        for (int i = 0; i < extra; i++) {
            const uint64_t bits = r >> (20 + 12 * i);
            const uint8_t colour = (uint8_t)((bits & 7) == 0 ? us : us ^ 1);
            men[4 + i] = (struct man){(uint8_t)(QUEEN + (bits >> 3 & 7) % 5), colour, (uint8_t)(bits >> 6 & 63)};
        }
        if (position_set(p, men, 4 + extra, us) == 0 && position_legal(p) &&
            position_set_en_passant(p, 8 * (us == WHITE ? 5 : 2) + victim) == 0 && position_en_passant_legal(p))
            return;
    }
}

TEST(test_en_passant)
{
    int seen[5][2] = {{0}};
    int forced[5][2] = {{0}}; // no other move: by outcome and whether it is check
    int blessed = 0;          // the capture makes a loss a blessed one
    uint64_t seed = 3;
    for (int i = 0; i < 1500000; i++) {
        struct position p;
        struct position without;
        random_en_passant(&p, i % 8 == 0 ? 0 : 1, &seed);
        const bool alone = !has_other_moves(&p);
        // The search for a distance is slow: of the ordinary positions some will do.
        if (!alone && i % 400 > 1)
            continue;
        compare(&p, seen);
        position_copy(&without, &p);
        drop_en_passant(&without);
        if (alone)
            forced[truth(&p).outcome + 2][position_in_check(&p)]++;
        else
            blessed += truth(&p).outcome == CLTB_BLESSED_LOSS && truth(&without).outcome == CLTB_LOSS;
    }
    assert_true(blessed > 50);
    for (int i = 0; i < 10; i++)
        assert_true(seen[i / 2][i % 2] > 50 && forced[i / 2][i % 2] > 1);
}

// Positions without moves, where the side to move is searched.
TEST(test_no_moves)
{
    static const struct {
        const char *fen;
        int outcome;
    } facts[] = {
        {"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", CLTB_LOSS},  {"7k/8/5KQ1/8/8/8/8/8 b - - 0 1", CLTB_DRAW},
        {"4R2k/8/6K1/8/8/8/8/8 b - - 0 1", CLTB_LOSS},  {"7k/6R1/5K2/8/8/8/8/8 b - - 0 1", CLTB_DRAW},
        {"4RR1k/8/6K1/8/8/8/8/8 b - - 0 1", CLTB_LOSS}, {"7k/8/5KQ1/8/8/8/8/5Q2 b - - 0 1", CLTB_DRAW},
        {"7k/6Q1/6K1/8/8/8/8/r7 b - - 0 1", CLTB_LOSS}, {"7k/6Q1/6K1/8/8/8/8/n7 b - - 0 1", CLTB_LOSS},
        {"7k/8/5KQ1/8/8/8/8/5B2 b - - 0 1", CLTB_DRAW},
    };
    int searched = 0;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct position p;
        cltb_value value;
        GOOD(fen_read(&p, facts[i].fen));
        if (side_is_stored(&p) || moves_any(&p))
            continue;
        searched++;
        GOOD(probe_value(tables, &p, &value));
        assert_memory_equal(&value, (&(cltb_value){.outcome = facts[i].outcome}), sizeof value);
    }
    assert_true(searched > 0);
}

TEST(test_clock)
{
    static const struct {
        int outcome;
        int dtz;
        int fifty;
        int with_clock;
    } facts[] = {
        {CLTB_WIN, 1, 99, CLTB_WIN},    {CLTB_WIN, 1, 100, CLTB_CURSED_WIN},
        {CLTB_WIN, 100, 0, CLTB_WIN},   {CLTB_WIN, 100, 1, CLTB_CURSED_WIN},
        {CLTB_LOSS, 2, 98, CLTB_LOSS},  {CLTB_LOSS, 2, 99, CLTB_BLESSED_LOSS},
        {CLTB_LOSS, 0, 100, CLTB_LOSS}, {CLTB_CURSED_WIN, 101, 0, CLTB_CURSED_WIN},
        {CLTB_DRAW, 0, 120, CLTB_DRAW}, {CLTB_BLESSED_LOSS, 130, 7, CLTB_BLESSED_LOSS},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const cltb_value value = value_with_clock((cltb_value){facts[i].outcome, facts[i].dtz, 0}, facts[i].fifty);
        assert_memory_equal(&value, (&(cltb_value){facts[i].with_clock, facts[i].dtz, 0}), sizeof value);
    }
}

// ---- the public functions ----

static void check_ranking(const struct position *root, const cltb_move *moves, int count)
{
    struct position p;
    position_copy(&p, root);
    for (int i = 0; i < count; i++) {
        uint32_t move;
        uint32_t same;
        GOOD(uci_read(&p, moves[i].uci, &move));
        GOOD(san_read(&p, moves[i].san, &same));
        assert_int_equal(move, same);
        cltb_value right = truth_by_move(&p, move);
        cltb_value honoured = {value_with_clock(right, root->fifty).outcome, right.dtz, 0};
        assert_memory_equal(&moves[i].value, &honoured, sizeof honoured);
        assert_int_equal(moves[i].zeroing, move_is_zeroing(&p, move));
        if (i > 0)
            assert_false(is_better(moves[i].value, moves[i - 1].value));
    }
}

TEST(test_root_moves)
{
    static const char *const names[] = {"KQvKR", "KRBvKR", "KNNvKQ"};
    cltb_move moves[CLTB_MOVES_MAX];
    uint64_t seed = 7;
    for (int i = 0; i < 60; i++) {
        const struct material material = material_named(names[i % 3]);
        struct position p;
        uint32_t all[MOVES_MAX];
        char fen[FEN_MAX];
        cltb_position position;
        random_position(&p, &material, &seed);
        GOOD(position_set_counters(&p, i % 2 == 0 ? 0 : i, 1));
        fen_write(&p, fen);
        GOOD(cltb_position_from_fen(&position, fen));
        int count = cltb_root_moves(tables, &position, moves);
        assert_int_equal(count, moves_legal(&p, all));
        check_ranking(&p, moves, count);
        // Where the position's value is what its moves say, it is the best move's.
        cltb_value value;
        GOOD(cltb_probe(tables, &position, &value));
        if (count > 0 && !side_is_stored(&p) && p.fifty == 0)
            assert_memory_equal(&value, &moves[0].value, sizeof value);
    }
}

TEST(test_public_positions)
{
    cltb_position position;
    cltb_value value;
    cltb_value by_fen;
    const char *fen = "8/8/8/8/8/2k5/8/2K2Q2 w - - 7 1";
    GOOD(cltb_position_from_fen(&position, fen));
    assert_int_equal(position.fifty, 7);
    GOOD(cltb_probe(tables, &position, &value));
    GOOD(cltb_probe_fen(tables, fen, &by_fen));
    assert_memory_equal(&value, &by_fen, sizeof value);

    const cltb_position p = position;
    const cltb_position bad[] = {
        {.white = p.white, .black = p.black, .kings = p.kings, .queens = p.queens | p.kings}, // two kinds on one square
        {.white = p.white, .black = p.black | 1, .kings = p.kings, .queens = p.queens},       // a colour without a man
        {.white = p.white, .black = p.white, .kings = p.kings, .queens = p.queens},           // both colours
        {.white = p.white, .black = p.black, .kings = p.kings, .queens = p.queens, .side = 2},
        {.white = p.white, .black = p.black, .kings = p.kings, .queens = p.queens, .castling = 1},
        {.white = p.white, .black = p.black, .kings = p.kings, .queens = p.queens, .en_passant = 70},
        {.white = UINT64_MAX, .queens = UINT64_MAX},
        {.white = 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(cltb_probe(tables, &bad[i], &value), CLTB_E_POSITION);
}

TEST(test_refusals)
{
    static const struct {
        const char *fen;
        int code;
        const char *says;
    } facts[] = {
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", CLTB_E_POSITION, "6 men, and castling is still possible"},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", CLTB_E_POSITION, "32 men"},
        {"4k3/8/8/8/8/NNNNNNN1/8/4K3 w - - 0 1", CLTB_E_POSITION, "9 men"},
        {"4k3/8/8/8/8/8/2PPPP2/4K3 w - - 0 1", CLTB_E_MISSING, "KPPPPvK.cltb"},
        {"4k3/8/8/8/8/NNNNNN2/8/4K3 w - - 0 1", CLTB_E_MISSING, "KNNNNNNvK.cltb"},
        {"4k3/8/8/8/8/8/8/4K2X w - - 0 1", CLTB_E_POSITION, "FEN"},
        {"", CLTB_E_POSITION, "FEN"},
        {"7k/6Q1/6K1/8/8/8/8/8 w - - 0 1", CLTB_E_POSITION, "check"},
        // A file that is broken, or holds another table than its name says.
        {"8/8/8/8/8/2k5/8/2K2B2 w - - 0 1", CLTB_E_CORRUPT, "bad"},
        {"8/8/8/8/8/2K5/8/2k2b2 w - - 0 1", CLTB_E_CORRUPT, "bad"},
        {"8/8/8/8/8/2k5/8/2K2N2 w - - 0 1", CLTB_E_CORRUPT, "KRvK"},
    };
    write_table("KBvK", "bad");
    write_table("KNvK", "KRvK");
    cltb_tables *own = open_tables();
    cltb_value value;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        for (int again = 0; again < 2; again++) // what is missing or bad is remembered
            FAILS(cltb_probe_fen(own, facts[i].fen, &value), facts[i].code, facts[i].says);
    }
    assert_int_equal(cltb_probe_fen(own, "8/8/8/8/8/2k5/8/2K5 w - - 0 1", &value), CLTB_OK); // bare kings
    assert_int_equal(value.outcome, CLTB_DRAW);
    cltb_close(own);
    write_table("KBvK", "KBvK");
    write_table("KNvK", "KNvK");
}

// If a table that a capture leads to is missing, only a stored win can be answered.
TEST(test_missing_captures)
{
    static const char *const missing[] = {"KQBvK", "KRvKB", "KQvKR"};
    const struct material material = material_named("KQBvKR");
    cltb_value by_capture;
    uint64_t seed = 5;
    int seen[2] = {0, 0};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        remove(table_in(folder, missing[i]));
    cltb_tables *own = open_tables();
    while (seen[0] < 20 || seen[1] < 20) {
        struct position p;
        int outcome;
        int stored;
        random_position(&p, &material, &seed);
        if (!best_move_value(&p, move_is_capture, &by_capture))
            continue;
        const struct cached_spot spot = table_find_outcome(NULL, &p);
        GOOD(table_read_outcome(NULL, &spot, &stored));
        if (stored == CLTB_WIN) {
            GOOD(probe_outcome(own, &p, &outcome));
            assert_int_equal(outcome, CLTB_WIN);
        } else {
            FAILS(probe_outcome(own, &p, &outcome), CLTB_E_MISSING, "no table K");
        }
        seen[stored == CLTB_WIN]++;
    }
    cltb_close(own);
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        write_table(missing[i], missing[i]);
}

// Many at once, in any mixture, with clocks, with rights to capture en passant, some illegal, some without a table, the
// same as one by one.
TEST(test_many)
{
    enum { MANY = 30000 };
    static const char *const names[] = {"KQvKR", "KRBvKR", "KNNvKQ", "KPvKP", "KRPvKP", "KQvK"};
    cltb_position *positions = calloc(MANY, sizeof *positions);
    int8_t *outcomes = malloc(MANY);
    int8_t *alone = malloc(MANY);
    int16_t *dtz = malloc(MANY * sizeof *dtz);
    uint64_t seed = 11;
    int seen[5] = {0};
    int refused = 0;
    assert_non_null(positions);
    assert_non_null(outcomes);
    assert_non_null(alone);
    assert_non_null(dtz);
    for (int i = 0; i < MANY; i++) {
        const struct material material = material_named(names[next_random(&seed) % 6]);
        struct position p;
        char fen[FEN_MAX];
        if (i % 5 == 0)
            random_en_passant(&p, i % 10 == 0 ? 0 : 1, &seed);
        else
            random_position(&p, &material, &seed);
        GOOD(position_set_counters(&p, i % 3 == 0 ? (int)(seed % 120) : 0, 1));
        fen_write(&p, fen);
        GOOD(cltb_position_from_fen(&positions[i], fen));
        positions[i].castling = i % 100 == 7;
        if (i % 100 == 8)
            positions[i].knights |= 0xff00ff00 & ~(p.men[WHITE] | p.men[BLACK]); // without a colour
        if (i % 100 == 9)
            positions[i].white = positions[i].knights |= 0xff00ff00 & ~(p.men[WHITE] | p.men[BLACK]);
    }
    GOOD(cltb_probe_many(tables, positions, MANY, outcomes, dtz));
    GOOD(cltb_probe_many(tables, positions, MANY, alone, NULL));
    for (int i = 0; i < MANY; i++) {
        cltb_value value = {.dtz = 0};
        const int code = cltb_probe(tables, &positions[i], &value);
        assert_int_equal(outcomes[i], code != 0 ? code : value.outcome);
        assert_int_equal(alone[i], outcomes[i]);
        assert_int_equal(dtz[i], value.dtz);
        refused += code != 0;
        seen[value.outcome + 2]++;
    }
    assert_in_range(refused, MANY / 100 * 3, MANY / 2);
    for (int i = 0; i < 5; i++)
        assert_true(seen[i] > 100);
    free(positions);
    free(outcomes);
    free(alone);
    free(dtz);
}

TEST(test_folders)
{
    cltb_tables *own = NULL;
    cltb_value value;
    char folders[TEST_PATH_MAX + 20];
    static const char *const none[] = {"", NULL, ":"};
    for (int i = 0; i < 3; i++)
        assert_int_equal(cltb_open(&own, none[i], NULL), CLTB_E_USAGE);
    assert_null(own);
    cltb_close(NULL);
    snprintf(folders, sizeof folders, "/nowhere::%s", folder);
    GOOD(cltb_open(&own, folders, &(cltb_options){.cache_bytes = 1000}));
    GOOD(cltb_probe_fen(own, "8/8/8/8/8/2k5/8/2K2Q2 w - - 0 1", &value));
    cltb_close(own);
    GOOD(cltb_open(&own, "/nowhere", NULL));
    FAILS(cltb_probe_fen(own, "8/8/8/8/8/2k5/8/2K2Q2 w - - 0 1", &value), CLTB_E_MISSING, "'/nowhere'");
    cltb_close(own);
}

TEST(test_names)
{
    static const char *const names[] = {"?", "loss", "blessed-loss", "draw", "cursed-win", "win", "?"};
    for (int outcome = -3; outcome <= 3; outcome++)
        assert_string_equal(cltb_outcome_name(outcome), names[outcome + 3]);
    assert_non_null(strchr(cltb_version(), '.'));
}

// ---- threads ----

enum { THREADS = 4, ITEMS = 400 };

static int probe_item(void *context, uint64_t item, int worker)
{
    static const char *const names[] = {"KQvK", "KRvKN", "KQvKR", "KNNvK", "KQvKQ", "KBvKN"};
    const struct material material = material_named(names[item / THREADS % 6]);
    struct position p;
    cltb_value value;
    uint64_t seed = item / THREADS; // some do the same at once
    random_position(&p, &material, &seed);
    cltb_value right = truth(&p);
    int code = probe_value(context, &p, &value);
    if (code == 0 && (value.outcome != right.outcome || value.dtz != right.dtz))
        return error_set(CLTB_E_MISMATCH, "item %d", (int)item);
    return code;
}

TEST(test_threads)
{
    struct thread_pool *pool;
    GOOD(threads_open(&pool, THREADS));
    for (int round = 0; round < 20; round++) {
        cltb_tables *own = open_tables(); // so that all threads open own at once
        GOOD(threads_each(pool, ITEMS, probe_item, own));
        cltb_close(own);
    }
    threads_close(pool);
}

TESTS(set_up, tear_down)
