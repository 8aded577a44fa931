// slices.h - the values of a sub-table, compressed in slices, for when memory is short
#ifndef CLTB_SYZYGY_WRITE_SLICES_H
#define CLTB_SYZYGY_WRITE_SLICES_H

#include <stddef.h>
#include <stdint.h>

enum {
    SLICE_VALUES = 1 << 20,
    SLICES_PART = 4 // compressed values are expected to take at most this part; those of five men take 0.01 to 0.1
};

struct value_slices {
    struct value_slice *slice; // [slices]
    size_t slices;
};

// CLTB_E_MEMORY.
int value_slices_open(struct value_slices *slices, uint64_t values);
void value_slices_close(struct value_slices *slices);

// For different slices thread-safe. All but the last one have SLICE_VALUES values. CLTB_E_MEMORY.
int value_slice_put(struct value_slices *slices, uint64_t number, const uint8_t *value, size_t values);
int value_slice_get(const struct value_slices *slices, uint64_t number, uint8_t *value);
void value_slice_drop(struct value_slices *slices, uint64_t number);

#endif
