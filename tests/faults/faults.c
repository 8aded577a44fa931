// faults.c - a preloaded library that makes the N-th call of one kind fail
//
//     LD_PRELOAD=libfaults.so FAULT_CALL=write FAULT_NTH=3 FAULT_KIND=ENOSPC FAULT_REPORT=file cltb build KQvK
//
//     FAULT_CALL    malloc (the whole family), mmap, thread (pthread_create), read, write (to a regular file), open,
//                   sync (fsync and fdatasync), rename, truncate, lock (flock), stat (the family), unlink, folder
//                   (opendir and readdir), clock (clock_gettime), device (OpenCL: contexts, buffers, programs,
//                   kernels, commands)
//     FAULT_NTH     1, 2, 3, ...: the first call that fails, counted over all threads; 0: none, calls are only counted
//     FAULT_FROM    set: all calls from there on fail; else only that one
//     FAULT_KIND    ENOMEM, ENOSPC, EIO, EINTR, EMFILE, EROFS, EACCES, ENOLCK; SHORT (half of the bytes are read or
//                   written), END (read returns 0), or JUMP (the clock goes back by an hour; with FAULT_FROM forward
//                   by a day)
//     FAULT_REPORT  a file that receives the number of calls of this kind when the program ends, and is there as soon
//                   as one has failed
//     FAULT_SITES   set: the number is followed by a line for each place that calls, a chain of return addresses: its
//                   name, and how often
//     FAULT_SITE    the name of a place: FAULT_NTH counts only its calls
//
// Calls are counted only while the program runs between its constructors and its exit. The real functions are found by
// dlsym(), except those of memory, which have other names in glibc as well, because dlsym() itself allocates.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#define HAVE_OPENCL
#endif

enum call {
    MALLOC,
    MMAP,
    THREAD,
    READ,
    WRITE,
    OPEN,
    SYNC,
    RENAME,
    TRUNCATE,
    LOCK,
    STAT,
    UNLINK,
    FOLDER,
    CLOCK,
    DEVICE,
    CALLS
};

static const char *const call_names[CALLS] = {"malloc", "mmap",   "thread", "read",     "write",
                                              "open",   "sync",   "rename", "truncate", "lock",
                                              "stat",   "unlink", "folder", "clock",    "device"};

static const struct {
    const char *name;
    int number; // errno, or 0
} kinds[] = {{"EAGAIN", EAGAIN}, {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"EIO", EIO},
             {"EINTR", EINTR},   {"EMFILE", EMFILE}, {"EROFS", EROFS},   {"EACCES", EACCES},
             {"ENOLCK", ENOLCK}, {"SHORT", 0},       {"END", 0}};

static enum call wanted = CALLS;
static long first;
static bool from_there_on;
static int number; // errno of a failing call
static bool is_short;
static bool is_end;
static bool is_jump;
static const char *report;
static atomic_long count;
static atomic_bool active;

// ---- places ----

enum { FRAMES = 64, MODULES = 128, SITES = 1 << 14 };

static struct module {
    uintptr_t from;
    uintptr_t to;
} module[MODULES];
static size_t modules;
static bool lists_sites;
static uint64_t the_site; // 0: any
static struct site {
    atomic_uint_fast64_t name; // 0: free
    atomic_long calls;
} site[SITES];

static int note_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    struct module *noted = &module[modules];
    *noted = (struct module){UINTPTR_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD)
            continue;
        const uintptr_t from = info->dlpi_addr + part->p_vaddr;
        noted->from = from < noted->from ? from : noted->from;
        noted->to = from + part->p_memsz > noted->to ? from + part->p_memsz : noted->to;
    }
    return ++modules == MODULES;
}

// Addresses differ between runs; their distances from the beginning of what they are in do not.
static uint64_t site_name(void)
{
    void *frame[FRAMES];
    const int frames = backtrace(frame, FRAMES);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < frames; i++) {
        const uintptr_t at = (uintptr_t)frame[i];
        size_t in = 0;
        while (in < modules && !(at >= module[in].from && at < module[in].to))
            in++;
        hash = (hash ^ (in < modules ? at - module[in].from : 0)) * UINT64_C(0x100000001b3);
        hash = (hash ^ in) * UINT64_C(0x100000001b3);
    }
    return hash | 1;
}

static void count_site(uint64_t name)
{
    for (size_t i = name % SITES, tried = 0; tried < SITES; i = (i + 1) % SITES, tried++) {
        uint_fast64_t there = 0;
        if (atomic_compare_exchange_strong(&site[i].name, &there, name) || there == name) {
            atomic_fetch_add(&site[i].calls, 1);
            return;
        }
    }
}

// ---- the wanted call ----

static void __attribute__((constructor)) start(void)
{
    const char *call = getenv("FAULT_CALL");
    const char *nth = getenv("FAULT_NTH");
    const char *kind = getenv("FAULT_KIND");
    report = getenv("FAULT_REPORT");
    if (call == NULL || nth == NULL || kind == NULL)
        return;
    first = atol(nth);
    from_there_on = getenv("FAULT_FROM") != NULL;
    lists_sites = getenv("FAULT_SITES") != NULL;
    the_site = getenv("FAULT_SITE") != NULL ? strtoull(getenv("FAULT_SITE"), NULL, 16) : 0;
    if (lists_sites || the_site != 0) {
        void *frame[1];
        backtrace(frame, 1); // the first one loads a library
        dl_iterate_phdr(note_module, NULL);
    }
    is_short = strcmp(kind, "SHORT") == 0;
    is_end = strcmp(kind, "END") == 0;
    is_jump = strcmp(kind, "JUMP") == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, kind) == 0)
            number = kinds[i].number;
    for (int i = 0; i < CALLS; i++)
        if (strcmp(call_names[i], call) == 0)
            wanted = (enum call)i;
    atomic_store(&active, true);
}

static void write_report(const char *text, size_t length)
{
    const int flags = O_WRONLY | O_CREAT | (lists_sites ? O_APPEND : 0);
    const int file = report == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, report, flags, 0600);
    if (file >= 0) {
        syscall(SYS_write, file, text, length);
        syscall(SYS_close, file);
    }
}

static void __attribute__((destructor)) stop(void)
{
    if (atomic_exchange(&active, false)) {
        char digits[24];
        size_t at = sizeof digits;
        long n = atomic_load(&count);
        digits[--at] = '\n';
        do
            digits[--at] = (char)('0' + n % 10);
        while ((n /= 10) > 0);
        write_report(digits + at, sizeof digits - at);
        for (size_t i = 0; i < SITES && lists_sites; i++) {
            char line[60];
            if (atomic_load(&site[i].name) != 0)
                write_report(line, (size_t)snprintf(line, sizeof line, "%llx %ld\n",
                                                    (unsigned long long)atomic_load(&site[i].name),
                                                    atomic_load(&site[i].calls)));
        }
    }
}

// Does this call fail? Then errno is set.
static bool fails(enum call call)
{
    static atomic_bool begun;
    if (call != wanted || !atomic_load(&active))
        return false;
    if (lists_sites)
        count_site(site_name());
    if (atomic_load(&begun)) {
        if (!from_there_on)
            return false;
    } else {
        if ((the_site != 0 && site_name() != the_site) || atomic_fetch_add(&count, 1) + 1 != first)
            return false;
        atomic_store(&begun, true);
        write_report("\n", 1);
    }
    errno = number;
    return true;
}

#define REAL(result, name, parameters)                                                                                 \
    static result(*real) parameters;                                                                                   \
    if (real == NULL)                                                                                                  \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

// ---- memory ----

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return fails(MALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size)
{
    return fails(MALLOC) ? NULL : __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(MALLOC) ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(MALLOC) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (fails(MALLOC) || (*memory = __libc_memalign(alignment, size)) == NULL)
        return ENOMEM;
    return 0;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    if (fails(MMAP))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context)
{
    REAL(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));
    return fails(THREAD) ? EAGAIN : real(thread, attributes, run, context);
}

// ---- reading and writing ----

static ssize_t data_call(enum call call, long system_call, int file, uintptr_t data, size_t size, off_t offset)
{
    if (fails(call)) {
        if (is_end)
            return 0;
        if (!is_short)
            return -1;
        size = size > 1 ? size / 2 : size;
    }
    return syscall(system_call, file, data, size, offset);
}

ssize_t read(int file, void *data, size_t size)
{
    return data_call(READ, SYS_read, file, (uintptr_t)data, size, 0);
}

ssize_t pread(int file, void *data, size_t size, off_t offset)
{
    return data_call(READ, SYS_pread64, file, (uintptr_t)data, size, offset);
}

ssize_t pread64(int file, void *data, size_t size, off_t offset)
{
    return data_call(READ, SYS_pread64, file, (uintptr_t)data, size, offset);
}

ssize_t write(int file, const void *data, size_t size)
{
    // Output to the terminal, or from one process of a job to another, is not tested here.
    struct stat status;
    const bool counts = file > 2 && wanted == WRITE && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    return data_call(counts ? WRITE : CALLS, SYS_write, file, (uintptr_t)data, size, 0);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
    return data_call(WRITE, SYS_pwrite64, file, (uintptr_t)data, size, offset);
}

ssize_t pwrite64(int file, const void *data, size_t size, off_t offset)
{
    return data_call(WRITE, SYS_pwrite64, file, (uintptr_t)data, size, offset);
}

// ---- files ----

static int open_call(int folder, const char *path, int flags, va_list arguments)
{
    const int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
    return fails(OPEN) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define OPEN_CALL(folder)                                                                                              \
    va_list arguments;                                                                                                 \
    va_start(arguments, flags);                                                                                        \
    const int file = open_call(folder, path, flags, arguments);                                                        \
    va_end(arguments);                                                                                                 \
    return file

int open(const char *path, int flags, ...)
{
    OPEN_CALL(AT_FDCWD);
}

int open64(const char *path, int flags, ...)
{
    OPEN_CALL(AT_FDCWD);
}

int openat(int folder, const char *path, int flags, ...)
{
    OPEN_CALL(folder);
}

int fsync(int file)
{
    return fails(SYNC) ? -1 : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    return fails(SYNC) ? -1 : (int)syscall(SYS_fdatasync, file);
}

int rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int ftruncate(int file, off_t size)
{
    return fails(TRUNCATE) ? -1 : (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate64(int file, off_t size)
{
    return ftruncate(file, size);
}

int flock(int file, int operation)
{
    return fails(LOCK) ? -1 : (int)syscall(SYS_flock, file, operation);
}

int unlink(const char *path)
{
    return fails(UNLINK) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int stat(const char *restrict path, struct stat *restrict status)
{
    return fails(STAT) ? -1 : fstatat(AT_FDCWD, path, status, 0);
}

int lstat(const char *restrict path, struct stat *restrict status)
{
    return fails(STAT) ? -1 : fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int fstat(int file, struct stat *status)
{
    return fails(STAT) ? -1 : fstatat(file, "", status, AT_EMPTY_PATH);
}

DIR *opendir(const char *path)
{
    REAL(DIR *, opendir, (const char *));
    return fails(FOLDER) ? NULL : real(path);
}

struct dirent *readdir(DIR *folder)
{
    REAL(struct dirent *, readdir, (DIR *));
    return fails(FOLDER) ? NULL : real(folder);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const bool hit = fails(CLOCK);
    if (hit && !is_jump)
        return -1;
    const int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (hit)
        time->tv_sec += from_there_on ? 86400 : -3600;
    return result;
}

// ---- a device: whatever fails, it is out of resources ----

#ifdef HAVE_OPENCL

#define STATUS_CALL(name, parameters, arguments)                                                                       \
    cl_int name parameters                                                                                             \
    {                                                                                                                  \
        REAL(cl_int, name, parameters);                                                                                \
        return fails(DEVICE) ? CL_OUT_OF_RESOURCES : real arguments;                                                   \
    }

#define OBJECT_CALL(type, name, parameters, arguments)                                                                 \
    type name parameters                                                                                               \
    {                                                                                                                  \
        REAL(type, name, parameters);                                                                                  \
        if (!fails(DEVICE))                                                                                            \
            return real arguments;                                                                                     \
        if (error != NULL)                                                                                             \
            *error = CL_OUT_OF_RESOURCES;                                                                              \
        return NULL;                                                                                                   \
    }

OBJECT_CALL(cl_context, clCreateContext,
            (const cl_context_properties *properties, cl_uint devices, const cl_device_id *device,
             void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *context, cl_int *error),
            (properties, devices, device, notify, context, error))
OBJECT_CALL(cl_command_queue, clCreateCommandQueue,
            (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *error),
            (context, device, properties, error))
OBJECT_CALL(cl_mem, clCreateBuffer, (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error),
            (context, flags, size, host, error))
OBJECT_CALL(cl_program, clCreateProgramWithSource,
            (cl_context context, cl_uint sources, const char **texts, const size_t *lengths, cl_int *error),
            (context, sources, texts, lengths, error))
OBJECT_CALL(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *error), (program, name, error))
OBJECT_CALL(void *, clEnqueueMapBuffer,
            (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset, size_t size,
             cl_uint waits, const cl_event *wait, cl_event *event, cl_int *error),
            (queue, buffer, blocking, flags, offset, size, waits, wait, event, error))
STATUS_CALL(clEnqueueUnmapMemObject,
            (cl_command_queue queue, cl_mem buffer, void *host, cl_uint waits, const cl_event *wait, cl_event *event),
            (queue, buffer, host, waits, wait, event))
STATUS_CALL(clBuildProgram,
            (cl_program program, cl_uint devices, const cl_device_id *device, const char *options,
             void(CL_CALLBACK *notify)(cl_program, void *), void *context),
            (program, devices, device, options, notify, context))
STATUS_CALL(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
            (kernel, index, size, value))
STATUS_CALL(clFinish, (cl_command_queue queue), (queue))
STATUS_CALL(clEnqueueNDRangeKernel,
            (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
             const size_t *local, cl_uint waits, const cl_event *wait, cl_event *event),
            (queue, kernel, dimensions, offset, global, local, waits, wait, event))
STATUS_CALL(clEnqueueReadBuffer,
            (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void *host,
             cl_uint waits, const cl_event *wait, cl_event *event),
            (queue, buffer, blocking, offset, size, host, waits, wait, event))
STATUS_CALL(clEnqueueWriteBuffer,
            (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, const void *host,
             cl_uint waits, const cl_event *wait, cl_event *event),
            (queue, buffer, blocking, offset, size, host, waits, wait, event))
STATUS_CALL(clEnqueueFillBuffer,
            (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes, size_t offset,
             size_t size, cl_uint waits, const cl_event *wait, cl_event *event),
            (queue, buffer, pattern, pattern_bytes, offset, size, waits, wait, event))
STATUS_CALL(clEnqueueCopyBuffer,
            (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size,
             cl_uint waits, const cl_event *wait, cl_event *event),
            (queue, from, to, from_offset, to_offset, size, waits, wait, event))

#endif
