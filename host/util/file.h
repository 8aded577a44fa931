// file.h - files opened under a lock, and reads and writes that do all or fail
//
// `path` is how messages name the file. Every function returns CLTB_E_IO with a sentence if it fails.
#ifndef CLTB_UTIL_FILE_H
#define CLTB_UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Opens a file for reading and writing, creating it if it is missing, and locks it for this process. It must be a
// regular file with one name: data written to a link, a pipe or a device would land elsewhere. It is an error if
// another process has the lock for longer than a moment; `busy`, which may be NULL, tells this error from others.
// `shared`: share the lock with others who ask for the same.
int file_open_locked(int *file, const char *path, bool shared, bool *busy);

// Opens such a file without a lock, O_DIRECT if the file system can and `direct` is set.
int file_open_own(int *file, const char *path, bool direct);

// 1: an open file still has that name; 0: another process has renamed or removed it; or CLTB_E_IO.
int file_is_named(int file, const char *path);

// `path` is for messages. CLTB_E_IO, also if the disk is full.
int file_write(int file, const char *path, const void *bytes, size_t count, uint64_t offset);

// `*got` is less than `count` only at the end of the file. If `got` is NULL, this is an error: CLTB_E_CORRUPT.
int file_read(int file, const char *path, void *bytes, size_t count, uint64_t offset, size_t *got);

// Creates a file without a name in a folder: nothing of it remains when it is closed or the process is killed.
int file_open_nameless(int *file, const char *folder);

#endif
