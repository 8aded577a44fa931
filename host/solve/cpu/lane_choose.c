// lane_choose.c - which lane kernels this processor can run
#include "solve/cpu/isa.h"
#include "solve/cpu/lane_kernels.h"

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

const struct lane_kernels *lane_kernels_choose(unsigned word_bits, const char *name)
{
    static const struct lane_kernels *const kernels[ISAS][2] = {
        [ISA_GENERIC] = {&lane_kernels_word_generic, &lane_kernels_wide_generic},
#ifdef CLTB_HAVE_ISA_AVX2
        [ISA_AVX2] = {&lane_kernels_word_avx2, &lane_kernels_wide_avx2},
#endif
#ifdef CLTB_HAVE_ISA_AVX512
        [ISA_AVX512] = {&lane_kernels_word_avx512, &lane_kernels_wide_avx512},
#endif
    };
    const int isa = isa_choose(name);
    return isa < 0 ? NULL : kernels[isa][word_bits == 512];
}

void lane_permutation_finish(struct lane_permutation *lanes)
{
    for (unsigned i = 0; i < 64; i++)
        lanes->bytes[i] = (uint8_t)(8 * lanes->map[2][i >> 3] + lanes->map[1][i & 7]);
    lanes->matrix = 0;
    for (int i = 0; i < 8; i++)
        lanes->matrix |= UINT64_C(1) << lanes->map[0][i] << 8 * (7 - i);
}
