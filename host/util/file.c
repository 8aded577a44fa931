// file.c - files opened under a lock, and reads and writes that do all or fail
#include "util/file.h"

#include "util/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_is_named(int file, const char *path)
{
    struct stat opened;
    struct stat named;
    return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

int file_open_locked(int *file, const char *path)
{
    for (;;) {
        *file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (*file < 0)
            return error_errno(CLTB_E_IO, errno, "cannot create %s", path);
        if (flock(*file, LOCK_EX | LOCK_NB) != 0) {
            const int number = errno;
            close(*file);
            *file = -1;
            return number == EWOULDBLOCK ? error_set(CLTB_E_IO, "another cltb uses %s", path)
                                         : error_errno(CLTB_E_IO, number, "cannot lock %s", path);
        }
        // Between opening and locking another process may have finished its work and renamed or removed the file.
        if (file_is_named(*file, path))
            return 0;
        close(*file);
    }
}

int file_write(int file, const char *path, const void *bytes, size_t count, uint64_t offset)
{
    for (const char *from = bytes; count > 0;) {
        const ssize_t written = pwrite(file, from, count, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_errno(CLTB_E_IO, written < 0 ? errno : ENOSPC, "cannot write %s", path);
        from += written;
        count -= (size_t)written;
        offset += (uint64_t)written;
    }
    return 0;
}

int file_read(int file, const char *path, void *bytes, size_t count, uint64_t offset, size_t *got)
{
    size_t done = 0;
    while (done < count) {
        const ssize_t part = pread(file, (char *)bytes + done, count - done, (off_t)(offset + done));
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return error_errno(CLTB_E_IO, errno, "cannot read %s", path);
        if (part == 0)
            break;
        done += (size_t)part;
    }
    if (got != NULL)
        *got = done;
    return got != NULL || done == count ? 0 : error_set(CLTB_E_CORRUPT, "%s is cut short", path);
}

int file_open_nameless(int *file, const char *folder)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/.cltb.scratch.XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof path)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", folder);
    *file = mkostemp(path, O_CLOEXEC);
    if (*file < 0)
        return error_errno(CLTB_E_IO, errno, "cannot create a scratch file in %s", folder);
    unlink(path);
    return 0;
}
