// file.c - the bytes of a Syzygy file, from compressed sub-tables
//
// The head is everything before the blocks: magic and flags, the men, a pair header for each sub-table, the lists of
// distances, sparse indices, and lengths of blocks. It is put together in memory. Then the blocks follow, those of each
// sub-table from a multiple of 64 on, and the checksum, which takes the digest of each chunk of 16 MiB.
#include "syzygy/write/file.h"

#include "syzygy/checksum.h"
#include "table/part_file.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALIGN = 64,
    FLAG_BLACK = 1,
    FLAG_MAPPED = 2,
    FLAG_WIN_PLIES = 4,
    FLAG_LOSS_PLIES = 8,
    FLAG_WIDE = 16,
    FLAG_SINGLE = 128
};

static const uint8_t magic[2][4] = {{0xd7, 0x66, 0x0c, 0xa5}, {0x71, 0xe8, 0x23, 0x5d}};

// Bytes that are appended to.
struct bytes {
    uint8_t *data;
    size_t count;
    size_t room;
    int code; // of the first addition that failed
};

static void add(struct bytes *bytes, const void *data, size_t count)
{
    THEN(bytes->code, memory_grow(&bytes->data, &bytes->room, bytes->count + count, 1, "a Syzygy file"));
    if (bytes->code != 0)
        return;
    if (count > 0)
        memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
}

static void add_blocks(struct bytes *bytes, const struct syzygy_parts *file, const struct syzygy_packed *packed)
{
    const size_t count = (size_t)packed->blocks << packed->block_bits;
    if (packed->data != NULL) {
        add(bytes, packed->data, count);
        return;
    }
    THEN(bytes->code, memory_grow(&bytes->data, &bytes->room, bytes->count + count, 1, "a Syzygy file"));
    THEN(bytes->code, overflow_get(file->overflow, packed->away, bytes->data + bytes->count, count));
    bytes->count += count;
}

static void add_number(struct bytes *bytes, uint64_t number, size_t count)
{
    uint8_t little[8];
    for (size_t i = 0; i < count; i++)
        little[i] = (uint8_t)(number >> 8 * i);
    add(bytes, little, count);
}

static void pad(struct bytes *bytes, size_t multiple)
{
    static const uint8_t zeros[ALIGN];
    add(bytes, zeros, (multiple - bytes->count % multiple) % multiple);
}

// ---- the head ----

static void add_men(struct bytes *bytes, const struct syzygy_parts *file, int f)
{
    const struct syzygy_shape *white = &file->part[f][0].shape;
    // Both sides to move are stored; the .rtbw of a symmetric material has White's men in both halves.
    const struct syzygy_shape *black = file->sides == 2 ? &file->part[f][1].shape : file->wdl ? white : NULL;
    add_number(bytes, (unsigned)white->order | (black != NULL ? (unsigned)black->order : 0U) << 4, 1);
    if (white->other_pawns)
        add_number(bytes, (unsigned)white->order2 | (black != NULL ? (unsigned)black->order2 : 0U) << 4, 1);
    for (int i = 0; i < white->men; i++)
        add_number(bytes, white->list[i] | (black != NULL ? (unsigned)black->list[i] : 0U) << 4, 1);
}

static bool is_wide(const struct syzygy_map *map)
{
    bool wide = false;
    for (int class = 0; class < SYZYGY_CLASSES; class ++) {
        wide |= map->count[class] > 0xff;
        for (int i = 0; i < map->count[class]; i++)
            wide |= map->list[class][i] > 0xff;
    }
    return wide;
}

static unsigned flags_of(const struct syzygy_parts *file, const struct syzygy_part *part)
{
    const struct syzygy_map *map = &part->map;
    unsigned flags = part->packed.single ? FLAG_SINGLE : 0;
    if (file->wdl)
        return flags;
    flags |= part->side == BLACK ? FLAG_BLACK : 0;
    flags |= (map->plies[0] ? FLAG_WIN_PLIES : 0U) | (map->plies[1] ? FLAG_LOSS_PLIES : 0U);
    if (map->mapped && !part->packed.single)
        flags |= FLAG_MAPPED | (is_wide(map) ? FLAG_WIDE : 0U);
    return flags;
}

static void add_pair_header(struct bytes *bytes, const struct syzygy_parts *file, const struct syzygy_part *part)
{
    const struct syzygy_packed *packed = &part->packed;
    add_number(bytes, flags_of(file, part), 1);
    if (packed->single) {
        add_number(bytes, packed->value, 1);
        return;
    }
    add_number(bytes, packed->block_bits, 1);
    add_number(bytes, packed->span_bits, 1);
    add_number(bytes, packed->padding, 1);
    add_number(bytes, packed->blocks, 4);
    add_number(bytes, packed->code_max, 1);
    add_number(bytes, packed->code_min, 1);
    for (int i = 0; i <= packed->code_max - packed->code_min; i++)
        add_number(bytes, packed->first[i], 2);
    add_number(bytes, packed->symbols, 2);
    add(bytes, packed->symbol, 3U * packed->symbols);
    pad(bytes, 2);
}

static void add_map(struct bytes *bytes, const struct syzygy_part *part)
{
    const struct syzygy_map *map = &part->map;
    const size_t width = is_wide(map) ? 2 : 1;
    pad(bytes, width);
    for (int class = 0; class < SYZYGY_CLASSES; class ++) {
        add_number(bytes, map->count[class], width);
        for (int i = 0; i < map->count[class]; i++)
            add_number(bytes, map->list[class][i], width);
    }
}

static void add_head(struct bytes *bytes, const struct syzygy_parts *file)
{
    const bool pawns = material_has_pawns(file->material);
    const unsigned men = (unsigned)material_men(file->material);
    const int parts = file->files * file->sides;
    add(bytes, magic[file->wdl], sizeof magic[0]);
    add_number(bytes, men << 4 | (pawns ? 2U : 0U) | (material_symmetric(file->material) ? 0U : 1U), 1);
    for (int f = 0; f < file->files; f++)
        add_men(bytes, file, f);
    pad(bytes, 2);
    for (int i = 0; i < parts; i++)
        add_pair_header(bytes, file, &file->part[i / file->sides][i % file->sides]);
    for (int i = 0; !file->wdl && i < parts; i++) {
        if (flags_of(file, &file->part[i][0]) & FLAG_MAPPED)
            add_map(bytes, &file->part[i][0]);
    }
    pad(bytes, 2);
    for (int i = 0; i < parts; i++) {
        const struct syzygy_packed *packed = &file->part[i / file->sides][i % file->sides].packed;
        if (!packed->single)
            add(bytes, packed->sparse, 6 * packed->spans);
    }
    for (int i = 0; i < parts; i++) {
        const struct syzygy_packed *packed = &file->part[i / file->sides][i % file->sides].packed;
        for (uint64_t k = 0; !packed->single && k < packed->blocks + (uint64_t)packed->padding; k++)
            add_number(bytes, packed->length[k], 2);
    }
    pad(bytes, ALIGN);
}

// ---- the whole ----

struct chunks {
    const struct bytes *bytes;
    uint8_t (*digest)[32];
};

static int digest_chunk(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct chunks *chunks = context;
    const size_t first = item * SYZYGY_CHUNK;
    const size_t left = chunks->bytes->count - first;
    syzygy_chunk_digest(chunks->bytes->data + first, left < SYZYGY_CHUNK ? left : SYZYGY_CHUNK, chunks->digest[item]);
    return 0;
}

static int add_checksum(struct bytes *bytes, struct thread_pool *pool)
{
    const size_t count = (bytes->count + SYZYGY_CHUNK - 1) / SYZYGY_CHUNK;
    struct chunks chunks = {bytes, malloc(count * sizeof *chunks.digest)};
    uint8_t sum[SYZYGY_CHECKSUM_BYTES];
    if (chunks.digest == NULL)
        return error_memory(count * sizeof *chunks.digest, "a checksum");
    const int code = threads_each(pool, count, digest_chunk, &chunks);
    if (code == 0) {
        syzygy_checksum(chunks.digest[0], count, sum);
        add(bytes, sum, sizeof sum);
    }
    free(chunks.digest);
    return code != 0 ? code : bytes->code;
}

int syzygy_file_write(const struct syzygy_parts *file, const char *path, struct thread_pool *pool, uint64_t *size)
{
    struct bytes bytes = {0};
    struct part_file part;
    add_head(&bytes, file);
    for (int i = 0; i < file->files * file->sides; i++) {
        const struct syzygy_packed *packed = &file->part[i / file->sides][i % file->sides].packed;
        if (!packed->single)
            add_blocks(&bytes, file, packed);
        pad(&bytes, ALIGN);
    }
    int code = bytes.code != 0 ? bytes.code : add_checksum(&bytes, pool);
    THEN(code, part_file_open(&part, path));
    if (code == 0) {
        code = part_file_write(&part, bytes.data, bytes.count, 0);
        THEN(code, part_file_finish(&part));
        part_file_close(&part);
    }
    *size = bytes.count;
    free(bytes.data);
    return code;
}
