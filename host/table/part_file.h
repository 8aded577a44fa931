// part_file.h - a file that appears whole or not at all
//
// It is written as PATH.part, which is locked, so that two writers of one file keep apart and what a killed one left behind is
// written over; then synced and renamed.
#ifndef CLTB_TABLE_PART_FILE_H
#define CLTB_TABLE_PART_FILE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct part_file {
    char path[PATH_MAX];
    char part[PATH_MAX]; // empty: renamed
    int file;            // -1: not open
};

int part_file_open(struct part_file *part, const char *path);

// Thread-safe.
int part_file_write(const struct part_file *part, const void *data, size_t bytes, uint64_t offset);

// Puts the file in its place. part_file_close() is still to be called.
int part_file_finish(struct part_file *part);

// Without part_file_finish() before: removes the file. Does nothing the second time.
void part_file_close(struct part_file *part);

#endif
