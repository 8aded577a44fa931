// test_backend.c - every operation of every backend against a plain reference, and all backends against each other
//
// The reference is compared with a sample of the entries of the first machine. The other machines must then have the
// same planes, bit for bit. Steps are tested in test_backend_steps.c.
#include "solve/backend_bulk.h"
#include "support/backends.h"

// Two random ranges of plane 0 into each half in turn, while the other half is compared.
static void check_bulk(struct bench *bench, struct machine *m)
{
    const struct backend_bulk *bulk = m->backend->bulk;
    const struct layout *layout = &bench->layout;
    const size_t words = layout->tile_lanes / 64;
    uint64_t *half[2];
    uint64_t units = 1;
    struct plane_piece pieces[2][2] = {{{0}}};
    if (bulk == NULL)
        return;
    assert_int_equal(setenv("CLTB_READ_KIB", "1", 1), 0); // a unit may exceed this
    GOOD(bulk->halves(m->backend, 8 * words, &units, half));
    assert_int_equal(units, 1);
    units = 1000;
    GOOD(bulk->halves(m->backend, 64, &units, half));
    assert_int_equal(units, 16);
    unsetenv("CLTB_READ_KIB");
    units = 1;
    GOOD(bulk->halves(m->backend, 16 * words * layout->tiles, &units, half));
    for (uint64_t n = 0; n < 9; n++) {
        uint64_t *to = half[n & 1];
        for (uint64_t i = 0; i < 2; i++) {
            const uint64_t first = mix(2 * n + i) % layout->tiles;
            const uint64_t count = mix(2 * n + i + 100) % (layout->tiles - first) + 1;
            pieces[n & 1][i] = (struct plane_piece){m->plane[0], first, count, to};
            to += count * words;
        }
        GOOD(bulk->begin(m->backend, (int)(n & 1), pieces[n & 1], 2));
        GOOD(bulk->wait(m->backend, (int)(~n & 1)));
        for (int i = 0; n > 0 && i < 2; i++) {
            const struct plane_piece *piece = &pieces[~n & 1][i];
            assert_memory_equal(piece->to, bench->bits + piece->first * words, piece->count * words * 8);
        }
    }
    GOOD(bulk->wait(m->backend, 0));
}

static void check_fill_and_read(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    const uint64_t tile_words = layout->tile_lanes / 64;
    for (int bit = 1; bit >= 0; bit--) {
        for (struct machine *m = bench->machine; m < machines_end(bench); m++)
            GOOD(OPS(m)->fill(m->backend, m->plane[0], bit));
        assert_equal_planes(bench, 0, "fill");
        memset(bench->bits, bit ? 0xff : 0, bench->words * 8);
        clear_padding(layout, bench->bits);
        assert_memory_equal(bench->result, bench->bits, bench->words * 8);
    }
    set_random(bench, 0, bench->bits, 1, 1);
    assert_equal_planes(bench, 0, "write");
    assert_memory_equal(bench->result, bench->bits, bench->words * 8);
    for (uint64_t n = 0; n < 8; n++) {
        const uint64_t first = mix(n) % layout->tiles;
        const uint64_t count = mix(n + 100) % (layout->tiles - first) + 1;
        for (struct machine *m = bench->machine; m < machines_end(bench); m++) {
            GOOD(OPS(m)->read(m->backend, m->plane[0], first, count, bench->more));
            assert_memory_equal(bench->more, bench->bits + first * tile_words, count * tile_words * 8);
        }
    }
    for (struct machine *m = bench->machine; m < machines_end(bench); m++)
        check_bulk(bench, m);
}

// from = plane 1, random or empty.
static void check_combine(struct bench *bench, bool empty)
{
    for (enum plane_operation operation = PLANE_COPY; operation <= PLANE_COPY_NOT; operation++) {
        set_random(bench, 1, bench->more, 2, 1);
        set_random(bench, 0, bench->bits, 3, 1);
        for (size_t w = 0; w < bench->words; w++) {
            const uint64_t to = bench->bits[w];
            const uint64_t from = empty ? 0 : bench->more[w];
            // In the order of enum plane_operation.
            const uint64_t results[] = {from, to | from, to & from, to & ~from, ~from};
            bench->bits[w] = results[operation];
        }
        for (struct machine *m = bench->machine; m < machines_end(bench); m++) {
            if (empty)
                GOOD(OPS(m)->fill(m->backend, m->plane[1], false));
            GOOD(OPS(m)->combine(m->backend, m->plane[0], operation, m->plane[1]));
        }
        assert_equal_planes(bench, 0, "combine");
        clear_padding(&bench->layout, bench->bits);
        assert_memory_equal(bench->result, bench->bits, bench->words * 8);
    }
}

static void assert_padding_full(struct bench *bench)
{
    for (struct machine *m = bench->machine; bench->layout.slices > 0 && m < machines_end(bench); m++) {
        read_plane(m, 0, bench->more);
        for (size_t w = 0; w < bench->words; w++)
            bench->result[w] = bench->more[w] = ~bench->more[w];
        clear_padding(&bench->layout, bench->more); // leaves zeros alone
        assert_memory_equal(bench->more, bench->result, bench->words * 8);
    }
}

// All pairs (not of five men), then some; at last in an empty plane, where a tile that is lost is seen.
static void check_overlaps(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    for (uint64_t round = bench->tested->large; round < 3; round++) {
        struct men_pairs pairs = {{0}};
        for (int p = layout->slice_digits; p < layout_men(layout); p++) {
            for (int q = layout->slice_digits; q < p; q++) {
                if (round > 0 && mix(round * 256 + (uint64_t)(16 * p + q)) & 1)
                    continue;
                pairs.with[p] |= 1U << q;
                pairs.with[q] |= 1U << p;
            }
        }
        set_random(bench, 0, bench->bits, 4, 3);
        if (round == 2)
            memset(bench->bits, 0, bench->words * sizeof *bench->bits);
        for (struct machine *m = bench->machine; m < machines_end(bench); m++) {
            if (round == 2) { // a copy has no flags of tiles
                GOOD(OPS(m)->fill(m->backend, m->plane[1], false));
                GOOD(OPS(m)->combine(m->backend, m->plane[0], PLANE_COPY, m->plane[1]));
            }
            GOOD(OPS(m)->overlaps(m->backend, m->plane[0], &pairs));
        }
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
        if (layout_type_of(layout, layout_king(layout, side ^ 1)) != KING)
            continue; // there is none
        for (struct machine *m = bench->machine; m < machines_end(bench); m++)
            GOOD(OPS(m)->attacks(m->backend, m->plane[0], side));
        assert_equal_planes(bench, 0, "attacks");
        for (uint64_t n = 0; n < samples(layout); n++) {
            const uint64_t index = sample(layout, n);
            assert_entry(bench, index, reference_attacks(layout, index, side),
                         side == WHITE ? "white attacks" : "black attacks");
        }
    }
}

// In a layout without slices pred() means nothing at overlap entries.
static void check_pred(struct bench *bench, uint64_t seed, int thin, bool invert)
{
    static const char *const names[COLOURS][2] = {{"white pred", "white inverted pred"},
                                                  {"black pred", "black inverted pred"}};
    const struct layout *layout = &bench->layout;
    struct men_pairs all;
    memset(&all, 0xff, sizeof all);
    set_random(bench, 1, bench->bits, seed, thin);
    for (int side = WHITE; side <= BLACK; side++) {
        for (struct machine *m = bench->machine; m < machines_end(bench); m++)
            GOOD(OPS(m)->pred(m->backend, m->plane[0], side, m->plane[1], invert));
        assert_equal_planes(bench, 0, names[side][invert]);
        for (uint64_t n = 0; n < samples(layout); n++) {
            const uint64_t index = sample(layout, n);
            if (layout->slices > 0 || !reference_overlap(layout, index, &all))
                assert_entry(bench, index, reference_pred(layout, index, side, bench->bits, invert),
                             names[side][invert]);
        }
    }
}

static bool reference_import(const struct layout *layout, uint64_t index, const struct import *import)
{
    const struct board board = board_of(layout, index);
    uint8_t squares[LAYOUT_PIECES_MAX] = {0};
    int at = import->sub->pieces - (layout->pieces - 1); // a blank comes first
    if (!shares_with_enemy(&board, import->captured))
        return false;
    for (int i = 0; i < layout->pieces; i++) {
        if (i != import->captured)
            squares[at++] = board.square[i];
    }
    if (layout->kings)
        squares[import->sub->white_king] = board.square[layout->white_king];
    const uint64_t sub = layout_index(import->sub, board.square[layout->black_king], squares);
    return (import->bits != NULL && bit_at(import->bits, sub)) != import->invert;
}

static void check_import_of(struct bench *bench, int captured, const uint64_t *bits, const struct layout *sub,
                            bool invert)
{
    const struct layout *layout = &bench->layout;
    const struct import import = {.captured = captured, .sub = sub, .bits = bits, .invert = invert};
    write_plane(bench, 0, bench->bits);
    for (struct machine *m = bench->machine; m < machines_end(bench); m++)
        GOOD(OPS(m)->import(m->backend, m->plane[0], &import));
    assert_equal_planes(bench, 0, "import");
    for (uint64_t n = 0; n < samples(layout); n++) {
        const uint64_t index = sample(layout, n);
        assert_entry(bench, index, bit_at(bench->bits, index) || reference_import(layout, index, &import), "import");
    }
}

static void check_imports(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    randomise(layout, bench->bits, 5, 4);
    for (int captured = 0; captured < layout->pieces; captured++) {
        if (layout->type[captured] == KING || !layout_is_man(layout, captured))
            continue;
        const struct layout sub = layout_without(layout, captured);
        uint64_t *bits = host_words(layout_bits(&sub) / 64);
        randomise(&sub, bits, 6 + (uint64_t)captured, 1);
        check_import_of(bench, captured, bits, &sub, captured % 2 != 0);
        free(bits);
        if (bench->tested->large)
            continue;
        check_import_of(bench, captured, NULL, &sub, true);
        check_import_of(bench, captured, NULL, &sub, false);
    }
}

static void check_random_slabs(struct bench *bench, size_t count, const char *what)
{
    set_random(bench, 0, bench->bits, 7, 4);
    check_import_slabs(bench, 0, count, what);
}

// A whole plane as one slab for each slice.
static void check_whole_slices(struct bench *bench)
{
    const struct layout *layout = &bench->layout;
    const size_t run = run_words(layout);
    const uint64_t slab_words = layout_slab_bits(layout) / 64;
    uint64_t *slabs = host_words(layout->slices_used * slab_words);
    randomise(layout, bench->bits, 8, 1);
    for (uint64_t slice = 0; slice < layout->slices_used; slice++) {
        uint64_t *slab = slabs + slice * slab_words;
        for (uint64_t rest = 0; rest < layout->slice_stride; rest++)
            memcpy(slab + rest * run, bench->bits + run_at(layout, slice, rest), run * 8);
        bench->imports[slice] = (struct slab_import){.slice = slice, .where = IMPORT_ALL, .man = -1, .bits = slab};
    }
    for (struct machine *m = bench->machine; m < machines_end(bench); m++) {
        GOOD(OPS(m)->fill(m->backend, m->plane[0], false));
        GOOD(OPS(m)->import_slabs(m->backend, m->plane[0], bench->imports, layout->slices_used));
    }
    assert_equal_planes(bench, 0, "slabs of whole slices");
    assert_memory_equal(bench->result, bench->bits, bench->words * 8);
    free(slabs);
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
            for (unsigned i = 0; i < 2; i++)
                bench->imports[i] = (struct slab_import){.slice = i == 0 ? 0 : layout->slices_used - 1,
                                                         .where = (enum import_where)where,
                                                         .man = man,
                                                         .at = square_code[27],
                                                         .empty = i == 0 ? UINT64_C(1) << square_code[35] : 0,
                                                         .invert = i == 1,
                                                         .bits = bench->slab[piece][i][(unsigned)where]};
            check_random_slabs(bench, 2, "one kind of import");
        }
    }
    for (uint64_t round = 0; round < 2; round++)
        check_random_slabs(bench, make_imports(bench, round), "a list of imports");
    check_random_slabs(bench, 0, "no imports");
}

// Lists of lines: every other tile is a part or, if a line has several tiles, every other line. A third of the words of
// a part are not in its list.
static void check_enter(struct bench *bench, bool clear)
{
    const struct layout *layout = &bench->layout;
    const size_t tile_words = layout->tile_lanes / 64;
    const size_t part_words = tile_words > LINE_WORDS ? tile_words : LINE_WORDS;
    const size_t part_lines = part_words / LINE_WORDS;
    const size_t most = bench->words / part_words;
    uint64_t *random = host_words(bench->words);
    uint64_t *masks = host_words(bench->words);
    uint16_t *numbers = malloc(part_lines * sizeof *numbers);
    uint8_t *words = calloc(bench->words / LINE_WORDS + 1, sizeof *words);
    struct plane_lines *parts = calloc(most + 1, sizeof *parts);
    uint64_t *mask = masks;
    size_t count = 0;
    assert_non_null(numbers);
    assert_non_null(words);
    assert_non_null(parts);
    set_random(bench, 0, bench->bits, 9, 4);
    randomise(layout, random, 10, 2);
    for (size_t i = 0; i < part_lines; i++)
        numbers[i] = (uint16_t)i;
    for (size_t w = 0; clear && w < bench->words; w++)
        bench->bits[w] = 0;
    for (size_t part = 0; part < most; part += 2) {
        const size_t first = part * part_words;
        parts[count++] = (struct plane_lines){first, {numbers, words + first / LINE_WORDS, mask}, part_lines};
        for (size_t w = first; w < first + part_words; w++) {
            if (w % 3 == 1)
                continue;
            words[w / LINE_WORDS] |= (uint8_t)(1 << w % LINE_WORDS);
            bench->bits[w] |= random[w];
            *mask++ = random[w];
        }
    }
    for (struct machine *m = bench->machine; m < machines_end(bench); m++)
        GOOD(OPS(m)->enter(m->backend, m->plane[0], parts, count, clear));
    assert_equal_planes(bench, 0, "lists of lines");
    clear_padding(layout, bench->bits);
    assert_memory_equal(bench->result, bench->bits, bench->words * 8);
    free(parts);
    free(words);
    free(numbers);
    free(masks);
    free(random);
}

// Words are picked from six planes: White's bits 0, 8, `won` and the last one, and Black's bit 3 and `won`.
enum { PICK_SIDE = 4, PICKED_PLANES = 6 };
static const int pick_bit[PICKED_PLANES] = {0, 8, 10, 11, 3, 10};

struct picking {
    const struct bench *bench;
    const uint64_t *plane[PICKED_PLANES];
    uint8_t *wanted; // [words]
    size_t count;
    size_t calls;
};

// The words are those of the planes, and wanted; none comes twice.
static int take_picked(void *context, const struct picked_words *words)
{
    struct picking *picking = context;
    size_t added = 0;
    assert_int_equal(words->count % PICK_UNIT, 0);
    for (uint64_t i = 0; i < words->count; i++) {
        const uint64_t w = words->first + words->number[i];
        uint64_t all = 0;
        for (int p = 0; p < PICKED_PLANES; p++)
            all |= words->plane[p / PICK_SIDE][pick_bit[p]][i];
        added = all == 0 && words->number[i] == words->number[0] && i > 0 ? added + 1 : 0;
        if (added > 0)
            continue;
        assert_true(w < picking->bench->words);
        assert_int_equal(picking->wanted[w], 1);
        picking->wanted[w] = 0;
        picking->count++;
        for (int p = 0; p < PICKED_PLANES; p++)
            assert_int_equal(words->plane[p / PICK_SIDE][pick_bit[p]][i], picking->plane[p][w]);
    }
    assert_true(added < PICK_UNIT);
    assert_null(words->plane[WHITE][1]);
    assert_null(words->plane[BLACK][0]);
    picking->calls++;
    return 0;
}

static size_t find_wanted(struct picking *picking, const uint8_t *classes)
{
    size_t count = 0;
    memset(picking->wanted, 0, picking->bench->words);
    for (uint64_t entry = 0; entry < 64 * picking->bench->words; entry++) {
        size_t code[COLOURS] = {0, BACKEND_CODES / 2};
        for (int p = 0; p < PICKED_PLANES; p++) {
            if (p != PICK_SIDE - 1)
                code[p / PICK_SIDE] |= (size_t)bit_at(picking->plane[p], entry) << pick_bit[p];
        }
        if (classes[code[WHITE]] & classes[code[BLACK]])
            picking->wanted[entry / 64] = 1;
    }
    for (size_t w = 0; w < picking->bench->words; w++)
        count += picking->wanted[w];
    return count;
}

// Of thin planes a few words are picked, of others so many that they do not fit into a list at once; in the last round
// also words of zeros.
static void check_pick(struct bench *bench)
{
    struct picking picking = {.bench = bench, .wanted = malloc(bench->words)};
    uint64_t *plane[PICKED_PLANES];
    uint8_t classes[BACKEND_CODES];
    assert_non_null(picking.wanted);
    assert_int_equal(setenv("CLTB_READ_KIB", "4", 1), 0);
    for (uint64_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof classes; i++)
            classes[i] = (uint8_t)(1U << mix(i + round) % 8);
        classes[0] = round == 2 ? 3 : 4;
        classes[BACKEND_CODES / 2] = round == 2 ? 2 : 8;
        for (int p = 0; p < PICKED_PLANES; p++) {
            plane[p] = host_words(bench->words);
            set_random(bench, p, plane[p], 30 + (uint64_t)p, round == 1 ? 1 : 9);
            picking.plane[p] = plane[p];
        }
        for (struct machine *m = bench->machine; m < machines_end(bench); m++) {
            struct pick_request request = {.classes = classes, .take = take_picked, .context = &picking};
            bool made = false;
            if (m->backend->bulk == NULL)
                continue;
            const size_t count = find_wanted(&picking, classes);
            for (int p = 0; p < PICKED_PLANES; p++)
                request.plane[p / PICK_SIDE][pick_bit[p]] = m->plane[p];
            picking.count = picking.calls = 0;
            GOOD(m->backend->bulk->pick(m->backend, &request, &made));
            assert_true(made);
            assert_int_equal(picking.count, count);
            assert_true(round == 0 || picking.calls > 1);
        }
        for (int p = 0; p < PICKED_PLANES; p++)
            free(plane[p]);
    }
    unsetenv("CLTB_READ_KIB");
    free(picking.wanted);
}

static void check_bad_slabs(struct bench *bench)
{
    const struct machine *m = &bench->machine[0];
    struct slab_import imports[2] = {{.where = IMPORT_ALL, .man = -1}};
    imports[1] = imports[0];
    imports[0].slice = bench->layout.slices_used - 1;
    if (bench->layout.slices_used > 1)
        assert_int_equal(OPS(m)->import_slabs(m->backend, m->plane[0], imports, 2), CLTB_E_USAGE);
    imports[0].slice++;
    assert_int_equal(OPS(m)->import_slabs(m->backend, m->plane[0], imports, 1), CLTB_E_USAGE);
}

static void check(struct bench *bench)
{
    if (!bench->tested->large) {
        check_fill_and_read(bench);
        check_combine(bench, false);
        check_combine(bench, true);
    }
    check_overlaps(bench);
    check_attacks(bench);
    if (bench->words < 1 << 16)
        check_pick(bench);
    if (bench->layout.slices > 0) {
        check_pred(bench, 6, 4, false);
        check_pred(bench, 6, 4, true);
        check_whole_slices(bench);
        check_slabs(bench);
        check_bad_slabs(bench);
        check_enter(bench, false);
        check_enter(bench, true);
        return;
    }
    check_pred(bench, 20, 5, false);
    if (!bench->tested->large)
        check_pred(bench, 21, 12, false);
    check_pred(bench, 22, 1, true);
    check_imports(bench);
}

int main(void)
{
    assert_int_equal(setenv("CLTB_OPENCL", "symbols", 1), 0); // words are picked even if the device is a processor
    return backends_run(check);
}
