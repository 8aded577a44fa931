// os_windows.c - Windows, by mingw-w64
//
// Files are opened by CreateFile(), so that they can be renamed and removed while they are open, as on POSIX systems.
#include "util/os.h"

#include <direct.h>
#include <errno.h>
#include <io.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <psapi.h>

// Sets errno from the last error of Windows and returns -1.
static int fail(void)
{
    static const struct {
        DWORD error;
        int number;
    } known[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},   {ERROR_PATH_NOT_FOUND, ENOENT},    {ERROR_INVALID_NAME, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},    {ERROR_SHARING_VIOLATION, EACCES}, {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
        {ERROR_FILE_EXISTS, EEXIST},      {ERROR_ALREADY_EXISTS, EEXIST},    {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC}, {ERROR_NOT_ENOUGH_MEMORY, ENOMEM}, {ERROR_OUTOFMEMORY, ENOMEM}};
    const DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].error == error)
            errno = known[i].number;
    return -1;
}

static int done(BOOL success)
{
    return success ? 0 : fail();
}

static HANDLE handle_of(int file)
{
    return (HANDLE)_get_osfhandle(file);
}

// ---- the process ----

void os_start(int argc, char **argv)
{
    DWORD mode;
    HANDLE terminal = GetStdHandle(STD_ERROR_HANDLE);
    for (int i = 1; i < argc; i++)
        for (char *c = argv[i]; *c != '\0'; c++)
            if (*c == '\\')
                *c = '/';
    _setmode(STDIN_FILENO, _O_BINARY);
    _setmode(STDOUT_FILENO, _O_BINARY);
    _setmode(STDERR_FILENO, _O_BINARY);
    if (GetConsoleMode(terminal, &mode)) // the progress line erases its rest by an escape sequence
        SetConsoleMode(terminal, mode | 0x0004 /* ENABLE_VIRTUAL_TERMINAL_PROCESSING */);
}

void os_catch(void (*handler)(int number))
{
    signal(SIGINT, handler);
    signal(SIGBREAK, handler);
}

int os_columns(void)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    return GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &info)
               ? info.srWindow.Right - info.srWindow.Left + 1
               : 0;
}

int os_processors(void)
{
    DWORD_PTR mine;
    DWORD_PTR all;
    const int count = GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) ? __builtin_popcountll(mine) : 1;
    return count > 0 ? count : 1;
}

void os_machine(char text[OS_MACHINE_MAX])
{
    char name[MAX_COMPUTERNAME_LENGTH + 1];
    DWORD length = sizeof name;
    snprintf(text, OS_MACHINE_MAX, "%s -", GetComputerNameA(name, &length) ? name : "localhost");
}

// ---- memory ----

void *os_map(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void os_unmap(void *start, size_t bytes)
{
    (void)bytes;
    VirtualFree(start, 0, MEM_RELEASE);
}

void os_drop(void *start, size_t bytes)
{
    VirtualAlloc(start, bytes, MEM_RESET, PAGE_READWRITE);
}

void *os_aligned(size_t alignment, size_t bytes)
{
    return _aligned_malloc(bytes, alignment);
}

void os_aligned_free(void *start)
{
    _aligned_free(start);
}

size_t os_memory(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? (size_t)status.ullTotalPhys : SIZE_MAX;
}

size_t os_held_memory(void)
{
    PROCESS_MEMORY_COUNTERS counters;
    return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters) ? counters.WorkingSetSize : 0;
}

size_t os_peak_memory(void)
{
    PROCESS_MEMORY_COUNTERS counters;
    return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters) ? counters.PeakWorkingSetSize : 0;
}

void os_forget_peak_memory(void)
{
}

int os_run(const char *command, const char *argument)
{
    (void)command, (void)argument;
    errno = ENOSYS;
    return -1;
}

// ---- files ----

static HANDLE create(const char *path, DWORD access, DWORD how, DWORD attributes)
{
    return CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how, attributes,
                       NULL);
}

static int descriptor_of(HANDLE handle, int flags)
{
    if (handle == INVALID_HANDLE_VALUE)
        return fail();
    const int file = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
    if (file < 0)
        CloseHandle(handle);
    return file;
}

int os_open(const char *path, int flags)
{
    const DWORD access = (flags & O_RDWR) != 0 ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ;
    return descriptor_of(
        create(path, access, (flags & O_CREAT) != 0 ? OPEN_ALWAYS : OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL),
        flags & O_RDWR);
}

int os_open_nameless(const char *folder)
{
    char path[PATH_MAX];
    if (GetTempFileNameA(folder, "clt", 0, path) == 0)
        return fail();
    return descriptor_of(
        create(path, GENERIC_READ | GENERIC_WRITE, CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE),
        O_RDWR);
}

FILE *os_read_stream(const char *path)
{
    return fopen(path, "rb");
}

enum { BYTES_AT_ONCE = 1 << 30 };

static OVERLAPPED place(uint64_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

ssize_t os_read(int file, void *bytes, size_t count, uint64_t offset)
{
    OVERLAPPED at = place(offset);
    DWORD got = 0;
    if (ReadFile(handle_of(file), bytes, (DWORD)(count < BYTES_AT_ONCE ? count : BYTES_AT_ONCE), &got, &at))
        return (ssize_t)got;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : fail();
}

ssize_t os_write(int file, const void *bytes, size_t count, uint64_t offset)
{
    OVERLAPPED at = place(offset);
    DWORD written = 0;
    if (WriteFile(handle_of(file), bytes, (DWORD)(count < BYTES_AT_ONCE ? count : BYTES_AT_ONCE), &written, &at))
        return (ssize_t)written;
    return fail();
}

int os_sync(int file, bool all)
{
    (void)all;
    return done(FlushFileBuffers(handle_of(file)));
}

void os_leave_direct(int file)
{
    (void)file;
}

// A byte that no file reaches: on Windows a lock keeps others from reading what is locked.
static int lock(int file, DWORD flags)
{
    OVERLAPPED at = place(INT64_MAX - 1);
    return done(LockFileEx(handle_of(file), flags | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at));
}

int os_lock(int file)
{
    return lock(file, LOCKFILE_EXCLUSIVE_LOCK);
}

int os_lock_shared(int file)
{
    return lock(file, 0);
}

static int identify(HANDLE handle, struct os_identity *identity)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (!GetFileInformationByHandle(handle, &info))
        return fail();
    *identity =
        (struct os_identity){info.dwVolumeSerialNumber, (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow};
    return 0;
}

int os_identify(const char *path, struct os_identity *identity)
{
    HANDLE handle = create(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS); // required for folders
    if (handle == INVALID_HANDLE_VALUE)
        return fail();
    const int failed = identify(handle, identity);
    CloseHandle(handle);
    return failed;
}

int os_identify_open(int file, struct os_identity *identity)
{
    return identify(handle_of(file), identity);
}

int os_rename(const char *from, const char *to)
{
    return done(MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH));
}

int os_sync_folder(const char *path)
{
    (void)path; // MOVEFILE_WRITE_THROUGH has done it
    return 0;
}

uint64_t os_disk_bytes(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

int os_free_bytes(const char *folder, uint64_t *bytes)
{
    ULARGE_INTEGER mine;
    if (!GetDiskFreeSpaceExA(folder, &mine, NULL, NULL))
        return fail();
    *bytes = mine.QuadPart;
    return 0;
}

int os_make_folder(const char *path)
{
    return _mkdir(path);
}

bool os_is_folder(const char *path, bool own)
{
    (void)own; // a user's folders are the user's own
    const DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 &&
           (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0;
}

int os_make_temporary_folder(char *path)
{
    return _mktemp(path) != NULL ? _mkdir(path) : -1;
}

const char *os_temporary_folder(void)
{
    const char *folder = getenv("TEMP");
    return folder != NULL && *folder != '\0' ? folder : ".";
}

// ---- errors ----

const char *os_error(int number, char *buffer, size_t size)
{
    return strerror_s(buffer, size, number) == 0 ? buffer : "unknown error";
}
