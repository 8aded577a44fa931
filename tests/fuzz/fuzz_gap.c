// fuzz_gap.c - gap codes and packed records against hostile bytes
//
// Property: whatever the bytes are, checking, decoding and joining gap codes ends with a result or an error; an
// accepted code is exactly the encoding of the decoded plane; the joined code of two planes is the code of the joined
// planes; and a refused code or record changes nothing. The driver makes random codes and records and changes bytes in
// them; every other record gets the right checksum again.
#include "table/container_format.h"
#include "table/packed_bits.h"
#include "util/error.h"

#include "fuzz/run.h"

#include <cltb/gap.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { BITS_MAX = 1 << 15, WORDS_MAX = BITS_MAX / 64, CODE_MAX = BITS_MAX + 1, AT_WORDS = 8, AT_HASH = 40 };

static bool taken(int code, const char *what)
{
    require(code == 0 || code == CLTB_E_CORRUPT, what);
    return code == 0;
}

// Decodes into `plane`; false if the bytes are no code.
static bool take_code(const uint8_t *code, size_t bytes, uint64_t *plane, uint64_t bits)
{
    static uint64_t ored[WORDS_MAX];
    static uint8_t again[CODE_MAX];
    uint64_t ones;
    uint64_t ones_ored;
    size_t again_bytes;
    memset(plane, 0, WORDS_MAX * sizeof *plane);
    memset(ored, 0, sizeof ored);
    const bool good = taken(cltb_gap_decode(code, bytes, plane, bits, &ones), "decoding");
    require(good == taken(cltb_gap_decode_or(code, bytes, ored, bits, &ones_ored), "decoding"), "decode and decode_or");
    require(good == taken(cltb_gap_check(code, bytes, bits, NULL), "checking"), "decode and check");
    require(memcmp(plane, ored, sizeof ored) == 0, "decode and decode_or give different planes");
    if (!good)
        return false;
    require(ones == cltb_gap_ones(plane, bits) && ones == ones_ored, "the number of ones");
    require(bytes == cltb_gap_size(plane, bits), "the size of a plane's code");
    require(cltb_gap_encode(plane, bits, again, bytes, &again_bytes) == 0, "encoding what was decoded");
    require(again_bytes == bytes && (bytes == 0 || memcmp(again, code, bytes) == 0), "two codes of one plane");
    return true;
}

// Bytes 0..bytes-1 as one code, the first `split` and the others as two.
static void try_codes(const uint8_t *code, size_t bytes, size_t split, uint64_t bits)
{
    static uint64_t plane[2][WORDS_MAX];
    static uint8_t joined[CODE_MAX];
    static uint8_t expected[CODE_MAX];
    size_t joined_bytes;
    size_t expected_bytes;
    take_code(code, bytes, plane[0], bits);
    const bool good = take_code(code, split, plane[0], bits) & take_code(code + split, bytes - split, plane[1], bits);
    const bool both = taken(
        cltb_gap_or(code, split, code + split, bytes - split, bits, joined, sizeof joined, &joined_bytes), "joining");
    require(good == both, "decoding and joining");
    if (!both)
        return;
    for (size_t w = 0; w < WORDS_MAX; w++)
        plane[0][w] |= plane[1][w];
    require(cltb_gap_encode(plane[0], bits, expected, sizeof expected, &expected_bytes) == 0, "encoding");
    require(joined_bytes == expected_bytes && memcmp(joined, expected, expected_bytes) == 0, "the joined code");
    require(joined_bytes <= bytes, "the joined code is longer than both");
}

static struct packed_bits_packer *the_packer(void)
{
    static struct packed_bits_packer *packer;
    if (packer == NULL)
        require(packed_bits_open(&packer, WORDS_MAX) == 0, "a packer");
    return packer;
}

static void try_record(const uint8_t *record, size_t bytes)
{
    static uint64_t bits[WORDS_MAX];
    const uint64_t stated = bytes >= PACKED_BITS_HEAD ? get_number(record + AT_WORDS, 8) : 0;
    const size_t words = stated <= WORDS_MAX ? (size_t)stated : WORDS_MAX;
    memset(bits, 0, sizeof bits);
    const bool good = taken(packed_bits_or(the_packer(), record, bytes, bits, words), "unpacking a record");
    const uint64_t ones = cltb_gap_ones(bits, BITS_MAX);
    require(ones == (good ? packed_bits_set(record) : 0), "the number of ones of a record");
}

// The first byte says what the others are; of codes the next four have the number of bits and where the second begins.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 5)
        return 0;
    // A copy of exactly that size, so that reading after it shows.
    uint8_t *copy = malloc(size);
    require(copy != NULL, "memory");
    memcpy(copy, data, size);
    if (data[0] % 2 == 0) {
        const uint64_t bits = get_number(data + 1, 2) % (BITS_MAX + 1);
        try_codes(copy + 5, size - 5, get_number(data + 3, 2) % (size - 4), bits);
    } else {
        try_record(copy + 1, size - 1);
    }
    free(copy);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

enum { INPUT_MAX = 1 << 14 };

// Gaps of a usual length, or any bytes; sometimes a long gap among them.
static size_t make_codes(uint8_t *input)
{
    const size_t size = 5 + below(400);
    const uint32_t usual = 1 + below(255);
    const uint32_t longs = 2 + below(60);
    for (size_t i = 1; i < size; i++)
        input[i] = (uint8_t)(below(longs) == 0 ? 255 : below(usual));
    // Usually long enough for the code.
    put_number(input + 1, 2, below(4) == 0 ? below(BITS_MAX + 1) : BITS_MAX);
    put_number(input + 3, 2, below((uint32_t)size));
    return size;
}

static size_t make_record(uint8_t *input)
{
    static uint64_t bits[WORDS_MAX];
    const size_t words = below(WORDS_MAX / 4);
    const uint32_t share = below(14);
    const void *record;
    size_t bytes;
    for (size_t w = 0; w < words; w++) {
        bits[w] = 0;
        for (uint32_t n = share < 8 ? below(1U << share) == 0 : 8 * (share - 8); n > 0; n--)
            bits[w] |= UINT64_C(1) << below(64);
    }
    require(packed_bits_pack(the_packer(), bits, words, &record, &bytes) == 0, "packing");
    require(bytes < INPUT_MAX, "a record that is too long for the test");
    memcpy(input + 1, record, bytes);
    return bytes + 1;
}

static void run_one(void)
{
    static const uint64_t numbers[] = {0, 1, 255, 256, WORDS_MAX, 1 << 20, UINT64_C(1) << 58, UINT64_MAX};
    static uint8_t input[INPUT_MAX + 1];
    input[0] = (uint8_t)below(2);
    size_t size = input[0] == 0 ? make_codes(input) : make_record(input);
    // Bytes, or numbers that a hostile head might have.
    for (uint32_t changes = below(4); changes > 0; changes--) {
        const size_t at = size > 1 ? 1 + below((uint32_t)size - 1) : 0;
        if (input[0] == 1 && below(4) == 0 && size > PACKED_BITS_HEAD)
            put_number(input + 1 + AT_WORDS + 8 * below(4), 8, numbers[below(8)]);
        else
            input[at] = (uint8_t)(below(2) == 0 ? below(256) : input[at] ^ (1U << below(8)));
    }
    if (below(16) == 0)
        size = 1 + below((uint32_t)size);
    uint8_t *record = input + 1;
    if (input[0] == 1 && below(2) == 0 && size > PACKED_BITS_HEAD)
        put_number(record + AT_HASH, 8,
                   XXH64(record + PACKED_BITS_HEAD, size - 1 - PACKED_BITS_HEAD, XXH64(record, AT_HASH, 0)));
    LLVMFuzzerTestOneInput(input, size);
}

int main(int argc, char **argv)
{
    const int status = fuzz_run(argc, argv, run_one);
    packed_bits_close(the_packer());
    return status;
}

#endif
