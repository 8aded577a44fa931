// slices.c - the values of a sub-table, compressed in slices, for when memory is short
#include "syzygy/write/slices.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { LEVEL = 1 };

struct value_slice {
    void *data;
    size_t bytes;
};

int value_slices_open(struct value_slices *slices, uint64_t values)
{
    slices->slices = (values + SLICE_VALUES - 1) / SLICE_VALUES;
    return memory_new(&slices->slice, slices->slices, sizeof *slices->slice, "slices of values");
}

void value_slices_close(struct value_slices *slices)
{
    for (size_t i = 0; slices->slice != NULL && i < slices->slices; i++)
        free(slices->slice[i].data);
    free(slices->slice);
    slices->slice = NULL;
}

int value_slice_put(struct value_slices *slices, uint64_t number, const uint8_t *value, size_t values)
{
    struct value_slice *slice = &slices->slice[number];
    const size_t bound = ZSTD_compressBound(values);
    uint8_t *space = malloc(bound);
    if (space != NULL) {
        const size_t bytes = ZSTD_compress(space, bound, value, values, LEVEL);
        slice->data = ZSTD_isError(bytes) ? NULL : malloc(bytes);
        if (slice->data != NULL)
            memcpy(slice->data, space, slice->bytes = bytes);
    }
    free(space);
    return slice->data != NULL ? 0 : error_memory(bound, "slices of values");
}

int value_slice_get(const struct value_slices *slices, uint64_t number, uint8_t *value)
{
    const struct value_slice *slice = &slices->slice[number];
    const size_t bytes = ZSTD_decompress(value, SLICE_VALUES, slice->data, slice->bytes);
    return !ZSTD_isError(bytes) ? 0 : error_memory(SLICE_VALUES, "slices of values"); // nothing else can fail
}

void value_slice_drop(struct value_slices *slices, uint64_t number)
{
    free(slices->slice[number].data);
    slices->slice[number].data = NULL;
}
