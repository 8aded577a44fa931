// code_lines.h - entries with the same code, line by line (in cpu/: kernels for each instruction set)
//
// A line is eight words of a plane. Its entries that have the same code are written as a byte that says which of its
// words have any, and a mask for each of these.
#ifndef CLTB_SOLVE_CODE_LINES_H
#define CLTB_SOLVE_CODE_LINES_H

#include <stddef.h>
#include <stdint.h>

enum { LINE_WORDS = 8 };

// The entries of a line with a code, except their masks.
struct code_line {
    uint16_t line;
    uint16_t code;
    uint8_t words; // bit i: word i has such entries
    uint8_t masks; // how many words have
};

// Numbers of lines and of masks.
struct code_counts {
    uint32_t lines;
    uint32_t masks;
};

// Lines with the same code. The masks of a line follow each other in the order of its words.
struct line_list {
    uint16_t *line; // [lines]
    uint8_t *words; // [lines] as in code_line
    uint64_t *mask; // [masks]
};

struct code_kernels {
    // Finds the entries with each code in `words` words, a multiple of 8 and at most 2^16: bit i of their codes is in
    // planes[i * words]. Entries in `closed` and those with code 0 are left out. Counts the lines and masks of each
    // code in counts[1 << bits], at most MATE_CODE_BITS bits. `lines` has room for 64 a word and one more, and `masks`
    // for 64 a word and one line more. Returns the number of lines.
    size_t (*find)(const uint64_t *planes, const uint64_t *closed, size_t words, int bits, struct code_line *lines,
                   uint64_t *masks, struct code_counts *counts);
    // Writes each of these lines to the list of its code, at its end: ends[code].
    void (*place)(const struct code_line *lines, size_t count, const uint64_t *masks, struct line_list *ends);
    // Adds the first `count` lines of a list to a plane.
    void (*enter)(const struct line_list *list, size_t count, uint64_t *plane);
};

// The kernels of the instruction set `name`, or the best of this processor if it is NULL. NULL if there are none.
const struct code_kernels *code_kernels_choose(const char *name);

#endif
