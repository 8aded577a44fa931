// device_symbols.c - sections that a device makes
//
// A symbol depends on nothing but the bits of its entry in the planes, its code. So the device gets the symbol of each
// code. The functions that make symbols on the processor find these from planes in which entry i has the code i: so the
// rules are in one place only.
#include "table/write/device_symbols.h"

#include "solve/backend_bulk.h"
#include "table/write/device_code.h"
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORDS = BACKEND_CODES / 64,
    RESOLVED = BACKEND_CODES / 2,
    COPY_BYTES = 256 << 10, // in an item of the pool
    COPY_UNIT = 64          // entries
};

struct meaning {
    uint64_t bits[BACKEND_CODE_BITS][WORDS]; // entry i has the code i
    uint8_t bytes[BACKEND_CODES];
    uint16_t symbol[BACKEND_CODES];
    uint16_t coded[BACKEND_CODES]; // as a coder wants symbols
    uint8_t outcome[BACKEND_CODES];
};

static struct slice_side all_codes(struct meaning *meaning)
{
    struct slice_side planes = {.won = meaning->bits[DISTANCE_PLANES_MAX],
                                .resolved = meaning->bits[DISTANCE_PLANES_MAX + 1]};
    for (unsigned bit = 0; bit < BACKEND_CODE_BITS; bit++) {
        for (unsigned code = 0; code < BACKEND_CODES; code++)
            meaning->bits[bit][code / 64] |= (uint64_t)(code >> bit & 1) << code % 64;
        if (bit < DISTANCE_PLANES_MAX)
            planes.distance[bit] = meaning->bits[bit];
    }
    return planes;
}

static void find_meaning(struct meaning *meaning, const struct code_book *book, const struct section_target *target,
                         bool distances)
{
    const struct symbol_kernels *kernels = symbol_kernels_choose(NULL);
    const struct slice_side planes = all_codes(meaning);
    uint64_t counts[TABLE_OUTCOMES] = {0};
    word_outcomes(kernels, &planes, book, 0, WORDS, meaning->outcome, counts);
    if (distances && target->bytes == 2) {
        word_distances(kernels, &planes, book, 0, WORDS, 2, meaning->symbol);
        return;
    }
    if (distances)
        word_distances(kernels, &planes, book, 0, WORDS, 1, meaning->bytes);
    for (int code = 0; code < BACKEND_CODES; code++)
        meaning->symbol[code] = distances ? meaning->bytes[code] : meaning->outcome[code];
}

struct copy {
    char *to;
    const char *from;
    size_t bytes;
};

static int copy_item(void *context, uint64_t item, int worker)
{
    const struct copy *copy = context;
    const size_t first = (size_t)item * COPY_BYTES;
    const size_t left = copy->bytes - first;
    (void)worker;
    memcpy(copy->to + first, copy->from + first, left < COPY_BYTES ? left : COPY_BYTES);
    return 0;
}

static int copy_symbols(void *context, uint64_t first, uint64_t count, void *symbols, struct thread_pool *pool)
{
    const struct section_target *target = context;
    struct copy copy = {(char *)target->symbols + first * target->bytes, symbols, (size_t)count * target->bytes};
    return threads_each(pool, (copy.bytes + COPY_BYTES - 1) / COPY_BYTES, copy_item, &copy);
}

static int make(const struct tile_source *source, const struct section_request *request, bool distances, unsigned king,
                struct thread_pool *pool, bool *made)
{
    const struct section_target target = distances ? request->distance : request->outcome;
    struct symbols_coder coder = {.table = NULL};
    struct code_book *book = calloc(1, sizeof *book);
    struct meaning *meaning = calloc(1, sizeof *meaning);
    int code = 0;
    if (book == NULL || meaning == NULL) {
        code = error_memory(sizeof *book + sizeof *meaning, "writing a table");
    } else {
        // Without the bit of `resolved`, which is the last one, outcomes are the true ones.
        struct symbols_request wanted = {.king = king,
                                         .order = target.order,
                                         .bytes = target.bytes,
                                         .symbol = meaning->symbol,
                                         .outcome = meaning->outcome,
                                         .take = target.take != NULL ? target.take : copy_symbols,
                                         .take_context =
                                             target.take != NULL ? target.take_context : (void *)(uintptr_t)&target,
                                         .unit = target.take != NULL ? UINT64_C(1) << target.block_bits : COPY_UNIT,
                                         .counts = distances ? NULL : request->counts,
                                         .coder = target.model != NULL ? &coder : NULL,
                                         .coded_symbol = meaning->coded};
        code_book_make(book, source->value[request->side], request->first_free,
                       (enum metric)source->layout->material.metric);
        find_meaning(meaning, book, &target, distances);
        if (target.model != NULL) { // the device codes the blocks, too
            code = coder_make(&coder, target.model);
            coder.side = request->side;
            coder.take = target.take_coded;
            coder.take_context = target.take_context;
            for (int i = 0; i < BACKEND_CODES; i++)
                meaning->coded[i] = (uint16_t)coder_symbol(target.model, meaning->symbol[i]);
        }
        THEN(code, source->symbols(source->context, request->side, &wanted, pool, made));
    }
    coder_free(&coder);
    free(book);
    free(meaning);
    return code;
}

int device_symbols(const struct tile_source *source, const struct section_request *request, unsigned king,
                   struct thread_pool *pool, bool *made)
{
    const struct section_target *targets[] = {&request->outcome, &request->distance};
    *made = false;
    if (source->symbols == NULL)
        return 0;
    for (int i = 0; i < 2; i++) {
        if (targets[i]->order != NULL && targets[i]->slot != NULL)
            return 0;
    }
    // If only one stream could be made, it is made again by the host, except for its counts, which come last.
    for (int i = 1; i >= 0; i--) {
        if (targets[i]->order != NULL)
            TRY(make(source, request, i == 1, king, pool, made));
        if (targets[i]->order != NULL && !*made)
            return 0;
    }
    return 0;
}
