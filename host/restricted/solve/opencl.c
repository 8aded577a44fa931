// opencl.c - restricted endgames on an OpenCL device: a slice in device memory, a launch for each side and round
#include "solve/opencl/opencl.h"

#include "restricted/solve/rounds.h"
#include "solve/opencl/status.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    ITEMS = 64,   // of a work-group: few of its items have work, and those take long
    MARK_SETS = 2 // of odd and even plies
};

struct opencl_restricted {
    struct restricted_backend base;
    struct opencl_host host;
    const struct restricted_index *index;
    struct restricted_tables tables_host;
    struct opencl_kernel round;
    cl_mem tables;
    cl_mem value[COLOURS];            // [slice_entries] by side to move, 2 B each
    cl_mem external[COLOURS];         //
    cl_mem marks[MARK_SETS][COLOURS]; // [slice_entries] bytes; those left by an interrupted slice do no harm
    cl_mem counters;                  // [OPENCL_COUNTERS] uint
    bool broken;                      // it could not be opened
};

// ---- rounds ----

static int ocl_round(void *context, int ply, const bool wake[COLOURS], uint64_t *found)
{
    struct opencl_restricted *ocl = context;
    cl_uint counters[OPENCL_COUNTERS];
    TRY(opencl_buffer_fill(&ocl->host, ocl->counters, sizeof counters, 0));
    for (int side = WHITE; side <= BLACK; side++) {
        const struct restricted_step step = {
            .entries = ocl->index->slice_entries, .side = (cl_uint)side, .ply = (cl_uint)ply, .wake = wake[side]};
        const struct opencl_argument arguments[] = {OPENCL_BUFFER(ocl->tables),
                                                    OPENCL_BUFFER(ocl->value[side]),
                                                    OPENCL_BUFFER(ocl->value[side ^ 1]),
                                                    OPENCL_BUFFER(ocl->external[side]),
                                                    OPENCL_BUFFER(ocl->marks[ply & 1][side]),
                                                    OPENCL_BUFFER(ocl->marks[~ply & 1][side ^ 1]),
                                                    OPENCL_BUFFER(ocl->counters),
                                                    {sizeof step, &step}};
        TRY(opencl_run(&ocl->host, &ocl->round, step.entries, arguments, sizeof arguments / sizeof arguments[0]));
    }
    const cl_int status =
        clEnqueueReadBuffer(ocl->host.queue, ocl->counters, CL_TRUE, 0, sizeof counters, counters, 0, NULL, NULL);
    TRY(opencl_check(status, "reading the number of entries found"));
    *found = 0;
    for (int i = 0; i < OPENCL_COUNTERS; i++)
        *found += counters[i];
    return 0;
}

// ---- slices ----

static int write_all(struct opencl_restricted *ocl, cl_mem buffer, const void *from, size_t bytes)
{
    return opencl_check(clEnqueueWriteBuffer(ocl->host.queue, buffer, CL_TRUE, 0, bytes, from, 0, NULL, NULL),
                        "writing a slice");
}

static int ocl_solve(struct restricted_backend *backend, struct restricted_slice *slice, int (*stop)(void *context),
                     void *context)
{
    struct opencl_restricted *ocl = (struct opencl_restricted *)backend;
    const size_t bytes = (size_t)ocl->index->slice_entries * sizeof(uint16_t);
    restricted_tables_slice(&ocl->tables_host, ocl->index, slice->slice);
    TRY(write_all(ocl, ocl->tables, &ocl->tables_host, sizeof ocl->tables_host));
    for (int side = WHITE; side <= BLACK; side++) {
        TRY(write_all(ocl, ocl->value[side], slice->value[side], bytes));
        TRY(write_all(ocl, ocl->external[side], slice->external[side], bytes));
    }
    TRY(restricted_rounds(slice, ocl_round, ocl, stop, context));
    for (int side = WHITE; side <= BLACK; side++) {
        const cl_int status = clEnqueueReadBuffer(ocl->host.queue, ocl->value[side], CL_TRUE, 0, bytes,
                                                  slice->value[side], 0, NULL, NULL);
        TRY(opencl_check(status, "reading values"));
    }
    return 0;
}

// ---- opening ----

static int prepare(struct opencl_restricted *ocl)
{
    static const char *const texts[] = {"restricted_round.cl", NULL};
    const cl_ulong entries = ocl->index->slice_entries;
    char options[64];
    cl_program program;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -D COUNTERS=%d", OPENCL_COUNTERS);
    TRY(opencl_session_program(ocl->host.session, &program, PROGRAM_RESTRICTED, texts, options));
    const size_t items = opencl_setting(&ocl->host.settings, OPENCL_PLANE_ITEMS, ITEMS);
    TRY(opencl_kernel_make(&ocl->host, &ocl->round, program, "restricted_round", items));
    TRY(opencl_buffer_new(&ocl->host, &ocl->tables, sizeof(struct restricted_tables), "tables"));
    TRY(opencl_buffer_new(&ocl->host, &ocl->counters, OPENCL_COUNTERS * sizeof(cl_uint), "counters"));
    for (int side = WHITE; side <= BLACK; side++) {
        TRY(opencl_buffer_new(&ocl->host, &ocl->value[side], entries * 2, "the values of a slice"));
        TRY(opencl_buffer_new(&ocl->host, &ocl->external[side], entries * 2, "the external codes of a slice"));
        for (int set = 0; set < MARK_SETS; set++)
            TRY(opencl_buffer_new(&ocl->host, &ocl->marks[set][side], entries, "the marks of a slice"));
    }
    return 0;
}

static void ocl_close(struct restricted_backend *backend)
{
    struct opencl_restricted *ocl = (struct opencl_restricted *)backend;
    cl_mem const buffers[] = {ocl->tables,      ocl->counters,    ocl->value[0],    ocl->value[1],    ocl->external[0],
                              ocl->external[1], ocl->marks[0][0], ocl->marks[0][1], ocl->marks[1][0], ocl->marks[1][1]};
    const bool broken = clFinish(ocl->host.queue) != CL_SUCCESS || ocl->broken;
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        opencl_buffer_free(&ocl->host, buffers[i]);
    if (ocl->round.kernel != NULL)
        clReleaseKernel(ocl->round.kernel);
    opencl_host_close(&ocl->host, broken);
    free(ocl);
}

static const struct restricted_backend_ops opencl_ops = {.close = ocl_close, .solve = ocl_solve};

int restricted_opencl_open(struct restricted_backend **backend, const struct restricted_index *index, int device)
{
    *backend = NULL;
    struct opencl_restricted *ocl = calloc(1, sizeof *ocl);
    if (ocl == NULL)
        return error_memory(sizeof *ocl, "the OpenCL backend");
    ocl->base = (struct restricted_backend){&opencl_ops, ocl->host.description};
    ocl->index = index;
    int code = opencl_host_open(&ocl->host, device);
    if (code != 0) {
        free(ocl);
        return code;
    }
    restricted_tables_make(&ocl->tables_host, index);
    code = prepare(ocl);
    ocl->broken = code == CLTB_E_DEVICE;
    if (code != 0)
        ocl_close(&ocl->base);
    else
        *backend = &ocl->base;
    return code;
}
