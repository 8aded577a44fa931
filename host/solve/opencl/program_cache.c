// program_cache.c - built programs as files
//
//     $XDG_CACHE_HOME/cltb/HASH.clbin  (else ~/.cache/cltb/)
//
//     8 bytes "cltbocl1", 8 bytes XXH64 of the binary, the binary
//
//     HASH.log and the like: text
//
// A file gets its name only when it is complete.
#include "solve/opencl/program.h"

#include "util/os.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MAGIC_SIZE = 8, HEADER_SIZE = MAGIC_SIZE + 8, TEXT_SIZE_MAX = 1 << 16, PATH_SIZE = PROGRAM_PATH_SIZE };

#define BINARY_SIZE_MAX ((long)256 << 20) // no driver's binary comes near; a larger file is not ours

static const char magic[MAGIC_SIZE + 1] = "cltbocl1";

// The path of a file in the cache's folder, which is created if necessary; false if that fails. Drivers run what is in
// the files, so the folder must be this user's, and nobody else may write there.
static bool cache_path(uint64_t hash, const char *kind, char *path)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length;
    if (cache != NULL && cache[0] == '/')
        length = snprintf(path, PATH_SIZE, "%s", cache);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, PATH_SIZE, "%s/.cache", home);
    else
        return false;
    if (length < 0 || (size_t)length >= PATH_SIZE - sizeof "/cltb/0123456789abcdef.clbin.XXXXXX") // the longest kind
        return false;
    for (int i = 0; i < 2; i++) {
        if (os_make_folder(path) == 0)
            (void)(chmod(path, S_IRWXU) == 0);
        else if (access(path, F_OK) != 0)
            return false;
        if (i == 0)
            length += snprintf(path + length, PATH_SIZE - (size_t)length, "/cltb");
    }
    if (!os_is_folder(path, true))
        return false;
    snprintf(path + length, PATH_SIZE - (size_t)length, "/%016llx.%s", (unsigned long long)hash, kind);
    return true;
}

unsigned char *program_cache_load(uint64_t hash, size_t *size)
{
    char path[PATH_SIZE];
    unsigned char header[HEADER_SIZE];
    unsigned char *binary = NULL;
    uint64_t sum;
    FILE *file = cache_path(hash, "clbin", path) ? fopen(path, "rb") : NULL;
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

// Writes two pieces, the first of which may be empty, to a file.
static bool store(uint64_t hash, const char *kind, const void *head, size_t head_size, const void *bytes, size_t size)
{
    char path[PATH_SIZE];
    char temporary[PATH_SIZE + 8];
    if (!cache_path(hash, kind, path))
        return false;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0)
        return false;
    FILE *file = fdopen(descriptor, "wb");
    bool good = file != NULL;
    if (good) {
        good = fwrite(head, 1, head_size, file) == head_size && fwrite(bytes, 1, size, file) == size;
        good = fclose(file) == 0 && good;
    } else {
        close(descriptor);
    }
    good = good && os_rename(temporary, path) == 0;
    if (!good)
        unlink(temporary);
    return good;
}

void program_cache_store(uint64_t hash, const unsigned char *binary, size_t size)
{
    unsigned char header[HEADER_SIZE];
    const uint64_t sum = XXH64(binary, size, 0);
    memcpy(header, magic, MAGIC_SIZE);
    memcpy(header + MAGIC_SIZE, &sum, sizeof sum);
    store(hash, "clbin", header, sizeof header, binary, size);
}

bool program_cache_store_text(uint64_t hash, const char *kind, const char *text, size_t length)
{
    return store(hash, kind, "", 0, text, length);
}

char *program_cache_load_text(uint64_t hash, const char *kind)
{
    char path[PATH_SIZE];
    FILE *file = cache_path(hash, kind, path) ? fopen(path, "rb") : NULL;
    char *text = file != NULL ? calloc(1, TEXT_SIZE_MAX + 1) : NULL;
    if (text != NULL && (fread(text, 1, TEXT_SIZE_MAX, file) == 0 || ferror(file))) {
        free(text);
        text = NULL;
    }
    if (file != NULL)
        fclose(file);
    return text;
}

const char *program_cache_path(uint64_t hash, const char *kind, char *path)
{
    return cache_path(hash, kind, path) ? path : NULL;
}
