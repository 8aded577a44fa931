// fuzz_dobutsu.c - the reader of dobutsu positions and moves against hostile text
//
// Property: whatever is accepted as a position holds its men apart, is written as a text that reads back to the same
// position, and so is everything that its moves lead to; every move is written as a text that is read as this move. A text
// behind a tab is read as a move: what is accepted is one of the moves. With libFuzzer, define FUZZ_LIBFUZZER; without it,
//
//     fuzz_dobutsu SECONDS [SEED]
//
// mutates a few positions by a fixed pseudo-random sequence, so a failure can be repeated.
#include "dobutsu/code.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth, const char *what, const char *text)
{
    if (truth)
        return;
    fprintf(stderr, "fuzz_dobutsu: %s: \"%s\"\n", what, text);
    abort();
}

static bool same(const struct dobutsu *p, const struct dobutsu *q)
{
    return memcmp(p->square, q->square, sizeof p->square) == 0 && p->gote_lion == q->gote_lion &&
           p->sente_lion == q->sente_lion && p->op == q->op && p->turned == q->turned;
}

static bool same_move(const struct dobutsu_move *a, const struct dobutsu_move *b)
{
    return a->man == b->man && a->from == b->from && a->to == b->to && a->captured == b->captured &&
           a->promotes == b->promotes && a->wins == b->wins;
}

static void check_position(const struct dobutsu *p, const char *text)
{
    char written[DOBUTSU_TEXT_MAX];
    struct dobutsu again;
    uint32_t code;
    require(!dobutsu_overlaps(p) && !dobutsu_rooster_in_hand(p), "two men on a square or a rooster in hand", text);
    dobutsu_write(p, written);
    require(dobutsu_read(&again, written) == 0 && same(p, &again), "what is written is not read", text);
    require(!dobutsu_encode(p, &code) || code < DOBUTSU_CODES, "a code beyond the last one", text);
}

static void check_moves(const struct dobutsu *p, const char *text)
{
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    int count = dobutsu_moves(p, moves);
    require(count <= 38, "too many moves", text);
    for (int i = 0; i < count; i++) {
        char name[DOBUTSU_MOVE_MAX];
        struct dobutsu_move read;
        dobutsu_move_write(p, &moves[i], name);
        require(dobutsu_move_read(p, name, &read) == 0 && same_move(&read, &moves[i]), "a move is not read", text);
        if (moves[i].captured == DOBUTSU_MAN_LION)
            continue;
        struct dobutsu after;
        dobutsu_make(p, &moves[i], &after);
        dobutsu_sort(&after);
        check_position(&after, text);
    }
}

static void check_move_text(const struct dobutsu *p, const char *text)
{
    struct dobutsu_move moves[DOBUTSU_MOVES_MAX];
    struct dobutsu_move read;
    if (dobutsu_move_read(p, text, &read) != 0)
        return;
    bool found = false;
    for (int i = dobutsu_moves(p, moves) - 1; i >= 0; i--)
        found |= same_move(&moves[i], &read);
    require(found, "a move that is none", text);
}

// The texts are copied to blocks of exactly their size, so that a sanitizer sees any read behind the NUL.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *tab = size == 0 ? NULL : memchr(data, '\t', size);
    size_t length = tab == NULL ? size : (size_t)(tab - data);
    char *text = calloc(length + 1, 1);
    char *move = calloc(size - length + 1, 1);
    if (text != NULL && move != NULL) {
        if (length > 0)
            memcpy(text, data, length);
        if (tab != NULL)
            memcpy(move, tab + 1, size - length - 1);
        struct dobutsu p;
        if (dobutsu_read(&p, text) == 0) {
            check_position(&p, text);
            check_moves(&p, text);
            check_move_text(&p, move);
        }
    }
    free(text);
    free(move);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

#include "fuzz_run.h"

static const char *const seeds[] = {
    "S/gle/-c-/-C-/ELG/-\tCb3xb2", "G/gl-/---/-c-/ELG/Ce\tE*c1",     "S/---/-C-/l--/ELG/Cge\tCb2-b1+",
    "S/---/---/l--/--L/ccggee",    "G/--l/---/-L-/---/CGEcge\tG*a2", "S/-lL/r-R/---/---/GGEE\tLc1xb1",
    "S/lEG/EGL/-CC/---/- ",
};

enum { SEEDS = sizeof seeds / sizeof seeds[0], TEXT_MAX = 100 };

static char any_char(void)
{
    static const char likely[] = "CGERLcgerl-/ SG*x+abc1234\n\t";
    return below(16) == 0 ? (char)below(256) : likely[below(sizeof likely - 1)];
}

static size_t insert(char *text, size_t length, size_t at, char c)
{
    if (length + 1 >= TEXT_MAX)
        return length;
    memmove(text + at + 1, text + at, length - at);
    text[at] = c;
    return length + 1;
}

static size_t delete (char *text, size_t length, size_t at)
{
    memmove(text + at, text + at + 1, length - at - 1);
    return length - 1;
}

// One change: swap two (which keeps the men complete), move one, replace, insert, delete, or cut off.
static size_t mutate(char *text, size_t length)
{
    if (length == 0)
        return insert(text, length, 0, any_char());
    size_t at = below((uint32_t)length);
    size_t other = below((uint32_t)length);
    char c = text[at];
    switch (below(12)) {
    case 0:
        return insert(text, length, at, any_char());
    case 1:
        return delete (text, length, at);
    case 2:
        text[at] = any_char();
        return length;
    case 3:
        return below(8) == 0 ? at : length;
    case 4:
    case 5:
        length = delete (text, length, at);
        return insert(text, length, below((uint32_t)length + 1), c);
    case 6:
        text[at] ^= (char)((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 0x20 : 0);
        return length;
    default:
        text[at] = text[other];
        text[other] = c;
        return length;
    }
}

static void run_one(void)
{
    char text[TEXT_MAX];
    const char *seed = seeds[below(SEEDS)];
    size_t length = strlen(seed);
    memcpy(text, seed, length);
    for (uint32_t changes = below(8); changes > 0; changes--)
        length = mutate(text, length);
    LLVMFuzzerTestOneInput((const uint8_t *)text, length);
}

int main(int argc, char **argv)
{
    return fuzz_run("fuzz_dobutsu", argc, argv, run_one);
}

#endif
