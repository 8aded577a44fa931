// plan.h - the tables that a build has to make, their order, and the resources that they take
//
// The futurebases of an endgame are the tables that a capture or a promotion leads to. Theirs are needed as well (a
// promotion by capture leads to a futurebase of a futurebase), down to three men. A plan lists each table once, in
// dependency order: after its own futurebases and as close to them as possible, so that the files it reads were written
// or read recently. With a limit of disk the order is another (disk_order.h), and a table that goes and is needed again
// is listed again. Several tables are made at the same time if threads and memory allow it, or on several devices
// (share.h).
//
// Figures are estimates, except for numbers of entries and figures of tables that are present.
#ifndef CLTB_MAKE_PLAN_H
#define CLTB_MAKE_PLAN_H

#include "make/plan_table.h"

extern const char *const plan_state_name[]; // by enum plan_state: "make", "replace", "present"

// Makes the plan for some materials (standard colours; repetitions are allowed). Looks at the folders and writes
// nothing. It is an error if a file with one of these names is a table of another endgame or version, or not a table.
// Tables that an earlier plan for the same materials has read and found intact are not read again (`before` == NULL:
// all are read).
int plan_make(struct plan **plan, const struct material *materials, size_t count, const struct build_options *options,
              const struct plan *before);
void plan_free(struct plan *plan);

// How many of so many tables of at most `men` men are made at a time on one device with `memory` bytes (0: unknown), by
// so many threads. A table of up to five men is taken to need PLAN_DEVICE_TABLE bytes there.
#define PLAN_DEVICE_TABLE ((uint64_t)2 << 30)
int plan_on_device(size_t tables, int men, int threads, uint64_t memory);

// The bytes that may be used. Without a limit, a little is left to other programs.
uint64_t plan_memory(const struct build_options *options);

// Can everything be made? CLTB_E_MEMORY or CLTB_E_USAGE with a sentence that names the first table that cannot.
int plan_check(const struct plan *plan, const struct build_options *options);

#endif
