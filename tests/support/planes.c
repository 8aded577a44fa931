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
    uint8_t type[LAYOUT_PIECES_MAX] = {KING};
    uint8_t colour[LAYOUT_PIECES_MAX] = {WHITE};
    int pieces = layout->kings ? 1 : 0;
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

// The lane with the l digits of tied pieces sorted. Bit i of `ties`: piece i has the u digit of the one before it.
static uint64_t sorted_lane(const struct layout *layout, unsigned ties, uint64_t lane)
{
    for (int i = 1; i < layout->pieces; i++) {
        for (int j = i; ties >> j & 1; j--) {
            const unsigned low = layout_lane_shift(layout, j);
            const uint64_t here = lane >> low & 7;
            const uint64_t before = lane >> (low + 3) & 7;
            if (here >= before)
                break;
            lane ^= (here ^ before) << low | (here ^ before) << (low + 3);
        }
    }
    return lane;
}

void make_orders_equal(const struct layout *layout, uint64_t *bits)
{
    const uint64_t lanes = layout->tile_lanes;
    uint32_t *sorted[1 << LAYOUT_PIECES_MAX] = {NULL}; // by ties
    for (uint64_t tile = 0; layout->groups > 0 && tile < layout->tiles; tile++) {
        uint64_t *words = bits + tile * lanes / 64;
        unsigned ties = 0;
        unsigned king;
        uint8_t u[LAYOUT_PIECES_MAX];
        layout_digits(layout, tile, &king, u);
        for (int g = 0; g < layout->groups; g++) {
            const struct like_pieces *group = &layout->group[g];
            for (int i = group->first + 1; i < group->first + group->count; i++)
                ties |= (unsigned)(u[i] == u[i - 1]) << i;
        }
        if (ties == 0)
            continue;
        if (sorted[ties] == NULL) {
            sorted[ties] = malloc(lanes * sizeof *sorted[ties]);
            assert_non_null(sorted[ties]);
            for (uint64_t lane = 0; lane < lanes; lane++)
                sorted[ties][lane] = (uint32_t)sorted_lane(layout, ties, lane);
        }
        for (uint64_t lane = 0; lane < lanes; lane++) {
            const uint64_t one = (uint64_t)bit_at(words, sorted[ties][lane]);
            words[lane / 64] = (words[lane / 64] & ~(UINT64_C(1) << lane % 64)) | one << lane % 64;
        }
    }
    for (size_t i = 0; i < sizeof sorted / sizeof *sorted; i++)
        free(sorted[i]);
}
