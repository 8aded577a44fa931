// context_encode.c - encoding of a block (context_encode.h)
//
// The coder is that of block_code.c backwards, so for each unit
//
//     1. the rows get their kinds, don't-cares their symbols, and symbols their slots, from the first row on
//        (unit_plan.h).
//     2. the slots are coded from the last one to the first, those of four units in turn. When one of these is
//        finished, the next unit takes its place.
//
// In the end the units are put into their order, after the sizes of all but the last one.
#include "table/write/context_encode.h"

#include "table/write/unit_plan.h"
#include "util/cloned.h"
#include "util/error.h"
#include "util/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

size_t context_bound(size_t count)
{
    enum { TOKENS = 2 }; // of a symbol, at most
    return 6 * (size_t)context_units(count) + 2 * (TOKENS * count + count / CONTEXT_ROW + 1);
}

// A unit that is being coded: its tokens from the last one to the first, to bytes that end at the end of `coded`.
struct coder {
    struct context_unit unit;
    uint32_t state;
    size_t left; // tokens
    uint8_t *at; // the first byte written so far
    uint8_t coded[4 + 2 * CONTEXT_TOKENS_MAX];
};

// A coder waits for a product and for a load in each step. One alone takes 15.7 ns for a symbol, two at a time 12.5,
// four 12.3, eight 12.1.
enum { CODERS = 4 };

// Begins with a unit of `left` symbols, or of as many as a unit has; false if one of them is not in the model.
// `*symbol`: the index that all of them can have, in which case there is nothing to code, or -1.
static bool coder_start(struct coder *coder, const struct context_model *model, const uint8_t *symbols,
                        const uint8_t *given, const struct vacant_start *marks, size_t left, int *symbol)
{
    struct context_unit *unit = &coder->unit;
    const size_t count = left < CONTEXT_UNIT ? left : CONTEXT_UNIT;
    if (!context_unit_load(model, unit, symbols, given, marks, count))
        return false;
    *symbol = context_unit_common(model, unit, count);
    unit->tokens = 0;
    if (*symbol < 0 && !context_unit_plan(model, unit, count))
        return false;
    coder->state = CONTEXT_LEAST;
    coder->left = unit->tokens;
    coder->at = coder->coded + sizeof coder->coded;
    return true;
}

// reciprocal[n] is 2^RECIPROCAL_BITS / n, rounded up. A state to be divided by n is less than n * 2^STATE_BITS, and n
// is at most 2^CONTEXT_SCALE_BITS. So the product of both has at most 64 bits, and the quotient is exact.
enum { STATE_BITS = 32 - CONTEXT_SCALE_BITS, RECIPROCAL_BITS = 2 * CONTEXT_SCALE_BITS + STATE_BITS };

static uint64_t reciprocal[(1 << CONTEXT_SCALE_BITS) + 1];

static void make_reciprocals(void)
{
    for (uint64_t n = 1; n <= 1 << CONTEXT_SCALE_BITS; n++)
        reciprocal[n] = ((UINT64_C(1) << RECIPROCAL_BITS) + n - 1) / n;
}

// Has no branch: two bytes are always stored, but stay only if the state would become too large.
static inline __attribute__((always_inline)) uint32_t code_token(struct context_token token, uint32_t state,
                                                                 uint8_t **at)
{
    const uint32_t slots = (uint32_t)token.end - token.start;
    const bool full = state >= (uint64_t)slots << STATE_BITS;
    (*at)[-2] = (uint8_t)state;
    (*at)[-1] = (uint8_t)(state >> 8);
    *at -= full ? 2 : 0;
    state = full ? state >> 16 : state;
    const uint32_t quotient = (uint32_t)(state * reciprocal[slots] >> RECIPROCAL_BITS);
    return state + token.start + quotient * ((1U << CONTEXT_SCALE_BITS) - slots);
}

static inline __attribute__((always_inline)) void code_units(struct coder *const *coder, const unsigned units,
                                                             size_t count)
{
    const struct context_token *token[CODERS];
    uint8_t *at[CODERS];
    uint32_t state[CODERS];
    for (unsigned u = 0; u < units; u++) {
        token[u] = coder[u]->unit.token + coder[u]->left;
        at[u] = coder[u]->at;
        state[u] = coder[u]->state;
    }
    for (size_t i = 0; i < count; i++) {
#pragma GCC unroll 4
        for (unsigned u = 0; u < units; u++)
            state[u] = code_token(*--token[u], state[u], &at[u]);
    }
    for (unsigned u = 0; u < units; u++) {
        coder[u]->state = state[u];
        coder[u]->at = at[u];
        coder[u]->left -= count;
    }
}

// Codes so many tokens of some of the units, so that none waits for the products of another one.
static CLONED void code_tokens(struct coder *const *coder, unsigned units, size_t count)
{
    if (units == CODERS)
        code_units(coder, CODERS, count);
    else if (units >= 2)
        code_units(coder, 2, count);
    else
        code_units(coder, 1, count);
}

// ---- a block ----

enum { UNITS_MAX = CONTEXT_BLOCK_MAX / CONTEXT_UNIT };

struct encoding {
    const struct context_model *model;
    const uint8_t *symbols;           // [count]
    const uint8_t *given;             // [count] or NULL
    const struct vacant_start *marks; // or NULL
    size_t count;
    uint8_t *stored; // [count] or NULL
    unsigned units;
    unsigned next;  // the first unit that has not been started
    uint8_t *bytes; // of the finished units, in the order in which they were finished
    size_t used;    // of them
    struct context_piece piece[UNITS_MAX];
    unsigned unit[CODERS]; // that is being coded
    struct coder *coder;   // [CODERS]
};

static void keep_unit(struct encoding *encoding, unsigned unit, size_t size)
{
    encoding->piece[unit].bytes = encoding->bytes + encoding->used;
    encoding->piece[unit].size = size;
    encoding->used += size;
}

// Gives an idle coder the next unit that has tokens, if there is one.
static int refill(struct encoding *encoding, unsigned number)
{
    struct coder *coder = &encoding->coder[number];
    while (coder->left == 0 && encoding->next < encoding->units) {
        const unsigned unit = encoding->next++;
        const size_t at = (size_t)unit * CONTEXT_UNIT;
        const size_t left = encoding->count - at;
        int *symbol = &encoding->piece[unit].symbol;
        struct vacant_start marks = {0};
        encoding->unit[number] = unit;
        if (encoding->marks != NULL) {
            marks = *encoding->marks;
            marks.first += at;
        }
        if (!coder_start(coder, encoding->model, encoding->symbols + at,
                         encoding->given != NULL ? encoding->given + at : NULL, encoding->marks != NULL ? &marks : NULL,
                         left, symbol))
            return context_damaged();
        for (size_t i = 0; encoding->stored != NULL && i < (left < CONTEXT_UNIT ? left : CONTEXT_UNIT); i++) {
            const unsigned index = *symbol < 0 ? coder->unit.space[CONTEXT_UNIT + i] : (unsigned)*symbol;
            encoding->stored[at + i] =
                (uint8_t)(encoding->model->patterns != NULL ? index : encoding->model->symbol[index]);
        }
        if (*symbol < 0)
            continue;
        keep_unit(encoding, unit, 0);
    }
    return 0;
}

static int encode_units(struct encoding *encoding)
{
    for (;;) {
        struct coder *busy[CODERS];
        unsigned units = 0;
        size_t count = SIZE_MAX;
        for (unsigned i = 0; i < CODERS; i++) {
            struct coder *coder = &encoding->coder[i];
            TRY(refill(encoding, i));
            if (coder->left == 0)
                continue;
            busy[units++] = coder;
            count = coder->left < count ? coder->left : count;
        }
        if (units == 0)
            return 0;
        code_tokens(busy, units, count);
        for (unsigned i = 0; i < units; i++) {
            struct coder *coder = busy[i];
            if (coder->left > 0)
                continue;
            for (int shift = 24; shift >= 0; shift -= 8)
                *--coder->at = (uint8_t)(coder->state >> shift);
            const size_t size = (size_t)(coder->coded + sizeof coder->coded - coder->at);
            memcpy(encoding->bytes + encoding->used, coder->at, size);
            keep_unit(encoding, encoding->unit[coder - encoding->coder], size);
        }
    }
}

size_t context_join(const struct context_piece *piece, unsigned units, uint8_t *encoded)
{
    const unsigned last = units - 1;
    uint8_t *to = encoded + 2 * (size_t)last;
    bool alike = piece[0].symbol >= 0; // Have all units only the same symbol?
    for (unsigned u = 0; u <= last; u++) {
        const size_t size = piece[u].symbol < 0 ? piece[u].size : 1;
        alike &= piece[u].symbol == piece[0].symbol;
        if (piece[u].symbol < 0)
            memcpy(to, piece[u].bytes, size);
        else
            *to = (uint8_t)piece[u].symbol;
        to += size;
        if (u < last) {
            encoded[2 * u] = (uint8_t)size;
            encoded[2 * u + 1] = (uint8_t)(size >> 8);
        }
    }
    if (alike)
        encoded[0] = (uint8_t)piece[0].symbol;
    return alike ? 1 : (size_t)(to - encoded);
}

int context_damaged(void)
{
    return error_set(CLTB_E_CORRUPT,
                     "the solved planes are damaged: a position has a value that the table cannot have");
}

CLONED int context_encode(const struct context_model *model, const uint8_t *symbols, const uint8_t *given,
                          const struct vacant_start *marks, size_t count, uint8_t *stored, uint8_t *encoded,
                          size_t *bytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_reciprocals);
    const size_t size = CODERS * sizeof(struct coder);
    struct coder *coder = malloc(size + context_bound(count)); // too large for a small stack
    if (coder == NULL)
        return error_memory(size + context_bound(count), "a compressed block");
    struct encoding encoding = {.model = model,
                                .symbols = symbols,
                                .given = given,
                                .marks = marks,
                                .count = count,
                                .stored = stored,
                                .units = context_units(count),
                                .bytes = (uint8_t *)(coder + CODERS),
                                .coder = coder};
    for (unsigned i = 0; i < CODERS; i++)
        coder[i].left = 0;
    const int code = encode_units(&encoding);
    if (code == 0)
        *bytes = context_join(encoding.piece, encoding.units, encoded);
    free(coder);
    return code;
}
