// code_lists.h - the entries of a plane sorted by their codes
//
// The tiles of a plane are divided into items of about a thousand words. In each item, the entries of eight words (a
// line) that have the same code are put together: the number of the line, a byte that says which of its words have any,
// and a mask for each of these. They are sorted by code.
//
// Example: the entries 0 to 3 of the first word of a line have the codes 1 3 0 3, those of the second 0 0 3 0, and all
// others have none. Code 1 has this line with the words 1 and the mask 0001, code 3 has it with the words 11 and the
// masks 1010 and 0100, written with entry 0 last.
//
// A line takes 3 bytes and a mask 8. Neighbours often have the same code: in KRPvKN a mask has 3.7 entries, and a line
// 3.2 masks.
#ifndef CLTB_SOLVE_CODE_LISTS_H
#define CLTB_SOLVE_CODE_LISTS_H

#include "solve/backend.h"
#include "solve/code_lines.h"
#include "util/threads.h"

struct code_range;
struct code_room;

struct code_lists {
    size_t item_tiles;
    size_t item_words;
    size_t items;
    const struct code_kernels *kernels;
    unsigned codes;            // 0..codes-1; 0: there are no lists
    struct code_range **range; // [items][codes] NULL: no entry has a code
    bool *any;                 // [codes] does any entry have the code?
    struct code_room *room;    // [threads]
    size_t rooms;              //
};

// For codes of so many bits. Call code_lists_free() even after an error.
int code_lists_open(struct code_lists *lists, const struct layout *layout, int bits, struct thread_pool *pool);
void code_lists_free(struct code_lists *lists, struct thread_pool *pool);

// A worker's room for the codes of an item, bit planes of item_words words each; NULL, with an error sentence, if there
// is no memory. code_lists_sort() makes the item of them; entries in closed[item_words] get no code.
uint64_t *code_lists_room(struct code_lists *lists, int worker);
int code_lists_sort(struct code_lists *lists, uint64_t item, int worker, int bits, const uint64_t *closed);

// Called after the last item.
void code_lists_finish(struct code_lists *lists, struct thread_pool *pool);

// plane |= the entries with this code or, with `clear`, plane = these entries. If there are any, sets *any, otherwise
// nothing changes.
int code_lists_enter(const struct code_lists *lists, struct backend *backend, unsigned code, struct plane *plane,
                     bool clear, bool *any);

#endif
