// checksum.h - the 16 bytes at the end of a Syzygy file
#ifndef CLTB_SYZYGY_CHECKSUM_H
#define CLTB_SYZYGY_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYZYGY_CHECKSUM_BYTES = 16, SYZYGY_CHUNK = 16 << 20 };

// crc256 of a chunk of the file: 16 MiB, or less for the last one. `digest`: 32 bytes, as in the list that is summed.
void syzygy_chunk_digest(const uint8_t *data, size_t bytes, uint8_t digest[32]);

// The checksum of a file from the digests of its chunks, in order.
void syzygy_checksum(const uint8_t *digests, size_t chunks, uint8_t sum[SYZYGY_CHECKSUM_BYTES]);

// Are both files in a folder (`wdl`: is NAME.rtbw), with right checksums? Returns 0 and the number of their bytes;
// CLTB_E_MISSING, CLTB_E_CORRUPT, CLTB_E_IO, CLTB_E_MEMORY.
int syzygy_pair_check(const char *folder, const char *name, bool wdl, uint64_t *bytes);

// The same for one file; adds its size to `*bytes`.
int syzygy_file_check(const char *path, uint64_t *bytes);

#endif
