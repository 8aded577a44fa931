// settings.h - settings of the OpenCL backend by a user or `cltb tune`
//
// They stand in the environment variable CLTB_OPENCL, as words separated by spaces; docs/gpu.md explains them:
//
//     sweep_items=N plane_items=N read_kib=N solve_kib=N symbols wait profile=FILE options=...
//
// `options` takes all that follows it. Where the variable sets nothing, the value is the one that tuning has stored for
// this device, driver and text of the kernels, else a default. An unknown word or a value out of range is CLTB_E_USAGE.
#ifndef CLTB_SOLVE_OPENCL_SETTINGS_H
#define CLTB_SOLVE_OPENCL_SETTINGS_H

#include "solve/opencl/devices.h"

#include <stdbool.h>
#include <stddef.h>

// The parameters that can be tuned; 0 stands for the default.
enum opencl_parameter {
    OPENCL_SWEEP_ITEMS, // work-items in a work-group of a sweep
    OPENCL_PLANE_ITEMS, // work-items in a work-group of any other kernel
    OPENCL_READ_KIB,    // of one half of a bulk read
    OPENCL_SOLVE_KIB,   // of a plane of the smallest batch of structures that is solved on the device (not tuned)
    OPENCL_PARAMETERS
};

enum { OPENCL_SETTING_TEXT = 512 };

struct opencl_settings {
    uint32_t value[OPENCL_PARAMETERS];
    bool symbols;                      // make symbols and pick words even on a device that is a processor
    bool wait;                         // after every launch, so that an error is reported for its kernel
    char profile[OPENCL_SETTING_TEXT]; // file for the times of kernels, or ""
    char options[OPENCL_SETTING_TEXT]; // for the compiler, after our own, or ""
};

const char *opencl_parameter_name(enum opencl_parameter parameter);

// The settings for a device.
int opencl_settings_get(struct opencl_settings *settings, const struct opencl_device *device);

// From now on, uses these values instead of the stored ones (NULL: the stored ones again), unless the environment
// variable sets them. Must not be called while a backend is open.
void opencl_settings_try(const uint32_t value[OPENCL_PARAMETERS]);

// Stores the values for this device (NULL: goes back to the defaults). CLTB_E_IO.
int opencl_settings_store(const struct opencl_device *device, const uint32_t value[OPENCL_PARAMETERS]);

// The value of a parameter, or `fallback`.
static inline size_t opencl_setting(const struct opencl_settings *settings, enum opencl_parameter parameter,
                                    size_t fallback)
{
    return settings->value[parameter] > 0 ? settings->value[parameter] : fallback;
}

#endif
