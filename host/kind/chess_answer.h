// chess_answer.h - what `cltb probe` prints about a chess position, in a full or in a restricted table
#ifndef CLTB_KIND_CHESS_ANSWER_H
#define CLTB_KIND_CHESS_ANSWER_H

#include "chess/move.h"
#include "kind/kind.h"
#include "probe/probe.h"

// How a legal move relates to the table; with a full table all are MOVE_IN_TABLE.
enum answer_kind { MOVE_IN_TABLE, MOVE_LEAVES_TABLE, MOVE_CONCEDED, MOVE_DISCARDED };

struct answer_move {
    struct ranked_move ranked; // without a value if the move is discarded
    enum answer_kind kind;
    const char *rule; // the prune rule that matched, or NULL
};

enum { ANSWER_MISSING_MAX = 1024 };

struct answer {
    struct position position;
    const char *rest;                 // of the text: EPD operations or a comment
    struct cltb_value value;          // by the prober's metric
    struct cltb_value other[METRICS]; // by other metrics,
    bool has_other[METRICS];          // if they are printed and there is a table; full tables only
    int fault;                        // a negative code: why one by another metric is not known though it has a table
    char fault_text[ANSWER_MISSING_MAX];
    char missing[ANSWER_MISSING_MAX]; // a sentence about the tables that unknown moves need; "": no move is unknown
    int moves;                        // 0 if only the value is wanted
    struct answer_move move[MOVES_MAX];
};

struct chess_prober {
    bool restricted; // the JSON has the kinds of moves
    bool board;      // the text begins with the board
    bool others;     // also print the values by other metrics, if there are tables
    enum metric metric;
    // Gives the value of answer->position and, with `all_moves`, its legal moves: best first, then unknown, then
    // discarded ones.
    int (*look_up)(struct chess_prober *prober, bool all_moves);
    // Gives only the moves of a position of a best line: their number, or a negative code, also if the best is unknown.
    int (*rank)(struct chess_prober *prober, struct position *position, struct answer_move move[MOVES_MAX]);
    // Chooses the move to be played: its index. NULL: the first.
    int (*choose)(struct chess_prober *prober, struct position *position, const struct answer_move *move, int count);
    struct answer answer;
};

// Is the first move certainly a best one, not only the best of the known ones? False if there is no move.
bool answer_best_known(const struct answer *answer);

// The index of the move to be played.
int answer_chosen(struct chess_prober *chess, struct position *position, const struct answer_move *move, int count);

// Prints what a move's value does not show: that it leaves the set, is conceded or discarded, and the rule.
void answer_move_note(const struct answer_move *move);

// Prints "win, mate in 35 (69 plies), DTZ 31": the outcome and the known distances.
void answer_print_value(const struct chess_prober *chess);

// Prints "best line:" and best moves as far as the tables go, up to mate, a zeroing move or one that leaves the set,
// with "?" where a missing table ends them; answer->missing then says which.
int answer_best_line(struct chess_prober *chess);

// Sets all fields except `close`. The context is the struct chess_prober.
void chess_prober_set(struct prober *prober, struct chess_prober *chess, const struct probe_request *request);

#endif
