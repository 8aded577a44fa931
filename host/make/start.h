// start.h - before the work of a build: plan, devices, folder, lease
#ifndef CLTB_MAKE_START_H
#define CLTB_MAKE_START_H

#include "make/job.h"
#include "make/plan.h"

// Makes the plan. If there is anything to do, chooses the devices, the first of which becomes the job's, and locks the
// folder or takes the lease of the only table. *plan may be set even after an error.
int start_build(struct build_job *job, struct device_list *devices, struct plan **plan,
                const struct material *materials, size_t count);

#endif
