// opencl_access.h - what tests need beside the interface: a device with little room, and writing planes
#ifndef CLTB_SOLVE_OPENCL_OPENCL_ACCESS_H
#define CLTB_SOLVE_OPENCL_OPENCL_ACCESS_H

#include "solve/backend.h"

// backend_opencl_open() on a device that is taken to allow no buffer larger than `max_allocation` bytes, so that planes
// have several parts.
int backend_opencl_open_limited(struct backend **backend, const struct layout *layout, int device,
                                uint64_t max_allocation);

// The reverse of read(): sets the bits of tiles first..first+count-1.
int backend_opencl_write(struct backend *backend, struct plane *plane, uint64_t first, uint64_t count,
                         const uint64_t *bits);

#endif
