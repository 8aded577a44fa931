// kernel_source.h - the texts in kernels/, built into the program by cmake/EmbedKernels.cmake
#ifndef CLTB_SOLVE_OPENCL_KERNEL_SOURCE_H
#define CLTB_SOLVE_OPENCL_KERNEL_SOURCE_H

#include <stddef.h>

struct kernel_source {
    const char *name; // file name without its folder: "sweep.cl"
    const char *text; // the file, byte for byte, followed by a 0
};

// [cltb_kernel_source_count], sorted by name, then an entry of two null pointers
extern const struct kernel_source cltb_kernel_sources[];
extern const size_t cltb_kernel_source_count;

#endif
