// cloned.h - functions that are compiled twice
#ifndef CLTB_UTIL_CLONED_H
#define CLTB_UTIL_CLONED_H

// A function with this attribute, and what is inlined into it, is compiled for all processors of its architecture and
// for those with AVX2, BMI2 and POPCNT; the dynamic linker chooses. Macros such as __BMI2__ are those of the file in
// both. With AddressSanitizer it is compiled only once, so that the tests run both.
#if defined __x86_64__ && defined __gnu_linux__ && !defined __clang__ && __GNUC__ >= 12 && !defined __SANITIZE_ADDRESS__
#define CLONED __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define CLONED
#endif

#endif
