// share.h - makes the tables of a plan, several at the same time
#ifndef CLTB_MAKE_SHARE_H
#define CLTB_MAKE_SHARE_H

#include "make/plan.h"

struct processors;

// A table given to a worker.
struct share_turn {
    const struct plan_table *table;
    size_t number; // 1, 2, ... in the order in which tables are begun
};

enum share_state { SHARE_WAITS, SHARE_IN_WORK, SHARE_MADE }; // of a table of the plan

struct share;

// Opens a share in which no table of the plan has been begun. `memory`: bytes that the tables being made may use
// together. Each worker has one of the processors while it makes a table. `event` and its context are those of the
// options. CLTB_E_MEMORY.
int share_open(struct share **share, const struct plan *plan, uint64_t memory, struct processors *processors,
               int (*event)(void *context, const struct build_event *event), void *context);
void share_close(struct share *share);

// Makes the tables in the plan's order, as far as there is room for them: room() is asked, as room_for() is (room.h),
// before a table is begun, and while tables are in work.
void share_in_order(struct share *share, int (*room)(void *context, const uint8_t *state, size_t place), void *context);

// Makes all tables that the plan makes: calls make(worker[i], turn) in a thread for each worker, until all tables are
// made or one has failed. Returns the first error, with its sentence.
int share_run(struct share *share, int workers, void *const *worker,
              int (*make)(void *worker, const struct share_turn *turn));

// The event function for workers, with the share as its context. It passes events on, one at a time, with the figures
// of the other tables. Nonzero: the worker must stop because another one has failed.
int share_event(void *share, const struct build_event *event);

#endif
