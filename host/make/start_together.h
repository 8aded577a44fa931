// start_together.h - the start of a build by several processes
#ifndef CLTB_MAKE_START_TOGETHER_H
#define CLTB_MAKE_START_TOGETHER_H

#include "make/job.h"
#include "make/plan.h"

// As start_build(). Whatever keeps any process from working is an error of all of them.
int start_together(struct build_job *job, struct device_list *devices, struct plan **plan,
                   const struct material *materials, size_t count);

#endif
