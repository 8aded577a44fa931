// cells.c - what the code of a dobutsu position says by itself
#include "dobutsu/cells.h"

#include "dobutsu/frames.h"

#include <string.h>

uint32_t dobutsu_mirror_code(uint32_t code)
{
    struct dobutsu p;
    uint32_t mirror = code;
    dobutsu_decode(code, &p);
    if (p.sente_lion % 3 != 1)
        return code;
    dobutsu_mirror(&p);
    (void)dobutsu_encode(&p, &mirror); // the lions stand as they may
    return mirror;
}

uint32_t dobutsu_kept_code(uint32_t code)
{
    const uint32_t own = dobutsu_canonical(code);
    const uint32_t mirror = dobutsu_canonical(dobutsu_mirror_code(code));
    return own < mirror ? own : mirror;
}

// Lanes in which a pair in hand belongs to Gote and Sente in this order: the other order has the smaller code.
static lanes_t exchanged_hands(const u8_t *square)
{
    lanes_t lanes = LANES(0, 0, 0, 0);
    for (int man = 0; man < DOBUTSU_MEN; man += 2) {
        if (square[man] == D_HAND)
            lanes |= lanes_zero(man_owner_bit(man)) & ~lanes_zero(man_owner_bit(man + 1));
    }
    return lanes;
}

// Lanes whose mirror image has a smaller code. Mirror images keep `op` but for the order of pairs, so that those of a
// cell are all in one cell.
static lanes_t mirrored_lanes(uint32_t cell)
{
    int sente_lion;
    int gote_lion;
    dobutsu_lions((int)(cell % D_LIONS), &sente_lion, &gote_lion);
    if (sente_lion % 3 != 1)
        return LANES(0, 0, 0, 0); // mirroring would bring the lion to a file that has no codes
    const uint32_t first = cell * D_CODES;
    const uint32_t mirror = dobutsu_mirror_code(first) / D_CODES; // `first` has no rooster, so that it is valid
    const lanes_t all = LANES(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    if (mirror != cell)
        return mirror < cell ? all : ~all;
    uint64_t words[4] = {0};
    for (uint32_t lane = 0; lane < D_CODES; lane++) {
        if (dobutsu_mirror_code(first + lane) < first + lane)
            words[lane / 64] |= UINT64_C(1) << lane % 64;
    }
    return LANES(words[0], words[1], words[2], words[3]);
}

static void put(uint64_t words[4], lanes_t lanes)
{
    memcpy(words, &lanes, sizeof lanes);
}

void dobutsu_cell(uint32_t cell, struct dobutsu_cell *sets)
{
    const struct dobutsu_tables *tables = dobutsu_tables();
    const struct dobutsu_frame *frame = &tables->frame[cell % D_LIONS];
    const u32_t triple = cell / D_LIONS;
    u8_t square[DOBUTSU_MEN];
    memset(sets, 0, sizeof *sets);
    if (tables->triple[tables->number[triple]] != triple) {
        memset(sets->invalid, 0xff, sizeof sets->invalid);
        return;
    }
    dobutsu_squares(tables, triple, square);
    const lanes_t invalid = dobutsu_invalid(square);
    const lanes_t won = dobutsu_won(frame, square) & ~invalid;
    const lanes_t dropped = invalid | won | exchanged_hands(square) | mirrored_lanes(cell);
    put(sets->invalid, invalid);
    put(sets->won, won);
    put(sets->kept, ~dropped);
}
