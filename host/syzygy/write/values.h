// values.h - the values of a sub-table of a Syzygy file, before they are packed
#ifndef CLTB_SYZYGY_WRITE_VALUES_H
#define CLTB_SYZYGY_WRITE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

// Free values: bytes, or the same values plus 0xff00 as 16-bit numbers. Leaves are smaller than all of these.
enum syzygy_free {
    SYZYGY_FREE_MIN = 0xfc,
    SYZYGY_TO_BLESSED = 0xfc, // a leaf 0 or 1: any outcome up to a blessed loss
    SYZYGY_TO_DRAW = 0xfd,    // 0..2
    SYZYGY_TO_CURSED = 0xfe,  // 0..3
    SYZYGY_ANY = 0xff         // any leaf
};

struct syzygy_values {
    void *values;   // [count], which packing overwrites
    unsigned width; // bytes of a value, 1 or 2
    uint64_t count;
    bool wdl; // outcomes 0..4; else codes of distances
    // How free values are filled; either way may take fewer bytes. False: outcomes between two neighbours that both fit
    // become the more frequent of these; long runs of distances become the most frequent distance of all. True:
    // outcomes continue a neighbour that is in a run, preferably the one before; long runs of distances are filled as
    // short ones.
    bool go_on;
    // Memory from memory_map() for packing, used as far as it suffices; its pages are given back if the symbols do not
    // fit. NULL: none.
    void *scratch;
    uint64_t scratch_bytes;
    bool drop; // the values are also from memory_map(): their pages are given back if the scratch memory is too small
    uint64_t room; // bytes that threads may use for notes of changes of pairs; 0: no limit
};

#endif
