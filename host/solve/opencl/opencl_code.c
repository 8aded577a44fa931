// opencl_code.c - the blocks of a section, coded on the device (opencl_code.h)
//
//     1. Memory: a piece has as many units as keep the device busy, if there is memory for them.
//     2. Kernels mark the vacant entries of a piece, plan its units and code them.
//     3. When the sizes of the units have been read, it is known where each begins among the packed bytes. Units are
//        packed and read as many at a time as fit into a half of the pinned memory, usually all.
#include "solve/opencl/opencl_code.h"

#include "index/vacant.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct coded_unit) == sizeof(cl_uint2), "the kernels' numbers");

enum {
    UNITS_MAX = 1 << 16,                 // in a piece: half of the work-items that a large GPU can hold
    UNITS_MIN = 1 << 8,                  // with fewer, processors are done earlier
    UNITS_CPU = 16,                      // in a piece, on a processor
    UNIT_CODE_BYTES = 16384 + CODE_UNIT, // of a unit: codes of entries and symbols (opencl_symbols.c),
    UNIT_BYTES = UNIT_CODE_BYTES + CODE_UNIT + 4 * CODE_TOKENS + CODE_UNIT / 8 + 12, // and everything here
    UNIT_PACKED_MAX = 2 * CODE_TOKENS,
    MEMORY_PART = 8, // of the device's memory, at most
    REACH_TYPES = PAWN,
    GROUP_ITEMS = 32 // in a work-group: so few that the units of five men are spread over a large GPU
};

// ---- step 1 ----

static int make_kernels(struct opencl_backend *ocl)
{
    static const char *const texts[] = {"code.cl", NULL};
    static const char *const names[CODE_KERNELS] = {[KERNEL_VACANT] = "vacant_entries",
                                                    [KERNEL_PLAN_DISTANCES] = "plan_distances",
                                                    [KERNEL_PLAN_OUTCOMES] = "plan_outcomes",
                                                    [KERNEL_CODE] = "code_units",
                                                    [KERNEL_PACK] = "pack_units"};
    cl_program program;
    if (ocl->code[0].kernel != NULL)
        return 0;
    TRY(opencl_session_program(ocl->host.session, &program, PROGRAM_CODE, texts, "-cl-std=CL1.2"));
    for (int i = 0; i < CODE_KERNELS; i++) {
        const bool per_unit = i != KERNEL_VACANT && i != KERNEL_PACK;
        TRY(opencl_kernel_make(&ocl->host, &ocl->code[i], program, names[i],
                               per_unit ? GROUP_ITEMS : ocl->kernel[KERNEL_SYMBOLS].local));
    }
    return 0;
}

// The squares of each digit of a group, a byte for each man.
static void group_squares(const struct entry_group *group, cl_uint *squares)
{
    for (uint64_t digit = 0; digit < group->size; digit++) {
        uint8_t square[MATERIAL_MEN_MAX];
        entry_digit_squares(digit, group->count, square);
        for (int i = 0; i < group->count; i++)
            squares[digit] |= (cl_uint)square[i] << 8 * i;
    }
}

static int make_reach(struct opencl_coding *coding)
{
    const size_t entries = (size_t)REACH_TYPES * SQUARES * SQUARES;
    cl_ulong *reach;
    TRY(memory_new(&reach, entries, sizeof *reach, "moves of men"));
    for (size_t i = 0; i < entries; i++) {
        const int type = (int)(i / SQUARES / SQUARES);
        reach[i] = vacant_way(type, (int)(i / SQUARES % SQUARES), (int)(i % SQUARES));
    }
    const int code = opencl_buffer_of(&coding->ocl->host, &coding->reach, reach, entries * sizeof *reach);
    free(reach);
    return code;
}

// Says where men stand, and who gives check. `digits`: the groups in the kernels' order.
static int make_vacant(struct opencl_coding *coding, const struct symbols_launch *digits)
{
    const struct symbols_request *request = coding->request;
    const struct entry_order *order = request->order;
    const int side = request->coder->side;
    const int king = triangle_square[request->king];
    struct vacant_launch *launch = &coding->vacant_launch;
    size_t entries = 0;
    *launch = (struct vacant_launch){
        .white_king = UINT64_MAX, .groups = digits->groups, .black_king = (cl_uint)king, .white = side == WHITE};
    for (int square = 0; square_on_diagonal(king) && square < SQUARES; square++) {
        if (square_rank(square) > square_file(square))
            launch->white_king &= ~square_bit(square);
    }
    for (cl_uint i = 0; i < digits->groups; i++)
        entries += digits->size[i];
    cl_uint *squares;
    TRY(memory_new(&squares, entries, sizeof *squares, "the order of a table"));
    for (cl_uint i = 0; i < digits->groups; i++) {
        const struct entry_group *group = order->group;
        while (group->stride != digits->stride[i])
            group++;
        launch->size[i] = digits->size[i];
        launch->stride[i] = digits->stride[i];
        launch->at[i] = digits->at[i];
        launch->count[i] = group->count;
        launch->type[i] = group->colour == side && group->type != KING ? group->type : CODE_NONE;
        if (group->type == KING)
            launch->king = i;
        group_squares(group, squares + launch->at[i]);
    }
    const int code = opencl_buffer_of(&coding->ocl->host, &coding->squares, squares, entries * sizeof *squares);
    free(squares);
    return code == 0 ? make_reach(coding) : code;
}

static bool can_code(const struct opencl_coding *coding)
{
    const struct entry_order *order = coding->request->order;
    const bool small = order->per_section / CODE_UNIT < UNITS_MIN;
    if (order->squares != SQUARES || order->per_section % CODE_ROW != 0 ||
        (small && !coding->ocl->host.settings.symbols))
        return false;
    for (int g = 0; g < order->groups; g++) {
        if (order->group[g].count > (int)sizeof(cl_uint))
            return false;
    }
    return true;
}

// The number of blocks in a piece, at most.
static uint64_t blocks_most(const struct opencl_coding *coding)
{
    const struct opencl_backend *ocl = coding->ocl;
    const uint64_t block = coding->request->unit;
    const uint64_t in_memory = ocl->host.device.global_memory / MEMORY_PART / UNIT_BYTES;
    const uint64_t in_buffer = ocl->max_allocation / (4 * CODE_TOKENS);
    uint64_t units = ocl->host.device.type == OPENCL_CPU ? UNITS_CPU : UNITS_MAX;
    units = units < in_memory ? units : in_memory;
    units = units < in_buffer ? units : in_buffer;
    const uint64_t blocks = units * CODE_UNIT / block;
    const uint64_t all = (coding->request->order->per_section + block - 1) / block;
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
    const uint64_t block = coding->request->unit;
    const uint64_t block_bytes = (block + CODE_UNIT - 1) / CODE_UNIT * UNIT_PACKED_MAX;
    uint64_t read = blocks;
    coding->room = blocks * block;
    const uint64_t units = (coding->room + CODE_UNIT - 1) / CODE_UNIT;
    TRY(ocl->base.bulk->halves(&ocl->base, (size_t)block_bytes, &read, coding->half));
    coding->half_bytes = read * block_bytes;
    TRY(opencl_buffer_take(host, &coding->packed, coding->half_bytes, "coded blocks", NULL));
    TRY(opencl_buffer_take(host, &coding->vacant, units * CODE_UNIT / 8, "vacant entries", NULL));
    TRY(opencl_buffer_take(host, &coding->chosen, units * CODE_UNIT, "symbols", NULL));
    TRY(opencl_buffer_take(host, &coding->token, units * CODE_TOKENS * sizeof(cl_uint), "tokens", NULL));
    TRY(opencl_buffer_take(host, &coding->size, units * sizeof(cl_uint2), "sizes of units", NULL));
    TRY(opencl_buffer_take(host, &coding->places, units * sizeof(cl_uint), "places of units", NULL));
    TRY(memory_new(&coding->unit, units, sizeof *coding->unit, "coded units"));
    return memory_new(&coding->place, units, sizeof *coding->place, "coded units");
}

int opencl_coding_open(struct opencl_coding *coding, struct opencl_backend *ocl, const struct symbols_request *request,
                       const struct symbols_launch *digits, uint64_t *room)
{
    *coding = (struct opencl_coding){.ocl = ocl, .request = request};
    *room = 0;
    if (request->coder == NULL || !can_code(coding))
        return 0;
    const uint64_t block = request->unit;
    uint64_t blocks = blocks_most(coding);
    int code = take_buffers(coding, blocks);
    while (code == CLTB_E_MEMORY && (blocks /= 2) * block / CODE_UNIT >= UNITS_MIN) {
        free_buffers(coding);
        code = take_buffers(coding, blocks);
    }
    if (code == CLTB_E_MEMORY) {
        free_buffers(coding);
        return 0;
    }
    TRY(code);
    TRY(make_kernels(ocl));
    coding->launch = request->coder->model;
    TRY(opencl_buffer_of(&ocl->host, &coding->table, request->coder->table,
                         request->coder->words * sizeof *request->coder->table));
    if (request->coder->distances)
        TRY(make_vacant(coding, digits));
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
}

// ---- step 2 ----

int opencl_coding_run(struct opencl_coding *coding, cl_mem symbol, uint64_t first, uint64_t count)
{
    struct opencl_backend *ocl = coding->ocl;
    struct code_launch *launch = &coding->launch;
    struct vacant_launch *vacant = &coding->vacant_launch;
    const struct opencl_kernel *kernel = ocl->code;
    launch->rows = (cl_uint)(count / CODE_ROW);
    launch->units = (cl_uint)((count + CODE_UNIT - 1) / CODE_UNIT);
    if (coding->request->coder->distances) {
        vacant->first = (cl_uint)first;
        vacant->items = (cl_uint)(count / 32);
        const struct opencl_argument marks[] = {OPENCL_BUFFER(coding->squares), OPENCL_BUFFER(coding->reach),
                                                OPENCL_BUFFER(coding->vacant), OPENCL_STRUCT(*vacant)};
        TRY(opencl_run(&ocl->host, &kernel[KERNEL_VACANT], vacant->items, OPENCL_ARGUMENTS(marks)));
        const struct opencl_argument plan[] = {OPENCL_BUFFER(symbol),         OPENCL_BUFFER(coding->vacant),
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
    const uint32_t in_block = (uint32_t)(coding->request->unit / CODE_UNIT);
    uint64_t bytes = 0; // of whole blocks
    uint64_t next = 0;
    uint32_t end = first;
    for (uint32_t u = first; u < units; u++) {
        coding->place[u] = (uint32_t)(next / 2);
        next += coding->unit[u].bytes;
        if (next > coding->half_bytes)
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
    return opencl_read_behind(ocl, 0, coding->packed, (size_t)bytes, coding->half[0]);
}

int opencl_coding_take(struct opencl_coding *coding, uint64_t at, uint64_t symbols, uint32_t first,
                       struct thread_pool *pool)
{
    const struct symbols_coder *coder = coding->request->coder;
    TRY(coding->ocl->base.bulk->wait(&coding->ocl->base, 0));
    return coder->take(coder->take_context, at, symbols, coding->unit + first, coding->place + first,
                       (const uint8_t *)coding->half[0], pool);
}
