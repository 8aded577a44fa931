// plan_hosts.h - the cost of a table that several hosts make together, and the traffic between them
//
// An alpha-beta model: a message takes a latency, and its bytes pass at a rate. The constants are fitted to what
// processes sent for tables of five men (docs/clusters.md).
#ifndef CLTB_MAKE_PLAN_HOSTS_H
#define CLTB_MAKE_PLAN_HOSTS_H

#include "make/plan.h"

struct plan_network {
    int hosts;      // with one process each
    double rate;    // bytes per second from each, and to each
    double latency; // seconds per message
};

struct plan_hosts {
    double ply_bytes;       // sent by all hosts in a dense ply, or after a level of slices
    double solve_bytes;     // until the table is solved,
    double section_bytes;   // then, to those that make sections of the file
    double file_bytes;      // and of the file, to the first one
    double messages;        // until it is solved
    double solve_seconds;   // without messages
    double network_seconds; // of messages until it is solved
    double write_seconds;   // for writing, without messages
    double gather_seconds;  // of messages while the file is written
    double seconds;         // the sum of these
    uint64_t scratch_bytes; // of the host that needs most
};

// `table`: planned for this number of processes (build_options.peers).
void plan_hosts(struct plan_hosts *hosts, const struct plan_table *table, const struct plan_network *network);

#endif
