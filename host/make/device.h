// device.h - which device builds tables
#ifndef CLTB_MAKE_DEVICE_H
#define CLTB_MAKE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

struct device_choice {
    int number;     // of an OpenCL device, -1: the processor
    bool automatic; // nobody asked for this one: where it fails, the processor does
};

// "auto" (or NULL): a GPU if there is one; "cpu"; or a number as `cltb devices` gives it.
int device_choose(struct device_choice *choice, const char *text);

// Is there such a device, if it was asked for?
int device_check(const struct device_choice *choice);

// The bytes that the device can hold, and that one buffer can have; 0: a processor, or not known.
struct device_limits {
    uint64_t memory;
    uint64_t allocation;
};
struct device_limits device_limits(const struct device_choice *choice);

// CLTB_E_DEVICE: this build has no OpenCL.
int device_without_opencl(int number);

#endif
