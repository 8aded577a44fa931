// futurebases.h - stored tables as the solver's futurebases
#ifndef CLTB_FUTUREBASE_FUTUREBASES_H
#define CLTB_FUTUREBASE_FUTUREBASES_H

#include "solve/futurebase.h"
#include "util/peers.h"
#include "util/threads.h"

struct stored_tables {
    const char *folders; // searched in this order, with ':' between them
    struct thread_pool *pool;
    const char *isa; // of the kernels that resolve captures, or NULL
    // Processes that ask for the same futurebases. Those of one machine share them until one calls peers->drop(). NULL:
    // none.
    const struct peers *peers;
};

// A source that reads the tables in those folders. `tables` must outlive it.
struct futurebase_source stored_source(struct stored_tables *tables);

#endif
