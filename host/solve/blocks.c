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

int side_blocks_make(struct side_blocks *blocks, const struct layout *layout, int side)
{
    *blocks = (struct side_blocks){.side = side, .king = layout->slices == 0 && side == BLACK, .blocks = 1};
    struct tile_digit head = {HEAD_DIGIT, 1, TRIANGLE_SQUARES, layout->king_stride};
    if (layout->slices > 0)
        head.radix = (unsigned)(layout->slices >> 3 * layout->slice_digits);
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
    blocks->king_locals = blocks->king ? blocks->locals / TRIANGLE_SQUARES : 0;
    blocks->offset = calloc(blocks->locals, sizeof *blocks->offset);
    blocks->men = calloc(blocks->locals, sizeof *blocks->men);
    if (blocks->offset == NULL || blocks->men == NULL)
        return error_memory(blocks->locals * (sizeof *blocks->offset + sizeof *blocks->men), "the plan of a step");
    for (uint32_t local = 0; local < blocks->locals; local++)
        blocks->offset[local] = decode(blocks->own, blocks->own_count, local, &blocks->men[local]);
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

unsigned blocks_weight(const struct layout *layout, const struct tile_men *men, bool king)
{
    return layout_orders(layout, men->u) * (king && !square_on_diagonal(triangle_square[men->head]) ? 2 : 1);
}

void side_blocks_find(const struct side_blocks *blocks, uint64_t tile, uint64_t *block, uint32_t *local)
{
    *block = encode(blocks->fixed, blocks->fixed_count, tile);
    *local = (uint32_t)encode(blocks->own, blocks->own_count, tile);
}
