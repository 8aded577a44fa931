// write_search.h - the order of the men in a stream
#ifndef CLTB_TABLE_WRITE_WRITE_SEARCH_H
#define CLTB_TABLE_WRITE_WRITE_SEARCH_H

#include "table/write/writer.h"

// Chooses the orders of all streams. The compressors must be open.
int write_search(struct writer *writer);

// Makes outcomes and distances of a side, which has distances that are kept, a pair if that takes fewer bytes.
int write_pair(struct writer *writer, int side);

// Bytes of the smallest sample that suffices for the search, and of the sample that is taken if there is room, with the
// models that are made from it.
void write_search_bytes(const struct entry_order *order, unsigned distance_bytes, bool best, int threads,
                        uint64_t *least, uint64_t *most);

#endif
