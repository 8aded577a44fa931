// natural.c - the values of a solved endgame as bytes, in the order in which they are easy to make
#include "syzygy/write/natural.h"

#include "syzygy/write/pack.h"
#include "syzygy/write/quiet.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    DISTANCES = 1024,
    CHUNK = 1 << 16,       // entries in a work item
    LOAD_ENTRIES = 1 << 24 // loaded at a time if they are not kept
};

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
            return error_set(CLTB_E_USAGE, "more than %d different distances of one kind", SYZYGY_FREE_MIN);
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
