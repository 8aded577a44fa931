// test_lease.c - which of several processes makes a table
#include "support/support.h"

#include "make/lease.h"
#include "table/part_file.h"
#include "util/os.h"

#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *lease_path(void)
{
    return tmp_path("KQvK.cltb.lease");
}

static void set_text(const char *text)
{
    write_file(lease_path(), (const uint8_t *)text, strlen(text));
}

TEST(one_at_a_time)
{
    struct lease *lease;
    struct lease *second;
    struct lease_watch watch = {.since = 0};
    assert_int_equal(lease_take(&lease, lease_path(), 1000, &watch), 0);
    assert_int_equal(lease_take(&second, lease_path(), 0.001, &watch), 1); // locked: silence does not count
    assert_int_equal(lease_take(&second, lease_path(), 0.001, &watch), 1);
    char holder[LEASE_TEXT];
    snprintf(holder, sizeof holder, "process %ld on ", (long)getpid());
    assert_memory_equal(watch.holder, holder, strlen(holder));
    lease_clear(lease_path()); // not while it is held
    assert_false(lease_lost(lease));
    assert_int_equal(access(lease_path(), F_OK), 0);
    lease_drop(lease);
    assert_int_not_equal(access(lease_path(), F_OK), 0);
    assert_int_equal(lease_take(&second, lease_path(), 1000, &watch), 0);
    lease_drop(second);
    lease_drop(NULL);
}

// Its lock is free at once, and the text says that it ran here.
TEST(a_dead_process_of_this_machine)
{
    for (int how = 0; how < 2; how++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct lease *lease;
            struct lease_watch watch = {.since = 0};
            _exit(lease_take(&lease, lease_path(), 1000, &watch) == 0 ? 7 : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(WEXITSTATUS(status), 7);
        assert_int_equal(access(lease_path(), F_OK), 0);
        struct lease *lease = NULL;
        struct lease_watch watch = {.since = 0};
        if (how == 0)
            lease_clear(lease_path());
        else
            assert_int_equal(lease_take(&lease, lease_path(), 1000, &watch), 0);
        lease_drop(lease);
        assert_int_not_equal(access(lease_path(), F_OK), 0);
    }
}

TEST(another_machine)
{
    static const char *const texts[] = {"cltb lease\nmachine far 1-2\nprocess 17\nbeat 1\n", "", "nonsense",
                                        "cltb lease\nmachine evil\x1b[2J 1-2\nprocess 17\nbeat 1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct lease *lease;
        struct lease_watch watch = {.since = 0};
        set_text(texts[i]);
        assert_int_equal(lease_take(&lease, lease_path(), 0.2, &watch), 1);
        assert_string_equal(watch.holder, i == 0   ? "process 17 on far"
                                          : i == 3 ? "process 17 on evil?[2J"
                                                   : "another process");
        lease_clear(lease_path());
        usleep(150 * 1000);
        if (i == 0) { // it beats
            set_text("cltb lease\nmachine far 1-2\nprocess 17\nbeat 2\n");
            assert_int_equal(lease_take(&lease, lease_path(), 0.2, &watch), 1);
            usleep(150 * 1000);
            assert_int_equal(lease_take(&lease, lease_path(), 0.2, &watch), 1);
        }
        usleep(100 * 1000);
        assert_int_equal(lease_take(&lease, lease_path(), 0.2, &watch), 0);
        lease_drop(lease);
        assert_int_not_equal(access(lease_path(), F_OK), 0);
    }
}

// Beats rise, and a lease that another process has renamed away and replaced is lost.
TEST(beats_and_losses)
{
    struct lease *lease;
    struct lease_watch watch = {.since = 0};
    assert_int_equal(lease_take(&lease, lease_path(), 0.1, &watch), 0);
    const struct bytes first = read_file(lease_path());
    bool beats = false;
    for (int i = 0; i < 500 && !beats; i++) {
        usleep(10 * 1000);
        const struct bytes now = read_file(lease_path());
        beats = now.size == first.size && memcmp(now.data, first.data, first.size) != 0;
        free(now.data);
    }
    assert_true(beats);
    free(first.data);
    assert_false(lease_lost(lease));
    assert_int_equal(rename(lease_path(), tmp_path("aside")), 0);
    set_text("cltb lease\nmachine far 1-2\nprocess 17\nbeat 1\n");
    for (int i = 0; i < 500 && !lease_lost(lease); i++)
        usleep(10 * 1000);
    assert_true(lease_lost(lease));
    unlink(tmp_path("aside"));
    lease_drop(lease);
    assert_int_equal(access(lease_path(), F_OK), 0); // the other process's
    unlink(lease_path());
    FAILS(lease_take(&lease, "/nowhere/KQvK.cltb.lease", 1, &watch), CLTB_E_IO, "cannot create /nowhere");
}

static void *put_back(void *context)
{
    usleep(100 * 1000);
    return rename(tmp_path("aside"), lease_path()) == 0 ? NULL : context;
}

// Another process, which wanted to push aside the lease before this one, has moved this one, and puts it back.
TEST(dropped_while_aside)
{
    struct lease *lease;
    struct lease_watch watch = {.since = 0};
    pthread_t thread;
    void *failed = NULL;
    assert_int_equal(lease_take(&lease, lease_path(), 1000, &watch), 0);
    assert_int_equal(rename(lease_path(), tmp_path("aside")), 0);
    assert_int_equal(pthread_create(&thread, NULL, put_back, lease), 0);
    lease_drop(lease);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    assert_int_not_equal(access(lease_path(), F_OK), 0);
}

// A process that has lost its lease goes on writing, and its lock does not reach the machine of the one that took over.
TEST(two_that_write)
{
    struct part_file sleeper;
    struct part_file other;
    const char *path = tmp_path("KQvK.cltb");
    struct stat status;
    for (int how = 0; how < 2; how++) {
        assert_int_equal(part_file_open(&sleeper, path), 0);
        assert_int_equal(part_file_write(&sleeper, "half", 4, 0), 0);
        FAILS(part_file_open(&other, path), CLTB_E_IO, "another cltb uses"); // the lock does reach it
        assert_int_equal(flock(sleeper.file, LOCK_UN), 0);
        assert_int_equal(part_file_open(&other, path), 0);
        assert_int_equal(part_file_write(&other, "whole file", 10, 0), 0);
        assert_int_equal(part_file_write(&sleeper, " done", 5, 4), 0);
        if (how == 1)
            FAILS(part_file_finish(&sleeper), CLTB_E_IO, "another process writes");
        part_file_close(&sleeper);
        assert_int_equal(part_file_finish(&other), 0);
        part_file_close(&other);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_size, 10);
        unlink(path);
    }
}

TESTS(NULL, NULL)
