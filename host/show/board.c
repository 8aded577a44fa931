// board.c - a chess position drawn in a terminal
#include "show/board.h"

#include <stdio.h>

void text_board(const struct position *p, int bottom)
{
    const int turn = bottom == WHITE ? 0 : 63; // turns a square by 180 degrees
    for (int rank = 7; rank >= 0; rank--) {
        printf("  %d ", square_rank(8 * rank ^ turn) + 1);
        for (int file = 0; file < 8; file++) {
            const int code = p->board[(8 * rank + file) ^ turn];
            printf(" %c", code == EMPTY ? '.' : piece_letter(code));
        }
        if (rank == (p->side == bottom ? 0 : 7))
            printf("   %s to move", colour_name(p->side));
        printf("\n");
    }
    printf("     %s\n", bottom == WHITE ? "a b c d e f g h" : "h g f e d c b a");
}
