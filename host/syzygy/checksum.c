// checksum.c - the 16 bytes at the end of a Syzygy file
//
// CityHash with CRC of 2011: crc256 of each chunk, then the 128-bit hash of all of these digests. All sums and products
// are modulo 2^64.
#include "syzygy/checksum.h"

#include "util/error.h"
#include "util/file.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define K0     UINT64_C(0xc3a5c85c97cb3127)
#define K1     UINT64_C(0xb492b66fbe98f273)
#define K3     UINT64_C(0xc949d7c7509e6557)
#define K_PAIR UINT64_C(0x9ddfea08eb382d69)

enum { CRC_BLOCK = 240, CRC_STEP = 40, LONG_DIGESTS = 900, CITY_BLOCK = 128 };

static uint64_t load(const uint8_t *at)
{
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--)
        x = x << 8 | at[i];
    return x;
}

static void store(uint8_t *at, uint64_t x)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(x >> 8 * i);
}

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return bits == 0 ? x : x >> bits | x << (64 - bits);
}

static uint64_t mix(uint64_t x)
{
    return x ^ x >> 47;
}

static uint64_t hash_pair(uint64_t u, uint64_t v)
{
    const uint64_t a = mix((u ^ v) * K_PAIR);
    const uint64_t b = mix((v ^ a) * K_PAIR);
    return b * K_PAIR;
}

// CRC-32C of eight bytes, without inversions.
static uint64_t crc(uint64_t sum, uint64_t x)
{
    static const uint32_t polynomial = 0x82f63b78;
    static uint32_t table[8][256];
    static _Atomic int ready;
    if (!ready) { // every thread that comes first writes the same
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t value = byte;
            for (int row = 0; row < 8; row++) {
                for (int bit = 0; bit < 8; bit++)
                    value = value >> 1 ^ (value & 1 ? polynomial : 0);
                table[row][byte] = value;
            }
        }
        ready = 1;
    }
    x ^= (uint32_t)sum;
    uint32_t result = 0;
    for (int i = 0; i < 8; i++)
        result ^= table[7 - i][x >> 8 * i & 0xff];
    return result;
}

// The state of crc256.
struct state {
    uint64_t a, b, c, d, e, t;
    uint64_t crc[5]; // f g h i j
};

static void step(struct state *s, const uint8_t *at, uint64_t factor, unsigned turn)
{
    const uint64_t a = s->a;
    s->a = rotate(s->b, 41 ^ turn) * factor + load(at);
    s->b = rotate(s->c, 27 ^ turn) * factor + load(at + 8);
    s->c = rotate(s->d, 41 ^ turn) * factor + load(at + 16);
    s->d = rotate(s->e, 33 ^ turn) * factor + load(at + 24);
    s->e = rotate(s->t, 25 ^ turn) * factor + load(at + 32);
    s->t = a;
    const uint64_t now[5] = {s->a, s->b, s->c, s->d, s->e};
    for (int i = 0; i < 5; i++)
        s->crc[i] = crc(s->crc[i], now[i]);
}

void syzygy_chunk_digest(const uint8_t *data, size_t bytes, uint8_t digest[32])
{
    uint8_t padded[CRC_BLOCK] = {0};
    uint32_t seed = 0;
    if (bytes < CRC_BLOCK) {
        memcpy(padded, data, bytes);
        seed = ~(uint32_t)bytes;
        data = padded;
        bytes = CRC_BLOCK;
    }
    struct state s = {.a = load(data + 56) + K0, .b = load(data + 96) + K0, .e = load(data + 184) + seed};
    uint64_t r0 = s.c = hash_pair(s.b, bytes);
    uint64_t r1 = s.d = load(data + 120) * K0 + bytes;
    s.crc[0] = seed;
    s.t = s.c + s.d;
    size_t at = 0;
    for (; bytes - at >= CRC_BLOCK; at += CRC_BLOCK) {
        for (unsigned i = 0; i < CRC_BLOCK / CRC_STEP; i++)
            step(&s, data + at + i * CRC_STEP, i % 2 == 0 ? 1 : K0, i % 2 == 0 ? 1 : 0);
    }
    for (; bytes - at >= CRC_STEP; at += CRC_STEP)
        step(&s, data + at, K0, 0);
    if (at < bytes)
        step(&s, data + bytes - CRC_STEP, K0, 0);
    uint64_t f = s.crc[0];
    uint64_t g = s.crc[1];
    uint64_t h = s.crc[2];
    uint64_t i = s.crc[3];
    uint64_t j = s.crc[4];
    j += i << 32;
    s.a = hash_pair(s.a, j);
    h += g << 32;
    s.b += h;
    s.c = hash_pair(s.c, f) + i;
    s.d = hash_pair(s.d, s.e + r0);
    j += s.e;
    i += hash_pair(h, s.t);
    s.e = hash_pair(s.a, s.d) + j;
    f = hash_pair(s.b, s.c) + s.a;
    g = hash_pair(j, i) + s.c;
    r0 = s.e + f + g + h;
    s.a = mix((s.a + g) * K0) * K0 + s.b;
    r1 += s.a + r0;
    s.a = mix(s.a * K0) * K0 + s.c;
    const uint64_t r2 = s.a + r1;
    s.a = mix((s.a + s.e) * K0) * K0;
    store(digest, r0);
    store(digest + 8, r1);
    store(digest + 16, r2);
    store(digest + 24, s.a + r2);
}

// ---- the 128-bit hash of the digests ----

// For 16 to 127 bytes.
static void hash_short(const uint8_t *s, size_t n, uint64_t x, uint64_t y, uint64_t result[2])
{
    uint64_t a = x;
    uint64_t b = y;
    uint64_t c;
    uint64_t d;
    if (n == 16) {
        a = mix(x * K1) * K1;
        c = y * K1 + (hash_pair(load(s), rotate(load(s + 8) + 16, 16)) ^ load(s + 8));
        d = mix(a + load(s));
    } else {
        c = hash_pair(load(s + n - 8) + K1, x);
        d = hash_pair(y + n, c + load(s + n - 16));
        a = x + d;
        for (size_t o = 0; o + 32 <= n; o += 16) {
            a ^= mix(load(s + o) * K1) * K1;
            a *= K1;
            b ^= a;
            c ^= mix(load(s + o + 8) * K1) * K1;
            c *= K1;
            d ^= c;
        }
    }
    a = hash_pair(a, c);
    b = hash_pair(d, b);
    result[0] = a ^ b;
    result[1] = hash_pair(b, a);
}

static void weak_hash(const uint8_t *at, uint64_t a, uint64_t b, uint64_t v[2])
{
    a += load(at);
    b = rotate(b + a + load(at + 24), 21);
    const uint64_t c = a;
    a += load(at + 8) + load(at + 16);
    b += rotate(a, 44);
    v[0] = a + load(at + 24);
    v[1] = b + c;
}

static void hash_long(const uint8_t *s, size_t n, uint64_t x, uint64_t y, uint64_t result[2])
{
    const uint8_t *end = s + n;
    uint64_t z = n * K1;
    uint64_t v[2];
    uint64_t w[2];
    v[0] = rotate(y ^ K1, 49) * K1 + load(s);
    v[1] = rotate(v[0], 42) * K1 + load(s + 8);
    w[0] = rotate(y + z, 35) * K1 + x;
    w[1] = rotate(x + load(s + 88), 53) * K1;
    for (; n >= CITY_BLOCK; n -= CITY_BLOCK) {
        for (int half = 0; half < 2; half++, s += CITY_BLOCK / 2) {
            x = rotate(x + y + v[0] + load(s + 8), 37) * K1;
            y = rotate(y + v[1] + load(s + 48), 42) * K1;
            x ^= w[1];
            y += v[0] + load(s + 40);
            z = rotate(z + w[0], 33) * K1;
            weak_hash(s, v[1] * K1, x + w[0], v);
            weak_hash(s + 32, z + w[1], y + load(s + 16), w);
            const uint64_t swap = x;
            x = z;
            z = swap;
        }
    }
    x += rotate(v[0] + z, 49) * K0;
    z += rotate(w[0], 37) * K0;
    for (size_t t = 0; t < n;) {
        t += 32;
        const uint8_t *q = end - t;
        y = rotate(x + y, 42) * K0 + v[1];
        w[0] += load(q + 16);
        x = x * K0 + w[0];
        z += w[1] + load(q);
        w[1] += v[0];
        weak_hash(q, v[0] + z, v[1], v);
    }
    x = hash_pair(x, v[0]);
    y = hash_pair(y + z, w[0]);
    result[0] = hash_pair(x + v[1], w[1]) + y;
    result[1] = hash_pair(x + w[1], y + v[1]);
}

void syzygy_checksum(const uint8_t *digests, size_t chunks, uint8_t sum[SYZYGY_CHECKSUM_BYTES])
{
    const size_t n = 32 * chunks;
    uint64_t result[2];
    if (n > LONG_DIGESTS) {
        uint8_t digest[32];
        syzygy_chunk_digest(digests, n, digest);
        result[0] = load(digest + 16);
        result[1] = load(digest + 24);
    } else {
        const uint64_t x = load(digests) ^ K3;
        const uint64_t y = load(digests + 8);
        (n - 16 < CITY_BLOCK ? hash_short : hash_long)(digests + 16, n - 16, x, y, result);
    }
    store(sum, result[0]);
    store(sum + 8, result[1]);
}

// ---- files ----

enum { ALIGN = 64, LEAST = ALIGN + SYZYGY_CHECKSUM_BYTES };

// The checksum of the first `bytes` of a file.
static int sum_file(int file, const char *path, uint64_t bytes, uint8_t sum[SYZYGY_CHECKSUM_BYTES])
{
    const size_t chunks = (size_t)((bytes + SYZYGY_CHUNK - 1) / SYZYGY_CHUNK);
    uint8_t *chunk;
    uint8_t(*digest)[32] = NULL;
    int code = memory_new(&chunk, SYZYGY_CHUNK, 1, "a checksum");
    THEN(code, memory_new(&digest, chunks, sizeof *digest, "a checksum"));
    for (size_t i = 0; code == 0 && i < chunks; i++) {
        const uint64_t left = bytes - i * SYZYGY_CHUNK;
        const size_t count = left < SYZYGY_CHUNK ? (size_t)left : SYZYGY_CHUNK;
        code = file_read(file, path, chunk, count, i * SYZYGY_CHUNK, NULL);
        if (code == 0)
            syzygy_chunk_digest(chunk, count, digest[i]);
    }
    if (code == 0)
        syzygy_checksum(digest[0], chunks, sum);
    free(chunk);
    free(digest);
    return code;
}

int syzygy_file_check(const char *path, uint64_t *bytes)
{
    struct stat status;
    uint8_t sum[SYZYGY_CHECKSUM_BYTES];
    uint8_t stored[SYZYGY_CHECKSUM_BYTES];
    const int file = os_open(path, O_RDONLY | O_NONBLOCK);
    if (file < 0 && errno == ENOENT)
        return error_set(CLTB_E_MISSING, "there is no %s", path);
    if (file < 0 || fstat(file, &status) != 0) {
        if (file >= 0)
            close(file);
        return error_errno(CLTB_E_IO, errno, "cannot read %s", path);
    }
    const uint64_t size = (uint64_t)status.st_size;
    int code = 0;
    if (!S_ISREG(status.st_mode) || size < LEAST || size % ALIGN != SYZYGY_CHECKSUM_BYTES)
        code = error_set(CLTB_E_CORRUPT, "%s is not a whole Syzygy file", path);
    THEN(code, sum_file(file, path, size - sizeof sum, sum));
    THEN(code, file_read(file, path, stored, sizeof stored, size - sizeof sum, NULL));
    if (code == 0 && memcmp(sum, stored, sizeof sum) != 0)
        code = error_set(CLTB_E_CORRUPT, "%s is damaged: its checksum is wrong", path);
    close(file);
    *bytes += size;
    return code;
}

int syzygy_pair_check(const char *folder, const char *name, bool wdl, uint64_t *bytes)
{
    char path[PATH_MAX];
    *bytes = 0;
    TRY(folder_path(path, sizeof path, folder, "%s.rtbw", name));
    TRY(syzygy_file_check(path, bytes));
    if (wdl)
        return 0;
    TRY(folder_path(path, sizeof path, folder, "%s.rtbz", name));
    return syzygy_file_check(path, bytes);
}
