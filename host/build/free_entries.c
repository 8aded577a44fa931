// free_entries.c - what stands for entries that may have any value
#include "build/free_entries.h"

#include "build/sections.h"

#include <cltb/cltb.h>

static void fill_outcomes(uint8_t *symbols, size_t count)
{
    uint8_t before = CLTB_DRAW + 2;
    for (size_t i = 0; i < count; i++) {
        if (symbols[i] == FREE_ANY)
            symbols[i] = before;
        else if (symbols[i] == FREE_TO_DRAW)
            symbols[i] = before < CLTB_DRAW + 2 ? before : CLTB_DRAW + 2;
        before = symbols[i];
    }
}

static void fill_distances1(uint8_t *symbols, size_t count)
{
    uint8_t before = 0;
    for (size_t i = 0; i < count; i++) {
        if (symbols[i] == (uint8_t)FREE_DISTANCE)
            symbols[i] = before;
        before = symbols[i];
    }
}

static void fill_distances2(uint16_t *symbols, size_t count)
{
    uint16_t before = 0;
    for (size_t i = 0; i < count; i++) {
        if (symbols[i] == FREE_DISTANCE)
            symbols[i] = before;
        before = symbols[i];
    }
}

void free_entries_fill(enum table_kind kind, unsigned symbol_bytes, void *symbols, size_t count)
{
    if (kind == TABLE_OUTCOME)
        fill_outcomes(symbols, count);
    else if (symbol_bytes == 1)
        fill_distances1(symbols, count);
    else
        fill_distances2(symbols, count);
}
