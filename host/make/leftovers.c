// leftovers.c - work files that an interrupted run has left of a table that is made by now
#include "make/leftovers.h"

#include "disk/journal.h"
#include "make/streamed_table.h"
#include "table/path.h"

#include <limits.h>

static bool work_path(char path[PATH_MAX], const char *dir, const struct material *material)
{
    return table_work_path(path, PATH_MAX, dir, material) == 0;
}

uint64_t leftovers_bytes(const char *dir, const struct material *material)
{
    char path[PATH_MAX];
    uint64_t bytes = streamed_table_left(dir, material);
    if (work_path(path, dir, material))
        bytes += journal_left(path);
    return bytes;
}

void leftovers_drop(const char *dir, const struct material *material)
{
    char path[PATH_MAX];
    if (work_path(path, dir, material))
        journal_drop(path, NULL);
    streamed_table_drop(dir, material);
}
