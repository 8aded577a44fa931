// shown.h - a character as it may stand in an error sentence
#ifndef CLTB_UTIL_SHOWN_H
#define CLTB_UTIL_SHOWN_H

#include <stdio.h>

// Itself in quotes, or its code.
struct shown {
    char text[16];
};

static inline struct shown show(char c)
{
    struct shown s;
    if (c >= ' ' && c <= '~')
        snprintf(s.text, sizeof s.text, "'%c'", c);
    else
        snprintf(s.text, sizeof s.text, "byte 0x%02x", (unsigned)(unsigned char)c);
    return s;
}

#endif
