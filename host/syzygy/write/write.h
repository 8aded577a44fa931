// write.h - a solved endgame as a pair of Syzygy files
#ifndef CLTB_SYZYGY_WRITE_WRITE_H
#define CLTB_SYZYGY_WRITE_WRITE_H

#include "table/write/content.h"
#include "util/saturate.h"
#include "util/threads.h"

#include <limits.h>

struct syzygy_target {
    char wdl[PATH_MAX]; // NAME.rtbw
    char dtz[PATH_MAX]; // NAME.rtbz; "": none
    // Gives all distances in plies; otherwise in moves where the 50-move rule allows it, as the format's generator
    // does.
    bool exact;
    // Bytes that may be used; 0: no limit. At least the minimum of syzygy_write_need() is used, even if this is less.
    // The files do not depend on it.
    uint64_t memory;
    // Called now and then with the share done; a nonzero result stops with CLTB_E_INTERRUPTED.
    int (*progress)(void *context, double share);
    void *context;
    uint64_t bytes; // of both files; set by syzygy_write()
};

// Writes NAME.rtbw and then NAME.rtbz (unless `dtz` is empty), each atomically: readers use a .rtbz only if the .rtbw
// is there. The content must have the distances of both sides. At most seven men.
int syzygy_write(const struct content *content, struct syzygy_target *target, struct thread_pool *pool);

// An estimate of what writing needs, without the content's memory.
struct memory_need syzygy_write_need(const struct material *material, int threads);

#endif
