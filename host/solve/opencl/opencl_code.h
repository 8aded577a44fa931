// opencl_code.h - the blocks of a section, coded on the device (kernels/code.cl)
#ifndef CLTB_SOLVE_OPENCL_OPENCL_CODE_H
#define CLTB_SOLVE_OPENCL_OPENCL_CODE_H

#include "solve/backend_bulk.h"
#include "solve/coder.h"
#include "solve/opencl/opencl.h"

// What is to be coded: the symbols of a section, or those of several.
struct opencl_coding_job {
    const struct symbols_coder *coder;
    const struct entry_order *order;
    uint64_t section; // the first one
    uint64_t symbols;
    uint64_t block; // symbols
};

struct opencl_coding {
    struct opencl_backend *ocl;
    struct opencl_coding_job job;
    struct code_launch launch;
    struct vacant_launch vacant_launch;
    uint64_t room; // symbols in a piece: some blocks
    cl_mem table;
    cl_mem squares; // of each digit, a byte for each man
    cl_mem reach;   // as in kernels/code.cl
    cl_mem slices;  // likewise
    cl_mem vacant;  // [room / 32]; NULL: no pawns, or no distances
    cl_mem chosen;  // [room] indices
    cl_mem token;   // [units][CODE_TOKENS]
    cl_mem size;    // [units]
    cl_mem places;  // [units]
    cl_mem packed;
    struct coded_unit *unit; // [units] what `size` had at the last opencl_coding_sizes()
    uint32_t *place;         // [units]
    uint64_t packed_bytes;
};

// Takes the memory for coding; *room is the number of symbols in a piece. It is 0 if the device declines, because there
// is too little memory or too little to do. Must be closed in any case.
int opencl_coding_open(struct opencl_coding *coding, struct opencl_backend *ocl, const struct opencl_coding_job *job,
                       uint64_t *room);
void opencl_coding_close(struct opencl_coding *coding);

// Launches the kernels that code `count` symbols of a piece, of which the first is number `first` of the job. vacant: a
// bit for each entry of a distance; not used if there are pawns.
int opencl_coding_run(struct opencl_coding *coding, cl_mem symbol, cl_mem vacant, uint64_t first, uint64_t count);

// Waits until they are coded; returns the number of units.
int opencl_coding_sizes(struct opencl_coding *coding, uint32_t *units);

// Begins to read some of these units, from `first` on: whole blocks, or all that are left. `*count` is their number.
int opencl_coding_read(struct opencl_coding *coding, uint32_t first, uint32_t units, uint32_t *count);

// Waits for them and hands them on; `at` is their first symbol.
int opencl_coding_take(struct opencl_coding *coding, uint64_t at, uint64_t symbols, uint32_t first,
                       struct thread_pool *pool);

// For struct backend_bulk.
int opencl_code(struct backend *backend, const struct code_request *request, bool *made);

#endif
