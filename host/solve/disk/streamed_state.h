// streamed_state.h - what a streamed backend remembers of its planes; shared by the streamed*.c
#ifndef CLTB_SOLVE_DISK_STREAMED_STATE_H
#define CLTB_SOLVE_DISK_STREAMED_STATE_H

#include "solve/backend.h"
#include "solve/disk/checkpoint.h"
#include "solve/disk/windows.h"
#include "solve/solution.h"
#include "util/peers.h"

struct plane {
    unsigned number; // in the scratch
    bool logged;     // its bits are in the log, in records of windows of `side`
    int side;
    int lies; // with the owners of this side's windows
};

// A step whose new bits went to the log.
struct logged_step {
    int16_t side;
    int16_t won; // 1: wins of the side, 0: losses
    int32_t ply;
    uint64_t set; // bit p: they belong to plane number p
};

enum operation_kind {
    OPERATION_FILL,
    OPERATION_COMBINE,
    OPERATION_OVERLAPS,
    OPERATION_IMPORT,
    OPERATION_ATTACKS,
    OPERATION_PRED,
    OPERATION_STEP,
    OPERATION_RECORD
};

// One operation of a pass. Planes are roles of the pass, -1: none.
struct operation {
    enum operation_kind kind;
    int to;
    int from;
    bool bit; // and `invert`
    int side; // of attacks, pred and step
    enum plane_operation combine;
    struct men_pairs pairs;
    struct import import;
    int only; // of a step, whose `from` is `in` and whose `to` is `fresh`
    int extra;
    int closed;
    uint64_t found;
    uint64_t weight;
};

enum { OPERATIONS_MAX = 24 };

struct streamed {
    struct backend base;
    struct keeper keeper;
    struct backend *inner;
    struct scratch *scratch;
    struct stream_windows *windows;
    struct stream_grid grid;
    int (*stop)(void *context); // struct streamed_options
    void *context;
    double interval;
    const struct peers *peers; // NULL: none
    bool together;             // checkpoints belong to several processes
    uint64_t checkpoints;      // saved together so far
    struct plane *plane[SCRATCH_PLANES_MAX];
    // The queued pass.
    int side; // whose moves it needs, or -1
    int operations;
    struct operation operation[OPERATIONS_MAX];
    int roles;
    struct stream_role role[STREAM_ROLES];
    const uint8_t *needed;
    _Atomic uint64_t weight; // of what it logs, if the inner backend does not count it
    int failed;              // the code of a pass that failed: nothing is done any more
    // The log's steps. Its records are the scratch's.
    struct logged_step *step;
    uint32_t steps;
    size_t steps_space;
    double saved_at; // seconds
    bool finished;
};

// What a process adds to the state of a checkpoint. The checkpoints of all processes with the same number belong
// together.
struct peer_books {
    uint64_t number; // from 1
    uint32_t ranks;
    uint8_t lies[SCRATCH_PLANES_MAX]; // struct plane
    uint32_t unused;
};

// Called before a pass over windows of a side: brings a plane's blocks to the processes that own these windows, or
// drops the blocks if `load` is false.
int streamed_place(struct streamed *streamed, struct plane *plane, int side, bool load);

// Called once the table is solved: sends records of the log to the processes that need them, those of Black's windows
// to the owners of these, those of White's to the owners of sections; only records of the planes of `solution`. `both`:
// Black's planes are needed even if the table has no sections of theirs.
int streamed_share_records(struct streamed *streamed, const struct solution *solution, bool both);

// Called after that: with `pairs` sends all planes to the owners of White's sections. Otherwise sends them to the
// owners of their own sections, and from then on the process works alone; `paired`: it was called with `pairs` before.
int streamed_share_sections(struct streamed *streamed, const struct solution *solution, bool pairs, bool paired);

// Is this the process that has the tiles of both sides to move in a window of White's moves, after `pairs`?
bool streamed_pairs_here(const struct streamed *streamed, uint32_t group);

// The number of sides to move that a table has sections for.
int streamed_sides(const struct streamed *streamed);

// Opens the scratch: either each process resumes from a checkpoint of the same number, or none does. `folder`: where an
// earlier job with more processes may have left its other work files.
int streamed_open_scratch(struct streamed *streamed, const struct scratch_options *options, const char *folder,
                          enum scratch_start *start);

// Adds up the numbers of all processes.
int streamed_sum(const struct streamed *streamed, uint64_t *number);

static inline struct streamed *streamed_of(struct backend *backend)
{
    return (struct streamed *)backend;
}

#endif
