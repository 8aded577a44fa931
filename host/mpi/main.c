// main.c - cltb-mpi: `cltb build` by all processes of an MPI job
#include "cli/command.h"
#include "mpi/mpi_peers.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct peers peers = mpi_peers();
    int status = EXIT_USAGE;
    if (argc >= 2 && strcmp(argv[1], "build") == 0) {
        command_peers = &peers;
        status = command_main(argc, argv);
    } else if (peers.rank == 0) {
        fprintf(stderr, "cltb-mpi: the only command is build (see: cltb help build)\n");
    }
    if (status != EXIT_DONE && status != EXIT_USAGE) // what fails in one process alone ends the others
        MPI_Abort(MPI_COMM_WORLD, status);
    MPI_Finalize();
    return status;
}
