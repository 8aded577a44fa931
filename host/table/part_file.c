// part_file.c - a file that is written atomically
#include "table/part_file.h"

#include "util/error.h"
#include "util/file.h"
#include "util/os.h"

#include <errno.h>
#include <stdio.h>

int part_file_write(const struct part_file *part, const void *data, size_t bytes, uint64_t offset)
{
    return file_write(part->file, part->part, data, bytes, offset);
}

static void examine(const char *path, struct stat *status)
{
    if (lstat(path, status) != 0)
        *status = (struct stat){.st_size = 0};
}

int part_file_check(const struct part_file *part)
{
    struct stat now;
    const struct stat *before = &part->before;
    examine(part->path, &now);
    if (now.st_mode == 0) // it has been removed
        return 0;
    if (now.st_dev == before->st_dev && now.st_ino == before->st_ino && now.st_size == before->st_size &&
        now.st_mtime == before->st_mtime)
        return 0;
    return error_set(CLTB_E_IO, "%s has been made or changed by somebody else meanwhile, and is kept", part->path);
}

int part_file_open(struct part_file *part, const char *path)
{
    part->file = -1;
    const int length = snprintf(part->path, sizeof part->path, "%s", path);
    if (length < 0 || (size_t)snprintf(part->part, sizeof part->part, "%s.part", path) >= sizeof part->part)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", path);
    struct stat status;
    int code = file_open_locked(&part->file, part->part, false, NULL);
    // The file may be left over from a killed run. Or it belongs to a process on another machine, beyond the reach of
    // locks, that works on although it has lost its lease; that process must not give its file's name to ours.
    if (code == 0 && fstat(part->file, &status) == 0 && status.st_size > 0) {
        unlink(part->part);
        close(part->file);
        code = file_open_locked(&part->file, part->part, false, NULL);
    }
    if (code == 0 && ftruncate(part->file, 0) != 0)
        code = error_errno(CLTB_E_IO, errno, "cannot write %s", part->part);
    examine(part->path, &part->before);
    if (code != 0)
        part_file_close(part);
    return code;
}

int part_file_finish(struct part_file *part)
{
    if (os_sync(part->file, true) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write %s", part->part);
    const int named = file_is_named(part->file, part->part);
    if (named < 0)
        return named;
    if (named > 0)
        TRY(part_file_check(part));
    if (named == 0 || os_rename(part->part, part->path) != 0) {
        const bool taken = named == 0 || errno == ENOENT;
        if (!taken)
            return error_errno(CLTB_E_IO, errno, "cannot rename %s", part->part);
        part->part[0] = '\0';
        // A process that was stopped for long may have given our file its final name in place of its own.
        if (file_is_named(part->file, part->path) <= 0)
            return error_set(CLTB_E_IO, "another process writes %s, too", part->path);
    }
    part->part[0] = '\0';
    if (os_sync_folder(part->path) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot make the name of %s durable", part->path);
    return 0;
}

void part_file_close(struct part_file *part)
{
    if (part->file < 0)
        return;
    if (part->part[0] != '\0' && file_is_named(part->file, part->part) > 0)
        unlink(part->part);
    close(part->file);
    part->file = -1;
}
