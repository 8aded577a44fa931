// probe.c - tells what a position is worth, and all of its moves
//
//     cc probe.c -o probe $(pkg-config --cflags --libs cltb)
//     ./probe tables '1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'
#include <cltb/cltb.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s FOLDERS FEN\n", argv[0]);
        return 2;
    }
    cltb_tables *tables;
    cltb_position position;
    cltb_value value;
    cltb_move moves[CLTB_MOVES_MAX];
    int count = 0;
    int code = cltb_open(&tables, argv[1], NULL);
    if (code == CLTB_OK) {
        code = cltb_position_from_fen(&position, argv[2]);
        if (code == CLTB_OK)
            code = cltb_probe(tables, &position, &value);
        if (code == CLTB_OK)
            count = code = cltb_root_moves(tables, &position, moves);
        cltb_close(tables);
    }
    if (code < 0) {
        fprintf(stderr, "%s\n", cltb_error());
        return 1;
    }
    printf("%s, dtz %d\n", cltb_outcome_name(value.outcome), value.dtz);
    for (int i = 0; i < count; i++)
        printf("%-8s %s %d\n", moves[i].san, cltb_outcome_name(moves[i].value.outcome), moves[i].value.dtz);
    return 0;
}
