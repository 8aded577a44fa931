// os.h - what differs between operating systems; only os_posix.c and os_windows.c, which implement it, know which
//
// Everything else is C11 or those calls of POSIX that mingw-w64 has as well. Functions that return int return 0, or -1
// with errno set, unless they say otherwise. Paths may have '/' everywhere.
#ifndef CLTB_UTIL_OS_H
#define CLTB_UTIL_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

// The separator of a list of folders, as in $PATH.
#ifdef _WIN32
#define OS_LIST ";"
#else
#define OS_LIST ":"
#endif

// Flags that a system lacks have no effect there.
#ifndef O_DIRECT
#define O_DIRECT 0
#endif
#ifndef O_NOFOLLOW
#define O_NOFOLLOW 0
#endif
#ifndef O_NONBLOCK
#define O_NONBLOCK 0
#endif
#ifndef NAME_MAX
#define NAME_MAX 255
#endif
#ifndef SEEK_HOLE
#define SEEK_HOLE (-1) // lseek() fails with it
#endif

#ifdef _WIN32
#define lstat stat
#endif

// ---- the process ----

// Must be the first call of a program: sets up the terminal, signals, and arguments with '/' in paths.
void os_start(int argc, char **argv);

// Calls `handler` the first time the user or the system ends the process (Ctrl-C, SIGTERM, SIGHUP); the second time
// ends it. Ignored signals stay ignored.
void os_catch(void (*handler)(int number));

// The columns of the terminal that standard error goes to; 0: unknown.
int os_columns(void);

// The number of processors that this process may use, at least 1.
int os_processors(void);

// Identifies this machine since its start: its name, a blank, and an identifier of the start, if the system has one.
enum { OS_MACHINE_MAX = 128 };
void os_machine(char text[OS_MACHINE_MAX]);

// Runs a command with the system's shell, which has `argument` as $1; a command without "$1" gets it as its last word.
// It reads nothing and prints on standard error. Waits for its end. Returns its exit status, 128 + the number of the
// signal that ended it, or -1 and errno.
int os_run(const char *command, const char *argument);

// ---- memory ----

// Zeroed pages, aligned to 2 MiB where huge pages are worthwhile; NULL if there is no memory. bytes > 0.
void *os_map(size_t bytes);
void os_unmap(void *start, size_t bytes);

// Gives back whole pages of such memory; they may be used again, but their contents are lost.
void os_drop(void *start, size_t bytes);

// Allocates an array with this alignment, of which `bytes` is a multiple; only os_aligned_free() frees it.
void *os_aligned(size_t alignment, size_t bytes);
void os_aligned_free(void *start);

// Memory in bytes: that of this machine or what its container allows (SIZE_MAX: unknown), what this process holds (0:
// unknown), and the most that it has held.
size_t os_memory(void);
size_t os_held_memory(void);
size_t os_peak_memory(void);

// From now on os_peak_memory() is the most since this call, if the system can do that.
void os_forget_peak_memory(void);

// ---- files ----

// As open(), for binary files; closed by exec(). Others can rename and remove the file while it is open.
int os_open(const char *path, int flags);

// Creates a file in a folder that has no name, or loses it when it is closed or the process ends.
int os_open_nameless(const char *folder);

// Opens a file for reading as a stream of bytes.
FILE *os_read_stream(const char *path);

// As pread() and pwrite().
ssize_t os_read(int file, void *bytes, size_t count, uint64_t offset);
ssize_t os_write(int file, const void *bytes, size_t count, uint64_t offset);

// Waits until the bytes are on the disk; with `all`, also the file's metadata.
int os_sync(int file, bool all);

// Turns O_DIRECT off.
void os_leave_direct(int file);

// Locks the whole file for this process until it is closed. EWOULDBLOCK: another process has locked it.
int os_lock(int file);

// Shares the lock with others who do the same. EWOULDBLOCK: another process has locked it for itself.
int os_lock_shared(int file);

// Identifies a file or folder, whatever its name.
struct os_identity {
    uint64_t volume, number;
};

int os_identify(const char *path, struct os_identity *identity);
int os_identify_open(int file, struct os_identity *identity);

// As rename(): replaces an existing file.
int os_rename(const char *from, const char *to);

// Makes the names in the folder of a file durable. Skips a folder that may be written but not read.
int os_sync_folder(const char *path);

// Bytes that a file occupies on its disk; 0 if there is no file.
uint64_t os_disk_bytes(const char *path);

// Bytes that are free for this process on a folder's disk.
int os_free_bytes(const char *folder, uint64_t *bytes);

// As mkdir() with the mode 0777: 0, or -1 and errno.
int os_make_folder(const char *path);

// Is this a folder, not a link to one? With `own`: does it also belong to this user, and can nobody else write there?
bool os_is_folder(const char *path, bool own);

// Makes a new folder; the path ends in XXXXXX, which is replaced.
int os_make_temporary_folder(char *path);

// The folder for temporary files.
const char *os_temporary_folder(void);

// ---- errors ----

// The text of an errno value, in `buffer` or elsewhere.
const char *os_error(int number, char *buffer, size_t size);

#endif
