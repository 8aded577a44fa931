// profile.c - the times of commands on devices, by kind of command
#include "solve/opencl/profile.h"

#include "solve/opencl/status.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 256, NAME_MAX_LENGTH = 80 };

struct row {
    char name[NAME_MAX_LENGTH];
    uint64_t launches;
    uint64_t items;
    uint64_t bytes;
    uint64_t nanoseconds;
};

static struct {
    pthread_mutex_t lock;
    FILE *file;
    struct row row[ROWS_MAX]; // the last row is for all that have no room
    int rows;
} profile = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The most bytes that an item moves, as in the heads of the kernels.
static const struct {
    const char *name; // the beginning of the kernel's name
    unsigned bytes;
} counted[] = {{"sweep", 784},        {"king_moves", 329}, {"finish", 64},         {"record", 144},
               {"combine", 48},       {"pawn_attacks", 8}, {"import_slabs", 28},   {"import", 48},
               {"reach", 50},         {"overlaps", 32},    {"entry_symbols", 420}, {"block_symbols", 400},
               {"vacant_entries", 4}, {"plan_", 210000},   {"code_units", 100000}, {"pack_units", 4}};

static uint64_t bytes_counted(const char *name)
{
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
        if (strncmp(name, counted[i].name, strlen(counted[i].name)) == 0)
            return counted[i].bytes;
    }
    return 0;
}

static void write_rows(void)
{
    fprintf(profile.file, "kernel\tlaunches\titems\tbytes_counted\tnanoseconds\n");
    for (int i = 0; i < profile.rows; i++) {
        const struct row *row = &profile.row[i];
        fprintf(profile.file, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", row->name, row->launches,
                row->items, row->bytes, row->nanoseconds);
    }
    if (fclose(profile.file) != 0)
        fprintf(stderr, "cltb: cannot write the times of kernels\n");
}

int opencl_profile_start(const char *path)
{
    int code = 0;
    pthread_mutex_lock(&profile.lock);
    if (profile.file == NULL) {
        profile.file = fopen(path, "w");
        if (profile.file == NULL)
            code = error_errno(CLTB_E_IO, errno, "%s", path);
        else
            atexit(write_rows);
    }
    pthread_mutex_unlock(&profile.lock);
    return code;
}

static struct row *row_of(const char *name)
{
    int i = 0;
    while (i < profile.rows && strcmp(profile.row[i].name, name) != 0)
        i++;
    if (i == ROWS_MAX)
        return &profile.row[ROWS_MAX - 1];
    if (i == profile.rows)
        snprintf(profile.row[profile.rows++].name, NAME_MAX_LENGTH, "%s", i == ROWS_MAX - 1 ? "others" : name);
    return &profile.row[i];
}

cl_int opencl_profile_add(const char *name, const char *note, cl_ulong items, cl_ulong bytes, cl_event event)
{
    cl_ulong start = 0;
    cl_ulong end = 0;
    char whole[NAME_MAX_LENGTH];
    cl_int status = clWaitForEvents(1, &event);
    if (status == CL_SUCCESS)
        status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (status == CL_SUCCESS)
        status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(event);
    snprintf(whole, sizeof whole, "%s%s%s", name, *note != '\0' ? ", " : "", note);
    pthread_mutex_lock(&profile.lock);
    struct row *row = row_of(whole);
    row->launches++;
    row->items += items;
    row->bytes += bytes > 0 ? bytes : items * bytes_counted(name);
    row->nanoseconds += end - start;
    pthread_mutex_unlock(&profile.lock);
    return status;
}
