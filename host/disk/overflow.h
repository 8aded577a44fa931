// overflow.h - what does not fit in memory: ranges of bytes in a file without a name
//
// The file is created in a folder when the first range is written, and nothing is left of it when the process ends. A
// range is written once and read until it is dropped; its place then goes to the next range of its size, and when no
// range is left the file starts over. Two things overflow: arrays of a build with pawns (disk/paged.h), and compressed
// blocks that wait for the rest of their section (table/write/write_table.c). Thread-safe.
#ifndef CLTB_DISK_OVERFLOW_H
#define CLTB_DISK_OVERFLOW_H

#include <stddef.h>
#include <stdint.h>

struct overflow;

int overflow_open(struct overflow **overflow, const char *folder); // `folder` must outlive it
void overflow_close(struct overflow *overflow);                    // NULL is allowed

// Takes no room if it fails: CLTB_E_IO, for example on a full disk.
int overflow_put(struct overflow *overflow, const void *bytes, size_t count, uint64_t *offset);
int overflow_get(const struct overflow *overflow, uint64_t offset, void *bytes, size_t count);
void overflow_drop(struct overflow *overflow, uint64_t offset, size_t count);

// The bytes of all such files of this process.
uint64_t overflow_bytes(void);

#endif
