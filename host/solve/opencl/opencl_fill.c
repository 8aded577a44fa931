// opencl_fill.c - whole-plane operations: overlap entries, futurebases, logic
#include "solve/opencl/opencl.h"
#include "util/memory.h"

#include <stdlib.h>

enum { IMPORT_BYTES = 256 << 10 }; // of a futurebase, for a window: the host gathers so much in some 100 microseconds

int opencl_begin(const struct opencl_backend *ocl, int side)
{
    if (!ocl->window.open)
        return 0;
    if (ocl->tiles == 0)
        return error_set(CLTB_E_USAGE, "there is no window yet");
    if (side != ANY_SIDE && side != ocl->window.side)
        return error_set(CLTB_E_USAGE, "moves of %s in a window of the other side", side == WHITE ? "White" : "Black");
    return 0;
}

int opencl_end(struct opencl_backend *ocl, int code)
{
    if (!ocl->window.open)
        return code;
    const cl_int status = clFinish(ocl->host.queue);
    return code != 0 ? code : opencl_check(status, "waiting for kernels");
}

int opencl_fill(struct backend *backend, struct plane *plane, bool bit)
{
    struct opencl_backend *ocl = opencl_of(backend);
    TRY(opencl_begin(ocl, ANY_SIDE));
    int code = bit ? 0 : opencl_buffer_fill(&ocl->host, plane->active, opencl_flag_bytes(ocl->tiles), 0);
    for (int i = 0; code == 0 && i < ocl->parts; i++)
        code = opencl_buffer_fill(&ocl->host, plane->part[i], opencl_part(ocl, i).bytes, bit ? 0xff : 0);
    plane->sparse = !bit && code == 0;
    plane->empty = !bit && code == 0;
    plane->unwritten = plane->unwritten && code != 0;
    return opencl_end(ocl, code);
}

int opencl_settle(struct opencl_backend *ocl, const struct plane *plane)
{
    // Every plane comes from plane_new(), and its meaning does not change.
    return plane->unwritten ? opencl_fill(&ocl->base, (struct plane *)(uintptr_t)plane, false) : 0;
}

int opencl_combine_buffers(struct opencl_backend *ocl, cl_mem to, enum plane_operation operation, cl_mem from,
                           cl_ulong bytes)
{
    const cl_ulong items = bytes / sizeof(cl_uint4);
    const cl_uint which = (cl_uint)operation;
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(to), OPENCL_BUFFER(from), OPENCL_ULONG(items),
                                                OPENCL_UINT(which)};
    return opencl_run(&ocl->host, &ocl->kernel[KERNEL_COMBINE], items, OPENCL_ARGUMENTS(arguments));
}

int opencl_combine(struct backend *backend, struct plane *to, enum plane_operation operation, const struct plane *from)
{
    struct opencl_backend *ocl = opencl_of(backend);
    TRY(opencl_begin(ocl, ANY_SIDE));
    if (from->empty && (operation == PLANE_OR || operation == PLANE_AND_NOT))
        return 0;
    if (from->empty)
        return opencl_fill(backend, to, operation == PLANE_COPY_NOT);
    if (to->unwritten && (operation == PLANE_AND || operation == PLANE_AND_NOT))
        return 0;
    if (to->unwritten && operation == PLANE_OR)
        operation = PLANE_COPY;
    int code = 0;
    for (int i = 0; code == 0 && i < ocl->parts; i++)
        code = opencl_combine_buffers(ocl, to->part[i], operation, from->part[i], opencl_part(ocl, i).bytes);
    opencl_written(to);
    return opencl_end(ocl, code);
}

int opencl_overlaps(struct backend *backend, struct plane *plane, const struct men_pairs *pairs)
{
    struct opencl_backend *ocl = opencl_of(backend);
    const struct layout *layout = &backend->layout;
    struct overlaps_launch launch = {.items = 0};
    for (int p = 0; p < layout_men(layout); p++) {
        for (int q = 0; q < layout_men(layout); q++) {
            const bool men = layout_is_man(layout, p) && layout_is_man(layout, q);
            if (p != q && men && (pairs->with[p] >> q & 1))
                launch.pairs[opencl_digit(layout, p)] |= opencl_bit(layout, q);
        }
    }
    TRY(opencl_begin(ocl, ANY_SIDE));
    TRY(opencl_settle(ocl, plane));
    opencl_written(plane);
    int code = 0;
    for (int i = 0; code == 0 && i < ocl->parts; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        launch.items = part.bytes / sizeof(cl_uint) / RUN_WORDS;
        launch.first_tile = part.tile;
        const struct opencl_argument arguments[] = {OPENCL_BUFFER(plane->part[i]), OPENCL_BUFFER(ocl->fixed),
                                                    OPENCL_BUFFER(ocl->table), OPENCL_STRUCT(ocl->shape),
                                                    OPENCL_STRUCT(launch)};
        code = opencl_run(&ocl->host, &ocl->kernel[KERNEL_OVERLAPS], launch.items, OPENCL_ARGUMENTS(arguments));
    }
    return opencl_end(ocl, code);
}

// ---- futurebases ----

// A futurebase on its way into a plane.
struct import_staging {
    cl_mem buffer; // NULL: all zero
    char *memory;  // for what is gathered for a window, otherwise NULL
};

// Imports into tiles first..last-1 of a part or of the window.
static int import_tiles(struct opencl_backend *ocl, const struct plane *plane, const struct import *import,
                        const struct import_staging *staging, const struct opencl_part *part, uint64_t first,
                        uint64_t last)
{
    const struct layout *layout = &ocl->base.layout;
    const struct layout *sub = import->sub;
    const bool window = ocl->window.open;
    const uint64_t words = layout->tile_lanes / 32;
    // In a window, each tile comes with its own tile of the futurebase; otherwise with a part that has the same squares
    // of the black king.
    const uint64_t first_sub = window ? first : part->first * sub->king_stride;
    const uint64_t sub_tiles = window ? last - first : part->count * sub->king_stride;
    const size_t tile_bytes = (size_t)(sub->tile_lanes / 8);
    if (staging->buffer != NULL) {
        const char *from = window ? staging->memory : (const char *)import->bits + first_sub * tile_bytes;
        if (window)
            opencl_windows_gather(ocl, import, first, last, staging->memory);
        const struct opencl_upload upload = {.from = from, .bytes = sub_tiles * tile_bytes};
        TRY(opencl_write_behind(ocl, staging->buffer, &upload, 1));
    }
    const cl_mem bits = staging->buffer != NULL ? staging->buffer : plane->part[part->number];
    const struct import_launch launch = {
        .first_word = first * words,
        .end_word = last * words,
        .first_tile = part->tile,
        .first_sub = (cl_uint)first_sub,
        .sub_pieces = (cl_uint)sub->pieces,
        .captured = opencl_digit(layout, import->captured),
        .enemies = opencl_men(layout, 1 - layout->colour[import->captured]),
        .mode = (import->invert ? IMPORT_INVERT : 0U) | (staging->buffer == NULL ? IMPORT_EMPTY : 0U),
    };
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(plane->part[part->number]),
                                                OPENCL_BUFFER(bits),
                                                OPENCL_BUFFER(ocl->fixed),
                                                OPENCL_BUFFER(ocl->table),
                                                OPENCL_STRUCT(ocl->shape),
                                                OPENCL_STRUCT(launch)};
    return opencl_run(&ocl->host, &ocl->kernel[KERNEL_IMPORT], (last - first) * words / RUN_WORDS,
                      OPENCL_ARGUMENTS(arguments));
}

int opencl_import(struct backend *backend, struct plane *plane, const struct import *import)
{
    struct opencl_backend *ocl = opencl_of(backend);
    struct import_staging staging = {NULL, NULL};
    const uint64_t tile_bytes = import->sub->tile_lanes / 8;
    uint64_t bytes = opencl_part(ocl, 0).count * import->sub->king_stride * tile_bytes;
    uint64_t at_once = UINT64_MAX; // tiles
    int code = 0;
    if (backend->layout.slices > 0)
        return error_set(CLTB_E_USAGE, "slices take slabs, not whole futurebases");
    TRY(opencl_begin(ocl, ANY_SIDE));
    if (import->bits == NULL && !import->invert)
        return 0;
    TRY(opencl_settle(ocl, plane));
    opencl_written(plane);
    if (import->bits != NULL && ocl->window.open && ocl->tiles > 0) {
        at_once = tile_bytes < IMPORT_BYTES ? IMPORT_BYTES / tile_bytes : 1;
        at_once = at_once < ocl->tiles ? at_once : ocl->tiles;
        bytes = at_once * tile_bytes;
        staging.memory = malloc((size_t)bytes);
        if (staging.memory == NULL)
            return error_memory((size_t)bytes, "a futurebase");
    }
    if (import->bits != NULL)
        code = opencl_buffer_take(&ocl->host, &staging.buffer, bytes, "a futurebase", NULL);
    for (int i = 0; code == 0 && i < ocl->parts; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        for (uint64_t first = 0, last; code == 0 && first < part.tiles; first = last) {
            last = part.tiles - first < at_once ? part.tiles : first + at_once;
            code = import_tiles(ocl, plane, import, &staging, &part, first, last);
        }
    }
    opencl_buffer_free(&ocl->host, staging.buffer);
    free(staging.memory);
    return opencl_end(ocl, code);
}

// ---- lists of words ----

static int enter_words(struct opencl_backend *ocl, const struct plane *plane, int part, const cl_uint4 *words,
                       size_t count)
{
    const cl_ulong items = count;
    if (count == 0)
        return 0;
    const cl_int status =
        clEnqueueWriteBuffer(ocl->host.queue, ocl->words, CL_TRUE, 0, count * sizeof *words, words, 0, NULL, NULL);
    TRY(opencl_check(status, "writing a list of words"));
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(plane->part[part]), OPENCL_BUFFER(ocl->words),
                                                OPENCL_ULONG(items)};
    return opencl_run(&ocl->host, &ocl->kernel[KERNEL_ENTER], items, OPENCL_ARGUMENTS(arguments));
}

// A launch takes as many words as there is room for, in one part of the plane.
int opencl_enter(struct backend *backend, struct plane *plane, const struct plane_lines *parts, size_t count,
                 bool clear)
{
    struct opencl_backend *ocl = opencl_of(backend);
    const uint64_t part_words = ocl->part_heads * ocl->head_bytes / 8;
    cl_uint4 *words;
    size_t used = 0;
    uint64_t part = 0;
    TRY(clear ? opencl_fill(backend, plane, false) : opencl_settle(ocl, plane));
    if (count == 0)
        return 0;
    if (ocl->words == NULL)
        TRY(opencl_buffer_take(&ocl->host, &ocl->words, OPENCL_WORDS * sizeof(cl_uint4), "a list of words", NULL));
    TRY(memory_new(&words, OPENCL_WORDS, sizeof *words, "a list of words"));
    opencl_written(plane);
    int code = 0;
    for (size_t i = 0; code == 0 && i < count; i++) {
        const uint64_t *mask = parts[i].list.mask;
        for (size_t line = 0; line < parts[i].count; line++) {
            for (unsigned left = parts[i].list.words[line]; code == 0 && left != 0; left &= left - 1, mask++) {
                const uint64_t at =
                    parts[i].first + (uint64_t)LINE_WORDS * parts[i].list.line[line] + (unsigned)__builtin_ctz(left);
                if (used == OPENCL_WORDS || at / part_words != part) {
                    code = enter_words(ocl, plane, (int)part, words, used);
                    used = 0;
                    part = at / part_words;
                }
                words[used++] =
                    (cl_uint4){.s = {(cl_uint)(at % part_words), (cl_uint)*mask, (cl_uint)(*mask >> 32), 0}};
            }
        }
    }
    THEN(code, enter_words(ocl, plane, (int)part, words, used));
    free(words);
    return code;
}
