// base_mates.c - distances to mate of the positions that captures lead to, in endgames without pawns
#include "solve/bases.h"
#include "solve/mates/mates.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

struct base_mates {
    struct mate_moves moves;
    struct bases *bases;
    uint64_t *bits[FUTUREBASES_MAX]; // of each entry: those of one distance, valid until the step of that ply is done
};

enum { ANY_PLY = -1 };

// Returns whether there are any.
static bool find_bits_at(const struct base_entry *entry, int side, bool won, int ply, uint64_t *bits)
{
    const struct futurebase *base = &entry->base;
    const uint64_t *any = won ? base->won[side] : base->lost[side];
    const uint64_t words = layout_bits(&entry->layout) / 64;
    memcpy(bits, any, words * sizeof *bits);
    for (int i = 0; ply != ANY_PLY && i < MATE_CODE_BITS && base->code[side][i] != NULL; i++) {
        const uint64_t flip = mate_code(ply) >> i & 1 ? 0 : ~UINT64_C(0);
        for (uint64_t w = 0; w < words; w++)
            bits[w] &= base->code[side][i][w] ^ flip;
    }
    uint64_t all = 0;
    for (uint64_t w = 0; w < words; w++)
        all |= bits[w];
    return all != 0;
}

static int captured_at(struct mate_moves *moves, struct plane *plane, int victim, bool won, int ply, bool *any)
{
    const struct base_mates *mates = (const struct base_mates *)moves;
    struct bases *bases = mates->bases;
    const struct layout *layout = &bases->backend->layout;
    // The winner's capture is the conversion: it counts as one ply, whatever it leads to.
    const bool converts = layout->material.metric == METRIC_DTC && !won;
    for (int i = 0; i < layout->pieces && (!converts || ply == 0); i++) {
        if (layout->colour[i] != victim || !base_wanted(layout, i))
            continue;
        const struct base_entry *entry = base_for(bases, i);
        uint64_t *bits = mates->bits[entry - bases->entry];
        if (entry->bare || ply > entry->base.longest ||
            !find_bits_at(entry, victim, won, converts ? ANY_PLY : ply, bits))
            continue;
        *any = true;
        const struct import import = {.captured = i, .sub = &entry->layout, .bits = bits};
        TRY(bases->backend->ops->import(bases->backend, plane, &import));
    }
    return 0;
}

static void close_mates(struct iteration_guest *guest)
{
    struct base_mates *mates = (struct base_mates *)guest;
    for (int i = 0; i < FUTUREBASES_MAX; i++)
        free(mates->bits[i]);
    free(mates);
}

int base_mates_add(struct bases *bases, struct zeroing *zeroing)
{
    struct base_mates *mates;
    TRY(memory_new(&mates, 1, sizeof *mates, "futurebases"));
    mates->moves =
        (struct mate_moves){.guest = {.solve = mates_solve, .close = close_mates}, .captured_at = captured_at};
    mates->bases = bases;
    int code = 0;
    for (int i = 0; code == 0 && i < bases->count; i++) {
        const struct base_entry *entry = &bases->entry[i];
        mates->moves.longest = entry->base.longest > mates->moves.longest ? entry->base.longest : mates->moves.longest;
        if (!entry->bare)
            code = memory_new(&mates->bits[i], layout_bits(&entry->layout) / 64, sizeof *mates->bits[i], "futurebases");
    }
    if (code != 0)
        close_mates(&mates->moves.guest);
    else
        zeroing->guest = &mates->moves.guest;
    return code;
}
