// slab_extract.c - from the stored outcomes of a section to the bits of a slab
//
// The pieces are placed one after the other. The last two take all their squares at once, which are 64 words of the slab;
// where the last digits of a slab are a king's, whose square is chosen first, there are smaller steps: eight lanes (the
// squares of one orbit) at a time, or single ones.
//
// Nothing is asked about men that share a square: such entries may have any value, and their symbol is read from some
// place inside of the section.
#include "futurebase/slab_extract.h"

#include <string.h>

enum { WON, LOST, CURSED_WON, BLESSED_LOST };

// ---- the men of a shape in the file ----

// The group of a man, -1 for one that has none: a pawn, or the black king in a file without pawns.
static int find_group(const struct slab_map *map, int type, int colour)
{
    for (int g = 0; g < map->order->groups; g++) {
        if (map->order->group[g].type == type && map->order->group[g].colour == (colour ^ (map->flip ? 1 : 0)))
            return g;
    }
    return -1;
}

static void add_piece(struct slab_map *map, int piece, int group)
{
    const int place = map->count++;
    map->piece[place] = piece;
    map->group[place] = group;
    map->like[place] = -1;
    map->pair[place] = -1;
    map->early[place] = false;
    for (int i = place - 1; i >= 0 && map->like[place] < 0; i--) {
        if (map->group[i] == group)
            map->like[place] = i;
    }
    if (map->like[place] >= 0)
        map->early[map->like[place]] = true;
}

// Numbers the groups of which two pieces are to be placed.
static void find_pairs(struct slab_map *map)
{
    int pairs = 0;
    for (int i = 0; i < map->count; i++) {
        const int like = map->like[i];
        if (like >= 0 && map->like[like] < 0 && !map->early[i])
            map->pair[i] = pairs++;
    }
}

void slab_map_init(struct slab_map *map, const struct slab_shape *shape, const struct entry_order *order, bool flip)
{
    *map = (struct slab_map){.shape = shape, .order = order, .flip = flip, .apart = order->slices == NULL};
    const int n = shape->pieces;
    for (int i = 0; i < n; i++) {
        const int shift = 3 * (n - 1 - i);
        for (unsigned code = 0; code < SQUARES; code++)
            map->bit[i][code] = (uint64_t)(code >> 3) << (3 * n + shift) | (uint64_t)(code & 7) << shift;
        if (shape->type[i] == KING)
            map->king[shape->colour[i] ^ (flip ? 1 : 0)] = i;
        if (shape->type[i] != KING || !map->apart)
            add_piece(map, i, find_group(map, shape->type[i], shape->colour[i]));
    }
    find_pairs(map);
    map->aligned = map->count > 0 && map->piece[map->count - 1] == n - 1;
    map->tiled = map->aligned && map->count > 1 && map->piece[map->count - 2] == n - 2;
}

// ---- parts of the entry ----

// The fixed men of a group, carried over by `symmetry`.
static int fixed_men(const struct slab_work *work, int group, int symmetry, uint8_t *squares)
{
    const struct slab_shape *shape = work->map->shape;
    int men = 0;
    for (int i = 0; i < shape->fixed; i++) {
        if (find_group(work->map, shape->fixed_type[i], shape->fixed_colour[i]) == group)
            squares[men++] = (uint8_t)square_apply(symmetry, work->square[i]);
    }
    return men;
}

// A digit by its stride; 0 if two of the men share a square, where there may be no such digit.
static uint32_t digit_part(const struct entry_group *group, const uint8_t *squares, int men)
{
    uint64_t seen = 0;
    for (int i = 0; i < men; i++) {
        if (seen & square_bit(squares[i]))
            return 0;
        seen |= square_bit(squares[i]);
    }
    return (uint32_t)(entry_digit(squares, men) * group->stride);
}

// For all squares of the man who completes a group: squares[men] are those of the others.
static void fill_row(const struct entry_group *group, int symmetry, uint8_t *squares, int men, uint32_t row[SQUARES])
{
    for (int code = 0; code < SQUARES; code++) {
        squares[men] = (uint8_t)square_apply(symmetry, code_square[code]);
        row[code] = digit_part(group, squares, men + 1);
    }
}

static void prepare_place(struct slab_work *work, struct slab_image *image, int place)
{
    const struct slab_map *map = work->map;
    const struct entry_group *group = &map->order->group[map->group[place]];
    uint8_t squares[MATERIAL_MEN_MAX + 1];
    const int men = fixed_men(work, map->group[place], image->symmetry, squares);
    if (map->pair[place] >= 0) {
        for (int first = 0; first < SQUARES; first++) {
            squares[men] = (uint8_t)square_apply(image->symmetry, code_square[first]);
            fill_row(group, image->symmetry, squares, men + 1, image->pair[map->pair[place]][first]);
        }
    } else if (map->early[place]) {
        memset(image->part[place], 0, sizeof image->part[place]);
    } else if (map->like[place] < 0) {
        fill_row(group, image->symmetry, squares, men, image->part[place]);
    }
}

static bool has_pieces(const struct slab_map *map, int group)
{
    for (int i = 0; i < map->count; i++) {
        if (map->group[i] == group)
            return true;
    }
    return false;
}

// Of the groups that only have fixed men.
static uint32_t fixed_part(const struct slab_work *work, int symmetry)
{
    const struct slab_map *map = work->map;
    uint32_t part = 0;
    for (int g = 0; g < map->order->groups; g++) {
        uint8_t squares[MATERIAL_MEN_MAX];
        const int men = has_pieces(map, g) ? 0 : fixed_men(work, g, symmetry, squares);
        if (men > 0)
            part += digit_part(&map->order->group[g], squares, men);
    }
    return part;
}

static void prepare(struct slab_work *work, struct slab_image *image, int symmetry)
{
    const struct slab_map *map = work->map;
    image->symmetry = symmetry;
    image->fixed = fixed_part(work, symmetry);
    for (int place = 0; place < map->count; place++)
        prepare_place(work, image, place);
}

// The parts of a place by square code, given the pieces before it.
static const uint32_t *row_of(struct slab_work *work, struct slab_image *image, int place)
{
    const struct slab_map *map = work->map;
    if (map->like[place] < 0 || map->early[place])
        return image->part[place];
    if (map->pair[place] >= 0)
        return image->pair[map->pair[place]][work->code[map->like[place]]];
    // Three identical pieces or more.
    uint8_t squares[MATERIAL_MEN_MAX + 1];
    int men = fixed_men(work, map->group[place], image->symmetry, squares);
    for (int i = map->like[place]; i >= 0; i = map->like[i])
        squares[men++] = (uint8_t)square_apply(image->symmetry, code_square[work->code[i]]);
    fill_row(&map->order->group[map->group[place]], image->symmetry, squares, men, image->part[place]);
    return image->part[place];
}

// ---- from symbols to bits ----

// Where byte k of an array of words lies.
static inline uint64_t byte_of(uint64_t k)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return k ^ 7;
#else
    return k;
#endif
}

// Eight bytes, the first one lowest.
static inline uint64_t eight_of(const uint8_t *bytes)
{
    uint64_t eight;
    memcpy(&eight, bytes, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    return eight;
}

// Eight symbols, the first one lowest.
static inline uint64_t gather(const uint8_t *symbols, const uint32_t *row)
{
    uint64_t eight = 0;
    for (int i = 0; i < 8; i++)
        eight |= (uint64_t)symbols[row[i]] << 8 * i;
    return eight;
}

static inline uint64_t gather_smaller(const uint8_t *symbols, const uint32_t entry[2], const uint32_t *row,
                                      const uint32_t *other)
{
    uint64_t eight = 0;
    for (int i = 0; i < 8; i++) {
        const uint32_t one = entry[0] + row[i];
        const uint32_t two = entry[1] + other[i];
        eight |= (uint64_t)symbols[one < two ? one : two] << 8 * i;
    }
    return eight;
}

// The lowest bits of eight bytes as one byte.
static inline uint8_t lowest_bits(uint64_t eight)
{
    return (uint8_t)((eight & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56);
}

// Symbols are 0..4 (table/table.h), so 4 is the only one with bit 2.
static inline void store(uint64_t *const planes[4], uint64_t byte, uint64_t eight, uint8_t lanes)
{
    uint8_t *plane[4];
    for (int i = 0; i < 4; i++)
        plane[i] = (uint8_t *)planes[i];
    plane[WON][byte] |= lowest_bits(eight >> 2) & lanes;
    plane[LOST][byte] |= (uint8_t)~lowest_bits(eight | eight >> 1 | eight >> 2) & lanes;
    if (plane[CURSED_WON] != NULL)
        plane[CURSED_WON][byte] |= lowest_bits(eight & eight >> 1) & lanes;
    if (plane[BLESSED_LOST] != NULL)
        plane[BLESSED_LOST][byte] |= lowest_bits(eight & ~(eight >> 1)) & lanes;
}

// For lanes that are scattered.
static void store_one(uint64_t *const plane[4], uint64_t bit, unsigned symbol)
{
    const unsigned lane = bit & 7;
    store(plane, byte_of(bit / 8), (uint64_t)symbol << 8 * lane, (uint8_t)(1U << lane));
}

// All squares of the last piece that is placed. (No king is kept to `allowed` here: with pawns the kings are placed like
// others, so there are two pieces to place at least, and place_two() does it.)
static void place_last(struct slab_work *work, const uint32_t entry[2], uint64_t bit, const uint32_t *row,
                       const uint32_t *other)
{
    const struct slab_map *map = work->map;
    const int place = map->count - 1;
    const uint64_t *bits = map->bit[map->piece[place]];
    uint64_t *const plane[4] = {work->plane[0], work->plane[1], work->plane[2], work->plane[3]};
    const uint8_t *symbols = work->symbols;
    for (unsigned u = 0; u < 8; u++) {
        const uint64_t eight = other == NULL ? gather(symbols + entry[0], row + 8 * u)
                                             : gather_smaller(symbols, entry, row + 8 * u, other + 8 * u);
        if (map->aligned) {
            store(plane, byte_of((bit + bits[8 * u]) / 8), eight, 0xff);
            continue;
        }
        for (unsigned l = 0; l < 8; l++)
            store_one(plane, bit + bits[8 * u + l], (unsigned)(eight >> 8 * l) & 0xff);
    }
}

// ---- the last two pieces at once ----
//
// All squares of the last two pieces are 64 words of a slab, one for each pair of u digits. Their symbols are collected
// in a tile of bytes, ordered [u][u'][l'][l]: byte i of eight bytes j is lane 8 * i + j of the word, so that shifts and
// masks make words of them.

enum { TILE = SQUARES * SQUARES };

struct tile_steps {
    unsigned u;
    unsigned l;
};

static const struct tile_steps tile_before = {512, 1}; // of the last piece but one
static const struct tile_steps tile_last = {64, 8};

static inline void fill_line(uint8_t *tile, const uint8_t *symbols, const uint32_t *row, struct tile_steps step)
{
    for (unsigned u = 0; u < 8; u++) {
        for (unsigned l = 0; l < 8; l++)
            tile[u * step.u + l * step.l] = symbols[row[8 * u + l]];
    }
}

static inline unsigned tile_at(unsigned code, struct tile_steps step)
{
    return (code >> 3) * step.u + (code & 7) * step.l;
}

// A line's symbols often share one cache line, and the lines are far apart: ask for all of them at once. Not in the
// first-level cache, where they are likely to have the same place and to drive each other out.
static inline void prefetch_lines(const uint8_t *symbols, const uint32_t *row)
{
    for (unsigned code = 0; code < SQUARES; code++)
        __builtin_prefetch(symbols + row[code], 0, 2);
}

// The piece with the smaller steps in the file comes in the inner loop: its symbols share cache lines.
static void fill_tile(struct slab_work *work, uint8_t *tile, const uint8_t *symbols)
{
    const struct slab_map *map = work->map;
    const int last = map->count - 1;
    const uint32_t *before = row_of(work, work->use[0], last - 1);
    if (map->like[last] >= 0) {
        for (unsigned code = 0; code < SQUARES; code++) {
            work->code[last - 1] = (uint8_t)code;
            fill_line(tile + tile_at(code, tile_before), symbols + before[code], row_of(work, work->use[0], last),
                      tile_last);
        }
        return;
    }
    const uint32_t *row = row_of(work, work->use[0], last);
    if (map->order->group[map->group[last]].stride < map->order->group[map->group[last - 1]].stride) {
        prefetch_lines(symbols, before);
        for (unsigned code = 0; code < SQUARES; code++)
            fill_line(tile + tile_at(code, tile_before), symbols + before[code], row, tile_last);
    } else {
        prefetch_lines(symbols, row);
        for (unsigned code = 0; code < SQUARES; code++)
            fill_line(tile + tile_at(code, tile_last), symbols + row[code], before, tile_before);
    }
}

static void fill_tile_smaller(struct slab_work *work, uint8_t *tile, const uint32_t entry[2])
{
    const int last = work->map->count - 1;
    const uint32_t *before[2] = {row_of(work, work->use[0], last - 1), row_of(work, work->use[1], last - 1)};
    for (unsigned code = 0; code < SQUARES; code++) {
        work->code[last - 1] = (uint8_t)code;
        const uint32_t *row[2] = {row_of(work, work->use[0], last), row_of(work, work->use[1], last)};
        uint8_t *line = tile + tile_at(code, tile_before);
        for (unsigned c = 0; c < SQUARES; c++) {
            const uint32_t one = entry[0] + before[0][code] + row[0][c];
            const uint32_t two = entry[1] + before[1][code] + row[1][c];
            line[tile_at(c, tile_last)] = work->symbols[one < two ? one : two];
        }
    }
}

// Lanes of a word in which the king that is kept to `allowed` stands there.
static uint64_t allowed_lanes(const struct slab_work *work, unsigned before, unsigned last)
{
    const int place = work->map->count - 1;
    uint64_t lanes = ~UINT64_C(0);
    if (work->half == place) {
        lanes = (work->allowed >> 8 * last & 0xff) * UINT64_C(0x0101010101010101);
    } else if (work->half == place - 1) {
        lanes = 0;
        for (unsigned l = 0; l < 8; l++)
            lanes |= (work->allowed >> (8 * before + l) & 1) * UINT64_C(0xff) << 8 * l;
    }
    return lanes;
}

static inline void store_word(uint64_t *const plane[4], uint64_t word, const uint8_t *symbols, uint64_t lanes)
{
    uint64_t bit[3] = {0, 0, 0};
    for (int j = 0; j < 8; j++) {
        const uint64_t eight = eight_of(symbols + 8 * j);
        for (int i = 0; i < 3; i++)
            bit[i] |= (eight >> i & UINT64_C(0x0101010101010101)) << j;
    }
    plane[WON][word] |= bit[2] & lanes;
    plane[LOST][word] |= ~(bit[0] | bit[1] | bit[2]) & lanes;
    if (plane[CURSED_WON] != NULL)
        plane[CURSED_WON][word] |= bit[0] & bit[1] & lanes;
    if (plane[BLESSED_LOST] != NULL)
        plane[BLESSED_LOST][word] |= bit[0] & ~bit[1] & lanes;
}

// ---- the same where one of the two has the smallest steps in the file ----
//
// Then all squares of this man, the inner one, are 64 symbols in a row. They become 64 bits each for the planes, and the
// matrix of these, by the code of the outer man, is turned round: the inner man's squares choose words now.

// Exchanges rows and columns; row i is word i, column j is bit j.
static void transpose(uint64_t matrix[SQUARES])
{
    uint64_t mask = UINT64_C(0x00000000ffffffff);
    for (unsigned step = 32; step > 0; step /= 2, mask ^= mask << step) {
        for (unsigned row = 0; row < SQUARES; row += 2 * step) {
            for (unsigned i = row; i < row + step; i++) {
                const uint64_t change = (matrix[i] >> step ^ matrix[i + step]) & mask;
                matrix[i] ^= change << step;
                matrix[i + step] ^= change;
            }
        }
    }
}

static inline void exchange(uint64_t *a, uint64_t *b, unsigned shift, uint64_t mask)
{
    const uint64_t change = (*a >> shift ^ *b) & mask;
    *a ^= change << shift;
    *b ^= change;
}

// Exchanges the number of a word with that of a byte.
static inline void transpose_bytes(uint64_t words[8])
{
    for (unsigned i = 0; i < 4; i++)
        exchange(&words[i], &words[i + 4], 32, UINT64_C(0x00000000ffffffff));
    for (unsigned i = 0; i < 4; i++)
        exchange(&words[i + (i & 2)], &words[i + (i & 2) + 2], 16, UINT64_C(0x0000ffff0000ffff));
    for (unsigned i = 0; i < 8; i += 2)
        exchange(&words[i], &words[i + 1], 8, UINT64_C(0x00ff00ff00ff00ff));
}

// Exchanges the number of a byte with that of a bit in it.
static inline uint64_t transpose_bits(uint64_t x)
{
    uint64_t change = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= change ^ change << 7;
    change = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= change ^ change << 14;
    change = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ change ^ change << 28;
}

// Bit 8 * file + rank of a word for each outcome: 64 symbols by square.
static inline void pick_symbols(const uint8_t *symbols, unsigned code, uint64_t planes[4][SQUARES])
{
    const uint64_t low = UINT64_C(0x0101010101010101);
    uint64_t one = 0;
    uint64_t two = 0;
    uint64_t four = 0;
    for (int rank = 7; rank >= 0; rank--) {
        const uint64_t eight = eight_of(symbols + 8 * rank);
        one = one << 1 | (eight & low);
        two = two << 1 | (eight >> 1 & low);
        four = four << 1 | (eight >> 2 & low);
    }
    planes[WON][code] = four;
    planes[LOST][code] = ~(one | two | four);
    planes[CURSED_WON][code] = one & two;
    planes[BLESSED_LOST][code] = one & ~two;
}

// The place of the inner man among those to place.
static int inner_place(const struct slab_map *map)
{
    const int last = map->count - 1;
    return map->order->group[map->group[last]].stride == 1 ? last : last - 1;
}

// Are the last two pieces men of different groups, one of which is alone in the file's last group?
static bool is_turned(const struct slab_map *map)
{
    const struct entry_group *group = &map->order->group[map->group[inner_place(map)]];
    return map->like[map->count - 1] < 0 && group->stride == 1 && group->size == SQUARES;
}

// One plane from its matrix: column = code of the outer man, row = as pick_symbols() has the inner one.
static void store_turned(const struct slab_work *work, uint64_t *plane, const uint64_t matrix[SQUARES],
                         const uint32_t *row, uint64_t bit)
{
    const struct slab_map *map = work->map;
    const int last = map->count - 1;
    const bool inner_last = inner_place(map) == last;
    const uint64_t *inner_bits = map->bit[map->piece[inner_last ? last : last - 1]];
    const uint64_t *outer_bits = map->bit[map->piece[inner_last ? last - 1 : last]];
    for (unsigned inner = 0; inner < 8; inner++) {
        uint64_t words[8];
        for (unsigned l = 0; l < 8; l++) {
            const uint32_t square = row[8 * inner + l];
            words[l] = matrix[8 * (square & 7) + (square >> 3)];
        }
        transpose_bytes(words);
        for (unsigned outer = 0; outer < 8; outer++) {
            const uint64_t lanes = inner_last ? allowed_lanes(work, outer, inner) : allowed_lanes(work, inner, outer);
            const uint64_t word = inner_last ? transpose_bits(words[outer]) : words[outer];
            plane[(bit + inner_bits[8 * inner] + outer_bits[8 * outer]) / 64] |= word & lanes;
        }
    }
}

static void place_turned(struct slab_work *work, uint32_t entry, uint64_t bit)
{
    const struct slab_map *map = work->map;
    const int last = map->count - 1;
    const int inner = inner_place(map);
    const uint32_t *outer_row = row_of(work, work->use[0], inner == last ? last - 1 : last);
    const uint32_t *inner_row = row_of(work, work->use[0], inner);
    uint64_t planes[4][SQUARES];
    prefetch_lines(work->symbols + entry, outer_row);
    for (unsigned code = 0; code < SQUARES; code++)
        pick_symbols(work->symbols + entry + outer_row[code], code, planes);
    for (int i = 0; i < 4; i++) {
        if (work->plane[i] == NULL)
            continue;
        transpose(planes[i]);
        store_turned(work, work->plane[i], planes[i], inner_row, bit);
    }
}

static void place_two(struct slab_work *work, const uint32_t entry[2], uint64_t bit)
{
    const struct slab_map *map = work->map;
    if (work->images == 1 && is_turned(map)) {
        place_turned(work, entry[0], bit);
        return;
    }
    const int last = map->count - 1;
    const uint64_t *bits[2] = {map->bit[map->piece[last - 1]], map->bit[map->piece[last]]};
    uint64_t *plane[4];
    uint8_t tile[TILE];
    if (work->images == 2)
        fill_tile_smaller(work, tile, entry);
    else
        fill_tile(work, tile, work->symbols + entry[0]);
    for (int i = 0; i < 4; i++)
        plane[i] = work->plane[i];
    for (unsigned u = 0; u < 8; u++) {
        for (unsigned v = 0; v < 8; v++)
            store_word(plane, (bit + bits[0][8 * u] + bits[1][8 * v]) / 64, tile + 512 * u + 64 * v,
                       allowed_lanes(work, u, v));
    }
}

// ---- all pieces ----

static void place(struct slab_work *work, int depth, const uint32_t entry[2], uint64_t bit)
{
    const struct slab_map *map = work->map;
    if (depth == map->count) { // bare kings beside the fixed men
        const uint32_t least = work->images == 2 && entry[1] < entry[0] ? entry[1] : entry[0];
        store_one(work->plane, bit, work->symbols[least]);
        return;
    }
    if (map->tiled && depth == map->count - 2) {
        place_two(work, entry, bit);
        return;
    }
    const uint32_t *row = row_of(work, work->use[0], depth);
    const uint32_t *other = work->images == 2 ? row_of(work, work->use[1], depth) : NULL;
    if (depth == map->count - 1) {
        place_last(work, entry, bit, row, other);
        return;
    }
    for (unsigned code = 0; code < SQUARES; code++) {
        if (work->half == depth && !(work->allowed >> code & 1))
            continue;
        work->code[depth] = (uint8_t)code;
        const uint32_t next[2] = {entry[0] + row[code], other == NULL ? 0 : entry[1] + other[code]};
        place(work, depth + 1, next, bit + map->bit[map->piece[depth]][code]);
    }
}

static void start(struct slab_work *work, const struct slab_map *map, const struct stored_slab *slab,
                  const uint8_t *symbols)
{
    work->map = map;
    work->square = slab->square;
    work->symbols = symbols;
    work->plane[WON] = slab->won;
    work->plane[LOST] = slab->lost;
    work->plane[CURSED_WON] = slab->cursed_won;
    work->plane[BLESSED_LOST] = slab->blessed_lost;
    work->half = -1;
}

// ---- without pawns ----

// Which of the two images that have the black king on the diagonal is the file's one: index/entry.h.
static void choose_image(struct slab_work *work, int white_king)
{
    const int seen = square_apply(work->image[0].symmetry, white_king);
    const bool on_diagonal = square_on_diagonal(seen);
    const int first = !on_diagonal && square_rank(seen) > square_file(seen) ? 1 : 0;
    work->images = on_diagonal ? 2 : 1;
    work->use[0] = &work->image[first];
    work->use[1] = &work->image[1];
}

static void place_white_kings(struct slab_work *work, int black_king, bool diagonal)
{
    const struct slab_map *map = work->map;
    const int white = map->king[WHITE];
    const int group = find_group(map, KING, map->shape->colour[white]);
    work->images = 1;
    work->use[0] = &work->image[0];
    for (int white_king = 0; white_king < SQUARES; white_king++) {
        if (squares_touch(black_king, white_king))
            continue;
        if (diagonal)
            choose_image(work, white_king);
        uint32_t entry[2] = {0, 0};
        for (int i = 0; i < work->images; i++) {
            const int seen = square_apply(work->use[i]->symmetry, white_king);
            entry[i] = work->use[i]->fixed + (uint32_t)((uint64_t)seen * map->order->group[group].stride);
        }
        const uint64_t bit =
            map->bit[white][square_code[white_king]] + map->bit[map->king[BLACK]][square_code[black_king]];
        place(work, 0, entry, bit);
    }
}

void slab_extract_section(const struct slab_map *map, struct slab_work *work, const struct stored_slab *slab,
                          unsigned section, const uint8_t *symbols)
{
    start(work, map, slab, symbols);
    for (int square = 0; square < SQUARES; square++) {
        const int g = symmetry_to_triangle(square);
        const int seen = square_apply(g, square);
        if (square_triangle[seen] != (int)section)
            continue;
        const bool diagonal = square_on_diagonal(seen);
        prepare(work, &work->image[0], g);
        if (diagonal) // the other one is followed by the diagonal, which comes first: the mirrors change places
            prepare(work, &work->image[1], 4 | (g & 1) << 1 | (g >> 1 & 1));
        place_white_kings(work, square, diagonal);
    }
}

// ---- with pawns ----

// Codes of the squares on files a-d.
static uint64_t left_half(void)
{
    uint64_t codes = 0;
    for (int code = 0; code < SQUARES; code++)
        codes |= (uint64_t)(square_file(code_square[code]) < 4) << code;
    return codes;
}

static int slice_symmetry(const struct slab_map *map, bool mirror)
{
    return (map->flip ? 2 : 0) | (mirror ? 1 : 0);
}

struct slab_range slab_extract_range(const struct slab_map *map, const struct stored_slab *slab, bool mirror, bool both)
{
    const struct slab_work work = {.map = map, .square = slab->square};
    struct slab_range range = {UINT64_MAX, 0};
    uint64_t others = 0;
    for (int g = 0; g < map->order->groups; g++)
        others += has_pieces(map, g) ? (map->order->group[g].size - 1) * map->order->group[g].stride : 0;
    for (int i = 0; i < (both ? 2 : 1); i++) {
        const uint64_t first = fixed_part(&work, slice_symmetry(map, mirror) ^ i);
        range.first = first < range.first ? first : range.first;
        range.last = first + others > range.last ? first + others : range.last;
    }
    return range;
}

void slab_extract_slice(const struct slab_map *map, struct slab_work *work, const struct stored_slab *slab,
                        const uint8_t *symbols, bool mirror, bool both)
{
    start(work, map, slab, symbols);
    const int g = slice_symmetry(map, mirror);
    for (int i = 0; i < (both ? 2 : 1); i++) {
        work->images = 1;
        work->use[0] = &work->image[0];
        prepare(work, &work->image[0], g ^ i);
        if (both) {
            work->half = map->king[WHITE]; // pieces are placed in the order of the shape here
            // The image has the white king on files a-d.
            work->allowed = (g ^ i) & 1 ? ~left_half() : left_half();
        }
        const uint32_t entry[2] = {work->image[0].fixed, 0};
        place(work, 0, entry, 0);
    }
}
