// symbols.h - the values of a sub-table as symbols, before pairs are looked for
//
// A symbol is a leaf, a pair of symbols, or a class of free values that is still open: it stands for whichever of its
// leaves it meets in a pair. Numbers of symbols here are not those of the file:
//
//     0 ..                leaves, by rising value
//     leaves ..           classes
//     leaves + classes .. pairs, in order of their making
#ifndef CLTB_SYZYGY_WRITE_SYMBOLS_H
#define CLTB_SYZYGY_WRITE_SYMBOLS_H

#include "syzygy/write/packed.h"
#include "syzygy/write/slices.h"
#include "util/threads.h"

#include <stddef.h>

enum {
    SYMBOLS_MAX = 4095, // leaves and pairs
    CLASSES = 4,
    IDS_MAX = SYMBOLS_MAX + CLASSES,
    SPAN_MAX = 256,                                                            // values that a symbol stands for
    HEIGHT_MAX = 15,                                                           // pairs within pairs; shakmaty allows 16
    COUNTS_BYTES = 4 * ((IDS_MAX + 63) / 64 * 64) * ((IDS_MAX + 63) / 64 * 64) // of all pairs (pairing.c)
};

// Pairs never cross the border of a slice, so slices are work for threads and the result does not depend on their
// number.
struct slice {
    uint64_t values;
    uint16_t *symbol; // [length]
    uint32_t length;
};

struct symbols {
    bool single; // all values can be the same one: only its leaf is set
    unsigned leaves;
    unsigned pairs;           // the first pair: leaves + CLASSES
    unsigned ids;             // all numbers are below this
    uint16_t value[IDS_MAX];  // of leaves
    uint16_t admits[CLASSES]; // class c admits the leaves below this
    uint16_t left[IDS_MAX];   // of pairs
    uint16_t right[IDS_MAX];  //
    uint16_t span[IDS_MAX];   // values that each symbol stands for
    uint8_t height[IDS_MAX];  // 0 for leaves
    struct slice *slice;      //
    size_t slices;            //
    uint16_t *stream;         // all slices' symbols
    size_t stream_bytes;      // of memory_map(); 0: it is part of the scratch memory
    void *spare;              // the rest of the scratch memory
    size_t spare_bytes;       //
};

// Fills long runs of free values in `values`, then makes symbols of the values: leaves, open classes, and runs of a
// leaf as powers of two if these occur `frequent` times. CLTB_E_MEMORY. Call symbols_close() even after an error.
int symbols_open(struct symbols *symbols, const struct syzygy_values *values, uint64_t frequent,
                 struct thread_pool *pool);
void symbols_close(struct symbols *symbols);

// Adds the occurrences of each value to count[256]. There must be fewer than 2^32.
void symbols_count(const uint8_t *value, uint64_t values, uint32_t *count);

// Adds a pair and returns its number.
unsigned symbols_pair(struct symbols *symbols, unsigned left, unsigned right);

// Do the limits of readers allow this pair?
static inline bool symbols_fit(const struct symbols *symbols, unsigned left, unsigned right)
{
    return symbols->span[left] + symbols->span[right] <= SPAN_MAX && symbols->height[left] < HEIGHT_MAX &&
           symbols->height[right] < HEIGHT_MAX;
}

#endif
