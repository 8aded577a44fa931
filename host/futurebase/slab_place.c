// slab_place.c - from symbols in a file's order to the bits of a slab
//
//     1. place() puts all pieces but the last two on each of their squares, one piece inside another, and adds up the
//        parts. With two symmetries (both kings on the diagonal) it adds up two entries, of which the smaller one
//        counts; with one symmetry both are the same.
//     2. The last two pieces take all their squares at once: 64 * 64 symbols become 64 words of each plane.
//        place_matrix() does this where one of the two has stride 1 in the file, so that 64 symbols follow each other.
//        If it is another piece that has stride 1, place_three() does this for all squares of that piece at a time
//        (building KQPvKQ takes 0.92 of the CPU time).
//        Else place_tile() collects the symbols in a tile of bytes.
//     3. If kings have the slab's last digits, or there are no two pieces to place, place_last() puts the last piece on
//        all its squares, with eight lanes (one orbit) or a single one at a time.
#include "futurebase/slab_place.h"

#include "solve/solution.h"

#include <string.h>

enum {
    WON,
    LOST,
    CURSED_WON,
    BLESSED_LOST,
    OUTCOME_PLANES,
    VALUE_WON = 7, // as of TABLE_VALUE_WON
    VALUE_LOST,
    VALUE_PLANES,
    CODE_PLANES = 8,
    OUTCOME_BITS = 3, // of a symbol
    SYMBOL_BITS = 8   // of other symbols
};

_Static_assert(1 << VALUE_WON == (int)TABLE_VALUE_WON && (int)EXTRACT_PLANES == (int)VALUE_PLANES, "planes of values");

#define EVERY_BYTE UINT64_C(0x0101010101010101)

// Finds the piece that has stride 1 in the file, unless it is one of the last two: a king that is placed first, or
// another piece, which is then placed just before them.
static void find_third(struct slab_map *map)
{
    const struct order_map *file = &map->file;
    const int last = map->count - 1;
    if (!map->tiled || map->inner >= 0)
        return;
    for (int piece = 0; piece < map->shape->pieces; piece++) {
        const struct entry_group *group = file->group[piece] >= 0 ? &file->order->group[file->group[piece]] : NULL;
        if (group != NULL && group->stride == 1 && group->size == SQUARES)
            map->third = piece;
    }
    for (int place = 0; place < last - 1; place++) {
        if (map->piece[place] != map->third)
            continue;
        memmove(map->piece + place, map->piece + place + 1, (size_t)(last - 2 - place) * sizeof *map->piece);
        map->piece[last - 2] = map->third;
        map->third_place = last - 2;
    }
}

void slab_map_init(struct slab_map *map, const struct slab_shape *shape, const struct entry_order *order, bool flip,
                   enum table_reading reading)
{
    const int n = shape->pieces;
    const bool kings_first = order->slices == NULL;
    *map = (struct slab_map){
        .shape = shape, .flip = flip, .reading = reading, .inner = -1, .third = -1, .third_place = -1};
    map->kernels = symbol_kernels_choose(NULL);
    order_map_init(&map->file, order, flip, shape);
    for (int i = 0; i < n; i++) {
        const int shift = 3 * (n - 1 - i);
        for (unsigned code = 0; code < SQUARES; code++)
            map->bit[i][code] = (uint64_t)(code >> 3) << (3 * n + shift) | (uint64_t)(code & 7) << shift;
        if (shape->type[i] != BLANK && !(kings_first && shape->type[i] == KING))
            map->piece[map->count++] = i;
    }
    map->aligned = map->count > 0 && map->piece[map->count - 1] == n - 1;
    map->tiled = map->aligned && map->count > 1 && map->piece[map->count - 2] == n - 2;
    for (int place = map->count - 2; map->tiled && place < map->count; place++) {
        const struct entry_group *group = &order->group[map->file.group[map->piece[place]]];
        if (group->stride == 1 && group->size == SQUARES)
            map->inner = place;
    }
    find_third(map);
}

// The number of sorted digits is a sum, too: layout.h.
void slab_map_group(struct slab_map *map, const struct layout *layout)
{
    map->tiled = false;
    map->inner = map->third = map->third_place = -1;
    for (int i = 0; i < layout->pieces; i++) {
        int rank = 0; // in the group
        for (int g = 0; g < layout->groups; g++) {
            const struct like_pieces *group = &layout->group[g];
            if (i >= group->first && i < group->first + group->count)
                rank = i - group->first;
        }
        map->after[i] = rank > 0;
        for (unsigned code = 0; code < SQUARES; code++)
            map->bit[i][code] = like_part(rank, code >> 3) * layout->stride[i] * layout->tile_lanes +
                                ((uint64_t)(code & 7) << layout_lane_shift(layout, i));
    }
}

static const uint64_t *row_of(struct slab_work *work, int image, int place, uint64_t scratch[SQUARES])
{
    return order_row(&work->map->file, work->use[image], work->map->piece[place], work->code, scratch);
}

// ---- from symbols to bits ----

// Eight bytes, the first one lowest.
static inline uint64_t eight_of(const uint8_t *bytes)
{
    uint64_t eight;
    memcpy(&eight, bytes, 8);
    return eight;
}

static inline __attribute__((always_inline)) int symbol_bits(enum table_reading reading)
{
    return reading == READ_OUTCOMES ? OUTCOME_BITS : SYMBOL_BITS;
}

// Turns the bits of symbols into bits of planes: bit[i] goes in with bit i of each lane's symbol, and comes out with
// the lanes of plane i. Outcomes are 0..4 (table/table.h), so only 4 has bit 2. Returns the number of planes.
static inline __attribute__((always_inline)) int plane_bits(uint64_t bit[EXTRACT_PLANES], enum table_reading reading)
{
    uint64_t any = 0;
    for (int i = 0; reading == READ_VALUES && i < VALUE_WON; i++)
        any |= bit[i];
    bit[VALUE_LOST] = any & ~bit[VALUE_WON];
    if (reading != READ_OUTCOMES)
        return reading == READ_VALUES ? VALUE_PLANES : CODE_PLANES;
    const uint64_t low[2] = {bit[0], bit[1]};
    bit[LOST] = ~(low[0] | low[1] | bit[2]);
    bit[WON] = bit[2];
    bit[CURSED_WON] = low[0] & low[1];
    bit[BLESSED_LOST] = low[0] & ~low[1];
    return OUTCOME_PLANES;
}

// Adds lanes to a word.
static inline __attribute__((always_inline)) void store_word(const struct slab_work *work, uint64_t word,
                                                             uint64_t bit[EXTRACT_PLANES], uint64_t lanes,
                                                             enum table_reading reading)
{
    const int planes = plane_bits(bit, reading);
    for (int i = 0; i < planes; i++) {
        if (work->plane[i] != NULL)
            work->plane[i][word] |= bit[i] & lanes;
    }
}

// The same for the eight lanes of one byte, whose symbols come as eight bytes.
static inline void store_byte(const struct slab_work *work, uint64_t byte, uint64_t eight, uint8_t lanes)
{
    const enum table_reading reading = work->map->reading;
    uint64_t bit[EXTRACT_PLANES] = {0};
    for (int i = 0; i < symbol_bits(reading); i++)
        bit[i] = (eight >> i & EVERY_BYTE) * UINT64_C(0x0102040810204080) >> 56;
    const int planes = plane_bits(bit, reading);
    for (int i = 0; i < planes; i++) {
        if (work->plane[i] != NULL)
            ((uint8_t *)work->plane[i])[byte] |= (uint8_t)bit[i] & lanes;
    }
}

static inline void store_lane(const struct slab_work *work, uint64_t bit, unsigned symbol)
{
    static const int8_t plane_of[1 << OUTCOME_BITS] = {LOST, BLESSED_LOST, -1, CURSED_WON, WON, -1, -1, -1};
    const unsigned lane = bit & 7;
    const int8_t plane = plane_of[symbol & 7];
    if (work->map->reading != READ_OUTCOMES)
        store_byte(work, bit / 8, (uint64_t)symbol << 8 * lane, (uint8_t)(1U << lane));
    else if (plane >= 0 && work->plane[plane] != NULL)
        work->plane[plane][bit / 64] |= UINT64_C(1) << bit % 64;
}

// The lowest u digit that a piece may have.
static inline unsigned first_digit(const struct slab_work *work, int piece)
{
    return work->map->after[piece] ? work->code[piece - 1] >> 3U : 0;
}

// ---- the last piece ----

// Places the last piece on all squares. (All are allowed: only kings in tables with pawns have forbidden squares, and
// then there are at least two pieces to place.)
static void place_last(struct slab_work *work, const uint64_t entry[2], uint64_t bit)
{
    const struct slab_map *map = work->map;
    const int place = map->count - 1;
    const uint64_t *bits = map->bit[map->piece[place]];
    const unsigned first = first_digit(work, map->piece[place]);
    uint64_t scratch[2][SQUARES];
    const uint64_t *row = row_of(work, 0, place, scratch[0]);
    const uint64_t *other = work->images == 2 ? row_of(work, 1, place, scratch[1]) : row;
    for (unsigned u = first; u < 8; u++) {
        uint8_t symbols[8];
        for (unsigned l = 0; l < 8; l++) {
            const uint64_t one = entry[0] + row[8 * u + l];
            const uint64_t two = entry[1] + other[8 * u + l];
            symbols[l] = work->symbols[one < two ? one : two];
        }
        if (map->aligned)
            store_byte(work, (bit + bits[8 * u]) / 8, eight_of(symbols), 0xff);
        for (unsigned l = 0; !map->aligned && l < 8; l++)
            store_lane(work, bit + bits[8 * u + l], symbols[l]);
    }
}

// ---- the last two pieces: a tile of bytes ----
//
// All squares of the last two pieces are 64 words of a slab, one for each pair of u digits. The tile has the order
// [u][u'][l'][l], with the last piece's digits marked: byte i of eight bytes j is lane 8 * i + j of the word, so that
// shifts and masks make words of them.

enum { TILE = SQUARES * SQUARES };

struct tile_steps {
    unsigned u;
    unsigned l;
};

static const struct tile_steps tile_before = {512, 1}; // for the last piece but one
static const struct tile_steps tile_last = {64, 8};

static inline unsigned tile_at(unsigned code, struct tile_steps step)
{
    return (code >> 3) * step.u + (code & 7) * step.l;
}

static inline void fill_line(uint8_t *tile, const uint8_t *symbols, const uint64_t *row, struct tile_steps step)
{
    for (unsigned u = 0; u < 8; u++) {
        for (unsigned l = 0; l < 8; l++)
            tile[u * step.u + l * step.l] = symbols[row[8 * u + l]];
    }
}

// The symbols of a line often share one cache line, and the lines are far apart, so all are prefetched at once. Not
// into the first-level cache, where they probably have the same place and would evict each other.
static inline void prefetch_lines(const uint8_t *symbols, const uint64_t *row)
{
    for (unsigned code = 0; code < SQUARES; code++)
        __builtin_prefetch(symbols + row[code], 0, 2);
}

// For one symmetry. The piece with the smaller stride in the file is in the inner loop: its symbols share cache lines.
static void fill_tile(struct slab_work *work, uint8_t *tile, const uint8_t *symbols)
{
    const struct slab_map *map = work->map;
    const struct order_map *file = &map->file;
    const int last = map->piece[map->count - 1];
    const int before = map->piece[map->count - 2];
    uint64_t scratch[2][SQUARES];
    const uint64_t *before_row = row_of(work, 0, map->count - 2, scratch[0]);
    const uint64_t *row = row_of(work, 0, map->count - 1, scratch[1]);
    if (file->before[last] < 0 &&
        file->order->group[file->group[last]].stride > file->order->group[file->group[before]].stride) {
        prefetch_lines(symbols, row);
        for (unsigned code = 0; code < SQUARES; code++)
            fill_line(tile + tile_at(code, tile_last), symbols + row[code], before_row, tile_before);
        return;
    }
    if (file->before[last] < 0)
        prefetch_lines(symbols, before_row);
    for (unsigned code = 0; code < SQUARES; code++) {
        work->code[before] = (uint8_t)code;
        if (file->before[last] >= 0)
            row = row_of(work, 0, map->count - 1, scratch[1]);
        fill_line(tile + tile_at(code, tile_before), symbols + before_row[code], row, tile_last);
    }
}

// For two symmetries: takes the symbol of the smaller entry.
static void fill_tile_smaller(struct slab_work *work, uint8_t *tile, const uint64_t entry[2])
{
    const int last = work->map->count - 1;
    uint64_t scratch[4][SQUARES];
    const uint64_t *before[2] = {row_of(work, 0, last - 1, scratch[0]), row_of(work, 1, last - 1, scratch[1])};
    for (unsigned code = 0; code < SQUARES; code++) {
        work->code[work->map->piece[last - 1]] = (uint8_t)code;
        const uint64_t *row[2] = {row_of(work, 0, last, scratch[2]), row_of(work, 1, last, scratch[3])};
        uint8_t *line = tile + tile_at(code, tile_before);
        for (unsigned c = 0; c < SQUARES; c++) {
            const uint64_t one = entry[0] + before[0][code] + row[0][c];
            const uint64_t two = entry[1] + before[1][code] + row[1][c];
            line[tile_at(c, tile_last)] = work->symbols[one < two ? one : two];
        }
    }
}

static inline __attribute__((always_inline)) void place_tile(struct slab_work *work, const uint64_t entry[2],
                                                             uint64_t bit, const enum table_reading reading)
{
    const struct slab_map *map = work->map;
    const uint64_t *bits_before = map->bit[map->piece[map->count - 2]];
    const uint64_t *bits_last = map->bit[map->piece[map->count - 1]];
    uint8_t tile[TILE];
    if (work->images == 2)
        fill_tile_smaller(work, tile, entry);
    else
        fill_tile(work, tile, work->symbols + entry[0]);
    for (unsigned u = 0; u < 8; u++) {
        for (unsigned v = 0; v < 8; v++) {
            uint64_t planes[EXTRACT_PLANES] = {0};
            for (unsigned j = 0; j < 8; j++) {
                const uint64_t eight = eight_of(tile + 512 * u + 64 * v + 8 * j);
                for (int i = 0; i < symbol_bits(reading); i++)
                    planes[i] |= (eight >> i & EVERY_BYTE) << j;
            }
            store_word(work, (bit + bits_before[8 * u] + bits_last[8 * v]) / 64, planes,
                       work->lanes_before[u] & work->lanes_last[v], reading);
        }
    }
}

// ---- rows of 64 symbols ----
//
// If a piece, the inner one, has stride 1 in the file, the symbols of all its squares follow each other. 64 of these
// rows are split into planes at a time (symbol_kernels.h).

// Splits rows into the planes of the reading, with the inner piece's codes as columns. Returns the number of planes.
static inline __attribute__((always_inline)) int split_rows(const struct slab_work *work, const uint8_t *symbols,
                                                            const uint64_t row[SQUARES], const uint8_t order[SQUARES],
                                                            enum symbol_split how,
                                                            uint64_t planes[EXTRACT_PLANES][SQUARES],
                                                            enum table_reading reading)
{
    int count = 0;
    work->map->kernels->split(symbols, row, order, symbol_bits(reading), how, planes);
    for (unsigned w = 0; w < SQUARES; w++) {
        uint64_t bit[EXTRACT_PLANES] = {0};
        for (int i = 0; i < symbol_bits(reading); i++)
            bit[i] = planes[i][w];
        count = plane_bits(bit, reading);
        for (int i = 0; i < count; i++)
            planes[i][w] = bit[i];
    }
    return count;
}

// The squares of a piece after the symmetry, by its code.
static void order_of(uint8_t order[SQUARES], const uint64_t row[SQUARES])
{
    for (unsigned code = 0; code < SQUARES; code++)
        order[code] = (uint8_t)row[code];
}

// If the inner piece is one of the last two: the other one, the outer piece, has a row for each of its codes.
static inline __attribute__((always_inline)) void place_matrix(struct slab_work *work, uint64_t entry, uint64_t bit,
                                                               const enum table_reading reading)
{
    const struct slab_map *map = work->map;
    const int last = map->count - 1;
    const bool inner_last = map->inner == last;
    const int outer_at = inner_last ? last - 1 : last;
    const uint64_t *inner_bits = map->bit[map->piece[map->inner]];
    const uint64_t *outer_bits = map->bit[map->piece[outer_at]];
    const uint64_t *inner_lanes = inner_last ? work->lanes_last : work->lanes_before;
    const uint64_t *outer_lanes = inner_last ? work->lanes_before : work->lanes_last;
    uint64_t scratch[2][SQUARES];
    const uint64_t *outer_row = row_of(work, 0, outer_at, scratch[0]);
    uint8_t order[SQUARES];
    uint64_t planes[EXTRACT_PLANES][SQUARES];
    order_of(order, row_of(work, 0, map->inner, scratch[1]));
    prefetch_lines(work->symbols + entry, outer_row);
    const int count = split_rows(work, work->symbols + entry, outer_row, order,
                                 inner_last ? SPLIT_BY_ROW : SPLIT_BY_COLUMN, planes, reading);
    for (int i = 0; i < count; i++) {
        for (unsigned outer = 0; work->plane[i] != NULL && outer < 8; outer++) {
            for (unsigned inner = 0; inner < 8; inner++)
                work->plane[i][(bit + inner_bits[8 * inner] + outer_bits[8 * outer]) / 64] |=
                    planes[i][8 * outer + inner] & inner_lanes[inner] & outer_lanes[outer];
        }
    }
}

// If it is another piece: the lanes of a word of the last two have a row each, and a column is that word with the inner
// piece on one square.
static inline __attribute__((always_inline)) void place_three(struct slab_work *work, uint64_t entry, uint64_t bit,
                                                              const enum table_reading reading)
{
    const struct slab_map *map = work->map;
    const int last = map->piece[map->count - 1];
    const int before = map->piece[map->count - 2];
    const uint64_t allowed = map->third_place >= 0 ? work->allowed[map->third_place] : work->kings;
    uint64_t scratch[2][SQUARES];
    const uint64_t *before_row = row_of(work, 0, map->count - 2, scratch[0]);
    uint8_t order[SQUARES];
    order_of(order, order_row(&map->file, work->use[0], map->third, work->code, scratch[1]));
    for (unsigned u = 0; u < 8; u++) {
        uint64_t row[8][SQUARES]; // by the last piece's u, and the l of both
        for (unsigned l = 0; l < 8; l++) {
            work->code[before] = (uint8_t)(8 * u + l);
            const uint64_t *last_row = row_of(work, 0, map->count - 1, scratch[1]);
            for (unsigned code = 0; code < SQUARES; code++)
                row[code / 8][8 * l + code % 8] = before_row[8 * u + l] + last_row[code];
        }
        for (unsigned v = 0; v < 8; v++) {
            const uint64_t lanes = work->lanes_before[u] & work->lanes_last[v];
            const uint64_t at = bit + map->bit[before][8 * u] + map->bit[last][8 * v];
            uint64_t planes[EXTRACT_PLANES][SQUARES];
            prefetch_lines(work->symbols + entry, row[v]);
            const int count = split_rows(work, work->symbols + entry, row[v], order, SPLIT_COLUMNS, planes, reading);
            for (uint64_t left = allowed; left != 0; left &= left - 1) {
                const unsigned code = (unsigned)__builtin_ctzll(left);
                const uint64_t word = (at + map->bit[map->third][code]) / 64;
                for (int i = 0; i < count; i++) {
                    if (work->plane[i] != NULL)
                        work->plane[i][word] |= planes[i][code] & lanes;
                }
            }
        }
    }
}

// ---- all pieces ----

// Calls a function with a reading that the compiler knows.
#define BY_READING(reading, function, ...)                                                                             \
    do {                                                                                                               \
        if ((reading) == READ_OUTCOMES)                                                                                \
            function(__VA_ARGS__, READ_OUTCOMES);                                                                      \
        else if ((reading) == READ_VALUES)                                                                             \
            function(__VA_ARGS__, READ_VALUES);                                                                        \
        else                                                                                                           \
            function(__VA_ARGS__, READ_CODES);                                                                         \
    } while (0)

static void place(struct slab_work *work, int depth, const uint64_t entry[2], uint64_t bit)
{
    const struct slab_map *map = work->map;
    if (depth == map->count) { // bare kings besides the fixed men
        store_lane(work, bit, work->symbols[entry[0] < entry[1] ? entry[0] : entry[1]]);
        return;
    }
    if (work->images == 1 &&
        (map->third_place >= 0 ? depth == map->third_place : work->kings != 0 && depth == map->count - 2)) {
        BY_READING(map->reading, place_three, work, entry[0], bit);
        return;
    }
    if (map->tiled && depth == map->count - 2) {
        if (work->images == 1 && map->inner >= 0)
            BY_READING(map->reading, place_matrix, work, entry[0], bit);
        else
            BY_READING(map->reading, place_tile, work, entry, bit);
        return;
    }
    if (depth == map->count - 1) {
        place_last(work, entry, bit);
        return;
    }
    uint64_t scratch[2][SQUARES];
    const uint64_t *row = row_of(work, 0, depth, scratch[0]);
    const uint64_t *other = work->images == 2 ? row_of(work, 1, depth, scratch[1]) : row;
    for (unsigned code = 8 * first_digit(work, map->piece[depth]); code < SQUARES; code++) {
        if (!(work->allowed[depth] >> code & 1))
            continue;
        work->code[map->piece[depth]] = (uint8_t)code;
        const uint64_t next[2] = {entry[0] + row[code], entry[1] + other[code]};
        place(work, depth + 1, next, bit + map->bit[map->piece[depth]][code]);
    }
}

void slab_place_begin(struct slab_work *work, const struct slab_map *map, const struct stored_slab *slab,
                      const uint8_t *symbols, int place, uint64_t codes)
{
    uint64_t *const outcomes[OUTCOME_PLANES] = {slab->won, slab->lost, slab->cursed_won, slab->blessed_lost};
    const int first = map->reading == READ_HIGH_CODES ? CODE_PLANES : 0;
    const int count = map->reading == READ_VALUES ? (int)VALUE_WON : (int)CODE_PLANES;
    work->map = map;
    work->symbols = symbols;
    work->kings = 0;
    memset(work->plane, 0, sizeof work->plane);
    if (map->reading == READ_OUTCOMES)
        memcpy(work->plane, outcomes, sizeof outcomes);
    for (int i = 0; map->reading != READ_OUTCOMES && i < count && first + i < MATE_CODE_BITS; i++)
        work->plane[i] = slab->code[first + i];
    if (map->reading == READ_VALUES) {
        work->plane[VALUE_WON] = slab->won;
        work->plane[VALUE_LOST] = slab->lost;
    }
    for (int i = 0; i < map->count; i++)
        work->allowed[i] = i == place ? codes : UINT64_MAX;
    for (unsigned u = 0; map->tiled && u < 8; u++) {
        work->lanes_before[u] = 0;
        work->lanes_last[u] = (work->allowed[map->count - 1] >> 8 * u & 0xff) * EVERY_BYTE;
        for (unsigned l = 0; l < 8; l++)
            work->lanes_before[u] |= (work->allowed[map->count - 2] >> (8 * u + l) & 1) * UINT64_C(0xff) << 8 * l;
    }
}

void slab_place(struct slab_work *work, const uint64_t entry[2], uint64_t bit)
{
    place(work, 0, entry, bit);
}
