// write_options.h - how a table file is written
#ifndef CLTB_TABLE_WRITE_WRITE_OPTIONS_H
#define CLTB_TABLE_WRITE_WRITE_OPTIONS_H

#include "solve/backend_bulk.h"
#include "util/peers.h"

#include <stdbool.h>
#include <stdint.h>

struct backend;
struct container_writer;

struct write_options {
    bool both_sides; // distances for both sides to move, otherwise for the side whose distances take fewer bytes
    bool reduced;    // one side's distances will be removed again (table_keep_one_side()), and need not be small
    bool outcomes;   // no distances, and fast rather than small: for table_open_outcomes()
    bool best;       // larger blocks and the highest level of compression
    // Called now and then with the share done; a nonzero result stops with CLTB_E_INTERRUPTED.
    int (*progress)(void *context, double share);
    void *context;
    // Bytes that the writer may use; 0: no limit. It uses at least the minimum of write_need(), even if this is
    // less. The file does not depend on it.
    uint64_t memory;
    // A folder for temporary data, which a writer with a limit may need: less than a section of the finished table.
    // NULL: the table's own folder.
    const char *scratch;
    // Called when the table is complete and can be read (container_show()), but has not got its name; may add a stream
    // to it. Then it gets the name, unless the result is an error. NULL: nothing is to be done.
    int (*complete)(void *context, struct container_writer *table);
    void *complete_context;
    // Processes that write the table together (write_together.h); the first one makes the file. NULL: this one writes
    // alone.
    const struct peers *peers;
    // Codes blocks of sections that the processor makes (backend->bulk->code()); NULL: the processor does.
    struct backend *coder;
};

#endif
