// iteration_state.h - the state of the search for both sides' wins, and what takes part in it beside the plies
//
// A guest is something that not every endgame needs: another metric, rules of restricted endgames, the longest lines,
// checkpoints. It has its own planes and lives in its own folder; the iteration calls its hooks at the points named
// here. Guests come with what they belong to: struct zeroing, struct solver_options, struct backend.
#ifndef CLTB_SOLVE_ITERATION_STATE_H
#define CLTB_SOLVE_ITERATION_STATE_H

#include "solve/solution.h"
#include "solve/zeroing.h"
#include "util/error.h"

struct solver_options; // iteration.h

// How far the work on the current attacker has come, at the points where it can be resumed.
enum iteration_stage {
    STAGE_BEGIN,   // nothing has been done
    STAGE_EARLY,   // in the plies of the 50-move rule
    STAGE_LATE,    // in later ones
    STAGE_SOLVED,  // both attackers are done
    STAGE_RESOLVED // and the positions that are resolved by a capture have been marked
};

// The state that is saved with the planes.
struct progress {
    int32_t done_attackers;
    int32_t attacker;
    int32_t ply;     // the next ply
    int32_t changed; // the last ply that found something
    int32_t stage;
};

enum { ITERATION_GUESTS = 3 };

struct iteration {
    struct solution *solution;
    struct backend *backend;
    const struct backend_ops *ops;
    const struct solver_options *options;
    const struct zeroing *zeroing;
    struct iteration_guest *guest[ITERATION_GUESTS]; // or NULL
    struct progress progress;
    bool clock; // distances count against the 50-move rule
    // Of the current attacker:
    int attacker;
    int defender;
    struct plane *closed;
    struct plane *lost_new[2]; // [ply & 1]; [1] is scratch space until a step writes it
    struct plane *won_new;
    struct plane *extra;            // winning zeroing moves, for the next step of the attacker; NULL most of the time
    struct plane *illegal[COLOURS]; // by side to move, while captures are looked at: the other king can be taken
    struct plane *own_illegal;      // illegal entries while all others are in use; or, as a log, what their plane had
};

// Hooks of a guest; all may be NULL.
struct iteration_guest {
    // Step 1, or all steps, of an attacker in place of the iteration's own.
    int (*begin)(struct iteration_guest *guest, struct iteration *it);
    int (*solve)(struct iteration_guest *guest, struct iteration *it);
    // A step is about to be made: the guest may change it, and exchange the plane that it writes. Then it is made, but
    // its count may be unknown until counted(), which is also called for what step 1 finds, with ply 0.
    int (*before)(struct iteration_guest *guest, struct iteration *it, struct step *step);
    int (*after)(struct iteration_guest *guest, struct iteration *it, const struct step *step);
    int (*counted)(struct iteration_guest *guest, struct iteration *it, const struct step *step);
    // The next ply from `ply` on in which something may be found although nothing was new before it; INT_MAX: none.
    int (*next)(struct iteration_guest *guest, const struct iteration *it, int ply);
    // The plies of the 50-move rule, or all plies, are done.
    int (*decided)(struct iteration_guest *guest, struct iteration *it);
    // The attacker is done, or the iteration has failed: frees what belongs to the attacker; close() frees everything.
    void (*leave)(struct iteration_guest *guest, struct iteration *it);
    void (*close)(struct iteration_guest *guest);
    // Takes over what an earlier run has saved, if anything. Saves what a later run needs; `now`: even before it is
    // time.
    int (*restore)(struct iteration_guest *guest, struct iteration *it);
    int (*save)(struct iteration_guest *guest, struct iteration *it, bool now);
};

// Calls a hook of each guest that has it: EACH_GUEST(it, save, (guest, it, true)).
#define EACH_GUEST(it, hook, arguments)                                                                                \
    do {                                                                                                               \
        for (int each_ = 0; each_ < ITERATION_GUESTS; each_++) {                                                       \
            struct iteration_guest *guest = (it)->guest[each_];                                                        \
            if (guest != NULL && guest->hook != NULL)                                                                  \
                TRY(guest->hook arguments);                                                                            \
        }                                                                                                              \
    } while (0)

static inline int combine(struct iteration *it, struct plane *to, enum plane_operation operation,
                          const struct plane *from)
{
    return it->ops->combine(it->backend, to, operation, from);
}

static inline void free_plane(struct iteration *it, struct plane **plane)
{
    it->ops->plane_free(it->backend, *plane);
    *plane = NULL;
}

static inline void iteration_set_attacker(struct iteration *it, int attacker)
{
    it->progress.attacker = it->attacker = attacker;
    it->defender = attacker ^ 1;
}

// ---- what guests share with the iteration (iteration.c) ----

// Makes a plane it->illegal[side].
int iteration_illegal(struct iteration *it, int side, struct plane *plane);

// plane |= all entries that are not positions of the endgame, legal or not.
int iteration_outside(struct iteration *it, struct plane *plane);

// to = the positions of `mover` with a zeroing move to a position with that bit.
int iteration_zeroing(struct iteration *it, struct plane *to, int mover, enum zeroing_bits which, bool captures_only);

// Gives entries the code of a distance.
int iteration_record(struct iteration *it, int side, bool won, int ply, const struct plane *entries);

// The parts of step 1 before and after captures and pawn moves are looked at. After the first, the attacker's W and
// won_new have the illegal entries of the attacker and the defender, and lost_new[0] the mates; after the second, W and
// won_new also have the overlaps, and the mates are recorded.
int iteration_find_ends(struct iteration *it);
int iteration_close_illegal(struct iteration *it);

// Makes a step, which finds wins or losses in a ply; `also`: a further plane that gets what it finds, or NULL. Then
// notes its count.
int iteration_step(struct iteration *it, bool won, int ply, struct plane *also, struct step *step);
int iteration_count(struct iteration *it, bool won, int ply, const struct step *step);

// Reports a ply and saves the planes if it is time, or if the report stops the work.
int iteration_end_ply(struct iteration *it, int ply, uint64_t won, uint64_t lost);

#endif
