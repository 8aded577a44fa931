// backend_windows.h - a backend that holds a part of each plane at a time
#ifndef CLTB_SOLVE_BACKEND_WINDOWS_H
#define CLTB_SOLVE_BACKEND_WINDOWS_H

#include "solve/backend.h"

// The additional functions of a backend that was opened for windows. It holds a part of each plane at a time:
// consecutive blocks of one side's moves (blocks.h),
//
//     tile of the window = (block - first) * locals + local
//
// and all operations work on these tiles alone, as tiles 0..count * locals - 1. Operations with moves (pred, step) make
// those of the window's side. For attacks of Black, attacks(plane, side) must be called in both sides' windows, White's
// first: in windows of White it sets what White's pieces attack (side == WHITE) or only the contact of the kings (side
// == BLACK), in windows of Black it adds what Black's pieces attack. There are no slices.
struct backend_windows {
    bool weighs; // steps count their weight
    // Makes these blocks the window. The planes' contents do not follow: put() or fill the planes before use.
    int (*move)(struct backend *backend, int side, uint64_t first, uint64_t count);
    // The plane's first `tiles` tiles are bits[tiles * 8^k / 64] with their flags active[tiles] (0: the tile is empty,
    // whatever its bits say). The arrays belong to the plane until the next put(), or are copied; without `contents`
    // they are only room for results. May be called from another thread, for planes that are not otherwise in use.
    int (*put)(struct backend *backend, struct plane *plane, uint64_t *bits, uint8_t *active, uint64_t tiles,
               bool contents);
    // Brings the plane's tiles into the arrays of its last put(). Threads as with put().
    int (*get)(struct backend *backend, struct plane *plane, uint64_t tiles);
};

#endif
