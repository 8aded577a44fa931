// stats_grid.c - counts all positions of a material by grids
//
// A material is a number of parts: without pawns the ten squares of one king in the triangle, with pawns the slices. The
// men of a part that are not named there are free. For each part
//
//     1. both sides' outcomes come as grids (grid.h),
//     2. where distances are stored (side A) every placement gets a rank, which orders all values,
//     3. every placement is counted. For side B, whose distances are not stored, the least rank that a quiet move leads
//        to gives the distance. Pawn moves matter only for wins: they lead to further grids.
//
// Without pawns it is A's king that stands in the triangle, so no move of B leaves the part.
//
// The work is shared out within a part where these are large, else part by part, each thread with a store of its own.
#include "check/stats_grid.h"

#include "check/grid.h"
#include "check/stats_value.h"
#include "check/stored.h"
#include "chess/attacks.h"
#include "chess/fen.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    MEN = MATERIAL_MEN_MAX,
    PROMOTIONS = 4,
    LARGE_FREE = 4,         // free men of parts that are shared out
    LARGE_BYTES = 1 << 29,  // kept of grids then: a part takes a few of 16 MiB
    SMALL_BYTES = 64 << 20, // kept by each thread of parts with up to 3 free men
    NOT_LEGAL = CLTB_WIN + 1
};

// Better values of the side to move have higher ranks: losses their distance, wins this number less theirs.
enum { RANK_DRAW = 2000, RANK_WIN = 4000, RANK_NONE = 0xffff };

_Static_assert((int)TABLE_PLY_MAX<(int)RANK_DRAW && RANK_WIN - (int)TABLE_PLY_MAX>(int) RANK_DRAW,
               "ranks do not overlap");

struct work {
    cltb_tables *tables;
    const struct material *material;
    const struct tally_men *men;
    struct tally *tally; // [workers]
    struct thread_pool *pool;
    const struct pawn_slices *slices; // NULL: no pawns
    bool stored[COLOURS];             // distances, by side to move
    int fixed_king;                   // without pawns: whose
    uint64_t parts;
    struct worker *worker; // [workers], where parts are shared out
};

// What one thread needs for parts, or all of them together for one part.
struct worker {
    struct grids *grids;
    uint16_t *rank[COLOURS]; // [placements] by side to move, where stored
    size_t rank_bytes;
};

// A pawn move of B.
struct push {
    int pawn;
    int to;
    int over;   // the square that a double step jumps over, else NO_SQUARE
    bool probe; // the answer may be en passant
    int moves;  // 1, or the promotions
    struct grid_link link[PROMOTIONS];
};

enum { PUSHES_MAX = 2 * PAWNS_MAX };

struct part {
    const struct work *work;
    struct worker *worker;
    struct grid_shape shape;
    bool both; // the slice is its own mirror image
    int king[COLOURS];
    uint8_t from[MEN]; // tally's man number i is ours number from[i]
    const struct grid *grid[COLOURS];
    struct stored *stored[COLOURS];
    int pushes;
    struct push push[PUSHES_MAX];
};

// The present row: all squares of the last free man.
struct row {
    const struct part *part;
    struct tally *tally;
    uint8_t square[MEN];
    uint64_t occupied; // with the last man
    uint64_t at;       // the placement's number
    unsigned weight;
};

// ---- ranks ----

static uint16_t rank_of(int outcome, int dtz)
{
    if (outcome == CLTB_DRAW)
        return RANK_DRAW;
    return (uint16_t)(outcome > CLTB_DRAW ? RANK_WIN - dtz : dtz);
}

static int dtz_of(uint16_t rank)
{
    return rank > RANK_DRAW ? RANK_WIN - rank : rank == RANK_DRAW ? 0 : rank;
}

static int misfit(const struct stored *stored)
{
    char name[MATERIAL_NAME_MAX];
    return error_set(CLTB_E_CORRUPT, "table %s is not a valid table: a distance does not fit its outcome",
                     material_name(&table_info(stored->table)->material, name));
}

static int stored_rank(const struct stored *stored, const struct stored_row *row, const uint8_t *square, uint8_t code,
                       uint16_t *rank)
{
    const int outcome = (code & GRID_OUTCOME) - 2;
    unsigned dtz = 0;
    if (code & GRID_BY_CAPTURE)
        dtz = outcome == CLTB_WIN ? 1 : CURSED_PLY;
    else if (outcome != CLTB_DRAW)
        TRY(stored_symbol(stored, row, square, &dtz));
    const bool cursed = outcome == CLTB_CURSED_WIN || outcome == CLTB_BLESSED_LOSS;
    if (outcome != CLTB_DRAW &&
        (dtz > TABLE_PLY_MAX || cursed != (dtz > PLY_LIMIT) || (outcome == CLTB_WIN && dtz == 0)))
        return misfit(stored);
    *rank = rank_of(outcome, (int)dtz);
    return 0;
}

// Squares of all men but the last free one; false if two share one.
static bool set_up(struct row *row, uint64_t number)
{
    const struct grid_shape *shape = &row->part->shape;
    row->occupied = 0;
    row->at = number * SQUARES;
    for (int i = shape->men - 1; i >= 0; i--) {
        if (i == shape->free - 1)
            continue;
        row->square[i] = shape->man[i].square;
        if (i < shape->free) {
            row->square[i] = (uint8_t)(number % SQUARES);
            number /= SQUARES;
        }
        if (row->occupied & square_bit(row->square[i]))
            return false;
        row->occupied |= square_bit(row->square[i]);
    }
    return true;
}

static int rank_row(struct row *row, uint64_t number, int side)
{
    const struct part *part = row->part;
    const int inner = part->shape.free - 1;
    uint16_t *rank = part->worker->rank[side] + number * SQUARES;
    struct stored_row stored;
    memset(rank, 0xff, SQUARES * sizeof *rank);
    if (!set_up(row, number))
        return 0;
    stored_row(part->stored[side], row->square, inner, &stored);
    for (int square = 0; square < SQUARES; square++) {
        const uint8_t code = part->grid[side]->code[row->at + (uint64_t)square];
        row->square[inner] = (uint8_t)square;
        if (code != GRID_NONE)
            TRY(stored_rank(part->stored[side], &stored, row->square, code, &rank[square]));
    }
    return 0;
}

// ---- side B: one ply of search ----

static void set_position(const struct row *row, int side, struct position *p)
{
    const struct grid_shape *shape = &row->part->shape;
    struct man men[MEN];
    for (int i = 0; i < shape->men; i++)
        men[i] = (struct man){shape->man[i].type, shape->man[i].colour, row->square[i]};
    position_set(p, men, shape->men, side); // it is legal
}

// The least rank for A that a quiet move of `side` leads to.
static unsigned least_reply(const struct row *row, int side)
{
    const struct grid_shape *shape = &row->part->shape;
    const uint16_t *rank = row->part->worker->rank[side ^ 1] + row->at;
    unsigned least = RANK_NONE;
    for (int i = 0; i < shape->free; i++) {
        const struct man *man = &shape->man[i];
        if (man->colour != side)
            continue;
        const int from = row->square[i];
        const int64_t stride = (int64_t)grid_stride(shape, i);
        uint64_t targets = piece_attacks(man->type, side, from, row->occupied) & ~row->occupied;
        while (targets != 0) {
            const unsigned reply = rank[(set_pop(&targets) - from) * stride];
            least = reply < least ? reply : least;
        }
    }
    return least;
}

// A double step that may be answered en passant: by probing.
static int probe_push(const struct row *row, const struct push *push, int side, int *outcome)
{
    struct position p;
    uint32_t moves[MOVES_MAX];
    set_position(row, side, &p);
    const int count = moves_legal(&p, moves);
    for (int i = 0; i < count; i++) {
        if (move_from(moves[i]) != row->square[push->pawn] || move_to(moves[i]) != push->to)
            continue;
        TRY(position_make(&p, moves[i]));
        TRY(probe_outcome(row->part->work->tables, &p, outcome));
        *outcome = -*outcome;
    }
    return 0;
}

// Does a pawn move give this outcome?
static int push_gives(const struct row *row, int side, int outcome, bool *gives)
{
    *gives = false;
    for (int i = 0; i < row->part->pushes && !*gives; i++) {
        const struct push *push = &row->part->push[i];
        uint64_t path = square_bit(push->to);
        if (push->over != NO_SQUARE)
            path |= square_bit(push->over);
        if (row->occupied & path)
            continue;
        if (push->probe) {
            int after = NOT_LEGAL;
            TRY(probe_push(row, push, side, &after));
            *gives = after == outcome;
            continue;
        }
        for (int k = 0; k < push->moves; k++) {
            const uint8_t code = grid_look(&push->link[k], row->square, row->part->shape.free);
            *gives |= code != GRID_NONE && 2 - (code & GRID_OUTCOME) == outcome;
        }
    }
    return 0;
}

static int contradiction(const struct row *row, int side)
{
    struct position p;
    char fen[FEN_MAX];
    set_position(row, side, &p);
    fen_write(&p, fen);
    char name[MATERIAL_NAME_MAX];
    return error_set(CLTB_E_CORRUPT, "table %s contradicts itself: no move gives the outcome of %s",
                     material_name(row->part->work->material, name), fen);
}

// The best that quiet moves and pawn moves make of a win (`first`: 1) or cursed win (`first`: 101).
static int search_win(const struct row *row, int side, int outcome, int *dtz)
{
    const int first = outcome == CLTB_WIN ? 1 : CURSED_PLY;
    const unsigned least = least_reply(row, side);
    const int last = outcome == CLTB_WIN ? PLY_LIMIT : TABLE_PLY_MAX;
    const bool quiet = (int)least < last;
    *dtz = (int)least + 1;
    if (quiet && *dtz < first)
        return contradiction(row, side);
    if (quiet && *dtz == first)
        return 0;
    bool pushed;
    TRY(push_gives(row, side, outcome, &pushed));
    if (pushed)
        *dtz = first;
    return pushed || quiet ? 0 : contradiction(row, side);
}

static int search_loss(const struct row *row, int side, int outcome, int *dtz)
{
    const unsigned least = least_reply(row, side);
    *dtz = outcome == CLTB_LOSS ? 1 : CURSED_PLY;
    if (least != RANK_NONE && least <= RANK_DRAW)
        return contradiction(row, side);
    if (least != RANK_NONE) {
        const int longest = RANK_WIN - (int)least + 1;
        if (outcome == CLTB_LOSS && longest > PLY_LIMIT)
            return contradiction(row, side);
        *dtz = longest > *dtz ? longest : *dtz;
    } else if (outcome == CLTB_LOSS) {
        struct position p;
        set_position(row, side, &p);
        *dtz = moves_any(&p) ? 1 : 0;
    }
    return 0;
}

// The value of a placement for a side to move.
static int value_of(const struct row *row, int side, uint8_t code, struct cltb_value *value)
{
    const int outcome = (code & GRID_OUTCOME) - 2;
    *value = (struct cltb_value){outcome, 0};
    if (outcome == CLTB_DRAW)
        return 0;
    if (row->part->work->stored[side])
        value->dtz = dtz_of(row->part->worker->rank[side][row->at]);
    else if (code & GRID_BY_CAPTURE)
        value->dtz = outcome == CLTB_WIN ? 1 : CURSED_PLY;
    else if (outcome > CLTB_DRAW)
        return search_win(row, side, outcome, &value->dtz);
    else
        return search_loss(row, side, outcome, &value->dtz);
    return 0;
}

// ---- counting ----

static void tally_squares(const struct row *row, uint8_t *square)
{
    for (int i = 0; i < row->part->shape.men; i++)
        square[i] = row->square[row->part->from[i]];
}

static int count_side(struct row *row, int side, uint8_t code)
{
    struct cltb_value value;
    TRY(value_of(row, side, code, &value));
    struct stats_bin *bin = &row->tally->bin[side][value.outcome + 2][value.dtz];
    bin->count += row->weight;
    bin->diagonal += row->part->work->slices == NULL && (row->occupied & ~DIAGONAL_A1H8) == 0;
    if (!tally_wants(row->tally, side, value))
        return 0;
    struct position p;
    uint8_t square[MEN];
    tally_squares(row, square);
    set_position(row, side, &p);
    return stats_note(row->tally, row->part->work->men, row->part->work->tables, &p, square, value);
}

static int count_placement(struct row *row)
{
    const struct part *part = row->part;
    const uint8_t white = part->grid[WHITE]->code[row->at];
    const uint8_t black = part->grid[BLACK]->code[row->at];
    if (white != GRID_NONE)
        TRY(count_side(row, WHITE, white));
    if (black != GRID_NONE && !part->work->men->paired)
        TRY(count_side(row, BLACK, black));
    if (white == GRID_NONE || black == GRID_NONE)
        return 0;
    const int outcome[COLOURS] = {(white & GRID_OUTCOME) - 2, (black & GRID_OUTCOME) - 2};
    if (!tally_is_zugzwang(outcome[WHITE], outcome[BLACK]))
        return 0;
    uint8_t square[MEN];
    tally_squares(row, square);
    return tally_zugzwang(row->tally, part->work->men, square, outcome[WHITE], outcome[BLACK], row->weight);
}

// How many placements this one stands for; 0: it is the image of another, or identical pieces are not in rising order.
static unsigned weight_of(const struct row *row)
{
    const struct part *part = row->part;
    const struct grid_shape *shape = &part->shape;
    for (int i = 1; i < shape->free; i++)
        if (shape->man[i].type == shape->man[i - 1].type && shape->man[i].colour == shape->man[i - 1].colour &&
            row->square[i] < row->square[i - 1])
            return 0;
    if (part->work->slices != NULL)
        return part->both && square_file(row->square[part->king[WHITE]]) > 3 ? 0 : 2;
    const int fixed = row->square[part->king[part->work->fixed_king]];
    const int other = row->square[part->king[part->work->fixed_king ^ 1]];
    if (!square_on_diagonal(fixed))
        return 8;
    if (square_on_diagonal(other))
        return 4;
    return square_rank(other) > square_file(other) ? 0 : 8;
}

static int count_row(struct row *row, uint64_t number)
{
    const int inner = row->part->shape.free - 1;
    if (!set_up(row, number))
        return 0;
    const uint64_t others = row->occupied;
    const uint64_t first = row->at;
    for (uint64_t squares = ~others; squares != 0;) {
        const int square = set_pop(&squares);
        row->square[inner] = (uint8_t)square;
        row->occupied = others | square_bit(square);
        row->at = first + (uint64_t)square;
        row->weight = weight_of(row);
        if (row->weight > 0)
            TRY(count_placement(row));
    }
    return 0;
}

// ---- one part ----

static uint64_t rows_of(const struct grid_shape *shape)
{
    return UINT64_C(1) << 6 * (shape->free - 1);
}

struct task {
    const struct part *part;
    struct tally *tally; // [workers]
    int side;            // to be ranked, or -1: to be counted
};

static int task_work(void *context, uint64_t item, int worker)
{
    const struct task *task = context;
    struct row row = {.part = task->part, .tally = &task->tally[worker]};
    const uint64_t rows = rows_of(&task->part->shape);
    for (uint64_t number = item * SQUARES; number < (item + 1) * SQUARES && number < rows; number++)
        TRY(task->side < 0 ? count_row(&row, number) : rank_row(&row, number, task->side));
    return 0;
}

static int run_task(const struct part *part, struct tally *tally, bool shared, int side)
{
    struct task task = {part, tally, side};
    const uint64_t items = (rows_of(&part->shape) + SQUARES - 1) / SQUARES;
    if (shared)
        return threads_each(part->work->pool, items, task_work, &task);
    for (uint64_t item = 0; item < items; item++)
        TRY(task_work(&task, item, 0));
    return 0;
}

static int add_push(struct part *part, int pawn, int to, int over, bool probe)
{
    const struct man *man = &part->shape.man[pawn];
    struct grid_shape from = part->shape;
    from.side = man->colour;
    struct push *push = &part->push[part->pushes++];
    *push = (struct push){.pawn = pawn, .to = to, .over = over, .probe = probe};
    push->moves = square_rank(to) == 0 || square_rank(to) == 7 ? PROMOTIONS : 1;
    for (int i = 0; i < push->moves && !probe; i++) {
        const struct grid_move move = {pawn, -1, to, push->moves > 1 ? QUEEN + i : PAWN};
        TRY(grid_link(part->worker->grids, &from, &move, &push->link[i]));
    }
    return 0;
}

static uint64_t fixed_men(const struct part *part, int colour)
{
    uint64_t set = 0;
    for (int i = part->shape.free; i < part->shape.men; i++)
        if (part->shape.man[i].colour == colour)
            set |= square_bit(part->shape.man[i].square);
    return set;
}

// The pawn moves of a side, en passant and captures apart.
static int link_pushes(struct part *part, int side)
{
    const uint64_t pawns[COLOURS] = {fixed_men(part, WHITE), fixed_men(part, BLACK)};
    const int forward = side == WHITE ? 8 : -8;
    for (int i = part->shape.free; i < part->shape.men; i++) {
        const struct man *man = &part->shape.man[i];
        const int one = man->square + forward;
        if (man->type != PAWN || man->colour != side || ((pawns[WHITE] | pawns[BLACK]) & square_bit(one)))
            continue;
        TRY(add_push(part, i, one, NO_SQUARE, false));
        const int two = one + forward;
        if (square_rank(man->square) != (side == WHITE ? 1 : 6) || ((pawns[WHITE] | pawns[BLACK]) & square_bit(two)))
            continue;
        TRY(add_push(part, i, two, one, (pawn_attacks(side, one) & pawns[side ^ 1]) != 0));
    }
    return 0;
}

static bool can_win(const struct part *part, int side)
{
    struct table *table;
    if (tables_find_material(part->work->tables, part->work->material, &table) != 0)
        return true;
    const uint64_t *positions = table_info(table)->positions[side];
    return positions[CLTB_WIN + 2] + positions[CLTB_CURSED_WIN + 2] > 0;
}

static int get_stored(struct part *part, int side)
{
    bool there;
    struct grid_shape shape = part->shape;
    shape.side = (uint8_t)side;
    part->stored[side] = calloc(1, sizeof *part->stored[side]);
    if (part->stored[side] == NULL)
        return error_memory(sizeof *part->stored[side], "a stream");
    return stored_open(part->stored[side], part->work->tables, &shape, TABLE_DISTANCE, &there);
}

static int prepare(struct part *part)
{
    const struct work *work = part->work;
    for (int side = WHITE; side <= BLACK; side++) {
        struct grid_shape shape = part->shape;
        shape.side = (uint8_t)side;
        TRY(grids_get(part->worker->grids, &shape, &part->grid[side]));
        if (work->stored[side])
            TRY(get_stored(part, side));
        else if (!work->men->paired && work->slices != NULL && can_win(part, side))
            TRY(link_pushes(part, side));
    }
    return 0;
}

static void release(struct part *part)
{
    for (int side = WHITE; side <= BLACK; side++) {
        if (part->grid[side] != NULL)
            grids_release(part->worker->grids, part->grid[side]);
        free(part->stored[side]);
    }
    for (int i = 0; i < part->pushes; i++)
        for (int k = 0; k < part->push[i].moves; k++)
            if (part->push[i].link[k].grid != NULL)
                grids_release(part->worker->grids, part->push[i].link[k].grid);
}

// Pawns are fixed, or the king.
static void shape_part(struct part *part, uint64_t number)
{
    const struct work *work = part->work;
    struct grid_shape *shape = &part->shape;
    memset(shape, 0, sizeof *shape);
    for (int i = 0; i < work->men->count; i++) {
        const struct man *man = &work->men->man[i];
        if (work->slices != NULL ? man->type != PAWN : man->type != KING || man->colour != work->fixed_king)
            shape->man[shape->men++] = (struct man){man->type, man->colour, 0};
    }
    shape->free = shape->men;
    if (work->slices == NULL) {
        shape->man[shape->men++] = (struct man){KING, (uint8_t)work->fixed_king, triangle_square[number]};
        return;
    }
    uint8_t pawns[PAWNS_MAX];
    bool mirror;
    const int white = work->slices->pawns[WHITE];
    const int count = white + work->slices->pawns[BLACK];
    memcpy(pawns, work->slices->square[number], sizeof pawns);
    for (int i = 0; i < count; i++)
        shape->man[shape->men++] = (struct man){PAWN, i < white ? WHITE : BLACK, pawns[i]};
    pawn_slices_find(work->slices, pawns, &mirror, &part->both);
}

// Which of our men is which of the tally's.
static void match_men(struct part *part)
{
    bool taken[MEN] = {false};
    for (int i = 0; i < part->shape.men; i++) {
        const struct man *man = &part->work->men->man[i];
        int k = 0;
        while (taken[k] || part->shape.man[k].type != man->type || part->shape.man[k].colour != man->colour)
            k++;
        taken[k] = true;
        part->from[i] = (uint8_t)k;
        if (man->type == KING)
            part->king[man->colour] = k;
    }
}

static int do_part(const struct work *work, struct worker *worker, struct tally *tally, bool shared, uint64_t number)
{
    struct part *part = calloc(1, sizeof *part);
    if (part == NULL)
        return error_memory(sizeof *part, "a part");
    part->work = work;
    part->worker = worker;
    shape_part(part, number);
    grid_shape_sort(&part->shape, NULL);
    match_men(part);
    int code = prepare(part);
    for (int side = WHITE; side <= BLACK && code == 0; side++)
        if (work->stored[side])
            code = run_task(part, tally, shared, side);
    if (code == 0)
        code = run_task(part, tally, shared, -1);
    release(part);
    free(part);
    return code;
}

// ---- all parts ----

static int part_work(void *context, uint64_t item, int worker)
{
    const struct work *work = context;
    return do_part(work, &work->worker[worker], &work->tally[worker], false, item);
}

static int free_men(const struct material *material)
{
    const int pawns = material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
    return material_men(material) - (pawns > 0 ? pawns : 1);
}

static int open_worker(const struct work *work, struct worker *worker, bool shared)
{
    TRY(grids_open(&worker->grids, work->tables, shared ? work->pool : NULL, shared ? LARGE_BYTES : SMALL_BYTES));
    worker->rank_bytes = sizeof *worker->rank[0] << 6 * free_men(work->material);
    for (int side = WHITE; side <= BLACK; side++) {
        if (!work->stored[side])
            continue;
        worker->rank[side] = memory_map(worker->rank_bytes);
        if (worker->rank[side] == NULL)
            return error_memory(worker->rank_bytes, "the values of a part");
    }
    return 0;
}

static void close_worker(struct worker *worker)
{
    grids_close(worker->grids);
    for (int side = WHITE; side <= BLACK; side++)
        if (worker->rank[side] != NULL)
            memory_unmap(worker->rank[side], worker->rank_bytes);
}

static int do_parts(struct work *work, struct worker *worker, bool shared)
{
    const int workers = shared ? 1 : threads_count(work->pool);
    int code = 0;
    work->worker = worker;
    for (int i = 0; i < workers && code == 0; i++)
        code = open_worker(work, &worker[i], shared);
    if (code == 0 && !shared)
        code = threads_each(work->pool, work->parts, part_work, work);
    for (uint64_t i = 0; shared && i < work->parts && code == 0; i++)
        code = do_part(work, worker, work->tally, true, i);
    for (int i = 0; i < workers; i++)
        close_worker(&worker[i]);
    return code;
}

bool stats_grid_fits(const struct material *material)
{
    const int pawns = material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
    return pawns <= PAWNS_MAX && free_men(material) <= GRID_FREE_MAX;
}

int stats_by_grids(cltb_tables *tables, const struct material *material, const struct tally_men *men,
                   struct tally *tally, struct thread_pool *pool)
{
    struct work work = {.tables = tables, .material = material, .men = men, .tally = tally, .pool = pool};
    struct table *table;
    struct pawn_slices *slices = NULL;
    TRY(tables_find_material(tables, material, &table));
    for (int side = WHITE; side <= BLACK; side++)
        work.stored[side] = table_info(table)->distance[side];
    work.fixed_king = work.stored[BLACK] ? BLACK : WHITE;
    work.parts = TRIANGLE_SQUARES;
    if (men->pawns > 0) {
        TRY(pawn_slices_open(&slices, material->count[WHITE][PAWN], material->count[BLACK][PAWN]));
        work.parts = slices->slices;
        work.slices = slices;
    }
    struct worker *worker = calloc((size_t)threads_count(pool), sizeof *worker);
    int code = CLTB_E_MEMORY;
    if (worker == NULL)
        error_memory((size_t)threads_count(pool) * sizeof *worker, "threads");
    else
        code = do_parts(&work, worker, free_men(material) >= LARGE_FREE);
    free(worker);
    pawn_slices_close(slices);
    return code;
}
