// pair.c - the two files of a table: NAME.rtbw and NAME.rtbz
#include "syzygy/pair.h"

#include "syzygy/checksum.h"
#include "util/error.h"
#include "util/file.h"
#include "util/folders.h"
#include "util/memory.h"
#include "util/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, LEAST = ALIGN + SYZYGY_CHECKSUM_BYTES };

// The checksum of the first `bytes` of a file.
static int sum_file(int file, const char *path, uint64_t bytes, uint8_t sum[SYZYGY_CHECKSUM_BYTES])
{
    const size_t chunks = (size_t)((bytes + SYZYGY_CHUNK - 1) / SYZYGY_CHUNK);
    uint8_t *chunk;
    uint8_t(*digest)[32] = NULL;
    int code = memory_new(&chunk, SYZYGY_CHUNK, 1, "a checksum");
    THEN(code, memory_new(&digest, chunks, sizeof *digest, "a checksum"));
    for (size_t i = 0; code == 0 && i < chunks; i++) {
        const uint64_t left = bytes - i * SYZYGY_CHUNK;
        const size_t count = left < SYZYGY_CHUNK ? (size_t)left : SYZYGY_CHUNK;
        code = file_read(file, path, chunk, count, i * SYZYGY_CHUNK, NULL);
        if (code == 0)
            syzygy_chunk_digest(chunk, count, digest[i]);
    }
    if (code == 0)
        syzygy_checksum(digest[0], chunks, sum);
    free(chunk);
    free(digest);
    return code;
}

int syzygy_file_check(const char *path, uint64_t *bytes)
{
    struct stat status;
    uint8_t sum[SYZYGY_CHECKSUM_BYTES];
    uint8_t stored[SYZYGY_CHECKSUM_BYTES];
    const int file = os_open(path, O_RDONLY | O_NONBLOCK);
    if (file < 0 && errno == ENOENT)
        return error_set(CLTB_E_MISSING, "there is no %s", path);
    if (file < 0 || fstat(file, &status) != 0) {
        if (file >= 0)
            close(file);
        return error_errno(CLTB_E_IO, errno, "cannot read %s", path);
    }
    const uint64_t size = (uint64_t)status.st_size;
    int code = 0;
    if (!S_ISREG(status.st_mode) || size < LEAST || size % ALIGN != SYZYGY_CHECKSUM_BYTES)
        code = error_set(CLTB_E_CORRUPT, "%s is not a whole Syzygy file", path);
    THEN(code, sum_file(file, path, size - sizeof sum, sum));
    THEN(code, file_read(file, path, stored, sizeof stored, size - sizeof sum, NULL));
    if (code == 0 && memcmp(sum, stored, sizeof sum) != 0)
        code = error_set(CLTB_E_CORRUPT, "%s is damaged: its checksum is wrong", path);
    close(file);
    *bytes += size;
    return code;
}

int syzygy_pair_check(const char *folder, const char *name, bool wdl, uint64_t *bytes)
{
    char path[PATH_MAX];
    *bytes = 0;
    TRY(folder_path(path, sizeof path, folder, "%s.rtbw", name));
    TRY(syzygy_file_check(path, bytes));
    if (wdl)
        return 0;
    TRY(folder_path(path, sizeof path, folder, "%s.rtbz", name));
    return syzygy_file_check(path, bytes);
}
