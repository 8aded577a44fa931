// file.c - files opened under a lock, and reads and writes that do all or fail
#include "util/file.h"

#include "util/error.h"
#include "util/os.h"

#include <errno.h>
#include <time.h>

int file_is_named(int file, const char *path)
{
    struct os_identity opened;
    struct os_identity named;
    if (os_identify_open(file, &opened) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot examine %s", path);
    if (os_identify(path, &named) != 0)
        return errno == ENOENT ? 0 : error_errno(CLTB_E_IO, errno, "cannot examine %s", path);
    return opened.volume == named.volume && opened.number == named.number;
}

int file_open_own(int *file, const char *path, bool direct)
{
    const int flags = O_RDWR | O_CREAT | O_NOFOLLOW;
    struct stat status;
    *file = direct ? os_open(path, flags | O_DIRECT) : -1;
    if (!direct || (*file < 0 && errno == EINVAL))
        *file = os_open(path, flags);
    const bool foreign = *file < 0 && (errno == ELOOP || errno == ENXIO); // a link, a socket
    if (*file < 0 && !foreign)
        return error_errno(CLTB_E_IO, errno, "cannot create %s", path);
    int code = 0;
    if (*file >= 0 && fstat(*file, &status) != 0)
        code = error_errno(CLTB_E_IO, errno, "cannot examine %s", path);
    else if (foreign || !S_ISREG(status.st_mode) || status.st_nlink > 1)
        code = error_set(CLTB_E_IO, "%s is a link, a pipe or a device and is not written", path);
    if (code != 0 && *file >= 0)
        close(*file);
    *file = code != 0 ? -1 : *file;
    return code;
}

// Tries for a moment: a run that only cleans up holds the lock that long. Returns 0 or errno.
static int lock_file(int file, bool shared)
{
    enum { TRIES = 10 };
    const struct timespec moment = {.tv_nsec = 20 * 1000 * 1000};
    for (int i = 0; (shared ? os_lock_shared : os_lock)(file) != 0; i++) {
        if (errno != EWOULDBLOCK || i == TRIES)
            return errno;
        nanosleep(&moment, NULL);
    }
    return 0;
}

int file_open_locked(int *file, const char *path, bool shared, bool *busy)
{
    for (int named = 0; named == 0;) {
        const bool made = access(path, F_OK) != 0;
        TRY(file_open_own(file, path, false));
        const int number = lock_file(*file, shared);
        if (busy != NULL)
            *busy = number == EWOULDBLOCK;
        if (number == 0) {
            // Between opening and locking another process may have finished its work and renamed or removed the file.
            named = file_is_named(*file, path);
            if (named > 0)
                return 0;
        } else if (number == EWOULDBLOCK) {
            named = error_set(CLTB_E_IO, "another cltb uses %s", path);
        } else {
            named = error_errno(CLTB_E_IO, number, "cannot lock %s", path);
            if (made)
                unlink(path); // nobody else can have locked it
        }
        close(*file);
        *file = -1;
        if (named < 0)
            return named;
    }
    return 0;
}

int file_write(int file, const char *path, const void *bytes, size_t count, uint64_t offset)
{
    for (const char *from = bytes; count > 0;) {
        const ssize_t written = os_write(file, from, count, offset);
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
        const ssize_t part = os_read(file, (char *)bytes + done, count - done, offset + done);
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
    *file = os_open_nameless(folder);
    if (*file < 0)
        return error_errno(CLTB_E_IO, errno, "cannot create a scratch file in %s", folder);
    return 0;
}
