// stats.h - how many codes of the dobutsu database have which value, and what kinds of codes there are
//
// Values are what the table says. The kinds follow from the rules alone: in a table that is right
// (dobutsu/check/verify.h) they add up to its values.
#ifndef CLTB_DOBUTSU_CHECK_STATS_H
#define CLTB_DOBUTSU_CHECK_STATS_H

#include "dobutsu/make/values.h"

#include <stdio.h>

enum { DOBUTSU_STATS_KINDS = 9 };

struct dobutsu_stats {
    uint64_t count[DOBUTSU_VALUES]; // codes of each value, all DOBUTSU_CODES
    union {
        uint64_t kind[DOBUTSU_STATS_KINDS]; // codes of each of these kinds:
        struct {
            // Invalid codes, by what is wrong.
            uint64_t overlapping;          // only that men share a square
            uint64_t rooster_in_hand;      // only that
            uint64_t overlapping_and_hand; // both
            // Codes that are won at once, by how.
            uint64_t take_lion;
            uint64_t ascend;
            uint64_t take_lion_and_ascend;
            // Valid codes that share their position with another one.
            uint64_t other_owners; // a pair in hand is Gote's first and Sente's second: the other order is canonical
            uint64_t mirrored;     // Sente's lion is on file b, and the mirror image's canonical code is another one
            // Codes that are neither invalid nor won at once: without any move.
            uint64_t stalemates;
        };
    };
    int most_moves;           // in one position that is neither invalid nor won at once
    int longest[2];           // the largest odd value (a loss) and the largest even one (a win)
    uint32_t longest_code[2]; // the first code of each
};

// Goes through all codes of a source (dobutsu/table.h), in DOBUTSU_PARTS reads of DOBUTSU_PART_CELLS. CLTB_E_MEMORY, or
// what the source returns.
int dobutsu_stats_count(struct dobutsu_stats *stats, dobutsu_source *source, void *context, struct thread_pool *pool);

// The codes of the values `first`, `first` + 2 and so on: from 0 those that are won, from 1 those that are lost.
uint64_t dobutsu_stats_sum(const struct dobutsu_stats *stats, int first);

// "win in 74", "loss in 77", "draw", "invalid".
enum { DOBUTSU_MEANING_MAX = 16 };
void dobutsu_meaning(int value, char text[DOBUTSU_MEANING_MAX]);

// "byte meaning count", one line for each value that occurs, then "# sum NAME NUMBER".
void dobutsu_stats_write_tsv(const struct dobutsu_stats *stats, FILE *file);

#endif
