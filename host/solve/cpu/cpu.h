// cpu.h - the inside of the CPU backend: planes with activity flags, and the plan of a side's moves
//
// A side's step works block by block (solve/blocks.h). In a layout of slices the fixed men come from the slice, one of
// the digits that a block fixes (its low digits are lanes).
#ifndef CLTB_SOLVE_CPU_CPU_H
#define CLTB_SOLVE_CPU_CPU_H

#include "solve/backend.h"
#include "solve/blocks.h"
#include "solve/cpu/lane_kernels.h"
#include "solve/slab_words.h"
#include "util/threads.h"

#include <string.h>

// What is known of a tile. The flags that put() brings are the first two.
enum {
    TILE_EMPTY, // whatever its bits say
    TILE_ANY,
    TILE_OPEN, // not all bits are ones
    TILE_FULL
};

struct plane {
    uint64_t *bits;  // [words]; in a window: the caller's, from put()
    uint8_t *active; // [tiles] TILE_*
    bool packed;     // it has no arrays: cpu_packed.c finds its bits by `name`
    unsigned name;
};

// The part of each plane that is in memory.
struct cpu_window {
    bool open; // the backend works on windows
    int side;
    uint64_t first; // block
    uint64_t count; //
    uint64_t tiles; // in a window, at most
};

// The 8 locals that differ in one piece's u digit. Of identical pieces it is the first one's, and the others have the
// digits that remain, in order; so it may stand at any of their places in a tile, and among tied ones at several.
struct group {
    uint32_t local[8];
    uint8_t first[8], last[8]; // by u: the places, counted from the first piece
    struct tile_men men;       // of the moving side; undefined for the moving piece
};

struct piece_plan {
    int piece;
    int like; // identical pieces from this one on
    uint32_t groups;
    struct group *group;
};

struct side_plan {
    struct side_blocks at;
    // [classes][locals] the factor of layout_tile_weight() of the moving side's men and, with pairs of kings, the head;
    // NULL in layouts of slices.
    uint16_t *weight;
    int pieces; // that move, without a king of the head
    struct piece_plan piece[LAYOUT_PIECES_MAX];
};

// The steps of a king from one head of a class to others.
struct king_steps {
    uint8_t count;
    struct {
        uint8_t to;       // in the class
        uint8_t symmetry; // that carries the target to it
    } step[8];
};

struct cpu_backend {
    struct backend base;
    char description[160];
    const struct lane_kernels *kernels;
    const struct code_kernels *codes;
    struct thread_pool *pool;
    size_t word_bytes;
    size_t tile_words;  // lane words in a tile
    size_t tile_bytes;  //
    size_t plane_bytes; //
    struct cpu_window window;
    uint64_t tiles; // in a plane, currently
    struct side_plan plan[COLOURS];
    // [classes][locals] tiles from a block's first tile to the others, in planes that have them.
    const uint64_t *offset[COLOURS];
    struct king_steps king_steps[COLOURS][TRIANGLE_SQUARES][KING_PAIRS_OF_SQUARE]; // by class
    struct lane_permutation permutation[SYMMETRIES][8]; // [g][bit d: the piece of word digit d has u <= 5]
    uint64_t *pattern;                                  // overlap patterns of tiles, see cpu_patterns.c
    void **scratch;                                     // [threads] the moves of a block
    uint8_t **touched;                                  // [threads][3 * locals]: see struct block
    size_t scratch_bytes;
    struct cpu_packed *packed; // NULL: no plane is ever packed
    struct backend_ops ops;    // used if planes are packed
};

static inline struct cpu_backend *cpu_of(struct backend *backend)
{
    return (struct cpu_backend *)backend;
}

static inline void *tile_at(const struct cpu_backend *cpu, const struct plane *plane, uint64_t tile)
{
    return (char *)plane->bits + tile * cpu->tile_bytes;
}

// A tile whose bits are looked at: if it is empty, it is cleared.
static inline void *tile_look(const struct cpu_backend *cpu, struct plane *plane, uint64_t tile)
{
    void *bits = tile_at(cpu, plane, tile);
    if (plane->active[tile] == TILE_EMPTY) {
        memset(bits, 0, cpu->tile_bytes);
        plane->active[tile] = TILE_OPEN;
    }
    return bits;
}

// Opens a tile to change its bits.
static inline void *tile_open(const struct cpu_backend *cpu, struct plane *plane, uint64_t tile)
{
    void *bits = tile_look(cpu, plane, tile);
    plane->active[tile] = TILE_ANY;
    return bits;
}

// cpu_step.c
int cpu_step(struct backend *backend, struct step *step);
int cpu_pred(struct backend *backend, struct plane *to, int side, const struct plane *from, bool invert);
int cpu_attacks(struct backend *backend, struct plane *plane, int side);

// cpu_fill.c
int cpu_overlaps(struct backend *backend, struct plane *plane, const struct men_pairs *pairs);
int cpu_import(struct backend *backend, struct plane *plane, const struct import *import);
int cpu_combine(struct backend *backend, struct plane *to, enum plane_operation operation, const struct plane *from);
int cpu_fill(struct backend *backend, struct plane *plane, bool bit);
int cpu_enter(struct backend *backend, struct plane *plane, const struct plane_lines *parts, size_t count, bool clear);
int cpu_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *bits);

// cpu_packed.c: only if cpu->packed is set, except the first two. Call close even if open fails.
int cpu_packed_open(struct cpu_backend *cpu);
void cpu_packed_close(struct cpu_backend *cpu);
int cpu_packed_new(struct backend *backend, struct plane **plane);
int cpu_pack(struct backend *backend, struct plane *plane);
void cpu_packed_free(struct cpu_backend *cpu); // must be called before a packed plane is freed
int cpu_packed_step(struct backend *backend, struct step *step);
int cpu_packed_record(struct backend *backend, int side, struct plane *const *planes, int count,
                      const struct plane *bits);
int cpu_packed_combine(struct backend *backend, struct plane *to, enum plane_operation operation,
                       const struct plane *from);
int cpu_packed_read_planes(struct backend *backend, const struct plane *const *planes, int planes_count, uint64_t first,
                           uint64_t count, uint64_t *const *bits);
int cpu_packed_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *bits);

// cpu_slabs.c
int cpu_import_slabs(struct backend *backend, struct plane *plane, const struct slab_import *imports, size_t count);

// ---- the slices of a tile (layouts of slices only) ----

// The number of the first slice.
static inline uint64_t tile_slice(const struct layout *layout, const struct tile_men *men)
{
    return (uint64_t)men->head << 3 * layout->slice_digits;
}

// The number of slices, without padding.
static inline unsigned tile_slices(const struct layout *layout, const struct tile_men *men)
{
    const uint64_t left = layout->slices_used - tile_slice(layout, men);
    const unsigned all = 1U << 3 * layout->slice_digits;
    return left < all ? (unsigned)left : all;
}

// ---- patterns: which lanes of a tile have two men on one square, or a man on a certain square (cpu_patterns.c) ----

// A pattern tells in which lanes of a tile two l digits are equal, or one digit has a certain value. Which patterns
// apply to a tile depends only on its u digits. In a layout of slices, a tile has one run of lanes for each of its
// slices. Patterns of pieces are the same in all runs, so the first run of a pattern serves for a fixed man of any
// slice.
//
// Example, k = 3: lane 13 of word 5 has l = 5, 1, 5 for pieces 0 to 2. Its bit is set in the pattern of pieces 0 and 2,
// and in that of piece 1 at l = 1. In a tile in which pieces 0 and 2 have equal u digits as well, they share a square
// there.

int cpu_patterns_make(struct cpu_backend *cpu);
void cpu_patterns_free(struct cpu_backend *cpu);

// Clears the entries of one tile in which `man` (not a fixed man) shares its square with a man of the other colour.
void cpu_clear_shared(const struct cpu_backend *cpu, const struct tile_men *men, int man, uint64_t *bits);

// Adds the entries of one tile in which a fixed pawn of `side` attacks the enemy king; they do not depend on the pieces
// of `side`.
void cpu_pawn_attacks(const struct cpu_backend *cpu, const struct tile_men *men, int side, uint64_t *bits);

static inline bool men_are_enemies(const struct layout *layout, int p, int q)
{
    return layout_colour_of(layout, p) != layout_colour_of(layout, q);
}

// The number of 64-bit words of a tile, and of one slice in it.
static inline size_t tile_qwords(const struct cpu_backend *cpu)
{
    return cpu->tile_bytes / 8;
}

static inline size_t run_qwords(const struct cpu_backend *cpu)
{
    return tile_qwords(cpu) >> 3 * cpu->base.layout.slice_digits;
}

// The patterns, in this order: pairs of pieces as a square matrix, then [piece][l].
static inline uint64_t *pair_pattern(const struct cpu_backend *cpu, int p, int q)
{
    const size_t k = (size_t)cpu->base.layout.pieces;
    return cpu->pattern + ((size_t)p * k + (size_t)q) * tile_qwords(cpu);
}

static inline uint64_t *place_pattern(const struct cpu_backend *cpu, int piece, unsigned l)
{
    const size_t k = (size_t)cpu->base.layout.pieces;
    return cpu->pattern + (k * k + 8 * (size_t)piece + l) * tile_qwords(cpu);
}

// The lanes of a slice in which a piece stands on a square; NULL: none.
static inline const uint64_t *cpu_standing(const struct cpu_backend *cpu, const struct tile_men *men, int piece,
                                           unsigned code)
{
    return men->u[piece] == code >> 3 ? place_pattern(cpu, piece, code & 7) : NULL;
}

// The number of men that are pieces or kings of the head.
static inline int cpu_men(const struct layout *layout)
{
    return layout->slices > 0 ? layout->pieces : layout_men(layout);
}

// The lanes of a tile in which two such men share a square; NULL: none.
static inline const uint64_t *cpu_shared(const struct cpu_backend *cpu, const struct tile_men *men, int p, int q)
{
    const struct layout *layout = &cpu->base.layout;
    if (p == q || !layout_is_man(layout, p) || !layout_is_man(layout, q))
        return NULL;
    if (p < layout->pieces && q < layout->pieces)
        return men->u[p] == men->u[q] ? pair_pattern(cpu, p, q) : NULL;
    const int piece = p < q ? p : q;
    const int king = p < q ? q : p;
    if (piece >= layout->pieces) // two kings do not touch
        return NULL;
    return cpu_standing(cpu, men, piece, square_code[layout_head_square(layout, men->head, king)]);
}

// A row of tiles runs over the u digits of the last two pieces. With two pieces besides the fixed men, a slice is one
// row with one word in each tile, and a tile has a word of each slice.
enum { ROW_TILES = 64 };

static inline bool has_row_slices(const struct layout *layout)
{
    return layout->slices > 0 && layout->pieces - layout->slice_digits == 2;
}

static inline void or_pattern(uint64_t *bits, const uint64_t *pattern, size_t words)
{
    for (size_t w = 0; pattern != NULL && w < words; w++)
        bits[w] |= pattern[w];
}

#endif
