// file.h - files opened under a lock, and reads and writes that do all or fail
//
// `path` is how messages name the file. Every function returns CLTB_E_IO with a sentence if it fails.
#ifndef CLTB_UTIL_FILE_H
#define CLTB_UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Opens a file for reading and writing, creates it if it is missing, and locks it for this process. One that another
// process has locked is an error.
int file_open_locked(int *file, const char *path);

// Is an open file still the one of that name? Another process may have renamed or removed it.
bool file_is_named(int file, const char *path);

int file_write(int file, const char *path, const void *bytes, size_t count, uint64_t offset);

// `*got` is less than `count` at the end of the file only. If `got` is NULL that is an error: CLTB_E_CORRUPT.
int file_read(int file, const char *path, void *bytes, size_t count, uint64_t offset, size_t *got);

// Creates a file without a name in a folder: nothing is left of it when it is closed, or when the process is killed.
int file_open_nameless(int *file, const char *folder);

#endif
