// opencl_dobutsu.c - dobutsu shogi on an OpenCL device: all in device memory, one launch a ply
#include "solver/backend_opencl/opencl.h"

#include "index/dobutsu_frames.h"
#include "solver/backend_opencl/status.h"
#include "solver/dobutsu.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CELLS = D_LIVE * D_LIONS,
    PLANE_BYTES = CELLS * 32,
    ITEMS = 64 // of a work-group: an item has some hundred bytes of its own
};

struct opencl_dobutsu {
    struct dobutsu_backend base;
    struct opencl_host host;
    struct opencl_kernel classes;
    struct opencl_kernel round;
    cl_mem tables;
    cl_mem open; // planes, [CELLS * 32] bytes
    cl_mem not_won;
    cl_mem lost;
    cl_mem fresh;    // [CELLS]
    cl_mem values;   // [CELLS * 256]
    cl_mem marks[2]; // [CELLS], of odd and even rounds
    cl_mem counters; // [OPENCL_COUNTERS] uint
};

// ---- rounds ----

// The sum of the counters, when all that was launched is done.
static int count(struct opencl_dobutsu *ocl, uint64_t *sum)
{
    cl_uint counters[OPENCL_COUNTERS];
    const cl_int status =
        clEnqueueReadBuffer(ocl->host.queue, ocl->counters, CL_TRUE, 0, sizeof counters, counters, 0, NULL, NULL);
    TRY(opencl_check(status, "reading the number of codes found"));
    *sum = 0;
    for (int i = 0; i < OPENCL_COUNTERS; i++)
        *sum += counters[i];
    return 0;
}

static int clear_counters(struct opencl_dobutsu *ocl)
{
    return opencl_buffer_fill(&ocl->host, ocl->counters, OPENCL_COUNTERS * sizeof(cl_uint), 0);
}

static int dobutsu_classes(struct dobutsu_backend *backend, uint64_t *won)
{
    struct opencl_dobutsu *ocl = (struct opencl_dobutsu *)backend;
    const cl_uint cells = CELLS;
    const struct opencl_argument arguments[] = {
        OPENCL_BUFFER(ocl->open),   OPENCL_BUFFER(ocl->not_won),  OPENCL_BUFFER(ocl->lost), OPENCL_BUFFER(ocl->values),
        OPENCL_BUFFER(ocl->tables), OPENCL_BUFFER(ocl->counters), OPENCL_UINT(cells)};
    TRY(clear_counters(ocl));
    TRY(opencl_run(&ocl->host, &ocl->classes, CELLS, arguments, sizeof arguments / sizeof arguments[0]));
    return count(ocl, won);
}

static int dobutsu_round(struct dobutsu_backend *backend, struct dobutsu_round *round)
{
    struct opencl_dobutsu *ocl = (struct opencl_dobutsu *)backend;
    const cl_uint ply = (cl_uint)round->ply;
    const cl_uint all = round->all;
    const cl_uint mark = round->mark;
    const cl_uint cells = CELLS;
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(ocl->open),
                                                OPENCL_BUFFER(ocl->not_won),
                                                OPENCL_BUFFER(ocl->lost),
                                                OPENCL_BUFFER(ocl->fresh),
                                                OPENCL_BUFFER(ocl->values),
                                                OPENCL_BUFFER(ocl->tables),
                                                OPENCL_BUFFER(ocl->marks[ply & 1]),
                                                OPENCL_BUFFER(ocl->marks[~ply & 1]),
                                                OPENCL_BUFFER(ocl->counters),
                                                OPENCL_UINT(ply),
                                                OPENCL_UINT(all),
                                                OPENCL_UINT(mark),
                                                OPENCL_UINT(cells)};
    if (ply % 2 != 0)
        TRY(opencl_buffer_fill(&ocl->host, ocl->fresh, CELLS, 0));
    TRY(clear_counters(ocl));
    TRY(opencl_run(&ocl->host, &ocl->round, CELLS, arguments, sizeof arguments / sizeof arguments[0]));
    return count(ocl, &round->found);
}

static int dobutsu_read(struct dobutsu_backend *backend, uint32_t first, uint32_t cells, uint8_t *values)
{
    struct opencl_dobutsu *ocl = (struct opencl_dobutsu *)backend;
    const cl_int status = clEnqueueReadBuffer(ocl->host.queue, ocl->values, CL_TRUE, (size_t)first * D_CODES,
                                              (size_t)cells * D_CODES, values, 0, NULL, NULL);
    return opencl_check(status, "reading values");
}

// ---- opening ----

static int make_kernels(struct opencl_dobutsu *ocl)
{
    static const char *const texts[] = {"dobutsu_classes.cl", "dobutsu_round.cl", NULL};
    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL1.2 -D COUNTERS=%d", OPENCL_COUNTERS);
    cl_program program;
    TRY(opencl_session_program(ocl->host.session, &program, PROGRAM_DOBUTSU, texts, options));
    TRY(opencl_kernel_make(&ocl->host, &ocl->classes, program, "dobutsu_classes", ITEMS));
    return opencl_kernel_make(&ocl->host, &ocl->round, program, "dobutsu_round", ITEMS);
}

static int make_buffers(struct opencl_dobutsu *ocl)
{
    TRY(opencl_buffer_of(&ocl->host, &ocl->tables, dobutsu_tables(), sizeof(struct dobutsu_tables)));
    TRY(opencl_buffer_new(&ocl->host, &ocl->open, PLANE_BYTES, "a plane"));
    TRY(opencl_buffer_new(&ocl->host, &ocl->not_won, PLANE_BYTES, "a plane"));
    TRY(opencl_buffer_new(&ocl->host, &ocl->lost, PLANE_BYTES, "a plane"));
    TRY(opencl_buffer_new(&ocl->host, &ocl->fresh, CELLS, "flags"));
    TRY(opencl_buffer_new(&ocl->host, &ocl->values, (cl_ulong)CELLS * D_CODES, "the values of all codes"));
    TRY(opencl_buffer_new(&ocl->host, &ocl->marks[0], CELLS, "flags"));
    TRY(opencl_buffer_new(&ocl->host, &ocl->marks[1], CELLS, "flags"));
    return opencl_buffer_new(&ocl->host, &ocl->counters, OPENCL_COUNTERS * sizeof(cl_uint), "counters");
}

static void close_all(struct opencl_dobutsu *ocl, bool broken)
{
    cl_mem const buffers[] = {ocl->tables, ocl->open,     ocl->not_won,  ocl->lost,    ocl->fresh,
                              ocl->values, ocl->marks[0], ocl->marks[1], ocl->counters};
    if (clFinish(ocl->host.queue) != CL_SUCCESS)
        broken = true;
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        opencl_buffer_free(&ocl->host, buffers[i], 0);
    if (ocl->classes.kernel != NULL)
        clReleaseKernel(ocl->classes.kernel);
    if (ocl->round.kernel != NULL)
        clReleaseKernel(ocl->round.kernel);
    opencl_host_close(&ocl->host, broken);
    free(ocl);
}

static void dobutsu_close(struct dobutsu_backend *backend)
{
    close_all((struct opencl_dobutsu *)backend, false);
}

static const char *dobutsu_describe(struct dobutsu_backend *backend)
{
    return ((struct opencl_dobutsu *)backend)->host.description;
}

static const struct dobutsu_backend_ops opencl_ops = {
    .close = dobutsu_close,
    .describe = dobutsu_describe,
    .classes = dobutsu_classes,
    .round = dobutsu_round,
    .read = dobutsu_read,
};

int dobutsu_opencl_open(struct dobutsu_backend **backend, int device)
{
    *backend = NULL;
    struct opencl_dobutsu *ocl = calloc(1, sizeof *ocl);
    if (ocl == NULL)
        return error_memory(sizeof *ocl, "the OpenCL backend");
    ocl->base.ops = &opencl_ops;
    int code = opencl_host_open(&ocl->host, device);
    if (code != 0) {
        free(ocl);
        return code;
    }
    code = make_kernels(ocl);
    if (code == 0)
        code = make_buffers(ocl);
    if (code != 0) {
        close_all(ocl, code == CLTB_E_DEVICE);
        return code;
    }
    *backend = &ocl->base;
    return 0;
}
