// planes.c - layouts by name, and random planes of them
#include "support/planes.h"

struct layout layout_named(const char *name)
{
    const struct material material = material_named(name);
    struct layout layout;
    GOOD(layout_init(&layout, &material, LAYOUT_PAIR));
    return layout;
}

struct layout layout_without(const struct layout *layout, int captured)
{
    uint8_t type[LAYOUT_PIECES_MAX];
    uint8_t colour[LAYOUT_PIECES_MAX];
    int pieces = 0;
    struct layout sub;
    for (int i = 0; i < layout->pieces; i++) {
        if (i == captured)
            continue;
        type[pieces] = layout->type[i];
        colour[pieces++] = layout->colour[i];
    }
    GOOD(layout_init_pieces(&sub, pieces, type, colour));
    return sub;
}

uint64_t random_word(uint64_t number, uint64_t seed, int thin)
{
    const uint64_t start = mix(number);
    uint64_t word = UINT64_MAX;
    for (int i = 0; i < thin && word != 0; i++)
        word &= mix(start ^ (seed * 64 + (uint64_t)i));
    return word;
}

void make_pair_equal(const struct layout *layout, uint64_t *bits)
{
    const uint64_t tile_words = layout->tile_lanes / 64;
    for (uint64_t tile = 0; layout->pair && tile < layout->tiles; tile++) {
        unsigned king;
        uint8_t u[LAYOUT_PIECES_MAX];
        layout_digits(layout, tile, &king, u);
        if (u[0] != u[1])
            continue;
        const unsigned shift = layout_lane_shift(layout, 1) - 6;
        for (uint64_t word = 0; word < tile_words; word++) {
            const uint64_t l0 = word >> (shift + 3);
            const uint64_t l1 = word >> shift & 7;
            const uint64_t low = word & ((UINT64_C(1) << shift) - 1);
            if (l0 > l1)
                bits[tile * tile_words + word] = bits[tile * tile_words + (l1 << (shift + 3) | l0 << shift | low)];
        }
    }
}
