// opencl_host.h - a device in use, whatever is solved on it: queue, buffers, kernels, launches
//
// All backends on a device share its session: a context and programs.
#ifndef CLTB_SOLVE_OPENCL_OPENCL_HOST_H
#define CLTB_SOLVE_OPENCL_OPENCL_HOST_H

#include "solve/opencl/devices.h"
#include "solve/opencl/settings.h"
#include "solve/opencl/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { SESSION_PROGRAMS = 8 };

// Program number `which` of a session, built from these texts on first use (program.h). Any thread may call.
struct opencl_session;
int opencl_session_program(struct opencl_session *session, cl_program *program, int which, const char *const *names,
                           const char *options);

// Buffers not in use (opencl_buffers.c).
enum { IDLE_BUFFERS_MAX = 64 };
struct opencl_idle {
    cl_mem buffer[IDLE_BUFFERS_MAX];
    int count;
    uint64_t bytes;
};

// Pinned memory of the host for bulk reads; all NULL until needed.
struct opencl_pinned {
    cl_command_queue queue; // only for these reads
    cl_mem buffer;          // stays mapped
    char *memory;           // here: [2 * bytes]
    size_t bytes;           // of one half
};

// What a session keeps for its next backend.
struct opencl_kept {
    struct opencl_idle idle;
    struct opencl_pinned pinned;
};

struct opencl_host {
    char description[320];
    struct opencl_device device;
    struct opencl_session *session;
    cl_context context; // the session's
    cl_command_queue queue;
    uint64_t allocated; // bytes of the buffers in use
    struct opencl_kept kept;
    struct opencl_settings settings;
    char note[40]; // about the next launch, for its line in a profile; "" after that
};

static inline bool opencl_profiles(const struct opencl_host *host)
{
    return host->settings.profile[0] != '\0';
}

// Opens the device with this number. Closing waits for nothing; `broken`: the device has failed.
int opencl_host_open(struct opencl_host *host, int device);
void opencl_host_close(struct opencl_host *host, bool broken);

struct opencl_kernel {
    cl_kernel kernel; // NULL: not needed by this layout
    const char *name;
    size_t local; // work-items in a work-group
};

// Makes the kernel `name` of a program, for work-groups of `items` work-items, or as many as it can have.
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

// Runs a kernel over `items` work-items, with its arguments in order. The kernel also gets the number of items, because
// the last work-group may be longer.
int opencl_run(struct opencl_host *host, const struct opencl_kernel *kernel, cl_ulong items,
               const struct opencl_argument *arguments, size_t count);

// Takes a buffer; `*buffer` stays NULL if there is no memory for it. Its contents are zero with _new(), otherwise
// arbitrary unless *zeroed (which may be NULL) is set. Freed buffers are kept for later ones of about their size, on
// this host and after it.
int opencl_buffer_take(struct opencl_host *host, cl_mem *buffer, cl_ulong bytes, const char *what, bool *zeroed);
int opencl_buffer_new(struct opencl_host *host, cl_mem *buffer, cl_ulong bytes, const char *what);
void opencl_buffer_free(struct opencl_host *host, cl_mem buffer);
int opencl_buffer_fill(struct opencl_host *host, cl_mem buffer, cl_ulong bytes, unsigned char byte);

// Fills a part of a buffer, with the longest pattern that fits, because some drivers are slow with short ones.
cl_int opencl_enqueue_fill(cl_command_queue queue, cl_mem buffer, cl_ulong at, cl_ulong bytes, unsigned char byte);

// Makes a buffer with these bytes.
int opencl_buffer_of(struct opencl_host *host, cl_mem *buffer, const void *bytes, size_t size);

// Releases the buffers of the list, which is then empty.
void opencl_idle_release(struct opencl_idle *idle);
void opencl_pinned_release(struct opencl_pinned *pinned);

#endif
