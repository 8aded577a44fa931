// probe.c - what moves in a restricted endgame are worth
//
// A move stays within the endgame if the position after it belongs to it. Where all identical pieces have one set, that
// is a look at the target square; only men whose sets differ need the position after the move.
//
// A double step is worth what it is with the captures en passant that it allows. No table knows of them, so each is
// looked up where it leads to, by the rules and futurebases that hold for leaving moves:
//
//     value with the right = the best of the value without it and of these captures
//     value with the right = the best of these captures, if there is no other legal move
#include "restricted/bases.h"

#include "chess/fen.h"
#include "chess/notation.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "util/error.h"

#include <string.h>

// ---- codes ----

static bool is_win(uint16_t code)
{
    return code > RESTRICTED_DRAW && code % 2 == 1;
}

static bool is_loss(uint16_t code)
{
    return code > RESTRICTED_DRAW && code % 2 == 0;
}

uint16_t restricted_better(uint16_t a, uint16_t b)
{
    if (a == RESTRICTED_OPEN || b == RESTRICTED_OPEN)
        return a == RESTRICTED_OPEN ? b : a;
    if (is_win(a) || is_win(b))
        return is_win(a) && (!is_win(b) || a < b) ? a : b;
    if (is_loss(a) && is_loss(b))
        return a > b ? a : b;
    return RESTRICTED_DRAW;
}

// Of a draw, RESTRICTED_OPEN or RESTRICTED_DRAW alike, the one that is not "no move".
static uint16_t as_move(uint16_t code)
{
    return code == RESTRICTED_OPEN ? RESTRICTED_DRAW : code;
}

// The code before a move to a position of the code `after`.
static int code_before(uint16_t after, bool zeroing, uint16_t *code)
{
    *code = RESTRICTED_DRAW;
    if (after <= RESTRICTED_DRAW)
        return 0;
    const struct cltb_value before = value_before(restricted_value_of(after), zeroing);
    if (before.dtz > TABLE_PLY_MAX)
        return error_set(CLTB_E_USAGE, "a distance of %d plies: tables hold at most %d", before.dtz, TABLE_PLY_MAX);
    *code = restricted_code(before.outcome > CLTB_DRAW, before.dtz);
    return 0;
}

// ---- positions ----

// The position after a move, with an empty history before.
static int make_copy(struct position *after, const struct position *p, uint32_t move)
{
    memcpy(after, p, offsetof(struct position, history));
    after->ply = 0;
    return position_make(after, move);
}

int restricted_exchange_colours(struct position *turned, const struct position *p)
{
    struct man men[2 * MEN_PER_SIDE_MAX];
    int count = 0;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (int type = KING; type <= PAWN; type++) {
            for (int i = 0; i < p->count[colour][type]; i++)
                men[count++] = (struct man){(uint8_t)type, (uint8_t)(colour ^ 1), p->list[colour][type][i] ^ 56};
        }
    }
    TRY(position_set(turned, men, count, p->side ^ 1));
    return p->en_passant == NO_SQUARE ? 0 : position_set_en_passant(turned, p->en_passant ^ 56);
}

// An en passant capture.
static uint32_t turn_capture(uint32_t move)
{
    const int captured = piece_code(piece_colour(move_captured(move)) ^ 1, PAWN);
    return move_pack(move_from(move) ^ 56, move_to(move) ^ 56, captured, EMPTY, MOVE_EN_PASSANT);
}

// Bare kings, alone or with a bishop or a knight: drawn, whether there is a table or not.
static bool cannot_be_won(const struct position *p)
{
    const int men = position_men(p);
    const int minor =
        p->count[WHITE][BISHOP] + p->count[BLACK][BISHOP] + p->count[WHITE][KNIGHT] + p->count[BLACK][KNIGHT];
    return men == 2 || (men == 3 && minor == 1);
}

// ---- which futurebase has a position ----

struct cover {
    bool found;
    const struct restricted_base *base; // a restricted one, with the position's place in it,
    uint32_t slice;                     //
    uint64_t entry;                     //
    cltb_tables *set;                   // or full tables; neither: it is a draw
};

// `p` is the position before the move, `after` the one behind it.
static uint64_t serving_bases(const struct restricted_bases *bases, const struct position *p, uint32_t move)
{
    const int captured = move_is_capture(move) ? piece_type(move_captured(move)) : KING;
    const int promoted = move_promoted(move) != EMPTY ? piece_type(move_promoted(move)) : KING;
    return bases->serving[p->side][captured][promoted];
}

static int find_in_base(const struct restricted_base *base, const struct position *after, struct cover *cover)
{
    const struct position *p = after;
    struct position turned;
    cover->set = base->set;
    cover->found = base->table == NULL;
    if (cover->found)
        return 0;
    if (base->invert) {
        TRY(restricted_exchange_colours(&turned, after));
        p = &turned;
    }
    cover->found = restricted_find(restricted_table_index(base->table), p, &cover->slice, &cover->entry);
    cover->base = cover->found ? base : NULL;
    return 0;
}

static int find_in_folders(const struct restricted_bases *bases, const struct position *after, struct cover *cover)
{
    struct table *table;
    cover->set = NULL;
    if (bases->folders == NULL || position_men(after) > MATERIAL_MEN_MAX)
        return 0;
    const int code = tables_find(bases->folders, after, &table);
    if (code == CLTB_E_MISSING)
        return 0;
    cover->found = code == 0;
    cover->set = bases->folders;
    return code;
}

// The spec's own futurebases (those of them with a bit in `which`): they come before its prune rules.
static int find_in_bases(const struct restricted_bases *bases, uint64_t which, const struct position *p, uint32_t move,
                         const struct position *after, struct cover *cover)
{
    memset(cover, 0, sizeof *cover);
    for (uint64_t serving = serving_bases(bases, p, move) & which; serving != 0; serving &= serving - 1) {
        TRY(find_in_base(&bases->base[__builtin_ctzll(serving)], after, cover));
        if (cover->found)
            return 0;
    }
    cover->set = NULL;
    return 0;
}

static int find_cover(const struct restricted_bases *bases, const struct position *p, uint32_t move,
                      const struct position *after, struct cover *cover)
{
    TRY(find_in_bases(bases, UINT64_MAX, p, move, after, cover));
    if (cover->found)
        return 0;
    cover->found = cannot_be_won(after);
    return cover->found ? 0 : find_in_folders(bases, after, cover);
}

static int not_covered(const struct restricted_bases *bases, const struct position *p, uint32_t move,
                       const struct position *after)
{
    char fen[FEN_MAX];
    char san[SAN_MAX];
    char name[MATERIAL_NAME_MAX];
    struct material material = material_of(after);
    const char *side = p->side == WHITE ? "White" : "Black";
    fen_write(p, fen);
    san_write(p, move, san);
    material_normalise(&material);
    if (position_men(after) > MATERIAL_MEN_MAX)
        return error_set(CLTB_E_MISSING,
                         "%s's move %s leaves the endgame, and no prune rule or futurebase covers it: %s", side, san,
                         fen);
    return error_set(CLTB_E_MISSING,
                     "%s's move %s leaves the endgame, and no prune rule or futurebase covers it "
                     "(nor is %s.cltb in '%s'): %s",
                     side, san, material_name(&material, name), bases->folder_names, fen);
}

static int require_cover(const struct restricted_bases *bases, const struct position *p, uint32_t move,
                         const struct position *after, struct cover *cover)
{
    TRY(find_cover(bases, p, move, after, cover));
    return cover->found ? 0 : not_covered(bases, p, move, after);
}

// ---- en passant ----

// The endgame that a position with the right to capture belongs to: its futurebases and prune rules come first.
struct home {
    const struct spec *spec;
    bool invert;
    uint64_t bases; // bit = base that is its futurebase, too
};

static int rule_at_home(const struct home *home, const struct position *p, uint32_t move, int *rule)
{
    struct position turned;
    if (!home->invert) {
        *rule = spec_rule_of(home->spec, p, move);
        return 0;
    }
    TRY(restricted_exchange_colours(&turned, p));
    *rule = spec_rule_of(home->spec, &turned, turn_capture(move));
    return 0;
}

static int cover_value(const struct restricted_bases *bases, const struct cover *cover, struct position *after,
                       bool zeroing, uint16_t *value);

// What an en passant capture is worth to the side that makes it; RESTRICTED_OPEN if it is discarded. With `value` NULL
// only whether it is covered.
static int capture_value(const struct restricted_bases *bases, const struct home *home, const struct position *p,
                         uint32_t move, uint16_t *value)
{
    struct position after;
    struct cover cover;
    int rule;
    TRY(rule_at_home(home, p, move, &rule));
    TRY(make_copy(&after, p, move));
    TRY(find_in_bases(bases, home->bases, p, move, &after, &cover));
    if (rule >= 0 && !cover.found) {
        if (value != NULL)
            *value = home->spec->rule[rule].prune == SPEC_CONCEDE ? restricted_code(true, 1) : RESTRICTED_OPEN;
        return 0;
    }
    if (!cover.found)
        TRY(require_cover(bases, p, move, &after, &cover));
    return value != NULL ? cover_value(bases, &cover, &after, true, value) : 0;
}

static int check_captures(const struct restricted_bases *bases, const struct home *home, const struct position *p)
{
    uint32_t moves[MOVES_MAX];
    if (!position_en_passant_legal(p))
        return 0;
    const int count = moves_legal(p, moves);
    for (int i = 0; i < count; i++) {
        if (move_is_en_passant(moves[i]))
            TRY(capture_value(bases, home, p, moves[i], NULL));
    }
    return 0;
}

// *value: without the right; then with it.
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
        uint16_t capture;
        if (!move_is_en_passant(moves[i])) {
            others = true;
            continue;
        }
        TRY(capture_value(bases, home, p, moves[i], &capture));
        best = restricted_better(best, capture);
    }
    if (others)
        best = restricted_better(best, as_move(*value));
    *value = best == RESTRICTED_OPEN ? restricted_code(false, 0) : best; // all discarded
    return 0;
}

// ---- values ----

static int full_value(cltb_tables *set, struct position *after, bool zeroing, uint16_t *value)
{
    struct cltb_value full = {CLTB_DRAW, 0};
    if (zeroing) { // then only whether it is cursed matters
        TRY(probe_outcome(set, after, &full.outcome));
        full.dtz = full.outcome == CLTB_CURSED_WIN || full.outcome == CLTB_BLESSED_LOSS ? CURSED_PLY : 1;
    } else {
        TRY(probe_value(set, after, &full));
    }
    if (full.outcome == CLTB_DRAW) {
        *value = RESTRICTED_DRAW;
        return 0;
    }
    return code_before(restricted_code(full.outcome > CLTB_DRAW, full.dtz), zeroing, value);
}

// What a move to a position is worth to the side that makes it.
static int cover_value(const struct restricted_bases *bases, const struct cover *cover, struct position *after,
                       bool zeroing, uint16_t *value)
{
    *value = RESTRICTED_DRAW;
    if (cover->base == NULL)
        return cover->set != NULL ? full_value(cover->set, after, zeroing, value) : 0;
    struct restricted_table *table = cover->base->table;
    const bool invert = cover->base->invert;
    const struct home home = {restricted_table_spec(table), invert, cover->base->shared};
    uint16_t stored;
    TRY(restricted_table_entry(table, cover->slice, after->side ^ (invert ? 1 : 0), cover->entry, &stored));
    TRY(add_captures(bases, &home, after, &stored));
    return code_before(stored, zeroing, value);
}

int restricted_move_value(struct restricted_bases *bases, const struct spec *spec,
                          const struct restricted_values *values, const struct position *position, uint32_t move,
                          enum restricted_kind kind, uint16_t *value)
{
    struct position after;
    struct cover cover;
    if (kind == MOVE_CONCEDE) {
        *value = restricted_code(true, 1);
        return 0;
    }
    TRY(make_copy(&after, position, move));
    if (kind == MOVE_LEAVES) {
        TRY(require_cover(bases, position, move, &after, &cover));
        return cover_value(bases, &cover, &after, move_is_zeroing(position, move), value);
    }
    const struct home home = {spec, false, UINT64_MAX};
    uint16_t code;
    TRY(values->value(values->context, &after, &code));
    TRY(add_captures(bases, &home, &after, &code));
    return code_before(code, true, value);
}

// ---- kinds ----

static int is_within(const struct restricted_bases *bases, const struct spec *spec, const struct position *p,
                     uint32_t move, bool *within)
{
    const int type = piece_type(p->board[move_from(move)]);
    const uint64_t common = bases->common[p->side][type];
    *within = false;
    if (move_is_capture(move) || move_promoted(move) != EMPTY)
        return 0;
    if (common != 0) {
        *within = (common & square_bit(move_to(move))) != 0;
        return 0;
    }
    struct position after;
    uint8_t where[SPEC_MEN_MAX];
    TRY(make_copy(&after, p, move));
    *within = spec_match(spec, &after, where);
    return 0;
}

static int classify_leaving(struct restricted_bases *bases, const struct spec *spec, const struct position *p,
                            uint32_t move, enum restricted_kind *kind, int *rule)
{
    struct position after;
    struct cover cover = {.found = false};
    *rule = spec_rule_of(spec, p, move);
    if (*rule < 0 || serving_bases(bases, p, move) != 0) {
        TRY(make_copy(&after, p, move));
        TRY(find_in_bases(bases, UINT64_MAX, p, move, &after, &cover));
    }
    if (cover.found)
        *rule = -1;
    if (*rule >= 0) {
        *kind = spec->rule[*rule].prune == SPEC_CONCEDE ? MOVE_CONCEDE : MOVE_DISCARD;
        return 0;
    }
    *kind = MOVE_LEAVES;
    if (!cover.found)
        TRY(require_cover(bases, p, move, &after, &cover));
    if (!move_is_pawn_start(move) || cover.base == NULL)
        return 0;
    const struct home home = {restricted_table_spec(cover.base->table), cover.base->invert, cover.base->shared};
    return check_captures(bases, &home, &after);
}

int restricted_classify(struct restricted_bases *bases, const struct spec *spec, const struct position *position,
                        uint32_t move, enum restricted_kind *kind, int *rule)
{
    bool within;
    *rule = -1;
    TRY(is_within(bases, spec, position, move, &within));
    if (!within)
        return classify_leaving(bases, spec, position, move, kind, rule);
    *kind = move_is_pawn(position, move) ? MOVE_WITHIN : MOVE_QUIET;
    if (!move_is_pawn_start(move))
        return 0;
    struct position after;
    const struct home home = {spec, false, UINT64_MAX};
    TRY(make_copy(&after, position, move));
    return check_captures(bases, &home, &after);
}
