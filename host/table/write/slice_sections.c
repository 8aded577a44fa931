// slice_sections.c - solved slices in the order of a file, some sections at a time
//
// The order of the file divides the pieces: the "inner" ones are the innermost groups, two pieces as a rule, so that
// for each placement of the "outer" ones a slice has a block of consecutive entries. In every order the pieces are
// numbered from the outermost on. Work goes by the u digits of the outer pieces:
//
//     1. The tiles with these digits become symbols (word_symbols.h), which are put in the order [l digits of the outer
//        pieces] [codes of the inner ones]. The eight symbols in which only the last piece's l digit differs are
//        brought together first, by an exchange of digits in registers, and are put as one.
//     2. Now the symbols of each block lie together, in the order of codes. Rows of 64, in which only the last piece's
//        code differs, are brought into the order of squares, and go to their places in the block. (Where identical
//        pieces are inner ones there are no such rows: each symbol is put by a table that is made once for an order.)
//        The block goes to its entry, which is a sum of parts (index/order_map.h).
//
// Both steps stay within the cache. Scattering symbols over a whole slice takes five times as long, because its strides
// are powers of two. But where whole slices are wanted and there are rows, the tiles with the last piece's eight u
// digits are joined: they make whole rows, which are lines of the cache, and are written past it to their places in the
// slice without step 1.
//
// For example, take a board with one u digit and two l digits 0, 1, that is two squares, and the pieces A B C with the
// order "C B A". C is the outer piece, and B and A are the inner ones. A tile has the lanes ABC = 000, 001, 010, ...,
// 111. Exchanging A and C makes that CBA = 000, 001, 010, ... Step 1 puts the pairs 00x, 01x, 10x and 11x where their
// blocks, C on 0 and C on 1, have their codes of B and A. Step 2 replaces codes by squares.
#include "table/write/slice_sections.h"

#include "index/order_map.h"
#include "util/cloned.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    ITEM_ENTRIES = 1 << 18, // in one work item
    APART = 64,             // symbols between the blocks of step 1, which would otherwise share the same cache lines
    ROW_TILES = 8           // with all u digits of the last piece
};

// One wanted stream, and how its order sees a slab.
struct target {
    const struct section_target *out;
    const struct entry_order *order; // out->order
    bool distances;
    unsigned bytes;               // of a symbol
    int piece[LAYOUT_PIECES_MAX]; // numbers in the shape, outermost first
    struct order_map map;         // of the pieces in that order
    struct order_parts parts;     //
    int outer;                    // number of outer ones among them
    uint64_t block;               // entries of a block
    uint64_t lanes;               // 8^inner pieces
    uint64_t apart;               // symbols from one block of step 1 to the next
    int last_digit;               // the last piece's digit of a lane
    uint32_t *chunk_at;           // [lanes of a tile / 8] where step 1 puts each eight of them; `joined`: their outer
                                  // pieces' l digits, then the next piece's
    // [1]: for pawns that are their own mirror image.
    bool in_rows;
    bool joined; // in rows, without step 1
    struct symbol_rows rows[2];
    uint32_t *place[2]; // [lanes * lanes] otherwise: where step 2 puts symbols; `block` for none
    // Work items.
    uint64_t item_tiles; // u digits of the outer pieces in one work item
    uint64_t item_slices;
    uint64_t items;
};

struct scatter {
    const struct symbol_kernels *kernels;
    const struct slices_source *source;
    struct thread_pool *pool;
    const struct tile_filter *filter; // NULL: all u digits are wanted
    int pieces;
    uint64_t tiles;          // 8^pieces, each with 8^pieces lanes
    uint64_t slices;         // in this request
    uint32_t *slice;         // [slices] their numbers
    struct slice_view *view; // [slices]
    bool *both;              // [slices] the pawns are their own mirror image
    struct code_book *book;  // shared by the slices of one batch
    uint32_t *book_of;       // [slices]
    int targets;             //
    struct target target[2]; // outcomes come first
    _Atomic uint64_t counts[TABLE_OUTCOMES];
};

// ---- where symbols go ----

// Is this an entry that the order has, and the one that stands for all orders of identical pieces and, with pawns
// that are their own mirror image (`both`), for both images? Looks only at pieces first..last-1 of the order.
static bool is_kept(const struct target *target, int first, int last, const uint8_t *code, bool both)
{
    bool kept = true;
    for (int i = first; i < last; i++) {
        const int square = code_square[code[i]];
        const int before = target->map.before[i];
        kept &= before < first || square > code_square[code[before]];
        kept &= target->map.group[i] != target->order->thinned || !target->map.completes[i] ||
                (target->order->kept >> square & 1) != 0;
        kept &= !both || i != target->map.king[WHITE] || square_file(square) < 4;
    }
    return kept;
}

// Computes the codes of pieces first..last-1 from their u and l digits.
static void set_codes(uint8_t *code, int first, int last, uint64_t u, uint64_t l)
{
    for (int i = first; i < last; i++) {
        const int shift = 3 * (last - 1 - i);
        code[i] = (uint8_t)(8 * (u >> shift & 7) + (l >> shift & 7));
    }
}

static void divide_pieces(struct target *target, const struct slab_shape *shape)
{
    const struct entry_order *order = target->order;
    struct slab_shape sorted = {0};
    for (int g = 0; g < order->groups; g++) {
        for (int i = 0; i < shape->pieces; i++) {
            if (order->group[g].type != shape->type[i] || order->group[g].colour != shape->colour[i])
                continue;
            sorted.type[sorted.pieces] = shape->type[i];
            sorted.colour[sorted.pieces] = shape->colour[i];
            target->piece[sorted.pieces++] = i;
        }
    }
    order_map_init(&target->map, order, false, &sorted);
    order_parts_make(&target->parts, &target->map, 0, NULL);
    const int last = order->groups - 1;
    const bool two = order->group[last].count == 1 && order->group[last - 1].count == 1;
    target->outer = shape->pieces - (two ? 2 : order->group[last].count);
    target->block = order->group[last].size * (two ? order->group[last - 1].size : 1);
    target->lanes = UINT64_C(1) << 3 * (shape->pieces - target->outer);
    target->apart = target->lanes * target->lanes + APART;
    target->last_digit = shape->pieces - 1 - target->piece[shape->pieces - 1];
    target->in_rows = target->bytes == 1 && order->thinned < 0 && order->group[last].count == 1;
    target->joined = target->in_rows && target->out->slot == NULL;
}

// Where step 1 puts eight symbols that are adjacent after the exchange, which has put digit 0 of their lanes in place
// of the last piece's digit.
static uint64_t chunk_place(const struct target *target, int pieces, uint64_t chunk)
{
    uint64_t outer = 0;
    uint64_t inner = 0;
    for (int i = 0; i < pieces - 1; i++) {
        const int digit = pieces - 1 - target->piece[i];
        const uint64_t l = chunk >> 3 * ((digit == 0 ? target->last_digit : digit) - 1) & 7;
        if (i < target->outer)
            outer = outer << 3 | l;
        else
            inner = inner << 6 | l;
    }
    if (target->joined)
        return target->lanes == 8 ? outer : outer << 3 | inner;
    return outer * target->apart + (inner << 6);
}

// ---- the two steps ----

// The scratch memory of one work item.
struct scratch {
    void *tile;    // [lanes] symbols of a tile
    void *symbols; // [8^outer pieces * apart] between the two steps
    void *block;   // [block + 1]
    // In place of these, `joined`:
    uint64_t *start; // [8^outer pieces] first entries of blocks, or NO_PLACE
    uint8_t *tiles;  // [ROW_TILES * (lanes + APART)]
};

// Does step 1 for the symbols of a tile.
static void put_chunks(const struct scatter *scatter, const struct target *target, uint8_t *to, uint8_t *symbols)
{
    const uint64_t chunks = scatter->tiles / 8;
    if (target->bytes == 1) {
        scatter->kernels->exchange(symbols, scatter->tiles / 64, target->last_digit);
        for (uint64_t i = 0; i < chunks; i++)
            memcpy(to + target->chunk_at[i], symbols + 8 * i, 8);
        return;
    }
    const int shift = 3 * target->last_digit;
    for (uint64_t i = 0; i < chunks; i++) {
        uint64_t lane = 8 * i;
        if (shift > 0)
            lane = (lane & ~(UINT64_C(7) << shift)) | (lane >> shift & 7);
        for (uint64_t l = 0; l < 8; l++)
            memcpy(to + 2 * (target->chunk_at[i] + l), symbols + 2 * (lane | l << shift), 2);
    }
}

// For speed, `width` is a constant where this function is called.
static inline __attribute__((always_inline)) void put_block(void *to, const uint32_t *place, const void *symbols,
                                                            uint64_t count, unsigned width)
{
    for (uint64_t i = 0; i < count; i++) {
        if (width == 1)
            ((uint8_t *)to)[place[i]] = ((const uint8_t *)symbols)[i];
        else
            ((uint16_t *)to)[place[i]] = ((const uint16_t *)symbols)[i];
    }
}

// Does step 2 for all blocks of slice `s` with these u digits of the outer pieces.
static void place_blocks(const struct scatter *scatter, const struct target *target, uint64_t s, uint64_t outer_u,
                         const struct scratch *scratch)
{
    const struct section_target *out = target->out;
    const unsigned bytes = target->bytes;
    const bool both = scatter->both[s];
    uint8_t code[LAYOUT_PIECES_MAX] = {0};
    for (uint64_t l = 0; l < UINT64_C(1) << 3 * target->outer; l++) {
        set_codes(code, 0, target->outer, outer_u, l);
        if (!is_kept(target, 0, target->outer, code, false))
            continue;
        const uint8_t *symbols = (const uint8_t *)scratch->symbols + l * target->apart * bytes;
        const uint64_t count = target->lanes * target->lanes;
        const uint64_t first =
            s * target->order->per_slice + order_sum(&target->map, &target->parts, 0, target->outer, code);
        const bool kept = is_kept(target, 0, target->outer, code, both);
        if (!kept || !target->in_rows)
            memset(scratch->block, 0xff, target->block * bytes);
        if (!kept) {
            // The other image is kept.
        } else if (target->in_rows) {
            scatter->kernels->put_rows(scratch->block, symbols, &target->rows[both]);
        } else if (bytes == 1) {
            put_block(scratch->block, target->place[both], symbols, count, 1);
        } else {
            put_block(scratch->block, target->place[both], symbols, count, 2);
        }
        // Copy the block to the places of its entries.
        for (uint64_t done = 0, run; done < target->block; done += run) {
            run = target->block - done;
            if (out->slot != NULL) {
                const uint64_t size = UINT64_C(1) << out->block_bits;
                const uint64_t left = size - ((first + done) & (size - 1));
                run = run < left ? run : left;
            }
            const uint64_t place = section_place(out, first + done);
            if (place != NO_PLACE)
                memcpy((uint8_t *)out->symbols + place * bytes, (uint8_t *)scratch->block + done * bytes, run * bytes);
        }
    }
}

// Finds the blocks of slice `s` with these u digits of the outer pieces. Those of which the other image is kept become
// don't-cares.
static void find_blocks(const struct scatter *scatter, const struct target *target, uint64_t s, uint64_t outer_u,
                        uint64_t *start)
{
    uint8_t code[LAYOUT_PIECES_MAX] = {0};
    for (uint64_t l = 0; l < UINT64_C(1) << 3 * target->outer; l++) {
        set_codes(code, 0, target->outer, outer_u, l);
        start[l] = NO_PLACE;
        if (!is_kept(target, 0, target->outer, code, false))
            continue;
        const uint64_t first =
            s * target->order->per_slice + order_sum(&target->map, &target->parts, 0, target->outer, code);
        if (is_kept(target, 0, target->outer, code, scatter->both[s]))
            start[l] = first;
        else
            memset((uint8_t *)target->out->symbols + first, 0xff, target->block);
    }
}

// Puts the rows of ROW_TILES tiles of a slice. Their symbols have been exchanged; `u` is the digit of the piece before
// the last one, if it is an inner one.
static void put_joined(const struct scatter *scatter, const struct target *target, const struct symbol_rows *rows,
                       uint64_t u, const struct scratch *scratch)
{
    const uint64_t chunks = scatter->tiles / 8;
    uint8_t *to = target->out->symbols;
    for (uint64_t first = 0; first < chunks; first += SQUARES) {
        const size_t count = chunks - first < SQUARES ? chunks - first : SQUARES;
        uint64_t place[SQUARES];
        for (size_t i = 0; i < count; i++) {
            const uint32_t digits = target->chunk_at[first + i];
            const uint64_t code = target->lanes == 8 ? 0 : 8 * u + digits % 8;
            const uint64_t start = scratch->start[target->lanes == 8 ? digits : digits / 8];
            place[i] = start == NO_PLACE ? NO_PLACE : start + (uint64_t)SQUARES * rows->place[code];
            if (place[i] == NO_PLACE || rows->kept >> code & 1)
                continue;
            memset(to + place[i], 0xff, SQUARES);
            place[i] = NO_PLACE;
        }
        scatter->kernels->join_rows(to, place, count, scratch->tiles + 8 * first, scatter->tiles + APART, rows->free);
    }
}

// If blocks of a section have slots, some tiles are looked at more than once. They are counted when the block of one
// certain entry has a slot: the entry with the l digits 0, 1, 2, ..., in which no outer men share a square, and the
// first place of the inner men.
static bool is_counted(const struct target *target, uint64_t s, uint64_t outer_u)
{
    uint8_t code[LAYOUT_PIECES_MAX] = {0};
    for (int i = 0; i < target->outer; i++)
        code[i] = (uint8_t)(8 * (outer_u >> 3 * (target->outer - 1 - i) & 7) + (uint64_t)i);
    const uint64_t entry =
        s * target->order->per_slice + order_sum(&target->map, &target->parts, 0, target->outer, code);
    return section_place(target->out, entry) != NO_PLACE;
}

// Does both steps for the tiles of slice `s` with these u digits of the outer pieces.
static void scatter_tiles(const struct scatter *scatter, const struct target *target, uint64_t s, uint64_t outer_u,
                          const struct scratch *scratch, uint64_t *counts)
{
    const int pieces = scatter->pieces;
    const struct slice_side *planes = &scatter->view[s].planes;
    const struct code_book *book = &scatter->book[scatter->book_of[s]];
    const uint64_t words = scatter->tiles / 64;
    uint64_t elsewhere[TABLE_OUTCOMES] = {0};
    for (int i = 0; i < target->outer && scatter->filter != NULL; i++) {
        const unsigned u = outer_u >> 3 * (target->outer - 1 - i) & 7;
        if (!(scatter->filter->u[target->piece[i]] >> u & 1))
            return;
    }
    if (!is_counted(target, s, outer_u))
        counts = elsewhere;
    if (target->joined)
        find_blocks(scatter, target, s, outer_u, scratch->start);
    for (uint64_t inner = 0; inner < target->lanes; inner++) {
        const uint64_t u = outer_u * target->lanes + inner;
        uint64_t tile = 0;
        for (int i = 0; i < pieces; i++)
            tile |= (u >> 3 * (pieces - 1 - i) & 7) << 3 * (pieces - 1 - target->piece[i]);
        uint8_t *symbols = scratch->tile;
        if (target->joined)
            symbols = scratch->tiles + inner % ROW_TILES * (scatter->tiles + APART);
        if (target->distances)
            word_distances(scatter->kernels, planes, book, tile * words, words, target->bytes, symbols);
        else
            word_outcomes(scatter->kernels, planes, book, tile * words, words, symbols, counts);
        if (!target->joined) {
            uint64_t place = 0; // of the inner pieces' u digits
            for (int i = target->outer; i < pieces; i++)
                place = place << 6 | (inner >> 3 * (pieces - 1 - i) & 7) << 3;
            put_chunks(scatter, target, (uint8_t *)scratch->symbols + place * target->bytes, symbols);
            continue;
        }
        scatter->kernels->exchange(symbols, words, target->last_digit);
        if (inner % ROW_TILES == ROW_TILES - 1)
            put_joined(scatter, target, &target->rows[scatter->both[s]], inner / ROW_TILES, scratch);
    }
    if (!target->joined)
        place_blocks(scatter, target, s, outer_u, scratch);
}

// ---- work items ----

// An item's number consists of the target, the run of slices and the run of u digits.
static CLONED int scatter_item(void *context, uint64_t item, int worker)
{
    (void)worker;
    struct scatter *scatter = context;
    const bool second = item >= scatter->target[0].items;
    const struct target *target = &scatter->target[second];
    const uint64_t number = second ? item - scatter->target[0].items : item;
    const uint64_t outer = UINT64_C(1) << 3 * target->outer;
    const uint64_t runs = outer / target->item_tiles;
    const uint64_t first = number / runs * target->item_slices;
    const uint64_t end = first + target->item_slices;
    const uint64_t last = end < scatter->slices ? end : scatter->slices;
    uint64_t counts[2][TABLE_OUTCOMES] = {{0}}; // for slices with a mirror image, and for others
    const size_t tile = scatter->tiles * target->bytes;
    const size_t between = outer * target->apart * target->bytes;
    const size_t starts = outer * sizeof(uint64_t);
    const size_t bytes =
        target->joined ? starts + ROW_TILES * (tile + APART) : tile + between + (target->block + 1) * target->bytes;
    struct memory_pool *memory = threads_memory(scatter->pool);
    uint8_t *taken = memory_take(memory, bytes, NULL);
    const struct scratch scratch = {taken, taken + tile, taken + tile + between, (uint64_t *)(void *)taken,
                                    taken + starts};
    const bool good = taken != NULL;
    for (uint64_t s = first; good && s < last; s++) {
        for (uint64_t i = 0; i < target->item_tiles; i++)
            scatter_tiles(scatter, target, s, number % runs * target->item_tiles + i, &scratch,
                          counts[scatter->both[s]]);
    }
    for (int i = 0; i < TABLE_OUTCOMES; i++)
        atomic_fetch_add(&scatter->counts[i], 2 * counts[0][i] + counts[1][i]);
    memory_give(memory, taken, bytes);
    return good ? 0 : error_memory(bytes, "writing a table");
}

// ---- a request ----

// Prepares step 2 by rows.
static void set_rows(struct target *target, int pieces)
{
    const int last = pieces - 1;
    for (int both = 0; both < 2; both++) {
        struct symbol_rows *rows = &target->rows[both];
        uint8_t code[LAYOUT_PIECES_MAX] = {0};
        rows->rows = target->lanes == 8 ? 1 : SQUARES;
        for (unsigned i = 0; i < SQUARES; i++) {
            code[last] = (uint8_t)i;
            rows->code[code_square[i]] = (uint8_t)i;
            rows->free[code_square[i]] = is_kept(target, last, pieces, code, both) ? 0 : 0xff;
        }
        for (unsigned i = 0; i < rows->rows && rows->rows > 1; i++) {
            code[last - 1] = (uint8_t)i;
            rows->place[i] = code_square[i];
            rows->kept |= (uint64_t)is_kept(target, last - 1, last, code, both) << i;
        }
        rows->kept |= rows->rows == 1;
    }
}

// Prepares step 2 by symbols.
static int set_places(struct target *target, int pieces)
{
    const uint64_t places = target->lanes * target->lanes;
    for (int both = 0; both < 2; both++) {
        uint32_t *place;
        TRY(memory_new(&place, places, sizeof *place, "writing a table"));
        target->place[both] = place;
        for (uint64_t i = 0; i < places; i++) {
            uint8_t code[LAYOUT_PIECES_MAX] = {0};
            for (int j = target->outer; j < pieces; j++)
                code[j] = i >> 6 * (pieces - 1 - j) & (SQUARES - 1);
            const bool kept = is_kept(target, target->outer, pieces, code, both);
            const uint64_t part = order_sum(&target->map, &target->parts, target->outer, pieces, code);
            place[i] = (uint32_t)(kept ? part : target->block);
        }
    }
    return 0;
}

static int add_target(struct scatter *scatter, const struct section_target *out, bool distances)
{
    if (out->order == NULL)
        return 0;
    struct target *target = &scatter->target[scatter->targets++];
    *target = (struct target){.out = out, .order = out->order, .distances = distances, .bytes = out->bytes};
    divide_pieces(target, scatter->source->shape);
    const int pieces = scatter->pieces;
    const uint64_t chunks = scatter->tiles / 8;
    TRY(memory_new(&target->chunk_at, chunks, sizeof *target->chunk_at, "writing a table"));
    for (uint64_t i = 0; i < chunks; i++)
        target->chunk_at[i] = (uint32_t)chunk_place(target, pieces, i);
    if (target->in_rows)
        set_rows(target, pieces);
    else
        TRY(set_places(target, pieces));
    const uint64_t outer = UINT64_C(1) << 3 * target->outer;
    const uint64_t entries = target->lanes * scatter->tiles; // for each u of the outer pieces
    uint64_t runs = 1;
    while (8 * runs * entries <= ITEM_ENTRIES)
        runs *= 8;
    target->item_tiles = runs < outer ? runs : outer;
    target->item_slices = runs / target->item_tiles;
    target->items = (scatter->slices + target->item_slices - 1) / target->item_slices * (outer / target->item_tiles);
    return 0;
}

// Makes the arrays of a request and fills its sections, `whole`: all of which have all their slices.
static int fill(struct scatter *scatter, const struct section_request *request, uint64_t first, uint64_t count,
                bool whole)
{
    const struct slices_source *source = scatter->source;
    const size_t slices = scatter->slices;
    TRY(memory_new(&scatter->slice, slices, sizeof *scatter->slice, "writing a table"));
    TRY(memory_new(&scatter->view, slices, sizeof *scatter->view, "writing a table"));
    TRY(memory_new(&scatter->both, slices, sizeof *scatter->both, "writing a table"));
    TRY(memory_new(&scatter->book, slices, sizeof *scatter->book, "writing a table"));
    TRY(memory_new(&scatter->book_of, slices, sizeof *scatter->book_of, "writing a table"));
    for (uint64_t s = 0; s < slices; s++) {
        bool mirror;
        scatter->slice[s] = (uint32_t)(first + s);
        pawn_slices_find(source->slices, source->slices->square[first + s], &mirror, &scatter->both[s]);
    }
    TRY(add_target(scatter, &request->outcome, false));
    TRY(add_target(scatter, &request->distance, true));
    TRY(source->load(source->context, request->side, scatter->slice, slices, scatter->view));
    // Make a code book for each meaning of codes; the slices of one batch share it.
    for (uint32_t s = 0, books = 0; s < slices; s++) {
        uint32_t book = 0;
        while (book < books && scatter->book[book].value != scatter->view[s].value)
            book++;
        if (book == books)
            code_book_make(&scatter->book[books++], scatter->view[s].value, request->first_free,
                           (enum metric)source->material.metric, request->distance.lists);
        scatter->book_of[s] = book;
    }
    // Step 2 writes neither entries after the last slice nor those between blocks that have slots.
    if (!whole || request->outcome.slot != NULL)
        TRY(section_clear(&request->outcome, count, scatter->pool));
    if (!whole || request->distance.slot != NULL)
        TRY(section_clear(&request->distance, count, scatter->pool));
    TRY(threads_each(scatter->pool, scatter->target[0].items + scatter->target[1].items, scatter_item, scatter));
    for (int i = 0; request->counts != NULL && i < TABLE_OUTCOMES; i++)
        request->counts[i] += atomic_load(&scatter->counts[i]);
    return 0;
}

int slice_sections_fill(const void *context, const struct section_request *request, uint64_t first, uint64_t count,
                        struct thread_pool *pool)
{
    const struct slices_source *source = context;
    const struct entry_order *order = request->outcome.order != NULL ? request->outcome.order : request->distance.order;
    const uint64_t left = source->slices->slices - first * order->slices_per_section;
    const bool whole = count * order->slices_per_section <= left;
    struct scatter *scatter;
    if (source->shape->pieces < 2)
        return error_set(CLTB_E_USAGE, "slices without two kings");
    TRY(memory_new(&scatter, 1, sizeof *scatter, "writing a table"));
    scatter->kernels = symbol_kernels_choose(NULL);
    scatter->source = source;
    scatter->pool = pool;
    scatter->filter = request->filter;
    scatter->pieces = source->shape->pieces;
    scatter->tiles = UINT64_C(1) << 3 * scatter->pieces;
    scatter->slices = whole ? count * order->slices_per_section : left;
    const int code = fill(scatter, request, first * order->slices_per_section, count, whole);
    for (int i = 0; i < scatter->targets; i++) {
        free(scatter->target[i].chunk_at);
        free(scatter->target[i].place[0]);
        free(scatter->target[i].place[1]);
    }
    free(scatter->slice);
    free(scatter->view);
    free(scatter->both);
    free(scatter->book);
    free(scatter->book_of);
    free(scatter);
    return code;
}
