// plan_stream.c - whether a pawnless table is solved in memory or with its planes on disk, and the resources for it
#include "make/plan_stream.h"

#include "make/folder.h"
#include "make/pawn_memory.h"
#include "solve/disk/scratch.h"
#include "table/path.h"
#include "util/error.h"
#include "util/os.h"
#include "util/peers.h"
#include "util/saturate.h"
#include "util/threads.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    BASE_PLANES = 8,       // of a futurebase: wins and losses of both sides, cursed and blessed ones as well
    MATE_BASE_PLANES = 23, // wins and losses, nine bits of the distances of both sides, and what a ply is made of
    SHOWN_PLANES = 11,     // of a window that is written: wins, resolved, distances, and the numbers of its tiles
    PAIR_PLANES = 4,       // more, if it is counted: wins, resolved and outcomes of the other side,
    PAIR_BOTH_PLANES = 10, // or its distances
    DENSE_READ = 5,        // planes in a dense ply: wins, new wins, closed; new losses, wins
    DENSE_WRITTEN = 4,     // closed, new losses; wins, new wins
    KEPT_PLANES = 8,       // on disk: won 2, closed, new losses 2, new wins, resolved 2
    MATE_KEPT_PLANES = 1,  // in addition, with distances to mate
    SETTLED_PLANES = 2,    // in addition, at the end, for a side whose distances have been in the log
    REWRITTEN_PLANES = 9,  // in addition: what two checkpoints keep of planes that change, and what a settled side adds
    PACKED_SHARE = 4,      // planes on disk take a fourth; ten tables took 0.2 to 0.9 of that and the log together
    LEAST_SHARED_BYTES = 1 << 16, // a block of this size is small enough
    PACKED_MEN_MAX = 7,           // with more, a tile is larger than what is packed at a time (solve/cpu/cpu_packed.c)
    LOG_BITS = 2                  // of the log, for each entry of a side whose distances are kept; approximate
};

static uint64_t plane_bytes(const struct layout *layout)
{
    return layout_bits(layout) / 8;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

// What the parts of a build take.
struct parts {
    const struct build_options *options;
    unsigned files;
    struct layout layout;
    struct device_limits device;
    int threads;
    uint64_t kept;    // planes that are kept in memory, when they are streamed
    uint64_t bases;   // the futurebases as the solver holds them, all at a time
    uint64_t reading; // what one takes while it is read: a byte for each entry of its file, and planes
    struct memory_need writer;
    unsigned counted; // planes of a window, more, if the table is counted
};

// The futurebases of the layout, which follow its groups: one for each kind of man that can be captured.
static void find_bases(struct parts *parts)
{
    enum { SETTLE_PLANES = 16 }; // that complete one
    const struct layout *layout = &parts->layout;
    const struct peers *peers = parts->options->peers;
    const bool mate = layout->material.metric != METRIC_DTZ;
    const uint64_t entries = (uint64_t)TRIANGLE_SQUARES << 6 * (material_men(&layout->material) - 2);
    unsigned seen[COLOURS] = {0, 0};
    parts->bases = parts->reading = 0;
    for (int i = 0; i < layout->pieces && material_men(&layout->material) > 3; i++) {
        unsigned *types = &seen[layout->colour[i]];
        struct layout sub;
        if (layout->type[i] == KING || layout->type[i] == BLANK || (*types >> layout->type[i] & 1) ||
            layout_init_without(&sub, layout, i) != 0)
            continue;
        *types |= 1U << layout->type[i];
        parts->bases += u64_product(mate ? MATE_BASE_PLANES : BASE_PLANES, plane_bytes(&sub));
        parts->reading = u64_larger(parts->reading, entries / material_arrangements(&sub.material) +
                                                        u64_product(SETTLE_PLANES, plane_bytes(&sub)));
    }
    if (peers != NULL && peers->neighbours > 1) // they share them
        parts->bases = parts->bases / (uint64_t)peers->neighbours + 1;
}

// Bytes of all planes while they are solved or `writing`; `packed`: those that can be packed are.
static uint64_t planes_bytes(const struct parts *parts, bool packed, bool writing)
{
    enum {
        ITERATION_PLANES = 6, // won 2, closed, new losses 2, new wins; packed: won, closed, ..., zeroing moves
        DECIDED_PLANES = 2,   // for a file
        OUTCOME_PLANES = 2,   // of a side whose distances are not kept; the second one is packed
        TYPICAL_PLANES = 7,   // of a side whose distances are
        PACKED_PLANES = 3,    // the same packed; nine tables of five men take 0.9 to 3.0
        DONE_PLANES = 2       // packed: wins and decided positions of both sides, at most half a plane each
    };
    const struct material *material = &parts->layout.material;
    const struct plan_distances distances = plan_distances(material, parts->options, parts->files & PLAN_SYZYGY);
    // While statistics are counted, the longest lines of a side have a plane of their own (longest.c).
    const unsigned longest =
        parts->options->statistics != NULL && material->metric == METRIC_DTZ && !material_symmetric(material) ? 1 : 0;
    const unsigned side = packed ? PACKED_PLANES : TYPICAL_PLANES;
    unsigned planes = side + (distances.keep[WHITE] && distances.keep[BLACK] ? side : OUTCOME_PLANES);
    planes += packed && writing ? DONE_PLANES : ITERATION_PLANES + longest;
    planes += !packed && parts->files != 0 ? DECIDED_PLANES : 0;
    return u64_product(plane_bytes(&parts->layout) + parts->layout.tiles, planes);
}

// Devices sort the digits of one pair only, and know no pairs of kings; nor do planes on disk. With fewer than six men
// a tile of a pair is one word, and solving takes 1.2 times the time.
static unsigned layout_flags(const struct material *material, const struct device_limits *device, bool streamed)
{
    enum { KINGS_MEN_LEAST = 6 };
    if (device->opencl)
        return LAYOUT_PAIR;
    return streamed || material_men(material) < KINGS_MEN_LEAST ? LAYOUT_ALIKE : LAYOUT_ALIKE | LAYOUT_KINGS;
}

// All planes in memory; with `packed`, those that can be packed are.
static bool try_memory(struct plan_stream *plan, const struct parts *parts, uint64_t memory, bool packed)
{
    const bool on_device = parts->device.memory > 0;
    const uint64_t all_planes = planes_bytes(parts, packed, false);
    if (packed && (on_device || material_men(&parts->layout.material) > PACKED_MEN_MAX))
        return false;
    const uint64_t solving = (on_device ? 0 : all_planes) + parts->bases;
    const uint64_t written = on_device ? 0 : planes_bytes(parts, packed, true);
    plan->streamed = false;
    plan->packed = packed;
    plan->layout = layout_flags(&parts->layout.material, &parts->device, false);
    plan->write_memory = u64_larger(u64_smaller(less(memory, written), parts->writer.most), parts->writer.least);
    plan->memory = u64_larger(solving, written + plan->write_memory);
    // The device holds one more plane, for the moves; a plane may be divided into several buffers.
    return u64_larger(solving, written + parts->writer.least) <= memory &&
           (!on_device || all_planes + plane_bytes(&parts->layout) <= parts->device.memory);
}

// The memory for showing windows of so many planes, and for all else that the program holds then, planes included.
static uint64_t shown_bytes(const struct parts *parts, const struct scratch_shape *shape, unsigned planes)
{
    enum { SMALL_THINGS = 12 << 20 };
    return planes * (plane_bytes(&parts->layout) / shape->column_groups) + SMALL_THINGS + parts->kept;
}

// The memory for a shape: while solving, and while the table is written from windows of White's moves.
static uint64_t shape_memory(const struct parts *parts, const struct scratch_shape *shape)
{
    const uint64_t solving = stream_memory(shape, &parts->layout, parts->threads) + parts->kept + parts->bases;
    const uint64_t writing = shown_bytes(parts, shape, SHOWN_PLANES) + parts->writer.least;
    const uint64_t counting = parts->counted == 0 ? 0 : shown_bytes(parts, shape, SHOWN_PLANES + parts->counted);
    return u64_larger(u64_larger(solving, writing), u64_larger(counting, parts->reading + parts->bases));
}

// One window more than there are roles, for the moves.
static bool fits_device(const struct parts *parts, const struct scratch_shape *shape)
{
    const struct device_limits *device = &parts->device;
    const uint64_t window = stream_window_bytes(shape, &parts->layout);
    return device->memory == 0 ||
           (window <= device->allocation && (STREAM_SETS * STREAM_ROLES + 1) * window <= device->memory);
}

static int try_stream(struct plan_stream *plan, const struct parts *parts, uint64_t memory)
{
    plan->streamed = true;
    plan->packed = false;
    plan->layout = layout_flags(&parts->layout.material, &parts->device, true);
    plan->window_memory = less(memory, parts->bases);
    plan->kept_memory = parts->kept;
    plan->base_memory = parts->bases;
    // If the writer needs more than the solver, its windows are made smaller.
    uint64_t windows = less(memory, parts->bases + parts->kept);
    int code = stream_choose_shape(&plan->shape, &parts->layout, windows);
    // Each process needs windows of its own. With fewer than that the result is the same, but some have nothing to do.
    const uint32_t ranks = parts->options->peers != NULL ? (uint32_t)parts->options->peers->ranks : 1;
    const struct scratch_shape *shape = &plan->shape;
    while (code == 0 &&
           (shape_memory(parts, shape) > memory || !fits_device(parts, shape) ||
            (shape->slot_bytes > LEAST_SHARED_BYTES && (shape->row_groups < ranks || shape->column_groups < ranks)))) {
        windows -= windows / 8 + 1;
        code = stream_choose_shape(&plan->shape, &parts->layout, windows);
    }
    const uint64_t shown = shown_bytes(parts, &plan->shape, SHOWN_PLANES);
    plan->write_memory = u64_larger(u64_smaller(less(memory, shown), parts->writer.most), parts->writer.least);
    plan->memory = u64_larger(shape_memory(parts, &plan->shape), shown + plan->write_memory);
    const uint64_t plane = plane_bytes(&parts->layout);
    const bool both = parts->options->both_sides || parts->options->best;
    plan->ply_bytes = (DENSE_READ + DENSE_WRITTEN) * plane / PACKED_SHARE;
    const bool mate = parts->layout.material.metric != METRIC_DTZ;
    const uint64_t kept = KEPT_PLANES + (mate ? MATE_KEPT_PLANES : 0U);
    plan->scratch_bytes =
        (kept + REWRITTEN_PLANES) * plane / PACKED_SHARE + (both || mate ? 2U : 1U) * LOG_BITS * plane;
    plan->block_bytes = plan->shape.slot_bytes;
    return code;
}

// The largest share of a pawnless table that one of several processes has: whole sections, squares of the black king
// for each side to move.
static uint64_t share_of(uint64_t whole, const struct material *material, int processes)
{
    const uint64_t sections = TRIANGLE_SQUARES * (material_symmetric(material) ? 1U : 2U);
    const uint64_t most = (sections + (uint64_t)processes - 1) / (uint64_t)processes;
    return whole / sections * most;
}

// For one of several processes: tries all planes in memory, including what checkpoints keep of them, then only the
// planes in use. Blocks may become smaller for that, but not smaller than half of what they are with all planes on
// disk.
static int try_shares(struct plan_stream *plan, struct parts *parts, uint64_t memory)
{
    static const uint64_t planes[] = {KEPT_PLANES + MATE_KEPT_PLANES + REWRITTEN_PLANES, KEPT_PLANES + SETTLED_PLANES};
    struct plan_stream on_disk = *plan;
    parts->kept = 0;
    if (parts->options->peers == NULL || try_stream(&on_disk, parts, memory) != 0)
        return try_stream(plan, parts, memory);
    const uint64_t least = u64_smaller(u64_larger(parts->options->block, LEAST_SHARED_BYTES), on_disk.block_bytes / 2);
    for (int i = 0; i < 2; i++) {
        parts->kept =
            share_of(planes[i] * plane_bytes(&parts->layout), &parts->layout.material, parts->options->peers->ranks);
        if (parts->kept < memory && try_stream(plan, parts, memory) == 0 && plan->block_bytes >= least)
            return 0;
    }
    parts->kept = 0;
    *plan = on_disk;
    return 0;
}

// The k-th amount of memory: 1 MiB, and 1/32 more each time.
static uint64_t figure(int k)
{
    uint64_t bytes = 1 << 20;
    for (int i = 0; i < k; i++)
        bytes += bytes / 32;
    return bytes;
}

// The memory with which blocks have `least` bytes, by bisection. It is one of the amounts above, so that it does not
// depend on the memory that is allowed. PLAN_NO_MEMORY if the device is too small for such blocks.
static uint64_t block_memory(const struct parts *parts, uint64_t least, uint64_t memory)
{
    enum { FIGURES = 900 }; // up to 2^60
    int low = 0;            // too little
    int high = FIGURES;     // enough, or beyond the last figure
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        const uint64_t bytes = figure(middle);
        struct plan_stream trial = {.streamed = true};
        if (bytes > memory && try_stream(&trial, parts, bytes) == 0 && trial.block_bytes >= least)
            high = middle;
        else
            low = middle;
    }
    return high < FIGURES ? figure(high) : PLAN_NO_MEMORY;
}

int plan_stream(struct plan_stream *plan, const struct material *material, const struct build_options *options,
                unsigned files, uint64_t memory, const struct device_limits *device)
{
    struct parts parts = {.options = options,
                          .files = files,
                          .device = *device,
                          .threads = options->threads > 0 ? options->threads : os_processors()};
    *plan = (struct plan_stream){.streamed = false};
    TRY(layout_init(&parts.layout, material, layout_flags(material, device, false)));
    find_bases(&parts);
    const struct plan_distances distances = plan_distances(material, options, files & PLAN_SYZYGY);
    if (options->statistics != NULL && material->metric == METRIC_DTZ)
        parts.counted = distances.keep[WHITE] && distances.keep[BLACK] ? PAIR_BOTH_PLANES : PAIR_PLANES;
    parts.writer = plan_write_need(material, options, files);
    const bool fits = try_memory(plan, &parts, memory, false) ||
                      (stream_possible(&parts.layout) && try_memory(plan, &parts, memory, true));
    if ((fits && options->peers == NULL) || !stream_possible(&parts.layout))
        return 0;
    const struct plan_stream in_memory = *plan;
    TRY(layout_init(&parts.layout, material, layout_flags(material, device, true)));
    find_bases(&parts);
    const int code = try_shares(plan, &parts, memory);
    plan->device_too_small = code != 0 && !fits_device(&parts, &plan->shape);
    if (code != 0 && !plan->device_too_small &&
        in_memory.memory < plan->memory) // a small table, which needs less in memory
        *plan = in_memory;
    const uint64_t least =
        u64_smaller(options->block > 0 ? options->block : PLAN_BLOCK_BYTES, stream_largest_block(&parts.layout));
    plan->block_least = options->block > 0 ? least : 0;
    if (code == 0 && plan->block_bytes < least)
        plan->block_memory = block_memory(&parts, least, memory);
    if (plan->block_memory > in_memory.memory && device->memory == 0) // then the planes need not be on disk
        plan->block_memory = in_memory.memory;
    return code;
}

int plan_scratch_room(const char *dir, const struct material *material, uint64_t needed, const struct peers *peers)
{
    char name[MATERIAL_NAME_MAX];
    char work[PATH_MAX];
    TRY(table_rank_work_path(work, sizeof work, dir, material, peers_rank(peers)));
    if (peers != NULL)
        needed = share_of(needed, material, peers->ranks);
    if (scratch_found(work)) // the files of an earlier run already have their space
        return 0;
    // Find the free bytes where the folder is, or will be.
    char path[PATH_MAX];
    uint64_t bytes;
    snprintf(path, sizeof path, "%s", dir);
    while (os_free_bytes(path, &bytes) != 0) {
        char *slash = strrchr(path, '/');
        if (errno != ENOENT)
            return error_errno(CLTB_E_IO, errno, "cannot use %s for scratch files", dir);
        if (slash == NULL)
            snprintf(path, sizeof path, ".");
        else
            slash[slash == path ? 1 : 0] = '\0';
    }
    bytes += folder_work_bytes(dir, material); // these files will be emptied, because they have no checkpoint
    if (bytes >= needed)
        return 0;
    return error_set(CLTB_E_IO, "%s needs about %.3f GB of scratch files in %s, where %.3f GB are free (see --scratch)",
                     material_name(material, name), (double)needed / 1e9, dir, (double)bytes / 1e9);
}
