// fuzz_syzygy.c - the reader of Syzygy files against hostile files
//
// Property: whatever bytes a file has, opening it and asking it for values by index and by position end with a result
// or an error, and every value is in its range. The first byte of an input says which of three files the rest is; the
// driver mutates two official files and one made by hand: bytes, length, and the numbers that an attacker would change.
// Checksums play no part, because reading does not compare them.
#include "syzygy/file.h"
#include "table/block_cache.h"
#include "util/error.h"
#include "util/threads.h"

#include "fuzz/run.h"
#include "syzygy/support_syzygy.h"

#include <string.h>

static const struct {
    const char *name;
    enum syzygy_kind kind;
} files[] = {{"KRvK", SYZYGY_OUTCOMES}, {"KNvK", SYZYGY_DISTANCES}, {"KPvK", SYZYGY_DISTANCES}};
enum { FILES = sizeof files / sizeof files[0] };

static void require_code(int code, const char *what)
{
    require(code == 0 || code == CLTB_E_CORRUPT || code == CLTB_E_FOREIGN, what);
}

static void ask_by_index(const struct syzygy_file *file, unsigned value_max)
{
    for (int sub_table = 0; sub_table < 8; sub_table++) {
        const struct syzygy_shape *shape = syzygy_shape_of(file, sub_table / 2, sub_table % 2);
        for (uint64_t index = 0; shape != NULL && index < shape->values; index += shape->values / 7) {
            unsigned value = 0;
            const int code = syzygy_value(file, sub_table / 2, sub_table % 2, index, &value);
            require_code(code, "a value");
            require(code != 0 || value <= value_max, "a value out of range");
        }
    }
}

static void ask_by_position(const struct syzygy_file *file, enum syzygy_kind kind, const struct material *material)
{
    for (unsigned start = 0; start < 64; start += 5) {
        struct position position;
        struct man men[MATERIAL_MEN_MAX];
        int count = 0;
        for (int i = 0; i < COLOURS * PIECE_TYPES; i++)
            for (int k = 0; k < material->count[i / PIECE_TYPES][i % PIECE_TYPES]; k++, count++)
                men[count] = (struct man){(uint8_t)(i % PIECE_TYPES), (uint8_t)(i / PIECE_TYPES ^ (int)(start % 2)),
                                          (uint8_t)((start + (unsigned)count * 29) % 64)};
        if (position_set(&position, men, count, (int)(start / 2 % 2)) != 0)
            continue;
        int outcome = CLTB_WIN - (int)start % 2 * 3;
        int ply = 0;
        bool rounded;
        if (kind == SYZYGY_OUTCOMES) {
            require_code(syzygy_outcome(file, &position, &outcome), "an outcome");
            require(outcome >= CLTB_LOSS && outcome <= CLTB_WIN, "an outcome out of range");
        } else if (syzygy_has_distance(file, &position)) {
            const int code = syzygy_distance(file, &position, outcome, &ply, &rounded);
            require_code(code, "a distance");
            require(code != 0 || (ply >= 1 && ply <= 2047), "a distance out of range");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct block_cache *cache;
    struct syzygy_file *file;
    struct material material;
    if (size == 0 || block_cache_open(&cache, 1 << 16) != 0)
        return 0;
    const int which = data[0] % FILES;
    require(material_parse(&material, files[which].name, NULL) == 0, "a name");
    const int code = syzygy_open(&file, file_in_memory(data + 1, size - 1), files[which].kind, &material, cache);
    require_code(code, "opening");
    require((code == 0) == (file != NULL), "a failure that leaves a file behind");
    if (code == 0) {
        ask_by_index(file, files[which].kind == SYZYGY_OUTCOMES ? 4 : 4095);
        ask_by_position(file, files[which].kind, &material);
        static struct thread_pool *pool;
        require(pool != NULL || threads_open(&pool, 1) == 0, "a pool");
        require_code(syzygy_load(file, 1 << 20, pool), "all values");
        ask_by_index(file, files[which].kind == SYZYGY_OUTCOMES ? 4 : 4095);
    }
    syzygy_close(file);
    block_cache_close(cache);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

static struct made_file original[FILES];
static uint8_t mutant[1 + sizeof original[0].bytes];

static void take(struct made_file *to, const uint8_t *bytes, size_t size)
{
    memcpy(to->bytes, bytes, size);
    to->size = size;
}

static void run_one(void)
{
    static const uint8_t likely[] = {0, 1, 2, 4, 5, 8, 15, 16, 32, 33, 63, 64, 0x7f, 0x80, 0xfe, 0xff};
    const uint32_t which = below(FILES);
    size_t size = 1 + original[which].size;
    mutant[0] = (uint8_t)which;
    memcpy(mutant + 1, original[which].bytes, size - 1);
    // Most bytes of these files are zeros between and after their parts.
    const size_t part = below(4) == 0 ? size - 1 : 64 + below(128);
    for (size_t changes = below(4) + 1; changes > 0; changes--) {
        const size_t at = 1 + below(part < size - 1 ? part : size - 1);
        const uint32_t kind = below(8);
        if (kind == 0)
            mutant[at] ^= (uint8_t)(1U << below(8));
        else if (kind == 1)
            mutant[at] = (uint8_t)random_number();
        else if (kind == 2 && below(8) == 0)
            size = 17 + 64 * below(size / 64 + 1);
        else if (kind == 3)
            memset(mutant + at, likely[below(sizeof likely)], below(size - at) % 16);
        else if (kind == 4)
            mutant[at] = (uint8_t)(mutant[at] + below(5) - 2);
        else
            mutant[at] = likely[below(sizeof likely)];
    }
    LLVMFuzzerTestOneInput(mutant, size);
}

int main(int argc, char **argv)
{
    take(&original[0], krvk_rtbw, sizeof krvk_rtbw);
    take(&original[1], knvk_rtbz, sizeof knvk_rtbz);
    make_kpvk_rtbz(&original[2]);
    for (unsigned i = 0; i < FILES; i++) {
        mutant[0] = (uint8_t)i;
        memcpy(mutant + 1, original[i].bytes, original[i].size);
        LLVMFuzzerTestOneInput(mutant, 1 + original[i].size);
    }
    return fuzz_run(argc, argv, run_one);
}

#endif
