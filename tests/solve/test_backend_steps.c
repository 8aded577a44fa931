// test_backend_steps.c - steps of every backend against its own pred(), and all backends against each other
//
// The first machine's step must be what its pred() says, which test_backend.c compares with a plain reference. The other
// machines must then have the same planes, bit for bit.
#include "solve/backend_bench.h"

// What the planes of the steps are for.
enum { WON, CLOSED, LOST_NEW, WON_NEW, EXTRA, DISTANCE_A, DISTANCE_B, SPARE };

static void step_all(struct bench *bench, const struct step *model, const int numbers[5], int planes, uint64_t *found)
{
    static const char *const names[] = {"a step's closed plane", "a step's fresh plane", "a step's distance planes"};
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        struct step step = *model;
        step.in = machine->plane[numbers[0]];
        step.closed = machine->plane[numbers[1]];
        step.fresh = machine->plane[numbers[2]];
        step.only = numbers[3] < 0 ? NULL : machine->plane[numbers[3]];
        step.extra = numbers[4] < 0 ? NULL : machine->plane[numbers[4]];
        step.planes = planes;
        for (int i = 0; i < planes; i++)
            step.plane[i] = machine->plane[DISTANCE_A + i];
        GOOD(OPS(machine)->step(machine->backend, &step));
        if (m > 0 && step.found != *found)
            fail_msg("%s finds %llu new bits, %s %llu", machine->name, (unsigned long long)step.found,
                     bench->machine[0].name, (unsigned long long)*found);
        *found = step.found;
    }
    for (int i = 0; i < planes; i++)
        assert_equal_planes(bench, DISTANCE_A + i, names[2]);
    assert_equal_planes(bench, numbers[1], names[0]);
    assert_equal_planes(bench, numbers[2], names[1]);
}

// A step of the first machine is what its own pred() says; bench->result holds the step's fresh plane.
static void assert_step(struct bench *bench, const struct step *model, const uint64_t *reached,
                        const uint64_t *closed_before, uint64_t found)
{
    uint64_t count = 0;
    for (size_t w = 0; w < bench->words; w++) {
        const uint64_t new = (model->invert ? ~reached[w] : reached[w]) & ~closed_before[w];
        if (bench->result[w] != new)
            fail_msg("a step's fresh plane is not reached & ~closed in word %zu", w);
        count += (uint64_t)__builtin_popcountll(new);
    }
    assert_int_equal(count, found);
}

// `only` must not change the result, so whatever has no move into it gets closed first.
static void close_others(struct bench *bench, int side, int only)
{
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        GOOD(OPS(machine)->pred(machine->backend, machine->plane[SPARE], side, machine->plane[only], false));
        GOOD(
            OPS(machine)->combine(machine->backend, machine->plane[DISTANCE_B], PLANE_COPY_NOT, machine->plane[SPARE]));
        GOOD(OPS(machine)->combine(machine->backend, machine->plane[CLOSED], PLANE_OR, machine->plane[DISTANCE_B]));
    }
    assert_equal_planes(bench, CLOSED, "closed");
}

static void read_pred(struct bench *bench, int side, int in, bool invert, uint64_t *reached)
{
    struct machine *machine = &bench->machine[0];
    GOOD(OPS(machine)->pred(machine->backend, machine->plane[SPARE], side, machine->plane[in], invert));
    read_plane(machine, SPARE, reached);
}

// Plies of an iteration on random planes, as the solver runs them, both attackers. `thin` sets how sparse they are.
static void check_steps(struct bench *bench, int attacker, int thin, uint64_t seed)
{
    uint64_t *reached = host_words(bench->words);
    uint64_t *closed = host_words(bench->words);
    uint64_t found = 0;
    set_random(bench, WON, bench->bits, seed, 0); // all ones but for a few
    randomise(&bench->layout, bench->more, seed + 1, thin);
    for (size_t w = 0; w < bench->words; w++)
        bench->bits[w] &= ~bench->more[w];
    for (int m = 0; m < bench->machines; m++) {
        write_plane(&bench->machine[m], WON, bench->bits);
        write_plane(&bench->machine[m], CLOSED, bench->bits);
    }
    set_random(bench, EXTRA, bench->more, seed + 2, thin + 1);
    set_random(bench, LOST_NEW, bench->more, seed + 3, thin + 3);

    const struct step win = {.side = attacker};
    const struct step lose = {.side = 1 - attacker, .invert = true};
    read_pred(bench, attacker, LOST_NEW, false, reached);
    read_plane(&bench->machine[0], EXTRA, bench->more);
    for (size_t w = 0; w < bench->words; w++)
        reached[w] |= bench->more[w];
    memcpy(closed, bench->bits, bench->words * 8);
    step_all(bench, &win, (const int[]){LOST_NEW, WON, WON_NEW, -1, EXTRA}, 2, &found);
    assert_step(bench, &win, reached, closed, found);

    for (int ply = 0; ply < 2; ply++) {
        const bool narrow = ply == 1;
        if (narrow)
            close_others(bench, 1 - attacker, WON_NEW);
        read_pred(bench, 1 - attacker, WON, true, reached);
        read_plane(&bench->machine[0], CLOSED, closed);
        step_all(bench, &lose, (const int[]){WON, CLOSED, LOST_NEW, narrow ? WON_NEW : -1, -1}, 1, &found);
        assert_step(bench, &lose, reached, closed, found);

        read_pred(bench, attacker, LOST_NEW, false, reached);
        read_plane(&bench->machine[0], WON, closed);
        step_all(bench, &win, (const int[]){LOST_NEW, WON, WON_NEW, -1, -1}, 0, &found);
        assert_step(bench, &win, reached, closed, found);
    }
    free(reached);
    free(closed);
}

// A chain of steps out of a handful of entries with most of the table open, both sides in turn: each finds the
// neighbours of a few tiles. Then a losing step that only those can reach.
static void check_sparse_steps(struct bench *bench, int side, uint64_t seed)
{
    static const int planes[] = {LOST_NEW, WON_NEW, SPARE, LOST_NEW};
    uint64_t found = 0;
    set_random(bench, WON, bench->bits, seed, 2);
    set_random(bench, CLOSED, bench->bits, seed + 1, 2);
    int thin = 0;
    while (layout_bits(&bench->layout) >> (thin + 5) > 0) // some 32 entries
        thin++;
    set_random(bench, LOST_NEW, bench->bits, seed + 2, thin);
    for (int ply = 0; ply < 3; ply++) {
        const struct step step = {.side = ply & 1 ? 1 - side : side};
        step_all(bench, &step, (const int[]){planes[ply], ply & 1 ? CLOSED : WON, planes[ply + 1], -1, -1}, 1, &found);
        assert_true(found > 0 || blank(&bench->layout, 0));
    }
    set_random(bench, WON, bench->bits, seed + 3, 0);
    randomise(&bench->layout, bench->more, seed + 4, 8);
    for (size_t w = 0; w < bench->words; w++)
        bench->bits[w] &= ~bench->more[w];
    for (int m = 0; m < bench->machines; m++)
        write_plane(&bench->machine[m], WON, bench->bits);
    const struct step lose = {.side = side, .invert = true};
    close_others(bench, side, WON_NEW);
    step_all(bench, &lose, (const int[]){WON, CLOSED, LOST_NEW, WON_NEW, -1}, 0, &found);
    assert_true(found > 0 || blank(&bench->layout, 0));
}

// Steps that can find nothing leave an empty fresh plane behind, whatever was in it.
static void check_idle_steps(struct bench *bench)
{
    uint64_t found = 0;
    set_random(bench, WON_NEW, bench->bits, 70, 2);
    for (int m = 0; m < bench->machines; m++)
        GOOD(OPS(&bench->machine[m])->fill(bench->machine[m].backend, bench->machine[m].plane[LOST_NEW], false));
    const struct step win = {.side = WHITE};
    step_all(bench, &win, (const int[]){LOST_NEW, WON, WON_NEW, -1, -1}, 1, &found);
    assert_int_equal(found, 0);
    set_random(bench, EXTRA, bench->bits, 71, 2);
    const struct step lose = {.side = BLACK, .invert = true};
    step_all(bench, &lose, (const int[]){WON, CLOSED, EXTRA, LOST_NEW, -1}, 1, &found);
    assert_int_equal(found, 0);
}

// ---- layouts ----

static void check_small(const struct layout *layout, uint64_t squares_in_a_part)
{
    struct bench bench;
    bench_open(&bench, layout, squares_in_a_part);
    check_steps(&bench, WHITE, 6, 30);
    check_steps(&bench, BLACK, 14, 40);
    check_sparse_steps(&bench, WHITE, 80);
    check_sparse_steps(&bench, BLACK, 90);
    check_idle_steps(&bench);
    bench_close(&bench);
}

static void check_large(const struct layout *layout, uint64_t squares_in_a_part)
{
    struct bench bench;
    bench_open(&bench, layout, squares_in_a_part);
    check_steps(&bench, WHITE, 18, 60);
    check_sparse_steps(&bench, WHITE, 80);
    check_sparse_steps(&bench, BLACK, 90);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {LAYOUT_TESTS};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
