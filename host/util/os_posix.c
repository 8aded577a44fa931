// os_posix.c - Linux, and other POSIX systems, which lack some of its functions (untested)
#include "util/os.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#ifdef __linux__
#include <sched.h>
#endif

// ---- the process ----

void os_start(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    signal(SIGXFSZ, SIG_IGN); // exceeding the limit on file sizes is then an error, as a full disk is
}

void os_catch(void (*handler)(int number))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

int os_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int os_processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

void os_machine(char text[OS_MACHINE_MAX])
{
    char name[64] = "";
    char boot[40] = "";
    if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0')
        strcpy(name, "localhost");
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC); // Linux
    if (file >= 0) {
        if (read(file, boot, sizeof boot - 1) < 0)
            boot[0] = '\0';
        close(file);
    }
    boot[strcspn(boot, "\n")] = '\0';
    snprintf(text, OS_MACHINE_MAX, "%s %s", name, boot[0] != '\0' ? boot : "-");
}

int os_run(const char *command, const char *argument)
{
    extern char **environ;
    posix_spawn_file_actions_t files;
    pid_t child;
    char *script;
    int status;
    if (asprintf(&script, "%s%s", command, strstr(command, "$1") != NULL ? "" : " \"$1\"") < 0) {
        errno = ENOMEM;
        return -1;
    }
    char *const words[] = {"sh", "-c", script, "sh", (char *)(uintptr_t)argument, NULL};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    const int number = posix_spawn(&child, "/bin/sh", &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
    free(script);
    errno = number;
    if (number != 0)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// ---- memory ----

#define HUGE_PAGE ((size_t)2 << 20)

void *os_map(size_t bytes)
{
    const size_t slack = bytes >= HUGE_PAGE ? HUGE_PAGE : 0;
    if (bytes > SIZE_MAX - slack)
        return NULL;
    char *start = mmap(NULL, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    if (slack == 0)
        return start;
    // Cut the mapping down to an aligned part: unmap whole pages before and after it.
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t before = (HUGE_PAGE - ((uintptr_t)start & (HUGE_PAGE - 1))) & (HUGE_PAGE - 1);
    const size_t kept = (bytes + page - 1) & ~(page - 1);
    if (before > 0)
        munmap(start, before);
    if (slack - before > kept - bytes)
        munmap(start + before + kept, slack - before - (kept - bytes));
#ifdef MADV_HUGEPAGE
    madvise(start + before, bytes, MADV_HUGEPAGE);
#endif
    return start + before;
}

void os_unmap(void *start, size_t bytes)
{
    munmap(start, bytes);
}

void os_drop(void *start, size_t bytes)
{
    madvise(start, bytes, MADV_DONTNEED);
}

void *os_aligned(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, bytes);
}

void os_aligned_free(void *start)
{
    free(start);
}

static size_t read_limit(const char *path)
{
    size_t limit = SIZE_MAX;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return limit;
    if (fscanf(file, "%zu", &limit) != 1) // "max"
        limit = SIZE_MAX;
    fclose(file);
    return limit;
}

// The least limit of the groups that this process is in (cgroups of version 1 or 2); SIZE_MAX if there is none, or on
// other systems than Linux. A container sees its own group as the topmost one.
static size_t group_limit(void)
{
    char line[PATH_MAX];
    char path[PATH_MAX + 60];
    size_t least = SIZE_MAX;
    FILE *groups = fopen("/proc/self/cgroup", "r");
    if (groups == NULL)
        return least;
    while (fgets(line, sizeof line, groups) != NULL) { // NUMBER:CONTROLLERS:GROUP
        const char *controllers = line + strcspn(line, ":");
        const bool unified = strncmp(controllers, "::", 2) == 0;
        if (!unified && strncmp(controllers, ":memory:", 8) != 0)
            continue;
        char *group = line + strcspn(line, ":") + (unified ? 2 : 8);
        for (char *end = group + strcspn(group, "\n"); end != NULL; end = strrchr(group, '/')) {
            *end = '\0';
            snprintf(path, sizeof path, "/sys/fs/cgroup%s%s/%s", unified ? "" : "/memory", group,
                     unified ? "memory.max" : "memory.limit_in_bytes");
            const size_t limit = read_limit(path);
            least = limit < least ? limit : least;
        }
    }
    fclose(groups);
    return least;
}

size_t os_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long bytes = sysconf(_SC_PAGESIZE);
    const size_t physical = pages > 0 && bytes > 0 ? (size_t)pages * (size_t)bytes : SIZE_MAX;
    const size_t limit = group_limit();
    return limit < physical ? limit : physical;
}

size_t os_held_memory(void)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fscanf(file, "%*u %zu", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

size_t os_peak_memory(void)
{
#ifdef __APPLE__
    const size_t unit = 1;
#else
    const size_t unit = 1024;
#endif
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * unit : 0;
}

void os_forget_peak_memory(void)
{
    const int file = os_open("/proc/self/clear_refs", O_WRONLY);
    if (file < 0)
        return;
    (void)!write(file, "5", 1);
    close(file);
}

// ---- files ----

int os_open(const char *path, int flags)
{
    return open(path, flags | O_CLOEXEC, 0666);
}

int os_open_nameless(const char *folder)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/.cltb.scratch.XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

FILE *os_read_stream(const char *path)
{
    return fopen(path, "rbe");
}

ssize_t os_read(int file, void *bytes, size_t count, uint64_t offset)
{
    return pread(file, bytes, count, (off_t)offset);
}

ssize_t os_write(int file, const void *bytes, size_t count, uint64_t offset)
{
    return pwrite(file, bytes, count, (off_t)offset);
}

int os_sync(int file, bool all)
{
#ifdef F_FULLFSYNC
    // On this system fsync() leaves the bytes in the disk's own cache.
    return fcntl(file, F_FULLFSYNC) == 0 ? 0 : fsync(file);
#else
    return all ? fsync(file) : fdatasync(file);
#endif
}

void os_leave_direct(int file)
{
    const int flags = fcntl(file, F_GETFL);
    if (flags >= 0)
        (void)fcntl(file, F_SETFL, flags & ~O_DIRECT);
}

int os_lock(int file)
{
    return flock(file, LOCK_EX | LOCK_NB);
}

int os_lock_shared(int file)
{
    return flock(file, LOCK_SH | LOCK_NB);
}

static int identity_of(int failed, const struct stat *status, struct os_identity *identity)
{
    if (failed == 0)
        *identity = (struct os_identity){(uint64_t)status->st_dev, (uint64_t)status->st_ino};
    return failed;
}

int os_identify(const char *path, struct os_identity *identity)
{
    struct stat status;
    return identity_of(stat(path, &status), &status, identity);
}

int os_identify_open(int file, struct os_identity *identity)
{
    struct stat status;
    return identity_of(fstat(file, &status), &status, identity);
}

int os_rename(const char *from, const char *to)
{
    return rename(from, to);
}

int os_sync_folder(const char *path)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return 0;
    const int number = fsync(folder) == 0 || errno == EINVAL ? 0 : errno; // EINVAL: the file system does not support it
    close(folder);
    errno = number;
    return number == 0 ? 0 : -1;
}

uint64_t os_disk_bytes(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 ? (uint64_t)status.st_blocks * 512 : 0;
}

int os_free_bytes(const char *folder, uint64_t *bytes)
{
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0)
        return -1;
    *bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    return 0;
}

int os_make_folder(const char *path)
{
    return mkdir(path, 0777);
}

bool os_is_folder(const char *path, bool own)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
           (!own || (status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0));
}

int os_make_temporary_folder(char *path)
{
    return mkdtemp(path) != NULL ? 0 : -1;
}

const char *os_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder != NULL && *folder != '\0' ? folder : "/tmp";
}

// ---- errors ----

const char *os_error(int number, char *buffer, size_t size)
{
#ifdef __GLIBC__
    return strerror_r(number, buffer, size); // glibc's own, by _GNU_SOURCE
#else
    return strerror_r(number, buffer, size) == 0 ? buffer : "unknown error";
#endif
}
