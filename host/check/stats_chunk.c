// stats_chunk.c - some words of a table's solved planes, by code and by outcome
#include "check/stats_chunk.h"

#include "chess/value.h"

#include <string.h>

void code_list_find(struct code_list *list, const solver_value (*value)[DISTANCE_CODES], bool kept)
{
    int code_of[TABLE_OUTCOMES] = {0};
    *list = (struct code_list){.value = value};
    for (int won = 0; won < 2; won++) {
        for (int code = 1; code < DISTANCE_CODES; code++) {
            if (value[won][code] == 0)
                continue;
            const int ply = solver_value_ply(value[won][code]);
            const int slot = outcome_at(won, ply) + 2;
            if (slot == CLTB_CURSED_WIN + 2)
                list->cursed_code[list->cursed++] = (uint16_t)code;
            if (code_of[slot] == 0 || ply > solver_value_ply(value[won][code_of[slot]]))
                code_of[slot] = code;
        }
    }
    for (int slot = 0; kept && slot < TABLE_OUTCOMES; slot++) {
        const bool won = slot - 2 > CLTB_DRAW;
        if (code_of[slot] == 0)
            continue;
        list->longest_code[list->longest].won = won;
        list->longest_code[list->longest].code = (uint16_t)code_of[slot];
        list->longest_code[list->longest].outcome = slot - 2;
        list->longest_code[list->longest++].ply = solver_value_ply(value[won][code_of[slot]]);
    }
}

void chunk_load(struct chunk *chunk, const struct slice_side *planes, size_t first)
{
    uint64_t any[CHUNK] = {0};
    chunk->planes = 0;
    for (int bit = 0; bit < DISTANCE_PLANES_MAX; bit++) {
        if (planes->distance[bit] == NULL) {
            memset(chunk->plane[bit], 0, sizeof chunk->plane[bit]);
            continue;
        }
        chunk->planes = bit + 1;
        memcpy(chunk->plane[bit], planes->distance[bit] + first, sizeof chunk->plane[bit]);
        for (int w = 0; w < CHUNK; w++)
            any[w] |= chunk->plane[bit][w];
    }
    for (int w = 0; w < CHUNK; w++) {
        const uint64_t won = planes->won[first + (size_t)w];
        chunk->won[w] = won & any[w];
        chunk->lost[w] = any[w] & ~won;
        chunk->draw[w] = ~any[w] & ~won;
    }
}

uint64_t chunk_with_code(const struct chunk *chunk, unsigned code, const uint64_t lanes[CHUNK], uint64_t to[CHUNK])
{
    uint64_t any = 0;
    memcpy(to, lanes, CHUNK * sizeof *to);
    for (int bit = 0; bit < chunk->planes; bit++) {
        const uint64_t flip = code >> bit & 1 ? 0 : UINT64_MAX;
        for (int w = 0; w < CHUNK; w++)
            to[w] &= chunk->plane[bit][w] ^ flip;
    }
    for (int w = 0; w < CHUNK; w++)
        any |= to[w];
    return any;
}

int chunk_outcome(const struct chunk *chunk, const struct code_list *list, int w, unsigned lane)
{
    unsigned code = 0;
    const bool won = chunk->won[w] >> lane & 1;
    for (int bit = 0; bit < chunk->planes; bit++)
        code |= (unsigned)(chunk->plane[bit][w] >> lane & 1) << bit;
    return code == 0 ? CLTB_DRAW : outcome_at(won, solver_value_ply(list->value[won][code]));
}

// zugzwang |= losses of side `side` for which the other side has a cursed win.
static void add_cursed(const struct chunk chunk[COLOURS], const struct code_list codes[COLOURS], int side,
                       uint64_t zugzwang[CHUNK])
{
    const struct code_list *list = &codes[side ^ 1];
    uint64_t lanes[CHUNK];
    uint64_t found[CHUNK];
    uint64_t any = 0;
    for (int w = 0; w < CHUNK; w++) {
        lanes[w] = chunk[side].lost[w] & chunk[side ^ 1].won[w];
        any |= lanes[w];
    }
    for (int i = 0; any != 0 && i < list->cursed; i++) {
        if (chunk_with_code(&chunk[side ^ 1], list->cursed_code[i], lanes, found) == 0)
            continue;
        for (int w = 0; w < CHUNK; w++)
            zugzwang[w] |= found[w]; // the caller tells blessed losses among them apart
    }
}

void chunk_zugzwangs(const struct chunk chunk[COLOURS], const struct code_list codes[COLOURS], uint64_t zugzwang[CHUNK])
{
    for (int w = 0; w < CHUNK; w++) {
        const uint64_t lost = chunk[WHITE].lost[w] | chunk[BLACK].lost[w];
        zugzwang[w] =
            lost & (chunk[WHITE].lost[w] | chunk[WHITE].draw[w]) & (chunk[BLACK].lost[w] | chunk[BLACK].draw[w]);
    }
    for (int side = WHITE; side <= BLACK; side++)
        add_cursed(chunk, codes, side, zugzwang);
}
