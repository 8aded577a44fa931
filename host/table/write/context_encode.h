// context_encode.h - the writer's half of the codecs of outcomes and distances (table/context_code.h)
#ifndef CLTB_TABLE_WRITE_CONTEXT_ENCODE_H
#define CLTB_TABLE_WRITE_CONTEXT_ENCODE_H

#include "index/vacant.h"
#include "table/context_code.h"
#include "util/threads.h"

enum { CONTEXT_CANDIDATES = 32 };

// The blocks from which a model is made, all of the same length, with don't-cares (word_symbols.h).
struct context_sample {
    const uint8_t *symbols; // [blocks * block]
    const uint8_t *given;   // [blocks * block] of distances: what is given to the coder; NULL: nothing
    bool marked;            // with `given`: VACANT at vacant entries
    bool paired;            // with `given`: the outcomes as they are stored, elsewhere zeros
    unsigned outcomes;      // the number of their stream
    size_t block;
    size_t blocks;
    unsigned distances;                     // distances are 0..distances-1, 1..255; 0: outcomes
    const struct ply_lists *lists;          // of which these are places (pattern_code.h); NULL: plies
    bool occurs[CONTEXT_SYMBOLS_MAX];       // which outcomes the stream can have
    uint16_t candidate[CONTEXT_CANDIDATES]; // distances from which neighbours are chosen
    unsigned candidates;
    unsigned contexts;       // at most; distances: 1
    unsigned places;         // symbols by which neighbours are chosen, at most
    bool trial;              // the model is only to be compared with others
    uint64_t symbols_in_all; // in the whole stream, for which a larger model must pay
};

// The memory that context_train() needs besides the sample.
size_t context_train_bytes(const struct context_sample *sample, int threads);

// Makes the model of a stream. `*data` [*bytes], malloc'ed, can be read by context_model_read(). `pool` may be NULL.
int context_train(struct context_model *model, const struct context_sample *sample, struct thread_pool *pool,
                  uint8_t **data, size_t *bytes);

// Makes the frequencies of a trial's model anew, from a larger sample in the same order; its neighbours remain.
int context_train_again(struct context_model *model, const struct context_sample *sample, struct thread_pool *pool,
                        uint8_t **data, size_t *bytes);

// The most bytes that a block of `count` symbols can take.
size_t context_bound(size_t count);

// Encodes a block into encoded[context_bound(count)], with a model from context_train(). `given` as in the sample of
// the model. `marks`, unless NULL, is the entry of the first symbol: then vacant entries are marked here, in the rows
// that need it. `stored`, unless NULL, gets the symbols that a reader will find; it may be `symbols`. CLTB_E_CORRUPT if
// a symbol is not in the model, or if that of a marked entry is not a don't-care.
int context_encode(const struct context_model *model, const uint8_t *symbols, const uint8_t *given,
                   const struct vacant_start *marks, size_t count, uint8_t *stored, uint8_t *encoded, size_t *bytes);

// A unit that has been coded.
struct context_piece {
    const uint8_t *bytes;
    size_t size;
    int symbol; // the index that all of its symbols have, in which case nothing is coded, or -1
};

// Puts the units of a block together, which takes context_bound() bytes at most; returns how many.
size_t context_join(const struct context_piece *piece, unsigned units, uint8_t *encoded);

// The error of a symbol that is not in the model.
int context_damaged(void);

#endif
