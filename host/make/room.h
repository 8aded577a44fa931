// room.h - a build with a limit of disk: room for the next table, a row for each that is made, files that go
//
// Only files that such builds have made and recorded (ledger.h) are removed, when there is too little room otherwise,
// and only those that no table that is to be made needs. Before a table is begun the folder gets NAME.cltb.begun, which
// goes when its row is written: it tells a file that a killed run has just finished from one that was there before.
#ifndef CLTB_MAKE_ROOM_H
#define CLTB_MAKE_ROOM_H

#include "make/job.h"
#include "make/plan.h"

struct room;

// Writes the rows that a killed run could not. The folder is locked, and not planned yet.
int room_recover(const struct build_options *options);

// The plan must outlive it. Reports damaged rows, and ships what an earlier run could not. `alone`: one table at a
// time.
int room_open(struct room **room, const struct plan *plan, struct build_job *job, bool alone);
void room_close(struct room *room); // NULL is allowed

// May the table with this place in the plan be begun? 1: yes, 0: not before another one is made, or an error. With
// place plan->count: has the limit been held? 1, or an error. Removes files if that helps. `state`: of all places, enum
// share_state. For share_run().
int room_for(void *room, const uint8_t *state, size_t place);

// Does the table still stand, and need not be made again?
bool room_stands(struct room *room, const struct plan_table *table);

// Before and after a table is made; `code` is the result, which the second returns unless it fails itself: with
// CLTB_E_MISMATCH if a table that was made before is another one now.
int room_begin(struct room *room, const struct plan_table *table, struct build_job *job);
int room_made(struct room *room, const struct plan_table *table, struct build_job *job, int code);

// After the last table: CLTB_E_IO if some could not be shipped.
int room_end(struct room *room, struct build_job *job);

// Was there too little room because tables are larger than forecast? Then a new plan may help, with one table at a
// time.
bool room_was_short(const struct room *room);

#endif
