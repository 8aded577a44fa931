// context_code.h - the codec of outcomes: runs of equal symbols, and the rest by range coding with static contexts
//
// A block is cut into units, each of which is decoded by itself; a unit has rows of 64 symbols. A row repeats the
// symbol before it, copies the symbols some places before, or is coded symbol by symbol. The code holds the kind of
// each row, in the context of the kinds of three earlier rows, and each symbol of a row of the last kind, in the
// context of some symbols before it. The frequencies of all contexts are the stream's model. docs/format.md has the
// bytes.
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
    uint16_t likely[2]; // for the encoder (write/context_unit.h)
};

struct context_neighbour {
    uint16_t distance; // places before
    uint16_t weight;   // factor of its index in the number of the context: a power of the number of symbols
};

struct context_model {
    unsigned symbols;                          // 1..5
    uint8_t symbol[CONTEXT_SYMBOLS_MAX];       // their values; [0] is assumed before the beginning of a unit
    unsigned neighbours;                       // 0..8
    uint16_t distance[CONTEXT_NEIGHBOURS_MAX]; // of each neighbour: places before
    uint16_t copied;                           // of a copied row: places before
    unsigned contexts;                         // symbols^neighbours
    // The same neighbours by place: in earlier rows, nearer ones, and one place before (`before` is its weight).
    struct context_neighbour far[CONTEXT_NEIGHBOURS_MAX];
    struct context_neighbour near[CONTEXT_NEIGHBOURS_MAX];
    unsigned fars;
    unsigned nears;
    unsigned before;
    struct context_slots row[ROW_CONTEXTS]; //
    struct context_slots *slots;            // [contexts]
};

enum { CONTEXT_VECTOR = 16 };

typedef uint8_t index_vector __attribute__((vector_size(CONTEXT_VECTOR)));
typedef uint16_t context_vector __attribute__((vector_size(2 * CONTEXT_VECTOR)));

// Adds a neighbour's share to the contexts of a row. All of its indices must be known.
static inline void context_add(const struct context_neighbour *neighbour, const uint8_t *row,
                               uint16_t context[CONTEXT_ROW])
{
    const uint8_t *from = row - neighbour->distance;
    for (unsigned i = 0; i < CONTEXT_ROW; i += CONTEXT_VECTOR) {
        index_vector index;
        context_vector sum;
        memcpy(&index, from + i, sizeof index);
        memcpy(&sum, context + i, sizeof sum);
        sum += neighbour->weight * __builtin_convertvector(index, context_vector);
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
    memset(context, 0, CONTEXT_ROW * sizeof *context);
    for (unsigned n = 0; n < model->fars; n++)
        context_add(&model->far[n], row, context);
}

// Sorts the neighbours by place; false if their distances or the number of contexts are out of range.
bool context_model_sort(struct context_model *model);

// Reads a model from a container; false if it is invalid or there is no memory for it.
bool context_model_read(struct context_model *model, const uint8_t *data, size_t bytes);
void context_model_free(struct context_model *model);

// Decodes units first..last-1 of a block of `count` symbols into symbols[], which has room for these units. False if
// the block is invalid.
bool context_decode(const struct context_model *model, const uint8_t *data, size_t bytes, size_t count, unsigned first,
                    unsigned last, uint8_t *symbols);

#endif
