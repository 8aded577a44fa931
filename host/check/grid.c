// grid.c - the outcomes of an endgame for all squares of its free men, the others being fixed
//
// Making a grid: the grids that captures lead to are fetched first, which goes down to bare kings. Then all placements
// are gone through in rows, that is for all squares of the last free man. The other men's attacks are worked out once a
// row; only those of sliders that the last man blocks change within it.
#include "check/grid.h"

#include "check/stored.h"
#include "chess/attacks.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 20, BUCKETS = 4096, ROWS_PER_ITEM = 64, PROMOTIONS = 4, MEN = MATERIAL_MEN_MAX };

struct node {
    struct grid grid;
    size_t bytes;
    int pins;
    struct node *bucket; // next in it
    struct node *older;
    struct node *newer;
};

struct grids {
    cltb_tables *tables;
    struct thread_pool *pool;
    size_t bound;
    size_t bytes;
    struct node *oldest;
    struct node *newest;
    struct node *bucket[BUCKETS];
};

// ---- shapes ----

static int rank_of(const struct man *man, bool is_free)
{
    const int kind = man->type == KING ? man->colour : 2 + man->colour * PIECE_TYPES + man->type;
    return is_free ? kind : (16 + kind) * SQUARES + man->square;
}

void grid_shape_sort(struct grid_shape *shape, uint8_t origin[MATERIAL_MEN_MAX])
{
    for (int i = 0; i < shape->men; i++) {
        const struct man man = shape->man[i];
        const uint8_t from = origin != NULL ? origin[i] : 0;
        int at = i;
        const int rank = rank_of(&man, i < shape->free);
        for (; at > 0 && rank_of(&shape->man[at - 1], at - 1 < shape->free) > rank; at--) {
            shape->man[at] = shape->man[at - 1];
            if (origin != NULL)
                origin[at] = origin[at - 1];
        }
        shape->man[at] = man;
        if (origin != NULL)
            origin[at] = from;
    }
}

static unsigned hash(const struct grid_shape *shape)
{
    const uint8_t *bytes = (const uint8_t *)shape;
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof *shape; i++)
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    return (unsigned)(value >> 40) % BUCKETS;
}

_Static_assert(sizeof(struct grid_shape) == 3 + 3 * MATERIAL_MEN_MAX, "shapes are compared byte by byte");

// ---- making one ----

struct making {
    const struct grid_shape *shape;
    uint8_t *code;
    const struct stored *stored; // NULL: bare kings
    int inner;                   // the last free man, -1: none
    int king;                    // of the side that is not to move
    struct grid_link link[MEN][MEN][2]
                         [PROMOTIONS]; // [mover][victim][a pawn: to the right][promoted to, from the queen on]
};

// The present row.
struct row {
    const struct making *making;
    struct stored_row stored;
    uint8_t square[MEN];
    uint64_t occupied;    // without the last man
    uint64_t enemies;     // without the last man
    uint64_t attack[MEN]; // of the side to move, without the last man on the board
};

static bool slides(const struct man *man)
{
    return man->type == QUEEN || man->type == ROOK || man->type == BISHOP;
}

static bool moves(const struct making *making, int man)
{
    return making->shape->man[man].colour == making->shape->side;
}

static uint64_t attack_of(const struct row *row, int man, uint64_t occupied)
{
    const struct man *m = &row->making->shape->man[man];
    return piece_attacks(m->type, m->colour, row->square[man], occupied);
}

// The number of moves that a pawn has to this square.
static int promotions(int to)
{
    return square_rank(to) == 0 || square_rank(to) == 7 ? PROMOTIONS : 1;
}

// The best of a mover's captures on this victim's square, + 2; -1 if none is legal.
static int capture(const struct row *row, int mover, int victim)
{
    const struct making *making = row->making;
    const bool pawn = making->shape->man[mover].type == PAWN;
    const int to = row->square[victim];
    const bool right = pawn && square_file(to) > square_file(row->square[mover]);
    int best = -1;
    for (int i = 0; i < (pawn ? promotions(to) : 1); i++) {
        const uint8_t code = grid_look(&making->link[mover][victim][right][i], row->square, making->shape->free);
        if (code != GRID_NONE && 4 - (code & GRID_OUTCOME) > best)
            best = 4 - (code & GRID_OUTCOME);
    }
    return best;
}

static int captures(const struct row *row, const uint64_t *attack, uint64_t enemies)
{
    const struct grid_shape *shape = row->making->shape;
    int best = -1;
    for (int i = 0; i < shape->men; i++) {
        const uint64_t hits = moves(row->making, i) ? attack[i] & enemies : 0;
        for (int j = 0; hits != 0 && j < shape->men; j++) {
            if (moves(row->making, j) || !(hits & square_bit(row->square[j])))
                continue;
            const int value = capture(row, i, j);
            best = value > best ? value : best;
        }
    }
    return best;
}

static int out_of_range(const struct stored *stored)
{
    char name[MATERIAL_NAME_MAX];
    return error_set(CLTB_E_CORRUPT, "table %s is not a valid table: an outcome is out of range",
                     material_name(&table_info(stored->table)->material, name));
}

// One placement, the last man on its square (`there`: its bit, or 0).
static int make_code(struct row *row, uint64_t there, uint8_t *code)
{
    const struct making *making = row->making;
    const struct grid_shape *shape = making->shape;
    const uint64_t king = square_bit(row->square[making->king]);
    uint64_t attack[MEN] = {0};
    unsigned symbol = CLTB_DRAW + 2;
    *code = GRID_NONE;
    for (int i = 0; i < shape->men; i++) {
        if (!moves(making, i))
            continue;
        const bool anew = i == making->inner || ((row->attack[i] & there) && slides(&shape->man[i]));
        attack[i] = anew ? attack_of(row, i, row->occupied | there) : row->attack[i];
        if (attack[i] & king)
            return 0;
    }
    if (making->stored != NULL)
        TRY(stored_symbol(making->stored, &row->stored, row->square, &symbol));
    if (symbol >= TABLE_OUTCOMES)
        return out_of_range(making->stored);
    const bool enemy = making->inner >= 0 && !moves(making, making->inner);
    const int best = captures(row, attack, row->enemies | (enemy ? there : 0));
    *code = (uint8_t)symbol;
    if (best > (int)symbol)
        *code = (uint8_t)best;
    if (best > CLTB_DRAW + 2 && best >= (int)symbol)
        *code |= GRID_BY_CAPTURE;
    return 0;
}

// Squares of all men but the last free one; false if two share one.
static bool set_up(struct row *row, uint64_t number)
{
    const struct grid_shape *shape = row->making->shape;
    row->occupied = row->enemies = 0;
    for (int i = shape->men - 1; i >= 0; i--) {
        if (i == row->making->inner)
            continue;
        row->square[i] = shape->man[i].square;
        if (i < shape->free) {
            row->square[i] = (uint8_t)(number % SQUARES);
            number /= SQUARES;
        }
        const uint64_t bit = square_bit(row->square[i]);
        if (row->occupied & bit)
            return false;
        row->occupied |= bit;
        row->enemies |= moves(row->making, i) ? 0 : bit;
    }
    for (int i = 0; i < shape->men; i++)
        if (i != row->making->inner && moves(row->making, i))
            row->attack[i] = attack_of(row, i, row->occupied);
    if (row->making->stored != NULL)
        stored_row(row->making->stored, row->square, row->making->inner, &row->stored);
    return true;
}

static int make_row(struct row *row, uint64_t number)
{
    const int inner = row->making->inner;
    const uint64_t squares = inner < 0 ? 1 : SQUARES;
    uint8_t *code = row->making->code + number * squares;
    memset(code, GRID_NONE, squares);
    if (!set_up(row, number))
        return 0;
    if (inner < 0)
        return make_code(row, 0, code);
    for (uint64_t free = ~row->occupied; free != 0;) {
        const int square = set_pop(&free);
        row->square[inner] = (uint8_t)square;
        TRY(make_code(row, square_bit(square), &code[square]));
    }
    return 0;
}

static uint64_t rows_of(const struct grid_shape *shape)
{
    return UINT64_C(1) << 6 * (shape->free > 0 ? shape->free - 1 : 0);
}

static int work(void *context, uint64_t item, int worker)
{
    (void)worker;
    struct row row = {.making = context};
    const uint64_t rows = rows_of(row.making->shape);
    const uint64_t end = (item + 1) * ROWS_PER_ITEM < rows ? (item + 1) * ROWS_PER_ITEM : rows;
    for (uint64_t number = item * ROWS_PER_ITEM; number < end; number++)
        TRY(make_row(&row, number));
    return 0;
}

static int make_rows(struct grids *grids, struct making *making)
{
    const uint64_t items = (rows_of(making->shape) + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM;
    if (grids->pool != NULL)
        return threads_each(grids->pool, items, work, making);
    for (uint64_t item = 0; item < items; item++)
        TRY(work(making, item, 0));
    return 0;
}

// ---- the grids that moves lead to ----

// Adds a man to a shape that is being put together; `from`: the man of the first shape whose square is its own, or -1
// for a fixed one.
static void add_man(struct grid_shape *to, uint8_t *origin, const struct man *man, int type, int from, int square)
{
    origin[to->men] = (uint8_t)(from < 0 ? MEN : from);
    to->man[to->men++] = (struct man){(uint8_t)type, man->colour, (uint8_t)square};
}

// The men after a move: first those that are free, as a second pass adds the others.
static void add_men(struct grid_shape *to, uint8_t *origin, const struct grid_shape *from, const struct grid_move *move,
                    bool are_free)
{
    for (int i = 0; i < from->men; i++) {
        const struct man *man = &from->man[i];
        int source = i < from->free ? i : -1;
        int square = man->square;
        if (i == move->victim)
            continue;
        if (i == move->mover) {
            // On the victim's square: as free as that was. A pawn stays fixed.
            const bool on_victim = move->victim >= 0 && man->type != PAWN;
            source = on_victim && move->victim < from->free ? move->victim : -1;
            square = on_victim ? from->man[move->victim].square : move->to;
        }
        if ((source >= 0) == are_free)
            add_man(to, origin, man, i == move->mover ? move->type : man->type, source, source >= 0 ? 0 : square);
    }
}

int grid_link(struct grids *grids, const struct grid_shape *from, const struct grid_move *move, struct grid_link *link)
{
    struct grid_shape to;
    uint8_t origin[MEN];
    memset(&to, 0, sizeof to);
    to.side = from->side ^ 1;
    add_men(&to, origin, from, move, true);
    to.free = to.men;
    add_men(&to, origin, from, move, false);
    grid_shape_sort(&to, origin);
    memset(link, 0, sizeof *link);
    for (int i = 0; i < to.free; i++)
        link->stride[origin[i]] = grid_stride(&to, i);
    return grids_get(grids, &to, &link->grid);
}

static int link_capture(struct grids *grids, struct making *making, int mover, int victim, int to)
{
    const struct man *man = &making->shape->man[mover];
    const bool pawn = man->type == PAWN;
    const bool right = pawn && square_file(to) > square_file(man->square);
    for (int i = 0; i < (pawn ? promotions(to) : 1); i++) {
        const struct grid_move move = {mover, victim, to, pawn && promotions(to) > 1 ? QUEEN + i : man->type};
        TRY(grid_link(grids, making->shape, &move, &making->link[mover][victim][right][i]));
    }
    return 0;
}

// All captures of one man by another.
static int link_pair(struct grids *grids, struct making *making, int mover, int victim)
{
    const struct man *man = &making->shape->man[mover];
    const struct man *prey = &making->shape->man[victim];
    if (man->type != PAWN)
        return link_capture(grids, making, mover, victim, NO_SQUARE);
    for (uint64_t targets = pawn_attacks(man->colour, man->square); targets != 0;) {
        const int to = set_pop(&targets);
        // No pawn is taken on the last rank.
        if (victim < making->shape->free || prey->square == to)
            TRY(link_capture(grids, making, mover, victim, to));
    }
    return 0;
}

static int link_all(struct grids *grids, struct making *making)
{
    for (int i = 0; i < making->shape->men; i++)
        for (int j = 0; j < making->shape->men; j++)
            if (moves(making, i) && !moves(making, j) && making->shape->man[j].type != KING)
                TRY(link_pair(grids, making, i, j));
    return 0;
}

static void release_all(struct grids *grids, struct making *making)
{
    struct grid_link *link = &making->link[0][0][0][0];
    for (size_t i = 0; i < sizeof making->link / sizeof *link; i++)
        if (link[i].grid != NULL)
            grids_release(grids, link[i].grid);
}

static int make_with(struct grids *grids, struct making *making, struct stored *stored)
{
    bool there = false;
    TRY(link_all(grids, making));
    if (making->shape->men > 2) {
        TRY(stored_open(stored, grids->tables, making->shape, TABLE_OUTCOME, &there));
        making->stored = stored;
    }
    return make_rows(grids, making);
}

static int make(struct grids *grids, struct grid *grid)
{
    struct making *making = calloc(1, sizeof *making);
    struct stored *stored = calloc(1, sizeof *stored);
    int code = CLTB_E_MEMORY;
    if (making == NULL || stored == NULL) {
        error_memory(sizeof *stored, "the making of a grid");
    } else {
        making->shape = &grid->shape;
        making->code = grid->code;
        making->inner = grid->shape.free - 1;
        for (int i = 0; i < grid->shape.men; i++)
            if (grid->shape.man[i].type == KING && !moves(making, i))
                making->king = i;
        code = make_with(grids, making, stored);
        release_all(grids, making);
    }
    free(making);
    free(stored);
    return code;
}

// ---- the store ----

int grids_open(struct grids **result, cltb_tables *tables, struct thread_pool *pool, size_t bytes)
{
    struct grids *grids = calloc(1, sizeof *grids);
    *result = grids;
    if (grids == NULL)
        return error_memory(sizeof *grids, "a store of grids");
    grids->tables = tables;
    grids->pool = pool;
    grids->bound = bytes;
    return 0;
}

// Large grids on huge pages, small ones without a call of the system for each.
static uint8_t *take(size_t bytes)
{
    return bytes < LARGE ? malloc(bytes) : memory_map(bytes);
}

static void give_back(uint8_t *code, size_t bytes)
{
    if (bytes < LARGE)
        free(code);
    else
        memory_unmap(code, bytes);
}

static void unlink_age(struct grids *grids, struct node *node)
{
    if (node->older != NULL)
        node->older->newer = node->newer;
    else
        grids->oldest = node->newer;
    if (node->newer != NULL)
        node->newer->older = node->older;
    else
        grids->newest = node->older;
}

static void link_newest(struct grids *grids, struct node *node)
{
    node->older = grids->newest;
    node->newer = NULL;
    if (grids->newest != NULL)
        grids->newest->newer = node;
    else
        grids->oldest = node;
    grids->newest = node;
}

static void drop(struct grids *grids, struct node *node)
{
    struct node **at = &grids->bucket[hash(&node->grid.shape)];
    while (*at != node)
        at = &(*at)->bucket;
    *at = node->bucket;
    unlink_age(grids, node);
    grids->bytes -= node->bytes;
    give_back(node->grid.code, node->bytes);
    free(node);
}

static void trim(struct grids *grids, size_t more)
{
    for (struct node *node = grids->oldest; node != NULL && grids->bytes + more > grids->bound;) {
        struct node *newer = node->newer;
        if (node->pins == 0)
            drop(grids, node);
        node = newer;
    }
}

void grids_close(struct grids *grids)
{
    if (grids == NULL)
        return;
    for (struct node *node = grids->oldest; node != NULL;) {
        struct node *newer = node->newer;
        give_back(node->grid.code, node->bytes);
        free(node);
        node = newer;
    }
    free(grids);
}

// Room for a grid; NULL if there is no memory.
static struct node *add(struct grids *grids, const struct grid_shape *shape)
{
    const uint64_t placements = UINT64_C(1) << 6 * shape->free;
    trim(grids, placements);
    struct node *node = calloc(1, sizeof *node);
    uint8_t *code = take(placements);
    if (node == NULL || code == NULL) {
        free(node);
        if (code != NULL)
            give_back(code, placements);
        return NULL;
    }
    node->bytes = placements;
    node->grid = (struct grid){.shape = *shape, .placements = placements, .code = code};
    node->pins = 1;
    node->bucket = grids->bucket[hash(shape)];
    grids->bucket[hash(shape)] = node;
    grids->bytes += node->bytes;
    link_newest(grids, node);
    return node;
}

int grids_get(struct grids *grids, const struct grid_shape *shape, const struct grid **grid)
{
    struct node *node = grids->bucket[hash(shape)];
    while (node != NULL && memcmp(&node->grid.shape, shape, sizeof *shape) != 0)
        node = node->bucket;
    *grid = NULL;
    if (node != NULL) {
        node->pins++;
        unlink_age(grids, node);
        link_newest(grids, node);
        *grid = &node->grid;
        return 0;
    }
    node = add(grids, shape);
    if (node == NULL) {
        error_memory((size_t)1 << 6 * shape->free, "a grid");
        return CLTB_E_MEMORY;
    }
    int code = make(grids, &node->grid);
    if (code != 0) {
        drop(grids, node);
        return code;
    }
    *grid = &node->grid;
    return 0;
}

void grids_release(struct grids *grids, const struct grid *grid)
{
    (void)grids;
    struct node *node = (struct node *)(uintptr_t)grid; // its first member
    node->pins--;
}
