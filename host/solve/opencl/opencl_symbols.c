// opencl_symbols.c - the symbols of a section in the file's order, made on the device (kernels/symbols.cl)
//
//     1. Tables: for each group of men and each of its digits the place in a plane, and the part of the mirror image's
//        entry; the meaning of codes, which have a bit of each plane that there is.
//     2. If the innermost group is a single man, the section is made by one launch, which reads each word of the planes
//        once; else a piece at a time, each when it is wanted.
//     3. Each piece is read into a half of the pinned memory while kernels make the next one, and taken from there. Or
//        it is coded on the device, too, and its code is read instead (opencl_code.c).
#include "index/entry.h"
#include "solve/backend_bulk.h"
#include "solve/opencl/opencl_code.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)BACKEND_CODE_BITS == (int)SYMBOL_PLANES, "the kernel's numbers");
_Static_assert((int)ENTRY_GROUPS_MAX <= (int)SYMBOL_GROUPS, "all groups fit");
_Static_assert((int)BACKEND_OUTCOMES == (int)COUNT_OUTCOMES, "outcomes have counters");

enum {
    MIRROR = 4,          // the symmetry at the diagonal a1-h8
    GROUP_MEN = 3,       // identical men of whom blocks know the places
    PIECE_UNIT = 1 << 12 // entries: a part of a buffer may begin where a piece does
};

struct section {
    struct opencl_backend *ocl;
    const struct symbols_request *request;
    struct symbols_launch launch;
    struct opencl_part part;
    int bit[SYMBOL_PLANES]; // of a code in a request, by that of a code here
    bool whole;             // symbol[0] and `vacant` are those of the whole section
    struct block_launch block;
    cl_mem place;
    cl_mem mirror;
    cl_mem parts; // of blocks: as in kernels/symbols.cl
    cl_mem ranks; // likewise
    cl_mem kept;
    cl_mem meaning;
    cl_mem symbol[2]; // [room] symbols
    cl_mem vacant;    // [room / 8]
    cl_mem counter;
    uint64_t room; // entries in a piece
    uint64_t *half[2];
    struct opencl_coding coding;
    bool codes;
};

// ---- step 1 ----

// Moves to the next larger set of `count` squares, in the order of their digits.
static void next_squares(uint8_t *square, int count)
{
    int i = 0;
    while (i + 1 < count && square[i] + 1 == square[i + 1])
        i++;
    square[i]++;
    for (int j = 0; j < i; j++)
        square[j] = (uint8_t)j;
}

static void group_tables(const struct section *section, int g, cl_uint *place, cl_uint *mirror)
{
    const struct layout *layout = &section->ocl->base.layout;
    const struct entry_order *order = section->request->order;
    const struct entry_group *group = &order->group[g];
    const int king = triangle_square[section->request->king];
    uint8_t squares[LAYOUT_PIECES_MAX];
    uint8_t own[ENTRY_GROUPS_MAX] = {0};
    uint8_t image[ENTRY_GROUPS_MAX] = {0};
    memset(squares, code_square[0], sizeof squares);
    const uint64_t nothing = layout_index(layout, king, squares);
    for (int i = 0; i < group->count; i++)
        own[i] = (uint8_t)i;
    for (uint64_t digit = 0; digit < group->size; digit++) {
        int used = 0;
        if (g == order->thinned)
            entry_digit_squares(entry_whole_digit(order, g, digit), group->count, own);
        for (int i = 0; i < layout->pieces && used < group->count; i++) {
            if (layout->type[i] == group->type && layout->colour[i] == group->colour)
                squares[i] = own[used++];
        }
        for (int i = 0; i < group->count; i++)
            image[i] = (uint8_t)square_apply(MIRROR, own[i]);
        place[digit] = (cl_uint)(layout_index(layout, king, squares) - nothing);
        mirror[digit] = (cl_uint)(entry_digit(image, group->count) * group->stride);
        next_squares(own, group->count);
    }
}

// Says which images of an entry the file keeps, by the white king's square, and by its code.
static void kept_table(const struct section *section, unsigned char kept[2 * SQUARES])
{
    for (int square = 0; square < SQUARES; square++) {
        int symmetry[2];
        const int images = entry_symmetries(triangle_square[section->request->king], square, symmetry);
        kept[square] = images == 2 ? KEPT_SMALLER : symmetry[0] == 0 ? KEPT_AS_IT_IS : KEPT_NOT;
        kept[SQUARES + square_code[square]] = kept[square];
    }
}

static int innermost(const struct entry_order *order)
{
    int g = 0;
    while (order->group[g].stride != 1)
        g++;
    return g;
}

// Notes the planes that there are; the first one, `won` at the latest, stands for those that are missing.
static int note_planes(struct section *section)
{
    const struct symbols_request *request = section->request;
    cl_uint *planes = &section->launch.planes;
    for (int i = 0; i < BACKEND_CODE_BITS; i++) {
        if (request->plane[i] == NULL)
            continue;
        TRY(opencl_settle(section->ocl, request->plane[i]));
        section->bit[(*planes)++] = i;
    }
    for (cl_uint i = *planes; i < SYMBOL_PLANES; i++)
        section->bit[i] = section->bit[0];
    return 0;
}

// Notes the groups of men, the innermost one first; returns the number of their digits' values.
static uint64_t note_groups(struct section *section)
{
    const struct entry_order *order = section->request->order;
    struct symbols_launch *launch = &section->launch;
    const int inner = innermost(order);
    uint64_t entries = 0;
    for (int i = 0; i < order->groups; i++) {
        const struct entry_group *group = &order->group[(inner + i) % order->groups];
        launch->size[i] = (cl_uint)group->size;
        launch->stride[i] = (cl_uint)group->stride;
        launch->at[i] = (cl_uint)entries;
        if (group->type == KING) {
            launch->king_stride = launch->stride[i];
            launch->king_size = launch->size[i];
        }
        entries += group->size;
    }
    launch->groups = (cl_uint)order->groups;
    return entries;
}

static int make_meaning(struct section *section)
{
    const struct symbols_request *request = section->request;
    const uint16_t *symbol = section->codes ? request->coded_symbol : request->symbol;
    const unsigned codes = 1U << section->launch.planes;
    cl_ushort meaning[BACKEND_CODES];
    for (unsigned code = 0; code < codes; code++) {
        unsigned wanted = 0;
        for (unsigned bit = 0; bit < section->launch.planes; bit++)
            wanted |= (code >> bit & 1) << section->bit[bit];
        const unsigned outcome = request->outcome[wanted & (BACKEND_CODES / 2 - 1)];
        const unsigned counts = outcome < BACKEND_OUTCOMES ? COUNT_BITS * outcome : (unsigned)COUNT_NOT;
        meaning[code] = (cl_ushort)(request->bytes == 2 ? symbol[wanted] : symbol[wanted] | counts << COUNT_SHIFT);
    }
    return opencl_buffer_of(&section->ocl->host, &section->meaning, meaning, codes * sizeof *meaning);
}

// The digits of a group's men (kernels/tile.h), 4 bits each, with 15 behind them.
static cl_uint group_digits(const struct layout *layout, const struct entry_group *group)
{
    cl_uint digits = 0;
    int men = 0;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->type[i] == group->type && layout->colour[i] == group->colour)
            digits |= opencl_digit(layout, i) << 4 * men++;
    }
    return digits | 15U << 4 * men;
}

// The codes of the men with these digits at a place, the first man's lowest.
static cl_uint men_codes(const struct layout *layout, cl_uint digits, cl_uint place)
{
    uint8_t u[LAYOUT_PIECES_MAX];
    unsigned king;
    cl_uint codes = 0;
    layout_digits(layout, place / layout->tile_lanes, &king, u);
    for (int shift = 0; (digits & 15) != 15; digits >>= 4, shift += 6) {
        const cl_uint digit = digits & 15;
        codes |= ((cl_uint)u[layout->pieces - 1 - (int)digit] << 3 | (place >> 3 * digit & 7)) << shift;
    }
    return codes;
}

// What each outer group adds to an entry and to its mirror image, by its men's codes.
static int make_parts(struct section *section, const cl_uint *place, const cl_uint *mirror)
{
    const struct layout *layout = &section->ocl->base.layout;
    const struct entry_order *order = section->request->order;
    const struct symbols_launch *launch = &section->launch;
    struct block_launch *block = &section->block;
    const int inner = innermost(order);
    size_t codes = 0;
    cl_uint2 *parts;
    for (int i = 1; i < order->groups; i++) {
        const struct entry_group *group = &order->group[(inner + i) % order->groups];
        block->digits[i - 1] = group_digits(layout, group);
        block->at[i - 1] = (cl_uint)codes;
        codes += (size_t)1 << 6 * group->count;
    }
    block->groups = (cl_uint)order->groups - 1;
    TRY(memory_new(&parts, codes + 1, sizeof *parts, "the order of a table"));
    memset(parts, 0xff, (codes + 1) * sizeof *parts);
    for (cl_uint i = 0; i < block->groups; i++) {
        const cl_uint first = launch->at[i + 1];
        for (cl_uint digit = 0; digit < launch->size[i + 1]; digit++) {
            cl_uint2 *part = &parts[block->at[i] + men_codes(layout, block->digits[i], place[first + digit])];
            part->s[0] = digit * launch->stride[i + 1];
            part->s[1] = mirror[first + digit];
        }
    }
    const int code = opencl_buffer_of(&section->ocl->host, &section->parts, parts, (codes + 1) * sizeof *parts);
    free(parts);
    return code;
}

static int make_blocks(struct section *section, const cl_uint *place, const cl_uint *mirror)
{
    const struct layout *layout = &section->ocl->base.layout;
    const struct entry_order *order = section->request->order;
    const struct symbols_launch *launch = &section->launch;
    struct block_launch *block = &section->block;
    block->first_tile = (cl_uint)(launch->base / layout->tile_lanes);
    block->mode = launch->mode;
    block->planes = launch->planes;
    block->inner = group_digits(layout, &order->group[innermost(order)]) & 15;
    block->king = opencl_digit(layout, layout->white_king);
    block->row_bits = layout->pieces == 3 ? 4 : launch->planes > 8 ? 5 : 6;
    TRY(make_parts(section, place, mirror));
    return opencl_buffer_of(&section->ocl->host, &section->ranks, square_code, sizeof square_code);
}

static int make_tables(struct section *section, uint64_t entries)
{
    struct opencl_host *host = &section->ocl->host;
    const struct entry_order *order = section->request->order;
    const struct symbols_launch *launch = &section->launch;
    unsigned char kept[2 * SQUARES];
    const int inner = innermost(order);
    cl_uint *parts;
    TRY(memory_new(&parts, 2 * entries, sizeof *parts, "the order of a table"));
    for (int i = 0; i < order->groups; i++)
        group_tables(section, (inner + i) % order->groups, parts + launch->at[i], parts + entries + launch->at[i]);
    int code = 0;
    if (section->whole) {
        code = make_blocks(section, parts, parts + entries);
    } else {
        code = opencl_buffer_of(host, &section->place, parts, entries * sizeof *parts);
        THEN(code, opencl_buffer_of(host, &section->mirror, parts + entries, entries * sizeof *parts));
    }
    free(parts);
    TRY(code);
    kept_table(section, kept);
    TRY(opencl_buffer_of(host, &section->kept, kept, sizeof kept));
    return make_meaning(section);
}

// Can there be blocks? A blank piece has no places.
static bool has_blocks(const struct section *section)
{
    const struct layout *layout = &section->ocl->base.layout;
    const struct entry_order *order = section->request->order;
    for (int g = 0; g < order->groups; g++) {
        if (order->group[g].count > (order->group[g].stride == 1 ? 1 : GROUP_MEN))
            return false;
    }
    return order->thinned < 0 && layout->type[0] != BLANK;
}

static int take_symbols(struct section *section, int buffers, uint64_t entries)
{
    struct opencl_host *host = &section->ocl->host;
    const uint64_t bytes = entries * section->request->bytes;
    int code = bytes <= section->ocl->max_allocation ? 0 : CLTB_E_MEMORY;
    for (int i = 0; code == 0 && i < buffers; i++)
        code = opencl_buffer_take(host, &section->symbol[i], bytes, "symbols", NULL);
    if (code == 0 && section->launch.mode & SYMBOLS_VACANT)
        code = opencl_buffer_take(host, &section->vacant, entries / 8, "vacant entries", NULL);
    return code;
}

static int make_buffers(struct section *section)
{
    struct opencl_host *host = &section->ocl->host;
    const struct symbols_request *request = section->request;
    const uint64_t entries = request->order->per_section;
    const uint64_t unit = request->unit < PIECE_UNIT ? PIECE_UNIT : request->unit;
    if (!section->codes) {
        uint64_t units = (entries + unit - 1) / unit;
        TRY(section->ocl->base.bulk->halves(&section->ocl->base, (size_t)unit * request->bytes, &units, section->half));
        section->room = units * unit;
    }
    if (has_blocks(section)) {
        const int code = take_symbols(section, 1, entries);
        section->whole = code == 0;
        if (code == CLTB_E_MEMORY) {
            opencl_buffer_free(host, section->symbol[0]);
            section->symbol[0] = NULL;
        } else {
            TRY(code);
        }
    }
    if (!section->whole)
        TRY(take_symbols(section, section->codes ? 1 : 2, section->room));
    return opencl_buffer_new(host, &section->counter, COUNT_GROUPS * COUNT_STRIDE * sizeof(cl_uint), "counters");
}

// ---- step 2 ----

// Runs a kernel with `before`, the planes, and `after` as its arguments.
static int run_planes(struct section *section, const struct opencl_kernel *kernel, cl_ulong items,
                      const struct opencl_argument before[4], const struct opencl_argument *after, size_t count)
{
    struct opencl_argument arguments[4 + SYMBOL_PLANES + 8];
    cl_mem plane[SYMBOL_PLANES];
    memcpy(arguments, before, 4 * sizeof *before);
    for (int i = 0; i < SYMBOL_PLANES; i++) {
        plane[i] = section->request->plane[section->bit[i]]->part[section->part.number];
        arguments[4 + i] = (struct opencl_argument)OPENCL_BUFFER(plane[i]);
    }
    memcpy(arguments + 4 + SYMBOL_PLANES, after, count * sizeof *after);
    return opencl_run(&section->ocl->host, kernel, items, arguments, 4 + SYMBOL_PLANES + count);
}

// Makes the symbols of the whole section.
static int run_blocks(struct section *section)
{
    struct opencl_backend *ocl = section->ocl;
    const struct layout *layout = &ocl->base.layout;
    const struct opencl_kernel *kernel = &ocl->kernel[KERNEL_BLOCKS];
    cl_mem vacant = section->vacant != NULL ? section->vacant : section->counter; // which is not written then
    const cl_ulong blocks = layout->king_stride * layout->tile_lanes / (SQUARES * 4) >> section->block.row_bits;
    const struct opencl_argument before[] = {OPENCL_BUFFER(section->parts), OPENCL_BUFFER(section->ranks),
                                             OPENCL_BUFFER(section->kept), OPENCL_BUFFER(section->meaning)};
    const struct opencl_argument after[] = {OPENCL_BUFFER(section->symbol[0]), OPENCL_BUFFER(vacant),
                                            OPENCL_BUFFER(section->counter), OPENCL_STRUCT(ocl->shape),
                                            OPENCL_STRUCT(section->block)};
    return run_planes(section, kernel, blocks * kernel->local, before, OPENCL_ARGUMENTS(after));
}

// Makes the symbols of a piece.
static int run_entries(struct section *section, uint64_t first, uint64_t entries, cl_mem symbol)
{
    struct symbols_launch *launch = &section->launch;
    cl_mem vacant = section->vacant != NULL ? section->vacant : section->counter;
    launch->first = (cl_uint)first;
    launch->runs = section->vacant != NULL ? 2 : 1;
    launch->items = (cl_uint)(entries / SYMBOL_RUN / launch->runs);
    const struct opencl_argument before[] = {OPENCL_BUFFER(section->place), OPENCL_BUFFER(section->mirror),
                                             OPENCL_BUFFER(section->kept), OPENCL_BUFFER(section->meaning)};
    const struct opencl_argument after[] = {OPENCL_BUFFER(symbol), OPENCL_BUFFER(vacant),
                                            OPENCL_BUFFER(section->counter), OPENCL_STRUCT(*launch)};
    return run_planes(section, &section->ocl->kernel[KERNEL_SYMBOLS], launch->items, before, OPENCL_ARGUMENTS(after));
}

static int part_of(cl_mem *part, cl_mem whole, uint64_t first, uint64_t bytes)
{
    const cl_buffer_region region = {(size_t)first, (size_t)bytes};
    cl_int status;
    *part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    return opencl_check(status, "taking a part of a section");
}

// Launches the kernels for the entries from `first` on, and the transfer of their symbols, or those that code them.
static int begin_piece(struct section *section, uint64_t first, int half)
{
    const unsigned bytes = section->request->bytes;
    const uint64_t left = section->request->order->per_section - first;
    const uint64_t entries = left < section->room ? left : section->room;
    cl_mem symbol = section->symbol[half];
    cl_mem vacant = section->vacant;
    cl_mem parts[2] = {NULL, NULL};
    int code = 0;
    if (section->whole) {
        if (first == 0)
            code = run_blocks(section);
        THEN(code, part_of(&parts[0], section->symbol[0], first * bytes, entries * bytes));
        symbol = parts[0];
        if (vacant != NULL) {
            THEN(code, part_of(&parts[1], section->vacant, first / 8, entries / 8));
            vacant = parts[1];
        }
    } else {
        code = run_entries(section, first, entries, symbol);
    }
    if (section->codes)
        THEN(code, opencl_coding_run(&section->coding, symbol, vacant, first, entries));
    else
        THEN(code, opencl_read_behind(section->ocl, half, symbol, (size_t)entries * bytes, section->half[half]));
    for (int i = 0; i < 2; i++) {
        if (parts[i] != NULL)
            clReleaseMemObject(parts[i]); // once the commands have finished
    }
    return code;
}

// ---- step 3 ----

static int make_pieces(struct section *section, struct thread_pool *pool)
{
    const struct backend_bulk *bulk = section->ocl->base.bulk;
    const struct symbols_request *request = section->request;
    const uint64_t entries = request->order->per_section;
    int code = begin_piece(section, 0, 0);
    int half = 0;
    for (uint64_t first = 0, next; code == 0 && first < entries; first = next, half = 1 - half) {
        next = entries - first < section->room ? entries : first + section->room;
        if (next < entries)
            code = begin_piece(section, next, 1 - half);
        THEN(code, bulk->wait(&section->ocl->base, half));
        THEN(code, request->take(request->take_context, first, next - first, section->half[half], pool));
    }
    opencl_bulk_finish(section->ocl);
    return code;
}

// The same with coding. While the device codes the next piece, the units of this one are put together.
static int code_pieces(struct section *section, struct thread_pool *pool)
{
    struct opencl_coding *coding = &section->coding;
    const uint64_t entries = section->request->order->per_section;
    int code = begin_piece(section, 0, 0);
    for (uint64_t first = 0, next; code == 0 && first < entries; first = next) {
        uint32_t units = 0;
        next = entries - first < section->room ? entries : first + section->room;
        code = opencl_coding_sizes(coding, &units);
        for (uint32_t unit = 0, count; code == 0 && unit < units; unit += count) {
            code = opencl_coding_read(coding, unit, units, &count);
            const uint64_t at = first + (uint64_t)unit * CODE_UNIT;
            const bool last = unit + count == units;
            if (code == 0 && last && next < entries)
                code = begin_piece(section, next, 0);
            THEN(code, opencl_coding_take(coding, at, last ? next - at : (uint64_t)count * CODE_UNIT, unit, pool));
        }
    }
    opencl_bulk_finish(section->ocl);
    return code;
}

static int read_counts(const struct section *section)
{
    const struct entry_order *order = section->request->order;
    cl_uint counter[COUNT_GROUPS * COUNT_STRIDE];
    uint64_t orders = 1; // of identical pieces on the same squares
    for (int g = 0; g < order->groups; g++) {
        for (unsigned i = 2; i <= order->group[g].count; i++)
            orders *= i;
    }
    const cl_int status = clEnqueueReadBuffer(section->ocl->host.queue, section->counter, CL_TRUE, 0, sizeof counter,
                                              counter, 0, NULL, NULL);
    TRY(opencl_check(status, "reading counters"));
    const uint64_t images = section->launch.mode & SYMBOLS_DIAGONAL ? 4 : 8;
    for (int i = 0; i < COUNT_GROUPS * COUNT_STRIDE; i++) {
        if (i % COUNT_STRIDE < BACKEND_OUTCOMES)
            section->request->counts[i % COUNT_STRIDE] += images * orders * counter[i];
    }
    return 0;
}

// Kernels add up in 32 bits, and runs of entries do not cross digits. On a processor the host's own writer is several
// times faster.
static bool can_make(const struct opencl_backend *ocl, const struct entry_order *order)
{
    const struct layout *layout = &ocl->base.layout;
    if (ocl->host.device.type == OPENCL_CPU && !ocl->host.settings.symbols)
        return false;
    return layout->slices == 0 && order->slices == NULL && order->group[innermost(order)].size % SYMBOL_RUN == 0 &&
           order->per_section <= UINT32_MAX && layout->king_stride * layout->tile_lanes <= UINT32_MAX;
}

int opencl_symbols(struct backend *backend, const struct symbols_request *request, struct thread_pool *pool, bool *made)
{
    struct opencl_backend *ocl = opencl_of(backend);
    const struct layout *layout = &backend->layout;
    struct section section = {.ocl = ocl, .request = request};
    *made = false;
    if (!can_make(ocl, request->order))
        return 0;
    TRY(note_planes(&section));
    section.part = opencl_part(ocl, (int)(request->king / ocl->part_heads));
    section.launch.base = (request->king * layout->king_stride - section.part.tile) * layout->tile_lanes;
    section.launch.mode = (request->bytes == 2 ? SYMBOLS_WIDE : 0U) |
                          (square_on_diagonal(triangle_square[request->king]) ? SYMBOLS_DIAGONAL : 0U) |
                          (request->counts != NULL ? SYMBOLS_COUNT : 0U);
    const uint64_t digits = note_groups(&section);
    const struct opencl_coding_job job = {request->coder, request->order, request->king, request->order->per_section,
                                          request->unit};
    int code = opencl_coding_open(&section.coding, ocl, &job, &section.room);
    section.codes = section.room > 0;
    if (section.codes && request->coder->distances)
        section.launch.mode |= SYMBOLS_VACANT;
    THEN(code, make_buffers(&section));
    THEN(code, make_tables(&section, digits));
    const bool memory = code != CLTB_E_MEMORY;
    THEN(code, section.codes ? code_pieces(&section, pool) : make_pieces(&section, pool));
    if (code == 0 && request->counts != NULL)
        code = read_counts(&section);
    cl_mem const buffers[] = {section.place,   section.mirror,    section.parts,     section.ranks,  section.kept,
                              section.meaning, section.symbol[0], section.symbol[1], section.vacant, section.counter};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        opencl_buffer_free(&ocl->host, buffers[i]);
    opencl_coding_close(&section.coding);
    *made = code == 0;
    return memory ? code : 0;
}
