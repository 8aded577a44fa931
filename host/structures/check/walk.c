// walk.c - every position of solved structures
#include "structures/check/walk.h"

#include "chess/attacks.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>

enum { RUN_BITS = 12 };

struct walk {
    const struct structure_file *file;
    uint64_t *run; // [structures + 1] the first run of each
    struct position *position;
    int (*visit)(void *context, const struct structure_place *at, int worker);
    void *context;
};

static int visit_run(void *context, uint64_t item, int worker)
{
    const struct walk *walk = context;
    const size_t structures = structure_file_info(walk->file)->structures;
    size_t low = 0;
    size_t high = structures; // run[low] <= item < run[high]
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (walk->run[middle] <= item)
            low = middle;
        else
            high = middle;
    }
    struct structure_place at = {.number = low, .position = &walk->position[worker]};
    const struct structure_key *key = structure_file_key(walk->file, low, &at.twice);
    const uint64_t first = (item - walk->run[low]) << RUN_BITS;
    for (uint64_t entry = first; entry < first + (UINT64_C(1) << RUN_BITS); entry++) {
        for (int side = WHITE; side <= BLACK; side++) {
            if (structure_position_set(key, entry, side, at.position, &at.first))
                TRY(walk->visit(walk->context, &at, worker));
        }
    }
    return 0;
}

int structure_positions_each(const struct structure_file *file, struct thread_pool *pool,
                             int (*visit)(void *context, const struct structure_place *at, int worker), void *context)
{
    const size_t structures = structure_file_info(file)->structures;
    struct walk walk = {.file = file, .visit = visit, .context = context};
    int code = memory_new(&walk.run, structures + 1, sizeof *walk.run, "structures");
    THEN(code, memory_new(&walk.position, (size_t)threads_count(pool), sizeof *walk.position, "positions"));
    for (size_t i = 0; code == 0 && i < structures; i++) {
        bool twice;
        walk.run[i + 1] =
            walk.run[i] + (UINT64_C(1) << (6 * structure_pieces(structure_file_key(file, i, &twice)) - RUN_BITS));
    }
    THEN(code, threads_each(pool, walk.run[structures], visit_run, &walk));
    free(walk.run);
    free(walk.position);
    return code;
}
