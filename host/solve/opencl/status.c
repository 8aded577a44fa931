// status.c - OpenCL status codes as sentences
#include "solve/opencl/status.h"

#include <stdbool.h>

// clang-format off
#define NAME(code) [-(code)] = #code

static const char *const names[] = {
    NAME(CL_SUCCESS), NAME(CL_DEVICE_NOT_FOUND), NAME(CL_DEVICE_NOT_AVAILABLE), NAME(CL_COMPILER_NOT_AVAILABLE),
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE), NAME(CL_OUT_OF_RESOURCES), NAME(CL_OUT_OF_HOST_MEMORY),
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE), NAME(CL_MEM_COPY_OVERLAP), NAME(CL_BUILD_PROGRAM_FAILURE),
    NAME(CL_MAP_FAILURE), NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET), NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAME(CL_COMPILE_PROGRAM_FAILURE), NAME(CL_LINKER_NOT_AVAILABLE), NAME(CL_LINK_PROGRAM_FAILURE),
    NAME(CL_INVALID_VALUE), NAME(CL_INVALID_DEVICE_TYPE), NAME(CL_INVALID_PLATFORM), NAME(CL_INVALID_DEVICE),
    NAME(CL_INVALID_CONTEXT), NAME(CL_INVALID_QUEUE_PROPERTIES), NAME(CL_INVALID_COMMAND_QUEUE),
    NAME(CL_INVALID_HOST_PTR), NAME(CL_INVALID_MEM_OBJECT), NAME(CL_INVALID_BINARY), NAME(CL_INVALID_BUILD_OPTIONS),
    NAME(CL_INVALID_PROGRAM), NAME(CL_INVALID_PROGRAM_EXECUTABLE), NAME(CL_INVALID_KERNEL_NAME),
    NAME(CL_INVALID_KERNEL_DEFINITION), NAME(CL_INVALID_KERNEL), NAME(CL_INVALID_ARG_INDEX),
    NAME(CL_INVALID_ARG_VALUE), NAME(CL_INVALID_ARG_SIZE), NAME(CL_INVALID_KERNEL_ARGS),
    NAME(CL_INVALID_WORK_DIMENSION), NAME(CL_INVALID_WORK_GROUP_SIZE), NAME(CL_INVALID_WORK_ITEM_SIZE),
    NAME(CL_INVALID_GLOBAL_OFFSET), NAME(CL_INVALID_EVENT_WAIT_LIST), NAME(CL_INVALID_EVENT),
    NAME(CL_INVALID_OPERATION), NAME(CL_INVALID_BUFFER_SIZE), NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    NAME(CL_INVALID_PROPERTY), NAME(CL_INVALID_IMAGE_DESCRIPTOR), NAME(CL_INVALID_COMPILER_OPTIONS),
    NAME(CL_INVALID_LINKER_OPTIONS), NAME(CL_INVALID_DEVICE_PARTITION_COUNT),
};
// clang-format on

// Names that <CL/cl.h> lacks: those of OpenCL 2 and 3, of extensions, and of vendors.
static const struct {
    cl_int code;
    const char *name;
} others[] = {
    {-69, "CL_INVALID_PIPE_SIZE"},
    {-70, "CL_INVALID_DEVICE_QUEUE"},
    {-71, "CL_INVALID_SPEC_ID"},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    {-1057, "CL_DEVICE_PARTITION_FAILED_EXT"},
    {-9999, "NVIDIA: a kernel reads or writes outside of its buffers, or was stopped"},
};

const char *opencl_status_name(cl_int status)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].code == status)
            return others[i].name;
    }
    const bool known = status <= 0 && status > -(cl_int)(sizeof names / sizeof names[0]) && names[-status] != NULL;
    return known ? names[-status] : "unknown status";
}

int opencl_check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return 0;
    const bool memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY;
    return error_set(memory ? CLTB_E_MEMORY : CLTB_E_DEVICE, "OpenCL: %s: %s (%d)", what, opencl_status_name(status),
                     (int)status);
}
