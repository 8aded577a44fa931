// value_blocks.c - packing blocks of values (value_blocks.h)
#include "table/value_blocks.h"

#include "table/table.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "codes are stored as they stand in memory");

enum { CODES_BYTES = 2 * VALUE_BLOCK };

int value_packer_open(struct value_packer *packer, int workers, int level)
{
    if (workers > packer->workers) {
        struct value_worker *more = realloc(packer->worker, (size_t)workers * sizeof *more);
        if (more == NULL)
            return error_memory((size_t)workers * sizeof *more, "threads");
        packer->worker = more;
    }
    while (packer->workers < workers) {
        struct value_worker *worker = &packer->worker[packer->workers++];
        *worker = (struct value_worker){NULL, malloc(CODES_BYTES), malloc(container_bound(CODES_BYTES))};
        if (worker->code == NULL || worker->packed == NULL)
            return error_memory(CODES_BYTES + container_bound(CODES_BYTES), "compressing a block");
        TRY(container_compressor_open(&worker->compressor, level));
    }
    return 0;
}

void value_packer_close(struct value_packer *packer)
{
    for (int i = 0; i < packer->workers; i++) {
        container_compressor_close(packer->worker[i].compressor);
        free(packer->worker[i].code);
        free(packer->worker[i].packed);
    }
    free(packer->worker);
    *packer = (struct value_packer){0, NULL};
}

// What is no position repeats the code before it, and at the beginning the first code after it.
int value_packer_pack(const struct value_packer *packer, int worker, uint32_t count, struct container_piece *piece)
{
    const struct value_worker *own = &packer->worker[worker];
    uint16_t *code = own->code;
    uint32_t first = 0;
    size_t bytes;
    while (first < count && code[first] == VALUE_ILLEGAL)
        first++;
    uint16_t last = first < count ? code[first] : 0;
    for (uint32_t i = 0; i < count; i++)
        last = code[i] = code[i] == VALUE_ILLEGAL ? last : code[i];
    TRY(container_compress(own->compressor, code, 2 * (size_t)count, own->packed, &bytes));
    void *copy = malloc(bytes);
    if (copy == NULL)
        return error_memory(bytes, "a compressed block");
    memcpy(copy, own->packed, bytes);
    *piece = (struct container_piece){copy, (uint32_t)bytes};
    return 0;
}

bool value_code_fits(unsigned code)
{
    return code == 0 || (code >= 2 && code <= 2 * (TABLE_PLY_MAX + 1) + 1);
}
