// test_slices_backend_steps.c - steps of every backend on layouts of slices, against a plain reference
//
// All machines must have the same planes, bit for bit; so they must after imports into what a step has found.
#include "solve/slices_reference.h"

enum { IN, EXTRA, CLOSED, FRESH, FRESH_TOO, CODE0, CODE1, SPARE };

static uint64_t ones(const struct layout *layout, const uint64_t *bits)
{
    uint64_t sum = 0;
    for (uint64_t w = 0; w < layout_bits(layout) / 64; w++)
        sum += (uint64_t)__builtin_popcountll(bits[w]);
    return sum;
}

// A step on every machine; `step` names planes by numbers. Returns how many entries are new.
static uint64_t run_step(struct bench *bench, const struct step *step, int in, int only, int extra, int fresh)
{
    uint64_t found = 0;
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        struct step mine = *step;
        mine.in = machine->plane[in];
        mine.only = only < 0 ? NULL : machine->plane[only];
        mine.extra = extra < 0 ? NULL : machine->plane[extra];
        mine.closed = machine->plane[CLOSED];
        mine.fresh = machine->plane[fresh];
        mine.planes = 2;
        mine.plane[0] = machine->plane[CODE0];
        mine.plane[1] = machine->plane[CODE1];
        GOOD(OPS(machine)->step(machine->backend, &mine));
        if (m > 0)
            assert_int_equal(mine.found, found);
        found = mine.found;
    }
    return found;
}

// Plane `fresh` has what it should, and closed and the distances have got the same. On the host: `in`, `extra` and what
// keep_written() kept.
static void check_fresh(struct bench *bench, const struct step *step, const uint64_t *in, const uint64_t *extra,
                        const uint64_t *kept, int fresh, uint64_t found)
{
    const struct layout *layout = &bench->layout;
    assert_equal_planes(bench, fresh, "fresh");
    assert_int_equal(ones(layout, bench->result), found);
    for (uint64_t n = 0; n < samples(layout); n++) {
        const uint64_t index = sample(layout, n);
        const bool reached = reference_pred(layout, index, step->side, in, step->invert) != step->invert;
        const bool new = reached || (extra != NULL && bit_at(extra, index));
        assert_entry(bench, index, new && !bit_at(kept, index), "fresh");
    }
    for (int plane = CLOSED; plane <= CODE1; plane++) {
        if (plane == FRESH || plane == FRESH_TOO)
            continue;
        uint64_t *expected = host_words(bench->words);
        read_plane(&bench->machine[0], fresh, expected);
        for (size_t w = 0; w < bench->words; w++)
            expected[w] |= kept[(size_t)(plane == CLOSED ? 0 : plane - CODE0 + 1) * bench->words + w];
        assert_equal_planes(bench, plane, "closed and distances");
        clear_padding(layout, expected);
        assert_memory_equal(bench->result, expected, bench->words * 8);
        free(expected);
    }
}

// closed, CODE0 and CODE1 one after another.
static uint64_t *keep_written(struct bench *bench)
{
    uint64_t *kept = host_words(3 * bench->words);
    for (int i = 0; i < 3; i++)
        read_plane(&bench->machine[0], i == 0 ? CLOSED : CODE0 + i - 1, kept + (size_t)i * bench->words);
    return kept;
}

// Padding slices are closed, as overlaps() leaves them.
static void prepare_closed(struct bench *bench, uint64_t seed, int thin)
{
    const struct men_pairs none = {{0}};
    set_random(bench, CLOSED, bench->bits, seed, thin);
    for (int m = 0; m < bench->machines; m++)
        GOOD(OPS(&bench->machine[m])->overlaps(bench->machine[m].backend, bench->machine[m].plane[CLOSED], &none));
}

// `only` must not change the result, so whatever has no move into it gets closed first.
static void close_others(struct bench *bench, int side, int only)
{
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        struct plane *const *plane = machine->plane;
        GOOD(OPS(machine)->pred(machine->backend, plane[SPARE], side, plane[only], false));
        GOOD(OPS(machine)->combine(machine->backend, plane[EXTRA], PLANE_COPY_NOT, plane[SPARE]));
        GOOD(OPS(machine)->combine(machine->backend, plane[CLOSED], PLANE_OR, plane[EXTRA]));
    }
}

// A losing step where nearly everything is won, and only moves into plane `only` make new losses.
static void check_losing_step(struct bench *bench, int side, int only, int fresh)
{
    const struct step step = {.side = side, .invert = true};
    uint64_t *in = host_words(bench->words);
    for (size_t w = 0; w < bench->words; w++)
        in[w] = ~random_word(w, 25, 5);
    clear_padding(&bench->layout, in);
    write_plane(bench, IN, in);
    prepare_closed(bench, 26, 2);
    if (only >= 0)
        close_others(bench, side, only);
    uint64_t *kept = keep_written(bench);
    const uint64_t found = run_step(bench, &step, IN, only, -1, fresh);
    assert_true(found > 0);
    check_fresh(bench, &step, in, NULL, kept, fresh, found);
    free(in);
    free(kept);
}

// A winning step with moves and extra wins from random planes, and a losing one with and without it as `only`.
static void check_steps(struct bench *bench, int attacker)
{
    uint64_t *in = host_words(bench->words);
    uint64_t *extra = host_words(bench->words);
    const struct step win = {.side = attacker};
    set_random(bench, IN, in, 20, 9);
    set_random(bench, EXTRA, extra, 21, 12);
    set_random(bench, CODE0, bench->bits, 22, 2);
    set_random(bench, CODE1, bench->bits, 23, 5);
    prepare_closed(bench, 24, 1);
    uint64_t *kept = keep_written(bench);
    const uint64_t found = run_step(bench, &win, IN, -1, EXTRA, FRESH);
    assert_true(found > 0);
    check_fresh(bench, &win, in, extra, kept, FRESH, found);
    free(kept);
    free(in);
    free(extra);
    check_losing_step(bench, attacker ^ 1, FRESH, FRESH_TOO);
    check_losing_step(bench, attacker ^ 1, -1, FRESH_TOO);
}

static void clear_planes(struct bench *bench, int but)
{
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        for (int plane = CLOSED; plane <= CODE1; plane++) {
            if (plane != but)
                GOOD(OPS(machine)->fill(machine->backend, machine->plane[plane], false));
        }
    }
}

// Few bits in few tiles: most groups and blocks are skipped, and a losing step asks about candidates first. Leaves a
// plane with empty tiles in FRESH.
static void check_sparse_steps(struct bench *bench, int attacker)
{
    const struct layout *layout = &bench->layout;
    uint64_t *in = host_words(bench->words);
    uint64_t *kept = host_words(3 * bench->words);
    const struct step step = {.side = attacker};
    for (uint64_t n = 0; n < 20; n++) {
        const uint64_t index = sample(layout, mix(n) % samples(layout));
        in[index / 64] |= UINT64_C(1) << (index % 64);
    }
    write_plane(bench, EXTRA, in);
    for (int m = 0; m < bench->machines; m++)
        GOOD(OPS(&bench->machine[m])->fill(bench->machine[m].backend, bench->machine[m].plane[IN], false));
    clear_planes(bench, -1);
    // Through a step without moves the plane has only few active tiles.
    uint64_t found = run_step(bench, &step, IN, -1, EXTRA, FRESH);
    assert_int_equal(found, ones(layout, in));
    clear_planes(bench, FRESH);
    found = run_step(bench, &step, FRESH, -1, -1, FRESH_TOO);
    assert_true(found > 0);
    check_fresh(bench, &step, in, NULL, kept, FRESH_TOO, found);
    free(in);
    free(kept);
    check_losing_step(bench, attacker ^ 1, FRESH_TOO, FRESH);
}

static void check_slabs_into_fresh(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    read_plane(&bench->machine[0], FRESH, bench->bits);
    clear_padding(layout, bench->bits);
    const size_t count = make_imports(bench, 9);
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        GOOD(OPS(machine)->import_slabs(machine->backend, machine->plane[FRESH], bench->imports, count));
    }
    assert_equal_planes(bench, FRESH, "imports into a fresh plane");
    for (uint64_t n = 0; n < samples(layout); n++) {
        const uint64_t index = sample(layout, n);
        assert_entry(bench, index, bit_at(bench->bits, index) || any_import(bench, count, index),
                     "imports into a fresh plane");
    }
}

// ---- layouts ----

static void check_everything(const char *pieces, const char *fixed, uint64_t slices)
{
    struct bench *bench = malloc(sizeof *bench);
    assert_non_null(bench);
    bench_open(bench, pieces, fixed, slices);
    assert_true(bench->machines > 0);
    check_steps(bench, WHITE);
    check_steps(bench, BLACK);
    check_sparse_steps(bench, BLACK);
    check_sparse_steps(bench, WHITE);
    check_slabs_into_fresh(bench);
    bench_close(bench);
    free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {LAYOUT_TESTS};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
