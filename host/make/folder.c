// folder.c - the folder in which tables are made: one run at a time, or several that make one table each
#include "make/folder.h"

#include "disk/journal.h"
#include "make/lease.h"
#include "solve/disk/scratch.h"
#include "table/path.h"
#include "table/table.h"
#include "util/error.h"
#include "util/file.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct folder {
    char lock[PATH_MAX]; // the lock file's path
    int file;
};

// ---- the lock ----

static int take_lock(struct folder *folder, const char *dir, bool shared)
{
    char text[24] = ""; // the owner's number, only for the message
    bool busy = false;
    const int code = file_open_locked(&folder->file, folder->lock, shared, &busy);
    if (code != 0 && busy) {
        const int file = os_open(folder->lock, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        if (file >= 0 && read(file, text, sizeof text - 1) <= 0)
            text[0] = '\0'; // it was locked just now
        if (file >= 0)
            close(file);
        char number[40] = "";
        if (strtol(text, NULL, 10) > 0)
            snprintf(number, sizeof number, " (process %ld)", strtol(text, NULL, 10));
        return error_set(CLTB_E_IO, "another build is running in %s%s; wait for it, or use another folder", dir,
                         number);
    }
    if (code != 0 || shared)
        return code;
    const int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    (void)(ftruncate(folder->file, 0) == 0 && os_write(folder->file, text, (size_t)length, 0) == length);
    return 0;
}

// ---- what killed runs left ----

// Is this a file that this program writes: NAME.cltb.part with the standard name of an endgame, one of dobutsu, or a
// table without its statistics?
static bool is_part(const char *file)
{
    if (strcmp(file, "dobutsu.cltb.part") == 0 || strcmp(file, "dobutsu.raw.part") == 0)
        return true;
    struct material material;
    return material_of_file(&material, file, ".cltb.part") || material_of_file(&material, file, ".cltb.uncounted") ||
           material_of_file(&material, file, ".cltb.uncounted.part");
}

// A process that writes a part file holds a lock on it (table/part_file.c). Part files take space but do no harm, so
// those that cannot be removed stay.
static int remove_part(void *context, const char *path, const char *name)
{
    (void)context;
    struct stat status;
    const int file = is_part(name) ? os_open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (file >= 0 && os_lock(file) == 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        file_is_named(file, path) > 0)
        unlink(path);
    if (file >= 0)
        close(file);
    return 0;
}

static int remove_lease(void *context, const char *path, const char *name)
{
    struct material material;
    (void)context;
    if (material_of_file(&material, name, ".cltb.lease"))
        lease_clear(path);
    return 0;
}

static bool work_paths(char work[PATH_MAX], char planes[PATH_MAX], const char *dir, const struct material *material)
{
    if (table_work_path(work, PATH_MAX, dir, material) != 0)
        return false;
    scratch_planes_path(planes, PATH_MAX, work);
    return true;
}

uint64_t folder_work_bytes(const char *dir, const struct material *material)
{
    char work[PATH_MAX];
    char planes[PATH_MAX];
    if (!work_paths(work, planes, dir, material))
        return 0;
    const uint64_t bytes = journal_left(work);
    return bytes + (bytes > 0 ? os_disk_bytes(planes) : 0);
}

static int drop_rank(void *context, const char *path, const char *name)
{
    char planes[PATH_MAX];
    const char *material = context;
    const size_t length = strlen(material);
    char *end;
    if (strncmp(name, material, length) != 0 || name[length] != '.')
        return 0;
    const long rank = strtol(name + length + 1, &end, 10);
    if (rank > 0 && strcmp(end, ".cltb.work") == 0) {
        scratch_planes_path(planes, sizeof planes, path);
        journal_drop(path, planes);
    }
    return 0;
}

void folder_drop_work(const char *dir, const struct material *material)
{
    char work[PATH_MAX];
    char planes[PATH_MAX];
    char name[MATERIAL_NAME_MAX];
    if (work_paths(work, planes, dir, material))
        journal_drop(work, planes);
    (void)folders_each(dir, ".cltb.work", drop_rank, (void *)(uintptr_t)material_name(material, name));
}

// Tables with distances are the user's.
static bool has_outcomes_only(const char *path, const struct material *material)
{
    struct table *table;
    if (table_open_outcomes(&table, path, material) != 0)
        return false;
    const bool *distance = table_info(table)->distance;
    const bool only = !distance[WHITE] && !distance[BLACK];
    table_close(table);
    return only;
}

static int remove_table(void *context, const char *path, const char *name)
{
    struct material material;
    if (material_of_file(&material, name, ".cltb.work"))
        folder_drop_work(context, &material);
    else if (material_of_file(&material, name, ".cltb") && has_outcomes_only(path, &material))
        unlink(path);
    return 0;
}

int folder_check_real(const char *dir)
{
    struct stat status;
    if (os_is_folder(dir, false) || (lstat(dir, &status) != 0 && errno == ENOENT))
        return 0;
    return error_set(CLTB_E_IO, "%s is a link or no folder, and is not used: files made there are removed again", dir);
}

void folder_empty(const struct folder *folder, const char *dir)
{
    char path[PATH_MAX];
    // It must still be the folder that was opened.
    if (folder == NULL || folder_check_real(dir) != 0 || file_is_named(folder->file, folder->lock) <= 0)
        return;
    snprintf(path, sizeof path, "%s", dir);
    (void)folders_each(dir, ".work", remove_table, path);
    (void)folders_each(dir, ".cltb", remove_table, path);
}

struct bytes {
    bool tables;
    uint64_t sum;
};

static int add_bytes(void *context, const char *path, const char *name)
{
    struct bytes *bytes = context;
    struct stat status;
    const char *end = strstr(name, ".cltb");
    if (end == NULL || bytes->tables != (end[5] == '\0') || stat(path, &status) != 0)
        return 0;
    const uint64_t occupied = os_disk_bytes(path); // a file may have holes
    bytes->sum += (uint64_t)status.st_size < occupied ? (uint64_t)status.st_size : occupied;
    return 0;
}

uint64_t folder_bytes(const char *dir, bool tables)
{
    struct bytes bytes = {.tables = tables};
    (void)folders_each(dir, "", add_bytes, &bytes);
    return bytes.sum;
}

// ---- opening and closing ----

int folder_make_path(const char *dir)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s", dir) >= (int)sizeof path)
        return error_set(CLTB_E_IO, "the path %.60s... is too long", dir);
    for (char *slash = strchr(path + 1, '/'); path[0] != '\0' && slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (os_make_folder(path) != 0 && errno != EEXIST && access(path, F_OK) != 0)
            return error_errno(CLTB_E_IO, errno, "cannot make the folder %s", path);
        *slash = '/';
    }
    if (os_make_folder(path) != 0 && errno != EEXIST)
        return error_errno(CLTB_E_IO, errno, "cannot make the folder %s", dir);
    return 0;
}

int folder_open(struct folder **result, const char *dir, bool shared)
{
    *result = NULL;
    TRY(folder_make_path(dir));
    struct folder *folder;
    TRY(memory_new(&folder, 1, sizeof *folder, "a folder"));
    folder->file = -1;
    int code = folder_path(folder->lock, sizeof folder->lock, dir, ".cltb.lock");
    THEN(code, take_lock(folder, dir, shared));
    if (code != 0) {
        if (folder->file >= 0)
            close(folder->file);
        free(folder);
        return code;
    }
    if (!shared) {
        (void)folders_each(dir, ".part", remove_part, NULL);
        (void)folders_each(dir, ".uncounted", remove_part, NULL);
        (void)folders_each(dir, ".lease", remove_lease, NULL);
    }
    *result = folder;
    return 0;
}

int folder_make_scratch(const char *folder)
{
    struct stat status;
    TRY(folder_make_path(folder));
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        return error_set(CLTB_E_IO, "the scratch folder %s is not a folder", folder);
    if (access(folder, W_OK | X_OK) != 0)
        return error_errno(CLTB_E_IO, errno, "cannot write to the scratch folder %s", folder);
    return 0;
}

void folder_close(struct folder *folder)
{
    if (folder == NULL)
        return;
    if (os_lock(folder->file) == 0) // nobody shares it
        unlink(folder->lock);       // while it is locked: a process that has opened it notices that it has been removed
    close(folder->file);
    free(folder);
}

void folder_clear(const char *dir)
{
    struct folder *folder;
    char lock[PATH_MAX];
    if (folder_path(lock, sizeof lock, dir, ".cltb.lock") == 0 && access(lock, F_OK) == 0 &&
        folder_open(&folder, dir, false) == 0)
        folder_close(folder);
}
