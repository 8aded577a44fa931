// kernel_word.c - lane kernels on words of 64 bits, for tables of up to four men
#define WORD_BITS   64
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define KERNELS     JOIN(lane_kernels_word_, CLTB_ISA)

#include "solve/cpu/lane_template.h"
