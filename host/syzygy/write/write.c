// write.c - a solved endgame as a pair of Syzygy files
//
// For each file of the leading pawn, and each side to move:
//
//     1. The values are made in the natural order (natural.h): outcomes, then distances.
//     2. The order of the men is searched for the outcomes, they are brought into it (gather.h) and packed (packed.h).
//     3. The order is searched for the distances, too. A sub-table of distances has one side to move, the one that
//        takes fewer bytes: guesses find it, or whole searches for both if the guesses are close. Black goes first
//        because White's distances take fewer bytes in most tables, and are then still there when both sides' outcomes
//        are packed; Black's are made again.
//
// Much of this does not divide evenly among threads: a few trials of orders, the first and last steps of packing. Where
// there is memory for it, more threads pack a sub-table each meanwhile, which fills these gaps and takes less of the
// processor's time than if several threads shared it. The result is the same.
//
// There are three large arrays: outcomes and distances in the natural order, and the values of a sub-table. Symbols and
// counts of their pairs take the place of natural outcomes if they have room there. With little memory there is one
// array in the natural order, and values are brought into the order of a sub-table a window at a time, and compressed.
#include "syzygy/write/write.h"

#include "syzygy/write/file.h"
#include "syzygy/write/gather.h"
#include "syzygy/write/pairing.h"
#include "syzygy/write/search.h"
#include "syzygy/write/slices.h"
#include "syzygy/write/symbols.h"
#include "util/behind.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/saturate.h"

#include <libgen.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLOSE = 95,               // per cent: closer guesses do not decide which side's distances take fewer bytes
    JOBS_MAX = 4,             // sub-tables packed beside other work
    JOB_VALUES_MAX = 96 << 20 // larger sub-tables are few, and take too much memory
};

// A sub-table that is packed beside other work.
struct job {
    struct behind behind;
    struct thread_pool *pool; // has only the job's own thread, and says whether to stop
    uint8_t *values;          // [making->job_values]
    uint8_t *scratch;
    struct syzygy_values task;
    struct syzygy_packed *packed;
};

struct making {
    const struct content *content;
    struct syzygy_target *target;
    struct thread_pool *pool;
    struct natural natural;
    struct gather_tables *tables;
    int file;
    struct syzygy_parts wdl;
    struct syzygy_parts dtz;
    struct search_memory orders[2][COLOURS]; // of distances, outcomes; by side to move
    double done;                             // sub-tables
    double total;                            //
    bool lean;                               // memory is short
    char folder[PATH_MAX];                   // of the files; if memory is short,
    struct overflow *overflow;               // their blocks wait there
    uint64_t room;                           // as in struct syzygy_values
    uint64_t job_values;                     // of the largest sub-table
    int jobs;                                // that may be beside other work
    struct job job[JOBS_MAX];                //
    _Atomic bool stopping;                   // they are to end
};

static int report(void *context)
{
    const struct making *making = context;
    const struct syzygy_target *target = making->target;
    if (target->progress != NULL && target->progress(target->context, making->done / making->total) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted while writing");
    return 0;
}

// ---- beside other work ----

static int stop(void *context)
{
    const struct making *making = context;
    return atomic_load(&making->stopping) ? error_set(CLTB_E_INTERRUPTED, "interrupted while writing") : 0;
}

// Bytes for symbols, of which there are less than half as many as values, and for counts of pairs.
static uint64_t scratch_bytes(uint64_t values)
{
    return values + COUNTS_BYTES;
}

static int open_jobs(struct making *making)
{
    making->job_values = making->natural.most;
    for (int i = 0; i < making->jobs; i++) {
        struct job *job = &making->job[i];
        job->behind.pool = making->pool;
        TRY(threads_open(&job->pool, 1));
        threads_watch(job->pool, stop, making);
        job->values = memory_map(making->job_values);
        job->scratch = memory_map(scratch_bytes(making->job_values));
        if (job->values == NULL || job->scratch == NULL)
            return error_memory(making->job_values + scratch_bytes(making->job_values), "a Syzygy file");
    }
    return 0;
}

// Ends jobs that are still running.
static void close_jobs(struct making *making)
{
    atomic_store(&making->stopping, true);
    for (int i = 0; i < making->jobs; i++) {
        struct job *job = &making->job[i];
        behind_wait(&job->behind);
        memory_unmap(job->values, making->job_values);
        memory_unmap(job->scratch, scratch_bytes(making->job_values));
        threads_close(job->pool);
    }
}

// Waits for all jobs. Returns the first error, with its sentence.
static int wait_for_jobs(struct making *making)
{
    int code = 0;
    for (int i = 0; i < making->jobs; i++) {
        const int one = behind_wait(&making->job[i].behind);
        code = code == 0 ? one : code;
    }
    return code;
}

// A job whose values may now be filled, and must then be packed; NULL if no job or no processor is free.
static struct job *free_job(struct making *making)
{
    for (int i = 0; i < making->jobs; i++) {
        struct job *job = &making->job[i];
        if (!behind_idle(&job->behind))
            continue;
        behind_wait(&job->behind);
        return threads_begin_beside(making->pool) ? job : NULL;
    }
    return NULL;
}

static int pack_job(void *context)
{
    const struct job *job = context;
    return syzygy_pack(job->packed, &job->task, job->pool);
}

// ---- a sub-table ----

struct putting {
    struct value_slices *slices;
    uint64_t first; // slice
    const uint8_t *values;
    uint64_t count;
};

static int put_slice(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct putting *putting = context;
    const uint64_t left = putting->count - item * SLICE_VALUES;
    return value_slice_put(putting->slices, putting->first + item, putting->values + item * SLICE_VALUES,
                           left < SLICE_VALUES ? left : SLICE_VALUES);
}

static uint64_t window_values(uint64_t values)
{
    enum { WINDOWS = 8 };
    return values / WINDOWS < SLICE_VALUES ? SLICE_VALUES : values / WINDOWS;
}

// Gathers all values through a window, into compressed slices.
static int gather_slices(const struct making *making, const struct syzygy_shape *shape, const uint8_t *from,
                         struct value_slices *slices)
{
    const uint64_t window = gather_window(making->tables, shape, window_values(shape->values));
    const size_t bytes = window + SLICE_VALUES;
    uint8_t *values = memory_map(bytes);
    int code = values == NULL ? error_memory(bytes, "the values of a Syzygy file") : 0;
    THEN(code, value_slices_open(slices, shape->values));
    struct putting putting = {.slices = slices, .values = values};
    for (uint64_t first = 0, count; code == 0 && first < shape->values; first += count) {
        count = shape->values - first < window ? shape->values - first : window;
        code = gather_all(making->tables, shape, from, first, count, values + putting.count, making->pool);
        putting.count += count;
        const bool last = first + count == shape->values;
        const uint64_t full = putting.count / SLICE_VALUES + (last && putting.count % SLICE_VALUES > 0);
        THEN(code, threads_each(making->pool, full, put_slice, &putting));
        putting.first += full;
        putting.count = last ? 0 : putting.count - full * SLICE_VALUES;
        memmove(values, values + full * SLICE_VALUES, putting.count);
    }
    memory_unmap(values, bytes);
    return code;
}

// Packs with little memory.
static int pack_slices(struct making *making, struct syzygy_part *part, const uint8_t *from, struct syzygy_values all)
{
    const struct natural *natural = &making->natural;
    struct value_slices slices = {0};
    all.slices = &slices;
    int code = gather_slices(making, &part->shape, from, &slices);
    memory_drop(natural->outcomes, natural->most);
    struct syzygy_packed *packed = &part->packed;
    THEN(code, syzygy_pack(packed, &all, making->pool));
    value_slices_close(&slices);
    if (code == 0 && !packed->single) {
        code =
            overflow_put(making->overflow, packed->data, (size_t)packed->blocks << packed->block_bits, &packed->away);
        free(packed->data);
        packed->data = NULL;
    }
    memory_trim();
    return code;
}

static int pack_part(struct making *making, struct syzygy_part *part, bool wdl)
{
    const struct natural *natural = &making->natural;
    const uint8_t *from = wdl ? natural->outcomes : natural->distances;
    struct syzygy_values all = {
        .values = natural->values, .count = part->shape.values, .wdl = wdl, .go_on = part->go_on, .room = making->room};
    int code = 0;
    making->done++;
    struct job *job = free_job(making);
    if (job != NULL) {
        TRY(gather_all(making->tables, &part->shape, from, 0, all.count, job->values, making->pool));
        job->packed = &part->packed;
        job->task = all;
        job->task.values = job->values;
        job->task.scratch = job->scratch;
        job->task.scratch_bytes = scratch_bytes(making->job_values);
        behind_begin(&job->behind, pack_job, job);
    } else if (making->lean) {
        code = pack_slices(making, part, from, all);
    } else {
        all.scratch = natural->outcomes;
        all.scratch_bytes = natural->entries;
        code = gather_all(making->tables, &part->shape, from, 0, all.count, all.values, making->pool);
        THEN(code, syzygy_pack(&part->packed, &all, making->pool));
    }
    return code != 0 ? code : report(making);
}

static int find_order(struct making *making, bool wdl, bool guess, struct syzygy_part *part, uint64_t *bytes)
{
    const struct natural *natural = &making->natural;
    const struct syzygy_values from = {
        .values = wdl ? natural->outcomes : natural->distances, .count = natural->entries, .wdl = wdl};
    struct search_memory *memory = &making->orders[wdl][part->side];
    return search_order(natural, making->tables, making->file, &from, guess, memory, part, bytes);
}

// ---- a file of the leading pawn ----

// Makes the outcomes of one side to move, and guesses what its distances take.
static int make_side(struct making *making, struct syzygy_part *dtz, uint64_t *guess)
{
    struct syzygy_part *wdl = &making->wdl.part[making->file][dtz->side];
    uint64_t bytes;
    wdl->side = dtz->side;
    TRY(natural_make(&making->natural, dtz->side, making->target->exact, &dtz->map));
    TRY(find_order(making, true, false, wdl, &bytes));
    TRY(pack_part(making, wdl, true));
    if (making->dtz.sides == 0 || making->wdl.sides == 1)
        return 0;
    TRY(natural_distances(&making->natural, dtz->side));
    return find_order(making, false, true, dtz, guess);
}

// Which side a published file stores was decided by other estimates than ours. Readers round distances of the other
// side differently, so the published side is stored even if it takes more bytes. No other table of up to four men is
// known to differ.
static int published_side(const struct making *making)
{
    static const char *const black[] = {"KBBvK"};
    char name[MATERIAL_NAME_MAX];
    material_name(making->content->material, name);
    for (size_t i = 0; i < sizeof black / sizeof black[0] && !making->target->exact; i++)
        if (strcmp(name, black[i]) == 0)
            return BLACK;
    return -1;
}

// Makes the distances of one side to move.
static int make_distances(struct making *making, struct syzygy_part dtz[COLOURS], const uint64_t guess[COLOURS])
{
    struct natural *natural = &making->natural;
    struct syzygy_part *kept = &making->dtz.part[making->file][0];
    const int known = published_side(making);
    const int smaller = making->wdl.sides > 1 && guess[BLACK] < guess[WHITE] ? BLACK : WHITE;
    const int likely = known >= 0 ? known : smaller;
    const bool close = known < 0 && making->wdl.sides > 1 && guess[likely ^ 1] / 100 * CLOSE < guess[likely];
    uint64_t least = UINT64_MAX;
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t bytes;
        if (side != likely && !close)
            continue;
        TRY(natural_distances(natural, side));
        TRY(find_order(making, false, false, &dtz[side], &bytes));
        if (bytes >= least)
            continue;
        least = bytes;
        *kept = dtz[side];
    }
    TRY(natural_distances(natural, kept->side));
    return pack_part(making, kept, false);
}

static int make_file(struct making *making)
{
    struct syzygy_part *dtz;
    uint64_t guess[COLOURS] = {0};
    TRY(memory_new(&dtz, COLOURS, sizeof *dtz, "a Syzygy file"));
    natural_choose(&making->natural, making->file);
    int code = gather_open(&making->tables, &making->natural);
    for (int side = making->wdl.sides - 1; code == 0 && side >= WHITE; side--) {
        dtz[side].side = side;
        code = make_side(making, &dtz[side], &guess[side]);
    }
    if (code == 0 && making->dtz.sides > 0)
        code = make_distances(making, dtz, guess);
    gather_close(making->tables);
    making->tables = NULL;
    free(dtz);
    return code;
}

// ---- memory ----

// What the steps of writing need.
struct needs {
    uint64_t values;        // of the largest sub-table
    uint64_t packing;       // for packing alone, when memory is short
    struct memory_need all; // of all steps
};

// Based on the first file, which has the most placements of pawns.
static struct needs needs_of(const struct material *material, int threads)
{
    enum { SMALL_MEN = 5, PAWN_BYTES = 16, SMALL_THINGS = 24 << 20, DONE_PART = 400 };
    struct entry_order order;
    struct syzygy_shape shape;
    // With five men or fewer, every distance fits into a byte.
    const unsigned width = material_men(material) <= SMALL_MEN ? 1 : 2;
    if (natural_shape(&shape, material, 0) != 0)
        return (struct needs){.all = {UINT64_MAX, UINT64_MAX}};
    entry_order_init(&order, material, NULL, NULL);
    const uint64_t pawns = shape.pawns ? shape.group[0].size * (shape.other_pawns ? shape.group[1].size : 1) : 0;
    const uint64_t slices = pawns > 0 ? pawns : TRIANGLE_SQUARES;
    const uint64_t entries = natural_most(material, slices);
    uint64_t combinations = 0; // of men of one kind: their parts of addresses in each symmetry (gather.h), kept twice
    for (int g = 0; g < order.groups; g++)
        combinations += 2 * SYMMETRIES * order.group[g].size;
    const uint64_t parts = (pawns > 0 ? SYZYGY_FILES : 1) * (material_symmetric(material) ? 2U : 3U);
    // Sub-tables that are done have their blocks on disk, but the blocks' lengths in memory.
    const uint64_t fixed = u64_sum(u64_sum(SMALL_THINGS, u64_product(parts - 1, shape.values / DONE_PART)),
                                   u64_sum(sizeof(uint64_t) * combinations, u64_product(PAWN_BYTES, pawns)));
    const struct memory_need pairs = pairing_need(threads);
    const uint64_t making = u64_larger(natural_bytes(material, slices, width), search_bytes(shape.values, threads));
    const uint64_t slice = (uint64_t)threads * 3 * SLICE_VALUES;
    const uint64_t gathering = window_values(shape.values) + shape.values / SLICES_PART + SLICE_VALUES + slice;
    // If symbols stand for two values each, which is more than there are.
    const uint64_t packing = shape.values / SLICES_PART + shape.values + u64_larger(slice, pairs.least);
    const uint64_t lean = u64_larger(u64_sum(entries, u64_larger(making, gathering)), packing);
    // Without a limit the counts of pairs take the place of natural outcomes.
    const uint64_t packing_more = u64_sum(shape.values, pairs.most - COUNTS_BYTES);
    const uint64_t ample = u64_sum(u64_product(2, entries), u64_larger(making, u64_larger(packing_more, pairs.most)));
    return (struct needs){.values = shape.values,
                          .packing = u64_sum(fixed, packing),
                          .all = {u64_sum(fixed, lean), u64_sum(fixed, u64_larger(lean, ample))}};
}

struct memory_need syzygy_write_need(const struct material *material, int threads)
{
    return needs_of(material, threads).all;
}

// Divides the memory that there is.
static void set_room(struct making *making)
{
    const uint64_t memory = making->target->memory;
    const struct needs needs = needs_of(making->content->material, threads_count(making->pool));
    making->lean = memory > 0 && memory < needs.all.most;
    making->room = !making->lean ? 0 : memory > needs.packing ? memory - needs.packing : 1;
    if (making->lean || needs.values > JOB_VALUES_MAX)
        return;
    const uint64_t more = (memory - needs.all.most) / (needs.values + scratch_bytes(needs.values));
    const int threads = threads_count(making->pool) - 1;
    making->jobs = threads < JOBS_MAX ? threads : JOBS_MAX;
    if (memory > 0 && more < (uint64_t)making->jobs)
        making->jobs = (int)more;
}

int syzygy_write(const struct content *content, struct syzygy_target *target, struct thread_pool *pool)
{
    struct making *making;
    uint64_t size[2] = {0};
    TRY(memory_new(&making, 1, sizeof *making, "a Syzygy file"));
    making->content = content;
    making->target = target;
    making->pool = pool;
    making->wdl = (struct syzygy_parts){.material = content->material,
                                        .wdl = true,
                                        .files = content->slices != NULL ? SYZYGY_FILES : 1,
                                        .sides = material_symmetric(content->material) ? 1 : 2};
    making->dtz = making->wdl;
    making->dtz.wdl = false;
    making->dtz.sides = target->dtz[0] != '\0' ? 1 : 0;
    making->total = making->wdl.files * (making->wdl.sides + making->dtz.sides);
    int code = 0;
    set_room(making);
    threads_watch(pool, report, making);
    if (material_men(content->material) > SYZYGY_MEN_MAX)
        code = error_set(CLTB_E_USAGE, "Syzygy files have at most %d men", SYZYGY_MEN_MAX);
    else
        code = natural_open(&making->natural, content, making->lean, pool);
    THEN(code, open_jobs(making));
    snprintf(making->folder, sizeof making->folder, "%s", target->wdl);
    THEN(code, overflow_open(&making->overflow, dirname(making->folder)));
    making->wdl.overflow = making->dtz.overflow = making->overflow;
    for (making->file = 0; code == 0 && making->file < making->wdl.files; making->file++)
        code = make_file(making);
    natural_close(&making->natural);
    THEN(code, wait_for_jobs(making));
    close_jobs(making);
    THEN(code, syzygy_file_write(&making->wdl, target->wdl, pool, &size[0]));
    if (code == 0 && making->dtz.sides > 0)
        code = syzygy_file_write(&making->dtz, target->dtz, pool, &size[1]);
    threads_watch(pool, NULL, NULL);
    target->bytes = size[0] + size[1];
    for (int f = 0; f < making->wdl.files; f++) {
        for (int side = 0; side < making->wdl.sides; side++)
            syzygy_packed_free(&making->wdl.part[f][side].packed);
        syzygy_packed_free(&making->dtz.part[f][0].packed);
    }
    overflow_close(making->overflow);
    free(making);
    return code;
}
