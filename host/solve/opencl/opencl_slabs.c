// opencl_slabs.c - many slabs into the slices of a plane, a piece of the list at a time
//
// The list is done in pieces: imports into one part of the plane whose slabs fit into the staging buffer.
//
//     1. Collect imports. Each slab gets one place in the staging buffer, however many imports use it (a hash table).
//     2. Write the slabs and the list of imports to the device.
//     3. Run one launch for all of them (kernels/slabs.cl).
#include "solve/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)IMPORT_ALL == (int)SLAB_ALL && (int)IMPORT_TAKEN == (int)SLAB_TAKEN &&
                   (int)IMPORT_AT == (int)SLAB_AT,
               "the kernel's numbers");

#define STAGING_BYTES ((uint64_t)64 << 20) // in a piece; a larger slab has a piece of its own

struct piece {
    struct opencl_backend *ocl;
    uint64_t limit; // bytes that may be staged
    size_t room;    // imports and uploads
    size_t imports;
    size_t groups;
    size_t uploads;
    uint64_t staged;              // bytes
    cl_uint4 *import;             // [room]
    cl_uint2 *group;              // [room + 1] slice, first import
    struct opencl_upload *upload; // [room] into the staging buffer
    uint32_t *slot;               // [slots] hash table of uploads: their numbers plus 1, or 0
    size_t slots;                 // a power of 2, more than twice as many as uploads
    int part;                     // the part that its slices are in
};

static int part_of(const struct opencl_backend *ocl, uint64_t slice)
{
    return (int)((slice >> 3 * ocl->base.layout.slice_digits) / ocl->part_heads);
}

// Finds the place of the slab in the staging buffer; false if this piece has no room for it.
static bool stage(struct piece *piece, const uint64_t *bits, uint64_t bytes, uint64_t *at)
{
    uint64_t hash = (uint64_t)(uintptr_t)bits * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    uint32_t *slot = &piece->slot[hash & (piece->slots - 1)];
    while (*slot != 0 && (piece->upload[*slot - 1].from != bits || piece->upload[*slot - 1].bytes != bytes))
        slot = &piece->slot[++hash & (piece->slots - 1)];
    if (*slot == 0) {
        if (piece->staged > 0 && piece->staged + bytes > piece->limit)
            return false;
        piece->upload[piece->uploads++] = (struct opencl_upload){bits, bytes, piece->staged};
        piece->staged += bytes;
        *slot = (uint32_t)piece->uploads;
    }
    *at = piece->upload[*slot - 1].at;
    return true;
}

// Takes imports up to the first that has no room or belongs to another part; returns their number.
static size_t collect(struct piece *piece, const struct slab_import *imports, size_t count)
{
    const struct layout *layout = &piece->ocl->base.layout;
    piece->imports = piece->groups = piece->uploads = 0;
    piece->staged = 0;
    memset(piece->slot, 0, piece->slots * sizeof *piece->slot);
    piece->part = part_of(piece->ocl, imports[0].slice);
    for (size_t i = 0; i < count; i++) {
        const struct slab_import *import = &imports[i];
        const bool without = import->where != IMPORT_ALL && import->man < layout->pieces; // it lacks the man's digits
        const uint64_t bytes = layout_slab_bits(layout) / 8 / (without ? 64 : 1);
        uint64_t at = 0;
        if (import->bits == NULL && !import->invert)
            continue;
        if (piece->imports == piece->room || part_of(piece->ocl, import->slice) != piece->part ||
            (import->bits != NULL && !stage(piece, import->bits, bytes, &at)))
            return i;
        cl_uint how = (cl_uint)import->where << SLAB_WHERE_SHIFT | (import->invert ? SLAB_INVERT : 0U) |
                      (import->bits == NULL ? SLAB_EMPTY : 0U) | (without ? SLAB_WITHOUT : 0U);
        cl_uint takers = (cl_uint)(import->empty >> 32);
        cl_uint empty = (cl_uint)import->empty;
        if (import->where != IMPORT_ALL)
            how |= opencl_digit(layout, import->man);
        if (import->where == IMPORT_AT)
            how |= (cl_uint)import->at << SLAB_AT_SHIFT;
        if (import->where == IMPORT_TAKEN)
            takers = opencl_men(layout, 1 - layout_colour_of(layout, import->man));
        if (import->where == IMPORT_TAKEN)
            empty = 0;
        if (piece->groups == 0 || piece->group[piece->groups - 1].s[0] != (cl_uint)import->slice)
            piece->group[piece->groups++] = (cl_uint2){.s = {(cl_uint)import->slice, (cl_uint)piece->imports}};
        piece->import[piece->imports++] = (cl_uint4){.s = {(cl_uint)(at / sizeof(cl_uint)), takers, how, empty}};
        piece->group[piece->groups].s[1] = (cl_uint)piece->imports;
    }
    return count;
}

static int run(const struct piece *piece, struct plane *plane)
{
    struct opencl_backend *ocl = piece->ocl;
    struct opencl_host *host = &ocl->host;
    const uint64_t bytes = piece->staged == 0 ? sizeof(cl_uint) : piece->staged;
    if (piece->imports == 0)
        return 0;
    if (ocl->slab_imports == NULL)
        TRY(opencl_buffer_take(host, &ocl->slab_imports, OPENCL_SLAB_IMPORTS * sizeof(cl_uint4), "imports", NULL));
    if (ocl->slab_groups == NULL)
        TRY(opencl_buffer_take(host, &ocl->slab_groups, (OPENCL_SLAB_IMPORTS + 1) * sizeof(cl_uint2), "imports", NULL));
    if (ocl->staging_bytes < bytes || ocl->staging == NULL) {
        opencl_buffer_free(host, ocl->staging);
        ocl->staging_bytes = 0;
        TRY(opencl_buffer_take(host, &ocl->staging, bytes, "slabs to import", NULL));
        ocl->staging_bytes = bytes;
    }
    const struct opencl_upload import_list = {piece->import, piece->imports * sizeof *piece->import, 0};
    const struct opencl_upload group_list = {piece->group, (piece->groups + 1) * sizeof *piece->group, 0};
    TRY(opencl_write_behind(ocl, ocl->staging, piece->upload, piece->uploads));
    TRY(opencl_write_behind(ocl, ocl->slab_imports, &import_list, 1));
    TRY(opencl_write_behind(ocl, ocl->slab_groups, &group_list, 1));
    const struct opencl_part part = opencl_part(ocl, piece->part);
    const cl_ulong items = piece->groups * (layout_slab_bits(&ocl->base.layout) / 32);
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(plane->part[part.number]),
                                                OPENCL_BUFFER(ocl->staging),
                                                OPENCL_BUFFER(ocl->slab_imports),
                                                OPENCL_BUFFER(ocl->slab_groups),
                                                OPENCL_BUFFER(ocl->fixed),
                                                OPENCL_ULONG(items),
                                                OPENCL_UINT(part.first),
                                                OPENCL_STRUCT(ocl->shape)};
    return opencl_run(host, &ocl->kernel[KERNEL_SLABS], items, OPENCL_ARGUMENTS(arguments));
}

int opencl_import_slabs(struct backend *backend, struct plane *plane, const struct slab_import *imports, size_t count)
{
    struct opencl_backend *ocl = opencl_of(backend);
    struct piece piece = {.ocl = ocl, .slots = 4};
    TRY(slab_imports_check(&backend->layout, imports, count));
    if (count == 0)
        return 0;
    piece.limit = ocl->max_allocation < STAGING_BYTES ? ocl->max_allocation : STAGING_BYTES;
    piece.room = count < OPENCL_SLAB_IMPORTS ? count : OPENCL_SLAB_IMPORTS;
    while (piece.slots <= 2 * piece.room)
        piece.slots *= 2;
    piece.import = calloc(piece.room, sizeof *piece.import);
    piece.group = calloc(piece.room + 1, sizeof *piece.group);
    piece.upload = calloc(piece.room, sizeof *piece.upload);
    piece.slot = calloc(piece.slots, sizeof *piece.slot);
    int code = 0;
    if (piece.import == NULL || piece.group == NULL || piece.upload == NULL || piece.slot == NULL)
        code = error_memory(piece.room * (sizeof *piece.import + sizeof *piece.upload), "a list of imports");
    THEN(code, opencl_settle(ocl, plane));
    opencl_written(plane);
    for (size_t done = 0; code == 0 && done < count;) {
        done += collect(&piece, imports + done, count - done);
        code = run(&piece, plane);
    }
    free(piece.import);
    free(piece.group);
    free(piece.upload);
    free(piece.slot);
    return code;
}
