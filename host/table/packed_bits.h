// packed_bits.h - records of bitsets: each packed in the way that makes it smallest
//
//     0   8   "cltbits" and the kind's letter
//     8   8   words of the bitset
//     16  8   ones in it
//     24  8   bytes of the gap code (kinds 'g' and 'G'), else 0
//     32  8   bytes of the payload
//     40  8   XXH64 of the payload, with the XXH64 (seed 0) of the 40 bytes before as its seed
//     48      the payload
//
//     'e'   no ones, no payload          'g'   gap code (cltb/gap.h)
//     'w'   zstd of the words            'G'   zstd of the gap code
//
// All numbers and words are little-endian.
//
// A packer belongs to one thread at a time. Functions return 0 or a negative cltb_status. Records may come from
// anywhere: any fault in one is CLTB_E_CORRUPT.
#ifndef CLTB_TABLE_PACKED_BITS_H
#define CLTB_TABLE_PACKED_BITS_H

#include <stddef.h>
#include <stdint.h>

enum { PACKED_BITS_HEAD = 48 };

struct packed_bits_packer;

// Opens a packer for sets of at most `words_max` words.
int packed_bits_open(struct packed_bits_packer **packer, size_t words_max);
void packed_bits_close(struct packed_bits_packer *packer); // NULL is allowed

// The most bytes that such a packer can hold, and the bytes that one holds now.
size_t packed_bits_memory(size_t words_max);
size_t packed_bits_allocated(const struct packed_bits_packer *packer);

// The most bytes that a record can have.
size_t packed_bits_bound(size_t words);

// Packs bits[words]. The record stays valid until the packer's next call.
int packed_bits_pack(struct packed_bits_packer *packer, const uint64_t *bits, size_t words, const void **record,
                     size_t *bytes);

// bits[words] |= the record's. After an error `bits` are unchanged.
int packed_bits_or(struct packed_bits_packer *packer, const void *record, size_t bytes, uint64_t *bits, size_t words);

// The same for `count` planes, with one decompression. After an error only complete planes have changed.
int packed_bits_or_each(struct packed_bits_packer *packer, const void *record, size_t bytes, uint64_t *const *planes,
                        int count, size_t words);

// The number of ones in a record that was unpacked or packed here.
uint64_t packed_bits_set(const void *record);

#endif
