// opencl_windows.c - the OpenCL backend on windows: some blocks of one side's moves in device memory at a time
//
// Kernels are told where the digits of the side's men are in a tile's place, and get a table from places to tiles of
// the whole table (kernels/tile.h): 4 bytes for each local, written once, and for each block, written by move().
//
// put() and get() have a queue of their own, so that one thread can fill and empty planes while another one runs
// kernels on others. Every operation of a backend for windows waits for its kernels, and every transfer for itself, so
// that neither leaves anything pending that the other queue would have to know about. Transfers use no kernel, because
// a kernel's arguments belong to the thread that computes.
//
// Only tiles with their flag are transferred. On the device a tile without it must be zero: short gaps between tiles
// with flags are zeroed in the caller's array and transferred with them, long ones are filled on the device.
#include "solve/backend_windows.h"
#include "solve/opencl/opencl.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { GAP_BYTES = 256 << 10 }; // 10 to 20 microseconds on the bus, about the cost of another command

static uint64_t tile_bytes(const struct opencl_backend *ocl)
{
    return ocl->base.layout.tile_lanes / 8;
}

// Makes room for the places of a side's windows, with the locals' part filled in.
static int make_table(struct opencl_backend *ocl, int side)
{
    const struct side_blocks *blocks = &ocl->window.blocks[side];
    const size_t places = blocks->locals + (size_t)(ocl->window.room / blocks->locals);
    cl_uint *place;
    TRY(memory_new(&place, places, sizeof *place, "the plan of a window"));
    for (uint32_t local = 0; local < blocks->locals; local++)
        place[local] = (cl_uint)blocks->offset[local];
    const int code = opencl_buffer_of(&ocl->host, &ocl->window.table[side], place, places * sizeof *place);
    free(place);
    return code;
}

int opencl_windows_make(struct opencl_backend *ocl)
{
    struct opencl_window *window = &ocl->window;
    ocl->parts = 1;
    ocl->heads = TRIANGLE_SQUARES;
    ocl->part_heads = TRIANGLE_SQUARES;
    for (int side = WHITE; side <= BLACK; side++)
        TRY(side_blocks_make(&window->blocks[side], &ocl->base.layout, side));
    for (int side = WHITE; side <= BLACK; side++) {
        if (window->blocks[side].locals > window->room)
            return error_set(CLTB_E_MEMORY, "%s: a block of %s's moves has %lu tiles, but a window only %llu",
                             ocl->host.device.name, side == WHITE ? "White" : "Black",
                             (unsigned long)window->blocks[side].locals, (unsigned long long)window->room);
    }
    const uint64_t bytes = window->room * tile_bytes(ocl);
    if (bytes > ocl->max_allocation)
        return error_set(CLTB_E_MEMORY, "%s: a window of a plane is %.1f MiB, but one buffer can have %.1f MiB at most",
                         ocl->host.device.name, (double)bytes / 0x1p20, (double)ocl->max_allocation / 0x1p20);
    for (int side = WHITE; side <= BLACK; side++)
        TRY(make_table(ocl, side));
    cl_int status;
    window->queue = clCreateCommandQueue(ocl->host.context, ocl->host.device.device_id, 0, &status);
    return opencl_check(status, "making a queue for transfers");
}

void opencl_windows_free(struct opencl_backend *ocl)
{
    struct opencl_window *window = &ocl->window;
    for (int side = WHITE; side <= BLACK; side++) {
        side_blocks_free(&window->blocks[side]);
        opencl_buffer_free(&ocl->host, window->table[side]);
    }
    if (window->queue != NULL)
        clReleaseCommandQueue(window->queue);
}

static int window_move(struct backend *backend, int side, uint64_t first, uint64_t count)
{
    struct opencl_backend *ocl = opencl_of(backend);
    struct opencl_window *window = &ocl->window;
    const struct side_blocks *blocks = &window->blocks[side];
    const uint64_t most = window->room / blocks->locals;
    if (count == 0 || first >= blocks->blocks || count > blocks->blocks - first || count > most)
        return error_set(CLTB_E_USAGE, "no window has %llu blocks from %llu on: there are %llu, %llu at a time",
                         (unsigned long long)count, (unsigned long long)first, (unsigned long long)blocks->blocks,
                         (unsigned long long)most);
    cl_uint *firsts = malloc(count * sizeof *firsts);
    if (firsts == NULL)
        return error_memory(count * sizeof *firsts, "the blocks of a window");
    for (uint64_t block = 0; block < count; block++)
        firsts[block] = (cl_uint)side_blocks_first(blocks, first + block, NULL);
    const cl_int status =
        clEnqueueWriteBuffer(ocl->host.queue, window->table[side], CL_TRUE, blocks->locals * sizeof(cl_uint),
                             (size_t)count * sizeof *firsts, firsts, 0, NULL, NULL);
    free(firsts);
    TRY(opencl_check(status, "writing the blocks of a window"));
    window->side = side;
    window->first = first;
    ocl->tiles = count * blocks->locals;
    ocl->table = window->table[side];
    ocl->shape.locals = blocks->locals;
    ocl->shape.king_tiles = blocks->king ? blocks->king_locals : blocks->locals; // of White's windows: not used
    ocl->shape.places = 0;
    for (int digit = 0; digit < blocks->own_count; digit++) {
        const int piece = blocks->own[digit].piece;
        const cl_uint place = (cl_uint)__builtin_ctz(side_blocks_stride(blocks, digit)) / 3; // a power of 8
        for (int i = 0; piece != HEAD_DIGIT && i < blocks->own[digit].men; i++)
            opencl_place(ocl, piece + i, place);
    }
    return 0;
}

// Tiles first..last-1.
struct run {
    uint64_t first;
    uint64_t last;
};

// The first tiles with flags from `at` on, with short gaps between them; no tiles at the end. Flags are 0 or 1.
static struct run next_run(const uint8_t *active, uint64_t at, uint64_t tiles, uint64_t gap)
{
    const uint8_t *next = at < tiles ? memchr(active + at, 1, (size_t)(tiles - at)) : NULL;
    if (next == NULL)
        return (struct run){tiles, tiles};
    struct run run = {.first = (uint64_t)(next - active)};
    run.last = run.first + 1;
    for (uint64_t tile = run.last; tile < tiles && tile - run.last <= gap; tile++) {
        if (active[tile])
            run.last = tile + 1;
    }
    return run;
}

static int window_put(struct backend *backend, struct plane *plane, uint64_t *bits, uint8_t *active, uint64_t tiles,
                      bool contents)
{
    struct opencl_backend *ocl = opencl_of(backend);
    if (tiles == 0 || tiles > ocl->window.room)
        return error_set(CLTB_E_USAGE, "%llu tiles for a window of %llu", (unsigned long long)tiles,
                         (unsigned long long)ocl->window.room);
    plane->host_bits = bits;
    plane->host_active = active;
    opencl_written(plane);
    if (!contents)
        return 0;
    const cl_command_queue queue = ocl->window.queue;
    const size_t each = (size_t)tile_bytes(ocl);
    bool any = false;
    for (uint64_t tile = 0; tile < tiles; tile++) {
        active[tile] = active[tile] != 0;
        any |= active[tile];
    }
    cl_int status = clEnqueueWriteBuffer(queue, plane->active, CL_FALSE, 0, (size_t)tiles, active, 0, NULL, NULL);
    for (uint64_t at = 0; status == CL_SUCCESS && at < tiles;) {
        const struct run run = next_run(active, at, tiles, GAP_BYTES / each);
        char *from = (char *)bits + run.first * each;
        const size_t length = (run.last - run.first) * each;
        for (uint64_t tile = run.first; tile < run.last; tile++) {
            if (!active[tile])
                memset((char *)bits + tile * each, 0, each);
        }
        if (run.first > at)
            status = opencl_enqueue_fill(queue, plane->part[0], at * each, (run.first - at) * each, 0);
        if (status == CL_SUCCESS && length > 0)
            status =
                clEnqueueWriteBuffer(queue, plane->part[0], CL_FALSE, run.first * each, length, from, 0, NULL, NULL);
        at = run.last;
    }
    const cl_int done = clFinish(queue); // in any case the arrays are the caller's again
    plane->sparse = true;
    plane->empty = !any;
    return opencl_check(status == CL_SUCCESS ? done : status, "writing a window");
}

static int window_get(struct backend *backend, struct plane *plane, uint64_t tiles)
{
    struct opencl_backend *ocl = opencl_of(backend);
    const cl_command_queue queue = ocl->window.queue;
    const size_t each = (size_t)tile_bytes(ocl);
    uint8_t *active = plane->host_active;
    char *bits = (char *)plane->host_bits;
    if (bits == NULL || tiles == 0 || tiles > ocl->window.room)
        return error_set(CLTB_E_USAGE, "%llu tiles of a window that was not put", (unsigned long long)tiles);
    cl_int status = CL_SUCCESS;
    memset(active, plane->empty ? 0 : 1, (size_t)tiles);
    if (plane->sparse && !plane->empty)
        status = clEnqueueReadBuffer(queue, plane->active, CL_TRUE, 0, (size_t)tiles, active, 0, NULL, NULL);
    for (uint64_t at = 0; status == CL_SUCCESS && at < tiles;) {
        const struct run run = next_run(active, at, tiles, GAP_BYTES / each);
        const size_t length = (run.last - run.first) * each;
        if (length > 0)
            status = clEnqueueReadBuffer(queue, plane->part[0], CL_FALSE, run.first * each, length,
                                         bits + run.first * each, 0, NULL, NULL);
        at = run.last;
    }
    const cl_int done = clFinish(queue);
    TRY(opencl_check(status == CL_SUCCESS ? done : status, "reading a window"));
    for (uint64_t tile = 0; tile < tiles; tile++) { // tiles may turn out to be empty
        const uint64_t *words = (const uint64_t *)(const void *)(bits + tile * each);
        size_t zeros = 0;
        while (active[tile] && zeros < each / 8 && words[zeros] == 0)
            zeros++;
        if (zeros == each / 8)
            active[tile] = 0;
    }
    return 0;
}

const struct backend_windows opencl_windows = {.move = window_move, .put = window_put, .get = window_get};

void opencl_windows_gather(const struct opencl_backend *ocl, const struct import *import, uint64_t first, uint64_t last,
                           char *to)
{
    const struct layout *layout = &ocl->base.layout;
    const struct side_blocks *blocks = &ocl->window.blocks[ocl->window.side];
    const size_t each = (size_t)(import->sub->tile_lanes / 8);
    for (uint64_t place = first; place < last; place++, to += each) {
        uint8_t u[LAYOUT_PIECES_MAX];
        uint8_t sub[LAYOUT_PIECES_MAX] = {0};
        unsigned king;
        int at = import->sub->pieces - (layout->pieces - 1); // a blank comes first
        const uint64_t block = ocl->window.first + place / blocks->locals;
        const uint64_t tile = side_blocks_first(blocks, block, NULL) + blocks->offset[place % blocks->locals];
        layout_digits(layout, tile, &king, u);
        for (int piece = 0; piece < layout->pieces; piece++) {
            if (piece != import->captured)
                sub[at++] = u[piece];
        }
        memcpy(to, (const char *)import->bits + layout_tile(import->sub, king, sub) * each, each);
    }
}
