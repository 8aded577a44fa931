// devices.h - the OpenCL devices of this machine, numbered over all platforms
//
// This header does not need OpenCL's headers.
#ifndef CLTB_SOLVE_OPENCL_DEVICES_H
#define CLTB_SOLVE_OPENCL_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

enum opencl_device_type { OPENCL_GPU, OPENCL_CPU, OPENCL_ACCELERATOR, OPENCL_OTHER };

struct opencl_device {
    char name[96];
    char platform[96]; // and its version
    char driver[64];   // version
    enum opencl_device_type type;
    uint64_t global_memory;  // bytes
    uint64_t max_allocation; // bytes in one buffer
    uint64_t local_memory;   // bytes in a work-group
    uint32_t compute_units;
    bool unified;    // its memory is the host's: an integrated GPU
    void *device_id; // cl_device_id
};

// Lists all devices of all platforms, platform by platform; the caller frees the list. A machine without platforms or
// devices is not an error: *count is 0.
int opencl_devices(struct opencl_device **devices, int *count);

// Gives one of them. CLTB_E_DEVICE with a sentence that says how many there are if there is no such number.
int opencl_device_get(struct opencl_device *device, int number);

// The number of the best GPU of a list or of this machine, or -1: one with memory of its own before one without, then
// the one with more compute units, then with more memory, then the first.
int opencl_best_gpu_of(const struct opencl_device *devices, int count);
int opencl_best_gpu(void);

// Compiling kernels for a device, at its first use, may take a minute. `told` is called before each compilation (NULL:
// not). Must not be called while another thread uses a device.
void opencl_on_compiling(void (*told)(void *context, const struct opencl_device *device), void *context);

// Wall and processor time that this process has spent compiling so far.
struct opencl_times {
    double wall; // seconds
    double cpu;  //
};
struct opencl_times opencl_compiling_times(void);

const char *opencl_device_type_name(enum opencl_device_type type);

// Measures how fast the device copies within its own memory, in bytes read and written per second.
int opencl_copy_rate(int number, double *bytes_per_second);

#endif
