// checkpoint.h - a backend that keeps its planes on disk resumes an interrupted iteration
#ifndef CLTB_SOLVE_DISK_CHECKPOINT_H
#define CLTB_SOLVE_DISK_CHECKPOINT_H

#include "solve/iteration_state.h"

// What such a backend can do. Its address is backend->guest.
struct keeper {
    struct iteration_guest guest;
    // Saves all planes together with `state` if a checkpoint is due or `now` is set.
    int (*save)(struct backend *backend, const void *state, size_t bytes, bool now);
    // The state that an earlier run saved, if its planes exist; otherwise NULL.
    const void *(*saved)(struct backend *backend, size_t *bytes);
    // The number by which later runs find a plane; plane() returns NULL if no plane has this number.
    unsigned (*number)(const struct plane *plane);
    struct plane *(*plane)(struct backend *backend, unsigned number);
};

// Sets the guest's hooks.
void keeper_open(struct keeper *keeper);

#endif
