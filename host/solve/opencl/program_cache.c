// program_cache.c - built programs as files
//
//     $XDG_CACHE_HOME/cltb/HASH.clbin  (else ~/.cache/cltb/)      8 bytes "cltbocl1", 8 bytes XXH64 of the binary, the
//     binary
//
// A file appears under its name only when it is whole.
#include "solve/opencl/program_cache.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { PATH_SIZE = 1024, MAGIC_SIZE = 8, HEADER_SIZE = MAGIC_SIZE + 8 };

#define BINARY_SIZE_MAX ((long)256 << 20) // no driver's binary comes near; a larger file is not ours

static const char magic[MAGIC_SIZE + 1] = "cltbocl1";

static bool make_folder(const char *path)
{
    struct stat info;
    return mkdir(path, 0777) == 0 || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

// The cache's folder, made if it is not there; false if that cannot be.
static bool cache_folder(char *path)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char parent[PATH_SIZE];
    int length;
    if (cache != NULL && cache[0] == '/')
        length = snprintf(parent, sizeof parent, "%s", cache);
    else if (home != NULL && home[0] == '/')
        length = snprintf(parent, sizeof parent, "%s/.cache", home);
    else
        return false;
    if (length < 0 || (size_t)length >= PATH_SIZE - sizeof "/cltb")
        return false;
    snprintf(path, PATH_SIZE, "%s/cltb", parent);
    return make_folder(parent) && make_folder(path);
}

static bool cache_path(uint64_t hash, char *path)
{
    char folder[PATH_SIZE];
    if (!cache_folder(folder))
        return false;
    const int length = snprintf(path, PATH_SIZE, "%s/%016llx.clbin", folder, (unsigned long long)hash);
    return length > 0 && length < PATH_SIZE - (int)sizeof ".XXXXXX";
}

// Reads the binary behind a header that fits it.
static unsigned char *read_binary(FILE *file, size_t *size)
{
    unsigned char header[HEADER_SIZE];
    uint64_t sum;
    if (fseek(file, 0, SEEK_END) != 0)
        return NULL;
    const long end = ftell(file);
    if (end <= HEADER_SIZE || end > BINARY_SIZE_MAX || fseek(file, 0, SEEK_SET) != 0)
        return NULL;
    if (fread(header, 1, HEADER_SIZE, file) != HEADER_SIZE || memcmp(header, magic, MAGIC_SIZE) != 0)
        return NULL;
    memcpy(&sum, header + MAGIC_SIZE, sizeof sum);
    *size = (size_t)end - HEADER_SIZE;
    unsigned char *binary = malloc(*size);
    if (binary == NULL)
        return NULL;
    if (fread(binary, 1, *size, file) != *size || XXH64(binary, *size, 0) != sum) {
        free(binary);
        return NULL;
    }
    return binary;
}

unsigned char *program_cache_load(uint64_t hash, size_t *size)
{
    char path[PATH_SIZE];
    if (!cache_path(hash, path))
        return NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    unsigned char *binary = read_binary(file, size);
    fclose(file);
    return binary;
}

static bool write_binary(int descriptor, const unsigned char *binary, size_t size)
{
    FILE *file = fdopen(descriptor, "wb");
    if (file == NULL) {
        close(descriptor);
        return false;
    }
    const uint64_t sum = XXH64(binary, size, 0);
    bool good = fwrite(magic, 1, MAGIC_SIZE, file) == MAGIC_SIZE && fwrite(&sum, sizeof sum, 1, file) == 1 &&
                fwrite(binary, 1, size, file) == size;
    return fclose(file) == 0 && good;
}

void program_cache_store(uint64_t hash, const unsigned char *binary, size_t size)
{
    char path[PATH_SIZE];
    char temporary[PATH_SIZE];
    if (!cache_path(hash, path))
        return;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0)
        return;
    if (!write_binary(descriptor, binary, size) || rename(temporary, path) != 0)
        unlink(temporary);
}
