// main.c - cltb-mpi: `cltb build` by all processes of an MPI job
#include "cli/command.h"
#include "mpi/mpi_peers.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    PATIENCE_S = 5,         // to wait for the others
    PRINTING_NS = 200000000 // MPICH's mpiexec may lose what was printed just before the job is aborted
};

// Do all processes come here, because all have the same wrong arguments? `own` is used for nothing else.
static bool all_stop(MPI_Comm own)
{
    const double end = MPI_Wtime() + PATIENCE_S;
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(own, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done && MPI_Wtime() < end)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return done;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct peers peers;
    if (mpi_peers(&peers) != 0) {
        fprintf(stderr, "cltb-mpi: %s\n", error_text());
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    }
    int status = EXIT_USAGE;
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    if (argc >= 2 && strcmp(argv[1], "build") == 0) {
        command_peers = &peers;
        status = command_main(argc, argv);
    } else if (peers.rank == 0) {
        fprintf(stderr, "cltb-mpi: the command is build (see: cltb help build)\n");
    }
    bool together = status == EXIT_DONE || *peers.agreed;
    if (status == EXIT_USAGE && !together) {
        together = all_stop(own);
        if (!together)
            fprintf(stderr, "cltb-mpi: the arguments of process %d are wrong, and others have different ones\n",
                    peers.rank);
    }
    if (!together) { // a failure of one process ends the others, too
        nanosleep(&(struct timespec){.tv_nsec = PRINTING_NS}, NULL);
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    MPI_Comm_free(&own);
    MPI_Finalize();
    return status;
}
