// slice_rules.c - restricted endgames on planes: what is outside, which moves rules decide, and the iteration with that
//
// Masks of entries are slab imports without a slab: the entries in which a piece stands on a square.
//
//     outside    for a group with equal sets: a piece stands on a square that is not in the set; otherwise all entries
//                but those in which the pieces stand in the sets in some order
//     leaving    the entries outside, without overlaps, that a move of a certain worth leads to. Where the piece came
//                from does not matter: entries outside are taken out of all planes in the end
//     captures   overlaps of a taker and its victim
//     hops       the slices of a plane are read, and imported into the slices that a fixed man's move starts from
//
// Differences to chess (iteration.c):
//
// 1. Begin. Legal moves decide which positions are stalemates; moves that exist decide which are lost in 0. W(0) and
//    `closed` include all entries outside: a quiet move out of the endgame avoids nothing. The worth of such a move
//    comes with the zeroing moves, or is external.
// 2. A step looks at moves of pieces. Moves of fixed men, `hops`, are added: the attacker's to Lnew(n-1) as further
//    wins; the defender's that avoid W(n-1) close their entries for this ply.
// 3. An external move of the attacker wins in its ply. An external move of the defender holds its entry, for good or up
//    to the ply in which it loses.
#include "solve/rules/slice_rules.h"

#include "chess/attacks.h"
#include "solve/iteration_state.h"
#include "solve/slice_masks.h"
#include "util/error.h"
#include "util/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- masks ----

// plane |= the entries in which a piece stands on a square of a set.
static int add_standing(const struct slice_batch *batch, struct plane *plane, int piece, uint64_t squares)
{
    struct slice_masks masks = {.batch = batch};
    int code = 0;
    for (uint32_t slice = 0; code == 0 && slice < batch->slices; slice++) {
        for (uint64_t left = squares; code == 0 && left != 0;)
            code = slice_masks_add(&masks, slice, piece, set_pop(&left), 0);
    }
    return slice_masks_end(&masks, plane, code);
}

static int combine_in(const struct slice_batch *batch, struct plane *to, enum plane_operation operation,
                      const struct plane *from)
{
    return batch->backend->ops->combine(batch->backend, to, operation, from);
}

// ---- outside ----

// The next order of sets; false after the last one. Equal sets are not exchanged.
static bool next_order(uint64_t *set, int count)
{
    int i = count - 1;
    while (i > 0 && set[i - 1] >= set[i])
        i--;
    if (i == 0)
        return false;
    int j = count - 1;
    while (set[j] <= set[i - 1])
        j--;
    const uint64_t first = set[i - 1];
    set[i - 1] = set[j];
    set[j] = first;
    for (int low = i, high = count - 1; low < high; low++, high--) {
        const uint64_t other = set[low];
        set[low] = set[high];
        set[high] = other;
    }
    return true;
}

static int compare_sets(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// plane |= the entries in which no order of a group's pieces fits its sets. `order` and `stands` are scratch planes.
static int add_disorder(const struct slice_batch *batch, const struct slice_group *group, struct plane *plane,
                        struct plane *order, struct plane *stands, struct plane *in)
{
    const struct backend_ops *ops = batch->backend->ops;
    uint64_t set[LAYOUT_PIECES_MAX];
    memcpy(set, group->set, sizeof set);
    qsort(set, (size_t)group->pieces, sizeof set[0], compare_sets);
    TRY(ops->fill(batch->backend, in, false));
    do {
        TRY(ops->fill(batch->backend, order, true));
        for (int i = 0; i < group->pieces; i++) {
            TRY(ops->fill(batch->backend, stands, false));
            TRY(add_standing(batch, stands, group->piece[i], set[i]));
            TRY(combine_in(batch, order, PLANE_AND, stands));
        }
        TRY(combine_in(batch, in, PLANE_OR, order));
    } while (next_order(set, group->pieces));
    TRY(combine_in(batch, order, PLANE_COPY_NOT, in));
    return combine_in(batch, plane, PLANE_OR, order);
}

static int add_group_outside(const struct slice_batch *batch, const struct slice_group *group, struct plane *plane)
{
    const struct backend_ops *ops = batch->backend->ops;
    struct plane *scratch[3] = {NULL};
    for (int i = 0; group->alike && i < group->pieces; i++)
        TRY(add_standing(batch, plane, group->piece[i], ~group->set[i]));
    if (group->alike)
        return 0;
    int code = 0;
    for (int i = 0; code == 0 && i < 3; i++)
        code = ops->plane_new(batch->backend, &scratch[i]);
    THEN(code, add_disorder(batch, group, plane, scratch[0], scratch[1], scratch[2]));
    for (int i = 0; i < 3; i++)
        ops->plane_free(batch->backend, scratch[i]);
    return code;
}

static int batch_outside(void *context, struct plane *plane)
{
    const struct slice_batch *batch = context;
    for (int g = 0; g < batch->rules->groups; g++)
        TRY(add_group_outside(batch, &batch->rules->group[g], plane));
    return 0;
}

// ---- leaving ----

// plane |= the entries to which quiet moves with this worth lead, by which a piece of `mover` leaves its set.
static int add_leaving(const struct slice_batch *batch, struct plane *plane, int mover, enum slice_worth worth)
{
    const struct slice_rules *rules = batch->rules;
    for (int g = 0; g < rules->groups; g++) {
        const struct slice_group *group = &rules->group[g];
        uint64_t squares = 0;
        if (batch->shape.colour[group->piece[0]] != mover)
            continue;
        for (int to = 0; to < SQUARES; to++) {
            const struct slice_question question = {.mover = mover,
                                                    .type = batch->shape.type[group->piece[0]],
                                                    .captured = KING,
                                                    .promoted = KING,
                                                    .to = to};
            squares |= rules->worth(rules->context, &question) == worth ? square_bit(to) : 0;
        }
        for (int i = 0; group->alike && i < group->pieces; i++)
            TRY(add_standing(batch, plane, group->piece[i], squares & ~group->set[i]));
        if (!group->alike && squares != 0)
            TRY(add_group_outside(batch, group, plane));
    }
    return 0;
}

// The same for the overlaps to which captures by pieces lead.
static int add_taking(const struct slice_batch *batch, struct plane *plane, int mover, enum slice_worth worth)
{
    const struct slice_rules *rules = batch->rules;
    const struct layout *layout = &batch->backend->layout;
    struct men_pairs pairs = {{0}};
    bool any = false;
    for (int p = layout->slice_digits; p < layout->pieces; p++) {
        for (int q = layout->slice_digits; q < layout_men(layout); q++) {
            if (layout_colour_of(layout, p) != mover || layout_colour_of(layout, q) == mover ||
                layout_type_of(layout, q) == KING)
                continue;
            const struct slice_question question = {
                .mover = mover, .type = layout->type[p], .captured = layout_type_of(layout, q), .promoted = KING};
            if (rules->worth(rules->context, &question) != worth)
                continue;
            pairs.with[p] |= 1U << q;
            pairs.with[q] |= 1U << p;
            any = true;
        }
    }
    return any ? batch->backend->ops->overlaps(batch->backend, plane, &pairs) : 0;
}

// plane |= the entries to which both kinds of moves with this worth lead. `scratch` has two planes.
static int add_decided(const struct slice_batch *batch, struct plane *plane, int mover, enum slice_worth worth,
                       struct plane *const scratch[2])
{
    const struct backend_ops *ops = batch->backend->ops;
    if (batch->rules->groups > 0) {
        TRY(ops->fill(batch->backend, scratch[0], false));
        TRY(ops->fill(batch->backend, scratch[1], false));
        TRY(add_leaving(batch, scratch[0], mover, worth));
        TRY(overlaps_mark(batch->backend, scratch[1], PAIRS_ALL, 0));
        TRY(combine_in(batch, scratch[0], PLANE_AND_NOT, scratch[1]));
        TRY(combine_in(batch, plane, PLANE_OR, scratch[0]));
    }
    return add_taking(batch, plane, mover, worth);
}

static int with_scratch(const struct slice_batch *batch, struct plane *scratch[2])
{
    TRY(batch->backend->ops->plane_new(batch->backend, &scratch[0]));
    return batch->backend->ops->plane_new(batch->backend, &scratch[1]);
}

static void free_scratch(const struct slice_batch *batch, struct plane *const scratch[2])
{
    batch->backend->ops->plane_free(batch->backend, scratch[0]);
    batch->backend->ops->plane_free(batch->backend, scratch[1]);
}

// plane |= the entries, outside or overlaps, to which moves of `mover` would lead that the rules rule out.
static int add_absent(const struct slice_batch *batch, struct plane *plane, int mover)
{
    struct plane *scratch[2] = {NULL};
    int code = with_scratch(batch, scratch);
    THEN(code, add_decided(batch, plane, mover, WORTH_NONE, scratch));
    free_scratch(batch, scratch);
    return code;
}

// Adds the overlaps of captures that a slab decides: those of the list except those that rules decide.
static int add_listed(const struct slice_batch *batch, struct plane *plane, int mover, enum zeroing_bits which,
                      struct plane *const scratch[2])
{
    const struct backend_ops *ops = batch->backend->ops;
    TRY(ops->fill(batch->backend, scratch[0], false));
    TRY(ops->fill(batch->backend, scratch[1], false));
    TRY(slice_batch_import(batch, scratch[0], &batch->captured[mover ^ 1], which, false));
    for (int worth = WORTH_WIN; worth <= WORTH_NONE; worth++)
        TRY(add_taking(batch, scratch[1], mover, (enum slice_worth)worth));
    TRY(combine_in(batch, scratch[0], PLANE_AND_NOT, scratch[1]));
    return combine_in(batch, plane, PLANE_OR, scratch[0]);
}

static int batch_captured(void *context, struct plane *plane, int victim, enum zeroing_bits which)
{
    const struct slice_batch *batch = context;
    struct plane *scratch[2] = {NULL};
    int code = with_scratch(batch, scratch);
    THEN(code, add_listed(batch, plane, victim ^ 1, which, scratch));
    THEN(code, add_decided(batch, plane, victim ^ 1, WORTH_WIN, scratch));
    if (code == 0 && which != BITS_LOST && which != BITS_LOST_EVER)
        code = add_decided(batch, plane, victim ^ 1, WORTH_DRAW, scratch);
    free_scratch(batch, scratch);
    return code;
}

// ---- fixed pieces ----

static int batch_attacks(void *context, struct plane *plane, int side)
{
    return slice_batch_attacks(context, plane, side);
}

static bool has_hops(const struct slice_batch *batch)
{
    return batch->hops[WHITE].count + batch->hops[BLACK].count > 0;
}

// plane |= the entries from which a quiet move of a fixed piece of `mover` leads into `from`, or ~from.
static int add_hops(const struct slice_batch *batch, struct plane *plane, int mover, const struct plane *from,
                    bool invert)
{
    const struct slice_hops *hops = &batch->hops[mover];
    const size_t words = slab_words(batch->shape.pieces);
    const size_t bytes = batch->slices * words * sizeof(uint64_t);
    struct memory_pool *memory = threads_memory(batch->pool);
    if (hops->count == 0)
        return 0;
    uint64_t *slabs = memory_take(memory, bytes, NULL);
    bool *any = calloc(batch->slices, sizeof *any);
    struct slab_import *imports = malloc(hops->count * sizeof *imports);
    int code = slabs == NULL || any == NULL || imports == NULL
                   ? error_memory(bytes, "the moves of fixed men")
                   : slice_read(batch->backend, from, 0, batch->slices, slabs);
    for (size_t i = 0; code == 0 && !invert && i < batch->slices; i++) {
        for (size_t w = 0; !any[i] && w < words; w++)
            any[i] = slabs[i * words + w] != 0;
    }
    size_t count = 0;
    for (size_t i = 0; code == 0 && i < hops->count; i++) {
        const struct slice_hop *hop = &hops->hop[i];
        if (invert || any[hop->to])
            imports[count++] = (struct slab_import){.slice = hop->from,
                                                    .where = IMPORT_ALL,
                                                    .man = -1,
                                                    .empty = hop->empty,
                                                    .invert = invert,
                                                    .bits = slabs + hop->to * words};
    }
    THEN(code, batch->backend->ops->import_slabs(batch->backend, plane, imports, count));
    memory_give(memory, slabs, bytes);
    free(imports);
    free(any);
    return code;
}

// ---- external moves ----

static int add_external(const struct slice_batch *batch, struct plane *plane, int side, bool won, int ply)
{
    return batch->rules->external(batch->rules->context, batch, plane, side, won, ply);
}

static int next_external(const struct slice_batch *batch, int side, bool won, int ply)
{
    return batch->rules->next_external(batch->rules->context, side, won, ply);
}

// ---- the beginning of the iteration ----

struct rules {
    struct iteration_guest guest; // first, so that its hooks find the rest
    const struct slice_batch *batch;
    // Of the current attacker:
    struct plane *held;     // the defender's entries with an external move that is not lost yet
    struct plane *avoiding; // closed, and the entries that avoid a loss only at this ply
};

// it->extra = the entries of `side` with a move that is legal, or one that exists. `check`: the entries in which its
// king is attacked; `scratch` becomes the entries that no move can lead to.
static int find_moves(const struct slice_batch *batch, struct iteration *it, int side, const struct plane *check,
                      enum zeroing_bits which, struct plane *scratch)
{
    TRY(combine(it, scratch, PLANE_COPY, check));
    TRY(overlaps_mark(it->backend, scratch, PAIRS_OF_SIDE, side));
    TRY(overlaps_mark(it->backend, scratch, PAIRS_ON_KING, side));
    if (which == BITS_EXIST)
        TRY(add_absent(batch, scratch, side));
    TRY(it->ops->pred(it->backend, it->extra, side, scratch, true));
    TRY(it->zeroing->pawn_moves(it->zeroing->context, it->extra, side, which, false));
    TRY(add_hops(batch, it->extra, side, scratch, true));
    return which == BITS_EXIST && batch->rules->external != NULL ? add_external(batch, it->extra, side, false, -1) : 0;
}

// to = the legal entries in which a side is stalemated. `check`: those in which its king is attacked; `illegal`: those
// in which the other king is.
static int find_stalemates(const struct slice_batch *batch, struct iteration *it, int side, const struct plane *check,
                           const struct plane *illegal, struct plane *scratch, struct plane *to)
{
    TRY(find_moves(batch, it, side, check, BITS_LEGAL, scratch));
    TRY(combine(it, to, PLANE_COPY_NOT, it->extra));
    TRY(combine(it, to, PLANE_AND_NOT, check));
    return combine(it, to, PLANE_AND_NOT, illegal);
}

static int begin(struct iteration_guest *guest, struct iteration *it)
{
    struct rules *own = (struct rules *)guest;
    const struct slice_batch *batch = own->batch;
    const struct slice_rules *rules = batch->rules;
    struct solution *solution = it->solution;
    struct plane **stalemate = &solution->stalemate[it->defender];
    struct plane *mates = it->lost_new[0];
    struct plane *illegal = it->won_new;
    struct plane *scratch = it->lost_new[1];
    struct plane *rescued = NULL; // the attacker's stalemates that win
    TRY(it->ops->plane_new(it->backend, &solution->won[it->attacker]));
    TRY(it->ops->plane_new(it->backend, &it->extra));
    TRY(it->ops->plane_new(it->backend, stalemate));
    struct plane *won = solution->won[it->attacker];
    TRY(iteration_illegal(it, it->attacker, won));
    TRY(iteration_illegal(it, it->defender, illegal));
    if (rules->stalemate_wins[it->attacker]) {
        TRY(it->ops->plane_new(it->backend, &it->own_illegal));
        rescued = it->own_illegal;
        TRY(find_stalemates(batch, it, it->attacker, illegal, won, scratch, rescued));
    }
    TRY(find_stalemates(batch, it, it->defender, won, illegal, scratch, *stalemate));
    TRY(find_moves(batch, it, it->defender, won, BITS_EXIST, scratch));
    TRY(combine(it, it->closed, PLANE_COPY_NOT, it->extra));
    TRY(combine(it, mates, PLANE_COPY, it->closed));
    if (!rules->stalemate_loses[it->defender])
        TRY(combine(it, mates, PLANE_AND_NOT, *stalemate));
    TRY(iteration_zeroing(it, it->extra, it->defender, BITS_NOT_WON, false));
    TRY(combine(it, it->closed, PLANE_OR, it->extra));
    if (rules->external != NULL) {
        TRY(it->ops->plane_new(it->backend, &own->held));
        TRY(add_external(batch, own->held, it->defender, false, -1));
    }
    if (rules->external != NULL || has_hops(batch))
        TRY(it->ops->plane_new(it->backend, &own->avoiding));
    TRY(iteration_zeroing(it, it->extra, it->attacker, BITS_LOST, false));
    TRY(iteration_outside(it, won));
    TRY(iteration_outside(it, illegal));
    TRY(combine(it, it->closed, PLANE_OR, illegal));
    TRY(combine(it, mates, PLANE_AND_NOT, illegal));
    if (rescued != NULL) {
        TRY(combine(it, rescued, PLANE_AND_NOT, won));
        TRY(combine(it, won, PLANE_OR, rescued));
        TRY(iteration_record(it, it->attacker, true, 0, rescued));
        free_plane(it, &it->own_illegal);
    }
    return iteration_record(it, it->defender, false, 0, mates);
}

// ---- the plies ----

static int next(struct iteration_guest *guest, const struct iteration *it, int ply)
{
    const struct slice_batch *batch = ((const struct rules *)guest)->batch;
    if (batch->rules->external == NULL)
        return INT_MAX;
    const int win = next_external(batch, it->attacker, true, ply);
    const int loss = next_external(batch, it->defender, false, ply);
    return win < loss ? win : loss;
}

static int before_loss(struct rules *rules, struct iteration *it, struct step *lose)
{
    if (rules->held != NULL && next_external(rules->batch, it->defender, false, lose->ply) == lose->ply) {
        TRY(it->ops->fill(it->backend, rules->avoiding, false));
        TRY(add_external(rules->batch, rules->avoiding, it->defender, false, lose->ply));
        TRY(combine(it, rules->held, PLANE_AND_NOT, rules->avoiding));
        lose->only = NULL; // entries that are no longer held need not have a move to a new win
    }
    TRY(combine(it, rules->avoiding, PLANE_COPY, it->closed));
    if (rules->held != NULL)
        TRY(combine(it, rules->avoiding, PLANE_OR, rules->held));
    if (has_hops(rules->batch)) {
        TRY(add_hops(rules->batch, rules->avoiding, it->defender, lose->in, true));
        lose->only = NULL;
    }
    lose->closed = rules->avoiding;
    return 0;
}

static int before_win(struct rules *rules, struct iteration *it, struct step *win)
{
    const struct slice_batch *batch = rules->batch;
    if (it->extra == NULL)
        TRY(it->ops->plane_new(it->backend, &it->extra));
    if (batch->rules->external != NULL && next_external(batch, it->attacker, true, win->ply) == win->ply)
        TRY(add_external(batch, it->extra, it->attacker, true, win->ply));
    TRY(add_hops(batch, it->extra, it->attacker, win->in, false));
    win->extra = it->extra;
    return 0;
}

static int before(struct iteration_guest *guest, struct iteration *it, struct step *step)
{
    struct rules *rules = (struct rules *)guest;
    if (rules->avoiding == NULL)
        return 0;
    return (step->side == it->defender ? before_loss : before_win)(rules, it, step);
}

static int after(struct iteration_guest *guest, struct iteration *it, const struct step *step)
{
    const struct rules *rules = (const struct rules *)guest;
    return rules->avoiding == NULL || step->side != it->defender ? 0 : combine(it, it->closed, PLANE_OR, step->fresh);
}

static void leave(struct iteration_guest *guest, struct iteration *it)
{
    struct rules *rules = (struct rules *)guest;
    free_plane(it, &rules->held);
    free_plane(it, &rules->avoiding);
}

// ---- all of it ----

static void close_rules(struct iteration_guest *guest)
{
    free(guest);
}

int slice_rules_zeroing(struct slice_batch *batch)
{
    struct rules *rules;
    TRY(memory_new(&rules, 1, sizeof *rules, "rules"));
    *rules = (struct rules){
        .guest = {.begin = begin, .before = before, .after = after, .next = next, .leave = leave, .close = close_rules},
        .batch = batch};
    batch->zeroing.captured = batch_captured;
    batch->zeroing.outside = batch_outside;
    batch->zeroing.attacks = batch_attacks;
    batch->zeroing.guest = &rules->guest;
    return 0;
}
