// fuzz_pgn.c - the PGN reader against hostile text
//
// Property: whatever the text is, the copy equals it and reading ends; marks only add their text.
#include "chess/pgn.h"

#include "fuzz/run.h"

#include <stdlib.h>
#include <string.h>

static bool never(const char *comment, size_t length)
{
    return length == 0 && comment == NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pgn pgn;
    enum pgn_token token = PGN_TAG;
    char *copied = NULL;
    size_t bytes = 0;
    FILE *in = fmemopen((void *)(uintptr_t)data, size > 0 ? size : 1, "rb");
    FILE *copy = open_memstream(&copied, &bytes);
    require(in != NULL && copy != NULL, "no memory");
    if (size == 0)
        getc(in);
    pgn_begin(&pgn, in, copy);
    for (size_t tokens = 0; token != PGN_END; tokens++) {
        require(tokens <= 2 * size + 2, "tokens without text");
        if (pgn_next(&pgn, &token) != 0)
            token = PGN_TAG;
        else if (token == PGN_MOVE && tokens % 2 == 0)
            pgn_mark(&pgn, NULL, never);
        require(memchr(pgn.text, '\0', sizeof pgn.text) != NULL, "a text does not end");
    }
    pgn_end(&pgn);
    fclose(in);
    fclose(copy);
    require(size == 0 || (bytes == size && memcmp(copied, data, size) == 0), "the copy differs");
    free(copied);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

static const char *const seeds[] = {
    "[Event \"a \\\"b\\\"\"]\n[FEN \"8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1\"]\n\n1. Qd1 Kb3 1-0\n",
    "1.e4 e5 (1... c5 {Sicilian} 2. Nf3 $1 (2. c3)) 2. Nf3! ; best\n% escape\nNc6 <x> 1/2-1/2",
    "1. Nf3!$1$14{a}--(d8(Q) Z0 exd6e.p. 1/2) \xe2\x99\x98g6 \xbd-\xbd\r\r1.g2\x96g4",
    "\xef\xbb\xbf[White \"\"]\r\n*\r\n\r\n1. d4 d5 2. c4 *\n",
};

int main(int argc, char **argv)
{
    static const struct fuzz_texts texts = {.seeds = seeds,
                                            .count = sizeof seeds / sizeof seeds[0],
                                            .likely = "[]{}()<>;%$\"\\\n\r 1.-*/e4NQ#(Q)!?\xef\xbd\xe2\x99"};
    return fuzz_run_texts(argc, argv, &texts);
}

#endif
