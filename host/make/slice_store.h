// slice_store.h - the work file of a table with pawns: the slices that are solved so far
//
// The work file takes what slices_solve() hands out and gives it back, to the solver that goes on after an
// interruption and to the writer of the table. It grows record by record (one batch each), and a killed run loses no
// more than the record that it was writing: whoever opens the file next cuts off everything from the first record on
// that is not whole. The numbers in it are this machine's; a work file does not travel.
//
// One process at a time may have it open. All functions are called by one thread at a time.
#ifndef CLTB_MAKE_SLICE_STORE_H
#define CLTB_MAKE_SLICE_STORE_H

#include "index/material.h"
#include "solve/slices.h"
#include "table/write/slice_sections.h"
#include "util/threads.h"

struct slice_store;

// A work file made with other options is discarded.
struct slice_store_options {
    const char *path;                // of the work file
    const struct material *material; // in standard colours, with pawns
    uint32_t slices;                 // that it has
    bool keep_distance[COLOURS];     // as in struct slices_options
    bool keep_resolved;              //
    uint64_t
        window_bytes; // of what is compressed before it is written; 0: 32 MiB. A chunk of 1 MiB for each thread at least
    struct thread_pool *pool; // must outlive the store
};

// CLTB_E_IO if another process builds the same table; CLTB_E_FOREIGN if a file of that name is something else.
int slice_store_open(struct slice_store **store, const struct slice_store_options *options);

// Leaves the file there, unless it has no slice. NULL is allowed.
void slice_store_close(struct slice_store *store);

// Closes the store and removes its file. NULL is allowed.
void slice_store_remove(struct slice_store *store);

// For slices_solve(). The store must outlive it.
struct slice_sink slice_store_sink(struct slice_store *store);

// Some slices for one side to move, valid until the next call of this function or of the sink's: `load` of a struct
// slices_source, with the store as its context. A slice that is not there is an error.
int slice_store_load(void *store, int side, const uint32_t *slices, size_t count, struct slice_view *views);

// Removes a work file that no process has open; what is something else stays.
void slice_store_drop(const char *path);

// The bytes on disk of a work file; 0 if there is none, or something else.
uint64_t slice_store_left(const char *path);

uint32_t slice_store_slices(const struct slice_store *store); // that are there
uint64_t slice_store_bytes(const struct slice_store *store);  // of the file
const char *slice_store_path(const struct slice_store *store);

#endif
