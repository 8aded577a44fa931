// write_options.h - how a table file is written
#ifndef CLTB_TABLE_WRITE_WRITE_OPTIONS_H
#define CLTB_TABLE_WRITE_WRITE_OPTIONS_H

#include "util/peers.h"

#include <stdbool.h>
#include <stdint.h>

struct write_options {
    bool both_sides; // distances for both sides to move, else for the one that takes fewer bytes
    bool reduced;    // one side's distances will be removed again (table_keep_one_side()): they need not be small
    bool outcomes;   // no distances, and quickly rather than small: for table_open_outcomes()
    bool best;       // larger blocks and the highest level
    // Called now and then with the share done; a non-zero result stops: CLTB_E_INTERRUPTED.
    int (*progress)(void *context, double share);
    void *context;
    // Bytes that the writer may take; 0: no limit. It takes the least of write_memory_bytes() even if this is less. The
    // file does not depend on it.
    uint64_t memory;
    // A folder for temporary data, which a writer with a limit may need: less than a section of the finished table has.
    // NULL: the table's own.
    const char *scratch;
    // Processes that write it together (write_together.h); the first one makes the file. NULL: this one alone.
    const struct peers *peers;
};

#endif
