// code_lists.c - the entries of a plane sorted by their codes
//
// An item is sorted by counting: the entries of each line are taken from the bit planes code by code (code_lines.h),
// then those of each code go to their place. Sorted items lie in chunks that belong to one worker.
//
// Sorting once for each attacker replaces a look at all planes of all codes in every ply. With one piece of memory for
// the list of a code, fetched ahead, finding, sorting and entering take 0.60 to 0.69 of what a mask for each word took.
#include "solve/mates/code_lists.h"

#include "solve/solution.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    ITEM_WORDS = 1024,
    CHUNK_BYTES = 256 << 10,
    AHEAD = 8 // items that are prefetched
};

// Where the list of a code is. The lists of an item follow its ranges. Each begins with the numbers of its lines, then
// their words follow, and then, from a multiple of eight bytes on, the masks.
struct code_range {
    uint32_t at; // in words, from the first list on
    uint32_t lines;
};

struct chunk {
    struct chunk *next;
    size_t bytes;
    size_t used; // including the head
};

// What a worker needs; the chunks stay.
struct code_room {
    struct memory_pool *memory;
    struct chunk *chunk;
    uint64_t *codes;            // [MATE_CODE_BITS * item_words]
    struct code_line *line;     // [64 * item_words + 1]
    uint64_t *mask;             // [64 * item_words + LINE_WORDS]
    struct code_counts *counts; // [codes]
    struct line_list *ends;     // [codes]
    bool *any;                  // [codes]
};

int code_lists_open(struct code_lists *lists, const struct layout *layout, int bits, struct thread_pool *pool)
{
    const size_t tile_words = layout->tile_lanes / 64;
    *lists = (struct code_lists){.codes = 1U << bits, .kernels = code_kernels_choose(NULL)};
    lists->item_tiles = tile_words < ITEM_WORDS ? ITEM_WORDS / tile_words : 1;
    lists->item_words = lists->item_tiles * tile_words;
    lists->items = layout->tiles / lists->item_tiles;
    if (lists->item_words > UINT16_MAX + 1)
        return error_set(CLTB_E_USAGE, "tiles are too large for lists of entries");
    TRY(memory_new(&lists->range, lists->items, sizeof(struct code_range *), "lists of entries"));
    TRY(memory_new(&lists->any, lists->codes, sizeof *lists->any, "lists of entries"));
    lists->rooms = (size_t)threads_count(pool);
    TRY(memory_new(&lists->room, lists->rooms, sizeof *lists->room, "lists of entries"));
    for (size_t i = 0; i < lists->rooms; i++)
        lists->room[i].memory = threads_memory(pool);
    return 0;
}

static size_t codes_bytes(const struct code_lists *lists)
{
    return MATE_CODE_BITS * lists->item_words * sizeof(uint64_t);
}

static size_t lines_bytes(const struct code_lists *lists)
{
    return (64 * lists->item_words + 1) * sizeof(struct code_line);
}

static size_t masks_bytes(const struct code_lists *lists)
{
    return (64 * lists->item_words + LINE_WORDS) * sizeof(uint64_t);
}

uint64_t *code_lists_room(struct code_lists *lists, int worker)
{
    struct code_room *room = &lists->room[worker];
    if (room->codes != NULL)
        return room->codes;
    room->line = memory_take(room->memory, lines_bytes(lists), NULL);
    room->mask = memory_take(room->memory, masks_bytes(lists), NULL);
    room->counts = calloc(lists->codes, sizeof *room->counts);
    room->ends = calloc(lists->codes, sizeof *room->ends);
    room->any = calloc(lists->codes, sizeof *room->any);
    if (room->line != NULL && room->mask != NULL && room->counts != NULL && room->ends != NULL && room->any != NULL)
        room->codes = memory_take(room->memory, codes_bytes(lists), NULL);
    if (room->codes == NULL)
        error_memory(lines_bytes(lists) + masks_bytes(lists) + codes_bytes(lists), "lists of entries");
    return room->codes;
}

void code_lists_finish(struct code_lists *lists, struct thread_pool *pool)
{
    for (size_t i = 0; i < lists->rooms; i++) {
        struct code_room *room = &lists->room[i];
        for (unsigned code = 0; room->any != NULL && code < lists->codes; code++)
            lists->any[code] |= room->any[code];
        memory_give(threads_memory(pool), room->codes, codes_bytes(lists));
        memory_give(threads_memory(pool), room->line, lines_bytes(lists));
        memory_give(threads_memory(pool), room->mask, masks_bytes(lists));
        free(room->counts);
        free(room->ends);
        free(room->any);
        *room = (struct code_room){.memory = room->memory, .chunk = room->chunk};
    }
}

void code_lists_free(struct code_lists *lists, struct thread_pool *pool)
{
    if (lists->room != NULL)
        code_lists_finish(lists, pool);
    for (size_t i = 0; lists->room != NULL && i < lists->rooms; i++) {
        while (lists->room[i].chunk != NULL) {
            struct chunk *chunk = lists->room[i].chunk;
            lists->room[i].chunk = chunk->next;
            memory_give(threads_memory(pool), chunk, chunk->bytes);
        }
    }
    free(lists->room);
    free(lists->range);
    free(lists->any);
    *lists = (struct code_lists){.codes = 0};
}

// ---- sorting ----

static void *append(struct code_room *room, size_t bytes)
{
    const size_t head = (sizeof(struct chunk) + 7) / 8 * 8;
    if (room->chunk == NULL || room->chunk->used + bytes > room->chunk->bytes) {
        const size_t size = head + bytes > CHUNK_BYTES ? head + bytes : CHUNK_BYTES;
        struct chunk *chunk = memory_take(room->memory, size, NULL);
        if (chunk == NULL)
            return NULL;
        *chunk = (struct chunk){.next = room->chunk, .bytes = size, .used = head};
        room->chunk = chunk;
    }
    void *start = (char *)room->chunk + room->chunk->used;
    room->chunk->used += (bytes + 7) / 8 * 8;
    return start;
}

// In words.
static size_t masks_at(size_t lines)
{
    return (lines * (sizeof(uint16_t) + sizeof(uint8_t)) + 7) / 8;
}

static struct line_list list_of(const struct code_lists *lists, struct code_range *range, unsigned code)
{
    uint64_t *first = (uint64_t *)(void *)&range[lists->codes] + range[code].at;
    const size_t lines = range[code].lines;
    uint16_t *line = (uint16_t *)(void *)first;
    return (struct line_list){line, (uint8_t *)(line + lines), first + masks_at(lines)};
}

int code_lists_sort(struct code_lists *lists, uint64_t item, int worker, int bits, const uint64_t *closed)
{
    struct code_room *room = &lists->room[worker];
    const size_t count =
        lists->kernels->find(room->codes, closed, lists->item_words, bits, room->line, room->mask, room->counts);
    size_t words = 0;
    if (count == 0)
        return 0;
    for (unsigned code = 0; code < lists->codes; code++)
        words += masks_at(room->counts[code].lines) + room->counts[code].masks;
    const size_t bytes = lists->codes * sizeof(struct code_range) + words * sizeof(uint64_t);
    struct code_range *range = append(room, bytes);
    if (range == NULL)
        return error_memory(bytes, "lists of entries");
    for (size_t i = 0; i < bytes; i += 64) // all of it at once, since it is written in no order
        __builtin_prefetch((char *)range + i, 1, 2);
    words = 0;
    for (unsigned code = 0; code < lists->codes; code++) {
        const struct code_counts *counts = &room->counts[code];
        room->any[code] |= counts->lines > 0;
        range[code] = (struct code_range){(uint32_t)words, counts->lines};
        room->ends[code] = list_of(lists, range, code);
        words += masks_at(counts->lines) + counts->masks;
    }
    lists->kernels->place(room->line, count, room->mask, room->ends);
    lists->range[item] = range;
    return 0;
}

// ---- entering ----

int code_lists_enter(const struct code_lists *lists, struct backend *backend, unsigned code, struct plane *plane,
                     bool clear, bool *any)
{
    if (code >= lists->codes || !lists->any[code])
        return 0;
    struct plane_lines *parts = malloc(lists->items * sizeof *parts);
    size_t count = 0;
    if (parts == NULL)
        return error_memory(lists->items * sizeof *parts, "lists of entries");
    for (size_t i = 0; i < lists->items; i++) {
        struct code_range *range = lists->range[i];
        if (i + AHEAD < lists->items && lists->range[i + AHEAD] != NULL)
            __builtin_prefetch(&lists->range[i + AHEAD][code]);
        if (range != NULL && range[code].lines > 0)
            parts[count++] =
                (struct plane_lines){i * lists->item_words, list_of(lists, range, code), range[code].lines};
    }
    *any = true;
    const int result = backend->ops->enter(backend, plane, parts, count, clear);
    free(parts);
    return result;
}
