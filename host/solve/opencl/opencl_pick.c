// opencl_pick.c - the words in which some entry is to be looked at (kernels/pick.cl)
//
//     1. A piece of every plane is copied into one buffer, so that the kernel needs no argument for each of them.
//     2. The kernel makes a list of the words, which has room for as many as fit into a half of the pinned memory.
//     3. The host reads how many there are. If there is no room for them, the kernel runs again on parts of the piece
//        that are so small that there always is.
//     4. The host reads the list and gives it.
#include "solve/backend_bulk.h"
#include "solve/opencl/opencl.h"

#include <string.h>

_Static_assert((int)BACKEND_CODES == 2 * (int)PICK_CODES && (int)BACKEND_CODE_BITS == (int)PICK_BITS + 1,
               "the kernel's numbers");

enum {
    PIECE_BYTES = 256 << 20, // of all planes: some twenty commands take far less time than such a copy
    MEMORY_PART = 16,        // of the device's memory, at most
    LIST_PART = 16,          // of the words: few are picked, and to pin 64 MiB takes 35 ms
    LIST_LEAST = 1 << 12
};

struct picking {
    struct opencl_backend *ocl;
    const struct pick_request *request;
    struct pick_launch launch;
    const struct plane *plane[COLOURS * BACKEND_CODE_BITS]; // [launch.planes]
    struct picked_words words;
    uint64_t *half;
    uint32_t *number;
    cl_mem piece;
    cl_mem classes;
    cl_mem list;
    cl_mem numbers;
    cl_mem counter;
};

// ---- step 1 ----

static int find_planes(struct picking *picking)
{
    struct pick_launch *launch = &picking->launch;
    for (int i = 0; i < COLOURS * BACKEND_CODE_BITS; i++) {
        const int bit = i % BACKEND_CODE_BITS;
        const struct plane *plane = picking->request->plane[i / BACKEND_CODE_BITS][bit];
        if (bit < PICK_BITS)
            launch->slot[i / BACKEND_CODE_BITS * PICK_BITS + bit] = plane == NULL ? (cl_uint)PICK_NONE : launch->planes;
        if (plane == NULL)
            continue;
        TRY(opencl_settle(picking->ocl, plane));
        picking->plane[launch->planes++] = plane;
    }
    return 0;
}

// `words`: of the largest part of a plane.
static int make_buffers(struct picking *picking, uint64_t words)
{
    struct opencl_host *host = &picking->ocl->host;
    struct pick_launch *launch = &picking->launch;
    const uint64_t planes_bytes = launch->planes * sizeof(cl_ulong);
    const uint64_t memory = host->device.global_memory / MEMORY_PART;
    const uint64_t allowed = memory < picking->ocl->max_allocation ? memory : picking->ocl->max_allocation;
    const uint64_t fit = (allowed < PIECE_BYTES ? allowed : PIECE_BYTES) / planes_bytes;
    uint64_t room = words / LIST_PART + LIST_LEAST;
    uint64_t *half[2];
    launch->stride = (cl_uint)(words < fit ? words : fit);
    TRY(picking->ocl->base.bulk->halves(&picking->ocl->base, planes_bytes + sizeof(uint32_t), &room, half));
    launch->room = (cl_uint)(room < PICK_UNIT        ? 0
                             : room < launch->stride ? room
                                                     : launch->stride) /
                   PICK_UNIT * PICK_UNIT;
    if (launch->room == 0)
        return CLTB_E_MEMORY;
    picking->half = half[0];
    picking->number = (uint32_t *)(half[0] + (size_t)launch->room * launch->planes);
    TRY(opencl_buffer_take(host, &picking->piece, launch->stride * planes_bytes, "a piece of all planes", NULL));
    TRY(opencl_buffer_take(host, &picking->list, launch->room * planes_bytes, "a list of words", NULL));
    TRY(opencl_buffer_take(host, &picking->numbers, launch->room * sizeof(cl_uint), "a list of words", NULL));
    TRY(opencl_buffer_take(host, &picking->counter, sizeof(cl_uint), "a counter", NULL));
    return opencl_buffer_of(host, &picking->classes, picking->request->classes, BACKEND_CODES);
}

static int copy_piece(const struct picking *picking, int part, uint64_t first, uint64_t words)
{
    for (cl_uint i = 0; i < picking->launch.planes; i++) {
        const size_t to = (size_t)i * picking->launch.stride * sizeof(cl_ulong);
        TRY(opencl_check(clEnqueueCopyBuffer(picking->ocl->host.queue, picking->plane[i]->part[part], picking->piece,
                                             (size_t)first * sizeof(cl_ulong), to, (size_t)words * sizeof(cl_ulong), 0,
                                             NULL, NULL),
                         "copying planes"));
    }
    return 0;
}

// ---- steps 2 to 4 ----

// `last`: waits for this read, and so for all before it.
static int read_list(const struct picking *picking, cl_mem from, size_t at, size_t bytes, void *to, bool last)
{
    return opencl_check(
        clEnqueueReadBuffer(picking->ocl->host.queue, from, last ? CL_TRUE : CL_FALSE, at, bytes, to, 0, NULL, NULL),
        "reading a list of words");
}

static int find_words(struct picking *picking, cl_uint *count)
{
    struct opencl_host *host = &picking->ocl->host;
    const struct pick_launch *launch = &picking->launch;
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(picking->piece),   OPENCL_BUFFER(picking->classes),
                                                OPENCL_BUFFER(picking->list),    OPENCL_BUFFER(picking->numbers),
                                                OPENCL_BUFFER(picking->counter), OPENCL_STRUCT(*launch)};
    TRY(opencl_buffer_fill(host, picking->counter, sizeof *count, 0));
    TRY(opencl_run(host, &picking->ocl->kernel[KERNEL_PICK], launch->items, OPENCL_ARGUMENTS(arguments)));
    return read_list(picking, picking->counter, 0, sizeof *count, count, true);
}

static int give_words(struct picking *picking, cl_uint count)
{
    const size_t room = picking->launch.room;
    const size_t padding = (PICK_UNIT - count % PICK_UNIT) % PICK_UNIT;
    cl_uint slot = 0;
    if (count == 0)
        return 0;
    for (int i = 0; i < COLOURS * BACKEND_CODE_BITS; i++) {
        if (picking->request->plane[i / BACKEND_CODE_BITS][i % BACKEND_CODE_BITS] == NULL)
            continue;
        uint64_t *to = picking->half + slot * room;
        TRY(read_list(picking, picking->list, slot++ * room * sizeof *to, count * sizeof *to, to, false));
        memset(to + count, 0, padding * sizeof *to);
        picking->words.plane[i / BACKEND_CODE_BITS][i % BACKEND_CODE_BITS] = to;
    }
    TRY(read_list(picking, picking->numbers, 0, count * sizeof *picking->number, picking->number, true));
    for (size_t i = 0; i < padding; i++)
        picking->number[count + i] = picking->number[0];
    picking->words.number = picking->number;
    picking->words.count = count + padding;
    return picking->request->take(picking->request->context, &picking->words);
}

static int pick_piece(struct picking *picking, cl_uint words)
{
    struct pick_launch *launch = &picking->launch;
    cl_uint most = words;
    for (launch->first = 0; launch->first < words; launch->first += launch->items) {
        const cl_uint left = words - launch->first;
        cl_uint count;
        launch->items = left < most ? left : most;
        TRY(find_words(picking, &count));
        if (count > launch->room) {
            most = launch->room;
            launch->items = 0; // again
        } else {
            TRY(give_words(picking, count));
        }
    }
    return 0;
}

static int pick_all(struct picking *picking)
{
    const uint64_t tile_words = picking->ocl->base.layout.tile_lanes / 64;
    for (int i = 0; i < picking->ocl->parts; i++) {
        const struct opencl_part part = opencl_part(picking->ocl, i);
        const uint64_t all = part.bytes / sizeof(cl_ulong);
        for (uint64_t first = 0, words; first < all; first += words) {
            words = all - first < picking->launch.stride ? all - first : picking->launch.stride;
            picking->words.first = part.tile * tile_words + first;
            TRY(copy_piece(picking, i, first, words));
            TRY(pick_piece(picking, (cl_uint)words));
        }
    }
    return 0;
}

// A processor reads its own planes as fast as this kernel does, and looks at them faster.
int opencl_pick(struct backend *backend, const struct pick_request *request, bool *made)
{
    struct opencl_backend *ocl = opencl_of(backend);
    struct picking picking = {.ocl = ocl, .request = request};
    *made = false;
    if (ocl->host.device.type == OPENCL_CPU && !ocl->host.settings.symbols)
        return 0;
    int code = find_planes(&picking);
    THEN(code, make_buffers(&picking, opencl_part(ocl, 0).bytes / sizeof(cl_ulong)));
    const bool memory = code != CLTB_E_MEMORY;
    THEN(code, pick_all(&picking));
    cl_mem const buffers[] = {picking.piece, picking.classes, picking.list, picking.numbers, picking.counter};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        opencl_buffer_free(&ocl->host, buffers[i]);
    *made = code == 0;
    return memory ? code : 0;
}
