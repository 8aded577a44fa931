// code.h - the symbols of a sub-table of a Syzygy file, and their code
//
// Symbol number s stands for one value (a leaf), or for the values of two other symbols one after the other, up to 256
// values in all. Codes have `min` to `max` bits; longer codes are smaller numbers. Codes of l bits, in rising order,
// are those of the symbols first[l], first[l] + 1, ...
//
// For example, KRvK's outcomes with Black to move have the codes 1 for a symbol of 256 losses, 01 for one draw, 0010
// for one loss. A block that begins with 1 1 01 holds 512 losses and a draw.
#ifndef CLTB_SYZYGY_CODE_H
#define CLTB_SYZYGY_CODE_H

#include <stddef.h>
#include <stdint.h>

enum {
    SYZYGY_CODE_BITS_MAX = 32,
    SYZYGY_SYMBOLS_MAX = 4095,
    SYZYGY_SLACK = 16, // bytes behind a block that decoding reads
    SYZYGY_QUICK_BITS = 10,
    SYZYGY_SKIP_BITS = 12
};

struct syzygy_code {
    unsigned min; // lengths of codes, bits
    unsigned max;
    unsigned symbols;
    uint64_t limit[SYZYGY_CODE_BITS_MAX + 1];  // [bits] the smallest code of that length, at the top of a word
    uint32_t number[SYZYGY_CODE_BITS_MAX + 1]; // [bits] the number of that code's symbol less the code
    struct syzygy_symbol {
        uint16_t left;
        uint16_t right; // SYZYGY_SYMBOLS_MAX: a leaf, whose value is `left`
    } * symbol;
    uint8_t *more; // [symbols] values of a symbol but one
    struct syzygy_quick {
        uint16_t symbol;
        uint8_t bits; // of its code; 0: more than SYZYGY_QUICK_BITS, or not a code
        uint8_t more;
    } quick[1 << SYZYGY_QUICK_BITS]; // by the next bits
    // As many whole codes as the next bits have: 16 times the number of their symbols' values, and their bits.
    uint16_t skip[1 << SYZYGY_SKIP_BITS];
};

// Reads them as they are in a file: first[l] for l from min to max, 2 bytes each, and 3 bytes a symbol. Values of
// leaves are at most `value_max`. CLTB_E_CORRUPT, with a sentence that says what is wrong but not where; CLTB_E_MEMORY.
int syzygy_code_init(struct syzygy_code *code, unsigned min, unsigned max, const uint8_t *first, unsigned symbols,
                     const uint8_t *symbol, unsigned value_max);
void syzygy_code_free(struct syzygy_code *code);

// Value number `at` of a block of `bytes` bytes; SYZYGY_SLACK zero bytes follow it. CLTB_E_CORRUPT without a sentence.
int syzygy_decode(const struct syzygy_code *code, const uint8_t *block, size_t bytes, uint32_t at, unsigned *value);

#endif
