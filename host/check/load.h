// load.h - files that are read into memory before all positions of a material are probed
#ifndef CLTB_CHECK_LOAD_H
#define CLTB_CHECK_LOAD_H

#include <cltb/cltb.h>

struct material;
struct thread_pool;

// Loads the Syzygy files of a material, and of the materials that one capture or promotion leads to. Skips missing
// files.
int load_syzygy(cltb_tables *tables, const struct material *material, struct thread_pool *pool);

#endif
