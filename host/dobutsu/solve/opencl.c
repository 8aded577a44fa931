// opencl.c - dobutsu shogi on an OpenCL device: all in device memory, one launch a ply
#include "solve/opencl/opencl.h"

#include "dobutsu/cells.h"
#include "dobutsu/solve/solve.h"
#include "solve/opencl/status.h"
#include "util/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLANE_BYTES = D_CELLS * 32,
    FRESH_BYTES = D_CELLS / 8, // of one round's flags
    ACROSS = 32,               // cells whose lists of moves lie side by side: D_ACROSS of the kernels
    ITEMS = 64                 // of a work-group: an item has some hundred bytes of private memory
};

// The buffers are the arrays of struct dobutsu_planes.
struct opencl_dobutsu {
    struct dobutsu_backend base;
    struct opencl_host host;
    struct opencl_kernel moves;
    struct opencl_kernel classes;
    struct opencl_kernel round;
    cl_mem tables;
    cl_mem planes;
    cl_mem bits;
    cl_mem flags;
    cl_mem lists;
    cl_mem counters; // [OPENCL_COUNTERS] uint
    pthread_mutex_t mutex;
    char *mapped; // the bits in host memory, from the first read on
    bool broken;  // the device has failed
};

// ---- rounds ----

// Runs a kernel on all cells. *sum: the sum of its counters.
static int run_counting(struct opencl_dobutsu *ocl, const struct opencl_kernel *kernel,
                        const struct opencl_argument *arguments, size_t count, uint64_t *sum)
{
    cl_uint counters[OPENCL_COUNTERS];
    TRY(opencl_buffer_fill(&ocl->host, ocl->counters, sizeof counters, 0));
    TRY(opencl_run(&ocl->host, kernel, D_CELLS, arguments, count));
    const cl_int status =
        clEnqueueReadBuffer(ocl->host.queue, ocl->counters, CL_TRUE, 0, sizeof counters, counters, 0, NULL, NULL);
    TRY(opencl_check(status, "reading the number of codes found"));
    *sum = 0;
    for (int i = 0; i < OPENCL_COUNTERS; i++)
        *sum += counters[i];
    return 0;
}

static int ocl_classes(struct dobutsu_backend *backend, uint64_t *won)
{
    struct opencl_dobutsu *ocl = (struct opencl_dobutsu *)backend;
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(ocl->tables), OPENCL_BUFFER(ocl->planes),
                                                OPENCL_BUFFER(ocl->counters)};
    return run_counting(ocl, &ocl->classes, arguments, sizeof arguments / sizeof arguments[0], won);
}

static int ocl_round(struct dobutsu_backend *backend, struct dobutsu_round *round)
{
    struct opencl_dobutsu *ocl = (struct opencl_dobutsu *)backend;
    const cl_uint4 what = {{(cl_uint)round->ply, round->all, round->mark, 0}};
    const struct opencl_argument arguments[] = {
        OPENCL_BUFFER(ocl->tables), OPENCL_BUFFER(ocl->planes),   OPENCL_BUFFER(ocl->bits), OPENCL_BUFFER(ocl->flags),
        OPENCL_BUFFER(ocl->lists),  OPENCL_BUFFER(ocl->counters), OPENCL_UINT4(what)};
    const cl_uchar none = 0;
    const cl_int status = clEnqueueFillBuffer(ocl->host.queue, ocl->flags, &none, sizeof none,
                                              (size_t)(round->ply & 1) * FRESH_BYTES, FRESH_BYTES, 0, NULL, NULL);
    TRY(opencl_check(status, "clearing flags"));
    return run_counting(ocl, &ocl->round, arguments, sizeof arguments / sizeof arguments[0], &round->found);
}

// A cell has 256 bytes. Reading them one cell at a time would take longer than all rounds, so the first call maps all.
static int ocl_read(struct dobutsu_backend *backend, uint32_t cell, uint64_t bits[8][4])
{
    struct opencl_dobutsu *ocl = (struct opencl_dobutsu *)backend;
    const size_t bytes = 8 * sizeof bits[0];
    cl_int status = CL_SUCCESS;
    pthread_mutex_lock(&ocl->mutex);
    if (ocl->mapped == NULL)
        ocl->mapped = clEnqueueMapBuffer(ocl->host.queue, ocl->bits, CL_TRUE, CL_MAP_READ, 0, (size_t)8 * PLANE_BYTES,
                                         0, NULL, NULL, &status);
    pthread_mutex_unlock(&ocl->mutex);
    TRY(opencl_check(status, "reading values"));
    memcpy(bits, ocl->mapped + bytes * cell, bytes);
    return 0;
}

// ---- opening ----

static int make_kernels_and_buffers(struct opencl_dobutsu *ocl)
{
    struct opencl_host *host = &ocl->host;
    static const char *const texts[] = {"dobutsu_moves.cl", "dobutsu_classes.cl", "dobutsu_round.cl", NULL};
    char options[80];
    snprintf(options, sizeof options, "-cl-std=CL1.2 -D COUNTERS=%d -D D_ACROSS=%d", OPENCL_COUNTERS, ACROSS);
    cl_program program;
    TRY(opencl_session_program(ocl->host.session, &program, PROGRAM_DOBUTSU, texts, options));
    const size_t items = opencl_setting(&ocl->host.settings, OPENCL_PLANE_ITEMS, ITEMS);
    TRY(opencl_kernel_make(&ocl->host, &ocl->moves, program, "dobutsu_moves", items));
    TRY(opencl_kernel_make(&ocl->host, &ocl->classes, program, "dobutsu_classes", items));
    TRY(opencl_kernel_make(&ocl->host, &ocl->round, program, "dobutsu_round", items));
    TRY(opencl_buffer_of(host, &ocl->tables, dobutsu_tables(), sizeof(struct dobutsu_tables)));
    TRY(opencl_buffer_new(host, &ocl->planes, (cl_ulong)4 * PLANE_BYTES, "planes"));
    TRY(opencl_buffer_new(host, &ocl->bits, (cl_ulong)8 * PLANE_BYTES, "the values of all codes"));
    TRY(opencl_buffer_new(host, &ocl->flags, (cl_ulong)2 * FRESH_BYTES + (cl_ulong)3 * D_CELLS, "flags"));
    return opencl_buffer_new(host, &ocl->counters, OPENCL_COUNTERS * sizeof(cl_uint), "counters");
}

static int run_moves(struct opencl_dobutsu *ocl)
{
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(ocl->tables), OPENCL_BUFFER(ocl->flags),
                                                OPENCL_BUFFER(ocl->lists)};
    return opencl_run(&ocl->host, &ocl->moves, D_CELLS, arguments, sizeof arguments / sizeof arguments[0]);
}

// The device counts the moves of all cells, the host places the lists, the device makes them.
static int make_lists(struct opencl_dobutsu *ocl)
{
    const size_t start_bytes = D_CELLS / ACROSS * sizeof(uint32_t);
    uint8_t *counts = malloc(D_CELLS);
    uint32_t *starts = malloc(start_bytes);
    int code = counts == NULL || starts == NULL ? error_memory(D_CELLS, "the lengths of lists") : run_moves(ocl);
    if (code != 0)
        goto cleanup;
    cl_int status = clEnqueueReadBuffer(ocl->host.queue, ocl->flags, CL_TRUE, 2 * FRESH_BYTES + (size_t)2 * D_CELLS,
                                        D_CELLS, counts, 0, NULL, NULL);
    code = opencl_check(status, "reading the lengths of lists");
    if (code != 0)
        goto cleanup;
    const cl_ulong length = dobutsu_lists_place(counts, ACROSS, starts);
    code = opencl_buffer_new(&ocl->host, &ocl->lists, start_bytes + length * sizeof(cl_uint), "the moves of all cells");
    if (code != 0)
        goto cleanup;
    status = clEnqueueWriteBuffer(ocl->host.queue, ocl->lists, CL_TRUE, 0, start_bytes, starts, 0, NULL, NULL);
    code = opencl_check(status, "writing the places of lists");
    THEN(code, run_moves(ocl));
cleanup:
    free(starts);
    free(counts);
    return code;
}

static void ocl_close(struct dobutsu_backend *backend)
{
    struct opencl_dobutsu *ocl = (struct opencl_dobutsu *)backend;
    cl_mem const buffers[] = {ocl->tables, ocl->planes, ocl->bits, ocl->flags, ocl->lists, ocl->counters};
    cl_kernel const kernels[] = {ocl->moves.kernel, ocl->classes.kernel, ocl->round.kernel};
    if (ocl->mapped != NULL)
        clEnqueueUnmapMemObject(ocl->host.queue, ocl->bits, ocl->mapped, 0, NULL, NULL);
    if (clFinish(ocl->host.queue) != CL_SUCCESS)
        ocl->broken = true;
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        opencl_buffer_free(&ocl->host, buffers[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (kernels[i] != NULL)
            clReleaseKernel(kernels[i]);
    opencl_host_close(&ocl->host, ocl->broken);
    pthread_mutex_destroy(&ocl->mutex);
    free(ocl);
}

static const struct dobutsu_backend_ops opencl_ops = {
    .close = ocl_close,
    .classes = ocl_classes,
    .round = ocl_round,
    .read = ocl_read,
};

int dobutsu_opencl_open(struct dobutsu_backend **backend, int device)
{
    *backend = NULL;
    struct opencl_dobutsu *ocl;
    TRY(memory_new(&ocl, 1, sizeof *ocl, "the OpenCL backend"));
    ocl->base.ops = &opencl_ops;
    int code = opencl_host_open(&ocl->host, device);
    if (code != 0) {
        free(ocl);
        return code;
    }
    ocl->base.description = ocl->host.description;
    pthread_mutex_init(&ocl->mutex, NULL);
    code = make_kernels_and_buffers(ocl);
    THEN(code, make_lists(ocl));
    if (code != 0) {
        ocl->broken = code == CLTB_E_DEVICE;
        ocl_close(&ocl->base);
        return code;
    }
    *backend = &ocl->base;
    return 0;
}
