// stored_slabs.h - stored tables as the slabs that zeroing moves lead to
#ifndef CLTB_FUTUREBASE_STORED_SLABS_H
#define CLTB_FUTUREBASE_STORED_SLABS_H

#include "solve/slabs.h"
#include "util/threads.h"

#include <stddef.h>

// Open tables and their most recently used sections, decompressed. All fields except the first four start as zero.
struct stored_slabs {
    const char *folders;      // searched in this order, with ':' between them
    struct thread_pool *pool; // must outlive the source
    size_t cache_bytes;       // of decompressed sections; 0: 256 MiB. One section is kept in any case
    enum metric metric;       // of the tables
    struct slab_table *table; // [tables]
    size_t tables;
    struct slab_section *section; // [sections]
    size_t sections;
    size_t section_room;
    size_t cached;    // bytes of all sections
    uint64_t entries; // that have been read so far
    uint64_t round;
};

// A source that reads the tables in those folders. `slabs` must outlive it. For one thread at a time.
struct slab_source stored_slabs_source(struct stored_slabs *slabs);

// Closes the tables and frees the cache, which may be used again.
void stored_slabs_close(struct stored_slabs *slabs);

#endif
