// memory.h - large zeroed arrays on huge pages
#ifndef CLTB_UTIL_MEMORY_H
#define CLTB_UTIL_MEMORY_H

#include <stddef.h>

// Zeroed, aligned to 2 MiB where the size makes huge pages worth while (else to 4096 B); NULL if there is no memory.
// The pages are taken when first written.
void *memory_map(size_t bytes);
void memory_unmap(void *start, size_t bytes);

// The most memory that this process has held, in bytes.
size_t memory_peak(void);

#endif
