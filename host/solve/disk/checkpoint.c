// checkpoint.c - the iteration's state for a later run, saved with the backend's planes
#include "solve/disk/checkpoint.h"

#include "solve/iteration.h"

#include <string.h>

enum { SAVED_VERSION = 5, NO_PLANE = 0xff, SAVED_PLANES = 9 + COLOURS * DISTANCE_PLANES_MAX };

// What must be unchanged when work is resumed.
struct task {
    uint32_t size;
    uint32_t version;
    uint8_t kept[COLOURS];
    uint8_t keep_resolved;
    uint8_t keep_slabs;
    int32_t last_attacker;
};

struct saved {
    struct task task;
    struct progress progress;
    int codes[COLOURS][COLOURS];
    int longest[COLOURS][5];
    uint64_t plies;
    uint64_t weight[COLOURS][COLOURS][SOLVER_PLY_MAX + 1];
    uint8_t plane[SAVED_PLANES];
    solver_value value[COLOURS][COLOURS][DISTANCE_CODES];
};

static struct task task_of(const struct iteration *it)
{
    const struct solver_options *options = it->options;
    return (struct task){.size = sizeof(struct saved),
                         .version = SAVED_VERSION,
                         .kept = {options->keep_distance[WHITE], options->keep_distance[BLACK]},
                         .keep_resolved = options->keep_resolved,
                         .keep_slabs = options->keep_slabs,
                         .last_attacker = options->last_attacker};
}

// Lists the planes that are saved, always in the same order.
static void list_planes(struct iteration *it, struct plane **plane[SAVED_PLANES])
{
    struct solution *solution = it->solution;
    size_t n = 0;
    plane[n++] = &it->closed;
    plane[n++] = &it->won_new;
    plane[n++] = &it->own_illegal;
    for (int i = 0; i < 2; i++) {
        plane[n++] = &it->lost_new[i];
        plane[n++] = &solution->won[i];
        plane[n++] = &solution->resolved[i];
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            plane[n++] = &solution->distance[i][bit];
    }
}

// Copies everything but the planes and the task to `saved`, or from it.
static void copy_state(struct iteration *it, struct saved *saved, bool to_saved)
{
    struct solution *solution = it->solution;
    const struct {
        void *here;
        void *there;
        size_t bytes;
    } field[] = {{&it->progress, &saved->progress, sizeof saved->progress},
                 {solution->codes, saved->codes, sizeof saved->codes},
                 {solution->longest, saved->longest, sizeof saved->longest},
                 {&solution->plies, &saved->plies, sizeof saved->plies},
                 {solution->weight, saved->weight, sizeof saved->weight},
                 {solution->value, saved->value, sizeof saved->value}};
    for (size_t i = 0; i < sizeof field / sizeof field[0]; i++)
        memcpy(to_saved ? field[i].there : field[i].here, to_saved ? field[i].here : field[i].there, field[i].bytes);
}

static int save(struct iteration_guest *guest, struct iteration *it, bool now)
{
    const struct keeper *keeper = (const struct keeper *)guest;
    struct plane **plane[SAVED_PLANES];
    struct saved saved;
    memset(&saved, 0, sizeof saved);
    saved.task = task_of(it);
    copy_state(it, &saved, true);
    list_planes(it, plane);
    for (size_t i = 0; i < SAVED_PLANES; i++)
        saved.plane[i] = *plane[i] == NULL ? NO_PLANE : (uint8_t)keeper->number(*plane[i]);
    return keeper->save(it->backend, &saved, sizeof saved, now);
}

static bool state_fits(const struct saved *saved, int last_attacker)
{
    const struct progress *progress = &saved->progress;
    const int done = progress->done_attackers;
    bool fits = progress->stage > STAGE_BEGIN && progress->stage <= STAGE_RESOLVED && progress->ply > 0 &&
                progress->ply <= SOLVER_PLY_MAX + 1 &&
                (progress->stage >= STAGE_SOLVED ? done == COLOURS : done == 0 || done == 1) &&
                progress->attacker == (done == 0 ? last_attacker ^ 1 : last_attacker);
    for (int i = 0; i < COLOURS * COLOURS; i++)
        fits &= saved->codes[i / COLOURS][i % COLOURS] >= 0 && saved->codes[i / COLOURS][i % COLOURS] < DISTANCE_CODES;
    return fits && solver_values_fit(saved->value, saved->longest);
}

// Do the planes exist that the stage needs?
static bool has_planes(const struct iteration *it)
{
    const struct solution *solution = it->solution;
    bool has = it->progress.stage == STAGE_RESOLVED ||
               (it->closed != NULL && it->won_new != NULL && it->lost_new[0] != NULL && it->lost_new[1] != NULL);
    if (!it->clock)
        has &= it->progress.stage != STAGE_EARLY || it->own_illegal != NULL;
    for (int side = WHITE; side <= BLACK; side++) {
        has &= solution->won[side] != NULL || (side != it->attacker && it->progress.done_attackers == 0);
        has &= solution->resolved[side] != NULL || it->progress.stage < STAGE_RESOLVED || !it->options->keep_resolved;
    }
    return has;
}

static int restore(struct iteration_guest *guest, struct iteration *it)
{
    const struct keeper *keeper = (const struct keeper *)guest;
    const struct task task = task_of(it);
    struct plane **plane[SAVED_PLANES];
    struct saved saved;
    size_t bytes = 0;
    const void *found = keeper->saved(it->backend, &bytes);
    if (found == NULL)
        return 0;
    if (bytes == sizeof saved)
        memcpy(&saved, found, sizeof saved);
    if (bytes != sizeof saved || memcmp(&saved.task, &task, sizeof task) != 0 ||
        !state_fits(&saved, task.last_attacker))
        return error_set(CLTB_E_CORRUPT, "the work of an earlier run is of another kind: remove its files");
    copy_state(it, &saved, false);
    iteration_set_attacker(it, saved.progress.attacker);
    list_planes(it, plane);
    uint64_t seen = 0;
    bool fit = true;
    for (size_t i = 0; fit && i < SAVED_PLANES; i++) {
        if (saved.plane[i] == NO_PLANE)
            continue;
        struct plane *kept = keeper->plane(it->backend, saved.plane[i]);
        fit = kept != NULL && !(seen >> saved.plane[i] & 1); // otherwise it would be freed twice
        *plane[i] = fit ? kept : NULL;
        seen |= fit ? UINT64_C(1) << saved.plane[i] : 0;
    }
    if (!fit || !has_planes(it))
        return error_set(CLTB_E_CORRUPT, "the work of an earlier run lacks planes: remove its files");
    return 0;
}

void keeper_open(struct keeper *keeper)
{
    keeper->guest = (struct iteration_guest){.restore = restore, .save = save};
}
