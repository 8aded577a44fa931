// verdict.h - what a position is worth, by solving all structures that can come of it
//
// Efforts say how many promoted men are solved at a time: none; one queen; one man of any kind; two men, the last of
// which is a queen; two of any kind; and so on. What has more is bounded, which makes the verdict an interval unless
// both ends are the same. Efforts rise until they are, or until memory does not suffice; once the
// outcome is certain, for the distance alone if that is little work.
#ifndef CLTB_STRUCTURES_VERDICT_H
#define CLTB_STRUCTURES_VERDICT_H

#include "structures/answer.h"
#include "structures/store.h"

enum { STRUCTURE_EFFORTS = 13 };

struct verdict_request {
    const char *folders; // of tables
    int tables_men;      // structures of at most so many men are looked up if there is a table
    uint64_t memory;     // bytes; 0: most of the machine's
    const char *scratch; // a folder for what does not fit; NULL: more than memory is an error
    int first;           // effort,
    int effort;          // and the last one, 0..STRUCTURE_EFFORTS-1
    size_t structures;   // more are too many
    int threads;         // 0: one for each processor
    int (*progress)(void *context, size_t solved, size_t all);
    // Makes tables in the first folder, in standard colours, that some structures would be looked up in. NULL: only
    // tables that are present are used.
    int (*make)(void *context, const struct material *missing, size_t count);
    void *context;
};

struct verdict {
    struct structure_answer answer;
    struct structure_values values;
    int effort;
    bool bounded;      // something that can come of the position was
    char stopped[512]; // why no more effort was made, or ""
    struct structure_graph graph;
    struct structure_store *store;
    struct structure_limits limits;
    struct structure_options options;
    struct structure_graph planned; // of the next effort
    struct structure_limits planned_limits;
    struct verdict_tables *tables;
    struct thread_pool *pool;
};

// Makes the graph of one effort, verdict->planned, and no more.
int verdict_plan(struct verdict *verdict, const struct position *position, const struct verdict_request *request,
                 int effort);

// CLTB_E_MEMORY says how much would be needed.
int verdict_find(struct verdict *verdict, const struct position *position, const struct verdict_request *request);
void verdict_free(struct verdict *verdict);

#endif
