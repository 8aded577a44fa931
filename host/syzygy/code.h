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

// Windows that hold all codes of 9 bits, notes for each 32 bytes of a block and symbols of up to 16 outcomes in a word
// (code.c) raise the speed of warm probes from 0.79 to 0.98 of libfathom's to 1.6 to 2.0 times it. With windows of 11
// bits KRPvKR is 3 % slower: its eight tables then displace the data from the nearest cache.
enum { SYZYGY_CODE_BITS_MAX = 32, SYZYGY_SYMBOLS_MAX = 4095, SYZYGY_WINDOW_BITS = 9, SYZYGY_NOTE_BYTES = 32 };

struct syzygy_code {
    unsigned min; // length of the shortest code in bits
    unsigned max;
    unsigned symbols;
    unsigned value_bits;                       // bits that can hold every value
    uint64_t limit[SYZYGY_CODE_BITS_MAX + 1];  // [bits] the smallest code of that length, at the top of a word
    uint32_t number[SYZYGY_CODE_BITS_MAX + 1]; // [bits] the number of that code's symbol less the code
    uint64_t *symbol;                          // [symbols] (see code.c)
    uint8_t *more;                             // [symbols] number of values of a symbol, less one: fewer bytes to read
    uint32_t window[1 << SYZYGY_WINDOW_BITS]; // by the next bits: the complete codes in them; 0: a longer code, or none
};

// Reads the codes from a file's bytes: first[l] for l from min to max, 2 bytes each, and 3 bytes a symbol. Values of
// leaves are at most `value_max`. CLTB_E_CORRUPT, with a sentence that says what is wrong but not where; CLTB_E_MEMORY.
int syzygy_code_init(struct syzygy_code *code, unsigned min, unsigned max, const uint8_t *first, unsigned symbols,
                     const uint8_t *symbol, unsigned value_max);
void syzygy_code_free(struct syzygy_code *code);

// Makes notes about a block whose bytes are a multiple of SYZYGY_NOTE_BYTES; with them, values are found faster. A note
// gives up to three places in the codes of SYZYGY_NOTE_BYTES bytes, and the number of values before each. No element of
// note[bytes / SYZYGY_NOTE_BYTES] is 0.
void syzygy_note(const struct syzygy_code *code, const uint64_t *words, size_t bytes, uint64_t *note);

// Finds value number `at` of a block of `bytes` bytes, in whole words as in the file. `note`: the block's, or NULL.
// CLTB_E_CORRUPT without a sentence.
int syzygy_decode(const struct syzygy_code *code, const uint64_t *words, size_t bytes, const uint64_t *note,
                  uint32_t at, unsigned *value);

// Finds all `count` values of a block: to[count]. Errors as above.
int syzygy_decode_all(const struct syzygy_code *code, const uint64_t *words, size_t bytes, uint32_t count,
                      uint16_t *to);

// The largest value of a symbol.
unsigned syzygy_code_most(const struct syzygy_code *code);

#endif
