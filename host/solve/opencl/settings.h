// settings.h - how the OpenCL backend uses a device, if a user or `cltb tune` wants it otherwise
//
// In the environment variable CLTB_OPENCL, as words with spaces between them; docs/gpu.md explains them:
//
//     sweep_items=N plane_items=N read_kib=N symbols wait profile=FILE options=...
//
// `options` takes all that follows it. What the variable does not set is what tuning has stored for this device, driver
// and text of the kernels, else a default. A word that is not known or not in range is CLTB_E_USAGE.
#ifndef CLTB_SOLVE_OPENCL_SETTINGS_H
#define CLTB_SOLVE_OPENCL_SETTINGS_H

#include "solve/opencl/devices.h"

#include <stdbool.h>
#include <stddef.h>

// What is tuned; 0 stands for the default.
enum opencl_parameter {
    OPENCL_SWEEP_ITEMS, // work-items in a work-group of a sweep
    OPENCL_PLANE_ITEMS, // and of all other kernels
    OPENCL_READ_KIB,    // of one half of a bulk read
    OPENCL_PARAMETERS
};

enum { OPENCL_SETTING_TEXT = 512 };

struct opencl_settings {
    uint32_t value[OPENCL_PARAMETERS];
    bool symbols;                      // are made on a device that is a processor, too
    bool wait;                         // for every launch, so that a fault is reported at its kernel
    char profile[OPENCL_SETTING_TEXT]; // file for the times of kernels, ""
    char options[OPENCL_SETTING_TEXT]; // for the compiler, behind our own, ""
};

const char *opencl_parameter_name(enum opencl_parameter parameter);

// The settings for a device.
int opencl_settings_get(struct opencl_settings *settings, const struct opencl_device *device);

// From now on these values, not the stored ones (NULL: the stored ones again), are taken where the variable sets none.
// Not while a backend is open.
void opencl_settings_try(const uint32_t value[OPENCL_PARAMETERS]);

// Stores the values for this device (NULL: the defaults again). CLTB_E_IO.
int opencl_settings_store(const struct opencl_device *device, const uint32_t value[OPENCL_PARAMETERS]);

// The one for a parameter, or `fallback`.
static inline size_t opencl_setting(const struct opencl_settings *settings, enum opencl_parameter parameter,
                                    size_t fallback)
{
    return settings->value[parameter] > 0 ? settings->value[parameter] : fallback;
}

#endif
