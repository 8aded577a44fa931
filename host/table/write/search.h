// search.h - the search of a stream's order (write_search.c), and the models that it tries (write_models.c)
#ifndef CLTB_TABLE_WRITE_SEARCH_H
#define CLTB_TABLE_WRITE_SEARCH_H

#include "table/write/context_encode.h"
#include "table/write/writer.h"
#include "util/behind.h"
#include "util/saturate.h"

enum {
    SAMPLES_MAX = 16, // sections from which samples come, at most
    ORDERS_MAX = 5040,
    SYMBOL_BYTES = 256 // different symbols of a byte
};

// What samples come from: some sections in the natural order of the groups, whole, or once for each group with that
// group thinned, for the orders in which it is far outside. Number v * sections + s is a *piece*.
struct sample {
    struct entry_order natural[ENTRY_GROUPS_MAX * SAMPLES_MAX]; // [piece]
    int variants;                                               // 1, or a group each
    int sections;
    uint64_t section[SAMPLES_MAX];
    uint64_t most;    // entries of a piece, at most
    uint64_t entries; // of the whole stream
};

static inline int sample_pieces(const struct sample *sample)
{
    return sample->variants * sample->sections;
}

// What the search and the models may take: as a rule, for a large table, with --best.
enum effort { EFFORT_USUAL, EFFORT_LARGE, EFFORT_BEST, EFFORTS };

static inline enum effort effort_of(const struct entry_order *order, bool best)
{
    return best ? EFFORT_BEST : order->per_section > LARGE_SYMBOLS ? EFFORT_LARGE : EFFORT_USUAL;
}

// The search of the order of one stream.
struct search {
    struct writer *writer;
    struct thread_pool *pool; // for samples and models
    const struct stream *stream;
    const struct sample *sample;
    uint8_t *symbols; // of one piece, or [pieces][sample->most]
    enum effort effort;
    bool all;         // Is there memory for all pieces?
    int piece;        // the one that is there, -1 for none; of all pieces, the last one
    uint64_t entries; // of the whole stream
    uint64_t sampled; // blocks from each section, at most
    size_t block;     // symbols
    int orders;
    uint8_t choice[ORDERS_MAX][ENTRY_GROUPS_MAX];
    _Atomic uint64_t bytes[ORDERS_MAX];
    _Atomic uint32_t (*count)[SYMBOL_BYTES]; // [orders] how often each symbol was in the sample; streams of bytes only
    uint64_t least;                          // bytes of a sample whose symbols are all equal
    struct context_model *trial;             // [trials] the models of the orders
    int trials;
};

// Fills a piece of the sample, unless it is there; *symbols are its symbols.
int hold_piece(struct search *search, int piece, const uint8_t **symbols);

// Lists the pieces that have whole units of an order; returns their number, a multiple of the sections.
int pieces_of_order(const struct search *search, const uint8_t *choice, int piece[ENTRY_GROUPS_MAX * SAMPLES_MAX]);

// The order of a choice, as a piece has it.
struct entry_order sampled_order(const struct search *search, const uint8_t *choice, int piece);

// The digits by which a section is put from the natural order into another one.
struct entry_digits section_digits(const struct entry_order *order, const struct entry_order *natural,
                                   const uint8_t *choice);

// One of `blocks` blocks of a section, from somewhere in part `number` of `parts` equal ones.
uint64_t somewhere(uint64_t number, uint64_t blocks, uint64_t parts, uint64_t section);

// Adds the symbols of a sample to the counts of an order.
void count_symbols(struct search *search, int order, const uint8_t *symbols, size_t count);

// Moves the `most` smallest orders to the front and drops the others. If symbols were counted, the bytes are first put
// in proportion to the information of each sample, and the counts are cleared.
void keep_best(struct search *search, int most);

// ---- write_search.c, for the writer ----

// Chooses the orders of all streams. The compressors must be open.
int write_search(struct writer *writer);

// Makes outcomes and distances of a side, which has distances that are kept, a pair if that takes fewer bytes.
int write_pair(struct writer *writer, int side);

// The smallest sample that suffices for the search, and the sample that is taken if there is room, with the models that
// are made from it.
struct memory_need write_search_need(const struct entry_order *order, unsigned distance_bytes, bool best, int threads);

// ---- write_models.c ----

// Leaves the best of the orders, by models for each of them (streams of one byte a symbol).
int try_models(struct search *search);

// The frequencies of a stream's model, which are made from a sample, maybe beside the search of the next stream.
struct model_work {
    struct behind behind; // to be waited for
    struct thread_pool *pool;
    struct stream *stream;
    struct context_sample sample;
};

// Makes the model of a stream for the first of the orders. The stream keeps none if zstd takes fewer bytes.
int make_model(struct search *search, struct stream *stream, struct model_work *work);

// May outcomes and distances be a pair?
bool pair_possible(const struct writer *writer, const struct stream *outcome, const struct stream *distance);

// Makes both streams of a side anew, with the order of the distances, so that their outcomes are given to the coder;
// nothing changes if this takes more bytes. The searches have the same sample; each has its sections made.
int make_pair(struct search *of_outcomes, struct search *of_distances, struct stream *outcome, struct stream *distance);

// What models need besides the pieces of the sample: when all threads try one order after another, and when each tries
// its own. `*kept`: the models that remain of the trials.
struct memory_need models_need(const struct sample *sample, const struct entry_order *order, bool best, int threads,
                               int trials, uint64_t *kept);

#endif
