// slice_read.c - slices of a plane as slabs, and what slabs may be imported into them
#include "solve/backend.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

int slice_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *slabs)
{
    const struct layout *layout = &backend->layout;
    const unsigned shift = 3U * (unsigned)layout->slice_digits;
    const size_t words = layout_slab_bits(layout) / 64;
    if (shift == 0)
        return backend->ops->read(backend, plane, first * layout->slice_stride, count * layout->slice_stride, slabs);
    const size_t bytes = layout->slice_stride * layout->tile_lanes / 8;
    uint64_t *tiles = malloc(bytes);
    if (tiles == NULL)
        return error_memory(bytes, "reading slices");
    const size_t run = words / layout->slice_stride;
    int code = 0;
    for (uint64_t slice = first; code == 0 && slice < first + count;) {
        const uint64_t high = slice >> shift;
        code = backend->ops->read(backend, plane, high * layout->slice_stride, layout->slice_stride, tiles);
        // One tile holds a run of 8^n bits of each of its slices; in a slab its own runs are consecutive.
        for (; code == 0 && slice < first + count && slice >> shift == high; slice++) {
            const uint64_t low = slice & ((UINT64_C(1) << shift) - 1);
            for (uint64_t tile = 0; tile < layout->slice_stride; tile++)
                memcpy(slabs + (slice - first) * words + tile * run,
                       tiles + tile * (layout->tile_lanes / 64) + low * run, run * sizeof *slabs);
        }
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
