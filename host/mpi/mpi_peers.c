// mpi_peers.c - the processes of an MPI job as peers
//
// MPI waits by asking again and again, which takes a processor that other processes of the machine could use. So
// everything is begun without blocking, and whoever waits sleeps in between: an eighth of the time that it has waited,
// within limits.
#include "mpi/mpi_peers.h"

#include "util/error.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MESSAGE_BYTES = 1 << 30, // MPI counts in int
    NUMBERS_MAX = 64,        // that are summed at a time
    SLEEP_NS = 1000000,      // at most, while others are at work
    MOVING_SLEEP_NS = 50000, // while messages are on their way: some systems move them only when they are asked
    AWAKE_NS = 100000        // at first
};

struct mpi_mesh {
    struct peer_traffic own;
    struct peer_traffic all;
    bool agreed;
};

// Until they need no wait any more. MPI's own handler ends the job where a call fails.
static void sleep_until_done(MPI_Request *request, int count, double most)
{
    const double begun = MPI_Wtime();
    int done = 0;
    while (MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !done) {
        const double waited = (MPI_Wtime() - begun) * 1e9;
        if (waited > AWAKE_NS)
            nanosleep(&(struct timespec){.tv_nsec = (long)(waited < 8 * most ? waited / 8 : most)}, NULL);
    }
}

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
            (void)post((char *)all[r].bytes + done, (int)(left < MESSAGE_BYTES ? left : MESSAGE_BYTES), r, request++);
        }
    }
    return request;
}

// Room for what the others will give. `count`: [2][ranks], for what is given and what is taken.
static int make_room(const struct peer_bytes *give, struct peer_bytes *take, uint64_t *count, int ranks)
{
    MPI_Request request;
    int code = 0;
    for (int r = 0; r < ranks; r++)
        count[r] = give[r].count;
    MPI_Ialltoall(count, 1, MPI_UINT64_T, count + ranks, 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    sleep_until_done(&request, 1, SLEEP_NS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = 0; r < ranks; r++) {
        const size_t bytes = count[ranks + r];
        take[r] = (struct peer_bytes){bytes > 0 ? malloc(bytes) : NULL, bytes};
        if (bytes > 0 && take[r].bytes == NULL)
            code = error_memory(bytes, "messages");
    }
    return code;
}

static int exchange(void *context, const struct peer_bytes *give, struct peer_bytes *take)
{
    struct mpi_mesh *mesh = context;
    int rank;
    int ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    uint64_t *counts = malloc(2 * (size_t)ranks * sizeof *counts);
    if (counts == NULL)
        return error_memory(2 * (size_t)ranks * sizeof *counts, "messages");
    int code = make_room(give, take, counts, ranks);
    free(counts);
    const int messages = count_messages(give, ranks) + count_messages(take, ranks);
    MPI_Request *request = code == 0 ? malloc((size_t)(messages + 1) * sizeof(MPI_Request)) : NULL;
    if (request == NULL)
        return code != 0 ? code : error_memory((size_t)messages * sizeof(MPI_Request), "messages");
    post_all(give, ranks, send, post_all(take, ranks, receive, request));
    sleep_until_done(request, messages, MOVING_SLEEP_NS);
    MPI_Waitall(messages, request, MPI_STATUSES_IGNORE);
    free(request);
    for (int r = 0; r < ranks; r++) {
        mesh->own.bytes += r != rank ? give[r].count : 0;
        mesh->own.messages += r != rank && give[r].count > 0;
    }
    return 0;
}

// The traffic is summed with the numbers.
static int sum(void *context, uint64_t *number, int count)
{
    struct mpi_mesh *mesh = context;
    uint64_t all[NUMBERS_MAX + 2] = {0}; // bytes, messages, numbers
    for (int done = 0; done < count; done += NUMBERS_MAX) {
        const int some = count - done < NUMBERS_MAX ? count - done : NUMBERS_MAX;
        MPI_Request request;
        memcpy(all + 2, number + done, (size_t)some * sizeof *number);
        all[0] = mesh->own.bytes;
        all[1] = mesh->own.messages;
        MPI_Iallreduce(MPI_IN_PLACE, all, some + 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
        sleep_until_done(&request, 1, SLEEP_NS);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        memcpy(number + done, all + 2, (size_t)some * sizeof *number);
    }
    mesh->all = (struct peer_traffic){all[0], all[1]};
    return 0;
}

struct peers mpi_peers(void)
{
    static struct mpi_mesh mesh;
    struct peers peers = {.exchange = exchange, .sum = sum, .context = &mesh};
    peers.traffic = &mesh.all;
    peers.agreed = &mesh.agreed;
    MPI_Comm_rank(MPI_COMM_WORLD, &peers.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &peers.ranks);
    return peers;
}
