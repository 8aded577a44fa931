// scratch.c - planes in blocks on disk, and a log beside them, with checkpoints that survive a kill at any moment: the files
#include "solve/disk/scratch_inside.h"

#include "util/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECT_BYTES = 256 << 10 }; // smaller slots are better off with the page cache

static const char *const endings[] = {".planes", ".log", ".check", ".check.old", ".check.part"};

const char *scratch_path(const struct scratch *scratch, int ending, char path[PATH_MAX + 16])
{
    snprintf(path, PATH_MAX + 16, "%s%s", scratch->path, endings[ending]);
    return path;
}

int scratch_fault(const struct scratch *scratch, int ending, const char *what, int number)
{
    char path[PATH_MAX + 16];
    return error_errno(CLTB_E_IO, number, "%s %s", what, scratch_path(scratch, ending, path));
}

// ---- files ----

int scratch_transfer(const struct scratch *scratch, int ending, bool write, void *bytes, size_t count, uint64_t offset)
{
    const int file = ending == END_PLANES ? scratch->planes_file : scratch->log_file;
    uint8_t *at = bytes;
    while (count > 0) {
        const ssize_t n = write ? pwrite(file, at, count, (off_t)offset) : pread(file, at, count, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return scratch_fault(scratch, ending, write ? "cannot write" : "cannot read", errno);
        if (n == 0 && !write)
            return error_set(CLTB_E_CORRUPT, "%s%s is cut short", scratch->path, endings[ending]);
        if (n == 0)
            return scratch_fault(scratch, ending, "cannot write", ENOSPC);
        at += n;
        offset += (uint64_t)n;
        count -= (size_t)n;
    }
    return 0;
}

// Past the page cache if the file system can: planes are read once a sweep, and the cache would only push out what others need.
static int open_unbuffered(const char *path, int flags)
{
    const int file = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_DIRECT, 0666);
    return file < 0 && errno == EINVAL ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0666) : file;
}

// Is the file that is open still the one of that name? Another run may have removed it before it was locked.
static bool still_there(int file, const char *path)
{
    struct stat here;
    struct stat there;
    return fstat(file, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

static int open_planes(struct scratch *scratch)
{
    char path[PATH_MAX + 16];
    scratch_path(scratch, END_PLANES, path);
    for (;;) {
        scratch->planes_file = open_unbuffered(path, O_RDWR | O_CREAT);
        if (scratch->planes_file < 0)
            return scratch_fault(scratch, END_PLANES, "cannot create", errno);
        if (flock(scratch->planes_file, LOCK_EX | LOCK_NB) != 0)
            return errno == EWOULDBLOCK ? error_set(CLTB_E_IO, "another run uses %s", path)
                                        : scratch_fault(scratch, END_PLANES, "cannot lock", errno);
        if (still_there(scratch->planes_file, path))
            return 0;
        close(scratch->planes_file);
    }
}

static int open_log(struct scratch *scratch)
{
    char path[PATH_MAX + 16];
    scratch->log_file = open(scratch_path(scratch, END_LOG, path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return scratch->log_file < 0 ? scratch_fault(scratch, END_LOG, "cannot create", errno) : 0;
}

// ---- opening ----

static void remove_files(const struct scratch *scratch, int first)
{
    char path[PATH_MAX + 16];
    for (int ending = ENDINGS - 1; ending >= first; ending--) // the planes last: they carry the lock
        unlink(scratch_path(scratch, ending, path));
}

int scratch_set_shape(struct scratch *scratch, const struct scratch_shape *shape)
{
    scratch->shape = *shape;
    scratch->blocks = shape->row_groups * shape->column_groups;
    scratch->slot_bytes = (shape->slot_bytes + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
    const int flags = fcntl(scratch->planes_file, F_GETFL);
    if (flags >= 0 && scratch->slot_bytes < DIRECT_BYTES)
        (void)fcntl(scratch->planes_file, F_SETFL, flags & ~O_DIRECT);
    return scratch->slot_bytes == 0 ? error_set(CLTB_E_USAGE, "blocks of no size") : 0;
}

static int start_anew(struct scratch *scratch, const struct scratch_options *options)
{
    remove_files(scratch, END_CHECK);
    if (ftruncate(scratch->planes_file, 0) != 0)
        return scratch_fault(scratch, END_PLANES, "cannot empty", errno);
    if (ftruncate(scratch->log_file, 0) != 0)
        return scratch_fault(scratch, END_LOG, "cannot empty", errno);
    XXH64_reset(scratch->log_hash, 0);
    return scratch_set_shape(scratch, &options->shape);
}

static bool no_use(int code)
{
    return code == CLTB_E_MISSING || code == CLTB_E_CORRUPT;
}

static int start(struct scratch *scratch, const struct scratch_options *options, enum scratch_start *how)
{
    char path[PATH_MAX + 16];
    TRY(open_planes(scratch));
    TRY(open_log(scratch));
    scratch->log_buffer = malloc(LOG_BUFFER);
    scratch->log_hash = XXH64_createState();
    if (scratch->log_buffer == NULL || scratch->log_hash == NULL)
        return error_memory(LOG_BUFFER, "the log of a scratch file");
    char text[512];
    const int last = scratch_resume(scratch, END_CHECK);
    *how = SCRATCH_RESUMED;
    if (last == 0) {
        // What only the checkpoint before names is free again.
        unlink(scratch_path(scratch, END_OLD, path));
        return 0;
    }
    if (!no_use(last) && last != CLTB_E_IO)
        return last;
    snprintf(text, sizeof text, "%s", error_text());
    // A kill between two renames leaves the older one only.
    *how = last == CLTB_E_MISSING ? SCRATCH_RESUMED : SCRATCH_RESUMED_OLDER;
    const int older = scratch_resume(scratch, END_OLD);
    if (older == 0)
        return scratch_make_last(scratch);
    if (last == CLTB_E_IO && no_use(older)) // the disk may have it again another time
        return error_set(CLTB_E_IO, "%s", text);
    if (!no_use(older))
        return older;
    *how = last == CLTB_E_CORRUPT || older == CLTB_E_CORRUPT ? SCRATCH_DAMAGED : SCRATCH_NEW;
    return start_anew(scratch, options);
}

static int name_files(struct scratch *scratch, const char *dir, const char *name)
{
    const int length = snprintf(scratch->path, sizeof scratch->path, "%s/%s.cltb", dir, name);
    if (length < 0 || (size_t)length >= sizeof scratch->path)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", dir);
    snprintf(scratch->folder, sizeof scratch->folder, "%s", dir);
    return 0;
}

int scratch_open(struct scratch **result, const struct scratch_options *options, enum scratch_start *how)
{
    *result = NULL;
    struct scratch *scratch = calloc(1, sizeof *scratch);
    if (scratch == NULL)
        return error_memory(sizeof *scratch, "a scratch file");
    scratch->planes_file = scratch->log_file = -1;
    pthread_mutex_init(&scratch->lock, NULL);
    pthread_mutex_init(&scratch->log_lock, NULL);
    snprintf(scratch->identity, sizeof scratch->identity, "%s", options->identity);
    scratch->stop = options->stop;
    scratch->context = options->context;
    int code = name_files(scratch, options->dir, options->name);
    if (code == 0)
        code = start(scratch, options, how);
    if (code != 0) {
        scratch_close(scratch, true);
        return code;
    }
    scratch->opened = true;
    *result = scratch;
    return 0;
}

void scratch_close(struct scratch *scratch, bool keep)
{
    if (scratch == NULL)
        return;
    if (scratch->opened && (!keep || !scratch->saved))
        remove_files(scratch, END_PLANES);
    scratch_forget_planes(scratch);
    if (scratch->planes_file >= 0)
        close(scratch->planes_file);
    if (scratch->log_file >= 0)
        close(scratch->log_file);
    free(scratch->slot);
    free(scratch->free_slot);
    free(scratch->log_buffer);
    XXH64_freeState(scratch->log_hash);
    free(scratch->found);
    pthread_mutex_destroy(&scratch->lock);
    pthread_mutex_destroy(&scratch->log_lock);
    free(scratch);
}

void scratch_remove(const char *dir, const char *name)
{
    char path[PATH_MAX + 16];
    struct scratch scratch = {.planes_file = -1, .log_file = -1};
    if (name_files(&scratch, dir, name) != 0 || access(scratch_path(&scratch, END_PLANES, path), F_OK) != 0)
        return;
    scratch.planes_file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (scratch.planes_file < 0)
        return;
    if (flock(scratch.planes_file, LOCK_EX | LOCK_NB) == 0)
        remove_files(&scratch, END_PLANES);
    close(scratch.planes_file);
}

uint64_t scratch_left(const char *dir, const char *name)
{
    char path[PATH_MAX + 16];
    uint64_t bytes = 0;
    struct scratch scratch = {.planes_file = -1, .log_file = -1};
    for (int ending = 0; name_files(&scratch, dir, name) == 0 && ending < ENDINGS; ending++) {
        struct stat status;
        if (lstat(scratch_path(&scratch, ending, path), &status) == 0)
            bytes += (uint64_t)status.st_blocks * 512;
    }
    return bytes;
}

bool scratch_found(const char *dir, const char *name)
{
    char path[PATH_MAX + 16];
    struct scratch scratch = {.planes_file = -1, .log_file = -1};
    return name_files(&scratch, dir, name) == 0 && (access(scratch_path(&scratch, END_CHECK, path), F_OK) == 0 ||
                                                    access(scratch_path(&scratch, END_OLD, path), F_OK) == 0);
}

struct scratch_traffic scratch_traffic(const struct scratch *scratch)
{
    struct scratch_traffic traffic = scratch->traffic;
    traffic.log = scratch->log_written + scratch->log_buffered;
    traffic.disk = scratch->slots * scratch->slot_bytes + traffic.log;
    return traffic;
}
