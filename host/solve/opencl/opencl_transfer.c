// opencl_transfer.c - planes to the host and back, slabs to the device
//
// Bulk reads go into pinned memory: two halves of a buffer that stays mapped while the backend lives, so that the
// device writes there by itself while the host looks at the other half. They have a queue of their own; the first read
// of a half waits for a marker behind all commands given to the other queue so far. Slabs go the opposite way, through
// the same halves but on the main queue.
#include "solve/backend_bulk.h"
#include "solve/opencl/open.h"
#include "solve/opencl/opencl_code.h"
#include "util/threads.h"

#include <stdlib.h>
#include <string.h>

// A half has a quarter of what is to be read, because the transfer of the first part overlaps with nothing. Its bounds:
// the smaller one takes 40 microseconds on the bus at 25 GB/s, several times what the commands cost; pinning the larger
// one takes some ten milliseconds, once.
enum { PARTS_OF_A_READ = 4 };
#define HALF_BYTES_MIN ((uint64_t)1 << 20)
#define HALF_BYTES_MAX ((uint64_t)32 << 20)
#define HALF_KIB_MAX   (1 << 20)

// Reads or writes (`from`) tiles first..first+count-1, part by part. `wait`: an event that the first command waits for,
// or NULL. `last`: gets the event of the last command; if NULL, the function waits for every command.
struct transfer {
    cl_command_queue queue;
    const struct plane *plane;
    uint64_t first;
    uint64_t count;
    char *to;         // NULL: write
    const char *from; //
    cl_event wait;
    cl_event *last;
};

static int transfer(const struct opencl_backend *ocl, struct transfer now)
{
    const uint64_t tile_bytes = ocl->base.layout.tile_lanes / 8;
    const cl_bool blocking = now.last == NULL ? CL_TRUE : CL_FALSE;
    for (int i = 0; i < ocl->parts && now.count > 0; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        const uint64_t end = part.tile + part.tiles;
        if (now.first >= end)
            continue;
        const uint64_t here = now.count < end - now.first ? now.count : end - now.first;
        const size_t at = (size_t)((now.first - part.tile) * tile_bytes);
        const size_t bytes = (size_t)(here * tile_bytes);
        const cl_uint waits = now.wait != NULL ? 1 : 0;
        const cl_event *wait = waits > 0 ? &now.wait : NULL;
        cl_event *event = here == now.count ? now.last : NULL;
        const cl_mem memory = now.plane->part[i];
        const cl_int status =
            now.to != NULL ? clEnqueueReadBuffer(now.queue, memory, blocking, at, bytes, now.to, waits, wait, event)
                           : clEnqueueWriteBuffer(now.queue, memory, blocking, at, bytes, now.from, waits, wait, event);
        TRY(opencl_check(status, now.to != NULL ? "reading a plane" : "writing a plane"));
        now.to = now.to != NULL ? now.to + bytes : NULL;
        now.from = now.from != NULL ? now.from + bytes : NULL;
        now.wait = NULL;
        now.first += here;
        now.count -= here;
    }
    return 0;
}

int opencl_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count, uint64_t *bits)
{
    struct opencl_backend *ocl = opencl_of(backend);
    TRY(opencl_settle(ocl, plane));
    return transfer(ocl, (struct transfer){ocl->host.queue, plane, first, count, .to = (char *)bits});
}

int backend_opencl_write(struct backend *backend, struct plane *plane, uint64_t first, uint64_t count,
                         const uint64_t *bits)
{
    struct opencl_backend *ocl = opencl_of(backend);
    TRY(opencl_settle(ocl, plane));
    opencl_written(plane);
    return transfer(ocl, (struct transfer){ocl->host.queue, plane, first, count, .from = (const char *)bits});
}

// ---- bulk reads ----

static int bulk_wait(struct backend *backend, int half)
{
    cl_event *pending = &opencl_of(backend)->pending[half];
    if (*pending == NULL)
        return 0;
    const cl_int status = clWaitForEvents(1, pending);
    clReleaseEvent(*pending);
    *pending = NULL;
    return opencl_check(status, "reading planes");
}

int opencl_bulk_finish(struct opencl_backend *ocl)
{
    const int code = bulk_wait(&ocl->base, 0);
    return bulk_wait(&ocl->base, 1) != 0 ? CLTB_E_DEVICE : code;
}

// Bytes of a half for a read of so many. $CLTB_READ_KIB sets it for measurements and tests, and it can be tuned.
static uint64_t half_bytes(const struct opencl_backend *ocl, uint64_t all)
{
    const char *text = getenv("CLTB_READ_KIB");
    const unsigned long long tuned = opencl_setting(&ocl->host.settings, OPENCL_READ_KIB, 0);
    const unsigned long long kib = text != NULL ? strtoull(text, NULL, 10) : tuned;
    const uint64_t part = all / PARTS_OF_A_READ;
    if (kib > 0 && kib <= HALF_KIB_MAX)
        return kib << 10;
    return part < HALF_BYTES_MIN ? HALF_BYTES_MIN : part > HALF_BYTES_MAX ? HALF_BYTES_MAX : part;
}

// Makes halves of at least so many bytes.
static int reserve(struct opencl_backend *ocl, size_t bytes)
{
    struct opencl_pinned *pinned = &ocl->host.kept.pinned;
    const cl_context context = ocl->host.context;
    cl_int status = CL_SUCCESS;
    if (pinned->bytes >= bytes)
        return 0;
    TRY(opencl_bulk_finish(ocl));
    opencl_pinned_release(pinned);
    pinned->queue = clCreateCommandQueue(context, ocl->host.device.device_id, 0, &status);
    if (status == CL_SUCCESS)
        pinned->buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, 2 * bytes, NULL, &status);
    if (status == CL_SUCCESS)
        pinned->memory = clEnqueueMapBuffer(pinned->queue, pinned->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                            2 * bytes, 0, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        opencl_pinned_release(pinned);
    TRY(opencl_check(status, "making memory for transfers"));
    pinned->bytes = bytes;
    return 0;
}

static int bulk_halves(struct backend *backend, size_t unit, uint64_t *units, uint64_t *half[2])
{
    struct opencl_backend *ocl = opencl_of(backend);
    const struct opencl_pinned *pinned = &ocl->host.kept.pinned;
    const uint64_t fit = half_bytes(ocl, *units * unit) / unit;
    *units = fit == 0 ? 1 : fit < *units ? fit : *units;
    TRY(opencl_bulk_finish(ocl));
    TRY(reserve(ocl, (size_t)*units * unit));
    half[0] = (uint64_t *)pinned->memory;
    half[1] = (uint64_t *)(pinned->memory + pinned->bytes);
    return 0;
}

// A marker for all commands that the main queue has been given, for the queue of bulk reads to wait for.
static int all_so_far(struct opencl_backend *ocl, cl_event *marker)
{
    *marker = NULL;
    cl_int status = clEnqueueMarkerWithWaitList(ocl->host.queue, 0, NULL, marker);
    if (status == CL_SUCCESS)
        status = clFlush(ocl->host.queue);
    return opencl_check(status, "reading planes");
}

// Ends the commands for a half.
static int begun(struct opencl_backend *ocl, cl_event marker, int code)
{
    const cl_command_queue queue = ocl->host.kept.pinned.queue;
    if (marker != NULL)
        clReleaseEvent(marker);
    if (code == 0)
        return opencl_check(clFlush(queue), "reading planes");
    clFinish(queue); // no part of it may arrive later
    return code;
}

static int bulk_begin(struct backend *backend, int half, const struct plane_piece *pieces, size_t count)
{
    struct opencl_backend *ocl = opencl_of(backend);
    cl_event marker = NULL;
    int code = bulk_wait(backend, half);
    for (size_t i = 0; code == 0 && i < count; i++)
        code = opencl_settle(ocl, pieces[i].plane);
    if (code != 0 || count == 0)
        return code;
    code = all_so_far(ocl, &marker);
    for (size_t i = 0; code == 0 && i < count; i++) {
        cl_event event = NULL;
        code = transfer(ocl, (struct transfer){.queue = ocl->host.kept.pinned.queue,
                                               .plane = pieces[i].plane,
                                               .first = pieces[i].first,
                                               .count = pieces[i].count,
                                               .to = (char *)pieces[i].to,
                                               .wait = i == 0 ? marker : NULL,
                                               .last = &event});
        if (ocl->pending[half] != NULL)
            clReleaseEvent(ocl->pending[half]);
        ocl->pending[half] = event;
    }
    return begun(ocl, marker, code);
}

int opencl_read_behind(struct opencl_backend *ocl, int half, cl_mem from, size_t bytes, void *to)
{
    cl_event marker;
    int code = all_so_far(ocl, &marker);
    THEN(code, opencl_check(clEnqueueReadBuffer(ocl->host.kept.pinned.queue, from, CL_FALSE, 0, bytes, to, 1, &marker,
                                                &ocl->pending[half]),
                            "reading symbols"));
    return begun(ocl, marker, code);
}

// ---- slabs ----

enum { UPLOAD_BYTES = 4 << 20, UPLOAD_ITEM_BYTES = 256 << 10 };

// A stretch of the uploads on its way into a half.
struct stretch {
    const struct opencl_upload *uploads;
    size_t count;
    uint64_t first;
    uint64_t bytes;
    char *to;
};

static int copy_stretch(void *context, uint64_t item, int worker)
{
    const struct stretch *stretch = context;
    const uint64_t begin = stretch->first + item * UPLOAD_ITEM_BYTES;
    const uint64_t all = stretch->first + stretch->bytes;
    const uint64_t end = all - begin < UPLOAD_ITEM_BYTES ? all : begin + UPLOAD_ITEM_BYTES;
    size_t low = 0; // the last upload that begins at or before `begin`
    (void)worker;
    for (size_t high = stretch->count; high - low > 1;) {
        const size_t middle = (low + high) / 2;
        if (stretch->uploads[middle].at <= begin)
            low = middle;
        else
            high = middle;
    }
    for (uint64_t at = begin; at < end; low++) {
        const struct opencl_upload *upload = &stretch->uploads[low];
        const uint64_t last = upload->at + upload->bytes < end ? upload->at + upload->bytes : end;
        memcpy(stretch->to + (at - stretch->first), (const char *)upload->from + (at - upload->at), last - at);
        at = last;
    }
    return 0;
}

int opencl_write_behind(struct opencl_backend *ocl, cl_mem to, const struct opencl_upload *uploads, size_t count)
{
    const struct opencl_pinned *pinned = &ocl->host.kept.pinned;
    const cl_command_queue queue = ocl->host.queue;
    const uint64_t all = count == 0 ? 0 : uploads[count - 1].at + uploads[count - 1].bytes;
    struct stretch stretch = {.uploads = uploads, .count = count};
    TRY(reserve(ocl, UPLOAD_BYTES));
    for (; stretch.first < all; stretch.first += stretch.bytes) {
        const int half = ocl->upload_half = 1 - ocl->upload_half;
        const uint64_t left = all - stretch.first;
        stretch.bytes = left < UPLOAD_BYTES ? left : UPLOAD_BYTES;
        stretch.to = pinned->memory + (size_t)half * pinned->bytes;
        TRY(bulk_wait(&ocl->base, half));
        TRY(threads_each(ocl->base.pool, (stretch.bytes + UPLOAD_ITEM_BYTES - 1) / UPLOAD_ITEM_BYTES, copy_stretch,
                         &stretch));
        cl_int status = clEnqueueWriteBuffer(queue, to, CL_FALSE, (size_t)stretch.first, (size_t)stretch.bytes,
                                             stretch.to, 0, NULL, &ocl->pending[half]);
        if (status == CL_SUCCESS)
            status = clFlush(queue);
        TRY(opencl_check(status, "writing slabs"));
    }
    return 0;
}

const struct backend_bulk opencl_bulk = {.halves = bulk_halves,
                                         .begin = bulk_begin,
                                         .wait = bulk_wait,
                                         .symbols = opencl_symbols,
                                         .code = opencl_code,
                                         .pick = opencl_pick};
