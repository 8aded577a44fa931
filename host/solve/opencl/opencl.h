// opencl.h - the inside of the OpenCL backend: planes in device memory, kernels, launches
//
// A plane lies in one buffer if the device allows one of that size, else in several: parts, each a run of whole heads:
// black-king squares (10 in all), or in a layout of slices 8^d slices, d being its slice digits. Only the black king's
// moves without pawns lead from one part to another.
//
// To the kernels a layout without pawns has ten slices, in which the black king is the only fixed man (kernels/tile.h).
//
// A backend for windows (backend.h, kernels/tile.h) holds some blocks of a side in one part, which then counts as all
// ten squares of the black king. The only other difference is that ocl->tiles is the number of tiles in the window.
//
// Besides its bits a plane has a flag for each tile. In a sparse plane a tile without its flag has no set bit (its bits
// are zero, too: a plane's bits are always good); in others the flags mean nothing. Only fill() and step() make sparse
// planes, and so does put() in windows, where a step also keeps the flags of the planes that it adds to.
#ifndef CLTB_SOLVE_OPENCL_OPENCL_H
#define CLTB_SOLVE_OPENCL_OPENCL_H

#include "solve/backend.h"
#include "solve/backend_bulk.h"
#include "solve/backend_windows.h"
#include "solve/blocks.h"
#include "solve/opencl/opencl_host.h"

#include "kernels/launch.h"

enum {
    SWEEP_TYPES = PAWN,
    PARTS_MAX = 64, // of a plane; each costs launches
    // Programs of a session: the sweeps by type of piece, all other kernels for planes, dobutsu, coding.
    PROGRAM_PLANES = SWEEP_TYPES,
    PROGRAM_DOBUTSU,
    PROGRAM_CODE
};
_Static_assert((int)PROGRAM_CODE < (int)SESSION_PROGRAMS, "a session has all programs");

struct plane {
    cl_mem part[PARTS_MAX];
    cl_mem active; // [tiles] of the whole table or the window
    bool sparse;   // `active` is valid
    bool empty;    // known to be all zero
    // Counts as all zero (sparse and empty), but its buffers may have any contents: call settle() before a kernel reads
    // it or writes a part of it.
    bool unwritten;
    // In a window: the caller's, from put() to get().
    uint64_t *host_bits;
    uint8_t *host_active;
};

// The window, and its largest size.
struct opencl_window {
    bool open;     // the backend works on windows
    uint64_t room; // tiles in a window, at most
    int side;
    uint64_t first; // number of its first block
    struct side_blocks blocks[COLOURS];
    cl_mem table[COLOURS];  // as in kernels/tile.h
    cl_command_queue queue; // for put() and get(), which run beside kernels
};

// The kernels of the program PROGRAM_PLANES.
enum plane_kernel {
    KERNEL_KING,
    KERNEL_REACH,
    KERNEL_FINISH,
    KERNEL_RECORD,
    KERNEL_OVERLAPS,
    KERNEL_IMPORT,
    KERNEL_SLABS,
    KERNEL_PAWNS,
    KERNEL_COMBINE,
    KERNEL_SYMBOLS,
    KERNEL_BLOCKS,
    KERNEL_ENTER,
    KERNEL_PICK,
    PLANE_KERNELS
};

// Those of the program PROGRAM_CODE, made when they are needed.
enum code_kernel {
    KERNEL_VACANT,
    KERNEL_PLAN_DISTANCES,
    KERNEL_PLAN_OUTCOMES,
    KERNEL_CODE,
    KERNEL_PACK,
    KERNEL_SETS,
    CODE_KERNELS
};

struct opencl_backend {
    struct backend base;
    struct opencl_host host;
    struct opencl_kernel sweep[SWEEP_TYPES];
    struct opencl_kernel kernel[PLANE_KERNELS];
    struct opencl_kernel code[CODE_KERNELS];
    uint64_t max_allocation; // bytes in one buffer
    uint64_t head_bytes;     // of a plane
    cl_uint heads;           // of a plane
    cl_uint part_heads;      // in a part, except the last one
    int parts;
    struct opencl_window window;
    cl_event pending[2];      // the last transfer of each half of the host's pinned memory; NULL: none is pending
    int upload_half;          // the half last written from
    uint64_t tiles;           // in a plane, currently
    struct table_shape shape; // passed to kernels in all launches
    cl_mem table;             // of the window, see kernels/tile.h
    cl_mem kings;             // [TRIANGLE_SQUARES][KING_STEPS], see kernels/tile.h
    cl_mem targets[COLOURS];  // [SQUARES][2], see kernels/pawns.cl
    cl_mem fixed;             // [slices][FIXED_STRIDE] square codes of fixed men
    cl_mem ones;              // [tiles] flags, all 1
    cl_mem wanted;            // [tiles] flags of a step
    cl_mem counters;        // [2][2][STEP_COUNTERS] uint: for a step whose count is read later, and for any other step
    struct step *later;     // the former step; NULL: none
    cl_mem staging;         // slabs on their way into a plane; NULL until needed
    cl_ulong staging_bytes; //
    cl_mem slab_imports;    // [OPENCL_SLAB_IMPORTS] uint4, see kernels/slabs.cl; NULL until needed
    cl_mem slab_groups;     // [OPENCL_SLAB_IMPORTS + 1] uint2
    cl_mem words;           // [OPENCL_WORDS] uint4, see kernels/enter.cl; NULL until needed
    struct plane *moves;
};

enum {
    OPENCL_COUNTERS = STEP_COUNTERS, // for other kernels
    OPENCL_SLAB_IMPORTS = 1 << 15,   // in one launch, 24 B each
    OPENCL_WORDS = 1 << 16           // in one launch, 16 B each
};

static inline struct opencl_backend *opencl_of(struct backend *backend)
{
    return (struct opencl_backend *)backend;
}

// A part: heads first..first + count - 1, beginning with tile `tile` of the whole table.
struct opencl_part {
    int number;
    cl_uint first;
    cl_uint count;
    cl_uint tile;
    cl_ulong tiles;
    cl_ulong bytes;
};

struct opencl_part opencl_part(const struct opencl_backend *ocl, int number);

// Bytes of a plane's flags, rounded up to whole uint4, so that kernels for planes can work on them.
static inline cl_ulong opencl_flag_bytes(uint64_t tiles)
{
    return (tiles + 15) & ~UINT64_C(15);
}

// The number by which kernels know a man: digit k-1-p for piece p, k and more for men after the pieces.
static inline cl_uint opencl_digit(const struct layout *layout, int man)
{
    return (cl_uint)(man >= layout->pieces ? man : layout->pieces - 1 - man);
}

static inline cl_uint opencl_bit(const struct layout *layout, int man)
{
    return 1U << (opencl_digit(layout, man) & 31);
}

// Sets how many octal digits are below a piece's u digit, or below its pair's, in a tile's place.
static inline void opencl_place(struct opencl_backend *ocl, int piece, cl_uint digits)
{
    ocl->shape.places |= digits << 4 * opencl_digit(&ocl->base.layout, piece);
}

// The men of a colour as a set of these numbers, including the black king and fixed men, without blanks and slice
// digits.
cl_uint opencl_men(const struct layout *layout, int colour);

// The flags to read for a plane: its own, or all 1.
static inline cl_mem opencl_flags(const struct opencl_backend *ocl, const struct plane *plane)
{
    return plane->sparse ? plane->active : ocl->ones;
}

// Must be called when anything but fill() or step() has written a plane.
static inline void opencl_written(struct plane *plane)
{
    plane->sparse = false;
    plane->empty = false;
    plane->unwritten = false;
}

// Every operation of a backend begins and ends with these two. A window must be open: one for moves of `side`, or with
// ANY_SIDE, for moves of either side. All commands have finished when the operation returns.
enum { ANY_SIDE = -1 };
int opencl_begin(const struct opencl_backend *ocl, int side);
int opencl_end(struct opencl_backend *ocl, int code);

// opencl_step.c
int opencl_step(struct backend *backend, struct step *step);
int opencl_pred(struct backend *backend, struct plane *to, int side, const struct plane *from, bool invert);
int opencl_attacks(struct backend *backend, struct plane *plane, int side);

// opencl_fill.c
int opencl_fill(struct backend *backend, struct plane *plane, bool bit);
int opencl_settle(struct opencl_backend *ocl, const struct plane *plane);
int opencl_combine(struct backend *backend, struct plane *to, enum plane_operation operation, const struct plane *from);
int opencl_overlaps(struct backend *backend, struct plane *plane, const struct men_pairs *pairs);
int opencl_import(struct backend *backend, struct plane *plane, const struct import *import);
int opencl_enter(struct backend *backend, struct plane *plane, const struct plane_lines *parts, size_t count,
                 bool clear);
// to (op)= from, `bytes` of both: whole uint4.
int opencl_combine_buffers(struct opencl_backend *ocl, cl_mem to, enum plane_operation operation, cl_mem from,
                           cl_ulong bytes);

// A part of a buffer to be written.
struct opencl_upload {
    const void *from;
    uint64_t bytes;
    uint64_t at; // in the buffer
};

// opencl_transfer.c
// Writes the parts of a buffer, which follow each other from its start on. They are copied by the backend's pool before
// the function returns, and are in the buffer before later operations.
int opencl_write_behind(struct opencl_backend *ocl, cl_mem to, const struct opencl_upload *uploads, size_t count);
int opencl_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *bits);
int opencl_bulk_finish(struct opencl_backend *ocl);
// Begins to read a buffer into a half that has no pending read, after all operations so far.
int opencl_read_behind(struct opencl_backend *ocl, int half, cl_mem from, size_t bytes, void *to);
extern const struct backend_bulk opencl_bulk;

// opencl_symbols.c
int opencl_symbols(struct backend *backend, const struct symbols_request *request, struct thread_pool *pool,
                   bool *made);

// opencl_pick.c
int opencl_pick(struct backend *backend, const struct pick_request *request, bool *made);

// opencl_slabs.c
int opencl_import_slabs(struct backend *backend, struct plane *plane, const struct slab_import *imports, size_t count);

// opencl_windows.c: what a backend for windows needs in addition.
int opencl_windows_make(struct opencl_backend *ocl);
void opencl_windows_free(struct opencl_backend *ocl);
// Copies the tiles of a futurebase that belong to tiles first..last-1 of the window.
void opencl_windows_gather(const struct opencl_backend *ocl, const struct import *import, uint64_t first, uint64_t last,
                           char *to);
extern const struct backend_windows opencl_windows;

#endif
