// plan_write.h - what writing the files of a table takes, besides its planes
#ifndef CLTB_MAKE_PLAN_WRITE_H
#define CLTB_MAKE_PLAN_WRITE_H

#include "index/material.h"
#include "make/options.h"

enum {
    PLAN_TABLE = 1, // NAME.cltb
    PLAN_SYZYGY = 2 // NAME.rtbw and NAME.rtbz
};

// The least memory for `files`, a sum of the above, and the memory used without a limit; 0: none.
void plan_write_bytes(const struct material *material, const struct build_options *options, unsigned files,
                      uint64_t *least, uint64_t *most);

#endif
