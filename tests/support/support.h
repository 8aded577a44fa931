// support.h - what every unit test needs: cmocka, GOOD(), files, folders, random numbers, a thread pool
#ifndef CLTB_TESTS_SUPPORT_SUPPORT_H
#define CLTB_TESTS_SUPPORT_SUPPORT_H

// cmocka needs the first four before its own header.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

struct man;
struct material;
struct pawn_slices;
struct position;
struct thread_pool;

// Fails the test with the error sentence unless the call returns 0.
#define GOOD(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != 0)                                                                                               \
            fail_msg("%s: %s", #call, error_text());                                                                   \
    } while (0)

// Fails the test unless the call returns `code` and the error sentence holds `text`.
#define FAILS(call, code, text)                                                                                        \
    do {                                                                                                               \
        assert_int_equal(call, code);                                                                                  \
        if (strstr(error_text(), text) == NULL)                                                                        \
            fail_msg("%s: \"%s\" does not say \"%s\"", #call, error_text(), text);                                     \
    } while (0)

// ---- tests ----

// A test; a program runs all of its tests in the order in which they are written. For example:
//
//     TEST(test_round_trip)
//     {
//         ...
//     }
//
//     TESTS(pool_setup, pool_teardown)
#define TEST(name)                                                                                                     \
    static void name(void **state);                                                                                    \
    __attribute__((constructor)) static void add_##name(void)                                                          \
    {                                                                                                                  \
        test_add(#name, name, __LINE__);                                                                               \
    }                                                                                                                  \
    static void name(void **state)

// The program's main(), with what is done before the first test and after the last one (NULL: nothing).
#define TESTS(setup, teardown)                                                                                         \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        return tests_run(setup, teardown);                                                                             \
    }

// What these macros call.
void test_add(const char *name, void (*test)(void **state), int line);
int tests_run(int (*setup)(void **state), int (*teardown)(void **state));

// Is the program built with sanitizers? Then large tests are left out or made smaller.
bool sanitized(void);

// ---- files ----

// DIR/NAME, where DIR is the test's own folder; one of four texts that are used in turn.
const char *tmp_path(const char *name);

// The path of a file of tests/data, likewise.
const char *data_path(const char *name);

// Makes a new, empty folder in the test's own folder; its path is written to `path` [TEST_PATH_MAX].
enum { TEST_PATH_MAX = 700 };
void test_folder_make(char *path);

// Removes the files in a folder, and the folder, too.
void test_folder_clear(const char *path);
void test_folder_remove(const char *path);

// FOLDER/NAME.cltb; one of four texts that are used in turn.
const char *table_in(const char *folder, const char *name);

struct bytes {
    uint8_t *data;
    size_t size;
};

// A whole file; free() the data.
struct bytes read_file(const char *path);
void write_file(const char *path, const void *data, size_t size);

// ---- random numbers ----

// A hash of x: SplitMix64 with x as its state.
uint64_t mix(uint64_t x);

// The next number of one sequence, which is the same in every run.
uint64_t random_u64(void);

// Less than n, from that sequence.
int random_below(int n);

// ---- bits ----

static inline bool bit_at(const uint64_t *bits, uint64_t index)
{
    return bits[index / 64] >> (index % 64) & 1;
}

// Zeroed words; at least one. free() them.
uint64_t *host_words(size_t words);

// ---- threads ----

// A group's setup and teardown: `test_pool` has two threads.
extern struct thread_pool *test_pool;
int pool_setup(void **state);
int pool_teardown(void **state);

// ---- endgames ----

// The material of a name such as "KQvK".
struct material material_named(const char *name);

// The slices of its pawns, to be closed; NULL without pawns.
struct pawn_slices *slices_of(const struct material *material);

// Calls visit() for every placement of men[next] and the following ones of `count` men on free squares: pawns on ranks
// 2 to 7, identical men, which stand next to each other in the list, on rising squares. Those before `next` stay.
void each_placement(struct man *men, int next, int count, void (*visit)(void *context), void *context);

// The same position with colours flipped and ranks mirrored.
void flipped_position(const struct position *p, struct position *flipped);

// Men as in a FEN, such as "KkR": capitals are White's. Returns their number.
int men_named(const char *men, uint8_t *type, uint8_t *colour);

#endif
