// moves.h - what decides the moves of a restricted endgame: slabs, rules, or an evaluation of each position
#ifndef CLTB_RESTRICTED_MAKE_MOVES_H
#define CLTB_RESTRICTED_MAKE_MOVES_H

#include "restricted/bases.h"
#include "restricted/index.h"

enum restricted_class {
    CLASS_OWN,     // stays within the endgame
    CLASS_SLAB,    // a table in the folders has all positions after such moves
    CLASS_WIN,     // conceded
    CLASS_DRAW,    // nobody can win after it
    CLASS_NONE,    // discarded
    CLASS_EXTERNAL // each position must be looked at: futurebases have some, nothing has them, or their distances count
};

// A move, as far as its class depends on it.
struct restricted_move {
    int mover;    // colour
    int type;     // of the man
    int captured; // type, KING: none
    int promoted; // type, KING: none
    int to;       // target square, if the move neither captures nor promotes
    bool within;  // such a move stays within the endgame
    bool replies; // such a move may be answered en passant
};

struct restricted_moves {
    const struct spec *spec;
    const struct restricted_bases *bases;
    // Indexed by the side that moves, the type captured and the type promoted to; KING: none.
    bool serving[COLOURS][PIECE_TYPES][PIECE_TYPES]; // a futurebase of the spec has such positions; not a full table
    bool table[COLOURS][PIECE_TYPES][PIECE_TYPES];   // a table in the folders has all of them,
    bool first[COLOURS][PIECE_TYPES][PIECE_TYPES];   // and is a futurebase of the spec
    bool drawn[COLOURS][PIECE_TYPES][PIECE_TYPES];   // nobody can win
    // Pieces of this colour and type that leave their sets must be evaluated one by one.
    bool apart[COLOURS][PIECE_TYPES];
};

int restricted_moves_init(struct restricted_moves *moves, const struct spec *spec,
                          const struct restricted_bases *bases);

enum restricted_class restricted_class_of(const struct restricted_moves *moves, const struct restricted_move *move);

#endif
