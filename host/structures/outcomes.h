// outcomes.h - the outcomes of solved structures, as the slabs that other ones import
//
// Structures that were solved together are kept together. With a scratch folder each such batch also goes to a journal,
// from which a killed run resumes: one journal, named by the first graph, for all graphs of a run.
#ifndef CLTB_STRUCTURES_OUTCOMES_H
#define CLTB_STRUCTURES_OUTCOMES_H

#include "disk/journal.h"
#include "disk/paged.h"
#include "solve/slabs.h"
#include "solve/solution.h"
#include "structures/graph.h"

// The winner of bounded structures: White or Black.
enum { STRUCTURE_RUNS = COLOURS };

struct outcomes_batch;

struct outcomes_place {
    struct outcomes_batch *batch; // NULL: not solved
    size_t at;                    // first word in each array
};

struct outcomes {
    const struct structure_graph *graph;
    struct paged *paged;
    struct outcomes_place *place[STRUCTURE_RUNS]; // [structures]
    struct outcomes_batch *batch;
    struct journal journal;
    uint64_t hash;  // of the graph; records of the journal have it
    size_t resumed; // structures that an earlier run has solved, in all graphs together
};

// `scratch`: a folder, or NULL. The graph and `paged` must stay valid.
int outcomes_open(struct outcomes *outcomes, const struct structure_graph *graph, struct paged *paged,
                  const char *scratch);

// Removes the journal, unless `keep` is set.
void outcomes_close(struct outcomes *outcomes, bool keep);

// Keeps the outcomes of a batch of structures that have been solved in the run of `winner`; those of exact ones for
// both runs. Gives the solution's planes back.
int outcomes_keep(struct outcomes *outcomes, struct solution *solution, int winner, const uint32_t *number,
                  size_t count);

static inline bool outcomes_has(const struct outcomes *outcomes, int winner, size_t number)
{
    return outcomes->place[winner][number].batch != NULL;
}

// Fills in the planes of a slab, which still belong to `outcomes`. CLTB_E_MISMATCH if the structure has not been
// solved.
int outcomes_slab(const struct outcomes *outcomes, int winner, size_t number, int side, struct slab *slab);

// The outcome (enum cltb_outcome) of a position, given by its bit in a slab.
int outcomes_look(const struct outcomes *outcomes, int winner, size_t number, int side, size_t bit, int *outcome);

// Must be called when the graph, which was `before`, has changed; the structures in `stale` [structures] must be solved
// again.
int outcomes_change(struct outcomes *outcomes, const struct structure_graph *before, const uint8_t *stale);

#endif
