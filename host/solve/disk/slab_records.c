// slab_records.c - solved slabs in the records of a journal
#include "solve/disk/slab_records.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <zstd.h>

enum { JOURNAL_LEVEL = 1 }; // of zstd

int solved_slabs_write(const struct solved_slabs *slabs, struct journal *journal, size_t words,
                       struct solved_slabs_front *front)
{
    const size_t bytes = words * sizeof(uint64_t);
    const size_t room = ZSTD_compressBound(bytes);
    void *packed;
    *front = (struct solved_slabs_front){.cursed = {slabs->cursed[WHITE], slabs->cursed[BLACK]}};
    TRY(memory_new(&packed, room, 1, "a work file"));
    int code = 0;
    for (int i = 0; code == 0 && i < COLOURS * SLAB_PLANES; i++) {
        const int side = i / SLAB_PLANES;
        const int plane = i % SLAB_PLANES;
        struct paged_array *array = slabs->array[side][plane];
        const void *start;
        if (array == NULL || solved_slabs_twice(slabs, side, plane))
            continue;
        code = paged_get(array, &start);
        if (code != 0)
            break;
        const size_t size = ZSTD_compress(packed, room, start, bytes, JOURNAL_LEVEL);
        paged_put(array);
        code = ZSTD_isError(size) ? error_memory(bytes, "a work file") : journal_write(journal, packed, size);
        front->bytes[side][plane] = size;
    }
    free(packed);
    return code;
}

static int read_plane(void *to, size_t size, const struct journal *journal, uint64_t at, uint64_t bytes)
{
    void *packed;
    if (bytes > ZSTD_compressBound(size))
        return error_set(CLTB_E_CORRUPT, "%s: a record is not valid", journal->path);
    TRY(memory_new(&packed, bytes, 1, "a work file"));
    int code = journal_read(journal, at, packed, bytes);
    if (code == 0 && ZSTD_decompress(to, size, packed, bytes) != size)
        code = error_set(CLTB_E_CORRUPT, "%s: a record is not valid", journal->path);
    free(packed);
    return code;
}

int solved_slabs_read(struct solved_slabs *slabs, struct paged *paged, const struct journal *journal, uint64_t at,
                      size_t words, const struct solved_slabs_front *front)
{
    for (int i = 0; i < COLOURS * SLAB_PLANES; i++) {
        const int side = i / SLAB_PLANES;
        const int plane = i % SLAB_PLANES;
        const uint64_t bytes = front->bytes[side][plane];
        uint64_t *start;
        slabs->cursed[side] = front->cursed[side] != 0;
        if (bytes == 0 && (plane == SLAB_ILLEGAL || plane == SLAB_WON || plane == SLAB_LOST))
            return error_set(CLTB_E_CORRUPT, "%s: a record is not valid", journal->path);
        if (bytes == 0)
            continue;
        TRY(solved_slabs_new(slabs, paged, side, (enum slab_plane)plane, words, &start));
        TRY(read_plane(start, words * sizeof *start, journal, at, bytes));
        at += bytes;
    }
    solved_slabs_share(slabs);
    return 0;
}
