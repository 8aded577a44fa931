// slice_store.h - the work file of a table with pawns: the slices that are solved so far
//
// It takes what slices_solve() hands out and gives it back, to the solver when it resumes after an interruption and to
// the writer of the table. The file is a journal (disk/journal.h) with a record for each batch; a killed run loses no
// more than the batch that it was writing. One thread at a time calls these functions.
#ifndef CLTB_MAKE_SLICE_STORE_H
#define CLTB_MAKE_SLICE_STORE_H

#include "index/material.h"
#include "solve/slices.h"
#include "table/write/slice_sections.h"
#include "util/peers.h"
#include "util/threads.h"

struct slice_store;

// A work file made with other options is discarded.
struct slice_store_options {
    const char *path;                // of the work file
    const struct material *material; // in standard colours, with pawns
    uint32_t slices;                 // number of slices in the table
    bool keep_distance[COLOURS];     // as in struct slices_options
    bool keep_resolved;              //
    bool found;                      // each batch has something that was found in it (slice_store_attach())
    struct thread_pool *pool;        // must outlive the store
};

// CLTB_E_IO if another process builds the same table; CLTB_E_FOREIGN if a file with that name is something else.
int slice_store_open(struct slice_store **store, const struct slice_store_options *options);

// `keep`: keep the file if it has any slice. NULL is allowed.
void slice_store_close(struct slice_store *store, bool keep);

// For slices_solve(). The store must outlive it.
struct slice_sink slice_store_sink(struct slice_store *store);

// Bytes about the next batch that the sink takes, malloc()'s, which are kept with it; the store frees them.
void slice_store_attach(struct slice_store *store, struct peer_bytes *found);

// Gives the bytes of all batches. *whole: each slice of the table belongs to exactly one of them. Otherwise nothing is
// given: processes of different jobs may have solved the same slices in different batches.
int slice_store_found(struct slice_store *store, int (*take)(void *context, const void *bytes, size_t count),
                      void *context, bool *whole);

// Gives some slices for one side to move, valid until the next call of this function or the sink's functions. This is
// `load` of a struct slices_source, with the store as its context. CLTB_E_MISSING if the file lacks one of them.
int slice_store_load(void *store, int side, const uint32_t *slices, size_t count, struct slice_view *views);

// A record of the file, which has one batch. Stores of the same table with the same options can exchange them.
struct slice_parcel {
    uint64_t at;     // in the file
    uint64_t bytes;  //
    uint32_t slices; // that it contains
};

const struct slice_parcel *slice_store_parcel(const struct slice_store *store, uint32_t slice); // NULL: not there
int slice_store_read(const struct slice_store *store, const struct slice_parcel *parcel, void *bytes); // [bytes]
int slice_store_add(struct slice_store *store, const void *bytes, size_t count); // CLTB_E_CORRUPT: not an intact one

uint32_t slice_store_slices(const struct slice_store *store); // in the file
uint64_t slice_store_bytes(const struct slice_store *store);  // of the file

// ---- with other processes (slice_share.c) ----

// Afterwards the store of each process has every slice that any process had. `slices`: their number in the table.
int slice_share(struct slice_store *store, uint32_t slices, const struct peers *peers);

// Takes over the slices that an earlier job with more processes has left in the folder. `options`: of the store.
int slice_share_absorb(struct slice_store *store, const struct slice_store_options *options, const char *folder,
                       const struct peers *peers);

#endif
