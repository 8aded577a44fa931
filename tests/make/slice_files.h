// slice_files.h - tests of solved slices: where their files lie, and random numbers
#ifndef CLTB_TESTS_MAKE_SLICE_FILES_H
#define CLTB_TESTS_MAKE_SLICE_FILES_H

#include "support/support.h"

#include "index/material.h"
#include "util/error.h"
#include "util/threads.h"

#include <sys/stat.h>
#include <unistd.h>

static struct thread_pool *pool;
static char work_path[500];
static char table_path[500];

static uint64_t random_state = 88172645463325252;

static inline uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static inline int setup(void **state)
{
    (void)state;
    const char *folder = getenv("CLTB_TEST_TMP");
    snprintf(work_path, sizeof work_path, "%s/slices.cltb.work", folder == NULL ? "." : folder);
    snprintf(table_path, sizeof table_path, "%s/slices.cltb", folder == NULL ? "." : folder);
    unlink(work_path);
    return threads_open(&pool, 3);
}

static inline int teardown(void **state)
{
    (void)state;
    threads_close(pool);
    return 0;
}

static inline struct material material_from(const char *name)
{
    struct material material;
    GOOD(material_parse(&material, name, NULL));
    return material;
}

static inline uint64_t bytes_of_file(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return (uint64_t)status.st_size;
}

#endif
