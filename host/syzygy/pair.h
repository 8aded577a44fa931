// pair.h - the two files of a table: NAME.rtbw and NAME.rtbz
#ifndef CLTB_SYZYGY_PAIR_H
#define CLTB_SYZYGY_PAIR_H

#include <stdbool.h>
#include <stdint.h>

// Are both files in a folder (`wdl`: is NAME.rtbw), with right checksums? Returns 0 and the number of their bytes;
// CLTB_E_MISSING, CLTB_E_CORRUPT, CLTB_E_IO, CLTB_E_MEMORY.
int syzygy_pair_check(const char *folder, const char *name, bool wdl, uint64_t *bytes);

// The same for one file; adds its size to `*bytes`.
int syzygy_file_check(const char *path, uint64_t *bytes);

#endif
