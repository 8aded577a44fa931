// probe.c - the worth of moves in a restricted endgame
//
// A move stays within the endgame if the position after it belongs to it. If all men of its kind have one set, the
// target square decides; only men whose sets differ need the position after the move.
//
// The worth of a double step includes the en passant captures that it allows. No table knows of these, so the position
// after each of them is looked up by the rules and futurebases for leaving moves:
//
//     value with the right = the best of the value without it and of these captures
//     value with the right = the best of these captures, if there is no other legal move
#include "restricted/probe.h"

#include "probe/probe.h"
#include "util/error.h"

#include <string.h>

uint16_t restricted_better(uint16_t a, uint16_t b)
{
    if (a == RESTRICTED_OPEN || b == RESTRICTED_OPEN)
        return a == RESTRICTED_OPEN ? b : a;
    return value_compare(value_of_code(a), value_of_code(b)) <= 0 ? a : b;
}

// The code of a position from the value `after` of the position after a move.
static int code_before(struct cltb_value after, bool zeroing, uint16_t *code)
{
    const struct cltb_value before = value_before(after, zeroing);
    if (before.dtz > TABLE_PLY_MAX)
        return error_set(CLTB_E_USAGE, "a distance of %d plies: tables hold at most %d", before.dtz, TABLE_PLY_MAX);
    *code = before.outcome == CLTB_DRAW ? RESTRICTED_DRAW : value_code(before.outcome > CLTB_DRAW, before.dtz);
    return 0;
}

// The position after a move, with an empty history before.
static int make_copy(struct position *after, const struct position *p, uint32_t move)
{
    memcpy(after, p, offsetof(struct position, history));
    after->ply = 0;
    return position_make(after, move);
}

// ---- en passant ----

// The endgame that a position with the right to capture belongs to. Its futurebases and prune rules come first.
struct home {
    const struct spec *spec;
    bool invert;
    uint64_t bases; // bit = base that is also its futurebase
};

static int cover_value(const struct restricted_bases *bases, const struct restricted_cover *cover,
                       struct position *after, bool zeroing, uint16_t *value);

// The value of an en passant capture to the side that makes it; RESTRICTED_OPEN if it is discarded. With `value` NULL
// only checks that the capture is covered.
static int capture_value(const struct restricted_bases *bases, const struct home *home, const struct position *p,
                         uint32_t move, uint16_t *value)
{
    struct position after;
    struct restricted_cover cover;
    int rule;
    if (home->invert) {
        const int captured = piece_code(piece_colour(move_captured(move)) ^ 1, PAWN);
        struct position flipped;
        TRY(restricted_flip(&flipped, p));
        rule = spec_rule_of(home->spec, &flipped,
                            move_pack(move_from(move) ^ 56, move_to(move) ^ 56, captured, EMPTY, MOVE_EN_PASSANT));
    } else {
        rule = spec_rule_of(home->spec, p, move);
    }
    TRY(make_copy(&after, p, move));
    TRY(restricted_bases_find(bases, home->bases, p, move, &after, &cover));
    if (rule >= 0 && !cover.found) {
        if (value != NULL)
            *value = home->spec->rule[rule].prune == SPEC_CONCEDE ? value_code(true, 1) : RESTRICTED_OPEN;
        return 0;
    }
    if (!cover.found)
        TRY(restricted_bases_require(bases, p, move, &after, &cover));
    return value != NULL ? cover_value(bases, &cover, &after, true, value) : 0;
}

// Takes the en passant captures of p into account: *value is first the value without that right, then the value with
// it. With `value` NULL only checks that the captures are covered.
static int add_captures(const struct restricted_bases *bases, const struct home *home, const struct position *p,
                        uint16_t *value)
{
    uint32_t moves[MOVES_MAX];
    uint16_t best = RESTRICTED_OPEN;
    bool others = false;
    if (!position_en_passant_legal(p))
        return 0;
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        uint16_t capture = RESTRICTED_OPEN;
        if (!move_is_en_passant(moves[i])) {
            others = true;
            continue;
        }
        TRY(capture_value(bases, home, p, moves[i], value != NULL ? &capture : NULL));
        best = restricted_better(best, capture);
    }
    if (value == NULL)
        return 0;
    if (others)
        best = restricted_better(best, *value == RESTRICTED_OPEN ? RESTRICTED_DRAW : *value);
    *value = best == RESTRICTED_OPEN ? value_code(false, 0) : best; // all discarded
    return 0;
}

// ---- values ----

// The value of a move, to the side that makes it, from the position after it.
static int cover_value(const struct restricted_bases *bases, const struct restricted_cover *cover,
                       struct position *after, bool zeroing, uint16_t *value)
{
    struct cltb_value full = {.outcome = CLTB_DRAW};
    if (cover->base != NULL) {
        struct restricted_table *table = cover->base->table;
        const struct home home = {&table->index.spec, cover->base->invert, cover->base->shared};
        uint16_t stored;
        TRY(restricted_table_entry(table, cover->slice, after->side ^ (home.invert ? 1 : 0), cover->entry, &stored));
        TRY(add_captures(bases, &home, after, &stored));
        full = value_of_code(stored);
    } else if (cover->set != NULL && zeroing) {
        TRY(probe_outcome(cover->set, after, &full.outcome)); // the distance does not matter
    } else if (cover->set != NULL) {
        TRY(probe_value(cover->set, after, &full));
    }
    return code_before(full, zeroing, value);
}

int restricted_value(struct restricted_bases *bases, struct restricted_table *table, const struct position *position,
                     uint16_t *value)
{
    const struct home home = {&table->index.spec, false, UINT64_MAX};
    TRY(restricted_table_value(table, position, value));
    return add_captures(bases, &home, position, value);
}

int restricted_move_value(struct restricted_bases *bases, const struct spec *spec,
                          const struct restricted_values *values, const struct position *position, uint32_t move,
                          enum restricted_kind kind, uint16_t *value)
{
    struct position after;
    if (kind == MOVE_CONCEDE) {
        *value = value_code(true, 1);
        return 0;
    }
    TRY(make_copy(&after, position, move));
    if (kind == MOVE_LEAVES) {
        struct restricted_cover cover;
        TRY(restricted_bases_require(bases, position, move, &after, &cover));
        return cover_value(bases, &cover, &after, move_is_zeroing(position, move), value);
    }
    const struct home home = {spec, false, UINT64_MAX};
    uint16_t code;
    if (kind == MOVE_QUIET) { // one ply more
        TRY(restricted_table_value(values->table, &after, &code));
        return code_before(value_of_code(code), false, value);
    }
    TRY(values->table != NULL ? restricted_table_value(values->table, &after, &code)
                              : values->value(values->context, &after, &code));
    TRY(add_captures(bases, &home, &after, &code));
    return code_before(value_of_code(code), true, value);
}

// ---- kinds ----

int restricted_classify(struct restricted_bases *bases, const struct spec *spec, const struct position *position,
                        uint32_t move, enum restricted_kind *kind, int *rule)
{
    const uint64_t common = bases->common[position->side][piece_type(position->board[move_from(move)])];
    struct restricted_cover cover = {.found = false};
    struct home home = {spec, false, UINT64_MAX};
    struct position after;
    bool within = false;
    if (!move_is_capture(move) && move_promoted(move) == EMPTY) {
        within = (common & square_bit(move_to(move))) != 0;
        if (common == 0) {
            uint8_t where[SPEC_MEN_MAX];
            TRY(make_copy(&after, position, move));
            within = spec_match(spec, &after, where);
        }
    }
    if (within) {
        *rule = -1;
        *kind = move_is_pawn(position, move) ? MOVE_WITHIN : MOVE_QUIET;
        if (!move_is_pawn_start(move))
            return 0;
        TRY(make_copy(&after, position, move));
        return add_captures(bases, &home, &after, NULL);
    }
    *rule = spec_rule_of(spec, position, move);
    if (*rule < 0 || restricted_bases_serving(bases, position, move) != 0) {
        TRY(make_copy(&after, position, move));
        TRY(restricted_bases_find(bases, UINT64_MAX, position, move, &after, &cover));
    }
    if (cover.found)
        *rule = -1;
    if (*rule >= 0) {
        *kind = spec->rule[*rule].prune == SPEC_CONCEDE ? MOVE_CONCEDE : MOVE_DISCARD;
        return 0;
    }
    *kind = MOVE_LEAVES;
    if (!cover.found)
        TRY(restricted_bases_require(bases, position, move, &after, &cover));
    if (!move_is_pawn_start(move) || cover.base == NULL)
        return 0;
    home = (struct home){&cover.base->table->index.spec, cover.base->invert, cover.base->shared};
    return add_captures(bases, &home, &after, NULL);
}
