// types.h - words of fixed width under the same names in OpenCL C and C11, for the texts that both compile
#ifndef CLTB_KERNELS_TYPES_H
#define CLTB_KERNELS_TYPES_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
typedef uchar u8_t;
typedef ushort u16_t;
typedef uint u32_t;
typedef ulong u64_t;
#define MARK(place)       (place) = 1
#define LOWEST_BIT(word)  (63 - (u32_t)clz((u64_t)((word) & (0 - (word))))) // of a u64_t that is not 0
#define HIGHEST_BIT(word) (63 - (u32_t)clz((u64_t)(word)))
#else
#include <stdint.h>
typedef uint8_t u8_t;
typedef uint16_t u16_t;
typedef uint32_t u32_t;
typedef uint64_t u64_t;
#define MARK(place)       __atomic_store_n(&(place), (u8_t)1, __ATOMIC_RELAXED)
#define LOWEST_BIT(word)  ((u32_t)__builtin_ctzll(word)) // of a u64_t that is not 0
#define HIGHEST_BIT(word) (63 - (u32_t)__builtin_clzll(word))
#endif

#endif
