// program.h - kernels from the built-in texts: includes expanded, built for a device, binaries kept in a cache
//
// A built program is kept in $XDG_CACHE_HOME/cltb or ~/.cache/cltb, in a file named by a hash of the device, its driver
// and platform, the options and the whole text. A file that is damaged or that the driver refuses is rebuilt; a folder
// that cannot be written is not an error. Every build, failed ones included, leaves the compiler's whole log in
// HASH.log, with the device, its driver and the options.
#ifndef CLTB_SOLVE_OPENCL_PROGRAM_H
#define CLTB_SOLVE_OPENCL_PROGRAM_H

#include "solve/opencl/devices.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Builds the named texts of kernels/ (the list ends with NULL) as one program with these compiler options.
int opencl_program(cl_program *program, cl_context context, const struct opencl_device *device,
                   const char *const *names, const char *options);

// The texts, with each file of kernels/ that they include in place of its first #include; the caller frees the result.
// CLTB_E_DEVICE if a name is not built in.
int opencl_program_text(char **text, const char *const *names);

// The kept binary of this hash, which the caller frees; NULL if there is none, or it is damaged.
unsigned char *program_cache_load(uint64_t hash, size_t *size);

// Keeps a binary. A failure only means that it is not kept.
void program_cache_store(uint64_t hash, const unsigned char *binary, size_t size);

// Other files of the cache, by hash and kind ("log", "tuned"), are text. False: it could not be stored. The loaded
// text, at most its first 64 KiB, is freed by the caller; NULL if there is none.
bool program_cache_store_text(uint64_t hash, const char *kind, const char *text, size_t length);
char *program_cache_load_text(uint64_t hash, const char *kind);

// The path of such a file, in path[PROGRAM_PATH_SIZE], or NULL if the cache cannot be used.
enum { PROGRAM_PATH_SIZE = 1024 };
const char *program_cache_path(uint64_t hash, const char *kind, char *path);

#endif
