// opencl_fill.c - whole-plane operations: overlap entries, futurebases, logic, reading back
#include "solve/opencl/opencl.h"

#include "solve/opencl/opencl_access.h"
#include "solve/opencl/status.h"

enum { IMPORT_INVERT = 1, IMPORT_EMPTY = 2 }; // as in kernels/import.cl

#define ARGUMENTS(list) (list), sizeof(list) / sizeof((list)[0])

int opencl_fill(struct backend *backend, struct plane *plane, bool bit)
{
    struct opencl_backend *ocl = opencl_of(backend);
    int code = bit ? 0 : opencl_buffer_fill(&ocl->host, plane->active, ocl->tiles, 0);
    for (int i = 0; code == 0 && i < ocl->parts; i++)
        code = opencl_buffer_fill(&ocl->host, plane->part[i], opencl_part(ocl, i).bytes, bit ? 0xff : 0);
    plane->sparse = !bit && code == 0;
    plane->empty = !bit && code == 0;
    return code;
}

// Does an operation with an empty plane, which needs no data.
static int combine_empty(struct backend *backend, struct plane *to, enum plane_operation operation)
{
    switch (operation) {
    case PLANE_COPY:
    case PLANE_AND:
        return opencl_fill(backend, to, false);
    case PLANE_COPY_NOT:
        return opencl_fill(backend, to, true);
    case PLANE_OR:
    case PLANE_AND_NOT:
        break;
    }
    return 0;
}

int opencl_combine_buffers(struct opencl_backend *ocl, cl_mem to, enum plane_operation operation, cl_mem from,
                           cl_ulong bytes)
{
    const cl_ulong items = bytes / sizeof(cl_uint4);
    const cl_uint which = (cl_uint)operation;
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(to), OPENCL_BUFFER(from), OPENCL_ULONG(items),
                                                OPENCL_UINT(which)};
    return opencl_run(&ocl->host, &ocl->combine, items, ARGUMENTS(arguments));
}

int opencl_combine(struct backend *backend, struct plane *to, enum plane_operation operation, const struct plane *from)
{
    struct opencl_backend *ocl = opencl_of(backend);
    if (from->empty)
        return combine_empty(backend, to, operation);
    int code = 0;
    for (int i = 0; code == 0 && i < ocl->parts; i++)
        code = opencl_combine_buffers(ocl, to->part[i], operation, from->part[i], opencl_part(ocl, i).bytes);
    opencl_written(to);
    return code;
}

static cl_ulong part_words(const struct opencl_part *part)
{
    return part->bytes / sizeof(cl_uint);
}

static int write_pairs(struct opencl_backend *ocl, const struct men_pairs *pairs)
{
    const struct layout *layout = &ocl->base.layout;
    cl_uint set[BACKEND_MEN_MAX] = {0};
    for (int p = 0; p < layout_men(layout); p++) {
        for (int q = 0; q < layout_men(layout); q++) {
            const bool men = layout_is_man(layout, p) && layout_is_man(layout, q);
            if (p != q && men && (pairs->with[p] >> q & 1))
                set[opencl_digit(layout, p)] |= opencl_bit(layout, q);
        }
    }
    const cl_int status = clEnqueueWriteBuffer(ocl->host.queue, ocl->pairs, CL_TRUE, 0, sizeof set, set, 0, NULL, NULL);
    return opencl_check(status, "writing the pairs of men");
}

int opencl_overlaps(struct backend *backend, struct plane *plane, const struct men_pairs *pairs)
{
    struct opencl_backend *ocl = opencl_of(backend);
    const struct layout *layout = &backend->layout;
    const cl_uint slices = layout->slices == 0 ? TRIANGLE_SQUARES : (cl_uint)layout->slices_used;
    int code = write_pairs(ocl, pairs);
    opencl_written(plane);
    for (int i = 0; code == 0 && i < ocl->parts; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        const cl_ulong items = part_words(&part);
        const struct opencl_argument arguments[] = {
            OPENCL_BUFFER(plane->part[i]), OPENCL_BUFFER(ocl->fixed), OPENCL_BUFFER(ocl->pairs),
            OPENCL_BUFFER(ocl->table),     OPENCL_ULONG(items),       OPENCL_UINT(part.tile),
            OPENCL_UINT(ocl->locals),      OPENCL_UINT4(ocl->shape),  OPENCL_UINT(slices),
        };
        code = opencl_run(&ocl->host, &ocl->overlaps, items, ARGUMENTS(arguments));
    }
    return code;
}

int opencl_import_words(struct opencl_backend *ocl, const struct plane *plane, const struct import *import,
                        const struct opencl_part *part, cl_ulong first, cl_ulong items, cl_mem sub, cl_uint first_sub)
{
    const struct layout *layout = &ocl->base.layout;
    const cl_mem bits = sub != NULL ? sub : plane->part[part->number];
    const cl_uint sub_pieces = (cl_uint)import->sub->pieces;
    const cl_uint captured = opencl_digit(layout, import->captured);
    const cl_uint enemies = opencl_men(layout, 1 - layout->colour[import->captured]);
    const cl_uint mode = (import->invert ? IMPORT_INVERT : 0) | (sub == NULL ? IMPORT_EMPTY : 0);
    const struct opencl_argument arguments[] = {
        OPENCL_BUFFER(plane->part[part->number]),
        OPENCL_BUFFER(bits),
        OPENCL_BUFFER(ocl->fixed),
        OPENCL_BUFFER(ocl->table),
        OPENCL_ULONG(first),
        OPENCL_ULONG(items),
        OPENCL_UINT(part->tile),
        OPENCL_UINT(first_sub),
        OPENCL_UINT(ocl->locals),
        OPENCL_UINT4(ocl->shape),
        OPENCL_UINT(sub_pieces),
        OPENCL_UINT(captured),
        OPENCL_UINT(enemies),
        OPENCL_UINT(mode),
    };
    return opencl_run(&ocl->host, &ocl->import, items - first, ARGUMENTS(arguments));
}

// The futurebase's share of one part: the same squares of the black king, sub_bytes each.
static int import_part(struct opencl_backend *ocl, const struct plane *plane, const struct import *import,
                       cl_mem staging, cl_ulong sub_bytes, const struct opencl_part *part)
{
    if (staging != NULL) {
        const char *bits = (const char *)import->bits + part->first * sub_bytes;
        const cl_int status = clEnqueueWriteBuffer(ocl->host.queue, staging, CL_TRUE, 0,
                                                   (size_t)(part->count * sub_bytes), bits, 0, NULL, NULL);
        if (status != CL_SUCCESS)
            return opencl_check(status, "writing a futurebase");
    }
    const cl_uint first_sub = part->first * (cl_uint)import->sub->king_stride;
    return opencl_import_words(ocl, plane, import, part, 0, part_words(part), staging, first_sub);
}

int opencl_import(struct backend *backend, struct plane *plane, const struct import *import)
{
    struct opencl_backend *ocl = opencl_of(backend);
    if (backend->layout.slices > 0)
        return error_set(CLTB_E_USAGE, "slices take slabs, not whole futurebases");
    const cl_ulong sub_bytes = import->sub->king_stride * (import->sub->tile_lanes / 8);
    const cl_ulong staging_bytes = opencl_part(ocl, 0).count * sub_bytes;
    cl_mem staging = NULL;
    if (import->bits == NULL && !import->invert)
        return 0;
    int code = import->bits == NULL ? 0 : opencl_buffer_new(&ocl->host, &staging, staging_bytes, "a futurebase");
    for (int i = 0; code == 0 && i < ocl->parts; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        code = import_part(ocl, plane, import, staging, sub_bytes, &part);
    }
    opencl_written(plane);
    opencl_buffer_free(&ocl->host, staging, staging_bytes);
    return code;
}

// Reads or writes (`from`) tiles first..first+count-1, part by part.
static int transfer(struct opencl_backend *ocl, const struct plane *plane, uint64_t first, uint64_t count, char *to,
                    const char *from)
{
    const uint64_t tile_bytes = ocl->base.layout.tile_lanes / 8;
    for (int i = 0; i < ocl->parts && count > 0; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        const uint64_t end = part.tile + part.bytes / tile_bytes;
        if (first >= end)
            continue;
        const uint64_t here = count < end - first ? count : end - first;
        const size_t at = (size_t)((first - part.tile) * tile_bytes);
        const size_t bytes = (size_t)(here * tile_bytes);
        const cl_int status =
            from == NULL
                ? clEnqueueReadBuffer(ocl->host.queue, plane->part[i], CL_TRUE, at, bytes, to, 0, NULL, NULL)
                : clEnqueueWriteBuffer(ocl->host.queue, plane->part[i], CL_TRUE, at, bytes, from, 0, NULL, NULL);
        if (status != CL_SUCCESS)
            return opencl_check(status, from == NULL ? "reading a plane" : "writing a plane");
        if (from == NULL)
            to += bytes;
        else
            from += bytes;
        first += here;
        count -= here;
    }
    return 0;
}

int opencl_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *bits)
{
    return transfer(opencl_of(backend), plane, first, count, (char *)bits, NULL);
}

int backend_opencl_write(struct backend *backend, struct plane *plane, uint64_t first, uint64_t count,
                         const uint64_t *bits)
{
    opencl_written(plane);
    return transfer(opencl_of(backend), plane, first, count, NULL, (const char *)bits);
}
