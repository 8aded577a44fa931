// coder.h - the blocks of a stream, coded on a device (kernels/code.cl)
#ifndef CLTB_SOLVE_CODER_H
#define CLTB_SOLVE_CODER_H

#include "kernels/launch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct entry_order;
struct thread_pool;

// A unit of a block as a device has coded it.
struct coded_unit {
    uint32_t tokens; // or CODE_SYMBOL_ALIKE | the index of all symbols; or CODE_SYMBOL_BAD
    uint32_t bytes;
};

// Takes the units of symbols first..first+count-1 of a section, whole blocks except at the end. The bytes of each begin
// at bytes[2 * place], and are valid until it returns.
typedef int coded_take(void *context, uint64_t first, uint64_t count, const struct coded_unit *unit,
                       const uint32_t *place, const uint8_t *bytes, struct thread_pool *pool);

// How a stream is coded.
struct symbols_coder {
    bool distances;           // of which vacant entries take no bits
    int side;                 // to move
    const uint8_t *sets;      // [256] of outcomes: the set of indices that each symbol may have
    struct code_launch model; // without `units` and `rows`
    const uint32_t *table;    // [words] CODE_TABLE_*
    size_t words;
    coded_take *take;
    void *take_context;
};

// Symbols of the host that a device is to code: those of consecutive sections, from entry 0 of the first one on.
struct code_request {
    const struct symbols_coder *coder;
    const struct entry_order *order;
    uint64_t section;       // the first one
    const uint8_t *symbols; // [count]
    uint64_t count;
    uint64_t unit; // symbols of a block, of which a section has a whole number if there are several
};

#endif
