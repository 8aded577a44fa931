// table_slabs.c - the slabs of structures that tables cover
#include "structures/table_slabs.h"

#include "solve/slice_masks.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEPT_BYTES = 64 << 20, // of slabs that are kept, and of decompressed sections,
    LIMIT_PARTS = 16       // or one of so many parts of the memory, if that is less
};

size_t table_slabs_kept(uint64_t allowed)
{
    const uint64_t part = allowed / LIMIT_PARTS;
    return part > 0 && part < KEPT_BYTES ? (size_t)part : KEPT_BYTES;
}

// Does `side` have a runner, that is, a fixed man that is not a pawn?
static bool has_runner(const struct slab_shape *shape, int side)
{
    bool has = false;
    for (int i = 0; i < shape->fixed; i++)
        has |= shape->fixed_colour[i] == side && shape->fixed_type[i] != PAWN;
    return has;
}

// ---- rules by which fixed pieces move as in chess ----

// The captures by fixed pieces are needed. Their quiet moves are listed as hops, which are not used.

static enum slice_worth worth_of(void *context, const struct slice_question *question)
{
    (void)context;
    return question->captured != KING ? WORTH_SLAB : WORTH_OWN;
}

static uint32_t slice_of(void *context, uint32_t slice, const uint8_t *square)
{
    (void)context;
    (void)square;
    return slice;
}

static const struct slice_rules rules = {.worth = worth_of, .slice_of = slice_of};

// Never gives a complete slab. If the side to move has a runner, this asks for the slabs that captures lead to, so that
// they are made before the slab itself.
static int find(void *context, const struct slab_shape *shape, const uint8_t *square, int side,
                const struct slab **slab)
{
    const struct table_slabs *slabs = context;
    *slab = NULL;
    if (!has_runner(shape, side))
        return 0;
    uint8_t squares[1][FIXED_MAX] = {{0}};
    struct slice_batch batch = {.shape = *shape,
                                .slices = 1,
                                .square = (const uint8_t(*)[FIXED_MAX])squares,
                                .slabs = slabs->slabs,
                                .rules = &rules};
    memcpy(squares[0], square, (size_t)shape->fixed);
    const int code = slice_batch_list(&batch, side);
    slice_batch_free(&batch);
    return code;
}

// Reads what the captures of the side to move decide, as words for all slabs of the batch. words[i] stays NULL if there
// is no such plane.
static int read_verdict(struct slice_batch *batch, int side, size_t bytes, uint64_t *words[VERDICT_PLANES])
{
    struct backend *backend = batch->backend;
    struct plane *verdict[VERDICT_PLANES];
    slice_batch_zeroing(batch);
    TRY(capture_verdict_find(backend, &batch->zeroing, side, NULL, verdict));
    int code = slice_batch_attacks(batch, verdict[VERDICT_ILLEGAL], side);
    for (int i = 0; code == 0 && i < VERDICT_PLANES; i++) {
        if (verdict[i] == NULL)
            continue;
        words[i] = memory_take(threads_memory(batch->pool), bytes, NULL);
        code = words[i] == NULL ? error_memory(bytes, "slabs")
                                : slice_read(backend, verdict[i], 0, batch->slices, words[i]);
    }
    capture_verdict_free(backend, verdict);
    return code;
}

static void resolve(const struct stored_slab *stored, uint64_t *const words[VERDICT_PLANES], size_t at, size_t count)
{
    uint64_t *bits[VERDICT_PLANES];
    const struct outcome_words outcome = {
        .won = stored->won, .lost = stored->lost, .won_ever = stored->cursed_won, .lost_ever = stored->blessed_lost};
    for (int i = 0; i < VERDICT_PLANES; i++)
        bits[i] = words[i] != NULL ? words[i] + at : i >= 2 ? bits[i - 2] : NULL;
    outcomes_resolve(&outcome, bits, count);
}

// Completes stored outcomes with all captures, including those by fixed pieces. Illegal entries become wins.
static int resolve_all(struct slabs *slabs, const struct slab_shape *shape, int side, const struct stored_slab *stored,
                       size_t count)
{
    const size_t each = slab_words(shape->pieces);
    const size_t bytes = count * each * sizeof(uint64_t);
    uint64_t *words[VERDICT_PLANES] = {NULL};
    uint8_t(*square)[FIXED_MAX];
    struct layout layout;
    TRY(memory_new(&square, count, sizeof *square, "slabs"));
    for (size_t i = 0; i < count; i++)
        memcpy(square[i], stored[i].square, (size_t)shape->fixed);
    struct slice_batch batch = {.shape = *shape,
                                .slices = count,
                                .square = (const uint8_t(*)[FIXED_MAX])square,
                                .slabs = slabs,
                                .rules = &rules,
                                .pool = slabs->pool};
    int code = slice_batch_list(&batch, side);
    THEN(code, slice_batch_layout(&batch, &layout));
    THEN(code, backend_cpu_open(&batch.backend, &layout, slabs->pool, slabs->isa));
    THEN(code, read_verdict(&batch, side, bytes, words));
    for (size_t i = 0; code == 0 && i < count; i++)
        resolve(&stored[i], words, i * each, each);
    for (int i = 0; i < VERDICT_PLANES; i++)
        memory_give(threads_memory(slabs->pool), words[i], bytes);
    slice_batch_free(&batch);
    free(square);
    return code;
}

// ---- the source of slabs ----

static int look(void *context, const struct material *material, bool *cursed)
{
    const struct table_slabs *slabs = context;
    return slabs->tables.look(slabs->tables.context, material, cursed);
}

static int load(void *context, const struct slab_shape *shape, int side, struct stored_slab *stored, size_t count)
{
    struct table_slabs *slabs = context;
    slabs->entries += count * slab_words(shape->pieces) * 64;
    TRY(slabs->tables.load(slabs->tables.context, shape, side, stored, count));
    return has_runner(shape, side) ? resolve_all(slabs->slabs, shape, side, stored, count) : 0;
}

// Always true, because load() has already counted the captures by fixed men.
static bool counts_runners(void *context, const struct slab_shape *shape)
{
    (void)context;
    (void)shape;
    return true;
}

int table_slabs_open(struct table_slabs *slabs, const char *folders, struct paged *paged, struct thread_pool *pool,
                     const char *isa, size_t kept)
{
    *slabs = (struct table_slabs){.stored = {.folders = folders, .pool = pool, .cache_bytes = kept}, .kept = kept};
    slabs->tables = stored_slabs_source(&slabs->stored);
    slabs->source =
        (struct slab_source){.context = slabs, .look = look, .load = load, .find = find, .bounds = counts_runners};
    return slabs_open(&slabs->slabs, &slabs->source, paged, pool, isa);
}

void table_slabs_close(struct table_slabs *slabs)
{
    slabs_close(slabs->slabs);
    slabs->slabs = NULL;
    stored_slabs_close(&slabs->stored);
}

int table_slabs_want(struct table_slabs *slabs, const struct slab_shape *shape, const uint8_t *square, int side,
                     const struct slab **slab)
{
    return slabs_want(slabs->slabs, shape, square, side, slab);
}

int table_slabs_make(struct table_slabs *slabs)
{
    return slabs_make(slabs->slabs);
}

void table_slabs_trim(struct table_slabs *slabs)
{
    slabs_trim(slabs->slabs, slabs->kept);
}
