// slabs.h - the slabs that zeroing moves lead to: made from stored tables when wanted, kept while in use
//
// A slab holds the values of an endgame with some men fixed, for all squares of the other men: one slice by itself
// (layout.h), 64^n bits for n pieces, [u digits] [l digits], for one side to move.
//
// slabs.c finds slabs and keeps them; slab_make.c makes the ones that are wanted. Slabs of the same men for the same
// side to move are a family. Many slabs are wanted at once and made in batches.
#ifndef CLTB_SOLVE_SLABS_H
#define CLTB_SOLVE_SLABS_H

#include "disk/paged.h"
#include "index/layout.h"
#include "solve/solution.h"
#include "util/threads.h"

#include <string.h>

// The men of a shape; the metric is DTZ.
static inline struct material slab_material(const struct slab_shape *shape)
{
    struct material material = {.metric = METRIC_DTZ};
    for (int i = 0; i < shape->pieces; i++)
        material.count[shape->colour[i]][shape->type[i]]++;
    for (int i = 0; i < shape->fixed; i++)
        material.count[shape->fixed_colour[i]][shape->fixed_type[i]]++;
    return material;
}

// Takes a man off the board.
static inline void slab_shape_drop_piece(struct slab_shape *shape, int piece)
{
    const size_t after = (size_t)(--shape->pieces - piece);
    memmove(shape->type + piece, shape->type + piece + 1, after);
    memmove(shape->colour + piece, shape->colour + piece + 1, after);
}

static inline void slab_shape_drop_fixed(struct slab_shape *shape, uint8_t *square, int man)
{
    const size_t after = (size_t)(--shape->fixed - man);
    memmove(shape->fixed_type + man, shape->fixed_type + man + 1, after);
    memmove(shape->fixed_colour + man, shape->fixed_colour + man + 1, after);
    memmove(square + man, square + man + 1, after);
}

// The stored outcomes of one slab. Where a position is resolved by a capture they need not be the true ones
// (table/table.h). Each array has [64^pieces / 64] words, zeroed by the caller; bits are set for the outcome that is
// stored. Illegal entries may have any value.
struct stored_slab {
    const uint8_t *square; // [fixed] 0..63
    uint64_t *won;
    uint64_t *lost;
    uint64_t *cursed_won;   // NULL if the table has none
    uint64_t *blessed_lost; // NULL if the table has none
    // With distances to mate: the bits of mate_code() of won and lost entries, from bit 0 to the first array that is
    // NULL; other entries may have any bits.
    uint64_t *code[MATE_CODE_BITS];
};

struct slab;

// The source of stored outcomes: futurebase/ implements it with tables, tests with other data.
struct slab_source {
    void *context;
    // Does the table of this material (in any colours) have cursed wins or blessed losses? NULL: none has.
    int (*look)(void *context, const struct material *material, bool *cursed);
    // Fills in some slabs of one shape for one side to move. Never called for bare kings. The fixed men may stand on
    // either mirror image of a stored slice.
    int (*load)(void *context, const struct slab_shape *shape, int side, struct stored_slab *slabs, size_t count);
    // Sets *slab to a slab of its own, which must stay valid until the next slabs_trim(), or to NULL, in which case the
    // slab is made from stored outcomes. The function may be NULL: there are no such slabs.
    int (*find)(void *context, const struct slab_shape *shape, const uint8_t *square, int side,
                const struct slab **slab);
    // Completes the slabs that find() gave for the captures of a batch, before they are read. NULL: they were complete.
    int (*complete)(void *context);
    bool bounds; // the stored outcomes are bounds, which need not count captures by fixed men
    // For tables of distances to mate, which store all values of legal positions: sets the longest distance in the
    // table of this material (in any colours). NULL: the tables have distances to zeroing.
    int (*longest)(void *context, const struct material *material, int *plies);
};

// ---- a slab ----

enum slab_plane {
    SLAB_ILLEGAL, // overlaps, or the other king is en prise
    SLAB_WON,     // wins under the 50-move rule, and illegal entries
    SLAB_LOST,
    SLAB_WON_EVER, // the same without that rule
    SLAB_LOST_EVER,
    SLAB_STALEMATE, // only in slices of the endgame that is being solved
    SLAB_CODE,      // bits of distances to mate, if these are solved
    SLAB_PLANES = SLAB_CODE + MATE_CODE_BITS
};

// The place of a slab's plane: slab_words() words of an array, beginning with word `at`.
struct slab_place {
    struct paged_array *array; // NULL: there is no such plane
    size_t at;
};

// A complete slab for one side to move. If it has no cursed outcomes, the planes without the 50-move rule are those
// with it.
struct slab {
    struct slab_place place[SLAB_PLANES];
    bool cursed;   // the 50-move rule makes a difference
    bool mirrored; // the planes are the mirror image
    int longest;   // largest distance to mate in plies
};

// One plane of a slab, in memory.
struct slab_bits {
    const uint64_t *words;     // [slab_words()]
    struct paged_array *array; // which is open, or NULL
    uint64_t *image;           // memory of its own, or NULL
};

int slab_bits_open(struct slab_bits *bits, const struct slab *slab, enum slab_plane plane, int pieces,
                   struct thread_pool *pool);
void slab_bits_close(struct slab_bits *bits, int pieces, struct thread_pool *pool);

// ---- the store ----

struct slab_family {
    uint64_t number;
    struct slab_shape shape;
    int side;
    bool legal;  // only SLAB_ILLEGAL is wanted
    bool cursed; // the table has cursed outcomes
    bool known;  // `cursed` has been looked up
    int longest; // distance to mate; -1: there are none
    struct slab_entry *pending;
    struct slab_family *next;
};

struct slab_entry {
    struct slab slab;
    uint64_t key; // a hash of the family's number and the squares of its fixed men
    struct slab_family *family;
    uint8_t square[FIXED_MAX];
    uint32_t stamp;
    struct slab_entry *next_pending;
    struct slab_entry *next; // in the hash chain
};

struct slabs {
    const struct slab_source *source;
    struct paged *paged;
    struct thread_pool *pool;
    const char *isa;
    struct slab_family *families;
    uint64_t family_count;
    size_t buckets; // a power of two
    size_t entries;
    struct slab_entry **bucket;
    size_t bytes;
    size_t pending; // bytes of the slabs that are wanted but not made yet, without those that these need in turn
    uint32_t stamp;
};

// The slabs are in arrays of `paged`, which must outlive them, as must the pool. `isa`: as for backend_cpu_open().
int slabs_open(struct slabs **slabs, const struct slab_source *source, struct paged *paged, struct thread_pool *pool,
               const char *isa);
void slabs_close(struct slabs *slabs);

// Asks for a slab: `square` has the squares (0..63) of the fixed men in the shape's order. slabs_make() fills in *slab.
// The order of the pieces is kept; the fixed men may come in any order.
int slabs_want(struct slabs *slabs, const struct slab_shape *shape, const uint8_t *square, int side,
               const struct slab **slab);

// The same for a slab of which only SLAB_ILLEGAL is wanted; no table is read for it.
int slabs_want_legal(struct slabs *slabs, const struct slab_shape *shape, const uint8_t *square, int side,
                     const struct slab **slab);

// Makes all slabs that are wanted but not made yet.
int slabs_make(struct slabs *slabs);

// Makes room for an entry's planes, all zero and open for writing: words[SLAB_PLANES], NULL for planes that it does not
// have. slab_entry_written() closes them.
int slab_entry_open(struct slabs *slabs, struct slab_entry *entry, bool cursed, uint64_t *words[SLAB_PLANES]);
void slab_entry_written(const struct slab_entry *entry);

// Forgets slabs that were not wanted since the last call if they take more than `bytes`. Pointers from before the last
// call become invalid.
void slabs_trim(struct slabs *slabs, size_t bytes);

// Words of 64 bits in a slab with that many pieces.
static inline size_t slab_words(int pieces)
{
    return ((size_t)1 << 6 * pieces) / 64;
}

#endif
