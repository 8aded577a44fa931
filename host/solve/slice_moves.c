// slice_moves.c - the captures and pawn moves of a batch of slices, as imports of slabs
#include "solve/slice_moves.h"

#include "chess/attacks.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

// ---- listing ----

struct listing {
    struct slice_batch *batch;
    int mover;
    uint32_t slice;
    const uint8_t *square; // squares of the fixed men
    uint64_t occupied;     // these as a set
};

static int add_move(struct slice_moves *moves, const struct slice_move *move)
{
    TRY(memory_grow(&moves->move, &moves->room, moves->count + 1, sizeof *moves->move, "the moves between slices"));
    moves->move[moves->count++] = *move;
    return 0;
}

static int fixed_at(const struct listing *list, int square)
{
    for (int i = 0; i < list->batch->shape.fixed; i++) {
        if (list->square[i] == square)
            return i;
    }
    return -1;
}

uint64_t slice_codes(uint64_t squares)
{
    uint64_t codes = 0;
    while (squares != 0)
        codes |= UINT64_C(1) << square_code[set_pop(&squares)];
    return codes;
}

static enum slice_worth worth_of(const struct listing *list, const struct slice_question *question)
{
    const struct slice_rules *rules = list->batch->rules;
    return rules == NULL ? WORTH_SLAB : rules->worth(rules->context, question);
}

// Adds a move of a fixed man, with the slab that it leads to.
static int add_fixed_move(const struct listing *list, struct slice_move *move, const struct slab_shape *shape,
                          const uint8_t *square)
{
    TRY((move->worth == WORTH_SLAB ? slabs_want : slabs_want_legal)(list->batch->slabs, shape, square, list->mover ^ 1,
                                                                    &move->slab));
    return add_move(&list->batch->pawn_moves[list->mover], move);
}

// A fixed man of the mover goes to a square and takes a piece or a fixed man there (-1: neither); no piece stands on
// the squares `passed`. A pawn on the last rank becomes each of four pieces.
static int man_arrives(const struct listing *list, int man, int to, int taken_piece, int taken_fixed, uint64_t passed)
{
    const struct slab_shape *from = &list->batch->shape;
    const int own_type = from->fixed_type[man];
    const bool last = own_type == PAWN && square_rank(to) == (list->mover == WHITE ? 7 : 0);
    for (int type = last ? QUEEN : own_type; type <= (last ? KNIGHT : own_type); type++) {
        struct slab_shape shape = *from;
        uint8_t square[FIXED_MAX];
        memcpy(square, list->square, sizeof square);
        shape.fixed_type[man] = (uint8_t)type;
        square[man] = (uint8_t)to;
        if (taken_piece >= 0)
            slab_shape_drop_piece(&shape, taken_piece);
        if (taken_fixed >= 0)
            slab_shape_drop_fixed(&shape, square, taken_fixed);
        const struct slice_question question = {.mover = list->mover,
                                                .type = own_type,
                                                .captured = taken_piece >= 0   ? from->type[taken_piece]
                                                            : taken_fixed >= 0 ? from->fixed_type[taken_fixed]
                                                                               : KING,
                                                .promoted = last ? type : KING,
                                                .to = to};
        struct slice_move move = {.slice = list->slice,
                                  .where = taken_piece >= 0 ? IMPORT_AT : IMPORT_ALL,
                                  .man = taken_piece >= 0 ? (int8_t)slice_man(from, taken_piece) : -1,
                                  .at = square_code[to],
                                  .worth = (uint8_t)worth_of(list, &question),
                                  .empty = slice_codes(passed),
                                  .capture = taken_piece >= 0 || taken_fixed >= 0,
                                  .converts = taken_piece >= 0 || taken_fixed >= 0 || last};
        TRY(add_fixed_move(list, &move, &shape, square));
    }
    return 0;
}

static int own_push(const struct listing *list, int pawn, int to, int passed)
{
    struct slice_batch *batch = list->batch;
    struct slice_move move = {.slice = list->slice, .where = IMPORT_ALL, .man = -1};
    uint8_t square[FIXED_MAX];
    uint8_t takes[FIXED_MAX];
    int replies = 0;
    if (passed != NO_SQUARE)
        move.empty = UINT64_C(1) << square_code[passed];
    // The pawns that may capture it en passant.
    for (int side = -1; passed != NO_SQUARE && side <= 1; side += 2) {
        const int taker = square_file(to) + side < 0 || square_file(to) + side > 7 ? -1 : fixed_at(list, to + side);
        if (taker >= 0 && batch->shape.fixed_type[taker] == PAWN && batch->shape.fixed_colour[taker] != list->mover)
            takes[replies++] = (uint8_t)taker;
    }
    memcpy(square, list->square, sizeof square);
    square[pawn] = (uint8_t)to;
    if (batch->rules != NULL) {
        const struct slice_question question = {.mover = list->mover,
                                                .type = PAWN,
                                                .captured = KING,
                                                .promoted = KING,
                                                .to = to,
                                                .square = square,
                                                .replies = replies > 0};
        const enum slice_worth worth = worth_of(list, &question);
        move.worth = (uint8_t)worth;
        if (worth != WORTH_OWN)
            return add_fixed_move(list, &move, &batch->shape, square);
        move.worth = WORTH_SLAB;
        replies = 0; // otherwise its worth would be different
    }
    TRY(batch->own->find(batch->own->context, square, list->mover ^ 1, &move.slab));
    // The en passant captures that a double push allows, given by the slabs that they lead to.
    for (int i = 0; i < replies; i++) {
        struct slab_shape shape = batch->shape;
        memcpy(square, list->square, sizeof square);
        square[takes[i]] = (uint8_t)passed;
        slab_shape_drop_fixed(&shape, square, pawn);
        TRY(slabs_want(batch->slabs, &shape, square, list->mover, &move.reply[i]));
    }
    return add_move(&batch->pawn_moves[list->mover], &move);
}

static int list_pushes(const struct listing *list, int pawn)
{
    const int forward = list->mover == WHITE ? 8 : -8;
    const int from = list->square[pawn];
    const int to = from + forward;
    if (list->occupied & square_bit(to))
        return 0;
    if (square_rank(to) == (list->mover == WHITE ? 7 : 0))
        return man_arrives(list, pawn, to, -1, -1, 0);
    TRY(own_push(list, pawn, to, NO_SQUARE));
    if (square_rank(from) != (list->mover == WHITE ? 1 : 6) || (list->occupied & square_bit(to + forward)))
        return 0;
    return own_push(list, pawn, to + forward, to);
}

static int list_pawn(const struct listing *list, int pawn)
{
    const struct slab_shape *shape = &list->batch->shape;
    if (list->batch->own != NULL)
        TRY(list_pushes(list, pawn));
    for (uint64_t to = pawn_attacks(list->mover, list->square[pawn]); to != 0; to &= to - 1) {
        const int target = __builtin_ctzll(to);
        const int fixed = fixed_at(list, target);
        if (fixed >= 0 && shape->fixed_colour[fixed] == list->mover)
            continue;
        if (fixed >= 0) {
            TRY(man_arrives(list, pawn, target, -1, fixed, 0));
            continue;
        }
        for (int i = 0; i < shape->pieces; i++) {
            if (shape->colour[i] != list->mover && shape->type[i] != KING)
                TRY(man_arrives(list, pawn, target, i, -1, 0));
        }
    }
    return 0;
}

// Lists the moves of a fixed man that is not a pawn; only with rules.
static int list_fixed_piece(const struct listing *list, int man)
{
    const struct slab_shape *shape = &list->batch->shape;
    const struct slice_rules *rules = list->batch->rules;
    const int from = list->square[man];
    for (uint64_t left = piece_attacks(shape->fixed_type[man], list->mover, from, list->occupied); left != 0;) {
        const int to = set_pop(&left);
        const int fixed = fixed_at(list, to);
        const uint64_t passed = squares_between(from, to);
        if (fixed >= 0) {
            if (shape->fixed_colour[fixed] != list->mover)
                TRY(man_arrives(list, man, to, -1, fixed, passed));
            continue;
        }
        for (int i = 0; i < shape->pieces; i++) {
            if (shape->colour[i] != list->mover && shape->type[i] != KING)
                TRY(man_arrives(list, man, to, i, -1, passed));
        }
        uint8_t square[FIXED_MAX];
        memcpy(square, list->square, sizeof square);
        square[man] = (uint8_t)to;
        const struct slice_question question = {.mover = list->mover,
                                                .type = shape->fixed_type[man],
                                                .captured = KING,
                                                .promoted = KING,
                                                .to = to,
                                                .square = square};
        const enum slice_worth worth = worth_of(list, &question);
        struct slice_move move = {.slice = list->slice,
                                  .where = IMPORT_ALL,
                                  .man = -1,
                                  .worth = (uint8_t)worth,
                                  .empty = slice_codes(passed | square_bit(to))};
        if (worth == WORTH_OWN) {
            struct slice_hops *hops = &list->batch->hops[list->mover];
            TRY(memory_grow(&hops->hop, &hops->room, hops->count + 1, sizeof *hops->hop, "the moves between slices"));
            hops->hop[hops->count++] =
                (struct slice_hop){list->slice, rules->slice_of(rules->context, list->slice, square), move.empty};
        } else {
            TRY(add_fixed_move(list, &move, shape, square));
        }
    }
    return 0;
}

// Does the mover have a piece whose captures of such a man are worth what the slab says?
static bool wants_slab(const struct slice_batch *batch, int mover, int captured)
{
    const struct slice_rules *rules = batch->rules;
    bool want = rules == NULL;
    for (int i = 0; !want && i < batch->shape.pieces; i++) {
        const struct slice_question question = {
            .mover = mover, .type = batch->shape.type[i], .captured = captured, .promoted = KING};
        want = batch->shape.colour[i] == mover && rules->worth(rules->context, &question) == WORTH_SLAB;
    }
    return want;
}

// Lists what the mover's pieces can take, with the slab of the position without that man and the other side to move.
static int list_captured(const struct listing *list)
{
    const struct slab_shape *from = &list->batch->shape;
    const int victim = list->mover ^ 1;
    for (int i = 0; i < from->pieces + from->fixed; i++) {
        const bool piece = i < from->pieces;
        const int fixed = i - from->pieces;
        if ((piece ? from->colour[i] : from->fixed_colour[fixed]) != victim || (piece && from->type[i] == KING) ||
            !wants_slab(list->batch, list->mover, piece ? from->type[i] : from->fixed_type[fixed]))
            continue;
        struct slab_shape shape = *from;
        uint8_t square[FIXED_MAX];
        memcpy(square, list->square, sizeof square);
        if (piece)
            slab_shape_drop_piece(&shape, i);
        else
            slab_shape_drop_fixed(&shape, square, fixed);
        struct slice_move move = {
            .slice = list->slice, .where = IMPORT_TAKEN, .man = (int8_t)slice_man(from, i), .capture = true};
        TRY(slabs_want(list->batch->slabs, &shape, square, victim, &move.slab));
        TRY(add_move(&list->batch->captured[victim], &move));
    }
    return 0;
}

int slice_batch_list(struct slice_batch *batch, int mover)
{
    const struct slab_shape *shape = &batch->shape;
    for (size_t slice = 0; slice < batch->slices; slice++) {
        struct listing list = {batch, mover, (uint32_t)slice, batch->square[slice], 0};
        for (int i = 0; i < shape->fixed; i++)
            list.occupied |= square_bit(list.square[i]);
        for (int i = 0; i < shape->fixed; i++) {
            if (shape->fixed_colour[i] == mover && shape->fixed_type[i] == PAWN)
                TRY(list_pawn(&list, i));
            else if (shape->fixed_colour[i] == mover && batch->rules != NULL)
                TRY(list_fixed_piece(&list, i));
        }
        TRY(list_captured(&list));
    }
    return 0;
}

void slice_batch_close(struct slice_batch *batch)
{
    if (batch->backend != NULL)
        batch->backend->ops->close(batch->backend);
    batch->backend = NULL;
    free(batch->codes);
    batch->codes = NULL;
}

void slice_batch_free(struct slice_batch *batch)
{
    slice_batch_close(batch);
    for (int side = WHITE; side <= BLACK; side++) {
        free(batch->captured[side].move);
        free(batch->pawn_moves[side].move);
        free(batch->hops[side].hop);
        batch->captured[side] = batch->pawn_moves[side] = (struct slice_moves){NULL, 0, 0};
        batch->hops[side] = (struct slice_hops){NULL, 0, 0};
    }
}

int slice_batch_layout(struct slice_batch *batch, struct layout *layout)
{
    const struct slab_shape *shape = &batch->shape;
    TRY(memory_new(&batch->codes, batch->slices, sizeof *batch->codes, "a batch of slices"));
    for (size_t slice = 0; slice < batch->slices; slice++) {
        for (int i = 0; i < shape->fixed; i++)
            batch->codes[slice][i] = square_code[batch->square[slice][i]];
    }
    return layout_init_slices(layout, shape, batch->slices, (const uint8_t(*)[FIXED_MAX])batch->codes);
}

// ---- importing ----

// Is the complement of the plane wanted? For example, BITS_NOT_WON is ~SLAB_WON.
static bool is_inverted(enum zeroing_bits which)
{
    return which != BITS_LOST && which != BITS_LOST_EVER;
}

static enum slab_plane plane_of(enum zeroing_bits which)
{
    static const enum slab_plane planes[] = {[BITS_LOST] = SLAB_LOST,     [BITS_LOST_EVER] = SLAB_LOST_EVER,
                                             [BITS_NOT_WON] = SLAB_WON,   [BITS_NOT_WON_EVER] = SLAB_WON_EVER,
                                             [BITS_LEGAL] = SLAB_ILLEGAL, [BITS_EXIST] = SLAB_ILLEGAL};
    return planes[which];
}

// Does a move whose worth is given by a rule have that bit, if it is legal?
static bool rule_says(enum slice_worth worth, enum zeroing_bits which)
{
    const bool lost = which == BITS_LOST || which == BITS_LOST_EVER;
    return which == BITS_LEGAL || worth == WORTH_WIN || (worth == WORTH_DRAW && !lost);
}

// Moves whose bits are imported together: as many as memory should hold.
struct import_run {
    const struct slice_batch *batch;
    struct plane *plane;
    enum zeroing_bits which;
    struct slab_import *imports; // [count]
    struct slab_bits *bits;      // [count] the bits of each import
    size_t count;
    size_t bytes; // of images
};

static int open_plane(const struct import_run *run, const struct slab *slab, enum slab_plane plane,
                      struct slab_bits *bits)
{
    return slab_bits_open(bits, slab, plane, run->batch->shape.pieces, run->batch->pool);
}

static void close_plane(const struct import_run *run, struct slab_bits *bits)
{
    slab_bits_close(bits, run->batch->shape.pieces, run->batch->pool);
}

// The bits of a double push after which the other side may capture en passant, in memory of their own. Such a capture
// exists if it is legal, holds if the position after it is not won, and wins if that position is lost. So for the side
// to move after the push
//
//     it is a loss if the slab says so and no such capture holds, or if the slab says stalemate, and such a capture
//     exists but none holds;
//     it is a win if the slab says so, or if such a capture wins.
static int make_push(const struct import_run *run, const struct slice_move *move, struct slab_bits *bits)
{
    enum { AFTER, STALEMATE, FIRST_REPLY, OF_A_REPLY = 2, OPEN = FIRST_REPLY + 2 * OF_A_REPLY };
    const size_t words = slab_words(run->batch->shape.pieces);
    const bool wins = is_inverted(run->which);
    const bool late = run->which == BITS_LOST_EVER || run->which == BITS_NOT_WON_EVER;
    struct slab_bits open[OPEN] = {{NULL, NULL, NULL}};
    *bits = (struct slab_bits){NULL, NULL, NULL};
    int code = open_plane(run, move->slab, plane_of(run->which), &open[AFTER]);
    const bool held = !wins && move->slab->place[SLAB_STALEMATE].array != NULL; // bounded slabs have none
    if (code == 0 && held)
        code = open_plane(run, move->slab, SLAB_STALEMATE, &open[STALEMATE]);
    for (int i = 0; code == 0 && i < 2 && move->reply[i] != NULL; i++) {
        struct slab_bits *reply = &open[FIRST_REPLY + i * OF_A_REPLY]; // lost, or illegal and won
        if (wins)
            code = open_plane(run, move->reply[i], late ? SLAB_LOST_EVER : SLAB_LOST, &reply[0]);
        else
            code = open_plane(run, move->reply[i], SLAB_ILLEGAL, &reply[0]);
        if (code == 0 && !wins)
            code = open_plane(run, move->reply[i], late ? SLAB_WON_EVER : SLAB_WON, &reply[1]);
    }
    if (code == 0) {
        bits->image = memory_take(threads_memory(run->batch->pool), words * sizeof(uint64_t), NULL);
        code = bits->image == NULL ? error_memory(words * sizeof(uint64_t), "double pushes") : 0;
    }
    for (size_t w = 0; code == 0 && w < words; w++) {
        uint64_t exists = 0;
        uint64_t holds = 0;
        uint64_t won = 0;
        for (int i = 0; i < 2 && move->reply[i] != NULL; i++) {
            const struct slab_bits *reply = &open[FIRST_REPLY + i * OF_A_REPLY];
            if (wins) {
                won |= reply[0].words[w];
            } else {
                exists |= ~reply[0].words[w];
                holds |= ~reply[1].words[w];
            }
        }
        const uint64_t after = open[AFTER].words[w];
        const uint64_t stalemate = held ? open[STALEMATE].words[w] : 0;
        bits->image[w] = wins ? after | won : (after | (stalemate & exists)) & ~holds;
    }
    bits->words = bits->image;
    for (int i = 0; i < OPEN; i++)
        close_plane(run, &open[i]);
    return code;
}

static int add_import(struct import_run *run, const struct slice_move *move)
{
    struct slab_bits *bits = &run->bits[run->count];
    const bool rule = move->worth != WORTH_SLAB;
    if (rule && !rule_says((enum slice_worth)move->worth, run->which))
        return 0;
    if (move->reply[0] != NULL && run->which != BITS_LEGAL && run->which != BITS_EXIST)
        TRY(make_push(run, move, bits));
    else
        TRY(open_plane(run, move->slab, rule ? SLAB_ILLEGAL : plane_of(run->which), bits));
    run->imports[run->count++] = (struct slab_import){.slice = move->slice,
                                                      .where = (enum import_where)move->where,
                                                      .man = move->man,
                                                      .at = move->at,
                                                      .empty = move->empty,
                                                      .invert = rule || is_inverted(run->which),
                                                      .bits = bits->words};
    run->bytes += bits->image != NULL ? slab_words(run->batch->shape.pieces) * sizeof(uint64_t) : 0;
    return 0;
}

static int end_run(struct import_run *run, int code)
{
    struct backend *backend = run->batch->backend;
    if (code == 0 && run->count > 0)
        code = backend->ops->import_slabs(backend, run->plane, run->imports, run->count);
    for (size_t i = 0; i < run->count; i++)
        close_plane(run, &run->bits[i]);
    run->count = 0;
    run->bytes = 0;
    return code;
}

static int import_moves(struct import_run run, const struct slice_moves *moves, bool captures_only)
{
    enum { LIMIT_PARTS = 8 };
    if (moves->count == 0)
        return 0;
    const struct paged *paged = run.batch->slabs->paged;
    const size_t most = paged_limit(paged) / LIMIT_PARTS;
    const size_t open = paged_open_bytes(paged);
    int code = 0;
    run.imports = malloc(moves->count * sizeof *run.imports);
    run.bits = malloc(moves->count * sizeof *run.bits);
    if (run.imports == NULL || run.bits == NULL)
        code = error_memory(moves->count * sizeof *run.imports, "the moves between slices");
    for (size_t i = 0; code == 0 && i < moves->count; i++) {
        if (captures_only && !moves->move[i].capture)
            continue;
        code = add_import(&run, &moves->move[i]);
        if (code == 0 && most > 0 && paged_open_bytes(paged) - open + run.bytes >= most)
            code = end_run(&run, code);
    }
    code = end_run(&run, code);
    free(run.imports);
    free(run.bits);
    return code;
}

int slice_batch_import(const struct slice_batch *batch, struct plane *plane, const struct slice_moves *moves,
                       enum zeroing_bits which, bool captures_only)
{
    const struct import_run run = {.batch = batch, .plane = plane, .which = which};
    return import_moves(run, moves, captures_only);
}

static int batch_captured(void *context, struct plane *plane, int victim, enum zeroing_bits which)
{
    const struct slice_batch *batch = context;
    return slice_batch_import(batch, plane, &batch->captured[victim], which, false);
}

static int batch_pawn_moves(void *context, struct plane *plane, int mover, enum zeroing_bits which, bool captures_only)
{
    const struct slice_batch *batch = context;
    return slice_batch_import(batch, plane, &batch->pawn_moves[mover], which, captures_only);
}

static bool any_cursed(const struct slice_moves *moves)
{
    for (size_t i = 0; i < moves->count; i++) {
        const struct slice_move *move = &moves->move[i];
        if ((move->worth == WORTH_SLAB && move->slab->cursed) || (move->reply[0] != NULL && move->reply[0]->cursed) ||
            (move->reply[1] != NULL && move->reply[1]->cursed))
            return true;
    }
    return false;
}

void slice_batch_zeroing(struct slice_batch *batch)
{
    struct zeroing *zeroing = &batch->zeroing;
    *zeroing = (struct zeroing){.context = batch, .captured = batch_captured, .pawn_moves = batch_pawn_moves};
    for (int side = WHITE; side <= BLACK; side++)
        zeroing->cursed |= any_cursed(&batch->captured[side]) || any_cursed(&batch->pawn_moves[side]);
}
