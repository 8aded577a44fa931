// code_lists.h - the entries of a plane sorted by their codes
//
// The tiles of a plane are divided into items of about a thousand words. In each item, the entries of a word that have
// the same code are a pair of the word's number and a mask; its pairs are sorted by code.
//
// Example: a word's entries 0 to 3 have the codes 1 3 0 3. Its pairs are (code 1, mask 0001) and (code 3, mask 1010),
// written with entry 0 last.
//
// A pair takes 10 bytes. Neighbours often have the same code: where half of the entries have one, a word has about
// five pairs, as much as six planes.
#ifndef CLTB_SOLVE_CODE_LISTS_H
#define CLTB_SOLVE_CODE_LISTS_H

#include "solve/backend.h"
#include "solve/code_pairs.h"
#include "util/threads.h"

struct code_part;
struct code_room;

struct code_lists {
    size_t item_tiles;
    size_t item_words;
    size_t items;
    code_pairs_find find;
    unsigned codes;          // 0..codes-1; 0: there are no lists
    struct code_part **part; // [items] NULL: no entry has a code
    bool *any;               // [codes] does any entry have the code?
    struct code_room *room;  // [threads]
    size_t rooms;            //
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
