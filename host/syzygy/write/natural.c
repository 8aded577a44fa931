// natural.c - the part of an endgame in one sub-table of a file, and its values as bytes in the natural order
#include "syzygy/write/natural.h"

#include "syzygy/write/packed.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    DISTANCES = 2048,
    CHUNK = 1 << 16,       // entries in a work item
    LOAD_ENTRIES = 1 << 24 // loaded at a time if they are not kept
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

// ---- addresses ----

// Fills in the parts of a group for all combinations of its squares, in their rising order.
static void fill_group(const struct address *address, int group, int symmetry, uint64_t stride, uint64_t *part)
{
    const int count = address->count[group];
    uint8_t square[MATERIAL_MEN_MAX] = {0};
    const bool king = !address->pawns && address->type[group] == KING && address->colour[group] == BLACK;
    for (int i = 0; i < count; i++)
        square[i] = (uint8_t)i;
    for (uint64_t digit = 0, all = entry_choose(SQUARES, (unsigned)count); digit < all; digit++) {
        uint8_t moved[MATERIAL_MEN_MAX] = {0};
        for (int i = 0; i < count; i++)
            moved[i] = (uint8_t)square_apply(symmetry, square[i]);
        if (king)
            part[digit] = square_triangle[moved[0]] < 0 ? 0 : (uint64_t)square_triangle[moved[0]] * stride;
        else
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

int address_open(struct address *address, const struct entry_order *order)
{
    *address = (struct address){.pawns = order->slices != NULL, .groups = order->groups};
    const int symmetries = address->pawns ? 2 : SYMMETRIES;
    uint64_t strides[ADDRESS_GROUPS_MAX] = {0};
    uint64_t each = 0;
    for (int g = 0; g < order->groups; g++) {
        address->type[g] = order->group[g].type;
        address->colour[g] = order->group[g].colour;
        address->count[g] = order->group[g].count;
        strides[g] = order->group[g].stride;
    }
    if (!address->pawns) {
        const int g = address->groups++;
        address->type[g] = KING;
        address->colour[g] = BLACK;
        address->count[g] = 1;
        strides[g] = order->per_slice;
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

// ---- step 1: what a .cltb file has ----

struct raw {
    uint8_t *outcomes;
    void *distances;
    unsigned width; // of a distance
};

static int raw_new(struct raw *raw, uint64_t entries, unsigned width)
{
    raw->width = width;
    raw->outcomes = malloc(entries);
    raw->distances = malloc(entries * width);
    if (raw->outcomes != NULL && raw->distances != NULL)
        return 0;
    free(raw->outcomes);
    free(raw->distances);
    *raw = (struct raw){0};
    return error_memory(entries * (1 + width), "the values of a Syzygy file");
}

// Writes some sections to the start of `raw`.
static int fill(const struct natural *natural, int side, uint64_t first, uint64_t count, const struct raw *raw)
{
    const struct section_request request = {
        .side = side,
        .outcome = {.order = &natural->order, .bytes = 1, .symbols = raw->outcomes},
        .distance = {.order = &natural->order, .bytes = raw->width, .symbols = raw->distances}};
    return natural->content->fill(natural->content->context, &request, first, count, natural->pool);
}

// Sections of several slices each, from which the wanted slices are copied.
struct shared {
    const struct natural *natural;
    const struct raw *to;
    struct raw sections;
    uint64_t first; // the first slice in them
    uint64_t end;
};

static int copy_slice(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct shared *shared = context;
    const struct raw *from = &shared->sections;
    const struct raw *to = shared->to;
    const uint64_t slice = shared->natural->number[item];
    const uint64_t n = shared->natural->per_slice;
    const uint64_t at = (slice - shared->first) * n;
    if (slice < shared->first || slice >= shared->end)
        return 0;
    memcpy(to->outcomes + item * n, from->outcomes + at, n);
    memcpy((uint8_t *)to->distances + item * n * to->width, (uint8_t *)from->distances + at * to->width, n * to->width);
    return 0;
}

static int load_shared(const struct natural *natural, int side, const struct raw *raw)
{
    const uint64_t each = natural->order.slices_per_section;
    const uint64_t last = natural->number[natural->slices - 1] / each;
    const uint64_t most = LOAD_ENTRIES / natural->order.per_section + 1;
    const uint64_t entries = most * natural->order.per_section;
    struct shared shared = {.natural = natural, .to = raw};
    struct raw own = {0};
    // The array of values is still unused.
    if (raw->width == 1 && 2 * entries <= natural->most)
        shared.sections = (struct raw){natural->values, natural->values + entries, 1};
    else
        TRY(raw_new(&own, entries, raw->width));
    if (own.outcomes != NULL)
        shared.sections = own;
    int code = 0;
    for (uint64_t section = natural->number[0] / each; code == 0 && section <= last; section += most) {
        const uint64_t some = last + 1 - section < most ? last + 1 - section : most;
        code = fill(natural, side, section, some, &shared.sections);
        shared.first = section * each;
        shared.end = (section + some) * each;
        THEN(code, threads_each(natural->pool, natural->slices, copy_slice, &shared));
    }
    free(own.outcomes);
    free(own.distances);
    return code;
}

static int load(const struct natural *natural, int side, const struct raw *raw)
{
    if (natural->order.slices_per_section > 1)
        return load_shared(natural, side, raw);
    for (uint32_t done = 0, run; done < natural->slices; done += run) {
        const uint64_t at = done * natural->per_slice;
        const struct raw here = {raw->outcomes + at, (uint8_t *)raw->distances + at * raw->width, raw->width};
        for (run = 1; done + run < natural->slices && natural->number[done + run] == natural->number[done] + run;)
            run++;
        TRY(fill(natural, side, natural->number[done], run, &here));
    }
    return 0;
}

// ---- step 3: leaves ----

enum { CLASS_WIN, CLASS_LOSS, CLASS_CURSED, CLASS_BLESSED };

static const int class_of[TABLE_OUTCOMES] = {CLASS_LOSS, CLASS_BLESSED, -1, CLASS_CURSED, CLASS_WIN};

// Symbols of distances as columns of a table: if they have two bytes, those that are marks come after the distances.
// Rows are the lowest bits of outcomes; those from TABLE_OUTCOMES on are unused.
enum { COLUMNS = DISTANCES + 0x100, ROWS = 8, EIGHT = 8 };

struct conversion {
    const struct raw *raw;
    bool quiet; // the marks of step 2 are set
    uint64_t entries;
    uint8_t outcome[ROWS]; // the leaves of outcomes
    _Atomic uint64_t symbols[ROWS][COLUMNS];
    uint64_t count[SYZYGY_CLASSES][DISTANCES]; // of distances that must be stored
    uint8_t code[SYZYGY_CLASSES][DISTANCES];   // the leaves of these distances
    uint8_t leaf[ROWS][COLUMNS];
};

static inline unsigned row_of(const struct raw *raw, uint64_t i)
{
    return raw->outcomes[i] & (ROWS - 1);
}

static inline unsigned column(const struct raw *raw, uint64_t i)
{
    if (raw->width == 1)
        return ((const uint8_t *)raw->distances)[i];
    const unsigned symbol = ((const uint16_t *)raw->distances)[i];
    return symbol < DISTANCES ? symbol : DISTANCES + (symbol & 0xff);
}

// Are the eight entries from `i` on known to be equal?
static inline bool alike(const struct raw *raw, uint64_t i)
{
    uint64_t outcomes;
    uint64_t distances;
    if (raw->width != 1)
        return false;
    memcpy(&outcomes, raw->outcomes + i, EIGHT);
    memcpy(&distances, (const uint8_t *)raw->distances + i, EIGHT);
    return outcomes == (outcomes << 8 | outcomes >> 56) && distances == (distances << 8 | distances >> 56);
}

// The distance that must be stored, or -1 for a free one.
static int kept_distance(const struct conversion *c, int class, unsigned at)
{
    const unsigned top = c->raw->width == 1 ? 0xff : COLUMNS - 1;
    if (at == top || class < 0)
        return -1;
    if (at + MARKS > top)
        return at == top - QUIET_MATE ? 1 : CURSED_PLY;
    const bool brought = (class == CLASS_WIN && at == 1) || (class == CLASS_CURSED && at == CURSED_PLY);
    return (brought && c->quiet) || at >= DISTANCES ? -1 : (int)at;
}

static int count_chunk(void *context, uint64_t item, int worker)
{
    (void)worker;
    struct conversion *c = context;
    const struct raw raw = *c->raw;
    const uint64_t end = (item + 1) * CHUNK < c->entries ? (item + 1) * CHUNK : c->entries;
    uint32_t count[ROWS][COLUMNS] = {{0}};
    for (uint64_t i = item * CHUNK; i < end;) {
        if (i + EIGHT <= end && alike(&raw, i)) {
            count[row_of(&raw, i)][column(&raw, i)] += EIGHT;
            i += EIGHT;
            continue;
        }
        for (const uint64_t next = i + EIGHT < end ? i + EIGHT : end; i < next; i++)
            count[row_of(&raw, i)][column(&raw, i)]++;
    }
    for (unsigned i = 0; i < TABLE_OUTCOMES * COLUMNS; i++) {
        if (count[i / COLUMNS][i % COLUMNS] > 0)
            atomic_fetch_add(&c->symbols[i / COLUMNS][i % COLUMNS], count[i / COLUMNS][i % COLUMNS]);
    }
    return 0;
}

// The leaves of a chunk replace its first distances.
static int convert_chunk(void *context, uint64_t item, int worker)
{
    (void)worker;
    const struct conversion *c = context;
    const struct raw raw = *c->raw;
    const uint64_t start = item * CHUNK;
    const uint64_t end = start + CHUNK < c->entries ? start + CHUNK : c->entries;
    uint8_t *leaves = (uint8_t *)raw.distances + start * raw.width;
    for (uint64_t i = start; i < end;) {
        if (i + EIGHT <= end && alike(&raw, i)) {
            const unsigned outcome = row_of(&raw, i);
            memset(leaves + (i - start), c->leaf[outcome][column(&raw, i)], EIGHT);
            memset(raw.outcomes + i, c->outcome[outcome], EIGHT);
            i += EIGHT;
            continue;
        }
        for (const uint64_t next = i + EIGHT < end ? i + EIGHT : end; i < next; i++) {
            const unsigned outcome = row_of(&raw, i);
            leaves[i - start] = c->leaf[outcome][column(&raw, i)];
            raw.outcomes[i] = c->outcome[outcome];
        }
    }
    return 0;
}

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

int natural_make(struct natural *natural, int side, bool exact, struct syzygy_map *map)
{
    const struct content *content = natural->content;
    const uint64_t entries = natural_entries(natural);
    const uint64_t chunks = (entries + CHUNK - 1) / CHUNK;
    const struct raw raw = {natural->outcomes, natural->distances, natural->width};
    struct conversion *c;
    *map = (struct syzygy_map){0};
    TRY(memory_new(&c, 1, sizeof *c, "the distances of a Syzygy file"));
    int code = load(natural, side, &raw);
    bool loss_100 = content->longest[side ^ 1][CLTB_LOSS + 2] == PLY_LIMIT;
    bool win_100 = content->longest[side ^ 1][CLTB_WIN + 2] == PLY_LIMIT;
    c->quiet = content->slices != NULL || content->longest[side][CLTB_CURSED_WIN + 2] >= CURSED_PLY;
    if (code == 0 && c->quiet)
        code = quiet_mark(natural, side, &loss_100, &win_100);
    c->raw = &raw;
    c->entries = entries;
    memset(c->outcome, SYZYGY_ANY, sizeof c->outcome);
    for (unsigned outcome = 0; outcome < TABLE_OUTCOMES; outcome++)
        c->outcome[outcome] = (uint8_t)outcome;
    c->outcome[DRAW_OR_WORSE & (ROWS - 1)] = SYZYGY_TO_DRAW;
    THEN(code, threads_each(natural->pool, chunks, count_chunk, c));
    for (unsigned i = 0; i < TABLE_OUTCOMES * COLUMNS; i++) {
        const unsigned row = i / COLUMNS;
        const int distance = kept_distance(c, class_of[row], i % COLUMNS);
        if (distance >= 0)
            c->count[class_of[row]][distance] += c->symbols[row][i % COLUMNS];
    }
    map->plies[CLASS_WIN] = exact || c->count[CLASS_WIN][PLY_LIMIT] > 0 || loss_100;
    map->plies[CLASS_LOSS] = exact || c->count[CLASS_LOSS][PLY_LIMIT] > 0 || win_100;
    THEN(code, make_lists(c, map));
    for (unsigned i = 0; i < ROWS * COLUMNS; i++) {
        const unsigned row = i / COLUMNS;
        const int distance = row < TABLE_OUTCOMES ? kept_distance(c, class_of[row], i % COLUMNS) : -1;
        c->leaf[row][i % COLUMNS] = distance >= 0 ? c->code[class_of[row]][distance] : SYZYGY_ANY;
    }
    THEN(code, threads_each(natural->pool, chunks, convert_chunk, c));
    for (uint64_t start = CHUNK; code == 0 && raw.width == 2 && start < entries; start += CHUNK) {
        const uint64_t count = entries - start < CHUNK ? entries - start : CHUNK;
        memmove(natural->distances + start, natural->distances + start * raw.width, count);
    }
    free(c);
    return code;
}

// Sections that slices are copied from.
uint64_t natural_bytes(uint64_t entries, unsigned width)
{
    return (1 + (uint64_t)width) * (entries < LOAD_ENTRIES ? entries : LOAD_ENTRIES);
}
