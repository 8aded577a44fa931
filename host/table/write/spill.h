// spill.h - compressed blocks that wait for the others of their section, in memory or in a temporary file
//
// The file has no name, so that nothing of it is left whatever happens; it appears when it is first needed.
#ifndef CLTB_TABLE_WRITE_SPILL_H
#define CLTB_TABLE_WRITE_SPILL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// One block: in memory, or (no data) in the file.
struct spilled {
    void *data; // malloc'ed
    uint32_t bytes;
    uint64_t at;
};

struct spill;

// `limit`: bytes that may wait in memory. `folder` must outlive the spill.
int spill_open(struct spill **spill, const char *folder, uint64_t limit);
void spill_close(struct spill *spill); // NULL is allowed

// Keeps `bytes` bytes of `data`, a malloc'ed array, which belongs to the spill from now on whatever the result. Thread-safe.
// Fails with CLTB_E_IO if the disk is full.
int spill_put(struct spill *spill, void *data, uint32_t bytes, struct spilled *block);

// Reads a block that has no data into `to` [bytes].
int spill_get(const struct spill *spill, const struct spilled *block, void *to);

// Forgets `count` blocks; zeroed ones are none. Room in the file is used again when no block is left there. Not thread-safe.
void spill_clear(struct spill *spill, struct spilled *blocks, uint64_t count);

#endif
