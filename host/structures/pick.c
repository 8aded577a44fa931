// pick.c - the part of a structure in which some of its pieces stand on given squares
#include "structures/pick.h"

#include "util/error.h"

#include <string.h>

// For each piece of a structure: its square if it does not move in the slab, otherwise NO_SQUARE.
static void match(const struct slab_shape *structure, const struct slab_shape *slab, const uint8_t *square,
                  uint8_t *stands)
{
    memset(stands, NO_SQUARE, LAYOUT_PIECES_MAX);
    for (int i = 0; i < slab->fixed; i++) {
        for (int j = 0; slab->fixed_type[i] != PAWN && j < structure->pieces; j++) {
            if (stands[j] == NO_SQUARE && structure->type[j] == slab->fixed_type[i] &&
                structure->colour[j] == slab->fixed_colour[i]) {
                stands[j] = square[i];
                break;
            }
        }
    }
}

// Words of a slab of n pieces are numbered [u of each][l of each except the kings].
static void pick_words(uint64_t *to, const uint64_t *from, int pieces, int moving, const uint8_t *stands)
{
    const size_t words = slab_words(moving);
    const unsigned lower_bits = 3U * ((unsigned)pieces - 2) & 63;
    for (size_t word = 0; word < words; word++) {
        size_t u = 0;
        size_t l = 0;
        for (int j = 0, i = 0; j < pieces; j++) {
            unsigned u_digit;
            unsigned l_digit = 0;
            if (stands[j] != NO_SQUARE) {
                u_digit = square_code[stands[j]] >> 3;
                l_digit = square_code[stands[j]] & 7;
            } else {
                const int low = moving - 3 - i; // digits below its l digit, without the kings'
                u_digit = (unsigned)(word >> (3U * (unsigned)(2 * moving - 3 - i) & 63)) & 7;
                if (low >= 0)
                    l_digit = (unsigned)(word >> (3U * (unsigned)low & 63)) & 7;
                i++;
            }
            u = u << 3 | u_digit;
            if (j < pieces - 2)
                l = l << 3 | l_digit;
        }
        to[word] = from[u << lower_bits | l];
    }
}

int structure_pick(struct slab *slab, struct paged_array **picked, const struct structure_key *key,
                   const struct slab_shape *shape, const uint8_t *square, struct paged *paged, struct thread_pool *pool)
{
    struct slab_shape whole;
    uint8_t pawns[FIXED_MAX];
    uint8_t stands[LAYOUT_PIECES_MAX];
    void *start;
    const struct slab from = *slab;
    const size_t words = slab_words(shape->pieces);
    structure_shape(key, &whole, pawns);
    match(&whole, shape, square, stands);
    TRY(paged_new(paged, SLAB_PLANES * words * sizeof(uint64_t), false, picked, &start));
    int code = 0;
    for (int plane = 0; code == 0 && plane < SLAB_PLANES; plane++) {
        struct slab_bits bits;
        if (from.place[plane].array == NULL)
            continue;
        code = slab_bits_open(&bits, &from, (enum slab_plane)plane, whole.pieces, pool);
        if (code == 0)
            pick_words((uint64_t *)start + (size_t)plane * words, bits.words, whole.pieces, shape->pieces, stands);
        slab_bits_close(&bits, whole.pieces, pool);
        slab->place[plane] = (struct slab_place){*picked, (size_t)plane * words};
    }
    paged_put(*picked);
    return code;
}
