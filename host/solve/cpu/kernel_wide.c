// kernel_wide.c - lane kernels on words of 512 bits, for four men beside the black king and more
#define WORD_BITS   512
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define KERNELS     JOIN(lane_kernels_wide_, CLTB_ISA)

#include "solve/cpu/lane_template.h"
