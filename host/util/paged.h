// paged.h - arrays that leave memory for a scratch file when there is too little of it
//
// For arrays that are written once and read now and then. While one is open it stays where it is. When the pool of memory (memory.h) is at
// its limit, those that were open longest ago are written to the file, if they are not there already, and come back when they
// are opened next. Without a limit nothing leaves, and there is no file.
//
// The functions are for one thread at a time.
#ifndef CLTB_UTIL_PAGED_H
#define CLTB_UTIL_PAGED_H

#include "util/memory.h"

#include <stdbool.h>
#include <stddef.h>

struct paged;
struct paged_array;

// `limit`: bytes of the pool, as in memory_pool_limit(); 0: none. `dir`: where the file is made when it is first needed; it has no
// name there, and is gone with the process. Both the pool and `dir` must outlive it.
int paged_open(struct paged **paged, struct memory_pool *pool, size_t limit, const char *dir);

// All arrays must be gone. NULL is allowed. The pool has no limit any more.
void paged_close(struct paged *paged);

// A new array, zeroed if `zero`, open for writing until it is first closed.
int paged_new(struct paged *paged, size_t bytes, bool zero, struct paged_array **array, void **start);

// Every call but one that fails goes with a paged_put().
int paged_get(struct paged_array *array, const void **start);
void paged_put(struct paged_array *array);

// Of one that is open.
void *paged_start(const struct paged_array *array);

void paged_free(struct paged_array *array); // open or not; NULL is allowed

size_t paged_limit(const struct paged *paged);

// Bytes of arrays that are open.
size_t paged_open_bytes(const struct paged *paged);

#endif
