// opencl_host.h - a device in use, whatever is solved on it: queue, buffers, kernels, launches
//
// All backends on a device share its session: a context and programs.
#ifndef CLTB_SOLVE_OPENCL_OPENCL_HOST_H
#define CLTB_SOLVE_OPENCL_OPENCL_HOST_H

#include "solve/opencl/devices.h"
#include "solve/opencl/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { SESSION_PROGRAMS = 8 };

// Program number `which` of a session, built from these texts when first asked for (program.h). Any thread may ask.
struct opencl_session;
int opencl_session_program(struct opencl_session *session, cl_program *program, int which, const char *const *names,
                           const char *options);

struct opencl_host {
    char description[320];
    struct opencl_device device;
    struct opencl_session *session;
    cl_context context; // the session's
    cl_command_queue queue;
    uint64_t allocated; // bytes in buffers
};

// Opens the device of that number. Closing waits for nothing; `broken`: something went wrong with the device.
int opencl_host_open(struct opencl_host *host, int device);
void opencl_host_close(struct opencl_host *host, bool broken);

struct opencl_kernel {
    cl_kernel kernel; // NULL: not needed by this layout
    const char *name;
    size_t local; // work-items in a work-group
};

// The kernel `name` of a program, for work-groups of `items` work-items or as many as it can have.
int opencl_kernel_make(struct opencl_host *host, struct opencl_kernel *kernel, cl_program program, const char *name,
                       size_t items);

void opencl_kernel_free(struct opencl_kernel *kernel);

struct opencl_argument {
    size_t size;
    const void *value;
};

// clang-format off
#define OPENCL_BUFFER(variable) {sizeof(cl_mem), &(variable)}
#define OPENCL_UINT(variable) {sizeof(cl_uint), &(variable)}
#define OPENCL_ULONG(variable) {sizeof(cl_ulong), &(variable)}
#define OPENCL_UINT4(variable) {sizeof(cl_uint4), &(variable)}
#define OPENCL_STRUCT(variable) {sizeof(variable), &(variable)}
#define OPENCL_ARGUMENTS(list) (list), sizeof(list) / sizeof((list)[0])
// clang-format on

// Runs a kernel over `items` work-items, with its arguments in order. Kernels are told the number of items as well,
// since the last work-group may be longer.
int opencl_run(struct opencl_host *host, const struct opencl_kernel *kernel, cl_ulong items,
               const struct opencl_argument *arguments, size_t count);

// A zeroed buffer; `*buffer` stays NULL if there is no memory for it.
int opencl_buffer_new(struct opencl_host *host, cl_mem *buffer, cl_ulong bytes, const char *what);
void opencl_buffer_free(struct opencl_host *host, cl_mem buffer, cl_ulong bytes);
int opencl_buffer_fill(struct opencl_host *host, cl_mem buffer, cl_ulong bytes, unsigned char byte);

// A new buffer with these bytes.
int opencl_buffer_of(struct opencl_host *host, cl_mem *buffer, const void *bytes, size_t size);

#endif
