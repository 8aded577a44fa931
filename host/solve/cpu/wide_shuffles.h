// wide_shuffles.h - shuffles of 64 bytes with AVX-512, for kernels that are compiled with it
#ifndef CLTB_SOLVE_CPU_WIDE_SHUFFLES_H
#define CLTB_SOLVE_CPU_WIDE_SHUFFLES_H

// As isa.c asks the processor.
#if defined(__AVX512BW__) && defined(__AVX512VBMI__) && defined(__AVX512VBMI2__) && defined(__AVX512VPOPCNTDQ__) &&    \
    defined(__GFNI__)
#define WIDE_SHUFFLES 1
#include <immintrin.h>

// Exchanges the number of a byte in each quadword with that of the quadword: digits 1 and 2 of a bit's number.
static inline __m512i swap_digits12(__m512i value)
{
    const __m512i from =
        _mm512_set_epi64(0x3f372f271f170f07, 0x3e362e261e160e06, 0x3d352d251d150d05, 0x3c342c241c140c04,
                         0x3b332b231b130b03, 0x3a322a221a120a02, 0x3931292119110901, 0x3830282018100800);
    return _mm512_permutexvar_epi8(from, value);
}

// Exchanges rows and columns of the 8x8 bits of each quadword: digits 0 and 1.
static inline __m512i swap_digits01(__m512i value)
{
    const __m512i reverse = _mm512_set1_epi64(0x0001020304050607);
    const __m512i reversed = _mm512_shuffle_epi8(
        value, _mm512_or_si512(reverse, _mm512_set_epi64(0x0808080808080808, 0, 0x0808080808080808, 0,
                                                         0x0808080808080808, 0, 0x0808080808080808, 0)));
    return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64((long long)0x8040201008040201), reversed, 0);
}

#else
#define WIDE_SHUFFLES 0
#endif

#endif
