// epd.h - Extended Position Description (EPD): a position and operations on one line
//
//     8/8/8/8/8/2k5/8/2K3Q1 w - - bm Qg4; id "first";
//     the first four fields       operations: an opcode, its operands and a semicolon each
//     of a FEN
//
// The reader takes hostile input. It also accepts what files of positions have in practice: a FEN with both counters,
// operations after them, a last operation without its semicolon, \" and \\ in strings, and a FEN with "; any comment".
#ifndef CLTB_CHESS_EPD_H
#define CLTB_CHESS_EPD_H

#include "chess/position.h"

struct epd_operation {
    const char *text; // `bm Qg4`, without the semicolon and surrounding blanks; in the line that was read
    int length;       // of `text` in bytes
    int opcode;       // length of the opcode in bytes
};

// Reads the position; the operations hmvc and fmvn set its counters. `*rest` is what follows the fields: "",
// operations, or a comment after its semicolon. CLTB_E_POSITION as for fen_read(), or if something is not an operation;
// *p may have changed then.
int epd_read(struct position *p, const char *line, const char **rest);

// Takes the next operation from `*rest`; false at the end and for a comment.
bool epd_next(const char **rest, struct epd_operation *operation);

// Does the operation have this opcode?
bool epd_is(const struct epd_operation *operation, const char *opcode);

#endif
