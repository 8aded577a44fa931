// status.h - OpenCL status codes as sentences
#ifndef CLTB_SOLVE_OPENCL_STATUS_H
#define CLTB_SOLVE_OPENCL_STATUS_H

#include "util/error.h"

#include <CL/cl.h>

// The name of a status in <CL/cl.h>, such as "CL_OUT_OF_RESOURCES".
const char *opencl_status_name(cl_int status);

// 0 for CL_SUCCESS; else "OpenCL: WHAT: CL_NAME (-5)" with CLTB_E_MEMORY if memory ran out and CLTB_E_DEVICE otherwise.
int opencl_check(cl_int status, const char *what);

#endif
