// nodes.h - structures that come into being when a line of play needs them
//
// One graph serves one question: does the attacker win under the 50-move rule? The board is turned so that the attacker
// is White. A node is a placement of the pawns with up to three pieces besides the kings. Its positions are kept in
// blocks: a block has all placements of the kings for one placement of the pieces, as a word for each square of White's
// king, with a bit for each square of Black's.
//
// A position has a grade: 0 if White certainly does not win it, GRADES if White certainly does. Grades between are
// guesses, which say where to look next; nothing that is proved depends on them. A plane of grade g has the positions
// of at least that grade. Illegal positions count as the best for the side that has moved into them: with White to move
// as grade GRADES, with Black to move as 0.
//
// A node has its grades from one of these:
//
//     solved    from the moves inside the structure and the grades of what other moves lead to (grades.h)
//     table     from a table: kings and pawns only
//     leaf      guesses, and patches: blocks in which single positions have been looked into (forced.h)
#ifndef CLTB_STRUCTURES_SEARCH_NODES_H
#define CLTB_STRUCTURES_SEARCH_NODES_H

#include "chess/position.h"

#include <cltb/cltb.h>

enum {
    GRADES = 16,
    GRADE_EVEN = GRADES / 2,
    NODE_PIECES = 3,    // at most, besides the kings; structures with so many are only leaves
    EXITS_MAX = 1024,   // moves of one side that leave a structure
    NODE_ORDERS = 4096, // nodes of one order do not lead to each other
    UNKNOWN = -1
};

typedef uint64_t king_block[SQUARES];
typedef king_block king_planes[GRADES]; // [grade - 1]

struct node {
    uint64_t pawns[COLOURS];
    uint8_t pieces;
    uint8_t code[NODE_PIECES]; // [pieces] type + 8 * colour, in rising order
    bool solved;
    bool table;
    bool patched; // some block has a patch
    bool waiting; // in a list of the search
    bool stale;   // to be solved again when a line of play reaches it
    bool listed;  // a table has it
    bool redo;    // a run that was stopped had it in work: whatever leads to it is told
    uint16_t order;
    uint16_t pending;   // bit g - 1: planes of grade g that it leads to have changed
    uint16_t looks;     // positions of a leaf that were looked into, and
    uint16_t failures;  // those that could not be decided
    uint16_t steps;     // bit g - 1: the plane of grade g differs from that of g + 1, for one side to move
    uint32_t *parent;   // [parents] nodes whose grades depend on this one
    size_t parents;     //
    size_t parent_room; //
    uint64_t *plane[COLOURS][GRADES]; // [side to move][grade - 1][block][64]; equal ones are shared
    uint64_t *legal;                  // [block][64] legal positions with White to move; if it is solved, also those
                                      // with Black to move, and those in which Black has no move
    uint8_t *rank;                    // grades_rank() of rank_grade, or NULL
    uint8_t rank_grade;               //
    uint32_t walk;                    // the last one that came here
};

struct node_patch {
    uint64_t key;
    king_planes plane;
    king_block legal;
    king_block decided;
};

struct nodes {
    struct node *node; // [count]; number 0 is none
    size_t count;
    size_t room;
    uint32_t *bucket; // [buckets] a hash table of numbers
    size_t buckets;
    struct node_patch **patch; // [patch_room] a hash table
    size_t patches;
    size_t patch_room;
    _Atomic uint64_t bytes; // of planes and patches
    unsigned native;        // bit code: the first position has such a piece
    bool full;              // memory ran out: no result after that counts
};

// The first position, and the bytes of memory that may be used for the list of nodes.
int nodes_open(struct nodes *nodes, const struct position *position, uint64_t bytes);
void nodes_close(struct nodes *nodes);

// Number of blocks of a structure with so many pieces.
static inline size_t node_blocks(int pieces)
{
    return (size_t)1 << 6 * pieces;
}

// Number of grades with this plane.
static inline int node_plane_users(const struct node *node, int side, const uint64_t *plane)
{
    int users = 0;
    for (int g = 0; g < GRADES; g++)
        users += node->plane[side][g] == plane;
    return users;
}

static inline int node_men(const struct node *node)
{
    return 2 + __builtin_popcountll(node->pawns[WHITE] | node->pawns[BLACK]) + node->pieces;
}

static inline int code_type(int code)
{
    return code & 7;
}

static inline int code_colour(int code)
{
    return code >> 3;
}

// The squares of the pieces in a block, and the number of the block with such squares.
void block_squares(size_t block, int pieces, int *square);
size_t block_number(const int *square, int pieces);

// The squares of all men but the kings; 0 if two are on one square, or there are none.
uint64_t node_occupied(const struct node *node, const int *square);

// The positions of a block that are legal with `side` to move.
void node_legal(const struct node *node, const int *square, int side, uint64_t *out);

// The node of a position, which is made if it is not there and `make` is set, and the position's block. 0: there is
// none, or it has too many pieces.
uint32_t node_of(struct nodes *nodes, const struct position *position, bool make, size_t *block);

// For a graph that is read from a file: the node with these pawns and pieces, and a patch that is to be filled in. 0
// and NULL: no memory.
uint32_t node_make(struct nodes *nodes, const uint64_t pawns[COLOURS], int pieces, const uint8_t *code);
struct node_patch *node_patch_new(struct nodes *nodes, uint64_t key);

// The position without a right to take en passant.
bool node_position(const struct node *node, size_t block, int white, int black, int side, struct position *position);

// The grades of a block; `entered`: for positions that a pawn move or a capture leads to, in which everything holds
// that was ever decided. `room` may be used for them.
struct node_view {
    const uint64_t *plane[GRADES];
    const uint64_t *legal;
};
struct node_view_room {
    king_planes plane;
    king_block legal;
};
void node_view(const struct nodes *nodes, uint32_t number, int side, size_t block, bool entered, struct node_view *view,
               struct node_view_room *room);

// The grade of a position, also with a right to take en passant. `entered`: as for node_view().
int node_grade(struct nodes *nodes, struct position *position, bool entered);

// 1 if White certainly wins, 0 if White certainly does not, otherwise UNKNOWN. `entered`: the last move was a pawn move
// or a capture.
int node_known(const struct nodes *nodes, const struct position *position, bool entered);

// Sets the grade of one position of a leaf. Returns the grades whose planes have changed: bit g - 1.
uint16_t node_patch_set(struct nodes *nodes, uint32_t number, int side, size_t block, int white, int black, int grade);

// Fills in a node of kings and pawns from its table. CLTB_E_MISSING if there is none for some position.
int node_read_table(struct nodes *nodes, uint32_t number, cltb_tables *tables);

// The grade that all positions of a leaf have, or UNKNOWN.
int node_even(const struct nodes *nodes, const struct node *node);

// The planes of a node's grade that differ from the next one, whatever kind of node it is (see node.steps).
uint16_t node_steps(const struct nodes *nodes, const struct node *node);

// ---- moves that leave a structure ----

struct node_exit {
    uint32_t to;        // node
    uint32_t beside[2]; // nodes after the double step has been taken en passant, or 0
    int8_t mover;       // number of the piece that moves, or -1
    int8_t taken;       // number of the piece that is taken, or -1
    int8_t promoted;    // place of the promoted man among the pieces after the move, or -1
    bool king;          // the king moves
    bool pawn_takes;    //
    uint8_t square;     // target, unless a piece is taken by a king or a piece
    uint64_t empty;     // must be empty
};

// Where such a move leads to from the positions of a block.
struct node_hop {
    size_t block;
    int king;       // the square to which the king moves, or -1
    uint64_t clear; // squares without a king
};

// Writes the moves of a side that leave the structure, and makes the nodes that they lead to. Returns their number.
size_t node_exits(struct nodes *nodes, uint32_t number, int side, struct node_exit *exits);
bool node_hop(const struct node *node, const struct node_exit *exit, const int *square, uint64_t occupied,
              struct node_hop *hop);

#endif
