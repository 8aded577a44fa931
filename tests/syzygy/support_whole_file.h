// support_whole_file.h - a Syzygy file, decoded completely, from the format's description and without the library's
// reader
//
// Refuses every file that a generator would not write, even where readers do not look: padding that is not zero, an
// entry of the sparse index that is not the middle of its span, a length table that does not add up, codes that cross a
// block's end, an incomplete code, a byte too many.
#ifndef CLTB_TESTS_SYZYGY_SUPPORT_WHOLE_FILE_H
#define CLTB_TESTS_SYZYGY_SUPPORT_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILE_MEN_MAX = 7, FILE_CLASSES = 4, FILE_MAP_MAX = 4096 };

// Flags of a sub-table
enum { DTZ_BLACK = 1, DTZ_MAPPED = 2, DTZ_WIN_PLIES = 4, DTZ_LOSS_PLIES = 8, DTZ_WIDE_MAP = 16, SINGLE_VALUE = 128 };

struct sub_table {
    uint8_t flags;
    uint8_t man[FILE_MEN_MAX]; // codes P 1 .. K 6, + 8 for Black, in the order of the index
    int order[2];              // places of the leading group and of the other pawns; [1] 15 if there are none
    uint64_t values;
    uint16_t *value; // [values]: what is stored, before any map
    // DTZ: the lists of wins, losses, cursed wins and blessed losses; count 0 unless mapped
    int map_count[FILE_CLASSES];
    uint16_t map[FILE_CLASSES][FILE_MAP_MAX];
};

struct whole_file {
    bool dtz;
    bool pawns;
    bool unequal; // the two sides have other men
    int men;
    int files; // 4 with pawns, else 1
    int sides; // 2 in a WDL file of unequal material, else 1
    struct sub_table sub[4][2];
};

// Reads and decodes a file. NULL, or a sentence that says what is wrong. `values` finds the number of values of a
// sub-table from its order of men. Free with whole_file_free() in any case.
typedef uint64_t sub_table_values(const struct whole_file *file, const struct sub_table *sub, int leading_file);
const char *whole_file_read(struct whole_file *file, const char *path, sub_table_values *values);
void whole_file_free(struct whole_file *file);

#endif
