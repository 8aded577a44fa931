// isa.h - the instruction sets of this processor that kernels are built for
#ifndef CLTB_SOLVE_CPU_ISA_H
#define CLTB_SOLVE_CPU_ISA_H

enum isa { ISA_GENERIC, ISA_AVX2, ISA_AVX512, ISAS };

// The instruction set of that name ("avx512", "avx2", "generic"), or the best one if `name` is NULL. -1: it was not
// compiled in, or this processor does not have it.
int isa_choose(const char *name);

#endif
