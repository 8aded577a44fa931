// context_training.h - what the training of both codecs shares (context_train.c, pattern_train.c)
#ifndef CLTB_TABLE_WRITE_CONTEXT_TRAINING_H
#define CLTB_TABLE_WRITE_CONTEXT_TRAINING_H

#include "table/pattern_code.h"
#include "table/write/context_encode.h"
#include "table/write/unit_plan.h"
#include "util/log2.h"

enum {
    MODEL_BITS = 12,      // that a context takes in the file for each symbol except one
    PRIOR = 2,            // the shorter context counts for so many symbols of a context
    FULL_SHARE = 1 << 16, // of weights
    PIECE = 2 * CONTEXT_UNIT,
    LEVELS_OF_ALL = 3,
    PATTERN_NODES = 1 + 1 + 2 + 5 + 15 + 52 + 203 + PATTERNS_MAX, // patterns of 0..7 neighbours
    PATTERN_COUNTS = PATTERN_NODES * PATTERN_SLOTS + 256 * 256    // for each outcome
};

struct training {
    const struct context_sample *sample;
    struct context_model *model;
    struct thread_pool *pool;
    size_t units;
    uint8_t *space;                              // [units * PIECE] of each unit
    uint8_t (*kind)[CONTEXT_UNIT / CONTEXT_ROW]; // [units]
    uint8_t (*copies)[CONTEXT_CANDIDATES];       // [units] rows that could be copied, by candidate
    size_t *length;                              // [units]
    uint32_t *place;                             // [places] symbols in coded rows: their places in `space`
    size_t places;                               //
    size_t coded;                                // symbols in coded rows of the sample
    uint32_t *cell;                              // [places] of count[context][symbol], with the neighbours so far
    uint32_t *count;                             // [workers][counts]
    size_t counts;                               // contexts * symbols, or (GIVEN_MAX or 1) * PATTERN_COUNTS
    uint64_t cost[CONTEXT_CANDIDATES];           // of each candidate
    uint64_t gain[CONTEXT_CANDIDATES];           // what it saved when it was last tried
    struct choosing *choosing;                   // of neighbours (pattern_train.c)
    uint32_t row_count[ROW_CONTEXTS][ROW_KINDS];
};

// Where the symbols of a unit begin in those of the sample.
size_t training_unit(const struct training *training, size_t unit);

// What is given with them, or NULL.
static inline const uint8_t *training_given(const struct training *training, size_t unit)
{
    const uint8_t *given = training->sample->given;
    return given != NULL ? given + training_unit(training, unit) : NULL;
}

static inline uint32_t *training_counts(const struct training *training, int worker)
{
    return training->count + (size_t)worker * training->counts;
}

// The candidate whose cost, found by work(training, number, worker), is less than *least and the least of all, and that
// cost; NULL if there is none. Unless `all` are to be tried, candidates that saved far less when they were last tried
// than another one saves now are not tried again: most neighbours save the less the more others there are. But some
// save only with another one (parity), so all are tried as the first LEVELS_OF_ALL neighbours.
int training_choose(struct training *training, int (*work)(void *context, uint64_t item, int worker), bool all,
                    uint64_t *least, const uint16_t **best);

// Divides all slots of a context in proportion to weights, none of them empty: start[0..size-1], as
// context_read_slots().
void training_slots(uint16_t *start, unsigned size, unsigned symbols, const uint64_t *weight);

// The bits of a model in the file, times 2^LOG2_BITS, in proportion to the listed symbols, which stand for those of
// the whole stream.
uint64_t training_model_cost(const struct training *training, uint64_t bits);

void training_put(uint8_t **at, const uint16_t *start, unsigned symbols);

// ---- distances (pattern_train.c), as the functions of context_train.c for outcomes ----

// Makes a model with one neighbour, the symbol before, which is likely to repeat.
int pattern_simplest_model(struct training *training);
int pattern_choose_neighbours(struct training *training);
void pattern_count(const struct training *training, size_t unit, uint32_t *count); // of one unit
int pattern_set_frequencies(struct training *training);

// The model before its compression: raw[PATTERN_MODEL_MAX]; returns its size.
size_t pattern_write_model(const struct context_model *model, uint8_t *raw);

#endif
