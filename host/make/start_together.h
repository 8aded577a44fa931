// start_together.h - the start of a build by several processes
#ifndef CLTB_MAKE_START_TOGETHER_H
#define CLTB_MAKE_START_TOGETHER_H

#include "make/job.h"
#include "make/plan.h"

// As start_build(). If any process cannot work, all of them fail.
int start_together(struct build_job *job, struct device_list *devices, struct plan **plan,
                   const struct material *materials, size_t count);

#endif
