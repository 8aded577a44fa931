// gap.h - the gap code: a plane of few set bits as the gaps between them
//
// A plane is a row of bits: bit i is bit i % 64 of 64-bit word i / 64. Its code is a row of bytes, read from bit 0 on:
//
//     0..254   that many zeros, then a one
//     255      255 zeros and nothing else
//
// Zeros behind the last one are not coded (who decodes knows the number of bits), so a plane without ones has the empty
// code, and no code ends with 255. Each plane has just one code. For example (8 bits, the first on the left):
//
//     0 0 1 1 0 1 0 0   ->   2 0 1          0 0 0 0 0 0 0 0   ->   nothing
//
// A one takes a byte, and the zeros together at most a byte for each 255 of them: 8/255 of a bit a zero.
//
// A code whose end is missing is noticed only if the cut follows a 255; elsewhere it is the code of a plane with fewer
// ones. So keep the number of bytes or of ones where codes are stored.
//
// Functions that return int return CLTB_OK, or a negative enum cltb_status with a sentence in cltb_error(). Codes may
// come from anywhere: what is none, or is too long for the plane, is CLTB_E_CORRUPT. No two arrays may overlap.
#ifndef CLTB_GAP_H
#define CLTB_GAP_H

#include <cltb/cltb.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The most bytes that a code of `bits` bits with at most `ones` ones can have.
uint64_t cltb_gap_bound(uint64_t bits, uint64_t ones);

// The number of ones in a plane. Here and below: plane[(bits + 63) / 64]; what lies behind the last bit in the last
// word is not looked at and not changed.
uint64_t cltb_gap_ones(const uint64_t *plane, uint64_t bits);

// The number of bytes of a plane's code, without making it.
uint64_t cltb_gap_size(const uint64_t *plane, uint64_t bits);

// Codes a plane. CLTB_E_USAGE if `space` bytes are too few; code[0..space-1] may have changed then.
int cltb_gap_encode(const uint64_t *plane, uint64_t bits, uint8_t *code, size_t space, size_t *bytes);

// Is this the code of a plane of `bits` bits? With how many ones? (`ones` may be NULL, here and below.)
int cltb_gap_check(const uint8_t *code, size_t bytes, uint64_t bits, uint64_t *ones);

// plane = what the code says. `ones`: how many the code has. On an error the plane is as it was.
int cltb_gap_decode(const uint8_t *code, size_t bytes, uint64_t *plane, uint64_t bits, uint64_t *ones);

// plane |= what the code says, likewise.
int cltb_gap_decode_or(const uint8_t *code, size_t bytes, uint64_t *plane, uint64_t bits, uint64_t *ones);

// The code of a | b, from the codes of two planes of `bits` bits. It has at most a_bytes + b_bytes bytes; CLTB_E_USAGE
// if `space` is too little for it.
int cltb_gap_or(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes, uint64_t bits, uint8_t *code,
                size_t space, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
