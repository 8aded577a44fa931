// devices.c - the OpenCL devices of this machine, numbered over all platforms
#include "solve/opencl/devices.h"

#include "solve/opencl/status.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLATFORMS_MAX = 32, DEVICES_MAX = 64, CACHE_PATH_SIZE = 1024 }; // of one machine, of one platform

static void platform_text(cl_platform_id platform, cl_platform_info what, char *text, size_t size)
{
    memset(text, 0, size);
    if (clGetPlatformInfo(platform, what, size - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
}

static void device_text(cl_device_id device, cl_device_info what, char *text, size_t size)
{
    char whole[512] = "";
    if (clGetDeviceInfo(device, what, sizeof whole - 1, whole, NULL) != CL_SUCCESS)
        whole[0] = '\0';
    snprintf(text, size, "%s", whole + strspn(whole, " "));
}

// A number of 32 or 64 bits (little-endian hosts only); 0: unknown.
static uint64_t device_number(cl_device_id device, cl_device_info what)
{
    cl_ulong number = 0;
    return clGetDeviceInfo(device, what, sizeof number, &number, NULL) == CL_SUCCESS ? number : 0;
}

static void describe(struct opencl_device *result, cl_platform_id platform, cl_device_id device)
{
    char name[48];
    char version[48];
    const cl_device_type type = device_number(device, CL_DEVICE_TYPE);
    *result = (struct opencl_device){.device_id = device};
    result->type = type & CL_DEVICE_TYPE_GPU           ? OPENCL_GPU
                   : type & CL_DEVICE_TYPE_CPU         ? OPENCL_CPU
                   : type & CL_DEVICE_TYPE_ACCELERATOR ? OPENCL_ACCELERATOR
                                                       : OPENCL_OTHER;
    platform_text(platform, CL_PLATFORM_NAME, name, sizeof name);
    platform_text(platform, CL_PLATFORM_VERSION, version, sizeof version);
    snprintf(result->platform, sizeof result->platform, "%s, %s", name, version);
    device_text(device, CL_DEVICE_NAME, result->name, sizeof result->name);
    device_text(device, CL_DRIVER_VERSION, result->driver, sizeof result->driver);
    result->global_memory = device_number(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    result->max_allocation = device_number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    result->local_memory = device_number(device, CL_DEVICE_LOCAL_MEM_SIZE);
    result->compute_units = (uint32_t)device_number(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    result->unified = device_number(device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
}

// Tells NVIDIA's driver, before its first use, to keep what it compiles beside our binaries if the user has chosen a
// folder for caches but none for the driver's. (What the driver calls a binary is PTX, which every process compiles
// again.)
static void place_nvidia_cache(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const char *cache = getenv("XDG_CACHE_HOME");
    char path[CACHE_PATH_SIZE];
    if (cache == NULL || cache[0] != '/' || strlen(cache) >= sizeof path - sizeof "/cltb/nvidia")
        return;
    snprintf(path, sizeof path, "%s/cltb/nvidia", cache);
    pthread_mutex_lock(&lock);
    if (getenv("CUDA_CACHE_PATH") == NULL)
        setenv("CUDA_CACHE_PATH", path, 0);
    pthread_mutex_unlock(&lock);
}

int opencl_devices(struct opencl_device **devices, int *count)
{
    cl_platform_id platforms[PLATFORMS_MAX];
    cl_device_id ids[DEVICES_MAX];
    cl_uint found = 0;
    *devices = NULL;
    *count = 0;
    place_nvidia_cache();
    // The loader reports "no platform" as an error (CL_PLATFORM_NOT_FOUND_KHR). Without platforms there are no devices.
    if (clGetPlatformIDs(PLATFORMS_MAX, platforms, &found) != CL_SUCCESS)
        return 0;
    if (found > PLATFORMS_MAX)
        found = PLATFORMS_MAX;
    for (cl_uint i = 0; i < found; i++) {
        cl_uint here = 0;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, DEVICES_MAX, ids, &here) != CL_SUCCESS || here == 0)
            continue; // a platform that cannot list its devices is skipped, as others may work
        if (here > DEVICES_MAX)
            here = DEVICES_MAX;
        const size_t bytes = ((size_t)*count + here) * sizeof **devices;
        struct opencl_device *more = realloc(*devices, bytes);
        if (more == NULL) {
            free(*devices);
            *devices = NULL;
            *count = 0;
            return error_memory(bytes, "the list of devices");
        }
        *devices = more;
        for (cl_uint n = 0; n < here; n++)
            describe(&more[(*count)++], platforms[i], ids[n]);
    }
    return 0;
}

int opencl_device_get(struct opencl_device *device, int number)
{
    struct opencl_device *devices;
    int count;
    int code = 0;
    TRY(opencl_devices(&devices, &count));
    if (number >= 0 && number < count)
        *device = devices[number];
    else if (count == 0)
        code = error_set(CLTB_E_DEVICE, "there is no OpenCL device %d: no OpenCL device was found at all", number);
    else if (count == 1)
        code = error_set(CLTB_E_DEVICE, "there is no OpenCL device %d: there is one, number 0", number);
    else
        code = error_set(CLTB_E_DEVICE, "there is no OpenCL device %d: there are %d, numbers 0 to %d", number, count,
                         count - 1);
    free(devices);
    return code;
}

int opencl_best_gpu_of(const struct opencl_device *devices, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++) {
        const struct opencl_device *device = &devices[i];
        const struct opencl_device *other = best >= 0 ? &devices[best] : NULL;
        bool better = other == NULL;
        if (device->type != OPENCL_GPU)
            continue;
        if (other != NULL && device->unified != other->unified)
            better = !device->unified;
        else if (other != NULL && device->compute_units != other->compute_units)
            better = device->compute_units > other->compute_units;
        else if (other != NULL)
            better = device->global_memory > other->global_memory;
        best = better ? i : best;
    }
    return best;
}

int opencl_best_gpu(void)
{
    struct opencl_device *devices;
    int count;
    if (opencl_devices(&devices, &count) != 0)
        return -1;
    const int best = opencl_best_gpu_of(devices, count);
    free(devices);
    return best;
}

const char *opencl_device_type_name(enum opencl_device_type type)
{
    static const char *const names[] = {"gpu", "cpu", "accelerator", "other"};
    return names[type];
}
