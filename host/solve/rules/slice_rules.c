// slice_rules.c - restricted endgames on planes: what is outside, which moves rules decide
//
// Masks of entries are slab imports without a slab: the entries in which a piece stands on a square.
//
//     outside    for a group with equal sets: a piece stands on a square that is not in the set; otherwise all entries
//                but those in which the pieces stand in the sets in some order
//     leaving    the entries outside, without overlaps, that a move of a certain worth leads to. Where the piece came
//                from does not matter: entries outside are taken out of all planes in the end
//     captures   overlaps of a taker and its victim
//     hops       the slices of a plane are read, and imported into the slices that a fixed man's move starts from
#include "solve/rules/slice_rules.h"

#include "chess/attacks.h"
#include "solve/rules/rules.h"
#include "solve/slice_masks.h"
#include "util/error.h"
#include "util/memory.h"

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
static int add_taking(const struct slice_batch *batch, struct plane *plane, int mover, enum slice_worth worth,
                      bool *any)
{
    const struct slice_rules *rules = batch->rules;
    const struct layout *layout = &batch->backend->layout;
    struct men_pairs pairs = {{0}};
    *any = false;
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
            *any = true;
        }
    }
    return *any ? batch->backend->ops->overlaps(batch->backend, plane, &pairs) : 0;
}

// plane |= the entries to which both kinds of moves with this worth lead. `scratch` has two planes.
static int add_decided(const struct slice_batch *batch, struct plane *plane, int mover, enum slice_worth worth,
                       struct plane *const scratch[2])
{
    const struct backend_ops *ops = batch->backend->ops;
    bool any;
    if (batch->rules->groups > 0) {
        TRY(ops->fill(batch->backend, scratch[0], false));
        TRY(ops->fill(batch->backend, scratch[1], false));
        TRY(add_leaving(batch, scratch[0], mover, worth));
        TRY(overlaps_mark(batch->backend, scratch[1], PAIRS_ALL, 0));
        TRY(combine_in(batch, scratch[0], PLANE_AND_NOT, scratch[1]));
        TRY(combine_in(batch, plane, PLANE_OR, scratch[0]));
    }
    return add_taking(batch, plane, mover, worth, &any);
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

static int batch_absent(void *context, struct plane *plane, int mover)
{
    const struct slice_batch *batch = context;
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
    bool any;
    for (int worth = WORTH_WIN; worth <= WORTH_NONE; worth++)
        TRY(add_taking(batch, scratch[1], mover, (enum slice_worth)worth, &any));
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

static int batch_hops(void *context, struct plane *plane, int mover, const struct plane *from, bool invert)
{
    const struct slice_batch *batch = context;
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

// ---- all of it ----

static int batch_external(void *context, struct plane *plane, int side, bool won, int ply)
{
    const struct slice_batch *batch = context;
    return batch->rules->external(batch->rules->context, batch, plane, side, won, ply);
}

static int batch_next_external(void *context, int side, bool won, int ply)
{
    const struct slice_batch *batch = context;
    return batch->rules->next_external(batch->rules->context, side, won, ply);
}

static void close_rules(struct iteration_guest *guest)
{
    free(guest);
}

int slice_rules_zeroing(struct slice_batch *batch)
{
    const struct slice_rules *rules = batch->rules;
    struct rules *to;
    TRY(memory_new(&to, 1, sizeof *to, "rules"));
    rules_open(to);
    to->guest.close = close_rules;
    to->absent = batch_absent;
    if (batch->hops[WHITE].count + batch->hops[BLACK].count > 0)
        to->hops = batch_hops;
    if (rules->external != NULL) {
        to->external = batch_external;
        to->next_external = batch_next_external;
    }
    memcpy(to->stalemate_wins, rules->stalemate_wins, sizeof to->stalemate_wins);
    memcpy(to->stalemate_loses, rules->stalemate_loses, sizeof to->stalemate_loses);
    batch->zeroing.captured = batch_captured;
    batch->zeroing.outside = batch_outside;
    batch->zeroing.attacks = batch_attacks;
    batch->zeroing.guest = &to->guest;
    return 0;
}
