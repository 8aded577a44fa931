// pawn_memory.h - what a table with pawns takes while it is made
//
// Planes of solved slices and slabs of futurebases leave memory for a scratch file when there is too little of it, and
// batches have fewer slices then. What has to be there at once: the planes of a batch of one slice, what is
// decompressed of a futurebase (one section at least), and what there is for every slice.
#ifndef CLTB_MAKE_PAWN_MEMORY_H
#define CLTB_MAKE_PAWN_MEMORY_H

#include "index/material.h"
#include "make/options.h"

struct pawn_memory {
    uint64_t fixed; // bytes, whatever the limit: the program, what there is for every slice
    uint64_t least; // with which it can be made
    uint64_t most;  // that are taken without a limit, about
    uint64_t
        limit; // in force: build_options.memory, or a part of what the machine has if that is less than `most`; 0: none
    uint64_t taken;  // what it will take: more than the limit if that is too little
    uint64_t arrays; // what the limit leaves for arrays; 0: no limit
};

// `material`: with pawns. `write`: a file is made as well.
void pawn_memory(struct pawn_memory *memory, const struct material *material, const struct build_options *options,
                 bool write);

// Planes of a slice as they are read back from the work file: memory beside that of the writer.
uint64_t pawn_memory_read_back(const struct material *material);

// Parts of the arrays: for decompressed sections of futurebases, for windows of the work file, for what the pool keeps
// while the file is written.
enum { PAWN_SECTIONS_PART = 8, PAWN_WINDOW_PART = 16, PAWN_KEPT_PART = 16 };

#endif
