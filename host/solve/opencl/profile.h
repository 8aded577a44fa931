// profile.h - the times of launches on devices, by kernel, as a file
//
// One line for each kind of command in order of first use, tabs between the columns: the kind, how often it ran, over
// how many items in all, the bytes that these move at most (docs/gpu.md), and nanoseconds on the device. The file is
// written when the process ends.
#ifndef CLTB_SOLVE_OPENCL_PROFILE_H
#define CLTB_SOLVE_OPENCL_PROFILE_H

#include <CL/cl.h>

// Creates the file, once per process. From then on queues must be made with CL_QUEUE_PROFILING_ENABLE. CLTB_E_IO.
int opencl_profile_start(const char *path);

// Adds a command under its kernel's name and a note, or "". Waits for the event and releases it. `bytes` == 0: use the
// number of bytes for each item that is known for the kernel. Any thread may call.
cl_int opencl_profile_add(const char *name, const char *note, cl_ulong items, cl_ulong bytes, cl_event event);

#endif
