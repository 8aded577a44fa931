// lease.h - one process makes a table, whichever of the machines that share a folder it runs on
//
// The process that makes a table creates DIR/NAME.cltb.lease (O_EXCL, which network file systems honour). The file
// names the process and its machine, is locked, and has a beat that rises as long as the process lives. Another process
// takes it over if its holder is gone: on the same machine, as soon as the lock is free; on another one, when the beat
// has not risen for a while. A process that only slept may then still be working. That is harmless, because both write
// the same bytes under the lock of the table's own file, and a table gets its name only when it is complete.
#ifndef CLTB_MAKE_LEASE_H
#define CLTB_MAKE_LEASE_H

#include <limits.h>
#include <stdbool.h>

enum { LEASE_TEXT = 256 };

// What a process has seen of a lease that another one holds; must be zero before the first attempt.
struct lease_watch {
    char text[LEASE_TEXT];   // its contents at that time
    double since;            // when they last changed, in wall_seconds()
    char holder[LEASE_TEXT]; // "process 17 on a machine called b"
};

struct lease;

// Tries once, without waiting. 0: the lease is ours, and a thread beats; 1: `watch` says who holds it; or CLTB_E_IO,
// CLTB_E_MEMORY. `seconds`: how long a holder on another machine may be silent.
int lease_take(struct lease **lease, const char *path, double seconds, struct lease_watch *watch);

// Removes a lease if its holder was a process of this machine that no longer exists.
void lease_clear(const char *path);

// Has another process taken it over?
bool lease_lost(const struct lease *lease);

// Removes the lease, unless it is lost. NULL is allowed.
void lease_drop(struct lease *lease);

#endif
