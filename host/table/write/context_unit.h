// context_unit.h - a unit of a block while it is encoded or counted
#ifndef CLTB_TABLE_WRITE_CONTEXT_UNIT_H
#define CLTB_TABLE_WRITE_CONTEXT_UNIT_H

#include "index/vacant.h"
#include "table/context_code.h"

// A symbol's slots, as in struct context_slots.
struct context_token {
    uint16_t start; // the first one
    uint16_t end;   // after the last one
};

// A symbol takes at most two tokens, a row one more.
enum { CONTEXT_TOKENS_MAX = 2 * CONTEXT_UNIT + CONTEXT_UNIT / CONTEXT_ROW };

struct context_unit {
    uint8_t space[2 * CONTEXT_UNIT]; // indices of symbols, after those that neighbours can reach
    uint8_t given[CONTEXT_UNIT];     // distances: the outcomes, or zeros; VACANT in coded rows of a stream with marks
    uint8_t allowed[CONTEXT_UNIT]; // outcomes: the indices that each symbol may have, as a set; distances: the symbols
    uint8_t kind[CONTEXT_UNIT / CONTEXT_ROW];
    struct context_token token[CONTEXT_TOKENS_MAX];
    size_t tokens;
    bool marks;              // Are rows marked when it turns out that they are coded?
    struct vacant_scan scan; // then: for the next marks,
    size_t scanned;          // which begin at this symbol
};

// Puts down the token whose slots are from start[0] to start[1]; returns where the next one goes.
static inline struct context_token *context_token_put(struct context_token *token, const uint16_t *start)
{
    memcpy(token, start, sizeof *token);
    return token + 1;
}

// Are all bytes zero?
static inline bool index_vector_zero(index_vector vector)
{
    uint64_t word[CONTEXT_VECTOR / sizeof(uint64_t)];
    memcpy(word, &vector, sizeof word);
    return (word[0] | word[1]) == 0;
}

#endif
