// slice_share.h - the slices that several processes have solved, in the work file of each
#ifndef CLTB_MAKE_SLICE_SHARE_H
#define CLTB_MAKE_SLICE_SHARE_H

#include "make/slice_store.h"
#include "util/peers.h"

// Afterwards the store of each process has every slice that any process had. `slices`: their number in the table.
int slice_share(struct slice_store *store, uint32_t slices, const struct peers *peers);

// Takes over the slices that an earlier job with more processes has left in the folder. `options`: of the store.
int slice_share_absorb(struct slice_store *store, const struct slice_store_options *options, const char *folder,
                       const struct peers *peers);

#endif
