// far_folder.c - a preloaded library that makes folders behave as they do over a slow network
//
//     LD_PRELOAD=libfar_folder.so FAR_MACHINE=2 FAR_MS=300 cltb build KQvK --one
//
// 1. The machine is called far-FAR_MACHINE, a number up to 1000.
// 2. A file whose name contains ".cltb" is seen FAR_MS after another process made it: until then it cannot be opened or
//    examined, and does not appear in folders.
// 3. Renaming such a file takes FAR_MS: a part of this passes before it is done, the rest before the caller knows.
// 4. Files are locked only among the processes of one machine: byte number FAR_MACHINE of a file stands for its lock
//    there.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NAMES = 1024 };

static uint64_t own[NAMES]; // names of files made by this process, as numbers
static int owned;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long setting(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? atol(text) : 0;
}

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

// A number for the file's name without its folder, because these programs use only one.
static uint64_t number_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    uint64_t number = 14695981039346656037U;
    for (const char *c = slash != NULL ? slash + 1 : path; *c != '\0'; c++)
        number = (number ^ (uint8_t)*c) * 1099511628211U;
    return number;
}

static bool is_own(uint64_t number)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < owned && !found; i++)
        found = own[i] == number;
    pthread_mutex_unlock(&lock);
    return found;
}

static void make_own(const char *path)
{
    const uint64_t number = number_of(path);
    if (strstr(path, ".cltb") == NULL || is_own(number))
        return;
    pthread_mutex_lock(&lock);
    if (owned == NAMES)
        abort();
    own[owned++] = number;
    pthread_mutex_unlock(&lock);
}

// Is there a file that this process may not see yet? Then errno is set. The age of a table counts from when it got its
// name; that of a lease, which changes all the time, from when it was made.
// change all the time, when they are made.
static bool hidden(int folder, const char *path)
{
    const char *point = strstr(path, ".cltb");
    struct statx status;
    struct timespec now;
    if (point == NULL || is_own(number_of(path)) ||
        statx(folder, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_CTIME, &status) != 0)
        return false;
    const struct statx_timestamp *since = strcmp(point, ".cltb") == 0 ? &status.stx_ctime : &status.stx_btime;
    clock_gettime(CLOCK_REALTIME, &now);
    const long age = (now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - (long)since->tv_nsec) / 1000000;
    if (age < setting("FAR_MS"))
        errno = ENOENT;
    return age < setting("FAR_MS");
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if ((flags & O_CREAT) == 0 && hidden(AT_FDCWD, path))
        return -1;
    const int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (file >= 0 && (flags & O_CREAT) != 0)
        make_own(path);
    return file;
}

int access(const char *path, int mode)
{
    return hidden(AT_FDCWD, path) ? -1 : faccessat(AT_FDCWD, path, mode, 0);
}

int stat(const char *restrict path, struct stat *restrict status)
{
    return hidden(AT_FDCWD, path) ? -1 : fstatat(AT_FDCWD, path, status, 0);
}

int lstat(const char *restrict path, struct stat *restrict status)
{
    return hidden(AT_FDCWD, path) ? -1 : fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

struct dirent *readdir(DIR *folder)
{
    struct dirent *(*real)(DIR *);
    struct dirent *entry;
    *(void **)&real = dlsym(RTLD_NEXT, "readdir");
    do
        entry = real(folder);
    while (entry != NULL && hidden(dirfd(folder), entry->d_name));
    return entry;
}

int rename(const char *from, const char *to)
{
    const long ms = strstr(to, ".cltb") != NULL ? setting("FAR_MS") : 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long before = ms > 0 ? now.tv_nsec / 1000 % ms : 0;
    wait_ms(before);
    const int result = (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
    const int number = errno;
    wait_ms(ms - before);
    if (result == 0)
        make_own(to);
    errno = number;
    return result;
}

int flock(int file, int operation)
{
    const int what = operation & ~LOCK_NB;
    struct flock range = {.l_type = what == LOCK_UN   ? F_UNLCK
                                    : what == LOCK_SH ? F_RDLCK
                                                      : F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = setting("FAR_MACHINE"),
                          .l_len = 1};
    return fcntl(file, (operation & LOCK_NB) != 0 ? F_OFD_SETLK : F_OFD_SETLKW, &range);
}

int gethostname(char *name, size_t size)
{
    return snprintf(name, size, "far-%ld", setting("FAR_MACHINE")) < (int)size ? 0 : -1;
}
