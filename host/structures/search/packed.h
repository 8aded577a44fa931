// packed.h - structures of a search that are seldom looked at, compressed
//
// A structure's planes are much alike: zstd leaves a seventh of them, at 0.3 to 0.5 GB/s. What looks at them unpacks
// them again (node_view() and others), which takes less time than to solve the structure.
#ifndef CLTB_STRUCTURES_SEARCH_PACKED_H
#define CLTB_STRUCTURES_SEARCH_PACKED_H

#include "structures/search/node.h"

struct node_packed {
    uint64_t bytes;            // of data
    uint16_t differs[COLOURS]; // bit g - 1: the plane of grade g has its own bytes; others are those of the next grade
    uint8_t data[];            // legal positions; planes, from the highest grade down
};

// Packs the planes of a solved node, or of one from a table. CLTB_E_MEMORY: they stay as they are.
int node_pack(struct nodes *nodes, struct node *node);

// Unpacks a node whose planes are away; what is packed stays, so that they may go again at no cost. Several threads may
// call it at a time. CLTB_E_MEMORY; CLTB_E_CORRUPT for what a file had.
int node_unpack(struct nodes *nodes, struct node *node);

// Before planes change.
int node_change(struct nodes *nodes, struct node *node);

// Packs nodes, those first that were not used for the longest time, until planes take `most` bytes at most; none that
// the last step has used.
int nodes_pack(struct nodes *nodes, uint64_t most);

#endif
