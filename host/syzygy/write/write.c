// write.c - a solved endgame as a pair of Syzygy files
//
// For each file of the leading pawn, and each side to move:
//
//     1. The values are made in the natural order (natural.h).
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
// counts of their pairs take the place of natural outcomes if they have room there. With little memory the natural
// arrays are freed once one is gathered, and rebuilt for the distances, and values once they are symbols.
#include "syzygy/write/write.h"

#include "syzygy/write/file.h"
#include "syzygy/write/gather.h"
#include "syzygy/write/pairing.h"
#include "syzygy/write/search.h"
#include "syzygy/write/symbols.h"
#include "util/behind.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/saturate.h"

#include <stdatomic.h>
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
    bool lean;                               // natural arrays are given back early
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

// Gives natural arrays back if memory is short.
static void give_up(const struct making *making, bool outcomes, bool distances)
{
    const struct natural *natural = &making->natural;
    const uint64_t entries = natural_entries(natural);
    if (making->lean && outcomes)
        memory_drop(natural->outcomes, entries);
    if (making->lean && distances)
        memory_drop(natural->distances, entries * natural->width);
}

static int pack_part(struct making *making, struct syzygy_part *part, bool wdl)
{
    const struct natural *natural = &making->natural;
    const uint8_t *from = wdl ? natural->outcomes : natural->distances;
    struct syzygy_values all = {.values = natural->values,
                                .count = part->shape.values,
                                .wdl = wdl,
                                .go_on = part->go_on,
                                .scratch = natural->outcomes,
                                .scratch_bytes = making->lean ? 0 : natural_entries(natural),
                                .drop = true,
                                .room = making->room};
    struct job *job = free_job(making);
    if (job != NULL) {
        TRY(gather_all(making->tables, &part->shape, from, job->values, making->pool));
        job->packed = &part->packed;
        job->task = (struct syzygy_values){.values = job->values,
                                           .count = all.count,
                                           .wdl = wdl,
                                           .go_on = all.go_on,
                                           .scratch = job->scratch,
                                           .scratch_bytes = scratch_bytes(making->job_values)};
        behind_begin(&job->behind, pack_job, job);
        making->done++;
        return report(making);
    }
    give_up(making, !wdl, wdl);
    int code = gather_all(making->tables, &part->shape, from, natural->values, making->pool);
    give_up(making, true, true);
    THEN(code, syzygy_pack(&part->packed, &all, making->pool));
    making->done++;
    return code != 0 ? code : report(making);
}

static int find_order(struct making *making, bool wdl, bool guess, struct syzygy_part *part, uint64_t *bytes)
{
    const struct natural *natural = &making->natural;
    const struct syzygy_values from = {
        .values = wdl ? natural->outcomes : natural->distances, .count = natural_entries(natural), .wdl = wdl};
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
    if (making->dtz.sides > 0 && making->wdl.sides > 1)
        TRY(find_order(making, false, true, dtz, guess));
    return pack_part(making, wdl, true);
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

// Makes the distances of one side to move; `held` is the side whose distances are already in the natural order, or -1.
static int make_distances(struct making *making, struct syzygy_part dtz[COLOURS], const uint64_t guess[COLOURS],
                          int held)
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
        if (side != held)
            TRY(natural_make(natural, side, making->target->exact, &dtz[side].map));
        held = side;
        TRY(find_order(making, false, false, &dtz[side], &bytes));
        if (bytes >= least)
            continue;
        least = bytes;
        *kept = dtz[side];
    }
    if (kept->side != held)
        TRY(natural_make(natural, kept->side, making->target->exact, &kept->map));
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
        code = make_distances(making, dtz, guess, making->lean ? -1 : WHITE);
    gather_close(making->tables);
    making->tables = NULL;
    free(dtz);
    return code;
}

// ---- memory ----

// What the steps of writing need. The arrays of natural_open() are outcomes, distances and values.
struct needs {
    uint64_t values;        // of the largest sub-table
    uint64_t packing;       // for packing alone, when memory is short
    struct memory_need all; // of all steps
};

// Based on the first file, which has the most placements of pawns.
static struct needs needs_of(const struct material *material, int threads)
{
    enum { SMALL_MEN = 5, PAWN_BYTES = 16, SMALL_THINGS = 24 << 20 };
    struct entry_order order;
    struct syzygy_shape shape;
    // With five men or fewer, every distance fits into a byte.
    const unsigned width = material_men(material) <= SMALL_MEN ? 1 : 2;
    if (natural_shape(&shape, material, 0) != 0)
        return (struct needs){.all = {UINT64_MAX, UINT64_MAX}};
    entry_order_init(&order, material, NULL, NULL);
    const uint64_t pawns = shape.pawns ? shape.group[0].size * (shape.other_pawns ? shape.group[1].size : 1) : 0;
    const uint64_t entries = u64_product(order.per_slice, pawns > 0 ? pawns : TRIANGLE_SQUARES);
    uint64_t combinations = 0; // of men of one kind: their parts of addresses in each symmetry (gather.h), kept twice
    for (int g = 0; g < order.groups; g++)
        combinations += 2 * SYMMETRIES * order.group[g].size;
    const uint64_t fixed =
        u64_sum(SMALL_THINGS, u64_sum(sizeof(uint64_t) * combinations, u64_product(PAWN_BYTES, pawns)));
    const struct memory_need pairs = pairing_need(threads);
    const uint64_t natural = u64_product(entries, 1 + width);
    const uint64_t making =
        u64_sum(natural, u64_larger(natural_bytes(entries, width), search_bytes(shape.values, threads)));
    const uint64_t gathering = u64_sum(u64_product(entries, width), shape.values);
    const uint64_t packing = u64_sum(u64_product(2, shape.values), pairs.least); // if all symbols are leaves
    const uint64_t lean = u64_larger(making, u64_larger(gathering, packing));
    // Without a limit the counts of pairs take the place of natural outcomes.
    const uint64_t ample = u64_sum(natural, u64_larger(u64_sum(shape.values, pairs.most - COUNTS_BYTES), pairs.most));
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
        code = natural_open(&making->natural, content, pool);
    THEN(code, open_jobs(making));
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
    free(making);
    return code;
}
