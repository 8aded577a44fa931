// slice_read.c - slices of a plane as slabs, and what slabs may be imported into them
#include "solve/backend.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// Slices that share their tiles are a group: one slice, or 8^d of them with d slice digits.
struct reading {
    const struct layout *layout;
    uint64_t first; // slice
    uint64_t count;
    uint64_t *slabs;
};

static uint64_t group_slices(const struct layout *layout)
{
    return UINT64_C(1) << 3 * layout->slice_digits;
}

// Copies the wanted slices out of the tiles of some groups. A tile has a run of bits of each of its slices; in a slab,
// its own runs are consecutive.
static void unpack(const struct reading *reading, uint64_t group, uint64_t groups, const uint64_t *tiles)
{
    const struct layout *layout = reading->layout;
    const uint64_t each = group_slices(layout);
    const size_t words = layout_slab_bits(layout) / 64;
    const size_t run = words / layout->slice_stride;
    const uint64_t end = reading->first + reading->count;
    const uint64_t last = (group + groups) * each < end ? (group + groups) * each : end;
    for (uint64_t slice = group * each > reading->first ? group * each : reading->first; slice < last; slice++) {
        const uint64_t *from = tiles + (slice / each - group) * each * words + slice % each * run;
        for (uint64_t tile = 0; tile < layout->slice_stride; tile++)
            memcpy(reading->slabs + (slice - reading->first) * words + tile * run,
                   from + tile * (layout->tile_lanes / 64), run * sizeof *from);
    }
}

// Groups of slices in one half of the backend's memory.
struct chunk {
    uint64_t group; // the first one
    uint64_t groups;
};

// While one chunk is unpacked, the next one is read.
static int read_in_bulk(const struct reading *reading, struct backend *backend, const struct plane *plane)
{
    const struct layout *layout = reading->layout;
    const struct backend_bulk *bulk = backend->bulk;
    const uint64_t each = group_slices(layout);
    const uint64_t last = (reading->first + reading->count - 1) / each + 1;
    uint64_t *half[2];
    struct chunk now = {.group = reading->first / each};
    uint64_t room = last - now.group;
    TRY(bulk->halves(backend, (size_t)(layout->slice_stride * layout->tile_lanes / 8), &room, half));
    for (int at = 0; now.group < last; at = 1 - at) { // `now` is read from the second round on
        const uint64_t first = now.group + now.groups;
        const struct chunk next = {first, last - first < room ? last - first : room};
        const struct plane_piece piece = {plane, next.group * layout->slice_stride, next.groups * layout->slice_stride,
                                          half[at]};
        TRY(bulk->begin(backend, at, &piece, next.groups > 0 ? 1 : 0));
        TRY(bulk->wait(backend, 1 - at));
        unpack(reading, now.group, now.groups, half[1 - at]);
        now = next;
    }
    return 0;
}

int slice_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *slabs)
{
    const struct layout *layout = &backend->layout;
    const struct reading reading = {layout, first, count, slabs};
    const uint64_t each = group_slices(layout);
    if (count == 0)
        return 0;
    if (backend->bulk != NULL)
        return read_in_bulk(&reading, backend, plane);
    if (each == 1)
        return backend->ops->read(backend, plane, first * layout->slice_stride, count * layout->slice_stride, slabs);
    const size_t bytes = layout->slice_stride * layout->tile_lanes / 8;
    uint64_t *tiles = malloc(bytes);
    if (tiles == NULL)
        return error_memory(bytes, "reading slices");
    int code = 0;
    for (uint64_t group = first / each; code == 0 && group * each < first + count; group++) {
        code = backend->ops->read(backend, plane, group * layout->slice_stride, layout->slice_stride, tiles);
        if (code == 0)
            unpack(&reading, group, 1, tiles);
    }
    free(tiles);
    return code;
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
