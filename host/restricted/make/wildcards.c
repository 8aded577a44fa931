// wildcards.c - futurebases whose names have wildcards
#include "restricted/make/wildcards.h"

#include "restricted/bases.h"
#include "util/error.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char wild[] = "*?";

static bool matches(const char *pattern, const char *name)
{
    for (; *pattern != '\0' && *pattern != '*'; pattern++, name++) {
        if (*name == '\0' || (*pattern != '?' && *pattern != *name))
            return false;
    }
    if (*pattern == '\0')
        return *name == '\0';
    while (!matches(pattern + 1, name)) {
        if (*name++ == '\0')
            return false;
    }
    return true;
}

struct search {
    const struct spec_futurebase *given;
    const char *pattern;           // the last part of its name
    struct spec_futurebase *found; // [count]
    size_t count;
    size_t room;
};

static int add_match(void *context, const char *path, const char *name)
{
    struct search *search = context;
    (void)path;
    if (!matches(search->pattern, name))
        return 0;
    TRY(memory_grow(&search->found, &search->room, search->count + 1, sizeof *search->found, "futurebases"));
    struct spec_futurebase *base = &search->found[search->count];
    const int folder = (int)(search->pattern - search->given->file); // as given
    if ((size_t)snprintf(base->file, sizeof base->file, "%.*s%s", folder, search->given->file, name) >=
        sizeof base->file)
        return error_set(CLTB_E_USAGE, "the name of the file %.60s... is too long", name);
    base->invert = search->given->invert;
    search->count++;
    return 0;
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct spec_futurebase *)a)->file, ((const struct spec_futurebase *)b)->file);
}

// Finds the files, each once, in folders that exist.
static int find_matches(struct search *search, const char *folders)
{
    const char *ending = search->pattern + strlen(search->pattern);
    while (ending > search->pattern && strchr(wild, ending[-1]) == NULL)
        ending--;
    for (const char *folder = folders; *folder != '\0';) {
        char path[PATH_MAX];
        const size_t length = strcspn(folder, OS_LIST);
        if (snprintf(path, sizeof path, "%.*s", (int)length, folder) < PATH_MAX && length > 0 &&
            access(path, F_OK) == 0)
            TRY(folders_each(path, ending, add_match, search));
        folder += length + (folder[length] == *OS_LIST);
    }
    if (search->count > 0)
        qsort(search->found, search->count, sizeof *search->found, compare_files);
    size_t once = 0;
    for (size_t i = 0; i < search->count; i++) {
        if (i == 0 || compare_files(&search->found[i], &search->found[i - 1]) != 0)
            search->found[once++] = search->found[i];
    }
    search->count = once;
    return 0;
}

// Adds the files that serve the spec to `to`.
static int expand(const struct spec *spec, const struct spec_futurebase *given, const char *folders, struct spec *to)
{
    const char *slash = strrchr(given->file, '/');
    struct search search = {.given = given, .pattern = slash != NULL ? slash + 1 : given->file};
    char own[PATH_MAX];
    const int before = to->futurebases;
    const int length = slash == NULL ? snprintf(own, sizeof own, ".%s%s", OS_LIST, folders)
                                     : snprintf(own, sizeof own, "%.*s", (int)(slash - given->file + 1), given->file);
    if (length >= PATH_MAX)
        return error_set(CLTB_E_USAGE, "the list of folders is too long");
    if (slash != NULL && memchr(given->file, wild[0], (size_t)(slash - given->file)) != NULL)
        return error_set(CLTB_E_USAGE, "futurebase %s: a folder's name cannot have wildcards", given->file);
    int code = find_matches(&search, own);
    for (size_t i = 0; code == 0 && i < search.count; i++) {
        bool serves;
        code = restricted_bases_serves(spec, &search.found[i], folders, &serves);
        if (code == 0 && serves)
            code = spec_add_futurebase(to, search.found[i].file, given->invert);
    }
    free(search.found);
    if (code != 0 || to->futurebases > before)
        return code;
    return error_set(CLTB_E_MISSING, "futurebase %s: %s, neither as given nor in '%s'", given->file,
                     search.count == 0 ? "there is no such file" : "no move leads to any of these tables", folders);
}

int restricted_expand(struct spec *spec, const char *folders)
{
    bool any = false;
    for (int i = 0; i < spec->futurebases; i++)
        any |= strpbrk(spec->futurebase[i].file, wild) != NULL;
    if (!any)
        return 0;
    struct spec *to = malloc(sizeof *to);
    if (to == NULL)
        return error_memory(sizeof *to, "a spec");
    *to = *spec;
    to->futurebases = 0;
    int code = 0;
    for (int i = 0; code == 0 && i < spec->futurebases; i++) {
        const struct spec_futurebase *given = &spec->futurebase[i];
        code = strpbrk(given->file, wild) != NULL ? expand(spec, given, folders, to)
                                                  : spec_add_futurebase(to, given->file, given->invert);
    }
    if (code == 0)
        *spec = *to;
    free(to);
    return code;
}
