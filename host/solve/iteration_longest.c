// iteration_longest.c - the longest wins and losses of a side whose distances are not kept (options->longest_of)
//
// Only when a later step finds nothing is it known that a step was the last one to find anything, and the later step
// would overwrite its plane. So that plane is first exchanged for a spare one, which costs nothing.
//
// Example, losses: ply 4 finds some, ply 5 none, and ply 6 none, which would be written over those of ply 4. It is
// written to the spare plane, and in the end the losses of ply 4 are given.
#include "solve/iteration.h"
#include "solve/iteration_state.h"
#include "util/error.h"

void iteration_forget_longest(struct iteration *it)
{
    it->longest_at = it->found_at[0] = it->found_at[1] = -1;
}

static bool is_longest_of(const struct iteration *it, int side)
{
    return it->options->longest != NULL && side == it->options->longest_of;
}

void iteration_note_longest(struct iteration *it, int side, int ply)
{
    if (is_longest_of(it, side))
        it->found_at[side == it->attacker ? 0 : ply & 1] = ply;
}

// The plane that the next step of a side would write, `*fresh`, may have the positions found by an earlier one: then
// another plane replaces it.
int iteration_keep_longest(struct iteration *it, int side, int ply, struct plane **fresh)
{
    int *found_at = &it->found_at[side == it->attacker ? 0 : ply & 1];
    if (!is_longest_of(it, side) || *found_at < 0)
        return 0;
    if (it->longest == NULL)
        TRY(it->ops->plane_new(it->backend, &it->longest));
    struct plane *kept = *fresh;
    *fresh = it->longest;
    it->longest = kept;
    it->longest_at = *found_at;
    *found_at = -1;
    return 0;
}

int iteration_keep_quiet(struct iteration *it, const struct step *win)
{
    if (it->options->longest == NULL || !it->options->keep_slabs || win->found == 0)
        return 0;
    free_plane(it, &it->quiet);
    it->quiet_at = win->ply;
    if (win->ply != 1 && win->ply != CURSED_PLY)
        return 0;
    TRY(it->ops->plane_new(it->backend, &it->quiet));
    TRY(combine(it, it->quiet, PLANE_COPY, win->fresh));
    return it->extra == NULL ? 0 : combine(it, it->quiet, PLANE_AND_NOT, it->extra);
}

static int give_quiet(struct iteration *it)
{
    const struct solver_longest quiet = {it->attacker, true, it->quiet_at, it->quiet, true};
    const int code = it->quiet == NULL ? 0 : it->options->longest(it->options->context, it->backend, &quiet);
    free_plane(it, &it->quiet);
    return code;
}

int iteration_give_longest(struct iteration *it)
{
    const int side = it->options->longest_of;
    const bool won = side == it->attacker;
    struct solver_longest longest = {side, won, it->longest_at, it->longest, false};
    TRY(give_quiet(it));
    for (int i = 0; i < 2; i++) {
        if (it->found_at[i] > longest.ply) {
            longest.ply = it->found_at[i];
            longest.positions = won ? it->won_new : it->lost_new[i];
        }
    }
    iteration_forget_longest(it);
    return longest.ply < 0 || it->options->longest == NULL
               ? 0
               : it->options->longest(it->options->context, it->backend, &longest);
}
