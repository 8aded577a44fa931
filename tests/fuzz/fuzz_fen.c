// fuzz_fen.c - the readers of FEN and EPD against hostile text
//
// Property: every accepted position passes its self check, is written as a FEN that reads back to the same position,
// and has legal moves that can be made and taken back.
#include "chess/epd.h"
#include "chess/fen.h"
#include "chess/move.h"

#include "fuzz/run.h"
#include "oracle/position_check.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct position p;
    struct position again;
    char text[FEN_MAX];
    uint32_t moves[MOVES_MAX];
    char *fen = text_copy(data, size);
    const char *rest;
    struct epd_operation operation;
    const bool read = fen_read(&p, fen) == 0;
    if (fen_read_lenient(&again, fen, true) == 0) {
        require_of(position_check(&again) == 0, "self check fails after lenient reading", fen);
        require_of(!read || position_same(&p, &again), "lenient reading differs", fen);
    } else {
        require_of(!read, "lenient reading refuses a FEN", fen);
    }
    if (epd_read(&p, fen, &rest) != 0) {
        require_of(!read, "a FEN is not read as EPD", fen);
        free(fen);
        return 0;
    }
    require_of(position_check(&p) == 0, "self check fails", fen);
    fen_write(&p, text);
    require_of(fen_read(&again, text) == 0, "what is written is not read", fen);
    require_of(position_same(&p, &again) && p.fifty == again.fifty && p.move_number == again.move_number,
               "reads back differently", fen);
    const int count = moves_legal(&p, moves);
    const uint64_t key = p.key;
    for (int i = 0; i < count; i++) {
        require_of(position_make(&p, moves[i]) == 0, "make failed", fen);
        require_of(position_check(&p) == 0 && position_legal(&p), "a move leads to a bad position", fen);
        require_of(position_undo(&p) == 0 && p.key == key, "undo failed", fen);
    }
    require_of(position_check(&p) == 0, "undo does not restore", fen);
    while (epd_next(&rest, &operation))
        require_of(operation.length >= operation.opcode && operation.opcode > 0, "a bad operation", fen);
    free(fen);
    return 0;
}

#ifndef FUZZ_LIBFUZZER

static const char *const seeds[] = {
    FEN_START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 99 9999",
    "4k3/8/8/1pP5/8/8/8/4K3 w - b6 0 1",
    "QQQQQQQQ/QQQQQQQ1/8/8/1K6/8/8/3k4 b - -",
    "8/8/8/8/8/2k5/8/2K3Q1 w - - bm Qg4; hmvc 12; fmvn 9; id \"a; b\";",
    "8/8/8/8/8/2k5/8/2K3Q1 w - - 0 1; \"a\"",
};

int main(int argc, char **argv)
{
    static const struct fuzz_texts texts = {
        .seeds = seeds,
        .count = sizeof seeds / sizeof seeds[0],
        .likely = "KQRBNPkqrbnp12345678/ -wbabcdefgh0369\n\t;\"mv",
    };
    return fuzz_run_texts(argc, argv, &texts);
}

#endif
