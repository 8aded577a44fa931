// planes.h - layouts by name, and random planes of them
#ifndef CLTB_TESTS_SUPPORT_PLANES_H
#define CLTB_TESTS_SUPPORT_PLANES_H

#include "support/support.h"

#include "index/layout.h"

// With a pair where there is one.
struct layout layout_named(const char *name);

// The layout of what is left when a piece has been captured.
struct layout layout_without(const struct layout *layout, int captured);

// A word whose bits are 1 with a chance of 2^-thin.
uint64_t random_word(uint64_t number, uint64_t seed, int thin);

// Makes the orders of tied pieces equal, which share a tile.
void make_orders_equal(const struct layout *layout, uint64_t *bits);

#endif
