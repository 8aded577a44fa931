// slab_make.c - makes the slabs that are wanted, from stored tables
//
// The wanted slabs of a family are made together, a batch at a time:
//
// 1. List the captures of the side to move. They want slabs of other families with one man less, which are made first:
//    down to bare kings.
// 2. Load the stored outcomes: of the batch if there is a memory limit, otherwise of all batches with the first one,
//    because each slab may need all sections of a file.
// 3. Find the worth of the captures, with a batch of slices on the CPU backend, and complete the outcomes with it
//    (outcomes_resolve()).
//
// With distances to mate all values of legal positions are stored, so nothing is completed: step 1 is left out, and
// step 3 finds the illegal entries alone.
//
// After a promotion the new piece is a fixed man, because it stands on one square. If the other side then takes a man,
// the promoted man's side is to move, and its captures by the fixed piece count as well: the stored outcome need not be
// the true one if a capture resolves the position.
//
// Each batch costs five operations of a backend.
#include "solve/slice_masks.h"
#include "solve/zeroing.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 4 << 20, // of a plane
    LIMIT_PARTS = 64,      // or this part of a memory limit, if that is less
    RESOLVE_WORDS = 1 << 12
};

static int make_family(struct slabs *slabs, struct slab_family *family);

// The slabs of a family that make a batch.
static size_t batch_slabs(const struct slabs *slabs, const struct slab_family *family)
{
    const size_t allowed = paged_limit(slabs->paged) / LIMIT_PARTS;
    const size_t bytes = allowed > 0 && allowed < BATCH_BYTES ? allowed : BATCH_BYTES;
    const size_t most = bytes / (slab_words(family->shape.pieces) * sizeof(uint64_t));
    return most > 1 ? most : 1;
}

static int make_pending(struct slabs *slabs, int men)
{
    for (struct slab_family *family = slabs->families; family != NULL;) {
        if (family->pending == NULL || family->shape.pieces + family->shape.fixed > men) {
            family = family->next;
            continue;
        }
        TRY(make_family(slabs, family));
        family = slabs->families; // there may be more now
    }
    return 0;
}

int slabs_make(struct slabs *slabs)
{
    const int code = make_pending(slabs, MEN_PER_SIDE_MAX * COLOURS); // more than a table can have
    slabs->pending = 0;
    return code;
}

// ---- captures by fixed pieces ----

// Rules by which fixed pieces move as in chess. Their captures are needed; their quiet moves are listed as hops, which
// are not used.

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

static const struct slice_rules fixed_pieces = {.worth = worth_of, .slice_of = slice_of};

// Does the side to move have a fixed man other than a pawn, whose captures count?
static bool has_runner(const struct slab_family *family, const struct slab_source *source)
{
    bool has = false;
    for (int i = 0; i < family->shape.fixed; i++)
        has |= family->shape.fixed_colour[i] == family->side && family->shape.fixed_type[i] != PAWN;
    return has && !source->bounds;
}

// ---- from stored outcomes to the true ones ----

// Slabs of a family that are made together.
struct making {
    struct slabs *slabs;
    struct slab_family *family;
    struct slab_entry **entry;       // [count]
    uint64_t *(*plane)[SLAB_PLANES]; // [count] of each slab
    size_t count;
    size_t words; // in a slab
    uint8_t (*square)[FIXED_MAX];
    struct slice_batch batch;
    uint64_t *verdict[VERDICT_PLANES]; // [count * words]
};

static int making_new(struct making *making)
{
    making->words = slab_words(making->family->shape.pieces);
    making->square = calloc(making->count, sizeof *making->square);
    making->plane = calloc(making->count, sizeof *making->plane);
    if (making->square == NULL || making->plane == NULL)
        return error_memory(making->count * sizeof *making->plane, "slabs");
    for (size_t i = 0; i < making->count; i++)
        memcpy(making->square[i], making->entry[i]->square, FIXED_MAX);
    return 0;
}

// Does step 1, and opens the backend for step 3.
static int list_captures(struct making *making)
{
    const struct slab_shape *shape = &making->family->shape;
    struct slice_batch *batch = &making->batch;
    struct layout layout;
    *batch = (struct slice_batch){.shape = *shape,
                                  .slices = making->count,
                                  .square = (const uint8_t(*)[FIXED_MAX])making->square,
                                  .slabs = making->slabs,
                                  .pool = making->slabs->pool};
    if (!making->family->legal && making->slabs->source->longest == NULL) {
        batch->rules = has_runner(making->family, making->slabs->source) ? &fixed_pieces : NULL;
        TRY(slice_batch_list(batch, making->family->side));
        TRY(make_pending(making->slabs, shape->pieces + shape->fixed - 1));
        if (making->slabs->source->complete != NULL)
            TRY(making->slabs->source->complete(making->slabs->source->context));
    }
    TRY(slice_batch_layout(batch, &layout));
    return backend_cpu_open(&batch->backend, &layout, making->slabs->pool, making->slabs->isa);
}

// Does step 2.
static int load_stored(const struct making *making)
{
    struct slab_family *family = making->family;
    const struct slab_source *source = making->slabs->source;
    const struct material material = slab_material(&family->shape);
    const bool bare = material_men(&material) == 2;
    if (!family->known && !bare && source->look != NULL)
        TRY(source->look(source->context, &material, &family->cursed));
    family->known = true;
    struct stored_slab *stored;
    TRY(memory_new(&stored, making->count, sizeof *stored, "slabs"));
    int code = 0;
    for (size_t i = 0; code == 0 && i < making->count; i++) {
        uint64_t **plane = making->plane[i];
        code = slab_entry_open(making->slabs, making->entry[i], family->cursed, plane);
        stored[i] = (struct stored_slab){.square = making->square[i],
                                         .won = plane[SLAB_WON],
                                         .lost = plane[SLAB_LOST],
                                         .cursed_won = plane[SLAB_WON_EVER],
                                         .blessed_lost = plane[SLAB_LOST_EVER]};
        memcpy(stored[i].code, plane + SLAB_CODE, sizeof stored[i].code);
    }
    if (code == 0 && !bare)
        code = source->load(source->context, &family->shape, family->side, stored, making->count);
    free(stored);
    return code;
}

// Does step 3: makes the verdict as slabs. Each plane's memory is given back before the next plane is read.
static int judge_captures(struct making *making)
{
    struct backend *backend = making->batch.backend;
    struct plane *verdict[VERDICT_PLANES];
    slice_batch_zeroing(&making->batch);
    TRY(capture_verdict_find(backend, making->slabs->source->longest == NULL ? &making->batch.zeroing : NULL,
                             making->family->side, NULL, verdict));
    const size_t bytes = making->count * making->words * sizeof(uint64_t);
    int code = making->batch.rules == NULL
                   ? 0
                   : slice_batch_attacks(&making->batch, verdict[VERDICT_ILLEGAL], making->family->side);
    for (int i = 0; code == 0 && i < VERDICT_PLANES; i++) {
        if (verdict[i] == NULL)
            continue;
        making->verdict[i] = memory_take(threads_memory(making->slabs->pool), bytes, NULL);
        if (making->verdict[i] == NULL)
            code = error_memory(bytes, "slabs");
        else
            code = slice_read(backend, verdict[i], 0, making->count, making->verdict[i]);
        backend->ops->plane_free(backend, verdict[i]);
        verdict[i] = NULL;
    }
    capture_verdict_free(backend, verdict);
    return code;
}

// An item is some words of a slab.
static int resolve_item(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct making *making = context;
    const uint64_t items = (making->words + RESOLVE_WORDS - 1) / RESOLVE_WORDS;
    const size_t slab = item / items;
    const size_t first = item % items * RESOLVE_WORDS;
    const size_t words = making->words - first < RESOLVE_WORDS ? making->words - first : RESOLVE_WORDS;
    uint64_t *bits[VERDICT_PLANES];
    uint64_t *plane[SLAB_PLANES];
    for (int i = 0; i < VERDICT_PLANES; i++)
        bits[i] = making->verdict[i] != NULL ? making->verdict[i] + slab * making->words + first
                  : i >= 2                   ? bits[i - 2]
                                             : NULL;
    for (int i = 0; i < SLAB_PLANES; i++)
        plane[i] = making->plane[slab][i] != NULL ? making->plane[slab][i] + first : NULL;
    for (size_t w = 0; bits[VERDICT_WINS] == NULL && w < words; w++) {
        plane[SLAB_ILLEGAL][w] = bits[VERDICT_ILLEGAL][w];
        plane[SLAB_WON][w] |= bits[VERDICT_ILLEGAL][w];
        plane[SLAB_LOST][w] &= ~bits[VERDICT_ILLEGAL][w];
    }
    if (bits[VERDICT_WINS] == NULL)
        return 0;
    const struct outcome_words outcome = {plane[SLAB_ILLEGAL], plane[SLAB_WON], plane[SLAB_LOST], plane[SLAB_WON_EVER],
                                          plane[SLAB_LOST_EVER]};
    outcomes_resolve(&outcome, bits, words);
    return 0;
}

// Does steps 1 to 3 for the batch whose first slab is number `first`.
static int make_batch(const struct making *all, size_t first, size_t count)
{
    struct making making = *all;
    struct thread_pool *pool = all->slabs->pool;
    making.entry += first;
    making.plane += first;
    making.square += first;
    making.count = count;
    int code = list_captures(&making);
    if (code == 0 && first == 0)
        code = load_stored(all);
    THEN(code, judge_captures(&making));
    THEN(code, threads_each(pool, count * ((making.words + RESOLVE_WORDS - 1) / RESOLVE_WORDS), resolve_item, &making));
    for (size_t i = 0; code == 0 && i < count; i++)
        slab_entry_written(making.entry[i]);
    slice_batch_free(&making.batch);
    for (int i = 0; i < VERDICT_PLANES; i++)
        memory_give(threads_memory(pool), making.verdict[i], count * making.words * sizeof(uint64_t));
    return code;
}

static int make_resolved(struct slabs *slabs, struct slab_family *family, struct slab_entry **list, size_t count)
{
    struct making making = {.slabs = slabs, .family = family, .entry = list, .count = count};
    const size_t each = batch_slabs(slabs, family);
    int code = making_new(&making);
    for (size_t first = 0; code == 0 && first < count; first += each)
        code = make_batch(&making, first, count - first < each ? count - first : each);
    free(making.square);
    free(making.plane);
    return code;
}

// Does steps 1 to 3 for a family of which only the illegal entries are wanted. Here fixed pieces attack, too.
static int make_legal(struct slabs *slabs, struct slab_family *family, struct slab_entry **list, size_t count)
{
    struct making making = {.slabs = slabs, .family = family, .entry = list, .count = count};
    struct plane *illegal = NULL;
    uint64_t *bits = NULL;
    int code = making_new(&making);
    const size_t bytes = count * making.words * sizeof(uint64_t);
    THEN(code, list_captures(&making));
    struct backend *backend = making.batch.backend;
    THEN(code, backend->ops->plane_new(backend, &illegal));
    THEN(code, backend->ops->attacks(backend, illegal, family->side));
    THEN(code, slice_batch_attacks(&making.batch, illegal, family->side));
    THEN(code, overlaps_mark(backend, illegal, PAIRS_ALL, 0));
    if (code == 0 && (bits = memory_take(threads_memory(slabs->pool), bytes, NULL)) == NULL)
        code = error_memory(bytes, "slabs");
    THEN(code, slice_read(backend, illegal, 0, count, bits));
    for (size_t i = 0; code == 0 && i < count; i++) {
        uint64_t *words[SLAB_PLANES];
        code = slab_entry_open(slabs, list[i], false, words);
        if (code == 0)
            memcpy(words[SLAB_ILLEGAL], bits + i * making.words, making.words * sizeof *bits);
        if (code == 0)
            slab_entry_written(list[i]);
    }
    memory_give(threads_memory(slabs->pool), bits, bytes);
    if (backend != NULL)
        backend->ops->plane_free(backend, illegal);
    slice_batch_free(&making.batch);
    free(making.square);
    free(making.plane);
    return code;
}

static int make_family(struct slabs *slabs, struct slab_family *family)
{
    size_t count = 0;
    for (struct slab_entry *entry = family->pending; entry != NULL; entry = entry->next_pending)
        count++;
    struct slab_entry **list = malloc(count * sizeof(struct slab_entry *));
    if (list == NULL)
        return error_memory(count * sizeof(struct slab_entry *), "slabs");
    count = 0;
    for (struct slab_entry *entry = family->pending; entry != NULL; entry = entry->next_pending)
        list[count++] = entry;
    family->pending = NULL;
    const bool all = !family->legal && paged_limit(slabs->paged) == 0;
    const size_t each = all ? count : batch_slabs(slabs, family);
    int code = 0;
    for (size_t first = 0; code == 0 && first < count; first += each) {
        const size_t some = count - first < each ? count - first : each;
        code = (family->legal ? make_legal : make_resolved)(slabs, family, list + first, some);
    }
    free(list);
    return code;
}
