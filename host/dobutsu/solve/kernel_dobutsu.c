// kernel_dobutsu.c - dobutsu's cells one after another
#include "dobutsu/solve/cpu_kernels.h"

#include <stddef.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(a)    #a
#define TEXT(a)     TEXT_(a)

static void moves(const struct dobutsu_planes *planes, const struct dobutsu_tables *tables, u32_t first, u32_t count)
{
    for (u32_t cell = first; cell < first + count; cell++) {
        if (planes->moves == NULL)
            planes->counts[cell] = (u8_t)dobutsu_cell_moves(tables, cell, NULL);
        else
            dobutsu_cell_moves(tables, cell, dobutsu_list(planes, cell));
    }
}

static u64_t classes(const struct dobutsu_planes *planes, const struct dobutsu_tables *tables, u32_t first, u32_t count)
{
    u64_t won = 0;
    for (u32_t cell = first; cell < first + count; cell++)
        won += dobutsu_class_cell(planes, tables, cell);
    return won;
}

// ---- rounds ----

enum { BATCH = 8 };

// Some cells, and those of their moves that lead to fresh cells. Found for all of them first, so that the planes are on the way when they are
// needed, and without a branch for each move.
struct batch {
    u32_t cells;
    u32_t end; // of list
    u32_t cell[BATCH];
    u32_t count[BATCH];
    u32_t list[BATCH * D_MOVES];
};

static void batch_add(struct batch *batch, const struct dobutsu_planes *planes, int from, u32_t cell)
{
    const u32_t *list = dobutsu_list(planes, cell);
    const u32_t *fresh = planes->fresh[from];
    const u32_t count = planes->counts[cell];
    u32_t *kept = batch->list + batch->end;
    u32_t n = 0;
    for (u32_t i = 0; i < count; i++) {
        kept[n] = list[i];
        n += dobutsu_is_fresh(fresh, MOVE_CELL(list[i]));
    }
    for (u32_t i = 0; i < n; i++)
        PREFETCH(&planes->found[from][MOVE_CELL(kept[i])]);
    batch->cell[batch->cells] = cell;
    batch->count[batch->cells] = n;
    batch->cells += n != 0;
    batch->end += n;
}

static u64_t batch_round(struct batch *batch, const struct dobutsu_planes *planes, const struct dobutsu_tables *tables,
                         u8_t *marks, u32_t ply)
{
    const u32_t *list = batch->list;
    u64_t found = 0;
    for (u32_t i = 0; i < batch->cells; i++) {
        found += dobutsu_round_cell(planes, tables, marks, ply, 0, batch->cell[i], list, batch->count[i], NULL);
        list += batch->count[i];
    }
    batch->cells = 0;
    batch->end = 0;
    return found;
}

static int visited(u8_t *visit, u32_t cell)
{
    if (visit == NULL)
        return 1;
    const int marked = visit[cell];
    visit[cell] = 0;
    return marked;
}

static u64_t round_of(const struct dobutsu_planes *planes, const struct dobutsu_tables *tables, u8_t *visit,
                      u8_t *marks, int ply, u32_t first, u32_t count)
{
    const int all = visit == NULL && ply % 2 != 0;
    struct batch batch = {.cells = 0, .end = 0};
    u64_t found = 0;
    for (u32_t cell = first; cell < first + count; cell++) {
        if (!visited(visit, cell) || !lanes_any(planes->open[cell]))
            continue;
        if (all)
            found += dobutsu_round_cell(planes, tables, marks, (u32_t)ply, 1, cell, NULL, 0, NULL);
        else
            batch_add(&batch, planes, ~ply & 1, cell);
        if (batch.cells == BATCH)
            found += batch_round(&batch, planes, tables, marks, (u32_t)ply);
    }
    return found + batch_round(&batch, planes, tables, marks, (u32_t)ply);
}

extern const struct dobutsu_kernels JOIN(dobutsu_kernels_, CLTB_ISA);
const struct dobutsu_kernels JOIN(dobutsu_kernels_, CLTB_ISA) = {TEXT(CLTB_ISA), moves, classes, round_of};
