// packed.c - a sub-table as it is in a Syzygy file
#include "syzygy/write/packed.h"

#include <stdlib.h>

uint64_t syzygy_packed_bytes(const struct syzygy_packed *packed)
{
    if (packed->single)
        return 2;
    const uint64_t codes = packed->code_max - packed->code_min + UINT64_C(1);
    const uint64_t header = 12 + 2 * codes + 3 * (uint64_t)packed->symbols + packed->symbols % 2;
    const uint64_t lengths = packed->blocks + (uint64_t)packed->padding;
    const uint64_t data = ((uint64_t)packed->blocks << packed->block_bits) + 63;
    return header + 6 * packed->spans + 2 * lengths + data / 64 * 64;
}

void syzygy_packed_free(struct syzygy_packed *packed)
{
    free(packed->first);
    free(packed->symbol);
    free(packed->sparse);
    free(packed->length);
    free(packed->data);
    *packed = (struct syzygy_packed){.values = 0};
}
