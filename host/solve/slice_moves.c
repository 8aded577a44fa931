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
    const uint8_t *square; // of the fixed men
    uint64_t occupied;     // by them
};

static int add_move(struct slice_moves *moves, const struct slice_move *move)
{
    if (moves->count == moves->room) {
        const size_t room = moves->room == 0 ? 64 : 2 * moves->room;
        struct slice_move *larger = realloc(moves->move, room * sizeof *larger);
        if (larger == NULL)
            return error_memory(room * sizeof *larger, "the moves between slices");
        moves->move = larger;
        moves->room = room;
    }
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

// The number of a piece, or of a fixed man behind the pieces, among the men of the layout.
static int8_t man_number(const struct slab_shape *shape, int man)
{
    return (int8_t)(man + (shape->pieces < SLICE_LANE_DIGITS ? SLICE_LANE_DIGITS - shape->pieces : 0));
}

// A pawn of the mover goes to a square, taking a piece or a fixed man there (-1: neither). On the last rank it becomes
// each of four pieces.
static int pawn_arrives(const struct listing *list, int pawn, int to, int taken_piece, int taken_fixed)
{
    const struct slab_shape *from = &list->batch->shape;
    const bool last = square_rank(to) == (list->mover == WHITE ? 7 : 0);
    for (int type = last ? QUEEN : PAWN; type <= (last ? KNIGHT : PAWN); type++) {
        struct slab_shape shape = *from;
        uint8_t square[FIXED_MAX];
        memcpy(square, list->square, sizeof square);
        shape.fixed_type[pawn] = (uint8_t)type;
        square[pawn] = (uint8_t)to;
        if (taken_piece >= 0)
            slab_shape_drop_piece(&shape, taken_piece);
        if (taken_fixed >= 0)
            slab_shape_drop_fixed(&shape, square, taken_fixed);
        struct slice_move move = {.slice = list->slice,
                                  .where = taken_piece >= 0 ? IMPORT_AT : IMPORT_ALL,
                                  .man = taken_piece >= 0 ? man_number(from, taken_piece) : -1,
                                  .at = square_code[to],
                                  .empty = NO_SQUARE,
                                  .capture = taken_piece >= 0 || taken_fixed >= 0};
        TRY(slabs_want(list->batch->slabs, &shape, square, list->mover ^ 1, &move.slab));
        TRY(add_move(&list->batch->pawn_moves[list->mover], &move));
    }
    return 0;
}

static int own_push(const struct listing *list, int pawn, int to, int passed)
{
    struct slice_batch *batch = list->batch;
    struct slice_move move = {.slice = list->slice, .where = IMPORT_ALL, .man = -1, .empty = NO_SQUARE};
    uint8_t square[FIXED_MAX];
    int replies = 0;
    if (passed != NO_SQUARE)
        move.empty = square_code[passed];
    // The en passant captures that a double push allows, as the slabs that they lead to.
    for (int side = -1; passed != NO_SQUARE && side <= 1; side += 2) {
        const int taker = square_file(to) + side < 0 || square_file(to) + side > 7 ? -1 : fixed_at(list, to + side);
        struct slab_shape shape = batch->shape;
        if (taker < 0 || shape.fixed_type[taker] != PAWN || shape.fixed_colour[taker] == list->mover)
            continue;
        memcpy(square, list->square, sizeof square);
        square[taker] = (uint8_t)passed;
        slab_shape_drop_fixed(&shape, square, pawn);
        TRY(slabs_want(batch->slabs, &shape, square, list->mover, &move.reply[replies++]));
    }
    memcpy(square, list->square, sizeof square);
    square[pawn] = (uint8_t)to;
    TRY(batch->own->find(batch->own->context, square, list->mover ^ 1, &move.slab));
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
        return pawn_arrives(list, pawn, to, -1, -1);
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
            TRY(pawn_arrives(list, pawn, target, -1, fixed));
            continue;
        }
        for (int i = 0; i < shape->pieces; i++) {
            if (shape->colour[i] != list->mover && shape->type[i] != KING)
                TRY(pawn_arrives(list, pawn, target, i, -1));
        }
    }
    return 0;
}

// What the mover's pieces can take: the position without that man, the other side to move.
static int list_captured(const struct listing *list)
{
    const struct slab_shape *from = &list->batch->shape;
    const int victim = list->mover ^ 1;
    for (int i = 0; i < from->pieces + from->fixed; i++) {
        const bool piece = i < from->pieces;
        const int fixed = i - from->pieces;
        if ((piece ? from->colour[i] : from->fixed_colour[fixed]) != victim || (piece && from->type[i] == KING))
            continue;
        struct slab_shape shape = *from;
        uint8_t square[FIXED_MAX];
        memcpy(square, list->square, sizeof square);
        if (piece)
            slab_shape_drop_piece(&shape, i);
        else
            slab_shape_drop_fixed(&shape, square, fixed);
        struct slice_move move = {.slice = list->slice,
                                  .where = IMPORT_TAKEN,
                                  .man = man_number(from, i),
                                  .empty = NO_SQUARE,
                                  .capture = true};
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
        }
        TRY(list_captured(&list));
    }
    return 0;
}

void slice_batch_free(struct slice_batch *batch)
{
    for (int side = WHITE; side <= BLACK; side++) {
        free(batch->captured[side].move);
        free(batch->pawn_moves[side].move);
        batch->captured[side] = batch->pawn_moves[side] = (struct slice_moves){NULL, 0, 0};
    }
}

int slice_batch_layout(const struct slice_batch *batch, struct layout *layout, uint8_t (**codes)[FIXED_MAX])
{
    const struct slab_shape *shape = &batch->shape;
    uint8_t(*code)[FIXED_MAX] = calloc(batch->slices, sizeof *code);
    *codes = code;
    if (code == NULL)
        return error_memory(batch->slices * sizeof *code, "a batch of slices");
    for (size_t slice = 0; slice < batch->slices; slice++) {
        for (int i = 0; i < shape->fixed; i++)
            code[slice][i] = square_code[batch->square[slice][i]];
    }
    return layout_init_slices(layout, shape, batch->slices, (const uint8_t(*)[FIXED_MAX])code);
}

// ---- importing ----

// What is asked of a plane is its complement: BITS_NOT_WON is ~SLAB_WON.
static bool is_inverted(enum zeroing_bits which)
{
    return which == BITS_NOT_WON || which == BITS_NOT_WON_EVER || which == BITS_LEGAL;
}

static enum slab_plane plane_of(enum zeroing_bits which)
{
    static const enum slab_plane planes[] = {[BITS_LOST] = SLAB_LOST,
                                             [BITS_LOST_EVER] = SLAB_LOST_EVER,
                                             [BITS_NOT_WON] = SLAB_WON,
                                             [BITS_NOT_WON_EVER] = SLAB_WON_EVER,
                                             [BITS_LEGAL] = SLAB_ILLEGAL};
    return planes[which];
}

// Some moves that are imported together: no more than memory should hold.
struct import_run {
    const struct slice_batch *batch;
    struct plane *plane;
    enum zeroing_bits which;
    struct slab_import *imports; // [count]
    struct slab_bits *bits;      // [count] of each import
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

// The bits of a double push after which the other side may take en passant, in memory of their own. Such a capture
// exists where it is legal, holds where the position after it is not won, and wins where that is lost. So for the side
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
    if (code == 0 && !wins)
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
        bits->image[w] = wins ? after | won : (after | (open[STALEMATE].words[w] & exists)) & ~holds;
    }
    bits->words = bits->image;
    for (int i = 0; i < OPEN; i++)
        close_plane(run, &open[i]);
    return code;
}

static int add_import(struct import_run *run, const struct slice_move *move)
{
    struct slab_bits *bits = &run->bits[run->count];
    if (move->reply[0] != NULL && run->which != BITS_LEGAL)
        TRY(make_push(run, move, bits));
    else
        TRY(open_plane(run, move->slab, plane_of(run->which), bits));
    run->imports[run->count++] = (struct slab_import){.slice = move->slice,
                                                      .where = (enum import_where)move->where,
                                                      .man = move->man,
                                                      .at = move->at,
                                                      .empty = move->empty,
                                                      .invert = is_inverted(run->which),
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

static int import_moves(const struct slice_batch *batch, struct plane *plane, const struct slice_moves *moves,
                        enum zeroing_bits which, bool captures_only)
{
    enum { LIMIT_PARTS = 8 };
    if (moves->count == 0)
        return 0;
    struct import_run run = {.batch = batch, .plane = plane, .which = which};
    const struct paged *paged = batch->slabs->paged;
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

static int batch_captured(void *context, struct plane *plane, int victim, enum zeroing_bits which)
{
    const struct slice_batch *batch = context;
    return import_moves(batch, plane, &batch->captured[victim], which, false);
}

static int batch_pawn_moves(void *context, struct plane *plane, int mover, enum zeroing_bits which, bool captures_only)
{
    const struct slice_batch *batch = context;
    return import_moves(batch, plane, &batch->pawn_moves[mover], which, captures_only);
}

static bool any_cursed(const struct slice_moves *moves)
{
    for (size_t i = 0; i < moves->count; i++) {
        const struct slice_move *move = &moves->move[i];
        if (move->slab->cursed || (move->reply[0] != NULL && move->reply[0]->cursed) ||
            (move->reply[1] != NULL && move->reply[1]->cursed))
            return true;
    }
    return false;
}

void slice_batch_zeroing(struct slice_batch *batch, struct zeroing *zeroing)
{
    *zeroing = (struct zeroing){.context = batch, .captured = batch_captured, .pawn_moves = batch_pawn_moves};
    for (int side = WHITE; side <= BLACK; side++)
        zeroing->cursed |= any_cursed(&batch->captured[side]) || any_cursed(&batch->pawn_moves[side]);
}
