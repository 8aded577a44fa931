// paged.h - arrays that leave memory for a file when there is too little of it
//
// They are written once and read now and then. An open array stays where it is. When the pool of memory (util/memory.h)
// reaches its limit, the arrays that were closed longest ago are written to a file (disk/overflow.h), unless it has
// them already, and leave memory until they are opened again. Without a limit nothing leaves, and there is no file.
//
// One thread at a time calls these functions.
#ifndef CLTB_DISK_PAGED_H
#define CLTB_DISK_PAGED_H

#include "util/memory.h"

#include <stdbool.h>
#include <stddef.h>

enum { PAGED_LEAVES_MIN = 64 << 10 }; // bytes: smaller arrays stay in memory

struct paged;
struct paged_array;

// `limit`: bytes of the pool, as in memory_pool_limit(); 0: none. `dir`: folder of the file. The pool and `dir` must
// outlive it.
int paged_open(struct paged **paged, struct memory_pool *pool, size_t limit, const char *dir);

// All arrays must be freed before. NULL is allowed. The pool has no limit afterwards.
void paged_close(struct paged *paged);

// Makes an array, zeroed if `zero` is set, which is open for writing until it is first closed.
int paged_new(struct paged *paged, size_t bytes, bool zero, struct paged_array **array, void **start);

// Opens an array. Every successful call must be followed by a paged_put().
int paged_get(struct paged_array *array, const void **start);
void paged_put(struct paged_array *array);

// The contents of an open array.
void *paged_start(const struct paged_array *array);

void paged_free(struct paged_array *array); // open or not; NULL is allowed

// Sets another limit, not 0, if there was one.
void paged_allow(struct paged *paged, size_t limit);
size_t paged_limit(const struct paged *paged);

// The bytes of all open arrays.
size_t paged_open_bytes(const struct paged *paged);

#endif
