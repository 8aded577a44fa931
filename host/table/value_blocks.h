// value_blocks.h - blocks of values as codes of 2 bytes, in restricted tables and in files of structures
//
// A code is 0 for a draw, otherwise (plies + 1) * 2 + (1 if the side to move wins, 0 if it loses). docs/restricted.md
// has the bytes.
#ifndef CLTB_TABLE_VALUE_BLOCKS_H
#define CLTB_TABLE_VALUE_BLOCKS_H

#include "table/container.h"

enum { VALUE_BLOCK = 32 * 1024, VALUE_ILLEGAL = 0xffff }; // symbols of a block; the code of what is not a position

struct value_worker {
    struct container_compressor *compressor;
    uint16_t *code;  // [VALUE_BLOCK] of the block to be packed
    uint8_t *packed; // [container_bound()]
};

struct value_packer {
    int workers;
    struct value_worker *worker; // [workers]
};

// Makes so many workers, unless they are there already. `level`: of zstd. value_packer_close() must follow, also after
// an error.
int value_packer_open(struct value_packer *packer, int workers, int level);
void value_packer_close(struct value_packer *packer);

// Compresses the first `count` codes of a worker. Those of no position become what compresses best. piece->data is
// malloc'ed.
int value_packer_pack(const struct value_packer *packer, int worker, uint32_t count, struct container_piece *piece);

// Can this code stand in a file?
bool value_code_fits(unsigned code);

#endif
