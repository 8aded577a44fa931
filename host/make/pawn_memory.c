// pawn_memory.c - what a table with pawns takes while it is made
#include "make/pawn_memory.h"

#include "index/entry.h"
#include "index/pawns.h"
#include "make/plan_material.h"
#include "solve/slices.h"
#include "table/write/write_table.h"
#include "util/memory.h"
#include "util/saturate.h"
#include "util/threads.h"

// Counted in the code and compared with what processes took (docs/performance.md).
enum {
    PROGRAM_BYTES = 12 << 20, // and libraries, tables
    THREAD_BYTES = 5 << 20,   // compressors, scratch of steps
    SLICE_BYTES = 120,        // of each slice: where it lies, its squares, its neighbours' views
    // Planes of a batch.
    BATCH_PLANES = 24,
    DISTANCES_PLANES = 6, // more if the distances of both sides are kept
    OPEN_PLANES = 6,      // that come in beside them
    MAKING_PLANES = 16,   // of a slab while it is made
    READ_BACK_PLANES = 12,
    // Without a limit.
    SLICE_PLANES = 6,      // that are kept of a solved slice for its neighbours
    SLABS_EACH = 24,       // planes for a slice, what captures lead to included
    SMALL_SLABS_EACH = 40, // of 32 KiB, of smaller ones SLICES_SMALL_PLANES
    SMALL_SLICE = 32 << 10,
    SLAB_BYTES_MAX = 512 << 20,
    SECTIONS_BYTES = 64 << 20,
    GROUP_BYTES = 2 << 20 // of a plane of the slices that a writer takes together
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int pawns_of(const struct material *material)
{
    return material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
}

// Of a plane of one slice.
static uint64_t slice_bytes(const struct material *material)
{
    return UINT64_C(1) << (6 * (material_men(material) - pawns_of(material)) - 3);
}

// The largest section of a futurebase, one byte an entry: a slice, or a square of the black king.
static uint64_t section_bytes(const struct material *material)
{
    struct material futurebases[PLAN_FUTUREBASES_MAX];
    const int count = plan_futurebases(material, futurebases);
    uint64_t most = SECTION_ENTRIES_MIN;
    for (int i = 0; i < count; i++) {
        struct entry_order order;
        entry_order_init(&order, &futurebases[i], NULL, NULL);
        most = larger(most, order.per_slice);
    }
    return most;
}

static uint64_t for_every_slice(const struct material *material, uint64_t slices)
{
    uint64_t numbers = sizeof(int32_t);
    for (int i = 0; i < pawns_of(material); i++)
        numbers *= PAWN_NUMBERS;
    return u64_sum(numbers, u64_product(slices, SLICE_BYTES));
}

static uint64_t batch_planes(const struct material *material, const struct build_options *options)
{
    const struct plan_distances distances = plan_distances(material, options);
    return BATCH_PLANES + (distances.keep[WHITE] && distances.keep[BLACK] ? DISTANCES_PLANES : 0);
}

// Of arrays, for a batch of one slice, or of a few small ones.
static uint64_t least_arrays(const struct material *material, const struct build_options *options)
{
    const uint64_t slice = slice_bytes(material);
    const uint64_t batch = larger(slice, SLICES_BATCH_LEAST);
    uint64_t solving = u64_product(batch_planes(material, options) + OPEN_PLANES, batch);
    if (slice < SLICES_LARGE)
        solving = u64_sum(solving, u64_product(SLICES_SMALL_PLANES, batch));
    solving = u64_sum(solving, solving / (PAWN_SECTIONS_PART - 1));
    return larger(solving, u64_sum(u64_product(MAKING_PLANES, batch), section_bytes(material)));
}

static uint64_t most_arrays(const struct material *material, const struct build_options *options, uint64_t most_slices)
{
    enum { BATCH_BYTES = 2 << 20 };
    const uint64_t slice = slice_bytes(material);
    // Three levels: the one in work, and those that a pawn goes to by one step and by two. A side's slices are kept for
    // the other side's pawns.
    const uint64_t sides = (material->count[WHITE][PAWN] > 0 ? 1U : 0U) + (material->count[BLACK][PAWN] > 0 ? 1U : 0U);
    const uint64_t kept = u64_product(3 * sides * SLICE_PLANES * most_slices, slice);
    const uint64_t batch = slice > BATCH_BYTES ? slice : smaller(BATCH_BYTES, u64_product(most_slices, slice));
    // Futurebases are made for batches together up to a bound, but for one batch at least.
    const uint64_t each = slice >= SLICES_LARGE  ? SLABS_EACH
                          : slice >= SMALL_SLICE ? SMALL_SLABS_EACH
                                                 : SLICES_SMALL_PLANES;
    const uint64_t one = u64_product(each, batch);
    const uint64_t all = smaller(SLAB_BYTES_MAX, u64_product(each * most_slices, slice));
    const uint64_t sections = larger(SECTIONS_BYTES, section_bytes(material));
    return u64_sum(u64_sum(kept, u64_product(batch_planes(material, options) + OPEN_PLANES, batch)),
                   u64_sum(larger(one, all), sections));
}

uint64_t pawn_memory_read_back(const struct material *material)
{
    return u64_product(READ_BACK_PLANES, larger(GROUP_BYTES, slice_bytes(material)));
}

// Other programs want some of the machine's memory as well.
static void set_limit(struct pawn_memory *memory, const struct build_options *options)
{
    const uint64_t physical = memory_physical();
    const uint64_t there = physical - physical / 16;
    memory->limit = options->memory;
    if (options->memory == 0 && memory->most > there)
        memory->limit = larger(memory->least, there);
    memory->taken = memory->most;
    if (memory->limit > 0)
        memory->taken = larger(memory->least, smaller(memory->most, memory->limit));
    memory->arrays = 0;
    if (memory->limit > 0)
        memory->arrays = memory->limit > 2 * memory->fixed ? memory->limit - memory->fixed : memory->limit / 2;
}

void pawn_memory(struct pawn_memory *memory, const struct material *material, const struct build_options *options,
                 bool write)
{
    uint64_t most_slices;
    const uint64_t slices = plan_slices(material, &most_slices);
    const int threads = options->threads > 0 ? options->threads : threads_processors();
    const struct write_options writing = {.both_sides = options->both_sides, .best = options->best};
    uint64_t write_least = 0;
    uint64_t write_most = 0;
    if (write) {
        write_memory_bytes(material, slices, &writing, threads, &write_least, &write_most);
        write_least = u64_sum(write_least, pawn_memory_read_back(material));
        write_most = u64_sum(write_most, pawn_memory_read_back(material));
    }
    memory->fixed = u64_sum(u64_sum(PROGRAM_BYTES, u64_product((uint64_t)threads, THREAD_BYTES)),
                            for_every_slice(material, slices));
    memory->least = u64_sum(memory->fixed, larger(least_arrays(material, options), write_least));
    memory->most = u64_sum(memory->fixed, larger(most_arrays(material, options, most_slices), write_most));
    memory->most = larger(memory->most, memory->least);
    set_limit(memory, options);
}
