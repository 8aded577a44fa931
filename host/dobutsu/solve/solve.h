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
// Cost: of mirror images only one is solved. Only cells with open codes are looked at, and once a round finds less than
// a code for every fourth cell, the cells before a changed one are marked, and the next round looks at those only.
#ifndef CLTB_DOBUTSU_SOLVE_SOLVE_H
#define CLTB_DOBUTSU_SOLVE_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

struct dobutsu_backend;
struct thread_pool;

enum { DOBUTSU_ROUNDS_MAX = 0xfd }; // a value is a byte, and 0xfe and 0xff are no rounds

// One round: `ply` > 0. `all`: looks at every cell, else at those that the round before has marked. `mark`: marks for
// the next one.
struct dobutsu_round {
    int ply;
    bool all;
    bool mark;
    uint64_t found; // result: codes
};

struct dobutsu_backend_ops {
    void (*close)(struct dobutsu_backend *backend);
    const char *(*describe)(struct dobutsu_backend *backend); // one line
    // Round 0. *won: codes.
    int (*classes)(struct dobutsu_backend *backend, uint64_t *won);
    int (*round)(struct dobutsu_backend *backend, struct dobutsu_round *round);
    // What was found for a kept cell: the bits of its codes' values, from the lowest, 0 where none was found. From any
    // number of threads, when nothing else runs.
    int (*read)(struct dobutsu_backend *backend, uint32_t cell, uint64_t bits[8][4]);
};

struct dobutsu_backend {
    const struct dobutsu_backend_ops *ops;
};

// `isa`: an instruction set's name, or NULL for the best of this processor. The pool must outlive the backend.
int dobutsu_cpu_open(struct dobutsu_backend **backend, struct thread_pool *pool, const char *isa);

#ifdef CLTB_HAVE_OPENCL
int dobutsu_opencl_open(struct dobutsu_backend **backend, int device);
#endif

// Moves of all kept cells together.
enum { DOBUTSU_MOVES = 22402599 };

// Where the lists of moves start (kernels/dobutsu/dobutsu.h): those of `across` cells lie side by side, each as long as
// the longest of them. `counts`: [live cells] moves; `starts`: [live cells / across], or NULL. Returns the length of
// all.
uint32_t dobutsu_lists_place(const uint8_t *counts, uint32_t across, uint32_t *starts);

// The host memory that solving takes, in bytes; a device takes as much.
uint64_t dobutsu_solver_memory(void);

struct dobutsu_solver_options {
    // Called after every round with the number of codes found; a nonzero result stops: CLTB_E_INTERRUPTED. May be NULL.
    int (*progress)(void *context, int ply, uint64_t found);
    void *context;
};

int dobutsu_solve(struct dobutsu_backend *backend, const struct dobutsu_solver_options *options);

// The bytes of all cells first..first + count - 1 (numbers of dobutsu/code.h), including invalid ones: [count * 256].
// Thread-safe. `backend` is a struct dobutsu_backend: a dobutsu_source (dobutsu/table.h).
int dobutsu_solution_read(void *backend, uint32_t first, uint32_t count, uint8_t *values);

#endif
