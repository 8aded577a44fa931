// streamed.c - a backend whose planes lie on disk and pass through another backend in windows
#include "solve/disk/streamed.h"

#include "solve/backend_windows.h"
#include "solve/disk/streamed_state.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/saturate.h"

#include <stdlib.h>
#include <string.h>

static struct plane *inner_of(struct plane *const *inner, int role)
{
    return role < 0 ? NULL : inner[role];
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
    case OPERATION_STEP: {
        struct step step = {.side = operation->side,
                            .invert = operation->bit,
                            .in = from,
                            .only = inner_of(inner, operation->only),
                            .extra = inner_of(inner, operation->extra),
                            .closed = inner_of(inner, operation->closed),
                            .fresh = to};
        TRY(ops->step(backend, &step));
        operation->found += step.found;
        operation->weight += step.weight;
        return 0;
    }
    default: // OPERATION_RECORD: the plane is only logged, by the pass itself
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

// The range of windows that this process works on.
static void own_windows(const struct streamed *streamed, int side, uint32_t *first, uint32_t *last)
{
    const struct peers *peers = streamed->peers;
    const uint32_t groups = streamed->grid.groups[side];
    *first = 0;
    *last = groups;
    while (peers != NULL && *first < groups && peers_owner(peers, groups, *first) < peers->rank)
        ++*first;
    while (peers != NULL && *last > *first && peers_owner(peers, groups, *last - 1) > peers->rank)
        --*last;
}

static int run_pass(struct streamed *streamed, const struct stream_pass *pass)
{
    if (streamed->peers != NULL) { // all processes stop together
        uint64_t stop = streamed->stop != NULL && streamed->stop(streamed->context) != 0;
        TRY(streamed_sum(streamed, &stop));
        if (stop > 0)
            return error_set(CLTB_E_INTERRUPTED, "interrupted between two passes");
    }
    for (int r = 0; r < pass->roles; r++)
        TRY(streamed_place(streamed, streamed->plane[pass->role[r].plane], pass->side, pass->role[r].load));
    return stream_windows_run(streamed->windows, pass);
}

int streamed_flush(struct backend *backend)
{
    struct streamed *streamed = streamed_of(backend);
    struct stream_pass pass = {.side = streamed->side < 0 ? WHITE : streamed->side,
                               .roles = streamed->roles,
                               .work = work,
                               .context = streamed,
                               .needed = streamed->needed,
                               .step = streamed->steps - 1,
                               .weight = streamed->inner->windows->weighs ? NULL : &streamed->weight};
    if (streamed->failed != 0)
        return streamed->failed;
    memcpy(pass.role, streamed->role, sizeof pass.role);
    own_windows(streamed, pass.side, &pass.first, &pass.last);
    const int code = streamed->operations == 0 ? 0 : run_pass(streamed, &pass);
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

enum use { USE_READ, USE_WRITE, USE_CHANGE }; // read; written as a whole; both

// What an operation does with its planes.
struct operand {
    const struct plane *plane; // NULL: none
    enum use use;
    int *role;
};

// Adds an operation to the queue. Sets the roles of its operands. `side`: of its moves, -1: none.
static int enqueue(struct streamed *streamed, const struct operand *operands, int count, int side,
                   const struct operation *operation)
{
    int more = 0; // roles to be added
    if (streamed->failed != 0)
        return streamed->failed;
    for (int i = 0; i < count; i++) {
        if (operands[i].plane != NULL && operands[i].plane->logged)
            return error_set(CLTB_E_USAGE, "a plane in the log takes part in no operation");
        more += operands[i].plane != NULL && find_role(streamed, operands[i].plane) < 0;
    }
    if (streamed->operations == OPERATIONS_MAX || streamed->roles + more > STREAM_ROLES ||
        (side >= 0 && streamed->side >= 0 && side != streamed->side))
        TRY(streamed_flush(&streamed->base));
    if (side >= 0)
        streamed->side = side;
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
    streamed->operation[streamed->operations++] = *operation;
    return 0;
}

// Queues an operation on one or two planes.
static int simple(struct backend *backend, struct operation operation, struct plane *to, enum use use,
                  const struct plane *from, int side)
{
    const struct operand operands[] = {{from, USE_READ, &operation.from}, {to, use, &operation.to}};
    return enqueue(streamed_of(backend), operands, 2, side, &operation);
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
    struct plane *plane;
    TRY(memory_new(&plane, 1, sizeof *plane, "a plane"));
    const int code = scratch_plane_new(streamed->scratch, &plane->number);
    if (code == 0)
        *result = streamed->plane[plane->number] = plane;
    else
        free(plane);
    return code;
}

static void plane_free(struct backend *backend, struct plane *plane)
{
    struct streamed *streamed = streamed_of(backend);
    if (plane == NULL)
        return;
    if (find_role(streamed, plane) >= 0)
        (void)streamed_flush(backend); // a failure is reported by the next operation
    for (uint32_t i = 0; plane->logged && i < streamed->steps; i++)
        streamed->step[i].set &= ~(UINT64_C(1) << plane->number); // the number may be used again
    scratch_plane_free(streamed->scratch, plane->number);
    streamed->plane[plane->number] = NULL;
    free(plane);
}

static int streamed_fill(struct backend *backend, struct plane *plane, bool bit)
{
    const struct operation operation = {.kind = OPERATION_FILL, .bit = bit, .side = -1};
    struct streamed *streamed = streamed_of(backend);
    if (bit || find_role(streamed, plane) >= 0)
        return simple(backend, operation, plane, USE_WRITE, NULL, -1);
    const uint32_t blocks = streamed->grid.groups[WHITE] * streamed->grid.groups[BLACK];
    for (uint32_t i = 0; i < blocks; i++) // needs no pass
        scratch_clear(streamed->scratch, plane->number, i);
    return streamed->failed;
}

static int streamed_combine(struct backend *backend, struct plane *to, enum plane_operation how,
                            const struct plane *from)
{
    const struct operation operation = {.kind = OPERATION_COMBINE, .combine = how, .side = -1};
    const bool whole = how == PLANE_COPY || how == PLANE_COPY_NOT;
    return simple(backend, operation, to, whole ? USE_WRITE : USE_CHANGE, from, -1);
}

static int streamed_overlaps(struct backend *backend, struct plane *plane, const struct men_pairs *pairs)
{
    const struct operation operation = {.kind = OPERATION_OVERLAPS, .pairs = *pairs, .side = -1};
    return simple(backend, operation, plane, USE_CHANGE, NULL, -1);
}

static int streamed_import(struct backend *backend, struct plane *plane, const struct import *import)
{
    const struct operation operation = {.kind = OPERATION_IMPORT, .import = *import, .side = -1};
    return simple(backend, operation, plane, USE_CHANGE, NULL, -1);
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
    TRY(simple(backend, operation, plane, USE_WRITE, NULL, WHITE));
    return side == WHITE ? 0 : simple(backend, operation, plane, USE_CHANGE, NULL, BLACK);
}

static int streamed_pred(struct backend *backend, struct plane *to, int side, const struct plane *from, bool invert)
{
    const struct operation operation = {.kind = OPERATION_PRED, .side = side, .bit = invert};
    return simple(backend, operation, to, USE_WRITE, from, side);
}

// The windows in which a step can change anything: those where its source has a bit. In the others, `fresh` is cleared.
static void find_needed(struct streamed *streamed, const struct step *step, uint8_t *needed)
{
    const struct plane *source = step->invert ? step->only : step->in;
    uint32_t g;
    uint32_t last;
    for (own_windows(streamed, step->side, &g, &last); g < last; g++) {
        const uint32_t others = streamed->grid.groups[step->side ^ 1];
        needed[g] = source == NULL || step->extra != NULL;
        for (uint32_t other = 0; !needed[g] && other < others; other++)
            needed[g] = !scratch_empty(streamed->scratch, source->number,
                                       stream_block_of(&streamed->grid, step->side, g, other));
        for (uint32_t other = 0; !needed[g] && other < others; other++)
            scratch_clear(streamed->scratch, step->fresh->number,
                          stream_block_of(&streamed->grid, step->side, g, other));
    }
}

// From now on, the planes that a step adds its new bits to are in the log.
static int log_planes(struct streamed *streamed, struct logged_step step, struct plane *const *planes, int count)
{
    const int side = step.side;
    for (int i = 0; i < count; i++) {
        if (planes[i]->logged && planes[i]->side != side)
            return error_set(CLTB_E_USAGE, "a plane in the log is changed by both sides");
        planes[i]->logged = true;
        planes[i]->side = side;
        step.set |= UINT64_C(1) << planes[i]->number;
    }
    TRY(memory_grow(&streamed->step, &streamed->steps_space, (size_t)streamed->steps + 1, sizeof *streamed->step,
                    "the log's steps"));
    streamed->step[streamed->steps++] = step;
    return 0;
}

static int run_step(struct streamed *streamed, struct step *step)
{
    struct operation operation = {.kind = OPERATION_STEP, .side = step->side, .bit = step->invert};
    const struct operand operands[] = {{step->in, USE_READ, &operation.from},
                                       {step->only, USE_READ, &operation.only},
                                       {step->extra, USE_READ, &operation.extra},
                                       {step->closed, USE_CHANGE, &operation.closed},
                                       {step->fresh, USE_WRITE, &operation.to}};
    TRY(enqueue(streamed, operands, 5, step->side, &operation));
    streamed->weight = 0;
    streamed->role[operation.closed].changed_by = operation.to;
    streamed->role[operation.to].log = step->planes > 0;
    if (operation.from >= 0)
        streamed->role[operation.from].flags = true;
    if (operation.only >= 0)
        streamed->role[operation.only].flags = true;
    TRY(streamed_flush(&streamed->base));
    uint64_t sums[] = {streamed->operation[0].found, streamed->operation[0].weight + streamed->weight};
    if (streamed->peers != NULL)
        TRY(streamed->peers->sum(streamed->peers->context, sums, 2));
    step->found = sums[0];
    step->weight = sums[1];
    return 0;
}

static int streamed_step(struct backend *backend, struct step *step)
{
    struct streamed *streamed = streamed_of(backend);
    TRY(streamed_flush(backend));
    uint8_t *needed = malloc(streamed->grid.groups[step->side]);
    if (needed == NULL)
        return error_memory(streamed->grid.groups[step->side], "a step");
    const struct plane *source = step->invert ? step->only : step->in;
    int code = source == NULL ? 0 : streamed_place(streamed, streamed->plane[source->number], step->side, true);
    THEN(code, streamed_place(streamed, step->fresh, step->side, false));
    if (code == 0)
        find_needed(streamed, step, needed);
    streamed->needed = needed;
    if (code == 0 && step->planes > 0)
        code = log_planes(streamed, (struct logged_step){(int16_t)step->side, !step->invert, step->ply, 0}, step->plane,
                          step->planes);
    THEN(code, run_step(streamed, step));
    streamed->needed = NULL;
    free(needed);
    return code;
}

static int streamed_record(struct backend *backend, int side, struct plane *const *planes, int count,
                           const struct plane *bits)
{
    struct streamed *streamed = streamed_of(backend);
    const struct operation operation = {.kind = OPERATION_RECORD, .side = side};
    TRY(streamed_flush(backend));
    TRY(log_planes(streamed, (struct logged_step){.side = (int16_t)side}, planes, count)); // mates
    TRY(simple(backend, operation, NULL, USE_READ, bits, side));
    streamed->role[0].log = streamed->role[0].flags = true; // `bits`: the only plane of the pass
    return streamed_flush(backend);
}

// The window of a side that contains this row or column.
static uint32_t group_of(const struct stream_grid *grid, int side, uint64_t number)
{
    uint32_t group = 0;
    while (stream_first(grid, side, group + 1) <= number)
        group++;
    return group;
}

// Reads the block of one tile and copies the tile out of it.
static int read_tile(struct streamed *streamed, const struct plane *plane, uint64_t number, void *buffer, uint8_t *bits)
{
    const struct stream_grid *grid = &streamed->grid;
    uint64_t row;
    uint32_t column;
    side_blocks_find(&grid->at[BLACK], number, &row, &column);
    const uint32_t r = group_of(grid, BLACK, row);
    const uint32_t c = group_of(grid, WHITE, column);
    const uint64_t columns = stream_count(grid, WHITE, c);
    const uint64_t tile = (row - stream_first(grid, BLACK, r)) * columns + column - stream_first(grid, WHITE, c);
    memset(bits, 0, grid->tile_bytes);
    if (scratch_empty(streamed->scratch, plane->number, stream_block(grid, r, c)))
        return 0;
    const void *view;
    TRY(scratch_read(streamed->scratch, plane->number, stream_block(grid, r, c), buffer, &view));
    const uint8_t *block = view;
    const uint8_t *from = block + stream_flag_bytes(stream_count(grid, BLACK, r) * columns);
    for (uint64_t i = 0; i < tile; i++)
        from += block[i / 8] >> i % 8 & 1 ? grid->tile_bytes : 0;
    if (block[tile / 8] >> tile % 8 & 1)
        memcpy(bits, from, grid->tile_bytes);
    return 0;
}

// Slow: reads a block for each tile. Tables are read by windows instead (streamed_tiles.c).
static int streamed_read(struct backend *backend, const struct plane *plane, uint64_t first, uint64_t count,
                         uint64_t *bits)
{
    struct streamed *streamed = streamed_of(backend);
    if (plane->logged)
        return error_set(CLTB_E_USAGE, "a plane in the log is read by windows only");
    TRY(streamed_flush(backend));
    void *block;
    int code = scratch_buffer_new(streamed->scratch, &block);
    for (uint64_t i = 0; code == 0 && i < count; i++)
        code = read_tile(streamed, plane, first + i, block, (uint8_t *)bits + i * streamed->grid.tile_bytes);
    scratch_buffer_free(streamed->scratch, block);
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
    .read = streamed_read,
};

static const struct backend_log streamed_log = {.record = streamed_record};

// ---- checkpoints ----

// The head of a checkpoint's state. Plane records, steps and the solver's state follow.
struct books {
    uint32_t planes;
    uint32_t steps;
    uint64_t state_bytes;
};

struct plane_record {
    uint32_t number;
    int32_t logged; // -1: no; otherwise the side
};

static uint64_t books_bytes(const struct books *books)
{
    return sizeof *books + books->planes * sizeof(struct plane_record) + books->steps * sizeof(struct logged_step) +
           books->state_bytes;
}

static int save(struct backend *backend, const void *state, size_t state_bytes, bool now)
{
    struct streamed *streamed = streamed_of(backend);
    uint64_t due =
        now || (peers_rank(streamed->peers) == 0 && wall_seconds() - streamed->saved_at >= streamed->interval);
    TRY(streamed_sum(streamed, &due));
    if (due == 0)
        return 0;
    TRY(streamed_flush(backend));
    struct peer_books peers = {.number = streamed->checkpoints + 1};
    const size_t peers_bytes = streamed->together ? sizeof peers : 0;
    peers.ranks = streamed->together ? (uint32_t)streamed->peers->ranks : 1;
    struct books books = {.steps = streamed->steps, .state_bytes = state_bytes + peers_bytes};
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++)
        books.planes += streamed->plane[p] != NULL;
    uint8_t *all = malloc(books_bytes(&books));
    if (all == NULL)
        return error_memory(books_bytes(&books), "a checkpoint");
    uint8_t *at = (uint8_t *)memcpy(all, &books, sizeof books) + sizeof books;
    for (unsigned p = 0; p < SCRATCH_PLANES_MAX; p++) {
        const struct plane *plane = streamed->plane[p];
        if (plane == NULL)
            continue;
        peers.lies[p] = (uint8_t)plane->lies;
        const struct plane_record record = {plane->number, plane->logged ? plane->side : -1};
        memcpy(at, &record, sizeof record);
        at += sizeof record;
    }
    if (books.steps > 0)
        memcpy(at, streamed->step, books.steps * sizeof *streamed->step);
    at += books.steps * sizeof *streamed->step;
    memcpy(at, state, state_bytes);
    memcpy(at + state_bytes, &peers, peers_bytes);
    const int code = scratch_save(streamed->scratch, all, books_bytes(&books));
    free(all);
    streamed->saved_at = wall_seconds();
    streamed->checkpoints++;
    // No process begins the next checkpoint before all have this one.
    return code == 0 ? streamed_sum(streamed, &due) : code;
}

static const void *saved(struct backend *backend, size_t *bytes)
{
    size_t all;
    struct books books;
    const struct streamed *streamed = streamed_of(backend);
    const uint8_t *found = scratch_saved(streamed->scratch, &all);
    if (found == NULL)
        return NULL;
    memcpy(&books, found, sizeof books);
    *bytes = books.state_bytes - (streamed->together ? sizeof(struct peer_books) : 0);
    return found + all - books.state_bytes;
}

static unsigned number(const struct plane *plane)
{
    return plane->number;
}

static struct plane *plane_of(struct backend *backend, unsigned plane)
{
    return plane < SCRATCH_PLANES_MAX ? streamed_of(backend)->plane[plane] : NULL;
}

static const struct keeper streamed_keeper = {.save = save, .saved = saved, .number = number, .plane = plane_of};

static int misfit(const struct streamed_options *options)
{
    return error_set(CLTB_E_CORRUPT, "the checkpoint in %s does not fit its planes: remove the file to start over",
                     options->path);
}

// Takes planes and steps from the checkpoint found at the start.
static int take_books(struct streamed *streamed, const struct streamed_options *options)
{
    size_t bytes;
    struct books books;
    uint64_t records;
    const uint8_t *at = scratch_saved(streamed->scratch, &bytes);
    if (at == NULL || bytes < sizeof books)
        return misfit(options);
    memcpy(&books, at, sizeof books);
    struct peer_books peers = {.ranks = 1};
    if (streamed->together && books.state_bytes >= sizeof peers && books.state_bytes <= bytes)
        memcpy(&peers, at + bytes - sizeof peers, sizeof peers);
    else if (streamed->together)
        return misfit(options);
    if (books.planes > SCRATCH_PLANES_MAX || books.state_bytes > bytes || books_bytes(&books) != bytes)
        return misfit(options);
    at += sizeof books;
    for (uint32_t i = 0; i < books.planes; i++, at += sizeof(struct plane_record)) {
        struct plane_record record;
        memcpy(&record, at, sizeof record);
        if (!scratch_plane_exists(streamed->scratch, record.number) || streamed->plane[record.number] != NULL ||
            record.logged > BLACK || peers.lies[record.number] > BLACK)
            return misfit(options);
        struct plane *plane;
        TRY(memory_new(&plane, 1, sizeof *plane, "a plane"));
        *plane =
            (struct plane){.number = record.number, .logged = record.logged >= 0, .lies = peers.lies[record.number]};
        plane->side = plane->logged ? record.logged : 0;
        streamed->plane[record.number] = plane;
    }
    streamed->step = malloc(books.steps * sizeof *streamed->step + 1);
    if (streamed->step == NULL)
        return error_memory(books.steps * sizeof *streamed->step, "the log's steps");
    memcpy(streamed->step, at, books.steps * sizeof *streamed->step);
    streamed->steps = books.steps;
    streamed->steps_space = books.steps;
    for (uint32_t i = 0; i < books.steps; i++)
        if (streamed->step[i].side != WHITE && streamed->step[i].side != BLACK)
            return misfit(options);
    const struct scratch_record *record = scratch_records(streamed->scratch, &records);
    for (uint64_t i = 0; i < records; i++)
        if (record[i].step >= books.steps ||
            record[i].group >= streamed->grid.groups[streamed->step[record[i].step].side])
            return misfit(options);
    return 0;
}

// ---- opening ----

static int open_all(struct streamed *streamed, const struct streamed_options *options, enum scratch_start *start)
{
    const struct scratch_options files = {.path = options->path,
                                          .identity = options->identity,
                                          .shape = options->shape,
                                          .stop = options->stop,
                                          .context = options->context};
    TRY(streamed_open_scratch(streamed, &files, options->folder, start));
    const struct scratch_shape shape = scratch_shape(streamed->scratch);
    TRY(stream_grid_make(&streamed->grid, &streamed->base.layout, &shape));
    const uint64_t needed = stream_memory(&shape, &streamed->base.layout, STREAM_THREADS);
    if (*start == SCRATCH_RESUMED || *start == SCRATCH_RESUMED_OLDER) {
        if (shape.slot_bytes != stream_block_bytes(&shape, &streamed->base.layout))
            return misfit(options);
        if (shape.slot_bytes < options->block)
            return error_set(CLTB_E_USAGE,
                             "the work of an earlier run in %s has blocks of %.1f KiB: resume it without --block, or "
                             "remove that file to start over",
                             options->path, (double)shape.slot_bytes / 0x1p10);
        if (options->memory > 0 && needed > options->memory)
            return error_set(CLTB_E_MEMORY,
                             "the work of an earlier run in %s needs %.1f MiB of memory, %.1f MiB are allowed: allow "
                             "more, or remove that file to start over",
                             options->path, (double)(needed + options->beside) / 0x1p20,
                             (double)(options->memory + options->beside) / 0x1p20);
        TRY(take_books(streamed, options));
    }
    const uint64_t room = options->memory > needed ? options->memory - needed : 0;
    TRY(scratch_keep(streamed->scratch, options->memory == 0 ? options->kept : u64_smaller(options->kept, room)));
    TRY(options->open(options->context, &streamed->base.layout, stream_window_tiles(&streamed->grid),
                      &streamed->inner));
    const struct stream_options windows = {streamed->inner, streamed->scratch, &streamed->grid,
                                           options->peers == NULL ? options->stop : NULL, options->context};
    return stream_windows_open(&streamed->windows, &windows);
}

int backend_streamed_open(struct backend **backend, const struct layout *layout, const struct streamed_options *options,
                          enum scratch_start *start)
{
    *backend = NULL;
    struct streamed *streamed;
    TRY(memory_new(&streamed, 1, sizeof *streamed, "the streamed planes"));
    streamed->base = (struct backend){.ops = &streamed_ops, .log = &streamed_log, .layout = *layout};
    streamed->keeper = streamed_keeper;
    keeper_open(&streamed->keeper);
    streamed->base.guest = &streamed->keeper.guest;
    streamed->stop = options->stop;
    streamed->context = options->context;
    streamed->interval = options->interval;
    streamed->peers = options->peers;
    streamed->side = -1;
    streamed->saved_at = wall_seconds();
    const int code = open_all(streamed, options, start);
    if (code == 0)
        *backend = &streamed->base;
    else
        streamed_close(&streamed->base);
    return code;
}

void streamed_finished(struct backend *backend)
{
    streamed_of(backend)->finished = true;
}

struct scratch_traffic streamed_traffic(const struct backend *backend)
{
    return scratch_traffic(((const struct streamed *)backend)->scratch);
}
