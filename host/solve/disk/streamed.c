// streamed.c - a backend whose planes lie on disk and pass through another backend in windows
#include "solve/disk/streamed_inside.h"

#include "util/clock.h"
#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the log ----

static int add_step(struct streamed *streamed, int side, uint64_t set)
{
    if (streamed->steps == streamed->steps_space) {
        const uint32_t space = 2 * streamed->steps_space + 256;
        struct logged_step *step = realloc(streamed->step, space * sizeof *step);
        if (step == NULL)
            return error_memory(space * sizeof *step, "the log's steps");
        streamed->step = step;
        streamed->steps_space = space;
    }
    streamed->step[streamed->steps++] = (struct logged_step){side, set};
    return 0;
}

static int on_record(void *context, const struct stream_record *record)
{
    struct streamed *streamed = context;
    if (streamed->entries == streamed->entries_space) {
        const uint64_t space = 2 * streamed->entries_space + 4096;
        struct log_entry *entry = realloc(streamed->entry, space * sizeof *entry);
        if (entry == NULL)
            return error_memory(space * sizeof *entry, "the log's records");
        streamed->entry = entry;
        streamed->entries_space = space;
    }
    streamed->entry[streamed->entries++] = (struct log_entry){streamed->steps - 1, *record};
    streamed->sorted = false;
    return 0;
}

// ---- passes ----

static struct plane *inner_of(struct plane *const *inner, int role)
{
    return role < 0 ? NULL : inner[role];
}

static int do_step(const struct streamed *streamed, struct operation *operation, struct plane *const *inner)
{
    struct step step = {.side = operation->side,
                        .invert = operation->bit,
                        .in = inner_of(inner, operation->from),
                        .only = inner_of(inner, operation->only),
                        .extra = inner_of(inner, operation->extra),
                        .closed = inner_of(inner, operation->closed),
                        .fresh = inner_of(inner, operation->to)};
    TRY(streamed->inner->ops->step(streamed->inner, &step));
    operation->found += step.found;
    return 0;
}

static int do_operation(struct streamed *streamed, struct operation *operation, struct plane *const *inner)
{
    struct backend *backend = streamed->inner;
    const struct backend_ops *ops = backend->ops;
    struct plane *to = inner_of(inner, operation->to);
    const struct plane *from = inner_of(inner, operation->from);
    switch (operation->kind) {
    case OPERATION_FILL:
        return ops->fill(backend, to, operation->bit);
    case OPERATION_COMBINE:
        return ops->combine(backend, to, operation->combine, from);
    case OPERATION_OVERLAPS:
        return ops->overlaps(backend, to, &operation->pairs);
    case OPERATION_IMPORT:
        return ops->import(backend, to, &operation->import);
    case OPERATION_ATTACKS:
        return ops->attacks(backend, to, operation->side);
    case OPERATION_PRED:
        return ops->pred(backend, to, operation->side, from, operation->bit);
    case OPERATION_STEP:
        return do_step(streamed, operation, inner);
    default: // the log takes what is there
        return 0;
    }
}

static int work(void *context, uint32_t group, struct plane *const *inner)
{
    (void)group;
    struct streamed *streamed = context;
    for (int i = 0; i < streamed->operations; i++)
        TRY(do_operation(streamed, &streamed->operation[i], inner));
    return 0;
}

int streamed_flush(struct streamed *streamed)
{
    struct stream_pass pass = {.side = streamed->side < 0 ? WHITE : streamed->side,
                               .roles = streamed->roles,
                               .work = work,
                               .context = streamed,
                               .needed = streamed->needed,
                               .logged = on_record};
    if (streamed->failed != 0)
        return streamed->failed;
    memcpy(pass.role, streamed->role, sizeof pass.role);
    const int code = streamed->operations == 0 ? 0 : stream_windows_run(streamed->windows, &pass);
    streamed->operations = streamed->roles = 0;
    streamed->side = -1;
    streamed->needed = NULL;
    streamed->failed = code;
    return code;
}

static int find_role(const struct streamed *streamed, const struct plane *plane)
{
    for (int r = 0; r < streamed->roles; r++)
        if (streamed->role[r].plane == plane->number)
            return r;
    return -1;
}

enum use { USE_READ, USE_WRITE, USE_CHANGE }; // a plane is read; written as a whole; both

// What an operation does with its planes.
struct operand {
    const struct plane *plane; // NULL: none
    enum use use;
    int *role;
};

static bool there_is_room(const struct streamed *streamed, const struct operand *operands, int count, int side)
{
    int more = 0;
    if (streamed->operations == OPERATIONS_MAX)
        return false;
    if (side >= 0 && streamed->side >= 0 && side != streamed->side)
        return false;
    for (int i = 0; i < count; i++)
        more += operands[i].plane != NULL && find_role(streamed, operands[i].plane) < 0;
    return streamed->roles + more <= STREAM_ROLES;
}

// Adds an operation to what waits; `side`: of its moves, -1: none.
static int enqueue(struct streamed *streamed, const struct operand *operands, int count, int side,
                   struct operation **operation)
{
    if (streamed->failed != 0)
        return streamed->failed;
    for (int i = 0; i < count; i++)
        if (operands[i].plane != NULL && operands[i].plane->logged)
            return error_set(CLTB_E_USAGE, "a plane in the log takes part in no operation");
    if (!there_is_room(streamed, operands, count, side))
        TRY(streamed_flush(streamed));
    if (side >= 0)
        streamed->side = side;
    *operation = &streamed->operation[streamed->operations++];
    **operation = (struct operation){.side = side};
    for (int i = 0; i < count; i++) {
        *operands[i].role = -1;
        if (operands[i].plane == NULL)
            continue;
        int r = find_role(streamed, operands[i].plane);
        if (r < 0) {
            r = streamed->roles++;
            streamed->role[r] = (struct stream_role){
                .plane = operands[i].plane->number, .load = operands[i].use != USE_WRITE, .changed_by = -1};
        }
        streamed->role[r].store |= operands[i].use != USE_READ;
        *operands[i].role = r;
    }
    return 0;
}

// An operation on one plane or two.
static int simple(struct streamed *streamed, const struct operation *operation, struct plane *to, enum use use,
                  const struct plane *from, int side)
{
    int roles[2];
    struct operation *waiting = streamed->operation;
    const struct operand operands[] = {{from, USE_READ, &roles[1]}, {to, use, &roles[0]}};
    TRY(enqueue(streamed, operands, 2, side, &waiting));
    *waiting = *operation;
    waiting->to = roles[0];
    waiting->from = roles[1];
    return 0;
}

// ---- the operations ----

static void streamed_close(struct backend *backend)
{
    struct streamed *streamed = streamed_of(backend);
    stream_windows_close(streamed->windows);
    if (streamed->inner != NULL)
        streamed->inner->ops->close(streamed->inner);
    scratch_close(streamed->scratch, !streamed->finished);
    stream_grid_free(&streamed->grid);
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++)
        free(streamed->plane[p]);
    free(streamed->step);
    free(streamed->entry);
    free(streamed);
}

static const char *streamed_describe(struct backend *backend)
{
    struct streamed *streamed = streamed_of(backend);
    return streamed->inner->ops->describe(streamed->inner);
}

static int plane_new(struct backend *backend, struct plane **result)
{
    struct streamed *streamed = streamed_of(backend);
    *result = NULL;
    struct plane *plane = calloc(1, sizeof *plane);
    if (plane == NULL)
        return error_memory(sizeof *plane, "a plane");
    const int code = scratch_plane_new(streamed->scratch, &plane->number);
    if (code != 0) {
        free(plane);
        return code;
    }
    streamed->plane[plane->number] = plane;
    *result = plane;
    return 0;
}

static void plane_free(struct backend *backend, struct plane *plane)
{
    struct streamed *streamed = streamed_of(backend);
    if (plane == NULL)
        return;
    if (find_role(streamed, plane) >= 0)
        (void)streamed_flush(streamed); // a fault shows at the next operation
    for (uint32_t i = 0; plane->logged && i < streamed->steps; i++)
        streamed->step[i].set &= ~(UINT64_C(1) << plane->number); // the number may come again
    scratch_plane_free(streamed->scratch, plane->number);
    streamed->plane[plane->number] = NULL;
    free(plane);
}

// Empties a plane without a pass.
static int empty(struct streamed *streamed, struct plane *plane)
{
    if (find_role(streamed, plane) >= 0)
        TRY(streamed_flush(streamed));
    const uint32_t blocks = streamed->grid.groups[WHITE] * streamed->grid.groups[BLACK];
    for (uint32_t i = 0; i < blocks; i++)
        scratch_clear(streamed->scratch, plane->number, i);
    return streamed->failed;
}

static int streamed_fill(struct backend *backend, struct plane *plane, bool bit)
{
    const struct operation operation = {.kind = OPERATION_FILL, .bit = bit, .side = -1};
    struct streamed *streamed = streamed_of(backend);
    if (!bit && find_role(streamed, plane) < 0)
        return empty(streamed, plane);
    return simple(streamed, &operation, plane, USE_WRITE, NULL, -1);
}

static int streamed_combine(struct backend *backend, struct plane *to, enum plane_operation how,
                            const struct plane *from)
{
    const struct operation operation = {.kind = OPERATION_COMBINE, .combine = how, .side = -1};
    const bool whole = how == PLANE_COPY || how == PLANE_COPY_NOT;
    return simple(streamed_of(backend), &operation, to, whole ? USE_WRITE : USE_CHANGE, from, -1);
}

static int streamed_overlaps(struct backend *backend, struct plane *plane, const struct men_pairs *pairs)
{
    const struct operation operation = {.kind = OPERATION_OVERLAPS, .pairs = *pairs, .side = -1};
    return simple(streamed_of(backend), &operation, plane, USE_CHANGE, NULL, -1);
}

static int streamed_import(struct backend *backend, struct plane *plane, const struct import *import)
{
    const struct operation operation = {.kind = OPERATION_IMPORT, .import = *import, .side = -1};
    return simple(streamed_of(backend), &operation, plane, USE_CHANGE, NULL, -1);
}

static int streamed_import_slabs(struct backend *backend, struct plane *plane, const struct slab_import *imports,
                                 size_t count)
{
    (void)backend;
    (void)plane;
    (void)imports;
    (void)count;
    return error_set(CLTB_E_USAGE, "slices are not streamed");
}

static int streamed_attacks(struct backend *backend, struct plane *plane, int side)
{
    const struct operation operation = {.kind = OPERATION_ATTACKS, .side = side};
    TRY(simple(streamed_of(backend), &operation, plane, USE_WRITE, NULL, WHITE));
    return side == WHITE ? 0 : simple(streamed_of(backend), &operation, plane, USE_CHANGE, NULL, BLACK);
}

static int streamed_pred(struct backend *backend, struct plane *to, int side, const struct plane *from, bool invert)
{
    const struct operation operation = {.kind = OPERATION_PRED, .side = side, .bit = invert};
    return simple(streamed_of(backend), &operation, to, USE_WRITE, from, side);
}

static bool window_empty(const struct streamed *streamed, int side, uint32_t group, const struct plane *plane)
{
    for (uint32_t other = 0; other < streamed->grid.groups[side ^ 1]; other++)
        if (!scratch_empty(streamed->scratch, plane->number, stream_block_of(&streamed->grid, side, group, other)))
            return false;
    return true;
}

static void clear_window(const struct streamed *streamed, int side, uint32_t group, const struct plane *plane)
{
    for (uint32_t other = 0; other < streamed->grid.groups[side ^ 1]; other++)
        scratch_clear(streamed->scratch, plane->number, stream_block_of(&streamed->grid, side, group, other));
}

// The windows in which a step can change anything; in the others there is nothing new.
static void find_needed(struct streamed *streamed, const struct step *step, uint8_t *needed)
{
    const struct plane *source = step->invert ? step->only : step->in;
    for (uint32_t g = 0; g < streamed->grid.groups[step->side]; g++) {
        needed[g] = source == NULL || step->extra != NULL || !window_empty(streamed, step->side, g, source);
        if (!needed[g])
            clear_window(streamed, step->side, g, step->fresh);
    }
}

// The planes that get a step's new bits are in the log from now on.
static int log_planes(struct streamed *streamed, int side, struct plane *const *planes, int count)
{
    uint64_t set = 0;
    for (int i = 0; i < count; i++) {
        if (planes[i]->logged && planes[i]->side != side)
            return error_set(CLTB_E_USAGE, "a plane in the log is changed by both sides");
        planes[i]->logged = true;
        planes[i]->side = side;
        set |= UINT64_C(1) << planes[i]->number;
    }
    return add_step(streamed, side, set);
}

static int run_step(struct streamed *streamed, struct step *step)
{
    struct operation *waiting = streamed->operation;
    struct operation operation = {.kind = OPERATION_STEP, .side = step->side, .bit = step->invert};
    const struct operand operands[] = {{step->in, USE_READ, &operation.from},
                                       {step->only, USE_READ, &operation.only},
                                       {step->extra, USE_READ, &operation.extra},
                                       {step->closed, USE_CHANGE, &operation.closed},
                                       {step->fresh, USE_WRITE, &operation.to}};
    TRY(enqueue(streamed, operands, 5, step->side, &waiting));
    *waiting = operation;
    streamed->role[operation.closed].changed_by = operation.to;
    streamed->role[operation.to].log = step->planes > 0;
    for (int i = 0; i < 2; i++) {
        const int r = i == 0 ? operation.from : operation.only;
        if (r >= 0)
            streamed->role[r].flags = true;
    }
    TRY(streamed_flush(streamed));
    step->found = streamed->operation[0].found;
    return 0;
}

static int streamed_step(struct backend *backend, struct step *step)
{
    struct streamed *streamed = streamed_of(backend);
    TRY(streamed_flush(streamed));
    uint8_t *needed = malloc(streamed->grid.groups[step->side]);
    if (needed == NULL)
        return error_memory(streamed->grid.groups[step->side], "a step");
    find_needed(streamed, step, needed);
    streamed->needed = needed;
    int code = step->planes > 0 ? log_planes(streamed, step->side, step->plane, step->planes) : 0;
    if (code == 0)
        code = run_step(streamed, step);
    streamed->needed = NULL;
    free(needed);
    return code;
}

static int streamed_record(struct backend *backend, int side, struct plane *const *planes, int count,
                           const struct plane *bits)
{
    struct streamed *streamed = streamed_of(backend);
    struct operation *waiting = streamed->operation;
    struct operation operation = {.kind = OPERATION_RECORD, .side = side};
    const struct operand operands[] = {{bits, USE_READ, &operation.from}};
    TRY(streamed_flush(streamed));
    TRY(log_planes(streamed, side, planes, count));
    TRY(enqueue(streamed, operands, 1, side, &waiting));
    *waiting = operation;
    streamed->role[operation.from].log = true;
    streamed->role[operation.from].flags = true;
    return streamed_flush(streamed);
}

// The bits of one tile out of its block on disk.
static void tile_of_block(const struct stream_grid *grid, const uint8_t *block, uint64_t tiles, uint64_t tile,
                          uint8_t *bits)
{
    const uint8_t *from = block + stream_flag_bytes(tiles);
    memset(bits, 0, grid->tile_bytes);
    if (!(block[tile / 8] >> tile % 8 & 1))
        return;
    for (uint64_t i = 0; i < tile; i++)
        from += block[i / 8] >> i % 8 & 1 ? grid->tile_bytes : 0;
    memcpy(bits, from, grid->tile_bytes);
}

// The window of a side that a row or column is in.
static uint32_t group_of(const struct stream_grid *grid, int side, uint64_t number)
{
    uint32_t group = 0;
    while (stream_first(grid, side, group + 1) <= number)
        group++;
    return group;
}

static int read_tile(struct streamed *streamed, const struct plane *plane, uint64_t number, void *block, uint8_t *bits)
{
    const struct stream_grid *grid = &streamed->grid;
    uint64_t row;
    uint32_t column;
    side_blocks_find(&grid->at[BLACK], number, &row, &column);
    const uint32_t r = group_of(grid, BLACK, row);
    const uint32_t c = group_of(grid, WHITE, column);
    const uint64_t columns = stream_count(grid, WHITE, c);
    const uint64_t tile = (row - stream_first(grid, BLACK, r)) * columns + column - stream_first(grid, WHITE, c);
    if (scratch_empty(streamed->scratch, plane->number, stream_block(grid, r, c))) {
        memset(bits, 0, grid->tile_bytes);
        return 0;
    }
    TRY(scratch_read(streamed->scratch, plane->number, stream_block(grid, r, c), block));
    tile_of_block(grid, block, stream_count(grid, BLACK, r) * columns, tile, bits);
    return 0;
}

// Slow: a block for each tile. Tables are read by windows (streamed_tiles.c).
static int streamed_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count,
                         uint64_t *bits)
{
    struct streamed *streamed = streamed_of(backend);
    void *block = NULL;
    if (plane->logged)
        return error_set(CLTB_E_USAGE, "a plane in the log is read by windows only");
    TRY(streamed_flush(streamed));
    if (posix_memalign(&block, SCRATCH_ALIGN, scratch_slot(streamed->scratch)) != 0)
        return error_memory(scratch_slot(streamed->scratch), "a block");
    int code = 0;
    for (uint64_t i = 0; code == 0 && i < count; i++)
        code = read_tile(streamed, plane, first + i, block, (uint8_t *)bits + i * streamed->grid.tile_bytes);
    free(block);
    return code;
}

static const struct backend_ops streamed_ops = {
    .close = streamed_close,
    .describe = streamed_describe,
    .plane_new = plane_new,
    .plane_free = plane_free,
    .fill = streamed_fill,
    .combine = streamed_combine,
    .overlaps = streamed_overlaps,
    .import = streamed_import,
    .import_slabs = streamed_import_slabs,
    .attacks = streamed_attacks,
    .pred = streamed_pred,
    .step = streamed_step,
    .record = streamed_record,
    .read = streamed_read,
};

// ---- opening ----

// Is the shape of an earlier run's work what this run wants?
static int check_shape(const struct streamed *streamed)
{
    const struct scratch_shape shape = scratch_shape(streamed->scratch);
    if (shape.slot_bytes < streamed->options.block)
        return error_set(
            CLTB_E_USAGE,
            "the work of an earlier run in %s/%s.cltb.* has blocks of %.1f KiB: go on without --block, or remove "
            "those files to begin anew",
            streamed->options.dir, streamed->options.name, (double)shape.slot_bytes / 0x1p10);
    const uint64_t needed = stream_memory(&shape, &streamed->base.layout, STREAM_THREADS);
    if (streamed->options.memory == 0 || needed <= streamed->options.memory)
        return 0;
    return error_set(CLTB_E_MEMORY,
                     "the work of an earlier run in %s/%s.cltb.* needs %.1f MiB of memory, %.1f MiB are allowed: "
                     "allow more, or remove those files to begin anew",
                     streamed->options.dir, streamed->options.name,
                     (double)(needed + streamed->options.beside) / 0x1p20,
                     (double)(streamed->options.memory + streamed->options.beside) / 0x1p20);
}

static int open_all(struct streamed *streamed, enum scratch_start *start)
{
    const struct streamed_options *options = &streamed->options;
    const struct scratch_options files = {.dir = options->dir,
                                          .name = options->name,
                                          .identity = options->identity,
                                          .shape = options->shape,
                                          .stop = options->stop,
                                          .context = options->context};
    TRY(scratch_open(&streamed->scratch, &files, start));
    const struct scratch_shape shape = scratch_shape(streamed->scratch);
    TRY(stream_grid_make(&streamed->grid, &streamed->base.layout, &shape));
    if (*start == SCRATCH_RESUMED || *start == SCRATCH_RESUMED_OLDER) {
        TRY(check_shape(streamed));
        TRY(streamed_resume(streamed));
    }
    TRY(options->open(options->context, &streamed->base.layout, stream_window_tiles(&streamed->grid),
                      &streamed->inner));
    const struct stream_options windows = {streamed->inner, streamed->scratch, &streamed->grid, options->stop,
                                           options->context};
    return stream_windows_open(&streamed->windows, &windows);
}

int backend_streamed_open(struct backend **backend, const struct layout *layout, const struct streamed_options *options,
                          enum scratch_start *start)
{
    *backend = NULL;
    struct streamed *streamed = calloc(1, sizeof *streamed);
    if (streamed == NULL)
        return error_memory(sizeof *streamed, "the streamed planes");
    streamed->base = (struct backend){.ops = &streamed_ops, .keeper = &streamed_keeper, .layout = *layout};
    streamed->options = *options;
    streamed->side = -1;
    streamed->saved_at = wall_seconds();
    const int code = open_all(streamed, start);
    if (code != 0) {
        streamed_close(&streamed->base);
        return code;
    }
    *backend = &streamed->base;
    return 0;
}

void streamed_finished(struct backend *backend)
{
    streamed_of(backend)->finished = true;
}

struct scratch_traffic streamed_traffic(const struct backend *backend)
{
    return scratch_traffic(((const struct streamed *)backend)->scratch);
}
