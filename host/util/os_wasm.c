// os_wasm.c - the functions of os.h that reading tables needs, where JavaScript is the system (js/cltb.js)
//
// JavaScript knows files by name and number. Bytes that it does not have yet it notes, and the call fails with EAGAIN,
// which ends what is being done with CLTB_E_IO. JavaScript then fetches them and begins again.
#include "util/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IMPORT(name) __attribute__((import_module("cltb"), import_name(name)))

// The number of a file, or a negative result. `look`: only to learn whether there is one; if only fetching its bytes
// tells, there may be.
IMPORT("open") int js_open(const char *path, bool look);
IMPORT("size") double js_size(int file);

// Copies bytes, as many as there are: their number, or a negative result.
IMPORT("read") int js_read(int file, void *bytes, size_t count, double offset);

enum { JS_MISSING = -1, JS_LATER = -2 };

static int result_of(int result)
{
    if (result < 0)
        errno = result == JS_MISSING ? ENOENT : EAGAIN;
    return result < 0 ? -1 : result;
}

// ---- what is called by its name of POSIX ----

int access(const char *path, int mode)
{
    (void)mode;
    return result_of(js_open(path, true)) < 0 ? -1 : 0;
}

int fstat(int file, struct stat *status)
{
    *status = (struct stat){.st_mode = S_IFREG, .st_size = (off_t)js_size(file)};
    return 0;
}

// Serves only to look for holes.
off_t lseek(int file, off_t offset, int whence)
{
    (void)file;
    (void)offset;
    (void)whence;
    errno = EINVAL;
    return -1;
}

// JavaScript closes files with the set of tables.
int close(int file)
{
    (void)file;
    return 0;
}

// ---- files ----

int os_open(const char *path, int flags)
{
    (void)flags;
    return result_of(js_open(path, false));
}

ssize_t os_read(int file, void *bytes, size_t count, uint64_t offset)
{
    return result_of(js_read(file, bytes, count, (double)offset));
}

// ---- memory ----

void *os_map(size_t bytes)
{
    enum { PAGE = 4096 };
    void *start = bytes > SIZE_MAX - PAGE ? NULL : aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    if (start != NULL)
        memset(start, 0, bytes);
    return start;
}

void os_unmap(void *start, size_t bytes)
{
    (void)bytes;
    free(start);
}

void *os_aligned(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, bytes);
}

void os_aligned_free(void *start)
{
    free(start);
}

// ---- errors ----

const char *os_error(int number, char *buffer, size_t size)
{
    (void)buffer;
    (void)size;
    return strerror(number);
}
