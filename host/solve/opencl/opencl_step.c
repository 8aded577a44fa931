// opencl_step.c - one ply of one side: a launch for each piece over the whole table, and two to finish
//
//     1. reach     Which tiles can change at all? (Skipped when all can.)
//     2. moves     = the black king's moves (without pawns), or the first piece's.
//     3. moves    |= the other pieces' moves, one launch each.
//     4. finish    The new bits go into the closed and the fresh plane and are counted.
//     5. record    The new bits go into the distance planes.
//     6. The counters, zeroed by `reach`, are read back, for two steps at a time if the caller allows it.
//
// A launch covers a part of the planes, which is all of them unless the device's buffers are too small. Only the
// counters are read back, once a ply.
#include "solve/opencl/opencl.h"

#include <stdio.h>

// What moves, from which plane to which.
struct sweep {
    const struct plane *from;
    const struct plane *to;
    cl_mem wanted;
    cl_uint mode;    // SWEEP_*
    cl_uint target;  // for attacks
    cl_uint enemies; //
};

static int sweep_piece(struct opencl_backend *ocl, const struct sweep *sweep, int piece)
{
    const struct layout *layout = &ocl->base.layout;
    const cl_uint own = opencl_bit(layout, piece);
    const cl_mem flags = opencl_flags(ocl, sweep->from);
    for (int i = 0; i < ocl->parts; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        const cl_ulong groups = layout->pair && piece < 2 ? part.tiles / PAIR_TILES * 8 : part.tiles / 8;
        const struct sweep_launch launch = {
            .items = groups * (layout->tile_lanes / 256), // an eighth of the words of 32 lanes
            .first_tile = part.tile,
            .digit = opencl_digit(layout, piece),
            .blockers = (opencl_men(layout, WHITE) | opencl_men(layout, BLACK)) & ~own,
            .enemies = sweep->enemies & ~own,
            .target = sweep->target,
            .mode = sweep->mode,
        };
        const struct opencl_argument arguments[] = {OPENCL_BUFFER(sweep->from->part[i]),
                                                    OPENCL_BUFFER(sweep->to->part[i]),
                                                    OPENCL_BUFFER(flags),
                                                    OPENCL_BUFFER(sweep->wanted),
                                                    OPENCL_BUFFER(ocl->fixed),
                                                    OPENCL_BUFFER(ocl->table),
                                                    OPENCL_STRUCT(ocl->shape),
                                                    OPENCL_STRUCT(launch)};
        if (opencl_profiles(&ocl->host))
            snprintf(ocl->host.note, sizeof ocl->host.note, "digit %u%s%s%s", (unsigned)launch.digit,
                     launch.mode & SWEEP_STORE ? ", store" : "", launch.mode & SWEEP_INVERT ? ", invert" : "",
                     launch.mode & SWEEP_ATTACK ? ", attack" : "");
        TRY(opencl_run(&ocl->host, &ocl->sweep[layout->type[piece]], launch.items, OPENCL_ARGUMENTS(arguments)));
    }
    return 0;
}

static int sweep_black_king(struct opencl_backend *ocl, const struct sweep *sweep)
{
    const cl_mem flags = opencl_flags(ocl, sweep->from);
    for (int pair = 0; pair < ocl->parts * ocl->parts; pair++) {
        const struct opencl_part to = opencl_part(ocl, pair / ocl->parts);
        const struct opencl_part from = opencl_part(ocl, pair % ocl->parts);
        const struct king_launch launch = {
            .items = to.tiles * (ocl->base.layout.tile_lanes / 64 / RUN_WORDS),
            .from_first = from.first,
            .from_count = from.count,
            .to_first = to.first,
            .to_count = to.count,
            .mode = sweep->mode | (from.number == 0 ? SWEEP_STORE : 0),
        };
        const struct opencl_argument arguments[] = {OPENCL_BUFFER(sweep->from->part[from.number]),
                                                    OPENCL_BUFFER(sweep->to->part[to.number]),
                                                    OPENCL_BUFFER(flags),
                                                    OPENCL_BUFFER(sweep->wanted),
                                                    OPENCL_BUFFER(ocl->kings),
                                                    OPENCL_BUFFER(ocl->table),
                                                    OPENCL_STRUCT(ocl->shape),
                                                    OPENCL_STRUCT(launch)};
        TRY(opencl_run(&ocl->host, &ocl->kernel[KERNEL_KING], launch.items, OPENCL_ARGUMENTS(arguments)));
    }
    return 0;
}

static bool moves_with(const struct layout *layout, int piece, int side)
{
    return layout_is_man(layout, piece) && layout->colour[piece] == side;
}

// sweep->to = all moves of the side; tiles that are not wanted stay as they are.
static int sweep_side(struct opencl_backend *ocl, struct sweep *sweep, int side)
{
    const struct layout *layout = &ocl->base.layout;
    const cl_uint mode = sweep->mode;
    if (side == BLACK && layout->slices == 0)
        TRY(sweep_black_king(ocl, sweep));
    else
        sweep->mode |= SWEEP_STORE;
    for (int i = 0; i < layout->pieces; i++) {
        if (!moves_with(layout, i, side))
            continue;
        TRY(sweep_piece(ocl, sweep, i));
        sweep->mode = mode;
    }
    return 0;
}

// ---- a step ----

static cl_uint first_counter(const struct step *step)
{
    return step->later ? 0 : 2 * STEP_COUNTERS;
}

// Sets ocl->wanted; `source` is the plane that some move must lead into, or NULL.
static int reach_tiles(struct opencl_backend *ocl, const struct step *step, const struct plane *source)
{
    const struct layout *layout = &ocl->base.layout;
    const cl_uint digits = layout->slices == 0 ? ~0U : (1U << ocl->shape.placed) - 1; // fixed men do not move
    const struct plane *extra = step->extra == NULL ? source : step->extra;
    const bool all = source == NULL || !source->sparse || !extra->sparse;
    const cl_mem flags = all ? ocl->ones : source->active;
    const cl_mem extra_flags = all ? ocl->ones : extra->active;
    const struct reach_launch launch = {
        .tiles = (cl_uint)ocl->tiles,
        .movers = opencl_men(layout, step->side) & digits,
        .mode = (all ? REACH_ALL : 0U) | (step->extra != NULL ? REACH_EXTRA : 0U) |
                (step->fresh->sparse ? 0U : REACH_STALE),
        .first_counter = first_counter(step),
    };
    const cl_ulong items = launch.tiles > 2 * STEP_COUNTERS ? launch.tiles : 2 * STEP_COUNTERS;
    const struct opencl_argument arguments[] = {
        OPENCL_BUFFER(flags),       OPENCL_BUFFER(extra_flags), OPENCL_BUFFER(step->fresh->active),
        OPENCL_BUFFER(ocl->wanted), OPENCL_BUFFER(ocl->kings),  OPENCL_BUFFER(ocl->counters),
        OPENCL_STRUCT(ocl->shape),  OPENCL_STRUCT(launch),
    };
    return opencl_run(&ocl->host, &ocl->kernel[KERNEL_REACH], items, OPENCL_ARGUMENTS(arguments));
}

static struct finish_launch finish_launch(const struct opencl_backend *ocl, const struct opencl_part *part)
{
    return (struct finish_launch){
        .items = part->bytes / sizeof(cl_uint4),
        .first_tile = part->tile,
        .tile_shift = (cl_uint)__builtin_ctzll(ocl->base.layout.tile_lanes / 128),
    };
}

// What layout_tile_weight() needs; in a window, whose tiles have other numbers, and in slices every tile weighs 1.
static void set_weights(const struct opencl_backend *ocl, struct finish_launch *launch)
{
    const struct layout *layout = &ocl->base.layout;
    if (layout->slices > 0 || ocl->window.open)
        return;
    launch->king_tiles = ocl->shape.king_tiles;
    launch->alike = UINT64_MAX;
    for (unsigned king = 0; king < TRIANGLE_SQUARES; king++)
        launch->diagonal |= (cl_uint)square_on_diagonal(triangle_square[king]) << king;
    if (!layout->pair)
        return;
    launch->pair_shift = (cl_uint)__builtin_ctzll(layout->stride[0]);
    launch->alike = 0;
    for (unsigned u = 0; u < 8; u++)
        launch->alike |= UINT64_C(1) << (u * (u + 1) / 2 + u);
}

// Puts the new bits into the closed and the fresh plane and counts them.
static int finish(struct opencl_backend *ocl, struct step *step)
{
    for (int i = 0; i < ocl->parts; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        const struct plane *extra = step->extra != NULL ? step->extra : ocl->moves;
        struct finish_launch launch = finish_launch(ocl, &part);
        launch.mode = step->invert ? FINISH_INVERT : step->extra != NULL ? FINISH_EXTRA : 0;
        launch.first_counter = first_counter(step);
        set_weights(ocl, &launch);
        const struct opencl_argument arguments[] = {
            OPENCL_BUFFER(ocl->moves->part[i]),   OPENCL_BUFFER(extra->part[i]),
            OPENCL_BUFFER(step->closed->part[i]), OPENCL_BUFFER(step->fresh->part[i]),
            OPENCL_BUFFER(step->fresh->active),   OPENCL_BUFFER(ocl->wanted),
            OPENCL_BUFFER(ocl->counters),         OPENCL_STRUCT(launch),
        };
        TRY(opencl_run(&ocl->host, &ocl->kernel[KERNEL_FINISH], launch.items, OPENCL_ARGUMENTS(arguments)));
    }
    step->fresh->sparse = true;
    step->fresh->empty = false;
    return 0;
}

// Adds the fresh plane to planes first..first+RECORD_PLANES-1 of the step, as far as they exist.
static int record(struct opencl_backend *ocl, const struct step *step, int first)
{
    for (int i = 0; i < ocl->parts; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        struct finish_launch launch = finish_launch(ocl, &part);
        cl_mem plane[RECORD_PLANES];
        for (int n = 0; n < RECORD_PLANES; n++) {
            plane[n] = first + n < step->planes ? step->plane[first + n]->part[i] : step->fresh->part[i];
            launch.planes += first + n < step->planes;
        }
        const struct opencl_argument arguments[] = {OPENCL_BUFFER(step->fresh->part[i]),
                                                    OPENCL_BUFFER(step->fresh->active),
                                                    OPENCL_BUFFER(plane[0]),
                                                    OPENCL_BUFFER(plane[1]),
                                                    OPENCL_BUFFER(plane[2]),
                                                    OPENCL_BUFFER(plane[3]),
                                                    OPENCL_STRUCT(launch)};
        TRY(opencl_run(&ocl->host, &ocl->kernel[KERNEL_RECORD], launch.items, OPENCL_ARGUMENTS(arguments)));
    }
    return 0;
}

// Called when a plane has got the bits of the fresh one. In a window it keeps its flags and also gets those of the
// fresh one, because flags save transfers.
static int step_written(struct opencl_backend *ocl, struct plane *plane, const struct plane *fresh)
{
    plane->empty = false;
    if (ocl->window.open && plane->sparse)
        return opencl_combine_buffers(ocl, plane->active, PLANE_OR, fresh->active, opencl_flag_bytes(ocl->tiles));
    plane->sparse = false;
    return 0;
}

// Waits for what has been launched, and counts the bits of a step (NULL: of none), and of the one left for later.
static int read_counters(struct opencl_backend *ocl, struct step *step)
{
    struct step *const steps[2] = {ocl->later, step};
    cl_uint counters[2][2][STEP_COUNTERS];
    const size_t first = steps[0] != NULL ? 0 : 1;
    const size_t bytes = sizeof counters[0] * ((step != NULL ? 2 : 1) - first);
    ocl->later = NULL;
    if (bytes == 0)
        return 0;
    const cl_int status = clEnqueueReadBuffer(ocl->host.queue, ocl->counters, CL_TRUE, first * sizeof counters[0],
                                              bytes, counters[first], 0, NULL, NULL);
    TRY(opencl_check(status, "reading the counters of a step"));
    for (int n = 0; n < 2; n++) {
        if (steps[n] == NULL)
            continue;
        for (int i = 0; i < STEP_COUNTERS; i++) {
            steps[n]->found += counters[n][0][i];
            steps[n]->weight += ocl->window.open ? 0 : counters[n][1][i];
        }
        steps[n]->fresh->empty = steps[n]->found == 0;
    }
    return 0;
}

// Settles the planes that a step reads. The fresh one needs no settling: if it may have old bits, it is written as a
// whole.
static int settle_planes(struct opencl_backend *ocl, const struct step *step)
{
    const struct plane *const read[] = {step->in, step->only, step->extra, step->closed};
    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        if (read[i] != NULL)
            TRY(opencl_settle(ocl, read[i]));
    }
    for (int i = 0; i < step->planes; i++)
        TRY(opencl_settle(ocl, step->plane[i]));
    if (step->fresh->unwritten)
        opencl_written(step->fresh);
    return 0;
}

static int run_step(struct opencl_backend *ocl, struct step *step)
{
    struct sweep sweep = {.from = step->in, .to = ocl->moves, .wanted = ocl->wanted};
    sweep.mode = step->invert ? SWEEP_INVERT : 0;
    TRY(settle_planes(ocl, step));
    TRY(reach_tiles(ocl, step, step->invert ? step->only : step->in));
    TRY(sweep_side(ocl, &sweep, step->side));
    TRY(finish(ocl, step));
    for (int first = 0; first < step->planes; first += RECORD_PLANES)
        TRY(record(ocl, step, first));
    TRY(step_written(ocl, step->closed, step->fresh));
    for (int i = 0; i < step->planes; i++)
        TRY(step_written(ocl, step->plane[i], step->fresh));
    if (!step->later)
        return read_counters(ocl, step);
    ocl->later = step;
    return 0;
}

int opencl_step(struct backend *backend, struct step *step)
{
    struct opencl_backend *ocl = opencl_of(backend);
    step->found = step->weight = 0;
    if (step->invert && step->extra != NULL && step->only == NULL)
        return error_set(CLTB_E_USAGE, "a losing step of all positions has no extra ones");
    TRY(opencl_begin(ocl, step->side));
    if (step->later && ocl->later != NULL)
        TRY(read_counters(ocl, NULL));
    const struct plane *source = step->invert ? step->only : step->in;
    const bool all = step->invert && step->only == NULL; // positions are looked at, whatever is new
    const bool idle = !all && source->empty && (step->extra == NULL || step->extra->empty);
    if (idle) { // no move can lead to anything
        if (!step->fresh->empty)
            TRY(opencl_fill(backend, step->fresh, false));
        return step->later ? 0 : opencl_end(ocl, read_counters(ocl, NULL));
    }
    const int code = run_step(ocl, step);
    if (code != 0)
        ocl->later = NULL; // its caller no longer exists
    return opencl_end(ocl, code);
}

// ---- moves and attacks without an iteration ----

int opencl_pred(struct backend *backend, struct plane *to, int side, const struct plane *from, bool invert)
{
    struct opencl_backend *ocl = opencl_of(backend);
    TRY(opencl_begin(ocl, side));
    if (from->empty && !invert)
        return opencl_fill(backend, to, false);
    struct sweep sweep = {.from = from, .to = to, .wanted = ocl->ones, .mode = invert ? SWEEP_INVERT : 0};
    TRY(opencl_settle(ocl, from));
    opencl_written(to);
    return opencl_end(ocl, sweep_side(ocl, &sweep, side));
}

static int add_attacks(struct opencl_backend *ocl, struct plane *plane, int side)
{
    const struct layout *layout = &ocl->base.layout;
    for (int i = 0; i < layout->pieces; i++) {
        const bool kings = layout->slices == 0 && side == BLACK && i == layout->white_king;
        if (!moves_with(layout, i, side) && !kings)
            continue;
        if (ocl->window.open && layout->colour[i] != ocl->window.side)
            continue;
        const struct sweep sweep = {
            .from = plane,
            .to = plane,
            .wanted = ocl->ones,
            .mode = SWEEP_ATTACK | (kings ? SWEEP_KINGS : 0U),
            .target = opencl_bit(layout, layout_king(layout, kings ? BLACK : 1 - side)),
            .enemies = opencl_men(layout, 1 - side),
        };
        TRY(sweep_piece(ocl, &sweep, i));
    }
    cl_uint pawns = 0;
    for (int i = 0; i < layout->fixed; i++) {
        if (layout->fixed_type[i] == PAWN && layout->fixed_colour[i] == side)
            pawns |= opencl_bit(layout, layout->pieces + i);
    }
    for (int i = 0; pawns != 0 && i < ocl->parts; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        const struct pawns_launch launch = {
            .items = part.bytes / sizeof(cl_uint),
            .first_tile = part.tile,
            .pawns = pawns,
            .enemies = opencl_men(layout, 1 - side),
            .king = opencl_digit(layout, layout_king(layout, 1 - side)),
        };
        const struct opencl_argument arguments[] = {
            OPENCL_BUFFER(plane->part[i]),     OPENCL_BUFFER(ocl->fixed), OPENCL_BUFFER(ocl->table),
            OPENCL_BUFFER(ocl->targets[side]), OPENCL_STRUCT(ocl->shape), OPENCL_STRUCT(launch),
        };
        TRY(opencl_run(&ocl->host, &ocl->kernel[KERNEL_PAWNS], launch.items, OPENCL_ARGUMENTS(arguments)));
    }
    return 0;
}

// In the triangle, the black king attacks the square that the white king attacks. So Black's attacks are those of its
// pieces on the white king, and those of the white king on the black one. In a slice both kings are pieces like others.
// In a window only men of its side have all their squares; Black's windows come second.
int opencl_attacks(struct backend *backend, struct plane *plane, int side)
{
    struct opencl_backend *ocl = opencl_of(backend);
    TRY(opencl_begin(ocl, ANY_SIDE));
    if (!ocl->window.open || ocl->window.side == WHITE)
        TRY(opencl_fill(backend, plane, false));
    opencl_written(plane);
    return opencl_end(ocl, add_attacks(ocl, plane, side));
}
