// natural_part.c - the part of an endgame in one sub-table of a file, and the natural order of its values
#include "syzygy/write/natural_part.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

static int lead_file(const struct pawn_slices *slices, uint32_t slice)
{
    const int white = slices->pawns[WHITE];
    const int black = slices->pawns[BLACK];
    const bool lead_black = white == 0 || (black > 0 && black < white);
    const uint8_t *square = slices->square[slice] + (lead_black ? white : 0);
    return syzygy_leading_file(square, lead_black ? black : white);
}

// The groups of Black, then those of White; the king is last if White's groups end with identical pieces, because
// values come in rows of the last piece (table/write/sections.h).
static void init_order(struct entry_order *order, const struct content *content)
{
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    int groups = 0;
    entry_order_init(order, content->material, content->slices, NULL);
    for (int colour = BLACK; colour >= WHITE; colour--) {
        for (int g = 0; g < order->groups; g++) {
            if (order->group[g].colour == colour)
                choice[groups++] = (uint8_t)g;
        }
    }
    for (int i = 0; i < groups && order->group[choice[groups - 1]].count > 1; i++) {
        const uint8_t group = choice[i];
        if (order->group[group].colour == BLACK || order->group[group].type != KING)
            continue;
        memmove(choice + i, choice + i + 1, (size_t)(groups - 1 - i));
        choice[groups - 1] = group;
    }
    entry_order_init(order, content->material, content->slices, choice);
}

int natural_open(struct natural *natural, const struct content *content, struct thread_pool *pool)
{
    const uint32_t all = content->slices != NULL ? content->slices->slices : TRIANGLE_SQUARES;
    const int *longest = content->longest_kept;
    uint64_t slices[SYZYGY_FILES] = {0};
    uint64_t most = 0;
    *natural = (struct natural){.content = content, .pool = pool};
    init_order(&natural->order, content);
    natural->per_slice = natural->order.per_slice;
    natural->width = (longest[WHITE] > longest[BLACK] ? longest[WHITE] : longest[BLACK]) + MARKS < 0xff ? 1 : 2;
    for (uint32_t slice = 0; slice < all; slice++) {
        const int file = content->slices != NULL ? lead_file(content->slices, slice) : 0;
        most = ++slices[file] > most ? slices[file] : most;
    }
    natural->most = most * natural->per_slice;
    natural->outcomes = memory_map(natural->most);
    natural->distances = memory_map(natural->most * natural->width);
    natural->values = memory_map(natural->most);
    int code = 0;
    if (natural->outcomes == NULL || natural->distances == NULL || natural->values == NULL)
        code = error_memory(natural->most * (2 + natural->width), "the values of a Syzygy file");
    THEN(code, memory_new(&natural->number, all, sizeof *natural->number, "the slices of a Syzygy file"));
    THEN(code, memory_new(&natural->place, all, sizeof *natural->place, "the slices of a Syzygy file"));
    if (code != 0)
        natural_close(natural);
    return code;
}

void natural_choose(struct natural *natural, int file)
{
    const struct pawn_slices *slices = natural->content->slices;
    const uint32_t all = slices != NULL ? slices->slices : TRIANGLE_SQUARES;
    natural->slices = 0;
    for (uint32_t slice = 0; slice < all; slice++) {
        const bool wanted = slices == NULL || lead_file(slices, slice) == file;
        natural->place[slice] = wanted ? (int32_t)natural->slices : -1;
        if (wanted)
            natural->number[natural->slices++] = slice;
    }
}

void natural_close(struct natural *natural)
{
    memory_unmap(natural->outcomes, natural->most);
    memory_unmap(natural->distances, natural->most * natural->width);
    memory_unmap(natural->values, natural->most);
    free(natural->number);
    free(natural->place);
    *natural = (struct natural){0};
}
