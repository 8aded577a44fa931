// node.h - structures that come into being when a line of play needs them: what they consist of
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
#ifndef CLTB_STRUCTURES_SEARCH_NODE_H
#define CLTB_STRUCTURES_SEARCH_NODE_H

#include "chess/position.h"
#include "index/material.h"

#include <cltb/cltb.h>

#include <pthread.h>

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
    bool tabled;  // moves lead to structures with pieces that tables have: see legal
    bool redo;    // a run that was stopped had it in work: whatever leads to it is told
    bool far;     // more positions are won, but too far from a pawn move or a capture for the 50-move rule
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
                                      // with Black to move, and those in which Black has no move; if it is tabled, also
                                      // those in which White can move to a win in a table, and Black to no win
    uint8_t **rank;                   // [GRADES] grades_rank() of each grade, or NULL
    uint16_t ranked;                  // bit g - 1: rank[g - 1] is that of today's planes
    uint32_t walk;                    // the last one that came here
    _Atomic uint32_t used;            // nodes.clock when its planes were last looked at
    struct node_packed *packed;       // planes and legal positions (packed.h), or NULL
    _Atomic bool away;                // only there
};

struct node_patch {
    uint64_t key;
    king_planes plane;
    king_block legal;
    king_block decided;
};

// The tables that may be used: at most of so many men, and only if has() is true (NULL: none), which must be so also
// for all that captures lead to.
struct node_tables {
    cltb_tables *tables;
    int men;
    bool (*has)(void *context, const struct material *material);
    void *context;
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
    struct node_tables tables;
    unsigned native;      // bit code: the first position has such a piece
    bool full;            // memory ran out: no result after that counts
    uint32_t clock;       // steps of the search
    pthread_mutex_t lock; // of unpacking
    struct ZSTD_CCtx_s *packer;
    struct ZSTD_DCtx_s *unpacker;
};

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

// Whether a table has a structure with one piece or two: then it is no node of its own, but part of what leads to it.
static inline bool node_covered(const struct node *node)
{
    return node->listed && node->pieces > 0;
}

// The arrays in `legal` of a solved node.
static inline size_t node_legal_arrays(const struct node *node)
{
    return node->table ? 1 : node->tabled ? 5 : 3;
}

static inline int code_type(int code)
{
    return code & 7;
}

static inline int code_colour(int code)
{
    return code >> 3;
}

#endif
