// folders.c - files in a list of folders
#include "util/folders.h"

#include "util/os.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int too_long(const char *folder)
{
    return error_set(CLTB_E_IO, "the path %.60s... is too long", folder);
}

// `folder` is the first `length` bytes of a text.
static bool join(char *path, size_t size, const char *folder, size_t length, const char *file)
{
    const int written = length > INT_MAX ? -1 : snprintf(path, size, "%.*s/%s", (int)length, folder, file);
    return written > 0 && (size_t)written < size;
}

int folder_path(char *path, size_t size, const char *folder, const char *fmt, ...)
{
    const int length = snprintf(path, size, "%s/", folder);
    if (length < 0 || (size_t)length >= size)
        return too_long(folder);
    va_list args;
    va_start(args, fmt);
    const int written = vsnprintf(path + length, size - (size_t)length, fmt, args);
    va_end(args);
    return written >= 0 && (size_t)written < size - (size_t)length ? 0 : too_long(folder);
}

int folders_path(char *path, size_t size, const char *folders, const char *file)
{
    folders += strspn(folders, OS_LIST);
    return join(path, size, folders, strcspn(folders, OS_LIST), file) ? 0 : too_long(folders);
}

const char *folders_first(char *text, size_t size, const char *folders)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
    folders += strspn(folders, OS_LIST);
    const int length = (int)strcspn(folders, OS_LIST);
    const char *quote = (int)strspn(folders, plain) >= length ? "" : "'";
    snprintf(text, size, "%s%.*s%s", quote, length, folders, quote);
    return text;
}

char *folders_with(const char *file, const char *folders)
{
    const char *slash = strrchr(file, '/');
    const char *own = slash == NULL ? "." : file;
    const int length = slash == NULL || slash == file ? 1 : (int)(slash - file);
    char *all;
    if (strncmp(folders, own, (size_t)length) == 0 &&
        strchr(OS_LIST, folders[length]) != NULL) // it is already the first one
        return strdup(folders);
    return asprintf(&all, "%.*s" OS_LIST "%s", length, own, folders) < 0 ? NULL : all;
}

bool folders_find(char *path, size_t size, const char *folders, const char *file)
{
    for (const char *folder = folders; *folder != '\0';) {
        const size_t length = strcspn(folder, OS_LIST);
        if (length > 0 && join(path, size, folder, length, file) &&
            (access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)))
            return true;
        folder += length + (folder[length] == *OS_LIST);
    }
    return false;
}

static int each_name(const char *folder, const char *ending,
                     int (*visit)(void *context, const char *path, const char *name), void *context)
{
    const size_t tail = strlen(ending);
    int code = 0;
    DIR *dir = opendir(folder);
    if (dir == NULL)
        return error_errno(CLTB_E_IO, errno, "cannot read the folder %s", folder);
    while (code == 0) {
        char path[PATH_MAX];
        errno = 0;
        const struct dirent *entry = readdir(dir);
        const size_t length = entry != NULL ? strlen(entry->d_name) : 0;
        if (entry == NULL) {
            code = errno != 0 ? error_errno(CLTB_E_IO, errno, "cannot read the folder %s", folder) : 0;
            break;
        }
        if (length <= tail || strcmp(entry->d_name + length - tail, ending) != 0)
            continue;
        code = folder_path(path, sizeof path, folder, "%s", entry->d_name);
        THEN(code, visit(context, path, path + strlen(path) - length));
    }
    closedir(dir);
    return code;
}

int folders_temporary(char *path, size_t size, const char *name)
{
    TRY(folder_path(path, size, os_temporary_folder(), "%s-XXXXXX", name));
    return os_make_temporary_folder(path) == 0 ? 0 : error_set(CLTB_E_IO, "cannot make the folder %s", path);
}

static int remove_file(void *context, const char *path, const char *name)
{
    (void)context;
    if (name[0] != '.')
        unlink(path);
    return 0;
}

void folders_remove(const char *path)
{
    each_name(path, "", remove_file, NULL);
    rmdir(path);
}

int folders_each(const char *folders, const char *ending,
                 int (*visit)(void *context, const char *path, const char *name), void *context)
{
    for (const char *folder = folders; *folder != '\0';) {
        char copy[PATH_MAX];
        const size_t length = strcspn(folder, OS_LIST);
        if (length >= sizeof copy)
            return too_long(folder);
        memcpy(copy, folder, length);
        copy[length] = '\0';
        if (length > 0)
            TRY(each_name(copy, ending, visit, context));
        folder += length + (folder[length] == *OS_LIST);
    }
    return 0;
}
