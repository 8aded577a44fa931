// units.c - numbers as people read them
#include "util/units.h"

#include <stdio.h>

static struct unit_text scaled(double n, const char *end)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    struct unit_text text;
    int i = 0;
    for (; n >= 999.5 && i < 5; i++)
        n /= 1000;
    const char *blank = i > 0 || *end != '\0' ? " " : "";
    int digits = i == 0 || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2;
    snprintf(text.text, sizeof text.text, "%.*f%s%s%s", digits, n, blank, prefix[i], end);
    return text;
}

struct unit_text unit_count(double n)
{
    return scaled(n, "");
}

struct unit_text unit_bytes(uint64_t bytes)
{
    return scaled((double)bytes, "B");
}

struct unit_text unit_duration(double seconds)
{
    struct unit_text text;
    const double day = 24 * 3600;
    const double year = 365.25 * day;
    const unsigned long s = seconds < 0 ? 0 : seconds > year ? (unsigned long)year : (unsigned long)(seconds + 0.5);
    if (seconds > 1000 * year)
        snprintf(text.text, sizeof text.text, "more than 1000 years");
    else if (seconds >= 2 * year)
        snprintf(text.text, sizeof text.text, "%.0f years", seconds / year);
    else if (seconds >= 3 * day)
        snprintf(text.text, sizeof text.text, "%.0f days", seconds / day);
    else if (s < 3600)
        snprintf(text.text, sizeof text.text, "%lu:%02lu", s / 60, s % 60);
    else
        snprintf(text.text, sizeof text.text, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    return text;
}
