// test_files.h - tests: whole files in memory; behind <cmocka.h>
#ifndef CLTB_TESTS_SUPPORT_TEST_FILES_H
#define CLTB_TESTS_SUPPORT_TEST_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct bytes {
    uint8_t *data;
    size_t size;
};

// free() the data.
static inline struct bytes read_file(const char *path)
{
    struct bytes bytes;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    bytes.size = (size_t)ftell(file);
    rewind(file);
    bytes.data = malloc(bytes.size + 1);
    assert_non_null(bytes.data);
    assert_int_equal(fread(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    return bytes;
}

static inline void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#endif
