// values.c - where the values of the dobutsu database are read from: a table, or a raw file
#include "dobutsu/make/values.h"

#include "util/error.h"
#include "util/file.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

_Static_assert(DOBUTSU_PARTS *DOBUTSU_PART_CELLS == DOBUTSU_CELLS, "parts of equal size");

// Room for all values that a table keeps, so that no block is decompressed twice.
#define CACHE_BYTES ((size_t)256 << 20)

struct dobutsu_values {
    struct dobutsu_table *table; // NULL: a raw file
    int file;                    // the raw file
    char path[PATH_MAX];
};

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

bool dobutsu_values_named(const char *name)
{
    return strcasecmp(name, "dobutsu") == 0 || is_raw(name) || is_table(name);
}

// ---- opening ----

static int open_raw(struct dobutsu_values *values, const char *path)
{
    struct stat status;
    if ((size_t)snprintf(values->path, sizeof values->path, "%s", path) >= sizeof values->path)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", path);
    values->file = os_open(path, O_RDONLY | O_NONBLOCK);
    if (values->file < 0)
        return error_errno(errno == ENOENT ? CLTB_E_MISSING : CLTB_E_IO, errno, "cannot open %s", path);
    if (fstat(values->file, &status) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot read %s", path);
    if (!S_ISREG(status.st_mode))
        return error_set(CLTB_E_IO, "%s is not a file", path);
    if ((uint64_t)status.st_size != DOBUTSU_CODES)
        return error_set(CLTB_E_CORRUPT, "%s: %" PRIu64 " bytes, but a raw table has %" PRIu32, path,
                         (uint64_t)status.st_size, DOBUTSU_CODES);
    return 0;
}

int dobutsu_values_open(struct dobutsu_values **result, const char *name, const char *folders)
{
    *result = NULL;
    struct dobutsu_values *values;
    TRY(memory_new(&values, 1, sizeof *values, "a table"));
    values->file = -1;
    int code;
    if (is_raw(name))
        code = open_raw(values, name);
    else if (is_table(name) && (strchr(name, '/') != NULL || access(name, F_OK) == 0))
        code = snprintf(values->path, sizeof values->path, "%s", name) < (int)sizeof values->path
                   ? dobutsu_table_open(&values->table, values->path, CACHE_BYTES)
                   : error_set(CLTB_E_IO, "the path %.60s... is too long", name);
    else if (folders_find(values->path, sizeof values->path, folders, DOBUTSU_FILE))
        code = dobutsu_table_open(&values->table, values->path, CACHE_BYTES);
    else
        code = error_set(CLTB_E_MISSING, "no table %s in '%s'; make it with: cltb build dobutsu --dir %s", DOBUTSU_FILE,
                         folders, folders_first(values->path, sizeof values->path, folders));
    if (code != 0) {
        dobutsu_values_close(values);
        return code;
    }
    *result = values;
    return 0;
}

void dobutsu_values_close(struct dobutsu_values *values)
{
    if (values == NULL)
        return;
    if (values->table != NULL)
        dobutsu_table_close(values->table);
    if (values->file >= 0)
        close(values->file);
    free(values);
}

const char *dobutsu_values_path(const struct dobutsu_values *values)
{
    return values->path;
}

const struct dobutsu_table_info *dobutsu_values_info(const struct dobutsu_values *values)
{
    return values->table != NULL ? dobutsu_table_info(values->table) : NULL;
}

// ---- reading ----

int dobutsu_values_check(struct dobutsu_values *values, struct thread_pool *pool)
{
    return values->table != NULL ? dobutsu_table_check(values->table, pool) : 0;
}

int dobutsu_values_one(void *context, uint32_t code, uint8_t *value)
{
    const struct dobutsu_values *values = context;
    return values->table != NULL ? dobutsu_table_value(values->table, code, value)
                                 : file_read(values->file, values->path, value, 1, code, NULL);
}

int dobutsu_values_cells(void *context, uint32_t first, uint32_t count, uint8_t *to)
{
    const struct dobutsu_values *values = context;
    if (values->table != NULL)
        return dobutsu_table_cells(values->table, first, count, to);
    return file_read(values->file, values->path, to, (size_t)count * DOBUTSU_CELL_CODES,
                     (uint64_t)first * DOBUTSU_CELL_CODES, NULL);
}
