// cpu.h - the inside of the CPU backend: planes with activity flags, and the plan of a side's moves
//
// A side's step works block by block (solve/blocks.h). In a layout of slices the fixed men come from the slice, one of
// the digits that a block fixes (its low digits are lanes).
#ifndef CLTB_SOLVE_CPU_CPU_H
#define CLTB_SOLVE_CPU_CPU_H

#include "solve/backend.h"
#include "solve/blocks.h"
#include "solve/cpu/lane_kernels.h"
#include "util/threads.h"

#include <string.h>

struct plane {
    uint64_t *bits;  // [words]; of a window: the caller's, from put()
    uint8_t *active; // [tiles] 0: the tile is empty, whatever its bits say
};

// The part of each plane that is in memory.
struct cpu_window {
    bool open; // the backend works on windows
    int side;
    uint64_t first; // block
    uint64_t count; //
    uint64_t tiles; // in one, at most
};

// The 8 locals that differ in one piece's u digit.
struct group {
    uint32_t local[8];
    unsigned swapped;    // bit u: a pair's tile that is stored the other way round
    int both;            // u of a pair's equal digits, or -1
    struct tile_men men; // of the moving side; the moving piece's own is meaningless
};

struct piece_plan {
    int piece;
    uint32_t groups;
    struct group *group;
};

struct side_plan {
    struct side_blocks at;
    int pieces; // that move, the black king apart
    struct piece_plan piece[LAYOUT_PIECES_MAX];
};

// How the black king gets from a square to the next.
struct king_step {
    uint8_t to;       // 0..9
    uint8_t symmetry; // that brings the target into the triangle
};

struct cpu_backend {
    struct backend base;
    char description[160];
    const struct lane_kernels *kernels;
    struct thread_pool *pool;
    size_t word_bytes;
    size_t tile_words;  // lane words in a tile
    size_t tile_bytes;  //
    size_t plane_bytes; //
    struct cpu_window window;
    uint64_t tiles; // of a plane, at present
    struct side_plan plan[COLOURS];
    const uint64_t *offset[COLOURS]; // [locals] from a block's first tile to the others, where planes have them
    uint8_t king_steps[TRIANGLE_SQUARES];
    struct king_step king_step[TRIANGLE_SQUARES][8];
    struct lane_permutation permutation[SYMMETRIES][8]; // [g][bit d: the piece of word digit d has u <= 5]
    uint64_t *pattern;                                  // overlap patterns of tiles, see cpu_patterns.c
    void **scratch;                                     // [threads] moves of a block
    uint8_t **touched;                                  // [threads][locals]
    size_t scratch_bytes;
};

static inline struct cpu_backend *cpu_of(struct backend *backend)
{
    return (struct cpu_backend *)backend;
}

static inline void *tile_at(const struct cpu_backend *cpu, const struct plane *plane, uint64_t tile)
{
    return (char *)plane->bits + tile * cpu->tile_bytes;
}

// A tile to add bits to: without its flag it is cleared, and gets the flag.
static inline void *tile_open(const struct cpu_backend *cpu, struct plane *plane, uint64_t tile)
{
    void *bits = tile_at(cpu, plane, tile);
    if (!plane->active[tile])
        memset(bits, 0, cpu->tile_bytes);
    plane->active[tile] = 1;
    return bits;
}

// cpu_patterns.c
int cpu_patterns_make(struct cpu_backend *cpu);
void cpu_patterns_free(struct cpu_backend *cpu);

// cpu_step.c
int cpu_step(struct backend *backend, struct step *step);
int cpu_pred(struct backend *backend, struct plane *to, int side, const struct plane *from, bool invert);
int cpu_attacks(struct backend *backend, struct plane *plane, int side);

// cpu_fill.c
int cpu_overlaps(struct backend *backend, struct plane *plane, const struct men_pairs *pairs);
int cpu_import(struct backend *backend, struct plane *plane, const struct import *import);
int cpu_combine(struct backend *backend, struct plane *to, enum plane_operation operation, const struct plane *from);
int cpu_fill(struct backend *backend, struct plane *plane, bool bit);
int cpu_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *bits);

// cpu_slabs.c
int cpu_import_slabs(struct backend *backend, struct plane *plane, const struct slab_import *imports, size_t count);

// ---- the slices of a tile (layouts of slices only) ----

// The first one.
static inline uint64_t tile_slice(const struct layout *layout, const struct tile_men *men)
{
    return (uint64_t)men->head << 3 * layout->slice_digits;
}

// How many of them are not padding.
static inline unsigned tile_slices(const struct layout *layout, const struct tile_men *men)
{
    const uint64_t left = layout->slices_used - tile_slice(layout, men);
    const unsigned all = 1U << 3 * layout->slice_digits;
    return left < all ? (unsigned)left : all;
}

#endif
