// table.c - reading a chess table: from a position to its entry, from the entry to a symbol
#include "table/table.h"

#include "index/vacant.h"
#include "table/block_cache.h"
#include "table/pattern_code.h"
#include "table/properties.h"
#include "util/cloned.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

struct table {
    struct container *container;
    struct cached_container *blocks; // NULL: opened without a cache
    struct table_info info;
    struct pawn_slices *slices;       // NULL: no pawns
    int stream[TABLE_KINDS][COLOURS]; // numbers of the container's streams; -1: there is none
    struct entry_order order[TABLE_KINDS][COLOURS];
    const struct ply_lists *lists[TABLE_KINDS][COLOURS]; // of listed distances (pattern_code.h), or NULL
    bool values[COLOURS]; // Can outcomes and distances of this side to move be read together?
    bool tells[COLOURS];  // Do the distances tell both (TABLE_TELLS)?
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
    const struct ply_lists *lists = kind == TABLE_DISTANCE ? container_lists(table->container, stream) : NULL;
    for (unsigned g = 0; lists != NULL && g < TABLE_OUTCOMES; g++) {
        for (unsigned i = 0; i < lists->count[g]; i++) {
            const bool is_code = table->info.material.metric == METRIC_DTZ || lists->ply[g][i] / 2U == i;
            if (!is_code || lists->ply[g][i] > TABLE_PLY_MAX)
                return table_invalid(table, "its lists of distances make no sense");
        }
    }
    table->lists[kind][side] = lists;
    table->info.block_entries = shape->block_symbols;
    table->info.entries = order->entries;
    return 0;
}

// Can the values of a side to move be read? Unless distances tell all, the two streams must have the same order, and
// the codes leave a bit free.
static bool has_values(const struct table *table, int side)
{
    char order[TABLE_KINDS][ENTRY_TEXT_MAX];
    const int outcome = table->stream[TABLE_OUTCOME][side];
    const int distance = table->stream[TABLE_DISTANCE][side];
    if (table->tells[side])
        return true;
    if (outcome < 0 || distance < 0 || table->info.positions[side][1] > 0 || table->info.positions[side][3] > 0)
        return false;
    for (int kind = 0; kind < TABLE_KINDS; kind++)
        entry_order_write(&table->order[kind][side], order[kind]);
    const struct container_stream *shape = container_stream(table->container, distance);
    return shape->symbol_bytes == 1 && table->lists[TABLE_DISTANCE][side] == NULL &&
           strcmp(order[TABLE_OUTCOME], order[TABLE_DISTANCE]) == 0 &&
           shape->block_symbols == container_stream(table->container, outcome)->block_symbols;
}

static int open_container(struct table *table, const char *path)
{
    char value[64];
    bool flipped;
    TRY(container_open(&table->container, path));
    const char *text = container_text(table->container);
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
    if (metric == METRIC_DTZ && (!property_text(text, "distance-free", value, sizeof value) || strcmp(value, "1") != 0))
        return table_invalid(table, "its distances follow a rule that this program does not know");
    table->info.symmetric = material_symmetric(&table->info.material);
    const int white = table->info.material.count[WHITE][PAWN];
    const int black = table->info.material.count[BLACK][PAWN];
    // A few bytes on disk may claim to hold millions of placements of pawns. Each run has one or more, with 64 squares
    // of each king.
    const struct container_stream *first = container_stream(table->container, 0);
    if (white + black > 0 && first->sections * first->section_symbols / SQUARES / SQUARES < pawn_runs(white, black))
        return table_invalid(table, "it is too short for its pawns");
    if (white + black > 0)
        TRY(pawn_slices_open(&table->slices, white, black));
    TRY(properties_figures(text, table->container, table->info.positions, table->info.longest));
    for (int i = 0; i < TABLE_KINDS * COLOURS; i++)
        TRY(parse_stream(table, text, (enum table_kind)(i / COLOURS), i % COLOURS));
    for (int side = WHITE; side <= BLACK; side++) {
        const int stream = table->stream[TABLE_DISTANCE][side];
        table->tells[side] = stream >= 0 && container_stream(table->container, stream)->symbol_bytes == 1 &&
                             property_text(text, TABLE_TELLS, value, 2) && value[0] == (side == WHITE ? 'w' : 'b');
        table->values[side] = has_values(table, side);
    }
    if (table->stream[TABLE_OUTCOME][WHITE] < 0 || (!table->info.symmetric && table->stream[TABLE_OUTCOME][BLACK] < 0))
        return table_invalid(table, "it has no outcomes");
    entry_order_write(&table->order[TABLE_OUTCOME][WHITE], table->info.order);
    return 0;
}

static int open_some(struct table **result, const char *path, struct block_cache *cache, bool distances)
{
    *result = NULL;
    struct table *table;
    TRY(memory_new(&table, 1, sizeof *table, "a table"));
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
    property_remove(text, TABLE_TELLS);
    property_remove(text, table_stream_name(TABLE_DISTANCE, side));
    THEN(code, container_detach(path, stream, text));
    THEN(code, container_size(path, bytes));
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

static uint64_t entry_of(const struct table *table, enum table_kind kind, const struct position *position, int *side)
{
    const bool flip = is_flipped(table, position);
    *side = position->side ^ (flip ? 1 : 0);
    return entry_index(&table->order[kind][*side], position, flip);
}

static int to_outcome(const struct table *table, unsigned value, int *outcome)
{
    *outcome = (int)value - 2;
    return value < TABLE_OUTCOMES ? 0 : table_invalid(table, "an outcome is out of range");
}

int table_outcome(struct table *table, const struct position *position, int *outcome)
{
    int side;
    unsigned value;
    const uint64_t entry = entry_of(table, TABLE_OUTCOME, position, &side);
    TRY(table_symbol(table, TABLE_OUTCOME, side, entry, &value));
    return to_outcome(table, value, outcome);
}

struct cached_spot table_locate_outcome(const struct table *table, const struct position *position)
{
    int side;
    const uint64_t entry = entry_of(table, TABLE_OUTCOME, position, &side);
    const uint64_t per_section = table->order[TABLE_OUTCOME][side].per_section;
    return cached_locate(table->blocks, table->stream[TABLE_OUTCOME][side], entry / per_section, entry % per_section);
}

void table_hint_outcome(const struct table *table, const struct cached_spot *spot, bool data)
{
    cached_hint(table->blocks, spot, data);
}

struct cached_spot table_find_outcome(const struct table *table, const struct position *position)
{
    const struct cached_spot spot = table_locate_outcome(table, position);
    cached_hint(table->blocks, &spot, false);
    return spot;
}

int table_read_outcome(struct table *table, const struct cached_spot *spot, int *outcome)
{
    unsigned value;
    TRY(cached_read(table->blocks, spot, &value));
    return to_outcome(table, value, outcome);
}

bool table_has_distance(const struct table *table, const struct position *position)
{
    return table->info.distance[position->side ^ (is_flipped(table, position) ? 1 : 0)];
}

int table_distance(struct table *table, const struct position *position, int outcome, int *ply)
{
    int side;
    unsigned value;
    const uint64_t entry = entry_of(table, TABLE_DISTANCE, position, &side);
    TRY(table_symbol(table, TABLE_DISTANCE, side, entry, &value));
    const struct ply_lists *lists = table->lists[TABLE_DISTANCE][side];
    if (lists != NULL && value < lists->count[outcome + 2])
        value = lists->ply[outcome + 2][value];
    else if (lists != NULL) // a win's may be a don't-care
        value = outcome == CLTB_WIN && table->info.material.metric == METRIC_DTZ ? 1 : TABLE_PLY_MAX + 1;
    if (value > TABLE_PLY_MAX)
        return table_invalid(table, "a distance does not fit its outcome");
    if (table->info.material.metric == METRIC_DTZ &&
        (outcome_is_cursed(outcome) != (value > PLY_LIMIT) || (outcome == CLTB_WIN && value == 0))) {
        if (outcome != CLTB_WIN)
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

// The compiler makes vectors of the four loops that follow.
static CLONED bool all_outcomes(const uint8_t *symbols, uint64_t count)
{
    uint8_t most = 0;
    for (uint64_t i = 0; i < count; i++)
        most = symbols[i] > most ? symbols[i] : most;
    return most < TABLE_OUTCOMES;
}

static CLONED void make_listed_codes(uint8_t *bytes, uint64_t count, bool high)
{
    for (uint64_t i = 0; i < count; i++)
        bytes[i] = high ? 0 : (uint8_t)(bytes[i] + 1);
}

static CLONED void make_codes(uint8_t *bytes, uint64_t count, bool high)
{
    if (high) // these codes have one byte
        memset(bytes, 0, count);
    for (uint64_t i = 0; !high && i < count; i++)
        bytes[i] = (uint8_t)(bytes[i] / 2U + 1);
}

// Makes values of distances; other[i]: an outcome + 2, or anything else for a vacant entry.
static CLONED void make_values(uint8_t *restrict bytes, const uint8_t *restrict other, uint64_t count)
{
    enum { LOSS = CLTB_LOSS + 2, WIN = CLTB_WIN + 2 };
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t won = other[i] == WIN ? 0xff : 0;
        const uint8_t lost = other[i] == LOSS ? 0xff : 0;
        bytes[i] = (uint8_t)(((bytes[i] / 2U + 1) & (won | lost)) | (won & TABLE_VALUE_WON));
    }
}

// Makes values of distances that tell the outcomes.
static CLONED void make_told_values(uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t plies = bytes[i];
        bytes[i] = (uint8_t)(plies == UINT8_MAX ? 0 : (plies / 2 + 1) | plies << 7);
    }
}

// Codes of distances that have two bytes.
static int read_long_codes(const struct table *table, int side, uint64_t section, bool high, uint8_t *bytes)
{
    const uint64_t count = table->order[TABLE_DISTANCE][side].per_section;
    const int stream = table->stream[TABLE_DISTANCE][side];
    const uint64_t blocks = container_section_blocks(container_stream(table->container, stream));
    uint16_t *plies;
    int code = memory_new(&plies, count, sizeof *plies, "distances");
    THEN(code, container_read_blocks(table->container, stream, section * blocks, blocks, plies));
    for (uint64_t i = 0; code == 0 && i < count; i++)
        bytes[i] = (uint8_t)((plies[i] / 2U + 1) >> (high ? 8 : 0));
    free(plies);
    return code;
}

enum table_kind table_reading_kind(enum table_reading reading)
{
    return reading == READ_OUTCOMES ? TABLE_OUTCOME : TABLE_DISTANCE;
}

int table_readings(const struct table *table, int side, int code_bits, enum table_reading reading[TABLE_READINGS_MAX])
{
    int count = 0;
    if (table->values[side] && code_bits > 0 && 1 << code_bits <= TABLE_VALUE_WON) {
        reading[count++] = READ_VALUES;
        return count;
    }
    reading[count++] = READ_OUTCOMES;
    if (code_bits > 0)
        reading[count++] = READ_CODES;
    if (code_bits > 8)
        reading[count++] = READ_HIGH_CODES;
    return count;
}

uint32_t table_unit(const struct table *table, enum table_reading reading, int side)
{
    const int stream = table->stream[table_reading_kind(reading)][side];
    const uint32_t each = container_unit_symbols(table->container, stream);
    const uint32_t block = container_stream(table->container, stream)->block_symbols;
    return block % each == 0 ? each : block;
}

// A block of which some units are read.
struct reading {
    const struct table *table;
    enum table_reading reading;
    int side;
    uint64_t block;
    uint64_t length;    // symbols
    uint32_t each;      // of a unit
    const bool *wanted; // units; NULL: all
    uint8_t *symbols;   // [length]
    uint8_t *outcomes;  // [length] of values
};

// Reads the units of a stream that are wanted.
static int read_stream(const struct reading *reading, int stream, uint8_t *symbols, uint8_t *given)
{
    const struct container *container = reading->table->container;
    return reading->each == container_unit_symbols(container, stream)
               ? container_read_units(container, stream, reading->block, reading->wanted, symbols, given)
               : container_read(container, stream, reading->block, symbols);
}

// Changes what has been read of a unit, and checks outcomes.
static int finish_unit(const struct reading *reading, uint64_t first)
{
    const uint64_t count = reading->length - first < reading->each ? reading->length - first : reading->each;
    uint8_t *symbols = reading->symbols + first;
    if (reading->reading == READ_OUTCOMES)
        return all_outcomes(symbols, count) ? 0 : table_invalid(reading->table, "an outcome is out of range");
    if (reading->reading == READ_VALUES && reading->table->tells[reading->side])
        make_told_values(symbols, count);
    else if (reading->reading == READ_VALUES)
        make_values(symbols, reading->outcomes + first, count);
    else if (reading->table->lists[TABLE_DISTANCE][reading->side] != NULL) // a place is a code minus 1
        make_listed_codes(symbols, count, reading->reading == READ_HIGH_CODES);
    else
        make_codes(symbols, count, reading->reading == READ_HIGH_CODES);
    return 0;
}

static int read_block(const struct reading *reading)
{
    const struct table *table = reading->table;
    const int stream = table->stream[table_reading_kind(reading->reading)][reading->side];
    const int outcomes = table->stream[TABLE_OUTCOME][reading->side];
    const bool given = reading->each == container_unit_symbols(table->container, stream) &&
                       container_paired(table->container, stream) == outcomes;
    TRY(read_stream(reading, stream, reading->symbols, reading->outcomes));
    if (reading->reading == READ_VALUES && !given && !table->tells[reading->side])
        TRY(read_stream(reading, outcomes, reading->outcomes, NULL));
    for (uint64_t first = 0; first < reading->length; first += reading->each) {
        if (reading->wanted == NULL || reading->wanted[first / reading->each])
            TRY(finish_unit(reading, first));
    }
    return 0;
}

static int read_units(const struct table *table, enum table_reading what, const struct table_units *some,
                      uint8_t *symbols, uint8_t *outcomes)
{
    const int stream = table->stream[table_reading_kind(what)][some->side];
    const struct container_stream *shape = container_stream(table->container, stream);
    const uint64_t blocks = container_section_blocks(shape);
    const uint64_t end = blocks * (some->part + 1) / some->parts;
    struct reading reading = {
        .table = table, .reading = what, .side = some->side, .each = table_unit(table, what, some->side)};
    for (uint64_t block = blocks * some->part / some->parts; block < end; block++) {
        const uint64_t at = block * shape->block_symbols;
        const uint64_t left = shape->section_symbols - at;
        reading.block = some->section * blocks + block;
        reading.length = shape->block_symbols < left ? shape->block_symbols : left;
        reading.wanted = some->wanted == NULL ? NULL : some->wanted + at / reading.each;
        reading.symbols = symbols + at;
        reading.outcomes = outcomes;
        if (reading.wanted == NULL ||
            memchr(reading.wanted, true, (reading.length + reading.each - 1) / reading.each) != NULL)
            TRY(read_block(&reading));
    }
    return 0;
}

int table_read_units(const struct table *table, enum table_reading reading, const struct table_units *units,
                     uint8_t *symbols)
{
    const struct container_stream *shape =
        container_stream(table->container, table->stream[table_reading_kind(reading)][units->side]);
    uint8_t *outcomes = NULL;
    if (shape->symbol_bytes != 1)
        return units->part > 0
                   ? 0
                   : read_long_codes(table, units->side, units->section, reading == READ_HIGH_CODES, symbols);
    if (reading == READ_VALUES && (outcomes = malloc(shape->block_symbols)) == NULL)
        return error_memory(shape->block_symbols, "the outcomes of a block");
    const int code = read_units(table, reading, units, symbols, outcomes);
    free(outcomes);
    char name[MATERIAL_NAME_MAX];
    return code != CLTB_E_CORRUPT ? code
                                  : error_append(code, "; rebuild it with: cltb build %s --force",
                                                 material_name(&table->info.material, name));
}
