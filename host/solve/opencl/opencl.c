// opencl.c - the OpenCL backend: opening a device, its kernels and planes
#include "solve/opencl/opencl.h"
#include "solve/opencl/open.h"
#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Kernels number tiles in 32 bits.
#define TILES_MAX ((uint64_t)1 << 31)

// Work-items in a work-group of a GPU. An item of a sweep holds 64 squares in registers, so more than 64 items rarely
// fit; the other kernels are small. On a CPU a work-group is one thread's loop: the private arrays of many sweep items
// overflow its stack (PoCL), while the loop over a small kernel's items should have some length.
enum { SWEEP_ITEMS = 64, PLANE_ITEMS = 256, CPU_SWEEP_ITEMS = 1, CPU_PLANE_ITEMS = 64 };

struct opencl_part opencl_part(const struct opencl_backend *ocl, int number)
{
    const struct layout *layout = &ocl->base.layout;
    struct opencl_part part = {.number = number, .first = (cl_uint)number * ocl->part_heads, .count = ocl->part_heads};
    if (part.count > ocl->heads - part.first)
        part.count = ocl->heads - part.first;
    part.tile = part.first * (cl_uint)layout->king_stride;
    part.tiles = ocl->window.open ? ocl->tiles : part.count * layout->king_stride;
    part.bytes = part.tiles * (layout->tile_lanes / 8);
    return part;
}

// Bytes of a part of a plane, however large the current window is.
static cl_ulong part_room(const struct opencl_backend *ocl, int number)
{
    if (ocl->window.open)
        return ocl->window.room * (ocl->base.layout.tile_lanes / 8);
    return opencl_part(ocl, number).bytes;
}

static uint64_t tiles_room(const struct opencl_backend *ocl)
{
    return ocl->window.open ? ocl->window.room : ocl->tiles;
}

cl_uint opencl_men(const struct layout *layout, int colour)
{
    cl_uint men = 0;
    for (int man = 0; man < layout_men(layout); man++) {
        if (layout_is_man(layout, man) && layout_colour_of(layout, man) == colour)
            men |= opencl_bit(layout, man);
    }
    return men;
}

static void plane_free(struct backend *backend, struct plane *plane)
{
    struct opencl_backend *ocl = opencl_of(backend);
    if (plane == NULL)
        return;
    for (int i = 0; i < ocl->parts; i++)
        opencl_buffer_free(&ocl->host, plane->part[i]);
    opencl_buffer_free(&ocl->host, plane->active);
    free(plane);
}

static int plane_new(struct backend *backend, struct plane **result)
{
    struct opencl_backend *ocl = opencl_of(backend);
    *result = NULL;
    struct plane *plane;
    TRY(memory_new(&plane, 1, sizeof *plane, "a plane"));
    bool zeroed;
    int code = opencl_buffer_take(&ocl->host, &plane->active, opencl_flag_bytes(tiles_room(ocl)),
                                  "the flags of a plane", &zeroed);
    plane->unwritten = !zeroed;
    for (int i = 0; code == 0 && i < ocl->parts; i++) {
        code = opencl_buffer_take(&ocl->host, &plane->part[i], part_room(ocl, i), "a plane", &zeroed);
        plane->unwritten |= !zeroed;
    }
    // The plane of a window must be zero beyond the current window, too.
    if (code == 0 && ocl->window.open && plane->unwritten) {
        code = opencl_buffer_fill(&ocl->host, plane->active, opencl_flag_bytes(tiles_room(ocl)), 0);
        THEN(code, opencl_buffer_fill(&ocl->host, plane->part[0], part_room(ocl, 0), 0));
        plane->unwritten = false;
    }
    plane->sparse = true;
    plane->empty = true;
    if (code == 0)
        *result = plane;
    else
        plane_free(backend, plane);
    return code;
}

// ---- opening ----

static void close_all(struct opencl_backend *ocl, bool broken)
{
    if (clFinish(ocl->host.queue) != CL_SUCCESS)
        broken = true;
    if (opencl_bulk_finish(ocl) != 0)
        broken = true;
    plane_free(&ocl->base, ocl->moves);
    if (ocl->window.open)
        opencl_windows_free(ocl);
    else
        opencl_buffer_free(&ocl->host, ocl->table);
    cl_mem const buffers[] = {ocl->kings,        ocl->targets[WHITE], ocl->targets[BLACK], ocl->fixed,
                              ocl->ones,         ocl->wanted,         ocl->counters,       ocl->staging,
                              ocl->slab_imports, ocl->slab_groups,    ocl->words};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        opencl_buffer_free(&ocl->host, buffers[i]);
    for (int i = 0; i < PLANE_KERNELS; i++)
        opencl_kernel_free(&ocl->kernel[i]);
    for (int i = 0; i < CODE_KERNELS; i++)
        opencl_kernel_free(&ocl->code[i]);
    for (int type = 0; type < SWEEP_TYPES; type++)
        opencl_kernel_free(&ocl->sweep[type]);
    opencl_host_close(&ocl->host, broken);
    free(ocl);
}

static void opencl_close(struct backend *backend)
{
    close_all(opencl_of(backend), false);
}

static const char *opencl_describe(struct backend *backend)
{
    return opencl_of(backend)->host.description;
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
    .import_slabs = opencl_import_slabs,
    .enter = opencl_enter,
    .attacks = opencl_attacks,
    .pred = opencl_pred,
    .step = opencl_step,
    .read = opencl_read,
};

// Sets where the digits of a tile are; for windows, move() does that.
static int make_shape(struct opencl_backend *ocl)
{
    const struct layout *layout = &ocl->base.layout;
    if (layout->tiles > TILES_MAX)
        return error_set(CLTB_E_USAGE, "%llu tiles in a plane are more than the OpenCL backend can number",
                         (unsigned long long)layout->tiles);
    if (layout->groups > 0 && !layout->pair)
        return error_set(CLTB_E_USAGE, "the OpenCL backend sorts the digits of one pair of pieces only");
    ocl->shape = (struct table_shape){
        .pieces = (cl_uint)layout->pieces,
        .placed = (cl_uint)(layout->pieces - layout->slice_digits),
        .pair = layout->pair ? 1 : 0,
        .fixed = (cl_uint)(layout_men(layout) - layout->pieces),
        .slices = layout->slices == 0 ? (cl_uint)TRIANGLE_SQUARES : (cl_uint)layout->slices_used,
        .king_tiles = (cl_uint)layout->king_stride,
    };
    if (ocl->window.open)
        return opencl_windows_make(ocl);
    ocl->tiles = layout->tiles;
    for (int i = layout->slice_digits; i < layout->pieces; i++)
        opencl_place(ocl, i, opencl_digit(layout, layout->pair && i == 0 ? 1 : i));
    TRY(opencl_buffer_new(&ocl->host, &ocl->table, sizeof(cl_uint), "a table"));

    // Cut planes into buffers.
    const uint64_t heads = layout->tiles / layout->king_stride;
    ocl->head_bytes = layout->king_stride * (layout->tile_lanes / 8);
    uint64_t part_heads = ocl->max_allocation / ocl->head_bytes;
    if (part_heads == 0 || (heads + part_heads - 1) / part_heads > PARTS_MAX)
        return error_set(CLTB_E_MEMORY,
                         "%s: a plane is %.1f MiB in steps of %.1f MiB, but one buffer can have %.1f MiB at most",
                         ocl->host.device.name, (double)ocl->head_bytes * (double)heads / 0x1p20,
                         (double)ocl->head_bytes / 0x1p20, (double)ocl->max_allocation / 0x1p20);
    if (part_heads > heads)
        part_heads = heads;
    ocl->heads = (cl_uint)heads;
    ocl->part_heads = (cl_uint)part_heads;
    ocl->parts = (int)((heads + part_heads - 1) / part_heads);
    return 0;
}

static int make_kernels(struct opencl_backend *ocl)
{
    static const char *const texts[] = {"king.cl",  "reach.cl", "finish.cl",  "overlaps.cl", "import.cl", "combine.cl",
                                        "slabs.cl", "pawns.cl", "symbols.cl", "enter.cl",    "pick.cl",   NULL};
    static const char *const names[PLANE_KERNELS] = {
        [KERNEL_KING] = "king_moves",       [KERNEL_REACH] = "reach",          [KERNEL_FINISH] = "finish",
        [KERNEL_RECORD] = "record",         [KERNEL_OVERLAPS] = "overlaps",    [KERNEL_IMPORT] = "import",
        [KERNEL_SLABS] = "import_slabs",    [KERNEL_PAWNS] = "pawn_attacks",   [KERNEL_COMBINE] = "combine",
        [KERNEL_SYMBOLS] = "entry_symbols", [KERNEL_BLOCKS] = "block_symbols", [KERNEL_ENTER] = "enter",
        [KERNEL_PICK] = "pick_words",
    };
    static const char *const sweep_text[] = {"sweep.cl", NULL};
    static const char *const sweeps[SWEEP_TYPES] = {"king", "queen", "rook", "bishop", "knight"};
    static const char *const sweep_names[SWEEP_TYPES] = {"sweep king", "sweep queen", "sweep rook", "sweep bishop",
                                                         "sweep knight"}; // in messages and profiles
    const struct layout *layout = &ocl->base.layout;
    const enum opencl_device_type device = ocl->host.device.type;
    char options[64];
    cl_program program;
    TRY(opencl_session_program(ocl->host.session, &program, PROGRAM_PLANES, texts, "-cl-std=CL1.2"));
    const struct opencl_settings *settings = &ocl->host.settings;
    const size_t items =
        opencl_setting(settings, OPENCL_PLANE_ITEMS, device == OPENCL_CPU ? CPU_PLANE_ITEMS : PLANE_ITEMS);
    for (int i = 0; i < PLANE_KERNELS; i++)
        TRY(opencl_kernel_make(&ocl->host, &ocl->kernel[i], program, names[i], items));
    const size_t sweep_items =
        opencl_setting(settings, OPENCL_SWEEP_ITEMS, device == OPENCL_GPU ? SWEEP_ITEMS : CPU_SWEEP_ITEMS);
    for (int i = 0; i < layout->pieces; i++) {
        const int type = layout->type[i];
        if (!layout_is_man(layout, i) || ocl->sweep[type].kernel != NULL)
            continue;
        const bool slider = type != KING && type != KNIGHT;
        snprintf(options, sizeof options, "-cl-std=CL1.2 -D SWEEP=%s -D SLIDER=%d", sweeps[type], slider);
        TRY(opencl_session_program(ocl->host.session, &program, type, sweep_text, options));
        TRY(opencl_kernel_make(&ocl->host, &ocl->sweep[type], program, "sweep", sweep_items));
        ocl->sweep[type].name = sweep_names[type];
    }
    return 0;
}

// Writes the table of the black king's steps (kernels/tile.h): those of a square in rising order, ending with 0xff.
static int write_kings(struct opencl_backend *ocl)
{
    unsigned char table[TRIANGLE_SQUARES][KING_STEPS];
    memset(table, 0xff, sizeof table);
    for (int king = 0; king < TRIANGLE_SQUARES; king++) {
        const int square = triangle_square[king];
        int count = 0;
        for (int target = 0; target < SQUARES; target++) {
            if (target == square || !squares_touch(square, target))
                continue;
            const int g = symmetry_to_triangle(target);
            const unsigned char step = (unsigned char)(square_triangle[square_apply(g, target)] | g << 4);
            int at = count++;
            for (; at > 0 && table[king][at - 1] > step; at--)
                table[king][at] = table[king][at - 1];
            table[king][at] = step;
        }
    }
    return opencl_buffer_of(&ocl->host, &ocl->kings, table, sizeof table);
}

// Writes the squares that a side's pawns attack (kernels/pawns.cl).
static int write_targets(struct opencl_backend *ocl, int colour)
{
    unsigned char table[SQUARES][2];
    memset(table, NO_SQUARE, sizeof table);
    for (int square = 0; square < SQUARES; square++) {
        unsigned char *at = table[square_code[square]];
        const int ahead = square + (colour == WHITE ? 8 : -8);
        if (ahead < 0 || ahead >= SQUARES)
            continue;
        if (square % 8 > 0)
            *at++ = square_code[ahead - 1];
        if (square % 8 < 7)
            *at = square_code[ahead + 1];
    }
    return opencl_buffer_of(&ocl->host, &ocl->targets[colour], table, sizeof table);
}

// Writes the squares of the men that have no digits.
static int write_fixed(struct opencl_backend *ocl)
{
    const struct layout *layout = &ocl->base.layout;
    const uint64_t slices = layout->slices == 0 ? TRIANGLE_SQUARES : layout->slices;
    const size_t bytes = (size_t)slices * FIXED_STRIDE;
    unsigned char *codes = malloc(bytes);
    if (codes == NULL)
        return error_memory(bytes, "the fixed men of slices");
    memset(codes, NO_SQUARE, bytes);
    for (uint64_t slice = 0; slice < slices; slice++) {
        if (layout->slices == 0)
            codes[slice * FIXED_STRIDE] = square_code[triangle_square[slice]];
        else if (slice < layout->slices_used && layout->fixed > 0)
            memcpy(codes + slice * FIXED_STRIDE, layout->fixed_code[slice], (size_t)layout->fixed);
    }
    const int code = opencl_buffer_of(&ocl->host, &ocl->fixed, codes, bytes);
    free(codes);
    return code;
}

static int make_all(struct opencl_backend *ocl)
{
    TRY(make_shape(ocl));
    TRY(make_kernels(ocl));
    TRY(write_kings(ocl));
    for (int side = WHITE; side <= BLACK; side++)
        TRY(write_targets(ocl, side));
    TRY(write_fixed(ocl));
    const uint64_t tiles = tiles_room(ocl);
    TRY(opencl_buffer_take(&ocl->host, &ocl->counters, 4 * STEP_COUNTERS * sizeof(cl_uint), "counters", NULL));
    TRY(opencl_buffer_take(&ocl->host, &ocl->ones, opencl_flag_bytes(tiles), "flags", NULL));
    TRY(opencl_buffer_fill(&ocl->host, ocl->ones, opencl_flag_bytes(tiles), 1));
    TRY(opencl_buffer_take(&ocl->host, &ocl->wanted, opencl_flag_bytes(tiles), "flags", NULL));
    return plane_new(&ocl->base, &ocl->moves); // a step writes everything that it reads from it
}

_Static_assert((int)FIXED_STRIDE >= (int)FIXED_MAX && (int)OVERLAPS_MEN >= (int)BACKEND_MEN_MAX,
               "the kernels have room for all men");

// `window`: most tiles in a window; 0: no windows.
static int open_for(struct backend **backend, const struct layout *layout, int device, uint64_t max_allocation,
                    uint64_t window)
{
    *backend = NULL;
    struct opencl_backend *ocl;
    TRY(memory_new(&ocl, 1, sizeof *ocl, "the OpenCL backend"));
    ocl->base = (struct backend){.ops = &opencl_ops, .bulk = &opencl_bulk, .layout = *layout};
    if (window > 0) {
        ocl->base.bulk = NULL;
        ocl->base.windows = &opencl_windows;
        ocl->window = (struct opencl_window){.open = true, .room = window < layout->tiles ? window : layout->tiles};
    }
    int code = opencl_host_open(&ocl->host, device);
    if (code != 0) {
        free(ocl);
        return code;
    }
    const uint64_t allowed = ocl->host.device.max_allocation;
    ocl->max_allocation = allowed < max_allocation ? allowed : max_allocation;
    code = make_all(ocl);
    if (code == 0)
        *backend = &ocl->base;
    else
        close_all(ocl, code == CLTB_E_DEVICE);
    return code;
}

int backend_opencl_open(struct backend **backend, const struct layout *layout, int device)
{
    return open_for(backend, layout, device, UINT64_MAX, 0);
}

int backend_opencl_open_coder(struct backend **backend, int device)
{
    *backend = NULL;
    struct opencl_backend *ocl;
    TRY(memory_new(&ocl, 1, sizeof *ocl, "the OpenCL backend"));
    ocl->base = (struct backend){.ops = &opencl_ops, .bulk = &opencl_bulk};
    const int code = opencl_host_open(&ocl->host, device);
    if (code != 0) {
        free(ocl);
        return code;
    }
    ocl->max_allocation = ocl->host.device.max_allocation;
    if (ocl->host.device.type == OPENCL_CPU && !ocl->host.settings.symbols)
        close_all(ocl, false);
    else
        *backend = &ocl->base;
    return 0;
}

int backend_opencl_open_limited(struct backend **backend, const struct layout *layout, int device,
                                uint64_t max_allocation)
{
    return open_for(backend, layout, device, max_allocation, 0);
}

int backend_opencl_open_windows(struct backend **backend, const struct layout *layout, int device, uint64_t tiles)
{
    *backend = NULL;
    if (layout->slices > 0 || tiles == 0)
        return error_set(CLTB_E_USAGE, "windows are for planes without slices");
    return open_for(backend, layout, device, UINT64_MAX, tiles);
}
