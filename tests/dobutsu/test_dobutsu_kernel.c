// test_dobutsu_kernel.c - dobutsu's cells (kernels/dobutsu/dobutsu.h) against the rules, move by move
#include "support/support.h"

#include "dobutsu/cells.h"
#include "dobutsu/solve/solve.h"

static const struct dobutsu_tables *tables;
static lanes_t plane[D_CELLS]; // at random

static bool bit(lanes_t lanes, uint32_t lane)
{
    return lanes[lane / 64] >> lane % 64 & 1;
}

static uint32_t code_of(uint32_t cell, uint32_t lane)
{
    return (tables->triple[cell / D_LIONS] * D_LIONS + cell % D_LIONS) * D_CODES + lane;
}

static uint32_t cell_of(uint32_t code)
{
    const uint32_t triple = code / D_CODES / D_LIONS;
    assert_int_equal(tables->triple[tables->number[triple]], triple);
    return tables->number[triple] * D_LIONS + code / D_CODES % D_LIONS;
}

// By the rules: of a code, whose men must not share a square, and its mirror image the one in the kept cell.
static uint32_t kept_code(uint32_t code)
{
    struct dobutsu p;
    uint32_t image;
    dobutsu_decode(code, &p);
    dobutsu_mirror(&p);
    assert_true(dobutsu_encode(&p, &image));
    return cell_of(image) < cell_of(code) ? image : code;
}

static uint32_t kept(uint32_t cell)
{
    return cell_of(kept_code(code_of(cell, 0)));
}

// The two codes of a pair in hand that belongs to both sides have one value.
static void put(uint32_t cell, lanes_t x)
{
    u8_t square[6];
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    if (square[0] == D_HAND)
        x = (x & ~UINT64_C(0x4444444444444444)) | (x & UINT64_C(0x2222222222222222)) << 1;
    if (square[2] == D_HAND)
        x[2] = x[1];
    if (square[4] == D_HAND)
        x = (x & ~UINT64_C(0x0000ffff00000000)) | (x & UINT64_C(0x00000000ffff0000)) << 16;
    plane[cell] = x;
}

static int setup(void **state)
{
    tables = dobutsu_tables();
    for (uint32_t cell = 0; cell < D_CELLS; cell++)
        put(cell, (lanes_t){random_u64(), random_u64(), random_u64(), random_u64()});
    return 0;
}

// The lanes with a move to a set bit, by the rules; moves that win or have no code lead nowhere.
static bool rules_any(uint32_t code)
{
    struct dobutsu p;
    struct dobutsu after;
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    dobutsu_decode(code, &p);
    const int count = dobutsu_moves(&p, moves);
    for (int i = 0; i < count; i++) {
        uint32_t next;
        if (moves[i].wins)
            continue;
        dobutsu_make(&p, &moves[i], &after);
        if (!dobutsu_encode(&after, &next))
            continue;
        next = kept_code(next);
        if (bit(plane[cell_of(next)], next % D_CODES))
            return true;
    }
    return false;
}

// Some thousand cells, those of all lions and with hands of all sizes among them.
static uint32_t sample_cell(int i)
{
    if (i < 24 * 20)
        return (uint32_t)(i / 24 * (i % 2 + 1)) * D_LIONS + (uint32_t)i % D_LIONS;
    return (uint32_t)(random_u64() % D_CELLS);
}

enum { SAMPLE = 10000 };

static void test_classes(void **state)
{
    for (int i = 0; i < SAMPLE; i++) {
        const uint32_t cell = sample_cell(i);
        struct dobutsu_cell sets;
        dobutsu_cell(code_of(cell, 0) / D_CODES, &sets);
        for (uint32_t lane = 0; lane < D_CODES; lane++) {
            struct dobutsu p;
            const uint32_t code = code_of(cell, lane);
            dobutsu_decode(code, &p);
            const bool invalid = dobutsu_overlaps(&p) || dobutsu_rooster_in_hand(&p);
            const bool won = !invalid && (dobutsu_can_take_lion(&p) || dobutsu_can_ascend(&p));
            assert_int_equal(dobutsu_has(sets.invalid, lane), invalid);
            assert_int_equal(dobutsu_has(sets.won, lane), won);
            if (!invalid && !won)
                assert_int_equal(dobutsu_has(sets.kept, lane), dobutsu_kept_code(code) == code);
        }
    }
}

static void test_dead_cells(void **state)
{
    uint32_t dead = 0;
    for (uint32_t triple = 0; triple < D_TRIPLES; triple += 7) {
        struct dobutsu p;
        const uint32_t cell = triple * D_LIONS + triple % D_LIONS;
        dobutsu_decode(cell * D_CODES, &p);
        const bool live = tables->triple[tables->number[triple]] == triple;
        assert_int_equal(live, !dobutsu_overlaps(&p));
        dead += !live;
    }
    assert_true(dead > 10000);
}

// Every lane that is valid and not won at once, with random planes, sparse and dense.
static void check_moves(uint32_t cell, lanes_t open)
{
    u8_t square[6];
    u32_t list[D_MOVES];
    dobutsu_squares(tables, tables->triple[cell / D_LIONS], square);
    open &= ~(dobutsu_invalid(square) | dobutsu_won(&tables->frame[cell % D_LIONS], square));
    const u32_t count = dobutsu_cell_moves(tables, cell, list);
    const lanes_t any = dobutsu_lead(plane, NULL, tables, list, count, 0, open);
    for (uint32_t lane = 0; lane < D_CODES; lane++) {
        const bool expected = bit(open, lane) && rules_any(code_of(cell, lane));
        if (bit(any, lane) != expected)
            fail_msg("code %u: %d", code_of(cell, lane), !expected);
    }
}

static void test_moves(void **state)
{
    const lanes_t all = ~NO_LANES;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SAMPLE; i++) {
            check_moves(kept(sample_cell(i)), all);
            check_moves(kept(sample_cell(i)), (lanes_t){random_u64(), random_u64(), random_u64(), random_u64()});
        }
        for (uint32_t cell = 0; cell < D_CELLS; cell++) // one bit in 32: most lanes have no such move
            put(cell, (lanes_t){random_u64() & random_u64() & random_u64() & random_u64() & random_u64(), 0,
                                random_u64() & random_u64() & random_u64(),
                                random_u64() & random_u64() & random_u64() & random_u64()});
    }
}

// Lists are as long as announced and have only kept cells; no list is too long.
static void test_lists(void **state)
{
    uint64_t sum = 0;
    u32_t longest = 0;
    for (uint32_t cell = 0; cell < D_CELLS; cell++) {
        const u32_t count = dobutsu_cell_moves(tables, cell, NULL);
        sum += count;
        longest = count > longest ? count : longest;
    }
    assert_int_equal(sum, DOBUTSU_MOVES);
    assert_in_range(longest, 1, D_MOVES);
    for (int i = 0; i < SAMPLE; i++) {
        const uint32_t cell = sample_cell(i);
        u32_t list[D_MOVES];
        const u32_t count = dobutsu_cell_moves(tables, cell, list);
        assert_int_equal(count, dobutsu_cell_moves(tables, cell, NULL));
        assert_int_equal(count != 0, kept(cell) == cell);
        for (u32_t move = 1; move < count; move++)
            assert_true(MOVE_RUN(list[move - 1]) <= MOVE_RUN(list[move]));
    }
}

// Lists side by side: each as long as the longest.
static void test_places(void **state)
{
    static const uint8_t counts[D_CELLS] = {5, 0, 7, 1, 0, 0, 0, 0, 2};
    static uint32_t starts[D_CELLS];
    assert_int_equal(dobutsu_lists_place(counts, 1, starts), 15);
    assert_memory_equal(starts, ((uint32_t[]){0, 5, 5, 12, 13, 13, 13, 13, 13, 15}), 10 * sizeof *starts);
    assert_int_equal(dobutsu_lists_place(counts, 4, starts), 28 + 8);
    assert_memory_equal(starts, ((uint32_t[]){0, 28, 28, 36}), 4 * sizeof *starts);
}

// Only flagged cells count.
static void test_fresh(void **state)
{
    static u32_t fresh[D_FLAG_WORDS];
    static lanes_t flagged[D_CELLS];
    for (uint32_t cell = 0; cell < D_CELLS; cell++) {
        if (random_u64() % 3 == 0)
            SET_BIT(fresh, cell);
        flagged[cell] = dobutsu_is_fresh(fresh, cell) ? plane[cell] : NO_LANES;
    }
    for (int i = 0; i < SAMPLE; i++) {
        const uint32_t cell = sample_cell(i);
        u32_t list[D_MOVES];
        const u32_t count = dobutsu_cell_moves(tables, cell, list);
        const lanes_t filtered = dobutsu_lead(plane, fresh, tables, list, count, 0, ~NO_LANES);
        const lanes_t masked = dobutsu_lead(flagged, NULL, tables, list, count, 0, ~NO_LANES);
        assert_memory_equal(&filtered, &masked, sizeof filtered);
    }
}

// A cell to which a move leads marks the cell that the move starts from.
static void test_marks(void **state)
{
    static u8_t marks[D_CELLS];
    for (int i = 0; i < SAMPLE; i++) {
        const uint32_t cell = sample_cell(i);
        struct dobutsu p;
        struct dobutsu after;
        struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
        dobutsu_decode(code_of(cell, (uint32_t)(random_u64() % D_CODES)), &p);
        const int count = dobutsu_moves(&p, moves);
        for (int m = 0; m < count; m++) {
            uint32_t next;
            u8_t square[6];
            if (moves[m].captured == DOBUTSU_MAN_LION)
                continue;
            dobutsu_make(&p, &moves[m], &after);
            if (!dobutsu_encode(&after, &next))
                continue;
            dobutsu_squares(tables, next / D_CODES / D_LIONS, square);
            marks[cell] = 0;
            dobutsu_mark_before(marks, tables, &tables->frame[next / D_CODES % D_LIONS], square);
            assert_int_equal(marks[cell], 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes), cmocka_unit_test(test_dead_cells),
                                       cmocka_unit_test(test_moves),   cmocka_unit_test(test_lists),
                                       cmocka_unit_test(test_places),  cmocka_unit_test(test_fresh),
                                       cmocka_unit_test(test_marks)};
    return cmocka_run_group_tests_name("dobutsu kernel", tests, setup, NULL);
}
