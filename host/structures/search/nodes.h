// nodes.h - structures that come into being when a line of play needs them: finding, looking at and leaving them
#ifndef CLTB_STRUCTURES_SEARCH_NODES_H
#define CLTB_STRUCTURES_SEARCH_NODES_H

#include "structures/search/node.h"

// The first position, tables, and the bytes of memory that may be used for the list of nodes.
int nodes_open(struct nodes *nodes, const struct position *position, const struct node_tables *tables, uint64_t bytes);
void nodes_close(struct nodes *nodes);

// The squares of the pieces in a block, and the number of the block with such squares.
void block_squares(size_t block, int pieces, int *square);
size_t block_number(const int *square, int pieces);

// The squares of all men but the kings; 0 if two are on one square, or there are none.
uint64_t node_occupied(const struct node *node, const int *square);

// The positions of a block that are legal with `side` to move.
void node_legal(const struct node *node, const int *square, int side, uint64_t *out);

// What says to which structure a position belongs, and the squares of its pieces.
struct node_key {
    uint64_t pawns[COLOURS];
    uint8_t code[NODE_PIECES];
    uint8_t pieces; // NODE_PIECES + 1: too many
};
bool node_key_equal(const struct node_key *a, const struct node_key *b);
struct node_key node_key_of(const struct position *position, int square[NODE_PIECES]);

// The node of a position, which is made if it is not there and `make` is set, and the position's block. 0: there is
// none, or it has too many pieces.
uint32_t node_of(struct nodes *nodes, const struct position *position, bool make, size_t *block);

// Makes a node unless it is there. 0: no memory.
uint32_t node_make(struct nodes *nodes, const uint64_t pawns[COLOURS], int pieces, const uint8_t *code);

// For a graph that is read from a file: a patch that is to be filled in. NULL: no memory.
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

// The grade of a position, also with a right to take en passant: what its table says, unless the last move took en
// passant (structures that lead to it do not know what tables say).
enum node_entry {
    NODE_INSIDE,
    NODE_ENTERED, // as for node_view()
    NODE_EN_PASSANT
};
int node_grade(struct nodes *nodes, struct position *position, enum node_entry entry);

// 1 if White certainly wins, 0 if White certainly does not, otherwise UNKNOWN. `entered`: the last move was a pawn move
// or a capture.
int node_known(const struct nodes *nodes, const struct position *position, bool entered);

// Sets the grade of one position of a leaf. Returns the grades whose planes have changed: bit g - 1.
uint16_t node_patch_set(struct nodes *nodes, uint32_t number, int side, size_t block, int white, int black, int grade);

// Whether White wins, by a table. The table's errors.
int node_table_win(cltb_tables *tables, struct position *position, bool *won);

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
