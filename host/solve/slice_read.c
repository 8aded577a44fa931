// slice_read.c - slices or tiles of a plane in the host's memory, and what slabs may be imported into them
#include "solve/backend.h"
#include "solve/backend_bulk.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/threads.h"

#include <stdlib.h>
#include <string.h>

enum { COPY_WORDS = 1 << 13 }; // in an item of the pool

// Slices that share their tiles are a group: one slice, or 8^d of them with d slice digits. A tile has a run of words
// of each slice of its group; in a slab the slice's own runs are consecutive. Without slices each tile is a group, a
// slice and a run.
struct reading {
    struct backend *backend;
    const struct plane *plane;
    uint64_t first; // slice
    uint64_t count;
    uint64_t *slabs;
    uint64_t each;   // slices of a group
    uint64_t stride; // tiles of a group
    size_t run;      // words
    // Of the groups whose slices are read:
    const uint64_t *tiles;
    uint64_t group;  // the first one
    uint64_t groups; //
};

static uint64_t first_read(const struct reading *reading)
{
    const uint64_t slice = reading->group * reading->each;
    return slice > reading->first ? slice : reading->first;
}

// The number of runs in the wanted slices of the groups.
static uint64_t runs(const struct reading *reading)
{
    const uint64_t end = reading->first + reading->count;
    const uint64_t last = (reading->group + reading->groups) * reading->each;
    return ((last < end ? last : end) - first_read(reading)) * reading->stride;
}

static uint64_t runs_of_item(const struct reading *reading)
{
    const uint64_t fit = COPY_WORDS / reading->run;
    return fit == 0 ? 1 : fit;
}

// Copies some runs out of the tiles.
static int unpack(void *context, uint64_t item, int worker)
{
    const struct reading *reading = context;
    const uint64_t some = runs_of_item(reading);
    const uint64_t all = runs(reading);
    const size_t words = reading->run * reading->stride; // of a slab
    (void)worker;
    for (uint64_t i = item * some; i < all && i < (item + 1) * some; i++) {
        const uint64_t slice = first_read(reading) + i / reading->stride;
        const uint64_t tile = i % reading->stride;
        const uint64_t group = slice / reading->each - reading->group;
        memcpy(reading->slabs + (slice - reading->first) * words + tile * reading->run,
               reading->tiles + group * reading->each * words +
                   (tile * reading->each + slice % reading->each) * reading->run,
               reading->run * sizeof(uint64_t));
    }
    return 0;
}

// While the groups in one half of the backend's memory are taken apart, the next ones are read.
static int read_in_bulk(struct reading *reading)
{
    struct backend *backend = reading->backend;
    const struct backend_bulk *bulk = backend->bulk;
    const uint64_t last = (reading->first + reading->count - 1) / reading->each + 1;
    uint64_t *half[2];
    uint64_t room;
    reading->group = reading->first / reading->each;
    room = last - reading->group;
    TRY(bulk->halves(backend, (size_t)(reading->stride * backend->layout.tile_lanes / 8), &room, half));
    for (int at = 0; reading->group < last; at = 1 - at) { // there are groups from the second round on
        const uint64_t first = reading->group + reading->groups;
        const uint64_t groups = last - first < room ? last - first : room;
        const struct plane_piece piece = {reading->plane, first * reading->stride, groups * reading->stride, half[at]};
        TRY(bulk->begin(backend, at, &piece, groups > 0 ? 1 : 0));
        TRY(bulk->wait(backend, 1 - at));
        reading->tiles = half[1 - at];
        const uint64_t some = runs_of_item(reading);
        int code = 0;
        if (reading->groups > 0)
            code = threads_each(backend->pool, (runs(reading) + some - 1) / some, unpack, reading);
        if (code != 0) {
            bulk->wait(backend, at);
            return code;
        }
        reading->group = first;
        reading->groups = groups;
    }
    return 0;
}

// An item is some tiles: slices that share none.
static int read_tiles(void *context, uint64_t item, int worker)
{
    const struct reading *reading = context;
    const uint64_t some = runs_of_item(reading);
    const uint64_t left = reading->count * reading->stride - item * some;
    (void)worker;
    return reading->backend->ops->read(reading->backend, reading->plane, reading->first * reading->stride + item * some,
                                       left < some ? left : some, reading->slabs + item * some * reading->run);
}

// An item is a group.
static int read_group(void *context, uint64_t item, int worker)
{
    struct reading reading = *(const struct reading *)context;
    const uint64_t words = reading.stride * reading.backend->layout.tile_lanes / 64;
    uint64_t *tiles;
    (void)worker;
    TRY(memory_new(&tiles, words, sizeof *tiles, "slices"));
    reading.tiles = tiles;
    reading.group = reading.first / reading.each + item;
    reading.groups = 1;
    int code = reading.backend->ops->read(reading.backend, reading.plane, reading.group * reading.stride,
                                          reading.stride, tiles);
    const uint64_t some = runs_of_item(&reading);
    for (uint64_t i = 0; code == 0 && i * some < runs(&reading); i++)
        code = unpack(&reading, i, 0);
    free(tiles);
    return code;
}

int slice_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *slabs)
{
    const struct layout *layout = &backend->layout;
    struct reading reading = {.backend = backend, .plane = plane, .first = first, .count = count, .slabs = slabs};
    reading.each = UINT64_C(1) << 3 * layout->slice_digits;
    reading.stride = layout->slices > 0 ? layout->slice_stride : 1;
    reading.run = (size_t)(layout->tile_lanes / 64 / reading.each);
    if (count == 0)
        return 0;
    if (backend->bulk != NULL)
        return read_in_bulk(&reading);
    if (reading.each > 1)
        return threads_each(backend->pool, (first + count - 1) / reading.each - first / reading.each + 1, read_group,
                            &reading);
    const uint64_t some = runs_of_item(&reading);
    return threads_each(backend->pool, (count * reading.stride + some - 1) / some, read_tiles, &reading);
}

int slab_imports_check(const struct layout *layout, const struct slab_import *imports, size_t count)
{
    if (layout->slices == 0)
        return error_set(CLTB_E_USAGE, "slabs are for layouts of slices");
    for (size_t i = 0; i < count; i++) {
        if (imports[i].slice >= layout->slices_used || (i > 0 && imports[i].slice < imports[i - 1].slice))
            return error_set(CLTB_E_USAGE, "import %zu into slice %llu of %llu is out of range or out of order", i,
                             (unsigned long long)imports[i].slice, (unsigned long long)layout->slices_used);
    }
    return 0;
}
