// opencl_code.c - the blocks of a section, coded on the device (opencl_code.h)
//
//     1. Memory: a piece has as many units as keep the device busy, if there is memory for them.
//     2. Kernels mark the vacant entries of a piece with pawns (else symbols.cl has), plan its units and code them.
//     3. When the sizes of the units have been read, it is known where each begins among the packed bytes. Units are
//        packed and read as many at a time as fit into a half of the pinned memory, usually all.
#include "solve/opencl/opencl_code.h"

#include "index/vacant.h"
#include "solve/backend_bulk.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct coded_unit) == sizeof(cl_uint2), "the kernels' numbers");

enum {
    UNITS_MAX = 1 << 16, // in a piece: most of what a large GPU can hold with 87 registers each
    UNITS_MIN = 1 << 8,  // with fewer, most of the device would be idle
    UNITS_CPU = 16,      // in a piece, on a processor
    UNIT_BYTES = CODE_UNIT + CODE_UNIT + 4 * CODE_TOKENS + CODE_UNIT / 8 + 12, // of a unit: its symbols, and all here
    UNIT_PACKED_MAX = 2 * CODE_TOKENS,
    MEMORY_PART = 8, // of the device's memory, at most
    REACH_TYPES = PAWN + COLOURS,
    GROUP_ITEMS = 32, // in a work-group: so few that the units of five men are spread over a large GPU
    OTHER_ITEMS = 128 // likewise, of kernels that have more work-items
};

// ---- step 1 ----

static int make_kernels(struct opencl_backend *ocl)
{
    static const char *const texts[] = {"code.cl", NULL};
    static const char *const names[CODE_KERNELS] = {[KERNEL_VACANT] = "vacant_entries",
                                                    [KERNEL_PLAN_DISTANCES] = "plan_distances",
                                                    [KERNEL_PLAN_OUTCOMES] = "plan_outcomes",
                                                    [KERNEL_CODE] = "code_units",
                                                    [KERNEL_PACK] = "pack_units",
                                                    [KERNEL_SETS] = "symbol_sets"};
    cl_program program;
    if (ocl->code[0].kernel != NULL)
        return 0;
    TRY(opencl_session_program(ocl->host.session, &program, PROGRAM_CODE, texts, "-cl-std=CL1.2"));
    for (int i = 0; i < CODE_KERNELS; i++) {
        const bool per_unit = i >= KERNEL_PLAN_DISTANCES && i <= KERNEL_CODE;
        TRY(opencl_kernel_make(&ocl->host, &ocl->code[i], program, names[i], per_unit ? GROUP_ITEMS : OTHER_ITEMS));
    }
    return 0;
}

static int make_reach(struct opencl_coding *coding)
{
    const size_t entries = (size_t)REACH_TYPES * SQUARES * SQUARES;
    cl_ulong *reach;
    TRY(memory_new(&reach, entries, sizeof *reach, "moves of men"));
    for (size_t i = 0; i < entries; i++) {
        const int type = (int)(i / SQUARES / SQUARES);
        const int from = (int)(i / SQUARES % SQUARES);
        reach[i] = vacant_way(type > PAWN ? BLACK : WHITE, type > PAWN ? PAWN : type, from, (int)(i % SQUARES));
    }
    const int code = opencl_buffer_of(&coding->ocl->host, &coding->reach, reach, entries * sizeof *reach);
    free(reach);
    return code;
}

// The pawns of each slice.
static int make_slices(struct opencl_coding *coding)
{
    const struct pawn_slices *slices = coding->job.order->slices;
    struct vacant_launch *launch = &coding->vacant_launch;
    const int side = coding->job.coder->side;
    cl_uint2 *table;
    TRY(memory_new(&table, slices->slices, sizeof *table, "pawns"));
    launch->slices = slices->slices;
    launch->first_slice = (cl_uint)(coding->job.section * coding->job.order->slices_per_section);
    launch->per_slice = (cl_uint)coding->job.order->per_slice;
    launch->pawns = (cl_uint)(slices->pawns[WHITE] + slices->pawns[BLACK]);
    launch->attackers_first = side == WHITE ? 0 : (cl_uint)slices->pawns[WHITE];
    launch->attackers = (cl_uint)slices->pawns[side];
    for (uint32_t slice = 0; slice < slices->slices; slice++) {
        for (cl_uint i = 0; i < launch->pawns; i++)
            table[slice].s[0] |= (cl_uint)slices->square[slice][i] << 8 * i;
        table[slice].s[1] = vacant_white_king(coding->job.order, slice) != UINT64_MAX;
    }
    const int code = opencl_buffer_of(&coding->ocl->host, &coding->slices, table, slices->slices * sizeof *table);
    free(table);
    return code;
}

// The groups of men, the innermost one first; returns the number of their digits' values.
static cl_uint note_groups(struct opencl_coding *coding)
{
    const struct entry_order *order = coding->job.order;
    struct vacant_launch *launch = &coding->vacant_launch;
    cl_uint entries = 0;
    int inner = 0;
    while (order->group[inner].stride != 1)
        inner++;
    launch->groups = (cl_uint)order->groups;
    for (cl_uint i = 0; i < launch->groups; i++) {
        const struct entry_group *group = &order->group[(inner + (int)i) % order->groups];
        launch->size[i] = (cl_uint)group->size;
        launch->stride[i] = (cl_uint)group->stride;
        launch->at[i] = entries;
        launch->count[i] = group->count;
        launch->type[i] =
            group->colour == coding->job.coder->side && group->type != KING ? group->type : (cl_uint)CODE_NONE;
        if (group->type == KING)
            *(group->colour == WHITE ? &launch->king : &launch->black) = i;
        entries += launch->size[i];
    }
    return entries;
}

// Says where men stand, and who gives check.
static int make_vacant(struct opencl_coding *coding)
{
    struct vacant_launch *launch = &coding->vacant_launch;
    *launch = (struct vacant_launch){.white = coding->job.coder->side == WHITE};
    TRY(make_slices(coding));
    const cl_uint entries = note_groups(coding);
    cl_uint *squares;
    TRY(memory_new(&squares, entries, sizeof *squares, "the order of a table"));
    for (cl_uint i = 0; i < launch->groups; i++) {
        for (uint64_t digit = 0; digit < launch->size[i]; digit++) {
            uint8_t square[MATERIAL_MEN_MAX];
            entry_digit_squares(digit, (int)launch->count[i], square);
            for (cl_uint n = 0; n < launch->count[i]; n++)
                squares[launch->at[i] + digit] |= (cl_uint)square[n] << 8 * n;
        }
    }
    const int code = opencl_buffer_of(&coding->ocl->host, &coding->squares, squares, entries * sizeof *squares);
    free(squares);
    return code == 0 ? make_reach(coding) : code;
}

static bool can_code(const struct opencl_coding *coding)
{
    const struct opencl_coding_job *job = &coding->job;
    const struct entry_order *order = job->order;
    const bool small = job->symbols / CODE_UNIT < UNITS_MIN;
    if (order->thinned >= 0 || job->symbols > UINT32_MAX || order->per_slice % CODE_ROW != 0 ||
        (job->symbols > order->per_section && order->per_section % job->block != 0) ||
        (small && !coding->ocl->host.settings.symbols))
        return false;
    for (int g = 0; g < order->groups; g++) {
        const struct entry_group *group = &order->group[g];
        if (group->count > (int)sizeof(cl_uint) || (group->stride == 1 && group->size % SYMBOL_RUN != 0))
            return false;
    }
    return true;
}

// The number of blocks in a piece, at most.
static uint64_t blocks_most(const struct opencl_coding *coding)
{
    const struct opencl_backend *ocl = coding->ocl;
    const struct opencl_coding_job *job = &coding->job;
    const uint64_t in_memory = ocl->host.device.global_memory / MEMORY_PART / UNIT_BYTES;
    const uint64_t in_buffer = ocl->max_allocation / (4 * CODE_TOKENS);
    uint64_t units = ocl->host.device.type == OPENCL_CPU ? UNITS_CPU : UNITS_MAX;
    units = units < in_memory ? units : in_memory;
    units = units < in_buffer ? units : in_buffer;
    const uint64_t blocks = units * CODE_UNIT / job->block;
    const uint64_t all = (job->symbols + job->block - 1) / job->block;
    return blocks == 0 ? 1 : blocks < all ? blocks : all;
}

static void free_buffers(struct opencl_coding *coding)
{
    cl_mem *const buffers[] = {&coding->vacant, &coding->chosen, &coding->token,
                               &coding->size,   &coding->places, &coding->packed};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        opencl_buffer_free(&coding->ocl->host, *buffers[i]);
        *buffers[i] = NULL;
    }
    free(coding->unit);
    free(coding->place);
    coding->unit = NULL;
    coding->place = NULL;
}

static int take_buffers(struct opencl_coding *coding, uint64_t blocks)
{
    struct opencl_backend *ocl = coding->ocl;
    struct opencl_host *host = &ocl->host;
    const uint64_t block = coding->job.block;
    const uint64_t block_bytes = (block + CODE_UNIT - 1) / CODE_UNIT * UNIT_PACKED_MAX;
    uint64_t read = blocks;
    coding->room = blocks * block;
    const uint64_t units = (coding->room + CODE_UNIT - 1) / CODE_UNIT;
    uint64_t *half[2];
    TRY(ocl->base.bulk->halves(&ocl->base, (size_t)block_bytes, &read, half));
    coding->packed_bytes = read * block_bytes;
    TRY(opencl_buffer_take(host, &coding->packed, coding->packed_bytes, "coded blocks", NULL));
    if (coding->job.coder->distances && coding->job.order->slices != NULL)
        TRY(opencl_buffer_take(host, &coding->vacant, units * CODE_UNIT / 8, "vacant entries", NULL));
    TRY(opencl_buffer_take(host, &coding->chosen, units * CODE_UNIT, "symbols", NULL));
    TRY(opencl_buffer_take(host, &coding->token, units * CODE_TOKENS * sizeof(cl_uint), "tokens", NULL));
    TRY(opencl_buffer_take(host, &coding->size, units * sizeof(cl_uint2), "sizes of units", NULL));
    TRY(opencl_buffer_take(host, &coding->places, units * sizeof(cl_uint), "places of units", NULL));
    TRY(memory_new(&coding->unit, units, sizeof *coding->unit, "coded units"));
    return memory_new(&coding->place, units, sizeof *coding->place, "coded units");
}

int opencl_coding_open(struct opencl_coding *coding, struct opencl_backend *ocl, const struct opencl_coding_job *job,
                       uint64_t *room)
{
    const struct symbols_coder *coder = job->coder;
    *coding = (struct opencl_coding){.ocl = ocl, .job = *job};
    *room = 0;
    if (coder == NULL || !can_code(coding))
        return 0;
    uint64_t blocks = blocks_most(coding);
    int code = take_buffers(coding, blocks);
    while (code == CLTB_E_MEMORY && (blocks /= 2) * job->block / CODE_UNIT >= UNITS_MIN) {
        free_buffers(coding);
        code = take_buffers(coding, blocks);
    }
    if (code == CLTB_E_MEMORY) {
        free_buffers(coding);
        return 0;
    }
    TRY(code);
    TRY(make_kernels(ocl));
    coding->launch = coder->model;
    TRY(opencl_buffer_of(&ocl->host, &coding->table, coder->table, coder->words * sizeof *coder->table));
    if (coder->distances && job->order->slices != NULL)
        TRY(make_vacant(coding));
    *room = coding->room;
    return 0;
}

void opencl_coding_close(struct opencl_coding *coding)
{
    struct opencl_host *host = &coding->ocl->host;
    free_buffers(coding);
    opencl_buffer_free(host, coding->table);
    opencl_buffer_free(host, coding->squares);
    opencl_buffer_free(host, coding->reach);
    opencl_buffer_free(host, coding->slices);
}

// ---- step 2 ----

static int mark_vacant(struct opencl_coding *coding, uint64_t first, uint64_t count)
{
    struct opencl_backend *ocl = coding->ocl;
    struct vacant_launch *launch = &coding->vacant_launch;
    launch->first = (cl_uint)first;
    launch->items = (cl_uint)(count / 32);
    const struct opencl_argument arguments[] = {OPENCL_BUFFER(coding->squares), OPENCL_BUFFER(coding->reach),
                                                OPENCL_BUFFER(coding->slices), OPENCL_BUFFER(coding->vacant),
                                                OPENCL_STRUCT(*launch)};
    return opencl_run(&ocl->host, &ocl->code[KERNEL_VACANT], launch->items, OPENCL_ARGUMENTS(arguments));
}

int opencl_coding_run(struct opencl_coding *coding, cl_mem symbol, cl_mem vacant, uint64_t first, uint64_t count)
{
    struct opencl_backend *ocl = coding->ocl;
    struct code_launch *launch = &coding->launch;
    const struct opencl_kernel *kernel = ocl->code;
    launch->rows = (cl_uint)(count / CODE_ROW);
    launch->units = (cl_uint)((count + CODE_UNIT - 1) / CODE_UNIT);
    if (coding->vacant != NULL) {
        TRY(mark_vacant(coding, first, count));
        vacant = coding->vacant;
    }
    if (coding->job.coder->distances) {
        const struct opencl_argument plan[] = {OPENCL_BUFFER(symbol),         OPENCL_BUFFER(vacant),
                                               OPENCL_BUFFER(coding->chosen), OPENCL_BUFFER(coding->token),
                                               OPENCL_BUFFER(coding->size),   OPENCL_BUFFER(coding->table),
                                               OPENCL_STRUCT(*launch)};
        TRY(opencl_run(&ocl->host, &kernel[KERNEL_PLAN_DISTANCES], launch->units, OPENCL_ARGUMENTS(plan)));
    } else {
        const struct opencl_argument plan[] = {OPENCL_BUFFER(symbol),        OPENCL_BUFFER(coding->chosen),
                                               OPENCL_BUFFER(coding->token), OPENCL_BUFFER(coding->size),
                                               OPENCL_BUFFER(coding->table), OPENCL_STRUCT(*launch)};
        TRY(opencl_run(&ocl->host, &kernel[KERNEL_PLAN_OUTCOMES], launch->units, OPENCL_ARGUMENTS(plan)));
    }
    const struct opencl_argument code[] = {OPENCL_BUFFER(coding->token), OPENCL_BUFFER(coding->size),
                                           OPENCL_UINT(launch->units)};
    return opencl_run(&ocl->host, &kernel[KERNEL_CODE], launch->units, OPENCL_ARGUMENTS(code));
}

// ---- step 3 ----

int opencl_coding_sizes(struct opencl_coding *coding, uint32_t *units)
{
    *units = coding->launch.units;
    return opencl_check(clEnqueueReadBuffer(coding->ocl->host.queue, coding->size, CL_TRUE, 0,
                                            *units * sizeof *coding->unit, coding->unit, 0, NULL, NULL),
                        "reading the sizes of coded units");
}

int opencl_coding_read(struct opencl_coding *coding, uint32_t first, uint32_t units, uint32_t *count)
{
    struct opencl_backend *ocl = coding->ocl;
    const uint32_t in_block = (uint32_t)(coding->job.block / CODE_UNIT);
    uint64_t bytes = 0; // of whole blocks
    uint64_t next = 0;
    uint32_t end = first;
    for (uint32_t u = first; u < units; u++) {
        coding->place[u] = (uint32_t)(next / 2);
        next += coding->unit[u].bytes;
        if (next > coding->packed_bytes)
            break;
        if (u + 1 == units || (u + 1) % in_block == 0) {
            end = u + 1;
            bytes = next;
        }
    }
    *count = end - first;
    if (bytes == 0)
        return 0;
    TRY(opencl_check(clEnqueueWriteBuffer(ocl->host.queue, coding->places, CL_TRUE, first * sizeof *coding->place,
                                          *count * sizeof *coding->place, coding->place + first, 0, NULL, NULL),
                     "writing places of coded units"));
    const struct opencl_argument arguments[] = {
        OPENCL_BUFFER(coding->token),  OPENCL_BUFFER(coding->size), OPENCL_BUFFER(coding->places),
        OPENCL_BUFFER(coding->packed), OPENCL_UINT(first),          OPENCL_UINT(*count)};
    TRY(opencl_run(&ocl->host, &ocl->code[KERNEL_PACK], (cl_ulong)*count * CODE_ITEMS, OPENCL_ARGUMENTS(arguments)));
    return opencl_read_behind(ocl, 0, coding->packed, (size_t)bytes, ocl->host.kept.pinned.memory);
}

int opencl_coding_take(struct opencl_coding *coding, uint64_t at, uint64_t symbols, uint32_t first,
                       struct thread_pool *pool)
{
    const struct symbols_coder *coder = coding->job.coder;
    TRY(coding->ocl->base.bulk->wait(&coding->ocl->base, 0));
    return coder->take(coder->take_context, at, symbols, coding->unit + first, coding->place + first,
                       (const uint8_t *)coding->ocl->host.kept.pinned.memory, pool);
}

// ---- symbols of the host ----

static int code_piece(struct opencl_coding *coding, const struct code_request *request, cl_mem symbol, cl_mem sets,
                      uint64_t first, uint64_t count)
{
    struct opencl_backend *ocl = coding->ocl;
    const struct opencl_upload upload = {.from = request->symbols + first, .bytes = count};
    const cl_uint items = (cl_uint)(count / sizeof(cl_uint));
    uint32_t units;
    TRY(opencl_write_behind(ocl, symbol, &upload, 1));
    if (sets != NULL) {
        const struct opencl_argument arguments[] = {OPENCL_BUFFER(symbol), OPENCL_BUFFER(sets), OPENCL_UINT(items)};
        TRY(opencl_run(&ocl->host, &ocl->code[KERNEL_SETS], items, OPENCL_ARGUMENTS(arguments)));
    }
    TRY(opencl_coding_run(coding, symbol, NULL, first, count));
    TRY(opencl_coding_sizes(coding, &units));
    for (uint32_t unit = 0, some; unit < units; unit += some) {
        TRY(opencl_bulk_finish(ocl)); // both halves are free
        TRY(opencl_coding_read(coding, unit, units, &some));
        const uint64_t at = (uint64_t)unit * CODE_UNIT;
        const uint64_t end = unit + some == units ? count : at + (uint64_t)some * CODE_UNIT;
        TRY(opencl_coding_take(coding, first + at, end - at, unit, ocl->base.pool));
    }
    return 0;
}

int opencl_code(struct backend *backend, const struct code_request *request, bool *made)
{
    struct opencl_backend *ocl = opencl_of(backend);
    const struct opencl_coding_job job = {request->coder, request->order, request->section, request->count,
                                          request->unit};
    struct opencl_coding coding;
    uint64_t room;
    cl_mem symbol = NULL;
    cl_mem sets = NULL;
    *made = false;
    if (request->order->slices == NULL)
        return 0;
    int code = opencl_coding_open(&coding, ocl, &job, &room);
    if (code == 0 && room > 0)
        code = opencl_buffer_take(&ocl->host, &symbol, room, "symbols", NULL);
    if (code == 0 && room > 0 && !request->coder->distances)
        code = opencl_buffer_of(&ocl->host, &sets, request->coder->sets, UINT8_MAX + 1);
    const bool memory = code != CLTB_E_MEMORY;
    for (uint64_t first = 0; code == 0 && room > 0 && first < request->count; first += room) {
        const uint64_t left = request->count - first;
        code = code_piece(&coding, request, symbol, sets, first, left < room ? left : room);
        *made = true;
    }
    opencl_bulk_finish(ocl);
    opencl_buffer_free(&ocl->host, symbol);
    opencl_buffer_free(&ocl->host, sets);
    opencl_coding_close(&coding);
    return memory ? code : 0;
}
