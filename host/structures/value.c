// value.c - the values of positions in the two runs; a position and its moves
#include "structures/value.h"

#include "util/error.h"

#include <stdlib.h>
#include <string.h>

bool structure_can_win(const struct material *material, int side)
{
    return material_men(material) > 2 && memcmp(material->count[side] + QUEEN, (uint8_t[PAWN]){0}, PAWN) != 0;
}

static int value_of(const struct structure_values *values, int winner, struct position *position,
                    const uint64_t *promoted, struct cltb_value *value);

// Takes the captures of some kind into account, as far as they are better than the value so far: en passant, or all
// except those by men on `promoted` (may be NULL).
static int try_moves(const struct structure_values *values, int winner, struct position *position, bool en_passant,
                     const uint64_t *promoted, struct cltb_value *value)
{
    uint32_t moves[MOVES_MAX];
    const int count = moves_legal(position, moves);
    bool others = false;
    for (int i = 0; i < count; i++)
        others |= !move_is_en_passant(moves[i]);
    for (int i = 0; i < count; i++) {
        const uint64_t to = UINT64_C(1) << move_to(moves[i]);
        uint64_t since = promoted != NULL ? *promoted : 0; // the men that have been promoted after the move
        struct cltb_value after;
        if (!(en_passant ? move_is_en_passant(moves[i]) : move_is_capture(moves[i])) ||
            (since >> move_from(moves[i]) & 1) != 0)
            continue;
        since = (since & ~to) | (move_promoted(moves[i]) != EMPTY ? to : 0);
        TRY(position_make(position, moves[i]));
        const int code = value_of(values, winner, position, promoted != NULL ? &since : NULL, &after);
        position_undo(position);
        TRY(code);
        after = value_before(after, true);
        if (value_compare(after, *value) < 0 || !others)
            *value = after;
        others = true;
    }
    return 0;
}

static int value_of(const struct structure_values *values, int winner, struct position *position,
                    const uint64_t *promoted, struct cltb_value *value)
{
    const struct material material = material_of(position);
    enum structure_state state = STRUCTURE_BOUNDED;
    const uint64_t none = 0;
    *value = (struct cltb_value){.outcome = CLTB_DRAW};
    if (material_men(&material) == 2)
        return 0;
    TRY(values->known(values, winner, position, value, &state));
    if (state == STRUCTURE_TABLE)
        return 0;
    if (state == STRUCTURE_SOLVED)
        return position->en_passant == NO_SQUARE
                   ? 0
                   : try_moves(values, winner, position, true, promoted != NULL ? &none : NULL, value);
    if (structure_can_win(&material, winner))
        *value = position->side == winner ? (struct cltb_value){CLTB_WIN, 1, 0} : (struct cltb_value){CLTB_LOSS, 1, 0};
    return try_moves(values, winner, position, false, promoted, value);
}

int structure_value(const struct structure_values *values, int winner, struct position *position,
                    struct cltb_value *value)
{
    return value_of(values, winner, position, NULL, value);
}

int structure_value_after(const struct structure_values *values, int winner, struct position *position, uint32_t move,
                          struct cltb_value *value)
{
    const uint64_t promoted = move_promoted(move) != EMPTY ? UINT64_C(1) << move_to(move) : 0;
    return value_of(values, winner, position, &promoted, value);
}

// ---- a position and its moves ----

// The winner of bounded structures in the run in which the side gets least; any run if nothing is bounded.
static int least_winner(const struct structure_values *values, int side)
{
    return values->bounded ? side ^ 1 : WHITE;
}

// The least and the greatest value of the position, or of a move.
static int both_values(const struct structure_answer *answer, const struct structure_values *values,
                       const struct verdict_move *move, struct verdict_value *value)
{
    const int least = least_winner(values, answer->position.side);
    for (int run = 0; run < (values->bounded ? 2 : 1); run++) {
        struct position after;
        struct cltb_value *to = run == 0 ? &value->low : &value->high;
        position_copy(&after, &answer->position);
        if (move != NULL)
            TRY(position_make(&after, move->move));
        TRY(structure_value(values, least ^ run, &after, to));
        if (move != NULL)
            *to = value_before(*to, move->zeroing);
        *to = value_with_clock(*to, answer->position.fifty);
    }
    if (!values->bounded)
        value->high = value->low;
    return 0;
}

static int compare_moves(const void *left, const void *right)
{
    const struct verdict_move *a = left;
    const struct verdict_move *b = right;
    const int low = value_compare(a->value.low, b->value.low);
    const int high = value_compare(a->value.high, b->value.high);
    if (low != 0 || high != 0)
        return low != 0 ? low : high;
    if (a->mate != b->mate)
        return b->mate - a->mate;
    return a->move < b->move ? -1 : a->move > b->move;
}

void structure_answer_sort(struct structure_answer *answer)
{
    qsort(answer->move, (size_t)answer->moves, sizeof answer->move[0], compare_moves);
}

// The moves give at least as much as the position's own value: after a promotion they look at more captures.
static int combine(struct structure_answer *answer)
{
    const struct verdict_move *moves = answer->move;
    struct verdict_value *value = &answer->value;
    struct cltb_value high = moves[0].value.high;
    for (int i = 1; i < answer->moves; i++) {
        if (value_compare(moves[i].value.high, high) < 0)
            high = moves[i].value.high;
    }
    if (value_compare(moves[0].value.low, value->low) > 0 || value_compare(high, value->high) < 0)
        return error_set(CLTB_E_MISMATCH, "the moves of the position do not give its value");
    *value = (struct verdict_value){moves[0].value.low, high};
    return 0;
}

int structure_answer_find(struct structure_answer *answer, const struct structure_values *values)
{
    uint32_t moves[MOVES_MAX];
    struct position *position = &answer->position;
    TRY(both_values(answer, values, NULL, &answer->value));
    answer->moves = moves_legal(position, moves);
    for (int i = 0; i < answer->moves; i++) {
        struct verdict_move *move = &answer->move[i];
        *move = (struct verdict_move){.move = moves[i], .zeroing = move_is_zeroing(position, moves[i])};
        TRY(position_make(position, moves[i]));
        move->mate = position_in_check(position) && !moves_any(position);
        position_undo(position);
        TRY(both_values(answer, values, move, &move->value));
    }
    structure_answer_sort(answer);
    return answer->moves == 0 ? 0 : combine(answer);
}

int structure_only_move(const struct structure_answer *answer)
{
    int only = 1;
    for (int i = 1; i < answer->moves; i++) {
        if (answer->move[i].value.low.outcome >= answer->value.high.outcome)
            return 0;
        if (answer->move[i].value.high.outcome >= answer->value.low.outcome)
            only = -1;
    }
    return verdict_certain(&answer->value, false) ? only : -1;
}

// ---- the best line ----

// The value of a position after a move from one that a structure or a table has. known: is it in one of these, too?
// After a move from a structure it always counts as known.
static int value_after(const struct structure_values *values, int winner, enum structure_state from,
                       struct position *position, struct cltb_value *value, bool *known)
{
    enum structure_state state = STRUCTURE_SOLVED;
    const struct material material = material_of(position);
    if (from == STRUCTURE_TABLE && material_men(&material) > 2)
        TRY(values->known(values, winner, position, value, &state));
    *known = state != STRUCTURE_BOUNDED;
    return structure_value(values, winner, position, value);
}

// The best move by the values of one run; not found if there is none, or neither a structure nor a table has the
// position.
static int best_move(const struct structure_values *values, int winner, struct position *position,
                     struct structure_step *best, bool *found)
{
    uint32_t moves[MOVES_MAX];
    struct cltb_value value = {0};
    *best = (struct structure_step){.state = STRUCTURE_BOUNDED};
    *found = false;
    TRY(values->known(values, winner, position, &best->value, &best->state));
    if (best->state == STRUCTURE_BOUNDED)
        return 0;
    const int count = moves_legal(position, moves);
    bool known = true;
    for (int i = 0; known && i < count; i++) {
        const bool zeroing = move_is_zeroing(position, moves[i]);
        struct cltb_value after;
        TRY(position_make(position, moves[i]));
        const int code = value_after(values, winner, best->state, position, &after, &known);
        position_undo(position);
        TRY(code);
        after = value_before(after, zeroing);
        if (!*found || value_compare(after, value) < 0) {
            value = after;
            best->move = moves[i];
        }
        *found = true;
    }
    *found &= known;
    return 0;
}

int structure_line(const struct structure_answer *answer, const struct structure_values *values,
                   struct structure_step *line, int most)
{
    struct position position;
    const bool lost = answer->value.high.outcome < CLTB_DRAW;
    const int winner = values->bounded ? least_winner(values, answer->position.side) ^ (lost ? 1 : 0) : WHITE;
    int plies = 0;
    position_copy(&position, &answer->position);
    if (!verdict_certain(&answer->value, false) || answer->value.low.outcome == CLTB_DRAW)
        return 0;
    if (answer->plies > 0) {
        for (; plies < answer->plies && plies < most; plies++)
            line[plies] = answer->line[plies];
        return plies;
    }
    for (; plies < most && values->known != NULL; plies++) { // NULL: only a search has decided the outcome
        bool found = false;
        const int code = best_move(values, winner, &position, &line[plies], &found);
        if (code == CLTB_E_MISSING && plies > 0) // of a table to which the last one leads
            break;
        TRY(code);
        if (!found)
            break;
        TRY(position_make(&position, line[plies].move));
    }
    return plies;
}
