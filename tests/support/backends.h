// backends.h - tests of backends: machines, equal planes in all of them, a plain reference, and the layouts to test
//
// The machines are the CPU kernels of each instruction set that this processor has, and each OpenCL device twice: as it
// is, and with planes in several parts. Planes are filled with random bits that are the same for all indices of one
// placement (mirror images of a king on the diagonal, the two orders of a pair in one tile, the places of a blank), and
// zero in padding slices.
//
// The reference decodes an index into squares, moves men by steps of file and rank, and looks up the successor.
#ifndef CLTB_TESTS_SUPPORT_BACKENDS_H
#define CLTB_TESTS_SUPPORT_BACKENDS_H

#include "support/planes.h"

#include "solve/backend.h"

#define OPS(machine) ((machine)->backend->ops)

enum { MACHINES_MAX = 8, PLANES = 8, SLICES_MAX = 1600, SLABS = 4, IMPORTS_MAX = 6 * SLICES_MAX };

struct machine {
    char name[64];
    bool opencl;
    struct backend *backend;
    struct plane *plane[PLANES];
};

// A layout: of a material; or of men by their letters (white ones as capitals) in the order of the digits, in a
// layout of slices both kings among them, else without the black king. `alike`: identical men become groups; the white
// king may be missing.
struct layout_case {
    const char *name;
    const char *material; // NULL: `men`
    const char *men;
    const char *fixed;        // fixed men by their letters; NULL: no slices
    uint64_t slices;          //
    uint64_t heads_in_a_part; // of a plane in parts
    bool alike;               // identical men as groups
    bool kings;               // pairs of kings, which `men` does not name; the same groups
    bool large;               // five men, so fewer checks
    bool slow;                // left out with sanitizers
};

struct bench {
    const struct layout_case *tested;
    struct layout layout;
    uint8_t fixed_code[SLICES_MAX][FIXED_MAX];
    int machines;
    struct machine machine[MACHINES_MAX];
    size_t words;   // of a plane
    uint64_t *bits; // [words] each, for planes on the host
    uint64_t *more;
    uint64_t *result;
    uint64_t *slab[2][2][SLABS];             // of slices: [without a piece][dense]
    struct slab_import imports[IMPORTS_MAX]; //
};

static inline struct machine *machines_end(struct bench *bench)
{
    return bench->machine + bench->machines;
}

// Runs `check` on a bench of every layout, each a test of its own; returns main()'s status.
int backends_run(void (*check)(struct bench *bench));

// ---- planes ----

void randomise(const struct layout *layout, uint64_t *bits, uint64_t seed, int thin);
void clear_padding(const struct layout *layout, uint64_t *bits);

// The same plane in all machines, or a random one, in `bits` as well.
void write_plane(struct bench *bench, int plane, const uint64_t *bits);
void set_random(struct bench *bench, int plane, uint64_t *bits, uint64_t seed, int thin);
void read_plane(struct machine *machine, int plane, uint64_t *bits);

// All machines have the same plane as the first one, which is left in bench->result, without padding. Changes
// bench->more.
void assert_equal_planes(struct bench *bench, int plane, const char *what);

// Words of a slice within a tile, and where they begin.
size_t run_words(const struct layout *layout);
size_t run_at(const struct layout *layout, uint64_t slice, uint64_t rest);

// ---- the reference ----

struct board {
    const struct layout *layout;
    uint64_t slice;
    uint8_t square[BACKEND_MEN_MAX];
};

struct board board_of(const struct layout *layout, uint64_t index);
bool reference_pred(const struct layout *layout, uint64_t index, int side, const uint64_t *bits, bool invert);
bool reference_attacks(const struct layout *layout, uint64_t index, int side);
bool reference_overlap(const struct layout *layout, uint64_t index, const struct men_pairs *pairs);
bool shares_with_enemy(const struct board *board, int man);

// The n-th index of a sample of samples() indices: of all entries of a small layout of slices; of a large one, half
// of them have two men on one square.
uint64_t samples(const struct layout *layout);
uint64_t sample(const struct layout *layout, uint64_t n);

// bench->result has the reference's bit.
void assert_entry(struct bench *bench, uint64_t index, bool expected, const char *what);

// ---- imports of slabs ----

// Fills bench->imports with random ones; returns their number.
size_t make_imports(struct bench *bench, uint64_t seed);

// The first `count` of them into a plane with the contents bench->bits, by all machines, against the reference.
void check_import_slabs(struct bench *bench, int plane, size_t count, const char *what);

#endif
