// load.h - what is read into memory before all positions of a material are probed
#ifndef CLTB_CHECK_LOAD_H
#define CLTB_CHECK_LOAD_H

#include <cltb/cltb.h>

struct material;
struct thread_pool;

// The Syzygy files of a material, and of those that captures and promotions lead to at once; those that are not there
// are passed over.
int load_syzygy(cltb_tables *tables, const struct material *material, struct thread_pool *pool);

#endif
