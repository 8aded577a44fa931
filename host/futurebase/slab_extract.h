// slab_extract.h - from the stored outcomes of a section to the bits of a slab
#ifndef CLTB_FUTUREBASE_SLAB_EXTRACT_H
#define CLTB_FUTUREBASE_SLAB_EXTRACT_H

#include "futurebase/slab_place.h"
#include "util/threads.h"

enum { EXTRACT_TOGETHER = 8 };

// How a file is read. If slabs have fixed men that the file does not count first, the entries that a slab needs lie far
// apart. Then they are packed first: copied to a small array in the same order.
struct slab_extract {
    struct slab_map map;
    bool packs;
    size_t packed_bytes;      // of a slab
    struct entry_order order; // of packed entries: the file's, but fixed men count for nothing
    struct slab_map packed;   // in that order
};

// `flip`: the file has the colours flipped. In a shape without pawns the kings may be fixed.
void slab_extract_init(struct slab_extract *extract, const struct slab_shape *shape, const struct entry_order *order,
                       bool flip, enum table_reading reading);

// Makes what each thread of the pool needs, which slab_extract_work_free() frees, even after an error.
int slab_extract_work(const struct slab_extract *extract, struct thread_pool *pool, struct slab_work **work);
void slab_extract_work_free(const struct slab_extract *extract, struct thread_pool *pool, struct slab_work *work);

// How many slabs are best extracted together: one or, if entries are packed, EXTRACT_TOGETHER.
int slab_extract_together(const struct slab_extract *extract);

// Slabs that are extracted together.
struct slab_set {
    const struct stored_slab *slab[EXTRACT_TOGETHER];
    int count;
};

// Without pawns: extracts the part of slabs with the black king on one square and the white king on some squares, from
// its section. With map.aligned, different threads may extract parts of one slab.
void slab_extract_kings(const struct slab_extract *extract, struct slab_work *work, const struct slab_set *set,
                        int black_king, uint64_t white_kings, const uint8_t *symbols);

unsigned slab_king_section(int black_king);

// Without pawns: sets wanted[entry / each] for all entries of a section that a slab can ask for, and perhaps more.
void slab_extract_section_wants(const struct slab_map *map, const struct stored_slab *slab, unsigned section,
                                uint32_t each, bool *wanted);

// With pawns: the same for a slice.
void slab_extract_wants(const struct slab_map *map, const struct stored_slab *slab, bool mirror, bool both,
                        uint32_t each, bool *wanted);

// With pawns: extracts whole slabs from their slice; `mirror` and `both` as in pawns.h.
void slab_extract_slice(const struct slab_extract *extract, struct slab_work *work, const struct slab_set *set,
                        const uint8_t *symbols, bool mirror, bool both);

#endif
