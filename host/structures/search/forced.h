// forced.h - a search by moves for positions in which play is forced
//
// Depth-first proof-number search: a node's proof number says how much it still takes to prove that the searching side
// reaches its goal, its disproof number the contrary.
//
//     1. The numbers of a position that is the searching side's turn are the least proof number and the greatest
//        disproof number of the moves, plus 1 for each other open move; for the other side it is the other way round.
//     2. The search goes down along the moves that decide these numbers, as long as they stay below limits that come
//        from the best of the other moves, and so comes back as soon as another move looks better.
//     3. Leaves are mates, stalemates, positions of tables, and positions whose structure is solved.
//     4. A repeated position fails to reach the goal. What follows from that holds on this path only, and is not kept.
//
// So only "the goal is reached" is ever a result. The other side's draw is found by a second search, with its goal.
#ifndef CLTB_STRUCTURES_SEARCH_FORCED_H
#define CLTB_STRUCTURES_SEARCH_FORCED_H

#include "structures/search/nodes.h"

struct forced;

// Tables of at most so many men, and the materials of which one was found to be missing. Each thread has its own.
enum { TABLES_MISSING = 256 };
struct forced_tables {
    cltb_tables *tables; // NULL: none
    int men;
    uint64_t missing[TABLES_MISSING]; // a hash table of materials; the last one of a place counts
};

// `bytes` of memory for positions. `nodes` and `tables` must stay valid.
int forced_open(struct forced **forced, const struct nodes *nodes, struct forced_tables *tables, uint64_t bytes);
void forced_close(struct forced *forced);

// Looks at about `most` positions at most for each side's goal. 1: White wins, 0: White does not win, or UNKNOWN.
// *looked: how many were looked at.
int forced_find(struct forced *forced, struct position *position, uint64_t most, uint64_t *looked);

// The same for one side's goal only: whether it is found that White wins, or that Black does not lose.
bool forced_reach(struct forced *forced, int side, struct position *position, uint64_t most);

// The structure with at most two pieces to which most of the positions belong that the last search has looked at, and
// their number; 0: none. It may not be in the graph.
uint64_t forced_met(const struct forced *forced, struct node_key *key);

// If this side's goal is known to be reached, at once or by an earlier search: the plies of that way up to a pawn move,
// a capture, a mate (1), or a position that is known (1); otherwise 0. `entered`: as for node_known().
int forced_plies(struct forced *forced, int side, struct position *position, bool entered);

// 1 or 0 by a table, or because only the kings are left; UNKNOWN if there is no table.
int forced_table(struct forced_tables *tables, struct position *position);

#endif
