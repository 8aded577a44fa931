// scratch.h - planes in blocks on disk, and a log beside them, with checkpoints that survive a kill at any moment
//
// The files of one table, NAME.cltb followed by
//
//     .planes      slots of equal size, each one block of one plane; read and written past the page cache where that is possible
//     .log         records, one behind the other
//     .check       the last checkpoint: which slot holds which block, hashes of all of them, how long the log is, and the
//     .check.old   owner's state; and the one before
//
// A slot that one of the two checkpoints names is never written: a block that changes goes to another slot. So everything that a
// checkpoint names is there as long as the checkpoint is. A checkpoint is written under a temporary name, synced, and renamed.
// Opening reads the last one that is whole, all its blocks' hashes included, and falls back to the one before; also where the
// disk cannot read the last one.
//
// Blocks without a set bit are only remembered, not written.
#ifndef CLTB_SOLVE_DISK_SCRATCH_H
#define CLTB_SOLVE_DISK_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scratch;

enum { SCRATCH_ALIGN = 4096, SCRATCH_PLANES_MAX = 64, SCRATCH_IDENTITY_MAX = 256 };

// How planes are cut; the owner's business but for the size of a slot.
struct scratch_shape {
    uint32_t row_groups;
    uint32_t column_groups;
    uint64_t slot_bytes; // of the largest block
};

struct scratch_options {
    const char *dir;
    const char *name;           // of the table
    const char *identity;       // what is solved and how
    struct scratch_shape shape; // of a new scratch; one that is gone on with keeps its own
    int (*stop)(
        void *context); // asked now and then while a checkpoint is read: non-zero ends that with CLTB_E_INTERRUPTED;
    void *context;      // may be NULL
};

// What was found at the start.
enum scratch_start {
    SCRATCH_NEW,
    SCRATCH_RESUMED,       // from the last checkpoint
    SCRATCH_RESUMED_OLDER, // from the one before: the last one is damaged or cannot be read
    SCRATCH_DAMAGED        // anew: no checkpoint is whole
};

// `*start`: whether a checkpoint is there to go on from. CLTB_E_IO if another run uses the files, CLTB_E_USAGE if they keep work
// of another identity; whatever fails, what is there stays.
int scratch_open(struct scratch **scratch, const struct scratch_options *options, enum scratch_start *start);

// `keep`: the files stay if there is a checkpoint in them. NULL is allowed.
void scratch_close(struct scratch *scratch, bool keep);

// Removes the files that a run of that table has left in a folder, if no run uses them.
void scratch_remove(const char *dir, const char *name);

// The bytes of the files that a run of that table has left in a folder.
uint64_t scratch_left(const char *dir, const char *name);

// Is there a checkpoint of that table in a folder?
bool scratch_found(const char *dir, const char *name);

struct scratch_shape scratch_shape(const struct scratch *scratch);

// ---- planes, by number; all blocks of a new one are empty ----

int scratch_plane_new(struct scratch *scratch, unsigned *plane);
void scratch_plane_free(struct scratch *scratch, unsigned plane);
bool scratch_plane_there(const struct scratch *scratch, unsigned plane);

// Is the block empty (all zero)?
bool scratch_empty(const struct scratch *scratch, unsigned plane, uint32_t block);

// The block's bytes, in an array of scratch_slot() bytes aligned to SCRATCH_ALIGN, whose rest may have anything. Thread-safe,
// for blocks that are not empty.
int scratch_read(struct scratch *scratch, unsigned plane, uint32_t block, void *bytes);

// The first `count` bytes of such an array. Thread-safe, for different blocks.
int scratch_write(struct scratch *scratch, unsigned plane, uint32_t block, const void *bytes, size_t count);
void scratch_clear(struct scratch *scratch, unsigned plane, uint32_t block);

// Bytes of a buffer for a block: slot_bytes, rounded up.
size_t scratch_slot(const struct scratch *scratch);

// ---- the log ----

int scratch_append(struct scratch *scratch, const void *bytes, size_t count, uint64_t *offset); // thread-safe
int scratch_log_read(struct scratch *scratch, uint64_t offset, void *bytes, size_t count);      // thread-safe

// ---- checkpoints ----

int scratch_save(struct scratch *scratch, const void *state, size_t bytes);

// The state of the checkpoint that was found at the start; NULL: none.
const void *scratch_saved(const struct scratch *scratch, size_t *bytes);

// ---- figures ----

struct scratch_traffic {
    uint64_t read;    // bytes, planes and log
    uint64_t written; //
    uint64_t disk;    // bytes that the files have now
    uint64_t log;     // of the log
    unsigned saves;   // checkpoints written
};

struct scratch_traffic scratch_traffic(const struct scratch *scratch);

#endif
