// table_find.c - finds the dobutsu table by its name, in folders
#include "dobutsu/table.h"

#include "util/error.h"
#include "util/folders.h"
#include "util/os.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

// The usual memory for blocks: enough for all values that a table keeps, so that none is decompressed twice.
#define CACHE_BYTES ((size_t)256 << 20)

static bool is_raw(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcasecmp(name + length - 4, ".raw") == 0;
}

// Is this a path of the table's file, in any folder?
static bool is_table(const char *name)
{
    const char *slash = strrchr(name, '/');
    return strcmp(slash == NULL ? name : slash + 1, DOBUTSU_FILE) == 0;
}

bool dobutsu_table_named(const char *name)
{
    return strcasecmp(name, "dobutsu") == 0 || is_raw(name) || is_table(name);
}

int dobutsu_table_find(struct dobutsu_table **table, const char *name, const char *folders, size_t cache_bytes)
{
    char path[PATH_MAX];
    *table = NULL;
    if (is_raw(name))
        return dobutsu_table_open_raw(table, name);
    if (is_table(name) && (strchr(name, '/') != NULL || access(name, F_OK) == 0))
        return dobutsu_table_open(table, name, cache_bytes > 0 ? cache_bytes : CACHE_BYTES);
    if (folders == NULL || folders[strspn(folders, OS_LIST)] == '\0')
        return error_set(CLTB_E_USAGE, "no folder of tables given");
    if (!folders_find(path, sizeof path, folders, DOBUTSU_FILE))
        return error_set(CLTB_E_MISSING, "no table " DOBUTSU_FILE " in '%s'; make it with: cltb build dobutsu --dir %s",
                         folders, folders_first(path, sizeof path, folders));
    return dobutsu_table_open(table, path, cache_bytes > 0 ? cache_bytes : CACHE_BYTES);
}
