// stats_chunk.c - some words of a table's solved planes, by code and by outcome
#include "check/stats_chunk.h"

#include "check/tally.h"
#include "chess/value.h"

#include <string.h>

// Which codes below a node are cursed wins? A node is a prefix of a code's bits with a one before it; its children have
// one bit more. Codes that are not in use are left out.
static uint8_t kinds_below(struct code_list *list, unsigned node)
{
    uint8_t kinds = 0;
    if (node < DISTANCE_CODES) {
        kinds = (uint8_t)(kinds_below(list, 2 * node) | kinds_below(list, 2 * node + 1));
    } else {
        const solver_value value = list->value[1][node - DISTANCE_CODES];
        if (value != 0)
            kinds = outcome_at(true, solver_value_ply(value)) == CLTB_CURSED_WIN ? SOME_CURSED : SOME_PLAIN;
    }
    list->kinds[node] = kinds;
    return kinds;
}

void code_list_find(struct code_list *list, const solver_value (*value)[DISTANCE_CODES], bool kept,
                    const int longest[TABLE_OUTCOMES])
{
    int code_of[TABLE_OUTCOMES] = {0};
    *list = (struct code_list){.value = value};
    kinds_below(list, 1);
    for (int won = 0; won < 2; won++) {
        for (int code = 1; code < DISTANCE_CODES; code++) {
            if (value[won][code] == 0)
                continue;
            const int ply = solver_value_ply(value[won][code]);
            const int slot = outcome_at(won, ply) + 2;
            if (code_of[slot] == 0 || ply > solver_value_ply(value[won][code_of[slot]]))
                code_of[slot] = code;
        }
    }
    for (int slot = 0; slot < TABLE_OUTCOMES; slot++) {
        const bool won = slot - 2 > CLTB_DRAW;
        if (code_of[slot] == 0 || (!kept && !(won && longest[slot] == zeroing_ply(slot - 2))))
            continue;
        list->longest_code[list->longest++] = (struct longest_code){.won = won,
                                                                    .code = (uint16_t)code_of[slot],
                                                                    .outcome = slot - 2,
                                                                    .ply = solver_value_ply(value[won][code_of[slot]])};
    }
}

// A class is a bit. The first five are White's outcomes: a code of Black's has those that make a zugzwang with it. Then
// come White's longest lines and Black's, each class with all codes of the other side.
void code_list_classes(const struct code_list codes[COLOURS], uint8_t classes[COLOURS][BACKEND_CODES / 2])
{
    for (int i = 0; i < COLOURS * BACKEND_CODES / 2; i++) {
        const int side = i / (BACKEND_CODES / 2);
        const bool won = i / DISTANCE_CODES % 2;
        const int code = i % DISTANCE_CODES;
        const solver_value value = codes[side].value[won][code];
        const bool position = code == 0 ? !won : value != 0;
        const int outcome = code == 0 ? CLTB_DRAW : outcome_at(won, solver_value_ply(value));
        unsigned set = 1U << (TABLE_OUTCOMES + (side ^ 1));
        for (int slot = 0; position && slot < TABLE_OUTCOMES; slot++) {
            if (side == WHITE ? slot == outcome + 2 : tally_is_zugzwang(slot - 2, outcome))
                set |= 1U << slot;
        }
        classes[side][i % (BACKEND_CODES / 2)] = (uint8_t)set;
    }
    for (int side = WHITE; side <= BLACK; side++) {
        for (int i = 0; i < codes[side].longest; i++) {
            const struct longest_code *code = &codes[side].longest_code[i];
            classes[side][code->won * DISTANCE_CODES + code->code] |= (uint8_t)(1U << (TABLE_OUTCOMES + side));
        }
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

// to |= the lanes with the codes of cursed wins below a node. Each level looks at one plane, the highest first, so that
// it ends early where all codes are of one kind.
static void add_below(const struct chunk *chunk, const struct code_list *list, unsigned node, int bit,
                      const uint64_t lanes[CHUNK], uint64_t to[CHUNK])
{
    uint64_t any = 0;
    if (!(list->kinds[node] & SOME_CURSED))
        return;
    for (int w = 0; w < CHUNK; w++)
        any |= lanes[w];
    if (any == 0)
        return;
    if (list->kinds[node] == SOME_CURSED) {
        for (int w = 0; w < CHUNK; w++)
            to[w] |= lanes[w];
        return;
    }
    for (unsigned value = 0; value < 2; value++) {
        uint64_t left[CHUNK];
        const uint64_t flip = value == 1 ? 0 : UINT64_MAX;
        for (int w = 0; w < CHUNK; w++)
            left[w] = lanes[w] & (chunk->plane[bit - 1][w] ^ flip);
        add_below(chunk, list, 2 * node + value, bit - 1, left, to);
    }
}

void chunk_zugzwangs(const struct chunk chunk[COLOURS], const struct code_list codes[COLOURS], uint64_t zugzwang[CHUNK])
{
    for (int w = 0; w < CHUNK; w++) {
        const uint64_t lost = chunk[WHITE].lost[w] | chunk[BLACK].lost[w];
        zugzwang[w] =
            lost & (chunk[WHITE].lost[w] | chunk[WHITE].draw[w]) & (chunk[BLACK].lost[w] | chunk[BLACK].draw[w]);
    }
    // A loss for which the other side has a cursed win; the caller tells blessed losses apart.
    for (int side = WHITE; side <= BLACK; side++) {
        uint64_t lanes[CHUNK];
        for (int w = 0; w < CHUNK; w++)
            lanes[w] = chunk[side].lost[w] & chunk[side ^ 1].won[w];
        add_below(&chunk[side ^ 1], &codes[side ^ 1], 1, DISTANCE_PLANES_MAX, lanes, zugzwang);
    }
}
