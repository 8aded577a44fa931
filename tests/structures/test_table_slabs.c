// test_table_slabs.c - compares slabs of structures that tables cover with probing, and counts what is read from tables
#include "structures/support_verdict.h"
#include "support/compare_tables.h"

#include "futurebase/stored_slabs.h"
#include "probe/probe.h"

static int setup(void **state)
{
    folder_make(state);
    make_table(sanitized() ? "KPvK" : "KQvKP", false);
    make_table("KQvKR", false);
    make_table("KBvKN", false);
    return 0;
}

// ---- slabs ----

struct opened {
    struct thread_pool *pool;
    struct paged *paged;
    struct stored_slabs stored;
    struct slab_source source;
    struct slabs *slabs;
    cltb_tables *tables;
    int seen[CLTB_WIN - CLTB_LOSS + 1]; // by outcome
};

static void open_all(struct opened *all)
{
    memset(all, 0, sizeof *all);
    GOOD(threads_open(&all->pool, 2));
    GOOD(paged_open(&all->paged, threads_memory(all->pool), 0, NULL));
    all->stored = (struct stored_slabs){.folders = tables_folder, .pool = all->pool};
    all->source = stored_slabs_source(&all->stored);
    GOOD(slabs_open(&all->slabs, &all->source, all->paged, all->pool, NULL));
    GOOD(cltb_open(&all->tables, tables_folder, NULL));
}

static void close_all(struct opened *all)
{
    cltb_close(all->tables);
    slabs_close(all->slabs);
    stored_slabs_close(&all->stored);
    paged_close(all->paged);
    threads_close(all->pool);
}

static bool bit_of(const struct slab *slab, enum slab_plane plane, size_t entry)
{
    const uint64_t *words = (const uint64_t *)paged_start(slab->place[plane].array) + slab->place[plane].at;
    return words[entry / 64] >> entry % 64 & 1;
}

// Compares wins and losses of a slab with probing. `men`: the pieces, whose squares are changed, then the fixed men.
static void compare_slab(struct opened *all, struct man *men, int pieces, int fixed, int side)
{
    struct slab_shape shape = {.pieces = pieces, .fixed = fixed};
    uint8_t square[FIXED_MAX] = {0};
    const struct slab *slab;
    for (int i = 0; i < pieces; i++) {
        shape.type[i] = men[i].type;
        shape.colour[i] = men[i].colour;
    }
    for (int i = 0; i < fixed; i++) {
        shape.fixed_type[i] = men[pieces + i].type;
        shape.fixed_colour[i] = men[pieces + i].colour;
        square[i] = men[pieces + i].square;
    }
    GOOD(slabs_want(all->slabs, &shape, square, side, &slab));
    GOOD(slabs_make(all->slabs));
    for (size_t number = 0; number < (size_t)1 << 6 * pieces; number++) {
        struct position p;
        struct cltb_value value;
        size_t entry = 0;
        bool overlap = false;
        for (int i = 0; i < pieces; i++) {
            men[i].square = (uint8_t)(number >> 6 * i & 63);
            entry |= structure_entry_part(pieces, i, men[i].square);
        }
        for (int i = 0; i < pieces; i++)
            for (int j = i + 1; j < pieces + fixed; j++)
                overlap |= men[i].square == men[j].square;
        if (overlap || position_set(&p, men, pieces + fixed, side) != 0 || !position_legal(&p))
            continue;
        GOOD(probe_value(all->tables, &p, &value));
        all->seen[value.outcome - CLTB_LOSS]++;
        if (bit_of(slab, SLAB_WON, entry) != (value.outcome == CLTB_WIN) ||
            bit_of(slab, SLAB_LOST, entry) != (value.outcome == CLTB_LOSS)) {
            char fen[FEN_MAX];
            fen_write(&p, fen);
            fail_msg("%s is %s", fen, cltb_outcome_name(value.outcome));
        }
    }
}

// The promoted man is fixed. If its side is to move, its captures must count. With sanitizers a pawn is fixed alone,
// because the table of the other men takes long.
TEST(test_runner)
{
    struct opened all;
    struct man pawn[] = {{KING, WHITE, 0}, {KING, BLACK, 0}, {PAWN, WHITE, 52}};
    struct man queen[] = {{KING, WHITE, 0}, {KING, BLACK, 0}, {QUEEN, BLACK, 0}, {PAWN, WHITE, 0}};
    struct man rook[] = {{QUEEN, WHITE, 0}, {KING, WHITE, 0}, {KING, BLACK, 0}, {ROOK, BLACK, 0}};
    struct man knight[] = {{BISHOP, WHITE, 0}, {KING, WHITE, 0}, {KING, BLACK, 0}, {KNIGHT, BLACK, 0}};
    struct man bishop[] = {{KNIGHT, BLACK, 0}, {KING, WHITE, 0}, {KING, BLACK, 0}, {BISHOP, WHITE, 0}};
    open_all(&all);
    compare_slab(&all, pawn, 2, 1, WHITE);
    for (int square = sanitized() ? 56 : 8; square < 56; square += 5) {
        queen[2].square = 3;
        queen[3].square = (uint8_t)square;
        compare_slab(&all, queen, 2, 2, BLACK);
        compare_slab(&all, queen, 2, 2, WHITE); // may take the queen, perhaps with a pawn that promotes
        queen[2].square = 60;
        compare_slab(&all, queen, 2, 2, BLACK);
        compare_slab(&all, queen, 2, 2, WHITE);
    }
    rook[3].square = 5;
    compare_slab(&all, rook, 3, 1, BLACK);
    knight[3].square = 1;
    compare_slab(&all, knight, 3, 1, BLACK);
    bishop[3].square = 63;
    compare_slab(&all, bishop, 3, 1, WHITE);
    for (int outcome = CLTB_LOSS; outcome <= CLTB_WIN; outcome++)
        assert_true(outcome == CLTB_CURSED_WIN || outcome == CLTB_BLESSED_LOSS || all.seen[outcome - CLTB_LOSS] > 0);
    close_all(&all);
}

// ---- how much is read ----

// Two efforts of two runs each read each slab only once. If slabs were read again, or with the promoted men on every
// square, the entries would be more than twice as many.
TEST(test_read_once)
{
    if (sanitized())
        skip(); // test_runner reads slabs
    const struct position p = position_named("8/8/p7/8/K6k/3P4/6p1/8 w - - 0 1");
    struct verdict_request request = {.store.folders = tables_folder,
                                      .tables_men = 4,
                                      .effort = 1,
                                      .structures = 1000000,
                                      .whole = UINT64_MAX,
                                      .threads = 2};
    struct verdict with = {.effort = 0};
    struct verdict without = {.effort = 0};
    GOOD(verdict_find(&with, &p, &request));
    assert_in_range(structure_store_table_entries(with.store), 1000000, 8000000);
    request.tables_men = 2;
    GOOD(verdict_find(&without, &p, &request));
    assert_int_equal(with.answer.value.low.outcome, without.answer.value.low.outcome);
    assert_int_equal(with.answer.value.high.outcome, without.answer.value.high.outcome);
    verdict_free(&with);
    verdict_free(&without);
}

TESTS(setup, folder_remove)
