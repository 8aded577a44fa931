// device.h - which device builds tables
#ifndef CLTB_MAKE_DEVICE_H
#define CLTB_MAKE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

struct device_choice {
    int number;     // of an OpenCL device, -1: the processor; always -1 in a program without OpenCL
    bool automatic; // the user did not ask for this device: if it fails, the processor is used
};

// "auto" (or NULL): the best GPU if there is one; "gpu": likewise, but nothing else; "cpu"; or a number as `cltb
// devices` gives it. CLTB_E_USAGE, or CLTB_E_DEVICE if there is no GPU or no device of that number.
int device_choose(struct device_choice *choice, const char *text);

// Devices that make tables at the same time: such words with commas between them. One may stand there several times.
enum { DEVICES_MAX = 16 };
struct device_list {
    struct device_choice device[DEVICES_MAX];
    int count;
};
int device_list(struct device_list *list, const char *text);

// What compiling kernels for devices has taken until now, in seconds; 0 in a program without OpenCL.
struct device_times {
    double wall;
    double cpu;
};
struct device_times device_compiling_times(void);

// The bytes that the device can hold, and that one buffer can have; 0: a processor, or not known.
struct device_limits {
    uint64_t memory;
    uint64_t allocation;
};
// Of a list those of the device with the least for one table, if all of the list's tables are as large.
struct device_limits device_limits(const struct device_list *list);

#endif
