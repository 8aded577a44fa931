// table.c - reading a chess table: from a position to its entry, from the entry to a symbol
#include "table/table.h"

#include "index/entry.h"
#include "table/block_cache.h"
#include "table/properties.h"
#include "table/table_bulk.h"
#include "table/table_entry.h"
#include "table/table_text.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    struct container *container;
    struct block_cache *cache;
    struct cached_container *blocks;
    struct table_info info;
    struct pawn_slices *slices;       // NULL: no pawns
    int stream[TABLE_KINDS][COLOURS]; // numbers of the container's streams, -1: there is none
    struct entry_order order[TABLE_KINDS][COLOURS];
};

const char *table_stream_name(enum table_kind kind, int side)
{
    static const char *const names[TABLE_KINDS][COLOURS] = {{"outcome-w", "outcome-b"}, {"distance-w", "distance-b"}};
    return names[kind][side];
}

static int faulty(const struct table *table, const char *what)
{
    return error_set(CLTB_E_CORRUPT, "%s is no usable table: %s", container_path(table->container), what);
}

static int parse_material(struct table *table, const char *text)
{
    char value[64];
    bool flipped;
    TRY(property_check_game(text, "chess", container_path(table->container)));
    if (property_text(text, "restricted", value, sizeof value))
        return error_set(CLTB_E_FOREIGN, "%s is a restricted table, not a full one", container_path(table->container));
    if (!property_text(text, "metric", value, sizeof value) || strcmp(value, "dtz") != 0)
        return faulty(table, "its distances are not DTZ");
    if (!property_text(text, "material", value, sizeof value) ||
        material_parse(&table->info.material, value, &flipped) != 0 || flipped)
        return faulty(table, "its material is missing or wrong");
    const struct material *material = &table->info.material;
    table->info.symmetric = material_symmetric(material);
    const int white = material->count[WHITE][PAWN];
    const int black = material->count[BLACK][PAWN];
    if (white + black > PAWNS_MAX)
        return faulty(table, "it has more pawns than this program can place");
    return white + black > 0 ? pawn_slices_open(&table->slices, white, black) : 0;
}

static int parse_figures(struct table *table, const char *text)
{
    for (int side = WHITE; side <= BLACK; side++) {
        char value[160];
        unsigned long long n[TABLE_OUTCOMES];
        int ply[TABLE_OUTCOMES];
        if (!property_text(text, side == WHITE ? "positions-w" : "positions-b", value, sizeof value) ||
            sscanf(value, "%llu %llu %llu %llu %llu", &n[0], &n[1], &n[2], &n[3], &n[4]) != TABLE_OUTCOMES)
            return faulty(table, "its counts are missing");
        if (!property_text(text, side == WHITE ? "longest-w" : "longest-b", value, sizeof value) ||
            sscanf(value, "%d %d %d %d %d", &ply[0], &ply[1], &ply[2], &ply[3], &ply[4]) != TABLE_OUTCOMES)
            return faulty(table, "its longest distances are missing");
        for (int i = 0; i < TABLE_OUTCOMES; i++) {
            table->info.positions[side][i] = n[i];
            table->info.longest[side][i] = ply[i];
        }
    }
    return 0;
}

static int parse_streams(struct table *table, const char *text)
{
    for (int kind = 0; kind < TABLE_KINDS; kind++) {
        for (int side = WHITE; side <= BLACK; side++) {
            const char *name = table_stream_name(kind, side);
            const int stream = container_find(table->container, name);
            table->stream[kind][side] = stream;
            if (stream < 0)
                continue;
            char value[ENTRY_TEXT_MAX];
            if (!property_text(text, name, value, sizeof value))
                return faulty(table, "an order of men is missing");
            struct entry_order *order = &table->order[kind][side];
            int code = entry_order_read(order, &table->info.material, table->slices, value);
            if (code != 0)
                return error_prefix(code, "%s", container_path(table->container));
            const struct container_stream *shape = container_stream(table->container, stream);
            if (shape->sections != order->sections || shape->section_symbols != order->per_section)
                return faulty(table, "a stream has the wrong length");
            (kind == TABLE_OUTCOME ? table->info.outcome_bytes : table->info.distance_bytes)[side] =
                container_stream_bytes(table->container, stream);
            table->info.distance[side] |= kind == TABLE_DISTANCE;
            table->info.block_entries = shape->block_symbols;
            table->info.entries = order->entries;
        }
    }
    const int last = table->info.symmetric ? WHITE : BLACK;
    for (int side = WHITE; side <= last; side++) {
        if (table->stream[TABLE_OUTCOME][side] < 0)
            return faulty(table, "it has no outcomes");
    }
    if (!table->info.distance[WHITE] && !table->info.distance[BLACK])
        return faulty(table, "it has no distances");
    entry_order_write(&table->order[TABLE_OUTCOME][WHITE], table->info.order);
    return 0;
}

int table_open(struct table **result, const char *path, struct block_cache *cache)
{
    *result = NULL;
    struct table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return error_memory(sizeof *table, "a table");
    table->cache = cache;
    int code = container_open(&table->container, path);
    if (code == 0) {
        const char *text = container_text(table->container);
        table->info.version = 1;
        table->info.file_bytes = container_file_bytes(table->container);
        code = parse_material(table, text);
        if (code == 0)
            code = parse_figures(table, text);
        if (code == 0)
            code = parse_streams(table, text);
    }
    if (code == 0)
        code = cached_container_open(&table->blocks, cache, table->container);
    if (code != 0) {
        table_close(table);
        return code;
    }
    *result = table;
    return 0;
}

void table_close(struct table *table)
{
    if (table == NULL)
        return;
    cached_container_close(table->blocks);
    container_close(table->container);
    pawn_slices_close(table->slices);
    free(table);
}

const struct table_info *table_info(const struct table *table)
{
    return &table->info;
}

// Does the position have the table's colours exchanged? With the same men on both sides, White is always to move.
static bool exchanged(const struct table *table, const struct position *position)
{
    if (table->info.symmetric)
        return position->side == BLACK;
    return memcmp(table->info.material.count, position->count, sizeof table->info.material.count) != 0;
}

static int symbol(struct table *table, enum table_kind kind, const struct position *position, unsigned *value)
{
    const bool flip = exchanged(table, position);
    const int side = position->side ^ (flip ? 1 : 0);
    const struct entry_order *order = &table->order[kind][side];
    const uint64_t entry = entry_index(order, position, flip);
    return cached_symbol(table->blocks, table->stream[kind][side], entry / order->per_section,
                         entry % order->per_section, value);
}

int table_outcome(struct table *table, const struct position *position, int *outcome)
{
    unsigned value;
    int code = symbol(table, TABLE_OUTCOME, position, &value);
    if (code != 0)
        return code;
    if (value >= TABLE_OUTCOMES)
        return faulty(table, "an outcome is out of range");
    *outcome = (int)value - 2;
    return 0;
}

bool table_has_distance(const struct table *table, const struct position *position)
{
    return table->info.distance[position->side ^ (exchanged(table, position) ? 1 : 0)];
}

int table_distance(struct table *table, const struct position *position, int outcome, int *ply)
{
    unsigned value;
    int code = symbol(table, TABLE_DISTANCE, position, &value);
    if (code != 0)
        return code;
    const bool cursed = outcome == CLTB_CURSED_WIN || outcome == CLTB_BLESSED_LOSS;
    if (value > TABLE_PLY_MAX || cursed != (value > PLY_LIMIT) || (outcome == CLTB_WIN && value == 0))
        return faulty(table, "a distance does not fit its outcome");
    *ply = (int)value;
    return 0;
}

const struct entry_order *table_order(const struct table *table, enum table_kind kind, int side)
{
    return table->stream[kind][side] < 0 ? NULL : &table->order[kind][side];
}

int table_symbol(struct table *table, enum table_kind kind, int side, uint64_t entry, unsigned *value)
{
    const uint64_t per_section = table->order[kind][side].per_section;
    return cached_symbol(table->blocks, table->stream[kind][side], entry / per_section, entry % per_section, value);
}

int table_check(struct table *table)
{
    return container_check(table->container);
}

// ---- whole streams ----

struct table_bulk {
    struct table *table;
    struct block_cache *cache;
};

int table_bulk_open(struct table_bulk **result, const char *path, const struct material *material)
{
    *result = NULL;
    struct table_bulk *bulk = calloc(1, sizeof *bulk);
    if (bulk == NULL)
        return error_memory(sizeof *bulk, "a table");
    int code = block_cache_open(&bulk->cache, 0);
    if (code == 0)
        code = table_open(&bulk->table, path, bulk->cache);
    if (code == 0 && !material_equal(&bulk->table->info.material, material)) {
        char name[MATERIAL_NAME_MAX];
        code = error_set(CLTB_E_FOREIGN, "%s holds another endgame, %s", path,
                         material_name(&bulk->table->info.material, name));
    }
    if (code != 0) {
        table_bulk_close(bulk);
        return code;
    }
    *result = bulk;
    return 0;
}

void table_bulk_close(struct table_bulk *bulk)
{
    if (bulk == NULL)
        return;
    table_close(bulk->table);
    block_cache_close(bulk->cache);
    free(bulk);
}

const struct table_info *table_bulk_info(const struct table_bulk *bulk)
{
    return &bulk->table->info;
}

const struct entry_order *table_bulk_order(const struct table_bulk *bulk, int side)
{
    return &bulk->table->order[TABLE_OUTCOME][side];
}

int table_bulk_check_hashes(const struct table_bulk *bulk, struct thread_pool *pool)
{
    return container_check_hashes(bulk->table->container, pool);
}

static int say_how_to_mend(const struct table *table, int code)
{
    char name[MATERIAL_NAME_MAX];
    if (code != CLTB_E_CORRUPT)
        return code;
    return error_append(code, "; make it anew with: cltb build %s --force", material_name(&table->info.material, name));
}

// Are all symbols outcomes? A byte's top bit is set, or gets set by adding 128 - TABLE_OUTCOMES; a byte that overflows is none
// either. The loop inside is plain enough for vectors.
static bool all_outcomes(const uint8_t *symbols, uint64_t count)
{
    enum { WORDS = 8 };
    const uint64_t top = UINT64_C(0x8080808080808080);
    const uint64_t add = UINT64_C(0x0101010101010101) * (128 - TABLE_OUTCOMES);
    uint64_t bad[WORDS] = {0};
    uint64_t i = 0;
    for (; i + sizeof bad <= count; i += sizeof bad) {
        uint64_t words[WORDS];
        memcpy(words, symbols + i, sizeof words);
        for (int w = 0; w < WORDS; w++)
            bad[w] |= (words[w] + add) | words[w];
    }
    for (int w = 1; w < WORDS; w++)
        bad[0] |= bad[w];
    for (; i < count; i++)
        bad[0] |= symbols[i] >= TABLE_OUTCOMES ? top : 0;
    return (bad[0] & top) == 0;
}

int table_bulk_outcomes(const struct table_bulk *bulk, int side, uint64_t section, uint8_t *symbols)
{
    return table_bulk_outcomes_part(bulk, side, section, 0, table_bulk_order(bulk, side)->per_section - 1, symbols);
}

int table_bulk_outcomes_part(const struct table_bulk *bulk, int side, uint64_t section, uint64_t first, uint64_t last,
                             uint8_t *symbols)
{
    enum { BLOCKS = 4 }; // at a time: they are still near the processor when they are looked at
    const struct table *table = bulk->table;
    const int stream = table->stream[TABLE_OUTCOME][side];
    const struct container_stream *shape = container_stream(table->container, stream);
    if (shape->symbol_bytes != 1)
        return say_how_to_mend(table, faulty(table, "its outcomes have more than one byte"));
    const uint64_t end = last / shape->block_symbols + 1;
    for (uint64_t block = first / shape->block_symbols; block < end; block += BLOCKS) {
        const uint64_t count = end - block < BLOCKS ? end - block : BLOCKS;
        const uint64_t at = block * shape->block_symbols;
        const uint64_t left = shape->section_symbols - at;
        const uint64_t number = count * shape->block_symbols < left ? count * shape->block_symbols : left;
        const int code = container_read_blocks(table->container, stream,
                                               section * container_section_blocks(shape) + block, count, symbols + at);
        if (code != 0)
            return say_how_to_mend(table, code);
        if (!all_outcomes(symbols + at, number))
            return say_how_to_mend(table, faulty(table, "an outcome is out of range"));
    }
    return 0;
}
