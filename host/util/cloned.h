// cloned.h - functions that are compiled for several instruction sets
#ifndef CLTB_UTIL_CLONED_H
#define CLTB_UTIL_CLONED_H

// A function with the attribute CLONED, and what is inlined into it, is compiled for all processors of its architecture
// and for those with AVX2, BMI2 and POPCNT; with CLONED_WIDE also for those with AVX-512. The dynamic linker chooses.
// Macros such as __BMI2__ are those of the file in all of them. With a sanitizer it is compiled only once: the
// tests then run both, and that of threads is not ready when the dynamic linker chooses.
#if defined __x86_64__ && defined __gnu_linux__ && !defined __clang__ && __GNUC__ >= 12 &&                             \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define CLONED      __attribute__((target_clones("default", "arch=x86-64-v3")))
#define CLONED_WIDE __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define CLONED
#define CLONED_WIDE
#endif

// A function that becomes a part of such functions.
#define INLINED static inline __attribute__((always_inline))

#endif
