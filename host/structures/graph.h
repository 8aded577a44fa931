// graph.h - all structures that can come of a position
//
// A structure is a placement of the pawns, with a set of pieces that may stand anywhere: a slice whose pawns are known.
// A pawn move or a capture makes another structure of it:
//
//     a pawn advances one or two squares, unless a pawn is in the way
//     a pawn takes a pawn, takes one en passant, or takes any of the other side's pieces on a square without a pawn
//     a pawn arrives on the last rank, with or without a capture, and becomes one of four pieces
//     a king or a piece takes a pawn or a piece, wherever it stands
//
// Pieces may stand anywhere, so this covers all moves that are possible, and some that are not. No structure comes
// back, because pawns never do and men are never added: the graph has no cycle, and structures can be solved from its
// ends.
#ifndef CLTB_STRUCTURES_GRAPH_H
#define CLTB_STRUCTURES_GRAPH_H

#include "index/layout.h"
#include "util/threads.h"

struct structure_key {
    uint64_t pawns[COLOURS];              // sets of squares
    uint8_t pieces[COLOURS][PIECE_TYPES]; // including one king each; [PAWN] is 0
    uint32_t zero;                        // keys are compared as memory
};

enum structure_state {
    STRUCTURE_SOLVED, // is solved
    STRUCTURE_TABLE,  // a table has it, or only the kings are left
    STRUCTURE_BOUNDED // too much work to solve; bounds of its values are assumed
};

// A structure that is solved although it has too many promoted men. `pushes`: a set of colours, 1 << colour. If it is
// not empty, the structures to which captures and pawn moves of these colours lead are solved as well, provided they
// have no more promoted men.
struct structure_choice {
    struct structure_key key;
    uint8_t pushes;
};

// The squares to which men of a colour and type are kept; 0: any. If a man leaves its squares, the position after the
// move is bounded.
struct structure_sets {
    uint64_t squares[COLOURS][PIECE_TYPES];
};

// Which structures are solved. Of those that no table has: all without pawns and with at most four men; those with at
// most `promoted` promoted men, of which the last one must be a queen if `queens` is set; and the chosen ones.
struct structure_limits {
    int tables_men; // structures with at most so many men may have a table
    bool (*has_table)(void *context, const struct material *material); // standard colours
    void *context;
    int promoted;
    bool queens;
    const struct structure_choice *choice; // [choices] in the order of their keys' bytes
    size_t choices;
    struct structure_sets sets; // if a pawn stands outside its set, no structure is solved
    size_t structures;          // more than this is an error
    struct thread_pool *pool;   // its watch (threads_watch()) may stop the making of a graph; or NULL
};

struct structure {
    struct structure_key key;
    enum structure_state state;
    uint32_t table_words; // of one plane of all slabs of tables to which its moves lead, at most
    bool exact;           // leads to no bounded structure and has no pieces kept to squares
    uint8_t pushes;       // of the choices that it comes from
    bool open;            // its successors are not known yet
};

struct structure_graph {
    struct structure *structure; // [structures] those that are solved come last, in an order in which they can be
    size_t structures;           //
    size_t solved;               //
    size_t bounded;              //
    size_t inexact;              // how many are bounded or not exact
    bool tables;                 // moves lead to tables
    uint32_t *bucket;            // [buckets] a hash table of numbers + 1
    size_t buckets;              //
    struct material root;        // of the position
    struct structure_sets sets;  // men kept to squares
    struct thread_pool *pool;    // as in the limits
};

// CLTB_E_POSITION for castling rights, more pieces than a slice can have, or a man outside its set; CLTB_E_MEMORY if
// there are too many structures.
int structure_graph_make(struct structure_graph *graph, const struct position *position,
                         const struct structure_limits *limits);
void structure_graph_free(struct structure_graph *graph);

// The key of a position, the number of a structure (SIZE_MAX: not in the graph), and the structure's men.
struct structure_key structure_of(const struct position *position);
size_t structure_find(const struct structure_graph *graph, const struct structure_key *key);
struct material structure_material(const struct structure_key *key);

static inline int structure_pieces(const struct structure_key *key)
{
    int pieces = 0;
    for (int type = KING; type <= KNIGHT; type++)
        pieces += key->pieces[WHITE][type] + key->pieces[BLACK][type];
    return pieces;
}

// Does a man of a position stand outside its set?
bool structure_outside(const struct structure_graph *graph, const struct position *position);

// The number of a position's entry, with a digit of 64 for each piece in the order Q R B N K, White's before Black's;
// and the position of an entry, without the right to capture en passant; false if it is illegal.
uint64_t structure_entry_of(const struct position *position);
bool structure_position_set(const struct structure_key *key, uint64_t entry, int side, struct position *position);

// Calls visit() with each structure that one may become, sometimes more than once, and its number. Stops at the first
// nonzero result and returns it.
typedef int structure_visit(void *context, size_t number, const struct structure_key *key);
int structure_each_successor(struct structure_graph *graph, const struct structure_key *from, structure_visit *visit,
                             void *context);

// Are these men the bare kings, or is there a table of them in any colours?
bool structure_has_table(const struct structure_limits *limits, struct material material);

int structure_compare_choices(const void *left, const void *right); // for qsort()

// Is the structure solved by the rule for promoted men and by the sets, whatever the choices are?
bool structure_within(const struct structure_graph *graph, const struct structure_limits *limits,
                      const struct structure_key *key);

// For each structure of the graph: 1 if it is solved, and was not solved in another graph of the same position or may
// have had other values there.
int structure_graph_stale(struct structure_graph *graph, const struct structure_graph *before, uint8_t *stale);

// The number of entries of the solved structures, for both sides to move.
uint64_t structure_graph_positions(const struct structure_graph *graph);

// Are `a` and `b` solved together: do they have the same men, and does neither lead to the other?
bool structures_level(const struct structure_key *a, const struct structure_key *b);

// The pieces by type, White's first, the kings last; the pawns as fixed men, White's first. `square` [FIXED_MAX] gets
// the pawns' squares. So the pieces of a structure have the same order as in a structure with more pieces.
void structure_shape(const struct structure_key *key, struct slab_shape *shape, uint8_t *square);

#endif
