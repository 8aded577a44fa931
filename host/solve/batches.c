// batches.c - solving a batch of slices (batches.h)
#include "solve/batches.h"

#include "util/error.h"

int batch_solve(struct slice_batch *batch, enum metric metric,
                int (*open)(void *context, const struct layout *layout, struct backend **backend), void *context,
                const struct solver_options *options, struct solution *solution)
{
    struct layout layout;
    TRY(slice_batch_layout(batch, &layout));
    layout.material.metric = (uint8_t)metric;
    TRY(open(context, &layout, &batch->backend));
    slice_batch_zeroing(batch);
    if (batch->rules != NULL && batch->rules->zeroing != NULL)
        TRY(batch->rules->zeroing(batch));
    if (options->metric != NULL)
        TRY(options->metric->batch(batch));
    return iteration_run(solution, batch->backend, &batch->zeroing, options);
}
