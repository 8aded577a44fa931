// dobutsu.c - the rounds of dobutsu shogi
#include "solver/dobutsu.h"

#include "index/dobutsu_code.h"
#include "index/dobutsu_frames.h"
#include "util/error.h"

#include <string.h>

enum { CELLS = D_LIVE * D_LIONS };

uint64_t dobutsu_solver_memory(void)
{
    // values, three planes, flags and two sets of marks
    return (uint64_t)CELLS * (D_CODES + 3 * sizeof(lanes_t) + 3) + sizeof(struct dobutsu_tables);
}

static int progress(const struct dobutsu_solver_options *options, int ply, uint64_t found)
{
    if (options->progress != NULL && options->progress(options->context, ply, found) != 0)
        return error_set(CLTB_E_INTERRUPTED, "interrupted");
    return 0;
}

// Marking the cells before a changed one costs about as much as looking at it: it pays where fewer than a quarter change.
static bool few(uint64_t found)
{
    return found < CELLS / 4;
}

int dobutsu_solve(struct dobutsu_backend *backend, const struct dobutsu_solver_options *options)
{
    struct dobutsu_round round = {.mark = false};
    TRY(backend->ops->classes(backend, &round.found));
    TRY(progress(options, 0, round.found));
    for (int ply = 1; round.found > 0; ply++) {
        if (ply > DOBUTSU_ROUNDS_MAX)
            return error_set(CLTB_E_CORRUPT, "dobutsu: a value of more than %d", (int)DOBUTSU_ROUNDS_MAX);
        round = (struct dobutsu_round){.ply = ply, .all = !round.mark, .mark = few(round.found)};
        TRY(backend->ops->round(backend, &round));
        TRY(progress(options, ply, round.found));
    }
    return 0;
}

int dobutsu_solution_read(struct dobutsu_backend *backend, uint32_t first, uint32_t count, uint8_t *values)
{
    const struct dobutsu_tables *tables = dobutsu_tables();
    while (count > 0) {
        const uint32_t triple = first / D_LIONS;
        const uint32_t at = first % D_LIONS;
        const uint32_t n = D_LIONS - at < count ? D_LIONS - at : count;
        const uint32_t number = tables->number[triple];
        if (tables->triple[number] == triple)
            TRY(backend->ops->read(backend, number * D_LIONS + at, n, values));
        else
            memset(values, 0xff, (size_t)n * D_CODES);
        first += n;
        count -= n;
        values += (size_t)n * D_CODES;
    }
    return 0;
}
