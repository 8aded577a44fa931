// test_futurebases.c - futurebases that the processes of one machine share equal those of a single process
#include "support/solving.h"
#include "support/support.h"

#include "futurebase/futurebases.h"
#include "table/write/write_table.h"

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

static void in_common(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_common)};
    return cmocka_run_group_tests(tests, pool_setup, pool_teardown);
}
