// fuzz_dobutsu.c - the reader of dobutsu positions and moves against hostile text
//
// Property: every text accepted as a position has its men on different squares and is written as a text that reads back
// to the same position, and so is everything that its moves lead to; every move is written as a text that reads back to
// this move. A text after a tab is read as a move; if it is accepted, it is one of the moves.
#include "dobutsu/code.h"

#include "fuzz/run.h"

#include <stdlib.h>
#include <string.h>

// Positions and moves are bytes without gaps: memcmp() compares all their fields.
_Static_assert(sizeof(struct dobutsu) == DOBUTSU_MEN + 4 && sizeof(struct dobutsu_move) == 6, "no gaps");

static void check_position(const struct dobutsu *p, const char *text)
{
    char written[DOBUTSU_TEXT_MAX];
    struct dobutsu again;
    uint32_t code;
    require_of(!dobutsu_overlaps(p) && !dobutsu_rooster_in_hand(p), "two men on a square or a rooster in hand", text);
    dobutsu_write(p, written);
    require_of(dobutsu_read(&again, written) == 0 && memcmp(p, &again, sizeof *p) == 0, "what is written is not read",
               text);
    require_of(!dobutsu_encode(p, &code) || code < DOBUTSU_CODES, "a code beyond the last one", text);
}

// All moves, and what is read as one: `move_text`.
static void check_moves(const struct dobutsu *p, const char *text, const char *move_text)
{
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    struct dobutsu_move wanted = {0};
    bool found = dobutsu_move_read(p, move_text, &wanted) != 0;
    int count = dobutsu_moves(p, moves);
    require_of(count <= 38, "too many moves", text);
    for (int i = 0; i < count; i++) {
        char name[DOBUTSU_MOVE_MAX];
        struct dobutsu_move read;
        dobutsu_move_write(p, &moves[i], name);
        require_of(dobutsu_move_read(p, name, &read) == 0 && memcmp(&read, &moves[i], sizeof read) == 0,
                   "a move is not read", text);
        found |= memcmp(&moves[i], &wanted, sizeof wanted) == 0;
        if (moves[i].captured == DOBUTSU_MAN_LION)
            continue;
        struct dobutsu after;
        dobutsu_make(p, &moves[i], &after);
        dobutsu_sort(&after);
        check_position(&after, text);
    }
    require_of(found, "a move that is none", move_text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *tab = size == 0 ? NULL : memchr(data, '\t', size);
    const size_t length = tab == NULL ? size : (size_t)(tab - data);
    char *text = text_copy(data, length);
    char *move = tab == NULL ? text_copy(NULL, 0) : text_copy(tab + 1, size - length - 1);
    struct dobutsu p;
    if (dobutsu_read(&p, text) == 0) {
        check_position(&p, text);
        check_moves(&p, text, move);
    }
    free(text);
    free(move);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

static const char *const seeds[] = {
    "S/gle/-c-/-C-/ELG/-\tCb3xb2", "G/gl-/---/-c-/ELG/Ce\tE*c1",     "S/---/-C-/l--/ELG/Cge\tCb2-b1+",
    "S/---/---/l--/--L/ccggee",    "G/--l/---/-L-/---/CGEcge\tG*a2", "S/-lL/r-R/---/---/GGEE\tLc1xb1",
    "S/lEG/EGL/-CC/---/- ",
};

int main(int argc, char **argv)
{
    static const struct fuzz_texts texts = {
        .seeds = seeds, .count = sizeof seeds / sizeof seeds[0], .likely = "CGERLcgerl-/ SG*x+abc1234\n\t"};
    return fuzz_run_texts(argc, argv, &texts);
}

#endif
