// test_syzygy_checksum.c - the checksums of official files
#include "support/support.h"
#include "syzygy/support_syzygy.h"

#include "syzygy/checksum.h"

static void check_file_sum(const uint8_t *file, size_t size)
{
    uint8_t digest[32];
    uint8_t sum[SYZYGY_CHECKSUM_BYTES];
    syzygy_chunk_digest(file, size - SYZYGY_CHECKSUM_BYTES, digest);
    syzygy_checksum(digest, 1, sum);
    assert_memory_equal(sum, file + size - SYZYGY_CHECKSUM_BYTES, SYZYGY_CHECKSUM_BYTES);
}

TEST(test_official_files)
{
    check_file_sum(krvk_rtbw, sizeof krvk_rtbw);
    check_file_sum(knvk_rtbz, sizeof knvk_rtbz);
}

// Digests are of whole steps of 40 and 240 bytes and a rest: whatever byte changes, they do.
TEST(test_every_byte_counts)
{
    static const size_t sizes[] = {1, 39, 40, 64, 239, 240, 241, 280, 480, 487, 1024};
    uint8_t data[1024];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)random_u64();
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint8_t before[32];
        uint8_t after[32];
        syzygy_chunk_digest(data, sizes[s], before);
        for (size_t i = 0; i < sizes[s]; i++) {
            data[i] ^= 0x10;
            syzygy_chunk_digest(data, sizes[s], after);
            data[i] ^= 0x10;
            assert_memory_not_equal(before, after, sizeof before);
        }
    }
}

// The sum of 2 to 40 chunks, over the border of 900 bytes, depends on every digest and on their order.
TEST(test_chunks)
{
    enum { CHUNKS = 40, DIGEST = 32 };
    uint8_t digests[CHUNKS * DIGEST];
    for (size_t i = 0; i < sizeof digests; i++)
        digests[i] = (uint8_t)random_u64();
    for (size_t chunks = 1; chunks <= CHUNKS; chunks++) {
        uint8_t before[SYZYGY_CHECKSUM_BYTES];
        uint8_t after[SYZYGY_CHECKSUM_BYTES];
        syzygy_checksum(digests, chunks, before);
        for (size_t i = 0; i < chunks * DIGEST; i++) {
            digests[i] ^= 0x04;
            syzygy_checksum(digests, chunks, after);
            digests[i] ^= 0x04;
            assert_memory_not_equal(before, after, sizeof before);
        }
    }
}

TESTS(NULL, NULL)
