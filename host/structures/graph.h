// graph.h - all structures that can come of a position
//
// A structure is a placement of the pawns and the pieces that there are, wherever these stand: a slice whose pawns are
// known. What a move can make of it is another one, if it is a pawn move or a capture:
//
//     a pawn goes one or two squares forward, unless a pawn is in the way
//     a pawn takes a pawn, takes one en passant, or takes any of the other side's pieces on a square without a pawn
//     a pawn arrives on the last rank, with or without a capture, and becomes one of four pieces
//     a king or a piece takes a pawn or a piece, wherever it stands
//
// Pieces may stand anywhere, so these are all that can be, and some that cannot. No structure comes back, because pawns
// never do and men are never added: the graph has no cycle, and structures can be solved from its ends.
#ifndef CLTB_STRUCTURES_GRAPH_H
#define CLTB_STRUCTURES_GRAPH_H

#include "index/layout.h"

struct structure_key {
    uint64_t pawns[COLOURS];              // sets of squares
    uint8_t pieces[COLOURS][PIECE_TYPES]; // one king each; [PAWN] is 0
    uint32_t zero;                        // keys are compared as memory
};

enum structure_state {
    STRUCTURE_SOLVED, // is solved
    STRUCTURE_TABLE,  // a table has it, or it is bare kings
    STRUCTURE_BOUNDED // too much to be solved: bounds of its values are assumed
};

// Which structures are solved. Of those that no table has, these are: all without pawns of at most four men, and those
// with no more promoted men than `promoted`, of which the last one must be a queen if `queens` is set.
struct structure_limits {
    int tables_men;                                                    // structures of so many men may have a table
    bool (*has_table)(void *context, const struct material *material); // standard colours
    void *context;
    int promoted;
    bool queens;
    size_t structures; // more are an error
};

struct structure {
    struct structure_key key;
    enum structure_state state;
    bool exact; // does not lead to one that is bounded
};

struct structure_graph {
    struct structure *structure; // [structures] those that are solved come last, in an order in which they can be
    size_t structures;           //
    size_t solved;               //
    size_t bounded;              //
    uint32_t *bucket;            // [buckets] a hash table of numbers + 1
    size_t buckets;              //
    struct material root;        // of the position
};

// CLTB_E_POSITION for castling rights or more pawns than a slice can have; CLTB_E_MEMORY if there are too many.
int structure_graph_make(struct structure_graph *graph, const struct position *position,
                         const struct structure_limits *limits);
void structure_graph_free(struct structure_graph *graph);

// The key of a position, the number of a structure (SIZE_MAX: not in the graph), and its men.
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

// Calls visit() with the number of each structure that a solved one may become; some come several times. Stops at the
// first result other than 0 and returns it.
int structure_each_successor(struct structure_graph *graph, size_t number, int (*visit)(void *context, size_t number),
                             void *context);

// Entries of the structures that are solved, for both sides to move.
uint64_t structure_graph_positions(const struct structure_graph *graph);

// Is `b` solved together with `a`: the same men, and neither leads to the other?
bool structures_level(const struct structure_key *a, const struct structure_key *b);

// The pieces by type, White's first, the kings last; as fixed men the pawns, White's first. `square` [FIXED_MAX] gets
// theirs. So a structure has the order of another one that has more pieces, those left out.
void structure_shape(const struct structure_key *key, struct slab_shape *shape, uint8_t *square);

#endif
