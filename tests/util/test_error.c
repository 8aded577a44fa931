// test_error.c - the error sentence: set, prefixed, cut to its size, separate for each thread
#include "support/support.h"

#include "util/error.h"

#include <errno.h>
#include <pthread.h>

TEST(test_sentences)
{
    char expected[256];
    assert_int_equal(error_set(CLTB_E_CORRUPT, "%s: block %d is damaged", "KQvKR.cltb", 7), CLTB_E_CORRUPT);
    assert_string_equal(error_text(), "KQvKR.cltb: block 7 is damaged");
    error_set(CLTB_E_IO, "disk full");
    assert_int_equal(error_prefix(CLTB_E_IO, "writing %s", "KQvK"), CLTB_E_IO);
    assert_string_equal(error_text(), "writing KQvK: disk full");
    snprintf(expected, sizeof expected, "tables/KQvK.cltb: %s", strerror(ENOENT));
    assert_int_equal(error_errno(CLTB_E_IO, ENOENT, "tables/%s.cltb", "KQvK"), CLTB_E_IO);
    assert_string_equal(error_text(), expected);
    FAILS(error_memory(4096, "a plane"), CLTB_E_MEMORY, "4096 bytes for a plane");
}

// What names and texts of files have in them cannot steer a terminal.
TEST(test_no_control_characters)
{
    char text[] = "\x1b]0;x\a\xc2\x9bJ \xc3\xbc\x7f\n";
    error_set(CLTB_E_CORRUPT, "%s", "a\x1b[2Jb");
    error_append(CLTB_E_CORRUPT, "%s", "\r\n");
    assert_string_equal(error_text(), "a?[2Jb??");
    error_errno(CLTB_E_CORRUPT, EIO, "\b");
    error_prefix(CLTB_E_CORRUPT, "\t");
    assert_memory_equal(error_text(), "?: ?: ", 6);
    assert_string_equal(text_clean(text), "?]0;x???J \xc3\xbc??");
}

TEST(test_long_sentences_are_cut)
{
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    error_set(CLTB_E_USAGE, "%s", text);
    size_t length = strlen(error_text());
    assert_true(length > 500 && length < sizeof text - 1);
    for (int i = 0; i < 100; i++)
        error_prefix(CLTB_E_USAGE, "a prefix of some length, number %d", i);
    assert_true(strlen(error_text()) <= length);
    error_errno(CLTB_E_USAGE, EIO, "%s", text);
    assert_true(strlen(error_text()) <= length);
}

static void *set_in_thread(void *result)
{
    int *ok = result;
    *ok = strcmp(error_text(), "") == 0;
    error_set(CLTB_E_DEVICE, "the other thread");
    return NULL;
}

TEST(test_each_thread_has_its_own)
{
    error_set(CLTB_E_USAGE, "this thread");
    pthread_t thread;
    int empty_at_first = 0;
    assert_int_equal(pthread_create(&thread, NULL, set_in_thread, &empty_at_first), 0);
    pthread_join(thread, NULL);
    assert_true(empty_at_first);
    assert_string_equal(error_text(), "this thread");
}

TESTS(NULL, NULL)
