// lease.c - one process makes a table, whichever of the machines that share a folder it runs on
#include "make/lease.h"

#include "util/clock.h"
#include "util/error.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct lease {
    char path[PATH_MAX];
    int file;
    double seconds;   // between two beats
    pthread_t thread; //
    pthread_mutex_t lock;
    pthread_cond_t wake;
    clockid_t clock; // that it uses: not one that can be set, if the system has that
    bool running;    // the thread has been started
    bool stop;       // used under the lock
    bool lost;       // likewise
};

// ---- the text ----

// "cltb lease\nmachine NAME BOOT\nprocess 17\nbeat 3\n", padded with blanks to LEASE_TEXT bytes: a beat overwrites all.

static int write_text(const struct lease *lease, unsigned long beat)
{
    char machine[OS_MACHINE_MAX];
    char text[LEASE_TEXT + 1];
    os_machine(machine);
    const int length =
        snprintf(text, sizeof text, "cltb lease\nmachine %s\nprocess %ld\nbeat %lu\n", machine, (long)getpid(), beat);
    memset(text + length, ' ', sizeof text - (size_t)length);
    text[LEASE_TEXT - 1] = '\n';
    return file_write(lease->file, lease->path, text, LEASE_TEXT, 0);
}

// Reads the machine, as os_machine() gives it, and the process from a lease's text; false if it does not have them
// (yet).
static bool read_text(const char *text, char machine[OS_MACHINE_MAX], long *process)
{
    static const char form[] = "cltb lease\nmachine %127[^\n]\nprocess %ld\n";
    _Static_assert(OS_MACHINE_MAX == 128, "the width in `form`");
    return sscanf(text, form, machine, process) == 2;
}

static void note_holder(struct lease_watch *watch)
{
    char machine[OS_MACHINE_MAX];
    long process;
    if (!read_text(watch->text, machine, &process)) {
        snprintf(watch->holder, sizeof watch->holder, "another process");
        return;
    }
    machine[strcspn(machine, " ")] = '\0'; // without the identifier of its start
    snprintf(watch->holder, sizeof watch->holder, "process %ld on %s", process, text_clean(machine));
}

// ---- beats ----

static void *beat(void *context)
{
    struct lease *lease = context;
    pthread_mutex_lock(&lease->lock);
    for (unsigned long count = 1; !lease->stop; count++) {
        struct timespec until;
        clock_gettime(lease->clock, &until);
        const double next = lease->seconds + 1e-9 * (double)until.tv_nsec;
        until.tv_sec += (time_t)next;
        until.tv_nsec = (long)((next - (double)(time_t)next) * 1e9);
        while (!lease->stop && pthread_cond_timedwait(&lease->wake, &lease->lock, &until) != ETIMEDOUT)
            continue;
        if (lease->stop)
            break;
        // A folder that cannot be reached for a while is no reason to stop.
        if (file_is_named(lease->file, lease->path) == 0)
            lease->lost = true;
        else
            (void)write_text(lease, count);
    }
    pthread_mutex_unlock(&lease->lock);
    return NULL;
}

static int start(struct lease *lease)
{
    TRY(write_text(lease, 0));
    lease->running = pthread_create(&lease->thread, NULL, beat, lease) == 0;
    return lease->running ? 0 : error_set(CLTB_E_MEMORY, "a thread cannot be started");
}

// ---- taking ----

static int make_new(struct lease *lease, struct lease_watch *watch)
{
    lease->file = os_open(lease->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (lease->file < 0)
        return errno == EEXIST ? 1 : error_errno(CLTB_E_IO, errno, "cannot create %s", lease->path);
    *watch = (struct lease_watch){.since = 0};
    // Another process that found it empty was faster. If files cannot be locked, only the beat counts.
    return os_lock(lease->file) != 0 && errno == EWOULDBLOCK ? 1 : 0;
}

// Renames a silent lease, so that only one of several processes that find it silent succeeds.
static int push_aside(struct lease *lease)
{
    char aside[PATH_MAX];
    if (snprintf(aside, sizeof aside, "%s.%ld", lease->path, (long)getpid()) >= (int)sizeof aside)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", lease->path);
    if (os_rename(lease->path, aside) != 0)
        return errno == ENOENT ? 1 : error_errno(CLTB_E_IO, errno, "cannot rename %s", lease->path);
    const int same = file_is_named(lease->file, aside);
    if (same == 0 && os_rename(aside, lease->path) == 0) // it was the new lease of a faster process
        return 1;
    unlink(aside);
    return same < 0 ? same : 0;
}

// Called if the lease exists. 0: it is now ours, and locked if `file` is open; 1: another process holds it.
static int take_over(struct lease *lease, double seconds, struct lease_watch *watch)
{
    char text[LEASE_TEXT] = "";
    char machine[OS_MACHINE_MAX];
    char own[OS_MACHINE_MAX];
    long process;
    size_t got = 0;
    lease->file = os_open(lease->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (lease->file < 0)
        return errno == ENOENT ? 1 : error_errno(CLTB_E_IO, errno, "cannot open %s", lease->path);
    const bool locked = os_lock(lease->file) == 0;
    TRY(file_read(lease->file, lease->path, text, sizeof text - 1, 0, &got));
    if (watch->since == 0 || memcmp(watch->text, text, sizeof text) != 0) {
        memcpy(watch->text, text, sizeof text);
        watch->since = wall_seconds();
        note_holder(watch);
    }
    const int named = file_is_named(lease->file, lease->path);
    if (named <= 0)
        return named < 0 ? named : 1; // dropped just now
    os_machine(own);
    if (locked && read_text(text, machine, &process) && strcmp(machine, own) == 0)
        return 0; // its holder died on this machine
    if (!locked || wall_seconds() - watch->since < seconds)
        return 1;
    TRY(push_aside(lease));
    close(lease->file);
    return make_new(lease, watch);
}

int lease_take(struct lease **result, const char *path, double seconds, struct lease_watch *watch)
{
    enum { BEATS = 10 }; // in the time after which a holder counts as gone
    struct lease *lease;
    *result = NULL;
    TRY(memory_new(&lease, 1, sizeof *lease, "a lease"));
    lease->file = -1;
    lease->seconds = seconds / BEATS;
    pthread_mutex_init(&lease->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    lease->clock = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    pthread_cond_init(&lease->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    snprintf(lease->path, sizeof lease->path, "%s", path);
    int code = make_new(lease, watch);
    if (code == 1 && lease->file < 0)
        code = take_over(lease, seconds, watch);
    THEN(code, start(lease));
    if (code == 0)
        *result = lease;
    else
        lease_drop(lease);
    return code;
}

void lease_clear(const char *path)
{
    char text[LEASE_TEXT] = "";
    char machine[OS_MACHINE_MAX];
    char own[OS_MACHINE_MAX];
    long process;
    const int file = os_open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return;
    os_machine(own);
    if (os_lock(file) == 0 && os_read(file, text, sizeof text - 1, 0) > 0 && read_text(text, machine, &process) &&
        strcmp(machine, own) == 0 && file_is_named(file, path) > 0)
        unlink(path);
    close(file);
}

bool lease_lost(const struct lease *lease)
{
    struct lease *mutable = (struct lease *)lease;
    pthread_mutex_lock(&mutable->lock);
    const bool lost = lease->lost;
    pthread_mutex_unlock(&mutable->lock);
    return lost;
}

// Another process, about to push aside the old file with this name, may have moved the new lease instead. It will move
// it back, and then nobody else would remove it. So this waits as long as the file exists under another name.
static void remove_own(const struct lease *lease)
{
    enum { TRIES = 500 };
    const struct timespec moment = {.tv_nsec = 10000000};
    struct stat status;
    for (int i = 0; i < TRIES && fstat(lease->file, &status) == 0 && status.st_nlink > 0; i++) {
        const int named = file_is_named(lease->file, lease->path);
        if (named < 0 || (named > 0 && unlink(lease->path) == 0))
            return;
        nanosleep(&moment, NULL);
    }
}

void lease_drop(struct lease *lease)
{
    if (lease == NULL)
        return;
    if (lease->running) {
        pthread_mutex_lock(&lease->lock);
        lease->stop = true;
        pthread_cond_signal(&lease->wake);
        pthread_mutex_unlock(&lease->lock);
        pthread_join(lease->thread, NULL);
        remove_own(lease);
    }
    if (lease->file >= 0)
        close(lease->file);
    pthread_cond_destroy(&lease->wake);
    pthread_mutex_destroy(&lease->lock);
    free(lease);
}
