// program_cache.c - built programs as files
//
//     $XDG_CACHE_HOME/cltb/HASH.clbin  (else ~/.cache/cltb/)
//
//     8 bytes "cltbocl1", 8 bytes XXH64 of the binary, the binary
//
// A file gets its name only when it is complete.
#include "solve/opencl/program.h"

#include "util/os.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { PATH_SIZE = 1024, MAGIC_SIZE = 8, HEADER_SIZE = MAGIC_SIZE + 8 };

#define BINARY_SIZE_MAX ((long)256 << 20) // no driver's binary comes near; a larger file is not ours

static const char magic[MAGIC_SIZE + 1] = "cltbocl1";

// The path of a binary in the cache's folder, which is made if it does not exist; false if that fails.
static bool cache_path(uint64_t hash, char *path)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    struct stat info;
    int length;
    if (cache != NULL && cache[0] == '/')
        length = snprintf(path, PATH_SIZE, "%s", cache);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, PATH_SIZE, "%s/.cache", home);
    else
        return false;
    if (length < 0 || (size_t)length >= PATH_SIZE - sizeof "/cltb/0123456789abcdef.clbin.XXXXXX")
        return false;
    for (int i = 0; i < 2; i++) {
        if (os_make_folder(path) != 0 && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)))
            return false;
        if (i == 0)
            length += snprintf(path + length, PATH_SIZE - (size_t)length, "/cltb");
    }
    snprintf(path + length, PATH_SIZE - (size_t)length, "/%016llx.clbin", (unsigned long long)hash);
    return true;
}

unsigned char *program_cache_load(uint64_t hash, size_t *size)
{
    char path[PATH_SIZE];
    unsigned char header[HEADER_SIZE];
    unsigned char *binary = NULL;
    uint64_t sum;
    FILE *file = cache_path(hash, path) ? fopen(path, "rb") : NULL;
    if (file == NULL)
        return NULL;
    const long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end > HEADER_SIZE && end <= BINARY_SIZE_MAX && fseek(file, 0, SEEK_SET) == 0 &&
        fread(header, 1, HEADER_SIZE, file) == HEADER_SIZE && memcmp(header, magic, MAGIC_SIZE) == 0) {
        memcpy(&sum, header + MAGIC_SIZE, sizeof sum);
        *size = (size_t)end - HEADER_SIZE;
        binary = malloc(*size);
    }
    if (binary != NULL && (fread(binary, 1, *size, file) != *size || XXH64(binary, *size, 0) != sum)) {
        free(binary);
        binary = NULL;
    }
    fclose(file);
    return binary;
}

void program_cache_store(uint64_t hash, const unsigned char *binary, size_t size)
{
    char path[PATH_SIZE];
    char temporary[PATH_SIZE + 8];
    if (!cache_path(hash, path))
        return;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0)
        return;
    FILE *file = fdopen(descriptor, "wb");
    bool good = file != NULL;
    if (good) {
        const uint64_t sum = XXH64(binary, size, 0);
        good = fwrite(magic, 1, MAGIC_SIZE, file) == MAGIC_SIZE && fwrite(&sum, sizeof sum, 1, file) == 1 &&
               fwrite(binary, 1, size, file) == size;
        good = fclose(file) == 0 && good;
    } else {
        close(descriptor);
    }
    if (!good || os_rename(temporary, path) != 0)
        unlink(temporary);
}
