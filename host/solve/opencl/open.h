// open.h - backends on OpenCL devices
#ifndef CLTB_SOLVE_OPENCL_OPEN_H
#define CLTB_SOLVE_OPENCL_OPEN_H

#include "solve/backend.h"

// `device` counts all devices of all platforms in the order of opencl_devices().
int backend_opencl_open(struct backend **backend, const struct layout *layout, int device);

// The same for windows of at most `tiles` tiles. The transfers of put() and get() have a queue of their own.
int backend_opencl_open_windows(struct backend **backend, const struct layout *layout, int device, uint64_t tiles);

// A backend without planes, only for bulk->code(). *backend is NULL if the device is a processor: the host codes
// symbols faster.
int backend_opencl_open_coder(struct backend **backend, int device);

// For tests: no buffer may be larger than `max_allocation` bytes, so that planes have several parts; and the opposite
// of read().
int backend_opencl_open_limited(struct backend **backend, const struct layout *layout, int device,
                                uint64_t max_allocation);
int backend_opencl_write(struct backend *backend, struct plane *plane, uint64_t first, uint64_t count,
                         const uint64_t *bits);

#endif
