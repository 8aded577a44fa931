// main.c - cltb-mpi: `cltb build` by all processes of an MPI job, which are its peers
//
// MPI waits by polling, which takes a processor that other processes of the machine could use. So everything is started
// without blocking, and a waiting process sleeps between polls: an eighth of the time it has waited so far, within
// limits.
//
// Every joint operation, of the job or of one machine, begins with a round: each process gives every other one a note,
// with numbers to be summed, the size of what it will send, and whether it has failed.
//
//  1. A process that fails takes part in one more round of the job and one of its machine, and reports the failure in
//     both.
//  2. The others learn of it in whichever round they reach first. The operation they were about to begin fails as well,
//     and they report this in the round of the other kind. So all take part in one last round of each kind, and no
//     message stays undelivered.
//  3. By then all have cleaned up, and they agree on one sentence.
//
// The processes of one machine share memory through windows of MPI, which are files in SHARED_FOLDER.
#include "cli/command.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/os.h"
#include "util/saturate.h"
#include "util/units.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MESSAGE_BYTES = 1 << 30, // MPI counts in int
    NUMBERS = 12,            // summed in one round
    SLEEP_NS = 1000000,      // at most, while other processes are at work
    MOVING_SLEEP_NS = 50000, // while messages are in transit: some systems make progress only when polled
    AWAKE_NS = 100000,       // without sleep at first
    PATIENCE_S = 60,         // of a process that has failed: the others may be in the middle of a ply
    WINDOWS_MAX = 256        // shared arrays at a time
};

#define SHARED_FOLDER "/dev/shm" // Linux; both MPIs that are known to work use it

struct note {
    uint64_t failed;
    uint64_t bytes; // that the giver will send to the taker next
    struct peer_traffic traffic;
    uint64_t number[NUMBERS];
};

// Processes that hold rounds together.
struct circle {
    MPI_Comm comm;
    int ranks;
    struct note *give; // [ranks]
    struct note *take; // [ranks]
    bool over;         // the last round is done
};

struct mpi_mesh {
    struct peer_traffic own;
    struct peer_traffic all;
    bool agreed;
    bool broken; // failed in the middle of an operation: the others cannot be told
    struct circle job;
    struct circle here; // the processes of this machine
    bool *neighbour;    // [job.ranks]
    MPI_Win window[WINDOWS_MAX];
    int windows;
};

// Waits until the requests are done, or for `patience` seconds. A failing call ends the job through MPI's own handler.
static bool sleep_until_done(MPI_Request *request, int count, double most, double patience)
{
    const double begun = MPI_Wtime();
    int done = 0;
    while (MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !done) {
        const double waited = (MPI_Wtime() - begun) * 1e9;
        if (waited > patience * 1e9)
            return false;
        if (waited > AWAKE_NS)
            nanosleep(&(struct timespec){.tv_nsec = (long)(waited < 8 * most ? waited / 8 : most)}, NULL);
    }
    return true;
}

// ---- rounds ----

static void circle_begin(const struct circle *circle, MPI_Request *request)
{
    MPI_Ialltoall(circle->give, sizeof *circle->give, MPI_BYTE, circle->take, sizeof *circle->take, MPI_BYTE,
                  circle->comm, request);
}

#define FAILED_ELSEWHERE "another process has failed"

// A round in which all get the same note; with NULL, those already in circle->give. Fails if any process has reported a
// failure.
static int circle_round(struct mpi_mesh *mesh, struct circle *circle, const struct note *note)
{
    MPI_Request request;
    if (mesh->job.over || mesh->here.over)
        return error_set(CLTB_E_IO, FAILED_ELSEWHERE);
    for (int r = 0; note != NULL && r < circle->ranks; r++)
        circle->give[r] = *note;
    circle_begin(circle, &request);
    sleep_until_done(&request, 1, SLEEP_NS, INFINITY);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = 0; r < circle->ranks; r++)
        circle->over |= circle->take[r].failed != 0;
    return circle->over ? error_set(CLTB_E_IO, FAILED_ELSEWHERE) : 0;
}

static int finish(void *context, bool failed, bool *told)
{
    struct mpi_mesh *mesh = context;
    const struct note note = {.failed = failed};
    struct circle *circles[] = {&mesh->job, &mesh->here};
    static MPI_Request request[2]; // static, because they may still be pending at the return
    int count = 0;
    *told = mesh->job.over || mesh->here.over;
    if (mesh->broken)
        return -1;
    if (!failed && circle_round(mesh, &mesh->job, &note) == 0)
        return 0;
    *told |= !failed;
    for (int i = 0; i < 2; i++) {
        if (circles[i]->over)
            continue;
        for (int r = 0; r < circles[i]->ranks; r++)
            circles[i]->give[r] = (struct note){.failed = true};
        circle_begin(circles[i], &request[count++]);
    }
    if (!sleep_until_done(request, count, SLEEP_NS, PATIENCE_S))
        return -1;
    mesh->job.over = mesh->here.over = false; // for the messages that follow
    while (mesh->windows > 0)
        MPI_Win_free(&mesh->window[--mesh->windows]);
    return 0;
}

// ---- messages ----

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

// Starts the messages to or from all processes, those of one process in order. Returns the next free request.
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

// Tells every process how much it will get, and allocates room for what the others will give.
static int make_room(struct mpi_mesh *mesh, const struct peer_bytes *give, struct peer_bytes *take)
{
    int code = 0;
    for (int r = 0; r < mesh->job.ranks; r++) {
        mesh->job.give[r] = (struct note){.traffic = mesh->own, .bytes = give[r].count};
        take[r] = (struct peer_bytes){NULL, 0};
    }
    TRY(circle_round(mesh, &mesh->job, NULL));
    for (int r = 0; r < mesh->job.ranks; r++) {
        const size_t bytes = mesh->job.take[r].bytes;
        take[r] = (struct peer_bytes){bytes > 0 ? malloc(bytes) : NULL, bytes};
        if (bytes > 0 && take[r].bytes == NULL) {
            mesh->broken = true;
            code = error_memory(bytes, "messages");
        }
    }
    return code;
}

static int exchange(void *context, const struct peer_bytes *give, struct peer_bytes *take)
{
    struct mpi_mesh *mesh = context;
    const int ranks = mesh->job.ranks;
    int rank;
    MPI_Comm_rank(mesh->job.comm, &rank);
    TRY(make_room(mesh, give, take));
    const int messages = count_messages(give, ranks) + count_messages(take, ranks);
    MPI_Request *request = malloc((size_t)(messages + 1) * sizeof(MPI_Request));
    if (request == NULL) {
        mesh->broken = true;
        return error_memory((size_t)messages * sizeof(MPI_Request), "messages");
    }
    post_all(give, ranks, send, post_all(take, ranks, receive, request));
    sleep_until_done(request, messages, MOVING_SLEEP_NS, INFINITY);
    MPI_Waitall(messages, request, MPI_STATUSES_IGNORE);
    free(request);
    for (int r = 0; r < ranks; r++) {
        mesh->own.bytes += r != rank ? give[r].count : 0;
        mesh->own.messages += r != rank && give[r].count > 0;
    }
    return 0;
}

// The traffic is summed along with the numbers.
static int sum(void *context, uint64_t *number, int count)
{
    struct mpi_mesh *mesh = context;
    for (int done = 0; done < count; done += NUMBERS) {
        const size_t some = (size_t)(count - done < NUMBERS ? count - done : NUMBERS);
        struct note note = {.traffic = mesh->own};
        memcpy(note.number, number + done, some * sizeof *number);
        TRY(circle_round(mesh, &mesh->job, &note));
        memset(number + done, 0, some * sizeof *number);
        mesh->all = (struct peer_traffic){0, 0};
        for (int r = 0; r < mesh->job.ranks; r++) {
            const struct note *taken = &mesh->job.take[r];
            mesh->all.bytes += taken->traffic.bytes;
            mesh->all.messages += taken->traffic.messages;
            for (size_t i = 0; i < some; i++)
                number[(size_t)done + i] += taken->number[i];
        }
    }
    return 0;
}

// ---- memory in common ----

// Waits for all processes of this machine.
static int meet(void *context)
{
    struct mpi_mesh *mesh = context;
    return circle_round(mesh, &mesh->here, &(struct note){.failed = false});
}

// Without this check a lack of memory would end the job, or a full disk the process, with no hint of what was missing.
static int look_for_room(struct mpi_mesh *mesh, size_t bytes)
{
    struct note note = {.number = {UINT64_MAX}}; // unknown: let MPI find out
    (void)os_free_bytes(SHARED_FOLDER, note.number);
    TRY(circle_round(mesh, &mesh->here, &note));
    uint64_t room = UINT64_MAX;
    for (int r = 0; r < mesh->here.ranks; r++)
        room = u64_smaller(room, mesh->here.take[r].number[0]);
    if (room >= bytes && mesh->windows < WINDOWS_MAX)
        return 0;
    return error_set(CLTB_E_MEMORY,
                     "%s of futurebases that processes of one machine share do not fit in %s, where %s are free",
                     unit_bytes(bytes).text, SHARED_FOLDER, unit_bytes(room).text);
}

static int common(void *context, size_t bytes, void **memory)
{
    struct mpi_mesh *mesh = context;
    void *own;
    MPI_Aint size;
    int unit;
    int rank;
    MPI_Comm_rank(mesh->here.comm, &rank);
    TRY(look_for_room(mesh, bytes));
    MPI_Win *window = &mesh->window[mesh->windows];
    const int result =
        MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)bytes : 0, 1, MPI_INFO_NULL, mesh->here.comm, &own, window);
    if (result != MPI_SUCCESS) {
        mesh->broken = true;
        return error_set(CLTB_E_MEMORY, "MPI cannot allocate %s of memory for futurebases that processes share",
                         unit_bytes(bytes).text);
    }
    mesh->windows++;
    MPI_Win_shared_query(*window, 0, &size, &unit, memory);
    if (rank == 0)
        memset(*memory, 0, bytes);
    return 0;
}

static int drop(void *context)
{
    struct mpi_mesh *mesh = context;
    TRY(meet(context));
    while (mesh->windows > 0)
        MPI_Win_free(&mesh->window[--mesh->windows]);
    return 0;
}

static int circle_open(struct circle *circle, MPI_Comm comm)
{
    circle->comm = comm;
    MPI_Comm_size(comm, &circle->ranks);
    TRY(memory_new(&circle->give, (size_t)circle->ranks, sizeof *circle->give, "messages"));
    return memory_new(&circle->take, (size_t)circle->ranks, sizeof *circle->take, "messages");
}

// Two processes are neighbours if the first process of their machine has the same rank. With $CLTB_APART=1 no two are
// neighbours, so that what goes over a network can be measured.
static int find_near(struct mpi_mesh *mesh)
{
    const char *apart = getenv("CLTB_APART");
    int machine;
    int *machines;
    TRY(memory_new(&mesh->neighbour, (size_t)mesh->job.ranks, sizeof *mesh->neighbour, "processes"));
    TRY(memory_new(&machines, (size_t)mesh->job.ranks, sizeof *machines, "processes"));
    MPI_Comm_rank(mesh->job.comm, &machine);
    MPI_Bcast(&machine, 1, MPI_INT, 0, mesh->here.comm);
    MPI_Allgather(&machine, 1, MPI_INT, machines, 1, MPI_INT, mesh->job.comm);
    for (int r = 0; r < mesh->job.ranks; r++)
        mesh->neighbour[r] = machines[r] == machine && (apart == NULL || strcmp(apart, "1") != 0);
    free(machines);
    return 0;
}

static int look_around(struct peers *peers, struct mpi_mesh *mesh)
{
    MPI_Comm here;
    int rank;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_set_errhandler(here, MPI_ERRORS_RETURN); // for lack of memory
    TRY(circle_open(&mesh->job, MPI_COMM_WORLD));
    TRY(circle_open(&mesh->here, here));
    MPI_Comm_rank(here, &rank);
    TRY(find_near(mesh));
    peers->neighbour = mesh->neighbour;
    MPI_Allreduce(&mesh->here.ranks, &peers->neighbours, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (mesh->here.ranks == 1)
        return 0;
    peers->fills = rank == 0;
    peers->common = common;
    peers->meet = meet;
    peers->drop = drop;
    return 0;
}

static int mpi_peers(struct peers *peers)
{
    static struct mpi_mesh mesh;
    *peers = (struct peers){.exchange = exchange, .sum = sum, .finish = finish, .context = &mesh};
    peers->traffic = &mesh.all;
    peers->agreed = &mesh.agreed;
    MPI_Comm_rank(MPI_COMM_WORLD, &peers->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &peers->ranks);
    return look_around(peers, &mesh);
}

// ---- the command ----

enum {
    ARGUMENTS_S = 5,        // patience for the others to find their arguments wrong, too
    PRINTING_NS = 200000000 // MPICH's mpiexec may lose what was printed just before the job is aborted
};

// Do all processes come here, because all have the same wrong arguments? `own` is used for nothing else.
static bool all_stop(MPI_Comm own)
{
    const double end = MPI_Wtime() + ARGUMENTS_S;
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
