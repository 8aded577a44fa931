// test_backend_steps.c - steps of every backend against its own pred() and a plain reference, and all backends against
// each other
//
// The first machine's step must do what its pred() says, which test_backend.c compares with the reference; with slices
// it is compared with the reference as well. The other machines must then have the same planes, bit for bit.
#include "support/backends.h"

// What the planes are for.
enum { WON, CLOSED, LOST_NEW, WON_NEW, EXTRA, DISTANCE_A, DISTANCE_B, SPARE, NONE = -1 };

// The planes of a step by their numbers.
struct plan {
    int in;
    int closed;
    int fresh;
    int only;     // or NONE
    int extra;    // or NONE
    int distance; // so many of DISTANCE_A and DISTANCE_B
};

// A plane of the first machine on the host; free() it.
static uint64_t *plane_of(struct bench *bench, int plane)
{
    uint64_t *bits = host_words(bench->words);
    read_plane(&bench->machine[0], plane, bits);
    return bits;
}

// Plane `plane` of all machines is what it was before, with the new bits; changes `before`.
static void assert_written(struct bench *bench, int plane, uint64_t *before, const uint64_t *new, const char *what)
{
    for (size_t w = 0; w < bench->words; w++)
        before[w] |= new[w];
    clear_padding(&bench->layout, before);
    assert_equal_planes(bench, plane, what);
    assert_memory_equal(bench->result, before, bench->words * 8);
}

// The same step again finds nothing, but then the count of the one before must be known.
static void end_later(struct machine *m, const struct step *step)
{
    struct step again = *step;
    again.later = false;
    again.found = 0;
    again.planes = 0;
    again.fresh = m->plane[SPARE];
    GOOD(OPS(m)->step(m->backend, &again));
    if (again.found != 0)
        fail_msg("%s finds %llu new bits for the second time", m->name, (unsigned long long)again.found);
}

// A step on every machine, with slices also against the reference. Returns how many entries are new.
static uint64_t check_step(struct bench *bench, int side, bool invert, const struct plan *plan)
{
    const struct layout *layout = &bench->layout;
    struct machine *one = &bench->machine[0];
    GOOD(OPS(one)->pred(one->backend, one->plane[SPARE], side, one->plane[plan->in], invert));
    uint64_t *new = plane_of(bench, SPARE);
    uint64_t *in = plane_of(bench, plan->in);
    uint64_t *closed = plane_of(bench, plan->closed);
    uint64_t *extra = plan->extra == NONE ? host_words(bench->words) : plane_of(bench, plan->extra);
    uint64_t *distance[2] = {plane_of(bench, DISTANCE_A), plane_of(bench, DISTANCE_B)};
    uint64_t count = 0;
    for (size_t w = 0; w < bench->words; w++) {
        new[w] = (invert ? ~new[w] : new[w] | extra[w]) & ~closed[w];
        count += (uint64_t)__builtin_popcountll(new[w]);
    }

    for (struct machine *m = one; m < machines_end(bench); m++) {
        struct plane **plane = m->plane;
        struct step step = {.side = side, .invert = invert, .in = plane[plan->in], .planes = plan->distance};
        step.closed = plane[plan->closed];
        step.fresh = plane[plan->fresh];
        step.only = plan->only == NONE ? NULL : plane[plan->only];
        step.extra = plan->extra == NONE ? NULL : plane[plan->extra];
        for (int i = 0; i < plan->distance; i++)
            step.plane[i] = plane[DISTANCE_A + i];
        step.later = invert; // as the solver does it
        GOOD(OPS(m)->step(m->backend, &step));
        if (step.later)
            end_later(m, &step);
        if (step.found != count)
            fail_msg("%s finds %llu new bits, not %llu", m->name, (unsigned long long)step.found,
                     (unsigned long long)count);
    }

    for (int i = 0; i < 2; i++) {
        if (i < plan->distance)
            assert_written(bench, DISTANCE_A + i, distance[i], new, "a step's distance planes");
        free(distance[i]);
    }
    assert_equal_planes(bench, plan->fresh, "a step's fresh plane");
    assert_memory_equal(bench->result, new, bench->words * 8);
    for (uint64_t n = 0; layout->slices > 0 && n < samples(layout); n++) {
        const uint64_t index = sample(layout, n);
        const bool reached = reference_pred(layout, index, side, in, invert) != invert;
        const bool added = !invert && bit_at(extra, index);
        assert_entry(bench, index, (reached || added) && !bit_at(closed, index), "fresh");
    }
    assert_written(bench, plan->closed, closed, new, "a step's closed plane");
    free(new);
    free(in);
    free(closed);
    free(extra);
    return count;
}

// Padding slices are closed, as overlaps() leaves them.
static void close_padding(struct bench *bench)
{
    const struct men_pairs none = {{0}};
    for (struct machine *m = bench->machine; m < machines_end(bench); m++)
        GOOD(OPS(m)->overlaps(m->backend, m->plane[CLOSED], &none));
}

// `only` must not change the result, so whatever has no move into it and is not in `extra` (or NONE) gets closed first.
static void close_others(struct bench *bench, int side, int only, int extra)
{
    for (struct machine *m = bench->machine; m < machines_end(bench); m++) {
        GOOD(OPS(m)->pred(m->backend, m->plane[SPARE], side, m->plane[only], false));
        if (extra != NONE)
            GOOD(OPS(m)->combine(m->backend, m->plane[SPARE], PLANE_OR, m->plane[extra]));
        GOOD(OPS(m)->combine(m->backend, m->plane[DISTANCE_B], PLANE_COPY_NOT, m->plane[SPARE]));
        GOOD(OPS(m)->combine(m->backend, m->plane[CLOSED], PLANE_OR, m->plane[DISTANCE_B]));
    }
    assert_equal_planes(bench, CLOSED, "closed");
}

// Writes a plane in which all entries except one in 2^thin are won.
static void set_won(struct bench *bench, int plane, uint64_t seed, int thin)
{
    randomise(&bench->layout, bench->bits, seed, 0);
    randomise(&bench->layout, bench->more, seed + 1, thin);
    for (size_t w = 0; w < bench->words; w++)
        bench->bits[w] &= ~bench->more[w];
    write_plane(bench, plane, bench->bits);
}

// Plies of an iteration on random planes, as the solver runs them. `thin` sets how sparse they are.
static void check_plies(struct bench *bench, int attacker, int thin, uint64_t seed)
{
    const struct plan first = {LOST_NEW, WON, WON_NEW, NONE, EXTRA, 2};
    const struct plan lose = {WON, CLOSED, LOST_NEW, NONE, NONE, 1};
    const struct plan lose_narrowly = {WON, CLOSED, LOST_NEW, WON_NEW, NONE, 1};
    const struct plan win = {LOST_NEW, WON, WON_NEW, NONE, NONE, 0};
    set_won(bench, WON, seed, thin);
    set_won(bench, CLOSED, seed, thin);
    close_padding(bench);
    set_random(bench, EXTRA, bench->bits, seed + 2, thin + 1);
    set_random(bench, LOST_NEW, bench->bits, seed + 3, thin + 3);
    check_step(bench, attacker, false, &first);
    check_step(bench, 1 - attacker, true, &lose);
    check_step(bench, attacker, false, &win);
    close_others(bench, 1 - attacker, WON_NEW, NONE);
    check_step(bench, 1 - attacker, true, &lose_narrowly);
    check_step(bench, attacker, false, &win);
}

// A chain of steps out of a handful of entries with most of the table open, both sides in turn: each finds the
// neighbours of a few tiles. It begins with a step without moves, which leaves a plane with few active tiles. Then a
// losing step that only the last neighbours can reach.
static void check_sparse_steps(struct bench *bench, int side, uint64_t seed)
{
    static const int chain[] = {LOST_NEW, WON_NEW, EXTRA, LOST_NEW};
    const struct layout *layout = &bench->layout;
    const bool blank = layout->type[0] == BLANK;
    const uint64_t entries = layout->slices > 0 ? layout->slices_used * layout_slab_bits(layout) : layout_bits(layout);
    const struct plan seeds = {WON_NEW, WON, LOST_NEW, NONE, EXTRA, 1};
    const struct plan lose = {WON, CLOSED, LOST_NEW, WON_NEW, NONE, 0};
    int thin = 0;
    while (entries >> (thin + 5) > 0) // some 32 entries
        thin++;
    set_random(bench, EXTRA, bench->bits, seed + 2, thin);
    for (struct machine *m = bench->machine; m < machines_end(bench); m++) {
        GOOD(OPS(m)->fill(m->backend, m->plane[WON_NEW], false));
        GOOD(OPS(m)->fill(m->backend, m->plane[WON], false));
    }
    assert_true(check_step(bench, side, false, &seeds) > 0 || blank);
    set_random(bench, WON, bench->bits, seed, 2);
    set_random(bench, CLOSED, bench->bits, seed + 1, 2);
    for (int ply = 0; ply < 3; ply++) {
        const struct plan step = {chain[ply], ply & 1 ? CLOSED : WON, chain[ply + 1], NONE, NONE, 1};
        assert_true(check_step(bench, ply & 1 ? 1 - side : side, false, &step) > 0 || blank);
    }
    set_won(bench, WON, seed + 3, 8);
    close_padding(bench);
    close_others(bench, side, WON_NEW, NONE);
    assert_true(check_step(bench, side, true, &lose) > 0 || blank);
    // And a losing step that also takes entries without such a move.
    const struct plan lose_extra = {WON, CLOSED, LOST_NEW, WON_NEW, EXTRA, 1};
    set_random(bench, CLOSED, bench->bits, seed + 4, 2);
    set_random(bench, EXTRA, bench->bits, seed + 5, thin);
    close_padding(bench);
    close_others(bench, side, WON_NEW, EXTRA);
    assert_true(check_step(bench, side, true, &lose_extra) > 0 || blank);
}

// Steps that can find nothing leave an empty fresh plane behind, whatever it held before.
static void check_idle_steps(struct bench *bench)
{
    const struct plan win = {LOST_NEW, WON, WON_NEW, NONE, NONE, 1};
    const struct plan lose = {WON, CLOSED, EXTRA, LOST_NEW, NONE, 1};
    set_random(bench, WON_NEW, bench->bits, 70, 2);
    for (struct machine *m = bench->machine; m < machines_end(bench); m++)
        GOOD(OPS(m)->fill(m->backend, m->plane[LOST_NEW], false));
    assert_int_equal(check_step(bench, WHITE, false, &win), 0);
    set_random(bench, EXTRA, bench->bits, 71, 2);
    close_others(bench, BLACK, LOST_NEW, NONE);
    assert_int_equal(check_step(bench, BLACK, true, &lose), 0);
}

// Tiles in which a step has found nothing open are open again when their bits have changed.
static void check_reopened(struct bench *bench, int side)
{
    const struct plan win = {LOST_NEW, WON, WON_NEW, NONE, NONE, 1};
    const struct plan lose = {WON, CLOSED, EXTRA, NONE, NONE, 1};
    set_random(bench, LOST_NEW, bench->bits, 100, 1);
    for (struct machine *m = bench->machine; m < machines_end(bench); m++)
        GOOD(OPS(m)->fill(m->backend, m->plane[WON], true));
    assert_int_equal(check_step(bench, side, false, &win), 0);
    for (struct machine *m = bench->machine; m < machines_end(bench); m++)
        GOOD(OPS(m)->attacks(m->backend, m->plane[WON], side));
    assert_true(check_step(bench, side, false, &win) > 0 || bench->layout.type[0] == BLANK);
    set_random(bench, CLOSED, bench->bits, 101, 2);
    close_padding(bench);
    check_step(bench, 1 - side, true, &lose);
    set_random(bench, SPARE, bench->bits, 102, 2);
    for (struct machine *m = bench->machine; m < machines_end(bench); m++) {
        GOOD(OPS(m)->fill(m->backend, m->plane[WON], true));
        GOOD(OPS(m)->combine(m->backend, m->plane[WON], PLANE_AND_NOT, m->plane[SPARE]));
    }
    check_step(bench, side, false, &win);
    check_step(bench, 1 - side, true, &lose);
}

static void check(struct bench *bench)
{
    const bool slices = bench->layout.slices > 0;
    if (bench->tested->large) {
        check_plies(bench, WHITE, 18, 60);
    } else {
        check_plies(bench, WHITE, 6, 30);
        check_plies(bench, BLACK, slices ? 6 : 14, 40);
    }
    check_sparse_steps(bench, WHITE, 80);
    if (!bench->tested->large)
        check_sparse_steps(bench, BLACK, 90);
    if (slices) {
        read_plane(&bench->machine[0], LOST_NEW, bench->bits);
        clear_padding(&bench->layout, bench->bits);
        check_import_slabs(bench, LOST_NEW, make_imports(bench, 9), "imports into what a step has found");
    }
    if (bench->tested->large)
        return;
    check_idle_steps(bench);
    check_reopened(bench, WHITE);
    check_reopened(bench, BLACK);
}

int main(void)
{
    return backends_run(check);
}
