// code_lists.c - the entries of a plane sorted by their codes
//
// An item is sorted by counting: its pairs are taken from the bit planes one after the other, a word's entries with the
// code of the word's first entry that is left, and so on; then each goes to its place. Sorted items lie in chunks that
// belong to one worker.
#include "solve/code_lists.h"

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

struct code_part {
    const uint64_t *mask;
    const uint16_t *word;
    uint32_t start[]; // [codes + 1] the first pair of each code
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
    uint64_t *codes;        // [MATE_CODE_BITS * item_words]
    struct code_pair *pair; // [64 * item_words + 1]
    uint32_t *start;        // [codes + 1]
    bool *any;              // [codes]
};

int code_lists_open(struct code_lists *lists, const struct layout *layout, int bits, struct thread_pool *pool)
{
    const size_t tile_words = layout->tile_lanes / 64;
    *lists = (struct code_lists){.codes = 1U << bits, .find = code_pairs_choose()};
    lists->item_tiles = tile_words < ITEM_WORDS ? ITEM_WORDS / tile_words : 1;
    lists->item_words = lists->item_tiles * tile_words;
    lists->items = layout->tiles / lists->item_tiles;
    if (lists->item_words > UINT16_MAX + 1)
        return error_set(CLTB_E_USAGE, "tiles are too large for lists of entries");
    TRY(memory_new(&lists->part, lists->items, sizeof(struct code_part *), "lists of entries"));
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

static size_t pairs_bytes(const struct code_lists *lists)
{
    return (64 * lists->item_words + 1) * sizeof(struct code_pair);
}

uint64_t *code_lists_room(struct code_lists *lists, int worker)
{
    struct code_room *room = &lists->room[worker];
    if (room->codes != NULL)
        return room->codes;
    room->pair = memory_take(room->memory, pairs_bytes(lists), NULL);
    room->start = calloc(lists->codes + 1, sizeof *room->start);
    room->any = calloc(lists->codes, sizeof *room->any);
    if (room->pair != NULL && room->start != NULL && room->any != NULL)
        room->codes = memory_take(room->memory, codes_bytes(lists), NULL);
    if (room->codes == NULL)
        error_memory(pairs_bytes(lists) + codes_bytes(lists), "lists of entries");
    return room->codes;
}

void code_lists_finish(struct code_lists *lists, struct thread_pool *pool)
{
    for (size_t i = 0; i < lists->rooms; i++) {
        struct code_room *room = &lists->room[i];
        for (unsigned code = 0; room->any != NULL && code < lists->codes; code++)
            lists->any[code] |= room->any[code];
        memory_give(threads_memory(pool), room->codes, codes_bytes(lists));
        memory_give(threads_memory(pool), room->pair, pairs_bytes(lists));
        free(room->start);
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
    free(lists->part);
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

int code_lists_sort(struct code_lists *lists, uint64_t item, int worker, int bits, const uint64_t *closed)
{
    struct code_room *room = &lists->room[worker];
    const size_t count = lists->find(room->codes, closed, lists->item_words, bits, room->pair, room->start + 1);
    if (count == 0)
        return 0;
    const size_t head = (sizeof(struct code_part) + (lists->codes + 1) * sizeof(uint32_t) + 7) / 8 * 8;
    const size_t bytes = head + count * (sizeof(uint64_t) + sizeof(uint16_t));
    struct code_part *part = append(room, bytes);
    if (part == NULL)
        return error_memory(bytes, "lists of entries");
    for (size_t i = 0; i < bytes; i += 64) // all lines at once, since they are written in no order
        __builtin_prefetch((char *)part + i, 1, 2);
    uint64_t *mask = (uint64_t *)(void *)((char *)part + head);
    uint16_t *word = (uint16_t *)(void *)(mask + count);
    part->mask = mask;
    part->word = word;
    for (unsigned code = 0; code < lists->codes; code++) {
        room->any[code] |= room->start[code + 1] > 0;
        room->start[code + 1] += room->start[code];
    }
    memcpy(part->start, room->start, (lists->codes + 1) * sizeof *room->start);
    for (size_t i = 0; i < count; i++) {
        const uint32_t to = room->start[room->pair[i].code]++;
        mask[to] = room->pair[i].mask;
        word[to] = room->pair[i].word;
    }
    lists->part[item] = part;
    return 0;
}

// ---- entering ----

int code_lists_enter(const struct code_lists *lists, struct backend *backend, unsigned code, struct plane *plane,
                     bool clear, bool *any)
{
    if (code >= lists->codes || !lists->any[code])
        return 0;
    struct plane_words *parts = malloc(lists->items * sizeof *parts);
    size_t count = 0;
    if (parts == NULL)
        return error_memory(lists->items * sizeof *parts, "lists of entries");
    for (size_t i = 0; i < lists->items; i++) {
        const struct code_part *part = lists->part[i];
        if (i + AHEAD < lists->items && lists->part[i + AHEAD] != NULL)
            __builtin_prefetch(&lists->part[i + AHEAD]->start[code]);
        if (part == NULL || part->start[code] == part->start[code + 1])
            continue;
        const uint32_t first = part->start[code];
        parts[count++] = (struct plane_words){i * lists->item_words, part->word + first, part->mask + first,
                                              part->start[code + 1] - first};
    }
    *any = true;
    const int result = backend->ops->enter(backend, plane, parts, count, clear);
    free(parts);
    return result;
}
