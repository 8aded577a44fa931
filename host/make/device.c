// device.c - which device builds tables
#include "make/device.h"

#include "util/error.h"
#ifdef CLTB_HAVE_OPENCL
#include "solve/opencl/devices.h"
#endif

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int parse_device(const char *text, int *number)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < 0 || value > INT_MAX)
        return error_set(CLTB_E_USAGE, "device '%.40s' is none of auto, cpu or a number", text);
    *number = (int)value;
    return 0;
}

int device_without_opencl(int number)
{
    return error_set(CLTB_E_DEVICE, "device %d: this build has no OpenCL; --device cpu works", number);
}

#ifdef CLTB_HAVE_OPENCL
static int first_gpu(void)
{
    return opencl_first_gpu();
}

static int exists(int number)
{
    struct opencl_device device;
    return opencl_device_get(&device, number);
}

// A little is left to the driver and to others. What is the processor itself has the machine's memory.
static struct device_limits limits_of(int number)
{
    struct opencl_device device;
    if (number < 0 || opencl_device_get(&device, number) != 0 || device.type == OPENCL_CPU)
        return (struct device_limits){0, 0};
    return (struct device_limits){device.global_memory - device.global_memory / 16, device.max_allocation};
}
#else
static int first_gpu(void)
{
    return -1;
}

static int exists(int number)
{
    return device_without_opencl(number);
}

static struct device_limits limits_of(int number)
{
    (void)number;
    return (struct device_limits){0, 0};
}
#endif

int device_choose(struct device_choice *choice, const char *text)
{
    *choice = (struct device_choice){.number = -1};
    if (text == NULL || strcmp(text, "auto") == 0) {
        choice->automatic = true;
        choice->number = first_gpu();
        return 0;
    }
    return strcmp(text, "cpu") == 0 ? 0 : parse_device(text, &choice->number);
}

struct device_limits device_limits(const struct device_choice *choice)
{
    return limits_of(choice->number);
}

int device_check(const struct device_choice *choice)
{
    return choice->automatic || choice->number < 0 ? 0 : exists(choice->number);
}
