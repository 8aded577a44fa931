// natural_part.c - the part of an endgame in one sub-table of a file, and the natural order of its values
#include "syzygy/write/natural_part.h"

#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

int natural_leads(const struct material *material)
{
    const int white = material->count[WHITE][PAWN];
    const int black = material->count[BLACK][PAWN];
    return white == 0 || (black > 0 && black < white) ? BLACK : WHITE;
}

int natural_shape(struct syzygy_shape *shape, const struct material *material, int file)
{
    const int lead = natural_leads(material);
    const int pawns = material->count[WHITE][PAWN] + material->count[BLACK][PAWN];
    const bool both = material->count[WHITE][PAWN] > 0 && material->count[BLACK][PAWN] > 0;
    uint8_t list[SYZYGY_MEN_MAX];
    int men = 0;
    if (material_men(material) > SYZYGY_MEN_MAX)
        return error_set(CLTB_E_USAGE, "Syzygy files have at most %d men", SYZYGY_MEN_MAX);
    for (; men < pawns; men++)
        list[men] = syzygy_man(men < material->count[lead][PAWN] ? lead : lead ^ 1, PAWN);
    for (int kind = 0; kind < 2 * COLOURS * PAWN; kind++) {
        const int colour = kind / PAWN % COLOURS;
        const int count = material->count[colour][kind % PAWN];
        for (int i = 0; i < count && (count == 1) == (kind < COLOURS * PAWN); i++)
            list[men++] = syzygy_man(colour, kind % PAWN);
    }
    return syzygy_shape_init(shape, list, men, file, 0, both ? 1 : SYZYGY_NO_GROUP);
}

static int lead_file(const struct content *content, uint32_t slice)
{
    const int lead = natural_leads(content->material);
    const uint8_t *square = content->slices->square[slice] + (lead == BLACK ? content->slices->pawns[WHITE] : 0);
    return syzygy_leading_file(square, content->slices->pawns[lead]);
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
        const int file = content->slices != NULL ? lead_file(content, slice) : 0;
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
        const bool wanted = slices == NULL || lead_file(natural->content, slice) == file;
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
