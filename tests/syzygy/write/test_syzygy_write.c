// test_syzygy_write.c - whole exports of an endgame with made-up values, also with distances that need 16 bits
//
// No endgame within reach has such distances, so values are stretched here, and two readers of the files, one of which
// knows only the format, must give all of them back.
#include "support/support.h"
#include "syzygy/support_syzygy.h"
#include "syzygy/support_whole_file.h"
#include "table/support_made_up.h"

#include "chess/position.h"
#include "syzygy/file.h"
#include "syzygy/write/write.h"
#include "table/block_cache.h"
#include "table/write/content.h"

enum { STRETCH = 6, CURSED = PLY_LIMIT + 1 };

static const char pieces[] = "Kk";

struct files {
    struct made_up made;
    bool stretched;
    struct syzygy_target target;
    struct syzygy_file *reader[2]; // outcomes, distances
    struct whole_file whole[2];
    struct block_cache *cache;
    uint64_t distances; // compared
    int longest;
};

static int stretch(const struct files *files, int ply)
{
    return files->stretched && ply > CURSED ? CURSED + (ply - CURSED) * STRETCH : ply;
}

static void make(struct files *files, const struct codes *codes, bool stretched)
{
    struct made_up *made = &files->made;
    make_up(made, "KPvK", pieces, codes);
    files->stretched = stretched;
    for (int won = 0; won < 2; won++) {
        for (int code = 0; code < DISTANCE_CODES; code++) {
            const int ply = solver_value_ply(made->value[won][code]);
            if (made->value[won][code] != 0)
                made->value[won][code] = value_code(won, stretch(files, ply));
        }
    }
    for (int side = WHITE; side <= BLACK; side++) {
        for (int outcome = 0; outcome < 5; outcome++)
            made->longest[side][outcome] = stretch(files, made->longest[side][outcome]);
    }
    snprintf(files->target.wdl, sizeof files->target.wdl, "%s", tmp_path("KPvK.rtbw"));
    snprintf(files->target.dtz, sizeof files->target.dtz, "%s", tmp_path("KPvK.rtbz"));
}

static int export(struct files *files)
{
    const struct content content = slices_content(&files->made.source);
    return syzygy_write(&content, &files->target, test_pool);
}

// ---- reading ----

static uint64_t values_of(const struct whole_file *file, const struct sub_table *sub, int leading_file)
{
    struct syzygy_shape shape;
    const int order2 = sub->order[1] >= 0 ? sub->order[1] : SYZYGY_NO_GROUP;
    return syzygy_shape_init(&shape, sub->man, file->men, leading_file, sub->order[0], order2) == 0 ? shape.values : 0;
}

static void open_files(struct files *files)
{
    const char *path[2] = {files->target.wdl, files->target.dtz};
    GOOD(block_cache_open(&files->cache, 1 << 20));
    for (int kind = SYZYGY_OUTCOMES; kind <= SYZYGY_DISTANCES; kind++) {
        GOOD(syzygy_open(&files->reader[kind], path[kind], (enum syzygy_kind)kind, &files->made.source.material,
                         files->cache));
        const char *fault = whole_file_read(&files->whole[kind], path[kind], values_of);
        if (fault != NULL)
            fail_msg("%s: %s", path[kind], fault);
    }
}

static void close_files(struct files *files)
{
    for (int kind = 0; kind < 2; kind++) {
        syzygy_close(files->reader[kind]);
        whole_file_free(&files->whole[kind]);
    }
    block_cache_close(files->cache);
    forget(&files->made);
}

// The truth of a placement whose squares are those of `shape`.
static struct truth find_truth(const struct files *files, const struct syzygy_shape *shape, const uint8_t *square,
                               int side)
{
    const struct made_up *made = &files->made;
    uint8_t turned[LAYOUT_PIECES_MAX] = {0};
    bool mirror;
    bool both;
    const uint32_t slice = pawn_slices_find(made->slices, square, &mirror, &both); // the pawn is the first in a list
    for (int i = 0; i < made->shape.pieces; i++) {
        for (int k = 1; k < shape->men; k++) {
            if (shape->list[k] == syzygy_man(made->shape.colour[i], made->shape.type[i]))
                turned[i] = mirror ? square[k] ^ 7 : square[k];
        }
    }
    return truth_of(made, slice, both, side, turned);
}

static void check_distance(struct files *files, const struct sub_table *sub, int leaf, const struct position *p,
                           struct truth truth)
{
    const int ply = stretch(files, truth.ply);
    const int list = truth.outcome == CLTB_WIN          ? 0
                     : truth.outcome == CLTB_LOSS       ? 1
                     : truth.outcome == CLTB_CURSED_WIN ? 2
                                                        : 3;
    const bool plies = (sub->flags & (truth.outcome > 0 ? DTZ_WIN_PLIES : DTZ_LOSS_PLIES)) != 0;
    int stored = leaf;
    if (sub->flags & DTZ_MAPPED) {
        assert_true(leaf < sub->map_count[list]);
        stored = sub->map[list][leaf];
    }
    const int exact = ply >= CURSED ? (ply - CURSED) / 2 : plies ? ply - 1 : (ply - 1) / 2;
    if (stored != exact)
        fail_msg("%d plies are stored as %d", ply, stored);
    int read;
    bool rounded;
    GOOD(syzygy_distance(files->reader[SYZYGY_DISTANCES], p, truth.outcome, &read, &rounded));
    if (read != ply && (!rounded || read + 1 != ply))
        fail_msg("%d plies are read as %d", ply, read);
    files->longest = ply > files->longest ? ply : files->longest;
    files->distances++;
}

static void check_value(struct files *files, int kind, int file, int side, uint64_t index)
{
    const struct syzygy_shape *shape = syzygy_shape_of(files->reader[kind], file, side);
    const struct sub_table *sub = &files->whole[kind].sub[file][kind == SYZYGY_OUTCOMES ? side : 0];
    const int leaf = sub->value[index];
    uint8_t square[SYZYGY_MEN_MAX];
    struct man men[SYZYGY_MEN_MAX];
    struct position p;
    unsigned value;
    syzygy_placement(shape, index, square);
    for (int i = 0; i < shape->men; i++)
        men[i] = (struct man){.type = (uint8_t)syzygy_man_type(shape->list[i]),
                              .colour = (uint8_t)syzygy_man_colour(shape->list[i]),
                              .square = square[i]};
    GOOD(syzygy_value(files->reader[kind], file, side, index, &value));
    assert_int_equal(value, leaf);
    const struct truth truth = find_truth(files, shape, square, side);
    if (truth.outcome == ILLEGAL || position_set(&p, men, shape->men, side) != 0)
        return;
    // Where a capture decides, a win and its distance may be stored as anything, a draw as anything that is no better.
    const bool free = truth.resolved && truth.outcome > CLTB_DRAW;
    const bool draw = truth.resolved && truth.outcome == CLTB_DRAW;
    const bool brought = truth.outcome > 0 && (truth.ply == 1 || truth.ply == CURSED);
    if (kind == SYZYGY_OUTCOMES && !free && (draw ? leaf - 2 > CLTB_DRAW : leaf - 2 != truth.outcome))
        fail_msg("the outcome %d is stored as %d", truth.outcome, leaf - 2);
    if (kind == SYZYGY_DISTANCES && truth.outcome != CLTB_DRAW && !free && !brought)
        check_distance(files, sub, leaf, &p, truth);
}

static void check_files(struct files *files)
{
    for (int kind = SYZYGY_OUTCOMES; kind <= SYZYGY_DISTANCES; kind++) {
        for (int file = 0; file < SYZYGY_FILES; file++) {
            for (int side = WHITE; side <= BLACK; side++) {
                const struct syzygy_shape *shape = syzygy_shape_of(files->reader[kind], file, side);
                for (uint64_t index = 0; shape != NULL && index < shape->values; index++)
                    check_value(files, kind, file, side, index);
            }
        }
    }
    assert_true(files->distances > 10000);
}

// ---- tests ----

static void test_files(const struct codes *codes, bool stretched, bool exact, int longest, bool wide)
{
    struct files files = {.target.exact = exact};
    make(&files, codes, stretched);
    GOOD(export(&files));
    open_files(&files);
    check_files(&files);
    assert_int_equal(files.longest, longest);
    for (int file = 0; file < SYZYGY_FILES; file++) {
        const unsigned flags = files.whole[SYZYGY_DISTANCES].sub[file][0].flags;
        assert_true(flags & DTZ_MAPPED);
        assert_int_equal((flags & DTZ_WIDE_MAP) != 0, wide);
        if (exact)
            assert_int_equal(flags & (DTZ_WIN_PLIES | DTZ_LOSS_PLIES), DTZ_WIN_PLIES | DTZ_LOSS_PLIES);
    }
    close_files(&files);
}

static void test_short(void **state)
{
    test_files(&few_codes, false, true, 100, false);
    if (!sanitized())
        test_files(&few_codes, false, false, 100, false);
}

static void test_cursed(void **state)
{
    test_files(&many_codes, false, false, 200, false);
}

// More than 255 moves behind the limit.
static void test_wide(void **state)
{
    if (!sanitized())
        test_files(&many_codes, true, false, CURSED + 99 * STRETCH, true);
    test_files(&many_codes, true, true, CURSED + 99 * STRETCH, true);
}

static void test_too_many(void **state)
{
    struct files files = {.target.exact = false};
    make(&files, &far_codes, false);
    FAILS(export(&files), CLTB_E_USAGE, "more than 252 different distances of one kind");
    FILE *file = fopen(files.target.wdl, "r");
    assert_null(file);
    forget(&files.made);
}

// With the least memory the files are the same.
static void test_lean(void **state)
{
    struct files files = {.target.exact = false};
    struct bytes before[2];
    make(&files, &many_codes, true);
    GOOD(export(&files));
    for (int kind = 0; kind < 2; kind++)
        before[kind] = read_file(kind == 0 ? files.target.wdl : files.target.dtz);
    files.target.memory = 1;
    GOOD(export(&files));
    for (int kind = 0; kind < 2; kind++) {
        const struct bytes after = read_file(kind == 0 ? files.target.wdl : files.target.dtz);
        assert_int_equal(before[kind].size, after.size);
        assert_memory_equal(before[kind].data, after.data, after.size);
        free(before[kind].data);
        free(after.data);
    }
    forget(&files.made);
    // Five men take 1 GB with 600 MB for planes; six men can be done in 12 GB.
    static const char *const five[] = {"KQRvKR", "KQQQvK", "KRPvKP", "KPPPvK", "KQvKRP"};
    for (size_t i = 0; i < sizeof five / sizeof five[0]; i++) {
        const struct material material = material_named(five[i]);
        const struct memory_need need = syzygy_write_need(&material, 8);
        assert_true(need.least > 80000000 && need.least <= need.most && need.most < 650000000);
    }
    static const char *const six[] = {"KQRvKRB", "KQRBNvK", "KRNvKBP", "KRPvKBP"};
    for (size_t i = 0; i < sizeof six / sizeof six[0]; i++) {
        const struct material material = material_named(six[i]);
        const uint64_t least = syzygy_write_need(&material, 8).least;
        assert_true(least > 5000000000 && least < 11500000000);
    }
    const struct material eight = material_named("KQRRvKRRB");
    assert_true(syzygy_write_need(&eight, 8).least == UINT64_MAX && syzygy_write_need(&eight, 8).most == UINT64_MAX);
}

static int remove_files(void **state)
{
    remove(tmp_path("KPvK.rtbw"));
    remove(tmp_path("KPvK.rtbz"));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_short, remove_files), cmocka_unit_test_setup(test_cursed, remove_files),
        cmocka_unit_test_setup(test_wide, remove_files), cmocka_unit_test_setup(test_too_many, remove_files),
        cmocka_unit_test_setup(test_lean, remove_files)};
    return cmocka_run_group_tests(tests, pool_setup, pool_teardown);
}
