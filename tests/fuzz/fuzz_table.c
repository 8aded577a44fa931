// fuzz_table.c - the table reader against hostile files
//
// Property: whatever bytes a file has, opening it, asking it for a few positions, reading a section and checking it
// end with a result or an error; and an opened table that passes its own check answers within the ranges that
// table/table.h promises. The driver builds a table, KQvK or $FUZZ_TABLE (with $FUZZ_LISTED distances are
// in lists), in the current folder and mutates it: bytes,
// length, and the numbers and words that an attacker would change. Every other time the checksums are made right
// again, so that the reader must rely on its own checks. What is compressed in the head, the streams' models, is
// changed below its compression.
#include "make/build.h"
#include "table/block_cache.h"
#include "table/container.h"
#include "table/container_format.h"
#include "table/table.h"
#include "util/error.h"

#include "fuzz/run.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum { CODE_BITS = 7 };

// An error about a file in memory can only say that it is damaged or in another format.
static void require_code(int code, const char *what)
{
    require(code == 0 || code == CLTB_E_CORRUPT || code == CLTB_E_FOREIGN, what);
}

// Some position of the material: squares are dealt from `start` on. False if the result is not a position.
static bool deal(struct position *position, const struct material *material, unsigned start, int side)
{
    struct man men[MATERIAL_MEN_MAX];
    int count = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = KING; type <= PAWN; type++) {
            for (int i = 0; i < material->count[colour][type]; i++, count++)
                men[count] =
                    (struct man){(uint8_t)type, (uint8_t)colour, (uint8_t)((start + (unsigned)count * 29) % 64)};
        }
    }
    return position_set(position, men, count, side) == 0 && position_legal(position);
}

static void ask(struct table *table)
{
    struct position position;
    struct material materials[2] = {table_info(table)->material}; // and flipped
    memcpy(materials[1].count[WHITE], materials[0].count[BLACK], sizeof materials[0].count[BLACK]);
    memcpy(materials[1].count[BLACK], materials[0].count[WHITE], sizeof materials[0].count[WHITE]);
    for (unsigned start = 0; start < 64; start += 3) {
        int outcome;
        int ply;
        if (!deal(&position, &materials[start % 2], start, (int)(start / 2 % 2)))
            continue;
        int code = table_outcome(table, &position, &outcome);
        require_code(code, "an outcome");
        require(code != 0 || (outcome >= CLTB_LOSS && outcome <= CLTB_WIN), "an outcome out of range");
        if (code != 0 || !table_has_distance(table, &position))
            continue;
        code = table_distance(table, &position, outcome, &ply);
        require_code(code, "a distance");
        require(code != 0 || (ply >= 0 && ply <= TABLE_PLY_MAX), "a distance out of range");
    }
}

// Reads the last section.
static void read_last(const struct table *bulk, int side, const enum table_reading *reading, int readings)
{
    for (int i = 0; i < readings; i++) {
        const struct entry_order *order = table_order(bulk, table_reading_kind(reading[i]), side);
        const uint64_t size = order == NULL ? 0 : order->per_section;
        uint8_t *symbols = size > 0 && size < 1 << 24 ? malloc(size) : NULL; // so that a sanitizer sees a byte too many
        if (symbols == NULL)
            continue;
        const struct table_units units = {side, order->sections - 1, NULL, 0, 1};
        const int code = table_read_units(bulk, reading[i], &units, symbols);
        require_code(code, "a section");
        for (uint64_t n = 0; code == 0 && reading[i] == READ_OUTCOMES && n < size; n++)
            require(symbols[n] < TABLE_OUTCOMES, "a section's outcome out of range");
        free(symbols);
    }
}

static void read_bulk(const char *path, const struct material *material)
{
    struct table *bulk;
    int code = table_open_material(&bulk, path, material);
    require_code(code, "opening for bulk");
    if (code != 0)
        return;
    for (int side = WHITE; side <= (table_info(bulk)->symmetric ? WHITE : BLACK); side++) {
        enum table_reading reading[TABLE_READINGS_MAX];
        for (int bits = 0; bits <= CODE_BITS; bits += CODE_BITS)
            read_last(bulk, side, reading, table_readings(bulk, side, bits, reading));
    }
    table_close(bulk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = file_in_memory(data, size);
    struct block_cache *cache;
    struct table *table;
    if (block_cache_open(&cache, 1 << 16) != 0)
        return 0;
    int code = table_open(&table, path, cache);
    require_code(code, "opening");
    require((code == 0) == (table != NULL), "a failure that leaves a table behind");
    if (code == 0) {
        const struct table_info *info = table_info(table);
        const struct material material = info->material;
        require(material_men(&material) >= 3 && material_men(&material) <= MATERIAL_MEN_MAX, "a material out of range");
        require(memchr(info->order, '\0', sizeof info->order) != NULL, "an order without an end");
        ask(table);
        require_code(table_check(table), "checking");
        table_close(table);
        read_bulk(path, &material);
    }
    block_cache_close(cache);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

enum { FILE_MAX = 1 << 20, BLOCKS_MAX = 1000 };

static const char *material_wanted(void)
{
    return getenv("FUZZ_TABLE") != NULL ? getenv("FUZZ_TABLE") : "KQvK";
}

static uint8_t original[FILE_MAX];
static size_t original_size;
static size_t head_size; // of the original
static size_t text_at;   // where its properties begin
static uint8_t mutant[FILE_MAX];
static struct block {
    size_t record; // offset of what the head says about it
    size_t at;
    size_t bytes;
} block[BLOCKS_MAX];
static size_t blocks;
static struct model {
    size_t record; // offset of its length
    size_t at;
    size_t bytes;
} model[CONTAINER_STREAMS_MAX];
static size_t models;
static size_t section[CONTAINER_STREAMS_MAX][2]; // where the head has the places of each stream's sections, and the end

// Where the original's blocks are.
static void find_blocks(const char *path)
{
    struct container *container;
    struct container_stream streams[CONTAINER_STREAMS_MAX];
    require(container_open(&container, path) == 0, "the built table cannot be opened");
    const int count = container_stream_count(container);
    for (int i = 0; i < count; i++)
        streams[i] = *container_stream(container, i);
    container_close(container);
    const struct head_parts parts = head_parts(streams, count, head_size - text_at);
    for (int i = 0; i < count; i++) {
        const uint64_t section_blocks = container_section_blocks(&streams[i]);
        section[i][0] = (size_t)parts.sections[i];
        section[i][1] = (size_t)(parts.sections[i] + streams[i].sections * SECTION_RECORD);
        if (streams[i].model_bytes > 0)
            model[models++] = (struct model){HEAD_FIXED + (size_t)i * STREAM_RECORD + 44, (size_t)parts.models[i],
                                             streams[i].model_bytes};
        size_t at = 0;
        for (uint64_t b = 0; b < container_blocks(&streams[i]) && blocks < BLOCKS_MAX; b++) {
            const size_t record = (size_t)(parts.blocks[i] + b * BLOCK_RECORD);
            const size_t bytes = (size_t)get_number(original + record, 4);
            if (b % section_blocks == 0)
                at = (size_t)get_number(original + parts.sections[i] + b / section_blocks * SECTION_RECORD, 8);
            block[blocks++] = (struct block){record, at, bytes};
            at += bytes;
        }
    }
}

static void build_original(void)
{
    static struct material material;
    char path[64];
    const struct build_options options = {.dir = ".",
                                          .device = "cpu",
                                          .threads = 1,
                                          .force = true,
                                          .both_sides = true,
                                          .listed = getenv("FUZZ_LISTED") != NULL};
    require(material_parse(&material, material_wanted(), NULL) == 0 && build_table(&material, &options) == 0,
            "building the table");
    snprintf(path, sizeof path, "./%.50s.cltb", material_wanted());
    original_size = file_bytes(path, original, sizeof original);
    require(original_size > HEAD_FIXED && original_size < sizeof original, "the built table's size");
    head_size = (size_t)get_number(original + HEAD_BYTES, 8);
    text_at = head_size - (size_t)get_number(original + HEAD_TEXT_BYTES, 8);
    find_blocks(path);
}

// One of the head's numbers, or half of one.
static void mutate_number(size_t limit)
{
    const uint64_t power = UINT64_C(1) << below(64);
    const uint64_t any = random_number();
    const uint64_t likely[] = {
        0, 1, 2, 9, 10, 11, 64, 4096, 40960, UINT32_MAX, UINT64_MAX, power, any, original_size, head_size};
    const size_t at = below(limit / 4) * 4;
    const int width = below(2) == 0 ? 4 : 8;
    uint64_t value = likely[below(sizeof likely / sizeof likely[0])];
    if (at + (size_t)width > original_size)
        return;
    if (below(2) == 0)
        value = get_number(mutant + at, width) + below(9) - 4;
    put_number(mutant + at, width, value);
}

// Decompresses a model of the original, changes it, and puts it back; the rest of the file moves. Returns the new size.
static size_t mutate_model(void)
{
    enum { RAW_MAX = 1 << 20 };
    static uint8_t raw[RAW_MAX];
    static uint8_t packed[RAW_MAX + (RAW_MAX >> 7)];
    static const uint8_t likely[] = {0, 1, 2, 0x40, 0x7f, 0x80, 0xff};
    const struct model *m = &model[below(models)];
    size_t length = ZSTD_decompress(raw, sizeof raw - 16, original + m->at, m->bytes);
    require(!ZSTD_isError(length) && length > 16, "the model of the original");
    for (size_t changes = below(4) + 1; changes > 0; changes--) {
        const size_t at = below(below(2) == 0 ? 32 : length); // its beginning has the numbers that others depend on
        raw[at] = below(2) == 0 ? likely[below(sizeof likely)] : (uint8_t)(raw[at] + (int)below(9) - 4);
    }
    if (below(8) == 0)
        length = below(length + 16);
    const size_t bytes = ZSTD_compress(packed, sizeof packed, raw, length, 3);
    const size_t size = original_size - m->bytes + bytes;
    if (ZSTD_isError(bytes) || size > sizeof mutant)
        return original_size;
    memcpy(mutant + m->at, packed, bytes);
    memcpy(mutant + m->at + bytes, original + m->at + m->bytes, original_size - m->at - m->bytes);
    const uint64_t moved = bytes - m->bytes;
    put_number(mutant + m->record, 4, bytes);
    put_number(mutant + HEAD_BYTES, 8, head_size + moved);
    put_number(mutant + HEAD_FILE_BYTES, 8, size);
    for (int i = 0; i < CONTAINER_STREAMS_MAX; i++)
        for (size_t at = section[i][0]; at < section[i][1]; at += SECTION_RECORD)
            put_number(mutant + at, 8, get_number(mutant + at, 8) + moved);
    mend_head(mutant, size);
    return size;
}

// Words of the properties that another table could have.
static void mutate_text(void)
{
    static const char *const words[] = {"KPvK",
                                        "K k\n",
                                        "KRvK",
                                        "KNNNNNNvK",
                                        "KQRBNvKQR",
                                        "outcome-w ",
                                        "distance-b k",
                                        "k K Q\n",
                                        "k Q K\n",
                                        "k\n",
                                        "-1",
                                        " ",
                                        "\n",
                                        "material KPvKP\n",
                                        "99999999999999999999",
                                        "game chess\nmetric dtz\nmaterial KvKN\n"};
    const char *word = words[below(sizeof words / sizeof words[0])];
    size_t length = 0;
    while (text_at + length < head_size && mutant[text_at + length] != '\0')
        length++;
    const size_t at = text_at + below(length + 1);
    const size_t size = strlen(word);
    if (below(4) == 0 && text_at + length + size < head_size)
        memmove(mutant + at + size, mutant + at, text_at + length - at);
    if (at + size < head_size)
        memcpy(mutant + at, word, size);
}

// Blocks first: their checksums are part of the head. They lie where the original has them.
static void mend_checksums(size_t size)
{
    for (size_t i = 0; i < blocks; i++) {
        if (block[i].at + block[i].bytes <= size)
            put_number(mutant + block[i].record + 4, 8, XXH64(mutant + block[i].at, block[i].bytes, 0));
    }
    if (size >= HEAD_FIXED && below(2) == 0)
        put_number(mutant + HEAD_FILE_BYTES, 8, size);
    mend_head(mutant, size);
}

static void run_one(void)
{
    size_t size = original_size;
    memcpy(mutant, original, size);
    if (models > 0 && below(3) == 0) {
        size = mutate_model();
        LLVMFuzzerTestOneInput(mutant, size);
        return;
    }
    for (size_t changes = below(4) + 1; changes > 0; changes--) {
        const uint32_t kind = below(8);
        if (kind == 0)
            mutant[below(size)] ^= (uint8_t)(1U << below(8));
        else if (kind == 1)
            mutant[below(head_size)] = (uint8_t)random_number();
        else if (kind == 2)
            size = below(16) == 0 ? 1 + below(original_size) : size;
        else if (kind <= 4)
            mutate_text();
        else
            mutate_number(below(2) == 0 ? HEAD_FIXED + 4 * STREAM_RECORD : head_size);
    }
    if (below(2) == 0)
        mend_checksums(size);
    LLVMFuzzerTestOneInput(mutant, size);
}

int main(int argc, char **argv)
{
    build_original();
    LLVMFuzzerTestOneInput(original, original_size);
    return fuzz_run(argc, argv, run_one);
}

#endif
