// work.h - the work file of a restricted endgame: what is found and solved so far
//
// It is a journal (disk/journal.h) with three kinds of records:
//
//     moves      the external codes of a part of a slice (external.h)
//     section    the values of a slice as they stand in the table's file
//     batch      closes the sections of a batch; it has their slabs, unless no further batch follows
//
// A build makes them in this order. When it is killed, it loses no more than the part of a slice, or the batch, that it
// was working on. Records that are damaged or do not fit together end the file: the rest is found and solved again. A
// work file belongs to the endgame, its rules, and the contents of its restricted futurebases. If any of these differs,
// the work starts again.
#ifndef CLTB_RESTRICTED_MAKE_WORK_H
#define CLTB_RESTRICTED_MAKE_WORK_H

#include "restricted/make/external.h"
#include "restricted/table.h"
#include "solve/disk/slab_records.h"

struct restricted_work;

// Opens the file and takes over the codes of slices that are not solved yet. `externals` is open, and must outlive the
// work. `batch`: slices in a batch, at most. CLTB_E_IO if another process uses the file; CLTB_E_FOREIGN if it is
// something else.
int restricted_work_open(struct restricted_work **work, const char *path, struct externals *externals, uint32_t batch);

// Removes the file if it has no record. NULL is allowed.
void restricted_work_close(struct restricted_work *work);

// The number of sections that an earlier run has solved.
uint32_t restricted_work_done(const struct restricted_work *work);

// ---- writing ----

int restricted_work_put_moves(struct restricted_work *work, uint32_t slice, uint32_t part);
int restricted_work_put_section(struct restricted_work *work, const struct restricted_blocks *blocks);

// A batch begins at section number `section`. `slabs` == NULL: nothing needs them.
int restricted_work_put_batch(struct restricted_work *work, uint32_t section, uint32_t count,
                              const struct solved_slabs *slabs, size_t words);

// ---- reading, of sections that an earlier run has solved ----

// *blocks is valid until the next call.
int restricted_work_section(struct restricted_work *work, uint32_t slice, struct restricted_blocks *blocks);

// The arrays are open afterwards, even after an error.
int restricted_work_slabs(struct restricted_work *work, uint32_t section, uint32_t count, struct paged *paged,
                          struct solved_slabs *slabs, size_t words);

#endif
