// pack.c - the values of a sub-table of a Syzygy file, compressed by recursive pairing
#include "syzygy/write/packed.h"

#include "syzygy/write/blocks.h"
#include "syzygy/write/pairing.h"
#include "util/error.h"
#include "util/log2.h"
#include "util/memory.h"

#include <stdlib.h>

enum {
    RARE = 6, // pairs that gain less than 24 bits do not pay for the 3 bytes of their symbol
    STEP = 75,
    FIVE_MEN_VALUES = 1 << 27,
    ESTIMATE_PAIRS = 250,
    PAIR_VALUES = 1 << 12, // one more pair for so many values
    ESTIMATE_RARE = 12,
    ESTIMATE_STEP = 75
};

// Pairs of distances pay only if they gain more than this, which was found by experiment; so do those of outcomes in
// sub-tables larger than any of five men, where numbers of symbols run out.
static int64_t toll(const struct syzygy_values *values)
{
    return values->wdl && values->count <= FIVE_MEN_VALUES ? 0 : 1 << LOG2_BITS;
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

int syzygy_pack(struct syzygy_packed *packed, const struct syzygy_values *values, struct thread_pool *pool)
{
    *packed = (struct syzygy_packed){.values = values->count};
    struct symbols *symbols;
    TRY(memory_new(&symbols, 1, sizeof *symbols, "symbols"));
    const uint64_t frequent = values->count >> 14 > RARE ? values->count >> 14 : RARE;
    int code = symbols_open(symbols, values, frequent, pool);
    packed->single = symbols->single;
    packed->value = symbols->value[0];
    if (code == 0 && !packed->single) {
        const struct pairing_limits limits = {
            .ids = IDS_MAX, .frequency = RARE, .step = STEP, .toll = toll(values), .room = values->room};
        code = pairing_run(symbols, &limits, pool);
        THEN(code, blocks_write(packed, symbols, values->wdl, pool));
    }
    symbols_close(symbols);
    free(symbols);
    if (code != 0)
        syzygy_packed_free(packed);
    return code;
}

int syzygy_estimate(const struct syzygy_values *values, uint64_t *bytes)
{
    struct symbols *symbols;
    TRY(memory_new(&symbols, 1, sizeof *symbols, "symbols"));
    const uint64_t frequent = values->count >> 14 > ESTIMATE_RARE ? values->count >> 14 : ESTIMATE_RARE;
    int code = symbols_open(symbols, values, frequent, NULL);
    *bytes = 2;
    if (code == 0 && !symbols->single) {
        const uint64_t ids = symbols->ids + ESTIMATE_PAIRS + values->count / PAIR_VALUES;
        const struct pairing_limits limits = {.ids = ids < IDS_MAX ? (unsigned)ids : IDS_MAX,
                                              .frequency = ESTIMATE_RARE,
                                              .step = ESTIMATE_STEP,
                                              .toll = toll(values)};
        code = pairing_run(symbols, &limits, NULL);
        uint64_t bits = 0;
        THEN(code, blocks_estimate(symbols, &bits));
        *bytes = (bits + 7) / 8;
    }
    symbols_close(symbols);
    free(symbols);
    return code;
}
