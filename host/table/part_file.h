// part_file.h - a file that is written atomically
//
// It is written as PATH.part, then synced and renamed. PATH.part is locked while it is written, so that two writers of
// one file do not disturb each other; one that a killed writer left behind is overwritten. PATH is replaced only if it
// is what it was when the writer began: what somebody else has put there meanwhile is kept.
#ifndef CLTB_TABLE_PART_FILE_H
#define CLTB_TABLE_PART_FILE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/stat.h>

struct part_file {
    char path[PATH_MAX];
    char part[PATH_MAX]; // empty once it is renamed
    int file;            // -1: not open
    struct stat before;  // of PATH; all zero: there was no such file
};

// CLTB_E_IO if the file cannot be created, or another process is writing it.
int part_file_open(struct part_file *part, const char *path);

// Thread-safe.
int part_file_write(const struct part_file *part, const void *data, size_t bytes, uint64_t offset);

// CLTB_E_IO if PATH is not what it was when PATH.part was opened.
int part_file_check(const struct part_file *part);

// Renames the file to its final name. part_file_close() must still be called.
int part_file_finish(struct part_file *part);

// Removes the file unless part_file_finish() succeeded. Does nothing the second time.
void part_file_close(struct part_file *part);

#endif
