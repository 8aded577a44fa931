// test_text_stream.c - a text in memory is whole, or its stream says that memory was short
#include "support/support.h"

#include "serve/text_stream.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 20000 };

TEST(test_whole)
{
    char *text;
    size_t size;
    FILE *file = text_stream(&text, &size);
    assert_non_null(file);
    for (int i = 0; i < LINES; i++)
        fprintf(file, "%08d\n", i);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(size, LINES * 9);
    assert_int_equal(strlen(text), size);
    for (int i = 0; i < LINES; i++)
        assert_int_equal(atoi(text + (size_t)i * 9), i);
    free(text);
}

// More than there is. The stream goes on, but does not forget.
TEST(test_too_long)
{
    static const char piece[1 << 16];
    volatile size_t too_many = (size_t)1 << 62;
    char *text;
    size_t size;
    if (sanitized()) // it ends the program
        skip();
    FILE *file = text_stream(&text, &size);
    assert_non_null(file);
    fputs("before", file);
    fwrite(piece, 1, too_many, file);
    fputs("behind", file);
    assert_true(ferror(file));
    assert_int_equal(fclose(file), EOF);
    free(text);
}

TESTS(NULL, NULL)
