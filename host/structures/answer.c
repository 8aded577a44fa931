// answer.c - a position and its moves
#include "structures/answer.h"

#include "chess/value.h"
#include "util/error.h"

#include <stdlib.h>

// The winner of bounded structures in the run in which the side gets least; any run if nothing is bounded.
static int least_winner(const struct structure_values *values, int side)
{
    return values->bounded ? side ^ 1 : WHITE;
}

static int value_of(const struct structure_answer *answer, const struct structure_values *values, int winner,
                    const struct verdict_move *move, struct cltb_value *value)
{
    struct position after;
    position_copy(&after, &answer->position);
    if (move == NULL) {
        TRY(structure_value(values, winner, &after, value));
    } else {
        TRY(position_make(&after, move->move));
        TRY(structure_value(values, winner, &after, value));
        *value = value_before(*value, move->zeroing);
    }
    *value = value_with_clock(*value, answer->position.fifty);
    return 0;
}

static int both_values(const struct structure_answer *answer, const struct structure_values *values,
                       const struct verdict_move *move, struct verdict_value *value)
{
    const int least = least_winner(values, answer->position.side);
    TRY(value_of(answer, values, least, move, &value->low));
    value->high = value->low;
    return values->bounded ? value_of(answer, values, least ^ 1, move, &value->high) : 0;
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
    qsort(answer->move, (size_t)answer->moves, sizeof answer->move[0], compare_moves);
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
        TRY(values->known(values->context, winner, position, value, &state));
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
    TRY(values->known(values->context, winner, position, &best->value, &best->state));
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
    for (; plies < most; plies++) {
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
