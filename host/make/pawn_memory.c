// pawn_memory.c - the memory that a table with pawns takes while it is built, and any table while it is written
//
// One list has everything that takes memory: its least bytes, its bytes without a limit, and its phase. Phases follow
// each other, so the forecast is the largest sum of a phase, plus everything that is present all the time.
#include "make/pawn_memory.h"

#include "index/entry.h"
#include "index/pawns.h"
#include "solve/slices.h"
#include "syzygy/write/write.h"
#include "table/write/write_table.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/saturate.h"
#include "util/threads.h"

// Counted in the code, and compared with what processes took (docs/performance.md).
enum {
    PROGRAM_BYTES = 12 << 20, // with libraries and tables
    THREAD_BYTES = 5 << 20,   // compressors, workspaces of steps
    SLICE_BYTES = 120,        // for each slice: its place, its squares, its neighbours' views
    // Planes of a batch:
    BATCH_PLANES = 24,
    DISTANCES_PLANES = 6,  // more, if the distances of both sides are kept
    OPEN_PLANES = 6,       // imported at a time
    STATISTICS_PLANES = 3, // more, if they are counted: the longest lines, quiet wins, and a copy to read
    // More with distances to mate: the lists of the positions that conversions lead to (half of this at most in tables
    // of five men), and codes of slabs.
    MATE_BATCH_PLANES = 37,
    MATE_OPEN_PLANES = 54,
    MATE_SLICE_PLANES = 7,
    MAKING_PLANES = 16, // of a slab while it is made
    READ_BACK_PLANES = 12,
    // Without a limit:
    BATCH_BYTES = 2 << 20, // of a plane of a batch
    SLICE_PLANES = 6,      // kept of a solved slice for its neighbours
    SLABS_EACH = 24,       // planes for a slice, including those that captures lead to
    SMALL_SLABS_EACH = 40, // with 32 KiB; for smaller ones it is SLICES_SMALL_PLANES
    SMALL_SLICE = 32 << 10,
    SLAB_BYTES_MAX = 512 << 20,
    SECTIONS_BYTES = 64 << 20,
    GROUP_BYTES = 2 << 20 // of a plane of the slices that a writer takes together
};

// The bytes of a plane of one slice.
static uint64_t slice_bytes(const struct material *material)
{
    const int pawns = material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
    return UINT64_C(1) << (6 * (material_men(material) - pawns) - 3);
}

uint64_t pawn_memory_read_back(const struct material *material)
{
    return u64_product(READ_BACK_PLANES, u64_larger(GROUP_BYTES, slice_bytes(material)));
}

struct memory_need plan_write_need(const struct material *material, const struct build_options *options, unsigned files)
{
    const struct write_options writing = {.both_sides = options->both_sides, .best = options->best};
    const int threads = options->threads > 0 ? options->threads : os_processors();
    struct memory_need need = {0, 0};
    if (files & PLAN_TABLE)
        need = write_need(material, material_has_pawns(material) ? plan_slices(material, NULL) : 0, &writing, threads);
    return files & PLAN_SYZYGY ? need_larger(need, syzygy_write_need(material, threads)) : need;
}

enum phase { SOLVING, MAKING_A_SLAB, WRITING, PHASES };

// Adds everything. `most_slices`: of equal total advance.
static void add_all(struct memory_need need[PHASES], const struct material *material,
                    const struct build_options *options, unsigned files, uint64_t most_slices)
{
    const struct plan_distances distances = plan_distances(material, options, files & PLAN_SYZYGY);
    const bool mate = material->metric != METRIC_DTZ;
    const bool both = mate || (distances.keep[WHITE] && distances.keep[BLACK]);
    const uint64_t distance_planes = both ? DISTANCES_PLANES : 0;
    const uint64_t mate_planes = mate ? MATE_BATCH_PLANES + MATE_OPEN_PLANES : 0;
    const uint64_t counted_planes = options->statistics != NULL && !mate ? STATISTICS_PLANES : 0;
    const uint64_t planes = BATCH_PLANES + OPEN_PLANES + distance_planes + mate_planes + counted_planes;
    const uint64_t slice = slice_bytes(material);
    const uint64_t batch = u64_larger(slice, SLICES_BATCH_LEAST);
    const uint64_t large_batch =
        slice > BATCH_BYTES ? slice : u64_smaller(BATCH_BYTES, u64_product(most_slices, slice));
    // The largest section of a futurebase, with one byte an entry: a slice, or a square of the black king.
    struct material futurebases[PLAN_FUTUREBASES_MAX];
    uint64_t sections = SECTION_ENTRIES_MIN;
    for (int i = plan_futurebases(material, futurebases) - 1; i >= 0; i--) {
        struct entry_order order;
        entry_order_init(&order, &futurebases[i], NULL, NULL);
        sections = u64_larger(sections, order.per_slice);
    }
    // Solved slices of three levels: the current one, and those that a pawn reaches by one step or by two. A side's
    // slices are kept for the other side's pawns.
    const uint64_t sides = (material->count[WHITE][PAWN] > 0 ? 1U : 0U) + (material->count[BLACK][PAWN] > 0 ? 1U : 0U);
    const uint64_t kept = mate ? SLICE_PLANES + MATE_SLICE_PLANES : SLICE_PLANES;
    const uint64_t neighbours = u64_product(3 * sides * kept * most_slices, slice);
    // Futurebases are made for several batches together, up to a bound, but at least for one batch.
    const uint64_t times = mate ? SLICES_MATE : 1;
    const uint64_t each = times * (slice >= SLICES_LARGE  ? SLABS_EACH
                                   : slice >= SMALL_SLICE ? SMALL_SLABS_EACH
                                                          : SLICES_SMALL_PLANES);
    const uint64_t slabs =
        u64_larger(u64_product(each, large_batch), u64_smaller(SLAB_BYTES_MAX, u64_product(each * most_slices, slice)));
    const uint64_t small_slabs = slice < SLICES_LARGE ? u64_product(times * SLICES_SMALL_PLANES, batch) : 0;
    need_add(&need[SOLVING], u64_product(planes, batch), u64_product(planes, large_batch));
    need_add(&need[SOLVING], small_slabs, slabs);
    need_add(&need[SOLVING], 0, neighbours);
    need_add(&need[SOLVING], need[SOLVING].least / (PAWN_SECTIONS_PART - 1), u64_larger(SECTIONS_BYTES, sections));
    need_add(&need[MAKING_A_SLAB], u64_product(MAKING_PLANES, batch), 0); // without a limit: among those of solving
    need_add(&need[MAKING_A_SLAB], sections, 0);
}

void pawn_memory(struct pawn_memory *memory, const struct material *material, const struct build_options *options,
                 unsigned files)
{
    struct memory_need need[PHASES] = {{0, 0}};
    uint64_t most_slices;
    const uint64_t slices = plan_slices(material, &most_slices);
    const uint64_t threads = (uint64_t)(options->threads > 0 ? options->threads : os_processors());
    add_all(need, material, options, files, most_slices);
    if (files != 0) {
        need[WRITING] = plan_write_need(material, options, files);
        need_add(&need[WRITING], pawn_memory_read_back(material), pawn_memory_read_back(material));
    }
    // The numbers of slices by the squares of their pawns.
    const uint64_t numbers =
        sizeof(struct pawn_run) * pawn_runs(material->count[WHITE][PAWN], material->count[BLACK][PAWN]);
    memory->fixed = u64_sum(PROGRAM_BYTES + threads * THREAD_BYTES, u64_sum(numbers, u64_product(slices, SLICE_BYTES)));
    for (int phase = 1; phase < PHASES; phase++)
        need[0] = need_larger(need[0], need[phase]);
    memory->least = u64_sum(memory->fixed, need[0].least);
    memory->most = u64_sum(memory->fixed, u64_larger(need[0].least, need[0].most));
    // Other programs also need some of the machine's memory.
    const uint64_t physical = os_memory() - os_memory() / 16;
    memory->limit = options->memory;
    if (options->memory == 0 && memory->most > physical)
        memory->limit = u64_larger(memory->least, physical);
    memory->taken = memory->most;
    memory->arrays = 0;
    if (memory->limit > 0) {
        memory->taken = u64_larger(memory->least, u64_smaller(memory->most, memory->limit));
        memory->arrays = memory->limit > 2 * memory->fixed ? memory->limit - memory->fixed : memory->limit / 2;
    }
}
