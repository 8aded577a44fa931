// folder.h - the folder in which tables are made: one run at a time, or several that make one table each
//
// A run locks DIR/.cltb.lock. The lock ends with the process, however that ends, so a lock file that is left behind has
// no effect. On network file systems flock() works between machines if the server supports locks (NFS without its lock
// service: only between the processes of one machine).
#ifndef CLTB_MAKE_FOLDER_H
#define CLTB_MAKE_FOLDER_H

#include "index/material.h"

#include <stdbool.h>
#include <stdint.h>

struct folder;

// Makes a folder and its parents, unless it exists. CLTB_E_IO.
int folder_make_path(const char *dir);

// The same for a folder of scratch files, in which this process must be able to write.
int folder_make_scratch(const char *folder);

// Makes the folder if it is missing, locks it, and removes files that killed runs left half-written, NAME.cltb.part,
// and the leases of killed runs. `shared`: shares the lock with others who do the same, and removes nothing. CLTB_E_IO
// with a sentence if another run holds the lock.
int folder_open(struct folder **folder, const char *dir, bool shared);
void folder_close(struct folder *folder);

// Removes the lock file of a killed run, and what else it left half-written; does nothing if it cannot.
void folder_clear(const char *dir);

// For a folder whose files are removed in the end: CLTB_E_IO unless it is missing or a folder, not a link to one.
int folder_check_real(const char *dir);

// Removes work files and tables without distances, which only such builds make, from such a folder, opened as `folder`
// (NULL: does nothing).
void folder_empty(const struct folder *folder, const char *dir);

// For work files that an interrupted run has left of a table that has been built since: the first returns their bytes
// on disk, the second removes them unless a run has them open.
uint64_t folder_work_bytes(const char *dir, const struct material *material);
void folder_drop_work(const char *dir, const struct material *material);

// The bytes of all tables in a folder, or of the files that exist while tables are made; 0 if there is no folder.
uint64_t folder_bytes(const char *dir, bool tables);

#endif
