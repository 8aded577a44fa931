// verdict.h - the value of a position, found by solving the structures that can come of it
//
// The effort limits the promoted men that a solved structure may have: none; one queen; one man of any kind; two men,
// the last of which is a queen; two of any kind; and so on. Structures with more are bounded, which makes the verdict
// an interval unless both ends are the same. The effort rises until they are, or until there is not enough memory. Once
// the outcome is certain and only the distance is not, it rises only if the next effort is little work.
//
// The first effort, and others that are little work, are solved completely. In all others only the structures that the
// verdict rests on (rests.h) are solved, in rounds, until it rests on none that the effort may solve. If rounds stay
// small, such an effort is solved completely, too.
//
// Before the first effort that is much work, a search (search/search.h) tries to decide the outcome by a few
// structures. It finds no distances.
#ifndef CLTB_STRUCTURES_VERDICT_H
#define CLTB_STRUCTURES_VERDICT_H

#include "structures/rests.h"
#include "structures/search/search.h"
#include "structures/store.h"
#include "structures/value.h"

#include <limits.h>

enum { STRUCTURE_EFFORTS = 13 };

struct verdict_request {
    struct structure_options store; // verdict_find() sets its memory, and the pool. Without a scratch folder, needing
                                    // more than the memory is an error
    int tables_men;                 // structures with at most so many men are looked up if there is a table
    uint64_t memory;                // bytes; 0: most of the machine's memory
    int first;                      // the first effort
    int effort;                     // and the last one, 0..STRUCTURE_EFFORTS-1
    struct structure_sets sets;
    bool locked; // first with men kept to what they can reach behind locked pawns, if there are any; without `sets`
    size_t structures; // more than this is an error
    uint64_t whole;    // efforts of at most so many positions are solved completely
    uint64_t search;   // blocks that a search solves at most for each side's win; 0: no search
    void (*searching)(void *context, const int likely[COLOURS], uint64_t structures); // search_request.progress
    bool keep_search; // verdict->search stays if it alone decides the outcome
    bool all_moves;   // each move may take as much work; otherwise all of them together little
    int threads;      // 0: one for each processor
    // Makes tables in which some structures would be looked up, in the first folder and in standard colours; gets the
    // store's context. NULL: only existing tables are used.
    int (*make)(void *context, const struct material *missing, size_t count);
};

struct verdict {
    struct structure_answer answer;
    struct structure_values values;
    int effort;
    bool keep;                  // set by the caller: verdict_free() leaves the scratch file from which a run resumes
    bool bounded;               // a structure reachable from the position was bounded, or men were kept to squares
    char stopped[512];          // why there was no further effort, or ""
    int answered;               // the last effort that has an answer, plus 1; 0: none
    struct verdict_value known; // the value that it gave, which stays if solving fails with more effort
    bool failed;                // solving did
    struct structure_graph graph;
    struct structure_store *store;
    struct structure_limits limits;
    struct structure_options options;
    struct structure_rests rests;    // if the verdict is not decided
    struct structure_choice *choice; // [choices] solved in addition to the last complete effort
    size_t choices;
    int whole;                      // the last complete effort
    struct structure_graph planned; // for the next effort
    struct structure_limits planned_limits;
    uint64_t cached; // bytes of what is kept of tables
    struct verdict_tables *tables;
    struct thread_pool *pool;
    bool searched;
    struct verdict_value searched_value; // what the search found
    struct search_counts searched_counts;
    bool search_resumed;
    char search_file[PATH_MAX];   // in the scratch folder, keeps a search that has not decided the outcome; "": none
    char search_unsaved[512];     // why it does not, or ""
    struct search *search;        // what decided the outcome, or NULL,
    cltb_tables *searched_tables; // and its tables
};

// Makes the graph of one effort, verdict->planned, and missing tables for it if request->make is set. Solves nothing.
int verdict_plan(struct verdict *verdict, const struct position *position, const struct verdict_request *request,
                 int effort);

// The least memory needed to solve the planned graph, with or without a scratch folder, and the memory that may be
// used.
uint64_t verdict_memory(const struct verdict *verdict, bool scratch);
uint64_t verdict_memory_allowed(const struct verdict_request *request);

// CLTB_E_MEMORY if the first effort needs more memory than allowed; the message says how much. If solving fails with a
// later effort, verdict->known has what the last one found.
int verdict_find(struct verdict *verdict, const struct position *position, const struct verdict_request *request);
void verdict_free(struct verdict *verdict);

#endif
