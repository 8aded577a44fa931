// slice_masks.c - masks of entries of a batch
#include "solve/slice_masks.h"

#include "chess/attacks.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>

int slice_masks_add(struct slice_masks *masks, uint32_t slice, int piece, int square, uint64_t empty)
{
    TRY(memory_grow(&masks->import, &masks->room, masks->count + 1, sizeof *masks->import, "squares of a batch"));
    const struct layout *layout = &masks->batch->backend->layout;
    masks->import[masks->count++] = (struct slab_import){.slice = slice,
                                                         .where = IMPORT_AT,
                                                         .man = layout->slice_digits + piece,
                                                         .at = square_code[square],
                                                         .empty = empty,
                                                         .invert = true};
    return 0;
}

int slice_masks_end(struct slice_masks *masks, struct plane *plane, int code)
{
    struct backend *backend = masks->batch->backend;
    if (code == 0 && masks->count > 0)
        code = backend->ops->import_slabs(backend, plane, masks->import, masks->count);
    free(masks->import);
    return code;
}

int slice_batch_attacks(const struct slice_batch *batch, struct plane *plane, int side)
{
    const struct slab_shape *shape = &batch->shape;
    struct slice_masks masks = {.batch = batch};
    int code = 0;
    int king = 0;
    while (shape->type[king] != KING || shape->colour[king] == side)
        king++;
    for (uint32_t slice = 0; code == 0 && slice < batch->slices; slice++) {
        const uint8_t *square = batch->square[slice];
        uint64_t occupied = 0;
        for (int i = 0; i < shape->fixed; i++)
            occupied |= square_bit(square[i]);
        for (int i = 0; i < shape->fixed; i++) {
            if (shape->fixed_colour[i] != side || shape->fixed_type[i] == PAWN)
                continue;
            // A fixed piece that shares its square with a piece has been taken.
            for (uint64_t left = piece_attacks(shape->fixed_type[i], side, square[i], occupied);
                 code == 0 && left != 0;) {
                const int to = set_pop(&left);
                code = slice_masks_add(&masks, slice, king, to,
                                       slice_codes(squares_between(square[i], to) | square_bit(square[i])));
            }
        }
    }
    return slice_masks_end(&masks, plane, code);
}
