// slabs.c - the slabs that zeroing moves lead to
//
// Slabs of the same men for the same side to move are a family. What is wanted of a family is made together: the stored
// outcomes are loaded, the captures listed (which wants slabs of other families, made first), then a batch of slices on the CPU
// backend tells what the captures are worth.
//
// A fixed man that is no pawn cannot move in a batch of slices. When his side is to move he is a piece of a larger slab
// instead, out of which the wanted one is picked.
#include "solve/slabs.h"

#include "solve/slice_moves.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 4 << 20, // of a plane
    LIMIT_PARTS = 64,      // or as many parts of what memory is allowed
    APART_BYTES = 1 << 20  // planes of this size have an array each
};

enum { PLANES = SLAB_LOST_EVER + 1, PLANES_NOT_CURSED = SLAB_LOST + 1 };

struct family {
    uint64_t number;
    struct slab_shape shape;
    int side;
    int runner;  // a fixed man of `side` that is no pawn, or -1
    bool cursed; // the table has cursed outcomes
    bool known;  // `cursed` has been looked up
    struct entry *pending;
    struct family *next;
};

struct entry {
    struct slab slab; // first: the public part
    uint64_t key;     // the family's number and the squares of its fixed men
    struct family *family;
    uint8_t square[FIXED_MAX];
    uint32_t stamp;
    struct entry *next_pending;
    struct entry *next; // in the hash chain
};

struct slabs {
    const struct slab_source *source;
    struct paged *paged;
    struct thread_pool *pool;
    const char *isa;
    struct family *families;
    uint64_t family_count;
    size_t buckets; // a power of two
    size_t entries;
    struct entry **bucket;
    size_t bytes;
    size_t pending; // bytes
    uint32_t stamp;
};

// ---- keeping ----

int slabs_open(struct slabs **result, const struct slab_source *source, struct paged *paged, struct thread_pool *pool,
               const char *isa)
{
    enum { FIRST_BUCKETS = 1024 };
    struct slabs *slabs = calloc(1, sizeof *slabs);
    *result = slabs;
    if (slabs == NULL)
        return error_memory(sizeof *slabs, "slabs");
    slabs->source = source;
    slabs->paged = paged;
    slabs->pool = pool;
    slabs->isa = isa;
    slabs->stamp = 1;
    slabs->buckets = FIRST_BUCKETS;
    slabs->bucket = calloc(slabs->buckets, sizeof(struct entry *));
    return slabs->bucket == NULL ? error_memory(slabs->buckets * sizeof(struct entry *), "slabs") : 0;
}

static size_t plane_bytes(const struct entry *entry)
{
    return slab_words(entry->family->shape.pieces) * sizeof(uint64_t);
}

// Large planes have an array each, so that one alone can be in memory; others are one array together.
static bool is_apart(const struct entry *entry)
{
    return plane_bytes(entry) >= APART_BYTES;
}

static int planes_of(const struct entry *entry)
{
    return entry->slab.cursed ? PLANES : PLANES_NOT_CURSED;
}

static void entry_free(struct slabs *slabs, struct entry *entry)
{
    for (int i = 0; i < planes_of(entry); i++) {
        if (entry->slab.place[i].array == NULL)
            continue;
        slabs->bytes -= plane_bytes(entry);
        if (i == 0 || is_apart(entry))
            paged_free(entry->slab.place[i].array);
    }
    slabs->entries--;
    free(entry);
}

void slabs_close(struct slabs *slabs)
{
    if (slabs == NULL)
        return;
    for (size_t b = 0; slabs->bucket != NULL && b < slabs->buckets; b++) {
        for (struct entry *entry = slabs->bucket[b]; entry != NULL;) {
            struct entry *next = entry->next;
            entry_free(slabs, entry);
            entry = next;
        }
    }
    for (struct family *family = slabs->families; family != NULL;) {
        struct family *next = family->next;
        free(family);
        family = next;
    }
    free(slabs->bucket);
    free(slabs);
}

struct paged *slabs_paged(const struct slabs *slabs)
{
    return slabs->paged;
}

void slabs_trim(struct slabs *slabs, size_t bytes)
{
    const bool trim = slabs->bytes > bytes;
    for (size_t b = 0; trim && b < slabs->buckets; b++) {
        for (struct entry **at = &slabs->bucket[b]; *at != NULL;) {
            struct entry *entry = *at;
            if (entry->stamp == slabs->stamp) {
                at = &entry->next;
                continue;
            }
            *at = entry->next;
            entry_free(slabs, entry);
        }
    }
    slabs->stamp++;
}

_Static_assert(FIXED_MAX == 6, "a key has six squares and a family's number");

static uint64_t make_key(const struct family *family, const uint8_t square[FIXED_MAX])
{
    uint64_t key = family->number;
    for (int i = 0; i < FIXED_MAX; i++)
        key = key << 8 | square[i];
    return key;
}

static struct entry **bucket_of(struct entry **bucket, size_t buckets, uint64_t key)
{
    return &bucket[(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (buckets - 1)];
}

static int grow(struct slabs *slabs)
{
    const size_t buckets = 4 * slabs->buckets;
    struct entry **bucket = calloc(buckets, sizeof(struct entry *));
    if (bucket == NULL)
        return error_memory(buckets * sizeof(struct entry *), "slabs");
    for (size_t b = 0; b < slabs->buckets; b++) {
        for (struct entry *entry = slabs->bucket[b]; entry != NULL;) {
            struct entry *next = entry->next;
            struct entry **to = bucket_of(bucket, buckets, entry->key);
            entry->next = *to;
            *to = entry;
            entry = next;
        }
    }
    free(slabs->bucket);
    slabs->bucket = bucket;
    slabs->buckets = buckets;
    return 0;
}

// Fixed men in a fixed order, so that one slab has one key.
static void sort_fixed(struct slab_shape *shape, uint8_t *square)
{
    for (int i = 1; i < shape->fixed; i++) {
        for (int j = i; j > 0; j--) {
            const unsigned a =
                (unsigned)shape->fixed_colour[j - 1] << 16 | (unsigned)shape->fixed_type[j - 1] << 8 | square[j - 1];
            const unsigned b = (unsigned)shape->fixed_colour[j] << 16 | (unsigned)shape->fixed_type[j] << 8 | square[j];
            if (a <= b)
                break;
            shape->fixed_colour[j - 1] = (uint8_t)(b >> 16);
            shape->fixed_type[j - 1] = (uint8_t)(b >> 8);
            square[j - 1] = (uint8_t)b;
            shape->fixed_colour[j] = (uint8_t)(a >> 16);
            shape->fixed_type[j] = (uint8_t)(a >> 8);
            square[j] = (uint8_t)a;
        }
    }
}

// Unused elements are zero, so that arrays can be compared whole.
static void clean_shape(struct slab_shape *to, const struct slab_shape *from)
{
    memset(to, 0, sizeof *to);
    to->pieces = from->pieces;
    to->fixed = from->fixed;
    memcpy(to->type, from->type, (size_t)from->pieces);
    memcpy(to->colour, from->colour, (size_t)from->pieces);
    memcpy(to->fixed_type, from->fixed_type, (size_t)from->fixed);
    memcpy(to->fixed_colour, from->fixed_colour, (size_t)from->fixed);
}

static bool same_shape(const struct slab_shape *a, const struct slab_shape *b)
{
    return a->pieces == b->pieces && a->fixed == b->fixed && memcmp(a->type, b->type, sizeof a->type) == 0 &&
           memcmp(a->colour, b->colour, sizeof a->colour) == 0 &&
           memcmp(a->fixed_type, b->fixed_type, sizeof a->fixed_type) == 0 &&
           memcmp(a->fixed_colour, b->fixed_colour, sizeof a->fixed_colour) == 0;
}

static struct family *family_of(struct slabs *slabs, const struct slab_shape *shape, int side)
{
    for (struct family *family = slabs->families; family != NULL; family = family->next) {
        if (family->side == side && same_shape(&family->shape, shape))
            return family;
    }
    struct family *family = calloc(1, sizeof *family);
    if (family == NULL)
        return NULL;
    family->shape = *shape;
    family->side = side;
    family->runner = -1;
    for (int i = 0; i < shape->fixed; i++) {
        if (shape->fixed_colour[i] == side && shape->fixed_type[i] != PAWN)
            family->runner = i;
    }
    family->number = slabs->family_count++;
    family->next = slabs->families;
    slabs->families = family;
    return family;
}

int slabs_want(struct slabs *slabs, const struct slab_shape *shape, const uint8_t *square, int side,
               const struct slab **slab)
{
    struct slab_shape clean;
    uint8_t squares[FIXED_MAX] = {0};
    clean_shape(&clean, shape);
    memcpy(squares, square, (size_t)shape->fixed);
    sort_fixed(&clean, squares);
    struct family *family = family_of(slabs, &clean, side);
    if (family == NULL)
        return error_memory(sizeof *family, "slabs");
    const uint64_t key = make_key(family, squares);
    for (struct entry *entry = *bucket_of(slabs->bucket, slabs->buckets, key); entry != NULL; entry = entry->next) {
        if (entry->key != key)
            continue;
        entry->stamp = slabs->stamp;
        *slab = &entry->slab;
        return 0;
    }
    if (slabs->entries >= slabs->buckets)
        TRY(grow(slabs));
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL)
        return error_memory(sizeof *entry, "slabs");
    entry->key = key;
    entry->family = family;
    entry->stamp = slabs->stamp;
    memcpy(entry->square, squares, sizeof squares);
    struct entry **chain = bucket_of(slabs->bucket, slabs->buckets, key);
    entry->next = *chain;
    *chain = entry;
    entry->next_pending = family->pending;
    family->pending = entry;
    slabs->pending += PLANES_NOT_CURSED * slab_words(clean.pieces) * sizeof(uint64_t);
    slabs->entries++;
    *slab = &entry->slab;
    return 0;
}

// The planes of a slab while they are written; NULL: there is no such plane.
struct open_planes {
    uint64_t *words[PLANES];
};

// Memory for a slab's planes, all zero.
static int entry_planes(struct slabs *slabs, struct entry *entry, bool cursed, struct open_planes *open)
{
    struct slab *slab = &entry->slab;
    const size_t bytes = plane_bytes(entry);
    const bool apart = is_apart(entry);
    slab->cursed = cursed;
    *open = (struct open_planes){{NULL}};
    for (int i = 0; i < planes_of(entry); i++) {
        if (i == 0 || apart) {
            void *start;
            TRY(paged_new(slabs->paged, apart ? bytes : (size_t)planes_of(entry) * bytes, true, &slab->place[i].array,
                          &start));
            open->words[i] = start;
        } else {
            slab->place[i] =
                (struct slab_place){slab->place[0].array, (size_t)i * slab_words(entry->family->shape.pieces)};
            open->words[i] = open->words[0] + slab->place[i].at;
        }
        slabs->bytes += bytes;
    }
    if (!cursed) {
        slab->place[SLAB_WON_EVER] = slab->place[SLAB_WON];
        slab->place[SLAB_LOST_EVER] = slab->place[SLAB_LOST];
    }
    return 0;
}

static void entry_written(const struct entry *entry)
{
    for (int i = 0; i < planes_of(entry); i++) {
        if (i == 0 || is_apart(entry))
            paged_put(entry->slab.place[i].array);
    }
}

// ---- mirrors and parts of slabs ----

static uint64_t swap_bits(uint64_t x, unsigned shift, uint64_t low)
{
    return (x >> shift & low) | (x & low) << shift;
}

// The lowest bit of every l digit is flipped: bits 0 and 3 of a lane number are within a word.
void slab_mirror(uint64_t *to, const uint64_t *from, int pieces)
{
    const size_t tile_words = pieces <= 2 ? 1 : (size_t)1 << (3 * pieces - 6);
    size_t flip = 0;
    for (int digit = 2; digit < pieces; digit++)
        flip |= (size_t)1 << (3 * digit - 6);
    const size_t words = slab_words(pieces);
    for (size_t tile = 0; tile < words; tile += tile_words) {
        for (size_t w = 0; w < tile_words; w++) {
            uint64_t x = from[tile + (w ^ flip)];
            x = swap_bits(x, 1, UINT64_C(0x5555555555555555));
            to[tile + w] = swap_bits(x, 8, UINT64_C(0x00ff00ff00ff00ff));
        }
    }
}

int slab_bits_open(struct slab_bits *bits, const struct slab *slab, enum slab_plane plane, int pieces,
                   struct thread_pool *pool)
{
    const struct slab_place *place = &slab->place[plane];
    const size_t bytes = slab_words(pieces) * sizeof(uint64_t);
    const void *start;
    *bits = (struct slab_bits){NULL, NULL, NULL};
    TRY(paged_get(place->array, &start));
    bits->array = place->array;
    bits->words = (const uint64_t *)start + place->at;
    if (!slab->mirrored)
        return 0;
    bits->image = memory_take(threads_memory(pool), bytes, NULL);
    if (bits->image == NULL)
        return error_memory(bytes, "slabs");
    slab_mirror(bits->image, bits->words, pieces);
    bits->words = bits->image;
    paged_put(bits->array);
    bits->array = NULL;
    return 0;
}

void slab_bits_close(struct slab_bits *bits, int pieces, struct thread_pool *pool)
{
    if (bits->array != NULL)
        paged_put(bits->array);
    memory_give(threads_memory(pool), bits->image, slab_words(pieces) * sizeof(uint64_t));
    *bits = (struct slab_bits){NULL, NULL, NULL};
}

// The part of a slab in which the first of its pieces stands on a square.
static void pick_first(uint64_t *to, const uint64_t *from, int pieces, unsigned code)
{
    const size_t tiles = (size_t)1 << 3 * (pieces - 1);            // of the result
    const size_t tile_words = (size_t)1 << (3 * (pieces - 1) - 6); // likewise
    const uint64_t *first = from + (code >> 3) * tiles * 8 * tile_words + (code & 7) * tile_words;
    for (size_t tile = 0; tile < tiles; tile++)
        memcpy(to + tile * tile_words, first + tile * 8 * tile_words, tile_words * sizeof *to);
}

// ---- making ----

static int make_family(struct slabs *slabs, struct family *family);

static int make_pending(struct slabs *slabs, int men)
{
    for (struct family *family = slabs->families; family != NULL;) {
        if (family->pending == NULL || family->shape.pieces + family->shape.fixed > men) {
            family = family->next;
            continue;
        }
        TRY(make_family(slabs, family));
        family = slabs->families; // others may have come
    }
    return 0;
}

size_t slabs_pending(const struct slabs *slabs)
{
    return slabs->pending;
}

int slabs_make(struct slabs *slabs)
{
    const int code = make_pending(slabs, MATERIAL_MEN_MAX);
    slabs->pending = 0;
    return code;
}

static int look_cursed(struct slabs *slabs, struct family *family)
{
    if (family->known)
        return 0;
    const struct material material = slab_material(&family->shape);
    if (material_men(&material) > 2)
        TRY(slabs->source->look(slabs->source->context, &material, &family->cursed));
    family->known = true;
    return 0;
}

// The slab with its runner as the first piece.
static int want_larger(struct slabs *slabs, const struct entry *entry, const struct slab **larger)
{
    const struct family *family = entry->family;
    const int runner = family->runner;
    struct slab_shape shape = family->shape;
    uint8_t square[FIXED_MAX];
    memcpy(square, entry->square, sizeof square);
    memmove(shape.type + 1, shape.type, (size_t)shape.pieces);
    memmove(shape.colour + 1, shape.colour, (size_t)shape.pieces);
    shape.type[0] = shape.fixed_type[runner];
    shape.colour[0] = shape.fixed_colour[runner];
    shape.pieces++;
    shape.fixed--;
    const size_t behind = (size_t)(shape.fixed - runner);
    memmove(shape.fixed_type + runner, shape.fixed_type + runner + 1, behind);
    memmove(shape.fixed_colour + runner, shape.fixed_colour + runner + 1, behind);
    memmove(square + runner, square + runner + 1, behind);
    return slabs_want(slabs, &shape, square, family->side, larger);
}

static int pick_planes(const struct slabs *slabs, const struct entry *entry, const struct slab *larger,
                       const struct open_planes *open)
{
    const int pieces = entry->family->shape.pieces + 1;
    const unsigned code = square_code[entry->square[entry->family->runner]];
    for (int i = 0; i < planes_of(entry); i++) {
        struct slab_bits from;
        const int got = slab_bits_open(&from, larger, (enum slab_plane)i, pieces, slabs->pool);
        if (got == 0)
            pick_first(open->words[i], from.words, pieces, code);
        slab_bits_close(&from, pieces, slabs->pool);
        TRY(got);
    }
    return 0;
}

static int pick(struct slabs *slabs, struct entry *entry, const struct slab *larger)
{
    struct open_planes open;
    if (larger == NULL || larger->place[SLAB_ILLEGAL].array == NULL)
        return error_set(CLTB_E_MEMORY, "a slab that another one is part of was not made");
    TRY(entry_planes(slabs, entry, larger->cursed, &open));
    TRY(pick_planes(slabs, entry, larger, &open));
    entry_written(entry);
    return 0;
}

static int make_picked(struct slabs *slabs, struct family *family, struct entry **list, size_t count)
{
    const struct slab **larger = calloc(count, sizeof *larger);
    if (larger == NULL)
        return error_memory(count * sizeof *larger, "slabs");
    int code = 0;
    for (size_t i = 0; code == 0 && i < count; i++)
        code = want_larger(slabs, list[i], &larger[i]);
    if (code == 0)
        code = make_pending(slabs, family->shape.pieces + family->shape.fixed);
    for (size_t i = 0; code == 0 && i < count; i++)
        code = pick(slabs, list[i], larger[i]);
    free(larger);
    return code;
}

// ---- from stored outcomes to the truth ----

// Everything about some slabs of a family that are made together.
struct making {
    struct slabs *slabs;
    struct family *family;
    struct entry **entry;     // [count]
    struct open_planes *open; // [count]
    size_t count;
    size_t words; // of a slab
    uint8_t (*square)[FIXED_MAX];
    uint8_t (*codes)[FIXED_MAX];
    struct slice_batch batch;
    struct backend *backend;
    uint64_t *illegal;  // [count * words]
    uint64_t *wins[2];  //
    uint64_t *holds[2]; //
};

static int load_stored(struct making *making)
{
    const struct family *family = making->family;
    const struct slab_source *source = making->slabs->source;
    const struct material material = slab_material(&family->shape);
    for (size_t i = 0; i < making->count; i++)
        TRY(entry_planes(making->slabs, making->entry[i], family->cursed, &making->open[i]));
    if (material_men(&material) == 2 || making->count == 0)
        return 0;
    struct stored_slab *stored = calloc(making->count, sizeof *stored);
    if (stored == NULL)
        return error_memory(making->count * sizeof *stored, "slabs");
    for (size_t i = 0; i < making->count; i++) {
        uint64_t *const *words = making->open[i].words;
        stored[i] = (struct stored_slab){.square = making->square[i],
                                         .won = words[SLAB_WON],
                                         .lost = words[SLAB_LOST],
                                         .cursed_won = words[SLAB_WON_EVER],
                                         .blessed_lost = words[SLAB_LOST_EVER]};
    }
    int code = source->load(source->context, &family->shape, family->side, stored, making->count);
    free(stored);
    return code;
}

// Reads some slices of a plane as slabs one behind the other, and gives the plane's memory back.
static int read_slabs(const struct making *making, struct plane **plane, uint64_t **slabs)
{
    const size_t bytes = making->count * making->words * sizeof **slabs;
    *slabs = memory_take(threads_memory(making->slabs->pool), bytes, NULL);
    if (*slabs == NULL)
        return error_memory(bytes, "slabs");
    const int code = slice_read(making->backend, *plane, 0, making->count, *slabs);
    making->backend->ops->plane_free(making->backend, *plane);
    *plane = NULL;
    return code;
}

static int judge_captures(struct making *making)
{
    struct zeroing zeroing;
    struct capture_verdict verdict;
    slice_batch_zeroing(&making->batch, &zeroing);
    int code = capture_verdict_find(making->backend, &zeroing, making->family->side, NULL, &verdict);
    if (code != 0)
        return code;
    code = read_slabs(making, &verdict.illegal, &making->illegal);
    for (int late = 0; code == 0 && late < 2; late++) {
        if (verdict.wins[late] == NULL)
            continue;
        code = read_slabs(making, &verdict.wins[late], &making->wins[late]);
        if (code == 0)
            code = read_slabs(making, &verdict.holds[late], &making->holds[late]);
    }
    capture_verdict_free(making->backend, &verdict);
    return code;
}

// A capture that wins makes a win, one that holds unmakes a loss; what is no position is neither.
static void settle_slab(const struct making *making, size_t number)
{
    const size_t words = making->words;
    const bool late = making->wins[1] != NULL;
    const uint64_t *illegal = making->illegal + number * words;
    const uint64_t *wins[2] = {making->wins[0] + number * words, making->wins[late] + number * words};
    const uint64_t *holds[2] = {making->holds[0] + number * words, making->holds[late] + number * words};
    uint64_t *const *plane = making->open[number].words;
    for (size_t w = 0; w < words; w++) {
        const uint64_t won = plane[SLAB_WON][w];
        const uint64_t lost = plane[SLAB_LOST][w];
        plane[SLAB_ILLEGAL][w] = illegal[w];
        plane[SLAB_WON][w] = won | wins[0][w] | illegal[w];
        plane[SLAB_LOST][w] = lost & ~holds[0][w] & ~illegal[w];
        if (plane[SLAB_WON_EVER] != NULL) {
            plane[SLAB_WON_EVER][w] |= won | wins[1][w] | illegal[w];
            plane[SLAB_LOST_EVER][w] = (plane[SLAB_LOST_EVER][w] | lost) & ~holds[1][w] & ~illegal[w];
        }
    }
}

static int settle_item(void *context, uint64_t item, int worker)
{
    (void)worker;
    settle_slab(context, item);
    return 0;
}

static int making_open(struct making *making)
{
    const struct slab_shape *shape = &making->family->shape;
    struct slice_batch *batch = &making->batch;
    making->square = calloc(making->count, sizeof *making->square);
    making->open = calloc(making->count, sizeof *making->open);
    if (making->square == NULL || making->open == NULL)
        return error_memory(making->count * sizeof *making->open, "slabs");
    for (size_t i = 0; i < making->count; i++)
        memcpy(making->square[i], making->entry[i]->square, FIXED_MAX);
    *batch = (struct slice_batch){.shape = *shape,
                                  .slices = making->count,
                                  .square = (const uint8_t(*)[FIXED_MAX])making->square,
                                  .slabs = making->slabs,
                                  .pool = making->slabs->pool};
    TRY(slice_batch_list(batch, making->family->side));
    TRY(make_pending(making->slabs, shape->pieces + shape->fixed - 1));
    making->codes = slice_batch_codes(batch);
    if (making->codes == NULL)
        return error_memory(making->count * sizeof *making->codes, "slabs");
    struct layout layout;
    TRY(layout_init_slices(&layout, shape->pieces, shape->type, shape->colour, shape->fixed, shape->fixed_type,
                           shape->fixed_colour, making->count, (const uint8_t(*)[FIXED_MAX])making->codes));
    TRY(backend_cpu_open(&making->backend, &layout, making->slabs->pool, making->slabs->isa));
    batch->backend = making->backend;
    return 0;
}

static void making_close(struct making *making)
{
    if (making->backend != NULL)
        making->backend->ops->close(making->backend);
    slice_batch_free(&making->batch);
    free(making->square);
    free(making->open);
    free(making->codes);
    struct memory_pool *memory = threads_memory(making->slabs->pool);
    const size_t bytes = making->count * making->words * sizeof(uint64_t);
    memory_give(memory, making->illegal, bytes);
    for (int late = 0; late < 2; late++) {
        memory_give(memory, making->wins[late], bytes);
        memory_give(memory, making->holds[late], bytes);
    }
}

static int make_settled(struct slabs *slabs, struct family *family, struct entry **list, size_t count)
{
    struct making making = {
        .slabs = slabs, .family = family, .entry = list, .count = count, .words = slab_words(family->shape.pieces)};
    int code = look_cursed(slabs, family);
    if (code == 0)
        code = making_open(&making);
    if (code == 0)
        code = load_stored(&making);
    if (code == 0)
        code = judge_captures(&making);
    if (code == 0)
        code = threads_each(slabs->pool, count, settle_item, &making);
    for (size_t i = 0; code == 0 && i < count; i++)
        entry_written(list[i]);
    making_close(&making);
    return code;
}

static int make_family(struct slabs *slabs, struct family *family)
{
    size_t count = 0;
    for (struct entry *entry = family->pending; entry != NULL; entry = entry->next_pending)
        count++;
    struct entry **list = malloc(count * sizeof(struct entry *));
    if (list == NULL)
        return error_memory(count * sizeof(struct entry *), "slabs");
    count = 0;
    for (struct entry *entry = family->pending; entry != NULL; entry = entry->next_pending)
        list[count++] = entry;
    family->pending = NULL;
    const size_t allowed = paged_limit(slabs->paged) / LIMIT_PARTS;
    const size_t bytes = allowed > 0 && allowed < BATCH_BYTES ? allowed : BATCH_BYTES;
    const size_t most = bytes / (slab_words(family->shape.pieces) * sizeof(uint64_t));
    const size_t each = most > 1 ? most : 1;
    int code = 0;
    for (size_t first = 0; code == 0 && first < count; first += each) {
        const size_t some = count - first < each ? count - first : each;
        code = family->runner >= 0 ? make_picked(slabs, family, list + first, some)
                                   : make_settled(slabs, family, list + first, some);
    }
    free(list);
    return code;
}
