// address.h - where a placement's entry lies in the natural order, as a sum of parts
//
// Under a symmetry that carries the placement to the image that is kept, each group of identical pieces adds its digit
// times its stride. Without pawns the black king is one more group, whose part is its number in the triangle times the
// entries of a square. Pawns are not a group: the caller adds the slice's part.
//
// A group is known by the combination of its squares before the symmetry: for squares s1 < s2 < ... the sum of C(s_i,
// i), as in entry_digit().
#ifndef CLTB_SYZYGY_WRITE_ADDRESS_H
#define CLTB_SYZYGY_WRITE_ADDRESS_H

#include "index/entry.h"

enum { ADDRESS_GROUPS_MAX = ENTRY_GROUPS_MAX + 1 };

struct address {
    bool pawns;
    int groups;
    uint8_t type[ADDRESS_GROUPS_MAX];
    uint8_t colour[ADDRESS_GROUPS_MAX];
    uint8_t count[ADDRESS_GROUPS_MAX];
    uint64_t *part[SYMMETRIES][ADDRESS_GROUPS_MAX]; // [combination]; with pawns only symmetries 0 and 1
    uint64_t *space;                                // memory of all parts
    // Without pawns: the symmetries that lead to the image that is kept; if there are two, the smaller entry counts.
    struct {
        uint8_t count;
        uint8_t symmetry[2];
    } turn[SQUARES][SQUARES]; // [black king][white king]
};

// `order` must be the natural one.
int address_open(struct address *address, const struct entry_order *order);
void address_close(struct address *address);

int address_group(const struct address *address, int colour, int type);

// The sum of all groups' parts under a symmetry.
static inline uint64_t address_sum(const struct address *address, int symmetry, const uint32_t *combination)
{
    uint64_t sum = 0;
    for (int g = 0; g < address->groups; g++)
        sum += address->part[symmetry][g][combination[g]];
    return sum;
}

#endif
