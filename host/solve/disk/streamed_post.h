// streamed_post.h - blocks on their way between the processes that share a streamed backend
#ifndef CLTB_SOLVE_DISK_STREAMED_POST_H
#define CLTB_SOLVE_DISK_STREAMED_POST_H

#include "solve/disk/streamed_state.h"

enum { ROUND_BYTES = 64 << 20 }; // of a process, on their way at a time; or those of one block

struct post {
    struct streamed *streamed;
    struct peer_mail mail;
    size_t slot;
    void *block; // [slot]
    struct packed_bits_packer *packer;
};

// To be closed whatever the result.
int post_open(struct post *post, struct streamed *streamed);
void post_close(struct post *post);

// Hands a block to another process; it is empty here then.
int post_block(struct post *post, unsigned plane, uint32_t block, int rank);

// All processes at a time: sends what was handed over, and writes the blocks of others to the scratch.
int post_exchange(struct post *post);

#endif
