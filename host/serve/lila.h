// lila.h - positions as JSON in the form of lila-tablebase, which Lichess and programs written for it understand
//
// A position has its own fields (checkmate, stalemate, insufficient_material, dtz, precise_dtz, category and others,
// which are null here) and a list of moves, each with the fields of the position after it. All values are for the side
// to move in their own position. The half-move clock of the FEN counts. dtz is positive for wins, over 100 for cursed
// ones, and -1 for the checkmated side; it is null, with the category "unknown", if no table helps. dtm, if there is a
// table of it, counts plies without the 50-move rule: 0 for draws, null for the checkmated side.
//
// Reference: github.com/lichess-org/lila-tablebase
#ifndef CLTB_SERVE_LILA_H
#define CLTB_SERVE_LILA_H

#include <cltb/cltb.h>

#include "chess/position.h"
#include "probe/probe.h"
#include "show/json.h"

// Called for each missing or damaged table, with the error's sentence.
typedef void lila_fault(void *context, const char *sentence);

struct lila {
    cltb_tables *tables;
    lila_fault *fault;
    void *context;
    bool unsure;      // set if a table was missing or damaged, so that the answer may be another one soon
    int damage;       // the code of the last fault that is more than a missing table; 0: there was none
    int castling_men; // positions in which a side may castle are answered if they have at most so many
    // Called before the moves of a position are looked at. NULL: nothing is.
    int (*before_moves)(struct position *position);
    // Takes the place of choose_move() with CHOOSE_NODES_LINE: an index. NULL: that is called.
    int (*choose)(struct position *position, const struct ranked_move *ranked, int count);
};

// Reads a FEN as fen_read_lenient() does; '_' may stand for a blank. CLTB_E_POSITION.
int lila_read(struct position *position, const char *fen);

// Writes a position as an object, under `key` if that is not NULL. Fails only if a file cannot be read or memory runs
// out; nothing is written then.
int lila_position(struct lila *lila, struct position *position, struct json *json);

// Writes the line of best play up to mate or a half-move clock of 100. CLTB_E_POSITION; CLTB_E_MISSING if no table has
// it.
int lila_mainline(struct lila *lila, struct position *position, struct json *json);

#endif
