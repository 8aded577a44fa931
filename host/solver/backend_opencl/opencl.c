// opencl.c - the OpenCL backend: opening a device, its kernels and planes
#include "solver/backend_opencl/opencl.h"

#include "solver/backend_opencl/opencl_access.h"
#include "solver/backend_opencl/program.h"
#include "solver/backend_opencl/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Work-items in a work-group of a GPU: a sweep's item holds 64 squares in registers, so that more than 64 rarely fit;
// the others are small. On a CPU a work-group is one thread's loop: private arrays of many sweep items overflow its
// stack (PoCL), and the loop over small kernels wants some length.
enum { SWEEP_ITEMS = 64, PLANE_ITEMS = 256, CPU_SWEEP_ITEMS = 1, CPU_PLANE_ITEMS = 64 };

// ---- parts and men ----

struct opencl_part opencl_part(const struct opencl_backend *ocl, int number)
{
    struct opencl_part part = {
        .number = number, .first = (cl_uint)(number * ocl->squares), .count = (cl_uint)ocl->squares};
    if (part.first + part.count > TRIANGLE_SQUARES)
        part.count = TRIANGLE_SQUARES - part.first;
    part.tile = part.first * (cl_uint)ocl->base.layout.king_stride; // 8 men have 21 million tiles
    part.bytes = part.count * ocl->square_bytes;
    return part;
}

cl_uint opencl_men(const struct layout *layout, int colour)
{
    cl_uint men = colour == BLACK ? opencl_bit(layout, layout->pieces) : 0;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->colour[i] == colour && layout->type[i] != BLANK)
            men |= opencl_bit(layout, i);
    }
    return men;
}

// ---- buffers ----

static int buffer_refused(const struct opencl_backend *ocl, cl_ulong bytes, const char *what, cl_int status)
{
    return error_set(CLTB_E_MEMORY, "%s: no %.1f MiB for %s beside the %.1f MiB in use, of %.1f MiB in all: %s (%d)",
                     ocl->device.name, (double)bytes / 0x1p20, what, (double)ocl->allocated / 0x1p20,
                     (double)ocl->device.global_memory / 0x1p20, opencl_status_name(status), (int)status);
}

int opencl_buffer_fill(struct opencl_backend *ocl, cl_mem buffer, cl_ulong bytes, unsigned char byte)
{
    const cl_int status = clEnqueueFillBuffer(ocl->queue, buffer, &byte, sizeof byte, 0, (size_t)bytes, 0, NULL, NULL);
    return opencl_check(status, "filling a buffer");
}

int opencl_buffer_new(struct opencl_backend *ocl, cl_mem *buffer, cl_ulong bytes, const char *what)
{
    cl_int status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    *buffer = NULL;
    if (ocl->device.global_memory > 0 && ocl->allocated + bytes > ocl->device.global_memory)
        return buffer_refused(ocl, bytes, what, status);
    cl_mem memory = clCreateBuffer(ocl->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &status);
    if (status != CL_SUCCESS)
        return buffer_refused(ocl, bytes, what, status);
    // Drivers may take the memory only when it is first used.
    const unsigned char zero = 0;
    status = clEnqueueFillBuffer(ocl->queue, memory, &zero, sizeof zero, 0, (size_t)bytes, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clFinish(ocl->queue);
    if (status != CL_SUCCESS) {
        clReleaseMemObject(memory);
        return buffer_refused(ocl, bytes, what, status);
    }
    ocl->allocated += bytes;
    *buffer = memory;
    return 0;
}

void opencl_buffer_free(struct opencl_backend *ocl, cl_mem buffer, cl_ulong bytes)
{
    if (buffer == NULL)
        return;
    clReleaseMemObject(buffer);
    ocl->allocated -= bytes;
}

static void plane_free(struct backend *backend, struct plane *plane)
{
    struct opencl_backend *ocl = opencl_of(backend);
    if (plane == NULL)
        return;
    for (int i = 0; i < ocl->parts; i++)
        opencl_buffer_free(ocl, plane->part[i], opencl_part(ocl, i).bytes);
    opencl_buffer_free(ocl, plane->active, backend->layout.tiles);
    free(plane);
}

static int plane_new(struct backend *backend, struct plane **result)
{
    struct opencl_backend *ocl = opencl_of(backend);
    *result = NULL;
    struct plane *plane = calloc(1, sizeof *plane);
    if (plane == NULL)
        return error_memory(sizeof *plane, "a plane");
    int code = opencl_buffer_new(ocl, &plane->active, backend->layout.tiles, "the flags of a plane");
    for (int i = 0; code == 0 && i < ocl->parts; i++)
        code = opencl_buffer_new(ocl, &plane->part[i], opencl_part(ocl, i).bytes, "a plane");
    if (code != 0) {
        plane_free(backend, plane);
        return code;
    }
    plane->sparse = true;
    plane->empty = true;
    *result = plane;
    return 0;
}

// ---- launches ----

int opencl_run(struct opencl_backend *ocl, const struct opencl_kernel *kernel, cl_ulong items,
               const struct opencl_argument *arguments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const cl_int status = clSetKernelArg(kernel->kernel, (cl_uint)i, arguments[i].size, arguments[i].value);
        if (status != CL_SUCCESS)
            return error_set(CLTB_E_DEVICE, "OpenCL: argument %zu of kernel %s: %s (%d)", i, kernel->name,
                             opencl_status_name(status), (int)status);
    }
    const size_t local = kernel->local;
    const size_t global = (size_t)((items + local - 1) / local * local);
    const cl_int status = clEnqueueNDRangeKernel(ocl->queue, kernel->kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (status != CL_SUCCESS)
        return error_set(CLTB_E_DEVICE, "OpenCL: running kernel %s on %s: %s (%d)", kernel->name, ocl->device.name,
                         opencl_status_name(status), (int)status);
    return 0;
}

// ---- opening ----

static void release_kernels(struct opencl_backend *ocl)
{
    struct opencl_kernel *const kernels[] = {&ocl->king,     &ocl->reach,  &ocl->finish,
                                             &ocl->overlaps, &ocl->import, &ocl->combine};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (kernels[i]->kernel != NULL)
            clReleaseKernel(kernels[i]->kernel);
    }
    for (int type = 0; type < SWEEP_TYPES; type++) {
        if (ocl->sweep[type].kernel != NULL)
            clReleaseKernel(ocl->sweep[type].kernel);
        if (ocl->sweeps[type] != NULL)
            clReleaseProgram(ocl->sweeps[type]);
    }
    if (ocl->planes != NULL)
        clReleaseProgram(ocl->planes);
}

static void opencl_close(struct backend *backend)
{
    struct opencl_backend *ocl = opencl_of(backend);
    if (ocl->queue != NULL)
        clFinish(ocl->queue);
    plane_free(backend, ocl->moves);
    cl_mem const buffers[] = {ocl->kings, ocl->pairs, ocl->ones, ocl->wanted, ocl->counters};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        opencl_buffer_free(ocl, buffers[i], 0);
    release_kernels(ocl);
    if (ocl->queue != NULL)
        clReleaseCommandQueue(ocl->queue);
    if (ocl->context != NULL)
        clReleaseContext(ocl->context);
    free(ocl);
}

static const char *opencl_describe(struct backend *backend)
{
    return opencl_of(backend)->description;
}

static const struct backend_ops opencl_ops = {
    .close = opencl_close,
    .describe = opencl_describe,
    .plane_new = plane_new,
    .plane_free = plane_free,
    .fill = opencl_fill,
    .combine = opencl_combine,
    .overlaps = opencl_overlaps,
    .import = opencl_import,
    .attacks = opencl_attacks,
    .pred = opencl_pred,
    .step = opencl_step,
    .read = opencl_read,
};

static int make_queue(struct opencl_backend *ocl)
{
    cl_device_id id = ocl->device.device_id;
    cl_bool little = CL_FALSE;
    cl_int status = clGetDeviceInfo(id, CL_DEVICE_ENDIAN_LITTLE, sizeof little, &little, NULL);
    if (status != CL_SUCCESS)
        return opencl_check(status, "asking for the device's byte order");
    if (!little)
        return error_set(CLTB_E_DEVICE, "%s: a big-endian device cannot be used", ocl->device.name);
    ocl->context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        return opencl_check(status, "making a context");
    ocl->queue = clCreateCommandQueue(ocl->context, id, 0, &status);
    return opencl_check(status, "making a command queue");
}

// How planes are cut into buffers.
static int make_parts(struct opencl_backend *ocl)
{
    const struct layout *layout = &ocl->base.layout;
    ocl->square_bytes = layout->king_stride * (layout->tile_lanes / 8);
    if (ocl->square_bytes > ocl->max_allocation)
        return error_set(CLTB_E_MEMORY, "%s: a tenth of a plane has %.1f MiB, but one buffer can have %.1f MiB at most",
                         ocl->device.name, (double)ocl->square_bytes / 0x1p20, (double)ocl->max_allocation / 0x1p20);
    const uint64_t squares = ocl->max_allocation / ocl->square_bytes;
    ocl->squares = squares < TRIANGLE_SQUARES ? (int)squares : TRIANGLE_SQUARES;
    ocl->parts = (TRIANGLE_SQUARES + ocl->squares - 1) / ocl->squares;
    return 0;
}

static int make_kernel(struct opencl_backend *ocl, struct opencl_kernel *kernel, cl_program program, const char *name,
                       size_t items)
{
    cl_int status;
    kernel->name = name;
    kernel->kernel = clCreateKernel(program, name, &status);
    if (status != CL_SUCCESS)
        return error_set(CLTB_E_DEVICE, "OpenCL: kernel %s on %s: %s (%d)", name, ocl->device.name,
                         opencl_status_name(status), (int)status);
    size_t most = 1;
    cl_device_id id = ocl->device.device_id;
    status = clGetKernelWorkGroupInfo(kernel->kernel, id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    if (status != CL_SUCCESS)
        return opencl_check(status, "asking for a kernel's work-group size");
    kernel->local = items < most ? items : most;
    if (kernel->local == 0)
        kernel->local = 1;
    return 0;
}

static int make_plane_kernels(struct opencl_backend *ocl)
{
    static const char *const texts[] = {"king.cl",   "reach.cl",   "finish.cl", "overlaps.cl",
                                        "import.cl", "combine.cl", NULL};
    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL1.2 -D COUNTERS=%d", OPENCL_COUNTERS);
    int code = opencl_program(&ocl->planes, ocl->context, &ocl->device, texts, options);
    struct {
        struct opencl_kernel *kernel;
        const char *name;
    } const kernels[] = {{&ocl->king, "king_moves"},   {&ocl->reach, "reach"},   {&ocl->finish, "finish"},
                         {&ocl->overlaps, "overlaps"}, {&ocl->import, "import"}, {&ocl->combine, "combine"}};
    const size_t items = ocl->device.type == OPENCL_CPU ? CPU_PLANE_ITEMS : PLANE_ITEMS;
    for (size_t i = 0; code == 0 && i < sizeof kernels / sizeof kernels[0]; i++)
        code = make_kernel(ocl, kernels[i].kernel, ocl->planes, kernels[i].name, items);
    return code;
}

static int make_sweep_kernel(struct opencl_backend *ocl, int type)
{
    static const char *const texts[] = {"sweep.cl", NULL};
    static const char *const names[SWEEP_TYPES] = {"king", "queen", "rook", "bishop", "knight"};
    char options[64];
    const bool slider = type != KING && type != KNIGHT;
    if (ocl->sweep[type].kernel != NULL)
        return 0;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -D SWEEP=%s -D SLIDER=%d", names[type], slider);
    int code = opencl_program(&ocl->sweeps[type], ocl->context, &ocl->device, texts, options);
    if (code != 0)
        return code;
    const size_t items = ocl->device.type == OPENCL_GPU ? SWEEP_ITEMS : CPU_SWEEP_ITEMS;
    return make_kernel(ocl, &ocl->sweep[type], ocl->sweeps[type], "sweep", items);
}

// The steps of one square in rising order, ended by 0xff.
static void king_steps(int square, unsigned char steps[9])
{
    int count = 0;
    for (int target = 0; target < SQUARES; target++) {
        if (target == square || !squares_touch(square, target))
            continue;
        const int g = symmetry_to_triangle(target);
        const unsigned char step = (unsigned char)(square_triangle[square_apply(g, target)] | g << 4);
        int at = count++;
        for (; at > 0 && steps[at - 1] > step; at--)
            steps[at] = steps[at - 1];
        steps[at] = step;
    }
    steps[count] = 0xff;
}

// The table that kernels/tile.h describes.
static void king_table(unsigned char table[KING_TABLE_SIZE])
{
    memset(table, 0xff, KING_TABLE_SIZE);
    for (int king = 0; king < TRIANGLE_SQUARES; king++) {
        table[king] = square_code[triangle_square[king]];
        king_steps(triangle_square[king], table + TRIANGLE_SQUARES + 9 * king);
    }
}

static int make_buffers(struct opencl_backend *ocl)
{
    const uint64_t tiles = ocl->base.layout.tiles;
    unsigned char table[KING_TABLE_SIZE];
    king_table(table);
    int code = opencl_buffer_new(ocl, &ocl->kings, sizeof table, "a table");
    if (code == 0)
        code = opencl_buffer_new(ocl, &ocl->pairs, BACKEND_MEN_MAX * sizeof(cl_uint), "a table");
    if (code == 0)
        code = opencl_buffer_new(ocl, &ocl->counters, OPENCL_COUNTERS * sizeof(cl_uint), "counters");
    if (code == 0)
        code = opencl_buffer_new(ocl, &ocl->ones, tiles, "flags");
    if (code == 0)
        code = opencl_buffer_fill(ocl, ocl->ones, tiles, 1);
    if (code == 0)
        code = opencl_buffer_new(ocl, &ocl->wanted, tiles, "flags");
    if (code == 0)
        code = plane_new(&ocl->base, &ocl->moves);
    if (code != 0)
        return code;
    const cl_int status = clEnqueueWriteBuffer(ocl->queue, ocl->kings, CL_TRUE, 0, sizeof table, table, 0, NULL, NULL);
    return opencl_check(status, "writing a table");
}

int backend_opencl_open_limited(struct backend **backend, const struct layout *layout, int device,
                                uint64_t max_allocation)
{
    *backend = NULL;
    struct opencl_backend *ocl = calloc(1, sizeof *ocl);
    if (ocl == NULL)
        return error_memory(sizeof *ocl, "the OpenCL backend");
    ocl->base = (struct backend){&opencl_ops, *layout};
    int code = opencl_device_get(&ocl->device, device);
    if (code != 0) {
        free(ocl);
        return code;
    }
    ocl->max_allocation = ocl->device.max_allocation < max_allocation ? ocl->device.max_allocation : max_allocation;
    snprintf(ocl->description, sizeof ocl->description, "OpenCL device %d: %s (%s), driver %s, %s", device,
             ocl->device.name, opencl_device_type_name(ocl->device.type), ocl->device.driver, ocl->device.platform);
    code = make_parts(ocl);
    if (code == 0)
        code = make_queue(ocl);
    if (code == 0)
        code = make_plane_kernels(ocl);
    for (int i = 0; code == 0 && i < layout->pieces; i++) {
        if (layout->type[i] != BLANK)
            code = make_sweep_kernel(ocl, layout->type[i]);
    }
    if (code == 0)
        code = make_buffers(ocl);
    if (code != 0) {
        opencl_close(&ocl->base);
        return code;
    }
    *backend = &ocl->base;
    return 0;
}

int backend_opencl_open(struct backend **backend, const struct layout *layout, int device)
{
    return backend_opencl_open_limited(backend, layout, device, UINT64_MAX);
}
