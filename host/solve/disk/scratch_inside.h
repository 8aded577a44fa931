// scratch_inside.h - what the parts of a scratch share
#ifndef CLTB_SOLVE_DISK_SCRATCH_INSIDE_H
#define CLTB_SOLVE_DISK_SCRATCH_INSIDE_H

#include "solve/disk/scratch.h"

#include <limits.h>
#include <pthread.h>
#include <xxhash.h>

#define NO_SLOT UINT32_MAX

enum {
    LOG_BUFFER = 4 << 20,
    SLOT_LIVE = 1,  // named by a plane
    SLOT_SAVED = 2, // by the last checkpoint
    SLOT_OLDER = 4  // by the one before
};

struct block {
    uint32_t slot;  // NO_SLOT: empty
    uint32_t pages; // of SCRATCH_ALIGN bytes that are used
    uint64_t hash;  // XXH64 of those
};

struct scratch {
    char path[PATH_MAX]; // DIR/NAME.cltb
    char folder[PATH_MAX];
    char identity[SCRATCH_IDENTITY_MAX];
    struct scratch_shape shape;
    uint32_t blocks; // of a plane
    size_t slot_bytes;
    int planes_file;
    int log_file;
    struct block *plane[SCRATCH_PLANES_MAX];
    uint8_t *slot; // [slots_space] flags
    uint64_t slots;
    uint64_t slots_space;
    uint32_t *free_slot; // stack, [slots_space]
    uint64_t free_slots;
    uint8_t *log_buffer; // what is not written of the log yet
    size_t log_buffered;
    uint64_t log_written;       // bytes
    XXH64_state_t *log_hash;    // of these
    bool opened;                // all went well
    bool saved;                 // there is a checkpoint
    uint8_t *found;             // the checkpoint that was found
    int (*stop)(void *context); // struct scratch_options
    void *context;
    struct scratch_traffic traffic;
    pthread_mutex_t lock;     // slots and planes
    pthread_mutex_t log_lock; //
};

// The files, by what their names end with.
enum { END_PLANES, END_LOG, END_CHECK, END_OLD, END_PART, ENDINGS };

// scratch.c
const char *scratch_path(const struct scratch *scratch, int ending, char path[PATH_MAX + 16]);
int scratch_fault(const struct scratch *scratch, int ending, const char *what, int number);
// The whole of it, or an error. 0 bytes read: the end of the file.
int scratch_transfer(const struct scratch *scratch, int ending, bool write, void *bytes, size_t count, uint64_t offset);
int scratch_set_shape(struct scratch *scratch, const struct scratch_shape *shape);

// scratch_contents.c
int scratch_more_slots(struct scratch *scratch, uint64_t space);
void scratch_forget_planes(struct scratch *scratch);
int scratch_flush_log(struct scratch *scratch);

// scratch_check.c
// Goes on from a checkpoint. CLTB_E_MISSING: there is none; CLTB_E_CORRUPT: it, or what it names, is damaged.
int scratch_resume(struct scratch *scratch, int ending);
// An older checkpoint that was gone on with becomes the last one.
int scratch_make_last(const struct scratch *scratch);

#endif
