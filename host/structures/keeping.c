// keeping.c - solving structures whose pieces are kept to squares
#include "structures/keeping.h"

#include "structures/value.h"

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
    *rules = (struct slice_rules){.context = keeping, .worth = worth_of};
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
    if (code == 0)
        code = zeroing->rules->outside(zeroing->context, outside);
    for (int side = WHITE; code == 0 && side <= BLACK; side++) {
        const bool won = keeping->wins && side == keeping->winner;
        const bool lost = keeping->wins && side != keeping->winner;
        struct plane **early = won ? &solution->won_early[side] : &solution->lost_early[side];
        struct plane **decided = &solution->distance[side][0];
        if (*decided == NULL)
            code = ops->plane_new(backend, decided);
        if (code == 0)
            code = ops->combine(backend, solution->won[side], won ? PLANE_OR : PLANE_AND_NOT, outside);
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
