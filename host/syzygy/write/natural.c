// natural.c - the part of an endgame in one sub-table of a file, and its values as bytes in the natural order
#include "syzygy/write/natural.h"

#include "syzygy/write/packed.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/saturate.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    DISTANCES = 2048,
    CHUNK = 1 << 16,       // most entries in a work item
    LOAD_ENTRIES = 1 << 24 // filled in at a time, or a section
};

#define NO_BLOCK UINT64_MAX

enum { CLASS_WIN, CLASS_LOSS, CLASS_CURSED, CLASS_BLESSED };

static const int class_of[TABLE_OUTCOMES] = {CLASS_LOSS, CLASS_BLESSED, -1, CLASS_CURSED, CLASS_WIN};

// Symbols of distances are columns of a table; those of don't-cares, and of distances with a mark, come after the
// others. Rows are the lowest bits of outcomes; those from TABLE_OUTCOMES on are unused.
enum { COLUMN_ANY, COLUMN_QUIET_MATE, COLUMN_QUIET_CURSED, MORE_COLUMNS };
enum { COLUMNS = DISTANCES + MORE_COLUMNS, ROWS = 8, EIGHT = 8 };

struct conversion {
    unsigned limit;                 // the number of columns of distances
    bool quiet;                     // there are marks
    uint8_t outcome[ROWS][COLUMNS]; // the leaves of outcomes
    _Atomic uint64_t symbols[ROWS][COLUMNS];
    uint64_t count[SYZYGY_CLASSES][DISTANCES]; // of distances that must be stored
    uint8_t code[SYZYGY_CLASSES][DISTANCES];   // the leaves of these distances
    uint8_t leaf[ROWS][COLUMNS];
};

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

// The groups of Black, then those of White. The white king is last if White's groups end with identical pieces, because
// values come in rows of the last piece (table/write/sections.h), otherwise first, unless there are pawns.
static void init_order(struct entry_order *order, const struct material *material, const struct pawn_slices *slices)
{
    uint8_t choice[ENTRY_GROUPS_MAX] = {0};
    int groups = 0;
    int king = 0;
    entry_order_init(order, material, slices, NULL);
    for (int colour = BLACK; colour >= WHITE; colour--) {
        for (int g = 0; g < order->groups; g++) {
            if (order->group[g].colour != colour)
                continue;
            if (colour == WHITE && order->group[g].type == KING)
                king = groups;
            choice[groups++] = (uint8_t)g;
        }
    }
    const uint8_t number = choice[king];
    if (order->group[choice[groups - 1]].count > 1) {
        memmove(choice + king, choice + king + 1, (size_t)(groups - 1 - king));
        choice[groups - 1] = number;
    } else if (!material_has_pawns(material)) {
        memmove(choice + 1, choice, (size_t)king);
        choice[0] = number;
    }
    entry_order_init(order, material, slices, choice);
}

// Do pairs of kings have blocks?
static bool has_pairs(const struct entry_order *order)
{
    return !material_has_pawns(&order->material) && order->group[0].type == KING && order->group[0].colour == WHITE;
}

// Divides the part into the blocks of pairs of kings.
static void place_pairs(struct natural *natural)
{
    natural->entries = 0;
    for (int i = 0; i < TRIANGLE_SQUARES; i++) {
        const int black = triangle_square[i];
        for (int white = 0; white < SQUARES; white++) {
            const bool mirrored = square_on_diagonal(black) && square_rank(white) > square_file(white);
            natural->start[i][white] = squares_touch(black, white) || mirrored ? NO_BLOCK : natural->entries;
            natural->entries += natural->start[i][white] == NO_BLOCK ? 0 : natural->block;
        }
    }
    natural->entries += natural->block;
}

uint64_t natural_most(const struct material *material, uint64_t slices)
{
    enum { PAIRS = 462 };
    struct entry_order order;
    struct syzygy_shape shape = {.values = 0};
    init_order(&order, material, NULL);
    if (!has_pairs(&order) || natural_shape(&shape, material, 0) != 0)
        return u64_product(slices, order.per_slice);
    return u64_larger(u64_product(PAIRS + 1, order.group[0].stride), shape.values);
}

int natural_open(struct natural *natural, const struct content *content, bool lean, struct thread_pool *pool)
{
    const uint32_t all = content->slices != NULL ? content->slices->slices : TRIANGLE_SQUARES;
    const int *longest = content->longest_kept;
    uint64_t slices[SYZYGY_FILES] = {0};
    uint64_t most = 0;
    *natural = (struct natural){.content = content, .pool = pool, .held = -1, .lean = lean};
    init_order(&natural->order, content->material, content->slices);
    natural->per_slice = natural->order.per_slice;
    natural->pairs = has_pairs(&natural->order);
    natural->block = natural->pairs ? natural->order.group[0].stride : natural->per_slice;
    natural->width = (longest[WHITE] > longest[BLACK] ? longest[WHITE] : longest[BLACK]) < 0xff ? 1 : 2;
    for (uint32_t slice = 0; slice < all; slice++) {
        const int file = content->slices != NULL ? lead_file(content, slice) : 0;
        most = ++slices[file] > most ? slices[file] : most;
    }
    natural->most = natural_most(content->material, most);
    natural->outcomes = memory_map(natural->most);
    natural->distances = lean ? natural->outcomes : memory_map(natural->most);
    natural->values = lean ? NULL : memory_map(natural->most);
    int code = 0;
    if (natural->outcomes == NULL || natural->distances == NULL || (!lean && natural->values == NULL))
        code = error_memory(natural->most * (lean ? 1 : 3), "the values of a Syzygy file");
    for (int side = WHITE; side <= BLACK; side++)
        THEN(code, memory_new(&natural->conversion[side], 1, sizeof(struct conversion), "distances of a Syzygy file"));
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
    natural->entries = natural->slices * natural->per_slice;
    natural->held = -1;
    if (natural->pairs)
        place_pairs(natural);
}

void natural_close(struct natural *natural)
{
    memory_unmap(natural->outcomes, natural->most);
    if (!natural->lean)
        memory_unmap(natural->distances, natural->most);
    memory_unmap(natural->values, natural->most);
    for (int side = WHITE; side <= BLACK; side++)
        free(natural->conversion[side]);
    free(natural->number);
    free(natural->place);
    *natural = (struct natural){0};
}

// ---- addresses ----

// Fills in the parts of a group for all combinations of its squares, in their rising order.
static void fill_group(const struct address *address, int group, int symmetry, uint64_t stride, uint64_t *part)
{
    const int count = address->count[group];
    uint8_t square[MATERIAL_MEN_MAX] = {0};
    for (int i = 0; i < count; i++)
        square[i] = (uint8_t)i;
    for (uint64_t digit = 0, all = entry_choose(SQUARES, (unsigned)count); digit < all; digit++) {
        uint8_t moved[MATERIAL_MEN_MAX] = {0};
        for (int i = 0; i < count; i++)
            moved[i] = (uint8_t)square_apply(symmetry, square[i]);
        part[digit] = entry_digit(moved, count) * stride;
        // The next combination: the first man that can take a step does so, and those before him go back to the start.
        int step = 0;
        while (step + 1 < count && square[step] + 1 == square[step + 1]) {
            square[step] = (uint8_t)step;
            step++;
        }
        square[step]++;
    }
}

// The part of a pair of kings.
static uint64_t pair_part(const struct natural *natural, int black, int white, int symmetry, uint64_t king_stride)
{
    const unsigned slice = (uint8_t)square_triangle[square_apply(symmetry, black)];
    const int square = square_apply(symmetry, white);
    if (!natural->pairs)
        return (uint64_t)slice * natural->per_slice + (uint64_t)square * king_stride;
    const uint64_t start = natural->start[slice][square];
    return start == NO_BLOCK ? natural->entries - natural->block : start;
}

int address_open(struct address *address, const struct natural *natural)
{
    const struct entry_order *order = &natural->order;
    *address = (struct address){.pawns = order->slices != NULL, .groups = order->groups};
    const int symmetries = address->pawns ? 2 : SYMMETRIES;
    uint64_t strides[ADDRESS_GROUPS_MAX] = {0};
    uint64_t king_stride = 0;
    uint64_t each = 0;
    for (int g = 0; g < order->groups; g++) {
        address->type[g] = order->group[g].type;
        address->colour[g] = order->group[g].colour;
        address->count[g] = order->group[g].count;
        strides[g] = order->group[g].stride;
        if (!address->pawns && address->type[g] == KING) {
            king_stride = strides[g];
            strides[g] = 0;
        }
    }
    if (!address->pawns) {
        const int g = address->groups++;
        address->type[g] = KING;
        address->colour[g] = BLACK;
        address->count[g] = 1;
    }
    for (int g = 0; g < address->groups; g++)
        each += entry_choose(SQUARES, address->count[g]);
    TRY(memory_new(&address->space, (size_t)symmetries * each, sizeof *address->space, "the order of a Syzygy file"));
    uint64_t *part = address->space;
    for (int symmetry = 0; symmetry < symmetries; symmetry++) {
        for (int g = 0; g < address->groups; g++) {
            address->part[symmetry][g] = part;
            fill_group(address, g, symmetry, strides[g], part);
            part += entry_choose(SQUARES, address->count[g]);
        }
    }
    for (int black = 0; black < SQUARES; black++) {
        for (int white = 0; white < SQUARES; white++) {
            int symmetry[2] = {0};
            address->turn[black][white].count = (uint8_t)entry_symmetries(black, white, symmetry);
            for (int i = 0; i < 2; i++)
                address->turn[black][white].symmetry[i] = (uint8_t)symmetry[i];
            if (!address->pawns)
                address->pair[black][white] = pair_part(natural, black, white, symmetry[0], king_stride);
        }
    }
    return 0;
}

void address_close(struct address *address)
{
    free(address->space);
    address->space = NULL;
}

int address_group(const struct address *address, int colour, int type)
{
    for (int g = 0; g < address->groups; g++) {
        if (address->colour[g] == colour && address->type[g] == type)
            return g;
    }
    return -1;
}

// ---- steps 2 and 3: a pass through the sections ----

// What a .cltb file has.
struct raw {
    const uint8_t *outcomes;
    const uint8_t *distances;
    const uint8_t *marks; // or NULL
    unsigned width;       // of a distance
    unsigned limit;       // as in struct conversion
};

struct pass {
    const struct natural *natural;
    struct conversion *conversion;
    bool leaves;          // are made of distances; otherwise outcomes, and distances are counted
    struct raw raw;       // marks of the part
    uint8_t *sections[2]; // some, filled in: outcomes, distances
    uint64_t first;       // the first slice in them
    uint32_t done;        // the first slice of the part in them
    uint64_t blocks;      // of a slice
    uint64_t pieces;      // of a block
};

static inline unsigned row_of(const struct raw *raw, uint64_t i)
{
    return raw->outcomes[i] & (ROWS - 1);
}

static inline unsigned column(const struct raw *raw, uint64_t i)
{
    const unsigned symbol = raw->width == 1 ? raw->distances[i] : ((const uint16_t *)(const void *)raw->distances)[i];
    if (symbol >= raw->limit)
        return raw->limit + COLUMN_ANY;
    if (raw->marks == NULL || raw->marks[i] == 0)
        return symbol;
    return symbol == 1 && raw->marks[i] & QUIET_MATE              ? raw->limit + COLUMN_QUIET_MATE
           : symbol == CURSED_PLY && raw->marks[i] & QUIET_CURSED ? raw->limit + COLUMN_QUIET_CURSED
                                                                  : symbol;
}

// Are the eight entries from `i` on known to be equal?
static inline bool alike(const struct raw *raw, uint64_t i)
{
    uint64_t outcomes;
    uint64_t distances;
    uint64_t marks = 0;
    if (raw->width != 1)
        return false;
    memcpy(&outcomes, raw->outcomes + i, EIGHT);
    memcpy(&distances, raw->distances + i, EIGHT);
    if (raw->marks != NULL)
        memcpy(&marks, raw->marks + i, EIGHT);
    return outcomes == (outcomes << 8 | outcomes >> 56) && distances == (distances << 8 | distances >> 56) &&
           marks == 0;
}

// The distance that must be stored, or -1 for a free one.
static int kept_distance(const struct conversion *c, int class, unsigned at)
{
    if (at == c->limit + COLUMN_ANY || class < 0)
        return -1;
    if (at > c->limit)
        return at == c->limit + COLUMN_QUIET_MATE ? 1 : CURSED_PLY;
    const bool brought = (class == CLASS_WIN && at == 1) || (class == CLASS_CURSED && at == CURSED_PLY);
    return brought && c->quiet ? -1 : (int)at;
}

// Converts entries to leaves, which may replace their marks, and counts them if count[ROWS][COLUMNS] is not NULL.
static void convert(const struct raw *raw, uint64_t entries, const uint8_t (*leaf)[COLUMNS], uint8_t *to,
                    uint32_t (*count)[COLUMNS])
{
    for (uint64_t i = 0; i < entries;) {
        if (i + EIGHT <= entries && alike(raw, i)) {
            const unsigned row = row_of(raw, i);
            const unsigned at = column(raw, i);
            memset(to + i, leaf[row][at], EIGHT);
            if (count != NULL)
                count[row][at] += EIGHT;
            i += EIGHT;
            continue;
        }
        for (const uint64_t next = i + EIGHT < entries ? i + EIGHT : entries; i < next; i++) {
            const unsigned row = row_of(raw, i);
            const unsigned at = column(raw, i);
            to[i] = leaf[row][at];
            if (count != NULL)
                count[row][at]++;
        }
    }
}

static int convert_piece(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct pass *pass = context;
    const struct natural *natural = pass->natural;
    struct conversion *c = pass->conversion;
    const uint64_t slice = pass->done + item / pass->pieces / pass->blocks;
    const uint64_t block = item / pass->pieces % pass->blocks;
    const uint64_t skip = item % pass->pieces * CHUNK;
    const uint64_t start = natural->pairs ? natural->start[slice][block] : slice * natural->per_slice;
    const uint64_t at = (natural->number[slice] - pass->first) * natural->per_slice + block * natural->block + skip;
    const uint64_t entries = natural->block - skip < CHUNK ? natural->block - skip : CHUNK;
    struct raw raw = pass->raw;
    if (start == NO_BLOCK)
        return 0;
    raw.outcomes = pass->sections[0] + at;
    raw.distances = pass->sections[1] + at * raw.width;
    raw.marks = raw.marks == NULL ? NULL : raw.marks + start + skip;
    if (pass->leaves) {
        convert(&raw, entries, c->leaf, natural->distances + start + skip, NULL);
        return 0;
    }
    uint32_t count[ROWS][COLUMNS];
    for (unsigned row = 0; row < ROWS; row++)
        memset(count[row], 0, (c->limit + MORE_COLUMNS) * sizeof count[row][0]);
    convert(&raw, entries, c->outcome, natural->outcomes + start + skip, count);
    for (unsigned row = 0; row < TABLE_OUTCOMES; row++) {
        for (unsigned i = 0; i < c->limit + MORE_COLUMNS; i++) {
            if (count[row][i] > 0)
                atomic_fetch_add(&c->symbols[row][i], count[row][i]);
        }
    }
    return 0;
}

// Sections that are filled in at a time.
static uint64_t sections_at_once(const struct entry_order *order)
{
    return order->per_section < LOAD_ENTRIES ? LOAD_ENTRIES / order->per_section : 1;
}

static int fill_sections(struct pass *pass, int side)
{
    const struct natural *natural = pass->natural;
    const struct entry_order *order = &natural->order;
    const struct section_request request = {
        .side = side,
        .outcome = {.order = order, .bytes = 1, .symbols = pass->sections[0]},
        .distance = {.order = order, .bytes = pass->raw.width, .symbols = pass->sections[1]}};
    const uint64_t each = order->slices_per_section;
    const uint64_t most = sections_at_once(order);
    for (uint32_t next; pass->done < natural->slices; pass->done = next) {
        const uint64_t first = natural->number[pass->done] / each;
        uint64_t end = first;
        for (next = pass->done; next < natural->slices; next++) {
            const uint64_t section = natural->number[next] / each;
            if (section > end || section >= first + most)
                break;
            end = section + 1;
        }
        pass->first = first * each;
        TRY(natural->content->fill(natural->content->context, &request, first, end - first, natural->pool));
        TRY(threads_each(natural->pool, (next - pass->done) * pass->blocks * pass->pieces, convert_piece, pass));
    }
    return 0;
}

// Goes through all sections. `marks`: NULL for none.
static int pass_through(struct natural *natural, int side, bool leaves, const uint8_t *marks)
{
    struct conversion *c = natural->conversion[side];
    struct pass pass = {.natural = natural,
                        .conversion = c,
                        .leaves = leaves,
                        .raw = {.marks = marks, .width = natural->width, .limit = c->limit},
                        .blocks = natural->per_slice / natural->block,
                        .pieces = (natural->block + CHUNK - 1) / CHUNK};
    const uint64_t entries = sections_at_once(&natural->order) * natural->order.per_section;
    uint8_t *sections = memory_map(entries * (1 + natural->width));
    if (sections == NULL)
        return error_memory(entries * (1 + natural->width), "the values of a Syzygy file");
    pass.sections[0] = sections + entries * natural->width;
    pass.sections[1] = sections;
    const int code = fill_sections(&pass, side);
    memory_unmap(sections, entries * (1 + natural->width));
    if (natural->pairs)
        memset((leaves ? natural->distances : natural->outcomes) + natural->entries - natural->block, SYZYGY_ANY,
               natural->block);
    return code;
}

// ---- step 3: leaves ----

static unsigned coded(const struct syzygy_map *map, int class, int distance)
{
    if (class >= CLASS_CURSED)
        return (unsigned)(distance - CURSED_PLY) / 2;
    const unsigned x = distance > 0 ? (unsigned)distance - 1 : 0;
    return map->plies[class] ? x : x / 2;
}

// Makes the lists of values, most frequent first, and with them the leaves.
static int make_lists(struct conversion *c, struct syzygy_map *map)
{
    bool zero = true;
    bool varied = false;
    for (int class = 0; class < SYZYGY_CLASSES; class ++) {
        uint64_t count[DISTANCES] = {0};
        for (int d = 0; d < DISTANCES; d++)
            count[coded(map, class, d) % DISTANCES] += c->count[class][d];
        for (int left = 0; left < DISTANCES; left++) {
            int best = 0;
            for (int x = 1; x < DISTANCES; x++)
                best = count[x] > count[best] ? x : best;
            if (count[best] == 0)
                break;
            map->list[class][map->count[class]++] = (uint16_t)best;
            count[best] = 0;
        }
        map->mapped |= map->count[class] > 0;
        varied |= map->count[class] > 1;
        zero &= map->count[class] == 0 || (map->count[class] == 1 && map->list[class][0] == 0);
    }
    map->mapped &= !zero;
    // Readers would take a sub-table with no leaf but 0 for one with no value but 0, so the value gets leaf 1.
    for (int class = 0; class < SYZYGY_CLASSES && map->mapped && !varied; class ++) {
        if (map->count[class] == 1 && map->list[class][0] != 0) {
            map->list[class][map->count[class]++] = map->list[class][0];
            map->list[class][0] = 0;
        }
    }
    for (int class = 0; class < SYZYGY_CLASSES; class ++) {
        if (map->count[class] > SYZYGY_FREE_MIN)
            return error_set(CLTB_E_USAGE, "no Syzygy file is written of more than %d different distances of one kind",
                             SYZYGY_FREE_MIN);
        for (int d = 0; d < DISTANCES; d++) {
            for (int rank = 0; rank < map->count[class]; rank++) {
                if (map->list[class][rank] == coded(map, class, d))
                    c->code[class][d] = (uint8_t)rank;
            }
        }
    }
    return 0;
}

// Does step 1; `*marks` is NULL if there are none.
static int mark(const struct natural *natural, int side, const uint8_t **marks, bool *loss_100, bool *win_100)
{
    // Neither array is in use.
    uint8_t *space = natural->lean ? natural->outcomes : natural->values;
    *marks = NULL;
    if (!natural->conversion[side]->quiet)
        return 0;
    memset(space, 0, natural->entries);
    *marks = space;
    return quiet_mark(natural, space, side, loss_100, win_100);
}

int natural_make(struct natural *natural, int side, bool exact, struct syzygy_map *map)
{
    const struct content *content = natural->content;
    struct conversion *c = natural->conversion[side];
    const uint8_t *marks;
    *map = (struct syzygy_map){0};
    memset(c, 0, sizeof *c);
    bool loss_100 = content->longest[side ^ 1][CLTB_LOSS + 2] == PLY_LIMIT;
    bool win_100 = content->longest[side ^ 1][CLTB_WIN + 2] == PLY_LIMIT;
    c->limit = natural->width == 1 ? 0xff : DISTANCES;
    c->quiet = content->slices != NULL || content->longest[side][CLTB_CURSED_WIN + 2] >= CURSED_PLY;
    memset(c->outcome, SYZYGY_ANY, sizeof c->outcome);
    for (unsigned outcome = 0; outcome < TABLE_OUTCOMES; outcome++)
        memset(c->outcome[outcome], (int)outcome, sizeof c->outcome[0]);
    memset(c->outcome[DRAW_OR_WORSE & (ROWS - 1)], SYZYGY_TO_DRAW, sizeof c->outcome[0]);
    if (content->slices == NULL)
        c->outcome[CLTB_CURSED_WIN + 2][CURSED_PLY] = SYZYGY_TO_CURSED;
    natural->held = -1;
    TRY(mark(natural, side, &marks, &loss_100, &win_100));
    TRY(pass_through(natural, side, false, marks));
    for (unsigned row = 0; row < TABLE_OUTCOMES; row++) {
        for (unsigned i = 0; i < c->limit + MORE_COLUMNS; i++) {
            const int distance = kept_distance(c, class_of[row], i);
            if (distance >= 0)
                c->count[class_of[row]][distance] += c->symbols[row][i];
        }
    }
    map->plies[CLASS_WIN] = exact || c->count[CLASS_WIN][PLY_LIMIT] > 0 || loss_100;
    map->plies[CLASS_LOSS] = exact || c->count[CLASS_LOSS][PLY_LIMIT] > 0 || win_100;
    TRY(make_lists(c, map));
    memset(c->leaf, SYZYGY_ANY, sizeof c->leaf);
    for (unsigned row = 0; row < TABLE_OUTCOMES; row++) {
        for (unsigned i = 0; i < c->limit + MORE_COLUMNS; i++) {
            const int distance = kept_distance(c, class_of[row], i);
            if (distance >= 0)
                c->leaf[row][i] = c->code[class_of[row]][distance];
        }
    }
    if (natural->lean)
        return 0;
    natural->held = side;
    return pass_through(natural, side, true, marks);
}

int natural_distances(struct natural *natural, int side)
{
    const uint8_t *marks;
    bool unused[COLOURS];
    if (natural->held == side)
        return 0;
    natural->held = side;
    TRY(mark(natural, side, &marks, &unused[0], &unused[1]));
    return pass_through(natural, side, true, marks);
}

uint64_t natural_bytes(const struct material *material, uint64_t slices, unsigned width)
{
    struct entry_order order;
    init_order(&order, material, NULL);
    const uint64_t entries = u64_product(slices, order.per_slice);
    return u64_product(1 + (uint64_t)width, u64_smaller(entries, u64_larger(order.per_slice, LOAD_ENTRIES)));
}
