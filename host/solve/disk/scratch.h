// scratch.h - planes in blocks on disk, and a log beside them, with checkpoints that survive a kill at any moment
//
// The files of one table:
//
//     NAME.cltb.work      a journal (disk/journal.h) with two kinds of records: of the log, and checkpoints
//     NAME.cltb.planes    the blocks of all planes; past the page cache where possible
//
// 1. A block is packed (solve/cpu/row_kernels.h), mostly to a tenth. The file is divided into units of equal size, and
//    a block takes as many consecutive units as its code needs. A block without a set bit takes none.
// 2. A block that changes goes to units that neither of the last two checkpoints names.
// 3. A checkpoint says which units hold which block, with a hash of each code, how much of the log belongs to it, and
//    the state that the owner wants back. First the units are synced, then the checkpoint is appended to the journal,
//    then the journal is synced.
// 4. Opening the files reads the journal, takes the last checkpoint whose blocks all have the right hash, and cuts off
//    the journal after it.
//
// Example: plane 0 has block 0 in units 0 to 2 and block 1 in units 3 and 4, and a checkpoint says so. Block 1 changes:
// it goes to units 5 to 7. After a kill now, units 3 and 4 still have what the checkpoint says. The next checkpoint
// names units 0 to 2 and 5 to 7; units 3 and 4 are kept for the checkpoint before, and are free after one more.
//
// The first units can be kept in memory (scratch_keep()). Then a checkpoint writes those that have changed.
#ifndef CLTB_SOLVE_DISK_SCRATCH_H
#define CLTB_SOLVE_DISK_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scratch;

enum { SCRATCH_ALIGN = 4096, SCRATCH_PLANES_MAX = 64, SCRATCH_IDENTITY_MAX = 256 };

// How planes are cut; only the size of a block matters here.
struct scratch_shape {
    uint32_t row_groups;
    uint32_t column_groups;
    uint64_t slot_bytes; // of the largest block
};

struct scratch_options {
    const char *path;           // of the work file, which ends with ".work"
    const char *identity;       // what is solved and how
    struct scratch_shape shape; // of a new scratch; one that is resumed keeps its own
    bool older;                 // resume from the checkpoint before the last one, if any
    // Called now and then while a checkpoint is read; a nonzero result stops with CLTB_E_INTERRUPTED. May be NULL.
    int (*stop)(void *context);
    void *context;
};

enum scratch_start {
    SCRATCH_NEW,
    SCRATCH_RESUMED,       // from the last checkpoint
    SCRATCH_RESUMED_OLDER, // from the checkpoint before: what follows it is damaged or cannot be read
    SCRATCH_DAMAGED        // new, because no checkpoint is intact
};

// CLTB_E_IO if another run uses the files, CLTB_E_USAGE if they keep work of another identity. No failure removes
// existing work.
int scratch_open(struct scratch **scratch, const struct scratch_options *options, enum scratch_start *start);

// `keep`: keep the files if they have a checkpoint. NULL is allowed.
void scratch_close(struct scratch *scratch, bool keep);

// The path of the file of planes beside a work file.
void scratch_planes_path(char *planes, size_t size, const char *work);

bool scratch_found(const char *work); // does the work file have a checkpoint?

struct scratch_shape scratch_shape(const struct scratch *scratch);

// ---- planes, by number; all blocks of a new one are empty ----

int scratch_plane_new(struct scratch *scratch, unsigned *plane);
void scratch_plane_free(struct scratch *scratch, unsigned plane);
bool scratch_plane_exists(const struct scratch *scratch, unsigned plane);

bool scratch_empty(const struct scratch *scratch, unsigned plane, uint32_t block); // is every bit 0?

size_t scratch_block_bytes(const struct scratch *scratch, unsigned plane, uint32_t block); // of one that is not empty
size_t scratch_block_most(const struct scratch *scratch);                                  // of the largest one

// A buffer has room for the bytes of a block, and for its code.
int scratch_buffer_new(const struct scratch *scratch, void **buffer);
void scratch_buffer_free(const struct scratch *scratch, void *buffer); // NULL is allowed
uint64_t scratch_buffer_bytes(uint64_t block_bytes);
void *scratch_room(void *buffer); // the place of the bytes

// Reads a block that is not empty into a buffer, and gives its bytes there. Thread-safe.
int scratch_read(struct scratch *scratch, unsigned plane, uint32_t block, void *buffer, const void **bytes);

// Writes the first `count` bytes of a buffer as a block; those after them may change. Thread-safe for different blocks.
int scratch_write(struct scratch *scratch, unsigned plane, uint32_t block, void *buffer, size_t count);
void scratch_clear(struct scratch *scratch, unsigned plane, uint32_t block);

// Keeps the first units in memory from now on, as many as fit into `bytes`. Call it once, before other threads use it.
int scratch_keep(struct scratch *scratch, uint64_t bytes);

// ---- the log ----

struct scratch_record {
    uint32_t step;  // the owner's names for it
    uint32_t group; //
    uint32_t piece; //
    uint32_t bytes;
    uint64_t offset; // in the work file, where the bytes begin
};

// Appends a record and fills in its offset. Thread-safe.
int scratch_append(struct scratch *scratch, struct scratch_record *record, const void *bytes);

// All records. The owner may reorder them.
struct scratch_record *scratch_records(const struct scratch *scratch, uint64_t *count);

int scratch_log_read(struct scratch *scratch, const struct scratch_record *record, void *bytes); // thread-safe

// ---- checkpoints ----

int scratch_save(struct scratch *scratch, const void *state, size_t bytes);

// The state of the checkpoint found at the start; NULL if there was none.
const void *scratch_saved(const struct scratch *scratch, size_t *bytes);

// ---- figures ----

struct scratch_traffic {
    uint64_t read;    // bytes of blocks and of the log
    uint64_t written; //
    uint64_t disk;    // size of the files in bytes
};

struct scratch_traffic scratch_traffic(const struct scratch *scratch);

#endif
