// slab_make.h - makes the slabs that are wanted, from stored tables
#ifndef CLTB_SOLVE_SLAB_MAKE_H
#define CLTB_SOLVE_SLAB_MAKE_H

#include "solve/slabs.h"

// Makes all slabs that are wanted and not yet made.
int slabs_make(struct slabs *slabs);

#endif
