// mpi_peers.c - the processes of an MPI job as peers
#include "mpi/mpi_peers.h"

#include "util/error.h"

#include <mpi.h>
#include <stdlib.h>

enum { MESSAGE_BYTES = 1 << 30 }; // MPI counts in int

static int count_messages(const struct peer_bytes *all, int ranks)
{
    size_t count = 0;
    for (int r = 0; r < ranks; r++)
        count += (all[r].count + MESSAGE_BYTES - 1) / MESSAGE_BYTES;
    return (int)count;
}

typedef int post_message(void *bytes, int count, int rank, MPI_Request *request);

static int receive(void *bytes, int count, int rank, MPI_Request *request)
{
    return MPI_Irecv(bytes, count, MPI_BYTE, rank, 0, MPI_COMM_WORLD, request);
}

static int send(void *bytes, int count, int rank, MPI_Request *request)
{
    return MPI_Isend(bytes, count, MPI_BYTE, rank, 0, MPI_COMM_WORLD, request);
}

// Begins the messages from or to all processes, those of one in order. Returns the next free request.
static MPI_Request *post_all(const struct peer_bytes *all, int ranks, post_message *post, MPI_Request *request)
{
    for (int r = 0; r < ranks; r++) {
        for (size_t done = 0; done < all[r].count; done += MESSAGE_BYTES) {
            const size_t left = all[r].count - done;
            // MPI's own handler ends the job where a call fails.
            (void)post((char *)all[r].bytes + done, (int)(left < MESSAGE_BYTES ? left : MESSAGE_BYTES), r, request++);
        }
    }
    return request;
}

static int exchange(void *context, const struct peer_bytes *give, struct peer_bytes *take)
{
    int ranks;
    (void)context;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    uint64_t *counts = malloc(2 * (size_t)ranks * sizeof *counts); // to give, to take
    if (counts == NULL)
        return error_memory(2 * (size_t)ranks * sizeof *counts, "messages");
    for (int r = 0; r < ranks; r++)
        counts[r] = give[r].count;
    MPI_Alltoall(counts, 1, MPI_UINT64_T, counts + ranks, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    int code = 0;
    for (int r = 0; r < ranks; r++) {
        const size_t count = counts[ranks + r];
        take[r] = (struct peer_bytes){count > 0 ? malloc(count) : NULL, count};
        if (count > 0 && take[r].bytes == NULL)
            code = error_memory(count, "messages");
    }
    free(counts);
    const int messages = count_messages(give, ranks) + count_messages(take, ranks);
    MPI_Request *request = code == 0 ? malloc((size_t)(messages + 1) * sizeof(MPI_Request)) : NULL;
    if (request == NULL)
        return code != 0 ? code : error_memory((size_t)messages * sizeof(MPI_Request), "messages");
    post_all(give, ranks, send, post_all(take, ranks, receive, request));
    MPI_Waitall(messages, request, MPI_STATUSES_IGNORE);
    free(request);
    return 0;
}

static int sum(void *context, uint64_t *number, int count)
{
    (void)context;
    MPI_Allreduce(MPI_IN_PLACE, number, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return 0;
}

struct peers mpi_peers(void)
{
    struct peers peers = {.exchange = exchange, .sum = sum};
    MPI_Comm_rank(MPI_COMM_WORLD, &peers.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &peers.ranks);
    return peers;
}
