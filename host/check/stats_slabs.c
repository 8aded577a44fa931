// stats_slabs.c - counts all positions of a material from slabs
//
// Probing works out one position at a time and spends most of that on finding its way. Here a material consists of
// parts: with pawns the slices, without pawns the ten squares of one king in the triangle. The other men of a part are
// free. Side A is a side whose distances are stored, side B one whose distances are not.
//
// 1. The outcomes of a part are bit planes of 64^n entries in the order [u digits] [l digits] (layout.h), completed by
//    captures as the solver does it: with pawns two slabs (solve/slabs.h), without pawns what a futurebase
//    (solve/futurebase.h) has at one square of the king.
// 2. For side A every entry gets a rank, which orders all values. The stored distance is found by order_map.h. Where
//    wins in 1 have none, mates in one are marked first, backwards from the mates, and pawn moves are looked at.
// 3. For side B every entry gets the least rank that a quiet move leads to, by running minimums along the lines of each
//    of its men, 64 squares of a man of A at a time (stats_replies.c).
// 4. Every entry is counted (stats_rows.h). Draws are counted by words. The least rank gives the distance of a win or
//    loss of B. Pawn moves matter only for wins: they lead to further slabs.
//
// Without pawns A's king stands in the triangle, so no move of B leaves the part.
#include "check/stats_slabs.h"

#include "check/stats_rows.h"
#include "chess/attacks.h"
#include "futurebase/futurebases.h"
#include "futurebase/stored_slabs.h"
#include "probe/tables.h"
#include "solve/slabs.h"
#include "solve/slices.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_ENTRIES = 1 << 25, // of parts counted together
    SLABS_BYTES = 256 << 20  // of slabs kept for later batches
};

// ---- parts ----

static int work(void *context, uint64_t item, int worker)
{
    enum { ROWS_PER_ITEM = 64 };
    const struct stats_parts *count = context;
    const size_t part = item / count->items;
    if (count->task != STATS_REPLIES)
        return stats_rows(count, part, item % count->items * ROWS_PER_ITEM, ROWS_PER_ITEM, worker);
    stats_replies(count, part, item % count->items);
    return 0;
}

static int add_push(struct stats_parts *count, struct stats_part *part, int fixed, int to, int over, bool probe)
{
    const int side = count->shape.fixed_colour[fixed];
    struct pawn_push *push = &part->push[part->pushes++];
    *push =
        (struct pawn_push){.pawn = count->free + fixed, .to = to, .path = square_bit(to), .probe = probe, .moves = 1};
    part->probes[side] |= probe;
    if (over != NO_SQUARE)
        push->path |= square_bit(over);
    if (square_rank(to) == 0 || square_rank(to) == 7)
        push->moves = PROMOTIONS;
    for (int i = 0; i < push->moves && !probe; i++) {
        struct slab_shape shape = count->shape;
        uint8_t square[FIXED_MAX];
        memcpy(square, part->fixed, sizeof square);
        square[fixed] = (uint8_t)to;
        shape.fixed_type[fixed] = push->moves > 1 ? (uint8_t)(QUEEN + i) : PAWN;
        TRY(slabs_want(count->slabs, &shape, square, side ^ 1, &push->slab[i]));
    }
    return 0;
}

// Lists the pawn moves of a side that are not captures.
static int list_pushes(struct stats_parts *count, struct stats_part *part, int side)
{
    const struct slab_shape *shape = &count->shape;
    const int forward = side == WHITE ? 8 : -8;
    uint64_t pawns[COLOURS] = {0, 0};
    for (int i = 0; i < shape->fixed; i++)
        pawns[shape->fixed_colour[i]] |= square_bit(part->fixed[i]);
    for (int i = 0; i < shape->fixed; i++) {
        const int one = part->fixed[i] + forward;
        const int two = one + forward;
        if (shape->fixed_colour[i] != side || ((pawns[WHITE] | pawns[BLACK]) & square_bit(one)))
            continue;
        TRY(add_push(count, part, i, one, NO_SQUARE, false));
        if (square_rank(part->fixed[i]) == (side == WHITE ? 1 : 6) &&
            !((pawns[WHITE] | pawns[BLACK]) & square_bit(two)))
            TRY(add_push(count, part, i, two, one, (pawn_attacks(side, one) & pawns[side ^ 1]) != 0));
    }
    return 0;
}

static int open_slice(struct stats_parts *count, struct stats_part *part, uint64_t number)
{
    const struct table_info *info = table_info(count->table);
    bool mirror;
    memcpy(part->fixed, count->slices->square[number], PAWNS_MAX);
    pawn_slices_find(count->slices, part->fixed, &mirror, &part->both);
    for (int side = WHITE; side <= BLACK; side++) {
        const uint64_t *positions = info->positions[side];
        TRY(slabs_want(count->slabs, &count->shape, part->fixed, side, &part->slab[side]));
        if (count->stored[side])
            part->first = number * count->map[side].order->per_slice;
        if ((count->stored[side] ? info->material.metric == METRIC_DTZ : count->replies[side]) &&
            positions[CLTB_WIN + 2] + positions[CLTB_CURSED_WIN + 2] > 0)
            TRY(list_pushes(count, part, side));
    }
    return 0;
}

static void open_king_square(const struct stats_parts *count, struct stats_part *part, uint64_t number)
{
    const size_t at = number * (count->entries / 64);
    const struct futurebase *base = &count->base;
    part->fixed[0] = triangle_square[number];
    for (int side = WHITE; side <= BLACK; side++) {
        const int from = side ^ count->flip;
        const uint64_t **plane = part->plane[side];
        plane[SLAB_ILLEGAL] = base->illegal[from] + at;
        plane[SLAB_BY_CAPTURE] = base->by_capture[from] + at;
        plane[SLAB_WON] = base->won[from] + at;
        plane[SLAB_LOST] = base->lost[from] + at;
        plane[SLAB_WON_EVER] = base->won_ever[from] != NULL ? base->won_ever[from] + at : plane[SLAB_WON];
        plane[SLAB_LOST_EVER] = base->lost_ever[from] != NULL ? base->lost_ever[from] + at : plane[SLAB_LOST];
    }
}

// ---- stored distances ----

struct plies_read {
    const struct stats_parts *count;
    int side;
    uint64_t first; // the first section
};

static int read_plies(void *context, uint64_t item, int worker)
{
    const struct plies_read *read = context;
    (void)worker;
    return table_distances(read->count->table, read->side, read->first + item,
                           read->count->plies[read->side] + item * read->count->map[read->side].order->per_section);
}

// Reads the sections with the parts. Without pawns these are all sections, because A's king may be any man of the file.
static int load_plies(struct stats_parts *count, int side, uint64_t part)
{
    const struct entry_order *order = count->map[side].order;
    const bool all = count->slices == NULL;
    const uint64_t first = all ? 0 : part * order->per_slice / order->per_section;
    const uint64_t end =
        all ? order->sections : ((part + count->parts) * order->per_slice - 1) / order->per_section + 1;
    const size_t bytes = (end - first) * order->per_section * sizeof(uint16_t);
    struct plies_read read = {count, side, first};
    if (all && count->plies[side] != NULL)
        return 0;
    if (bytes > count->plies_room[side]) {
        memory_unmap(count->plies[side], count->plies_room[side]);
        count->plies_room[side] = 0;
        count->plies[side] = memory_map(bytes);
        if (count->plies[side] == NULL)
            return error_memory(bytes, "the distances of a table");
        count->plies_room[side] = bytes;
    }
    count->plies_first[side] = first * order->per_section;
    return threads_each(count->pool, end - first, read_plies, &read);
}

// ---- batches of parts ----

static int run(struct stats_parts *count, enum stats_task task)
{
    count->task = task;
    return threads_each(count->pool, count->parts * count->items, work, count);
}

static int rank_side(struct stats_parts *count, int side, uint64_t first)
{
    count->ranked = side;
    TRY(load_plies(count, side, first));
    if (table_info(count->table)->material.metric == METRIC_DTZ) {
        for (size_t i = 0; i < count->parts; i++)
            memset(count->part[i].rank[side], 0, count->entries * sizeof(int16_t));
        TRY(run(count, STATS_MATES));
    }
    return run(count, STATS_RANKS);
}

static int find_replies(struct stats_parts *count, int side)
{
    count->ranked = side;
    for (size_t i = 0; i < count->parts; i++)
        stats_replies_clear(count, i);
    for (count->mover = 0; count->mover < count->free; count->mover++)
        if (count->man[count->mover].colour == side)
            TRY(run(count, STATS_REPLIES));
    return 0;
}

// Counts parts first..first+count->parts-1. `rank` has room for the ranks of both sides.
static int count_batch(struct stats_parts *count, uint64_t first, int16_t *rank)
{
    for (int i = 0; i < threads_count(count->pool); i++)
        count->seat[i].part = NULL;
    for (size_t i = 0; i < count->parts; i++) {
        struct stats_part *part = &count->part[i];
        *part = (struct stats_part){.pushes = 0};
        for (int side = WHITE; side <= BLACK; side++) {
            part->rank[side] = rank;
            rank += count->stored[side] || count->replies[side] ? count->entries : 0;
        }
        if (count->slices != NULL)
            TRY(open_slice(count, part, first + i));
        else
            open_king_square(count, part, first + i);
    }
    if (count->slices != NULL) {
        TRY(slabs_make(count->slabs));
        for (size_t i = 0; i < count->parts; i++) {
            for (int side = WHITE; side <= BLACK; side++)
                slab_planes(count->part[i].slab[side], count->part[i].plane[side]);
        }
    }
    for (int side = WHITE; side <= BLACK; side++)
        if (count->stored[side])
            TRY(rank_side(count, side, first));
    for (int side = WHITE; side <= BLACK; side++)
        if (count->replies[side])
            TRY(find_replies(count, side));
    TRY(run(count, STATS_COUNT));
    if (count->slices != NULL)
        slabs_trim(count->slabs, SLABS_BYTES);
    return 0;
}

static int count_batches(struct stats_parts *count, uint64_t parts)
{
    const uint64_t most = BATCH_ENTRIES / count->entries > 0 ? BATCH_ENTRIES / count->entries : 1;
    const uint64_t each = most < parts ? most : parts;
    size_t bytes = 0;
    for (int side = WHITE; side <= BLACK; side++)
        bytes += count->stored[side] || count->replies[side] ? each * count->entries * sizeof(int16_t) : 0;
    int16_t *rank = memory_map(bytes);
    count->part = calloc(each, sizeof *count->part);
    int code = rank == NULL || count->part == NULL ? error_memory(bytes, "the values of all positions") : 0;
    for (uint64_t first = 0; first < parts && code == 0; first += each) {
        count->parts = parts - first < each ? parts - first : each;
        code = count_batch(count, first, rank);
    }
    free(count->part);
    memory_unmap(rank, bytes);
    return code;
}

// ---- all parts ----

// Moves a man of side A behind the other pieces: the one whose squares are closest to each other in the file, but a
// king only if there is no other man. (If both sides are stored, the choice does not matter.)
static void move_last(const struct stats_parts *count, int pieces, uint8_t *type, uint8_t *colour, int flip)
{
    const int side = count->stored[WHITE] ? WHITE : BLACK;
    const struct entry_order *order = table_order(count->table, TABLE_DISTANCE, side);
    int chosen = -1;
    uint64_t least = 0;
    for (int i = 0; i < pieces; i++) {
        if (type[i] == BLANK || (colour[i] ^ flip) != side)
            continue;
        uint64_t stride = UINT64_MAX;
        for (int g = 0; g < order->groups && type[i] != KING; g++)
            if (order->group[g].type == type[i] && order->group[g].colour == side)
                stride = order->group[g].stride;
        if (chosen < 0 || stride <= least) {
            chosen = i;
            least = stride;
        }
    }
    for (int i = chosen; i >= 0 && i + 1 < pieces; i++) {
        const uint8_t next_type = type[i + 1];
        const uint8_t next_colour = colour[i + 1];
        type[i + 1] = type[i];
        colour[i + 1] = colour[i];
        type[i] = next_type;
        colour[i] = next_colour;
    }
}

// Sets the shape of all parts, and what follows from it. `layout`: only without pawns.
static void set_shape(struct stats_parts *count, const struct material *material, const struct layout *layout)
{
    struct slab_shape *shape = &count->shape;
    if (layout == NULL) {
        slices_shape(material, shape);
        move_last(count, shape->pieces, shape->type, shape->colour, 0);
    } else {
        shape->pieces = layout->pieces;
        memcpy(shape->type, layout->type, sizeof shape->type);
        for (int i = 0; i < layout->pieces; i++) {
            shape->colour[i] = layout->colour[i] ^ (uint8_t)count->flip;
            count->blanks += layout->type[i] == BLANK;
        }
        shape->fixed = 1;
        shape->fixed_type[0] = KING;
        shape->fixed_colour[0] = BLACK ^ (uint8_t)count->flip;
    }
    count->free = shape->pieces - count->blanks;
    count->entries = UINT64_C(1) << 6 * shape->pieces;
    count->items = UINT64_C(1) << 6 * (count->free - 2); // at least two men are free
    for (int i = 0; i < count->free; i++)
        count->step[i] = UINT64_C(1) << 6 * (count->free - 1 - i);
    for (int i = 0; i < count->men->count; i++) {
        const int piece = count->blanks + i;
        const int fixed = i - count->free;
        count->man[i] = i < count->free ? (struct man){shape->type[piece], shape->colour[piece], 0}
                                        : (struct man){shape->fixed_type[fixed], shape->fixed_colour[fixed], 0};
        count->like[i] = -1;
        for (int j = 0; j < i; j++) {
            if (count->man[j].type == count->man[i].type && count->man[j].colour == count->man[i].colour)
                count->like[i] = j;
        }
        if (count->man[i].type == KING)
            count->king[count->man[i].colour] = i;
        const int l_shift = 3 * (shape->pieces - 1 - piece);
        for (unsigned code = 0; code < SQUARES && i < count->free; code++)
            count->add[i][code] = (uint64_t)(code >> 3) << (l_shift + 3 * shape->pieces) | (code & 7) << l_shift;
    }
    bool taken[MATERIAL_MEN_MAX] = {false};
    for (int i = 0; i < count->men->count; i++) {
        const struct man *man = &count->men->man[i];
        int k = 0;
        while (taken[k] || count->man[k].type != man->type || count->man[k].colour != man->colour)
            k++;
        taken[k] = true;
        count->from[i] = (uint8_t)k;
    }
    for (int code = 0; code < SQUARES; code++) {
        count->diagonal |= square_on_diagonal(code_square[code]) ? UINT64_C(1) << code : 0;
        for (int square = 0; square < code_square[code]; square++)
            count->above[square] |= UINT64_C(1) << code;
    }
}

static int open_seats(struct stats_parts *count)
{
    const struct slab_shape *shape = &count->shape;
    const size_t threads = (size_t)threads_count(count->pool);
    for (int side = WHITE; side <= BLACK; side++) {
        if (count->stored[side])
            order_map_init(&count->map[side], table_order(count->table, TABLE_DISTANCE, side), false, shape);
    }
    TRY(memory_new(&count->seat, threads, sizeof *count->seat, "threads"));
    for (size_t i = 0; i < threads * SYMMETRIES; i++) {
        struct order_parts **parts = &count->seat[i / SYMMETRIES].parts[i % SYMMETRIES];
        TRY(memory_new(parts, 1, sizeof **parts, "threads"));
    }
    return 0;
}

static int count_slices(struct stats_parts *count, const struct material *material)
{
    struct stored_slabs stored = {.folders = tables_folders(count->tables), .pool = count->pool};
    const struct slab_source source = stored_slabs_source(&stored);
    struct paged *paged = NULL;
    TRY(pawn_slices_open(&count->slices, material->count[WHITE][PAWN], material->count[BLACK][PAWN]));
    set_shape(count, material, NULL);
    int code = open_seats(count);
    if (code == 0)
        code = paged_open(&paged, threads_memory(count->pool), 0, NULL);
    if (code == 0)
        code = slabs_open(&count->slabs, &source, paged, count->pool, NULL);
    if (code == 0) {
        count->slabs->by_capture = true;
        code = count_batches(count, count->slices->slices);
    }
    slabs_close(count->slabs);
    paged_close(paged);
    stored_slabs_close(&stored);
    pawn_slices_close(count->slices);
    return code;
}

static int count_king_squares(struct stats_parts *count, const struct material *material)
{
    struct stored_tables stored = {.folders = tables_folders(count->tables), .pool = count->pool};
    const struct futurebase_source source = stored_source(&stored);
    struct material seen = *material;
    struct layout layout;
    count->flip = count->stored[BLACK] ? 0 : 1; // the layout has the black king in the triangle
    if (count->flip) {
        memcpy(seen.count[WHITE], material->count[BLACK], sizeof seen.count[WHITE]);
        memcpy(seen.count[BLACK], material->count[WHITE], sizeof seen.count[BLACK]);
    }
    TRY(layout_init(&layout, &seen, 0));
    const int blanks = layout.type[0] == BLANK;
    struct layout other = layout;
    move_last(count, layout.pieces, other.type, other.colour, count->flip);
    TRY(layout_init_pieces(&layout, layout.pieces - blanks, other.type + blanks, other.colour + blanks));
    layout.material.metric = material->metric;
    set_shape(count, material, &layout);
    int code = open_seats(count);
    for (int side = WHITE; side <= BLACK && code == 0; side++) {
        const size_t words = layout_bits(&layout) / 64;
        code = memory_new(&count->base.illegal[side], words, sizeof(uint64_t), "a futurebase");
        if (code == 0)
            code = memory_new(&count->base.by_capture[side], words, sizeof(uint64_t), "a futurebase");
    }
    if (code == 0)
        code = source.load(source.context, &layout, &count->base);
    if (code == 0)
        code = count_batches(count, TRIANGLE_SQUARES);
    futurebase_free(&count->base);
    return code;
}

bool stats_slabs_fit(const struct material *material)
{
    const int pawns = material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
    const int fixed = pawns > 0 ? pawns : 1;
    return pawns <= PAWNS_MAX && material_men(material) - fixed <= STATS_FREE_MAX;
}

int stats_by_slabs(cltb_tables *tables, const struct material *material, const struct tally_men *men,
                   struct tally *tally, struct thread_pool *pool)
{
    struct stats_parts *count;
    TRY(memory_new(&count, 1, sizeof *count, "statistics"));
    *count = (struct stats_parts){.tables = tables, .men = men, .tally = tally, .pool = pool};
    int code = tables_find_table(tables, material, &count->table);
    if (code == 0) {
        memcpy(count->stored, table_info(count->table)->distance, sizeof count->stored);
        for (int side = WHITE; side <= BLACK; side++)
            count->replies[side] = !count->stored[side] && !men->paired;
        code = men->pawns > 0 ? count_slices(count, material) : count_king_squares(count, material);
    }
    for (int i = 0; count->seat != NULL && i < threads_count(pool) * SYMMETRIES; i++)
        free(count->seat[i / SYMMETRIES].parts[i % SYMMETRIES]);
    free(count->seat);
    for (int side = WHITE; side <= BLACK; side++)
        memory_unmap(count->plies[side], count->plies_room[side]);
    free(count);
    return code;
}
