// fuzz_fen.c - the FEN reader against hostile text
//
// Property: whatever is accepted passes the position's self check, is written as a FEN that reads back to the same
// position, and has legal moves that can be made and taken back. With libFuzzer, define FUZZ_LIBFUZZER; without it,
//
//     fuzz_fen SECONDS [SEED]
//
// mutates a few FENs by a fixed pseudo-random sequence, so a failure can be repeated.
#include "chess/fen.h"
#include "chess/move.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth, const char *what, const char *fen)
{
    if (truth)
        return;
    fprintf(stderr, "fuzz_fen: %s: \"%s\"\n", what, fen);
    abort();
}

static void check_moves(struct position *p, const char *fen)
{
    uint32_t moves[MOVES_MAX];
    int count = moves_legal(p, moves);
    uint64_t key = p->key;
    for (int i = 0; i < count; i++) {
        require(position_make(p, moves[i]) == 0, "make failed", fen);
        require(position_check(p) == 0 && position_legal(p), "a move leads to a bad position", fen);
        require(position_undo(p) == 0 && p->key == key, "undo failed", fen);
    }
    require(position_check(p) == 0, "undo does not restore", fen);
}

static void check_accepted(struct position *p, const char *fen)
{
    char text[FEN_MAX];
    struct position again;
    require(position_check(p) == 0, "self check fails", fen);
    fen_write(p, text);
    require(fen_read(&again, text) == 0, "what is written is not read", fen);
    require(position_same(p, &again) && p->fifty == again.fifty && p->move_number == again.move_number,
            "reads back differently", fen);
    check_moves(p, fen);
}

// The text is copied to a block of exactly its size, so that a sanitizer sees any read behind the NUL.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct position p;
    char *fen = malloc(size + 1);
    if (fen == NULL)
        return 0;
    if (size > 0)
        memcpy(fen, data, size);
    fen[size] = '\0';
    if (fen_read(&p, fen) == 0)
        check_accepted(&p, fen);
    free(fen);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

#include "fuzz_run.h"

static const char *const seeds[] = {
    FEN_START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 99 9999",
    "4k3/8/8/1pP5/8/8/8/4K3 w - b6 0 1",
    "QQQQQQQQ/QQQQQQQ1/8/8/1K6/8/8/3k4 b - -",
};

enum { SEEDS = sizeof seeds / sizeof seeds[0], TEXT_MAX = 400 };

static char any_char(void)
{
    static const char likely[] = "KQRBNPkqrbnp12345678/ -wbabcdefgh0369\n\t";
    return below(16) == 0 ? (char)below(256) : likely[below(sizeof likely - 1)];
}

// One change: replace, insert, delete, swap two, cut off, or double a stretch.
static size_t mutate(char *text, size_t length)
{
    size_t at = length == 0 ? 0 : below((uint32_t)length);
    size_t other = length == 0 ? 0 : below((uint32_t)length);
    char c = any_char();
    switch (length == 0 ? 1 : below(8)) {
    case 0:
    case 1:
        if (length + 1 < TEXT_MAX) {
            memmove(text + at + 1, text + at, length - at);
            text[at] = c;
            length++;
        }
        return length;
    case 2:
        memmove(text + at, text + at + 1, length - at - 1);
        return length - 1;
    case 3:
    case 4:
        c = text[other];
        text[other] = text[at];
        break;
    case 5:
        return below(8) == 0 ? at : length;
    case 6:
        if (below(8) == 0 && length + (length - at) < TEXT_MAX) {
            memcpy(text + length, text + at, length - at);
            return length + (length - at);
        }
        break;
    default:
        break;
    }
    text[at] = c;
    return length;
}

static void run_one(void)
{
    char text[TEXT_MAX];
    const char *seed = seeds[below(SEEDS)];
    size_t length = strlen(seed);
    memcpy(text, seed, length);
    for (uint32_t changes = below(6); changes > 0; changes--)
        length = mutate(text, length);
    LLVMFuzzerTestOneInput((const uint8_t *)text, length);
}

int main(int argc, char **argv)
{
    return fuzz_run("fuzz_fen", argc, argv, run_one);
}

#endif
