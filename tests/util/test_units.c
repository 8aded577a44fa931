// test_units.c - numbers in readable form
#include "support/support.h"

#include "util/units.h"

TEST(test_durations)
{
    static const double minute = 60;
    static const double hour = 3600;
    static const double day = 24 * 3600;
    static const double year = 365.25 * 24 * 3600;
    const struct {
        double seconds;
        const char *text;
    } durations[] = {{-1, "0:00"},
                     {7.4, "0:07"},
                     {59.6, "1:00"},
                     {12 * minute + 34, "12:34"},
                     {hour - 0.4, "1:00:00"},
                     {71 * hour, "71:00:00"},
                     {3 * day, "3 days"},
                     {183.8 * day, "184 days"},
                     {1.9 * year, "694 days"},
                     {31.7 * year, "32 years"},
                     {1000 * year, "1000 years"},
                     {1001 * year, "more than 1000 years"},
                     {1e300, "more than 1000 years"}};
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++)
        assert_string_equal(unit_duration(durations[i].seconds).text, durations[i].text);
}

TEST(test_bytes)
{
    const struct {
        uint64_t bytes;
        const char *text;
    } sizes[] = {
        {0, "0 B"}, {1, "1 B"}, {999, "999 B"}, {1000, "1.00 kB"}, {33554432, "33.6 MB"}, {UINT64_MAX, "18447 PB"}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_string_equal(unit_bytes(sizes[i].bytes).text, sizes[i].text);
}

TESTS(NULL, NULL)
