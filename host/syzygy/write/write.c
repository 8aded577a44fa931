// write.c - a solved endgame as a pair of Syzygy files
//
// For each file of the leading pawn, and each side to move:
//
//     1. The values are made in the natural order (natural.h).
//     2. The order of the men is searched for the outcomes, they are brought into it (gather.h) and packed (pack.h).
//     3. The order is searched for the distances, too. A sub-table of distances has one side to move, that which takes
//        fewer bytes in the search, White's if they are equal. Black goes first: White's, the better ones in most
//        tables, are packed at once, Black's are rebuilt.
#include "syzygy/write/write.h"

#include "syzygy/write/file.h"
#include "syzygy/write/gather.h"
#include "syzygy/write/search.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

struct making {
    const struct content *content;
    struct syzygy_target *target;
    struct thread_pool *pool;
    struct natural natural;
    struct gather_tables *tables;
    uint8_t *values; // of a sub-table, in its order
    uint64_t values_bytes;
    int file;
    struct syzygy_parts wdl;
    struct syzygy_parts dtz;
    struct search_memory orders[2][COLOURS]; // of distances, outcomes; by side to move
    double done;                             // sub-tables
    double total;                            //
};

static int report(void *context)
{
    const struct making *making = context;
    const struct syzygy_target *target = making->target;
    if (target->progress != NULL && target->progress(target->context, making->done / making->total) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted while writing");
    return 0;
}

// ---- a sub-table ----

static int pack_part(struct making *making, struct syzygy_part *part, const uint8_t *values, bool wdl)
{
    // All orders of a file have the same number of values.
    if (making->values == NULL) {
        making->values = memory_map(part->shape.values);
        making->values_bytes = part->shape.values;
    }
    if (making->values == NULL)
        return error_memory(part->shape.values, "the values of a Syzygy file");
    struct syzygy_values all = {.values = making->values,
                                .width = 1,
                                .count = part->shape.values,
                                .wdl = wdl,
                                .scratch = making->natural.outcomes,
                                .scratch_bytes = natural_entries(&making->natural)};
    int code = gather_all(making->tables, &part->shape, values, making->values, making->pool);
    if (code == 0)
        code = syzygy_pack(&part->packed, &all, making->pool);
    making->done++;
    return code != 0 ? code : report(making);
}

static int find_order(struct making *making, const uint8_t *values, bool wdl, struct syzygy_part *part, uint64_t *bytes)
{
    const struct syzygy_values from = {
        .values = (void *)(uintptr_t)values, .width = 1, .count = natural_entries(&making->natural), .wdl = wdl};
    struct search_memory *memory = &making->orders[wdl][part->side];
    return search_order(&making->natural, making->tables, making->file, &from, memory, &part->shape, bytes);
}

// ---- a file of the leading pawn ----

// The outcomes of one side to move, and its distances if they are the ones to keep so far.
static int make_side(struct making *making, int side, uint64_t *least)
{
    struct natural *natural = &making->natural;
    struct syzygy_part *wdl = &making->wdl.part[making->file][side];
    struct syzygy_part *kept = &making->dtz.part[making->file][0];
    struct syzygy_part *dtz = calloc(1, sizeof *dtz);
    uint64_t bytes = 0;
    if (dtz == NULL)
        return error_memory(sizeof *dtz, "a Syzygy file");
    wdl->side = dtz->side = side;
    int code = natural_make(natural, side, making->target->exact, &dtz->map);
    if (code == 0)
        code = find_order(making, natural->outcomes, true, wdl, &bytes);
    if (code == 0)
        code = pack_part(making, wdl, natural->outcomes, true);
    if (code == 0)
        code = find_order(making, natural->distances, false, dtz, &bytes);
    // Black's distances wait for what White's take.
    if (code == 0 && bytes <= *least) {
        *least = bytes;
        *kept = *dtz;
    } else if (code == 0) {
        code = natural_make(natural, kept->side, making->target->exact, &dtz->map);
    }
    if (code == 0 && side == WHITE)
        code = pack_part(making, kept, natural->distances, false);
    free(dtz);
    return code;
}

static int make_file(struct making *making)
{
    uint64_t least = UINT64_MAX;
    TRY(natural_open(&making->natural, making->content, making->file, making->pool));
    int code = gather_open(&making->tables, &making->natural);
    for (int side = making->wdl.sides - 1; code == 0 && side >= WHITE; side--)
        code = make_side(making, side, &least);
    gather_close(making->tables);
    making->tables = NULL;
    memory_unmap(making->values, making->values_bytes);
    making->values = NULL;
    natural_close(&making->natural);
    return code;
}

int syzygy_write(const struct content *content, struct syzygy_target *target, struct thread_pool *pool)
{
    struct making *making = calloc(1, sizeof *making);
    uint64_t size[2] = {0};
    if (making == NULL)
        return error_memory(sizeof *making, "a Syzygy file");
    making->content = content;
    making->target = target;
    making->pool = pool;
    making->wdl = (struct syzygy_parts){.material = content->material,
                                        .wdl = true,
                                        .files = content->slices != NULL ? SYZYGY_FILES : 1,
                                        .sides = material_symmetric(content->material) ? 1 : 2};
    making->dtz = making->wdl;
    making->dtz.wdl = false;
    making->dtz.sides = 1;
    making->total = making->wdl.files * (making->wdl.sides + 1);
    int code = 0;
    threads_watch(pool, report, making);
    if (material_men(content->material) > SYZYGY_MEN_MAX)
        code = error_set(CLTB_E_USAGE, "Syzygy files have at most %d men", SYZYGY_MEN_MAX);
    for (making->file = 0; code == 0 && making->file < making->wdl.files; making->file++)
        code = make_file(making);
    if (code == 0)
        code = syzygy_file_write(&making->wdl, target->wdl, pool, &size[0]);
    if (code == 0)
        code = syzygy_file_write(&making->dtz, target->dtz, pool, &size[1]);
    threads_watch(pool, NULL, NULL);
    target->bytes = size[0] + size[1];
    for (int f = 0; f < making->wdl.files; f++) {
        for (int side = 0; side < making->wdl.sides; side++)
            syzygy_packed_free(&making->wdl.part[f][side].packed);
        syzygy_packed_free(&making->dtz.part[f][0].packed);
    }
    free(making);
    return code;
}
