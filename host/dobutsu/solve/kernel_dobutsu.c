// kernel_dobutsu.c - dobutsu's cells one after another
#include "dobutsu/solve/cpu_kernels.h"

#include <stddef.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(a)    #a
#define TEXT(a)     TEXT_(a)

static u64_t moves(const struct dobutsu_planes *planes, const struct dobutsu_round *round, u32_t first, u32_t count)
{
    (void)round;
    for (u32_t cell = first; cell < first + count; cell++) {
        if (planes->moves == NULL)
            planes->counts[cell] = (u8_t)dobutsu_cell_moves(planes->tables, cell, NULL);
        else
            dobutsu_cell_moves(planes->tables, cell, dobutsu_list(planes, cell));
    }
    return 0;
}

static u64_t classes(const struct dobutsu_planes *planes, const struct dobutsu_round *round, u32_t first, u32_t count)
{
    u64_t won = 0;
    (void)round;
    for (u32_t cell = first; cell < first + count; cell++)
        won += dobutsu_class_cell(planes, cell);
    return won;
}

// ---- rounds ----

enum { BATCH = 8 };

// Some cells, and those of their moves that lead to fresh cells. These moves are found for all cells first, without a
// branch for each move, so that the planes of the target cells are already being fetched when they are needed.
struct batch {
    u32_t cells;
    u32_t end; // entries of `list` in use
    u32_t cell[BATCH];
    u32_t count[BATCH];
    u32_t list[BATCH * D_MOVES];
};

static void batch_add(struct batch *batch, const struct dobutsu_planes *planes, u32_t odd, u32_t cell)
{
    const u32_t *list = dobutsu_list(planes, cell);
    const u32_t *fresh = planes->fresh + odd * D_FLAG_WORDS;
    const lanes_t *found = planes->found + odd * D_CELLS;
    const u32_t count = planes->counts[cell];
    u32_t *kept = batch->list + batch->end;
    u32_t n = 0;
    for (u32_t i = 0; i < count; i++) {
        kept[n] = list[i];
        n += dobutsu_is_fresh(fresh, MOVE_CELL(list[i]));
    }
    for (u32_t i = 0; i < n; i++)
        PREFETCH(&found[MOVE_CELL(kept[i])]);
    batch->cell[batch->cells] = cell;
    batch->count[batch->cells] = n;
    batch->cells += n != 0;
    batch->end += n;
}

static u64_t batch_round(struct batch *batch, const struct dobutsu_planes *planes, const struct dobutsu_round *round)
{
    const u32_t *list = batch->list;
    u64_t found = 0;
    for (u32_t i = 0; i < batch->cells; i++) {
        found +=
            dobutsu_round_cell(planes, (u32_t)round->ply, round->mark, batch->cell[i], list, batch->count[i], NULL);
        list += batch->count[i];
    }
    batch->cells = 0;
    batch->end = 0;
    return found;
}

static u64_t round_of(const struct dobutsu_planes *planes, const struct dobutsu_round *round, u32_t first, u32_t count)
{
    const u32_t odd = round->ply & 1;
    u8_t *marks = planes->marks + odd * D_CELLS;
    struct batch batch = {.cells = 0, .end = 0};
    u64_t found = 0;
    for (u32_t cell = first; cell < first + count; cell++) {
        if (!round->all) {
            const u8_t marked = marks[cell];
            marks[cell] = 0;
            if (!marked)
                continue;
        }
        if (!lanes_any(planes->open[cell]))
            continue;
        if (round->all && odd)
            found += dobutsu_round_cell(planes, (u32_t)round->ply, round->mark, cell, NULL, 0, NULL);
        else
            batch_add(&batch, planes, 1 - odd, cell);
        if (batch.cells == BATCH)
            found += batch_round(&batch, planes, round);
    }
    return found + batch_round(&batch, planes, round);
}

extern const struct dobutsu_kernels JOIN(dobutsu_kernels_, CLTB_ISA);
const struct dobutsu_kernels JOIN(dobutsu_kernels_, CLTB_ISA) = {TEXT(CLTB_ISA), moves, classes, round_of};
