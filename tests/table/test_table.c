// test_table.c - tables on disk: built, probed, shared by threads, and refused when they are corrupted
//
// KQvK and KRvK are compared with the naive oracle, every placement and both sides to move, through the public
// functions and in what is stored. KQvKR and KRvKR, too large for the oracle here, must agree with their own moves.
// Then copies of a table are written with one thing wrong in each.
#include "support/compare_tables.h"
#include "support/corrupt.h"

#include "check/verify.h"
#include "chess/move.h"
#include "table/block_cache.h"
#include "table/container.h"
#include "table/table.h"
#include "util/threads.h"

#include <unistd.h>

enum { SINGLES = 2 };

static const char *const single_names[SINGLES] = {"KQvK", "KRvK"};
static const char *const four_names[SINGLES] = {"KQvKR", "KRvKR"};
static struct naive *oracle[SINGLES];
static struct thread_pool *pool;      // of four threads
static char plain_dir[TEST_PATH_MAX]; // tables with distances for the cheaper side
static char both_dir[TEST_PATH_MAX];  // the same with distances for both sides, as small as they get
static char spare_dir[TEST_PATH_MAX]; // tables are built and replaced here

// ---- building ----

static int build(const char *dir, const char *name, bool both, int (*event)(void *, const struct build_event *),
                 void *context)
{
    const struct material material = material_named(name);
    const struct build_options options = {.dir = dir,
                                          .device = "cpu",
                                          .threads = 2,
                                          .both_sides = both,
                                          .best = both,
                                          .event = event,
                                          .context = context};
    return build_table(&material, &options);
}

static int setup(void **state)
{
    test_folder_make(plain_dir);
    test_folder_make(both_dir);
    test_folder_make(spare_dir);
    GOOD(threads_open(&pool, 4));
    for (int i = 0; i < SINGLES; i++) {
        GOOD(build(plain_dir, four_names[i], false, NULL, NULL));
        GOOD(build(both_dir, single_names[i], true, NULL, NULL));
        oracle_solve(&oracle[i], single_names[i]);
    }
    return 0;
}

static int teardown(void **state)
{
    for (int i = 0; i < SINGLES; i++)
        naive_free(oracle[i]);
    threads_close(pool);
    test_folder_remove(plain_dir);
    test_folder_remove(both_dir);
    test_folder_remove(spare_dir);
    return 0;
}

// ---- every placement of three men ----

enum { THREE_MEN_POSITIONS = 64 * 64 * 64 * 2 };

// Position `number` of the material, in these colours (turned: the lone king is White's). False if it is not legal.
static bool three_men(struct position *position, int single, bool turned, unsigned number)
{
    const uint8_t strong = turned ? BLACK : WHITE;
    const struct man men[] = {{KING, strong, (uint8_t)(number >> 1 & 63)},
                              {KING, strong ^ 1, (uint8_t)(number >> 7 & 63)},
                              {single == 0 ? QUEEN : ROOK, strong, (uint8_t)(number >> 13 & 63)}};
    return position_set(position, men, 3, (int)(number & 1) ^ strong) == 0 && position_legal(position);
}

// Its value; flipped or not it is the same.
static int truth_of(int single, unsigned number, struct naive_value *truth)
{
    struct position position;
    three_men(&position, single, false, number);
    return naive_query(oracle[single], &position, truth);
}

static int probe_number(cltb_tables *tables, int single, bool turned, unsigned number)
{
    struct position position;
    cltb_position public;
    struct naive_value truth;
    cltb_value value;
    if (!three_men(&position, single, turned, number))
        return 0;
    public_position(&position, &public);
    TRY(cltb_probe(tables, &public, &value));
    TRY(truth_of(single, number, &truth));
    if (value.outcome == (int)truth.outcome && (truth.outcome == CLTB_DRAW || value.dtz == truth.dtz))
        return 0;
    return error_set(CLTB_E_MISMATCH, "%s position %u: %d %d instead of %d %d", single_names[single], number,
                     value.outcome, value.dtz, (int)truth.outcome, truth.dtz);
}

TEST(test_probing)
{
    for (int both = 0; both <= 1; both++) {
        cltb_tables *tables;
        GOOD(cltb_open(&tables, both ? both_dir : plain_dir, NULL));
        const unsigned step = sanitized() ? 17 : both ? 7 : 1;
        for (unsigned i = 0; i < SINGLES * THREE_MEN_POSITIONS; i += step) {
            GOOD(probe_number(tables, (int)(i % SINGLES), false, i / SINGLES));
            if (i / SINGLES % 8 < 2)
                GOOD(probe_number(tables, (int)(i % SINGLES), true, i / SINGLES));
        }
        cltb_close(tables);
    }
}

static int probe_share(void *tables, uint64_t item, int worker)
{
    // Threads are never far apart, and often in the same block.
    for (unsigned i = 0; i < 2000; i++) {
        const unsigned number = (unsigned)((item / 4 * 2000 + i) * 77773 % THREE_MEN_POSITIONS);
        TRY(probe_number(tables, (int)(i % SINGLES), item % 2 != 0, number));
    }
    return 0;
}

// The first thread that needs a table opens it; the second set has hardly any memory for blocks.
TEST(test_threads)
{
    static const cltb_options small = {.cache_bytes = 1};
    for (int round = 0; round < 2; round++) {
        cltb_tables *tables;
        GOOD(cltb_open(&tables, plain_dir, round == 0 ? NULL : &small));
        GOOD(threads_each(pool, (round == 0 ? 80U : 20U) / (sanitized() ? 5 : 1), probe_share, tables));
        cltb_close(tables);
    }
}

// ---- what is stored ----

// Can the side to move take something? (Here: the lone king the other side's piece, which draws.)
static bool can_capture(const struct position *position)
{
    uint32_t moves[MOVES_MAX];
    bool found = false;
    for (int i = moves_legal(position, moves) - 1; i >= 0; i--)
        found |= move_is_capture(moves[i]);
    return found;
}

static void check_stored(struct table *table, int single, unsigned number, bool turned)
{
    struct position position;
    int outcome = 99;
    int ply = -1;
    if (!three_men(&position, single, turned, number))
        return;
    struct naive_value truth;
    GOOD(truth_of(single, number, &truth));
    GOOD(table_outcome(table, &position, &outcome));
    // A draw by a capture may be stored as something worse; nothing else is free among legal positions of three men.
    if (truth.outcome == CLTB_DRAW && can_capture(&position))
        assert_in_range(outcome + 2, CLTB_LOSS + 2, CLTB_DRAW + 2);
    else
        assert_int_equal(outcome, truth.outcome);
    if (truth.outcome == CLTB_DRAW || !table_has_distance(table, &position))
        return;
    GOOD(table_distance(table, &position, outcome, &ply));
    if (truth.outcome != CLTB_WIN || truth.dtz > 1) // else anything may be stored
        assert_int_equal(ply, truth.dtz);
}

static void check_tables(const char *dir, size_t cache_bytes, unsigned step)
{
    for (int single = 0; single < SINGLES; single++) {
        struct block_cache *cache;
        struct table *table;
        GOOD(block_cache_open(&cache, cache_bytes));
        GOOD(table_open(&table, table_in(dir, single_names[single]), cache));
        for (unsigned number = 0; number < THREE_MEN_POSITIONS; number += step)
            check_stored(table, single, number, number % 3 == 0);
        GOOD(table_check(table));
        table_close(table);
        block_cache_close(cache);
    }
}

TEST(test_stored)
{
    check_tables(plain_dir, 1 << 20, sanitized() ? 31 : 3);
    check_tables(both_dir, 1 << 20, sanitized() ? 31 : 3);
    check_tables(plain_dir, 0, 41); // a cache without memory
}

TEST(test_small_cache)
{
    struct block_cache *cache;
    struct table *tables[SINGLES];
    GOOD(block_cache_open(&cache, 20000));
    for (int i = 0; i < SINGLES; i++)
        GOOD(table_open(&tables[i], table_in(plain_dir, single_names[i]), cache));
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned n = SINGLES * round; n < SINGLES * THREE_MEN_POSITIONS; n += round == 0 ? 97 : 997)
            check_stored(tables[n % SINGLES], (int)(n % SINGLES), n / SINGLES, false);
        // One goes and comes back: nothing of the other's is taken for its own.
        table_close(tables[0]);
        GOOD(table_open(&tables[0], table_in(plain_dir, single_names[0]), cache));
    }
    for (int i = 0; i < SINGLES; i++)
        table_close(tables[i]);
    block_cache_close(cache);
}

// The figures in the file against counts of the oracle.
static void check_info(int single, bool both)
{
    const char *dir = both ? both_dir : plain_dir;
    struct table *table;
    GOOD(table_open(&table, table_in(dir, single_names[single]), NULL));
    const struct table_info *info = table_info(table);
    const struct material material = material_named(single_names[single]);
    assert_true(material_equal(&info->material, &material));
    assert_false(info->symmetric);
    assert_int_equal(info->entries, 10 * 64 * 64);
    assert_true(both ? info->distance[WHITE] && info->distance[BLACK] : info->distance[WHITE] != info->distance[BLACK]);
    uint64_t stored = 0;
    for (int side = WHITE; side <= BLACK; side++) {
        for (int outcome = CLTB_LOSS; outcome <= CLTB_WIN; outcome++) {
            uint64_t positions = 0;
            int longest = -1;
            for (int dtz = 0; dtz <= 100; dtz++) {
                const uint64_t count = naive_count(oracle[single], side, (enum cltb_outcome)outcome, dtz);
                positions += count;
                longest = count > 0 ? dtz : longest;
            }
            assert_int_equal(info->positions[side][outcome + 2], positions);
            assert_true(outcome == CLTB_DRAW || info->longest[side][outcome + 2] == longest);
        }
        stored += info->outcome_bytes[side] + info->distance_bytes[side];
        assert_true(info->outcome_bytes[side] > 0);
        assert_int_equal(info->distance_bytes[side] > 0, info->distance[side]);
    }
    uint64_t bytes;
    GOOD(container_size(table_in(dir, single_names[single]), &bytes));
    assert_int_equal(info->file_bytes, bytes);
    assert_true(stored < info->file_bytes);
    assert_int_equal(info->order[0], 'k');
    table_close(table);
}

TEST(test_figures)
{
    for (int i = 0; i < 2 * SINGLES; i++)
        check_info(i / 2, i % 2 == 1);
}

TEST(test_four_men)
{
    cltb_tables *tables;
    GOOD(cltb_open(&tables, plain_dir, NULL));
    for (int i = 0; i < SINGLES; i++) {
        const struct verify_options options = {.sample = 20000, .seed = 7, .pool = pool};
        struct verify_result result;
        const struct material material = material_named(four_names[i]);
        GOOD(verify_table(tables, &material, &options, &result));
        assert_int_equal(result.positions, 20000);
    }
    cltb_value value;
    cltb_value turned;
    GOOD(cltb_probe_fen(tables, "8/8/8/8/8/2k5/1r6/K6Q b - - 0 1", &value));
    GOOD(cltb_probe_fen(tables, "8/8/8/8/8/2K5/1R6/k6q w - - 0 1", &turned));
    assert_memory_equal(&value, &turned, sizeof value);
    cltb_close(tables);
}

// ---- whole streams ----

TEST(test_bulk)
{
    for (int single = 0; single < SINGLES; single++) {
        struct table *bulk;
        struct block_cache *cache;
        struct table *table;
        const struct material material = material_named(single_names[single]);
        GOOD(table_open_material(&bulk, table_in(plain_dir, single_names[single]), &material));
        GOOD(block_cache_open(&cache, 1 << 20));
        GOOD(table_open(&table, table_in(plain_dir, single_names[single]), cache));
        assert_true(material_equal(&table_info(bulk)->material, &material));
        for (int side = WHITE; side <= BLACK; side++) {
            const struct entry_order *order = table_order(bulk, TABLE_OUTCOME, side);
            uint8_t *symbols = malloc(order->entries);
            assert_non_null(symbols);
            for (unsigned king = 0; king < TRIANGLE_SQUARES; king++) {
                const struct table_units units = {side, king, NULL, 0, 1};
                GOOD(table_read_units(bulk, READ_OUTCOMES, &units, symbols + king * order->per_section));
            }
            for (unsigned number = 0; number < THREE_MEN_POSITIONS; number += sanitized() ? 31 : 3) {
                struct position position;
                int outcome;
                if (!three_men(&position, single, false, number) || position.side != side)
                    continue;
                GOOD(table_outcome(table, &position, &outcome));
                assert_int_equal(symbols[entry_index(order, &position, false)], outcome + 2);
            }
            free(symbols);
        }
        table_close(table);
        block_cache_close(cache);
        table_close(bulk);
    }
}

// ---- corrupted tables ----

// Opens in both ways and reads a little: the first error.
static int open_and_read(const char *path)
{
    const struct material material = material_named("KQvK");
    struct table *whole;
    struct table *table;
    struct block_cache *cache;
    uint8_t symbols[64 * 64];
    GOOD(block_cache_open(&cache, 0));
    int code = table_open(&table, path, cache);
    assert_int_equal(code == 0, table != NULL);
    for (unsigned number = 0; code == 0 && number < THREE_MEN_POSITIONS; number += 10007) {
        struct position position;
        int value;
        if (!three_men(&position, 0, false, number))
            continue;
        code = table_outcome(table, &position, &value);
        if (code == 0 && table_has_distance(table, &position))
            code = table_distance(table, &position, CLTB_WIN, &value);
    }
    if (code == 0)
        code = table_check(table);
    int whole_code = table_open_material(&whole, path, &material);
    for (int side = WHITE; whole_code == 0 && side <= BLACK; side++) {
        const struct table_units units = {side, 3, NULL, 0, 1};
        whole_code = table_read_units(whole, READ_OUTCOMES, &units, symbols);
    }
    table_close(whole);
    table_close(table);
    block_cache_close(cache);
    return code != 0 ? code : whole_code;
}

TEST(test_corruptions)
{
    static const struct corruption corruptions[] = {
        {.accepted = true, .key = "game", .line = "comment made by a test\ngame chess"},
        {.accepted = true, .drop = "distance-w"},
        {.accepted = true, .drop = "distance-b"},
        {.accepted = true, .stream = "distance-b", .fill = true, .symbol = 100, .symbol_bytes = 2},
        {.key = "game"},
        {.key = "game", .line = "game dobutsu", .code = CLTB_E_FOREIGN, .saying = "is a dobutsu table, not chess"},
        {.key = "metric", .line = "metric dtm", .code = CLTB_E_FOREIGN, .saying = "holds another endgame, KQvK.dtm"},
        {.key = "metric", .line = "metric dtx"},
        {.key = "metric"},
        {.key = "material"},
        {.key = "material", .line = "material KvKQ"}, // not the standard name
        {.key = "material", .line = "material KQvKRx"},
        {.key = "material", .line = "material KQvKR"}, // the streams are too short for that
        {.key = "outcome-w"},
        {.key = "outcome-w", .line = "outcome-w k K R"},
        {.key = "outcome-b", .line = "outcome-b k K"},
        {.key = "outcome-b",
         .line = "outcome-b k K Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q"},
        {.key = "distance-w"},
        {.key = "distance-b", .line = "distance-b k"},
        {.key = "positions-w"},
        {.key = "positions-b", .line = "positions-b 1 2 3 4"},
        {.key = "longest-w", .line = "longest-w one two"},
        {.key = "longest-b"},
        {.drop = "outcome-w", .saying = "it has no outcomes"},
        {.drop = "outcome-b", .saying = "it has no outcomes"},
        {.stream = "outcome-w", .fill = true, .symbol = 5, .saying = "an outcome is out of range"},
        {.stream = "outcome-b", .fill = true, .symbol = 255, .saying = "an outcome is out of range"},
        {.stream = "outcome-b", .fill = true, .symbol = 0x0201, .symbol_bytes = 2},
        {.stream = "distance-w", .fill = true, .symbol = 2048, .symbol_bytes = 2},
        {.stream = "distance-b", .fill = true, .symbol = 0xffff, .symbol_bytes = 2},
        {.stream = "outcome-w", .more_symbols = 1},
        {.stream = "outcome-b", .more_sections = 1},
        {.stream = "distance-w", .more_symbols = 64},
        {.stream = "distance-b", .more_sections = 3},
    };
    const char *valid = table_in(both_dir, "KQvK");
    corruptions_are_refused(valid, corruptions, sizeof corruptions / sizeof corruptions[0], open_and_read);
    damage_is_noticed(valid, 61, open_and_read);
    // A plain table has distances for one side only, and cannot do without them.
    valid = table_in(plain_dir, "KQvK");
    struct table *table;
    GOOD(table_open(&table, valid, NULL));
    const struct corruption one_side = {.drop = table_info(table)->distance[WHITE] ? "distance-w" : "distance-b",
                                        .saying = "it has no distances"};
    table_close(table);
    corruptions_are_refused(valid, &one_side, 1, open_and_read);
}

// Another endgame under this one's name.
TEST(test_wrong_material)
{
    const struct material queen = material_named("KQvK");
    const struct material rook = material_named("KRvK");
    struct table *bulk = (struct table *)1;
    assert_int_equal(table_open_material(&bulk, table_in(plain_dir, "KRvK"), &queen), CLTB_E_FOREIGN);
    assert_null(bulk);
    assert_int_equal(table_open_material(&bulk, table_in(spare_dir, "KNvK"), &queen), CLTB_E_MISSING);
    test_folder_clear(spare_dir);
    // The file says KQvK all along, and is called KRvK.
    char from[TEST_PATH_MAX + 40];
    snprintf(from, sizeof from, "%s", table_in(plain_dir, "KQvK"));
    assert_int_equal(link(from, table_in(spare_dir, "KRvK")), 0);
    assert_int_equal(table_open_material(&bulk, table_in(spare_dir, "KRvK"), &rook), CLTB_E_FOREIGN);
    cltb_tables *tables;
    cltb_value value;
    GOOD(cltb_open(&tables, spare_dir, NULL));
    assert_int_equal(cltb_probe_fen(tables, "8/8/8/8/8/2k5/8/2K3R1 w - - 0 1", &value), CLTB_E_CORRUPT);
    assert_int_equal(cltb_probe_fen(tables, "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1", &value), CLTB_E_MISSING);
    cltb_close(tables);
    unlink(table_in(spare_dir, "KRvK"));
}

// ---- building again, and not to the end ----

struct events {
    int count[BUILD_DONE + 1];
    enum build_event_kind stop_at;
    int stop_after;
};

static int note_event(void *context, const struct build_event *event)
{
    struct events *events = context;
    assert_in_range(event->kind, BUILD_PRESENT, BUILD_DONE);
    assert_non_null(event->name);
    events->count[event->kind]++;
    return event->kind == events->stop_at && events->count[event->kind] == events->stop_after;
}

static struct events build_to_the_end(void)
{
    struct events events = {.stop_after = -1};
    GOOD(build(spare_dir, "KRvKR", false, note_event, &events));
    return events;
}

TEST(test_build_again)
{
    test_folder_clear(spare_dir);
    struct events events = build_to_the_end();
    assert_int_equal(events.count[BUILD_START], 2); // KRvK and KRvKR
    assert_int_equal(events.count[BUILD_SOLVED], 2);
    assert_int_equal(events.count[BUILD_DONE], 2);
    assert_int_equal(events.count[BUILD_PRESENT], 0);
    assert_true(events.count[BUILD_PLY] > 20 && events.count[BUILD_WRITE] > 0);
    events = build_to_the_end();
    assert_int_equal(events.count[BUILD_PRESENT], 1);
    assert_int_equal(events.count[BUILD_START], 0);
    // A futurebase that is damaged is built again, the table itself only when it is missing.
    assert_int_equal(truncate(table_in(spare_dir, "KRvK"), 100), 0);
    unlink(table_in(spare_dir, "KRvKR"));
    assert_int_equal(build_to_the_end().count[BUILD_DONE], 2);
    uint64_t bytes;
    GOOD(container_size(table_in(spare_dir, "KRvK"), &bytes));
    assert_true(bytes > 100);
}

TEST(test_interrupted)
{
    static const enum build_event_kind kinds[] = {BUILD_START, BUILD_PLY, BUILD_SOLVED, BUILD_WRITE};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct events events = {.stop_at = kinds[i], .stop_after = kinds[i] == BUILD_PLY ? 5 : 1};
        char part[TEST_PATH_MAX + 50];
        test_folder_clear(spare_dir);
        assert_int_equal(build(spare_dir, "KQvK", false, note_event, &events), CLTB_E_INTERRUPTED);
        assert_int_equal(events.count[kinds[i]], events.stop_after); // nothing happens after the stop
        assert_int_equal(events.count[BUILD_DONE], 0);
        snprintf(part, sizeof part, "%s.part", table_in(spare_dir, "KQvK"));
        assert_int_not_equal(access(table_in(spare_dir, "KQvK"), F_OK), 0);
        assert_int_not_equal(access(part, F_OK), 0);
    }
}

TEST(test_build_refuses)
{
    const struct {
        const char *material;
        const char *device;
        const char *isa;
        const char *dir;
        int code; // or any, with 0
    } cases[] = {{"KQRBNvKRP", "cpu", NULL, spare_dir, CLTB_E_MEMORY},
                 {"KQvK", "fast", NULL, spare_dir, CLTB_E_USAGE},
                 {"KQvK", "99999", NULL, spare_dir, CLTB_E_DEVICE},
                 {"KQvK", "cpu", "no-such-instructions", spare_dir, 0},
                 {"KQvK", "cpu", NULL, "/dev/null/no/such", CLTB_E_IO}};
    test_folder_clear(spare_dir);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct material material = material_named(cases[i].material);
        const struct build_options options = {
            .dir = cases[i].dir, .device = cases[i].device, .isa = cases[i].isa, .threads = 1};
        const int code = build_table(&material, &options);
        assert_true(code != 0 && (cases[i].code == 0 || code == cases[i].code));
    }
    assert_int_not_equal(access(table_in(spare_dir, "KQvK"), F_OK), 0);
}

TESTS(setup, teardown)
