// part_file.c - a file that appears whole or not at all
#include "table/part_file.h"

#include "util/error.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int part_file_write(const struct part_file *part, const void *data, size_t bytes, uint64_t offset)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t written = pwrite(part->file, from, bytes, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_errno(CLTB_E_IO, written < 0 ? errno : ENOSPC, "cannot write %s", part->part);
        from += written;
        bytes -= (size_t)written;
        offset += (uint64_t)written;
    }
    return 0;
}

// Is the file that was opened still the one of that name? Between opening and locking another writer may have renamed it into its
// place: it is a finished table now, and nobody's to write.
static bool still_named(int file, const char *path)
{
    struct stat opened;
    struct stat named;
    return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static int open_part(struct part_file *part)
{
    for (;;) {
        part->file = open(part->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (part->file < 0)
            return error_errno(CLTB_E_IO, errno, "cannot create %s", part->part);
        if (flock(part->file, LOCK_EX | LOCK_NB) != 0) {
            int code = errno == EWOULDBLOCK ? error_set(CLTB_E_IO, "%s is being written by another process", part->path)
                                            : error_errno(CLTB_E_IO, errno, "cannot lock %s", part->part);
            close(part->file);
            part->file = -1;
            return code;
        }
        if (still_named(part->file, part->part))
            break;
        close(part->file);
    }
    if (ftruncate(part->file, 0) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write %s", part->part);
    return 0;
}

int part_file_open(struct part_file *part, const char *path)
{
    part->file = -1;
    const int length = snprintf(part->path, sizeof part->path, "%s", path);
    if (length < 0 || (size_t)snprintf(part->part, sizeof part->part, "%s.part", path) >= sizeof part->part)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", path);
    const int code = open_part(part);
    if (code != 0)
        part_file_close(part);
    return code;
}

// Makes the new name itself durable.
static void sync_folder(const char *path)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return; // a folder that may be written but not read: the rename stands all the same
    fsync(folder);
    close(folder);
}

int part_file_finish(struct part_file *part)
{
    if (fsync(part->file) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write %s", part->part);
    if (rename(part->part, part->path) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot rename %s", part->part);
    part->part[0] = '\0';
    sync_folder(part->path);
    return 0;
}

void part_file_close(struct part_file *part)
{
    if (part->file < 0)
        return;
    if (part->part[0] != '\0')
        unlink(part->part);
    close(part->file);
    part->file = -1;
}
