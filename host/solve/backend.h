// backend.h - what the iteration asks of the machine that holds the planes
//
// A plane has one bit for every entry of a layout (index/layout.h). An entry in which two men share a square is not a
// position but a message (docs/solver.md): step() never writes results there, while pred() and the others do not mask
// such entries out. "Men" are numbered as in layout.h (layout_men()); blank pieces and slice digits are ignored.
//
// In a layout of slices the fixed men never move: they block sliders and share squares with pieces, and pawns among
// them attack.
//
// All functions return 0 or a negative cltb_status. A backend is used by one thread at a time.
#ifndef CLTB_SOLVE_BACKEND_H
#define CLTB_SOLVE_BACKEND_H

#include "index/layout.h"
#include "solve/code_lines.h"

#include <stdbool.h>
#include <stdint.h>

struct backend;
struct backend_bulk;    // backend_bulk.h
struct backend_windows; // backend_windows.h
struct iteration_guest; // iteration_state.h
struct thread_pool;
struct plane; // opaque; belongs to one backend

enum { STEP_PLANES_MAX = 10, BACKEND_MEN_MAX = LAYOUT_PIECES_MAX + FIXED_MAX };

enum plane_operation {
    PLANE_COPY,    // to = from
    PLANE_OR,      // to |= from
    PLANE_AND,     // to &= from
    PLANE_AND_NOT, // to &= ~from
    PLANE_COPY_NOT // to = ~from
};

// Pairs of men: bit q of with[p] and bit p of with[q].
struct men_pairs {
    uint32_t with[BACKEND_MEN_MAX];
};

// Bits of a futurebase, for the overlap entries in which another man has just captured the man `captured`.
struct import {
    int captured;             // a piece of the layout, not a king
    const struct layout *sub; // the layout without that piece, made by layout_init_without()
    const uint64_t *bits;     // [layout_bits(sub) / 64]; NULL: all zero
    bool invert;              // use ~bits
};

enum import_where {
    IMPORT_ALL,   // every entry of the slice
    IMPORT_TAKEN, // entries in which a man of the other colour stands on `man`'s square
    IMPORT_AT     // entries in which `man` stands on `at`
};

// Bits of a slab (layout.h) for one slice: what another slice or a futurebase says about the entries that a pawn move
// or a capture leads to. The slab has the layout's pieces in the same order, without `man` if that is a piece. Except
// with IMPORT_TAKEN, entries with a piece on one of the squares `empty` are left out.
struct slab_import {
    uint64_t slice;
    enum import_where where;
    int man;              // a man, pieces and fixed men alike (IMPORT_AT: a piece); a king only with IMPORT_AT and
                          // without bits; -1 with IMPORT_ALL
    uint8_t at;           // square code
    uint64_t empty;       // bit = square code
    bool invert;          // use ~bits
    const uint64_t *bits; // [64^n / 64]; NULL: all zero
};

// One ply of one side:
//
//     new = (Pred(in) | extra) & ~closed                       (not inverted: a move into `in` wins)
//     new = ~Pred(~in) & ~closed [& (Pred(only) | extra)]      (inverted: no move avoids `in`)
//
//     closed |= new;  fresh = new;  plane[i] |= new
//
// `fresh` must be another plane than `in`, `only` and `extra`.
//
// `only` is a plane into which some move must lead for the position to be new, unless it is in `extra`. This is an
// optimisation that never changes the result of the iteration, so a backend may ignore it if that is faster.
struct step {
    int side;                  // whose moves
    bool invert;               //
    const struct plane *in;    //
    const struct plane *only;  // or NULL
    const struct plane *extra; // or NULL; if inverted, only together with `only`, and not in windows
    struct plane *closed;      //
    struct plane *fresh;       //
    int planes;                //
    // In windows, and if it is packed, a plane is used only in steps and record() of this side, and read only when all
    // is done.
    struct plane *plane[STEP_PLANES_MAX];
    // The count may stay unknown (0) until the next step() that does not allow this, so that a device can work on both
    // without a pause. The struct must stay in place until then.
    bool later;
    int ply;        // of what it finds, for a backend that keeps a log
    uint64_t found; // result: bits in `new`
    // Result: the sum of layout_tile_weight() over these bits; in a layout of slices the same as `found`. Windows may
    // leave it to the caller (struct backend_windows).
    uint64_t weight;
};

// Some entries, in lines of the words in the order of read().
struct plane_lines {
    size_t first;          // word, from which lines are counted
    struct line_list list; // no line comes twice
    size_t count;          // of lines
};

struct backend_ops {
    void (*close)(struct backend *backend);
    const char *(*describe)(struct backend *backend);                // one line: device, driver, instruction set
    int (*plane_new)(struct backend *backend, struct plane **plane); // all zero
    void (*plane_free)(struct backend *backend, struct plane *plane);
    int (*fill)(struct backend *backend, struct plane *plane, bool bit);
    // to (op)= from
    int (*combine)(struct backend *backend, struct plane *to, enum plane_operation operation, const struct plane *from);
    // plane |= the entries in which one of these pairs shares a square; in a layout of slices also all entries of
    // padding slices.
    int (*overlaps)(struct backend *backend, struct plane *plane, const struct men_pairs *pairs);
    // plane |= the futurebase's bit, at every entry in which a man of the other colour stands on import->captured.
    int (*import)(struct backend *backend, struct plane *plane, const struct import *import);
    // plane |= the bits of `count` slabs, in rising order of `slice`. Layouts of slices only.
    int (*import_slabs)(struct backend *backend, struct plane *plane, const struct slab_import *imports, size_t count);
    // plane |= these entries or, with `clear`, plane = these entries alone. The parts have no tiles in common, and
    // rise. Layouts of slices only.
    int (*enter)(struct backend *backend, struct plane *plane, const struct plane_lines *parts, size_t count,
                 bool clear);
    // plane = the entries in which a man of `side` attacks the enemy king. Of the fixed men only pawns attack. A man
    // that shares its square with an enemy does not count as an attacker there: at an overlap entry the plane describes
    // the position without the captured man.
    int (*attacks)(struct backend *backend, struct plane *plane, int side);
    // to = Pred(from), or Pred(~from): the entries from which some move of `side` leads into the plane.
    int (*pred)(struct backend *backend, struct plane *to, int side, const struct plane *from, bool invert);
    int (*step)(struct backend *backend, struct step *step);
    // The bits of tiles first..first+count-1, 8^k bits each, the lowest index in bit 0 of the first word. May be called
    // from several threads at once as long as nothing else runs.
    int (*read)(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *bits);
};

// The additional functions of a backend that keeps planes of distances as logs, ply by ply, or packs finished ones.
struct backend_log {
    // plane[i] |= bits, as a step of `side` would do with its new bits.
    int (*record)(struct backend *backend, int side, struct plane *const *planes, int count, const struct plane *bits);
    // A plane only for step.plane[] and record(), packed from the start. It may be read only by read() and copied only
    // by combine(). NULL: plane_new() makes such planes.
    int (*log_new)(struct backend *backend, struct plane **plane);
    // Packs a finished plane: from then on it may be read only by read() and copied only by combine(). NULL: packing
    // gains nothing.
    int (*pack)(struct backend *backend, struct plane *plane);
    // ops->read() for several planes at once. NULL: reading one after the other is as good.
    int (*read_planes)(struct backend *backend, const struct plane *const *planes, int planes_count, uint64_t first,
                       uint64_t count, uint64_t *const *bits);
};

struct backend {
    const struct backend_ops *ops;
    const struct backend_log *log;         // NULL: all planes are alike
    const struct backend_windows *windows; // NULL: whole planes are in memory
    const struct backend_bulk *bulk;       // NULL: read() is as good
    struct iteration_guest *guest;         // NULL: it takes no part in the iteration
    struct thread_pool *pool;              // for slice_read() and writes to a device; NULL: the caller alone
    struct layout layout;
};

// Reads slices first..first+count-1 of a layout of slices as consecutive slabs (layout_slab_bits() each), or tiles of
// another layout, on the backend's pool. Used by one thread at a time.
int slice_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *slabs);

// CLTB_E_USAGE unless the layout has slices and the imports are for its slices, in rising order.
int slab_imports_check(const struct layout *layout, const struct slab_import *imports, size_t count);

// `isa`: an instruction set's name, or NULL for the best of this processor. The pool must outlive the backend.
int backend_cpu_open(struct backend **backend, const struct layout *layout, struct thread_pool *pool, const char *isa);

// The same with packed distances and finished planes: takes less memory and more work. Not for slices.
int backend_cpu_open_packed(struct backend **backend, const struct layout *layout, struct thread_pool *pool,
                            const char *isa);

// The same for windows of at most `tiles` tiles; planes have no memory of their own.
int backend_cpu_open_windows(struct backend **backend, const struct layout *layout, struct thread_pool *pool,
                             const char *isa, uint64_t tiles);

#endif
