// opencl_step.c - one ply of one side: a launch for each piece over the whole table, and one to finish
//
//     reach     which tiles can change at all (not when all can)
//     moves     = the black king's moves (without pawns), or the first piece's
//     moves    |= the other pieces' moves, one launch each
//     finish    the new bits, into the planes; their number
//
// A launch covers a part of the planes, which is all of them unless the device's buffers are too small. Nothing is read
// back but the counters, once a step.
#include "solve/opencl/opencl.h"

#include "solve/opencl/status.h"

// As in kernels/sweep.cl, king.cl, reach.cl and finish.cl.
enum {
    MODE_INVERT = 1,
    MODE_STORE = 2,
    MODE_ATTACK = 4,
    MODE_KINGS = 8,
    REACH_ALL = 1,
    REACH_EXTRA = 2,
    REACH_STALE = 4,
    FINISH_INVERT = 1,
    FINISH_EXTRA = 2
};

// What moves, from where to where.
struct sweep {
    int side;
    const struct plane *from;
    const struct plane *to;
    cl_mem wanted;
    cl_uint mode;
    cl_uint target;  // of attacks
    cl_uint enemies; //
};

#define ARGUMENTS(list) (list), sizeof(list) / sizeof((list)[0])

static int sweep_piece(struct opencl_backend *ocl, const struct sweep *sweep, int piece, const struct opencl_part *part)
{
    const struct layout *layout = &ocl->base.layout;
    const cl_uint digit = opencl_digit(layout, piece);
    const cl_ulong groups = layout->pair && piece < 2 ? part->tiles / PAIR_TILES * 8 : part->tiles / 8;
    const cl_ulong items = groups * (layout->tile_lanes / 256); // words of 32 lanes, an 8th of them
    const cl_uint shift = ocl->shift[piece];
    const cl_uint blockers = (opencl_men(layout, WHITE) | opencl_men(layout, BLACK)) & ~opencl_bit(layout, piece);
    const cl_uint enemies = sweep->enemies & ~opencl_bit(layout, piece);
    const cl_mem flags = opencl_flags(ocl, sweep->from);
    const struct opencl_argument arguments[] = {
        OPENCL_BUFFER(sweep->from->part[part->number]),
        OPENCL_BUFFER(sweep->to->part[part->number]),
        OPENCL_BUFFER(flags),
        OPENCL_BUFFER(sweep->wanted),
        OPENCL_BUFFER(ocl->fixed),
        OPENCL_BUFFER(ocl->table),
        OPENCL_ULONG(items),
        OPENCL_UINT(part->tile),
        OPENCL_UINT(ocl->locals),
        OPENCL_UINT4(ocl->shape),
        OPENCL_UINT(digit),
        OPENCL_UINT(shift),
        OPENCL_UINT(blockers),
        OPENCL_UINT(enemies),
        OPENCL_UINT(sweep->target),
        OPENCL_UINT(sweep->mode),
    };
    return opencl_run(&ocl->host, &ocl->sweep[layout->type[piece]], items, ARGUMENTS(arguments));
}

static int sweep_king(struct opencl_backend *ocl, const struct sweep *sweep, const struct opencl_part *to, cl_uint mode,
                      const struct opencl_part *from)
{
    const cl_uint pieces = opencl_pieces(ocl);
    const cl_uint pair = opencl_pair(ocl);
    const cl_ulong items = to->tiles * (ocl->base.layout.tile_lanes / 64);
    const cl_mem flags = opencl_flags(ocl, sweep->from);
    const struct opencl_argument arguments[] = {
        OPENCL_BUFFER(sweep->from->part[from->number]),
        OPENCL_BUFFER(sweep->to->part[to->number]),
        OPENCL_BUFFER(flags),
        OPENCL_BUFFER(sweep->wanted),
        OPENCL_BUFFER(ocl->kings),
        OPENCL_BUFFER(ocl->table),
        OPENCL_ULONG(items),
        OPENCL_UINT(ocl->king_tiles),
        OPENCL_UINT(from->first),
        OPENCL_UINT(from->count),
        OPENCL_UINT(to->first),
        OPENCL_UINT(to->count),
        OPENCL_UINT(ocl->locals),
        OPENCL_UINT(pieces),
        OPENCL_UINT(pair),
        OPENCL_UINT(mode),
    };
    return opencl_run(&ocl->host, &ocl->king, items, ARGUMENTS(arguments));
}

static int sweep_black_king(struct opencl_backend *ocl, const struct sweep *sweep)
{
    int code = 0;
    for (int to = 0; code == 0 && to < ocl->parts; to++) {
        const struct opencl_part target = opencl_part(ocl, to);
        for (int from = 0; code == 0 && from < ocl->parts; from++) {
            const struct opencl_part source = opencl_part(ocl, from);
            code = sweep_king(ocl, sweep, &target, sweep->mode | (from == 0 ? MODE_STORE : 0), &source);
        }
    }
    return code;
}

static bool moves_with(const struct layout *layout, int piece, int side)
{
    return layout_is_man(layout, piece) && layout->colour[piece] == side;
}

// sweep->to = all moves of the side; tiles that are not wanted are left as they are.
static int sweep_side(struct opencl_backend *ocl, struct sweep *sweep)
{
    const struct layout *layout = &ocl->base.layout;
    const cl_uint mode = sweep->mode;
    int code = 0;
    if (sweep->side == BLACK && layout->slices == 0)
        code = sweep_black_king(ocl, sweep);
    else
        sweep->mode |= MODE_STORE;
    for (int i = 0; code == 0 && i < layout->pieces; i++) {
        if (!moves_with(layout, i, sweep->side))
            continue;
        for (int part = 0; code == 0 && part < ocl->parts; part++) {
            const struct opencl_part run = opencl_part(ocl, part);
            code = sweep_piece(ocl, sweep, i, &run);
        }
        sweep->mode = mode;
    }
    return code;
}

// ---- a step ----

// Sets ocl->wanted; `source` is the plane that some move has to reach, or NULL.
static int reach_tiles(struct opencl_backend *ocl, const struct step *step, const struct plane *source)
{
    const struct layout *layout = &ocl->base.layout;
    const cl_uint tiles = (cl_uint)ocl->tiles;
    const cl_uint placed = opencl_placed(layout);
    const cl_uint pair = opencl_pair(ocl);
    const cl_uint digits = layout->slices == 0 ? ~0U : (1U << placed) - 1; // fixed men do not move
    const cl_uint movers = opencl_men(layout, step->side) & digits;
    const struct plane *extra = step->extra == NULL ? source : step->extra;
    const bool all = source == NULL || !source->sparse || !extra->sparse;
    const cl_mem flags = all ? ocl->ones : source->active;
    const cl_mem extra_flags = all ? ocl->ones : extra->active;
    const cl_uint mode =
        (all ? REACH_ALL : 0) | (step->extra != NULL ? REACH_EXTRA : 0) | (step->fresh->sparse ? 0 : REACH_STALE);
    cl_uint places = 0;
    for (int i = layout->slice_digits; i < layout->pieces; i++)
        places |= ocl->shift[i] / 3 << 4 * opencl_digit(layout, i);
    const struct opencl_argument arguments[] = {
        OPENCL_BUFFER(flags),         OPENCL_BUFFER(extra_flags), OPENCL_BUFFER(step->fresh->active),
        OPENCL_BUFFER(ocl->wanted),   OPENCL_BUFFER(ocl->kings),  OPENCL_UINT(tiles),
        OPENCL_UINT(ocl->king_tiles), OPENCL_UINT(placed),        OPENCL_UINT(pair),
        OPENCL_UINT(places),          OPENCL_UINT(movers),        OPENCL_UINT(mode),
    };
    return opencl_run(&ocl->host, &ocl->reach, tiles, ARGUMENTS(arguments));
}

static int finish_part(struct opencl_backend *ocl, const struct step *step, const struct opencl_part *part)
{
    const cl_uint pieces = opencl_pieces(ocl);
    const cl_uint planes = (cl_uint)step->planes;
    const cl_ulong items = part->bytes / sizeof(cl_uint4);
    const cl_uint mode = (step->invert ? FINISH_INVERT : 0) | (step->extra != NULL ? FINISH_EXTRA : 0);
    const int number = part->number;
    const cl_mem moves = ocl->moves->part[number];
    const cl_mem extra = step->extra != NULL ? step->extra->part[number] : moves;
    cl_mem plane[STEP_PLANES_MAX];
    for (int i = 0; i < STEP_PLANES_MAX; i++)
        plane[i] = i < step->planes ? step->plane[i]->part[number] : step->closed->part[number];
    const struct opencl_argument arguments[] = {
        OPENCL_BUFFER(moves),
        OPENCL_BUFFER(extra),
        OPENCL_BUFFER(step->closed->part[number]),
        OPENCL_BUFFER(step->fresh->part[number]),
        OPENCL_BUFFER(plane[0]),
        OPENCL_BUFFER(plane[1]),
        OPENCL_BUFFER(plane[2]),
        OPENCL_BUFFER(plane[3]),
        OPENCL_BUFFER(plane[4]),
        OPENCL_BUFFER(plane[5]),
        OPENCL_BUFFER(plane[6]),
        OPENCL_BUFFER(plane[7]),
        OPENCL_BUFFER(plane[8]),
        OPENCL_BUFFER(plane[9]),
        OPENCL_BUFFER(step->fresh->active),
        OPENCL_BUFFER(ocl->wanted),
        OPENCL_BUFFER(ocl->counters),
        OPENCL_ULONG(items),
        OPENCL_UINT(part->tile),
        OPENCL_UINT(pieces),
        OPENCL_UINT(planes),
        OPENCL_UINT(mode),
    };
    return opencl_run(&ocl->host, &ocl->finish, items, ARGUMENTS(arguments));
}

// A plane has got the bits of the fresh one. In a window it keeps its flags, and has those of the fresh one as well: they
// are what spares transfers.
static int step_written(struct opencl_backend *ocl, struct plane *plane, const struct plane *fresh)
{
    plane->empty = false;
    if (ocl->window.open && plane->sparse)
        return opencl_combine_buffers(ocl, plane->active, PLANE_OR, fresh->active, opencl_flag_bytes(ocl->tiles));
    plane->sparse = false;
    return 0;
}

static int finish(struct opencl_backend *ocl, struct step *step)
{
    cl_uint counters[OPENCL_COUNTERS];
    int code = opencl_buffer_fill(&ocl->host, ocl->counters, sizeof counters, 0);
    for (int i = 0; code == 0 && i < ocl->parts; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        code = finish_part(ocl, step, &part);
    }
    if (code != 0)
        return code;
    const cl_int status =
        clEnqueueReadBuffer(ocl->host.queue, ocl->counters, CL_TRUE, 0, sizeof counters, counters, 0, NULL, NULL);
    if (status != CL_SUCCESS)
        return opencl_check(status, "reading the counters of a step");
    for (int i = 0; i < OPENCL_COUNTERS; i++)
        step->found += counters[i];
    step->fresh->sparse = true;
    step->fresh->empty = step->found == 0;
    if (step->found == 0)
        return 0;
    code = step_written(ocl, step->closed, step->fresh);
    for (int i = 0; code == 0 && i < step->planes; i++)
        code = step_written(ocl, step->plane[i], step->fresh);
    return code;
}

// Can the step find nothing, for want of anything to reach?
static bool step_idle(const struct step *step)
{
    if (step->invert)
        return step->only != NULL && step->only->empty;
    return step->in->empty && (step->extra == NULL || step->extra->empty);
}

int opencl_step(struct backend *backend, struct step *step)
{
    struct opencl_backend *ocl = opencl_of(backend);
    step->found = 0;
    if (step->invert && step->extra != NULL)
        return error_set(CLTB_E_USAGE, "a losing step has no extra moves");
    if (step_idle(step))
        return step->fresh->empty ? 0 : opencl_fill(backend, step->fresh, false);
    struct sweep sweep = {.side = step->side, .from = step->in, .to = ocl->moves, .wanted = ocl->wanted};
    sweep.mode = step->invert ? MODE_INVERT : 0;
    int code = reach_tiles(ocl, step, step->invert ? step->only : step->in);
    if (code == 0)
        code = sweep_side(ocl, &sweep);
    return code != 0 ? code : finish(ocl, step);
}

// ---- moves and attacks without an iteration ----

int opencl_pred(struct backend *backend, struct plane *to, int side, const struct plane *from, bool invert)
{
    struct opencl_backend *ocl = opencl_of(backend);
    if (from->empty && !invert)
        return opencl_fill(backend, to, false);
    struct sweep sweep = {.side = side, .from = from, .to = to, .wanted = ocl->ones};
    sweep.mode = invert ? MODE_INVERT : 0;
    opencl_written(to);
    return sweep_side(ocl, &sweep);
}

// Adds the attacks of a slice's pawns.
static int pawn_attacks(struct opencl_backend *ocl, struct plane *plane, int side)
{
    const struct layout *layout = &ocl->base.layout;
    const cl_uint enemies = opencl_men(layout, 1 - side);
    const cl_uint king = opencl_digit(layout, layout_king(layout, 1 - side));
    cl_uint pawns = 0;
    for (int i = 0; i < layout->fixed; i++) {
        if (layout->fixed_type[i] == PAWN && layout->fixed_colour[i] == side)
            pawns |= opencl_bit(layout, layout->pieces + i);
    }
    int code = 0;
    for (int i = 0; code == 0 && pawns != 0 && i < ocl->parts; i++) {
        const struct opencl_part part = opencl_part(ocl, i);
        const cl_ulong items = part.bytes / sizeof(cl_uint);
        const struct opencl_argument arguments[] = {
            OPENCL_BUFFER(plane->part[i]),
            OPENCL_BUFFER(ocl->fixed),
            OPENCL_BUFFER(ocl->targets[side]),
            OPENCL_ULONG(items),
            OPENCL_UINT(part.tile),
            OPENCL_UINT4(ocl->shape),
            OPENCL_UINT(pawns),
            OPENCL_UINT(enemies),
            OPENCL_UINT(king),
        };
        code = opencl_run(&ocl->host, &ocl->pawns, items, ARGUMENTS(arguments));
    }
    return code;
}

// In the triangle the black king attacks the square that the white king attacks, so Black's attacks are those of its
// pieces on the white king, and those of the white king on the black one. In a slice both kings are pieces like others.
// In a window only men of its side have all their squares; Black's windows come second.
int opencl_attacks(struct backend *backend, struct plane *plane, int side)
{
    struct opencl_backend *ocl = opencl_of(backend);
    const struct layout *layout = &backend->layout;
    const struct opencl_window *window = &ocl->window;
    int code = window->open && window->side == BLACK ? 0 : opencl_fill(backend, plane, false);
    opencl_written(plane);
    for (int i = 0; code == 0 && i < layout->pieces; i++) {
        const bool kings = layout->slices == 0 && side == BLACK && i == layout->white_king;
        if (!moves_with(layout, i, side) && !kings)
            continue;
        if (window->open && layout->colour[i] != window->side)
            continue;
        const int victim = layout_king(layout, kings ? BLACK : 1 - side);
        struct sweep sweep = {.from = plane, .to = plane, .wanted = ocl->ones};
        sweep.mode = MODE_ATTACK | (kings ? MODE_KINGS : 0);
        sweep.target = opencl_bit(layout, victim);
        sweep.enemies = opencl_men(layout, 1 - side);
        for (int part = 0; code == 0 && part < ocl->parts; part++) {
            const struct opencl_part run = opencl_part(ocl, part);
            code = sweep_piece(ocl, &sweep, i, &run);
        }
    }
    return code != 0 ? code : pawn_attacks(ocl, plane, side);
}
