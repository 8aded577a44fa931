// pawn_memory.h - the memory that a table with pawns takes while it is built, and any table while it is written
//
// With too little memory, planes of solved slices and slabs of futurebases move to a file, and batches have fewer
// slices. Memory must hold at the same time the planes of a batch of one slice, the decompressed part of a futurebase
// (at least one section), and a little for every slice.
#ifndef CLTB_MAKE_PAWN_MEMORY_H
#define CLTB_MAKE_PAWN_MEMORY_H

#include "index/material.h"
#include "make/plan_material.h"
#include "util/saturate.h"

struct pawn_memory {
    uint64_t fixed;  // bytes, whatever the limit: the program, and a little for every slice
    uint64_t least;  // minimum for building it
    uint64_t most;   // without a limit, approximately
    uint64_t limit;  // build_options.memory, or what the machine can give if that is less than `most`; 0: none
    uint64_t taken;  // forecast; exceeds the limit if that is too small
    uint64_t arrays; // what the limit leaves for arrays; 0: no limit
};

// `material`: with pawns. `files`: see plan_material.h.
void pawn_memory(struct pawn_memory *memory, const struct material *material, const struct build_options *options,
                 unsigned files);

// What writing the files of a table needs besides the planes; 0: nothing.
struct memory_need plan_write_need(const struct material *material, const struct build_options *options,
                                   unsigned files);

// The memory for planes of a slice that are read back from the work file, besides the writer's.
uint64_t pawn_memory_read_back(const struct material *material);

// Parts of the arrays: for decompressed sections of futurebases, and for what the pool keeps while the file is written.
enum { PAWN_SECTIONS_PART = 8, PAWN_KEPT_PART = 16 };

#endif
