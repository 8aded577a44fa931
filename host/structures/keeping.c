// keeping.c - solving structures whose pieces are kept to squares
#include "structures/keeping.h"

#include "chess/attacks.h"
#include "structures/value.h"
#include "util/error.h"

// The squares that a man can reach. Only pawns stand in its way: other men may leave.
static uint64_t reachable(int colour, int type, int square, uint64_t pawns, uint64_t barred)
{
    uint64_t reached = square_bit(square);
    for (uint64_t open = reached; open != 0;) {
        const uint64_t next = piece_attacks(type, colour, set_pop(&open), pawns) & ~barred & ~reached;
        reached |= next;
        open |= next;
    }
    return reached;
}

bool keeping_locked(const struct position *position, struct structure_sets *sets)
{
    const struct structure_key key = structure_of(position);
    const uint64_t pawns = key.pawns[WHITE] | key.pawns[BLACK];
    uint64_t attacked[COLOURS] = {0}; // by pawns of that colour
    *sets = (struct structure_sets){.squares = {{0}}};
    if (pawns == 0 || ((key.pawns[WHITE] << 8 | key.pawns[BLACK] >> 8) & ~pawns) != 0)
        return false;
    for (int colour = WHITE; colour <= BLACK; colour++) {
        for (uint64_t set = sets->squares[colour][PAWN] = key.pawns[colour]; set != 0;)
            attacked[colour] |= pawn_attacks(colour, set_pop(&set));
    }
    bool locked = true;
    for (int i = 0; i < COLOURS * PIECE_TYPES; i++) {
        const int colour = i / PIECE_TYPES;
        const int type = i % PIECE_TYPES;
        const uint64_t barred = key.pawns[colour] | (type == KING ? attacked[colour ^ 1] : 0);
        uint64_t *squares = &sets->squares[colour][type];
        for (int n = 0; type != PAWN && n < position->count[colour][type]; n++)
            *squares |= reachable(colour, type, position->list[colour][type][n], pawns, barred);
        locked &= ((type == PAWN ? attacked[colour] : *squares) & key.pawns[colour ^ 1]) == 0;
    }
    return locked;
}

static enum slice_worth worth_of(void *context, const struct slice_question *question)
{
    const struct keeping *keeping = context;
    if (question->captured != KING)
        return WORTH_SLAB; // the slab also has the entries outside
    return !keeping->wins ? WORTH_DRAW : question->mover == keeping->winner ? WORTH_WIN : WORTH_NONE;
}

void keeping_find(struct keeping *keeping, const struct structure_sets *sets, const struct slab_shape *shape,
                  int winner)
{
    const struct material material = slab_material(shape);
    struct slice_rules *rules = &keeping->rules;
    *keeping = (struct keeping){.winner = winner, .wins = structure_can_win(&material, winner)};
    *rules = (struct slice_rules){.context = keeping, .worth = worth_of, .zeroing = slice_rules_zeroing};
    for (int i = 0; i < shape->pieces; i++) {
        const uint64_t squares = sets->squares[shape->colour[i]][shape->type[i]];
        const bool alike = i > 0 && shape->type[i] == shape->type[i - 1] && shape->colour[i] == shape->colour[i - 1];
        if (squares == 0)
            continue;
        struct slice_group *group = &rules->group[rules->groups - (alike ? 1 : 0)];
        group->piece[group->pieces] = (uint8_t)i;
        group->set[group->pieces++] = squares;
        group->alike = true;
        rules->groups += alike ? 0 : 1;
    }
}

int keeping_win_outside(const struct keeping *keeping, const struct zeroing *zeroing, struct solution *solution)
{
    struct backend *backend = solution->backend;
    const struct backend_ops *ops = backend->ops;
    struct plane *outside = NULL;
    int code = ops->plane_new(backend, &outside);
    THEN(code, zeroing->outside(zeroing->context, outside));
    for (int side = WHITE; code == 0 && side <= BLACK; side++) {
        const bool won = keeping->wins && side == keeping->winner;
        const bool lost = keeping->wins && side != keeping->winner;
        struct plane **early = won ? &solution->won_early[side] : &solution->lost_early[side];
        struct plane **decided = &solution->distance[side][0];
        if (*decided == NULL)
            code = ops->plane_new(backend, decided);
        THEN(code, ops->combine(backend, solution->won[side], won ? PLANE_OR : PLANE_AND_NOT, outside));
        if (code == 0 && solution->won_early[side] != NULL && !won)
            code = ops->combine(backend, solution->won_early[side], PLANE_AND_NOT, outside);
        if (code == 0 && (won || lost))
            code = ops->combine(backend, *decided, PLANE_OR, outside);
        if (code == 0 && (won || lost) && *early != NULL)
            code = ops->combine(backend, *early, PLANE_OR, outside);
    }
    ops->plane_free(backend, outside);
    return code;
}
