// device.h - which device builds tables
#ifndef CLTB_MAKE_DEVICE_H
#define CLTB_MAKE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

struct backend;
struct layout;

struct device_choice {
    int number;     // of an OpenCL device, or -1 for the processor; always -1 in a program without OpenCL
    bool automatic; // the user did not ask for this device: if it fails, the processor is used
};

// "auto" (or NULL): the best GPU if there is one; "gpu": the best GPU and nothing else; "cpu"; or a number as `cltb
// devices` prints it. CLTB_E_USAGE, or CLTB_E_DEVICE if there is no GPU or no device with that number.
int device_choose(struct device_choice *choice, const char *text);

// Opens a backend on an OpenCL device, with `tiles` for windows of at most so many tiles, otherwise for whole planes.
int device_open(struct backend **backend, const struct layout *layout, int number, uint64_t tiles);

// Opens it only for coding blocks; *backend is NULL if that gains nothing.
int device_open_coder(struct backend **backend, int number);

// The least bytes of a batch of slices, in one plane, for which a device is quicker than so many threads.
int device_least_batch(uint64_t *bytes, int number, int threads);

// Devices that make tables at the same time: such words, separated by commas. A device may be named more than once.
enum { DEVICES_MAX = 16 };
struct device_list {
    struct device_choice device[DEVICES_MAX];
    int count;
};
int device_list(struct device_list *list, const char *text);

// The time that compiling kernels for devices has taken so far, in seconds; 0 in a program without OpenCL.
struct device_times {
    double wall;
    double cpu;
};
struct device_times device_compiling_times(void);

// The bytes that the device can hold, and the largest size of a buffer; 0: a processor, or unknown.
struct device_limits {
    uint64_t memory; // 0: the processor's
    uint64_t allocation;
    bool opencl; // Is there an OpenCL device, even if that is the processor?
};

// The smallest limits of the devices in a list. A device that is named more than once divides its memory.
struct device_limits device_limits(const struct device_list *list);

#endif
