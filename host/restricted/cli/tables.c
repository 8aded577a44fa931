// tables.c - restricted tables as files
#include "restricted/cli/tables.h"

#include "util/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool restricted_named(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 5 && strcmp(name + length - 5, ".cltb") == 0);
}

char *restricted_folders(const char *path, const char *folders)
{
    const char *slash = strrchr(path, '/');
    const int length = slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path);
    const size_t bytes = (size_t)length + strlen(folders) + 2;
    char *all = malloc(bytes);
    if (all == NULL) {
        error_memory(bytes, "a list of folders");
        return NULL;
    }
    snprintf(all, bytes, "%.*s:%s", length, slash == NULL ? "." : path, folders);
    return all;
}
