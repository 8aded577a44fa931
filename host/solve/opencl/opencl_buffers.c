// opencl_buffers.c - device memory, allocated as seldom as possible
//
// Drivers take a millisecond and more to allocate a large buffer, and a table with pawns opens a backend for every
// batch of slices. So a freed buffer is kept for the next one of about its size: first by its host, whose queue ensures
// that nobody writes to it too early, then, when the host is closed, by the session. Kept buffers are released when
// memory runs out.
#include "solve/opencl/opencl_host.h"

#include <string.h>

// For a device that is the processor, whose memory others want; other devices keep a quarter of theirs.
#define IDLE_BYTES_CPU ((uint64_t)64 << 20)

static uint64_t size_of(cl_mem buffer)
{
    size_t size = 0;
    clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL);
    return size;
}

void opencl_idle_release(struct opencl_idle *idle)
{
    while (idle->count > 0)
        clReleaseMemObject(idle->buffer[--idle->count]);
    idle->bytes = 0;
}

void opencl_pinned_release(struct opencl_pinned *pinned)
{
    if (pinned->memory != NULL) {
        clEnqueueUnmapMemObject(pinned->queue, pinned->buffer, pinned->memory, 0, NULL, NULL);
        clFinish(pinned->queue);
    }
    if (pinned->buffer != NULL)
        clReleaseMemObject(pinned->buffer);
    if (pinned->queue != NULL)
        clReleaseCommandQueue(pinned->queue);
    *pinned = (struct opencl_pinned){.queue = NULL};
}

// The smallest kept buffer that has so many bytes, and at most an eighth and SPARE_BYTES more, as batches have all
// sizes; NULL if there is none.
static cl_mem idle_take(struct opencl_idle *idle, cl_ulong bytes)
{
    enum { SPARE_BYTES = 256 << 10 };
    int best = -1;
    uint64_t best_size = bytes + bytes / 8 + SPARE_BYTES;
    for (int i = 0; i < idle->count; i++) {
        const uint64_t size = size_of(idle->buffer[i]);
        if (size >= bytes && size < best_size) {
            best = i;
            best_size = size;
        }
    }
    if (best < 0)
        return NULL;
    cl_mem buffer = idle->buffer[best];
    idle->buffer[best] = idle->buffer[--idle->count];
    idle->bytes -= best_size;
    return buffer;
}

static int buffer_refused(const struct opencl_host *host, cl_ulong bytes, const char *what, cl_int status)
{
    return error_set(CLTB_E_MEMORY, "%s: no %.1f MiB for %s beside the %.1f MiB in use, of %.1f MiB in all: %s (%d)",
                     host->device.name, (double)bytes / 0x1p20, what, (double)host->allocated / 0x1p20,
                     (double)host->device.global_memory / 0x1p20, opencl_status_name(status), (int)status);
}

cl_int opencl_enqueue_fill(cl_command_queue queue, cl_mem buffer, cl_ulong at, cl_ulong bytes, unsigned char byte)
{
    enum { PATTERN = 16 };
    unsigned char pattern[PATTERN];
    size_t size = PATTERN;
    memset(pattern, byte, sizeof pattern);
    while ((at | bytes) % size != 0)
        size /= 2;
    return bytes == 0 ? CL_SUCCESS
                      : clEnqueueFillBuffer(queue, buffer, pattern, size, (size_t)at, (size_t)bytes, 0, NULL, NULL);
}

int opencl_buffer_fill(struct opencl_host *host, cl_mem buffer, cl_ulong bytes, unsigned char byte)
{
    return opencl_check(opencl_enqueue_fill(host->queue, buffer, 0, bytes, byte), "filling a buffer");
}

// Creates a buffer. A driver may take the memory only when it is first used.
static cl_int create(struct opencl_host *host, cl_mem *buffer, cl_ulong bytes)
{
    cl_int status;
    cl_mem memory = clCreateBuffer(host->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &status);
    if (status != CL_SUCCESS)
        return status;
    status = opencl_enqueue_fill(host->queue, memory, 0, bytes, 0);
    if (status == CL_SUCCESS)
        status = clFinish(host->queue);
    if (status == CL_SUCCESS)
        *buffer = memory;
    else
        clReleaseMemObject(memory);
    return status;
}

int opencl_buffer_take(struct opencl_host *host, cl_mem *buffer, cl_ulong bytes, const char *what, bool *zeroed)
{
    struct opencl_idle *idle = &host->kept.idle;
    const uint64_t memory = host->device.global_memory;
    *buffer = idle_take(idle, bytes);
    if (zeroed != NULL)
        *zeroed = *buffer == NULL;
    if (*buffer == NULL) {
        if (memory > 0 && host->allocated + idle->bytes + bytes > memory)
            opencl_idle_release(idle);
        if (memory > 0 && host->allocated + bytes > memory)
            return buffer_refused(host, bytes, what, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        cl_int status = create(host, buffer, bytes);
        if (status != CL_SUCCESS && idle->count > 0) {
            opencl_idle_release(idle);
            status = create(host, buffer, bytes);
        }
        if (status != CL_SUCCESS)
            return buffer_refused(host, bytes, what, status);
    }
    host->allocated += size_of(*buffer);
    return 0;
}

int opencl_buffer_new(struct opencl_host *host, cl_mem *buffer, cl_ulong bytes, const char *what)
{
    bool zeroed;
    TRY(opencl_buffer_take(host, buffer, bytes, what, &zeroed));
    return zeroed ? 0 : opencl_buffer_fill(host, *buffer, bytes, 0);
}

void opencl_buffer_free(struct opencl_host *host, cl_mem buffer)
{
    struct opencl_idle *idle = &host->kept.idle;
    if (buffer == NULL)
        return;
    const uint64_t size = size_of(buffer);
    host->allocated -= size;
    const uint64_t most = host->device.type == OPENCL_CPU ? IDLE_BYTES_CPU : host->device.global_memory / 4;
    if (idle->count < IDLE_BUFFERS_MAX && idle->bytes + size <= most) {
        idle->buffer[idle->count++] = buffer;
        idle->bytes += size;
    } else {
        clReleaseMemObject(buffer);
    }
}

int opencl_buffer_of(struct opencl_host *host, cl_mem *buffer, const void *table, size_t bytes)
{
    TRY(opencl_buffer_take(host, buffer, bytes, "a table", NULL));
    const cl_int status = clEnqueueWriteBuffer(host->queue, *buffer, CL_TRUE, 0, bytes, table, 0, NULL, NULL);
    return opencl_check(status, "writing a table");
}
