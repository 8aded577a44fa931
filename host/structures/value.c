// value.c - the values of positions in the two runs
#include "structures/value.h"

#include "chess/move.h"
#include "chess/value.h"
#include "util/error.h"

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
    TRY(values->known(values->context, winner, position, value, &state));
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
