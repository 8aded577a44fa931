// king_sections.c - a pawnless solution in the order of a file, some sections at a time
//
// The tiles with the black king on the section's square come in any order, on all threads. Of each tile:
//
//     1. The entries of its lanes are sums of parts (index/order_map.h): upper[lane / 64] + lower[lane % 64], because
//        the last two pieces, the lower ones, have all squares of their orbits in one word and the upper ones one
//        square each. If identical pieces are in both, lower[] is another one for each word.
//     2. The planes' bits become symbols (word_symbols.h).
//     3. The symbols of a word are scattered to its entries. Illegal lanes may be written as well, as don't-cares,
//        because their entries belong to nobody else: that spares a test for each lane. It does not hold for identical
//        pieces, which share entries, and for thinned orders; then step 4 writes only lanes that stand for an entry:
//     4. With the black king on the diagonal a1-h8 the file keeps one of two mirror images: by the white king's square,
//        or, if it stands on the diagonal too, the one with the smaller entry. Of identical pieces the lane with rising
//        squares is written. A group with sorted u digits only needs no such test: all of its orders, where a tile has
//        them, are the same symbol.
//
// Entries that no lane writes stay don't-cares: overlaps, illegal positions, and mirror images.
//
// Steps 3 and 4 are faster "in rows", where the order's last piece has no identical one: then lanes in which only its l
// digit differs are entries of the same row of 64. Every entry is then written.
//
//     3. Lanes that stand for no entry become don't-cares. The eight lanes that differ in the last piece's l digit are
//        brought together by an exchange of digits in registers. If the tiles with its eight u digits come together,
//        they make whole rows, which are stored in the order of squares. A row is a line of the cache, and the rows of
//        a tile are powers of two apart, so that few of them fit in a cache at the same time: they are written past it.
//        Lanes in which identical pieces share a square are left out: they would be taken for another entry.
//     4. Else the eight lanes are stored as one, at their codes instead of their squares, and each row is brought into
//        the order of squares when all tiles are done.
//
// The cost is one scattered store for each 64 lanes (or eight), otherwise for each lane, and 64 + 8^upper additions for
// each tile, in rows for each store of eight tiles.
//
// For example, KQvKR has the pieces K r Q, and its tile with the u digits 0, 6, 0 has eight words: K stands on b1 in
// the first of them, on g1 in the second and so on, while r takes the eight squares of the orbit of b2, and Q those of
// the orbit of b1. In the order "k K r Q" with the strides 4096, 64 and 1 the first word has upper = 4096 * 1, and its
// lane 0, with r on b2 and Q on b1, has lower = 64 * 9 + 1.
#include "index/order_map.h"
#include "table/write/device_symbols.h"
#include "table/write/sections.h"
#include "util/cloned.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOWER_PIECES = 2,
    LOWER_LANES = 64,
    IMAGES = 2,
    STREAMS = 2,
    DIAGONAL = 4,
    SORT_SYMBOLS = 1 << 20,
    ROW_TILES = 8, // that have lanes in a row
    APART = 64     // bytes between the symbols of these tiles, which would else share few sets of a cache
};

// How one stream's order sees the layout.
struct stream_view {
    const struct section_target *target;
    struct order_map map;
    struct order_parts image[IMAGES]; // as it is, and mirrored at the diagonal a1-h8
    bool in_rows;
    int last;       // for rows: the order's last piece,
    int last_digit; // its digit of a lane,
    uint16_t *lane; // [tile_lanes / 8] and the first of each eight lanes after the exchange
};

// The scratch memory of one worker.
struct worker {
    struct {
        uint64_t *upper; // [8^upper pieces], a part of `space`
        uint64_t lower[LOWER_LANES];
        uint64_t on_board; // the lanes of a word in which the order has the lower pieces' digits
    } sum[STREAMS][IMAGES];
    uint64_t counts[TABLE_OUTCOMES];
    uint8_t *symbols; // [ROW_TILES * (tile_lanes + APART)] in rows, a part of `space`
    uint64_t space[];
};

struct scatter {
    const struct layout *layout;
    const struct section_request *request;
    const struct symbol_kernels *kernels;
    struct code_book book;
    int upper_pieces;
    int streams;
    struct stream_view stream[STREAMS]; // the wanted ones: outcomes, distances
    int first, end;                     // those of this walk
    bool diagonal;                      // the black king's square is on the diagonal
    bool rising;                        // identical pieces without sorted digits must stand on rising squares
    bool straddles;                     // identical pieces are both upper and lower ones
    bool plain;                         // step 3 may write all lanes of a word
    atomic_bool unsorted[STREAMS];      // rows are in the order of codes
    struct worker **worker;             // [threads], for those that had work
};

struct tile {
    uint8_t u[LAYOUT_PIECES_MAX];
    bool tied;  // identical pieces have equal digits, so they may share a square
    bool mixed; // a lower one of them does, so that words have both such lanes and others
    // By the white king's l digit: the images that are kept, and those that must be compared.
    uint8_t kept;
    uint8_t compared;
};

static void codes_of_lane(const struct scatter *scatter, const struct tile *tile, uint64_t lane, uint8_t *code)
{
    for (int i = 0; i < scatter->layout->pieces; i++)
        code[i] = (uint8_t)(8U * tile->u[i] + (lane >> layout_lane_shift(scatter->layout, i) & 7));
}

// ---- step 1 ----

// The sums of the parts of pieces first..last-1 for all their l digits, the last piece's digit lowest. code[] has those
// of the pieces before.
static void sum_parts(const struct tile *tile, const struct order_map *map, const struct order_parts *parts, int first,
                      int last, uint8_t code[LAYOUT_PIECES_MAX], uint64_t *sum)
{
    uint64_t lanes = 1;
    sum[0] = 0;
    for (int i = first; i < last; i++, lanes *= 8) {
        for (uint64_t lane = lanes; lane-- > 0;) {
            const uint64_t before = sum[lane];
            for (int j = first; map->before[i] >= 0 && j < i; j++)
                code[j] = (uint8_t)(8U * tile->u[j] + (lane >> 3 * (i - 1 - j) & 7));
            uint64_t scratch[8];
            const uint64_t *part = order_row_part(map, parts, i, code, 8U * tile->u[i], 8, scratch);
            for (unsigned l = 0; l < 8; l++)
                sum[8 * lane + l] = before + part[l];
        }
    }
}

// The sums of the lower pieces in a word, where they depend on it, or in all words of a tile.
static void sum_lower(const struct scatter *scatter, const struct tile *tile, struct worker *worker, int s,
                      uint64_t word)
{
    const struct stream_view *stream = &scatter->stream[s];
    uint8_t code[LAYOUT_PIECES_MAX];
    codes_of_lane(scatter, tile, LOWER_LANES * word, code);
    for (int image = 0; image < (scatter->diagonal && tile->compared != 0 ? 2 : 1); image++)
        sum_parts(tile, &stream->map, &stream->image[image], scatter->upper_pieces, scatter->layout->pieces, code,
                  worker->sum[s][image].lower);
    worker->sum[s][0].on_board = 0;
    for (unsigned i = 0; i < LOWER_LANES; i++)
        worker->sum[s][0].on_board |= (uint64_t)(worker->sum[s][0].lower[i] < OFF_BOARD) << i;
}

static void sum_tile(const struct scatter *scatter, const struct tile *tile, struct worker *worker, int s)
{
    const struct stream_view *stream = &scatter->stream[s];
    uint8_t code[LAYOUT_PIECES_MAX];
    for (int image = 0; image < (scatter->diagonal ? 2 : 1); image++)
        sum_parts(tile, &stream->map, &stream->image[image], 0, scatter->upper_pieces, code,
                  worker->sum[s][image].upper);
    if (!scatter->straddles)
        sum_lower(scatter, tile, worker, s, 0);
}

// ---- steps 3 and 4 ----

// Puts symbol number `lane` of a word at an entry.
static inline void put_symbol(const struct section_target *target, uint64_t entry, const void *symbols, unsigned lane)
{
    const uint64_t place = entry >= target->order->per_section ? NO_PLACE : section_place(target, entry);
    if (place == NO_PLACE)
        return;
    if (target->bytes == 1)
        ((uint8_t *)target->symbols)[place] = ((const uint8_t *)symbols)[lane];
    else
        ((uint16_t *)target->symbols)[place] = ((const uint16_t *)symbols)[lane];
}

static void put_word(const struct section_target *target, uint64_t upper, const uint64_t lower[LOWER_LANES],
                     const void *symbols)
{
    if (target->slot == NULL && target->bytes == 1) {
        uint8_t *to = (uint8_t *)target->symbols + upper;
        for (unsigned i = 0; i < LOWER_LANES; i++)
            to[lower[i]] = ((const uint8_t *)symbols)[i];
        return;
    }
    for (unsigned i = 0; i < LOWER_LANES; i++)
        put_symbol(target, upper + lower[i], symbols, i);
}

// The lanes of a word in which a piece's l digit is one of `digits`.
static uint64_t lanes_of(const struct layout *layout, int piece, uint8_t digits, uint64_t word)
{
    const unsigned shift = layout_lane_shift(layout, piece);
    uint64_t lanes = 0;
    if (digits == 0 || digits == 0xff)
        return digits == 0 ? 0 : UINT64_MAX;
    if (shift >= 6)
        return digits >> (word >> (shift - 6) & 7) & 1 ? UINT64_MAX : 0;
    if (shift == 0)
        return digits * UINT64_C(0x0101010101010101);
    for (unsigned l = 0; l < 8; l++)
        lanes |= (uint64_t)(digits >> l & 1) * 0xff << 8 * l;
    return lanes;
}

// The lanes of a word in which piece i stands on a higher square than piece j.
static uint64_t higher_lanes(const struct scatter *scatter, const struct tile *tile, uint64_t word, int i, int j)
{
    const struct layout *layout = scatter->layout;
    uint64_t lanes = 0;
    for (unsigned of_j = 0; of_j < 8; of_j++) {
        const uint64_t with_j = lanes_of(layout, j, (uint8_t)(1U << of_j), word);
        unsigned higher = 0;
        for (unsigned of_i = 0; with_j != 0 && of_i < 8; of_i++)
            higher |= (unsigned)(code_square[8U * tile->u[i] + of_i] > code_square[8U * tile->u[j] + of_j]) << of_i;
        lanes |= with_j != 0 ? with_j & lanes_of(layout, i, (uint8_t)higher, word) : 0;
    }
    return lanes;
}

// Are these identical pieces in one group with sorted digits?
static bool are_sorted(const struct layout *layout, int i, int j)
{
    return i < layout_grouped(layout) && j < layout_grouped(layout) && layout->type[i] == layout->type[j] &&
           layout->colour[i] == layout->colour[j];
}

// The lanes of a word in which identical pieces stand on rising squares, unless their digits are sorted.
static uint64_t rising_lanes(const struct scatter *scatter, const struct tile *tile, uint64_t word)
{
    const struct layout *layout = scatter->layout;
    const struct order_map *map = &scatter->stream[0].map;
    uint64_t lanes = UINT64_MAX;
    for (int i = 1; i < layout->pieces; i++) {
        for (int j = map->before[i]; j >= 0 && lanes != 0; j = map->before[j])
            lanes &= are_sorted(layout, i, j) ? UINT64_MAX : higher_lanes(scatter, tile, word, i, j);
    }
    return lanes;
}

// Puts some lanes of a word at their entries; those of `compared` only if their image has the smaller entry.
static void put_lanes(const struct scatter *scatter, const struct worker *worker, int s, uint64_t word, uint64_t lanes,
                      uint64_t compared, const void *symbols)
{
    const struct stream_view *stream = &scatter->stream[s];
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned low = (unsigned)__builtin_ctzll(lanes);
        uint64_t entry[IMAGES];
        for (int image = 0; image < (compared >> low & 1 ? 2 : 1); image++)
            entry[image] = worker->sum[s][image].upper[word] + worker->sum[s][image].lower[low];
        if (!(compared >> low & 1) || entry[0] <= entry[1])
            put_symbol(stream->target, entry[0], symbols, low);
    }
}

// ---- a tile ----

static struct tile tile_of(const struct scatter *scatter, const struct tile_run *run, uint64_t place)
{
    const struct layout *layout = scatter->layout;
    struct tile tile = {.kept = scatter->diagonal ? 0 : 0xff};
    unsigned king;
    layout_digits(layout, run->number != NULL ? run->number[place] : run->first + place, &king, tile.u);
    for (int i = 1; i < layout_grouped(layout); i++) {
        const bool tie = tile.u[i] == tile.u[i - 1] && are_sorted(layout, i, i - 1);
        tile.tied |= tie;
        tile.mixed |= tie && i >= scatter->upper_pieces;
    }
    for (unsigned l = 0; scatter->diagonal && l < 8; l++) {
        int symmetry[IMAGES];
        const int white_king = code_square[8U * tile.u[layout->white_king] + l];
        const int images = entry_symmetries(triangle_square[king], white_king, symmetry);
        tile.kept |= (uint8_t)((images == 1 && symmetry[0] == 0) << l);
        tile.compared |= (uint8_t)((images == 2) << l);
    }
    return tile;
}

// If a section is made in parts, some tiles are looked at more than once. A tile is counted when the block of one
// certain entry has a slot: the entry with the l digits 0, 1, 2, ..., in which no men share a square.
static bool is_counted(const struct scatter *scatter, const struct tile *tile)
{
    const struct layout *layout = scatter->layout;
    const struct section_target *target = &scatter->request->outcome;
    const struct stream_view *stream = &scatter->stream[0];
    uint8_t code[LAYOUT_PIECES_MAX];
    uint64_t lane = 0;
    if (scatter->request->counts == NULL || target->slot == NULL)
        return scatter->request->counts != NULL;
    for (int i = 0; i < layout->pieces; i++)
        lane |= (uint64_t)i << layout_lane_shift(layout, i);
    codes_of_lane(scatter, tile, lane, code);
    return section_place(target, order_sum(&stream->map, &stream->image[0], 0, layout->pieces, code)) != NO_PLACE;
}

// By how much the sums of the lower pieces exceed those of the mirror image, where images are compared.
static void find_larger(const struct worker *worker, int s, uint64_t compared, int64_t larger[LOWER_LANES])
{
    for (unsigned i = 0; i < LOWER_LANES; i++)
        larger[i] = compared >> i & 1 ? (int64_t)(worker->sum[s][0].lower[i] - worker->sum[s][1].lower[i]) : INT64_MIN;
}

// Makes the lanes of a tile that stand for no entry don't-cares. Where images are compared, the mirrored one has the
// smaller entry if the sums of the lower pieces differ by more than those of the upper ones, the other way round.
static CLONED void free_lanes(const struct scatter *scatter, const struct tile *tile, struct worker *worker, int s,
                              uint8_t *symbols)
{
    const struct layout *layout = scatter->layout;
    const unsigned shift = layout_lane_shift(layout, layout->white_king);
    const uint64_t kept = shift < 6 ? lanes_of(layout, layout->white_king, tile->kept, 0) : 0;
    const uint64_t compared = shift < 6 ? lanes_of(layout, layout->white_king, tile->compared, 0) : UINT64_MAX;
    uint8_t free[LOWER_LANES];
    int64_t larger[LOWER_LANES];
    for (unsigned i = 0; i < LOWER_LANES; i++)
        free[i] = (kept | compared) >> i & 1 ? 0 : 0xff;
    if (!scatter->straddles)
        find_larger(worker, s, compared, larger);
    for (uint64_t word = 0; word < layout->tile_lanes / LOWER_LANES; word++, symbols += LOWER_LANES) {
        const unsigned digit = shift < 6 ? 0 : (unsigned)(word >> (shift - 6) & 7);
        if (shift >= 6 && tile->kept >> digit & 1)
            continue;
        if (shift >= 6 && !(tile->compared >> digit & 1)) {
            memset(symbols, 0xff, LOWER_LANES);
            continue;
        }
        if (scatter->straddles) {
            sum_lower(scatter, tile, worker, s, word);
            find_larger(worker, s, compared, larger);
        }
        const int64_t smaller = (int64_t)(worker->sum[s][1].upper[word] - worker->sum[s][0].upper[word]);
        for (unsigned i = 0; i < LOWER_LANES; i++)
            symbols[i] |= larger[i] > smaller ? 0xff : free[i];
    }
}

// The lanes of a word whose digits a stream's order has.
static uint64_t lanes_on_board(const struct worker *worker, int s, uint64_t word)
{
    return worker->sum[s][0].upper[word] < OFF_BOARD ? worker->sum[s][0].on_board : 0;
}

// Count placements: the king's square stands for 8 or 4, and the tile for orders of its digits.
static void add_counts(const struct scatter *scatter, const struct tile *tile, struct worker *worker,
                       const uint64_t counts[TABLE_OUTCOMES])
{
    const uint64_t weight = (scatter->diagonal ? 4U : 8U) * layout_orders(scatter->layout, tile->u);
    if (!is_counted(scatter, tile))
        return;
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        worker->counts[i] += weight * counts[i];
}

// The sum of the lower pieces' parts in a lane.
static uint64_t lower_sum(const struct scatter *scatter, const struct tile *tile, int s, uint64_t lane)
{
    const struct stream_view *stream = &scatter->stream[s];
    uint8_t code[LAYOUT_PIECES_MAX];
    codes_of_lane(scatter, tile, lane, code);
    return order_sum(&stream->map, &stream->image[0], scatter->upper_pieces, scatter->layout->pieces, code);
}

// Do identical pieces with sorted digits share a square in a lane?
static bool is_shared(const struct layout *layout, const struct tile *tile, uint64_t lane)
{
    for (int i = 1; i < layout_grouped(layout); i++) {
        for (int j = i - 1; j >= 0 && tile->u[j] == tile->u[i] && are_sorted(layout, i, j); j--) {
            if ((lane >> layout_lane_shift(layout, i) & 7) == (lane >> layout_lane_shift(layout, j) & 7))
                return true;
        }
    }
    return false;
}

// Does step 3 in rows for a tile, or for the eight tiles with all u digits of the stream's last piece, of which this is
// the first one. Their symbols have been exchanged.
static void put_tiles(const struct scatter *scatter, const struct tile *tile, const struct worker *worker, int s,
                      unsigned tiles)
{
    const struct layout *layout = scatter->layout;
    const struct stream_view *stream = &scatter->stream[s];
    uint8_t code[LAYOUT_PIECES_MAX] = {0};
    code[stream->last] = 8U * tile->u[stream->last];
    // The part of square 0, which is the lanes' l digit.
    const uint64_t square = order_part(&stream->map, &stream->image[0], stream->last, code);
    uint8_t *to = stream->target->symbols;
    static const uint8_t none_free[SQUARES];
    for (uint64_t first = 0; first < layout->tile_lanes / 8; first += SQUARES) {
        uint64_t row[SQUARES];
        const uint8_t *from = worker->symbols + 8 * first;
        for (unsigned i = 0; i < SQUARES; i++) {
            const uint64_t lane = stream->lane[first + i];
            const uint64_t lower =
                scatter->straddles ? lower_sum(scatter, tile, s, lane) : worker->sum[s][0].lower[lane % LOWER_LANES];
            row[i] = worker->sum[s][0].upper[lane / LOWER_LANES] + lower - square;
            if (tile->tied && is_shared(layout, tile, lane))
                row[i] = NO_PLACE;
        }
        if (tiles == ROW_TILES)
            scatter->kernels->join_rows(to, row, SQUARES, from, layout->tile_lanes + APART, none_free);
        for (unsigned i = 0; i < SQUARES && tiles == 1; i++, from += 8) {
            if (row[i] != NO_PLACE)
                memcpy(to + row[i] + code[stream->last], from, 8);
        }
    }
}

static CLONED void scatter_rows(struct scatter *scatter, const struct tile_run *run, struct worker *worker, int s)
{
    const struct stream_view *stream = &scatter->stream[s];
    const struct layout *layout = scatter->layout;
    const uint64_t words = layout->tile_lanes / LOWER_LANES;
    const uint64_t across = run->across;
    const unsigned tiles = across > 0 ? ROW_TILES : 1;
    for (uint64_t done = 0; done < run->count; done += tiles) {
        const uint64_t group = done / tiles;
        const uint64_t first = tiles == 1 ? done : group / across * ROW_TILES * across + group % across;
        uint64_t counts[TABLE_OUTCOMES] = {0};
        struct tile tile;
        for (unsigned u = tiles; u-- > 0;) {
            const uint64_t place = first + u * across;
            uint8_t *symbols = worker->symbols + u * (layout->tile_lanes + APART);
            tile = tile_of(scatter, run, place);
            if (u == 0 || tile.compared != 0)
                sum_tile(scatter, &tile, worker, s);
            if (stream->target == &scatter->request->outcome)
                word_outcomes(scatter->kernels, &run->planes, &scatter->book, place * words, words, symbols, counts);
            else
                word_distances(scatter->kernels, &run->planes, &scatter->book, place * words, words, 1, symbols);
            if (tile.kept != 0xff)
                free_lanes(scatter, &tile, worker, s, symbols);
            scatter->kernels->exchange(symbols, words, stream->last_digit);
        }
        put_tiles(scatter, &tile, worker, s, tiles);
        add_counts(scatter, &tile, worker, counts);
    }
    if (tiles == 1)
        atomic_store(&scatter->unsorted[s], true);
}

// Steps 2 to 4, not in rows.
static CLONED void scatter_lanes(const struct scatter *scatter, const struct tile *tile, struct worker *worker,
                                 const struct slice_side *planes, size_t first)
{
    const struct layout *layout = scatter->layout;
    const uint64_t words = layout->tile_lanes / LOWER_LANES;
    const bool lower_king = layout_lane_shift(layout, layout->white_king) < 6;
    uint64_t counts[TABLE_OUTCOMES] = {0};
    uint64_t kept = lanes_of(layout, layout->white_king, tile->kept, 0);
    uint64_t compared = lanes_of(layout, layout->white_king, tile->compared, 0);
    for (int s = scatter->first; s < scatter->end; s++)
        sum_tile(scatter, tile, worker, s);
    // The other digits of a blank repeat the same positions.
    for (uint64_t word = 0; word < (layout->type[0] == BLANK ? words / 8 : words); word++) {
        const size_t w = first + word;
        // Those that a thinned order does not have are counted, too.
        uint64_t legal = scatter->request->counts != NULL || scatter->straddles ? UINT64_MAX : 0;
        for (int s = scatter->first; s < scatter->end && legal == 0; s++)
            legal |= lanes_on_board(worker, s, word);
        if (legal != 0)
            legal = ~planes->won[w] | planes_any_code(planes, w);
        if (legal == 0)
            continue;
        for (int s = scatter->first; s < scatter->end && scatter->straddles; s++)
            sum_lower(scatter, tile, worker, s, word);
        if (!lower_king) {
            kept = lanes_of(layout, layout->white_king, tile->kept, word);
            compared = lanes_of(layout, layout->white_king, tile->compared, word);
        }
        const bool plain = scatter->plain && kept == UINT64_MAX && !tile->mixed;
        legal &= scatter->rising ? rising_lanes(scatter, tile, word) : UINT64_MAX;
        for (int s = scatter->first; s < scatter->end; s++) {
            const struct section_target *target = scatter->stream[s].target;
            if (scatter->stream[s].in_rows)
                continue;
            uint16_t symbols[LOWER_LANES]; // of the target's width; with width 1 half of it is used
            if (target == &scatter->request->outcome)
                word_outcomes(scatter->kernels, planes, &scatter->book, w, 1, (uint8_t *)symbols, counts);
            else
                word_distances(scatter->kernels, planes, &scatter->book, w, 1, target->bytes, symbols);
            if (plain)
                put_word(target, worker->sum[s][0].upper[word], worker->sum[s][0].lower, symbols);
            else
                put_lanes(scatter, worker, s, word, legal & (kept | compared) & lanes_on_board(worker, s, word),
                          compared, symbols);
        }
    }
    add_counts(scatter, tile, worker, counts);
}

static int visit_run(void *context, const struct tile_run *run, int number)
{
    struct scatter *scatter = context;
    const struct layout *layout = scatter->layout;
    struct worker *worker = scatter->worker[number];
    bool all_in_rows = true;
    if (worker == NULL) {
        const size_t upper = layout->tile_lanes / LOWER_LANES;
        const size_t bytes = sizeof *worker + STREAMS * IMAGES * upper * sizeof *worker->space +
                             ROW_TILES * (layout->tile_lanes + APART);
        TRY(memory_new(&worker, 1, bytes, "writing a table"));
        scatter->worker[number] = worker;
        for (size_t i = 0; i < STREAMS * IMAGES; i++)
            worker->sum[i / IMAGES][i % IMAGES].upper = worker->space + i * upper;
        worker->symbols = (uint8_t *)(worker->space + STREAMS * IMAGES * upper);
    }
    for (int s = scatter->first; s < scatter->end; s++) {
        if (scatter->stream[s].in_rows)
            scatter_rows(scatter, run, worker, s);
        all_in_rows &= scatter->stream[s].in_rows;
    }
    for (uint64_t i = 0; !all_in_rows && i < run->count; i++) {
        const struct tile tile = tile_of(scatter, run, i);
        if (tile_wanted(scatter->request->filter, layout, tile.u) && !(layout->type[0] == BLANK && tile.u[0] != 0))
            scatter_lanes(scatter, &tile, worker, &run->planes, i * layout->tile_lanes / LOWER_LANES);
    }
    return 0;
}

// ---- a request ----

static void add_stream(struct scatter *scatter, const struct section_target *target)
{
    const struct layout *layout = scatter->layout;
    struct slab_shape men = {.pieces = layout->pieces};
    if (target->order == NULL)
        return;
    struct stream_view *stream = &scatter->stream[scatter->streams++];
    stream->target = target;
    memcpy(men.type, layout->type, sizeof men.type);
    memcpy(men.colour, layout->colour, sizeof men.colour);
    order_map_init(&stream->map, target->order, false, &men);
    order_parts_make(&stream->image[0], &stream->map, 0, NULL);
    order_parts_make(&stream->image[1], &stream->map, DIAGONAL, NULL);
    for (int i = 1; i < layout->pieces; i++) {
        for (int j = stream->map.before[i]; j >= 0; j = stream->map.before[j]) {
            scatter->rising |= !are_sorted(layout, i, j);
            scatter->straddles |= i >= scatter->upper_pieces && j < scatter->upper_pieces;
        }
    }
    scatter->plain &= !scatter->rising && target->order->thinned < 0;
}

// Decides which streams are made in rows.
static int choose_rows(struct scatter *scatter)
{
    const struct layout *layout = scatter->layout;
    for (int s = 0; s < scatter->streams; s++) {
        struct stream_view *stream = &scatter->stream[s];
        const struct section_target *target = stream->target;
        const int group = target->order->groups - 1;
        stream->in_rows = scatter->plain && target->slot == NULL && scatter->request->filter == NULL &&
                          target->bytes == 1 && layout->type[0] != BLANK && target->order->group[group].count == 1 &&
                          layout->tile_lanes <= UINT16_MAX + 1;
        if (!stream->in_rows)
            continue;
        for (int i = 0; i < layout->pieces; i++)
            stream->last = stream->map.group[i] == group ? i : stream->last;
        const unsigned shift = layout_lane_shift(layout, stream->last);
        TRY(memory_new(&stream->lane, layout->tile_lanes / 8, sizeof *stream->lane, "writing a table"));
        stream->last_digit = (int)shift / 3;
        for (uint64_t i = 0; i < layout->tile_lanes / 8; i++) {
            const uint64_t lane = 8 * i;
            const uint64_t first = shift > 0 ? (lane & ~(UINT64_C(7) << shift)) | (lane >> shift & 7) : lane;
            stream->lane[i] = (uint16_t)first;
        }
    }
    return 0;
}

// Step 4 in rows: 64 of them at a time.
static int sort_rows(void *context, uint64_t item, int worker)
{
    const struct scatter *scatter = context;
    struct symbol_rows rows = {.rows = SQUARES, .kept = UINT64_MAX};
    (void)worker;
    for (unsigned i = 0; i < SQUARES; i++) {
        rows.place[i] = (uint8_t)i;
        rows.code[i] = square_code[i];
    }
    for (int s = 0; s < scatter->streams; s++) {
        const struct section_target *target = scatter->stream[s].target;
        const uint64_t first = item * SORT_SYMBOLS;
        const uint64_t left = target->order->per_section - first;
        uint8_t *symbols = (uint8_t *)target->symbols + first;
        for (uint64_t done = 0; scatter->unsorted[s] && done < left && done < SORT_SYMBOLS;) {
            rows.rows = left - done < SQUARES * SQUARES ? (left - done) / SQUARES : SQUARES;
            scatter->kernels->put_rows(symbols + done, symbols + done, &rows);
            done += rows.rows * SQUARES;
        }
    }
    return 0;
}

static int scatter_king(struct scatter *scatter, const struct tile_source *source, unsigned king,
                        struct thread_pool *pool)
{
    const struct section_request *request = scatter->request;
    TRY(choose_rows(scatter));
    for (int s = 0; s < scatter->streams; s++) {
        if (!scatter->stream[s].in_rows)
            TRY(section_clear(scatter->stream[s].target, 1, pool));
    }
    // Two streams in rows with different last pieces take a walk each, if tiles then come together.
    for (; scatter->end < scatter->streams; scatter->first = scatter->end) {
        const struct stream_view *stream = &scatter->stream[scatter->end++];
        const int together = stream[0].in_rows ? stream[0].last : -1;
        if (scatter->end < scatter->streams &&
            (!source->together || (stream[0].in_rows == stream[1].in_rows && stream[0].last == stream[1].last)))
            scatter->end++;
        TRY(source->each_run(source->context, request->side, king, request->filter, together, pool, visit_run,
                             scatter));
    }
    if (scatter->unsorted[0] || scatter->unsorted[1]) {
        const uint64_t symbols = scatter->stream[0].target->order->per_section;
        TRY(threads_each(pool, (symbols + SORT_SYMBOLS - 1) / SORT_SYMBOLS, sort_rows, scatter));
    }
    for (int i = 0; request->counts != NULL && i < threads_count(pool); i++) {
        for (int outcome = 0; scatter->worker[i] != NULL && outcome < TABLE_OUTCOMES; outcome++)
            request->counts[outcome] += scatter->worker[i]->counts[outcome];
    }
    return 0;
}

static int fill_king(const struct tile_source *source, const struct section_request *request, unsigned king,
                     struct thread_pool *pool)
{
    const int threads = threads_count(pool);
    struct scatter *scatter;
    TRY(memory_new(&scatter, 1, sizeof *scatter, "writing a table"));
    scatter->kernels = symbol_kernels_choose(NULL);
    scatter->layout = source->layout;
    scatter->request = request;
    scatter->upper_pieces = source->layout->pieces - LOWER_PIECES;
    scatter->diagonal = square_on_diagonal(triangle_square[king]);
    scatter->plain = true;
    code_book_make(&scatter->book, source->value[request->side], request->first_free,
                   (enum metric)source->layout->material.metric, request->distance.lists);
    add_stream(scatter, &request->outcome);
    add_stream(scatter, &request->distance);
    int code = memory_new(&scatter->worker, (size_t)threads, sizeof *scatter->worker, "writing a table");
    THEN(code, scatter_king(scatter, source, king, pool));
    for (int i = 0; scatter->worker != NULL && i < threads; i++)
        free(scatter->worker[i]);
    for (int s = 0; s < scatter->streams; s++)
        free(scatter->stream[s].lane);
    free(scatter->worker);
    free(scatter);
    return code;
}

int king_sections_fill(const void *context, const struct section_request *request, uint64_t first, uint64_t count,
                       struct thread_pool *pool)
{
    struct section_request one = *request;
    struct section_target *const targets[STREAMS] = {&one.outcome, &one.distance};
    for (uint64_t i = 0; i < count; i++) {
        const unsigned king = (unsigned)(first + i);
        bool made;
        TRY(device_symbols(context, &one, king, pool, &made));
        if (!made)
            TRY(fill_king(context, &one, king, pool));
        for (int s = 0; s < STREAMS; s++) {
            if (targets[s]->order != NULL)
                targets[s]->symbols =
                    (uint8_t *)targets[s]->symbols + targets[s]->order->per_section * targets[s]->bytes;
        }
    }
    return 0;
}
