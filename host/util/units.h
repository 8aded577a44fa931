// units.h - numbers as people read them: "4.2 MB", "1.3 G", "0:42"
#ifndef CLTB_UTIL_UNITS_H
#define CLTB_UTIL_UNITS_H

#include <stdint.h>

enum { UNIT_TEXT_MAX = 24 };

struct unit_text {
    char text[UNIT_TEXT_MAX];
};

// With k, M, G, T (powers of 1000) and three digits: "12.3 M".
struct unit_text unit_count(double n);

// The same with a B: "12.3 MB".
struct unit_text unit_bytes(uint64_t bytes);

// "0:07", "12:34", "1:02:03", "184 days", "32 years", "more than 1000 years".
struct unit_text unit_duration(double seconds);

#endif
