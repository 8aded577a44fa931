// lane_choose.c - which lane kernels this processor can run
#include "solver/backend_cpu/lane_kernels.h"

#include <string.h>

extern const struct lane_kernels lane_kernels_wide_generic;
extern const struct lane_kernels lane_kernels_word_generic;
#ifdef CLTB_HAVE_ISA_AVX2
extern const struct lane_kernels lane_kernels_wide_avx2;
extern const struct lane_kernels lane_kernels_word_avx2;
#endif
#ifdef CLTB_HAVE_ISA_AVX512
extern const struct lane_kernels lane_kernels_wide_avx512;
extern const struct lane_kernels lane_kernels_word_avx512;
#endif

struct choice {
    bool supported;
    const struct lane_kernels *wide;
    const struct lane_kernels *word;
};

static bool choose(const struct choice *choice, unsigned word_bits, const char *name, const struct lane_kernels **found)
{
    *found = word_bits == 512 ? choice->wide : choice->word;
    return choice->supported && (name == NULL || strcmp(name, (*found)->name) == 0);
}

const struct lane_kernels *lane_kernels_choose(unsigned word_bits, const char *name)
{
    const struct choice choices[] = {
#ifdef CLTB_HAVE_ISA_AVX512
        {__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("gfni") &&
             __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2") &&
             __builtin_cpu_supports("popcnt"),
         &lane_kernels_wide_avx512, &lane_kernels_word_avx512},
#endif
#ifdef CLTB_HAVE_ISA_AVX2
        {__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("popcnt"),
         &lane_kernels_wide_avx2, &lane_kernels_word_avx2},
#endif
        {true, &lane_kernels_wide_generic, &lane_kernels_word_generic},
    };
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        const struct lane_kernels *found;
        if (choose(&choices[i], word_bits, name, &found))
            return found;
    }
    return NULL;
}

void lane_permutation_finish(struct lane_permutation *lanes)
{
    for (unsigned i = 0; i < 64; i++)
        lanes->bytes[i] = (uint8_t)(8 * lanes->map[2][i >> 3] + lanes->map[1][i & 7]);
    lanes->matrix = 0;
    for (int i = 0; i < 8; i++)
        lanes->matrix |= UINT64_C(1) << lanes->map[0][i] << 8 * (7 - i);
}
