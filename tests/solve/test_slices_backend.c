// test_slices_backend.c - every operation of every backend on layouts of slices, against a plain reference
//
// All machines must have the same planes, bit for bit. Steps are in test_slices_backend_steps.c.
#include "solve/slices_reference.h"

// ---- operations ----

static void check_write_and_read(struct bench *bench)
{
    set_random(bench, 0, bench->bits, 1, 1);
    assert_equal_planes(bench, 0, "slabs of whole slices");
    assert_memory_equal(bench->result, bench->bits, bench->words * 8);
    for (int m = 0; m < bench->machines; m++)
        GOOD(OPS(&bench->machine[m])->fill(bench->machine[m].backend, bench->machine[m].plane[0], true));
    assert_equal_planes(bench, 0, "fill");
    memset(bench->bits, 0xff, bench->words * 8);
    clear_padding(&bench->layout, bench->bits);
    assert_memory_equal(bench->result, bench->bits, bench->words * 8);
}

static void assert_padding_full(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    for (int m = 0; m < bench->machines; m++) {
        read_plane(&bench->machine[m], 0, bench->more);
        for (uint64_t slice = layout->slices_used; slice < layout->slices; slice++) {
            for (uint64_t rest = 0; rest < layout->slice_stride; rest++) {
                for (size_t w = 0; w < run_words(layout); w++)
                    assert_true(bench->more[run_at(layout, slice, rest) + w] == UINT64_MAX);
            }
        }
    }
}

static void check_overlaps(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    for (uint64_t round = 0; round < 3; round++) {
        struct men_pairs pairs = {{0}};
        for (int p = layout->slice_digits; p < layout_men(layout); p++) {
            for (int q = layout->slice_digits; q < p; q++) {
                if (round > 0 && mix(round * 256 + (uint64_t)(16 * p + q)) & 1)
                    continue;
                pairs.with[p] |= (uint16_t)(1 << q);
                pairs.with[q] |= (uint16_t)(1 << p);
            }
        }
        set_random(bench, 0, bench->bits, 4, 3);
        for (int m = 0; m < bench->machines; m++)
            GOOD(OPS(&bench->machine[m])->overlaps(bench->machine[m].backend, bench->machine[m].plane[0], &pairs));
        assert_padding_full(bench);
        assert_equal_planes(bench, 0, "overlaps");
        for (uint64_t n = 0; n < samples(layout); n++) {
            const uint64_t index = sample(layout, n);
            assert_entry(bench, index, bit_at(bench->bits, index) || reference_overlap(layout, index, &pairs),
                         "overlaps");
        }
    }
}

static void check_attacks(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    set_random(bench, 0, bench->bits, 5, 1); // is overwritten
    for (int side = WHITE; side <= BLACK; side++) {
        for (int m = 0; m < bench->machines; m++)
            GOOD(OPS(&bench->machine[m])->attacks(bench->machine[m].backend, bench->machine[m].plane[0], side));
        assert_equal_planes(bench, 0, "attacks");
        for (uint64_t n = 0; n < samples(layout); n++) {
            const uint64_t index = sample(layout, n);
            assert_entry(bench, index, reference_attacks(layout, index, side),
                         side == WHITE ? "white attacks" : "black attacks");
        }
    }
}

static void check_pred(struct bench *bench, int thin, bool invert)
{
    static const char *const names[COLOURS][2] = {{"white pred", "white inverted pred"},
                                                  {"black pred", "black inverted pred"}};
    const struct layout *layout = &bench->layout;
    set_random(bench, 1, bench->bits, 6, thin);
    for (size_t w = 0; invert && w < bench->words; w++)
        bench->bits[w] = ~bench->bits[w];
    if (invert) {
        clear_padding(layout, bench->bits);
        write_plane(bench, 1, bench->bits);
    }
    for (int side = WHITE; side <= BLACK; side++) {
        for (int m = 0; m < bench->machines; m++) {
            struct machine *machine = &bench->machine[m];
            GOOD(OPS(machine)->pred(machine->backend, machine->plane[0], side, machine->plane[1], invert));
        }
        assert_equal_planes(bench, 0, names[side][invert]);
        for (uint64_t n = 0; n < samples(layout); n++) {
            const uint64_t index = sample(layout, n);
            assert_entry(bench, index, reference_pred(layout, index, side, bench->bits, invert), names[side][invert]);
        }
    }
}

// ---- slabs ----

static void check_imports(struct bench *bench, size_t count, const char *what)
{
    const struct layout *layout = &bench->layout;
    set_random(bench, 0, bench->bits, 7, 4);
    for (int m = 0; m < bench->machines; m++) {
        struct machine *machine = &bench->machine[m];
        GOOD(OPS(machine)->import_slabs(machine->backend, machine->plane[0], bench->imports, count));
    }
    assert_equal_planes(bench, 0, what);
    for (uint64_t n = 0; n < samples(layout); n++) {
        const uint64_t index = sample(layout, n);
        assert_entry(bench, index, bit_at(bench->bits, index) || any_import(bench, count, index), what);
    }
}

// Every kind by itself, for every man and the first and last slices; then lists of everything.
static void check_slabs(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    for (int man = -1; man < layout_men(layout); man++) {
        if (man >= 0 && (!layout_is_man(layout, man) || layout_type_of(layout, man) == KING))
            continue;
        const bool piece = man >= 0 && man < layout->pieces;
        for (int where = IMPORT_ALL; where <= IMPORT_AT; where++) {
            if ((where == IMPORT_ALL) != (man < 0) || (where == IMPORT_AT && !piece))
                continue;
            for (unsigned i = 0; i < 2; i++) {
                const struct slab_import import = {.slice = i == 0 ? 0 : layout->slices_used - 1,
                                                   .where = (enum import_where)where,
                                                   .man = man,
                                                   .at = square_code[27],
                                                   .empty = i == 0 ? square_code[35] : NO_SQUARE,
                                                   .invert = i == 1,
                                                   .bits = bench->slab[piece][i][(unsigned)where]};
                bench->imports[i] = import;
            }
            check_imports(bench, 2, "one kind of import");
        }
    }
    for (uint64_t round = 0; round < 3; round++)
        check_imports(bench, make_imports(bench, round), "a list of imports");
    check_imports(bench, 0, "no imports");
}

static void check_bad_slabs(struct bench *bench)
{
    struct machine *machine = &bench->machine[0];
    struct slab_import imports[2] = {{.where = IMPORT_ALL, .man = -1, .empty = NO_SQUARE}};
    imports[1] = imports[0];
    imports[0].slice = bench->layout.slices_used - 1;
    if (bench->layout.slices_used > 1)
        assert_int_equal(OPS(machine)->import_slabs(machine->backend, machine->plane[0], imports, 2), CLTB_E_USAGE);
    imports[0].slice++;
    assert_int_equal(OPS(machine)->import_slabs(machine->backend, machine->plane[0], imports, 1), CLTB_E_USAGE);
}

// ---- layouts ----

static void check_everything(const char *pieces, const char *fixed, uint64_t slices)
{
    struct bench *bench = malloc(sizeof *bench);
    assert_non_null(bench);
    bench_open(bench, pieces, fixed, slices);
    assert_true(bench->machines > 0);
    check_write_and_read(bench);
    check_overlaps(bench);
    check_attacks(bench);
    check_pred(bench, 4, false);
    check_pred(bench, 4, true);
    check_slabs(bench);
    check_bad_slabs(bench);
    bench_close(bench);
    free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {LAYOUT_TESTS};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
