// external.c - what decides the moves of restricted endgames, and those that are evaluated position by position
#include "restricted/make/external.h"

#include "chess/attacks.h"
#include "index/square.h"
#include "probe/tables.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { JOB_ENTRIES = 2048 }; // taken by a thread at a time

// ---- what decides a move ----

// Finds what has the positions after moves of one side with this capture and promotion.
static int find_source(struct externals *externals, int side, int captured, int promoted)
{
    const struct restricted_bases *bases = externals->bases;
    const uint64_t serving = bases->serving[side][captured][promoted] | bases->unknown;
    enum move_source *source = &externals->source[side][captured][promoted];
    struct material after;
    struct table *table;
    bool full = false; // the folders have a table
    if (!restricted_material_after(&externals->index->spec, side, captured, promoted, &after))
        return 0;
    if (material_men(&after) <= MATERIAL_MEN_MAX && bases->folders != NULL) {
        material_normalise(&after);
        const int code = tables_find_table(bases->folders, &after, &table);
        if (code != 0 && code != CLTB_E_MISSING)
            return code;
        full = code == 0;
    }
    if (serving != 0) {
        const struct restricted_base *base = &bases->base[__builtin_ctzll(serving)];
        full = full && base->missing == NULL && base->table == NULL && base->set == bases->folders;
        *source = full ? SOURCE_FIRST : SOURCE_BASES;
    } else {
        *source = restricted_is_drawn(&after) ? SOURCE_DRAWN : full ? SOURCE_TABLE : SOURCE_NONE;
    }
    return 0;
}

enum slice_worth externals_worth(const struct externals *externals, const struct slice_question *question, bool within,
                                 bool *external)
{
    const struct spec *spec = &externals->index->spec;
    const struct slice_question *q = question;
    const enum move_source source = externals->source[q->mover][q->captured][q->promoted];
    const bool quiet = q->captured == KING && q->promoted == KING;
    *external = quiet && within && q->replies;
    if (quiet && within)
        return q->replies ? WORTH_NONE : WORTH_OWN;
    *external = source == SOURCE_BASES || (quiet && externals->apart[q->mover][q->type]);
    if (*external)
        return WORTH_NONE;
    const int rule =
        source == SOURCE_FIRST ? -1 : spec_rule_for(spec, q->mover, q->type, q->captured, q->promoted, q->to);
    if (rule >= 0)
        return spec->rule[rule].prune == SPEC_CONCEDE ? WORTH_WIN : WORTH_NONE;
    if (source == SOURCE_DRAWN)
        return WORTH_DRAW;
    // Slabs have only outcomes, and leave out en passant replies.
    *external = source == SOURCE_NONE || (quiet && (q->type != PAWN || q->replies));
    return *external ? WORTH_NONE : WORTH_SLAB;
}

// Do the men of a kind have different sets, and do leaving moves have different values on different squares?
static bool is_apart(const struct externals *externals, int colour, int type)
{
    struct slice_question question = {.mover = colour, .type = type, .captured = KING, .promoted = KING};
    bool external[2];
    bool same = true;
    const enum slice_worth worth = externals_worth(externals, &question, false, &external[0]);
    for (question.to = 1; question.to < SQUARES; question.to++)
        same &= externals_worth(externals, &question, false, &external[1]) == worth && external[0] == external[1];
    return !same && externals->bases->common[colour][type] == 0;
}

// ---- opening ----

static int find_sources(struct externals *externals)
{
    for (int i = 0; i < COLOURS * PIECE_TYPES * PAWN; i++)
        TRY(find_source(externals, i / (PIECE_TYPES * PAWN), i / PAWN % PIECE_TYPES, i % PAWN));
    for (int i = 0; i < externals->index->pieces; i++) {
        const struct spec_man *man = &externals->index->spec.man[externals->index->piece[i]];
        bool *apart = &externals->apart[man->colour][man->type];
        *apart = *apart || is_apart(externals, man->colour, man->type);
    }
    return 0;
}

int externals_open(struct externals *externals)
{
    TRY(memory_new(&externals->code, externals->index->slices, sizeof *externals->code, "slices"));
    TRY(memory_new(&externals->parts, externals->index->slices, sizeof *externals->parts, "slices"));
    TRY(memory_new(&externals->scratch, (size_t)threads_count(externals->pool), sizeof *externals->scratch,
                   "positions"));
    return find_sources(externals);
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
}

// ---- which slices and moves ----

static bool is_external(const struct externals *externals, const struct slice_question *question, bool within)
{
    bool external;
    (void)externals_worth(externals, question, within, &external);
    return external;
}

// Completes the question about a pawn's move without capture or promotion. Does it stay within the endgame?
static bool is_push_within(const struct externals *externals, uint32_t slice, int from, struct slice_question *question)
{
    const uint64_t *pawns = externals->index->slice[slice].pawns;
    const uint64_t beside = king_attacks(question->to) & rank_line(question->to);
    uint64_t after[COLOURS] = {pawns[WHITE], pawns[BLACK]};
    bool mirrored;
    after[question->mover] ^= square_bit(from) | square_bit(question->to);
    question->replies = abs(question->to - from) == 16 && (beside & pawns[question->mover ^ 1]) != 0;
    return restricted_slice_of(externals->index, after, &mirrored) >= 0;
}

// Does a side have pawn moves that must be looked at?
static bool pawns_need(const struct externals *externals, uint32_t slice, int side)
{
    const struct restricted_index *index = externals->index;
    const uint64_t *pawns = index->slice[slice].pawns;
    const uint64_t occupied = pawns[WHITE] | pawns[BLACK];
    const int forward = side == WHITE ? 8 : -8;
    struct slice_question move = {.mover = side, .type = PAWN};
    bool need = false;
    for (uint64_t left = pawns[side]; left != 0 && !need;) {
        const int from = set_pop(&left);
        const bool last = square_rank(from) == (side == WHITE ? 6 : 1);
        for (move.promoted = last ? QUEEN : KING; move.promoted <= (last ? KNIGHT : KING); move.promoted++) {
            for (move.captured = QUEEN; move.captured <= PAWN; move.captured++) {
                bool any = move.captured == PAWN && (pawn_attacks(side, from) & pawns[side ^ 1]) != 0;
                for (int i = 0; i < index->pieces; i++) {
                    const struct spec_man *man = &index->spec.man[index->piece[i]];
                    any |= man->colour != side && man->type == move.captured;
                }
                need |= any && is_external(externals, &move, false);
            }
            move.captured = KING;
            need |= last && is_external(externals, &move, false);
        }
        move.promoted = KING;
        for (move.to = from + forward; !last && (occupied & square_bit(move.to)) == 0; move.to += forward) {
            const bool within = is_push_within(externals, slice, from, &move);
            need |= is_external(externals, &move, within);
            if (move.to != from + forward || square_rank(from) != (side == WHITE ? 1 : 6))
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
        struct slice_question move = {.mover = side, .type = own->type, .captured = KING, .promoted = KING};
        if (own->colour != side)
            continue;
        for (; move.to < SQUARES; move.to++)
            need |= (own->squares >> move.to & 1) == 0 && is_external(externals, &move, false);
        for (int j = 0; j < index->spec.men; j++) {
            const struct spec_man *other = &index->spec.man[j];
            move.captured = other->type;
            need |= other->colour != side && other->type != KING && is_external(externals, &move, false);
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
        for (uint32_t i = 0; i < index->slices; i++) {
            if (all || pawns_need(externals, i, side))
                entries += index->slice_entries;
        }
    }
    return entries;
}

// ---- looking ----

// Is this an external move, or may it be one?
static bool wants(const struct externals *externals, uint32_t slice, const struct position *position, uint32_t packed,
                  bool *within)
{
    struct slice_question move = {.mover = position->side,
                                  .type = piece_type(position->board[move_from(packed)]),
                                  .captured = move_is_capture(packed) ? piece_type(move_captured(packed)) : KING,
                                  .promoted = move_promoted(packed) != EMPTY ? piece_type(move_promoted(packed)) : KING,
                                  .to = move_to(packed)};
    *within = move.type == PAWN && move.captured == KING && move.promoted == KING &&
              is_push_within(externals, slice, move_from(packed), &move);
    return is_external(externals, &move, *within);
}

static int add_moves(const struct externals *externals, uint32_t slice, const struct position *position, bool pushes,
                     uint16_t *code)
{
    const struct spec *spec = &externals->index->spec;
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    for (int i = 0; i < count; i++) {
        enum restricted_kind kind;
        int rule;
        uint16_t value;
        bool within;
        if (!wants(externals, slice, position, moves[i], &within) || (pushes && !within))
            continue;
        TRY(restricted_classify(externals->bases, spec, position, moves[i], &kind, &rule));
        if (kind == MOVE_QUIET || kind == MOVE_DISCARD || (kind == MOVE_WITHIN && !pushes))
            continue;
        TRY(restricted_move_value(externals->bases, spec, externals->solved, position, moves[i], kind, &value));
        *code = restricted_better(*code, value);
    }
    return 0;
}

// Takes the rules that decide a move out of *idle.
static int note_rules(const struct externals *externals, const struct position *position, atomic_uint_fast64_t *idle)
{
    const struct spec *spec = &externals->index->spec;
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    for (int i = 0; i < count; i++) {
        enum restricted_kind kind;
        int rule = spec_rule_of(spec, position, moves[i]);
        if (rule < 0 || (atomic_load_explicit(idle, memory_order_relaxed) >> rule & 1) == 0)
            continue;
        TRY(restricted_classify(externals->bases, spec, position, moves[i], &kind, &rule));
        if (rule >= 0)
            atomic_fetch_and_explicit(idle, ~(UINT64_C(1) << rule), memory_order_relaxed);
    }
    return 0;
}

// Some entries of a slice, alternating between the sides to move.
struct part {
    struct externals *externals;
    uint32_t slice;
    uint64_t first;             // entry
    bool pushes;                //
    atomic_uint_fast64_t *idle; // rules that are looked for; NULL: codes are
};

static int look_at_entries(void *context, uint64_t item, int worker)
{
    const struct part *part = context;
    struct externals *externals = part->externals;
    const struct restricted_index *index = externals->index;
    // Rules are looked for in an order that soon reaches every part of a slice.
    const uint64_t step = part->idle != NULL ? UINT64_C(2654435761) : 1; // divides no number of entries
    const int side = (int)(item % COLOURS);
    uint16_t *code = externals->code[part->slice][side];
    const uint64_t first = part->first + item / COLOURS * JOB_ENTRIES;
    struct position *position = &externals->scratch[worker];
    for (uint64_t i = first; i < index->slice_entries && i < first + JOB_ENTRIES; i++) {
        const uint64_t entry = i * step % index->slice_entries;
        if (part->idle != NULL ? atomic_load_explicit(part->idle, memory_order_relaxed) == 0 : code == NULL)
            return 0;
        if (restricted_position(index, part->slice, entry, side, position))
            TRY(part->idle != NULL ? note_rules(externals, position, part->idle)
                                   : add_moves(externals, part->slice, position, part->pushes, &code[entry]));
    }
    return 0;
}

static int look_at_part(struct part *part, uint64_t count)
{
    const uint64_t items = COLOURS * ((count + JOB_ENTRIES - 1) / JOB_ENTRIES);
    return threads_each(part->externals->pool, items, look_at_entries, part);
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
    struct part part = {.externals = externals, .slice = slice, .pushes = pushes};
    uint32_t number = pushes ? 0 : externals->parts[slice];
    if (!pushes)
        TRY(externals_room(externals, slice));
    for (uint64_t count; (count = externals_part_entries(externals, slice, number)) > 0; number++) {
        part.first = (uint64_t)number * EXTERNALS_PART;
        TRY(look_at_part(&part, count));
        if (!pushes)
            TRY(externals->found(externals->context, slice, number));
        TRY(externals->stop(externals->context));
    }
    return 0;
}

int externals_idle_rules(struct externals *externals, uint64_t *idle)
{
    const struct restricted_index *index = externals->index;
    atomic_uint_fast64_t rules = 0;
    struct part part = {.externals = externals, .idle = &rules};
    for (int i = 0; i < index->spec.rules; i++)
        rules |= index->spec.rule[i].pattern.stalemate ? 0 : UINT64_C(1) << i;
    for (; part.slice < index->slices && rules != 0; part.slice++) {
        for (part.first = 0; part.first < index->slice_entries && rules != 0; part.first += EXTERNALS_PART) {
            const uint64_t left = index->slice_entries - part.first;
            TRY(look_at_part(&part, left < EXTERNALS_PART ? left : EXTERNALS_PART));
            TRY(externals->stop(externals->context));
        }
    }
    *idle = rules;
    return 0;
}

// ---- entries of planes ----

// Adds the entries of a position: its pieces of one kind may be in any order.
static int add_orders(struct external_list *list, const struct frame *frame, int k, uint64_t at,
                      const uint8_t where[SPEC_MEN_MAX], uint32_t left, uint16_t code)
{
    while (k < frame->kinds && (frame->kind[k].fixed || left == 0)) {
        k++;
        left = k < frame->kinds ? (1U << frame->kind[k].men) - 1 : 0;
    }
    if (k == frame->kinds) {
        TRY(memory_grow(&list->entry, &list->room, list->count + 1, sizeof *list->entry,
                        "moves of a restricted endgame"));
        list->entry[list->count++] = (struct external_entry){at, code};
        return 0;
    }
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
            const size_t combo = frame_combo(frame, image, true);
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
