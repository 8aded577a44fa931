// part_file.c - a file that is written atomically
#include "table/part_file.h"

#include "util/error.h"
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

int part_file_write(const struct part_file *part, const void *data, size_t bytes, uint64_t offset)
{
    return file_write(part->file, part->part, data, bytes, offset);
}

int part_file_open(struct part_file *part, const char *path)
{
    part->file = -1;
    const int length = snprintf(part->path, sizeof part->path, "%s", path);
    if (length < 0 || (size_t)snprintf(part->part, sizeof part->part, "%s.part", path) >= sizeof part->part)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", path);
    int code = file_open_locked(&part->file, part->part, NULL);
    if (code == 0 && ftruncate(part->file, 0) != 0)
        code = error_errno(CLTB_E_IO, errno, "cannot write %s", part->part);
    if (code != 0)
        part_file_close(part);
    return code;
}

int part_file_finish(struct part_file *part)
{
    if (fsync(part->file) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write %s", part->part);
    if (rename(part->part, part->path) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot rename %s", part->part);
    part->part[0] = '\0';
    // Makes the new name itself durable. A folder that may be written but not read is left to itself.
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", part->path);
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return 0;
    const int number = fsync(folder) == 0 ? 0 : errno;
    close(folder);
    if (number != 0 && number != EINVAL) // a file system that cannot
        return error_errno(CLTB_E_IO, number, "cannot make the name of %s durable", part->path);
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
