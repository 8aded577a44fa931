// slice_moves.c - the captures and pawn moves of a batch of slices, as imports of slabs
#include "solver/slice_moves.h"

#include "rules/attacks.h"
#include "util/error.h"

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

static void drop_piece(struct slab_shape *shape, int piece)
{
    shape->pieces--;
    memmove(shape->type + piece, shape->type + piece + 1, (size_t)(shape->pieces - piece));
    memmove(shape->colour + piece, shape->colour + piece + 1, (size_t)(shape->pieces - piece));
}

static void drop_fixed(struct slab_shape *shape, uint8_t *square, int man)
{
    shape->fixed--;
    const size_t behind = (size_t)(shape->fixed - man);
    memmove(shape->fixed_type + man, shape->fixed_type + man + 1, behind);
    memmove(shape->fixed_colour + man, shape->fixed_colour + man + 1, behind);
    memmove(square + man, square + man + 1, behind);
}

static int fixed_at(const struct listing *list, int square)
{
    for (int i = 0; i < list->batch->shape.fixed; i++) {
        if (list->square[i] == square)
            return i;
    }
    return -1;
}

// The number of a piece or fixed man among the layout's men.
static int8_t man_number(const struct slab_shape *shape, int piece, int fixed)
{
    const int slice_digits = shape->pieces < SLICE_LANE_DIGITS ? SLICE_LANE_DIGITS - shape->pieces : 0;
    return (int8_t)(slice_digits + (piece >= 0 ? piece : shape->pieces + fixed));
}

// A pawn of the mover goes to a square, taking a piece or a fixed man there (-1: neither). On the last rank it becomes each
// of four pieces.
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
            drop_piece(&shape, taken_piece);
        if (taken_fixed >= 0)
            drop_fixed(&shape, square, taken_fixed);
        struct slice_move move = {.slice = list->slice,
                                  .where = taken_piece >= 0 ? IMPORT_AT : IMPORT_ALL,
                                  .man = taken_piece >= 0 ? man_number(from, taken_piece, -1) : -1,
                                  .at = square_code[to],
                                  .empty = NO_SQUARE,
                                  .capture = taken_piece >= 0 || taken_fixed >= 0};
        TRY(slabs_want(list->batch->slabs, &shape, square, list->mover ^ 1, &move.slab));
        TRY(add_move(&list->batch->pawn_moves[list->mover], &move));
    }
    return 0;
}

// Pawns of the other side that could take en passant, as the slabs that this leads to.
static int list_replies(const struct listing *list, int pawn, int passed, int to, struct slice_move *move)
{
    const struct slab_shape *from = &list->batch->shape;
    int replies = 0;
    for (int side = -1; side <= 1; side += 2) {
        if (square_file(to) + side < 0 || square_file(to) + side > 7)
            continue;
        const int taker = fixed_at(list, to + side);
        if (taker < 0 || from->fixed_type[taker] != PAWN || from->fixed_colour[taker] == list->mover)
            continue;
        struct slab_shape shape = *from;
        uint8_t square[FIXED_MAX];
        memcpy(square, list->square, sizeof square);
        square[taker] = (uint8_t)passed;
        drop_fixed(&shape, square, pawn);
        TRY(slabs_want(list->batch->slabs, &shape, square, list->mover, &move->reply[replies++]));
    }
    return 0;
}

static int own_push(const struct listing *list, int pawn, int to, int passed)
{
    struct slice_batch *batch = list->batch;
    struct slice_move move = {.slice = list->slice, .where = IMPORT_ALL, .man = -1, .empty = NO_SQUARE};
    uint8_t square[FIXED_MAX];
    memcpy(square, list->square, sizeof square);
    square[pawn] = (uint8_t)to;
    if (passed != NO_SQUARE) {
        move.empty = square_code[passed];
        TRY(list_replies(list, pawn, passed, to, &move));
    }
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
            drop_piece(&shape, i);
        else
            drop_fixed(&shape, square, fixed);
        struct slice_move move = {.slice = list->slice,
                                  .where = IMPORT_TAKEN,
                                  .man = piece ? man_number(from, i, -1) : man_number(from, -1, fixed),
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

uint8_t (*slice_batch_codes(const struct slice_batch *batch))[FIXED_MAX]
{
    uint8_t(*codes)[FIXED_MAX] = calloc(batch->slices, sizeof *codes);
    for (size_t slice = 0; codes != NULL && slice < batch->slices; slice++) {
        for (int i = 0; i < batch->shape.fixed; i++)
            codes[slice][i] = square_code[batch->square[slice][i]];
    }
    return codes;
}

// ---- importing ----

static bool ever(enum zeroing_bits which)
{
    return which == BITS_LOST_EVER || which == BITS_NOT_WON_EVER;
}

static const uint64_t *slab_bits(const struct slab *slab, enum zeroing_bits which)
{
    switch (which) {
    case BITS_LOST:
    case BITS_LOST_EVER:
        return slab->lost[ever(which)];
    case BITS_LEGAL:
        return slab->illegal;
    default:
        return slab->won[ever(which)];
    }
}

// What a double push leads to when the other side may take en passant: a loss is none if such a capture holds, a stalemate is one
// if such a capture exists and none holds; a win is one more if such a capture wins.
static void add_replies(uint64_t *bits, const struct slice_move *move, enum zeroing_bits which, size_t words)
{
    const bool late = ever(which);
    const struct slab *after = move->slab;
    for (size_t w = 0; w < words; w++) {
        uint64_t exists = 0;
        uint64_t holds = 0;
        uint64_t wins = 0;
        for (int i = 0; i < 2 && move->reply[i] != NULL; i++) {
            const struct slab *reply = move->reply[i];
            exists |= ~reply->illegal[w];
            holds |= ~reply->won[late][w];
            wins |= reply->lost[late][w];
        }
        if (which == BITS_LOST || which == BITS_LOST_EVER)
            bits[w] = (after->lost[late][w] | (after->stalemate[w] & exists)) & ~holds;
        else
            bits[w] = after->won[late][w] | wins;
    }
}

static bool needs_replies(const struct slice_move *move, enum zeroing_bits which)
{
    return move->reply[0] != NULL && which != BITS_LEGAL;
}

static bool is_inverted(enum zeroing_bits which)
{
    return which == BITS_NOT_WON || which == BITS_NOT_WON_EVER || which == BITS_LEGAL;
}

struct replies_work {
    const struct slice_moves *moves;
    const size_t *which_move; // [count]
    uint64_t *bits;           // [count * words]
    size_t words;
    enum zeroing_bits which;
};

static int replies_item(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct replies_work *work = context;
    add_replies(work->bits + item * work->words, &work->moves->move[work->which_move[item]], work->which, work->words);
    return 0;
}

// The bits of all double pushes with replies: *bits [their number * words], in the order of *which_move.
static int make_replies(const struct slice_batch *batch, const struct slice_moves *moves, enum zeroing_bits which,
                        struct replies_work *work)
{
    size_t count = 0;
    *work = (struct replies_work){.moves = moves, .which = which, .words = slab_words(batch->shape.pieces)};
    for (size_t i = 0; i < moves->count; i++)
        count += needs_replies(&moves->move[i], which);
    if (count == 0)
        return 0;
    size_t *number = malloc(count * sizeof *number);
    work->which_move = number;
    work->bits = malloc(count * work->words * sizeof *work->bits);
    if (number == NULL || work->bits == NULL)
        return error_memory(count * work->words * sizeof *work->bits, "double pushes");
    count = 0;
    for (size_t i = 0; i < moves->count; i++) {
        if (needs_replies(&moves->move[i], which))
            number[count++] = i;
    }
    return threads_each(batch->pool, count, replies_item, work);
}

static int import_moves(const struct slice_batch *batch, struct plane *plane, const struct slice_moves *moves,
                        enum zeroing_bits which, bool captures_only)
{
    struct replies_work replies;
    if (moves->count == 0)
        return 0;
    struct slab_import *imports = malloc(moves->count * sizeof *imports);
    if (imports == NULL)
        return error_memory(moves->count * sizeof *imports, "the moves between slices");
    int code = make_replies(batch, moves, which, &replies);
    size_t count = 0;
    size_t reply = 0;
    for (size_t i = 0; code == 0 && i < moves->count; i++) {
        const struct slice_move *move = &moves->move[i];
        const uint64_t *bits =
            needs_replies(move, which) ? replies.bits + reply++ * replies.words : slab_bits(move->slab, which);
        if (captures_only && !move->capture)
            continue;
        imports[count++] = (struct slab_import){.slice = move->slice,
                                                .where = (enum import_where)move->where,
                                                .man = move->man,
                                                .at = move->at,
                                                .empty = move->empty,
                                                .invert = is_inverted(which),
                                                .bits = bits};
    }
    if (code == 0 && count > 0)
        code = batch->backend->ops->import_slabs(batch->backend, plane, imports, count);
    free((void *)(uintptr_t)replies.which_move);
    free(replies.bits);
    free(imports);
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
