// capture_bases.c - the futurebases of a pawnless endgame: what each capture leaves
#include "solve/capture_bases.h"

#include "util/error.h"

#include <stdlib.h>
#include <string.h>

void futurebase_free(struct futurebase *base)
{
    for (int side = WHITE; side <= BLACK; side++) {
        free(base->won[side]);
        free(base->lost[side]);
        free(base->cursed_won[side]);
        free(base->blessed_lost[side]);
    }
    *base = (struct futurebase){0};
}

static int sub_layout(struct layout *sub, const struct layout *layout, int captured)
{
    uint8_t type[LAYOUT_PIECES_MAX];
    uint8_t colour[LAYOUT_PIECES_MAX];
    int pieces = 0;
    for (int i = 0; i < layout->pieces; i++) {
        if (i == captured || (layout->type[i] == BLANK && layout->pieces > 3))
            continue;
        type[pieces] = layout->type[i];
        colour[pieces++] = layout->colour[i];
    }
    return layout_init_pieces(sub, pieces, type, colour);
}

// The entry for capturing that piece, or NULL. Two identical pieces share one only if the men that stay behind are in the same order: with
// three identical pieces the first may leave another order than the last.
static struct base_entry *base_for(struct bases *bases, int captured)
{
    const struct layout *layout = bases->layout;
    struct layout sub = {0};
    for (int i = 0; i < bases->count; i++) {
        struct base_entry *entry = &bases->entry[i];
        if (entry->type != layout->type[captured] || entry->colour != layout->colour[captured])
            continue;
        if (entry->bare)
            return entry;
        if (sub_layout(&sub, layout, captured) == 0 && memcmp(sub.type, entry->layout.type, sizeof sub.type) == 0 &&
            memcmp(sub.colour, entry->layout.colour, sizeof sub.colour) == 0)
            return entry;
    }
    return NULL;
}

// From here on "cursed won" means won whatever the 50-move rule says, and "blessed lost" likewise.
static void accumulate(struct base_entry *entry)
{
    const uint64_t words = layout_bits(&entry->layout) / 64;
    for (int side = WHITE; side <= BLACK; side++) {
        for (uint64_t w = 0; entry->base.cursed_won[side] != NULL && w < words; w++)
            entry->base.cursed_won[side][w] |= entry->base.won[side][w];
        for (uint64_t w = 0; entry->base.blessed_lost[side] != NULL && w < words; w++)
            entry->base.blessed_lost[side][w] |= entry->base.lost[side][w];
    }
}

static int load_bases(struct bases *bases, const struct futurebase_source *source, struct zeroing *zeroing)
{
    const struct layout *layout = bases->layout;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->type[i] == KING || layout->type[i] == BLANK || base_for(bases, i) != NULL)
            continue;
        struct base_entry *entry = &bases->entry[bases->count++];
        *entry = (struct base_entry){.type = layout->type[i], .colour = layout->colour[i]};
        entry->bare = material_men(&layout->material) == 3;
        if (entry->bare)
            continue;
        int code = sub_layout(&entry->layout, layout, i);
        if (code == 0)
            code = source->load(source->context, &entry->layout, &entry->base);
        if (code != 0)
            return code;
        for (int side = WHITE; side <= BLACK; side++) {
            if (entry->base.cursed_won[side] != NULL || entry->base.blessed_lost[side] != NULL)
                zeroing->cursed = true;
        }
        accumulate(entry);
    }
    return 0;
}

static const uint64_t *base_bits(const struct base_entry *entry, enum zeroing_bits which, int side)
{
    const struct futurebase *base = &entry->base;
    switch (which) {
    case BITS_LOST:
        return base->lost[side];
    case BITS_LOST_EVER:
        return base->blessed_lost[side] != NULL ? base->blessed_lost[side] : base->lost[side];
    case BITS_NOT_WON_EVER:
        return base->cursed_won[side] != NULL ? base->cursed_won[side] : base->won[side];
    default:
        return base->won[side];
    }
}

static int bases_captured(void *context, struct plane *plane, int victim, enum zeroing_bits which)
{
    struct bases *bases = context;
    const struct layout *layout = bases->layout;
    for (int i = 0; i < layout->pieces; i++) {
        if (layout->colour[i] != victim || layout->type[i] == KING || layout->type[i] == BLANK)
            continue;
        const struct base_entry *entry = base_for(bases, i);
        const struct import import = {.captured = i,
                                      .sub = &entry->layout,
                                      .bits = entry->bare ? NULL : base_bits(entry, which, victim),
                                      .invert = which == BITS_NOT_WON || which == BITS_NOT_WON_EVER};
        int code = bases->backend->ops->import(bases->backend, plane, &import);
        if (code != 0)
            return code;
    }
    return 0;
}

int bases_open(struct bases *bases, struct backend *backend, const struct futurebase_source *source,
               struct zeroing *zeroing)
{
    *bases = (struct bases){.backend = backend, .layout = &backend->layout};
    *zeroing = (struct zeroing){.context = bases, .captured = bases_captured};
    return load_bases(bases, source, zeroing);
}

void bases_close(struct bases *bases)
{
    for (int i = 0; i < bases->count; i++)
        futurebase_free(&bases->entry[i].base);
}
