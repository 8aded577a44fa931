// session.h - a device's context and programs, shared by all backends on it and kept for the next one
//
// A table with pawns opens a backend for every batch of slices. Making a context and loading programs often takes much
// longer than a batch. So they stay until the process ends, unless a backend had trouble with them.
#ifndef CLTB_SOLVE_OPENCL_SESSION_H
#define CLTB_SOLVE_OPENCL_SESSION_H

#include "solve/opencl/devices.h"

#include <CL/cl.h>
#include <stdbool.h>

enum { SESSION_PROGRAMS = 8 };

struct opencl_session {
    struct opencl_device device;
    cl_context context;
    cl_program program[SESSION_PROGRAMS]; // NULL until asked for
    int number;                           // of the device
    int users;                            //
    bool broken;                          // not to be handed out again
    struct opencl_session *next;
};

// Any thread may call these.
int opencl_session_open(struct opencl_session **session, int device);
// Gives it back; `broken`: something went wrong with it, and the next backend gets a new one.
void opencl_session_close(struct opencl_session *session, bool broken);
// Program number `which` of the session, built from these texts when first asked for (program.h).
int opencl_session_program(struct opencl_session *session, cl_program *program, int which, const char *const *names,
                           const char *options);

#endif
