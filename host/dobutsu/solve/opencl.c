// opencl.c - dobutsu shogi on an OpenCL device: all in device memory, one launch a ply
#include "solve/opencl/opencl.h"

#include "dobutsu/frames.h"
#include "dobutsu/solve/solve.h"
#include "solve/opencl/status.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELLS = D_LIVE * D_LIONS,
    PLANE_BYTES = CELLS * 32,
    FLAG_BYTES = CELLS / 8,
    ACROSS = 32, // cells whose lists of moves lie side by side
    ITEMS = 64   // of a work-group: an item has some hundred bytes of its own
};

struct opencl_dobutsu {
    struct dobutsu_backend base;
    struct opencl_host host;
    struct opencl_kernel moves_of;
    struct opencl_kernel classes;
    struct opencl_kernel round;
    cl_mem tables;
    cl_mem open; // planes, [CELLS * 32] bytes
    cl_mem not_won;
    cl_mem found[2]; // of even and odd rounds
    cl_mem fresh[2]; // [CELLS / 8] bytes
    cl_mem bits;     // [CELLS * 8 * 32] bytes
    cl_mem marks[2]; // [CELLS]
    cl_mem counts;   // [CELLS] moves
    cl_mem starts;   // [CELLS / ACROSS] uint
    cl_mem moves;    // their lists
    cl_mem counters; // [OPENCL_COUNTERS] uint
    pthread_mutex_t mutex;
    char *mapped; // the bits in host memory, from the first reading on
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
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(ocl->open), OPENCL_BUFFER(ocl->not_won),
                                                OPENCL_BUFFER(ocl->tables), OPENCL_BUFFER(ocl->counters),
                                                OPENCL_UINT(cells)};
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
                                                OPENCL_BUFFER(ocl->found[~ply & 1]),
                                                OPENCL_BUFFER(ocl->found[ply & 1]),
                                                OPENCL_BUFFER(ocl->fresh[~ply & 1]),
                                                OPENCL_BUFFER(ocl->fresh[ply & 1]),
                                                OPENCL_BUFFER(ocl->bits),
                                                OPENCL_BUFFER(ocl->counts),
                                                OPENCL_BUFFER(ocl->starts),
                                                OPENCL_BUFFER(ocl->moves),
                                                OPENCL_BUFFER(ocl->tables),
                                                OPENCL_BUFFER(ocl->marks[ply & 1]),
                                                OPENCL_BUFFER(ocl->marks[~ply & 1]),
                                                OPENCL_BUFFER(ocl->counters),
                                                OPENCL_UINT(ply),
                                                OPENCL_UINT(all),
                                                OPENCL_UINT(mark),
                                                OPENCL_UINT(cells)};
    TRY(opencl_buffer_fill(&ocl->host, ocl->fresh[ply & 1], FLAG_BYTES, 0));
    TRY(clear_counters(ocl));
    TRY(opencl_run(&ocl->host, &ocl->round, CELLS, arguments, sizeof arguments / sizeof arguments[0]));
    return count(ocl, &round->found);
}

// A cell is 256 bytes: so many small readings would take longer than all rounds. One for all.
static int map_bits(struct opencl_dobutsu *ocl)
{
    cl_int status = CL_SUCCESS;
    pthread_mutex_lock(&ocl->mutex);
    if (ocl->mapped == NULL)
        ocl->mapped = clEnqueueMapBuffer(ocl->host.queue, ocl->bits, CL_TRUE, CL_MAP_READ, 0, (size_t)8 * PLANE_BYTES,
                                         0, NULL, NULL, &status);
    pthread_mutex_unlock(&ocl->mutex);
    return opencl_check(status, "reading values");
}

static int dobutsu_read(struct dobutsu_backend *backend, uint32_t cell, uint64_t bits[8][4])
{
    struct opencl_dobutsu *ocl = (struct opencl_dobutsu *)backend;
    const size_t bytes = 8 * sizeof bits[0];
    TRY(map_bits(ocl));
    memcpy(bits, ocl->mapped + bytes * cell, bytes);
    return 0;
}

// ---- opening ----

static int make_kernels(struct opencl_dobutsu *ocl)
{
    static const char *const texts[] = {"dobutsu_moves.cl", "dobutsu_classes.cl", "dobutsu_round.cl", NULL};
    char options[80];
    snprintf(options, sizeof options, "-cl-std=CL1.2 -D COUNTERS=%d -D D_ACROSS=%d", OPENCL_COUNTERS, ACROSS);
    cl_program program;
    TRY(opencl_session_program(ocl->host.session, &program, PROGRAM_DOBUTSU, texts, options));
    TRY(opencl_kernel_make(&ocl->host, &ocl->moves_of, program, "dobutsu_moves", ITEMS));
    TRY(opencl_kernel_make(&ocl->host, &ocl->classes, program, "dobutsu_classes", ITEMS));
    return opencl_kernel_make(&ocl->host, &ocl->round, program, "dobutsu_round", ITEMS);
}

static int make_buffers(struct opencl_dobutsu *ocl)
{
    TRY(opencl_buffer_of(&ocl->host, &ocl->tables, dobutsu_tables(), sizeof(struct dobutsu_tables)));
    TRY(opencl_buffer_new(&ocl->host, &ocl->open, PLANE_BYTES, "a plane"));
    TRY(opencl_buffer_new(&ocl->host, &ocl->not_won, PLANE_BYTES, "a plane"));
    TRY(opencl_buffer_new(&ocl->host, &ocl->bits, (cl_ulong)8 * PLANE_BYTES, "the values of all codes"));
    TRY(opencl_buffer_new(&ocl->host, &ocl->counts, CELLS, "the lengths of lists"));
    for (int parity = 0; parity < 2; parity++) {
        TRY(opencl_buffer_new(&ocl->host, &ocl->found[parity], PLANE_BYTES, "a plane"));
        TRY(opencl_buffer_new(&ocl->host, &ocl->fresh[parity], FLAG_BYTES, "flags"));
        TRY(opencl_buffer_new(&ocl->host, &ocl->marks[parity], CELLS, "flags"));
    }
    return opencl_buffer_new(&ocl->host, &ocl->counters, OPENCL_COUNTERS * sizeof(cl_uint), "counters");
}

static int run_moves(struct opencl_dobutsu *ocl)
{
    const cl_uint cells = CELLS;
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(ocl->counts), OPENCL_BUFFER(ocl->starts),
                                                OPENCL_BUFFER(ocl->moves), OPENCL_BUFFER(ocl->tables),
                                                OPENCL_UINT(cells)};
    return opencl_run(&ocl->host, &ocl->moves_of, CELLS, arguments, sizeof arguments / sizeof arguments[0]);
}

// Lengths from the device, places from here, lists from the device. `counts`: [CELLS], `starts`: [CELLS / ACROSS].
static int place_lists(struct opencl_dobutsu *ocl, uint8_t *counts, uint32_t *starts)
{
    TRY(run_moves(ocl));
    const cl_int status = clEnqueueReadBuffer(ocl->host.queue, ocl->counts, CL_TRUE, 0, CELLS, counts, 0, NULL, NULL);
    TRY(opencl_check(status, "reading the lengths of lists"));
    const cl_ulong size = dobutsu_lists_place(counts, ACROSS, starts);
    TRY(opencl_buffer_of(&ocl->host, &ocl->starts, starts, CELLS / ACROSS * sizeof *starts));
    TRY(opencl_buffer_new(&ocl->host, &ocl->moves, size * sizeof(cl_uint), "the moves of all cells"));
    return run_moves(ocl);
}

static int make_lists(struct opencl_dobutsu *ocl)
{
    uint8_t *counts = malloc(CELLS);
    uint32_t *starts = malloc(CELLS / ACROSS * sizeof *starts);
    const int code = counts == NULL || starts == NULL ? error_memory(CELLS, "the lengths of lists")
                                                      : place_lists(ocl, counts, starts);
    free(starts);
    free(counts);
    return code;
}

static void close_all(struct opencl_dobutsu *ocl, bool broken)
{
    cl_mem const buffers[] = {ocl->tables,   ocl->open,     ocl->not_won, ocl->found[0], ocl->found[1],
                              ocl->fresh[0], ocl->fresh[1], ocl->bits,    ocl->marks[0], ocl->marks[1],
                              ocl->counts,   ocl->starts,   ocl->moves,   ocl->counters};
    cl_kernel const kernels[] = {ocl->moves_of.kernel, ocl->classes.kernel, ocl->round.kernel};
    if (ocl->mapped != NULL)
        clEnqueueUnmapMemObject(ocl->host.queue, ocl->bits, ocl->mapped, 0, NULL, NULL);
    if (clFinish(ocl->host.queue) != CL_SUCCESS)
        broken = true;
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        opencl_buffer_free(&ocl->host, buffers[i], 0);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (kernels[i] != NULL)
            clReleaseKernel(kernels[i]);
    }
    opencl_host_close(&ocl->host, broken);
    pthread_mutex_destroy(&ocl->mutex);
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
    pthread_mutex_init(&ocl->mutex, NULL);
    code = make_kernels(ocl);
    if (code == 0)
        code = make_buffers(ocl);
    if (code == 0)
        code = make_lists(ocl);
    if (code != 0) {
        close_all(ocl, code == CLTB_E_DEVICE);
        return code;
    }
    *backend = &ocl->base;
    return 0;
}
