// packed_bits.c - records of bitsets: each packed in the way that makes it smallest
//
// The share of ones decides which ways are tried. This rule and zstd's level were chosen on the new wins and losses of
// every ply of KQRvKR and KBBvKN, in blocks of 1 MiB: level 3 takes up to twice as long and saves less than 2 %.
#include "table/packed_bits.h"

#include "table/container_format.h"
#include "util/error.h"
#include "util/memory.h"

#include <cltb/gap.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#define MAGIC "cltbits"

enum {
    AT_KIND = 7,
    AT_WORDS = 8,
    AT_ONES = 16,
    AT_CODE = 24,
    AT_PAYLOAD = 32,
    AT_HASH = 40,
    LEVEL = 1,
    WORD_BYTES = 8,
    WORD_BITS = 64,
    CONTEXT_BYTES = 1 << 20, // of both zstd contexts at that level; at most 0.7 MB were seen
    SMALL_CODE = 64,         // bytes; smaller codes gain nothing from zstd
    // If at most one bit in so many is set, zstd of the gap code is smaller than zstd of the words, otherwise larger.
    GAP_SHARE = 16
};

enum kind { KIND_EMPTY = 'e', KIND_GAP = 'g', KIND_GAP_ZSTD = 'G', KIND_WORDS_ZSTD = 'w' };

struct packed_bits_packer {
    size_t words_max;
    size_t space; // for each buffer's payload
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
    uint8_t *record; // [PACKED_BITS_HEAD + space] the best record so far
    uint8_t *other;  // the same, for the next attempt
};

// ---- packers ----

size_t packed_bits_bound(size_t words)
{
    return PACKED_BITS_HEAD + ZSTD_compressBound(words * WORD_BYTES);
}

size_t packed_bits_memory(size_t words_max)
{
    return sizeof(struct packed_bits_packer) + 2 * packed_bits_bound(words_max) + CONTEXT_BYTES;
}

size_t packed_bits_allocated(const struct packed_bits_packer *packer)
{
    return sizeof *packer + 2 * (PACKED_BITS_HEAD + packer->space) + ZSTD_sizeof_CCtx(packer->compress) +
           ZSTD_sizeof_DCtx(packer->decompress);
}

void packed_bits_close(struct packed_bits_packer *packer)
{
    if (packer == NULL)
        return;
    ZSTD_freeCCtx(packer->compress);
    ZSTD_freeDCtx(packer->decompress);
    free(packer->record);
    free(packer->other);
    free(packer);
}

int packed_bits_open(struct packed_bits_packer **result, size_t words_max)
{
    *result = NULL;
    if (words_max > SIZE_MAX / 4 / WORD_BYTES)
        return error_set(CLTB_E_USAGE, "bitsets of %zu words cannot be packed", words_max);
    struct packed_bits_packer *packer;
    TRY(memory_new(&packer, 1, sizeof *packer, "packing bits"));
    packer->words_max = words_max;
    packer->space = packed_bits_bound(words_max) - PACKED_BITS_HEAD;
    packer->record = malloc(packed_bits_bound(words_max));
    packer->other = malloc(packed_bits_bound(words_max));
    packer->compress = ZSTD_createCCtx();
    packer->decompress = ZSTD_createDCtx();
    if (packer->record == NULL || packer->other == NULL || packer->compress == NULL || packer->decompress == NULL) {
        packed_bits_close(packer);
        return error_memory(packed_bits_memory(words_max), "packing bits");
    }
    ZSTD_CCtx_setParameter(packer->compress, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(packer->compress, ZSTD_c_contentSizeFlag, 0); // lengths are in the record's head
    *result = packer;
    return 0;
}

// ---- heads ----

struct head {
    enum kind kind;
    uint64_t words;
    uint64_t ones;
    size_t code;      // bytes of the gap code
    uint64_t payload; // bytes
};

static uint64_t hash_of(const uint8_t *record, uint64_t payload)
{
    return XXH64(record + PACKED_BITS_HEAD, payload, XXH64(record, AT_HASH, 0));
}

static int corrupt(const char *what)
{
    return error_set(CLTB_E_CORRUPT, "a record of packed bits %s", what);
}

static int read_head(const uint8_t *record, size_t bytes, size_t words, struct head *head)
{
    if (bytes < PACKED_BITS_HEAD)
        return corrupt("is cut short");
    if (memcmp(record, MAGIC, AT_KIND) != 0)
        return corrupt("has no head");
    *head = (struct head){.kind = (enum kind)record[AT_KIND],
                          .words = get_number(record + AT_WORDS, 8),
                          .ones = get_number(record + AT_ONES, 8),
                          .code = get_number(record + AT_CODE, 8),
                          .payload = get_number(record + AT_PAYLOAD, 8)};
    if (head->payload != bytes - PACKED_BITS_HEAD)
        return corrupt("has another length than its head says");
    if (hash_of(record, head->payload) != get_number(record + AT_HASH, 8))
        return corrupt("is damaged (its checksum is wrong)");
    if (head->words != words)
        return error_set(CLTB_E_CORRUPT, "a record of packed bits has %llu words instead of %zu",
                         (unsigned long long)head->words, words);
    // Do the numbers fit together? A right checksum does not guarantee it.
    const bool coded = head->kind == KIND_GAP || head->kind == KIND_GAP_ZSTD;
    if ((head->ones == 0) != (head->kind == KIND_EMPTY) || (head->code != 0) != coded ||
        (head->kind == KIND_EMPTY && head->payload != 0) || (head->kind == KIND_GAP && head->payload != head->code) ||
        (head->kind != KIND_EMPTY && !coded && head->kind != KIND_WORDS_ZSTD))
        return corrupt("has a head that makes no sense");
    return 0;
}

uint64_t packed_bits_set(const void *record)
{
    return get_number((const uint8_t *)record + AT_ONES, 8);
}

// ---- packing ----

// Compresses into the other buffer, and takes the result if it is smaller than `head`'s payload, or if there is none
// yet.
static int try_zstd(struct packed_bits_packer *packer, const void *data, size_t bytes, enum kind kind,
                    struct head *head)
{
    const size_t packed =
        ZSTD_compress2(packer->compress, packer->other + PACKED_BITS_HEAD, packer->space, data, bytes);
    if (ZSTD_isError(packed))
        return error_set(CLTB_E_MEMORY, "packing bits failed: %s", ZSTD_getErrorName(packed));
    if (head->kind != KIND_EMPTY && packed >= head->payload)
        return 0;
    uint8_t *record = packer->other;
    packer->other = packer->record;
    packer->record = record;
    head->kind = kind;
    head->payload = packed;
    return 0;
}

int packed_bits_pack(struct packed_bits_packer *packer, const uint64_t *bits, size_t words, const void **record,
                     size_t *bytes)
{
    if (words > packer->words_max)
        return error_set(CLTB_E_USAGE, "a bitset of %zu words is too large for a packer of %zu", words,
                         packer->words_max);
    const uint64_t all = (uint64_t)words * WORD_BITS;
    struct head head = {.kind = KIND_EMPTY, .words = words, .ones = cltb_gap_ones(bits, all)};
    if (head.ones > all / GAP_SHARE) {
        TRY(try_zstd(packer, bits, words * WORD_BYTES, KIND_WORDS_ZSTD, &head));
    } else if (head.ones > 0) {
        uint8_t *code = packer->record + PACKED_BITS_HEAD;
        TRY(cltb_gap_encode(bits, all, code, packer->space, &head.code));
        head.kind = KIND_GAP;
        head.payload = head.code;
        if (head.code >= SMALL_CODE)
            TRY(try_zstd(packer, code, head.code, KIND_GAP_ZSTD, &head));
    }
    uint8_t *at = packer->record;
    memcpy(at, MAGIC, AT_KIND);
    at[AT_KIND] = (uint8_t)head.kind;
    put_number(at + AT_WORDS, 8, head.words);
    put_number(at + AT_ONES, 8, head.ones);
    put_number(at + AT_CODE, 8, head.code);
    put_number(at + AT_PAYLOAD, 8, head.payload);
    put_number(at + AT_HASH, 8, hash_of(at, head.payload));
    *record = at;
    *bytes = PACKED_BITS_HEAD + head.payload;
    return 0;
}

// ---- unpacking ----

int packed_bits_or(struct packed_bits_packer *packer, const void *record, size_t bytes, uint64_t *bits, size_t words)
{
    return packed_bits_or_each(packer, record, bytes, &bits, 1, words);
}

int packed_bits_or_each(struct packed_bits_packer *packer, const void *record, size_t bytes, uint64_t *const *planes,
                        int count, size_t words)
{
    struct head head = {.kind = KIND_EMPTY};
    if (words > packer->words_max)
        return error_set(CLTB_E_USAGE, "a bitset of %zu words is too large for a packer of %zu", words,
                         packer->words_max);
    TRY(read_head(record, bytes, words, &head));
    if (head.kind == KIND_EMPTY)
        return 0;
    const uint64_t length = head.kind == KIND_WORDS_ZSTD ? words * WORD_BYTES : head.code;
    const uint8_t *data = (const uint8_t *)record + PACKED_BITS_HEAD;
    if (length > packer->space)
        return corrupt("has a gap code that is longer than the bits");
    if (head.kind != KIND_GAP) {
        const size_t made = ZSTD_decompressDCtx(packer->decompress, packer->other, length, data, head.payload);
        if (ZSTD_isError(made))
            return error_set(CLTB_E_CORRUPT, "a record of packed bits cannot be decompressed: %s",
                             ZSTD_getErrorName(made));
        if (made != length)
            return corrupt("decompresses to another length than its head says");
        data = packer->other;
    }
    const uint64_t *from = (const void *)packer->other; // aligned
    uint64_t ones;
    if (head.kind == KIND_WORDS_ZSTD)
        ones = cltb_gap_ones(from, words * WORD_BITS);
    else if (cltb_gap_check(data, head.code, words * WORD_BITS, &ones) != 0)
        return error_prefix(CLTB_E_CORRUPT, "a record of packed bits");
    if (ones != head.ones)
        return corrupt("has another number of ones than its head says");
    for (int i = 0; i < count; i++) {
        if (head.kind != KIND_WORDS_ZSTD)
            TRY(cltb_gap_decode_or(data, head.code, planes[i], words * WORD_BITS, NULL));
        for (size_t w = 0; head.kind == KIND_WORDS_ZSTD && w < words; w++)
            planes[i][w] |= from[w];
    }
    return 0;
}
