// iteration_state.h - the state of the search for both sides' wins, shared by the parts of the iteration
#ifndef CLTB_SOLVE_ITERATION_STATE_H
#define CLTB_SOLVE_ITERATION_STATE_H

#include "solve/solution.h"
#include "solve/zeroing.h"

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

struct iteration {
    struct solution *solution;
    struct backend *backend;
    const struct backend_ops *ops;
    const struct solver_options *options;
    const struct zeroing *zeroing;
    struct progress progress;
    // Of the current attacker:
    int attacker;
    int defender;
    struct plane *closed;
    struct plane *lost_new[2]; // [ply & 1]; [1] is scratch space until a step writes it
    struct plane *won_new;
    struct plane *extra;            // winning zeroing moves, for the next step of the attacker; NULL most of the time
    struct plane *illegal[COLOURS]; // by side to move, while captures are looked at: the other king can be taken
    struct plane *own_illegal;      // illegal entries while all others are in use; or, packed, what their plane had
    bool mate;                      // distances to mate: lost_new[1] has the entries that avoid no loss
    // For options->longest_of: the plies found last, whose positions are in the plane that the side's next step writes
    // or, for losses, in either of two planes; then the plane that replaces it, and its ply. -1: none.
    int found_at[2];
    struct plane *longest;
    int longest_at;
    struct plane *quiet; // see iteration_keep_quiet()
    int quiet_at;        // its ply
    // With struct zeroing_rules:
    struct plane *held;     // the defender's entries with a move of external() that is not lost yet
    struct plane *avoiding; // closed, and the entries that avoid a loss only at this ply
};

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

// iteration.c: makes a plane it->illegal[side]; to = the positions of `mover` with a zeroing move to a position with
// that bit; gives entries the code of a distance.
int iteration_illegal(struct iteration *it, int side, struct plane *plane);
int iteration_zeroing(struct iteration *it, struct plane *to, int mover, enum zeroing_bits which, bool captures_only);
int iteration_record(struct iteration *it, int side, bool won, int ply, const struct plane *entries);

// iteration_save.c. If the backend can keep its planes, saves what a later run needs; `now`: even before it is time.
int iteration_save(struct iteration *it, bool now);
// Takes over what an earlier run has saved; changes nothing if there is nothing.
int iteration_restore(struct iteration *it);

// iteration_longest.c. The positions found in a side's ply are in the plane that its next step will write or, for
// losses, the step after that; before that step another plane replaces it.
void iteration_forget_longest(struct iteration *it);
void iteration_note_longest(struct iteration *it, int side, int ply);
int iteration_keep_longest(struct iteration *it, int side, int ply, struct plane **fresh);
int iteration_give_longest(struct iteration *it); // to options->longest()

// Called after a ply. With options->longest and keep_slabs it keeps the attacker's wins in 1 ply, or 101, that have no
// winning zeroing move, until he has longer ones.
int iteration_keep_quiet(struct iteration *it, const struct step *win);

// plane |= all entries that are not positions of the endgame, legal or not.
int iteration_outside(struct iteration *it, struct plane *plane);

// ---- struct zeroing_rules (iteration_rules.c) ----

// Does step 1 of the iteration.
int iteration_begin_rules(struct iteration *it);

// The next ply from `ply` on in which a move of external() counts; INT_MAX: none.
int iteration_next_external(const struct iteration *it, int ply);

// Called before the two steps of a ply, these add the moves of fixed men and external() to them; after the first step,
// the entries that it found.
int iteration_before_loss(struct iteration *it, int ply, struct step *lose);
int iteration_after_loss(struct iteration *it, const struct step *lose);
int iteration_before_win(struct iteration *it, int ply, struct step *win);

#endif
