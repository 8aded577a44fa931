// symbol_choose.c - which symbol kernels this processor can run
#include "solve/cpu/isa.h"
#include "solve/cpu/symbol_kernels.h"

extern const struct symbol_kernels symbol_kernels_generic;
#ifdef CLTB_HAVE_ISA_AVX2
extern const struct symbol_kernels symbol_kernels_avx2;
#endif
#ifdef CLTB_HAVE_ISA_AVX512
extern const struct symbol_kernels symbol_kernels_avx512;
#endif

const struct symbol_kernels *symbol_kernels_choose(const char *name)
{
    static const struct symbol_kernels *const kernels[ISAS] = {
        [ISA_GENERIC] = &symbol_kernels_generic,
#ifdef CLTB_HAVE_ISA_AVX2
        [ISA_AVX2] = &symbol_kernels_avx2,
#endif
#ifdef CLTB_HAVE_ISA_AVX512
        [ISA_AVX512] = &symbol_kernels_avx512,
#endif
    };
    const int isa = isa_choose(name);
    return isa < 0 ? NULL : kernels[isa];
}

code_pairs_find code_pairs_choose(void)
{
    return symbol_kernels_choose(NULL)->pairs;
}
