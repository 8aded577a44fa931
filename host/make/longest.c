// longest.c - the longest wins and losses of a side whose distances are not kept
//
// Only when a later step finds nothing is it known that a step was the last one to find anything, and the later step
// would overwrite its plane. So that plane is first exchanged for a spare one, which costs nothing.
//
// Example, losses: ply 4 finds some, ply 5 none, and ply 6 none, which would be written over those of ply 4. It is
// written to the spare plane, and in the end the losses of ply 4 are given.
#include "make/longest.h"

static void forget(struct longest_watch *watch)
{
    watch->spare_at = watch->found_at[0] = watch->found_at[1] = -1;
}

// The positions found in a side's ply are in the plane that its next step will write or, for losses, the step after
// that.
static int *found_at(struct longest_watch *watch, const struct iteration *it, const struct step *step)
{
    return &watch->found_at[step->side == it->attacker ? 0 : step->ply & 1];
}

static int before(struct iteration_guest *guest, struct iteration *it, struct step *step)
{
    struct longest_watch *watch = (struct longest_watch *)guest;
    int *found = found_at(watch, it, step);
    if (step->side != watch->side || *found < 0)
        return 0;
    if (watch->spare == NULL)
        TRY(it->ops->plane_new(it->backend, &watch->spare));
    struct plane **written = step->side == it->attacker ? &it->won_new : &it->lost_new[step->ply & 1];
    step->fresh = watch->spare;
    watch->spare = *written;
    watch->spare_at = *found;
    *written = step->fresh;
    *found = -1;
    return 0;
}

// Keeps the attacker's wins in 1 ply, or 101, that have no winning zeroing move, until he has longer ones.
static int keep_quiet(struct longest_watch *watch, struct iteration *it, const struct step *win)
{
    free_plane(it, &watch->quiet);
    watch->quiet_at = win->ply;
    if (win->ply != 1 && win->ply != CURSED_PLY)
        return 0;
    TRY(it->ops->plane_new(it->backend, &watch->quiet));
    TRY(combine(it, watch->quiet, PLANE_COPY, win->fresh));
    return it->extra == NULL ? 0 : combine(it, watch->quiet, PLANE_AND_NOT, it->extra);
}

static int counted(struct iteration_guest *guest, struct iteration *it, const struct step *step)
{
    struct longest_watch *watch = (struct longest_watch *)guest;
    if (step->side == watch->side)
        *found_at(watch, it, step) = step->ply;
    return it->options->keep_slabs && step->side == it->attacker ? keep_quiet(watch, it, step) : 0;
}

static int decided(struct iteration_guest *guest, struct iteration *it)
{
    struct longest_watch *watch = (struct longest_watch *)guest;
    const bool won = watch->side == it->attacker;
    struct solver_longest longest = {watch->side, won, watch->spare_at, watch->spare, false};
    const struct solver_longest quiet = {it->attacker, true, watch->quiet_at, watch->quiet, true};
    int code = watch->quiet == NULL ? 0 : watch->give(watch->context, it->backend, &quiet);
    free_plane(it, &watch->quiet);
    TRY(code);
    for (int i = 0; i < 2; i++) {
        if (watch->found_at[i] > longest.ply) {
            longest.ply = watch->found_at[i];
            longest.positions = won ? it->won_new : it->lost_new[i];
        }
    }
    forget(watch);
    code = longest.ply < 0 ? 0 : watch->give(watch->context, it->backend, &longest);
    free_plane(it, &watch->spare);
    return code;
}

static void leave(struct iteration_guest *guest, struct iteration *it)
{
    struct longest_watch *watch = (struct longest_watch *)guest;
    free_plane(it, &watch->spare);
    free_plane(it, &watch->quiet);
    forget(watch);
}

void longest_watch_open(struct longest_watch *watch, int side,
                        int (*give)(void *context, struct backend *backend, const struct solver_longest *longest),
                        void *context)
{
    *watch = (struct longest_watch){.guest = {.before = before, .counted = counted, .decided = decided, .leave = leave},
                                    .side = side,
                                    .give = give,
                                    .context = context};
    forget(watch);
}
