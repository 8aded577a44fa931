// mpi_peers.h - the processes of an MPI job as peers
#ifndef CLTB_MPI_PEERS_H
#define CLTB_MPI_PEERS_H

#include "util/peers.h"

// Of MPI_COMM_WORLD, between MPI_Init() and MPI_Finalize().
int mpi_peers(struct peers *peers);

#endif
