// stats.h - how many codes of the dobutsu database have which value, and what kinds of codes there are
//
// Values are what the table says. The kinds follow from the rules alone: in a table that is right
// (dobutsu/check/verify.h) they add up to its values.
#ifndef CLTB_DOBUTSU_CHECK_STATS_H
#define CLTB_DOBUTSU_CHECK_STATS_H

#include "dobutsu/table.h"

#include <stdio.h>

struct thread_pool;

enum dobutsu_code_kind {
    // Invalid codes, by what is wrong.
    DOBUTSU_OVERLAPPING,  // only that men share a square
    DOBUTSU_ROOSTER_HELD, // only that one is in hand
    DOBUTSU_BOTH_WRONG,
    // Codes that are won at once, by how.
    DOBUTSU_TAKES_LION,
    DOBUTSU_ASCENDS,
    DOBUTSU_BOTH_WIN,
    // Valid codes that share their position with another one.
    DOBUTSU_OTHER_OWNERS, // a pair in hand is Gote's first and Sente's second: the other order is canonical
    DOBUTSU_MIRRORED,     // Sente's lion is on file b, and the mirror image's canonical code is another one
    // Codes that are neither invalid nor won at once: without any move.
    DOBUTSU_STALEMATE,
    DOBUTSU_MOST_MOVES, // the number of moves in one of these
    DOBUTSU_CODE_KINDS
};

// How they are shown. `section` (as text), `object` (as JSON): what a kind opens; NULL: it belongs to the one before.
// An empty object: none.
struct dobutsu_kind_names {
    const char *section;
    const char *object;
    const char *text;
    const char *key;
    const char *tsv;
};
extern const struct dobutsu_kind_names dobutsu_kind_names[DOBUTSU_CODE_KINDS];

struct dobutsu_stats {
    uint64_t count[DOBUTSU_VALUES]; // codes of each value, all DOBUTSU_CODES
    uint64_t kind[DOBUTSU_CODE_KINDS];
    int longest[2];           // the largest odd value (a loss) and the largest even one (a win)
    uint32_t longest_code[2]; // the first code of each
};

// Goes through the values of all codes. CLTB_E_MEMORY.
int dobutsu_stats_count(struct dobutsu_stats *stats, const uint8_t *values, struct thread_pool *pool);

// The codes of the values `first`, `first` + 2 and so on: from 0 those that are won, from 1 those that are lost.
uint64_t dobutsu_count_sum(const uint64_t count[DOBUTSU_VALUES], int first);

// "win in 74", "loss in 77", "draw", "invalid".
enum { DOBUTSU_MEANING_MAX = 16 };
void dobutsu_meaning(int value, char text[DOBUTSU_MEANING_MAX]);

// "byte meaning count", one line for each value that occurs, then "# sum NAME NUMBER".
void dobutsu_stats_write_tsv(const struct dobutsu_stats *stats, FILE *file);

#endif
