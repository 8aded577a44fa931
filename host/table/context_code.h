// context_code.h - the codecs of outcomes and distances: runs, and range coding with static contexts
//
// A block is cut into units, each of which is decoded by itself; a unit has rows of 64 symbols. A row repeats the
// symbol before it, copies the symbols some places before, or is coded symbol by symbol. The code holds the kind of
// each row, in the context of the kinds of three earlier rows, and each symbol of a row of the last kind, in the
// context of some symbols before it, its neighbours. The frequencies of all contexts are the stream's model.
//
// The two codecs differ in the contexts. Outcomes are few, so the values of the neighbours are the context. Distances
// are many, and the context is which of the neighbours are equal (pattern_code.h). docs/format.md has the bytes.
#ifndef CLTB_TABLE_CONTEXT_CODE_H
#define CLTB_TABLE_CONTEXT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    CONTEXT_UNIT = 8192, // symbols; the last one of a block may have fewer
    CONTEXT_ROW = 64,
    CONTEXT_SYMBOLS_MAX = 5,
    CONTEXT_NEIGHBOURS_MAX = 8,
    CONTEXTS_MAX = 1 << 15,
    CONTEXT_SCALE_BITS = 14, // frequencies of a context add up to 2^14
    CONTEXT_BLOCK_MAX = 1 << 18,
    CONTEXT_LEAST = 1 << 16,                                                  // smallest state of a decoder
    CONTEXT_HEADER = 2 + CONTEXT_SYMBOLS_MAX + 2 + 2 * CONTEXT_NEIGHBOURS_MAX // bytes of a model before its frequencies
};

enum context_row { ROW_REPEAT, ROW_COPY, ROW_CODED, ROW_KINDS };

enum { ROW_CONTEXTS = ROW_KINDS * ROW_KINDS * ROW_KINDS };

// Where each symbol's slots begin; [0] is 0, all from the number of symbols on are 2^CONTEXT_SCALE_BITS.
struct context_slots {
    uint16_t start[CONTEXT_SYMBOLS_MAX + 1];
    uint16_t likely[2]; // for the encoder (write/unit_plan.h)
};

struct context_neighbour {
    uint16_t distance; // places before
    uint16_t weight;   // factor of its index in the number of the context: a power of the number of symbols
};

// What is coded are indices of symbols, in a stream of distances the symbols themselves. Index 0 is assumed before the
// beginning of a unit.
struct context_model {
    struct pattern_model *patterns;            // of a stream of distances; NULL: outcomes
    unsigned symbols;                          // 1..5; distances: 1..255
    unsigned neighbours;                       // 0..8; distances: 1..7
    uint16_t distance[CONTEXT_NEIGHBOURS_MAX]; // of each neighbour: places before
    uint16_t copied;                           // of a copied row: places before
    struct context_slots row[ROW_CONTEXTS];    //
    // The rest is for outcomes only.
    uint8_t symbol[CONTEXT_SYMBOLS_MAX]; // by index
    unsigned contexts;                   // symbols^neighbours
    // The same neighbours by place: in earlier rows, nearer ones, and one place before (`before` is its weight).
    struct context_neighbour far[CONTEXT_NEIGHBOURS_MAX];
    struct context_neighbour near[CONTEXT_NEIGHBOURS_MAX];
    unsigned fars;
    unsigned nears;
    unsigned before;
    struct context_slots *slots; // [contexts]
    uint8_t allowed_by[256];     // for the encoder: the indices that each value of a symbol may become, as a set
};

enum { CONTEXT_VECTOR = 16 };

typedef uint8_t index_vector __attribute__((vector_size(CONTEXT_VECTOR)));
typedef uint16_t context_vector __attribute__((vector_size(2 * CONTEXT_VECTOR)));

// Adds the shares of neighbours to the contexts of a row. All of their indices must be known.
static inline void context_add(const struct context_neighbour *neighbours, unsigned count, const uint8_t *row,
                               uint16_t context[CONTEXT_ROW])
{
    for (unsigned i = 0; i < CONTEXT_ROW; i += CONTEXT_VECTOR) {
        context_vector sum;
        memcpy(&sum, context + i, sizeof sum);
        for (unsigned n = 0; n < count; n++) {
            index_vector index;
            memcpy(&index, row + i - neighbours[n].distance, sizeof index);
            sum += neighbours[n].weight * __builtin_convertvector(index, context_vector);
        }
        memcpy(context + i, &sum, sizeof sum);
    }
}

static inline unsigned context_units(size_t count)
{
    return (unsigned)((count + CONTEXT_UNIT - 1) / CONTEXT_UNIT);
}

// The context of a row's kind; the kinds of rows before the unit are ROW_REPEAT.
static inline unsigned context_of_row(const uint8_t *kinds, unsigned row)
{
    const unsigned near = row >= 1 ? kinds[row - 1] : ROW_REPEAT;
    const unsigned far = row >= 8 ? kinds[row - 8] : ROW_REPEAT;
    const unsigned farther = row >= 64 ? kinds[row - 64] : ROW_REPEAT;
    return (near * ROW_KINDS + far) * ROW_KINDS + farther;
}

// Computes the share of the neighbours in earlier rows in the contexts of a row; `row` points to its indices, which
// follow those of earlier rows.
static inline void context_far(const struct context_model *model, const uint8_t *row, uint16_t context[CONTEXT_ROW])
{
    for (unsigned i = 0; i < CONTEXT_ROW; i += CONTEXT_VECTOR) // quicker than memset()
        memcpy(context + i, &(context_vector){0}, sizeof(context_vector));
    context_add(model->far, model->fars, row, context);
}

// A decoder's state, and the bytes that it has not read yet.
struct context_decoder {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t state;
    bool overrun;
};

static inline __attribute__((always_inline)) uint32_t context_slot(const struct context_decoder *decoder)
{
    return decoder->state & ((1U << CONTEXT_SCALE_BITS) - 1);
}

// Takes a symbol's slots out of the state, whose slot is `slot`.
static inline __attribute__((always_inline)) void context_take(struct context_decoder *decoder, uint32_t slot,
                                                               uint32_t start, uint32_t end)
{
    uint32_t state = (end - start) * (decoder->state >> CONTEXT_SCALE_BITS) + slot - start;
    if (state < CONTEXT_LEAST) {
        if (decoder->end - decoder->at < 2) {
            decoder->overrun = true;
            state = CONTEXT_LEAST;
        } else {
            state = state << 16 | decoder->at[0] | (uint32_t)decoder->at[1] << 8;
            decoder->at += 2;
        }
    }
    decoder->state = state;
}

// Decodes a symbol of a context, or the kind of a row.
static inline __attribute__((always_inline)) unsigned context_decode_one(struct context_decoder *decoder,
                                                                         const struct context_slots *slots)
{
    const uint32_t slot = context_slot(decoder);
    const uint16_t *start = slots->start;
    const unsigned symbol = (unsigned)(slot >= start[1]) + (slot >= start[2]) + (slot >= start[3]) + (slot >= start[4]);
    context_take(decoder, slot, start[symbol], start[symbol + 1]);
    return symbol;
}

// Reads `symbols` frequencies of 2 bytes each, and sets start[0..size-1] to where each symbol's slots begin, and to
// their number after the last symbol. None may be zero, and their sum must be 2^CONTEXT_SCALE_BITS.
bool context_read_slots(uint16_t *start, unsigned size, unsigned symbols, const uint8_t *at);

// Sorts the neighbours by place; false if their distances or the number of contexts are out of range.
bool context_model_sort(struct context_model *model);

// Reads a model of outcomes that has been decompressed, as context_model_read() (block_code.h).
bool outcome_model_read(struct context_model *model, const uint8_t *raw, size_t bytes);

// Decodes a row into `to`, which follows earlier rows.
void outcome_decode_row(const struct context_model *model, struct context_decoder *decoder, uint8_t *to, size_t count);

#endif
