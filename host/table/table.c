// table.c - reading a chess table: from a position to its entry, from the entry to a symbol
#include "table/table.h"

#include "index/vacant.h"
#include "table/block_cache.h"
#include "table/pattern_code.h"
#include "table/properties.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

struct table {
    struct container *container;
    struct cached_container *blocks; // NULL: opened without a cache
    struct table_info info;
    struct pawn_slices *slices;       // NULL: no pawns
    int stream[TABLE_KINDS][COLOURS]; // numbers of the container's streams; -1: there is none
    struct entry_order order[TABLE_KINDS][COLOURS];
};

static void mark_white(const void *order, uint64_t section, uint64_t first, size_t count, uint8_t *given)
{
    entry_mark_vacant(order, WHITE, section, first, count, VACANT, given);
}

static void mark_black(const void *order, uint64_t section, uint64_t first, size_t count, uint8_t *given)
{
    entry_mark_vacant(order, BLACK, section, first, count, VACANT, given);
}

void table_mark_vacant(struct container *container, int stream, const struct entry_order *order, int side)
{
    container_mark(container, stream, side == WHITE ? mark_white : mark_black, order);
}

const char *table_stream_name(enum table_kind kind, int side)
{
    static const char *const names[TABLE_KINDS][COLOURS] = {{"outcome-w", "outcome-b"}, {"distance-w", "distance-b"}};
    return names[kind][side];
}

int table_invalid(const struct table *table, const char *what)
{
    return container_invalid(table->container, what);
}

static int parse_stream(struct table *table, const char *text, enum table_kind kind, int side)
{
    const char *name = table_stream_name(kind, side);
    const int stream = container_find(table->container, name);
    table->stream[kind][side] = stream;
    if (stream < 0)
        return 0;
    char value[ENTRY_TEXT_MAX];
    if (!property_text(text, name, value, sizeof value))
        return table_invalid(table, "an order of men is missing");
    struct entry_order *order = &table->order[kind][side];
    const int code = entry_order_read(order, &table->info.material, table->slices, value);
    if (code != 0)
        return error_prefix(code, "%s", container_path(table->container));
    const struct container_stream *shape = container_stream(table->container, stream);
    if (shape->sections != order->sections || shape->section_symbols != order->per_section)
        return table_invalid(table, "a stream has the wrong length");
    if (kind == TABLE_OUTCOME && shape->symbol_bytes != 1)
        return table_invalid(table, "its outcomes have more than one byte");
    table_mark_vacant(table->container, stream, order, side);
    (kind == TABLE_OUTCOME ? table->info.outcome_bytes : table->info.distance_bytes)[side] =
        container_stream_bytes(table->container, stream);
    table->info.distance[side] |= kind == TABLE_DISTANCE;
    table->info.block_entries = shape->block_symbols;
    table->info.entries = order->entries;
    return 0;
}

static int open_container(struct table *table, const char *path)
{
    char value[64];
    bool flipped;
    TRY(container_open(&table->container, path));
    const char *text = container_text(table->container);
    table->info.version = container_version(table->container);
    table->info.file_bytes = container_file_bytes(table->container);
    TRY(property_check_game(text, "chess", path));
    if (property_text(text, "restricted", value, sizeof value))
        return error_set(CLTB_E_FOREIGN, "%s is a restricted table, not a full one", path);
    const enum metric metric = property_text(text, "metric", value, sizeof value) ? metric_of_name(value) : METRICS;
    if (metric == METRICS)
        return table_invalid(table, "its distances are neither DTZ nor DTM nor DTC");
    if (!property_text(text, "material", value, sizeof value) ||
        material_parse(&table->info.material, value, &flipped) != 0 || flipped)
        return table_invalid(table, "its material is missing or wrong");
    table->info.material.metric = (uint8_t)metric;
    if (property_text(text, "distance-free", value, sizeof value)) {
        if (strcmp(value, "1") != 0)
            return table_invalid(table, "its distances follow a rule that this program does not know");
        table->info.first_free = true;
    }
    table->info.symmetric = material_symmetric(&table->info.material);
    const int white = table->info.material.count[WHITE][PAWN];
    const int black = table->info.material.count[BLACK][PAWN];
    if (white + black > PAWNS_MAX)
        return table_invalid(table, "it has more pawns than this program can place");
    if (white + black > 0)
        TRY(pawn_slices_open(&table->slices, white, black));
    TRY(properties_figures(text, table->container, table->info.positions, table->info.longest));
    for (int i = 0; i < TABLE_KINDS * COLOURS; i++)
        TRY(parse_stream(table, text, (enum table_kind)(i / COLOURS), i % COLOURS));
    if (table->stream[TABLE_OUTCOME][WHITE] < 0 || (!table->info.symmetric && table->stream[TABLE_OUTCOME][BLACK] < 0))
        return table_invalid(table, "it has no outcomes");
    entry_order_write(&table->order[TABLE_OUTCOME][WHITE], table->info.order);
    return 0;
}

static int open_some(struct table **result, const char *path, struct block_cache *cache, bool distances)
{
    *result = NULL;
    struct table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return error_memory(sizeof *table, "a table");
    int code = open_container(table, path);
    if (code == 0 && distances && !table->info.distance[WHITE] && !table->info.distance[BLACK])
        code = table_invalid(table, "it has no distances");
    if (code == 0 && cache != NULL)
        code = cached_container_open(&table->blocks, cache, table->container);
    if (code != 0) {
        table_close(table);
        return code;
    }
    *result = table;
    return 0;
}

int table_open(struct table **result, const char *path, struct block_cache *cache)
{
    return open_some(result, path, cache, true);
}

static int open_material(struct table **table, const char *path, const struct material *material, bool distances)
{
    TRY(open_some(table, path, NULL, distances));
    const struct material *held = &(*table)->info.material;
    if (material_equal(held, material))
        return 0;
    char name[MATERIAL_NAME_MAX];
    const int code = error_set(CLTB_E_FOREIGN, "%s holds another endgame, %s", path, material_name(held, name));
    table_close(*table);
    *table = NULL;
    return code;
}

int table_open_material(struct table **table, const char *path, const struct material *material)
{
    return open_material(table, path, material, true);
}

int table_open_outcomes(struct table **table, const char *path, const struct material *material)
{
    return open_material(table, path, material, false);
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

bool table_has_all_distances(const struct table *table)
{
    return table->info.symmetric || (table->info.distance[WHITE] && table->info.distance[BLACK]);
}

int table_keep_one_side(const char *path, const struct material *material, uint64_t *bytes)
{
    struct table *table;
    int code = table_open_material(&table, path, material);
    if (table == NULL)
        return code;
    char value[2] = "";
    const bool both = table->info.distance[WHITE] && table->info.distance[BLACK];
    char *text = both ? strdup(container_text(table->container)) : NULL;
    (void)(text != NULL && property_text(text, TABLE_REDUCES_TO, value, sizeof value));
    if (text != NULL && value[0] != 'w' && value[0] != 'b')
        code = table_invalid(table, "it does not say whose distances are to be kept");
    const int side = value[0] == 'w' ? BLACK : WHITE; // the side that is taken out
    const int stream = table->stream[TABLE_DISTANCE][side];
    *bytes = table->info.file_bytes;
    table_close(table); // an open file cannot be replaced
    if (!both)
        return 0;
    if (text == NULL)
        return error_memory(0, "a table's text");
    property_remove(text, TABLE_REDUCES_TO);
    property_remove(text, table_stream_name(TABLE_DISTANCE, side));
    if (code == 0)
        code = container_detach(path, stream, text);
    if (code == 0)
        code = container_size(path, bytes);
    free(text);
    return code;
}

// ---- by position ----

// Is the position in the table with the colours flipped? If both sides have the same men, White is always to move.
static bool is_flipped(const struct table *table, const struct position *position)
{
    if (table->info.symmetric)
        return position->side == BLACK;
    return memcmp(table->info.material.count, position->count, sizeof table->info.material.count) != 0;
}

static int symbol_at(struct table *table, enum table_kind kind, const struct position *position, unsigned *value)
{
    const bool flip = is_flipped(table, position);
    const int side = position->side ^ (flip ? 1 : 0);
    return table_symbol(table, kind, side, entry_index(&table->order[kind][side], position, flip), value);
}

int table_outcome(struct table *table, const struct position *position, int *outcome)
{
    unsigned value;
    TRY(symbol_at(table, TABLE_OUTCOME, position, &value));
    if (value >= TABLE_OUTCOMES)
        return table_invalid(table, "an outcome is out of range");
    *outcome = (int)value - 2;
    return 0;
}

bool table_has_distance(const struct table *table, const struct position *position)
{
    return table->info.distance[position->side ^ (is_flipped(table, position) ? 1 : 0)];
}

bool table_distance_fits(int outcome, unsigned ply)
{
    return ply <= TABLE_PLY_MAX && outcome_is_cursed(outcome) == (ply > PLY_LIMIT) && (outcome != CLTB_WIN || ply > 0);
}

int table_distance(struct table *table, const struct position *position, int outcome, int *ply)
{
    unsigned value;
    TRY(symbol_at(table, TABLE_DISTANCE, position, &value));
    if (table->info.material.metric != METRIC_DTZ ? value > TABLE_PLY_MAX : !table_distance_fits(outcome, value)) {
        if (outcome != CLTB_WIN || !table->info.first_free || value > TABLE_PLY_MAX)
            return table_invalid(table, "a distance does not fit its outcome");
        value = 1; // a don't-care
    }
    *ply = (int)value;
    return 0;
}

// ---- by entry ----

const struct entry_order *table_order(const struct table *table, enum table_kind kind, int side)
{
    return table->stream[kind][side] < 0 ? NULL : &table->order[kind][side];
}

int table_symbol(struct table *table, enum table_kind kind, int side, uint64_t entry, unsigned *value)
{
    const uint64_t per_section = table->order[kind][side].per_section;
    return cached_symbol(table->blocks, table->stream[kind][side], entry / per_section, entry % per_section, value);
}

int table_statistics(const struct table *table, uint8_t **data, size_t *bytes)
{
    return container_extra(table->container, TABLE_STATISTICS, data, bytes);
}

const char *table_file(const struct table *table)
{
    return container_path(table->container);
}

int table_check_hashes(const struct table *table, struct thread_pool *pool)
{
    return container_check_hashes(table->container, pool);
}

int table_check(struct table *table)
{
    return container_check(table->container);
}

// Are all symbols outcomes? A byte is not an outcome if its top bit is set, or becomes set by adding 128 -
// TABLE_OUTCOMES; a byte that overflows is not an outcome, either. The inner loop is plain enough to be vectorised.
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

int table_distances(const struct table *table, int side, uint64_t section, uint16_t *plies)
{
    const int stream = table->stream[TABLE_DISTANCE][side];
    const struct container_stream *shape = container_stream(table->container, stream);
    const uint64_t blocks = container_section_blocks(shape);
    TRY(container_read_blocks(table->container, stream, section * blocks, blocks, plies));
    if (shape->symbol_bytes == 2)
        return 0;
    const uint8_t *bytes = (const uint8_t *)plies; // widened from the last one on
    for (uint64_t i = shape->section_symbols; i-- > 0;)
        plies[i] = bytes[i];
    return 0;
}

static void make_codes(uint8_t *bytes, uint64_t count, unsigned byte)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t i = 0;
    if (byte > 0) { // these codes have one byte
        memset(bytes, 0, count);
        return;
    }
    for (uint64_t eight; i + sizeof eight <= count; i += sizeof eight) {
        memcpy(&eight, bytes + i, sizeof eight);
        eight = (eight >> 1 & 0x7f * each) + each;
        memcpy(bytes + i, &eight, sizeof eight);
    }
    for (; i < count; i++)
        bytes[i] = (uint8_t)(bytes[i] / 2U + 1);
}

int table_distance_codes(const struct table *table, int side, uint64_t section, unsigned byte, uint8_t *bytes)
{
    const int stream = table->stream[TABLE_DISTANCE][side];
    const struct container_stream *shape = container_stream(table->container, stream);
    const uint64_t blocks = container_section_blocks(shape);
    const uint64_t count = shape->section_symbols;
    if (shape->symbol_bytes == 1) {
        for (uint64_t block = 0; block < blocks; block++) {
            const uint64_t at = block * shape->block_symbols;
            TRY(container_read_blocks(table->container, stream, section * blocks + block, 1, bytes + at));
            const uint64_t length = count - at < shape->block_symbols ? count - at : shape->block_symbols;
            make_codes(bytes + at, length, byte);
        }
        return 0;
    }
    uint16_t *plies = malloc(count * sizeof *plies);
    int code = plies == NULL ? error_memory(count * sizeof *plies, "distances") : 0;
    if (code == 0)
        code = container_read_blocks(table->container, stream, section * blocks, blocks, plies);
    for (uint64_t i = 0; code == 0 && i < count; i++)
        bytes[i] = (uint8_t)((plies[i] / 2U + 1) >> 8 * byte);
    free(plies);
    return code;
}

// Adds what to do about a damaged file.
static int advise(const struct table *table, int code)
{
    char name[MATERIAL_NAME_MAX];
    return code != CLTB_E_CORRUPT ? code
                                  : error_append(code, "; rebuild it with: cltb build %s --force",
                                                 material_name(&table->info.material, name));
}

int table_outcomes(const struct table *table, int side, uint64_t section, uint8_t *symbols)
{
    enum { BLOCKS = 4 }; // at a time: they are still in the processor's caches when they are checked
    const int stream = table->stream[TABLE_OUTCOME][side];
    const struct container_stream *shape = container_stream(table->container, stream);
    const uint64_t end = container_section_blocks(shape);
    int code = 0;
    for (uint64_t block = 0; code == 0 && block < end; block += BLOCKS) {
        const uint64_t count = end - block < BLOCKS ? end - block : BLOCKS;
        const uint64_t at = block * shape->block_symbols;
        const uint64_t left = shape->section_symbols - at;
        const uint64_t number = count * shape->block_symbols < left ? count * shape->block_symbols : left;
        code = container_read_blocks(table->container, stream, section * end + block, count, symbols + at);
        if (code == 0 && !all_outcomes(symbols + at, number))
            code = table_invalid(table, "an outcome is out of range");
    }
    return advise(table, code);
}

uint32_t table_unit(const struct table *table, enum table_kind kind, int side)
{
    const int stream = table->stream[kind][side];
    const uint32_t each = container_unit_symbols(table->container, stream);
    const uint32_t block = container_stream(table->container, stream)->block_symbols;
    return block % each == 0 ? each : block;
}

// Changes what has been read of a unit: outcomes are checked, distances become bits 8 * byte on of their codes.
static int finish_unit(const struct table *table, enum table_kind kind, unsigned byte, uint8_t *symbols, uint64_t count)
{
    if (kind == TABLE_OUTCOME)
        return all_outcomes(symbols, count) ? 0 : table_invalid(table, "an outcome is out of range");
    make_codes(symbols, count, byte);
    return 0;
}

static int read_units(const struct table *table, enum table_kind kind, const struct table_units *some, unsigned byte,
                      uint8_t *symbols)
{
    const int stream = table->stream[kind][some->side];
    const struct container_stream *shape = container_stream(table->container, stream);
    const uint64_t blocks = container_section_blocks(shape);
    const uint32_t each = table_unit(table, kind, some->side);
    const uint64_t end = blocks * (some->part + 1) / some->parts;
    int code = 0;
    for (uint64_t block = blocks * some->part / some->parts; code == 0 && block < end; block++) {
        const uint64_t at = block * shape->block_symbols;
        const uint64_t left = shape->section_symbols - at;
        const uint64_t length = shape->block_symbols < left ? shape->block_symbols : left;
        const bool *own = some->wanted + at / each;
        const uint64_t units = (length + each - 1) / each;
        if (memchr(own, true, units) == NULL)
            continue;
        code = each == shape->block_symbols
                   ? container_read(table->container, stream, some->section * blocks + block, symbols + at)
                   : container_read_units(table->container, stream, some->section * blocks + block, own, symbols + at);
        for (uint64_t u = 0; code == 0 && u < units; u++) {
            const uint64_t first = u * each;
            if (own[u])
                code =
                    finish_unit(table, kind, byte, symbols + at + first, length - first < each ? length - first : each);
        }
    }
    return advise(table, code);
}

int table_outcomes_units(const struct table *table, const struct table_units *units, uint8_t *symbols)
{
    return read_units(table, TABLE_OUTCOME, units, 0, symbols);
}

int table_distance_codes_units(const struct table *table, const struct table_units *units, unsigned byte,
                               uint8_t *bytes)
{
    if (container_stream(table->container, table->stream[TABLE_DISTANCE][units->side])->symbol_bytes == 1)
        return read_units(table, TABLE_DISTANCE, units, byte, bytes);
    return units->part > 0 ? 0 : table_distance_codes(table, units->side, units->section, byte, bytes);
}
