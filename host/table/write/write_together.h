// write_together.h - several processes write one table
//
// A section belongs to one process (peers_section_owner()); with pawns, sections that are put into the file together
// belong to the same one. Without pawns no other process has the planes for it.
//
//     1. Samples for the orders of the men are made by the owners of their sections. Each goes to the process that
//        searches the orders of its side to move, which keeps it compressed in the overflow.
//     2. Processes 0 and 1 search the orders of White and Black to move, and send them to all.
//     3. Each makes its sections. Their compressed blocks wait, in memory or in the overflow.
//     4. The blocks go to process 0 in the order of the file, some megabytes at a time, and from there into the file.
//
// Example: KQvKR with two processes. Process 0 searches the orders with White to move, process 1 those with Black to
// move. Process 0 makes the sections of the black king's squares 0-4, with either side to move, and process 1 those of
// 5-9.
#ifndef CLTB_TABLE_WRITE_WRITE_TOGETHER_H
#define CLTB_TABLE_WRITE_WRITE_TOGETHER_H

#include "table/write/writer.h"

struct together;

// `*together` is NULL if there are no other processes; the functions below allow that unless they say otherwise. Must
// be closed, whatever the result.
int together_open(struct together **together, struct writer *writer, const struct peers *peers);
void together_close(struct together *together);

// Does this process make that section? The streams must have their shape.
bool together_makes(const struct together *together, int side, uint64_t section);

// Does this process search the order of that stream?
bool together_searches(const struct together *together, const struct stream *stream);

// Step 1: gives the symbols of a section of the sample. All processes exchange their sections at the same time; each
// has samples of `sections` sections and `symbols` symbols. *left becomes the sum over all processes. Not with NULL.
int together_post_sample(struct together *together, const struct stream *stream, int section, const uint8_t *symbols,
                         uint64_t bytes);
int together_exchange_samples(struct together *together, int sections, uint64_t symbols, uint64_t *left);
int together_fetch_sample(const struct together *together, const struct stream *stream, int section, uint8_t *symbols,
                          uint64_t bytes);

// Step 2.
int together_share_orders(struct together *together);

// Step 3: takes over the blocks of some sections, which are empty afterwards. Not with NULL.
int together_keep(struct together *together, const struct stream *stream, uint64_t first, uint64_t count,
                  struct waiting_block *waiting);

// Step 4. Also adds up the numbers of positions.
int together_gather(struct together *together);

#endif
