// copy_rate.c - how fast a device copies within its own memory
//
// Copies one buffer to another after a warm-up, in batches until a quarter of a second has gone by, and takes the best
// batch: a disturbance can only slow a measurement down.
#include "solve/opencl/devices.h"

#include "solve/opencl/status.h"
#include "util/clock.h"

enum { COPIES_PER_BATCH = 4, BATCHES_MIN = 3, BATCHES_MAX = 200 };

#define COPY_BYTES_MAX ((uint64_t)512 << 20) // ten times any cache; more would only cost time
#define COPY_SECONDS   0.25

struct copy {
    cl_command_queue queue;
    cl_mem from;
    cl_mem to;
    size_t bytes;
};

static int copy_batch(struct copy *copy, double *rate)
{
    cl_int status = CL_SUCCESS;
    const double start = wall_seconds();
    for (int i = 0; status == CL_SUCCESS && i < COPIES_PER_BATCH; i++)
        status = clEnqueueCopyBuffer(copy->queue, copy->from, copy->to, 0, 0, copy->bytes, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clFinish(copy->queue);
    *rate = 2.0 * COPIES_PER_BATCH * (double)copy->bytes / (wall_seconds() - start);
    return opencl_check(status, "copying a buffer");
}

int opencl_copy_rate(int number, double *bytes_per_second)
{
    struct opencl_device device;
    struct copy copy = {0};
    double rate;
    cl_int status;
    *bytes_per_second = 0;
    TRY(opencl_device_get(&device, number));
    copy.bytes = (size_t)(device.max_allocation < COPY_BYTES_MAX ? device.max_allocation : COPY_BYTES_MAX);
    if (device.type == OPENCL_CPU && copy.bytes > COPY_BYTES_MAX / 4)
        copy.bytes = COPY_BYTES_MAX / 4; // of the host's own memory
    if (copy.bytes > device.global_memory / 4)
        copy.bytes = (size_t)(device.global_memory / 4);
    copy.bytes &= ~(size_t)4095;

    cl_device_id id = device.device_id;
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
    TRY(opencl_check(status, "making a context"));
    copy.queue = clCreateCommandQueue(context, id, 0, &status);
    int code = opencl_check(status, "making a command queue");
    if (code != 0)
        goto cleanup;
    copy.from = clCreateBuffer(context, CL_MEM_READ_WRITE, copy.bytes, NULL, &status);
    if (status == CL_SUCCESS)
        copy.to = clCreateBuffer(context, CL_MEM_READ_WRITE, copy.bytes, NULL, &status);
    code = opencl_check(status, "making buffers to copy");
    if (code != 0)
        goto cleanup;
    const cl_uint zero = 0;
    status = clEnqueueFillBuffer(copy.queue, copy.from, &zero, sizeof zero, 0, copy.bytes, 0, NULL, NULL);
    code = opencl_check(status, "filling a buffer to copy");
    if (code == 0)
        code = copy_batch(&copy, &rate); // the first touch of the target, and the rise of the clocks
    const double start = wall_seconds();
    for (int i = 0; code == 0 && i < BATCHES_MAX && (i < BATCHES_MIN || wall_seconds() - start < COPY_SECONDS); i++) {
        code = copy_batch(&copy, &rate);
        if (code == 0 && rate > *bytes_per_second)
            *bytes_per_second = rate;
    }
cleanup:
    if (copy.to != NULL)
        clReleaseMemObject(copy.to);
    if (copy.from != NULL)
        clReleaseMemObject(copy.from);
    if (copy.queue != NULL)
        clReleaseCommandQueue(copy.queue);
    clReleaseContext(context);
    return code;
}
