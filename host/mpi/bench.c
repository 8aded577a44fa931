// bench.c - how long messages between the processes of a job take
//
// Each process sends the same number of bytes to every other one, again and again. The times of the shortest and the
// longest messages give the two figures of the model (make/plan_hosts.h), whose times are printed beside the measured
// ones.
#include "mpi/bench.h"

#include "util/clock.h"
#include "util/error.h"
#include "util/saturate.h"
#include "util/units.h"

#include <stdio.h>

enum { SIZES = 4, SMALL_TIMES = 200, LARGE_TIMES = 10 };
static const size_t sizes[SIZES] = {16, 4 << 10, 256 << 10, 16 << 20};

// Seconds of the fastest exchange, which other work did not delay: the mean over all processes.
static int time_exchange(const struct peers *peers, size_t bytes, double *seconds)
{
    const int times = bytes < sizes[SIZES - 1] ? SMALL_TIMES : LARGE_TIMES;
    struct peer_mail mail;
    uint64_t least = UINT64_MAX; // nanoseconds
    int code = peer_mail_open(&mail, peers);
    for (int i = 0; i < times && code == 0; i++) {
        const double begun = wall_seconds();
        void *room;
        for (int r = 0; r < peers->ranks && code == 0; r++)
            code = r != peers->rank ? peer_mail_room(&mail, r, bytes, &room) : 0;
        if (code == 0)
            code = peer_mail_exchange(&mail);
        least = u64_smaller(least, (uint64_t)((wall_seconds() - begun) * 1e9));
    }
    peer_mail_close(&mail);
    if (code == 0)
        code = peers->sum(peers->context, &least, 1);
    *seconds = (double)least / 1e9 / peers->ranks;
    return code;
}

int bench_messages(const struct peers *peers)
{
    double seconds[SIZES];
    const int others = peers->ranks - 1;
    if (others == 0)
        return error_set(CLTB_E_USAGE, "bench needs at least two processes");
    for (int i = 0; i < SIZES; i++)
        TRY(time_exchange(peers, sizes[i], &seconds[i]));
    if (peers->rank != 0)
        return 0;
    const double latency = seconds[0] / others;
    const double rate = (double)sizes[SIZES - 1] / (seconds[SIZES - 1] / others - latency);
    printf("bytes to each of %d others   seconds   by the model\n", others);
    for (int i = 0; i < SIZES; i++)
        printf("%26s  %8.6f  %8.6f\n", unit_bytes(sizes[i]).text, seconds[i],
               others * (latency + (double)sizes[i] / rate));
    printf("%.1f us a message, %s a second from each process: --latency %.0f --network %.3fG\n", latency * 1e6,
           unit_bytes((uint64_t)rate).text, latency * 1e6, rate * 8 / (1 << 30));
    return 0;
}
