// import.h - a table of cltb out of Syzygy files
#ifndef CLTB_IMPORT_IMPORT_H
#define CLTB_IMPORT_IMPORT_H

#include <cltb/cltb.h>

#include "index/material.h"
#include "util/threads.h"

// Writes the table of a material (standard colours) to `path` from the values that probing `tables` gives, byte for
// byte as a build would. CLTB_E_FOREIGN, with a position, if a distance is rounded: the exact one is lost. Takes four
// bytes of memory for each entry of the table.
int import_table(cltb_tables *tables, const struct material *material, const char *path, struct thread_pool *pool,
                 uint64_t *bytes);

#endif
