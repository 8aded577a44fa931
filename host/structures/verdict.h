// verdict.h - what a position is worth, by solving all structures that can come of it
//
// Efforts say how many promoted men are solved at a time: none; one queen; one man of any kind; two men, the last of
// which is a queen; two of any kind; and so on. What has more is bounded, which makes the verdict an interval unless
// both ends are the same. Efforts rise until they are, or until memory does not suffice; once the
// outcome is certain, for the distance alone if that is little work.
#ifndef CLTB_STRUCTURES_VERDICT_H
#define CLTB_STRUCTURES_VERDICT_H

#include "chess/move.h"
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
    void *context;
};

// Values are the least and the greatest that can be, for the side to move.
struct verdict_value {
    struct cltb_value low;
    struct cltb_value high;
};

struct verdict_move {
    uint32_t move;
    bool zeroing;
    bool mate;
    struct verdict_value value;
};

struct verdict {
    struct position position;
    struct verdict_value value;
    struct verdict_move move[MOVES_MAX]; // [moves] best first
    int moves;
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

// Is what the side to move gets certain: the outcome, and if `distance`, the distance?
static inline bool verdict_certain(const struct verdict_value *value, bool distance)
{
    return value->low.outcome == value->high.outcome && (!distance || value->low.dtz == value->high.dtz);
}

// 1: no other move keeps the outcome; 0: another one does; -1: that is not known.
int verdict_only_move(const struct verdict *verdict);

// The moves of the best line from the position, which is left as it is: up to mate, or to what has a table, or `most`
// plies. Their number.
int verdict_line(const struct verdict *verdict, uint32_t *line, int most);

#endif
