// leftovers.c - work files that an interrupted run has left of a table that has been built since
#include "make/leftovers.h"

#include "disk/journal.h"
#include "solve/disk/scratch.h"
#include "table/path.h"

#include <limits.h>
#include <sys/stat.h>

static bool find_paths(char work[PATH_MAX], char planes[PATH_MAX], const char *dir, const struct material *material)
{
    if (table_work_path(work, PATH_MAX, dir, material) != 0)
        return false;
    scratch_planes_path(planes, PATH_MAX, work);
    return true;
}

uint64_t leftovers_bytes(const char *dir, const struct material *material)
{
    char work[PATH_MAX];
    char planes[PATH_MAX];
    struct stat status;
    if (!find_paths(work, planes, dir, material))
        return 0;
    const uint64_t bytes = journal_left(work);
    return bytes + (bytes > 0 && lstat(planes, &status) == 0 ? (uint64_t)status.st_blocks * 512 : 0);
}

void leftovers_drop(const char *dir, const struct material *material)
{
    char work[PATH_MAX];
    char planes[PATH_MAX];
    if (find_paths(work, planes, dir, material))
        journal_drop(work, planes);
}
