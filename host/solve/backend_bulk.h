// backend_bulk.h - a backend whose planes are far from the host's memory
#ifndef CLTB_SOLVE_BACKEND_BULK_H
#define CLTB_SOLVE_BACKEND_BULK_H

#include "solve/backend.h"

struct code_request;
struct entry_order;
struct symbols_coder;

// Tiles of a plane to be read.
struct plane_piece {
    const struct plane *plane;
    uint64_t first; // tile
    uint64_t count; // tiles
    uint64_t *to;
};

// A request for the symbols of one square of the black king in the file's order. An entry's code consists of its bits
// in the planes, bit i from plane i.
enum { BACKEND_CODE_BITS = 12, BACKEND_CODES = 1 << BACKEND_CODE_BITS, BACKEND_OUTCOMES = 5 };

// Takes symbols first..first+count-1 of a section. They may be changed, and are valid until it returns.
typedef int symbols_take(void *context, uint64_t first, uint64_t count, void *symbols, struct thread_pool *pool);

struct symbols_request {
    const struct plane *plane[BACKEND_CODE_BITS]; // NULL: all zero
    unsigned king;                                // number of the square, 0..9
    const struct entry_order *order;              // of a material without pawns
    unsigned bytes;                               // of a symbol, 1 or 2
    const uint16_t *symbol; // [BACKEND_CODES]; all bits are 1 for entries of which the file keeps another image
    const uint8_t *outcome; // [BACKEND_CODES / 2] by codes without their last bit: 0..4; larger ones are no positions
    symbols_take *take;     // gets all symbols in their order, some at a time, a multiple of `unit` except at the end
    void *take_context;     //
    uint64_t unit;          //
    // If a device codes symbols faster than it reads them, coder->take() gets them in place of take(), and `symbol` has
    // what the kernels want. NULL: symbols are wanted.
    const struct symbols_coder *coder;
    const uint16_t *coded_symbol; // in place of `symbol` if they are coded
    // Entries are counted here by outcome, each once for every placement on 64 squares, with identical pieces told
    // apart; NULL: not wanted.
    uint64_t *counts;
};

// A request for the words in which some entry is to be looked at. An entry has a code for each side to move, with bit i
// from plane[side][i], and is to be looked at if classes[WHITE][its code] & classes[BLACK][its code] is not 0; these
// are the codes without their last bit.
enum { PICK_UNIT = 8 };

struct picked_words {
    const uint64_t *plane[COLOURS][BACKEND_CODE_BITS]; // [count] words of each plane; NULL: all zero
    const uint32_t *number;                            // [count] of these words, in any order
    uint64_t first;                                    // what is to be added to the numbers
    uint64_t count; // a multiple of PICK_UNIT; the last words may be added ones, all zero, with numbers of others
};

struct pick_request {
    const struct plane *plane[COLOURS][BACKEND_CODE_BITS];        // NULL: all zero; there is at least one
    const uint8_t *classes;                                       // [COLOURS][BACKEND_CODES / 2]
    int (*take)(void *context, const struct picked_words *words); // is called repeatedly
    void *context;
};

// The additional functions of a backend whose planes are far from the host's memory: it reads large parts of them,
// while the host works on the part before. Used by one thread at a time.
struct backend_bulk {
    // Gives two halves of memory for fast transfers, each of *units times `unit` bytes. The caller sets *units to the
    // number to read; the backend lowers it to a number that is worth a transfer, at least 1. The memory belongs to the
    // backend and is valid until the next call.
    int (*halves)(struct backend *backend, size_t unit, uint64_t *units, uint64_t *half[2]);
    // Begins to read some pieces into a half, with the planes' contents after all operations so far. The planes must
    // not be written or freed before wait().
    int (*begin)(struct backend *backend, int half, const struct plane_piece *pieces, size_t count);
    // Waits until the half has all of its pieces.
    int (*wait)(struct backend *backend, int half);
    // Makes symbols, of which some are taken while the device makes the next ones, and sets *made, unless there is too
    // little memory or the entries cannot be numbered. Must not be called while a half is in use.
    int (*symbols)(struct backend *backend, const struct symbols_request *request, struct thread_pool *pool,
                   bool *made);
    // Gives the words of a request, each once, and sets *made, unless there is too little memory or reading all planes
    // is faster. Must not be called while a half is in use.
    int (*pick)(struct backend *backend, const struct pick_request *request, bool *made);
    // Codes symbols of the host on backend->pool, on the same conditions (coder.h).
    int (*code)(struct backend *backend, const struct code_request *request, bool *made);
};

#endif
