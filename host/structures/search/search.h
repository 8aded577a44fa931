// search.h - decides one position by solving only the structures that its play needs
//
// Two questions are asked: does White win, and does Black? Each has a graph of its own (nodes.h), in which structures
// are solved that have at most two pieces besides the kings. A question goes round by round:
//
//     1. From the position, follow White's moves that keep its grade, and those of Black's replies that allow no more
//        (White is the side that tries to win). Inside a structure White takes the shortest way (grades_rank()).
//     2. This reaches leaves. Look at as many of them as the walk was work, the nearest first: structures of kings and
//        pawns are read from a table or solved; with one piece, a search by moves (forced.h) tries some positions
//        first, and then the structure is solved; with two, after some failures more; with three, never, but a smaller
//        structure to which most positions of such a search belong.
//     3. Solve again what leads to a structure whose grades have changed, the last ones first; with pieces, what no
//        line of this round has reached waits until one does.
//
// It ends when the position's grade is 0 or GRADES. Everything is derived from the rules and from tables; a guess only
// says where to look. The order of the work, and so every result, is the same for any number of threads.
#ifndef CLTB_STRUCTURES_SEARCH_SEARCH_H
#define CLTB_STRUCTURES_SEARCH_SEARCH_H

#include "structures/search/forced.h"
#include "util/threads.h"

struct search;

struct search_request {
    cltb_tables *tables; // NULL: none
    int tables_men;      // of at most so many men
    // Is there a table, and also of all materials that captures in it lead to? Gets has_context; may be called by
    // several threads. NULL: structures with pieces are not looked up as a whole.
    bool (*has_table)(void *context, const struct material *material);
    void *has_context;
    uint64_t memory;  // bytes
    const char *kept; // a file of search_save() from which to continue, if it exists; NULL: none
    struct thread_pool *pool;
    bool (*stopped)(void *context); // true: CLTB_E_INTERRUPTED
    // Now and then, from the caller's thread: the likelihood of either side's win, from 0 (no) to GRADES (yes), and the
    // structures solved so far. May be NULL.
    void (*progress)(void *context, const int likely[COLOURS], uint64_t structures);
    void *context;
};

struct search_counts {
    uint64_t solved[3]; // structures, by pieces besides the kings
    uint64_t positions; // that searches by moves have looked at
};

// CLTB_E_POSITION for castling rights, or more pieces than a structure can have; CLTB_E_MEMORY if what is kept needs
// more memory than allowed.
int search_open(struct search **search, const struct position *position, const struct search_request *request);
void search_close(struct search *search);

// Keeps what is known in a file, also after an error; one that is there is replaced when the new one is complete.
// CLTB_E_IO.
int search_save(struct search *search, const char *path);

// Whether the search continues from such a file.
bool search_resumed(const struct search *search);

// Works on the position, or on one that a move of it leads to, until its outcome is known or the work is done: about so
// many blocks (placements of pieces with all placements of the kings) for each question. The end of work or memory is
// no error: then it is not known.
int search_decide(struct search *search, const struct position *position, uint64_t work);

// What is known of a position, with its half-move clock: the least and the greatest outcome for White (CLTB_LOSS,
// CLTB_DRAW, CLTB_WIN); and if one side wins, how many plies it needs at most to the next pawn move or capture.
struct search_bounds {
    int least;
    int greatest;
    int plies;
};
int search_bounds(struct search *search, const struct position *position, struct search_bounds *bounds);

// The winner's moves and the loser's longest defence inside each structure, from a position that is known to be won by
// one side. Returns their number, up to `most`, or a negative code; ends where a table takes over.
int search_line(struct search *search, const struct position *position, uint32_t *line, int most);

struct search_counts search_counts(const struct search *search);

// For proofs: what was asked, the graph of one question and its searches by moves, and a position as that graph's board
// shows it; turning it twice gives it back.
const struct search_request *search_asked(const struct search *search);
struct nodes *search_nodes(struct search *search, int attacker);
struct forced *search_forced(struct search *search, int attacker);
void search_seen(int attacker, const struct position *from, struct position *to);

#endif
