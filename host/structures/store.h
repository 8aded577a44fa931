// store.h - solves the structures of a graph, and gives the values of their positions
//
// A solved structure is kept as the slabs that others import: outcomes, without distances. Distances are found when a
// value is asked for, by solving that one structure again.
//
// If structures are bounded, there are two runs. In each, one side wins all bounded structures unless the other side
// has a capture that is known to be better. The true value lies between the two.
#ifndef CLTB_STRUCTURES_STORE_H
#define CLTB_STRUCTURES_STORE_H

#include "solve/solution.h"
#include "structures/outcomes.h"
#include "structures/value.h"
#include "util/threads.h"

struct structure_options {
    const char *folders; // of tables, separated by ':'
    uint64_t memory;     // bytes that arrays may use before those kept for reuse are freed, and others go to the file;
                         // 0: no limit
    uint64_t allowed;    // bytes of all memory, of which a part may keep what was read from tables; 0: no limit
    const char *scratch; // folder of that file, and of the file from which a run that was killed resumes; NULL: none
    struct thread_pool *pool;
    const char *isa;
    // Opens a device for a batch whose plane has at least `device_bytes`, or leaves *backend as it is (NULL): then the
    // processor solves the batch, as it does if the device lacks memory (CLTB_E_MEMORY). NULL: there is no device.
    int (*open)(void *context, const struct layout *layout, struct backend **backend);
    uint64_t device_bytes;
    int (*progress)(void *context, size_t solved, size_t all); // a nonzero result: CLTB_E_INTERRUPTED. May be NULL
    bool (*stopped)(void *context); // asked after each ply; true: CLTB_E_INTERRUPTED. May be NULL
    void *context;
};

struct structure_store;

// The graph, `limits` and `options` must stay valid until the store is closed.
int structure_store_open(struct structure_store **store, const struct structure_graph *graph,
                         const struct structure_limits *limits, const struct structure_options *options);
// Removes the file from which a run resumes, unless work is unfinished or `keep` is set.
void structure_store_close(struct structure_store *store, bool keep);

const struct structure_graph *structure_store_graph(const struct structure_store *store);
const struct structure_limits *structure_store_limits(const struct structure_store *store);

// The number of structures that an earlier run had solved before it was killed, by a file in the scratch folder. One
// that was solved again in a later graph counts again.
size_t structure_store_resumed(const struct structure_store *store);

// That file's path; NULL: there is none.
const char *structure_store_work(const struct structure_store *store);

// Entries of slabs that have been taken from tables.
uint64_t structure_store_table_entries(const struct structure_store *store);

// Solves all structures, with `winner` winning the bounded ones. If none is bounded, one run is enough. The second run
// solves only the structures that are not exact.
int structure_store_solve(struct structure_store *store, int winner);

// The values of positions that can be reached from the graph's position. Distances are found by solving one structure
// again; for `outcomes` nothing is solved again.
struct structure_values structure_store_values(struct structure_store *store, bool outcomes);

// Frees what can be found again, for work that takes memory elsewhere.
int structure_store_trim(struct structure_store *store);

// Must be called after the store's graph, which was `before`, and the limits have been replaced by those of a graph
// with more solved structures. Structures that do not lead to the new ones stay solved.
int structure_store_change(struct structure_store *store, const struct structure_graph *before);

// Structures of one level with their distances, solved again.
struct structure_batch {
    int winner;
    const uint32_t *number; // [count] in the graph
    size_t count;
    int pieces;
    const uint64_t *words; // [COLOURS][1 + DISTANCE_PLANES_MAX][count][slab_words(pieces)]
    const solver_value (*value)[COLOURS][DISTANCE_CODES]; // [COLOURS]
};

// The value of an entry of structure i of the batch; STRUCTURE_ILLEGAL if it is not a legal position.
enum { STRUCTURE_ILLEGAL = 0xffff };
solver_value structure_batch_value(const struct structure_batch *batch, size_t i, int side, size_t entry);

// The amount that a piece adds to the number of an entry, by its place among the pieces and its square.
size_t structure_entry_part(int pieces, int place, int square);

// Calls visit() with all solved structures, in the run of `winner`; in Black's run without the exact ones.
int structure_store_each(struct structure_store *store, int winner,
                         int (*visit)(void *context, const struct structure_batch *batch), void *context);

// The bytes of slabs of tables, and of decompressed sections of tables, that are kept if `allowed` bytes of memory are
// (0: no limit).
size_t structure_tables_kept(uint64_t allowed);

// Estimates, in bytes.
struct structure_memory {
    uint64_t graph; // for the graph with all its structures
    uint64_t small; // for solved structures whose arrays are too small to leave memory
    uint64_t kept;  // for the others
    uint64_t work;  // for the work on them
};
struct structure_memory structure_memory(const struct structure_graph *graph);

#endif
