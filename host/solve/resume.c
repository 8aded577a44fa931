// resume.c - going on after a kill: what is saved of the solver beside the planes
#include "solve/solver_inside.h"

#include "util/error.h"

#include <string.h>

enum { NO_PLANE = 0xff };

// What is saved beside the planes; only read by the program that wrote it (see `size` and `version`).
struct saved {
    uint32_t size;
    uint32_t version;
    uint8_t kept[COLOURS];
    uint8_t keep_resolved;
    uint8_t keep_slabs;
    int32_t last_attacker;
    int32_t done_attackers;
    int32_t attacker;
    int32_t ply;
    int32_t changed;
    int32_t stage;
    uint8_t closed;
    uint8_t lost_new[2];
    uint8_t won_new;
    uint8_t won[COLOURS];
    uint8_t resolved[COLOURS];
    uint8_t distance[COLOURS][DISTANCE_PLANES_MAX];
    int32_t codes[COLOURS][COLOURS];
    int32_t longest[COLOURS][5];
    uint64_t plies;
    solver_value value[COLOURS][COLOURS][DISTANCE_CODES];
};

enum { SAVED_VERSION = 1 };

static uint8_t number_of(const struct solver *solver, const struct plane *plane)
{
    return plane == NULL ? NO_PLANE : (uint8_t)solver->backend->keeper->number(plane);
}

static void describe_work(const struct solver *solver, struct saved *saved)
{
    const struct solution *solution = solver->solution;
    const struct solver_options *options = solver->options;
    memset(saved, 0, sizeof *saved);
    saved->size = sizeof *saved;
    saved->version = SAVED_VERSION;
    saved->keep_resolved = options->keep_resolved;
    saved->keep_slabs = options->keep_slabs;
    saved->last_attacker = options->last_attacker;
    saved->done_attackers = solver->done_attackers;
    saved->attacker = solver->attacker;
    saved->ply = solver->ply;
    saved->changed = solver->changed;
    saved->stage = (int32_t)solver->stage;
    saved->closed = number_of(solver, solver->closed);
    saved->won_new = number_of(solver, solver->won_new);
    for (int i = 0; i < 2; i++) {
        saved->kept[i] = options->keep_distance[i];
        saved->lost_new[i] = number_of(solver, solver->lost_new[i]);
        saved->won[i] = number_of(solver, solution->won[i]);
        saved->resolved[i] = number_of(solver, solution->resolved[i]);
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            saved->distance[i][bit] = number_of(solver, solution->distance[i][bit]);
    }
    memcpy(saved->codes, solution->codes, sizeof saved->codes);
    memcpy(saved->longest, solution->longest, sizeof saved->longest);
    memcpy(saved->value, solution->value, sizeof saved->value);
    saved->plies = solution->plies;
}

int solver_save(const struct solver *solver, bool now)
{
    const struct backend_keeper *keeper = solver->backend->keeper;
    struct saved saved;
    if (keeper == NULL)
        return 0;
    describe_work(solver, &saved);
    return keeper->save(solver->backend, &saved, sizeof saved, now);
}

static struct plane *plane_numbered(const struct solver *solver, uint8_t number)
{
    return number == NO_PLANE ? NULL : solver->backend->keeper->plane(solver->backend, number);
}

static bool same_work(const struct solver *solver, const struct saved *saved)
{
    const struct solver_options *options = solver->options;
    return saved->version == SAVED_VERSION && saved->kept[WHITE] == options->keep_distance[WHITE] &&
           saved->kept[BLACK] == options->keep_distance[BLACK] && saved->keep_resolved == options->keep_resolved &&
           saved->keep_slabs == options->keep_slabs && saved->last_attacker == options->last_attacker &&
           saved->done_attackers >= 0 && saved->done_attackers <= COLOURS && saved->stage > STAGE_BEGIN &&
           saved->stage <= STAGE_RESOLVED && saved->ply >= 0 && saved->ply <= SOLVER_PLY_MAX + 1;
}

int solver_take_up(struct solver *solver)
{
    const struct backend_keeper *keeper = solver->backend->keeper;
    struct solution *solution = solver->solution;
    struct saved saved;
    size_t bytes = 0;
    const void *found = keeper == NULL ? NULL : keeper->saved(solver->backend, &bytes);
    if (found == NULL)
        return 0;
    if (bytes == sizeof saved)
        memcpy(&saved, found, sizeof saved);
    if (bytes != sizeof saved || saved.size != sizeof saved || !same_work(solver, &saved))
        return error_set(CLTB_E_CORRUPT, "the work of an earlier run is of another kind: remove its files");
    solver->done_attackers = saved.done_attackers;
    solver->attacker = saved.attacker & 1;
    solver->defender = solver->attacker ^ 1;
    solver->ply = saved.ply;
    solver->changed = saved.changed != 0;
    solver->stage = (enum solver_stage)saved.stage;
    solver->closed = plane_numbered(solver, saved.closed);
    solver->won_new = plane_numbered(solver, saved.won_new);
    for (int i = 0; i < 2; i++) {
        solver->lost_new[i] = plane_numbered(solver, saved.lost_new[i]);
        solution->won[i] = plane_numbered(solver, saved.won[i]);
        solution->resolved[i] = plane_numbered(solver, saved.resolved[i]);
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            solution->distance[i][bit] = plane_numbered(solver, saved.distance[i][bit]);
    }
    memcpy(solution->codes, saved.codes, sizeof saved.codes);
    memcpy(solution->longest, saved.longest, sizeof saved.longest);
    memcpy(solution->value, saved.value, sizeof saved.value);
    solution->plies = saved.plies;
    if (solver->stage < STAGE_RESOLVED &&
        (solver->closed == NULL || solver->won_new == NULL || solver->lost_new[0] == NULL ||
         solver->lost_new[1] == NULL || solution->won[solver->attacker] == NULL))
        return error_set(CLTB_E_CORRUPT, "the work of an earlier run lacks planes: remove its files");
    return 0;
}
