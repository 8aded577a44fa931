// tally.h - what statistics are made of: counts, the longest wins and losses, mutual zugzwangs
//
// Each thread fills a tally of its own from the values of placements; tally_add() joins them.
//
// Of equally long lines, and of zugzwangs that are images of each other, the one shown does not depend on which thread
// finds it: it is the first in the order in which the Syzygy generator goes through positions, so that the published
// statistics can be compared line by line. A placement's key has 6 bits a man, most significant first:
//
//     without pawns   white king (in the triangle, squares on the diagonal last), black king, then knights, bishops,
//                     rooks and queens, White's before Black's
//     with pawns      file a..d of the first pawn; the pawns, the less numerous colour (else White) first, by square, a
//                     white pawn's with the ranks mirrored; the other men as above, the kings anywhere
//
// The key is the smallest one over all images and all orders of identical pieces.
#ifndef CLTB_CHECK_TALLY_H
#define CLTB_CHECK_TALLY_H

#include <cltb/cltb.h>

#include "index/material.h"
#include "table/table.h"

enum { STATS_FEN_MAX = 128 };

struct stats_bin {
    uint64_t count;    // legal positions: placements on the whole board, with identical pieces interchangeable
    uint64_t diagonal; // of `count`, classes under symmetry with every man on one long diagonal: those have 4
                       // positions, not 8
    uint64_t rounded;  // of `count`, those that may have a distance of one ply more
};

// One representative of a class under the board's symmetries.
struct stats_zugzwang {
    uint64_t key;
    int8_t outcome[COLOURS]; // of each side to move, for itself
};

// The men of a material in the order of keys.
struct tally_men {
    int count;
    int pawns;  // they come first
    int pivots; // pawns of the first pawn's colour
    enum metric metric;
    bool paired; // both sides have the same men: Black to move is White to move with the colours flipped
    struct man man[MATERIAL_MEN_MAX];
};

struct tally_longest {
    int plies; // -1: none
    bool rounded;
    bool zeroing;
    uint64_t key;
};

struct tally {
    struct stats_bin bin[COLOURS][TABLE_OUTCOMES][TABLE_PLY_MAX + 1];
    struct tally_longest longest[COLOURS][TABLE_OUTCOMES];
    uint64_t zugzwangs[TABLE_OUTCOMES][TABLE_OUTCOMES];
    struct stats_zugzwang *zugzwang; // [found] at least one of each class
    size_t found;
    size_t room;
};

// Finds the men of a material, in the order in which keys have their squares.
void tally_men_init(struct tally_men *men, const struct material *material);

void tally_init(struct tally *tally);
void tally_free(struct tally *tally);

// The key of a placement: square[men->count] is in the order of men->man, with identical pieces in any order.
uint64_t tally_key(const struct tally_men *men, const uint8_t *square);

// A number that the key is not below, found more quickly.
uint64_t tally_key_least(const struct tally_men *men, const uint8_t *square);

// Sets the position of a key with this side to move; false if no position has this key.
bool tally_position(const struct tally_men *men, uint64_t key, int side, struct position *p);

// The same as a text: "board side - -".
void tally_fen(const struct tally_men *men, uint64_t key, int side, char fen[STATS_FEN_MAX]);

// Is a position with this value at least as long as the longest one so far? If so, call tally_note().
static inline bool tally_wants(const struct tally *tally, int side, struct cltb_value value)
{
    return value.outcome != CLTB_DRAW && value.dtz >= tally->longest[side][value.outcome + 2].plies;
}

// Notes the value of position `p`, whose men stand on `square`, if it is one of the longest. Among equal lengths, wins
// by a capture or pawn move come last; probing finds out whether this is one. For DTZ only.
int tally_note(struct tally *tally, const struct tally_men *men, cltb_tables *tables, struct position *p,
               const uint8_t *square, struct cltb_value value);

// Is this win of 1 ply, or cursed win of 101 plies, won by a capture or pawn move?
int tally_is_zeroing(cltb_tables *tables, struct position *p, int outcome, bool *zeroing);

// The placement with the colours flipped, if both sides have the same men. With pawns the ranks are mirrored.
void tally_flip(const struct tally_men *men, const uint8_t *square, uint8_t *flipped);

// Should the first one be shown instead of the second?
bool tally_precedes(const struct tally_longest *a, const struct tally_longest *b);

// Do both sides do better if the other one is to move? The outcomes are those with White and with Black to move, each
// for the side to move.
static inline bool tally_is_zugzwang(int white, int black)
{
    return white + black < 0;
}

// `weight`: placements of the whole board.
int tally_zugzwang(struct tally *tally, const struct tally_men *men, const uint8_t *square, int white, int black,
                   unsigned weight);

// Adds a tally to a sum; afterwards `from` has no zugzwangs.
int tally_add(struct tally *sum, struct tally *from);

// Sorts the zugzwangs and removes those that are images of others.
void tally_sort(struct tally *tally);

#endif
