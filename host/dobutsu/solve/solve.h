// solve.h - solves dobutsu shogi: the value of every code, round by round
//
// A value is a number of plies (host/dobutsu/table.h): even for a win of Sente, odd for a loss. Planes have one bit for
// each code of the live cells (kernels/dobutsu/dobutsu.h). dobutsu_solve() does this:
//
// 1. Round 0 finds the codes that are won at once, from the codes alone. All others that are valid are open.
// 2. Odd round n: an open code is lost in n if every move leads to a win of the other side, or if there is no move.
// 3. Even round n: an open code is won in n if a move leads to a loss in n - 1. (A move to a loss in fewer plies would
//    have been used in an earlier round.)
// 4. The first round that finds nothing is the last one. What is still open is drawn.
//
// Example: in S/lEG/EGL/-CC/---/- Sente is not won at once and cannot move at all: round 1 finds the code as a loss,
// value 1. A position with a move to this one has the value 2, found in round 2. In the whole game round 172 is the
// last to find something.
//
// Cost: only one of two mirror images is solved. Only cells with open codes are looked at. Once a round finds less than
// one code for every four cells, the cells before a changed one are marked, and the next round looks only at these.
#ifndef CLTB_DOBUTSU_SOLVE_SOLVE_H
#define CLTB_DOBUTSU_SOLVE_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

struct dobutsu_backend;
struct thread_pool;

enum { DOBUTSU_ROUNDS_MAX = 0xfd }; // a value is a byte, and 0xfe and 0xff are not rounds

// One round, `ply` > 0. `all`: look at every cell, not only at those that the previous round marked. `mark`: mark cells
// for the next round.
struct dobutsu_round {
    int ply;
    bool all;
    bool mark;
    uint64_t found; // result: codes found
};

struct dobutsu_backend_ops {
    void (*close)(struct dobutsu_backend *backend);
    // Runs round 0. *won: codes that are won at once.
    int (*classes)(struct dobutsu_backend *backend, uint64_t *won);
    int (*round)(struct dobutsu_backend *backend, struct dobutsu_round *round);
    // Reads the values found for a kept cell: the bits of its codes' values, lowest bit first, 0 where none was found.
    // May be called from any number of threads while nothing else runs.
    int (*read)(struct dobutsu_backend *backend, uint32_t cell, uint64_t bits[8][4]);
};

struct dobutsu_backend {
    const struct dobutsu_backend_ops *ops;
    const char *description; // one line
};

// `isa`: an instruction set's name, or NULL for the best of this processor. The pool must outlive the backend.
int dobutsu_cpu_open(struct dobutsu_backend **backend, struct thread_pool *pool, const char *isa);

#ifdef CLTB_HAVE_OPENCL
int dobutsu_opencl_open(struct dobutsu_backend **backend, int device);
#endif

// The number of moves of all kept cells.
enum { DOBUTSU_MOVES = 22402599 };

// Decides where the lists of moves start (kernels/dobutsu/dobutsu.h): those of `across` cells lie side by side, each as
// long as the longest of them. `counts`: [live cells] moves; `starts`: [live cells / across], or NULL. Returns the
// total length.
uint32_t dobutsu_lists_place(const uint8_t *counts, uint32_t across, uint32_t *starts);

// The host memory that solving takes, in bytes; a device takes as much.
uint64_t dobutsu_solver_memory(void);

// Finds the values of all codes, which then stay in the backend. `each` (may be NULL) is called after every round with
// the number of codes found; a nonzero result stops with CLTB_E_INTERRUPTED. CLTB_E_DEVICE.
int dobutsu_solve(struct dobutsu_backend *backend, int (*each)(void *context, int ply, uint64_t found), void *context);

// Gives the bytes of cells `first` to first + count - 1 (numbers of dobutsu/code.h), including invalid ones: [count *
// 256]. Thread-safe. A dobutsu_source (dobutsu/table.h): `backend` is a struct dobutsu_backend.
int dobutsu_solution_read(void *backend, uint32_t first, uint32_t count, uint8_t *values);

#endif
