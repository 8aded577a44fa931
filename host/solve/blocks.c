// blocks.c - how a side's moves divide a plane into independent blocks
#include "solve/blocks.h"

#include "util/error.h"

#include <stdlib.h>
#include <string.h>

// Splits `number` into digits, the last one lowest; returns the tile offset.
static uint64_t decode(const struct tile_digit *digit, int count, uint64_t number, struct tile_men *men)
{
    uint64_t offset = 0;
    for (int i = count - 1; i >= 0; i--) {
        unsigned value = (unsigned)(number % digit[i].radix);
        number /= digit[i].radix;
        offset += value * digit[i].stride;
        if (men == NULL)
            continue;
        if (digit[i].piece == HEAD_DIGIT)
            men->head = value;
        else if (digit[i].men > 1)
            like_digits(value, digit[i].men, men->u + digit[i].piece);
        else
            men->u[digit[i].piece] = (uint8_t)value;
    }
    return offset;
}

// The number whose digits are those of a tile.
static uint64_t encode(const struct tile_digit *digit, int count, uint64_t tile)
{
    uint64_t number = 0;
    for (int i = 0; i < count; i++)
        number = number * digit[i].radix + tile / digit[i].stride % digit[i].radix;
    return number;
}

uint32_t side_blocks_stride(const struct side_blocks *blocks, int digit)
{
    uint32_t stride = 1;
    for (int i = blocks->own_count - 1; i > digit; i--)
        stride *= blocks->own[i].radix;
    return stride;
}

// Finds the pairs of each class, in rising order.
static void find_classes(struct side_blocks *blocks)
{
    blocks->classes = TRIANGLE_SQUARES;
    for (unsigned pair = 0; pair < KING_PAIRS; pair++) {
        const int white = pair_white[pair];
        const unsigned seen = (unsigned)square_triangle[square_apply(symmetry_to_triangle(white), white)];
        struct head_class *class = &blocks->class[blocks->side == WHITE ? pair_black(pair) : seen];
        class->head[class->heads++] = (uint16_t)pair;
    }
}

int side_blocks_make(struct side_blocks *blocks, const struct layout *layout, int side)
{
    struct tile_digit head = {HEAD_DIGIT, 1, TRIANGLE_SQUARES, layout->king_stride};
    *blocks = (struct side_blocks){.side = side, .blocks = 1, .classes = 1};
    blocks->king = layout->slices == 0 && (side == BLACK || layout->kings);
    if (layout->slices > 0)
        head.radix = (unsigned)(layout->slices >> 3 * layout->slice_digits);
    if (layout->kings) {
        find_classes(blocks);
        blocks->fixed[blocks->fixed_count++] = (struct tile_digit){HEAD_DIGIT, 1, TRIANGLE_SQUARES, 0};
        head = (struct tile_digit){HEAD_DIGIT, 1, KING_PAIRS_OF_SQUARE, 0};
    } else if (blocks->king) {
        blocks->class[0].heads = TRIANGLE_SQUARES;
        for (unsigned i = 0; i < TRIANGLE_SQUARES; i++)
            blocks->class[0].head[i] = (uint16_t)i;
    }
    if (blocks->king)
        blocks->own[blocks->own_count++] = head;
    else
        blocks->fixed[blocks->fixed_count++] = head;
    for (int i = layout->slice_digits, next; i < layout->pieces; i = next) {
        const struct like_pieces *group = layout_group_at(layout, i);
        const int men = group != NULL ? group->count : 1;
        const struct tile_digit digit = {i, men, like_tiles(men), layout->stride[i]};
        next = i + men;
        if (layout->colour[i] == side && layout_is_man(layout, i))
            blocks->own[blocks->own_count++] = digit;
        else
            blocks->fixed[blocks->fixed_count++] = digit;
    }
    for (int i = 0; i < blocks->fixed_count; i++)
        blocks->blocks *= blocks->fixed[i].radix;
    blocks->locals = side_blocks_stride(blocks, -1);
    blocks->king_locals = blocks->locals / (blocks->king ? head.radix : 1);
    const size_t offsets = (size_t)blocks->classes * blocks->locals;
    blocks->offset = calloc(offsets, sizeof *blocks->offset);
    blocks->men = calloc(blocks->locals, sizeof *blocks->men);
    if (blocks->offset == NULL || blocks->men == NULL)
        return error_memory(offsets * sizeof *blocks->offset, "the plan of a step");
    for (uint32_t local = 0; local < blocks->locals; local++)
        blocks->offset[local] = decode(blocks->own, blocks->own_count, local, &blocks->men[local]);
    for (int class = blocks->classes; layout->kings && class -- > 0;) {
        uint64_t *offset = blocks->offset + (size_t) class * blocks->locals;
        for (uint32_t local = 0; local < blocks->locals; local++)
            offset[local] =
                blocks->offset[local] + blocks->class[class].head[blocks->men[local].head] * layout->king_stride;
    }
    return 0;
}

void side_blocks_free(struct side_blocks *blocks)
{
    free(blocks->offset);
    free(blocks->men);
    blocks->offset = NULL;
    blocks->men = NULL;
}

uint64_t side_blocks_first(const struct side_blocks *blocks, uint64_t block, struct tile_men *men)
{
    return decode(blocks->fixed, blocks->fixed_count, block, men);
}

void side_blocks_find(const struct side_blocks *blocks, uint64_t tile, uint64_t *block, uint32_t *local)
{
    *block = encode(blocks->fixed, blocks->fixed_count, tile);
    *local = (uint32_t)encode(blocks->own, blocks->own_count, tile);
}
