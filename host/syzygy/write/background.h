// background.h - packs sub-tables beside other work
//
// Much of writing does not divide evenly among threads: a few trials of orders, the first and last steps of packing.
// Meanwhile one more thread packs a sub-table, which fills these gaps and takes less of the processor's time than if
// several threads shared it. The result is the same.
#ifndef CLTB_SYZYGY_WRITE_BACKGROUND_H
#define CLTB_SYZYGY_WRITE_BACKGROUND_H

#include "syzygy/write/pack.h"

struct background;

// Prepares for packing `jobs` sub-tables at a time, of at most `values` values each, beside the jobs of a pool.
// CLTB_E_MEMORY.
int background_open(struct background **background, struct thread_pool *pool, int jobs, uint64_t values);

// Ends jobs that are still running.
void background_close(struct background *background);

// About the number of bytes that each job takes.
uint64_t background_bytes(uint64_t values);

// Gives memory for the values of a sub-table, which must then be packed; NULL if no job or no processor is free.
uint8_t *background_values(struct background *background);

// Packs the values in that memory, as syzygy_pack() does, but returns at once, unless no thread can be started.
int background_pack(struct background *background, struct syzygy_packed *packed, uint64_t count, bool wdl, bool go_on);

// Waits for all jobs. Returns the first error, with its sentence.
int background_wait(struct background *background);

#endif
