// slab_records.h - solved slabs in the records of a journal
#ifndef CLTB_SOLVE_DISK_SLAB_RECORDS_H
#define CLTB_SOLVE_DISK_SLAB_RECORDS_H

#include "disk/journal.h"
#include "solve/solved_slabs.h"

// A part of a record's front. The planes are part of its data, compressed, first those with White to move.
struct solved_slabs_front {
    uint32_t cursed[COLOURS];
    uint64_t bytes[COLOURS][SLAB_PLANES]; // 0: there is no such array, or it is that of an earlier plane
};

// Adds the arrays, of `words` words each, to the record that is being written.
int solved_slabs_write(const struct solved_slabs *slabs, struct journal *journal, size_t words,
                       struct solved_slabs_front *front);

// Makes the arrays from a record's data, which begin at `at` in the file. They are open afterwards, even after an
// error. CLTB_E_CORRUPT if they are not slabs.
int solved_slabs_read(struct solved_slabs *slabs, struct paged *paged, const struct journal *journal, uint64_t at,
                      size_t words, const struct solved_slabs_front *front);

#endif
