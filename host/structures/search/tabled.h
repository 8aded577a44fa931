// tabled.h - what moves out of a structure lead to in tables
//
// Moves that leave a structure with two pieces lead to about 2^18 positions each at most, because one man's square is
// given. All of them are read when the structure is solved for the first time; what they say is kept with it.
#ifndef CLTB_STRUCTURES_SEARCH_TABLED_H
#define CLTB_STRUCTURES_SEARCH_TABLED_H

#include "structures/search/nodes.h"

// What has been read for one structure.
struct tabled;

int tabled_open(struct tabled **tabled);
void tabled_close(struct tabled *tabled);

// Begins with another structure.
void tabled_forget(struct tabled *tabled);

// The positions with `side` to move that White wins, in the block that a move leads to, as far as the move leads to
// them: of those with the king on hop->king, if one has moved. As in node_view(), illegal positions count as won by
// White if it is to move. The table's errors.
int tabled_view(struct tabled *tabled, const struct nodes *nodes, uint32_t number, int side, const struct node_hop *hop,
                king_block won, king_block legal);

#endif
