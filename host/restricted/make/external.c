// external.c - the moves of restricted endgames that are evaluated position by position
#include "restricted/make/external.h"

#include "chess/attacks.h"
#include "index/square.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { JOB_ENTRIES = 2048 }; // taken by a thread at a time

int externals_open(struct externals *externals)
{
    TRY(memory_new(&externals->code, externals->index->slices, sizeof *externals->code, "slices"));
    TRY(memory_new(&externals->parts, externals->index->slices, sizeof *externals->parts, "slices"));
    return memory_new(&externals->scratch, (size_t)threads_count(externals->pool), sizeof *externals->scratch,
                      "positions");
}

void externals_forget(struct externals *externals, uint32_t slice)
{
    for (int side = WHITE; side <= BLACK; side++) {
        free(externals->code[slice][side]);
        externals->code[slice][side] = NULL;
    }
}

void externals_close(struct externals *externals)
{
    for (uint32_t slice = 0; externals->code != NULL && slice < externals->index->slices; slice++)
        externals_forget(externals, slice);
    free(externals->code);
    free(externals->parts);
    free(externals->scratch);
    externals->code = NULL;
    externals->parts = NULL;
    externals->scratch = NULL;
}

// ---- which slices and moves ----

struct pawns {
    uint64_t of[COLOURS];
};

static struct pawns pawns_of(const struct restricted_index *index, uint32_t slice)
{
    struct pawns pawns = {{0}};
    for (int i = 0; i < index->pawns; i++)
        pawns.of[index->spec.man[index->pawn[i]].colour] |= square_bit(index->placement[slice][i]);
    return pawns;
}

// A pawn's move without capture or promotion.
static struct restricted_move push_of(const struct restricted_index *index, const struct pawns *pawns, int mover,
                                      int from, int to)
{
    const uint64_t beside = king_attacks(to) & rank_line(to);
    struct pawns after = *pawns;
    after.of[mover] ^= square_bit(from) | square_bit(to);
    return (struct restricted_move){.mover = mover,
                                    .type = PAWN,
                                    .captured = KING,
                                    .promoted = KING,
                                    .to = to,
                                    .within = restricted_slice_of(index, after.of[WHITE], after.of[BLACK]) >= 0,
                                    .replies = abs(to - from) == 16 && (beside & pawns->of[mover ^ 1]) != 0};
}

static bool is_external(const struct restricted_moves *moves, int mover, int type, int captured, int promoted, int to)
{
    const struct restricted_move move = {
        .mover = mover, .type = type, .captured = captured, .promoted = promoted, .to = to};
    return restricted_class_of(moves, &move) == CLASS_EXTERNAL;
}

// Does a side have pawn moves that must be looked at?
static bool pawns_need(const struct externals *externals, uint32_t slice, int side)
{
    const struct restricted_index *index = externals->index;
    const struct pawns pawns = pawns_of(index, slice);
    const uint64_t occupied = pawns.of[WHITE] | pawns.of[BLACK];
    const int forward = side == WHITE ? 8 : -8;
    bool need = false;
    for (uint64_t left = pawns.of[side]; left != 0 && !need;) {
        const int from = set_pop(&left);
        const bool last = square_rank(from) == (side == WHITE ? 6 : 1);
        for (int promoted = last ? QUEEN : KING; promoted <= (last ? KNIGHT : KING); promoted++) {
            for (int captured = QUEEN; captured <= PAWN; captured++) {
                bool any = captured == PAWN && (pawn_attacks(side, from) & pawns.of[side ^ 1]) != 0;
                for (int i = 0; i < index->pieces; i++) {
                    const struct spec_man *man = &index->spec.man[index->piece[i]];
                    any |= man->colour != side && man->type == captured;
                }
                need |= any && is_external(externals->moves, side, PAWN, captured, promoted, 0);
            }
            need |= last && is_external(externals->moves, side, PAWN, KING, promoted, 0);
        }
        for (int to = from + forward; !last && (occupied & square_bit(to)) == 0; to += forward) {
            const struct restricted_move push = push_of(index, &pawns, side, from, to);
            need |= restricted_class_of(externals->moves, &push) == CLASS_EXTERNAL;
            if (to != from + forward || square_rank(from) != (side == WHITE ? 1 : 6))
                break;
        }
    }
    return need;
}

// The same for moves of pieces, in any slice.
static bool pieces_need(const struct externals *externals, int side)
{
    const struct restricted_index *index = externals->index;
    bool need = false;
    for (int i = 0; i < index->pieces; i++) {
        const struct spec_man *own = &index->spec.man[index->piece[i]];
        if (own->colour != side)
            continue;
        for (int to = 0; to < SQUARES; to++)
            need |= (own->squares >> to & 1) == 0 && is_external(externals->moves, side, own->type, KING, KING, to);
        for (int j = 0; j < index->spec.men; j++) {
            const struct spec_man *other = &index->spec.man[j];
            need |= other->colour != side && other->type != KING &&
                    is_external(externals->moves, side, own->type, other->type, KING, 0);
        }
    }
    return need;
}

uint64_t externals_entries(const struct externals *externals)
{
    const struct restricted_index *index = externals->index;
    uint64_t entries = 0;
    for (int side = WHITE; side <= BLACK; side++) {
        const bool all = pieces_need(externals, side);
        for (uint32_t i = 0; i < index->sections; i++) {
            if (all || pawns_need(externals, index->section_slice[i], side))
                entries += index->slice_entries;
        }
    }
    return entries;
}

// ---- looking ----

// Is this an external move, or may it be one?
static bool wants(const struct externals *externals, const struct position *position, const struct pawns *pawns,
                  uint32_t packed, bool *within)
{
    const int from = move_from(packed);
    const int to = move_to(packed);
    struct restricted_move move = {.mover = position->side,
                                   .type = piece_type(position->board[from]),
                                   .captured = move_is_capture(packed) ? piece_type(move_captured(packed)) : KING,
                                   .promoted =
                                       move_promoted(packed) != EMPTY ? piece_type(move_promoted(packed)) : KING,
                                   .to = to};
    if (move.type == PAWN && move.captured == KING && move.promoted == KING)
        move = push_of(externals->index, pawns, position->side, from, to);
    *within = move.within;
    return restricted_class_of(externals->moves, &move) == CLASS_EXTERNAL;
}

static int add_moves(const struct externals *externals, const struct position *position, const struct pawns *pawns,
                     bool pushes, uint16_t *code)
{
    const struct spec *spec = &externals->index->spec;
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    for (int i = 0; i < count; i++) {
        enum restricted_kind kind;
        int rule;
        uint16_t value;
        bool within;
        if (!wants(externals, position, pawns, moves[i], &within) || (pushes && !within))
            continue;
        TRY(restricted_classify(externals->bases, spec, position, moves[i], &kind, &rule));
        if (kind == MOVE_QUIET || kind == MOVE_DISCARD || (kind == MOVE_WITHIN && !pushes))
            continue;
        TRY(restricted_move_value(externals->bases, spec, externals->solved, position, moves[i], kind, &value));
        *code = restricted_better(*code, value);
    }
    return 0;
}

// Some entries of a slice, alternating between the sides to move.
struct part {
    struct externals *externals;
    uint32_t slice;
    uint64_t first; // entry
    bool pushes;
    struct pawns pawns;
};

static int look_at_entries(void *context, uint64_t item, int worker)
{
    const struct part *part = context;
    struct externals *externals = part->externals;
    const struct restricted_index *index = externals->index;
    const int side = (int)(item % COLOURS);
    uint16_t *code = externals->code[part->slice][side];
    const uint64_t first = part->first + item / COLOURS * JOB_ENTRIES;
    struct position *position = &externals->scratch[worker];
    for (uint64_t entry = first; code != NULL && entry < index->slice_entries && entry < first + JOB_ENTRIES; entry++) {
        if (restricted_position(index, part->slice, entry, side, position))
            TRY(add_moves(externals, position, &part->pawns, part->pushes, &code[entry]));
    }
    return 0;
}

int externals_room(struct externals *externals, uint32_t slice)
{
    for (int side = WHITE; side <= BLACK; side++) {
        if (externals->code[slice][side] == NULL &&
            (pieces_need(externals, side) || pawns_need(externals, slice, side)))
            TRY(memory_new(&externals->code[slice][side], externals->index->slice_entries, sizeof(uint16_t),
                           "moves of a restricted endgame"));
    }
    return 0;
}

uint64_t externals_part_entries(const struct externals *externals, uint32_t slice, uint32_t part)
{
    const uint64_t entries = externals->index->slice_entries;
    const uint64_t first = (uint64_t)part * EXTERNALS_PART;
    if ((externals->code[slice][WHITE] == NULL && externals->code[slice][BLACK] == NULL) || first >= entries)
        return 0;
    return entries - first < EXTERNALS_PART ? entries - first : EXTERNALS_PART;
}

int externals_look(struct externals *externals, uint32_t slice, bool pushes)
{
    struct part part = {externals, slice, 0, pushes, pawns_of(externals->index, slice)};
    uint32_t number = pushes ? 0 : externals->parts[slice];
    if (!pushes)
        TRY(externals_room(externals, slice));
    for (uint64_t count; (count = externals_part_entries(externals, slice, number)) > 0; number++) {
        part.first = (uint64_t)number * EXTERNALS_PART;
        TRY(threads_each(externals->pool, COLOURS * ((count + JOB_ENTRIES - 1) / JOB_ENTRIES), look_at_entries, &part));
        if (!pushes)
            TRY(externals->found(externals->context, slice, number));
        TRY(externals->stop(externals->context));
    }
    return 0;
}

// ---- rules that decide nothing ----

struct search {
    const struct externals *externals;
    uint32_t slice;
    uint64_t first; // entry
    atomic_uint_fast64_t idle;
};

static int note_rules(struct search *search, const struct position *position)
{
    const struct externals *externals = search->externals;
    const struct spec *spec = &externals->index->spec;
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    for (int i = 0; i < count; i++) {
        enum restricted_kind kind;
        int rule = spec_rule_of(spec, position, moves[i]);
        if (rule < 0 || (atomic_load_explicit(&search->idle, memory_order_relaxed) >> rule & 1) == 0)
            continue;
        TRY(restricted_classify(externals->bases, spec, position, moves[i], &kind, &rule));
        if (rule >= 0)
            atomic_fetch_and_explicit(&search->idle, ~(UINT64_C(1) << rule), memory_order_relaxed);
    }
    return 0;
}

static int search_entries(void *context, uint64_t item, int worker)
{
    struct search *search = context;
    const struct restricted_index *index = search->externals->index;
    struct position *position = &search->externals->scratch[worker];
    // Go through the entries in an order that soon reaches every part.
    const uint64_t step = UINT64_C(2654435761); // a prime that does not divide any number of entries
    const int side = (int)(item % COLOURS);
    const uint64_t first = search->first + item / COLOURS * JOB_ENTRIES;
    for (uint64_t i = first; i < index->slice_entries && i < first + JOB_ENTRIES; i++) {
        if (atomic_load_explicit(&search->idle, memory_order_relaxed) == 0)
            return 0;
        if (restricted_position(index, search->slice, i * step % index->slice_entries, side, position))
            TRY(note_rules(search, position));
    }
    return 0;
}

int externals_idle_rules(const struct externals *externals, uint64_t *idle)
{
    const struct restricted_index *index = externals->index;
    struct search search = {.externals = externals};
    uint64_t rules = 0;
    for (int i = 0; i < index->spec.rules; i++)
        rules |= index->spec.rule[i].pattern.stalemate ? 0 : UINT64_C(1) << i;
    atomic_init(&search.idle, rules);
    for (uint32_t i = 0; i < index->sections; i++) {
        search.slice = index->section_slice[i];
        for (search.first = 0; search.first < index->slice_entries; search.first += EXTERNALS_PART) {
            const uint64_t left = index->slice_entries - search.first;
            const uint64_t count = left < EXTERNALS_PART ? left : EXTERNALS_PART;
            if (atomic_load(&search.idle) == 0)
                break;
            TRY(threads_each(externals->pool, COLOURS * ((count + JOB_ENTRIES - 1) / JOB_ENTRIES), search_entries,
                             &search));
            TRY(externals->stop(externals->context));
        }
    }
    *idle = atomic_load(&search.idle);
    return 0;
}

// ---- entries of planes ----

static int add_entry(struct external_list *list, uint64_t at, uint16_t code)
{
    TRY(memory_grow(&list->entry, &list->room, list->count + 1, sizeof *list->entry, "moves of a restricted endgame"));
    list->entry[list->count++] = (struct external_entry){at, code};
    return 0;
}

// Adds the entries of a position: its pieces of one kind may be in any order.
static int add_orders(struct external_list *list, const struct frame *frame, int k, uint64_t at,
                      const uint8_t where[SPEC_MEN_MAX], uint32_t left, uint16_t code)
{
    while (k < frame->kinds && (frame->kind[k].fixed || left == 0)) {
        k++;
        left = k < frame->kinds ? (1U << frame->kind[k].men) - 1 : 0;
    }
    if (k == frame->kinds)
        return add_entry(list, at, code);
    const struct frame_kind *kind = &frame->kind[k];
    const int place = kind->place[kind->men - __builtin_popcount(left)];
    for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const int square = where[frame->index->piece[kind->piece[i]]];
        TRY(add_orders(list, frame, k, at | frame_part(frame, place, square), where, left & ~(1U << i), code));
    }
    return 0;
}

int external_list_add(struct external_list *list, const struct externals *externals, const struct frame *frame,
                      uint32_t slice, int side, const uint32_t *dense)
{
    const struct restricted_index *index = externals->index;
    const uint16_t *code = externals->code[slice][side];
    const int symmetries = index->pawns == 0 ? index->symmetries : 1;
    for (uint64_t entry = 0; code != NULL && entry < index->slice_entries; entry++) {
        uint8_t where[SPEC_MEN_MAX];
        if (code[entry] == RESTRICTED_OPEN || !restricted_squares(index, slice, entry, where))
            continue;
        for (int g = 0; g < symmetries; g++) {
            uint8_t image[SPEC_MEN_MAX];
            restricted_mirror(index, g, where, image);
            const size_t combo = frame_combo_of(frame, image);
            const uint64_t at = (uint64_t)dense[combo] << 6 * frame->shape.pieces;
            TRY(add_orders(list, frame, 0, at, image, (1U << frame->kind[0].men) - 1, code[entry]));
        }
    }
    return 0;
}

static int compare_entries(const void *a, const void *b)
{
    const struct external_entry *x = a;
    const struct external_entry *y = b;
    return x->code != y->code ? (x->code < y->code ? -1 : 1) : x->at < y->at ? -1 : x->at > y->at;
}

void external_list_sort(struct external_list *list)
{
    if (list->count > 0)
        qsort(list->entry, list->count, sizeof *list->entry, compare_entries);
}

// The first entry whose code is not less than `code`.
static size_t lower_bound(const struct external_list *list, unsigned code)
{
    size_t low = 0;
    for (size_t high = list->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (list->entry[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint16_t external_list_next(const struct external_list *list, uint16_t code)
{
    const size_t at = lower_bound(list, code);
    return at < list->count ? list->entry[at].code : 0;
}

size_t external_list_range(const struct external_list *list, uint16_t code, size_t *count)
{
    const size_t first = code == 0 ? 0 : lower_bound(list, code);
    *count = (code == 0 ? list->count : lower_bound(list, code + 1U)) - first;
    return first;
}
