// engine.c - what an engine takes from tbprobe.h, printed: the constants, and answers to a few questions
//
//     engine FOLDERS
//
// Made with each library and its own header, to be compared line by line. Needs tables of 3 men.
#include <tbprobe.h>

#include <stddef.h>
#include <stdio.h>

#define SAY(name) printf("%s %u\n", #name, (unsigned)(name))

static void say_constants(void)
{
    const unsigned all = TB_RESULT_FAILED;
    SAY(TB_MAX_MOVES);
    SAY(TB_MAX_CAPTURES);
    SAY(TB_MAX_PLY);
    SAY(TB_CASTLING_K | TB_CASTLING_Q << 4 | TB_CASTLING_k << 8 | TB_CASTLING_q << 12);
    SAY(TB_LOSS | TB_BLESSED_LOSS << 4 | TB_DRAW << 8 | TB_CURSED_WIN << 12 | TB_WIN << 16);
    SAY(TB_PROMOTES_NONE | TB_PROMOTES_QUEEN << 4 | TB_PROMOTES_ROOK << 8 | TB_PROMOTES_BISHOP << 12);
    SAY(TB_PROMOTES_KNIGHT);
    SAY(TB_RESULT_CHECKMATE);
    SAY(TB_RESULT_STALEMATE);
    SAY(TB_RESULT_FAILED);
    SAY(TB_VALUE_PAWN);
    SAY(TB_VALUE_MATE);
    SAY(TB_VALUE_INFINITE);
    SAY(TB_VALUE_DRAW);
    SAY(TB_MAX_MATE_PLY);
    SAY(TB_GET_WDL(all));
    SAY(TB_GET_TO(all));
    SAY(TB_GET_FROM(all));
    SAY(TB_GET_PROMOTES(all));
    SAY(TB_GET_EP(all));
    SAY(TB_GET_DTZ(all));
    SAY(TB_SET_WDL(all, 3));
    SAY(TB_SET_TO(all, 35));
    SAY(TB_SET_FROM(0U, 63));
    SAY(TB_SET_PROMOTES(0U, 4));
    SAY(TB_SET_EP(0U, 1));
    SAY(TB_SET_DTZ(0U, 4095U));
    SAY(TB_MOVE_FROM(0xabcdU));
    SAY(TB_MOVE_TO(0xabcdU));
    SAY(TB_MOVE_PROMOTES(0xabcdU));
    SAY(sizeof(TbMove));
    SAY(sizeof(struct TbRootMove));
    SAY(offsetof(struct TbRootMove, pv));
    SAY(offsetof(struct TbRootMove, pvSize));
    SAY(offsetof(struct TbRootMove, tbScore));
    SAY(offsetof(struct TbRootMove, tbRank));
    SAY(sizeof(struct TbRootMoves));
    SAY(offsetof(struct TbRootMoves, moves));
}

int main(int argc, char **argv)
{
    static struct TbRootMoves moves;
    const uint64_t a1 = 1, e3 = UINT64_C(1) << 20, h8 = UINT64_C(1) << 63;
    say_constants();
    SAY(tb_init(argc > 1 ? argv[1] : ""));
    SAY(TB_LARGEST);
    for (int turn = 0; turn < 2; turn++) {
        SAY(tb_probe_wdl(a1 | e3, h8, a1 | h8, e3, 0, 0, 0, 0, 0, 0, 0, turn));
        SAY(tb_probe_wdl(a1 | e3, h8, a1 | h8, 0, 0, 0, e3, 0, 0, 0, 0, turn));
        SAY(TB_GET_WDL(tb_probe_root(a1 | e3, h8, a1 | h8, 0, e3, 0, 0, 0, 5, 0, 0, turn, NULL)));
        SAY(tb_probe_root_dtz(a1 | e3, h8, a1 | h8, 0, e3, 0, 0, 0, 5, 0, 0, turn, false, true, &moves));
        SAY(moves.size);
        SAY(moves.moves[0].tbRank);
        SAY(tb_probe_root_wdl(a1 | e3, h8, a1 | h8, 0, e3, 0, 0, 0, 5, 0, 0, turn, true, &moves));
        SAY(moves.moves[0].tbScore);
    }
    SAY(tb_probe_wdl(a1 | e3, h8, a1 | h8, e3, 0, 0, 0, 0, 1, 0, 0, true));
    SAY(tb_probe_wdl(a1 | e3, h8, a1 | h8, e3, 0, 0, 0, 0, 0, 1, 0, true));
    SAY(tb_probe_root(a1 | e3, h8, a1 | h8, e3, 0, 0, 0, 0, 0, 1, 0, true, NULL));
    return 0;
}
