// program_cache.h - built programs as files
#ifndef CLTB_SOLVE_OPENCL_PROGRAM_CACHE_H
#define CLTB_SOLVE_OPENCL_PROGRAM_CACHE_H

#include <stddef.h>
#include <stdint.h>

// The kept binary of this hash, to be given to free(), or NULL: there is none, or it is damaged.
unsigned char *program_cache_load(uint64_t hash, size_t *size);

// Keeps a binary. Whatever goes wrong only means that it is not kept.
void program_cache_store(uint64_t hash, const unsigned char *binary, size_t size);

#endif
