// program.c - kernels from the built-in texts, built for a device
#include "solve/opencl/program.h"

#include "solve/opencl/kernel_source.h"
#include "solve/opencl/status.h"
#include "util/clock.h"
#include "util/memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// An OpenCL compiler does not see our folders, so every `#include "NAME"` line of a built-in text is replaced by the
// file NAME the first time, and by an empty line after that.

enum { TEXTS_MAX = 64 };

struct text {
    char *bytes;
    size_t length;
    size_t room;
    bool included[TEXTS_MAX]; // by number of the built-in text
};

static int append(struct text *text, const char *bytes, size_t length)
{
    TRY(memory_grow(&text->bytes, &text->room, text->length + length + 1, 1, "a kernel's text"));
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    return 0;
}

static int append_file(struct text *text, const char *name)
{
    int number = 0;
    while (cltb_kernel_sources[number].name != NULL && strcmp(cltb_kernel_sources[number].name, name) != 0)
        number++;
    if (number >= TEXTS_MAX || cltb_kernel_sources[number].name == NULL)
        return error_set(CLTB_E_DEVICE, "no kernel text '%s' is built in", name);
    if (text->included[number])
        return 0;
    text->included[number] = true;
    for (const char *line = cltb_kernel_sources[number].text; *line != '\0';) {
        char inner[64];
        const size_t length = strcspn(line, "\n");
        const size_t whole = length + (line[length] == '\n');
        if (sscanf(line, "#include \"%63[^\"\n]\"", inner) == 1)
            TRY(append_file(text, inner));
        else
            TRY(append(text, line, whole));
        line += whole;
    }
    return append(text, "\n", 1);
}

int opencl_program_text(char **result, const char *const *names)
{
    struct text text = {0};
    int code = 0;
    for (; code == 0 && *names != NULL; names++)
        code = append_file(&text, *names);
    if (code != 0) {
        free(text.bytes);
        text.bytes = NULL;
    }
    *result = text.bytes;
    return code;
}

// The compiler's messages, after a few lines about what it was asked to do; NULL: no memory.
static char *whole_log(cl_program program, const struct opencl_device *device, const char *name, const char *options,
                       size_t *head)
{
    char first[1024];
    size_t size = 0;
    cl_device_id id = device->device_id;
    const int length = snprintf(first, sizeof first, "%s for %s, driver %s, %s\noptions: %s\n\n", name, device->name,
                                device->driver, device->platform, options);
    *head = (size_t)length < sizeof first ? (size_t)length : sizeof first - 1;
    if (clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS)
        size = 0;
    char *log = calloc(1, *head + size + 1);
    if (log == NULL)
        return NULL;
    memcpy(log, first, *head);
    if (size > 0 && clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, log + *head, NULL) != CL_SUCCESS)
        log[*head] = '\0';
    return log;
}

// Builds a program from its text. A failure is reported with the first line of the compiler's messages that mentions an
// error, or otherwise their first line, and the path of the whole log.
static int build(cl_program *program, cl_context context, const struct opencl_device *device, const char *text,
                 const char *name, const char *options, uint64_t hash)
{
    cl_device_id id = device->device_id;
    cl_int status;
    *program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    TRY(opencl_check(status, "making a program"));
    status = clBuildProgram(*program, 1, &id, options, NULL, NULL);
    size_t head;
    char *log = whole_log(*program, device, name, options, &head);
    const bool kept = log != NULL && program_cache_store_text(hash, "log", log, strlen(log));
    if (status == CL_SUCCESS) {
        free(log);
        return 0;
    }
    char line[256] = "no build log";
    char path[PROGRAM_PATH_SIZE];
    if (log != NULL && log[head] != '\0') {
        const char *start = strstr(log + head, "error");
        if (start == NULL)
            start = log + head + strspn(log + head, "\n\r ");
        while (start > log + head && start[-1] != '\n')
            start--;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(start, "\n\r"), start);
    }
    free(log);
    clReleaseProgram(*program);
    *program = NULL;
    error_set(CLTB_E_DEVICE, "OpenCL: building %s for %s: %s (%d): %s", name, device->name, opencl_status_name(status),
              (int)status, line);
    return kept ? error_append(CLTB_E_DEVICE, " (all of it: %s)", program_cache_path(hash, "log", path))
                : CLTB_E_DEVICE;
}

// The program from a kept binary, or NULL.
static cl_program load(cl_context context, const struct opencl_device *device, uint64_t hash, const char *options)
{
    cl_device_id id = device->device_id;
    size_t size;
    unsigned char *binary = program_cache_load(hash, &size);
    if (binary == NULL)
        return NULL;
    cl_int loaded = CL_SUCCESS;
    cl_int status;
    const unsigned char *bytes = binary;
    cl_program program = clCreateProgramWithBinary(context, 1, &id, &size, &bytes, &loaded, &status);
    free(binary);
    if (status != CL_SUCCESS || program == NULL)
        return NULL;
    if (loaded == CL_SUCCESS && clBuildProgram(program, 1, &id, options, NULL, NULL) == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return NULL;
}

static void keep(cl_program program, uint64_t hash)
{
    size_t size = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) != CL_SUCCESS || size == 0)
        return;
    unsigned char *binary = malloc(size);
    if (binary == NULL)
        return;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
        program_cache_store(hash, binary, size);
    free(binary);
}

// ---- who is told ----

static struct {
    void (*told)(void *context, const struct opencl_device *device);
    void *context;
    pthread_mutex_t lock; // for all below
    struct opencl_times times;
} compiling = {.lock = PTHREAD_MUTEX_INITIALIZER};

void opencl_on_compiling(void (*told)(void *context, const struct opencl_device *device), void *context)
{
    compiling.told = told;
    compiling.context = context;
}

struct opencl_times opencl_compiling_times(void)
{
    pthread_mutex_lock(&compiling.lock);
    const struct opencl_times times = compiling.times;
    pthread_mutex_unlock(&compiling.lock);
    return times;
}

// ---- the program ----

int opencl_program(cl_program *program, cl_context context, const struct opencl_device *device,
                   const char *const *names, const char *options)
{
    char *text;
    *program = NULL;
    int code = 0;
    TRY(opencl_program_text(&text, names));
    const char *const parts[] = {device->name, device->driver, device->platform, options, text};
    uint64_t hash = 0; // of everything that the result of a build depends on
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        hash = XXH64(parts[i], strlen(parts[i]), hash);
    *program = load(context, device, hash, options);
    if (*program == NULL) {
        const double start = wall_seconds();
        const double cpu_start = cpu_seconds();
        if (compiling.told != NULL)
            compiling.told(compiling.context, device);
        code = build(program, context, device, text, names[0], options, hash);
        if (code == 0)
            keep(*program, hash);
        pthread_mutex_lock(&compiling.lock);
        compiling.times.wall += wall_seconds() - start;
        compiling.times.cpu += cpu_seconds() - cpu_start;
        pthread_mutex_unlock(&compiling.lock);
    }
    free(text);
    return code;
}
