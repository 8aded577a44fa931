// device.c - which device builds tables
#include "make/device.h"

#include "solve/backend.h"
#include "solve/opencl/open.h"
#include "util/error.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#include "solve/opencl/settings.h"
#endif

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int device_choose(struct device_choice *choice, const char *text)
{
    *choice = (struct device_choice){.number = -1};
    if (text == NULL || strcmp(text, "auto") == 0) {
        choice->automatic = true;
#ifdef CLTB_HAVE_OPENCL
        choice->number = opencl_best_gpu();
#endif
        return 0;
    }
    if (strcmp(text, "cpu") == 0)
        return 0;
    if (strcmp(text, "gpu") == 0) {
#ifdef CLTB_HAVE_OPENCL
        choice->number = opencl_best_gpu();
#endif
        return choice->number >= 0
                   ? 0
                   : error_set(CLTB_E_DEVICE, "there is no GPU here that OpenCL knows of (see: cltb devices)");
    }
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < 0 || number > INT_MAX)
        return error_set(CLTB_E_USAGE, "device '%.40s' must be auto, gpu, cpu or a number", text);
#ifdef CLTB_HAVE_OPENCL
    struct opencl_device device;
    choice->number = (int)number;
    return opencl_device_get(&device, (int)number);
#else
    return error_set(CLTB_E_DEVICE, "device %ld: this build has no OpenCL; --device cpu works", number);
#endif
}

int device_open(struct backend **backend, const struct layout *layout, int number, uint64_t tiles)
{
#ifdef CLTB_HAVE_OPENCL
    return tiles > 0 ? backend_opencl_open_windows(backend, layout, number, tiles)
                     : backend_opencl_open(backend, layout, number);
#else
    (void)backend;
    (void)layout;
    (void)tiles;
    return error_set(CLTB_E_DEVICE, "device %d: this build has no OpenCL", number);
#endif
}

int device_open_coder(struct backend **backend, int number)
{
    *backend = NULL;
#ifdef CLTB_HAVE_OPENCL
    return number >= 0 ? backend_opencl_open_coder(backend, number) : 0;
#else
    (void)number;
    return 0;
#endif
}

// docs/gpu.md has the count.
int device_least_batch(uint64_t *bytes, int number, int threads)
{
    enum { THREAD_BYTES = 128 << 10 };
    *bytes = (uint64_t)threads * THREAD_BYTES;
#ifdef CLTB_HAVE_OPENCL
    struct opencl_device device;
    struct opencl_settings settings;
    TRY(opencl_device_get(&device, number));
    TRY(opencl_settings_get(&settings, &device));
    *bytes = (uint64_t)opencl_setting(&settings, OPENCL_SOLVE_KIB, (size_t)(*bytes >> 10)) << 10;
#else
    (void)number;
#endif
    return 0;
}

int device_list(struct device_list *list, const char *text)
{
    *list = (struct device_list){.count = 0};
    for (bool more = true; more;) {
        char word[64];
        const size_t length = text == NULL ? 0 : strcspn(text, ",");
        if (list->count == DEVICES_MAX)
            return error_set(CLTB_E_USAGE, "more than %d devices", DEVICES_MAX);
        snprintf(word, sizeof word, "%.*s", (int)length, text == NULL ? "" : text);
        TRY(device_choose(&list->device[list->count++], text == NULL ? NULL : word));
        more = text != NULL && text[length] == ',';
        if (more)
            text += length + 1;
    }
    return 0;
}

struct device_times device_compiling_times(void)
{
#ifdef CLTB_HAVE_OPENCL
    const struct opencl_times times = opencl_compiling_times();
    return (struct device_times){times.wall, times.cpu};
#else
    return (struct device_times){0, 0};
#endif
}

// A little memory is left to the driver and to other programs. A device that is the processor has the machine's memory.
struct device_limits device_limits(const struct device_list *list)
{
    struct device_limits least = {0};
#ifdef CLTB_HAVE_OPENCL
    for (int i = 0; i < list->count; i++) {
        struct opencl_device device;
        const int number = list->device[i].number;
        uint64_t times = 0;
        least.opencl |= number >= 0;
        if (number < 0 || opencl_device_get(&device, number) != 0 || device.type == OPENCL_CPU)
            continue;
        for (int j = 0; j < list->count; j++)
            times += list->device[j].number == number;
        const uint64_t memory = (device.global_memory - device.global_memory / 16) / times;
        if (least.memory == 0 || memory < least.memory)
            least.memory = memory;
        if (least.allocation == 0 || device.max_allocation < least.allocation)
            least.allocation = device.max_allocation;
    }
#else
    (void)list;
#endif
    return least;
}
