// isa.c - the instruction sets of this processor
#include "solve/cpu/isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

int isa_choose(const char *name)
{
    static const char *const names[ISAS] = {"generic", "avx2", "avx512"};
    bool has[ISAS] = {[ISA_GENERIC] = true};
#ifdef CLTB_HAVE_ISA_AVX2
    has[ISA_AVX2] = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("popcnt");
#endif
#ifdef CLTB_HAVE_ISA_AVX512
    has[ISA_AVX512] = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                      __builtin_cpu_supports("gfni") && __builtin_cpu_supports("avx512vpopcntdq") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#endif
    for (int isa = ISAS - 1; isa >= 0; isa--) {
        if (has[isa] && (name == NULL || strcmp(name, names[isa]) == 0))
            return isa;
    }
    return -1;
}
