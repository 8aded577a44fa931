// probe.h - `cltb probe --game dobutsu`, and how values and lines of dobutsu are shown
#ifndef CLTB_DOBUTSU_CLI_PROBE_H
#define CLTB_DOBUTSU_CLI_PROBE_H

#include "cli/options.h"
#include "dobutsu/probe.h"

// The exit status.
int dobutsu_probe(const char *dir, const char *format, const struct arguments *arguments);

// For its help.
#define DOBUTSU_PROBE_HELP                                                                                             \
    "Dobutsu shogi: a position is T/a1b1c1/a2b2c2/a3b3c3/a4b4c4/HAND, as in S/gle/-c-/-C-/ELG/- (the start): T is S\n" \
    "or G, to move; capitals are Sente's; '-' is an empty square or hand. The distance is in plies to the end of "     \
    "the\n"                                                                                                            \
    "game, the winning move counted (the start: loss in 78). The byte is what the database holds: the same without\n"  \
    "the winning move (77), 254 for a draw. tsv: position, outcome, plies (empty for a draw), byte (empty if the "     \
    "game\n"                                                                                                           \
    "is over). Of positions with the lions side by side or one on its far rank, which the database does not hold:\n"   \
    "win in 1 if the side to move can take the lion or ascend; a loss, the game being over, if the opponent's lion\n"  \
    "has ascended; else, the own lion being on its far rank, an error unless the next moves decide.\n"

// "win", "draw", "loss", "unknown".
const char *dobutsu_outcome_name(struct cltb_dobutsu_value value);

// "win 21", "loss 4", "draw", "unknown".
enum { DOBUTSU_VALUE_MAX = 16 };
void dobutsu_value_write(struct cltb_dobutsu_value value, char text[DOBUTSU_VALUE_MAX]);

// " 1. Gc4-c3 Ga1-a2 2. ...": a best line of a position whose ranking is given; if Gote moves first, " 1... Ga1-a2".
int dobutsu_print_line(const struct dobutsu_bytes *bytes, const struct dobutsu *p,
                       const struct dobutsu_ranking *ranking);

#endif
