// slabs.c - the slabs that zeroing moves lead to: a hash table of families' slabs
#include "solve/slabs.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum { APART_BYTES = 1 << 20 }; // planes of this size have an array each, so that one alone can be in memory

int slabs_open(struct slabs **result, const struct slab_source *source, struct paged *paged, struct thread_pool *pool,
               const char *isa)
{
    enum { FIRST_BUCKETS = 1024 };
    struct slabs *slabs = calloc(1, sizeof *slabs);
    *result = slabs;
    if (slabs == NULL)
        return error_memory(sizeof *slabs, "slabs");
    *slabs = (struct slabs){
        .source = source, .paged = paged, .pool = pool, .isa = isa, .stamp = 1, .buckets = FIRST_BUCKETS};
    slabs->bucket = calloc(slabs->buckets, sizeof(struct slab_entry *));
    return slabs->bucket == NULL ? error_memory(slabs->buckets * sizeof(struct slab_entry *), "slabs") : 0;
}

static size_t plane_bytes(const struct slab_entry *entry)
{
    return slab_words(entry->family->shape.pieces) * sizeof(uint64_t);
}

static void entry_free(struct slabs *slabs, struct slab_entry *entry)
{
    const struct paged_array *last = NULL;
    for (int i = 0; i < SLAB_PLANES; i++) {
        const bool same = !entry->slab.cursed && (i == SLAB_WON_EVER || i == SLAB_LOST_EVER);
        struct paged_array *array = entry->slab.place[i].array;
        if (array == NULL || same)
            continue;
        slabs->bytes -= plane_bytes(entry);
        if (array != last)
            paged_free(array);
        last = array;
    }
    slabs->entries--;
    free(entry);
}

void slabs_close(struct slabs *slabs)
{
    if (slabs == NULL)
        return;
    for (size_t b = 0; slabs->bucket != NULL && b < slabs->buckets; b++) {
        for (struct slab_entry *entry = slabs->bucket[b]; entry != NULL;) {
            struct slab_entry *next = entry->next;
            entry_free(slabs, entry);
            entry = next;
        }
    }
    for (struct slab_family *family = slabs->families; family != NULL;) {
        struct slab_family *next = family->next;
        free(family);
        family = next;
    }
    free(slabs->bucket);
    free(slabs);
}

void slabs_trim(struct slabs *slabs, size_t bytes)
{
    const bool trim = slabs->bytes > bytes;
    for (size_t b = 0; trim && b < slabs->buckets; b++) {
        for (struct slab_entry **at = &slabs->bucket[b]; *at != NULL;) {
            struct slab_entry *entry = *at;
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

static struct slab_entry **bucket_of(struct slab_entry **bucket, size_t buckets, uint64_t key)
{
    return &bucket[(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (buckets - 1)];
}

static int grow(struct slabs *slabs)
{
    const size_t buckets = 4 * slabs->buckets;
    struct slab_entry **bucket = calloc(buckets, sizeof(struct slab_entry *));
    if (bucket == NULL)
        return error_memory(buckets * sizeof(struct slab_entry *), "slabs");
    for (size_t b = 0; b < slabs->buckets; b++) {
        for (struct slab_entry *entry = slabs->bucket[b]; entry != NULL;) {
            struct slab_entry *next = entry->next;
            struct slab_entry **to = bucket_of(bucket, buckets, entry->key);
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

// Copies a shape with the fixed men sorted, so that a slab has one key, and with unused elements zero, so that whole
// arrays can be compared.
static void normalise(struct slab_shape *to, uint8_t to_square[FIXED_MAX], const struct slab_shape *from,
                      const uint8_t *square)
{
    uint32_t man[FIXED_MAX]; // colour, type, square
    memset(to, 0, sizeof *to);
    to->pieces = from->pieces;
    to->fixed = from->fixed;
    memcpy(to->type, from->type, (size_t)from->pieces);
    memcpy(to->colour, from->colour, (size_t)from->pieces);
    for (int i = 0; i < from->fixed; i++) {
        const uint32_t new = (uint32_t)from->fixed_colour[i] << 16 | (uint32_t)from->fixed_type[i] << 8 | square[i];
        int at = i;
        for (; at > 0 && man[at - 1] > new; at--)
            man[at] = man[at - 1];
        man[at] = new;
    }
    for (int i = 0; i < from->fixed; i++) {
        to->fixed_colour[i] = (uint8_t)(man[i] >> 16);
        to->fixed_type[i] = (uint8_t)(man[i] >> 8);
        to_square[i] = (uint8_t)man[i];
    }
}

static int family_of(struct slabs *slabs, const struct slab_shape *shape, int side, bool legal,
                     struct slab_family **result)
{
    for (struct slab_family *family = slabs->families; family != NULL; family = family->next) {
        const struct slab_shape *own = &family->shape;
        if (family->side == side && family->legal == legal && own->pieces == shape->pieces &&
            own->fixed == shape->fixed && memcmp(own->type, shape->type, sizeof own->type) == 0 &&
            memcmp(own->colour, shape->colour, sizeof own->colour) == 0 &&
            memcmp(own->fixed_type, shape->fixed_type, sizeof own->fixed_type) == 0 &&
            memcmp(own->fixed_colour, shape->fixed_colour, sizeof own->fixed_colour) == 0) {
            *result = family;
            return 0;
        }
    }
    const struct slab_source *source = slabs->source;
    const struct material material = slab_material(shape);
    int longest = -1;
    if (source->longest != NULL && !legal && material_men(&material) > 2)
        TRY(source->longest(source->context, &material, &longest));
    struct slab_family *family;
    TRY(memory_new(&family, 1, sizeof *family, "slabs"));
    *family = (struct slab_family){.number = slabs->family_count++,
                                   .shape = *shape,
                                   .side = side,
                                   .legal = legal,
                                   .longest = longest,
                                   .next = slabs->families};
    slabs->families = family;
    *result = family;
    return 0;
}

static int want(struct slabs *slabs, const struct slab_shape *shape, const uint8_t *square, int side, bool legal,
                const struct slab **slab)
{
    struct slab_shape clean;
    uint8_t squares[FIXED_MAX] = {0};
    normalise(&clean, squares, shape, square);
    struct slab_family *family;
    TRY(family_of(slabs, &clean, side, legal, &family));
    uint64_t key = family->number;
    for (int i = 0; i < FIXED_MAX; i++)
        key = (key ^ squares[i]) * UINT64_C(0x100000001b3);
    for (struct slab_entry *entry = *bucket_of(slabs->bucket, slabs->buckets, key); entry != NULL;
         entry = entry->next) {
        if (entry->key != key || entry->family != family || memcmp(entry->square, squares, sizeof squares) != 0)
            continue;
        entry->stamp = slabs->stamp;
        *slab = &entry->slab;
        return 0;
    }
    if (slabs->entries >= slabs->buckets)
        TRY(grow(slabs));
    struct slab_entry *entry;
    TRY(memory_new(&entry, 1, sizeof *entry, "slabs"));
    struct slab_entry **chain = bucket_of(slabs->bucket, slabs->buckets, key);
    *entry = (struct slab_entry){
        .key = key, .family = family, .stamp = slabs->stamp, .next_pending = family->pending, .next = *chain};
    memcpy(entry->square, squares, sizeof squares);
    *chain = entry;
    family->pending = entry;
    slabs->pending += (SLAB_LOST + 1 + (size_t)mate_code_bits(family->longest)) * plane_bytes(entry);
    slabs->entries++;
    *slab = &entry->slab;
    return 0;
}

int slabs_want(struct slabs *slabs, const struct slab_shape *shape, const uint8_t *square, int side,
               const struct slab **slab)
{
    if (slabs->source->find != NULL) {
        TRY(slabs->source->find(slabs->source->context, shape, square, side, slab));
        if (*slab != NULL)
            return 0;
    }
    return want(slabs, shape, square, side, false, slab);
}

int slabs_want_legal(struct slabs *slabs, const struct slab_shape *shape, const uint8_t *square, int side,
                     const struct slab **slab)
{
    return want(slabs, shape, square, side, true, slab);
}

int slab_entry_open(struct slabs *slabs, struct slab_entry *entry, bool cursed, uint64_t *words[SLAB_PLANES])
{
    struct slab *slab = &entry->slab;
    const bool all = !entry->family->legal;
    const int code_bits = mate_code_bits(entry->family->longest);
    bool has[SLAB_PLANES] = {[SLAB_ILLEGAL] = true,
                             [SLAB_WON] = all,
                             [SLAB_LOST] = all,
                             [SLAB_WON_EVER] = cursed,
                             [SLAB_LOST_EVER] = cursed};
    const size_t bytes = plane_bytes(entry);
    const bool apart = bytes >= APART_BYTES;
    size_t planes = 0;
    size_t used = 0;
    slab->cursed = cursed;
    slab->longest = entry->family->longest;
    for (int i = 0; i < SLAB_PLANES; i++) {
        has[i] |= i >= SLAB_CODE && i < SLAB_CODE + code_bits;
        planes += has[i];
    }
    for (int i = 0; i < SLAB_PLANES; i++) {
        words[i] = NULL;
        if (!has[i])
            continue;
        if (i == 0 || apart) {
            void *start;
            TRY(paged_new(slabs->paged, apart ? bytes : planes * bytes, true, &slab->place[i].array, &start));
            words[i] = start;
        } else {
            slab->place[i] = (struct slab_place){slab->place[0].array, used * (bytes / sizeof(uint64_t))};
            words[i] = words[0] + slab->place[i].at;
        }
        used++;
        slabs->bytes += bytes;
    }
    if (!cursed) {
        slab->place[SLAB_WON_EVER] = slab->place[SLAB_WON];
        slab->place[SLAB_LOST_EVER] = slab->place[SLAB_LOST];
    }
    return 0;
}

void slab_entry_written(const struct slab_entry *entry)
{
    const struct slab *slab = &entry->slab;
    const bool apart = plane_bytes(entry) >= APART_BYTES;
    for (int i = 0; i < (apart ? SLAB_PLANES : 1); i++) {
        const bool same = !slab->cursed && (i == SLAB_WON_EVER || i == SLAB_LOST_EVER);
        if (slab->place[i].array != NULL && !same)
            paged_put(slab->place[i].array);
    }
}

// ---- planes in memory ----

static uint64_t swap_bits(uint64_t x, unsigned shift, uint64_t low)
{
    return (x >> shift & low) | (x & low) << shift;
}

// to = from with the files mirrored: the lowest bit of every l digit is inverted. Bits 0 and 3 of a lane number are
// within a word.
static void mirror(uint64_t *to, const uint64_t *from, int pieces)
{
    const size_t tile_words = pieces <= 2 ? 1 : (size_t)1 << (3 * pieces - 6);
    size_t inverted = 0;
    for (int digit = 2; digit < pieces; digit++)
        inverted |= (size_t)1 << (3 * digit - 6);
    const size_t words = slab_words(pieces);
    for (size_t tile = 0; tile < words; tile += tile_words) {
        for (size_t w = 0; w < tile_words; w++) {
            uint64_t x = from[tile + (w ^ inverted)];
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
    mirror(bits->image, bits->words, pieces);
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
