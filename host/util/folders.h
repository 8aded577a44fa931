// folders.h - files in a list of folders, as in $PATH: "a:b:c"
#ifndef CLTB_UTIL_FOLDERS_H
#define CLTB_UTIL_FOLDERS_H

#include "util/error.h"

#include <stdbool.h>
#include <stddef.h>

// path = folder/file; the file's name is formatted as by printf(). CLTB_E_IO if the path is too long.
int folder_path(char *path, size_t size, const char *folder, const char *fmt, ...) CLTB_PRINTF(4, 5);

// path = FIRST/file, where FIRST is the first folder of the list. As folder_path().
int folders_path(char *path, size_t size, const char *folders, const char *file);

// Writes the first folder of the list into `text`, in quotes if a shell needs them, and returns `text`.
const char *folders_first(char *text, size_t size, const char *folders);

// The folder of a file and a list of folders as one list, to be freed; NULL: no memory.
char *folders_with(const char *file, const char *folders);

// Is the file in one of the folders? Then `path` is the first place where it was found, or where that cannot be
// determined: opening it tells why. Otherwise `path` is undefined.
bool folders_find(char *path, size_t size, const char *folders, const char *file);

// Calls visit() for every name that ends in `ending`, folder by folder and in no order within one; `name` points into
// `path`. Stops at the first result other than 0 and returns it. CLTB_E_IO if a folder cannot be read.
int folders_each(const char *folders, const char *ending,
                 int (*visit)(void *context, const char *path, const char *name), void *context);

// Makes an empty folder for temporary files, "NAME-" and six characters, and writes its path; removes one with its
// files.
int folders_temporary(char *path, size_t size, const char *name);
void folders_remove(const char *path);

#endif
