// solution.c - a solved endgame as bit planes
#include "solve/solution.h"

#include "util/error.h"

bool solver_values_fit(const solver_value value[COLOURS][COLOURS][DISTANCE_CODES], const int longest[COLOURS][5])
{
    bool fit = true;
    for (int i = 0; i < COLOURS * COLOURS; i++) {
        for (int code = 0; code < DISTANCE_CODES; code++) {
            const solver_value v = value[i / COLOURS][i % COLOURS][code];
            fit &= v != 1 && v <= value_code(true, SOLVER_PLY_MAX);
        }
    }
    for (int i = 0; i < COLOURS * 5; i++)
        fit &= longest[i / 5][i % 5] >= -1 && longest[i / 5][i % 5] <= SOLVER_PLY_MAX;
    return fit;
}

const struct plane *solution_plane(const struct solution *solution, int side, int number)
{
    return number == 0   ? solution->won[side]
           : number == 1 ? solution->resolved[side]
                         : solution->distance[side][number - 2];
}

const uint64_t **slice_side_plane(struct slice_side *planes, int number)
{
    return number == 0 ? &planes->won : number == 1 ? &planes->resolved : &planes->distance[number - 2];
}

void solution_code_planes(const struct solution *solution, int side, const struct plane *plane[SOLUTION_PLANES])
{
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
        plane[bit] = solution->distance[side][bit];
    plane[CODE_WON] = solution->won[side];
    plane[CODE_RESOLVED] = solution->resolved[side];
}

int solution_planes(const struct solution *solution, int side, uint64_t first, uint64_t count, uint64_t room,
                    uint64_t *memory, struct slice_side *planes)
{
    const struct backend_ops *ops = solution->backend->ops;
    const size_t words = room * solution->backend->layout.tile_lanes / 64;
    const struct plane *from[SOLUTION_PLANES];
    uint64_t *to[SOLUTION_PLANES];
    int wanted = 0;
    *planes = (struct slice_side){.won = NULL};
    for (int i = 0; i < SOLUTION_PLANES; i++) {
        from[wanted] = solution_plane(solution, side, i);
        if (from[wanted] == NULL)
            continue;
        *slice_side_plane(planes, i) = to[wanted] = memory;
        memory += words;
        wanted++;
    }
    const struct backend_log *log = solution->backend->log;
    if (log != NULL && log->read_planes != NULL)
        return log->read_planes(solution->backend, from, wanted, first, count, to);
    for (int i = 0; i < wanted; i++)
        TRY(ops->read(solution->backend, from[i], first, count, to[i]));
    return 0;
}

void solution_free(struct solution *solution)
{
    if (solution->backend == NULL)
        return;
    const struct backend_ops *ops = solution->backend->ops;
    for (int side = WHITE; side <= BLACK; side++) {
        ops->plane_free(solution->backend, solution->won[side]);
        ops->plane_free(solution->backend, solution->resolved[side]);
        ops->plane_free(solution->backend, solution->won_early[side]);
        ops->plane_free(solution->backend, solution->lost_early[side]);
        ops->plane_free(solution->backend, solution->stalemate[side]);
        for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++)
            ops->plane_free(solution->backend, solution->distance[side][bit]);
    }
    solution->backend = NULL;
}
