// symbol_choose.c - which kernels for symbols and for lists of entries this processor can run
#include "solve/code_lines.h"
#include "solve/cpu/isa.h"
#include "solve/cpu/symbol_kernels.h"

extern const struct symbol_kernels symbol_kernels_generic;
extern const struct code_kernels code_kernels_generic;
#ifdef CLTB_HAVE_ISA_AVX2
extern const struct symbol_kernels symbol_kernels_avx2;
extern const struct code_kernels code_kernels_avx2;
#endif
#ifdef CLTB_HAVE_ISA_AVX512
extern const struct symbol_kernels symbol_kernels_avx512;
extern const struct code_kernels code_kernels_avx512;
#endif

static const struct {
    const struct symbol_kernels *symbols;
    const struct code_kernels *codes;
} kernels[ISAS] = {
    [ISA_GENERIC] = {&symbol_kernels_generic, &code_kernels_generic},
#ifdef CLTB_HAVE_ISA_AVX2
    [ISA_AVX2] = {&symbol_kernels_avx2, &code_kernels_avx2},
#endif
#ifdef CLTB_HAVE_ISA_AVX512
    [ISA_AVX512] = {&symbol_kernels_avx512, &code_kernels_avx512},
#endif
};

const struct symbol_kernels *symbol_kernels_choose(const char *name)
{
    const int isa = isa_choose(name);
    return isa < 0 ? NULL : kernels[isa].symbols;
}

const struct code_kernels *code_kernels_choose(const char *name)
{
    const int isa = isa_choose(name);
    return isa < 0 ? NULL : kernels[isa].codes;
}
