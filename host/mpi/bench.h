// bench.h - `cltb-mpi bench`
#ifndef CLTB_MPI_BENCH_H
#define CLTB_MPI_BENCH_H

#include "util/peers.h"

// Measures messages between processes and prints the figures that `cltb plan --hosts` takes.
int bench_messages(const struct peers *peers);

#endif
