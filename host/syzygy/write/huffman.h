// huffman.h - lengths of the codes of a Huffman code
#ifndef CLTB_SYZYGY_WRITE_HUFFMAN_H
#define CLTB_SYZYGY_WRITE_HUFFMAN_H

#include <stdint.h>

enum { CODE_BITS_MAX = 32 }; // readers refill 64 bits when 32 are used

// length[i]: bits of the code of symbol i; 0 if its frequency is 0, 1 if it is the only symbol. No code of at most
// `limit` bits takes fewer bits in total; 2^limit >= count. CLTB_E_MEMORY.
int huffman_lengths(const uint64_t *frequency, unsigned count, unsigned limit, uint8_t *length);

#endif
