// streamed_post.h - blocks in transit between the processes that share a streamed backend
#ifndef CLTB_SOLVE_DISK_STREAMED_POST_H
#define CLTB_SOLVE_DISK_STREAMED_POST_H

#include "solve/disk/streamed_state.h"

enum { ROUND_BYTES = 64 << 20 }; // of a process, in transit at a time, unless one block has more

struct post {
    struct streamed *streamed;
    struct peer_mail mail;
    size_t most; // bytes of a block
    void *block; // a buffer
    struct packed_bits_packer *packer;
};

// Must be closed, whatever the result.
int post_open(struct post *post, struct streamed *streamed);
void post_close(struct post *post);

// Hands a block over to another process; here it is empty afterwards.
int post_block(struct post *post, unsigned plane, uint32_t block, int rank);

// All processes call it together: it sends what was handed over, and writes the blocks of others to the scratch.
int post_exchange(struct post *post);

#endif
