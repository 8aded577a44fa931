// test_futurebases.c - futurebases of both colours have the outcomes of their table; those that the processes of one
// machine share equal those of a single process
#include "support/compare_tables.h"
#include "support/solving.h"
#include "support/support.h"

#include "futurebase/futurebases.h"
#include "probe/probe.h"
#include "support/writing.h"
#include "util/memory.h"

// Memory that all processes of a machine share; here they run one after another.
struct machine {
    struct peers peers;
    void *memory[16];
    int count;
    int given; // arrays that the present process has asked for
    int met;
};

static int common(void *context, size_t bytes, void **memory)
{
    struct machine *machine = context;
    if (machine->given == machine->count) {
        assert_true(machine->count < (int)(sizeof machine->memory / sizeof *machine->memory));
        machine->memory[machine->count++] = calloc(1, bytes);
    }
    *memory = machine->memory[machine->given++];
    assert_non_null(*memory);
    return 0;
}

static int meet(void *context)
{
    ((struct machine *)context)->met++;
    return 0;
}

static bool all_zero(const uint64_t *words, size_t bytes)
{
    uint64_t any = 0;
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        any |= words[i];
    return any == 0;
}

TEST(in_common)
{
    const struct layout layout = layout_named("KQvK");
    const size_t bytes = layout_bits(&layout) / 8;
    struct machine machine = {.peers = {.ranks = 2, .common = common, .meet = meet}};
    struct stored_tables alone = {.folders = tmp_path(""), .pool = test_pool};
    struct stored_tables together = alone;
    struct futurebase own = {.longest = 0};
    struct solved solved;
    uint64_t size;
    machine.peers.context = &machine;
    together.peers = &machine.peers;
    solve(&solved, "KQvK", LAYOUT_PAIR, NULL, &keep_all);
    GOOD(
        write_table(&solved.solution, tmp_path("KQvK.cltb"), test_pool, &(struct write_options){.best = false}, &size));
    unsolve(&solved);
    GOOD(stored_source(&alone).load(&alone, &layout, &own));
    assert_false(own.common);
    // A process that does not fill uses the memory as it is, and reads no more than the head of the file.
    for (int fills = 0; fills < 2; fills++) {
        struct futurebase base = {.longest = 0};
        machine.given = 0;
        machine.peers.fills = fills > 0;
        GOOD(stored_source(&together).load(&together, &layout, &base));
        assert_true(base.common && machine.met == fills + 1 && machine.given == machine.count && machine.count == 4);
        for (int side = WHITE; side <= BLACK && fills > 0; side++) {
            assert_memory_equal(base.won[side], own.won[side], bytes);
            assert_memory_equal(base.lost[side], own.lost[side], bytes);
        }
        assert_true(fills > 0 || all_zero(base.won[WHITE], bytes));
        futurebase_free(&base); // leaves the memory alone
    }
    for (int i = 0; i < machine.count; i++)
        free(machine.memory[i]);
    futurebase_free(&own);
}

// Compares one entry of 17, of both sides to move, with what the library finds.
static void check_base(const struct layout *layout, const struct futurebase *base, cltb_tables *tables)
{
    enum { STEP = 17 };
    size_t found[CLTB_WIN + 3] = {0};
    for (uint64_t index = 0; index < 2 * layout_bits(layout); index += STEP) {
        const int side = (int)(index % 2);
        const uint64_t bit = index / 2;
        struct man men[MATERIAL_MEN_MAX];
        struct position position;
        uint8_t squares[LAYOUT_PIECES_MAX];
        int count = 0;
        int black_king;
        int outcome;
        layout_placement(layout, bit, &black_king, squares);
        for (int i = 0; i < layout->pieces; i++) {
            if (layout_is_man(layout, i))
                men[count++] = (struct man){.type = layout->type[i], .colour = layout->colour[i], .square = squares[i]};
        }
        men[count++] = (struct man){.type = KING, .colour = BLACK, .square = (uint8_t)black_king};
        if (position_set(&position, men, count, side) != 0 || !position_legal(&position))
            continue;
        GOOD(probe_outcome(tables, &position, &outcome));
        found[outcome + 2]++;
        if ((base->won[side][bit / 64] >> bit % 64 & 1) != (outcome == CLTB_WIN) ||
            (base->lost[side][bit / 64] >> bit % 64 & 1) != (outcome == CLTB_LOSS))
            fail_msg("entry %llu with side %d to move is not %d", (unsigned long long)bit, side, outcome);
    }
    assert_true(found[CLTB_WIN + 2] > 1000 && found[CLTB_DRAW + 2] > 1000 && found[CLTB_LOSS + 2] > 100);
}

static void count_relief(void *context, size_t bytes)
{
    (void)bytes;
    ++*(int *)context;
}

// The file's black king is one time the layout's, and another time its white king. What is needed besides the outcomes
// is small, but for the planes that complete outcomes. Three knights are in sorted order.
TEST(both_colours)
{
    static const char *const names[] = {"KRvK", "KRvKB", "KQvKR", "KBBvK", "KRvKR", "KNNNvK"};
    GOOD(folder_make(state));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct stored_tables stored = {.folders = tables_folder, .pool = test_pool};
        cltb_tables *tables;
        make_table(names[i], false);
        GOOD(cltb_open(&tables, tables_folder, NULL));
        const bool large = strlen(names[i]) == strlen("KNNNvK");
        for (int flip = 0; flip < (large && sanitized() ? 1 : 2); flip++) {
            struct material material = material_named(names[i]);
            struct futurebase base = {.longest = 0};
            struct layout layout;
            int reliefs = 0;
            if (flip) {
                const struct material plain = material;
                memcpy(material.count[WHITE], plain.count[BLACK], sizeof plain.count[BLACK]);
                memcpy(material.count[BLACK], plain.count[WHITE], sizeof plain.count[WHITE]);
            }
            GOOD(layout_init(&layout, &material, LAYOUT_ALIKE));
            memory_pool_limit(threads_memory(test_pool), layout.groups > 0 ? 100 << 20 : 4 << 20, count_relief,
                              &reliefs);
            GOOD(stored_source(&stored).load(&stored, &layout, &base));
            memory_pool_limit(threads_memory(test_pool), 0, NULL, NULL);
            assert_int_equal(reliefs, 0);
            check_base(&layout, &base, tables);
            futurebase_free(&base);
        }
        cltb_close(tables);
    }
    GOOD(folder_remove(state));
}

TESTS(pool_setup, pool_teardown)
