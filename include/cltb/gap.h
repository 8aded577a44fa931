// gap.h - the gap code: a plane of few set bits as the gaps between them
//
// A plane is an array of bits: bit i is bit i % 64 of the 64-bit word i / 64. Its code is an array of bytes, which
// describe the plane from bit 0 on:
//
//     0..254   that many zeros, then a one
//     255      255 zeros and nothing else
//
// Zeros after the last one are not coded (the decoder knows the number of bits), so a plane without ones has the empty
// code, and no code ends with 255. Each plane has exactly one code. For example (8 bits, the first on the left):
//
//     0 0 1 1 0 1 0 0   ->   2 0 1          0 0 0 0 0 0 0 0   ->   nothing
//
// A one takes a byte, and all zeros together at most a byte for each 255 of them: 8/255 of a bit per zero.
//
// A truncated code is noticed only if the cut follows a 255; otherwise it is the code of a plane with fewer ones. So
// store the number of bytes or of ones with a code.
//
// Functions that return int return CLTB_OK, or a negative enum cltb_status with a sentence in cltb_error(). Codes may
// come from anywhere: bytes that are not a code, or a code too long for the plane, are CLTB_E_CORRUPT. No two arrays
// may overlap.
#ifndef CLTB_GAP_H
#define CLTB_GAP_H

#include <cltb/cltb.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The largest number of bytes of a code of `bits` bits with at most `ones` ones.
uint64_t cltb_gap_bound(uint64_t bits, uint64_t ones);

// The number of ones in a plane. Here and below: plane[(bits + 63) / 64]; the bits of the last word above the plane's
// are neither read nor changed.
uint64_t cltb_gap_ones(const uint64_t *plane, uint64_t bits);

// The number of bytes of a plane's code, without coding it.
uint64_t cltb_gap_size(const uint64_t *plane, uint64_t bits);

// Codes a plane into code[space]; *bytes is the length of the code. CLTB_E_USAGE if `space` bytes are too few; they may
// have changed then.
int cltb_gap_encode(const uint64_t *plane, uint64_t bits, uint8_t *code, size_t space, size_t *bytes);

// Is this the code of a plane of `bits` bits? *ones is the number of its ones (`ones` may be NULL, here and below).
int cltb_gap_check(const uint8_t *code, size_t bytes, uint64_t bits, uint64_t *ones);

// Decodes: plane = the plane of the code. After an error the plane is unchanged.
int cltb_gap_decode(const uint8_t *code, size_t bytes, uint64_t *plane, uint64_t bits, uint64_t *ones);

// The same for plane |= the plane of the code.
int cltb_gap_decode_or(const uint8_t *code, size_t bytes, uint64_t *plane, uint64_t bits, uint64_t *ones);

// The code of a | b, from the codes of two planes of `bits` bits. It has at most a_bytes + b_bytes bytes; CLTB_E_USAGE
// if `space` bytes are too few.
int cltb_gap_or(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes, uint64_t bits, uint8_t *code,
                size_t space, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
